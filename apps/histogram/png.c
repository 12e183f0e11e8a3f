/* Reads PNG images with libpng. libpng reports errors by longjmp: all state is in one struct, and
 * one function calls setjmp. */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/histogram/samples.h"

/* Deflate's maximum compression ratio. */
#define MOST_EXPANSION 1032
/* Larger images must have at least a byte in this many pixels: a small file must not take
 * gigabytes.
 */
#define PLAIN_PIXELS       ((size_t)1 << 26)
#define MOST_PIXELS_A_BYTE 64
/* Limit of other chunks, such as a colour profile. */
#define MAX_CHUNK_BYTES (8 << 20)
#define MAX_CHUNKS      1000

typedef struct reader {
    nitro_context *context;
    const nitro_histogram_image *image;
    size_t at; /* bytes that libpng has taken */
    nitro_status status;
    png_structp png;
    png_infop info;
    png_bytep pixels; /* as libpng gives them */
    png_bytepp rows;  /* into `pixels` */
    nitro_histogram *histogram;
} reader;

static nitro_status refuse(reader *r, const char *what)
{
    return nitro_fail(r->context, NITRO_ERR_FORMAT, "%s: %s", r->image->name, what);
}

static void on_error(png_structp png, png_const_charp message)
{
    reader *r = png_get_error_ptr(png);
    r->status = nitro_fail(r->context, NITRO_ERR_FORMAT, "%s: invalid PNG image: %s",
                           r->image->name, message);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    reader *r = png_get_error_ptr(png);
    nitro_log(r->context, NITRO_LOG_WARNING, "%s: %s", r->image->name, message);
}

static void on_read(png_structp png, png_bytep to, size_t size)
{
    reader *r = png_get_io_ptr(png);
    if (size > r->image->size - r->at)
        png_error(png, "the file is cut short");
    memcpy(to, r->image->bytes + r->at, size);
    r->at += size;
}

static nitro_status check_header(reader *r)
{
    char what[256];
    size_t width = png_get_image_width(r->png, r->info);
    size_t height = png_get_image_height(r->png, r->info);
    size_t row_bytes = png_get_rowbytes(r->png, r->info);
    if (png_get_color_type(r->png, r->info) & (PNG_COLOR_MASK_COLOR | PNG_COLOR_MASK_PALETTE))
        return refuse(r, "an image in colour: convert it to grayscale first, for example with "
                         "ImageMagick's 'convert IN -colorspace Gray OUT.png'");
    if (width > NITRO_HISTOGRAM_MAX_SAMPLES / height) {
        snprintf(what, sizeof(what), "%zu x %zu pixels; at most %u in all are counted", width,
                 height, NITRO_HISTOGRAM_MAX_SAMPLES);
        return refuse(r, what);
    }
    if (row_bytes * height > (r->image->size + 1) * MOST_EXPANSION) {
        snprintf(
            what, sizeof(what),
            "%zu x %zu pixels are declared, which no file of %zu bytes can hold: the sizes are "
            "wrong, or the file is cut short",
            width, height, r->image->size);
        return refuse(r, what);
    }
    if (width * height > PLAIN_PIXELS && width * height / MOST_PIXELS_A_BYTE > r->image->size) {
        snprintf(what, sizeof(what),
                 "%zu x %zu pixels in %zu bytes, which would take %.1f GB of memory: cut the image "
                 "into parts of at most %zu pixels",
                 width, height, r->image->size, 5e-9 * (double)width * (double)height,
                 PLAIN_PIXELS);
        return refuse(r, what);
    }
    return NITRO_OK;
}

/* One byte a pixel, or two. */
static void simplify(reader *r)
{
    if (png_get_bit_depth(r->png, r->info) < 8)
        png_set_packing(r->png);
    if (png_get_color_type(r->png, r->info) & PNG_COLOR_MASK_ALPHA)
        png_set_strip_alpha(r->png);
    png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
}

static nitro_status read_pixels(reader *r)
{
    size_t height = png_get_image_height(r->png, r->info);
    size_t row_bytes = png_get_rowbytes(r->png, r->info);
    r->pixels = nitro_calloc(r->context, height, row_bytes);
    r->rows = nitro_calloc(r->context, height, sizeof(*r->rows));
    if (!r->pixels || !r->rows)
        return NITRO_ERR_NO_MEMORY;
    for (size_t row = 0; row < height; row++)
        r->rows[row] = r->pixels + row * row_bytes;
    png_read_image(r->png, r->rows);
    png_read_end(r->png, NULL);
    return NITRO_OK;
}

static nitro_status count_bins(reader *r, int bit_depth)
{
    size_t num_pixels =
        (size_t)png_get_image_width(r->png, r->info) * png_get_image_height(r->png, r->info);
    uint32_t *samples;
    nitro_status status = nitro_histogram_samples_create(
        r->context, (int64_t)num_pixels, (int64_t)1 << bit_depth, &r->histogram, &samples);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < num_pixels; i++)
        samples[i] =
            bit_depth <= 8 ? r->pixels[i] : (uint32_t)r->pixels[2 * i] << 8 | r->pixels[2 * i + 1];
    return NITRO_OK;
}

/* Calls setjmp for libpng's errors; changes nothing but *r. */
static nitro_status read_image(reader *r)
{
    if (setjmp(png_jmpbuf(r->png)))
        return r->status;
    png_set_read_fn(r->png, r, on_read);
    png_set_chunk_malloc_max(r->png, MAX_CHUNK_BYTES);
    png_set_chunk_cache_max(r->png, MAX_CHUNKS);
    png_set_user_limits(r->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_read_info(r->png, r->info);
    int bit_depth = png_get_bit_depth(r->png, r->info);
    nitro_status status = check_header(r);
    if (status != NITRO_OK)
        return status;
    simplify(r);
    status = read_pixels(r);
    return status == NITRO_OK ? count_bins(r, bit_depth) : status;
}

nitro_status nitro_histogram_png_parse(nitro_context *context, const nitro_histogram_image *image,
                                       nitro_histogram **histogram)
{
    reader r = {.context = context, .image = image};
    r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, on_error, on_warning);
    r.info = r.png ? png_create_info_struct(r.png) : NULL;
    nitro_status status =
        r.info ? read_image(&r)
               : nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: libpng cannot start", image->name);
    png_destroy_read_struct(&r.png, &r.info, NULL);
    free(r.pixels);
    free(r.rows);
    if (status != NITRO_OK) {
        nitro_histogram_samples_free(r.histogram);
        return status;
    }
    *histogram = r.histogram;
    return NITRO_OK;
}
