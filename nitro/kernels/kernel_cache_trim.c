/* Keeps the cache of compiled kernels within the setting kernel_cache_mb: the images that were used
 * least recently are deleted. The time of a file's last change is that of its last use. */
#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nitro/kernels/kernel.h"

#define HASH_DIGITS    32
#define MAX_NAME_BYTES 64

typedef struct cached_image {
    char name[MAX_NAME_BYTES];
    double bytes;
    struct timespec used;
} cached_image;

typedef struct cached_images {
    cached_image *items;
    size_t count, capacity;
    double bytes;
} cached_images;

/* A hash, or a hash with a dot: a write that is under way, or was cut off. Other files in the
 * folder, such as the best configurations, are not counted and stay. */
static bool is_image(const char *name)
{
    return strspn(name, "0123456789abcdef") == HASH_DIGITS && strlen(name) < MAX_NAME_BYTES &&
           (name[HASH_DIGITS] == '\0' || name[HASH_DIGITS] == '.');
}

static bool add_image(nitro_context *context, cached_images *images, const char *name,
                      const struct stat *file)
{
    cached_image *items = nitro_grow(context, images->items, images->count, &images->capacity,
                                     sizeof(*items), "compiled kernels");
    if (!items)
        return false;
    images->items = items;
    cached_image *image = &images->items[images->count++];
    strcpy(image->name, name);
    image->bytes = (double)file->st_size;
    image->used = file->st_mtim;
    images->bytes += image->bytes;
    return true;
}

/* A file that another process has deleted meanwhile is no image. */
static bool list_images(nitro_context *context, DIR *folder, cached_images *images)
{
    struct stat file;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        if (is_image(entry->d_name) &&
            fstatat(dirfd(folder), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(file.st_mode) && !add_image(context, images, entry->d_name, &file))
            return false;
    return true;
}

static int compare_use(const void *left, const void *right)
{
    const cached_image *a = left, *b = right;
    if (a->used.tv_sec != b->used.tv_sec)
        return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    if (a->used.tv_nsec != b->used.tv_nsec)
        return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void delete_oldest(DIR *folder, cached_images *images, double most, const char *keep)
{
    qsort(images->items, images->count, sizeof(*images->items), compare_use);
    for (size_t i = 0; i < images->count && images->bytes > most; i++) {
        const cached_image *image = &images->items[i];
        if (strcmp(image->name, keep) == 0)
            continue;
        unlinkat(dirfd(folder), image->name, 0);
        images->bytes -= image->bytes;
    }
}

void nitro_kernel_cache_trim(nitro_context *context, const char *path)
{
    nitro_setting_value set = {0};
    cached_images images = {0};
    char *folder_copy = nitro_strdup(context, path), *name_copy = nitro_strdup(context, path);
    DIR *folder = folder_copy && name_copy ? opendir(dirname(folder_copy)) : NULL;
    if (folder && nitro_setting_get(context, NULL, "kernel_cache_mb", &set) == NITRO_OK &&
        list_images(context, folder, &images)) {
        double megabytes = 0.0;
        nitro_parse_number(set.text, &megabytes);
        if (images.bytes > megabytes * 1e6)
            delete_oldest(folder, &images, megabytes * 1e6, basename(name_copy));
    }
    if (folder)
        closedir(folder);
    free(images.items);
    free(folder_copy);
    free(name_copy);
}
