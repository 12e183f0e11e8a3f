/* c2r, r2c and their skinny forms (Catanzaro, Keller, Garland: A decomposition for in-place matrix
 * transposition, 2014): the permutation is one of columns, one of rows, and one of columns again,
 * each in place with room for a few columns or a row. c2r permutes the matrix as it is; r2c is the
 * inverse of c2r, of the transposed matrix. Skinny forms are for short rows: steps that move
 * elements to nearby rows are done together in one reading, then whole rows are moved. */
#include <math.h>

#include "variants/transpose/host/in_place.h"

#define NS_PER_BYTE 0.6
#define SKINNY      64 /* the longest side of short rows */

NITRO_TRANSPOSE_INLINE void copy(void *to, const void *from, int64_t bytes)
{
    memcpy(to, from, (size_t)bytes);
}

/* The matrix that c2r permutes, and its numbers. */
typedef struct decomposition {
    char *data;
    int64_t rows, cols; /* at least 1 */
    int64_t divisor;    /* gcd of both */
    int64_t block;      /* cols / divisor */
    bool is_inverse;
    int32_t element_bytes;
    int64_t *places; /* shape [rows]: of step 3 */
    char *room;      /* for each part */
    int64_t part_bytes;
    int step; /* 1 or 3 */
} decomposition;

static int64_t align(int64_t bytes)
{
    return (bytes + NITRO_TRANSPOSE_LINE - 1) / NITRO_TRANSPOSE_LINE * NITRO_TRANSPOSE_LINE;
}

static decomposition describe(const nitro_transpose *t, bool is_inverse)
{
    nitro_transpose_view view = nitro_transpose_view_of(t);
    if (view.rows == 0 || view.cols == 0)
        return (decomposition){0}; /* no elements take no room */
    decomposition d = {.data = t->data,
                       .rows = is_inverse ? view.cols : view.rows,
                       .cols = is_inverse ? view.rows : view.cols,
                       .is_inverse = is_inverse,
                       .element_bytes = t->element_bytes};
    d.divisor = nitro_transpose_divisor(d.rows, d.cols);
    d.block = d.cols / d.divisor;
    int64_t row_bytes = d.cols * d.element_bytes, columns = d.rows * NITRO_TRANSPOSE_LINE;
    d.part_bytes = align(row_bytes > columns ? row_bytes : columns);
    d.places = t->room.memory;
    d.room = d.places ? (char *)d.places + align(d.rows * (int64_t)sizeof(*d.places)) : NULL;
    return d;
}

/* Row i takes in column j what row places[i] + j, modulo rows, has after step 2. */
static void find_places(decomposition *d)
{
    int64_t period = d->rows / d->divisor, product = 0, until = period, step = d->cols % d->rows;
    for (int64_t i = 0, back = 0; i < d->rows; i++) {
        if (i == until) {
            until += period;
            back++;
        }
        d->places[i] = product >= back ? product - back : product - back + d->rows;
        product += step;
        product -= product >= d->rows ? d->rows : 0;
    }
}

static int num_parts(const decomposition *d)
{
    double bytes = (double)d->rows * (double)d->cols * d->element_bytes;
    return nitro_host_num_parts(NS_PER_BYTE * bytes);
}

/* ---- Steps 1 and 3: columns ---- */

/* A line of each row at a time goes to the room and back. */
NITRO_TRANSPOSE_INLINE void permute_columns(const decomposition *d, char *room, int64_t begin,
                                            int64_t end, const int64_t size)
{
    enum { MOST = NITRO_TRANSPOSE_LINE / 4 };
    const int64_t rows = d->rows, stride = d->cols * size, group = NITRO_TRANSPOSE_LINE / size;
    for (int64_t j = begin; j < end; j += group) {
        int64_t count = end - j < group ? end - j : group, shifts[MOST];
        int64_t bytes = count * size;
        char *data = d->data + j * size;
        for (int64_t k = 0; k < count; k++)
            shifts[k] = d->step == 1 ? (j + k) / d->block : (j + k) % rows;
        for (int64_t i = 0; i < rows; i++) {
            int64_t place = d->step == 1 ? i : d->places[i];
            for (int64_t k = 0; k < count; k++) {
                int64_t row = place + shifts[k] - (place + shifts[k] >= rows ? rows : 0);
                if (d->is_inverse)
                    copy(room + (row * group + k) * size, data + i * stride + k * size, size);
                else
                    copy(room + (i * group + k) * size, data + row * stride + k * size, size);
            }
        }
        for (int64_t i = 0; i < rows; i++)
            copy(data + i * stride, room + i * NITRO_TRANSPOSE_LINE, bytes);
    }
}

static void columns_part(const void *state, int part, int parts)
{
    const decomposition *d = state;
    int64_t line = NITRO_TRANSPOSE_LINE / d->element_bytes, lines = (d->cols + line - 1) / line;
    int64_t begin = line * nitro_host_split_evenly(lines, part, parts);
    int64_t end = line * nitro_host_split_evenly(lines, part + 1, parts);
    char *room = d->room + part * d->part_bytes;
    end = end < d->cols ? end : d->cols;
    NITRO_TRANSPOSE_BY_SIZE(d->element_bytes, permute_columns, d, room, begin, end);
}

/* ---- Step 2: rows ---- */

/* Of row i, element j goes to place ((i + j / block) mod rows + j rows) mod cols. */
NITRO_TRANSPOSE_INLINE void permute_row(const decomposition *d, char *row, int64_t i, char *room,
                                        const int64_t size)
{
    const int64_t rows = d->rows, cols = d->cols, step = rows % cols;
    int64_t product = 0; /* j rows mod cols */
    copy(room, row, cols * size);
    for (int64_t k = 0, j = 0; k < d->divisor; k++) {
        int64_t first = i + k;
        first -= first >= rows ? rows : 0;
        int64_t place = first % cols + product;
        place -= place >= cols ? cols : 0;
        for (int64_t end = j + d->block; j < end; j++) {
            if (d->is_inverse)
                copy(row + j * size, room + place * size, size);
            else
                copy(row + place * size, room + j * size, size);
            place += step;
            place -= place >= cols ? cols : 0;
            product += step;
            product -= product >= cols ? cols : 0;
        }
    }
}

static void rows_part(const void *state, int part, int parts)
{
    const decomposition *d = state;
    int64_t begin = nitro_host_split_evenly(d->rows, part, parts);
    int64_t end = nitro_host_split_evenly(d->rows, part + 1, parts);
    char *room = d->room + part * d->part_bytes;
    for (int64_t i = begin; i < end; i++) {
        char *row = d->data + i * d->cols * d->element_bytes;
        NITRO_TRANSPOSE_BY_SIZE(d->element_bytes, permute_row, d, row, i, room);
    }
}

static void run_steps(decomposition *d, int64_t room_bytes)
{
    int64_t most = room_bytes / d->part_bytes;
    int parts = num_parts(d);
    parts = parts < most ? parts : (int)most;
    for (int turn = 1; turn <= 3; turn++) {
        d->step = d->is_inverse ? 4 - turn : turn;
        if (d->step == 2)
            nitro_host_run_parts(rows_part, d, parts);
        else if (d->step == 3 || d->divisor > 1)
            nitro_host_run_parts(columns_part, d, parts);
    }
}

/* ---- Short rows ---- */

/* Rows that follow the last one in a rotation are the first ones, as they were. */
typedef struct window {
    char *data, *first;
    int64_t rows, row_bytes;
} window;

NITRO_TRANSPOSE_INLINE const char *row_at(const window *w, int64_t i)
{
    return i < w->rows ? w->data + i * w->row_bytes : w->first + (i - w->rows) * w->row_bytes;
}

/* Steps 1, 2 and the rotation of step 3 for all rows. Elements come from rows below, at most
 * cols - 1 away, so that rows can be written in ascending order. */
NITRO_TRANSPOSE_INLINE void rotate_down_rows(const decomposition *d, char *saved,
                                             const int64_t size)
{
    const int64_t rows = d->rows, cols = d->cols, row_bytes = cols * size;
    window before = {d->data, saved, rows, row_bytes};
    window between = {d->data, saved + cols * row_bytes, rows, row_bytes};
    char *room = saved + 2 * cols * row_bytes;
    copy(before.first, d->data, cols * row_bytes);
    for (int64_t i = 0; i < rows + cols - 1; i++) {
        char *row = d->data + i * row_bytes;
        if (i < rows && d->divisor > 1)
            for (int64_t k = 1, at = d->block; at < cols; k++, at += d->block)
                copy(row + at * size, row_at(&before, i + k) + at * size, d->block * size);
        if (i < rows)
            permute_row(d, row, i, room, size);
        if (i == cols - 1) /* now these are as step 2 leaves them */
            copy(between.first, d->data, cols * row_bytes);
        int64_t done = i - (cols - 1);
        for (int64_t j = 1; j < cols && done >= 0; j++)
            copy(d->data + done * row_bytes + j * size, row_at(&between, done + j) + j * size,
                 size);
    }
}

/* The inverse, from the last row up: row i is among the first ones again at the end. */
NITRO_TRANSPOSE_INLINE void rotate_up_rows(const decomposition *d, char *saved, const int64_t size)
{
    const int64_t rows = d->rows, cols = d->cols, row_bytes = cols * size;
    char *last = saved, *between = saved + cols * row_bytes, *room = between + cols * row_bytes;
    char *tail = d->data + (rows - cols) * row_bytes;
    copy(last, tail, cols * row_bytes);
    for (int64_t i = rows - 1; i > -cols; i--) {
        for (int64_t j = 1; j < cols && i >= 0; j++) {
            const char *from =
                i >= j ? d->data + (i - j) * row_bytes : last + (cols + i - j) * row_bytes;
            copy(d->data + i * row_bytes + j * size, from + j * size, size);
        }
        if (i >= 0)
            permute_row(d, d->data + i * row_bytes, i, room, size);
        if (i == rows - cols)
            copy(between, tail, cols * row_bytes);
        int64_t done = i + cols - 1;
        for (int64_t k = 1, at = d->block; at < cols && done < rows; k++, at += d->block) {
            const char *from = done >= k ? d->data + (done - k) * row_bytes
                                         : between + (cols + done - k) * row_bytes;
            copy(d->data + done * row_bytes + at * size, from + at * size, d->block * size);
        }
    }
}

/* Row i takes row places[i], or the other way; done places become negative. */
static void move_rows(const decomposition *d, char *room)
{
    int64_t stride = d->cols * d->element_bytes;
    for (int64_t start = 0; start < d->rows; start++) {
        int64_t at = start, next = d->places[start];
        if (next < 0 || next == start)
            continue;
        copy(room, d->data + start * stride, stride);
        for (; next != start; at = next, next = d->places[next]) {
            __builtin_prefetch(d->data + d->places[next] * stride);
            if (d->is_inverse) { /* what was at `start` moves on, and leaves what was there */
                copy(room + stride, d->data + next * stride, stride);
                copy(d->data + next * stride, room, stride);
                copy(room, room + stride, stride);
            } else {
                copy(d->data + at * stride, d->data + next * stride, stride);
            }
            if (at != start)
                d->places[at] = -1;
        }
        copy(d->data + (d->is_inverse ? start : at) * stride, room, stride);
        d->places[at] = d->places[start] = -1;
    }
}

static void run_skinny(decomposition *d)
{
    if (d->is_inverse) {
        move_rows(d, d->room);
        NITRO_TRANSPOSE_BY_SIZE(d->element_bytes, rotate_up_rows, d, d->room);
    } else {
        NITRO_TRANSPOSE_BY_SIZE(d->element_bytes, rotate_down_rows, d, d->room);
        move_rows(d, d->room);
    }
}

/* ---- Variants ---- */

bool nitro_transpose_allows_skinny(const double *features, const void *argument, void *user)
{
    (void)argument;
    const nitro_transpose_form *form = user;
    double rows = features[NITRO_TRANSPOSE_NUM_ROWS], cols = features[NITRO_TRANSPOSE_NUM_COLS];
    bool is_row_major = features[NITRO_TRANSPOSE_IS_ROW_MAJOR];
    double shorter =
        form->is_inverse == is_row_major ? rows : cols; /* of the matrix that is permuted */
    return shorter <= SKINNY && shorter == fmin(rows, cols);
}

int nitro_transpose_prepare_decomposed(void *argument, void *user)
{
    const nitro_transpose_form *form = user;
    nitro_transpose *t = argument;
    decomposition d = describe(t, form->is_inverse);
    int64_t bytes = form->is_skinny ? (2 * d.cols + 2) * d.cols * d.element_bytes
                                    : num_parts(&d) * d.part_bytes;
    return nitro_host_make_room(&t->room, align(d.rows * (int64_t)sizeof(*d.places)) + bytes);
}

int nitro_transpose_run_decomposed(void *argument, void *user)
{
    const nitro_transpose_form *form = user;
    nitro_transpose *t = argument;
    int failure = nitro_transpose_prepare_decomposed(argument, user);
    if (failure)
        return failure;
    decomposition d = describe(t, form->is_inverse);
    if (d.rows == 0)
        return 0;
    find_places(&d);
    if (form->is_skinny)
        run_skinny(&d);
    else
        run_steps(&d, t->room.bytes - (d.room - (char *)d.places));
    return 0;
}
