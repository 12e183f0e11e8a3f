/* Recorded evaluations of a space: read from a file of any format. */
#include <stdlib.h>
#include <string.h>

#include "nitro/search/recording_json.h"

#define MAX_RECORDING_BYTES ((size_t)1 << 30)

nitro_status nitro_recording_parse(nitro_context *context, const char *origin, const char *text,
                                   size_t size, const nitro_space *space,
                                   nitro_recording **recording)
{
    recording_builder builder = {
        .context = context, .origin = origin, .line_word = "line", .space = space};
    size_t blanks = 0;
    while (blanks < size && strchr(" \t\r\n", text[blanks]))
        blanks++;
    bool is_json = blanks < size && text[blanks] == '{';
    nitro_status status = is_json ? recording_read_json(&builder, text, size)
                                  : recording_read_csv(&builder, text, size);
    if (status == NITRO_OK)
        status = recording_finish(&builder, recording);
    recording_builder_free(&builder);
    return status;
}

nitro_status nitro_recording_read(nitro_context *context, const char *path,
                                  const nitro_space *space, nitro_recording **recording)
{
    char *text = NULL;
    size_t size = 0;
    nitro_status status = nitro_file_read_gzip(context, path, MAX_RECORDING_BYTES, &text, &size);
    if (status != NITRO_OK)
        return status;
    status = nitro_recording_parse(context, path, text, size, space, recording);
    free(text);
    return status;
}

void nitro_recording_free(nitro_recording *recording)
{
    if (!recording)
        return;
    for (size_t i = 0; recording->counter_names && i < recording->num_counters; i++)
        free(recording->counter_names[i]);
    free(recording->counter_names);
    free(recording->counters);
    free(recording->answers);
    free(recording->device);
    nitro_space_free(recording->space);
    free(recording);
}
