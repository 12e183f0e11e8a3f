/* Kernel pairs to and from JSON. */
#include "nitro/models/score_json.h"
#include "nitro/runtime/scores/kernel_pair.h"

static const char *const names[NITRO_KERNEL_PAIR_SIZE] = {"wide", "narrow"};

nitro_status nitro_kernel_pair_encode(nitro_context *context, const nitro_kernel_pair *pair,
                                      json_t **json)
{
    json_t *made = json_object();
    nitro_status status = NITRO_OK;
    for (size_t m = 0; m < NITRO_KERNEL_PAIR_SIZE && status == NITRO_OK; m++) {
        json_t *expansion = NULL;
        status = nitro_kernel_expansion_encode(context, pair->expansions[m], &expansion);
        if (status == NITRO_OK && json_object_set_new(made, names[m], expansion) != 0)
            status = nitro_fail(context, NITRO_ERR_NO_MEMORY,
                                "out of memory: cannot encode a kernel pair");
    }
    if (status == NITRO_OK)
        *json = made;
    else
        json_decref(made);
    return status;
}

nitro_status nitro_kernel_pair_decode(const nitro_json_place *place, const json_t *json,
                                      size_t num_columns, size_t num_outputs,
                                      nitro_kernel_pair **pair)
{
    nitro_kernel_pair *made = nitro_calloc(place->context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = NITRO_OK;
    for (size_t m = 0; m < NITRO_KERNEL_PAIR_SIZE && status == NITRO_OK; m++) {
        json_t *expansion = NULL;
        status = nitro_json_member(place, json, names[m], JSON_OBJECT, &expansion);
        if (status == NITRO_OK)
            status = nitro_kernel_expansion_decode(place, expansion, num_columns, num_outputs,
                                                   &made->expansions[m]);
    }
    if (status == NITRO_OK)
        *pair = made;
    else
        nitro_kernel_pair_free(made);
    return status;
}
