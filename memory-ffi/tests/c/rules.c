/* The functions of the header that need no memory do what their comments say. */
#include "check.h"

#define GIVES(wanted, call)                                                                   \
    do {                                                                                      \
        recallite_string *string = NULL;                                                      \
        CHECK_OK(call);                                                                       \
        CHECK(string != NULL && is(string->text, wanted));                                    \
        recallite_string_free(string);                                                        \
    } while (0)

static void texts_are_shown_as_they_are_or_without_what_hides(void) {
    recallite_context_memory memory = RECALLITE_INIT(recallite_context_memory);
    memory.kind = RECALLITE_EVENT_KIND_USER_PROMPT;
    memory.content = text("a\r\nb\xe2\x80\x8b");
    memory.score = 0.5;
    GIVES("## Relevant Memories\n\n**user_prompt** (1970-01-01, score: 0.50)\na\r\nb\xe2\x80\x8b",
          recallite_format_context(&memory, 1, 2000, RECALLITE_SHOWN_RAW, &string, &error));
    GIVES("## Relevant Memories\n\n**user_prompt** (1970-01-01, score: 0.50)\na\nb",
          recallite_format_context(&memory, 1, 2000, RECALLITE_SHOWN_HARMLESS, &string, &error));
    GIVES("", recallite_format_context(NULL, 0, 2000, RECALLITE_SHOWN_RAW, &string, &error));

    recallite_cited_memory cited = RECALLITE_INIT(recallite_cited_memory);
    cited.content = text("one");
    cited.citation = text("a7Bc3x");
    cited.session = text("monday");
    GIVES("one [1]\n\n---\n[1] mem:a7Bc3x - 1970-01-01",
          recallite_citation_block(&cited, 1, RECALLITE_CITATION_FORMAT_FOOTNOTE, RECALLITE_SHOWN_RAW,
                                   &string, &error));

    recallite_spoken_event spoken = RECALLITE_INIT(recallite_spoken_event);
    spoken.kind = RECALLITE_EVENT_KIND_USER_PROMPT;
    spoken.content = text("a\nb");
    GIVES("Session with 1 user prompts and 0 responses.\nTopics discussed:\n- a b",
          recallite_session_summary_text(&spoken, 1, RECALLITE_SHOWN_RAW, &string, &error));
}

static void keys_are_taken_apart_and_made_unique(void) {
    recallite_entity_key_parts *parts = NULL;
    CHECK_OK(recallite_parse_entity_key(text("task:shop:fix-login-bug"), &parts, &error));
    CHECK(parts->kind == RECALLITE_ENTITY_KIND_TASK && is(parts->project, "shop"));
    recallite_entity_key_parts_free(parts);
    CHECK_OK(recallite_parse_entity_key(text("no key"), &parts, &error));
    CHECK(parts == NULL);
    const recallite_str taken[] = {text("yo0XcA")};
    recallite_string *string = NULL;
    CHECK_OK(recallite_unique_citation_id(text("event_123"), taken, 1, 6, &string, &error));
    CHECK(string->text.len == 6 && !is(string->text, "yo0XcA"));
    recallite_string_free(string);
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "length",
                recallite_unique_citation_id(text("event_123"), NULL, 0, 9, &string, &error));
    CHECK_OK(recallite_task_event_dedupe_key(text("task_created"), text("t"), text("s"), text("e"), text("{}"),
                                             &string, &error));
    CHECK(string->text.len == 64);
    recallite_string_free(string);
    GIVES("entry_vectors_a_b", recallite_vector_table_name(RECALLITE_ITEM_KIND_ENTRY, text("a-b"), &string,
                                                           &error));
    bool found = true;
    CHECK_OK(recallite_allows_job_transition(RECALLITE_JOB_STATUS_DONE, RECALLITE_JOB_STATUS_PENDING, &found,
                                             &error));
    CHECK(!found);
}

static void private_sections_and_secrets_are_removed(void) {
    const int32_t formats[] = {RECALLITE_TAG_FORMAT_XML};
    recallite_private_removed *removed = NULL;
    CHECK_OK(recallite_remove_private_sections(text("a <private>b</private> c"), formats, 1,
                                               RECALLITE_MARKER_PRIVATE, false, &removed, &error));
    CHECK(is(removed->text, "a [PRIVATE] c") && removed->private_count == 1 && !removed->unclosed);
    recallite_private_removed_free(removed);
    const int32_t wrong[] = {99};
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "formats[0]",
                recallite_remove_private_sections(text("a"), wrong, 1, RECALLITE_MARKER_PRIVATE, false,
                                                  &removed, &error));

    recallite_masked *masked = NULL;
    CHECK_OK(recallite_mask_secrets(text("DB_PASSWORD=hunter2"), false, false, &masked, &error));
    CHECK(is(masked->text, "DB_[REDACTED]") && masked->secret_count == 1);
    recallite_masked_free(masked);

    recallite_privacy_config config = RECALLITE_INIT(recallite_privacy_config);
    recallite_filtered *filtered = NULL;
    CHECK_OK(recallite_filter_text(text("<private >b</private>"), &config, false, &filtered, &error));
    CHECK(is(filtered->text, "[PRIVATE]") && filtered->warnings_len == 1);
    recallite_filtered_free(filtered);
    CHECK_OK(recallite_filter_text(text("<private >b</private>"), &config, true, &filtered, &error));
    CHECK(is(filtered->text, "<private >b</private>") && filtered->warnings_len == 0);
    recallite_filtered_free(filtered);

    recallite_masked_input *input = NULL;
    CHECK_OK(recallite_mask_tool_input(text("{\"author\":\"Ada\"}"), RECALLITE_SECRET_KEYS_SUBSTRING, &input,
                                       &error));
    CHECK(is(input->input_json, "{\"author\":\"[REDACTED]\"}"));
    recallite_masked_input_free(input);
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "input_json",
                recallite_mask_tool_input(text("{"), RECALLITE_SECRET_KEYS_WORDS, &input, &error));
}

static void tool_calls_are_described(void) {
    GIVES("{\"command\":\"npm test\",\"exitCode\":0}",
          recallite_tool_metadata(text("Bash"), text("{\"command\":\"npm test\"}"), text(""), true, &string,
                                  &error));
    GIVES("Tool: Bash\nCommand: npm test\nResult: Failed",
          recallite_tool_embedding_text(text("Bash"), text("{\"command\":\"npm test\"}"), false, &string,
                                        &error));
    GIVES("abcdef", recallite_truncate_output(text("abcdef"), 100, 100, &string, &error));
}

static void matches_are_judged_and_expanded(void) {
    recallite_match_parts parts = RECALLITE_INIT(recallite_match_parts);
    parts.semantic = 1;
    parts.lexical = 1;
    double score = 0;
    CHECK_OK(recallite_match_score(&parts, &score, &error));
    CHECK(score > 0.99);
    const double scores[] = {0.95, 0.8};
    recallite_match_list *list = NULL;
    CHECK_OK(recallite_match_list_get(scores, 2, &list, &error));
    CHECK(list->match_class == RECALLITE_MATCH_CLASS_HIGH);
    recallite_match_list_free(list);
    recallite_expansion_decision *decision = NULL;
    CHECK_OK(recallite_expansion_decision_get(scores, 2, &decision, &error));
    CHECK(decision->targets_len == 1 && decision->expands_details);
    recallite_expansion_decision_free(decision);
    const size_t costs[] = {10, 10};
    recallite_expansion_plan *plan = NULL;
    CHECK_OK(recallite_plan_expansion(scores, 2, 2000, 100, costs, 2, costs, 2, &plan, &error));
    CHECK(plan->used_tokens == 120 && plan->details_for_len == 1);
    recallite_expansion_plan_free(plan);
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "detail_tokens",
                recallite_plan_expansion(scores, 2, 2000, 100, costs, 2, costs, 1, &plan, &error));
}

static void tasks_move_and_are_blocked(void) {
    recallite_task_transition *moved = NULL;
    CHECK_OK(recallite_decide_transition(RECALLITE_TASK_STATUS_PENDING, RECALLITE_TASK_STATUS_IN_PROGRESS,
                                         &moved, &error));
    CHECK(moved->status == RECALLITE_TASK_STATUS_IN_PROGRESS);
    recallite_task_transition_free(moved);
    int32_t status = 0;
    CHECK_OK(recallite_initial_task_status(0, &status, &error));
    CHECK(status == RECALLITE_TASK_STATUS_PENDING);
    CHECK_OK(recallite_initial_task_status(RECALLITE_TASK_STATUS_DONE, &status, &error));
    CHECK(status == RECALLITE_TASK_STATUS_IN_PROGRESS);
    bool found = true;
    CHECK_OK(recallite_allows_blockers(RECALLITE_TASK_STATUS_DONE, 1, 0, &found, &error));
    CHECK(!found);

    recallite_condition_target entities[] = {RECALLITE_INIT(recallite_condition_target),
                                             RECALLITE_INIT(recallite_condition_target)};
    entities[0].kind = RECALLITE_ENTITY_KIND_CONDITION;
    entities[0].id = text("c");
    entities[1].kind = RECALLITE_ENTITY_KIND_TASK;
    entities[1].id = text("u");
    recallite_graph_edge edges[] = {RECALLITE_INIT(recallite_graph_edge), RECALLITE_INIT(recallite_graph_edge)};
    edges[0].source_id = text("t");
    edges[0].relation = RECALLITE_RELATION_BLOCKED_BY;
    edges[0].destination_id = text("c");
    edges[1].source_id = text("c");
    edges[1].relation = RECALLITE_RELATION_RESOLVES_TO;
    edges[1].destination_id = text("u");
    recallite_effective_blocker_list *blockers = NULL;
    CHECK_OK(recallite_effective_blockers(text("t"), entities, 2, edges, 2, &blockers, &error));
    CHECK(blockers->len == 1 && is(blockers->items[0]->effective_id, "u"));
    CHECK(blockers->items[0]->resolved);
    recallite_effective_blocker_list_free(blockers);
}

static void memories_rise_and_contexts_go_on(void) {
    recallite_new_usage usage = RECALLITE_INIT(recallite_new_usage);
    usage.access_count = 9;
    usage.confidence = 0.9;
    usage.cross_session_refs = 5;
    recallite_evaluation *evaluation = NULL;
    CHECK_OK(recallite_evaluate_graduation(RECALLITE_LEVEL_L2, &usage, RECALLITE_EVIDENCE_GATE_NOT_NEEDED,
                                           &evaluation, &error));
    CHECK(evaluation->passed);
    recallite_evaluation_free(evaluation);

    recallite_insight_event liked = RECALLITE_INIT(recallite_insight_event);
    liked.id = text("e");
    liked.is_user_prompt = true;
    liked.content = text("I prefer short answers");
    liked.canonical_key = text("");
    recallite_insight_list *insights = NULL;
    CHECK_OK(recallite_extract_insights(&liked, 1, RECALLITE_CUE_LANGUAGES_ENGLISH, &insights, &error));
    CHECK(insights->len == 1);
    recallite_insight_list_free(insights);

    recallite_context_snapshot *taken = NULL;
    CHECK_OK(recallite_snapshot(text("c"), text("We changed the schema in src/order.py"), 0, &taken, &error));
    CHECK(taken->files_len == 1 && is(taken->files[0], "src/order.py"));
    recallite_new_context_snapshot now = RECALLITE_INIT(recallite_new_context_snapshot);
    now.id = text("c");
    now.files = taken->files;
    now.files_len = taken->files_len;
    now.topics = taken->topics;
    now.topics_len = taken->topics_len;
    recallite_continuity_policy policy = RECALLITE_INIT(recallite_continuity_policy);
    recallite_continuity *continuity = NULL;
    CHECK_OK(recallite_continuity_get(&now, &now, &policy, &continuity, &error));
    CHECK(continuity->score > 0.5);
    recallite_continuity_free(continuity);
    recallite_context_snapshot_free(taken);

    recallite_consolidation_trigger trigger = RECALLITE_INIT(recallite_consolidation_trigger);
    trigger.working_set_size = 5;
    recallite_consolidation_policy few = RECALLITE_INIT(recallite_consolidation_policy);
    bool due = true;
    CHECK_OK(recallite_is_consolidation_due(&trigger, &few, &due, &error));
    CHECK(!due);
    few.has_trigger_event_count = true;
    few.trigger_event_count = 5;
    CHECK_OK(recallite_is_consolidation_due(&trigger, &few, &due, &error));
    CHECK(due);
}

static void freeing_null_does_nothing(void) {
    recallite_entity_key_parts_free(NULL);
    recallite_private_removed_free(NULL);
    recallite_masked_free(NULL);
    recallite_masked_input_free(NULL);
    recallite_filtered_free(NULL);
    recallite_match_list_free(NULL);
    recallite_expansion_decision_free(NULL);
    recallite_expansion_plan_free(NULL);
    recallite_task_transition_free(NULL);
    recallite_effective_blocker_list_free(NULL);
    recallite_evaluation_free(NULL);
    recallite_context_snapshot_free(NULL);
}

int main(void) {
    CASE(texts_are_shown_as_they_are_or_without_what_hides);
    CASE(keys_are_taken_apart_and_made_unique);
    CASE(private_sections_and_secrets_are_removed);
    CASE(tool_calls_are_described);
    CASE(matches_are_judged_and_expanded);
    CASE(tasks_move_and_are_blocked);
    CASE(memories_rise_and_contexts_go_on);
    CASE(freeing_null_does_nothing);
    return check_end();
}
