/* A command's words: arrays of borrowed bytes and their sizes, as hiredis takes them. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_internal.h"

static bool grow(redis_words *words)
{
    size_t capacity = words->capacity ? 2 * words->capacity : 8;
    const char **items = realloc(words->items, capacity * sizeof(*items));
    if (!items)
        return false;
    words->items = items;
    size_t *sizes = realloc(words->sizes, capacity * sizeof(*sizes));
    if (!sizes)
        return false;
    words->sizes = sizes;
    words->capacity = capacity;
    return true;
}

nitro_status nitro_redis_words_add(nitro_context *context, redis_words *words, const void *bytes,
                                   size_t size)
{
    if (words->count == words->capacity && !grow(words))
        return nitro_fail(context, NITRO_ERR_NO_MEMORY,
                          "out of memory: a Redis command of %zu words", words->count);
    words->items[words->count] = bytes;
    words->sizes[words->count++] = size;
    return NITRO_OK;
}

nitro_status nitro_redis_words_add_text(nitro_context *context, redis_words *words,
                                        const char *text)
{
    return nitro_redis_words_add(context, words, text, strlen(text));
}

nitro_status nitro_redis_words_add_texts(nitro_context *context, redis_words *words, ...)
{
    nitro_status status = NITRO_OK;
    va_list texts;
    va_start(texts, words);
    for (const char *text; status == NITRO_OK && (text = va_arg(texts, const char *));)
        status = nitro_redis_words_add_text(context, words, text);
    va_end(texts);
    return status;
}

void nitro_redis_words_free(redis_words *words)
{
    free(words->items);
    free(words->sizes);
    *words = (redis_words){0};
}
