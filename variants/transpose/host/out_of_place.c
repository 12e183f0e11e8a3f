/* naive, tiled and register: row by row; in tiles that fit into the L1 cache; through registers
 * into whole cache lines, which are written past the caches. */
#include "variants/transpose/host/transpose_blocks.h"

#define NS_PER_BYTE 0.2

static void naively(const nitro_transpose_block *matrix, int32_t element_bytes, int64_t begin,
                    int64_t end)
{
    NITRO_TRANSPOSE_BY_SIZE(element_bytes, nitro_transpose_move_rows, matrix, begin, end);
}

static int run(void *argument, void *user)
{
    const nitro_transpose *t = argument;
    const nitro_transpose_block matrix = {t->num_rows, t->num_cols,
                                          t->in,       t->num_cols * t->element_bytes,
                                          t->out,      t->num_rows * t->element_bytes};
    double bytes = (double)t->num_rows * (double)t->num_cols * t->element_bytes;
    if (bytes > 0)
        nitro_transpose_in_parts(&matrix, t->element_bytes, *(nitro_transpose_method *const *)user,
                                 nitro_host_num_parts(NS_PER_BYTE * bytes));
    return 0;
}

#define VARIANT(its_name, its_version, method)                                                     \
    &(const nitro_variant)                                                                         \
    {                                                                                              \
        .name = its_name, .version = its_version, .run = run,                                      \
        .user = (void *)&(nitro_transpose_method *const)                                           \
        {                                                                                          \
            method                                                                                 \
        }                                                                                          \
    }
const nitro_variant *const nitro_transpose_variants[NITRO_TRANSPOSE_NUM_VARIANTS] = {
    VARIANT("naive", "1", naively),
    VARIANT("tiled", "2", nitro_transpose_tile_rows),
    VARIANT("register", "2", nitro_transpose_stream_rows),
    &(const nitro_variant){.name = "shared"},        /* memory, with conflicts of banks... */
    &(const nitro_variant){.name = "shared_padded"}, /* ...and without */
};
