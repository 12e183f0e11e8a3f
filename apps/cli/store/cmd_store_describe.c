/* cmd_store_describe.c - nitro store describe: a description for a computation that is stored. */
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *store;
} settings;

static const option options[] = {OPTION_STORE, {0}};

static const argument arguments[] = {
    {.name = "COMPUTATION", .help = "a computation that the store has"},
    {.name = "FILE", .help = "JSON: units and scales of features, relative features, the default"},
    {0}};

/** Put the description into the stored schema. */
static nitro_status describe(const invocation *call, nitro_store *store,
                             const nitro_description *description)
{
    nitro_schema *schema = NULL;
    nitro_status status = nitro_store_get_schema(store, call->arguments.items[0], &schema);
    if (status == NITRO_OK)
        status = nitro_description_apply(call->context, description, schema);
    if (status == NITRO_OK)
        status = nitro_store_put_schema(store, schema);
    if (status == NITRO_OK)
        printf("%s: %zu features, %zu relative features, default variant %s\n", schema->computation,
               schema->num_features, schema->num_relative,
               schema->default_variant == NITRO_NONE ? "unspecified"
                                                     : schema->variants[schema->default_variant]);
    nitro_schema_free(schema);
    return status;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    nitro_description *description = NULL;
    nitro_store *store = NULL;
    nitro_status status =
        nitro_description_read(call->context, call->arguments.items[1], &description);
    /* A typing error in the URL must not create a store. */
    if (status == NITRO_OK)
        status = nitro_store_open(call->context, given->store, NITRO_STORE_READ, &store);
    nitro_store_close(store);
    store = NULL;
    if (status == NITRO_OK)
        status = nitro_store_open(call->context, given->store, NITRO_STORE_WRITE, &store);
    if (status == NITRO_OK)
        status = describe(call, store, description);
    nitro_store_close(store);
    nitro_description_free(description);
    return status == NITRO_OK ? EXIT_DONE : fail(call);
}

const command command_store_describe = {
    .name = "store describe",
    .summary = "Give a stored computation relative features and scales",
    .synopsis = "COMPUTATION FILE [--store URL]",
    .description =
        "Puts a description into the schema of a computation that was imported without one, as "
        "'nitro store import --describe' does: units and scales of features, relative features, "
        "the default variant. It replaces an earlier description; samples stay as they are. For "
        "measurements of the Ginkgo project, share/nitro/computations has spmv-ginkgo.json.",
    .examples = "  nitro store describe spmv-ginkgo spmv-ginkgo.json --store sqlite:lab.db\n",
    .arguments = arguments,
    COMMAND_USUAL};
