/* "Did you mean": the closest of some names by edit distance with transpositions; a prefix counts
 * as one error.
 */
#include <string.h>

#include "nitro/nitro_backend.h"

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

const char *nitro_closest_name(const char *const *names, size_t count, const char *word)
{
    size_t length = strnlen(word, MAX_LENGTH + 1);
    const char *closest = NULL;
    size_t least = 2 + length / 4;
    for (size_t i = 0; i < count && length <= MAX_LENGTH; i++) {
        if (strnlen(names[i], MAX_LENGTH + 1) > MAX_LENGTH)
            continue;
        bool is_prefix = length >= 3 && strncmp(word, names[i], length) == 0;
        size_t distance = is_prefix && names[i][length] ? 1 : edit_distance(word, names[i]);
        if (distance < least && distance < length) {
            closest = names[i];
            least = distance;
        }
    }
    return closest;
}
