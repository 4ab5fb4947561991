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
 * then set what is wanted; a field that is zero has its default, except in
 * recallite_recall_weights, which a function fills. Programs that were compiled
 * with an older header, and so with smaller structs, go on working.
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
 * Callbacks get the user_data that they were given with. The comment of each type
 * says on which thread it is called, whether it may call the library and what its
 * return value means. None may end by an exception or longjmp.
 *
 * Defects. A defect inside the library never unwinds into the program: the call
 * returns RECALLITE_INTERNAL and its handle is poisoned; later calls on it
 * return RECALLITE_POISONED until the program frees it and opens the store
 * again. Such a call writes to standard error; nothing else does, and the library
 * keeps no log.
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

/** The bytes of a recallite_problem. */
#define RECALLITE_PROBLEM_BYTES 256

/**
 * How many items before and after its target a timeline shows by default in
 * the other languages.
 */
#define RECALLITE_DEFAULT_WINDOW 3

/** The version of the extraction schema that this library reads. */
#define RECALLITE_EXTRACTION_SCHEMA_VERSION 1

/**
 * What kind of thing went wrong, as a stable code that never changes meaning.
 *
 * The text form (as_str) is the same in every language. Later versions may add
 * codes: treat an unknown one as a failure.
 */
enum recallite_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** The call did what it was asked. */
    RECALLITE_OK = 0,
    /** An argument is outside what the call accepts; the message names it. */
    RECALLITE_INVALID_ARGUMENT = 1,
    /** The named event, citation, task or session does not exist here. */
    RECALLITE_NOT_FOUND = 2,
    /** Something with this name or key exists already. */
    RECALLITE_ALREADY_EXISTS = 3,
    /** Another process or thread held the store longer than busy_timeout_ms. */
    RECALLITE_BUSY = 4,
    /** Bytes on the disk are not what was written; the message names the place. */
    RECALLITE_CORRUPT = 5,
    /**
     * The operating system reported an error while reading or writing; the store
     * goes on.
     */
    RECALLITE_IO = 6,
    /** The disk, or the hard size limit of the store, is full. */
    RECALLITE_FULL = 7,
    /**
     * Reading or writing the store's file failed, or the process was forked. Open
     * the store again: that heals every handle of the process. Then repeat the call:
     * what did reach the disk is recognised as a duplicate.
     */
    RECALLITE_NEEDS_REOPEN = 8,
    /** The store was written by a newer library in a way this one cannot read. */
    RECALLITE_NEWER_FORMAT = 9,
    /** The operating system denies access to the store's folder or files. */
    RECALLITE_PERMISSION_DENIED = 10,
    /** The handle was closed. */
    RECALLITE_CLOSED = 11,
    /** The call needs a feature that was not built in, or a platform that has it. */
    RECALLITE_UNSUPPORTED = 12,
    /** An earlier panic left this handle unusable; reopen the store. */
    RECALLITE_POISONED = 13,
    /** The embedder failed; lexical recall still works. */
    RECALLITE_EMBEDDER = 14,
    /** A task or job cannot move between these two states. */
    RECALLITE_INVALID_TRANSITION = 15,
    /** The change would break a rule that the data must always keep. */
    RECALLITE_INVARIANT_VIOLATION = 16,
    /** A host callback returned an error or panicked. */
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

/**
 * What an event records. The number and the name are stable on disk and in every
 * language.
 */
enum recallite_event_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_EVENT_KIND_UNSET = 0,
    /** What a person asked or said. */
    RECALLITE_EVENT_KIND_USER_PROMPT = 1,
    /** What the agent answered. */
    RECALLITE_EVENT_KIND_AGENT_RESPONSE = 2,
    /** A summary of a session. */
    RECALLITE_EVENT_KIND_SESSION_SUMMARY = 3,
    /** One call of a tool and what came back. */
    RECALLITE_EVENT_KIND_TOOL_OBSERVATION = 4,
    /** Pipeline: a session's messages were taken in for learning. */
    RECALLITE_EVENT_KIND_SESSION_INGESTED = 16,
    /** Pipeline: an extractor's result for a session. */
    RECALLITE_EVENT_KIND_MEMORY_EXTRACTED = 17,
    /** Pipeline: quotes were aligned to exact spans. */
    RECALLITE_EVENT_KIND_EVIDENCE_ALIGNED = 18,
    /** Pipeline: entries were type checked. */
    RECALLITE_EVENT_KIND_IDRIS_CHECKED = 19,
    /** An entry came into being, changed stage, or was superseded. */
    RECALLITE_EVENT_KIND_ENTRY_CHANGED = 20,
    /** A build run began, succeeded or failed. */
    RECALLITE_EVENT_KIND_BUILD_RUN = 21,
    /** A decision with its evidence. */
    RECALLITE_EVENT_KIND_DECISION_MADE = 22,
    /** Two entries were found to disagree, or the disagreement was resolved. */
    RECALLITE_EVENT_KIND_CONFLICT_CHANGED = 23,
    /** A pipeline stage reported how long it took. */
    RECALLITE_EVENT_KIND_PIPELINE_METRIC = 24,
    /** An edge was created or removed by a caller. */
    RECALLITE_EVENT_KIND_EDGE_CHANGED = 25,
    /** A task came into being. */
    RECALLITE_EVENT_KIND_TASK_CREATED = 32,
    /** A task moved to another status. */
    RECALLITE_EVENT_KIND_TASK_STATUS_CHANGED = 33,
    /** A task's priority changed. */
    RECALLITE_EVENT_KIND_TASK_PRIORITY_CHANGED = 34,
    /** A task's blockers were replaced or suggested. */
    RECALLITE_EVENT_KIND_TASK_BLOCKERS_SET = 35,
    /** A task's requested move was refused. */
    RECALLITE_EVENT_KIND_TASK_TRANSITION_REJECTED = 36,
    /** A condition that can block tasks was declared. */
    RECALLITE_EVENT_KIND_CONDITION_DECLARED = 37,
    /** An artifact that can block tasks was declared. */
    RECALLITE_EVENT_KIND_ARTIFACT_DECLARED = 38,
    /** A condition turned out to be another entity. */
    RECALLITE_EVENT_KIND_CONDITION_RESOLVED_TO = 39,
    /** A task's title changed. */
    RECALLITE_EVENT_KIND_TASK_TITLE_CHANGED = 40,
    /** A session began, ended, or got a summary or tags. */
    RECALLITE_EVENT_KIND_SESSION_CHANGED = 48,
    /** Recalled events, in batches. */
    RECALLITE_EVENT_KIND_ACCESSED = 49,
    /** Recalled text was given to an agent, with its citations. */
    RECALLITE_EVENT_KIND_INJECTED = 50,
    /** Events were forgotten (a tombstone). */
    RECALLITE_EVENT_KIND_FORGOTTEN = 51,
    /** Events were erased from the log. */
    RECALLITE_EVENT_KIND_ERASED = 52,
    /** An event moved to another memory level. */
    RECALLITE_EVENT_KIND_LEVEL_CHANGED = 53,
    /** Something was consolidated from the working set. */
    RECALLITE_EVENT_KIND_CONSOLIDATED = 54,
    /** Continuity between two contexts was scored. */
    RECALLITE_EVENT_KIND_CONTINUITY_SCORED = 55,
    /** A setting of the store changed (mode, endless mode). */
    RECALLITE_EVENT_KIND_SETTING_CHANGED = 56,
    /** An uncertain memory was confirmed, rejected or left pending. */
    RECALLITE_EVENT_KIND_MEMORY_RESOLVED = 57,
    /** An event was pinned or unpinned. */
    RECALLITE_EVENT_KIND_PIN_CHANGED = 58,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_event_kind recallite_event_kind;
#else
typedef int32_t recallite_event_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Where an event's text came from, so that recalled text which comes back is
 * recognised and not learned again.
 */
enum recallite_origin
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_ORIGIN_UNSET = 0,
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

/** How a call of a tool ended. */
enum recallite_tool_outcome
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_TOOL_OUTCOME_UNSET = 0,
    /** It did what it was asked to. */
    RECALLITE_TOOL_OUTCOME_SUCCEEDED = 1,
    /** It gave an error. */
    RECALLITE_TOOL_OUTCOME_FAILED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_tool_outcome recallite_tool_outcome;
#else
typedef int32_t recallite_tool_outcome;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** Why an append stored nothing, though nothing is wrong. */
enum recallite_skip_reason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_SKIP_REASON_UNSET = 0,
    /** Calls of this tool, or of all tools, are not to be stored. */
    RECALLITE_SKIP_REASON_TOOL_EXCLUDED = 1,
    /** The call failed, and only those that succeed are to be stored. */
    RECALLITE_SKIP_REASON_TOOL_FAILED = 2,
    /** Recording is paused for its session or its project. */
    RECALLITE_SKIP_REASON_PAUSED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_skip_reason recallite_skip_reason;
#else
typedef int32_t recallite_skip_reason;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** Where the value of a setting comes from. */
enum recallite_setting_source
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_SETTING_SOURCE_UNSET = 0,
    /** The library's default. */
    RECALLITE_SETTING_SOURCE_DEFAULT = 1,
    /** The store, for every process that opens it. */
    RECALLITE_SETTING_SOURCE_STORE = 2,
    /** The settings file. */
    RECALLITE_SETTING_SOURCE_FILE = 3,
    /**
     * The call that opened the memory: its settings, or an option that wins over the
     * key.
     */
    RECALLITE_SETTING_SOURCE_CALL = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_setting_source recallite_setting_source;
#else
typedef int32_t recallite_setting_source;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What a pause of recording is for. */
enum recallite_pause_scope
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_PAUSE_SCOPE_UNSET = 0,
    /** One conversation. */
    RECALLITE_PAUSE_SCOPE_SESSION = 1,
    /** Everything in one project; the empty name is what has no project. */
    RECALLITE_PAUSE_SCOPE_PROJECT = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_pause_scope recallite_pause_scope;
#else
typedef int32_t recallite_pause_scope;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** Which step found a quote. */
enum recallite_match_method
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_MATCH_METHOD_UNSET = 0,
    /** The quote stands literally in the message. */
    RECALLITE_MATCH_METHOD_EXACT = 1,
    /** It does after normalisation. */
    RECALLITE_MATCH_METHOD_NORMALIZED = 2,
    /** Something similar stands there. */
    RECALLITE_MATCH_METHOD_FUZZY = 3,
    /** No step found it. */
    RECALLITE_MATCH_METHOD_NONE = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_match_method recallite_match_method;
#else
typedef int32_t recallite_match_method;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** Why a quote was not aligned. */
enum recallite_failure_reason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_FAILURE_REASON_UNSET = 0,
    /** There is no message with this index. */
    RECALLITE_FAILURE_REASON_INVALID_INDEX = 1,
    /** The quote is empty or only whitespace. */
    RECALLITE_FAILURE_REASON_EMPTY_QUOTE = 2,
    /** Nothing in the message resembles the quote. */
    RECALLITE_FAILURE_REASON_NOT_FOUND = 3,
    /**
     * Some piece of the message resembles the quote (by at least 0.7), but no window
     * reaches the threshold.
     */
    RECALLITE_FAILURE_REASON_BELOW_THRESHOLD = 4,
    /** The quote fits several places and reject_ambiguous is on. */
    RECALLITE_FAILURE_REASON_AMBIGUOUS = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_failure_reason recallite_failure_reason;
#else
typedef int32_t recallite_failure_reason;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What an entry tells. */
enum recallite_entry_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_ENTRY_TYPE_UNSET = 0,
    /** Something that is so. */
    RECALLITE_ENTRY_TYPE_FACT = 1,
    /** Something that was decided. */
    RECALLITE_ENTRY_TYPE_DECISION = 2,
    /** Something that was understood. */
    RECALLITE_ENTRY_TYPE_INSIGHT = 3,
    /** Something about a task. */
    RECALLITE_ENTRY_TYPE_TASK_NOTE = 4,
    /** Where something is to be found. */
    RECALLITE_ENTRY_TYPE_REFERENCE = 5,
    /** What somebody likes or wants. */
    RECALLITE_ENTRY_TYPE_PREFERENCE = 6,
    /** What comes up again and again. */
    RECALLITE_ENTRY_TYPE_PATTERN = 7,
    /** What the work must or must not do. */
    RECALLITE_ENTRY_TYPE_CONSTRAINT = 8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_entry_type recallite_entry_type;
#else
typedef int32_t recallite_entry_type;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How well an entry is proved. */
enum recallite_stage
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_STAGE_UNSET = 0,
    /** As it was extracted. */
    RECALLITE_STAGE_RAW = 1,
    /** Well-formed. */
    RECALLITE_STAGE_WORKING = 2,
    /** Typed, with its quotes looked up. */
    RECALLITE_STAGE_CANDIDATE = 3,
    /** Every quote was found in the source. */
    RECALLITE_STAGE_VERIFIED = 4,
    /** Somebody vouched for it. */
    RECALLITE_STAGE_CERTIFIED = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_stage recallite_stage;
#else
typedef int32_t recallite_stage;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** Whether an entry counts. */
enum recallite_entry_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_ENTRY_STATUS_UNSET = 0,
    /** It counts. */
    RECALLITE_ENTRY_STATUS_ACTIVE = 1,
    /** Another entry says otherwise; it counts less. */
    RECALLITE_ENTRY_STATUS_CONTESTED = 2,
    /** It no longer counts, without a successor. */
    RECALLITE_ENTRY_STATUS_DEPRECATED = 3,
    /** Another entry took its place. */
    RECALLITE_ENTRY_STATUS_SUPERSEDED = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_entry_status recallite_entry_status;
#else
typedef int32_t recallite_entry_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** The three kinds of things that change by events. */
enum recallite_entity_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_ENTITY_KIND_UNSET = 0,
    /** Something to do. */
    RECALLITE_ENTITY_KIND_TASK = 1,
    /** Something that must become true. */
    RECALLITE_ENTITY_KIND_CONDITION = 2,
    /** Something elsewhere: a page, a ticket, an issue. */
    RECALLITE_ENTITY_KIND_ARTIFACT = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_entity_kind recallite_entity_kind;
#else
typedef int32_t recallite_entity_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What an artifact is, by the pattern of its identifier. */
enum recallite_artifact_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_ARTIFACT_KIND_UNSET = 0,
    /** A web address: it starts with http:// or https:// (lower case). */
    RECALLITE_ARTIFACT_KIND_URL = 1,
    /** A Jira ticket such as PROJ-123: ASCII capitals, a hyphen, ASCII digits. */
    RECALLITE_ARTIFACT_KIND_JIRA = 2,
    /** A GitHub issue such as owner/repo#12, without white space. */
    RECALLITE_ARTIFACT_KIND_GITHUB_ISSUE = 3,
    /** Anything else. */
    RECALLITE_ARTIFACT_KIND_GENERIC = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_artifact_kind recallite_artifact_kind;
#else
typedef int32_t recallite_artifact_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** Where a task stands. */
enum recallite_task_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_TASK_STATUS_UNSET = 0,
    /** Known, not begun. */
    RECALLITE_TASK_STATUS_PENDING = 1,
    /** Being worked on. */
    RECALLITE_TASK_STATUS_IN_PROGRESS = 2,
    /** Held up by at least one blocker. */
    RECALLITE_TASK_STATUS_BLOCKED = 3,
    /** Finished. It may be opened again. */
    RECALLITE_TASK_STATUS_DONE = 4,
    /** Given up, for ever. */
    RECALLITE_TASK_STATUS_CANCELLED = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_task_status recallite_task_status;
#else
typedef int32_t recallite_task_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How urgent a task is. */
enum recallite_priority
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_PRIORITY_UNSET = 0,
    /** Can wait. */
    RECALLITE_PRIORITY_LOW = 1,
    /** The default. */
    RECALLITE_PRIORITY_MEDIUM = 2,
    /** Soon. */
    RECALLITE_PRIORITY_HIGH = 3,
    /** Before everything else. */
    RECALLITE_PRIORITY_CRITICAL = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_priority recallite_priority;
#else
typedef int32_t recallite_priority;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How sure it is that a blocker's text means its entity. */
enum recallite_blocker_confidence
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_BLOCKER_CONFIDENCE_UNSET = 0,
    /** Beyond doubt: an artifact, a task key, a strict title match. */
    RECALLITE_BLOCKER_CONFIDENCE_HIGH = 1,
    /** Likely, not confirmed. */
    RECALLITE_BLOCKER_CONFIDENCE_SUGGESTED = 2,
    /** Not known to be any task; a condition stands for the text. */
    RECALLITE_BLOCKER_CONFIDENCE_NONE = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_blocker_confidence recallite_blocker_confidence;
#else
typedef int32_t recallite_blocker_confidence;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** Why a condition is taken to be another entity. */
enum recallite_resolution_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_RESOLUTION_TYPE_UNSET = 0,
    /** Its text is exactly the other's name. */
    RECALLITE_RESOLUTION_TYPE_EXACT_MATCH = 1,
    /** A person said so. */
    RECALLITE_RESOLUTION_TYPE_USER_CONFIRMED = 2,
    /** The library found it beyond doubt. */
    RECALLITE_RESOLUTION_TYPE_AUTO_RESOLVED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_resolution_type recallite_resolution_type;
#else
typedef int32_t recallite_resolution_type;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What kind of thing stands at an end of an edge. */
enum recallite_node_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_NODE_TYPE_UNSET = 0,
    /** Something learned that never changes: a fact, a decision, an insight. */
    RECALLITE_NODE_TYPE_ENTRY = 1,
    /** Something that changes by events: a task, a condition, an artifact. */
    RECALLITE_NODE_TYPE_ENTITY = 2,
    /** A record of the log. */
    RECALLITE_NODE_TYPE_EVENT = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_node_type recallite_node_type;
#else
typedef int32_t recallite_node_type;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What an edge says; read it from its source to its destination. */
enum recallite_relation
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_RELATION_UNSET = 0,
    /** An entry was made from another entry. */
    RECALLITE_RELATION_DERIVED_FROM = 1,
    /** An entry replaces another entry. */
    RECALLITE_RELATION_SUPERSEDES = 2,
    /** Two entries cannot both be true. */
    RECALLITE_RELATION_CONTRADICTS = 3,
    /** An entry proves something about an entity. */
    RECALLITE_RELATION_EVIDENCE_OF = 4,
    /** An entry speaks of an entity. */
    RECALLITE_RELATION_MENTIONS = 5,
    /** A task cannot go on before an entity is done. */
    RECALLITE_RELATION_BLOCKED_BY = 6,
    /** A task may be blocked by an entity; nobody confirmed it. */
    RECALLITE_RELATION_BLOCKED_BY_SUGGESTED = 7,
    /** A condition turned out to be another entity. */
    RECALLITE_RELATION_RESOLVES_TO = 8,
    /** An entity needs another entity. */
    RECALLITE_RELATION_DEPENDS_ON = 9,
    /** An event brought an entry or entity into being. */
    RECALLITE_RELATION_PRODUCED = 10,
    /** An entry or entity was learned from an event. */
    RECALLITE_RELATION_SOURCE_OF = 11,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_relation recallite_relation;
#else
typedef int32_t recallite_relation;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How far a memory has risen. */
enum recallite_level
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_LEVEL_UNSET = 0,
    /** A raw event. */
    RECALLITE_LEVEL_L0 = 1,
    /** Structured: extracted, with aligned evidence. */
    RECALLITE_LEVEL_L1 = 2,
    /** A candidate: typed and validated. */
    RECALLITE_LEVEL_L2 = 3,
    /** Verified: checked, without contradiction. */
    RECALLITE_LEVEL_L3 = 4,
    /** Active: first choice for injection. */
    RECALLITE_LEVEL_L4 = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_level recallite_level;
#else
typedef int32_t recallite_level;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What an insight tells. */
enum recallite_insight_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_INSIGHT_KIND_UNSET = 0,
    /** Something that comes up again and again. */
    RECALLITE_INSIGHT_KIND_PATTERN = 1,
    /** Something that the user likes or wants. */
    RECALLITE_INSIGHT_KIND_PREFERENCE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_insight_kind recallite_insight_kind;
#else
typedef int32_t recallite_insight_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How a memory treats conversations. */
enum recallite_memory_mode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_MEMORY_MODE_UNSET = 0,
    /** Each conversation is a session of its own (the default). */
    RECALLITE_MEMORY_MODE_SESSION = 1,
    /** All conversations are one. */
    RECALLITE_MEMORY_MODE_ENDLESS = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_memory_mode recallite_memory_mode;
#else
typedef int32_t recallite_memory_mode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How the present joins what was before. */
enum recallite_transition_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_TRANSITION_TYPE_UNSET = 0,
    /** It goes on. */
    RECALLITE_TRANSITION_TYPE_SEAMLESS = 1,
    /** Another topic, near the last. */
    RECALLITE_TRANSITION_TYPE_TOPIC_SHIFT = 2,
    /** Something new. */
    RECALLITE_TRANSITION_TYPE_BREAK = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_transition_type recallite_transition_type;
#else
typedef int32_t recallite_transition_type;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How a run stands; only a finished one has an end, only a failed one an error. */
enum recallite_build_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_BUILD_STATUS_UNSET = 0,
    /** It goes on. */
    RECALLITE_BUILD_STATUS_RUNNING = 1,
    /** It ended well. */
    RECALLITE_BUILD_STATUS_SUCCESS = 2,
    /** It ended badly. */
    RECALLITE_BUILD_STATUS_FAILED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_build_status recallite_build_status;
#else
typedef int32_t recallite_build_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** The stages of the pipeline that are timed. */
enum recallite_pipeline_stage
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_PIPELINE_STAGE_UNSET = 0,
    /** The messages of a session were taken in. */
    RECALLITE_PIPELINE_STAGE_INGEST = 1,
    /** A language model extracted. */
    RECALLITE_PIPELINE_STAGE_EXTRACTION = 2,
    /** Quotes were looked up. */
    RECALLITE_PIPELINE_STAGE_ALIGN = 3,
    /** Entries were type checked. */
    RECALLITE_PIPELINE_STAGE_CHECK = 4,
    /** Entries became records. */
    RECALLITE_PIPELINE_STAGE_MATERIALIZE = 5,
    /** Tasks were resolved. */
    RECALLITE_PIPELINE_STAGE_RESOLVE = 6,
    /** Events were folded into tables. */
    RECALLITE_PIPELINE_STAGE_PROJECT = 7,
    /** Vectors and postings were written. */
    RECALLITE_PIPELINE_STAGE_INDEX = 8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_pipeline_stage recallite_pipeline_stage;
#else
typedef int32_t recallite_pipeline_stage;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What a decision's evidence is. */
enum recallite_evidence_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_EVIDENCE_KIND_UNSET = 0,
    /** A learned entry. */
    RECALLITE_EVIDENCE_KIND_ENTRY = 1,
    /** A task, condition or artifact. */
    RECALLITE_EVIDENCE_KIND_ENTITY = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_evidence_kind recallite_evidence_kind;
#else
typedef int32_t recallite_evidence_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** The stages that can carry a decision. */
enum recallite_proven_stage
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_PROVEN_STAGE_UNSET = 0,
    /** Every quote was found. */
    RECALLITE_PROVEN_STAGE_VERIFIED = 1,
    /** Somebody vouched for it. */
    RECALLITE_PROVEN_STAGE_CERTIFIED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_proven_stage recallite_proven_stage;
#else
typedef int32_t recallite_proven_stage;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What became of an uncertain memory. */
enum recallite_resolution_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_RESOLUTION_KIND_UNSET = 0,
    /** It is the other one. */
    RECALLITE_RESOLUTION_KIND_CONFIRMED = 1,
    /** It is not the other one. */
    RECALLITE_RESOLUTION_KIND_REJECTED = 2,
    /** Nobody has said yet. */
    RECALLITE_RESOLUTION_KIND_PENDING = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_resolution_kind recallite_resolution_kind;
#else
typedef int32_t recallite_resolution_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How a memory is to be read. */
enum recallite_effective_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_EFFECTIVE_STATUS_UNSET = 0,
    /** As another memory. */
    RECALLITE_EFFECTIVE_STATUS_RESOLVED = 1,
    /** As itself, and a question is open. */
    RECALLITE_EFFECTIVE_STATUS_PENDING = 2,
    /** As itself. */
    RECALLITE_EFFECTIVE_STATUS_DIRECT = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_effective_status recallite_effective_status;
#else
typedef int32_t recallite_effective_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What a learned thing is. */
enum recallite_learned_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_LEARNED_KIND_UNSET = 0,
    /** A learned entry: a decision, a fact, a preference, ... */
    RECALLITE_LEARNED_KIND_ENTRY = 1,
    /** Something to do. */
    RECALLITE_LEARNED_KIND_TASK = 2,
    /** What repeated use of events gave away. */
    RECALLITE_LEARNED_KIND_INSIGHT = 3,
    /** Several events put into words. */
    RECALLITE_LEARNED_KIND_MEMORY = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_learned_kind recallite_learned_kind;
#else
typedef int32_t recallite_learned_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How a learned thing stands. */
enum recallite_learned_state
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_LEARNED_STATE_UNSET = 0,
    /** It holds. */
    RECALLITE_LEARNED_STATE_IN_FORCE = 1,
    /** Another entry says otherwise, and nobody has settled it. */
    RECALLITE_LEARNED_STATE_CONTESTED = 2,
    /** Another entry took its place. */
    RECALLITE_LEARNED_STATE_SUPERSEDED = 3,
    /** It was taken back. */
    RECALLITE_LEARNED_STATE_DEPRECATED = 4,
    /** A task that nobody has begun. */
    RECALLITE_LEARNED_STATE_PENDING = 5,
    /** A task that is being worked on. */
    RECALLITE_LEARNED_STATE_IN_PROGRESS = 6,
    /** A task that something holds up. */
    RECALLITE_LEARNED_STATE_BLOCKED = 7,
    /** A task that is finished. */
    RECALLITE_LEARNED_STATE_DONE = 8,
    /** A task that was given up. */
    RECALLITE_LEARNED_STATE_CANCELLED = 9,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_learned_state recallite_learned_state;
#else
typedef int32_t recallite_learned_state;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What may be done with a match. */
enum recallite_match_class
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_MATCH_CLASS_UNSET = 0,
    /** Use it without asking. */
    RECALLITE_MATCH_CLASS_HIGH = 1,
    /** Offer it and ask. */
    RECALLITE_MATCH_CLASS_SUGGESTED = 2,
    /** There is no match. */
    RECALLITE_MATCH_CLASS_NONE = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_match_class recallite_match_class;
#else
typedef int32_t recallite_match_class;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How a block of cited memories is laid out. */
enum recallite_citation_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_CITATION_FORMAT_UNSET = 0,
    /** Each memory quoted, with its citation below it (the default). */
    RECALLITE_CITATION_FORMAT_INLINE = 1,
    /** Each memory followed by [n], the citations listed at the end. */
    RECALLITE_CITATION_FORMAT_FOOTNOTE = 2,
    /** The memories under ## Content, the citations under ## References. */
    RECALLITE_CITATION_FORMAT_REFERENCE = 3,
    /** Each memory quoted, without citations. */
    RECALLITE_CITATION_FORMAT_NONE = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_citation_format recallite_citation_format;
#else
typedef int32_t recallite_citation_format;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** When the record of an injection is written. */
enum recallite_recording
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_RECORDING_UNSET = 0,
    /**
     * With the next append, flush or close of this process (the default): it costs
     * no write of its own, and is lost when the process is killed before.
     */
    RECALLITE_RECORDING_LATER = 1,
    /** Before the call returns: for short-lived processes that append nothing. */
    RECALLITE_RECORDING_NOW = 2,
    /** Never: usage figures do not count it. */
    RECALLITE_RECORDING_NEVER = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_recording recallite_recording;
#else
typedef int32_t recallite_recording;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** Why results were expanded, or not. */
enum recallite_expansion_reason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_EXPANSION_REASON_UNSET = 0,
    /** There is one result, and it is surely meant. */
    RECALLITE_EXPANSION_REASON_HIGH_CONFIDENCE = 1,
    /** The query asks to see an event that it names by its citation. */
    RECALLITE_EXPANSION_REASON_USER_REQUEST = 2,
    /** The query names an event by its citation. */
    RECALLITE_EXPANSION_REASON_EXPLICIT_ID = 3,
    /** The first result is clearly better than the second. */
    RECALLITE_EXPANSION_REASON_CLEAR_WINNER = 4,
    /** Several results are good: their surroundings help to choose. */
    RECALLITE_EXPANSION_REASON_AMBIGUOUS_RESULTS = 5,
    /** Nothing is good enough, or there is nothing. */
    RECALLITE_EXPANSION_REASON_LOW_CONFIDENCE = 6,
    /**
     * The query names a time, and the results are of that time: what happened around
     * them is shown.
     */
    RECALLITE_EXPANSION_REASON_TEMPORAL_PROXIMITY = 7,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_expansion_reason recallite_expansion_reason;
#else
typedef int32_t recallite_expansion_reason;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How far the orders of a member reach. */
enum recallite_member_role
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_MEMBER_ROLE_UNSET = 0,
    /**
     * What it forgets and erases is forgotten and erased everywhere, whoever
     * recorded it: another machine of the same person.
     */
    RECALLITE_MEMBER_ROLE_OWNER = 1,
    /** It reaches what it recorded itself. */
    RECALLITE_MEMBER_ROLE_WRITER = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_member_role recallite_member_role;
#else
typedef int32_t recallite_member_role;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How a private section may be written.
 *
 * Letter case does not matter. For the rule remove_private_sections only the exact
 * tag counts: <private >, a tag with attributes or a tag split over lines is
 * ordinary text. In front of the store nearly a tag hides as well. A tag closes its
 * own format only.
 */
enum recallite_tag_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_TAG_FORMAT_UNSET = 0,
    /** <private>…</private>, also opened by <private/> or <private />. */
    RECALLITE_TAG_FORMAT_XML = 1,
    /** [private]…[/private]. */
    RECALLITE_TAG_FORMAT_BRACKET = 2,
    /** <!-- private -->…<!-- /private -->, with optional inner whitespace. */
    RECALLITE_TAG_FORMAT_COMMENT = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_tag_format recallite_tag_format;
#else
typedef int32_t recallite_tag_format;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What stands in the place of a private section. */
enum recallite_marker
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_MARKER_UNSET = 0,
    /** [PRIVATE] (the default). */
    RECALLITE_MARKER_PRIVATE = 1,
    /** [REDACTED]. */
    RECALLITE_MARKER_REDACTED = 2,
    /** Nothing: the section vanishes. */
    RECALLITE_MARKER_EMPTY = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_marker recallite_marker;
#else
typedef int32_t recallite_marker;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How much a recallite_log_record matters, from what matters most on. */
enum recallite_log_level
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_LOG_LEVEL_UNSET = 0,
    /** Something was lost or cannot be used, and somebody has to act. */
    RECALLITE_LOG_LEVEL_ERROR = 1,
    /** An answer or a step was less than it could be. */
    RECALLITE_LOG_LEVEL_WARN = 2,
    /** What upkeep and recovery did. */
    RECALLITE_LOG_LEVEL_INFO = 3,
    /** The same, step by step. */
    RECALLITE_LOG_LEVEL_DEBUG = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_log_level recallite_log_level;
#else
typedef int32_t recallite_log_level;
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
 * "absent" and needs len 0. Given by the library, it is followed by a zero byte,
 * so that ptr can be printed, everywhere but in a recallite_event_callback; text may
 * hold zero bytes of its own, so trust len. A view lives as long as the result that holds it.
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
     * Whether the store must be opened again before anything else. That heals
     * every handle of it, unless the status is RECALLITE_INTERNAL or
     * RECALLITE_POISONED: such a handle must be freed.
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

/** Several texts that the caller owns. Free it with recallite_string_list_free. */
typedef struct recallite_string_list {
    /** The texts. */
    const struct recallite_str *items;
    /** How many. */
    size_t len;
} recallite_string_list;

/** The stored form of a tool call: masked, cut, with its metadata. */
typedef struct recallite_tool_record {
    /** The tool's name. */
    struct recallite_str name;
    /** The masked arguments, as JSON. As JSON. */
    struct recallite_str input_json;
    /** The masked output, cut to the limits in force when it was stored. */
    struct recallite_str output;
    /** How long it ran, in milliseconds. */
    uint64_t duration_ms;
    /** Whether duration_ms is known. */
    bool has_duration_ms;
    /** Whether it succeeded. */
    bool success;
    /** The masked error message. */
    struct recallite_str error;
    /** Which prompt of the session caused the call, counted from 0. */
    uint32_t prompt_index;
    /** Whether prompt_index is known. */
    bool has_prompt_index;
    /** Which call within that prompt this is, counted from 0. */
    uint32_t tool_index;
    /** Whether tool_index is known. */
    bool has_tool_index;
    /**
     * What was derived from the call (file path, exit code, …), as a JSON object. As
     * a JSON object.
     */
    struct recallite_str metadata_json;
} recallite_tool_record;

/** What the privacy filter did to one event. */
typedef struct recallite_privacy_report {
    /** Private sections that were taken out. */
    uint32_t private_count;
    /** Secrets that were masked. */
    uint32_t secret_count;
    /** Personal data that was anonymised (only with anonymize). */
    uint32_t anonymized_count;
    /** Length of the text before filtering, in UTF-8 bytes. */
    uint64_t original_bytes;
    /** Length of the text after filtering, in UTF-8 bytes. */
    uint64_t filtered_bytes;
} recallite_privacy_report;

/**
 * A remembered event.
 *
 * Free it with recallite_event_free, unless it came in another result.
 */
typedef struct recallite_event {
    /** Its identity. */
    struct recallite_str id;
    /** Its position in the log. */
    uint64_t seq;
    /** Its citation. */
    struct recallite_str citation;
    /** What it records. One of recallite_event_kind. */
    int32_t kind;
    /** The conversation it belongs to. */
    struct recallite_str session;
    /** The project it belongs to; empty when it has none. */
    struct recallite_str project;
    /** Who said or did it. */
    struct recallite_str actor;
    /** Where the text came from. One of recallite_origin. */
    int32_t origin;
    /** When it happened. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** The filtered text, whole. */
    struct recallite_str content;
    /** The canonical key of the text. */
    struct recallite_str canonical_key;
    /** What the caller attached, as a JSON object. As a JSON object. */
    struct recallite_str metadata_json;
    /** The tool call, for a tool observation. NULL when there is none. */
    const struct recallite_tool_record *tool;
    /** What the privacy filter did when it was stored. */
    const struct recallite_privacy_report *privacy;
} recallite_event;

/** An event that stands beside a cited one. */
typedef struct recallite_citation_neighbour {
    /** The event's id. */
    struct recallite_str id;
    /** Its citation. */
    struct recallite_str citation;
    /** What it records. One of recallite_event_kind. */
    int32_t kind;
    /** When it happened. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** One line of at most 200 characters. */
    struct recallite_str preview;
} recallite_citation_neighbour;

/**
 * A cited event with what stands beside it and how it was used.
 *
 * Free it with recallite_citation_detail_free, unless it came in another result.
 */
typedef struct recallite_citation_detail {
    /** The event. */
    const struct recallite_event *event;
    /** The event before it in its session. NULL when there is none. */
    const struct recallite_citation_neighbour *previous;
    /** The event after it in its session. NULL when there is none. */
    const struct recallite_citation_neighbour *next;
    /** How often it was given to an agent. */
    uint64_t usage_count;
    /** When it was last given to an agent. In milliseconds since 1970 UTC. */
    int64_t last_used_ms;
    /** Whether last_used_ms is known. */
    bool has_last_used;
} recallite_citation_detail;

/** A citation that was given to agents. */
typedef struct recallite_popular_citation {
    /** The event's id. */
    struct recallite_str id;
    /** Its position in the log. */
    uint64_t seq;
    /** Its citation. */
    struct recallite_str citation;
    /** What it records. One of recallite_event_kind. */
    int32_t kind;
    /** Its session. */
    struct recallite_str session;
    /** One line of at most 100 characters. */
    struct recallite_str preview;
    /** How often it was used in the window. */
    uint64_t usage_count;
    /** When it was last used. In milliseconds since 1970 UTC. */
    int64_t last_used_ms;
} recallite_popular_citation;

/** Several of recallite_popular_citation. Free it with recallite_popular_citation_list_free. */
typedef struct recallite_popular_citation_list {
    /** Pointers to them. */
    const struct recallite_popular_citation *const *items;
    /** How many. */
    size_t len;
} recallite_popular_citation_list;

/**
 * The limits of the endless mode.
 *
 * Begin with RECALLITE_INIT(recallite_endless_config); a field that is zero has its
 * default. What a call gave may be changed and given; free it with
 * recallite_endless_config_free.
 */
typedef struct recallite_endless_config {
    /** sizeof(recallite_endless_config). */
    size_t struct_size;
    /** At most this many events; 100 by default. */
    size_t max_events;
    /**
     * How long an event stays after its last use, in milliseconds; 24 hours by
     * default. By then it has lost half of its relevance.
     */
    int64_t time_window_ms;
    /**
     * Events less relevant than this are not taken in, and leave before their time;
     * 0.5 by default. Read when has_min_relevance_score is set.
     */
    double min_relevance_score;
    /** After so long since the last time, in milliseconds; 1 hour by default. */
    int64_t trigger_interval_ms;
    /** At so many events in the working set; 100 by default. */
    size_t trigger_event_count;
    /** After so long without anything new, in milliseconds; 30 minutes by default. */
    int64_t trigger_idle_ms;
    /** A topic with fewer events than this waits for more; 10 by default. */
    size_t min_events;
    /** A summary is at most this many characters; 1000 by default. */
    size_t max_summary_chars;
    /**
     * Whether the working set waits for the host's own summaries (consolidate_with):
     * then nothing is consolidated by rules unless a call of consolidate asks for
     * it, in whatever process. False by default.
     */
    bool is_left_to_host;
    /**
     * Events less relevant than this are left out; 0.7 by default. Read when
     * has_min_relevance is set.
     */
    double min_relevance;
    /**
     * At most this many events of the working set; 10 by default. Read when
     * has_max_injected_events is set.
     */
    size_t max_injected_events;
    /**
     * At most this many consolidated memories; 3 by default. Read when
     * has_max_injected_memories is set.
     */
    size_t max_injected_memories;
    /**
     * What each shared topic counts, from 0 to 1; 0.3 by default. Read when
     * has_topic_weight is set.
     */
    double topic_weight;
    /**
     * What each shared file counts, from 0 to 1; 0.2 by default. Read when
     * has_file_weight is set.
     */
    double file_weight;
    /**
     * What nearness in time counts, from 0 to 1; 0.3 by default. Read when
     * has_time_weight is set.
     */
    double time_weight;
    /**
     * What each shared entity counts, from 0 to 1; 0.2 by default. Read when
     * has_entity_weight is set.
     */
    double entity_weight;
    /**
     * After this long nearness in time has fallen to 1/e, in milliseconds; 24 hours
     * by default.
     */
    int64_t time_decay_ms;
    /**
     * From this score on the present goes on seamlessly, from 0 to 1; 0.7 by
     * default. Read when has_min_score_for_seamless is set.
     */
    double min_score_for_seamless;
    /**
     * From this score on the topic has only shifted, below it is a break, from 0 to
     * 1; 0.4 by default. Read when has_min_score_for_topic_shift is set.
     */
    double min_score_for_topic_shift;
    /** Whether min_relevance_score is given. */
    bool has_min_relevance_score;
    /** Whether min_relevance is given. */
    bool has_min_relevance;
    /** Whether max_injected_events is given. */
    bool has_max_injected_events;
    /** Whether max_injected_memories is given. */
    bool has_max_injected_memories;
    /** Whether topic_weight is given. */
    bool has_topic_weight;
    /** Whether file_weight is given. */
    bool has_file_weight;
    /** Whether time_weight is given. */
    bool has_time_weight;
    /** Whether entity_weight is given. */
    bool has_entity_weight;
    /** Whether min_score_for_seamless is given. */
    bool has_min_score_for_seamless;
    /** Whether min_score_for_topic_shift is given. */
    bool has_min_score_for_topic_shift;
} recallite_endless_config;

/** An event in the working set. */
typedef struct recallite_working_item {
    /** The event. */
    struct recallite_str event_id;
    /** When it came in. In milliseconds since 1970 UTC. */
    int64_t added_ms;
    /** How much it matters, from 0 to 1: it falls from the last use on. */
    double relevance;
    /** What it is about. */
    const struct recallite_str *topics;
    /** How many. */
    size_t topics_len;
    /** When it leaves, unless it is used again. In milliseconds since 1970 UTC. */
    int64_t expires_ms;
    /**
     * When it was last used: put into the working set, given to an agent, found by a
     * search, or refreshed. In milliseconds since 1970 UTC.
     */
    int64_t used_ms;
} recallite_working_item;

/** Several of recallite_working_item. Free it with recallite_working_item_list_free. */
typedef struct recallite_working_item_list {
    /** Pointers to them. */
    const struct recallite_working_item *const *items;
    /** How many. */
    size_t len;
} recallite_working_item_list;

/** A memory that was made of events, or of a session's summary. */
typedef struct recallite_consolidated_memory {
    /** Its identity. */
    struct recallite_str memory_id;
    /** What happened, in words. */
    struct recallite_str summary;
    /** What it is about. */
    const struct recallite_str *topics;
    /** How many. */
    size_t topics_len;
    /** The ids of the events that it was made of, in order of time. */
    const struct recallite_str *source_events;
    /** How many. */
    size_t source_events_len;
    /** How sure, from 0 to 1. */
    double confidence;
    /** Whether it continues an earlier memory of the same topic. */
    bool is_continuation;
    /** When it was made. In milliseconds since 1970 UTC. */
    int64_t created_ms;
    /** When it was last given to an agent. In milliseconds since 1970 UTC. */
    int64_t accessed_ms;
    /** Whether accessed_ms is known. */
    bool has_accessed;
    /** How often it was given to an agent. */
    uint64_t access_count;
} recallite_consolidated_memory;

/** Several of recallite_consolidated_memory. Free it with recallite_consolidated_memory_list_free. */
typedef struct recallite_consolidated_memory_list {
    /** Pointers to them. */
    const struct recallite_consolidated_memory *const *items;
    /** How many. */
    size_t len;
} recallite_consolidated_memory_list;

/** A transition between two contexts. */
typedef struct recallite_continuity_entry {
    /** The context before. */
    struct recallite_str from_context_id;
    /** The context after. */
    struct recallite_str to_context_id;
    /** How far the one goes on from the other, from 0 to 1. */
    double score;
    /** The score in a word. One of recallite_transition_type. */
    int32_t transition;
    /** When it was scored. In milliseconds since 1970 UTC. */
    int64_t at_ms;
} recallite_continuity_entry;

/** Several of recallite_continuity_entry. Free it with recallite_continuity_entry_list_free. */
typedef struct recallite_continuity_entry_list {
    /** Pointers to them. */
    const struct recallite_continuity_entry *const *items;
    /** How many. */
    size_t len;
} recallite_continuity_entry_list;

/**
 * How two contexts join.
 *
 * Free it with recallite_continuity_free, unless it came in another result.
 */
typedef struct recallite_continuity {
    /** From 0 to 1. */
    double score;
    /** The score in a word. One of recallite_transition_type. */
    int32_t transition;
    /** Whether it belongs in the log: only where something was before. */
    bool is_logged;
} recallite_continuity;

/**
 * How the endless mode stands.
 *
 * Free it with recallite_endless_status_free, unless it came in another result.
 */
typedef struct recallite_endless_status {
    /** The mode in force. One of recallite_memory_mode. */
    int32_t mode;
    /** The limits in force. */
    const struct recallite_endless_config *config;
    /** Events in the working set. */
    size_t working_set;
    /**
     * What the working set is called: events of the endless mode have it as
     * workingSetId in their metadata. absent where the mode was never on.
     */
    struct recallite_str working_set_id;
    /**
     * When an event was last put into the working set. In milliseconds since 1970
     * UTC.
     */
    int64_t last_activity_ms;
    /** Whether last_activity_ms is known. */
    bool has_last_activity;
    /** What is in the working set is about this, the most frequent first. */
    const struct recallite_str *active_topics;
    /** How many. */
    size_t active_topics_len;
    /** The files that the last context named. */
    const struct recallite_str *active_files;
    /** How many. */
    size_t active_files_len;
    /** The things that the last context named. */
    const struct recallite_str *active_entities;
    /** How many. */
    size_t active_entities_len;
    /** The average continuity of the last hour, or 0.5. */
    double continuity_score;
    /** Consolidated memories. */
    uint64_t consolidated;
    /** When something was last consolidated. In milliseconds since 1970 UTC. */
    int64_t last_consolidation_ms;
    /** Whether last_consolidation_ms is known. */
    bool has_last_consolidation;
} recallite_endless_status;

/**
 * What an agent is given at its start in the endless mode.
 *
 * Free it with recallite_endless_context_free, unless it came in another result.
 */
typedef struct recallite_endless_context {
    /** Events in the working set, the most relevant first. */
    const struct recallite_event *const *working_set;
    /** How many. */
    size_t working_set_len;
    /** Consolidated memories, the surest first. */
    const struct recallite_consolidated_memory *const *consolidated;
    /** How many. */
    size_t consolidated_len;
    /** The average continuity of the last hour, or 0.5. */
    double continuity_score;
} recallite_endless_context;

/** The tools of a run: enough to tell later why its results differ. */
typedef struct recallite_build_tools {
    /** Which language model extracted. */
    struct recallite_str extractor_model;
    /** The hash of its prompt. */
    struct recallite_str extractor_prompt_hash;
    /** Which embedder made the vectors. */
    struct recallite_str embedder_model;
    /** The embedder's fingerprint. */
    struct recallite_str embedding_version;
    /** Which type checker looked at the entries. */
    struct recallite_str idris_version;
    /** Which extraction schema was used. */
    struct recallite_str schema_version;
} recallite_build_tools;

/** One run of the pipeline. */
typedef struct recallite_build_run {
    /** Its identity; what it makes carries it. */
    struct recallite_str build_id;
    /** When it began. In milliseconds since 1970 UTC. */
    int64_t started_ms;
    /** What it used. */
    const struct recallite_build_tools *tools;
    /** How it stands. One of recallite_build_status. */
    int32_t status;
    /** When it ended; absent while it runs. In milliseconds since 1970 UTC. */
    int64_t finished_ms;
    /** Whether finished_ms is known. */
    bool has_finished;
    /** What went wrong; only a failed run has one. */
    struct recallite_str error;
} recallite_build_run;

/** Several of recallite_build_run. Free it with recallite_build_run_list_free. */
typedef struct recallite_build_run_list {
    /** Pointers to them. */
    const struct recallite_build_run *const *items;
    /** How many. */
    size_t len;
} recallite_build_run_list;

/** How long one stage took. */
typedef struct recallite_pipeline_metric {
    /** The stage. One of recallite_pipeline_stage. */
    int32_t stage;
    /** When it ended. In milliseconds since 1970 UTC. */
    int64_t at_ms;
    /** How long it took, in milliseconds. */
    double latency_ms;
    /** What went wrong; absent when it went well. */
    struct recallite_str error;
    /** The session that it was about. */
    struct recallite_str session;
} recallite_pipeline_metric;

/** Several of recallite_pipeline_metric. Free it with recallite_pipeline_metric_list_free. */
typedef struct recallite_pipeline_metric_list {
    /** Pointers to them. */
    const struct recallite_pipeline_metric *const *items;
    /** How many. */
    size_t len;
} recallite_pipeline_metric_list;

/** An entry that rose, or was refused. */
typedef struct recallite_promotion_record {
    /** The entry. */
    struct recallite_str entry_id;
    /** Where it stood. One of recallite_stage. */
    int32_t from_stage;
    /** Where it rose, or would have. One of recallite_stage. */
    int32_t to_stage;
    /** Whether it was refused. */
    bool is_blocked;
    /** Why it rose or was refused. */
    struct recallite_str reason;
    /** The run that it belongs to. */
    struct recallite_str build_id;
    /** When. In milliseconds since 1970 UTC. */
    int64_t at_ms;
} recallite_promotion_record;

/** Several of recallite_promotion_record. Free it with recallite_promotion_record_list_free. */
typedef struct recallite_promotion_record_list {
    /** Pointers to them. */
    const struct recallite_promotion_record *const *items;
    /** How many. */
    size_t len;
} recallite_promotion_record_list;

/** One piece of evidence of a decision. It can only be of a proven stage. */
typedef struct recallite_decision_evidence {
    /** What it is. One of recallite_evidence_kind. */
    int32_t kind;
    /** Which one. */
    struct recallite_str evidence_id;
    /**
     * How well it was proved when the decision was made. One of
     * recallite_proven_stage.
     */
    int32_t stage;
    /** What it does for the decision, for example supports. */
    struct recallite_str role;
    /** When it was known. In milliseconds since 1970 UTC. */
    int64_t known_ms;
} recallite_decision_evidence;

/** Something that was decided, and on what. */
typedef struct recallite_decision {
    /** Its identity. */
    struct recallite_str decision_id;
    /** When it was made. In milliseconds since 1970 UTC. */
    int64_t decided_ms;
    /** Who made it. */
    struct recallite_str actor;
    /** What was decided. */
    struct recallite_str action;
    /** What came of it. As JSON. */
    struct recallite_str outcome_json;
    /** How sure, from 0 to 1. */
    double confidence;
    /** Whether confidence is known. */
    bool has_confidence;
    /** The run that it belongs to. */
    struct recallite_str build_id;
    /** What it rests on. */
    const struct recallite_decision_evidence *const *evidence;
    /** How many. */
    size_t evidence_len;
} recallite_decision;

/** Several of recallite_decision. Free it with recallite_decision_list_free. */
typedef struct recallite_decision_list {
    /** Pointers to them. */
    const struct recallite_decision *const *items;
    /** How many. */
    size_t len;
} recallite_decision_list;

/**
 * One piece of evidence of a decision. It can only be of a proven stage.
 *
 * Begin with RECALLITE_INIT(recallite_new_evidence) and give kind, evidence_id,
 * stage, known_ms; another field that is zero has its default.
 */
typedef struct recallite_new_evidence {
    /** sizeof(recallite_new_evidence). */
    size_t struct_size;
    /** What it is. One of recallite_evidence_kind. */
    int32_t kind;
    /** Which one. */
    struct recallite_str evidence_id;
    /**
     * How well it was proved when the decision was made. One of
     * recallite_proven_stage.
     */
    int32_t stage;
    /** What it does for the decision, for example supports. */
    struct recallite_str role;
    /** When it was known. In milliseconds since 1970 UTC. */
    int64_t known_ms;
} recallite_new_evidence;

/**
 * Something that was decided, and on what.
 *
 * Begin with RECALLITE_INIT(recallite_new_decision) and give decision_id,
 * decided_ms, actor, action; another field that is zero has its default.
 */
typedef struct recallite_new_decision {
    /** sizeof(recallite_new_decision). */
    size_t struct_size;
    /** Its identity. */
    struct recallite_str decision_id;
    /** When it was made. In milliseconds since 1970 UTC. */
    int64_t decided_ms;
    /** Who made it. */
    struct recallite_str actor;
    /** What was decided. */
    struct recallite_str action;
    /** What came of it. As JSON. */
    struct recallite_str outcome_json;
    /** How sure, from 0 to 1. Read when has_confidence is set. */
    double confidence;
    /** The run that it belongs to. */
    struct recallite_str build_id;
    /** What it rests on. */
    const struct recallite_new_evidence *evidence;
    /** How many. */
    size_t evidence_len;
    /** Whether confidence is given. */
    bool has_confidence;
} recallite_new_decision;

/**
 * Which edges at a node are wanted.
 *
 * Begin with RECALLITE_INIT(recallite_edge_filter); a field that is zero has its
 * default.
 */
typedef struct recallite_edge_filter {
    /** sizeof(recallite_edge_filter). */
    size_t struct_size;
    /** The node where the edges start; exactly one of both ends is given. */
    struct recallite_str from;
    /** The node that the edges lead to. */
    struct recallite_str to;
    /** Of this relation. One of recallite_relation. */
    int32_t relation;
    /**
     * As they were at this moment; by default as they are. In milliseconds since
     * 1970 UTC. Read when has_as_of is set.
     */
    int64_t as_of_ms;
    /** At most so many; 1,000 by default. */
    size_t limit;
    /** Whether as_of_ms is given. */
    bool has_as_of;
} recallite_edge_filter;

/**
 * An edge of the graph, and when it was there.
 *
 * Free it with recallite_edge_free, unless it came in another result.
 */
typedef struct recallite_edge {
    /** Its identity: the same ends give the same id. */
    struct recallite_str id;
    /** What kind of thing it starts at. One of recallite_node_type. */
    int32_t source_type;
    /** The entry, entity or event that it starts at. */
    struct recallite_str source_id;
    /** What it says. One of recallite_relation. */
    int32_t relation;
    /** What kind of thing it leads to. One of recallite_node_type. */
    int32_t destination_type;
    /** The entry or entity that it leads to. */
    struct recallite_str destination_id;
    /** What is known about it, as a JSON object. As a JSON object. */
    struct recallite_str meta_json;
    /** When it was made. In milliseconds since 1970 UTC. */
    int64_t created_ms;
    /** When it was removed, if it was. In milliseconds since 1970 UTC. */
    int64_t ended_ms;
    /** Whether ended_ms is known. */
    bool has_ended;
} recallite_edge;

/** Several of recallite_edge. Free it with recallite_edge_list_free. */
typedef struct recallite_edge_list {
    /** Pointers to them. */
    const struct recallite_edge *const *items;
    /** How many. */
    size_t len;
} recallite_edge_list;

/**
 * Where an edge leads from and to. No two live edges have the same ends.
 *
 * Begin with RECALLITE_INIT(recallite_edge_ends) and give source_type, source_id,
 * relation, destination_type, destination_id; another field that is zero has its
 * default.
 */
typedef struct recallite_edge_ends {
    /** sizeof(recallite_edge_ends). */
    size_t struct_size;
    /** What kind of thing it starts at. One of recallite_node_type. */
    int32_t source_type;
    /** The entry, entity or event that it starts at. */
    struct recallite_str source_id;
    /** What it says. One of recallite_relation. */
    int32_t relation;
    /** What kind of thing it leads to. One of recallite_node_type. */
    int32_t destination_type;
    /** The entry or entity that it leads to. */
    struct recallite_str destination_id;
} recallite_edge_ends;

/**
 * A node of the graph: an entry, an entity or an event.
 *
 * Begin with RECALLITE_INIT(recallite_graph_node) and give node_type, id; another
 * field that is zero has its default.
 */
typedef struct recallite_graph_node {
    /** sizeof(recallite_graph_node). */
    size_t struct_size;
    /** What kind of thing it is. One of recallite_node_type. */
    int32_t node_type;
    /** The entry, entity or event. */
    struct recallite_str id;
} recallite_graph_node;

/**
 * How many edges a replacement changed.
 *
 * Free it with recallite_replaced_edges_free, unless it came in another result.
 */
typedef struct recallite_replaced_edges {
    /** Edges that were removed. */
    size_t removed;
    /** Edges that were made. */
    size_t added;
} recallite_replaced_edges;

/** One entry of a lineage. */
typedef struct recallite_lineage_step {
    /** The entry. */
    struct recallite_str entry_id;
    /** The entry that it was derived from; absent for the start. */
    struct recallite_str derived_from;
    /** How many derivations lie between it and the start, at most 10. */
    size_t depth;
} recallite_lineage_step;

/** Several of recallite_lineage_step. Free it with recallite_lineage_step_list_free. */
typedef struct recallite_lineage_step_list {
    /** Pointers to them. */
    const struct recallite_lineage_step *const *items;
    /** How many. */
    size_t len;
} recallite_lineage_step_list;

/** An entry that proves something about the same entities as another. */
typedef struct recallite_related_entry {
    /** The entry. */
    struct recallite_str entry_id;
    /** The entities that both prove something about. */
    const struct recallite_str *entities;
    /** How many. */
    size_t entities_len;
} recallite_related_entry;

/** Several of recallite_related_entry. Free it with recallite_related_entry_list_free. */
typedef struct recallite_related_entry_list {
    /** Pointers to them. */
    const struct recallite_related_entry *const *items;
    /** How many. */
    size_t len;
} recallite_related_entry_list;

/**
 * Which entries are wanted. Every field that is set must hold.
 *
 * Begin with RECALLITE_INIT(recallite_entry_filter); a field that is zero has its
 * default.
 */
typedef struct recallite_entry_filter {
    /** sizeof(recallite_entry_filter). */
    size_t struct_size;
    /** Of these projects. One of recallite_scope. */
    int32_t scope;
    /** The project for RECALLITE_SCOPE_NAMED; absent otherwise. */
    struct recallite_str project;
    /** Of this type. One of recallite_entry_type. */
    int32_t entry_type;
    /** At least of this stage. One of recallite_stage. */
    int32_t min_stage;
    /** active, contested, deprecated or superseded. One of recallite_entry_status. */
    int32_t status;
    /** Learned from this session. */
    struct recallite_str session;
    /**
     * Holding at this moment, whatever became of it later. In milliseconds since
     * 1970 UTC. Read when has_as_of is set.
     */
    int64_t as_of_ms;
    /** With this text in the title or content, letter case ignored. */
    struct recallite_str text;
    /** At most so many; 1,000 by default. */
    size_t limit;
    /** Whether as_of_ms is given. */
    bool has_as_of;
} recallite_entry_filter;

/** Where a quote stands in the source, without its text. */
typedef struct recallite_evidence_span {
    /** Which message of the session, counted from 0. */
    uint32_t message_index;
    /** The hash of the quote as it was given, under a secret of the store. */
    struct recallite_str quote_hash;
    /** First byte of the quote in the UTF-8 message. */
    size_t start;
    /** The byte after the last. */
    size_t end;
    /** How sure, from 0 to 1. */
    double confidence;
    /** How it was found, never None. One of recallite_match_method. */
    int32_t method;
    /** The id of the event that holds the message, where it is known. */
    struct recallite_str event_id;
} recallite_evidence_span;

/** A quote that was not found, without its text. */
typedef struct recallite_missing_quote {
    /** Which message of the session, counted from 0. */
    uint32_t message_index;
    /** The hash of the quote as it was given, under a secret of the store. */
    struct recallite_str quote_hash;
    /** Why, for example not_found. */
    struct recallite_str reason;
} recallite_missing_quote;

/** What looking up an entry's quotes gave. */
typedef struct recallite_evidence_report {
    /** The quotes that were found. */
    const struct recallite_evidence_span *const *aligned;
    /** How many. */
    size_t aligned_len;
    /** The quotes that were not. */
    const struct recallite_missing_quote *const *failed;
    /** How many. */
    size_t failed_len;
    /** Whether every quote was found; true when there was none. */
    bool is_aligned;
} recallite_evidence_report;

/**
 * An entry as the store keeps it.
 *
 * Free it with recallite_learned_entry_free, unless it came in another result.
 */
typedef struct recallite_learned_entry {
    /** Its identity. */
    struct recallite_str id;
    /** What it tells. One of recallite_entry_type. */
    int32_t entry_type;
    /** In one line. */
    struct recallite_str title;
    /** How well it is proved. One of recallite_stage. */
    int32_t stage;
    /** What looking up its quotes gave; absent before that. NULL when there is none. */
    const struct recallite_evidence_report *evidence;
    /** Who vouched for it. */
    struct recallite_str certified_by;
    /** Whether it counts. One of recallite_entry_status. */
    int32_t status;
    /** The entries that it disagrees with. */
    const struct recallite_str *contested_with;
    /** How many. */
    size_t contested_with_len;
    /** The entry that took its place. */
    struct recallite_str superseded_by;
    /**
     * From when it holds; absent means always before. In milliseconds since 1970
     * UTC.
     */
    int64_t valid_from_ms;
    /** Whether valid_from_ms is known. */
    bool has_valid_from;
    /**
     * Until when it holds, exclusive; absent means that no end is known. In
     * milliseconds since 1970 UTC.
     */
    int64_t valid_to_ms;
    /** Whether valid_to_ms is known. */
    bool has_valid_to;
    /** In full. */
    struct recallite_str content;
    /** The canonical key of its title. */
    struct recallite_str canonical_key;
    /** The project it belongs to; empty for none. */
    struct recallite_str project;
    /** The session it was learned from. */
    struct recallite_str session;
    /** Its name within the extraction. */
    struct recallite_str local_id;
    /** How clearly it was said, from 0 to 1, as the extractor judged. */
    double confidence;
    /** Whether confidence is known. */
    bool has_confidence;
    /** The run that made it. */
    struct recallite_str build_id;
    /** When it was learned. In milliseconds since 1970 UTC. */
    int64_t created_ms;
    /** The position of the event that made it. */
    uint64_t seq;
    /** The id of that event. */
    struct recallite_str event_id;
} recallite_learned_entry;

/** An entry that a search found. */
typedef struct recallite_entry_hit {
    /** The entry that counts. */
    const struct recallite_learned_entry *entry;
    /**
     * How much of the question it covers, from 0 to 1. A contested entry gets 0.7
     * times that.
     */
    double score;
    /**
     * The entry whose words were found, when that one was confirmed to mean this
     * one.
     */
    struct recallite_str resolved_from;
} recallite_entry_hit;

/** Several of recallite_entry_hit. Free it with recallite_entry_hit_list_free. */
typedef struct recallite_entry_hit_list {
    /** Pointers to them. */
    const struct recallite_entry_hit *const *items;
    /** How many. */
    size_t len;
} recallite_entry_hit_list;

/** How a disagreement ended. */
typedef struct recallite_conflict_resolution {
    /** When. In milliseconds since 1970 UTC. */
    int64_t resolved_ms;
    /** What was found. */
    struct recallite_str resolution;
    /** Who found it. */
    struct recallite_str resolved_by;
} recallite_conflict_resolution;

/**
 * Two entries that disagree.
 *
 * Free it with recallite_conflict_free, unless it came in another result.
 */
typedef struct recallite_conflict {
    /** Its identity. */
    struct recallite_str conflict_id;
    /** The entry that was there first. */
    struct recallite_str older_id;
    /** The entry that disagrees with it. */
    struct recallite_str newer_id;
    /** In what way, for example contradicts. */
    struct recallite_str conflict_type;
    /** Why this is believed. */
    struct recallite_str reason;
    /** When it was found. In milliseconds since 1970 UTC. */
    int64_t detected_ms;
    /** How it ended, once it has. NULL when there is none. */
    const struct recallite_conflict_resolution *resolved;
} recallite_conflict;

/** Several of recallite_conflict. Free it with recallite_conflict_list_free. */
typedef struct recallite_conflict_list {
    /** Pointers to them. */
    const struct recallite_conflict *const *items;
    /** How many. */
    size_t len;
} recallite_conflict_list;

/**
 * What is said about an uncertain memory.
 *
 * Begin with RECALLITE_INIT(recallite_memory_answer) and give kind, confidence;
 * another field that is zero has its default.
 */
typedef struct recallite_memory_answer {
    /** sizeof(recallite_memory_answer). */
    size_t struct_size;
    /** What became of it. One of recallite_resolution_kind. */
    int32_t kind;
    /** What it means; needed when it is confirmed. */
    struct recallite_str resolved_to;
    /** How sure, from 0 to 1. */
    double confidence;
} recallite_memory_answer;

/** Context that was incomplete when an event was stored, to be resolved later. */
typedef struct recallite_placeholder {
    /** Its identity. */
    struct recallite_str id;
    /** The event that lacks context. */
    struct recallite_str event_id;
    /** When it was made. In milliseconds since 1970 UTC. */
    int64_t created_ms;
} recallite_placeholder;

/** Several of recallite_placeholder. Free it with recallite_placeholder_list_free. */
typedef struct recallite_placeholder_list {
    /** Pointers to them. */
    const struct recallite_placeholder *const *items;
    /** How many. */
    size_t len;
} recallite_placeholder_list;

/** An answer to what an uncertain memory means. */
typedef struct recallite_memory_resolution {
    /** The uncertain memory. */
    struct recallite_str condition_id;
    /** What it may mean. */
    struct recallite_str resolved_to;
    /** What became of it. One of recallite_resolution_kind. */
    int32_t kind;
    /** How sure, from 0 to 1. */
    double confidence;
    /** When it was answered. In milliseconds since 1970 UTC. */
    int64_t resolved_ms;
} recallite_memory_resolution;

/** Several of recallite_memory_resolution. Free it with recallite_memory_resolution_list_free. */
typedef struct recallite_memory_resolution_list {
    /** Pointers to them. */
    const struct recallite_memory_resolution *const *items;
    /** How many. */
    size_t len;
} recallite_memory_resolution_list;

/**
 * What a memory means now.
 *
 * Free it with recallite_effective_memory_free, unless it came in another result.
 */
typedef struct recallite_effective_memory {
    /** The memory to show. */
    struct recallite_str effective_id;
    /** How that was found. One of recallite_effective_status. */
    int32_t status;
    /** Its title, where it has one: of an entry, a task, a condition or an artifact. */
    struct recallite_str title;
    /**
     * What it says in full: an event's or an entry's content, a task's description.
     * Nothing when there is no such memory, or it was forgotten.
     */
    struct recallite_str content;
} recallite_effective_memory;

/** Several of recallite_learned_entry. Free it with recallite_learned_entry_list_free. */
typedef struct recallite_learned_entry_list {
    /** Pointers to them. */
    const struct recallite_learned_entry *const *items;
    /** How many. */
    size_t len;
} recallite_learned_entry_list;

/**
 * Something that a person or a program says is so, without an extraction.
 *
 * Begin with RECALLITE_INIT(recallite_new_entry) and give entry_type, session,
 * title, content; another field that is zero has its default.
 */
typedef struct recallite_new_entry {
    /** sizeof(recallite_new_entry). */
    size_t struct_size;
    /** What it tells. One of recallite_entry_type. */
    int32_t entry_type;
    /** The session that it belongs to. */
    struct recallite_str session;
    /** In one line of at most 500 characters. */
    struct recallite_str title;
    /** In full, at most 20,000 characters. */
    struct recallite_str content;
    /** Its project. By default the session's, else the memory's own. */
    struct recallite_str project;
    /** Since when it holds. In milliseconds since 1970 UTC; 0 for none. */
    int64_t valid_from_ms;
    /** Until when it holds. In milliseconds since 1970 UTC; 0 for none. */
    int64_t valid_to_ms;
    /**
     * The event of the session that proves it. By default the content becomes an
     * event of its own, said by the user.
     */
    struct recallite_str event;
} recallite_new_entry;

/**
 * What to give to a language model so that it extracts what a session taught, and
 * what recallite_ingest_options take with its answer.
 *
 * Free it with recallite_extraction_request_free, unless it came in another result.
 */
typedef struct recallite_extraction_request {
    /** The session. */
    struct recallite_str session;
    /**
     * The task, what is known already, and the numbered messages; empty when a model
     * has read every message of the session. The texts stand in a fence: they are
     * data.
     */
    struct recallite_str prompt;
    /**
     * The messages in the prompt, in the order of their numbers: the messages of the
     * options with which the answer is taken in.
     */
    const struct recallite_str *messages;
    /** How many. */
    size_t messages_len;
    /** Estimated tokens of the prompt. */
    size_t tokens;
    /** Whether messages are left for another request, after this answer was taken in. */
    bool has_more;
} recallite_extraction_request;

/**
 * How a conflict is to end; the texts pass the privacy filter.
 *
 * Begin with RECALLITE_INIT(recallite_conflict_verdict) and give in_favour_of,
 * resolution, resolved_by; another field that is zero has its default.
 */
typedef struct recallite_conflict_verdict {
    /** sizeof(recallite_conflict_verdict). */
    size_t struct_size;
    /** The entry that is right; the other one is taken back. */
    struct recallite_str in_favour_of;
    /** What was found. */
    struct recallite_str resolution;
    /** Who found it. */
    struct recallite_str resolved_by;
} recallite_conflict_verdict;

/** A half-open range: start belongs to it, end does not. */
typedef struct recallite_span {
    /** The first position inside. */
    size_t start;
    /** The first position after. */
    size_t end;
} recallite_span;

/** A piece of a text, counted in three units; all name the same characters. */
typedef struct recallite_quote_span {
    /** In bytes of UTF-8 (C, C++, Rust). */
    struct recallite_span bytes;
    /** In UTF-16 code units (JavaScript, Java, Windows). */
    struct recallite_span utf16;
    /** In Unicode code points (Python). */
    struct recallite_span chars;
} recallite_quote_span;

/** A claim that the source supports. */
typedef struct recallite_aligned_claim {
    /** Which claim, by its place in the list given. */
    size_t claim_index;
    /** Where the source supports it, in the source as it was given. */
    struct recallite_quote_span span;
    /**
     * Exact when the normalised claim stands in the normalised source, Fuzzy when
     * its words do. One of recallite_match_method.
     */
    int32_t match_method;
    /** 1.0 for exact, otherwise the Jaccard index of the words. */
    double confidence;
} recallite_aligned_claim;

/**
 * What became of a list of claims.
 *
 * Free it with recallite_claims_alignment_free, unless it came in another result.
 */
typedef struct recallite_claims_alignment {
    /** Whether at most two claims are missing. */
    bool is_aligned;
    /**
     * Aligned claims divided by claims given, skipped ones included; 1.0 when there
     * are none.
     */
    double confidence;
    /** The supported claims, in the order given. */
    const struct recallite_aligned_claim *const *aligned;
    /** How many. */
    size_t aligned_len;
    /** The claims without support, by their place in the list given. */
    const size_t *missing;
    /** How many. */
    size_t missing_len;
} recallite_claims_alignment;

/** What became of one quote. */
typedef struct recallite_alignment {
    /** Which message it was said to come from, as it was given. */
    int64_t message_index;
    /** The quote as it was given. */
    struct recallite_str quote;
    /** BLAKE3 of the quote as it was given, 64 hexadecimal digits. */
    struct recallite_str quote_hash;
    /**
     * Where it lies in the message, without outer whitespace unless the quote has it
     * and matches exactly. All zero when there is none.
     */
    struct recallite_quote_span span;
    /** The words of the message that it means. */
    struct recallite_str matched_text;
    /** The step that found it. One of recallite_match_method. */
    int32_t match_method;
    /**
     * From 0 to 1: exact 1.0, normalized 0.95, fuzzy below that; 0 when it was not
     * found.
     */
    double confidence;
    /** Whether other places fit equally well by the same step; the first is taken. */
    bool ambiguous;
    /**
     * How many other places fit. Exact and normalized count every position, fuzzy
     * counts windows that do not overlap.
     */
    size_t alternative_count;
    /** Why it was not found. One of recallite_failure_reason. */
    int32_t reason;
    /** Whether its place is known. */
    bool is_aligned;
} recallite_alignment;

/**
 * What became of several quotes.
 *
 * Free it with recallite_alignment_report_free, unless it came in another result.
 */
typedef struct recallite_alignment_report {
    /**
     * Whether every quote was aligned; true when there are none. Only then may the
     * entry be promoted to verified.
     */
    bool evidence_aligned;
    /** One result per quote, in the order given. */
    const struct recallite_alignment *const *results;
    /** How many. */
    size_t results_len;
    /** How many quotes were aligned. */
    size_t aligned_count;
    /** How many quotes were not. */
    size_t failed_count;
} recallite_alignment_report;

/** A message of a session under the number that quotes name it by. */
typedef struct recallite_session_message {
    /** Counted from 0 over the session's prompts and responses. */
    size_t index;
    /** The prompt or response; absent when it was forgotten. NULL when there is none. */
    const struct recallite_event *event;
} recallite_session_message;

/** Several of recallite_session_message. Free it with recallite_session_message_list_free. */
typedef struct recallite_session_message_list {
    /** Pointers to them. */
    const struct recallite_session_message *const *items;
    /** How many. */
    size_t len;
} recallite_session_message_list;

/** What became of one entry. */
typedef struct recallite_ingested_entry {
    /** Its name in the extraction. */
    struct recallite_str local_id;
    /** Its identity in the store. */
    struct recallite_str entry_id;
    /** Whether the store learned it by this call. */
    bool is_new;
    /** How far its evidence carried it. One of recallite_stage. */
    int32_t stage;
    /** Where its quotes stand, and which were not found. */
    const struct recallite_evidence_report *evidence;
} recallite_ingested_entry;

/** What became of one task. */
typedef struct recallite_ingested_task {
    /** Its name in the extraction. */
    struct recallite_str local_id;
    /** The task that it means. */
    struct recallite_str task_id;
    /** Whether the task came into being by this call. */
    bool is_new;
    /** How many acts on the task (and on what blocks it) were recorded. */
    size_t acts;
    /** Where its quotes stand, and which were not found. */
    const struct recallite_evidence_report *evidence;
} recallite_ingested_task;

/**
 * What recallite_ingest did.
 *
 * Free it with recallite_ingest_report_free, unless it came in another result.
 */
typedef struct recallite_ingest_report {
    /** The run in the ledger. */
    struct recallite_str build_id;
    /** The session. */
    struct recallite_str session;
    /** True when the same extraction had been taken in before: nothing was written. */
    bool already_ingested;
    /** The entries, in the order of the extraction. */
    const struct recallite_ingested_entry *const *entries;
    /** How many. */
    size_t entries_len;
    /** The tasks, in the order of the extraction. */
    const struct recallite_ingested_task *const *tasks;
    /** How many. */
    size_t tasks_len;
    /**
     * Entries and tasks that quote a message which was forgotten or erased
     * meanwhile, by their names in the extraction: they were not taken in.
     */
    const struct recallite_str *left_out;
    /** How many. */
    size_t left_out_len;
    /** How many events were recorded. */
    size_t events;
} recallite_ingest_report;

/** A task that a condition may mean. */
typedef struct recallite_task_candidate {
    /** The task. */
    struct recallite_str entity_id;
    /** Its title when it was proposed. */
    struct recallite_str title;
    /** How near it is, from 0 to 1. */
    double score;
} recallite_task_candidate;

/** A reference to what holds a task up. */
typedef struct recallite_blocker_ref {
    /** What kind of entity it is. One of recallite_entity_kind. */
    int32_t kind;
    /** The entity. */
    struct recallite_str entity_id;
    /** The words that named it. */
    struct recallite_str raw_text;
    /** How sure the reading is. One of recallite_blocker_confidence. */
    int32_t confidence;
    /** Tasks that the words may mean, when the confidence is absent. */
    const struct recallite_task_candidate *const *candidates;
    /** How many. */
    size_t candidates_len;
} recallite_blocker_ref;

/**
 * A task as its events made it.
 *
 * Free it with recallite_task_free, unless it came in another result.
 */
typedef struct recallite_task {
    /** Its identity. */
    struct recallite_str id;
    /** The project it belongs to. */
    struct recallite_str project;
    /** task:{project}:{title}, of the present title. */
    struct recallite_str canonical_key;
    /** What it is called. */
    struct recallite_str title;
    /** More about it. */
    struct recallite_str description;
    /** How urgent it is. One of recallite_priority. */
    int32_t priority;
    /** Where it stands. One of recallite_task_status. */
    int32_t status;
    /** The confirmed blockers; none unless it is blocked. */
    const struct recallite_blocker_ref *const *blockers;
    /** How many. */
    size_t blockers_len;
    /** The blockers that were suggested without evidence; none for a finished task. */
    const struct recallite_blocker_ref *const *suggested_blockers;
    /** How many. */
    size_t suggested_blockers_len;
    /** When it was first heard of. In milliseconds since 1970 UTC. */
    int64_t created_ms;
    /** When it last changed. In milliseconds since 1970 UTC. */
    int64_t updated_ms;
} recallite_task;

/** Several of recallite_task. Free it with recallite_task_list_free. */
typedef struct recallite_task_list {
    /** Pointers to them. */
    const struct recallite_task *const *items;
    /** How many. */
    size_t len;
} recallite_task_list;

/** What really blocks a task. */
typedef struct recallite_effective_blocker {
    /** What the task's edge names. */
    struct recallite_str original_id;
    /** What stands in the way: the original, or what that condition turned out to be. */
    struct recallite_str effective_id;
    /**
     * The kind of what stands in the way; absent when the entity is unknown. One of
     * recallite_entity_kind.
     */
    int32_t effective_kind;
    /** Whether a condition was replaced by what it turned out to be. */
    bool resolved;
} recallite_effective_blocker;

/** A task and what really blocks it. */
typedef struct recallite_blocked_task {
    /** The task. */
    const struct recallite_task *task;
    /** What stands in the way, conditions replaced by what they turned out to be. */
    const struct recallite_effective_blocker *const *blockers;
    /** How many. */
    size_t blockers_len;
} recallite_blocked_task;

/** Several of recallite_blocked_task. Free it with recallite_blocked_task_list_free. */
typedef struct recallite_blocked_task_list {
    /** Pointers to them. */
    const struct recallite_blocked_task *const *items;
    /** How many. */
    size_t len;
} recallite_blocked_task_list;

/**
 * A task with all that is known about it.
 *
 * Free it with recallite_task_detail_free, unless it came in another result.
 */
typedef struct recallite_task_detail {
    /** The task, with its confirmed and suggested blockers. */
    const struct recallite_task *task;
    /** What stands in the way, conditions replaced by what they turned out to be. */
    const struct recallite_effective_blocker *const *effective_blockers;
    /** How many. */
    size_t effective_blockers_len;
    /** The acts on it, in the order of the log. */
    const struct recallite_event *const *history;
    /** How many. */
    size_t history_len;
} recallite_task_detail;

/** The name of a task, condition or artifact. */
typedef struct recallite_entity_ref {
    /** What it is. One of recallite_entity_kind. */
    int32_t kind;
    /** Its identity. */
    struct recallite_str id;
} recallite_entity_ref;

/** Something that must become true before a task can go on. */
typedef struct recallite_condition {
    /** Its identity. */
    struct recallite_str id;
    /** The project it belongs to. */
    struct recallite_str project;
    /** cond:{project}:{text}. */
    struct recallite_str canonical_key;
    /** What was said. */
    struct recallite_str text;
    /** Tasks that it may mean, best first. */
    const struct recallite_task_candidate *const *candidates;
    /** How many. */
    size_t candidates_len;
    /** True when the library made it up because a blocker was not named. */
    bool auto_placeholder;
    /** What it turned out to be. NULL when there is none. */
    const struct recallite_entity_ref *resolved_to;
    /** When it was declared. In milliseconds since 1970 UTC. */
    int64_t created_ms;
    /** When it last changed. In milliseconds since 1970 UTC. */
    int64_t updated_ms;
} recallite_condition;

/** Several of recallite_condition. Free it with recallite_condition_list_free. */
typedef struct recallite_condition_list {
    /** Pointers to them. */
    const struct recallite_condition *const *items;
    /** How many. */
    size_t len;
} recallite_condition_list;

/** Something elsewhere that a task waits for. */
typedef struct recallite_artifact {
    /** Its identity. */
    struct recallite_str id;
    /** art:{type}:{identifier}. */
    struct recallite_str canonical_key;
    /** What it is. One of recallite_artifact_kind. */
    int32_t kind;
    /** The address, ticket or issue as it was written. */
    struct recallite_str identifier;
    /** When it was declared. In milliseconds since 1970 UTC. */
    int64_t created_ms;
} recallite_artifact;

/** Several of recallite_artifact. Free it with recallite_artifact_list_free. */
typedef struct recallite_artifact_list {
    /** Pointers to them. */
    const struct recallite_artifact *const *items;
    /** How many. */
    size_t len;
} recallite_artifact_list;

/** How an event was used, as of one moment. */
typedef struct recallite_usage {
    /** How often it was accessed. */
    uint64_t access_count;
    /** The highest confidence seen, from 0 to 1. */
    double confidence;
    /** From how many distinct other sessions. */
    uint64_t cross_session_refs;
    /** Days since the last access. */
    double days_since_last_access;
} recallite_usage;

/**
 * How an event stands in the levels of memory.
 *
 * Free it with recallite_event_level_free, unless it came in another result.
 */
typedef struct recallite_event_level {
    /** How far it rose. One of recallite_level. */
    int32_t level;
    /** How it was used; absent when it never was. NULL when there is none. */
    const struct recallite_usage *usage;
    /** Whether it is pinned. */
    bool is_pinned;
} recallite_event_level;

/** An event that is pinned. */
typedef struct recallite_pinned_event {
    /** The event's id. */
    struct recallite_str id;
    /** Its position in the log. */
    uint64_t seq;
    /** Its citation. */
    struct recallite_str citation;
    /** What it records. One of recallite_event_kind. */
    int32_t kind;
    /** Its session. */
    struct recallite_str session;
    /** Its project; empty when it has none. */
    struct recallite_str project;
    /** One line of at most 100 characters. */
    struct recallite_str preview;
    /** Since when it is pinned. In milliseconds since 1970 UTC. */
    int64_t pinned_ms;
} recallite_pinned_event;

/** Several of recallite_pinned_event. Free it with recallite_pinned_event_list_free. */
typedef struct recallite_pinned_event_list {
    /** Pointers to them. */
    const struct recallite_pinned_event *const *items;
    /** How many. */
    size_t len;
} recallite_pinned_event_list;

/**
 * How many events lie at each level.
 *
 * Free it with recallite_level_counts_free, unless it came in another result.
 */
typedef struct recallite_level_counts {
    /** Conversation events at L0, L1, L2, L3 and L4. */
    uint64_t events[5];
} recallite_level_counts;

/** Something that events, taken together, give away. */
typedef struct recallite_insight {
    /** What it tells. One of recallite_insight_kind. */
    int32_t kind;
    /** The same insight has the same key. */
    struct recallite_str key;
    /** In words. */
    struct recallite_str content;
    /** How sure, from 0 to 1. */
    double confidence;
    /** The events it comes from, in the order given. */
    const struct recallite_str *sources;
    /** How many. */
    size_t sources_len;
} recallite_insight;

/** Several of recallite_insight. Free it with recallite_insight_list_free. */
typedef struct recallite_insight_list {
    /** Pointers to them. */
    const struct recallite_insight *const *items;
    /** How many. */
    size_t len;
} recallite_insight_list;

/** An event that rose or sank. */
typedef struct recallite_level_change {
    /** The event. */
    struct recallite_str event_id;
    /** Its new level. One of recallite_level. */
    int32_t level;
} recallite_level_change;

/**
 * What recallite_levels_graduate did.
 *
 * Free it with recallite_graduated_free, unless it came in another result.
 */
typedef struct recallite_graduated {
    /** Events that were judged. */
    size_t judged;
    /** Events that rose. */
    const struct recallite_level_change *const *promoted;
    /** How many. */
    size_t promoted_len;
    /** Events that sank. */
    const struct recallite_level_change *const *demoted;
    /** How many. */
    size_t demoted_len;
    /** Insights that are new or better founded than before. */
    const struct recallite_insight *const *insights;
    /** How many. */
    size_t insights_len;
    /** Events that still wait to be judged. */
    uint64_t waiting;
} recallite_graduated;

/**
 * What recallite_endless_consolidate did.
 *
 * Free it with recallite_consolidation_report_free, unless it came in another
 * result.
 */
typedef struct recallite_consolidation_report {
    /** Whether it was due (or asked for) at all. */
    bool ran;
    /** The memories that were made. */
    const struct recallite_str *memories;
    /** How many. */
    size_t memories_len;
    /** Events that wait for more of their topic. */
    size_t waiting;
} recallite_consolidation_report;

/**
 * The receipt of an append.
 *
 * Free it with recallite_appended_free, unless it came in another result.
 */
typedef struct recallite_appended {
    /**
     * The event's id: the stored one's when this was a duplicate. All zeros when it
     * was skipped.
     */
    struct recallite_str id;
    /** The event's position in the log; 0 when it was skipped. */
    uint64_t seq;
    /** The event's citation; empty when it was skipped. */
    struct recallite_str citation;
    /** True when the same event was there already and nothing was written. */
    bool duplicate;
    /**
     * Why nothing was stored, although nothing is wrong; absent when the event is on
     * the disk. One of recallite_skip_reason.
     */
    int32_t skipped;
    /** What the privacy filter did. */
    const struct recallite_privacy_report *privacy;
    /** How many bytes of tool output were cut away; 0 when nothing was. */
    uint64_t truncated_bytes;
    /** Things the caller should know, for example an unclosed private tag. */
    const struct recallite_str *warnings;
    /** How many. */
    size_t warnings_len;
} recallite_appended;

/** Several of recallite_appended. Free it with recallite_appended_list_free. */
typedef struct recallite_appended_list {
    /** Pointers to them. */
    const struct recallite_appended *const *items;
    /** How many. */
    size_t len;
} recallite_appended_list;

/** Several of recallite_event. Free it with recallite_event_list_free. */
typedef struct recallite_event_list {
    /** Pointers to them. */
    const struct recallite_event *const *items;
    /** How many. */
    size_t len;
} recallite_event_list;

/**
 * One conversation.
 *
 * Free it with recallite_session_free, unless it came in another result.
 */
typedef struct recallite_session {
    /** Its name, as events carry it. */
    struct recallite_str id;
    /** The project of its first event; empty for none. */
    struct recallite_str project;
    /** When it began. In milliseconds since 1970 UTC. */
    int64_t started_ms;
    /** When it ended, when it was ended. In milliseconds since 1970 UTC. */
    int64_t ended_ms;
    /** Whether ended_ms is known. */
    bool has_ended;
    /** The time of its newest conversation event. In milliseconds since 1970 UTC. */
    int64_t last_event_ms;
    /** Its summary, when it was given one. */
    struct recallite_str summary;
    /** Its tags. */
    const struct recallite_str *tags;
    /** How many. */
    size_t tags_len;
    /** Conversation events that it holds. */
    uint64_t events;
    /** Prompts among them. */
    uint64_t prompts;
    /** Responses among them. */
    uint64_t responses;
    /** Tool observations among them. */
    uint64_t tools;
} recallite_session;

/** Several of recallite_session. Free it with recallite_session_list_free. */
typedef struct recallite_session_list {
    /** Pointers to them. */
    const struct recallite_session *const *items;
    /** How many. */
    size_t len;
} recallite_session_list;

/** What the privacy filter took out of the whole store. */
typedef struct recallite_privacy_totals {
    /** Private sections. */
    uint64_t private_sections;
    /** Sessions with at least one private section. */
    uint64_t sessions;
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
    uint64_t flushed_events;
    /** Events that wait in the memtable; they are found as well. */
    uint64_t memtable_events;
    /** When events were last folded into a segment. In milliseconds since 1970 UTC. */
    int64_t last_flush_ms;
    /** Whether last_flush_ms is known. */
    bool has_last_flush;
    /**
     * Segments that a search of this process found damaged. Searches leave them out
     * and are marked degraded until the index is rebuilt.
     */
    uint64_t damaged_segments;
    /** Events in the memtable whose index entry is damaged; as above. */
    uint64_t damaged_events;
} recallite_lexical_stats;

/** How the embedding of events stands, for the active embedder. */
typedef struct recallite_embedding_stats {
    /** The embedding version: the embedder's id and fingerprint. */
    struct recallite_str version;
    /** Numbers per vector. */
    uint32_t dimensions;
    /** Vectors that are stored. */
    uint64_t vectors;
    /** Jobs that wait. */
    uint64_t pending;
    /** Jobs that a worker has. */
    uint64_t processing;
    /** Jobs that are done and not yet cleaned up. */
    uint64_t done;
    /**
     * Jobs whose last attempt failed; ten or more mean that the embedder is probably
     * broken.
     */
    uint64_t failed;
    /**
     * Positions of the log that were there before this embedder and are still to be
     * looked through.
     */
    uint64_t to_enqueue;
    /** How long successful jobs took on average, in milliseconds. */
    uint64_t average_processing_ms;
    /** Whether average_processing_ms is known. */
    bool has_average_processing_ms;
    /** When a job was last done. In milliseconds since 1970 UTC. */
    int64_t last_processed_ms;
    /** Whether last_processed_ms is known. */
    bool has_last_processed;
    /**
     * When the oldest waiting job was enqueued; an hour ago means that nothing calls
     * the worker. In milliseconds since 1970 UTC.
     */
    int64_t oldest_pending_ms;
    /** Whether oldest_pending_ms is known. */
    bool has_oldest_pending;
    /**
     * Vectors in graphs of this process, which its searches use; see
     * vector_graph_from.
     */
    uint64_t graph_vectors;
    /**
     * Vectors in files that are large enough for a graph and whose graph this
     * process has not finished; what maintain put into it is not counted.
     */
    uint64_t graph_waiting;
} recallite_embedding_stats;

/** How one derived layer stands. */
typedef struct recallite_layer_stats {
    /** The layer, for example tasks or working_set. */
    struct recallite_str name;
    /** How much it holds. */
    uint64_t size;
    /** How much waits to be moved into it by maintain. */
    uint64_t backlog;
    /** When it last moved; absent when it never did. In milliseconds since 1970 UTC. */
    int64_t last_moved_ms;
    /** Whether last_moved_ms is known. */
    bool has_last_moved;
} recallite_layer_stats;

/**
 * What was given to agents as context, and whether later responses took it up.
 *
 * An injected text counts as reused when one of the next three responses of the
 * session, within a day, holds a good part of its words that the query did not hold:
 * see docs/recall.md. It is an estimate.
 */
typedef struct recallite_injection_stats {
    /** How often context was given. */
    uint64_t injections;
    /** How many memories were given, all times together. */
    uint64_t memories;
    /** How many tokens were given, all times together. */
    uint64_t tokens;
    /** Injections that a response followed. */
    uint64_t judged;
    /** Injections of which at least one memory was reused. */
    uint64_t reused;
    /** Memories of the judged injections. */
    uint64_t judged_memories;
    /** Memories that were reused. */
    uint64_t reused_memories;
    /** When context was last given. In milliseconds since 1970 UTC. */
    int64_t last_ms;
    /** Whether last_ms is known. */
    bool has_last;
} recallite_injection_stats;

/**
 * What stats gives.
 *
 * Free it with recallite_stats_free, unless it came in another result.
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
    /** The time of the oldest live event. In milliseconds since 1970 UTC. */
    int64_t oldest_ms;
    /** Whether oldest_ms is known. */
    bool has_oldest;
    /** The time of the newest live event. In milliseconds since 1970 UTC. */
    int64_t newest_ms;
    /** Whether newest_ms is known. */
    bool has_newest;
    /** Bytes of text in live events. */
    uint64_t payload_bytes;
    /** Bytes of records in the log. */
    uint64_t log_bytes;
    /** Bytes of all files of the store. */
    uint64_t size_bytes;
    /** The size above which receipts warn, in bytes. */
    uint64_t quota_bytes;
    /** Whether the store is larger than that. */
    bool is_over_quota;
    /** When something was last appended. In milliseconds since 1970 UTC. */
    int64_t last_append_ms;
    /** Whether last_append_ms is known. */
    bool has_last_append;
    /** What the privacy filter took out so far. */
    const struct recallite_privacy_totals *privacy;
    /** The lexical index. */
    const struct recallite_lexical_stats *lexical;
    /**
     * The active embedder's vectors and jobs; absent until one is configured. NULL
     * when there is none.
     */
    const struct recallite_embedding_stats *embedding;
    /** What was learned: each derived layer by its name. */
    const struct recallite_layer_stats *const *layers;
    /** How many. */
    size_t layers_len;
    /** What was given to agents, and whether they took it up. */
    const struct recallite_injection_stats *injections;
    /**
     * Erasures that are not complete; 0 as a rule. unclean_places says what they
     * wait for; maintain goes on with them.
     */
    uint64_t open_erasures;
    /** Files that may still hold erased text, in plain words. */
    const struct recallite_str *unclean_places;
    /** How many. */
    size_t unclean_places_len;
} recallite_stats;

/** A setting as it is in force. */
typedef struct recallite_effective_setting {
    /** Its key in the settings file, for example retrieval.topK. */
    struct recallite_str key;
    /** Its value; null where the library has no such value of its own. As JSON. */
    struct recallite_str value_json;
    /** Where that comes from. One of recallite_setting_source. */
    int32_t source;
} recallite_effective_setting;

/** Several of recallite_effective_setting. Free it with recallite_effective_setting_list_free. */
typedef struct recallite_effective_setting_list {
    /** Pointers to them. */
    const struct recallite_effective_setting *const *items;
    /** How many. */
    size_t len;
} recallite_effective_setting_list;

/** A session or a project whose recording is paused. */
typedef struct recallite_pause {
    /** Whether it is a session or a project. One of recallite_pause_scope. */
    int32_t scope;
    /** Its name; empty when everything of it was erased since. */
    struct recallite_str name;
    /** Since when. In milliseconds since 1970 UTC. */
    int64_t paused_ms;
} recallite_pause;

/** Several of recallite_pause. Free it with recallite_pause_list_free. */
typedef struct recallite_pause_list {
    /** Pointers to them. */
    const struct recallite_pause *const *items;
    /** How many. */
    size_t len;
} recallite_pause_list;

/** A line that could not be read. */
typedef struct recallite_import_problem {
    /** The line, counted from 1. */
    uint64_t line;
    /** Why. */
    struct recallite_str problem;
} recallite_import_problem;

/** What an import did. */
typedef struct recallite_import_counters {
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
    /** Items that are not to be stored: calls of excluded tools. */
    uint64_t skipped;
    /** Lines that could not be read. */
    uint64_t errors;
    /** The first lines that could not be read, and why. */
    const struct recallite_import_problem *const *error_lines;
    /** How many. */
    size_t error_lines_len;
} recallite_import_counters;

/** A file that could not be imported. */
typedef struct recallite_import_failure {
    /** Its path. */
    struct recallite_str path;
    /** Why. */
    struct recallite_str reason;
} recallite_import_failure;

/**
 * What an import did.
 *
 * Free it with recallite_import_report_free, unless it came in another result.
 */
typedef struct recallite_import_report {
    /** Files that were read. */
    size_t files;
    /** What was found in them and what became of it. */
    const struct recallite_import_counters *counters;
    /** Files that could not be read, and why; the others were imported. */
    const struct recallite_import_failure *const *failed_files;
    /** How many. */
    size_t failed_files_len;
    /** Events that were refused, and why: at most the first ten. */
    const struct recallite_str *refused;
    /** How many. */
    size_t refused_len;
} recallite_import_report;

/**
 * What the host tells about an extraction.
 *
 * Begin with RECALLITE_INIT(recallite_ingest_options); a field that is zero has its
 * default.
 */
typedef struct recallite_ingest_options {
    /** sizeof(recallite_ingest_options). */
    size_t struct_size;
    /** Which language model extracted. */
    struct recallite_str extractor_model;
    /** The prompt that it was given, or its hash; kept as a hash. */
    struct recallite_str extractor_prompt;
    /**
     * How long the extraction took, in milliseconds. Read when has_extraction_ms is
     * set.
     */
    double extraction_ms;
    /**
     * The project of the entries and tasks. By default the session's, else the
     * memory's own.
     */
    struct recallite_str project;
    /**
     * The messages that the model was given, in the order in which it numbered them:
     * the ids of the messages as they were given. They count as read, and are right
     * also when others of the session were erased meanwhile. By default
     * recallite_session_messages, of which those count as read that the extraction
     * quotes, and what stands before.
     */
    const struct recallite_str *messages;
    /** How many. */
    size_t messages_len;
    /** Whether extraction_ms is given. */
    bool has_extraction_ms;
} recallite_ingest_options;

/**
 * One call of a tool, as the host saw it.
 *
 * Begin with RECALLITE_INIT(recallite_tool_use) and give name; another field that is
 * zero has its default.
 */
typedef struct recallite_tool_use {
    /** sizeof(recallite_tool_use). */
    size_t struct_size;
    /** The tool's name, for example "Read". */
    struct recallite_str name;
    /** The arguments, as JSON. */
    struct recallite_str input_json;
    /** What the tool returned, as text. */
    struct recallite_str output;
    /** How long it ran, in milliseconds. Read when has_duration_ms is set. */
    uint64_t duration_ms;
    /**
     * Whether it succeeded; by default true when error is absent. Read when
     * has_success is set.
     */
    bool success;
    /** The error message, when it failed. */
    struct recallite_str error;
    /**
     * Which prompt of the session caused the call, counted from 0. Read when
     * has_prompt_index is set.
     */
    uint32_t prompt_index;
    /**
     * Which call within that prompt this is, counted from 0. Read when
     * has_tool_index is set.
     */
    uint32_t tool_index;
    /** Whether duration_ms is given. */
    bool has_duration_ms;
    /** Whether success is given. */
    bool has_success;
    /** Whether prompt_index is given. */
    bool has_prompt_index;
    /** Whether tool_index is given. */
    bool has_tool_index;
} recallite_tool_use;

/**
 * An event to be remembered.
 *
 * Begin with RECALLITE_INIT(recallite_new_event) and give kind, session; another
 * field that is zero has its default.
 */
typedef struct recallite_new_event {
    /** sizeof(recallite_new_event). */
    size_t struct_size;
    /**
     * What it records: one of the four kinds of a conversation, user_prompt,
     * agent_response, session_summary or tool_observation. One of
     * recallite_event_kind.
     */
    int32_t kind;
    /** The conversation it belongs to; 1 to 1,024 bytes. */
    struct recallite_str session;
    /** The text. For a tool observation it may stay empty: it is then made from tool. */
    struct recallite_str content;
    /**
     * Who: user, assistant, a tool's name or a speaker's name. By default derived
     * from the kind.
     */
    struct recallite_str actor;
    /**
     * Where the text came from. By default derived from the kind. One of
     * recallite_origin.
     */
    int32_t origin;
    /** The project scope. By default the project that the memory was opened for. */
    struct recallite_str project;
    /**
     * When it happened. By default now. In milliseconds since 1970 UTC. Read when
     * has_timestamp is set.
     */
    int64_t timestamp_ms;
    /** Anything else, as a JSON object. */
    struct recallite_str metadata_json;
    /**
     * How a repetition is recognised: the same content in the same session is one
     * event (the default), the same key is one event, or every call stores an event.
     * One of recallite_dedupe.
     */
    int32_t dedupe;
    /** The key of a repetition, for RECALLITE_DEDUPE_KEY only. */
    struct recallite_str dedupe_key;
    /** The tool call, for a tool_observation. */
    const struct recallite_tool_use *tool;
    /** Whether timestamp_ms is given. */
    bool has_timestamp;
} recallite_new_event;

/**
 * A change of a session; what is absent stays as it is.
 *
 * Begin with RECALLITE_INIT(recallite_session_update); a field that is zero has its
 * default.
 */
typedef struct recallite_session_update {
    /** sizeof(recallite_session_update). */
    size_t struct_size;
    /** The project it belongs to. */
    struct recallite_str project;
    /** When it began. In milliseconds since 1970 UTC. Read when has_started is set. */
    int64_t started_ms;
    /** When it ended. In milliseconds since 1970 UTC. Read when has_ended is set. */
    int64_t ended_ms;
    /** Its summary; passes the privacy filter. */
    struct recallite_str summary;
    /** Its tags. Read when has_tags is set. */
    const struct recallite_str *tags;
    /** How many. */
    size_t tags_len;
    /** Whether started_ms is given. */
    bool has_started;
    /** Whether ended_ms is given. */
    bool has_ended;
    /** Whether tags is given. */
    bool has_tags;
} recallite_session_update;

/** One event of a timeline. */
typedef struct recallite_timeline_item {
    /** The event's id. */
    struct recallite_str id;
    /** Its position in the log. */
    uint64_t seq;
    /** Its citation. */
    struct recallite_str citation;
    /** What it records. One of recallite_event_kind. */
    int32_t kind;
    /** Its session. */
    struct recallite_str session;
    /** Who said or did it. */
    struct recallite_str actor;
    /** When it happened. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** One line of at most 200 characters. */
    struct recallite_str preview;
    /** Whether it is one of the events that were asked for. */
    bool is_target;
} recallite_timeline_item;

/** Several of recallite_timeline_item. Free it with recallite_timeline_item_list_free. */
typedef struct recallite_timeline_item_list {
    /** Pointers to them. */
    const struct recallite_timeline_item *const *items;
    /** How many. */
    size_t len;
} recallite_timeline_item_list;

/** How an event stands to others of its session. */
typedef struct recallite_relations {
    /**
     * The prompt that a response or tool observation answers: the last one before it
     * in its session.
     */
    struct recallite_str parent;
    /**
     * The responses and tool observations that a prompt led to, up to the next
     * prompt of its session, in the order of time.
     */
    const struct recallite_str *children;
    /** How many. */
    size_t children_len;
    /** The event before it in the session. */
    struct recallite_str previous;
    /** The event after it in the session. */
    struct recallite_str next;
} recallite_relations;

/** One event in full, with what stands beside it. */
typedef struct recallite_detail {
    /** The event. */
    const struct recallite_event *event;
    /** Estimated tokens of its content. */
    size_t token_count;
    /** Whether the content holds a fenced block of code. */
    bool has_code;
    /** Paths of files that the content names. */
    const struct recallite_str *files;
    /** How many. */
    size_t files_len;
    /** Tools that the content names. */
    const struct recallite_str *tools;
    /** How many. */
    size_t tools_len;
    /** The events it belongs to. */
    const struct recallite_relations *relations;
} recallite_detail;

/** Several of recallite_detail. Free it with recallite_detail_list_free. */
typedef struct recallite_detail_list {
    /** Pointers to them. */
    const struct recallite_detail *const *items;
    /** How many. */
    size_t len;
} recallite_detail_list;

/**
 * A search: a text and what narrows it.
 *
 * Begin with RECALLITE_INIT(recallite_query); a field that is zero has its default.
 */
typedef struct recallite_query {
    /** sizeof(recallite_query). */
    size_t struct_size;
    /** The question or the words to look for, in any language. */
    struct recallite_str text;
    /** At most this many hits, 1 to 1,000. Default: 10. */
    size_t limit;
    /**
     * Where the memories lie that are looked for, as the memory's embedder would say
     * it, instead of asking it about text. The text may then be blank. Default: the
     * embedder is asked.
     */
    const float *vector;
    /** How many. */
    size_t vector_len;
    /** Only this session. */
    struct recallite_str session;
    /** Only these projects. One of recallite_scope. */
    int32_t scope;
    /** The project for RECALLITE_SCOPE_NAMED; absent otherwise. */
    struct recallite_str project;
    /**
     * Only these conversation kinds; empty means all four. One of
     * recallite_event_kind.
     */
    const int32_t *kinds;
    /** How many. */
    size_t kinds_len;
    /**
     * Only events at this time or later. In milliseconds since 1970 UTC. Read when
     * has_from is set.
     */
    int64_t from_ms;
    /**
     * Only events before this time. In milliseconds since 1970 UTC. Read when
     * has_until is set.
     */
    int64_t until_ms;
    /**
     * Only calls of these tools, at most 64, and what was learned from them; empty
     * means any event. A tool that nobody called has none.
     */
    const struct recallite_str *tools;
    /** How many. */
    size_t tools_len;
    /**
     * Only calls of tools on a file whose path contains this, 1 to 1,024 bytes, and
     * what was learned from them.
     */
    struct recallite_str file_contains;
    /**
     * Only calls of tools that ended so, and what was learned from them. One of
     * recallite_tool_outcome.
     */
    int32_t tool_outcome;
    /**
     * Only events that have risen to this level or higher, and what was learned from
     * one of them; by the levels of today, also with as_of. Default: all. One of
     * recallite_level.
     */
    int32_t min_level;
    /** Only hits whose relevance is at least this (0 to 1). Default: all. */
    float min_relevance;
    /** When it is over, the result so far is given, marked degraded. */
    uint64_t deadline_ms;
    /**
     * Whether recalled text that came back is found too. Default: false, or a memory
     * would soon find its own answers.
     */
    bool include_recalled;
    /**
     * Switches off: whether what was learned is found beside the events. Default:
     * true.
     */
    bool skip_learned;
    /**
     * Only these kinds of learned things; empty means all four. One of
     * recallite_learned_kind.
     */
    const int32_t *learned_kinds;
    /** How many. */
    size_t learned_kinds_len;
    /** Only entries of these types; empty means all. One of recallite_entry_type. */
    const int32_t *entry_types;
    /** How many. */
    size_t entry_types_len;
    /**
     * As it was known at this moment: events until then, entries that held then,
     * tasks as they stood then. Default: now. In milliseconds since 1970 UTC. Read
     * when has_as_of is set.
     */
    int64_t as_of_ms;
    /** Whether from_ms is given. */
    bool has_from;
    /** Whether until_ms is given. */
    bool has_until;
    /** Whether as_of_ms is given. */
    bool has_as_of;
} recallite_query;

/** A part of an event's content. */
typedef struct recallite_passage {
    /** The text of the passage. */
    struct recallite_str text;
    /** Where it begins in the content, in UTF-8 bytes. */
    size_t start;
    /** Where it ends in the content, in UTF-8 bytes, exclusive. */
    size_t end;
} recallite_passage;

/** One event that was found. */
typedef struct recallite_hit {
    /** The event's id. */
    struct recallite_str id;
    /** The event's position in the log. */
    uint64_t seq;
    /** The event's citation. */
    struct recallite_str citation;
    /** What the event records. One of recallite_event_kind. */
    int32_t kind;
    /** The conversation it belongs to. */
    struct recallite_str session;
    /** The project it belongs to; empty for none. */
    struct recallite_str project;
    /** Who said or did it. */
    struct recallite_str actor;
    /** Where the text came from. One of recallite_origin. */
    int32_t origin;
    /** When it happened. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** One line of at most 100 characters. */
    struct recallite_str summary;
    /** The passage that matched best. */
    const struct recallite_passage *passage;
    /** Orders the hits of one search; comparable only within it. */
    float rank_score;
    /** The specified match score, 0 to 1. */
    float match_score;
    /** How likely the hit answers the query, 0 to 1, calibrated. */
    float relevance;
} recallite_hit;

/** An event that proves a learned thing, and the words in it that do. */
typedef struct recallite_proof {
    /** The event's id. */
    struct recallite_str id;
    /** Its position in the log. */
    uint64_t seq;
    /** Its citation. */
    struct recallite_str citation;
    /** Its session. */
    struct recallite_str session;
    /** When it happened. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** The quoted part of its content. */
    struct recallite_str quote;
    /** Where that part begins in the content, in UTF-8 bytes. */
    size_t start;
    /** Where it ends, exclusive. */
    size_t end;
} recallite_proof;

/** A learned thing that was found. */
typedef struct recallite_learned_hit {
    /**
     * What it is, and so which call tells more of it by its id. One of
     * recallite_learned_kind.
     */
    int32_t kind;
    /**
     * The type of an entry; absent for what is no entry. One of
     * recallite_entry_type.
     */
    int32_t entry_type;
    /** Its identity. */
    struct recallite_str id;
    /** In one line. */
    struct recallite_str title;
    /**
     * In full: an entry's content, a task's description, a memory's summary. Empty
     * when the title says all.
     */
    struct recallite_str text;
    /** How it stands. One of recallite_learned_state. */
    int32_t state;
    /**
     * How well an entry is proved; absent for what is no entry. One of
     * recallite_stage.
     */
    int32_t stage;
    /** The entry that took its place. */
    struct recallite_str superseded_by;
    /** The entries that it disagrees with. */
    const struct recallite_str *contested_with;
    /** How many. */
    size_t contested_with_len;
    /** What holds a blocked task up, in words. */
    const struct recallite_str *blockers;
    /** How many. */
    size_t blockers_len;
    /**
     * How far the events that prove it have risen: the highest of them. One of
     * recallite_level.
     */
    int32_t level;
    /**
     * How likely it helps with the query, 0 to 1: the part of the question that it
     * covers, less where it is doubtful or no longer counts.
     */
    float relevance;
    /**
     * When it was learned; of a task, when it last changed. In milliseconds since
     * 1970 UTC.
     */
    int64_t timestamp_ms;
    /** The project it belongs to; empty for none. */
    struct recallite_str project;
    /** The session it was learned from; empty when it comes from several. */
    struct recallite_str session;
    /**
     * The citation to show for it: of the first proof, or of the record that made it
     * when nothing was quoted.
     */
    struct recallite_str citation;
    /** The events that prove it, in the order in which they were quoted. */
    const struct recallite_proof *const *proofs;
    /** How many. */
    size_t proofs_len;
} recallite_learned_hit;

/**
 * What a search found.
 *
 * Free it with recallite_search_result_free, unless it came in another result.
 */
typedef struct recallite_search_result {
    /** The hits, best first. */
    const struct recallite_hit *const *items;
    /** How many. */
    size_t len;
    /**
     * What was learned and helps, best first: entries, tasks, insights and
     * consolidated memories, at most as many as hits. Empty when nothing was
     * learned, or when the query did not want it.
     */
    const struct recallite_learned_hit *const *learned;
    /** How many. */
    size_t learned_len;
    /**
     * How sure the best hit is: inject it (high), offer it (suggested), or neither
     * (none). "None" is an answer. One of recallite_match_class.
     */
    int32_t confidence;
    /**
     * True when the deadline ended the search early or a part of the index could not
     * be read: there may be better hits.
     */
    bool degraded;
    /**
     * How many events matched, before limit: exact up to 1,000, then at least so
     * many.
     */
    size_t total_matches;
} recallite_search_result;

/**
 * Which events are meant. Every condition that is set must hold, and at least one
 * must be set; a selection of everything must say so.
 *
 * Without kinds, conversation events are meant (prompts, responses, tool
 * observations, summaries), and with session or everything also the changes of
 * sessions; with everything tasks, edges, decisions and scored contexts too, which
 * may rest on no conversation. Without project, only the memory's own project is
 * reached.
 *
 * Begin with RECALLITE_INIT(recallite_selector); a field that is zero has its
 * default.
 */
typedef struct recallite_selector {
    /** sizeof(recallite_selector). */
    size_t struct_size;
    /** These events; any of the three names of an event. */
    const struct recallite_str *ids;
    /** How many. */
    size_t ids_len;
    /** Events of this session. */
    struct recallite_str session;
    /**
     * Events before this moment (not at it). In milliseconds since 1970 UTC. Read
     * when has_before is set.
     */
    int64_t before_ms;
    /**
     * Events of these projects. Naming a project is a condition by itself. One of
     * recallite_scope.
     */
    int32_t scope;
    /** The project for RECALLITE_SCOPE_NAMED; absent otherwise. */
    struct recallite_str project;
    /** Events of these kinds. One of recallite_event_kind. */
    const int32_t *kinds;
    /** How many. */
    size_t kinds_len;
    /** Whether no condition is needed. */
    bool everything;
    /** Whether before_ms is given. */
    bool has_before;
} recallite_selector;

/**
 * What recallite_forget did.
 *
 * Free it with recallite_forgotten_free, unless it came in another result.
 */
typedef struct recallite_forgotten {
    /** Events that were live before and are forgotten now. */
    uint64_t count;
    /** Bytes of their content. */
    uint64_t content_bytes;
    /** Sessions that they belonged to. */
    uint64_t sessions;
    /** Jobs that waited for them and were dropped. */
    uint64_t jobs;
    /** Segments of the search index that were rewritten without their words. */
    uint64_t segments;
    /**
     * Larger segments that still hold their words, which no search finds, until
     * recallite_maintain, recallite_compact or a merge writes them again.
     */
    uint64_t segments_waiting;
    /**
     * The position of the tombstone; absent when nothing was selected. 0 when there
     * is none.
     */
    uint64_t tombstone;
} recallite_forgotten;

/**
 * The receipt of recallite_erase.
 *
 * An erasure is a recorded order: it is written together with what it changes, and
 * stays open until every file that held the text was overwritten. Erasing again with
 * the same selector completes it and says so.
 *
 * Free it with recallite_erased_free, unless it came in another result.
 */
typedef struct recallite_erased {
    /** Events that were selected and are erased now, forgotten ones included. */
    uint64_t count;
    /**
     * Events that the library had recorded about them (quotes, entries, injected
     * text, uses) and that are erased with them.
     */
    uint64_t dependents;
    /**
     * Records of the library of which only a part was about them: that part is
     * erased, and the rest, which is about others, stays.
     */
    uint64_t reduced;
    /**
     * The event that records the erasure; absent when nothing was selected. 0 when
     * there is none.
     */
    uint64_t tombstone;
    /** The generation that is live now; 0 when nothing was selected. */
    uint64_t generation;
    /**
     * Whether the old files were overwritten with zeros and removed; false while one
     * of them waits for a process that still has it open. Side files of vectors that
     * another process has open are removed as they are.
     */
    bool was_overwritten;
    /** Every place that was cleared, in plain words. */
    const struct recallite_str *places;
    /** How many. */
    size_t places_len;
    /**
     * Whether nothing of this erasure, nor of one before it, is left to do. When
     * false, open_places says what is: opening the store, recallite_maintain,
     * recallite_compact and the next call of recallite_erase go on with it.
     */
    bool is_complete;
    /** Files that may still hold erased text, in plain words. */
    const struct recallite_str *open_places;
    /** How many. */
    size_t open_places_len;
    /** Earlier erasures, interrupted or hindered, that this call completed. */
    uint64_t completed;
} recallite_erased;

/**
 * How much one call of recallite_maintain does at most.
 *
 * Begin with RECALLITE_INIT(recallite_maintain_budget); a field that is zero has its
 * default.
 */
typedef struct recallite_maintain_budget {
    /** sizeof(recallite_maintain_budget). */
    size_t struct_size;
    /**
     * Events that graduation judges; 500 by default. Read when has_graduate_events
     * is set.
     */
    size_t graduate_events;
    /**
     * Merges of index segments, and segments that are written again without what was
     * forgotten; 4 of each by default. Read when has_merges is set.
     */
    size_t merges;
    /** The largest merge, in events; 100,000 by default. */
    uint64_t merge_events;
    /**
     * Outbox jobs, when there is an embedder; 64 by default. Read when has_jobs is
     * set.
     */
    size_t jobs;
    /**
     * Vectors that are put into graphs, where the memory was opened with
     * vector_graph_from; 500 by default. Each takes about a millisecond, more in
     * large graphs. Read when has_graph_vectors is set.
     */
    size_t graph_vectors;
    /**
     * Messages that rules learn from, in sessions that ended or fell silent; 200 by
     * default. See learn_by_rules. Read when has_learn_messages is set.
     */
    size_t learn_messages;
    /** Nothing new is begun after so many milliseconds; absent by default. */
    uint64_t time_ms;
    /** Whether graduate_events is given. */
    bool has_graduate_events;
    /** Whether merges is given. */
    bool has_merges;
    /** Whether jobs is given. */
    bool has_jobs;
    /** Whether graph_vectors is given. */
    bool has_graph_vectors;
    /** Whether learn_messages is given. */
    bool has_learn_messages;
} recallite_maintain_budget;

/**
 * What recallite_maintain did.
 *
 * Free it with recallite_maintained_free, unless it came in another result.
 */
typedef struct recallite_maintained {
    /** Whether waiting events were flushed into an index segment. */
    bool flushed;
    /** Merges of index segments. */
    size_t merges;
    /** Index segments that were written again without words of forgotten events. */
    size_t rewritten;
    /** Outbox jobs whose vectors were written or that needed none. */
    size_t jobs_done;
    /** Outbox jobs that failed; they are tried again later. */
    size_t jobs_failed;
    /** Outbox jobs that got another attempt or were taken from dead workers. */
    size_t jobs_revived;
    /** Outbox jobs that were done long ago and are gone now. */
    size_t jobs_cleaned;
    /** Outbox jobs that still wait for the embedder. */
    size_t jobs_waiting;
    /** Vectors that were put into graphs. */
    size_t graph_vectors;
    /** Events that graduation judged. */
    size_t judged;
    /** Events that rose or sank. */
    size_t moved;
    /** Insights that were found. */
    size_t insights;
    /** Memories that consolidation made. */
    size_t consolidated;
    /** Messages that rules have read. */
    size_t messages_read;
    /** Entries that rules have learned. */
    size_t entries_learned;
    /** Tasks that rules have learned. */
    size_t tasks_learned;
    /** Earlier erasures, interrupted or hindered, that are complete now. */
    uint64_t erasures_completed;
    /**
     * Erasures that still wait for a file which another process has open; see
     * unclean_places.
     */
    uint64_t erasures_open;
    /** Whether another call would find more to do. */
    bool has_more;
    /**
     * Whether a compaction would pay: much of the log was forgotten, or the folder
     * is much larger than what it holds.
     */
    bool compaction_pays;
} recallite_maintained;

/** A job that failed. */
typedef struct recallite_job_failure {
    /** The job's number. */
    uint64_t job;
    /** What went wrong. */
    struct recallite_str message;
} recallite_job_failure;

/**
 * What a run of the worker did.
 *
 * Free it with recallite_processed_free, unless it came in another result.
 */
typedef struct recallite_processed {
    /** Jobs that were claimed. */
    size_t processed;
    /** Jobs that are done, skipped ones included. */
    size_t succeeded;
    /** Jobs that failed. */
    size_t failed;
    /**
     * Of those that are done, the ones that needed no vector because their item is
     * gone or says nothing.
     */
    size_t skipped;
    /** What went wrong, per job. */
    const struct recallite_job_failure *const *errors;
    /** How many. */
    size_t errors_len;
} recallite_processed;

/** Where a store is not what it should be, and what to do. */
typedef struct recallite_divergence {
    /** The table or part: events is the log, lexical the search index. */
    struct recallite_str place;
    /** The event, where one is concerned. 0 when there is none. */
    uint64_t seq;
    /** What is wrong, without any stored content. */
    struct recallite_str problem;
    /** What to do about it. */
    struct recallite_str remedy;
} recallite_divergence;

/** A record that changes nothing, because this library cannot have written it. */
typedef struct recallite_ignored_record {
    /** Its position. */
    uint64_t seq;
    /** What it says it records. One of recallite_event_kind. */
    int32_t kind;
    /** Why it is passed over, without any stored content. */
    struct recallite_str problem;
} recallite_ignored_record;

/**
 * What recallite_check found.
 *
 * Free it with recallite_check_report_free, unless it came in another result.
 */
typedef struct recallite_check_report {
    /** Whether everything is as it should be. */
    bool ok;
    /** Records in the log. */
    uint64_t events;
    /** The first thing that is wrong. NULL when there is none. */
    const struct recallite_divergence *first_divergence;
    /**
     * Records of the log that are whole and are passed over, because the library
     * never wrote them: forged ones. They change nothing, so the store can be sound
     * beside them. At most the first hundred.
     */
    const struct recallite_ignored_record *const *ignored_records;
    /** How many. */
    size_t ignored_records_len;
    /** The state hash at as_of, as recallite_upkeep_state_hash gives it. */
    struct recallite_str state_hash;
    /**
     * The moment of the hash: the newest live event's time. In milliseconds since
     * 1970 UTC.
     */
    int64_t as_of_ms;
} recallite_check_report;

/**
 * What recallite_rebuild did.
 *
 * Free it with recallite_rebuilt_free, unless it came in another result.
 */
typedef struct recallite_rebuilt {
    /** Records of the log that were replayed. */
    uint64_t events;
    /**
     * The state hash before, as 64 hexadecimal digits; empty when the tables could
     * not be read.
     */
    struct recallite_str hash_before;
    /**
     * The state hash after. It differs from the one before only when the tables had
     * been damaged.
     */
    struct recallite_str hash_after;
} recallite_rebuilt;

/**
 * What recallite_compact did.
 *
 * Free it with recallite_compacted_free, unless it came in another result.
 */
typedef struct recallite_compacted {
    /** Bytes of all files of the store before. */
    uint64_t before_bytes;
    /** Bytes after. */
    uint64_t after_bytes;
    /** The generation that is live now. */
    uint64_t generation;
} recallite_compacted;

/**
 * What an export wrote.
 *
 * Free it with recallite_exported_free, unless it came in another result.
 */
typedef struct recallite_exported {
    /** Events. */
    uint64_t events;
    /** Bytes. */
    uint64_t bytes;
} recallite_exported;

/**
 * What an import did.
 *
 * Free it with recallite_imported_free, unless it came in another result.
 */
typedef struct recallite_imported {
    /** Events that were stored. */
    uint64_t events;
    /** Events that were here already. */
    uint64_t duplicates;
    /**
     * Lines that an import leaves out: forgotten and erased events, and what the
     * library had recorded itself.
     */
    uint64_t skipped;
} recallite_imported;

/** One memory of a context. */
typedef struct recallite_context_item {
    /** The event's id. */
    struct recallite_str id;
    /** Its position in the log. */
    uint64_t seq;
    /** Its citation. */
    struct recallite_str citation;
    /** What it records. One of recallite_event_kind. */
    int32_t kind;
    /** Its session. */
    struct recallite_str session;
    /** Who said or did it. */
    struct recallite_str actor;
    /** Where the text came from. One of recallite_origin. */
    int32_t origin;
    /** When it happened. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** The part of its content that is shown. */
    struct recallite_str text;
    /** Where that part begins in the content, in UTF-8 bytes. */
    size_t start;
    /** Where it ends, exclusive. */
    size_t end;
    /** How likely it answers the query; absent for a pinned event. */
    float relevance;
    /** Whether relevance is known. */
    bool has_relevance;
    /**
     * How what was learned from it stands when that no longer holds or is in doubt:
     * superseded or contested. The text says so. One of recallite_learned_state.
     */
    int32_t state;
} recallite_context_item;

/**
 * Text for an agent's prompt.
 *
 * Free it with recallite_context_free, unless it came in another result.
 */
typedef struct recallite_context {
    /** The fenced text; empty when nothing is good enough or fits. */
    struct recallite_str text;
    /** The citations in the text, in its order; none when its format has none. */
    const struct recallite_str *citations;
    /** How many. */
    size_t citations_len;
    /** The tokens of the text. */
    size_t tokens;
    /**
     * How sure the best match is: none, suggested (the text says so) or high. One of
     * recallite_match_class.
     */
    int32_t confidence;
    /** The events in the text, in its order. */
    const struct recallite_context_item *const *items;
    /** How many. */
    size_t len;
    /**
     * What was learned and stands in the text, in its order: behind what is pinned,
     * before the other events.
     */
    const struct recallite_learned_hit *const *learned;
    /** How many. */
    size_t learned_len;
    /** True when a deadline or damage kept something from being searched. */
    bool degraded;
} recallite_context;

/** One line of the index. */
typedef struct recallite_index_item {
    /** The event's id. */
    struct recallite_str id;
    /** Its position in the log. */
    uint64_t seq;
    /** Its citation. */
    struct recallite_str citation;
    /** What it records. One of recallite_event_kind. */
    int32_t kind;
    /** Its session. */
    struct recallite_str session;
    /** When it happened. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** One line of at most 100 characters. */
    struct recallite_str summary;
    /** How likely it answers the query, 0 to 1: the hit's relevance. */
    float score;
} recallite_index_item;

/** Figures about a smart search. */
typedef struct recallite_smart_search_meta {
    /** How many events matched: exact up to 1,000, then at least so many. */
    size_t total_matches;
    /** How many results a timeline or details are shown for. */
    size_t expanded_count;
    /**
     * The tokens of what was learned, index, timeline and details in their Markdown
     * form.
     */
    size_t estimated_tokens;
    /** Why results were expanded, or not. One of recallite_expansion_reason. */
    int32_t expansion_reason;
} recallite_smart_search_meta;

/**
 * What recallite_smart_search gives: three layers, each only as far as it helps.
 *
 * Free it with recallite_smart_search_result_free, unless it came in another result.
 */
typedef struct recallite_smart_search_result {
    /**
     * Layer 1: the results, best first. An event that only proves what the lines of
     * learned_markdown say is not among them.
     */
    const struct recallite_index_item *const *index;
    /** How many. */
    size_t index_len;
    /** What was learned and helps, as a search gives it. */
    const struct recallite_learned_hit *const *learned;
    /** How many. */
    size_t learned_len;
    /** Layer 2: what happened around some of them; empty when nothing was added. */
    const struct recallite_timeline_item *const *timeline;
    /** How many. */
    size_t timeline_len;
    /** Layer 3: some of them in full; empty when nothing was added. */
    const struct recallite_detail *const *details;
    /** How many. */
    size_t details_len;
    /** Figures. */
    const struct recallite_smart_search_meta *meta;
    /**
     * What to tell the reader about seeing more; empty when enough was shown or
     * nothing was found.
     */
    struct recallite_str hint;
    /** How sure the best result is. One of recallite_match_class. */
    int32_t confidence;
    /** True when a deadline or damage kept something from being searched. */
    bool degraded;
    /** Layer 1 as Markdown. */
    struct recallite_str index_markdown;
    /** Layer 2 as Markdown; empty without a timeline. */
    struct recallite_str timeline_markdown;
    /** Layer 3 as Markdown; empty without details. */
    struct recallite_str details_markdown;
    /**
     * What was learned, the layers that are there, one below the other, and the
     * hint.
     */
    struct recallite_str markdown;
} recallite_smart_search_result;

/**
 * A quote and the message that it is said to come from.
 *
 * Begin with RECALLITE_INIT(recallite_evidence_quote) and give message_index, quote;
 * another field that is zero has its default.
 */
typedef struct recallite_evidence_quote {
    /** sizeof(recallite_evidence_quote). */
    size_t struct_size;
    /**
     * Which message, counted from 0. Models make indices up: one that no message has
     * is a result, and the other quotes go on.
     */
    int64_t message_index;
    /**
     * The words of the message, as the extractor gives them; 30 to 200 characters
     * are best.
     */
    struct recallite_str quote;
} recallite_evidence_quote;

/**
 * How align searches.
 *
 * Begin with RECALLITE_INIT(recallite_align_options); a field that is zero has its
 * default.
 */
typedef struct recallite_align_options {
    /** sizeof(recallite_align_options). */
    size_t struct_size;
    /**
     * The smallest similarity of a fuzzy match, from 0.5 to 1.0. Default 0.85
     * (specification).
     */
    double fuzzy_threshold;
    /**
     * Quotes with more normalised characters than this are only searched exactly and
     * normalised. Default 500 (specification), at most 10,000. Read when
     * has_max_fuzzy_quote_chars is set.
     */
    size_t max_fuzzy_quote_chars;
    /**
     * Whether a quote that fits several places fails with Ambiguous instead of
     * taking the first. Default false.
     */
    bool reject_ambiguous;
    /** Whether max_fuzzy_quote_chars is given. */
    bool has_max_fuzzy_quote_chars;
} recallite_align_options;

/** A store whose records this one takes. */
typedef struct recallite_member {
    /** Its public key: 64 hexadecimal digits. */
    struct recallite_str identity;
    /** What people call it. */
    struct recallite_str name;
    /** How far its orders reach. One of recallite_member_role. */
    int32_t role;
    /**
     * Since when it is a member, as this store has it. In milliseconds since 1970
     * UTC.
     */
    int64_t since_ms;
} recallite_member;

/** Several of recallite_member. Free it with recallite_member_list_free. */
typedef struct recallite_member_list {
    /** Pointers to them. */
    const struct recallite_member *const *items;
    /** How many. */
    size_t len;
} recallite_member_list;

/**
 * Records for other stores, as text.
 *
 * Free it with recallite_shared_batch_free, unless it came in another result.
 */
typedef struct recallite_shared_batch {
    /** What receive takes: JSON Lines, each record signed. */
    struct recallite_str lines;
    /** How many records are in it. */
    uint64_t records;
    /**
     * Up to which position of this store's log records were looked at: where the
     * next batch begins.
     */
    uint64_t through;
    /** Whether there is more behind it. */
    bool has_more;
} recallite_shared_batch;

/**
 * What receive did.
 *
 * Free it with recallite_received_free, unless it came in another result.
 */
typedef struct recallite_received {
    /** The identity of the store that the batch came from. */
    struct recallite_str identity;
    /** Records that are new here. */
    uint64_t records;
    /** Records that were here already. */
    uint64_t duplicates;
    /** Records that an order had forgotten or erased before they came. */
    uint64_t refused;
    /** Events that orders in the batch hid. */
    uint64_t forgotten;
    /**
     * Orders to erase, of this batch and of earlier ones, that erase_ordered is
     * still to carry out.
     */
    uint64_t to_erase;
    /** Up to which position the log of that store was received. */
    uint64_t through;
} recallite_received;

/** How far the records of another store were received. */
typedef struct recallite_watermark {
    /** The identity of the other store. */
    struct recallite_str identity;
    /** The position in its log up to which everything that it shares is here. */
    uint64_t position;
} recallite_watermark;

/** Several of recallite_watermark. Free it with recallite_watermark_list_free. */
typedef struct recallite_watermark_list {
    /** Pointers to them. */
    const struct recallite_watermark *const *items;
    /** How many. */
    size_t len;
} recallite_watermark_list;

/**
 * Where an event came from that another store recorded.
 *
 * Free it with recallite_record_source_free, unless it came in another result.
 */
typedef struct recallite_record_source {
    /**
     * The store that recorded it, by its public key; absent when it is no member any
     * more.
     */
    struct recallite_str identity;
    /** What people call that store; absent as above. */
    struct recallite_str name;
    /** Its position in the log of that store. */
    uint64_t position;
    /** Its citation there, which may be another one here. */
    struct recallite_str citation;
} recallite_record_source;

/**
 * What push_folder wrote.
 *
 * Free it with recallite_pushed_free, unless it came in another result.
 */
typedef struct recallite_pushed {
    /** New files. */
    uint64_t files;
    /** Records in them. */
    uint64_t records;
    /** Files that were written again, without what was forgotten or erased since. */
    uint64_t rewritten;
} recallite_pushed;

/**
 * What pull_folder took, or a pull from elsewhere.
 *
 * Free it with recallite_pulled_free, unless it came in another result.
 */
typedef struct recallite_pulled {
    /** Files that were read; none where there are no files. */
    uint64_t files;
    /** Records that are new here. */
    uint64_t records;
    /** Records that were here already. */
    uint64_t duplicates;
    /** Records that an order had forgotten or erased before they came. */
    uint64_t refused;
    /** Events that orders hid. */
    uint64_t forgotten;
    /** Orders to erase that erase_ordered is still to carry out. */
    uint64_t to_erase;
    /**
     * Identities of stores that have something there and are no members: nothing of
     * theirs was read.
     */
    const struct recallite_str *strangers;
    /** How many. */
    size_t strangers_len;
} recallite_pulled;

/**
 * A store that made itself known in a folder.
 *
 * Free it with recallite_announced_free, unless it came in another result.
 */
typedef struct recallite_announced {
    /** Its public key: 64 hexadecimal digits. */
    struct recallite_str identity;
    /** What it calls itself. */
    struct recallite_str name;
} recallite_announced;

/** Several of recallite_announced. Free it with recallite_announced_list_free. */
typedef struct recallite_announced_list {
    /** Pointers to them. */
    const struct recallite_announced *const *items;
    /** How many. */
    size_t len;
} recallite_announced_list;

/** An erasure of this store that other stores have still to carry out. */
typedef struct recallite_unanswered_erasure {
    /** The position of the event that records the erasure. */
    uint64_t seq;
    /** When it was. In milliseconds since 1970 UTC. */
    int64_t erased_ms;
    /**
     * The identities of the members that have not said that they have carried it
     * out.
     */
    const struct recallite_str *waiting_for;
    /** How many. */
    size_t waiting_for_len;
    /**
     * The identities of the members that erased of it only what this store recorded,
     * and keep what others did: this store is no owner to them.
     */
    const struct recallite_str *declined_by;
    /** How many. */
    size_t declined_by_len;
} recallite_unanswered_erasure;

/** Several of recallite_unanswered_erasure. Free it with recallite_unanswered_erasure_list_free. */
typedef struct recallite_unanswered_erasure_list {
    /** Pointers to them. */
    const struct recallite_unanswered_erasure *const *items;
    /** How many. */
    size_t len;
} recallite_unanswered_erasure_list;

/**
 * Which tasks are wanted. Every field that is set must hold.
 *
 * Begin with RECALLITE_INIT(recallite_task_filter); a field that is zero has its
 * default.
 */
typedef struct recallite_task_filter {
    /** sizeof(recallite_task_filter). */
    size_t struct_size;
    /** Of these projects. One of recallite_scope. */
    int32_t scope;
    /** The project for RECALLITE_SCOPE_NAMED; absent otherwise. */
    struct recallite_str project;
    /** In this status. One of recallite_task_status. */
    int32_t status;
    /** With this text in the title or description, letter case ignored. */
    struct recallite_str text;
    /** At most so many; 1,000 by default. */
    size_t limit;
} recallite_task_filter;

/**
 * A task that a person or a program makes itself.
 *
 * Begin with RECALLITE_INIT(recallite_new_task); a field that is zero has its
 * default.
 */
typedef struct recallite_new_task {
    /** sizeof(recallite_new_task). */
    size_t struct_size;
    /** What is to be done, in one line of at most 500 characters. */
    struct recallite_str title;
    /** Its project. By default the memory's own. */
    struct recallite_str project;
    /** How urgent it is; medium by default. One of recallite_priority. */
    int32_t priority;
    /** More about it, at most 20,000 characters. */
    struct recallite_str description;
    /**
     * What it waits for, in free words, at most 50: with one of them the task is
     * blocked.
     */
    const struct recallite_str *blocked_by;
    /** How many. */
    size_t blocked_by_len;
} recallite_new_task;

/**
 * The name of a task, condition or artifact.
 *
 * Begin with RECALLITE_INIT(recallite_condition_target) and give kind, id; another
 * field that is zero has its default.
 */
typedef struct recallite_condition_target {
    /** sizeof(recallite_condition_target). */
    size_t struct_size;
    /** What it is. One of recallite_entity_kind. */
    int32_t kind;
    /** Its identity. */
    struct recallite_str id;
} recallite_condition_target;

/**
 * What recallite_upkeep_upgrade did.
 *
 * Free it with recallite_upgraded_free, unless it came in another result.
 */
typedef struct recallite_upgraded {
    /** The format that the store had. */
    uint32_t from_format;
    /** The format that it has now. */
    uint32_t to_format;
    /** Whether anything was changed. */
    bool changed;
} recallite_upgraded;

/**
 * How much each part of the recipe of recall counts. Given to recall_weights;
 * nothing that is stored depends on it.
 *
 * **0 switches a part off**, in every field. Scores are parts of the best passage's
 * own score: a hit that a weight of 0.25 lifts gains a quarter of what the best
 * passage has. Shares are parts of the value that they are taken of.
 *
 * The defaults were chosen on chats and on coding transcripts together, the shares
 * as well. "Without it" is what changes when the part is off, as recallite-benches
 * quality --ablation and transcripts --ablation print it: recall@10 of the chats and
 * hit@10 of the transcripts, in points of a hundred, where less than 0.5 and less
 * than 3 are noise; docs/measurements.md has the whole table.
 *
 * relevance is calibrated for the defaults. With other weights it still orders what
 * is likely, but a relevance of 0.75 no longer means that three of four are right.
 *
 * Begin with RECALLITE_INIT(recallite_recall_weights), call
 * recallite_recall_weights_default, and change what shall differ: zero is a value of
 * its own here.
 */
typedef struct recallite_recall_weights {
    /** sizeof(recallite_recall_weights). */
    size_t struct_size;
    /**
     * How far words count that are only like a word of the question, as a share of
     * their likeness by the static table. At 0 a question finds its own words and
     * their other forms alone.
     *
     * Without it: chats -3.6, transcripts -13.7.
     *
     * 0 to 1; default 1.0.
     */
    float query_expansion;
    /**
     * What two neighbouring words of the question add when they are neighbours in a
     * passage too, as a part of their mean rarity. An event that holds the
     * identifiers of the question (PROJ-4599, v1.2.14) letter for letter gains 1.2
     * times as much of the best score.
     *
     * Without it: chats +0.1 (nDCG@10 -0.6), transcripts 0 (nDCG@10 -2.4).
     *
     * 0 to 10; default 0.5.
     */
    float phrase_proximity;
    /**
     * What the passage gains that is most similar to the question as a whole by the
     * static embeddings of their words, others in proportion; as far as the table
     * knows the question's words. Where there are vectors of an embedder they take
     * its place.
     *
     * Without it: chats -0.9, transcripts -4.1.
     *
     * 0 to 10; default 0.15.
     */
    float similarity_by_words;
    /**
     * What the event gains that is most similar to the question by the embedder's
     * vectors, others in proportion. At 0 the embedder is not asked, and nothing is
     * found by its vector alone. Measured with all-MiniLM-L6-v2: 0.4 to 0.6 are
     * alike.
     *
     * 0 to 10; default 0.5.
     */
    float similarity_by_vectors;
    /**
     * How much of what several passages of an event cover together counts beyond its
     * best passage.
     *
     * Without it: chats 0, transcripts -1.4.
     *
     * 0 to 1; default 0.1.
     */
    float passage_union;
    /**
     * How much the scores of the turns around a turn count for it, all together.
     *
     * Without it: chats -2.5, transcripts -1.4; without any context -10.5 and -1.4.
     *
     * 0 to 10; default 0.5.
     */
    float context_scores;
    /**
     * The share of the previous turn's score in context_scores.
     *
     * 0 to 1; default 0.4.
     */
    float score_previous;
    /**
     * The share of the next turn's score in context_scores.
     *
     * 0 to 1; default 0.3.
     */
    float score_next;
    /**
     * The share of the score of the turn before the previous one.
     *
     * 0 to 1; default 0.3.
     */
    float score_second_previous;
    /**
     * The share of the score of the turn after the next one.
     *
     * 0 to 1; default 0.1.
     */
    float score_second_next;
    /**
     * What a turn gains of the score of the turn before it when that one is a
     * question: it is likely the answer. At 0, also, the question itself, asked
     * before, may come before its answer.
     *
     * Without it: chats -0.3 (nDCG@10 -1.1), transcripts 0.
     *
     * 0 to 10; default 0.1.
     */
    float after_question;
    /**
     * How much it counts that the turns around a turn hold words of the question
     * that it lacks: "thirty seconds" answers a question that only the turn before
     * it names.
     *
     * Without it: chats -2.6, transcripts -2.7.
     *
     * 0 to 10; default 0.5.
     */
    float context_words;
    /**
     * How far a word of the previous turn counts as one of this turn.
     *
     * 0 to 1; default 0.6.
     */
    float words_previous;
    /**
     * How far a word of the next turn counts as one of this turn.
     *
     * 0 to 1; default 0.6.
     */
    float words_next;
    /**
     * How far a word of the turn before the previous one counts.
     *
     * 0 to 1; default 0.5.
     */
    float words_second_previous;
    /**
     * How far a word of the turn after the next one counts.
     *
     * 0 to 1; default 0.4.
     */
    float words_second_next;
    /**
     * How fast context counts less for long turns, which explain themselves: it is
     * divided by 1 + this for every 25 words beyond the first 25.
     *
     * Without it: chats -0.3, transcripts 0 (nDCG@10 -2.9).
     *
     * 0 to 10; default 0.2.
     */
    float long_turn_damping;
    /**
     * What a turn loses that is itself a question; less from eight words on, as a
     * long prompt tells more than it asks.
     *
     * Without it: chats -0.2, transcripts 0.
     *
     * 0 to 10; default 0.1.
     */
    float question_penalty;
    /**
     * What the turns of a speaker gain whom the question names, when it is one.
     *
     * Without it: chats -4.5, transcripts 0.
     *
     * 0 to 10; default 0.35.
     */
    float named_actor;
    /**
     * What an event gains that happened when the question says, less the farther
     * from it, or that speaks of a day which the question names.
     *
     * Without it: chats -0.5 (nDCG@10 -1.0), transcripts 0.
     *
     * 0 to 10; default 0.3.
     */
    float date;
    /**
     * What an event gains that holds a word of time when the question asks when.
     *
     * Without it: chats -0.4 (nDCG@10 -0.7), transcripts 0 (nDCG@10 -0.5).
     *
     * 0 to 10; default 0.2.
     */
    float temporal;
    /**
     * The share of its score that a near copy of a better hit loses, so that ten
     * hits are not ten copies of one tool output.
     *
     * Without it: chats 0, transcripts -4.1.
     *
     * 0 to 1; default 0.3.
     */
    float duplicate_demotion;
    /**
     * The share of its score and of its relevance that an event loses while what was
     * learned from it is contested. The default is the specification's factor of
     * 0.7.
     *
     * 0 to 1; default 0.3.
     */
    float contested_demotion;
    /**
     * What an event at the highest level gains, lower ones in proportion: what was
     * used often comes first among what is about equally good. In stores that nobody
     * used before, such as those of the other measurements, it changes nothing.
     *
     * 0 to 1; default 0.02.
     */
    float level;
} recallite_recall_weights;

/**
 * What the privacy filter does.
 *
 * The defaults are the specification's, with recognised key formats and attention to
 * source code beside them.
 *
 * Begin with RECALLITE_INIT(recallite_privacy_config); a field that is zero has its
 * default.
 */
typedef struct recallite_privacy_config {
    /** sizeof(recallite_privacy_config). */
    size_t struct_size;
    /** Switches off: whether private tags are honoured; default true. */
    bool skip_private_tags;
    /**
     * What stands in the place of a private section; default [PRIVATE]. One of
     * recallite_marker.
     */
    int32_t marker;
    /**
     * How private sections may be written; default xml alone. One of
     * recallite_tag_format.
     */
    const int32_t *formats;
    /** How many. */
    size_t formats_len;
    /**
     * Whether the marker is followed by line ends so that the lines after a section
     * keep their numbers; runs of line ends are then kept everywhere. Default false.
     */
    bool preserve_line_count;
    /**
     * Words (regular expressions, letter case ignored) that make a value behind them
     * and : or = a secret. Default password, secret, api_key, token, bearer; these
     * five are recognised in any case.
     */
    const struct recallite_str *exclude_patterns;
    /** How many. */
    size_t exclude_patterns_len;
    /**
     * Switches off: whether secrets are also recognised by their shape: keys of
     * well-known issuers, private keys, web tokens, passwords in addresses and
     * commands, and auto_detect_patterns. Default true.
     */
    bool skip_auto_detect;
    /** Regular expressions whose matches are masked as a whole; default none. */
    const struct recallite_str *auto_detect_patterns;
    /** How many. */
    size_t auto_detect_patterns_len;
    /**
     * Switches off: whether, in source code, words fire only on quoted or
     * random-looking values, so that token = parser.next_token() stays. Default
     * true.
     */
    bool skip_code_aware;
    /**
     * Whether e-mail addresses, telephone numbers and the user names of home folders
     * are replaced by placeholders. Default false.
     */
    bool anonymize;
} recallite_privacy_config;

/**
 * How much of a tool's output is kept.
 *
 * Begin with RECALLITE_INIT(recallite_tool_limits); a field that is zero has its
 * default.
 */
typedef struct recallite_tool_limits {
    /** sizeof(recallite_tool_limits). */
    size_t struct_size;
    /** At most this many characters (Unicode scalar values); default 10,000. */
    size_t max_output_chars;
    /** At most this many lines; default 100. */
    size_t max_output_lines;
    /** Keeps everything, whatever the others say; default false. */
    bool keep_whole_output;
    /**
     * Keeps of what these tools gave only what tells it: of Read the first and the
     * last 50 lines, of Grep the files in which something was found, of WebFetch the
     * first 500 characters. What failed, and what other tools gave, is kept within
     * the limits. Default false.
     */
    bool by_tool;
} recallite_tool_limits;

/**
 * Which tool calls are worth remembering.
 *
 * Begin with RECALLITE_INIT(recallite_tool_policy); a field that is zero has its
 * default.
 */
typedef struct recallite_tool_policy {
    /** sizeof(recallite_tool_policy). */
    size_t struct_size;
    /** Switches off: whether tool calls are remembered at all; default true. */
    bool skip_enabled;
    /** Tools that are never remembered; default TodoWrite and TodoRead. */
    const struct recallite_str *excluded_tools;
    /** How many. */
    size_t excluded_tools_len;
    /** Whether failed calls are left out; default false. */
    bool store_only_on_success;
} recallite_tool_policy;

/** How long events of one kind are kept. */
typedef struct recallite_retention {
    /** The kind: one of recallite_event_kind. */
    int32_t kind;
    /** How long, in milliseconds after the time that the event carries. */
    uint64_t ms;
} recallite_retention;

/**
 * Where a callback says what went wrong:
 *     snprintf(problem->text, sizeof(problem->text), "...");
 * The text reaches people through error messages, so keep stored text out of
 * it.
 */
typedef struct recallite_problem {
    /**
     * Zero-terminated UTF-8; empty for "no details". It is empty when the
     * callback is called.
     */
    char text[RECALLITE_PROBLEM_BYTES];
} recallite_problem;

/**
 * Turns texts into vectors.
 *
 * It is called by the threads that search, ask for context, process the outbox
 * or maintain, and by threads of the library named "recallite-embedder", several
 * at once. The library holds no lock meanwhile: the callback may call the
 * library, except for what would embed again. It must return: no exception and
 * no longjmp.
 *
 * texts holds texts_len texts, each followed by a zero byte. vectors has room
 * for texts_len times dimensions numbers, all 0: the first text's vector, then
 * the second's. They need not have length 1 but must be finite; a vector that
 * stays 0 says that the text means nothing. All pointers are valid during the
 * call only.
 *
 * Return 0 for success. Anything else is a failure, whose words may stand in
 * problem: a search then goes on with words alone and says degraded, a job of
 * the outbox is tried again later.
 */
typedef int32_t (*recallite_embed_callback)(const struct recallite_str *texts,
                                            size_t texts_len,
                                            float *vectors,
                                            struct recallite_problem *problem,
                                            void *user_data);

/**
 * Frees or releases what a callback was given as user_data.
 *
 * It is called once, by the thread that gives up the last use, which may be any
 * thread of the program or of the library. It must return: no exception and no
 * longjmp.
 */
typedef void (*recallite_destructor)(void *user_data);

/**
 * What turns texts into vectors, for recall by meaning beside recall by words.
 * Begin with RECALLITE_INIT(recallite_embedder); id, dimensions and embed must
 * be given.
 */
typedef struct recallite_embedder {
    /** sizeof(recallite_embedder). */
    size_t struct_size;
    /**
     * The name of the model and its version, for example "all-MiniLM-L6-v2": 1
     * to 128 bytes without control characters. Vectors of different names are
     * never compared; with another name, what is stored is embedded anew.
     */
    struct recallite_str id;
    /** Numbers per vector, 1 to 16,384. */
    size_t dimensions;
    /** At most this many texts per call. Default: 32. */
    size_t max_batch;
    /** The function. */
    recallite_embed_callback embed;
    /** Given to embed and destroy; may be NULL. */
    void *user_data;
    /**
     * Called with user_data when the library needs it no more: after the last
     * handle and cursor of the memory is freed and the last call has returned.
     * Not called when opening fails: user_data then stays the program's. NULL
     * for nothing.
     */
    recallite_destructor destroy;
} recallite_embedder;

/**
 * Where a model lies and how it is run.
 *
 * Begin with RECALLITE_INIT(recallite_fastembed_options) and give model_dir; another
 * field that is zero has its default.
 */
typedef struct recallite_fastembed_options {
    /** sizeof(recallite_fastembed_options). */
    size_t struct_size;
    /**
     * The model's folder: model.onnx (or onnx/model.onnx), tokenizer.json,
     * config.json, tokenizer_config.json, special_tokens_map.json, and optionally
     * 1_Pooling/config.json. A model of the Hugging Face cache (models--owner--name)
     * is resolved to its snapshot.
     */
    struct recallite_str model_dir;
    /**
     * The shared library of ONNX Runtime 1.24 or newer; by default ORT_DYLIB_PATH
     * names it, or the system finds it.
     */
    struct recallite_str onnxruntime_library;
    /**
     * Longer texts are cut after so many tokens, special tokens included; at least
     * 3, by default 256. The model's own limit counts too. Less is faster: 128
     * halves the time of long texts.
     */
    size_t max_tokens;
    /** Threads that one embedding uses; by default one per processor. */
    size_t threads;
    /**
     * The embedder's id; by default the folder's name, or owner/name of the Hugging
     * Face cache.
     */
    struct recallite_str id;
} recallite_fastembed_options;

/**
 * One line of what a memory tells of its work; see on_log. It never holds stored
 * text, a question, or a name that a program gave.
 */
typedef struct recallite_log_record {
    /** How much it matters. One of recallite_log_level. */
    int32_t level;
    /** The part of the library that speaks: open, recall, embed, upkeep, share. */
    struct recallite_str target;
    /** A sentence, of one line, without a full stop. */
    struct recallite_str message;
} recallite_log_record;

/**
 * Is told what opening, recovery, upkeep and degraded searches do.
 *
 * It is called by the thread that does the work, after it, with no lock of the
 * library held: it may call the library, and is not told of what it calls. record
 * and its texts, each followed by a zero byte, are valid during the call only. It
 * must return: no exception and no longjmp.
 */
typedef void (*recallite_log_callback)(const struct recallite_log_record *record,
                                       void *user_data);

/**
 * What is told what a memory does. Begin with RECALLITE_INIT(recallite_logger); log
 * must be given.
 */
typedef struct recallite_logger {
    /** sizeof(recallite_logger). */
    size_t struct_size;
    /** The function. */
    recallite_log_callback log;
    /** Given to log and destroy; may be NULL. */
    void *user_data;
    /**
     * Called with user_data when the library needs it no more: after the last
     * handle and cursor of the memory is freed and the last call has returned.
     * Not called when opening fails: user_data then stays the program's. NULL
     * for nothing.
     */
    recallite_destructor destroy;
} recallite_logger;

/**
 * How a memory is opened. Every setting has a default.
 *
 * Begin with RECALLITE_INIT(recallite_open_options); a field that is zero has its
 * default.
 */
typedef struct recallite_open_options {
    /** sizeof(recallite_open_options). */
    size_t struct_size;
    /**
     * The project that events belong to and reads look at unless they name another
     * one. Default: none. See project_of.
     */
    struct recallite_str project;
    /** Switches off: whether a missing store is created. Default: true. */
    bool must_exist;
    /**
     * Whether this process is the only one that has the store open. Default: false,
     * several processes share it. All processes must choose the same.
     */
    bool exclusive;
    /**
     * Memory for pages of the store file, in bytes. Default: 16 MiB. Up to half of
     * it holds what a write changes; pages beyond that are written twice.
     */
    size_t cache_bytes;
    /** Memory for decoded parts of the search index, in bytes. Default: 48 MiB. */
    size_t index_cache_bytes;
    /**
     * Switches off: whether results of recall are kept for a while: searches for a
     * minute, timelines for five, details for thirty, at most a few MB, and only
     * until something is written by any process. Default: true. Results are the same
     * either way.
     */
    bool skip_recall_cache;
    /**
     * How much each part of the recipe of recall counts. Default: as measured, see
     * recallite_recall_weights. Every process may choose its own.
     */
    const struct recallite_recall_weights *recall_weights;
    /**
     * How long a write waits for another process or thread, in milliseconds, before
     * it fails with busy. Default: 5,000.
     */
    uint64_t busy_timeout_ms;
    /**
     * Whether a folder on a network file system or in a synchronised folder is
     * accepted. Default: false, because locks and writes are not reliable there.
     */
    bool allow_network_folder;
    /** What is filtered out of every text before it is stored. */
    const struct recallite_privacy_config *privacy;
    /** How much of a tool's output is stored. */
    const struct recallite_tool_limits *tool_limits;
    /**
     * Which calls of tools an append stores; the receipt of another one says that it
     * was skipped. Default: every call. A policy in which nothing is changed is the
     * specification's, which leaves TodoWrite and TodoRead out.
     */
    const struct recallite_tool_policy *tool_policy;
    /**
     * How long a search without a deadline waits for the vector of its question, in
     * milliseconds, before it goes on without and says degraded. Default: 5,000,
     * because the first question may load a model.
     */
    uint64_t embedding_timeout_ms;
    /**
     * From how many vectors on a file of vectors gets a graph of near ones (HNSW) in
     * the memory of this process. Default: 0, none does.
     *
     * recallite_maintain builds graphs, a bounded step per call, so they are for
     * processes that live long; until one is finished, and whenever a query has a
     * filter, searches read the file. A graph finds nearly what the file does, in
     * less time only where vectors are many and have little structure: see
     * docs/measurements.md for measurements. It takes about 2 KB of memory per
     * vector; dropping the memory, which frees it, can take seconds.
     *
     * recallite_open_with fails with unsupported when this is not 0 and the library
     * was built without the feature graph.
     */
    size_t vector_graph_from;
    /**
     * Switches off: whether recallite_maintain learns without a model: rules find
     * decisions, preferences, constraints, facts, tasks and blockers in what people
     * and agents said, in English, Korean, Japanese and Chinese, in sessions that
     * ended or in which nothing was said for half an hour. Default: true. See
     * docs/guides/learning.md.
     */
    bool skip_learn_by_rules;
    /**
     * The time zone whose days a question means by "yesterday", "last week" or "on
     * March 14", and by whose days the endless mode names its sessions: an IANA name
     * (Asia/Seoul) or an offset (+09:00). Default: the machine's. Times that are
     * given and shown are those of UTC.
     *
     * recallite_open_with fails with invalid_argument for a name that the machine's
     * time zone database does not have.
     */
    struct recallite_str time_zone;
    /**
     * The size of the store's folder, in bytes, from which on receipts carry a
     * warning and is_over_quota is true. Nothing is refused. Default: 500,000,000.
     */
    uint64_t quota_bytes;
    /**
     * The size of the store's folder, in bytes, from which on appends fail with
     * full. Forgetting, erasing and compacting always work. Default: no limit.
     */
    uint64_t size_limit_bytes;
    /**
     * The least level that the function of on_log is told of. Default: info. One of
     * recallite_log_level.
     */
    int32_t log_level;
    /**
     * A settings file of the documented form (docs/guides/settings.md): JSON, every
     * key of which either acts or is refused by its name. What it does not name has
     * the library's default. Options of this call win over it, and so does settings,
     * key by key. The library reads no other file and no environment variable.
     * Default: none.
     */
    struct recallite_str settings_file;
    /**
     * Settings as a settings file holds them, see settings_file; they win over a
     * file, key by key. recallite_effective_settings shows what is in force.
     * Default: none.
     */
    struct recallite_str settings;
    /**
     * How long events of a kind are kept; recallite_upkeep_apply_retention forgets
     * older ones. Default: for ever.
     */
    const struct recallite_retention *retention_ms;
    /** How many kinds have a time. */
    size_t retention_ms_len;
    /**
     * What turns texts into vectors, for recall by meaning beside recall by words.
     * Default (NULL): words alone, with their static vectors.
     *
     * The store remembers the embedder's version: from now on every process that
     * appends leaves a job for each event, and recallite_process_outbox works them
     * off. Until an event has its vector, and whenever the embedder fails, it is
     * found by its words.
     */
    const struct recallite_embedder *embedder;
    /**
     * A model in a folder as the embedder, in place of embedder. Needs a library
     * that was built with the feature fastembed.
     */
    const struct recallite_fastembed_options *fastembed;
    /**
     * What is told what opening, recovery, upkeep and degraded searches do; never
     * what is stored or asked. Default (NULL): nothing, the library writes nothing
     * anywhere.
     */
    const struct recallite_logger *on_log;
} recallite_open_options;

/**
 * Which events recallite_events gives. The default is every conversation event of
 * the memory's project, oldest first.
 *
 * Begin with RECALLITE_INIT(recallite_event_filter); a field that is zero has its
 * default.
 */
typedef struct recallite_event_filter {
    /** sizeof(recallite_event_filter). */
    size_t struct_size;
    /** Only this session. */
    struct recallite_str session;
    /** Only these projects. One of recallite_scope. */
    int32_t scope;
    /** The project for RECALLITE_SCOPE_NAMED; absent otherwise. */
    struct recallite_str project;
    /**
     * Only these kinds; empty means the four conversation kinds. One of
     * recallite_event_kind.
     */
    const int32_t *kinds;
    /** How many. */
    size_t kinds_len;
    /**
     * Only events at this time or later. In milliseconds since 1970 UTC. Read when
     * has_from is set.
     */
    int64_t from_ms;
    /**
     * Only events before this time. In milliseconds since 1970 UTC. Read when
     * has_until is set.
     */
    int64_t until_ms;
    /** Only calls of these tools, at most 64; empty means any event. */
    const struct recallite_str *tools;
    /** How many. */
    size_t tools_len;
    /** Only calls of tools on a file whose path contains this, 1 to 1,024 bytes. */
    struct recallite_str file_contains;
    /** Only calls of tools that ended so. One of recallite_tool_outcome. */
    int32_t tool_outcome;
    /**
     * Only user prompts that repeat this text: those whose canonical_key is the
     * same, so that letter case, punctuation and blanks make no difference.
     */
    struct recallite_str repeats;
    /** Newest first instead of oldest first. */
    bool newest_first;
    /** At most this many events. */
    size_t limit;
    /** Whether from_ms is given. */
    bool has_from;
    /** Whether until_ms is given. */
    bool has_until;
} recallite_event_filter;

/**
 * Looks at an event where the store's page holds it.
 *
 * It is called during the call that it was given to and on the same thread. It may
 * call the library. It must return: no exception and no longjmp.
 *
 * event and its texts are valid during the callback only. The texts are not copied:
 * no zero byte follows them. canonical_key is absent; recallite_canonical_key makes
 * it. Return 0 to go on, anything else to end the visit.
 */
typedef int32_t (*recallite_event_callback)(const struct recallite_event *event,
                                            void *user_data);

/**
 * Counts the tokens of a text as a model would.
 *
 * It is called during the call that it was given to and on the same thread,
 * several times for one result. It may call the library. It must return: no
 * exception and no longjmp.
 *
 * text is valid during the callback only. Return 0 after writing tokens;
 * anything else is a failure, and the call fails with RECALLITE_CALLBACK.
 */
typedef int32_t (*recallite_count_tokens_callback)(struct recallite_str text,
                                                   size_t *tokens,
                                                   void *user_data);

/**
 * How recallite_smart_search expands what it finds. Defaults are those of the
 * specification, section 15, but for min_score, unless the memory's settings say
 * otherwise.
 *
 * Begin with RECALLITE_INIT(recallite_smart_search_options); a field that is zero
 * has its default.
 */
typedef struct recallite_smart_search_options {
    /** sizeof(recallite_smart_search_options). */
    size_t struct_size;
    /** At most this many results, 1 to 1,000. Default: the query's limit, or 10. */
    size_t limit;
    /**
     * Results with a lower relevance are left out, 0 to 1. Default: 0, none are.
     *
     * The specified .7 was meant for similarities that are high also for poor
     * matches. Relevance is a probability: right answers in transcripts of agents
     * often have .2 to .5 (see docs/recall.md), so that .7 would hide most of them.
     */
    float min_score;
    /** Whether timelines are added. Default: true. */
    bool skip_timeline;
    /** Whether details are added. Default: true. */
    bool skip_details;
    /**
     * At most this many results are expanded. Default: 3. Read when
     * has_max_auto_expand_count is set.
     */
    size_t max_auto_expand_count;
    /**
     * The tokens that what was learned, index, timeline and details may have
     * together. Default: 2,000. A result's details may exceed it by less than their
     * own length.
     */
    size_t max_total_tokens;
    /**
     * How many events a timeline shows before and after its target. Default: 3. Read
     * when has_window is set.
     */
    size_t window;
    /** Whether max_auto_expand_count is given. */
    bool has_max_auto_expand_count;
    /** Whether window is given. */
    bool has_window;
    /** How tokens are counted. Default (NULL): a quarter of the UTF-16 code units. */
    recallite_count_tokens_callback count_tokens;
    /** Given to count_tokens. */
    void *user_data;
} recallite_smart_search_options;

/**
 * What recallite_context is asked for.
 *
 * Begin with RECALLITE_INIT(recallite_context_options); a field that is zero has its
 * default.
 */
typedef struct recallite_context_options {
    /** sizeof(recallite_context_options). */
    size_t struct_size;
    /** The session that the context is for. Default: unknown. */
    struct recallite_str session;
    /**
     * The most tokens of the whole text, fence and headings included. Default:
     * 2,000.
     */
    size_t budget_tokens;
    /** How citations are shown. Default: inline. One of recallite_citation_format. */
    int32_t format;
    /**
     * At most this many events, and as many lines of what was learned, 1 to 64.
     * Default: the query's limit, or 5.
     */
    size_t limit;
    /**
     * Memories with a lower relevance are left out, 0 to 1. Default: all that a
     * search gives, when its best one is good enough (class high or suggested).
     */
    float min_relevance;
    /**
     * Events that come first whatever the search finds, for example those of the
     * working set. Unknown and forgotten ones are passed over.
     */
    const struct recallite_str *pinned;
    /** How many. */
    size_t pinned_len;
    /**
     * Leaves out what the session knows: what was said in it from this moment on,
     * and what it was given from then on, pinned events among it. Of tasks and the
     * like that no event proves nobody knows whether they were given. Default:
     * nothing is left out. In milliseconds since 1970 UTC. Read when
     * has_skip_known_since is set.
     */
    int64_t skip_known_since_ms;
    /**
     * When the record of the injection is written. Default: later. One of
     * recallite_recording.
     */
    int32_t recording;
    /** Why context was given, for the record. Default: the class of the match. */
    struct recallite_str reason;
    /** Whether skip_known_since_ms is given. */
    bool has_skip_known_since;
    /** How tokens are counted. Default (NULL): a quarter of the UTF-16 code units. */
    recallite_count_tokens_callback count_tokens;
    /** Given to count_tokens. */
    void *user_data;
} recallite_context_options;

/**
 * What is read from a transcript, and how much of it.
 *
 * Begin with RECALLITE_INIT(recallite_import_options); a field that is zero has its
 * default.
 */
typedef struct recallite_import_options {
    /** sizeof(recallite_import_options). */
    size_t struct_size;
    /** Switches off: whether tool calls are read; true by default. */
    bool skip_tool_observations;
    /** Whether prompts and responses of blank text only are kept; false by default. */
    bool keeps_blank_text;
    /**
     * How much of a response is kept, in UTF-16 code units; absent (the default)
     * keeps it whole. A longer one is filtered before it is cut.
     */
    size_t response_limit_utf16;
    /**
     * After how many prompts and responses the reader stops; absent (the default)
     * reads everything.
     */
    size_t limit;
    /**
     * The longest line that is read, in bytes; 64 MB by default. A longer one is
     * counted as an error and passed over without being held in memory.
     */
    size_t max_line_bytes;
} recallite_import_options;

/** How far an import has come; given to its progress callback. */
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

/**
 * Takes bytes of an export.
 *
 * It is called during the call that it was given to and on the same thread,
 * with at most 64 KiB at a time. It may call the library. It must return: no
 * exception and no longjmp.
 *
 * bytes is valid during the callback only. Return 0 when all of it was taken;
 * anything else is a failure, and the call fails with RECALLITE_CALLBACK.
 */
typedef int32_t (*recallite_write_callback)(const uint8_t *bytes,
                                            size_t len,
                                            void *user_data);

/**
 * Gives bytes of an export.
 *
 * It is called during the call that it was given to and on the same thread. It
 * may read from the library; for as long as recallite_restore_jsonl_from runs,
 * what writes to the same store fails with RECALLITE_BUSY after waiting. It
 * must return: no exception and no longjmp.
 *
 * Put up to capacity bytes at buffer, write how many to len, and return 0; len
 * 0 is the end. Any other return value is a failure, and the call fails with
 * RECALLITE_CALLBACK.
 */
typedef int32_t (*recallite_read_callback)(uint8_t *buffer,
                                           size_t capacity,
                                           size_t *len,
                                           void *user_data);

/** A task, condition or artifact. Free it with recallite_entity_free. */
typedef struct recallite_entity {
    /** The task, if it is one; else NULL. */
    const struct recallite_task *task;
    /** The condition, if it is one; else NULL. */
    const struct recallite_condition *condition;
    /** The artifact, if it is one; else NULL. */
    const struct recallite_artifact *artifact;
    /** Which of them: one of recallite_entity_kind. */
    int32_t kind;
} recallite_entity;

/**
 * Puts a group of events into words, in the program's own way. Called by
 * recallite_endless_consolidate for each group, on the thread that called that, outside
 * of any transaction. It may call the library, but not close the memory. It
 * must return: no exception and no longjmp.
 *
 * topics and texts are valid during the call only. Set summary to a text that
 * stays valid until the callback is called again or recallite_endless_consolidate
 * returns, and return 0; the library copies it, and it passes the privacy
 * filter. Leave summary absent, or return anything else, to take the summary
 * that is made by rules. A summary that is not UTF-8 is not taken either.
 */
typedef int32_t (*recallite_summarize_callback)(const struct recallite_str *topics,
                                                size_t topics_len,
                                                const struct recallite_str *texts,
                                                size_t texts_len,
                                                struct recallite_str *summary,
                                                void *user_data);

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
 * Every event kind that this library knows, for reads that leave none out:
 * without kinds, a filter means the four conversation kinds.
 *
 * @param[out] len how many kinds.
 * @return an array that is valid for ever, each one of recallite_event_kind;
 *     NULL when len is NULL.
 */
const int32_t *recallite_event_kinds(size_t *len);

/**
 * A view of zero-terminated text, without the zero; absent for NULL.
 *
 * @param[in] text zero-terminated UTF-8, or NULL.
 * @return a view that lives as long as text.
 */
struct recallite_str recallite_str_from(const char *text);

/** Frees text that the caller owns. NULL is fine. */
void recallite_string_free(struct recallite_string *string);

/** Frees a list of texts. NULL is fine. */
void recallite_string_list_free(struct recallite_string_list *strings);

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
 * Reads an event with the events before and after it in its session and with how it
 * was used.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] event an event, by its id or citation.
 * @param[out] result to be freed with recallite_citation_detail_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no such event.
 */
recallite_status recallite_citations_detail(struct recallite_memory *memory,
                                            struct recallite_str event,
                                            struct recallite_citation_detail **result,
                                            struct recallite_error **error);

/**
 * The citations that were given to agents most often, the most used first; of
 * equally used ones the one used last comes first.
 *
 * window_days looks only at that many days until now; absent at all.
 *
 * Growth: Constant; with window_days, each use within it.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number.
 * @param[in] window_days a number; 0 for none.
 * @param[out] result to be freed with recallite_popular_citation_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when limit is outside 1 to 1,000;
 *     RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_citations_popular(struct recallite_memory *memory,
                                             size_t limit,
                                             uint32_t window_days,
                                             struct recallite_popular_citation_list **result,
                                             struct recallite_error **error);

/**
 * The sessions that an event was given to last, each once, the latest first; at most
 * limit, 1,000 by default.
 *
 * Growth: By result: each time it was given to one of them.
 *
 * @param[in] memory the memory.
 * @param[in] event an event, by its id or citation.
 * @param[in] limit a number; 0 for none.
 * @param[out] result to be freed with recallite_string_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no such event.
 */
recallite_status recallite_citations_citing_sessions(struct recallite_memory *memory,
                                                     struct recallite_str event,
                                                     size_t limit,
                                                     struct recallite_string_list **result,
                                                     struct recallite_error **error);

/**
 * How the memory treats conversations.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[out] result one of recallite_memory_mode.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_endless_mode(struct recallite_memory *memory,
                                        int32_t *result,
                                        struct recallite_error **error);

/**
 * The session under which what happens now belongs: in the endless mode the day's,
 * endless_YYYY-MM-DD by local time; otherwise session.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] session UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_endless_session_now(struct recallite_memory *memory,
                                               struct recallite_str session,
                                               struct recallite_string **result,
                                               struct recallite_error **error);

/**
 * Changes the mode. To the endless mode: the events of the last 7 days come in the
 * working set, each session's summary becomes a memory, and one consolidation is
 * run, unless it is left to the host. Back: only the mode changes, nothing is lost.
 *
 * Growth: Constant: what is taken over is bounded.
 *
 * @param[in] memory the memory.
 * @param[in] mode one of recallite_memory_mode.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot
 *     be written.
 */
recallite_status recallite_endless_set_mode(struct recallite_memory *memory,
                                            int32_t mode,
                                            struct recallite_error **error);

/**
 * The limits of the endless mode.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_endless_config_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_endless_config_get(struct recallite_memory *memory,
                                              struct recallite_endless_config **result,
                                              struct recallite_error **error);

/**
 * Changes the limits of the endless mode, all of them.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] config see recallite_endless_config.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming the limit that is out of range.
 */
recallite_status recallite_endless_set_config(struct recallite_memory *memory,
                                              const struct recallite_endless_config *config,
                                              struct recallite_error **error);

/**
 * What is in the working set, the most relevant first, then the newest. What an
 * event counts falls from its last use on, to half when its time is over. A use (a
 * search found it, a context gave it, it was refreshed) that was surer than that
 * brings it back, and it stays longer.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_working_item_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_endless_working_set(struct recallite_memory *memory,
                                               struct recallite_working_item_list **result,
                                               struct recallite_error **error);

/**
 * Puts events of conversations into the working set, whatever the mode: what an
 * agent goes back to, or what was said before the endless mode. relevance is how
 * much they matter now, from 0 to 1; an event that is there already is used again.
 * Returns how many are there now because of this: none where relevance is less than
 * min_relevance_score.
 *
 * Growth: By the events that are given.
 *
 * @param[in] memory the memory.
 * @param[in] events texts; NULL when there are none.
 * @param[in] events_len how many.
 * @param[in] relevance a number.
 * @param[out] result a number; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming relevance, events where they are
 *     more than 10,000, or the event that is of no conversation or not among the
 *     last 16,384 of the log; RECALLITE_NOT_FOUND naming the event;
 *     RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot be
 *     written.
 */
recallite_status recallite_endless_add_to_working_set(struct recallite_memory *memory,
                                                      const struct recallite_str *events,
                                                      size_t events_len,
                                                      double relevance,
                                                      size_t *result,
                                                      struct recallite_error **error);

/**
 * Takes note that events in the working set are still at hand: each is as relevant
 * as one that was just said, and stays longer. It counts as no access. Returns how
 * many of them were there; the others are passed over.
 *
 * Growth: By the events that are given.
 *
 * @param[in] memory the memory.
 * @param[in] events texts; NULL when there are none.
 * @param[in] events_len how many.
 * @param[out] result a number; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming events where they are more than
 *     10,000; RECALLITE_NOT_FOUND naming the event; RECALLITE_BUSY, RECALLITE_FULL
 *     or RECALLITE_IO when the store cannot be written.
 */
recallite_status recallite_endless_refresh_working_set(struct recallite_memory *memory,
                                                       const struct recallite_str *events,
                                                       size_t events_len,
                                                       size_t *result,
                                                       struct recallite_error **error);

/**
 * Takes events out of the working set; they stay in the log. What was not made a
 * memory of by then is not consolidated. Returns how many of them were there; the
 * others are passed over.
 *
 * Growth: By the events that are given.
 *
 * @param[in] memory the memory.
 * @param[in] events texts; NULL when there are none.
 * @param[in] events_len how many.
 * @param[out] result a number; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_endless_refresh_working_set.
 */
recallite_status recallite_endless_prune_working_set(struct recallite_memory *memory,
                                                     const struct recallite_str *events,
                                                     size_t events_len,
                                                     size_t *result,
                                                     struct recallite_error **error);

/**
 * The consolidated memories, the newest first; with text those that it finds by
 * meaning, as a search does, the most relevant first.
 *
 * Growth: By result; with text as that of search.
 *
 * @param[in] memory the memory.
 * @param[in] text UTF-8; absent for none.
 * @param[out] result to be freed with recallite_consolidated_memory_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_endless_memories(struct recallite_memory *memory,
                                            struct recallite_str text,
                                            struct recallite_consolidated_memory_list **result,
                                            struct recallite_error **error);

/**
 * The transitions that were scored last, at most limit, 1,000 by default, in the
 * order of the log: those of the last 7 days, and of the last 16,384 events of the
 * log.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 for none.
 * @param[out] result to be freed with recallite_continuity_entry_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_endless_continuity_log(struct recallite_memory *memory,
                                                  size_t limit,
                                                  struct recallite_continuity_entry_list **result,
                                                  struct recallite_error **error);

/**
 * Scores how far a text (a prompt, or the beginning of a conversation) goes on from
 * the context before it, and keeps it as the context for the next call, in whatever
 * process that is.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] context_id UTF-8.
 * @param[in] text UTF-8.
 * @param[out] result to be freed with recallite_continuity_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming context_id or text when it is
 *     blank.
 */
recallite_status recallite_endless_score_continuity(struct recallite_memory *memory,
                                                    struct recallite_str context_id,
                                                    struct recallite_str text,
                                                    struct recallite_continuity **result,
                                                    struct recallite_error **error);

/**
 * How the endless mode stands.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_endless_status_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_endless_status_get(struct recallite_memory *memory,
                                              struct recallite_endless_status **result,
                                              struct recallite_error **error);

/**
 * What to give an agent: events in the working set and consolidated memories. At its
 * start these are the most relevant events and the surest memories; with query first
 * the events of the working set that it finds, and only the memories that it finds.
 * That they were given is noted, each event as sure as it is relevant.
 *
 * Growth: Constant; with query as that of search.
 *
 * @param[in] memory the memory.
 * @param[in] query UTF-8; absent for none.
 * @param[out] result to be freed with recallite_endless_context_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_endless_context_get(struct recallite_memory *memory,
                                               struct recallite_str query,
                                               struct recallite_endless_context **result,
                                               struct recallite_error **error);

/**
 * The newest runs of the pipeline, at most limit, 1,000 by default; of these the one
 * begun first in front.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 for none.
 * @param[out] result to be freed with recallite_build_run_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_history_build_runs(struct recallite_memory *memory,
                                              size_t limit,
                                              struct recallite_build_run_list **result,
                                              struct recallite_error **error);

/**
 * How long each stage of the pipeline took: the newest limit measurements, 1,000 by
 * default, in the order of the log.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 for none.
 * @param[out] result to be freed with recallite_pipeline_metric_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_history_pipeline_metrics(struct recallite_memory *memory,
                                                    size_t limit,
                                                    struct recallite_pipeline_metric_list **result,
                                                    struct recallite_error **error);

/**
 * The newest promotions of entries and refusals, at most limit, 1,000 by default, in
 * the order of the log.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 for none.
 * @param[out] result to be freed with recallite_promotion_record_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_history_promotions(struct recallite_memory *memory,
                                              size_t limit,
                                              struct recallite_promotion_record_list **result,
                                              struct recallite_error **error);

/**
 * The decisions that were recorded last, at most limit, 1,000 by default; of these
 * the one made first in front.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 for none.
 * @param[out] result to be freed with recallite_decision_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_history_decisions(struct recallite_memory *memory,
                                             size_t limit,
                                             struct recallite_decision_list **result,
                                             struct recallite_error **error);

/**
 * Records a decision. Its evidence must be in the store, verified or certified, and
 * known before the decision was made.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] decision see recallite_new_decision.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming the element, for example
 *     evidence[1].known_at; RECALLITE_NOT_FOUND naming evidence[1].evidence_id;
 *     RECALLITE_INVARIANT_VIOLATION when an entry is not of the stage that is
 *     claimed; RECALLITE_ALREADY_EXISTS when the decision was recorded before.
 */
recallite_status recallite_history_record_decision(struct recallite_memory *memory,
                                                   const struct recallite_new_decision *decision,
                                                   struct recallite_error **error);

/**
 * The edges from a node or to a node, the newest first. A node is an entry, an
 * entity, or an event by its id.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] filter see recallite_edge_filter.
 * @param[out] result to be freed with recallite_edge_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT unless exactly one of from and to is
 *     given.
 */
recallite_status recallite_knowledge_edges(struct recallite_memory *memory,
                                           const struct recallite_edge_filter *filter,
                                           struct recallite_edge_list **result,
                                           struct recallite_error **error);

/**
 * Makes an edge between two nodes that exist. An edge that is there already only
 * gets the new meta.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] ends see recallite_edge_ends.
 * @param[in] meta_json JSON; absent for none.
 * @param[out] result to be freed with recallite_edge_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming relation when the relation does
 *     not lead between such nodes, or naming meta when that is no JSON object;
 *     RECALLITE_NOT_FOUND naming source_id or destination_id;
 *     RECALLITE_INVARIANT_VIOLATION when a node would lead to itself, or for
 *     blocked_by, blocked_by_suggested and resolves_to edges, which only the acts
 *     on tasks make.
 */
recallite_status recallite_knowledge_add_edge(struct recallite_memory *memory,
                                              const struct recallite_edge_ends *ends,
                                              struct recallite_str meta_json,
                                              struct recallite_edge **result,
                                              struct recallite_error **error);

/**
 * Removes an edge; it stays readable with as_of. False when there is none.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] ends see recallite_edge_ends.
 * @param[out] result what was found; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVARIANT_VIOLATION for the edges of tasks, which only
 *     acts on tasks change.
 */
recallite_status recallite_knowledge_remove_edge(struct recallite_memory *memory,
                                                 const struct recallite_edge_ends *ends,
                                                 bool *result,
                                                 struct recallite_error **error);

/**
 * Replaces every edge of one relation from a node, at once: targets are the new
 * destinations.
 *
 * Growth: By the edges that are replaced.
 *
 * @param[in] memory the memory.
 * @param[in] source see recallite_graph_node.
 * @param[in] relation one of recallite_relation.
 * @param[in] targets an array, each with the same struct_size; NULL when there
 *     are none.
 * @param[in] targets_len how many.
 * @param[out] result to be freed with recallite_replaced_edges_free; may be
 *     NULL.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_knowledge_add_edge, naming source or the target, for
 *     example targets[3]; RECALLITE_INVALID_ARGUMENT naming targets above 10,000.
 *     Nothing is changed then.
 */
recallite_status recallite_knowledge_replace_edges(struct recallite_memory *memory,
                                                   const struct recallite_graph_node *source,
                                                   int32_t relation,
                                                   const struct recallite_graph_node *targets,
                                                   size_t targets_len,
                                                   struct recallite_replaced_edges **result,
                                                   struct recallite_error **error);

/**
 * An entry and all that was derived from it, nearest first, at most ten derivations
 * deep; circles end.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] entry an id.
 * @param[out] result to be freed with recallite_lineage_step_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND.
 */
recallite_status recallite_knowledge_lineage(struct recallite_memory *memory,
                                             struct recallite_str entry,
                                             struct recallite_lineage_step_list **result,
                                             struct recallite_error **error);

/**
 * The entries that prove something about an entity which this entry proves something
 * about too, each with those entities, by ascending id.
 *
 * Growth: By result: the edges on the way.
 *
 * @param[in] memory the memory.
 * @param[in] entry an id.
 * @param[out] result to be freed with recallite_related_entry_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND.
 */
recallite_status recallite_knowledge_related_entries(struct recallite_memory *memory,
                                                     struct recallite_str entry,
                                                     struct recallite_related_entry_list **result,
                                                     struct recallite_error **error);

/**
 * Learned entries that answer a question or hold some words, best first. Related
 * words and other forms count, as in recallite_search.
 *
 * Entries that were superseded or deprecated are left out unless the filter asks for
 * their status or for a moment (as_of); contested ones count less. An entry that was
 * confirmed to mean another one is replaced by it. At most 10 unless the filter says
 * otherwise.
 *
 * Growth: Logarithmic; the first call of a process also reads what was learned since
 * it was last indexed, a hundred entries or so.
 *
 * @param[in] memory the memory.
 * @param[in] query UTF-8.
 * @param[in] filter see recallite_entry_filter.
 * @param[out] result to be freed with recallite_entry_hit_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming query when it is blank, or status;
 *     RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_knowledge_search(struct recallite_memory *memory,
                                            struct recallite_str query,
                                            const struct recallite_entry_filter *filter,
                                            struct recallite_entry_hit_list **result,
                                            struct recallite_error **error);

/**
 * The conflicts between entries that were found or resolved last, at most limit,
 * 1,000 by default; of these the one found first in front.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 for none.
 * @param[out] result to be freed with recallite_conflict_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_knowledge_conflicts(struct recallite_memory *memory,
                                               size_t limit,
                                               struct recallite_conflict_list **result,
                                               struct recallite_error **error);

/**
 * Answers what an uncertain memory (an event, entry or condition, by its id) means.
 * The last answer counts.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] memory_id UTF-8.
 * @param[in] answer see recallite_memory_answer.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming memory, resolved_to (needed when
 *     confirmed, and not the memory itself) or confidence.
 */
recallite_status recallite_knowledge_resolve_memory(struct recallite_memory *memory,
                                                    struct recallite_str memory_id,
                                                    const struct recallite_memory_answer *answer,
                                                    struct recallite_error **error);

/**
 * Marks an event whose context is missing, to be resolved later.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] event an event, by its id or citation.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no such event.
 */
recallite_status recallite_knowledge_mark_unknown_context(struct recallite_memory *memory,
                                                          struct recallite_str event,
                                                          struct recallite_error **error);

/**
 * Events whose context is missing and not resolved yet.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_placeholder_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_knowledge_placeholders(struct recallite_memory *memory,
                                                  struct recallite_placeholder_list **result,
                                                  struct recallite_error **error);

/**
 * The last answer about each uncertain memory.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_memory_resolution_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_knowledge_memory_resolutions(struct recallite_memory *memory,
                                                        struct recallite_memory_resolution_list **result,
                                                        struct recallite_error **error);

/**
 * What a memory means now, itself or what it was confirmed to be, with what that
 * says. A memory is an event, an entry, a task, a condition or an artifact, by its
 * id.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] memory_id UTF-8.
 * @param[out] result to be freed with recallite_effective_memory_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_knowledge_effective_memory(struct recallite_memory *memory,
                                                      struct recallite_str memory_id,
                                                      struct recallite_effective_memory **result,
                                                      struct recallite_error **error);

/**
 * Learned entries that fit a filter, the one learned last in front.
 *
 * Growth: By result, with a session, a project or a text in the filter; the first
 * call with a text in a process reads every entry. Any other field is looked for in
 * one entry after another, until there are as many as the limit.
 *
 * @param[in] memory the memory.
 * @param[in] filter see recallite_entry_filter.
 * @param[out] result to be freed with recallite_learned_entry_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT for an unknown status; RECALLITE_CORRUPT
 *     or RECALLITE_IO.
 */
recallite_status recallite_knowledge_entries(struct recallite_memory *memory,
                                             const struct recallite_entry_filter *filter,
                                             struct recallite_learned_entry_list **result,
                                             struct recallite_error **error);

/**
 * One learned entry, or absent.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] id an id.
 * @param[out] result to be freed with recallite_learned_entry_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is none; RECALLITE_CORRUPT or
 *     RECALLITE_IO.
 */
recallite_status recallite_knowledge_entry(struct recallite_memory *memory,
                                           struct recallite_str id,
                                           struct recallite_learned_entry **result,
                                           struct recallite_error **error);

/**
 * Writes an entry without an extraction: a fact that a user states, a decision that
 * was made elsewhere. An event of the session proves it, whose words count as its
 * quote; without one, the content is remembered as said by the user. The same entry
 * again gives the one that is there.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] entry see recallite_new_entry.
 * @param[out] result to be freed with recallite_learned_entry_free; may be
 *     NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is blank, private or too
 *     long; RECALLITE_NOT_FOUND naming event when there is no such event,
 *     RECALLITE_INVALID_ARGUMENT when it belongs to another session;
 *     RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO.
 */
recallite_status recallite_knowledge_add_entry(struct recallite_memory *memory,
                                               const struct recallite_new_entry *entry,
                                               struct recallite_learned_entry **result,
                                               struct recallite_error **error);

/**
 * What to give to a language model of your own so that it extracts what a session
 * taught: the task, what is known already, and the messages that no model has read,
 * within a budget of estimated tokens (8,000 by default). Take its answer in with
 * recallite_ingest_with and the request's messages; the next request goes on behind
 * them. A first message that exceeds the budget alone is cut.
 *
 * Growth: By result: the messages and what is known, within the budget.
 *
 * @param[in] memory the memory.
 * @param[in] session UTF-8.
 * @param[in] budget_tokens a number; 0 for none.
 * @param[out] result to be freed with recallite_extraction_request_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND naming session; RECALLITE_INVALID_ARGUMENT
 *     naming budget_tokens below 2,000.
 */
recallite_status recallite_knowledge_extraction_request(struct recallite_memory *memory,
                                                        struct recallite_str session,
                                                        size_t budget_tokens,
                                                        struct recallite_extraction_request **result,
                                                        struct recallite_error **error);

/**
 * Says that newer takes the place of older, which stops holding when the newer one
 * began to hold. Saying it twice changes nothing.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] older an id.
 * @param[in] newer an id.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND naming the entry; RECALLITE_INVALID_ARGUMENT
 *     when both are the same; RECALLITE_INVARIANT_VIOLATION when another entry
 *     took the older one's place already, or when the two would replace each other
 *     in a circle.
 */
recallite_status recallite_knowledge_supersede(struct recallite_memory *memory,
                                               struct recallite_str older,
                                               struct recallite_str newer,
                                               struct recallite_error **error);

/**
 * Says that two entries disagree. Both count less until the conflict is resolved.
 * Saying it twice gives the conflict that is there.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] older an id.
 * @param[in] newer an id.
 * @param[in] reason UTF-8; absent for none.
 * @param[out] result to be freed with recallite_conflict_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND naming the entry; RECALLITE_INVALID_ARGUMENT
 *     when both are the same; RECALLITE_INVARIANT_VIOLATION when one of them no
 *     longer counts or they hold at different times.
 */
recallite_status recallite_knowledge_contradict(struct recallite_memory *memory,
                                                struct recallite_str older,
                                                struct recallite_str newer,
                                                struct recallite_str reason,
                                                struct recallite_conflict **result,
                                                struct recallite_error **error);

/**
 * Ends a conflict in favour of one entry; the other is taken back.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] conflict_id UTF-8.
 * @param[in] verdict see recallite_conflict_verdict.
 * @param[out] result to be freed with recallite_conflict_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no such conflict;
 *     RECALLITE_INVALID_ARGUMENT naming in_favour_of when it is no part of it, or
 *     resolution when it is blank; RECALLITE_INVALID_TRANSITION when the conflict
 *     has ended already.
 */
recallite_status recallite_knowledge_resolve_conflict(struct recallite_memory *memory,
                                                      struct recallite_str conflict_id,
                                                      const struct recallite_conflict_verdict *verdict,
                                                      struct recallite_conflict **result,
                                                      struct recallite_error **error);

/**
 * Raises a verified entry to certified: somebody vouches for it.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] id an id.
 * @param[in] certified_by UTF-8.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND; RECALLITE_INVARIANT_VIOLATION with the reason
 *     when the entry is not verified or does not count.
 */
recallite_status recallite_knowledge_certify(struct recallite_memory *memory,
                                             struct recallite_str id,
                                             struct recallite_str certified_by,
                                             struct recallite_error **error);

/**
 * Takes an entry back without a successor: it stops holding now.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] id an id.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND.
 */
recallite_status recallite_knowledge_deprecate(struct recallite_memory *memory,
                                               struct recallite_str id,
                                               struct recallite_error **error);

/**
 * The stable name of a recallite_match_method, for example "exact"; "unknown" for 0
 * and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_match_method_name(int32_t number);

/**
 * The stable name of a recallite_failure_reason, for example "invalid_index";
 * "unknown" for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_failure_reason_name(int32_t number);

/**
 * The stable name of a recallite_entry_type, for example "fact"; "unknown" for 0 and
 * for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_entry_type_name(int32_t number);

/**
 * The stable name of a recallite_stage, for example "raw"; "unknown" for 0 and for a
 * number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_stage_name(int32_t number);

/**
 * The stable name of a recallite_entry_status, for example "active"; "unknown" for 0
 * and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_entry_status_name(int32_t number);

/**
 * The stable name of a recallite_entity_kind, for example "task"; "unknown" for 0
 * and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_entity_kind_name(int32_t number);

/**
 * The stable name of a recallite_artifact_kind, for example "url"; "unknown" for 0
 * and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_artifact_kind_name(int32_t number);

/**
 * The stable name of a recallite_task_status, for example "pending"; "unknown" for 0
 * and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_task_status_name(int32_t number);

/**
 * The stable name of a recallite_priority, for example "low"; "unknown" for 0 and
 * for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_priority_name(int32_t number);

/**
 * The stable name of a recallite_blocker_confidence, for example "high"; "unknown"
 * for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_blocker_confidence_name(int32_t number);

/**
 * The stable name of a recallite_resolution_type, for example "exact_match";
 * "unknown" for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_resolution_type_name(int32_t number);

/**
 * The stable name of a recallite_node_type, for example "entry"; "unknown" for 0 and
 * for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_node_type_name(int32_t number);

/**
 * The stable name of a recallite_relation, for example "derived_from"; "unknown" for
 * 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_relation_name(int32_t number);

/**
 * The stable name of a recallite_level, for example "L0"; "unknown" for 0 and for a
 * number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_level_name(int32_t number);

/**
 * The stable name of a recallite_insight_kind, for example "pattern"; "unknown" for
 * 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_insight_kind_name(int32_t number);

/**
 * The stable name of a recallite_memory_mode, for example "session"; "unknown" for 0
 * and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_memory_mode_name(int32_t number);

/**
 * The stable name of a recallite_transition_type, for example "seamless"; "unknown"
 * for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_transition_type_name(int32_t number);

/**
 * The stable name of a recallite_build_status, for example "running"; "unknown" for
 * 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_build_status_name(int32_t number);

/**
 * The stable name of a recallite_pipeline_stage, for example "ingest"; "unknown" for
 * 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_pipeline_stage_name(int32_t number);

/**
 * The stable name of a recallite_evidence_kind, for example "entry"; "unknown" for 0
 * and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_evidence_kind_name(int32_t number);

/**
 * The stable name of a recallite_proven_stage, for example "verified"; "unknown" for
 * 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_proven_stage_name(int32_t number);

/**
 * The stable name of a recallite_resolution_kind, for example "confirmed"; "unknown"
 * for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_resolution_kind_name(int32_t number);

/**
 * The stable name of a recallite_effective_status, for example "resolved"; "unknown"
 * for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_effective_status_name(int32_t number);

/**
 * The stable name of a recallite_learned_kind, for example "entry"; "unknown" for 0
 * and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_learned_kind_name(int32_t number);

/**
 * The stable name of a recallite_learned_state, for example "in_force"; "unknown"
 * for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_learned_state_name(int32_t number);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_endless_config_free(struct recallite_endless_config *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_claims_alignment_free(struct recallite_claims_alignment *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_alignment_report_free(struct recallite_alignment_report *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_session_message_list_free(struct recallite_session_message_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_ingest_report_free(struct recallite_ingest_report *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_extraction_request_free(struct recallite_extraction_request *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_task_free(struct recallite_task *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_task_list_free(struct recallite_task_list *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_blocked_task_list_free(struct recallite_blocked_task_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_task_detail_free(struct recallite_task_detail *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_condition_list_free(struct recallite_condition_list *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_artifact_list_free(struct recallite_artifact_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_learned_entry_free(struct recallite_learned_entry *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_learned_entry_list_free(struct recallite_learned_entry_list *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_entry_hit_list_free(struct recallite_entry_hit_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_edge_free(struct recallite_edge *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_edge_list_free(struct recallite_edge_list *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_lineage_step_list_free(struct recallite_lineage_step_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_replaced_edges_free(struct recallite_replaced_edges *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_related_entry_list_free(struct recallite_related_entry_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_event_level_free(struct recallite_event_level *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_pinned_event_list_free(struct recallite_pinned_event_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_level_counts_free(struct recallite_level_counts *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_insight_list_free(struct recallite_insight_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_graduated_free(struct recallite_graduated *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_working_item_list_free(struct recallite_working_item_list *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_consolidated_memory_list_free(struct recallite_consolidated_memory_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_continuity_free(struct recallite_continuity *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_continuity_entry_list_free(struct recallite_continuity_entry_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_endless_status_free(struct recallite_endless_status *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_endless_context_free(struct recallite_endless_context *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_consolidation_report_free(struct recallite_consolidation_report *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_build_run_list_free(struct recallite_build_run_list *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_pipeline_metric_list_free(struct recallite_pipeline_metric_list *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_promotion_record_list_free(struct recallite_promotion_record_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_conflict_free(struct recallite_conflict *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_conflict_list_free(struct recallite_conflict_list *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_decision_list_free(struct recallite_decision_list *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_placeholder_list_free(struct recallite_placeholder_list *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_memory_resolution_list_free(struct recallite_memory_resolution_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_effective_memory_free(struct recallite_effective_memory *given);

/**
 * The level of an event and how it was used.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] event an event, by its id or citation.
 * @param[out] result to be freed with recallite_event_level_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no such event.
 */
recallite_status recallite_levels_get(struct recallite_memory *memory,
                                      struct recallite_str event,
                                      struct recallite_event_level **result,
                                      struct recallite_error **error);

/**
 * How many conversation events lie at each level.
 *
 * Growth: By the events that rose above L0.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_level_counts_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_levels_counts(struct recallite_memory *memory,
                                         struct recallite_level_counts **result,
                                         struct recallite_error **error);

/**
 * Takes note that events were used in a session, for hosts that recall by other ways
 * than search. It is written with the next append, maintain or close.
 *
 * Growth: By the events that are given.
 *
 * @param[in] memory the memory.
 * @param[in] events texts; NULL when there are none.
 * @param[in] events_len how many.
 * @param[in] session UTF-8.
 * @param[in] confidence a number.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming confidence; RECALLITE_NOT_FOUND
 *     naming the event.
 */
recallite_status recallite_levels_record_access(struct recallite_memory *memory,
                                                const struct recallite_str *events,
                                                size_t events_len,
                                                struct recallite_str session,
                                                double confidence,
                                                struct recallite_error **error);

/**
 * After so many days without an access a memory's worth is halved, and it may sink a
 * level. absent (the default) switches sinking off.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] half_life_days a number; 0 for none.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming half_life_days unless it is
 *     positive.
 */
recallite_status recallite_levels_set_half_life_days(struct recallite_memory *memory,
                                                     double half_life_days,
                                                     struct recallite_error **error);

/**
 * Judges at most budget events that were used since they were last judged: each
 * rises at most one level. Then looks what those at L1 and higher, taken together,
 * give away.
 *
 * Growth: Constant: by the budget.
 *
 * @param[in] memory the memory.
 * @param[in] budget a number.
 * @param[out] result to be freed with recallite_graduated_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot
 *     be written.
 */
recallite_status recallite_levels_graduate(struct recallite_memory *memory,
                                           size_t budget,
                                           struct recallite_graduated **result,
                                           struct recallite_error **error);

/**
 * The insights that were found, by their keys.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_insight_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_levels_insights(struct recallite_memory *memory,
                                           struct recallite_insight_list **result,
                                           struct recallite_error **error);

/**
 * Pins an event of a conversation: until it is unpinned or forgotten, every context
 * of its project begins with it, in up to half of the budget, the latest pinned
 * first; it sinks no level, and retention leaves it alone. False when it was pinned
 * already. To pin something that was learned, pin its citation.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] event an event, by its id or citation.
 * @param[out] result what was found.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no such event;
 *     RECALLITE_INVALID_ARGUMENT naming event when it is of no conversation;
 *     RECALLITE_FULL when 1,000 events are pinned; RECALLITE_BUSY, RECALLITE_FULL
 *     or RECALLITE_IO when the store cannot be written.
 */
recallite_status recallite_levels_pin(struct recallite_memory *memory,
                                      struct recallite_str event,
                                      bool *result,
                                      struct recallite_error **error);

/**
 * Takes back that an event is pinned. False when it was not.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] event an event, by its id or citation.
 * @param[out] result what was found.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_levels_pin, but never because too many are pinned.
 */
recallite_status recallite_levels_unpin(struct recallite_memory *memory,
                                        struct recallite_str event,
                                        bool *result,
                                        struct recallite_error **error);

/**
 * The events of a project that are pinned, the latest pinned first.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] scope which projects: one of recallite_scope.
 * @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
 * @param[out] result to be freed with recallite_pinned_event_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_levels_pinned(struct recallite_memory *memory,
                                         int32_t scope,
                                         struct recallite_str project,
                                         struct recallite_pinned_event_list **result,
                                         struct recallite_error **error);

/**
 * The stable name of a recallite_event_kind, for example "user_prompt"; "unknown"
 * for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_event_kind_name(int32_t number);

/**
 * The stable name of a recallite_origin, for example "user"; "unknown" for 0 and for
 * a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_origin_name(int32_t number);

/**
 * The stable name of a recallite_tool_outcome, for example "succeeded"; "unknown"
 * for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_tool_outcome_name(int32_t number);

/**
 * The stable name of a recallite_skip_reason, for example "tool_excluded"; "unknown"
 * for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_skip_reason_name(int32_t number);

/**
 * The stable name of a recallite_setting_source, for example "default"; "unknown"
 * for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_setting_source_name(int32_t number);

/**
 * The stable name of a recallite_pause_scope, for example "session"; "unknown" for 0
 * and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_pause_scope_name(int32_t number);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_appended_free(struct recallite_appended *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_appended_list_free(struct recallite_appended_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_event_free(struct recallite_event *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_event_list_free(struct recallite_event_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_session_free(struct recallite_session *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_session_list_free(struct recallite_session_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_stats_free(struct recallite_stats *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_effective_setting_list_free(struct recallite_effective_setting_list *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_pause_list_free(struct recallite_pause_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_import_report_free(struct recallite_import_report *given);

/**
 * The messages of a session as an extraction numbers them: its prompts and
 * responses, in the order in which they were stored. Give these to the language
 * model.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] session UTF-8.
 * @param[out] result to be freed with recallite_session_message_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no such session; RECALLITE_CORRUPT
 *     or RECALLITE_IO.
 */
recallite_status recallite_session_messages(struct recallite_memory *memory,
                                            struct recallite_str session,
                                            struct recallite_session_message_list **result,
                                            struct recallite_error **error);

/**
 * Takes in what a language model extracted from a session: JSON after
 * EXTRACTION_SCHEMA. Quotes are looked up, entries and tasks become records, and
 * every step is an event. Taking in the same extraction again writes nothing.
 *
 * Growth: By what is ingested.
 *
 * @param[in] memory the memory.
 * @param[in] session UTF-8.
 * @param[in] extraction UTF-8.
 * @param[in] options see recallite_ingest_options.
 * @param[out] result to be freed with recallite_ingest_report_free; may be
 *     NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming the element, for example
 *     entries[3].quotes[0].message_index, when the extraction is wrong;
 *     RECALLITE_NOT_FOUND when there is no such session: nothing is written then.
 *     When something fails later, nothing of it stays but a failed run in the
 *     ledger, and the extraction can be taken in again.
 */
recallite_status recallite_ingest(struct recallite_memory *memory,
                                  struct recallite_str session,
                                  struct recallite_str extraction,
                                  const struct recallite_ingest_options *options,
                                  struct recallite_ingest_report **result,
                                  struct recallite_error **error);

/**
 * Remembers one event. When this returns, the event is on the disk.
 *
 * The text passes the privacy filter first. The same content in the same session is
 * stored once, unless the event's dedupe says otherwise; the receipt says so.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] event see recallite_new_event.
 * @param[out] result to be freed with recallite_appended_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT for an empty text, a kind that only the
 *     library records, a name that is too long or a time out of range;
 *     RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot be
 *     written: nothing is stored then. RECALLITE_NEEDS_REOPEN when writing its
 *     file failed: the event may be stored or not; open the store again and repeat
 *     the call.
 */
recallite_status recallite_append(struct recallite_memory *memory,
                                  const struct recallite_new_event *event,
                                  struct recallite_appended **result,
                                  struct recallite_error **error);

/**
 * Remembers several events in one transaction: all of them or, when one is refused,
 * none. Receipts are in the order of the events.
 *
 * Growth: By the events of the batch.
 *
 * @param[in] memory the memory.
 * @param[in] events an array, each with the same struct_size; NULL when there
 *     are none.
 * @param[in] events_len how many.
 * @param[out] result to be freed with recallite_appended_list_free; may be
 *     NULL.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_append; the message names the event's index when there
 *     is more than one.
 */
recallite_status recallite_append_batch(struct recallite_memory *memory,
                                        const struct recallite_new_event *events,
                                        size_t events_len,
                                        struct recallite_appended_list **result,
                                        struct recallite_error **error);

/**
 * Reads an event by id, citation or position. absent when there is no such event or
 * it was forgotten.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] event an event, by its id or citation.
 * @param[out] result to be freed with recallite_event_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is none; RECALLITE_CORRUPT or
 *     RECALLITE_IO when the record cannot be read.
 */
recallite_status recallite_event_get(struct recallite_memory *memory,
                                     struct recallite_str event,
                                     struct recallite_event **result,
                                     struct recallite_error **error);

/**
 * Reads an event by what people type: an event id, a7Bc3x, mem:a7Bc3x or
 * [mem:a7Bc3x].
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] text UTF-8.
 * @param[out] result to be freed with recallite_event_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when the text is neither,
 *     RECALLITE_NOT_FOUND when there is no such event.
 */
recallite_status recallite_citation(struct recallite_memory *memory,
                                    struct recallite_str text,
                                    struct recallite_event **result,
                                    struct recallite_error **error);

/**
 * Events after a position of the log, in log order, of every kind and project: what
 * a viewer or a cache needs to follow the store.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] after a position in the log.
 * @param[in] limit a number.
 * @param[out] result to be freed with recallite_event_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_event.
 */
recallite_status recallite_changes_since(struct recallite_memory *memory,
                                         uint64_t after,
                                         size_t limit,
                                         struct recallite_event_list **result,
                                         struct recallite_error **error);

/**
 * Waits until the log is longer than after, at most timeout, and gives its last
 * position: greater than after when there is something new for
 * recallite_changes_since, not greater when the time ran out. Appends of every
 * process count. It looks at the store every 1 to 25 milliseconds and sleeps
 * between.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] after a position in the log.
 * @param[in] timeout_ms how long, in milliseconds.
 * @param[out] result a position in the log.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CLOSED when the handle is closed meanwhile; RECALLITE_IO,
 *     RECALLITE_CORRUPT or RECALLITE_NEEDS_REOPEN when the store cannot be read.
 */
recallite_status recallite_wait_for_change(struct recallite_memory *memory,
                                           uint64_t after,
                                           uint64_t timeout_ms,
                                           uint64_t *result,
                                           struct recallite_error **error);

/**
 * The sessions of the store that have the newest events, at most limit, 1,000 by
 * default; the one with the newest event first.
 *
 * Growth: By result, and by store: when each session of the wanted project had its
 * last event is looked at.
 *
 * @param[in] memory the memory.
 * @param[in] scope which projects: one of recallite_scope.
 * @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
 * @param[in] limit a number; 0 for none.
 * @param[out] result to be freed with recallite_session_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_sessions(struct recallite_memory *memory,
                                    int32_t scope,
                                    struct recallite_str project,
                                    size_t limit,
                                    struct recallite_session_list **result,
                                    struct recallite_error **error);

/**
 * One session, or absent when no event belongs to it.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] id UTF-8.
 * @param[out] result to be freed with recallite_session_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is none; RECALLITE_CORRUPT or
 *     RECALLITE_IO.
 */
recallite_status recallite_session_get(struct recallite_memory *memory,
                                       struct recallite_str id,
                                       struct recallite_session **result,
                                       struct recallite_error **error);

/**
 * Starts, ends, summarises or tags a session. Fields that are absent stay as they
 * are. The change itself is an event of the log.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] id UTF-8.
 * @param[in] update see recallite_session_update.
 * @param[out] result to be freed with recallite_session_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_append.
 */
recallite_status recallite_update_session(struct recallite_memory *memory,
                                          struct recallite_str id,
                                          const struct recallite_session_update *update,
                                          struct recallite_session **result,
                                          struct recallite_error **error);

/**
 * What happened around some events: each with up to window events before and after
 * it in its session, without repetition, in the order of time. Events that do not
 * exist are left out.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] events texts; NULL when there are none.
 * @param[in] events_len how many.
 * @param[in] window a number.
 * @param[out] result to be freed with recallite_timeline_item_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when window is above 100;
 *     RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_timeline(struct recallite_memory *memory,
                                    const struct recallite_str *events,
                                    size_t events_len,
                                    size_t window,
                                    struct recallite_timeline_item_list **result,
                                    struct recallite_error **error);

/**
 * Events in full, in the order asked for, with the events they belong to.
 *
 * Growth: By result: by the events and the lengths of their turns.
 *
 * @param[in] memory the memory.
 * @param[in] events texts; NULL when there are none.
 * @param[in] events_len how many.
 * @param[out] result to be freed with recallite_detail_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND naming the first event that does not exist;
 *     RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_details(struct recallite_memory *memory,
                                   const struct recallite_str *events,
                                   size_t events_len,
                                   struct recallite_detail_list **result,
                                   struct recallite_error **error);

/**
 * Finds the events that answer a question or hold some words, best first.
 *
 * Words need not be the same: related words and other forms count, and so does what
 * was said just before and after. An event is found by the very next call after it
 * was appended, by any process.
 *
 * Results are never dropped for being uncertain unless min_relevance is set: look at
 * confidence and relevance.
 *
 * Nothing is written. Hits that are not doubtful are noted in memory as accesses,
 * and reach the log in batches, with an append, maintain or close: graduation lives
 * on them.
 *
 * What was learned and helps with the question stands in learned: entries, tasks,
 * insights and consolidated memories, each with its state and the events that prove
 * it.
 *
 * Filters narrow what is looked at, not what was found: a rare tool's calls are
 * found behind any number of events that match better, and what a session taught
 * behind whatever was learned elsewhere.
 *
 * Growth: Logarithmic from about 20,000 events on; a smaller store has fewer events,
 * learned things and words than a search looks at in any. With tool_outcome or a
 * filter that more than 4,096 events fit, by the events that match besides, until
 * there are enough that fit. Within a session, or narrowed to few events, what was
 * learned elsewhere costs nothing.
 *
 * @param[in] memory the memory.
 * @param[in] query see recallite_query.
 * @param[out] result to be freed with recallite_search_result_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT for an empty query, a limit outside 1 to
 *     1,000, a kind that is no conversation kind, more tools than 64, an empty or
 *     too long name of a tool or part of a path, or a vector that is not one of
 *     the embedder's; RECALLITE_UNSUPPORTED for a vector without an embedder;
 *     RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_search(struct recallite_memory *memory,
                                  const struct recallite_query *query,
                                  struct recallite_search_result **result,
                                  struct recallite_error **error);

/**
 * Forgets events: no read, search, history or count shows them again, and a rebuild
 * keeps them forgotten. Waiting jobs are dropped before this returns, and their
 * words leave the search index, or wait in its larger segments for
 * recallite_maintain where no search finds them (segments_waiting).
 *
 * The records stay in the log, marked by a tombstone, until they are erased. The
 * same content appended again is a new memory, and the receipt's warnings say so.
 * Forgetting what is forgotten already counts nothing.
 *
 * Growth: By what is forgotten and what was learned from it. A forgotten change of
 * the mode, or very much at once, folds the whole log again.
 *
 * @param[in] memory the memory.
 * @param[in] selector see recallite_selector.
 * @param[out] result to be freed with recallite_forgotten_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT for a selector without a condition, an id
 *     of another project or of a tombstone; RECALLITE_NOT_FOUND for an id that
 *     never was; RECALLITE_BUSY, RECALLITE_FULL, RECALLITE_IO,
 *     RECALLITE_NEEDS_REOPEN or RECALLITE_CORRUPT as for an append: nothing is
 *     forgotten then. An error after the tombstone was stored (while vectors were
 *     taken out of side files) leaves the events forgotten; the next call of
 *     forget or maintain completes the work.
 */
recallite_status recallite_forget(struct recallite_memory *memory,
                                  const struct recallite_selector *selector,
                                  struct recallite_forgotten **result,
                                  struct recallite_error **error);

/**
 * Erases events: their content, metadata, tool calls, names, salts and dedupe keys
 * leave the log, with all that the library recorded because of them, and every index
 * is made again without them. Afterwards no byte of the text is in any file of the
 * store.
 *
 * What was learned goes unless every quote of it stands in an event that stays:
 * entries, tasks, conditions, memories, decisions and conflicts that rest on them. A
 * summary and tags that were given to the session later go too. A record that is
 * about others as well keeps that part.
 *
 * What stays of an event is its position, id, citation, kind and time, and the
 * digest that the chain needs; the digest covered a random salt that is gone, so it
 * tells nothing. Forgotten events are erased as well when the selector means them.
 * Copies are the caller's: backups, exports, and the same words in other events,
 * which were not selected: a response that repeats a prompt, or a stored
 * SessionSummary.
 *
 * Others read and write meanwhile. What they append stays, also where the selector
 * would mean it, unless the library recorded it about what is erased.
 *
 * Growth: By store: all of it is written anew, however little is erased. Constant
 * when nothing is selected.
 *
 * @param[in] memory the memory.
 * @param[in] selector see recallite_selector.
 * @param[out] result to be freed with recallite_erased_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_forget and recallite_compact; the store stays as it
 *     was.
 */
recallite_status recallite_erase(struct recallite_memory *memory,
                                 const struct recallite_selector *selector,
                                 struct recallite_erased **result,
                                 struct recallite_error **error);

/**
 * Does what may wait, a bounded step of each: writes noted accesses, folds and
 * merges the index, graduates, consolidates, embeds, builds graphs of vectors. Call
 * it when the host is idle, until has_more is false.
 *
 * Growth: Constant: by the budget.
 *
 * @param[in] memory the memory.
 * @param[in] budget see recallite_maintain_budget.
 * @param[out] result to be freed with recallite_maintained_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot
 *     be written; each step that was committed stays. What an embedder does wrong
 *     is counted in jobs_failed.
 */
recallite_status recallite_maintain(struct recallite_memory *memory,
                                    const struct recallite_maintain_budget *budget,
                                    struct recallite_maintained **result,
                                    struct recallite_error **error);

/**
 * Embeds waiting events: at most limit jobs. Call it when there is time, again until
 * processed is 0; any process with the embedder may, also several at once.
 *
 * Jobs of workers that died are taken back after 5 minutes; a failed job is tried
 * again 1, 5 and 30 seconds later, by calls after that time. An event that was
 * forgotten meanwhile is skipped.
 *
 * Growth: By the jobs that are done.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number.
 * @param[out] result to be freed with recallite_processed_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_UNSUPPORTED without an embedder; RECALLITE_BUSY,
 *     RECALLITE_FULL or RECALLITE_IO when the store cannot be written. What the
 *     embedder does wrong is no error of this call: it stands in errors.
 */
recallite_status recallite_process_outbox(struct recallite_memory *memory,
                                          size_t limit,
                                          struct recallite_processed **result,
                                          struct recallite_error **error);

/**
 * Proves the store as it is at this moment: that the log's chain of checksums holds
 * and every record is what was stored; that each derived table, and each row of what
 * was learned, is exactly what the log gives when it is made again; and that the
 * search index can be decoded and holds exactly the live conversation events. Others
 * may read and write meanwhile.
 *
 * The tables are made again in memory, for more than 100,000 events in a nameless
 * file in the store's folder.
 *
 * Growth: By store.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_check_report_free.
 * @param[out] error set on failure; may be NULL.
 * @return Damage is a finding, not an error. RECALLITE_IO or RECALLITE_BUSY
 *     when the store cannot be read at all.
 */
recallite_status recallite_check(struct recallite_memory *memory,
                                 struct recallite_check_report **result,
                                 struct recallite_error **error);

/**
 * Makes every derived table again from the log: indexes, names, sessions,
 * tombstones, counters and the search index. They are made in a new generation of
 * the store, as by recallite_compact, while others read and write.
 *
 * as_of is the moment at which everything that depends on the passing of time is
 * judged, and part of the hash. Jobs that wait, and vectors that a model made, are
 * kept as they are, unless they are damaged: then there are none, and the embedder
 * makes them again. No damaged page of the tables that are made again is read.
 *
 * Growth: By store.
 *
 * @param[in] memory the memory.
 * @param[in] as_of_ms the moment, in milliseconds since 1970 UTC.
 * @param[out] result to be freed with recallite_rebuilt_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT when the log itself is damaged (nothing is changed
 *     then; use recallite_check to learn where, and restore a backup);
 *     RECALLITE_BUSY, RECALLITE_FULL, RECALLITE_IO or RECALLITE_NEEDS_REOPEN as
 *     for recallite_compact.
 */
recallite_status recallite_rebuild(struct recallite_memory *memory,
                                   int64_t as_of_ms,
                                   struct recallite_rebuilt **result,
                                   struct recallite_error **error);

/**
 * Copies the store into a new generation and puts that in place, so that space which
 * is no longer used goes back to the disk. The log stays whole: forgotten events
 * keep their records until they are erased.
 *
 * Others go on reading and writing meanwhile; what they write is in the new
 * generation, to which all go over in their next call. Writers wait only while the
 * last of it is taken over. Needs free space for a second copy. A crash leaves the
 * old generation or the new one, whole.
 *
 * Growth: By store.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_compacted_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_BUSY when another call compacts, erases, rebuilds or
 *     restores, or when writers never let the last step begin; RECALLITE_FULL,
 *     RECALLITE_IO or RECALLITE_CORRUPT: the store then stays as it was.
 *     RECALLITE_NEEDS_REOPEN when the last step failed: after reopening the store
 *     is the old or the new one.
 */
recallite_status recallite_compact(struct recallite_memory *memory,
                                   struct recallite_compacted **result,
                                   struct recallite_error **error);

/**
 * Writes events into the new file path as lines of JSON, as of one moment: a header,
 * one line for each event in the order of the log, and an end. On Unix only its
 * owner may read it.
 *
 * With a selector the live events that it means are written; such a file can be
 * imported, not restored. Without one it is the whole log with what a restore needs,
 * forgotten events and the store's secret among it: keep that as private as the
 * store.
 *
 * Growth: By store, also with a selector: every record is passed.
 *
 * @param[in] memory the memory.
 * @param[in] path a path of the file system, UTF-8.
 * @param[in] selector see recallite_selector; NULL for none.
 * @param[out] result to be freed with recallite_exported_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_ALREADY_EXISTS when there is something at path;
 *     RECALLITE_INVALID_ARGUMENT when it lies in the store's own folder;
 *     RECALLITE_INVALID_ARGUMENT or RECALLITE_NOT_FOUND from the selector;
 *     RECALLITE_IO, RECALLITE_FULL or RECALLITE_PERMISSION_DENIED when the file
 *     cannot be written; RECALLITE_CORRUPT when a record cannot be read. No file
 *     is left behind then.
 */
recallite_status recallite_export_jsonl(struct recallite_memory *memory,
                                        struct recallite_str path,
                                        const struct recallite_selector *selector,
                                        struct recallite_exported **result,
                                        struct recallite_error **error);

/**
 * Makes this empty store the one that the whole export in the file path was made of:
 * every record byte for byte, with its position, id, citation and checksum, and
 * forgotten events forgotten. Gives how many events there are. An export that is cut
 * or changed leaves the store empty.
 *
 * Growth: By what is restored.
 *
 * @param[in] memory the memory.
 * @param[in] path a path of the file system, UTF-8.
 * @param[out] result a number; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_ALREADY_EXISTS when the store holds events;
 *     RECALLITE_INVALID_ARGUMENT naming path and the line when the export is cut,
 *     changed or not whole; RECALLITE_NOT_FOUND, RECALLITE_PERMISSION_DENIED or
 *     RECALLITE_IO when the file cannot be read; RECALLITE_NEWER_FORMAT, or
 *     RECALLITE_UNSUPPORTED for an export of a build from before the first
 *     release.
 */
recallite_status recallite_restore_jsonl(struct recallite_memory *memory,
                                         struct recallite_str path,
                                         uint64_t *result,
                                         struct recallite_error **error);

/**
 * Adds the conversation events of the export in the file path to this store, in
 * slices between which others write. They pass this memory's privacy filter, get new
 * positions and ids, and keep their time, session, project and speaker. What is here
 * already is recognised, also when it is imported again.
 *
 * The export is read to its end first. When the disk fills or the process ends after
 * that, whole events are stored; importing again adds the others.
 *
 * Growth: By what is imported.
 *
 * @param[in] memory the memory.
 * @param[in] path a path of the file system, UTF-8.
 * @param[out] result to be freed with recallite_imported_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming path and the line for an export
 *     that is cut or holds an event that would be refused; RECALLITE_NOT_FOUND,
 *     RECALLITE_PERMISSION_DENIED or RECALLITE_IO when the file cannot be read; as
 *     recallite_append.
 */
recallite_status recallite_import_jsonl(struct recallite_memory *memory,
                                        struct recallite_str path,
                                        struct recallite_imported **result,
                                        struct recallite_error **error);

/**
 * Copies the store, as it is at one moment, into the new folder path while others go
 * on reading and writing. The copy is opened and checked before it gets its name.
 * Returns how many events it holds.
 *
 * Growth: By store.
 *
 * @param[in] memory the memory.
 * @param[in] path a path of the file system, UTF-8.
 * @param[out] result a number; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_ALREADY_EXISTS when there is something at path;
 *     RECALLITE_INVALID_ARGUMENT when it lies in the store's own folder;
 *     RECALLITE_CORRUPT when this store does not check; RECALLITE_IO,
 *     RECALLITE_FULL or RECALLITE_PERMISSION_DENIED. No folder is left behind
 *     then.
 */
recallite_status recallite_backup(struct recallite_memory *memory,
                                  struct recallite_str path,
                                  uint64_t *result,
                                  struct recallite_error **error);

/**
 * Figures about the store: how much each layer holds and when it last moved.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_stats_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_stats_get(struct recallite_memory *memory,
                                     struct recallite_stats **result,
                                     struct recallite_error **error);

/**
 * Every setting of a settings file as it is in force, with where its value comes
 * from: the library's default, the store, the file, or the call that opened this
 * memory; in the order of docs/guides/settings.md.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_effective_setting_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CLOSED; RECALLITE_CORRUPT or RECALLITE_IO when the store
 *     cannot be read.
 */
recallite_status recallite_effective_settings(struct recallite_memory *memory,
                                              struct recallite_effective_setting_list **result,
                                              struct recallite_error **error);

/**
 * The stable name of a recallite_tag_format, for example "xml"; "unknown" for 0 and
 * for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_tag_format_name(int32_t number);

/**
 * The stable name of a recallite_marker, for example "[PRIVATE]"; "unknown" for 0
 * and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_marker_name(int32_t number);

/**
 * The stable name of a recallite_log_level, for example "error"; "unknown" for 0 and
 * for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_log_level_name(int32_t number);

/**
 * Pauses the recording of a session or a project, for every process: an append to it
 * stores nothing, and its receipt says paused. It lasts until resume, also over a
 * rebuild and an erasure. What was stored before stays. Gives false when it was
 * paused already.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] scope one of recallite_pause_scope.
 * @param[in] name UTF-8.
 * @param[out] result what was found; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming name when it is no name of a
 *     session or project; as recallite_append.
 */
recallite_status recallite_pauses_pause(struct recallite_memory *memory,
                                        int32_t scope,
                                        struct recallite_str name,
                                        bool *result,
                                        struct recallite_error **error);

/**
 * Records a session or a project again. Gives false when it was not paused.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] scope one of recallite_pause_scope.
 * @param[in] name UTF-8.
 * @param[out] result what was found; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return As pause.
 */
recallite_status recallite_pauses_resume(struct recallite_memory *memory,
                                         int32_t scope,
                                         struct recallite_str name,
                                         bool *result,
                                         struct recallite_error **error);

/**
 * Everything that is paused, the longest paused first.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_pause_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_pauses_list(struct recallite_memory *memory,
                                       struct recallite_pause_list **result,
                                       struct recallite_error **error);

/**
 * The stable name of a recallite_match_class, for example "high"; "unknown" for 0
 * and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_match_class_name(int32_t number);

/**
 * The stable name of a recallite_citation_format, for example "inline"; "unknown"
 * for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_citation_format_name(int32_t number);

/**
 * The stable name of a recallite_recording, for example "later"; "unknown" for 0 and
 * for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_recording_name(int32_t number);

/**
 * The stable name of a recallite_expansion_reason, for example "high_confidence";
 * "unknown" for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_expansion_reason_name(int32_t number);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_search_result_free(struct recallite_search_result *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_timeline_item_list_free(struct recallite_timeline_item_list *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_detail_list_free(struct recallite_detail_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_context_free(struct recallite_context *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_smart_search_result_free(struct recallite_smart_search_result *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_citation_detail_free(struct recallite_citation_detail *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_popular_citation_list_free(struct recallite_popular_citation_list *given);

/**
 * The canonical key of a title: equal for titles that differ only in case,
 * punctuation, spacing or compatibility forms.
 *
 * NFKC, lowercase, everything but letters, numbers, _ and white space deleted, white
 * space runs made one space, trimmed, and project:: put in front when project is not
 * empty (the project itself is not normalised). A key of more than 200 code points
 * becomes its first 191 code points, _, and 8 hexadecimal digits of the MD5 digest
 * of the whole key, so that long titles stay apart.
 *
 * A long title is read as a stream: beside the key itself only one word is held in
 * memory.
 *
 * @param[in] title UTF-8.
 * @param[in] project UTF-8; absent for none.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_canonical_key(struct recallite_str title,
                                         struct recallite_str project,
                                         struct recallite_string **result,
                                         struct recallite_error **error);

/**
 * Whether two titles have the same canonical key, whatever their project.
 *
 * @param[in] a UTF-8.
 * @param[in] b UTF-8.
 * @param[out] result what was found.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_is_same_title(struct recallite_str a,
                                         struct recallite_str b,
                                         bool *result,
                                         struct recallite_error **error);

/**
 * The key of a task, condition or artifact, for example task:shop:fix-login-bug,
 * cond:shop:api-key-configured or art:jira:SHOP-12. Artifacts have no project.
 *
 * @param[in] kind one of recallite_entity_kind.
 * @param[in] identifier UTF-8.
 * @param[in] project UTF-8; absent for none.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_entity_key(int32_t kind,
                                      struct recallite_str identifier,
                                      struct recallite_str project,
                                      struct recallite_string **result,
                                      struct recallite_error **error);

/**
 * The key of a task, for example task:shop:fix-login-bug.
 *
 * Without a project it is default; an empty project stays empty. A title without any
 * letter or digit gives a key with an empty identity, which parse_entity_key
 * refuses: check it before using the key as an identity.
 *
 * @param[in] title UTF-8.
 * @param[in] project UTF-8; absent for none.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_task_key(struct recallite_str title,
                                    struct recallite_str project,
                                    struct recallite_string **result,
                                    struct recallite_error **error);

/**
 * The key of a condition, for example cond:shop:api-key-configured. Without a
 * project it is default.
 *
 * @param[in] text UTF-8.
 * @param[in] project UTF-8; absent for none.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_condition_key(struct recallite_str text,
                                         struct recallite_str project,
                                         struct recallite_string **result,
                                         struct recallite_error **error);

/**
 * What an artifact's identifier looks like: a web address, a Jira ticket, a GitHub
 * issue, or something else. The patterns are tried in this order and must match the
 * whole text.
 *
 * White space makes no issue: the specification's pattern alone would also take
 * prose such as either/or, see #3 (its bug B8).
 *
 * @param[in] identifier UTF-8.
 * @param[out] result one of recallite_artifact_kind.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_artifact_kind_get(struct recallite_str identifier,
                                             int32_t *result,
                                             struct recallite_error **error);

/**
 * The key of an artifact: art:url:{sha1}, art:jira:{key},
 * art:gh_issue:{owner/repo}:{number} or art:generic:{12 digits of sha1}.
 *
 * @param[in] identifier UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_artifact_key(struct recallite_str identifier,
                                        struct recallite_string **result,
                                        struct recallite_error **error);

/**
 * The BLAKE3 digest of a text's UTF-8 bytes, as 64 hexadecimal digits.
 *
 * @param[in] content UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_content_hash(struct recallite_str content,
                                        struct recallite_string **result,
                                        struct recallite_error **error);

/**
 * The key by which the same content in the same session is one event:
 * session:content_hash. The kind of the event is not part of it.
 *
 * @param[in] session UTF-8.
 * @param[in] content UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_dedupe_key(struct recallite_str session,
                                      struct recallite_str content,
                                      struct recallite_string **result,
                                      struct recallite_error **error);

/**
 * The first length characters of base64url(SHA-256(event id)), at most 43.
 *
 * @param[in] event_id UTF-8.
 * @param[in] length a number.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_citation_id(struct recallite_str event_id,
                                       size_t length,
                                       struct recallite_string **result,
                                       struct recallite_error **error);

/**
 * Finds the citation id in what a person typed or pasted: the bare id (a7Bc3x,
 * [a7Bc3x]), or the first mem:a7Bc3x anywhere in the text. An id has 6 to 8
 * characters of A-Z a-z 0-9 - _. Anything else is absent.
 *
 * @param[in] text UTF-8.
 * @param[out] result to be freed with recallite_string_free; NULL when there
 *     is none.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_parse_citation(struct recallite_str text,
                                          struct recallite_string **result,
                                          struct recallite_error **error);

/**
 * The first sentence of a text on one line, at most 100 UTF-16 code units long;
 * longer ones are cut at a word and end in ....
 *
 * Fenced code becomes [code]. A sentence ends after ., ! or ? unless an ASCII letter
 * or digit follows (v2.0, example.com), and after the full stops of Chinese and
 * Japanese. A text without any end is one sentence. The result is empty only for a
 * blank text.
 *
 * @param[in] content UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_summary(struct recallite_str content,
                                   struct recallite_string **result,
                                   struct recallite_error **error);

/**
 * A text on one line, at most 200 UTF-16 code units long; longer ones are cut and
 * end in ....
 *
 * A fenced block that names its language becomes [language code]; runs of line
 * breaks become one space; blanks at both ends are dropped. The result is empty only
 * for a blank text.
 *
 * @param[in] content UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_preview(struct recallite_str content,
                                   struct recallite_string **result,
                                   struct recallite_error **error);

/**
 * The folder where a user's memory lies unless a host chooses another:
 * $XDG_DATA_HOME/recallite or ~/.local/share/recallite on Linux,
 * ~/Library/Application Support/recallite on macOS, %LOCALAPPDATA%\recallite on
 * Windows.
 *
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when the system names no home folder.
 */
recallite_status recallite_default_store_path(struct recallite_string **result,
                                              struct recallite_error **error);

/**
 * The project that a working folder belongs to: the root of its git repository, and
 * for a linked worktree the root of the main one, so that all worktrees of a
 * repository are one project. Without a repository, the folder itself. The name is
 * the absolute path, with / between its parts.
 *
 * A repository may be given a name of its own, for example where its path differs
 * from machine to machine: git config recallite.project shop. It is taken when it
 * holds no /, \ or :, so that none can pass for a path.
 *
 * @param[in] folder a path of the file system, UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND or RECALLITE_IO when the folder cannot be looked
 *     at.
 */
recallite_status recallite_project_of(struct recallite_str folder,
                                      struct recallite_string **result,
                                      struct recallite_error **error);

/**
 * The text with line ends as \n alone, and with a blank or U+FFFD in the place of
 * what controls instead of showing: escape and other control characters, overrides
 * of the writing direction, and the unseen letters of Unicode's tags. What is stored
 * stays whole; this is for showing it.
 *
 * @param[in] text UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_harmless(struct recallite_str text,
                                    struct recallite_string **result,
                                    struct recallite_error **error);

/**
 * As harmless, on one line.
 *
 * @param[in] text UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_harmless_line(struct recallite_str text,
                                         struct recallite_string **result,
                                         struct recallite_error **error);

/**
 * The estimated number of tokens of a text: a quarter of its length in UTF-16 code
 * units, rounded up (specification, section 15).
 *
 * @param[in] text UTF-8.
 * @param[out] result a number.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_estimate_tokens(struct recallite_str text,
                                           size_t *result,
                                           struct recallite_error **error);

/**
 * The length of a text in UTF-16 code units: one per character, two per character
 * beyond U+FFFF.
 *
 * @param[in] text UTF-8.
 * @param[out] result a number.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_utf16_len(struct recallite_str text,
                                     size_t *result,
                                     struct recallite_error **error);

/**
 * The Levenshtein distance of two texts in code points: the smallest number of
 * insertions, deletions and substitutions that turns one into the other.
 *
 * @param[in] a UTF-8.
 * @param[in] b UTF-8.
 * @param[out] result a number.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_levenshtein(struct recallite_str a,
                                       struct recallite_str b,
                                       size_t *result,
                                       struct recallite_error **error);

/**
 * How alike two texts are: 1 - levenshtein / length of the longer one, in code
 * points; 1.0 for two empty texts.
 *
 * @param[in] a UTF-8.
 * @param[in] b UTF-8.
 * @param[out] result a number.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_similarity(struct recallite_str a,
                                      struct recallite_str b,
                                      double *result,
                                      struct recallite_error **error);

/**
 * Finds the places in a session's messages that quotes were taken from, so that
 * nobody has to trust an offset that a model made up.
 *
 * For each quote it takes the first of three steps that succeeds: exact, normalized,
 * fuzzy. A quote that is not found is a result that says why. Messages are
 * normalised at most once, however many quotes name them.
 *
 * @param[in] messages texts; NULL when there are none.
 * @param[in] messages_len how many.
 * @param[in] quotes an array, each with the same struct_size; NULL when there
 *     are none.
 * @param[in] quotes_len how many.
 * @param[in] options see recallite_align_options.
 * @param[out] result to be freed with recallite_alignment_report_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming an option that is out of its
 *     range.
 */
recallite_status recallite_align(const struct recallite_str *messages,
                                 size_t messages_len,
                                 const struct recallite_evidence_quote *quotes,
                                 size_t quotes_len,
                                 const struct recallite_align_options *options,
                                 struct recallite_alignment_report **result,
                                 struct recallite_error **error);

/**
 * Looks for each claim in a source.
 *
 * Both are compared without case, punctuation and differences of whitespace. A claim
 * of fewer than 10 such characters is skipped. A claim that does not stand in the
 * source is still supported by a run of as many words as it has, if at least 80 % of
 * the distinct words of both are common. Time is proportional to the source for each
 * claim.
 *
 * @param[in] claims texts; NULL when there are none.
 * @param[in] claims_len how many.
 * @param[in] source UTF-8.
 * @param[out] result to be freed with recallite_claims_alignment_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_align_claims(const struct recallite_str *claims,
                                        size_t claims_len,
                                        struct recallite_str source,
                                        struct recallite_claims_alignment **result,
                                        struct recallite_error **error);

/**
 * The claims of a response: its sentences of at least 10 characters that are no
 * questions, as pieces of the response without outer whitespace.
 *
 * Sentences end at runs of ., !, ? and their Chinese, Japanese and Arabic
 * counterparts.
 *
 * @param[in] response UTF-8.
 * @param[out] result to be freed with recallite_string_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_extract_claims(struct recallite_str response,
                                          struct recallite_string_list **result,
                                          struct recallite_error **error);

/**
 * Whether a response is grounded: aligns its claims with all contexts, joined by a
 * space; spans lie in that joined text.
 *
 * @param[in] response UTF-8.
 * @param[in] contexts texts; NULL when there are none.
 * @param[in] contexts_len how many.
 * @param[out] result to be freed with recallite_claims_alignment_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_check_grounding(struct recallite_str response,
                                           const struct recallite_str *contexts,
                                           size_t contexts_len,
                                           struct recallite_claims_alignment **result,
                                           struct recallite_error **error);

/**
 * Whether an edge of a relation may lead from one node type to another.
 *
 * @param[in] source_type one of recallite_node_type.
 * @param[in] relation one of recallite_relation.
 * @param[in] destination_type one of recallite_node_type.
 * @param[out] result what was found.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_is_edge_allowed(int32_t source_type,
                                           int32_t relation,
                                           int32_t destination_type,
                                           bool *result,
                                           struct recallite_error **error);

/**
 * The name to show for a session: endless for each day of the endless mode.
 *
 * @param[in] session UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_outside_session_name(struct recallite_str session,
                                                struct recallite_string **result,
                                                struct recallite_error **error);

/**
 * The stable name of a recallite_member_role, for example "owner"; "unknown" for 0
 * and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_member_role_name(int32_t number);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_member_list_free(struct recallite_member_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_shared_batch_free(struct recallite_shared_batch *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_received_free(struct recallite_received *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_watermark_list_free(struct recallite_watermark_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_record_source_free(struct recallite_record_source *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_pushed_free(struct recallite_pushed *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_pulled_free(struct recallite_pulled *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_announced_free(struct recallite_announced *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_announced_list_free(struct recallite_announced_list *given);

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_unanswered_erasure_list_free(struct recallite_unanswered_erasure_list *given);

/**
 * Who this store is to others: its public key, 64 hexadecimal digits. It is made
 * when it is first asked for, and a backup or an export leaves it behind.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_append.
 */
recallite_status recallite_sharing_identity(struct recallite_memory *memory,
                                            struct recallite_string **result,
                                            struct recallite_error **error);

/**
 * Gives this store a new identity: for a folder that was copied while both copies
 * are written to. The other members have to add it. What it wrote into shared
 * folders under the old one stays there; remove that folder by hand.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_string_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_append.
 */
recallite_status recallite_sharing_renew_identity(struct recallite_memory *memory,
                                                  struct recallite_string **result,
                                                  struct recallite_error **error);

/**
 * Takes the records of another store from now on. A store that is a member already
 * gets the new name and role.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] identity UTF-8.
 * @param[in] name UTF-8.
 * @param[in] role one of recallite_member_role.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming identity when it is none, or this
 *     store's own, or name when it is too long; as recallite_append.
 */
recallite_status recallite_sharing_add_member(struct recallite_memory *memory,
                                              struct recallite_str identity,
                                              struct recallite_str name,
                                              int32_t role,
                                              struct recallite_error **error);

/**
 * Takes no more records of another store. What was taken stays. Gives false when it
 * was no member.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] identity UTF-8.
 * @param[out] result what was found; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return As add_member.
 */
recallite_status recallite_sharing_remove_member(struct recallite_memory *memory,
                                                 struct recallite_str identity,
                                                 bool *result,
                                                 struct recallite_error **error);

/**
 * The stores whose records this one takes, in the order of their identities.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_member_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_sharing_members(struct recallite_memory *memory,
                                           struct recallite_member_list **result,
                                           struct recallite_error **error);

/**
 * Which store recorded an event, and what it is called there; absent for what this
 * store recorded itself.
 *
 * Growth: By the members.
 *
 * @param[in] memory the memory.
 * @param[in] event an event, by its id or citation.
 * @param[out] result to be freed with recallite_record_source_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is none; RECALLITE_NOT_FOUND when
 *     there is no such event.
 */
recallite_status recallite_sharing_source(struct recallite_memory *memory,
                                          struct recallite_str event,
                                          struct recallite_record_source **result,
                                          struct recallite_error **error);

/**
 * Keeps a session or a project from other stores: nothing of it is sent from now on.
 * Gives false when it was kept back already. What was sent before stays with those
 * who have it.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] scope one of recallite_pause_scope.
 * @param[in] name UTF-8.
 * @param[out] result what was found; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming name; as recallite_append.
 */
recallite_status recallite_sharing_withhold(struct recallite_memory *memory,
                                            int32_t scope,
                                            struct recallite_str name,
                                            bool *result,
                                            struct recallite_error **error);

/**
 * Sends a session or a project that was kept back, also what was recorded meanwhile:
 * the next batch tells the others to ask from the beginning. Gives false when it was
 * not kept back.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] scope one of recallite_pause_scope.
 * @param[in] name UTF-8.
 * @param[out] result what was found; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return As withhold.
 */
recallite_status recallite_sharing_offer(struct recallite_memory *memory,
                                         int32_t scope,
                                         struct recallite_str name,
                                         bool *result,
                                         struct recallite_error **error);

/**
 * Whether a session or a project is kept from other stores.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] scope one of recallite_pause_scope.
 * @param[in] name UTF-8.
 * @param[out] result what was found.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_sharing_is_withheld(struct recallite_memory *memory,
                                               int32_t scope,
                                               struct recallite_str name,
                                               bool *result,
                                               struct recallite_error **error);

/**
 * What this store recorded behind a position of its log and shares, signed, in the
 * order of the log: at most limit records (0 to 10,000), about 4 MB of text. The
 * first batch begins at 0, and each next one at through of the one before. With a
 * limit of 0 it only says how far this store has come. Only what this store itself
 * recorded is sent; what the privacy filter took out was never stored.
 *
 * Growth: By result, and by the records looked at for it, which are 100,000 at most.
 *
 * @param[in] memory the memory.
 * @param[in] position a number.
 * @param[in] limit a number.
 * @param[out] result to be freed with recallite_shared_batch_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming position or limit;
 *     RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_sharing_changes_since(struct recallite_memory *memory,
                                                 uint64_t position,
                                                 size_t limit,
                                                 struct recallite_shared_batch **result,
                                                 struct recallite_error **error);

/**
 * Takes the batch of another store: all of it, or nothing when anything in it is
 * wrong. Batches may come in any order, and any number of times. When it offers
 * again what it had withheld, through goes back to 0.
 *
 * An order to forget hides at once what it reaches, also what comes later. What an
 * order has this store erase is hidden at once, and erased by erase_ordered.
 *
 * Growth: By the size of the batch. A record that what was learned here before comes
 * behind, and that touches the same, has all of that folded again: by store.
 *
 * @param[in] memory the memory.
 * @param[in] batch UTF-8.
 * @param[out] result to be freed with recallite_received_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_PERMISSION_DENIED naming batch when the store is no
 *     member; RECALLITE_INVALID_ARGUMENT naming batch when it is cut, not as it
 *     was signed, or holds what cannot be; RECALLITE_ALREADY_EXISTS when two
 *     machines sign with one key; RECALLITE_NEWER_FORMAT; as recallite_append.
 */
recallite_status recallite_sharing_receive(struct recallite_memory *memory,
                                           struct recallite_str batch,
                                           struct recallite_received **result,
                                           struct recallite_error **error);

/**
 * Takes records that somebody chose out of what a store shares: a server that gives
 * each member what it may see. The batch is one of changes_since without records,
 * which says how far its store has come, and behind it the lines of the records,
 * each of which bears its own signature. They are all that this store may have from
 * behind the position since up to through: that nothing was left out is believed, so
 * ask only who is trusted with it.
 *
 * Growth: As receive: by the size of the batch, or by store.
 *
 * @param[in] memory the memory.
 * @param[in] batch UTF-8.
 * @param[in] since a number.
 * @param[in] through a number.
 * @param[out] result to be freed with recallite_received_free.
 * @param[out] error set on failure; may be NULL.
 * @return As receive; RECALLITE_INVALID_ARGUMENT naming through when it lies
 *     before since or behind what the store says.
 */
recallite_status recallite_sharing_receive_selected(struct recallite_memory *memory,
                                                    struct recallite_str batch,
                                                    uint64_t since,
                                                    uint64_t through,
                                                    struct recallite_received **result,
                                                    struct recallite_error **error);

/**
 * A short text that changes whenever something may have to leave what was sent
 * before: what was forgotten, erased or withheld since. Who keeps batches elsewhere
 * compares it with that of the last time, and then makes them again from the
 * beginning.
 *
 * Growth: Constant, but for what is withheld.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_sharing_retraction_mark(struct recallite_memory *memory,
                                                   struct recallite_string **result,
                                                   struct recallite_error **error);

/**
 * Erases what other stores' orders have this one erase; see recallite_erase. After a
 * kill it is called again.
 *
 * Growth: As recallite_erase; constant when there is nothing to erase. By store.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_erased_free.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_erase.
 */
recallite_status recallite_sharing_erase_ordered(struct recallite_memory *memory,
                                                 struct recallite_erased **result,
                                                 struct recallite_error **error);

/**
 * The erasures of this store that not every member has carried out yet, the oldest
 * first, each with the identities of those who have not: a machine that is switched
 * off answers when it comes back.
 *
 * Growth: By the erasures since the one that every member has carried out.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_unanswered_erasure_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_sharing_unanswered_erasures(struct recallite_memory *memory,
                                                       struct recallite_unanswered_erasure_list **result,
                                                       struct recallite_error **error);

/**
 * Writes what this store shares and has not written yet into a folder that others
 * read: a USB stick, a synchronised folder, a mounted bucket. What was forgotten or
 * erased since leaves the files. Each store writes files of its own, so that nothing
 * is ever merged; a push that was interrupted is made good by the next one.
 *
 * Growth: By what is new; after something was forgotten or erased, by what this
 * store has shared, for its files are compared with the log.
 *
 * @param[in] memory the memory.
 * @param[in] folder a path of the file system, UTF-8.
 * @param[out] result to be freed with recallite_pushed_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming folder when it is none;
 *     RECALLITE_IO or RECALLITE_FULL naming it when it cannot be written;
 *     RECALLITE_BUSY when another process pushes for longer than 5 seconds; as
 *     changes_since.
 */
recallite_status recallite_sharing_push_folder(struct recallite_memory *memory,
                                               struct recallite_str folder,
                                               struct recallite_pushed **result,
                                               struct recallite_error **error);

/**
 * Takes what other members wrote into a folder and is not here yet. A store that is
 * no member is named in the result, and nothing of it is read.
 *
 * Growth: By what is new, and by the files in the folder.
 *
 * @param[in] memory the memory.
 * @param[in] folder a path of the file system, UTF-8.
 * @param[out] result to be freed with recallite_pulled_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming folder when it holds no shared
 *     memory, or a file of it is damaged: its store's files before it were taken,
 *     and those of all others; as receive.
 */
recallite_status recallite_sharing_pull_folder(struct recallite_memory *memory,
                                               struct recallite_str folder,
                                               struct recallite_pulled **result,
                                               struct recallite_error **error);

/**
 * What this store says of itself to others: its identity and a name, signed, one
 * line of JSON.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] name UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming name; as identity.
 */
recallite_status recallite_sharing_announcement(struct recallite_memory *memory,
                                                struct recallite_str name,
                                                struct recallite_string **result,
                                                struct recallite_error **error);

/**
 * Who made an announcement. The name is what the store says of itself: compare
 * identities before you add a member.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] announcement UTF-8.
 * @param[out] result to be freed with recallite_announced_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming announcement when it is none, or
 *     is not signed by the store that it names.
 */
recallite_status recallite_sharing_read_announcement(struct recallite_memory *memory,
                                                     struct recallite_str announcement,
                                                     struct recallite_announced **result,
                                                     struct recallite_error **error);

/**
 * Makes this store known in a folder under a name, so that others can add it.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] folder a path of the file system, UTF-8.
 * @param[in] name UTF-8.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming folder or name; RECALLITE_IO or
 *     RECALLITE_FULL naming folder.
 */
recallite_status recallite_sharing_announce(struct recallite_memory *memory,
                                            struct recallite_str folder,
                                            struct recallite_str name,
                                            struct recallite_error **error);

/**
 * Who made itself known in a folder, in the order of their identities, this store
 * included. A name is what its store says of itself: compare identities before you
 * add a member.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] folder a path of the file system, UTF-8.
 * @param[out] result to be freed with recallite_announced_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming folder when it holds no shared
 *     memory; RECALLITE_IO.
 */
recallite_status recallite_sharing_announced(struct recallite_memory *memory,
                                             struct recallite_str folder,
                                             struct recallite_announced_list **result,
                                             struct recallite_error **error);

/**
 * How far the records of each member are here.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_watermark_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_sharing_watermarks(struct recallite_memory *memory,
                                              struct recallite_watermark_list **result,
                                              struct recallite_error **error);

/**
 * A hash of what all members agree on, 64 hexadecimal digits: the same in two stores
 * that have received the same records, whatever the order of arrival. Positions,
 * citations and how memories were used are not in it.
 *
 * Growth: By store.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_sharing_shared_hash(struct recallite_memory *memory,
                                               struct recallite_string **result,
                                               struct recallite_error **error);

/**
 * Tasks that fit a filter: of each status the one changed last in front; blocked,
 * in_progress, pending, done, cancelled.
 *
 * Growth: By result, with no condition but a status. A project and a text are looked
 * for in one task after another, until there are as many as the limit.
 *
 * @param[in] memory the memory.
 * @param[in] filter see recallite_task_filter.
 * @param[out] result to be freed with recallite_task_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_tasks_list(struct recallite_memory *memory,
                                      const struct recallite_task_filter *filter,
                                      struct recallite_task_list **result,
                                      struct recallite_error **error);

/**
 * Makes a task.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] task see recallite_new_task.
 * @param[out] result to be freed with recallite_task_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong, for example title
 *     without a letter or digit, or blocked_by[0] that is the task itself;
 *     RECALLITE_ALREADY_EXISTS when a task of the project has this title, whatever
 *     its status.
 */
recallite_status recallite_tasks_create(struct recallite_memory *memory,
                                        const struct recallite_new_task *task,
                                        struct recallite_task **result,
                                        struct recallite_error **error);

/**
 * One task with what really blocks it and its history, or absent.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] id an id.
 * @param[out] result to be freed with recallite_task_detail_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is none; RECALLITE_CORRUPT or
 *     RECALLITE_IO.
 */
recallite_status recallite_tasks_get(struct recallite_memory *memory,
                                     struct recallite_str id,
                                     struct recallite_task_detail **result,
                                     struct recallite_error **error);

/**
 * A task as it stood at a moment, by its acts up to then; absent when it was not
 * known yet.
 *
 * Growth: By the changes of the task.
 *
 * @param[in] memory the memory.
 * @param[in] id an id.
 * @param[in] at_ms the moment, in milliseconds since 1970 UTC.
 * @param[out] result to be freed with recallite_task_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is none; RECALLITE_CORRUPT or
 *     RECALLITE_IO.
 */
recallite_status recallite_tasks_get_as_of(struct recallite_memory *memory,
                                           struct recallite_str id,
                                           int64_t at_ms,
                                           struct recallite_task **result,
                                           struct recallite_error **error);

/**
 * The blocked tasks with what really stands in their way; at most limit, 1,000 by
 * default, the most urgent first.
 *
 * Growth: By result; a project is looked for in one blocked task after another.
 *
 * @param[in] memory the memory.
 * @param[in] scope which projects: one of recallite_scope.
 * @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
 * @param[in] limit a number; 0 for none.
 * @param[out] result to be freed with recallite_blocked_task_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_tasks_blocked(struct recallite_memory *memory,
                                         int32_t scope,
                                         struct recallite_str project,
                                         size_t limit,
                                         struct recallite_blocked_task_list **result,
                                         struct recallite_error **error);

/**
 * Blocked tasks whose every blocker is only a suggestion: worth asking about. At
 * most limit, 1,000 by default.
 *
 * Growth: By the blocked tasks of all projects.
 *
 * @param[in] memory the memory.
 * @param[in] scope which projects: one of recallite_scope.
 * @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
 * @param[in] limit a number; 0 for none.
 * @param[out] result to be freed with recallite_task_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_tasks_with_only_suggested_blockers(struct recallite_memory *memory,
                                                              int32_t scope,
                                                              struct recallite_str project,
                                                              size_t limit,
                                                              struct recallite_task_list **result,
                                                              struct recallite_error **error);

/**
 * Blocked tasks of which nobody said what blocks them: the library put a placeholder
 * there that is not resolved yet. At most limit, 1,000 by default.
 *
 * Growth: By the blocked tasks of all projects.
 *
 * @param[in] memory the memory.
 * @param[in] scope which projects: one of recallite_scope.
 * @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
 * @param[in] limit a number; 0 for none.
 * @param[out] result to be freed with recallite_task_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_tasks_with_placeholder_blockers(struct recallite_memory *memory,
                                                           int32_t scope,
                                                           struct recallite_str project,
                                                           size_t limit,
                                                           struct recallite_task_list **result,
                                                           struct recallite_error **error);

/**
 * What tasks wait for that is neither a task nor an artifact; at most limit of them,
 * 1,000 by default, in the order of their ids.
 *
 * Growth: By result; a project is looked for in one condition after another.
 *
 * @param[in] memory the memory.
 * @param[in] scope which projects: one of recallite_scope.
 * @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
 * @param[in] limit a number; 0 for none.
 * @param[out] result to be freed with recallite_condition_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_tasks_conditions(struct recallite_memory *memory,
                                            int32_t scope,
                                            struct recallite_str project,
                                            size_t limit,
                                            struct recallite_condition_list **result,
                                            struct recallite_error **error);

/**
 * Things elsewhere that tasks wait for: tickets, issues, addresses. They belong to
 * no project. At most limit, 1,000 by default, in the order of their ids.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 for none.
 * @param[out] result to be freed with recallite_artifact_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_tasks_artifacts(struct recallite_memory *memory,
                                           size_t limit,
                                           struct recallite_artifact_list **result,
                                           struct recallite_error **error);

/**
 * Conditions that turned out to be another entity; at most limit, 1,000 by default.
 *
 * Growth: By result; of one project, by those of every project.
 *
 * @param[in] memory the memory.
 * @param[in] scope which projects: one of recallite_scope.
 * @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
 * @param[in] limit a number; 0 for none.
 * @param[out] result to be freed with recallite_condition_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_tasks_resolved_conditions(struct recallite_memory *memory,
                                                     int32_t scope,
                                                     struct recallite_str project,
                                                     size_t limit,
                                                     struct recallite_condition_list **result,
                                                     struct recallite_error **error);

/**
 * Says that a condition is in truth another entity. Saying it twice changes nothing.
 *
 * Growth: By the tasks that wait for the condition.
 *
 * @param[in] memory the memory.
 * @param[in] condition an id.
 * @param[in] target see recallite_condition_target.
 * @param[in] resolution one of recallite_resolution_type.
 * @param[in] confidence a number.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when the condition or the target does not exist;
 *     RECALLITE_INVALID_ARGUMENT when they are the same or confidence is outside 0
 *     to 1.
 */
recallite_status recallite_tasks_resolve_condition(struct recallite_memory *memory,
                                                   struct recallite_str condition,
                                                   const struct recallite_condition_target *target,
                                                   int32_t resolution,
                                                   double confidence,
                                                   struct recallite_error **error);

/**
 * Moves a task. blocked_by says in free words what holds it up, when it is moved to
 * blocked; without it a placeholder stands there.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] task an id.
 * @param[in] to one of recallite_task_status.
 * @param[in] blocked_by texts; NULL when there are none.
 * @param[in] blocked_by_len how many.
 * @param[out] result to be freed with recallite_task_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no such task;
 *     RECALLITE_INVALID_TRANSITION when the move is not allowed;
 *     RECALLITE_INVARIANT_VIOLATION when the task would wait for itself.
 */
recallite_status recallite_tasks_change_status(struct recallite_memory *memory,
                                               struct recallite_str task,
                                               int32_t to,
                                               const struct recallite_str *blocked_by,
                                               size_t blocked_by_len,
                                               struct recallite_task **result,
                                               struct recallite_error **error);

/**
 * Gives a task another priority.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] task an id.
 * @param[in] priority one of recallite_priority.
 * @param[out] result to be freed with recallite_task_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no such task.
 */
recallite_status recallite_tasks_set_priority(struct recallite_memory *memory,
                                              struct recallite_str task,
                                              int32_t priority,
                                              struct recallite_task **result,
                                              struct recallite_error **error);

/**
 * Gives a task another title; the old one still means it.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] task an id.
 * @param[in] title UTF-8.
 * @param[out] result to be freed with recallite_task_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND; RECALLITE_INVALID_ARGUMENT naming title when it
 *     is blank, private or longer than 500 characters; RECALLITE_ALREADY_EXISTS
 *     when another task has it.
 */
recallite_status recallite_tasks_rename(struct recallite_memory *memory,
                                        struct recallite_str task,
                                        struct recallite_str title,
                                        struct recallite_task **result,
                                        struct recallite_error **error);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_forgotten_free(struct recallite_forgotten *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_erased_free(struct recallite_erased *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_compacted_free(struct recallite_compacted *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_check_report_free(struct recallite_check_report *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_rebuilt_free(struct recallite_rebuilt *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_exported_free(struct recallite_exported *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_imported_free(struct recallite_imported *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_upgraded_free(struct recallite_upgraded *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_maintained_free(struct recallite_maintained *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_processed_free(struct recallite_processed *given);

/**
 * How many live events a selector means: what recallite_forget would forget. Changes
 * nothing.
 *
 * Growth: By the rarest of the conditions.
 *
 * @param[in] memory the memory.
 * @param[in] selector see recallite_selector.
 * @param[out] result a number.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT for a selector without a condition, or an
 *     id of another project; RECALLITE_NOT_FOUND for an id that never was.
 */
recallite_status recallite_upkeep_count_selected(struct recallite_memory *memory,
                                                 const struct recallite_selector *selector,
                                                 uint64_t *result,
                                                 struct recallite_error **error);

/**
 * Forgets the events of every project that are older than their kind is kept (see
 * retention_ms). Without such a setting it does nothing. The tombstones say what
 * went.
 *
 * Growth: By what is forgotten.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_forgotten_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_forget.
 */
recallite_status recallite_upkeep_apply_retention(struct recallite_memory *memory,
                                                  struct recallite_forgotten **result,
                                                  struct recallite_error **error);

/**
 * Gives failed jobs that were tried fewer than max_retries times again another
 * attempt at once, for example after the embedder was repaired. Returns how many.
 *
 * Growth: By the jobs that failed.
 *
 * @param[in] memory the memory.
 * @param[in] max_retries a number.
 * @param[out] result a number.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_process_outbox.
 */
recallite_status recallite_upkeep_retry_outbox(struct recallite_memory *memory,
                                               uint32_t max_retries,
                                               size_t *result,
                                               struct recallite_error **error);

/**
 * A hash of all that was made from the log: the same log gives the same hash at the
 * same as_of, in every process, after every rebuild and compaction. 64 hexadecimal
 * digits.
 *
 * It covers ids, citations, dedupe keys, times, facets, names, sessions, turns,
 * tombstones, the log's counters, and all that was learned: tasks, entries, edges,
 * levels, ledgers and the endless mode. It does not cover how the search index is
 * cut into segments, jobs that wait, how often events were cited, vectors (floating
 * point), and when the last append and flush took place. Erasing changes it, because
 * the log changes.
 *
 * Growth: By store.
 *
 * @param[in] memory the memory.
 * @param[in] as_of_ms the moment, in milliseconds since 1970 UTC.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_upkeep_state_hash(struct recallite_memory *memory,
                                             int64_t as_of_ms,
                                             struct recallite_string **result,
                                             struct recallite_error **error);

/**
 * Moves the store to the newest format that this library writes. Until it is called,
 * a newer library keeps writing the store's own format, so that updating one program
 * breaks no other that shares the store.
 *
 * There is one format so far, so it changes nothing. What a store holds stays as it
 * is when a later format comes; libraries that do not know that one can no longer
 * open the store afterwards.
 *
 * Growth: Constant: there is one format.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_upgraded_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NEWER_FORMAT when the store is newer than this library;
 *     RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when it cannot be written.
 */
recallite_status recallite_upkeep_upgrade(struct recallite_memory *memory,
                                          struct recallite_upgraded **result,
                                          struct recallite_error **error);

/**
 * Sets every weight to its default.
 *
 * @param[in,out] weights begin with RECALLITE_INIT(recallite_recall_weights).
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when weights is NULL or has a wrong
 *     struct_size.
 */
recallite_status recallite_recall_weights_default(struct recallite_recall_weights *weights,
                                                  struct recallite_error **error);

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
 *     RECALLITE_NEWER_FORMAT or RECALLITE_IO, each naming the path;
 *     RECALLITE_UNSUPPORTED for fastembed or vector_graph_from in a library
 *     without it.
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
 * Events in the order of time that fit a filter, read as they are asked for.
 * Each step sees what is stored at that moment: an event that was forgotten or
 * erased before the step is not given, and one that was appended meanwhile is,
 * when its place is still ahead.
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
 * @return RECALLITE_CLOSED when the memory was closed; RECALLITE_CORRUPT or
 *     RECALLITE_IO when the event cannot be read: the cursor is at its end then.
 */
recallite_status recallite_event_cursor_next(struct recallite_event_cursor *cursor,
                                             struct recallite_event **next,
                                             struct recallite_error **error);

/** Frees a cursor. NULL and a cursor that was freed before are fine. */
void recallite_event_cursor_free(struct recallite_event_cursor *cursor);

/**
 * Shows an event where the store's page holds it: no text is copied, which counts
 * for large events and for many.
 *
 * @param[in] memory the memory.
 * @param[in] event an event id, "a7Bc3x", "mem:a7Bc3x" or "[mem:a7Bc3x]".
 * @param[in] visit called once; what it returns is not looked at.
 * @param[in] user_data given to visit.
 * @param[out] error set on failure; may be NULL.
 * @return as recallite_event_get, without having called visit.
 */
recallite_status recallite_event_visit(struct recallite_memory *memory,
                                       struct recallite_str event,
                                       recallite_event_callback visit,
                                       void *user_data,
                                       struct recallite_error **error);

/**
 * Shows the events that recallite_events would give, in the same order, each where
 * the store's page holds it. What visit forgets or erases is not shown any more; of
 * what other processes do it may learn a millisecond later.
 *
 * @param[in] memory the memory.
 * @param[in] filter which; NULL for every conversation event of the memory's
 *     project, oldest first.
 * @param[in] visit called for each event, until it returns anything else than 0.
 * @param[in] user_data given to visit.
 * @param[out] visited how many events were shown; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return as recallite_events; RECALLITE_CLOSED when the memory was closed
 *     meanwhile. What was shown before stays shown.
 */
recallite_status recallite_events_visit(struct recallite_memory *memory,
                                        const struct recallite_event_filter *filter,
                                        recallite_event_callback visit,
                                        void *user_data,
                                        uint64_t *visited,
                                        struct recallite_error **error);

/**
 * Searches, and adds the timeline around the results or their details when the
 * results are clear enough, within a token budget.
 *
 * @param[in] memory the memory.
 * @param[in] query what to look for; its filters hold, and its limit where the
 *     options have none.
 * @param[in] options how results are expanded; NULL for the defaults.
 * @param[out] result the layers, to be freed with
 *     recallite_smart_search_result_free.
 * @param[out] error set on failure; may be NULL.
 * @return as recallite_search; RECALLITE_INVALID_ARGUMENT for a limit,
 *     min_score or window out of range; RECALLITE_CALLBACK when count_tokens
 *     failed.
 */
recallite_status recallite_smart_search(struct recallite_memory *memory,
                                        const struct recallite_query *query,
                                        const struct recallite_smart_search_options *options,
                                        struct recallite_smart_search_result **result,
                                        struct recallite_error **error);

/**
 * The memories that help with a query, as text for an agent's prompt.
 *
 * The text stands in a fence that nothing inside can close: it is data, not
 * instructions. Each memory names where it came from and its citation. Nothing
 * is given when the best match is not good enough; when it is only suggested,
 * the text says so. The whole text keeps within the token budget.
 *
 * @param[in] memory the memory.
 * @param[in] query what is looked for; its filters hold, and its limit where the
 *     options have none.
 * @param[in] options what it is made for; NULL for the defaults.
 * @param[out] context the text and its memories, to be freed with
 *     recallite_context_free.
 * @param[out] error set on failure; may be NULL.
 * @return as recallite_search; RECALLITE_INVALID_ARGUMENT for a limit or
 *     min_relevance out of range or a session name that is too long;
 *     RECALLITE_CALLBACK when count_tokens failed; as recallite_append when
 *     recording at once fails.
 */
recallite_status recallite_context_get(struct recallite_memory *memory,
                                       const struct recallite_query *query,
                                       const struct recallite_context_options *options,
                                       struct recallite_context **context,
                                       struct recallite_error **error);

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

/**
 * As recallite_export_jsonl, through a callback.
 *
 * @param[in] memory the memory.
 * @param[in] write takes the bytes.
 * @param[in] user_data given to write.
 * @param[in] selector which events; NULL for the whole log.
 * @param[out] exported what was written, to be freed with
 *     recallite_exported_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CALLBACK when write failed; as recallite_export_jsonl.
 */
recallite_status recallite_export_jsonl_to(struct recallite_memory *memory,
                                           recallite_write_callback write,
                                           void *user_data,
                                           const struct recallite_selector *selector,
                                           struct recallite_exported **exported,
                                           struct recallite_error **error);

/**
 * As recallite_restore_jsonl, through a callback.
 *
 * @param[in] memory the memory.
 * @param[in] read gives the bytes.
 * @param[in] user_data given to read.
 * @param[out] events how many events there are now; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CALLBACK when read failed; as recallite_restore_jsonl.
 */
recallite_status recallite_restore_jsonl_from(struct recallite_memory *memory,
                                              recallite_read_callback read,
                                              void *user_data,
                                              uint64_t *events,
                                              struct recallite_error **error);

/**
 * As recallite_import_jsonl, through a callback.
 *
 * @param[in] memory the memory.
 * @param[in] read gives the bytes; the store is not touched before the end.
 * @param[in] user_data given to read.
 * @param[out] imported what was done, to be freed with recallite_imported_free;
 *     may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CALLBACK when read failed; as recallite_import_jsonl.
 */
recallite_status recallite_import_jsonl_from(struct recallite_memory *memory,
                                             recallite_read_callback read,
                                             void *user_data,
                                             struct recallite_imported **imported,
                                             struct recallite_error **error);

/**
 * The JSON Schema (2020-12) of an extraction, for a language model that takes
 * one.
 *
 * @return zero-terminated JSON that is valid for ever; never NULL.
 */
const char *recallite_extraction_schema(void);

/**
 * A prompt that explains to any language model what to extract and in which
 * form. Put the numbered messages of recallite_session_messages after it.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_extraction_prompt(void);

/**
 * A task, condition or artifact by its id.
 *
 * @param[in] memory the memory.
 * @param[in] id the entity.
 * @param[out] entity what it is, to be freed with recallite_entity_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no such entity; RECALLITE_CORRUPT
 *     or RECALLITE_IO when the store cannot be read.
 */
recallite_status recallite_tasks_entity(struct recallite_memory *memory,
                                        struct recallite_str id,
                                        struct recallite_entity **entity,
                                        struct recallite_error **error);

/** Frees an entity. NULL is fine. */
void recallite_entity_free(struct recallite_entity *entity);

/**
 * Makes memories of what is in the working set, whether it is due or not.
 *
 * @param[in] memory the memory.
 * @param[in] summarize puts each group of events into words; NULL for the
 *     summaries that are made by rules.
 * @param[in] user_data given to summarize.
 * @param[out] report what was done, to be freed with
 *     recallite_consolidation_report_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot
 *     be written.
 */
recallite_status recallite_endless_consolidate(struct recallite_memory *memory,
                                               recallite_summarize_callback summarize,
                                               void *user_data,
                                               struct recallite_consolidation_report **report,
                                               struct recallite_error **error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RECALLITE_H */
