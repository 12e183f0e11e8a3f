/* model_report.c - prints the library's summary of a model. A strategy's own entries are printed
 * generically, so that a new strategy needs no code here. */
#include "apps/cli/model_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMED 5 /* measured inputs that are printed; JSON has all */

json_t *model_summary(const nitro_model *model)
{
    char *text = NULL;
    if (nitro_model_summary(model, &text) != NITRO_OK)
        return NULL;
    json_t *summary = json_loads(text, 0, NULL);
    free(text);
    return summary;
}

json_t *model_json(const invocation *call, const nitro_model *model, const char *path)
{
    json_t *summary = model_summary(model);
    if (!summary)
        fail(call);
    else
        json_object_set_new(summary, "model", json_text(path));
    return summary;
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static long long count_of(json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void print_sources(json_t *sources)
{
    size_t i;
    json_t *source;
    json_array_foreach(sources, i, source)
    {
        const char *kind = text_of(source, "kind");
        bool modelled = kind && strcmp(kind, "model") == 0;
        long long samples = count_of(source, "samples");
        printf("%-16s %s: %lld sample%s%s\n", i ? "" : "trained on", text_of(source, "device"),
               samples, samples == 1 ? "" : "s", modelled ? " (modelled)" : "");
    }
}

static void print_device_features(json_t *features)
{
    size_t i;
    json_t *feature;
    printf("%-16s ", "device features");
    json_array_foreach(features, i, feature)
    {
        printf("%s%s = %.6g", i ? ", " : "", text_of(feature, "name"), number_of(feature, "value"));
    }
    printf("%s\n", i ? "" : "none");
}

/** P-DFS in one line: of "profile", and of the first step of "both". */
static void print_profiles(json_t *report)
{
    json_t *first = json_object_get(report, "profile");
    const char *summary = text_of(first ? first : report, "summary");
    const char *reason = text_of(first ? first : report, "skipped");
    if (summary || reason)
        printf("%-16s %s%s\n", "profiles", reason ? "skipped: " : "", reason ? reason : summary);
}

/** The best device features on one validation device. */
static void print_validation_device(json_t *target)
{
    size_t i;
    json_t *name, *best = json_object_get(target, "best");
    printf("%-16s %s: ", "", text_of(target, "device"));
    json_array_foreach(best, i, name)
    {
        printf("%s%s", i ? ", " : "", json_string_value(name));
    }
    if (i == 0 && !json_object_get(target, "quality_without"))
        printf("not evaluated\n");
    else if (i == 0)
        printf("no device feature, %.1f %%\n", number_of(target, "quality_without"));
    else
        printf(" %.1f %%, without %.1f %%\n", number_of(target, "quality"),
               number_of(target, "quality_without"));
}

static void print_votes(json_t *features)
{
    size_t i, count = 0;
    json_t *feature;
    json_array_foreach(features, i, feature)
    {
        double votes = number_of(feature, "votes");
        if (votes > 0.0)
            printf("%s%s %.2f", count++ ? ", " : "", text_of(feature, "name"), votes);
    }
    printf("%s\n", count ? "" : "none");
}

/** Device features for which the target is outside the training range. */
static void print_outside_range(json_t *features)
{
    size_t i;
    json_t *feature;
    json_array_foreach(features, i, feature)
    {
        printf("%-16s %s: target outside the sources' range by %.2g times its width; validated up "
               "to %.2g\n",
               i ? "" : "outside range", text_of(feature, "name"), number_of(feature, "outside"),
               number_of(feature, "tried"));
    }
}

/** What the search for device features found on the sources. */
static void print_search(json_t *report)
{
    size_t i;
    json_t *target;
    const char *reason = text_of(report, "reason");
    if (!report)
        return;
    print_outside_range(json_object_get(report, "outside_range"));
    printf("%-16s ", "search");
    if (reason) {
        printf("selected none: %s\n", reason);
        return;
    }
    printf("%lld subsets on each validation device: %lld models, %lld distinct\n",
           count_of(report, "subsets"), count_of(report, "models"), count_of(report, "trained"));
    json_array_foreach(json_object_get(report, "validation_devices"), i, target)
    {
        print_validation_device(target);
    }
    printf("%-16s ", "votes");
    print_votes(json_object_get(report, "features"));
}

/** The search's part of a selection's report; NULL: none. */
static json_t *search_report(json_t *report)
{
    const char *selection = text_of(report, "selection");
    if (selection && strcmp(selection, "both") == 0)
        return json_object_get(report, "cv");
    return selection && strcmp(selection, "cv") == 0 ? report : NULL;
}

/** Their names, and what the target has for their formulas. */
static void print_relative_features(json_t *features, json_t *values)
{
    size_t i;
    json_t *feature, *value;
    const char *name;
    if (json_array_size(features) == 0)
        return;
    printf("%-16s ", "relative");
    json_array_foreach(features, i, feature)
    {
        printf("%s%s", i ? ", " : "", text_of(feature, "name"));
    }
    i = 0;
    json_object_foreach(values, name, value)
    {
        printf("%s%s = %.6g", i++ ? ", " : " (", name, json_number_value(value));
    }
    printf("%s\n", i ? ")" : "");
}

/** "held_out_quality" with blanks. */
static void spell_name(const char *key, char *name, size_t size)
{
    snprintf(name, size, "%s", key);
    for (char *each = name; *each; each++)
        if (*each == '_')
            *each = ' ';
}

/** By how much runs are longer without some features. */
static void print_feature_gain(double percent)
{
    if (fabs(percent) < 0.005)
        printf(", no gain");
    else if (percent < 100)
        printf(", gain %.2f %%", percent);
    else
        printf(", runs take %.*f times as long without", percent < 900 ? 1 : 0, 1 + percent / 100);
}

/** Groups of input features: what they cost and gain, in percent of the time of runs. */
static void print_feature_costs(json_t *groups)
{
    size_t i;
    json_t *group;
    json_array_foreach(groups, i, group)
    {
        json_t *names = json_object_get(group, "features");
        json_t *gain = json_object_get(group, "gain_percent");
        size_t count = json_array_size(names);
        printf("%-16s %s", i ? "" : "features", json_string_value(json_array_get(names, 0)));
        if (count > 1)
            printf(" and %zu more", count - 1);
        double cost = number_of(group, "cost_percent");
        printf(cost < 100 ? ": cost %.2g %% of 100 runs" : ": cost %.0f %% of 100 runs", cost);
        if (json_is_number(gain))
            print_feature_gain(json_number_value(gain));
        printf(", %s\n", json_is_true(json_object_get(group, "used")) ? "used" : "not used");
    }
}

/** The strategy's own numbers: C, gamma, cross-validated quality... Sizes are in JSON only. */
static void print_parameters(const char *strategy, json_t *predictor)
{
    const char *key;
    json_t *value;
    size_t count = 0;
    printf("%-16s %s", "strategy", strategy);
    json_object_foreach(predictor, key, value)
    {
        if (strncmp(key, "num_", 4) == 0)
            continue;
        char name[64];
        spell_name(key, name, sizeof name);
        if (json_is_integer(value))
            printf("%s%s %lld", count++ ? ", " : " (", name, (long long)json_integer_value(value));
        else if (json_is_real(value))
            printf("%s%s %.4g", count++ ? ", " : " (", name, json_real_value(value));
        else if (json_is_string(value))
            printf("%s%s %s", count++ ? ", " : " (", name, json_string_value(value));
    }
    printf("%s\n", count > 0 ? ")" : "");
}

/** "PREFIX95.2 %"; nothing if the number is unknown. */
static void print_percent(const char *prefix, json_t *number)
{
    if (json_is_number(number))
        printf("%s%.1f %%", prefix, json_number_value(number));
}

/** Sources by their distance to the target; those at an unknown distance come last, or are left out
 * of a weighted model, which did not learn from them. */
static void print_nearest(json_t *predicted)
{
    bool is_weighted = json_object_get(predicted, "source_rule");
    const char *separator = "";
    size_t i;
    json_t *source;
    printf("%-16s ", "nearest sources");
    json_array_foreach(json_object_get(predicted, "sources"), i, source)
    {
        json_t *distance = json_object_get(source, "distance");
        json_t *quality = json_object_get(source, "lodo_quality");
        if (is_weighted && !json_is_number(distance))
            continue;
        printf("%s%s", separator, text_of(source, "device"));
        separator = ", ";
        if (json_is_number(distance))
            printf(" at %.2g", json_number_value(distance));
        else
            printf(" at an unknown distance");
        print_percent(" (LODO: ", quality);
        printf("%s", json_is_number(quality) ? ")" : "");
    }
    printf("\n");
}

void model_print_source_weights(const json_t *predicted)
{
    size_t i;
    json_t *source;
    const char *separator = "";
    if (!json_object_get(predicted, "source_rule"))
        return;
    printf("%-16s ", "source weights");
    json_array_foreach(json_object_get(predicted, "sources"), i, source)
    {
        double weight = json_number_value(json_object_get(source, "weight"));
        bool is_set_aside = json_is_true(json_object_get(source, "set_aside"));
        if (weight > 0.0)
            printf("%s%s %.0f %%", separator, text_of(source, "device"), 100.0 * weight);
        else if (is_set_aside)
            printf("%s%s set aside", separator, text_of(source, "device"));
        if (weight > 0.0 || is_set_aside)
            separator = ", ";
    }
    printf(" (rule: %s)\n", text_of(predicted, "source_rule"));
}

/** Hyper-parameters selected by LODO validation, if not the defaults. */
static void print_hyper_settings(json_t *hyper_settings)
{
    const char *strategy;
    json_t *hyper_setting;
    json_object_foreach(hyper_settings, strategy, hyper_setting)
        printf("%-16s %s with %s, selected by LODO validation\n", "hyper-params", strategy,
               json_string_value(hyper_setting));
}

/** The predicted quality on the target; a model trained on its own device has none. Data warnings
 * are in the log. */
static void print_predicted_quality(json_t *predicted)
{
    if (!predicted)
        return;
    print_nearest(predicted);
    model_print_source_weights(predicted);
    print_hyper_settings(json_object_get(predicted, "hyper_parameters"));
    printf("%-16s ", "predicted");
    if (json_is_number(json_object_get(predicted, "quality")))
        print_percent("", json_object_get(predicted, "quality"));
    else
        printf("unknown");
    print_percent(" (held-out inputs ", json_object_get(predicted, "held_out_quality"));
    print_percent(", LODO ", json_object_get(predicted, "lodo_quality"));
    printf("%s\n", json_is_number(json_object_get(predicted, "held_out_quality")) ? ")" : "");
}

/** Up to which number of uses features do not pay. */
static void print_few_uses(json_t *preparing)
{
    const char *title = "few uses";
    size_t i;
    json_t *choice;
    json_array_foreach(json_object_get(preparing, "few_uses"), i, choice)
    {
        const char *feature = text_of(choice, "feature");
        json_t *above = json_object_get(choice, "above"), *up_to = json_object_get(choice, "up_to");
        if (!(number_of(choice, "uses") > 0.0))
            continue;
        printf("%-16s up to %g use%s of an input", title, number_of(choice, "uses"),
               number_of(choice, "uses") == 1.0 ? "" : "s");
        if (feature)
            printf(" with %s", feature);
        if (above)
            printf(" above %.3g", json_number_value(above));
        if (up_to)
            printf("%s up to %.3g", above ? "," : "", json_number_value(up_to));
        printf(": %s, without %sfeatures\n", text_of(choice, "variant"), feature ? "other " : "");
        title = "";
    }
}

/** `width`: of the longest variant of these lines. */
static void print_choice(const char *name, const char *variant, size_t width, json_t *choice)
{
    char label[96];
    snprintf(label, sizeof label, "%s%s%s%s", name, variant ? " (" : "", variant ? variant : "",
             variant ? ")" : "");
    printf("  %-*s %5.1f %% quality, %5.2f x the best variants' time\n",
           (int)(sizeof "best fixed ()" - 1 + width), label, number_of(choice, "quality"),
           number_of(choice, "time"));
}

/** "12.3 % less time than csr", or how many times as much. */
static void print_gain(double time, double other, const char *name)
{
    if (time <= other)
        printf("%.1f %% less time than %s", 100.0 * (1.0 - time / other), name);
    else
        printf("%.2f times the time of %s", time / other, name);
}

/** How good a device's own model is on inputs that it did not see. */
static void print_held_out(json_t *held_out, const char *usual)
{
    if (!held_out)
        return;
    json_t *model = json_object_get(held_out, "model");
    json_t *fixed = json_object_get(held_out, "best_fixed");
    json_t *by_default = json_object_get(held_out, "default");
    json_t *replaced = json_object_get(held_out, "replaced");
    double time = number_of(model, "time");
    const char *best = text_of(held_out, "best_fixed_variant");
    size_t width = strlen(best) > strlen(usual) ? strlen(best) : strlen(usual);
    printf("\nOn %lld inputs held back in cross-validation, preparing not counted:\n",
           count_of(held_out, "samples"));
    print_choice("model", NULL, width, model);
    print_choice("best fixed", best, width, fixed);
    print_choice("default", usual, width, by_default);
    printf("The model takes ");
    print_gain(time, number_of(by_default, "time"), "the default");
    printf(", and ");
    print_gain(time, number_of(fixed, "time"), "the best fixed variant");
    printf(".\n");
    if (replaced)
        printf("It always chooses %s: a model learnt from these inputs would take %.2f times the "
               "best variants' time (%.1f %% quality). Measure more inputs.\n",
               best, number_of(replaced, "time"), number_of(replaced, "quality"));
    printf("Confident are %.0f %% of its decisions", number_of(held_out, "confident"));
    if (json_object_get(held_out, "precision"))
        printf("; %.0f %% of these are within 5 %% of the best", number_of(held_out, "precision"));
    printf(".\n");
}

static void print_measured(json_t *inputs)
{
    size_t i;
    json_t *input;
    if (json_array_size(inputs) == 0)
        return;
    printf("%-16s %zu input%s: ", "measured", json_array_size(inputs),
           plural(json_array_size(inputs)));
    json_array_foreach(inputs, i, input)
    {
        if (i == MAX_NAMED)
            break;
        printf("%s%s", i ? ", " : "", json_string_value(input));
    }
    printf("%s\n", json_array_size(inputs) > MAX_NAMED ? ", ..." : "");
}

int model_print(const invocation *call, const nitro_model *model, const char *path)
{
    json_t *summary = model_json(call, model, path);
    if (!summary)
        return EXIT_FAILED;
    json_t *provenance = json_object_get(summary, "provenance");
    printf("%-16s %s for %s: %s\n", "model", nitro_model_computation(model),
           nitro_model_target(model), path);
    print_sources(json_object_get(provenance, "sources"));
    print_device_features(json_object_get(summary, "device_features"));
    print_profiles(json_object_get(provenance, "dfs_report"));
    print_search(search_report(json_object_get(provenance, "dfs_report")));
    print_relative_features(json_object_get(summary, "relative_features"),
                            json_object_get(summary, "relative_values"));
    print_measured(json_object_get(provenance, "measured"));
    print_feature_costs(json_object_get(provenance, "features"));
    print_predicted_quality(json_object_get(provenance, "predicted_quality"));
    print_parameters(nitro_model_strategy(model), json_object_get(summary, "predictor"));
    print_few_uses(json_object_get(summary, "preparing"));
    print_held_out(json_object_get(provenance, "held_out"), text_of(summary, "default"));
    json_decref(summary);
    return EXIT_DONE;
}
