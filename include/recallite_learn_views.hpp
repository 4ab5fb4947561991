// recallite_learn_views.hpp - what the learning functions of recallite.h give,
// for C++17. Included by recallite.hpp.
//
// A view or a text of a result lives as long as the result.
#ifndef RECALLITE_HPP
#include "recallite.hpp"
#elif !defined(RECALLITE_LEARN_VIEWS_HPP)
#define RECALLITE_LEARN_VIEWS_HPP

namespace recallite {

namespace detail {

/// A result that owns what it shows.
template <typename Raw, void (*Free)(Raw *)> class OwnedItem : public Item<Raw> {
  public:
    explicit OwnedItem(Raw *raw) noexcept : Item<Raw>(raw), owner_(raw) {}

  private:
    Owner<Raw, Free> owner_;
};

} // namespace detail

/// The stable names of the words below, the same in every language.
inline std::string_view name(recallite_match_method method) {
    return recallite_match_method_name(method);
}
inline std::string_view name(recallite_failure_reason reason) {
    return recallite_failure_reason_name(reason);
}
inline std::string_view name(recallite_task_status status) {
    return recallite_task_status_name(status);
}
inline std::string_view name(recallite_priority priority) {
    return recallite_priority_name(priority);
}
inline std::string_view name(recallite_entity_kind kind) {
    return recallite_entity_kind_name(kind);
}
inline std::string_view name(recallite_artifact_kind kind) {
    return recallite_artifact_kind_name(kind);
}
inline std::string_view name(recallite_resolution_type resolution) {
    return recallite_resolution_type_name(resolution);
}
inline std::string_view name(recallite_entry_type entry_type) {
    return recallite_entry_type_name(entry_type);
}
inline std::string_view name(recallite_stage stage) { return recallite_stage_name(stage); }
inline std::string_view name(recallite_entry_status status) {
    return recallite_entry_status_name(status);
}
inline std::string_view name(recallite_node_type node_type) {
    return recallite_node_type_name(node_type);
}
inline std::string_view name(recallite_relation relation) {
    return recallite_relation_name(relation);
}
inline std::string_view name(recallite_level level) { return recallite_level_name(level); }
inline std::string_view name(recallite_insight_kind kind) {
    return recallite_insight_kind_name(kind);
}
inline std::string_view name(recallite_memory_mode mode) {
    return recallite_memory_mode_name(mode);
}
inline std::string_view name(recallite_transition_type transition) {
    return recallite_transition_type_name(transition);
}
inline std::string_view name(recallite_build_status status) {
    return recallite_build_status_name(status);
}
inline std::string_view name(recallite_pipeline_stage stage) {
    return recallite_pipeline_stage_name(stage);
}
inline std::string_view name(recallite_evidence_kind kind) {
    return recallite_evidence_kind_name(kind);
}
inline std::string_view name(recallite_resolution_kind kind) {
    return recallite_resolution_kind_name(kind);
}
inline std::string_view name(recallite_effective_status status) {
    return recallite_effective_status_name(status);
}

/// What became of one quote.
class Alignment : public detail::Item<recallite_alignment> {
  public:
    using Item::Item;
    std::size_t message_index() const noexcept { return raw_->message_index; }
    std::string_view quote() const noexcept { return view(raw_->quote); }
    std::string_view quote_hash() const noexcept { return view(raw_->quote_hash); }
    const recallite_quote_span &span() const noexcept { return raw_->span; }
    double confidence() const noexcept { return raw_->confidence; }
    std::size_t alternative_count() const noexcept { return raw_->alternative_count; }
    recallite_match_method match_method() const noexcept {
        return static_cast<recallite_match_method>(raw_->match_method);
    }
    recallite_failure_reason failure_reason() const noexcept {
        return static_cast<recallite_failure_reason>(raw_->failure_reason);
    }
    bool aligned() const noexcept { return raw_->aligned; }
    bool ambiguous() const noexcept { return raw_->ambiguous; }
};

/// A claim that the source supports.
class AlignedClaim : public detail::Item<recallite_aligned_claim> {
  public:
    using Item::Item;
    std::size_t claim_index() const noexcept { return raw_->claim_index; }
    const recallite_quote_span &span() const noexcept { return raw_->span; }
    double confidence() const noexcept { return raw_->confidence; }
    recallite_match_method match_method() const noexcept {
        return static_cast<recallite_match_method>(raw_->match_method);
    }
};

/// Where a quote stands in its message, without its text.
class EvidenceSpan : public detail::Item<recallite_evidence_span> {
  public:
    using Item::Item;
    std::string_view quote_hash() const noexcept { return view(raw_->quote_hash); }
    std::optional<std::string_view> event_id() const noexcept {
        return optional_view(raw_->event_id);
    }
    std::uint64_t span_start() const noexcept { return raw_->span_start; }
    std::uint64_t span_end() const noexcept { return raw_->span_end; }
    double confidence() const noexcept { return raw_->confidence; }
    std::uint32_t message_index() const noexcept { return raw_->message_index; }
    recallite_match_method match_method() const noexcept {
        return static_cast<recallite_match_method>(raw_->match_method);
    }
};

/// A quote that was not found, without its text.
class MissingQuote : public detail::Item<recallite_missing_quote> {
  public:
    using Item::Item;
    std::string_view quote_hash() const noexcept { return view(raw_->quote_hash); }
    std::string_view reason() const noexcept { return view(raw_->reason); }
    std::uint32_t message_index() const noexcept { return raw_->message_index; }
};

/// What looking up the quotes of an entry or a task gave.
class EvidenceReport : public detail::Item<recallite_evidence_report> {
  public:
    using Item::Item;
    detail::Items<EvidenceSpan, recallite_evidence_span> aligned() const noexcept {
        return {raw_->aligned, raw_->aligned_len};
    }
    detail::Items<MissingQuote, recallite_missing_quote> failed() const noexcept {
        return {raw_->failed, raw_->failed_len};
    }
};

/// A message of a session under the number that quotes name it by.
class SessionMessage : public detail::Item<recallite_session_message> {
  public:
    using Item::Item;
    std::size_t index() const noexcept { return raw_->index; }
    std::optional<EventView> event() const noexcept {
        if (raw_->event == nullptr) return std::nullopt;
        return EventView(raw_->event);
    }
};

/// What became of one entry of an extraction.
class IngestedEntry : public detail::Item<recallite_ingested_entry> {
  public:
    using Item::Item;
    std::string_view local_id() const noexcept { return view(raw_->local_id); }
    std::string_view entry_id() const noexcept { return view(raw_->entry_id); }
    EvidenceReport evidence() const noexcept { return EvidenceReport(raw_->evidence); }
    recallite_stage stage() const noexcept { return static_cast<recallite_stage>(raw_->stage); }
    bool is_new() const noexcept { return raw_->is_new; }
};

/// What became of one task of an extraction.
class IngestedTask : public detail::Item<recallite_ingested_task> {
  public:
    using Item::Item;
    std::string_view local_id() const noexcept { return view(raw_->local_id); }
    std::string_view task_id() const noexcept { return view(raw_->task_id); }
    EvidenceReport evidence() const noexcept { return EvidenceReport(raw_->evidence); }
    std::size_t acts() const noexcept { return raw_->acts; }
    bool is_new() const noexcept { return raw_->is_new; }
};

/// What was taken in.
class IngestReport : public detail::OwnedItem<recallite_ingest_report, recallite_ingest_report_free> {
  public:
    using OwnedItem::OwnedItem;
    std::string_view build_id() const noexcept { return view(raw_->build_id); }
    std::string_view session() const noexcept { return view(raw_->session); }
    detail::Items<IngestedEntry, recallite_ingested_entry> entries() const noexcept {
        return {raw_->entries, raw_->entries_len};
    }
    detail::Items<IngestedTask, recallite_ingested_task> tasks() const noexcept {
        return {raw_->tasks, raw_->tasks_len};
    }
    std::size_t events() const noexcept { return raw_->events; }
    bool already_ingested() const noexcept { return raw_->already_ingested; }
};

/// A task that a condition may mean.
class TaskCandidate : public detail::Item<recallite_task_candidate> {
  public:
    using Item::Item;
    std::string_view task_id() const noexcept { return view(raw_->task_id); }
    std::string_view title() const noexcept { return view(raw_->title); }
    double score() const noexcept { return raw_->score; }
};

/// What holds a task up, as it was named.
class Blocker : public detail::Item<recallite_blocker> {
  public:
    using Item::Item;
    std::string_view entity_id() const noexcept { return view(raw_->entity_id); }
    std::string_view raw_text() const noexcept { return view(raw_->raw_text); }
    detail::Items<TaskCandidate, recallite_task_candidate> candidates() const noexcept {
        return {raw_->candidates, raw_->candidates_len};
    }
    recallite_entity_kind kind() const noexcept {
        return static_cast<recallite_entity_kind>(raw_->kind);
    }
    recallite_confidence confidence() const noexcept {
        return static_cast<recallite_confidence>(raw_->confidence);
    }
};

/// A task as its events made it, borrowed from a result.
class TaskView : public detail::Item<recallite_task> {
  public:
    using Item::Item;
    std::string_view id() const noexcept { return view(raw_->id); }
    std::string_view project() const noexcept { return view(raw_->project); }
    std::string_view canonical_key() const noexcept { return view(raw_->canonical_key); }
    std::string_view title() const noexcept { return view(raw_->title); }
    std::optional<std::string_view> description() const noexcept {
        return optional_view(raw_->description);
    }
    detail::Items<Blocker, recallite_blocker> blockers() const noexcept {
        return {raw_->blockers, raw_->blockers_len};
    }
    detail::Items<Blocker, recallite_blocker> suggested_blockers() const noexcept {
        return {raw_->suggested_blockers, raw_->suggested_blockers_len};
    }
    std::int64_t created_ms() const noexcept { return raw_->created_ms; }
    std::int64_t updated_ms() const noexcept { return raw_->updated_ms; }
    recallite_task_status status() const noexcept {
        return static_cast<recallite_task_status>(raw_->status);
    }
    recallite_priority priority() const noexcept {
        return static_cast<recallite_priority>(raw_->priority);
    }
};

/// A task as its events made it.
class Task : public TaskView {
  public:
    explicit Task(recallite_task *raw) noexcept : TaskView(raw), owner_(raw) {}

  private:
    detail::Owner<recallite_task, recallite_task_free> owner_;
};

/// Something that must become true before a task can go on.
class Condition : public detail::Item<recallite_condition> {
  public:
    using Item::Item;
    std::string_view id() const noexcept { return view(raw_->id); }
    std::string_view project() const noexcept { return view(raw_->project); }
    std::string_view canonical_key() const noexcept { return view(raw_->canonical_key); }
    std::string_view text() const noexcept { return view(raw_->text); }
    std::optional<std::string_view> resolved_to() const noexcept {
        return optional_view(raw_->resolved_to);
    }
    detail::Items<TaskCandidate, recallite_task_candidate> candidates() const noexcept {
        return {raw_->candidates, raw_->candidates_len};
    }
    std::int64_t created_ms() const noexcept { return raw_->created_ms; }
    std::int64_t updated_ms() const noexcept { return raw_->updated_ms; }
    recallite_entity_kind resolved_kind() const noexcept {
        return static_cast<recallite_entity_kind>(raw_->resolved_kind);
    }
    bool auto_placeholder() const noexcept { return raw_->auto_placeholder; }
};

/// Something elsewhere that a task waits for.
class Artifact : public detail::Item<recallite_artifact> {
  public:
    using Item::Item;
    std::string_view id() const noexcept { return view(raw_->id); }
    std::string_view canonical_key() const noexcept { return view(raw_->canonical_key); }
    std::string_view identifier() const noexcept { return view(raw_->identifier); }
    std::int64_t created_ms() const noexcept { return raw_->created_ms; }
    recallite_artifact_kind kind() const noexcept {
        return static_cast<recallite_artifact_kind>(raw_->kind);
    }
};

/// What really blocks a task.
class EffectiveBlocker : public detail::Item<recallite_effective_blocker> {
  public:
    using Item::Item;
    std::string_view original_id() const noexcept { return view(raw_->original_id); }
    std::string_view effective_id() const noexcept { return view(raw_->effective_id); }
    recallite_entity_kind effective_kind() const noexcept {
        return static_cast<recallite_entity_kind>(raw_->effective_kind);
    }
    bool resolved() const noexcept { return raw_->resolved; }
};

/// A blocked task and what really blocks it.
class BlockedTask : public detail::Item<recallite_blocked_task> {
  public:
    using Item::Item;
    TaskView task() const noexcept { return TaskView(raw_->task); }
    detail::Items<EffectiveBlocker, recallite_effective_blocker> blockers() const noexcept {
        return {raw_->blockers, raw_->blockers_len};
    }
};

/// A task with all that is known about it.
class TaskDetail : public detail::OwnedItem<recallite_task_detail, recallite_task_detail_free> {
  public:
    using OwnedItem::OwnedItem;
    TaskView task() const noexcept { return TaskView(raw_->task); }
    detail::Items<EffectiveBlocker, recallite_effective_blocker> effective_blockers() const noexcept {
        return {raw_->effective_blockers, raw_->effective_blockers_len};
    }
    detail::Items<EventView, recallite_event> history() const noexcept {
        return {raw_->history, raw_->history_len};
    }
};

/// A task, condition or artifact.
class Entity : public detail::OwnedItem<recallite_entity, recallite_entity_free> {
  public:
    using OwnedItem::OwnedItem;
    std::optional<TaskView> task() const noexcept {
        if (raw_->task == nullptr) return std::nullopt;
        return TaskView(raw_->task);
    }
    std::optional<Condition> condition() const noexcept {
        if (raw_->condition == nullptr) return std::nullopt;
        return Condition(raw_->condition);
    }
    std::optional<Artifact> artifact() const noexcept {
        if (raw_->artifact == nullptr) return std::nullopt;
        return Artifact(raw_->artifact);
    }
    recallite_entity_kind kind() const noexcept {
        return static_cast<recallite_entity_kind>(raw_->kind);
    }
};

/// Something that was learned, borrowed from a result.
class EntryView : public detail::Item<recallite_entry> {
  public:
    using Item::Item;
    std::string_view id() const noexcept { return view(raw_->id); }
    std::string_view title() const noexcept { return view(raw_->title); }
    std::string_view content() const noexcept { return view(raw_->content); }
    std::string_view canonical_key() const noexcept { return view(raw_->canonical_key); }
    std::string_view project() const noexcept { return view(raw_->project); }
    std::string_view session() const noexcept { return view(raw_->session); }
    std::optional<std::string_view> local_id() const noexcept {
        return optional_view(raw_->local_id);
    }
    std::optional<std::string_view> build_id() const noexcept {
        return optional_view(raw_->build_id);
    }
    std::optional<std::string_view> certified_by() const noexcept {
        return optional_view(raw_->certified_by);
    }
    std::optional<std::string_view> superseded_by() const noexcept {
        return optional_view(raw_->superseded_by);
    }
    std::vector<std::string_view> contested_with() const {
        return detail::views(raw_->contested_with, raw_->contested_with_len);
    }
    std::optional<EvidenceReport> evidence() const noexcept {
        if (raw_->evidence == nullptr) return std::nullopt;
        return EvidenceReport(raw_->evidence);
    }
    std::optional<std::int64_t> valid_from_ms() const noexcept {
        if (!raw_->has_valid_from) return std::nullopt;
        return raw_->valid_from_ms;
    }
    std::optional<std::int64_t> valid_to_ms() const noexcept {
        if (!raw_->has_valid_to) return std::nullopt;
        return raw_->valid_to_ms;
    }
    std::int64_t created_ms() const noexcept { return raw_->created_ms; }
    std::uint64_t seq() const noexcept { return raw_->seq; }
    std::optional<double> confidence() const noexcept {
        if (!raw_->has_confidence) return std::nullopt;
        return raw_->confidence;
    }
    recallite_entry_type entry_type() const noexcept {
        return static_cast<recallite_entry_type>(raw_->entry_type);
    }
    recallite_stage stage() const noexcept { return static_cast<recallite_stage>(raw_->stage); }
    recallite_entry_status status() const noexcept {
        return static_cast<recallite_entry_status>(raw_->status);
    }
};

/// Something that was learned.
class Entry : public EntryView {
  public:
    explicit Entry(recallite_entry *raw) noexcept : EntryView(raw), owner_(raw) {}

  private:
    detail::Owner<recallite_entry, recallite_entry_free> owner_;
};

/// A learned entry that Memory::search_entries found, borrowed from its result.
class EntryHit : public detail::Item<recallite_entry_hit> {
  public:
    using Item::Item;
    EntryView entry() const noexcept { return EntryView(raw_->entry); }
    double score() const noexcept { return raw_->score; }
    std::optional<std::string_view> resolved_from() const noexcept {
        return optional_view(raw_->resolved_from);
    }
};

/// Two entries that disagree, borrowed from a result.
class ConflictView : public detail::Item<recallite_conflict> {
  public:
    using Item::Item;
    std::string_view conflict_id() const noexcept { return view(raw_->conflict_id); }
    std::string_view older_id() const noexcept { return view(raw_->older_id); }
    std::string_view newer_id() const noexcept { return view(raw_->newer_id); }
    std::string_view conflict_type() const noexcept { return view(raw_->conflict_type); }
    std::optional<std::string_view> reason() const noexcept { return optional_view(raw_->reason); }
    std::optional<std::string_view> resolution() const noexcept {
        return optional_view(raw_->resolution);
    }
    std::optional<std::string_view> resolved_by() const noexcept {
        return optional_view(raw_->resolved_by);
    }
    std::int64_t detected_ms() const noexcept { return raw_->detected_ms; }
    std::optional<std::int64_t> resolved_ms() const noexcept {
        if (!raw_->is_resolved) return std::nullopt;
        return raw_->resolved_ms;
    }
    bool is_resolved() const noexcept { return raw_->is_resolved; }
};

/// Two entries that disagree.
class Conflict : public ConflictView {
  public:
    explicit Conflict(recallite_conflict *raw) noexcept : ConflictView(raw), owner_(raw) {}

  private:
    detail::Owner<recallite_conflict, recallite_conflict_free> owner_;
};

/// An edge of the graph, and when it was there, borrowed from a result.
class EdgeView : public detail::Item<recallite_edge> {
  public:
    using Item::Item;
    std::string_view id() const noexcept { return view(raw_->id); }
    std::string_view source_id() const noexcept { return view(raw_->source_id); }
    std::string_view destination_id() const noexcept { return view(raw_->destination_id); }
    std::optional<std::string_view> meta_json() const noexcept {
        return optional_view(raw_->meta_json);
    }
    std::int64_t created_ms() const noexcept { return raw_->created_ms; }
    std::optional<std::int64_t> ended_ms() const noexcept {
        if (!raw_->has_ended) return std::nullopt;
        return raw_->ended_ms;
    }
    recallite_node_type source_type() const noexcept {
        return static_cast<recallite_node_type>(raw_->source_type);
    }
    recallite_relation relation() const noexcept {
        return static_cast<recallite_relation>(raw_->relation);
    }
    recallite_node_type destination_type() const noexcept {
        return static_cast<recallite_node_type>(raw_->destination_type);
    }
};

/// An edge of the graph, and when it was there.
class Edge : public EdgeView {
  public:
    explicit Edge(recallite_edge *raw) noexcept : EdgeView(raw), owner_(raw) {}

  private:
    detail::Owner<recallite_edge, recallite_edge_free> owner_;
};

/// One entry of a lineage.
class LineageStep : public detail::Item<recallite_lineage_step> {
  public:
    using Item::Item;
    std::string_view entry_id() const noexcept { return view(raw_->entry_id); }
    std::optional<std::string_view> derived_from() const noexcept {
        return optional_view(raw_->derived_from);
    }
    std::size_t depth() const noexcept { return raw_->depth; }
};

/// An entry that proves something about the same entities as another.
class RelatedEntry : public detail::Item<recallite_related_entry> {
  public:
    using Item::Item;
    std::string_view entry_id() const noexcept { return view(raw_->entry_id); }
    std::vector<std::string_view> entities() const {
        return detail::views(raw_->entities, raw_->entities_len);
    }
};

/// How an event stands in the levels of memory.
class EventLevel : public detail::OwnedItem<recallite_event_level, recallite_event_level_free> {
  public:
    using OwnedItem::OwnedItem;
    recallite_level level() const noexcept { return static_cast<recallite_level>(raw_->level); }
    bool has_usage() const noexcept { return raw_->has_usage; }
    std::uint64_t access_count() const noexcept { return raw_->access_count; }
    std::uint64_t cross_session_refs() const noexcept { return raw_->cross_session_refs; }
    double confidence() const noexcept { return raw_->confidence; }
    double days_since_last_access() const noexcept { return raw_->days_since_last_access; }
};

/// An event that moved to another level.
class LevelChange : public detail::Item<recallite_level_change> {
  public:
    using Item::Item;
    std::string_view event() const noexcept { return view(raw_->event); }
    recallite_level level() const noexcept { return static_cast<recallite_level>(raw_->level); }
};

/// Something that events, taken together, give away.
class Insight : public detail::Item<recallite_insight> {
  public:
    using Item::Item;
    std::string_view key() const noexcept { return view(raw_->key); }
    std::string_view content() const noexcept { return view(raw_->content); }
    std::vector<std::string_view> sources() const {
        return detail::views(raw_->sources, raw_->sources_len);
    }
    double confidence() const noexcept { return raw_->confidence; }
    recallite_insight_kind kind() const noexcept {
        return static_cast<recallite_insight_kind>(raw_->kind);
    }
};

/// What a graduation did.
class Graduated : public detail::OwnedItem<recallite_graduated, recallite_graduated_free> {
  public:
    using OwnedItem::OwnedItem;
    std::size_t judged() const noexcept { return raw_->judged; }
    detail::Items<LevelChange, recallite_level_change> promoted() const noexcept {
        return {raw_->promoted, raw_->promoted_len};
    }
    detail::Items<LevelChange, recallite_level_change> demoted() const noexcept {
        return {raw_->demoted, raw_->demoted_len};
    }
    detail::Items<Insight, recallite_insight> insights() const noexcept {
        return {raw_->insights, raw_->insights_len};
    }
    std::uint64_t waiting() const noexcept { return raw_->waiting; }
};

/// An event on the table.
class WorkingItem : public detail::Item<recallite_working_item> {
  public:
    using Item::Item;
    std::string_view event_id() const noexcept { return view(raw_->event_id); }
    std::vector<std::string_view> topics() const {
        return detail::views(raw_->topics, raw_->topics_len);
    }
    std::int64_t added_ms() const noexcept { return raw_->added_ms; }
    std::int64_t expires_ms() const noexcept { return raw_->expires_ms; }
    double relevance() const noexcept { return raw_->relevance; }
};

/// A memory that was made of events, or of a session's summary.
class ConsolidatedMemory : public detail::Item<recallite_consolidated_memory> {
  public:
    using Item::Item;
    std::string_view memory_id() const noexcept { return view(raw_->memory_id); }
    std::string_view summary() const noexcept { return view(raw_->summary); }
    std::vector<std::string_view> topics() const {
        return detail::views(raw_->topics, raw_->topics_len);
    }
    std::vector<std::string_view> source_events() const {
        return detail::views(raw_->source_events, raw_->source_events_len);
    }
    double confidence() const noexcept { return raw_->confidence; }
    std::int64_t created_ms() const noexcept { return raw_->created_ms; }
    std::optional<std::int64_t> accessed_ms() const noexcept {
        if (!raw_->has_accessed) return std::nullopt;
        return raw_->accessed_ms;
    }
    std::uint64_t access_count() const noexcept { return raw_->access_count; }
    bool is_continuation() const noexcept { return raw_->is_continuation; }
};

/// A transition between two contexts.
class ContinuityEntry : public detail::Item<recallite_continuity_entry> {
  public:
    using Item::Item;
    std::string_view from_context_id() const noexcept { return view(raw_->from_context_id); }
    std::string_view to_context_id() const noexcept { return view(raw_->to_context_id); }
    double score() const noexcept { return raw_->score; }
    std::int64_t at_ms() const noexcept { return raw_->at_ms; }
    recallite_transition_type transition() const noexcept {
        return static_cast<recallite_transition_type>(raw_->transition);
    }
};

/// How far a text goes on from the context before it.
class Continuity : public detail::OwnedItem<recallite_continuity, recallite_continuity_free> {
  public:
    using OwnedItem::OwnedItem;
    double score() const noexcept { return raw_->score; }
    recallite_transition_type transition() const noexcept {
        return static_cast<recallite_transition_type>(raw_->transition);
    }
    bool is_logged() const noexcept { return raw_->is_logged; }
};

/// How the endless mode stands.
class EndlessStatus : public detail::OwnedItem<recallite_endless_status, recallite_endless_status_free> {
  public:
    using OwnedItem::OwnedItem;
    const recallite_endless_config &config() const noexcept { return *raw_->config; }
    std::vector<std::string_view> active_topics() const {
        return detail::views(raw_->active_topics, raw_->active_topics_len);
    }
    std::vector<std::string_view> active_files() const {
        return detail::views(raw_->active_files, raw_->active_files_len);
    }
    std::vector<std::string_view> active_entities() const {
        return detail::views(raw_->active_entities, raw_->active_entities_len);
    }
    std::size_t working_set() const noexcept { return raw_->working_set; }
    std::uint64_t consolidated() const noexcept { return raw_->consolidated; }
    double continuity_score() const noexcept { return raw_->continuity_score; }
    std::optional<std::int64_t> last_activity_ms() const noexcept {
        if (!raw_->has_last_activity) return std::nullopt;
        return raw_->last_activity_ms;
    }
    std::optional<std::int64_t> last_consolidation_ms() const noexcept {
        if (!raw_->has_last_consolidation) return std::nullopt;
        return raw_->last_consolidation_ms;
    }
    recallite_memory_mode mode() const noexcept {
        return static_cast<recallite_memory_mode>(raw_->mode);
    }
};

/// What an agent is given at its start in the endless mode.
class EndlessContext : public detail::OwnedItem<recallite_endless_context, recallite_endless_context_free> {
  public:
    using OwnedItem::OwnedItem;
    detail::Items<EventView, recallite_event> working_set() const noexcept {
        return {raw_->working_set, raw_->working_set_len};
    }
    detail::Items<ConsolidatedMemory, recallite_consolidated_memory> consolidated() const noexcept {
        return {raw_->consolidated, raw_->consolidated_len};
    }
    double continuity_score() const noexcept { return raw_->continuity_score; }
};

/// What a consolidation did.
class ConsolidationReport : public detail::OwnedItem<recallite_consolidation_report, recallite_consolidation_report_free> {
  public:
    using OwnedItem::OwnedItem;
    std::vector<std::string_view> memories() const {
        return detail::views(raw_->memories, raw_->memories_len);
    }
    std::size_t waiting() const noexcept { return raw_->waiting; }
    bool ran() const noexcept { return raw_->ran; }
};

/// One run of the pipeline.
class BuildRun : public detail::Item<recallite_build_run> {
  public:
    using Item::Item;
    std::string_view build_id() const noexcept { return view(raw_->build_id); }
    std::string_view extractor_model() const noexcept { return view(raw_->extractor_model); }
    std::string_view extractor_prompt_hash() const noexcept {
        return view(raw_->extractor_prompt_hash);
    }
    std::string_view embedder_model() const noexcept { return view(raw_->embedder_model); }
    std::string_view embedding_version() const noexcept { return view(raw_->embedding_version); }
    std::string_view idris_version() const noexcept { return view(raw_->idris_version); }
    std::string_view schema_version() const noexcept { return view(raw_->schema_version); }
    std::optional<std::string_view> error() const noexcept { return optional_view(raw_->error); }
    std::int64_t started_ms() const noexcept { return raw_->started_ms; }
    std::optional<std::int64_t> finished_ms() const noexcept {
        if (!raw_->has_finished) return std::nullopt;
        return raw_->finished_ms;
    }
    recallite_build_status status() const noexcept {
        return static_cast<recallite_build_status>(raw_->status);
    }
};

/// How long one stage of the pipeline took.
class PipelineMetric : public detail::Item<recallite_pipeline_metric> {
  public:
    using Item::Item;
    std::optional<std::string_view> session() const noexcept {
        return optional_view(raw_->session);
    }
    std::optional<std::string_view> error() const noexcept { return optional_view(raw_->error); }
    std::int64_t at_ms() const noexcept { return raw_->at_ms; }
    double latency_ms() const noexcept { return raw_->latency_ms; }
    recallite_pipeline_stage stage() const noexcept {
        return static_cast<recallite_pipeline_stage>(raw_->stage);
    }
};

/// An entry that rose, or was refused.
class Promotion : public detail::Item<recallite_promotion> {
  public:
    using Item::Item;
    std::string_view entry_id() const noexcept { return view(raw_->entry_id); }
    std::string_view reason() const noexcept { return view(raw_->reason); }
    std::optional<std::string_view> build_id() const noexcept {
        return optional_view(raw_->build_id);
    }
    std::int64_t at_ms() const noexcept { return raw_->at_ms; }
    recallite_stage from_stage() const noexcept {
        return static_cast<recallite_stage>(raw_->from_stage);
    }
    recallite_stage to_stage() const noexcept {
        return static_cast<recallite_stage>(raw_->to_stage);
    }
    bool is_blocked() const noexcept { return raw_->is_blocked; }
};

/// One piece of evidence of a decision.
class DecisionEvidence : public detail::Item<recallite_decision_evidence> {
  public:
    using Item::Item;
    std::string_view evidence_id() const noexcept { return view(raw_->evidence_id); }
    std::string_view role() const noexcept { return view(raw_->role); }
    std::int64_t known_ms() const noexcept { return raw_->known_ms; }
    recallite_evidence_kind kind() const noexcept {
        return static_cast<recallite_evidence_kind>(raw_->kind);
    }
    recallite_stage stage() const noexcept { return static_cast<recallite_stage>(raw_->stage); }
};

/// Something that was decided, and on what.
class Decision : public detail::Item<recallite_decision> {
  public:
    using Item::Item;
    std::string_view decision_id() const noexcept { return view(raw_->decision_id); }
    std::string_view actor() const noexcept { return view(raw_->actor); }
    std::string_view action() const noexcept { return view(raw_->action); }
    std::optional<std::string_view> outcome_json() const noexcept {
        return optional_view(raw_->outcome_json);
    }
    std::optional<std::string_view> build_id() const noexcept {
        return optional_view(raw_->build_id);
    }
    detail::Items<DecisionEvidence, recallite_decision_evidence> evidence() const noexcept {
        return {raw_->evidence, raw_->evidence_len};
    }
    std::int64_t decided_ms() const noexcept { return raw_->decided_ms; }
    std::optional<double> confidence() const noexcept {
        if (!raw_->has_confidence) return std::nullopt;
        return raw_->confidence;
    }
};

/// An event whose context is missing.
class Placeholder : public detail::Item<recallite_placeholder> {
  public:
    using Item::Item;
    std::string_view id() const noexcept { return view(raw_->id); }
    std::string_view event_id() const noexcept { return view(raw_->event_id); }
    std::int64_t created_ms() const noexcept { return raw_->created_ms; }
};

/// An answer to what an uncertain memory means.
class MemoryResolution : public detail::Item<recallite_memory_resolution> {
  public:
    using Item::Item;
    std::string_view condition_id() const noexcept { return view(raw_->condition_id); }
    std::optional<std::string_view> resolved_to() const noexcept {
        return optional_view(raw_->resolved_to);
    }
    double confidence() const noexcept { return raw_->confidence; }
    std::int64_t resolved_ms() const noexcept { return raw_->resolved_ms; }
    recallite_resolution_kind kind() const noexcept {
        return static_cast<recallite_resolution_kind>(raw_->kind);
    }
};

/// What a memory means now.
class EffectiveMemory : public detail::OwnedItem<recallite_effective_memory, recallite_effective_memory_free> {
  public:
    using OwnedItem::OwnedItem;
    std::string_view effective_id() const noexcept { return view(raw_->effective_id); }
    recallite_effective_status status() const noexcept {
        return static_cast<recallite_effective_status>(raw_->status);
    }
};

/// How many conversation events lie at each level.
class LevelCounts
    : public detail::OwnedItem<recallite_level_counts, recallite_level_counts_free> {
  public:
    using OwnedItem::OwnedItem;
    std::uint64_t operator[](recallite_level level) const noexcept { return raw_->events[level]; }
};

/// What became of several quotes: a range over the results, in the order given.
class AlignmentReport
    : public detail::OwnedItems<Alignment, recallite_alignment, recallite_alignment_report,
                                recallite_alignment_report_free> {
  public:
    using OwnedItems::OwnedItems;
    std::size_t aligned_count() const noexcept { return raw().aligned_count; }
    std::size_t failed_count() const noexcept { return raw().failed_count; }
    bool evidence_aligned() const noexcept { return raw().evidence_aligned; }
};

/// What became of several claims: a range over those that are supported.
class ClaimsAlignment
    : public detail::OwnedItems<AlignedClaim, recallite_aligned_claim, recallite_claims_alignment,
                                recallite_claims_alignment_free> {
  public:
    using OwnedItems::OwnedItems;
    /// The claims without support, each by its index in the list given.
    std::vector<std::size_t> missing() const {
        return std::vector<std::size_t>(raw().missing, raw().missing + raw().missing_len);
    }
    double confidence() const noexcept { return raw().confidence; }
    bool is_aligned() const noexcept { return raw().is_aligned; }
};

using SessionMessageList =
    detail::OwnedItems<SessionMessage, recallite_session_message, recallite_session_message_list,
                       recallite_session_message_list_free>;
using TaskList =
    detail::OwnedItems<TaskView, recallite_task, recallite_task_list,
                       recallite_task_list_free>;
using BlockedTaskList =
    detail::OwnedItems<BlockedTask, recallite_blocked_task, recallite_blocked_task_list,
                       recallite_blocked_task_list_free>;
using ConditionList =
    detail::OwnedItems<Condition, recallite_condition, recallite_condition_list,
                       recallite_condition_list_free>;
using EntryList =
    detail::OwnedItems<EntryView, recallite_entry, recallite_entry_list,
                       recallite_entry_list_free>;
using EntryHitList =
    detail::OwnedItems<EntryHit, recallite_entry_hit, recallite_entry_hit_list,
                       recallite_entry_hit_list_free>;
using ConflictList =
    detail::OwnedItems<ConflictView, recallite_conflict, recallite_conflict_list,
                       recallite_conflict_list_free>;
using EdgeList =
    detail::OwnedItems<EdgeView, recallite_edge, recallite_edge_list,
                       recallite_edge_list_free>;
using Lineage =
    detail::OwnedItems<LineageStep, recallite_lineage_step, recallite_lineage_step_list,
                       recallite_lineage_step_list_free>;
using RelatedEntryList =
    detail::OwnedItems<RelatedEntry, recallite_related_entry, recallite_related_entry_list,
                       recallite_related_entry_list_free>;
using InsightList =
    detail::OwnedItems<Insight, recallite_insight, recallite_insight_list,
                       recallite_insight_list_free>;
using WorkingSet =
    detail::OwnedItems<WorkingItem, recallite_working_item, recallite_working_item_list,
                       recallite_working_item_list_free>;
using ConsolidatedMemoryList =
    detail::OwnedItems<ConsolidatedMemory, recallite_consolidated_memory, recallite_consolidated_memory_list,
                       recallite_consolidated_memory_list_free>;
using ContinuityLog =
    detail::OwnedItems<ContinuityEntry, recallite_continuity_entry, recallite_continuity_entry_list,
                       recallite_continuity_entry_list_free>;
using BuildRunList =
    detail::OwnedItems<BuildRun, recallite_build_run, recallite_build_run_list,
                       recallite_build_run_list_free>;
using PipelineMetricList =
    detail::OwnedItems<PipelineMetric, recallite_pipeline_metric, recallite_pipeline_metric_list,
                       recallite_pipeline_metric_list_free>;
using PromotionList =
    detail::OwnedItems<Promotion, recallite_promotion, recallite_promotion_list,
                       recallite_promotion_list_free>;
using DecisionList =
    detail::OwnedItems<Decision, recallite_decision, recallite_decision_list,
                       recallite_decision_list_free>;
using PlaceholderList =
    detail::OwnedItems<Placeholder, recallite_placeholder, recallite_placeholder_list,
                       recallite_placeholder_list_free>;
using MemoryResolutionList =
    detail::OwnedItems<MemoryResolution, recallite_memory_resolution, recallite_memory_resolution_list,
                       recallite_memory_resolution_list_free>;

} // namespace recallite

#endif // RECALLITE_LEARN_VIEWS_HPP
