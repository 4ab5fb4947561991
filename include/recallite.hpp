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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
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
    /// Whether the store must be opened again before anything else; that is enough, and
    /// heals every handle of it.
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

/// A function of the program for the time of one call, and what it threw.
template <typename Function> struct Callback {
    Function function;
    std::exception_ptr thrown;

    explicit Callback(Function function) : function(std::move(function)) {}

    /// Calls it and gives 0, or keeps what it threw and gives 1.
    template <typename Body> std::int32_t run(Body body) noexcept {
        try {
            body(function);
            return 0;
        } catch (...) {
            thrown = std::current_exception();
            return 1;
        }
    }

    /// As detail::call, but throws what the function threw.
    template <typename Called, typename... Arguments>
    void call(Called called, Arguments... arguments) {
        try {
            detail::call(called, arguments...);
        } catch (const Error &) {
            if (thrown) std::rethrow_exception(thrown);
            throw;
        }
    }
};

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

/// A result that owns what it shows as a `View`.
template <typename View, typename Raw, void (*Free)(Raw *)> class Owned : public View {
  public:
    explicit Owned(Raw *raw) noexcept : View(raw), owner_(raw) {}

  private:
    Owner<Raw, Free> owner_;
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

/// Every event kind, for reads that leave none out.
inline std::vector<std::int32_t> event_kinds() {
    std::size_t size = 0;
    const std::int32_t *kinds = recallite_event_kinds(&size);
    return std::vector<std::int32_t>(kinds, kinds + size);
}

} // namespace recallite

#include "recallite_views.hpp"

namespace recallite {

/// What turns texts into vectors, for recall by meaning beside recall by words;
/// see recallite_embedder.
struct Embedder {
    /// The name of the model and its version.
    std::string_view id;
    /// Numbers per vector.
    std::size_t dimensions = 0;
    /// One vector of `dimensions` numbers for each text. It is called from
    /// several threads at once. Throwing is failing: recall goes on with words
    /// alone. It is destroyed after its last use, by any thread.
    std::function<std::vector<std::vector<float>>(const std::vector<std::string_view> &)> embed;
    /// At most this many texts per call; 0 means 32.
    std::size_t max_batch = 0;
};

/// A model in a folder; see recallite_fastembed_options.
struct FastembedOptions {
    std::string_view model_dir;
    std::optional<std::string_view> onnxruntime_library = {};
    std::optional<std::string_view> id = {};
    std::size_t max_tokens = 0;
    std::size_t threads = 0;
};

/// What the privacy filter does; see recallite_privacy_config.
struct PrivacyConfig {
    std::vector<std::string_view> exclude_patterns = {};
    std::vector<std::string_view> auto_detect_patterns = {};
    /// Each one of recallite_tag_format.
    std::vector<std::int32_t> formats = {};
    recallite_marker marker = RECALLITE_MARKER_PRIVATE;
    bool skip_private_tags = false;
    bool preserve_line_count = false;
    bool skip_auto_detect = false;
    bool skip_code_aware = false;
    bool anonymize = false;
};

/// How much of a tool's output is stored; see recallite_tool_limits.
struct ToolLimits {
    std::size_t max_output_chars = 0;
    std::size_t max_output_lines = 0;
    bool keep_whole_output = false;
};

/// Which tool calls an append stores; see recallite_tool_policy.
struct ToolPolicy {
    bool skip_enabled = false;
    std::vector<std::string_view> excluded_tools = {};
    bool store_only_on_success = false;
};

/// How much each part of recall counts, at first the defaults; 0 switches a part
/// off. See recallite_recall_weights.
struct RecallWeights : recallite_recall_weights {
    RecallWeights() : recallite_recall_weights(RECALLITE_INIT(recallite_recall_weights)) {
        detail::call(recallite_recall_weights_default, this);
    }
};

/// How a memory is opened; see recallite_open_options.
struct OpenOptions {
    std::string_view project = {};
    std::size_t cache_bytes = 0;
    std::size_t index_cache_bytes = 0;
    std::uint64_t busy_timeout_ms = 0;
    bool must_exist = false;
    bool exclusive = false;
    bool allow_network_folder = false;
    std::uint64_t quota_bytes = 0;
    std::uint64_t size_limit_bytes = 0;
    std::vector<recallite_retention> retention_ms = {};
    std::optional<PrivacyConfig> privacy = {};
    std::optional<ToolLimits> tool_limits = {};
    std::optional<ToolPolicy> tool_policy = {};
    std::optional<std::string_view> settings_file = {};
    std::optional<std::string_view> settings = {};
    std::optional<Embedder> embedder = {};
    std::optional<FastembedOptions> fastembed = {};
    std::uint64_t embedding_timeout_ms = 0;
    bool skip_recall_cache = false;
    std::optional<RecallWeights> recall_weights = {};
    std::size_t vector_graph_from = 0;
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
    recallite_origin origin = RECALLITE_ORIGIN_UNSET;
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
    bool include_recalled = false;
    std::vector<float> vector = {};
    bool skip_learned = false;
    std::vector<std::int32_t> learned_kinds = {};
    std::vector<std::int32_t> entry_types = {};
    std::optional<std::int64_t> as_of_ms = {};
    std::vector<std::string_view> tools = {};
    std::optional<std::string_view> file_contains = {};
    std::int32_t tool_outcome = RECALLITE_TOOL_OUTCOME_UNSET;
    std::int32_t min_level = RECALLITE_LEVEL_UNSET;

    /// The struct of recallite.h, which borrows from this one; `names` is where the
    /// names of its tools are put.
    recallite_query raw(std::vector<recallite_str> &names) const {
        auto query = RECALLITE_INIT(recallite_query);
        query.text = str(text);
        query.limit = limit;
        query.session = str(session);
        query.scope = scope.kind();
        query.project = scope.project();
        query.kinds = kinds.data();
        query.kinds_len = kinds.size();
        query.has_from = from_ms.has_value();
        query.from_ms = from_ms.value_or(0);
        query.has_until = until_ms.has_value();
        query.until_ms = until_ms.value_or(0);
        query.min_relevance = min_relevance;
        query.deadline_ms = deadline_ms;
        query.include_recalled = include_recalled;
        query.vector = vector.empty() ? nullptr : vector.data();
        query.vector_len = vector.size();
        query.skip_learned = skip_learned;
        query.learned_kinds = learned_kinds.data();
        query.learned_kinds_len = learned_kinds.size();
        query.entry_types = entry_types.data();
        query.entry_types_len = entry_types.size();
        query.has_as_of = as_of_ms.has_value();
        query.as_of_ms = as_of_ms.value_or(0);
        names = detail::strs(tools);
        query.tools = names.data();
        query.tools_len = names.size();
        query.file_contains = str(file_contains);
        query.tool_outcome = tool_outcome;
        query.min_level = min_level;
        return query;
    }
};

/// Counts the tokens of a text. It is called during the call that it was given
/// to; what it throws is thrown from there.
using TokenCounter = std::function<std::size_t(std::string_view)>;

/// How a smart search expands what it finds; see recallite_smart_search_options.
struct SmartSearchOptions {
    std::size_t limit = 0;
    float min_score = 0;
    std::optional<std::size_t> max_auto_expand_count = {};
    std::size_t max_total_tokens = 0;
    std::optional<std::size_t> window = {};
    bool skip_timeline = false;
    bool skip_details = false;
    TokenCounter count_tokens = {};
};

/// What a context is made for; see recallite_context_options.
struct ContextOptions {
    std::optional<std::string_view> session = {};
    std::size_t budget_tokens = 0;
    std::size_t limit = 0;
    float min_relevance = 0;
    std::vector<std::string_view> pinned = {};
    std::optional<std::int64_t> skip_known_since_ms = {};
    recallite_citation_format format = RECALLITE_CITATION_FORMAT_INLINE;
    recallite_recording recording = RECALLITE_RECORDING_LATER;
    std::optional<std::string_view> reason = {};
    TokenCounter count_tokens = {};
};

/// Which events to forget, erase or export; see recallite_selector.
struct Selector {
    std::vector<std::string_view> ids = {};
    std::optional<std::string_view> session = {};
    Scope scope = {};
    std::vector<std::int32_t> kinds = {};
    std::optional<std::int64_t> before_ms = {};
    bool everything = false;

    /// The struct of recallite.h, which borrows from this one; `texts` is where
    /// its ids are put.
    recallite_selector raw(std::vector<recallite_str> &texts) const {
        texts = detail::strs(ids);
        auto selector = RECALLITE_INIT(recallite_selector);
        selector.ids = texts.data();
        selector.ids_len = texts.size();
        selector.session = str(session);
        selector.scope = scope.kind();
        selector.project = scope.project();
        selector.kinds = kinds.data();
        selector.kinds_len = kinds.size();
        selector.has_before = before_ms.has_value();
        selector.before_ms = before_ms.value_or(0);
        selector.everything = everything;
        return selector;
    }
};

/// How much one call of `Memory::maintain` does; see recallite_maintain_budget.
struct MaintainBudget {
    std::optional<std::size_t> graduate_events = {};
    std::optional<std::size_t> merges = {};
    std::uint64_t merge_events = 0;
    std::optional<std::size_t> jobs = {};
    std::uint64_t time_ms = 0;
    std::optional<std::size_t> graph_vectors = {};
    std::optional<std::size_t> learn_messages = {};
};

/// Takes the bytes of an export; what it throws ends the export and is thrown
/// from there.
using Writer = std::function<void(std::string_view bytes)>;

/// Puts up to `capacity` bytes of an export at `buffer` and gives how many; 0 is
/// the end. What it throws ends the import and is thrown from there.
using Reader = std::function<std::size_t(char *buffer, std::size_t capacity)>;

/// Which events to read; see recallite_event_filter.
struct EventFilter {
    std::optional<std::string_view> session = {};
    Scope scope = {};
    std::vector<std::int32_t> kinds = {};
    std::optional<std::int64_t> from_ms = {};
    std::optional<std::int64_t> until_ms = {};
    std::vector<std::string_view> tools = {};
    std::optional<std::string_view> file_contains = {};
    bool newest_first = false;
    std::size_t limit = 0;
    std::int32_t tool_outcome = RECALLITE_TOOL_OUTCOME_UNSET;
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

namespace detail {
/// A filter as C takes it, for as long as the other lives.
struct RawFilter {
    explicit RawFilter(const EventFilter &filter)
        : tools(strs(filter.tools)), raw(RECALLITE_INIT(recallite_event_filter)) {
        raw.session = str(filter.session);
        raw.scope = filter.scope.kind();
        raw.project = filter.scope.project();
        raw.kinds = filter.kinds.data();
        raw.kinds_len = filter.kinds.size();
        raw.has_from = filter.from_ms.has_value();
        raw.from_ms = filter.from_ms.value_or(0);
        raw.has_until = filter.until_ms.has_value();
        raw.until_ms = filter.until_ms.value_or(0);
        raw.tools = tools.data();
        raw.tools_len = tools.size();
        raw.tool_outcome = filter.tool_outcome;
        raw.file_contains = str(filter.file_contains);
        raw.newest_first = filter.newest_first;
        raw.limit = filter.limit;
    }
    RawFilter(const RawFilter &) = delete;
    RawFilter &operator=(const RawFilter &) = delete;

    std::vector<recallite_str> tools;
    recallite_event_filter raw;
};
} // namespace detail

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

} // namespace recallite

#include "recallite_learn.hpp"

namespace recallite {

/// A memory: a log of events that can be searched, in one folder. Its learning
/// functions are in recallite_learn.hpp.
class Memory : public detail::Learning<Memory>, public detail::MemoryMethods<Memory> {
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
        raw.quota_bytes = options.quota_bytes;
        raw.size_limit_bytes = options.size_limit_bytes;
        raw.retention_ms = options.retention_ms.data();
        raw.retention_ms_len = options.retention_ms.size();
        raw.embedding_timeout_ms = options.embedding_timeout_ms;
        raw.skip_recall_cache = options.skip_recall_cache;
        raw.vector_graph_from = options.vector_graph_from;

        auto privacy = RECALLITE_INIT(recallite_privacy_config);
        std::vector<recallite_str> words;
        std::vector<recallite_str> patterns;
        if (options.privacy) {
            words = detail::strs(options.privacy->exclude_patterns);
            patterns = detail::strs(options.privacy->auto_detect_patterns);
            privacy.exclude_patterns = words.data();
            privacy.exclude_patterns_len = words.size();
            privacy.auto_detect_patterns = patterns.data();
            privacy.auto_detect_patterns_len = patterns.size();
            privacy.formats = options.privacy->formats.data();
            privacy.formats_len = options.privacy->formats.size();
            privacy.marker = options.privacy->marker;
            privacy.skip_private_tags = options.privacy->skip_private_tags;
            privacy.preserve_line_count = options.privacy->preserve_line_count;
            privacy.skip_auto_detect = options.privacy->skip_auto_detect;
            privacy.skip_code_aware = options.privacy->skip_code_aware;
            privacy.anonymize = options.privacy->anonymize;
            raw.privacy = &privacy;
        }
        auto limits = RECALLITE_INIT(recallite_tool_limits);
        if (options.tool_limits) {
            limits.max_output_chars = options.tool_limits->max_output_chars;
            limits.max_output_lines = options.tool_limits->max_output_lines;
            limits.keep_whole_output = options.tool_limits->keep_whole_output;
            raw.tool_limits = &limits;
        }
        auto policy = RECALLITE_INIT(recallite_tool_policy);
        std::vector<recallite_str> tools;
        if (options.tool_policy) {
            tools = detail::strs(options.tool_policy->excluded_tools);
            policy.excluded_tools = tools.data();
            policy.excluded_tools_len = tools.size();
            policy.skip_enabled = options.tool_policy->skip_enabled;
            policy.store_only_on_success = options.tool_policy->store_only_on_success;
            raw.tool_policy = &policy;
        }
        raw.settings_file = str(options.settings_file);
        raw.settings = str(options.settings);
        raw.recall_weights = options.recall_weights ? &*options.recall_weights : nullptr;
        auto model = RECALLITE_INIT(recallite_fastembed_options);
        if (options.fastembed) {
            model.model_dir = str(options.fastembed->model_dir);
            model.onnxruntime_library = str(options.fastembed->onnxruntime_library);
            model.id = str(options.fastembed->id);
            model.max_tokens = options.fastembed->max_tokens;
            model.threads = options.fastembed->threads;
            raw.fastembed = &model;
        }
        auto embedder = RECALLITE_INIT(recallite_embedder);
        std::unique_ptr<Embedding> embedding;
        if (options.embedder) {
            if (!options.embedder->embed) {
                throw std::invalid_argument("recallite: an embedder needs its function");
            }
            embedding.reset(new Embedding{options.embedder->embed, options.embedder->dimensions});
            embedder.id = str(options.embedder->id);
            embedder.dimensions = options.embedder->dimensions;
            embedder.max_batch = options.embedder->max_batch;
            embedder.embed = &Embedding::call;
            embedder.user_data = embedding.get();
            embedder.destroy = &Embedding::destroy;
            raw.embedder = &embedder;
        }
        recallite_memory *memory = nullptr;
        detail::call(recallite_open_with, str(path), &raw, &memory);
        // The library releases it from now on.
        static_cast<void>(embedding.release());
        memory_.reset(memory);
    }

    /// The handle of recallite.h.
    recallite_memory *raw() const noexcept { return memory_.get(); }

    /// Remembers one event. When this returns, the event is on the disk.
    Appended append(const NewEvent &event) {
        recallite_tool_use use;
        const recallite_new_event raw = event.raw(use);
        recallite_appended *receipt = nullptr;
        detail::call(recallite_append, memory_.get(), &raw, &receipt);
        return Appended(receipt);
    }

    /// Remembers several events in one transaction: all or none.
    AppendedList append_batch(const std::vector<NewEvent> &events) {
        std::vector<recallite_tool_use> uses(events.size());
        std::vector<recallite_new_event> raws;
        raws.reserve(events.size());
        for (std::size_t index = 0; index < events.size(); ++index) {
            raws.push_back(events[index].raw(uses[index]));
        }
        recallite_appended_list *receipts = nullptr;
        detail::call(recallite_append_batch, memory_.get(),
                     static_cast<const recallite_new_event *>(raws.data()), raws.size(), &receipts);
        return AppendedList(receipts);
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

    /// Events in the order of time that fit a filter.
    Events events(const EventFilter &filter = {}) const {
        recallite_event_cursor *cursor = nullptr;
        const detail::RawFilter raw(filter);
        detail::call(recallite_events, memory_.get(), &raw.raw, &cursor);
        return Events(cursor);
    }

    /// Shows an event where the store's page holds it. The view and its texts are valid
    /// during the call of `look` only; it has no canonical key.
    void visit(std::string_view id_or_citation, std::function<void(const EventView &)> look) const {
        detail::Callback<Visitor> callback([&](const EventView &event) {
            look(event);
            return true;
        });
        callback.call(recallite_event_visit, memory_.get(), str(id_or_citation), &show,
                      static_cast<void *>(&callback));
        if (callback.thrown) std::rethrow_exception(callback.thrown);
    }

    /// Shows the events that `events` would give, as `visit` does, until `look` gives
    /// false; gives how many were shown.
    std::uint64_t visit(const EventFilter &filter,
                        std::function<bool(const EventView &)> look) const {
        detail::Callback<Visitor> callback(std::move(look));
        const detail::RawFilter raw(filter);
        std::uint64_t visited = 0;
        callback.call(recallite_events_visit, memory_.get(), &raw.raw, &show,
                      static_cast<void *>(&callback), &visited);
        if (callback.thrown) std::rethrow_exception(callback.thrown);
        return visited;
    }

    /// Events after a position of the log, of every kind and project.
    EventList changes_since(std::uint64_t after, std::size_t limit) const {
        recallite_event_list *events = nullptr;
        detail::call(recallite_changes_since, memory_.get(), after, limit, &events);
        return EventList(events);
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
        std::vector<recallite_str> tools;
        const recallite_query raw = query.raw(tools);
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

    /// Searches, and adds timelines and details when the results are clear
    /// enough, within a token budget.
    SmartSearchResult smart_search(const Query &query,
                                   const SmartSearchOptions &options = {}) const {
        std::vector<recallite_str> tools;
        const recallite_query raw_query = query.raw(tools);
        auto raw = RECALLITE_INIT(recallite_smart_search_options);
        raw.limit = options.limit;
        raw.max_total_tokens = options.max_total_tokens;
        raw.has_max_auto_expand_count = options.max_auto_expand_count.has_value();
        raw.max_auto_expand_count = options.max_auto_expand_count.value_or(0);
        raw.has_window = options.window.has_value();
        raw.window = options.window.value_or(0);
        raw.min_score = options.min_score;
        raw.skip_timeline = options.skip_timeline;
        raw.skip_details = options.skip_details;
        Counting counting(options.count_tokens);
        raw.count_tokens = counting.function ? &count_tokens : nullptr;
        raw.user_data = &counting;
        recallite_smart_search_result *result = nullptr;
        counting.call(recallite_smart_search, memory_.get(), &raw_query, &raw, &result);
        return SmartSearchResult(result);
    }

    /// Searches as above for a text.
    SmartSearchResult smart_search(std::string_view text,
                                   const SmartSearchOptions &options = {}) const {
        Query query;
        query.text = text;
        return smart_search(query, options);
    }

    /// The memories that help with a query, as fenced text for an agent's
    /// prompt, within a token budget.
    Context context(const Query &query, const ContextOptions &options = {}) const {
        std::vector<recallite_str> tools;
        const recallite_query raw_query = query.raw(tools);
        const std::vector<recallite_str> pinned = detail::strs(options.pinned);
        auto raw = RECALLITE_INIT(recallite_context_options);
        raw.session = str(options.session);
        raw.budget_tokens = options.budget_tokens;
        raw.limit = options.limit;
        raw.pinned = pinned.data();
        raw.pinned_len = pinned.size();
        raw.has_skip_known_since = options.skip_known_since_ms.has_value();
        raw.skip_known_since_ms = options.skip_known_since_ms.value_or(0);
        raw.reason = str(options.reason);
        raw.format = options.format;
        raw.recording = options.recording;
        raw.min_relevance = options.min_relevance;
        Counting counting(options.count_tokens);
        raw.count_tokens = counting.function ? &count_tokens : nullptr;
        raw.user_data = &counting;
        recallite_context *context = nullptr;
        counting.call(recallite_context_get, memory_.get(), &raw_query, &raw, &context);
        return Context(context);
    }

    /// Context as above for a text.
    Context context(std::string_view text, const ContextOptions &options = {}) const {
        Query query;
        query.text = text;
        return context(query, options);
    }

    /// How many live events a selector means.
    std::uint64_t count_selected(const Selector &selector) const {
        std::vector<recallite_str> ids;
        const recallite_selector raw = selector.raw(ids);
        std::uint64_t count = 0;
        detail::call(recallite_count_selected, memory_.get(), &raw, &count);
        return count;
    }

    /// Forgets events: nothing shows them again; their records stay in the log.
    Forgotten forget(const Selector &selector) {
        std::vector<recallite_str> ids;
        const recallite_selector raw = selector.raw(ids);
        recallite_forgotten *forgotten = nullptr;
        detail::call(recallite_forget, memory_.get(), &raw, &forgotten);
        return Forgotten(forgotten);
    }

    /// Erases events from the log and from every file of the store.
    Erased erase(const Selector &selector) {
        std::vector<recallite_str> ids;
        const recallite_selector raw = selector.raw(ids);
        recallite_erased *erased = nullptr;
        detail::call(recallite_erase, memory_.get(), &raw, &erased);
        return Erased(erased);
    }

    /// Writes the whole log, or the events of a selector, into a new file.
    Exported export_jsonl(std::string_view path,
                          const std::optional<Selector> &selector = std::nullopt) const {
        std::vector<recallite_str> ids;
        recallite_selector raw;
        const recallite_selector *selected = select(selector, ids, raw);
        recallite_exported *exported = nullptr;
        detail::call(recallite_export_jsonl, memory_.get(), str(path), selected, &exported);
        return Exported(exported);
    }

    /// As export_jsonl, through a function.
    Exported export_jsonl_to(Writer writer,
                             const std::optional<Selector> &selector = std::nullopt) const {
        std::vector<recallite_str> ids;
        recallite_selector raw;
        const recallite_selector *selected = select(selector, ids, raw);
        detail::Callback<Writer> state(std::move(writer));
        recallite_exported *exported = nullptr;
        state.call(recallite_export_jsonl_to, memory_.get(), state.function ? &write : nullptr,
                   static_cast<void *>(&state), selected, &exported);
        return Exported(exported);
    }

    /// Makes this empty store the one that a whole export was made of; gives how
    /// many events there are.
    std::uint64_t restore_jsonl(std::string_view path) {
        std::uint64_t events = 0;
        detail::call(recallite_restore_jsonl, memory_.get(), str(path), &events);
        return events;
    }

    /// As restore_jsonl, through a function.
    std::uint64_t restore_jsonl_from(Reader reader) {
        detail::Callback<Reader> state(std::move(reader));
        std::uint64_t events = 0;
        state.call(recallite_restore_jsonl_from, memory_.get(), state.function ? &read : nullptr,
                   static_cast<void *>(&state), &events);
        return events;
    }

    /// Adds the conversation events of an export, those that are not here yet.
    Imported import_jsonl(std::string_view path) {
        recallite_imported *imported = nullptr;
        detail::call(recallite_import_jsonl, memory_.get(), str(path), &imported);
        return Imported(imported);
    }

    /// As import_jsonl, through a function.
    Imported import_jsonl_from(Reader reader) {
        detail::Callback<Reader> state(std::move(reader));
        recallite_imported *imported = nullptr;
        state.call(recallite_import_jsonl_from, memory_.get(), state.function ? &read : nullptr,
                   static_cast<void *>(&state), &imported);
        return Imported(imported);
    }

    /// Copies the store into a new folder; gives how many events the copy holds.
    std::uint64_t backup(std::string_view path) const {
        std::uint64_t events = 0;
        detail::call(recallite_backup, memory_.get(), str(path), &events);
        return events;
    }

    /// Does what may wait, a bounded step of each.
    Maintained maintain(const MaintainBudget &budget = {}) {
        auto raw = RECALLITE_INIT(recallite_maintain_budget);
        raw.has_graduate_events = budget.graduate_events.has_value();
        raw.graduate_events = budget.graduate_events.value_or(0);
        raw.has_merges = budget.merges.has_value();
        raw.merges = budget.merges.value_or(0);
        raw.merge_events = budget.merge_events;
        raw.has_jobs = budget.jobs.has_value();
        raw.jobs = budget.jobs.value_or(0);
        raw.time_ms = budget.time_ms;
        raw.has_graph_vectors = budget.graph_vectors.has_value();
        raw.graph_vectors = budget.graph_vectors.value_or(0);
        raw.has_learn_messages = budget.learn_messages.has_value();
        raw.learn_messages = budget.learn_messages.value_or(0);
        recallite_maintained *maintained = nullptr;
        detail::call(recallite_maintain, memory_.get(), &raw, &maintained);
        return Maintained(maintained);
    }

    /// Embeds at most `limit` waiting events.
    Processed process_outbox(std::size_t limit) {
        recallite_processed *processed = nullptr;
        detail::call(recallite_process_outbox, memory_.get(), limit, &processed);
        return Processed(processed);
    }

    /// Waits until the log is longer than `after`; gives its last position.
    std::uint64_t wait_for_change(std::uint64_t after, std::uint64_t timeout_ms) const {
        std::uint64_t last = 0;
        detail::call(recallite_wait_for_change, memory_.get(), after, timeout_ms, &last);
        return last;
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
    using Counting = detail::Callback<TokenCounter>;

    static std::int32_t count_tokens(recallite_str text, std::size_t *tokens, void *user_data) {
        return static_cast<Counting *>(user_data)->run(
            [&](const TokenCounter &count) { *tokens = count(view(text)); });
    }

    using Visitor = std::function<bool(const EventView &)>;

    static std::int32_t show(const recallite_event *event, void *user_data) {
        bool goes_on = false;
        static_cast<detail::Callback<Visitor> *>(user_data)->run(
            [&](const Visitor &look) { goes_on = look(EventView(event)); });
        return goes_on ? 0 : 1;
    }

    static std::int32_t write(const std::uint8_t *bytes, std::size_t size, void *user_data) {
        return static_cast<detail::Callback<Writer> *>(user_data)->run([&](const Writer &writer) {
            writer(std::string_view(reinterpret_cast<const char *>(bytes), size));
        });
    }

    static std::int32_t read(std::uint8_t *buffer, std::size_t capacity, std::size_t *size,
                             void *user_data) {
        return static_cast<detail::Callback<Reader> *>(user_data)->run([&](const Reader &reader) {
            *size = reader(reinterpret_cast<char *>(buffer), capacity);
        });
    }

    /// The selector for the library, in `raw`; NULL for none.
    static const recallite_selector *select(const std::optional<Selector> &selector,
                                            std::vector<recallite_str> &ids,
                                            recallite_selector &raw) {
        if (!selector) return nullptr;
        raw = selector->raw(ids);
        return &raw;
    }

    /// The function of an embedder, owned by the library while the memory lives.
    struct Embedding {
        std::function<std::vector<std::vector<float>>(const std::vector<std::string_view> &)>
            function;
        std::size_t dimensions;

        static std::int32_t call(const recallite_str *texts, std::size_t size, float *vectors,
                                 recallite_problem *problem, void *user_data) {
            const auto *self = static_cast<const Embedding *>(user_data);
            try {
                const auto given = self->function(detail::views(texts, size));
                if (given.size() != size) throw std::length_error("it gave too few or many vectors");
                for (const auto &vector : given) {
                    if (vector.size() != self->dimensions) {
                        throw std::length_error("a vector has too few or many numbers");
                    }
                    vectors = std::copy(vector.begin(), vector.end(), vectors);
                }
                return 0;
            } catch (const std::exception &thrown) {
                std::snprintf(problem->text, sizeof(problem->text), "%s", thrown.what());
                return 1;
            } catch (...) {
                return 1;
            }
        }

        static void destroy(void *user_data) { delete static_cast<Embedding *>(user_data); }
    };

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
