/* Inputs and devices of a tuning run, with what the store already holds of them. */
#include "nitro/measure/tune_plan.h"

#include <stdlib.h>
#include <string.h>

#include "nitro/measure/measure_input.h"

nitro_status nitro_tune_plan_check(const nitro_tune_plan *plan, const char *purpose)
{
    const nitro_schema *schema = plan->computation->schema;
    if (nitro_store_context(plan->store) != plan->context)
        return nitro_fail(plan->context, NITRO_ERR_ARGUMENT,
                          "the store and computation %s belong to different contexts",
                          schema->computation);
    if (schema->num_variants == 0)
        return nitro_fail(plan->context, NITRO_ERR_ARGUMENT, "%s: there are no variants to %s",
                          schema->computation, purpose);
    return NITRO_OK;
}

static int compare_inputs(const void *left, const void *right)
{
    const nitro_input *a = *(const nitro_input *const *)left;
    const nitro_input *b = *(const nitro_input *const *)right;
    int order = strcmp(a->name, b->name);
    return order ? order : (a > b) - (a < b);
}

static nitro_status check_inputs(nitro_tune_plan *self)
{
    const nitro_input *inputs = self->inputs;
    if (self->num_inputs == 0)
        return nitro_fail(self->context, NITRO_ERR_ARGUMENT, "%s: no inputs to tune on",
                          self->computation->schema->computation);
    for (size_t i = 0; i < self->num_inputs; i++) {
        if (!inputs[i].name || !inputs[i].load || !nitro_input_name_is_valid(inputs[i].name))
            return nitro_fail(self->context, NITRO_ERR_ARGUMENT,
                              "input number %zu ('%.80s') needs a loader and a name of 1 to 511 "
                              "bytes of UTF-8 without control characters",
                              i + 1, inputs[i].name ? inputs[i].name : "(null)");
        self->by_name[i] = &inputs[i];
    }
    qsort(self->by_name, self->num_inputs, sizeof(*self->by_name), compare_inputs);
    for (size_t i = 1; i < self->num_inputs; i++) {
        const nitro_input *a = self->by_name[i - 1], *b = self->by_name[i];
        if (strcmp(a->name, b->name) == 0)
            return nitro_fail(self->context, NITRO_ERR_ARGUMENT,
                              "inputs number %zu and %zu are both named '%s': samples are kept by "
                              "name, so give each input its own",
                              (size_t)(a - inputs) + 1, (size_t)(b - inputs) + 1, a->name);
    }
    return NITRO_OK;
}

static int compare_name(const void *name, const void *input)
{
    return strcmp(name, (*(const nitro_input *const *)input)->name);
}

size_t nitro_tune_plan_find_input(const nitro_tune_plan *self, const char *name)
{
    const nitro_input **found =
        bsearch(name, self->by_name, self->num_inputs, sizeof(*self->by_name), compare_name);
    return found ? (size_t)(*found - self->inputs) : NITRO_NONE;
}

static nitro_status fail_other_kind(const nitro_tune_plan *self, const nitro_tune_target *t)
{
    const char *name = self->computation->schema->computation;
    const char *wanted = self->computation->device_kind;
    return nitro_fail(self->context, NITRO_ERR_ARGUMENT,
                      "device %s is of kind %s, and the variants of this %s run on devices of kind "
                      "%s: name one of these, or the computation as it is declared for kind %s",
                      t->device->id, t->kind->name, name, wanted, t->kind->name);
}

/* What a modelled device has no cost model of is refused before anything is stored. */
static nitro_status check_simulated(const nitro_tune_plan *self, const nitro_tune_target *t)
{
    const nitro_schema *schema = self->computation->schema;
    nitro_sample *any = NULL;
    nitro_status status =
        nitro_sample_create(self->context, "any", schema->num_features, schema->num_variants, &any);
    if (status != NITRO_OK)
        return status;
    status = t->kind->simulate(self->context, t->device, schema, 0, any);
    nitro_sample_free(any);
    return status == NITRO_ERR_NOT_FOUND ? status : NITRO_OK; /* other errors are of this sample */
}

/* Two names may mean the same device ("host" and its id); a run can use only one device that runs
 * variants. */
static nitro_status check_targets(const nitro_tune_plan *self, const nitro_measure_options *how)
{
    const char *live = NULL;
    for (size_t i = 0; i < self->num_targets; i++) {
        const char *id = self->targets[i].device->id;
        for (size_t j = 0; j < i; j++)
            if (strcmp(self->targets[j].device->id, id) == 0)
                return nitro_fail(self->context, NITRO_ERR_ARGUMENT, "device %s is named twice",
                                  id);
        if (self->targets[i].kind->simulate) {
            nitro_status status = check_simulated(self, &self->targets[i]);
            if (status != NITRO_OK)
                return status;
            continue;
        }
        if (strcmp(self->targets[i].kind->name, self->computation->device_kind) != 0)
            return fail_other_kind(self, &self->targets[i]);
        if (live)
            return nitro_fail(self->context, NITRO_ERR_ARGUMENT,
                              "devices %s and %s both run variants: name one of them, and any "
                              "number of modelled ones",
                              live, id);
        live = id;
    }
    return live ? nitro_measure_device_check(self->computation, how) : NITRO_OK;
}

static nitro_status find_targets(nitro_tune_plan *self, const char *list)
{
    nitro_string_list ids = {0};
    nitro_status status = nitro_string_list_split(self->context, &ids, list);
    if (status != NITRO_OK)
        return status;
    self->targets = nitro_calloc(self->context, ids.count, sizeof(*self->targets));
    if (!self->targets)
        status = NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < ids.count && status == NITRO_OK; i++) {
        nitro_tune_target *t = &self->targets[i];
        status = nitro_device_find(self->context, ids.items[i], false, &t->device, &t->kind);
        if (status != NITRO_OK)
            break;
        self->num_targets++;
        t->stored = nitro_calloc(self->context, self->num_inputs, sizeof(*t->stored));
        t->partial = nitro_calloc(self->context, self->num_inputs, sizeof(*t->partial));
        if (!t->stored || !t->partial)
            status = NITRO_ERR_NO_MEMORY;
    }
    nitro_string_list_free(&ids);
    return status;
}

/* Another set of variants or features replaces that of a store of this machine. */
static nitro_status put_schema(nitro_tune_plan *self)
{
    const nitro_schema *declared = self->computation->schema;
    char message[4096];
    nitro_status status = nitro_store_put_schema(self->store, declared);
    if (status != NITRO_ERR_MISMATCH)
        return status;
    nitro_context_last_error(self->context, message, sizeof(message));
    nitro_schema *stored = NULL;
    status = nitro_store_get_schema(self->store, declared->computation, &stored);
    bool has_other_names = status == NITRO_OK && !nitro_schema_is_same(stored, declared);
    nitro_schema_free(stored);
    status = has_other_names ? nitro_store_change_names(self->store, declared) : NITRO_ERR_MISMATCH;
    if (status == NITRO_ERR_MISMATCH)
        return nitro_fail(self->context, status, "%s%s", message,
                          has_other_names ? " In a shared store all programs declare the same: use "
                                            "a store on this machine for another set"
                                          : "");
    return status;
}

static nitro_status prepare_store(nitro_tune_plan *self)
{
    nitro_status status = put_schema(self);
    for (size_t i = 0; i < self->num_targets && status == NITRO_OK; i++) {
        status = nitro_store_update_device(self->store, self->targets[i].device);
        if (status == NITRO_OK)
            status = nitro_tune_find_stored(self, &self->targets[i]);
    }
    return status;
}

nitro_status nitro_tune_plan_choose(nitro_tune_plan *plan, const char *devices,
                                    const nitro_measure_options *how)
{
    plan->by_name = nitro_calloc(plan->context, plan->num_inputs, sizeof(*plan->by_name));
    nitro_status status = plan->by_name ? check_inputs(plan) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = find_targets(plan, devices);
    return status == NITRO_OK ? check_targets(plan, how) : status;
}

nitro_status nitro_tune_plan_make(nitro_tune_plan *plan, const char *devices,
                                  const nitro_measure_options *how)
{
    nitro_status status = nitro_tune_plan_choose(plan, devices, how);
    return status == NITRO_OK ? prepare_store(plan) : status;
}

void nitro_tune_plan_free(nitro_tune_plan *plan)
{
    for (size_t i = 0; i < plan->num_targets; i++) {
        nitro_tune_target *t = &plan->targets[i];
        for (size_t k = 0; t->partial && k < plan->num_inputs; k++)
            nitro_sample_free(t->partial[k]);
        nitro_device_free(t->device);
        free(t->partial);
        free(t->stored);
    }
    free(plan->targets);
    free(plan->by_name);
}
