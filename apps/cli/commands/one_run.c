/* one_run.c - the decision, its reason, its time and whether the result was right. */
#include "apps/cli/commands/one_run.h"

#include <math.h>
#include <string.h>

#include "apps/cli/commands/out_of_range.h"

static const nitro_entry *chosen(const one_run *self)
{
    return &self->sample->entries[self->decision.variant];
}

static const char *variant_name(const one_run *self, size_t variant)
{
    return nitro_computation_variant_name(self->loaded.computation, variant);
}

/** What is known of the chosen variant's result; `text` has shape [size]. */
static void describe_result(const one_run *self, char *text, size_t size)
{
    const nitro_entry *entry = chosen(self);
    const char *reference = nitro_computation_reference(self->loaded.computation);
    if (entry->outcome != NITRO_OUTCOME_MEASURED)
        snprintf(text, size, "none: %s%s%s", nitro_outcome_name(entry->outcome),
                 entry->detail ? ": " : "", entry->detail ? entry->detail : "");
    else if (entry->detail)
        snprintf(text, size, "%s", entry->detail);
    else if (!reference)
        snprintf(text, size, "not checked: the computation has no reference");
    else if (strcmp(reference, self->decision.variant_name) == 0)
        snprintf(text, size, "this is the reference variant");
    else
        snprintf(text, size, "correct: checked against %s", reference);
}

/** Time of a run, with its share of preparing where uses are limited; NaN: no time. */
static double time_of_use(const one_run *self, const nitro_entry *entry)
{
    if (entry->outcome != NITRO_OUTCOME_MEASURED)
        return NAN;
    bool is_paid = self->uses > 0.0 && isfinite(entry->prepare_ms);
    return entry->median_ms + (is_paid ? entry->prepare_ms / self->uses : 0.0);
}

static double best_time_of_use(const one_run *self)
{
    double best = NAN;
    for (size_t v = 0; v < self->sample->num_entries; v++)
        best = fmin(best, time_of_use(self, &self->sample->entries[v])); /* ignores NaN */
    return best;
}

/** 100 x best time / chosen time; NaN where the chosen variant has no time. */
static double quality(const one_run *self)
{
    return 100.0 * best_time_of_use(self) / time_of_use(self, chosen(self));
}

static json_t *entry_json(const char *name, const nitro_entry *entry)
{
    return json_pack("{s:o, s:s, s:o, s:o, s:I, s:o, s:o}", "variant", json_text(name), "outcome",
                     nitro_outcome_name(entry->outcome), "time_ms", json_value(entry->median_ms),
                     "spread", json_value(entry->spread), "repetitions", (json_int_t)entry->count,
                     "prepare_ms", json_value(entry->prepare_ms), "detail",
                     json_text(entry->detail));
}

static json_t *ranking_json(const one_run *self)
{
    json_t *array = json_array();
    for (size_t r = 0; r < self->num_ranked; r++)
        json_array_append_new(array,
                              json_pack("{s:o, s:o}", "variant",
                                        json_text(variant_name(self, self->ranking[r])), "score",
                                        json_value(self->scores[self->ranking[r]])));
    return array;
}

static int report_json(const one_run *self, bool compare)
{
    char result[1024];
    describe_result(self, result, sizeof result);
    const nitro_entry *entry = chosen(self);
    json_t *object = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:b, s:o, "
        "s:o, "
        "s:s}",
        "computation", self->loaded.module->name, "device", json_text(self->device), "input",
        json_text(self->sample->input), "description", json_text(self->description), "model",
        json_text(self->model_path), "variant", self->decision.variant_name, "confidence",
        json_value(self->decision.confidence), "reason", nitro_reason_text(self->decision.reason),
        "outside", self->outside ? json_incref(self->outside) : json_array(), "decision_ms",
        json_value(self->decision_ms), "ranking", ranking_json(self), "time_ms",
        json_value(entry->median_ms), "spread", json_value(entry->spread), "repetitions",
        (json_int_t)entry->count, "prepare_ms", json_value(entry->prepare_ms), "ran",
        entry->outcome == NITRO_OUTCOME_MEASURED, "result", json_text(result), "device_state",
        json_text(self->sample->provenance.device_state), "cache",
        self->sample->provenance.cache ? self->sample->provenance.cache : "warm");
    if (object && self->shipped)
        json_object_set_new(object, "shipped_from", json_text(self->shipped));
    if (object && compare) {
        json_t *variants = json_array();
        for (size_t v = 0; v < self->sample->num_entries; v++)
            json_array_append_new(variants,
                                  entry_json(variant_name(self, v), &self->sample->entries[v]));
        json_object_set_new(object, "variants", variants);
        json_object_set_new(object, "quality", json_value(quality(self)));
        if (self->uses > 0.0)
            json_object_set_new(object, "uses", json_value(self->uses));
    }
    return print_json(self->call, object);
}

static void print_model(const one_run *self)
{
    printf("model     %s (for %s)\n", self->model_path, nitro_model_target(self->model));
    if (self->shipped)
        printf(
            "          shipped model, learnt from %s; 'nitro tune %s' trains one for this device\n",
            self->shipped, self->call->arguments.items[0]);
}

static void print_decision(const one_run *self)
{
    char time[32];
    if (self->model)
        print_model(self);
    else
        printf("model     none; 'nitro tune %s' trains one\n", self->call->arguments.items[0]);
    printf("variant   %s\n", self->decision.variant_name);
    printf("reason    ");
    outside_print(self->decision.reason, self->outside);
    if (self->decision.reason != NITRO_REASON_NO_MODEL)
        printf("; confidence %.2f", self->decision.confidence);
    if (self->model) {
        printf("\nranking  ");
        for (size_t r = 0; r < self->num_ranked; r++)
            printf(" %s%s", variant_name(self, self->ranking[r]),
                   r + 1 < self->num_ranked ? "," : "");
    }
    format_time(self->decision_ms, time, sizeof time);
    printf("\ndecided   in %s, input features included\n", time);
}

static void print_time(const one_run *self)
{
    const nitro_entry *entry = chosen(self);
    char time[32], prepare[32], result[1024];
    format_time(entry->median_ms, time, sizeof time);
    format_time(entry->prepare_ms, prepare, sizeof prepare);
    printf("time      %s", time);
    if (entry->outcome == NITRO_OUTCOME_MEASURED)
        printf(" (median of %u)", entry->count);
    if (isfinite(entry->prepare_ms))
        printf(", plus %s to prepare the input", prepare);
    describe_result(self, result, sizeof result);
    printf("\n");
    if (self->sample->provenance.device_state || self->sample->provenance.cache)
        printf("state     %s%s%s\n",
               self->sample->provenance.device_state ? self->sample->provenance.device_state : "",
               self->sample->provenance.device_state && self->sample->provenance.cache ? ", " : "",
               self->sample->provenance.cache ? "caches cold" : "");
    printf("result    %s\n", result);
}

static int print_comparison(const one_run *self)
{
    text_table table;
    char time[32], prepare[32];
    table_begin(&table, self->call->context, "variant,>time,>prepare,>over best,remark");
    double best_ms = best_time_of_use(self);
    for (size_t v = 0; v < self->sample->num_entries; v++) {
        const nitro_entry *entry = &self->sample->entries[v];
        bool measured = entry->outcome == NITRO_OUTCOME_MEASURED;
        format_time(entry->median_ms, time, sizeof time);
        format_time(entry->prepare_ms, prepare, sizeof prepare);
        table_cell(&table, "%s", variant_name(self, v));
        table_cell(&table, "%s", time);
        table_cell(&table, "%s", prepare);
        if (measured)
            table_cell(&table, "%.2fx", time_of_use(self, entry) / best_ms);
        else
            table_cell(&table, "-");
        table_cell(&table, "%s%s%s%s%s", v == self->decision.variant ? "chosen" : "",
                   v == self->decision.variant && !measured ? ", " : "",
                   measured ? "" : nitro_outcome_name(entry->outcome),
                   !measured && entry->detail ? ": " : "",
                   !measured && entry->detail ? entry->detail : "");
    }
    if (table_end(&table) != NITRO_OK)
        return fail(self->call);
    if (chosen(self)->outcome != NITRO_OUTCOME_MEASURED)
        return EXIT_DONE; /* there is no speed to compare; the error says so */
    printf("\nThe choice reaches %.1f %% of the best variant's speed", quality(self));
    if (self->uses > 0.0)
        printf(", preparing and %g %s counted", self->uses, self->uses > 1 ? "runs" : "run");
    printf(".\n");
    return EXIT_DONE;
}

int one_run_report(const one_run *self, bool compare)
{
    int code = EXIT_DONE;
    if (wants_json(self->call)) {
        code = report_json(self, compare);
    } else {
        printf("input     %s%s%s%s\n", self->sample->input, self->description[0] ? " (" : "",
               self->description, self->description[0] ? ")" : "");
        printf("device    %s\n", self->device);
        print_decision(self);
        print_time(self);
        if (compare) {
            putchar('\n');
            code = print_comparison(self);
        }
    }
    if (code == EXIT_DONE && chosen(self)->outcome != NITRO_OUTCOME_MEASURED)
        code = fail_text(
            self->call, "variant %s gave no correct result: %s%s%s; --compare shows what others do",
            self->decision.variant_name, nitro_outcome_name(chosen(self)->outcome),
            chosen(self)->detail ? ": " : "", chosen(self)->detail ? chosen(self)->detail : "");
    return code;
}
