// recallite_learn.hpp: what is learned, as classes and ranges.
#include "../c/learn.h"

// Either header may be the one that a program names.
#include <recallite_learn.hpp>
#include <type_traits>

namespace {

using recallite::Memory;

constexpr std::int64_t SECOND = 1000;

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

recallite::IngestReport taught(Memory &memory) {
    talk(memory.raw());
    return memory.ingest("monday", EXTRACTION);
}

void texts_have_keys_and_short_forms() {
    CHECK(recallite::canonical_key("벡터  검색!", "app") == "app::벡터 검색");
    CHECK(recallite::canonical_key("Hello,  World!") == "hello world");
    CHECK(recallite::entity_key(RECALLITE_ENTITY_KIND_TASK, "Fix login bug", "shop") ==
          "task:shop:fix-login-bug");
    CHECK(recallite::content_hash("x").size() == 64);
    CHECK(recallite::artifact_kind("OPS-12") == RECALLITE_ARTIFACT_KIND_JIRA);
    CHECK(recallite::is_same_title("Fix it!", "fix  IT") && recallite::levenshtein("ab", "ac") == 1);
    CHECK(recallite::summary("Use this: ```sh\nnpm i\n``` now. ok") == "Use this: [code] now.");
    CHECK(recallite::preview("one\n\ntwo") == "one two");
    CHECK(recallite::is_small_talk("ok, thanks") && !recallite::is_small_talk("which port is it?"));
    CHECK(recallite::harmless("a\r\nb") == "a\nb" && recallite::harmless_line("a\rb") == "a b");
    CHECK(recallite::parse_citation("see [mem:a7Bc3x]") == "a7Bc3x");
    CHECK(!recallite::parse_citation("nothing here").has_value());
    CHECK(recallite::estimate_tokens("🎉🎉🎉") == 2 && recallite::similarity("ab", "ac") == 0.5);
    CHECK(recallite::extract_claims("We chose redb for storage. Why? Ok.").size() == 1);
    CHECK(recallite::outside_session_name("endless_2026-01-30") == "endless");
    CHECK(recallite::initial_task_status() == RECALLITE_TASK_STATUS_PENDING &&
          recallite::initial_task_status(RECALLITE_TASK_STATUS_DONE) ==
              RECALLITE_TASK_STATUS_IN_PROGRESS);
    static_assert(std::is_invocable_v<decltype(recallite::initial_task_status), recallite_task_status> &&
                  !std::is_invocable_v<decltype(recallite::initial_task_status), int>);
    CHECK(recallite::is_edge_allowed(RECALLITE_NODE_TYPE_ENTRY, RECALLITE_RELATION_MENTIONS,
                                     RECALLITE_NODE_TYPE_ENTITY));
    CHECK(recallite::extraction_schema().size() > 100 && recallite::extraction_prompt().size() > 100);
    throws(RECALLITE_INVALID_ARGUMENT, "title", [] { recallite::canonical_key("\xff"); });
}

void quotes_are_a_range() {
    const std::vector<std::string_view> messages = {"🎉 JSONB를   JSON으로\n변경하세요."};
    const auto report = recallite::align(messages, {{0, "jsonb를 JSON으로 변경"}, {3, "x"}});
    CHECK(report.results().size() == 2 && report.aligned_count() == 1 && report.failed_count() == 1);
    CHECK(!report.evidence_aligned());
    const auto quote = report.results()[0];
    CHECK(quote.is_aligned() && quote.match_method() == RECALLITE_MATCH_METHOD_NORMALIZED);
    const auto bytes = quote.span().bytes;
    CHECK(messages[0].substr(bytes.start, bytes.end - bytes.start) == "JSONB를   JSON으로\n변경");
    CHECK(quote.span().utf16.start == 3 && quote.span().chars.start == 2);
    CHECK(report.results()[1].reason() == RECALLITE_FAILURE_REASON_INVALID_INDEX);
    CHECK(recallite::name(*report.results()[1].reason()) == "invalid_index");
    recallite::AlignOptions options;
    options.fuzzy_threshold = 0.1;
    throws(RECALLITE_INVALID_ARGUMENT, "fuzzy_threshold",
           [&] { recallite::align(messages, {}, options); });

    const auto claims = recallite::align_claims({"the retry limit, per job", "the sky is green"},
                                                "We set the retry limit (per job) to 3.");
    CHECK(claims.aligned().size() == 1 && claims.aligned()[0].claim_index() == 0 && claims.is_aligned());
    CHECK(claims.missing() == std::vector<std::size_t>{1} && claims.confidence() == 0.5);
    CHECK(recallite::check_grounding("The retry limit per job is 3.", {"nothing"}).aligned().empty());
}

void an_extraction_is_taken_in() {
    Memory memory(path_of("ingest"));
    const auto report = taught(memory);
    CHECK(report.entries().size() == 4 && report.tasks().size() == 3 && !report.already_ingested());
    CHECK(report.entries()[0].stage() == RECALLITE_STAGE_VERIFIED);
    CHECK(report.entries()[0].evidence().aligned()[0].end() == 25);
    CHECK(report.entries()[1].evidence().failed()[0].reason() == "not_found");
    CHECK(report.tasks()[0].local_id() == "t1" && report.tasks()[0].is_new());
    CHECK(memory.ingest("monday", EXTRACTION).already_ingested());
    const auto messages = memory.knowledge().session_messages("monday");
    CHECK(messages.size() == 3 && messages[0].event()->content() == "세션은 Redis에 두자. 🎉");
    CHECK(memory.knowledge().session_messages("monday", 2, 1)[0].index() == 2);
    const auto runs = memory.history().build_runs();
    CHECK(runs.size() == 1 && runs[0].status() == RECALLITE_BUILD_STATUS_SUCCESS);
    CHECK(runs[0].finished_ms().has_value() && !runs[0].error().has_value());
    CHECK(!memory.history().pipeline_metrics().empty() && !memory.history().promotions().empty());
    throws(RECALLITE_NOT_FOUND, "session", [&] { memory.ingest("tuesday", EXTRACTION); });
    throws(RECALLITE_INVALID_ARGUMENT, "", [&] { memory.ingest("monday", "{"); });
}

void tasks_are_listed_and_moved() {
    Memory memory(path_of("tasks"));
    const auto report = taught(memory);
    const auto login = report.tasks()[0].task_id();
    const auto move = report.tasks()[1].task_id();
    const auto docs = report.tasks()[2].task_id();
    CHECK(memory.tasks().list().size() == 3);
    recallite::TaskFilter filter;
    filter.status = RECALLITE_TASK_STATUS_PENDING;
    const auto pending = memory.tasks().list(filter);
    CHECK(pending.size() == 1 && pending[0].title() == "배포 문서 쓰기");
    CHECK(pending[0].description() == "두 가지 규칙을 적는다");
    CHECK(memory.tasks().blocked().size() == 2 && memory.tasks().blocked()[0].blockers().size() == 1);
    const auto detail = memory.tasks().get(login);
    CHECK(detail.task().blockers()[0].raw_text() == "OPS-12" && detail.history().size() > 1);
    CHECK(recallite::name(detail.task().priority()) == "high");
    CHECK(detail.effective_blockers()[0].effective_kind() == RECALLITE_ENTITY_KIND_ARTIFACT);
    const auto artifact = memory.tasks().entity(detail.task().blockers()[0].entity_id());
    CHECK(artifact.kind() == RECALLITE_ENTITY_KIND_ARTIFACT && !artifact.task().has_value());
    CHECK(artifact.artifact()->identifier() == "OPS-12");

    const auto blocked = memory.tasks().get(move);
    const auto condition = blocked.task().blockers()[0].entity_id();
    CHECK(!memory.tasks().entity(condition).condition()->resolved_to().has_value());
    memory.tasks().resolve_condition(condition, {RECALLITE_ENTITY_KIND_TASK, docs},
                                     RECALLITE_RESOLUTION_TYPE_USER_CONFIRMED, 1);
    CHECK(memory.tasks().resolved_conditions()[0].resolved_to()->id() == docs);
    CHECK(memory.tasks().get(move).effective_blockers()[0].resolved());
    const auto moved = memory.tasks().change_status(login, RECALLITE_TASK_STATUS_IN_PROGRESS);
    CHECK(moved.status() == RECALLITE_TASK_STATUS_IN_PROGRESS && moved.blockers().empty());
    CHECK(memory.tasks().get_as_of(login, detail.task().updated_ms()).status() ==
          RECALLITE_TASK_STATUS_BLOCKED);
    memory.tasks().change_status(login, RECALLITE_TASK_STATUS_BLOCKED);
    CHECK(memory.tasks().with_placeholder_blockers().size() == 1);
    CHECK(memory.tasks().with_only_suggested_blockers().empty());
    memory.tasks().change_status(docs, RECALLITE_TASK_STATUS_BLOCKED, {"디자인 확정"});
    CHECK(memory.tasks().rename(docs, "배포 규칙 쓰기").title() == "배포 규칙 쓰기");
    recallite::NewTask task;
    task.title = "Renew the certificate";
    task.blocked_by = {"OPS-77"};
    const auto made = memory.tasks().create(task);
    CHECK(made.status() == RECALLITE_TASK_STATUS_BLOCKED && made.blockers().size() == 1);
    CHECK(memory.tasks().set_priority(made.id(), RECALLITE_PRIORITY_LOW).priority() ==
          RECALLITE_PRIORITY_LOW);
    recallite::TaskFilter with;
    with.text = "CERTIFICATE";
    CHECK(memory.tasks().list(with).size() == 1);
    CHECK(!memory.tasks().conditions().empty() && !memory.tasks().artifacts(5).empty());
    recallite::NewEntry fact{};
    fact.entry_type = RECALLITE_ENTRY_TYPE_FACT;
    fact.session = "notes";
    fact.title = "The office is in Lisbon";
    fact.content = "Our office is in Lisbon.";
    CHECK(memory.knowledge().add_entry(fact).stage() == RECALLITE_STAGE_VERIFIED);
    memory.append(said("new", "Let us keep the sessions in Redis."));
    const auto request = memory.knowledge().extraction_request("new");
    recallite::IngestOptions given;
    given.messages = request.messages();
    CHECK(given.messages.size() == 1 && !request.has_more());
    memory.ingest("new", R"({"schema_version": 1, "entries": []})", given);
    CHECK(memory.knowledge().extraction_request("new").messages().empty());
    throws(RECALLITE_NOT_FOUND, "id", [&] { memory.tasks().get("nobody"); });
    throws(RECALLITE_INVALID_ARGUMENT, "title", [&] { memory.tasks().rename(docs, " "); });
}

void entries_and_edges_are_changed() {
    Memory memory(path_of("entries"));
    const auto report = taught(memory);
    const auto redis = report.entries()[0].entry_id();
    const auto made_up = report.entries()[1].entry_id();
    const auto drawn = report.entries()[2].entry_id();
    const auto postgres = report.entries()[3].entry_id();
    const auto task = report.tasks()[1].task_id();
    recallite::EntryFilter filter;
    filter.entry_type = RECALLITE_ENTRY_TYPE_DECISION;
    filter.text = "postgres";
    CHECK(memory.knowledge().entries().size() == 4 && memory.knowledge().entries(filter)[0].id() == postgres);
    recallite::EntryFilter few;
    few.limit = 1;
    const auto hits = memory.knowledge().search("세션은 어디에 두나: sessions in Redis?", few);
    CHECK(hits.size() == 1 && hits[0].entry().id() == redis && hits[0].score() > 0);
    CHECK(!hits[0].resolved_from().has_value());
    throws(RECALLITE_INVALID_ARGUMENT, "query", [&] { memory.knowledge().search(" "); });
    recallite::Query query;
    query.text = "which sessions live in postgres?";
    query.learned_kinds = {RECALLITE_LEARNED_KIND_ENTRY};
    query.entry_types = {RECALLITE_ENTRY_TYPE_DECISION};
    CHECK(memory.search(query).learned().size() > 0);
    query.as_of_ms = 1;
    CHECK(memory.search(query).learned().size() == 0);
    const auto entry = memory.knowledge().entry(redis);
    CHECK(entry.title() == "Sessions live in Redis" && entry.confidence() == 0.75);
    CHECK(entry.evidence()->aligned().size() == 1 && !entry.superseded_by().has_value());
    CHECK(!entry.valid_to_ms().has_value() && entry.status() == RECALLITE_ENTRY_STATUS_ACTIVE);
    memory.knowledge().certify(postgres, "Ada");
    CHECK(memory.knowledge().entry(postgres).certified_by() == "Ada");
    const auto conflict = memory.knowledge().contradict(redis, postgres, "두 곳에 둘 수 없다");
    CHECK(conflict.reason() == "두 곳에 둘 수 없다" && !conflict.resolved().has_value());
    CHECK(memory.knowledge().entry(redis).contested_with().size() == 1);
    const auto ended = memory.knowledge().resolve_conflict(conflict.conflict_id(), {postgres, "measured", "Ada"});
    CHECK(ended.resolved().has_value() && ended.resolved()->resolved_by() == "Ada");
    CHECK(memory.knowledge().conflicts().size() == 1);
    memory.knowledge().supersede(made_up, drawn);
    CHECK(memory.knowledge().entry(made_up).superseded_by() == drawn);
    memory.knowledge().deprecate(drawn);

    const auto lineage = memory.knowledge().lineage(redis);
    CHECK(lineage.size() == 2 && lineage[1].derived_from() == redis && lineage[1].depth() == 1);
    CHECK(memory.knowledge().related_entries(redis)[0].entities()[0] == task);
    recallite::EdgeFilter from;
    from.from = redis;
    from.relation = RECALLITE_RELATION_EVIDENCE_OF;
    CHECK(memory.knowledge().edges(from).size() == 1 && memory.knowledge().edges(from)[0].destination_id() == task);
    const recallite::EdgeEnds ends{RECALLITE_NODE_TYPE_ENTRY, drawn, RECALLITE_RELATION_MENTIONS,
                                   RECALLITE_NODE_TYPE_ENTITY, task};
    const auto edge = memory.knowledge().add_edge(ends, "{\"a\":1}");
    CHECK(edge.meta_json() == "{\"a\":1}" && !edge.ended_ms().has_value());
    CHECK(memory.knowledge().remove_edge(ends) && !memory.knowledge().remove_edge(ends));
    const auto done = memory.knowledge().replace_edges({RECALLITE_NODE_TYPE_ENTRY, drawn}, RECALLITE_RELATION_MENTIONS,
                                                       {{RECALLITE_NODE_TYPE_ENTITY, task}});
    CHECK(done.added() == 1 && done.removed() == 0);
    throws(RECALLITE_INVALID_ARGUMENT, "from", [&] { memory.knowledge().edges({}); });
    throws(RECALLITE_NOT_FOUND, "id", [&] { memory.knowledge().entry("e9"); });
}

void memories_rise_and_are_decided_upon() {
    Memory memory(path_of("levels"));
    const auto report = taught(memory);
    const auto event = memory.append(said("s1", "I prefer tabs"));
    memory.levels().record_access({event.citation()}, "s2", 0.9);
    const auto graduated = memory.levels().graduate(100);
    CHECK(graduated.promoted().size() == 1 && graduated.promoted()[0].event_id() == event.id());
    CHECK(memory.levels().get(event.id()).level() == RECALLITE_LEVEL_L1);
    CHECK(memory.levels().get(event.id()).usage()->access_count() == 1);
    CHECK(memory.levels().counts().l1() == 1);
    CHECK(memory.levels().pin(event.citation()) && memory.levels().get(event.id()).is_pinned());
    CHECK(memory.levels().pinned()[0].id() == event.id());
    CHECK(memory.levels().unpin(event.citation()) && memory.levels().pinned().size() == 0);
    CHECK(memory.levels().insights()[0].kind() == RECALLITE_INSIGHT_KIND_PREFERENCE);
    memory.levels().set_half_life_days(30);
    memory.levels().set_half_life_days({});
    throws(RECALLITE_INVALID_ARGUMENT, "half_life_days", [&] { memory.levels().set_half_life_days(-1); });

    const auto entry = memory.knowledge().entry(report.entries()[0].entry_id());
    recallite::NewDecision decision{};
    decision.decision_id = "d1";
    decision.actor = "Ada";
    decision.action = "배포를 미룬다";
    decision.decided_ms = entry.created_ms() + SECOND;
    decision.evidence = {{RECALLITE_EVIDENCE_KIND_ENTRY, entry.id(), RECALLITE_PROVEN_STAGE_VERIFIED,
                          entry.created_ms(), "supports"}};
    memory.history().record_decision(decision);
    const auto decisions = memory.history().decisions();
    CHECK(decisions.size() == 1 && decisions[0].evidence()[0].role() == "supports");
    CHECK(!decisions[0].confidence().has_value() && !decisions[0].outcome_json().has_value());
    throws(RECALLITE_ALREADY_EXISTS, "decision_id", [&] { memory.history().record_decision(decision); });

    memory.knowledge().mark_unknown_context(event.id());
    CHECK(memory.knowledge().placeholders()[0].event_id() == event.id());
    memory.knowledge().resolve_memory(event.id(), {RECALLITE_RESOLUTION_KIND_CONFIRMED, 1, entry.id()});
    CHECK(memory.knowledge().effective_memory(event.id()).effective_id() == entry.id());
    CHECK(memory.knowledge().memory_resolutions()[0].resolved_to() == entry.id());
}

void the_endless_mode_is_one_conversation() {
    Memory memory(path_of("endless"));
    CHECK(memory.endless().mode() == RECALLITE_MEMORY_MODE_SESSION && memory.endless().session_now("s1") == "s1");
    memory.endless().set_mode(RECALLITE_MEMORY_MODE_ENDLESS);
    CHECK(memory.endless().session_now("s1").find("endless_") == 0);
    auto config = memory.endless().config();
    CHECK(config.working_set.max_events == recallite::EndlessConfig().working_set.max_events);
    CHECK(config.consolidation.min_events == 10);
    config.consolidation.min_events = 2;
    memory.endless().set_config(config);
    CHECK(memory.endless().config().consolidation.min_events == 2);
    const auto put = [&](std::string_view what) {
        for (const char *number : {"one", "two", "three", "four"}) {
            memory.append(said("s1", std::string(what) + " number " + number));
        }
    };
    put("The database index");
    CHECK(memory.endless().working_set().size() == 4 && !memory.endless().working_set()[0].topics().empty());
    const auto report = memory.endless().consolidate(
        [](const std::vector<std::string_view> &topics,
           const std::vector<std::string_view> &texts) -> std::optional<std::string> {
            return std::string(topics.at(0)) + " 이야기: " + std::to_string(texts.size());
        });
    CHECK(report.ran() && !report.memories().empty());
    const auto memories = memory.endless().memories("이야기");
    CHECK(memories.size() == report.memories().size() && !memories[0].accessed_ms().has_value());

    put("Another kitchen recipe");
    try {
        memory.endless().consolidate([](const auto &, const auto &) -> std::optional<std::string> {
            throw std::runtime_error("from the callback");
        });
        CHECK(!"an exception");
    } catch (const std::runtime_error &error) {
        CHECK(std::string_view(error.what()) == "from the callback");
    }
    CHECK(memory.endless().memories().size() == memories.size() && memory.is_open());
    // The events have waited, and without an answer the rules write the summary.
    const auto by_rules = memory.endless().consolidate(
        [](const auto &, const auto &) -> std::optional<std::string> { return std::nullopt; });
    CHECK(by_rules.ran() && !by_rules.memories().empty());
    CHECK(memory.endless().memories().size() > memories.size());

    CHECK(!memory.endless().score_continuity("c1", "The database index").is_logged());
    CHECK(memory.endless().score_continuity("c2", "the database index").is_logged());
    CHECK(memory.endless().continuity_log()[0].to_context_id() == "c2");
    const auto status = memory.endless().status();
    CHECK(status.mode() == RECALLITE_MEMORY_MODE_ENDLESS && status.config().consolidation->min_events == 2);
    CHECK(status.consolidated() > 0 && status.last_consolidation_ms().has_value());
    CHECK(!memory.endless().context().consolidated().empty());
    CHECK(memory.endless().context("이야기").consolidated().size() >= memories.size());
    config.working_set.max_events = 20000;
    throws(RECALLITE_INVALID_ARGUMENT, "working_set.max_events", [&] { memory.endless().set_config(config); });
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    check_folder = argv[1];
    CASE(texts_have_keys_and_short_forms);
    CASE(quotes_are_a_range);
    CASE(an_extraction_is_taken_in);
    CASE(tasks_are_listed_and_moved);
    CASE(entries_and_edges_are_changed);
    CASE(memories_rise_and_are_decided_upon);
    CASE(the_endless_mode_is_one_conversation);
    return check_end();
}
