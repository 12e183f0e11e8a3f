/* study_work.c - how near variants come to what a device can do at most: its roofline, by the flops
 * and bytes of each variant that a description gives as formulas over input features. */
#include <math.h>
#include <stdlib.h>

#include "nitro/backend/statistics.h"
#include "nitro/backend/study.h"
#include "nitro/records/formula.h"

/** Of one variant of the dataset; NULL: its flops or bytes are not known. */
typedef struct known_work {
    nitro_expression *flops, *bytes;
    const char *peak; /* the device feature with the peak of its flops */
} known_work;

static void free_work(known_work *works, size_t count)
{
    for (size_t v = 0; works && v < count; v++) {
        nitro_expression_free(works[v].flops);
        nitro_expression_free(works[v].bytes);
    }
    free(works);
}

/** @param[in] what  "flops" or "bytes". */
static nitro_status parse(nitro_context *context, const char *path, const char *variant,
                          const char *what, const char *text, const nitro_string_list *features,
                          nitro_expression **formula)
{
    if (!text)
        return NITRO_OK;
    char *origin = nitro_asprintf(context, "%s: %s of variant %s", path, what, variant);
    nitro_status status = origin ? nitro_formula_parse(context, origin, text, features, formula)
                                 : NITRO_ERR_NO_MEMORY;
    free(origin);
    return status;
}

/** The formulas for the dataset's variants, over the dataset's features. */
static nitro_status parse_work(nitro_context *context, const char *path,
                               const nitro_description *description, const nitro_schema *schema,
                               known_work *works)
{
    nitro_string_list features = {0};
    nitro_status status = NITRO_OK;
    for (size_t f = 0; f < schema->num_features && status == NITRO_OK; f++)
        status = nitro_string_list_add(context, &features, schema->features[f].name);
    for (size_t w = 0; w < description->num_work && status == NITRO_OK; w++) {
        const nitro_variant_work *given = &description->work[w];
        size_t v = nitro_schema_variant(schema, given->variant);
        if (v == NITRO_NONE)
            continue;
        works[v].peak = given->single ? "peak_gflops_sp" : "peak_gflops_dp";
        status =
            parse(context, path, given->variant, "flops", given->flops, &features, &works[v].flops);
        if (status == NITRO_OK)
            status = parse(context, path, given->variant, "bytes", given->bytes, &features,
                           &works[v].bytes);
    }
    nitro_string_list_free(&features);
    return status;
}

static double quantile_of(double *values, size_t count, double fraction)
{
    nitro_sort(values, count);
    return nitro_quantile(values, count, fraction);
}

/** The four values of one sample, each NaN where it is not known. */
typedef struct sample_work {
    double intensity, gflops, gbps, share;
} sample_work;

static sample_work work_of(const known_work *work, const nitro_device *device,
                           const double *features, double time_ms)
{
    double bytes = work->bytes ? nitro_expression_evaluate(work->bytes, features) : NAN;
    double flops = work->flops ? nitro_expression_evaluate(work->flops, features) : NAN;
    double memory_ms = bytes / (1e6 * nitro_device_value(device, "peak_gbps"));
    double arithmetic_ms = flops / (1e6 * nitro_device_value(device, work->peak));
    /* Without flops the memory is the only bound; a device without their peak has no roof. */
    double least_ms = work->flops ? fmax(memory_ms, arithmetic_ms) : memory_ms;
    if (work->flops && !(arithmetic_ms >= 0))
        least_ms = NAN;
    return (sample_work){flops / bytes, flops / (1e6 * time_ms), bytes / (1e6 * time_ms),
                         memory_ms >= 0 ? 100 * least_ms / time_ms : NAN};
}

/** `room`: shape [4 x num_rows]. */
static void summarise(const nitro_dataset *dataset, size_t device, size_t variant,
                      const known_work *work, double *room, nitro_study_roof *roof)
{
    size_t num_features = dataset->schema->num_features;
    size_t num_variants = dataset->schema->num_variants, count = 0, rows = dataset->num_rows;
    for (size_t r = 0; r < rows && work->bytes; r++) {
        double time_ms = dataset->times_ms[r * num_variants + variant];
        if (dataset->row_device[r] != device || !(time_ms > 0))
            continue;
        sample_work one =
            work_of(work, dataset->devices[device], &dataset->features[r * num_features], time_ms);
        if (!(one.gbps > 0))
            continue;
        room[count] = one.intensity;
        room[rows + count] = one.gflops;
        room[2 * rows + count] = one.gbps;
        room[3 * rows + count++] = one.share;
    }
    roof->inputs = count;
    roof->intensity = work->flops ? quantile_of(room, count, 0.5) : NAN;
    roof->gflops = work->flops ? quantile_of(room + rows, count, 0.5) : NAN;
    roof->gbps = quantile_of(room + 2 * rows, count, 0.5);
    bool known = count > 0 && isfinite(room[3 * rows]);
    for (size_t q = 0; q < 3; q++)
        roof->share[q] = known ? quantile_of(room + 3 * rows, count, 0.1 + 0.4 * (double)q) : NAN;
}

nitro_status nitro_study_roofs(nitro_context *context, const nitro_dataset *dataset,
                               const char *path, nitro_study_roof **roofs)
{
    size_t num_variants = dataset->schema->num_variants;
    nitro_description *description = NULL;
    nitro_study_roof *made =
        nitro_calloc(context, dataset->num_devices * num_variants + 1, sizeof *made);
    known_work *works = nitro_calloc(context, num_variants, sizeof *works);
    double *room = nitro_calloc(context, 4 * dataset->num_rows + 1, sizeof *room);
    nitro_status status = made && works && room ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_description_read(context, path, &description);
    if (status == NITRO_OK)
        status = parse_work(context, path, description, dataset->schema, works);
    for (size_t d = 0; d < dataset->num_devices && status == NITRO_OK; d++)
        for (size_t v = 0; v < num_variants; v++)
            summarise(dataset, d, v, &works[v], room, &made[d * num_variants + v]);
    nitro_description_free(description);
    free_work(works, num_variants);
    free(room);
    if (status == NITRO_OK)
        *roofs = made;
    else
        free(made);
    return status;
}
