/* Device kind `opencl`: processors, GPUs and accelerators of all OpenCL platforms. They are queried
 * in a child process: this process can still fork. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "features/device/opencl/opencl_kind.h"
#include "features/device/slug.h"

#define KIND             "opencl"
#define PREFIX           KIND ":"
#define MAX_SLUG         48
#define QUERY_LIMIT_MS   60e3
#define MEASURE_LIMIT_MS 180e3

/* What the child process queries: all devices, or one device and optionally its benchmarks. */
typedef struct query {
    const char *id; /* NULL: all devices */
    bool measure;
} query;

void nitro_opencl_format_id(const nitro_opencl_facts *facts, char *id, size_t size)
{
    const char *name = facts->texts[NITRO_OPENCL_NAME];
    char slug[MAX_SLUG + 1];
    slug[nitro_slug_append(slug, MAX_SLUG, 0, name, strlen(name))] = '\0';
    snprintf(id, size, PREFIX "%s", slug[0] ? slug : "unknown");
}

size_t nitro_opencl_find(const nitro_opencl_facts *facts, size_t count, const char *id)
{
    if (strcmp(id, KIND) == 0)
        return count > 0 ? 0 : NITRO_NONE;
    for (size_t i = 0; i < count; i++) {
        char own[80], number[32];
        nitro_opencl_format_id(&facts[i], own, sizeof(own));
        snprintf(number, sizeof(number), PREFIX "%.0f", facts[i].index);
        if (strcmp(number, id) == 0 || strcmp(own, id) == 0)
            return i;
    }
    return NITRO_NONE;
}

static nitro_status answer_query(nitro_context *context, void *state, char **answer)
{
    const query *asked = state;
    nitro_opencl_facts *facts = NULL;
    size_t count = 0;
    nitro_status status = nitro_opencl_query(context, &facts, &count);
    if (status != NITRO_OK)
        return status;
    size_t index = asked->id ? nitro_opencl_find(facts, count, asked->id) : 0;
    if (index == NITRO_NONE) {
        char first[80];
        nitro_opencl_format_id(facts, first, sizeof(first));
        status = nitro_fail(context, NITRO_ERR_NOT_FOUND,
                            "no OpenCL device '%.80s' among this machine's %zu; " PREFIX "0 is %s",
                            asked->id, count, first);
    }
    if (status == NITRO_OK && asked->measure)
        status = nitro_opencl_measure(context, &facts[index]);
    if (status == NITRO_OK && asked->id)
        status = nitro_opencl_facts_print(context, &facts[index], answer);
    else if (status == NITRO_OK)
        status = nitro_opencl_facts_print_all(context, facts, count, answer);
    free(facts);
    return status;
}

static nitro_status run_query(nitro_context *context, query *asked, char **answer)
{
    if (!nitro_opencl_is_built)
        return answer_query(context, asked, answer); /* says so */
    return nitro_child_run(
        context, asked->measure ? "measuring an OpenCL device" : "querying OpenCL platforms",
        asked->measure ? MEASURE_LIMIT_MS : QUERY_LIMIT_MS, answer_query, asked, answer);
}

/* Having no device is not an error. A platform that does not answer is a warning, so that other
 * kinds' devices are still listed. */
static nitro_status list(nitro_context *context, nitro_string_list *ids)
{
    query all = {0};
    char *answer = NULL;
    nitro_status status = run_query(context, &all, &answer);
    if (status != NITRO_OK) {
        char reason[512];
        nitro_context_last_error(context, reason, sizeof(reason));
        nitro_log(context, status == NITRO_ERR_IO ? NITRO_LOG_WARNING : NITRO_LOG_INFO,
                  "no OpenCL device is listed: %s", reason);
        return status == NITRO_ERR_NO_MEMORY ? status : NITRO_OK;
    }
    nitro_opencl_facts *facts = NULL;
    size_t count = 0;
    status =
        nitro_opencl_facts_parse(context, "OpenCL devices", answer, strlen(answer), &facts, &count);
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        char id[80];
        nitro_opencl_format_id(&facts[i], id, sizeof(id));
        if (nitro_string_list_find(ids, id) == NITRO_NONE)
            status = nitro_string_list_add(context, ids, id);
    }
    free(facts);
    free(answer);
    return status;
}

static nitro_status record(nitro_context *context, const char *id, bool measure, char **text)
{
    query asked = {.id = id, .measure = measure};
    if (strcmp(id, KIND) != 0 && strncmp(id, PREFIX, strlen(PREFIX)) != 0)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "'%.80s' is not an OpenCL device: its id is '" KIND
                          "' or starts with '" PREFIX "'",
                          id);
    return run_query(context, &asked, text);
}

static nitro_status replay(nitro_context *context, const char *origin, const char *text,
                           size_t size, nitro_device **device)
{
    nitro_opencl_facts *facts = NULL;
    size_t count = 0;
    nitro_status status = nitro_opencl_facts_parse(context, origin, text, size, &facts, &count);
    if (status == NITRO_OK && count != 1)
        status =
            nitro_fail(context, NITRO_ERR_FORMAT, "%s: %zu devices instead of one", origin, count);
    if (status == NITRO_OK)
        status = nitro_opencl_make_device(context, facts, device);
    free(facts);
    return status;
}

static nitro_status describe(nitro_context *context, const char *id, bool measure,
                             nitro_device **device)
{
    char *text = NULL;
    nitro_status status = record(context, id, measure, &text);
    if (status == NITRO_OK)
        status = replay(context, "OpenCL device", text, strlen(text), device);
    free(text);
    return status;
}

const nitro_device_kind nitro_device_kind_opencl = {
    .name = KIND,
    .description = "devices of this machine's OpenCL platforms",
    .priority = 4,
    .list = list,
    .describe = describe,
    .record = record,
    .replay = replay,
    .access = &nitro_opencl_access,
};
