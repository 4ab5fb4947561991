/* An embedder of the program: called by many threads, released once. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <math.h>
#include <pthread.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Tells texts about cats from all others, in three languages. */
struct cats {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    recallite_memory *memory;
    const char *says;
    float number;
    int answer;
    int calls;
    int destroyed;
    bool calls_back;
    bool blocks;
    bool is_inside;
    recallite_status status_inside;
};

static int32_t embed(const recallite_str *texts, size_t texts_len, float *vectors,
                     recallite_problem *problem, void *user_data) {
    struct cats *cats = (struct cats *)user_data;
    int32_t answer;
    size_t index;

    pthread_mutex_lock(&cats->mutex);
    cats->calls++;
    answer = cats->answer;
    cats->is_inside = true;
    pthread_cond_broadcast(&cats->changed);
    while (cats->blocks) {
        pthread_cond_wait(&cats->changed, &cats->mutex);
    }
    pthread_mutex_unlock(&cats->mutex);
    if (cats->calls_back) {
        recallite_new_event event = prompt("callback", "said by an embedder");
        recallite_stats *stats = NULL;
        cats->status_inside = recallite_append(cats->memory, &event, NULL, NULL);
        CHECK_OK(recallite_stats_get(cats->memory, &stats, &error));
        recallite_stats_free(stats);
    }
    for (index = 0; index < texts_len; index++) {
        const bool is_cat = strstr(texts[index].ptr, "kitten") != NULL
                            || strstr(texts[index].ptr, "猫") != NULL
                            || strstr(texts[index].ptr, "고양이") != NULL;
        CHECK(strlen(texts[index].ptr) == texts[index].len);
        CHECK(vectors[index * 2] == 0 && vectors[index * 2 + 1] == 0);
        vectors[index * 2] = is_cat ? cats->number : 0;
        vectors[index * 2 + 1] = is_cat ? 0 : cats->number;
    }
    if (answer != 0 && cats->says != NULL) {
        CHECK(problem->text[0] == '\0');
        snprintf(problem->text, sizeof(problem->text), "%s", cats->says);
    }
    return answer;
}

static void destroy(void *user_data) {
    struct cats *cats = (struct cats *)user_data;
    pthread_mutex_lock(&cats->mutex);
    cats->destroyed++;
    pthread_cond_broadcast(&cats->changed);
    pthread_mutex_unlock(&cats->mutex);
}

static void begin(struct cats *cats) {
    memset(cats, 0, sizeof(*cats));
    pthread_mutex_init(&cats->mutex, NULL);
    pthread_cond_init(&cats->changed, NULL);
    cats->number = 3;
}

static void end(struct cats *cats) {
    pthread_cond_destroy(&cats->changed);
    pthread_mutex_destroy(&cats->mutex);
}

static int destroyed(struct cats *cats) {
    int count;
    pthread_mutex_lock(&cats->mutex);
    count = cats->destroyed;
    pthread_mutex_unlock(&cats->mutex);
    return count;
}

static recallite_embedder embedder_of(struct cats *cats) {
    recallite_embedder embedder = RECALLITE_INIT(recallite_embedder);
    embedder.id = text("cats-1");
    embedder.dimensions = 2;
    embedder.embed = embed;
    embedder.user_data = cats;
    embedder.destroy = destroy;
    return embedder;
}

static recallite_memory *open_cats(const char *name, struct cats *cats, uint64_t timeout_ms) {
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_embedder embedder = embedder_of(cats);
    recallite_memory *memory = NULL;
    options.embedder = &embedder;
    options.embedding_timeout_ms = timeout_ms;
    /* Under Valgrind on a busy machine a turn can take seconds. */
    options.busy_timeout_ms = 60000;
    CHECK_OK(recallite_open_with(text(path_of(name)), &options, &memory, &error));
    cats->memory = memory;
    return memory;
}

static void say(recallite_memory *memory, const char *content) {
    recallite_new_event event = prompt("s1", content);
    CHECK_OK(recallite_append(memory, &event, NULL, &error));
}

/* With the feature graph the memory opens, without it the option is named. */
static void a_graph_is_used_or_refused_by_name(void) {
    struct cats cats;
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_embedder embedder;
    recallite_memory *memory = NULL;
    recallite_maintain_budget budget = RECALLITE_INIT(recallite_maintain_budget);
    recallite_maintained *maintained = NULL;
    recallite_stats *stats = NULL;

    begin(&cats);
    embedder = embedder_of(&cats);
    options.embedder = &embedder;
    options.vector_graph_from = 1;
    options.vector_graph_bytes = (size_t)1 << 20;
    CHECK_OK(recallite_open_with(text(path_of("graph")), &options, &memory, &error));
    cats.memory = memory;
    say(memory, "a kitten sleeps on the sofa");
    budget.has_graph_vectors = true;
    budget.graph_vectors = 1;
    CHECK_OK(recallite_maintain(memory, &budget, &maintained, &error));
    /* One vector waits for others before it gets a file. */
    CHECK(maintained->jobs_done == 1 && maintained->graph_vectors == 0);
    recallite_maintained_free(maintained);
    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    CHECK(stats->embedding->graph_vectors == 0 && stats->embedding->graph_waiting == 0);
    recallite_stats_free(stats);
    recallite_free(memory);
}

static void events_are_found_by_their_meaning(void) {
    struct cats cats;
    recallite_memory *memory;
    recallite_processed *processed = NULL;
    recallite_stats *stats = NULL;
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_search_result *result = NULL;
    size_t index;
    bool found = false;

    begin(&cats);
    memory = open_cats("meaning", &cats, 0);
    say(memory, "a kitten sleeps on the sofa");
    say(memory, "我家的猫很安静");
    say(memory, "the invoice goes to accounting");
    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    CHECK(stats->embedding != NULL && stats->embedding->pending == 3 && stats->embedding->vectors == 0);
    CHECK(stats->embedding->has_oldest_pending && !stats->embedding->has_last_processed);
    recallite_stats_free(stats);
    CHECK_OK(recallite_process_outbox(memory, 2, &processed, &error));
    CHECK(processed->processed == 2 && processed->succeeded == 2 && processed->errors_len == 0);
    recallite_processed_free(processed);
    CHECK_OK(recallite_process_outbox(memory, 100, NULL, &error));
    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    CHECK(stats->embedding->vectors == 3 && stats->embedding->done == 3);
    CHECK(stats->embedding->dimensions == 2);
    CHECK(strncmp(stats->embedding->version.ptr, "cats-1@", 7) == 0);
    CHECK(stats->embedding->has_last_processed && stats->embedding->has_average_processing_ms);
    recallite_stats_free(stats);

    query.text = text("고양이는 어디에 있지?");
    CHECK_OK(recallite_search(memory, &query, &result, &error));
    for (index = 0; index < result->len; index++) {
        found = found || is(result->items[index]->summary, "a kitten sleeps on the sofa");
    }
    CHECK(found && !result->degraded);
    recallite_search_result_free(result);
    CHECK(destroyed(&cats) == 0);
    recallite_free(memory);
    CHECK(destroyed(&cats) == 1);
    end(&cats);
}

static void a_vector_takes_the_place_of_the_question(void) {
    static const float towards_cats[2] = {1, 0};
    static const float nowhere[2] = {0, 0};
    struct cats cats;
    recallite_memory *memory;
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_search_result *result = NULL;
    int calls;

    begin(&cats);
    memory = open_cats("vector", &cats, 0);
    say(memory, "a kitten sleeps on the sofa");
    say(memory, "the invoice goes to accounting");
    CHECK_OK(recallite_process_outbox(memory, 10, NULL, &error));
    calls = cats.calls;
    query.vector = towards_cats;
    query.vector_len = 2;
    CHECK_OK(recallite_search(memory, &query, &result, &error));
    CHECK(result->len >= 1 && result->items[0]->seq == 1);
    CHECK(cats.calls == calls); /* the embedder was not asked */
    recallite_search_result_free(result);
    result = NULL;
    query.vector_len = 1;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "vector", recallite_search(memory, &query, &result, &error));
    query.vector_len = 2;
    query.vector = nowhere;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "vector", recallite_search(memory, &query, &result, &error));
    query.vector = NULL;
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "vector", recallite_search(memory, &query, &result, &error));
    CHECK(result == NULL);
    recallite_free(memory);
}

static void upkeep_embeds_as_much_as_it_may(void) {
    struct cats cats;
    recallite_memory *memory;
    recallite_maintain_budget budget = RECALLITE_INIT(recallite_maintain_budget);
    recallite_maintained *maintained = NULL;

    begin(&cats);
    memory = open_cats("upkeep", &cats, 0);
    cats.calls_back = true;
    say(memory, "a kitten sleeps on the sofa");
    say(memory, "고양이가 잡니다");
    say(memory, "the invoice goes to accounting");
    budget.has_jobs = true;
    CHECK_OK(recallite_maintain(memory, &budget, &maintained, &error));
    CHECK(maintained->jobs_done == 0 && maintained->jobs_waiting == 3 && cats.calls == 0);
    recallite_maintained_free(maintained);
    budget.jobs = 2;
    budget.time_ms = 60000;
    CHECK_OK(recallite_maintain(memory, &budget, &maintained, &error));
    CHECK(maintained->jobs_done == 2 && maintained->jobs_failed == 0 && maintained->has_more);
    CHECK(cats.status_inside == RECALLITE_OK);
    recallite_maintained_free(maintained);
    cats.calls_back = false;
    cats.answer = 1;
    CHECK_OK(recallite_maintain(memory, NULL, &maintained, &error));
    CHECK(maintained->jobs_failed >= 1 && maintained->jobs_done == 0);
    recallite_maintained_free(maintained);
    memset(&budget.has_jobs, 2, 1);
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "has_jobs",
                recallite_maintain(memory, &budget, NULL, &error));
    recallite_free(memory);
    CHECK(destroyed(&cats) == 1);
    end(&cats);
}

static void a_failing_embedder_leaves_words(void) {
    struct cats cats;
    recallite_memory *memory;
    recallite_processed *processed = NULL;
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_search_result *result = NULL;
    size_t revived = 0;

    begin(&cats);
    memory = open_cats("failing", &cats, 0);
    say(memory, "the first has its vector");
    CHECK_OK(recallite_process_outbox(memory, 10, NULL, &error));
    say(memory, "a kitten sleeps on the sofa");
    cats.answer = 9;
    cats.says = "the service is down: 서비스 중단";
    CHECK_OK(recallite_process_outbox(memory, 10, &processed, &error));
    CHECK(processed->failed == 1 && processed->succeeded == 0 && processed->errors_len == 1);
    CHECK(strstr(processed->errors[0]->message.ptr, "서비스 중단") != NULL);
    recallite_processed_free(processed);
    query.text = text("sofa");
    CHECK_OK(recallite_search(memory, &query, &result, &error));
    CHECK(result->len >= 1 && is(result->items[0]->summary, "a kitten sleeps on the sofa"));
    CHECK(result->degraded);
    recallite_search_result_free(result);

    /* Without words, the number is told. */
    cats.says = NULL;
    CHECK_OK(recallite_upkeep_retry_outbox(memory, 3, &revived, &error));
    CHECK(revived == 1);
    CHECK_OK(recallite_process_outbox(memory, 10, &processed, &error));
    CHECK(processed->errors_len == 1 && strstr(processed->errors[0]->message.ptr, "9") != NULL);
    recallite_processed_free(processed);

    /* A number that is none. */
    cats.answer = 0;
    cats.number = (float)NAN;
    CHECK_OK(recallite_upkeep_retry_outbox(memory, 3, &revived, &error));
    CHECK_OK(recallite_process_outbox(memory, 10, &processed, &error));
    CHECK(processed->failed == 1);
    recallite_processed_free(processed);

    cats.number = 1;
    CHECK_OK(recallite_upkeep_retry_outbox(memory, 3, &revived, &error));
    CHECK_OK(recallite_process_outbox(memory, 10, &processed, &error));
    CHECK(processed->succeeded == 1);
    recallite_processed_free(processed);
    CHECK_OK(recallite_search(memory, &query, &result, &error));
    CHECK(result->len >= 1 && !result->degraded);
    recallite_search_result_free(result);
    recallite_free(memory);
    CHECK(destroyed(&cats) == 1);
    end(&cats);
}

static void an_embedder_may_call_the_library(void) {
    struct cats cats;
    recallite_memory *memory;
    recallite_processed *processed = NULL;
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_search_result *result = NULL;

    begin(&cats);
    memory = open_cats("calls back", &cats, 0);
    say(memory, "a kitten sleeps on the sofa");
    cats.calls_back = true;
    cats.status_inside = RECALLITE_INTERNAL;
    CHECK_OK(recallite_process_outbox(memory, 1, &processed, &error));
    CHECK(processed->succeeded == 1 && cats.status_inside == RECALLITE_OK);
    recallite_processed_free(processed);
    cats.status_inside = RECALLITE_INTERNAL;
    query.text = text("kitten");
    CHECK_OK(recallite_search(memory, &query, &result, &error));
    CHECK(result->len >= 1 && cats.status_inside == RECALLITE_OK);
    recallite_search_result_free(result);
    recallite_free(memory);
    end(&cats);
}

/* The time runs out while the callback hangs; the memory is freed meanwhile. The
 * callback's data must live until it has returned. */
static void a_hanging_embedder_keeps_its_data(void) {
    struct cats cats;
    recallite_memory *memory;
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_search_result *result = NULL;

    begin(&cats);
    memory = open_cats("hanging", &cats, 20);
    say(memory, "a kitten sleeps on the sofa");
    CHECK_OK(recallite_process_outbox(memory, 10, NULL, &error));
    cats.is_inside = false;
    cats.blocks = true;
    query.text = text("sofa");
    CHECK_OK(recallite_search(memory, &query, &result, &error));
    CHECK(result->len == 1 && result->degraded);
    recallite_search_result_free(result);
    recallite_free(memory);

    pthread_mutex_lock(&cats.mutex);
    while (!cats.is_inside) {
        pthread_cond_wait(&cats.changed, &cats.mutex);
    }
    CHECK(cats.destroyed == 0);
    cats.blocks = false;
    pthread_cond_broadcast(&cats.changed);
    while (cats.destroyed == 0) {
        pthread_cond_wait(&cats.changed, &cats.mutex);
    }
    CHECK(cats.destroyed == 1);
    pthread_mutex_unlock(&cats.mutex);
    end(&cats);
}

static void user_data_is_released_once_or_stays_the_programs(void) {
    struct cats cats;
    recallite_open_options options = RECALLITE_INIT(recallite_open_options);
    recallite_embedder embedder;
    recallite_memory *memory = NULL;
    recallite_event_cursor *cursor = NULL;

    begin(&cats);
    embedder = embedder_of(&cats);
    options.embedder = &embedder;
    options.must_exist = true;
    CHECK_FAILS(RECALLITE_NOT_FOUND, NULL,
                recallite_open_with(text(path_of("nowhere")), &options, &memory, &error));
    options.must_exist = false;
    embedder.id = text("");
    CHECK_FAILS(RECALLITE_INVALID_ARGUMENT, "embedder.id",
                recallite_open_with(text(path_of("release")), &options, &memory, &error));
    CHECK(destroyed(&cats) == 0);

    embedder = embedder_of(&cats);
    CHECK_OK(recallite_open_with(text(path_of("release")), &options, &memory, &error));
    CHECK_OK(recallite_events(memory, NULL, &cursor, &error));
    CHECK_OK(recallite_close(memory, &error));
    CHECK(destroyed(&cats) == 0);
    recallite_free(memory);
    recallite_free(memory);
    recallite_event_cursor_free(cursor);
    CHECK(destroyed(&cats) == 1);

    /* Without a destructor nothing is called. */
    embedder.destroy = NULL;
    CHECK_OK(recallite_open_with(text(path_of("release")), &options, &memory, &error));
    recallite_free(memory);
    CHECK(destroyed(&cats) == 1);
    end(&cats);
}

#define THREADS 8

struct worker {
    recallite_memory *memory;
    int number;
    int failures;
};

static void *work(void *argument) {
    struct worker *worker = (struct worker *)argument;
    int index;
    for (index = 0; index < 4; index++) {
        recallite_query query = RECALLITE_INIT(recallite_query);
        recallite_context *context = NULL;
        recallite_processed *processed = NULL;
        recallite_new_event event;
        char content[64];
        snprintf(content, sizeof(content), "kitten %d of thread %d", index, worker->number);
        event = prompt("threads", content);
        query.text = event.content;
        worker->failures += recallite_append(worker->memory, &event, NULL, NULL) != RECALLITE_OK;
        worker->failures +=
            recallite_process_outbox(worker->memory, 10, &processed, NULL) != RECALLITE_OK;
        worker->failures += processed == NULL || processed->failed != 0;
        worker->failures +=
            recallite_context_get(worker->memory, &query, NULL, &context, NULL) != RECALLITE_OK;
        worker->failures += context == NULL || context->degraded;
        recallite_context_free(context);
        recallite_processed_free(processed);
    }
    return NULL;
}

static void eight_threads_share_an_embedder(void) {
    struct cats cats;
    recallite_memory *memory;
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    recallite_stats *stats = NULL;
    int index;

    begin(&cats);
    memory = open_cats("threads", &cats, 60000);
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
    CHECK_OK(recallite_process_outbox(memory, 100, NULL, &error));
    CHECK_OK(recallite_stats_get(memory, &stats, &error));
    CHECK(stats->prompts == THREADS * 4 && stats->embedding->vectors == THREADS * 4);
    recallite_stats_free(stats);
    recallite_free(memory);
    CHECK(destroyed(&cats) == 1);
    end(&cats);
}

static void a_forked_child_is_told_to_open_for_itself(void) {
    struct cats cats;
    recallite_memory *memory;
    int status = -1;
    pid_t child;

    begin(&cats);
    memory = open_cats("fork", &cats, 0);
    say(memory, "a kitten sleeps on the sofa");
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        recallite_query query = RECALLITE_INIT(recallite_query);
        recallite_context *context = NULL;
        int wrong = 0;
        query.text = text("kitten");
        wrong += recallite_context_get(memory, &query, NULL, &context, NULL) != RECALLITE_NEEDS_REOPEN;
        wrong += recallite_process_outbox(memory, 1, NULL, NULL) != RECALLITE_NEEDS_REOPEN;
        wrong += recallite_maintain(memory, NULL, NULL, NULL) != RECALLITE_NEEDS_REOPEN;
        _exit(wrong);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_OK(recallite_process_outbox(memory, 1, NULL, &error));
    recallite_free(memory);
    CHECK(destroyed(&cats) == 1);
    end(&cats);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    check_folder = argv[1];
    CASE(a_graph_is_used_or_refused_by_name);
    CASE(events_are_found_by_their_meaning);
    CASE(a_vector_takes_the_place_of_the_question);
    CASE(upkeep_embeds_as_much_as_it_may);
    CASE(a_failing_embedder_leaves_words);
    CASE(an_embedder_may_call_the_library);
    CASE(a_hanging_embedder_keeps_its_data);
    CASE(user_data_is_released_once_or_stays_the_programs);
    CASE(eight_threads_share_an_embedder);
    CASE(a_forked_child_is_told_to_open_for_itself);
    return check_end();
}
