/* Builds CSR from entries in any order by two stable counting sorts, by column and then by row:
 * linear time, and duplicates are summed in input order. */
#include "apps/matrix/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/computation_kit.h"

static nitro_status out_of_memory(nitro_context *context, const nitro_matrix_entries *entries,
                                  int64_t count)
{
    return nitro_fail(context, NITRO_ERR_NO_MEMORY,
                      "out of memory for a matrix of %lld x %lld with %lld entries",
                      (long long)entries->num_rows, (long long)entries->num_cols, (long long)count);
}

nitro_status nitro_matrix_entries_reserve(nitro_context *context, nitro_matrix_entries *entries,
                                          int64_t capacity)
{
    if (capacity <= entries->capacity)
        return NITRO_OK;
    size_t count = (size_t)capacity;
    int32_t *rows = reallocarray(entries->rows, count, sizeof(*rows));
    if (rows)
        entries->rows = rows;
    int32_t *columns = reallocarray(entries->columns, count, sizeof(*columns));
    if (columns)
        entries->columns = columns;
    double *values =
        entries->is_pattern ? NULL : reallocarray(entries->values, count, sizeof(*values));
    if (values)
        entries->values = values;
    if (!rows || !columns || (!values && !entries->is_pattern))
        return out_of_memory(context, entries, capacity);
    entries->capacity = capacity;
    return NITRO_OK;
}

nitro_status nitro_matrix_entries_add(nitro_context *context, nitro_matrix_entries *entries,
                                      int64_t row, int64_t column, double value)
{
    if (entries->count == entries->capacity) {
        int64_t more = entries->capacity < 512 ? 1024 : entries->capacity * 2;
        nitro_status status = nitro_matrix_entries_reserve(context, entries, more);
        if (status != NITRO_OK)
            return status;
    }
    entries->rows[entries->count] = (int32_t)row;
    entries->columns[entries->count] = (int32_t)column;
    if (!entries->is_pattern)
        entries->values[entries->count] = value;
    entries->count++;
    return NITRO_OK;
}

void nitro_matrix_entries_free(nitro_matrix_entries *entries)
{
    free(entries->rows);
    free(entries->columns);
    free(entries->values);
    *entries = (nitro_matrix_entries){0};
}

static bool is_sorted(const nitro_matrix_entries *entries)
{
    for (int64_t k = 1; k < entries->count; k++) {
        int32_t row = entries->rows[k], before = entries->rows[k - 1];
        if (row < before || (row == before && entries->columns[k] < entries->columns[k - 1]))
            return false;
    }
    return true;
}

/* offsets[key] becomes the number of entries with a smaller key; shape [num_keys + 1]. */
static void count_keys(const int32_t *keys, int64_t count, int64_t num_keys, int64_t *offsets)
{
    for (int64_t k = 0; k < count; k++)
        offsets[keys[k] + 1]++;
    for (int64_t key = 0; key < num_keys; key++)
        offsets[key + 1] += offsets[key];
}

/* Copies the entries of `from` to `to`, sorted by `keys` (the rows or columns of `from`). */
static nitro_status sort_by(nitro_context *context, const nitro_matrix_entries *from,
                            const int32_t *keys, int64_t num_keys, nitro_matrix_entries *to)
{
    int64_t *next = nitro_calloc(context, (size_t)num_keys + 1, sizeof(*next));
    if (!next)
        return NITRO_ERR_NO_MEMORY;
    count_keys(keys, from->count, num_keys, next);
    for (int64_t k = 0; k < from->count; k++) {
        int64_t at = next[keys[k]]++;
        to->rows[at] = from->rows[k];
        to->columns[at] = from->columns[k];
        if (!from->is_pattern)
            to->values[at] = from->values[k];
    }
    free(next);
    return NITRO_OK;
}

static nitro_status sort_entries(nitro_context *context, nitro_matrix_entries *entries)
{
    if (is_sorted(entries))
        return NITRO_OK;
    nitro_matrix_entries by_column = {.num_rows = entries->num_rows,
                                      .num_cols = entries->num_cols,
                                      .count = entries->count,
                                      .is_pattern = entries->is_pattern};
    nitro_status status = nitro_matrix_entries_reserve(context, &by_column, entries->count);
    if (status == NITRO_OK)
        status = sort_by(context, entries, entries->columns, entries->num_cols, &by_column);
    if (status == NITRO_OK)
        status = sort_by(context, &by_column, by_column.rows, entries->num_rows, entries);
    nitro_matrix_entries_free(&by_column);
    return status;
}

/* Sums duplicate entries. */
static nitro_status merge_duplicates(nitro_context *context, const char *origin,
                                     nitro_matrix_entries *entries)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < entries->count; k++) {
        int32_t row = entries->rows[k], column = entries->columns[k];
        if (kept > 0 && entries->rows[kept - 1] == row && entries->columns[kept - 1] == column) {
            if (entries->is_pattern)
                continue;
            entries->values[kept - 1] += entries->values[k];
            if (!isfinite(entries->values[kept - 1]))
                return nitro_fail(context, NITRO_ERR_FORMAT,
                                  "%s: the entries at row %d, column %d add up to infinity", origin,
                                  row + 1, column + 1);
            continue;
        }
        entries->rows[kept] = row;
        entries->columns[kept] = column;
        if (!entries->is_pattern)
            entries->values[kept] = entries->values[k];
        kept++;
    }
    entries->count = kept;
    return NITRO_OK;
}

/* From sorted entries. */
static nitro_status make_rows(nitro_context *context, const nitro_matrix_entries *entries,
                              nitro_matrix **matrix)
{
    nitro_matrix *made = nitro_calloc(context, 1, sizeof(*made));
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    *made = (nitro_matrix){
        .num_rows = entries->num_rows,
        .num_cols = entries->num_cols,
        .num_nonzeros = entries->count,
        .row_offsets = nitro_host_allocate(entries->num_rows + 1, sizeof(*made->row_offsets)),
        .columns = nitro_host_allocate(entries->count, sizeof(*made->columns)),
        .values = entries->is_pattern ? NULL
                                      : nitro_host_allocate(entries->count, sizeof(*made->values))};
    if (!made->row_offsets || !made->columns || (!made->values && !entries->is_pattern)) {
        nitro_matrix_free(made);
        return out_of_memory(context, entries, entries->count);
    }
    count_keys(entries->rows, entries->count, entries->num_rows, made->row_offsets);
    memcpy(made->columns, entries->columns, (size_t)entries->count * sizeof(*made->columns));
    if (made->values)
        memcpy(made->values, entries->values, (size_t)entries->count * sizeof(*made->values));
    *matrix = made;
    return NITRO_OK;
}

nitro_status nitro_matrix_create(nitro_context *context, const char *origin,
                                 nitro_matrix_entries *entries, nitro_matrix **matrix)
{
    nitro_status status = nitro_matrix_entries_reserve(context, entries, 1); /* arrays, not NULL */
    if (status == NITRO_OK)
        status = sort_entries(context, entries);
    if (status == NITRO_OK)
        status = merge_duplicates(context, origin, entries);
    if (status == NITRO_OK)
        status = make_rows(context, entries, matrix);
    nitro_matrix_entries_free(entries);
    return status;
}

void nitro_matrix_free(nitro_matrix *matrix)
{
    if (!matrix)
        return;
    free(matrix->row_offsets);
    free(matrix->columns);
    free(matrix->values);
    free(matrix);
}
