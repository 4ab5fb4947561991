/* Learns from a session: imports a transcript, takes in what a language model
 * extracted from it, and shows what proves each entry, what blocks each task,
 * and what was derived from what.
 *
 *     cc -std=c99 learn.c $(pkg-config --cflags --libs recallite) -o learn
 *     ./learn FOLDER ../data
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

/* Prints a text that somebody wrote, who may have meant it for the terminal. */
static void print(recallite_str text) {
    recallite_string *line = NULL;
    recallite_error *error = NULL;
    check(recallite_harmless_line(text, &line, &error), &error);
    printf("%s", line->text.ptr);
    recallite_string_free(line);
}

/* The whole file, zero-terminated; to be freed with free. */
static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text;
    long size;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    rewind(file);
    text = malloc((size_t)size + 1);
    if (text == NULL || fread(text, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    text[size] = '\0';
    fclose(file);
    return text;
}

/* The words that prove an entry, out of the messages that hold them. */
static void print_evidence(recallite_memory *memory, const recallite_evidence_report *evidence) {
    recallite_error *error = NULL;
    size_t index;
    for (index = 0; index < evidence->aligned_len; index++) {
        const recallite_evidence_span *span = evidence->aligned[index];
        recallite_event *event = NULL;
        recallite_str words;
        check(recallite_event_get(memory, span->event_id, &event, &error), &error);
        printf("    message %u, %s: ", (unsigned)span->message_index,
               recallite_match_method_name(span->method));
        words.ptr = event->content.ptr + span->start;
        words.len = (size_t)(span->end - span->start);
        print(words);
        printf("\n");
        recallite_event_free(event);
    }
    for (index = 0; index < evidence->failed_len; index++) {
        const recallite_missing_quote *quote = evidence->failed[index];
        printf("    message %u: ", (unsigned)quote->message_index);
        print(quote->reason);
        printf("\n");
    }
}

static void print_entries(recallite_memory *memory, const recallite_ingest_report *report) {
    recallite_error *error = NULL;
    size_t index;
    printf("Entries and the words that prove them\n");
    for (index = 0; index < report->entries_len; index++) {
        const recallite_ingested_entry *ingested = report->entries[index];
        recallite_learned_entry *entry = NULL;
        check(recallite_knowledge_entry(memory, ingested->entry_id, &entry, &error), &error);
        printf("%s, %s: ", recallite_entry_type_name(entry->entry_type),
               recallite_stage_name(entry->stage));
        print(entry->title);
        printf("\n");
        print_evidence(memory, ingested->evidence);
        recallite_learned_entry_free(entry);
    }
}

static void print_tasks(recallite_memory *memory, const recallite_ingest_report *report) {
    recallite_error *error = NULL;
    size_t index;
    size_t number;
    printf("\nTasks\n");
    for (index = 0; index < report->tasks_len; index++) {
        recallite_task_detail *detail = NULL;
        check(recallite_tasks_get(memory, report->tasks[index]->task_id, &detail, &error), &error);
        printf("%s, %s: ", recallite_task_status_name(detail->task->status),
               recallite_priority_name(detail->task->priority));
        print(detail->task->title);
        printf("\n");
        for (number = 0; number < detail->task->blockers_len; number++) {
            const recallite_blocker_ref *blocker = detail->task->blockers[number];
            printf("    blocked by the %s ", recallite_entity_kind_name(blocker->kind));
            print(blocker->raw_text);
            printf("\n");
        }
        printf("    %u acts\n", (unsigned)detail->history_len);
        recallite_task_detail_free(detail);
    }
}

static void print_lineage(recallite_memory *memory, const recallite_ingest_report *report) {
    recallite_edge_ends ends = RECALLITE_INIT(recallite_edge_ends);
    recallite_lineage_step_list *steps = NULL;
    recallite_error *error = NULL;
    size_t index;
    /* The pattern (the sixth entry) was drawn from the fact (the first). */
    ends.source_type = RECALLITE_NODE_TYPE_ENTRY;
    ends.source_id = report->entries[5]->entry_id;
    ends.relation = RECALLITE_RELATION_DERIVED_FROM;
    ends.destination_type = RECALLITE_NODE_TYPE_ENTRY;
    ends.destination_id = report->entries[0]->entry_id;
    check(recallite_knowledge_add_edge(memory, &ends, recallite_str_from(NULL), NULL, &error), &error);

    check(recallite_knowledge_lineage(memory, report->entries[0]->entry_id, 0, &steps, &error), &error);
    printf("\nLineage\n");
    for (index = 0; index < steps->len; index++) {
        recallite_learned_entry *entry = NULL;
        check(recallite_knowledge_entry(memory, steps->items[index]->entry_id, &entry, &error), &error);
        printf("%*s", (int)(4 * steps->items[index]->depth), "");
        print(entry->title);
        printf("\n");
        recallite_learned_entry_free(entry);
    }
    recallite_lineage_step_list_free(steps);
}

int main(int argc, char **argv) {
    recallite_memory *memory = NULL;
    recallite_session_list *sessions = NULL;
    recallite_ingest_report *report = NULL;
    recallite_error *error = NULL;
    char path[4096];
    char *extraction;

    if (argc != 3) {
        fprintf(stderr, "usage: learn FOLDER DATA\n");
        return 2;
    }
    check(recallite_open(recallite_str_from(argv[1]), &memory, &error), &error);
    snprintf(path, sizeof(path), "%s/sample_transcript.jsonl", argv[2]);
    check(recallite_import_claude_code(memory, recallite_str_from(path), NULL, NULL, NULL, NULL,
                                       &error),
          &error);
    check(recallite_sessions(memory, RECALLITE_SCOPE_ALL, recallite_str_from(NULL), 0, &sessions,
                             &error),
          &error);

    /* A language model would make this from recallite_extraction_prompt() and
     * the messages of the session; here it lies in a file. */
    snprintf(path, sizeof(path), "%s/extraction.json", argv[2]);
    extraction = read_file(path);
    check(recallite_ingest(memory, sessions->items[0]->id, recallite_str_from(extraction), NULL,
                           &report, &error),
          &error);
    free(extraction);
    recallite_session_list_free(sessions);

    print_entries(memory, report);
    print_tasks(memory, report);
    print_lineage(memory, report);
    recallite_ingest_report_free(report);
    recallite_free(memory);
    return 0;
}
