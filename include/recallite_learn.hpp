// recallite_learn.hpp - the learning functions of recallite.h for C++17:
// alignment, ingestion, tasks, entries, the graph, levels, the endless mode,
// ledgers. Included by recallite.hpp, whose rules hold here too.
//
// What a result shows lives as long as the result, so keep it in a variable:
//     const auto detail = memory.tasks().get(id);
//     for (const auto event : detail.history()) ...
#ifndef RECALLITE_HPP
#include "recallite.hpp"
#elif !defined(RECALLITE_LEARN_HPP)
#define RECALLITE_LEARN_HPP

namespace recallite {

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

/// A task, condition or artifact.
class EntityView : public detail::Item<recallite_entity> {
  public:
    using Item::Item;
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

/// A task, condition or artifact.
using Entity = detail::Owned<EntityView, recallite_entity, recallite_entity_free>;

/// An entry that proves something about the same entities as another.
class RelatedEntry : public detail::Item<recallite_related_entry> {
  public:
    using Item::Item;
    std::string_view entry_id() const noexcept { return view(raw_->entry_id); }
    std::vector<std::string_view> entities() const {
        return detail::views(raw_->entities, raw_->entities_len);
    }
};

using RelatedEntryList =
    detail::OwnedItems<RelatedEntry, recallite_related_entry, recallite_related_entry_list,
                       recallite_related_entry_list_free>;

/// A node of the graph; see recallite_node.
struct Node {
    recallite_node_type node_type;
    std::string_view id;

    recallite_node raw() const noexcept {
        auto node = RECALLITE_INIT(recallite_node);
        node.node_type = node_type;
        node.id = str(id);
        return node;
    }
};

/// Where an edge leads from and to; see recallite_edge_ends.
struct EdgeEnds {
    Node source;
    recallite_relation relation;
    Node destination;

    recallite_edge_ends raw(detail::Parts &) const noexcept {
        auto ends = RECALLITE_INIT(recallite_edge_ends);
        ends.source_type = source.node_type;
        ends.source_id = str(source.id);
        ends.relation = relation;
        ends.destination_type = destination.node_type;
        ends.destination_id = str(destination.id);
        return ends;
    }
};

/// How many edges Memory::replace_edges changed.
struct ReplacedEdges {
    std::size_t removed;
    std::size_t added;
};

/// The limits of the endless mode, with their defaults; see
/// recallite_endless_config.
struct EndlessConfig {
    std::size_t max_events = 100;
    std::int64_t time_window_ms = 86400000;
    double min_relevance_score = 0.5;
    std::int64_t trigger_interval_ms = 3600000;
    std::size_t trigger_event_count = 100;
    std::int64_t trigger_idle_ms = 1800000;
    std::size_t min_events = 10;
    std::size_t max_summary_chars = 1000;
    double min_relevance = 0.7;
    std::size_t max_injected_events = 10;
    std::size_t max_injected_memories = 3;

    EndlessConfig() = default;
    explicit EndlessConfig(const recallite_endless_config &raw) noexcept
        : max_events(raw.max_events), time_window_ms(raw.time_window_ms),
          min_relevance_score(raw.min_relevance_score),
          trigger_interval_ms(raw.trigger_interval_ms),
          trigger_event_count(raw.trigger_event_count), trigger_idle_ms(raw.trigger_idle_ms),
          min_events(raw.min_events), max_summary_chars(raw.max_summary_chars),
          min_relevance(raw.min_relevance), max_injected_events(raw.max_injected_events),
          max_injected_memories(raw.max_injected_memories) {}

    recallite_endless_config raw() const noexcept {
        auto config = RECALLITE_INIT(recallite_endless_config);
        config.max_events = max_events;
        config.time_window_ms = time_window_ms;
        config.has_min_relevance_score = true;
        config.min_relevance_score = min_relevance_score;
        config.trigger_interval_ms = trigger_interval_ms;
        config.trigger_event_count = trigger_event_count;
        config.trigger_idle_ms = trigger_idle_ms;
        config.min_events = min_events;
        config.max_summary_chars = max_summary_chars;
        config.has_min_relevance = true;
        config.min_relevance = min_relevance;
        config.has_max_injected_events = true;
        config.max_injected_events = max_injected_events;
        config.has_max_injected_memories = true;
        config.max_injected_memories = max_injected_memories;
        return config;
    }
};

/// Puts a group of events into words: the topics and the texts in, a summary
/// out. Nothing takes the summary that is made by rules.
using Summarizer = std::function<std::optional<std::string>(
    const std::vector<std::string_view> &topics, const std::vector<std::string_view> &texts)>;

namespace detail {

/// The text that a function gives.
template <typename Function, typename... Arguments>
std::string text(Function function, Arguments... arguments) {
    recallite_string *string = nullptr;
    call(function, arguments..., &string);
    const Owner<recallite_string, recallite_string_free> owner(string);
    return std::string(view(string->text));
}

/// The text that a function may give.
template <typename Function, typename... Arguments>
std::optional<std::string> maybe_text(Function function, Arguments... arguments) {
    recallite_string *string = nullptr;
    call(function, arguments..., &string);
    const Owner<recallite_string, recallite_string_free> owner(string);
    if (string == nullptr) return std::nullopt;
    return std::string(view(string->text));
}

/// The texts that a function gives.
template <typename Function, typename... Arguments>
std::vector<std::string> texts(Function function, Arguments... arguments) {
    recallite_string_list *strings = nullptr;
    call(function, arguments..., &strings);
    const Owner<recallite_string_list, recallite_string_list_free> owner(strings);
    std::vector<std::string> list;
    list.reserve(strings->len);
    for (std::size_t index = 0; index < strings->len; ++index) {
        list.emplace_back(view(strings->items[index]));
    }
    return list;
}

/// Methods of one concern; it lives no longer than its memory.
class Area {
  public:
    explicit Area(recallite_memory *memory) noexcept : memory_(memory) {}

  protected:
    recallite_memory *memory_;
};

} // namespace detail
} // namespace recallite

#include "recallite_areas.hpp"
#include "recallite_rules.hpp"

namespace recallite {

/// Tasks: what is to be done, what holds it up and how it came about.
class Tasks : public detail::TasksArea {
  public:
    using TasksArea::TasksArea;

    /// A task, condition or artifact by its id.
    Entity entity(std::string_view entity_id) const {
        recallite_entity *entity = nullptr;
        detail::call(recallite_tasks_entity, memory_, str(entity_id), &entity);
        return Entity(entity);
    }

    /// Says that a condition is in truth another entity.
    void resolve_condition(std::string_view condition_id, recallite_entity_kind target_kind,
                           std::string_view target_id, recallite_resolution_type resolution,
                           double confidence) {
        detail::call(recallite_tasks_resolve_condition, memory_, str(condition_id), target_kind,
             str(target_id), resolution, confidence);
    }
};

/// Learned entries, the edges of their graph, conflicts and uncertain memories.
class Knowledge : public detail::KnowledgeArea {
  public:
    using KnowledgeArea::KnowledgeArea;

    /// Replaces every edge of one relation from a node, at once.
    ReplacedEdges replace_edges(const Node &source, recallite_relation relation,
                                const std::vector<Node> &targets) {
        const recallite_node raw = source.raw();
        std::vector<recallite_node> raws;
        raws.reserve(targets.size());
        for (const Node &target : targets) raws.push_back(target.raw());
        ReplacedEdges done{};
        detail::call(recallite_knowledge_replace_edges, memory_, &raw, relation,
             static_cast<const recallite_node *>(raws.data()), raws.size(), &done.removed,
             &done.added);
        return done;
    }

    /// The entries that prove something about the same entities.
    RelatedEntryList related_entries(std::string_view entry) const {
        recallite_related_entry_list *related = nullptr;
        detail::call(recallite_knowledge_related_entries, memory_, str(entry), &related);
        return RelatedEntryList(related);
    }
};

/// How far events have risen by being used.
class Levels : public detail::LevelsArea {
  public:
    using LevelsArea::LevelsArea;
};

/// The endless mode.
class Endless : public detail::EndlessArea {
  public:
    using EndlessArea::EndlessArea;

    /// The limits of the endless mode that are in force.
    EndlessConfig config() const {
        recallite_endless_config *config = nullptr;
        detail::call(recallite_endless_config_get, memory_, &config);
        const detail::Owner<recallite_endless_config, recallite_endless_config_free> owner(config);
        return EndlessConfig(*config);
    }

    /// Sets the limits of the endless mode, all of them. 0 means the default
    /// where 0 cannot be a limit.
    void set_config(const EndlessConfig &config) {
        const recallite_endless_config raw = config.raw();
        detail::call(recallite_endless_set_config, memory_, &raw);
    }

    /// Makes memories of what is in the working set. What `summarize` throws is
    /// thrown from here once the memories are stored, with summaries made by
    /// rules from there on.
    ConsolidationReport consolidate(Summarizer summarize = {}) {
        InWords state{std::move(summarize), {}, nullptr};
        recallite_consolidation_report *report = nullptr;
        detail::call(recallite_endless_consolidate, memory_, state.function ? &InWords::call : nullptr,
             static_cast<void *>(&state), &report);
        ConsolidationReport owner(report);
        if (state.thrown) std::rethrow_exception(state.thrown);
        return owner;
    }

  private:
    struct InWords {
        Summarizer function;
        std::string summary;
        std::exception_ptr thrown;

        static std::int32_t call(const recallite_str *topics, std::size_t topics_len,
                                 const recallite_str *texts, std::size_t texts_len,
                                 recallite_str *summary, void *user_data) {
            auto *state = static_cast<InWords *>(user_data);
            if (state->thrown) return 1;
            try {
                auto words = state->function(detail::views(topics, topics_len), detail::views(texts, texts_len));
                if (!words) return 1;
                state->summary = std::move(*words);
                *summary = str(std::string_view(state->summary));
                return 0;
            } catch (...) {
                state->thrown = std::current_exception();
                return 1;
            }
        }
    };
};

/// Citations in detail.
class Citations : public detail::CitationsArea {
  public:
    using CitationsArea::CitationsArea;
};

/// Sessions and projects of which nothing is recorded for now.
class Pauses : public detail::PausesArea {
  public:
    using PausesArea::PausesArea;
};

/// One memory in several stores, on the machines of one person or of a team.
class Sharing : public detail::SharingArea {
  public:
    using SharingArea::SharingArea;
};

/// What the pipeline did, and decisions with their evidence.
class History : public detail::HistoryArea {
  public:
    using HistoryArea::HistoryArea;

    /// Records a decision, which rests on verified or certified evidence.
    void record_decision(const NewDecision &decision) {
        detail::Parts parts;
        const recallite_new_decision raw = decision.raw(parts);
        detail::call(recallite_history_record_decision, memory_, &raw);
    }
};

/// What is seldom needed: retention, formats, hashes of the state.
class Upkeep : public detail::UpkeepArea {
  public:
    using UpkeepArea::UpkeepArea;
};

namespace detail {

/// The areas of a memory and what it learns from; `Self` is the class that has the handle.
template <typename Self> class Learning {
  public:
    /// Takes in what a language model extracted from a session: JSON after
    /// extraction_schema(). The same extraction is taken in once.
    IngestReport ingest(std::string_view session, std::string_view extraction,
                        const IngestOptions &options = {}) {
        Parts parts;
        const recallite_ingest_options raw = options.raw(parts);
        recallite_ingest_report *report = nullptr;
        call(recallite_ingest, handle(), str(session), str(extraction), &raw, &report);
        return IngestReport(report);
    }

    /// Tasks: what is to be done, what holds it up and how it came about.
    Tasks tasks() const noexcept { return Tasks(handle()); }
    /// Learned entries, the edges of their graph, conflicts and uncertain memories.
    Knowledge knowledge() const noexcept { return Knowledge(handle()); }
    /// Levels: how far events have risen by being used.
    Levels levels() const noexcept { return Levels(handle()); }
    /// The endless mode.
    Endless endless() const noexcept { return Endless(handle()); }
    /// Citations in detail: an event with its neighbours and its use.
    Citations citations() const noexcept { return Citations(handle()); }
    /// What the pipeline did, and decisions with their evidence.
    History history() const noexcept { return History(handle()); }
    /// Sessions and projects of which nothing is recorded for now.
    Pauses pauses() const noexcept { return Pauses(handle()); }
    /// One memory in several stores, on the machines of one person or of a team.
    Sharing sharing() const noexcept { return Sharing(handle()); }
    /// What is seldom needed: retention, formats, hashes of the state.
    Upkeep upkeep() const noexcept { return Upkeep(handle()); }

  protected:
    Learning() = default;
    ~Learning() = default;
    Learning(Learning &&) = default;
    Learning &operator=(Learning &&) = default;

  private:
    recallite_memory *handle() const noexcept { return static_cast<const Self *>(this)->raw(); }
};

} // namespace detail

/// Finds the places in a session's messages that quotes were taken from.
inline AlignmentReport align(const std::vector<std::string_view> &messages,
                             const std::vector<EvidenceQuote> &quotes,
                             const AlignOptions &options = {}) {
    const std::vector<recallite_str> texts = detail::strs(messages);
    detail::Parts parts;
    const recallite_evidence_quote *raws = nullptr;
    std::size_t size = 0;
    parts.structs(quotes, raws, size);
    const recallite_align_options raw = options.raw(parts);
    recallite_alignment_report *report = nullptr;
    detail::call(recallite_align, texts.data(), texts.size(), raws, size, &raw, &report);
    return AlignmentReport(report);
}

/// The JSON Schema of an extraction.
inline std::string_view extraction_schema() { return recallite_extraction_schema(); }

/// A prompt that explains to any language model what to extract.
inline std::string_view extraction_prompt() { return recallite_extraction_prompt(); }

} // namespace recallite

#endif // RECALLITE_LEARN_HPP
