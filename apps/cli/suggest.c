/* suggest.c - "did you mean": the closest of some names, by edit distance with transpositions. */
#include <string.h>

#include "apps/cli/options.h"

enum { MAX_LENGTH = 63 };

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/** Insertions, deletions, replacements and swaps of neighbours; both words within MAX_LENGTH. */
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

const char *closest_match(const char *word, const char *const *candidates)
{
    size_t length = strlen(word);
    const char *best = NULL;
    size_t best_distance = 2 + length / 4;
    if (length > MAX_LENGTH)
        return NULL;
    for (; *candidates; candidates++) {
        if (strlen(*candidates) > MAX_LENGTH)
            continue;
        /* An unfinished word is a likelier slip than its distance says. */
        bool prefix = length >= 3 && strncmp(word, *candidates, length) == 0;
        size_t distance = prefix ? 1 : edit_distance(word, *candidates);
        if (distance < best_distance && distance < length) {
            best = *candidates;
            best_distance = distance;
        }
    }
    return best;
}
