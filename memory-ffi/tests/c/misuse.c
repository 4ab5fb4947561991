/* What must not be done is refused with a clear error, never a crash. */
#include "check.h"

#include <stddef.h>

static const recallite_str ABSENT = {NULL, 0};

/* A marker that no call may replace when it fails. */
#define UNTOUCHED(type) ((type *)(void *)&check_cases)

static int32_t look(const recallite_event *event, void *user_data) {
    (void)event;
    (void)user_data;
    CHECK(!"nothing is shown");
    return 0;
}

static void null_is_refused_everywhere(void) {
    recallite_memory *memory = open_memory("null");
    recallite_new_event event = prompt("s1", "hello");
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_session_update update = RECALLITE_INIT(recallite_session_update);
    recallite_str one = text("mem:abcdef");
    recallite_memory *opened = UNTOUCHED(recallite_memory);
    recallite_event *found = UNTOUCHED(recallite_event);
    recallite_event_list *list = UNTOUCHED(recallite_event_list);
    recallite_appended *receipt = UNTOUCHED(recallite_appended);
    recallite_appended_list *receipts = UNTOUCHED(recallite_appended_list);
    recallite_event_cursor *cursor = UNTOUCHED(recallite_event_cursor);
    recallite_search_result *result = UNTOUCHED(recallite_search_result);
    recallite_timeline_item_list *timeline = UNTOUCHED(recallite_timeline_item_list);
    recallite_detail_list *details = UNTOUCHED(recallite_detail_list);
    recallite_session *session = UNTOUCHED(recallite_session);
    recallite_session_list *sessions = UNTOUCHED(recallite_session_list);
    recallite_stats *stats = UNTOUCHED(recallite_stats);
    recallite_import_report *report = UNTOUCHED(recallite_import_report);
    recallite_string *string = UNTOUCHED(recallite_string);
    recallite_str view = {NULL, 7};
    int32_t kind = -5;
    query.text = text("hello");

#define REFUSED(argument, call) CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, argument, call)
    REFUSED("name", recallite_event_kind_from_name(ABSENT, &kind, &error));
    REFUSED("kind", recallite_event_kind_from_name(text("tool"), NULL, &error));
    REFUSED("path", recallite_open(ABSENT, &opened, &error));
    REFUSED("memory", recallite_open(text(path_of("null2")), NULL, &error));
    REFUSED("path", recallite_open_with(ABSENT, NULL, &opened, &error));
    REFUSED("memory", recallite_close(NULL, &error));
    REFUSED("memory", recallite_path(NULL, &view, &error));
    REFUSED("path", recallite_path(memory, NULL, &error));
    REFUSED("memory", recallite_project(NULL, &view, &error));
    REFUSED("project", recallite_project(memory, NULL, &error));
    REFUSED("memory", recallite_append(NULL, &event, &receipt, &error));
    REFUSED("event", recallite_append(memory, NULL, &receipt, &error));
    REFUSED("memory", recallite_append_batch(NULL, &event, 1, &receipts, &error));
    REFUSED("events", recallite_append_batch(memory, NULL, 1, &receipts, &error));
    REFUSED("memory", recallite_event_get(NULL, one, &found, &error));
    REFUSED("event", recallite_event_get(memory, ABSENT, &found, &error));
    REFUSED("result", recallite_event_get(memory, one, NULL, &error));
    REFUSED("memory", recallite_event_at(NULL, 1, &found, &error));
    REFUSED("found", recallite_event_at(memory, 1, NULL, &error));
    REFUSED("memory", recallite_citation(NULL, one, &found, &error));
    REFUSED("text", recallite_citation(memory, ABSENT, &found, &error));
    REFUSED("result", recallite_citation(memory, one, NULL, &error));
    REFUSED("memory", recallite_events(NULL, NULL, &cursor, &error));
    REFUSED("cursor", recallite_events(memory, NULL, NULL, &error));
    REFUSED("cursor", recallite_event_cursor_next(NULL, &found, &error));
    REFUSED("memory", recallite_event_visit(NULL, one, look, NULL, &error));
    REFUSED("event", recallite_event_visit(memory, ABSENT, look, NULL, &error));
    REFUSED("visit", recallite_event_visit(memory, one, NULL, NULL, &error));
    REFUSED("memory", recallite_events_visit(NULL, NULL, look, NULL, NULL, &error));
    REFUSED("visit", recallite_events_visit(memory, NULL, NULL, NULL, NULL, &error));
    REFUSED("memory", recallite_changes_since(NULL, 0, 1, &list, &error));
    REFUSED("result", recallite_changes_since(memory, 0, 1, NULL, &error));
    REFUSED("memory", recallite_sessions(NULL, 0, ABSENT, 0, &sessions, &error));
    REFUSED("result", recallite_sessions(memory, 0, ABSENT, 0, NULL, &error));
    REFUSED("memory", recallite_session_get(NULL, one, &session, &error));
    REFUSED("id", recallite_session_get(memory, ABSENT, &session, &error));
    REFUSED("result", recallite_session_get(memory, one, NULL, &error));
    REFUSED("memory", recallite_update_session(NULL, one, &update, &session, &error));
    REFUSED("id", recallite_update_session(memory, ABSENT, &update, &session, &error));
    REFUSED("update", recallite_update_session(memory, one, NULL, &session, &error));
    REFUSED("memory", recallite_search(NULL, &query, &result, &error));
    REFUSED("query", recallite_search(memory, NULL, &result, &error));
    REFUSED("result", recallite_search(memory, &query, NULL, &error));
    REFUSED("memory", recallite_timeline(NULL, &one, 1, 1, &timeline, &error));
    REFUSED("events", recallite_timeline(memory, NULL, 1, 1, &timeline, &error));
    REFUSED("result", recallite_timeline(memory, &one, 1, 1, NULL, &error));
    REFUSED("memory", recallite_details(NULL, &one, 1, &details, &error));
    REFUSED("events", recallite_details(memory, NULL, 1, &details, &error));
    REFUSED("result", recallite_details(memory, &one, 1, NULL, &error));
    REFUSED("memory", recallite_stats_get(NULL, &stats, &error));
    REFUSED("result", recallite_stats_get(memory, NULL, &error));
    REFUSED("memory", recallite_import_claude_code(NULL, one, NULL, NULL, NULL, &report, &error));
    REFUSED("path", recallite_import_claude_code(memory, ABSENT, NULL, NULL, NULL, &report, &error));
    REFUSED("result", recallite_default_store_path(NULL, &error));
    REFUSED("folder", recallite_project_of(ABSENT, &string, &error));
    REFUSED("result", recallite_project_of(text("/"), NULL, &error));
    /* Without a place for the error object the status alone says it. */
    CHECK(recallite_search(memory, NULL, NULL, NULL) == RECALLITE_INVALID_ARGUMENT);
    CHECK(!recallite_is_open(NULL));

    CHECK(opened == UNTOUCHED(recallite_memory) && found == UNTOUCHED(recallite_event));
    CHECK(list == UNTOUCHED(recallite_event_list) && receipt == UNTOUCHED(recallite_appended));
    CHECK(receipts == UNTOUCHED(recallite_appended_list) && cursor == UNTOUCHED(recallite_event_cursor));
    CHECK(result == UNTOUCHED(recallite_search_result) && session == UNTOUCHED(recallite_session));
    CHECK(timeline == UNTOUCHED(recallite_timeline_item_list) && details == UNTOUCHED(recallite_detail_list));
    CHECK(sessions == UNTOUCHED(recallite_session_list) && stats == UNTOUCHED(recallite_stats));
    CHECK(report == UNTOUCHED(recallite_import_report) && string == UNTOUCHED(recallite_string));
    CHECK(view.ptr == NULL && view.len == 7 && kind == -5);
    recallite_free(memory);
}

static void freeing_null_does_nothing(void) {
    recallite_free(NULL);
    recallite_error_free(NULL);
    recallite_string_free(NULL);
    recallite_event_free(NULL);
    recallite_event_list_free(NULL);
    recallite_event_cursor_free(NULL);
    recallite_appended_free(NULL);
    recallite_appended_list_free(NULL);
    recallite_session_free(NULL);
    recallite_session_list_free(NULL);
    recallite_search_result_free(NULL);
    recallite_timeline_item_list_free(NULL);
    recallite_detail_list_free(NULL);
    recallite_stats_free(NULL);
    recallite_import_report_free(NULL);
}

static void a_closed_or_freed_handle_is_recognised(void) {
    recallite_memory *memory = open_memory("closed");
    recallite_new_event event = prompt("s1", "hello");
    recallite_event_cursor *cursor = NULL;
    recallite_event *found = NULL;
    recallite_stats *stats = NULL;

    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    CHECK_OK(recallite_events(memory, NULL, &cursor, &error));
    CHECK_OK(recallite_close(memory, &error));
    CHECK_FAILS(RECALLITE_CLOSED, NULL, recallite_append(memory, &event, NULL, &error));
    CHECK_FAILS(RECALLITE_CLOSED, NULL, recallite_stats_get(memory, &stats, &error));
    /* Not the end: whoever goes on asking is told so each time. */
    CHECK_FAILS(RECALLITE_CLOSED, NULL, recallite_event_cursor_next(cursor, &found, &error));
    CHECK_FAILS(RECALLITE_CLOSED, NULL, recallite_event_cursor_next(cursor, &found, &error));

    recallite_free(memory);
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "memory", recallite_stats_get(memory, &stats, &error));
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "memory", recallite_close(memory, &error));
    CHECK(!recallite_is_open(memory));
    recallite_free(memory);

    recallite_event_cursor_free(cursor);
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "cursor",
                recallite_event_cursor_next(cursor, &found, &error));
    recallite_event_cursor_free(cursor);
    /* Wild pointers and handles of another type. */
    CHECK(!recallite_is_open((recallite_memory *)(void *)cursor));
    CHECK(!recallite_is_open((recallite_memory *)(void *)&stats));
    recallite_free((recallite_memory *)(void *)&stats);
}

static void a_wrong_struct_size_is_refused(void) {
    recallite_memory *memory = open_memory("size");
    const size_t sizes[] = {0, 1, sizeof(size_t), (size_t)-1, (size_t)-8};
    recallite_new_event event = prompt("s1", "hello");
    recallite_new_event pair[2];
    recallite_tool_use tool = RECALLITE_INIT(recallite_tool_use);
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_search_result *result = NULL;
    recallite_memory *other = NULL;
    size_t index;

    query.text = text("hello");
    for (index = 0; index < sizeof(sizes) / sizeof(sizes[0]); index++) {
        event.struct_size = sizes[index];
        REFUSED("event.struct_size", recallite_append(memory, &event, NULL, &error));
        query.struct_size = sizes[index];
        REFUSED("query.struct_size", recallite_search(memory, &query, &result, &error));
        options.struct_size = sizes[index];
        REFUSED("options.struct_size",
                recallite_open_with(text(path_of("size2")), &options, &other, &error));
    }
    /* It ends within its last field. */
    options.struct_size = sizeof(options) - 1;
    REFUSED("options.struct_size",
            recallite_open_with(text(path_of("size2")), &options, &other, &error));
    /* A struct of a newer header. */
    query.struct_size = sizeof(query) + 8;
    CHECK_FAILS(RECALLITE_UNSUPPORTED, "query.struct_size",
                recallite_search(memory, &query, &result, &error));
    pair[0] = prompt("s1", "one");
    pair[1] = prompt("s1", "two");
    pair[1].struct_size = 3;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "events[1].struct_size",
                recallite_append_batch(memory, pair, 2, NULL, &error));
    event = prompt("s1", "hello");
    event.tool = &tool;
    tool.struct_size = 2;
    REFUSED("tool.struct_size", recallite_append(memory, &event, NULL, &error));
    recallite_free(memory);
}

static void numbers_without_meaning_are_refused(void) {
    recallite_memory *memory = open_memory("numbers");
    const int32_t wrong[] = {0, -1, 5, 255, 2147483647};
    recallite_new_event event;
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_event_filter filter = RECALLITE_INIT(recallite_event_filter);
    recallite_search_result *result = NULL;
    recallite_event_cursor *cursor = NULL;
    recallite_session_list *sessions = NULL;
    unsigned char two = 2;
    size_t index;

    for (index = 0; index < sizeof(wrong) / sizeof(wrong[0]); index++) {
        event = prompt("s1", "hello");
        event.kind = wrong[index];
        REFUSED("kind", recallite_append(memory, &event, NULL, &error));
    }
    event = prompt("s1", "hello");
    event.origin = 77;
    REFUSED("origin", recallite_append(memory, &event, NULL, &error));
    event = prompt("s1", "hello");
    event.dedupe = 3;
    REFUSED("dedupe", recallite_append(memory, &event, NULL, &error));
    event.dedupe = RECALLITE_DEDUPE_KEY;
    REFUSED("dedupe_key", recallite_append(memory, &event, NULL, &error));
    event.dedupe_key = text("");
    REFUSED("dedupe_key", recallite_append(memory, &event, NULL, &error));
    event.dedupe = RECALLITE_DEDUPE_CONTENT;
    event.dedupe_key = text("key");
    REFUSED("dedupe_key", recallite_append(memory, &event, NULL, &error));
    event = prompt("s1", "hello");
    event.has_timestamp = true;
    event.timestamp_ms = INT64_MAX;
    REFUSED("timestamp_ms", recallite_append(memory, &event, NULL, &error));
    /* A byte that is no boolean, as an uninitialised struct may hold it. */
    memcpy(&event.has_timestamp, &two, 1);
    REFUSED("has_timestamp", recallite_append(memory, &event, NULL, &error));

    query.text = text("hello");
    query.scope = 9;
    REFUSED("scope", recallite_search(memory, &query, &result, &error));
    query.scope = RECALLITE_SCOPE_NAMED;
    REFUSED("project", recallite_search(memory, &query, &result, &error));
    query.scope = RECALLITE_SCOPE_ALL;
    query.project = text("shop");
    REFUSED("project", recallite_search(memory, &query, &result, &error));
    query.scope = RECALLITE_SCOPE_NAMED;
    query.kinds = wrong;
    query.kinds_len = 1;
    REFUSED("kinds[0]", recallite_search(memory, &query, &result, &error));
    query.kinds = NULL;
    REFUSED("kinds", recallite_search(memory, &query, &result, &error));
    query.kinds_len = 0;
    query.text = text("  ");
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, NULL, recallite_search(memory, &query, &result, &error));
    filter.kinds = wrong;
    filter.kinds_len = 2;
    REFUSED("kinds[0]", recallite_events(memory, &filter, &cursor, &error));
    REFUSED("scope", recallite_sessions(memory, -1, ABSENT, 0, &sessions, &error));
    recallite_free(memory);
}

static void text_is_checked(void) {
    recallite_memory *memory = open_memory("text");
    recallite_new_event event = prompt("s1", "hello");
    recallite_event *found = NULL;
    recallite_timeline_item_list *timeline = NULL;
    recallite_str wanted;

    event.content = text("caf\xe9");
    REFUSED("content", recallite_append(memory, &event, NULL, &error));
    event.content = text("\xed\xa0\x80 a lone surrogate");
    REFUSED("content", recallite_append(memory, &event, NULL, &error));
    event.content = text("hello");
    event.session = text("\xff");
    REFUSED("session", recallite_append(memory, &event, NULL, &error));
    event.session = text("s1");
    event.metadata_json = text("{not json");
    REFUSED("metadata_json", recallite_append(memory, &event, NULL, &error));
    event.metadata_json = text("{\"a\":1,\"a\":2}");
    REFUSED("metadata_json", recallite_append(memory, &event, NULL, &error));
    REFUSED("events[0].metadata_json", recallite_append_batch(memory, &event, 1, NULL, &error));
    /* What the core refuses has the same name as what cannot be read. */
    event.metadata_json = text("[1]");
    REFUSED("metadata_json", recallite_append(memory, &event, NULL, &error));
    REFUSED("metadata_json", recallite_append_batch(memory, &event, 1, NULL, &error));
    event.metadata_json = ABSENT;
    event.content.len = (size_t)-1;
    REFUSED("content", recallite_append(memory, &event, NULL, &error));
    event.content.ptr = NULL;
    event.content.len = 4;
    REFUSED("content", recallite_append(memory, &event, NULL, &error));
    event.content = text("");
    REFUSED("content", recallite_append(memory, &event, NULL, &error));
    /* A name with a zero byte would be cut by whoever prints it. */
    event.content = text("hello");
    event.session.ptr = "s\0t";
    event.session.len = 3;
    REFUSED("session", recallite_append(memory, &event, NULL, &error));
    event.session = text("s1");
    /* Text that ends without a zero byte, in the middle of other text. */
    event.content = text("hello world");
    event.content.len = 5;
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    CHECK_OK(recallite_event_at(memory, 1, &found, &error));
    CHECK(is(found->content, "hello"));
    recallite_event_free(found);

    wanted = text("\xff");
    REFUSED("events[0]", recallite_timeline(memory, &wanted, 1, 1, &timeline, &error));
    wanted = text("no citation at all");
    REFUSED("events[0]", recallite_timeline(memory, &wanted, 1, 1, &timeline, &error));
    REFUSED("event", recallite_event_get(memory, wanted, &found, &error));
    REFUSED("events", recallite_timeline(memory, &wanted, (size_t)-1, 1, &timeline, &error));
    REFUSED("events", recallite_append_batch(memory, &event, (size_t)-1, NULL, &error));
    CHECK_FAILS(RECALLITE_NOT_FOUND, "event",
                recallite_event_get(memory, text("00000000-0000-7000-8000-000000000000"), &found, &error));
    CHECK_FAILS(RECALLITE_NOT_FOUND, "seq", recallite_event_at(memory, 99, &found, &error));
    CHECK_FAILS(RECALLITE_NOT_FOUND, "seq", recallite_event_at(memory, 0, &found, &error));
    recallite_free(memory);
}

/* Lengths that belong to no list: told before anything is read or reserved. */
static void a_false_length_is_refused(void) {
    recallite_memory *memory = open_memory("lengths");
    const size_t lengths[] = {(size_t)-1, (size_t)-1 / 2, (size_t)1 << 40, (size_t)1 << 32};
    recallite_new_event event = prompt("s1", "hello");
    const recallite_str one = text("mem:abcdef");
    const int32_t kind = RECALLITE_EVENT_KIND_USER_PROMPT;
    const float vector[4] = {1, 0, 0, 0};
    recallite_search_result *result = NULL;
    recallite_timeline_item_list *timeline = NULL;
    recallite_detail_list *details = NULL;
    recallite_event_cursor *cursor = NULL;
    recallite_session *session = NULL;
    uint64_t count = 0;
    size_t index;

    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    for (index = 0; index < sizeof(lengths) / sizeof(lengths[0]); index++) {
        const size_t len = lengths[index];
        recallite_query query = RECALLITE_INIT(recallite_query);
        recallite_event_filter filter = RECALLITE_INIT(recallite_event_filter);
        recallite_selector selector = RECALLITE_INIT(recallite_selector);
        recallite_session_update update = RECALLITE_INIT(recallite_session_update);
        recallite_new_event wrong = event;

        query.vector = vector;
        query.vector_len = len;
        REFUSED("vector", recallite_search(memory, &query, &result, &error));
        query.vector = NULL;
        query.vector_len = 0;
        query.text = text("hello");
        query.kinds = &kind;
        query.kinds_len = len;
        REFUSED("kinds", recallite_search(memory, &query, &result, &error));
        query.kinds_len = 1;
        query.text.len = len;
        REFUSED("text", recallite_search(memory, &query, &result, &error));
        filter.kinds = &kind;
        filter.kinds_len = len;
        REFUSED("kinds", recallite_events(memory, &filter, &cursor, &error));
        selector.ids = &one;
        selector.ids_len = len;
        REFUSED("ids", recallite_upkeep_count_selected(memory, &selector, &count, &error));
        update.has_tags = true;
        update.tags = &one;
        update.tags_len = len;
        REFUSED("tags", recallite_update_session(memory, text("s1"), &update, &session, &error));
        wrong.session.len = len;
        REFUSED("session", recallite_append(memory, &wrong, NULL, &error));
        REFUSED("events", recallite_append_batch(memory, &event, len, NULL, &error));
        REFUSED("events", recallite_timeline(memory, &one, len, 1, &timeline, &error));
        REFUSED("events", recallite_details(memory, &one, len, &details, &error));
    }
    recallite_free(memory);
}

static void a_path_that_cannot_be_a_store_is_refused(void) {
    recallite_memory *memory = NULL;
    FILE *file = fopen(path_of("a file"), "wb");
    CHECK(file != NULL);
    fclose(file);
    REFUSED(NULL, recallite_open(text(path_of("a file")), &memory, &error));
    REFUSED(NULL, recallite_open(text(""), &memory, &error));
    REFUSED("path", recallite_open(text("\xff"), &memory, &error));
    {
        const recallite_str cut = {"a\0b", 3};
        recallite_string *project = NULL;
        REFUSED("path", recallite_open(cut, &memory, &error));
        REFUSED("folder", recallite_project_of(cut, &project, &error));
    }
    CHECK(memory == NULL);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    check_folder = argv[1];
    CASE(null_is_refused_everywhere);
    CASE(freeing_null_does_nothing);
    CASE(a_closed_or_freed_handle_is_recognised);
    CASE(a_wrong_struct_size_is_refused);
    CASE(numbers_without_meaning_are_refused);
    CASE(text_is_checked);
    CASE(a_false_length_is_refused);
    CASE(a_path_that_cannot_be_a_store_is_refused);
    return check_end();
}
