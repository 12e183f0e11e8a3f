/* Finds the input features that a model's scores depend on; others need not be evaluated. */
#include "nitro/runtime/model/model.h"
#include "nitro/runtime/scores/forest_tree.h"

/** The strategy's columns that some tree splits on. */
static void add_cuts(const nitro_forest *forest, bool *is_used)
{
    for (size_t t = 0; t < forest->num_trees; t++)
        for (size_t n = 0; n < forest->trees[t].num_nodes; n++)
            if (forest->trees[t].nodes[n].column != FOREST_LEAF)
                is_used[forest->trees[t].nodes[n].column] = true;
}

/** Columns that kernels depend on: those that varied in training; the others are always 0. */
static void add_varying(const nitro_model *model, bool *is_used)
{
    for (size_t i = 0; i < model->num_seen; i++) {
        const nitro_scaler_column *column = &model->columns[model->seen[i]];
        is_used[i] = is_used[i] || (column->high > column->low && !nitro_scaler_is_ignored(column));
    }
}

static uint64_t features_of_formula(const nitro_model *model, size_t relative)
{
    uint64_t features = 0;
    for (size_t f = 0; f < model->schema->num_features; f++)
        if (nitro_expression_uses(model->relative->formulas[relative], f))
            features |= UINT64_C(1) << f;
    return features;
}

uint64_t nitro_model_used_features(const nitro_model *model)
{
    bool is_used[NITRO_MODEL_MAX_COLUMNS] = {false};
    nitro_score_terms terms;
    uint64_t features = 0;
    if (!model->strategy->terms || nitro_model_parts(model, &terms) != NITRO_OK)
        return UINT64_MAX;
    for (size_t p = 0; p < terms.count; p++) {
        if (terms.items[p].kind == NITRO_TERM_TREES)
            add_cuts(terms.items[p].forest, is_used);
        else
            add_varying(model, is_used);
    }
    bool is_constant = true;
    for (size_t i = 0; i < model->num_seen; i++) {
        is_constant = is_constant && !is_used[i];
        if (is_used[i] && model->seen[i] < model->schema->num_features)
            features |= UINT64_C(1) << model->seen[i];
    }
    if (is_constant)
        return 0;
    /* All relative features count: an undefined one leads to the default variant. */
    for (size_t r = 0; r < model->schema->num_relative; r++)
        features |= features_of_formula(model, r);
    return features;
}

uint64_t nitro_model_ignored_features(const nitro_model *model)
{
    uint64_t ignored = 0;
    for (size_t f = 0; f < model->schema->num_features; f++)
        ignored |= (uint64_t)nitro_scaler_is_ignored(&model->columns[f]) << f;
    return ignored;
}

void nitro_model_judge(nitro_model *model, uint64_t features)
{
    model->judged = features;
}

bool nitro_model_knows(const nitro_model *model, uint64_t features)
{
    uint64_t all =
        model->schema->num_features ? UINT64_MAX >> (64 - model->schema->num_features) : 0;
    return (model->judged & all & ~features) == 0;
}
