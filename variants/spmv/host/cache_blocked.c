/* cache_blocked: entries are taken by blocks of columns, so that the part of x that a block reads
 * stays in a cache, and within a block by rows (cache blocking: Nishtala, Vuduc, Demmel, Yelick,
 * "When cache blocking of sparse matrix vector multiply works and why", 2007). A thread has rows of
 * its own, and adds to y once an entry. For an x larger than the caches whose columns jump. */
#include "variants/spmv/host/spmv_kernels.h"

#define NS_PER_SLOT 1.0
#define AHEAD       32 /* slots */
#define UNROLLED    4

/* An x of so many columns, 16 MiB, does not stay in the last cache beside the matrix. */
#define LEAST_COLS (1 << 21)

/* A block has as many columns as half the rows have an entry in, since it reads and writes the
 * cache lines of all its rows; 1 to 8 MiB of x. Where not even each line of y, of eight rows, has
 * an entry in such a block, y comes from memory as often as x did. */
#define LEAST_BITS       17
#define MOST_BITS        20
#define ENTRIES_OF_BLOCK 0.5 /* in a row */
#define LEAST_ENTRIES    (1.0 / 8)

typedef struct conversion {
    const nitro_spmv *spmv;
    nitro_spmv_cache_blocked *made;
    int64_t *next;     /* shape [num_parts x num_blocks]: the next slot; from 0 until they exist */
    int64_t *last_row; /* the same shape: of the slot before it */
} conversion;

static bool allows(const double *features, const void *argument, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    double entries = features[NITRO_SPMV_NNZ] * (double)(1 << MOST_BITS);
    double cells = features[NITRO_SPMV_ROWS] * features[NITRO_SPMV_COLS];
    return features[NITRO_SPMV_COLS] > LEAST_COLS && entries >= LEAST_ENTRIES * cells &&
           (!spmv || nitro_spmv_find_access(spmv, spmv->num_nonzeros) == NITRO_SPMV_SCATTERED);
}

static int64_t choose_column_bits(const nitro_spmv *spmv)
{
    int64_t bits = LEAST_BITS;
    double mean = (double)spmv->num_nonzeros / (double)(spmv->num_rows + 1);
    while (bits < MOST_BITS &&
           mean * (double)((int64_t)1 << bits) < ENTRIES_OF_BLOCK * (double)spmv->num_cols)
        bits++;
    return bits;
}

/* Where the entries of a part go, from c->next on; fills the slots if there are any yet. Padding
 * has value 0, as all slots have at first, and the first column of the block. */
static void place_part(const void *state, int part, int parts)
{
    (void)parts;
    const conversion *c = state;
    const nitro_spmv_cache_blocked *format = c->made;
    const nitro_spmv *spmv = c->spmv;
    int64_t begin = format->part_rows[part], end = format->part_rows[part + 1];
    int64_t *next = c->next + part * format->num_blocks;
    int64_t *last_row = c->last_row + part * format->num_blocks;
    uint32_t bits = (uint32_t)format->column_bits, most = UINT32_MAX >> bits;
    bool fills = format->places != NULL;
    for (int64_t block = 0; block < format->num_blocks; block++)
        last_row[block] = begin;
    for (int64_t row = begin; row < end; row++)
        for (int64_t k = spmv->row_offsets[row]; k < spmv->row_offsets[row + 1]; k++) {
            int64_t block = spmv->columns[k] >> bits;
            uint32_t column = (uint32_t)spmv->columns[k] & ((1U << bits) - 1);
            for (; row - last_row[block] > most; last_row[block] += most, next[block]++)
                if (fills)
                    format->places[next[block]] = most << bits;
            if (fills) {
                format->places[next[block]] = (uint32_t)(row - last_row[block]) << bits | column;
                format->values[next[block]] = spmv->values[k];
            }
            last_row[block] = row;
            next[block]++;
        }
}

static int divide(const nitro_spmv *spmv, nitro_spmv_cache_blocked *format)
{
    int parts = nitro_host_num_parts(NS_PER_SLOT * (double)spmv->num_nonzeros);
    format->column_bits = choose_column_bits(spmv);
    format->num_blocks = ((spmv->num_cols - 1) >> format->column_bits) + 1;
    format->num_parts = parts;
    format->part_rows = nitro_host_allocate(parts + 1, sizeof(*format->part_rows));
    format->offsets = nitro_host_allocate(parts * format->num_blocks + 1, sizeof(*format->offsets));
    if (!format->part_rows || !format->offsets)
        return NITRO_ERR_NO_MEMORY;
    for (int part = 0; part <= parts; part++)
        format->part_rows[part] = nitro_spmv_split(spmv->row_offsets, spmv->num_rows, part, parts);
    return 0;
}

static int convert(const conversion *c, const nitro_kit_part *part, nitro_spmv *spmv)
{
    nitro_spmv_cache_blocked *format = c->made;
    int64_t count = format->num_parts * format->num_blocks;
    nitro_host_run_parts(place_part, c, (int)format->num_parts);
    for (int64_t i = 0; i < count; i++) {
        format->offsets[i + 1] = format->offsets[i] + c->next[i];
        c->next[i] = format->offsets[i];
    }
    format->num_slots = format->offsets[count];
    if (nitro_kit_allocate_format(part, spmv) != 0)
        return NITRO_ERR_NO_MEMORY;
    nitro_host_run_parts(place_part, c, (int)format->num_parts);
    return 0;
}

int nitro_spmv_make_cache_blocked(void *argument, const nitro_kit_part *part)
{
    nitro_spmv *spmv = argument;
    nitro_spmv_cache_blocked *format = spmv->cache_blocked;
    int failure = divide(spmv, format);
    if (failure)
        return failure;
    int64_t count = format->num_parts * format->num_blocks;
    conversion c = {.spmv = spmv,
                    .made = format,
                    .next = nitro_host_allocate(count, sizeof(int64_t)),
                    .last_row = nitro_host_allocate(count, sizeof(int64_t))};
    failure = c.next && c.last_row ? convert(&c, part, spmv) : NITRO_ERR_NO_MEMORY;
    nitro_host_free(c.next);
    nitro_host_free(c.last_row);
    return failure;
}

/* Adds the product of a slot to y, `row` rows below the slot before it. */
NITRO_SPMV_INLINE uint64_t add_slot(const nitro_spmv_cache_blocked *format, int64_t slot,
                                    uint64_t row, const double *x, double *y)
{
    uint32_t place = format->places[slot];
    row += place >> format->column_bits;
    y[row] += format->values[slot] * x[place & ((1U << format->column_bits) - 1)];
    return row;
}

/* The same for UNROLLED slots; where all are of one row, as in long ones, y is written once, since
 * the next product waits for it. */
NITRO_SPMV_INLINE uint64_t add_slots(const nitro_spmv_cache_blocked *format, int64_t slot,
                                     uint64_t row, const double *x, double *y)
{
    const uint32_t *places = format->places + slot, bits = (uint32_t)format->column_bits;
    const double *values = format->values + slot;
    if ((places[0] | places[1] | places[2] | places[3]) >> bits == 0) {
        y[row] += (values[0] * x[places[0]] + values[1] * x[places[1]]) +
                  (values[2] * x[places[2]] + values[3] * x[places[3]]);
        return row;
    }
    for (int i = 0; i < UNROLLED; i++)
        row = add_slot(format, slot + i, row, x, y);
    return row;
}

/* y += A x of one block in one part's rows; x and y begin where these do. */
static void add_block(const nitro_spmv_cache_blocked *shared, int64_t block, const double *x,
                      double *y)
{
    const nitro_spmv_cache_blocked format = *shared; /* y cannot alias it */
    const uint32_t bits = (uint32_t)format.column_bits, mask = (1U << bits) - 1;
    int64_t slot = format.offsets[block], end = format.offsets[block + 1];
    uint64_t row = 0, row_ahead = 0;
    for (int64_t k = slot; k < end && k < slot + AHEAD; k++)
        row_ahead += format.places[k] >> bits;
    for (; slot + AHEAD + UNROLLED <= end; slot += UNROLLED) {
        for (int i = 0; i < UNROLLED; i++) {
            uint32_t ahead = format.places[slot + AHEAD + i];
            row_ahead += ahead >> bits;
            __builtin_prefetch(y + row_ahead, 1);
            __builtin_prefetch(x + (ahead & mask));
        }
        row = add_slots(&format, slot, row, x, y);
    }
    for (; slot < end; slot++)
        row = add_slot(&format, slot, row, x, y);
}

static void multiply_part(const void *state, int part, int parts)
{
    (void)parts;
    const nitro_spmv *spmv = state;
    const nitro_spmv_cache_blocked *format = spmv->cache_blocked;
    int64_t begin = format->part_rows[part], end = format->part_rows[part + 1];
    if (begin < end)
        memset(spmv->y + begin, 0, (size_t)(end - begin) * sizeof(*spmv->y));
    for (int64_t block = 0; block < format->num_blocks; block++)
        add_block(format, part * format->num_blocks + block,
                  spmv->x + (block << format->column_bits), spmv->y + begin);
}

static int run(void *argument, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    nitro_host_run_parts(multiply_part, spmv, (int)spmv->cache_blocked->num_parts);
    return 0;
}

const nitro_variant nitro_spmv_variant_cache_blocked = {
    .name = "cache_blocked",
    .version = "1",
    .run = run,
    NITRO_SPMV_FORMAT(cache_blocked),
    .allows = allows,
    .allows_reads = "cols,nnz,rows",
};
