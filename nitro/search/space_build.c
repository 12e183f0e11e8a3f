/* Builds a space's decision diagram from its constraints, by backtracking on value indices. What is
 * below a node depends only on those earlier parameters that a later constraint reads: where these
 * are few, equal situations are looked up instead of searched again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/search/space_internal.h"

/* Situations at one level and the nodes that they lead to. */
typedef struct level_memo {
    size_t num_keys;      /* earlier parameters that a constraint reads at this level or later */
    size_t *keys;         /* shape [num_keys]: parameters */
    bool worthwhile;      /* do situations repeat? */
    uint16_t *situations; /* shape [count x num_keys] */
    uint32_t *found;      /* shape [count]: nodes, or SPACE_NO_NODE */
    uint32_t *slots;      /* shape [num_slots]: 1 + position; 0: free */
    size_t count, num_slots;
} level_memo;

typedef struct level_test {
    const space_constraint *constraint;
    uint64_t undefined; /* times that it had no value */
} level_test;

typedef struct builder {
    nitro_context *context;
    nitro_space *space;
    const char *origin;
    double *const *numbers;
    space_nodes nodes;
    size_t num_tests;
    level_test *tests;  /* shape [num_tests], by level */
    size_t *first_test; /* shape [num_parameters + 1] */
    level_memo *memos;  /* shape [num_parameters] */
    uint64_t memo_bytes;
    uint64_t num_tested;
    double values[NITRO_MAX_PARAMETERS];
    uint16_t indices[NITRO_MAX_PARAMETERS];
    uint16_t *edge_values[NITRO_MAX_PARAMETERS]; /* of the node under construction of each level */
    uint32_t *edge_children[NITRO_MAX_PARAMETERS];
} builder;

/* ---- The order of parameters ----------------------------------------------------------------- */

/* How many combinations do the constraint's unplaced parameters have? 1: all are placed. */
static double unplaced_product(const nitro_space *space, const space_constraint *constraint,
                               const bool *placed)
{
    double product = 1;
    for (size_t p = 0; p < space->num_parameters; p++)
        if (!placed[p] && nitro_expression_uses(constraint->expression, p))
            product *= (double)space->parameters[p].num_values;
    return product;
}

static bool is_linked(const nitro_space *space, const space_constraint *constraint,
                      const bool *placed)
{
    for (size_t p = 0; p < space->num_parameters; p++)
        if (placed[p] && space->parameters[p].num_values > 1 &&
            nitro_expression_uses(constraint->expression, p))
            return true;
    return false;
}

static void place(nitro_space *space, size_t parameter, bool *placed, size_t *count)
{
    placed[parameter] = true;
    space->order[(*count)++] = parameter;
}

/* Constants first; then constraints from the smallest, those linked to placed parameters before
 * others, so that groups stay together; then what no constraint reads. */
static void order_parameters(nitro_space *space, const space_constraint *constraints,
                             size_t num_constraints)
{
    bool placed[NITRO_MAX_PARAMETERS] = {false};
    size_t count = 0;
    for (size_t p = 0; p < space->num_parameters; p++)
        if (space->parameters[p].num_values == 1)
            place(space, p, placed, &count);
    for (;;) {
        const space_constraint *next = NULL;
        double least = INFINITY;
        bool linked = false;
        for (size_t c = 0; c < num_constraints; c++) {
            double product = unplaced_product(space, &constraints[c], placed);
            bool is_here = product > 1 && is_linked(space, &constraints[c], placed);
            if (product > 1 && (is_here > linked || (is_here == linked && product < least))) {
                next = &constraints[c];
                least = product;
                linked = is_here;
            }
        }
        if (!next)
            break;
        for (size_t p = 0; p < space->num_parameters; p++)
            if (!placed[p] && nitro_expression_uses(next->expression, p))
                place(space, p, placed, &count);
    }
    for (size_t p = 0; p < space->num_parameters; p++)
        if (!placed[p])
            place(space, p, placed, &count);
}

/* ---- Levels ---------------------------------------------------------------------------------- */

/* The level at which the constraint's last parameter is set. */
static size_t level_of(const nitro_space *space, const space_constraint *constraint)
{
    size_t level = 0;
    for (size_t l = 0; l < space->num_parameters; l++)
        if (nitro_expression_uses(constraint->expression, space->order[l]))
            level = l;
    return level;
}

static nitro_status plan_tests(builder *build, const space_constraint *constraints, size_t count)
{
    size_t num_levels = build->space->num_parameters;
    build->tests = nitro_calloc(build->context, count, sizeof(*build->tests));
    build->first_test = nitro_calloc(build->context, num_levels + 1, sizeof(*build->first_test));
    if (!build->tests || !build->first_test)
        return NITRO_ERR_NO_MEMORY;
    build->num_tests = 0;
    for (size_t level = 0; level < num_levels; level++) {
        build->first_test[level] = build->num_tests;
        for (size_t c = 0; c < count; c++)
            if (level_of(build->space, &constraints[c]) == level)
                build->tests[build->num_tests++].constraint = &constraints[c];
    }
    build->first_test[num_levels] = build->num_tests;
    return NITRO_OK;
}

static bool is_read_later(const builder *build, size_t parameter, size_t level)
{
    for (size_t t = build->first_test[level]; t < build->num_tests; t++)
        if (nitro_expression_uses(build->tests[t].constraint->expression, parameter))
            return true;
    return false;
}

static nitro_status plan_level(builder *build, size_t level)
{
    const nitro_space *space = build->space;
    level_memo *memo = &build->memos[level];
    size_t parameter = space->order[level], num_values = space->parameters[parameter].num_values;
    memo->keys = nitro_calloc(build->context, level, sizeof(*memo->keys));
    build->edge_values[level] = nitro_calloc(build->context, num_values, sizeof(uint16_t));
    build->edge_children[level] = nitro_calloc(build->context, num_values, sizeof(uint32_t));
    if (!memo->keys || !build->edge_values[level] || !build->edge_children[level])
        return NITRO_ERR_NO_MEMORY;
    for (size_t l = 0; l < level; l++) {
        if (space->parameters[space->order[l]].num_values == 1)
            continue;
        if (is_read_later(build, space->order[l], level))
            memo->keys[memo->num_keys++] = space->order[l];
        else
            memo->worthwhile = true;
    }
    return NITRO_OK;
}

/* ---- Situations ------------------------------------------------------------------------------ */

static uint64_t read_situation(const builder *build, const level_memo *memo, uint16_t *situation)
{
    for (size_t k = 0; k < memo->num_keys; k++)
        situation[k] = build->indices[memo->keys[k]];
    return nitro_hash(situation, memo->num_keys * sizeof(*situation), 0);
}

static size_t find_slot(const level_memo *memo, const uint16_t *situation, uint64_t hash)
{
    size_t slot = hash & (memo->num_slots - 1), bytes = memo->num_keys * sizeof(*situation);
    while (memo->slots[slot] != 0 &&
           memcmp(memo->situations + (memo->slots[slot] - 1) * memo->num_keys, situation, bytes))
        slot = (slot + 1) & (memo->num_slots - 1);
    return slot;
}

static nitro_status grow_memo(builder *build, level_memo *memo)
{
    size_t capacity = memo->num_slots ? memo->num_slots : 32; /* half full at most */
    size_t bytes = capacity * (memo->num_keys * sizeof(uint16_t) + 4 + 8);
    build->memo_bytes += memo->num_slots ? bytes / 2 : bytes;
    if (build->memo_bytes > SPACE_MAX_BYTES)
        return nitro_fail(build->context, NITRO_ERR_UNSUPPORTED,
                          "%s: the constraints link too many parameters to count the "
                          "configurations within %u MB. Remove values or split the space",
                          build->origin, (unsigned)(SPACE_MAX_BYTES >> 20));
    uint16_t *situations =
        realloc(memo->situations, capacity * (memo->num_keys + 1) * sizeof(*situations));
    if (situations)
        memo->situations = situations;
    uint32_t *found = realloc(memo->found, capacity * sizeof(*found));
    if (found)
        memo->found = found;
    uint32_t *slots = nitro_calloc(build->context, 2 * capacity, sizeof(*slots));
    if (!situations || !found || !slots) {
        free(slots);
        return nitro_fail(build->context, NITRO_ERR_NO_MEMORY, "out of memory: space");
    }
    free(memo->slots);
    memo->slots = slots;
    memo->num_slots = 2 * capacity;
    for (size_t i = 0; i < memo->count; i++) {
        const uint16_t *situation = memo->situations + i * memo->num_keys;
        uint64_t hash = nitro_hash(situation, memo->num_keys * sizeof(*situation), 0);
        slots[find_slot(memo, situation, hash)] = (uint32_t)i + 1;
    }
    return NITRO_OK;
}

static nitro_status remember(builder *build, level_memo *memo, uint32_t node)
{
    uint16_t situation[NITRO_MAX_PARAMETERS];
    if (2 * memo->count >= memo->num_slots) {
        nitro_status status = grow_memo(build, memo);
        if (status != NITRO_OK)
            return status;
    }
    uint64_t hash = read_situation(build, memo, situation);
    memcpy(memo->situations + memo->count * memo->num_keys, situation,
           memo->num_keys * sizeof(*situation));
    memo->found[memo->count] = node;
    memo->slots[find_slot(memo, situation, hash)] = (uint32_t)++memo->count;
    return NITRO_OK;
}

/* ---- Backtracking ---------------------------------------------------------------------------- */

static bool is_allowed(builder *build, size_t level)
{
    for (size_t t = build->first_test[level]; t < build->first_test[level + 1]; t++) {
        build->num_tested++;
        double value =
            nitro_expression_evaluate(build->tests[t].constraint->expression, build->values);
        build->tests[t].undefined += isnan(value) ? 1 : 0;
        if (isnan(value) || value == 0)
            return false;
    }
    return true;
}

static nitro_status build_node(builder *build, size_t level, uint32_t *node);

static nitro_status search_node(builder *build, size_t level, uint32_t *node)
{
    size_t parameter = build->space->order[level], count = 0;
    size_t num_values = build->space->parameters[parameter].num_values;
    for (size_t v = 0; v < num_values; v++) {
        build->indices[parameter] = (uint16_t)v;
        build->values[parameter] = build->numbers[parameter][v];
        if (!is_allowed(build, level))
            continue;
        uint32_t child;
        nitro_status status = build_node(build, level + 1, &child);
        if (status != NITRO_OK)
            return status;
        if (child == SPACE_NO_NODE)
            continue;
        build->edge_values[level][count] = (uint16_t)v;
        build->edge_children[level][count++] = child;
    }
    if (build->num_tested > SPACE_MAX_TESTS)
        return nitro_fail(
            build->context, NITRO_ERR_UNSUPPORTED,
            "%s: more than %.0g combinations were tried and the space is not counted: "
            "its constraints link too many parameters. Remove values, or split a "
            "constraint into ones of fewer parameters",
            build->origin, (double)SPACE_MAX_TESTS);
    *node = SPACE_NO_NODE;
    if (count == 0)
        return NITRO_OK;
    return space_nodes_make(&build->nodes, build->edge_values[level], build->edge_children[level],
                            count, node);
}

static nitro_status build_node(builder *build, size_t level, uint32_t *node)
{
    if (level == build->space->num_parameters) {
        *node = SPACE_LEAF;
        return NITRO_OK;
    }
    level_memo *memo = &build->memos[level];
    if (memo->worthwhile && memo->count > 0) {
        uint16_t situation[NITRO_MAX_PARAMETERS];
        uint64_t hash = read_situation(build, memo, situation);
        uint32_t found = memo->slots[find_slot(memo, situation, hash)];
        if (found != 0) {
            *node = memo->found[found - 1];
            return NITRO_OK;
        }
    }
    nitro_status status = search_node(build, level, node);
    if (status == NITRO_OK && memo->worthwhile)
        status = remember(build, memo, *node);
    return status;
}

static void warn_undefined(const builder *build)
{
    for (size_t t = 0; t < build->num_tests; t++) {
        bool is_first = build->tests[t].undefined > 0;
        for (size_t other = 0; other < t; other++)
            is_first &= build->tests[other].undefined == 0 ||
                        build->tests[other].constraint->text != build->tests[t].constraint->text;
        if (is_first)
            nitro_log(build->context, NITRO_LOG_WARNING,
                      "%s: the constraint '%s' has no value for some configurations (it divides by "
                      "zero there, say): they are excluded",
                      build->origin, build->tests[t].constraint->text);
    }
}

static void free_builder(builder *build)
{
    for (size_t level = 0; level < build->space->num_parameters; level++) {
        if (build->memos) {
            free(build->memos[level].keys);
            free(build->memos[level].situations);
            free(build->memos[level].found);
            free(build->memos[level].slots);
        }
        free(build->edge_values[level]);
        free(build->edge_children[level]);
    }
    free(build->memos);
    free(build->tests);
    free(build->first_test);
}

nitro_status nitro_space_build(nitro_context *context, nitro_space *space, const char *origin,
                               double *const *numbers, const space_constraint *constraints,
                               size_t num_constraints)
{
    builder build = {.context = context,
                     .space = space,
                     .origin = origin,
                     .numbers = numbers,
                     .nodes = {.context = context, .space = space, .origin = origin}};
    order_parameters(space, constraints, num_constraints);
    build.memos = nitro_calloc(context, space->num_parameters, sizeof(*build.memos));
    nitro_status status =
        build.memos ? plan_tests(&build, constraints, num_constraints) : NITRO_ERR_NO_MEMORY;
    for (size_t level = 0; status == NITRO_OK && level < space->num_parameters; level++)
        status = plan_level(&build, level);
    if (status == NITRO_OK)
        status = space_nodes_begin(&build.nodes);
    uint32_t root = SPACE_NO_NODE;
    if (status == NITRO_OK)
        status = build_node(&build, 0, &root);
    if (status == NITRO_OK)
        warn_undefined(&build);
    if (status == NITRO_OK && root == SPACE_NO_NODE)
        status = nitro_fail(context, NITRO_ERR_FORMAT,
                            "%s: the space is empty: no combination of the values satisfies all "
                            "constraints",
                            origin);
    status = space_nodes_end(&build.nodes, status, root);
    free_builder(&build);
    return status;
}
