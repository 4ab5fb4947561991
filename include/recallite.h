/*
 * recallite.h - the C interface of Recallite, the SQLite of agent memory.
 *
 * Generated from memory-ffi by `cargo xtask header`; do not edit.
 *
 * CONVENTIONS
 *
 * Status. A function that can fail returns a recallite_status: RECALLITE_OK (0)
 * or the reason why it failed. Its last parameter receives an error object with
 * the message; pass NULL if the status is enough. The error object is written
 * only if the call fails, and every other output only if it succeeds.
 *
 * Strings are UTF-8 views, a pointer and a length: see recallite_str. The
 * library validates what it is given and keeps no pointer to it after the call.
 *
 * Options. A struct that the program fills begins with its size. Write
 *     recallite_query query = RECALLITE_INIT(recallite_query);
 * and then set the fields you need. A field that is zero has its default, except
 * in recallite_recall_weights, which a function fills. Programs that were
 * compiled with an older header, and so with smaller structs, keep working.
 *
 * Results are structs that the library creates. The program reads them and frees
 * each with the function that its comment names. Everything inside is valid as
 * long as the result. Later versions may add fields at the end, so use results
 * only through the pointers that the library returns. Freeing NULL is allowed.
 * Freeing a result twice is undefined, as with free().
 *
 * Handles (recallite_memory, recallite_event_cursor) are looked up, not
 * followed: a NULL, freed or foreign handle is refused with
 * RECALLITE_INVALID_ARGUMENT.
 *
 * Threads. Every function can be called from every thread at any time, with the
 * same handles. A result or an error object belongs to one thread at a time.
 *
 * Callbacks receive the user_data that was passed with them. The comment of each
 * type says on which thread it is called, whether it may call the library and
 * what its return value means. None may end with an exception or longjmp.
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
 * Creates a struct of the given type with its size filled in and every other
 * field zero, which means its default.
 */
#ifdef __cplusplus
/* A program may have put extern "C" around the header. */
extern "C++" {
template <typename T> inline T recallite_initial() {
    T value = T();
    value.struct_size = sizeof(T);
    return value;
}
}
#define RECALLITE_INIT(type) recallite_initial<type>()
#else
#define RECALLITE_INIT(type) { .struct_size = sizeof(type) }
#endif


/**
 * The version of the C interface. It increases when a program that was compiled with an
 * older header could break. If the library is loaded at run time, compare it with
 * recallite_abi_version().
 */
#define RECALLITE_ABI_VERSION 0

/** The size of the text in a recallite_problem, in bytes. */
#define RECALLITE_PROBLEM_BYTES 256

/**
 * The number of items that a timeline shows before and after an event by default in the
 * other languages.
 */
#define RECALLITE_DEFAULT_WINDOW 3

/** The version of the extraction schema that this library reads. */
#define RECALLITE_EXTRACTION_SCHEMA_VERSION 1

/**
 * The kind of an error, as a stable code that never changes its meaning.
 *
 * Its word, for example "not_found", is the same in every language. Later versions
 * may add codes: treat an unknown one as a failure.
 */
enum recallite_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** The call did what it was asked. */
    RECALLITE_OK = 0,
    /** An argument is not valid for this call; the message names it. */
    RECALLITE_INVALID_ARGUMENT = 1,
    /** The event, citation, task or session does not exist here. */
    RECALLITE_NOT_FOUND = 2,
    /** Something with this name or key already exists. */
    RECALLITE_ALREADY_EXISTS = 3,
    /** Another process or thread held the store for longer than busy_timeout_ms. */
    RECALLITE_BUSY = 4,
    /** Bytes on the disk are not what was written; the message says where. */
    RECALLITE_CORRUPT = 5,
    /**
     * The operating system reported an error while reading or writing; the store can
     * still be used.
     */
    RECALLITE_IO = 6,
    /** The disk is full, or the size limit of the store was reached. */
    RECALLITE_FULL = 7,
    /**
     * Reading or writing the store's file failed, its folder was moved, removed or
     * replaced, or the process was forked. Open the store again, which repairs every
     * handle of the process if the folder is the same, and then repeat the call:
     * anything that did reach the disk is recognised as a duplicate.
     */
    RECALLITE_NEEDS_REOPEN = 8,
    /**
     * The store was written by a newer library in a format that this one cannot
     * read.
     */
    RECALLITE_NEWER_FORMAT = 9,
    /** The operating system denied access to the store's folder or files. */
    RECALLITE_PERMISSION_DENIED = 10,
    /** The handle was closed. */
    RECALLITE_CLOSED = 11,
    /**
     * The call needs a feature that was not built in, or a platform that supports
     * it.
     */
    RECALLITE_UNSUPPORTED = 12,
    /** An earlier panic made this handle unusable; reopen the store. */
    RECALLITE_POISONED = 13,
    /** The embedder failed; recall by words still works. */
    RECALLITE_EMBEDDER = 14,
    /** A task or job cannot move from its current status to the requested one. */
    RECALLITE_INVALID_TRANSITION = 15,
    /** The change would break a rule that the data must always obey. */
    RECALLITE_INVARIANT_VIOLATION = 16,
    /** A callback of the host returned an error or panicked. */
    RECALLITE_CALLBACK = 17,
    /** A defect in this library; please report it with the message. */
    RECALLITE_INTERNAL = 18,
    /**
     * The program stopped the call; what was stored before that stays, and another
     * call continues or starts over.
     */
    RECALLITE_INTERRUPTED = 19,
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
    /** Events with the same content in the same session are one event. */
    RECALLITE_DEDUPE_CONTENT = 0,
    /** Events with the same dedupe_key are one event. */
    RECALLITE_DEDUPE_KEY = 1,
    /** Every append stores a new event. */
    RECALLITE_DEDUPE_NONE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_dedupe recallite_dedupe;
#else
typedef int32_t recallite_dedupe;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** Which projects a read covers. */
enum recallite_scope
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** The project that the memory was opened for; every project if it was opened for none. */
    RECALLITE_SCOPE_OWN = 0,
    /** Every project of the store. */
    RECALLITE_SCOPE_ALL = 1,
    /** The project with the given name; the empty name means events without a project. */
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
    /** A tool call and what it returned. */
    RECALLITE_EVENT_KIND_TOOL_OBSERVATION = 4,
    /** Pipeline: the messages of a session were taken in for learning. */
    RECALLITE_EVENT_KIND_SESSION_INGESTED = 16,
    /** Pipeline: an extractor returned its result for a session. */
    RECALLITE_EVENT_KIND_MEMORY_EXTRACTED = 17,
    /** Pipeline: quotes were aligned to exact spans. */
    RECALLITE_EVENT_KIND_EVIDENCE_ALIGNED = 18,
    /** Pipeline: entries were checked against their evidence. */
    RECALLITE_EVENT_KIND_ENTRIES_CHECKED = 19,
    /** An entry was created, changed stage, or was superseded. */
    RECALLITE_EVENT_KIND_ENTRY_CHANGED = 20,
    /** A build run began, succeeded or failed. */
    RECALLITE_EVENT_KIND_BUILD_RUN = 21,
    /** A decision was recorded with its evidence. */
    RECALLITE_EVENT_KIND_DECISION_MADE = 22,
    /** Two entries were found to contradict each other, or the conflict was resolved. */
    RECALLITE_EVENT_KIND_CONFLICT_CHANGED = 23,
    /** A pipeline stage reported how long it took. */
    RECALLITE_EVENT_KIND_PIPELINE_METRIC = 24,
    /** A caller created or removed an edge. */
    RECALLITE_EVENT_KIND_EDGE_CHANGED = 25,
    /** A task was created. */
    RECALLITE_EVENT_KIND_TASK_CREATED = 32,
    /** A task changed its status. */
    RECALLITE_EVENT_KIND_TASK_STATUS_CHANGED = 33,
    /** A task's priority changed. */
    RECALLITE_EVENT_KIND_TASK_PRIORITY_CHANGED = 34,
    /** A task's blockers were replaced or suggested. */
    RECALLITE_EVENT_KIND_TASK_BLOCKERS_SET = 35,
    /** A requested status change of a task was rejected. */
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
    /** Events were recalled; recorded in batches. */
    RECALLITE_EVENT_KIND_ACCESSED = 49,
    /** Recalled text was given to an agent, with its citations. */
    RECALLITE_EVENT_KIND_INJECTED = 50,
    /** Events were forgotten (a tombstone). */
    RECALLITE_EVENT_KIND_FORGOTTEN = 51,
    /** Events were erased from the log. */
    RECALLITE_EVENT_KIND_ERASED = 52,
    /** An event moved to another memory level. */
    RECALLITE_EVENT_KIND_LEVEL_CHANGED = 53,
    /** Part of the working set was consolidated. */
    RECALLITE_EVENT_KIND_CONSOLIDATED = 54,
    /** The continuity between two contexts was scored. */
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
 * Where the text of an event came from. It lets the library recognise recalled text
 * that comes back, so that it is not learned again.
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
    /** It is recalled text that came back as an event. */
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

/** How a tool call ended. */
enum recallite_tool_outcome
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_TOOL_OUTCOME_UNSET = 0,
    /** The call succeeded. */
    RECALLITE_TOOL_OUTCOME_SUCCEEDED = 1,
    /** The call returned an error. */
    RECALLITE_TOOL_OUTCOME_FAILED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_tool_outcome recallite_tool_outcome;
#else
typedef int32_t recallite_tool_outcome;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** Why an append stored nothing although it did not fail. */
enum recallite_skip_reason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_SKIP_REASON_UNSET = 0,
    /** The tool policy excludes calls of this tool, or of all tools. */
    RECALLITE_SKIP_REASON_TOOL_EXCLUDED = 1,
    /** The call failed, and the tool policy stores only successful calls. */
    RECALLITE_SKIP_REASON_TOOL_FAILED = 2,
    /** Recording is paused for the session or the project. */
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
    /** The store; it applies to every process that opens it. */
    RECALLITE_SETTING_SOURCE_STORE = 2,
    /** The settings file. */
    RECALLITE_SETTING_SOURCE_FILE = 3,
    /**
     * The call that opened the memory: its settings, or an option that takes
     * precedence over the key.
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

/** What is paused or withheld: a session or a project. */
enum recallite_scope_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_SCOPE_KIND_UNSET = 0,
    /** One conversation. */
    RECALLITE_SCOPE_KIND_SESSION = 1,
    /** Everything in one project; the empty name means what has no project. */
    RECALLITE_SCOPE_KIND_PROJECT = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_scope_kind recallite_scope_kind;
#else
typedef int32_t recallite_scope_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** The step that found a quote. */
enum recallite_match_method
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_MATCH_METHOD_UNSET = 0,
    /** The message contains the quote literally. */
    RECALLITE_MATCH_METHOD_EXACT = 1,
    /** The message contains the quote after normalisation. */
    RECALLITE_MATCH_METHOD_NORMALIZED = 2,
    /** The message contains something similar. */
    RECALLITE_MATCH_METHOD_FUZZY = 3,
    /** The quote was not found. */
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
     * Part of the message resembles the quote (by at least 0.7), but no window
     * reaches the threshold.
     */
    RECALLITE_FAILURE_REASON_BELOW_THRESHOLD = 4,
    /** The quote fits several places and reject_ambiguous is set. */
    RECALLITE_FAILURE_REASON_AMBIGUOUS = 5,
    /**
     * Part of the message resembles the quote but says something else, and
     * same_facts is set.
     */
    RECALLITE_FAILURE_REASON_SAYS_OTHERWISE = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_failure_reason recallite_failure_reason;
#else
typedef int32_t recallite_failure_reason;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What kind of statement an entry makes. */
enum recallite_entry_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_ENTRY_TYPE_UNSET = 0,
    /** Something that is true. */
    RECALLITE_ENTRY_TYPE_FACT = 1,
    /** Something that was decided. */
    RECALLITE_ENTRY_TYPE_DECISION = 2,
    /** Something that was realised. */
    RECALLITE_ENTRY_TYPE_INSIGHT = 3,
    /** Something about a task. */
    RECALLITE_ENTRY_TYPE_TASK_NOTE = 4,
    /** Where to find something. */
    RECALLITE_ENTRY_TYPE_REFERENCE = 5,
    /** What somebody likes or wants. */
    RECALLITE_ENTRY_TYPE_PREFERENCE = 6,
    /** Something that occurs again and again. */
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

/** How well an entry is supported by evidence. */
enum recallite_stage
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_STAGE_UNSET = 0,
    /** As extracted. */
    RECALLITE_STAGE_RAW = 1,
    /** Well-formed. */
    RECALLITE_STAGE_WORKING = 2,
    /** Typed, and its quotes were searched for. */
    RECALLITE_STAGE_CANDIDATE = 3,
    /** Every quote was found in the source. */
    RECALLITE_STAGE_VERIFIED = 4,
    /** Somebody confirmed it. */
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
    /** Another entry contradicts it; it counts less. */
    RECALLITE_ENTRY_STATUS_CONTESTED = 2,
    /** It no longer counts, without a successor. */
    RECALLITE_ENTRY_STATUS_DEPRECATED = 3,
    /** Another entry replaced it. */
    RECALLITE_ENTRY_STATUS_SUPERSEDED = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_entry_status recallite_entry_status;
#else
typedef int32_t recallite_entry_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** The three kinds of things that change through events. */
enum recallite_entity_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_ENTITY_KIND_UNSET = 0,
    /** Something that has to be done. */
    RECALLITE_ENTITY_KIND_TASK = 1,
    /** Something that must become true. */
    RECALLITE_ENTITY_KIND_CONDITION = 2,
    /** Something external: a page, a ticket, an issue. */
    RECALLITE_ENTITY_KIND_ARTIFACT = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_entity_kind recallite_entity_kind;
#else
typedef int32_t recallite_entity_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What kind of artifact it is, by the pattern of its identifier. */
enum recallite_artifact_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_ARTIFACT_KIND_UNSET = 0,
    /** A web address, which starts with http:// or https:// (in lowercase). */
    RECALLITE_ARTIFACT_KIND_URL = 1,
    /** A Jira ticket such as PROJ-123: ASCII capitals, a hyphen, ASCII digits. */
    RECALLITE_ARTIFACT_KIND_JIRA = 2,
    /** A GitHub issue such as owner/repo#12, without whitespace. */
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

/** The status of a task. */
enum recallite_task_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_TASK_STATUS_UNSET = 0,
    /** Not started. */
    RECALLITE_TASK_STATUS_PENDING = 1,
    /** In progress. */
    RECALLITE_TASK_STATUS_IN_PROGRESS = 2,
    /** Blocked by at least one blocker. */
    RECALLITE_TASK_STATUS_BLOCKED = 3,
    /** Done. It can be reopened. */
    RECALLITE_TASK_STATUS_DONE = 4,
    /** Cancelled, permanently. */
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
    /** It can wait. */
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

/** How certain it is that the text of a blocker refers to its entity. */
enum recallite_blocker_confidence
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_BLOCKER_CONFIDENCE_UNSET = 0,
    /** Certain: an artifact, a task key, or a strict title match. */
    RECALLITE_BLOCKER_CONFIDENCE_HIGH = 1,
    /** Likely, but not confirmed. */
    RECALLITE_BLOCKER_CONFIDENCE_SUGGESTED = 2,
    /** Not known to refer to any task; a condition stands for the text. */
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
    /** A person confirmed it. */
    RECALLITE_RESOLUTION_TYPE_USER_CONFIRMED = 2,
    /** The library is certain of it. */
    RECALLITE_RESOLUTION_TYPE_AUTO_RESOLVED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_resolution_type recallite_resolution_type;
#else
typedef int32_t recallite_resolution_type;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What kind of node an end of an edge is. */
enum recallite_node_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_NODE_TYPE_UNSET = 0,
    /**
     * Something learned that never changes, such as a fact, a decision or an
     * insight.
     */
    RECALLITE_NODE_TYPE_ENTRY = 1,
    /** Something that changes through events: a task, a condition or an artifact. */
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

/** The meaning of an edge, read from its source to its destination. */
enum recallite_relation
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_RELATION_UNSET = 0,
    /** An entry was derived from another entry. */
    RECALLITE_RELATION_DERIVED_FROM = 1,
    /** An entry replaces another entry. */
    RECALLITE_RELATION_SUPERSEDES = 2,
    /** Two entries cannot both be true. */
    RECALLITE_RELATION_CONTRADICTS = 3,
    /** An entry proves something about an entity. */
    RECALLITE_RELATION_EVIDENCE_OF = 4,
    /** An entry mentions an entity. */
    RECALLITE_RELATION_MENTIONS = 5,
    /** A task cannot continue until an entity is done. */
    RECALLITE_RELATION_BLOCKED_BY = 6,
    /** A task may be blocked by an entity; this is not confirmed. */
    RECALLITE_RELATION_BLOCKED_BY_SUGGESTED = 7,
    /** A condition turned out to be another entity. */
    RECALLITE_RELATION_RESOLVES_TO = 8,
    /** An entity depends on another entity. */
    RECALLITE_RELATION_DEPENDS_ON = 9,
    /** An event created an entry or entity. */
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

/** The level of a memory, which rises through use. */
enum recallite_level
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_LEVEL_UNSET = 0,
    /** Stored, and not used yet. */
    RECALLITE_LEVEL_L0 = 1,
    /** Used at least once. */
    RECALLITE_LEVEL_L1 = 2,
    /** Used at least 3 times, once from another session. */
    RECALLITE_LEVEL_L2 = 3,
    /** Used at least 5 times, from two other sessions. */
    RECALLITE_LEVEL_L3 = 4,
    /** Used at least 10 times, from three other sessions. */
    RECALLITE_LEVEL_L4 = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_level recallite_level;
#else
typedef int32_t recallite_level;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** The kind of an insight. */
enum recallite_insight_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_INSIGHT_KIND_UNSET = 0,
    /** Something that occurs again and again. */
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
    /** All conversations are a single one. */
    RECALLITE_MEMORY_MODE_ENDLESS = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_memory_mode recallite_memory_mode;
#else
typedef int32_t recallite_memory_mode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How the current context relates to the previous one. */
enum recallite_transition_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_TRANSITION_TYPE_UNSET = 0,
    /** It continues the previous one. */
    RECALLITE_TRANSITION_TYPE_SEAMLESS = 1,
    /** The topic has changed to a related one. */
    RECALLITE_TRANSITION_TYPE_TOPIC_SHIFT = 2,
    /** It is something new. */
    RECALLITE_TRANSITION_TYPE_BREAK = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_transition_type recallite_transition_type;
#else
typedef int32_t recallite_transition_type;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The state of a run. Only a finished run has an end, and only a failed one has an
 * error.
 */
enum recallite_build_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_BUILD_STATUS_UNSET = 0,
    /** It is running. */
    RECALLITE_BUILD_STATUS_RUNNING = 1,
    /** It succeeded. */
    RECALLITE_BUILD_STATUS_SUCCESS = 2,
    /** It failed. */
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
    /** A language model made an extraction. */
    RECALLITE_PIPELINE_STAGE_EXTRACTION = 2,
    /** Quotes were located. */
    RECALLITE_PIPELINE_STAGE_ALIGN = 3,
    /** Entries were checked against their evidence. */
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

/** What kind of thing a decision's evidence is. */
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

/** The stages that can support a decision. */
enum recallite_proven_stage
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_PROVEN_STAGE_UNSET = 0,
    /** Every quote was found. */
    RECALLITE_PROVEN_STAGE_VERIFIED = 1,
    /** Somebody confirmed it. */
    RECALLITE_PROVEN_STAGE_CERTIFIED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_proven_stage recallite_proven_stage;
#else
typedef int32_t recallite_proven_stage;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** The answer about an uncertain memory. */
enum recallite_resolution_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_RESOLUTION_KIND_UNSET = 0,
    /** It is the other memory. */
    RECALLITE_RESOLUTION_KIND_CONFIRMED = 1,
    /** It is not the other memory. */
    RECALLITE_RESOLUTION_KIND_REJECTED = 2,
    /** Nobody has answered yet. */
    RECALLITE_RESOLUTION_KIND_PENDING = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_resolution_kind recallite_resolution_kind;
#else
typedef int32_t recallite_resolution_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How a memory should be read. */
enum recallite_effective_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_EFFECTIVE_STATUS_UNSET = 0,
    /** As another memory. */
    RECALLITE_EFFECTIVE_STATUS_RESOLVED = 1,
    /** As itself, with an open question. */
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

/** The kind of a learned item. */
enum recallite_learned_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_LEARNED_KIND_UNSET = 0,
    /** A learned entry, for example a decision, a fact or a preference. */
    RECALLITE_LEARNED_KIND_ENTRY = 1,
    /** A task. */
    RECALLITE_LEARNED_KIND_TASK = 2,
    /** An insight, found from repeated use of events. */
    RECALLITE_LEARNED_KIND_INSIGHT = 3,
    /** A consolidated memory, which summarises several events. */
    RECALLITE_LEARNED_KIND_MEMORY = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_learned_kind recallite_learned_kind;
#else
typedef int32_t recallite_learned_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** The state of a learned item. */
enum recallite_learned_state
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_LEARNED_STATE_UNSET = 0,
    /** It is valid. */
    RECALLITE_LEARNED_STATE_IN_FORCE = 1,
    /** Another entry contradicts it, and the conflict is not resolved. */
    RECALLITE_LEARNED_STATE_CONTESTED = 2,
    /** Another entry replaced it. */
    RECALLITE_LEARNED_STATE_SUPERSEDED = 3,
    /** It was taken back. */
    RECALLITE_LEARNED_STATE_DEPRECATED = 4,
    /** A task that has not been started. */
    RECALLITE_LEARNED_STATE_PENDING = 5,
    /** A task that is in progress. */
    RECALLITE_LEARNED_STATE_IN_PROGRESS = 6,
    /** A task that is blocked. */
    RECALLITE_LEARNED_STATE_BLOCKED = 7,
    /** A task that is done. */
    RECALLITE_LEARNED_STATE_DONE = 8,
    /** A task that was cancelled. */
    RECALLITE_LEARNED_STATE_CANCELLED = 9,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_learned_state recallite_learned_state;
#else
typedef int32_t recallite_learned_state;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How a match may be used. */
enum recallite_match_class
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_MATCH_CLASS_UNSET = 0,
    /** Use it without asking. */
    RECALLITE_MATCH_CLASS_HIGH = 1,
    /** Suggest it and ask. */
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
    /** Each memory is quoted, with its citation below it (the default). */
    RECALLITE_CITATION_FORMAT_INLINE = 1,
    /** Each memory is followed by [n], and the citations are listed at the end. */
    RECALLITE_CITATION_FORMAT_FOOTNOTE = 2,
    /** The memories are listed under ## Content, the citations under ## References. */
    RECALLITE_CITATION_FORMAT_REFERENCE = 3,
    /** Each memory is quoted, without citations. */
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
     * With the next append or recallite_maintain of this process, or when it closes
     * the memory (the default). The call itself writes nothing, but the record is
     * lost if the process ends before that, or drops the memory without closing it.
     */
    RECALLITE_RECORDING_LATER = 1,
    /**
     * Before the call returns. Use this in short-lived processes that append
     * nothing.
     */
    RECALLITE_RECORDING_NOW = 2,
    /** Never; usage figures do not count the injection. */
    RECALLITE_RECORDING_NEVER = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_recording recallite_recording;
#else
typedef int32_t recallite_recording;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** Why results were expanded, or why not. */
enum recallite_expansion_reason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_EXPANSION_REASON_UNSET = 0,
    /** There is only one result, with a high score. */
    RECALLITE_EXPANSION_REASON_HIGH_CONFIDENCE = 1,
    /** The query asks to see an event that it names by its citation. */
    RECALLITE_EXPANSION_REASON_USER_REQUEST = 2,
    /** The query names an event by its citation. */
    RECALLITE_EXPANSION_REASON_EXPLICIT_ID = 3,
    /** The first result is clearly better than the second. */
    RECALLITE_EXPANSION_REASON_CLEAR_WINNER = 4,
    /** Several results are good; what happened around them helps to choose. */
    RECALLITE_EXPANSION_REASON_AMBIGUOUS_RESULTS = 5,
    /** Nothing is good enough, or nothing was found. */
    RECALLITE_EXPANSION_REASON_LOW_CONFIDENCE = 6,
    /**
     * The query names a time and the results are from that time; what happened
     * around them is shown.
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

/** What the orders of a member apply to. */
enum recallite_member_role
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_MEMBER_ROLE_UNSET = 0,
    /**
     * Its orders to forget and erase apply to everything, whoever recorded it. Use
     * this for another machine of the same person.
     */
    RECALLITE_MEMBER_ROLE_OWNER = 1,
    /** Its orders apply only to what it recorded itself. */
    RECALLITE_MEMBER_ROLE_WRITER = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_member_role recallite_member_role;
#else
typedef int32_t recallite_member_role;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** The severity of a recallite_log_record, most severe first. */
enum recallite_log_level
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_LOG_LEVEL_UNSET = 0,
    /** Something was lost or cannot be used, and somebody has to act. */
    RECALLITE_LOG_LEVEL_ERROR = 1,
    /** An answer or a step was not as good as it could be. */
    RECALLITE_LOG_LEVEL_WARN = 2,
    /** What upkeep and recovery did. */
    RECALLITE_LOG_LEVEL_INFO = 3,
    /** The same, in detail. */
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
 * An operation whose time grows with what is stored, that reports its
 * recallite_progress and can be stopped.
 */
enum recallite_operation
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_OPERATION_UNSET = 0,
    /** recallite_backup; counts rows and events. */
    RECALLITE_OPERATION_BACKUP = 1,
    /** recallite_check; counts events, once for each pass over the log. */
    RECALLITE_OPERATION_CHECK = 2,
    /** recallite_compact; counts rows. */
    RECALLITE_OPERATION_COMPACT = 3,
    /**
     * recallite_erase and recallite_sharing_erase_ordered; counts rows and events,
     * once for each pass over the log.
     */
    RECALLITE_OPERATION_ERASE = 4,
    /** recallite_export_jsonl; counts events. */
    RECALLITE_OPERATION_EXPORT = 5,
    /** recallite_forget and recallite_upkeep_apply_retention; counts events. */
    RECALLITE_OPERATION_FORGET = 6,
    /**
     * recallite_import_jsonl and recallite_import_claude_code; counts events, those
     * of an export once when it is read and once when they are stored.
     */
    RECALLITE_OPERATION_IMPORT = 7,
    /** recallite_maintain; counts steps and embedding jobs. */
    RECALLITE_OPERATION_MAINTAIN = 8,
    /** recallite_process_outbox; counts jobs. */
    RECALLITE_OPERATION_PROCESS_OUTBOX = 9,
    /** recallite_rebuild; counts rows and events, once for each pass over the log. */
    RECALLITE_OPERATION_REBUILD = 10,
    /** recallite_restore_jsonl; counts events, once for each pass over the log. */
    RECALLITE_OPERATION_RESTORE = 11,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_operation recallite_operation;
#else
typedef int32_t recallite_operation;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How a private section can be written.
 *
 * Letter case does not matter. The rule recallite_remove_private_sections accepts
 * only the exact tag: <private >, a tag with attributes or a tag split over lines is
 * ordinary text. The filter in front of the store hides what nearly is a tag, too. A
 * tag closes only its own format.
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

/** What replaces a private section. */
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
    /** Nothing: the section disappears. */
    RECALLITE_MARKER_EMPTY = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_marker recallite_marker;
#else
typedef int32_t recallite_marker;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** A criterion that a memory did not meet. */
enum recallite_criterion
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_CRITERION_UNSET = 0,
    /** Too few accesses. */
    RECALLITE_CRITERION_ACCESS_COUNT = 1,
    /** Too little confidence. */
    RECALLITE_CRITERION_CONFIDENCE = 2,
    /** Too few other sessions. */
    RECALLITE_CRITERION_CROSS_SESSION_REFS = 3,
    /** It has not been used for too long. */
    RECALLITE_CRITERION_AGE = 4,
    /** Its evidence was not found in the source. */
    RECALLITE_CRITERION_EVIDENCE = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_criterion recallite_criterion;
#else
typedef int32_t recallite_criterion;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** Which cue words reveal a preference. */
enum recallite_cue_languages
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_CUE_LANGUAGES_UNSET = 0,
    /** The six English words of the specification (the default). */
    RECALLITE_CUE_LANGUAGES_ENGLISH = 1,
    /** English first, then Korean. Graduation uses both. */
    RECALLITE_CUE_LANGUAGES_ENGLISH_AND_KOREAN = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_cue_languages recallite_cue_languages;
#else
typedef int32_t recallite_cue_languages;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What is known about a memory's evidence, for the step to verified. */
enum recallite_evidence_gate
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_EVIDENCE_GATE_UNSET = 0,
    /** It claims nothing beyond itself: a raw event (the default). */
    RECALLITE_EVIDENCE_GATE_NOT_NEEDED = 1,
    /** Every quote was found. */
    RECALLITE_EVIDENCE_GATE_ALIGNED = 2,
    /** At least one quote was not found. */
    RECALLITE_EVIDENCE_GATE_FAILED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_evidence_gate recallite_evidence_gate;
#else
typedef int32_t recallite_evidence_gate;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** The outcome of a requested status change. */
enum recallite_move_outcome
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_MOVE_OUTCOME_UNSET = 0,
    /** The task already has this status. */
    RECALLITE_MOVE_OUTCOME_NO_CHANGE = 1,
    /** The change is made. */
    RECALLITE_MOVE_OUTCOME_ACCEPTED = 2,
    /** The change is rejected; the task may get another status instead. */
    RECALLITE_MOVE_OUTCOME_REJECTED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_move_outcome recallite_move_outcome;
#else
typedef int32_t recallite_move_outcome;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** Which keys of a JSON object name a secret. */
enum recallite_secret_keys
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_SECRET_KEYS_UNSET = 0,
    /**
     * Keys that contain "password", "secret", key, "token", "auth" or "credential"
     * anywhere, ignoring letter case. This is the specification's rule (the
     * default), and also matches "author", "keyboard" and "tokenizer".
     */
    RECALLITE_SECRET_KEYS_SUBSTRING = 1,
    /**
     * Keys whose words name a secret: "dbPassword", "access_token" and "apiKey", but
     * neither "author" nor max_tokens. What is stored is filtered by these.
     */
    RECALLITE_SECRET_KEYS_WORDS = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_secret_keys recallite_secret_keys;
#else
typedef int32_t recallite_secret_keys;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** How a rule that lays out texts shows what is in them. */
enum recallite_shown
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_SHOWN_UNSET = 0,
    /** As it was written, as the specification has it (the default). */
    RECALLITE_SHOWN_RAW = 1,
    /**
     * As recallite_harmless returns it. The library shows texts to agents in this
     * form.
     */
    RECALLITE_SHOWN_HARMLESS = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_shown recallite_shown;
#else
typedef int32_t recallite_shown;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** What kind of item the vector is for. */
enum recallite_item_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_ITEM_KIND_UNSET = 0,
    /** The text of a conversation event. */
    RECALLITE_ITEM_KIND_EVENT = 1,
    /** The title and content of a learned entry. */
    RECALLITE_ITEM_KIND_ENTRY = 2,
    /** The title of a task. */
    RECALLITE_ITEM_KIND_TASK_TITLE = 3,
    /** The summary of a session. */
    RECALLITE_ITEM_KIND_SESSION_SUMMARY = 4,
    /** A consolidated memory. */
    RECALLITE_ITEM_KIND_MEMORY = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_item_kind recallite_item_kind;
#else
typedef int32_t recallite_item_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/** The status of a job. */
enum recallite_job_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /** Not said: in a filter any, in options the default, in a result absent. */
    RECALLITE_JOB_STATUS_UNSET = 0,
    /** Waiting. */
    RECALLITE_JOB_STATUS_PENDING = 1,
    /** Claimed by a worker. */
    RECALLITE_JOB_STATUS_PROCESSING = 2,
    /** Finished, or skipped because the item is gone. */
    RECALLITE_JOB_STATUS_DONE = 3,
    /** Its last attempt failed. It stays failed until it is reconciled. */
    RECALLITE_JOB_STATUS_FAILED = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum recallite_job_status recallite_job_status;
#else
typedef int32_t recallite_job_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A cursor over events, which are read one after the other. Every thread can use it; each
 * event is returned to one of them.
 */
typedef struct recallite_event_cursor recallite_event_cursor;

/**
 * A memory: a searchable log of events, kept in one folder.
 *
 * Every thread can use a handle at any time, even while another thread closes or frees it.
 * Several processes can have the same folder open. After fork(), the child must open the
 * memory itself.
 */
typedef struct recallite_memory recallite_memory;

/**
 * A borrowed UTF-8 text: len bytes at ptr.
 *
 * Passed to the library, it needs no zero byte at its end; a NULL ptr means "absent" and
 * requires len 0. Returned by the library, it is followed by a zero byte, so that ptr can
 * be printed, except in a recallite_event_callback. Text may contain zero bytes itself, so
 * rely on len. A view is valid as long as the result that holds it.
 */
typedef struct recallite_str {
    /** The bytes, or NULL for absent text. */
    const char *ptr;
    /** The number of bytes. */
    size_t len;
} recallite_str;

/**
 * What went wrong. Free it with recallite_error_free.
 *
 * Functions write it only if they fail, and only if they are given a place for it. A
 * message never contains stored text or secrets.
 */
typedef struct recallite_error {
    /** The status that the call returned: one of recallite_status. */
    int32_t code;
    /** Whether the same call may succeed later without any other change. */
    bool retryable;
    /**
     * Whether the store must be opened again before anything else. After
     * RECALLITE_NEEDS_REOPEN, that repairs every handle of it. After RECALLITE_CLOSED,
     * RECALLITE_INTERNAL or RECALLITE_POISONED, it does not repair the handle, which must
     * be freed; use the new one.
     */
    bool needs_reopen;
    /** What happened and what to do next, in English. */
    struct recallite_str message;
    /**
     * The argument or field that was wrong, for example "session"; absent if the error is
     * not about one.
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
    /** The number of texts. */
    size_t len;
} recallite_string_list;

/** A tool call as it is stored: masked, truncated, and with metadata. */
typedef struct recallite_tool_record {
    /** The tool's name. */
    struct recallite_str name;
    /** The masked arguments, as JSON. */
    struct recallite_str input_json;
    /** The masked output, truncated to the limits in force when it was stored. */
    struct recallite_str output;
    /** How long the call took, in milliseconds. */
    uint64_t duration_ms;
    /** Whether duration_ms is known. */
    bool has_duration_ms;
    /** Whether the call succeeded. */
    bool success;
    /** The masked error message. */
    struct recallite_str error;
    /** Which prompt of the session caused the call, counted from 0. */
    uint32_t prompt_index;
    /** Whether prompt_index is known. */
    bool has_prompt_index;
    /** Which call of that prompt this is, counted from 0. */
    uint32_t tool_index;
    /** Whether tool_index is known. */
    bool has_tool_index;
    /** What was derived from the call (file path, exit code, …), as a JSON object. */
    struct recallite_str metadata_json;
} recallite_tool_record;

/** What the privacy filter did to one event. */
typedef struct recallite_privacy_report {
    /** The number of private sections that were removed. */
    uint32_t private_count;
    /** The number of secrets that were masked. */
    uint32_t secret_count;
    /**
     * The number of pieces of personal data that were anonymised (only with
     * anonymize).
     */
    uint32_t anonymized_count;
    /** The length of the text before filtering, in UTF-8 bytes. */
    uint64_t original_bytes;
    /** The length of the text after filtering, in UTF-8 bytes. */
    uint64_t filtered_bytes;
} recallite_privacy_report;

/**
 * An event stored in the log.
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
    /** What kind of event it is. One of recallite_event_kind. */
    int32_t kind;
    /** The session it belongs to. */
    struct recallite_str session;
    /** The project it belongs to; empty if there is none. */
    struct recallite_str project;
    /** Who said or did it. */
    struct recallite_str actor;
    /** Where the text came from. One of recallite_origin. */
    int32_t origin;
    /** When it happened. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** The complete text, after filtering. */
    struct recallite_str content;
    /** The canonical key of the text, by which repetitions are recognised. */
    struct recallite_str canonical_key;
    /** The metadata that the caller attached, as a JSON object. */
    struct recallite_str metadata_json;
    /** The tool call of a tool observation. NULL when there is none. */
    const struct recallite_tool_record *tool;
    /** What the privacy filter did when the event was stored. */
    const struct recallite_privacy_report *privacy;
} recallite_event;

/** An event next to a cited one. */
typedef struct recallite_citation_neighbour {
    /** The event's id. */
    struct recallite_str id;
    /** Its citation. */
    struct recallite_str citation;
    /** What kind of event it is. One of recallite_event_kind. */
    int32_t kind;
    /** When it happened. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** A one-line preview of at most 200 characters. */
    struct recallite_str preview;
} recallite_citation_neighbour;

/**
 * A cited event with its neighbours and how it was used.
 *
 * Free it with recallite_citation_detail_free, unless it came in another result.
 */
typedef struct recallite_citation_detail {
    /** The event. */
    const struct recallite_event *event;
    /** The previous event of its session. NULL when there is none. */
    const struct recallite_citation_neighbour *previous;
    /** The next event of its session. NULL when there is none. */
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
    /** What kind of event it is. One of recallite_event_kind. */
    int32_t kind;
    /** The session it belongs to. */
    struct recallite_str session;
    /** A one-line preview of at most 100 characters. */
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
 * The limits of the working set.
 *
 * Begin with RECALLITE_INIT(recallite_working_set_policy); a field that is zero has
 * its default.
 */
typedef struct recallite_working_set_policy {
    /** sizeof(recallite_working_set_policy). */
    size_t struct_size;
    /** The maximum number of events. Default: 100. */
    size_t max_events;
    /**
     * How long an event stays after its last use, in milliseconds. Default: 24
     * hours. By then it has lost half of its relevance.
     */
    int64_t time_window_ms;
    /**
     * The minimum relevance of an event. Less relevant events are not added, and are
     * removed early. Default: 0.5. Zero counts as given only if
     * has_min_relevance_score is set.
     */
    double min_relevance_score;
    /** Whether min_relevance_score is given, even if it is zero. */
    bool has_min_relevance_score;
} recallite_working_set_policy;

/**
 * When and how to consolidate.
 *
 * Begin with RECALLITE_INIT(recallite_consolidation_policy); a field that is zero
 * has its default.
 */
typedef struct recallite_consolidation_policy {
    /** sizeof(recallite_consolidation_policy). */
    size_t struct_size;
    /**
     * Consolidate when this much time has passed since the last time, in
     * milliseconds. Default: 1 hour. Zero counts as given only if
     * has_trigger_interval_ms is set.
     */
    int64_t trigger_interval_ms;
    /**
     * Consolidate when this many events wait for it. Default: 100. Zero counts as
     * given only if has_trigger_event_count is set.
     */
    size_t trigger_event_count;
    /**
     * Consolidate when nothing has happened for this long, in milliseconds. Default:
     * 30 minutes. Zero counts as given only if has_trigger_idle_ms is set.
     */
    int64_t trigger_idle_ms;
    /**
     * The minimum number of events on a topic; a topic with fewer waits for more.
     * Default: 10.
     */
    size_t min_events;
    /** The maximum length of a summary, in characters. Default: 1000. */
    size_t max_summary_chars;
    /**
     * Whether the working set waits for summaries that the host writes. If true, no
     * process consolidates by rules unless recallite_endless_consolidate is called
     * without them. Default: false.
     */
    bool is_left_to_host;
    /** Whether trigger_interval_ms is given, even if it is zero. */
    bool has_trigger_interval_ms;
    /** Whether trigger_event_count is given, even if it is zero. */
    bool has_trigger_event_count;
    /** Whether trigger_idle_ms is given, even if it is zero. */
    bool has_trigger_idle_ms;
} recallite_consolidation_policy;

/**
 * How much to give to an agent.
 *
 * Begin with RECALLITE_INIT(recallite_injection_policy); a field that is zero has
 * its default.
 */
typedef struct recallite_injection_policy {
    /** sizeof(recallite_injection_policy). */
    size_t struct_size;
    /**
     * The minimum relevance of an event; less relevant ones are left out. Default:
     * 0.7. Zero counts as given only if has_min_relevance is set.
     */
    double min_relevance;
    /**
     * The maximum number of events of the working set. Default: 10. Zero counts as
     * given only if has_max_events is set.
     */
    size_t max_events;
    /**
     * The maximum number of consolidated memories. Default: 3. Zero counts as given
     * only if has_max_memories is set.
     */
    size_t max_memories;
    /** Whether min_relevance is given, even if it is zero. */
    bool has_min_relevance;
    /** Whether max_events is given, even if it is zero. */
    bool has_max_events;
    /** Whether max_memories is given, even if it is zero. */
    bool has_max_memories;
} recallite_injection_policy;

/**
 * How to compare two contexts. The defaults are those of the specification, section
 * 17.
 *
 * Begin with RECALLITE_INIT(recallite_continuity_policy); a field that is zero has
 * its default.
 */
typedef struct recallite_continuity_policy {
    /** sizeof(recallite_continuity_policy). */
    size_t struct_size;
    /**
     * The weight of each shared topic, from 0 to 1. Default: 0.3. Zero counts as
     * given only if has_topic_weight is set.
     */
    double topic_weight;
    /**
     * The weight of each shared file, from 0 to 1. Default: 0.2. Zero counts as
     * given only if has_file_weight is set.
     */
    double file_weight;
    /**
     * The weight of closeness in time, from 0 to 1. Default: 0.3. Zero counts as
     * given only if has_time_weight is set.
     */
    double time_weight;
    /**
     * The weight of each shared entity, from 0 to 1. Default: 0.2. Zero counts as
     * given only if has_entity_weight is set.
     */
    double entity_weight;
    /**
     * The time after which closeness in time has fallen to 1/e, in milliseconds.
     * Default: 24 hours.
     */
    int64_t time_decay_ms;
    /**
     * The minimum score of a seamless transition, from 0 to 1. Default: 0.7. Zero
     * counts as given only if has_min_score_for_seamless is set.
     */
    double min_score_for_seamless;
    /**
     * The minimum score of a topic shift, from 0 to 1; anything lower is a break.
     * Default: 0.4. Zero counts as given only if has_min_score_for_topic_shift is
     * set.
     */
    double min_score_for_topic_shift;
    /** Whether topic_weight is given, even if it is zero. */
    bool has_topic_weight;
    /** Whether file_weight is given, even if it is zero. */
    bool has_file_weight;
    /** Whether time_weight is given, even if it is zero. */
    bool has_time_weight;
    /** Whether entity_weight is given, even if it is zero. */
    bool has_entity_weight;
    /** Whether min_score_for_seamless is given, even if it is zero. */
    bool has_min_score_for_seamless;
    /** Whether min_score_for_topic_shift is given, even if it is zero. */
    bool has_min_score_for_topic_shift;
} recallite_continuity_policy;

/**
 * The limits of the endless mode.
 *
 * Begin with RECALLITE_INIT(recallite_endless_config); a field that is zero has its
 * default. What a call gave may be changed and given, with changed copies in place
 * of the structs that it holds; free it with recallite_endless_config_free.
 */
typedef struct recallite_endless_config {
    /** sizeof(recallite_endless_config). */
    size_t struct_size;
    /** The limits of the working set. */
    const struct recallite_working_set_policy *working_set;
    /** When and how the working set is consolidated. */
    const struct recallite_consolidation_policy *consolidation;
    /** How much to give to an agent. */
    const struct recallite_injection_policy *injection;
    /** How to compare two contexts. */
    const struct recallite_continuity_policy *continuity;
} recallite_endless_config;

/** An event in the working set. */
typedef struct recallite_working_item {
    /** The id of the event. */
    struct recallite_str event_id;
    /** When it was added. In milliseconds since 1970 UTC. */
    int64_t added_ms;
    /** How much it matters, from 0 to 1. It falls from the last use on. */
    double relevance;
    /** The topics it is about. */
    const struct recallite_str *topics;
    /** How many. */
    size_t topics_len;
    /** When it expires, unless it is used again. In milliseconds since 1970 UTC. */
    int64_t expires_ms;
    /**
     * When it was last used: added to the working set, given to an agent, found by a
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

/** A memory made from events or from the summary of a session. */
typedef struct recallite_consolidated_memory {
    /** The id of the memory. */
    struct recallite_str memory_id;
    /** What happened, in words. */
    struct recallite_str summary;
    /** The topics it is about. */
    const struct recallite_str *topics;
    /** How many. */
    size_t topics_len;
    /** The ids of the events it was made from, in order of time. */
    const struct recallite_str *source_events;
    /** How many. */
    size_t source_events_len;
    /** How certain it is, from 0 to 1. */
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
    /** The id of the previous context. */
    struct recallite_str from_context_id;
    /** The id of the next context. */
    struct recallite_str to_context_id;
    /** How far the second continues the first, from 0 to 1. */
    double score;
    /** The score as a word. One of recallite_transition_type. */
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
 * How two contexts are related.
 *
 * Free it with recallite_continuity_free, unless it came in another result.
 */
typedef struct recallite_continuity {
    /** The score, from 0 to 1. */
    double score;
    /** The score as a word. One of recallite_transition_type. */
    int32_t transition;
    /**
     * Whether it should be logged, which is the case only if there was a previous
     * context.
     */
    bool is_logged;
} recallite_continuity;

/**
 * The current state of the endless mode.
 *
 * Free it with recallite_endless_status_free, unless it came in another result.
 */
typedef struct recallite_endless_status {
    /** The mode in force. One of recallite_memory_mode. */
    int32_t mode;
    /** The limits in force. */
    const struct recallite_endless_config *config;
    /** The number of events in the working set. */
    size_t working_set;
    /**
     * The id of the working set, which events of the endless mode have as
     * "workingSetId" in their metadata; absent if the mode was never on.
     */
    struct recallite_str working_set_id;
    /**
     * When an event was last added to the working set. In milliseconds since 1970
     * UTC.
     */
    int64_t last_activity_ms;
    /** Whether last_activity_ms is known. */
    bool has_last_activity;
    /** The topics of the working set, most frequent first. */
    const struct recallite_str *active_topics;
    /** How many. */
    size_t active_topics_len;
    /** The files mentioned in the last context. */
    const struct recallite_str *active_files;
    /** How many. */
    size_t active_files_len;
    /** The entities mentioned in the last context. */
    const struct recallite_str *active_entities;
    /** How many. */
    size_t active_entities_len;
    /** The average continuity of the last hour, from 0 to 1; 0.5 if none was scored. */
    double continuity_score;
    /** The number of consolidated memories. */
    uint64_t consolidated;
    /** When the last consolidation took place. In milliseconds since 1970 UTC. */
    int64_t last_consolidation_ms;
    /** Whether last_consolidation_ms is known. */
    bool has_last_consolidation;
} recallite_endless_status;

/**
 * What to give to an agent in the endless mode.
 *
 * Free it with recallite_endless_context_free, unless it came in another result.
 */
typedef struct recallite_endless_context {
    /** Events of the working set, most relevant first. */
    const struct recallite_event *const *working_set;
    /** How many. */
    size_t working_set_len;
    /** Consolidated memories, highest confidence first. */
    const struct recallite_consolidated_memory *const *consolidated;
    /** How many. */
    size_t consolidated_len;
    /** The average continuity of the last hour, from 0 to 1; 0.5 if none was scored. */
    double continuity_score;
} recallite_endless_context;

/** A task that a condition may refer to. */
typedef struct recallite_task_candidate {
    /** The id of the task. */
    struct recallite_str entity_id;
    /** Its title when it was suggested. */
    struct recallite_str title;
    /** How well it matches, from 0 to 1. */
    double score;
} recallite_task_candidate;

/** A reference to something that blocks a task. */
typedef struct recallite_blocker_ref {
    /** What kind of entity it is. One of recallite_entity_kind. */
    int32_t kind;
    /** The id of the entity. */
    struct recallite_str entity_id;
    /** The words that named it. */
    struct recallite_str raw_text;
    /** How certain the reading is. One of recallite_blocker_confidence. */
    int32_t confidence;
    /**
     * Tasks that the words may refer to, if the confidence is
     * RECALLITE_BLOCKER_CONFIDENCE_NONE.
     */
    const struct recallite_task_candidate *const *candidates;
    /** How many. */
    size_t candidates_len;
} recallite_blocker_ref;

/**
 * A task, as its events made it.
 *
 * Free it with recallite_task_free, unless it came in another result.
 */
typedef struct recallite_task {
    /** The id of the task. */
    struct recallite_str id;
    /** The project it belongs to. */
    struct recallite_str project;
    /** task:{project}:{title}, with the current title. */
    struct recallite_str canonical_key;
    /** The title of the task. */
    struct recallite_str title;
    /** A longer description. */
    struct recallite_str description;
    /** How urgent it is. One of recallite_priority. */
    int32_t priority;
    /** The status of the task. One of recallite_task_status. */
    int32_t status;
    /** The confirmed blockers; empty unless the task is blocked. */
    const struct recallite_blocker_ref *const *blockers;
    /** How many. */
    size_t blockers_len;
    /**
     * The blockers that were suggested without evidence; empty if the task is
     * finished.
     */
    const struct recallite_blocker_ref *const *suggested_blockers;
    /** How many. */
    size_t suggested_blockers_len;
    /** When it was first mentioned. In milliseconds since 1970 UTC. */
    int64_t created_ms;
    /** When it last changed. In milliseconds since 1970 UTC. */
    int64_t updated_ms;
} recallite_task;

/** A reference to a task, condition or artifact. */
typedef struct recallite_entity_ref {
    /** What it is. One of recallite_entity_kind. */
    int32_t kind;
    /** The id of the entity. */
    struct recallite_str id;
} recallite_entity_ref;

/** Something that must become true before a task can continue. */
typedef struct recallite_condition {
    /** The id of the condition. */
    struct recallite_str id;
    /** The project it belongs to. */
    struct recallite_str project;
    /** cond:{project}:{text}. */
    struct recallite_str canonical_key;
    /** The text of the condition. */
    struct recallite_str text;
    /** Tasks that it may refer to, best first. */
    const struct recallite_task_candidate *const *candidates;
    /** How many. */
    size_t candidates_len;
    /** True if the library created it for an unnamed blocker. */
    bool auto_placeholder;
    /** The entity it turned out to be. NULL when there is none. */
    const struct recallite_entity_ref *resolved_to;
    /** When it was declared. In milliseconds since 1970 UTC. */
    int64_t created_ms;
    /** When it last changed. In milliseconds since 1970 UTC. */
    int64_t updated_ms;
} recallite_condition;

/** Something external that a task waits for. */
typedef struct recallite_artifact {
    /** The id of the artifact. */
    struct recallite_str id;
    /** art:{type}:{identifier}. */
    struct recallite_str canonical_key;
    /** What it is. One of recallite_artifact_kind. */
    int32_t kind;
    /** The address, ticket or issue, as it was written. */
    struct recallite_str identifier;
    /** When it was declared. In milliseconds since 1970 UTC. */
    int64_t created_ms;
} recallite_artifact;

/**
 * A task, condition or artifact.
 *
 * Free it with recallite_entity_free, unless it came in another result.
 */
typedef struct recallite_entity {
    /** Which of them it is. One of recallite_entity_kind. */
    int32_t kind;
    /** The task, if it is one. NULL when there is none. */
    const struct recallite_task *task;
    /** The condition, if it is one. NULL when there is none. */
    const struct recallite_condition *condition;
    /** The artifact, if it is one. NULL when there is none. */
    const struct recallite_artifact *artifact;
} recallite_entity;

/** The tools of a run, which help to explain later why its results differ. */
typedef struct recallite_build_tools {
    /** The language model that made the extraction. */
    struct recallite_str extractor_model;
    /** The hash of the model's prompt. */
    struct recallite_str extractor_prompt_hash;
    /** The embedder that made the vectors. */
    struct recallite_str embedder_model;
    /** The embedder's fingerprint. */
    struct recallite_str embedding_version;
    /** The version of what checks entries. */
    struct recallite_str checker_version;
    /** The version of the extraction schema. */
    struct recallite_str schema_version;
} recallite_build_tools;

/** One run of the pipeline. */
typedef struct recallite_build_run {
    /** The id of the run, which everything it creates carries. */
    struct recallite_str build_id;
    /** When it began. In milliseconds since 1970 UTC. */
    int64_t started_ms;
    /** The tools it used. */
    const struct recallite_build_tools *tools;
    /** The state of the run. One of recallite_build_status. */
    int32_t status;
    /** When it ended; absent while it is running. In milliseconds since 1970 UTC. */
    int64_t finished_ms;
    /** Whether finished_ms is known. */
    bool has_finished;
    /** What went wrong; only a failed run has this. */
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
    /** The stage of the pipeline. One of recallite_pipeline_stage. */
    int32_t stage;
    /** When it ended. In milliseconds since 1970 UTC. */
    int64_t at_ms;
    /** How long it took, in milliseconds. */
    double latency_ms;
    /** What went wrong; absent if it succeeded. */
    struct recallite_str error;
    /** The session it was for. */
    struct recallite_str session;
} recallite_pipeline_metric;

/** Several of recallite_pipeline_metric. Free it with recallite_pipeline_metric_list_free. */
typedef struct recallite_pipeline_metric_list {
    /** Pointers to them. */
    const struct recallite_pipeline_metric *const *items;
    /** How many. */
    size_t len;
} recallite_pipeline_metric_list;

/** The promotion of an entry, or its refusal. */
typedef struct recallite_promotion_record {
    /** The id of the entry. */
    struct recallite_str entry_id;
    /** The stage it had. One of recallite_stage. */
    int32_t from_stage;
    /** The stage it was promoted to, or would have been. One of recallite_stage. */
    int32_t to_stage;
    /** Whether it was refused. */
    bool is_blocked;
    /** Why it was promoted or refused. */
    struct recallite_str reason;
    /** The run that it belongs to. */
    struct recallite_str build_id;
    /** When this happened. In milliseconds since 1970 UTC. */
    int64_t at_ms;
} recallite_promotion_record;

/** Several of recallite_promotion_record. Free it with recallite_promotion_record_list_free. */
typedef struct recallite_promotion_record_list {
    /** Pointers to them. */
    const struct recallite_promotion_record *const *items;
    /** How many. */
    size_t len;
} recallite_promotion_record_list;

/** One piece of evidence for a decision. It must be of a proven stage. */
typedef struct recallite_decision_evidence {
    /** What kind of thing it is. One of recallite_evidence_kind. */
    int32_t kind;
    /** The id of the entry or entity. */
    struct recallite_str evidence_id;
    /**
     * How well it was supported when the decision was made. One of
     * recallite_proven_stage.
     */
    int32_t stage;
    /** Its role in the decision, for example "supports". */
    struct recallite_str role;
    /** When it became known. In milliseconds since 1970 UTC. */
    int64_t known_ms;
} recallite_decision_evidence;

/** Something that was decided, and the evidence for it. */
typedef struct recallite_decision {
    /** The id of the decision. */
    struct recallite_str decision_id;
    /** When it was made. In milliseconds since 1970 UTC. */
    int64_t decided_ms;
    /** Who made it. */
    struct recallite_str actor;
    /** What was decided. */
    struct recallite_str action;
    /** The result of the decision. As JSON. */
    struct recallite_str outcome_json;
    /** How certain it is, from 0 to 1. */
    double confidence;
    /** Whether confidence is known. */
    bool has_confidence;
    /** The run that it belongs to. */
    struct recallite_str build_id;
    /** The evidence for it. */
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
 * One piece of evidence for a decision. It must be of a proven stage.
 *
 * Begin with RECALLITE_INIT(recallite_new_evidence) and give kind, evidence_id,
 * stage, known_ms; another field that is zero has its default.
 */
typedef struct recallite_new_evidence {
    /** sizeof(recallite_new_evidence). */
    size_t struct_size;
    /** What kind of thing it is. One of recallite_evidence_kind. */
    int32_t kind;
    /** The id of the entry or entity. */
    struct recallite_str evidence_id;
    /**
     * How well it was supported when the decision was made. One of
     * recallite_proven_stage.
     */
    int32_t stage;
    /** Its role in the decision, for example "supports". */
    struct recallite_str role;
    /** When it became known. In milliseconds since 1970 UTC. */
    int64_t known_ms;
} recallite_new_evidence;

/**
 * Something that was decided, and the evidence for it.
 *
 * Begin with RECALLITE_INIT(recallite_new_decision) and give decision_id,
 * decided_ms, actor, action; another field that is zero has its default.
 */
typedef struct recallite_new_decision {
    /** sizeof(recallite_new_decision). */
    size_t struct_size;
    /** The id of the decision. */
    struct recallite_str decision_id;
    /** When it was made. In milliseconds since 1970 UTC. */
    int64_t decided_ms;
    /** Who made it. */
    struct recallite_str actor;
    /** What was decided. */
    struct recallite_str action;
    /** The result of the decision. As JSON. */
    struct recallite_str outcome_json;
    /**
     * How certain it is, from 0 to 1. Zero counts as given only if has_confidence is
     * set.
     */
    double confidence;
    /** The run that it belongs to. */
    struct recallite_str build_id;
    /** The evidence for it. */
    const struct recallite_new_evidence *evidence;
    /** How many. */
    size_t evidence_len;
    /** Whether confidence is given, even if it is zero. */
    bool has_confidence;
} recallite_new_decision;

/**
 * Selects the edges at a node.
 *
 * Begin with RECALLITE_INIT(recallite_edge_filter); a field that is zero has its
 * default.
 */
typedef struct recallite_edge_filter {
    /** sizeof(recallite_edge_filter). */
    size_t struct_size;
    /** The node that the edges start at. Give exactly one of from and to. */
    struct recallite_str from;
    /** The node that the edges lead to. */
    struct recallite_str to;
    /** Keeps only edges of this relation. One of recallite_relation. */
    int32_t relation;
    /**
     * Returns the edges as they were at this moment. Default: now. In milliseconds
     * since 1970 UTC. Zero counts as given only if has_as_of is set.
     */
    int64_t as_of_ms;
    /**
     * The maximum number of edges to return. Default: 1,000. Zero counts as given
     * only if has_limit is set.
     */
    size_t limit;
    /** Whether as_of_ms is given, even if it is zero. */
    bool has_as_of;
    /** Whether limit is given, even if it is zero. */
    bool has_limit;
} recallite_edge_filter;

/**
 * An edge of the graph, and when it existed.
 *
 * Free it with recallite_edge_free, unless it came in another result.
 */
typedef struct recallite_edge {
    /** The id of the edge; the same ends always give the same id. */
    struct recallite_str id;
    /** What kind of node it starts at. One of recallite_node_type. */
    int32_t source_type;
    /** The id of the entry, entity or event that it starts at. */
    struct recallite_str source_id;
    /** The meaning of the edge. One of recallite_relation. */
    int32_t relation;
    /** What kind of node it leads to. One of recallite_node_type. */
    int32_t destination_type;
    /** The id of the entry or entity that it leads to. */
    struct recallite_str destination_id;
    /** Additional information about it, as a JSON object. */
    struct recallite_str meta_json;
    /** When it was added. In milliseconds since 1970 UTC. */
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
 * The ends of an edge. No two live edges have the same ends.
 *
 * Begin with RECALLITE_INIT(recallite_edge_ends) and give source_type, source_id,
 * relation, destination_type, destination_id; another field that is zero has its
 * default.
 */
typedef struct recallite_edge_ends {
    /** sizeof(recallite_edge_ends). */
    size_t struct_size;
    /** What kind of node it starts at. One of recallite_node_type. */
    int32_t source_type;
    /** The id of the entry, entity or event that it starts at. */
    struct recallite_str source_id;
    /** The meaning of the edge. One of recallite_relation. */
    int32_t relation;
    /** What kind of node it leads to. One of recallite_node_type. */
    int32_t destination_type;
    /** The id of the entry or entity that it leads to. */
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
    /** What kind of node it is. One of recallite_node_type. */
    int32_t node_type;
    /** The id of the entry, entity or event. */
    struct recallite_str id;
} recallite_graph_node;

/**
 * How many edges a replacement changed.
 *
 * Free it with recallite_replaced_edges_free, unless it came in another result.
 */
typedef struct recallite_replaced_edges {
    /** The number of edges that were removed. */
    size_t removed;
    /** The number of edges that were added. */
    size_t added;
} recallite_replaced_edges;

/** One entry of the versions that recallite_knowledge_lineage returns. */
typedef struct recallite_lineage_step {
    /** The id of the entry. */
    struct recallite_str entry_id;
    /** The entry that it was derived from; absent for the starting entry. */
    struct recallite_str derived_from;
    /** The number of derivations between it and the starting entry, at most 10. */
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
    /** The id of the entry. */
    struct recallite_str entry_id;
    /** The entities that both entries prove something about. */
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
 * Selects learned entries. An entry must match every field that is set.
 *
 * Begin with RECALLITE_INIT(recallite_entry_filter); a field that is zero has its
 * default.
 */
typedef struct recallite_entry_filter {
    /** sizeof(recallite_entry_filter). */
    size_t struct_size;
    /** Keeps only entries of these projects. One of recallite_scope. */
    int32_t scope;
    /** The project for RECALLITE_SCOPE_NAMED; absent otherwise. */
    struct recallite_str project;
    /** Keeps only entries of this type. One of recallite_entry_type. */
    int32_t entry_type;
    /** Keeps only entries of at least this stage. One of recallite_stage. */
    int32_t min_stage;
    /**
     * Keeps only entries with this status: "active", "contested", "deprecated" or
     * "superseded". One of recallite_entry_status.
     */
    int32_t status;
    /** Keeps only entries that were learned from this session. */
    struct recallite_str session;
    /**
     * Keeps only entries that were valid at this moment, whatever happened to them
     * later and whenever they were said. recallite_search with as_of_ms also asks
     * whether they had been said by then. In milliseconds since 1970 UTC. Zero
     * counts as given only if has_as_of is set.
     */
    int64_t as_of_ms;
    /**
     * Keeps only entries with this text in the title or content, ignoring letter
     * case.
     */
    struct recallite_str text;
    /** Skips this many entries, to page through a list. Default: 0. */
    size_t offset;
    /**
     * The maximum number of entries to return. Default: 1,000. Zero counts as given
     * only if has_limit is set.
     */
    size_t limit;
    /**
     * Keeps only entries whose quoted events are all there, as searches do: leaves
     * out what was learned from events that are forgotten now. Set this for lists
     * that you give to a model. Default: false. recallite_knowledge_search always
     * does this.
     */
    bool is_live;
    /** Whether as_of_ms is given, even if it is zero. */
    bool has_as_of;
    /** Whether limit is given, even if it is zero. */
    bool has_limit;
} recallite_entry_filter;

/**
 * Where a quote was found in the source, without its text. In Rust and C, its
 * beginning and end are offsets in bytes of UTF-8.
 */
typedef struct recallite_evidence_span {
    /** The index of the message in the session, counted from 0. */
    uint32_t message_index;
    /** The hash of the quote as it was given, keyed with a secret of the store. */
    struct recallite_str quote_hash;
    /** Where the quote begins in the message. */
    size_t start;
    /** Where the quote ends, exclusive. */
    size_t end;
    /** How certain the match is, from 0 to 1. */
    double confidence;
    /**
     * How it was found; never RECALLITE_MATCH_METHOD_NONE. One of
     * recallite_match_method.
     */
    int32_t method;
    /** The id of the event that contains the message, if it is known. */
    struct recallite_str event_id;
} recallite_evidence_span;

/** A quote that was not found, without its text. */
typedef struct recallite_missing_quote {
    /** The index of the message in the session, counted from 0. */
    uint32_t message_index;
    /** The hash of the quote as it was given, keyed with a secret of the store. */
    struct recallite_str quote_hash;
    /** Why it was not found, for example "not_found". */
    struct recallite_str reason;
} recallite_missing_quote;

/** The result of searching for an entry's quotes. */
typedef struct recallite_evidence_report {
    /** The quotes that were found. */
    const struct recallite_evidence_span *const *aligned;
    /** How many. */
    size_t aligned_len;
    /** The quotes that were not found. */
    const struct recallite_missing_quote *const *failed;
    /** How many. */
    size_t failed_len;
    /** Whether every quote was found; true if there was none. */
    bool is_aligned;
} recallite_evidence_report;

/**
 * An entry as it is stored.
 *
 * Free it with recallite_learned_entry_free, unless it came in another result.
 */
typedef struct recallite_learned_entry {
    /** The id of the entry. */
    struct recallite_str id;
    /** What kind of statement it makes. One of recallite_entry_type. */
    int32_t entry_type;
    /** A one-line title. */
    struct recallite_str title;
    /** How well it is supported by evidence. One of recallite_stage. */
    int32_t stage;
    /**
     * The result of searching for its quotes; absent before that was done. NULL when
     * there is none.
     */
    const struct recallite_evidence_report *evidence;
    /** Who confirmed it. */
    struct recallite_str certified_by;
    /** Whether it counts. One of recallite_entry_status. */
    int32_t status;
    /** The entries that contradict it. */
    const struct recallite_str *contested_with;
    /** How many. */
    size_t contested_with_len;
    /** The entry that replaced it. */
    struct recallite_str superseded_by;
    /**
     * The moment from which it is valid; absent means it has always been. In
     * milliseconds since 1970 UTC.
     */
    int64_t valid_from_ms;
    /** Whether valid_from_ms is known. */
    bool has_valid_from;
    /**
     * The moment until which it is valid, exclusive; absent means that no end is
     * known. In milliseconds since 1970 UTC.
     */
    int64_t valid_to_ms;
    /** Whether valid_to_ms is known. */
    bool has_valid_to;
    /** The full text. */
    struct recallite_str content;
    /** The canonical key of its title. */
    struct recallite_str canonical_key;
    /** The project it belongs to; empty if there is none. */
    struct recallite_str project;
    /** The session it was learned from. */
    struct recallite_str session;
    /** Its id within the extraction. */
    struct recallite_str local_id;
    /** How clearly it was stated, from 0 to 1, in the extractor's judgement. */
    double confidence;
    /** Whether confidence is known. */
    bool has_confidence;
    /** The run that created it. */
    struct recallite_str build_id;
    /** When it was learned. In milliseconds since 1970 UTC. */
    int64_t created_ms;
    /** The position of the event that created it. */
    uint64_t seq;
    /** The id of that event. */
    struct recallite_str event_id;
} recallite_learned_entry;

/** An entry found by a search. */
typedef struct recallite_entry_hit {
    /** The entry. */
    const struct recallite_learned_entry *entry;
    /**
     * How much of the question it covers, from 0 to 1. For a contested entry this is
     * multiplied by 0.7.
     */
    double score;
    /** The entry that the words were found in, if it was confirmed to mean this one. */
    struct recallite_str resolved_from;
} recallite_entry_hit;

/** Several of recallite_entry_hit. Free it with recallite_entry_hit_list_free. */
typedef struct recallite_entry_hit_list {
    /** Pointers to them. */
    const struct recallite_entry_hit *const *items;
    /** How many. */
    size_t len;
} recallite_entry_hit_list;

/** How a conflict was resolved. */
typedef struct recallite_conflict_resolution {
    /** When it was resolved. In milliseconds since 1970 UTC. */
    int64_t resolved_ms;
    /** What was found. */
    struct recallite_str resolution;
    /** Who resolved it. */
    struct recallite_str resolved_by;
} recallite_conflict_resolution;

/**
 * Two entries that contradict each other.
 *
 * Free it with recallite_conflict_free, unless it came in another result.
 */
typedef struct recallite_conflict {
    /** The id of the conflict. */
    struct recallite_str conflict_id;
    /** The entry that was there first. */
    struct recallite_str older_id;
    /** The entry that contradicts it. */
    struct recallite_str newer_id;
    /** The kind of conflict, for example "contradicts". */
    struct recallite_str conflict_type;
    /** Why this is believed. */
    struct recallite_str reason;
    /** When it was found. In milliseconds since 1970 UTC. */
    int64_t detected_ms;
    /** How it was resolved, once it has been. NULL when there is none. */
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
 * An answer about an uncertain memory.
 *
 * Begin with RECALLITE_INIT(recallite_memory_answer) and give kind, confidence;
 * another field that is zero has its default.
 */
typedef struct recallite_memory_answer {
    /** sizeof(recallite_memory_answer). */
    size_t struct_size;
    /** The kind of answer. One of recallite_resolution_kind. */
    int32_t kind;
    /** What the memory means; required if it is confirmed. */
    struct recallite_str resolved_to;
    /** How certain the answer is, from 0 to 1. */
    double confidence;
} recallite_memory_answer;

/**
 * A marker for an event whose context was incomplete when it was stored, to be
 * resolved later.
 */
typedef struct recallite_placeholder {
    /** The id of the placeholder. */
    struct recallite_str id;
    /** The event that lacks context. */
    struct recallite_str event_id;
    /** When it was created. In milliseconds since 1970 UTC. */
    int64_t created_ms;
} recallite_placeholder;

/** Several of recallite_placeholder. Free it with recallite_placeholder_list_free. */
typedef struct recallite_placeholder_list {
    /** Pointers to them. */
    const struct recallite_placeholder *const *items;
    /** How many. */
    size_t len;
} recallite_placeholder_list;

/** A recorded answer about what an uncertain memory means. */
typedef struct recallite_memory_resolution {
    /** The uncertain memory. */
    struct recallite_str condition_id;
    /** What it may mean. */
    struct recallite_str resolved_to;
    /** The kind of answer. One of recallite_resolution_kind. */
    int32_t kind;
    /** How certain the answer is, from 0 to 1. */
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
    /** How it was determined. One of recallite_effective_status. */
    int32_t status;
    /** Its title, if it is an entry, a task, a condition or an artifact. */
    struct recallite_str title;
    /**
     * Its full text (the content of an event or an entry, or the description of a
     * task); absent if there is no such memory or it is a forgotten event. What was
     * learned from a forgotten event is given until it is erased, as listings do.
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
 * An entry that a person or a program adds without an extraction.
 *
 * Begin with RECALLITE_INIT(recallite_new_entry) and give entry_type, session,
 * title, content; another field that is zero has its default.
 */
typedef struct recallite_new_entry {
    /** sizeof(recallite_new_entry). */
    size_t struct_size;
    /** What kind of statement it makes. One of recallite_entry_type. */
    int32_t entry_type;
    /** The session it belongs to. */
    struct recallite_str session;
    /** A one-line title of at most 500 characters. */
    struct recallite_str title;
    /** The full text, at most 20,000 characters. */
    struct recallite_str content;
    /**
     * The project it belongs to. Default: that of the session, otherwise that of the
     * memory.
     */
    struct recallite_str project;
    /** The moment from which it is valid. In milliseconds since 1970 UTC; 0 for none. */
    int64_t valid_from_ms;
    /**
     * The moment until which it is valid. In milliseconds since 1970 UTC; 0 for
     * none.
     */
    int64_t valid_to_ms;
    /**
     * The event of the session that proves it. Default: the content is stored as an
     * event of its own, said by the user, of the kind "session_summary": it is not a
     * turn of the conversation. Whatever forgets that kind, such as a retention
     * rule, also forgets the entry.
     */
    struct recallite_str event;
} recallite_new_entry;

/** A message of a session, with the number by which quotes refer to it. */
typedef struct recallite_session_message {
    /**
     * The number of the message, counted from 0 over the session's prompts and
     * responses.
     */
    size_t index;
    /** The prompt or response; absent if it was forgotten. NULL when there is none. */
    const struct recallite_event *event;
} recallite_session_message;

/** Several of recallite_session_message. Free it with recallite_session_message_list_free. */
typedef struct recallite_session_message_list {
    /** Pointers to them. */
    const struct recallite_session_message *const *items;
    /** How many. */
    size_t len;
} recallite_session_message_list;

/**
 * What to give to a language model so that it extracts what a session taught, and
 * what to pass with its answer to recallite_ingest.
 *
 * Free it with recallite_extraction_request_free, unless it came in another result.
 */
typedef struct recallite_extraction_request {
    /** The session. */
    struct recallite_str session;
    /**
     * The prompt: the task, what is already known, and the numbered messages. Empty
     * if a model has read every message of the session. The texts are fenced: they
     * are data.
     */
    struct recallite_str prompt;
    /**
     * The JSON Schema of the answer, as text: the same as
     * recallite_extraction_schema(), for models that accept one alongside the
     * prompt. Empty if the prompt is.
     */
    struct recallite_str schema;
    /**
     * The messages in the prompt, in the order of their numbers. Pass them as the
     * messages of the options when you ingest the answer.
     */
    const struct recallite_str *messages;
    /** How many. */
    size_t messages_len;
    /** The estimated number of tokens in the prompt. */
    size_t tokens;
    /**
     * Whether more messages remain for another request once this answer has been
     * ingested: a request has a budget, and the messages of one project.
     */
    bool has_more;
} recallite_extraction_request;

/**
 * How to resolve a conflict. The texts pass through the privacy filter.
 *
 * Begin with RECALLITE_INIT(recallite_conflict_verdict) and give in_favour_of,
 * resolution, resolved_by; another field that is zero has its default.
 */
typedef struct recallite_conflict_verdict {
    /** sizeof(recallite_conflict_verdict). */
    size_t struct_size;
    /** The entry that is right; the other one is deprecated. */
    struct recallite_str in_favour_of;
    /** What was found. */
    struct recallite_str resolution;
    /** Who resolved it. */
    struct recallite_str resolved_by;
} recallite_conflict_verdict;

/** A half-open range: it includes start and excludes end. */
typedef struct recallite_span {
    /** The first position inside the range. */
    size_t start;
    /** The first position after the range. */
    size_t end;
} recallite_span;

/** A part of a text, counted in three units; all three cover the same characters. */
typedef struct recallite_quote_span {
    /** The range in bytes of UTF-8 (C, C++, Rust). */
    struct recallite_span bytes;
    /** The range in UTF-16 code units (JavaScript, Java, Windows). */
    struct recallite_span utf16;
    /** The range in Unicode code points (Python). */
    struct recallite_span chars;
} recallite_quote_span;

/** A claim that the source supports. */
typedef struct recallite_aligned_claim {
    /** The index of the claim in the given list. */
    size_t claim_index;
    /** Where the source supports it, in the source as given. */
    struct recallite_quote_span span;
    /**
     * RECALLITE_MATCH_METHOD_EXACT if the normalised source contains the normalised
     * claim, RECALLITE_MATCH_METHOD_FUZZY if it contains its words. One of
     * recallite_match_method.
     */
    int32_t match_method;
    /** The confidence: 1.0 for exact, otherwise the Jaccard index of the words. */
    double confidence;
} recallite_aligned_claim;

/**
 * The result for a list of claims.
 *
 * Free it with recallite_claims_alignment_free, unless it came in another result.
 */
typedef struct recallite_claims_alignment {
    /** Whether at most two claims are missing. */
    bool is_aligned;
    /**
     * The number of aligned claims divided by the number of given claims, including
     * skipped ones; 1.0 if there are none.
     */
    double confidence;
    /** The supported claims, in the given order. */
    const struct recallite_aligned_claim *const *aligned;
    /** How many. */
    size_t aligned_len;
    /** The claims without support, by their index in the given list. */
    const size_t *missing;
    /** How many. */
    size_t missing_len;
} recallite_claims_alignment;

/** The result for one quote. */
typedef struct recallite_alignment {
    /** The index of the message it was claimed to come from, as it was given. */
    int64_t message_index;
    /** The quote as it was given. */
    struct recallite_str quote;
    /** BLAKE3 of the quote as it was given, 64 hexadecimal digits. */
    struct recallite_str quote_hash;
    /**
     * Where it was found in the message, without surrounding whitespace unless the
     * quote has it and matches exactly. All zero when there is none.
     */
    struct recallite_quote_span span;
    /** The text of the message that it matches. */
    struct recallite_str matched_text;
    /** The step that found it. One of recallite_match_method. */
    int32_t match_method;
    /**
     * The confidence, from 0 to 1: exact 1.0, normalized 0.95, fuzzy below that; 0
     * if it was not found.
     */
    double confidence;
    /** Whether other places fit equally well by the same step; the first is used. */
    bool ambiguous;
    /**
     * The number of other places that fit. Exact and normalized count every
     * position; fuzzy counts windows that do not overlap.
     */
    size_t alternative_count;
    /** Why it was not found. One of recallite_failure_reason. */
    int32_t reason;
    /** Whether the quote was found. */
    bool is_aligned;
} recallite_alignment;

/**
 * The result for several quotes.
 *
 * Free it with recallite_alignment_report_free, unless it came in another result.
 */
typedef struct recallite_alignment_report {
    /**
     * Whether every quote was aligned; true if there are none. Only then can the
     * entry be promoted to verified.
     */
    bool evidence_aligned;
    /** One result per quote, in the order given. */
    const struct recallite_alignment *const *results;
    /** How many. */
    size_t results_len;
    /** The number of quotes that were aligned. */
    size_t aligned_count;
    /** The number of quotes that were not aligned. */
    size_t failed_count;
} recallite_alignment_report;

/** The result for one entry. */
typedef struct recallite_ingested_entry {
    /** Its id in the extraction. */
    struct recallite_str local_id;
    /** Its id in the store. */
    struct recallite_str entry_id;
    /** Whether this call added it to the store. */
    bool is_new;
    /** The stage that its evidence supports. One of recallite_stage. */
    int32_t stage;
    /** Where its quotes were found, and which were not found. */
    const struct recallite_evidence_report *evidence;
} recallite_ingested_entry;

/** The result for one task. */
typedef struct recallite_ingested_task {
    /** Its id in the extraction. */
    struct recallite_str local_id;
    /** The task that it refers to. */
    struct recallite_str task_id;
    /** Whether this call created the task. */
    bool is_new;
    /**
     * Its status now. A task that an answer reports as done before it was begun is
     * "in_progress". One of recallite_task_status.
     */
    int32_t status;
    /** The number of events that were recorded about the task and its blockers. */
    size_t acts;
    /** Where its quotes were found, and which were not found. */
    const struct recallite_evidence_report *evidence;
} recallite_ingested_task;

/**
 * The result of recallite_ingest.
 *
 * Free it with recallite_ingest_report_free, unless it came in another result.
 */
typedef struct recallite_ingest_report {
    /** The id of the run in the ledger. */
    struct recallite_str build_id;
    /** The session. */
    struct recallite_str session;
    /** True if the same extraction was ingested before; nothing was written. */
    bool already_ingested;
    /** The results for the entries, in the order of the extraction. */
    const struct recallite_ingested_entry *const *entries;
    /** How many. */
    size_t entries_len;
    /** The results for the tasks, in the order of the extraction. */
    const struct recallite_ingested_task *const *tasks;
    /** How many. */
    size_t tasks_len;
    /**
     * The entries and tasks that were not ingested because they quote a message that
     * has been forgotten or erased in the meantime, by their ids in the extraction.
     * If that happened to one of the messages, those that quote nothing are left out
     * as well, because they may come from it. So are the tasks of another project
     * that is paused. Known entries to which a relation leads and which are not
     * there, or are of another project, are named by the ids that the relations
     * give.
     */
    const struct recallite_str *left_out;
    /** How many. */
    size_t left_out_len;
    /** The number of events that were recorded. */
    size_t events;
} recallite_ingest_report;

/** An effective blocker of a task. */
typedef struct recallite_effective_blocker {
    /** The entity that the task's edge names. */
    struct recallite_str original_id;
    /**
     * What blocks the task: the original entity or, if that is a condition that was
     * resolved to another entity, that entity.
     */
    struct recallite_str effective_id;
    /**
     * The kind of the effective entity; absent if the entity is unknown. One of
     * recallite_entity_kind.
     */
    int32_t effective_kind;
    /** Whether a condition was replaced by what it was resolved to. */
    bool resolved;
} recallite_effective_blocker;

/** Several of recallite_effective_blocker. Free it with recallite_effective_blocker_list_free. */
typedef struct recallite_effective_blocker_list {
    /** Pointers to them. */
    const struct recallite_effective_blocker *const *items;
    /** How many. */
    size_t len;
} recallite_effective_blocker_list;

/** Several of recallite_task. Free it with recallite_task_list_free. */
typedef struct recallite_task_list {
    /** Pointers to them. */
    const struct recallite_task *const *items;
    /** How many. */
    size_t len;
} recallite_task_list;

/** A task and its effective blockers. */
typedef struct recallite_blocked_task {
    /** The task. */
    const struct recallite_task *task;
    /** What blocks the task. Conditions are replaced by what they were resolved to. */
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
 * A task with everything known about it.
 *
 * Free it with recallite_task_detail_free, unless it came in another result.
 */
typedef struct recallite_task_detail {
    /** The task, with its confirmed and suggested blockers. */
    const struct recallite_task *task;
    /** What blocks the task. Conditions are replaced by what they were resolved to. */
    const struct recallite_effective_blocker *const *effective_blockers;
    /** How many. */
    size_t effective_blockers_len;
    /**
     * The events that changed it, in the order in which they took effect: that of
     * the log, except that events of other stores are placed where they belong,
     * whenever they arrived.
     */
    const struct recallite_event *const *history;
    /** How many. */
    size_t history_len;
} recallite_task_detail;

/** Several of recallite_condition. Free it with recallite_condition_list_free. */
typedef struct recallite_condition_list {
    /** Pointers to them. */
    const struct recallite_condition *const *items;
    /** How many. */
    size_t len;
} recallite_condition_list;

/** Several of recallite_artifact. Free it with recallite_artifact_list_free. */
typedef struct recallite_artifact_list {
    /** Pointers to them. */
    const struct recallite_artifact *const *items;
    /** How many. */
    size_t len;
} recallite_artifact_list;

/** How an event was used, as of one moment. */
typedef struct recallite_usage {
    /** The number of accesses. */
    uint64_t access_count;
    /** The highest confidence seen, from 0 to 1. */
    double confidence;
    /** The number of distinct other sessions that accessed it, at most 64. */
    uint64_t cross_session_refs;
    /** The number of days since the last access. */
    double days_since_last_access;
} recallite_usage;

/**
 * The level of an event and how it was used.
 *
 * Free it with recallite_event_level_free, unless it came in another result.
 */
typedef struct recallite_event_level {
    /** The level of the event. One of recallite_level. */
    int32_t level;
    /** How it was used; absent if it never was. NULL when there is none. */
    const struct recallite_usage *usage;
    /** Whether it is pinned. */
    bool is_pinned;
} recallite_event_level;

/** A pinned event. */
typedef struct recallite_pinned_event {
    /** The event's id. */
    struct recallite_str id;
    /** Its position in the log. */
    uint64_t seq;
    /** Its citation. */
    struct recallite_str citation;
    /** What kind of event it is. One of recallite_event_kind. */
    int32_t kind;
    /** The session it belongs to. */
    struct recallite_str session;
    /** The project it belongs to; empty if there is none. */
    struct recallite_str project;
    /** A one-line preview of at most 100 characters. */
    struct recallite_str preview;
    /** When it was pinned. In milliseconds since 1970 UTC. */
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
 * How many events are at each level.
 *
 * Free it with recallite_level_counts_free, unless it came in another result.
 */
typedef struct recallite_level_counts {
    /** The number of conversation events at "L0", where every event begins. */
    uint64_t l0;
    /** The number of events at "L1". */
    uint64_t l1;
    /** The number of events at "L2". */
    uint64_t l2;
    /** The number of events at "L3". */
    uint64_t l3;
    /** The number of events at "L4", the highest level. */
    uint64_t l4;
} recallite_level_counts;

/** Something that several events reveal together. */
typedef struct recallite_insight {
    /** The kind of insight. One of recallite_insight_kind. */
    int32_t kind;
    /** Its key; the same insight always has the same key. */
    struct recallite_str key;
    /** The insight, in words. */
    struct recallite_str content;
    /** How certain it is, from 0 to 1. */
    double confidence;
    /** The events it comes from, in the given order. */
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

/** An event whose level changed. */
typedef struct recallite_level_change {
    /** The id of the event. */
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
    /** The number of events that were evaluated. */
    size_t judged;
    /** The events that rose a level. */
    const struct recallite_level_change *const *promoted;
    /** How many. */
    size_t promoted_len;
    /** The events that dropped a level. */
    const struct recallite_level_change *const *demoted;
    /** How many. */
    size_t demoted_len;
    /** Insights that are new or better supported than before. */
    const struct recallite_insight *const *insights;
    /** How many. */
    size_t insights_len;
    /** The number of events that still wait to be evaluated. */
    uint64_t waiting;
} recallite_graduated;

/**
 * What recallite_endless_consolidate did.
 *
 * Free it with recallite_consolidation_report_free, unless it came in another
 * result.
 */
typedef struct recallite_consolidation_report {
    /** Whether a consolidation took place, because it was due or requested. */
    bool ran;
    /** The ids of the memories that were created. */
    const struct recallite_str *memories;
    /** How many. */
    size_t memories_len;
    /**
     * The number of events that still wait: for more events on their topic, or for
     * the next consolidation, because one takes a limited number.
     */
    size_t waiting;
} recallite_consolidation_report;

/**
 * The receipt of an append.
 *
 * Free it with recallite_appended_free, unless it came in another result.
 */
typedef struct recallite_appended {
    /**
     * The event's id; for a duplicate, the id of the stored event. All zeros if it
     * was skipped.
     */
    struct recallite_str id;
    /** The event's position in the log; 0 if it was skipped. */
    uint64_t seq;
    /** The event's citation; empty if it was skipped. */
    struct recallite_str citation;
    /** True if the same event was already stored and nothing was written. */
    bool duplicate;
    /**
     * Why nothing was stored although the append did not fail; absent if the event
     * is on disk. One of recallite_skip_reason.
     */
    int32_t skipped;
    /** What the privacy filter did. */
    const struct recallite_privacy_report *privacy;
    /** The number of bytes that were cut from tool output; 0 if none. */
    uint64_t truncated_bytes;
    /** Warnings for the caller, for example about an unclosed private tag. */
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
    /** The name of the session, as in its events. */
    struct recallite_str id;
    /**
     * The project of its first event, or the one that it was given; empty if there
     * is none.
     */
    struct recallite_str project;
    /** When it began. In milliseconds since 1970 UTC. */
    int64_t started_ms;
    /**
     * When it ended; absent if it has not been ended. A session that continued has a
     * later last_event_ms. In milliseconds since 1970 UTC.
     */
    int64_t ended_ms;
    /** Whether ended_ms is known. */
    bool has_ended;
    /** The time of its newest conversation event. In milliseconds since 1970 UTC. */
    int64_t last_event_ms;
    /** Its summary, if it has one. */
    struct recallite_str summary;
    /** Its tags. */
    const struct recallite_str *tags;
    /** How many. */
    size_t tags_len;
    /** The number of conversation events in it, whatever the project of each. */
    uint64_t events;
    /** The number of prompts among them. */
    uint64_t prompts;
    /** The number of responses among them. */
    uint64_t responses;
    /** The number of tool observations among them. */
    uint64_t tools;
} recallite_session;

/** Several of recallite_session. Free it with recallite_session_list_free. */
typedef struct recallite_session_list {
    /** Pointers to them. */
    const struct recallite_session *const *items;
    /** How many. */
    size_t len;
} recallite_session_list;

/** What the privacy filter has removed, over the whole store. */
typedef struct recallite_privacy_totals {
    /** The number of private sections. */
    uint64_t private_sections;
    /** The number of sessions with at least one private section. */
    uint64_t sessions;
    /** The number of masked secrets. */
    uint64_t secrets_masked;
    /** The number of bytes that were not stored because of the filter. */
    uint64_t bytes_filtered;
} recallite_privacy_totals;

/** The state of the lexical index. */
typedef struct recallite_lexical_stats {
    /** The number of immutable segments. */
    uint64_t segments;
    /** The number of events in segments. */
    uint64_t flushed_events;
    /**
     * The number of events in the memtable, waiting to be flushed. Searches find
     * them too.
     */
    uint64_t memtable_events;
    /** When events were last flushed to a segment. In milliseconds since 1970 UTC. */
    int64_t last_flush_ms;
    /** Whether last_flush_ms is known. */
    bool has_last_flush;
    /**
     * The number of segments that a search of this process found damaged. Searches
     * skip them, and their results are marked as degraded, until the index is
     * rebuilt.
     */
    uint64_t damaged_segments;
    /**
     * The number of events in the memtable whose index entry is damaged. Searches
     * skip them in the same way.
     */
    uint64_t damaged_events;
} recallite_lexical_stats;

/** The state of the embedding of events, for the active embedder. */
typedef struct recallite_embedding_stats {
    /** The embedding version: the embedder's id and fingerprint. */
    struct recallite_str version;
    /** The number of dimensions of each vector. */
    uint32_t dimensions;
    /** The number of stored vectors of events. */
    uint64_t vectors;
    /** The number of waiting jobs. */
    uint64_t pending;
    /** The number of jobs that a worker is processing. */
    uint64_t processing;
    /** The number of jobs that are done and not yet cleaned up. */
    uint64_t done;
    /**
     * The number of jobs whose last attempt failed. Ten or more suggest that the
     * embedder is broken.
     */
    uint64_t failed;
    /**
     * The number of log positions from before this embedder was configured, and of
     * learned items that were written or changed, that have yet to be looked
     * through.
     */
    uint64_t to_enqueue;
    /** The average duration of successful jobs, in milliseconds. */
    uint64_t average_processing_ms;
    /** Whether average_processing_ms is known. */
    bool has_average_processing_ms;
    /** When a job was last completed. In milliseconds since 1970 UTC. */
    int64_t last_processed_ms;
    /** Whether last_processed_ms is known. */
    bool has_last_processed;
    /**
     * When the oldest waiting job was enqueued. If that was an hour ago, nothing is
     * calling the worker. In milliseconds since 1970 UTC.
     */
    int64_t oldest_pending_ms;
    /** Whether oldest_pending_ms is known. */
    bool has_oldest_pending;
    /**
     * The number of vectors in graphs of this process, which its searches use; see
     * vector_graph_from.
     */
    uint64_t graph_vectors;
    /**
     * The number of vectors in files that are large enough for a graph but whose
     * graph this process has not finished. Vectors that recallite_maintain has
     * already added to a graph are not counted.
     */
    uint64_t graph_waiting;
} recallite_embedding_stats;

/** The state of one derived layer. */
typedef struct recallite_layer_stats {
    /** The name of the layer, for example tasks or working_set. */
    struct recallite_str name;
    /** The number of items in it. */
    uint64_t size;
    /** The number of items that recallite_maintain has yet to move into it. */
    uint64_t backlog;
    /** When it last changed; absent if it never did. In milliseconds since 1970 UTC. */
    int64_t last_moved_ms;
    /** Whether last_moved_ms is known. */
    bool has_last_moved;
} recallite_layer_stats;

/**
 * How often context was given to agents, and whether later responses used it.
 *
 * An injected text counts as reused if one of the next three responses of the
 * session, within a day, contains a good part of those of its words that were not in
 * the query; see docs/recall.md. This is an estimate.
 */
typedef struct recallite_injection_stats {
    /** How many times context was given. */
    uint64_t injections;
    /** The number of memories given, in total. */
    uint64_t memories;
    /** The number of tokens given, in total. */
    uint64_t tokens;
    /** The number of injections that were followed by a response. */
    uint64_t judged;
    /** The number of injections of which at least one memory was reused. */
    uint64_t reused;
    /** The number of memories in the injections counted by judged. */
    uint64_t judged_memories;
    /** The number of memories that were reused. */
    uint64_t reused_memories;
    /** When context was last given. In milliseconds since 1970 UTC. */
    int64_t last_ms;
    /** Whether last_ms is known. */
    bool has_last;
} recallite_injection_stats;

/**
 * Figures about a store, returned by recallite_stats_get.
 *
 * Free it with recallite_stats_free, unless it came in another result.
 */
typedef struct recallite_stats {
    /** The number of live events of every kind. */
    uint64_t events;
    /** The number of live prompts. */
    uint64_t prompts;
    /** The number of live responses. */
    uint64_t responses;
    /** The number of live session summaries. */
    uint64_t summaries;
    /** The number of live tool observations. */
    uint64_t tools;
    /** The number of sessions. */
    uint64_t sessions;
    /** The number of projects, not counting "no project". */
    uint64_t projects;
    /** The number of forgotten events. */
    uint64_t forgotten;
    /** The number of erased events. */
    uint64_t erased;
    /** The last position of the log; 0 if the store is empty. */
    uint64_t last_seq;
    /** The time of the oldest live event. In milliseconds since 1970 UTC. */
    int64_t oldest_ms;
    /** Whether oldest_ms is known. */
    bool has_oldest;
    /** The time of the newest live event. In milliseconds since 1970 UTC. */
    int64_t newest_ms;
    /** Whether newest_ms is known. */
    bool has_newest;
    /** The size of the text in live events, in bytes. */
    uint64_t payload_bytes;
    /** The size of the records in the log, in bytes. */
    uint64_t log_bytes;
    /** The size of all files of the store, in bytes. */
    uint64_t size_bytes;
    /** The size above which receipts carry a warning, in bytes. */
    uint64_t quota_bytes;
    /** Whether the store is larger than its quota. */
    bool is_over_quota;
    /** When something was last appended. In milliseconds since 1970 UTC. */
    int64_t last_append_ms;
    /** Whether last_append_ms is known. */
    bool has_last_append;
    /** The number of sessions that are paused; see recallite_pauses_list. */
    uint64_t paused_sessions;
    /** The number of projects that are paused. */
    uint64_t paused_projects;
    /** What the privacy filter has removed so far. */
    const struct recallite_privacy_totals *privacy;
    /** The state of the lexical index. */
    const struct recallite_lexical_stats *lexical;
    /**
     * The vectors and jobs of the active embedder; absent until one is configured.
     * NULL when there is none.
     */
    const struct recallite_embedding_stats *embedding;
    /** What was learned: one item for each derived layer. */
    const struct recallite_layer_stats *const *layers;
    /** How many. */
    size_t layers_len;
    /** How often memories were given to agents, and whether they were used. */
    const struct recallite_injection_stats *injections;
    /**
     * The number of erasures that are not complete; normally 0. unclean_places says
     * what they wait for, and recallite_maintain continues them.
     */
    uint64_t open_erasures;
    /**
     * How many of these are yet to be carried out, because the process that ordered
     * them was killed or failed; recallite_maintain without a time limit does.
     */
    uint64_t requested_erasures;
    /** Files that may still contain text that was to be erased, in plain words. */
    const struct recallite_str *unclean_places;
    /** How many. */
    size_t unclean_places_len;
} recallite_stats;

/** A setting that is in force. */
typedef struct recallite_effective_setting {
    /** Its key in the settings file, for example retrieval.topK. */
    struct recallite_str key;
    /** Its value; null if the library has no such value of its own. As JSON. */
    struct recallite_str value_json;
    /** Where the value comes from. One of recallite_setting_source. */
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
    /** Whether it is a session or a project. One of recallite_scope_kind. */
    int32_t scope;
    /** Its name; empty if everything in it has been erased since. */
    struct recallite_str name;
    /** When it was paused. In milliseconds since 1970 UTC. */
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
    /** The number of the line, counted from 1. */
    uint64_t line;
    /** Why it could not be read. */
    struct recallite_str problem;
} recallite_import_problem;

/** The counts of an import. */
typedef struct recallite_import_counters {
    /** The number of lines that are JSON, of any kind. */
    uint64_t total_messages;
    /** The number of prompts that were stored. */
    uint64_t imported_prompts;
    /** The number of responses that were stored. */
    uint64_t imported_responses;
    /** The number of tool calls that were stored. */
    uint64_t imported_tools;
    /**
     * The number of items that were already in the store, or were and have been
     * forgotten.
     */
    uint64_t skipped_duplicates;
    /**
     * The number of items that are not to be stored: calls of excluded tools, and
     * what belongs to a paused session or project.
     */
    uint64_t skipped;
    /** The number of lines that could not be read. */
    uint64_t errors;
    /**
     * The first lines that a reader could not read, and why. The report of an
     * import, which may have read several files, names them in its warnings instead.
     */
    const struct recallite_import_problem *const *error_lines;
    /** How many. */
    size_t error_lines_len;
} recallite_import_counters;

/** A file that could not be imported. */
typedef struct recallite_import_failure {
    /** Its path. */
    struct recallite_str path;
    /** Why it could not be imported. */
    struct recallite_str reason;
} recallite_import_failure;

/**
 * The result of an import.
 *
 * Free it with recallite_import_report_free, unless it came in another result.
 */
typedef struct recallite_import_report {
    /** The number of files that were read. */
    size_t files;
    /** What was found in them and what happened to it. */
    const struct recallite_import_counters *counters;
    /** The files that could not be read, and why. The others were imported. */
    const struct recallite_import_failure *const *failed_files;
    /** How many. */
    size_t failed_files_len;
    /** The events that were refused, and why: at most the first ten. */
    const struct recallite_str *refused;
    /** How many. */
    size_t refused_len;
    /** How many events were refused. */
    uint64_t refused_count;
    /**
     * What the privacy filter found that its user should know, each once, and the
     * first ten lines that could not be read, with their file.
     */
    const struct recallite_str *warnings;
    /** How many. */
    size_t warnings_len;
} recallite_import_report;

/**
 * What the host knows about an extraction.
 *
 * Begin with RECALLITE_INIT(recallite_ingest_options); a field that is zero has its
 * default.
 */
typedef struct recallite_ingest_options {
    /** sizeof(recallite_ingest_options). */
    size_t struct_size;
    /** The language model that made the extraction. */
    struct recallite_str extractor_model;
    /** The prompt that the model was given, or its hash. Only a hash is stored. */
    struct recallite_str extractor_prompt;
    /**
     * How long the extraction took, in milliseconds. Zero counts as given only if
     * has_extraction_ms is set.
     */
    double extraction_ms;
    /**
     * The project of the entries and tasks. Default: the project of the messages if
     * they share one and the session was not assigned another; otherwise the
     * session's, otherwise the memory's.
     */
    struct recallite_str project;
    /**
     * The ids of the messages that the model was given, in the order in which it
     * numbered them. They count as read, and remain correct even if other messages
     * of the session have been erased in the meantime. Default: those of
     * recallite_knowledge_session_messages; of these, the messages that the
     * extraction quotes, and all messages before them, count as read.
     */
    const struct recallite_str *messages;
    /** How many. */
    size_t messages_len;
    /** Whether extraction_ms is given, even if it is zero. */
    bool has_extraction_ms;
} recallite_ingest_options;

/**
 * A tool call, as the host saw it.
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
    /**
     * How long the call took, in milliseconds; at most 2^53 - 1, which every
     * language can represent exactly. Zero counts as given only if has_duration_ms
     * is set.
     */
    uint64_t duration_ms;
    /**
     * Whether the call succeeded. Default: true if error is absent or blank. False
     * counts as given only if has_success is set.
     */
    bool success;
    /** The error message, if the call failed. */
    struct recallite_str error;
    /**
     * Which prompt of the session caused the call, counted from 0. Zero counts as
     * given only if has_prompt_index is set.
     */
    uint32_t prompt_index;
    /**
     * Which call of that prompt this is, counted from 0. Zero counts as given only
     * if has_tool_index is set.
     */
    uint32_t tool_index;
    /** Whether duration_ms is given, even if it is zero. */
    bool has_duration_ms;
    /** Whether success is given, even if it is zero. */
    bool has_success;
    /** Whether prompt_index is given, even if it is zero. */
    bool has_prompt_index;
    /** Whether tool_index is given, even if it is zero. */
    bool has_tool_index;
} recallite_tool_use;

/**
 * An event to append.
 *
 * Begin with RECALLITE_INIT(recallite_new_event) and give kind, session; another
 * field that is zero has its default.
 */
typedef struct recallite_new_event {
    /** sizeof(recallite_new_event). */
    size_t struct_size;
    /**
     * What kind of event it is: one of the four conversation kinds,
     * RECALLITE_EVENT_KIND_USER_PROMPT, RECALLITE_EVENT_KIND_AGENT_RESPONSE,
     * RECALLITE_EVENT_KIND_SESSION_SUMMARY or RECALLITE_EVENT_KIND_TOOL_OBSERVATION.
     * One of recallite_event_kind.
     */
    int32_t kind;
    /** The session it belongs to, 1 to 1,024 bytes. */
    struct recallite_str session;
    /**
     * The text. It may be empty for a tool observation, whose text is then made from
     * tool.
     */
    struct recallite_str content;
    /**
     * Who said or did it: "user", "assistant", the name of a tool or of a speaker.
     * Default: derived from the kind.
     */
    struct recallite_str actor;
    /**
     * Where the text came from. Default: derived from the kind. One of
     * recallite_origin.
     */
    int32_t origin;
    /**
     * The project it belongs to. Default: the project that the memory was opened
     * for.
     */
    struct recallite_str project;
    /**
     * When it happened. Default: now. In milliseconds since 1970 UTC. Zero counts as
     * given only if has_timestamp is set.
     */
    int64_t timestamp_ms;
    /**
     * Any other information, as a JSON object. A prompt or response whose metadata
     * has "isNote": true stands on its own: search does not take the messages before
     * and after it in its session for its context.
     */
    struct recallite_str metadata_json;
    /**
     * How a repetition is recognised: by the same content in the same session (the
     * default), by a key, or not at all. One of recallite_dedupe.
     */
    int32_t dedupe;
    /** The key of a repetition, for RECALLITE_DEDUPE_KEY only. */
    struct recallite_str dedupe_key;
    /**
     * Whether an event that was forgotten or erased counts as already stored, so
     * that this one is not stored again. A forgotten event is recognised by its key,
     * and also by its content; an erased one only by a key. Set this for imports,
     * which bring the same events again. Default: false.
     */
    bool stays_forgotten;
    /** The tool call of a tool observation. */
    const struct recallite_tool_use *tool;
    /** Whether timestamp_ms is given, even if it is zero. */
    bool has_timestamp;
} recallite_new_event;

/**
 * Selects the events that recallite_events returns. The default is every
 * conversation event of the memory's project, oldest first.
 *
 * Begin with RECALLITE_INIT(recallite_event_filter); a field that is zero has its
 * default.
 */
typedef struct recallite_event_filter {
    /** sizeof(recallite_event_filter). */
    size_t struct_size;
    /** Keeps only events of this session. */
    struct recallite_str session;
    /** Keeps only events of these projects. One of recallite_scope. */
    int32_t scope;
    /** The project for RECALLITE_SCOPE_NAMED; absent otherwise. */
    struct recallite_str project;
    /**
     * Keeps only events of these kinds; empty means the four conversation kinds. One
     * of recallite_event_kind.
     */
    const int32_t *kinds;
    /** How many. */
    size_t kinds_len;
    /**
     * Keeps only events at or after this time. In milliseconds since 1970 UTC. Zero
     * counts as given only if has_from is set.
     */
    int64_t from_ms;
    /**
     * Keeps only events before this time (exclusive). In milliseconds since 1970
     * UTC. Zero counts as given only if has_until is set.
     */
    int64_t until_ms;
    /** Keeps only calls of these tools, at most 64; empty means any event. */
    const struct recallite_str *tools;
    /** How many. */
    size_t tools_len;
    /**
     * Keeps only tool calls on a file whose path contains this text, 1 to 1,024
     * bytes.
     */
    struct recallite_str file_contains;
    /** Keeps only tool calls with this outcome. One of recallite_tool_outcome. */
    int32_t tool_outcome;
    /**
     * Keeps only user prompts that repeat this text, ignoring letter case,
     * punctuation and whitespace: those with the same recallite_canonical_key.
     */
    struct recallite_str repeats;
    /** Whether to return the newest events first, instead of the oldest. */
    bool newest_first;
    /**
     * The maximum number of events to return. Zero counts as given only if has_limit
     * is set.
     */
    size_t limit;
    /**
     * The number of matching events to skip before the first one that is returned.
     * Each costs a row of an index; to page through many events, from_ms or until_ms
     * is faster.
     */
    size_t offset;
    /** Whether from_ms is given, even if it is zero. */
    bool has_from;
    /** Whether until_ms is given, even if it is zero. */
    bool has_until;
    /** Whether limit is given, even if it is zero. */
    bool has_limit;
} recallite_event_filter;

/**
 * A change to a session. Fields that are absent stay as they are.
 *
 * Begin with RECALLITE_INIT(recallite_session_update); a field that is zero has its
 * default.
 */
typedef struct recallite_session_update {
    /** sizeof(recallite_session_update). */
    size_t struct_size;
    /**
     * The project it belongs to: in lists of sessions, for what is learned from it,
     * for pauses, and for what a selector covers. Each event keeps its own project,
     * by which it is found.
     */
    struct recallite_str project;
    /**
     * When it began. In milliseconds since 1970 UTC. Zero counts as given only if
     * has_started is set.
     */
    int64_t started_ms;
    /**
     * When it ended. In milliseconds since 1970 UTC. Zero counts as given only if
     * has_ended is set.
     */
    int64_t ended_ms;
    /** Its summary, which passes through the privacy filter. */
    struct recallite_str summary;
    /** Its tags. An empty list counts as given only if has_tags is set. */
    const struct recallite_str *tags;
    /** How many. */
    size_t tags_len;
    /** Whether started_ms is given, even if it is zero. */
    bool has_started;
    /** Whether ended_ms is given, even if it is zero. */
    bool has_ended;
    /** Whether tags is given, even if it is empty. */
    bool has_tags;
} recallite_session_update;

/**
 * A search: a text and conditions that narrow it.
 *
 * Begin with RECALLITE_INIT(recallite_query); a field that is zero has its default.
 */
typedef struct recallite_query {
    /** sizeof(recallite_query). */
    size_t struct_size;
    /** The question, or the words to look for, in any language. */
    struct recallite_str text;
    /** The maximum number of hits to return, from 1 to 1,000. Default: 10. */
    size_t limit;
    /**
     * The vector to search for, in the vector space of the memory's embedder. If it
     * is set, the embedder is not asked about text, and the text may be blank.
     * Default: the embedder is asked.
     */
    const float *vector;
    /** How many. */
    size_t vector_len;
    /** Keeps only events of this session. */
    struct recallite_str session;
    /** Keeps only events of these projects. One of recallite_scope. */
    int32_t scope;
    /** The project for RECALLITE_SCOPE_NAMED; absent otherwise. */
    struct recallite_str project;
    /**
     * Keeps only events of these kinds, which must be conversation kinds. Empty
     * means all four. One of recallite_event_kind.
     */
    const int32_t *kinds;
    /** How many. */
    size_t kinds_len;
    /**
     * Keeps only events at or after this time. In milliseconds since 1970 UTC. Zero
     * counts as given only if has_from is set.
     */
    int64_t from_ms;
    /**
     * Keeps only events before this time (exclusive). In milliseconds since 1970
     * UTC. Zero counts as given only if has_until is set.
     */
    int64_t until_ms;
    /**
     * Keeps only calls of these tools, and what was learned from them. At most 64;
     * empty means any event. A tool that was never called matches nothing.
     */
    const struct recallite_str *tools;
    /** How many. */
    size_t tools_len;
    /**
     * Keeps only tool calls on a file whose path contains this text, and what was
     * learned from them. The text has 1 to 1,024 bytes.
     */
    struct recallite_str file_contains;
    /**
     * Keeps only tool calls with this outcome, and what was learned from them. One
     * of recallite_tool_outcome.
     */
    int32_t tool_outcome;
    /**
     * Keeps only events at this level or higher, and what was learned from any of
     * them. The current levels are used, even with as_of_ms. Default: all. One of
     * recallite_level.
     */
    int32_t min_level;
    /** Keeps only hits whose relevance is at least this, from 0 to 1. Default: all. */
    float min_relevance;
    /**
     * The maximum duration of the search. When it is over, the results found so far
     * are returned, marked as degraded. Zero counts as given only if has_deadline_ms
     * is set.
     */
    uint64_t deadline_ms;
    /**
     * Whether to also find recalled text that came back as an event. Default: false,
     * because otherwise a memory would soon find its own answers.
     */
    bool include_recalled;
    /**
     * Disables this setting: whether to return what was learned, in addition to
     * events. It is on by default.
     */
    bool skip_learned;
    /**
     * Keeps only these kinds of learned items; empty means all four. One of
     * recallite_learned_kind.
     */
    const int32_t *learned_kinds;
    /** How many. */
    size_t learned_kinds_len;
    /**
     * Keeps only entries of these types; empty means all. One of
     * recallite_entry_type.
     */
    const int32_t *entry_types;
    /** How many. */
    size_t entry_types_len;
    /**
     * Searches the memory as it was at this moment: events up to then, entries that
     * were valid then, and tasks as they were then. Default: now. In milliseconds
     * since 1970 UTC. Zero counts as given only if has_as_of is set.
     */
    int64_t as_of_ms;
    /** Whether from_ms is given, even if it is zero. */
    bool has_from;
    /** Whether until_ms is given, even if it is zero. */
    bool has_until;
    /** Whether deadline_ms is given, even if it is zero. */
    bool has_deadline_ms;
    /** Whether as_of_ms is given, even if it is zero. */
    bool has_as_of;
} recallite_query;

/**
 * Counts the tokens of a text as a model would.
 *
 * It is called during the call that it was passed to and on the same thread, several times
 * for one result. It may call the library. It must return: no exception and no longjmp.
 *
 * text is valid during the callback only. Return 0 after writing tokens;
 * anything else is a failure, and the call fails with RECALLITE_CALLBACK.
 */
typedef int32_t (*recallite_count_tokens_callback)(struct recallite_str text,
                                                   size_t *tokens,
                                                   void *user_data);

/**
 * Options for recallite_context_get.
 *
 * Begin with RECALLITE_INIT(recallite_context_options); a field that is zero has its
 * default.
 */
typedef struct recallite_context_options {
    /** sizeof(recallite_context_options). */
    size_t struct_size;
    /** The session that the context is for. Default: "unknown". */
    struct recallite_str session;
    /**
     * The maximum number of tokens of the whole text, including the fence and
     * headings. Default: 2,000. Zero counts as given only if has_budget_tokens is
     * set.
     */
    size_t budget_tokens;
    /** How to show citations. Default: inline. One of recallite_citation_format. */
    int32_t format;
    /**
     * The maximum number of events, and also of lines about what was learned, from 1
     * to 64. Default: the query's limit, or 5.
     */
    size_t limit;
    /**
     * The minimum relevance of a memory, from 0 to 1; others are left out. Default:
     * events from .02 on are used if the best one is good enough (class high or
     * suggested).
     */
    float min_relevance;
    /**
     * The minimum relevance, from 0 to 1, of the best memory that is new to the
     * session: if no memory reaches it, nothing that was found is given. Set it
     * above min_relevance to show weaker memories only together with a strong one.
     * Default: 0.
     */
    float min_best_relevance;
    /**
     * Events that come first, whatever the search finds, for example those of the
     * working set: whole, or, if they would take more than half of the budget beside
     * other memories, each cut to its share. Unknown and forgotten events are
     * ignored.
     */
    const struct recallite_str *pinned;
    /** How many. */
    size_t pinned_len;
    /**
     * Leaves out what the session already knows: what was said in it from this
     * moment on, and what it was given from then on, including what is pinned in the
     * store. The events in pinned are always given, and other passages of an event
     * that was given in part may be. A task or similar item that no event proves is
     * given again once it has changed. Default: nothing is left out. In milliseconds
     * since 1970 UTC. Zero counts as given only if has_skip_known_since is set.
     */
    int64_t skip_known_since_ms;
    /**
     * When to write the record of the injection. Default: later. One of
     * recallite_recording.
     */
    int32_t recording;
    /** Why context was given, for the record. Default: the class of the match. */
    struct recallite_str reason;
    /** Whether budget_tokens is given, even if it is zero. */
    bool has_budget_tokens;
    /** Whether skip_known_since_ms is given, even if it is zero. */
    bool has_skip_known_since;
    /** How to count tokens. Default (NULL): a quarter of the number of UTF-16 code units. */
    recallite_count_tokens_callback count_tokens;
    /** Passed to count_tokens. */
    void *user_data;
} recallite_context_options;

/** One memory in a context. */
typedef struct recallite_context_item {
    /** The event's id. */
    struct recallite_str id;
    /** Its position in the log. */
    uint64_t seq;
    /** Its citation. */
    struct recallite_str citation;
    /** What kind of event it is. One of recallite_event_kind. */
    int32_t kind;
    /** The session it belongs to. */
    struct recallite_str session;
    /** Who said or did it. */
    struct recallite_str actor;
    /** Where the text came from. One of recallite_origin. */
    int32_t origin;
    /** When it happened. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** The part of the content that is shown. */
    struct recallite_str text;
    /** Where that part begins in the content, as an offset in UTF-8 bytes. */
    size_t start;
    /** Where that part ends, as an offset in UTF-8 bytes, exclusive. */
    size_t end;
    /**
     * Whether the content has more text before that part. The context marks it with
     * "…".
     */
    bool has_more_before;
    /**
     * Whether the content has more text after that part. The context marks it with
     * "…".
     */
    bool has_more_after;
    /** How likely it is to answer the query, from 0 to 1; absent for a pinned event. */
    float relevance;
    /** Whether relevance is known. */
    bool has_relevance;
    /**
     * The state of what was learned from it, if none of that holds any more or it is
     * in doubt: superseded, contested, done or cancelled; for a task that this event
     * says is blocked but that is not, its present status. The text says so. One of
     * recallite_learned_state.
     */
    int32_t state;
} recallite_context_item;

/** An event that proves a learned item, and the words in it that do. */
typedef struct recallite_proof {
    /** The event's id. */
    struct recallite_str id;
    /** Its position in the log. */
    uint64_t seq;
    /** Its citation. */
    struct recallite_str citation;
    /** The session it belongs to. */
    struct recallite_str session;
    /** When it happened. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** The quoted part of the content. */
    struct recallite_str quote;
    /** Where the quote begins in the content, as an offset in UTF-8 bytes. */
    size_t start;
    /** Where the quote ends, as an offset in UTF-8 bytes, exclusive. */
    size_t end;
} recallite_proof;

/** A learned item found by a search. */
typedef struct recallite_learned_hit {
    /**
     * Its kind, which determines the call that returns more about it by its id. One
     * of recallite_learned_kind.
     */
    int32_t kind;
    /** The type of an entry; absent for other kinds. One of recallite_entry_type. */
    int32_t entry_type;
    /** Its id. */
    struct recallite_str id;
    /** A one-line title. */
    struct recallite_str title;
    /**
     * The full text: an entry's content, a task's description, or a memory's
     * summary. Empty if the title says everything.
     */
    struct recallite_str text;
    /** Its state. One of recallite_learned_state. */
    int32_t state;
    /**
     * How well an entry is supported by evidence; absent for other kinds. One of
     * recallite_stage.
     */
    int32_t stage;
    /** The entry that replaced it. */
    struct recallite_str superseded_by;
    /** The entries that contradict it. */
    const struct recallite_str *contested_with;
    /** How many. */
    size_t contested_with_len;
    /** What blocks a blocked task, in words. */
    const struct recallite_str *blockers;
    /** How many. */
    size_t blockers_len;
    /** The highest level of the events that prove it. One of recallite_level. */
    int32_t level;
    /**
     * How likely it is to help with the query, from 0 to 1: the fraction of the
     * question that it covers, reduced if it is doubtful or no longer counts.
     */
    float relevance;
    /**
     * How sure its source was, from 0 to 1: the extractor of an entry, or the rule
     * behind an insight or a consolidated memory. absent for a task, and for an
     * entry written by hand.
     */
    double confidence;
    /** Whether confidence is known. */
    bool has_confidence;
    /**
     * When it was learned or, for a task, when it last changed. In milliseconds
     * since 1970 UTC.
     */
    int64_t timestamp_ms;
    /** The project it belongs to; empty if there is none. */
    struct recallite_str project;
    /** The session it was learned from; empty if it comes from several. */
    struct recallite_str session;
    /**
     * The citation to show for it: that of the first proof or, if nothing was
     * quoted, of the record that created it.
     */
    struct recallite_str citation;
    /** The events that prove it, in the order in which they were quoted. */
    const struct recallite_proof *const *proofs;
    /** How many. */
    size_t proofs_len;
} recallite_learned_hit;

/**
 * Context for an agent's prompt.
 *
 * Free it with recallite_context_free, unless it came in another result.
 */
typedef struct recallite_context {
    /** The fenced text; empty if nothing is good enough or nothing fits. */
    struct recallite_str text;
    /** The citations in the text, in its order; empty if the format shows none. */
    const struct recallite_str *citations;
    /** How many. */
    size_t citations_len;
    /** The number of tokens in the text. */
    size_t tokens;
    /**
     * How certain the best match is: none, suggested (the text says so) or high. One
     * of recallite_match_class.
     */
    int32_t confidence;
    /** The events in the text, in its order. */
    const struct recallite_context_item *const *items;
    /** How many. */
    size_t len;
    /**
     * The learned items in the text, in its order. They come after what is pinned
     * and before the other events.
     */
    const struct recallite_learned_hit *const *learned;
    /** How many. */
    size_t learned_len;
    /** True if a deadline or damage kept part of the memory from being searched. */
    bool degraded;
} recallite_context;

/** One event of a timeline. */
typedef struct recallite_timeline_item {
    /** The event's id. */
    struct recallite_str id;
    /** Its position in the log. */
    uint64_t seq;
    /** Its citation. */
    struct recallite_str citation;
    /** What kind of event it is. One of recallite_event_kind. */
    int32_t kind;
    /** Its session. */
    struct recallite_str session;
    /** Who said or did it. */
    struct recallite_str actor;
    /** When it happened. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** A one-line preview of at most 200 characters. */
    struct recallite_str preview;
    /** Whether it is one of the requested events. */
    bool is_target;
} recallite_timeline_item;

/** Several of recallite_timeline_item. Free it with recallite_timeline_item_list_free. */
typedef struct recallite_timeline_item_list {
    /** Pointers to them. */
    const struct recallite_timeline_item *const *items;
    /** How many. */
    size_t len;
} recallite_timeline_item_list;

/** How an event is related to other events of its session. */
typedef struct recallite_relations {
    /**
     * The prompt that a response or tool observation belongs to: the last prompt
     * before it in its session.
     */
    struct recallite_str parent;
    /**
     * The responses and tool observations that followed a prompt, up to the next
     * prompt of its session, in order of time.
     */
    const struct recallite_str *children;
    /** How many. */
    size_t children_len;
    /** The previous event of the session. */
    struct recallite_str previous;
    /** The next event of the session. */
    struct recallite_str next;
} recallite_relations;

/** One event in full, with what belongs to it. */
typedef struct recallite_detail {
    /** The event. */
    const struct recallite_event *event;
    /** The estimated number of tokens in its content. */
    size_t token_count;
    /** Whether the content contains a fenced code block. */
    bool has_code;
    /** The file paths mentioned in the content. */
    const struct recallite_str *files;
    /** How many. */
    size_t files_len;
    /** The tools mentioned in the content. */
    const struct recallite_str *tools;
    /** How many. */
    size_t tools_len;
    /** The events it is related to. */
    const struct recallite_relations *relations;
} recallite_detail;

/** Several of recallite_detail. Free it with recallite_detail_list_free. */
typedef struct recallite_detail_list {
    /** Pointers to them. */
    const struct recallite_detail *const *items;
    /** How many. */
    size_t len;
} recallite_detail_list;

/** A part of an event's content. */
typedef struct recallite_passage {
    /** The text of the passage. */
    struct recallite_str text;
    /** Where it begins in the content, as an offset in UTF-8 bytes. */
    size_t start;
    /** Where it ends in the content, as an offset in UTF-8 bytes, exclusive. */
    size_t end;
    /** Whether the content has more text before it. */
    bool has_more_before;
    /** Whether the content has more text after it. */
    bool has_more_after;
} recallite_passage;

/** One event found by a search. */
typedef struct recallite_hit {
    /** The event's id. */
    struct recallite_str id;
    /** The event's position in the log. */
    uint64_t seq;
    /** The event's citation. */
    struct recallite_str citation;
    /** What kind of event it is. One of recallite_event_kind. */
    int32_t kind;
    /** The session it belongs to. */
    struct recallite_str session;
    /** The project it belongs to; empty if there is none. */
    struct recallite_str project;
    /** Who said or did it. */
    struct recallite_str actor;
    /** Where the text came from. One of recallite_origin. */
    int32_t origin;
    /** When it happened. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /**
     * A one-line summary of at most 100 characters: what a call of a known tool did,
     * otherwise the first sentence.
     */
    struct recallite_str summary;
    /** The passage that matched best. */
    const struct recallite_passage *passage;
    /** The score that the hits are ordered by; comparable only within one search. */
    float rank_score;
    /** The match score of the specification, from 0 to 1. */
    float match_score;
    /** The calibrated probability that the hit answers the query, from 0 to 1. */
    float relevance;
    /**
     * Whether the passage adds nothing to what was learned from it and is among
     * learned. A combined list can leave it out.
     */
    bool is_proof;
} recallite_hit;

/**
 * The result of a search.
 *
 * Free it with recallite_search_result_free, unless it came in another result.
 */
typedef struct recallite_search_result {
    /** The hits, best first. */
    const struct recallite_hit *const *items;
    /** How many. */
    size_t len;
    /**
     * Learned items that help with the query, best first: entries, tasks, insights
     * and consolidated memories. There are at most as many as hits were asked for.
     * Empty if nothing was learned, or if the query did not ask for it.
     */
    const struct recallite_learned_hit *const *learned;
    /** How many. */
    size_t learned_len;
    /**
     * How certain the best hit or learned item is: inject it (high), suggest it
     * (suggested), or do neither (none). "None" is a valid answer. One of
     * recallite_match_class.
     */
    int32_t confidence;
    /**
     * True if there may be better hits: the deadline ended the search early, part of
     * the index or a record could not be read, vectors were missing, or the embedder
     * failed. A store without any vector has not asked the embedder.
     */
    bool degraded;
    /**
     * The number of events that matched, before limit was applied. It is exact up to
     * 1,000; a larger number is a lower bound. Events that are in items only because
     * they are next to a match do not count.
     */
    size_t total_matches;
} recallite_search_result;

/**
 * Options that control how recallite_smart_search expands what it finds. The
 * defaults are those of the specification, section 15, except for min_relevance,
 * unless the memory's settings say otherwise.
 *
 * Begin with RECALLITE_INIT(recallite_smart_search_options); a field that is zero
 * has its default.
 */
typedef struct recallite_smart_search_options {
    /** sizeof(recallite_smart_search_options). */
    size_t struct_size;
    /**
     * The maximum number of results, from 1 to 1,000. Default: the query's limit, or
     * 10.
     */
    size_t limit;
    /**
     * The minimum relevance of a result, from 0 to 1; others are left out. If the
     * query has one too, the higher applies. Default: 0, which leaves out none.
     *
     * The specification's .7 was meant for similarities, which are high even for
     * poor matches. Relevance is a probability: right answers in agent transcripts
     * often have .2 to .5 (see docs/recall.md), so .7 would hide most of them.
     */
    float min_relevance;
    /** Disables this setting: whether to add timelines. It is on by default. */
    bool skip_timeline;
    /** Disables this setting: whether to add details. It is on by default. */
    bool skip_details;
    /**
     * The maximum number of results to expand. Default: 3. Zero counts as given only
     * if has_max_expanded is set.
     */
    size_t max_expanded;
    /**
     * The token budget for what was learned, the index, the timeline and the details
     * together. Default: 2,000. What was learned and the index are never cut; the
     * rest is added only while they leave room. The details of a result can exceed
     * the budget by less than their own length. Zero counts as given only if
     * has_budget_tokens is set.
     */
    size_t budget_tokens;
    /**
     * The number of events that a timeline shows before and after an event. Default:
     * 3. Zero counts as given only if has_window is set.
     */
    size_t window;
    /** Whether max_expanded is given, even if it is zero. */
    bool has_max_expanded;
    /** Whether budget_tokens is given, even if it is zero. */
    bool has_budget_tokens;
    /** Whether window is given, even if it is zero. */
    bool has_window;
    /** How to count tokens. Default (NULL): a quarter of the number of UTF-16 code units. */
    recallite_count_tokens_callback count_tokens;
    /** Passed to count_tokens. */
    void *user_data;
} recallite_smart_search_options;

/** One line of the index. */
typedef struct recallite_index_item {
    /** The event's id. */
    struct recallite_str id;
    /** Its position in the log. */
    uint64_t seq;
    /** Its citation. */
    struct recallite_str citation;
    /** What kind of event it is. One of recallite_event_kind. */
    int32_t kind;
    /** The session it belongs to. */
    struct recallite_str session;
    /** When it happened. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /**
     * A one-line summary of at most 100 characters: what a call of a known tool did,
     * otherwise the first sentence.
     */
    struct recallite_str summary;
    /** How likely it is to answer the query, from 0 to 1: the relevance of the hit. */
    float score;
} recallite_index_item;

/** Figures about a smart search. */
typedef struct recallite_smart_search_meta {
    /**
     * The number of events that matched: exact up to 1,000; a larger number is a
     * lower bound.
     */
    size_t total_matches;
    /** The number of results that are shown with a timeline or details. */
    size_t expanded_count;
    /**
     * The number of tokens of what was learned, the index, the timeline and the
     * details, in their Markdown form.
     */
    size_t estimated_tokens;
    /** Why results were expanded, or why not. One of recallite_expansion_reason. */
    int32_t expansion_reason;
} recallite_smart_search_meta;

/**
 * The result of recallite_smart_search: three layers, each only as far as it helps.
 *
 * Free it with recallite_smart_search_result_free, unless it came in another result.
 */
typedef struct recallite_smart_search_result {
    /**
     * Layer 1: the results, best first. Events that only serve as evidence of the
     * learned items are left out.
     */
    const struct recallite_index_item *const *index;
    /** How many. */
    size_t index_len;
    /** Learned items that help, as in a search. */
    const struct recallite_learned_hit *const *learned;
    /** How many. */
    size_t learned_len;
    /** Layer 2: what happened around some of the results; empty if none was added. */
    const struct recallite_timeline_item *const *timeline;
    /** How many. */
    size_t timeline_len;
    /** Layer 3: some of the results in full; empty if none was added. */
    const struct recallite_detail *const *details;
    /** How many. */
    size_t details_len;
    /** Figures about the search. */
    const struct recallite_smart_search_meta *meta;
    /**
     * A hint for the reader on how to see more; empty if enough was shown or nothing
     * was found.
     */
    struct recallite_str hint;
    /** How certain the best result or learned item is. One of recallite_match_class. */
    int32_t confidence;
    /** True if a deadline or damage kept part of the memory from being searched. */
    bool degraded;
    /** Layer 1 as Markdown. */
    struct recallite_str index_markdown;
    /** Layer 2 as Markdown; empty if there is no timeline. */
    struct recallite_str timeline_markdown;
    /** Layer 3 as Markdown; empty if there are no details. */
    struct recallite_str details_markdown;
    /**
     * What was learned, the layers that are present, and the hint, as one Markdown
     * text.
     */
    struct recallite_str markdown;
} recallite_smart_search_result;

/**
 * Selects events. Every condition that is set must hold, and at least one must be
 * set; selecting everything must be requested explicitly.
 *
 * Without kinds, conversation events are selected (prompts, responses, tool
 * observations, summaries). With session or everything, changes of sessions are
 * selected too, and with everything also tasks, edges, decisions and scored
 * contexts, which may not depend on any conversation. A project that is named
 * without any other condition selects everything in it. In a session that has
 * nothing else, session selects what it was given. Without project, only events of
 * the memory's own project are selected.
 *
 * What was learned from the selected messages goes with them. An entry or a task
 * that belongs to the project, the session and the time of the selection, but rests
 * on no message of the project, is selected itself: the message stays.
 *
 * Begin with RECALLITE_INIT(recallite_selector); a field that is zero has its
 * default.
 */
typedef struct recallite_selector {
    /** sizeof(recallite_selector). */
    size_t struct_size;
    /** Selects these events, each given by any of its three names. */
    const struct recallite_str *ids;
    /** How many. */
    size_t ids_len;
    /**
     * Selects events of this session, without project only those of the memory's own
     * project.
     */
    struct recallite_str session;
    /**
     * Selects events before this moment (exclusive). In milliseconds since 1970 UTC.
     * Zero counts as given only if has_before is set.
     */
    int64_t before_ms;
    /**
     * Selects events of these projects, and of the sessions that project gave to
     * them. Naming a project is a condition by itself. Without it, only events of
     * the memory's own project are selected, if it was opened for one. One of
     * recallite_scope.
     */
    int32_t scope;
    /** The project for RECALLITE_SCOPE_NAMED; absent otherwise. */
    struct recallite_str project;
    /** Selects events of these kinds. One of recallite_event_kind. */
    const int32_t *kinds;
    /** How many. */
    size_t kinds_len;
    /**
     * Whether to select every event, without project every one of the memory's own
     * project.
     */
    bool everything;
    /** Whether before_ms is given, even if it is zero. */
    bool has_before;
} recallite_selector;

/**
 * What recallite_forget did.
 *
 * Free it with recallite_forgotten_free, unless it came in another result.
 */
typedef struct recallite_forgotten {
    /** The number of events that were live before and are now forgotten. */
    uint64_t count;
    /** The size of their content, in bytes. */
    uint64_t content_bytes;
    /** The number of sessions that they belonged to. */
    uint64_t sessions;
    /** The number of waiting jobs for them that were dropped. */
    uint64_t jobs;
    /**
     * The number of segments of the search index that were rewritten without their
     * words.
     */
    uint64_t segments;
    /**
     * The number of larger segments that still contain their words, which no search
     * finds, until recallite_maintain, recallite_compact or a merge rewrites them.
     */
    uint64_t segments_waiting;
    /**
     * The position of the tombstone; absent if nothing was selected. 0 when there is
     * none.
     */
    uint64_t tombstone;
} recallite_forgotten;

/**
 * The receipt of recallite_erase.
 *
 * An erasure is a recorded order. It is written before anything is changed and stays
 * open until every file that held the text has been overwritten. Erasing again with
 * the same selector completes it and says so. Another call that erases at the same
 * time may carry it out, too: its events are counted all the same, and of what else
 * was erased and cleared, the part of this call.
 *
 * Free it with recallite_erased_free, unless it came in another result.
 */
typedef struct recallite_erased {
    /**
     * The number of events that were selected and are now erased, including
     * forgotten ones.
     */
    uint64_t count;
    /**
     * The number of events that the library had recorded about them (quotes,
     * entries, injected text, uses) and that were erased with them.
     */
    uint64_t dependents;
    /**
     * The number of the library's records that were only partly about them: that
     * part is erased, and the rest, which is about others, stays.
     */
    uint64_t reduced;
    /**
     * The position of the event that records the erasure; absent if nothing was
     * erased. 0 when there is none.
     */
    uint64_t tombstone;
    /** The generation that is now live; 0 if nothing was erased. */
    uint64_t generation;
    /**
     * Whether the old files were overwritten with zeros and removed. False while one
     * of them waits for a process that still has it open, and if one was removed
     * that could not be overwritten because the disk was full. Side files of vectors
     * that another process has open are removed without being overwritten.
     */
    bool was_overwritten;
    /** Every place that was cleared, in plain words. */
    const struct recallite_str *places;
    /** How many. */
    size_t places_len;
    /**
     * Whether nothing of this erasure, or of an earlier one, remains to be done. If
     * false, unclean_places says what remains; recallite_maintain without a time
     * limit, recallite_compact and the next call of recallite_erase continue it, and
     * opening the store does if only files of earlier generations remain.
     */
    bool is_complete;
    /** Files that may still contain erased text, in plain words. */
    const struct recallite_str *unclean_places;
    /** How many. */
    size_t unclean_places_len;
    /**
     * How to complete it, in plain words; after that, the calls named at is_complete
     * continue it; absent if it is complete.
     */
    struct recallite_str advice;
    /**
     * The number of earlier, unfinished erasures that this call completed. count is
     * only about what this call selected.
     */
    uint64_t completed;
} recallite_erased;

/**
 * The maximum amount of work of one call of recallite_maintain.
 *
 * Begin with RECALLITE_INIT(recallite_maintain_budget); a field that is zero has its
 * default.
 */
typedef struct recallite_maintain_budget {
    /** sizeof(recallite_maintain_budget). */
    size_t struct_size;
    /**
     * The number of events to evaluate for graduation. Default: 500. Zero counts as
     * given only if has_graduate_events is set.
     */
    size_t graduate_events;
    /**
     * The number of index segments to merge, and also of segments to rewrite without
     * forgotten events. Default: 4 of each. Zero counts as given only if has_merges
     * is set.
     */
    size_t merges;
    /** The size of the largest merge, in events. Default: 100,000. */
    uint64_t merge_events;
    /**
     * The number of outbox jobs to process, if there is an embedder. Default: 64.
     * Zero counts as given only if has_jobs is set.
     */
    size_t jobs;
    /**
     * The number of vectors to add to graphs, if the memory was opened with
     * vector_graph_from. Default: 500. Each takes about a millisecond, more in large
     * graphs. Zero counts as given only if has_graph_vectors is set.
     */
    size_t graph_vectors;
    /**
     * The number of messages for rules to learn from, in sessions that have ended or
     * fallen silent. Default: 200. None without learn_by_rules (see
     * skip_learn_by_rules). Zero counts as given only if has_learn_messages is set.
     */
    size_t learn_messages;
    /**
     * The time after which no further step is begun, in milliseconds; absent (the
     * default) sets no limit. When the time runs out, has_more is true whatever is
     * left, because nothing more was examined. An ordered erasure is carried out
     * only if its one long step is likely to fit: see requested_erasures.
     */
    uint64_t time_ms;
    /** Whether graduate_events is given, even if it is zero. */
    bool has_graduate_events;
    /** Whether merges is given, even if it is zero. */
    bool has_merges;
    /** Whether jobs is given, even if it is zero. */
    bool has_jobs;
    /** Whether graph_vectors is given, even if it is zero. */
    bool has_graph_vectors;
    /** Whether learn_messages is given, even if it is zero. */
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
    /** The number of merges of index segments. */
    size_t merges;
    /**
     * The number of index segments that were rewritten without words of forgotten
     * events.
     */
    size_t rewritten;
    /** The number of outbox jobs whose vectors were written or that needed none. */
    size_t jobs_done;
    /** The number of outbox jobs that failed; they are retried later. */
    size_t jobs_failed;
    /**
     * The number of outbox jobs that are retried or were taken back from dead
     * workers.
     */
    size_t jobs_revived;
    /** The number of outbox jobs that were completed long ago and have been removed. */
    size_t jobs_cleaned;
    /** The number of outbox jobs that still wait for the embedder. */
    size_t jobs_waiting;
    /** The number of vectors that were added to graphs. */
    size_t graph_vectors;
    /** The number of events that were evaluated for graduation. */
    size_t judged;
    /** The number of events whose level changed. */
    size_t moved;
    /** The number of insights that were found. */
    size_t insights;
    /** The number of memories that consolidation created. */
    size_t consolidated;
    /** The number of messages that rules have read. */
    size_t messages_read;
    /** The number of entries that rules have learned. */
    size_t entries_learned;
    /** The number of tasks that rules have learned. */
    size_t tasks_learned;
    /** The number of earlier, unfinished erasures that are now complete. */
    uint64_t erasures_completed;
    /**
     * The number of erasures that are not complete: they wait for a file that
     * another process has open, or to be carried out; see unclean_places.
     */
    uint64_t open_erasures;
    /**
     * How many of these are yet to be carried out. If the time of this call did not
     * suffice, a call without time_ms carries them out.
     */
    uint64_t requested_erasures;
    /** Whether there is more work for another call. */
    bool has_more;
    /**
     * Whether a compaction is worthwhile: much of the log was forgotten since the
     * last one, or the store is much larger than its contents and than it was after
     * the last one.
     */
    bool compaction_pays;
} recallite_maintained;

/** A job that failed. */
typedef struct recallite_job_failure {
    /** The job's number. */
    uint64_t job;
    /** The error message. */
    struct recallite_str message;
} recallite_job_failure;

/**
 * The result of a run of the worker.
 *
 * Free it with recallite_processed_free, unless it came in another result.
 */
typedef struct recallite_processed {
    /** The number of jobs that were claimed. */
    size_t processed;
    /** The number of jobs that are done, including skipped ones. */
    size_t succeeded;
    /** The number of jobs that failed. */
    size_t failed;
    /**
     * The number of finished jobs that needed no vector, because their item is gone
     * or contains nothing to embed.
     */
    size_t skipped;
    /** The error of each failed job. */
    const struct recallite_job_failure *const *errors;
    /** How many. */
    size_t errors_len;
} recallite_processed;

/** A problem in a store, and what to do about it. */
typedef struct recallite_divergence {
    /**
     * The table or part with the problem: events is the log, lexical the search
     * index.
     */
    struct recallite_str place;
    /** The position of the event, if one is affected. 0 when there is none. */
    uint64_t seq;
    /** What is wrong, without any stored content. */
    struct recallite_str problem;
    /** What to do about it. */
    struct recallite_str remedy;
} recallite_divergence;

/** A record that has no effect because this library cannot have written it. */
typedef struct recallite_ignored_record {
    /** Its position. */
    uint64_t seq;
    /** The kind of event that it claims to be. One of recallite_event_kind. */
    int32_t kind;
    /** Why it is ignored, without any stored content. */
    struct recallite_str problem;
} recallite_ignored_record;

/**
 * The result of recallite_check.
 *
 * Free it with recallite_check_report_free, unless it came in another result.
 */
typedef struct recallite_check_report {
    /** Whether the store is sound. */
    bool ok;
    /** The number of records in the log. */
    uint64_t events;
    /** The first problem that was found. NULL when there is none. */
    const struct recallite_divergence *first_divergence;
    /**
     * Records of the log that are intact but ignored because the library never wrote
     * them: they are forged. They change nothing, so a store that contains them can
     * still be sound. At most the first hundred are listed.
     */
    const struct recallite_ignored_record *const *ignored_records;
    /** How many. */
    size_t ignored_records_len;
    /** The state hash at as_of_ms, as returned by recallite_upkeep_state_hash. */
    struct recallite_str state_hash;
    /**
     * The moment of the hash, which is the time of the newest live event. In
     * milliseconds since 1970 UTC.
     */
    int64_t as_of_ms;
} recallite_check_report;

/**
 * What recallite_rebuild did.
 *
 * Free it with recallite_rebuilt_free, unless it came in another result.
 */
typedef struct recallite_rebuilt {
    /** The number of records of the log that were replayed. */
    uint64_t events;
    /**
     * The state hash before, as 64 hexadecimal digits; empty if the tables could not
     * be read.
     */
    struct recallite_str hash_before;
    /**
     * The state hash after. It differs from the one before only if the tables had
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
    /** The size of all files of the store before, in bytes. */
    uint64_t before_bytes;
    /** The size of all files of the store after, in bytes. */
    uint64_t after_bytes;
    /** The generation that is now live. */
    uint64_t generation;
    /**
     * Paths of former files of the store that could not be removed, because another
     * process has them open or the disk refused it; recallite_maintain tries again.
     * Until then, the store is no smaller.
     */
    const struct recallite_str *left_files;
    /** How many. */
    size_t left_files_len;
} recallite_compacted;

/**
 * What an import did.
 *
 * Free it with recallite_imported_free, unless it came in another result.
 */
typedef struct recallite_imported {
    /** The number of events that were stored. */
    uint64_t events;
    /**
     * The number of events that were already here, or were here and have been
     * forgotten.
     */
    uint64_t duplicates;
    /**
     * The number of lines that an import leaves out: events that the export lists as
     * forgotten or erased, what the library had recorded itself, and what this
     * memory does not store because it is paused or excluded.
     */
    uint64_t skipped;
    /**
     * How many of the skipped lines are events that this memory does not store
     * because it is paused or excluded.
     */
    uint64_t unwanted;
    /** Warnings about the store, for example that it is almost full. */
    const struct recallite_str *warnings;
    /** How many. */
    size_t warnings_len;
} recallite_imported;

/**
 * The parts of an entity key.
 *
 * Free it with recallite_entity_key_parts_free, unless it came in another result.
 */
typedef struct recallite_entity_key_parts {
    /** The kind of entity that the key names. One of recallite_entity_kind. */
    int32_t kind;
    /** The project of a task or condition; artifacts have none. */
    struct recallite_str project;
    /** The identity within its kind and project. */
    struct recallite_str identifier;
} recallite_entity_key_parts;

/**
 * One memory in a citation block.
 *
 * Begin with RECALLITE_INIT(recallite_cited_memory) and give content, citation,
 * timestamp_ms, session; another field that is zero has its default.
 */
typedef struct recallite_cited_memory {
    /** sizeof(recallite_cited_memory). */
    size_t struct_size;
    /** The text to show. */
    struct recallite_str content;
    /** Its citation, without mem:. */
    struct recallite_str citation;
    /** When it was created; its date is shown in UTC. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** The session it belongs to; its first 6 characters are shown. */
    struct recallite_str session;
} recallite_cited_memory;

/**
 * An event as seen by the summary of a session.
 *
 * Begin with RECALLITE_INIT(recallite_spoken_event) and give kind, content; another
 * field that is zero has its default.
 */
typedef struct recallite_spoken_event {
    /** sizeof(recallite_spoken_event). */
    size_t struct_size;
    /**
     * What kind of event it is; prompts and responses are counted. One of
     * recallite_event_kind.
     */
    int32_t kind;
    /** Its text. */
    struct recallite_str content;
} recallite_spoken_event;

/**
 * One memory of the context for a prompt.
 *
 * Begin with RECALLITE_INIT(recallite_context_memory) and give kind, content,
 * timestamp_ms, score; another field that is zero has its default.
 */
typedef struct recallite_context_memory {
    /** sizeof(recallite_context_memory). */
    size_t struct_size;
    /** What kind of event it is. One of recallite_event_kind. */
    int32_t kind;
    /** The text, which is shown in full. */
    struct recallite_str content;
    /** When it happened. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** The score, from 0 to 1. */
    double score;
    /** Its neighbours, in words. */
    struct recallite_str session_context;
} recallite_context_memory;

/**
 * A quote and the message that it is claimed to come from.
 *
 * Begin with RECALLITE_INIT(recallite_evidence_quote) and give message_index, quote;
 * another field that is zero has its default.
 */
typedef struct recallite_evidence_quote {
    /** sizeof(recallite_evidence_quote). */
    size_t struct_size;
    /**
     * The index of the message, counted from 0. Models make up indices: an index
     * that no message has gives a failed result and does not affect the other
     * quotes.
     */
    int64_t message_index;
    /**
     * The words of the message, as returned by the extractor; 30 to 200 characters
     * work best.
     */
    struct recallite_str quote;
} recallite_evidence_quote;

/**
 * Options for recallite_align.
 *
 * Begin with RECALLITE_INIT(recallite_align_options); a field that is zero has its
 * default.
 */
typedef struct recallite_align_options {
    /** sizeof(recallite_align_options). */
    size_t struct_size;
    /**
     * The minimum similarity of a fuzzy match, from 0.5 to 1.0. Default: 0.85
     * (specification).
     */
    double fuzzy_threshold;
    /**
     * The maximum length of a quote for the fuzzy step, in normalised characters.
     * Longer quotes are searched only exactly and normalized. Default: 500
     * (specification), at most 10,000. Zero counts as given only if
     * has_max_fuzzy_quote_chars is set.
     */
    size_t max_fuzzy_quote_chars;
    /**
     * Whether a quote that fits several places fails with
     * RECALLITE_FAILURE_REASON_AMBIGUOUS instead of using the first place. Default:
     * false.
     */
    bool reject_ambiguous;
    /**
     * Whether a fuzzy match that says something else fails with
     * RECALLITE_FAILURE_REASON_SAYS_OTHERWISE: it has other numbers, more or fewer
     * negations, or a word in the place of another one ("by Monday" for "by
     * Friday"). Default: false (specification); answers that are ingested are held
     * to it.
     */
    bool same_facts;
    /** Whether max_fuzzy_quote_chars is given, even if it is zero. */
    bool has_max_fuzzy_quote_chars;
} recallite_align_options;

/**
 * The parts of a match score.
 *
 * Begin with RECALLITE_INIT(recallite_match_parts) and give semantic, lexical,
 * age_days; another field that is zero has its default.
 */
typedef struct recallite_match_parts {
    /** sizeof(recallite_match_parts). */
    size_t struct_size;
    /** The semantic similarity, from 0 to 1. */
    double semantic;
    /** The lexical score, from 0 to 1. */
    double lexical;
    /** The age of the memory in days, 0 or more. */
    double age_days;
    /**
     * Disables this setting: whether the memory is still in force. It is on by
     * default.
     */
    bool skip_is_active;
} recallite_match_parts;

/**
 * The result of matching a list of candidates. Candidates are identified by their
 * index in the given list.
 *
 * Free it with recallite_match_list_free, unless it came in another result.
 */
typedef struct recallite_match_list {
    /** The best candidate, unless the class is none. */
    size_t matched;
    /** Whether matched is known. */
    bool has_matched;
    /** The class of the best candidate. One of recallite_match_class. */
    int32_t match_class;
    /** The lead over the second candidate; absent if there are fewer than two. */
    double gap;
    /** Whether gap is known. */
    bool has_gap;
    /** The next best candidates, only if the class is suggested. */
    const size_t *alternatives;
    /** How many. */
    size_t alternatives_len;
} recallite_match_list;

/**
 * Which results to expand, identified by their index in the given list.
 *
 * Free it with recallite_expansion_decision_free, unless it came in another result.
 */
typedef struct recallite_expansion_decision {
    /** The results to expand, best first; empty if there are none. */
    const size_t *targets;
    /** How many. */
    size_t targets_len;
    /** Whether the targets' timelines are shown. */
    bool expands_timeline;
    /** Whether the targets' details are shown. */
    bool expands_details;
    /** Which rule decided. One of recallite_expansion_reason. */
    int32_t reason;
    /** Whether anything is expanded. */
    bool is_expansion;
} recallite_expansion_decision;

/**
 * The result of a requested status change.
 *
 * Free it with recallite_task_transition_free, unless it came in another result.
 */
typedef struct recallite_task_transition {
    /** The outcome of the request. One of recallite_move_outcome. */
    int32_t outcome;
    /**
     * The status afterwards. A rejected change may lead to another status. One of
     * recallite_task_status.
     */
    int32_t status;
    /** Why the change was rejected, if it was. */
    struct recallite_str reason;
} recallite_task_transition;

/**
 * How an event was used, as of one moment.
 *
 * Begin with RECALLITE_INIT(recallite_new_usage) and give access_count, confidence,
 * cross_session_refs, days_since_last_access; another field that is zero has its
 * default.
 */
typedef struct recallite_new_usage {
    /** sizeof(recallite_new_usage). */
    size_t struct_size;
    /** The number of accesses. */
    uint64_t access_count;
    /** The highest confidence seen, from 0 to 1. */
    double confidence;
    /** The number of distinct other sessions that accessed it, at most 64. */
    uint64_t cross_session_refs;
    /** The number of days since the last access. */
    double days_since_last_access;
} recallite_new_usage;

/**
 * The result of evaluating one memory.
 *
 * Free it with recallite_evaluation_free, unless it came in another result.
 */
typedef struct recallite_evaluation {
    /** The next level; absent at the top. One of recallite_level. */
    int32_t next;
    /** Whether it rises to the next level. */
    bool passed;
    /** The first criterion that failed. One of recallite_criterion. */
    int32_t failed_on;
    /** Why it does not rise, in words; empty if it does. */
    struct recallite_str reason;
} recallite_evaluation;

/**
 * An event as seen by the search for insights.
 *
 * Begin with RECALLITE_INIT(recallite_insight_event) and give id, is_user_prompt,
 * content, canonical_key; another field that is zero has its default.
 */
typedef struct recallite_insight_event {
    /** sizeof(recallite_insight_event). */
    size_t struct_size;
    /** The event's id. */
    struct recallite_str id;
    /** Whether it is a user's prompt; only prompts reveal preferences. */
    bool is_user_prompt;
    /** The text. */
    struct recallite_str content;
    /** The canonical key of the text. */
    struct recallite_str canonical_key;
} recallite_insight_event;

/**
 * What part of a conversation was about.
 *
 * Free it with recallite_context_snapshot_free, unless it came in another result.
 */
typedef struct recallite_context_snapshot {
    /** When it was taken. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** The id of the context. */
    struct recallite_str id;
    /** The topics it was about. */
    const struct recallite_str *topics;
    /** How many. */
    size_t topics_len;
    /** The files that were mentioned. */
    const struct recallite_str *files;
    /** How many. */
    size_t files_len;
    /** The entities that were mentioned. */
    const struct recallite_str *entities;
    /** How many. */
    size_t entities_len;
} recallite_context_snapshot;

/**
 * What part of a conversation was about.
 *
 * Begin with RECALLITE_INIT(recallite_new_context_snapshot) and give timestamp_ms;
 * another field that is zero has its default.
 */
typedef struct recallite_new_context_snapshot {
    /** sizeof(recallite_new_context_snapshot). */
    size_t struct_size;
    /** When it was taken. In milliseconds since 1970 UTC. */
    int64_t timestamp_ms;
    /** The id of the context. */
    struct recallite_str id;
    /** The topics it was about. */
    const struct recallite_str *topics;
    /** How many. */
    size_t topics_len;
    /** The files that were mentioned. */
    const struct recallite_str *files;
    /** How many. */
    size_t files_len;
    /** The entities that were mentioned. */
    const struct recallite_str *entities;
    /** How many. */
    size_t entities_len;
} recallite_new_context_snapshot;

/**
 * The facts on which the decision to consolidate depends.
 *
 * Begin with RECALLITE_INIT(recallite_consolidation_trigger) and give since_last_ms,
 * working_set_size, idle_ms; another field that is zero has its default.
 */
typedef struct recallite_consolidation_trigger {
    /** sizeof(recallite_consolidation_trigger). */
    size_t struct_size;
    /** Time since the last consolidation, in milliseconds. */
    int64_t since_last_ms;
    /** The number of events in the working set that are not part of a memory. */
    size_t working_set_size;
    /** Time since the last event, in milliseconds. */
    int64_t idle_ms;
} recallite_consolidation_trigger;

/**
 * A tool's arguments without secrets.
 *
 * Free it with recallite_masked_input_free, unless it came in another result.
 */
typedef struct recallite_masked_input {
    /**
     * The arguments. Objects and arrays are kept; the keys of objects are sorted, as
     * everywhere. As JSON.
     */
    struct recallite_str input_json;
    /** The number of values and places that were masked. */
    uint32_t secret_count;
} recallite_masked_input;

/**
 * A text without its private sections.
 *
 * Free it with recallite_private_removed_free, unless it came in another result.
 */
typedef struct recallite_private_removed {
    /** The text with a marker in place of each section. */
    struct recallite_str text;
    /** The number of sections that were removed, including empty ones. */
    uint32_t private_count;
    /**
     * True if an opening tag outside code had no closing tag. Such a tag hides
     * nothing: the text after it is still there.
     */
    bool unclosed;
} recallite_private_removed;

/**
 * A text without its secrets.
 *
 * Free it with recallite_masked_free, unless it came in another result.
 */
typedef struct recallite_masked {
    /** The text with [REDACTED] in place of each secret. */
    struct recallite_str text;
    /** The number of places that were masked. */
    uint32_t secret_count;
} recallite_masked;

/**
 * Settings of the privacy filter.
 *
 * The defaults are those of the specification, plus recognising well-known key
 * formats and special care for source code.
 *
 * Begin with RECALLITE_INIT(recallite_privacy_config); a field that is zero has its
 * default.
 */
typedef struct recallite_privacy_config {
    /** sizeof(recallite_privacy_config). */
    size_t struct_size;
    /** Disables this setting: whether to honour private tags. It is on by default. */
    bool skip_private_tags;
    /** What replaces a private section. Default: [PRIVATE]. One of recallite_marker. */
    int32_t marker;
    /**
     * How private sections can be written. Default: only RECALLITE_TAG_FORMAT_XML.
     * One of recallite_tag_format.
     */
    const int32_t *formats;
    /** How many. */
    size_t formats_len;
    /**
     * Whether the marker is followed by all line ends of the section but one, and
     * runs of line ends are kept everywhere. Default: false, which reduces runs of
     * three and more to two.
     */
    bool preserve_line_count;
    /**
     * Words (regular expressions, ignoring letter case) that make a value after them
     * and : or = a secret. Default: "password", "secret", "api_key", "token",
     * "bearer"; these five are always recognised, "bearer" with : or = only while
     * code_aware is set.
     */
    const struct recallite_str *exclude_patterns;
    /** How many. */
    size_t exclude_patterns_len;
    /**
     * Disables this setting: whether to also recognise secrets by their form: keys
     * of well-known issuers, private keys, web tokens, passwords in addresses and
     * commands, and auto_detect_patterns. It is on by default.
     */
    bool skip_auto_detect;
    /** Regular expressions whose matches are masked as a whole. Default: none. */
    const struct recallite_str *auto_detect_patterns;
    /** How many. */
    size_t auto_detect_patterns_len;
    /**
     * Disables this setting: whether, in source code, the words apply only to quoted
     * or random-looking values, so that token = parser.next_token() stays. It is on
     * by default.
     */
    bool skip_code_aware;
    /**
     * Whether to replace e-mail addresses, telephone numbers and the user names in
     * home folders by placeholders. Default: false.
     */
    bool anonymize;
} recallite_privacy_config;

/**
 * The result of filtering a text.
 *
 * Free it with recallite_filtered_free, unless it came in another result.
 */
typedef struct recallite_filtered {
    /** The text that may be stored. */
    struct recallite_str text;
    /** What the filter did. */
    const struct recallite_privacy_report *privacy;
    /** What the writer should know, for example that a private tag is not closed. */
    const struct recallite_str *warnings;
    /** How many. */
    size_t warnings_len;
} recallite_filtered;

/**
 * A reference to a task, condition or artifact.
 *
 * Begin with RECALLITE_INIT(recallite_condition_target) and give kind, id; another
 * field that is zero has its default.
 */
typedef struct recallite_condition_target {
    /** sizeof(recallite_condition_target). */
    size_t struct_size;
    /** What it is. One of recallite_entity_kind. */
    int32_t kind;
    /** The id of the entity. */
    struct recallite_str id;
} recallite_condition_target;

/**
 * An edge between two nodes of a graph.
 *
 * Begin with RECALLITE_INIT(recallite_graph_edge) and give source_id, relation,
 * destination_id; another field that is zero has its default.
 */
typedef struct recallite_graph_edge {
    /** sizeof(recallite_graph_edge). */
    size_t struct_size;
    /** The id of the node that it starts at. */
    struct recallite_str source_id;
    /** The meaning of the edge. One of recallite_relation. */
    int32_t relation;
    /** The id of the node that it leads to. */
    struct recallite_str destination_id;
} recallite_graph_edge;

/**
 * What fits into the token budget, identified by index in the given list.
 *
 * Free it with recallite_expansion_plan_free, unless it came in another result.
 */
typedef struct recallite_expansion_plan {
    /** The result whose timeline is shown. */
    size_t timeline_for;
    /** Whether timeline_for is known. */
    bool has_timeline_for;
    /** The results whose details are shown, best first. */
    const size_t *details_for;
    /** How many. */
    size_t details_for_len;
    /**
     * The number of tokens of the index, the timeline and the details together.
     * Details can exceed the budget by less than their own length.
     */
    size_t used_tokens;
} recallite_expansion_plan;

/** A store whose records this one accepts. */
typedef struct recallite_member {
    /** Its public key, 64 hexadecimal digits. */
    struct recallite_str identity;
    /** The name that people use for it. */
    struct recallite_str name;
    /** What its orders apply to. One of recallite_member_role. */
    int32_t role;
    /** When this store added it as a member. In milliseconds since 1970 UTC. */
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
 * Signed records for other stores, as text.
 *
 * Free it with recallite_shared_batch_free, unless it came in another result.
 */
typedef struct recallite_shared_batch {
    /**
     * The records as recallite_sharing_receive takes them: JSON Lines, each record
     * signed.
     */
    struct recallite_str lines;
    /** The number of records in the batch. */
    uint64_t records;
    /**
     * The position of this store's log up to which records were looked at, where the
     * next batch begins.
     */
    uint64_t through;
    /** Whether there are more records after it. */
    bool has_more;
} recallite_shared_batch;

/**
 * What recallite_sharing_receive did.
 *
 * Free it with recallite_received_free, unless it came in another result.
 */
typedef struct recallite_received {
    /** The identity of the store that the batch came from. */
    struct recallite_str identity;
    /** The number of records that were new here. */
    uint64_t records;
    /** The number of records that were already here. */
    uint64_t duplicates;
    /**
     * The number of records that an order had forgotten or erased before they
     * arrived.
     */
    uint64_t refused;
    /** The number of events that orders in the batch hid. */
    uint64_t forgotten;
    /**
     * The number of orders to erase, from this batch and earlier ones, that
     * recallite_sharing_erase_ordered has yet to carry out.
     */
    uint64_t to_erase;
    /** The position up to which that store's log was received. */
    uint64_t through;
} recallite_received;

/** How much of another store's log was received. */
typedef struct recallite_watermark {
    /** The identity of the other store. */
    struct recallite_str identity;
    /** The position in its log up to which this store has everything that it shares. */
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
 * The origin of an event that another store recorded.
 *
 * Free it with recallite_record_source_free, unless it came in another result.
 */
typedef struct recallite_record_source {
    /**
     * The public key of the store that recorded it; absent if that store is no
     * longer a member.
     */
    struct recallite_str identity;
    /** The name of that store; absent if it is no longer a member. */
    struct recallite_str name;
    /** The event's position in the log of that store. */
    uint64_t position;
    /** The event's citation in that store, which may differ from its citation here. */
    struct recallite_str citation;
} recallite_record_source;

/**
 * What recallite_sharing_push_folder wrote.
 *
 * Free it with recallite_pushed_free, unless it came in another result.
 */
typedef struct recallite_pushed {
    /** The number of new files. */
    uint64_t files;
    /** The number of records in them. */
    uint64_t records;
    /**
     * The number of files that were rewritten without what was forgotten or erased
     * since.
     */
    uint64_t rewritten;
} recallite_pushed;

/**
 * What recallite_sharing_pull_folder, or a pull from elsewhere, took in.
 *
 * Free it with recallite_pulled_free, unless it came in another result.
 */
typedef struct recallite_pulled {
    /** The number of files that were read; 0 for a pull that has no files. */
    uint64_t files;
    /** The number of records that were new here. */
    uint64_t records;
    /** The number of records that were already here. */
    uint64_t duplicates;
    /**
     * The number of records that an order had forgotten or erased before they
     * arrived.
     */
    uint64_t refused;
    /** The number of events that orders hid. */
    uint64_t forgotten;
    /**
     * The number of orders to erase that recallite_sharing_erase_ordered has yet to
     * carry out.
     */
    uint64_t to_erase;
    /**
     * The identities of stores that wrote there but are not members. Nothing of
     * theirs was read.
     */
    const struct recallite_str *strangers;
    /** How many. */
    size_t strangers_len;
} recallite_pulled;

/**
 * A store that announced itself in a folder.
 *
 * Free it with recallite_announced_free, unless it came in another result.
 */
typedef struct recallite_announced {
    /** Its public key, 64 hexadecimal digits. */
    struct recallite_str identity;
    /** The name it gave itself. */
    struct recallite_str name;
} recallite_announced;

/** Several of recallite_announced. Free it with recallite_announced_list_free. */
typedef struct recallite_announced_list {
    /** Pointers to them. */
    const struct recallite_announced *const *items;
    /** How many. */
    size_t len;
} recallite_announced_list;

/** An erasure of this store that other stores have yet to carry out. */
typedef struct recallite_unanswered_erasure {
    /** The position of the event that records the erasure. */
    uint64_t seq;
    /** When it was recorded. In milliseconds since 1970 UTC. */
    int64_t erased_ms;
    /**
     * The identities of the members that have not yet confirmed that they carried it
     * out.
     */
    const struct recallite_str *waiting_for;
    /** How many. */
    size_t waiting_for_len;
    /**
     * The identities of the members that erased only what this store itself recorded
     * and kept the rest, because this store is not an owner to them. Each reports
     * the newest 1,000 such erasures.
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
 * Selects tasks. A task must match every field that is set.
 *
 * Begin with RECALLITE_INIT(recallite_task_filter); a field that is zero has its
 * default.
 */
typedef struct recallite_task_filter {
    /** sizeof(recallite_task_filter). */
    size_t struct_size;
    /** Keeps only tasks of these projects. One of recallite_scope. */
    int32_t scope;
    /** The project for RECALLITE_SCOPE_NAMED; absent otherwise. */
    struct recallite_str project;
    /** Keeps only tasks with this status. One of recallite_task_status. */
    int32_t status;
    /**
     * Keeps only tasks with this text in the title or description, ignoring letter
     * case.
     */
    struct recallite_str text;
    /** Skips this many tasks, to page through a list. Default: 0. */
    size_t offset;
    /**
     * The maximum number of tasks to return. Default: 1,000. Zero counts as given
     * only if has_limit is set.
     */
    size_t limit;
    /**
     * Keeps only tasks whose quoted events are all there, as searches do: leaves out
     * what was learned from events that are forgotten now. Set this for lists that
     * you give to a model. Default: false.
     */
    bool is_live;
    /** Whether limit is given, even if it is zero. */
    bool has_limit;
} recallite_task_filter;

/**
 * A task that a person or a program creates.
 *
 * Begin with RECALLITE_INIT(recallite_new_task) and give title; another field that
 * is zero has its default.
 */
typedef struct recallite_new_task {
    /** sizeof(recallite_new_task). */
    size_t struct_size;
    /** What has to be done, in one line of at most 500 characters. */
    struct recallite_str title;
    /** The project it belongs to. Default: that of the memory. */
    struct recallite_str project;
    /** How urgent it is. Default: medium. One of recallite_priority. */
    int32_t priority;
    /** A longer description, at most 20,000 characters. */
    struct recallite_str description;
    /**
     * What the task waits for, in free text, at most 50 items. A task that waits for
     * anything is created as blocked.
     */
    const struct recallite_str *blocked_by;
    /** How many. */
    size_t blocked_by_len;
} recallite_new_task;

/**
 * What an export wrote.
 *
 * Free it with recallite_exported_free, unless it came in another result.
 */
typedef struct recallite_exported {
    /** The number of events. */
    uint64_t events;
    /** The size of the export, in bytes. */
    uint64_t bytes;
} recallite_exported;

/**
 * What recallite_upkeep_upgrade did.
 *
 * Free it with recallite_upgraded_free, unless it came in another result.
 */
typedef struct recallite_upgraded {
    /** The format that the store had. */
    uint32_t from_format;
    /** The format that the store has now. */
    uint32_t to_format;
    /** Whether anything changed. */
    bool changed;
} recallite_upgraded;

/**
 * The weights that recall uses for ranking. Pass them to recall_weights. Nothing
 * that is stored depends on them.
 *
 * **0 switches a feature off**, in every field. Boosts are fractions of the score of
 * the best passage: a weight of 0.25 adds a quarter of that score to a hit. Shares
 * are fractions of the value that they apply to. The other parts of the ranking are
 * fixed.
 *
 * The defaults were chosen on chats and coding transcripts together. "Without it"
 * says what changes when the feature is off, as printed by recallite-benches quality
 * --ablation and transcripts --ablation: recall@10 for chats and hit@10 for
 * transcripts, in percentage points. Differences below 0.5 and 3 points,
 * respectively, are noise. docs/measurements.md has the whole table.
 *
 * relevance is calibrated for the defaults. With other weights a higher relevance
 * still means a more likely answer, but a relevance of 0.75 no longer means that
 * three hits out of four are right.
 *
 * Begin with RECALLITE_INIT(recallite_recall_weights), call
 * recallite_recall_weights_default, and change what shall differ: zero is a value of
 * its own here.
 */
typedef struct recallite_recall_weights {
    /** sizeof(recallite_recall_weights). */
    size_t struct_size;
    /**
     * How much words count that are only similar to a word of the question, as a
     * fraction of their similarity in the static table. At 0, a question finds only
     * its own words and their other forms.
     *
     * Without it: chats -3.6, transcripts -12.3.
     *
     * 0 to 1; default 1.0.
     */
    float query_expansion;
    /**
     * The boost for the passage that is most similar to the question as a whole, by
     * the static embeddings of their words; others get it in proportion. It depends
     * on how many of the question's words the table contains. If there are vectors
     * of an embedder, they replace it.
     *
     * Without it: chats -0.9, transcripts -2.7.
     *
     * 0 to 10; default 0.15.
     */
    float similarity_by_words;
    /**
     * The boost for the event that is most similar to the question by the embedder's
     * vectors; others get it in proportion. At 0, the embedder is not asked and
     * nothing is found by its vector alone. Measured with all-MiniLM-L6-v2: values
     * from 0.4 to 0.6 perform equally well.
     *
     * 0 to 10; default 0.5.
     */
    float similarity_by_vectors;
    /**
     * How much the scores of the surrounding turns count for a turn, in total.
     *
     * Without it: chats -2.5, transcripts -1.4; without any context -10.5 and -1.4.
     *
     * 0 to 10; default 0.5.
     */
    float context_scores;
    /**
     * How much it counts when the surrounding turns contain words of the question
     * that a turn lacks. For example, "thirty seconds" answers a question whose
     * subject is named only in the turn before.
     *
     * Without it: chats -2.6, transcripts -1.4.
     *
     * 0 to 10; default 0.5.
     */
    float context_words;
    /**
     * The boost for turns of a speaker whom the question names, if it names exactly
     * one.
     *
     * Without it: chats -4.5, transcripts 0.
     *
     * 0 to 10; default 0.35.
     */
    float named_actor;
    /**
     * The boost for prompts when a short question is about the person asking it
     * ("how far away do my parents live?"), who said it themselves. It has no effect
     * if the question names a speaker.
     *
     * Without it: assistants' dialogues (BEAM) -2.8 (nDCG@10 -4.1), chats 0,
     * transcripts 0.
     *
     * 0 to 10; default 0.2.
     */
    float own_prompts;
    /**
     * The boost for an event that happened at the time the question names,
     * decreasing with distance, or that mentions a day the question names.
     *
     * Without it: chats -0.5 (nDCG@10 -1.2), transcripts 0.
     *
     * 0 to 10; default 0.3.
     */
    float date;
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
     * The share of its score and its relevance that an event loses while what was
     * learned from it is contested, or no longer holds. The default corresponds to
     * the specification's factor of 0.7.
     *
     * 0 to 1; default 0.3.
     */
    float contested_demotion;
} recallite_recall_weights;

/**
 * How much of a tool's output is kept.
 *
 * Begin with RECALLITE_INIT(recallite_tool_limits); a field that is zero has its
 * default.
 */
typedef struct recallite_tool_limits {
    /** sizeof(recallite_tool_limits). */
    size_t struct_size;
    /**
     * The maximum number of characters (Unicode scalar values). Default: 10,000.
     * Zero counts as given only if has_max_output_chars is set.
     */
    size_t max_output_chars;
    /**
     * The maximum number of lines. Default: 100. Zero counts as given only if
     * has_max_output_lines is set.
     */
    size_t max_output_lines;
    /**
     * Whether to keep the whole output, regardless of the other limits. Default:
     * false.
     */
    bool keep_whole_output;
    /**
     * Whether to keep only the informative part of the output of some tools: the
     * first and the last 50 lines of Read, the files in which Grep found something,
     * and the first 500 characters of WebFetch. The output of failed calls and of
     * other tools is kept within the limits. Default: false.
     */
    bool by_tool;
    /** Whether max_output_chars is given, even if it is zero. */
    bool has_max_output_chars;
    /** Whether max_output_lines is given, even if it is zero. */
    bool has_max_output_lines;
} recallite_tool_limits;

/**
 * Which tool calls to store.
 *
 * Begin with RECALLITE_INIT(recallite_tool_policy); a field that is zero has its
 * default.
 */
typedef struct recallite_tool_policy {
    /** sizeof(recallite_tool_policy). */
    size_t struct_size;
    /**
     * Disables this setting: whether to store tool calls at all. It is on by
     * default.
     */
    bool skip_enabled;
    /**
     * Tools whose calls are never stored. Default: TodoWrite and TodoRead. An empty
     * list counts as given only if has_excluded_tools is set.
     */
    const struct recallite_str *excluded_tools;
    /** How many. */
    size_t excluded_tools_len;
    /** Whether to skip failed calls. Default: false. */
    bool store_only_on_success;
    /** Whether excluded_tools is given, even if it is empty. */
    bool has_excluded_tools;
} recallite_tool_policy;

/** The retention period of events of one kind. */
typedef struct recallite_retention {
    /** The kind: one of recallite_event_kind. */
    int32_t kind;
    /** How long to keep events, in milliseconds after their timestamp. */
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
     * Zero-terminated UTF-8; empty for "no details". It is empty when the callback is
     * called.
     */
    char text[RECALLITE_PROBLEM_BYTES];
} recallite_problem;

/**
 * Turns texts into vectors.
 *
 * It is called by threads that search, ask for context, process the outbox or run
 * maintenance, and by threads of the library named "recallite-embedder", several at once.
 * The library holds no lock in the meantime: the callback may call the library, except for
 * what would embed again. It must return: no exception and no longjmp.
 *
 * texts holds texts_len texts, each followed by a zero byte. vectors has room
 * for texts_len times dimensions numbers, all 0: the first text's vector, then
 * the second's. They need not have length 1 but must be finite; a vector that
 * stays 0 says that the text means nothing. All pointers are valid during the
 * call only.
 *
 * Return 0 for success. Anything else is a failure, which can be described in problem. A
 * search then continues with words alone and says degraded; a job of the outbox is retried
 * later.
 */
typedef int32_t (*recallite_embed_callback)(const struct recallite_str *texts,
                                            size_t texts_len,
                                            float *vectors,
                                            struct recallite_problem *problem,
                                            void *user_data);

/**
 * Frees or releases what was passed to a callback as user_data.
 *
 * It is called once, by the thread that drops the last use, which can be any thread of the
 * program or of the library. It must return: no exception and no longjmp.
 */
typedef void (*recallite_destructor)(void *user_data);

/**
 * An embedder, which turns texts into vectors so that recall can search by meaning as well
 * as by words. Begin with RECALLITE_INIT(recallite_embedder); id, dimensions and embed are
 * required.
 */
typedef struct recallite_embedder {
    /** sizeof(recallite_embedder). */
    size_t struct_size;
    /**
     * The name of the model and its version, for example "all-MiniLM-L6-v2": 1 to 128
     * bytes without control characters. Vectors of different names are never compared; if
     * the name changes, everything stored is embedded again.
     */
    struct recallite_str id;
    /** The number of dimensions of each vector, from 1 to 16,384. */
    size_t dimensions;
    /** The maximum number of texts per call. Default: 32. */
    size_t max_batch;
    /** The function. */
    recallite_embed_callback embed;
    /** Passed to embed and destroy; may be NULL. */
    void *user_data;
    /**
     * Called with user_data when the library no longer needs it: after the last handle and
     * cursor of the memory has been freed and the last call has returned. It is not called
     * if opening fails; the program then keeps ownership of user_data. NULL for nothing.
     */
    recallite_destructor destroy;
} recallite_embedder;

/**
 * Where a model is stored and how to run it.
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
     * The shared library of ONNX Runtime 1.24 or newer. Default: the one that
     * "ORT_DYLIB_PATH" names, or that the system finds.
     */
    struct recallite_str onnxruntime_library;
    /**
     * The maximum number of tokens per text, at least 3 and including special
     * tokens; longer texts are cut. Default: 256. The model's own limit applies too.
     * Fewer tokens are faster: 128 halves the time for long texts.
     */
    size_t max_tokens;
    /** The number of threads for one embedding. Default: one per processor. */
    size_t threads;
    /**
     * The embedder's id. Default: the folder's name, or owner/name for a model of
     * the Hugging Face cache.
     */
    struct recallite_str id;
} recallite_fastembed_options;

/**
 * One line that a memory reports about its work; see on_log. It never contains
 * stored text, a question, or a name that a program gave.
 */
typedef struct recallite_log_record {
    /** How severe it is. One of recallite_log_level. */
    int32_t level;
    /**
     * The part of the library that reports it: "open", "recall", "embed", "upkeep"
     * or "share".
     */
    struct recallite_str target;
    /** The message: one sentence on one line, without a full stop. */
    struct recallite_str message;
} recallite_log_record;

/**
 * Receives reports of what opening, recovery, upkeep and degraded searches do.
 *
 * It is called by the thread that does the work, after the work is done and with no lock
 * of the library held. It may call the library; what those calls do is not reported.
 * record and its texts, each followed by a zero byte, are valid during the call only. It
 * must return: no exception and no longjmp.
 */
typedef void (*recallite_log_callback)(const struct recallite_log_record *record,
                                       void *user_data);

/**
 * A logger, which is called with reports of what a memory does. Begin with
 * RECALLITE_INIT(recallite_logger); log is required.
 */
typedef struct recallite_logger {
    /** sizeof(recallite_logger). */
    size_t struct_size;
    /** The function. */
    recallite_log_callback log;
    /** Passed to log and destroy; may be NULL. */
    void *user_data;
    /**
     * Called with user_data when the library no longer needs it: after the last handle and
     * cursor of the memory has been freed and the last call has returned. It is not called
     * if opening fails; the program then keeps ownership of user_data. NULL for nothing.
     */
    recallite_destructor destroy;
} recallite_logger;

/**
 * Settings for opening a memory. Every setting has a default.
 *
 * Begin with RECALLITE_INIT(recallite_open_options); a field that is zero has its
 * default.
 */
typedef struct recallite_open_options {
    /** sizeof(recallite_open_options). */
    size_t struct_size;
    /**
     * Sets the project that events belong to and that reads cover unless they name
     * another one. Default: none. See recallite_project_of.
     */
    struct recallite_str project;
    /**
     * Disables this setting: whether to create the store if it does not exist. It is
     * on by default.
     */
    bool must_exist;
    /**
     * Whether this process is the only one that has the store open. Default: false,
     * so several processes can share it. All processes must use the same value.
     */
    bool exclusive;
    /**
     * The memory to use for caching pages of the store file, in bytes. Default: 16
     * MiB. Up to half of it holds pages changed by the current write; a write that
     * changes more pages than that writes the rest twice. If this process has the
     * store open already, the cache is shared and keeps its size.
     */
    size_t cache_bytes;
    /**
     * The memory to use for caching decoded parts of the search index, in bytes.
     * Default: 48 MiB.
     */
    size_t index_cache_bytes;
    /**
     * Disables this setting: whether to cache the results of recall: searches for
     * one minute, timelines for five minutes and details for thirty, a few MB at
     * most. Any write by any process invalidates the cache, so results are the same
     * with or without it. It is on by default.
     */
    bool skip_recall_cache;
    /**
     * Sets the weights that recall uses for ranking. Default: the measured ones, see
     * recallite_recall_weights. Each process can use its own.
     */
    const struct recallite_recall_weights *recall_weights;
    /**
     * How long a write waits for another process or thread before it fails with
     * RECALLITE_BUSY, in milliseconds. Default: 5,000. If this process has the store
     * open already, the time of the first handle applies. Zero counts as given only
     * if has_busy_timeout_ms is set.
     */
    uint64_t busy_timeout_ms;
    /**
     * Whether to accept a folder on a network file system, which is recognised on
     * Linux and Windows, or a synchronised folder. Default: false, because locks and
     * writes are not reliable there.
     */
    bool allow_network_folder;
    /** What to filter out of every text before it is stored. */
    const struct recallite_privacy_config *privacy;
    /** How much of a tool's output to store. */
    const struct recallite_tool_limits *tool_limits;
    /**
     * Which tool calls an append stores. For any other call, the receipt says that
     * it was skipped. Default: every call. An unmodified recallite_tool_policy is
     * the specification's, which excludes TodoWrite and TodoRead.
     */
    const struct recallite_tool_policy *tool_policy;
    /**
     * How long a search without a deadline waits for the vector of its question, in
     * milliseconds. When the time is over, the search continues without the vector
     * and marks its result as degraded. Default: 5,000, because the first question
     * may have to load a model. Zero counts as given only if
     * has_embedding_timeout_ms is set.
     */
    uint64_t embedding_timeout_ms;
    /**
     * The number of vectors from which a vector file gets an HNSW graph in the
     * memory of this process. Default: 0, which disables graphs.
     *
     * Graphs are built by recallite_maintain, one bounded step per call, so they
     * suit long-lived processes. Until a graph is finished, and whenever a query has
     * a filter, searches read the file. A graph finds almost the same results as the
     * file, and is faster only where there are many vectors with little structure;
     * docs/measurements.md has measurements. It takes 2 to 4 KB of memory per vector
     * plus one byte per dimension, up to vector_graph_bytes; freeing it when the
     * memory is dropped can take seconds.
     *
     * recallite_open_with fails with RECALLITE_UNSUPPORTED if this is not 0 and the
     * library was built without the feature "graph", which is enabled by default.
     */
    size_t vector_graph_from;
    /**
     * The maximum memory that HNSW graphs may use in this process, in bytes.
     * Default: 1 GiB. If the estimated size of a file's graph exceeds what is left,
     * the file gets no graph, and searches read the file. While one graph replaces
     * another, both are in memory. Has no effect without vector_graph_from.
     */
    size_t vector_graph_bytes;
    /**
     * Disables this setting: whether recallite_maintain learns without a language
     * model. Rules find decisions, preferences, constraints, facts, tasks and
     * blockers in what people and agents said, in English, Korean, Japanese and
     * Chinese. They look at sessions that have ended or have been silent for half an
     * hour. It is on by default. See docs/guides/learning.md.
     */
    bool skip_learn_by_rules;
    /**
     * The time zone for days: what a question means by "yesterday", "last week" or
     * "on March 14", and how the endless mode names its sessions. Give an IANA name
     * (Asia/Seoul) or an offset (+09:00). Default: the machine's time zone. Times
     * that are passed in and shown are always UTC.
     *
     * recallite_open_with fails with RECALLITE_INVALID_ARGUMENT for a name that is
     * not in the machine's time zone database.
     */
    struct recallite_str time_zone;
    /**
     * The size of the store, in bytes, above which receipts carry a warning and
     * is_over_quota is true. Nothing is refused. A copy that is being made and old
     * files that wait to be removed do not count. Default: 500,000,000. Zero counts
     * as given only if has_quota_bytes is set.
     */
    uint64_t quota_bytes;
    /**
     * The size of the store, in bytes, above which appends fail with RECALLITE_FULL.
     * Forgetting, erasing and compacting always work. A copy that is being made and
     * old files that wait to be removed do not count. Default: no limit.
     */
    uint64_t size_limit_bytes;
    /**
     * The least severe level that is reported to the function of on_log. Default:
     * RECALLITE_LOG_LEVEL_INFO. One of recallite_log_level.
     */
    int32_t log_level;
    /**
     * Reads settings from a JSON file of the documented form
     * (docs/guides/settings.md). Every key either has an effect or is refused by
     * name. Keys that are absent have the library's default. Options that are given
     * here take precedence over the file, and so does settings, key by key. The
     * library reads no other file and no environment variable. Default: none.
     */
    struct recallite_str settings_file;
    /**
     * Sets settings given as JSON, in the form of a settings file (see
     * settings_file). They take precedence over a file, key by key.
     * recallite_upkeep_settings shows what is in force. Default: none.
     */
    struct recallite_str settings;
    /** Whether busy_timeout_ms is given, even if it is zero. */
    bool has_busy_timeout_ms;
    /** Whether embedding_timeout_ms is given, even if it is zero. */
    bool has_embedding_timeout_ms;
    /** Whether quota_bytes is given, even if it is zero. */
    bool has_quota_bytes;
    /**
     * How long to keep events of each kind; recallite_upkeep_apply_retention forgets
     * older ones. Default: forever.
     */
    const struct recallite_retention *retention_ms;
    /** The number of kinds with a retention period. */
    size_t retention_ms_len;
    /**
     * The embedder, which turns texts into vectors so that recall can search by
     * meaning as well as by words. Default (NULL): none; recall then uses words and
     * their static vectors.
     *
     * The store remembers the embedder's version. From then on every process that
     * appends enqueues a job for each event, and recallite_process_outbox works
     * through them. Until an event has its vector, and whenever the embedder fails,
     * it is found by its words.
     */
    const struct recallite_embedder *embedder;
    /**
     * A model in a folder to use as the embedder, instead of embedder. Requires a
     * library that was built with the feature fastembed.
     */
    const struct recallite_fastembed_options *fastembed;
    /**
     * A logger, which is called with reports of what opening, recovery, upkeep and
     * degraded searches do, but never with stored text or questions. Default (NULL):
     * none, and the library logs nothing anywhere.
     */
    const struct recallite_logger *on_log;
} recallite_open_options;

/** How far an operation has come; see recallite_set_progress_handler. */
typedef struct recallite_progress {
    /** The operation. One of recallite_operation. */
    int32_t operation;
    /**
     * How much is done, in the units of the operation: 0 at its beginning, and never
     * less than before.
     */
    uint64_t done;
    /**
     * How much there is to do, in the same units; absent if that is not known. An
     * estimate until the end, where it equals done.
     */
    uint64_t total;
    /** Whether total is known. */
    bool has_total;
} recallite_progress;

/**
 * Called with the progress of a long operation, on the thread that runs it: at its beginning, at
 * most every 50 milliseconds in between, and at its end if it succeeds. It may read from the same
 * memory, but must not append, change anything or begin another long operation. It must return: no
 * exception and no longjmp.
 *
 * The progress is valid during the call only. Return 0 to continue; anything else ends the
 * operation with RECALLITE_INTERRUPTED, except at its end, where it has no effect.
 */
typedef int32_t (*recallite_progress_callback)(const struct recallite_progress *progress,
                                               void *user_data);

/**
 * Receives a view of an event in the store's page.
 *
 * It is called during the call that it was passed to and on the same thread. It may call
 * the library. It must return: no exception and no longjmp.
 *
 * event and its texts are valid during the callback only. The texts are not copied: no
 * zero byte follows them. canonical_key is absent; recallite_canonical_key computes it.
 * Return 0 to continue, anything else to end the visit.
 */
typedef int32_t (*recallite_event_callback)(const struct recallite_event *event,
                                            void *user_data);

/**
 * What to read from a transcript, and how much of it.
 *
 * Begin with RECALLITE_INIT(recallite_import_options); a field that is zero has its
 * default.
 */
typedef struct recallite_import_options {
    /** sizeof(recallite_import_options). */
    size_t struct_size;
    /** Disables this setting: whether to read tool calls. It is on by default. */
    bool skip_tool_observations;
    /**
     * Whether to keep prompts and responses that contain only blank text. Default:
     * false. A memory stores no blank text: an import then counts them as refused.
     */
    bool keeps_blank_text;
    /**
     * The maximum length of a response, in UTF-16 code units; absent (the default)
     * keeps it whole. A longer one is filtered before it is cut.
     */
    size_t response_limit_utf16;
    /**
     * The number of prompts and responses of each transcript after which the reader
     * stops; absent (the default) reads everything.
     */
    size_t limit;
    /**
     * The maximum length of a line, in bytes. Default: 64 MiB. A longer one is
     * counted as an error and skipped without being held in memory.
     */
    size_t max_line_bytes;
} recallite_import_options;

/** The progress of an import, passed to its progress callback. */
typedef struct recallite_import_progress {
    /** The number of files that are done. */
    size_t files_done;
    /** The total number of files. */
    size_t files_total;
    /** The size of the files that are done, in bytes. */
    uint64_t bytes_done;
    /** The total size of the files, in bytes. */
    uint64_t bytes_total;
    /** The number of events stored so far, not counting duplicates. */
    uint64_t events_stored;
} recallite_import_progress;

/**
 * Called after each transaction of an import, on the thread that imports. It
 * may call the library. It must return: no exception and no longjmp.
 *
 * The progress is valid during the call only. Return 0 to continue, anything else to end
 * the import; what was stored stays.
 */
typedef int32_t (*recallite_import_callback)(const struct recallite_import_progress *progress,
                                             void *user_data);

/**
 * Receives bytes of an export.
 *
 * It is called during the call that it was passed to and on the same thread, with at most
 * 64 KiB at a time. It may call the library. It must return: no exception and no longjmp.
 *
 * bytes is valid during the callback only. Return 0 if all of it was taken; anything else
 * is a failure, and the call fails with RECALLITE_CALLBACK.
 */
typedef int32_t (*recallite_write_callback)(const uint8_t *bytes,
                                            size_t len,
                                            void *user_data);

/**
 * Provides bytes of an export.
 *
 * It is called during the call that it was passed to and on the same thread. It may call
 * the library. If anything is stored in the same store while recallite_upkeep_restore_jsonl_from
 * runs, that stays, and the restore fails with RECALLITE_ALREADY_EXISTS. It must return: no
 * exception and no longjmp.
 *
 * Put up to capacity bytes at buffer, write their number to len, and return 0; a len of 0
 * is the end. Any other return value is a failure, and the call fails with
 * RECALLITE_CALLBACK.
 */
typedef int32_t (*recallite_read_callback)(uint8_t *buffer,
                                           size_t capacity,
                                           size_t *len,
                                           void *user_data);

/**
 * Summarises a group of events on behalf of the program. It is called by
 * recallite_endless_consolidate for each group, on the thread that called that function,
 * outside of any transaction. It may call the library, but not close the memory. It must
 * return: no exception and no longjmp.
 *
 * topics and texts are valid during the call only. Set summary to a text that stays valid
 * until the callback is called again or recallite_endless_consolidate returns, and return
 * 0. The library copies it, and it passes through the privacy filter. Leave summary absent
 * and return 0 to use the summary made by rules. Anything but 0 is a failure, and so is a
 * summary that is not UTF-8: the call fails with RECALLITE_CALLBACK, nothing is stored, and
 * the events keep waiting.
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
 * Returns the stable name of a status, for example "invalid_argument"; "ok" for 0, and
 * "unknown" for a number without a meaning.
 *
 * @return zero-terminated text that is always valid; never NULL.
 */
const char *recallite_status_name(int32_t status);

/**
 * Returns the event kind with a stable name, or with the word that people see ("prompt",
 * "response", "insight", "tool").
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
 * Returns every event kind that this library knows, for reads that should leave none out:
 * without kinds, a filter means the four conversation kinds.
 *
 * @param[out] len the number of kinds.
 * @return an array that is always valid, each item one of recallite_event_kind; NULL if
 *     len is NULL.
 */
const int32_t *recallite_event_kinds(size_t *len);

/** Frees text that the caller owns. NULL is allowed. */
void recallite_string_free(struct recallite_string *string);

/** Frees a list of texts. NULL is allowed. */
void recallite_string_list_free(struct recallite_string_list *strings);

/**
 * Returns a view of zero-terminated text, without the zero; absent for NULL.
 *
 * @param[in] text zero-terminated UTF-8, or NULL.
 * @return a view that is valid as long as text.
 */
struct recallite_str recallite_str_from(const char *text);

/** Frees an error. NULL is allowed. */
void recallite_error_free(struct recallite_error *error);

/** Returns the ABI version of the loaded library: its RECALLITE_ABI_VERSION. */
uint32_t recallite_abi_version(void);

/**
 * Returns the version of the loaded library, for example "0.1.0". The header has its own
 * in RECALLITE_VERSION.
 *
 * @return zero-terminated text that is always valid; never NULL.
 */
const char *recallite_version(void);

/**
 * Returns an event with the events before and after it in its session, and how it
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
 * Returns the citations of any project that were given to agents most often, most
 * used first. Equally used ones are ordered by their last use, latest first.
 *
 * window_days counts only uses within that many days before now; absent counts all
 * of them.
 *
 * Growth: Constant; with window_days, by the events that were used within it: their
 * uses are added up by day and by month.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number.
 * @param[in] window_days a number; 0 if not given.
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
 * Returns the sessions that an event was given to, each once, latest first. At most
 * limit are returned, 1,000 by default.
 *
 * Growth: By result, counting each time that it was given to one of them.
 *
 * @param[in] memory the memory.
 * @param[in] event an event, by its id or citation.
 * @param[in] limit a number; 0 if not given.
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
 * Returns how the memory treats conversations.
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
 * Returns the session that something happening now belongs to. In the endless mode
 * this is the session of the day, endless_YYYY-MM-DD by local time, unless recording
 * of session is paused: nothing is then stored under its own name, which is
 * returned, as in the other mode.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] session UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT for a blank or too long session;
 *     RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_endless_session_now(struct recallite_memory *memory,
                                               struct recallite_str session,
                                               struct recallite_string **result,
                                               struct recallite_error **error);

/**
 * Changes the mode. Switching to the endless mode moves the events of the last 7
 * days into the working set (the newest, as many as it holds), turns the summary of
 * each session into a memory, and runs one consolidation, unless consolidation is
 * left to the host. The summary of a session is the one that
 * recallite_update_session set, otherwise its newest event of the kind
 * RECALLITE_EVENT_KIND_SESSION_SUMMARY, notes aside. A memory made from a summary is
 * removed when the session is forgotten or erased. Switching back changes only the
 * mode; nothing is lost.
 *
 * Growth: By store if the mode changes to endless, for the summaries of all
 * sessions; otherwise constant.
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
 * Returns the limits of the endless mode.
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
 * Replaces all limits of the endless mode. What is left out has its default from
 * then on: to change a single limit, change what recallite_endless_config_get
 * returns.
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
 * Returns what is in the working set, most relevant first, then newest first. The
 * relevance of an event falls from its last use on, to half by the time it expires.
 * A use with a higher confidence than that (a search found it, a context included
 * it, it was refreshed) raises it again and keeps it longer.
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
 * Adds conversation events to the working set, in any mode: for example what an
 * agent is returning to, or what was said before the endless mode began. relevance
 * is how much they matter now, from 0 to 1. An event that is already there counts as
 * used again. Returns how many are there now because of this call; that is 0 if
 * relevance is less than min_relevance_score.
 *
 * Growth: By the events that are given.
 *
 * @param[in] memory the memory.
 * @param[in] events texts; NULL when there are none.
 * @param[in] events_len how many.
 * @param[in] relevance a number.
 * @param[out] result a number; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming relevance, naming events if there
 *     are more than 10,000, or naming an event that does not belong to a
 *     conversation or is not among the last 16,384 of the log; RECALLITE_NOT_FOUND
 *     naming the event; RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the
 *     store cannot be written.
 */
recallite_status recallite_endless_add_to_working_set(struct recallite_memory *memory,
                                                      const struct recallite_str *events,
                                                      size_t events_len,
                                                      double relevance,
                                                      size_t *result,
                                                      struct recallite_error **error);

/**
 * Marks events in the working set as still in use: each becomes as relevant as an
 * event that was just said, and stays longer. This does not count as an access.
 * Returns how many of the events were in the working set; the others are ignored.
 *
 * Growth: By the events that are given.
 *
 * @param[in] memory the memory.
 * @param[in] events texts; NULL when there are none.
 * @param[in] events_len how many.
 * @param[out] result a number; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming events if there are more than
 *     10,000; RECALLITE_NOT_FOUND naming the event; RECALLITE_BUSY, RECALLITE_FULL
 *     or RECALLITE_IO when the store cannot be written.
 */
recallite_status recallite_endless_refresh_working_set(struct recallite_memory *memory,
                                                       const struct recallite_str *events,
                                                       size_t events_len,
                                                       size_t *result,
                                                       struct recallite_error **error);

/**
 * Removes events from the working set; they stay in the log. Events that were not
 * consolidated by then are not consolidated any more. Returns how many of the events
 * were in the working set; the others are ignored.
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
 * Returns the consolidated memories, newest first. With text, returns only those
 * that match it by meaning, as in a search, most relevant first. At most limit are
 * returned, 1,000 by default.
 *
 * Growth: By result; with text as that of recallite_search.
 *
 * @param[in] memory the memory.
 * @param[in] text UTF-8; absent for none.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_consolidated_memory_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_endless_memories(struct recallite_memory *memory,
                                            struct recallite_str text,
                                            size_t limit,
                                            struct recallite_consolidated_memory_list **result,
                                            struct recallite_error **error);

/**
 * Returns the transitions that were scored last, in log order. At most limit are
 * returned, 1,000 by default. They cover the last 7 days and the last 16,384
 * positions of the log.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_continuity_entry_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_endless_continuity_log(struct recallite_memory *memory,
                                                  size_t limit,
                                                  struct recallite_continuity_entry_list **result,
                                                  struct recallite_error **error);

/**
 * Scores how far a text (a prompt, or the beginning of a conversation) continues the
 * context before it. The text is then kept as the context for the next call, in any
 * process. While recording is paused for the project, or for a session with the name
 * context_id, the text is scored and nothing of it is kept.
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
 * Returns the current state of the endless mode.
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
 * Returns what to give to an agent: events of the working set and consolidated
 * memories. Without a query, as at the start of a session, these are the most
 * relevant events and the memories with the highest confidence. With a query, the
 * events of the working set that match it come first, and only matching memories are
 * included. Giving them is recorded as a use of each event, with the event's
 * relevance as its confidence.
 *
 * Growth: Constant; with query as that of recallite_search.
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

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_entity_free(struct recallite_entity *given);

/**
 * Returns the newest runs of the pipeline, at most limit of them, 1,000 by default,
 * in the order in which they began.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_build_run_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_history_build_runs(struct recallite_memory *memory,
                                              size_t limit,
                                              struct recallite_build_run_list **result,
                                              struct recallite_error **error);

/**
 * Returns how long each stage of the pipeline took: the newest limit measurements,
 * 1,000 by default, in log order.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_pipeline_metric_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_history_pipeline_metrics(struct recallite_memory *memory,
                                                    size_t limit,
                                                    struct recallite_pipeline_metric_list **result,
                                                    struct recallite_error **error);

/**
 * Returns the newest promotions of entries, including refused ones, at most limit of
 * them, 1,000 by default, in log order.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_promotion_record_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_history_promotions(struct recallite_memory *memory,
                                              size_t limit,
                                              struct recallite_promotion_record_list **result,
                                              struct recallite_error **error);

/**
 * Returns the newest recorded decisions, at most limit of them, 1,000 by default, in
 * the order in which they were made.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_decision_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_history_decisions(struct recallite_memory *memory,
                                             size_t limit,
                                             struct recallite_decision_list **result,
                                             struct recallite_error **error);

/**
 * Records a decision. Its evidence must be in the store, be verified or certified,
 * and have been known before the decision was made. The stage of an entry is
 * compared with the store; that of an entity is the caller's word.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] decision see recallite_new_decision.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming the element, for example
 *     evidence[1].known_ms, or project while recording of the memory's own one is
 *     paused; RECALLITE_NOT_FOUND naming evidence[1].evidence_id;
 *     RECALLITE_INVARIANT_VIOLATION when an entry does not have the stage that is
 *     claimed; RECALLITE_ALREADY_EXISTS when the decision was recorded before.
 */
recallite_status recallite_history_record_decision(struct recallite_memory *memory,
                                                   const struct recallite_new_decision *decision,
                                                   struct recallite_error **error);

/**
 * Returns the edges from a node or to a node, newest first. A node is an entry, an
 * entity, or an event, given by its id; an event also by its citation.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] filter see recallite_edge_filter.
 * @param[out] result to be freed with recallite_edge_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT unless exactly one of from and to is
 *     given; RECALLITE_NOT_FOUND naming it when it is a citation of nothing.
 */
recallite_status recallite_knowledge_edges(struct recallite_memory *memory,
                                           const struct recallite_edge_filter *filter,
                                           struct recallite_edge_list **result,
                                           struct recallite_error **error);

/**
 * Adds an edge between two existing nodes. If the edge already exists, only its meta
 * is replaced: an empty object removes it, and without meta it stays as it is.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] ends see recallite_edge_ends.
 * @param[in] meta_json JSON; absent for none.
 * @param[out] result to be freed with recallite_edge_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming relation when the relation does
 *     not lead between such nodes, or naming meta when that is not a JSON object;
 *     RECALLITE_NOT_FOUND naming source_id or destination_id;
 *     RECALLITE_INVARIANT_VIOLATION when a node would lead to itself, or for
 *     "blocked_by", "blocked_by_suggested" and "resolves_to" edges, which only
 *     calls about tasks make, and "supersedes" and "contradicts" edges, which
 *     recallite_knowledge_supersede and recallite_knowledge_contradict make.
 */
recallite_status recallite_knowledge_add_edge(struct recallite_memory *memory,
                                              const struct recallite_edge_ends *ends,
                                              struct recallite_str meta_json,
                                              struct recallite_edge **result,
                                              struct recallite_error **error);

/**
 * Removes an edge. It can still be read with as_of_ms. Returns false if there is no
 * such edge.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] ends see recallite_edge_ends.
 * @param[out] result what was found; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVARIANT_VIOLATION for the edges that
 *     recallite_knowledge_add_edge refuses; RECALLITE_NOT_FOUND naming source_id
 *     or destination_id when it is a citation of nothing.
 */
recallite_status recallite_knowledge_remove_edge(struct recallite_memory *memory,
                                                 const struct recallite_edge_ends *ends,
                                                 bool *result,
                                                 struct recallite_error **error);

/**
 * Replaces all edges of one relation from a node in one step. targets are the new
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
 * Returns an entry and everything that was derived from it, nearest first, to a
 * depth of at most ten derivations. Each entry appears once. At most limit are
 * returned, 1,000 by default.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] entry an id.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_lineage_step_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND.
 */
recallite_status recallite_knowledge_lineage(struct recallite_memory *memory,
                                             struct recallite_str entry,
                                             size_t limit,
                                             struct recallite_lineage_step_list **result,
                                             struct recallite_error **error);

/**
 * Returns the entries that prove something about an entity that this entry also
 * proves something about, each with those entities, by ascending id. At most limit
 * are returned, 1,000 by default.
 *
 * Growth: By the edges of the entities that the entry proves something about.
 *
 * @param[in] memory the memory.
 * @param[in] entry an id.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_related_entry_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND.
 */
recallite_status recallite_knowledge_related_entries(struct recallite_memory *memory,
                                                     struct recallite_str entry,
                                                     size_t limit,
                                                     struct recallite_related_entry_list **result,
                                                     struct recallite_error **error);

/**
 * Returns the learned entries that answer a question or contain some words, best
 * first. Related words and other word forms count, as in recallite_search.
 *
 * Entries that were superseded or deprecated, have expired or are not valid yet are
 * left out unless the filter asks for a status or for a moment (as_of_ms). Contested
 * entries rank lower. An entry that was confirmed to mean another one is replaced by
 * it. An entry that quotes a forgotten event is left out. At most 10 are returned
 * unless the filter says otherwise.
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
 * Returns the conflicts between entries that were found or resolved last, at most
 * limit of them, 1,000 by default, in the order in which they were found.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_conflict_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_knowledge_conflicts(struct recallite_memory *memory,
                                               size_t limit,
                                               struct recallite_conflict_list **result,
                                               struct recallite_error **error);

/**
 * Records what an uncertain memory (an event, entry, task, condition or artifact,
 * given by its id; an event also by its citation) means. The last answer counts.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] memory_id UTF-8.
 * @param[in] answer see recallite_memory_answer.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming memory_id, resolved_to (needed
 *     when confirmed, and not the memory itself) or confidence;
 *     RECALLITE_NOT_FOUND naming memory_id or resolved_to when the store has no
 *     such memory.
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
 * Returns the events whose context is missing and not yet resolved, by id. At most
 * limit are returned, 1,000 by default.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_placeholder_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_knowledge_placeholders(struct recallite_memory *memory,
                                                  size_t limit,
                                                  struct recallite_placeholder_list **result,
                                                  struct recallite_error **error);

/**
 * Returns the last answer about each uncertain memory, by the memory's id. At most
 * limit are returned, 1,000 by default.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_memory_resolution_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_knowledge_memory_resolutions(struct recallite_memory *memory,
                                                        size_t limit,
                                                        struct recallite_memory_resolution_list **result,
                                                        struct recallite_error **error);

/**
 * Returns what a memory means now: itself, or what it was confirmed to be, with its
 * text. A memory is an event, an entry, a task, a condition or an artifact, given by
 * its id; an event also by its citation.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] memory_id UTF-8.
 * @param[out] result to be freed with recallite_effective_memory_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND naming memory_id when it is a citation of
 *     nothing; RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_knowledge_effective_memory(struct recallite_memory *memory,
                                                      struct recallite_str memory_id,
                                                      struct recallite_effective_memory **result,
                                                      struct recallite_error **error);

/**
 * Returns the learned entries that match a filter, most recently learned first. An
 * entry that quotes a forgotten event is still listed, although no search returns
 * it; recallite_erase removes it.
 *
 * Growth: By result; with a text, by the entries of all projects that contain its
 * rarest word. A text without three letters in a row, and as_of_ms, are checked in
 * one entry after another, newest first, until the limit is reached. With records of
 * other stores, also by the entries of the session or project, or by all, because
 * the place of each is looked up.
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
 * Returns one learned entry; RECALLITE_NOT_FOUND if there is none with this id.
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
 * Adds an entry without an extraction, such as a fact that a user states or a
 * decision that was made elsewhere. If an event of the session is given, it proves
 * the entry and its words count as the quote; otherwise the content is stored as
 * said by the user. Adding the same entry again returns the existing one, unless it
 * was withdrawn: then a new one is added. An entry that says the same about another
 * time is superseded. If an entry of the same project and type says something else
 * under the same title, both are contested until
 * recallite_knowledge_resolve_conflict decides.
 *
 * Growth: Logarithmic.
 *
 * @param[in] memory the memory.
 * @param[in] entry see recallite_new_entry.
 * @param[out] result to be freed with recallite_learned_entry_free; may be
 *     NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is blank, private or too
 *     long; RECALLITE_NOT_FOUND naming event when there is no such event,
 *     RECALLITE_INVALID_ARGUMENT when it belongs to another session, or naming
 *     session or project while recording of it is paused: nothing is stored then;
 *     RECALLITE_ALREADY_EXISTS naming title when the entry was withdrawn and the
 *     given event proved it before; RECALLITE_BUSY, RECALLITE_FULL or
 *     RECALLITE_IO.
 */
recallite_status recallite_knowledge_add_entry(struct recallite_memory *memory,
                                               const struct recallite_new_entry *entry,
                                               struct recallite_learned_entry **result,
                                               struct recallite_error **error);

/**
 * Returns the messages of a session as an extraction numbers them: its prompts and
 * responses, in the order in which they were stored. Give these to the language
 * model. A session is read whole, whatever the project of each message. The first
 * offset of them are left out, by default none. At most limit are returned, 1,000 by
 * default.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] session UTF-8.
 * @param[in] offset a number; 0 if not given.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_session_message_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no such session; RECALLITE_CORRUPT
 *     or RECALLITE_IO.
 */
recallite_status recallite_knowledge_session_messages(struct recallite_memory *memory,
                                                      struct recallite_str session,
                                                      size_t offset,
                                                      size_t limit,
                                                      struct recallite_session_message_list **result,
                                                      struct recallite_error **error);

/**
 * Returns what to give to a language model of your own so that it extracts what a
 * session taught: the task, what is already known, and the messages that no model
 * has read yet, within a budget of estimated tokens (8,000 by default). Take in its
 * answer with recallite_ingest and the request's messages; the next request
 * continues after them. If the first message alone exceeds the budget, it is cut.
 * What another store recorded is left to that store, and nothing is given from the
 * first message on for which recording is paused.
 *
 * Growth: By result: the messages and what is known, within the budget.
 *
 * @param[in] memory the memory.
 * @param[in] session UTF-8.
 * @param[in] budget_tokens a number; 0 if not given.
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
 * Replaces an entry by a newer one: older stops holding when newer began to hold.
 * Its conflicts are over. Repeating the call changes nothing.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] older an id.
 * @param[in] newer an id.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND naming the entry; RECALLITE_INVALID_ARGUMENT
 *     when both are the same; RECALLITE_INVARIANT_VIOLATION when another entry has
 *     already replaced the older one, or when the two would replace each other in
 *     a circle.
 */
recallite_status recallite_knowledge_supersede(struct recallite_memory *memory,
                                               struct recallite_str older,
                                               struct recallite_str newer,
                                               struct recallite_error **error);

/**
 * Records that two entries contradict each other. Both rank lower until the conflict
 * is resolved. Repeating the call returns the existing conflict.
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
 *     when both are the same; RECALLITE_INVARIANT_VIOLATION when one of them is no
 *     longer in force or they hold at different times.
 */
recallite_status recallite_knowledge_contradict(struct recallite_memory *memory,
                                                struct recallite_str older,
                                                struct recallite_str newer,
                                                struct recallite_str reason,
                                                struct recallite_conflict **result,
                                                struct recallite_error **error);

/**
 * Resolves a conflict in favour of one entry. The other is deprecated, and its other
 * conflicts are over too.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] conflict_id UTF-8.
 * @param[in] verdict see recallite_conflict_verdict.
 * @param[out] result to be freed with recallite_conflict_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no such conflict;
 *     RECALLITE_INVALID_ARGUMENT naming in_favour_of when it is not part of the
 *     conflict, or resolution when it is blank; RECALLITE_INVALID_TRANSITION when
 *     the conflict has already ended.
 */
recallite_status recallite_knowledge_resolve_conflict(struct recallite_memory *memory,
                                                      struct recallite_str conflict_id,
                                                      const struct recallite_conflict_verdict *verdict,
                                                      struct recallite_conflict **result,
                                                      struct recallite_error **error);

/**
 * Promotes a verified entry to certified: somebody confirms it.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] id an id.
 * @param[in] certified_by UTF-8.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND; RECALLITE_INVARIANT_VIOLATION with the reason
 *     when the entry is not verified or not in force.
 */
recallite_status recallite_knowledge_certify(struct recallite_memory *memory,
                                             struct recallite_str id,
                                             struct recallite_str certified_by,
                                             struct recallite_error **error);

/**
 * Deprecates an entry without a successor: it stops holding now, and its conflicts
 * are over. Nothing changes if it was replaced or deprecated before.
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

/** Frees a list and all that lies in it. NULL is fine. */
void recallite_effective_blocker_list_free(struct recallite_effective_blocker_list *given);

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
 * Returns the level of an event and how it was used.
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
 * Returns how many conversation events are at each level.
 *
 * Growth: Constant.
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
 * Records that events were used in a session, for hosts that recall by other means
 * than recallite_search. The record is written with the next append,
 * recallite_maintain or recallite_close.
 *
 * Growth: By the events that are given.
 *
 * @param[in] memory the memory.
 * @param[in] events texts; NULL when there are none.
 * @param[in] events_len how many.
 * @param[in] session UTF-8.
 * @param[in] confidence a number.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming confidence, or session if it is
 *     blank or too long; RECALLITE_NOT_FOUND naming the event.
 */
recallite_status recallite_levels_record_access(struct recallite_memory *memory,
                                                const struct recallite_str *events,
                                                size_t events_len,
                                                struct recallite_str session,
                                                double confidence,
                                                struct recallite_error **error);

/**
 * Sets the half-life of memories: after this many days without an access, the value
 * of a memory is halved, and it may drop a level; absent (the default) disables
 * this.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] half_life_days a number; 0 if not given.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming half_life_days unless it is
 *     positive.
 */
recallite_status recallite_levels_set_half_life_days(struct recallite_memory *memory,
                                                     double half_life_days,
                                                     struct recallite_error **error);

/**
 * Evaluates at most limit events that were used since they were last evaluated. Each
 * rises by at most one level. Then looks for insights in the events at L1 and above
 * together.
 *
 * Growth: By limit.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number.
 * @param[out] result to be freed with recallite_graduated_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot
 *     be written.
 */
recallite_status recallite_levels_graduate(struct recallite_memory *memory,
                                           size_t limit,
                                           struct recallite_graduated **result,
                                           struct recallite_error **error);

/**
 * Returns the insights that were found in any project, ordered by key. At most limit
 * are returned, 1,000 by default.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_insight_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_levels_insights(struct recallite_memory *memory,
                                           size_t limit,
                                           struct recallite_insight_list **result,
                                           struct recallite_error **error);

/**
 * Pins a conversation event. Until it is unpinned or forgotten, every context of its
 * project begins with it, its level does not drop, and retention does not forget it.
 * Pinned events take up to half of the budget, most recently pinned first; an event
 * that does not fit into the rest of that half is left out. Returns false if the
 * event was already pinned. To pin something that was learned, pin its citation.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] event an event, by its id or citation.
 * @param[out] result what was found.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no such event;
 *     RECALLITE_INVALID_ARGUMENT naming event when it does not belong to a
 *     conversation; RECALLITE_FULL when 1,000 events are pinned; RECALLITE_BUSY,
 *     RECALLITE_FULL or RECALLITE_IO when the store cannot be written.
 */
recallite_status recallite_levels_pin(struct recallite_memory *memory,
                                      struct recallite_str event,
                                      bool *result,
                                      struct recallite_error **error);

/**
 * Unpins an event. Returns false if it was not pinned.
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
 * Returns the pinned events of a project, most recently pinned first.
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
 * The stable name of a recallite_scope_kind, for example "session"; "unknown" for 0
 * and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_scope_kind_name(int32_t number);

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
 * Takes in what a language model extracted from a session, as JSON that follows
 * recallite_extraction_schema(). Quotes are located in the session, entries and
 * tasks become records, and every step is recorded as an event. Taking in the same
 * extraction again writes nothing.
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
 * @return RECALLITE_INVALID_ARGUMENT naming the element as the schema spells
 *     it, for example entries[3].quotes[0].message_index, when the extraction is
 *     wrong: show the message to your model; RECALLITE_INVALID_ARGUMENT naming
 *     session or project while its recording is paused, or that of a project to
 *     which a message belongs on which the extraction rests; RECALLITE_NOT_FOUND
 *     when there is no such session: nothing is written then. If something fails
 *     later, only a failed run in the ledger remains, and the extraction can be
 *     ingested again.
 */
recallite_status recallite_ingest(struct recallite_memory *memory,
                                  struct recallite_str session,
                                  struct recallite_str extraction,
                                  const struct recallite_ingest_options *options,
                                  struct recallite_ingest_report **result,
                                  struct recallite_error **error);

/**
 * Appends one event. When this returns, the event is on disk.
 *
 * The text first passes through the privacy filter. The same content in the same
 * session is stored only once, unless the event's dedupe says otherwise; the receipt
 * says whether the event was a duplicate.
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
 * Appends several events in one transaction: either all of them or, if one is
 * refused, none. Receipts are in the order of the events.
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
 * Returns an event by its name, for example its id or its citation;
 * RECALLITE_NOT_FOUND if it does not exist or was forgotten.
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
 * Returns how many events recallite_events would return. For conditions on the
 * session, project, kind, tool and time, only indexes are read. With file_contains,
 * tool_outcome or repeats, the events that meet the other conditions are read as
 * well.
 *
 * Growth: By result: a row of an index for each event that is counted. Constant
 * without conditions, and for a session or a conversation kind alone.
 *
 * @param[in] memory the memory.
 * @param[in] filter see recallite_event_filter.
 * @param[out] result a number.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_events.
 */
recallite_status recallite_count_events(struct recallite_memory *memory,
                                        const struct recallite_event_filter *filter,
                                        uint64_t *result,
                                        struct recallite_error **error);

/**
 * Returns an event by what people type: an event id, "a7Bc3x", "mem:a7Bc3x" or
 * [mem:a7Bc3x].
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] text UTF-8.
 * @param[out] result to be freed with recallite_event_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when the text is none of these,
 *     RECALLITE_NOT_FOUND when there is no such event.
 */
recallite_status recallite_citation(struct recallite_memory *memory,
                                    struct recallite_str text,
                                    struct recallite_event **result,
                                    struct recallite_error **error);

/**
 * Returns the events after a position of the log, in log order and of every kind and
 * project. This is what a viewer or a cache needs to follow the store.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] after a position in the log.
 * @param[in] limit a number.
 * @param[out] result to be freed with recallite_event_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_event_get.
 */
recallite_status recallite_changes_since(struct recallite_memory *memory,
                                         uint64_t after,
                                         size_t limit,
                                         struct recallite_event_list **result,
                                         struct recallite_error **error);

/**
 * Waits until the log is longer than after, for at most timeout_ms, and returns the
 * log's last position. If it is greater than after, there is something new for
 * recallite_changes_since; otherwise the time ran out. Appends by every process
 * count. The store is polled every 1 to 25 milliseconds.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] after a position in the log.
 * @param[in] timeout_ms how long, in milliseconds.
 * @param[out] result a position in the log.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CLOSED when the handle is closed in the meantime;
 *     RECALLITE_IO, RECALLITE_CORRUPT or RECALLITE_NEEDS_REOPEN when the store
 *     cannot be read.
 */
recallite_status recallite_wait_for_change(struct recallite_memory *memory,
                                           uint64_t after,
                                           uint64_t timeout_ms,
                                           uint64_t *result,
                                           struct recallite_error **error);

/**
 * Returns the sessions with the newest events, newest first. At most limit are
 * returned, 1,000 by default. A session is listed under its own project, even if
 * some of its events belong to others: recallite_events finds those.
 *
 * Growth: By result; with every project wanted, also by their number.
 *
 * @param[in] memory the memory.
 * @param[in] scope which projects: one of recallite_scope.
 * @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
 * @param[in] limit a number; 0 if not given.
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
 * Returns one session; RECALLITE_NOT_FOUND if no event belongs to it.
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
 * are. The change itself is recorded as an event in the log.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] id UTF-8.
 * @param[in] update see recallite_session_update.
 * @param[out] result to be freed with recallite_session_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_append; RECALLITE_INVALID_ARGUMENT naming session or
 *     project when recording is paused for it and the update has a summary or
 *     tags, naming ended_ms when that is before the session's started_ms, and
 *     naming summary when all of it is private.
 */
recallite_status recallite_update_session(struct recallite_memory *memory,
                                          struct recallite_str id,
                                          const struct recallite_session_update *update,
                                          struct recallite_session **result,
                                          struct recallite_error **error);

/**
 * Returns the memories that help with a query, as text for an agent's prompt.
 *
 * The text is wrapped in a fence that nothing inside it can close (see
 * recallite_fence): it is data, not instructions. Each memory names its source and
 * its citation. The whole text stays within the token budget. A memory that does not
 * fit is cut at the end of a sentence or word, and the memories after it are left
 * out.
 *
 * The text begins with what is pinned or named by its citation in the query. Then
 * come relevant decisions and preferences that are in force, open and blocked tasks,
 * and anything else that was learned, one line each with its state and the citation
 * of its proof (learned); together they get at most a third of the budget if there
 * are events as well. Then come events, except those that only serve as evidence of
 * one of these lines.
 *
 * Whether anything is returned depends on the class of the best match, not on a
 * fixed relevance: none returns nothing, suggested returns memories below a line
 * that says they may be relevant, and high returns them below a line that announces
 * a high-confidence match. A fixed threshold of .5 would hide most of the right
 * answers in agent transcripts, where relevance is honestly low (see
 * docs/recall.md).
 *
 * Small talk is neither searched for nor returned: for "ok, thanks" or "the second
 * one", only what is pinned is returned. For an everyday order such as "run the
 * tests", what was learned about it and highly relevant messages are returned.
 *
 * A prompt that was appended to the session just before is not found. The injection
 * is recorded (see recallite_recording) for recallite_citations_detail,
 * recallite_citations_popular and recallite_stats_get.
 *
 * Growth: Logarithmic; with skip_known_since_ms, also by what the session was given
 * since then.
 *
 * @param[in] memory the memory.
 * @param[in] query see recallite_query.
 * @param[in] options see recallite_context_options.
 * @param[out] result to be freed with recallite_context_free.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_search; RECALLITE_INVALID_ARGUMENT for a limit outside
 *     1 to 64, a min_relevance or min_best_relevance outside 0 to 1, or a session
 *     name that is too long; as recallite_append when recording at once fails.
 */
recallite_status recallite_context_get(struct recallite_memory *memory,
                                       const struct recallite_query *query,
                                       const struct recallite_context_options *options,
                                       struct recallite_context **result,
                                       struct recallite_error **error);

/**
 * Puts a text of this memory between the marks of a fence, as recallite_context_get
 * does with its own: the text cannot close the fence, and if an agent repeats it,
 * the memory recognises it and does not learn it again. Use this for anything else
 * from the memory that you give to a model, such as search results or lists of
 * tasks. The text is not changed; show it with recallite_harmless first. Fence only
 * text that is in the memory: anything else in a fence would not be learned when it
 * is said.
 *
 * Growth: By the length of the text.
 *
 * @param[in] memory the memory.
 * @param[in] text UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CLOSED; RECALLITE_CORRUPT or RECALLITE_IO when the store
 *     cannot be read.
 */
recallite_status recallite_fence(struct recallite_memory *memory,
                                 struct recallite_str text,
                                 struct recallite_string **result,
                                 struct recallite_error **error);

/**
 * Returns what happened around some events: each event with up to window events
 * before and after it in its session, without duplicates and in order of time.
 * Events that do not exist are left out.
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
 * Returns events in full, in the order requested, with the events they are related
 * to.
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
 * Finds the events that answer a question or contain some words, best first.
 *
 * The words need not be the same: related words and other word forms count, and so
 * does what was said just before and after. An event can be found by the very next
 * call after it was appended, from any process.
 *
 * Results are never dropped for being uncertain unless min_relevance is set; look at
 * confidence and relevance.
 *
 * A search does not write to the store. Hits that are not doubtful are noted in
 * memory as accesses, which graduation depends on. They are written to the log in
 * batches by an append, recallite_maintain or recallite_close.
 *
 * learned contains what was learned and helps with the question: entries, tasks,
 * insights and consolidated memories, each with its state and the events that prove
 * it.
 *
 * An event that the query names by its citation ("show mem:a7Bc3x", or the citation
 * alone) and that its filters admit comes first, with relevance 1.
 *
 * Filters apply before ranking, not after it. Calls of a rarely used tool are found
 * no matter how many other events match better, and what one session taught is found
 * no matter how much was learned elsewhere.
 *
 * Growth: Logarithmic from about 20,000 events on; a smaller store has fewer events,
 * learned items and words than the most that a search looks at. With tool_outcome or
 * a filter that more than 4,096 events pass, also by the matches examined until
 * enough pass. Within a session, or if few events pass, what was learned elsewhere
 * costs nothing. With an embedder, also by the entries, tasks and consolidated
 * memories: the question is compared with the vector of each.
 *
 * @param[in] memory the memory.
 * @param[in] query see recallite_query.
 * @param[out] result to be freed with recallite_search_result_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT for an empty query, a limit outside 1 to
 *     1,000, a kind that is not a conversation kind, more tools than 64, a name of
 *     a tool or part of a path that is empty or too long, or a vector that is not
 *     one of the embedder's; RECALLITE_UNSUPPORTED for a vector without an
 *     embedder; RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_search(struct recallite_memory *memory,
                                  const struct recallite_query *query,
                                  struct recallite_search_result **result,
                                  struct recallite_error **error);

/**
 * Searches, and adds a timeline or the details of the results if they are clear
 * enough, within a token budget.
 *
 * The rules depend on relevance. If there is a single result with at least .92, or
 * the first result has at least .85 and is .1 ahead of the second, it is shown with
 * its timeline and details. If the third result has at least .8, the timelines of
 * the first three are added to help choose. Otherwise only the index is returned,
 * and the caller can ask for recallite_details.
 *
 * An event that the query names by its citation ("show mem:a7Bc3x") comes first and
 * is shown with its timeline and details.
 *
 * The filters of the query apply, and so does its limit if the options have none.
 *
 * Growth: Logarithmic.
 *
 * @param[in] memory the memory.
 * @param[in] query see recallite_query.
 * @param[in] options see recallite_smart_search_options.
 * @param[out] result to be freed with recallite_smart_search_result_free.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_search; RECALLITE_INVALID_ARGUMENT for a min_relevance
 *     outside 0 to 1 or a window that is too large.
 */
recallite_status recallite_smart_search(struct recallite_memory *memory,
                                        const struct recallite_query *query,
                                        const struct recallite_smart_search_options *options,
                                        struct recallite_smart_search_result **result,
                                        struct recallite_error **error);

/**
 * Forgets events: no read, search, history or count shows them again, and a rebuild
 * keeps them forgotten. Waiting jobs are dropped before this returns. The words of
 * the events leave the search index, or wait in its larger segments, where no search
 * finds them, for recallite_maintain to remove them (segments_waiting).
 *
 * The records stay in the log, marked by a tombstone, until they are erased. If the
 * same content is appended again, it is a new memory and the receipt's warnings say
 * so. Events that are already forgotten are not counted. More than 64 are forgotten
 * in several transactions, between which others write; each leaves a tombstone.
 *
 * Growth: By what is forgotten and what was learned from it. When a change of the
 * mode or a very large number of learned items is forgotten, or when what was
 * learned depends on records of other stores that arrived late, the whole log is
 * folded again: by store, and other writers wait for that.
 *
 * @param[in] memory the memory.
 * @param[in] selector see recallite_selector.
 * @param[out] result to be freed with recallite_forgotten_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT for a selector without a condition, an id
 *     of another project or of a tombstone; RECALLITE_NOT_FOUND for an id that
 *     never was; RECALLITE_BUSY, RECALLITE_FULL, RECALLITE_IO,
 *     RECALLITE_NEEDS_REOPEN or RECALLITE_CORRUPT as for an append: nothing is
 *     forgotten then, or of more than 64 events only the first ones; another call
 *     continues. An error after the tombstone was stored (while vectors were
 *     removed from side files) leaves the events forgotten; the next call of
 *     recallite_forget or recallite_maintain completes the work.
 *     RECALLITE_INTERRUPTED when the program stops it: what earlier transactions
 *     have forgotten stays forgotten, and another call continues.
 */
recallite_status recallite_forget(struct recallite_memory *memory,
                                  const struct recallite_selector *selector,
                                  struct recallite_forgotten **result,
                                  struct recallite_error **error);

/**
 * Erases events from the disk. Their content, metadata, tool calls, names, salts and
 * content hashes leave the log, along with everything that the library recorded
 * because of them, and every index is rebuilt without them. Afterwards, no byte of
 * the text is in any file of the store.
 *
 * What was learned from the events is erased too, unless every quote that supports
 * it is in an event that stays. This applies to entries, tasks, conditions,
 * memories, decisions and conflicts, and to a summary and tags that were given to
 * the session later. A record that also concerns other things keeps that part.
 *
 * What remains of an event is its position, id, citation, kind and time, and the
 * digest that the chain of checksums needs. The digest covered a random salt that is
 * gone, so it reveals nothing. The keyed hash of the caller's key (dedupe) also
 * remains: an import recognises the event by it and skips it. Events that are
 * already forgotten are erased as well if the selector matches them. Copies are the
 * caller's responsibility: backups, exports, and the same words in other events that
 * were not selected, such as a response that repeats a prompt or a stored
 * RECALLITE_EVENT_KIND_SESSION_SUMMARY.
 *
 * The erasure is ordered by a first short transaction, and the events are forgotten
 * (recallite_forget) before the store is rewritten; if there are very many, the rest
 * is hidden only at the end. If the process is killed, or this call fails or is
 * interrupted after that, the order stays open and open_erasures counts it:
 * recallite_maintain, recallite_compact or another call of recallite_erase carries
 * it out. It cannot be undone.
 *
 * Others can read and write in the meantime, unless they write so much that the new
 * store cannot catch up with them: its third copy is made while they wait. What they
 * append stays, even if the selector would match it, unless the library recorded it
 * about what is erased.
 *
 * Growth: By store: all of it is rewritten, however little is erased. When nothing
 * is selected, by the rarest of the conditions, among live and forgotten events.
 *
 * @param[in] memory the memory.
 * @param[in] selector see recallite_selector.
 * @param[out] result to be freed with recallite_erased_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_forget and recallite_compact; the erasure then stays
 *     ordered, also when the program stops it (RECALLITE_INTERRUPTED), unless the
 *     order could not be written. A failure after the events are erased is not an
 *     error: the receipt's is_complete is then false, and its unclean_places say
 *     why.
 */
recallite_status recallite_erase(struct recallite_memory *memory,
                                 const struct recallite_selector *selector,
                                 struct recallite_erased **result,
                                 struct recallite_error **error);

/**
 * Does deferred work, one bounded step of each kind: writes noted accesses and
 * injections, flushes and merges the index, learns entries and tasks from what was
 * said (unless learn_by_rules (see skip_learn_by_rules) is off), graduates,
 * consolidates, embeds, and builds vector graphs. Call it when the host is idle,
 * until has_more is false.
 *
 * It also carries out an erasure that was ordered and whose process was killed or
 * interrupted (recallite_erase), as its last step: without a time limit, or if the
 * remaining time is likely to suffice. A host that always sets a limit must look at
 * requested_erasures, and call it without one when that is not 0.
 *
 * Growth: Constant: by the budget. By store when it carries out an erasure.
 *
 * @param[in] memory the memory.
 * @param[in] budget see recallite_maintain_budget.
 * @param[out] result to be freed with recallite_maintained_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot
 *     be written; each step that was committed stays. Failures of the embedder are
 *     counted in jobs_failed. RECALLITE_INTERRUPTED when the program stops it; the
 *     steps that were done stay.
 */
recallite_status recallite_maintain(struct recallite_memory *memory,
                                    const struct recallite_maintain_budget *budget,
                                    struct recallite_maintained **result,
                                    struct recallite_error **error);

/**
 * Embeds waiting events, entries, titles of tasks and consolidated memories, at most
 * limit jobs. Call it when there is time, until processed is 0. Any process with the
 * embedder can call it, even several at once.
 *
 * Jobs of workers that died are taken back after 5 minutes. A failed job is retried
 * after 1, 5 and 30 seconds, by calls made after that time. What was forgotten in
 * the meantime is skipped.
 *
 * Growth: By the jobs that are done.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number.
 * @param[out] result to be freed with recallite_processed_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_UNSUPPORTED without an embedder; RECALLITE_BUSY,
 *     RECALLITE_FULL or RECALLITE_IO when the store cannot be written. Failures of
 *     the embedder are not errors of this call: they are in errors.
 *     RECALLITE_INTERRUPTED when the program stops it: the vectors that were made
 *     stay, and the other jobs wait as before.
 */
recallite_status recallite_process_outbox(struct recallite_memory *memory,
                                          size_t limit,
                                          struct recallite_processed **result,
                                          struct recallite_error **error);

/**
 * Verifies the whole store as it is at this moment. It checks that the log's chain
 * of checksums holds and every record is what was stored; that each derived table,
 * and each row of what was learned, equals what the log gives when it is rebuilt;
 * and that the search index can be decoded and contains exactly the live
 * conversation events. Others can read and write in the meantime. At the end it
 * commits a transaction that changes nothing, which finds damage that only a write
 * meets.
 *
 * The tables are rebuilt in memory or, for more than 20,000 events, in a temporary
 * file in the store's folder.
 *
 * Growth: By store.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_check_report_free.
 * @param[out] error set on failure; may be NULL.
 * @return Damage is a finding, not an error. RECALLITE_IO or RECALLITE_BUSY
 *     when the store cannot be read at all; RECALLITE_INTERRUPTED when the program
 *     stops it.
 */
recallite_status recallite_check(struct recallite_memory *memory,
                                 struct recallite_check_report **result,
                                 struct recallite_error **error);

/**
 * Rebuilds every derived table from the log: indexes, names, sessions, tombstones,
 * counters and the search index. They are built in a new generation of the store, as
 * by recallite_compact, while others read and write.
 *
 * Everything that depends on the passing of time is evaluated at the moment
 * as_of_ms, which is also part of the hash. Waiting jobs, and vectors made by a
 * model, are kept as they are unless they are damaged; damaged ones are dropped, and
 * the embedder makes them again. No damaged page of the tables being rebuilt is
 * read.
 *
 * Growth: By store.
 *
 * @param[in] memory the memory.
 * @param[in] as_of_ms the moment, in milliseconds since 1970 UTC.
 * @param[out] result to be freed with recallite_rebuilt_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT when the log itself is damaged (nothing is changed
 *     then; use recallite_check to learn where, and restore a backup);
 *     RECALLITE_BUSY, RECALLITE_FULL, RECALLITE_IO, RECALLITE_NEEDS_REOPEN or
 *     RECALLITE_INTERRUPTED as for recallite_compact.
 */
recallite_status recallite_rebuild(struct recallite_memory *memory,
                                   int64_t as_of_ms,
                                   struct recallite_rebuilt **result,
                                   struct recallite_error **error);

/**
 * Copies the store into a new generation that replaces the old one, so that unused
 * space is returned to the disk. The log stays complete: forgotten events keep their
 * records until they are erased. Open erasures are carried out first.
 *
 * Others can read and write in the meantime. What they write is carried over to the
 * new generation, which they switch to with their next call. Writers wait only while
 * the last of it is carried over. This needs free disk space for a second copy.
 * After a crash, either the old or the new generation is in place, complete.
 *
 * Growth: By store.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_compacted_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_BUSY when another call compacts, erases, rebuilds or
 *     restores, or when writers never let the last step begin; RECALLITE_FULL,
 *     RECALLITE_IO or RECALLITE_CORRUPT: the store then stays as it was.
 *     RECALLITE_INTERRUPTED when the program stops it before its last step: the
 *     store stays as it was, too. RECALLITE_NEEDS_REOPEN when the last step
 *     failed: after reopening, the store is the old or the new one.
 */
recallite_status recallite_compact(struct recallite_memory *memory,
                                   struct recallite_compacted **result,
                                   struct recallite_error **error);

/**
 * Restores the full export in the file path into this empty store: every record byte
 * for byte, with its position, id, citation and checksum; forgotten events stay
 * forgotten. Returns the number of events. An export that is truncated or modified
 * leaves the store empty.
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
 *     release; RECALLITE_INTERRUPTED when the program stops it: the store stays
 *     empty.
 */
recallite_status recallite_restore_jsonl(struct recallite_memory *memory,
                                         struct recallite_str path,
                                         uint64_t *result,
                                         struct recallite_error **error);

/**
 * Adds the conversation events of the export in the file path to this store, in
 * batches between which others can write. The events pass through this memory's
 * privacy filter, get new positions and ids, and keep their time, session, project
 * and speaker. Events that are already here are recognised, including when the same
 * export is imported again; what was forgotten since stays forgotten and is counted
 * as a duplicate.
 *
 * The export is read to its end first. If the disk fills up or the process ends
 * after that, only whole events are stored, and importing again adds the rest.
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
 *     recallite_append. RECALLITE_INTERRUPTED when the program stops it: the
 *     events that were stored stay, and importing the same file again adds the
 *     rest.
 */
recallite_status recallite_import_jsonl(struct recallite_memory *memory,
                                        struct recallite_str path,
                                        struct recallite_imported **result,
                                        struct recallite_error **error);

/**
 * Copies the store, as it is at one moment, to the new folder path while others
 * continue to read and write. The copy is opened and checked before it gets its
 * name. Returns the number of events in it.
 *
 * Growth: By store.
 *
 * @param[in] memory the memory.
 * @param[in] path a path of the file system, UTF-8.
 * @param[out] result a number; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_ALREADY_EXISTS when there is something at path;
 *     RECALLITE_INVALID_ARGUMENT when it lies in the store's own folder;
 *     RECALLITE_CORRUPT when the copy fails the check; RECALLITE_IO,
 *     RECALLITE_FULL or RECALLITE_PERMISSION_DENIED; RECALLITE_INTERRUPTED when
 *     the program stops it. No folder is left behind then. A process that is
 *     killed during the copy leaves one beside path, whose name begins with that
 *     of the copy and .partial-; remove it.
 */
recallite_status recallite_backup(struct recallite_memory *memory,
                                  struct recallite_str path,
                                  uint64_t *result,
                                  struct recallite_error **error);

/**
 * Returns figures about the store: how much each layer holds and when it last
 * changed.
 *
 * Growth: Constant, except for the paused sessions and projects, which are counted.
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
 * Pauses the recording of a session or a project, for every process. An append to it
 * stores nothing, and its receipt says RECALLITE_SKIP_REASON_PAUSED. Nothing is
 * learned from it either: an extraction of the session or project, and a new entry,
 * task or decision, are refused. The pause lasts until recallite_pauses_resume, and
 * survives a rebuild and an erasure. What was stored before stays. Returns false if
 * it was already paused.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] scope one of recallite_scope_kind.
 * @param[in] name UTF-8.
 * @param[out] result what was found; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming name when it is not a valid name
 *     of a session or project; as recallite_append.
 */
recallite_status recallite_pauses_pause(struct recallite_memory *memory,
                                        int32_t scope,
                                        struct recallite_str name,
                                        bool *result,
                                        struct recallite_error **error);

/**
 * Resumes the recording of a session or a project. Returns false if it was not
 * paused.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] scope one of recallite_scope_kind.
 * @param[in] name UTF-8.
 * @param[out] result what was found; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_pauses_pause.
 */
recallite_status recallite_pauses_resume(struct recallite_memory *memory,
                                         int32_t scope,
                                         struct recallite_str name,
                                         bool *result,
                                         struct recallite_error **error);

/**
 * Returns what is paused, longest paused first. At most limit are returned, 1,000 by
 * default.
 *
 * Growth: By what is paused.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_pause_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_pauses_list(struct recallite_memory *memory,
                                       size_t limit,
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
 * Returns the canonical key of a title, which is equal for titles that differ only
 * in case, punctuation, whitespace or compatibility forms.
 *
 * The title is converted to NFKC and lowercase; everything except letters, numbers,
 * "_" and whitespace is removed; whitespace runs become one space; the result is
 * trimmed; and if project is not empty, project:: is put in front (the project
 * itself is not normalised). A key of more than 200 code points becomes its first
 * 191 code points, "_", and 8 hexadecimal digits of the MD5 digest of the whole key,
 * so that long titles remain distinct.
 *
 * A long title is read as a stream: apart from the key itself, only one word is held
 * in memory.
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
 * Returns true if two titles have the same canonical key, whatever their project.
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
 * Returns the key of a task, condition or artifact, for example
 * task:shop:fix-login-bug, cond:shop:api-key-configured or art:jira:SHOP-12.
 * Artifacts have no project.
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
 * Returns the key of a task, for example task:shop:fix-login-bug.
 *
 * If there is no project, it is "default"; an empty project stays empty. A title
 * without any letter or digit gives a key with an empty identity, which
 * recallite_parse_entity_key rejects: check the title before using the key as an
 * identity.
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
 * Returns the key of a condition, for example cond:shop:api-key-configured. If there
 * is no project, it is "default".
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
 * Returns the kind of an artifact by its identifier: a web address, a Jira ticket, a
 * GitHub issue, or something else. The patterns are tried in this order and must
 * match the whole text.
 *
 * A text with whitespace is never an issue. The specification's pattern alone would
 * also accept prose such as either/or, see #3 (its bug B8).
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
 * Returns the key of an artifact: art:url:{sha1}, art:jira:{key},
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
 * Splits an entity key into its parts; absent if it is not an entity key, a part is
 * empty, or it contains a line break. A project that contains a colon does not
 * survive: the project ends at the first colon.
 *
 * @param[in] key UTF-8.
 * @param[out] result to be freed with recallite_entity_key_parts_free; NULL
 *     when there is none.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_parse_entity_key(struct recallite_str key,
                                            struct recallite_entity_key_parts **result,
                                            struct recallite_error **error);

/**
 * Returns the BLAKE3 digest of a text's UTF-8 bytes, as 64 hexadecimal digits.
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
 * Returns the key by which the same content in the same session is one event:
 * "session:content_hash". The kind of the event is not part of it.
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
 * Returns the first length characters, at most 43, of base64url(SHA-256(event id)).
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
 * Formats the block of cited memories that is put in front of an agent.
 *
 * What is RECALLITE_SHOWN_HARMLESS names no session that is empty, and "endless" for
 * a day of the endless mode.
 *
 * @param[in] memories an array, each with the same struct_size; NULL when
 *     there are none.
 * @param[in] memories_len how many.
 * @param[in] format one of recallite_citation_format.
 * @param[in] shown one of recallite_shown.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_citation_block(const struct recallite_cited_memory *memories,
                                          size_t memories_len,
                                          int32_t format,
                                          int32_t shown,
                                          struct recallite_string **result,
                                          struct recallite_error **error);

/**
 * Finds the citation id in what a person typed or pasted; absent if it contains
 * none. This is either a bare id ("a7Bc3x", [a7Bc3x]), or the first "mem:a7Bc3x"
 * anywhere in the text. An id has 6 to 8 characters from A-Z a-z 0-9 - _.
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
 * Returns the first sentence of a text on one line, with at most 100 UTF-16 code
 * units. A longer sentence is cut at a word and ends in ....
 *
 * Fenced code becomes [code]. A sentence ends after ., ! or ? unless an ASCII letter
 * or digit follows (v2.0, example.com), and after the full stops of Chinese and
 * Japanese. A text without any such end is one sentence. White space with a line
 * break in it becomes one space; other white space stays, except at both ends. The
 * result is empty only for a blank text.
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
 * Returns a text on one line, with at most 200 UTF-16 code units. A longer text is
 * cut and ends in ....
 *
 * A fenced block that names its language becomes [language code], runs of line
 * breaks become one space, and whitespace at both ends is removed. The result is
 * empty only for a blank text.
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
 * Returns the summary of a session that has ended: how many prompts and responses it
 * had, and the beginnings of its first three prompts, with spaces in place of line
 * feeds (of line breaks of any kind, if they are RECALLITE_SHOWN_HARMLESS).
 *
 * @param[in] events an array, each with the same struct_size; NULL when there
 *     are none.
 * @param[in] events_len how many.
 * @param[in] shown one of recallite_shown.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_session_summary_text(const struct recallite_spoken_event *events,
                                                size_t events_len,
                                                int32_t shown,
                                                struct recallite_string **result,
                                                struct recallite_error **error);

/**
 * Formats the context for a prompt: memories in the given order until one would
 * exceed max_tokens. Later, smaller ones are not tried, because they matched less
 * well. Headings and separators are not counted. Empty if nothing fits.
 *
 * @param[in] memories an array, each with the same struct_size; NULL when
 *     there are none.
 * @param[in] memories_len how many.
 * @param[in] max_tokens a number.
 * @param[in] shown one of recallite_shown.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_format_context(const struct recallite_context_memory *memories,
                                          size_t memories_len,
                                          size_t max_tokens,
                                          int32_t shown,
                                          struct recallite_string **result,
                                          struct recallite_error **error);

/**
 * Returns the folder where a user's memory is stored unless a host chooses another:
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
 * Returns the project that a working folder belongs to. This is the root of its git
 * repository; for a linked worktree it is the root of the main one, or the bare
 * repository, so that all worktrees of a repository are one project. Outside of a
 * repository it is the folder itself. The name is the absolute path, with / between
 * its parts.
 *
 * A repository can have a name of its own, for example because its path differs from
 * machine to machine: git config recallite.project shop. The name is used only if it
 * contains no /, \ or :, so that it cannot be mistaken for a path.
 *
 * A folder that was moved keeps its project with git config --global recallite.<new
 * path>.project <old path>, which the command recallite projects moved writes. Only
 * the user's own configuration of git can say so, not that of a repository. What is
 * at the old path after that is another project, called <old path> (2).
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
 * Returns the text with every line end as \n, and with a space or U+FFFD in place of
 * characters that control rather than show: escape and other control characters, and
 * overrides of the writing direction. Invisible characters, in which a text can be
 * hidden, are left out: Unicode's tag characters, the variation selectors beyond the
 * first 16, blanks without width, soft hyphens, and fillers. Of the characters that
 * choose the form of a letter or an emoji, join two, or set their direction, one of
 * each kind is kept after the character that it belongs to, because no real text has
 * runs of them. The stored text is not changed; this is for showing it.
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
 * Like recallite_harmless, on one line.
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
 * Returns the estimated number of tokens of a text: a quarter of its length in
 * UTF-16 code units, rounded up (specification, section 15).
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
 * Returns the length of a text in UTF-16 code units: one per character, two per
 * character beyond U+FFFF.
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
 * Returns true if a message is only agreement, thanks, a greeting, a choice or a
 * nudge to continue, such as "ok, thanks" or "the second one": words in English,
 * Korean, Japanese or Chinese that mean nothing to somebody who does not know what
 * they answer. There is nothing in it to search for, and nothing that a later
 * session should get.
 *
 * @param[in] message UTF-8.
 * @param[out] result what was found.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_is_small_talk(struct recallite_str message,
                                         bool *result,
                                         struct recallite_error **error);

/**
 * Truncates output to max_lines lines and then to max_chars characters. The first
 * half (rounded up) and the last half are kept, with ...[TRUNCATED]... between them,
 * so the result can be longer than the limit by this marker.
 *
 * @param[in] output UTF-8.
 * @param[in] max_chars a number.
 * @param[in] max_lines a number.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_truncate_output(struct recallite_str output,
                                           size_t max_chars,
                                           size_t max_lines,
                                           struct recallite_string **result,
                                           struct recallite_error **error);

/**
 * Returns what can be derived from a call, as a JSON object: "filePath", "fileType"
 * and "lineCount" for files; "command" and "exitCode" for shells; "pattern" and
 * "matchCount" for searches; "url" and "statusCode" for fetches. Unknown tools give
 * {}.
 *
 * @param[in] tool_name UTF-8.
 * @param[in] input_json JSON; absent for none.
 * @param[in] output UTF-8.
 * @param[in] success true or false.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_tool_metadata(struct recallite_str tool_name,
                                         struct recallite_str input_json,
                                         struct recallite_str output,
                                         bool success,
                                         struct recallite_string **result,
                                         struct recallite_error **error);

/**
 * Returns the text that is embedded for a call: Tool:, then File:, Command: and
 * Pattern: if metadata_json has them, then Result: Success or Result: Failed.
 * Outputs are not embedded.
 *
 * @param[in] tool_name UTF-8.
 * @param[in] metadata_json JSON.
 * @param[in] success true or false.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_tool_embedding_text(struct recallite_str tool_name,
                                               struct recallite_str metadata_json,
                                               bool success,
                                               struct recallite_string **result,
                                               struct recallite_error **error);

/**
 * Returns one line that says what a call did, for example Found 15 matches for TODO
 * or Ran cargo test: failed.
 *
 * @param[in] tool_name UTF-8.
 * @param[in] metadata_json JSON.
 * @param[in] output UTF-8.
 * @param[in] success true or false.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_tool_summary(struct recallite_str tool_name,
                                        struct recallite_str metadata_json,
                                        struct recallite_str output,
                                        bool success,
                                        struct recallite_string **result,
                                        struct recallite_error **error);

/**
 * Returns the Levenshtein distance of two texts in code points: the smallest number
 * of insertions, deletions and substitutions that turns one into the other.
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
 * Returns how similar two texts are: 1 - levenshtein / length of the longer one, in
 * code points; 1.0 for two empty texts.
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
 * For each quote, the first of three steps that succeeds is used: exact, normalized,
 * fuzzy. A quote that is not found gives a result that says why. Each message is
 * normalised at most once, however many quotes refer to it.
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
 * Searches for each claim in a source.
 *
 * Both are compared without regard to case, punctuation and differences in
 * whitespace. A claim of fewer than 10 such characters is skipped. A claim that the
 * source does not contain literally is still supported by a run of as many words as
 * it has, if at least 80 % of the distinct words of both are common. Time is
 * proportional to the source for each claim.
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
 * Returns the claims of a response: its sentences of at least 10 characters that are
 * not questions, as slices of the response without surrounding whitespace.
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
 * Returns whether a response is grounded: aligns its claims with all contexts,
 * joined by a space. Spans refer to that joined text.
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
 * Returns true if an edge of a relation may lead from one node type to another.
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
 * Returns the match score, from 0 to 1: 0.4 semantic, 0.25 lexical, 0.2 recency,
 * 0.15 status. Without lexical scores it cannot exceed 0.75, so nothing would be a
 * high match.
 *
 * @param[in] parts see recallite_match_parts.
 * @param[out] result a number.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_match_score(const struct recallite_match_parts *parts,
                                       double *result,
                                       struct recallite_error **error);

/**
 * Returns the class of the best candidate, given the score of the second best. It is
 * high from 0.92 on with a lead of at least 0.03, and suggested from 0.75 on.
 *
 * The lead is the plain difference of the two numbers: 0.95 and 0.92 are less than
 * 0.03 apart in binary, 0.93 and 0.90 are not.
 *
 * @param[in] top a number.
 * @param[in] second a number; 0 if not given.
 * @param[out] result one of recallite_match_class.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_classify(double top,
                                    double second,
                                    int32_t *result,
                                    struct recallite_error **error);

/**
 * Matches a list of candidates by their scores, in any order; see
 * recallite_classify. Equal scores keep their order; NaN comes last.
 *
 * @param[in] scores numbers; NULL when there are none.
 * @param[in] scores_len how many.
 * @param[out] result to be freed with recallite_match_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_match_list_get(const double *scores,
                                          size_t scores_len,
                                          struct recallite_match_list **result,
                                          struct recallite_error **error);

/**
 * Decides from the scores which results to expand. The scores are looked at from
 * best to worst (equal ones keep their order), and the first rule that applies
 * decides:
 *
 * 1. there is exactly one result, and it has at least 0.92: expand it; 2. the first
 * has at least 0.85 and is 0.1 ahead of the second: expand the first; 3. the third
 * has at least 0.8: show the timelines of the first three; 4. otherwise expand
 * nothing.
 *
 * The lead is the plain difference: 0.95 and 0.85 are less than 0.1 apart.
 *
 * @param[in] scores numbers; NULL when there are none.
 * @param[in] scores_len how many.
 * @param[out] result to be freed with recallite_expansion_decision_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_expansion_decision_get(const double *scores,
                                                  size_t scores_len,
                                                  struct recallite_expansion_decision **result,
                                                  struct recallite_error **error);

/**
 * Decides a requested status change of a task. Pending to done is rejected and leads
 * to "in_progress"; cancelled is final.
 *
 * @param[in] from one of recallite_task_status.
 * @param[in] to one of recallite_task_status.
 * @param[out] result to be freed with recallite_task_transition_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_decide_transition(int32_t from,
                                             int32_t to,
                                             struct recallite_task_transition **result,
                                             struct recallite_error **error);

/**
 * Returns the initial status of a task that is first mentioned with the status
 * requested. Work reported as done starts as "in_progress"; blocked and cancelled
 * follow as a change from pending.
 *
 * @param[in] requested one of recallite_task_status; 0 if not given.
 * @param[out] result one of recallite_task_status.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_initial_task_status(int32_t requested,
                                               int32_t *result,
                                               struct recallite_error **error);

/**
 * Returns true if a task with this status may have that many confirmed and suggested
 * blockers. A blocked task needs at least one, any other task has no confirmed ones,
 * and a finished task has none at all.
 *
 * @param[in] status one of recallite_task_status.
 * @param[in] confirmed a number.
 * @param[in] suggested a number.
 * @param[out] result what was found.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_allows_blockers(int32_t status,
                                           size_t confirmed,
                                           size_t suggested,
                                           bool *result,
                                           struct recallite_error **error);

/**
 * Returns whether a memory rises one level by the specification's policy. It must
 * have been used often enough, with enough confidence, from enough other sessions
 * and recently enough; for the step to L3, its evidence must not have failed. A
 * memory that was never used does not rise.
 *
 * @param[in] level one of recallite_level.
 * @param[in] usage see recallite_new_usage; NULL for none.
 * @param[in] evidence one of recallite_evidence_gate.
 * @param[out] result to be freed with recallite_evaluation_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_evaluate_graduation(int32_t level,
                                               const struct recallite_new_usage *usage,
                                               int32_t evidence,
                                               struct recallite_evaluation **result,
                                               struct recallite_error **error);

/**
 * Finds patterns (two or more events with the same key, unless it is empty) and
 * preferences (prompts that contain a cue word anywhere; the first cue of the list
 * counts). Patterns come first, in the order in which they first appeared. Texts are
 * cut after 50 and 100 UTF-16 units.
 *
 * Pass events of level L1 or higher. This is a heuristic: "unlike" contains the cue
 * "like", which is why a preference has confidence 0.7.
 *
 * @param[in] events an array, each with the same struct_size; NULL when there
 *     are none.
 * @param[in] events_len how many.
 * @param[in] cues one of recallite_cue_languages.
 * @param[out] result to be freed with recallite_insight_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_extract_insights(const struct recallite_insight_event *events,
                                            size_t events_len,
                                            int32_t cues,
                                            struct recallite_insight_list **result,
                                            struct recallite_error **error);

/**
 * Returns the name to show for a session: "endless" for each day of the endless
 * mode.
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
 * Returns what a text is about. The same text always gives the same snapshot.
 *
 * @param[in] id UTF-8.
 * @param[in] text UTF-8.
 * @param[in] at_ms the moment, in milliseconds since 1970 UTC.
 * @param[out] result to be freed with recallite_context_snapshot_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_snapshot(struct recallite_str id,
                                    struct recallite_str text,
                                    int64_t at_ms,
                                    struct recallite_context_snapshot **result,
                                    struct recallite_error **error);

/**
 * Scores how far current continues previous. By default this is 0.3 for each shared
 * topic, 0.2 for each shared file and entity, and 0.3 · e^(−Δt/24 h) for closeness
 * in time, at most 1 in total. Each list counts as a set. A weight below 0 or above
 * 1 counts as the nearer of these, and one that is not a number as 0.
 *
 * @param[in] current see recallite_new_context_snapshot.
 * @param[in] previous see recallite_new_context_snapshot; NULL for none.
 * @param[in] policy see recallite_continuity_policy.
 * @param[out] result to be freed with recallite_continuity_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_continuity_get(const struct recallite_new_context_snapshot *current,
                                          const struct recallite_new_context_snapshot *previous,
                                          const struct recallite_continuity_policy *policy,
                                          struct recallite_continuity **result,
                                          struct recallite_error **error);

/**
 * Returns true if it is time to consolidate: any one of the three limits of the
 * policy is reached.
 *
 * @param[in] trigger see recallite_consolidation_trigger.
 * @param[in] policy see recallite_consolidation_policy.
 * @param[out] result what was found.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_is_consolidation_due(const struct recallite_consolidation_trigger *trigger,
                                                const struct recallite_consolidation_policy *policy,
                                                bool *result,
                                                struct recallite_error **error);

/**
 * Masks the arguments of a tool call by the specification's rules: strings and
 * numbers under secret keys become [REDACTED], and in other strings what the word
 * patterns of recallite_mask_secrets match. Objects and arrays are processed to any
 * depth; true, false and null stay.
 *
 * The library itself filters arguments with its full filter; this is the rule alone.
 *
 * @param[in] input_json JSON.
 * @param[in] keys one of recallite_secret_keys.
 * @param[out] result to be freed with recallite_masked_input_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_mask_tool_input(struct recallite_str input_json,
                                           int32_t keys,
                                           struct recallite_masked_input **result,
                                           struct recallite_error **error);

/**
 * Returns true if a job may go from one status to another.
 *
 * @param[in] from one of recallite_job_status.
 * @param[in] to one of recallite_job_status.
 * @param[out] result what was found.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_allows_job_transition(int32_t from,
                                                 int32_t to,
                                                 bool *result,
                                                 struct recallite_error **error);

/**
 * Returns the name of the vector table of a kind and version. Every character of the
 * version that is not an ASCII letter or digit becomes "_".
 *
 * @param[in] item_kind one of recallite_item_kind.
 * @param[in] embedding_version UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_vector_table_name(int32_t item_kind,
                                             struct recallite_str embedding_version,
                                             struct recallite_string **result,
                                             struct recallite_error **error);

/**
 * Removes the private sections from a text. Only exact tags count, and none in code;
 * the filter in front of the store also hides what nearly is a tag. With
 * preserve_line_count, the marker is followed by all line ends of the section but
 * one.
 *
 * @param[in] text UTF-8.
 * @param[in] formats numbers; NULL when there are none.
 * @param[in] formats_len how many.
 * @param[in] marker one of recallite_marker.
 * @param[in] preserve_line_count true or false.
 * @param[out] result to be freed with recallite_private_removed_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_remove_private_sections(struct recallite_str text,
                                                   const int32_t *formats,
                                                   size_t formats_len,
                                                   int32_t marker,
                                                   bool preserve_line_count,
                                                   struct recallite_private_removed **result,
                                                   struct recallite_error **error);

/**
 * Masks the secrets in a text by the patterns of the specification. The library
 * filters what it stores with both switches on.
 *
 * With code_aware, in source code only quoted or random-looking values are secrets.
 * With key_formats, keys of well-known issuers, web tokens, and passwords in
 * addresses and commands are recognised by their form.
 *
 * @param[in] text UTF-8.
 * @param[in] code_aware true or false.
 * @param[in] key_formats true or false.
 * @param[out] result to be freed with recallite_masked_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_mask_secrets(struct recallite_str text,
                                        bool code_aware,
                                        bool key_formats,
                                        struct recallite_masked **result,
                                        struct recallite_error **error);

/**
 * Filters a text as it is done before storing it: removes private sections, then
 * secrets and, if enabled, personal data.
 *
 * The library also hides what nearly is a private tag; with exact_tags, only exact
 * tags count. With this, and without auto_detect (see skip_auto_detect) and
 * code_aware, the filter is exactly the specification's.
 *
 * @param[in] text UTF-8.
 * @param[in] config see recallite_privacy_config.
 * @param[in] exact_tags true or false.
 * @param[out] result to be freed with recallite_filtered_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming exclude_patterns or
 *     auto_detect_patterns when one of them is not a regular expression.
 */
recallite_status recallite_filter_text(struct recallite_str text,
                                       const struct recallite_privacy_config *config,
                                       bool exact_tags,
                                       struct recallite_filtered **result,
                                       struct recallite_error **error);

/**
 * Returns a citation id of length characters (6 to 8) that is not among taken: the
 * plain id or one of ten salted ones. Returns absent if all are taken.
 *
 * @param[in] event_id UTF-8.
 * @param[in] taken texts; NULL when there are none.
 * @param[in] taken_len how many.
 * @param[in] length a number.
 * @param[out] result to be freed with recallite_string_free; NULL when there
 *     is none.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming length when it is not from 6 to 8.
 */
recallite_status recallite_unique_citation_id(struct recallite_str event_id,
                                              const struct recallite_str *taken,
                                              size_t taken_len,
                                              size_t length,
                                              struct recallite_string **result,
                                              struct recallite_error **error);

/**
 * Returns what effectively blocks a task, by ascending original id, given the
 * entities of a graph and its edges from oldest to newest. A condition that was
 * resolved to another entity is replaced by it, one step only.
 *
 * @param[in] task_id UTF-8.
 * @param[in] entities an array, each with the same struct_size; NULL when
 *     there are none.
 * @param[in] entities_len how many.
 * @param[in] edges an array, each with the same struct_size; NULL when there
 *     are none.
 * @param[in] edges_len how many.
 * @param[out] result to be freed with recallite_effective_blocker_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_effective_blockers(struct recallite_str task_id,
                                              const struct recallite_condition_target *entities,
                                              size_t entities_len,
                                              const struct recallite_graph_edge *edges,
                                              size_t edges_len,
                                              struct recallite_effective_blocker_list **result,
                                              struct recallite_error **error);

/**
 * Spends a token budget on results, from best to worst: one timeline, and the
 * details of the results whose scores merit them, while there is room.
 * timeline_tokens and detail_tokens are the costs of each result, in the order of
 * scores.
 *
 * @param[in] scores numbers; NULL when there are none.
 * @param[in] scores_len how many.
 * @param[in] budget_tokens a number.
 * @param[in] index_tokens a number.
 * @param[in] timeline_tokens numbers; NULL when there are none.
 * @param[in] timeline_tokens_len how many.
 * @param[in] detail_tokens numbers; NULL when there are none.
 * @param[in] detail_tokens_len how many.
 * @param[out] result to be freed with recallite_expansion_plan_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming timeline_tokens or detail_tokens
 *     when it is not as long as scores.
 */
recallite_status recallite_plan_expansion(const double *scores,
                                          size_t scores_len,
                                          size_t budget_tokens,
                                          size_t index_tokens,
                                          const size_t *timeline_tokens,
                                          size_t timeline_tokens_len,
                                          const size_t *detail_tokens,
                                          size_t detail_tokens_len,
                                          struct recallite_expansion_plan **result,
                                          struct recallite_error **error);

/**
 * Returns the dedupe key of an act on a task, as 64 hexadecimal digits: BLAKE3 over
 * the arguments in order, each prefixed with its length (8 bytes, little endian).
 *
 * kind is that of the event, for example "task_created"; payload is the payload of
 * the act, as text. Two equal acts of one session from different entries are two
 * acts.
 *
 * @param[in] kind UTF-8.
 * @param[in] task_id UTF-8.
 * @param[in] session_id UTF-8.
 * @param[in] source_entry_id UTF-8.
 * @param[in] payload UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong.
 */
recallite_status recallite_task_event_dedupe_key(struct recallite_str kind,
                                                 struct recallite_str task_id,
                                                 struct recallite_str session_id,
                                                 struct recallite_str source_entry_id,
                                                 struct recallite_str payload,
                                                 struct recallite_string **result,
                                                 struct recallite_error **error);

/**
 * The stable name of a recallite_criterion, for example "access_count"; "unknown"
 * for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_criterion_name(int32_t number);

/**
 * The stable name of a recallite_cue_languages, for example "english"; "unknown" for
 * 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_cue_languages_name(int32_t number);

/**
 * The stable name of a recallite_evidence_gate, for example "not_needed"; "unknown"
 * for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_evidence_gate_name(int32_t number);

/**
 * The stable name of a recallite_move_outcome, for example "no_change"; "unknown"
 * for 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_move_outcome_name(int32_t number);

/**
 * The stable name of a recallite_secret_keys, for example "substring"; "unknown" for
 * 0 and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_secret_keys_name(int32_t number);

/**
 * The stable name of a recallite_shown, for example "raw"; "unknown" for 0 and for a
 * number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_shown_name(int32_t number);

/**
 * The stable name of a recallite_item_kind, for example "event"; "unknown" for 0 and
 * for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_item_kind_name(int32_t number);

/**
 * The stable name of a recallite_job_status, for example "pending"; "unknown" for 0
 * and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_job_status_name(int32_t number);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_entity_key_parts_free(struct recallite_entity_key_parts *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_match_list_free(struct recallite_match_list *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_expansion_decision_free(struct recallite_expansion_decision *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_expansion_plan_free(struct recallite_expansion_plan *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_masked_input_free(struct recallite_masked_input *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_task_transition_free(struct recallite_task_transition *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_evaluation_free(struct recallite_evaluation *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_context_snapshot_free(struct recallite_context_snapshot *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_private_removed_free(struct recallite_private_removed *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_masked_free(struct recallite_masked *given);

/** Frees a result and all that lies in it. NULL is fine. */
void recallite_filtered_free(struct recallite_filtered *given);

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
 * Returns the identity that other stores know this store by: its public key, 64
 * hexadecimal digits. It is created on first use. Backups and exports do not contain
 * it.
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
 * Gives this store a new identity. Use this after a folder was copied and both
 * copies are written to. The other members have to add the new identity. What this
 * store wrote into shared folders under the old identity stays there; remove that
 * folder by hand.
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
 * Adds a member: another store whose records this one accepts from now on. If the
 * store is already a member, it gets the new name and role.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] identity UTF-8.
 * @param[in] name UTF-8.
 * @param[in] role one of recallite_member_role.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming identity when it is not an
 *     identity, or this store's own, or name when it is too long; as
 *     recallite_append.
 */
recallite_status recallite_sharing_add_member(struct recallite_memory *memory,
                                              struct recallite_str identity,
                                              struct recallite_str name,
                                              int32_t role,
                                              struct recallite_error **error);

/**
 * Removes a member: its records are no longer accepted. What was received stays. If
 * it is added again, its log is requested from the beginning. Returns false if it
 * was not a member.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] identity UTF-8.
 * @param[out] result what was found; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_sharing_add_member.
 */
recallite_status recallite_sharing_remove_member(struct recallite_memory *memory,
                                                 struct recallite_str identity,
                                                 bool *result,
                                                 struct recallite_error **error);

/**
 * Returns the stores whose records this one accepts, ordered by identity.
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
 * Returns which store recorded an event, and the event's position and citation
 * there; RECALLITE_NOT_FOUND for an event that this store recorded itself.
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
 * Returns the citations here, without mem:, of the events that have the citation of
 * this one in other stores. It was taken when they arrived, so they have another one
 * here; see recallite_sharing_source. Normally there are none: in two stores of a
 * million events each, about 15 citations name two events.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] event an event, by its id or citation.
 * @param[out] result to be freed with recallite_string_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no such event.
 */
recallite_status recallite_sharing_cited_elsewhere(struct recallite_memory *memory,
                                                   struct recallite_str event,
                                                   struct recallite_string_list **result,
                                                   struct recallite_error **error);

/**
 * Returns the names of all projects that an event is about, sorted: its own, and
 * those of everything that it was learned from, which may be others. The name is
 * empty for what belongs to no project. The list is empty for an event that hides
 * others, and for what the library recorded about nothing in particular. If you keep
 * batches where not everyone sees every project, show a record only to those who may
 * see all of them.
 *
 * Growth: By the events that it was learned from.
 *
 * @param[in] memory the memory.
 * @param[in] event an event, by its id or citation.
 * @param[out] result to be freed with recallite_string_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is no such event.
 */
recallite_status recallite_sharing_projects_of(struct recallite_memory *memory,
                                               struct recallite_str event,
                                               struct recallite_string_list **result,
                                               struct recallite_error **error);

/**
 * Withholds a session or a project from other stores: nothing of it is sent from now
 * on. What was sent before stays with those who have it. Returns false if it was
 * already withheld.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] scope one of recallite_scope_kind.
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
 * Shares a session or a project that was withheld, including what was recorded in
 * the meantime. The next batch asks the others to start again from the beginning.
 * Returns false if it was not withheld.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] scope one of recallite_scope_kind.
 * @param[in] name UTF-8.
 * @param[out] result what was found; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_sharing_withhold.
 */
recallite_status recallite_sharing_offer(struct recallite_memory *memory,
                                         int32_t scope,
                                         struct recallite_str name,
                                         bool *result,
                                         struct recallite_error **error);

/**
 * Returns true if a session or a project is withheld from other stores.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] scope one of recallite_scope_kind.
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
 * Returns a signed batch of what this store recorded after a position of its log and
 * shares, in log order: at most limit records (0 to 10,000) and about 4 MB of text.
 * Start the first batch at 0, and each next one at the through of the previous one.
 * With a limit of 0, the batch only reports how far this store has come. That batch,
 * and one after which there is nothing more, also reports which erasures of others
 * this store has carried out. A batch contains only what this store recorded itself;
 * what the privacy filter removed was never stored.
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
recallite_status recallite_sharing_batch_since(struct recallite_memory *memory,
                                               uint64_t position,
                                               size_t limit,
                                               struct recallite_shared_batch **result,
                                               struct recallite_error **error);

/**
 * Takes in a batch from another store: all of it, or nothing if anything in it is
 * wrong. Batches can arrive in any order and any number of times. If the other store
 * offers again what it had withheld, through goes back to 0.
 *
 * An order to forget immediately hides what it applies to, including what arrives
 * later. An order to erase hides it immediately, and recallite_sharing_erase_ordered
 * erases it.
 *
 * Growth: By the size of the batch. If a record belongs before something that was
 * already learned here and concerns the same rows, everything is folded again: by
 * store. Other writers wait for the whole batch, and for that.
 *
 * @param[in] memory the memory.
 * @param[in] batch UTF-8.
 * @param[out] result to be freed with recallite_received_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_PERMISSION_DENIED naming batch when the store is not a
 *     member; RECALLITE_INVALID_ARGUMENT naming batch when it is cut, not as it
 *     was signed, or has invalid content; RECALLITE_ALREADY_EXISTS when two
 *     machines sign with one key, or when a record has the id of a different one
 *     from another store: then everything else in the batch is stored, and the
 *     message names both stores; RECALLITE_NEWER_FORMAT when a newer library made
 *     the batch or a record in it; as recallite_append. Messages name the store,
 *     and the position when there is one.
 */
recallite_status recallite_sharing_receive(struct recallite_memory *memory,
                                           struct recallite_str batch,
                                           struct recallite_received **result,
                                           struct recallite_error **error);

/**
 * Takes in records that somebody selected from what a store shares, for example a
 * server that gives each member only what it may see. The batch is one of
 * recallite_sharing_batch_since without records, which reports how far its store has
 * come, followed by the lines of the records, each with its own signature. They must
 * be everything that this store may have after the position since up to through.
 * That nothing was left out cannot be verified, so only accept selections from
 * somebody you trust with that.
 *
 * Growth: By the size of the batch, or by store; see recallite_sharing_receive.
 *
 * @param[in] memory the memory.
 * @param[in] batch UTF-8.
 * @param[in] since a number.
 * @param[in] through a number.
 * @param[out] result to be freed with recallite_received_free.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_sharing_receive; RECALLITE_INVALID_ARGUMENT naming
 *     through when it lies before since or after what the store reports.
 */
recallite_status recallite_sharing_receive_selected(struct recallite_memory *memory,
                                                    struct recallite_str batch,
                                                    uint64_t since,
                                                    uint64_t through,
                                                    struct recallite_received **result,
                                                    struct recallite_error **error);

/**
 * Returns a short text that changes whenever something sent earlier may have to be
 * withdrawn because it has since been forgotten, erased or withheld, or has come to
 * be about another project, by the move of a session or by an edge. If you keep
 * batches elsewhere, compare it with the last one, and when it differs create the
 * batches again from the beginning.
 *
 * Growth: Constant, plus what is withheld.
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
 * Returns a checksum of this store's log up to a position, which no erasure changes;
 * 64 hexadecimal digits. If you keep batches elsewhere, keep it with them, and
 * compare it before you add more: in a copy of the folder that was written to, it is
 * different.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] position a number.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming position when the log does not
 *     reach it; RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_sharing_log_checksum(struct recallite_memory *memory,
                                                uint64_t position,
                                                struct recallite_string **result,
                                                struct recallite_error **error);

/**
 * Erases what the orders of other stores require this one to erase; see
 * recallite_erase. If the process is killed or the program stops it, call it again.
 *
 * Growth: By store, as recallite_erase; constant when there is nothing to erase.
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
 * Returns the erasures of this store that some member has not carried out yet,
 * oldest first, each with the identities of those members. A machine that is
 * switched off answers when it comes back. At most limit are returned, 1,000 by
 * default.
 *
 * Growth: By the erasures in the log; only those that are not answered are read.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_unanswered_erasure_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_sharing_unanswered_erasures(struct recallite_memory *memory,
                                                       size_t limit,
                                                       struct recallite_unanswered_erasure_list **result,
                                                       struct recallite_error **error);

/**
 * Writes what this store shares and has not written yet into a folder that others
 * read: a USB stick, a synchronised folder, a mounted bucket. What was forgotten or
 * erased since is removed from the files. Each store writes its own files, so
 * nothing is ever merged. A push that was interrupted is completed by the next one.
 *
 * Growth: By what is new; after something was forgotten or erased, by what this
 * store has shared, because its files are compared with the log.
 *
 * @param[in] memory the memory.
 * @param[in] folder a path of the file system, UTF-8.
 * @param[out] result to be freed with recallite_pushed_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming folder when it is not a folder,
 *     lies in the store's own folder, or would need a file of more than 2 GiB for
 *     one record; RECALLITE_IO or RECALLITE_FULL naming it when it cannot be
 *     written; RECALLITE_BUSY when another process pushes for longer than 5
 *     seconds; as recallite_sharing_batch_since.
 */
recallite_status recallite_sharing_push_folder(struct recallite_memory *memory,
                                               struct recallite_str folder,
                                               struct recallite_pushed **result,
                                               struct recallite_error **error);

/**
 * Takes in what other members wrote into a folder and this store does not have yet.
 * Stores that are not members are named in the result, and nothing of theirs is
 * read.
 *
 * Growth: By what is new, and by the files in the folder.
 *
 * @param[in] memory the memory.
 * @param[in] folder a path of the file system, UTF-8.
 * @param[out] result to be freed with recallite_pulled_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming folder when it holds no shared
 *     memory, or when a file in it is damaged: every other file was read; as
 *     recallite_sharing_receive, naming folder and the file.
 */
recallite_status recallite_sharing_pull_folder(struct recallite_memory *memory,
                                               struct recallite_str folder,
                                               struct recallite_pulled **result,
                                               struct recallite_error **error);

/**
 * Returns an announcement of this store, one line of JSON: its identity and a name,
 * signed.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] name UTF-8.
 * @param[out] result to be freed with recallite_string_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming name; as
 *     recallite_sharing_identity.
 */
recallite_status recallite_sharing_announcement(struct recallite_memory *memory,
                                                struct recallite_str name,
                                                struct recallite_string **result,
                                                struct recallite_error **error);

/**
 * Reads what recallite_sharing_announcement made and returns who made it. The name
 * is what the store calls itself: compare identities before you add a member.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] announcement UTF-8.
 * @param[out] result to be freed with recallite_announced_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming announcement when it is not an
 *     announcement, or is not signed by the store that it names.
 */
recallite_status recallite_sharing_read_announcement(struct recallite_memory *memory,
                                                     struct recallite_str announcement,
                                                     struct recallite_announced **result,
                                                     struct recallite_error **error);

/**
 * Announces this store in a folder under a name, so that others can add it.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] folder a path of the file system, UTF-8.
 * @param[in] name UTF-8.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming folder or name; RECALLITE_IO or
 *     RECALLITE_FULL naming folder; RECALLITE_BUSY when a push takes longer than 5
 *     seconds.
 */
recallite_status recallite_sharing_announce(struct recallite_memory *memory,
                                            struct recallite_str folder,
                                            struct recallite_str name,
                                            struct recallite_error **error);

/**
 * Returns the stores that announced themselves in a folder, including this one,
 * ordered by identity. A name is what a store calls itself: compare identities
 * before you add a member.
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
 * Returns up to which position this store has the records of each member.
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
 * Returns a hash of what all members agree on, 64 hexadecimal digits. It is the same
 * in two stores that have received the same records, in whatever order they arrived.
 * It does not cover positions, citations or how memories were used.
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
 * Returns the tasks that match a filter, grouped by status (blocked, "in_progress",
 * pending, done, cancelled), most recently changed first within each status.
 *
 * Growth: By result; with a text, by the tasks of all projects that contain its
 * rarest word. A text without three letters in a row is looked for in one task after
 * another.
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
 * Creates a task.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] task see recallite_new_task.
 * @param[out] result to be freed with recallite_task_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT naming what is wrong, for example title
 *     without a letter or digit, blocked_by[0] that is the task itself, or project
 *     while recording of it is paused; RECALLITE_ALREADY_EXISTS when a task of the
 *     project has this title, whatever its status.
 */
recallite_status recallite_tasks_create(struct recallite_memory *memory,
                                        const struct recallite_new_task *task,
                                        struct recallite_task **result,
                                        struct recallite_error **error);

/**
 * Returns one task with its effective blockers and its history; RECALLITE_NOT_FOUND
 * if there is none with this id.
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
 * Returns a task as it was at a moment, according to its events up to then;
 * RECALLITE_NOT_FOUND if it was not known yet.
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
 * Returns a task, condition or artifact by its id; RECALLITE_NOT_FOUND if there is
 * none.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] id an id.
 * @param[out] result to be freed with recallite_entity_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_NOT_FOUND when there is none; RECALLITE_CORRUPT or
 *     RECALLITE_IO.
 */
recallite_status recallite_tasks_entity(struct recallite_memory *memory,
                                        struct recallite_str id,
                                        struct recallite_entity **result,
                                        struct recallite_error **error);

/**
 * Returns the blocked tasks with their effective blockers, most urgent first. At
 * most limit are returned, 1,000 by default. Includes what was learned from
 * forgotten events; don't show it to a model.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] scope which projects: one of recallite_scope.
 * @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
 * @param[in] limit a number; 0 if not given.
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
 * Returns the blocked tasks whose blockers are all mere suggestions, which are worth
 * asking about. At most limit are returned, 1,000 by default. Includes what was
 * learned from forgotten events; don't show it to a model.
 *
 * Growth: By the blocked tasks of the project.
 *
 * @param[in] memory the memory.
 * @param[in] scope which projects: one of recallite_scope.
 * @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
 * @param[in] limit a number; 0 if not given.
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
 * Returns the blocked tasks whose blocker is unknown: the library added a
 * placeholder for it that is not resolved yet. At most limit are returned, 1,000 by
 * default. Includes what was learned from forgotten events; don't show it to a
 * model.
 *
 * Growth: By the blocked tasks of the project.
 *
 * @param[in] memory the memory.
 * @param[in] scope which projects: one of recallite_scope.
 * @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
 * @param[in] limit a number; 0 if not given.
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
 * Returns the conditions: what tasks wait for that is neither a task nor an
 * artifact. At most limit are returned, 1,000 by default, ordered by id. Includes
 * what was learned from forgotten events; don't show it to a model.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] scope which projects: one of recallite_scope.
 * @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
 * @param[in] limit a number; 0 if not given.
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
 * Returns the artifacts: external things that tasks wait for, such as tickets,
 * issues and addresses. They belong to no project. At most limit are returned, 1,000
 * by default, ordered by id.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] limit a number; 0 if not given.
 * @param[out] result to be freed with recallite_artifact_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CORRUPT or RECALLITE_IO.
 */
recallite_status recallite_tasks_artifacts(struct recallite_memory *memory,
                                           size_t limit,
                                           struct recallite_artifact_list **result,
                                           struct recallite_error **error);

/**
 * Returns the conditions that turned out to be another entity. At most limit are
 * returned, 1,000 by default. Includes what was learned from forgotten events; don't
 * show it to a model.
 *
 * Growth: By result.
 *
 * @param[in] memory the memory.
 * @param[in] scope which projects: one of recallite_scope.
 * @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
 * @param[in] limit a number; 0 if not given.
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
 * Resolves a condition to another entity: the two are the same thing. Repeating the
 * call changes nothing.
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
 *     to 1; RECALLITE_INVARIANT_VIOLATION when the target waits for the condition.
 */
recallite_status recallite_tasks_resolve_condition(struct recallite_memory *memory,
                                                   struct recallite_str condition,
                                                   const struct recallite_condition_target *target,
                                                   int32_t resolution,
                                                   double confidence,
                                                   struct recallite_error **error);

/**
 * Changes the status of a task. If the new status is blocked, blocked_by says in
 * free text what blocks it, in at most 50 items; without it, a placeholder is added.
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
 *     RECALLITE_INVALID_ARGUMENT naming blocked_by above 50 items, or the item
 *     that is too long; RECALLITE_INVALID_TRANSITION when the move is not allowed;
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
 * Sets the priority of a task.
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
 * Renames a task. The old title still refers to it.
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

/**
 * The stable name of a recallite_log_level, for example "error"; "unknown" for 0 and
 * for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_log_level_name(int32_t number);

/**
 * The stable name of a recallite_operation, for example "backup"; "unknown" for 0
 * and for a number without meaning.
 *
 * @return zero-terminated text that is valid for ever; never NULL.
 */
const char *recallite_operation_name(int32_t number);

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
 * Returns every setting currently in force and where its value comes from: the
 * library's default, the store, the settings file, or the call that opened this
 * memory. The settings are in the order of docs/guides/settings.md.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[out] result to be freed with recallite_effective_setting_list_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CLOSED; RECALLITE_CORRUPT or RECALLITE_IO when the store
 *     cannot be read.
 */
recallite_status recallite_upkeep_settings(struct recallite_memory *memory,
                                           struct recallite_effective_setting_list **result,
                                           struct recallite_error **error);

/**
 * Returns how many live events a selector matches, which is what recallite_forget
 * would forget. Changes nothing.
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
 * Returns how many events a selector matches among the live and the forgotten ones,
 * which is what recallite_erase would erase. Changes nothing.
 *
 * Growth: By the rarest of the conditions, among live and forgotten events.
 *
 * @param[in] memory the memory.
 * @param[in] selector see recallite_selector.
 * @param[out] result a number.
 * @param[out] error set on failure; may be NULL.
 * @return As recallite_upkeep_count_selected.
 */
recallite_status recallite_upkeep_count_erasable(struct recallite_memory *memory,
                                                 const struct recallite_selector *selector,
                                                 uint64_t *result,
                                                 struct recallite_error **error);

/**
 * Forgets the events of every project that have outlived the retention period of
 * their kind (see retention_ms). Does nothing if no period is set. The tombstones
 * record what was forgotten.
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
 * Immediately retries failed jobs that were retried fewer than max_retries times,
 * for example after the embedder was repaired. Returns how many there are.
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
 * Returns a hash of everything derived from the log, as 64 hexadecimal digits. The
 * same log gives the same hash at the same as_of_ms, in every process and after
 * every rebuild and compaction.
 *
 * It covers ids, citations, dedupe keys, times, facets, names, sessions, turns,
 * tombstones, the log's counters, and everything learned: tasks, entries, edges,
 * levels, ledgers and the endless mode. It does not cover how the search index is
 * split into segments, waiting jobs, how often events were cited, vectors (which are
 * floating point), or when the last append and flush took place. Erasing changes it,
 * because the log changes.
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
 * Upgrades the store to the newest format that this library writes. Until this is
 * called, a newer library keeps writing the store's own format, so that updating one
 * program does not break others that share the store.
 *
 * There is only one format so far, so this changes nothing yet. Upgrading to a later
 * format will keep everything in the store, but libraries that do not know that
 * format will no longer be able to open it.
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
 * Opens the memory in a folder with default settings. Creates it if it does not exist.
 *
 * Growth: Constant; after a crash, by what the last transactions wrote.
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
 * Growth: Constant; after a crash, by what the last transactions wrote.
 *
 * @param[in] path the folder, UTF-8.
 * @param[in] options how to open it; NULL for the defaults.
 * @param[out] memory the handle; close it with recallite_close and free it
 *     with recallite_free.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when path is a file or an option is out
 *     of range, RECALLITE_NOT_FOUND when there is no store and must_exist is
 *     set, RECALLITE_PERMISSION_DENIED, RECALLITE_BUSY, RECALLITE_CORRUPT,
 *     RECALLITE_NEWER_FORMAT or RECALLITE_IO, each naming the path;
 *     RECALLITE_UNSUPPORTED for fastembed in a library without it.
 */
recallite_status recallite_open_with(struct recallite_str path,
                                     const struct recallite_open_options *options,
                                     struct recallite_memory **memory,
                                     struct recallite_error **error);

/**
 * Closes a memory. Later calls on it fail with RECALLITE_CLOSED. The handle stays valid
 * until recallite_free. Closing a memory twice is harmless. What recall has buffered is
 * written first.
 *
 * Growth: Constant: by what recall has buffered.
 *
 * @param[in] memory the memory.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when memory is not a live handle;
 *     RECALLITE_BUSY, RECALLITE_FULL, RECALLITE_IO or RECALLITE_NEEDS_REOPEN as
 *     recallite_append when that last write fails: the memory is closed all the
 *     same.
 */
recallite_status recallite_close(struct recallite_memory *memory,
                                 struct recallite_error **error);

/**
 * Closes a memory if it is open, and frees its handle. NULL and a handle that was already
 * freed are allowed. The store's file is released when the last handle and the last cursor
 * of the process are freed.
 */
void recallite_free(struct recallite_memory *memory);

/**
 * Returns true if a handle can be used: it is live, not closed, not poisoned, and of this
 * process.
 *
 * @param[in] memory the memory; false for NULL and for a freed handle.
 */
bool recallite_is_open(const struct recallite_memory *memory);

/**
 * Returns the folder of a memory.
 *
 * @param[in] memory the memory, open or closed.
 * @param[out] path a view that is valid until recallite_free(memory).
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when memory is not a live handle,
 *     RECALLITE_NEEDS_REOPEN when the process was forked since,
 *     RECALLITE_UNSUPPORTED when the path is not UTF-8.
 */
recallite_status recallite_path(const struct recallite_memory *memory,
                                struct recallite_str *path,
                                struct recallite_error **error);

/**
 * Returns the project that a memory was opened for; empty if there is none.
 *
 * @param[in] memory the memory, open or closed.
 * @param[out] project a view that is valid until recallite_free(memory).
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when memory is not a live handle,
 *     RECALLITE_NEEDS_REOPEN when the process was forked since.
 */
recallite_status recallite_project(const struct recallite_memory *memory,
                                   struct recallite_str *project,
                                   struct recallite_error **error);

/**
 * Sets the function that is called with the progress of long operations of this memory: those of
 * recallite_operation. Replaces the one that was set before. An operation that is already running
 * keeps the one it began with.
 *
 * @param[in] memory the memory.
 * @param[in] progress the function; NULL for none.
 * @param[in] user_data passed to progress and destroy; may be NULL.
 * @param[in] destroy called with user_data when the library no longer needs it: after the
 *     function was replaced and the operations that use it have ended, or after the last
 *     handle and cursor of the memory has been freed. It is not called if this call fails,
 *     or without progress; the program then keeps ownership of user_data. NULL for nothing.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when memory is not a live handle.
 */
recallite_status recallite_set_progress_handler(struct recallite_memory *memory,
                                                recallite_progress_callback progress,
                                                void *user_data,
                                                recallite_destructor destroy,
                                                struct recallite_error **error);

/**
 * Stops the long operations of this memory that are running now, on any thread. Each ends
 * with RECALLITE_INTERRUPTED at its next checkpoint, usually within milliseconds; one that
 * has begun its last step, for which writers wait, is completed. An operation that begins
 * later is not affected. Can be called from a recallite_progress_callback, but not from a
 * signal handler.
 *
 * The store stays sound, and calling the operation again is always possible. It leaves what
 * its documentation says: nothing has changed, or the parts that were done stay done.
 *
 * @param[in] memory the memory.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_INVALID_ARGUMENT when memory is not a live handle.
 */
recallite_status recallite_interrupt(struct recallite_memory *memory,
                                     struct recallite_error **error);

/**
 * Returns an event by its position in the log.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] seq the position, starting at 1.
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
 * Opens a cursor over the events that match a filter, in order of time. Events are read
 * one by one as the cursor advances, and each step sees the store as it is at that moment:
 * an event that was forgotten or erased before the step is not returned, and one that was
 * appended in the meantime is, if its place is still ahead.
 *
 * Growth: Constant; an offset, by result: like reading that many events under conditions that no
 * index decides.
 *
 * @param[in] memory the memory.
 * @param[in] filter which events; NULL for every conversation event of the memory's
 *     project, oldest first.
 * @param[out] cursor pass it to recallite_event_cursor_next, and free it with
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
 * Growth: By result: the rarest of the filter's conditions is walked, one event at a time.
 *
 * @param[in] cursor the cursor.
 * @param[out] next the event, to be freed with recallite_event_free; NULL at
 *     the end.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CLOSED when the memory was closed, RECALLITE_NEEDS_REOPEN when
 *     the process was forked since; RECALLITE_CORRUPT or RECALLITE_IO when the
 *     event cannot be read: the cursor is at its end then.
 */
recallite_status recallite_event_cursor_next(struct recallite_event_cursor *cursor,
                                             struct recallite_event **next,
                                             struct recallite_error **error);

/** Frees a cursor. NULL and a cursor that was already freed are allowed. */
void recallite_event_cursor_free(struct recallite_event_cursor *cursor);

/**
 * Calls visit with a view of an event in the store's page. No text is copied, which
 * matters for large events and for many of them.
 *
 * Growth: Constant.
 *
 * @param[in] memory the memory.
 * @param[in] event an event id, "a7Bc3x", "mem:a7Bc3x" or "[mem:a7Bc3x]".
 * @param[in] visit called once; its return value is ignored.
 * @param[in] user_data passed to visit.
 * @param[out] error set on failure; may be NULL.
 * @return as recallite_event_get, without having called visit.
 */
recallite_status recallite_event_visit(struct recallite_memory *memory,
                                       struct recallite_str event,
                                       recallite_event_callback visit,
                                       void *user_data,
                                       struct recallite_error **error);

/**
 * Calls visit with a view of each event that recallite_events would return, in the same
 * order and without copying. Events that visit forgets or erases are no longer visited.
 * Changes by other processes may be noticed a millisecond late.
 *
 * Growth: By result, as recallite_event_cursor_next.
 *
 * @param[in] memory the memory.
 * @param[in] filter which events; NULL for every conversation event of the memory's
 *     project, oldest first.
 * @param[in] visit called for each event, until it returns anything other than 0.
 * @param[in] user_data passed to visit.
 * @param[out] visited the number of events that were visited; may be NULL.
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
 * Imports Claude Code transcripts from a .jsonl file, a project's folder with the files of
 * its subagents, or the root of such folders. Importing the same transcript again changes
 * nothing, and importing a session that has continued adds the rest.
 *
 * Growth: By the transcripts.
 *
 * @param[in] memory the memory.
 * @param[in] path the file or folder, UTF-8.
 * @param[in] options what to import; NULL for the defaults.
 * @param[in] progress called after each transaction; NULL for none.
 * @param[in] user_data passed to progress.
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
 * Writes events to the new file path as JSON Lines, as of one moment: a header, one
 * line for each event in log order, and an end line. On Unix only the file's owner
 * can read it.
 *
 * With a selector, the live events that match it are written; such a file can be
 * imported but not restored. Without one, the file contains the whole log and
 * everything that a restore needs, including forgotten events and the store's
 * secret: keep it as private as the store.
 *
 * A file that is there already is refused. With replace, it is replaced once the new
 * one is complete, and stays as it is if the export fails; a pipe is written to.
 *
 * Growth: By store; with a selector, by result.
 *
 * @param[in] memory the memory.
 * @param[in] path a path of the file system, UTF-8.
 * @param[in] selector see recallite_selector; NULL for none.
 * @param[in] replace true or false.
 * @param[out] result to be freed with recallite_exported_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_ALREADY_EXISTS when there is something at path, without
 *     replace; RECALLITE_INVALID_ARGUMENT when it lies in the store's own folder;
 *     RECALLITE_INVALID_ARGUMENT or RECALLITE_NOT_FOUND from the selector;
 *     RECALLITE_NOT_FOUND, RECALLITE_PERMISSION_DENIED, RECALLITE_FULL or
 *     RECALLITE_IO when the file cannot be written: no file is left behind then;
 *     RECALLITE_CORRUPT when a record cannot be read: the file holds the others,
 *     and recallite_import_jsonl takes them. RECALLITE_INTERRUPTED when the
 *     program stops it: no file is left behind.
 */
recallite_status recallite_export_jsonl(struct recallite_memory *memory,
                                        struct recallite_str path,
                                        const struct recallite_selector *selector,
                                        bool replace,
                                        struct recallite_exported **result,
                                        struct recallite_error **error);

/**
 * Like recallite_export_jsonl, through a callback.
 *
 * Growth: By store.
 *
 * @param[in] memory the memory.
 * @param[in] write receives the bytes.
 * @param[in] user_data passed to write.
 * @param[in] selector which events; NULL for the whole log.
 * @param[out] exported what was written, to be freed with
 *     recallite_exported_free; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CALLBACK when write failed; as recallite_export_jsonl.
 */
recallite_status recallite_upkeep_export_jsonl_to(struct recallite_memory *memory,
                                                  recallite_write_callback write,
                                                  void *user_data,
                                                  const struct recallite_selector *selector,
                                                  struct recallite_exported **exported,
                                                  struct recallite_error **error);

/**
 * Like recallite_restore_jsonl, through a callback.
 *
 * Growth: By what is restored.
 *
 * @param[in] memory the memory.
 * @param[in] read provides the bytes.
 * @param[in] user_data passed to read.
 * @param[out] events the number of events there are now; may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CALLBACK when read failed; as recallite_restore_jsonl.
 */
recallite_status recallite_upkeep_restore_jsonl_from(struct recallite_memory *memory,
                                                     recallite_read_callback read,
                                                     void *user_data,
                                                     uint64_t *events,
                                                     struct recallite_error **error);

/**
 * Like recallite_import_jsonl, through a callback.
 *
 * Growth: By what is imported.
 *
 * @param[in] memory the memory.
 * @param[in] read provides the bytes; the store is not changed before the end is reached.
 * @param[in] user_data passed to read.
 * @param[out] imported what was done, to be freed with recallite_imported_free;
 *     may be NULL.
 * @param[out] error set on failure; may be NULL.
 * @return RECALLITE_CALLBACK when read failed; as recallite_import_jsonl.
 */
recallite_status recallite_upkeep_import_jsonl_from(struct recallite_memory *memory,
                                                    recallite_read_callback read,
                                                    void *user_data,
                                                    struct recallite_imported **imported,
                                                    struct recallite_error **error);

/**
 * The JSON Schema (2020-12) of an extraction, for language models that accept one.
 *
 * @return zero-terminated JSON that is always valid; never NULL.
 */
const char *recallite_extraction_schema(void);

/**
 * A prompt that explains to any language model what to extract and in which form. Append
 * the numbered messages of recallite_knowledge_session_messages to it.
 *
 * @return zero-terminated text that is always valid; never NULL.
 */
const char *recallite_extraction_prompt(void);

/**
 * Consolidates the working set into memories now, whether or not it is due.
 *
 * Growth: By the events of the working set and the consolidated memories.
 *
 * @param[in] memory the memory. @param[in] summarize summarises each group of events; NULL for the
 * summaries made by rules. @param[in] user_data passed to summarize. @param[out] report what was
 * done, to be freed with recallite_consolidation_report_free; may be NULL. @param[out] error set
 * on failure; may be NULL. @return RECALLITE_CALLBACK when summarize failed;
 * RECALLITE_INVALID_ARGUMENT naming summarize when a summary has more than 20,000 characters;
 * RECALLITE_CLOSED when the memory was closed in the meantime; RECALLITE_BUSY, RECALLITE_FULL or
 * RECALLITE_IO when the store cannot be written. Nothing is stored then.
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
