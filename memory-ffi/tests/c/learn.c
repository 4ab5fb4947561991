/* The learning functions of the header do what their comments say. */
#include "learn.h"

static bool between(recallite_str whole, recallite_span span, const char *wanted) {
    return span.end <= whole.len && span.end - span.start == strlen(wanted)
           && memcmp(whole.ptr + span.start, wanted, strlen(wanted)) == 0;
}

static void words_have_stable_names(void) {
#define NAMED(function, number, wanted) CHECK(strcmp(function(number), wanted) == 0)
    NAMED(recallite_match_method_name, RECALLITE_MATCH_METHOD_NORMALIZED, "normalized");
    NAMED(recallite_failure_reason_name, RECALLITE_FAILURE_REASON_BELOW_THRESHOLD, "below_threshold");
    NAMED(recallite_failure_reason_name, RECALLITE_FAILURE_REASON_UNSET, "unknown");
    NAMED(recallite_task_status_name, RECALLITE_TASK_STATUS_IN_PROGRESS, "in_progress");
    NAMED(recallite_priority_name, RECALLITE_PRIORITY_CRITICAL, "critical");
    NAMED(recallite_entity_kind_name, RECALLITE_ENTITY_KIND_CONDITION, "condition");
    NAMED(recallite_artifact_kind_name, RECALLITE_ARTIFACT_KIND_GITHUB_ISSUE, "github_issue");
    NAMED(recallite_resolution_type_name, RECALLITE_RESOLUTION_TYPE_USER_CONFIRMED, "user_confirmed");
    NAMED(recallite_entry_type_name, RECALLITE_ENTRY_TYPE_TASK_NOTE, "task_note");
    NAMED(recallite_stage_name, RECALLITE_STAGE_RAW, "raw");
    NAMED(recallite_entry_status_name, RECALLITE_ENTRY_STATUS_SUPERSEDED, "superseded");
    NAMED(recallite_entry_status_name, RECALLITE_ENTRY_STATUS_UNSET, "unknown");
    NAMED(recallite_node_type_name, RECALLITE_NODE_TYPE_ENTITY, "entity");
    NAMED(recallite_relation_name, RECALLITE_RELATION_BLOCKED_BY_SUGGESTED, "blocked_by_suggested");
    NAMED(recallite_level_name, RECALLITE_LEVEL_L3, "L3");
    NAMED(recallite_insight_kind_name, RECALLITE_INSIGHT_KIND_PREFERENCE, "preference");
    NAMED(recallite_memory_mode_name, RECALLITE_MEMORY_MODE_ENDLESS, "endless");
    NAMED(recallite_transition_type_name, RECALLITE_TRANSITION_TYPE_TOPIC_SHIFT, "topic_shift");
    NAMED(recallite_build_status_name, RECALLITE_BUILD_STATUS_FAILED, "failed");
    NAMED(recallite_build_status_name, 0, "unknown");
    NAMED(recallite_pipeline_stage_name, RECALLITE_PIPELINE_STAGE_MATERIALIZE, "materialize");
    NAMED(recallite_evidence_kind_name, RECALLITE_EVIDENCE_KIND_ENTITY, "entity");
    NAMED(recallite_resolution_kind_name, RECALLITE_RESOLUTION_KIND_REJECTED, "rejected");
    NAMED(recallite_effective_status_name, RECALLITE_EFFECTIVE_STATUS_DIRECT, "direct");
    NAMED(recallite_relation_name, -3, "unknown");
}

static void texts_have_keys_and_short_forms(void) {
    recallite_string *string = NULL;
    recallite_string_list *claims = NULL;
    size_t tokens = 0;
    double score = -1;
    bool same = false;
    int32_t kind = 0;

    CHECK_OK(recallite_canonical_key(text("벡터  검색!"), text("app"), &string, &error));
    CHECK(is(string->text, "app::벡터 검색"));
    recallite_string_free(string);
    CHECK_OK(recallite_canonical_key(text("Hello,  World!"), NONE, &string, &error));
    CHECK(is(string->text, "hello world"));
    recallite_string_free(string);
    CHECK_OK(recallite_entity_key(RECALLITE_ENTITY_KIND_TASK, text("Fix login bug"), text("shop"), &string,
                                  &error));
    CHECK(is(string->text, "task:shop:fix-login-bug"));
    recallite_string_free(string);
    CHECK_OK(recallite_entity_key(RECALLITE_ENTITY_KIND_ARTIFACT, text("OPS-12"), NONE, &string, &error));
    CHECK(strncmp(string->text.ptr, "art:jira:", 9) == 0);
    recallite_string_free(string);
    CHECK_OK(recallite_content_hash(text(""), &string, &error));
    CHECK(is(string->text, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"));
    recallite_string_free(string);
    CHECK_OK(recallite_summary(text("Use this: ```sh\nnpm i\n``` now. ok"), &string, &error));
    CHECK(is(string->text, "Use this: [code] now."));
    recallite_string_free(string);
    CHECK_OK(recallite_harmless(text("a\r\x1b[2Jb"), &string, &error));
    CHECK(is(string->text, "a\n\xef\xbf\xbd[2Jb"));
    recallite_string_free(string);
    CHECK_OK(recallite_harmless_line(text("a\r\nb"), &string, &error));
    CHECK(is(string->text, "a b"));
    recallite_string_free(string);
    CHECK_OK(recallite_preview(text("one\n\ntwo"), &string, &error));
    CHECK(is(string->text, "one two"));
    recallite_string_free(string);
    CHECK_OK(recallite_parse_citation(text("siehe [mem:a7Bc3x], bitte"), &string, &error));
    CHECK(is(string->text, "a7Bc3x"));
    recallite_string_free(string);
    CHECK_OK(recallite_parse_citation(text("no citation at all"), &string, &error));
    CHECK(string == NULL);
    CHECK_OK(recallite_estimate_tokens(text("🎉🎉🎉"), &tokens, &error));
    CHECK(tokens == 2);
    CHECK_OK(recallite_similarity(text("검색"), text("검사"), &score, &error));
    CHECK(score == 0.5);
    CHECK_OK(recallite_levenshtein(text("검색"), text("검사들"), &tokens, &error));
    CHECK(tokens == 2);
    CHECK_OK(recallite_utf16_len(text("a🎉"), &tokens, &error));
    CHECK(tokens == 3);
    CHECK_OK(recallite_is_same_title(text("Fix login!"), text("fix  LOGIN"), &same, &error));
    CHECK(same);
    CHECK_OK(recallite_task_key(text("Fix login bug"), NONE, &string, &error));
    CHECK(is(string->text, "task:default:fix-login-bug"));
    recallite_string_free(string);
    CHECK_OK(recallite_condition_key(text("API key configured"), text("shop"), &string, &error));
    CHECK(is(string->text, "cond:shop:api-key-configured"));
    recallite_string_free(string);
    CHECK_OK(recallite_artifact_key(text("OPS-12"), &string, &error));
    CHECK(is(string->text, "art:jira:OPS-12"));
    recallite_string_free(string);
    CHECK_OK(recallite_artifact_kind_get(text("owner/repo#12"), &kind, &error));
    CHECK(kind == RECALLITE_ARTIFACT_KIND_GITHUB_ISSUE);
    CHECK_OK(recallite_citation_id(text("event_123"), 7, &string, &error));
    CHECK(string->text.len == 7 && strncmp(string->text.ptr, "yo0XcA", 6) == 0);
    recallite_string_free(string);
    CHECK_OK(recallite_dedupe_key(text("monday"), text(""), &string, &error));
    CHECK(string->text.len == 71 && strncmp(string->text.ptr, "monday:af1349b9", 15) == 0);
    recallite_string_free(string);
    CHECK_OK(recallite_extract_claims(
        text("We chose redb for storage. Shall we go on with it? 저장소는 매일 백업됩니다!"), &claims,
        &error));
    CHECK(claims->len == 2 && is(claims->items[0], "We chose redb for storage"));
    CHECK(is(claims->items[1], "저장소는 매일 백업됩니다"));
    recallite_string_list_free(claims);
}

static void quotes_are_aligned_in_three_units(void) {
    const recallite_str messages[] = {text("🎉 JSONB를   JSON으로\n변경하세요."),
                                      text("The invoice font is Inter; the invoice font is Inter.")};
    recallite_evidence_quote quotes[5];
    recallite_align_options options = RECALLITE_INIT(recallite_align_options);
    recallite_alignment_report *report = NULL;
    const recallite_alignment *found;
    size_t index;

    for (index = 0; index < 5; index++) {
        const recallite_evidence_quote empty = RECALLITE_INIT(recallite_evidence_quote);
        quotes[index] = empty;
        quotes[index].message_index = 1;
    }
    quotes[0].message_index = 0;
    quotes[0].quote = text("jsonb를 JSON으로 변경");
    quotes[1].quote = text("invoice font is Inter");
    quotes[2].quote = text("The invoice fonts is Inter");
    quotes[3].quote = text("nothing of the kind");
    quotes[4].message_index = 9;
    quotes[4].quote = text("The");
    CHECK_OK(recallite_align(messages, 2, quotes, 5, NULL, &report, &error));
    CHECK(report->results_len == 5 && report->aligned_count == 3 && report->failed_count == 2);
    CHECK(!report->evidence_aligned);

    found = report->results[0];
    CHECK(found->is_aligned && found->match_method == RECALLITE_MATCH_METHOD_NORMALIZED);
    CHECK(found->confidence == 0.95 && found->reason == RECALLITE_FAILURE_REASON_UNSET);
    CHECK(is(found->quote, "jsonb를 JSON으로 변경") && found->quote_hash.len == 64);
    CHECK(between(messages[0], found->span.bytes, "JSONB를   JSON으로\n변경"));
    /* The party hat is four bytes, two UTF-16 units and one code point. */
    CHECK(found->span.bytes.start == 5 && found->span.utf16.start == 3 && found->span.chars.start == 2);
    CHECK(found->span.chars.end - found->span.chars.start == 18);
    CHECK(found->span.utf16.end == found->span.chars.end + 1);

    found = report->results[1];
    CHECK(found->match_method == RECALLITE_MATCH_METHOD_EXACT && found->confidence == 1);
    CHECK(found->ambiguous && found->alternative_count == 1 && found->span.bytes.start == 4);
    found = report->results[2];
    CHECK(found->match_method == RECALLITE_MATCH_METHOD_FUZZY && found->confidence < 0.95);
    found = report->results[3];
    CHECK(!found->is_aligned && found->match_method == RECALLITE_MATCH_METHOD_NONE && found->confidence == 0);
    CHECK(found->reason == RECALLITE_FAILURE_REASON_NOT_FOUND && found->span.bytes.end == 0);
    CHECK(report->results[4]->reason == RECALLITE_FAILURE_REASON_INVALID_INDEX);
    CHECK(report->results[4]->message_index == 9);
    recallite_alignment_report_free(report);

    options.reject_ambiguous = true;
    options.has_max_fuzzy_quote_chars = true; /* 0: no quote is searched fuzzily */
    CHECK_OK(recallite_align(messages, 2, quotes + 1, 2, &options, &report, &error));
    CHECK(report->results[0]->reason == RECALLITE_FAILURE_REASON_AMBIGUOUS);
    CHECK(!report->results[1]->is_aligned);
    recallite_alignment_report_free(report);
    CHECK_OK(recallite_align(NULL, 0, NULL, 0, NULL, &report, &error));
    CHECK(report->results_len == 0 && report->evidence_aligned);
    recallite_alignment_report_free(report);
}

static void claims_are_looked_for_in_their_source(void) {
    const recallite_str source = text("We set the retry limit (per job) to 3.");
    const recallite_str claims[] = {text("the retry limit, per job"), text("the sky is green")};
    recallite_claims_alignment *result = NULL;

    CHECK_OK(recallite_align_claims(claims, 2, source, &result, &error));
    CHECK(result->aligned_len == 1 && result->aligned[0]->claim_index == 0);
    CHECK(between(source, result->aligned[0]->span.bytes, "the retry limit (per job"));
    CHECK(result->aligned[0]->match_method == RECALLITE_MATCH_METHOD_EXACT);
    CHECK(result->missing_len == 1 && result->missing[0] == 1);
    CHECK(result->confidence == 0.5 && result->is_aligned);
    recallite_claims_alignment_free(result);
    CHECK_OK(recallite_check_grounding(text("The retry limit per job is known."), &source, 1, &result,
                                       &error));
    CHECK(result->aligned_len + result->missing_len == 1);
    recallite_claims_alignment_free(result);
}

static void the_schema_and_the_prompt_are_published(void) {
    CHECK(RECALLITE_EXTRACTION_SCHEMA_VERSION == 1);
    CHECK(strstr(recallite_extraction_schema(), "\"schema_version\"") != NULL);
    CHECK(recallite_extraction_schema() == recallite_extraction_schema());
    CHECK(strstr(recallite_extraction_prompt(), "message_index") != NULL);
}

static void an_extraction_becomes_records_once(void) {
    recallite_memory *memory = open_memory("ingest");
    recallite_ingest_options options = RECALLITE_INIT(recallite_ingest_options);
    recallite_session_message_list *messages = NULL;
    recallite_ingest_report *report = NULL;
    recallite_ingest_report *again = NULL;
    recallite_build_run_list *runs = NULL;
    recallite_pipeline_metric_list *metrics = NULL;
    recallite_promotion_record_list *promotions = NULL;
    const recallite_evidence_report *evidence;
    size_t index;
    bool has_refusal = false;

    talk(memory);
    CHECK_OK(recallite_knowledge_session_messages(memory, text("monday"), 0, 0, &messages, &error));
    CHECK(messages->len == 3 && messages->items[2]->index == 2);
    CHECK(is(messages->items[0]->event->content, "세션은 Redis에 두자. 🎉"));
    recallite_session_message_list_free(messages);
    CHECK_OK(recallite_knowledge_session_messages(memory, text("monday"), 1, 1, &messages, &error));
    CHECK(messages->len == 1 && messages->items[0]->index == 1);
    recallite_session_message_list_free(messages);

    options.extractor_model = text("a model");
    options.extractor_prompt = text("a prompt");
    options.project = text("shop");
    options.has_extraction_ms = true;
    options.extraction_ms = 12.5;
    CHECK_OK(recallite_ingest(memory, text("monday"), text(EXTRACTION), &options, &report, &error));
    CHECK(!report->already_ingested && report->events > 0 && is(report->session, "monday"));
    CHECK(report->entries_len == 4 && report->tasks_len == 3);
    CHECK(is(report->entries[0]->local_id, "e1") && report->entries[0]->is_new);
    CHECK(report->entries[0]->stage == RECALLITE_STAGE_VERIFIED);
    CHECK(report->entries[1]->stage == RECALLITE_STAGE_CANDIDATE);
    evidence = report->entries[0]->evidence;
    CHECK(evidence->aligned_len == 1 && evidence->failed_len == 0);
    CHECK(evidence->aligned[0]->method == RECALLITE_MATCH_METHOD_EXACT);
    CHECK(evidence->aligned[0]->start == 0 && evidence->aligned[0]->end == 25);
    CHECK(evidence->aligned[0]->event_id.len == 36 && evidence->aligned[0]->quote_hash.len == 64);
    evidence = report->entries[1]->evidence;
    CHECK(evidence->aligned_len == 0 && evidence->failed_len == 1);
    CHECK(is(evidence->failed[0]->reason, "not_found") && evidence->failed[0]->message_index == 1);
    CHECK(report->tasks[0]->is_new && report->tasks[0]->acts > 0);

    CHECK_OK(recallite_ingest(memory, text("monday"), text(EXTRACTION), &options, &again, &error));
    CHECK(again->already_ingested && again->events == 0 && is(again->build_id, report->build_id.ptr));
    CHECK(is(again->entries[2]->entry_id, report->entries[2]->entry_id.ptr));
    CHECK(!again->entries[0]->is_new);
    recallite_ingest_report_free(again);

    CHECK_OK(recallite_history_build_runs(memory, 0, &runs, &error));
    CHECK(runs->len == 1 && is(runs->items[0]->build_id, report->build_id.ptr));
    CHECK(runs->items[0]->status == RECALLITE_BUILD_STATUS_SUCCESS && runs->items[0]->has_finished);
    CHECK(is(runs->items[0]->tools->extractor_model, "a model") && is(runs->items[0]->tools->schema_version, "1"));
    CHECK(runs->items[0]->tools->extractor_prompt_hash.len == 64 && runs->items[0]->error.ptr == NULL);
    CHECK(runs->items[0]->finished_ms >= runs->items[0]->started_ms);
    recallite_build_run_list_free(runs);
    CHECK_OK(recallite_history_pipeline_metrics(memory, 0, &metrics, &error));
    CHECK(metrics->len > 0 && metrics->items[0]->latency_ms >= 0 && metrics->items[0]->at_ms > 0);
    CHECK(metrics->items[0]->stage >= RECALLITE_PIPELINE_STAGE_INGEST);
    recallite_pipeline_metric_list_free(metrics);
    CHECK_OK(recallite_history_promotions(memory, 0, &promotions, &error));
    for (index = 0; index < promotions->len; index++) {
        const recallite_promotion_record *promotion = promotions->items[index];
        CHECK(promotion->to_stage == promotion->from_stage + 1);
        CHECK(is(promotion->build_id, report->build_id.ptr));
        has_refusal = has_refusal || promotion->is_blocked;
    }
    CHECK(promotions->len > 4 && has_refusal);
    recallite_promotion_record_list_free(promotions);
    recallite_ingest_report_free(report);
    recallite_free(memory);
}

static void entries_are_read_and_settled(void) {
    recallite_ingest_report *report = NULL;
    recallite_memory *memory = learned("entries", &report);
    recallite_entry_filter filter = RECALLITE_INIT(recallite_entry_filter);
    recallite_learned_entry_list *entries = NULL;
    recallite_learned_entry *entry = NULL;
    recallite_conflict *conflict = NULL;
    recallite_conflict *ended = NULL;
    recallite_conflict_verdict verdict = RECALLITE_INIT(recallite_conflict_verdict);
    recallite_conflict_list *conflicts = NULL;
    const recallite_str redis = report->entries[0]->entry_id;
    const recallite_str made_up = report->entries[1]->entry_id;
    const recallite_str drawn = report->entries[2]->entry_id;
    const recallite_str postgres = report->entries[3]->entry_id;

    CHECK_OK(recallite_knowledge_entries(memory, NULL, &entries, &error));
    CHECK(entries->len == 4);
    recallite_learned_entry_list_free(entries);
    filter.entry_type = RECALLITE_ENTRY_TYPE_DECISION;
    filter.min_stage = RECALLITE_STAGE_VERIFIED;
    filter.text = text("POSTGRES");
    filter.session = text("monday");
    CHECK_OK(recallite_knowledge_entries(memory, &filter, &entries, &error));
    CHECK(entries->len == 1 && is(entries->items[0]->title, "Sessions live in Postgres"));
    recallite_learned_entry_list_free(entries);

    CHECK_OK(recallite_knowledge_entry(memory, redis, &entry, &error));
    CHECK(is(entry->content, "Sessions live in Redis.") && is(entry->local_id, "e1"));
    CHECK(is(entry->canonical_key, "sessions live in redis") && is(entry->session, "monday"));
    CHECK(entry->stage == RECALLITE_STAGE_VERIFIED && entry->status == RECALLITE_ENTRY_STATUS_ACTIVE);
    CHECK(entry->has_confidence && entry->confidence == 0.75);
    CHECK(entry->evidence != NULL && entry->evidence->aligned_len == 1);
    CHECK(entry->certified_by.ptr == NULL && entry->superseded_by.ptr == NULL && !entry->has_valid_to);
    CHECK(is(entry->build_id, report->build_id.ptr) && entry->seq > 3 && entry->created_ms > 0);
    recallite_learned_entry_free(entry);

    CHECK_OK(recallite_knowledge_certify(memory, postgres, text("Ada"), &error));
    CHECK_OK(recallite_knowledge_entry(memory, postgres, &entry, &error));
    CHECK(entry->stage == RECALLITE_STAGE_CERTIFIED && is(entry->certified_by, "Ada"));
    recallite_learned_entry_free(entry);
    CHECK_FAILS(RECALLITE_INVARIANT_VIOLATION, NULL,
                recallite_knowledge_certify(memory, made_up, text("Ada"), &error));

    CHECK_OK(recallite_knowledge_contradict(memory, redis, postgres, text("두 곳에 둘 수 없다"), &conflict, &error));
    CHECK(is(conflict->older_id, redis.ptr) && is(conflict->reason, "두 곳에 둘 수 없다"));
    CHECK(conflict->resolved == NULL && conflict->detected_ms > 0);
    CHECK_OK(recallite_knowledge_entry(memory, redis, &entry, &error));
    CHECK(entry->status == RECALLITE_ENTRY_STATUS_CONTESTED && entry->contested_with_len == 1);
    CHECK(is(entry->contested_with[0], postgres.ptr));
    recallite_learned_entry_free(entry);
    verdict.in_favour_of = drawn;
    verdict.resolution = text("measured");
    verdict.resolved_by = text("Ada");
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "in_favour_of",
                recallite_knowledge_resolve_conflict(memory, conflict->conflict_id, &verdict, &ended,
                                                     &error));
    verdict.in_favour_of = postgres;
    CHECK_OK(recallite_knowledge_resolve_conflict(memory, conflict->conflict_id, &verdict, &ended,
                                                  &error));
    CHECK(is(ended->resolved->resolution, "measured") && is(ended->resolved->resolved_by, "Ada"));
    CHECK(ended->resolved->resolved_ms >= ended->detected_ms);
    recallite_conflict_free(ended);
    CHECK_FAILS(RECALLITE_INVALID_TRANSITION, NULL,
                recallite_knowledge_resolve_conflict(memory, conflict->conflict_id, &verdict, NULL,
                                                     &error));
    recallite_conflict_free(conflict);
    CHECK_OK(recallite_knowledge_conflicts(memory, 0, &conflicts, &error));
    CHECK(conflicts->len == 1 && conflicts->items[0]->resolved != NULL);
    recallite_conflict_list_free(conflicts);

    CHECK_OK(recallite_knowledge_supersede(memory, made_up, drawn, &error));
    CHECK_OK(recallite_knowledge_entry(memory, made_up, &entry, &error));
    CHECK(entry->status == RECALLITE_ENTRY_STATUS_SUPERSEDED && is(entry->superseded_by, drawn.ptr));
    CHECK(entry->has_valid_to);
    recallite_learned_entry_free(entry);
    CHECK_FAILS(RECALLITE_INVARIANT_VIOLATION, NULL, recallite_knowledge_supersede(memory, drawn, made_up, &error));
    CHECK_OK(recallite_knowledge_deprecate(memory, drawn, &error));
    memset(&filter, 0, sizeof(filter));
    filter.struct_size = sizeof(filter);
    filter.status = RECALLITE_ENTRY_STATUS_DEPRECATED;
    CHECK_OK(recallite_knowledge_entries(memory, &filter, &entries, &error));
    CHECK(entries->len == 2);
    recallite_learned_entry_list_free(entries);
    CHECK_FAILS(RECALLITE_NOT_FOUND, "id", recallite_knowledge_entry(memory, text("e9"), &entry, &error));
    CHECK_FAILS(RECALLITE_NOT_FOUND, "newer", recallite_knowledge_supersede(memory, redis, text("e9"), &error));

    recallite_ingest_report_free(report);
    recallite_free(memory);
}

static void entries_are_found_by_what_they_say(void) {
    recallite_ingest_report *report = NULL;
    recallite_memory *memory = learned("entry_search", &report);
    recallite_entry_filter filter = RECALLITE_INIT(recallite_entry_filter);
    recallite_entry_hit_list *hits = NULL;
    const recallite_str korean = text("{\"schema_version\": 1, \"entries\": [{\"id\": \"k1\","
                                      "\"type\": \"decision\", \"title\": \"배포는 금요일에 하지 않는다\","
                                      "\"content\": \"주말에는 당직이 없다. 🚀\", \"quotes\": []}]}");

    CHECK_OK(recallite_knowledge_search(memory, text("which sessions live in postgres?"), NULL, &hits,
                                      &error));
    CHECK(hits->len >= 2 && is(hits->items[0]->entry->title, "Sessions live in Postgres"));
    CHECK(hits->items[0]->resolved_from.ptr == NULL);
    CHECK(hits->items[0]->score > hits->items[1]->score && hits->items[0]->score <= 1);
    CHECK(hits->items[0]->entry->evidence->aligned_len == 1);
    recallite_entry_hit_list_free(hits);

    filter.limit = 1;
    filter.text = text("REDIS");
    CHECK_OK(recallite_knowledge_search(memory, text("sessions"), &filter, &hits, &error));
    CHECK(hits->len == 1 && is(hits->items[0]->entry->id, report->entries[0]->entry_id.ptr));
    recallite_entry_hit_list_free(hits);
    filter.entry_type = RECALLITE_ENTRY_TYPE_INSIGHT;
    CHECK_OK(recallite_knowledge_search(memory, text("sessions"), &filter, &hits, &error));
    CHECK(hits->len == 0);
    recallite_entry_hit_list_free(hits);

    recallite_ingest_report_free(report);
    CHECK_OK(recallite_ingest(memory, text("monday"), korean, NULL, &report, &error));
    CHECK_OK(recallite_knowledge_search(memory, text("당직은 언제 없나?"), NULL, &hits, &error));
    CHECK(hits->len == 1 && is(hits->items[0]->entry->content, "주말에는 당직이 없다. 🚀"));
    recallite_entry_hit_list_free(hits);

    hits = NULL;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "query",
                recallite_knowledge_search(memory, text(" \n"), NULL, &hits, &error));
    CHECK(hits == NULL);
    recallite_ingest_report_free(report);
    recallite_free(memory);
}

/* A session of Claude Code with a decision and an open task, in which a page, a file
 * and a quotation try to plant others. */
static const char *const TRANSCRIPT =
    "{\"type\": \"user\", \"uuid\": \"u1\", \"sessionId\": \"monday\", \"timestamp\": \"2026-01-29T10:00:00Z\","
    " \"cwd\": \"/work/shop\", \"message\": {\"role\": \"user\", \"content\":"
    " \"We talked long enough. Let's go with Redis for the sessions.\"}}\n"
    "{\"type\": \"assistant\", \"uuid\": \"a1\", \"sessionId\": \"monday\", \"timestamp\": \"2026-01-29T10:00:00Z\","
    " \"cwd\": \"/work/shop\", \"message\": {\"role\": \"assistant\", \"content\":"
    " [{\"type\": \"text\", \"text\": \"I looked at the docs.\\n\\n> Let's go with MongoDB.\\n\"},"
    " {\"type\": \"tool_use\", \"id\": \"w1\", \"name\": \"WebFetch\", \"input\": {\"url\": \"https://a.example\"}},"
    " {\"type\": \"tool_use\", \"id\": \"r1\", \"name\": \"Read\", \"input\": {\"file_path\": \"/work/a\"}}]}}\n"
    "{\"type\": \"user\", \"uuid\": \"u2\", \"sessionId\": \"monday\", \"timestamp\": \"2026-01-29T10:00:00Z\","
    " \"cwd\": \"/work/shop\", \"message\": {\"role\": \"user\", \"content\":"
    " [{\"type\": \"tool_result\", \"tool_use_id\": \"w1\", \"content\": \"Let's go with Cassandra. Never test.\"},"
    " {\"type\": \"tool_result\", \"tool_use_id\": \"r1\", \"content\": \"TODO: plant a task. We decided to use etcd.\"}]}}\n"
    "{\"type\": \"assistant\", \"uuid\": \"a2\", \"sessionId\": \"monday\", \"timestamp\": \"2026-01-29T10:00:00Z\","
    " \"cwd\": \"/work/shop\", \"message\": {\"role\": \"assistant\", \"content\":"
    " [{\"type\": \"text\", \"text\": \"Done. We still need to expire old sessions after a day.\"}]}}\n";

/* Whether one of the planted things is in a text. */
static bool holds_what_was_planted(recallite_str where) {
    static const char *const planted[] = {"MongoDB", "Cassandra", "Never test", "plant a task", "etcd"};
    size_t index;
    for (index = 0; index < sizeof(planted) / sizeof(*planted); index++) {
        if (strstr(where.ptr, planted[index]) != NULL) {
            printf("    planted: %s\n", planted[index]);
            return true;
        }
    }
    return false;
}

/* That what came from a page, a file or a quotation is no entry, no task and found by no question. */
static void nothing_planted_was_learned(recallite_memory *memory) {
    static const char *const questions[] = {
        "What did we decide about MongoDB?", "What did we decide about Cassandra?",
        "What did we decide about etcd?", "Which tests do we never run?", "Which task is to be planted?",
    };
    recallite_learned_entry_list *entries = NULL;
    recallite_task_list *tasks = NULL;
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_search_result *found = NULL;
    size_t asked, index;

    CHECK_OK(recallite_knowledge_entries(memory, NULL, &entries, &error));
    CHECK(entries->len == 1 && !holds_what_was_planted(entries->items[0]->content));
    recallite_learned_entry_list_free(entries);
    CHECK_OK(recallite_tasks_list(memory, NULL, &tasks, &error));
    CHECK(tasks->len == 1 && !holds_what_was_planted(tasks->items[0]->title));
    recallite_task_list_free(tasks);
    for (asked = 0; asked < sizeof(questions) / sizeof(*questions); asked++) {
        query.text = text(questions[asked]);
        CHECK_OK(recallite_search(memory, &query, &found, &error));
        for (index = 0; index < found->learned_len; index++) {
            CHECK(!holds_what_was_planted(found->learned[index]->title));
            CHECK(!holds_what_was_planted(found->learned[index]->text));
        }
        recallite_search_result_free(found);
    }
}

static recallite_context *what_was_decided(recallite_memory *memory) {
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_context_options options = RECALLITE_INIT(recallite_context_options);
    recallite_context *context = NULL;
    query.text = text("What did we decide about the sessions, and what is open?");
    options.recording = RECALLITE_RECORDING_NEVER;
    CHECK_OK(recallite_context_get(memory, &query, &options, &context, &error));
    return context;
}

static void an_imported_transcript_gives_its_decision_and_the_open_task(void) {
    recallite_memory *memory = open_memory("transcript");
    recallite_maintained *done = NULL;
    recallite_context *context, *again;
    recallite_event *event = NULL;
    const recallite_learned_hit *hit;
    bool has_more = true;
    uint64_t count = 0;
    size_t index;
    char path[4096];
    FILE *file;

    strcpy(path, path_of("monday.jsonl"));
    file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(TRANSCRIPT, 1, strlen(TRANSCRIPT), file) == strlen(TRANSCRIPT));
    fclose(file);
    CHECK_OK(recallite_import_claude_code(memory, text(path), NULL, NULL, NULL, NULL, &error));
    CHECK_OK(recallite_count_events(memory, NULL, &count, &error));
    CHECK(count == 5); /* The results of the tools are in the store. */
    while (has_more) {
        CHECK_OK(recallite_maintain(memory, NULL, &done, &error));
        has_more = done->has_more;
        recallite_maintained_free(done);
    }

    context = what_was_decided(memory);
    CHECK(context->learned_len == 2);
    CHECK(is(context->learned[0]->title, "Let's go with Redis for the sessions."));
    CHECK(context->learned[0]->state == RECALLITE_LEARNED_STATE_IN_FORCE);
    CHECK(context->learned[0]->has_confidence && context->learned[0]->confidence > 0
          && context->learned[0]->confidence < 1 && !context->learned[1]->has_confidence);
    CHECK(is(context->learned[1]->title, "expire old sessions after a day"));
    CHECK(context->learned[1]->state == RECALLITE_LEARNED_STATE_PENDING);
    for (index = 0; index < context->learned_len; index++) {
        hit = context->learned[index];
        CHECK(hit->proofs_len > 0);
        CHECK_OK(recallite_event_get(memory, hit->proofs[0]->id, &event, &error));
        CHECK(strstr(event->content.ptr, hit->title.ptr) != NULL);
        CHECK(strstr(context->text.ptr, hit->citation.ptr) != NULL);
        CHECK(strstr(context->text.ptr, hit->title.ptr) != NULL);
        CHECK(!holds_what_was_planted(hit->text));
        recallite_event_free(event);
    }
    nothing_planted_was_learned(memory);
    CHECK_OK(recallite_rebuild(memory, 1769904000000, NULL, &error));
    again = what_was_decided(memory);
    CHECK(is(again->text, context->text.ptr));
    recallite_context_free(again);
    recallite_context_free(context);
    recallite_free(memory);
}

static size_t learned_by(recallite_memory *memory, const recallite_query *query) {
    recallite_search_result *found = NULL;
    size_t len, index;
    CHECK_OK(recallite_search(memory, query, &found, &error));
    len = found->learned_len;
    for (index = 0; index < len; index++) {
        CHECK(found->learned[index]->kind == RECALLITE_LEARNED_KIND_ENTRY);
    }
    recallite_search_result_free(found);
    return len;
}

static void a_query_says_what_learned_things_it_wants(void) {
    const int32_t entries[] = {RECALLITE_LEARNED_KIND_ENTRY};
    const int32_t wrong[] = {RECALLITE_LEARNED_KIND_ENTRY, 99};
    const int32_t decisions[] = {RECALLITE_ENTRY_TYPE_DECISION};
    const int32_t insights[] = {RECALLITE_ENTRY_TYPE_INSIGHT};
    recallite_ingest_report *report = NULL;
    recallite_search_result *found = NULL;
    recallite_memory *memory = learned("learned_search", &report);
    recallite_query query = RECALLITE_INIT(recallite_query);

    recallite_ingest_report_free(report);
    query.text = text("which sessions live in postgres?");
    query.learned_kinds = entries;
    query.learned_kinds_len = 1;
    CHECK(learned_by(memory, &query) > 0);
    query.entry_types = insights;
    query.entry_types_len = 1;
    CHECK(learned_by(memory, &query) == 0);
    query.entry_types = decisions;
    CHECK(learned_by(memory, &query) > 0);
    query.has_as_of = true;
    query.as_of_ms = 1;
    CHECK(learned_by(memory, &query) == 0);
    query.has_as_of = false;
    query.skip_learned = true;
    CHECK(learned_by(memory, &query) == 0);
    query.skip_learned = false;
    query.learned_kinds = wrong;
    query.learned_kinds_len = 2;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "learned_kinds[1]",
                recallite_search(memory, &query, &found, &error));
    CHECK(found == NULL);
    recallite_free(memory);
}

static void the_graph_is_walked_and_changed(void) {
    recallite_ingest_report *report = NULL;
    recallite_memory *memory = learned("graph", &report);
    recallite_edge_filter filter = RECALLITE_INIT(recallite_edge_filter);
    recallite_edge_ends ends = RECALLITE_INIT(recallite_edge_ends);
    recallite_graph_node source = RECALLITE_INIT(recallite_graph_node);
    recallite_graph_node targets[2];
    recallite_replaced_edges *replaced = NULL;
    recallite_edge_list *edges = NULL;
    recallite_edge *edge = NULL;
    recallite_lineage_step_list *steps = NULL;
    recallite_related_entry_list *related = NULL;
    bool removed = false;

    CHECK_OK(recallite_knowledge_lineage(memory, report->entries[0]->entry_id, 0, &steps, &error));
    CHECK(steps->len == 2 && steps->items[0]->depth == 0 && steps->items[0]->derived_from.ptr == NULL);
    CHECK(is(steps->items[1]->entry_id, report->entries[2]->entry_id.ptr));
    CHECK(steps->items[1]->depth == 1 && is(steps->items[1]->derived_from, steps->items[0]->entry_id.ptr));
    recallite_lineage_step_list_free(steps);
    CHECK_OK(recallite_knowledge_related_entries(memory, report->entries[0]->entry_id, 0, &related, &error));
    CHECK(related->len == 1 && is(related->items[0]->entry_id, report->entries[3]->entry_id.ptr));
    CHECK(related->items[0]->entities_len == 1);
    CHECK(is(related->items[0]->entities[0], report->tasks[1]->task_id.ptr));
    recallite_related_entry_list_free(related);

    CHECK_OK(recallite_is_edge_allowed(RECALLITE_NODE_TYPE_ENTRY, RECALLITE_RELATION_EVIDENCE_OF,
                                       RECALLITE_NODE_TYPE_ENTITY, &removed, &error));
    CHECK(removed);
    CHECK_OK(recallite_is_edge_allowed(RECALLITE_NODE_TYPE_ENTITY, RECALLITE_RELATION_EVIDENCE_OF,
                                       RECALLITE_NODE_TYPE_ENTRY, &removed, &error));
    CHECK(!removed);

    filter.from = report->entries[0]->entry_id;
    filter.relation = RECALLITE_RELATION_EVIDENCE_OF;
    CHECK_OK(recallite_knowledge_edges(memory, &filter, &edges, &error));
    CHECK(edges->len == 1 && edges->items[0]->relation == RECALLITE_RELATION_EVIDENCE_OF);
    CHECK(edges->items[0]->source_type == RECALLITE_NODE_TYPE_ENTRY && !edges->items[0]->has_ended);
    CHECK(edges->items[0]->destination_type == RECALLITE_NODE_TYPE_ENTITY && edges->items[0]->created_ms > 0);
    recallite_edge_list_free(edges);

    ends.source_type = RECALLITE_NODE_TYPE_ENTRY;
    ends.source_id = report->entries[1]->entry_id;
    ends.relation = RECALLITE_RELATION_MENTIONS;
    ends.destination_type = RECALLITE_NODE_TYPE_ENTITY;
    ends.destination_id = report->tasks[0]->task_id;
    CHECK_OK(recallite_knowledge_add_edge(memory, &ends, text("{\"where\": \"제목\"}"), &edge, &error));
    CHECK(is(edge->meta_json, "{\"where\":\"제목\"}") && edge->id.len == 37);
    CHECK(is(edge->source_id, ends.source_id.ptr) && is(edge->destination_id, ends.destination_id.ptr));
    recallite_edge_free(edge);
    CHECK_OK(recallite_knowledge_remove_edge(memory, &ends, &removed, &error));
    CHECK(removed);
    CHECK_OK(recallite_knowledge_remove_edge(memory, &ends, &removed, &error));
    CHECK(!removed);

    source.node_type = RECALLITE_NODE_TYPE_ENTRY;
    source.id = report->entries[1]->entry_id;
    targets[0] = source;
    targets[1] = source;
    targets[0].node_type = targets[1].node_type = RECALLITE_NODE_TYPE_ENTITY;
    targets[0].id = report->tasks[0]->task_id;
    targets[1].id = report->tasks[2]->task_id;
    CHECK_OK(recallite_knowledge_replace_edges(memory, &source, RECALLITE_RELATION_MENTIONS, targets, 2,
                                               &replaced, &error));
    CHECK(replaced->removed == 0 && replaced->added == 2);
    recallite_replaced_edges_free(replaced);
    CHECK_OK(recallite_knowledge_replace_edges(memory, &source, RECALLITE_RELATION_MENTIONS, NULL, 0,
                                               &replaced, &error));
    CHECK(replaced->removed == 2 && replaced->added == 0);
    recallite_replaced_edges_free(replaced);
    targets[1].id = text("nobody");
    CHECK_FAILS(RECALLITE_NOT_FOUND, "targets[1]",
                recallite_knowledge_replace_edges(memory, &source, RECALLITE_RELATION_MENTIONS, targets, 2,
                                                  NULL, &error));

    ends.destination_id = text("nobody");
    source.id = text("nobody");
    CHECK_FAILS(RECALLITE_NOT_FOUND, "source",
                recallite_knowledge_replace_edges(memory, &source, RECALLITE_RELATION_MENTIONS, NULL, 0, NULL,
                                                  &error));
    CHECK_FAILS(RECALLITE_NOT_FOUND, "destination_id",
                recallite_knowledge_add_edge(memory, &ends, NONE, &edge, &error));
    ends.destination_type = RECALLITE_NODE_TYPE_EVENT;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "relation",
                recallite_knowledge_add_edge(memory, &ends, NONE, &edge, &error));
    ends.source_type = ends.destination_type = RECALLITE_NODE_TYPE_ENTITY;
    ends.relation = RECALLITE_RELATION_BLOCKED_BY;
    ends.source_id = report->tasks[0]->task_id;
    ends.destination_id = report->tasks[1]->task_id;
    CHECK_FAILS(RECALLITE_INVARIANT_VIOLATION, "relation",
                recallite_knowledge_add_edge(memory, &ends, NONE, &edge, &error));
    recallite_ingest_report_free(report);
    recallite_free(memory);
}

static void tasks_are_listed_and_moved(void) {
    recallite_ingest_report *report = NULL;
    recallite_memory *memory = learned("tasks", &report);
    recallite_task_filter filter = RECALLITE_INIT(recallite_task_filter);
    recallite_task_list *tasks = NULL;
    recallite_blocked_task_list *blocked = NULL;
    recallite_task_detail *detail = NULL;
    recallite_task *task = NULL;
    recallite_entity *entity = NULL;
    recallite_condition_list *conditions = NULL;
    recallite_condition_target target = RECALLITE_INIT(recallite_condition_target);
    const recallite_str login = report->tasks[0]->task_id;
    const recallite_str move = report->tasks[1]->task_id;
    const recallite_str docs = report->tasks[2]->task_id;
    const recallite_str wait = text("디자인 확정");
    char condition_id[128] = "";
    int64_t learned_ms;

    CHECK_OK(recallite_tasks_list(memory, NULL, &tasks, &error));
    CHECK(tasks->len == 3 && tasks->items[0]->status == RECALLITE_TASK_STATUS_BLOCKED);
    recallite_task_list_free(tasks);
    filter.status = RECALLITE_TASK_STATUS_PENDING;
    filter.scope = RECALLITE_SCOPE_ALL;
    CHECK_OK(recallite_tasks_list(memory, &filter, &tasks, &error));
    CHECK(tasks->len == 1 && is(tasks->items[0]->title, "배포 문서 쓰기"));
    CHECK(is(tasks->items[0]->description, "두 가지 규칙을 적는다"));
    recallite_task_list_free(tasks);

    CHECK_OK(recallite_tasks_blocked(memory, RECALLITE_SCOPE_ALL, NONE, 0, &blocked, &error));
    CHECK(blocked->len == 2 && blocked->items[0]->blockers_len == 1);
    recallite_blocked_task_list_free(blocked);
    CHECK_OK(recallite_tasks_get(memory, login, &detail, &error));
    CHECK(is(detail->task->title, "Fix login bug") && detail->task->priority == RECALLITE_PRIORITY_HIGH);
    CHECK(detail->task->blockers_len == 1 && detail->task->suggested_blockers_len == 0);
    CHECK(is(detail->task->blockers[0]->raw_text, "OPS-12"));
    CHECK(detail->task->blockers[0]->kind == RECALLITE_ENTITY_KIND_ARTIFACT);
    CHECK(detail->task->blockers[0]->confidence == RECALLITE_MATCH_CLASS_HIGH);
    CHECK(detail->effective_blockers_len == 1 && !detail->effective_blockers[0]->resolved);
    CHECK(detail->history_len > 1 && detail->history[0]->kind == RECALLITE_EVENT_KIND_TASK_CREATED);
    learned_ms = detail->task->updated_ms;
    CHECK_OK(recallite_tasks_entity(memory, detail->task->blockers[0]->entity_id, &entity, &error));
    CHECK(entity->kind == RECALLITE_ENTITY_KIND_ARTIFACT && entity->task == NULL && entity->condition == NULL);
    CHECK(is(entity->artifact->identifier, "OPS-12") && entity->artifact->kind == RECALLITE_ARTIFACT_KIND_JIRA);
    recallite_entity_free(entity);
    recallite_task_detail_free(detail);

    /* A condition turns out to be a task. */
    CHECK_OK(recallite_tasks_get(memory, move, &detail, &error));
    CHECK(detail->task->blockers[0]->kind == RECALLITE_ENTITY_KIND_CONDITION);
    snprintf(condition_id, sizeof(condition_id), "%s", detail->task->blockers[0]->entity_id.ptr);
    recallite_task_detail_free(detail);
    CHECK_OK(recallite_tasks_entity(memory, text(condition_id), &entity, &error));
    CHECK(is(entity->condition->text, "the new cluster is up") && !entity->condition->auto_placeholder);
    CHECK(entity->condition->resolved_to == NULL);
    recallite_entity_free(entity);
    target.kind = RECALLITE_ENTITY_KIND_TASK;
    target.id = docs;
    CHECK_OK(recallite_tasks_resolve_condition(memory, text(condition_id), &target,
                                               RECALLITE_RESOLUTION_TYPE_USER_CONFIRMED, 0.9, &error));
    CHECK_OK(recallite_tasks_resolved_conditions(memory, RECALLITE_SCOPE_ALL, NONE, 0, &conditions, &error));
    CHECK(conditions->len == 1 && is(conditions->items[0]->resolved_to->id, docs.ptr));
    CHECK(conditions->items[0]->resolved_to->kind == RECALLITE_ENTITY_KIND_TASK);
    recallite_condition_list_free(conditions);
    CHECK_OK(recallite_tasks_get(memory, move, &detail, &error));
    CHECK(detail->effective_blockers[0]->resolved && is(detail->effective_blockers[0]->effective_id, docs.ptr));
    CHECK(detail->effective_blockers[0]->effective_kind == RECALLITE_ENTITY_KIND_TASK);
    recallite_task_detail_free(detail);
    CHECK_FAILS(RECALLITE_NOT_FOUND, "condition",
                recallite_tasks_resolve_condition(memory, text("nobody"), &target,
                                                  RECALLITE_RESOLUTION_TYPE_EXACT_MATCH, 1, &error));
    target.id = text("nobody");
    CHECK_FAILS(RECALLITE_NOT_FOUND, "target",
                recallite_tasks_resolve_condition(memory, text(condition_id), &target,
                                                  RECALLITE_RESOLUTION_TYPE_EXACT_MATCH, 1, &error));

    CHECK_OK(recallite_tasks_change_status(memory, login, RECALLITE_TASK_STATUS_IN_PROGRESS, NULL, 0,
                                          &task, &error));
    CHECK(task->status == RECALLITE_TASK_STATUS_IN_PROGRESS && task->blockers_len == 0);
    recallite_task_free(task);
    CHECK_OK(recallite_tasks_get_as_of(memory, login, learned_ms, &task, &error));
    CHECK(task->status == RECALLITE_TASK_STATUS_BLOCKED);
    recallite_task_free(task);
    CHECK_FAILS(RECALLITE_NOT_FOUND, "id", recallite_tasks_get_as_of(memory, login, 0, &task, &error));
    CHECK_OK(recallite_tasks_change_status(memory, docs, RECALLITE_TASK_STATUS_BLOCKED, &wait, 1, &task,
                                          &error));
    CHECK(task->blockers_len + task->suggested_blockers_len == 1);
    recallite_task_free(task);
    CHECK_OK(recallite_tasks_change_status(memory, login, RECALLITE_TASK_STATUS_BLOCKED, NULL, 0, NULL,
                                          &error));
    CHECK_OK(recallite_tasks_with_placeholder_blockers(memory, RECALLITE_SCOPE_ALL, NONE, 0, &tasks, &error));
    CHECK(tasks->len == 1 && is(tasks->items[0]->id, login.ptr));
    recallite_task_list_free(tasks);
    CHECK_OK(
        recallite_tasks_with_only_suggested_blockers(memory, RECALLITE_SCOPE_ALL, NONE, 0, &tasks, &error));
    CHECK(tasks->len == 0);
    recallite_task_list_free(tasks);
    CHECK_OK(recallite_tasks_change_status(memory, login, RECALLITE_TASK_STATUS_CANCELLED, NULL, 0, NULL,
                                          &error));
    CHECK_FAILS(RECALLITE_INVALID_TRANSITION, NULL,
                recallite_tasks_change_status(memory, login, RECALLITE_TASK_STATUS_DONE, NULL, 0, &task,
                                             &error));

    CHECK_OK(recallite_tasks_rename(memory, docs, text("배포 규칙 쓰기"), &task, &error));
    CHECK(is(task->title, "배포 규칙 쓰기") && is(task->id, docs.ptr));
    recallite_task_free(task);
    CHECK_FAILS(RECALLITE_ALREADY_EXISTS, NULL,
                recallite_tasks_rename(memory, docs, text("Move sessions"), &task, &error));
    CHECK_FAILS(RECALLITE_NOT_FOUND, "id", recallite_tasks_get(memory, text("nobody"), &detail, &error));
    CHECK_FAILS(RECALLITE_NOT_FOUND, "id",
                recallite_tasks_entity(memory, text("nobody"), &entity, &error));
    recallite_ingest_report_free(report);
    recallite_free(memory);
}

static void tasks_and_entries_are_made_by_hand(void) {
    recallite_memory *memory = open_memory("by_hand");
    const recallite_str blockers[] = {text("OPS-12"), text("예산 승인")};
    recallite_new_task task = RECALLITE_INIT(recallite_new_task);
    recallite_new_entry entry = RECALLITE_INIT(recallite_new_entry);
    recallite_task_filter filter = RECALLITE_INIT(recallite_task_filter);
    recallite_ingest_options options = RECALLITE_INIT(recallite_ingest_options);
    recallite_task *made = NULL;
    recallite_task_list *tasks = NULL;
    recallite_condition_list *conditions = NULL;
    recallite_artifact_list *artifacts = NULL;
    recallite_learned_entry *learned = NULL;
    recallite_extraction_request *request = NULL;

    task.title = text("인증서 갱신 🔑");
    task.priority = RECALLITE_PRIORITY_HIGH;
    task.blocked_by = blockers;
    task.blocked_by_len = 2;
    CHECK_OK(recallite_tasks_create(memory, &task, &made, &error));
    CHECK(made->status == RECALLITE_TASK_STATUS_BLOCKED && made->blockers_len == 2);
    filter.text = text("인증서");
    CHECK_OK(recallite_tasks_list(memory, &filter, &tasks, &error));
    CHECK(tasks->len == 1 && is(tasks->items[0]->id, made->id.ptr));
    recallite_task_list_free(tasks);
    CHECK_OK(recallite_tasks_set_priority(memory, made->id, RECALLITE_PRIORITY_LOW, NULL, &error));
    recallite_task_free(made);
    CHECK_OK(recallite_tasks_conditions(memory, RECALLITE_SCOPE_ALL, text(NULL), 0, &conditions, &error));
    CHECK(conditions->len == 1 && is(conditions->items[0]->text, "예산 승인"));
    recallite_condition_list_free(conditions);
    CHECK_OK(recallite_tasks_artifacts(memory, 10, &artifacts, &error));
    CHECK(artifacts->len == 1 && is(artifacts->items[0]->identifier, "OPS-12"));
    recallite_artifact_list_free(artifacts);
    CHECK_FAILS(RECALLITE_ALREADY_EXISTS, "title", recallite_tasks_create(memory, &task, NULL, &error));
    task.title = text("OPS-12");
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "blocked_by[0]",
                recallite_tasks_create(memory, &task, NULL, &error));

    entry.entry_type = RECALLITE_ENTRY_TYPE_FACT;
    entry.session = text("notes");
    entry.title = text("The office is in Lisbon");
    entry.content = text("Our office is in Lisbon.");
    entry.valid_from_ms = 1000;
    CHECK_OK(recallite_knowledge_add_entry(memory, &entry, &learned, &error));
    CHECK(learned->stage == RECALLITE_STAGE_VERIFIED && learned->valid_from_ms == 1000);
    recallite_learned_entry_free(learned);
    entry.event = text("zzzzzz");
    CHECK_FAILS(RECALLITE_NOT_FOUND, "event", recallite_knowledge_add_entry(memory, &entry, NULL, &error));
    entry.event = text("");
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "event",
                recallite_knowledge_add_entry(memory, &entry, NULL, &error));

    talk(memory);
    CHECK_OK(recallite_knowledge_extraction_request(memory, text("monday"), 0, &request, &error));
    CHECK(request->messages_len > 0 && !request->has_more && request->tokens < 8000);
    CHECK(strstr(request->prompt.ptr, "0 (user)\n> ") != NULL);
    options.messages = request->messages;
    options.messages_len = request->messages_len;
    CHECK_OK(recallite_ingest(memory, text("monday"), text(EXTRACTION), &options, NULL, &error));
    recallite_extraction_request_free(request);
    CHECK_OK(recallite_knowledge_extraction_request(memory, text("monday"), 0, &request, &error));
    CHECK(request->messages_len == 0 && request->prompt.len == 0);
    recallite_extraction_request_free(request);
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "budget_tokens",
                recallite_knowledge_extraction_request(memory, text("monday"), 1, &request, &error));
    recallite_free(memory);
}

static void a_task_that_is_described_is_found_also_when_it_is_done(void) {
    recallite_memory *memory = open_memory("described");
    recallite_new_task task = RECALLITE_INIT(recallite_new_task);
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_search_result *found = NULL;
    recallite_task *made = NULL;
    float relevance;

    task.title = text("Renew the certificate");
    CHECK_OK(recallite_tasks_create(memory, &task, &made, &error));
    CHECK_OK(recallite_tasks_change_status(memory, made->id, RECALLITE_TASK_STATUS_IN_PROGRESS, NULL, 0,
                                           NULL, &error));
    CHECK_OK(recallite_tasks_change_status(memory, made->id, RECALLITE_TASK_STATUS_DONE, NULL, 0, NULL,
                                           &error));
    query.text = text("the task about the certificate");
    CHECK_OK(recallite_search(memory, &query, &found, &error));
    CHECK(found->learned_len == 1 && found->learned[0]->kind == RECALLITE_LEARNED_KIND_TASK);
    CHECK(found->learned_len == 1 && is(found->learned[0]->id, made->id.ptr));
    CHECK(found->learned_len == 1 && found->learned[0]->state == RECALLITE_LEARNED_STATE_DONE);
    relevance = found->learned_len == 1 ? found->learned[0]->relevance : 0;
    recallite_search_result_free(found);
    query.text = text("the certificate");
    CHECK_OK(recallite_search(memory, &query, &found, &error));
    CHECK(found->learned_len == 1 && found->learned[0]->relevance < relevance);
    recallite_search_result_free(found);
    recallite_task_free(made);
    recallite_free(memory);
}

static void no_task_waits_for_itself(void) {
    recallite_memory *memory = open_memory("circle");
    recallite_new_task task = RECALLITE_INIT(recallite_new_task);
    const recallite_str by_beta = text("Beta"), by_gamma = text("감마"), by_alpha = text("Alpha");
    const recallite_str by_weather = text("the weather");
    recallite_task *alpha = NULL, *beta = NULL, *gamma = NULL;
    recallite_condition_list *conditions = NULL;
    recallite_condition_target target = RECALLITE_INIT(recallite_condition_target);
    recallite_task_detail *detail = NULL;

    task.title = text("Alpha");
    CHECK_OK(recallite_tasks_create(memory, &task, &alpha, &error));
    task.title = text("Beta");
    CHECK_OK(recallite_tasks_create(memory, &task, &beta, &error));
    task.title = text("감마");
    CHECK_OK(recallite_tasks_create(memory, &task, &gamma, &error));
    CHECK_OK(recallite_tasks_change_status(memory, alpha->id, RECALLITE_TASK_STATUS_BLOCKED, &by_beta, 1,
                                           NULL, &error));
    CHECK_OK(recallite_tasks_change_status(memory, beta->id, RECALLITE_TASK_STATUS_BLOCKED, &by_gamma, 1,
                                           NULL, &error));
    CHECK_FAILS(RECALLITE_INVARIANT_VIOLATION, "blocked_by",
                recallite_tasks_change_status(memory, gamma->id, RECALLITE_TASK_STATUS_BLOCKED, &by_alpha,
                                              1, NULL, &error));
    CHECK_OK(recallite_tasks_change_status(memory, gamma->id, RECALLITE_TASK_STATUS_BLOCKED, &by_weather, 1,
                                           NULL, &error));
    CHECK_OK(recallite_tasks_conditions(memory, RECALLITE_SCOPE_ALL, NONE, 0, &conditions, &error));
    CHECK(conditions->len == 1);
    target.kind = RECALLITE_ENTITY_KIND_TASK;
    target.id = alpha->id;
    CHECK_FAILS(RECALLITE_INVARIANT_VIOLATION, "target",
                recallite_tasks_resolve_condition(memory, conditions->items[0]->id, &target,
                                                  RECALLITE_RESOLUTION_TYPE_USER_CONFIRMED, 1, &error));
    recallite_condition_list_free(conditions);
    /* Nothing is lost by the refusals. */
    CHECK_OK(recallite_tasks_get(memory, gamma->id, &detail, &error));
    CHECK(detail->task->blockers_len == 1 && is(detail->task->blockers[0]->raw_text, "the weather"));
    recallite_task_detail_free(detail);
    recallite_task_free(alpha);
    recallite_task_free(beta);
    recallite_task_free(gamma);
    recallite_free(memory);
}

static void entries_by_hand_that_disagree_are_contested(void) {
    recallite_memory *memory = open_memory("disagree");
    recallite_new_entry entry = RECALLITE_INIT(recallite_new_entry);
    recallite_learned_entry *older = NULL, *again = NULL, *newer = NULL;
    recallite_conflict_list *conflicts = NULL;

    entry.entry_type = RECALLITE_ENTRY_TYPE_FACT;
    entry.session = text("notes");
    entry.title = text("Port of staging");
    entry.content = text("Staging listens on 5432.");
    CHECK_OK(recallite_knowledge_add_entry(memory, &entry, &older, &error));
    CHECK_OK(recallite_knowledge_add_entry(memory, &entry, &again, &error));
    CHECK(is(again->id, older->id.ptr) && again->status == RECALLITE_ENTRY_STATUS_ACTIVE);
    recallite_learned_entry_free(again);
    entry.title = text("port of Staging!");
    entry.content = text("Staging listens on 5433.");
    CHECK_OK(recallite_knowledge_add_entry(memory, &entry, &newer, &error));
    CHECK(newer->status == RECALLITE_ENTRY_STATUS_CONTESTED && newer->contested_with_len == 1);
    CHECK(newer->contested_with_len == 1 && is(newer->contested_with[0], older->id.ptr));
    CHECK_OK(recallite_knowledge_entry(memory, older->id, &again, &error));
    CHECK(again->status == RECALLITE_ENTRY_STATUS_CONTESTED);
    CHECK_OK(recallite_knowledge_conflicts(memory, 0, &conflicts, &error));
    CHECK(conflicts->len == 1 && conflicts->items[0]->resolved == NULL);
    recallite_conflict_list_free(conflicts);
    recallite_learned_entry_free(older);
    recallite_learned_entry_free(again);
    recallite_learned_entry_free(newer);
    recallite_free(memory);
}

static void an_answer_over_an_erased_message_is_taken_in_without_it(void) {
    static const char *const answer =
        "{\"schema_version\": 1, \"entries\": ["
        "{\"id\": \"e1\", \"type\": \"decision\", \"title\": \"The vault code\","
        " \"content\": \"The vault code is behind the painting.\","
        " \"quotes\": [{\"message_index\": 0, \"quote\": \"vault code is behind the painting\"}]},"
        "{\"id\": \"e2\", \"type\": \"decision\", \"title\": \"lz4 for the cache\","
        " \"content\": \"The cache uses lz4.\","
        " \"quotes\": [{\"message_index\": 1, \"quote\": \"Let's go with lz4 for the cache\"}]}],"
        "\"tasks\": [{\"id\": \"t1\", \"title\": \"Move the vault code\","
        " \"quotes\": [{\"message_index\": 0, \"quote\": \"vault code\"}]}]}";
    recallite_memory *memory = open_memory("erased_meanwhile");
    recallite_new_event event = prompt("talk", "The vault code is behind the painting, let's keep it there.");
    recallite_ingest_options options = RECALLITE_INIT(recallite_ingest_options);
    recallite_selector selector = RECALLITE_INIT(recallite_selector);
    recallite_extraction_request *request = NULL;
    recallite_ingest_report *report = NULL;
    recallite_event_list *events = NULL;
    recallite_appended *gone = NULL;
    size_t index;

    CHECK_OK(recallite_append(memory, &event, &gone, &error));
    event = prompt("talk", "Let's go with lz4 for the cache.");
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    CHECK_OK(recallite_knowledge_extraction_request(memory, text("talk"), 0, &request, &error));
    CHECK(request->messages_len == 2);
    /* While the model thinks. */
    selector.ids = &gone->id;
    selector.ids_len = 1;
    CHECK_OK(recallite_erase(memory, &selector, NULL, &error));
    options.messages = request->messages;
    options.messages_len = request->messages_len;
    CHECK_OK(recallite_ingest(memory, text("talk"), text(answer), &options, &report, &error));
    CHECK(report->left_out_len == 2 && is(report->left_out[0], "e1") && is(report->left_out[1], "t1"));
    CHECK(report->entries_len == 1 && is(report->entries[0]->local_id, "e2"));
    CHECK_OK(recallite_changes_since(memory, 0, 100, &events, &error));
    for (index = 0; index < events->len; index++) {
        CHECK(strstr(events->items[index]->content.ptr, "vault") == NULL);
    }
    recallite_event_list_free(events);
    recallite_ingest_report_free(report);
    recallite_extraction_request_free(request);
    recallite_appended_free(gone);
    recallite_free(memory);
}

static void what_is_pinned_leads_every_context(void) {
    recallite_memory *memory = open_memory("pins");
    recallite_pinned_event_list *pins = NULL;
    recallite_appended *receipt = NULL;
    recallite_new_event event = prompt("s1", "금요일에는 배포하지 않는다.");
    bool changed = false;

    CHECK_OK(recallite_append(memory, &event, &receipt, &error));
    CHECK_OK(recallite_levels_pin(memory, receipt->citation, &changed, &error));
    CHECK(changed);
    CHECK_OK(recallite_levels_pin(memory, receipt->citation, &changed, &error));
    CHECK(!changed);
    CHECK_OK(recallite_levels_pinned(memory, RECALLITE_SCOPE_ALL, text(NULL), &pins, &error));
    CHECK(pins->len == 1 && is(pins->items[0]->preview, "금요일에는 배포하지 않는다."));
    recallite_pinned_event_list_free(pins);
    CHECK_FAILS(RECALLITE_NOT_FOUND, "event",
                recallite_levels_pin(memory, text("zzzzzz"), &changed, &error));
    CHECK_OK(recallite_levels_unpin(memory, receipt->citation, &changed, &error));
    CHECK(changed);
    recallite_appended_free(receipt);
    recallite_free(memory);
}

static void memories_rise_by_being_used(void) {
    recallite_memory *memory = open_memory("levels");
    recallite_event_level *level = NULL;
    recallite_level_counts *counts = NULL;
    recallite_graduated *graduated = NULL;
    recallite_insight_list *insights = NULL;
    recallite_appended *receipt = NULL;
    recallite_new_event event = prompt("s1", "I prefer tabs, 항상 그렇게 해 주세요");

    CHECK_OK(recallite_append(memory, &event, &receipt, &error));
    event = prompt("s1", "another event");
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    CHECK_OK(recallite_levels_get(memory, receipt->citation, &level, &error));
    CHECK(level->level == RECALLITE_LEVEL_L0 && level->usage == NULL);
    CHECK(!level->is_pinned);
    recallite_event_level_free(level);
    CHECK_OK(recallite_levels_record_access(memory, &receipt->id, 1, text("s2"), 0.9, &error));
    CHECK_OK(recallite_levels_graduate(memory, 100, &graduated, &error));
    CHECK(graduated->judged == 1 && graduated->promoted_len == 1 && graduated->demoted_len == 0);
    CHECK(is(graduated->promoted[0]->event_id, receipt->id.ptr));
    CHECK(graduated->promoted[0]->level == RECALLITE_LEVEL_L1 && graduated->waiting == 0);
    recallite_graduated_free(graduated);
    CHECK_OK(recallite_levels_get(memory, receipt->id, &level, &error));
    CHECK(level->level == RECALLITE_LEVEL_L1 && level->usage->access_count == 1);
    CHECK(level->usage->cross_session_refs == 1 && level->usage->confidence == 0.9 &&
          level->usage->days_since_last_access < 1);
    recallite_event_level_free(level);
    CHECK_OK(recallite_levels_counts(memory, &counts, &error));
    CHECK(counts->l0 == 1 && counts->l1 == 1);
    recallite_level_counts_free(counts);
    CHECK_OK(recallite_levels_insights(memory, 0, &insights, &error));
    CHECK(insights->len == 1 && insights->items[0]->kind == RECALLITE_INSIGHT_KIND_PREFERENCE);
    CHECK(insights->items[0]->sources_len == 1 && is(insights->items[0]->sources[0], receipt->id.ptr));
    CHECK(insights->items[0]->confidence > 0.5 && insights->items[0]->content.len > 0);
    recallite_insight_list_free(insights);
    CHECK_OK(recallite_levels_set_half_life_days(memory, 30, &error));
    CHECK_OK(recallite_levels_set_half_life_days(memory, 0, &error));
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "half_life_days",
                recallite_levels_set_half_life_days(memory, -1, &error));
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "confidence",
                recallite_levels_record_access(memory, &receipt->id, 1, text("s2"), 1.5, &error));
    recallite_appended_free(receipt);
    recallite_free(memory);
}

/* Counts its calls, and answers in its own words. */
static int32_t in_own_words(const recallite_str *topics, size_t topics_len, const recallite_str *texts,
                            size_t texts_len, recallite_str *summary, void *user_data) {
    int *calls = user_data;
    CHECK(topics_len > 0 && topics[0].len > 0 && texts_len >= 2 && texts[0].len > 0);
    *calls += 1;
    *summary = recallite_str_from("저장소 이야기, in the program's words; password=hunter22");
    return 0;
}

static void the_endless_mode_is_one_conversation(void) {
    recallite_memory *memory = open_memory("endless");
    recallite_endless_config *config = NULL;
    recallite_working_set_policy working_set;
    recallite_consolidation_policy consolidation;
    recallite_injection_policy injection;
    recallite_continuity_policy continuing;
    recallite_endless_status *status = NULL;
    recallite_endless_context *context = NULL;
    recallite_working_item_list *items = NULL;
    recallite_consolidated_memory_list *memories = NULL;
    recallite_consolidation_report *report = NULL;
    recallite_continuity *continuity = NULL;
    recallite_continuity_entry_list *log = NULL;
    recallite_string *name = NULL;
    recallite_new_event event;
    char content[64];
    recallite_str id;
    size_t count = 0;
    int32_t mode = -1;
    int calls = 0;
    int index;

    CHECK_OK(recallite_endless_mode(memory, &mode, &error));
    CHECK(mode == RECALLITE_MEMORY_MODE_SESSION);
    CHECK_OK(recallite_endless_session_now(memory, text("s1"), &name, &error));
    CHECK(is(name->text, "s1"));
    recallite_string_free(name);
    CHECK_OK(recallite_endless_set_mode(memory, RECALLITE_MEMORY_MODE_ENDLESS, &error));
    CHECK_OK(recallite_endless_mode(memory, &mode, &error));
    CHECK(mode == RECALLITE_MEMORY_MODE_ENDLESS);
    CHECK_OK(recallite_endless_session_now(memory, text("s1"), &name, &error));
    CHECK(strncmp(name->text.ptr, "endless_", 8) == 0 && name->text.len == 18);
    recallite_string_free(name);
    CHECK_OK(recallite_outside_session_name(text("endless_2026-01-30"), &name, &error));
    CHECK(is(name->text, "endless"));
    recallite_string_free(name);
    CHECK_OK(recallite_outside_session_name(text("월요일"), &name, &error));
    CHECK(is(name->text, "월요일"));
    recallite_string_free(name);

    CHECK_OK(recallite_endless_config_get(memory, &config, &error));
    CHECK(config->struct_size == sizeof(*config) && config->working_set->max_events == 100);
    CHECK(config->injection->has_min_relevance && config->injection->min_relevance == 0.7);
    /* Limits come back as they were given, in copies of what the call gave. */
    working_set = *config->working_set;
    working_set.min_relevance_score = 0;
    consolidation = *config->consolidation;
    consolidation.min_events = 2;
    injection = *config->injection;
    injection.max_memories = 0;
    continuing = *config->continuity;
    continuing.file_weight = 0.125;
    config->working_set = &working_set;
    config->consolidation = &consolidation;
    config->injection = &injection;
    config->continuity = &continuing;
    CHECK_OK(recallite_endless_set_config(memory, config, &error));
    recallite_endless_config_free(config);
    CHECK_OK(recallite_endless_config_get(memory, &config, &error));
    CHECK(config->working_set->max_events == 100 && config->working_set->min_relevance_score == 0);
    CHECK(config->consolidation->min_events == 2 && config->injection->max_memories == 0);
    CHECK(config->continuity->file_weight == 0.125 && config->continuity->topic_weight == 0.3);
    working_set.max_events = 10001;
    config->working_set = &working_set;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "working_set.max_events",
                recallite_endless_set_config(memory, config, &error));
    config->working_set = NULL; /* its defaults again */
    injection.has_max_memories = false;
    config->injection = &injection;
    CHECK_OK(recallite_endless_set_config(memory, config, &error));
    recallite_endless_config_free(config);
    CHECK_OK(recallite_endless_config_get(memory, &config, &error));
    CHECK(config->working_set->min_relevance_score == 0.5 && config->injection->max_memories == 3);
    CHECK(config->consolidation->min_events == 2 && config->continuity->file_weight == 0.125);
    recallite_endless_config_free(config);

    for (index = 0; index < 4; index++) {
        snprintf(content, sizeof(content), "The database index number %d is rebuilt", index);
        event = prompt("s1", content);
        CHECK_OK(recallite_append(memory, &event, NULL, &error));
    }
    CHECK_OK(recallite_endless_working_set(memory, &items, &error));
    CHECK(items->len == 4 && items->items[0]->event_id.len == 36 && items->items[0]->topics_len > 0);
    CHECK(items->items[0]->relevance > 0 && items->items[0]->expires_ms > items->items[0]->added_ms);
    CHECK(items->items[0]->used_ms == items->items[0]->added_ms);
    id = items->items[0]->event_id;
    CHECK_OK(recallite_endless_prune_working_set(memory, &id, 1, &count, &error));
    CHECK(count == 1);
    CHECK_OK(recallite_endless_refresh_working_set(memory, &id, 1, &count, &error));
    CHECK(count == 0);
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "relevance",
                recallite_endless_add_to_working_set(memory, &id, 1, 2, &count, &error));
    CHECK_OK(recallite_endless_add_to_working_set(memory, &id, 1, 1, NULL, &error));
    recallite_working_item_list_free(items);
    CHECK_OK(recallite_endless_status_get(memory, &status, &error));
    CHECK(status->working_set_id.len == 43 && strncmp(status->working_set_id.ptr, "workingset_", 11) == 0);
    CHECK(status->working_set == 4 && status->has_last_activity && status->last_activity_ms > 0);
    CHECK(status->active_topics_len > 0 && !status->has_last_consolidation && status->consolidated == 0);
    recallite_endless_status_free(status);

    CHECK_OK(recallite_endless_consolidate(memory, in_own_words, &calls, &report, &error));
    CHECK(report->ran && report->memories_len > 0 && calls == (int)report->memories_len);
    CHECK_OK(recallite_endless_memories(memory, text("STOR"), 0, &memories, &error));
    CHECK(memories->len == 0);
    recallite_consolidated_memory_list_free(memories);
    CHECK_OK(recallite_endless_memories(memory, text("저장소"), 0, &memories, &error));
    CHECK(memories->len == report->memories_len);
    CHECK(strstr(memories->items[0]->summary.ptr, "저장소 이야기, in the program's words") != NULL);
    CHECK(strstr(memories->items[0]->summary.ptr, "hunter22") == NULL);
    CHECK(memories->items[0]->source_events_len >= 2 && memories->items[0]->topics_len > 0);
    CHECK(memories->items[0]->access_count == 0 && !memories->items[0]->has_accessed);
    recallite_consolidated_memory_list_free(memories);
    recallite_consolidation_report_free(report);
    CHECK_OK(recallite_endless_consolidate(memory, NULL, NULL, &report, &error));
    CHECK(report->ran && report->memories_len == 0);
    recallite_consolidation_report_free(report);

    CHECK_OK(recallite_endless_score_continuity(memory, text("c1"), text("The database index"), &continuity, &error));
    CHECK(continuity->score == 0.5 && !continuity->is_logged);
    recallite_continuity_free(continuity);
    CHECK_OK(recallite_endless_score_continuity(memory, text("c2"), text("the database index again"), &continuity,
                                        &error));
    CHECK(continuity->is_logged && continuity->transition >= RECALLITE_TRANSITION_TYPE_SEAMLESS);
    CHECK_OK(recallite_endless_continuity_log(memory, 0, &log, &error));
    CHECK(log->len == 1 && is(log->items[0]->from_context_id, "c1") && is(log->items[0]->to_context_id, "c2"));
    CHECK(log->items[0]->score == continuity->score && log->items[0]->transition == continuity->transition);
    recallite_continuity_entry_list_free(log);
    recallite_continuity_free(continuity);

    CHECK_OK(recallite_endless_status_get(memory, &status, &error));
    CHECK(status->mode == RECALLITE_MEMORY_MODE_ENDLESS && status->config->consolidation->min_events == 2);
    CHECK(status->consolidated > 0 && status->has_last_consolidation);
    CHECK(status->last_consolidation_ms > 0 && status->continuity_score > 0);
    recallite_endless_status_free(status);
    CHECK_OK(recallite_endless_context_get(memory, text("저장소 이야기"), &context, &error));
    CHECK(context->consolidated_len > 0 && context->consolidated[0]->summary.len > 0);
    CHECK(context->working_set_len == 0 || context->working_set[0]->content.len > 0);
    recallite_endless_context_free(context);
    recallite_free(memory);
}

static void a_switch_says_who_consolidates(void) {
    recallite_memory *memory = open_memory("left_to_host");
    recallite_endless_config *config = NULL;
    recallite_consolidation_policy consolidation;
    recallite_consolidated_memory_list *memories = NULL;
    recallite_consolidation_report *report = NULL;
    recallite_maintained *done = NULL;
    recallite_new_event event;
    char content[64];
    size_t by_host = 0;
    int calls = 0, is_left, index;

    CHECK_OK(recallite_endless_set_mode(memory, RECALLITE_MEMORY_MODE_ENDLESS, &error));
    for (is_left = 1; is_left >= 0; is_left--) {
        CHECK_OK(recallite_endless_config_get(memory, &config, &error));
        consolidation = *config->consolidation;
        consolidation.min_events = 3;
        consolidation.trigger_event_count = 4;
        consolidation.has_trigger_event_count = true;
        consolidation.is_left_to_host = is_left != 0;
        config->consolidation = &consolidation;
        CHECK_OK(recallite_endless_set_config(memory, config, &error));
        recallite_endless_config_free(config);
        CHECK_OK(recallite_endless_config_get(memory, &config, &error));
        CHECK(config->consolidation->is_left_to_host == (is_left != 0));
        recallite_endless_config_free(config);
        for (index = 0; index < 8; index++) {
            snprintf(content, sizeof(content), "The database index %d of the store is rebuilt", index + 10 * is_left);
            event = prompt("s1", content);
            CHECK_OK(recallite_append(memory, &event, NULL, &error));
        }
        CHECK_OK(recallite_maintain(memory, NULL, &done, &error));
        CHECK(is_left == 0 || done->consolidated == 0);
        recallite_maintained_free(done);
        CHECK_OK(recallite_endless_memories(memory, NONE, 0, &memories, &error));
        if (is_left != 0) {
            CHECK(memories->len == 0);
            CHECK_OK(recallite_endless_consolidate(memory, in_own_words, &calls, &report, &error));
            CHECK(report->ran && report->memories_len > 0 && calls == (int)report->memories_len);
            by_host = report->memories_len;
            recallite_consolidation_report_free(report);
        } else {
            CHECK(memories->len > by_host); /* The rules again. */
        }
        recallite_consolidated_memory_list_free(memories);
    }
    recallite_free(memory);
}

static void decisions_rest_on_proven_evidence(void) {
    recallite_ingest_report *report = NULL;
    recallite_memory *memory = learned("decisions", &report);
    recallite_learned_entry *entry = NULL;
    recallite_new_decision decision = RECALLITE_INIT(recallite_new_decision);
    recallite_new_evidence evidence[2];
    const recallite_new_evidence empty = RECALLITE_INIT(recallite_new_evidence);
    recallite_decision_list *decisions = NULL;

    CHECK_OK(recallite_knowledge_entry(memory, report->entries[0]->entry_id, &entry, &error));
    evidence[0] = evidence[1] = empty;
    evidence[0].kind = RECALLITE_EVIDENCE_KIND_ENTRY;
    evidence[0].evidence_id = entry->id;
    evidence[0].stage = RECALLITE_PROVEN_STAGE_VERIFIED;
    evidence[0].role = text("supports");
    evidence[0].known_ms = entry->created_ms;
    evidence[1].kind = RECALLITE_EVIDENCE_KIND_ENTITY;
    evidence[1].evidence_id = report->tasks[0]->task_id;
    evidence[1].stage = RECALLITE_PROVEN_STAGE_CERTIFIED;
    evidence[1].known_ms = entry->created_ms;
    decision.decision_id = text("d1");
    decision.actor = text("Ada");
    decision.action = text("배포를 미룬다");
    decision.decided_ms = entry->created_ms + 60 * 1000; /* also where the task is slow to come */
    decision.outcome_json = text("{ \"moved\": true }");
    decision.has_confidence = true;
    decision.confidence = 0.8;
    decision.evidence = evidence;
    decision.evidence_len = 2;
    CHECK_OK(recallite_history_record_decision(memory, &decision, &error));
    CHECK_FAILS(RECALLITE_ALREADY_EXISTS, "decision_id",
                recallite_history_record_decision(memory, &decision, &error));
    CHECK_OK(recallite_history_decisions(memory, 0, &decisions, &error));
    CHECK(decisions->len == 1 && is(decisions->items[0]->action, "배포를 미룬다"));
    CHECK(is(decisions->items[0]->outcome_json, "{\"moved\":true}") && decisions->items[0]->has_confidence);
    CHECK(decisions->items[0]->confidence == 0.8 && decisions->items[0]->build_id.ptr == NULL);
    CHECK(decisions->items[0]->evidence_len == 2 && decisions->items[0]->decided_ms == decision.decided_ms);
    CHECK(is(decisions->items[0]->evidence[0]->role, "supports"));
    CHECK(decisions->items[0]->evidence[0]->stage == RECALLITE_PROVEN_STAGE_VERIFIED);
    CHECK(decisions->items[0]->evidence[1]->kind == RECALLITE_EVIDENCE_KIND_ENTITY);
    recallite_decision_list_free(decisions);

    decision.decision_id = text("d2");
    evidence[1].known_ms = decision.decided_ms + 1;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "evidence[1].known_ms",
                recallite_history_record_decision(memory, &decision, &error));
    evidence[1].known_ms = entry->created_ms;
    evidence[1].evidence_id = text("nobody");
    CHECK_FAILS(RECALLITE_NOT_FOUND, "evidence[1].evidence_id",
                recallite_history_record_decision(memory, &decision, &error));
    decision.evidence_len = 1;
    evidence[0].stage = RECALLITE_PROVEN_STAGE_CERTIFIED;
    CHECK_FAILS(RECALLITE_INVARIANT_VIOLATION, "evidence[0].evidence_id",
                recallite_history_record_decision(memory, &decision, &error));
    recallite_learned_entry_free(entry);
    recallite_ingest_report_free(report);
    recallite_free(memory);
}

static void uncertain_memories_are_answered(void) {
    recallite_memory *memory = open_memory("meanings");
    recallite_appended *first = NULL;
    recallite_appended *second = NULL;
    recallite_placeholder_list *placeholders = NULL;
    recallite_memory_resolution_list *resolutions = NULL;
    recallite_memory_answer answer = RECALLITE_INIT(recallite_memory_answer);
    recallite_effective_memory *meaning = NULL;
    recallite_new_event event = prompt("s1", "그걸 거기에 두자");

    CHECK_OK(recallite_append(memory, &event, &first, &error));
    event = prompt("s1", "세션을 Redis에 두자");
    CHECK_OK(recallite_append(memory, &event, &second, &error));
    CHECK_OK(recallite_knowledge_mark_unknown_context(memory, first->citation, &error));
    CHECK_OK(recallite_knowledge_placeholders(memory, 0, &placeholders, &error));
    CHECK(placeholders->len == 1 && is(placeholders->items[0]->event_id, first->id.ptr));
    CHECK(placeholders->items[0]->id.len > 0 && placeholders->items[0]->created_ms > 0);
    recallite_placeholder_list_free(placeholders);
    CHECK_OK(recallite_knowledge_effective_memory(memory, first->id, &meaning, &error));
    CHECK(is(meaning->effective_id, first->id.ptr));
    recallite_effective_memory_free(meaning);

    answer.kind = RECALLITE_RESOLUTION_KIND_CONFIRMED;
    answer.resolved_to = second->id;
    answer.confidence = 0.9;
    CHECK_OK(recallite_knowledge_resolve_memory(memory, first->id, &answer, &error));
    CHECK_OK(recallite_knowledge_effective_memory(memory, first->id, &meaning, &error));
    CHECK(is(meaning->effective_id, second->id.ptr) && meaning->status == RECALLITE_EFFECTIVE_STATUS_RESOLVED);
    CHECK(is(meaning->content, "세션을 Redis에 두자") && meaning->title.len == 0);
    recallite_effective_memory_free(meaning);
    CHECK_OK(recallite_knowledge_memory_resolutions(memory, 0, &resolutions, &error));
    CHECK(resolutions->len == 1 && is(resolutions->items[0]->resolved_to, second->id.ptr));
    CHECK(resolutions->items[0]->kind == RECALLITE_RESOLUTION_KIND_CONFIRMED);
    CHECK(resolutions->items[0]->confidence == 0.9 && resolutions->items[0]->resolved_ms > 0);
    recallite_memory_resolution_list_free(resolutions);
    answer.kind = RECALLITE_RESOLUTION_KIND_PENDING;
    answer.resolved_to = NONE;
    CHECK_OK(recallite_knowledge_resolve_memory(memory, first->id, &answer, &error));
    CHECK_OK(recallite_knowledge_effective_memory(memory, first->id, &meaning, &error));
    CHECK(meaning->status == RECALLITE_EFFECTIVE_STATUS_PENDING);
    recallite_effective_memory_free(meaning);

    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "memory_id",
                recallite_knowledge_resolve_memory(memory, text(" "), &answer, &error));
    answer.kind = RECALLITE_RESOLUTION_KIND_CONFIRMED;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "resolved_to",
                recallite_knowledge_resolve_memory(memory, first->id, &answer, &error));
    CHECK_FAILS(RECALLITE_NOT_FOUND, "event",
                recallite_knowledge_mark_unknown_context(memory, text("mem:zzzzzz"), &error));
    recallite_appended_free(first);
    recallite_appended_free(second);
    recallite_free(memory);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    check_folder = argv[1];
    CASE(words_have_stable_names);
    CASE(texts_have_keys_and_short_forms);
    CASE(quotes_are_aligned_in_three_units);
    CASE(claims_are_looked_for_in_their_source);
    CASE(the_schema_and_the_prompt_are_published);
    CASE(an_extraction_becomes_records_once);
    CASE(entries_are_read_and_settled);
    CASE(entries_are_found_by_what_they_say);
    CASE(an_imported_transcript_gives_its_decision_and_the_open_task);
    CASE(a_query_says_what_learned_things_it_wants);
    CASE(the_graph_is_walked_and_changed);
    CASE(tasks_are_listed_and_moved);
    CASE(tasks_and_entries_are_made_by_hand);
    CASE(a_task_that_is_described_is_found_also_when_it_is_done);
    CASE(no_task_waits_for_itself);
    CASE(entries_by_hand_that_disagree_are_contested);
    CASE(an_answer_over_an_erased_message_is_taken_in_without_it);
    CASE(what_is_pinned_leads_every_context);
    CASE(memories_rise_by_being_used);
    CASE(the_endless_mode_is_one_conversation);
    CASE(a_switch_says_who_consolidates);
    CASE(decisions_rest_on_proven_evidence);
    CASE(uncertain_memories_are_answered);
    return check_end();
}
