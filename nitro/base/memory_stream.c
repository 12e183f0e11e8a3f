/* A stream into memory that grows. What was lost is remembered until the stream is closed. */
#include "nitro/backend/memory_stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct memory {
    char *text; /* NULL: nothing was written yet */
    size_t size, capacity;
    bool is_incomplete;
    char **text_out;
    size_t *size_out;
} memory;

static bool grow(memory *self, size_t needed)
{
    size_t capacity = self->capacity ? self->capacity : BUFSIZ;
    while (capacity < needed)
        capacity *= 2;
    char *grown = capacity > self->capacity ? realloc(self->text, capacity) : self->text;
    if (!grown)
        return false;
    self->text = grown;
    self->capacity = capacity;
    return true;
}

static ssize_t write_to(void *any, const char *text, size_t size)
{
    memory *self = any;
    if (self->is_incomplete || !grow(self, self->size + size + 1)) {
        self->is_incomplete = true;
        return 0;
    }
    memcpy(self->text + self->size, text, size);
    self->size += size;
    self->text[self->size] = '\0';
    return (ssize_t)size;
}

static int close_it(void *any)
{
    memory *self = any;
    int failure = self->is_incomplete || !grow(self, self->size + 1) ? -1 : 0;
    if (self->size == 0 && self->text)
        self->text[0] = '\0';
    *self->text_out = self->text;
    *self->size_out = self->size;
    free(self);
    return failure;
}

FILE *nitro_memory_stream(char **text, size_t *size)
{
    const cookie_io_functions_t functions = {.write = write_to, .close = close_it};
    memory *made = calloc(1, sizeof *made);
    FILE *stream = made ? fopencookie(made, "w", functions) : NULL;
    if (!stream) {
        free(made);
        return NULL;
    }
    made->text_out = text;
    made->size_out = size;
    return stream;
}

char *nitro_memory_stream_end(FILE *stream, char **text)
{
    if (!stream || fclose(stream) == 0)
        return stream ? *text : NULL;
    free(*text);
    return *text = NULL;
}
