/* Forgetting, erasing, moving, proving and tidying a store. */
#include "check.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const int64_t NOON = 1773144000000; /* 2026-03-10T12:00:00Z */

/* A memory with five events in two sessions. */
static recallite_memory *five(const char *name) {
    recallite_memory *memory = open_memory(name);
    recallite_new_event events[5];
    size_t index;
    events[0] = prompt("s1", "현관 비밀번호는 말하지 않겠습니다.");
    events[1] = prompt("s1", "The invoice font is Inter.");
    events[2] = prompt("s1", "🚀 we launch at noon");
    events[3] = prompt("s2", "another invoice");
    events[3].kind = RECALLITE_EVENT_KIND_AGENT_RESPONSE;
    events[4] = prompt("s2", "the last one");
    for (index = 0; index < 5; index++) {
        events[index].has_timestamp = true;
        events[index].timestamp_ms = NOON + (int64_t)index * 1000;
    }
    CHECK_OK(recallite_append_batch(memory, events, 5, NULL, &error));
    return memory;
}

static uint64_t events_in(recallite_memory *memory) {
    recallite_stats *stats = NULL;
    uint64_t events;
    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    events = stats->events;
    recallite_stats_free(stats);
    return events;
}

static void selected_events_are_counted_and_forgotten(void) {
    recallite_memory *memory = five("forget");
    recallite_selector selector = RECALLITE_INIT(recallite_selector);
    recallite_forgotten *forgotten = NULL;
    recallite_event *event = NULL;
    const int32_t kinds[] = {RECALLITE_EVENT_KIND_USER_PROMPT};
    recallite_str ids[2];
    uint64_t count = 99;

    /* A selection of everything must say so. */
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "selector",
                recallite_upkeep_count_selected(memory, &selector, &count, &error));
    CHECK(count == 99);
    selector.session = text("s2");
    CHECK_OK(recallite_upkeep_count_selected(memory, &selector, &count, &error));
    CHECK(count == 2);
    selector.kinds = kinds;
    selector.kinds_len = 1;
    CHECK_OK(recallite_upkeep_count_selected(memory, &selector, &count, &error));
    CHECK(count == 1);
    selector.has_before = true;
    selector.before_ms = NOON + 4000;
    CHECK_OK(recallite_upkeep_count_selected(memory, &selector, &count, &error));
    CHECK(count == 0);
    CHECK_OK(recallite_forget(memory, &selector, &forgotten, &error));
    CHECK(forgotten->count == 0 && forgotten->tombstone == 0);
    recallite_forgotten_free(forgotten);

    selector = (recallite_selector)RECALLITE_INIT(recallite_selector);
    CHECK_OK(recallite_event_at(memory, 2, &event, &error));
    ids[0] = event->id;
    ids[1] = event->citation;
    selector.ids = ids;
    selector.ids_len = 2;
    CHECK_OK(recallite_forget(memory, &selector, &forgotten, &error));
    CHECK(forgotten->count == 1 && forgotten->sessions == 1 && forgotten->tombstone == 6);
    CHECK(forgotten->content_bytes == event->content.len);
    recallite_forgotten_free(forgotten);
    recallite_event_free(event);
    CHECK_FAILS(RECALLITE_NOT_FOUND, "seq", recallite_event_at(memory, 2, &event, &error));
    ids[0] = text("00000000-0000-7000-8000-000000000000");
    selector.ids_len = 1;
    CHECK_FAILS(RECALLITE_NOT_FOUND, NULL, recallite_forget(memory, &selector, NULL, &error));

    selector = (recallite_selector)RECALLITE_INIT(recallite_selector);
    selector.everything = true;
    CHECK_OK(recallite_forget(memory, &selector, NULL, &error));
    CHECK_OK(recallite_upkeep_count_selected(memory, &selector, &count, &error));
    CHECK(count == 0);
    /* What is forgotten can still be erased. */
    CHECK_OK(recallite_upkeep_count_erasable(memory, &selector, &count, &error));
    CHECK(count > 1);
    recallite_free(memory);
}

static void erased_text_is_gone_from_the_store(void) {
    recallite_memory *memory = five("erase");
    recallite_selector selector = RECALLITE_INIT(recallite_selector);
    recallite_erased *erased = NULL;
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_search_result *result = NULL;
    recallite_stats *stats = NULL;
    recallite_maintained *maintained = NULL;
    size_t index;

    selector.session = text("s1");
    CHECK_OK(recallite_erase(memory, &selector, &erased, &error));
    CHECK(erased->count == 3 && erased->tombstone == 7 && erased->generation == 2);
    CHECK(erased->places_len >= 6 && erased->places[0].len > 0 && erased->was_overwritten);
    CHECK(erased->is_complete && erased->unclean_places_len == 0 && erased->completed == 0);
    recallite_erased_free(erased);
    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    CHECK(stats->open_erasures == 0 && stats->unclean_places_len == 0);
    recallite_stats_free(stats);
    CHECK_OK(recallite_maintain(memory, NULL, &maintained, &error));
    CHECK(maintained->erasures_completed == 0 && maintained->open_erasures == 0);
    recallite_maintained_free(maintained);
    query.text = text("invoice font");
    CHECK_OK(recallite_search(memory, &query, &result, &error));
    CHECK(result->len >= 1);
    for (index = 0; index < result->len; index++) {
        CHECK(is(result->items[index]->session, "s2"));
    }
    recallite_search_result_free(result);
    /* The name of the session went with its events. */
    CHECK_OK(recallite_erase(memory, &selector, &erased, &error));
    CHECK(erased->count == 0 && erased->places_len == 0);
    recallite_erased_free(erased);
    recallite_free(memory);
}

static recallite_string *hash_of(recallite_memory *memory) {
    recallite_string *hash = NULL;
    CHECK_OK(recallite_upkeep_state_hash(memory, NOON, &hash, &error));
    CHECK(hash->text.len == 64);
    return hash;
}

static void a_store_moves_as_lines_of_json(void) {
    recallite_memory *memory = five("move");
    recallite_memory *other = open_memory("moved");
    recallite_selector selector = RECALLITE_INIT(recallite_selector);
    recallite_exported *exported = NULL;
    recallite_imported *imported = NULL;
    recallite_string *before;
    recallite_string *after;
    recallite_error *refusal = NULL;
    struct stat facts;
    char file[4096];
    char part[4096];
    uint64_t events = 0;

    strcpy(file, path_of("whole.jsonl"));
    strcpy(part, path_of("part.jsonl"));
    CHECK_OK(recallite_export_jsonl(memory, text(file), NULL, false, &exported, &error));
    CHECK(exported->events == 5 && exported->bytes > 0);
    CHECK(stat(file, &facts) == 0 && (uint64_t)facts.st_size == exported->bytes);
    /* It holds what the store holds: it is nobody else's to read. */
    CHECK((facts.st_mode & 077) == 0);
    recallite_exported_free(exported);
    CHECK_FAILS(RECALLITE_ALREADY_EXISTS, "path",
                recallite_export_jsonl(memory, text(file), NULL, false, &exported, &error));
    CHECK(stat(file, &facts) == 0 && facts.st_size > 0);
    CHECK_OK(recallite_export_jsonl(memory, text(file), NULL, true, NULL, &error));

    CHECK_OK(recallite_restore_jsonl(other, text(file), &events, &error));
    CHECK(events == 5 && events_in(other) == 5);
    before = hash_of(memory);
    after = hash_of(other);
    CHECK(is(before->text, after->text.ptr));
    recallite_string_free(before);
    recallite_string_free(after);
    CHECK_FAILS(RECALLITE_ALREADY_EXISTS, NULL, recallite_restore_jsonl(other, text(file), NULL, &error));
    recallite_free(other);

    selector.session = text("s1");
    CHECK_OK(recallite_export_jsonl(memory, text(part), &selector, false, NULL, &error));
    other = open_memory("moved in part");
    /* What was selected can be imported, not restored. */
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "path",
                recallite_restore_jsonl(other, text(part), &events, &error));
    /* Messages name the functions of C. */
    CHECK(recallite_restore_jsonl(other, text(part), &events, &refusal) != RECALLITE_OK);
    CHECK(strstr(refusal->message.ptr, "use recallite_import_jsonl()") != NULL);
    recallite_error_free(refusal);
    CHECK_OK(recallite_import_jsonl(other, text(part), &imported, &error));
    CHECK(imported->events == 3 && imported->duplicates == 0 && imported->skipped == 0);
    recallite_imported_free(imported);
    CHECK_OK(recallite_import_jsonl(other, text(file), &imported, &error));
    CHECK(imported->events == 2 && imported->duplicates == 3);
    recallite_imported_free(imported);
    recallite_free(other);

    /* A file that fails in the middle is not left behind. */
    selector = (recallite_selector)RECALLITE_INIT(recallite_selector);
    strcpy(part, path_of("never.jsonl"));
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "selector",
                recallite_export_jsonl(memory, text(part), &selector, false, NULL, &error));
    CHECK(stat(part, &facts) != 0);
    CHECK_FAILS(RECALLITE_NOT_FOUND, "path", recallite_import_jsonl(memory, text(part), NULL, &error));
    CHECK_FAILS(RECALLITE_NOT_FOUND, "path", recallite_restore_jsonl(memory, text(part), NULL, &error));
    CHECK_FAILS(RECALLITE_NOT_FOUND, "path",
                recallite_export_jsonl(memory, text(path_of("no/such/folder")), NULL, false, NULL, &error));

    /* The text of an export in place of its path. */
    const char *content = "{\"recallite\":3,\"secret\":\"6f66\"}\n";
    CHECK(recallite_import_jsonl(memory, text(content), NULL, &refusal) == RECALLITE_INVALID_ARGUMENT);
    CHECK(strstr(refusal->message.ptr, "6f66") == NULL);
    recallite_error_free(refusal);
    CHECK(recallite_restore_jsonl(memory, text(content), NULL, &refusal) == RECALLITE_INVALID_ARGUMENT);
    CHECK(strstr(refusal->message.ptr, "6f66") == NULL);
    recallite_error_free(refusal);
    recallite_free(memory);
}

/* Bytes in memory that callbacks write and read. */
struct bytes {
    recallite_memory *memory;
    unsigned char data[1 << 16];
    size_t len;
    size_t at;
    size_t step;
    int calls;
    int fail_at;
    recallite_status status_inside;
};

static struct bytes bytes;

static int32_t write_bytes(const uint8_t *given, size_t len, void *user_data) {
    struct bytes *to = (struct bytes *)user_data;
    to->calls++;
    if (to->memory != NULL) {
        recallite_new_event event = prompt("callback", "said during an export");
        to->status_inside = recallite_append(to->memory, &event, NULL, NULL);
    }
    if (to->calls == to->fail_at || len > sizeof(to->data) - to->len) {
        return 5;
    }
    memcpy(to->data + to->len, given, len);
    to->len += len;
    return 0;
}

static int32_t read_bytes(uint8_t *buffer, size_t capacity, size_t *len, void *user_data) {
    struct bytes *from = (struct bytes *)user_data;
    size_t left = from->len - from->at;
    from->calls++;
    if (from->memory != NULL && from->calls == 1) {
        recallite_new_event event = prompt("callback", "said during a restore");
        recallite_stats *stats = NULL;
        CHECK_OK(recallite_stats_get(from->memory, &stats, &error));
        recallite_stats_free(stats);
        from->status_inside = recallite_append(from->memory, &event, NULL, NULL);
    }
    if (from->calls == from->fail_at) {
        return -1;
    }
    if (from->step == (size_t)-1) {
        *len = capacity + 1;
        return 0;
    }
    *len = left < from->step ? left : from->step;
    *len = *len < capacity ? *len : capacity;
    memcpy(buffer, from->data + from->at, *len);
    from->at += *len;
    return 0;
}

static void rewind_bytes(recallite_memory *memory, size_t step, int fail_at) {
    bytes.memory = memory;
    bytes.at = 0;
    bytes.step = step;
    bytes.calls = 0;
    bytes.fail_at = fail_at;
    bytes.status_inside = RECALLITE_OK;
}

static void a_store_moves_through_callbacks(void) {
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_memory *memory = five("stream");
    recallite_memory *other = NULL;
    recallite_exported *exported = NULL;
    recallite_imported *imported = NULL;
    uint64_t events = 0;

    /* A writer may write to the memory; the export is of the moment before. */
    rewind_bytes(memory, 0, 0);
    CHECK_OK(recallite_upkeep_export_jsonl_to(memory, write_bytes, &bytes, NULL, &exported, &error));
    CHECK(bytes.calls >= 1 && bytes.len == exported->bytes && exported->events == 5);
    CHECK(bytes.status_inside == RECALLITE_OK && events_in(memory) == 6);
    recallite_exported_free(exported);
    exported = NULL;

    other = open_memory("streamed");
    rewind_bytes(NULL, 7, 0);
    CHECK_OK(recallite_upkeep_restore_jsonl_from(other, read_bytes, &bytes, &events, &error));
    CHECK(events == 5 && events_in(other) == 5);
    recallite_free(other);

    /* A reader may read and write; what is written meanwhile stays, and there is
     * nothing to restore into any more. */
    options.busy_timeout_ms = 50;
    CHECK_OK(recallite_open_with(text(path_of("written meanwhile")), &options, &other, &error));
    rewind_bytes(other, 7, 0);
    CHECK_FAILS(RECALLITE_ALREADY_EXISTS, NULL,
                recallite_upkeep_restore_jsonl_from(other, read_bytes, &bytes, &events, &error));
    CHECK(bytes.status_inside == RECALLITE_OK && events_in(other) == 1);
    recallite_free(other);

    other = open_memory("streamed2");
    rewind_bytes(NULL, sizeof(bytes.data), 0);
    CHECK_OK(recallite_upkeep_import_jsonl_from(other, read_bytes, &bytes, &imported, &error));
    CHECK(imported->events == 5);
    recallite_imported_free(imported);
    recallite_free(other);

    /* Callbacks that fail, and one that lies about the buffer. */
    other = open_memory("streamed3");
    events = 99;
    rewind_bytes(NULL, 100, 3);
    CHECK_FAILS(RECALLITE_CALLBACK, "read",
                recallite_upkeep_restore_jsonl_from(other, read_bytes, &bytes, &events, &error));
    rewind_bytes(NULL, 100, 1);
    CHECK_FAILS(RECALLITE_CALLBACK, "read",
                recallite_upkeep_import_jsonl_from(other, read_bytes, &bytes, NULL, &error));
    rewind_bytes(NULL, (size_t)-1, 0);
    CHECK_FAILS(RECALLITE_CALLBACK, "read",
                recallite_upkeep_import_jsonl_from(other, read_bytes, &bytes, NULL, &error));
    /* An export that is cut: the last line is missing. */
    bytes.len -= 40;
    rewind_bytes(NULL, 100, 0);
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "read",
                recallite_upkeep_restore_jsonl_from(other, read_bytes, &bytes, &events, &error));
    CHECK(events == 99 && events_in(other) == 0);
    rewind_bytes(NULL, 0, 1);
    bytes.len = 0;
    CHECK_FAILS(RECALLITE_CALLBACK, "write",
                recallite_upkeep_export_jsonl_to(memory, write_bytes, &bytes, NULL, &exported, &error));
    CHECK(exported == NULL && bytes.calls == 1);
    CHECK(recallite_is_open(other) && recallite_is_open(memory));
    recallite_free(other);
    recallite_free(memory);
}

static void a_backup_is_a_store(void) {
    recallite_memory *memory = five("original");
    recallite_memory *copy = NULL;
    char path[4096];
    uint64_t events = 0;

    strcpy(path, path_of("복사본"));
    CHECK_OK(recallite_backup(memory, text(path), &events, &error));
    CHECK(events == 5);
    CHECK_FAILS(RECALLITE_ALREADY_EXISTS, "path", recallite_backup(memory, text(path), NULL, &error));
    CHECK_OK(recallite_open(text(path), &copy, &error));
    CHECK(events_in(copy) == 5);
    recallite_free(copy);
    recallite_free(memory);
}

static void a_store_is_proved_and_made_again(void) {
    recallite_memory *memory = five("proof");
    recallite_check_report *report = NULL;
    recallite_rebuilt *rebuilt = NULL;
    recallite_compacted *compacted = NULL;
    recallite_upgraded *upgraded = NULL;
    recallite_string *hash;

    CHECK_OK(recallite_check(memory, &report, &error));
    CHECK(report->ok && report->events == 5 && report->first_divergence == NULL);
    CHECK(report->as_of_ms == NOON + 4000 && report->state_hash.len == 64);
    recallite_check_report_free(report);

    hash = hash_of(memory);
    CHECK_OK(recallite_rebuild(memory, NOON, &rebuilt, &error));
    CHECK(rebuilt->events == 5 && is(rebuilt->hash_before, hash->text.ptr));
    CHECK(is(rebuilt->hash_after, hash->text.ptr));
    recallite_rebuilt_free(rebuilt);
    CHECK_OK(recallite_rebuild(memory, NOON, NULL, &error));
    recallite_string_free(hash);

    CHECK_OK(recallite_compact(memory, &compacted, &error));
    CHECK(compacted->before_bytes > 0 && compacted->after_bytes > 0);
    /* The store file is the fourth: two rebuilds and this made a new one each. */
    CHECK(compacted->generation == 4);
    recallite_compacted_free(compacted);
    CHECK_OK(recallite_compact(memory, NULL, &error));

    CHECK_OK(recallite_upkeep_upgrade(memory, &upgraded, &error));
    CHECK(upgraded->from_format == upgraded->to_format && !upgraded->changed);
    recallite_upgraded_free(upgraded);
    CHECK_OK(recallite_upkeep_upgrade(memory, NULL, &error));
    CHECK(events_in(memory) == 5);
    recallite_free(memory);
}

static void damage_is_found_and_named(void) {
    recallite_memory *memory = five("damage");
    recallite_check_report *report = NULL;
    static unsigned char data[8 << 20];
    char path[4096];
    size_t len;
    size_t index;
    int spoilt = 0;
    FILE *file;

    recallite_free(memory);
    snprintf(path, sizeof(path), "%s/damage/memory.1.redb", check_folder);
    file = fopen(path, "r+b");
    CHECK(file != NULL);
    len = fread(data, 1, sizeof(data), file);
    for (index = 0; index + 6 <= len; index++) {
        if (memcmp(data + index, "launch", 6) == 0) {
            CHECK(fseek(file, (long)index, SEEK_SET) == 0 && fputc('L', file) == 'L');
            spoilt++;
        }
    }
    fclose(file);
    CHECK(spoilt > 0);

    memory = open_memory("damage");
    CHECK_OK(recallite_check(memory, &report, &error));
    CHECK(!report->ok && report->first_divergence != NULL);
    if (report->first_divergence != NULL) {
        CHECK(report->first_divergence->place.len > 0 && report->first_divergence->remedy.len > 0);
        CHECK(strstr(report->first_divergence->problem.ptr, "page") != NULL);
        /* What is stored is not told. */
        CHECK(strstr(report->first_divergence->problem.ptr, "aunch") == NULL);
    }
    recallite_check_report_free(report);
    CHECK_FAILS(RECALLITE_CORRUPT, NULL, recallite_backup(memory, text(path_of("bad copy")), NULL, &error));
    recallite_free(memory);
}

/* What a program was told. */
struct told {
    recallite_memory *memory;
    int calls;
    int destroyed;
    bool is_upkeep_told;
};

static void hear(const recallite_log_record *record, void *user_data) {
    struct told *told = (struct told *)user_data;
    recallite_stats *stats = NULL;

    told->calls++;
    CHECK(strlen(record->target.ptr) == record->target.len && record->message.len > 0);
    CHECK(record->message.ptr[record->message.len] == '\0');
    CHECK(strstr(record->message.ptr, "zqx") == NULL);
    told->is_upkeep_told |= record->level == RECALLITE_LOG_LEVEL_INFO
                            && is(record->target, "upkeep")
                            && strstr(record->message.ptr, "compacted") != NULL;
    if (told->memory != NULL) {
        /* The library holds no lock meanwhile. */
        CHECK_OK(recallite_stats_get(told->memory, &stats, &error));
        recallite_stats_free(stats);
        CHECK_OK(recallite_compact(told->memory, NULL, &error));
    }
}

static void stop_hearing(void *user_data) { ((struct told *)user_data)->destroyed++; }

static void what_is_done_is_told(void) {
    struct told told = {0};
    recallite_logger logger = RECALLITE_INIT(recallite_logger);
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_memory *memory = NULL;
    recallite_new_event event = prompt("zqx", "zqx");
    int calls;

    logger.log = hear;
    logger.user_data = &told;
    logger.destroy = stop_hearing;
    options.on_log = &logger;
    options.must_exist = true;
    CHECK(recallite_open_with(text(path_of("told")), &options, &memory, NULL)
          == RECALLITE_NOT_FOUND);
    CHECK(told.destroyed == 0 && told.calls == 0);
    options.must_exist = false;
    CHECK_OK(recallite_open_with(text(path_of("told")), &options, &memory, &error));
    CHECK(told.calls == 1);
    told.memory = memory;
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
    CHECK_OK(recallite_compact(memory, NULL, &error));
    CHECK(told.calls == 2 && told.is_upkeep_told);
    recallite_free(memory);
    CHECK(told.destroyed == 1);

    told.memory = NULL;
    options.log_level = RECALLITE_LOG_LEVEL_WARN;
    calls = told.calls;
    CHECK_OK(recallite_open_with(text(path_of("told")), &options, &memory, &error));
    CHECK_OK(recallite_compact(memory, NULL, &error));
    CHECK(told.calls == calls);
    recallite_free(memory);
    CHECK(told.destroyed == 2);
}

struct watched {
    recallite_memory *memory;
    int calls;
    /* The call at which it stops the operation; 0 for never. */
    int stops_at;
    bool interrupts;
    uint64_t done;
    bool is_ended;
    int destroyed;
};

static int32_t watch(const recallite_progress *progress, void *user_data) {
    struct watched *watched = user_data;
    recallite_stats *stats = NULL;

    watched->calls++;
    CHECK(progress->operation == RECALLITE_OPERATION_COMPACT);
    CHECK(progress->done >= watched->done);
    watched->done = progress->done;
    watched->is_ended = progress->has_total && progress->done == progress->total;
    CHECK_OK(recallite_stats_get(watched->memory, &stats, &error));
    recallite_stats_free(stats);
    if (watched->interrupts) CHECK_OK(recallite_interrupt(watched->memory, &error));
    return watched->calls == watched->stops_at;
}

static void stop_watching(void *user_data) { ((struct watched *)user_data)->destroyed++; }

static void progress_is_told_and_an_operation_can_be_stopped(void) {
    recallite_memory *memory = five("watched");
    struct watched watched = {0};
    recallite_check_report *report = NULL;

    watched.memory = memory;
    CHECK(recallite_set_progress_handler(NULL, watch, &watched, stop_watching, NULL)
          == RECALLITE_INVALID_ARGUMENT);
    CHECK(recallite_interrupt(NULL, NULL) == RECALLITE_INVALID_ARGUMENT);
    CHECK(watched.destroyed == 0);
    CHECK_OK(recallite_set_progress_handler(memory, watch, &watched, stop_watching, &error));
    CHECK_OK(recallite_compact(memory, NULL, &error));
    CHECK(watched.calls >= 2 && watched.is_ended && watched.done > 5);

    watched.calls = 0;
    watched.done = 0;
    watched.stops_at = 1;
    CHECK(recallite_compact(memory, NULL, NULL) == RECALLITE_INTERRUPTED);
    CHECK(watched.calls == 1);
    watched.stops_at = 0;
    watched.interrupts = true;
    CHECK(recallite_compact(memory, NULL, NULL) == RECALLITE_INTERRUPTED);
    CHECK(watched.calls == 2);
    watched.interrupts = false;
    /* One that begins later is not affected. */
    CHECK_OK(recallite_interrupt(memory, &error));
    CHECK_OK(recallite_compact(memory, NULL, &error));

    CHECK(watched.destroyed == 0);
    CHECK_OK(recallite_set_progress_handler(memory, NULL, NULL, NULL, &error));
    CHECK(watched.destroyed == 1);
    CHECK_OK(recallite_check(memory, &report, &error));
    CHECK(report->ok);
    recallite_check_report_free(report);
    CHECK_OK(recallite_set_progress_handler(memory, watch, &watched, stop_watching, &error));
    recallite_free(memory);
    CHECK(watched.destroyed == 2);
}

static void upkeep_does_what_may_wait(void) {
    recallite_memory *memory = five("upkeep");
    recallite_maintain_budget budget = RECALLITE_INIT(recallite_maintain_budget);
    recallite_maintained *maintained = NULL;
    recallite_new_event event;
    recallite_processed *processed = NULL;
    char content[64];
    size_t revived = 99;
    int index;

    for (index = 0; index < 40; index++) {
        snprintf(content, sizeof(content), "number %d", index);
        event = prompt("many", content);
        CHECK_OK(recallite_append(memory, &event, NULL, &error));
    }
    CHECK_OK(recallite_maintain(memory, NULL, &maintained, &error));
    CHECK(maintained->flushed && maintained->jobs_waiting == 0);
    recallite_maintained_free(maintained);
    budget.has_graduate_events = true;
    budget.has_merges = true;
    CHECK_OK(recallite_maintain(memory, &budget, &maintained, &error));
    CHECK(!maintained->flushed && maintained->judged == 0 && maintained->merges == 0);
    CHECK(!maintained->has_more);
    recallite_maintained_free(maintained);
    CHECK_OK(recallite_maintain(memory, NULL, NULL, &error));

    CHECK_FAILS(RECALLITE_UNSUPPORTED, NULL, recallite_process_outbox(memory, 10, &processed, &error));
    CHECK_FAILS(RECALLITE_UNSUPPORTED, NULL, recallite_upkeep_retry_outbox(memory, 3, &revived, &error));
    CHECK(processed == NULL && revived == 99);
    recallite_free(memory);
}

static void changes_are_waited_for(void) {
    recallite_memory *memory = five("follow");
    uint64_t last = 0;

    CHECK_OK(recallite_wait_for_change(memory, 0, 60000, &last, &error));
    CHECK(last == 5);
    CHECK_OK(recallite_wait_for_change(memory, 5, 0, &last, &error));
    CHECK(last == 5);
    CHECK_OK(recallite_wait_for_change(memory, UINT64_MAX, 5, &last, &error));
    CHECK(last == 5);
    CHECK_OK(recallite_close(memory, &error));
    CHECK_FAILS(RECALLITE_CLOSED, NULL, recallite_wait_for_change(memory, 5, 60000, &last, &error));
    recallite_free(memory);
}

static void a_memory_is_closed_though_its_last_write_fails(void) {
    recallite_memory *memory = five("close");
    recallite_memory *other = open_memory("close");
    recallite_memory *again;
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_new_event event = prompt("s1", "hello");
    recallite_context *context = NULL;
    recallite_error *error = NULL;
    recallite_status status;
    struct rlimit limit;
    rlim_t before;

    query.text = text("invoice font");
    CHECK_OK(recallite_context_get(memory, &query, NULL, &context, &error));
    CHECK(context->citations_len > 0);
    recallite_context_free(context);

    /* Meanwhile, no file can be written. */
    signal(SIGXFSZ, SIG_IGN);
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    before = limit.rlim_cur;
    limit.rlim_cur = 0;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    status = recallite_close(memory, &error);
    limit.rlim_cur = before;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    signal(SIGXFSZ, SIG_DFL);
    CHECK(status == RECALLITE_NEEDS_REOPEN && error != NULL && error->needs_reopen);
    recallite_error_free(error);
    CHECK(!recallite_is_open(memory));
    CHECK_FAILS(RECALLITE_NEEDS_REOPEN, NULL, recallite_append(other, &event, NULL, &error));

    /* Opening the store again repairs its handles, but not a closed one. */
    again = open_memory("close");
    CHECK_OK(recallite_append(other, &event, NULL, &error));
    error = NULL;
    CHECK(recallite_append(memory, &event, NULL, &error) == RECALLITE_CLOSED);
    CHECK(error != NULL && error->needs_reopen);
    recallite_error_free(error);
    recallite_free(again);
    recallite_free(other);
    recallite_free(memory);
}

static void one_memory_lies_in_two_stores(void) {
    recallite_memory *laptop = open_memory("laptop");
    recallite_memory *desktop = open_memory("desktop");
    recallite_new_event event = prompt("s", "The gate opens with the copper key.");
    recallite_string *identity = NULL, *hashes[2] = {NULL, NULL};
    recallite_member_list *members = NULL;
    recallite_shared_batch *batch = NULL;
    recallite_received *received = NULL;
    recallite_record_source *source = NULL;
    recallite_appended *receipt = NULL;
    recallite_pushed *pushed = NULL;
    recallite_pulled *pulled = NULL;
    bool is_new = false;

    CHECK_OK(recallite_sharing_identity(laptop, &identity, &error));
    CHECK(identity->text.len == 64);
    CHECK_OK(recallite_append(laptop, &event, &receipt, &error));
    CHECK_OK(recallite_sharing_batch_since(laptop, 0, 100, &batch, &error));
    CHECK(batch->records == 1 && batch->through == 1 && !batch->has_more);
    CHECK_FAILS(RECALLITE_PERMISSION_DENIED, "batch",
                recallite_sharing_receive(desktop, batch->lines, &received, &error));
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "identity",
                recallite_sharing_add_member(desktop, text("nobody"), text("laptop"),
                                             RECALLITE_MEMBER_ROLE_OWNER, &error));
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "role",
                recallite_sharing_add_member(desktop, identity->text, text("laptop"), 99, &error));
    CHECK_OK(recallite_sharing_add_member(desktop, identity->text, text("laptop"),
                                          RECALLITE_MEMBER_ROLE_OWNER, &error));
    CHECK_OK(recallite_sharing_members(desktop, &members, &error));
    CHECK(members->len == 1 && is(members->items[0]->name, "laptop"));
    recallite_member_list_free(members);
    CHECK_OK(recallite_sharing_receive(desktop, batch->lines, &received, &error));
    CHECK(received->records == 1 && received->through == 1);
    recallite_received_free(received);
    recallite_shared_batch_free(batch);
    CHECK(events_in(desktop) == 1);

    CHECK_OK(recallite_sharing_source(desktop, receipt->id, &source, &error));
    CHECK(is(source->name, "laptop") && source->position == 1);
    CHECK(is(source->identity, identity->text.ptr));
    recallite_record_source_free(source);
    CHECK_FAILS(RECALLITE_NOT_FOUND, NULL,
                recallite_sharing_source(laptop, receipt->id, &source, &error));
    recallite_appended_free(receipt);

    CHECK_OK(recallite_sharing_push_folder(laptop, text(check_folder), &pushed, &error));
    CHECK(pushed->files == 1 && pushed->records == 1);
    recallite_pushed_free(pushed);
    CHECK_OK(recallite_sharing_pull_folder(desktop, text(check_folder), &pulled, &error));
    CHECK(pulled->records == 0 && pulled->strangers_len == 0);
    recallite_pulled_free(pulled);
    CHECK_OK(recallite_sharing_withhold(laptop, RECALLITE_SCOPE_KIND_SESSION, text("s"), &is_new,
                                        &error));
    CHECK(is_new);
    CHECK_OK(recallite_sharing_shared_hash(laptop, &hashes[0], &error));
    CHECK_OK(recallite_sharing_shared_hash(desktop, &hashes[1], &error));
    CHECK(hashes[0]->text.len == 64 && is(hashes[1]->text, hashes[0]->text.ptr));
    recallite_string_free(hashes[0]);
    recallite_string_free(hashes[1]);
    recallite_string_free(identity);
    recallite_free(laptop);
    recallite_free(desktop);
}

/* Sends everything after a position, and has the receiver erase what it is ordered to. */
static void send_after(recallite_memory *sender, uint64_t position, recallite_memory *receiver) {
    recallite_shared_batch *batch = NULL;
    recallite_received *received = NULL;
    recallite_erased *erased = NULL;
    bool has_more = true;

    while (has_more) {
        CHECK_OK(recallite_sharing_batch_since(sender, position, 1000, &batch, &error));
        CHECK_OK(recallite_sharing_receive(receiver, batch->lines, &received, &error));
        position = batch->through;
        has_more = batch->has_more;
        recallite_received_free(received);
        recallite_shared_batch_free(batch);
    }
    CHECK_OK(recallite_sharing_erase_ordered(receiver, &erased, &error));
    CHECK(erased->is_complete);
    recallite_erased_free(erased);
}

static void batches_carry_an_erasure_and_its_answer(void) {
    recallite_memory *laptop = open_memory("sender");
    recallite_memory *desktop = open_memory("receiver");
    recallite_new_event event = prompt("s", "the secret pear");
    recallite_selector selector = RECALLITE_INIT(recallite_selector);
    recallite_string *identities[2] = {NULL, NULL}, *marks[2] = {NULL, NULL};
    recallite_string *checksums[2] = {NULL, NULL}, *announcement = NULL, *renewed = NULL;
    recallite_announced *announced = NULL;
    recallite_appended *receipt = NULL;
    recallite_string_list *projects = NULL;
    recallite_watermark_list *watermarks = NULL;
    recallite_unanswered_erasure_list *open = NULL;
    recallite_shared_batch *header = NULL;
    recallite_received *received = NULL;
    recallite_erased *erased = NULL;

    CHECK_OK(recallite_sharing_announcement(laptop, text("laptop"), &announcement, &error));
    CHECK_OK(recallite_sharing_read_announcement(desktop, announcement->text, &announced, &error));
    CHECK(is(announced->name, "laptop"));
    CHECK_OK(recallite_sharing_identity(laptop, &identities[0], &error));
    CHECK(is(announced->identity, identities[0]->text.ptr));
    CHECK_OK(recallite_sharing_identity(desktop, &identities[1], &error));
    CHECK_OK(recallite_sharing_add_member(laptop, identities[1]->text, text("desktop"),
                                          RECALLITE_MEMBER_ROLE_WRITER, &error));
    CHECK_OK(recallite_sharing_add_member(desktop, identities[0]->text, announced->name,
                                          RECALLITE_MEMBER_ROLE_WRITER, &error));
    recallite_announced_free(announced);
    recallite_string_free(announcement);

    event.project = text("shop");
    CHECK_OK(recallite_append(laptop, &event, &receipt, &error));
    send_after(laptop, 0, desktop);
    CHECK_OK(recallite_sharing_watermarks(desktop, &watermarks, &error));
    CHECK(watermarks->len == 1 && watermarks->items[0]->position == 1);
    recallite_watermark_list_free(watermarks);
    CHECK_OK(recallite_sharing_projects_of(desktop, receipt->id, &projects, &error));
    CHECK(projects->len == 1 && is(projects->items[0], "shop"));
    recallite_string_list_free(projects);

    CHECK_OK(recallite_sharing_log_checksum(laptop, 1, &checksums[0], &error));
    CHECK_OK(recallite_sharing_retraction_mark(laptop, &marks[0], &error));
    selector.ids = &receipt->id;
    selector.ids_len = 1;
    CHECK_OK(recallite_erase(laptop, &selector, &erased, &error));
    CHECK(erased->count == 1);
    recallite_erased_free(erased);
    CHECK_OK(recallite_sharing_log_checksum(laptop, 1, &checksums[1], &error));
    CHECK_OK(recallite_sharing_retraction_mark(laptop, &marks[1], &error));
    CHECK(is(checksums[1]->text, checksums[0]->text.ptr));
    CHECK(!is(marks[1]->text, marks[0]->text.ptr));
    CHECK_OK(recallite_sharing_unanswered_erasures(laptop, 1000, &open, &error));
    CHECK(open->len == 1 && open->items[0]->waiting_for_len == 1);
    CHECK(is(open->items[0]->waiting_for[0], identities[1]->text.ptr));
    recallite_unanswered_erasure_list_free(open);
    send_after(laptop, 1, desktop);
    send_after(desktop, 0, laptop);
    CHECK_OK(recallite_sharing_unanswered_erasures(laptop, 1000, &open, &error));
    CHECK(open->len == 0);
    recallite_unanswered_erasure_list_free(open);

    /* A header with no record chosen from what it covers. */
    CHECK_OK(recallite_sharing_batch_since(laptop, 2, 0, &header, &error));
    CHECK_OK(recallite_sharing_receive_selected(desktop, header->lines, 0, 2, &received, &error));
    CHECK(received->records == 0 && received->through >= 2);
    recallite_received_free(received);
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "through",
                recallite_sharing_receive_selected(desktop, header->lines, 0, 3, &received,
                                                   &error));
    recallite_shared_batch_free(header);
    CHECK_OK(recallite_sharing_renew_identity(desktop, &renewed, &error));
    CHECK(!is(renewed->text, identities[1]->text.ptr));
    recallite_string_free(renewed);
    recallite_appended_free(receipt);
    for (size_t index = 0; index < 2; index++) {
        recallite_string_free(identities[index]);
        recallite_string_free(marks[index]);
        recallite_string_free(checksums[index]);
    }
    recallite_free(laptop);
    recallite_free(desktop);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    check_folder = argv[1];
    CASE(selected_events_are_counted_and_forgotten);
    CASE(erased_text_is_gone_from_the_store);
    CASE(a_store_moves_as_lines_of_json);
    CASE(a_store_moves_through_callbacks);
    CASE(a_backup_is_a_store);
    CASE(a_store_is_proved_and_made_again);
    CASE(damage_is_found_and_named);
    CASE(upkeep_does_what_may_wait);
    CASE(what_is_done_is_told);
    CASE(progress_is_told_and_an_operation_can_be_stopped);
    CASE(changes_are_waited_for);
    CASE(a_memory_is_closed_though_its_last_write_fails);
    CASE(one_memory_lies_in_two_stores);
    CASE(batches_carry_an_erasure_and_its_answer);
    return check_end();
}
