/*
 * recallite.h - the C interface of Recallite, the SQLite of agent memory.
 *
 * Generated from memory-ffi by `cargo xtask header`; do not edit.
 *
 * CONVENTIONS
 *
 * Status. A function that can fail returns a recallite_status: RECALLITE_OK (0)
 * or why it failed. Its last parameter takes an error object with the message;
 * pass NULL if the status is enough. The error object is written only when the
 * call fails, every other output only when it succeeds.
 *
 * Strings are UTF-8 views, a pointer and a length: see recallite_str. The
 * library checks what it is given and keeps no pointer to it after the call.
 *
 * Options. A struct that the program fills begins with its size. Write
 *     recallite_query query = RECALLITE_INIT(recallite_query);
 * then set what is wanted; a field that is zero has its default. Programs that
 * were compiled with an older header, and so with smaller structs, go on
 * working.
 *
 * Results are structs that the library makes and the program reads and frees,
 * each with the one function that its comment names. Everything inside lives
 * exactly as long as the result. Later versions may add fields at the end, so
 * use results only through the pointers that the library gives. Freeing NULL is
 * fine. Freeing a result twice is undefined, as with free().
 *
 * Handles (recallite_memory, recallite_event_cursor) are looked up, not
 * followed: a NULL, freed or foreign handle is refused with
 * RECALLITE_INVALID_ARGUMENT.
 *
 * Threads. Every function may be called from every thread at any time, with the
 * same handles. A result or an error object belongs to one thread at a time.
 *
 * Defects. A defect inside the library never unwinds into the program: the call
 * returns RECALLITE_INTERNAL and its handle is poisoned; later calls on it
 * return RECALLITE_POISONED until the program frees it and opens the store
 * again.
 *
 * NULL is allowed only where a parameter's comment says so.
 */


#ifndef RECALLITE_H
#define RECALLITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>


/* The version that this header belongs to. */
#define RECALLITE_VERSION "0.1.0"
#define RECALLITE_VERSION_MAJOR 0
#define RECALLITE_VERSION_MINOR 1
#define RECALLITE_VERSION_PATCH 0

/*
 * A struct for RECALLITE_INIT's type with its size filled in and every other
 * field zero, which means its default.
 */
#ifdef __cplusplus
template <typename T> inline T recallite_initial() {
    T value = T();
    value.struct_size = sizeof(T);
    return value;
}
#define RECALLITE_INIT(type) recallite_initial<type>()
#else
#define RECALLITE_INIT(type) { .struct_size = sizeof(type) }
#endif


/**
 * The version of the C interface. It grows when a program that was compiled
 * with an older header could break; compare it with
 * recallite_abi_version() when the library is loaded at run time.
 */
#define RECALLITE_ABI_VERSION 0

/**
 * How many items before and after its target a timeline shows by default in
 * the other languages.
 */
#define RECALLITE_DEFAULT_WINDOW 3

/**
 * What a call gave. Numbers never change their meaning and are never reused;
 * later versions may add some, so treat an unknown one as a failure.
 */
enum recallite_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** The call did what it was asked. */
    RECALLITE_OK = 0,
    /** An argument is outside what the call accepts; the error names it. */
    RECALLITE_INVALID_ARGUMENT = 1,
    /** The named event, citation, task or session does not exist here. */
    RECALLITE_NOT_FOUND = 2,
    /** Something with this name or key exists already. */
    RECALLITE_ALREADY_EXISTS = 3,
    /** Another process or thread held the store longer than busy_timeout_ms. */
    RECALLITE_BUSY = 4,
    /** Bytes on the disk are not what was written; the error names the place. */
    RECALLITE_CORRUPT = 5,
    /** The operating system reported an error while reading or writing. */
    RECALLITE_IO = 6,
    /** The disk, or the hard size limit of the store, is full. */
    RECALLITE_FULL = 7,
    /**
     * The store stopped after an input/output error, or the process was
     * forked: close the handle and open the store again.
     */
    RECALLITE_NEEDS_REOPEN = 8,
    /** The store was written by a newer library in a way this one cannot read. */
    RECALLITE_NEWER_FORMAT = 9,
    /** The operating system denies access to the store's folder or files. */
    RECALLITE_PERMISSION_DENIED = 10,
    /** The handle was closed. */
    RECALLITE_CLOSED = 11,
    /** The call needs a feature that was not built in, or a newer library. */
    RECALLITE_UNSUPPORTED = 12,
    /** An earlier defect left this handle unusable; open the store again. */
    RECALLITE_POISONED = 13,
    /** The embedder failed; lexical recall still works. */
    RECALLITE_EMBEDDER = 14,
    /** A task or job cannot move between these two states. */
    RECALLITE_INVALID_TRANSITION = 15,
    /** The change would break a rule that the data must always keep. */
    RECALLITE_INVARIANT_VIOLATION = 16,
    /** A callback of the program failed. */
    RECALLITE_CALLBACK = 17,
    /** A defect of this library; please report it with the message. */
    RECALLITE_INTERNAL = 18,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_status recallite_status;
#else
typedef int32_t recallite_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What an event records. Numbers and names are stable on disk and in every
 * language.
 */
enum recallite_event_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** What a person asked or said. */
    RECALLITE_KIND_USER_PROMPT = 1,
    /** What the agent answered. */
    RECALLITE_KIND_AGENT_RESPONSE = 2,
    /** A summary of a session. */
    RECALLITE_KIND_SESSION_SUMMARY = 3,
    /** One call of a tool and what came back. */
    RECALLITE_KIND_TOOL_OBSERVATION = 4,
    /** Pipeline: a session's messages were taken in for learning. */
    RECALLITE_KIND_SESSION_INGESTED = 16,
    /** Pipeline: an extractor's result for a session. */
    RECALLITE_KIND_MEMORY_EXTRACTED = 17,
    /** Pipeline: quotes were aligned to exact spans. */
    RECALLITE_KIND_EVIDENCE_ALIGNED = 18,
    /** Pipeline: entries were type checked. */
    RECALLITE_KIND_IDRIS_CHECKED = 19,
    /** An entry came into being, changed stage, or was superseded. */
    RECALLITE_KIND_ENTRY_CHANGED = 20,
    /** A build run began, succeeded or failed. */
    RECALLITE_KIND_BUILD_RUN = 21,
    /** A decision with its evidence. */
    RECALLITE_KIND_DECISION_MADE = 22,
    /** Two entries were found to disagree, or the disagreement was resolved. */
    RECALLITE_KIND_CONFLICT_CHANGED = 23,
    /** A pipeline stage reported how long it took. */
    RECALLITE_KIND_PIPELINE_METRIC = 24,
    /** An edge was created or removed by a caller. */
    RECALLITE_KIND_EDGE_CHANGED = 25,
    /** A task came into being. */
    RECALLITE_KIND_TASK_CREATED = 32,
    /** A task moved to another status. */
    RECALLITE_KIND_TASK_STATUS_CHANGED = 33,
    /** A task's priority changed. */
    RECALLITE_KIND_TASK_PRIORITY_CHANGED = 34,
    /** A task's blockers were replaced or suggested. */
    RECALLITE_KIND_TASK_BLOCKERS_SET = 35,
    /** A task's requested move was refused. */
    RECALLITE_KIND_TASK_TRANSITION_REJECTED = 36,
    /** A condition that can block tasks was declared. */
    RECALLITE_KIND_CONDITION_DECLARED = 37,
    /** An artifact that can block tasks was declared. */
    RECALLITE_KIND_ARTIFACT_DECLARED = 38,
    /** A condition turned out to be another entity. */
    RECALLITE_KIND_CONDITION_RESOLVED_TO = 39,
    /** A task's title changed. */
    RECALLITE_KIND_TASK_TITLE_CHANGED = 40,
    /** A session began, ended, or got a summary or tags. */
    RECALLITE_KIND_SESSION_CHANGED = 48,
    /** Recalled events, in batches. */
    RECALLITE_KIND_ACCESSED = 49,
    /** Recalled text was given to an agent, with its citations. */
    RECALLITE_KIND_INJECTED = 50,
    /** Events were forgotten (a tombstone). */
    RECALLITE_KIND_FORGOTTEN = 51,
    /** Events were erased from the log. */
    RECALLITE_KIND_ERASED = 52,
    /** An event moved to another memory level. */
    RECALLITE_KIND_LEVEL_CHANGED = 53,
    /** Something was consolidated from the working set. */
    RECALLITE_KIND_CONSOLIDATED = 54,
    /** Continuity between two contexts was scored. */
    RECALLITE_KIND_CONTINUITY_SCORED = 55,
    /** A setting of the store changed (mode, endless mode). */
    RECALLITE_KIND_SETTING_CHANGED = 56,
    /** An uncertain memory was confirmed, rejected or left pending. */
    RECALLITE_KIND_MEMORY_RESOLVED = 57,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_event_kind recallite_event_kind;
#else
typedef int32_t recallite_event_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** Where an event's text came from. */
enum recallite_origin
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** In a new event: derived from the kind. */
    RECALLITE_ORIGIN_DEFAULT = 0,
    /** A person wrote it. */
    RECALLITE_ORIGIN_USER = 1,
    /** An agent wrote it. */
    RECALLITE_ORIGIN_ASSISTANT = 2,
    /** A tool returned it. */
    RECALLITE_ORIGIN_TOOL = 3,
    /** It was fetched from the web. */
    RECALLITE_ORIGIN_WEB = 4,
    /** It is recalled text that came back. */
    RECALLITE_ORIGIN_RECALLED = 5,
    /** The library itself recorded it. */
    RECALLITE_ORIGIN_SYSTEM = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_origin recallite_origin;
#else
typedef int32_t recallite_origin;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How a repeated event is recognised. */
enum recallite_dedupe
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** The same content in the same session is one event. */
    RECALLITE_DEDUPE_CONTENT = 0,
    /** The same dedupe_key is one event. */
    RECALLITE_DEDUPE_KEY = 1,
    /** Every call stores an event. */
    RECALLITE_DEDUPE_NONE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_dedupe recallite_dedupe;
#else
typedef int32_t recallite_dedupe;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** Which projects a read looks at. */
enum recallite_scope
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The project that the memory was opened for; every project when it was
     * opened for none.
     */
    RECALLITE_SCOPE_OWN = 0,
    /** Every project of the store. */
    RECALLITE_SCOPE_ALL = 1,
    /**
     * The project with the given name; the empty name is "events without a
     * project".
     */
    RECALLITE_SCOPE_NAMED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_scope recallite_scope;
#else
typedef int32_t recallite_scope;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What may be done with the best hit of a search. */
enum recallite_confidence
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** There is no match. This is an answer. */
    RECALLITE_CONFIDENCE_NONE = 0,
    /** Offer it and ask. */
    RECALLITE_CONFIDENCE_SUGGESTED = 1,
    /** Use it without asking. */
    RECALLITE_CONFIDENCE_HIGH = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_confidence recallite_confidence;
#else
typedef int32_t recallite_confidence;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Events that are read one after the other. Every thread may use it; each
 * event is given to one of them.
 */
typedef struct recallite_event_cursor recallite_event_cursor;

/**
 * A memory: a log of events that can be searched, in one folder.
 *
 * Every thread may use a handle at any time, also while another thread closes
 * or frees it. Several processes may have the same folder open. After fork(),
 * the child opens the memory for itself.
 */
typedef struct recallite_memory recallite_memory;

/**
 * A borrowed piece of UTF-8 text: len bytes at ptr.
 *
 * Given to the library, it needs no zero byte at its end; ptr NULL means
 * "absent" and needs len 0. Given by the library, it is always followed by a
 * zero byte, so that ptr can be printed; text may hold zero bytes of its own,
 * so trust len. A view lives as long as the result that holds it.
 */
typedef struct recallite_str {
    /** The bytes, or NULL for absent text. */
    const char *ptr;
    /** How many bytes. */
    size_t len;
} recallite_str;

/**
 * What went wrong. Free it with recallite_error_free.
 *
 * Functions write it only when they fail, and only when they are given a
 * place for it. A message never holds stored text or secrets.
 */
typedef struct recallite_error {
    /** The status that the call returned: one of recallite_status. */
    int32_t code;
    /** Whether the same call may succeed later without any other change. */
    bool retryable;
    /**
     * Whether the handle must be freed and the store opened again before
     * anything else.
     */
    bool needs_reopen;
    /** What happened and what to do next, in English. */
    struct recallite_str message;
    /**
     * The argument or field that was wrong, for example "session";
     * absent when no argument was.
     */
    struct recallite_str argument;
} recallite_error;

/** Text that the caller owns. Free it with recallite_string_free. */
typedef struct recallite_string {
    /** The text. */
    struct recallite_str text;
} recallite_string;

/**
 * How a memory is opened. Begin with RECALLITE_INIT(recallite_open_options); a
 * field that is zero has its default.
 */
typedef struct recallite_open_options {
    /** sizeof(recallite_open_options). */
    size_t struct_size;
    /**
     * The project that events belong to and reads look at unless they name
     * another one; see recallite_project_of. Default: none.
     */
    struct recallite_str project;
    /** Memory for pages of the store file, in bytes. Default: 16 MiB. */
    size_t cache_bytes;
    /** Memory for decoded parts of the search index, in bytes. Default: 48 MiB. */
    size_t index_cache_bytes;
    /**
     * How long a write waits for another process or thread, in milliseconds,
     * before it fails with RECALLITE_BUSY. Default: 5,000.
     */
    uint64_t busy_timeout_ms;
    /** Fail with RECALLITE_NOT_FOUND instead of creating a missing store. */
    bool must_exist;
    /**
     * This process is the only one that has the store open. All processes
     * must choose the same.
     */
    bool exclusive;
    /**
     * Accept a folder on a network file system or in a synchronised folder,
     * where locks and writes are not reliable.
     */
    bool allow_network_folder;
} recallite_open_options;

/** The stored form of a tool call: masked, cut, with what was derived from it. */
typedef struct recallite_tool_record {
    /** The tool's name. */
    struct recallite_str name;
    /** The masked arguments, as JSON; absent when none were given. */
    struct recallite_str input_json;
    /** The masked output, cut to the limits in force when it was stored. */
    struct recallite_str output;
    /** The masked error message; absent when there was none. */
    struct recallite_str error;
    /**
     * What was derived from the call (file path, exit code, ...), as a JSON
     * object.
     */
    struct recallite_str metadata_json;
    /** How long it ran, in milliseconds; 0 unless has_duration_ms. */
    uint64_t duration_ms;
    /**
     * Which prompt of the session caused the call, counted from 0; 0 unless
     * has_prompt_index.
     */
    uint32_t prompt_index;
    /**
     * Which call within that prompt this is, counted from 0; 0 unless
     * has_tool_index.
     */
    uint32_t tool_index;
    /** Whether it succeeded. */
    bool success;
    /** Whether duration_ms is known. */
    bool has_duration_ms;
    /** Whether prompt_index is known. */
    bool has_prompt_index;
    /** Whether tool_index is known. */
    bool has_tool_index;
} recallite_tool_record;

/** What the privacy filter did to one event. */
typedef struct recallite_privacy_report {
    /** Private sections that were taken out. */
    uint32_t private_count;
    /** Secrets that were masked. */
    uint32_t secret_count;
    /** Personal data that was anonymised. */
    uint32_t anonymized_count;
    /** Length of the text before filtering, in bytes. */
    uint64_t original_bytes;
    /** Length of the text after filtering, in bytes. */
    uint64_t filtered_bytes;
} recallite_privacy_report;

/** A remembered event. */
typedef struct recallite_event {
    /** Its identity, 36 characters. */
    struct recallite_str id;
    /** Its citation, for example "a7Bc3x"; people read [mem:a7Bc3x]. */
    struct recallite_str citation;
    /** Its position in the log. */
    uint64_t seq;
    /** When it happened, in milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** What it records: one of recallite_event_kind. */
    int32_t kind;
    /** Where the text came from: one of recallite_origin. */
    int32_t origin;
    /** The conversation it belongs to. */
    struct recallite_str session;
    /** The project it belongs to; empty when it has none. */
    struct recallite_str project;
    /** Who said or did it. */
    struct recallite_str actor;
    /** The filtered text, whole. */
    struct recallite_str content;
    /** The canonical key of the text. */
    struct recallite_str canonical_key;
    /** What the caller attached, as a JSON object; absent when nothing was. */
    struct recallite_str metadata_json;
    /** The tool call, for a tool observation; else NULL. */
    const struct recallite_tool_record *tool;
    /** What the privacy filter did when it was stored. */
    struct recallite_privacy_report privacy;
} recallite_event;

/** Several events. Free it with recallite_event_list_free. */
typedef struct recallite_event_list {
    /** Pointers to the events. */
    const struct recallite_event *const *items;
    /** How many. */
    size_t len;
} recallite_event_list;

/**
 * One call of a tool, as the program saw it. Begin with
 * RECALLITE_INIT(recallite_tool_use).
 */
typedef struct recallite_tool_use {
    /** sizeof(recallite_tool_use). */
    size_t struct_size;
    /** The tool's name, for example "Read". */
    struct recallite_str name;
    /** The arguments, as JSON; absent for none. */
    struct recallite_str input_json;
    /** What the tool returned, as text; absent for nothing. */
    struct recallite_str output;
    /** The error message; absent when it did not fail. */
    struct recallite_str error;
    /** How long it ran, in milliseconds; read when has_duration_ms is set. */
    uint64_t duration_ms;
    /**
     * Which prompt of the session caused the call, counted from 0; read when
     * has_prompt_index is set.
     */
    uint32_t prompt_index;
    /**
     * Which call within that prompt this is, counted from 0; read when
     * has_tool_index is set.
     */
    uint32_t tool_index;
    /**
     * Whether it succeeded; read when has_success is set. Otherwise it did
     * when error is absent.
     */
    bool success;
    /** Whether success is given. */
    bool has_success;
    /** Whether duration_ms is given. */
    bool has_duration_ms;
    /** Whether prompt_index is given. */
    bool has_prompt_index;
    /** Whether tool_index is given. */
    bool has_tool_index;
} recallite_tool_use;

/**
 * An event to be remembered. Begin with RECALLITE_INIT(recallite_new_event);
 * kind, session and content must be given, a field that is zero has its
 * default.
 */
typedef struct recallite_new_event {
    /** sizeof(recallite_new_event). */
    size_t struct_size;
    /** What it records: one of recallite_event_kind. */
    int32_t kind;
    /**
     * Where the text came from: one of recallite_origin. Default: derived
     * from the kind.
     */
    int32_t origin;
    /** The conversation it belongs to; 1 to 256 bytes. */
    struct recallite_str session;
    /**
     * The text. For a tool observation it may be absent: it is then made from
     * tool.
     */
    struct recallite_str content;
    /**
     * Who: "user", "assistant", a tool's name or a speaker's name. Default:
     * derived from the kind.
     */
    struct recallite_str actor;
    /** The project. Default: the one that the memory was opened for. */
    struct recallite_str project;
    /** Anything else, as a JSON object; absent for nothing. */
    struct recallite_str metadata_json;
    /** The key of a repetition, for RECALLITE_DEDUPE_KEY only. */
    struct recallite_str dedupe_key;
    /** The tool call, for a tool observation; else NULL. */
    const struct recallite_tool_use *tool;
    /**
     * When it happened, in milliseconds since 1970 UTC, years 1 to 9999; read
     * when has_timestamp is set. Default: now.
     */
    int64_t timestamp_ms;
    /** How a repetition is recognised: one of recallite_dedupe. */
    int32_t dedupe;
    /** Whether timestamp_ms is given. */
    bool has_timestamp;
} recallite_new_event;

/**
 * The receipt of an append. Free it with recallite_receipt_free, unless it
 * came in a list.
 */
typedef struct recallite_receipt {
    /**
     * The event's id, 36 characters: the stored one's when this was a
     * duplicate.
     */
    struct recallite_str id;
    /** The event's citation, for example "a7Bc3x"; people read [mem:a7Bc3x]. */
    struct recallite_str citation;
    /** The event's position in the log. */
    uint64_t seq;
    /** How many bytes of tool output were cut away; 0 when nothing was. */
    uint64_t truncated_bytes;
    /** What the privacy filter did. */
    struct recallite_privacy_report privacy;
    /** Things the caller should know, for example an unclosed private tag. */
    const struct recallite_str *warnings;
    /** How many warnings. */
    size_t warnings_len;
    /** True when the same event was there already and nothing was written. */
    bool duplicate;
} recallite_receipt;

/** Several receipts. Free it with recallite_receipt_list_free. */
typedef struct recallite_receipt_list {
    /** Pointers to the receipts, in the order of the events. */
    const struct recallite_receipt *const *items;
    /** How many. */
    size_t len;
} recallite_receipt_list;

/**
 * Which events recallite_events gives. Begin with
 * RECALLITE_INIT(recallite_event_filter); a field that is zero narrows nothing.
 */
typedef struct recallite_event_filter {
    /** sizeof(recallite_event_filter). */
    size_t struct_size;
    /** Only this session. */
    struct recallite_str session;
    /** The project for RECALLITE_SCOPE_NAMED; absent otherwise. */
    struct recallite_str project;
    /**
     * Only these kinds, each one of recallite_event_kind; none means the four
     * conversation kinds.
     */
    const int32_t *kinds;
    /** How many kinds. */
    size_t kinds_len;
    /** Only observations of this tool. */
    struct recallite_str tool;
    /** Only tool observations about a file whose path contains this. */
    struct recallite_str file_contains;
    /**
     * Only events at this time or later, in milliseconds since 1970 UTC; read
     * when has_from is set.
     */
    int64_t from_ms;
    /**
     * Only events before this time, in milliseconds since 1970 UTC; read when
     * has_until is set.
     */
    int64_t until_ms;
    /** At most this many events; 0 for all. */
    size_t limit;
    /** Which projects: one of recallite_scope. */
    int32_t scope;
    /** Whether from_ms is given. */
    bool has_from;
    /** Whether until_ms is given. */
    bool has_until;
    /** Newest first instead of oldest first. */
    bool newest_first;
} recallite_event_filter;

/**
 * One conversation. Free it with recallite_session_free, unless it came in a
 * list.
 */
typedef struct recallite_session {
    /** Its name, as events carry it. */
    struct recallite_str id;
    /** The project of its first event; empty for none. */
    struct recallite_str project;
    /** Its summary; absent when it has none. */
    struct recallite_str summary;
    /** Its tags. */
    const struct recallite_str *tags;
    /** How many tags. */
    size_t tags_len;
    /** When it began, in milliseconds since 1970 UTC. */
    int64_t started_ms;
    /** When it ended, in milliseconds since 1970 UTC; 0 unless has_ended. */
    int64_t ended_ms;
    /**
     * The time of its newest conversation event, in milliseconds since 1970
     * UTC.
     */
    int64_t last_event_ms;
    /** Conversation events that it holds. */
    uint64_t events;
    /** Prompts among them. */
    uint64_t prompts;
    /** Responses among them. */
    uint64_t responses;
    /** Tool observations among them. */
    uint64_t tools;
    /** Whether it was ended. */
    bool has_ended;
} recallite_session;

/** Several sessions. Free it with recallite_session_list_free. */
typedef struct recallite_session_list {
    /** Pointers to the sessions. */
    const struct recallite_session *const *items;
    /** How many. */
    size_t len;
} recallite_session_list;

/**
 * A change of a session. Begin with RECALLITE_INIT(recallite_session_update);
 * a field that is absent or whose has_ field is false stays as it is.
 */
typedef struct recallite_session_update {
    /** sizeof(recallite_session_update). */
    size_t struct_size;
    /** The project it belongs to. */
    struct recallite_str project;
    /** Its summary; passes the privacy filter. */
    struct recallite_str summary;
    /** Its tags, all of them; read when has_tags is set. */
    const struct recallite_str *tags;
    /** How many tags. */
    size_t tags_len;
    /**
     * When it began, in milliseconds since 1970 UTC; read when has_started is
     * set.
     */
    int64_t started_ms;
    /**
     * When it ended, in milliseconds since 1970 UTC; read when has_ended is
     * set.
     */
    int64_t ended_ms;
    /** Whether tags are given. */
    bool has_tags;
    /** Whether started_ms is given. */
    bool has_started;
    /** Whether ended_ms is given. */
    bool has_ended;
} recallite_session_update;

/**
 * A search: a text and what narrows it. Begin with
 * RECALLITE_INIT(recallite_query); text must be given, a field that is zero
 * has its default.
 */
typedef struct recallite_query {
    /** sizeof(recallite_query). */
    size_t struct_size;
    /** The question or the words to look for, in any language. */
    struct recallite_str text;
    /** At most this many hits, 1 to 1,000. Default: 10. */
    size_t limit;
    /** Only this session. */
    struct recallite_str session;
    /** The project for RECALLITE_SCOPE_NAMED; absent otherwise. */
    struct recallite_str project;
    /**
     * Only these kinds, each one of recallite_event_kind; none means the four
     * conversation kinds.
     */
    const int32_t *kinds;
    /** How many kinds. */
    size_t kinds_len;
    /**
     * Only events at this time or later, in milliseconds since 1970 UTC; read
     * when has_from is set.
     */
    int64_t from_ms;
    /**
     * Only events before this time, in milliseconds since 1970 UTC; read when
     * has_until is set.
     */
    int64_t until_ms;
    /**
     * When it is over, the result so far is given, marked degraded; in
     * milliseconds. Default: no deadline.
     */
    uint64_t deadline_ms;
    /** Only hits whose relevance is at least this, 0 to 1. Default: all. */
    float min_relevance;
    /** Which projects: one of recallite_scope. */
    int32_t scope;
    /** Whether from_ms is given. */
    bool has_from;
    /** Whether until_ms is given. */
    bool has_until;
} recallite_query;

/** A part of an event's content. */
typedef struct recallite_passage {
    /** The text of the passage. */
    struct recallite_str text;
    /** Where it begins in the content, in bytes. */
    size_t start;
    /** Where it ends in the content, in bytes, exclusive. */
    size_t end;
} recallite_passage;

/** One event that was found. */
typedef struct recallite_hit {
    /** The event's id, 36 characters. */
    struct recallite_str id;
    /** The event's citation, for example "a7Bc3x"; people read [mem:a7Bc3x]. */
    struct recallite_str citation;
    /** The event's position in the log. */
    uint64_t seq;
    /** When it happened, in milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** What the event records: one of recallite_event_kind. */
    int32_t kind;
    /** Orders the hits of one search; comparable only within it. */
    float rank_score;
    /** The specified match score, 0 to 1. */
    float match_score;
    /** How likely the hit answers the query, 0 to 1, calibrated. */
    float relevance;
    /** The conversation it belongs to. */
    struct recallite_str session;
    /** The project it belongs to; empty for none. */
    struct recallite_str project;
    /** Who said or did it. */
    struct recallite_str actor;
    /** One line of at most 100 characters. */
    struct recallite_str summary;
    /** The passage that matched best. */
    struct recallite_passage passage;
} recallite_hit;

/** What a search found. Free it with recallite_search_result_free. */
typedef struct recallite_search_result {
    /** Pointers to the hits, best first. */
    const struct recallite_hit *const *items;
    /** How many hits. */
    size_t len;
    /** How many events matched at all, before the limit. */
    size_t total_matches;
    /** How sure the best hit is: one of recallite_confidence. */
    int32_t confidence;
    /**
     * True when the deadline ended the search early or a part of the index
     * could not be read: there may be better hits.
     */
    bool degraded;
} recallite_search_result;

/** One event of a timeline. */
typedef struct recallite_timeline_item {
    /** The event's id, 36 characters. */
    struct recallite_str id;
    /** Its citation, for example "a7Bc3x"; people read [mem:a7Bc3x]. */
    struct recallite_str citation;
    /** Its position in the log. */
    uint64_t seq;
    /** When it happened, in milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** What it records: one of recallite_event_kind. */
    int32_t kind;
    /** Its session. */
    struct recallite_str session;
    /** Who said or did it. */
    struct recallite_str actor;
    /** One line of at most 200 characters. */
    struct recallite_str preview;
    /** Whether it is one of the events that were asked for. */
    bool is_target;
} recallite_timeline_item;

/** A timeline. Free it with recallite_timeline_list_free. */
typedef struct recallite_timeline_list {
    /** Pointers to the items, in the order of time. */
    const struct recallite_timeline_item *const *items;
    /** How many. */
    size_t len;
} recallite_timeline_list;

/** One event in full, with what stands beside it. */
typedef struct recallite_detail {
    /** The event. */
    const struct recallite_event *event;
    /** Estimated tokens of its content. */
    size_t token_count;
    /** Paths of files that the content names. */
    const struct recallite_str *files;
    /** How many files. */
    size_t files_len;
    /** Tools that the content names. */
    const struct recallite_str *tools;
    /** How many tools. */
    size_t tools_len;
    /**
     * Id of the prompt that a response or tool observation answers; absent
     * when there is none.
     */
    struct recallite_str parent;
    /** Id of the event before it in the session; absent when there is none. */
    struct recallite_str previous;
    /** Id of the event after it in the session; absent when there is none. */
    struct recallite_str next;
    /** Ids of the responses and tool observations that a prompt led to. */
    const struct recallite_str *children;
    /** How many children. */
    size_t children_len;
    /** Whether the content holds a fenced block of code. */
    bool has_code;
} recallite_detail;

/** Several details. Free it with recallite_detail_list_free. */
typedef struct recallite_detail_list {
    /** Pointers to the details, in the order asked for. */
    const struct recallite_detail *const *items;
    /** How many. */
    size_t len;
} recallite_detail_list;

/** What the privacy filter took out of the whole store. */
typedef struct recallite_privacy_totals {
    /** Private sections. */
    uint64_t private_sections;
    /** Masked secrets. */
    uint64_t secrets_masked;
    /** Bytes that were not stored because of it. */
    uint64_t bytes_filtered;
} recallite_privacy_totals;

/** How the lexical index stands. */
typedef struct recallite_lexical_stats {
    /** Immutable segments. */
    uint64_t segments;
    /** Events in them. */
    uint64_t folded_events;
    /** Events that wait in the tail; they are found as well. */
    uint64_t tail_events;
    /**
     * When events were last folded into a segment, in milliseconds since 1970
     * UTC; 0 unless has_last_fold.
     */
    int64_t last_fold_ms;
    /** Whether events were folded yet. */
    bool has_last_fold;
} recallite_lexical_stats;

/**
 * Figures about a store: how much each layer holds and when it last moved.
 * Free it with recallite_stats_free.
 */
typedef struct recallite_stats {
    /** Live events of every kind. */
    uint64_t events;
    /** Live prompts. */
    uint64_t prompts;
    /** Live responses. */
    uint64_t responses;
    /** Live session summaries. */
    uint64_t summaries;
    /** Live tool observations. */
    uint64_t tools;
    /** Sessions. */
    uint64_t sessions;
    /** Projects, not counting "no project". */
    uint64_t projects;
    /** Events that were forgotten. */
    uint64_t forgotten;
    /** Events that were erased. */
    uint64_t erased;
    /** The last position of the log; 0 in an empty store. */
    uint64_t last_seq;
    /** Bytes of text in live events. */
    uint64_t payload_bytes;
    /** Bytes of records in the log. */
    uint64_t log_bytes;
    /** Bytes of all files of the store. */
    uint64_t size_bytes;
    /**
     * The time of the oldest live event, in milliseconds since 1970 UTC; 0
     * unless has_events_time.
     */
    int64_t oldest_ms;
    /**
     * The time of the newest live event, in milliseconds since 1970 UTC; 0
     * unless has_events_time.
     */
    int64_t newest_ms;
    /**
     * When something was last appended, in milliseconds since 1970 UTC; 0
     * unless has_last_append.
     */
    int64_t last_append_ms;
    /** What the privacy filter took out so far. */
    struct recallite_privacy_totals privacy;
    /** The lexical index. */
    struct recallite_lexical_stats lexical;
    /** Whether there is a live event, and so oldest_ms and newest_ms. */
    bool has_events_time;
    /** Whether something was ever appended. */
    bool has_last_append;
} recallite_stats;

/**
 * What an import takes. Begin with RECALLITE_INIT(recallite_import_options); a
 * field that is zero has its default.
 */
typedef struct recallite_import_options {
    /** sizeof(recallite_import_options). */
    size_t struct_size;
    /** How much of a response is kept, in UTF-16 code units. Default: all. */
    size_t response_limit_utf16;
    /**
     * After how many prompts and responses of a file reading stops. Default:
     * never.
     */
    size_t limit;
    /**
     * The longest line that is read, in bytes; a longer one is counted as an
     * error and passed over. Default: 64 MiB.
     */
    size_t max_line_bytes;
    /** Leave tool calls out. */
    bool skip_tool_observations;
    /** Keep prompts and responses of blank text only. */
    bool keeps_blank_text;
} recallite_import_options;

/** How far an import has come. */
typedef struct recallite_import_progress {
    /** Files that are done. */
    size_t files_done;
    /** Files in all. */
    size_t files_total;
    /** Bytes of the files that are done. */
    uint64_t bytes_done;
    /** Bytes in all. */
    uint64_t bytes_total;
    /** Events stored so far, duplicates not counted. */
    uint64_t events_stored;
} recallite_import_progress;

/**
 * Called after each transaction of an import, on the thread that imports. It
 * may call the library. It must return: no exception and no longjmp.
 *
 * The progress is valid during the call only. Return 0 to go on, anything else
 * to end the import; what was stored stays.
 */
typedef int32_t (*recallite_import_callback)(const struct recallite_import_progress *progress,
                                             void *user_data);

/** A file that could not be read, and why. */
typedef struct recallite_import_failure {
    /** The file. */
    struct recallite_str path;
    /** Why. */
    struct recallite_str reason;
} recallite_import_failure;

/** What an import did. Free it with recallite_import_report_free. */
typedef struct recallite_import_report {
    /** Files that were read. */
    size_t files;
    /** Lines that are JSON, of any kind. */
    uint64_t total_messages;
    /** Prompts that were stored. */
    uint64_t imported_prompts;
    /** Responses that were stored. */
    uint64_t imported_responses;
    /** Tool calls that were stored. */
    uint64_t imported_tools;
    /** Items that the store already had. */
    uint64_t skipped_duplicates;
    /** Lines that could not be read. */
    uint64_t errors;
    /** Pointers to the files that could not be read; the others were imported. */
    const struct recallite_import_failure *const *failed_files;
    /** How many such files. */
    size_t failed_files_len;
    /** Why events were refused: at most the first ten. */
    const struct recallite_str *refused;
    /** How many reasons. */
    size_t refused_len;
} recallite_import_report;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The stable name of a status, for example "invalid_argument"; "ok" for 0,
 * "unknown" for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_status_name(int32_t status);

/**
 * The stable name of an event kind, for example "user_prompt"; "unknown" for
 * a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_event_kind_name(int32_t kind);

/**
 * The stable name of an origin, for example "assistant"; "unknown" for a
 * number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_origin_name(int32_t origin);

/**
 * The stable name of a confidence: "none", "suggested" or "high"; "unknown"
 * for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_confidence_name(int32_t confidence);

/**
 * The event kind with a stable name or with the word that people see
 * ("prompt", "response", "insight", "tool").
 *
 * @param[in] name the name.
 * @param[out] kind one of recallite_event_kind.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when no kind has this name.
 */
recallite_status recallite_event_kind_from_name(struct recallite_str name,
                                                int32_t *kind,
                                                struct recallite_error **error);

/**
 * A view of zero-terminated text, without the zero; absent for NULL.
 *
 * @param[in] text zero-terminated UTF-8, or NULL.
 * @return a view that lives as long as text.
 */
struct recallite_str recallite_str_from(const char *text);

/** Frees text that the caller owns. NULL is fine. */
void recallite_string_free(struct recallite_string *string);

/** Frees an error. NULL is fine. */
void recallite_error_free(struct recallite_error *error);

/** The ABI version of the loaded library: its RECALLITE_ABI_VERSION. */
uint32_t recallite_abi_version(void);

/**
 * The version of the loaded library, for example "0.1.0". The header has its
 * own in RECALLITE_VERSION.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_version(void);

/**
 * Opens the memory in a folder with default settings, creating it when it is
 * missing.
 *
 * @param[in] path the folder, UTF-8.
 * @param[out] memory the handle; close it with recallite_close and free it
 *     with recallite_free.
 * @param[out] error set on failure; may be NULL.
 * @return as recallite_open_with.
 */
recallite_status recallite_open(struct recallite_str path,
                                struct recallite_memory **memory,
                                struct recallite_error **error);

/**
 * Opens the memory in a folder.
 *
 * @param[in] path the folder, UTF-8.
 * @param[in] options how; NULL for the defaults.
 * @param[out] memory the handle; close it with recallite_close and free it
 *     with recallite_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when path is a file or an option is out
 *     of range, RECALLITE_NOT_FOUND when there is no store and must_exist is
 *     set, RECALLITE_PERMISSION_DENIED, RECALLITE_BUSY, RECALLITE_CORRUPT,
 *     RECALLITE_NEWER_FORMAT or RECALLITE_IO, each naming the path.
 */
recallite_status recallite_open_with(struct recallite_str path,
                                     const struct recallite_open_options *options,
                                     struct recallite_memory **memory,
                                     struct recallite_error **error);

/**
 * Closes a memory: later calls on it fail with RECALLITE_CLOSED. The handle
 * stays valid until recallite_free. Closing twice is fine.
 *
 * @param[in] memory the memory.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when memory is no live handle.
 */
recallite_status recallite_close(struct recallite_memory *memory,
                                 struct recallite_error **error);

/**
 * Closes a memory if it is open and frees its handle. NULL and a handle that
 * was freed before are fine. The store's file is released when the last
 * handle and the last cursor of the process are freed.
 */
void recallite_free(struct recallite_memory *memory);

/**
 * Whether a handle can be used: live, not closed, and not poisoned.
 *
 * @param[in] memory the memory; false for NULL and for a freed handle.
 */
bool recallite_is_open(const struct recallite_memory *memory);

/**
 * The folder of a memory.
 *
 * @param[in] memory the memory, open or closed.
 * @param[out] path a view that lives until recallite_free(memory).
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when memory is no live handle.
 */
recallite_status recallite_path(const struct recallite_memory *memory,
                                struct recallite_str *path,
                                struct recallite_error **error);

/**
 * The project that a memory was opened for; empty for none.
 *
 * @param[in] memory the memory, open or closed.
 * @param[out] project a view that lives until recallite_free(memory).
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when memory is no live handle.
 */
recallite_status recallite_project(const struct recallite_memory *memory,
                                   struct recallite_str *project,
                                   struct recallite_error **error);

/** Frees an event that the caller owns. NULL is fine. */
void recallite_event_free(struct recallite_event *event);

/** Frees a list of events and the events in it. NULL is fine. */
void recallite_event_list_free(struct recallite_event_list *events);

/**
 * Remembers one event. When this returns RECALLITE_OK, the event is on the
 * disk.
 *
 * The text passes the privacy filter first. The same content in the same
 * session is stored once; the receipt says so.
 *
 * @param[in] memory the memory.
 * @param[in] event the event; the library keeps no pointer to it.
 * @param[out] receipt the receipt, to be freed with recallite_receipt_free;
 *     may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT for an empty text, a name that is too
 *     long or a time out of range; RECALLITE_BUSY, RECALLITE_FULL,
 *     RECALLITE_IO or RECALLITE_NEEDS_REOPEN when the store cannot be written.
 *     Nothing is stored then.
 */
recallite_status recallite_append(struct recallite_memory *memory,
                                  const struct recallite_new_event *event,
                                  struct recallite_receipt **receipt,
                                  struct recallite_error **error);

/**
 * Remembers several events in one transaction: all of them or, when one is
 * refused, none.
 *
 * @param[in] memory the memory.
 * @param[in] events an array of events, each with the same struct_size.
 * @param[in] events_len how many; 0 stores nothing.
 * @param[out] receipts the receipts in the order of the events, to be freed
 *     with recallite_receipt_list_free; may be NULL.
 * @param[out] error set on failure; may be NULL. It names the event, for
 *     example "events[3].session".
 * @return as recallite_append.
 */
recallite_status recallite_append_batch(struct recallite_memory *memory,
                                        const struct recallite_new_event *events,
                                        size_t events_len,
                                        struct recallite_receipt_list **receipts,
                                        struct recallite_error **error);

/** Frees a receipt that the caller owns. NULL is fine. */
void recallite_receipt_free(struct recallite_receipt *receipt);

/** Frees a list of receipts and the receipts in it. NULL is fine. */
void recallite_receipt_list_free(struct recallite_receipt_list *receipts);

/**
 * Reads an event by id or citation.
 *
 * @param[in] memory the memory.
 * @param[in] event an event id, "a7Bc3x", "mem:a7Bc3x" or "[mem:a7Bc3x]".
 * @param[out] found the event, to be freed with recallite_event_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when event is neither an id nor a
 *     citation, RECALLITE_NOT_FOUND when there is no such event or it was
 *     forgotten, RECALLITE_CORRUPT or RECALLITE_IO when it cannot be read.
 */
recallite_status recallite_event_get(struct recallite_memory *memory,
                                     struct recallite_str event,
                                     struct recallite_event **found,
                                     struct recallite_error **error);

/**
 * Reads an event by its position in the log.
 *
 * @param[in] memory the memory.
 * @param[in] seq the position, from 1 on.
 * @param[out] found the event, to be freed with recallite_event_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no event at this position or it
 *     was forgotten, RECALLITE_CORRUPT or RECALLITE_IO when it cannot be read.
 */
recallite_status recallite_event_at(struct recallite_memory *memory,
                                    uint64_t seq,
                                    struct recallite_event **found,
                                    struct recallite_error **error);

/**
 * Reads an event by what people type: the other name of recallite_event_get,
 * for programs that show sources.
 *
 * @param[in] memory the memory.
 * @param[in] text "a7Bc3x", "mem:a7Bc3x", "[mem:a7Bc3x]" or an event id.
 * @param[out] found the event, to be freed with recallite_event_free.
 * @param[out] error set on failure; may be NULL.
 * @return as recallite_event_get.
 */
recallite_status recallite_citation(struct recallite_memory *memory,
                                    struct recallite_str text,
                                    struct recallite_event **found,
                                    struct recallite_error **error);

/**
 * Events in the order of time that fit a filter, read as they are asked for.
 * Each step sees what is stored at that moment.
 *
 * @param[in] memory the memory.
 * @param[in] filter which; NULL for every conversation event of the memory's
 *     project, oldest first.
 * @param[out] cursor give it to recallite_event_cursor_next, and free it with
 *     recallite_event_cursor_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT for a wrong filter; RECALLITE_CORRUPT or
 *     RECALLITE_IO when the store cannot be read.
 */
recallite_status recallite_events(struct recallite_memory *memory,
                                  const struct recallite_event_filter *filter,
                                  struct recallite_event_cursor **cursor,
                                  struct recallite_error **error);

/**
 * Reads the next event.
 *
 * @param[in] cursor the cursor.
 * @param[out] next the event, to be freed with recallite_event_free; NULL at
 *     the end.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CLOSED when the memory was closed, RECALLITE_CORRUPT or
 *     RECALLITE_IO when the event cannot be read. The cursor is at its end
 *     then.
 */
recallite_status recallite_event_cursor_next(struct recallite_event_cursor *cursor,
                                             struct recallite_event **next,
                                             struct recallite_error **error);

/** Frees a cursor. NULL and a cursor that was freed before are fine. */
void recallite_event_cursor_free(struct recallite_event_cursor *cursor);

/**
 * Events after a position of the log, in log order, of every kind and
 * project: what a viewer or a cache needs to follow the store.
 *
 * @param[in] memory the memory.
 * @param[in] after the last position that is known; 0 for none.
 * @param[in] limit at most this many events.
 * @param[out] events the events, to be freed with recallite_event_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
 */
recallite_status recallite_changes_since(struct recallite_memory *memory,
                                         uint64_t after,
                                         size_t limit,
                                         struct recallite_event_list **events,
                                         struct recallite_error **error);

/**
 * The sessions of the store, the one with the newest event first.
 *
 * @param[in] memory the memory.
 * @param[in] scope which projects: one of recallite_scope.
 * @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
 * @param[out] sessions the sessions, to be freed with
 *     recallite_session_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT for a wrong scope; RECALLITE_CORRUPT or
 *     RECALLITE_IO when the store cannot be read.
 */
recallite_status recallite_sessions(struct recallite_memory *memory,
                                    int32_t scope,
                                    struct recallite_str project,
                                    struct recallite_session_list **sessions,
                                    struct recallite_error **error);

/**
 * Reads one session.
 *
 * @param[in] memory the memory.
 * @param[in] id its name, as events carry it.
 * @param[out] session the session, to be freed with recallite_session_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when no event belongs to it; RECALLITE_CORRUPT
 *     or RECALLITE_IO when the store cannot be read.
 */
recallite_status recallite_session_get(struct recallite_memory *memory,
                                       struct recallite_str id,
                                       struct recallite_session **session,
                                       struct recallite_error **error);

/**
 * Starts, ends, summarises or tags a session. The change itself is an event of
 * the log.
 *
 * @param[in] memory the memory.
 * @param[in] id its name, as events carry it; a new name starts a session.
 * @param[in] update the change.
 * @param[out] session the session as it is now, to be freed with
 *     recallite_session_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return as recallite_append.
 */
recallite_status recallite_update_session(struct recallite_memory *memory,
                                          struct recallite_str id,
                                          const struct recallite_session_update *update,
                                          struct recallite_session **session,
                                          struct recallite_error **error);

/** Frees a session that the caller owns. NULL is fine. */
void recallite_session_free(struct recallite_session *session);

/** Frees a list of sessions and the sessions in it. NULL is fine. */
void recallite_session_list_free(struct recallite_session_list *sessions);

/**
 * Finds events, best first.
 *
 * @param[in] memory the memory.
 * @param[in] query what to look for.
 * @param[out] result the hits, to be freed with recallite_search_result_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT for a blank text, a limit above 1,000 or
 *     a relevance outside 0 to 1; RECALLITE_CORRUPT or RECALLITE_IO when the
 *     store cannot be read.
 */
recallite_status recallite_search(struct recallite_memory *memory,
                                  const struct recallite_query *query,
                                  struct recallite_search_result **result,
                                  struct recallite_error **error);

/** Frees what a search found. NULL is fine. */
void recallite_search_result_free(struct recallite_search_result *result);

/**
 * What happened around some events: each with up to window events before and
 * after it in its session, without repetition, in the order of time. Events
 * that do not exist are left out.
 *
 * @param[in] memory the memory.
 * @param[in] events ids or citations.
 * @param[in] events_len how many.
 * @param[in] window how many events on each side, 0 to 100;
 *     RECALLITE_DEFAULT_WINDOW is a good choice.
 * @param[out] timeline the items, to be freed with
 *     recallite_timeline_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when window is too large or an event is
 *     neither an id nor a citation; RECALLITE_CORRUPT or RECALLITE_IO when the
 *     store cannot be read.
 */
recallite_status recallite_timeline(struct recallite_memory *memory,
                                    const struct recallite_str *events,
                                    size_t events_len,
                                    size_t window,
                                    struct recallite_timeline_list **timeline,
                                    struct recallite_error **error);

/**
 * Events in full, in the order asked for, with the events they belong to.
 *
 * @param[in] memory the memory.
 * @param[in] events ids or citations.
 * @param[in] events_len how many.
 * @param[out] details the details, to be freed with
 *     recallite_detail_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND naming the first event that does not exist;
 *     RECALLITE_INVALID_ARGUMENT when one is neither an id nor a citation;
 *     RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
 */
recallite_status recallite_details(struct recallite_memory *memory,
                                   const struct recallite_str *events,
                                   size_t events_len,
                                   struct recallite_detail_list **details,
                                   struct recallite_error **error);

/** Frees a timeline. NULL is fine. */
void recallite_timeline_list_free(struct recallite_timeline_list *timeline);

/** Frees a list of details and the events in it. NULL is fine. */
void recallite_detail_list_free(struct recallite_detail_list *details);

/**
 * Figures about the store: how much each layer holds and when it last moved.
 *
 * @param[in] memory the memory.
 * @param[out] stats the figures, to be freed with recallite_stats_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
 */
recallite_status recallite_stats_get(struct recallite_memory *memory,
                                     struct recallite_stats **stats,
                                     struct recallite_error **error);

/** Frees figures that the caller owns. NULL is fine. */
void recallite_stats_free(struct recallite_stats *stats);

/**
 * Imports Claude Code transcripts: a .jsonl file, a project's folder with its
 * subagents' files, or the root of such folders. Importing again changes
 * nothing, and a session that goes on is completed by the next import.
 *
 * @param[in] memory the memory.
 * @param[in] path the file or folder, UTF-8.
 * @param[in] options what is taken; NULL for the defaults.
 * @param[in] progress called after each transaction; NULL for none.
 * @param[in] user_data given to progress.
 * @param[out] report what was done, to be freed with
 *     recallite_import_report_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no transcript at path;
 *     RECALLITE_IO, RECALLITE_BUSY or RECALLITE_FULL when the store cannot be
 *     written (what was stored before stays).
 */
recallite_status recallite_import_claude_code(struct recallite_memory *memory,
                                              struct recallite_str path,
                                              const struct recallite_import_options *options,
                                              recallite_import_callback progress,
                                              void *user_data,
                                              struct recallite_import_report **report,
                                              struct recallite_error **error);

/** Frees a report that the caller owns. NULL is fine. */
void recallite_import_report_free(struct recallite_import_report *report);

/**
 * The folder where a user's memory lies unless a program chooses another.
 *
 * @param[out] path the folder, to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when the system names no home folder.
 */
recallite_status recallite_default_store_path(struct recallite_string **path,
                                              struct recallite_error **error);

/**
 * The project that a working folder belongs to: the root of its git
 * repository, and for a linked worktree the root of the main one. Without a
 * repository, the folder itself. The name is the absolute path, with / between
 * its parts.
 *
 * @param[in] folder the folder, UTF-8.
 * @param[out] project its name, to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND or RECALLITE_IO when the folder cannot be looked
 *     at.
 */
recallite_status recallite_project_of(struct recallite_str folder,
                                      struct recallite_string **project,
                                      struct recallite_error **error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RECALLITE_H */
