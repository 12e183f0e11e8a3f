/* Ensembles: the scores of subsets of their members. */
#include <jansson.h>
#include <math.h>

#include "unit/learn/strategy_fixture.h"

/* A predictor of some members, also from a file, scores a constant multiple of their sum. */
static void check_mix(const nitro_strategy *strategy, uint64_t mix)
{
    fixture *f = make_fixture(150, 4);
    trained all = train(f, strategy);
    f->set.members = mix;
    trained some = train(f, strategy), back = {strategy, NULL, NULL};
    char *text = text_of(f, &some);
    json_t *json = json_loads(text, 0, NULL);
    assert_ok(f->context,
              strategy->decode(f->context, "m.json", json, COLUMNS, VARIANTS, &back.predictor));
    double *scores = scores_of(&some, f), *back_scores = scores_of(&back, f);
    assert_memory_equal(scores, back_scores, 150 * VARIANTS * sizeof(double));
    double multiple = NAN;
    for (size_t row = 0; row < 150; row++) {
        double own[NITRO_MAX_MEMBERS * VARIANTS];
        strategy->score_members(all.predictor, f->columns + row * COLUMNS, own);
        for (size_t v = 0; v < VARIANTS; v++) {
            double sum = 0.0;
            for (size_t m = 0; m < strategy->num_members; m++)
                sum += mix >> m & 1 ? own[m * VARIANTS + v] : 0.0;
            if (isnan(multiple))
                multiple = sum / scores[row * VARIANTS + v];
            assert_true(fabs(multiple * scores[row * VARIANTS + v] - sum) < 1e-9);
        }
    }
    assert_true(multiple > 0.0);
    void *none = NULL;
    json_object_set_new(json, "oracle", json_object());
    assert_fails(f->context, strategy->decode(f->context, "m.json", json, COLUMNS, VARIANTS, &none),
                 NITRO_ERR_FORMAT, "kernel-ridge, boosted or both, and nothing else");
    free(scores);
    free(back_scores);
    free(text);
    json_decref(json);
    discard(&all);
    discard(&some);
    discard(&back);
    free_fixture(f);
}

static void check_mixes(const nitro_strategy *strategy)
{
    if (strategy->num_members == 0)
        return;
    assert_true(strategy->num_members <= NITRO_MAX_MEMBERS);
    for (uint64_t mix = 1; mix < UINT64_C(1) << strategy->num_members; mix++)
        check_mix(strategy, mix);
    nitro_context *context = unit_context();
    json_t *empty = json_object(), *stranger = json_pack("{s:{}}", "oracle"),
           *broken = json_pack("{s:[]}", "boosted");
    void *predictor = NULL;
    assert_fails(context, strategy->decode(context, "m.json", empty, COLUMNS, VARIANTS, &predictor),
                 NITRO_ERR_FORMAT, "m.json: field predictor: expected kernel-ridge, boosted or");
    assert_fails(context,
                 strategy->decode(context, "m.json", stranger, COLUMNS, VARIANTS, &predictor),
                 NITRO_ERR_FORMAT, "m.json: field predictor: expected kernel-ridge, boosted or");
    assert_fails(context,
                 strategy->decode(context, "m.json", broken, COLUMNS, VARIANTS, &predictor),
                 NITRO_ERR_FORMAT, "m.json: field predictor.boosted must be an object");
    json_decref(empty);
    json_decref(stranger);
    json_decref(broken);
    nitro_context_free(context);
}

static void test_mixes(void **state)
{
    (void)state;
    for_each(check_mixes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
