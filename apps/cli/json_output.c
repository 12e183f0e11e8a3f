/* json_output.c - results as JSON: indented, keys in the order in which they were set. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/output.h"

/* Set when jansson gets no memory: a value may then be missing wherever that was not checked. */
static atomic_bool is_incomplete;

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        atomic_store(&is_incomplete, true);
    return memory;
}

void json_begin(void)
{
    json_set_alloc_funcs(allocate, free);
    atomic_store(&is_incomplete, false);
}

bool json_is_complete(void)
{
    return !atomic_load(&is_incomplete);
}

json_t *json_value(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    if (value)
        return value;
    char *copy = allocate(strlen(text) + 1);
    if (!copy)
        return NULL;
    strcpy(copy, text);
    for (char *byte = copy; *byte; byte++)
        if ((unsigned char)*byte >= 0x80)
            *byte = '?';
    value = json_string(copy);
    free(copy);
    return value;
}

json_t *json_names(const nitro_string_list *names)
{
    json_t *array = json_array();
    for (size_t i = 0; i < names->count; i++)
        if (json_array_append_new(array, json_text(names->items[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

int print_json(const invocation *call, json_t *value)
{
    if (!value || !json_is_complete()) {
        json_decref(value);
        return fail_text(call, "out of memory for JSON");
    }
    /* 15 digits: decimal fractions print as they were written (0.1, not 0.10000000000000001). */
    size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY;
    int failed = json_dumpf(value, stdout, flags);
    json_decref(value);
    if (call->failure)
        call->failure->results_printed = true;
    if (failed) /* what did not reach the output is said once, when it is closed */
        return ferror(stdout) ? EXIT_FAILED : fail_text(call, "cannot write JSON to the output");
    putchar('\n');
    return EXIT_DONE;
}
