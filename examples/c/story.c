/* The small story of examples/story in C: remember six sentences, ask twice,
 * show the source.
 *
 *     cc -std=c99 story.c $(pkg-config --cflags --libs recallite) -o story
 *     ./story FOLDER
 *
 * FOLDER is where the memory is made; it should not exist yet.
 */
#include <recallite.h>

#include <stdio.h>
#include <stdlib.h>

static const struct {
    int32_t kind;
    const char *session;
    int64_t timestamp_ms;
    const char *content;
} SENTENCES[] = {
    {RECALLITE_EVENT_KIND_USER_PROMPT, "monday", 1773046800000,
     "We never deploy on Friday, because nobody is on call at the weekend."},
    {RECALLITE_EVENT_KIND_AGENT_RESPONSE, "monday", 1773046820000,
     "Noted. The deploy script now refuses to run on Friday."},
    {RECALLITE_EVENT_KIND_USER_PROMPT, "tuesday", 1773120600000,
     "결제 게이트웨이 타임아웃은 15초로 하고 재시도는 한 번만 해 주세요."},
    {RECALLITE_EVENT_KIND_AGENT_RESPONSE, "tuesday", 1773120620000,
     "결제 설정을 바꿨습니다. 멱등 키는 이제 주문 번호입니다."},
    {RECALLITE_EVENT_KIND_USER_PROMPT, "wednesday", 1773191700000,
     "Please print the invoice in the font Inter at 11 points."},
    {RECALLITE_EVENT_KIND_AGENT_RESPONSE, "wednesday", 1773191720000,
     "송장 글꼴을 인터 11포인트로 맞췄습니다."},
};

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

/* Prints a citation as people read it. Ids are random, so that the story shows
 * a dot for each of their characters. */
static void print_citation(recallite_str citation) {
    size_t index;
    printf("[mem:");
    for (index = 0; index < citation.len; index++) {
        putchar('.');
    }
    putchar(']');
}

/* Prints milliseconds since 1970 as YYYY-MM-DDTHH:MM:SSZ. */
static void print_time(int64_t timestamp_ms) {
    const int64_t seconds = timestamp_ms / 1000;
    const int64_t second_of_day = seconds % 86400;
    /* Days since 0000-03-01, so that leap days end a year. */
    const int64_t days = seconds / 86400 + 719468;
    const int64_t era = days / 146097;
    const int64_t day_of_era = days - era * 146097;
    const int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t shifted_month = (5 * day_of_year + 2) / 153;
    const int64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
    printf("%04d-%02d-%02dT%02d:%02d:%02dZ", (int)(year_of_era + era * 400 + (month <= 2)), (int)month,
           (int)(day_of_year - (153 * shifted_month + 2) / 5 + 1), (int)(second_of_day / 3600),
           (int)(second_of_day / 60 % 60), (int)(second_of_day % 60));
}

/* Asks a question, prints the hits and gives the result. */
static recallite_search_result *ask(recallite_memory *memory, const char *question) {
    recallite_query query = RECALLITE_INIT(recallite_query);
    recallite_search_result *result = NULL;
    recallite_string *line = NULL;
    recallite_error *error = NULL;
    size_t index;

    query.text = recallite_str_from(question);
    query.limit = 2;
    check(recallite_search(memory, &query, &result, &error), &error);

    printf("\n? %s\n", question);
    for (index = 0; index < result->len; index++) {
        const recallite_hit *hit = result->items[index];
        printf("%d. ", (int)index + 1);
        print_citation(hit->citation);
        printf(" %s %s ", recallite_event_kind_name(hit->kind), hit->session.ptr);
        print_time(hit->timestamp_ms);
        /* Whoever wrote the text may have meant it for the terminal. */
        check(recallite_harmless_line(hit->passage->text, &line, &error), &error);
        printf("\n   %s\n", line->text.ptr);
        recallite_string_free(line);
    }
    return result;
}

int main(int argc, char **argv) {
    recallite_memory *memory = NULL;
    recallite_search_result *answer;
    recallite_event *source = NULL;
    recallite_string *line = NULL;
    recallite_error *error = NULL;
    int remembered = 0;
    size_t index;

    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    check(recallite_open(recallite_str_from(argv[1]), &memory, &error), &error);

    for (index = 0; index < sizeof(SENTENCES) / sizeof(SENTENCES[0]); index++) {
        recallite_new_event event = RECALLITE_INIT(recallite_new_event);
        recallite_appended *receipt = NULL;
        event.kind = SENTENCES[index].kind;
        event.session = recallite_str_from(SENTENCES[index].session);
        event.content = recallite_str_from(SENTENCES[index].content);
        event.has_timestamp = true;
        event.timestamp_ms = SENTENCES[index].timestamp_ms;
        check(recallite_append(memory, &event, &receipt, &error), &error);
        remembered += !receipt->duplicate;
        recallite_appended_free(receipt);
    }
    printf("remembered %d events\n", remembered);

    recallite_search_result_free(ask(memory, "Who is on call when we deploy on Friday?"));
    answer = ask(memory, "결제 타임아웃을 몇 초로 정했지?");

    if (answer->len > 0) {
        check(recallite_citation(memory, answer->items[0]->citation, &source, &error), &error);
        printf("\nsource of ");
        print_citation(source->citation);
        printf("\n   %s %s ", recallite_event_kind_name(source->kind), source->session.ptr);
        print_time(source->timestamp_ms);
        check(recallite_harmless_line(source->content, &line, &error), &error);
        printf("\n   %s\n", line->text.ptr);
        recallite_string_free(line);
        recallite_event_free(source);
    }
    recallite_search_result_free(answer);

    check(recallite_close(memory, &error), &error);
    recallite_free(memory);
    printf("\nclosed\n");
    return 0;
}
