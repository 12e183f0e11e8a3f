/* unit.h - what every unit test includes: cmocka, a context whose errors are shown, and the folder
 * of recorded measurements that stands beside the project in CI. */
#ifndef NITRO_TESTS_UNIT_UNIT_H
#define NITRO_TESTS_UNIT_UNIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nitro/nitro_backend.h"

/* The status is NITRO_OK, or the context's last error is printed and the test fails. */
#define assert_ok(context, call)                                                                   \
    do {                                                                                           \
        nitro_status assert_ok_status = (call);                                                    \
        if (assert_ok_status != NITRO_OK) {                                                        \
            char assert_ok_message[4096];                                                          \
            nitro_context_last_error(context, assert_ok_message, sizeof(assert_ok_message));       \
            fail_msg("%s: %s: %s", #call, nitro_status_name(assert_ok_status), assert_ok_message); \
        }                                                                                          \
    } while (0)

/* The call fails with this status, and the last error holds this text. */
#define assert_fails(context, call, status, text)                                                  \
    do {                                                                                           \
        nitro_status assert_fails_status = (call);                                                 \
        char assert_fails_message[4096];                                                           \
        nitro_context_last_error(context, assert_fails_message, sizeof(assert_fails_message));     \
        if (assert_fails_status != (status))                                                       \
            fail_msg("%s: '%s' instead of '%s' (%s)", #call,                                       \
                     nitro_status_name(assert_fails_status), nitro_status_name(status),            \
                     assert_fails_message);                                                        \
        if (!strstr(assert_fails_message, text))                                                   \
            fail_msg("%s: the error does not say '%s': %s", #call, text, assert_fails_message);    \
    } while (0)

/* cmocka 1.1.5 compares floats only. */
static inline void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

static inline nitro_context *unit_context(void)
{
    nitro_context *context = NULL;
    assert_int_equal(nitro_context_create(&context), NITRO_OK);
    return context;
}

/* Comes first in tests that compare results with LIBSVM's bit for bit. On architectures whose
 * processors all have fused multiply-adds, such as AArch64, LIBSVM is compiled with them; Nitro
 * never is. */
static inline void unit_skip_if_libsvm_fuses(void)
{
#ifdef __FP_FAST_FMA
    print_message("SKIPPED: LIBSVM has other bits here, by fused multiply-adds\n");
    skip();
#endif
}

/* Room for the messages that unit_keep_log keeps. */
#define UNIT_LOG_BYTES 16384

/* As a nitro_log_function: append a line to `user`, a text of UNIT_LOG_BYTES. */
static inline void unit_keep_log(void *user, nitro_log_level level, const char *message)
{
    char *log = user;
    size_t used = strlen(log);
    (void)level;
    snprintf(log + used, UNIT_LOG_BYTES - used, "%s\n", message);
}

/* Path of a file of the recorded data, in static storage; skips the test where it is not there. */
static inline const char *unit_shared_data(const char *name)
{
    static char path[4096];
    const char *folder = getenv("NITRO_SHARED_DATA");
    snprintf(path, sizeof(path), "%s/%s", folder ? folder : SOURCE_DIR "/../shared/data", name);
    FILE *file = fopen(path, "r");
    if (!file) {
        print_message("SKIPPED: no %s (set NITRO_SHARED_DATA to the folder of recorded data)\n",
                      path);
        skip();
    }
    fclose(file);
    return path;
}

/* A variant that does nothing. */
static inline int run_nothing(void *argument, void *user)
{
    (void)argument;
    (void)user;
    return 0;
}

#endif
