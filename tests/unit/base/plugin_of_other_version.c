/* A plug-in of another version of Nitro, for test_plugin. */
#include "nitro/nitro_backend.h"

const nitro_plugin nitro_exported_plugin = {"0.0.9", NULL};
