// recallite.hpp - Recallite for C++17: a thin, header-only layer over
// recallite.h.
//
// Every function that fails throws recallite::Error. Results own what they
// show: a std::string_view or an item of a result lives as long as the result
// (an event of an `Events` range: as long as that event). The thread rules are
// those of recallite.h. A moved-from Memory or result may only be destroyed or
// assigned to.
#ifndef RECALLITE_HPP
#define RECALLITE_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recallite.h"

namespace recallite {

/// The text of a view; empty when it is absent.
inline std::string_view view(recallite_str text) noexcept {
    return text.ptr == nullptr ? std::string_view() : std::string_view(text.ptr, text.len);
}

/// The text of a view; nothing when it is absent.
inline std::optional<std::string_view> optional_view(recallite_str text) noexcept {
    if (text.ptr == nullptr) return std::nullopt;
    return view(text);
}

/// A view for the library. Empty text is empty, not absent.
inline recallite_str str(std::string_view text) noexcept {
    return recallite_str{text.data() == nullptr ? "" : text.data(), text.size()};
}

/// A view for the library; absent when there is nothing.
inline recallite_str str(const std::optional<std::string_view> &text) noexcept {
    return text ? str(*text) : recallite_str{nullptr, 0};
}

/// What went wrong: a status, a message, and what to do next.
class Error : public std::runtime_error {
  public:
    explicit Error(const recallite_error &error)
        : std::runtime_error(std::string(view(error.message))),
          code_(static_cast<recallite_status>(error.code)), argument_(view(error.argument)),
          retryable_(error.retryable), needs_reopen_(error.needs_reopen) {}

    /// The status of the call.
    recallite_status code() const noexcept { return code_; }
    /// The stable name of the status, for example "invalid_argument".
    std::string_view code_name() const noexcept { return recallite_status_name(code_); }
    /// The argument that was wrong; empty when none was.
    const std::string &argument() const noexcept { return argument_; }
    /// Whether the same call may succeed later without any other change.
    bool retryable() const noexcept { return retryable_; }
    /// Whether the memory must be closed and opened again before anything else.
    bool needs_reopen() const noexcept { return needs_reopen_; }

  private:
    recallite_status code_;
    std::string argument_;
    bool retryable_;
    bool needs_reopen_;
};

namespace detail {

/// Calls `function(arguments..., &error)` and throws what it reports.
template <typename Function, typename... Arguments>
void call(Function function, Arguments... arguments) {
    recallite_error *error = nullptr;
    const recallite_status status = function(arguments..., &error);
    if (status == RECALLITE_OK) return;
    if (error != nullptr) {
        const std::unique_ptr<recallite_error, void (*)(recallite_error *)> owner(
            error, recallite_error_free);
        throw Error(*error);
    }
    // The library had no memory left for the error object.
    recallite_error bare = {};
    bare.code = status;
    const std::string_view name = recallite_status_name(status);
    bare.message = str(name);
    throw Error(bare);
}

/// A result that is freed with `Free`.
template <typename Raw, void (*Free)(Raw *)> struct Freeing {
    void operator()(Raw *raw) const noexcept { Free(raw); }
};
template <typename Raw, void (*Free)(Raw *)> using Owner = std::unique_ptr<Raw, Freeing<Raw, Free>>;

/// A borrowed item of a result.
template <typename Raw> class Item {
  public:
    explicit Item(const Raw *raw) noexcept : raw_(raw) {}
    /// The struct of recallite.h.
    const Raw &raw() const noexcept { return *raw_; }

  protected:
    const Raw *raw_;
};

/// A range over an array of pointers, which shows each as an `Element`.
template <typename Element, typename Raw> class Items {
  public:
    class iterator {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Element;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = Element;

        explicit iterator(const Raw *const *at = nullptr) noexcept : at_(at) {}
        Element operator*() const noexcept { return Element(*at_); }
        iterator &operator++() noexcept {
            ++at_;
            return *this;
        }
        iterator operator++(int) noexcept { return iterator(at_++); }
        bool operator==(const iterator &other) const noexcept { return at_ == other.at_; }
        bool operator!=(const iterator &other) const noexcept { return at_ != other.at_; }

      private:
        const Raw *const *at_;
    };

    Items(const Raw *const *items, std::size_t size) noexcept : items_(items), size_(size) {}
    iterator begin() const noexcept { return iterator(items_); }
    iterator end() const noexcept { return iterator(items_ + size_); }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    Element operator[](std::size_t index) const noexcept { return Element(items_[index]); }
    /// As operator[], but throws std::out_of_range.
    Element at(std::size_t index) const {
        if (index >= size_) throw std::out_of_range("recallite: no item at this index");
        return (*this)[index];
    }

  private:
    const Raw *const *items_;
    std::size_t size_;
};

/// A list that owns its items.
template <typename Element, typename Raw, typename List, void (*Free)(List *)>
class OwnedItems : public Items<Element, Raw> {
  public:
    explicit OwnedItems(List *list) noexcept
        : Items<Element, Raw>(list->items, list->len), owner_(list) {}
    /// The struct of recallite.h.
    const List &raw() const noexcept { return *owner_; }

  private:
    Owner<List, Free> owner_;
};

inline std::vector<std::string_view> views(const recallite_str *texts, std::size_t size) {
    std::vector<std::string_view> list;
    list.reserve(size);
    for (std::size_t index = 0; index < size; ++index) list.push_back(view(texts[index]));
    return list;
}

inline std::vector<recallite_str> strs(const std::vector<std::string_view> &texts) {
    std::vector<recallite_str> list;
    list.reserve(texts.size());
    for (const std::string_view text : texts) list.push_back(str(text));
    return list;
}

} // namespace detail

/// The stable name of an event kind, for example "user_prompt".
inline std::string_view name(recallite_event_kind kind) { return recallite_event_kind_name(kind); }

/// An event, borrowed from a result.
class EventView : public detail::Item<recallite_event> {
  public:
    using Item::Item;
    std::string_view id() const noexcept { return view(raw_->id); }
    std::string_view citation() const noexcept { return view(raw_->citation); }
    std::uint64_t seq() const noexcept { return raw_->seq; }
    recallite_event_kind kind() const noexcept { return static_cast<recallite_event_kind>(raw_->kind); }
    recallite_origin origin() const noexcept { return static_cast<recallite_origin>(raw_->origin); }
    std::string_view session() const noexcept { return view(raw_->session); }
    std::string_view project() const noexcept { return view(raw_->project); }
    std::string_view actor() const noexcept { return view(raw_->actor); }
    std::int64_t timestamp_ms() const noexcept { return raw_->timestamp_ms; }
    std::string_view content() const noexcept { return view(raw_->content); }
    std::string_view canonical_key() const noexcept { return view(raw_->canonical_key); }
    std::optional<std::string_view> metadata_json() const noexcept {
        return optional_view(raw_->metadata_json);
    }
    /// The tool call of a tool observation, else NULL.
    const recallite_tool_record *tool() const noexcept { return raw_->tool; }
    const recallite_privacy_report &privacy() const noexcept { return raw_->privacy; }
};

/// An event.
class Event : public EventView {
  public:
    explicit Event(recallite_event *event) noexcept : EventView(event), owner_(event) {}

  private:
    detail::Owner<recallite_event, recallite_event_free> owner_;
};

/// The receipt of an append, borrowed from a list.
class ReceiptView : public detail::Item<recallite_receipt> {
  public:
    using Item::Item;
    std::string_view id() const noexcept { return view(raw_->id); }
    std::string_view citation() const noexcept { return view(raw_->citation); }
    std::uint64_t seq() const noexcept { return raw_->seq; }
    bool duplicate() const noexcept { return raw_->duplicate; }
    std::uint64_t truncated_bytes() const noexcept { return raw_->truncated_bytes; }
    const recallite_privacy_report &privacy() const noexcept { return raw_->privacy; }
    std::vector<std::string_view> warnings() const {
        return detail::views(raw_->warnings, raw_->warnings_len);
    }
};

/// The receipt of an append.
class Receipt : public ReceiptView {
  public:
    explicit Receipt(recallite_receipt *receipt) noexcept
        : ReceiptView(receipt), owner_(receipt) {}

  private:
    detail::Owner<recallite_receipt, recallite_receipt_free> owner_;
};

/// One event that a search found.
class Hit : public detail::Item<recallite_hit> {
  public:
    using Item::Item;
    std::string_view id() const noexcept { return view(raw_->id); }
    std::string_view citation() const noexcept { return view(raw_->citation); }
    std::uint64_t seq() const noexcept { return raw_->seq; }
    recallite_event_kind kind() const noexcept { return static_cast<recallite_event_kind>(raw_->kind); }
    std::string_view session() const noexcept { return view(raw_->session); }
    std::string_view project() const noexcept { return view(raw_->project); }
    std::string_view actor() const noexcept { return view(raw_->actor); }
    std::int64_t timestamp_ms() const noexcept { return raw_->timestamp_ms; }
    std::string_view summary() const noexcept { return view(raw_->summary); }
    /// The text of the passage that matched best.
    std::string_view passage() const noexcept { return view(raw_->passage.text); }
    float rank_score() const noexcept { return raw_->rank_score; }
    float match_score() const noexcept { return raw_->match_score; }
    float relevance() const noexcept { return raw_->relevance; }
};

/// What a search found: a range over its hits, best first.
class SearchResult : public detail::OwnedItems<Hit, recallite_hit, recallite_search_result,
                                               recallite_search_result_free> {
  public:
    using OwnedItems::OwnedItems;
    std::size_t total_matches() const noexcept { return raw().total_matches; }
    bool degraded() const noexcept { return raw().degraded; }
    recallite_confidence confidence() const noexcept {
        return static_cast<recallite_confidence>(raw().confidence);
    }
};

/// One event of a timeline.
class TimelineItem : public detail::Item<recallite_timeline_item> {
  public:
    using Item::Item;
    std::string_view id() const noexcept { return view(raw_->id); }
    std::string_view citation() const noexcept { return view(raw_->citation); }
    std::uint64_t seq() const noexcept { return raw_->seq; }
    recallite_event_kind kind() const noexcept { return static_cast<recallite_event_kind>(raw_->kind); }
    std::string_view session() const noexcept { return view(raw_->session); }
    std::string_view actor() const noexcept { return view(raw_->actor); }
    std::int64_t timestamp_ms() const noexcept { return raw_->timestamp_ms; }
    std::string_view preview() const noexcept { return view(raw_->preview); }
    bool is_target() const noexcept { return raw_->is_target; }
};

/// One event in full, with what stands beside it.
class Detail : public detail::Item<recallite_detail> {
  public:
    using Item::Item;
    EventView event() const noexcept { return EventView(raw_->event); }
    std::size_t token_count() const noexcept { return raw_->token_count; }
    bool has_code() const noexcept { return raw_->has_code; }
    std::vector<std::string_view> files() const {
        return detail::views(raw_->files, raw_->files_len);
    }
    std::vector<std::string_view> tools() const {
        return detail::views(raw_->tools, raw_->tools_len);
    }
    std::optional<std::string_view> parent() const noexcept { return optional_view(raw_->parent); }
    std::optional<std::string_view> previous() const noexcept {
        return optional_view(raw_->previous);
    }
    std::optional<std::string_view> next() const noexcept { return optional_view(raw_->next); }
    std::vector<std::string_view> children() const {
        return detail::views(raw_->children, raw_->children_len);
    }
};

/// One conversation, borrowed from a list.
class SessionView : public detail::Item<recallite_session> {
  public:
    using Item::Item;
    std::string_view id() const noexcept { return view(raw_->id); }
    std::string_view project() const noexcept { return view(raw_->project); }
    std::optional<std::string_view> summary() const noexcept { return optional_view(raw_->summary); }
    std::vector<std::string_view> tags() const { return detail::views(raw_->tags, raw_->tags_len); }
    std::int64_t started_ms() const noexcept { return raw_->started_ms; }
    std::optional<std::int64_t> ended_ms() const noexcept {
        if (!raw_->has_ended) return std::nullopt;
        return raw_->ended_ms;
    }
    std::int64_t last_event_ms() const noexcept { return raw_->last_event_ms; }
    std::uint64_t events() const noexcept { return raw_->events; }
    std::uint64_t prompts() const noexcept { return raw_->prompts; }
    std::uint64_t responses() const noexcept { return raw_->responses; }
    std::uint64_t tools() const noexcept { return raw_->tools; }
};

/// One conversation.
class Session : public SessionView {
  public:
    explicit Session(recallite_session *session) noexcept
        : SessionView(session), owner_(session) {}

  private:
    detail::Owner<recallite_session, recallite_session_free> owner_;
};

using EventList =
    detail::OwnedItems<EventView, recallite_event, recallite_event_list, recallite_event_list_free>;
using ReceiptList = detail::OwnedItems<ReceiptView, recallite_receipt, recallite_receipt_list,
                                       recallite_receipt_list_free>;
using SessionList = detail::OwnedItems<SessionView, recallite_session, recallite_session_list,
                                       recallite_session_list_free>;
using Timeline = detail::OwnedItems<TimelineItem, recallite_timeline_item, recallite_timeline_list,
                                    recallite_timeline_list_free>;
using Details = detail::OwnedItems<Detail, recallite_detail, recallite_detail_list,
                                   recallite_detail_list_free>;

/// How a memory is opened; see recallite_open_options.
struct OpenOptions {
    std::string_view project = {};
    std::size_t cache_bytes = 0;
    std::size_t index_cache_bytes = 0;
    std::uint64_t busy_timeout_ms = 0;
    bool must_exist = false;
    bool exclusive = false;
    bool allow_network_folder = false;
};

/// Which projects a read looks at; by default those of the memory.
class Scope {
  public:
    /// The memory's own project.
    Scope() = default;
    /// Every project of the store.
    static Scope all() { return Scope(RECALLITE_SCOPE_ALL, std::nullopt); }
    /// The project with this name.
    static Scope named(std::string_view project) { return Scope(RECALLITE_SCOPE_NAMED, project); }

    recallite_scope kind() const noexcept { return kind_; }
    recallite_str project() const noexcept { return str(project_); }

  private:
    Scope(recallite_scope kind, std::optional<std::string_view> project)
        : kind_(kind), project_(project) {}

    recallite_scope kind_ = RECALLITE_SCOPE_OWN;
    std::optional<std::string_view> project_;
};

/// One call of a tool; see recallite_tool_use.
struct ToolUse {
    std::string_view name;
    std::optional<std::string_view> input_json = {};
    std::string_view output = {};
    std::optional<std::string_view> error = {};
    std::optional<std::uint64_t> duration_ms = {};
    std::optional<bool> success = {};
    std::optional<std::uint32_t> prompt_index = {};
    std::optional<std::uint32_t> tool_index = {};

    recallite_tool_use raw() const noexcept {
        auto use = RECALLITE_INIT(recallite_tool_use);
        use.name = str(name);
        use.input_json = str(input_json);
        use.output = str(output);
        use.error = str(error);
        use.has_duration_ms = duration_ms.has_value();
        use.duration_ms = duration_ms.value_or(0);
        use.has_success = success.has_value();
        use.success = success.value_or(false);
        use.has_prompt_index = prompt_index.has_value();
        use.prompt_index = prompt_index.value_or(0);
        use.has_tool_index = tool_index.has_value();
        use.tool_index = tool_index.value_or(0);
        return use;
    }
};

/// An event to be remembered; see recallite_new_event.
struct NewEvent {
    recallite_event_kind kind;
    std::string_view session;
    std::string_view content = {};
    std::optional<std::int64_t> timestamp_ms = {};
    std::optional<std::string_view> actor = {};
    recallite_origin origin = RECALLITE_ORIGIN_DEFAULT;
    std::optional<std::string_view> project = {};
    std::optional<std::string_view> metadata_json = {};
    recallite_dedupe dedupe = RECALLITE_DEDUPE_CONTENT;
    std::optional<std::string_view> dedupe_key = {};
    std::optional<ToolUse> tool = {};

    /// The struct of recallite.h; `use` is where its tool call is put.
    recallite_new_event raw(recallite_tool_use &use) const noexcept {
        auto event = RECALLITE_INIT(recallite_new_event);
        event.kind = kind;
        event.origin = origin;
        event.session = str(session);
        event.content = str(content);
        event.actor = str(actor);
        event.project = str(project);
        event.metadata_json = str(metadata_json);
        event.dedupe = dedupe;
        event.dedupe_key = str(dedupe_key);
        event.has_timestamp = timestamp_ms.has_value();
        event.timestamp_ms = timestamp_ms.value_or(0);
        if (tool) {
            use = tool->raw();
            event.tool = &use;
        }
        return event;
    }
};

/// A search; see recallite_query.
struct Query {
    std::string_view text;
    std::size_t limit = 0;
    std::optional<std::string_view> session = {};
    Scope scope = {};
    std::vector<std::int32_t> kinds = {};
    std::optional<std::int64_t> from_ms = {};
    std::optional<std::int64_t> until_ms = {};
    float min_relevance = 0;
    std::uint64_t deadline_ms = 0;
};

/// Which events to read; see recallite_event_filter.
struct EventFilter {
    std::optional<std::string_view> session = {};
    Scope scope = {};
    std::vector<std::int32_t> kinds = {};
    std::optional<std::int64_t> from_ms = {};
    std::optional<std::int64_t> until_ms = {};
    std::optional<std::string_view> tool = {};
    std::optional<std::string_view> file_contains = {};
    bool newest_first = false;
    std::size_t limit = 0;
};

/// A change of a session; see recallite_session_update.
struct SessionUpdate {
    std::optional<std::string_view> project = {};
    std::optional<std::int64_t> started_ms = {};
    std::optional<std::int64_t> ended_ms = {};
    std::optional<std::string_view> summary = {};
    std::optional<std::vector<std::string_view>> tags = {};
};

/// What an import takes; see recallite_import_options.
struct ImportOptions {
    bool skip_tool_observations = false;
    bool keeps_blank_text = false;
    std::size_t response_limit_utf16 = 0;
    std::size_t limit = 0;
    std::size_t max_line_bytes = 0;
};

/// What an import did; see recallite_import_report.
using ImportReport = detail::Owner<recallite_import_report, recallite_import_report_free>;

/// Figures about a store; see recallite_stats.
using Stats = detail::Owner<recallite_stats, recallite_stats_free>;

/// Events, read as the range is walked, once.
class Events {
  public:
    class iterator {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Event;
        using difference_type = std::ptrdiff_t;
        using pointer = const Event *;
        using reference = const Event &;

        iterator() noexcept = default;
        explicit iterator(recallite_event_cursor *cursor) : cursor_(cursor) { ++*this; }
        const Event &operator*() const noexcept { return *event_; }
        const Event *operator->() const noexcept { return &*event_; }
        iterator &operator++() {
            recallite_event *next = nullptr;
            detail::call(recallite_event_cursor_next, cursor_, &next);
            event_.reset();
            if (next != nullptr) {
                event_.emplace(next);
            } else {
                cursor_ = nullptr;
            }
            return *this;
        }
        bool operator==(const iterator &other) const noexcept { return cursor_ == other.cursor_; }
        bool operator!=(const iterator &other) const noexcept { return !(*this == other); }

      private:
        recallite_event_cursor *cursor_ = nullptr;
        std::optional<Event> event_;
    };

    explicit Events(recallite_event_cursor *cursor) noexcept : cursor_(cursor) {}
    /// Continues where the range was left.
    iterator begin() const { return iterator(cursor_.get()); }
    iterator end() const noexcept { return iterator(); }

  private:
    detail::Owner<recallite_event_cursor, recallite_event_cursor_free> cursor_;
};

/// A memory: a log of events that can be searched, in one folder.
class Memory {
  public:
    /// Opens the memory in the folder `path`, creating it when it is missing.
    explicit Memory(std::string_view path, const OpenOptions &options = {}) {
        auto raw = RECALLITE_INIT(recallite_open_options);
        raw.project = str(options.project);
        raw.cache_bytes = options.cache_bytes;
        raw.index_cache_bytes = options.index_cache_bytes;
        raw.busy_timeout_ms = options.busy_timeout_ms;
        raw.must_exist = options.must_exist;
        raw.exclusive = options.exclusive;
        raw.allow_network_folder = options.allow_network_folder;
        recallite_memory *memory = nullptr;
        detail::call(recallite_open_with, str(path), &raw, &memory);
        memory_.reset(memory);
    }

    /// The handle of recallite.h.
    recallite_memory *raw() const noexcept { return memory_.get(); }

    /// Remembers one event. When this returns, the event is on the disk.
    Receipt append(const NewEvent &event) {
        recallite_tool_use use;
        const recallite_new_event raw = event.raw(use);
        recallite_receipt *receipt = nullptr;
        detail::call(recallite_append, memory_.get(), &raw, &receipt);
        return Receipt(receipt);
    }

    /// Remembers several events in one transaction: all or none.
    ReceiptList append_batch(const std::vector<NewEvent> &events) {
        std::vector<recallite_tool_use> uses(events.size());
        std::vector<recallite_new_event> raws;
        raws.reserve(events.size());
        for (std::size_t index = 0; index < events.size(); ++index) {
            raws.push_back(events[index].raw(uses[index]));
        }
        recallite_receipt_list *receipts = nullptr;
        detail::call(recallite_append_batch, memory_.get(),
                     static_cast<const recallite_new_event *>(raws.data()), raws.size(), &receipts);
        return ReceiptList(receipts);
    }

    /// Reads an event by id or citation.
    Event event(std::string_view id_or_citation) const {
        recallite_event *event = nullptr;
        detail::call(recallite_event_get, memory_.get(), str(id_or_citation), &event);
        return Event(event);
    }

    /// Reads an event by its position in the log.
    Event event_at(std::uint64_t seq) const {
        recallite_event *event = nullptr;
        detail::call(recallite_event_at, memory_.get(), seq, &event);
        return Event(event);
    }

    /// Reads an event by what people type, for example "[mem:a7Bc3x]".
    Event citation(std::string_view text) const {
        recallite_event *event = nullptr;
        detail::call(recallite_citation, memory_.get(), str(text), &event);
        return Event(event);
    }

    /// Events in the order of time that fit a filter.
    Events events(const EventFilter &filter = {}) const {
        auto raw = RECALLITE_INIT(recallite_event_filter);
        raw.session = str(filter.session);
        raw.scope = filter.scope.kind();
        raw.project = filter.scope.project();
        raw.kinds = filter.kinds.data();
        raw.kinds_len = filter.kinds.size();
        raw.has_from = filter.from_ms.has_value();
        raw.from_ms = filter.from_ms.value_or(0);
        raw.has_until = filter.until_ms.has_value();
        raw.until_ms = filter.until_ms.value_or(0);
        raw.tool = str(filter.tool);
        raw.file_contains = str(filter.file_contains);
        raw.newest_first = filter.newest_first;
        raw.limit = filter.limit;
        recallite_event_cursor *cursor = nullptr;
        detail::call(recallite_events, memory_.get(), &raw, &cursor);
        return Events(cursor);
    }

    /// Events after a position of the log, of every kind and project.
    EventList changes_since(std::uint64_t after, std::size_t limit) const {
        recallite_event_list *events = nullptr;
        detail::call(recallite_changes_since, memory_.get(), after, limit, &events);
        return EventList(events);
    }

    /// The sessions, the one with the newest event first.
    SessionList sessions(const Scope &scope = {}) const {
        recallite_session_list *sessions = nullptr;
        detail::call(recallite_sessions, memory_.get(), scope.kind(), scope.project(), &sessions);
        return SessionList(sessions);
    }

    /// One session.
    Session session(std::string_view id) const {
        recallite_session *session = nullptr;
        detail::call(recallite_session_get, memory_.get(), str(id), &session);
        return Session(session);
    }

    /// Starts, ends, summarises or tags a session.
    Session update_session(std::string_view id, const SessionUpdate &update) {
        const std::vector<recallite_str> tags =
            detail::strs(update.tags.value_or(std::vector<std::string_view>()));
        auto raw = RECALLITE_INIT(recallite_session_update);
        raw.project = str(update.project);
        raw.summary = str(update.summary);
        raw.has_tags = update.tags.has_value();
        raw.tags = tags.data();
        raw.tags_len = tags.size();
        raw.has_started = update.started_ms.has_value();
        raw.started_ms = update.started_ms.value_or(0);
        raw.has_ended = update.ended_ms.has_value();
        raw.ended_ms = update.ended_ms.value_or(0);
        recallite_session *session = nullptr;
        detail::call(recallite_update_session, memory_.get(), str(id), &raw, &session);
        return Session(session);
    }

    /// Finds events, best first.
    SearchResult search(const Query &query) const {
        auto raw = RECALLITE_INIT(recallite_query);
        raw.text = str(query.text);
        raw.limit = query.limit;
        raw.session = str(query.session);
        raw.scope = query.scope.kind();
        raw.project = query.scope.project();
        raw.kinds = query.kinds.data();
        raw.kinds_len = query.kinds.size();
        raw.has_from = query.from_ms.has_value();
        raw.from_ms = query.from_ms.value_or(0);
        raw.has_until = query.until_ms.has_value();
        raw.until_ms = query.until_ms.value_or(0);
        raw.min_relevance = query.min_relevance;
        raw.deadline_ms = query.deadline_ms;
        recallite_search_result *result = nullptr;
        detail::call(recallite_search, memory_.get(), &raw, &result);
        return SearchResult(result);
    }

    /// Finds events, best first; `limit` 0 means 10.
    SearchResult search(std::string_view text, std::size_t limit = 0) const {
        Query query;
        query.text = text;
        query.limit = limit;
        return search(query);
    }

    /// What happened around some events.
    Timeline timeline(const std::vector<std::string_view> &events,
                      std::size_t window = RECALLITE_DEFAULT_WINDOW) const {
        const std::vector<recallite_str> raws = detail::strs(events);
        recallite_timeline_list *timeline = nullptr;
        detail::call(recallite_timeline, memory_.get(), raws.data(), raws.size(), window,
                     &timeline);
        return Timeline(timeline);
    }

    /// Events in full.
    Details details(const std::vector<std::string_view> &events) const {
        const std::vector<recallite_str> raws = detail::strs(events);
        recallite_detail_list *details = nullptr;
        detail::call(recallite_details, memory_.get(), raws.data(), raws.size(), &details);
        return Details(details);
    }

    /// Figures about the store.
    Stats stats() const {
        recallite_stats *stats = nullptr;
        detail::call(recallite_stats_get, memory_.get(), &stats);
        return Stats(stats);
    }

    /// Imports Claude Code transcripts. `progress` is called after each
    /// transaction and ends the import by giving false; what it throws ends the
    /// import and is thrown from here.
    ImportReport
    import_claude_code(std::string_view path, const ImportOptions &options = {},
                       std::function<bool(const recallite_import_progress &)> progress = {}) {
        auto raw = RECALLITE_INIT(recallite_import_options);
        raw.skip_tool_observations = options.skip_tool_observations;
        raw.keeps_blank_text = options.keeps_blank_text;
        raw.response_limit_utf16 = options.response_limit_utf16;
        raw.limit = options.limit;
        raw.max_line_bytes = options.max_line_bytes;
        Progress state{std::move(progress), nullptr};
        recallite_import_report *report = nullptr;
        detail::call(recallite_import_claude_code, memory_.get(), str(path), &raw,
                     state.function ? &Progress::call : nullptr, static_cast<void *>(&state),
                     &report);
        ImportReport owner(report);
        if (state.thrown) std::rethrow_exception(state.thrown);
        return owner;
    }

    /// The folder of the memory.
    std::string_view path() const {
        recallite_str path = {};
        detail::call(recallite_path, memory_.get(), &path);
        return view(path);
    }

    /// The project that the memory was opened for; empty for none.
    std::string_view project() const {
        recallite_str project = {};
        detail::call(recallite_project, memory_.get(), &project);
        return view(project);
    }

    /// Whether the memory can be used.
    bool is_open() const noexcept { return recallite_is_open(memory_.get()); }

    /// Closes the memory: later calls throw RECALLITE_CLOSED.
    void close() { detail::call(recallite_close, memory_.get()); }

  private:
    struct Progress {
        std::function<bool(const recallite_import_progress &)> function;
        std::exception_ptr thrown;

        static std::int32_t call(const recallite_import_progress *progress, void *user_data) {
            auto *state = static_cast<Progress *>(user_data);
            try {
                return state->function(*progress) ? 0 : 1;
            } catch (...) {
                state->thrown = std::current_exception();
                return 1;
            }
        }
    };

    detail::Owner<recallite_memory, recallite_free> memory_;
};

/// The folder where a user's memory lies unless a program chooses another.
inline std::string default_store_path() {
    recallite_string *path = nullptr;
    detail::call(recallite_default_store_path, &path);
    const detail::Owner<recallite_string, recallite_string_free> owner(path);
    return std::string(view(path->text));
}

/// The project that a working folder belongs to.
inline std::string project_of(std::string_view folder) {
    recallite_string *project = nullptr;
    detail::call(recallite_project_of, str(folder), &project);
    const detail::Owner<recallite_string, recallite_string_free> owner(project);
    return std::string(view(project->text));
}

} // namespace recallite

#endif // RECALLITE_HPP
