/* Device kind `cuda`: this machine's NVIDIA GPUs. The driver is queried in a child process: this
 * process can still fork, and a driver that hangs or crashes only costs an error. */
#include <stdlib.h>
#include <string.h>

#include "features/device/cuda/cuda_kind.h"

#define KIND   "cuda"
#define PREFIX KIND ":"

#define QUERY_LIMIT_MS   60e3 /* eight suspended GPUs take many seconds to resume */
#define MEASURE_LIMIT_MS 180e3

/* What the child process queries: all devices, or one device and optionally its benchmarks. */
typedef struct query {
    const char *id; /* NULL: all devices */
    bool measure;
} query;

size_t nitro_cuda_find(const nitro_cuda_facts *facts, size_t count, const char *id)
{
    if (strcmp(id, KIND) == 0)
        return count > 0 ? 0 : NITRO_NONE;
    double number;
    bool is_number = strncmp(id, PREFIX, strlen(PREFIX)) == 0 &&
                     strspn(id + strlen(PREFIX), "0123456789") == strlen(id) - strlen(PREFIX) &&
                     nitro_parse_number(id + strlen(PREFIX), &number);
    for (size_t i = 0; i < count; i++) {
        char own[64];
        nitro_cuda_format_id(facts[i].name, own, sizeof(own));
        if (is_number ? facts[i].index == number : strcmp(own, id) == 0)
            return i;
    }
    return NITRO_NONE;
}

static nitro_status fail_other(nitro_context *context, const nitro_cuda_facts *facts, size_t count,
                               const char *id)
{
    char first[64];
    nitro_cuda_format_id(facts[0].name, first, sizeof(first));
    return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                      "no CUDA device '%.80s' among this machine's %zu; " PREFIX "0 is %s", id,
                      count, first);
}

static nitro_status answer_query(nitro_context *context, void *state, char **answer)
{
    const query *asked = state;
    nitro_cuda_facts *facts = NULL;
    size_t count = 0;
    nitro_status status = nitro_cuda_query(context, &facts, &count);
    if (status != NITRO_OK)
        return status;
    size_t index = asked->id ? nitro_cuda_find(facts, count, asked->id) : 0;
    if (index == NITRO_NONE)
        status = fail_other(context, facts, count, asked->id);
    if (status == NITRO_OK && asked->measure)
        status = nitro_cuda_measure(context, &facts[index]);
    if (status == NITRO_OK && asked->id)
        status = nitro_cuda_facts_print(context, &facts[index], answer);
    else if (status == NITRO_OK)
        status = nitro_cuda_facts_print_all(context, facts, count, answer);
    free(facts);
    return status;
}

/* Without the CUDA runtime no child process is needed to report the error. */
static nitro_status run_query(nitro_context *context, query *asked, char **answer)
{
    if (!nitro_cuda_is_built)
        return answer_query(context, asked, answer);
    return nitro_child_run(
        context, asked->measure ? "measuring a CUDA device" : "querying the CUDA driver",
        asked->measure ? MEASURE_LIMIT_MS : QUERY_LIMIT_MS, answer_query, asked, answer);
}

static nitro_status add_ids(nitro_context *context, const nitro_cuda_facts *facts, size_t count,
                            nitro_string_list *ids)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        char id[64];
        nitro_cuda_format_id(facts[i].name, id, sizeof(id));
        if (nitro_string_list_find(ids, id) == NITRO_NONE)
            status = nitro_string_list_add(context, ids, id);
    }
    return status;
}

/* Having no device is not an error. A driver that does not answer is a warning, so that other
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
                  "no CUDA device is listed: %s", reason);
        return status == NITRO_ERR_NO_MEMORY ? status : NITRO_OK;
    }
    nitro_cuda_facts *facts = NULL;
    size_t count = 0;
    status =
        nitro_cuda_facts_parse(context, "CUDA devices", answer, strlen(answer), &facts, &count);
    if (status == NITRO_OK)
        status = add_ids(context, facts, count, ids);
    free(facts);
    free(answer);
    return status;
}

static nitro_status record(nitro_context *context, const char *id, bool measure, char **text)
{
    query asked = {.id = id, .measure = measure};
    if (strcmp(id, KIND) != 0 && strncmp(id, PREFIX, strlen(PREFIX)) != 0)
        return nitro_fail(
            context, NITRO_ERR_NOT_FOUND,
            "'%.80s' is not a CUDA device: its id is '" KIND "' or starts with '" PREFIX "'", id);
    return run_query(context, &asked, text);
}

static nitro_status replay(nitro_context *context, const char *origin, const char *text,
                           size_t size, nitro_device **device)
{
    nitro_cuda_facts *facts = NULL;
    size_t count = 0;
    nitro_status status = nitro_cuda_facts_parse(context, origin, text, size, &facts, &count);
    if (status == NITRO_OK && count != 1)
        status =
            nitro_fail(context, NITRO_ERR_FORMAT, "%s: %zu devices instead of one", origin, count);
    if (status == NITRO_OK)
        status = nitro_cuda_make_device(context, facts, device);
    free(facts);
    return status;
}

static nitro_status describe(nitro_context *context, const char *id, bool measure,
                             nitro_device **device)
{
    char *text = NULL;
    nitro_status status = record(context, id, measure, &text);
    if (status == NITRO_OK)
        status = replay(context, "CUDA device", text, strlen(text), device);
    free(text);
    return status;
}

const nitro_device_kind nitro_device_kind_cuda = {
    .name = KIND,
    .description = "NVIDIA GPUs of this machine",
    .priority = 5,
    .list = list,
    .describe = describe,
    .record = record,
    .replay = replay,
    .access = &nitro_cuda_access,
};
