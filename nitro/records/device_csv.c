/* Reads devices from a table. A column is a label if any field is text, else a device feature;
 * columns of known names have their known type. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"

typedef enum column_use { COLUMN_IGNORED, COLUMN_FEATURE, COLUMN_LABEL } column_use;

static bool is_text_by_name(const char *name)
{
    static const char *const names[] = {"vendor", "model", "architecture", "uncertain"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* "007" is a label, which a number would not give back. */
static bool has_leading_zero(const char *field)
{
    return field[0] == '0' && field[1] >= '0' && field[1] <= '9';
}

/* "inf" or "nan" among numbers is an error, not a label. */
static bool is_not_finite(const char *field)
{
    char *end;
    double value = strtod(field, &end);
    return end != field && *end == '\0' && !isfinite(value);
}

static nitro_status choose_use(nitro_context *context, const nitro_csv *csv, size_t column,
                               column_use *use)
{
    const char *name = nitro_csv_column_name(csv, column);
    bool must_be_number = nitro_device_feature_lookup(name) != NULL;
    size_t numbers = 0, first_text = NITRO_NONE, first_broken = NITRO_NONE;
    for (size_t row = nitro_csv_num_rows(csv); row-- > 0;) {
        const char *field = nitro_csv_field(csv, row, column);
        double value;
        if (nitro_parse_number(field, &value) && (must_be_number || !has_leading_zero(field)))
            numbers++;
        else if (is_not_finite(field))
            first_broken = row;
        else if (field[0] != '\0')
            first_text = row;
    }
    bool is_text = is_text_by_name(name) || (first_text != NITRO_NONE && !must_be_number);
    size_t bad = first_text != NITRO_NONE ? first_text : first_broken;
    if (is_text || (bad != NITRO_NONE && numbers == 0 && !must_be_number)) {
        *use = COLUMN_LABEL;
        if (numbers > 0 && !is_text_by_name(name))
            nitro_log(context, NITRO_LOG_INFO,
                      "%s: column '%s' is a label, not a device feature: line %zu has text in it",
                      nitro_csv_origin(csv), name, nitro_csv_line(csv, bad));
        return NITRO_OK;
    }
    double value;
    *use = numbers > 0 ? COLUMN_FEATURE : COLUMN_IGNORED;
    return bad == NITRO_NONE ? NITRO_OK : nitro_csv_number(csv, bad, column, &value);
}

/* The type of each column; NULL on failure. */
static column_use *choose_uses(nitro_context *context, const nitro_csv *csv, nitro_status *status)
{
    size_t count = nitro_csv_num_columns(csv);
    column_use *uses = nitro_calloc(context, count, sizeof(*uses));
    *status = uses ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count && *status == NITRO_OK; i++) {
        const char *name = nitro_csv_column_name(csv, i);
        if (strcmp(name, "device") == 0 || strcmp(name, "kind") == 0)
            continue;
        if (nitro_name_is_valid(name))
            *status = choose_use(context, csv, i, &uses[i]);
        else
            *status =
                nitro_fail(context, NITRO_ERR_FORMAT,
                           "%s: column %zu: '%.100s' is not a valid feature name: use 1 to 63 of "
                           "[A-Za-z0-9_.+-]",
                           nitro_csv_origin(csv), i + 1, name);
    }
    if (*status == NITRO_OK)
        return uses;
    free(uses);
    return NULL;
}

static nitro_status check_ids(nitro_context *context, const nitro_csv *csv, size_t column)
{
    if (column == NITRO_NONE)
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: no column 'device' with the device ids",
                          nitro_csv_origin(csv));
    for (size_t row = 0; row < nitro_csv_num_rows(csv); row++) {
        const char *id = nitro_csv_field(csv, row, column);
        if (!nitro_device_id_is_valid(id))
            return nitro_fail(
                context, NITRO_ERR_FORMAT,
                "%s:%zu: column %zu ('device'): '%.100s' is not a valid device id: use 1 to 63 "
                "of [A-Za-z0-9_.:@+-]",
                nitro_csv_origin(csv), nitro_csv_line(csv, row), column + 1, id);
    }
    return nitro_csv_require_unique(csv, column);
}

static nitro_status create_of_row(nitro_context *context, const nitro_csv *csv, size_t row,
                                  nitro_device **device)
{
    size_t kind_column = nitro_csv_column(csv, "kind");
    const char *kind = kind_column == NITRO_NONE ? "" : nitro_csv_field(csv, row, kind_column);
    if (kind[0] == '\0')
        kind = "recorded";
    if (!nitro_name_is_valid(kind))
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s:%zu: column %zu ('kind'): '%.100s' is not a valid device kind",
                          nitro_csv_origin(csv), nitro_csv_line(csv, row), kind_column + 1, kind);
    return nitro_device_create(context, nitro_csv_field(csv, row, nitro_csv_column(csv, "device")),
                               kind, device);
}

static nitro_status device_of_row(nitro_context *context, const nitro_csv *csv, size_t row,
                                  const column_use *uses, nitro_device **device)
{
    nitro_device *created;
    nitro_status status = create_of_row(context, csv, row, &created);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < nitro_csv_num_columns(csv) && status == NITRO_OK; i++) {
        const char *name = nitro_csv_column_name(csv, i);
        const char *field = nitro_csv_field(csv, row, i);
        double value;
        if (uses[i] == COLUMN_IGNORED || field[0] == '\0')
            continue;
        if (uses[i] == COLUMN_LABEL) {
            status = nitro_device_set_label(context, created, name, field);
            continue;
        }
        status = nitro_csv_number(csv, row, i, &value);
        if (status == NITRO_OK)
            status = nitro_device_set(context, created, name, value, NITRO_VALUE_RECORDED, 0);
    }
    if (status == NITRO_OK)
        *device = created;
    else
        nitro_device_free(created);
    return status;
}

nitro_status nitro_devices_from_csv(nitro_context *context, const nitro_csv *csv,
                                    nitro_device ***devices, size_t *count)
{
    size_t num_rows = nitro_csv_num_rows(csv), done = 0;
    nitro_status status = check_ids(context, csv, nitro_csv_column(csv, "device"));
    if (status != NITRO_OK)
        return status;
    column_use *uses = choose_uses(context, csv, &status);
    if (!uses)
        return status;
    nitro_device **created = nitro_calloc(context, num_rows, sizeof(*created));
    if (!created)
        status = NITRO_ERR_NO_MEMORY;
    while (status == NITRO_OK && done < num_rows) {
        status = device_of_row(context, csv, done, uses, &created[done]);
        done += status == NITRO_OK;
    }
    free(uses);
    if (status == NITRO_OK) {
        *devices = created;
        *count = num_rows;
        return NITRO_OK;
    }
    for (size_t i = 0; i < done; i++)
        nitro_device_free(created[i]);
    free(created);
    return status;
}
