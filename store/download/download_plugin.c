/* Downloading and unpacking as a plug-in. */
#include "store/download/download.h"

static const nitro_download_functions functions = {nitro_http_get, nitro_unpack_member};

const nitro_plugin nitro_exported_plugin = {NITRO_VERSION_STRING, &functions};
