/* store_import.h - what the formats of nitro store import share: its options. */
#ifndef NITRO_APPS_CLI_STORE_STORE_IMPORT_H
#define NITRO_APPS_CLI_STORE_STORE_IMPORT_H

#include "apps/cli/output.h"

typedef struct import_settings {
    common_settings common;
    const char *store, *format, *computation, *samples, *describe, *campaign;
    nitro_string_list devices, devices_chosen, renamed, features, variants, log;
    const char *profiles, *variant, *input, *proxy;
    double intensity; /* NaN: not given */
    bool replace;
} import_settings;

/** --format ginkgo (store_import_ginkgo.c). @return exit code */
int import_ginkgo(invocation *call);

#endif
