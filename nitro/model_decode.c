/*
 * A model from text that nobody vouches for. Hides the order of checks: whole JSON, format,
 * version, checksum, then every field; a file that differs from what was written by one byte is
 * refused.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/json.h"
#include "nitro/model.h"
#include "nitro/model_file.h"

#define MAX_FILE_BYTES ((size_t)256 << 20)
