/* Published specifications of NVIDIA's cards (data/devices/nvidia.csv, embedded by CMake), found
 * by the name that a driver reports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "features/device/cuda/cuda_kind.h"
#include "features/device/slug.h"

/* data/devices/nvidia.csv as a string, written by CMake. */
extern const char nitro_nvidia_csv[];

#define MAKER       "nvidia-"
#define MAX_ID_NAME (63 - strlen("cuda:" MAKER))

/* "NVIDIA GeForce RTX 2080 Ti" and "GeForce RTX 2080 Ti" (older drivers) are the same card. */
static void simplify(const char *name, char simple[NITRO_FACTS_TEXT_SIZE])
{
    size_t used = nitro_slug_append(simple, NITRO_FACTS_TEXT_SIZE - 1, 0, name, strlen(name));
    simple[used] = '\0';
    if (strncmp(simple, MAKER, strlen(MAKER)) == 0)
        memmove(simple, simple + strlen(MAKER), used + 1 - strlen(MAKER));
}

void nitro_cuda_format_id(const char *name, char *id, size_t size)
{
    char simple[NITRO_FACTS_TEXT_SIZE];
    simplify(name, simple);
    simple[MAX_ID_NAME] = '\0'; /* longest name in an id */
    snprintf(id, size, "cuda:" MAKER "%s", simple[0] ? simple : "unknown");
}

static const struct {
    const char *column;
    size_t offset;
} numbers[] = {
    {"compute_capability", offsetof(nitro_cuda_card, compute_capability)},
    {"sm_count", offsetof(nitro_cuda_card, sm_count)},
    {"cuda_cores", offsetof(nitro_cuda_card, cuda_cores)},
    {"base_clock", offsetof(nitro_cuda_card, base_clock)},
    {"boost_clock", offsetof(nitro_cuda_card, boost_clock)},
    {"mem_clock_rate", offsetof(nitro_cuda_card, mem_clock_rate)},
    {"mem_bus_width", offsetof(nitro_cuda_card, mem_bus_width)},
    {"l2_cache_size", offsetof(nitro_cuda_card, l2_cache_size)},
    {"global_mem", offsetof(nitro_cuda_card, global_mem)},
    {"peak_gbps", offsetof(nitro_cuda_card, peak_gbps)},
    {"peak_gflops_sp", offsetof(nitro_cuda_card, peak_gflops_sp)},
    {"peak_gflops_dp", offsetof(nitro_cuda_card, peak_gflops_dp)},
};

static const struct {
    const char *column;
    size_t offset, size;
} texts[] = {
    {"names", offsetof(nitro_cuda_card, name), NITRO_FACTS_TEXT_SIZE},
    {"chip", offsetof(nitro_cuda_card, chip), sizeof(((nitro_cuda_card *)0)->chip)},
    {"architecture", offsetof(nitro_cuda_card, architecture),
     sizeof(((nitro_cuda_card *)0)->architecture)},
};

static nitro_status read_row(nitro_context *context, const nitro_csv *csv, size_t row,
                             nitro_cuda_card *card)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        size_t column = nitro_csv_column(csv, texts[i].column);
        if (column == NITRO_NONE)
            return nitro_fail(context, NITRO_ERR_FORMAT, "%s: no column '%s'",
                              nitro_csv_origin(csv), texts[i].column);
        snprintf((char *)card + texts[i].offset, texts[i].size, "%s",
                 nitro_csv_field(csv, row, column));
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        size_t column = nitro_csv_column(csv, numbers[i].column);
        if (column == NITRO_NONE)
            return nitro_fail(context, NITRO_ERR_FORMAT, "%s: no column '%s'",
                              nitro_csv_origin(csv), numbers[i].column);
        double *value = (double *)(void *)((char *)card + numbers[i].offset);
        nitro_status status = nitro_csv_number(csv, row, column, value);
        if (status != NITRO_OK)
            return status;
    }
    return NITRO_OK;
}

/* Splits a row with several names into one card a name.
 * @return the number of cards. */
static size_t split_names(nitro_cuda_card *cards, size_t count)
{
    const nitro_cuda_card row = cards[count];
    for (const char *name = row.name; *name; count++) {
        size_t length = strcspn(name, ";");
        cards[count] = row;
        snprintf(cards[count].name, sizeof(cards[count].name), "%.*s", (int)length, name);
        name += length + (name[length] == ';');
    }
    return count;
}

static size_t count_names(const nitro_csv *csv)
{
    size_t count = 0, column = nitro_csv_column(csv, "names");
    for (size_t row = 0; row < nitro_csv_num_rows(csv) && column != NITRO_NONE; row++) {
        count++;
        for (const char *at = nitro_csv_field(csv, row, column); *at; at++)
            count += *at == ';';
    }
    return count;
}

static nitro_status read_rows(nitro_context *context, const nitro_csv *csv, nitro_cuda_card **cards,
                              size_t *count)
{
    size_t num_cards = 0;
    nitro_cuda_card *read = nitro_calloc(context, count_names(csv) + 1, sizeof(*read));
    nitro_status status = read ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t row = 0; row < nitro_csv_num_rows(csv) && status == NITRO_OK; row++) {
        status = read_row(context, csv, row, &read[num_cards]);
        if (status == NITRO_OK)
            num_cards = split_names(read, num_cards);
    }
    if (status != NITRO_OK) {
        free(read);
        return status;
    }
    *cards = read;
    *count = num_cards;
    return NITRO_OK;
}

nitro_status nitro_cuda_cards_read(nitro_context *context, nitro_cuda_card **cards, size_t *count)
{
    nitro_csv *csv = NULL;
    nitro_status status = nitro_csv_parse(context, "nvidia.csv (built in)", nitro_nvidia_csv,
                                          strlen(nitro_nvidia_csv), &csv);
    if (status == NITRO_OK)
        status = read_rows(context, csv, cards, count);
    nitro_csv_free(csv);
    return status;
}

const nitro_cuda_card *nitro_cuda_card_find(const nitro_cuda_card *cards, size_t count,
                                            const char *name)
{
    char wanted[NITRO_FACTS_TEXT_SIZE], simple[NITRO_FACTS_TEXT_SIZE];
    simplify(name, wanted);
    for (size_t i = 0; i < count; i++) {
        simplify(cards[i].name, simple);
        if (strcmp(simple, wanted) == 0)
            return &cards[i];
    }
    return NULL;
}
