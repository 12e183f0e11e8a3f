/* "Did you mean": the closest of some names by edit distance with transpositions. The beginning of
 * a name counts as one error, and so does a device's name without its kind, "k20c" for
 * "model:k20c".
 */
#include "nitro/base/closest.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LENGTH = 127 };

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* Damerau-Levenshtein distance (adjacent transpositions); both words within MAX_LENGTH. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][MAX_LENGTH + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    size_t length_a = strlen(a), length_b = strlen(b);
    for (size_t j = 0; j <= length_b; j++) {
        before[j] = j;
        last[j] = j;
    }
    for (size_t i = 1; i <= length_a; i++) {
        now[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            size_t replace = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = smallest(last[j] + 1, now[j - 1] + 1, replace);
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
        size_t *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[length_b];
}

static size_t distance_of(const char *word, size_t length, const char *name)
{
    bool is_prefix = length >= 3 && strncmp(word, name, length) == 0;
    if (is_prefix && name[length])
        return 1;
    size_t distance = edit_distance(word, name);
    const char *colon = strchr(name, ':');
    size_t without_kind = colon ? 1 + edit_distance(word, colon + 1) : distance;
    return distance < without_kind ? distance : without_kind;
}

const char *nitro_closest_name(const char *const *names, size_t count, const char *word)
{
    size_t length = strnlen(word, MAX_LENGTH + 1);
    const char *closest = NULL;
    size_t least = length < 5 ? 2 : 2 + length / 4;
    for (size_t i = 0; i < count && length <= MAX_LENGTH; i++) {
        if (strnlen(names[i], MAX_LENGTH + 1) > MAX_LENGTH)
            continue;
        size_t distance = distance_of(word, length, names[i]);
        if (distance < least && distance < length) {
            closest = names[i];
            least = distance;
        }
    }
    return closest;
}

const char *nitro_suggestion(const nitro_string_list *names, const char *word, char *text,
                             size_t size)
{
    const char *closest = nitro_closest_name((const char *const *)names->items, names->count, word);
    text[0] = '\0';
    if (closest)
        snprintf(text, size, "; did you mean '%s'?", closest);
    return text;
}
