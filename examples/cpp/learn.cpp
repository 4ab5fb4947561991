// Learns from a session: imports a transcript, takes in what a language model
// extracted from it, and shows what proves each entry, what blocks each task,
// and what was derived from what.
//
//     c++ -std=c++17 learn.cpp $(pkg-config --cflags --libs recallite) -o learn
//     ./learn FOLDER ../data
//
// FOLDER is where the memory is made; it should not exist yet.
#include <recallite.hpp>

#include <fstream>
#include <iostream>
#include <iterator>

namespace {

std::string read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + " cannot be read");
    return std::string(std::istreambuf_iterator<char>(file), {});
}

// A text that somebody wrote, who may have meant it for the terminal.
std::string shown(std::string_view text) { return recallite::harmless_line(text); }

// The words that prove an entry, out of the messages that hold them.
void print_evidence(const recallite::Memory &memory, const recallite::EvidenceReport &evidence) {
    for (const auto span : evidence.aligned()) {
        const auto event = memory.event(span.event_id().value_or(""));
        std::cout << "    message " << span.message_index() << ", "
                  << recallite::name(span.method()) << ": "
                  << shown(event.content().substr(span.start(), span.end() - span.start()))
                  << "\n";
    }
    for (const auto quote : evidence.failed()) {
        std::cout << "    message " << quote.message_index() << ": " << shown(quote.reason()) << "\n";
    }
}

void learn(const std::string &folder, const std::string &data) {
    recallite::Memory memory(folder);
    memory.import_claude_code(data + "/sample_transcript.jsonl");
    const auto sessions = memory.sessions(recallite::Scope::all());

    // A language model would make this from recallite::extraction_prompt() and
    // the messages of the session; here it lies in a file.
    const std::string extraction = read_file(data + "/extraction.json");
    const auto report = memory.ingest(sessions.at(0).id(), extraction);

    std::cout << "Entries and the words that prove them\n";
    for (const auto ingested : report.entries()) {
        const auto entry = memory.knowledge().entry(ingested.entry_id());
        std::cout << recallite::name(entry.entry_type()) << ", " << recallite::name(entry.stage())
                  << ": " << shown(entry.title()) << "\n";
        print_evidence(memory, ingested.evidence());
    }

    std::cout << "\nTasks\n";
    for (const auto ingested : report.tasks()) {
        const auto detail = memory.tasks().get(ingested.task_id());
        const auto task = detail.task();
        std::cout << recallite::name(task.status()) << ", " << recallite::name(task.priority())
                  << ": " << shown(task.title()) << "\n";
        for (const auto blocker : task.blockers()) {
            std::cout << "    blocked by the " << recallite::name(blocker.kind()) << " "
                      << shown(blocker.raw_text()) << "\n";
        }
        std::cout << "    " << detail.history().size() << " acts\n";
    }

    // The pattern (the sixth entry) was drawn from the fact (the first).
    const auto fact = report.entries().at(0).entry_id();
    const auto pattern = report.entries().at(5).entry_id();
    memory.knowledge().add_edge({RECALLITE_NODE_TYPE_ENTRY, pattern, RECALLITE_RELATION_DERIVED_FROM,
                                 RECALLITE_NODE_TYPE_ENTRY, fact});
    std::cout << "\nLineage\n";
    const auto lineage = memory.knowledge().lineage(fact);
    for (const auto step : lineage) {
        const auto entry = memory.knowledge().entry(step.entry_id());
        std::cout << std::string(4 * step.depth(), ' ') << shown(entry.title()) << "\n";
    }
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) {
        std::cerr << "usage: learn FOLDER DATA\n";
        return 2;
    }
    try {
        learn(argv[1], argv[2]);
    } catch (const std::exception &error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
