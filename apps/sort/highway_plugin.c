/* vector_quick, which uses Highway, as a plug-in. */
#include "nitro/nitro_backend.h"
#include "variants/sort/sort.h"

static const nitro_variant *const variants[] = {&nitro_sort_variant_vector_quick, NULL};

const nitro_plugin nitro_exported_plugin = {NITRO_VERSION_STRING, variants};
