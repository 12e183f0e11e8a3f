/* Creates contexts; their log and clock. */
#include "nitro/base/context.h"
#include "nitro/base/require.h"

#include <stdlib.h>

#include "nitro/base/clock.h"

nitro_status nitro_context_create(nitro_context **context)
{
    NITRO_REQUIRE(NULL, context);
    nitro_context *created = calloc(1, sizeof(*created));
    if (!created)
        return NITRO_ERR_NO_MEMORY;
    created->clock = nitro_system_clock;
    *context = created;
    return NITRO_OK;
}

void nitro_context_free(nitro_context *context)
{
    if (!context)
        return;
    nitro_setting_entries_free(&context->settings);
    free(context);
}

void nitro_context_set_log(nitro_context *context, nitro_log_level level, nitro_log_function log,
                           void *user)
{
    if (!context)
        return;
    context->log_level = level;
    context->log = log;
    context->log_user = user;
}

void nitro_context_set_clock(nitro_context *context, const nitro_clock *clock)
{
    if (!context)
        return;
    context->clock = clock ? *clock : nitro_system_clock;
}

double nitro_clock_wall_ms(const nitro_context *context)
{
    return context->clock.wall_ms(context->clock.state);
}

double nitro_clock_thread_cpu_ms(const nitro_context *context)
{
    return context->clock.thread_cpu_ms(context->clock.state);
}
