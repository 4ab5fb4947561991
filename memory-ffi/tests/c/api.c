/* Every function of the header does what its comment says. */
#include "check.h"

static const int64_t NOON = 1773144000000; /* 2026-03-10T12:00:00Z */

static void the_header_and_the_library_agree(void) {
    CHECK(recallite_abi_version() == RECALLITE_ABI_VERSION);
    CHECK(strcmp(recallite_version(), RECALLITE_VERSION) == 0);
}

static void numbers_have_stable_names(void) {
    int32_t kind = -1;
    CHECK(strcmp(recallite_status_name(RECALLITE_OK), "ok") == 0);
    CHECK(strcmp(recallite_status_name(RECALLITE_NEEDS_REOPEN), "needs_reopen") == 0);
    CHECK(strcmp(recallite_status_name(12345), "unknown") == 0);
    CHECK(strcmp(recallite_event_kind_name(RECALLITE_EVENT_KIND_TOOL_OBSERVATION), "tool_observation") == 0);
    CHECK(strcmp(recallite_origin_name(RECALLITE_ORIGIN_ASSISTANT), "assistant") == 0);
    CHECK(strcmp(recallite_match_class_name(RECALLITE_MATCH_CLASS_NONE), "none") == 0);
    CHECK_OK(recallite_event_kind_from_name(text("agent_response"), &kind, &error));
    CHECK(kind == RECALLITE_EVENT_KIND_AGENT_RESPONSE);
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "kind",
                recallite_event_kind_from_name(text("nonsense"), &kind, &error));
    CHECK(kind == RECALLITE_EVENT_KIND_AGENT_RESPONSE);
}

static void an_event_comes_back_as_it_was_given(void) {
    recallite_memory *memory = open_memory("event");
    recallite_new_event event = prompt("s1", "배포는 금요일 정오에 합니다. 🚀");
    recallite_appended *receipt = NULL;
    recallite_appended *again = NULL;
    recallite_event *found = NULL;

    event.actor = text("Ada");
    event.origin = RECALLITE_ORIGIN_WEB;
    event.project = text("shop");
    event.metadata_json = text("{ \"page\": 3 }");
    event.has_timestamp = true;
    event.timestamp_ms = NOON;
    CHECK_OK(recallite_append(memory, &event, &receipt, &error));
    CHECK(receipt->seq == 1 && !receipt->duplicate && receipt->id.len == 36);
    CHECK(receipt->truncated_bytes == 0 && receipt->warnings_len == 0);

    CHECK_OK(recallite_event_get(memory, receipt->id, &found, &error));
    CHECK(is(found->content, "배포는 금요일 정오에 합니다. 🚀"));
    CHECK(is(found->session, "s1") && is(found->actor, "Ada") && is(found->project, "shop"));
    CHECK(is(found->metadata_json, "{\"page\":3}"));
    CHECK(found->kind == RECALLITE_EVENT_KIND_USER_PROMPT && found->origin == RECALLITE_ORIGIN_WEB);
    CHECK(found->timestamp_ms == NOON && found->seq == 1 && found->tool == NULL);
    CHECK(found->privacy->original_bytes >= found->content.len && found->privacy->secret_count == 0);
    CHECK(found->citation.len >= 6 && found->citation.len <= 8);
    recallite_event_free(found);

    CHECK_OK(recallite_citation(memory, receipt->citation, &found, &error));
    CHECK(is(found->id, receipt->id.ptr));
    recallite_event_free(found);
    CHECK_OK(recallite_event_at(memory, 1, &found, &error));
    CHECK(is(found->citation, receipt->citation.ptr));
    recallite_event_free(found);

    CHECK_OK(recallite_append(memory, &event, &again, &error));
    CHECK(again->duplicate && again->seq == 1 && is(again->id, receipt->id.ptr));
    recallite_appended_free(again);

    /* A moment before 1970, and one at its very beginning, are moments. */
    event = prompt("s1", "long ago");
    event.has_timestamp = true;
    event.timestamp_ms = 0;
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    CHECK_OK(recallite_event_at(memory, 2, &found, &error));
    CHECK(found->timestamp_ms == 0);
    recallite_event_free(found);

    recallite_appended_free(receipt);
    recallite_free(memory);
}

static void a_tool_call_is_kept_with_what_it_did(void) {
    recallite_memory *memory = open_memory("tool");
    recallite_tool_use tool = RECALLITE_INIT(recallite_tool_use);
    recallite_new_event event = RECALLITE_INIT(recallite_new_event);
    recallite_event *found = NULL;

    tool.name = text("Read");
    tool.input_json = text("{\"file_path\":\"/srv/shop/main.rs\"}");
    tool.output = text("fn main() {}");
    tool.has_duration_ms = true;
    tool.duration_ms = 12;
    event.kind = RECALLITE_EVENT_KIND_TOOL_OBSERVATION;
    event.session = text("s1");
    event.tool = &tool;
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    CHECK_OK(recallite_event_at(memory, 1, &found, &error));
    CHECK(found->content.len > 0);
    CHECK(found->tool != NULL);
    if (found->tool != NULL) {
        CHECK(is(found->tool->name, "Read") && is(found->tool->output, "fn main() {}"));
        CHECK(found->tool->success && found->tool->has_duration_ms && found->tool->duration_ms == 12);
        CHECK(found->tool->error.ptr == NULL && !found->tool->has_tool_index);
    }
    recallite_event_free(found);
    recallite_free(memory);
}

static void a_batch_is_stored_whole_or_not_at_all(void) {
    recallite_memory *memory = open_memory("batch");
    recallite_new_event events[3];
    recallite_appended_list *receipts = NULL;
    recallite_stats *stats = NULL;

    events[0] = prompt("s1", "one");
    events[1] = prompt("s1", "two");
    events[2] = prompt("", "three");
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "events[2].session",
                recallite_append_batch(memory, events, 3, &receipts, &error));
    CHECK(receipts == NULL);
    events[2].session = text("s2");
    events[2].kind = 9999;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "events[2].kind",
                recallite_append_batch(memory, events, 3, &receipts, &error));
    events[2].kind = RECALLITE_EVENT_KIND_AGENT_RESPONSE;
    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    CHECK(stats->events == 0 && !stats->has_oldest && !stats->has_last_append);
    recallite_stats_free(stats);

    CHECK_OK(recallite_append_batch(memory, events, 3, &receipts, &error));
    CHECK(receipts->len == 3 && receipts->items[0]->seq == 1 && receipts->items[2]->seq == 3);
    recallite_appended_list_free(receipts);
    CHECK_OK(recallite_append_batch(memory, NULL, 0, &receipts, &error));
    CHECK(receipts->len == 0);
    recallite_appended_list_free(receipts);
    CHECK_OK(recallite_append_batch(memory, events, 3, NULL, &error));

    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    CHECK(stats->prompts == 2 && stats->responses == 1 && stats->sessions == 2);
    CHECK(stats->last_seq == 3 && stats->has_oldest && stats->has_last_append);
    CHECK(stats->size_bytes > 0 && stats->newest_ms >= stats->oldest_ms);
    recallite_stats_free(stats);
    recallite_free(memory);
}

static void a_search_finds_what_was_said(void) {
    recallite_memory *memory = open_memory("search");
    recallite_new_event events[3];
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_search_result *result = NULL;
    const int32_t responses[] = {RECALLITE_EVENT_KIND_AGENT_RESPONSE};

    events[0] = prompt("s1", "결제 타임아웃은 15초입니다.");
    events[1] = prompt("s1", "The invoice font is Inter.");
    events[2] = prompt("s2", "The invoice goes to accounting.");
    events[2].kind = RECALLITE_EVENT_KIND_AGENT_RESPONSE;
    CHECK_OK(recallite_append_batch(memory, events, 3, NULL, &error));

    query.text = text("결제 타임아웃은 몇 초?");
    query.limit = 1;
    CHECK_OK(recallite_search(memory, &query, &result, &error));
    CHECK(result->len == 1 && result->total_matches >= 1 && !result->degraded);
    CHECK(is(result->items[0]->passage->text, "결제 타임아웃은 15초입니다."));
    CHECK(result->items[0]->passage->end - result->items[0]->passage->start
          == result->items[0]->passage->text.len);
    CHECK(result->items[0]->relevance >= 0 && result->items[0]->relevance <= 1);
    recallite_search_result_free(result);

    query.text = text("invoice");
    query.limit = 0;
    query.kinds = responses;
    query.kinds_len = 1;
    CHECK_OK(recallite_search(memory, &query, &result, &error));
    CHECK(result->len == 1 && is(result->items[0]->session, "s2"));
    recallite_search_result_free(result);

    query.session = text("s1");
    CHECK_OK(recallite_search(memory, &query, &result, &error));
    CHECK(result->len == 0 && result->confidence == RECALLITE_MATCH_CLASS_NONE);
    recallite_search_result_free(result);
    recallite_free(memory);
}

static void layers_show_what_stands_around_an_event(void) {
    recallite_memory *memory = open_memory("layers");
    recallite_new_event events[3];
    recallite_appended_list *receipts = NULL;
    recallite_timeline_item_list *timeline = NULL;
    recallite_detail_list *details = NULL;
    recallite_str wanted[2];
    size_t index;

    events[0] = prompt("s1", "Which port does the server use?");
    events[1] = prompt("s1", "It uses port 8080, see /srv/main.rs.\n```\nbind(8080)\n```");
    events[1].kind = RECALLITE_EVENT_KIND_AGENT_RESPONSE;
    events[2] = prompt("s1", "Thanks.");
    for (index = 0; index < 3; index++) {
        events[index].has_timestamp = true;
        events[index].timestamp_ms = NOON + (int64_t)index * 1000;
    }
    CHECK_OK(recallite_append_batch(memory, events, 3, &receipts, &error));
    wanted[0] = receipts->items[1]->citation;
    wanted[1] = receipts->items[0]->id;

    CHECK_OK(recallite_timeline(memory, wanted, 1, 1, &timeline, &error));
    CHECK(timeline->len == 3);
    CHECK(timeline->items[1]->is_target && !timeline->items[0]->is_target);
    CHECK(is(timeline->items[2]->preview, "Thanks."));
    recallite_timeline_item_list_free(timeline);
    CHECK_OK(recallite_timeline(memory, NULL, 0, 1, &timeline, &error));
    CHECK(timeline->len == 0);
    recallite_timeline_item_list_free(timeline);
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "window",
                recallite_timeline(memory, wanted, 1, 5000, &timeline, &error));

    CHECK_OK(recallite_details(memory, wanted, 2, &details, &error));
    CHECK(details->len == 2 && details->items[0]->has_code && !details->items[1]->has_code);
    CHECK(is(details->items[0]->event->id, receipts->items[1]->id.ptr));
    CHECK(is(details->items[0]->relations->parent, receipts->items[0]->id.ptr));
    CHECK(is(details->items[0]->relations->next, receipts->items[2]->id.ptr));
    CHECK(details->items[1]->relations->previous.ptr == NULL && details->items[1]->relations->children_len == 1);
    CHECK(details->items[0]->token_count > 0 && details->items[0]->tools_len == 0);
    CHECK(details->items[0]->files_len == 1 && is(details->items[0]->files[0], "/srv/main.rs"));
    recallite_detail_list_free(details);
    wanted[1] = text("mem:zzzzzz");
    CHECK_FAILS(RECALLITE_NOT_FOUND, "events[1]",
                recallite_details(memory, wanted, 2, &details, &error));
    recallite_appended_list_free(receipts);
    recallite_free(memory);
}

/* What a visitor saw; it ends the visit after the event `most`, when that is set. */
typedef struct {
    int count;
    int most;
    size_t bytes;
    uint64_t last;
} adding;

static int32_t add_up(const recallite_event *event, void *user_data) {
    adding *sum = user_data;
    sum->count++;
    sum->bytes += event->content.len;
    sum->last = event->seq;
    CHECK(event->kind == RECALLITE_EVENT_KIND_USER_PROMPT && event->id.len == 36);
    CHECK(event->canonical_key.ptr == NULL && event->tool == NULL);
    CHECK(event->privacy->filtered_bytes == event->content.len);
    return sum->count == sum->most;
}

/* Two visits of one event, one within the other, and where each saw its texts. */
typedef struct {
    recallite_memory *memory;
    recallite_str id;
    int depth;
    const char *content[2];
    const char *output[2];
} nesting;

static int32_t visit_again(const recallite_event *event, void *user_data) {
    nesting *visits = user_data;
    const int depth = visits->depth++;
    visits->content[depth] = event->content.ptr;
    visits->output[depth] = event->tool->output.ptr;
    if (depth == 0) {
        CHECK_OK(recallite_event_visit(visits->memory, visits->id, visit_again, visits, &error));
        /* What the outer visit was given is still there. */
        CHECK(event->content.len == 100000 && event->content.ptr[99999] == 'x');
    }
    return 0;
}

/* A copy of a text would lie elsewhere for each visit. */
static void a_visit_copies_no_text(void) {
    static char content[100001], output[9001];
    recallite_memory *memory = NULL;
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_tool_limits limits = RECALLITE_INIT(recallite_tool_limits);
    recallite_new_event event = RECALLITE_INIT(recallite_new_event);
    recallite_tool_use tool = RECALLITE_INIT(recallite_tool_use);
    recallite_appended *receipt = NULL;
    nesting visits;

    limits.keep_whole_output = true;
    options.tool_limits = &limits;
    CHECK_OK(recallite_open_with(text(path_of("uncopied")), &options, &memory, &error));
    memset(content, 'x', sizeof(content) - 1);
    memset(output, 'y', sizeof(output) - 1);
    tool.name = text("Bash");
    tool.output = text(output);
    event.kind = RECALLITE_EVENT_KIND_TOOL_OBSERVATION;
    event.session = text("s1");
    event.content = text(content);
    event.tool = &tool;
    CHECK_OK(recallite_append(memory, &event, &receipt, &error));
    memset(&visits, 0, sizeof(visits));
    visits.memory = memory;
    visits.id = receipt->id;
    CHECK_OK(recallite_event_visit(memory, visits.id, visit_again, &visits, &error));
    CHECK(visits.depth == 2);
    CHECK(visits.content[0] != NULL && visits.content[0] == visits.content[1]);
    CHECK(visits.output[0] != NULL && visits.output[0] == visits.output[1]);
    recallite_appended_free(receipt);
    recallite_free(memory);
}

static void cursors_and_changes_give_events_in_order(void) {
    recallite_memory *memory = open_memory("cursor");
    recallite_event_filter filter = RECALLITE_INIT(recallite_event_filter);
    recallite_event_cursor *cursor = NULL;
    recallite_event_list *changes = NULL;
    recallite_event *event = NULL;
    recallite_new_event new_event;
    uint64_t visited = 0, count = 0;
    adding visit;
    char content[32];
    int index;

    for (index = 0; index < 5; index++) {
        snprintf(content, sizeof(content), "number %d", index);
        new_event = prompt(index % 2 == 0 ? "even" : "odd", content);
        new_event.has_timestamp = true;
        new_event.timestamp_ms = NOON + index;
        CHECK_OK(recallite_append(memory, &new_event, NULL, &error));
    }
    CHECK_OK(recallite_events(memory, NULL, &cursor, &error));
    for (index = 0; index < 5; index++) {
        CHECK_OK(recallite_event_cursor_next(cursor, &event, &error));
        CHECK(event != NULL && event->seq == (uint64_t)index + 1);
        recallite_event_free(event);
    }
    CHECK_OK(recallite_event_cursor_next(cursor, &event, &error));
    CHECK(event == NULL);
    recallite_event_cursor_free(cursor);

    filter.session = text("even");
    filter.newest_first = true;
    filter.has_until = true;
    filter.until_ms = NOON + 4;
    filter.limit = 1;
    CHECK_OK(recallite_events(memory, &filter, &cursor, &error));
    CHECK_OK(recallite_event_cursor_next(cursor, &event, &error));
    CHECK(event != NULL && is(event->content, "number 2"));
    recallite_event_free(event);
    CHECK_OK(recallite_event_cursor_next(cursor, &event, &error));
    CHECK(event == NULL);
    recallite_event_cursor_free(cursor);
    CHECK_OK(recallite_count_events(memory, NULL, &count, &error));
    CHECK(count == 5);
    filter.limit = 0;
    CHECK_OK(recallite_count_events(memory, &filter, &count, &error));
    CHECK(count == 2);
    filter.offset = 1;
    CHECK_OK(recallite_count_events(memory, &filter, &count, &error));
    CHECK(count == 1);
    CHECK_OK(recallite_events(memory, &filter, &cursor, &error));
    CHECK_OK(recallite_event_cursor_next(cursor, &event, &error));
    CHECK(event != NULL && is(event->content, "number 0"));
    recallite_event_free(event);
    CHECK_OK(recallite_event_cursor_next(cursor, &event, &error));
    CHECK(event == NULL);
    recallite_event_cursor_free(cursor);

    memset(&visit, 0, sizeof(visit));
    CHECK_OK(recallite_events_visit(memory, NULL, add_up, &visit, &visited, &error));
    CHECK(visited == 5 && visit.count == 5 && visit.bytes == 5 * strlen("number 0"));
    visit.most = 7;
    CHECK_OK(recallite_events_visit(memory, NULL, add_up, &visit, NULL, &error));
    CHECK(visit.count == 7 && visit.last == 2);
    CHECK_OK(recallite_events(memory, NULL, &cursor, &error));
    CHECK_OK(recallite_event_cursor_next(cursor, &event, &error));
    recallite_event_cursor_free(cursor);
    CHECK_OK(recallite_event_visit(memory, event->citation, add_up, &visit, &error));
    CHECK(visit.count == 8 && visit.last == 1);
    recallite_event_free(event);
    CHECK_FAILS(RECALLITE_NOT_FOUND, "event",
                recallite_event_visit(memory, text("mem:zzzzzz"), add_up, &visit, &error));
    CHECK(visit.count == 8);

    CHECK_OK(recallite_changes_since(memory, 3, 10, &changes, &error));
    CHECK(changes->len == 2 && changes->items[0]->seq == 4);
    recallite_event_list_free(changes);

    CHECK_OK(recallite_close(memory, &error));
    recallite_event_cursor_free(cursor);
    recallite_free(memory);
}

/* How many events a cursor gives that was stepped once before `session` went. */
static int left_after(recallite_memory *memory, const char *session, bool is_erased) {
    recallite_selector selector = RECALLITE_INIT(recallite_selector);
    recallite_event_cursor *cursor = NULL;
    recallite_event *event = NULL;
    int count = 0;

    selector.session = text(session);
    CHECK_OK(recallite_events(memory, NULL, &cursor, &error));
    CHECK_OK(recallite_event_cursor_next(cursor, &event, &error));
    recallite_event_free(event);
    if (is_erased) {
        CHECK_OK(recallite_erase(memory, &selector, NULL, &error));
    } else {
        CHECK_OK(recallite_forget(memory, &selector, NULL, &error));
    }
    for (;;) {
        CHECK_OK(recallite_event_cursor_next(cursor, &event, &error));
        if (event == NULL) {
            break;
        }
        CHECK(!is(event->session, session));
        recallite_event_free(event);
        count++;
    }
    recallite_event_cursor_free(cursor);
    return count;
}

static void a_cursor_gives_nothing_that_was_forgotten_or_erased(void) {
    const char *sessions[] = {"forgotten", "erased", "kept"};
    recallite_memory *memory = open_memory("ahead");
    recallite_new_event new_event;
    char content[32];
    int index;

    for (index = 0; index < 60; index++) {
        snprintf(content, sizeof(content), "number %d", index);
        new_event = prompt(sessions[index / 20], content);
        new_event.has_timestamp = true;
        new_event.timestamp_ms = NOON + index;
        CHECK_OK(recallite_append(memory, &new_event, NULL, &error));
    }
    CHECK(left_after(memory, "forgotten", false) == 40);
    CHECK(left_after(memory, "erased", true) == 20);
    CHECK_OK(recallite_close(memory, &error));
    recallite_free(memory);
}

static void sessions_can_be_named_and_ended(void) {
    recallite_memory *memory = open_memory("sessions");
    recallite_new_event event = prompt("s1", "hello");
    recallite_session_update update = RECALLITE_INIT(recallite_session_update);
    recallite_session_list *sessions = NULL;
    recallite_session *session = NULL;
    recallite_str tags[2];
    const recallite_str absent = {NULL, 0};

    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    tags[0] = text("배포");
    tags[1] = text("deploy");
    update.summary = text("A greeting.");
    update.has_tags = true;
    update.tags = tags;
    update.tags_len = 2;
    update.has_ended = true;
    update.ended_ms = NOON;
    CHECK_OK(recallite_update_session(memory, text("s1"), &update, &session, &error));
    CHECK(is(session->summary, "A greeting.") && session->tags_len == 2);
    CHECK(is(session->tags[0], "배포") && session->has_ended && session->ended_ms == NOON);
    CHECK(session->prompts == 1);
    recallite_session_free(session);
    CHECK_OK(recallite_session_get(memory, text("s1"), &session, &error));
    CHECK(is(session->id, "s1"));
    recallite_session_free(session);
    CHECK_OK(recallite_sessions(memory, RECALLITE_SCOPE_ALL, absent, 0, &sessions, &error));
    CHECK(sessions->len == 1);
    recallite_session_list_free(sessions);
    event = prompt("s2", "later");
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    CHECK_OK(recallite_sessions(memory, RECALLITE_SCOPE_ALL, absent, 1, &sessions, &error));
    CHECK(sessions->len == 1);
    recallite_session_list_free(sessions);
    CHECK_OK(recallite_sessions(memory, RECALLITE_SCOPE_NAMED, text("other"), 0, &sessions, &error));
    CHECK(sessions->len == 0);
    recallite_session_list_free(sessions);
    CHECK_FAILS(RECALLITE_NOT_FOUND, "id",
                recallite_session_get(memory, text("nobody"), &session, &error));
    recallite_free(memory);
}

static void options_decide_how_a_store_is_opened(void) {
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_memory *memory = NULL;
    recallite_str view;
    const char *path = path_of("options");

    options.must_exist = true;
    CHECK_FAILS(RECALLITE_NOT_FOUND, NULL,
                recallite_open_with(text(path), &options, &memory, &error));
    CHECK(memory == NULL);
    options.must_exist = false;
    options.project = text("shop");
    options.busy_timeout_ms = 100;
    options.cache_bytes = 4 << 20;
    CHECK_OK(recallite_open_with(text(path), &options, &memory, &error));
    CHECK(recallite_is_open(memory));
    CHECK_OK(recallite_project(memory, &view, &error));
    CHECK(is(view, "shop"));
    CHECK_OK(recallite_path(memory, &view, &error));
    CHECK(view.len > 0 && strstr(view.ptr, "options") != NULL);
    CHECK_OK(recallite_close(memory, &error));
    CHECK(!recallite_is_open(memory));
    CHECK_OK(recallite_close(memory, &error));
    recallite_free(memory);
}

static void folders_have_a_project(void) {
    recallite_string *name = NULL;
    CHECK_OK(recallite_project_of(text(check_folder), &name, &error));
    CHECK(name->text.len > 0 && name->text.ptr[0] == '/');
    recallite_string_free(name);
    CHECK_OK(recallite_default_store_path(&name, &error));
    CHECK(strstr(name->text.ptr, "recallite") != NULL);
    recallite_string_free(name);
    CHECK_FAILS(RECALLITE_NOT_FOUND, "folder",
                recallite_project_of(text(path_of("missing")), &name, &error));
}

static const char *const TRANSCRIPT =
    "{\"type\":\"user\",\"uuid\":\"u1\",\"sessionId\":\"t1\",\"timestamp\":\"2026-03-10T12:00:00.000Z\","
    "\"cwd\":\"/srv/shop\",\"message\":{\"role\":\"user\",\"content\":\"Which port?\"}}\n"
    "{\"type\":\"assistant\",\"uuid\":\"a1\",\"sessionId\":\"t1\",\"timestamp\":\"2026-03-10T12:00:05.000Z\","
    "\"cwd\":\"/srv/shop\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"8080.\"}]}}\n"
    "this line is half";

/* Counts calls, and writes to the memory from inside the import. */
struct watcher {
    recallite_memory *memory;
    int calls;
    int answer;
};

static int32_t watch(const recallite_import_progress *progress, void *user_data) {
    struct watcher *watcher = (struct watcher *)user_data;
    recallite_new_event event = prompt("callback", "said during an import");
    watcher->calls++;
    CHECK(progress->files_total == 1 && progress->bytes_total > 0);
    CHECK_OK(recallite_append(watcher->memory, &event, NULL, &error));
    return watcher->answer;
}

static void transcripts_are_imported_once(void) {
    recallite_memory *memory = open_memory("import");
    recallite_import_options options = RECALLITE_INIT(recallite_import_options);
    recallite_import_report *report = NULL;
    struct watcher watcher;
    char path[4096];
    FILE *file;

    strcpy(path, path_of("t1.jsonl"));
    file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK(fwrite(TRANSCRIPT, 1, strlen(TRANSCRIPT), file) == strlen(TRANSCRIPT));
    fclose(file);
    watcher.memory = memory;
    watcher.calls = 0;
    watcher.answer = 0;

    CHECK_OK(recallite_import_claude_code(memory, text(path), &options, watch, &watcher, &report, &error));
    CHECK(report->files == 1 && report->counters->imported_prompts == 1 && report->counters->imported_responses == 1);
    CHECK(report->counters->errors == 1 && report->failed_files_len == 0 && report->refused_len == 0);
    CHECK(watcher.calls > 0);
    recallite_import_report_free(report);

    CHECK_OK(recallite_import_claude_code(memory, text(path), NULL, NULL, NULL, &report, &error));
    CHECK(report->counters->imported_prompts == 0 && report->counters->skipped_duplicates == 2);
    recallite_import_report_free(report);

    /* A callback that says no ends the import, which is no failure. */
    watcher.answer = 1;
    watcher.calls = 0;
    CHECK_OK(recallite_import_claude_code(memory, text(path), NULL, watch, &watcher, NULL, &error));
    CHECK(watcher.calls == 1);
    CHECK_FAILS(RECALLITE_NOT_FOUND, NULL,
                recallite_import_claude_code(memory, text(path_of("none")), NULL, NULL, NULL, &report, &error));
    recallite_free(memory);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    check_folder = argv[1];
    CASE(the_header_and_the_library_agree);
    CASE(numbers_have_stable_names);
    CASE(an_event_comes_back_as_it_was_given);
    CASE(a_tool_call_is_kept_with_what_it_did);
    CASE(a_batch_is_stored_whole_or_not_at_all);
    CASE(a_search_finds_what_was_said);
    CASE(layers_show_what_stands_around_an_event);
    CASE(a_visit_copies_no_text);
    CASE(cursors_and_changes_give_events_in_order);
    CASE(a_cursor_gives_nothing_that_was_forgotten_or_erased);
    CASE(sessions_can_be_named_and_ended);
    CASE(options_decide_how_a_store_is_opened);
    CASE(folders_have_a_project);
    CASE(transcripts_are_imported_once);
    return check_end();
}
