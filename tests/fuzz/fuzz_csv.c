/* CSV tables and devices from them, on any bytes. Every string of an accepted table is read to its
 * end; a refusal must name the place. */
#include <string.h>

#include "fuzz.h"
#include "nitro/nitro_backend.h"

static void require_message(nitro_context *context)
{
    char message[64];
    nitro_context_last_error(context, message, sizeof(message));
    require(strncmp(message, "fuzz.csv:", 9) == 0);
}

static size_t walk(const nitro_csv *csv)
{
    size_t bytes = 0, previous_line = 0;
    for (size_t column = 0; column < nitro_csv_num_columns(csv); column++) {
        const char *name = nitro_csv_column_name(csv, column);
        require(nitro_csv_column(csv, name) == column);
        bytes += strlen(name);
    }
    for (size_t row = 0; row < nitro_csv_num_rows(csv); row++) {
        require(nitro_csv_line(csv, row) > previous_line);
        previous_line = nitro_csv_line(csv, row);
        for (size_t column = 0; column < nitro_csv_num_columns(csv); column++) {
            double value = 0;
            bytes += strlen(nitro_csv_field(csv, row, column));
            nitro_csv_number(csv, row, column, &value);
        }
    }
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    nitro_csv *csv = NULL;
    nitro_device **devices = NULL;
    size_t count = 0;
    if (nitro_context_create(&context) != NITRO_OK)
        return 0;
    if (nitro_csv_parse(context, "fuzz.csv", (const char *)data, size, &csv) != NITRO_OK) {
        require_message(context);
        nitro_context_free(context);
        return 0;
    }
    require(walk(csv) <= size);
    if (nitro_devices_from_csv(context, csv, &devices, &count) != NITRO_OK)
        require_message(context);
    for (size_t i = 0; i < count; i++)
        nitro_device_free(devices[i]);
    free(devices);
    nitro_csv_free(csv);
    nitro_context_free(context);
    return 0;
}
