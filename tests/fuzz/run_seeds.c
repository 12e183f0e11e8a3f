/*
 * run_seeds.c - runs every seed of one fuzz target once, without a fuzzer: so a crash once found
 * and kept as a seed is tested with any compiler. Each seed also runs truncated; a copy of exact
 * size lets the address sanitizer see reads past its end.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "nitro/nitro_backend.h"

enum { MAX_SEED_BYTES = 1 << 20, NUM_CUTS = 16 };

/* Returns false when out of memory. */
static bool run_prefix(const char *text, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);

    if (!copy)
        return false;
    memcpy(copy, text, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return true;
}

static nitro_status run_seed(nitro_context *context, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    bool ran = true;
    nitro_status status = nitro_file_read(context, path, MAX_SEED_BYTES, &text, &size);

    if (status != NITRO_OK)
        return status;
    for (size_t cut = 0; ran && cut <= NUM_CUTS; cut++)
        ran = run_prefix(text, size * cut / NUM_CUTS);
    free(text);
    return ran ? NITRO_OK : nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: out of memory", path);
}

static nitro_status list_seeds(nitro_context *context, const char *folder, nitro_string_list *seeds)
{
    nitro_status status = NITRO_OK;
    const struct dirent *entry;
    DIR *directory = opendir(folder);

    if (!directory)
        return nitro_fail(context, NITRO_ERR_IO, "%s: %s; a fuzz target needs seeds there", folder,
                          strerror(errno));
    while (status == NITRO_OK && (entry = readdir(directory)))
        if (entry->d_name[0] != '.')
            status = nitro_string_list_add(context, seeds, entry->d_name);
    closedir(directory);
    if (status == NITRO_OK && seeds->count == 0)
        status = nitro_fail(context, NITRO_ERR_NOT_FOUND, "%s: no seed in this folder", folder);
    nitro_string_list_sort(seeds);
    return status;
}

static nitro_status run_seeds(nitro_context *context, const char *folder)
{
    nitro_string_list seeds = {0};
    nitro_status status = list_seeds(context, folder, &seeds);

    for (size_t i = 0; status == NITRO_OK && i < seeds.count; i++) {
        char *path = nitro_asprintf(context, "%s/%s", folder, seeds.items[i]);

        printf("%s\n", seeds.items[i]);
        fflush(stdout); /* a crash then shows whose it is */
        status = path ? run_seed(context, path) : NITRO_ERR_NO_MEMORY;
        free(path);
    }
    nitro_string_list_free(&seeds);
    return status;
}

int main(int count, char **arguments)
{
    nitro_context *context = NULL;
    nitro_status status;

    if (count != 2) {
        fprintf(stderr, "usage: %s SEED-FOLDER\n", arguments[0]);
        return 2;
    }
    if (nitro_context_create(&context) != NITRO_OK)
        return 1;
    status = run_seeds(context, arguments[1]);
    if (status != NITRO_OK) {
        char message[1024];
        nitro_context_last_error(context, message, sizeof message);
        fprintf(stderr, "%s\n", message);
    }
    nitro_context_free(context);
    return status == NITRO_OK ? 0 : 1;
}
