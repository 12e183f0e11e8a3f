/* Detects an image's format by its first bytes, and reads it. */
#include "apps/histogram/samples.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FILE_BYTES ((size_t)8 << 30)

typedef struct image_format {
    const char *start; /* the file's first bytes */
    nitro_status (*parse)(nitro_context *context, const nitro_histogram_image *image,
                          nitro_histogram **histogram);
} image_format;

static nitro_status refuse_colour(nitro_context *context, const nitro_histogram_image *image,
                                  nitro_histogram **histogram)
{
    (void)histogram;
    return nitro_fail(context, NITRO_ERR_FORMAT,
                      "%s: an image in colour: convert it to grayscale first, for example with "
                      "netpbm's ppmtopgm",
                      image->name);
}

static const image_format formats[] = {
    {"\x89PNG\r\n\x1a\n", nitro_histogram_png_parse},
    {"P2", nitro_histogram_pgm_parse},
    {"P5", nitro_histogram_pgm_parse},
    {"P3", refuse_colour},
    {"P6", refuse_colour},
};

static const image_format *find_format(const nitro_histogram_image *image)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        size_t length = strlen(formats[i].start);
        if (image->size >= length && memcmp(image->bytes, formats[i].start, length) == 0)
            return &formats[i];
    }
    return NULL;
}

nitro_status nitro_histogram_image_parse(nitro_context *context, const nitro_histogram_image *image,
                                         nitro_histogram **histogram)
{
    const image_format *format = find_format(image);
    if (!format)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: neither a PGM image (it would begin with P2 or P5) nor a PNG image",
                          image->name);
    return format->parse(context, image, histogram);
}

nitro_status nitro_histogram_image_read(nitro_context *context, const char *path,
                                        nitro_histogram **histogram)
{
    nitro_histogram_image image = {.name = path};
    char *bytes;
    nitro_status status = nitro_file_read(context, path, MAX_FILE_BYTES, &bytes, &image.size);
    if (status != NITRO_OK)
        return status;
    image.bytes = (const unsigned char *)bytes;
    status = nitro_histogram_image_parse(context, &image, histogram);
    free(bytes);
    return status;
}
