// recallite.hpp - Recallite for C++17: a thin, header-only layer over
// recallite.h.
//
// Every call of the library that fails throws recallite::Error. `at` of a list
// throws std::out_of_range, as that of the standard containers. Results own what
// they show: a std::string_view or an item of a result lives as long as the
// result (an event of an `Events` range: as long as that event). The thread
// rules are those of recallite.h. A moved-from Memory or result may only be
// destroyed or assigned to.
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

/// The text of a view; empty if it is absent.
inline std::string_view view(recallite_str text) noexcept {
    return text.ptr == nullptr ? std::string_view() : std::string_view(text.ptr, text.len);
}

/// The text of a view; nothing if it is absent.
inline std::optional<std::string_view> optional_view(recallite_str text) noexcept {
    if (text.ptr == nullptr) return std::nullopt;
    return view(text);
}

/// A view for the library. Empty text is empty, not absent.
inline recallite_str str(std::string_view text) noexcept {
    return recallite_str{text.data() == nullptr ? "" : text.data(), text.size()};
}

/// A view for the library; absent if there is nothing.
inline recallite_str str(const std::optional<std::string_view> &text) noexcept {
    return text ? str(*text) : recallite_str{nullptr, 0};
}

/// An error: a status, and a message that says what happened and what to do next.
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
    /// The argument that was wrong; empty if the error is not about one.
    const std::string &argument() const noexcept { return argument_; }
    /// Whether the same call may succeed later without any other change.
    bool retryable() const noexcept { return retryable_; }
    /// Whether the store must be opened again before anything else. After
    /// RECALLITE_NEEDS_REOPEN, that repairs every Memory of it. After RECALLITE_CLOSED,
    /// RECALLITE_INTERNAL or RECALLITE_POISONED, it does not repair the Memory, which
    /// must be destroyed; use the new one.
    bool needs_reopen() const noexcept { return needs_reopen_; }

  private:
    recallite_status code_;
    std::string argument_;
    bool retryable_;
    bool needs_reopen_;
};

/// Counts the tokens of a text. It is called during the call that it was passed to;
/// anything it throws is thrown from there.
using TokenCounter = std::function<std::size_t(std::string_view)>;

namespace detail {

/// Calls `function(arguments..., &error)` and throws the error that it reports.
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

/// A function of the program for the duration of one call, and what it threw.
template <typename Function> struct Callback {
    Function function;
    std::exception_ptr thrown;

    explicit Callback(Function called) : function(std::move(called)) {}

    /// Calls it and returns 0, or keeps what it threw and returns 1.
    template <typename Body> std::int32_t run(Body body) noexcept {
        try {
            body(function);
            return 0;
        } catch (...) {
            thrown = std::current_exception();
            return 1;
        }
    }

    /// Like detail::call, but throws what the function threw.
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

/// A range over an array of pointers, each viewed as an `Element`.
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
    /// Like operator[], but throws std::out_of_range.
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

/// A result that owns what a `View` shows.
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

/// The items of a list; NULL if there are none.
template <typename Item> const Item *data(const std::vector<Item> &items) noexcept {
    return items.empty() ? nullptr : items.data();
}

/// The items of a list that was given, which may have none but is not NULL.
template <typename Item> const Item *given(const Item *items) noexcept {
    static const Item none{};
    return items != nullptr ? items : &none;
}

/// Keeps what the structs of one call point to, for the duration of the call.
class Parts {
  public:
    /// Keeps texts as the library takes them.
    void texts(const std::vector<std::string_view> &texts, const recallite_str *&items,
               std::size_t &size) {
        give(strs(texts), items, size);
    }
    /// Keeps the structs of several options.
    template <typename Options, typename Raw>
    void structs(const std::vector<Options> &options, const Raw *&items, std::size_t &size) {
        std::vector<Raw> raws;
        raws.reserve(options.size());
        for (const Options &one : options) raws.push_back(one.raw(*this));
        give(std::move(raws), items, size);
    }
    /// Keeps a function that counts tokens, for calls by `call`.
    template <typename Raw> void counter(const TokenCounter &count, Raw &raw) {
        if (!count) return;
        counting_ = std::make_shared<Callback<TokenCounter>>(count);
        raw.count_tokens = &count_tokens;
        raw.user_data = counting_.get();
    }
    /// Like detail::call, but throws what that function threw.
    template <typename Called, typename... Arguments>
    void call(Called called, Arguments... arguments) {
        if (counting_) return counting_->call(called, arguments...);
        detail::call(called, arguments...);
    }
    /// Keeps one struct.
    template <typename Raw> const Raw *one(const Raw &raw) {
        auto kept = std::make_shared<const Raw>(raw);
        kept_.push_back(kept);
        return kept.get();
    }

  private:
    template <typename Item>
    void give(std::vector<Item> list, const Item *&items, std::size_t &size) {
        auto kept = std::make_shared<const std::vector<Item>>(std::move(list));
        items = data(*kept);
        size = kept->size();
        kept_.push_back(std::move(kept));
    }

    static std::int32_t count_tokens(recallite_str text, std::size_t *tokens, void *user_data) {
        return static_cast<Callback<TokenCounter> *>(user_data)->run(
            [&](const TokenCounter &count) { *tokens = count(view(text)); });
    }

    std::vector<std::shared_ptr<const void>> kept_;
    std::shared_ptr<Callback<TokenCounter>> counting_;
};

} // namespace detail

/// Every event kind, for reads that should leave none out.
inline std::vector<std::int32_t> event_kinds() {
    std::size_t size = 0;
    const std::int32_t *kinds = recallite_event_kinds(&size);
    return std::vector<std::int32_t>(kinds, kinds + size);
}

} // namespace recallite

#include "recallite_views.hpp"

namespace recallite {

/// An embedder, which turns texts into vectors so that recall can search by meaning
/// as well as by words; see recallite_embedder.
struct Embedder {
    /// The name of the model and its version.
    std::string_view id;
    /// The number of dimensions of each vector.
    std::size_t dimensions = 0;
    /// Returns one vector of `dimensions` numbers for each text. It is called from
    /// several threads at once. If it throws, it has failed, and recall continues with
    /// words alone. It is destroyed after its last use, by any thread.
    std::function<std::vector<std::vector<float>>(const std::vector<std::string_view> &)> embed;
    /// The maximum number of texts per call; 0 means 32.
    std::size_t max_batch = 0;
};

/// Which projects a read covers. Default: those of the memory.
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

/// Receives the bytes of an export. Anything it throws ends the export and is thrown
/// from there.
using Writer = std::function<void(std::string_view bytes)>;

/// Puts up to `capacity` bytes of an export at `buffer` and returns their number; 0 is
/// the end. Anything it throws ends the import and is thrown from there.
using Reader = std::function<std::size_t(char *buffer, std::size_t capacity)>;

} // namespace recallite

#include "recallite_options.hpp"

namespace recallite {

/// A range of events that are read as it is iterated, which is possible once.
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
        const Event *operator->() const noexcept { return event_.get(); }
        iterator &operator++() {
            recallite_event *next = nullptr;
            detail::call(recallite_event_cursor_next, cursor_, &next);
            if (next == nullptr) {
                event_.reset();
                cursor_ = nullptr;
                return *this;
            }
            Event event(next);
            event_ = std::make_shared<const Event>(std::move(event));
            return *this;
        }
        /// Returns an iterator that keeps the event from before.
        iterator operator++(int) {
            iterator before = *this;
            ++*this;
            return before;
        }
        bool operator==(const iterator &other) const noexcept { return cursor_ == other.cursor_; }
        bool operator!=(const iterator &other) const noexcept { return !(*this == other); }

      private:
        recallite_event_cursor *cursor_ = nullptr;
        // Copies share the event.
        std::shared_ptr<const Event> event_;
    };

    explicit Events(recallite_event_cursor *cursor) noexcept : cursor_(cursor) {}
    /// Continues where the last iteration stopped.
    iterator begin() const { return iterator(cursor_.get()); }
    iterator end() const noexcept { return iterator(); }

  private:
    detail::Owner<recallite_event_cursor, recallite_event_cursor_free> cursor_;
};

} // namespace recallite

#include "recallite_learn.hpp"

namespace recallite {

/// A memory: a searchable log of events, kept in one folder.
class Memory : public detail::MemoryMethods<Memory> {
  public:
    /// Opens the memory in the folder `path`. Creates it if it does not exist.
    explicit Memory(std::string_view path, const OpenOptions &options = {}) {
        detail::Parts parts;
        recallite_open_options raw = options.raw(parts);
        raw.retention_ms = detail::data(options.retention_ms);
        raw.retention_ms_len = options.retention_ms.size();
        if (options.fastembed) raw.fastembed = parts.one(options.fastembed->raw(parts));
        auto embedder = RECALLITE_INIT(recallite_embedder);
        std::unique_ptr<Embedding> embedding;
        if (options.embedder) {
            embedding.reset(new Embedding{options.embedder->embed, options.embedder->dimensions});
            embedder.id = str(options.embedder->id);
            embedder.dimensions = options.embedder->dimensions;
            embedder.max_batch = options.embedder->max_batch;
            embedder.embed = options.embedder->embed ? &Embedding::call : nullptr;
            embedder.user_data = embedding.get();
            embedder.destroy = &Embedding::destroy;
            raw.embedder = &embedder;
        }
        auto logger = RECALLITE_INIT(recallite_logger);
        std::unique_ptr<Logging> logging;
        if (options.on_log) {
            logging.reset(new Logging{options.on_log});
            logger.log = &Logging::call;
            logger.user_data = logging.get();
            logger.destroy = &Logging::destroy;
            raw.on_log = &logger;
        }
        recallite_memory *memory = nullptr;
        detail::call(recallite_open_with, str(path), &raw, &memory);
        // The library releases them from now on.
        static_cast<void>(embedding.release());
        static_cast<void>(logging.release());
        memory_.reset(memory);
    }

    /// The handle of recallite.h.
    recallite_memory *raw() const noexcept { return memory_.get(); }

    /// Returns an event by its position in the log.
    Event event_at(std::uint64_t seq) const {
        recallite_event *event = nullptr;
        detail::call(recallite_event_at, memory_.get(), seq, &event);
        return Event(event);
    }

    /// Returns the events that match a filter, in order of time.
    Events events(const EventFilter &filter = {}) const {
        recallite_event_cursor *cursor = nullptr;
        detail::Parts parts;
        const recallite_event_filter raw = filter.raw(parts);
        detail::call(recallite_events, memory_.get(), &raw, &cursor);
        return Events(cursor);
    }

    /// Calls `look` with a view of an event in the store's page. The view and its texts
    /// are valid during that call only; it has no canonical key.
    /// `{}` is a filter, not a name.
    template <class Text,
              class = std::enable_if_t<std::is_convertible_v<const Text &, std::string_view>>>
    void visit(const Text &id_or_citation, std::function<void(const EventView &)> look) const {
        detail::Callback<Visitor> callback([&](const EventView &event) {
            look(event);
            return true;
        });
        callback.call(recallite_event_visit, memory_.get(), str(id_or_citation),
                      look ? &show : nullptr, static_cast<void *>(&callback));
        if (callback.thrown) std::rethrow_exception(callback.thrown);
    }

    /// Calls `look` with a view of each event that `events` would return, as `visit`
    /// does, until `look` returns false. Returns how many were visited.
    std::uint64_t visit(const EventFilter &filter,
                        std::function<bool(const EventView &)> look) const {
        detail::Callback<Visitor> callback(std::move(look));
        detail::Parts parts;
        const recallite_event_filter raw = filter.raw(parts);
        std::uint64_t visited = 0;
        callback.call(recallite_events_visit, memory_.get(), &raw,
                      callback.function ? &show : nullptr, static_cast<void *>(&callback),
                      &visited);
        if (callback.thrown) std::rethrow_exception(callback.thrown);
        return visited;
    }

    using MemoryMethods::search;

    /// Finds events, best first. A `limit` of 0 means 10.
    SearchResult search(std::string_view text, std::size_t limit = 0) const {
        Query query;
        query.text = text;
        query.limit = limit;
        return search(query);
    }

    using MemoryMethods::smart_search;

    /// Searches for a text in the same way.
    SmartSearchResult smart_search(std::string_view text,
                                   const SmartSearchOptions &options = {}) const {
        Query query;
        query.text = text;
        return smart_search(query, options);
    }

    using MemoryMethods::context;

    /// Returns context for a text in the same way.
    Context context(std::string_view text, const ContextOptions &options = {}) const {
        Query query;
        query.text = text;
        return context(query, options);
    }

    /// Writes events to the new file `path` as JSON Lines: the whole log, or the live events
    /// that match a selector. With `replace`, an existing file is replaced.
    ///
    /// Growth: By store; with a selector, by result.
    Exported export_jsonl(std::string_view path,
                          const std::optional<Selector> &selector = std::nullopt,
                          bool replace = false) const {
        detail::Parts parts;
        const recallite_selector *chosen = detail::selected(selector, parts);
        recallite_exported *exported = nullptr;
        detail::call(recallite_export_jsonl, memory_.get(), str(path), chosen, replace,
                     &exported);
        return Exported(exported);
    }

    /// Imports Claude Code transcripts. `progress` is called after each transaction and
    /// can end the import by returning false; anything it throws ends the import too,
    /// and is thrown from here.
    ImportReport
    import_claude_code(std::string_view path, const ImportOptions &options = {},
                       std::function<bool(const recallite_import_progress &)> progress = {}) {
        detail::Parts parts;
        const recallite_import_options raw = options.raw(parts);
        detail::Callback<ImportStep> callback(std::move(progress));
        recallite_import_report *report = nullptr;
        callback.call(recallite_import_claude_code, memory_.get(), str(path), &raw,
                      callback.function ? &import_step : nullptr, static_cast<void *>(&callback),
                      &report);
        ImportReport owner(report);
        if (callback.thrown) std::rethrow_exception(callback.thrown);
        return owner;
    }

    /// Sets the function that is called with the progress of long operations of this memory,
    /// or, if it is empty, removes it. It is called on the thread that runs the operation: at its
    /// beginning, at most every 50 milliseconds in between, and at its end if it succeeds. If
    /// it returns false, or throws, the operation ends with RECALLITE_INTERRUPTED, except at
    /// its end. It may read from the same memory, but must not append, change anything or
    /// begin another long operation.
    void set_progress_handler(std::function<bool(const Progress &)> handler) {
        std::unique_ptr<Watching> watching;
        if (handler) watching.reset(new Watching{std::move(handler)});
        detail::call(recallite_set_progress_handler, memory_.get(),
                     watching ? &Watching::call : nullptr, static_cast<void *>(watching.get()),
                     watching ? &Watching::destroy : nullptr);
        // The library releases it from now on.
        static_cast<void>(watching.release());
    }

    /// Stops the long operations of this memory that are running now, on any thread. Each ends
    /// with RECALLITE_INTERRUPTED at its next checkpoint; one that has begun its last step, for
    /// which writers wait, is completed. An operation that begins later is not affected.
    void interrupt() { detail::call(recallite_interrupt, memory_.get()); }

    /// Returns the folder of the memory.
    std::string_view path() const {
        recallite_str path = {};
        detail::call(recallite_path, memory_.get(), &path);
        return view(path);
    }

    /// Returns the project that the memory was opened for; empty if there is none.
    std::string_view project() const {
        recallite_str project = {};
        detail::call(recallite_project, memory_.get(), &project);
        return view(project);
    }

    /// Returns true if the memory can be used.
    bool is_open() const noexcept { return recallite_is_open(memory_.get()); }

    /// Closes the memory. Later calls throw RECALLITE_CLOSED. What recall has buffered is
    /// written first; if that fails, its error is thrown, and the memory is closed all
    /// the same.
    void close() { detail::call(recallite_close, memory_.get()); }

  private:
    using Visitor = std::function<bool(const EventView &)>;

    static std::int32_t show(const recallite_event *event, void *user_data) {
        bool goes_on = false;
        static_cast<detail::Callback<Visitor> *>(user_data)->run(
            [&](const Visitor &look) { goes_on = look(EventView(event)); });
        return goes_on ? 0 : 1;
    }

    using ImportStep = std::function<bool(const recallite_import_progress &)>;

    static std::int32_t import_step(const recallite_import_progress *progress, void *user_data) {
        bool goes_on = false;
        static_cast<detail::Callback<ImportStep> *>(user_data)->run(
            [&](const ImportStep &step) { goes_on = step(*progress); });
        return goes_on ? 0 : 1;
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

    /// The logger's function, owned in the same way as an embedder's.
    struct Logging {
        std::function<void(const LogRecord &)> function;

        static void call(const recallite_log_record *record, void *user_data) {
            try {
                static_cast<const Logging *>(user_data)->function(LogRecord(record));
            } catch (...) {
                // Logging that fails must not fail what is logged.
            }
        }

        static void destroy(void *user_data) { delete static_cast<Logging *>(user_data); }
    };

    struct Watching {
        std::function<bool(const Progress &)> function;

        static std::int32_t call(const recallite_progress *progress, void *user_data) {
            try {
                const Progress now(progress);
                return static_cast<const Watching *>(user_data)->function(now) ? 0 : 1;
            } catch (...) {
                return 1;
            }
        }

        static void destroy(void *user_data) { delete static_cast<Watching *>(user_data); }
    };

    detail::Owner<recallite_memory, recallite_free> memory_;
};

} // namespace recallite

#endif // RECALLITE_HPP
