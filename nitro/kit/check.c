/* Checks of results. The reference's outputs are kept; a result that was compared is overwritten,
 * so that a variant that does not write all of it is found. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/kit/fields.h"
#include "nitro/nitro_backend.h"

#define NAN_BYTE   0xFF /* all bits set: NaN */
#define PAGE_BYTES ((size_t)4096)
#define NUM_PAGES  ((size_t)4096) /* of a large input that are looked at */

/* ---- Saving and restoring ---- */

static nitro_kept *find_kept(const nitro_kit *kit, void *argument)
{
    nitro_kept **kept = nitro_kit_kept(kit, argument);
    if (!*kept)
        *kept = calloc(1, sizeof(**kept));
    return *kept;
}

static size_t bytes_of(const nitro_kit *kit, const nitro_field *field, const void *argument)
{
    return (size_t)nitro_field_count_of(kit, field, argument) * nitro_field_size(field);
}

int nitro_kit_save_input(const nitro_kit *kit, void *argument)
{
    nitro_kept *kept = find_kept(kit, argument);
    for (size_t i = 0; kept && i < kit->num_fields; i++) {
        const nitro_field *field = &kit->fields[i];
        if (field->role != NITRO_INOUT || kept->saved[i])
            continue;
        kept->saved[i] = nitro_host_allocate((int64_t)bytes_of(kit, field, argument), sizeof(char));
        if (!kept->saved[i])
            return NITRO_ERR_NO_MEMORY;
        memcpy(kept->saved[i], *nitro_field_array(field, argument), bytes_of(kit, field, argument));
    }
    return kept ? 0 : NITRO_ERR_NO_MEMORY;
}

void nitro_kit_restore_input(const nitro_kit *kit, void *argument)
{
    const nitro_kept *kept = *nitro_kit_kept(kit, argument);
    for (size_t i = 0; kept && i < kit->num_fields; i++)
        if (kept->saved[i])
            memcpy(*nitro_field_array(&kit->fields[i], argument), kept->saved[i],
                   bytes_of(kit, &kit->fields[i], argument));
}

static bool is_input(const nitro_field *field)
{
    return field->role == NITRO_IN && field->offset != NITRO_NOWHERE;
}

/* Of a large array by evenly spaced pages: reading all of it takes about as long as a run. */
static uint64_t digest_input(const nitro_kit *kit, const nitro_field *field, const void *argument)
{
    const char *array = *nitro_field_array(field, argument);
    size_t bytes = array ? bytes_of(kit, field, argument) : 0;
    uint64_t digest = 0;
    if (bytes <= NUM_PAGES * PAGE_BYTES)
        return bytes > 0 ? nitro_hash(array, bytes, 0) : 0;
    for (size_t page = 0; page < NUM_PAGES; page++)
        digest =
            nitro_hash(array + (bytes - PAGE_BYTES) * page / (NUM_PAGES - 1), PAGE_BYTES, digest);
    return digest;
}

static int note_inputs(const nitro_kit *kit, void *argument)
{
    nitro_kept *kept = find_kept(kit, argument);
    for (size_t i = 0; kept && i < kit->num_fields; i++)
        if (is_input(&kit->fields[i]))
            kept->inputs[i] = digest_input(kit, &kit->fields[i], argument);
    if (kept)
        kept->has_inputs = true;
    return kept ? 0 : NITRO_ERR_NO_MEMORY;
}

/* Variants that ran before were checked: it is this one that did it. */
static int check_inputs(const nitro_kit *kit, const void *argument, char *why, size_t size)
{
    const nitro_kept *kept = *nitro_kit_kept(kit, argument);
    for (size_t i = 0; kept && kept->has_inputs && i < kit->num_fields; i++) {
        const nitro_field *field = &kit->fields[i];
        if (!is_input(field) || digest_input(kit, field, argument) == kept->inputs[i])
            continue;
        snprintf(why, size, "it changed its input: %s is not what it was", field->name);
        return NITRO_INPUT_CHANGED;
    }
    return 0;
}

/* ---- Comparing ---- */

static double number_at(nitro_element element, const void *array, int64_t i)
{
    switch (element) {
    case NITRO_FLOAT64:
        return ((const double *)array)[i];
    case NITRO_FLOAT32:
        return ((const float *)array)[i];
    case NITRO_INT32:
        return ((const int32_t *)array)[i];
    case NITRO_UINT32:
        return ((const uint32_t *)array)[i];
    case NITRO_UINT64:
        return (double)((const uint64_t *)array)[i];
    case NITRO_BYTE:
        return ((const unsigned char *)array)[i];
    case NITRO_INT64:
    case NITRO_INDEX64:
        break;
    }
    return (double)((const int64_t *)array)[i];
}

static bool is_real(nitro_element element)
{
    return element == NITRO_FLOAT64 || element == NITRO_FLOAT32;
}

typedef struct comparison {
    const nitro_field *field;
    const void *result, *reference;
    const double *magnitudes; /* NULL: the reference's absolute values */
    int64_t count;
} comparison;

/* What an element may differ by: of infinity, by nothing. */
static double allowance(const comparison *c, int64_t i)
{
    double reference = number_at(c->field->element, c->reference, i);
    if (isinf(reference))
        return 0;
    if (c->field->agreement == NITRO_TOLERANCE)
        return c->field->tolerance;
    bool has_magnitude = c->magnitudes && !isnan(c->magnitudes[i]);
    return c->field->tolerance * (has_magnitude ? c->magnitudes[i] : fabs(reference));
}

static int compare_numbers(const comparison *c, char *why, size_t size)
{
    nitro_element element = c->field->element;
    int64_t worst = -1, num_wrong = 0;
    double worst_share = 0;
    for (int64_t i = 0; i < c->count; i++) {
        double result = number_at(element, c->result, i);
        double reference = number_at(element, c->reference, i);
        double difference = fabs(result - reference), allowed = allowance(c, i);
        if (difference <= allowed || result == reference)
            continue;
        double share = difference / allowed; /* NaN is the worst of all */
        if (worst < 0 || (!isnan(worst_share) && !(share <= worst_share))) {
            worst = i;
            worst_share = share;
        }
        num_wrong++;
    }
    if (num_wrong == 0)
        return 0;
    double result = number_at(element, c->result, worst);
    snprintf(why, size,
             "%s[%lld] is %.17g instead of %.17g, and may be off by %.3g; %lld of %lld are wrong",
             c->field->name, (long long)worst, isnan(result) ? (double)NAN : result,
             number_at(element, c->reference, worst), allowance(c, worst), (long long)num_wrong,
             (long long)c->count);
    return 1;
}

/* With all digits of an integer. */
static void print_element(const comparison *c, const void *array, int64_t i, char text[32])
{
    nitro_element element = c->field->element;
    if (is_real(element))
        snprintf(text, 32, "%.17g", number_at(element, array, i));
    else if (element == NITRO_UINT64)
        snprintf(text, 32, "%llu", (unsigned long long)((const uint64_t *)array)[i]);
    else if (nitro_field_size(c->field) == sizeof(int64_t))
        snprintf(text, 32, "%lld", (long long)((const int64_t *)array)[i]);
    else
        snprintf(text, 32, "%.0f", number_at(element, array, i));
}

static int compare_bits(const comparison *c, char *why, size_t size)
{
    size_t bytes = nitro_field_size(c->field);
    const char *result = c->result, *reference = c->reference;
    if (c->count == 0 || memcmp(result, reference, (size_t)c->count * bytes) == 0)
        return 0;
    int64_t first = -1, num_wrong = 0;
    for (int64_t i = c->count - 1; i >= 0; i--)
        if (memcmp(result + (size_t)i * bytes, reference + (size_t)i * bytes, bytes) != 0) {
            first = i;
            num_wrong++;
        }
    char found[32], expected[32];
    print_element(c, result, first, found);
    print_element(c, reference, first, expected);
    snprintf(why, size, "%s[%lld] is %s instead of %s; %lld of %lld are wrong", c->field->name,
             (long long)first, found, expected, (long long)num_wrong, (long long)c->count);
    return 1;
}

/* Sum of the elements' hashes: independent of their order. */
static uint64_t digest(const void *array, int64_t count, size_t bytes)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)array + (size_t)i * bytes, bytes);
        bits = (bits ^ bits >> 30 ^ 0x5851F42D) * UINT64_C(0xBF58476D1CE4E5B9);
        bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
        sum += bits ^ bits >> 31;
    }
    return sum;
}

static int compare_digests(const comparison *c, char *why, size_t size)
{
    size_t bytes = nitro_field_size(c->field);
    if (digest(c->result, c->count, bytes) == digest(c->reference, c->count, bytes))
        return 0;
    snprintf(why, size, "%s has other elements than it should, in whatever order", c->field->name);
    return 1;
}

static int compare(const comparison *c, char *why, size_t size)
{
    switch (c->field->agreement) {
    case NITRO_EXACT:
        return compare_bits(c, why, size);
    case NITRO_TOLERANCE:
    case NITRO_RELATIVE:
        return compare_numbers(c, why, size);
    case NITRO_DIGEST:
        return compare_digests(c, why, size);
    case NITRO_UNCHECKED:
        break;
    }
    return 0;
}

/* ---- Results ---- */

static void spoil(const nitro_kit *kit, void *argument)
{
    for (size_t i = 0; i < kit->num_fields; i++) {
        const nitro_field *field = &kit->fields[i];
        if (field->role == NITRO_OUT && bytes_of(kit, field, argument) > 0)
            memset(*nitro_field_array(field, argument), nitro_field_nonsense(field),
                   bytes_of(kit, field, argument));
    }
}

int nitro_kit_check_result(const nitro_kit *kit, void *argument, char *why, size_t size)
{
    const nitro_kept *kept = *nitro_kit_kept(kit, argument);
    int wrong = check_inputs(kit, argument, why, size);
    for (size_t i = 0; i < kit->num_fields && !wrong; i++) {
        const nitro_field *field = &kit->fields[i];
        if (!nitro_field_is_output(field))
            continue;
        if (!kept || !kept->outputs[i]) {
            snprintf(why, size, "there is no reference to compare %s with", field->name);
            return 1;
        }
        const comparison c = {.field = field,
                              .result = *nitro_field_array(field, argument),
                              .reference = kept->outputs[i],
                              .magnitudes =
                                  field->agreement == NITRO_RELATIVE ? kept->magnitudes : NULL,
                              .count = nitro_field_count_of(kit, field, argument)};
        wrong = compare(&c, why, size);
    }
    if (!wrong && kit->check)
        wrong = kit->check(argument, why, size);
    spoil(kit, argument);
    return wrong;
}

/* Room for the reference's outputs; arrays in place get the saved input. */
static int make_room(const nitro_kit *kit, void *argument, nitro_kept *kept)
{
    for (size_t i = 0; i < kit->num_fields; i++) {
        const nitro_field *field = &kit->fields[i];
        if (!nitro_field_is_output(field))
            continue;
        int64_t count = nitro_field_count_of(kit, field, argument);
        if (!kept->outputs[i])
            kept->outputs[i] = nitro_host_allocate(count, nitro_field_size(field));
        bool has_magnitudes = field->agreement == NITRO_RELATIVE && kit->reference;
        if (has_magnitudes && !kept->magnitudes)
            kept->magnitudes = nitro_host_allocate(count, sizeof(double));
        if (!kept->outputs[i] || (has_magnitudes && !kept->magnitudes))
            return NITRO_ERR_NO_MEMORY;
        if (has_magnitudes) /* NaN where the reference gives none */
            memset(kept->magnitudes, NAN_BYTE, (size_t)count * sizeof(double));
        const void *from = kit->reference ? kept->saved[i] : *nitro_field_array(field, argument);
        if (from && count > 0)
            memcpy(kept->outputs[i], from, bytes_of(kit, field, argument));
    }
    return 0;
}

static void swap_outputs(const nitro_kit *kit, void *argument, nitro_kept *kept)
{
    for (size_t i = 0; i < kit->num_fields; i++)
        if (nitro_field_is_output(&kit->fields[i])) {
            void **array = nitro_field_array(&kit->fields[i], argument);
            void *result = *array;
            *array = kept->outputs[i];
            kept->outputs[i] = result;
        }
}

int nitro_kit_keep_checked(const nitro_kit *kit, void *argument, char *why, size_t size)
{
    nitro_kept *kept = find_kept(kit, argument);
    if (!kept || make_room(kit, argument, kept) != 0)
        return NITRO_ERR_NO_MEMORY;
    if (kit->reference) {
        swap_outputs(kit, argument, kept);
        int failure = kit->reference(argument, kept->magnitudes);
        swap_outputs(kit, argument, kept);
        if (failure)
            return failure;
    }
    return nitro_kit_check_result(kit, argument, why, size);
}

int nitro_kit_keep_reference(const nitro_kit *kit, void *argument)
{
    char unused[256];
    return nitro_kit_keep_checked(kit, argument, unused, sizeof(unused));
}

/* ---- The hooks ---- */

static int save(void *argument, void *user)
{
    int failure = nitro_kit_save_input(user, argument);
    return failure ? failure : note_inputs(user, argument);
}

static int restore(void *argument, void *user)
{
    nitro_kit_restore_input(user, argument);
    return 0;
}

static int keep(void *argument, void *user)
{
    char why[NITRO_KIT_PROBLEM_BYTES] = "";
    int failure = nitro_kit_keep_checked(user, argument, why, sizeof(why));
    if (failure && why[0])
        nitro_kit_keep_problem(argument, why);
    return failure;
}

static int check(void *argument, char *why, size_t size, void *user)
{
    return nitro_kit_check_result(user, argument, why, size);
}

const nitro_hooks nitro_kit_host_hooks = {
    .prepare_input = save, .restore_input = restore, .keep_reference = keep, .check_result = check};
