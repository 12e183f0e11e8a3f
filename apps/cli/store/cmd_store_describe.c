/* cmd_store_describe.c - nitro store describe: a description for a computation that is stored. */
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *store;
} settings;

static const option options[] = {OPTION_STORE, OPTION_JSON, {0}};

static const argument arguments[] = {
    {.name = "COMPUTATION", .help = "a computation that the store has"},
    {.name = "FILE", .help = "JSON: units and scales of features, relative features, the default"},
    {0}};

static int print_schema(const invocation *call, const nitro_schema *schema)
{
    const char *default_variant =
        schema->default_variant == NITRO_NONE ? NULL : schema->variants[schema->default_variant];
    if (wants_json(call))
        return print_json(
            call, json_pack("{s:s, s:I, s:I, s:s?}", "computation", schema->computation, "features",
                            (json_int_t)schema->num_features, "relative_features",
                            (json_int_t)schema->num_relative, "default", default_variant));
    printf("%s: %zu feature%s, %zu relative feature%s, default variant %s\n", schema->computation,
           schema->num_features, plural(schema->num_features), schema->num_relative,
           plural(schema->num_relative), default_variant ? default_variant : "unspecified");
    return EXIT_DONE;
}

/** Put the description into the stored schema. */
static int describe(const invocation *call, const nitro_description *description)
{
    nitro_schema *schema = NULL;
    nitro_status status = nitro_store_get_schema(call->store, call->arguments.items[0], &schema);
    if (status == NITRO_OK)
        status = nitro_description_apply(call->context, description, schema);
    if (status == NITRO_OK)
        status = nitro_store_put_schema(call->store, schema);
    int code = status == NITRO_OK ? print_schema(call, schema) : fail(call);
    nitro_schema_free(schema);
    return code;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    nitro_description *description = NULL;
    int code = exit_code(
        call, nitro_description_read(call->context, call->arguments.items[1], &description));
    if (code == EXIT_DONE)
        code = store_open_existing(call, given->store);
    if (code == EXIT_DONE)
        code = describe(call, description);
    nitro_description_free(description);
    return code;
}

const command command_store_describe = {
    .name = "store describe",
    .summary = "Give a stored computation relative features and scales",
    .synopsis = "COMPUTATION FILE [--store URL] [--json]",
    .description =
        "Puts a description into the schema of a computation that was imported without one, as "
        "'nitro store import --describe' does: units and scales of features, relative features, "
        "the default variant. It replaces an earlier description; samples stay as they are. For "
        "measurements of the Ginkgo project, share/nitro/computations has spmv-ginkgo.json.",
    .examples = "  nitro store describe spmv-ginkgo spmv-ginkgo.json --store sqlite:lab.db\n",
    .arguments = arguments,
    COMMAND_USUAL};
