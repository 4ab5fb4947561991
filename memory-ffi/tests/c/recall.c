/* Options that shape what is stored; smart search, context and citations. */
#include "check.h"

#include <stddef.h>

static const int64_t NOON = 1773144000000; /* 2026-03-10T12:00:00Z */

static recallite_memory *open_with(const char *name, const recallite_open_options *options) {
    recallite_memory *memory = NULL;
    CHECK_OK(recallite_open_with(text(path_of(name)), options, &memory, &error));
    return memory;
}

/* The content of the event at a position, checked and freed. */
static bool content_is(recallite_memory *memory, uint64_t seq, const char *wanted) {
    recallite_event *event = NULL;
    bool same;
    CHECK_OK(recallite_event_at(memory, seq, &event, &error));
    same = is(event->content, wanted);
    if (!same) {
        printf("    content: %s\n", event->content.ptr);
    }
    recallite_event_free(event);
    return same;
}

static void privacy_is_as_the_options_say(void) {
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_privacy_config privacy = RECALLITE_INIT(recallite_privacy_config);
    const int32_t formats[] = {RECALLITE_TAG_FORMAT_BRACKET, RECALLITE_TAG_FORMAT_XML};
    recallite_str words[1];
    recallite_str patterns[1];
    recallite_memory *memory;
    recallite_new_event event;

    words[0] = text("codename");
    patterns[0] = text("비밀-[0-9]+");
    privacy.exclude_patterns = words;
    privacy.exclude_patterns_len = 1;
    privacy.auto_detect_patterns = patterns;
    privacy.auto_detect_patterns_len = 1;
    privacy.formats = formats;
    privacy.formats_len = 2;
    privacy.marker = RECALLITE_MARKER_REDACTED;
    privacy.anonymize = true;
    options.privacy = &privacy;
    memory = open_with("privacy", &options);
    event = prompt("s1", "[private]회의[/private] codename: falcon9 and 비밀-42, ask ada@example.org");
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    CHECK(content_is(memory, 1, "[REDACTED] [REDACTED] and [REDACTED], ask [EMAIL]"));
    recallite_free(memory);

    privacy = (recallite_privacy_config)RECALLITE_INIT(recallite_privacy_config);
    privacy.skip_private_tags = true;
    options.privacy = &privacy;
    memory = open_with("privacy2", &options);
    event = prompt("s1", "<private>kept</private>");
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    CHECK(content_is(memory, 1, "<private>kept</private>"));
    recallite_free(memory);
}

static void a_tools_output_is_cut_as_the_options_say(void) {
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_tool_limits limits = RECALLITE_INIT(recallite_tool_limits);
    recallite_tool_use tool = RECALLITE_INIT(recallite_tool_use);
    recallite_new_event event = RECALLITE_INIT(recallite_new_event);
    recallite_appended *receipt = NULL;
    recallite_memory *memory;

    limits.max_output_lines = 1;
    options.tool_limits = &limits;
    memory = open_with("limits", &options);
    tool.name = text("Bash");
    tool.output = text("첫 줄\nsecond line\nthird line");
    event.kind = RECALLITE_EVENT_KIND_TOOL_OBSERVATION;
    event.session = text("s1");
    event.tool = &tool;
    CHECK_OK(recallite_append(memory, &event, &receipt, &error));
    CHECK(receipt->truncated_bytes > 0);
    recallite_appended_free(receipt);
    recallite_free(memory);

    limits.keep_whole_output = true;
    memory = open_with("limits2", &options);
    CHECK_OK(recallite_append(memory, &event, &receipt, &error));
    CHECK(receipt->truncated_bytes == 0);
    recallite_appended_free(receipt);
    recallite_free(memory);

    limits.keep_whole_output = false;
    limits.max_output_lines = 0;
    limits.max_output_chars = 0;
    limits.has_max_output_chars = true;
    memory = open_with("limits3", &options);
    CHECK_OK(recallite_append(memory, &event, &receipt, &error));
    CHECK(receipt->truncated_bytes == strlen(tool.output.ptr));
    recallite_appended_free(receipt);
    recallite_free(memory);
}

/* An empty list, and a limit of zero, are told from what was not given. */
static void zero_and_an_empty_list_can_be_meant(void) {
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_tool_policy policy = RECALLITE_INIT(recallite_tool_policy);
    recallite_tool_use tool = RECALLITE_INIT(recallite_tool_use);
    recallite_new_event event = RECALLITE_INIT(recallite_new_event);
    recallite_event_filter filter = RECALLITE_INIT(recallite_event_filter);
    recallite_event_cursor *cursor = NULL;
    recallite_event *found = NULL;
    recallite_appended *receipt = NULL;
    recallite_memory *memory;
    int is_policy_empty;

    options.tool_policy = &policy;
    tool.name = text("TodoWrite");
    event.kind = RECALLITE_EVENT_KIND_TOOL_OBSERVATION;
    event.session = text("s1");
    event.tool = &tool;
    for (is_policy_empty = 0; is_policy_empty < 2; is_policy_empty++) {
        policy.has_excluded_tools = is_policy_empty != 0;
        memory = open_with(is_policy_empty ? "policy1" : "policy0", &options);
        CHECK_OK(recallite_append(memory, &event, &receipt, &error));
        CHECK((receipt->skipped == 0) == (is_policy_empty != 0));
        recallite_appended_free(receipt);
        for (filter.has_limit = false;; filter.has_limit = true) {
            CHECK_OK(recallite_events(memory, &filter, &cursor, &error));
            CHECK_OK(recallite_event_cursor_next(cursor, &found, &error));
            CHECK((found != NULL) == (is_policy_empty && !filter.has_limit));
            recallite_event_free(found);
            recallite_event_cursor_free(cursor);
            if (filter.has_limit) {
                break;
            }
        }
        recallite_free(memory);
    }
}

/* How many hits a search in the folder gives with some weights. */
static size_t found_with(const recallite_recall_weights *weights, const char *question) {
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_search_result *found = NULL;
    recallite_memory *memory;
    size_t len;

    options.recall_weights = weights;
    memory = open_with("weights", &options);
    query.text = text(question);
    CHECK_OK(recallite_search(memory, &query, &found, &error));
    len = found->len;
    recallite_search_result_free(found);
    recallite_free(memory);
    return len;
}

static void recall_counts_what_the_weights_say(void) {
    recallite_recall_weights weights = RECALLITE_INIT(recallite_recall_weights);
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_memory *memory = open_with("weights", &options);
    recallite_new_event event = prompt("s1", "Our invoices are paid by the automobile fund.");

    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    event = prompt("s1", "Thirty seconds.");
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    recallite_free(memory);

    CHECK(weights.query_expansion == 0 && weights.contested_demotion == 0);
    CHECK_OK(recallite_recall_weights_default(&weights, &error));
    CHECK(weights.struct_size == sizeof(weights));
    CHECK(weights.query_expansion == 1.0f && weights.contested_demotion == 0.3f);
    CHECK(found_with(NULL, "automobile") == 2);
    CHECK(found_with(&weights, "automobile") == 2);
    CHECK(found_with(&weights, "car") >= 1);
    weights.context_scores = weights.context_words = 0;
    weights.query_expansion = 0;
    CHECK(found_with(&weights, "automobile") == 1);
    CHECK(found_with(&weights, "car") == 0);
}

static void settings_are_defaults_that_show_their_source(void) {
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_tool_policy policy = RECALLITE_INIT(recallite_tool_policy);
    recallite_effective_setting_list *settings = NULL;
    recallite_appended *receipt = NULL;
    recallite_search_result *found = NULL;
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_pause_list *pauses = NULL;
    bool is_new = false;
    recallite_tool_use tool = RECALLITE_INIT(recallite_tool_use);
    recallite_new_event event;
    recallite_memory *memory;
    bool is_shown = false;
    int number;

    options.settings = text("{\"retrieval\": {\"topK\": 2}}");
    options.tool_policy = &policy;
    memory = open_with("settings", &options);
    for (number = 0; number < 4; number++) {
        char content[] = "The payment port is 0.";
        content[20] = (char)('0' + number);
        event = prompt("s1", content);
        CHECK_OK(recallite_append(memory, &event, NULL, &error));
    }
    query.text = text("payment port");
    CHECK_OK(recallite_search(memory, &query, &found, &error));
    CHECK(found->len == 2);
    recallite_search_result_free(found);

    tool.name = text("TodoWrite");
    tool.output = text("done");
    event = prompt("s1", "");
    event.kind = RECALLITE_EVENT_KIND_TOOL_OBSERVATION;
    event.tool = &tool;
    CHECK_OK(recallite_append(memory, &event, &receipt, &error));
    CHECK(receipt->skipped == RECALLITE_SKIP_REASON_TOOL_EXCLUDED);
    CHECK(receipt->seq == 0 && receipt->citation.len == 0);
    recallite_appended_free(receipt);

    CHECK_OK(recallite_pauses_pause(memory, RECALLITE_SCOPE_KIND_SESSION, text("s1"), &is_new,
                                    &error));
    CHECK(is_new);
    event = prompt("s1", "between us");
    CHECK_OK(recallite_append(memory, &event, &receipt, &error));
    CHECK(receipt->skipped == RECALLITE_SKIP_REASON_PAUSED);
    recallite_appended_free(receipt);
    CHECK_OK(recallite_pauses_list(memory, 0, &pauses, &error));
    CHECK(pauses->len == 1 && is(pauses->items[0]->name, "s1"));
    recallite_pause_list_free(pauses);
    CHECK_OK(recallite_pauses_resume(memory, RECALLITE_SCOPE_KIND_SESSION, text("s1"), NULL,
                                     &error));
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "name",
                recallite_pauses_pause(memory, RECALLITE_SCOPE_KIND_SESSION, text(" "), NULL,
                                       &error));
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "scope",
                recallite_pauses_pause(memory, 9, text("s1"), NULL, &error));

    CHECK_OK(recallite_upkeep_settings(memory, &settings, &error));
    for (size_t at = 0; at < settings->len; at++) {
        const recallite_effective_setting *setting = settings->items[at];
        if (is(setting->key, "retrieval.topK")) {
            is_shown = is(setting->value_json, "2")
                       && setting->source == RECALLITE_SETTING_SOURCE_CALL;
        }
    }
    CHECK(is_shown);
    recallite_effective_setting_list_free(settings);
    recallite_free(memory);
}

/* Writes a file of settings; its path. */
static const char *settings_file(const char *content) {
    static char path[4096];
    FILE *file;
    strcpy(path, path_of("settings.json"));
    file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(content, 1, strlen(content), file) == strlen(content));
    fclose(file);
    return path;
}

static void a_settings_file_opens_a_memory(void) {
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_effective_setting_list *settings = NULL;
    recallite_search_result *found = NULL;
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_memory *memory;
    recallite_new_event event;
    recallite_error *refusal = NULL;
    int number, shown = 0, way;

    options.settings_file =
        text(settings_file("{\"retrieval\": {\"topK\": 2, \"maxTokens\": 400}}"));
    options.settings = text("{\"retrieval\": {\"maxTokens\": 500}}");
    memory = open_with("settings_file", &options);
    for (number = 0; number < 4; number++) {
        char content[] = "The payment port is 0.";
        content[20] = (char)('0' + number);
        event = prompt("s1", content);
        CHECK_OK(recallite_append(memory, &event, NULL, &error));
    }
    query.text = text("payment port");
    CHECK_OK(recallite_search(memory, &query, &found, &error));
    CHECK(found->len == 2);
    recallite_search_result_free(found);
    CHECK_OK(recallite_upkeep_settings(memory, &settings, &error));
    for (size_t at = 0; at < settings->len; at++) {
        const recallite_effective_setting *setting = settings->items[at];
        if (is(setting->key, "retrieval.topK")) {
            shown += is(setting->value_json, "2") && setting->source == RECALLITE_SETTING_SOURCE_FILE;
        } else if (is(setting->key, "retrieval.maxTokens")) {
            shown += is(setting->value_json, "500") && setting->source == RECALLITE_SETTING_SOURCE_CALL;
        } else if (is(setting->key, "retrieval.minScore")) {
            shown += setting->source == RECALLITE_SETTING_SOURCE_DEFAULT;
        }
    }
    CHECK(shown == 3);
    recallite_effective_setting_list_free(settings);
    recallite_free(memory);

    /* An unknown key is told with the nearest one. */
    for (way = 0; way < 2; way++) {
        const char *wrong = "{\"retrieval\": {\"topk\": 3}}";
        options.settings = text(way == 0 ? wrong : NULL);
        options.settings_file = text(way == 0 ? NULL : settings_file(wrong));
        memory = NULL;
        CHECK(recallite_open_with(text(path_of("refused")), &options, &memory, &refusal)
              == RECALLITE_INVALID_ARGUMENT);
        CHECK(memory == NULL && refusal != NULL && is(refusal->argument, "retrieval.topk"));
        CHECK(refusal != NULL
              && strstr(refusal->message.ptr,
                        "retrieval.topk: unknown setting; did you mean retrieval.topK?")
                     != NULL);
        recallite_error_free(refusal);
        refusal = NULL;
    }
}

static void what_is_said_of_a_paused_project_is_not_stored(void) {
    recallite_memory *memory = open_memory("paused");
    recallite_new_event event = prompt("s1", "between us");
    recallite_appended *receipt = NULL;
    recallite_pause_list *pauses = NULL;
    bool changed = false;

    CHECK_OK(recallite_pauses_pause(memory, RECALLITE_SCOPE_KIND_PROJECT, text("가게"), &changed, &error));
    CHECK(changed);
    event.project = text("가게");
    CHECK_OK(recallite_append(memory, &event, &receipt, &error));
    CHECK(receipt->skipped == RECALLITE_SKIP_REASON_PAUSED && receipt->seq == 0);
    recallite_appended_free(receipt);
    event = prompt("s2", "of another project");
    event.project = text("blog");
    CHECK_OK(recallite_append(memory, &event, &receipt, &error));
    CHECK(receipt->skipped == 0 && receipt->seq > 0);
    recallite_appended_free(receipt);
    CHECK_OK(recallite_pauses_list(memory, 0, &pauses, &error));
    CHECK(pauses->len == 1 && is(pauses->items[0]->name, "가게"));
    CHECK(pauses->len == 1 && pauses->items[0]->scope == RECALLITE_SCOPE_KIND_PROJECT);
    recallite_pause_list_free(pauses);
    CHECK_OK(recallite_pauses_resume(memory, RECALLITE_SCOPE_KIND_PROJECT, text("가게"), &changed, &error));
    CHECK(changed);
    event.project = text("가게");
    CHECK_OK(recallite_append(memory, &event, &receipt, &error));
    CHECK(receipt->skipped == 0);
    recallite_appended_free(receipt);
    recallite_free(memory);
}

static void sessions_with_private_sections_are_counted(void) {
    static const char *const said[][2] = {
        {"s1", "Nothing to hide."},
        {"s1", "One <private>walrus</private> and <private>more</private>."},
        {"s1", "또 <private>바다코끼리</private>."},
        {"s2", "Also <private>here</private>."},
    };
    recallite_memory *memory = open_memory("private_sessions");
    recallite_new_event event;
    recallite_stats *stats = NULL;
    size_t index;

    for (index = 0; index < sizeof(said) / sizeof(*said); index++) {
        event = prompt(said[index][0], said[index][1]);
        CHECK_OK(recallite_append(memory, &event, NULL, &error));
    }
    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    CHECK(stats->privacy->private_sections == 4 && stats->privacy->sessions == 2);
    recallite_stats_free(stats);
    recallite_free(memory);
}

static void sizes_warn_and_refuse(void) {
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_new_event event = prompt("s1", "hello");
    recallite_appended *receipt = NULL;
    recallite_stats *stats = NULL;
    recallite_memory *memory;

    options.quota_bytes = 1;
    memory = open_with("quota", &options);
    CHECK_OK(recallite_append(memory, &event, &receipt, &error));
    CHECK(receipt->warnings_len == 1 && strstr(receipt->warnings[0].ptr, "quota") != NULL);
    recallite_appended_free(receipt);
    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    CHECK(stats->is_over_quota && stats->quota_bytes == 1);
    recallite_stats_free(stats);
    recallite_free(memory);

    options.size_limit_bytes = 1;
    memory = open_with("limit", &options);
    CHECK_FAILS(RECALLITE_FULL, NULL, recallite_append(memory, &event, NULL, &error));
    recallite_free(memory);
}

static void retention_forgets_what_is_too_old(void) {
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_retention retention[1];
    recallite_new_event event = prompt("s1", "long ago");
    recallite_forgotten *forgotten = NULL;
    recallite_stats *stats = NULL;
    recallite_memory *memory;

    retention[0].kind = RECALLITE_EVENT_KIND_USER_PROMPT;
    retention[0].ms = 24 * 3600 * 1000;
    options.retention_ms = retention;
    options.retention_ms_len = 1;
    memory = open_with("retention", &options);
    event.has_timestamp = true;
    event.timestamp_ms = NOON - INT64_C(86400) * 1000 * 3650;
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    event = prompt("s1", "just now");
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    CHECK_OK(recallite_upkeep_apply_retention(memory, &forgotten, &error));
    CHECK(forgotten->count == 1 && forgotten->content_bytes == 8 && forgotten->tombstone == 3);
    recallite_forgotten_free(forgotten);
    CHECK_OK(recallite_upkeep_apply_retention(memory, NULL, &error));
    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    CHECK(stats->prompts == 1 && stats->forgotten == 1);
    recallite_stats_free(stats);
    recallite_free(memory);
}

static void every_kind_can_be_read(void) {
    recallite_memory *memory = open_memory("kinds");
    recallite_event_filter filter = RECALLITE_INIT(recallite_event_filter);
    recallite_session_update update = RECALLITE_INIT(recallite_session_update);
    recallite_new_event event = prompt("s1", "hello");
    recallite_event_cursor *cursor = NULL;
    recallite_event *found = NULL;
    int seen = 0;
    int prompts = 0;

    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    update.summary = text("A greeting.");
    CHECK_OK(recallite_update_session(memory, text("s1"), &update, NULL, &error));
    filter.kinds = recallite_event_kinds(&filter.kinds_len);
    CHECK(filter.kinds_len > 20);
    CHECK_OK(recallite_events(memory, &filter, &cursor, &error));
    for (;;) {
        CHECK_OK(recallite_event_cursor_next(cursor, &found, &error));
        if (found == NULL) {
            break;
        }
        seen++;
        prompts += found->kind == RECALLITE_EVENT_KIND_USER_PROMPT;
        recallite_event_free(found);
    }
    CHECK(seen == 2 && prompts == 1);
    recallite_event_cursor_free(cursor);
    recallite_free(memory);
}

/* Three sentences, of which the first is about a port. */
static recallite_memory *memory_about_a_port(const char *name, recallite_appended_list **receipts) {
    recallite_memory *memory = open_memory(name);
    recallite_new_event events[3];
    size_t index;
    events[0] = prompt("s1", "The test server uses port 8443, 테스트 서버 포트입니다.");
    events[1] = prompt("s1", "Thanks, I will write that down.");
    events[2] = prompt("s1", "송장 글꼴은 인터입니다.");
    for (index = 0; index < 3; index++) {
        events[index].has_timestamp = true;
        events[index].timestamp_ms = NOON + (int64_t)index * 1000;
    }
    CHECK_OK(recallite_append_batch(memory, events, 3, receipts, &error));
    return memory;
}

static void a_smart_search_shows_as_much_as_helps(void) {
    recallite_memory *memory = memory_about_a_port("smart", NULL);
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_smart_search_options options = RECALLITE_INIT(recallite_smart_search_options);
    recallite_smart_search_result *result = NULL;

    query.text = text("port of the test server");
    CHECK_OK(recallite_smart_search(memory, &query, NULL, &result, &error));
    CHECK(result->index_len >= 1 && result->meta->total_matches >= 1 && !result->degraded);
    CHECK(strncmp(result->index[0]->summary.ptr, "The test server uses port 8443", 30) == 0);
    CHECK(result->index[0]->score > 0 && result->index[0]->score <= 1);
    CHECK(is(result->index[0]->session, "s1") && result->index[0]->timestamp_ms == NOON);
    CHECK(strstr(result->markdown.ptr, result->index[0]->citation.ptr) != NULL);
    CHECK(strstr(result->markdown.ptr, result->index_markdown.ptr) == result->markdown.ptr);
    CHECK((result->timeline_len > 0) == (result->timeline_markdown.len > 0));
    CHECK((result->details_len > 0) == (result->details_markdown.len > 0));
    CHECK(result->meta->estimated_tokens > 0);
    CHECK(strcmp(recallite_expansion_reason_name(result->meta->expansion_reason), "unknown") != 0);
    recallite_smart_search_result_free(result);

    options.limit = 1;
    options.has_max_expanded = true;
    options.has_window = true;
    options.skip_timeline = true;
    options.skip_details = true;
    CHECK_OK(recallite_smart_search(memory, &query, &options, &result, &error));
    CHECK(result->index_len == 1 && result->meta->expanded_count == 0);
    CHECK(result->timeline_len == 0 && result->details_len == 0);
    recallite_smart_search_result_free(result);

    query.text = text("zzyzx");
    CHECK_OK(recallite_smart_search(memory, &query, NULL, &result, &error));
    CHECK(result->index_len == 0 && result->confidence == RECALLITE_MATCH_CLASS_NONE);
    CHECK(result->meta->expansion_reason == RECALLITE_EXPANSION_REASON_LOW_CONFIDENCE);
    recallite_smart_search_result_free(result);
    recallite_free(memory);
}

static void context_is_fenced_cited_and_within_its_budget(void) {
    recallite_appended_list *receipts = NULL;
    recallite_memory *memory = memory_about_a_port("context", &receipts);
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_context_options options = RECALLITE_INIT(recallite_context_options);
    recallite_context *context = NULL;
    recallite_citation_detail *detail = NULL;
    recallite_popular_citation_list *popular = NULL;
    recallite_string_list *sessions = NULL;
    recallite_stats *stats = NULL;
    recallite_string *fenced = NULL;
    recallite_str pinned[1];

    /* Nothing was given yet. */
    CHECK_OK(recallite_citations_detail(memory, receipts->items[1]->citation, &detail, &error));
    CHECK(is(detail->event->content, "Thanks, I will write that down."));
    CHECK(detail->usage_count == 0 && !detail->has_last_used);
    CHECK(detail->previous != NULL && is(detail->previous->id, receipts->items[0]->id.ptr));
    CHECK(detail->next != NULL && is(detail->next->preview, "송장 글꼴은 인터입니다."));
    recallite_citation_detail_free(detail);

    query.text = text("test server port");
    options.session = text("now");
    options.recording = RECALLITE_RECORDING_NOW;
    options.budget_tokens = 500;
    options.limit = 2;
    options.reason = text("a test");
    pinned[0] = receipts->items[2]->citation;
    options.pinned = pinned;
    options.pinned_len = 1;
    CHECK_OK(recallite_context_get(memory, &query, &options, &context, &error));
    CHECK(context->len >= 2 && context->citations_len == context->len);
    CHECK(context->tokens > 0 && context->tokens <= 500 && !context->degraded);
    CHECK(is(context->items[0]->id, receipts->items[2]->id.ptr) && !context->items[0]->has_relevance);
    CHECK(is(context->items[1]->citation, receipts->items[0]->citation.ptr));
    CHECK(context->items[1]->has_relevance && context->items[1]->relevance > 0);
    CHECK(context->items[1]->end - context->items[1]->start == context->items[1]->text.len);
    CHECK(context->items[1]->origin == RECALLITE_ORIGIN_USER);
    CHECK(strstr(context->text.ptr, "port 8443") != NULL);
    CHECK(strstr(context->text.ptr, context->citations[1].ptr) != NULL);
    recallite_context_free(context);

    /* That it was given can be asked for. */
    CHECK_OK(recallite_citations_detail(memory, receipts->items[0]->id, &detail, &error));
    CHECK(detail->usage_count == 1 && detail->has_last_used && detail->previous == NULL);
    recallite_citation_detail_free(detail);
    CHECK_OK(recallite_citations_popular(memory, 10, 7, &popular, &error));
    CHECK(popular->len >= 2 && popular->items[0]->usage_count == 1);
    CHECK(popular->items[0]->last_used_ms > NOON && is(popular->items[0]->session, "s1"));
    recallite_popular_citation_list_free(popular);
    CHECK_OK(recallite_citations_citing_sessions(memory, receipts->items[0]->citation, 0, &sessions, &error));
    CHECK(sessions->len == 1 && is(sessions->items[0], "now"));
    recallite_string_list_free(sessions);
    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    CHECK(stats->injections->injections == 1 && stats->injections->memories >= 2);
    CHECK(stats->injections->has_last && stats->embedding == NULL && stats->layers_len > 0);
    CHECK(stats->layers[0]->name.len > 0 && stats->lexical->damaged_segments == 0);
    recallite_stats_free(stats);

    /* Nothing that fits is no failure, and is not recorded. */
    options.budget_tokens = 1;
    options.pinned_len = 0;
    CHECK_OK(recallite_context_get(memory, &query, &options, &context, &error));
    CHECK(context->len == 0 && context->text.len == 0 && context->text.ptr != NULL);
    recallite_context_free(context);
    options = (recallite_context_options)RECALLITE_INIT(recallite_context_options);
    options.recording = RECALLITE_RECORDING_NEVER;
    options.format = RECALLITE_CITATION_FORMAT_REFERENCE;
    CHECK_OK(recallite_context_get(memory, &query, &options, &context, &error));
    CHECK(context->len >= 1);
    recallite_context_free(context);
    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    CHECK(stats->injections->injections == 1);
    recallite_stats_free(stats);

    /* What else a model is given gets the same fence. */
    CHECK_OK(recallite_fence(memory, text("> port 8443"), &fenced, &error));
    CHECK(strncmp(fenced->text.ptr, "<recalled-memory fence=", 23) == 0);
    recallite_string_free(fenced);
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "result", recallite_fence(memory, text("x"), NULL, &error));
    recallite_appended_list_free(receipts);
    recallite_free(memory);
}

/* Counts words, and may fail or call the library. */
struct counter {
    recallite_memory *memory;
    int calls;
    int answer;
};

static int32_t count_words(recallite_str counted, size_t *tokens, void *user_data) {
    struct counter *counter = (struct counter *)user_data;
    size_t index;
    counter->calls++;
    CHECK(counted.ptr[counted.len] == '\0');
    if (counter->memory != NULL) {
        recallite_new_event event = prompt("callback", "said while tokens are counted");
        recallite_query query = RECALLITE_INIT(recallite_query);
        recallite_search_result *result = NULL;
        query.text = text("port");
        CHECK_OK(recallite_append(counter->memory, &event, NULL, &error));
        CHECK_OK(recallite_search(counter->memory, &query, &result, &error));
        recallite_search_result_free(result);
    }
    *tokens = 1;
    for (index = 0; index < counted.len; index++) {
        *tokens += counted.ptr[index] == ' ' || counted.ptr[index] == '\n';
    }
    return counter->answer;
}

static void tokens_are_counted_as_the_program_says(void) {
    recallite_memory *memory = memory_about_a_port("tokens", NULL);
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_context_options options = RECALLITE_INIT(recallite_context_options);
    recallite_smart_search_options smart = RECALLITE_INIT(recallite_smart_search_options);
    recallite_context *context = NULL;
    recallite_smart_search_result *result = NULL;
    recallite_stats *stats = NULL;
    struct counter counter = {NULL, 0, 0};
    size_t wanted = 0;

    query.text = text("test server port");
    options.count_tokens = count_words;
    options.user_data = &counter;
    options.recording = RECALLITE_RECORDING_NOW;
    CHECK_OK(recallite_context_get(memory, &query, &options, &context, &error));
    CHECK(counter.calls > 0);
    CHECK(count_words(context->text, &wanted, &counter) == 0 && context->tokens == wanted);
    recallite_context_free(context);

    counter.memory = memory;
    counter.calls = 0;
    CHECK_OK(recallite_context_get(memory, &query, &options, &context, &error));
    CHECK(counter.calls > 0 && context->len >= 1);
    recallite_context_free(context);
    smart.count_tokens = count_words;
    smart.user_data = &counter;
    CHECK_OK(recallite_smart_search(memory, &query, &smart, &result, &error));
    CHECK(result->index_len >= 1);
    recallite_smart_search_result_free(result);

    counter.memory = NULL;
    counter.calls = 0;
    counter.answer = 7;
    context = NULL;
    CHECK_FAILS(RECALLITE_CALLBACK, "count_tokens",
                recallite_context_get(memory, &query, &options, &context, &error));
    CHECK(counter.calls == 1 && context == NULL);
    result = NULL;
    CHECK_FAILS(RECALLITE_CALLBACK, "count_tokens",
                recallite_smart_search(memory, &query, &smart, &result, &error));
    CHECK(counter.calls == 2 && result == NULL && recallite_is_open(memory));
    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    CHECK(stats->injections->injections == 2);
    recallite_stats_free(stats);
    recallite_free(memory);
}

/* How many events a query finds; the first of them in `first`. */
static size_t found_by(recallite_memory *memory, const recallite_query *query, uint64_t *first) {
    recallite_search_result *found = NULL;
    size_t len;

    CHECK_OK(recallite_search(memory, query, &found, &error));
    len = found->len;
    *first = len > 0 ? found->items[0]->seq : 0;
    recallite_search_result_free(found);
    return len;
}

static void a_search_is_narrowed_by_tools_files_outcomes_and_levels(void) {
    recallite_memory *memory = open_memory("narrowed");
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_event_filter filter = RECALLITE_INIT(recallite_event_filter);
    recallite_tool_use tool = RECALLITE_INIT(recallite_tool_use);
    recallite_new_event event = prompt("s1", "how many columns has the invoice table?");
    recallite_search_result *result = NULL;
    recallite_event_cursor *cursor = NULL;
    recallite_event *found = NULL;
    recallite_str tools[2];
    uint64_t first;

    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    event = prompt("s1", "");
    event.kind = RECALLITE_EVENT_KIND_TOOL_OBSERVATION;
    event.tool = &tool;
    tool.name = text("Read");
    tool.input_json = text("{\"file_path\":\"/srv/청구/invoice.sql\"}");
    tool.output = text("the invoice table has nine columns");
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    tool.name = text("Bash");
    tool.input_json = text("{\"command\":\"psql\"}");
    tool.output = text("no invoice table");
    tool.error = text("exit 1");
    CHECK_OK(recallite_append(memory, &event, NULL, &error));

    query.text = text("invoice table columns");
    CHECK(found_by(memory, &query, &first) == 3);
    tools[0] = text("Bash");
    tools[1] = text("Unknown");
    query.tools = tools;
    query.tools_len = 2;
    CHECK(found_by(memory, &query, &first) == 1 && first == 3);
    query.tools_len = 0;
    query.file_contains = text("청구");
    CHECK(found_by(memory, &query, &first) == 1 && first == 2);
    query.tool_outcome = RECALLITE_TOOL_OUTCOME_FAILED;
    CHECK(found_by(memory, &query, &first) == 0);
    query.file_contains = text(NULL);
    CHECK(found_by(memory, &query, &first) == 1 && first == 3);
    query.tool_outcome = RECALLITE_TOOL_OUTCOME_UNSET;
    query.min_level = RECALLITE_LEVEL_L1;
    CHECK(found_by(memory, &query, &first) == 0);
    query.min_level = RECALLITE_LEVEL_L0;
    CHECK(found_by(memory, &query, &first) == 3);

    query.min_level = 99;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "min_level",
                recallite_search(memory, &query, &result, &error));
    query.min_level = RECALLITE_LEVEL_UNSET;
    query.tool_outcome = -1;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "tool_outcome",
                recallite_search(memory, &query, &result, &error));
    query.tool_outcome = RECALLITE_TOOL_OUTCOME_UNSET;
    query.file_contains = text("");
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "file_contains",
                recallite_search(memory, &query, &result, &error));
    query.file_contains = text(NULL);
    tools[1] = text("");
    query.tools_len = 2;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "tools[1]",
                recallite_search(memory, &query, &result, &error));
    tools[1] = text(NULL);
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "tools[1]",
                recallite_search(memory, &query, &result, &error));
    query.tools = NULL;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "tools",
                recallite_search(memory, &query, &result, &error));

    filter.tools = tools;
    filter.tools_len = 1;
    filter.tool_outcome = RECALLITE_TOOL_OUTCOME_FAILED;
    CHECK_OK(recallite_events(memory, &filter, &cursor, &error));
    CHECK_OK(recallite_event_cursor_next(cursor, &found, &error));
    CHECK(found != NULL && found->seq == 3);
    recallite_event_free(found);
    CHECK_OK(recallite_event_cursor_next(cursor, &found, &error));
    CHECK(found == NULL);
    recallite_event_cursor_free(cursor);
    filter.tool_outcome = 3;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "tool_outcome",
                recallite_events(memory, &filter, &cursor, &error));
    filter.tool_outcome = RECALLITE_TOOL_OUTCOME_UNSET;
    filter.tools_len = 2;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "tools[1]",
                recallite_events(memory, &filter, &cursor, &error));
    recallite_free(memory);
}

static void a_question_for_a_time_gives_what_happened_then(void) {
    recallite_memory *memory = open_memory("times");
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_new_event event = prompt("s1", "Rename the shipping module.");
    recallite_smart_search_result *found = NULL;
    const int64_t day_ms = 24 * 3600 * 1000;
    uint64_t first;

    event.has_timestamp = true;
    event.timestamp_ms = 20530 * day_ms + day_ms / 2;
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    event = prompt("s1", "The invoice cache is small.");
    event.has_timestamp = true;
    event.timestamp_ms = 20520 * day_ms;
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    query.has_as_of = true;
    query.as_of_ms = 20531 * day_ms + day_ms / 2;
    query.text = text("어제 뭐 했지?");
    CHECK(found_by(memory, &query, &first) == 1 && first == 1);
    query.text = text("what did we do yesterday?");
    CHECK(found_by(memory, &query, &first) == 1 && first == 1);
    CHECK_OK(recallite_smart_search(memory, &query, NULL, &found, &error));
    CHECK(found->meta->expansion_reason == RECALLITE_EXPANSION_REASON_TEMPORAL_PROXIMITY);
    recallite_smart_search_result_free(found);
    query.text = text("was the invoice cache small yesterday?");
    CHECK(found_by(memory, &query, &first) > 0 && first == 2);
    recallite_free(memory);
}

static void a_question_can_name_an_event_by_its_citation(void) {
    recallite_appended_list *receipts = NULL;
    recallite_memory *memory = memory_about_a_port("named", &receipts);
    const char *citation = receipts->items[1]->citation.ptr;
    static const char *const forms[] = {"show mem:%s", "[mem:%s] 보여줘", "%s"};
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_search_result *found = NULL;
    recallite_smart_search_result *shown = NULL;
    recallite_context *context = NULL;
    char question[64];
    size_t form, index;

    for (form = 0; form < 3; form++) {
        snprintf(question, sizeof(question), forms[form], citation);
        query.text = text(question);
        CHECK_OK(recallite_search(memory, &query, &found, &error));
        CHECK(found->len >= 1 && found->items[0]->seq == 2 && found->items[0]->relevance == 1);
        CHECK(found->confidence == RECALLITE_MATCH_CLASS_HIGH);
        for (index = 1; index < found->len; index++) {
            CHECK(found->items[index]->seq != 2);
        }
        recallite_search_result_free(found);
        CHECK_OK(recallite_smart_search(memory, &query, NULL, &shown, &error));
        CHECK(shown->index_len >= 1 && shown->index[0]->seq == 2);
        CHECK(shown->meta->expansion_reason == (form < 2 ? RECALLITE_EXPANSION_REASON_USER_REQUEST
                                                         : RECALLITE_EXPANSION_REASON_EXPLICIT_ID));
        CHECK(shown->details_len >= 1 && shown->details[0]->event->seq == 2);
        recallite_smart_search_result_free(shown);
        CHECK_OK(recallite_context_get(memory, &query, NULL, &context, &error));
        CHECK(context->len >= 1 && is(context->items[0]->id, receipts->items[1]->id.ptr));
        recallite_context_free(context);
    }
    recallite_appended_list_free(receipts);
    recallite_free(memory);
}

static void a_question_that_was_asked_before_is_found(void) {
    static const char *const asked[] = {
        "Why does the build fail?", "Why does the build fail on Windows?", "why does  the build FAIL",
        "빌드가 왜 실패하지?",
    };
    recallite_memory *memory = open_memory("repeats");
    recallite_event_filter filter = RECALLITE_INIT(recallite_event_filter);
    recallite_event_cursor *cursor = NULL;
    recallite_event *event = NULL;
    recallite_new_event said;
    uint64_t count = 0;
    size_t index;

    for (index = 0; index < sizeof(asked) / sizeof(*asked); index++) {
        said = prompt("s1", asked[index]);
        CHECK_OK(recallite_append(memory, &said, NULL, &error));
    }
    filter.repeats = text("Why does the build fail");
    CHECK_OK(recallite_events(memory, &filter, &cursor, &error));
    for (index = 1; index <= 3; index += 2) {
        CHECK_OK(recallite_event_cursor_next(cursor, &event, &error));
        CHECK(event != NULL && event->seq == index);
        recallite_event_free(event);
    }
    CHECK_OK(recallite_event_cursor_next(cursor, &event, &error));
    CHECK(event == NULL);
    recallite_event_cursor_free(cursor);
    filter.repeats = text("빌드가 왜 실패하지");
    CHECK_OK(recallite_count_events(memory, &filter, &count, &error));
    CHECK(count == 1);
    filter.repeats = text("Why does the build");
    CHECK_OK(recallite_count_events(memory, &filter, &count, &error));
    CHECK(count == 0);
    filter.repeats = text("?!");
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "repeats", recallite_events(memory, &filter, &cursor, &error));
    recallite_free(memory);
}

static void days_are_those_of_the_time_zone(void) {
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_new_event event = prompt("s1", "Rename the shipping module.");
    recallite_memory *memory = NULL;
    const int64_t hour_ms = 3600 * 1000;
    uint64_t first;

    options.time_zone = text("Asia/Nowhere");
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "time_zone",
                recallite_open_with(text(path_of("zone")), &options, &memory, &error));
    options.time_zone = text("Asia/Seoul");
    CHECK_OK(recallite_open_with(text(path_of("zone")), &options, &memory, &error));
    event.has_timestamp = true;
    event.timestamp_ms = (20529 * 24 + 14) * hour_ms;
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    event = prompt("s1", "It is called dispatch now.");
    event.has_timestamp = true;
    event.timestamp_ms = (20529 * 24 + 16) * hour_ms;
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    query.has_as_of = true;
    query.as_of_ms = (20530 * 24 + 12) * hour_ms;
    query.text = text("what did we do yesterday?");
    CHECK(found_by(memory, &query, &first) == 1 && first == 1);
    query.text = text("what did we do today?");
    CHECK(found_by(memory, &query, &first) == 1 && first == 2);
    recallite_free(memory);
}

static void recalled_text_is_found_when_asked_for(void) {
    recallite_memory *memory = open_memory("recalled");
    recallite_new_event event = prompt("s1", "an echo of the invoice");
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_search_result *result = NULL;

    event.origin = RECALLITE_ORIGIN_RECALLED;
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    query.text = text("invoice");
    CHECK_OK(recallite_search(memory, &query, &result, &error));
    CHECK(result->len == 0);
    recallite_search_result_free(result);
    query.include_recalled = true;
    CHECK_OK(recallite_search(memory, &query, &result, &error));
    CHECK(result->len == 1 && result->items[0]->origin == RECALLITE_ORIGIN_RECALLED);
    recallite_search_result_free(result);
    recallite_free(memory);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    check_folder = argv[1];
    CASE(privacy_is_as_the_options_say);
    CASE(a_tools_output_is_cut_as_the_options_say);
    CASE(zero_and_an_empty_list_can_be_meant);
    CASE(recall_counts_what_the_weights_say);
    CASE(settings_are_defaults_that_show_their_source);
    CASE(a_settings_file_opens_a_memory);
    CASE(what_is_said_of_a_paused_project_is_not_stored);
    CASE(sessions_with_private_sections_are_counted);
    CASE(sizes_warn_and_refuse);
    CASE(retention_forgets_what_is_too_old);
    CASE(every_kind_can_be_read);
    CASE(a_smart_search_shows_as_much_as_helps);
    CASE(context_is_fenced_cited_and_within_its_budget);
    CASE(tokens_are_counted_as_the_program_says);
    CASE(a_search_is_narrowed_by_tools_files_outcomes_and_levels);
    CASE(a_question_for_a_time_gives_what_happened_then);
    CASE(a_question_can_name_an_event_by_its_citation);
    CASE(a_question_that_was_asked_before_is_found);
    CASE(days_are_those_of_the_time_zone);
    CASE(recalled_text_is_found_when_asked_for);
    return check_end();
}
