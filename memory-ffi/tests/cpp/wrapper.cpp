// recallite.hpp: exceptions, ranges, ownership.
// As some programs include a header of C.
extern "C" {
#include <recallite.h>
}

#include "../c/check.h"

// The headers are free of what a program may refuse.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wshadow"
#include <recallite.hpp>
#pragma GCC diagnostic pop

#include <algorithm>
#include <fstream>
#include <type_traits>

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
        CHECK(error.code_name() == recallite_status_name(code));
        CHECK(argument.empty() || error.argument() == argument);
        CHECK(std::string_view(error.what()).size() > 0);
    }
}

void errors_are_exceptions_with_codes() {
    Memory memory(path_of("errors"));
    throws(RECALLITE_INVALID_ARGUMENT, "session", [&] { memory.append(said("", "hello")); });
    throws(RECALLITE_INVALID_ARGUMENT, "content", [&] { memory.append(said("s", "\xff")); });
    throws(RECALLITE_NOT_FOUND, "event", [&] { memory.event("mem:zzzzzz"); });
    throws(RECALLITE_NOT_FOUND, "", [] {
        recallite::OpenOptions options;
        options.must_exist = true;
        Memory(path_of("nowhere"), options);
    });
    memory.close();
    CHECK(!memory.is_open());
    throws(RECALLITE_CLOSED, "", [&] { memory.stats(); });
    Memory moved = std::move(memory);
    throws(RECALLITE_INVALID_ARGUMENT, "memory", [&] { memory.stats(); });
    CHECK(moved.raw() != nullptr);
    static_assert(!std::is_copy_constructible<Memory>::value, "a memory has one owner");
    static_assert(std::is_nothrow_move_constructible<Memory>::value, "a memory can be moved");
}

void results_are_ranges() {
    Memory memory(path_of("ranges"));
    std::vector<recallite::NewEvent> events;
    events.push_back(said("s1", "결제 타임아웃은 15초입니다."));
    events.push_back(said("s1", "The invoice font is Inter."));
    events.push_back(said("s2", "Another invoice."));
    for (std::size_t index = 0; index < events.size(); ++index) {
        events[index].timestamp_ms = NOON + static_cast<std::int64_t>(index);
    }
    const auto receipts = memory.append_batch(events);
    CHECK(receipts.size() == 3 && receipts[2].seq() == 3 && receipts[0].warnings().empty());

    std::size_t count = 0;
    for (const auto hit : memory.search("invoice", 2)) {
        CHECK(hit.passage().text().find("invoice") != std::string_view::npos);
        ++count;
    }
    CHECK(count == 2);
    recallite::Query query;
    query.text = "invoice";
    query.session = "s2";
    query.kinds = {RECALLITE_EVENT_KIND_USER_PROMPT};
    const auto result = memory.search(query);
    CHECK(result.size() == 1 && result[0].session() == "s2" && !result.degraded());
    CHECK(result.at(0).kind() == RECALLITE_EVENT_KIND_USER_PROMPT);
    try {
        result.at(7);
        CHECK(!"out_of_range");
    } catch (const std::out_of_range &) {
    }

    std::string all;
    for (const auto &event : memory.events()) all += std::string(event.content()) + "|";
    CHECK(all == "결제 타임아웃은 15초입니다.|The invoice font is Inter.|Another invoice.|");
    recallite::EventFilter filter;
    filter.session = "s1";
    filter.newest_first = true;
    filter.limit = 1;
    auto newest = memory.events(filter);
    auto at = newest.begin();
    CHECK(at->content() == "The invoice font is Inter.");
    CHECK(++at == newest.end());
    CHECK(memory.count_events() == 3 && memory.count_events(filter) == 1);
    filter.limit = 0;
    CHECK(memory.count_events(filter) == 0);
    filter.limit.reset();
    filter.offset = 1;
    CHECK(memory.count_events(filter) == 1);

    const auto counted = memory.events();
    CHECK(std::count_if(counted.begin(), counted.end(), [](const recallite::Event &event) {
              return event.session() == "s1";
          }) == 2);
    const auto stepped = memory.events();
    auto here = stepped.begin();
    const auto kept = here;
    const auto before = here++;
    CHECK(before->seq() == 1 && kept->seq() == 1 && here->seq() == 2);
    CHECK((*here++).seq() == 2 && here->seq() == 3 && here != stepped.end());

    recallite::EventFilter calls;
    calls.tools = {"Read"};
    calls.tool_outcome = RECALLITE_TOOL_OUTCOME_FAILED;
    auto none = memory.events(calls);
    CHECK(none.begin() == none.end());
    recallite::Query narrowed;
    narrowed.text = "invoice";
    CHECK(memory.search(narrowed).items().size() > 0);
    narrowed.tools = {"Read", "Bash"};
    CHECK(memory.search(narrowed).items().size() == 0);
    narrowed.tools = {""};
    throws(RECALLITE_INVALID_ARGUMENT, "tools[0]", [&] { memory.search(narrowed); });
    narrowed.tools = {};
    narrowed.min_level = RECALLITE_LEVEL_L1;
    CHECK(memory.search(narrowed).items().size() == 0);

    std::vector<std::string> seen;
    CHECK(memory.visit({}, [](const recallite::EventView &) { return false; }) == 1);
    const auto visited = memory.visit(recallite::EventFilter(), [&](const recallite::EventView &event) {
        seen.emplace_back(event.content());
        return seen.size() < 2;
    });
    CHECK(visited == 2 && seen.back() == "The invoice font is Inter.");
    throws(RECALLITE_INVALID_ARGUMENT, "visit",
           [&] { memory.visit(receipts[0].id(), nullptr); });
    throws(RECALLITE_INVALID_ARGUMENT, "visit",
           [&] { memory.visit(recallite::EventFilter(), nullptr); });
    memory.visit(receipts[0].id(), [&](const recallite::EventView &event) {
        CHECK(event.id() == receipts[0].id() && event.canonical_key().empty());
        CHECK(event.kind() == RECALLITE_EVENT_KIND_USER_PROMPT && !event.tool());
        seen.emplace_back(event.session());
    });
    CHECK(seen.size() == 3);
    bool has_thrown = false;
    try {
        memory.visit(receipts[0].id(), [](const recallite::EventView &) { throw 7; });
    } catch (int thrown) {
        has_thrown = thrown == 7;
    }
    CHECK(has_thrown);

    CHECK(memory.changes_since(1, 10).size() == 2);
    const auto timeline = memory.timeline({receipts[0].citation()});
    CHECK(timeline.size() == 2 && timeline[0].is_target() && !timeline[1].is_target());
    const auto details = memory.details({receipts[1].id()});
    CHECK(details.size() == 1 && details[0].event().content() == "The invoice font is Inter.");
    CHECK(details[0].relations().previous().has_value() && !details[0].relations().next().has_value());
    CHECK(memory.stats().events() == 3);
    CHECK(memory.citation(receipts[0].citation()).id() == receipts[0].id());
    CHECK(memory.event_at(2).timestamp_ms() == NOON + 1);
}

void sessions_and_projects_are_told() {
    recallite::OpenOptions options;
    options.project = "shop";
    Memory memory(path_of("sessions"), options);
    CHECK(memory.project() == "shop");
    CHECK(memory.path().find("sessions") != std::string_view::npos);
    memory.append(said("s1", "hello"));
    recallite::SessionUpdate update;
    update.summary = "A greeting.";
    update.tags = std::vector<std::string_view>{"one", "둘"};
    update.ended_ms = NOON;
    const auto session = memory.update_session("s1", update);
    CHECK(session.summary() == "A greeting." && session.ended_ms() == NOON);
    CHECK(session.tags().size() == 2 && session.tags()[1] == "둘");
    CHECK(memory.session("s1").prompts() == 1);
    CHECK(memory.sessions().size() == 1);
    CHECK(memory.sessions(recallite::Scope::named("other")).empty());
    CHECK(memory.sessions(recallite::Scope::all()).size() == 1);
    CHECK(memory.sessions(recallite::Scope::all(), 1).size() == 1);
    CHECK(!recallite::project_of(check_folder).empty());
    CHECK(!recallite::default_store_path().empty());
}

void an_exception_passes_through_an_import() {
    Memory memory(path_of("import"));
    const std::string path = path_of("t1.jsonl");
    std::ofstream(path) << "{\"type\":\"user\",\"uuid\":\"u1\",\"sessionId\":\"t1\",\"timestamp\":"
                           "\"2026-03-10T12:00:00.000Z\",\"message\":{\"role\":\"user\","
                           "\"content\":\"Which port?\"}}\n";
    int calls = 0;
    const auto report = memory.import_claude_code(path, {}, [&](const recallite_import_progress &) {
        ++calls;
        return true;
    });
    CHECK(report.counters().imported_prompts() == 1 && calls > 0);
    try {
        memory.import_claude_code(path, {}, [](const recallite_import_progress &) -> bool {
            throw std::runtime_error("from the callback");
        });
        CHECK(!"an exception");
    } catch (const std::runtime_error &error) {
        CHECK(std::string_view(error.what()) == "from the callback");
    }
    CHECK(memory.is_open());
}

} // namespace

static void settings_open_a_memory() {
    recallite::OpenOptions options;
    options.settings = R"({"retrieval": {"topK": 2}})";
    options.tool_policy = recallite::ToolPolicy{};
    recallite::Memory memory(path_of("cpp-settings"), options);
    bool is_shown = false;
    for (const auto &setting : memory.upkeep().settings()) {
        if (setting.key() == "retrieval.topK") {
            is_shown = setting.value_json() == "2"
                       && setting.source() == RECALLITE_SETTING_SOURCE_CALL;
        }
    }
    CHECK(is_shown);
    options.settings = R"({"retreival": {}})";
    try {
        recallite::Memory refused(path_of("cpp-refused"), options);
        CHECK(false);
    } catch (const recallite::Error &refusal) {
        CHECK(refusal.argument() == "retreival");
        CHECK(std::string_view(refusal.what()).find("retreival: unknown setting; did you mean retrieval?")
              != std::string_view::npos);
    }
}

static void a_settings_file_opens_a_memory() {
    const std::string file = path_of("cpp-settings.json");
    const auto write = [&](const char *content) { std::ofstream(file) << content; };
    recallite::OpenOptions options;
    options.settings_file = file;
    write(R"({"retrieval": {"topK": 2}})");
    recallite::Memory memory(path_of("cpp-settings-file"), options);
    for (const char *said : {"The payment port is 1.", "The payment port is 2.", "The payment port is 3."}) {
        recallite::NewEvent event{};
        event.kind = RECALLITE_EVENT_KIND_USER_PROMPT;
        event.session = "s1";
        event.content = said;
        memory.append(event);
    }
    CHECK(memory.search("payment port").size() == 2);
    int shown = 0;
    for (const auto &setting : memory.upkeep().settings()) {
        shown += setting.key() == "retrieval.topK" && setting.value_json() == "2"
                 && setting.source() == RECALLITE_SETTING_SOURCE_FILE;
    }
    CHECK(shown == 1);
    write(R"({"retrieval": {"topk": 2}})");
    try {
        recallite::Memory refused(path_of("cpp-refused"), options);
        CHECK(false);
    } catch (const recallite::Error &refusal) {
        CHECK(refusal.code() == RECALLITE_INVALID_ARGUMENT && refusal.argument() == "retrieval.topk");
        CHECK(std::string_view(refusal.what()).find("did you mean retrieval.topK?") != std::string_view::npos);
    }
}

static void what_is_done_is_told() {
    auto told = std::make_shared<std::vector<std::string>>();
    recallite::OpenOptions options;
    options.on_log = [told](const recallite::LogRecord &record) {
        told->push_back(std::string(recallite::name(record.level())) + " "
                        + std::string(record.target()) + " " + std::string(record.message()));
        throw std::runtime_error("ignored");
    };
    {
        recallite::Memory memory(path_of("cpp-told"), options);
        CHECK(told->size() == 1 && (*told)[0] == "info open created a new store");
        memory.compact();
        CHECK(told->size() == 2 && (*told)[1].rfind("info upkeep compacted", 0) == 0);
    }
    options.on_log = nullptr;
    // The library has let go of its copy with the memory.
    CHECK(told.use_count() == 1);
}

static void operations_are_watched_and_stopped() {
    const auto calls = std::make_shared<int>(0);
    {
        recallite::Memory memory(path_of("cpp-watched"));
        memory.append(said("s1", "The lamp is lit."));
        bool is_ended = false;
        memory.set_progress_handler([calls, &is_ended](const recallite::Progress &progress) {
            CHECK(recallite::name(progress.operation()) == "compact");
            is_ended = progress.total() == progress.done();
            ++*calls;
            return true;
        });
        memory.compact();
        CHECK(*calls >= 2 && is_ended);
        const auto stops = [&memory] {
            try {
                memory.compact();
                return false;
            } catch (const recallite::Error &error) {
                return error.code() == RECALLITE_INTERRUPTED;
            }
        };
        memory.set_progress_handler([](const recallite::Progress &) { return false; });
        CHECK(stops() && calls.use_count() == 1);
        memory.set_progress_handler([](const recallite::Progress &) -> bool {
            throw std::runtime_error("it does not leave the library");
        });
        CHECK(stops());
        memory.set_progress_handler([calls, &memory](const recallite::Progress &) {
            memory.interrupt();
            return true;
        });
        CHECK(stops());
        memory.set_progress_handler({});
        CHECK(calls.use_count() == 1);
        CHECK(memory.check().ok());
    }
}

/// Sends everything that the receiver has not received yet.
static void send_news(const Memory &sender, const Memory &receiver) {
    std::uint64_t position = 0;
    const std::string identity = sender.sharing().identity();
    for (const auto mark : receiver.sharing().watermarks()) {
        if (mark.identity() == identity) position = mark.position();
    }
    bool has_more = true;
    while (has_more) {
        const auto batch = sender.sharing().batch_since(position);
        receiver.sharing().receive(batch.lines());
        position = batch.through();
        has_more = batch.has_more();
    }
    receiver.sharing().erase_ordered();
}

static void batches_carry_an_erasure_and_its_answer() {
    Memory laptop(path_of("laptop")), desktop(path_of("desktop"));
    const std::string identity = desktop.sharing().identity();
    const std::string announcement = laptop.sharing().announcement("laptop");
    const auto announced = desktop.sharing().read_announcement(announcement);
    CHECK(announced.name() == "laptop");
    laptop.sharing().add_member(identity, "desktop", RECALLITE_MEMBER_ROLE_WRITER);
    const auto told = laptop.append(said("s", "the secret pear"));
    const auto batch = laptop.sharing().batch_since(0);
    throws(RECALLITE_PERMISSION_DENIED, "batch",
           [&] { desktop.sharing().receive(batch.lines()); });
    desktop.sharing().add_member(announced.identity(), announced.name(),
                                 RECALLITE_MEMBER_ROLE_WRITER);
    send_news(laptop, desktop);
    CHECK(desktop.sharing().shared_hash() == laptop.sharing().shared_hash());
    CHECK(desktop.sharing().source(told.id()).position() == 1);
    CHECK(desktop.sharing().projects_of(told.id()).size() == 1);
    const std::string checksum = laptop.sharing().log_checksum(1);
    const std::string retractions = laptop.sharing().retraction_mark();
    recallite::Selector selector;
    selector.ids = std::vector<std::string_view>{told.id()};
    CHECK(laptop.erase(selector).count() == 1);
    CHECK(laptop.sharing().log_checksum(1) == checksum);
    CHECK(laptop.sharing().retraction_mark() != retractions);
    const auto open = laptop.sharing().unanswered_erasures();
    CHECK(open.size() == 1);
    for (const auto erasure : open) {
        CHECK(erasure.waiting_for().size() == 1 && erasure.waiting_for()[0] == identity);
    }
    send_news(laptop, desktop);
    throws(RECALLITE_NOT_FOUND, "", [&] { desktop.event(told.id()); });
    send_news(desktop, laptop);
    CHECK(laptop.sharing().unanswered_erasures().size() == 0);
    CHECK(desktop.sharing().renew_identity() != identity);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    check_folder = argv[1];
    CASE(errors_are_exceptions_with_codes);
    CASE(results_are_ranges);
    CASE(sessions_and_projects_are_told);
    CASE(settings_open_a_memory);
    CASE(a_settings_file_opens_a_memory);
    CASE(what_is_done_is_told);
    CASE(operations_are_watched_and_stopped);
    CASE(an_exception_passes_through_an_import);
    CASE(batches_carry_an_erasure_and_its_answer);
    return check_end();
}
