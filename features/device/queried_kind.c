/* Device kinds whose driver is queried in a child process: list, describe, record and replay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "features/device/facts.h"

#define QUERY_LIMIT_MS   60e3 /* eight suspended GPUs take many seconds to resume */
#define MEASURE_LIMIT_MS 180e3

/* What the child process queries: all devices, or one device and optionally its benchmarks. */
typedef struct question {
    const nitro_queried_kind *kind;
    const char *id; /* NULL: all devices */
    bool measure;
} question;

static bool is_of_kind(const nitro_queried_kind *kind, const char *id)
{
    size_t length = strlen(kind->name);
    return strncmp(id, kind->name, length) == 0 && (id[length] == '\0' || id[length] == ':');
}

size_t nitro_facts_find(const nitro_queried_kind *kind, const nitro_facts *facts, size_t count,
                        const char *id)
{
    if (strcmp(id, kind->name) == 0)
        return count > 0 ? 0 : NITRO_NONE;
    for (size_t i = 0; i < count; i++) {
        char own[NITRO_FACTS_ID_SIZE], number[NITRO_FACTS_ID_SIZE];
        kind->format_id(facts[i].texts[0], own, sizeof(own));
        snprintf(number, sizeof(number), "%s:%.0f", kind->name, facts[i].index);
        if (strcmp(number, id) == 0 || strcmp(own, id) == 0)
            return i;
    }
    return NITRO_NONE;
}

static nitro_status answer_question(nitro_context *context, void *state, char **answer)
{
    const question *asked = state;
    const nitro_queried_kind *kind = asked->kind;
    nitro_facts *facts = NULL;
    size_t count = 0;
    nitro_status status = kind->query(context, &facts, &count);
    if (status != NITRO_OK)
        return status;
    size_t index = asked->id ? nitro_facts_find(kind, facts, count, asked->id) : 0;
    if (index == NITRO_NONE) {
        char first[NITRO_FACTS_ID_SIZE];
        kind->format_id(facts[0].texts[0], first, sizeof(first));
        status = nitro_fail(context, NITRO_ERR_NOT_FOUND,
                            "no %s '%.80s' among this machine's %zu; %s:0 is %s", kind->title,
                            asked->id, count, kind->name, first);
    }
    if (status == NITRO_OK && asked->measure)
        status = kind->measure(context, &facts[index]);
    if (status == NITRO_OK && asked->id)
        status = nitro_facts_print(context, kind, &facts[index], answer);
    else if (status == NITRO_OK)
        status = nitro_facts_print_all(context, kind, facts, count, answer);
    free(facts);
    return status;
}

static nitro_status ask(nitro_context *context, question *asked, char **answer)
{
    char what[96];
    if (!*asked->kind->is_built)
        return answer_question(context, asked, answer); /* says so */
    if (asked->measure)
        snprintf(what, sizeof(what), "measuring %s %s", asked->kind->article, asked->kind->title);
    else
        snprintf(what, sizeof(what), "querying %s", asked->kind->driver);
    return nitro_child_run(context, what, asked->measure ? MEASURE_LIMIT_MS : QUERY_LIMIT_MS,
                           answer_question, asked, answer);
}

static nitro_status add_ids(nitro_context *context, const nitro_queried_kind *kind,
                            const nitro_facts *facts, size_t count, nitro_string_list *ids)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        char id[NITRO_FACTS_ID_SIZE];
        kind->format_id(facts[i].texts[0], id, sizeof(id));
        if (nitro_string_list_find(ids, id) == NITRO_NONE)
            status = nitro_string_list_add(context, ids, id);
    }
    return status;
}

nitro_status nitro_queried_list(nitro_context *context, const nitro_queried_kind *kind,
                                nitro_string_list *ids)
{
    question all = {.kind = kind};
    char *answer = NULL;
    nitro_status status = ask(context, &all, &answer);
    if (status != NITRO_OK) {
        char reason[512];
        nitro_context_last_error(context, reason, sizeof(reason));
        nitro_log(context, status == NITRO_ERR_IO ? NITRO_LOG_WARNING : NITRO_LOG_INFO,
                  "no %s is listed: %s", kind->title, reason);
        return status == NITRO_ERR_NO_MEMORY ? status : NITRO_OK;
    }
    nitro_facts *facts = NULL;
    size_t count = 0;
    status = nitro_facts_parse(context, kind, kind->driver, answer, strlen(answer), &facts, &count);
    if (status == NITRO_OK)
        status = add_ids(context, kind, facts, count, ids);
    free(facts);
    free(answer);
    return status;
}

nitro_status nitro_queried_record(nitro_context *context, const nitro_queried_kind *kind,
                                  const char *id, bool measure, char **text)
{
    question asked = {kind, id, measure};
    if (!is_of_kind(kind, id))
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "'%.80s' is not %s %s: its id is '%s' or starts with '%s:'", id,
                          kind->article, kind->title, kind->name, kind->name);
    return ask(context, &asked, text);
}

static nitro_status add_measured(nitro_context *context, const nitro_queried_kind *kind,
                                 const nitro_facts *facts, nitro_device *device)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < kind->num_benchmarks && status == NITRO_OK; i++)
        status = nitro_device_set(context, device, kind->benchmarks[i], facts->measured[i],
                                  NITRO_VALUE_MEASURED, facts->spread[i]);
    return status;
}

nitro_status nitro_facts_make_device(nitro_context *context, const nitro_queried_kind *kind,
                                     const nitro_facts *facts, nitro_device **device)
{
    char id[NITRO_FACTS_ID_SIZE];
    nitro_device *made = NULL;
    kind->format_id(facts->texts[0], id, sizeof(id));
    nitro_status status = nitro_device_create(context, id, kind->name, &made);
    if (status == NITRO_OK)
        status = kind->describe(context, facts, made);
    if (status == NITRO_OK)
        status = add_measured(context, kind, facts, made);
    if (status == NITRO_OK)
        *device = made;
    else
        nitro_device_free(made);
    return status;
}

nitro_status nitro_queried_replay(nitro_context *context, const nitro_queried_kind *kind,
                                  const char *origin, const char *text, size_t size,
                                  nitro_device **device)
{
    nitro_facts *facts = NULL;
    size_t count = 0;
    nitro_status status = nitro_facts_parse(context, kind, origin, text, size, &facts, &count);
    if (status == NITRO_OK && count != 1)
        status =
            nitro_fail(context, NITRO_ERR_FORMAT, "%s: %zu devices instead of one", origin, count);
    if (status == NITRO_OK)
        status = nitro_facts_make_device(context, kind, facts, device);
    free(facts);
    return status;
}

nitro_status nitro_queried_describe(nitro_context *context, const nitro_queried_kind *kind,
                                    const char *id, bool measure, nitro_device **device)
{
    char *text = NULL;
    nitro_status status = nitro_queried_record(context, kind, id, measure, &text);
    if (status == NITRO_OK)
        status = nitro_queried_replay(context, kind, kind->title, text, strlen(text), device);
    free(text);
    return status;
}
