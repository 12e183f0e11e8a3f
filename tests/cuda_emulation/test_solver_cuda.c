/* The solver's CUDA variants, emulated, against the host's: the same systems are solved, in about
 * as many iterations; what fails leaves x alone and says why; the order of threads changes no bit.
 */
#include "apps/solver/systems.h"
#include "cuda_emulation/emulated_cases.h"
#include "variants/solver/gmres.h"
#include "variants/solver/solver.h"

#define UNTOUCHED 12345.0
#define SIZE      250
#define LIMIT     60 /* iterations; more take long here */

extern const nitro_module nitro_module_solver_cuda;

static const nitro_variant *host_variant(const char *name)
{
    size_t v = 0;
    while (strcmp(nitro_solver_kit.variants[v]->name, name) != 0)
        v++;
    return nitro_solver_kit.variants[v];
}

static nitro_solver_cuda *make(const cuda_cases *cases, size_t family, double size)
{
    nitro_random random;
    char label[NITRO_KIT_LABEL];
    void *data = NULL;
    nitro_solver *host = NULL;
    nitro_solver_cuda *made = calloc(1, sizeof(*made));
    nitro_random_seed(&random, family);
    assert_ok(cases->context,
              nitro_system_make(cases->context, family, &random, size, label, &data));
    assert_ok(cases->context, nitro_solver_kit.adopt(cases->context, data, (void **)&host));
    made->host = *host;
    made->host.max_iterations = LIMIT;
    made->cuda.stream = cases->stream;
    free(host);
    return made;
}

static void get_x(nitro_solver_cuda *s)
{
    assert_int_equal(
        nitro_cuda_download(&s->cuda, s->x, s->host.num_rows, sizeof(double), s->host.x), 0);
}

static int run_here(nitro_solver_cuda *s, const nitro_variant *variant)
{
    for (int64_t i = 0; i < s->host.num_rows; i++)
        s->host.x[i] = UNTOUCHED;
    assert_int_equal(variant->prepare(s, variant->user), 0);
    assert_int_equal(cudaMemcpy(s->x, s->host.x, (size_t)s->host.num_rows * sizeof(double),
                                cudaMemcpyHostToDevice),
                     cudaSuccess);
    int failure = variant->run(s, variant->user);
    get_x(s);
    return failure;
}

static size_t num_solved;

/* On the device and on the host. */
static void compare(const cuda_cases *cases, nitro_solver_cuda *s, size_t v)
{
    const nitro_variant *here = cuda_cases_variant(cases, v), *there = host_variant(here->name);
    nitro_solver host = s->host;
    host.room = (nitro_room){0};
    assert_int_equal(there->prepare(&host, there->user), 0);
    int expected = there->run(&host, there->user);
    int found = run_here(s, here);
    if ((found == 0) != (expected == 0))
        fail_msg("%s: %d on the host, %d (%s)", here->name, expected, found, s->host.problem);
    num_solved += found == 0;
    long long iterations = s->host.iterations, allowed = host.iterations / 5 + 3;
    if (llabs(iterations - (long long)host.iterations) > allowed && found == 0)
        fail_msg("%s: %lld iterations on the host, %lld", here->name, (long long)host.iterations,
                 iterations);
    for (int64_t i = 0; i < s->host.num_rows; i++)
        assert_true((s->host.x[i] == UNTOUCHED) == (found != 0));
    if (found)
        assert_non_null(strstr(s->host.problem, " iterations, residual "));
    else
        assert_true(s->host.residual <= NITRO_SOLVER_TOLERANCE);
    nitro_host_free_room(&host.room);
}

static void each_solves_what_it_solves_on_hosts(void **state)
{
    (void)state;
    emulated_cases_start_device();
    cuda_cases *cases = cuda_cases_open(&nitro_module_solver_cuda, nitro_kit_allows_nothing);
    for (size_t family = 0; family < NITRO_SYSTEM_NUM_FAMILIES; family++)
        for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
            if (!cases->is_here[v])
                continue;
            nitro_solver_cuda *s = make(cases, family, SIZE);
            compare(cases, s, v);
            cases->module->unload(s);
        }
    assert_true(num_solved > 7 * NITRO_SYSTEM_NUM_FAMILIES); /* of ten a family */
    assert_int_equal(emulated_cases_close(cases), 0);
}

static void gmres_begins_again_after_a_cycle(void **state)
{
    (void)state;
    emulated_cases_start_device();
    cuda_cases *cases = cuda_cases_open(&nitro_module_solver_cuda, nitro_kit_allows_nothing);
    nitro_solver_cuda *s = make(cases, 0, 20 * SIZE);
    s->host.tolerance = 1e-11;
    size_t v = 0;
    while (strcmp(cuda_cases_variant(cases, v)->name, "gmres30_ilu0") != 0)
        v++;
    compare(cases, s, v);
    assert_true(s->host.iterations > NITRO_GMRES_RESTART && s->host.residual <= 1e-11);
    cases->module->unload(s);
    assert_int_equal(emulated_cases_close(cases), 0);
}

/* Of the rows with such a pivot the first is told, as on hosts. */
static void pivots_that_cannot_be_used(void **state)
{
    static const struct {
        double diagonal;
        const char *name;
        int outcome;
    } cases_of[] = {{0, "bicgstab_ilu0", NITRO_RUN_BREAKDOWN},
                    {0, "gmres30_ilu0", NITRO_RUN_BREAKDOWN},
                    {-1, "cg_ic0", NITRO_RUN_BREAKDOWN},
                    {(double)NAN, "bicgstab_ilu0", NITRO_RUN_NOT_FINITE}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases_of) / sizeof(cases_of[0]); i++) {
        emulated_cases_start_device();
        cuda_cases *cases = cuda_cases_open(&nitro_module_solver_cuda, nitro_kit_allows_nothing);
        nitro_solver_cuda *s = make(cases, 0, SIZE);
        const nitro_variant *there = host_variant(cases_of[i].name);
        for (int64_t row = 0; row < s->host.num_rows; row += 7) {
            int64_t first = s->host.row_offsets[row], end = s->host.row_offsets[row + 1];
            for (int64_t k = first; k < end && row > 0; k++)
                ((double *)s->host.values)[k] =
                    s->host.columns[k] == row ? cases_of[i].diagonal : 0;
        }
        nitro_solver host = s->host;
        assert_int_equal(there->prepare(&host, there->user), 0);
        assert_int_equal(there->run(&host, there->user), cases_of[i].outcome);
        assert_int_equal(run_here(s, cuda_cases_find(cases, cases_of[i].name)),
                         cases_of[i].outcome);
        assert_non_null(strstr(host.problem, "the pivot of row 7 is "));
        assert_string_equal(s->host.problem, host.problem);
        nitro_host_free_room(&host.room);
        cases->module->unload(s);
        assert_int_equal(emulated_cases_close(cases), 0);
    }
}

static void the_order_of_threads_changes_no_bit(void **state)
{
    static const char *const names[] = {"bicgstab_bjacobi", "cg_ic0", "gmres30_ilu0", "minres"};
    double first[SIZE];
    (void)state;
    for (size_t v = 0; v < sizeof(names) / sizeof(names[0]); v++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            cuda_emulation_settings settings = cuda_emulation_defaults();
            settings.seed = seed;
            cuda_emulation_reset(&settings);
            cuda_cases *cases =
                cuda_cases_open(&nitro_module_solver_cuda, nitro_kit_allows_nothing);
            nitro_solver_cuda *s = make(cases, 1, 1500);
            assert_true(s->host.num_rows <= SIZE);
            assert_int_equal(run_here(s, cuda_cases_find(cases, names[v])), 0);
            size_t bytes = (size_t)s->host.num_rows * sizeof(double);
            if (seed == 0)
                memcpy(first, s->host.x, bytes);
            assert_memory_equal(first, s->host.x, bytes);
            cases->module->unload(s);
            assert_int_equal(emulated_cases_close(cases), 0);
        }
}

static void right_sides_of_zeros_and_nan(void **state)
{
    (void)state;
    emulated_cases_start_device();
    cuda_cases *cases = cuda_cases_open(&nitro_module_solver_cuda, nitro_kit_allows_nothing);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        if (!cases->is_here[v])
            continue;
        nitro_solver_cuda *s = make(cases, 0, 100);
        memset((double *)s->host.b, 0, (size_t)s->host.num_rows * sizeof(double));
        assert_int_equal(run_here(s, cuda_cases_variant(cases, v)), 0);
        assert_true(s->host.x[0] == 0 && s->host.iterations == 0);
        cases->module->unload(s);
        s = make(cases, 0, 100);
        ((double *)s->host.b)[3] = (double)NAN;
        assert_int_equal(run_here(s, cuda_cases_variant(cases, v)), NITRO_RUN_NOT_FINITE);
        cases->module->unload(s);
    }
    assert_int_equal(emulated_cases_close(cases), 0);
}

/* Squares of such b vanish or overflow. Solutions of the least are not exact enough. */
static void right_sides_of_any_scale(void **state)
{
    static const double scales[] = {1e-170, 1e170, 1e-318};
    (void)state;
    emulated_cases_start_device();
    cuda_cases *cases = cuda_cases_open(&nitro_module_solver_cuda, nitro_kit_allows_nothing);
    for (size_t i = 0; i < 3; i++)
        for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
            char why[256] = "";
            if (!cases->is_here[v])
                continue;
            nitro_solver_cuda *s = make(cases, 0, 100);
            for (int64_t k = 0; k < s->host.num_rows; k++)
                ((double *)s->host.b)[k] *= scales[i];
            int failure = run_here(s, cuda_cases_variant(cases, v));
            if (failure ? i < 2 : nitro_solver_kit.check(&s->host, why, sizeof(why)) != 0)
                fail_msg("%g: %s%s", scales[i], s->host.problem, why);
            cases->module->unload(s);
        }
    assert_int_equal(emulated_cases_close(cases), 0);
}

/* A room that was made for a variant with less. */
static void a_variant_that_was_not_prepared_is_refused(void **state)
{
    (void)state;
    emulated_cases_start_device();
    cuda_cases *cases = cuda_cases_open(&nitro_module_solver_cuda, nitro_kit_allows_nothing);
    const nitro_variant *small = cuda_cases_find(cases, "cg_jacobi");
    const nitro_variant *large = cuda_cases_find(cases, "bicgstab_bjacobi");
    nitro_solver_cuda *s = make(cases, 0, 100);
    assert_int_equal(run_here(s, small), 0);
    assert_int_equal(large->run(s, large->user), 1);
    assert_string_equal(s->cuda.problem, "the solver was not prepared");
    assert_int_equal(run_here(s, large), 0);
    cases->module->unload(s);
    assert_int_equal(emulated_cases_close(cases), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_solves_what_it_solves_on_hosts),
        cmocka_unit_test(gmres_begins_again_after_a_cycle),
        cmocka_unit_test(pivots_that_cannot_be_used),
        cmocka_unit_test(the_order_of_threads_changes_no_bit),
        cmocka_unit_test(right_sides_of_zeros_and_nan),
        cmocka_unit_test(right_sides_of_any_scale),
        cmocka_unit_test(a_variant_that_was_not_prepared_is_refused),
    };
    return cmocka_run_group_tests_name("solver_cuda", tests, NULL, NULL);
}
