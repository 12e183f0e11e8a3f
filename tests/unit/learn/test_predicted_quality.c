/* Predicted quality on an unmeasured device: distances, LODO validation, selection, confidence. */
#include <math.h>

#include <jansson.h>

#include "nitro/evaluate/evaluate.h"
#include "nitro/learn/cross_scores.h"
#include "nitro/learn/data/device_distance.h"
#include "nitro/learn/predicted_quality.h"
#include "nitro/learn/select.h"
#include "unit/synthetic.h"

typedef struct fixture {
    nitro_context *context;
    nitro_dataset *sources;
    nitro_device *target;
    nitro_string_list names; /* of device features */
    nitro_training_task task;
    nitro_model *model;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->context = unit_context();
    assert_ok(f->context, nitro_string_list_add(f->context, &f->names, "launch"));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_model_free(f->model);
    nitro_dataset_free(f->sources);
    nitro_device_free(f->target);
    nitro_string_list_free(&f->names);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

/* Sources with these launch costs, 0 ends them, and a target. */
static void make(fixture *f, double target, const double *launches, size_t num_inputs)
{
    static const char *const ids[] = {"a", "b", "c", "d"};
    nitro_device *devices[4];
    size_t count = 0;
    for (; launches[count] > 0.0; count++)
        devices[count] = synthetic_device(f->context, ids[count], launches[count]);
    f->sources = synthetic_dataset(f->context, devices, count, num_inputs);
    f->target = synthetic_device(f->context, "target", target);
    f->task = (nitro_training_task){
        .sources = f->sources, .target = f->target, .device_features = &f->names, .lodo = true};
    assert_ok(f->context, nitro_strategy_find(f->context, "forest", &f->task.strategy));
}

static const nitro_predicted_quality *learn(fixture *f)
{
    nitro_model_free(f->model);
    f->model = NULL;
    assert_ok(f->context, nitro_model_train(f->context, &f->task, &f->model));
    assert_non_null(f->model->predicted);
    return f->model->predicted;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

/* ---- Distances ---------------------------------------------------------------------------- */

static void test_distances(void **state)
{
    fixture *f = *state;
    make(f, 2.0, (const double[]){1.0, 8.0, 2.5, 0}, 4);
    nitro_device **devices = f->sources->devices;
    assert_true(is_near(nitro_device_distance(f->target, devices[0], &f->names), log(2.0)));
    assert_true(is_near(nitro_device_distance(devices[0], f->target, &f->names), log(2.0)));
    assert_true(is_near(nitro_device_distance(f->target, devices[2], &f->names), log(1.25)));
    /* A feature that both have alike draws the mean down; one that is not there does not count. */
    assert_ok(f->context, nitro_string_list_add(f->context, &f->names, "sockets"));
    assert_ok(f->context, nitro_string_list_add(f->context, &f->names, "no-such"));
    assert_true(is_near(nitro_device_distance(f->target, devices[0], &f->names), 0.5 * log(2.0)));
    nitro_string_list unknown = {0};
    assert_true(isnan(nitro_device_distance(f->target, devices[0], &unknown)));
}

/* ---- LODO validation ---------------------------------------------------------------------- */

/* Make the best variant of one source the worst choice on the other. */
static void contradict(fixture *f)
{
    for (size_t row = 0; row < f->sources->num_rows; row++) {
        double *times = f->sources->times_ms + row * SYNTHETIC_VARIANTS;
        bool first = f->sources->row_device[row] == 0;
        times[0] = first ? 1.0 : 4.0;
        times[1] = first ? 4.0 : 1.0;
        times[2] = 8.0;
    }
}

static void test_a_validation_device_is_not_seen(void **state)
{
    fixture *f = *state;
    make(f, 2.0, (const double[]){1.0, 4.0, 0}, 30);
    contradict(f);
    const nitro_predicted_quality *predicted = learn(f);
    assert_true(predicted->held_out_quality > 99.0); /* the device feature tells them apart */
    assert_int_equal(predicted->num_sources, 2);
    assert_true(is_near(predicted->sources[0].lodo_quality, 25.0));
    assert_true(is_near(predicted->sources[1].lodo_quality, 25.0));
    assert_true(is_near(predicted->lodo_quality, 25.0));
    assert_true(is_near(predicted->share, 0.5)); /* half as far as they are from each other */
    assert_true(predicted->quality < 63.0);
    nitro_decision decision;
    double features[SYNTHETIC_FEATURES];
    synthetic_input(3, NULL, features);
    assert_ok(f->context, nitro_model_predict(f->model, features, &decision, NULL, NULL));
    assert_true(decision.confidence < 0.6);
}

static void test_scores_come_from_others(void **state)
{
    fixture *f = *state;
    make(f, 2.0, (const double[]){1.0, 4.0, 0}, 30);
    contradict(f);
    const nitro_fit_task task = {.sources = f->sources,
                                 .target = f->target,
                                 .device_features = &f->names,
                                 .strategy = f->task.strategy};
    nitro_lodo result = {0};
    assert_ok(f->context, nitro_lodo_run(f->context, &task, &result));
    for (size_t row = 0; row < f->sources->num_rows; row++) {
        const double *scores = result.scores + row * SYNTHETIC_VARIANTS;
        assert_int_equal(nitro_scores_best(scores, SYNTHETIC_VARIANTS),
                         f->sources->row_device[row] == 0 ? 1 : 0);
    }
    assert_int_equal(result.num_rows[0], 30);
    assert_int_equal(result.num_rows[1], 30);
    nitro_lodo_free(&result);
}

static bool is_excluded(const nitro_dataset *sources, size_t row)
{
    return sources->row_input[row] % 6 == 5;
}

/* A constraint that no feature tells excludes the best variant on some inputs. */
static void exclude_best(nitro_dataset *sources)
{
    for (size_t row = 0; row < sources->num_rows; row++) {
        double *times = sources->times_ms + row * SYNTHETIC_VARIANTS;
        times[0] = is_excluded(sources, row) ? NAN : 1.0;
        times[1] = 16.0;
        times[2] = 64.0;
        sources->row_allowed[row] = is_excluded(sources, row) ? ~UINT64_C(1) : UINT64_MAX;
    }
}

static void test_excluded_variants_are_not_chosen(void **state)
{
    fixture *f = *state;
    make(f, 2.0, (const double[]){1.0, 4.0, 0}, 60);
    exclude_best(f->sources);
    const nitro_predicted_quality *predicted = learn(f);
    assert_true(predicted->held_out_quality > 95.0); /* 5 of 6, where they are chosen */
    assert_true(predicted->sources[0].lodo_quality > 95.0);
    assert_true(predicted->sources[1].lodo_quality > 95.0);
    assert_true(predicted->quality > 95.0);
}

static void test_cross_scores_leave_out_excluded_variants(void **state)
{
    static const nitro_string_list none = {0};
    fixture *f = *state;
    make(f, 2.0, (const double[]){1.0, 4.0, 0}, 60);
    exclude_best(f->sources);
    const nitro_fit_task task = {.sources = f->sources,
                                 .target = f->target,
                                 .device_features = &none,
                                 .strategy = f->task.strategy};
    nitro_cross_scores cross = {0};
    assert_ok(f->context, nitro_cross_scores_run(f->context, &task, &cross));
    for (size_t i = 0; i < 4; i++)
        assert_true(is_near(cross.losses[i], 0.0));
    for (size_t row = 0; row < f->sources->num_rows; row++) {
        double scores[SYNTHETIC_VARIANTS];
        nitro_cross_scores_mix(&cross, (const double[]){0.5, 0.5}, row, scores);
        assert_int_equal(nitro_scores_best(scores, SYNTHETIC_VARIANTS),
                         is_excluded(f->sources, row) ? 1 : 0);
    }
    nitro_cross_scores_free(&cross);
}

/* ---- Ensembles ---------------------------------------------------------------------------- */

/* An ensemble of two that choose the first variant and the second one. Its predictor only holds the
 * members it was trained with. */
static nitro_status train_ensemble(nitro_context *context, const nitro_training_set *set,
                                   void **predictor, double *held_out_scores)
{
    uint64_t *members = nitro_calloc(context, 1, sizeof(*members));
    assert_non_null(members);
    *members = set->members;
    for (size_t i = 0; held_out_scores && i < set->num_rows * set->num_variants; i++)
        held_out_scores[i] = NAN;
    *predictor = members;
    return NITRO_OK;
}

static void score_ensemble_members(const void *predictor, const double *columns, double *scores)
{
    (void)predictor, (void)columns;
    const double own[2][SYNTHETIC_VARIANTS] = {{2.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    memcpy(scores, own, sizeof(own));
}

static void score_ensemble(const void *predictor, const double *columns, double *scores)
{
    double own[2 * SYNTHETIC_VARIANTS];
    uint64_t members = *(const uint64_t *)predictor;
    score_ensemble_members(predictor, columns, own);
    for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
        scores[v] =
            (members != 2 ? own[v] : 0.0) + (members != 1 ? own[v + SYNTHETIC_VARIANTS] : 0.0);
}

static const nitro_strategy one = {.name = "one"}, two = {.name = "two"};
static const nitro_strategy *const ensemble_members[] = {&one, &two};
static const nitro_strategy ensemble = {.name = "ensemble",
                                        .dfs = "omit",
                                        .train = train_ensemble,
                                        .score = score_ensemble,
                                        .num_members = 2,
                                        .members = ensemble_members,
                                        .score_members = score_ensemble_members,
                                        .free = free};

/* With all members the first variant is chosen; on every source the second is faster by `factor`.
 */
static uint64_t members_selected(fixture *f, double factor)
{
    f->task.strategy = &ensemble;
    for (size_t row = 0; row < f->sources->num_rows; row++) {
        double *times = f->sources->times_ms + row * SYNTHETIC_VARIANTS;
        times[0] = factor;
        times[1] = 1.0;
        times[2] = 8.0;
    }
    learn(f);
    return *(const uint64_t *)f->model->predictor;
}

static void test_lodo_selects_members(void **state)
{
    fixture *f = *state;
    char log[UNIT_LOG_BYTES] = "";
    make(f, 2.0, (const double[]){1.0, 4.0, 9.0, 0}, 30);
    nitro_context_set_log(f->context, NITRO_LOG_INFO, unit_keep_log, log);
    assert_int_equal(members_selected(f, 4.0), 2);
    assert_true(is_near(f->model->predicted->lodo_quality, 100.0));
    assert_non_null(strstr(log, "strategy ensemble uses only two for target target: LODO quality "
                                "is 25.0 % with all of its members and 100.0 % with these"));
    assert_int_equal(members_selected(f, 1.002), 0); /* not clearly better */
    assert_true(is_near(f->model->predicted->lodo_quality, 100.0 / 1.002));
    f->task.all_members = true;
    assert_int_equal(members_selected(f, 4.0), 0);
}

/* A fit does what it is told, whatever validation would prefer, and logs nothing. */
static void test_fit_chooses_nothing(void **state)
{
    fixture *f = *state;
    char log[UNIT_LOG_BYTES] = "";
    make(f, 2.0, (const double[]){1.0, 4.0, 9.0, 0}, 30);
    nitro_context_set_log(f->context, NITRO_LOG_DEBUG, unit_keep_log, log);
    for (uint64_t members = 0; members < 4; members++) {
        const nitro_fit_task task = {.sources = f->sources,
                                     .target = f->target,
                                     .device_features = &f->names,
                                     .strategy = &ensemble,
                                     .members = members};
        nitro_fit_evidence evidence = {0};
        assert_ok(f->context, nitro_fit(f->context, &task, &f->model, members ? &evidence : NULL));
        assert_int_equal(*(const uint64_t *)f->model->predictor, members);
        assert_int_equal(evidence.rows.num_rows, members ? f->sources->num_rows : 0);
        assert_null(f->model->predicted);
        assert_true(is_near(nitro_calibration_confidence(&f->model->calibration, 1.0),
                            1.0 / SYNTHETIC_VARIANTS));
        nitro_fit_evidence_free(&evidence);
        nitro_model_free(f->model);
        f->model = NULL;
    }
    assert_string_equal(log, "");
}

/* ---- Hyper-parameters --------------------------------------------------------------------- */

/* A strategy whose predictor is its hyper-parameter setting, and chooses the variant of that
 * number. */
static nitro_status train_setting(nitro_context *context, const nitro_training_set *set,
                                  void **predictor, double *held_out_scores)
{
    size_t *setting = nitro_calloc(context, 1, sizeof(*setting));
    assert_non_null(setting);
    *setting = set->hyper_settings[0];
    for (size_t i = 0; held_out_scores && i < set->num_rows * set->num_variants; i++)
        held_out_scores[i] = NAN;
    *predictor = setting;
    return NITRO_OK;
}

static void score_setting(const void *predictor, const double *columns, double *scores)
{
    (void)columns;
    for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
        scores[v] = v == *(const size_t *)predictor ? 1.0 : 0.0;
}

static const char *const setting_names[] = {"small", "medium", "large"};
static const nitro_strategy by_setting = {.name = "by-setting",
                                          .dfs = "omit",
                                          .num_hyper_settings = 3,
                                          .hyper_settings = setting_names,
                                          .train = train_setting,
                                          .score = score_setting,
                                          .free = free};

/* The first variant takes 1 ms, the second this many on each source, the third far longer. */
static size_t setting_selected(fixture *f, const double *second_ms)
{
    f->task.strategy = &by_setting;
    for (size_t row = 0; row < f->sources->num_rows; row++) {
        double *times = f->sources->times_ms + row * SYNTHETIC_VARIANTS;
        times[0] = 1.0;
        times[1] = second_ms[f->sources->row_device[row]];
        times[2] = 8.0;
    }
    learn(f);
    return *(const size_t *)f->model->predictor;
}

static void test_lodo_selects_hyper_parameters(void **state)
{
    fixture *f = *state;
    make(f, 2.0, (const double[]){1.0, 4.0, 9.0, 0}, 30);
    assert_int_equal(setting_selected(f, (const double[]){0.8, 0.8, 0.8}), 1);
    assert_true(is_near(f->model->predicted->lodo_quality, 100.0));
    json_t *json = nitro_predicted_quality_json(f->model->predicted, f->sources);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(json, "hyper_parameters"), "by-setting")),
        "medium");
    json_decref(json);
    /* Not clearly better; better on the mean, but worse on one source. */
    assert_int_equal(setting_selected(f, (const double[]){0.998, 0.998, 0.998}), 0);
    assert_int_equal(setting_selected(f, (const double[]){0.5, 0.5, 1.3}), 0);
    json = nitro_predicted_quality_json(f->model->predicted, f->sources);
    assert_null(json_object_get(json, "hyper_parameters"));
    json_decref(json);
}

/* Also of a strategy that has but one setting beside the default. */
static void test_lodo_selects_one_of_two_settings(void **state)
{
    static const nitro_strategy by_two = {.name = "by-two",
                                          .dfs = "omit",
                                          .num_hyper_settings = 2,
                                          .hyper_settings = setting_names,
                                          .train = train_setting,
                                          .score = score_setting,
                                          .free = free};
    fixture *f = *state;
    make(f, 2.0, (const double[]){1.0, 4.0, 9.0, 0}, 30);
    setting_selected(f, (const double[]){0.8, 0.8, 0.8});
    f->task.strategy = &by_two;
    learn(f);
    assert_int_equal(*(const size_t *)f->model->predictor, 1);
}

/* ---- Device features ---------------------------------------------------------------------- */

/* A strategy that chooses the first variant where it sees a device feature, else the second. */
static nitro_status train_columns(nitro_context *context, const nitro_training_set *set,
                                  void **predictor, double *held_out_scores)
{
    size_t *variant = nitro_calloc(context, 1, sizeof(*variant));
    assert_non_null(variant);
    *variant = set->num_columns > SYNTHETIC_FEATURES ? 0 : 1;
    for (size_t i = 0; held_out_scores && i < set->num_rows * set->num_variants; i++)
        held_out_scores[i] = NAN;
    *predictor = variant;
    return NITRO_OK;
}

static const nitro_strategy by_columns = {.name = "by-columns",
                                          .dfs = "omit",
                                          .train = train_columns,
                                          .score = score_setting,
                                          .free = free};

static size_t num_device_features(fixture *f, double with_ms, double without_ms)
{
    f->task.strategy = &by_columns;
    f->task.guards = true;
    for (size_t row = 0; row < f->sources->num_rows; row++) {
        double *times = f->sources->times_ms + row * SYNTHETIC_VARIANTS;
        times[0] = with_ms;
        times[1] = without_ms;
        times[2] = 8.0;
    }
    learn(f);
    return f->model->device_features.count;
}

static void test_device_features_are_dropped_where_validation_is_against_them(void **state)
{
    fixture *f = *state;
    char log[UNIT_LOG_BYTES] = "";
    make(f, 2.0, (const double[]){1.0, 4.0, 9.0, 0}, 30);
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, unit_keep_log, log);
    assert_int_equal(num_device_features(f, 1.0, 4.0), 1);
    assert_null(strstr(log, "device features are not used"));
    assert_int_equal(num_device_features(f, 4.0, 1.0), 0);
    assert_non_null(strstr(log, "device features are not used for target target: LODO quality is "
                                "25.0 % with them and 100.0 % without"));
}

static void test_two_sources_select_nothing(void **state)
{
    fixture *f = *state;
    make(f, 2.0, (const double[]){1.0, 4.0, 0}, 30);
    assert_int_equal(setting_selected(f, (const double[]){0.8, 0.8}), 0);
}

/* ---- Relative features that are constant on each device ----------------------------------- */

/* Does a model keep the constant "sockets" where the sources have these values of it? */
static bool keeps_sockets(fixture *f, const double *launches, const double *sockets)
{
    const nitro_relative_feature feature = {.name = "kind", .formula = "device.sockets"};
    const nitro_string_list none = {0};
    make(f, 2.0, launches, 90);
    assert_ok(f->context, nitro_schema_add_relative(f->context, f->sources->schema, &feature));
    for (size_t d = 0; d < f->sources->num_devices; d++)
        assert_ok(f->context, nitro_device_set(f->context, f->sources->devices[d], "sockets",
                                               sockets[d], NITRO_VALUE_RECORDED, 0));
    f->task.device_features = &none;
    f->task.use_relative = true;
    learn(f);
    bool keeps = f->model->schema->num_relative == 1;
    nitro_dataset_free(f->sources);
    nitro_device_free(f->target);
    f->sources = NULL;
    f->target = NULL;
    return keeps;
}

static void test_constants_need_three_values(void **state)
{
    static const double launches[] = {1.0, 4.0, 9.0, 0};
    assert_true(keeps_sockets(*state, launches, (const double[]){1.0, 2.0, 3.0}));
    assert_false(keeps_sockets(*state, launches, (const double[]){1.0, 2.0, 2.0}));
}

static void test_lodo_selects_constants(void **state)
{
    static const double launches[] = {1.0, 1.1, 60.0, 61.0, 0};
    assert_true(keeps_sockets(*state, launches, (const double[]){1.0, 1.1, 8.0, 8.1}));
    /* Devices with similar values have different best variants. */
    assert_false(keeps_sockets(*state, launches, (const double[]){1.0, 8.0, 1.1, 8.1}));
}

/* ---- Predictions -------------------------------------------------------------------------- */

static void test_nearer_targets_are_predicted_more(void **state)
{
    fixture *f = *state;
    make(f, 1.0, (const double[]){1.0, 1.1, 60.0, 0}, 90);
    const nitro_predicted_quality *predicted = learn(f);
    assert_true(predicted->quality > 90.0 && predicted->quality <= 100.0);
    assert_true(is_near(predicted->quality, predicted->held_out_quality));
    assert_true(is_near(predicted->share, 0.0));
    assert_int_equal(predicted->sources[0].device, 0);
    assert_int_equal(predicted->sources[2].device, 2);
    assert_null(predicted->warning);
    double near = predicted->quality;
    assert_ok(f->context,
              nitro_device_set(f->context, f->target, "launch", 4.0, NITRO_VALUE_RECORDED, 0));
    predicted = learn(f);
    assert_true(predicted->lodo_quality < near && predicted->quality < near);
    assert_non_null(strstr(predicted->warning, "predicted quality is below 90 %"));
    assert_ok(f->context,
              nitro_device_set(f->context, f->target, "launch", 1e9, NITRO_VALUE_RECORDED, 0));
    predicted = learn(f);
    assert_true(is_near(predicted->share, 2.0));
    assert_non_null(strstr(predicted->warning, "farther from every source"));
}

static void test_one_source_predicts_nothing(void **state)
{
    fixture *f = *state;
    make(f, 4.0, (const double[]){1.0, 0}, 60);
    const nitro_predicted_quality *predicted = learn(f);
    assert_true(isnan(predicted->quality));
    assert_non_null(strstr(predicted->warning, "only one source"));
    nitro_decision decision;
    for (size_t i = 0; i < 60; i++) {
        double features[SYNTHETIC_FEATURES];
        synthetic_input(i, NULL, features);
        assert_ok(f->context, nitro_model_predict(f->model, features, &decision, NULL, NULL));
        assert_true(decision.confidence <= 0.5);
    }
    json_t *json = nitro_predicted_quality_json(predicted, f->sources);
    assert_true(json_is_null(json_object_get(json, "quality")));
    assert_true(json_is_string(json_object_get(json, "warning")));
    json_decref(json);
    /* But a device of the same features is as well known as the source. */
    assert_ok(f->context,
              nitro_device_set(f->context, f->target, "launch", 1.0, NITRO_VALUE_RECORDED, 0));
    predicted = learn(f);
    assert_null(predicted->warning);
    assert_true(is_near(predicted->quality, predicted->held_out_quality));
}

static void test_nothing_in_common(void **state)
{
    fixture *f = *state;
    make(f, 4.0, (const double[]){1.0, 2.0, 0}, 60);
    nitro_device_free(f->target);
    assert_ok(f->context, nitro_device_create(f->context, "other", "recorded", &f->target));
    f->task.target = f->target;
    nitro_string_list none = {0};
    f->task.device_features = &none;
    const nitro_predicted_quality *predicted = learn(f);
    assert_true(isnan(predicted->target_distance));
    assert_true(is_near(predicted->quality, predicted->lodo_quality));
    assert_non_null(strstr(predicted->warning, "shares no device feature"));
}

/* After ten decisions of margin 1, the last of which are bad. */
static double confidence_after(const nitro_predicted_quality *predicted, size_t num_good,
                               size_t num_rows)
{
    nitro_predicted_quality weighed = *predicted;
    nitro_calibration calibration;
    double times_ms[10 * 2] = {0}, scores[10 * 2] = {0};
    for (size_t i = 0; i < num_rows; i++) {
        times_ms[i * 2] = i < num_good ? 1.0 : 2.0;
        times_ms[i * 2 + 1] = i < num_good ? 2.0 : 1.0;
        scores[i * 2] = 0.0;
        scores[i * 2 + 1] = -1.0;
    }
    nitro_predicted_quality_weigh_measured(&weighed, times_ms, scores, num_rows, 2, &calibration);
    return nitro_calibration_confidence(&calibration, 1.0);
}

/* Outcomes of decisions on the target correct the weight that its distance gives. */
static void test_measured_inputs_correct_the_distance(void **state)
{
    (void)state;
    nitro_predicted_quality predicted = {.held_out = {1, {0.0}, {0.95}},
                                         .lodo = {1, {0.0}, {0.55}},
                                         .held_out_quality = 99.0,
                                         .lodo_quality = 90.0,
                                         .share = 0.05};
    double before = confidence_after(&predicted, 0, 0);
    assert_true(before > 0.85 && before < 0.95); /* no measurement */
    assert_true(confidence_after(&predicted, 10, 10) > before);
    assert_true(confidence_after(&predicted, 9, 10) < confidence_after(&predicted, 10, 10));
    assert_true(confidence_after(&predicted, 5, 10) < 0.75);
    predicted.share = 1.0; /* as far as the sources */
    before = confidence_after(&predicted, 0, 0);
    assert_true(before > 0.5 && before < 0.65);
    assert_true(confidence_after(&predicted, 10, 10) > 0.75);
    assert_true(fabs(confidence_after(&predicted, 5, 10) - before) < 0.05);
    predicted.lodo = predicted.held_out; /* worse than the validation devices */
    assert_true(confidence_after(&predicted, 10, 10) > 0.95);
    assert_true(confidence_after(&predicted, 5, 10) < 0.85);
    predicted.lodo_quality = NAN; /* one source */
    nitro_calibration calibration;
    nitro_predicted_quality_weigh_measured(&predicted, NULL, NULL, 0, 2, &calibration);
    assert_true(isnan(predicted.quality));
    predicted.share = 0.0;
    nitro_predicted_quality_weigh_measured(&predicted, NULL, NULL, 0, 2, &calibration);
    assert_true(is_near(predicted.quality, 99.0));
}

/* ---- Splits by group ---------------------------------------------------------------------- */

static void test_groups_stay_together(void **state)
{
    fixture *f = *state;
    enum { INPUTS = 60, GROUP = 6 };
    make(f, 2.0, (const double[]){1.0, 0}, INPUTS);
    for (size_t i = 0; i < INPUTS; i++) {
        free(f->sources->inputs[i]);
        f->sources->inputs[i] = nitro_asprintf(f->context, "g%02zu/m%zu", i / GROUP, i % GROUP);
    }
    nitro_evaluate_options options;
    nitro_evaluate_options_init(&options);
    options.group_separator = "/";
    for (options.seed = 0; options.seed < 20; options.seed++) {
        bool train[INPUTS] = {false}, test[INPUTS] = {false};
        size_t num_train = 0;
        assert_ok(f->context, nitro_evaluate_split(f->context, f->sources, &options, train, test));
        for (size_t i = 0; i < INPUTS; i++) {
            assert_true(train[i] == train[i / GROUP * GROUP] && train[i] != test[i]);
            num_train += train[i];
        }
        assert_int_equal(num_train, 18); /* 30 %: three groups of ten */
    }
    options.group_separator = "g"; /* all of one group */
    bool train[INPUTS] = {false}, test[INPUTS] = {false};
    assert_fails(f->context, nitro_evaluate_split(f->context, f->sources, &options, train, test),
                 NITRO_ERR_NO_DATA, "0 are for training");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_distances, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_validation_device_is_not_seen, setup, teardown),
        cmocka_unit_test_setup_teardown(test_scores_come_from_others, setup, teardown),
        cmocka_unit_test_setup_teardown(test_excluded_variants_are_not_chosen, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cross_scores_leave_out_excluded_variants, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_lodo_selects_members, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fit_chooses_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lodo_selects_hyper_parameters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lodo_selects_one_of_two_settings, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_device_features_are_dropped_where_validation_is_against_them, setup, teardown),
        cmocka_unit_test_setup_teardown(test_two_sources_select_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_constants_need_three_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lodo_selects_constants, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nearer_targets_are_predicted_more, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_source_predicts_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nothing_in_common, setup, teardown),
        cmocka_unit_test(test_measured_inputs_correct_the_distance),
        cmocka_unit_test_setup_teardown(test_groups_stay_together, setup, teardown),
    };
    return cmocka_run_group_tests_name("predicted_quality", tests, NULL, NULL);
}
