/* What is learnt from weighted sources: made-up fleets whose stacks disagree, with an odd one, and
 * a poisoned one. */
#include "nitro/learn/predicted_quality.h"
#include "nitro/learn/select.h"
#include "nitro/learn/select_sources.h"
#include "unit/synthetic.h"

enum { NUM_INPUTS = 240, MAX_SOURCES = 6 };

/** Sources whose times depend on their stack, which their device features do not show. */
typedef struct fixture {
    nitro_context *context;
    nitro_dataset *sources;
    nitro_device *target;
    nitro_training_task task;
    nitro_model *model;
} fixture;

static const char *const fleet_ids[MAX_SOURCES] = {"a", "b", "c", "d", "e", "f"};

/** A device of the made-up fleet. */
typedef struct member {
    const char *software;
    double launch; /* of its times */
} member;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->context = unit_context();
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_model_free(f->model);
    nitro_dataset_free(f->sources);
    nitro_device_free(f->target);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static void describe(const fixture *f, nitro_device *device, const char *software, double launch)
{
    assert_ok(f->context,
              nitro_device_set(f->context, device, "launch", launch, NITRO_VALUE_RECORDED, 0));
    assert_ok(f->context, nitro_device_set_label(f->context, device, "vendor", "Maker"));
    assert_ok(f->context, nitro_device_set_label(f->context, device, "software", software));
}

/* Two stacks that disagree. */
static const member two_families[] = {{"lib v2018-09", 0.1},
                                      {"lib v2018-09", 0.12},
                                      {"lib v2018-09", 0.11},
                                      {"lib v2019-06", 20.0},
                                      {"lib v2019-06", 22.0}};

/* Their best variants agree. */
static const member near_ones[] = {{"lib v2019-06", 5.0},
                                   {"lib v2019-06", 5.5},
                                   {"lib v2019-06", 6.0},
                                   {"lib v2018-09", 4.0},
                                   {"lib v2019-06", 5.2}};

/** Sources of the fleet, and a target with this software. */
static void make(fixture *f, const char *software, const member *fleet, size_t count,
                 size_t num_inputs)
{
    static const nitro_string_list none = {0};
    nitro_device *devices[MAX_SOURCES];
    for (size_t d = 0; d < count; d++)
        devices[d] = synthetic_device(f->context, fleet_ids[d], fleet[d].launch);
    f->sources = synthetic_dataset(f->context, devices, count, num_inputs);
    for (size_t d = 0; d < count; d++)
        describe(f, devices[d], fleet[d].software, 1.0 + 0.01 * (double)d);
    f->target = synthetic_device(f->context, "target", 1.0);
    describe(f, f->target, software, 1.005);
    f->task = (nitro_training_task){.sources = f->sources,
                                    .target = f->target,
                                    .device_features = &none,
                                    .weighs_sources = true,
                                    .lodo = true,
                                    .quiet = true};
    assert_ok(f->context, nitro_strategy_find(f->context, "auto", &f->task.strategy));
}

static void learn(fixture *f)
{
    nitro_model_free(f->model);
    f->model = NULL;
    assert_ok(f->context, nitro_model_train(f->context, &f->task, &f->model));
    assert_non_null(f->model->predicted);
}

/** The model's mean quality, in percent, on a device with this launch cost, on other inputs. */
static double quality(const fixture *f, double launch)
{
    double sum = 0.0;
    for (size_t i = 0; i < NUM_INPUTS; i++) {
        double features[SYNTHETIC_FEATURES], times_ms[SYNTHETIC_VARIANTS];
        double scores[SYNTHETIC_VARIANTS];
        synthetic_input(10000 + i, NULL, features);
        synthetic_times(features, launch, times_ms);
        nitro_model_score(f->model, features, scores);
        sum += nitro_times_quality(times_ms, SYNTHETIC_VARIANTS,
                                   nitro_scores_best(scores, SYNTHETIC_VARIANTS));
    }
    return 100.0 * sum / NUM_INPUTS;
}

static const nitro_predicted_quality_source *source_of(const fixture *f, const char *id)
{
    const nitro_predicted_quality *predicted = f->model->predicted;
    for (size_t i = 0; i < predicted->num_sources; i++)
        if (strcmp(f->sources->devices[predicted->sources[i].device]->id, id) == 0)
            return &predicted->sources[i];
    fail_msg("no source %s", id);
    return NULL;
}

/** The prediction is the mean of validation's and of what dissimilarity alone lets expect;
 * confidences have a tenth of validation's share. */
static void check_prediction(const fixture *f)
{
    const nitro_predicted_quality *predicted = f->model->predicted;
    nitro_predicted_quality by_validation = *predicted;
    nitro_calibration calibration;
    assert_true(predicted->held_out_quality > 95.0 && predicted->held_out_quality <= 100.0);
    nitro_predicted_quality_weigh(&by_validation, predicted->share, &calibration);
    double distances = 0.0, weights = 0.0;
    for (size_t i = 0; i < predicted->num_sources; i++) {
        const nitro_predicted_quality_source *source = &predicted->sources[i];
        assert_true(i == 0 || source->target_distance >= source[-1].target_distance);
        distances += isnan(source->lodo_quality) ? 0.0 : source->validation * source->distance;
        weights += isnan(source->lodo_quality) ? 0.0 : source->validation;
    }
    assert_near(predicted->usual_distance, distances / weights, 1e-9);
    assert_near(predicted->share,
                0.5 * fmin(predicted->target_distance / predicted->usual_distance, 2.0), 1e-9);
    double by_dissimilarity = 97.0 - 5.0 * predicted->target_distance;
    assert_near(predicted->quality, 0.5 * (by_validation.quality + by_dissimilarity), 1e-9);
    nitro_predicted_quality_weigh(&by_validation, 0.1 * predicted->share, &calibration);
    assert_int_equal(f->model->calibration.num_knots, calibration.num_knots);
    assert_true(calibration.num_knots > 2);
    for (size_t k = 0; k < calibration.num_knots; k++)
        assert_near(f->model->calibration.confidences[k], calibration.confidences[k], 1e-9);
}

/** Two stacks that disagree: only the target's speaks for it. */
static void test_two_families(void **state)
{
    fixture *f = *state;
    char log[UNIT_LOG_BYTES] = "";
    double of_d = 0.0, of_e = 0.0;
    make(f, "lib v2019-06", two_families, 5, NUM_INPUTS);
    nitro_context_set_log(f->context, NITRO_LOG_INFO, unit_keep_log, log);
    f->task.quiet = false;
    learn(f);
    const char *line =
        strstr(log, "sources of target target, by rule stack, without relative features: d ");
    assert_non_null(line);
    assert_int_equal(sscanf(strstr(line, ": d "), ": d %lf %%, e %lf %%", &of_d, &of_e), 2);
    assert_near(of_d, 100.0 * source_of(f, "d")->weight, 0.5);
    assert_near(of_e, 100.0 * source_of(f, "e")->weight, 0.5);
    f->task.quiet = true;
    check_prediction(f);
    assert_string_equal(f->model->predicted->rule, "stack");
    assert_true(source_of(f, "a")->weight == 0.0);
    assert_true(source_of(f, "d")->weight + source_of(f, "e")->weight > 0.999);
    double weighted = quality(f, 21.0);
    assert_true(weighted > 97.0);
    f->task.weighs_sources = false;
    learn(f);
    assert_null(f->model->predicted->rule);
    assert_true(quality(f, 21.0) < weighted - 3.0);
}

/** A target of another stack than all sources has a warning, until inputs are measured on it. */
static void test_new_stack(void **state)
{
    fixture *f = *state;
    nitro_calibration calibration;
    const member fleet[] = {{"lib v2018-09", 1.0}, {"lib v2018-09", 1.1}, {"lib v2019-06", 1.05}};
    make(f, "lib v2019-06", fleet, 3, NUM_INPUTS);
    learn(f);
    assert_null(f->model->predicted->warning);
    assert_ok(f->context,
              nitro_device_set_label(f->context, f->target, "software", "lib v2019-07"));
    learn(f);
    nitro_predicted_quality *predicted = f->model->predicted;
    assert_true(predicted->quality > 90.0);
    assert_non_null(predicted->warning);
    assert_non_null(strstr(predicted->warning, "no source is known to have its software stack"));
    nitro_predicted_quality_weigh_measured(predicted, NULL, NULL, 0, SYNTHETIC_VARIANTS,
                                           &calibration);
    assert_true(predicted->quality > 90.0);
    assert_null(predicted->warning);
}

/** Times by launch cost, which a relative feature shows: it carries over to a launch cost that no
 *  source has. */
static void test_relative_features_are_used_where_they_are_better(void **state)
{
    fixture *f = *state;
    static const nitro_relative_feature relative = {.name = "size_per_launch",
                                                    .scale = NITRO_SCALE_LOG,
                                                    .formula = "size / device.launch",
                                                    .replaces = "size"};
    const member fleet[] = {
        {"lib v1", 1.0}, {"lib v2", 4.0}, {"lib v3", 16.0}, {"lib v1", 2.0}, {"lib v2", 8.0}};
    make(f, "lib v2", fleet, 5, NUM_INPUTS);
    for (size_t d = 0; d < 5; d++)
        describe(f, f->sources->devices[d], fleet[d].software, fleet[d].launch);
    describe(f, f->target, "lib v2", 32.0);
    assert_ok(f->context, nitro_schema_add_relative(f->context, f->sources->schema, &relative));
    learn(f);
    double plain = quality(f, 32.0);
    f->task.use_relative = true;
    learn(f);
    assert_true(quality(f, 32.0) > plain + 1.0);
}

/** Weights replace what is learnt together if validation is clearly for them, on three devices of
 *  100 samples or more. */
static void compare_weights(fixture *f, size_t num_inputs)
{
    static const struct {
        double gains[3];
        bool is_better;
    } cases[] = {{{2.0, 2.0, 2.1}, true},  {{0.5, 0.5, 0.5}, false}, {{2.0, 2.0, NAN}, false},
                 {{0.1, 0.1, 4.0}, false}, {{4.0, 4.1, 4.2}, true},  {{-2.0, -2.0, -2.0}, false}};
    const member fleet[] = {{"lib", 1.0}, {"lib", 1.1}, {"lib", 1.2}};
    nitro_source_weighing *weighing = NULL;
    make(f, "lib", fleet, 3, num_inputs);
    assert_ok(f->context, nitro_source_weighing_run(f->context, &f->task, &weighing));
    assert_ok(f->context, nitro_source_weighing_train(weighing, &f->model));
    nitro_predicted_quality_source sources[3];
    assert_int_equal(f->model->predicted->num_sources, 3);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const nitro_predicted_quality together = {.num_sources = 3, .sources = sources};
        for (size_t d = 0; d < 3; d++) {
            sources[d] = f->model->predicted->sources[d];
            sources[d].lodo_quality -= cases[i].gains[d];
        }
        assert_int_equal(nitro_source_weighing_is_better(weighing, &together),
                         cases[i].is_better && num_inputs >= 100);
    }
    nitro_source_weighing_free(weighing);
}

static void test_weights_must_be_clearly_better(void **state)
{
    compare_weights(*state, 100);
}

static void test_few_samples_are_not_clear(void **state)
{
    compare_weights(*state, 99);
}

static double top_confidence(const fixture *f)
{
    const nitro_calibration *calibration = &f->model->calibration;
    return calibration->confidences[calibration->num_knots - 1];
}

/** Sources of one vendor say how sure a model of theirs is on another device of it, not on one of
 *  another vendor. */
static void test_another_vendor_is_not_confident(void **state)
{
    fixture *f = *state;
    const member fleet[] = {
        {"lib v2019-06", 2.0}, {"lib v2019-06", 2.1}, {"lib v2018-09", 2.2}, {"lib v2018-09", 1.9}};
    make(f, "lib v2019-06", fleet, 4, NUM_INPUTS);
    learn(f);
    check_prediction(f);
    assert_true(top_confidence(f) >= 0.9);
    assert_ok(f->context, nitro_device_set_label(f->context, f->target, "vendor", "Other"));
    learn(f);
    assert_string_equal(f->model->predicted->rule, "stack");
    assert_true(top_confidence(f) < 0.5); /* no device could be validated without its vendor */
}

static void set_cores(fixture *f, nitro_device *device, double cores, double multiprocessors)
{
    assert_ok(f->context,
              nitro_device_set(f->context, device, "cuda_cores", cores, NITRO_VALUE_RECORDED, 0));
    assert_ok(f->context, nitro_device_set(f->context, device, "sm_count", multiprocessors,
                                           NITRO_VALUE_RECORDED, 0));
}

/** A CPU of the vendor of a new GPU does not speak for it more than GPUs of another vendor do. */
static void test_a_vendors_cpu_is_not_its_gpu(void **state)
{
    fixture *f = *state;
    const member fleet[] = {{"gpu v2019-06", 2.0},
                            {"gpu v2019-06", 2.1},
                            {"gpu v2019-06", 1.9},
                            {"cpu v2019-07", 60.0}};
    make(f, "new v2019-06", fleet, 4, NUM_INPUTS);
    for (size_t d = 0; d < 3; d++)
        set_cores(f, f->sources->devices[d], 1000.0, 10.0);
    set_cores(f, f->sources->devices[3], 20.0, 20.0);
    set_cores(f, f->target, 1000.0, 10.0);
    for (size_t d = 0; d < 3; d++)
        assert_ok(f->context,
                  nitro_device_set_label(f->context, f->sources->devices[d], "vendor", "Other"));
    learn(f);
    assert_true(source_of(f, "d")->weight < 0.5);
    assert_true(quality(f, 2.0) > 97.0);
}

/** An odd stack within one family takes no part, though it is the nearest version but one. */
static void test_odd_stack(void **state)
{
    fixture *f = *state;
    const member fleet[] = {{"lib v2018-09", 2.0},
                            {"lib v2018-11", 60.0},
                            {"lib v2019-06", 2.1},
                            {"lib v2019-06", 1.9}};
    make(f, "lib v2019-06", fleet, 4, NUM_INPUTS);
    learn(f);
    assert_true(source_of(f, "b")->weight == 0.0);
    assert_true(source_of(f, "a")->weight > 0.0); /* agrees with the target's stack */
    assert_true(quality(f, 2.0) > 97.0);
}

/** Swap the times of each of a device's inputs with those of a random one. */
static void shuffle_times(nitro_dataset *dataset, size_t device)
{
    nitro_random random;
    nitro_random_seed(&random, 5);
    for (size_t i = 0; i < dataset->num_inputs; i++) {
        size_t other = (size_t)nitro_random_below(&random, dataset->num_inputs);
        double kept[SYNTHETIC_VARIANTS]; /* rows are input by input, all devices each */
        double *a = dataset->times_ms + (i * dataset->num_devices + device) * SYNTHETIC_VARIANTS;
        double *b =
            dataset->times_ms + (other * dataset->num_devices + device) * SYNTHETIC_VARIANTS;
        memcpy(kept, a, sizeof kept);
        memmove(a, b, sizeof kept);
        memcpy(b, kept, sizeof kept);
    }
}

static void test_poisoned_source(void **state)
{
    fixture *f = *state;
    make(f, "lib v2019-06", near_ones, 5, NUM_INPUTS);
    learn(f);
    double clean = quality(f, 5.3);
    shuffle_times(f->sources, 0); /* the one nearest to the target */
    learn(f);
    assert_true(source_of(f, "a")->is_set_aside);
    assert_true(source_of(f, "a")->weight == 0.0);
    assert_true(quality(f, 5.3) > clean - 0.3);
}

/** One stack: a model of all sources together, but for the poisoned one. */
static void test_poisoned_source_of_one_stack(void **state)
{
    fixture *f = *state;
    const member fleet[] = {{"lib v2019-06", 5.0},
                            {"lib v2019-06", 5.5},
                            {"lib v2019-06", 6.0},
                            {"lib v2019-06", 4.0},
                            {"lib v2019-06", 5.2}};
    make(f, "lib v2019-06", fleet, 5, NUM_INPUTS);
    learn(f);
    double clean = quality(f, 5.3);
    assert_null(f->model->predicted->rule);
    assert_false(source_of(f, "c")->is_set_aside);
    shuffle_times(f->sources, 2);
    learn(f);
    assert_true(source_of(f, "c")->is_set_aside);
    assert_false(source_of(f, "d")->is_set_aside);
    assert_true(source_of(f, "d")->lodo_quality > 90.0);
    assert_true(quality(f, 5.3) > clean - 0.3);
}

/** Report one variant of a device at another speed: its times still follow from the inputs. */
static void scale_times(nitro_dataset *dataset, size_t device, size_t variant, double factor)
{
    for (size_t row = 0; row < dataset->num_rows; row++)
        if (dataset->row_device[row] == device)
            dataset->times_ms[row * SYNTHETIC_VARIANTS + variant] *= factor;
}

/** A contributor who lies consistently is found where near sources contradict it: reported, and
 *  without weight, even as the source nearest to the target. */
static void test_lies_are_disputed(void **state)
{
    fixture *f = *state;
    static const double factors[] = {0.1, 10.0};
    const member fleet[] = {{"lib v2019-06", 5.0},
                            {"lib v2019-06", 5.5},
                            {"lib v2019-06", 6.0},
                            {"lib v2019-06", 4.5},
                            {"lib v2018-09", 4.0}};
    for (size_t count = 3; count <= 5; count++)
        for (size_t i = 0; i < 2; i++) {
            char log[UNIT_LOG_BYTES] = "";
            nitro_dataset_free(f->sources);
            nitro_device_free(f->target);
            make(f, "lib v2019-06", fleet, count, NUM_INPUTS);
            learn(f);
            double clean = quality(f, 5.3);
            for (size_t d = 0; d < count; d++)
                assert_false(source_of(f, fleet_ids[d])->is_set_aside);
            scale_times(f->sources, 0, 1, factors[i]);
            f->task.quiet = false;
            nitro_context_set_log(f->context, NITRO_LOG_WARNING, unit_keep_log, log);
            learn(f);
            nitro_context_set_log(f->context, NITRO_LOG_WARNING, NULL, NULL);
            assert_non_null(
                strstr(log, "source a is not used: its times contradict those of near"));
            assert_null(strstr(log, "source b"));
            assert_true(source_of(f, "a")->is_set_aside);
            assert_false(source_of(f, "b")->is_set_aside);
            if (!(quality(f, 5.3) > clean - 0.5))
                fail_msg("%zu sources: %.2f %%, was %.2f %%", count, quality(f, 5.3), clean);
        }
}

/** Families of one stack that disagree are told apart by their hardware, if at all. */
static void test_families_of_one_stack(void **state)
{
    fixture *f = *state;
    const member fleet[] = {{"lib", 0.1},  {"lib", 20.0}, {"lib", 0.11},
                            {"lib", 21.0}, {"lib", 0.12}, {"lib", 22.0}};
    make(f, "lib", fleet, 6, NUM_INPUTS);
    for (size_t d = 1; d < 6; d += 2)
        describe(f, f->sources->devices[d], "lib", 8.0 + (double)d);
    describe(f, f->target, "lib", 10.0);
    learn(f);
    assert_string_equal(f->model->predicted->rule, "stack");
    assert_true(source_of(f, "a")->weight + source_of(f, "c")->weight == 0.0);
    assert_true(quality(f, 20.5) > 97.0);
}

/** A copy of a source does not make its left-out quality better. */
static void test_copies_do_not_judge_each_other(void **state)
{
    fixture *f = *state;
    const member alone[] = {{"lib v1", 1.0}, {"lib v1", 4.0}, {"lib v1", 16.0}};
    const member with_copy[] = {
        {"lib v1", 1.0}, {"lib v1", 4.0}, {"lib v1", 16.0}, {"lib v1", 16.0}};
    make(f, "lib v1", alone, 3, NUM_INPUTS);
    learn(f);
    double expected = source_of(f, "c")->lodo_quality;
    nitro_dataset_free(f->sources);
    nitro_device_free(f->target);
    make(f, "lib v1", with_copy, 4, NUM_INPUTS);
    describe(f, f->sources->devices[3], "lib v1", 1.02); /* as that of c */
    learn(f);
    assert_true(fabs(source_of(f, "c")->lodo_quality - expected) < 0.5);
    /* But if the target is such a copy too, validation may have one. */
    describe(f, f->target, "lib v1", 1.0);
    learn(f);
    assert_true(source_of(f, "c")->lodo_quality > expected + 1.0);
}

/** A variant that the nearest stack never measured is neither bad nor a reason to drop sources. */
static void test_a_variant_that_sources_lack(void **state)
{
    fixture *f = *state;
    const member fleet[] = {
        {"lib v2019-06", 5.0}, {"lib v2019-06", 5.5}, {"lib v2018-11", 5.2}, {"lib v2018-11", 4.8}};
    make(f, "lib v2019-06", fleet, 4, NUM_INPUTS);
    learn(f);
    double clean = quality(f, 5.3);
    for (size_t row = 0; row < f->sources->num_rows; row++)
        if (f->sources->row_device[row] == 0)
            f->sources->times_ms[row * SYNTHETIC_VARIANTS + 1] = NAN;
    assert_int_equal(nitro_dataset_known_variants(f->sources, 0) & 3, 1);
    learn(f);
    assert_true(source_of(f, "a")->weight > 0.1);
    assert_true(source_of(f, "a")->lodo_quality > 95.0); /* judged by the variants that it has */
    assert_true(quality(f, 5.3) > clean - 0.6);
}

/** Add one source after the other: quality on the target never falls by more than 0.3. */
static void require_growth(fixture *f, const char *software, const member *fleet, size_t count,
                           size_t poisoned, double launch)
{
    double before = 0.0;
    for (size_t k = 1; k <= count; k++) {
        nitro_dataset_free(f->sources);
        nitro_device_free(f->target);
        make(f, software, fleet, k, NUM_INPUTS);
        if (poisoned < k)
            shuffle_times(f->sources, poisoned);
        learn(f);
        double now = quality(f, launch);
        if (!(now > before - 0.3))
            fail_msg("with %zu sources %.2f %%, with one less %.2f %%", k, now, before);
        before = now;
    }
    assert_true(before > 96.0);
}

static void test_curves_never_fall(void **state)
{
    fixture *f = *state;
    static const member families[] = {{"lib v2019-06", 20.0},  {"lib v2018-09", 0.1},
                                      {"lib v2019-06", 22.0},  {"lib v2018-09", 0.12},
                                      {"other v2019-06", 0.1}, {"lib v2018-09", 0.11}};
    static const member odd[] = {{"lib v2019-06", 2.0},
                                 {"lib v2018-11", 60.0},
                                 {"lib v2019-06", 2.1},
                                 {"lib v2019-06", 1.9},
                                 {"lib v2018-09", 2.0}};
    static const member one_stack[] = {
        {"lib", 5.0}, {"lib", 5.5}, {"lib", 6.0}, {"lib", 4.0}, {"lib", 5.2}};
    require_growth(f, "lib v2019-06", families, 6, NITRO_NONE, 21.0);
    require_growth(f, "lib v2019-06", odd, 5, NITRO_NONE, 2.0);
    for (size_t poisoned = 1; poisoned < 4; poisoned++)
        require_growth(f, "lib", one_stack, 5, poisoned, 5.3);
}

static void test_result_does_not_depend_on_threads(void **state)
{
    fixture *f = *state;
    const member fleet[] = {{"lib v2019-06", 5.0}, {"lib v2018-09", 5.5}, {"lib v2019-06", 6.0}};
    double features[SYNTHETIC_FEATURES], one[SYNTHETIC_VARIANTS], four[SYNTHETIC_VARIANTS];
    make(f, "lib v2019-06", fleet, 3, 150);
    synthetic_input(7, NULL, features);
    f->task.num_threads = 1;
    learn(f);
    nitro_model_score(f->model, features, one);
    f->task.num_threads = 4;
    learn(f);
    nitro_model_score(f->model, features, four);
    assert_memory_equal(one, four, sizeof one);
}

/** From 20 samples each. */
static void test_small_sources_are_weighted(void **state)
{
    fixture *f = *state;
    make(f, "lib v2019-06", two_families, 5, 20);
    learn(f);
    assert_string_equal(f->model->predicted->rule, "stack");
    assert_true(source_of(f, "a")->weight == 0.0);
    double weighted = quality(f, 21.0);
    f->task.weighs_sources = false;
    learn(f);
    assert_true(quality(f, 21.0) < weighted - 3.0);
}

static void test_smaller_sources_are_learnt_together(void **state)
{
    fixture *f = *state;
    const member fleet[] = {{"lib v2019-06", 5.0}, {"lib v2018-09", 5.5}, {"lib v2019-06", 6.0}};
    make(f, "lib v2019-06", fleet, 3, 19);
    learn(f);
    assert_null(f->model->predicted->rule);
}

/** Found by correlation: their own models tell nothing yet. */
static void test_small_poisoned_source(void **state)
{
    fixture *f = *state;
    make(f, "lib v2019-06", near_ones, 5, 40);
    shuffle_times(f->sources, 0);
    learn(f);
    for (size_t d = 0; d < 5; d++)
        assert_true(source_of(f, fleet_ids[d])->is_set_aside == (d == 0));
}

/** Every strategy with source weights learns from these sources only. */
static void test_strategies(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {"svm-cost", "forest", "boosted", "kernel-ridge"};
    const member fleet[] = {{"lib v2018-09", 0.1},
                            {"lib v2018-09", 0.12},
                            {"lib v2019-06", 20.0},
                            {"lib v2019-06", 22.0}};
    make(f, "lib v2019-06", fleet, 4, 150);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_ok(f->context, nitro_strategy_find(f->context, names[i], &f->task.strategy));
        learn(f);
        assert_true(source_of(f, "a")->weight == 0.0);
        assert_true(quality(f, 21.0) > 95.0);
    }
}

/** Sources of one stack and of two architectures, few inputs: the target's own one counts. */
static void test_architectures_of_one_stack(void **state)
{
    fixture *f = *state;
    const member fleet[] = {{"lib", 0.1}, {"lib", 0.12}, {"lib", 0.11}, {"lib", 20}, {"lib", 22}};
    make(f, "lib", fleet, 5, 40);
    for (size_t d = 0; d < 5; d++)
        assert_ok(f->context, nitro_device_set_label(f->context, f->sources->devices[d],
                                                     "architecture", d < 3 ? "old" : "new"));
    learn(f); /* the target's is another one: no source is validated with its own */
    assert_null(f->model->predicted->rule);
    double together = quality(f, 21.0);
    for (size_t d = 0; d < 5; d++)
        assert_true(source_of(f, fleet_ids[d])->lodo_quality < 70.0);
    assert_ok(f->context, nitro_device_set_label(f->context, f->target, "architecture", "new"));
    learn(f);
    assert_string_equal(f->model->predicted->rule, "stack");
    assert_true(source_of(f, "a")->weight + source_of(f, "b")->weight == 0.0);
    assert_true(source_of(f, "a")->target_distance > source_of(f, "e")->target_distance);
    assert_true(quality(f, 21.0) > 93.0 && quality(f, 21.0) > together + 3.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_two_families, setup, teardown),
        cmocka_unit_test_setup_teardown(test_relative_features_are_used_where_they_are_better,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_weights_must_be_clearly_better, setup, teardown),
        cmocka_unit_test_setup_teardown(test_few_samples_are_not_clear, setup, teardown),
        cmocka_unit_test_setup_teardown(test_another_vendor_is_not_confident, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_vendors_cpu_is_not_its_gpu, setup, teardown),
        cmocka_unit_test_setup_teardown(test_new_stack, setup, teardown),
        cmocka_unit_test_setup_teardown(test_odd_stack, setup, teardown),
        cmocka_unit_test_setup_teardown(test_poisoned_source, setup, teardown),
        cmocka_unit_test_setup_teardown(test_poisoned_source_of_one_stack, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lies_are_disputed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_families_of_one_stack, setup, teardown),
        cmocka_unit_test_setup_teardown(test_architectures_of_one_stack, setup, teardown),
        cmocka_unit_test_setup_teardown(test_copies_do_not_judge_each_other, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_variant_that_sources_lack, setup, teardown),
        cmocka_unit_test_setup_teardown(test_curves_never_fall, setup, teardown),
        cmocka_unit_test_setup_teardown(test_result_does_not_depend_on_threads, setup, teardown),
        cmocka_unit_test_setup_teardown(test_small_sources_are_weighted, setup, teardown),
        cmocka_unit_test_setup_teardown(test_smaller_sources_are_learnt_together, setup, teardown),
        cmocka_unit_test_setup_teardown(test_small_poisoned_source, setup, teardown),
        cmocka_unit_test_setup_teardown(test_strategies, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
