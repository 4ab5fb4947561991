/* A conversation and what was extracted from it, for the tests of learning. */
#ifndef LEARN_H
#define LEARN_H

#include "check.h"

static const recallite_str NONE = {NULL, 0};

static const char *const EXTRACTION =
    "{\"schema_version\": 1, \"entries\": ["
    "{\"id\": \"e1\", \"type\": \"decision\", \"title\": \"Sessions live in Redis\","
    " \"content\": \"Sessions live in Redis.\", \"confidence\": 0.75,"
    " \"quotes\": [{\"message_index\": 0, \"quote\": \"세션은 Redis에 두자\"}]},"
    "{\"id\": \"e2\", \"type\": \"fact\", \"title\": \"Made up\", \"content\": \"Made up.\","
    " \"quotes\": [{\"message_index\": 1, \"quote\": \"nothing of the kind was ever said here\"}]},"
    "{\"id\": \"e3\", \"type\": \"insight\", \"title\": \"From e1\","
    " \"content\": \"Drawn from the decision.\", \"quotes\": []},"
    "{\"id\": \"e4\", \"type\": \"decision\", \"title\": \"Sessions live in Postgres\","
    " \"content\": \"Sessions live in Postgres.\","
    " \"quotes\": [{\"message_index\": 2, \"quote\": \"아니, 세션은 Postgres에 두자\"}]}],"
    "\"tasks\": ["
    "{\"id\": \"t1\", \"title\": \"Fix login bug\", \"status\": \"blocked\","
    " \"blocked_by\": [\"OPS-12\"], \"priority\": \"high\","
    " \"quotes\": [{\"message_index\": 1, \"quote\": \"the login bug waits for OPS-12\"}]},"
    "{\"id\": \"t2\", \"title\": \"Move sessions\", \"status\": \"blocked\","
    " \"blocked_by\": [\"the new cluster is up\"],"
    " \"quotes\": [{\"message_index\": 2, \"quote\": \"the move waits until the new cluster is up\"}]},"
    "{\"id\": \"t3\", \"title\": \"배포 문서 쓰기\", \"description\": \"두 가지 규칙을 적는다\"}],"
    "\"relations\": ["
    "{\"from\": \"e3\", \"relation\": \"derived_from\", \"to\": \"e1\"},"
    "{\"from\": \"e1\", \"relation\": \"evidence_of\", \"to\": \"t2\"},"
    "{\"from\": \"e4\", \"relation\": \"evidence_of\", \"to\": \"t2\"}]}";

/* The session "monday": three messages. */
static inline void talk(recallite_memory *memory) {
    recallite_new_event event = prompt("monday", "세션은 Redis에 두자. 🎉");
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    event.kind = RECALLITE_EVENT_KIND_AGENT_RESPONSE;
    event.content = text("Done; the login bug waits for OPS-12.");
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    event = prompt("monday",
                   "아니, 세션은 Postgres에 두자; the move waits until the new cluster is up.");
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
}

/* A memory that learned from the session "monday". */
static inline recallite_memory *learned(const char *name, recallite_ingest_report **report) {
    recallite_memory *memory = open_memory(name);
    talk(memory);
    CHECK_OK(recallite_ingest(memory, text("monday"), text(EXTRACTION), NULL, report, &error));
    return memory;
}

#endif
