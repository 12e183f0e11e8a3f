/* temporary.h - a folder for one test, and files in it. */
#ifndef NITRO_TESTS_UNIT_TEMPORARY_H
#define NITRO_TESTS_UNIT_TEMPORARY_H

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/unit.h"

typedef struct temporary {
    char folder[64];
} temporary;

static inline temporary temporary_make(void)
{
    temporary made = {"/tmp/nitro-test-XXXXXX"};
    assert_non_null(mkdtemp(made.folder));
    return made;
}

static inline int temporary_remove_one(const char *path, const struct stat *status, int type,
                                       struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static inline void temporary_remove(const temporary *made)
{
    assert_int_equal(nftw(made->folder, temporary_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* Path of a file in the folder; one of eight static buffers, used in turn. */
static inline const char *temporary_path(const temporary *made, const char *name)
{
    static char paths[8][256];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof(paths[0]), "%s/%s", made->folder, name);
    return path;
}

/* A new store in the folder, open for writing. */
static inline nitro_store *temporary_store(nitro_context *context, const temporary *made,
                                           const char *name)
{
    nitro_store *store = NULL;
    assert_ok(context,
              nitro_store_open(context, temporary_path(made, name), NITRO_STORE_WRITE, &store));
    return store;
}

static inline const char *temporary_write(const temporary *made, const char *name, const char *text)
{
    const char *path = temporary_path(made, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return path;
}

#endif
