/* SVMs against LIBSVM's own decisions, the search for C and gamma, and degenerate training sets. */
#include <libsvm/svm.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nitro/learn/data/dataset.h"
#include "nitro/learn/svm/svm.h"
#include "nitro/learn/svm/svm_search.h"
#include "unit/unit.h"

#define MAX_ROWS 400
#define WIDTH    3

/* Rows in a cube; the fastest of four variants depends on where. */
typedef struct fixture {
    nitro_context *context;
    size_t num_rows, num_variants;
    double columns[MAX_ROWS * WIDTH];
    double times_ms[MAX_ROWS * 4];
    size_t labels[MAX_ROWS];
    size_t row_input[MAX_ROWS];
    nitro_training_set set;
} fixture;

static void fill_row(fixture *f, nitro_random *random, size_t row)
{
    double *x = f->columns + row * WIDTH;
    for (size_t c = 0; c < WIDTH; c++)
        x[c] = 2.0 * nitro_random_uniform(random) - 1.0;
    double *times = f->times_ms + row * f->num_variants;
    times[0] = 2.0 + x[0] + x[1];
    times[1] = 2.0 - x[0] + x[2] * x[2];
    times[2] = 2.0 + sin(3.0 * x[2]);
    times[3] = 1.9 + x[0] * x[1];
    for (size_t v = 0; v < f->num_variants; v++)
        times[v] *= 1.0 + 0.2 * nitro_random_uniform(random);
    f->labels[row] = nitro_times_best(times, f->num_variants);
    f->row_input[row] = row / 2; /* two devices */
}

static fixture *make_fixture(size_t num_rows)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->context = unit_context();
    f->num_rows = num_rows;
    f->num_variants = 4;
    nitro_random random;
    nitro_random_seed(&random, 11);
    for (size_t row = 0; row < num_rows; row++)
        fill_row(f, &random, row);
    f->set = (nitro_training_set){.num_rows = num_rows,
                                  .num_columns = WIDTH,
                                  .num_variants = f->num_variants,
                                  .columns = f->columns,
                                  .times_ms = f->times_ms,
                                  .row_input = f->row_input,
                                  .seed = 5,
                                  .num_threads = 2};
    return f;
}

static void free_fixture(fixture *f)
{
    nitro_context_free(f->context);
    free(f);
}

static const nitro_strategy *svm_strategy(void)
{
    for (const nitro_strategy *const *s = nitro_builtin_strategies(); *s; s++)
        if (strcmp((*s)->name, "svm") == 0)
            return *s;
    fail_msg("no strategy svm");
    return NULL;
}

static void quiet(const char *text)
{
    (void)text;
}

static void to_nodes(const double *x, struct svm_node *nodes)
{
    for (int c = 0; c < WIDTH; c++)
        nodes[c] = (struct svm_node){c + 1, x[c]};
    nodes[WIDTH].index = -1;
}

/* LIBSVM's model of rows that come class by class, so that its class order is the declared one. */
static struct svm_model *train_libsvm(const fixture *f, struct svm_node *nodes, double c,
                                      double gamma)
{
    static struct svm_node *x[MAX_ROWS];
    static double y[MAX_ROWS];
    int count = 0;
    for (size_t label = 0; label < f->num_variants; label++)
        for (size_t row = 0; row < f->num_rows; row++)
            if (f->labels[row] == label) {
                to_nodes(f->columns + row * WIDTH, nodes + (size_t)count * (WIDTH + 1));
                x[count] = nodes + (size_t)count * (WIDTH + 1);
                y[count++] = (double)label;
            }
    svm_set_print_string_function(quiet);
    struct svm_problem problem = {count, y, x};
    struct svm_parameter parameters = {.svm_type = C_SVC,
                                       .kernel_type = RBF,
                                       .gamma = gamma,
                                       .cache_size = 16,
                                       .eps = 1e-3,
                                       .C = c,
                                       .shrinking = 1};
    return svm_train(&problem, &parameters);
}

typedef struct probe {
    const fixture *fixture;
    const nitro_svm_classifier *classifier;
    const double *x;
    double gamma;
} probe;

static double rbf(const void *user, size_t vector)
{
    const probe *p = user;
    const double *row = p->fixture->columns + p->classifier->vector_rows[vector] * WIDTH;
    double sum = 0.0;
    for (size_t c = 0; c < WIDTH; c++)
        sum += (p->x[c] - row[c]) * (p->x[c] - row[c]);
    return exp(-p->gamma * sum);
}

static nitro_svm_classifier *train_ours(const fixture *f, double c, double gamma)
{
    nitro_svm_classifier *classifier = NULL;
    size_t rows[MAX_ROWS];
    for (size_t i = 0; i < f->num_rows; i++)
        rows[i] = i;
    assert_ok(f->context,
              nitro_svm_classifier_train(f->context, f->columns, WIDTH, rows, f->num_rows,
                                         f->labels, c, gamma, &classifier));
    return classifier;
}

static void test_decisions_equal_libsvms(void **state)
{
    (void)state;
    unit_skip_if_libsvm_fuses();
    fixture *f = make_fixture(200);
    struct svm_node *nodes = calloc(MAX_ROWS * (WIDTH + 1), sizeof(*nodes));
    struct svm_model *model = train_libsvm(f, nodes, 10.0, 0.7);
    nitro_svm_classifier *classifier = train_ours(f, 10.0, 0.7);
    assert_int_equal(classifier->num_classes, 4);
    assert_int_equal(classifier->num_vectors, model->l);
    nitro_random random;
    nitro_random_seed(&random, 3);
    for (int i = 0; i < 2000; i++) {
        double x[WIDTH], ours[NITRO_SVM_MAX_PAIRS], theirs[6], scores[4];
        for (size_t c = 0; c < WIDTH; c++)
            x[c] = 4.0 * nitro_random_uniform(&random) - 2.0;
        struct svm_node point[WIDTH + 1];
        to_nodes(x, point);
        probe p = {f, classifier, x, 0.7};
        nitro_svm_classifier_decide(classifier, rbf, &p, ours);
        size_t label = (size_t)svm_predict_values(model, point, theirs);
        for (size_t d = 0; d < 6; d++)
            assert_true(ours[d] == theirs[d]);
        nitro_svm_classifier_score(classifier, ours, 4, scores);
        assert_int_equal(nitro_scores_best(scores, 4), label);
    }
    nitro_svm_classifier_free(classifier);
    svm_free_and_destroy_model(&model);
    free(nodes);
    free_fixture(f);
}

static void test_scores(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_svm_classifier *classifier = NULL;
    assert_ok(context, nitro_svm_classifier_create(context, 3, 0, &classifier));
    classifier->classes[0] = 1;
    classifier->classes[1] = 2;
    classifier->classes[2] = 4;
    double scores[5];
    /* A cycle: each class has one vote, the last the largest margins. The first one wins. */
    const double circle[] = {0.1, -0.9, 0.1};
    nitro_svm_classifier_score(classifier, circle, 5, scores);
    assert_int_equal(nitro_scores_best(scores, 5), 1);
    /* Never a label: last, in declared order. */
    assert_true(scores[0] > scores[3] && scores[0] < scores[1] && scores[0] < scores[2] &&
                scores[0] < scores[4]);
    /* Votes count before margins. */
    const double votes[] = {0.01, 0.01, 5.0};
    nitro_svm_classifier_score(classifier, votes, 5, scores);
    assert_int_equal(nitro_scores_best(scores, 5), 1);
    assert_true(scores[2] > scores[4]);
    nitro_svm_classifier_free(classifier);
    nitro_context_free(context);
}

static void test_search_does_not_depend_on_threads(void **state)
{
    (void)state;
    fixture *f = make_fixture(300);
    nitro_svm_choice one, three;
    double *scores_one = calloc(f->num_rows * 4, sizeof(double));
    double *scores_three = calloc(f->num_rows * 4, sizeof(double));
    f->set.num_threads = 1;
    assert_ok(f->context, nitro_svm_search(f->context, &f->set, f->labels, &one, scores_one));
    f->set.num_threads = 3;
    assert_ok(f->context, nitro_svm_search(f->context, &f->set, f->labels, &three, scores_three));
    assert_memory_equal(&one, &three, sizeof(one));
    assert_memory_equal(scores_one, scores_three, f->num_rows * 4 * sizeof(double));
    assert_true(one.quality > 0.9 && one.quality <= 1.0);
    free(scores_one);
    free(scores_three);
    free_fixture(f);
}

/* Both rows of an input are equal here, and labels are noise: only a twin in training predicts
 * them. */
static void test_twins_stay_in_one_fold(void **state)
{
    (void)state;
    fixture *f = make_fixture(300);
    nitro_random random;
    nitro_random_seed(&random, 9);
    for (size_t row = 0; row < f->num_rows; row += 2) {
        size_t best = nitro_random_below(&random, 2);
        for (size_t twin = row; twin < row + 2; twin++) {
            memcpy(f->columns + twin * WIDTH, f->columns + row * WIDTH, WIDTH * sizeof(double));
            f->labels[twin] = best;
            for (size_t v = 0; v < 4; v++)
                f->times_ms[twin * 4 + v] = v == best ? 1.0 : 10.0;
        }
    }
    nitro_svm_choice choice;
    assert_ok(f->context, nitro_svm_search(f->context, &f->set, f->labels, &choice, NULL));
    assert_true(choice.quality < 0.7); /* chance: (1 + 0.1) / 2; 1 if twins were apart */
    free_fixture(f);
}

static void test_one_input_is_not_searched(void **state)
{
    (void)state;
    fixture *f = make_fixture(20);
    for (size_t row = 0; row < f->num_rows; row++)
        f->row_input[row] = 7;
    nitro_svm_choice choice;
    double scores[80] = {0};
    assert_ok(f->context, nitro_svm_search(f->context, &f->set, f->labels, &choice, scores));
    assert_true(choice.c == 8.0 && choice.gamma == 1.0 / WIDTH && isnan(choice.quality));
    for (size_t i = 0; i < 80; i++)
        assert_true(isnan(scores[i]));
    free_fixture(f);
}

static void check_predictor(fixture *f, size_t expected)
{
    const nitro_strategy *svm = svm_strategy();
    void *predictor = NULL;
    double *held_out = calloc(f->set.num_rows * 4, sizeof(double));
    assert_ok(f->context, svm->train(f->context, &f->set, &predictor, held_out));
    const double probes[][WIDTH] = {{0, 0, 0}, {-1, 1, 0.5}, {1000, -1000, 1000}};
    for (size_t i = 0; i < 3; i++) {
        double scores[4] = {NAN, NAN, NAN, NAN};
        svm->score(predictor, probes[i], scores);
        for (size_t v = 0; v < 4; v++)
            assert_true(isfinite(scores[v]));
        if (expected != NITRO_NONE)
            assert_int_equal(nitro_scores_best(scores, 4), expected);
    }
    svm->free(predictor);
    free(held_out);
}

static void test_one_class(void **state)
{
    (void)state;
    fixture *f = make_fixture(50);
    for (size_t row = 0; row < 50; row++)
        f->times_ms[row * 4 + 2] = 0.001;
    check_predictor(f, 2);
    f->set.num_rows = 1;
    check_predictor(f, 2);
    free_fixture(f);
}

static void test_fewer_inputs_than_folds(void **state)
{
    (void)state;
    for (size_t num_rows = 1; num_rows <= 8; num_rows++) {
        fixture *f = make_fixture(num_rows);
        check_predictor(f, NITRO_NONE);
        free_fixture(f);
    }
}

static void test_constant_features(void **state)
{
    (void)state;
    fixture *f = make_fixture(60);
    memset(f->columns, 0, sizeof(f->columns));
    check_predictor(f, NITRO_NONE);
    f->set.num_columns = 0;
    check_predictor(f, NITRO_NONE);
    free_fixture(f);
}

static void test_ten_thousand_identical_rows(void **state)
{
    (void)state;
    size_t count = 10000;
    fixture *f = make_fixture(2);
    double *columns = calloc(count * WIDTH, sizeof(double));
    double *times = calloc(count * 4, sizeof(double));
    size_t *inputs = calloc(count, sizeof(size_t));
    for (size_t row = 0; row < count; row++) {
        inputs[row] = row;
        for (size_t v = 0; v < 4; v++)
            times[row * 4 + v] = v == (row % 3 == 0 ? 1u : 3u) ? 1.0 : 2.0;
    }
    f->set.num_rows = count;
    f->set.columns = columns;
    f->set.times_ms = times;
    f->set.row_input = inputs;
    check_predictor(f, NITRO_NONE);
    free(columns);
    free(times);
    free(inputs);
    free_fixture(f);
}

static void test_a_row_without_times_is_refused(void **state)
{
    (void)state;
    fixture *f = make_fixture(10);
    for (size_t v = 0; v < 4; v++)
        f->times_ms[3 * 4 + v] = NAN;
    void *predictor = NULL;
    assert_fails(f->context, svm_strategy()->train(f->context, &f->set, &predictor, NULL),
                 NITRO_ERR_ARGUMENT, "row 3 has no time");
    assert_null(predictor);
    free_fixture(f);
}

#define MANY_ROWS 4000

/* Memory is limited in a child, which trains on labels that are noise. */
static int train_in_little_memory(fixture *f, double extra_mb)
{
    static double columns[MANY_ROWS * WIDTH];
    static size_t rows[MANY_ROWS], labels[MANY_ROWS];
    nitro_random random;
    nitro_random_seed(&random, 3);
    for (size_t row = 0; row < MANY_ROWS; row++) {
        rows[row] = row;
        labels[row] = nitro_random_below(&random, 3);
        for (size_t c = 0; c < WIDTH; c++)
            columns[row * WIDTH + c] = nitro_random_uniform(&random);
    }
    pid_t child = fork();
    if (child == 0) {
        unsigned long pages = 0;
        signal(SIGSEGV, SIG_DFL);
        FILE *file = fopen("/proc/self/statm", "r");
        if (!file || fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
            _exit(99);
        fclose(file);
        const rlim_t limit = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (rlim_t)(extra_mb * 0x1p20);
        nitro_svm_classifier *made = NULL;
        if (setrlimit(RLIMIT_DATA, &(struct rlimit){limit, limit}) != 0)
            _exit(99);
        _exit((int)nitro_svm_classifier_train(f->context, columns, WIDTH, rows, MANY_ROWS, labels,
                                              1.0, 1.0, &made));
    }
    int code = 0;
    assert_int_equal(waitpid(child, &code, 0), child);
    return code;
}

static void test_little_memory_is_an_error(void **state)
{
    static const double extra_mb[] = {1, 3, 6, 12, 24, 256};
    const size_t count = sizeof(extra_mb) / sizeof(extra_mb[0]);
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* they take memory of their own */
#endif
    fixture *f = make_fixture(10);
    for (size_t i = 0; i < count; i++) {
        int code = train_in_little_memory(f, extra_mb[i]);
        if (!WIFEXITED(code) || (WEXITSTATUS(code) != NITRO_OK &&
                                 (WEXITSTATUS(code) != NITRO_ERR_NO_MEMORY || i + 1 == count)))
            fail_msg("with %g MB more, the training ends with %d", extra_mb[i], code);
    }
    free_fixture(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_little_memory_is_an_error), /* before others leave memory behind */
        cmocka_unit_test(test_decisions_equal_libsvms),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_search_does_not_depend_on_threads),
        cmocka_unit_test(test_twins_stay_in_one_fold),
        cmocka_unit_test(test_one_input_is_not_searched),
        cmocka_unit_test(test_one_class),
        cmocka_unit_test(test_fewer_inputs_than_folds),
        cmocka_unit_test(test_constant_features),
        cmocka_unit_test(test_ten_thousand_identical_rows),
        cmocka_unit_test(test_a_row_without_times_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
