/* One handle serves many threads, and does not survive a fork. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <signal.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8
#define EVENTS_PER_THREAD 10
#define FORKS 40

struct worker {
    recallite_memory *memory;
    int number;
    int failures;
};

static void *work(void *argument) {
    struct worker *worker = (struct worker *)argument;
    int index;
    for (index = 0; index < EVENTS_PER_THREAD; index++) {
        char content[64];
        recallite_new_event event;
        recallite_query query = RECALLITE_INIT(recallite_query);
        recallite_search_result *result = NULL;
        snprintf(content, sizeof(content), "thread %d says %d", worker->number, index);
        event = prompt("threads", content);
        worker->failures += recallite_append(worker->memory, &event, NULL, NULL) != RECALLITE_OK;
        query.text = text("thread says");
        query.limit = 3;
        worker->failures += recallite_search(worker->memory, &query, &result, NULL) != RECALLITE_OK;
        worker->failures += result == NULL || result->len == 0;
        recallite_search_result_free(result);
    }
    return NULL;
}

static void eight_threads_share_a_handle(void) {
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_memory *memory = NULL;
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    recallite_stats *stats = NULL;
    int index;

    /* Under Valgrind on a busy machine a turn can take seconds. */
    options.busy_timeout_ms = 60000;
    CHECK_OK(recallite_open_with(text(path_of("threads")), &options, &memory, &error));
    for (index = 0; index < THREADS; index++) {
        workers[index].memory = memory;
        workers[index].number = index;
        workers[index].failures = 0;
        CHECK(pthread_create(&threads[index], NULL, work, &workers[index]) == 0);
    }
    for (index = 0; index < THREADS; index++) {
        CHECK(pthread_join(threads[index], NULL) == 0);
        CHECK(workers[index].failures == 0);
    }
    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    CHECK(stats->events == THREADS * EVENTS_PER_THREAD);
    CHECK(stats->last_seq == THREADS * EVENTS_PER_THREAD);
    recallite_stats_free(stats);
    recallite_free(memory);
}

static void *append_until_refused(void *argument) {
    struct worker *worker = (struct worker *)argument;
    int index = 0;
    for (;;) {
        char content[64];
        recallite_new_event event;
        recallite_status status;
        snprintf(content, sizeof(content), "before the end %d", index++);
        event = prompt("race", content);
        status = recallite_append(worker->memory, &event, NULL, NULL);
        if (status == RECALLITE_CLOSED || status == RECALLITE_INVALID_ARGUMENT) {
            return NULL;
        }
        if (status != RECALLITE_OK) {
            worker->failures++;
            return NULL;
        }
    }
}

static void a_handle_may_be_freed_while_others_use_it(void) {
    struct worker worker;
    pthread_t thread;
    recallite_stats *stats = NULL;
    uint64_t seen = 0;
    worker.memory = open_memory("race");
    worker.number = 0;
    worker.failures = 0;
    CHECK(pthread_create(&thread, NULL, append_until_refused, &worker) == 0);
    while (seen < 3) {
        CHECK_OK(recallite_stats_get(worker.memory, &stats, &error));
        seen = stats->events;
        recallite_stats_free(stats);
    }
    recallite_free(worker.memory);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(worker.failures == 0);
}

static void a_forked_child_must_open_for_itself(void) {
    recallite_memory *memory = open_memory("fork");
    recallite_new_event event = prompt("s1", "from the parent");
    int status = -1;
    pid_t child;

    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        _exit(recallite_append(memory, &event, NULL, NULL) == RECALLITE_NEEDS_REOPEN ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    event = prompt("s1", "the parent goes on");
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    recallite_free(memory);
}

/* A daemon may have closed them; what is printed must not end up in the store. */
static void a_closed_standard_stream_becomes_no_file_of_the_store(void) {
    int status = 1;
    const pid_t child = fork();

    if (child == 0) {
        recallite_memory *own = NULL;
        struct stat found;
        int stream;
        int failures = 0;
        for (stream = 0; stream <= 2; stream++) {
            close(stream);
        }
        failures += recallite_open(text(path_of("streams")), &own, NULL) != RECALLITE_OK;
        for (stream = 0; stream <= 2; stream++) {
            failures += fstat(stream, &found) != 0 || !S_ISCHR(found.st_mode);
        }
        recallite_free(own);
        _exit(failures);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* The sanitizers' own locks do not survive a fork in every compiler. */
#if defined(__SANITIZE_ADDRESS__)
#define CAN_FORK_BESIDE_THREADS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CAN_FORK_BESIDE_THREADS 0
#endif
#endif
#ifndef CAN_FORK_BESIDE_THREADS
#define CAN_FORK_BESIDE_THREADS 1
#endif

/* Opens a store again and again, so that forks fall into it. */
struct opener {
    char folder[4096];
    atomic_bool is_done;
    int failures;
};

static void *open_again_and_again(void *argument) {
    struct opener *opener = (struct opener *)argument;
    while (!atomic_load(&opener->is_done)) {
        recallite_memory *memory = NULL;
        opener->failures += recallite_open(text(opener->folder), &memory, NULL) != RECALLITE_OK;
        recallite_free(memory);
    }
    return NULL;
}

static void a_fork_while_a_thread_opens_does_not_stop_the_child(void) {
    struct opener opener;
    const int forks = CAN_FORK_BESIDE_THREADS ? FORKS : 0;
    pthread_t thread;
    recallite_new_event event = prompt("s1", "from a child");
    char folder[4096];
    int number;

    memset(&opener, 0, sizeof(opener));
    atomic_init(&opener.is_done, false);
    strcpy(opener.folder, path_of("opened by a thread"));
    strcpy(folder, path_of("opened by children"));
    CHECK(pthread_create(&thread, NULL, open_again_and_again, &opener) == 0);
    for (number = 0; number < forks; number++) {
        int status = -1;
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            recallite_memory *memory = NULL;
            int failures = 0;
            /* A child that waits for a lock that nobody holds would wait for ever. */
            alarm(120);
            failures += recallite_open(text(folder), &memory, NULL) != RECALLITE_OK;
            failures += recallite_append(memory, &event, NULL, NULL) != RECALLITE_OK;
            if (failures == 0) {
                /* Not by exit: a leak checker would count what the thread, which is
                 * not in this process, was about to free. */
                kill(getpid(), SIGKILL);
            }
            _exit(failures);
        }
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    atomic_store(&opener.is_done, true);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(opener.failures == 0);
}

/* Uses a handle and a cursor again and again, so that forks fall into it. */
struct user {
    recallite_memory *memory;
    recallite_event_cursor *cursor;
    atomic_bool is_done;
};

static void *use_again_and_again(void *argument) {
    struct user *user = (struct user *)argument;
    while (!atomic_load(&user->is_done)) {
        int times;
        for (times = 0; times < 100; times++) {
            recallite_is_open(user->memory);
        }
        recallite_event *event = NULL;
        recallite_event_cursor_next(user->cursor, &event, NULL);
        recallite_event_free(event);
    }
    return NULL;
}

static void a_fork_while_threads_use_a_handle_does_not_stop_the_child(void) {
    struct user user;
    const int forks = CAN_FORK_BESIDE_THREADS ? FORKS : 0;
    pthread_t threads[THREADS];
    recallite_new_event event = prompt("s1", "from a child");
    char folder[4096];
    int number;

    memset(&user, 0, sizeof(user));
    atomic_init(&user.is_done, false);
    user.memory = open_memory("used by threads");
    CHECK_OK(recallite_append(user.memory, &event, NULL, &error));
    CHECK_OK(recallite_events(user.memory, NULL, &user.cursor, &error));
    strcpy(folder, path_of("opened beside users"));
    for (number = 0; number < THREADS; number++) {
        CHECK(pthread_create(&threads[number], NULL, use_again_and_again, &user) == 0);
    }
    for (number = 0; number < forks; number++) {
        int status = -1;
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            recallite_memory *memory = NULL;
            recallite_event *next = NULL;
            int failures = 0;
            alarm(120);
            failures += recallite_is_open(user.memory);
            failures += recallite_event_cursor_next(user.cursor, &next, NULL) != RECALLITE_NEEDS_REOPEN;
            failures += recallite_append(user.memory, &event, NULL, NULL) != RECALLITE_NEEDS_REOPEN;
            recallite_event_cursor_free(user.cursor);
            recallite_free(user.memory);
            failures += recallite_open(text(folder), &memory, NULL) != RECALLITE_OK;
            failures += recallite_append(memory, &event, NULL, NULL) != RECALLITE_OK;
            if (failures == 0) {
                kill(getpid(), SIGKILL);
            }
            _exit(failures);
        }
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    atomic_store(&user.is_done, true);
    for (number = 0; number < THREADS; number++) {
        CHECK(pthread_join(threads[number], NULL) == 0);
    }
    recallite_event_cursor_free(user.cursor);
    recallite_free(user.memory);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    check_folder = argv[1];
    CASE(eight_threads_share_a_handle);
    CASE(a_handle_may_be_freed_while_others_use_it);
    CASE(a_forked_child_must_open_for_itself);
    CASE(a_closed_standard_stream_becomes_no_file_of_the_store);
    CASE(a_fork_while_a_thread_opens_does_not_stop_the_child);
    CASE(a_fork_while_threads_use_a_handle_does_not_stop_the_child);
    return check_end();
}
