/* The host's variants of the solver: memory, steps, and a run, which iterates until the residual,
 * recomputed from x, is small enough. */
#include "variants/solver/host/krylov.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_ENTRY 0.5
#define LEAST_GAIN   0.5 /* by iterating again from the true residual */
#define LINE         ((int64_t)sizeof(nitro_rows))
#define SLOTS_AFTER  4 /* iterations: making slots takes as long as two products */
#define ROOM         2 /* entries of the matrix for a slot of four: fewer mean too many zeros */
/* Of diagonals, elements over the matrix's entries: read, and stored. */
#define MOST_READ    1.8
#define MOST_STORED  1.4
#define SAMPLED_ROWS 1024

/* ---- Steps ---- */

static int64_t num_chunks(int64_t num_groups)
{
    return (num_groups + NITRO_KRYLOV_CHUNK - 1) / NITRO_KRYLOV_CHUNK;
}

static void do_part(const void *state, int part, int parts)
{
    nitro_krylov *k = *(nitro_krylov *const *)state;
    int64_t chunks = num_chunks(k->num_groups);
    int64_t last = nitro_host_split_evenly(chunks, part + 1, parts);
    for (int64_t c = nitro_host_split_evenly(chunks, part, parts); c < last; c++) {
        int64_t begin = c * NITRO_KRYLOV_CHUNK, end = begin + NITRO_KRYLOV_CHUNK;
        nitro_rows sums[NITRO_KRYLOV_MAX_SUMS];
        k->chunk(k, begin, end < k->num_groups ? end : k->num_groups, sums);
        for (int s = 0; s < k->num_sums; s++)
            k->chunk_sums[c * k->num_sums + s] =
                (sums[s][0] + sums[s][2]) + (sums[s][1] + sums[s][3]);
    }
}

void nitro_krylov_do(nitro_krylov *k, nitro_krylov_step step, int num_sums)
{
    k->chunk = step[k->unit];
    k->num_sums = num_sums;
    nitro_host_run_parts(do_part, &k, k->parts);
    for (int s = 0; s < num_sums; s++) {
        k->sums[s] = 0;
        for (int64_t c = 0; c < num_chunks(k->num_groups); c++)
            k->sums[s] += k->chunk_sums[c * num_sums + s];
    }
}

void nitro_krylov_do_and_precondition(nitro_krylov *k, nitro_krylov_step step, int num_sums,
                                      const nitro_rows *from, nitro_rows *to)
{
    k->from = from;
    k->to = to;
    nitro_krylov_do(k, step, num_sums);
    if (k->preconditioner->apply)
        k->preconditioner->apply(k, from, to);
}

NITRO_KRYLOV_STEP(square)
{
    const nitro_rows *r = k->vectors[NITRO_KRYLOV_R];
    nitro_krylov_dot(r, r, begin, end, sums);
}

NITRO_KRYLOV_STEP(residual)
{
    nitro_rows *r = k->vectors[NITRO_KRYLOV_R];
    nitro_krylov_multiply(k, k->vectors[NITRO_KRYLOV_X], r, begin, end);
    for (int64_t i = begin * NITRO_ROWS; i < end * NITRO_ROWS && i < k->n; i++)
        ((double *)r)[i] = k->scale * k->system->b[i] - ((double *)r)[i];
    nitro_krylov_dot(r, r, begin, end, sums);
}

void nitro_krylov_residual(nitro_krylov *k)
{
    nitro_krylov_do(k, residual, 1);
}

/* ---- Diagonals ---- */

/* The first entry of a row. Rows behind the last one have none. */
static int64_t offset_of(const nitro_solver *system, int64_t row)
{
    return system->row_offsets[row < system->num_rows ? row : system->num_rows];
}

/* The diagonals of a sample of rows, ascending; how many, 0: more than `most`. */
static int find_diagonals(const nitro_solver *system, int64_t *distances, int most)
{
    int count = 0;
    int64_t samples = system->num_rows < SAMPLED_ROWS ? system->num_rows : SAMPLED_ROWS;
    for (int64_t sample = 0; sample < samples; sample++) {
        int64_t row = nitro_kit_sample(sample, samples, system->num_rows);
        int d = 0;
        for (int64_t i = system->row_offsets[row]; i < system->row_offsets[row + 1]; i++, d++) {
            int64_t distance = system->columns[i] - row;
            while (d < count && distances[d] < distance)
                d++;
            if (d < count && distances[d] == distance)
                continue;
            if (count == most)
                return 0;
            memmove(distances + d + 1, distances + d, (size_t)(count++ - d) * sizeof(*distances));
            distances[d] = distance;
        }
    }
    return count;
}

/* The sum is how many entries are on the diagonals. */
NITRO_KRYLOV_STEP(fill_diagonals)
{
    const nitro_solver *system = k->system;
    const nitro_krylov_diagonals *d = &k->diagonals;
    memset(sums, 0, sizeof(*sums));
    for (int64_t row = begin * NITRO_ROWS; row < end * NITRO_ROWS; row++) {
        int64_t at = offset_of(system, row), last = offset_of(system, row + 1);
        int64_t slot = nitro_krylov_slot(d, row / NITRO_ROWS) + row % NITRO_ROWS;
        for (int i = 0; i < d->count; i++) {
            bool is_entry = at < last && system->columns[at] - row == d->distances[i];
            d->values[d->starts[i] + slot] = is_entry ? system->values[at] : 0;
            at += is_entry;
            sums[0][0] += is_entry;
        }
    }
}

/* Are all entries on a few diagonals? Then products use these: those of a symmetric matrix are
 * arrays of their own, as one is read for two; else those of a block lie one behind the other, so
 * that memory is read as one stream. */
static bool make_diagonals(nitro_krylov *k)
{
    nitro_krylov_diagonals *d = &k->diagonals;
    const double entries = (double)k->system->num_nonzeros;
    const nitro_spmv matrix = nitro_krylov_matrix(k);
    bool shares = nitro_spmv_seems_symmetric(&matrix);
    int64_t stride = (k->num_groups + NITRO_KRYLOV_TOGETHER - 1) / NITRO_KRYLOV_TOGETHER *
                     NITRO_KRYLOV_TOGETHER; /* groups of a diagonal */
    if (shares)
        stride = (k->num_groups + 1) | 3; /* odd: arrays whole pages apart share cache sets */
    int64_t most = (int64_t)(MOST_READ * entries / (double)k->n);
    int64_t room = (k->system->num_nonzeros / ROOM - 1) / stride;
    most = most < room ? most : room;
    most = most < NITRO_KRYLOV_DIAGONALS ? most : NITRO_KRYLOV_DIAGONALS;
    d->count = find_diagonals(k->system, d->distances, (int)most);
    if (d->count == 0)
        return false;
    d->values = (double *)(k->slots.values + 1);
    d->block_stride = NITRO_KRYLOV_TOGETHER * NITRO_ROWS * (shares ? 1 : d->count);
    for (int i = 0; i < d->count; i++) {
        k->slots.values[i * stride] = (nitro_rows){0}; /* read before the first row */
        d->starts[i] = i * (shares ? stride : NITRO_KRYLOV_TOGETHER) * NITRO_ROWS;
    }
    nitro_krylov_do(k, fill_diagonals, 1);
    int64_t num_read = d->count;
    if (shares)
        num_read = nitro_spmv_share_diagonals(d->values, stride * NITRO_ROWS, k->n, d->distances,
                                              d->count, d->starts);
    if (k->sums[0] != entries || (double)num_read * (double)k->n > MOST_STORED * entries)
        d->count = 0;
    return d->count > 0;
}

/* ---- Slots ---- */

/* The entries of a group's rows that are not in a slot yet. */
typedef struct rows {
    const nitro_solver *system;
    int32_t row[NITRO_ROWS];
    int64_t at[NITRO_ROWS], ends[NITRO_ROWS];
} rows;

static rows rows_of(const nitro_solver *system, const int32_t *row)
{
    rows r = {.system = system};
    for (int i = 0; i < NITRO_ROWS; i++) {
        r.row[i] = row[i];
        r.at[i] = offset_of(system, row[i]);
        r.ends[i] = offset_of(system, (int64_t)row[i] + 1);
    }
    return r;
}

static int64_t num_entries(const rows *r)
{
    int64_t count = 0;
    for (int i = 0; i < NITRO_ROWS; i++)
        count += r->ends[i] - r->at[i];
    return count;
}

/* Are all entries of the rows in runs of so many adjacent columns? */
static bool has_runs(const rows *r, int run)
{
    const int32_t *columns = r->system->columns;
    for (int i = 0; i < NITRO_ROWS; i++) {
        if ((r->ends[i] - r->at[i]) % run != 0)
            return false;
        for (int64_t k = r->at[i]; k < r->ends[i]; k += run)
            for (int j = 1; j < run; j++)
                if (columns[k + j] != columns[k] + j)
                    return false;
    }
    return true;
}

static int merge_runs(rows r, int run, nitro_rows *values, int32_t *columns, int64_t most)
{
    int64_t count = 0;
    for (int i = 0; i < NITRO_ROWS; i++)
        count = r.ends[i] - r.at[i] > count ? r.ends[i] - r.at[i] : count;
    if (count > most || !has_runs(&r, run))
        return 0;
    for (int64_t slot = 0; slot < count; slot += run)
        for (int i = 0; i < NITRO_ROWS; i++, columns++) {
            bool is_entry = r.at[i] < r.ends[i];
            *columns = is_entry ? r.system->columns[r.at[i]] : r.row[0];
            for (int j = 0; j < run; j++)
                values[slot + j][i] = is_entry ? r.system->values[r.at[i]++] : 0;
        }
    return (int)count;
}

/* Longest first. Rows of the same length, and all of LONGEST or more, stay in order. */
static void sort_rows(const nitro_solver *system, const int32_t *from, int count, int32_t *to)
{
    enum { LONGEST = 255 };
    int begins[LONGEST + 2] = {0}, buckets[NITRO_KRYLOV_CHUNK * NITRO_ROWS];
    for (int i = 0; i < count; i++) {
        int64_t length = offset_of(system, (int64_t)from[i] + 1) - offset_of(system, from[i]);
        buckets[i] = length < LONGEST ? LONGEST - (int)length : 0;
        begins[buckets[i] + 1]++;
    }
    for (int i = 0; i < LONGEST; i++)
        begins[i + 1] += begins[i];
    for (int i = 0; i < count; i++)
        to[begins[buckets[i]]++] = from[i];
}

/* Makes a group of these rows at `next`, and moves that behind it; false: too many zeros, or other
 * runs. */
static bool add_group(const nitro_krylov *k, const rows *r, int run, nitro_krylov_group *next,
                      nitro_krylov_group *group)
{
    nitro_rows *values = k->slots.values + next->begin;
    int32_t *indices = k->slots.indices + next->begin_index;
    *group = (nitro_krylov_group){next->begin, next->begin_index, 0, run};
    if (run == 1) {
        memcpy(indices, r->row, sizeof(r->row));
        indices += NITRO_ROWS;
        next->begin_index += NITRO_ROWS;
    }
    group->count = merge_runs(*r, run, values, indices, num_entries(r) / ROOM);
    next->begin += group->count;
    next->begin_index += group->count / run * NITRO_ROWS;
    return group->count > 0;
}

/* The rows of groups that are no runs are regrouped by length. The sum is how many groups have
 * slots. */
NITRO_KRYLOV_STEP(make_slots)
{
    int32_t unsorted[NITRO_KRYLOV_CHUNK * NITRO_ROWS] = {0};
    int32_t sorted[NITRO_KRYLOV_CHUNK * NITRO_ROWS];
    nitro_krylov_group *groups = k->slots.groups;
    nitro_krylov_group next = {.begin = offset_of(k->system, begin * NITRO_ROWS) / ROOM};
    int num_unsorted = 0;
    next.begin_index = (next.begin + begin) * NITRO_ROWS;
    memset(sums, 0, sizeof(*sums));
    for (int64_t group = begin; group < end; group++) {
        int32_t *row = unsorted + num_unsorted;
        for (int i = 0; i < NITRO_ROWS; i++)
            row[i] = (int32_t)(group * NITRO_ROWS + i);
        const rows r = rows_of(k->system, row);
        if (add_group(k, &r, 3, &next, groups + group) ||
            add_group(k, &r, 2, &next, groups + group)) {
            sums[0][0]++;
        } else {
            groups[group].run = 1;
            num_unsorted += NITRO_ROWS;
        }
    }
    sort_rows(k->system, unsorted, num_unsorted, sorted);
    const int32_t *row = sorted;
    for (int64_t group = begin; group < end; group++)
        if (groups[group].run == 1) {
            const rows r = rows_of(k->system, row);
            sums[0][0] += add_group(k, &r, 1, &next, groups + group);
            row += NITRO_ROWS;
        }
}

bool nitro_krylov_goes_on(nitro_krylov *k)
{
    int64_t iterations = k->system->iterations;
    if (k->residual < NITRO_SOLVER_NEARER * k->best) {
        k->best = k->residual;
        k->best_at = iterations;
    }
    if (k->residual <= k->target || iterations >= k->system->max_iterations ||
        iterations - k->best_at > k->patience)
        return false;
    if (k->system->iterations++ == SLOTS_AFTER && !make_diagonals(k)) {
        nitro_krylov_do(k, make_slots, 1);
        k->uses_slots = k->sums[0] > (double)k->num_groups / 2;
    }
    return true;
}

/* ---- Memory: vectors, sums of chunks, slots, factors ---- */

static void *take(uintptr_t *at, int64_t bytes)
{
    void *taken = (void *)*at;
    *at += (uintptr_t)(bytes + LINE - 1) / LINE * LINE;
    return taken;
}

/* Divides the memory from `at` on. Returns its end. */
static uintptr_t lay_out(nitro_krylov *k, uintptr_t at, const nitro_krylov_method *method)
{
    int64_t groups = k->num_groups, slots = k->system->num_nonzeros / ROOM;
    take(&at, LINE);
    for (int i = 0; i < method->num_vectors; i++)
        k->vectors[i] = take(&at, (groups + 1) * LINE);
    k->chunk_sums =
        take(&at, num_chunks(groups) * NITRO_KRYLOV_MAX_SUMS * (int64_t)sizeof(*k->chunk_sums));
    k->factors = take(&at, (k->n + NITRO_SOLVER_BLOCK) * method->preconditioner->row_bytes +
                               k->system->num_nonzeros * method->preconditioner->entry_bytes);
    k->slots.values = take(&at, slots * LINE);
    k->slots.indices =
        take(&at, (slots + groups) * NITRO_ROWS * (int64_t)sizeof(*k->slots.indices));
    k->slots.groups = take(&at, groups * (int64_t)sizeof(*k->slots.groups));
    return at;
}

static nitro_krylov describe(nitro_solver *system, const nitro_krylov_method *method)
{
    return (nitro_krylov){.system = system,
                          .preconditioner = method->preconditioner,
                          .n = system->num_rows,
                          .patience = NITRO_SOLVER_PATIENCE,
                          .num_groups = (system->num_rows + NITRO_ROWS - 1) / NITRO_ROWS};
}

static int prepare(void *argument, void *user)
{
    nitro_solver *system = argument;
    nitro_krylov k = describe(system, user);
    nitro_spmv_unit(); /* measured at the first call */
    return nitro_host_make_room(&system->room, (int64_t)lay_out(&k, 0, user));
}

/* ---- A run ---- */

/* x = 0, r = scale b, and |r|. */
static void start(nitro_krylov *k, const nitro_krylov_method *method, double scale)
{
    lay_out(k, (uintptr_t)k->system->room.memory, method);
    for (int i = 0; i < method->num_vectors; i++) {
        memset(k->vectors[i] - 1, 0, LINE);
        memset(k->vectors[i] + k->num_groups - 1, 0, 2 * LINE);
    }
    memset(k->vectors[NITRO_KRYLOV_X], 0, (size_t)k->num_groups * LINE);
    k->scale = scale;
    for (int64_t i = 0; i < k->n; i++)
        ((double *)k->vectors[NITRO_KRYLOV_R])[i] = scale * k->system->b[i];
    nitro_krylov_do(k, square, 1);
    k->residual = sqrt(k->sums[0]);
}

/* x as the result will have it: scaled back, it may be too small for all its digits. */
static void round_solution(const nitro_krylov *k)
{
    double *x = (double *)k->vectors[NITRO_KRYLOV_X];
    for (int64_t i = 0; i < k->n && k->scale != 1; i++)
        x[i] = x[i] / k->scale * k->scale;
}

int nitro_solver_fail(nitro_solver *system, int failure)
{
    static const char *const words[] = {"not converged", "breakdown", "not finite"};
    char why[sizeof(system->problem)];
    snprintf(why, sizeof(why), "%s", system->problem);
    snprintf(system->problem, sizeof(system->problem),
             "%s after %lld iteration%s, residual %.3g%s%.80s",
             words[failure - NITRO_RUN_NOT_CONVERGED], (long long)system->iterations,
             system->iterations == 1 ? "" : "s", fabs(system->residual), why[0] ? ": " : "", why);
    return failure;
}

bool nitro_solver_goes_on(const nitro_solver *system, double *before, int *outcome)
{
    double now = system->residual, least = LEAST_GAIN * *before;
    bool is_solved = now <= system->tolerance;
    *before = now;
    *outcome = 0;
    if (!isfinite(now))
        *outcome = NITRO_RUN_NOT_FINITE;
    else if (!is_solved && (system->iterations >= system->max_iterations || now > least))
        *outcome = NITRO_RUN_NOT_CONVERGED;
    return *outcome == 0 && !is_solved;
}

/* Iterates, again from the true residual where the method's own one lost touch with it. */
static int solve(nitro_krylov *k, const nitro_krylov_method *method)
{
    nitro_solver *system = k->system;
    double before = INFINITY, norm = k->residual;
    int failure = method->preconditioner->set_up ? method->preconditioner->set_up(k) : 0;
    if (method->preconditioner->set_up_step)
        nitro_krylov_do(k, *method->preconditioner->set_up_step, 0);
    while (!failure && nitro_solver_goes_on(system, &before, &failure)) {
        k->best = INFINITY;
        failure = method->iterate(k);
        if (!failure) {
            round_solution(k);
            nitro_krylov_residual(k);
            k->residual = sqrt(k->sums[0]);
        }
        system->residual = k->residual / norm;
    }
    return failure;
}

static int run(void *argument, void *user)
{
    nitro_solver *system = argument;
    const nitro_krylov_method *method = user;
    nitro_krylov k = describe(system, method);
    int unit = nitro_spmv_unit();
    system->iterations = 0;
    system->residual = 0;
    system->problem[0] = '\0';
    if (k.n == 0)
        return 0;
    if (system->room.bytes < (int64_t)lay_out(&k, 0, method)) {
        snprintf(system->problem, sizeof(system->problem), "not prepared");
        return 1;
    }
    k.unit = unit >= NITRO_SPMV_AVX512_GATHER ? NITRO_KRYLOV_AVX512
             : unit >= NITRO_SPMV_AVX2_GATHER ? NITRO_KRYLOV_AVX2
                                              : NITRO_KRYLOV_BASELINE;
    k.parts = nitro_host_num_parts(NS_PER_ENTRY * (double)(system->num_nonzeros + 2 * k.n));
    start(&k, method, 1);
    if (nitro_solver_scale(k.residual) != 1)
        start(&k, method, nitro_solver_scale(k.residual));
    k.target = NITRO_SOLVER_MARGIN * system->tolerance * k.residual;
    if (k.residual != 0) {
        system->residual = isfinite(k.residual) ? 1 : k.residual;
        int failure = solve(&k, method);
        if (failure)
            return nitro_solver_fail(system, failure);
    }
    for (int64_t i = 0; i < k.n; i++)
        system->x[i] = ((const double *)k.vectors[NITRO_KRYLOV_X])[i] / k.scale;
    return 0;
}

/* ---- Variants ---- */

static bool allows_symmetric(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[NITRO_SOLVER_ASYMMETRY] <= 0;
}

static bool allows_positive(const double *features, const void *argument, void *user)
{
    return allows_symmetric(features, argument, user) && features[NITRO_SOLVER_NOT_POSITIVE] <= 0;
}

#define VARIANT(its_name, its_iterate, its_preconditioner, vectors, ...)                           \
    &(const nitro_variant)                                                                         \
    {                                                                                              \
        .name = #its_name, .version = "5", .run = run, .prepare = prepare, .fails_cleanly = true,  \
        .user = (void *)&(const nitro_krylov_method){nitro_krylov_##its_iterate,                   \
                                                     &nitro_krylov_##its_preconditioner,           \
                                                     NITRO_KRYLOV_OWN + (vectors)},                \
        __VA_ARGS__                                                                                \
    }
#define BY_CG(name, preconditioner)                                                                \
    VARIANT(name, cg, preconditioner, 3, .allows = allows_positive,                                \
            .allows_reads = "asymmetry,not_positive")
#define BY_BICGSTAB(name, preconditioner) VARIANT(name, bicgstab, preconditioner, 6, )

const nitro_variant *const nitro_solver_variants[NITRO_SOLVER_NUM_VARIANTS] = {
    BY_CG(cg_jacobi, jacobi),
    BY_CG(cg_bjacobi, bjacobi),
    BY_CG(cg_fainv, fsai),
    BY_BICGSTAB(bicgstab_jacobi, jacobi),
    BY_BICGSTAB(bicgstab_bjacobi, bjacobi),
    BY_BICGSTAB(bicgstab_fainv, isai),
    BY_CG(cg_ic0, ic0),
    BY_BICGSTAB(bicgstab_ilu0, ilu0),
    VARIANT(gmres30_ilu0, gmres, ilu0, NITRO_GMRES_RESTART + 2, ),
    VARIANT(minres, minres, absolute, 6, .allows = allows_symmetric, .allows_reads = "asymmetry"),
};
