/* excluded_sources.h - the option --exclude: sources left out by device or by signer. */
#ifndef NITRO_APPS_CLI_COMMANDS_EXCLUDED_SOURCES_H
#define NITRO_APPS_CLI_COMMANDS_EXCLUDED_SOURCES_H

#include "apps/cli/output.h"

#define OPTION_EXCLUDE                                                                             \
    OPTION(LIST, "exclude", exclude, "A,B,...|signer:NAME",                                        \
           "sources to leave out: devices, or all that NAME signed ('nitro store list --json' "    \
           "shows the label signed_by)")

/**
 * The sources without the excluded ones, where any are.
 * @param[in]     target   is no source, and neither is the same device under another id; NULL:
 * none.
 * @param[in,out] sources  named ones, or NULL: all; replaced by `left`.
 * @param[out]    left     to be freed; empty where nothing is excluded.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (an exclusion matches no device of the computation);
 *         NITRO_ERR_NO_DATA (no source is left).
 */
nitro_status exclude_sources(nitro_store *store, const char *computation, const char *target,
                             const nitro_string_list *excluded, const nitro_string_list **sources,
                             nitro_string_list *left);

#endif
