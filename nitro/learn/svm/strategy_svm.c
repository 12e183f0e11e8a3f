/* Strategy "svm", the paper's: a C-SVC with an RBF kernel predicts the fastest variant of each row.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/json.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/folds.h"
#include "nitro/learn/svm/svm.h"
#include "nitro/learn/svm/svm_search.h"
#include "nitro/runtime/scores/score_terms.h"

#define MAX_ROWS NITRO_FOLDS_MAX_ROWS

typedef struct svm_predictor {
    size_t num_columns, num_variants;
    double c, gamma;
    double held_out_quality; /* percent, in cross-validation by input; NaN: too few inputs */
    nitro_svm_classifier *classifier;
    double *vectors; /* shape [classifier->num_vectors x num_columns] */
} svm_predictor;

static void svm_free(void *user)
{
    svm_predictor *svm = user;
    if (!svm)
        return;
    nitro_svm_classifier_free(svm->classifier);
    free(svm->vectors);
    free(svm);
}

/* ---- Training -------------------------------------------------------------------------------- */

/** The fastest variant of each row, the first declared of equal ones. */
static nitro_status find_labels(nitro_context *context, const nitro_training_set *set,
                                size_t *labels)
{
    for (size_t i = 0; i < set->num_rows; i++) {
        labels[i] = nitro_times_best(set->times_ms + i * set->num_variants, set->num_variants);
        if (labels[i] == NITRO_NONE)
            return nitro_fail(context, NITRO_ERR_ARGUMENT, "training row %zu has no time", i);
    }
    return NITRO_OK;
}

/** On a sample of at most MAX_ROWS rows: LIBSVM's time is more than quadratic. */
static nitro_status train_classifier(nitro_context *context, const nitro_training_set *set,
                                     const size_t *labels, svm_predictor *svm)
{
    nitro_folds sample = {0};
    nitro_status status = nitro_folds_draw(context, set, MAX_ROWS, 1, &sample);
    if (status == NITRO_OK)
        status = nitro_svm_classifier_train(context, set->columns, set->num_columns, sample.rows,
                                            sample.num_rows, labels, svm->c, svm->gamma,
                                            &svm->classifier);
    nitro_folds_free(&sample);
    return status;
}

static nitro_status copy_vectors(nitro_context *context, const nitro_training_set *set,
                                 svm_predictor *svm)
{
    size_t width = set->num_columns;
    svm->vectors =
        nitro_calloc(context, svm->classifier->num_vectors, width * sizeof *svm->vectors);
    if (!svm->vectors)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < svm->classifier->num_vectors; i++)
        memcpy(svm->vectors + i * width, set->columns + svm->classifier->vector_rows[i] * width,
               width * sizeof *svm->vectors);
    return NITRO_OK;
}

static nitro_status svm_train_strategy(nitro_context *context, const nitro_training_set *set,
                                       void **result, double *held_out_scores)
{
    nitro_status status = NITRO_ERR_NO_MEMORY;
    nitro_svm_choice choice;
    svm_predictor *svm = nitro_calloc(context, 1, sizeof *svm);
    size_t *labels = nitro_calloc(context, set->num_rows, sizeof *labels);
    if (!svm || !labels)
        goto free_all;
    svm->num_columns = set->num_columns;
    svm->num_variants = set->num_variants;
    status = find_labels(context, set, labels);
    if (status == NITRO_OK)
        status = nitro_svm_search(context, set, labels, &choice, held_out_scores);
    if (status != NITRO_OK)
        goto free_all;
    svm->c = choice.c;
    svm->gamma = choice.gamma;
    svm->held_out_quality = 100.0 * choice.quality;
    status = train_classifier(context, set, labels, svm);
    if (status == NITRO_OK)
        status = copy_vectors(context, set, svm);
    if (status != NITRO_OK)
        goto free_all;
    nitro_log(context, NITRO_LOG_DEBUG,
              "svm: %zu rows, C %g, gamma %g, held-out quality %.1f %%, %zu support vectors",
              set->num_rows, svm->c, svm->gamma, svm->held_out_quality,
              svm->classifier->num_vectors);
    *result = svm;
    free(labels);
    return NITRO_OK;

free_all:
    svm_free(svm);
    free(labels);
    return status;
}

/* ---- Scoring --------------------------------------------------------------------------------- */

static nitro_score_term only_term(const svm_predictor *svm)
{
    return (nitro_score_term){.kind = NITRO_TERM_VOTES,
                              .weight = 1.0,
                              .svm = svm->classifier,
                              .vectors = svm->vectors,
                              .gamma = svm->gamma};
}

static void svm_score(const void *user, const double *columns, double *scores)
{
    const svm_predictor *svm = user;
    nitro_score_term term = only_term(svm);
    nitro_score_term_score(&term, svm->num_columns, svm->num_variants, columns, scores);
}

static nitro_status svm_terms(nitro_context *context, const void *user, nitro_score_terms *terms)
{
    nitro_score_term term = only_term(user);
    return nitro_score_terms_add(context, terms, &term);
}

/* ---- To a model file ------------------------------------------------------------------------- */

static nitro_status svm_encode(nitro_context *context, const void *user, json_t **json)
{
    const svm_predictor *svm = user;
    const nitro_svm_classifier *classifier = svm->classifier;
    size_t count = classifier->num_classes;
    json_t *made = json_pack(
        "{s:f, s:f, s:o, s:o, s:o, s:o, s:o}", "c", svm->c, "gamma", svm->gamma, "classes",
        nitro_json_from_counts(classifier->classes, count), "class_vectors",
        nitro_json_from_counts(classifier->class_vectors, count), "rho",
        nitro_json_from_numbers(classifier->rho, nitro_svm_num_pairs(count)), "coefficients",
        nitro_json_from_rows(classifier->coefficients, classifier->num_vectors, count - 1),
        "vectors", nitro_json_from_rows(svm->vectors, classifier->num_vectors, svm->num_columns));
    if (isfinite(svm->held_out_quality))
        nitro_json_put(&made, "held_out_quality", json_real(svm->held_out_quality));
    if (!made)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: cannot encode the svm");
    *json = made;
    return NITRO_OK;
}

/* ---- From a model file ----------------------------------------------------------------------- */

typedef struct svm_fields {
    json_t *classes, *class_vectors, *rho, *coefficients, *vectors;
} svm_fields;

static nitro_status find_fields(const nitro_json_place *place, const json_t *json,
                                svm_fields *fields)
{
    const struct {
        const char *key;
        json_t **member;
    } members[] = {{"classes", &fields->classes},
                   {"class_vectors", &fields->class_vectors},
                   {"rho", &fields->rho},
                   {"coefficients", &fields->coefficients},
                   {"vectors", &fields->vectors}};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof members / sizeof members[0] && status == NITRO_OK; i++)
        status = nitro_json_member(place, json, members[i].key, JSON_ARRAY, members[i].member);
    return status;
}

/** Classes are variants, ascending. */
static nitro_status decode_classes(const nitro_json_place *place, const json_t *classes,
                                   size_t num_variants, nitro_svm_classifier *classifier)
{
    for (size_t k = 0; k < classifier->num_classes; k++) {
        const json_t *item = json_array_get(classes, k);
        json_int_t variant = json_integer_value(item);
        json_int_t least = k ? (json_int_t)classifier->classes[k - 1] + 1 : 0;
        if (!json_is_integer(item) || variant < least || variant >= (json_int_t)num_variants)
            return nitro_fail(place->context, NITRO_ERR_FORMAT,
                              "%s: field %s.classes must be ascending indices of %zu variants",
                              place->path, place->field, num_variants);
        classifier->classes[k] = (size_t)variant;
    }
    return NITRO_OK;
}

/** How many vectors each class has; all of them together. */
static nitro_status decode_class_vectors(const nitro_json_place *place, const json_t *counts,
                                         nitro_svm_classifier *classifier)
{
    size_t left = classifier->num_vectors;
    bool valid = json_array_size(counts) == classifier->num_classes;
    for (size_t k = 0; valid && k < classifier->num_classes; k++) {
        const json_t *item = json_array_get(counts, k);
        json_int_t count = json_integer_value(item);
        valid = json_is_integer(item) && count >= 0 && (uint64_t)count <= left;
        classifier->class_vectors[k] = valid ? (size_t)count : 0;
        left -= classifier->class_vectors[k];
    }
    if (valid && left == 0)
        return NITRO_OK;
    return nitro_fail(place->context, NITRO_ERR_FORMAT,
                      "%s: field %s.class_vectors must be %zu counts that add up to the number "
                      "of vectors, %zu",
                      place->path, place->field, classifier->num_classes, classifier->num_vectors);
}

static nitro_status decode_classifier(const nitro_json_place *place, const svm_fields *fields,
                                      svm_predictor *svm)
{
    nitro_svm_classifier *classifier = svm->classifier;
    size_t count = classifier->num_classes;
    nitro_status status = decode_classes(place, fields->classes, svm->num_variants, classifier);
    if (status == NITRO_OK)
        status = decode_class_vectors(place, fields->class_vectors, classifier);
    if (status == NITRO_OK)
        status = nitro_json_numbers(place, fields->rho, "rho", nitro_svm_num_pairs(count),
                                    classifier->rho);
    if (status == NITRO_OK)
        status = nitro_json_rows(place, fields->coefficients, "coefficients", count - 1,
                                 classifier->coefficients);
    if (status == NITRO_OK)
        status = nitro_json_rows(place, fields->vectors, "vectors", svm->num_columns, svm->vectors);
    return status;
}

/** Allocates for arrays that were read and checked, not for sizes that a file claims. */
static nitro_status create_predictor(const nitro_json_place *place, const svm_fields *fields,
                                     size_t num_columns, size_t num_variants,
                                     svm_predictor **result)
{
    size_t num_classes = json_array_size(fields->classes);
    size_t num_vectors = json_array_size(fields->vectors);
    if (num_classes < 1 || num_classes > num_variants)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field %s.classes has %zu items, but must have 1 to %zu", place->path,
                          place->field, num_classes, num_variants);
    nitro_status status =
        nitro_json_check_rows(place, fields->vectors, "vectors", num_vectors, num_columns);
    if (status == NITRO_OK)
        status = nitro_json_check_rows(place, fields->coefficients, "coefficients", num_vectors,
                                       num_classes - 1);
    if (status != NITRO_OK)
        return status;
    svm_predictor *svm = nitro_calloc(place->context, 1, sizeof *svm);
    if (!svm)
        return NITRO_ERR_NO_MEMORY;
    svm->num_columns = num_columns;
    svm->num_variants = num_variants;
    svm->vectors = nitro_calloc(place->context, num_vectors, num_columns * sizeof *svm->vectors);
    status = svm->vectors ? nitro_svm_classifier_create(place->context, num_classes, num_vectors,
                                                        &svm->classifier)
                          : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        *result = svm;
    else
        svm_free(svm);
    return status;
}

static nitro_status decode_parameters(const nitro_json_place *place, const json_t *json,
                                      svm_predictor *svm)
{
    nitro_status status = nitro_json_number(place, json, "c", &svm->c);
    if (status == NITRO_OK)
        status = nitro_json_number(place, json, "gamma", &svm->gamma);
    svm->held_out_quality = NAN;
    if (status == NITRO_OK && json_object_get(json, "held_out_quality"))
        status = nitro_json_number(place, json, "held_out_quality", &svm->held_out_quality);
    if (status == NITRO_OK && !(svm->gamma > 0.0))
        status = nitro_fail(place->context, NITRO_ERR_FORMAT,
                            "%s: field %s.gamma is %g, but must be positive", place->path,
                            place->field, svm->gamma);
    return status;
}

static nitro_status svm_decode(nitro_context *context, const char *path, const json_t *json,
                               size_t num_columns, size_t num_variants, void **result)
{
    nitro_json_place place = {context, path, "predictor"};
    svm_fields fields = {0};
    svm_predictor *svm = NULL;
    nitro_status status = find_fields(&place, json, &fields);
    if (status == NITRO_OK)
        status = create_predictor(&place, &fields, num_columns, num_variants, &svm);
    if (status != NITRO_OK)
        return status;
    status = decode_parameters(&place, json, svm);
    if (status == NITRO_OK)
        status = decode_classifier(&place, &fields, svm);
    if (status == NITRO_OK)
        *result = svm;
    else
        svm_free(svm);
    return status;
}

const nitro_strategy nitro_strategy_svm = {
    .name = "svm",
    .description = "C-SVC with an RBF kernel on the fastest variant of each sample (the paper's)",
    .priority = 10,
    .dfs = "none",
    .without_relative = true,
    .train = svm_train_strategy,
    .score = svm_score,
    .terms = svm_terms,
    .encode = svm_encode,
    .decode = svm_decode,
    .free = svm_free,
};
