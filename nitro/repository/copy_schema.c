/* Copies a computation's names from one store to another, where its own declaration has precedence:
 * another lab's default variant shall not change what programs here run. */
#include "nitro/repository/store_internal.h"

static void warn_kept(const nitro_store *from, const nitro_store *to, const char *computation,
                      const char *what)
{
    nitro_log(to->context, NITRO_LOG_WARNING,
              "%s: %s declares %s other than %s, which keeps its own (--take-declaration takes "
              "theirs)",
              computation, from->url, what, to->url);
}

/* The default variant and relative features decide what a program runs: those of the target stay
 * unless they are unset. `schema` becomes what to put. */
static nitro_status keep_declaration(const nitro_store *from, const nitro_store *to,
                                     const nitro_schema *stored, nitro_schema *schema)
{
    nitro_status status = NITRO_OK;
    size_t ours = stored->default_variant, theirs = schema->default_variant;
    if (ours != NITRO_NONE && theirs != NITRO_NONE && ours != theirs) {
        warn_kept(from, to, schema->computation, "a default variant");
        schema->default_variant = ours;
    }
    if (stored->num_relative > 0 && schema->num_relative > 0 &&
        !nitro_schema_has_same_relative(stored, schema)) {
        warn_kept(from, to, schema->computation, "relative features");
        status = nitro_schema_copy_relative(to->context, stored, schema);
    }
    return status;
}

nitro_status nitro_store_copy_schema(const nitro_store *from, nitro_store *to, nitro_schema *schema,
                                     bool take_declaration)
{
    nitro_schema *stored = NULL;
    nitro_status status = nitro_store_get_schema(to, schema->computation, &stored);
    if (status == NITRO_OK)
        status = nitro_schema_require_same(to->context, stored, to->url, schema, from->url);
    if (status == NITRO_OK && !take_declaration)
        status = keep_declaration(from, to, stored, schema);
    nitro_schema_free(stored);
    return status == NITRO_OK || status == NITRO_ERR_NOT_FOUND ? nitro_store_put_schema(to, schema)
                                                               : status;
}
