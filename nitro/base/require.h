/* require.h - refusing NULL in functions for users. Internal to nitro/. */
#ifndef NITRO_BASE_REQUIRE_H
#define NITRO_BASE_REQUIRE_H

#include "nitro/nitro.h"

/** NITRO_ERR_ARGUMENT that names the function and what it needs; `context` may be NULL. */
nitro_status nitro_fail_null(nitro_context *context, const char *function, const char *needed);

/** Return that unless all of `pointers`, joined by &&, are there. `context` is evaluated only then.
 */
#define NITRO_REQUIRE(context, pointers)                                                           \
    do {                                                                                           \
        if (!(pointers))                                                                           \
            return nitro_fail_null(context, __func__, #pointers);                                  \
    } while (0)

#endif
