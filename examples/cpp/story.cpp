// The small story of examples/story in C++17: remember six sentences, ask
// twice, show the source.
//
//     c++ -std=c++17 story.cpp $(pkg-config --cflags --libs recallite) -o story
//     ./story FOLDER
//
// FOLDER is where the memory is made; it should not exist yet.
#include <recallite.hpp>

#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>

namespace {

const recallite::NewEvent SENTENCES[] = {
    {RECALLITE_EVENT_KIND_USER_PROMPT, "monday",
     "We never deploy on Friday, because nobody is on call at the weekend.", 1773046800000},
    {RECALLITE_EVENT_KIND_AGENT_RESPONSE, "monday",
     "Noted. The deploy script now refuses to run on Friday.", 1773046820000},
    {RECALLITE_EVENT_KIND_USER_PROMPT, "tuesday",
     "결제 게이트웨이 타임아웃은 15초로 하고 재시도는 한 번만 해 주세요.", 1773120600000},
    {RECALLITE_EVENT_KIND_AGENT_RESPONSE, "tuesday",
     "결제 설정을 바꿨습니다. 멱등 키는 이제 주문 번호입니다.", 1773120620000},
    {RECALLITE_EVENT_KIND_USER_PROMPT, "wednesday",
     "Please print the invoice in the font Inter at 11 points.", 1773191700000},
    {RECALLITE_EVENT_KIND_AGENT_RESPONSE, "wednesday",
     "송장 글꼴을 인터 11포인트로 맞췄습니다.", 1773191720000},
};

// A citation as people read it. Ids are random, so that the story shows a dot
// for each of their characters.
std::string masked(std::string_view citation) {
    return "[mem:" + std::string(citation.size(), '.') + "]";
}

std::string time_utc(std::int64_t timestamp_ms) {
    const std::time_t seconds = static_cast<std::time_t>(timestamp_ms / 1000);
    char text[sizeof("2026-03-09T09:00:00Z")];
    std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&seconds));
    return text;
}

recallite::SearchResult ask(const recallite::Memory &memory, std::string_view question) {
    auto result = memory.search(question, 2);
    std::cout << "\n? " << question << "\n";
    int rank = 0;
    for (const auto hit : result) {
        std::cout << ++rank << ". " << masked(hit.citation()) << " " << recallite::name(hit.kind())
                  << " " << hit.session() << " " << time_utc(hit.timestamp_ms()) << "\n   "
                  << recallite::harmless_line(hit.passage().text()) << "\n";
    }
    return result;
}

void tell(std::string_view folder) {
    recallite::Memory memory(folder);

    int remembered = 0;
    for (const auto &sentence : SENTENCES) {
        if (!memory.append(sentence).duplicate()) ++remembered;
    }
    std::cout << "remembered " << remembered << " events\n";

    ask(memory, "Who is on call when we deploy on Friday?");
    const auto answer = ask(memory, "결제 타임아웃을 몇 초로 정했지?");

    const auto source = memory.citation(answer.at(0).citation());
    std::cout << "\nsource of " << masked(source.citation()) << "\n   "
              << recallite::name(source.kind()) << " " << source.session() << " "
              << time_utc(source.timestamp_ms()) << "\n   " << source.content() << "\n";

    memory.close();
    std::cout << "\nclosed\n";
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::cerr << "usage: " << argv[0] << " FOLDER\n";
        return 2;
    }
    try {
        tell(argv[1]);
    } catch (const recallite::Error &error) {
        std::cerr << error.code_name() << ": " << error.what() << "\n";
        return 1;
    }
    return 0;
}
