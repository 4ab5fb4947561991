/* Options, recall and upkeep refuse what makes no sense, naming it. */
#include "check.h"

#include <math.h>

static const recallite_str ABSENT = {NULL, 0};

/* A marker that no call may replace when it fails. */
#define UNTOUCHED(type) ((type *)(void *)&check_cases)
#define REFUSED(argument, call) CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, argument, call)

static int32_t write_nothing(const uint8_t *bytes, size_t len, void *user_data) {
    (void)bytes;
    (void)len;
    (void)user_data;
    return 0;
}

static int32_t read_nothing(uint8_t *buffer, size_t capacity, size_t *len, void *user_data) {
    (void)buffer;
    (void)capacity;
    (void)len;
    (void)user_data;
    return 0;
}

static int32_t embed_nothing(const recallite_str *texts, size_t texts_len, float *vectors,
                             recallite_problem *problem, void *user_data) {
    (void)texts;
    (void)texts_len;
    (void)vectors;
    (void)problem;
    (void)user_data;
    return 0;
}

static void null_is_refused_everywhere(void) {
    recallite_memory *memory = open_memory("null");
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_selector selector = RECALLITE_INIT(recallite_selector);
    recallite_str one = text("mem:abcdef");
    recallite_str path = text("/no/such/file");
    recallite_smart_search_result *smart = UNTOUCHED(recallite_smart_search_result);
    recallite_context *context = UNTOUCHED(recallite_context);
    recallite_citation_detail *detail = UNTOUCHED(recallite_citation_detail);
    recallite_popular_citation_list *popular = UNTOUCHED(recallite_popular_citation_list);
    recallite_string_list *strings = UNTOUCHED(recallite_string_list);
    recallite_forgotten *forgotten = UNTOUCHED(recallite_forgotten);
    recallite_erased *erased = UNTOUCHED(recallite_erased);
    recallite_exported *exported = UNTOUCHED(recallite_exported);
    recallite_imported *imported = UNTOUCHED(recallite_imported);
    recallite_maintained *maintained = UNTOUCHED(recallite_maintained);
    recallite_processed *processed = UNTOUCHED(recallite_processed);
    recallite_check_report *report = UNTOUCHED(recallite_check_report);
    recallite_rebuilt *rebuilt = UNTOUCHED(recallite_rebuilt);
    recallite_compacted *compacted = UNTOUCHED(recallite_compacted);
    recallite_upgraded *upgraded = UNTOUCHED(recallite_upgraded);
    recallite_string *string = UNTOUCHED(recallite_string);
    uint64_t number = 77;
    size_t size = 77;

    query.text = text("hello");
    selector.everything = true;
    REFUSED("memory", recallite_smart_search(NULL, &query, NULL, &smart, &error));
    REFUSED("query", recallite_smart_search(memory, NULL, NULL, &smart, &error));
    REFUSED("result", recallite_smart_search(memory, &query, NULL, NULL, &error));
    REFUSED("memory", recallite_context_get(NULL, &query, NULL, &context, &error));
    REFUSED("query", recallite_context_get(memory, NULL, NULL, &context, &error));
    REFUSED("result", recallite_context_get(memory, &query, NULL, NULL, &error));
    REFUSED("memory", recallite_citations_detail(NULL, one, &detail, &error));
    REFUSED("event", recallite_citations_detail(memory, ABSENT, &detail, &error));
    REFUSED("result", recallite_citations_detail(memory, one, NULL, &error));
    REFUSED("memory", recallite_citations_popular(NULL, 1, 0, &popular, &error));
    REFUSED("result", recallite_citations_popular(memory, 1, 0, NULL, &error));
    REFUSED("memory", recallite_citations_citing_sessions(NULL, one, 0, &strings, &error));
    REFUSED("event", recallite_citations_citing_sessions(memory, ABSENT, 0, &strings, &error));
    REFUSED("result", recallite_citations_citing_sessions(memory, one, 0, NULL, &error));
    REFUSED("memory", recallite_upkeep_count_selected(NULL, &selector, &number, &error));
    REFUSED("selector", recallite_upkeep_count_selected(memory, NULL, &number, &error));
    REFUSED("result", recallite_upkeep_count_selected(memory, &selector, NULL, &error));
    REFUSED("memory", recallite_upkeep_count_erasable(NULL, &selector, &number, &error));
    REFUSED("selector", recallite_upkeep_count_erasable(memory, NULL, &number, &error));
    REFUSED("result", recallite_upkeep_count_erasable(memory, &selector, NULL, &error));
    REFUSED("memory", recallite_forget(NULL, &selector, &forgotten, &error));
    REFUSED("selector", recallite_forget(memory, NULL, &forgotten, &error));
    REFUSED("memory", recallite_upkeep_apply_retention(NULL, &forgotten, &error));
    REFUSED("memory", recallite_erase(NULL, &selector, &erased, &error));
    REFUSED("selector", recallite_erase(memory, NULL, &erased, &error));
    REFUSED("memory", recallite_export_jsonl(NULL, path, NULL, false, &exported, &error));
    REFUSED("path", recallite_export_jsonl(memory, ABSENT, NULL, false, &exported, &error));
    REFUSED("memory", recallite_upkeep_export_jsonl_to(NULL, write_nothing, NULL, NULL, &exported, &error));
    REFUSED("write", recallite_upkeep_export_jsonl_to(memory, NULL, NULL, NULL, &exported, &error));
    REFUSED("memory", recallite_restore_jsonl(NULL, path, &number, &error));
    REFUSED("path", recallite_restore_jsonl(memory, ABSENT, &number, &error));
    REFUSED("memory", recallite_upkeep_restore_jsonl_from(NULL, read_nothing, NULL, &number, &error));
    REFUSED("read", recallite_upkeep_restore_jsonl_from(memory, NULL, NULL, &number, &error));
    REFUSED("memory", recallite_import_jsonl(NULL, path, &imported, &error));
    REFUSED("path", recallite_import_jsonl(memory, ABSENT, &imported, &error));
    REFUSED("memory", recallite_upkeep_import_jsonl_from(NULL, read_nothing, NULL, &imported, &error));
    REFUSED("read", recallite_upkeep_import_jsonl_from(memory, NULL, NULL, &imported, &error));
    /* A reader that ends at once is an export without a header. */
    REFUSED("read", recallite_upkeep_import_jsonl_from(memory, read_nothing, NULL, &imported, &error));
    REFUSED("memory", recallite_backup(NULL, path, &number, &error));
    REFUSED("path", recallite_backup(memory, ABSENT, &number, &error));
    REFUSED("memory", recallite_maintain(NULL, NULL, &maintained, &error));
    REFUSED("memory", recallite_process_outbox(NULL, 1, &processed, &error));
    REFUSED("memory", recallite_upkeep_retry_outbox(NULL, 1, &size, &error));
    REFUSED("result", recallite_upkeep_retry_outbox(memory, 1, NULL, &error));
    REFUSED("memory", recallite_check(NULL, &report, &error));
    REFUSED("result", recallite_check(memory, NULL, &error));
    REFUSED("memory", recallite_rebuild(NULL, 0, &rebuilt, &error));
    REFUSED("memory", recallite_upkeep_state_hash(NULL, 0, &string, &error));
    REFUSED("result", recallite_upkeep_state_hash(memory, 0, NULL, &error));
    REFUSED("memory", recallite_compact(NULL, &compacted, &error));
    REFUSED("memory", recallite_wait_for_change(NULL, 0, 0, &number, &error));
    REFUSED("result", recallite_wait_for_change(memory, 0, 0, NULL, &error));
    REFUSED("memory", recallite_upkeep_upgrade(NULL, &upgraded, &error));
    CHECK(recallite_event_kinds(NULL) == NULL);
    CHECK(recallite_context_get(memory, NULL, NULL, NULL, NULL) == RECALLITE_INVALID_ARGUMENT);

    CHECK(smart == UNTOUCHED(recallite_smart_search_result) && context == UNTOUCHED(recallite_context));
    CHECK(detail == UNTOUCHED(recallite_citation_detail) && strings == UNTOUCHED(recallite_string_list));
    CHECK(popular == UNTOUCHED(recallite_popular_citation_list) && erased == UNTOUCHED(recallite_erased));
    CHECK(forgotten == UNTOUCHED(recallite_forgotten) && exported == UNTOUCHED(recallite_exported));
    CHECK(imported == UNTOUCHED(recallite_imported) && maintained == UNTOUCHED(recallite_maintained));
    CHECK(processed == UNTOUCHED(recallite_processed) && report == UNTOUCHED(recallite_check_report));
    CHECK(rebuilt == UNTOUCHED(recallite_rebuilt) && compacted == UNTOUCHED(recallite_compacted));
    CHECK(upgraded == UNTOUCHED(recallite_upgraded) && string == UNTOUCHED(recallite_string));
    CHECK(number == 77 && size == 77);
    recallite_free(memory);
}

static void freeing_null_does_nothing(void) {
    recallite_string_list_free(NULL);
    recallite_smart_search_result_free(NULL);
    recallite_context_free(NULL);
    recallite_citation_detail_free(NULL);
    recallite_popular_citation_list_free(NULL);
    recallite_forgotten_free(NULL);
    recallite_erased_free(NULL);
    recallite_exported_free(NULL);
    recallite_imported_free(NULL);
    recallite_maintained_free(NULL);
    recallite_processed_free(NULL);
    recallite_check_report_free(NULL);
    recallite_rebuilt_free(NULL);
    recallite_compacted_free(NULL);
    recallite_upgraded_free(NULL);
}

/* A byte that is no boolean, as an uninitialised struct may hold it. */
#define SPOIL(field) memset(&(field), 2, 1)

static void opening_checks_every_option(void) {
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_privacy_config privacy = RECALLITE_INIT(recallite_privacy_config);
    recallite_tool_limits limits = RECALLITE_INIT(recallite_tool_limits);
    recallite_recall_weights weights = RECALLITE_INIT(recallite_recall_weights);
    recallite_embedder embedder = RECALLITE_INIT(recallite_embedder);
    recallite_logger logger = RECALLITE_INIT(recallite_logger);
    recallite_fastembed_options fastembed = RECALLITE_INIT(recallite_fastembed_options);
    recallite_retention retention[2];
    const int32_t formats[] = {RECALLITE_TAG_FORMAT_XML, 9};
    recallite_str words[2];
    recallite_memory *memory = UNTOUCHED(recallite_memory);

#define OPEN() recallite_open_with(text(path_of("options")), &options, &memory, &error)
    SPOIL(options.skip_recall_cache);
    REFUSED("skip_recall_cache", OPEN());
    options.skip_recall_cache = false;

    retention[0].kind = RECALLITE_EVENT_KIND_USER_PROMPT;
    retention[0].ms = 1;
    retention[1].kind = 5;
    retention[1].ms = 1;
    options.retention_ms = retention;
    options.retention_ms_len = 2;
    REFUSED("retention_ms[1].kind", OPEN());
    options.retention_ms_len = (size_t)-1;
    REFUSED("retention_ms", OPEN());
    options.retention_ms = NULL;
    options.retention_ms_len = 1;
    REFUSED("retention_ms", OPEN());
    options.retention_ms_len = 0;

    options.privacy = &privacy;
    privacy.struct_size = 3;
    REFUSED("privacy.struct_size", OPEN());
    privacy.struct_size = sizeof(privacy);
    words[0] = text("fine");
    words[1] = text("\xff");
    privacy.exclude_patterns = words;
    privacy.exclude_patterns_len = 2;
    REFUSED("privacy.exclude_patterns[1]", OPEN());
    words[1] = ABSENT;
    REFUSED("privacy.exclude_patterns[1]", OPEN());
    words[1] = text("(unclosed");
    REFUSED("privacy.exclude_patterns[1]", OPEN());
    privacy.exclude_patterns = NULL;
    REFUSED("privacy.exclude_patterns", OPEN());
    privacy.exclude_patterns_len = 0;
    privacy.auto_detect_patterns = words;
    privacy.auto_detect_patterns_len = 2;
    REFUSED("privacy.auto_detect_patterns[1]", OPEN());
    privacy.auto_detect_patterns_len = 0;
    privacy.formats = formats;
    privacy.formats_len = 2;
    REFUSED("privacy.formats[1]", OPEN());
    privacy.formats_len = 1;
    privacy.marker = -1;
    REFUSED("privacy.marker", OPEN());
    privacy.marker = RECALLITE_MARKER_EMPTY;
    SPOIL(privacy.skip_private_tags);
    REFUSED("privacy.skip_private_tags", OPEN());
    privacy.skip_private_tags = false;
    SPOIL(privacy.preserve_line_count);
    REFUSED("privacy.preserve_line_count", OPEN());
    privacy.preserve_line_count = false;
    SPOIL(privacy.skip_auto_detect);
    REFUSED("privacy.skip_auto_detect", OPEN());
    privacy.skip_auto_detect = false;
    SPOIL(privacy.skip_code_aware);
    REFUSED("privacy.skip_code_aware", OPEN());
    privacy.skip_code_aware = false;
    SPOIL(privacy.anonymize);
    REFUSED("privacy.anonymize", OPEN());
    options.privacy = NULL;

    options.tool_limits = &limits;
    limits.struct_size = 1;
    REFUSED("tool_limits.struct_size", OPEN());
    limits.struct_size = sizeof(limits);
    SPOIL(limits.keep_whole_output);
    REFUSED("tool_limits.keep_whole_output", OPEN());
    options.tool_limits = NULL;

    REFUSED("weights", recallite_recall_weights_default(NULL, &error));
    weights.struct_size = 0;
    REFUSED("weights.struct_size", recallite_recall_weights_default(&weights, &error));
    weights.struct_size = sizeof(weights) - 8;
    REFUSED("weights.struct_size", recallite_recall_weights_default(&weights, &error));
    weights.struct_size = sizeof(weights) + 8;
    CHECK_FAILS(RECALLITE_UNSUPPORTED, "weights.struct_size",
                recallite_recall_weights_default(&weights, &error));
    options.recall_weights = &weights;
    CHECK_FAILS(RECALLITE_UNSUPPORTED, "recall_weights.struct_size", OPEN());
    weights.struct_size = 3;
    REFUSED("recall_weights.struct_size", OPEN());
    weights.struct_size = sizeof(weights);
    CHECK_OK(recallite_recall_weights_default(&weights, &error));
    weights.date = NAN;
    REFUSED("recall_weights.date", OPEN());
    weights.date = -0.5f;
    REFUSED("recall_weights.date", OPEN());
    weights.date = INFINITY;
    REFUSED("recall_weights.date", OPEN());
    weights.date = 0.5f;
    weights.contested_demotion = 1.5f;
    REFUSED("recall_weights.contested_demotion", OPEN());
    options.recall_weights = (const recallite_recall_weights *)((const char *)&weights + 1);
    REFUSED("recall_weights", OPEN());
    options.recall_weights = NULL;

    options.settings = text("\xff");
    REFUSED("settings", OPEN());
    options.settings = text("{\"retrieval\": {\"topk\": 3}}");
    REFUSED("retrieval.topk", OPEN());
    options.settings = text("{\"embedding\": {\"provider\": \"openai\"}}");
    REFUSED("embedding.provider", OPEN());
    options.settings = text(NULL);
    options.settings_file = text("/no/such/settings.json");
    CHECK_FAILS(RECALLITE_NOT_FOUND, "settings_file", OPEN());
    options.settings_file = text(NULL);

    options.log_level = 99;
    REFUSED("log_level", OPEN());
    options.log_level = RECALLITE_LOG_LEVEL_UNSET;
    options.on_log = &logger;
    REFUSED("on_log.log", OPEN());
    logger.struct_size = sizeof(logger) - 1;
    REFUSED("on_log.struct_size", OPEN());
    options.on_log = NULL;

    options.embedder = &embedder;
    REFUSED("embedder.id", OPEN());
    embedder.id = text("\xff");
    REFUSED("embedder.id", OPEN());
    embedder.id = text("one");
    REFUSED("embedder.embed", OPEN());
    embedder.embed = embed_nothing;
    REFUSED("embedder.dimensions", OPEN());
    embedder.dimensions = 16385;
    REFUSED("embedder.dimensions", OPEN());
    embedder.dimensions = 2;
    embedder.struct_size = sizeof(embedder) - 1;
    REFUSED("embedder.struct_size", OPEN());
    embedder.struct_size = sizeof(embedder);
    options.fastembed = &fastembed;
    REFUSED("fastembed", OPEN());
    options.embedder = NULL;
    REFUSED("fastembed.model_dir", OPEN());
    fastembed.model_dir = text("/no/such/model");
    {
        /* Without the feature fastembed; with it, the folder is missing. */
        const recallite_status status =
            recallite_open_with(text(path_of("options")), &options, &memory, NULL);
        CHECK(status == RECALLITE_UNSUPPORTED || status == RECALLITE_NOT_FOUND);
    }
    fastembed.struct_size = 0;
    REFUSED("fastembed.struct_size", OPEN());
    CHECK(memory == UNTOUCHED(recallite_memory));
}

static void recall_checks_every_option(void) {
    recallite_memory *memory = open_memory("recall");
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_smart_search_options smart = RECALLITE_INIT(recallite_smart_search_options);
    recallite_context_options options = RECALLITE_INIT(recallite_context_options);
    recallite_smart_search_result *result = NULL;
    recallite_context *context = NULL;
    recallite_popular_citation_list *popular = NULL;
    recallite_citation_detail *detail = NULL;
    recallite_string_list *sessions = NULL;
    recallite_search_result *found = NULL;
    recallite_str pinned[1];

    query.text = text("hello");
    SPOIL(query.include_recalled);
    REFUSED("include_recalled", recallite_search(memory, &query, &found, &error));
    query.include_recalled = false;

#define SMART() recallite_smart_search(memory, &query, &smart, &result, &error)
    smart.struct_size = 5;
    REFUSED("options.struct_size", SMART());
    smart.struct_size = sizeof(smart);
    smart.limit = 1001;
    REFUSED("limit", SMART());
    smart.limit = 0;
    smart.min_relevance = 1.5f;
    REFUSED("min_relevance", SMART());
    smart.min_relevance = 0;
    smart.has_window = true;
    smart.window = 101;
    REFUSED("window", SMART());
    smart.window = 3;
    SPOIL(smart.has_max_expanded);
    REFUSED("has_max_expanded", SMART());
    smart.has_max_expanded = false;
    SPOIL(smart.skip_timeline);
    REFUSED("skip_timeline", SMART());
    smart.skip_timeline = false;
    SPOIL(smart.skip_details);
    REFUSED("skip_details", SMART());
    smart.skip_details = false;

#define CONTEXT() recallite_context_get(memory, &query, &options, &context, &error)
    options.struct_size = 5;
    REFUSED("options.struct_size", CONTEXT());
    options.struct_size = sizeof(options);
    options.limit = 65;
    REFUSED("limit", CONTEXT());
    options.limit = 0;
    options.format = 99;
    REFUSED("format", CONTEXT());
    options.format = 0;
    options.recording = -1;
    REFUSED("recording", CONTEXT());
    options.recording = 0;
    options.min_relevance = -0.5f;
    REFUSED("min_relevance", CONTEXT());
    options.min_relevance = 0;
    options.session = text(" ");
    REFUSED("session", CONTEXT());
    options.session = text("\xff");
    REFUSED("session", CONTEXT());
    options.session = ABSENT;
    options.reason = text("\xff");
    REFUSED("reason", CONTEXT());
    options.reason = ABSENT;
    pinned[0] = text("no citation at all");
    options.pinned = pinned;
    options.pinned_len = 1;
    REFUSED("pinned[0]", CONTEXT());
    options.pinned = NULL;
    REFUSED("pinned", CONTEXT());
    options.pinned_len = 0;
    query.text = text("  ");
    REFUSED(NULL, CONTEXT());
    REFUSED(NULL, SMART());

    REFUSED("limit", recallite_citations_popular(memory, 0, 0, &popular, &error));
    REFUSED("limit", recallite_citations_popular(memory, 1001, 0, &popular, &error));
    REFUSED("event", recallite_citations_detail(memory, text("?"), &detail, &error));
    REFUSED("event", recallite_citations_detail(memory, text("\xff"), &detail, &error));
    CHECK_FAILS(RECALLITE_NOT_FOUND, NULL,
                recallite_citations_detail(memory, text("mem:zzzzzz"), &detail, &error));
    CHECK_FAILS(RECALLITE_NOT_FOUND, NULL,
                recallite_citations_citing_sessions(memory, text("mem:zzzzzz"), 0, &sessions, &error));
    CHECK(result == NULL && context == NULL && popular == NULL && detail == NULL && sessions == NULL);
    recallite_free(memory);
}

static void upkeep_checks_every_option(void) {
    recallite_memory *memory = open_memory("upkeep");
    recallite_selector selector = RECALLITE_INIT(recallite_selector);
    recallite_maintain_budget budget = RECALLITE_INIT(recallite_maintain_budget);
    const int32_t kinds[] = {RECALLITE_EVENT_KIND_USER_PROMPT, 5};
    recallite_string *hash = NULL;
    recallite_str ids[1];
    uint64_t count = 77;

#define COUNT() recallite_upkeep_count_selected(memory, &selector, &count, &error)
    selector.struct_size = 9;
    REFUSED("selector.struct_size", COUNT());
    selector.struct_size = sizeof(selector);
    REFUSED("selector", COUNT());
    REFUSED("selector", recallite_erase(memory, &selector, NULL, &error));
    ids[0] = text("no citation at all");
    selector.ids = ids;
    selector.ids_len = 1;
    REFUSED("ids[0]", COUNT());
    selector.session = text("s1");
    selector.ids_len = 0;
    REFUSED("ids", COUNT()); /* there and empty */
    selector.ids = NULL;
    selector.ids_len = 1;
    REFUSED("ids", COUNT());
    selector.ids_len = 0;
    selector.session = text("\xff");
    REFUSED("session", COUNT());
    selector.session = ABSENT;
    selector.scope = 7;
    REFUSED("scope", COUNT());
    selector.scope = RECALLITE_SCOPE_NAMED;
    REFUSED("project", COUNT());
    selector.scope = 0;
    selector.kinds = kinds;
    selector.kinds_len = 2;
    REFUSED("kinds[1]", COUNT());
    selector.kinds_len = 0;
    selector.has_before = true;
    selector.before_ms = INT64_MIN;
    REFUSED("before_ms", COUNT());
    selector.has_before = false;
    REFUSED("before_ms", COUNT());
    selector.before_ms = 0;
    SPOIL(selector.everything);
    REFUSED("everything", COUNT());
    CHECK(count == 77);

    SPOIL(budget.has_merges);
    REFUSED("has_merges", recallite_maintain(memory, &budget, NULL, &error));
    budget.has_merges = false;
    SPOIL(budget.has_graph_vectors);
    REFUSED("has_graph_vectors", recallite_maintain(memory, &budget, NULL, &error));
    budget.has_graph_vectors = false;
    SPOIL(budget.has_learn_messages);
    REFUSED("has_learn_messages", recallite_maintain(memory, &budget, NULL, &error));
    budget.has_learn_messages = false;
    SPOIL(budget.has_graduate_events);
    REFUSED("has_graduate_events", recallite_maintain(memory, &budget, NULL, &error));
    budget.struct_size = 1;
    REFUSED("budget.struct_size", recallite_maintain(memory, &budget, NULL, &error));
    REFUSED("as_of_ms", recallite_rebuild(memory, INT64_MAX, NULL, &error));
    REFUSED("as_of_ms", recallite_upkeep_state_hash(memory, INT64_MIN, &hash, &error));
    REFUSED("path", recallite_backup(memory, text("\xff"), NULL, &error));
    REFUSED("path", recallite_export_jsonl(memory, text("\xff"), NULL, false, NULL, &error));
    REFUSED("path", recallite_import_jsonl(memory, text("\xff"), NULL, &error));
    REFUSED("path", recallite_restore_jsonl(memory, text("\xff"), NULL, &error));
    CHECK(hash == NULL);
    recallite_free(memory);
}

static void a_closed_memory_says_so(void) {
    recallite_memory *memory = open_memory("closed");
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_selector selector = RECALLITE_INIT(recallite_selector);
    recallite_context *context = NULL;
    recallite_check_report *report = NULL;
    uint64_t count = 0;

    query.text = text("hello");
    selector.everything = true;
    CHECK_OK(recallite_close(memory, &error));
    CHECK_FAILS(RECALLITE_CLOSED, NULL, recallite_context_get(memory, &query, NULL, &context, &error));
    CHECK_FAILS(RECALLITE_CLOSED, NULL, recallite_check(memory, &report, &error));
    CHECK_FAILS(RECALLITE_CLOSED, NULL, recallite_upkeep_count_selected(memory, &selector, &count, &error));
    CHECK_FAILS(RECALLITE_CLOSED, NULL, recallite_upkeep_count_erasable(memory, &selector, &count, &error));
    CHECK_FAILS(RECALLITE_CLOSED, NULL, recallite_maintain(memory, NULL, NULL, &error));
    CHECK_FAILS(RECALLITE_CLOSED, NULL, recallite_compact(memory, NULL, &error));
    CHECK_FAILS(RECALLITE_CLOSED, NULL, recallite_backup(memory, text(path_of("copy")), NULL, &error));
    recallite_free(memory);
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "memory",
                recallite_context_get(memory, &query, NULL, &context, &error));
}

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    check_folder = argv[1];
    CASE(null_is_refused_everywhere);
    CASE(freeing_null_does_nothing);
    CASE(opening_checks_every_option);
    CASE(recall_checks_every_option);
    CASE(upkeep_checks_every_option);
    CASE(a_closed_memory_says_so);
    return check_end();
}
