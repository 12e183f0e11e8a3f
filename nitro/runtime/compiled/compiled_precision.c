/* Which precision is asked first. Hides how that is found: by trying some of the vectors that the
 * model itself is made of, which are inputs that it learnt from. */
#include <string.h>

#include "nitro/runtime/compiled/compiled_body.h"

#define MOST_TRIES 64

static const double *vectors_of(const nitro_part *part, size_t *count)
{
    if (part->kind == NITRO_PART_VOTES) {
        *count = part->svm->num_vectors;
        return part->vectors;
    }
    *count = part->kernels->num_vectors;
    return part->kernels->vectors;
}

static bool is_sure(const nitro_compiled *compiled, const double *columns)
{
    double scores[NITRO_MAX_VARIANTS];
    uint64_t exact;
    double bound = nitro_compiled_score(compiled, NITRO_PRECISION_SINGLE, columns, scores, &exact);
    return nitro_compiled_is_sure(scores, compiled->num_variants, UINT64_MAX, bound, exact);
}

void nitro_compiled_try(const nitro_parts *parts, const bool *is_constant, const double *constants,
                        nitro_compiled *compiled)
{
    size_t num_tries = 0, num_sure = 0;
    for (size_t p = 0; p < parts->count; p++) {
        if (parts->items[p].kind == NITRO_PART_TREES)
            continue;
        size_t count, width = parts->num_columns;
        const double *vectors = vectors_of(&parts->items[p], &count);
        size_t step = count / MOST_TRIES + 1;
        for (size_t i = 0; i < count; i += step, num_tries++) {
            double columns[NITRO_COMPILED_MAX_COLUMNS];
            for (size_t c = 0; c < width; c++)
                columns[c] = is_constant[c] ? constants[c] : vectors[i * width + c];
            num_sure += is_sure(compiled, columns);
        }
    }
    compiled->first = 2 * num_sure >= num_tries ? NITRO_PRECISION_SINGLE : NITRO_PRECISION_DOUBLE;
}
