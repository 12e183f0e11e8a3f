/* cmd_store_verify.c - nitro store verify: checks every record against its checksum. */
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *store, *model;
} settings;

static const option options[] = {
    OPTION_STORE,
    OPTION(TEXT, "model", model, "FILE",
           "check instead whether the store still has this model's training records"),
    OPTION_JSON,
    {0}};

typedef struct findings {
    json_t *problems; /* with --json */
    progress_line progress;
} findings;

static void report(void *user, const char *problem)
{
    findings *self = user;
    progress_clear(&self->progress);
    if (wants_json(self->progress.call))
        json_array_append_new(self->problems, json_text(problem));
    else
        printf("%s\n", problem);
}

static nitro_status check_model(const invocation *call, findings *found)
{
    const settings *given = call->settings;
    nitro_model *model = NULL;
    nitro_status status = nitro_model_load(call->context, given->model, &model);
    if (status == NITRO_OK)
        status = nitro_model_check_records(model, call->store, report, found);
    nitro_model_free(model);
    return status;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    findings found = {0};
    if (store_open(call, given->store, NITRO_STORE_READ) != EXIT_DONE)
        return EXIT_FAILED;
    found.problems = json_array();
    progress_begin_waiting(&found.progress, call, "verify", NULL);
    nitro_status status =
        given->model ? check_model(call, &found) : nitro_store_verify(call->store, report, &found);
    progress_end(&found.progress);
    int code = exit_code(call, status);
    if (wants_json(call) && print_json(call, json_pack("{s:b, s:O}", "sound", status == NITRO_OK,
                                                       "problems", found.problems)) != EXIT_DONE)
        code = EXIT_FAILED;
    else if (status == NITRO_OK && !wants_json(call))
        printf(given->model ? "%s has the model's training records\n" : "%s is sound\n",
               nitro_store_url(call->store));
    json_decref(found.problems);
    return code;
}

const command command_store_verify = {
    .name = "store verify",
    .summary = "Check every record of a store",
    .synopsis = "[--store URL] [--model FILE] [--json]",
    .description =
        "Reads every record and checks it against its checksum and its computation's "
        "schema. Prints every problem; the exit code is 1 if there are any. Damaged "
        "records are never used; 'nitro store gc --quarantined --apply' removes them, and with a "
        "damaged device all its samples and profiles.\n\n"
        "With --model: checks that the samples and device features of the model's "
        "sources are those that it was trained on. Prints the sources that differ.",
    .examples = "  nitro store verify --store sqlite:lab.db\n"
                "  nitro store verify --store sqlite:lab.db --model gtx-980.json\n",
    COMMAND_USUAL};
