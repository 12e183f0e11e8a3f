/* Sources of a target by hand: similarity, weights, checks and the choice among rules, from losses
 * and scores that were made up rather than learnt. */
#include "nitro/learn/data/device_similarity.h"
#include "nitro/learn/data/source_checks.h"
#include "nitro/learn/source_choice.h"
#include "unit/synthetic.h"

static void describe(nitro_context *context, nitro_device *device, const char *software,
                     double launch)
{
    assert_ok(context,
              nitro_device_set(context, device, "launch", launch, NITRO_VALUE_RECORDED, 0));
    assert_ok(context, nitro_device_set_label(context, device, "vendor", "Maker"));
    assert_ok(context, nitro_device_set_label(context, device, "software", software));
}

static void test_similarity(void **state)
{
    nitro_context *context = unit_context();
    (void)state;
    nitro_device *a = synthetic_device(context, "a", 1.0);
    nitro_device *b = synthetic_device(context, "b", 1.0);
    nitro_string_list hardware = {0};
    assert_ok(context, nitro_string_list_add(context, &hardware, "launch"));
    describe(context, a, "lib v2018-09", 1.0);
    describe(context, b, "lib v2019-06", 1.0);
    assert_true(nitro_device_same_branch(a, b));
    assert_false(nitro_device_same_stack(a, b));
    assert_true(nitro_device_is_twin(a, b)); /* one card under two stacks */
    assert_true(fabs(nitro_device_version_gap(a, b) - 0.75) < 1e-12);
    assert_true(fabs(nitro_device_dissimilarity(a, b, &hardware) - 0.625) < 1e-12);
    describe(context, b, "lib v2018-09", 1.0);
    assert_false(nitro_device_is_twin(a, b)); /* two cards of one kind */
    assert_true(nitro_device_is_copy(a, b));
    assert_true(nitro_device_dissimilarity(a, b, &hardware) == 0.0);
    describe(context, b, "other 12.4", 2.0);
    assert_false(nitro_device_same_branch(a, b));
    assert_true(nitro_device_version_gap(a, b) == 0.0); /* a date and a number */
    assert_false(nitro_device_is_twin(a, b));
    describe(context, a, "other 11.8", 2.0);
    assert_true(fabs(nitro_device_version_gap(a, b) - 0.6) < 1e-12);
    describe(context, a, "other 9.8", 2.0);
    assert_true(fabs(nitro_device_version_gap(a, b) - 2.6) < 1e-12);
    describe(context, a, "lib 1990-07", 2.0); /* dates begin with 1990 */
    describe(context, b, "lib 1991-01", 2.0);
    assert_true(fabs(nitro_device_version_gap(a, b) - 0.5) < 1e-12);
    assert_true(fabs(nitro_device_version_gap(b, a) - 0.5) < 1e-12);
    nitro_string_list_free(&hardware);
    nitro_device_free(a);
    nitro_device_free(b);
    nitro_context_free(context);
}

/** One maker's CPUs and GPUs are as two vendors' devices; what does not say which it is is as
 *  either. */
static void test_cpus_and_gpus_of_one_vendor(void **state)
{
    enum { GPU, SMALL_GPU, CPU, UNKNOWN, NUM_KINDS };
    static const double cores[NUM_KINDS] = {1000.0, 10.0, 10.0, 0.0};
    static const double shared_kb[NUM_KINDS] = {0.0, 48.0, 0.0, 0.0};
    nitro_context *context = unit_context();
    nitro_device *devices[NUM_KINDS];
    (void)state;
    for (size_t k = 0; k < NUM_KINDS; k++) {
        devices[k] = synthetic_device(context, "a", 1.0);
        describe(context, devices[k], "lib 1", 1.0);
        if (k != UNKNOWN) {
            assert_ok(context, nitro_device_set(context, devices[k], "cuda_cores", cores[k],
                                                NITRO_VALUE_RECORDED, 0));
            assert_ok(context, nitro_device_set(context, devices[k], "sm_count", 10.0,
                                                NITRO_VALUE_RECORDED, 0));
        }
        if (shared_kb[k] > 0.0)
            assert_ok(context, nitro_device_set(context, devices[k], "shared_mem_per_block",
                                                shared_kb[k], NITRO_VALUE_RECORDED, 0));
    }
    for (size_t i = 0; i < NUM_KINDS; i++)
        for (size_t j = 0; j < NUM_KINDS; j++) {
            bool differ = (i <= SMALL_GPU && j == CPU) || (i == CPU && j <= SMALL_GPU);
            assert_int_equal(nitro_device_same_vendor(devices[i], devices[j]), !differ);
        }
    for (size_t k = 0; k < NUM_KINDS; k++)
        nitro_device_free(devices[k]);
    nitro_context_free(context);
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

/** Weights by hand: a kernel of length 2.5 % over the losses to be expected. */
static void test_weights_by_hand(void **state)
{
    nitro_context *context = unit_context();
    enum { N = 3 };
    static const char *const ids[N] = {"a", "b", "c"}, *const stacks[N] = {"lib 2", "lib 2",
                                                                           "lib 1"};
    static const double launches[N] = {1.0, 2.0, 1.0};
    nitro_device *devices[N], *target = synthetic_device(context, "target", 1.0);
    nitro_string_list hardware = {0};
    bool usable[N] = {true, true, true};
    (void)state;
    double weights[N], losses[N * N] = {1.0, 1.2, 2.0, 1.5, 1.0, 4.0, 3.0, 2.0, 1.0};
    assert_ok(context, nitro_string_list_add(context, &hardware, "launch"));
    for (size_t d = 0; d < N; d++) {
        devices[d] = synthetic_device(context, ids[d], 1.0);
        describe(context, devices[d], stacks[d], launches[d]);
    }
    describe(context, target, "lib 2", 1.0);
    nitro_source_set set = {N, devices, usable, losses, &hardware, 0.0};
#define WEIGH(rule) assert_ok(context, nitro_source_weigh(context, &set, target, rule, weights))
#define EXPECT_LOSSES(of_a, of_b, of_c)                                                            \
    do {                                                                                           \
        double a = exp(-(of_a) / 2.5), b = exp(-(of_b) / 2.5), c = exp(-(of_c) / 2.5);             \
        assert_true(is_near(weights[0], a / (a + b + c)));                                         \
        assert_true(is_near(weights[1], b / (a + b + c)));                                         \
        assert_true(is_near(weights[2], c / (a + b + c)));                                         \
    } while (0)
    /* b: another's hardware. c: another stack, and what a and b each lose on it and it on them. */
    const double apart = 1.5 * log(2.0), between = 0.5 * (1.5 + (2.0 - apart));
    WEIGH(NITRO_SOURCES_BY_STACK);
    EXPECT_LOSSES(0.0, apart, 2.0 + between);
    losses[1 * N + 0] = 5.5; /* of b on a, the nearest: as much at least on the target */
    WEIGH(NITRO_SOURCES_BY_STACK);
    EXPECT_LOSSES(0.0, 4.5, 2.0 + between);
    assert_ok(context, nitro_device_set_label(context, devices[1], "architecture", "new"));
    losses[1 * N + 0] = 1.5;
    WEIGH(NITRO_SOURCES_BY_STACK);
    EXPECT_LOSSES(0.0, apart + 0.5, 2.0 + 0.5 * (1.5 + (2.0 - apart - 0.5)));
    losses[2 * N + 0] = 40.0; /* so little that it counts nothing */
    WEIGH(NITRO_SOURCES_BY_STACK);
    assert_true(weights[2] == 0.0 && is_near(weights[0] + weights[1], 1.0));
    WEIGH(NITRO_SOURCES_EQUAL);
    EXPECT_LOSSES(0.0, 0.0, 0.0);
    WEIGH(NITRO_SOURCES_NEAREST);
    assert_true(weights[0] == 1.0 && weights[1] == 0.0 && weights[2] == 0.0);
    usable[0] = false;
    WEIGH(NITRO_SOURCES_NEAREST);
    assert_true(weights[1] == 1.0);
    WEIGH(NITRO_SOURCES_EQUAL);
    assert_true(weights[0] == 0.0 && weights[1] == 0.5 && weights[2] == 0.5);
    nitro_string_list_free(&hardware);
    nitro_device_free(target);
    for (size_t d = 0; d < N; d++)
        nitro_device_free(devices[d]);
    nitro_context_free(context);
}

/** Of the stacks of one software, the nearest version counts, unless it is odd. */
static void test_odd_stacks(void **state)
{
    nitro_context *context = unit_context();
    enum { N = 3 };
    static const char *const ids[N] = {"a", "b", "c"};
    static const char *const stacks[N] = {"lib 2020-01", "lib 2020-07", "lib 2021-01"};
    nitro_device *devices[N], *target = synthetic_device(context, "target", 1.0);
    nitro_string_list hardware = {0};
    bool usable[N] = {true, true, true};
    double weights[N], losses[N * N] = {1.0, 6.0, 6.0, 6.0, 1.0, 1.0, 6.0, 1.0, 1.0};
    (void)state;
    assert_ok(context, nitro_string_list_add(context, &hardware, "launch"));
    for (size_t d = 0; d < N; d++) {
        devices[d] = synthetic_device(context, ids[d], 1.0);
        describe(context, devices[d], stacks[d], 1.0);
    }
    const nitro_source_set set = {N, devices, usable, losses, &hardware, 0.0};
    describe(context, target, "lib 2020-02", 1.0);
    /* a and the others lose 5 % on each other. a is four months nearer than b, 0.056, but 2.5 %
     * odder, 0.1. */
    WEIGH(NITRO_SOURCES_BY_STACK);
    EXPECT_LOSSES(INFINITY, 0.0, 2.0);
    describe(context, target, "lib 2020-01", 1.0); /* its own stack */
    WEIGH(NITRO_SOURCES_BY_STACK);
    EXPECT_LOSSES(0.0, INFINITY, INFINITY); /* 7 %: too small to count */
    describe(context, target, "lib 2020-02", 1.0);
    losses[0 * N + 1] = losses[0 * N + 2] = losses[1 * N + 0] = losses[2 * N + 0] = 3.0;
    WEIGH(NITRO_SOURCES_BY_STACK); /* not so odd */
    EXPECT_LOSSES(0.0, 4.0, 4.0);
    usable[2] = false; /* of two, neither is odder */
    losses[0 * N + 1] = losses[1 * N + 0] = 5.0;
    WEIGH(NITRO_SOURCES_BY_STACK);
    EXPECT_LOSSES(0.0, 6.0, INFINITY);
    nitro_string_list_free(&hardware);
    nitro_device_free(target);
    for (size_t d = 0; d < N; d++)
        nitro_device_free(devices[d]);
    nitro_context_free(context);
}

/** With one witness it is one word against another; and what is far may differ. */
static void test_disputes_need_witnesses(void **state)
{
    nitro_context *context = unit_context();
    enum { N = 4 };
    nitro_device *devices[N];
    nitro_string_list hardware = {0};
    bool usable[N] = {true, true, true, true}, disputed[N];
    double losses[N * N];
    static const char *const ids[N] = {"a", "b", "c", "d"};
    (void)state;
    assert_ok(context, nitro_string_list_add(context, &hardware, "launch"));
    for (size_t d = 0; d < N; d++) {
        devices[d] = synthetic_device(context, ids[d], 1.0);
        describe(context, devices[d], "lib", 1.0);
        for (size_t e = 0; e < N; e++)
            losses[d * N + e] = (d == 3) != (e == 3) ? 30.0 : 1.0; /* d against all */
    }
    const nitro_source_set set = {N, devices, usable, losses, &hardware, 0.0};
#define EXPECT(a, b, c, d)                                                                         \
    do {                                                                                           \
        nitro_source_find_disputed(&set, disputed);                                                \
        assert_int_equal(disputed[0] | disputed[1] << 1 | disputed[2] << 2 | disputed[3] << 3,     \
                         (a) | (b) << 1 | (c) << 2 | (d) << 3);                                    \
    } while (0)
    EXPECT(0, 0, 0, 1);
    usable[0] = false;
    EXPECT(0, 0, 0, 1);
    usable[1] = false; /* one witness */
    EXPECT(0, 0, 0, 0);
    usable[0] = usable[1] = true;
    describe(context, devices[3], "lib", 2.2); /* far */
    EXPECT(0, 0, 0, 0);
    describe(context, devices[3], "lib 2", 1.0); /* another stack */
    EXPECT(0, 0, 0, 0);
    describe(context, devices[3], "lib", 1.0);
    losses[3 * N] = losses[3] = 10.9; /* less than 10 more than its own: an ally */
    EXPECT(0, 0, 0, 0);
    losses[3 * N] = losses[3] = 11.1;
    EXPECT(0, 0, 0, 1);
    for (size_t e = 0; e < 3; e++) /* the witnesses disagree too */
        losses[e * N + (e + 1) % 3] = losses[(e + 1) % 3 * N + e] = 5.1;
    EXPECT(0, 0, 0, 0);
    nitro_string_list_free(&hardware);
    for (size_t d = 0; d < N; d++)
        nitro_device_free(devices[d]);
    nitro_context_free(context);
}

/** What another architecture costs: only losses that are clear and great count. */
static void test_architecture_loss(void **state)
{
    nitro_context *context = unit_context();
    enum { N = 4 };
    static const char *const ids[N] = {"a", "b", "c", "d"};
    nitro_device *devices[N], *target = synthetic_device(context, "target", 1.0);
    nitro_string_list hardware = {0};
    bool usable[N] = {true, true, true, true};
    double losses[N * N], weights[N], dissimilarity;
    nitro_source_set set = {N, devices, usable, losses, &hardware, 0.0};
    (void)state;
    assert_ok(context, nitro_string_list_add(context, &hardware, "launch"));
    for (size_t d = 0; d < N; d++)
        devices[d] = synthetic_device(context, ids[d], 1.0);
#define SET_LOSSES(of_one, of_two)                                                                 \
    for (size_t d = 0; d < N; d++) {                                                               \
        describe(context, devices[d], "lib", d < 2 ? 1.0 : 2.0);                                   \
        assert_ok(context, nitro_device_set_label(context, devices[d], "architecture",             \
                                                  d < 2 ? "old" : "new"));                         \
        for (size_t e = 0; e < N; e++)                                                             \
            losses[d * N + e] = d == e               ? 1.0                                         \
                                : (d < 2) == (e < 2) ? 1.0 + (of_one)                              \
                                                     : 1.0 + (of_two);                             \
    }
#define EXPECT_LOSS(value) assert_true(is_near(nitro_source_architecture_loss(&set), value))
    const double apart = 1.5 * log(2.0);
    SET_LOSSES(2.0, 30.0);
    EXPECT_LOSS(30.0 - apart - 2.0 - 0.5);
    SET_LOSSES(-2.0, 30.0); /* no less than nothing */
    EXPECT_LOSS(30.0 - apart - 0.5);
    SET_LOSSES(0.0, 10.4 + apart); /* too little */
    EXPECT_LOSS(0.0);
    SET_LOSSES(0.0, 10.6 + apart);
    EXPECT_LOSS(10.1);
    losses[2] = losses[2 * N] = 1.0; /* a and c agree: not clear */
    EXPECT_LOSS(0.0);
    SET_LOSSES(0.0, 30.0);
    usable[3] = false; /* two pairs */
    EXPECT_LOSS(0.0);
    usable[3] = true;
    describe(context, devices[2], "lib 2", 2.0); /* two stacks: two pairs */
    EXPECT_LOSS(0.0);
    SET_LOSSES(0.0, 30.0); /* no pair of one architecture */
    assert_ok(context, nitro_device_set_label(context, devices[1], "architecture", "older"));
    assert_ok(context, nitro_device_set_label(context, devices[3], "architecture", "newer"));
    EXPECT_LOSS(0.0);
    SET_LOSSES(0.0, 30.0); /* a's and b's hardware is that of the target */
    describe(context, target, "lib", 1.0);
    assert_ok(context, nitro_device_set_label(context, target, "architecture", "new"));
    assert_int_equal(nitro_source_nearest(&set, target, &dissimilarity), 0);
    assert_true(dissimilarity == 0.0);
    set.architecture_loss = nitro_source_architecture_loss(&set);
    assert_int_equal(nitro_source_nearest(&set, target, &dissimilarity), 2);
    assert_true(is_near(dissimilarity, 0.2 * log(2.0)));
    assert_true(
        is_near(nitro_source_dissimilarity(&set, devices[0], target), 0.04 * (30.0 - apart - 0.5)));
    assert_ok(context, nitro_source_weigh(context, &set, target, NITRO_SOURCES_BY_STACK, weights));
    assert_true(weights[0] == 0.0 && weights[1] == 0.0);
    assert_true(is_near(weights[2], 0.5) && is_near(weights[3], 0.5));
    nitro_string_list_free(&hardware);
    nitro_device_free(target);
    for (size_t d = 0; d < N; d++)
        nitro_device_free(devices[d]);
    nitro_context_free(context);
}

/* Many devices alike count together as one, each however little. */
static void test_many_alike(void **state)
{
    (void)state;
    enum { N = 21 };
    nitro_context *context = unit_context();
    nitro_device *devices[N], *target = synthetic_device(context, "target", 1.0);
    nitro_string_list hardware = {0};
    bool usable[N];
    double weights[N], losses[N * N];
    assert_ok(context, nitro_string_list_add(context, &hardware, "launch"));
    for (size_t d = 0; d < N; d++) {
        char id[8];
        snprintf(id, sizeof id, "d%zu", d);
        devices[d] = synthetic_device(context, id, 1.0);
        describe(context, devices[d], d < N - 1 ? "lib 1" : "other 1", 1.0);
        usable[d] = true;
    }
    for (size_t i = 0; i < N * N; i++)
        losses[i] = (i / N == N - 1) == (i % N == N - 1) ? 1.0 : 90.0; /* "other" disagrees */
    describe(context, target, "third 1", 1.0);
    const nitro_source_set set = {N, devices, usable, losses, &hardware, 0.0};
    WEIGH(NITRO_SOURCES_BY_STACK); /* half for each library, as if it had one device */
    for (size_t d = 0; d < N - 1; d++)
        assert_true(is_near(weights[d], 0.5 / (N - 1)));
    assert_true(is_near(weights[N - 1], 0.5));
    WEIGH(NITRO_SOURCES_EQUAL);
    for (size_t d = 0; d < N; d++)
        assert_true(is_near(weights[d], 1.0 / N));
    nitro_string_list_free(&hardware);
    nitro_device_free(target);
    for (size_t d = 0; d < N; d++)
        nitro_device_free(devices[d]);
    nitro_context_free(context);
}

/* ---- Sources and targets whose models are made up ---------------------------------------------
 */

enum { NUM_INPUTS = 100, MAX_SOURCES = 5 };

/** A model of source s chooses wrongly on the first wrong[s][d] inputs of device d: quality 50. */
typedef struct fixture {
    nitro_context *context;
    nitro_string_list hardware;
    nitro_dataset *sources;
    nitro_device *target;
    nitro_cross_scores plain, with_relative;
    size_t wrong[MAX_SOURCES][MAX_SOURCES];
    nitro_source_choice choice;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->context = unit_context();
    assert_ok(f->context, nitro_string_list_add(f->context, &f->hardware, "launch"));
    *state = f;
    return 0;
}

static void clear(fixture *f)
{
    nitro_cross_scores_free(&f->plain);
    nitro_cross_scores_free(&f->with_relative);
    nitro_source_choice_free(&f->choice);
    nitro_dataset_free(f->sources);
    nitro_device_free(f->target);
    f->sources = NULL;
    f->target = NULL;
}

static int teardown(void **state)
{
    fixture *f = *state;
    clear(f);
    nitro_string_list_free(&f->hardware);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

/** The times of one input on one device. */
static double *times_of(fixture *f, size_t input, size_t device)
{
    return f->sources->times_ms + (input * f->sources->num_devices + device) * SYNTHETIC_VARIANTS;
}

static nitro_cross_scores make_cross(const fixture *f)
{
    size_t n = f->sources->num_devices, num_rows = f->sources->num_rows;
    nitro_cross_scores cross = {
        .num_devices = n, .num_rows = num_rows, .num_variants = SYNTHETIC_VARIANTS};
    cross.scores = calloc(n * num_rows * SYNTHETIC_VARIANTS, sizeof(double));
    cross.known = calloc(n, sizeof *cross.known);
    cross.allowed = calloc(num_rows, sizeof *cross.allowed);
    cross.losses = calloc(n * n, sizeof(double));
    assert_true(cross.scores && cross.known && cross.allowed && cross.losses);
    for (size_t row = 0; row < num_rows; row++)
        cross.allowed[row] = 7;
    for (size_t s = 0; s < n; s++) {
        cross.known[s] = 7;
        for (size_t row = 0; row < num_rows; row++) {
            size_t input = f->sources->row_input[row];
            double *scores = cross.scores + (s * num_rows + row) * SYNTHETIC_VARIANTS;
            bool is_wrong = input < f->wrong[s][f->sources->row_device[row]];
            scores[(input + is_wrong) % 2] = 1.0;
            scores[2] = -9.0;
        }
    }
    return cross;
}

/** Sources and a target at these places, on a logarithmic scale of hardware. The faster of two
 *  variants alternates, so that either one for all inputs loses 25 %. */
static void make_sized(fixture *f, const double *places, size_t count, double target,
                       size_t num_inputs)
{
    static const char *const ids[MAX_SOURCES] = {"a", "b", "c", "d", "e"};
    nitro_device *devices[MAX_SOURCES];
    clear(f);
    for (size_t d = 0; d < count; d++)
        devices[d] = synthetic_device(f->context, ids[d], 1.0);
    f->sources = synthetic_dataset(f->context, devices, count, num_inputs);
    for (size_t d = 0; d < count; d++)
        describe(f->context, devices[d], "lib 1", exp(places[d]));
    f->target = synthetic_device(f->context, "target", 1.0);
    describe(f->context, f->target, "lib 1", exp(target));
    for (size_t i = 0; i < num_inputs; i++)
        for (size_t d = 0; d < count; d++) {
            double *times = times_of(f, i, d);
            times[i % 2] = 1.0;
            times[1 - i % 2] = 2.0;
            times[2] = 4.0;
        }
    f->plain = make_cross(f);
    f->with_relative = make_cross(f);
}

/** Mark inputs `first` to `end` - 1 as not measured on a device. */
static void forget(fixture *f, size_t device, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        times_of(f, i, device)[0] = times_of(f, i, device)[1] = NAN;
}

static void make(fixture *f, const double *places, size_t count, double target)
{
    make_sized(f, places, count, target, NUM_INPUTS);
}

static nitro_status choose(fixture *f, bool has_relative)
{
    const nitro_fit_task task = {.sources = f->sources, .target = f->target};
    const nitro_cross_scores *cross[2] = {&f->plain, has_relative ? &f->with_relative : &f->plain};
    nitro_source_choice_free(&f->choice);
    return nitro_source_choose(f->context, &task, cross, &f->hardware, &f->choice);
}

#define CHOOSE(has_relative) assert_ok(f->context, choose(f, has_relative))
#define EXPECT_CHOICE(of_rule, relative)                                                           \
    do {                                                                                           \
        assert_int_equal(f->choice.rule, of_rule);                                                 \
        assert_int_equal(f->choice.uses_relative, relative);                                       \
    } while (0)

static const double places[MAX_SOURCES] = {0.0, 0.1, 0.25, 1.7, 2.0};

/** Only the nearest source chooses well: others outvote it by any other rule. */
static void make_nearest_best(fixture *f, double target)
{
    static const size_t nearest[] = {1, 0, 1, 2};
    for (size_t s = 0; s < 4; s++)
        for (size_t d = 0; d < 4; d++)
            f->wrong[s][d] = s == nearest[d] ? 0 : 20;
    f->wrong[0][1] = 4;
    make(f, places, 4, target);
}

static void test_default_unless_another_is_clearly_better(void **state)
{
    fixture *f = *state;
    make(f, places, 4, 0.1);
    CHOOSE(true);
    EXPECT_CHOICE(NITRO_SOURCES_BY_STACK, true);
    CHOOSE(false);
    EXPECT_CHOICE(NITRO_SOURCES_BY_STACK, false);
    for (size_t s = 0; s < 4; s++)
        for (size_t d = 0; d < 4; d++)
            f->wrong[s][d] = 1;
    nitro_cross_scores_free(&f->with_relative);
    f->with_relative = make_cross(f); /* half a percent worse: not clearly */
    CHOOSE(true);
    EXPECT_CHOICE(NITRO_SOURCES_BY_STACK, true);
    for (size_t s = 0; s < 4; s++)
        for (size_t d = 0; d < 4; d++)
            f->wrong[s][d] = 2;
    nitro_cross_scores_free(&f->with_relative);
    f->with_relative = make_cross(f);
    CHOOSE(true);
    EXPECT_CHOICE(NITRO_SOURCES_BY_STACK, false);
    make_nearest_best(f, 0.1);
    CHOOSE(true);
    EXPECT_CHOICE(NITRO_SOURCES_NEAREST, true);
    assert_true(f->choice.weights[1] == 1.0);
    CHOOSE(false);
    EXPECT_CHOICE(NITRO_SOURCES_NEAREST, false);
}

static void test_clear_gains(void **state)
{
    const double below = 0.57, above = 0.58; /* deviation over sqrt(3) times 3 around a mean of 1 */
    (void)state;
    assert_false(nitro_source_gain_is_clear(2.0, 2.0, 2.0));
    assert_true(nitro_source_gain_is_clear(3.0, 3.0, 3.0));
    assert_false(nitro_source_gain_is_clear(3.0, 3 * 0.59, 3 * 0.59 * 0.59));
    assert_true(nitro_source_gain_is_clear(3.0, 3 * 0.61, 3 * 0.61 * 0.61));
    assert_true(nitro_source_gain_is_clear(4.0, 4.0, 4.0 + 4.0 * below * below));
    assert_false(nitro_source_gain_is_clear(4.0, 4.0, 4.0 + 4.0 * above * above));
}

/** Qualities, rows and weights of validation, as devices are like the target in its situation. */
static void test_validation_by_hand(void **state)
{
    static const double nearest[] = {0.1, 0.1, 0.15, 1.45}, qualities[] = {100, 98, 100, 100};
    fixture *f = *state;
    make_nearest_best(f, -0.1);
    for (size_t s = 0; s < 4; s++) /* device c's last ten inputs have no scores */
        for (size_t i = 90; i < NUM_INPUTS; i++)
            f->plain.scores[(s * f->plain.num_rows + i * 4 + 2) * SYNTHETIC_VARIANTS] = NAN;
    CHOOSE(false);
    EXPECT_CHOICE(NITRO_SOURCES_NEAREST, false);
    assert_false(f->choice.is_far);
    assert_true(f->choice.weights[0] == 1.0);
    assert_true(is_near(f->choice.dissimilarity, 0.2 * 0.1));
    for (size_t d = 0; d < 4; d++) {
        double away = 0.2 * (nearest[d] - 0.1) / 0.3;
        assert_true(is_near(f->choice.nearest[d], 0.2 * nearest[d]));
        assert_true(is_near(f->choice.lodo.qualities[d], qualities[d]));
        assert_int_equal(f->choice.lodo.num_rows[d], d == 2 ? 90 : 100);
        assert_true(is_near(f->choice.lodo.weights[d], exp(-0.5 * away * away) + 0.01));
    }
    const double *scores = f->choice.lodo.scores;
    assert_true(isnan(scores[(95 * 4 + 2) * SYNTHETIC_VARIANTS]));
    for (size_t i = 0; i < NUM_INPUTS; i++) /* of device b by the model of a */
        assert_true(scores[(i * 4 + 1) * SYNTHETIC_VARIANTS + i % 2] == (i < 4 ? 0.0 : 1.0));
}

/** More than twice as far as sources are from each other: no relative features, and the worst
 *  device counts as much as all. */
static void test_far_targets(void **state)
{
    fixture *f = *state;
    make_nearest_best(f, -2.89);
    CHOOSE(true);
    assert_false(f->choice.is_far);
    EXPECT_CHOICE(NITRO_SOURCES_NEAREST, true);
    make_nearest_best(f, -2.91);
    CHOOSE(true);
    assert_true(f->choice.is_far);
    EXPECT_CHOICE(NITRO_SOURCES_NEAREST, false);
    for (size_t d = 0; d < 4; d++)
        assert_true(f->choice.lodo.weights[d] == (d == 1 ? 4.0 : 1.0));
}

static void set_label(fixture *f, size_t device, const char *name, const char *value)
{
    assert_ok(f->context,
              nitro_device_set_label(f->context, f->sources->devices[device], name, value));
}

/** Two stacks of one card do not tell how far devices are from each other. */
static void test_far_targets_of_twins(void **state)
{
    fixture *f = *state;
    make_nearest_best(f, -2.91); /* far while d is at 1.45 from c, not at 1.6 from b */
    set_label(f, 3, "software", "lib 2");
    set_label(f, 3, "same_as", "c");
    CHOOSE(true);
    assert_false(f->choice.is_far);
    make(f, places, 2, 0.2); /* one card alone */
    set_label(f, 1, "software", "lib 2");
    set_label(f, 1, "same_as", "a");
    CHOOSE(true);
    assert_true(f->choice.is_far);
}

/** In validation, a source has no closer relative than the target has. */
static void test_validation_hides_relatives(void **state)
{
    fixture *f = *state;
    make(f, places, 4, 0.1);
    assert_ok(f->context, nitro_device_set_label(f->context, f->target, "software", "lib 2"));
    CHOOSE(false); /* all have one stack, the target another: nothing to validate with */
    for (size_t d = 0; d < 4; d++)
        assert_true(isnan(f->choice.nearest[d]) && isnan(f->choice.lodo.qualities[d]));
    assert_true(f->choice.weights[1] > 0.0);
    set_label(f, 2, "software", "lib 2");
    set_label(f, 3, "software", "lib 2");
    CHOOSE(false); /* the target's stack is there: own stacks too */
    assert_true(is_near(f->choice.nearest[0], 0.2 * 0.1));
    assert_ok(f->context, nitro_device_set_label(f->context, f->target, "software", "lib 3"));
    CHOOSE(false);
    assert_true(is_near(f->choice.nearest[0], 0.5 + 0.5 / 3.0 + 0.2 * 0.25));
    make(f, places, 4, 0.1);
    set_label(f, 2, "vendor", "Other");
    set_label(f, 3, "vendor", "Other");
    CHOOSE(false);
    assert_true(is_near(f->choice.nearest[0], 0.2 * 0.1));
    assert_ok(f->context, nitro_device_set_label(f->context, f->target, "vendor", "Third"));
    CHOOSE(false);
    assert_true(is_near(f->choice.nearest[0], 0.5 + 0.2 * 0.25));
    static const double copies[] = {0.0, 0.0, 0.25, 1.7};
    make(f, copies, 4, 0.1);
    for (size_t d = 0; d < 4; d++)
        assert_ok(f->context, nitro_device_set(f->context, f->sources->devices[d], "year",
                                               2000 + 10 * copies[d], NITRO_VALUE_RECORDED, 0));
    CHOOSE(false);
    assert_true(is_near(f->choice.nearest[0], 0.2 * 0.25));
    assert_ok(f->context, nitro_device_set_label(f->context, f->target, "same_as", "c"));
    CHOOSE(false);
    assert_true(f->choice.nearest[0] == 0.0);
}

/** Four sources of two architectures, whose models are wrong on the other one's inputs, and e of a
 *  third one. */
static void make_architectures(fixture *f, const char *of_target)
{
    static const char *const architectures[] = {"old", "old", "new", "new", "odd"};
    for (size_t s = 0; s < 5; s++)
        for (size_t d = 0; d < 5; d++)
            f->wrong[s][d] = strcmp(architectures[s], architectures[d]) == 0 ? 0 : 60;
    make(f, places, 5, 0.1);
    for (size_t d = 0; d < 5; d++) {
        set_label(f, d, "architecture", architectures[d]);
        for (size_t s = 0; s < 5; s++)
            f->plain.losses[s * 5 + d] = 0.5 * (double)f->wrong[s][d];
    }
    assert_ok(f->context, nitro_device_set_label(f->context, f->target, "architecture", of_target));
}

/** Where another architecture costs much, a target learns from its own, and is validated by
 *  devices that have one; else by devices that may not use their own. */
static void test_architectures(void **state)
{
    fixture *f = *state;
    make_architectures(f, "new"); /* though its hardware is that of b */
    CHOOSE(false);
    EXPECT_CHOICE(NITRO_SOURCES_BY_STACK, false);
    assert_true(f->choice.by_architecture);
    assert_true(f->choice.architecture_loss > 25.0 && f->choice.architecture_loss < 30.0);
    assert_true(is_near(f->choice.weights[2] + f->choice.weights[3], 1.0));
    for (size_t d = 0; d < 5; d++) {
        assert_int_equal(f->choice.is_comparable[d], d < 4);
        assert_true(is_near(f->choice.lodo.qualities[d], d < 4 ? 100.0 : 70.0));
    }
    assert_true(is_near(f->choice.nearest[0], 0.2 * 0.1));
    make_architectures(f, "other");
    CHOOSE(false);
    assert_false(f->choice.by_architecture);
    for (size_t d = 0; d < 5; d++) {
        assert_true(f->choice.is_comparable[d]);
        assert_true(is_near(f->choice.lodo.qualities[d], 70.0));
    }
    assert_true(is_near(f->choice.nearest[0], 0.2 * 0.25 + 0.04 * f->choice.architecture_loss));
}

/** Sources that cannot be judged, or that speak for no other, get no weight. */
static void test_unusable_sources(void **state)
{
    fixture *f = *state;
    make_sized(f, places, 4, 0.25, 150);
    for (size_t d = 0; d < 4; d++) /* models without relative features judge */
        f->with_relative.losses[d * 4 + d] = NAN;
    CHOOSE(true);
    f->plain.losses[2 * 4 + 2] = NAN;
    CHOOSE(false);
    assert_true(f->choice.weights[2] == 0.0 && f->choice.weights[1] > 0.0);
    assert_false(f->choice.set_aside[2]);
    f->plain.losses[2 * 4 + 2] = 0.0;
    f->plain.losses[0] = f->plain.losses[1 * 4 + 1] = 24.0; /* hardly better than 25 */
    CHOOSE(false);
    assert_true(f->choice.set_aside[0] && f->choice.set_aside[1] && !f->choice.set_aside[2]);
    assert_true(f->choice.weights[0] == 0.0 && f->choice.weights[1] == 0.0);
    f->plain.losses[3 * 4 + 3] = 24.0;
    CHOOSE(false); /* one is left */
    assert_true(f->choice.weights[2] == 1.0);
    f->plain.losses[2 * 4 + 2] = 24.0;
    assert_fails(f->context, choose(f, false), NITRO_ERR_NO_DATA, "fewer than two sources");
    forget(f, 1, 149, 150); /* 149 usable samples: too few to judge b by its model */
    CHOOSE(false);
    assert_true(f->choice.weights[1] == 1.0);
    forget(f, 1, 19, 149); /* 19: too few to learn from */
    assert_fails(f->context, choose(f, false), NITRO_ERR_NO_DATA, "fewer than two sources");
    make(f, places, 4, 0.25);
    forget(f, 2, 19, NUM_INPUTS);
    CHOOSE(false);
    assert_true(f->choice.weights[2] == 0.0 && f->choice.weights[1] > 0.0);
    assert_false(f->choice.set_aside[2]);
    make(f, places, 1, 0.0);
    assert_fails(f->context, choose(f, false), NITRO_ERR_NO_DATA, "fewer than two sources");
    make(f, places, 4, 0.25);
    for (size_t d = 0; d < 3; d++) /* near ones contradict c */
        f->plain.losses[d * 4 + 2] = f->plain.losses[2 * 4 + d] = d == 2 ? 0.0 : 30.0;
    CHOOSE(false);
    assert_true(f->choice.is_disputed[2] && f->choice.set_aside[2]);
    assert_true(f->choice.weights[2] == 0.0);
}

/** Weights use the losses of the models that were chosen. */
static void test_losses_of_the_chosen_models(void **state)
{
    fixture *f = *state;
    make(f, places, 4, 0.1);
    for (size_t d = 0; d < 4; d++)
        if (d != 3)
            f->with_relative.losses[3 * 4 + d] = 40.0;
    CHOOSE(true);
    EXPECT_CHOICE(NITRO_SOURCES_BY_STACK, true);
    assert_true(f->choice.weights[3] == 0.0);
    CHOOSE(false);
    assert_true(f->choice.weights[3] > 0.0);
}

/* ---- Checks -----------------------------------------------------------------------------------
 */

static void test_fixed_losses(void **state)
{
    fixture *f = *state;
    make(f, places, 2, 0.0);
    for (size_t i = 0; i < NUM_INPUTS; i++) { /* 0.7 + 0.3 / 4 for the first of b */
        double *times = times_of(f, i, 1);
        times[0] = i < 70 ? 1.0 : 4.0;
        times[1] = i < 70 ? 4.0 : 1.0;
        times[2] = 8.0;
    }
    assert_true(is_near(nitro_source_fixed_loss(f->sources, 0), 25.0));
    assert_true(is_near(nitro_source_fixed_loss(f->sources, 1), 22.5));
    forget(f, 1, 20, NUM_INPUTS);
    assert_true(is_near(nitro_source_fixed_loss(f->sources, 1), 0.0));
    forget(f, 1, 19, 20);
    assert_true(isnan(nitro_source_fixed_loss(f->sources, 1)));
    assert_true(is_near(nitro_source_fixed_loss(f->sources, 0), 25.0));
}

/** Useless: at least 85 % of the loss of a fixed variant, where that is more than 10 %. */
static void test_useless_models(void **state)
{
    fixture *f = *state;
    bool useless[2];
    make_sized(f, places, 2, 0.0, 200);
    const double own[] = {0.86 * 25.0, 0.84 * 25.0}, slight[] = {10.5, 9.5};
    assert_ok(f->context, nitro_source_checks_run(f->context, f->sources, own, useless));
    assert_true(useless[0] && !useless[1]);
    for (size_t i = 0; i < 200; i++) /* 10.5 and 9.5 % */
        for (size_t d = 0; d < 2; d++)
            for (size_t v = 0; v < 2; v++)
                times_of(f, i, d)[v] = i < (d ? 38 : 42) ? 2.0 - (double)v
                                       : i < 160         ? 1.0 + (double)v
                                                         : 1.0;
    assert_ok(f->context, nitro_source_checks_run(f->context, f->sources, slight, useless));
    assert_true(useless[0] && !useless[1]);
}

/** Best times whose logarithms are sums of patterns, which are not correlated with each other. */
static void set_best_times(fixture *f, size_t device, double alternating, double pairs,
                           double halves)
{
    for (size_t i = 0; i < f->sources->num_inputs; i++) {
        double a = i % 2 ? 1.0 : -1.0, b = i / 2 % 2 ? 1.0 : -1.0;
        double best = exp((double)(30 * device) + alternating * a + pairs * b + halves * a * b);
        times_of(f, i, device)[i % 2] = best;
        times_of(f, i, device)[1 - i % 2] = 2.0 * best;
        times_of(f, i, device)[2] = 4.0 * best;
    }
}

static unsigned uncorrelated(const fixture *f)
{
    const double own[MAX_SOURCES] = {0};
    bool useless[MAX_SOURCES];
    unsigned marks = 0;
    assert_ok(f->context, nitro_source_checks_run(f->context, f->sources, own, useless));
    for (size_t d = 0; d < f->sources->num_devices; d++)
        marks |= (unsigned)useless[d] << d;
    return marks;
}

/** Correlated by less than 0.3 with the mean of the others, where the median is above 0.6. */
static void test_uncorrelated_sources(void **state)
{
    fixture *f = *state;
    make(f, places, 4, 0.0);
    for (size_t d = 0; d < 3; d++)
        set_best_times(f, d, 1.0, 0.0, 0.0);
    set_best_times(f, 3, 0.31, sqrt(1.0 - 0.31 * 0.31), 0.0);
    assert_int_equal(uncorrelated(f), 0);
    set_best_times(f, 3, 0.29, sqrt(1.0 - 0.29 * 0.29), 0.0);
    assert_int_equal(uncorrelated(f), 1 << 3);
    forget(f, 3, 32, NUM_INPUTS);
    assert_int_equal(uncorrelated(f), 1 << 3);
    forget(f, 3, 29, 32);
    assert_int_equal(uncorrelated(f), 0);
    make(f, places, 3, 0.0);
    set_best_times(f, 0, 1.0, 0.0, 0.0);
    set_best_times(f, 2, 0.0, 0.0, 1.0);
    set_best_times(f, 1, 0.84, sqrt(1.0 - 0.84 * 0.84), 0.0); /* 0.84 / sqrt(2) < 0.6 */
    assert_int_equal(uncorrelated(f), 0);
    set_best_times(f, 1, 0.86, sqrt(1.0 - 0.86 * 0.86), 0.0);
    assert_int_equal(uncorrelated(f), 1 << 2);
    make(f, places, 2, 0.0); /* two: nobody knows which is right */
    set_best_times(f, 0, 1.0, 0.0, 0.0);
    set_best_times(f, 1, 0.0, 1.0, 0.0);
    assert_int_equal(uncorrelated(f), 0);
}

/** Means over the inputs that a device has; an input of one device alone says nothing. */
static void test_correlations_of_missing_inputs(void **state)
{
    fixture *f = *state;
    static const double levels[] = {0.31, 0.29};
    for (size_t k = 0; k < 2; k++) {
        make_sized(f, places, 5, 0.0, 116);
        for (size_t d = 0; d < 4; d++)
            set_best_times(f, d, 1.0, 0.0, 0.0);
        set_best_times(f, 4, levels[k], sqrt(1.0 - levels[k] * levels[k]), 0.0);
        forget(f, 0, 0, 8);
        for (size_t d = 0; d < 5; d++) { /* eight of a alone, eight of e alone */
            if (d != 0)
                forget(f, d, 100, 108);
            if (d != 4)
                forget(f, d, 108, 116);
        }
        for (size_t i = 100; i < 116; i++)
            for (size_t v = 0; v < 2; v++)
                times_of(f, i, i < 108 ? 0 : 4)[v] *= exp(50.0);
        assert_int_equal(uncorrelated(f), k << 4);
    }
}

/** Most of them must agree, not only one with the mean of the others. */
static void test_one_that_agrees_is_not_enough(void **state)
{
    fixture *f = *state;
    make(f, places, 3, 0.0);
    set_best_times(f, 0, 1.0, 0.0, 0.0);
    set_best_times(f, 1, 0.5, 0.9, 0.0);
    set_best_times(f, 2, 0.5, -0.9, 0.0);
    assert_int_equal(uncorrelated(f), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_similarity),
        cmocka_unit_test(test_cpus_and_gpus_of_one_vendor),
        cmocka_unit_test(test_weights_by_hand),
        cmocka_unit_test(test_many_alike),
        cmocka_unit_test(test_odd_stacks),
        cmocka_unit_test(test_disputes_need_witnesses),
        cmocka_unit_test(test_architecture_loss),
        cmocka_unit_test(test_clear_gains),
        cmocka_unit_test_setup_teardown(test_default_unless_another_is_clearly_better, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_validation_by_hand, setup, teardown),
        cmocka_unit_test_setup_teardown(test_far_targets, setup, teardown),
        cmocka_unit_test_setup_teardown(test_far_targets_of_twins, setup, teardown),
        cmocka_unit_test_setup_teardown(test_validation_hides_relatives, setup, teardown),
        cmocka_unit_test_setup_teardown(test_architectures, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unusable_sources, setup, teardown),
        cmocka_unit_test_setup_teardown(test_losses_of_the_chosen_models, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fixed_losses, setup, teardown),
        cmocka_unit_test_setup_teardown(test_useless_models, setup, teardown),
        cmocka_unit_test_setup_teardown(test_uncorrelated_sources, setup, teardown),
        cmocka_unit_test_setup_teardown(test_correlations_of_missing_inputs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_that_agrees_is_not_enough, setup, teardown),
    };
    return cmocka_run_group_tests_name("source_choice", tests, NULL, NULL);
}
