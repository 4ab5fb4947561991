/* A defect inside the library stays inside. Needs the feature test-hooks. */
#include "check.h"

recallite_status recallite_test_panic(recallite_memory *memory, recallite_error **error);

static void a_panic_poisons_its_handle_only(void) {
    recallite_memory *memory = open_memory("panic");
    recallite_memory *other = open_memory("panic");
    recallite_new_event event = prompt("s1", "hello");
    recallite_event_cursor *cursor = NULL;
    recallite_event *found = NULL;
    recallite_stats *stats = NULL;
    recallite_error *error = NULL;

    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    CHECK_OK(recallite_events(memory, NULL, &cursor, &error));

    CHECK(recallite_test_panic(memory, &error) == RECALLITE_INTERNAL);
    CHECK(error != NULL && error->code == RECALLITE_INTERNAL && error->needs_reopen);
    /* The message of a panic may quote stored text; it is not passed on. */
    CHECK(error != NULL && strstr(error->message.ptr, "a test asked for") == NULL);
    recallite_error_free(error);
    error = NULL;

    CHECK(!recallite_is_open(memory));
    CHECK(recallite_append(memory, &event, NULL, &error) == RECALLITE_POISONED);
    CHECK(error != NULL && error->needs_reopen && !error->retryable);
    recallite_error_free(error);
    CHECK_FAILS(RECALLITE_POISONED, NULL, recallite_event_cursor_next(cursor, &found, &error));
    CHECK_FAILS(RECALLITE_POISONED, NULL, recallite_test_panic(memory, &error));
    CHECK_FAILS(RECALLITE_POISONED, NULL, recallite_maintain(memory, NULL, NULL, &error));
    CHECK_FAILS(RECALLITE_POISONED, NULL, recallite_backup(memory, text("/nowhere"), NULL, &error));
    CHECK(recallite_test_panic(other, NULL) == RECALLITE_INTERNAL);
    recallite_event_cursor_free(cursor);
    recallite_free(memory);
    recallite_free(other);

    memory = open_memory("panic");
    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    CHECK(stats->events == 1);
    recallite_stats_free(stats);
    recallite_free(memory);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    check_folder = argv[1];
    CASE(a_panic_poisons_its_handle_only);
    return check_end();
}
