/* Reads PGM images. No packaged library fits: netpbm's exits or longjmps on errors, others refuse
 * some maximum values or swap the bytes of 16-bit images. Errors name file and line, or row and
 * column. */
#include <stdarg.h>
#include <stdio.h>

#include "apps/histogram/samples.h"

#define MAX_DIGITS 10 /* larger sizes are errors */

typedef struct reader {
    nitro_context *context;
    const char *name;
    const unsigned char *at, *end; /* the unread rest */
    size_t line;                   /* line number of `at`, from 1 */
} reader;

typedef struct graymap {
    int64_t width, height, maximum;
    bool is_plain; /* plain format: decimal numbers */
} graymap;

static nitro_status malformed(reader *r, const char *format, ...) NITRO_PRINTF(2, 3);

static nitro_status malformed(reader *r, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    return nitro_fail(r->context, NITRO_ERR_FORMAT, "%s:%zu: %s", r->name, r->line, what);
}

static bool is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* White space and comments, which run from # to the end of the line. */
static void skip_space(reader *r)
{
    bool in_comment = false;
    for (; r->at < r->end && (in_comment || is_space(*r->at) || *r->at == '#'); r->at++) {
        if (*r->at == '\n')
            r->line++;
        in_comment = *r->at == '#' || (in_comment && *r->at != '\n' && *r->at != '\r');
    }
}

static nitro_status read_number(reader *r, const char *what, int64_t *number)
{
    skip_space(r);
    if (r->at == r->end)
        return malformed(r, "the file ends before the %s", what);
    const unsigned char *begin = r->at;
    int64_t value = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        if (r->at - begin < MAX_DIGITS)
            value = value * 10 + (*r->at - '0');
    if (r->at == begin || (r->at < r->end && !is_space(*r->at) && *r->at != '#'))
        return malformed(r, "the %s is not a number: there is '%c' in it", what,
                         *r->at >= ' ' && *r->at <= '~' ? *r->at : '?');
    if (r->at - begin > MAX_DIGITS)
        return malformed(r, "the %s has %zu digits", what, (size_t)(r->at - begin));
    *number = value;
    return NITRO_OK;
}

static nitro_status check_header(reader *r, const graymap *map)
{
    if (map->width < 1 || map->height < 1)
        return malformed(r, "an image of %lld x %lld pixels has none", (long long)map->width,
                         (long long)map->height);
    if (map->maximum < 1 || map->maximum >= NITRO_HISTOGRAM_MAX_BINS)
        return malformed(r, "the largest value %lld is outside 1 to %d", (long long)map->maximum,
                         NITRO_HISTOGRAM_MAX_BINS - 1);
    size_t left = (size_t)(r->end - r->at);
    size_t pixel_bytes = map->is_plain || map->maximum > 255 ? 2 : 1; /* plain: digit and space */
    size_t most = (left + map->is_plain) / pixel_bytes;
    if (map->width > NITRO_HISTOGRAM_MAX_SAMPLES / map->height ||
        (size_t)(map->width * map->height) > most)
        return malformed(r,
                         "%lld x %lld pixels are declared, but the rest of the file holds %zu at "
                         "most: the sizes are wrong, or the file is cut short",
                         (long long)map->width, (long long)map->height, most);
    return NITRO_OK;
}

static nitro_status read_header(reader *r, graymap *map)
{
    map->is_plain = r->at[1] == '2';
    r->at += 2;
    nitro_status status = read_number(r, "width", &map->width);
    if (status == NITRO_OK)
        status = read_number(r, "height", &map->height);
    if (status == NITRO_OK)
        status = read_number(r, "largest value", &map->maximum);
    if (status == NITRO_OK && r->at < r->end && is_space(*r->at)) {
        r->line += *r->at == '\n';
        r->at++; /* one only: the next byte may be a pixel */
    }
    return status == NITRO_OK ? check_header(r, map) : status;
}

static nitro_status refuse_pixel(reader *r, const graymap *map, int64_t pixel, int64_t value)
{
    return malformed(r, "the pixel at row %lld, column %lld is %lld; the largest value is %lld",
                     (long long)(pixel / map->width) + 1, (long long)(pixel % map->width) + 1,
                     (long long)value, (long long)map->maximum);
}

static nitro_status read_plain(reader *r, const graymap *map, uint32_t *samples)
{
    for (int64_t i = 0; i < map->width * map->height; i++) {
        int64_t value;
        nitro_status status = read_number(r, "next pixel", &value);
        if (status == NITRO_OK && value > map->maximum)
            status = refuse_pixel(r, map, i, value);
        if (status != NITRO_OK)
            return status;
        samples[i] = (uint32_t)value;
    }
    skip_space(r);
    return NITRO_OK;
}

static nitro_status read_raw(reader *r, const graymap *map, uint32_t *samples)
{
    bool is_wide = map->maximum > 255; /* two bytes, the higher one first */
    for (int64_t i = 0; i < map->width * map->height; i++) {
        uint32_t value = *r->at++;
        if (is_wide)
            value = value << 8 | *r->at++;
        if (value > map->maximum)
            return refuse_pixel(r, map, i, value);
        samples[i] = value;
    }
    return NITRO_OK;
}

nitro_status nitro_histogram_pgm_parse(nitro_context *context, const nitro_histogram_image *image,
                                       nitro_histogram **histogram)
{
    reader r = {.context = context,
                .name = image->name,
                .at = image->bytes,
                .end = image->bytes + image->size,
                .line = 1};
    graymap map;
    nitro_histogram *made = NULL;
    uint32_t *samples;
    nitro_status status = read_header(&r, &map);
    if (status == NITRO_OK)
        status = nitro_histogram_samples_create(context, map.width * map.height, map.maximum + 1,
                                                &made, &samples);
    if (status == NITRO_OK)
        status = map.is_plain ? read_plain(&r, &map, samples) : read_raw(&r, &map, samples);
    if (status == NITRO_OK && r.at < r.end)
        status = malformed(&r,
                           "%zu byte%s after the %lld x %lld pixels: the sizes are wrong, or there "
                           "are several images in the file",
                           (size_t)(r.end - r.at), r.end - r.at == 1 ? "" : "s",
                           (long long)map.width, (long long)map.height);
    if (status != NITRO_OK) {
        nitro_histogram_samples_free(made);
        return status;
    }
    *histogram = made;
    return NITRO_OK;
}
