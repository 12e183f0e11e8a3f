/* Bench "benefit": total times of ways to choose, over the oracle's. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/benefit.h"

/* Some of the test inputs. */
typedef enum group { IN_RANGE, OUTSIDE, ALL, NUM_GROUPS } group;
static const char *const group_names[] = {"in range", "outside", "all"};

static bool contains(group in, const benefit_input *input)
{
    return in == ALL || input->outside == (in == OUTSIDE);
}

static size_t count_inputs(const benefit_setting *s, group in)
{
    size_t count = 0;
    for (size_t i = 0; i < s->num_inputs; i++)
        count += contains(in, &s->inputs[i]);
    return count;
}

static double cost_ms(const benefit_input *input, size_t variant, double num_uses)
{
    return input->prepare_ms[variant] + num_uses * input->run_ms[variant];
}

/* The variant with the least time for preparing and all uses. */
static size_t best_for(const benefit_setting *s, const benefit_input *input, double num_uses)
{
    size_t best = input->usual;
    for (size_t v = 0; v < s->num_variants; v++)
        if (cost_ms(input, v, num_uses) < cost_ms(input, best, num_uses))
            best = v;
    return best;
}

/* Total times of one group and number of uses. */
typedef struct totals {
    double oracle, usual, by_rule, library, chosen, deciding;
    double fixed[NITRO_MAX_VARIANTS];
} totals;

static void add_input(const benefit_setting *s, const benefit_input *input, size_t u, totals *sum)
{
    for (size_t v = 0; v < s->num_variants; v++) {
        size_t used = isfinite(input->run_ms[v]) ? v : input->usual;
        sum->fixed[v] += cost_ms(input, used, benefit_uses[u]);
    }
    sum->oracle += cost_ms(input, best_for(s, input, benefit_uses[u]), benefit_uses[u]);
    sum->usual += cost_ms(input, input->usual, benefit_uses[u]);
    sum->by_rule += cost_ms(input, input->by_rule, benefit_uses[u]);
    sum->library += input->library_prepare_ms + benefit_uses[u] * input->library_run_ms;
    sum->deciding += input->select_ms[u];
    sum->chosen += input->select_ms[u] + cost_ms(input, input->chosen[u], benefit_uses[u]);
}

static void report_group(bench_report *report, const benefit_setting *s, group in, size_t u)
{
    totals sum = {0};
    size_t best = 0;
    char name[160];
    for (size_t i = 0; i < s->num_inputs; i++)
        if (contains(in, &s->inputs[i]))
            add_input(s, &s->inputs[i], u, &sum);
    for (size_t v = 1; v < s->num_variants; v++)
        best = sum.fixed[v] < sum.fixed[best] ? v : best;
    const char *fixed = nitro_computation_variant_name(s->computation, best);
    const struct {
        const char *name;
        double total_ms;
    } rows[] = {
        {"default", sum.usual}, {fixed, sum.fixed[best]},
        {"rule", sum.by_rule},  {"MKL with hints", sum.library},
        {"auto", sum.chosen},   {"auto: features and deciding", sum.deciding},
    };
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        if (isnan(rows[r].total_ms))
            continue;
        snprintf(name, sizeof(name), "%s/%s (%zu)/%g uses/%s%s", s->module->name, group_names[in],
                 count_inputs(s, in), benefit_uses[u], r == 1 ? "best fixed: " : "", rows[r].name);
        bench_add(report, name, rows[r].total_ms, sum.oracle, "ms", 0);
    }
}

static double best_run_ms(const benefit_setting *s, const benefit_input *input)
{
    double best = INFINITY;
    for (size_t v = 0; v < s->num_variants; v++)
        best = fmin(best, input->run_ms[v]);
    return best;
}

static void report_quality(bench_report *report, const benefit_setting *s, group in)
{
    double sum = 0, best_fixed = 0, fixed[NITRO_MAX_VARIANTS] = {0};
    double count = (double)count_inputs(s, in);
    char name[160];
    for (size_t i = 0; i < s->num_inputs; i++) {
        const benefit_input *input = &s->inputs[i];
        double best = best_run_ms(s, input);
        if (!contains(in, input))
            continue;
        sum += 100 * best / input->run_ms[input->chosen[BENEFIT_NUM_USES - 1]];
        for (size_t v = 0; v < s->num_variants; v++) {
            size_t used = isfinite(input->run_ms[v]) ? v : input->usual;
            fixed[v] += 100 * best / input->run_ms[used];
            best_fixed = fmax(best_fixed, fixed[v]);
        }
    }
    snprintf(name, sizeof(name), "%s/%s (%g)/quality", s->module->name, group_names[in], count);
    bench_add(report, name, sum / count, best_fixed / count, "%", 0);
}

static double lost_ms(const benefit_setting *s, const benefit_input *input, size_t u)
{
    return cost_ms(input, input->chosen[u], benefit_uses[u]) -
           cost_ms(input, best_for(s, input, benefit_uses[u]), benefit_uses[u]);
}

static void list_worst(const benefit_setting *s, size_t u, size_t count)
{
    bool is_listed[s->num_inputs];
    memset(is_listed, 0, sizeof(is_listed));
    for (size_t n = 0; n < count && n < s->num_inputs; n++) {
        size_t worst = s->num_inputs;
        for (size_t i = 0; i < s->num_inputs; i++)
            if (!is_listed[i] && (worst == s->num_inputs ||
                                  lost_ms(s, &s->inputs[i], u) > lost_ms(s, &s->inputs[worst], u)))
                worst = i;
        const benefit_input *input = &s->inputs[worst];
        size_t best = best_for(s, input, benefit_uses[u]), chosen = input->chosen[u];
        is_listed[worst] = true;
        fprintf(stderr, "%g uses: %s: %s takes %.4g ms, %s %.4g ms\n", benefit_uses[u], input->name,
                nitro_computation_variant_name(s->computation, chosen),
                cost_ms(input, chosen, benefit_uses[u]),
                nitro_computation_variant_name(s->computation, best),
                cost_ms(input, best, benefit_uses[u]));
    }
}

void benefit_add(bench_report *report, const benefit_setting *s, size_t num_worst)
{
    for (size_t u = 0; u < BENEFIT_NUM_USES; u++)
        list_worst(s, u, num_worst);
    for (group in = 0; in < NUM_GROUPS; in++) {
        size_t count = count_inputs(s, in);
        if (count == 0 || (in == ALL && count == count_inputs(s, IN_RANGE)))
            continue;
        for (size_t u = 0; u < BENEFIT_NUM_USES; u++)
            report_group(report, s, in, u);
        report_quality(report, s, in);
    }
}
