// Context for an agent's prompt, with an embedder of the program's own; then what
// was given, a forgotten event and a backup. The same as examples/c/context.c.
//
//     c++ -std=c++17 context.cpp $(pkg-config --cflags --libs recallite) -o context
//     ./context FOLDER
//
// FOLDER is where the memory is made; it should not exist yet.
#include <recallite.hpp>

#include <iostream>
#include <string>

namespace {

// A model of the program's own. This one knows one thing: what is about money. A
// real one would ask a service; it may be called from several threads.
std::vector<std::vector<float>> embed(const std::vector<std::string_view> &texts) {
    std::vector<std::vector<float>> vectors;
    for (const auto text : texts) {
        bool is_money = false;
        for (const auto word : {"invoice", "payment", "결제", "돈"}) {
            is_money = is_money || text.find(word) != std::string_view::npos;
        }
        if (is_money) {
            vectors.push_back({1.0f, 0.1f});
        } else {
            vectors.push_back({0.1f, 1.0f});
        }
    }
    return vectors;
}

recallite::OpenOptions with_model() {
    recallite::OpenOptions options;
    options.embedder = recallite::Embedder{"money-1", 2, embed};
    return options;
}

void tell(const std::string &folder) {
    recallite::Memory memory(folder, with_model());
    for (const auto content :
         {"The payment gateway has a timeout of 15 seconds.", "We never deploy on Friday.",
          "결제 재시도는 한 번만 합니다."}) {
        memory.append({RECALLITE_EVENT_KIND_USER_PROMPT, "monday", content});
    }
    // Vectors are made when there is time, not while somebody waits.
    std::cout << "embedded " << memory.process_outbox(100).succeeded() << " events\n";

    recallite::ContextOptions options;
    options.session = "tuesday";
    options.budget_tokens = 300;
    options.recording = RECALLITE_RECORDING_NOW;
    const auto context = memory.context("payment timeout", options);
    std::cout << context.tokens() << " tokens for the prompt:\n" << context.text() << "\n";

    if (!context.empty()) {
        const auto first = context[0].citation();
        std::cout << "[mem:" << first << "] was given "
                  << memory.citations().detail(first).usage_count() << " time(s)\n";
        recallite::Selector selector;
        selector.ids = {first};
        std::cout << "forgot " << memory.forget(selector).count() << " event(s)\n";
    }
    std::cout << "backed up " << memory.backup(folder + "-backup") << " records\n";
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
