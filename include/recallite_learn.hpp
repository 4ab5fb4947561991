// recallite_learn.hpp - the learning functions of recallite.h for C++17:
// ingestion, tasks, entries, the graph, levels, the endless mode,
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

/// Summarises a group of events: it gets the topics and the texts and returns a
/// summary, or nothing to use the summary made by rules.
using Summarizer = std::function<std::optional<std::string>(
    const std::vector<std::string_view> &topics, const std::vector<std::string_view> &texts)>;

namespace detail {

/// The text that a function returns.
template <typename Function, typename... Arguments>
std::string text(Function function, Arguments... arguments) {
    recallite_string *string = nullptr;
    call(function, arguments..., &string);
    const Owner<recallite_string, recallite_string_free> owner(string);
    return std::string(view(string->text));
}

/// The text that a function may return.
template <typename Function, typename... Arguments>
std::optional<std::string> maybe_text(Function function, Arguments... arguments) {
    recallite_string *string = nullptr;
    call(function, arguments..., &string);
    const Owner<recallite_string, recallite_string_free> owner(string);
    if (string == nullptr) return std::nullopt;
    return std::string(view(string->text));
}

/// The texts that a function returns.
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

/// The methods of one area. It must not outlive its memory.
class Area {
  public:
    explicit Area(recallite_memory *memory) noexcept : memory_(memory) {}

  protected:
    recallite_memory *memory_;
};

/// The methods of the endless mode that are not generated.
class EndlessByHand : public Area {
  public:
    using Area::Area;

    /// Consolidates the working set into memories now, whether or not it is due. If
    /// `summarize` throws, nothing is stored, the events keep waiting, and the exception
    /// is thrown from here.
    ConsolidationReport consolidate(Summarizer summarize = {}) {
        InWords state(std::move(summarize));
        recallite_consolidation_report *report = nullptr;
        state.call(recallite_endless_consolidate, memory_,
                   state.function ? &InWords::answer : nullptr, static_cast<void *>(&state),
                   &report);
        return ConsolidationReport(report);
    }

  private:
    struct InWords : Callback<Summarizer> {
        std::string summary;

        using Callback::Callback;

        static std::int32_t answer(const recallite_str *topics, std::size_t topics_len,
                                   const recallite_str *texts, std::size_t texts_len,
                                   recallite_str *summary, void *user_data) {
            auto *state = static_cast<InWords *>(user_data);
            return state->run([&](const Summarizer &summarize) {
                auto words = summarize(views(topics, topics_len), views(texts, texts_len));
                if (!words) return;
                state->summary = std::move(*words);
                *summary = str(std::string_view(state->summary));
            });
        }
    };
};

/// The selector for the library; NULL if there is none.
inline const recallite_selector *selected(const std::optional<Selector> &selector, Parts &parts) {
    return selector ? parts.one(selector->raw(parts)) : nullptr;
}

/// The methods of upkeep that are not generated.
class UpkeepByHand : public Area {
  public:
    using Area::Area;

    /// Like Memory::export_jsonl, through a function.
    Exported export_jsonl_to(Writer writer,
                             const std::optional<Selector> &selector = std::nullopt) const {
        Parts parts;
        const recallite_selector *chosen = detail::selected(selector, parts);
        Callback<Writer> state(std::move(writer));
        recallite_exported *exported = nullptr;
        state.call(recallite_upkeep_export_jsonl_to, memory_, state.function ? &write : nullptr,
                   static_cast<void *>(&state), chosen, &exported);
        return Exported(exported);
    }

    /// Like Memory::restore_jsonl, through a function.
    std::uint64_t restore_jsonl_from(Reader reader) const {
        Callback<Reader> state(std::move(reader));
        std::uint64_t events = 0;
        state.call(recallite_upkeep_restore_jsonl_from, memory_, state.function ? &read : nullptr,
                   static_cast<void *>(&state), &events);
        return events;
    }

    /// Like Memory::import_jsonl, through a function.
    Imported import_jsonl_from(Reader reader) const {
        Callback<Reader> state(std::move(reader));
        recallite_imported *imported = nullptr;
        state.call(recallite_upkeep_import_jsonl_from, memory_, state.function ? &read : nullptr,
                   static_cast<void *>(&state), &imported);
        return Imported(imported);
    }

  private:
    static std::int32_t write(const std::uint8_t *bytes, std::size_t size, void *user_data) {
        return static_cast<Callback<Writer> *>(user_data)->run([&](const Writer &writer) {
            writer(std::string_view(reinterpret_cast<const char *>(bytes), size));
        });
    }

    static std::int32_t read(std::uint8_t *buffer, std::size_t capacity, std::size_t *size,
                             void *user_data) {
        return static_cast<Callback<Reader> *>(user_data)->run([&](const Reader &reader) {
            *size = reader(reinterpret_cast<char *>(buffer), capacity);
        });
    }
};

} // namespace detail
} // namespace recallite

#include "recallite_areas.hpp"
#include "recallite_rules.hpp"

namespace recallite {

/// Returns the JSON Schema of an extraction.
inline std::string_view extraction_schema() { return recallite_extraction_schema(); }

/// Returns a prompt that explains to any language model what to extract.
inline std::string_view extraction_prompt() { return recallite_extraction_prompt(); }

} // namespace recallite

#endif // RECALLITE_LEARN_HPP
