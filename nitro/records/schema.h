/* schema.h - searching and printing schemas. Internal to nitro/. */
#ifndef NITRO_RECORDS_SCHEMA_H
#define NITRO_RECORDS_SCHEMA_H

#include "nitro/nitro_backend.h"

/** Index of a relative feature by name, or NITRO_NONE. */
size_t nitro_schema_relative(const nitro_schema *schema, const char *name);
/** "a, b, c": for errors. free() it; NULL: out of memory. */
char *nitro_schema_print_variants(const nitro_schema *schema);

#endif
