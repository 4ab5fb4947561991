// recallite.hpp: options, recall, upkeep and callbacks.
#include "../c/check.h"

#include <recallite.hpp>

#include <memory>

namespace {

using recallite::Memory;

constexpr std::int64_t NOON = 1773144000000;

recallite::NewEvent said(std::string_view session, std::string_view content) {
    recallite::NewEvent event{};
    event.kind = RECALLITE_EVENT_KIND_USER_PROMPT;
    event.session = session;
    event.content = content;
    return event;
}

template <typename Function>
void throws(recallite_status code, std::string_view argument, Function function) {
    try {
        function();
        CHECK(!"an exception");
    } catch (const recallite::Error &error) {
        CHECK(error.code() == code);
        CHECK(argument.empty() || error.argument() == argument);
    }
}

/// Something that a program's own functions throw.
struct Mishap {
    int number;
};

template <typename Function> void mishap(Function function) {
    try {
        function();
        CHECK(!"an exception");
    } catch (const Mishap &thrown) {
        CHECK(thrown.number == 42);
    }
}

void options_reach_the_library() {
    recallite::OpenOptions options;
    options.privacy = recallite::PrivacyConfig{};
    options.privacy->exclude_patterns = {"codename"};
    options.privacy->formats = {RECALLITE_TAG_FORMAT_BRACKET};
    options.privacy->marker = RECALLITE_MARKER_REDACTED;
    options.privacy->anonymize = true;
    options.tool_limits = recallite::ToolLimits{};
    options.tool_limits->max_output_lines = 1;
    options.retention_ms = {{RECALLITE_EVENT_KIND_USER_PROMPT, 24 * 3600 * 1000}};
    options.quota_bytes = 1;
    options.skip_recall_cache = true;
    Memory memory(path_of("options"), options);
    const auto receipt = memory.append(said("s1", "[private]x[/private] codename: falcon9"));
    CHECK(receipt.warnings().size() == 1);
    CHECK(memory.event(receipt.id()).content() == "[REDACTED] [REDACTED]");
    auto old = said("s1", "long ago");
    old.timestamp_ms = 0;
    memory.append(old);
    CHECK(memory.upkeep().apply_retention().count() == 1);
    CHECK(memory.stats().is_over_quota());

    options.privacy->exclude_patterns = {"(unclosed"};
    throws(RECALLITE_INVALID_ARGUMENT, "privacy.exclude_patterns[0]",
           [&] { Memory(path_of("options2"), options); });
    recallite::OpenOptions full;
    full.size_limit_bytes = 1;
    Memory small(path_of("options3"), full);
    throws(RECALLITE_FULL, "", [&] { small.append(said("s1", "hello")); });
}

void weights_of_recall_are_options() {
    recallite::OpenOptions options;
    options.recall_weights = recallite::RecallWeights{};
    CHECK(options.recall_weights->named_actor == 0.35f);
    Memory memory(path_of("weights"), options);
    memory.append(said("s1", "Our invoices are paid by the automobile fund."));
    CHECK(memory.search("car").size() == 1);
    options.recall_weights->query_expansion = 0;
    CHECK(Memory(path_of("weights"), options).search("car").size() == 0);
    options.recall_weights->query_expansion = -1;
    throws(RECALLITE_INVALID_ARGUMENT, "recall_weights.query_expansion",
           [&] { Memory(path_of("weights"), options); });
}

void recall_has_layers_context_and_citations() {
    Memory memory(path_of("recall"));
    const auto receipts = memory.append_batch(
        {said("s1", "The test server uses port 8443."), said("s1", "송장 글꼴은 인터입니다.")});

    const auto found = memory.smart_search("port of the test server");
    CHECK(found.index().size() >= 1 && found.index()[0].citation() == receipts[0].citation());
    CHECK(found.markdown().find("port 8443") != std::string_view::npos);
    CHECK(found.meta().total_matches() >= 1 && !found.degraded());
    recallite::SmartSearchOptions narrow;
    narrow.skip_timeline = true;
    narrow.skip_details = true;
    narrow.limit = 1;
    CHECK(memory.smart_search("port", narrow).timeline().empty());
    CHECK(memory.search("port")[0].origin() == RECALLITE_ORIGIN_USER);

    recallite::ContextOptions options;
    options.session = "now";
    options.recording = RECALLITE_RECORDING_NOW;
    options.pinned = {receipts[1].citation()};
    std::size_t calls = 0;
    options.count_tokens = [&](std::string_view text) {
        ++calls;
        return text.size();
    };
    const auto context = memory.context("port of the test server", options);
    CHECK(calls > 0 && context.tokens() == context.text().size());
    CHECK(context.size() == 2 && !context[0].relevance() && context[1].relevance() > 0.0f);
    CHECK(context[1].text() == "The test server uses port 8443.");
    CHECK(context.citations()[0] == receipts[1].citation());
    options.count_tokens = [](std::string_view) -> std::size_t { throw Mishap{42}; };
    mishap([&] { memory.context("port of the test server", options); });
    narrow.count_tokens = options.count_tokens;
    mishap([&] { memory.smart_search("port", narrow); });

    const auto detail = memory.citations().detail(receipts[0].citation());
    CHECK(detail.event().content() == "The test server uses port 8443.");
    CHECK(detail.usage_count() == 1 && detail.last_used_ms().has_value());
    CHECK(!detail.previous() && detail.next()->citation() == receipts[1].citation());
    CHECK(memory.citations().popular(10).size() == 2);
    CHECK(memory.citations().citing_sessions(receipts[0].id()) == std::vector<std::string>{"now"});
    throws(RECALLITE_NOT_FOUND, "", [&] { memory.citations().citing_sessions("mem:zzzzzz"); });

    recallite::EventFilter filter;
    filter.kinds = recallite::event_kinds();
    std::size_t count = 0;
    for (const auto &event : memory.events(filter)) count += event.seq() > 0;
    CHECK(count >= 3);
}

void a_question_can_name_an_event_by_its_citation() {
    Memory memory(path_of("named"));
    memory.append(said("s1", "The test server uses port 8443."));
    const auto receipt = memory.append(said("s1", "송장 글꼴은 인터입니다."));
    const std::string citation(receipt.citation());
    const std::pair<std::string, recallite_expansion_reason> forms[] = {
        {"show mem:" + citation, RECALLITE_EXPANSION_REASON_USER_REQUEST},
        {"[mem:" + citation + "] 보여줘", RECALLITE_EXPANSION_REASON_USER_REQUEST},
        {citation, RECALLITE_EXPANSION_REASON_EXPLICIT_ID},
    };
    for (const auto &[question, reason] : forms) {
        const auto found = memory.search(question);
        CHECK(found.size() >= 1 && found[0].seq() == 2 && found[0].relevance() == 1);
        const auto shown = memory.smart_search(question);
        CHECK(shown.meta().expansion_reason() == reason);
        CHECK(shown.details().size() >= 1 && shown.details()[0].event().seq() == 2);
        CHECK(memory.context(question)[0].id() == receipt.id());
    }
}

void stores_are_kept_and_moved() {
    Memory memory(path_of("keep"));
    memory.append_batch({said("s1", "one"), said("s1", "둘"), said("s2", "three")});
    recallite::Selector selector;
    throws(RECALLITE_INVALID_ARGUMENT, "selector", [&] { memory.upkeep().count_selected(selector); });
    selector.session = "s1";
    CHECK(memory.upkeep().count_selected(selector) == 2);
    CHECK(memory.upkeep().count_erasable(selector) == 2);
    // A list of nothing is not a condition that is not there.
    selector.ids = std::vector<std::string_view>();
    throws(RECALLITE_INVALID_ARGUMENT, "ids", [&] { memory.forget(selector); });
    selector.ids = std::nullopt;
    selector.kinds = std::vector<std::int32_t>();
    throws(RECALLITE_INVALID_ARGUMENT, "kinds", [&] { memory.erase(selector); });
    selector.kinds = std::nullopt;
    CHECK(memory.upkeep().count_selected(selector) == 2);

    std::string whole;
    const auto exported = memory.upkeep().export_jsonl_to([&](std::string_view bytes) { whole += bytes; });
    CHECK(exported.events() == 3 && exported.bytes() == whole.size());
    std::size_t at = 0;
    const auto reader = [&](char *buffer, std::size_t capacity) {
        const std::size_t size = whole.copy(buffer, std::min<std::size_t>(capacity, 11), at);
        at += size;
        return size;
    };
    Memory restored(path_of("keep2"));
    CHECK(restored.upkeep().restore_jsonl_from(reader) == 3);
    CHECK(restored.upkeep().state_hash(NOON) == memory.upkeep().state_hash(NOON));
    at = 0;
    Memory imported(path_of("keep3"));
    CHECK(imported.upkeep().import_jsonl_from(reader).events() == 3);
    mishap([&] {
        memory.upkeep().export_jsonl_to([](std::string_view) { throw Mishap{42}; });
    });
    mishap([&] {
        imported.upkeep().import_jsonl_from([](char *, std::size_t) -> std::size_t { throw Mishap{42}; });
    });
    throws(RECALLITE_INVALID_ARGUMENT, "write", [&] { memory.upkeep().export_jsonl_to({}); });

    const std::string file = path_of("part.jsonl");
    CHECK(memory.export_jsonl(file, selector).events() == 2);
    CHECK(restored.import_jsonl(file).duplicates() == 2);
    throws(RECALLITE_ALREADY_EXISTS, "path", [&] { memory.export_jsonl(file); });
    CHECK(memory.export_jsonl(file, selector, true).events() == 2);
    throws(RECALLITE_ALREADY_EXISTS, "", [&] { restored.restore_jsonl(file); });
    CHECK(memory.backup(path_of("copy")) == 3);

    CHECK(memory.forget(selector).count() == 2);
    const auto erased = memory.erase(selector);
    CHECK(erased.count() == 2 && erased.places().size() >= 6);
    std::size_t layers = 0;
    const auto stats = memory.stats();
    for (const auto layer : stats.layers()) layers += !layer.name().empty();
    CHECK(layers == stats.layers().size() && layers > 0);
    CHECK(memory.check().ok());
    CHECK(memory.rebuild(NOON).hash_after() == memory.upkeep().state_hash(NOON));
    CHECK(memory.compact().generation() == 4);
    CHECK(!memory.upkeep().upgrade().changed());
    recallite::MaintainBudget budget;
    budget.merges = 0;
    budget.graduate_events = 0;
    CHECK(!memory.maintain(budget).has_more());
    memory.maintain();
    CHECK(memory.wait_for_change(0, 1000) > 0);
    throws(RECALLITE_UNSUPPORTED, "", [&] { memory.process_outbox(1); });
}

void an_embedder_is_a_function() {
    const auto alive = std::make_shared<int>(0);
    bool fails = false;
    bool is_short = false;
    recallite::OpenOptions options;
    options.embedder = recallite::Embedder{};
    options.embedder->id = "length-1";
    options.embedder->dimensions = 2;
    options.embedder->embed = [&fails, &is_short,
                               alive](const std::vector<std::string_view> &texts) {
        if (fails) throw std::runtime_error("모델이 없습니다");
        std::vector<std::vector<float>> vectors;
        for (const auto text : texts) vectors.push_back({static_cast<float>(text.size()), 1});
        if (is_short) vectors[0].pop_back();
        return vectors;
    };
    {
        Memory memory(path_of("embedder"), options);
        options.embedder->embed = nullptr;
        CHECK(alive.use_count() == 2);
        memory.append(said("s1", "hello"));
        fails = true;
        const auto failed = memory.process_outbox(10);
        CHECK(failed.failed() == 1);
        for (const auto failure : failed.errors()) {
            CHECK(failure.message().find("모델이 없습니다") != std::string_view::npos);
        }
        CHECK(failed.errors().size() == 1 && failed.errors()[0].job() > 0);
        fails = false;
        is_short = true;
        CHECK(memory.upkeep().retry_outbox(3) == 1);
        CHECK(memory.process_outbox(10).failed() == 1);
        is_short = false;
        CHECK(memory.upkeep().retry_outbox(3) == 1);
        CHECK(memory.process_outbox(10).succeeded() == 1);
        CHECK(memory.stats().embedding()->vectors() == 1);
    }
    CHECK(alive.use_count() == 1);
    // A memory that cannot be opened releases the function as well.
    options.embedder->embed = [alive](const std::vector<std::string_view> &) {
        return std::vector<std::vector<float>>();
    };
    options.must_exist = true;
    throws(RECALLITE_NOT_FOUND, "", [&] { Memory(path_of("nowhere"), options); });
    options.embedder.reset();
    CHECK(alive.use_count() == 1);
    options.embedder = recallite::Embedder{};
    options.embedder->id = "without a function";
    options.embedder->dimensions = 3;
    throws(RECALLITE_INVALID_ARGUMENT, "embedder.embed",
           [&] { Memory(path_of("nowhere"), options); });
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    check_folder = argv[1];
    CASE(options_reach_the_library);
    CASE(weights_of_recall_are_options);
    CASE(recall_has_layers_context_and_citations);
    CASE(a_question_can_name_an_event_by_its_citation);
    CASE(stores_are_kept_and_moved);
    CASE(an_embedder_is_a_function);
    return check_end();
}
