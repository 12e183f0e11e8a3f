/* report_journal.c - keeps evaluations, and reads those of an interrupted run. A file of another
 * version, other samples or other options is not used; nor is what follows a damaged line. */
#include "apps/cli/report/report_journal.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nitro/backend/memory_stream.h"

enum { MOST_RESULTS = 1000, MOST_CASES = 10000000 };

static size_t count_methods(void)
{
    size_t count = 0;
    while (nitro_method_table()[count].name)
        count++;
    return count;
}

static size_t find_method(const char *name)
{
    for (size_t i = 0; nitro_method_table()[i].name; i++)
        if (strcmp(nitro_method_table()[i].name, name) == 0)
            return i;
    return NITRO_NONE;
}

static size_t find_device(const report_journal *self, const char *id)
{
    const nitro_dataset *dataset = self->report->dataset;
    for (size_t d = 0; d < dataset->num_devices; d++)
        if (strcmp(dataset->devices[d]->id, id) == 0)
            return d;
    return NITRO_NONE;
}

static bool add_case(report_journal *self, report_case one)
{
    if (!report_grow(self->report, (void **)&self->cases, sizeof *self->cases, self->num_cases,
                     &self->cases_capacity))
        return false;
    self->cases[self->num_cases++] = one;
    return true;
}

static bool add_entry(report_journal *self, const report_entry *entry)
{
    if (!report_grow(self->report, (void **)&self->entries, sizeof *self->entries,
                     self->num_entries, &self->capacity))
        return false;
    self->entries[self->num_entries++] = *entry;
    return true;
}

/** Room for the shares of `count` sources. */
static bool allocate_shares(nitro_context *context, size_t count, nitro_evaluate_result *result)
{
    result->num_source_shares = 0;
    result->source_shares =
        count > 0 ? nitro_calloc(context, count, sizeof *result->source_shares) : NULL;
    return count == 0 || result->source_shares;
}

static bool add_share(nitro_context *context, const char *device, double weight,
                      nitro_evaluate_result *result)
{
    char *copy = nitro_strdup(context, device);
    if (copy)
        result->source_shares[result->num_source_shares++] = (nitro_source_share){copy, weight};
    return copy != NULL;
}

/** All but the target. @return false: out of memory; what is there is still to be freed */
static bool copy_result(nitro_context *context, const nitro_evaluate_result *from,
                        nitro_evaluate_result *to)
{
    *to = *from;
    to->target = NULL;
    to->added = from->added ? nitro_strdup(context, from->added) : NULL;
    bool done =
        allocate_shares(context, from->num_source_shares, to) && (to->added || !from->added);
    for (size_t i = 0; done && i < from->num_source_shares; i++)
        done = add_share(context, from->source_shares[i].device, from->source_shares[i].weight, to);
    return done;
}

static void free_results(report_entry *entry)
{
    nitro_evaluate_results_free(entry->results, entry->num_results);
    entry->results = NULL;
    entry->num_results = 0;
}

/* ---- The file -------------------------------------------------------------------------------- */

static void write_header(FILE *file, const report *owner)
{
    const nitro_study_options *how = &owner->options;
    fprintf(file, "nitro report %s %s %016" PRIx64 " %.17g sources", nitro_version(),
            owner->computation, nitro_dataset_digest(owner->dataset), how->train_fraction);
    for (size_t i = 0; how->sources && i < how->sources->count; i++)
        fprintf(file, " %s", how->sources->items[i]);
    fputc('\n', file);
}

static void write_entry(const report_journal *self, const report_entry *entry)
{
    FILE *file = self->file;
    fprintf(file, "E %" PRIu64 " %zu %zu %s %zu %zu\n", entry->seed, entry->study, entry->target,
            nitro_method_table()[entry->method].name, entry->num_results, entry->num_cases);
    for (size_t i = 0; i < entry->num_results; i++) {
        const nitro_evaluate_result *one = &entry->results[i];
        size_t added = one->added ? find_device(self, one->added) : 0;
        fprintf(file, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g", one->mean,
                one->geomean, one->p5, one->min, one->accuracy, one->total, one->confident,
                one->confident_precision, one->predicted);
        fprintf(file, " %zu %zu %zu %d %d %zu %zu", one->inputs, one->measured, one->num_sources,
                one->modelled, one->order ? strcmp(one->order, "nearest") == 0 : 0, added,
                one->num_source_shares);
        for (size_t k = 0; k < one->num_source_shares; k++)
            fprintf(file, " %zu %.17g", find_device(self, one->source_shares[k].device),
                    one->source_shares[k].weight);
        fputc('\n', file);
    }
    for (size_t i = 0; i < entry->num_cases; i++) {
        const report_case *one = &self->cases[entry->first_case + i];
        fprintf(file, "%u %d %d %.17g\n", one->input, one->chosen, one->has_choice, one->quality);
    }
    fflush(file);
}

static bool read_shares(const report_journal *self, FILE *file, size_t count,
                        nitro_evaluate_result *one)
{
    const nitro_dataset *dataset = self->report->dataset;
    bool done = count <= dataset->num_devices && allocate_shares(self->report->context, count, one);
    for (size_t i = 0; done && i < count; i++) {
        size_t device;
        double weight;
        done = fscanf(file, "%zu %lf", &device, &weight) == 2 && device < dataset->num_devices &&
               add_share(self->report->context, dataset->devices[device]->id, weight, one);
    }
    return done;
}

static bool read_result(report_journal *self, FILE *file, bool curve, nitro_evaluate_result *one)
{
    int modelled, nearest;
    size_t added, shares;
    if (fscanf(file, "%lf %lf %lf %lf %lf %lf %lf %lf %lf %zu %zu %zu %d %d %zu %zu", &one->mean,
               &one->geomean, &one->p5, &one->min, &one->accuracy, &one->total, &one->confident,
               &one->confident_precision, &one->predicted, &one->inputs, &one->measured,
               &one->num_sources, &modelled, &nearest, &added, &shares) != 16 ||
        added >= self->report->dataset->num_devices)
        return false;
    one->modelled = modelled != 0;
    if (curve) {
        one->order = nearest ? "nearest" : "random";
        one->added = nitro_strdup(self->report->context, self->report->dataset->devices[added]->id);
    }
    return (!curve || one->added) && read_shares(self, file, shares, one);
}

static bool read_case(const report_journal *self, FILE *file, report_case *one)
{
    int has_choice;
    if (fscanf(file, "%u %d %d %lf", &one->input, &one->chosen, &has_choice, &one->quality) != 4)
        return false;
    one->has_choice = has_choice != 0;
    return one->input < self->report->dataset->num_inputs && one->chosen >= -1 &&
           one->chosen < (int)self->report->dataset->schema->num_variants && one->quality >= 0.0 &&
           one->quality <= 100.0;
}

static bool read_entry(report_journal *self, FILE *file, report_entry *entry)
{
    char method[64];
    if (fscanf(file, " E %" SCNu64 " %zu %zu %63s %zu %zu", &entry->seed, &entry->study,
               &entry->target, method, &entry->num_results, &entry->num_cases) != 6)
        return false;
    size_t wanted = entry->num_results, read = 0;
    entry->method = find_method(method);
    entry->num_results = 0;
    entry->first_case = self->num_cases;
    if (entry->method == NITRO_NONE || entry->target >= self->report->dataset->num_devices ||
        wanted > MOST_RESULTS || entry->num_cases > MOST_CASES)
        return false;
    entry->results = nitro_calloc(self->report->context, wanted + 1, sizeof *entry->results);
    if (!entry->results)
        return false;
    bool curve = entry->study == REPORT_STUDY_SOURCES;
    entry->num_results = wanted;
    while (read < wanted && read_result(self, file, curve, &entry->results[read]))
        read++;
    report_case one;
    size_t cases = 0;
    while (read == wanted && cases < entry->num_cases && read_case(self, file, &one) &&
           add_case(self, one))
        cases++;
    return read == wanted && cases == entry->num_cases && fgetc(file) == '\n';
}

/** Does the file begin with this report's header? */
static bool is_same_report(const report_journal *self, FILE *file)
{
    char *wanted = NULL;
    size_t size = 0;
    FILE *header = nitro_memory_stream(&wanted, &size);
    if (header)
        write_header(header, self->report);
    char *found = nitro_memory_stream_end(header, &wanted) ? malloc(size) : NULL;
    bool same = found && fread(found, 1, size, file) == size && memcmp(found, wanted, size) == 0;
    free(found);
    free(wanted);
    return same;
}

/** Read all whole entries. @return where the first one that is not ends */
static long read_entries(report_journal *self, FILE *file)
{
    bool same = is_same_report(self, file);
    long end = same ? ftell(file) : 0;
    while (same) {
        report_entry entry = {0};
        size_t cases = self->num_cases;
        if (!read_entry(self, file, &entry) || !add_entry(self, &entry)) {
            free_results(&entry);
            self->num_cases = cases;
            break;
        }
        end = ftell(file);
    }
    self->num_recalled = self->num_entries;
    return end;
}

/* ---- What an evaluation tells ---------------------------------------------------------------- */

static void begin(void *user, uint64_t seed)
{
    report_journal *self = user;
    self->seed = seed;
    self->last_ms = nitro_clock_wall_ms(self->report->context);
}

static void judged(void *user, const nitro_evaluate_case *one)
{
    report_journal *self = user;
    if (self->study == REPORT_STUDY_ALL)
        add_case(self, (report_case){.input = (unsigned)one->input,
                                     .chosen = one->chosen == NITRO_NONE ? -1 : (int)one->chosen,
                                     .has_choice = one->has_choice,
                                     .quality = one->quality});
}

static const report_entry *find_entry(const report_journal *self, const char *target,
                                      const char *method)
{
    size_t device = find_device(self, target), index = find_method(method);
    for (size_t i = 0; i < self->num_entries; i++) {
        const report_entry *each = &self->entries[i];
        if (each->seed == self->seed && each->study == self->study && each->target == device &&
            each->method == index)
            return each;
    }
    return NULL;
}

static bool known(void *user, const char *target, const char *method,
                  nitro_evaluate_result *results, size_t *count)
{
    report_journal *self = user;
    const report_entry *entry = find_entry(self, target, method);
    if (!entry)
        return false;
    for (size_t i = 0; i < entry->num_results; i++)
        if (!copy_result(self->report->context, &entry->results[i], &results[i]))
            report_keep(self->report, NITRO_ERR_NO_MEMORY);
    *count = entry->num_results;
    return true;
}

/** Copy results; `added` too. */
static bool copy_results(report_journal *self, const nitro_evaluate_result *results, size_t count,
                         report_entry *entry)
{
    entry->results = nitro_calloc(self->report->context, count + 1, sizeof *entry->results);
    bool done = entry->results != NULL;
    for (size_t i = 0; done && i < count; i++) {
        done = copy_result(self->report->context, &results[i], &entry->results[i]);
        entry->num_results = i + 1;
    }
    if (!done)
        report_keep(self->report, NITRO_ERR_NO_MEMORY);
    return done;
}

/** The time of an evaluation in a study of this kind, as a share of that with all sources, until
 *  the first one has run. Less than 1, since models of the same samples are trained once. */
static const double usual_share[REPORT_NUM_KINDS] = {[REPORT_KIND_ALL] = 1.0,
                                                     [REPORT_KIND_MEASURED] = 0.3,
                                                     [REPORT_KIND_SOURCES] = 0.3,
                                                     [REPORT_KIND_LESS] = 0.4};

static report_work *work_of(const report_journal *self, size_t method, size_t study)
{
    report_study_kind kind = study == REPORT_STUDY_ALL        ? REPORT_KIND_ALL
                             : study == REPORT_STUDY_MEASURED ? REPORT_KIND_MEASURED
                             : study == REPORT_STUDY_SOURCES  ? REPORT_KIND_SOURCES
                                                              : REPORT_KIND_LESS;
    return &self->work[method * REPORT_NUM_KINDS + kind];
}

static void finished(void *user, const char *target, const char *method,
                     const nitro_evaluate_result *results, size_t count)
{
    report_journal *self = user;
    size_t index = find_method(method), before = 0;
    double now_ms = nitro_clock_wall_ms(self->report->context);
    if (self->num_entries > 0) {
        const report_entry *last = &self->entries[self->num_entries - 1];
        before = last->first_case + last->num_cases;
    }
    size_t weight = self->study > REPORT_STUDY_ALL && count > 0 ? count : 1;
    report_work *work = work_of(self, index, self->study);
    if (self->is_complete)
        return;
    work->done += weight;
    if (!find_entry(self, target, method)) {
        report_entry entry = {.seed = self->seed,
                              .study = self->study,
                              .target = find_device(self, target),
                              .method = index,
                              .first_case = before,
                              .num_cases = self->num_cases - before};
        work->timed += weight;
        work->spent_ms += now_ms - self->last_ms;
        if (copy_results(self, results, count, &entry) && add_entry(self, &entry))
            write_entry(self, &entry);
        else
            free_results(&entry);
    }
    self->last_ms = now_ms;
}

void report_journal_plan(report_journal *self, const char *method, size_t study, size_t count)
{
    work_of(self, find_method(method), study)->planned += count;
}

static double average_ms(const report_work *work)
{
    return work->timed > 0 ? work->spent_ms / (double)work->timed : (double)NAN;
}

/** The time left, by what each method took so far in studies of each kind; NaN: not known yet. */
static double left_ms(const report_journal *self)
{
    double left = 0.0, unknown = 0.0;
    report_work sum = {0};
    for (size_t i = 0; i < count_methods() * REPORT_NUM_KINDS; i++) {
        const report_work *work = &self->work[i];
        const report_work *whole = &self->work[i - i % REPORT_NUM_KINDS];
        double more = fmax((double)work->planned - (double)work->done, 0.0);
        double each = average_ms(work);
        if (isnan(each))
            each = average_ms(whole) * usual_share[i % REPORT_NUM_KINDS];
        sum.timed += work->timed;
        sum.spent_ms += work->spent_ms;
        if (isnan(each))
            unknown += more;
        else
            left += more * each;
    }
    return unknown > 0.0 || sum.timed == 0 ? left + unknown * average_ms(&sum) : left;
}

void report_journal_show(const report_journal *self, const char *target, const char *method)
{
    progress_line *progress = self->report->progress;
    size_t done = 0, timed = 0, planned = 0;
    char detail[160];
    if (self->is_complete)
        return;
    for (size_t i = 0; i < count_methods() * REPORT_NUM_KINDS; i++) {
        done += self->work[i].done;
        timed += self->work[i].timed;
        planned += self->work[i].planned;
    }
    snprintf(detail, sizeof detail, "%s on %s", method, target);
    progress->left_ms = left_ms(self);
    progress_update(progress, done, planned > done ? planned : done, done - timed, detail);
}

/* ---- Opening and closing --------------------------------------------------------------------- */

/** Open for reading what is there, and for adding behind its last whole entry. */
static nitro_status open_file(report_journal *self)
{
    nitro_context *context = self->report->context;
    self->file = fopen(self->path, "a+");
    if (!self->file)
        return nitro_fail(context, NITRO_ERR_IO, "cannot write %s: %s", self->path,
                          strerror(errno));
    rewind(self->file);
    long end = read_entries(self, self->file);
    if (fflush(self->file) != 0 || ftruncate(fileno(self->file), end) != 0)
        return nitro_fail(context, NITRO_ERR_IO, "cannot write %s: %s", self->path,
                          strerror(errno));
    fseek(self->file, 0, SEEK_END);
    if (end == 0)
        write_header(self->file, self->report);
    return self->report->status;
}

nitro_status report_journal_open(report *owner, const char *folder, report_journal **journal)
{
    nitro_context *context = owner->context;
    report_journal *self = nitro_calloc(context, 1, sizeof *self);
    if (!self)
        return NITRO_ERR_NO_MEMORY;
    self->report = owner;
    self->watch = (nitro_evaluate_watch){
        .user = self, .begin = begin, .known = known, .judged = judged, .finished = finished};
    self->work = nitro_calloc(context, count_methods(), REPORT_NUM_KINDS * sizeof *self->work);
    self->path = nitro_asprintf(context, "%s/%s.unfinished", folder, owner->computation);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (self->work && self->path)
        status = open_file(self);
    if (status == NITRO_OK)
        *journal = self;
    else
        report_journal_free(self);
    return status;
}

void report_journal_remove(report_journal *self)
{
    unlink(self->path);
}

void report_journal_free(report_journal *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->num_entries; i++)
        free_results(&self->entries[i]);
    if (self->file)
        fclose(self->file);
    free(self->entries);
    free(self->cases);
    free(self->work);
    free(self->path);
    free(self);
}
