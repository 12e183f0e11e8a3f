/* Scores of searchers: random search exactly, the community's performance score. */
#include "nitro/search/score.h"
#include "unit/unit.h"

static nitro_recording *parse(nitro_context *context, const char *text)
{
    nitro_recording *recording = NULL;
    assert_ok(context, nitro_recording_parse(context, "r", text, strlen(text), NULL, &recording));
    return recording;
}

/* Four configurations, one invalid: expectations by hand. */
static void test_random_exact(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_recording *recording =
        parse(context, "a,time_ms,status\n1,4,ok\n2,2,ok\n3,,runtime_error\n4,1,ok\n");
    score_space space;
    assert_ok(context, score_space_read(context, recording, &space));
    assert_near(score_random_best(&space, 1), (4.0 + 2 + 1) / 3, 1e-12);
    /* Pairs: {4,2} 2, {4,x} 4, {4,1} 1, {2,x} 2, {2,1} 1, {x,1} 1: all have a valid one. */
    assert_near(score_random_best(&space, 2), (2.0 + 4 + 1 + 2 + 1 + 1) / 6, 1e-12);
    assert_near(score_random_best(&space, 4), 1, 1e-12);
    assert_near(score_random_best(&space, 100), 1, 1e-12);
    score_space_free(&space);
    nitro_search_score score;
    assert_ok(context, nitro_search_score_random(context, recording, &score));
    assert_near(score.to_10_percent, 5.0 / 2, 1e-12);
    assert_near(score.mae, 0, 1e-12);
    nitro_recording_free(recording);
    recording = parse(context, "a,time_ms,status\n1,,runtime_error\n");
    assert_fails(context, nitro_search_score_random(context, recording, &score), NITRO_ERR_NO_DATA,
                 "no valid configuration");
    nitro_recording_free(recording);
    nitro_context_free(context);
}

/* A searcher that knows the optimum scores 1; random search about 0. */
static void test_community(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    static char text[200000] = "a,time_ms,status,total_ms\n";
    nitro_random random;
    nitro_random_seed(&random, 1);
    for (int i = 0; i < 2000; i++)
        sprintf(text + strlen(text), "%d,%.6f,ok,100\n", i, 1 + nitro_random_uniform(&random));
    nitro_recording *recording = parse(context, text);
    uint64_t best = 0;
    for (uint64_t c = 0; c < nitro_space_size(recording->space); c++)
        if (recording->answers[c].time_ms < recording->answers[best].time_ms)
            best = c;
    nitro_search_score score;
    nitro_search_trial trial = {.searcher = nitro_searcher_find("random"), .repetitions = 60};
    assert_ok(context, nitro_search_score_searcher(context, recording, &trial, &score));
    assert_near(score.community, 0, 0.1);
    nitro_search_score exact, again;
    assert_ok(context, nitro_search_score_random(context, recording, &exact));
    assert_near(score.mae, exact.mae, 4 * score.mae_error);
    assert_near(score.best_ms[1], exact.best_ms[1], 4 * score.best_error[1]);
    trial.num_threads = 1;
    assert_ok(context, nitro_search_score_searcher(context, recording, &trial, &again));
    again.cpu_ms = score.cpu_ms;
    assert_memory_equal(&score, &again, sizeof(score));
    trial.searcher = nitro_searcher_find("auto");
    trial.starts = &best;
    trial.num_starts = 1;
    trial.repetitions = 3;
    assert_ok(context, nitro_search_score_searcher(context, recording, &trial, &score));
    assert_near(score.community, 1, 0.05);
    assert_near(score.mae, 0, 0);
    assert_near(score.to_10_percent, 1, 0);
    nitro_recording_free(recording);
    nitro_context_free(context);
}

/* The published numbers of recorded spaces. */
static void test_reference(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double at_20, at_220, mae, to_10_percent;
        uint64_t budget;
    } cases[] = {{"gemm/rtx_2080_ti", 14.7, 12.8, 1.693, 513.1, 997},
                 {"convolution/rtx_titan", 1.248, 0.9828, 0.1565, 398.2, 309},
                 {"pnpoly/rtx_titan", 15.8, 14.68, 1.378, 146.2, 1875},
                 {"dedispersion_milo/mi250x", 75.47, 55.59, 10.63, 206.1, 371},
                 {"ktt_coulomb3d/gtx_1070", 5.756, 5.096, 0.04169, 11.1, 7}};
    nitro_context *context = unit_context();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char name[128];
        nitro_recording *recording = NULL;
        nitro_search_score score;
        score_space space;
        snprintf(name, sizeof(name), "search/spaces/%s.csv.gz", cases[i].name);
        assert_ok(context, nitro_recording_read(context, unit_shared_data(name), NULL, &recording));
        assert_ok(context, nitro_search_score_random(context, recording, &score));
        assert_near(score.best_ms[0] / cases[i].at_20, 1, 5e-4);
        assert_near(score.best_ms[3] / cases[i].at_220, 1, 5e-4);
        assert_near(score.mae / cases[i].mae, 1, 5e-4);
        assert_near(score.to_10_percent, cases[i].to_10_percent, 0.051);
        assert_ok(context, score_space_read(context, recording, &space));
        assert_int_equal(score_budget(&space, 0.95), cases[i].budget);
        score_space_free(&space);
        nitro_recording_free(recording);
    }
    nitro_context_free(context);
}

/* Three cases, each with a favourite that is bad elsewhere, and a compromise. */
static void test_portfolio(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_recording *first = parse(context, "a,time_ms,status\n1,1,ok\n2,4,ok\n3,4,ok\n4,1.3,ok\n");
    nitro_recording *second =
        parse(context, "a,time_ms,status\n1,40,ok\n2,10,ok\n3,,runtime_error\n4,13,ok\n");
    nitro_recording *third = parse(context, "a,time_ms,status\n1,4,ok\n2,4,ok\n3,1,ok\n4,1.3,ok\n");
    const nitro_recording *cases[] = {first, second, third};
    nitro_portfolio *portfolio = NULL;
    assert_ok(context, nitro_portfolio_choose(context, cases, 3, 1, &portfolio));
    assert_int_equal(portfolio->num_configurations, 1);
    assert_int_equal(portfolio->configurations[0], 3);
    assert_near(portfolio->quality[0], 1 / 1.3, 1e-12);
    assert_near(portfolio->quality_left_out[1], 10.0 / 13, 1e-12);
    nitro_portfolio_free(portfolio);
    assert_ok(context, nitro_portfolio_choose(context, cases, 3, 8, &portfolio));
    for (size_t x = 0; x < 3; x++) /* swaps replace the compromise, which was chosen first */
        assert_near(portfolio->quality[x], 1, 1e-12);
    nitro_portfolio_free(portfolio);
    assert_ok(context, nitro_portfolio_choose(context, cases, 3, 3, &portfolio));
    for (size_t x = 0; x < 3; x++)
        assert_near(portfolio->quality[x], 1, 1e-12);
    nitro_portfolio_free(portfolio);
    assert_fails(context, nitro_portfolio_choose(context, cases, 3, 65, &portfolio),
                 NITRO_ERR_ARGUMENT, "a portfolio of 65");
    nitro_recording *other = parse(context, "a,time_ms\n1,1\n");
    cases[1] = other;
    assert_fails(context, nitro_portfolio_choose(context, cases, 3, 1, &portfolio),
                 NITRO_ERR_MISMATCH, "cases 1 and 2");
    nitro_recording_free(other);
    nitro_recording_free(first);
    nitro_recording_free(second);
    nitro_recording_free(third);
    nitro_context_free(context);
}

/* Of configurations that serve two cases equally well, the one that also does between them. */
static void test_portfolio_between(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_recording *first = parse(context, "a,time_ms\n1,1\n2,1\n3,8\n");
    nitro_recording *second = parse(context, "a,time_ms\n1,8\n2,2\n3,1\n");
    const nitro_recording *cases[] = {first, second};
    nitro_portfolio *portfolio = NULL;
    assert_ok(context, nitro_portfolio_choose(context, cases, 2, 2, &portfolio));
    assert_int_equal(portfolio->num_configurations, 2);
    assert_int_equal(portfolio->configurations[0] + portfolio->configurations[1], 1 + 2);
    assert_near(portfolio->quality[0], 1, 1e-12);
    assert_near(portfolio->quality[1], 1, 1e-12);
    nitro_portfolio_free(portfolio);
    nitro_recording_free(first);
    nitro_recording_free(second);
    nitro_context_free(context);
}

/* Quantiles are ordered and fall; random search's median is what ranks say. */
static void test_trace(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_recording *recording =
        parse(context, "a,time_ms,status,total_ms\n1,5,ok,100\n2,4,ok,100\n3,3,ok,100\n4,2,ok,100\n"
                       "5,1,ok,100\n6,,runtime_error,50\n");
    static nitro_search_curve curve, again;
    nitro_search_trial trial = {.searcher = nitro_searcher_find("random"), .repetitions = 101};
    assert_ok(context, nitro_search_trace(context, recording, &trial, &curve));
    for (size_t i = 0; i < NITRO_CURVE_POINTS; i++)
        for (size_t q = 0; q < NITRO_CURVE_QUANTILES; q++) {
            double value = curve.by_evaluations[i][q];
            assert_true(q == 0 || !(value < curve.by_evaluations[i][q - 1]));
            assert_true(i == 0 || !(value > curve.by_evaluations[i - 1][q]));
        }
    assert_near(curve.by_evaluations[5][2], 1, 0); /* all is known */
    assert_true(curve.by_evaluations[0][1] >= 2 && curve.by_evaluations[0][1] <= 4);
    assert_near(curve.seconds[NITRO_CURVE_POINTS - 1], 0.55, 1e-9);
    assert_near(curve.by_seconds[NITRO_CURVE_POINTS - 1][1], 1, 0);
    assert_true(isnan(curve.by_seconds[0][0])); /* before the first evaluation has ended */
    trial.num_threads = 1;
    assert_ok(context, nitro_search_trace(context, recording, &trial, &again));
    assert_memory_equal(curve.by_evaluations, again.by_evaluations, sizeof(curve.by_evaluations));
    nitro_recording_free(recording);
    nitro_context_free(context);
}

/* Configurations as texts, and back. */
static void test_configuration_texts(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    static const char text[] =
        "{\"ConfigurationSpace\": {\"TuningParameters\": ["
        "{\"Name\": \"a\", \"Type\": \"int\", \"Values\": [1, 2, 12]},"
        "{\"Name\": \"s\", \"Type\": \"string\", \"Values\": [\"x\", \"x y\", \"a=1\"]},"
        "{\"Name\": \"one\", \"Type\": \"int\", \"Values\": [7]}],"
        "\"Conditions\": [\"a < 12 or s != 'x'\"]}}";
    nitro_space *space = NULL;
    uint64_t found;
    assert_ok(context, nitro_space_parse(context, "s", text, strlen(text), &space));
    for (uint64_t c = 0; c < nitro_space_size(space); c++) {
        char *shown = nitro_configuration_text(context, space, c);
        assert_ok(context, nitro_configuration_parse(context, space, shown, &found));
        assert_int_equal(found, c);
        free(shown);
    }
    assert_ok(context, nitro_configuration_parse(context, space, "s=x y a=2 one=7", &found));
    static const char *const wrong[][2] = {{"a=3 s=x", "is no value"},
                                           {"a=1", "is missing"},
                                           {"b=1 s=x", "names no parameter"},
                                           {"a s=x", "names no parameter"},
                                           {"a=12 s=x", "is not in the space"}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_fails(context, nitro_configuration_parse(context, space, wrong[i][0], &found),
                     NITRO_ERR_MISMATCH, wrong[i][1]);
    nitro_space_free(space);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_exact),        cmocka_unit_test(test_community),
        cmocka_unit_test(test_reference),           cmocka_unit_test(test_portfolio),
        cmocka_unit_test(test_portfolio_between),   cmocka_unit_test(test_trace),
        cmocka_unit_test(test_configuration_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
