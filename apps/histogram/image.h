/*
 * image.h - reading grayscale images: every value that a pixel can have is a bin, every pixel a
 * sample.
 *
 * PGM (netpbm.sourceforge.net/doc/pgm.html), plain (P2) and raw (P5), one image a file, maximum
 * value up to 65535. PNG of 1, 2, 4, 8 or 16 bits a pixel, interlaced or not; transparency is
 * dropped. Values are used as stored: no gamma, no scaling. Colour images are an error: the
 * conversion to gray is the user's choice.
 *
 * Declared sizes are checked against the file size.
 */
#ifndef NITRO_APPS_HISTOGRAM_IMAGE_H
#define NITRO_APPS_HISTOGRAM_IMAGE_H

#include "nitro/nitro_backend.h"
#include "variants/histogram/histogram.h"

/** An image file in memory; `name` is for errors. */
typedef struct nitro_histogram_image {
    const char *name;
    const unsigned char *bytes; /* shape [size] */
    size_t size;
} nitro_histogram_image;

/**
 * @param[out] histogram  free it with nitro_histogram_samples_free.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND or NITRO_ERR_IO (the file); NITRO_ERR_FORMAT (the error
 *         names file and field); NITRO_ERR_NOT_BUILT (PNG, without libpng); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_histogram_image_read(nitro_context *context, const char *path,
                                        nitro_histogram **histogram);

/** The same from memory. */
nitro_status nitro_histogram_image_parse(nitro_context *context, const nitro_histogram_image *image,
                                         nitro_histogram **histogram);

/* One format each; the first bytes are checked already. */
nitro_status nitro_histogram_pgm_parse(nitro_context *context, const nitro_histogram_image *image,
                                       nitro_histogram **histogram);
nitro_status nitro_histogram_png_parse(nitro_context *context, const nitro_histogram_image *image,
                                       nitro_histogram **histogram);

#endif
