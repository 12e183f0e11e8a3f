/* json_get - checks that standard input is one JSON value and prints parts of it.
 * Usage: json_get [PATH...], where PATH is keys and indices parted by dots ("0.inputs.total");
 * "#" as the last part prints how many items there are. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *step(json_t *value, const char *part)
{
    if (json_is_array(value))
        return json_array_get(value, strtoul(part, NULL, 10));
    return json_object_get(value, part);
}

static size_t count(const json_t *value)
{
    return json_is_array(value) ? json_array_size(value) : json_object_size(value);
}

static int print_part(json_t *value, const char *path)
{
    char copy[256], *state = NULL;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *part = strtok_r(copy, ".", &state); part; part = strtok_r(NULL, ".", &state)) {
        if (strcmp(part, "#") == 0) {
            printf("%s: %zu\n", path, count(value));
            return 0;
        }
        value = step(value, part);
        if (!value) {
            printf("%s: there is no %s\n", path, part);
            return 1;
        }
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6) | JSON_COMPACT);
    printf("%s: %s\n", path, text ? text : "(cannot be printed)");
    free(text);
    return 0;
}

int main(int argc, char **argv)
{
    json_error_t error;
    int code = 0;
    json_t *value = json_loadf(stdin, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!value) {
        printf("not JSON: line %d: %s\n", error.line, error.text);
        return 1;
    }
    for (int i = 1; i < argc; i++)
        code |= print_part(value, argv[i]);
    json_decref(value);
    return code;
}
