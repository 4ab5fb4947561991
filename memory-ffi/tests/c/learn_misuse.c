/* What must not be done with the learning functions is refused with a clear
 * error, never a crash. */
#include "learn.h"

/* A marker that no call may replace when it fails. */
static char marker;
#define UNTOUCHED(type) ((type *)(void *)&marker)
#define REFUSED(argument, call) CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, argument, call)

static const char *const BAD = "caf\xe9";

static void null_is_refused_everywhere(void) {
    recallite_memory *memory = open_memory("null");
    recallite_new_task new_task = RECALLITE_INIT(recallite_new_task);
    recallite_new_entry new_entry = RECALLITE_INIT(recallite_new_entry);
    recallite_ingest_options ingest_options = RECALLITE_INIT(recallite_ingest_options);
    recallite_artifact_list *artifacts = NULL;
    recallite_extraction_request *request = NULL;
    const recallite_str one = text("one");
    const recallite_str uuid = text("mem:abcdef");
    recallite_evidence_quote quote = RECALLITE_INIT(recallite_evidence_quote);
    recallite_edge_ends ends = RECALLITE_INIT(recallite_edge_ends);
    recallite_graph_node node = RECALLITE_INIT(recallite_graph_node);
    recallite_condition_target target = RECALLITE_INIT(recallite_condition_target);
    recallite_conflict_verdict verdict = RECALLITE_INIT(recallite_conflict_verdict);
    recallite_memory_answer answer = RECALLITE_INIT(recallite_memory_answer);
    recallite_edge_filter from = RECALLITE_INIT(recallite_edge_filter);
    recallite_new_decision decision = RECALLITE_INIT(recallite_new_decision);
    recallite_string *string = UNTOUCHED(recallite_string);
    recallite_string_list *strings = UNTOUCHED(recallite_string_list);
    recallite_alignment_report *aligned = UNTOUCHED(recallite_alignment_report);
    recallite_claims_alignment *claims = UNTOUCHED(recallite_claims_alignment);
    recallite_session_message_list *messages = UNTOUCHED(recallite_session_message_list);
    recallite_ingest_report *report = UNTOUCHED(recallite_ingest_report);
    recallite_task_list *tasks = UNTOUCHED(recallite_task_list);
    recallite_task_detail *detail = UNTOUCHED(recallite_task_detail);
    recallite_task *task = UNTOUCHED(recallite_task);
    recallite_entity *entity = UNTOUCHED(recallite_entity);
    recallite_blocked_task_list *blocked = UNTOUCHED(recallite_blocked_task_list);
    recallite_condition_list *conditions = UNTOUCHED(recallite_condition_list);
    recallite_learned_entry_list *entries = UNTOUCHED(recallite_learned_entry_list);
    recallite_entry_hit_list *hits = UNTOUCHED(recallite_entry_hit_list);
    recallite_learned_entry *entry = UNTOUCHED(recallite_learned_entry);
    recallite_conflict *conflict = UNTOUCHED(recallite_conflict);
    recallite_conflict_list *conflicts = UNTOUCHED(recallite_conflict_list);
    recallite_edge_list *edges = UNTOUCHED(recallite_edge_list);
    recallite_edge *edge = UNTOUCHED(recallite_edge);
    recallite_lineage_step_list *steps = UNTOUCHED(recallite_lineage_step_list);
    recallite_related_entry_list *related = UNTOUCHED(recallite_related_entry_list);
    recallite_event_level *level = UNTOUCHED(recallite_event_level);
    recallite_level_counts *counts = UNTOUCHED(recallite_level_counts);
    recallite_graduated *graduated = UNTOUCHED(recallite_graduated);
    recallite_insight_list *insights = UNTOUCHED(recallite_insight_list);
    recallite_endless_config *config = UNTOUCHED(recallite_endless_config);
    recallite_working_item_list *items = UNTOUCHED(recallite_working_item_list);
    recallite_consolidated_memory_list *memories = UNTOUCHED(recallite_consolidated_memory_list);
    recallite_continuity_entry_list *log = UNTOUCHED(recallite_continuity_entry_list);
    recallite_continuity *continuity = UNTOUCHED(recallite_continuity);
    recallite_endless_status *endless = UNTOUCHED(recallite_endless_status);
    recallite_endless_context *context = UNTOUCHED(recallite_endless_context);
    recallite_consolidation_report *consolidated = UNTOUCHED(recallite_consolidation_report);
    recallite_build_run_list *runs = UNTOUCHED(recallite_build_run_list);
    recallite_pipeline_metric_list *metrics = UNTOUCHED(recallite_pipeline_metric_list);
    recallite_promotion_record_list *promotions = UNTOUCHED(recallite_promotion_record_list);
    recallite_decision_list *decisions = UNTOUCHED(recallite_decision_list);
    recallite_placeholder_list *placeholders = UNTOUCHED(recallite_placeholder_list);
    recallite_memory_resolution_list *resolutions = UNTOUCHED(recallite_memory_resolution_list);
    recallite_effective_memory *meaning = UNTOUCHED(recallite_effective_memory);
    size_t number = 7;
    double score = 7;
    int32_t mode = -5;
    bool removed = true;

    quote.quote = one;
    from.from = one;
    node.id = one;
    node.node_type = RECALLITE_NODE_TYPE_ENTRY;
    ends.source_id = ends.destination_id = one;
    ends.source_type = ends.destination_type = RECALLITE_NODE_TYPE_ENTRY;
    ends.relation = RECALLITE_RELATION_DERIVED_FROM;
    decision.decision_id = decision.actor = decision.action = one;

    /* Functions over text. */
    REFUSED("title", recallite_canonical_key(NONE, NONE, &string, &error));
    REFUSED("result", recallite_canonical_key(one, NONE, NULL, &error));
    REFUSED("identifier", recallite_entity_key(1, NONE, NONE, &string, &error));
    REFUSED("result", recallite_entity_key(1, one, NONE, NULL, &error));
    REFUSED("content", recallite_content_hash(NONE, &string, &error));
    REFUSED("result", recallite_content_hash(one, NULL, &error));
    REFUSED("content", recallite_summary(NONE, &string, &error));
    REFUSED("result", recallite_summary(one, NULL, &error));
    REFUSED("text", recallite_harmless(NONE, &string, &error));
    REFUSED("result", recallite_harmless(one, NULL, &error));
    REFUSED("message", recallite_is_small_talk(NONE, &removed, &error));
    REFUSED("result", recallite_is_small_talk(one, NULL, &error));
    REFUSED("text", recallite_harmless_line(NONE, &string, &error));
    REFUSED("result", recallite_harmless_line(one, NULL, &error));
    REFUSED("content", recallite_preview(NONE, &string, &error));
    REFUSED("result", recallite_preview(one, NULL, &error));
    REFUSED("text", recallite_parse_citation(NONE, &string, &error));
    REFUSED("result", recallite_parse_citation(one, NULL, &error));
    REFUSED("text", recallite_estimate_tokens(NONE, &number, &error));
    REFUSED("result", recallite_estimate_tokens(one, NULL, &error));
    REFUSED("a", recallite_similarity(NONE, one, &score, &error));
    REFUSED("b", recallite_similarity(one, NONE, &score, &error));
    REFUSED("result", recallite_similarity(one, one, NULL, &error));
    REFUSED("a", recallite_levenshtein(NONE, one, &number, &error));
    REFUSED("result", recallite_levenshtein(one, one, NULL, &error));
    REFUSED("b", recallite_is_same_title(one, NONE, &removed, &error));
    REFUSED("result", recallite_is_same_title(one, one, NULL, &error));
    REFUSED("title", recallite_task_key(NONE, NONE, &string, &error));
    REFUSED("result", recallite_task_key(one, NONE, NULL, &error));
    REFUSED("text", recallite_condition_key(NONE, NONE, &string, &error));
    REFUSED("result", recallite_condition_key(one, NONE, NULL, &error));
    REFUSED("identifier", recallite_artifact_key(NONE, &string, &error));
    REFUSED("result", recallite_artifact_key(one, NULL, &error));
    REFUSED("identifier", recallite_artifact_kind_get(NONE, &mode, &error));
    REFUSED("result", recallite_artifact_kind_get(one, NULL, &error));
    REFUSED("session", recallite_dedupe_key(NONE, one, &string, &error));
    REFUSED("result", recallite_dedupe_key(one, one, NULL, &error));
    REFUSED("event_id", recallite_citation_id(NONE, 6, &string, &error));
    REFUSED("result", recallite_citation_id(one, 6, NULL, &error));
    REFUSED("text", recallite_utf16_len(NONE, &number, &error));
    REFUSED("result", recallite_utf16_len(one, NULL, &error));

    /* Alignment. */
    REFUSED("messages", recallite_align(NULL, 1, &quote, 1, NULL, &aligned, &error));
    REFUSED("messages[0]", recallite_align(&NONE, 1, &quote, 1, NULL, &aligned, &error));
    REFUSED("quotes", recallite_align(&one, 1, NULL, 1, NULL, &aligned, &error));
    REFUSED("result", recallite_align(&one, 1, &quote, 1, NULL, NULL, &error));
    quote.quote = NONE;
    REFUSED("quotes[0].quote", recallite_align(&one, 1, &quote, 1, NULL, &aligned, &error));
    REFUSED("claims", recallite_align_claims(NULL, 1, one, &claims, &error));
    REFUSED("source", recallite_align_claims(&one, 1, NONE, &claims, &error));
    REFUSED("result", recallite_align_claims(&one, 1, one, NULL, &error));
    REFUSED("response", recallite_extract_claims(NONE, &strings, &error));
    REFUSED("result", recallite_extract_claims(one, NULL, &error));
    REFUSED("response", recallite_check_grounding(NONE, &one, 1, &claims, &error));
    REFUSED("contexts", recallite_check_grounding(one, NULL, 1, &claims, &error));
    REFUSED("result", recallite_check_grounding(one, &one, 1, NULL, &error));

    /* Ingestion. */
    REFUSED("memory", recallite_knowledge_session_messages(NULL, one, 0, 0, &messages, &error));
    REFUSED("session", recallite_knowledge_session_messages(memory, NONE, 0, 0, &messages, &error));
    REFUSED("result", recallite_knowledge_session_messages(memory, one, 0, 0, NULL, &error));
    REFUSED("memory", recallite_ingest(NULL, one, one, NULL, &report, &error));
    REFUSED("session", recallite_ingest(memory, NONE, one, NULL, &report, &error));
    REFUSED("extraction", recallite_ingest(memory, one, NONE, NULL, &report, &error));

    /* Tasks. */
    REFUSED("memory", recallite_tasks_list(NULL, NULL, &tasks, &error));
    REFUSED("result", recallite_tasks_list(memory, NULL, NULL, &error));
    REFUSED("memory", recallite_tasks_get(NULL, one, &detail, &error));
    REFUSED("id", recallite_tasks_get(memory, NONE, &detail, &error));
    REFUSED("result", recallite_tasks_get(memory, one, NULL, &error));
    REFUSED("memory", recallite_tasks_get_as_of(NULL, one, 0, &task, &error));
    REFUSED("id", recallite_tasks_get_as_of(memory, NONE, 0, &task, &error));
    REFUSED("result", recallite_tasks_get_as_of(memory, one, 0, NULL, &error));
    REFUSED("memory", recallite_tasks_entity(NULL, one, &entity, &error));
    REFUSED("id", recallite_tasks_entity(memory, NONE, &entity, &error));
    REFUSED("result", recallite_tasks_entity(memory, one, NULL, &error));
    REFUSED("memory", recallite_tasks_blocked(NULL, 0, NONE, 0, &blocked, &error));
    REFUSED("result", recallite_tasks_blocked(memory, 0, NONE, 0, NULL, &error));
    REFUSED("memory", recallite_tasks_with_only_suggested_blockers(NULL, 0, NONE, 0, &tasks, &error));
    REFUSED("result", recallite_tasks_with_only_suggested_blockers(memory, 0, NONE, 0, NULL, &error));
    REFUSED("memory", recallite_tasks_with_placeholder_blockers(NULL, 0, NONE, 0, &tasks, &error));
    REFUSED("result", recallite_tasks_with_placeholder_blockers(memory, 0, NONE, 0, NULL, &error));
    REFUSED("memory", recallite_tasks_resolved_conditions(NULL, 0, NONE, 0, &conditions, &error));
    REFUSED("result", recallite_tasks_resolved_conditions(memory, 0, NONE, 0, NULL, &error));
    REFUSED("memory", recallite_tasks_change_status(NULL, one, 1, NULL, 0, &task, &error));
    REFUSED("task", recallite_tasks_change_status(memory, NONE, 1, NULL, 0, &task, &error));
    REFUSED("blocked_by", recallite_tasks_change_status(memory, one, 3, NULL, 1, &task, &error));
    REFUSED("blocked_by[0]", recallite_tasks_change_status(memory, one, 3, &NONE, 1, &task, &error));
    REFUSED("memory", recallite_tasks_rename(NULL, one, one, &task, &error));
    REFUSED("task", recallite_tasks_rename(memory, NONE, one, &task, &error));
    REFUSED("title", recallite_tasks_rename(memory, one, NONE, &task, &error));
    REFUSED("memory", recallite_tasks_create(NULL, &new_task, NULL, &error));
    REFUSED("task", recallite_tasks_create(memory, NULL, NULL, &error));
    REFUSED("title", recallite_tasks_create(memory, &new_task, NULL, &error));
    new_task.title = one;
    new_task.blocked_by_len = 1;
    REFUSED("blocked_by", recallite_tasks_create(memory, &new_task, NULL, &error));
    new_task.blocked_by_len = 0;
    new_task.priority = 99;
    REFUSED("priority", recallite_tasks_create(memory, &new_task, NULL, &error));
    REFUSED("memory", recallite_tasks_set_priority(NULL, one, 1, &task, &error));
    REFUSED("task", recallite_tasks_set_priority(memory, NONE, 1, &task, &error));
    REFUSED("priority", recallite_tasks_set_priority(memory, one, 0, &task, &error));
    REFUSED("memory", recallite_tasks_conditions(NULL, 0, NONE, 0, &conditions, &error));
    REFUSED("result", recallite_tasks_conditions(memory, 0, NONE, 0, NULL, &error));
    REFUSED("memory", recallite_tasks_artifacts(NULL, 0, &artifacts, &error));
    REFUSED("result", recallite_tasks_artifacts(memory, 0, NULL, &error));
    REFUSED("memory", recallite_knowledge_add_entry(NULL, &new_entry, NULL, &error));
    REFUSED("entry", recallite_knowledge_add_entry(memory, NULL, NULL, &error));
    REFUSED("entry_type", recallite_knowledge_add_entry(memory, &new_entry, NULL, &error));
    new_entry.entry_type = RECALLITE_ENTRY_TYPE_FACT;
    REFUSED("session", recallite_knowledge_add_entry(memory, &new_entry, NULL, &error));
    REFUSED("memory", recallite_knowledge_extraction_request(NULL, one, 0, &request, &error));
    REFUSED("session", recallite_knowledge_extraction_request(memory, NONE, 0, &request, &error));
    REFUSED("result", recallite_knowledge_extraction_request(memory, one, 0, NULL, &error));
    ingest_options.messages_len = 1;
    REFUSED("messages", recallite_ingest(memory, one, one, &ingest_options, NULL, &error));
    REFUSED("memory", recallite_tasks_resolve_condition(NULL, one, &target, 1, 1, &error));
    REFUSED("condition", recallite_tasks_resolve_condition(memory, NONE, &target, 1, 1, &error));
    REFUSED("target", recallite_tasks_resolve_condition(memory, one, NULL, 1, 1, &error));
    target.kind = RECALLITE_ENTITY_KIND_TASK;
    REFUSED("target.id", recallite_tasks_resolve_condition(memory, one, &target, 1, 1, &error));

    /* Entries and their conflicts. */
    REFUSED("memory", recallite_knowledge_entries(NULL, NULL, &entries, &error));
    REFUSED("result", recallite_knowledge_entries(memory, NULL, NULL, &error));
    REFUSED("memory", recallite_knowledge_search(NULL, one, NULL, &hits, &error));
    REFUSED("query", recallite_knowledge_search(memory, NONE, NULL, &hits, &error));
    REFUSED("query", recallite_knowledge_search(memory, text(""), NULL, &hits, &error));
    REFUSED("result", recallite_knowledge_search(memory, one, NULL, NULL, &error));
    REFUSED("memory", recallite_knowledge_entry(NULL, one, &entry, &error));
    REFUSED("id", recallite_knowledge_entry(memory, NONE, &entry, &error));
    REFUSED("result", recallite_knowledge_entry(memory, one, NULL, &error));
    REFUSED("memory", recallite_knowledge_supersede(NULL, one, one, &error));
    REFUSED("older", recallite_knowledge_supersede(memory, NONE, one, &error));
    REFUSED("newer", recallite_knowledge_supersede(memory, one, NONE, &error));
    REFUSED("memory", recallite_knowledge_contradict(NULL, one, one, NONE, &conflict, &error));
    REFUSED("older", recallite_knowledge_contradict(memory, NONE, one, NONE, &conflict, &error));
    REFUSED("newer", recallite_knowledge_contradict(memory, one, NONE, NONE, &conflict, &error));
    REFUSED("memory", recallite_knowledge_resolve_conflict(NULL, one, &verdict, &conflict, &error));
    REFUSED("conflict_id", recallite_knowledge_resolve_conflict(memory, NONE, &verdict, &conflict, &error));
    REFUSED("verdict", recallite_knowledge_resolve_conflict(memory, one, NULL, &conflict, &error));
    REFUSED("in_favour_of", recallite_knowledge_resolve_conflict(memory, one, &verdict, &conflict, &error));
    verdict.in_favour_of = one;
    REFUSED("resolution", recallite_knowledge_resolve_conflict(memory, one, &verdict, &conflict, &error));
    verdict.resolution = one;
    REFUSED("resolved_by", recallite_knowledge_resolve_conflict(memory, one, &verdict, &conflict, &error));
    REFUSED("memory", recallite_knowledge_conflicts(NULL, 0, &conflicts, &error));
    REFUSED("result", recallite_knowledge_conflicts(memory, 0, NULL, &error));
    REFUSED("memory", recallite_knowledge_certify(NULL, one, one, &error));
    REFUSED("id", recallite_knowledge_certify(memory, NONE, one, &error));
    REFUSED("certified_by", recallite_knowledge_certify(memory, one, NONE, &error));
    REFUSED("memory", recallite_knowledge_deprecate(NULL, one, &error));
    REFUSED("id", recallite_knowledge_deprecate(memory, NONE, &error));

    /* The graph. */
    REFUSED("memory", recallite_knowledge_edges(NULL, &from, &edges, &error));
    REFUSED("filter", recallite_knowledge_edges(memory, NULL, &edges, &error));
    REFUSED("result", recallite_knowledge_edges(memory, &from, NULL, &error));
    REFUSED("memory", recallite_knowledge_add_edge(NULL, &ends, NONE, &edge, &error));
    REFUSED("ends", recallite_knowledge_add_edge(memory, NULL, NONE, &edge, &error));
    REFUSED("memory", recallite_knowledge_remove_edge(NULL, &ends, &removed, &error));
    REFUSED("ends", recallite_knowledge_remove_edge(memory, NULL, &removed, &error));
    REFUSED("memory", recallite_knowledge_replace_edges(NULL, &node, 1, &node, 1, NULL, &error));
    REFUSED("source", recallite_knowledge_replace_edges(memory, NULL, 1, &node, 1, NULL, &error));
    REFUSED("targets", recallite_knowledge_replace_edges(memory, &node, 1, NULL, 1, NULL, &error));
    node.id = NONE;
    REFUSED("source.id", recallite_knowledge_replace_edges(memory, &node, 1, NULL, 0, NULL, &error));
    ends.source_id = NONE;
    REFUSED("source_id", recallite_knowledge_add_edge(memory, &ends, NONE, &edge, &error));
    ends.source_id = one;
    ends.destination_id = NONE;
    REFUSED("destination_id", recallite_knowledge_remove_edge(memory, &ends, &removed, &error));
    REFUSED("result", recallite_is_edge_allowed(1, 1, 1, NULL, &error));
    REFUSED("memory", recallite_knowledge_lineage(NULL, one, 0, &steps, &error));
    REFUSED("entry", recallite_knowledge_lineage(memory, NONE, 0, &steps, &error));
    REFUSED("result", recallite_knowledge_lineage(memory, one, 0, NULL, &error));
    REFUSED("memory", recallite_knowledge_related_entries(NULL, one, 0, &related, &error));
    REFUSED("entry", recallite_knowledge_related_entries(memory, NONE, 0, &related, &error));
    REFUSED("result", recallite_knowledge_related_entries(memory, one, 0, NULL, &error));

    /* Levels. */
    REFUSED("memory", recallite_levels_get(NULL, uuid, &level, &error));
    REFUSED("event", recallite_levels_get(memory, NONE, &level, &error));
    REFUSED("result", recallite_levels_get(memory, uuid, NULL, &error));
    REFUSED("memory", recallite_levels_counts(NULL, &counts, &error));
    REFUSED("result", recallite_levels_counts(memory, NULL, &error));
    REFUSED("memory", recallite_levels_record_access(NULL, &uuid, 1, one, 1, &error));
    REFUSED("events", recallite_levels_record_access(memory, NULL, 1, one, 1, &error));
    REFUSED("events[0]", recallite_levels_record_access(memory, &NONE, 1, one, 1, &error));
    REFUSED("session", recallite_levels_record_access(memory, &uuid, 1, NONE, 1, &error));
    REFUSED("memory", recallite_levels_set_half_life_days(NULL, 1, &error));
    REFUSED("memory", recallite_levels_graduate(NULL, 1, &graduated, &error));
    REFUSED("memory", recallite_levels_insights(NULL, 0, &insights, &error));
    REFUSED("result", recallite_levels_insights(memory, 0, NULL, &error));

    /* The endless mode. */
    REFUSED("memory", recallite_endless_mode(NULL, &mode, &error));
    REFUSED("result", recallite_endless_mode(memory, NULL, &error));
    REFUSED("memory", recallite_endless_set_mode(NULL, 0, &error));
    REFUSED("memory", recallite_endless_session_now(NULL, one, &string, &error));
    REFUSED("session", recallite_endless_session_now(memory, NONE, &string, &error));
    REFUSED("result", recallite_endless_session_now(memory, one, NULL, &error));
    REFUSED("session", recallite_outside_session_name(NONE, &string, &error));
    REFUSED("result", recallite_outside_session_name(one, NULL, &error));
    REFUSED("memory", recallite_endless_config_get(NULL, &config, &error));
    REFUSED("result", recallite_endless_config_get(memory, NULL, &error));
    REFUSED("memory", recallite_endless_set_config(NULL, NULL, &error));
    REFUSED("memory", recallite_endless_working_set(NULL, &items, &error));
    REFUSED("result", recallite_endless_working_set(memory, NULL, &error));
    REFUSED("memory", recallite_endless_add_to_working_set(NULL, &one, 1, 1, NULL, &error));
    REFUSED("events", recallite_endless_add_to_working_set(memory, NULL, 1, 1, NULL, &error));
    REFUSED("memory", recallite_endless_refresh_working_set(NULL, &one, 1, NULL, &error));
    REFUSED("events", recallite_endless_refresh_working_set(memory, NULL, 1, NULL, &error));
    REFUSED("memory", recallite_endless_prune_working_set(NULL, &one, 1, NULL, &error));
    REFUSED("events", recallite_endless_prune_working_set(memory, NULL, 1, NULL, &error));
    REFUSED("memory", recallite_endless_memories(NULL, NONE, 0, &memories, &error));
    REFUSED("result", recallite_endless_memories(memory, NONE, 0, NULL, &error));
    REFUSED("memory", recallite_endless_continuity_log(NULL, 0, &log, &error));
    REFUSED("result", recallite_endless_continuity_log(memory, 0, NULL, &error));
    REFUSED("memory", recallite_endless_score_continuity(NULL, one, one, &continuity, &error));
    REFUSED("context_id", recallite_endless_score_continuity(memory, NONE, one, &continuity, &error));
    REFUSED("text", recallite_endless_score_continuity(memory, one, NONE, &continuity, &error));
    REFUSED("memory", recallite_endless_status_get(NULL, &endless, &error));
    REFUSED("result", recallite_endless_status_get(memory, NULL, &error));
    REFUSED("memory", recallite_endless_context_get(NULL, NONE, &context, &error));
    REFUSED("result", recallite_endless_context_get(memory, NONE, NULL, &error));
    REFUSED("memory", recallite_endless_consolidate(NULL, NULL, NULL, &consolidated, &error));

    /* Ledgers, decisions, meanings. */
    REFUSED("memory", recallite_history_build_runs(NULL, 0, &runs, &error));
    REFUSED("result", recallite_history_build_runs(memory, 0, NULL, &error));
    REFUSED("memory", recallite_history_pipeline_metrics(NULL, 0, &metrics, &error));
    REFUSED("result", recallite_history_pipeline_metrics(memory, 0, NULL, &error));
    REFUSED("memory", recallite_history_promotions(NULL, 0, &promotions, &error));
    REFUSED("result", recallite_history_promotions(memory, 0, NULL, &error));
    REFUSED("memory", recallite_history_decisions(NULL, 0, &decisions, &error));
    REFUSED("result", recallite_history_decisions(memory, 0, NULL, &error));
    REFUSED("memory", recallite_history_record_decision(NULL, &decision, &error));
    REFUSED("decision", recallite_history_record_decision(memory, NULL, &error));
    decision.evidence_len = 1;
    REFUSED("evidence", recallite_history_record_decision(memory, &decision, &error));
    decision.evidence_len = 0;
    decision.action = NONE;
    REFUSED("action", recallite_history_record_decision(memory, &decision, &error));
    answer.kind = RECALLITE_RESOLUTION_KIND_PENDING;
    REFUSED("memory", recallite_knowledge_resolve_memory(NULL, one, &answer, &error));
    REFUSED("memory_id", recallite_knowledge_resolve_memory(memory, NONE, &answer, &error));
    REFUSED("answer", recallite_knowledge_resolve_memory(memory, one, NULL, &error));
    REFUSED("memory", recallite_knowledge_mark_unknown_context(NULL, uuid, &error));
    REFUSED("event", recallite_knowledge_mark_unknown_context(memory, NONE, &error));
    REFUSED("memory", recallite_knowledge_placeholders(NULL, 0, &placeholders, &error));
    REFUSED("result", recallite_knowledge_placeholders(memory, 0, NULL, &error));
    REFUSED("memory", recallite_knowledge_memory_resolutions(NULL, 0, &resolutions, &error));
    REFUSED("result", recallite_knowledge_memory_resolutions(memory, 0, NULL, &error));
    REFUSED("memory", recallite_knowledge_effective_memory(NULL, one, &meaning, &error));
    REFUSED("memory_id", recallite_knowledge_effective_memory(memory, NONE, &meaning, &error));
    REFUSED("result", recallite_knowledge_effective_memory(memory, one, NULL, &error));

    /* Without a place for the error object the status alone says it. */
    CHECK(recallite_tasks_list(memory, NULL, NULL, NULL) == RECALLITE_INVALID_ARGUMENT);

#define STILL(type, output) CHECK(output == UNTOUCHED(type))
    STILL(recallite_string, string);
    STILL(recallite_string_list, strings);
    STILL(recallite_alignment_report, aligned);
    STILL(recallite_claims_alignment, claims);
    STILL(recallite_session_message_list, messages);
    STILL(recallite_ingest_report, report);
    STILL(recallite_task_list, tasks);
    STILL(recallite_task_detail, detail);
    STILL(recallite_task, task);
    STILL(recallite_entity, entity);
    STILL(recallite_blocked_task_list, blocked);
    STILL(recallite_condition_list, conditions);
    STILL(recallite_learned_entry_list, entries);
    STILL(recallite_entry_hit_list, hits);
    STILL(recallite_learned_entry, entry);
    STILL(recallite_conflict, conflict);
    STILL(recallite_conflict_list, conflicts);
    STILL(recallite_edge_list, edges);
    STILL(recallite_edge, edge);
    STILL(recallite_lineage_step_list, steps);
    STILL(recallite_related_entry_list, related);
    STILL(recallite_event_level, level);
    STILL(recallite_level_counts, counts);
    STILL(recallite_graduated, graduated);
    STILL(recallite_insight_list, insights);
    STILL(recallite_endless_config, config);
    STILL(recallite_working_item_list, items);
    STILL(recallite_consolidated_memory_list, memories);
    STILL(recallite_continuity_entry_list, log);
    STILL(recallite_continuity, continuity);
    STILL(recallite_endless_status, endless);
    STILL(recallite_endless_context, context);
    STILL(recallite_consolidation_report, consolidated);
    STILL(recallite_build_run_list, runs);
    STILL(recallite_pipeline_metric_list, metrics);
    STILL(recallite_promotion_record_list, promotions);
    STILL(recallite_decision_list, decisions);
    STILL(recallite_placeholder_list, placeholders);
    STILL(recallite_memory_resolution_list, resolutions);
    STILL(recallite_effective_memory, meaning);
    CHECK(number == 7 && score == 7 && mode == -5 && removed);
    recallite_free(memory);
}

static void freeing_null_does_nothing(void) {
    recallite_string_list_free(NULL);
    recallite_alignment_report_free(NULL);
    recallite_claims_alignment_free(NULL);
    recallite_session_message_list_free(NULL);
    recallite_ingest_report_free(NULL);
    recallite_task_free(NULL);
    recallite_task_list_free(NULL);
    recallite_task_detail_free(NULL);
    recallite_blocked_task_list_free(NULL);
    recallite_condition_list_free(NULL);
    recallite_entity_free(NULL);
    recallite_learned_entry_free(NULL);
    recallite_learned_entry_list_free(NULL);
    recallite_entry_hit_list_free(NULL);
    recallite_conflict_free(NULL);
    recallite_conflict_list_free(NULL);
    recallite_edge_free(NULL);
    recallite_edge_list_free(NULL);
    recallite_lineage_step_list_free(NULL);
    recallite_related_entry_list_free(NULL);
    recallite_event_level_free(NULL);
    recallite_level_counts_free(NULL);
    recallite_graduated_free(NULL);
    recallite_insight_list_free(NULL);
    recallite_endless_config_free(NULL);
    recallite_working_item_list_free(NULL);
    recallite_consolidated_memory_list_free(NULL);
    recallite_continuity_entry_list_free(NULL);
    recallite_continuity_free(NULL);
    recallite_endless_status_free(NULL);
    recallite_endless_context_free(NULL);
    recallite_consolidation_report_free(NULL);
    recallite_build_run_list_free(NULL);
    recallite_pipeline_metric_list_free(NULL);
    recallite_promotion_record_list_free(NULL);
    recallite_decision_list_free(NULL);
    recallite_placeholder_list_free(NULL);
    recallite_memory_resolution_list_free(NULL);
    recallite_effective_memory_free(NULL);
}

static void a_closed_memory_learns_nothing(void) {
    recallite_ingest_report *report = NULL;
    recallite_memory *memory = learned("closed", &report);
    recallite_task_list *tasks = NULL;
    recallite_endless_status *endless = NULL;

    CHECK_OK(recallite_close(memory, &error));
    CHECK_FAILS(RECALLITE_CLOSED, NULL,
                recallite_ingest(memory, text("monday"), text(EXTRACTION), NULL, NULL, &error));
    CHECK_FAILS(RECALLITE_CLOSED, NULL, recallite_tasks_list(memory, NULL, &tasks, &error));
    CHECK_FAILS(RECALLITE_CLOSED, NULL, recallite_endless_status_get(memory, &endless, &error));
    recallite_free(memory);
    REFUSED("memory", recallite_tasks_list(memory, NULL, &tasks, &error));
    /* What the library gave outlives the memory. */
    CHECK(report->entries_len == 4 && is(report->entries[0]->local_id, "e1"));
    recallite_ingest_report_free(report);
}

static void a_wrong_struct_size_is_refused(void) {
    recallite_memory *memory = open_memory("size");
    const size_t sizes[] = {0, 1, sizeof(size_t), (size_t)-1, (size_t)-8};
    const recallite_str one = text("one");
    recallite_evidence_quote quotes[2];
    const recallite_evidence_quote quote = RECALLITE_INIT(recallite_evidence_quote);
    recallite_align_options align_options = RECALLITE_INIT(recallite_align_options);
    recallite_ingest_options ingest_options = RECALLITE_INIT(recallite_ingest_options);
    recallite_task_filter task_filter = RECALLITE_INIT(recallite_task_filter);
    recallite_entry_filter entry_filter = RECALLITE_INIT(recallite_entry_filter);
    recallite_edge_filter edge_filter = RECALLITE_INIT(recallite_edge_filter);
    recallite_edge_ends ends = RECALLITE_INIT(recallite_edge_ends);
    recallite_graph_node node = RECALLITE_INIT(recallite_graph_node);
    recallite_graph_node good = RECALLITE_INIT(recallite_graph_node);
    recallite_endless_config config = RECALLITE_INIT(recallite_endless_config);
    recallite_injection_policy injection = RECALLITE_INIT(recallite_injection_policy);
    recallite_new_decision decision = RECALLITE_INIT(recallite_new_decision);
    recallite_new_evidence evidence = RECALLITE_INIT(recallite_new_evidence);
    recallite_alignment_report *report = NULL;
    recallite_task_list *tasks = NULL;
    recallite_learned_entry_list *entries = NULL;
    recallite_entry_hit_list *hits = NULL;
    recallite_edge_list *edges = NULL;
    size_t index;

    quotes[0] = quotes[1] = quote;
    quotes[0].quote = quotes[1].quote = one;
    good.id = one;
    good.node_type = RECALLITE_NODE_TYPE_ENTRY;
    for (index = 0; index < sizeof(sizes) / sizeof(sizes[0]); index++) {
        quotes[0].struct_size = sizes[index];
        REFUSED("quotes.struct_size", recallite_align(&one, 1, quotes, 2, NULL, &report, &error));
        align_options.struct_size = sizes[index];
        REFUSED("options.struct_size",
                recallite_align(&one, 1, NULL, 0, &align_options, &report, &error));
        ingest_options.struct_size = sizes[index];
        REFUSED("options.struct_size",
                recallite_ingest(memory, one, one, &ingest_options, NULL, &error));
        task_filter.struct_size = sizes[index];
        REFUSED("filter.struct_size", recallite_tasks_list(memory, &task_filter, &tasks, &error));
        entry_filter.struct_size = sizes[index];
        REFUSED("filter.struct_size", recallite_knowledge_entries(memory, &entry_filter, &entries, &error));
        REFUSED("filter.struct_size",
                recallite_knowledge_search(memory, text("a"), &entry_filter, &hits, &error));
        edge_filter.struct_size = sizes[index];
        REFUSED("filter.struct_size", recallite_knowledge_edges(memory, &edge_filter, &edges, &error));
        ends.struct_size = sizes[index];
        REFUSED("ends.struct_size", recallite_knowledge_add_edge(memory, &ends, NONE, NULL, &error));
        node.struct_size = sizes[index];
        REFUSED("source.struct_size",
                recallite_knowledge_replace_edges(memory, &node, 1, NULL, 0, NULL, &error));
        REFUSED("targets.struct_size",
                recallite_knowledge_replace_edges(memory, &good, 1, &node, 1, NULL, &error));
        config.struct_size = sizes[index];
        REFUSED("config.struct_size", recallite_endless_set_config(memory, &config, &error));
        config.struct_size = sizeof(config);
        injection.struct_size = sizes[index];
        config.injection = &injection;
        REFUSED("injection.struct_size", recallite_endless_set_config(memory, &config, &error));
        decision.struct_size = sizes[index];
        REFUSED("decision.struct_size", recallite_history_record_decision(memory, &decision, &error));
    }
    /* Items of one array that differ, an array that is too long, a newer header. */
    quotes[0] = quotes[1];
    quotes[1].struct_size = 3;
    REFUSED("quotes[1].struct_size", recallite_align(&one, 1, quotes, 2, NULL, &report, &error));
    REFUSED("quotes", recallite_align(&one, 1, quotes, (size_t)-1, NULL, &report, &error));
    REFUSED("messages", recallite_align(&one, (size_t)-1, NULL, 0, NULL, &report, &error));
    task_filter.struct_size = sizeof(task_filter) + 8;
    CHECK_FAILS(RECALLITE_UNSUPPORTED, "filter.struct_size",
                recallite_tasks_list(memory, &task_filter, &tasks, &error));
    decision.struct_size = sizeof(decision);
    decision.decision_id = decision.actor = decision.action = one;
    evidence.struct_size = 5;
    decision.evidence = &evidence;
    decision.evidence_len = 1;
    REFUSED("evidence.struct_size", recallite_history_record_decision(memory, &decision, &error));
    recallite_free(memory);
}

static void numbers_without_meaning_are_refused(void) {
    recallite_memory *memory = open_memory("numbers");
    const int32_t wrong[] = {-1, 99, 2147483647};
    const recallite_str one = text("one");
    const unsigned char two = 2;
    bool allowed = true;
    recallite_align_options align_options = RECALLITE_INIT(recallite_align_options);
    recallite_ingest_options ingest_options = RECALLITE_INIT(recallite_ingest_options);
    recallite_task_filter task_filter = RECALLITE_INIT(recallite_task_filter);
    recallite_entry_filter entry_filter = RECALLITE_INIT(recallite_entry_filter);
    recallite_edge_filter edge_filter = RECALLITE_INIT(recallite_edge_filter);
    recallite_edge_ends ends = RECALLITE_INIT(recallite_edge_ends);
    recallite_graph_node node = RECALLITE_INIT(recallite_graph_node);
    recallite_condition_target target = RECALLITE_INIT(recallite_condition_target);
    recallite_memory_answer answer = RECALLITE_INIT(recallite_memory_answer);
    recallite_endless_config config = RECALLITE_INIT(recallite_endless_config);
    recallite_working_set_policy working_set = RECALLITE_INIT(recallite_working_set_policy);
    recallite_injection_policy injection = RECALLITE_INIT(recallite_injection_policy);
    recallite_new_decision decision = RECALLITE_INIT(recallite_new_decision);
    recallite_new_evidence evidence = RECALLITE_INIT(recallite_new_evidence);
    recallite_string *string = NULL;
    recallite_alignment_report *report = NULL;
    recallite_task_list *tasks = NULL;
    recallite_task *task = NULL;
    recallite_learned_entry_list *entries = NULL;
    recallite_entry_hit_list *hits = NULL;
    recallite_edge_list *edges = NULL;
    size_t index;

    decision.decision_id = decision.actor = decision.action = one;
    decision.evidence = &evidence;
    decision.evidence_len = 1;
    evidence.evidence_id = one;
    for (index = 0; index < sizeof(wrong) / sizeof(wrong[0]); index++) {
        const int32_t number = wrong[index];
        REFUSED("kind", recallite_entity_key(number, one, NONE, &string, &error));
        memset(&task_filter, 0, sizeof(task_filter));
        task_filter.struct_size = sizeof(task_filter);
        task_filter.status = number;
        REFUSED("status", recallite_tasks_list(memory, &task_filter, &tasks, &error));
        task_filter.status = 0;
        task_filter.scope = number;
        REFUSED("scope", recallite_tasks_list(memory, &task_filter, &tasks, &error));
        REFUSED("scope", recallite_tasks_with_placeholder_blockers(memory, number, NONE, 0, &tasks, &error));
        REFUSED("to", recallite_tasks_change_status(memory, one, number, NULL, 0, &task, &error));
        target.id = one;
        target.kind = number;
        REFUSED("target.kind", recallite_tasks_resolve_condition(memory, one, &target, 1, 1, &error));
        target.kind = RECALLITE_ENTITY_KIND_TASK;
        REFUSED("resolution", recallite_tasks_resolve_condition(memory, one, &target, number, 1, &error));
        memset(&entry_filter, 0, sizeof(entry_filter));
        entry_filter.struct_size = sizeof(entry_filter);
        entry_filter.entry_type = number;
        REFUSED("entry_type", recallite_knowledge_entries(memory, &entry_filter, &entries, &error));
        entry_filter.entry_type = 0;
        entry_filter.min_stage = number;
        REFUSED("min_stage", recallite_knowledge_entries(memory, &entry_filter, &entries, &error));
        entry_filter.min_stage = 0;
        entry_filter.status = number;
        REFUSED("status", recallite_knowledge_entries(memory, &entry_filter, &entries, &error));
        REFUSED("status", recallite_knowledge_search(memory, text("a"), &entry_filter, &hits, &error));
        edge_filter.from = one;
        edge_filter.relation = number;
        REFUSED("relation", recallite_knowledge_edges(memory, &edge_filter, &edges, &error));
        ends.source_id = ends.destination_id = one;
        ends.source_type = ends.destination_type = RECALLITE_NODE_TYPE_ENTRY;
        ends.relation = number;
        REFUSED("relation", recallite_knowledge_add_edge(memory, &ends, NONE, NULL, &error));
        ends.relation = RECALLITE_RELATION_DERIVED_FROM;
        ends.source_type = number;
        REFUSED("source_type", recallite_knowledge_add_edge(memory, &ends, NONE, NULL, &error));
        ends.source_type = RECALLITE_NODE_TYPE_ENTRY;
        ends.destination_type = number;
        REFUSED("destination_type", recallite_knowledge_remove_edge(memory, &ends, NULL, &error));
        REFUSED("relation", recallite_is_edge_allowed(1, number, 1, &allowed, &error));
        REFUSED("source_type", recallite_is_edge_allowed(number, 1, 1, &allowed, &error));
        REFUSED("destination_type", recallite_is_edge_allowed(1, 1, number, &allowed, &error));
        node.id = one;
        node.node_type = number;
        REFUSED("source.node_type",
                recallite_knowledge_replace_edges(memory, &node, 1, NULL, 0, NULL, &error));
        node.node_type = RECALLITE_NODE_TYPE_ENTRY;
        REFUSED("relation", recallite_knowledge_replace_edges(memory, &node, number, NULL, 0, NULL, &error));
        REFUSED("mode", recallite_endless_set_mode(memory, number, &error));
        answer.kind = number;
        REFUSED("kind", recallite_knowledge_resolve_memory(memory, one, &answer, &error));
        evidence.kind = number;
        REFUSED("evidence[0].kind", recallite_history_record_decision(memory, &decision, &error));
        evidence.kind = RECALLITE_EVIDENCE_KIND_ENTRY;
        evidence.stage = number;
        REFUSED("evidence[0].stage", recallite_history_record_decision(memory, &decision, &error));
    }
    CHECK(allowed);
    /* 0 is "any" in a filter only. */
    REFUSED("to", recallite_tasks_change_status(memory, one, 0, NULL, 0, &task, &error));
    ends.destination_type = RECALLITE_NODE_TYPE_ENTRY;
    ends.relation = RECALLITE_RELATION_UNSET;
    REFUSED("relation", recallite_knowledge_add_edge(memory, &ends, NONE, NULL, &error));
    evidence.stage = RECALLITE_PROVEN_STAGE_VERIFIED;
    decision.decided_ms = INT64_MAX;
    REFUSED("decided_ms", recallite_history_record_decision(memory, &decision, &error));
    decision.decided_ms = 0;
    evidence.known_ms = INT64_MIN;
    REFUSED("evidence[0].known_ms", recallite_history_record_decision(memory, &decision, &error));
    evidence.known_ms = 0;
    decision.has_confidence = true;
    decision.confidence = 1.5;
    REFUSED("confidence", recallite_history_record_decision(memory, &decision, &error));
    REFUSED("at_ms", recallite_tasks_get_as_of(memory, one, INT64_MAX, &task, &error));
    edge_filter.relation = 0;
    edge_filter.to = one;
    REFUSED("from", recallite_knowledge_edges(memory, &edge_filter, &edges, &error));
    align_options.fuzzy_threshold = 0.25;
    REFUSED("fuzzy_threshold", recallite_align(NULL, 0, NULL, 0, &align_options, &report, &error));
    align_options.fuzzy_threshold = 0;
    align_options.has_max_fuzzy_quote_chars = true;
    align_options.max_fuzzy_quote_chars = 10001;
    REFUSED("max_fuzzy_quote_chars", recallite_align(NULL, 0, NULL, 0, &align_options, &report, &error));
    config.working_set = &working_set;
    working_set.time_window_ms = -1;
    REFUSED("working_set.time_window_ms", recallite_endless_set_config(memory, &config, &error));
    working_set.time_window_ms = 0;
    config.injection = &injection;
    injection.has_min_relevance = true;
    injection.min_relevance = 2;
    REFUSED("injection.min_relevance", recallite_endless_set_config(memory, &config, &error));

    /* A byte that is no boolean, as an uninitialised struct may hold it. */
    memcpy(&align_options.reject_ambiguous, &two, 1);
    align_options.max_fuzzy_quote_chars = 1;
    REFUSED("reject_ambiguous", recallite_align(NULL, 0, NULL, 0, &align_options, &report, &error));
    memcpy(&ingest_options.has_extraction_ms, &two, 1);
    REFUSED("has_extraction_ms", recallite_ingest(memory, one, one, &ingest_options, NULL, &error));
    memset(&entry_filter, 0, sizeof(entry_filter));
    entry_filter.struct_size = sizeof(entry_filter);
    memcpy(&entry_filter.has_as_of, &two, 1);
    REFUSED("has_as_of", recallite_knowledge_entries(memory, &entry_filter, &entries, &error));
    memcpy(&injection.has_max_events, &two, 1);
    REFUSED("injection.has_max_events", recallite_endless_set_config(memory, &config, &error));
    recallite_free(memory);
}

static void text_is_checked(void) {
    recallite_memory *memory = open_memory("text");
    const recallite_str one = text("one");
    const recallite_str bad = text(BAD);
    recallite_evidence_quote quote = RECALLITE_INIT(recallite_evidence_quote);
    recallite_ingest_options options = RECALLITE_INIT(recallite_ingest_options);
    recallite_entry_filter entry_filter = RECALLITE_INIT(recallite_entry_filter);
    recallite_edge_filter edge_filter = RECALLITE_INIT(recallite_edge_filter);
    recallite_edge_ends ends = RECALLITE_INIT(recallite_edge_ends);
    recallite_new_decision decision = RECALLITE_INIT(recallite_new_decision);
    recallite_string *string = NULL;
    recallite_string_list *strings = NULL;
    recallite_alignment_report *report = NULL;
    recallite_claims_alignment *claims = NULL;
    recallite_session_message_list *messages = NULL;
    recallite_task_detail *detail = NULL;
    recallite_learned_entry *entry = NULL;
    recallite_learned_entry_list *entries = NULL;
    recallite_entry_hit_list *hits = NULL;
    recallite_edge_list *edges = NULL;
    recallite_consolidated_memory_list *memories = NULL;
    recallite_endless_context *context = NULL;
    recallite_effective_memory *meaning = NULL;
    size_t tokens = 0;

    REFUSED("title", recallite_canonical_key(bad, NONE, &string, &error));
    REFUSED("project", recallite_canonical_key(one, bad, &string, &error));
    REFUSED("content", recallite_summary(bad, &string, &error));
    REFUSED("text", recallite_estimate_tokens(bad, &tokens, &error));
    REFUSED("response", recallite_extract_claims(bad, &strings, &error));
    REFUSED("claims[0]", recallite_align_claims(&bad, 1, one, &claims, &error));
    REFUSED("messages[0]", recallite_align(&bad, 1, NULL, 0, NULL, &report, &error));
    quote.quote = bad;
    REFUSED("quotes[0].quote", recallite_align(&one, 1, &quote, 1, NULL, &report, &error));
    REFUSED("session", recallite_knowledge_session_messages(memory, bad, 0, 0, &messages, &error));
    REFUSED("extraction", recallite_ingest(memory, one, bad, NULL, NULL, &error));
    options.extractor_model = bad;
    REFUSED("extractor_model", recallite_ingest(memory, one, one, &options, NULL, &error));
    REFUSED("id", recallite_tasks_get(memory, bad, &detail, &error));
    REFUSED("blocked_by[0]", recallite_tasks_change_status(memory, one, 3, &bad, 1, NULL, &error));
    REFUSED("title", recallite_tasks_rename(memory, one, bad, NULL, &error));
    REFUSED("id", recallite_knowledge_entry(memory, bad, &entry, &error));
    entry_filter.text = bad;
    REFUSED("text", recallite_knowledge_entries(memory, &entry_filter, &entries, &error));
    REFUSED("query", recallite_knowledge_search(memory, bad, NULL, &hits, &error));
    REFUSED("reason", recallite_knowledge_contradict(memory, one, one, bad, NULL, &error));
    edge_filter.to = bad;
    REFUSED("to", recallite_knowledge_edges(memory, &edge_filter, &edges, &error));
    ends.source_id = ends.destination_id = one;
    ends.source_type = ends.destination_type = RECALLITE_NODE_TYPE_ENTRY;
    ends.relation = RECALLITE_RELATION_DERIVED_FROM;
    REFUSED("meta_json", recallite_knowledge_add_edge(memory, &ends, text("{not json"), NULL, &error));
    ends.destination_id = text("two");
    REFUSED("meta_json", recallite_knowledge_add_edge(memory, &ends, text("[1]"), NULL, &error));
    REFUSED("session", recallite_levels_record_access(memory, NULL, 0, bad, 1, &error));
    REFUSED("text", recallite_endless_memories(memory, bad, 0, &memories, &error));
    REFUSED("query", recallite_endless_context_get(memory, bad, &context, &error));
    REFUSED("text", recallite_endless_score_continuity(memory, one, bad, NULL, &error));
    REFUSED("context_id", recallite_endless_score_continuity(memory, text(" "), one, NULL, &error));
    REFUSED("memory_id", recallite_knowledge_effective_memory(memory, bad, &meaning, &error));
    decision.decision_id = decision.actor = one;
    decision.action = bad;
    REFUSED("action", recallite_history_record_decision(memory, &decision, &error));
    decision.action = one;
    decision.outcome_json = text("{not json");
    REFUSED("outcome_json", recallite_history_record_decision(memory, &decision, &error));
    recallite_free(memory);
}

static void a_wrong_extraction_names_its_element(void) {
    recallite_memory *memory = open_memory("extraction");
    recallite_ingest_report *report = NULL;
    recallite_learned_entry_list *entries = NULL;

    talk(memory);
    CHECK_FAILS(RECALLITE_NOT_FOUND, "session",
                recallite_ingest(memory, text("tuesday"), text(EXTRACTION), NULL, &report, &error));
    REFUSED(NULL, recallite_ingest(memory, text("monday"), text("{"), NULL, &report, &error));
    REFUSED("entries[0].quotes[0].message_index",
            recallite_ingest(memory, text("monday"),
                             text("{\"schema_version\": 1, \"entries\": [{\"id\": \"e1\", \"type\": \"fact\","
                                  "\"title\": \"t\", \"content\": \"c\","
                                  "\"quotes\": [{\"message_index\": 3, \"quote\": \"q\"}]}]}"),
                             NULL, &report, &error));
    CHECK(report == NULL);
    CHECK_OK(recallite_knowledge_entries(memory, NULL, &entries, &error));
    CHECK(entries->len == 0);
    recallite_learned_entry_list_free(entries);
    recallite_free(memory);
}

/* A callback that gives bytes which are no text. */
static int32_t no_text(const recallite_str *topics, size_t topics_len, const recallite_str *texts,
                       size_t texts_len, recallite_str *summary, void *user_data) {
    (void)topics, (void)topics_len, (void)texts, (void)texts_len, (void)user_data;
    *summary = recallite_str_from(BAD);
    return 0;
}

/* A callback that fails, whatever it has written before. */
static int32_t gives_up(const recallite_str *topics, size_t topics_len, const recallite_str *texts,
                        size_t texts_len, recallite_str *summary, void *user_data) {
    (void)topics, (void)topics_len, (void)texts, (void)texts_len, (void)user_data;
    *summary = recallite_str_from("half a summary");
    return 7;
}

/* A callback that leaves the summary to the rules. */
static int32_t by_rules(const recallite_str *topics, size_t topics_len, const recallite_str *texts,
                        size_t texts_len, recallite_str *summary, void *user_data) {
    (void)topics, (void)topics_len, (void)texts, (void)texts_len, (void)summary, (void)user_data;
    return 0;
}

static void a_summarizer_that_fails_stores_nothing(void) {
    recallite_memory *memory = open_memory("summary");
    recallite_endless_config config = RECALLITE_INIT(recallite_endless_config);
    recallite_consolidation_policy consolidation = RECALLITE_INIT(recallite_consolidation_policy);
    recallite_consolidated_memory_list *memories = NULL;
    recallite_consolidation_report *report = NULL;
    recallite_new_event event;
    char content[64];
    int index;

    consolidation.min_events = 2;
    config.consolidation = &consolidation;
    CHECK_OK(recallite_endless_set_config(memory, &config, &error));
    CHECK_OK(recallite_endless_set_mode(memory, RECALLITE_MEMORY_MODE_ENDLESS, &error));
    for (index = 0; index < 3; index++) {
        snprintf(content, sizeof(content), "The database index number %d is rebuilt", index);
        event = prompt("s1", content);
        CHECK_OK(recallite_append(memory, &event, NULL, &error));
    }
    CHECK_FAILS(RECALLITE_CALLBACK, "summarize",
                recallite_endless_consolidate(memory, no_text, NULL, &report, &error));
    CHECK_FAILS(RECALLITE_CALLBACK, "summarize",
                recallite_endless_consolidate(memory, gives_up, NULL, &report, &error));
    CHECK(report == NULL && recallite_is_open(memory));
    CHECK_OK(recallite_endless_memories(memory, NONE, 0, &memories, &error));
    CHECK(memories->len == 0);
    recallite_consolidated_memory_list_free(memories);

    CHECK_OK(recallite_endless_consolidate(memory, by_rules, NULL, &report, &error));
    CHECK(report->ran && report->memories_len > 0);
    recallite_consolidation_report_free(report);
    CHECK_OK(recallite_endless_memories(memory, NONE, 0, &memories, &error));
    CHECK(memories->len > 0 && memories->items[0]->summary.len > 0);
    recallite_consolidated_memory_list_free(memories);
    recallite_free(memory);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    check_folder = argv[1];
    CASE(null_is_refused_everywhere);
    CASE(freeing_null_does_nothing);
    CASE(a_closed_memory_learns_nothing);
    CASE(a_wrong_struct_size_is_refused);
    CASE(numbers_without_meaning_are_refused);
    CASE(text_is_checked);
    CASE(a_wrong_extraction_names_its_element);
    CASE(a_summarizer_that_fails_stores_nothing);
    return check_end();
}
