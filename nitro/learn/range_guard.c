/* Guards. Hides when device features are given up: when sources that were left out say so. */
#include "nitro/learn/range_guard.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nitro/learn/predicted_quality.h"

static void append(char *text, size_t size, const char *format, ...) NITRO_PRINTF(3, 4);

static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/** Say which of the target's device features the model does not take as they are. */
static void say_clamped(nitro_context *context, const nitro_training_task *task,
                        const nitro_model *model)
{
    char names[512] = "";
    for (size_t i = 0; i < model->device_features.count; i++) {
        const char *name = model->device_features.items[i];
        double value = nitro_device_value(task->target, name);
        if (value != model->device_values[i])
            append(names, sizeof names, "%s%s (%g counts as %g)", names[0] ? ", " : "", name, value,
                   model->device_values[i]);
    }
    if (names[0] && !task->quiet)
        nitro_log(context, NITRO_LOG_WARNING, "target %s lies outside the range of the sources: %s",
                  model->target, names);
}

static void say_omitted(nitro_context *context, const nitro_training_task *task,
                        const nitro_model *with, const nitro_model *without)
{
    if (!task->quiet)
        nitro_log(context, NITRO_LOG_WARNING,
                  "device features are left out for target %s: on sources that were left out, "
                  "quality is %.1f %% with them and %.1f %% without",
                  with->target, with->predicted->lodo_quality, without->predicted->lodo_quality);
}

/** Put a model without device features in the place of this one, if left-out sources say so. */
static nitro_status compare_without(nitro_context *context, const nitro_training_task *task,
                                    nitro_model **model)
{
    const nitro_string_list none = {0};
    nitro_training_task plain = *task;
    nitro_model *without = NULL;
    plain.device_features = &none;
    plain.quiet = true; /* the model with them said it already */
    nitro_status status = nitro_model_train(context, &plain, &without);
    if (status != NITRO_OK)
        return status;
    if (nitro_predicted_quality_is_better(without->predicted, (*model)->predicted)) {
        say_omitted(context, task, *model, without);
        nitro_model_free(*model);
        *model = without;
    } else {
        nitro_model_free(without);
    }
    return NITRO_OK;
}

nitro_status nitro_guard_train(nitro_context *context, const nitro_training_task *task,
                               nitro_model **model)
{
    nitro_training_task guarded = *task;
    nitro_model *made = NULL;
    guarded.clamps = true;
    guarded.evidence = NITRO_EVIDENCE_SOURCES;
    nitro_status status = nitro_model_train(context, &guarded, &made);
    if (status != NITRO_OK)
        return status;
    say_clamped(context, &guarded, made);
    if (made->device_features.count > 0 && made->predicted->num_sources >= NITRO_MIN_JUDGES)
        status = compare_without(context, &guarded, &made);
    if (status == NITRO_OK)
        *model = made;
    else
        nitro_model_free(made);
    return status;
}
