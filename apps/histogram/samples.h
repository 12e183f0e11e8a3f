/*
 * samples.h - inputs of histogram: grayscale images, and generated samples of many distributions.
 *
 * In an image every value that a pixel can have is a bin, every pixel a sample. PGM
 * (netpbm.sourceforge.net/doc/pgm.html), plain (P2) and raw (P5), one image a file, maximum value
 * up to 65535. PNG of 1, 2, 4, 8 or 16 bits a pixel, interlaced or not; transparency is dropped.
 * Values are used as stored: no gamma, no scaling. Colour images are an error: the conversion to
 * gray is the user's choice. Declared sizes are checked against the file size.
 */
#ifndef NITRO_APPS_HISTOGRAM_SAMPLES_H
#define NITRO_APPS_HISTOGRAM_SAMPLES_H

#include "nitro/nitro_backend.h"
#include "variants/histogram/histogram.h"

/**
 * @param[in]  num_samples  0 to NITRO_HISTOGRAM_MAX_SAMPLES.
 * @param[in]  num_bins     1 to NITRO_HISTOGRAM_MAX_BINS.
 * @param[out] histogram    free it with nitro_histogram_samples_free.
 * @param[out] samples      shape [num_samples], zeros, to be filled with bin numbers; owned by the
 *                          histogram.
 * @return NITRO_OK or NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_histogram_samples_create(nitro_context *context, int64_t num_samples,
                                            int64_t num_bins, nitro_histogram **histogram,
                                            uint32_t **samples);

/** Also frees what variants and hooks allocated. NULL is allowed. */
void nitro_histogram_samples_free(nitro_histogram *histogram);

extern const nitro_module nitro_module_histogram, nitro_module_histogram_cuda;

/** A sample distribution. */
typedef struct nitro_histogram_family {
    const char *name;
    /** Fill `samples`, shape [num_samples], zeros before, with numbers below num_bins. */
    nitro_status (*fill)(nitro_context *context, nitro_random *random, uint32_t *samples,
                         int64_t num_samples, int64_t num_bins);
} nitro_histogram_family;

#define NITRO_HISTOGRAM_NUM_FAMILIES 6
extern const nitro_histogram_family nitro_histogram_families[NITRO_HISTOGRAM_NUM_FAMILIES];

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
