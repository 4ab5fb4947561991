/* The few lines that the C tests need: cases, checks and a closing line. */
#ifndef CHECK_H
#define CHECK_H

#include <recallite.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures = 0;
static int check_cases = 0;
static const char *check_folder = NULL;

#define CHECK(condition)                                                                      \
    do {                                                                                      \
        if (!(condition)) {                                                                   \
            check_failures++;                                                                 \
            printf("    %s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
        }                                                                                     \
    } while (0)

/* Runs a case. */
#define CASE(name)                                                                            \
    do {                                                                                      \
        const int before = check_failures;                                                    \
        check_cases++;                                                                        \
        name();                                                                               \
        printf("%s %s\n", check_failures == before ? "ok" : "FAILED", #name);                 \
        fflush(stdout);                                                                       \
    } while (0)

/* Prints the closing line; the value of main. */
static inline int check_end(void) {
    printf("%d cases, %d failed checks\n", check_cases, check_failures);
    return check_failures == 0 ? 0 : 1;
}

static inline recallite_str text(const char *zero_terminated) {
    return recallite_str_from(zero_terminated);
}

static inline bool is(recallite_str view, const char *wanted) {
    return view.ptr != NULL && view.len == strlen(wanted) && memcmp(view.ptr, wanted, view.len) == 0
           && view.ptr[view.len] == '\0';
}

/* Checks a status, and that the error object says the same; frees it. */
#define CHECK_FAILS(wanted, wanted_argument, call)                                            \
    do {                                                                                      \
        recallite_error *error = NULL;                                                        \
        const recallite_status status = (call);                                               \
        CHECK(status == (wanted));                                                            \
        CHECK(error != NULL);                                                                 \
        if (error != NULL) {                                                                  \
            const char *argument = (wanted_argument);                                         \
            CHECK(error->code == (int32_t)(wanted));                                          \
            CHECK(error->message.len > 0);                                                    \
            if (argument != NULL && !(error->argument.ptr != NULL && is(error->argument, argument))) { \
                check_failures++;                                                             \
                printf("    %s:%d: the error names %s, not %s: %s\n", __FILE__, __LINE__,     \
                       error->argument.ptr ? error->argument.ptr : "nothing", argument,       \
                       error->message.ptr);                                                   \
            }                                                                                 \
            recallite_error_free(error);                                                      \
        }                                                                                     \
    } while (0)

/* A call that must work; what follows needs its outputs, so the program ends
 * when it does not. */
#define CHECK_OK(call)                                                                        \
    do {                                                                                      \
        recallite_error *error = NULL;                                                        \
        if ((call) != RECALLITE_OK) {                                                         \
            printf("    %s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                   error != NULL ? error->message.ptr : "no error object");                   \
            exit(1);                                                                          \
        }                                                                                     \
        CHECK(error == NULL);                                                                 \
        recallite_error_free(error);                                                          \
    } while (0)

/* A path below the folder that the program was given. */
static inline const char *path_of(const char *name) {
    static char path[4096];
    snprintf(path, sizeof(path), "%s/%s", check_folder, name);
    return path;
}

static inline recallite_memory *open_memory(const char *name) {
    recallite_memory *memory = NULL;
    CHECK_OK(recallite_open(text(path_of(name)), &memory, &error));
    if (memory == NULL) {
        exit(1);
    }
    return memory;
}

static inline recallite_new_event prompt(const char *session, const char *content) {
    recallite_new_event event = RECALLITE_INIT(recallite_new_event);
    event.kind = RECALLITE_EVENT_KIND_USER_PROMPT;
    event.session = text(session);
    event.content = text(content);
    return event;
}

#endif
