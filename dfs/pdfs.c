/*
 * Device-feature selection "profile": P-DFS, algorithm 1 of Muralidharan, Roy, Hall, Garland and
 * Rai: Architecture-Adaptive Code Variant Tuning, ASPLOS 2016. Each proxy's regression predicts the
 * intensity of each kernel of each variant on each training input, on every source with profiles.
 * An input's intensity is the highest of its kernels'. The device features of the proxies that win
 * most inputs are chosen. In detail:
 *
 * - An input is won by the proxies within TIE of the highest intensity, if that is MIN_INTENSITY or
 *   more. Intensities are whole steps, so half a step is no difference.
 * - The winners are the proxies that won more than half of the inputs with a winner; without such,
 *   those that won most.
 * - A proxy is trained on its runs on the same source, or without any, on all sources.
 * - A metric that some run of a proxy or all queries lack is not used in its regression; a kernel
 *   that lacks another has no intensity for this proxy.
 *
 * Without profiles the selection is skipped: all candidates are chosen, as with "none", and the log
 * and the report (member "skipped") give the reason.
 */
#include "dfs/pdfs.h"

#include <math.h>
#include <stdlib.h>

#include "nitro/base/json.h"

#define TIE           0.5
#define MIN_INTENSITY 1.0

typedef struct proxy_tally {
    size_t votes;
    size_t num_inputs; /* with an intensity */
    double sum;        /* of their intensities */
    bool own, pooled;
    bool won;
} proxy_tally;

typedef struct selection {
    nitro_context *context;
    const nitro_dfs_task *task;
    nitro_proxies *proxies;
    bool *is_source;       /* shape [num_devices]: has training rows */
    bool *is_input;        /* shape [num_inputs]: likewise */
    profile_rows *runs;    /* shape [num_devices]: of proxies */
    profile_rows *queries; /* shape [num_devices]: of variants */
    proxy_tally *tallies;  /* shape [num_proxies] */
    double *intensities;   /* shape [num_inputs x num_proxies]: of one device */
    size_t num_inputs, num_decided;
    size_t num_skipped; /* kernels that lacked a metric of some proxy */
} selection;

static nitro_status begin(selection *self, nitro_context *context, const nitro_dfs_task *task)
{
    const nitro_dataset *sources = task->sources;
    *self = (selection){.context = context, .task = task};
    nitro_status status = nitro_proxies_create(context, task->proxies_path, &self->proxies);
    if (status != NITRO_OK)
        return status;
    size_t num_proxies = self->proxies->num_proxies;
    self->is_source = nitro_calloc(context, sources->num_devices, sizeof(*self->is_source));
    self->is_input = nitro_calloc(context, sources->num_inputs, sizeof(*self->is_input));
    self->runs = nitro_calloc(context, sources->num_devices, sizeof(*self->runs));
    self->queries = nitro_calloc(context, sources->num_devices, sizeof(*self->queries));
    self->tallies = nitro_calloc(context, num_proxies, sizeof(*self->tallies));
    self->intensities =
        nitro_calloc(context, sources->num_inputs, num_proxies * sizeof(*self->intensities));
    if (!self->is_source || !self->is_input || !self->runs || !self->queries || !self->tallies ||
        !self->intensities)
        return NITRO_ERR_NO_MEMORY;
    for (size_t row = 0; row < sources->num_rows; row++) {
        self->is_source[sources->row_device[row]] = true;
        self->is_input[sources->row_input[row]] = true;
    }
    return NITRO_OK;
}

static void end(selection *self)
{
    for (size_t d = 0; self->runs && self->queries && d < self->task->sources->num_devices; d++) {
        profile_rows_free(&self->runs[d]);
        profile_rows_free(&self->queries[d]);
    }
    free(self->is_source);
    free(self->is_input);
    free(self->runs);
    free(self->queries);
    free(self->tallies);
    free(self->intensities);
    nitro_proxies_free(self->proxies);
}

/* ---- Profiles of the store ------------------------------------------------------------------- */

static nitro_status load(selection *self)
{
    const nitro_dataset *sources = self->task->sources;
    nitro_store *store = self->task->store;
    nitro_status status = NITRO_OK;
    for (size_t d = 0; store && d < sources->num_devices && status == NITRO_OK; d++) {
        const char *id = sources->devices[d]->id;
        if (!self->is_source[d])
            continue;
        status = profile_rows_of_proxies(self->context, store, id, self->proxies, &self->runs[d]);
        if (status == NITRO_OK)
            status = profile_rows_of_variants(self->context, store, id, self->proxies, sources,
                                              self->is_input, &self->queries[d]);
        size_t unusable = self->runs[d].unusable + self->queries[d].unusable;
        if (status == NITRO_OK && unusable > 0)
            nitro_log(self->context, NITRO_LOG_WARNING,
                      "%zu profiles on %s are ignored: they lack metric inst_issued, by which the "
                      "others are divided",
                      unusable, id);
    }
    return status;
}

/* Why the selection is skipped; NULL if it is not. */
static const char *reason_to_skip(const selection *self)
{
    size_t num_runs = 0, num_queries = 0;
    for (size_t d = 0; d < self->task->sources->num_devices; d++) {
        num_runs += self->runs[d].count;
        num_queries += self->queries[d].count;
    }
    if (num_queries == 0)
        return "there are no profiles of its variants on the sources and training inputs";
    return num_runs == 0 ? "there are no profiles of proxies on the sources" : NULL;
}

/* ---- Intensities ----------------------------------------------------------------------------- */

/* Fill the proxy's column of the device's intensities. */
static nitro_status query_proxy(selection *self, size_t device, size_t proxy)
{
    const profile_rows *queries = &self->queries[device];
    size_t num_proxies = self->proxies->num_proxies;
    proxy_model model;
    double *scratch = nitro_calloc(self->context, queries->num_metrics + 1, sizeof(*scratch));
    if (!scratch)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status =
        proxy_model_train(self->context, self->proxies, proxy, self->runs,
                          self->task->sources->num_devices, device, queries, &model);
    for (size_t row = 0; status == NITRO_OK && model.regression && row < queries->count; row++) {
        double *highest = &self->intensities[queries->owner[row] * num_proxies + proxy];
        double intensity = proxy_model_query(&model, queries, row, scratch);
        self->num_skipped += isnan(intensity) ? 1 : 0;
        *highest = fmax(*highest, intensity); /* ignores NaN */
        self->tallies[proxy].own = self->tallies[proxy].own || model.own;
        self->tallies[proxy].pooled = self->tallies[proxy].pooled || !model.own;
    }
    proxy_model_free(&model);
    free(scratch);
    return status;
}

/* @param[in] intensities  shape [num_proxies]: of one input. */
static void vote(selection *self, const double *intensities)
{
    size_t num_proxies = self->proxies->num_proxies;
    double highest = 0;
    for (size_t p = 0; p < num_proxies; p++) {
        highest = fmax(highest, intensities[p]);
        if (!isnan(intensities[p])) {
            self->tallies[p].num_inputs++;
            self->tallies[p].sum += intensities[p];
        }
    }
    self->num_inputs++;
    if (highest < MIN_INTENSITY)
        return;
    self->num_decided++;
    for (size_t p = 0; p < num_proxies; p++)
        self->tallies[p].votes += intensities[p] >= highest - TIE;
}

static nitro_status query_device(selection *self, size_t device)
{
    const profile_rows *queries = &self->queries[device];
    size_t num_proxies = self->proxies->num_proxies;
    size_t num_inputs = self->task->sources->num_inputs;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < num_inputs * num_proxies; i++)
        self->intensities[i] = NAN;
    for (size_t p = 0; p < num_proxies && status == NITRO_OK; p++)
        status = query_proxy(self, device, p);
    bool *is_profiled = nitro_calloc(self->context, num_inputs, sizeof(*is_profiled));
    if (!is_profiled)
        return NITRO_ERR_NO_MEMORY;
    for (size_t row = 0; row < queries->count; row++)
        is_profiled[queries->owner[row]] = true;
    for (size_t i = 0; i < num_inputs && status == NITRO_OK; i++)
        if (is_profiled[i])
            vote(self, self->intensities + i * num_proxies);
    free(is_profiled);
    return status;
}

/* ---- The winners ----------------------------------------------------------------------------- */

static bool has_intensities(const selection *self)
{
    for (size_t p = 0; p < self->proxies->num_proxies; p++)
        if (self->tallies[p].num_inputs > 0)
            return true;
    return false;
}

static void count_out(selection *self)
{
    size_t most = 0;
    for (size_t p = 0; p < self->proxies->num_proxies; p++)
        most = self->tallies[p].votes > most ? self->tallies[p].votes : most;
    bool majority = 2 * most > self->num_decided;
    for (size_t p = 0; p < self->proxies->num_proxies; p++) {
        proxy_tally *tally = &self->tallies[p];
        tally->won = tally->votes > 0 &&
                     (majority ? 2 * tally->votes > self->num_decided : tally->votes == most);
        if (tally->num_inputs == 0)
            nitro_log(
                self->context, NITRO_LOG_WARNING,
                "proxy %s is ignored: it was not profiled at two intensities on the sources, or "
                "none of its metrics that vary there was collected for the variants",
                self->proxies->proxies[p].name);
    }
}

static nitro_status choose_features(selection *self, nitro_string_list *chosen)
{
    const nitro_string_list *candidates = self->task->candidates;
    size_t before = chosen->count;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < candidates->count && status == NITRO_OK; i++) {
        bool wanted = false;
        for (size_t p = 0; p < self->proxies->num_proxies && !wanted; p++)
            wanted = self->tallies[p].won &&
                     nitro_string_list_find(&self->proxies->proxies[p].device_features,
                                            candidates->items[i]) != NITRO_NONE;
        if (wanted)
            status = nitro_string_list_add(self->context, chosen, candidates->items[i]);
    }
    if (status == NITRO_OK && chosen->count == before)
        nitro_log(
            self->context, NITRO_LOG_WARNING,
            "device-feature selection by profiles: the sources and the target lack all device "
            "features of the winning proxies: none is chosen");
    return status;
}

static nitro_status choose_all(selection *self, const char *reason, nitro_string_list *chosen)
{
    const nitro_string_list *candidates = self->task->candidates;
    nitro_status status = NITRO_OK;
    nitro_log(self->context, NITRO_LOG_INFO,
              "device-feature selection by profiles of %s is skipped: %s",
              self->task->sources->schema->computation, reason);
    for (size_t i = 0; i < candidates->count && status == NITRO_OK; i++)
        status = nitro_string_list_add(self->context, chosen, candidates->items[i]);
    return status;
}

/* ---- The report ------------------------------------------------------------------------------ */

static json_t *report_devices(const selection *self)
{
    const nitro_dataset *sources = self->task->sources;
    json_t *array = json_array();
    for (size_t d = 0; d < sources->num_devices; d++)
        if (self->runs[d].count + self->queries[d].count > 0)
            nitro_json_append(
                &array, json_pack("{s:s, s:I, s:I, s:b}", "device", sources->devices[d]->id,
                                  "proxy_profiles", (json_int_t)self->runs[d].count,
                                  "variant_profiles", (json_int_t)self->queries[d].count,
                                  "modelled", self->runs[d].modelled || self->queries[d].modelled));
    return array;
}

static json_t *report_tallies(const selection *self)
{
    json_t *array = json_array();
    for (size_t p = 0; p < self->proxies->num_proxies; p++) {
        const nitro_proxy *proxy = &self->proxies->proxies[p];
        const proxy_tally *tally = &self->tallies[p];
        json_t *mean =
            tally->num_inputs > 0 ? json_real(tally->sum / (double)tally->num_inputs) : json_null();
        const char *runs = tally->own && tally->pooled ? "own and pooled"
                           : tally->own                ? "own"
                           : tally->pooled             ? "pooled"
                                                       : "none";
        nitro_json_append(&array,
                          json_pack("{s:s, s:I, s:o, s:s, s:b, s:o}", "proxy", proxy->name, "votes",
                                    (json_int_t)tally->votes, "mean_intensity", mean, "runs", runs,
                                    "won", tally->won, "device_features",
                                    nitro_json_from_strings(&proxy->device_features, 0)));
    }
    return array;
}

static json_t *report_winners(const selection *self)
{
    json_t *array = json_array();
    for (size_t p = 0; p < self->proxies->num_proxies; p++)
        if (self->tallies[p].won)
            nitro_json_append(&array, json_string(self->proxies->proxies[p].name));
    return array;
}

/* "ATOMIC on 58 of 72 inputs, MEM-BW on 62", for people. */
static json_t *report_summary(const selection *self)
{
    char text[512] = "";
    for (size_t p = 0; p < self->proxies->num_proxies; p++)
        if (self->tallies[p].won)
            nitro_message_list_add(text, sizeof(text), "%s on %zu of %zu inputs",
                                   self->proxies->proxies[p].name, self->tallies[p].votes,
                                   self->num_inputs);
    return json_string(text);
}

static nitro_status report_choice(const selection *self, const char *reason,
                                  const nitro_string_list *chosen, size_t first, json_t **report)
{
    json_t *made =
        json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:o}", "selection", "profile", "devices",
                  report_devices(self), "proxies", report_winners(self), "tallies",
                  report_tallies(self), "inputs", (json_int_t)self->num_inputs, "undecided",
                  (json_int_t)(self->num_inputs - self->num_decided), "kernels_skipped",
                  (json_int_t)self->num_skipped, "chosen", nitro_json_from_strings(chosen, first));
    nitro_json_put(&made, reason ? "skipped" : "summary",
                   reason ? json_string(reason) : report_summary(self));
    if (!made)
        return nitro_fail(self->context, NITRO_ERR_NO_MEMORY, "out of memory: report of profiles");
    *report = made;
    return NITRO_OK;
}

/* ---- The plug-in ----------------------------------------------------------------------------- */

static nitro_status decide(selection *self, nitro_string_list *chosen, const char **reason)
{
    nitro_status status = load(self);
    if (status != NITRO_OK)
        return status;
    *reason = reason_to_skip(self);
    for (size_t d = 0; !*reason && d < self->task->sources->num_devices; d++) {
        if (self->queries[d].count > 0)
            status = query_device(self, d);
        if (status != NITRO_OK)
            return status;
    }
    if (!*reason && self->num_decided == 0)
        *reason = has_intensities(self)
                      ? "no proxy's intensity of any kernel reaches 1"
                      : "no proxy was profiled at two intensities on the sources, with a metric "
                        "that varies there and was collected for the variants";
    if (*reason)
        return choose_all(self, *reason, chosen);
    count_out(self);
    return choose_features(self, chosen);
}

static nitro_status select_by_profiles(nitro_context *context, const nitro_dfs_task *task,
                                       nitro_string_list *chosen, struct json_t **report)
{
    selection self;
    const char *reason = NULL;
    size_t first = chosen->count;
    nitro_status status = begin(&self, context, task);
    if (status == NITRO_OK)
        status = decide(&self, chosen, &reason);
    if (status == NITRO_OK && report)
        status = report_choice(&self, reason, chosen, first, report);
    end(&self);
    return status;
}

const nitro_dfs_kind nitro_dfs_profile = {
    .name = "profile",
    .description =
        "by profiles (P-DFS): the device features of the proxies that the variants resemble",
    .priority = 5,
    .select = select_by_profiles,
};
