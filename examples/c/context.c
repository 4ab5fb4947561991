/* Context for an agent's prompt, with an embedder of the program's own; then
 * what was given, a forgotten event and a backup.
 *
 *     cc -std=c99 context.c $(pkg-config --cflags --libs recallite) -o context
 *     ./context FOLDER
 *
 * FOLDER is where the memory is made; it should not exist yet.
 */
#include <recallite.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program when a call failed, saying why. It is given the address of the error: C does
 * not say whether an argument is read before or after the call beside it. */
static void check(recallite_status status, recallite_error **error) {
    if (status == RECALLITE_OK) {
        return;
    }
    fprintf(stderr, "%s: %s\n", recallite_status_name(status),
            *error != NULL ? (*error)->message.ptr : "no details");
    recallite_error_free(*error);
    exit(1);
}

/* A model of the program's own. This one knows one thing: what is about money.
 * A real one would ask a service; it may be called from several threads. */
struct model {
    const char *words[4];
};

static int32_t embed(const recallite_str *texts, size_t texts_len, float *vectors,
                     recallite_problem *problem, void *user_data) {
    const struct model *model = (const struct model *)user_data;
    size_t text;
    size_t word;
    (void)problem;
    for (text = 0; text < texts_len; text++) {
        vectors[text * 2] = 0.1f;
        vectors[text * 2 + 1] = 1.0f;
        for (word = 0; word < sizeof(model->words) / sizeof(model->words[0]); word++) {
            if (strstr(texts[text].ptr, model->words[word]) != NULL) {
                vectors[text * 2] = 1.0f;
                vectors[text * 2 + 1] = 0.1f;
            }
        }
    }
    return 0;
}

static recallite_memory *open_memory(const char *folder) {
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_embedder embedder = RECALLITE_INIT(recallite_embedder);
    struct model *model = (struct model *)malloc(sizeof(*model));
    recallite_memory *memory = NULL;
    recallite_error *error = NULL;
    recallite_status status;

    if (model == NULL) {
        exit(1);
    }
    model->words[0] = "invoice";
    model->words[1] = "payment";
    model->words[2] = "결제";
    model->words[3] = "돈";
    embedder.id = recallite_str_from("money-1");
    embedder.dimensions = 2;
    embedder.embed = embed;
    /* Once the memory is open, the library frees the model after its last use. */
    embedder.user_data = model;
    embedder.destroy = free;
    options.embedder = &embedder;
    status = recallite_open_with(recallite_str_from(folder), &options, &memory, &error);
    if (status != RECALLITE_OK) {
        free(model);
    }
    check(status, &error);
    return memory;
}

static void say(recallite_memory *memory, const char *content) {
    recallite_new_event event = RECALLITE_INIT(recallite_new_event);
    recallite_error *error = NULL;
    event.kind = RECALLITE_EVENT_KIND_USER_PROMPT;
    event.session = recallite_str_from("monday");
    event.content = recallite_str_from(content);
    check(recallite_append(memory, &event, NULL, &error), &error);
}

int main(int argc, char **argv) {
    recallite_memory *memory;
    recallite_error *error = NULL;
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_context_options options = RECALLITE_INIT(recallite_context_options);
    recallite_selector selector = RECALLITE_INIT(recallite_selector);
    recallite_processed *processed = NULL;
    recallite_context *context = NULL;
    recallite_citation_detail *detail = NULL;
    recallite_forgotten *forgotten = NULL;
    char backup[4096];
    uint64_t events = 0;

    if (argc != 2 || strlen(argv[1]) > sizeof(backup) - sizeof("-backup")) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    memory = open_memory(argv[1]);
    say(memory, "The payment gateway has a timeout of 15 seconds.");
    say(memory, "We never deploy on Friday.");
    say(memory, "결제 재시도는 한 번만 합니다.");

    /* Vectors are made when there is time, not while somebody waits. */
    check(recallite_process_outbox(memory, 100, &processed, &error), &error);
    printf("embedded %d events\n", (int)processed->succeeded);
    recallite_processed_free(processed);

    query.text = recallite_str_from("payment timeout");
    options.session = recallite_str_from("tuesday");
    options.budget_tokens = 300;
    options.recording = RECALLITE_RECORDING_NOW;
    check(recallite_context_get(memory, &query, &options, &context, &error), &error);
    printf("%d tokens for the prompt:\n%s\n", (int)context->tokens, context->text.ptr);

    if (context->len > 0) {
        recallite_str first = context->items[0]->citation;
        check(recallite_citations_detail(memory, first, &detail, &error), &error);
        printf("[mem:%s] was given %d time(s)\n", first.ptr, (int)detail->usage_count);
        recallite_citation_detail_free(detail);

        selector.ids = &first;
        selector.ids_len = 1;
        check(recallite_forget(memory, &selector, &forgotten, &error), &error);
        printf("forgot %d event(s)\n", (int)forgotten->count);
        recallite_forgotten_free(forgotten);
    }
    recallite_context_free(context);

    sprintf(backup, "%s-backup", argv[1]);
    check(recallite_backup(memory, recallite_str_from(backup), &events, &error), &error);
    printf("backed up %d records\n", (int)events);
    recallite_free(memory);
    return 0;
}
