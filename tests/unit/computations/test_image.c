/* Grayscale images: the ramps of make_image_seeds.py, whose pixels are known, and invalid files
 * with their errors. */
#include "apps/histogram/samples.h"
#include "unit/histogram_cases.h"

#define IMAGES SOURCE_DIR "/tests/fuzz/seeds/image/"

/* This build may be without libpng: then the error must say so, and the rest is skipped. */
static bool has_png(nitro_context *context)
{
    nitro_histogram *histogram = NULL;
    nitro_status status = nitro_histogram_image_read(context, IMAGES "gray8.png", &histogram);
    nitro_histogram_samples_free(histogram);
    if (status == NITRO_OK)
        return true;
    assert_fails(context, nitro_histogram_image_read(context, IMAGES "gray8.png", &histogram),
                 NITRO_ERR_NOT_BUILT, "install libpng-dev");
    print_message("SKIPPED: PNG images, this build has no libpng\n");
    return false;
}

static void ramps_are_read(void **state)
{
    static const struct {
        const char *file;
        int64_t num_bins;
        uint32_t step;
    } images[] = {
        {"ramp.pgm", 256, 1},       {"wide.pgm", 65536, 257}, {"ten-bits.pgm", 1024, 1},
        {"plain.pgm", 256, 1},      {"gray1.png", 2, 1},      {"gray2.png", 4, 1},
        {"gray4.png", 16, 1},       {"gray8.png", 256, 1},    {"gray16.png", 65536, 257},
        {"interlaced.png", 256, 1}, {"alpha.png", 256, 1},
    };
    nitro_context *context = unit_context();
    bool png = has_png(context);
    (void)state;
    for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
        nitro_histogram *histogram = NULL;
        char path[512];
        if (!png && strstr(images[i].file, ".png"))
            continue;
        snprintf(path, sizeof(path), IMAGES "%s", images[i].file);
        assert_ok(context, nitro_histogram_image_read(context, path, &histogram));
        assert_int_equal(histogram->num_samples, 256);
        assert_int_equal(histogram->num_bins, images[i].num_bins);
        for (uint32_t pixel = 0; pixel < 256; pixel++)
            if (histogram->samples[pixel] != pixel * images[i].step % images[i].num_bins)
                fail_msg("%s: pixel %u is %u", images[i].file, pixel, histogram->samples[pixel]);
        nitro_histogram_samples_free(histogram);
    }
    nitro_context_free(context);
}

static void bad_files_are_refused(void **state)
{
    static const struct {
        const char *file, *text;
    } images[] = {
        {"colour.ppm", "colour.ppm: an image in colour"},
        {"cut.pgm",
         "cut.pgm:4: 16 x 16 pixels are declared, but the rest of the file holds 200 at most"},
        {"two.pgm", "two.pgm:4: 269 bytes after the 16 x 16 pixels"},
        {"too-bright.pgm", "the pixel at row 7, column 6 is 101; the largest value is 100"},
        {"huge.pgm", "4000000000 x 4000000000 pixels are declared"},
        {"colour.png", "colour.png: an image in colour"},
        {"palette.png", "palette.png: an image in colour"},
        {"cut.png", "cut.png: invalid PNG image: the file is cut short"},
        {"damaged.png", "damaged.png: invalid PNG image: "},
        {"bomb.png", "which would take 0.7 GB of memory"},
        {"huge.png", "60000 x 60000 pixels are declared, which no file of"},
    };
    nitro_context *context = unit_context();
    bool png = has_png(context);
    (void)state;
    for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
        nitro_histogram *histogram = NULL;
        char path[512];
        if (!png && strstr(images[i].file, ".png"))
            continue;
        snprintf(path, sizeof(path), IMAGES "%s", images[i].file);
        assert_fails(context, nitro_histogram_image_read(context, path, &histogram),
                     NITRO_ERR_FORMAT, images[i].text);
        assert_null(histogram);
    }
    nitro_context_free(context);
}

static void bad_graymaps_are_refused(void **state)
{
    static const struct {
        const char *text, *error;
    } files[] = {
        {"", "image: neither a PGM image (it would begin with P2 or P5) nor a PNG image"},
        {"P", "neither a PGM image"},
        {"P4 8 1\n.", "neither a PGM image"},
        {"P3 1 1 255 1 2 3", "an image in colour"},
        {"P2", "image:1: the file ends before the width"},
        {"P5\n# 3 4\n", "image:3: the file ends before the width"},
        {"P5 3", "image:1: the file ends before the height"},
        {"P5 3 4\n", "image:2: the file ends before the largest value"},
        {"P5 -3 4 255\n", "the width is not a number: there is '-' in it"},
        {"P5 3x 4 255\n", "the width is not a number: there is 'x' in it"},
        {"P5 3 \x01 255\n", "the height is not a number: there is '?' in it"},
        {"P5 30000000000 4 255\n", "the width has 11 digits"},
        {"P5 0 4 255\n", "an image of 0 x 4 pixels has none"},
        {"P5 1 1 0\n.", "the largest value 0 is outside 1 to 65535"},
        {"P5 1 1 65536\n..", "the largest value 65536 is outside 1 to 65535"},
        {"P5 1 1 256\n.", "1 x 1 pixels are declared, but the rest of the file holds 0 at most"},
        {"P2 2 1 9\n1", "2 x 1 pixels are declared, but the rest of the file holds 1 at most"},
        {"P2 2 1 9\n1\n# 2\n", "image:4: the file ends before the next pixel"},
        {"P2 2 1 9\n1\n10\n",
         "image:3: the pixel at row 1, column 2 is 10; the largest value is 9"},
        {"P2 2 1 9\n1 2 3\n", "image:2: 2 bytes after the 2 x 1 pixels"},
        {"P2 2 1 9\n1 2 3", "image:2: 1 byte after the 2 x 1 pixels"},
        {"P2 1 2 9\n1 two\n", "the next pixel is not a number: there is 't' in it"},
    };
    nitro_context *context = unit_context();
    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        nitro_histogram_image image = {.name = "image",
                                       .bytes = (const unsigned char *)files[i].text,
                                       .size = strlen(files[i].text)};
        nitro_histogram *histogram = NULL;
        assert_fails(context, nitro_histogram_image_parse(context, &image, &histogram),
                     NITRO_ERR_FORMAT, files[i].error);
        assert_null(histogram);
    }
    assert_fails(context, nitro_histogram_image_read(context, IMAGES "missing.pgm", NULL),
                 NITRO_ERR_NOT_FOUND, "missing.pgm");
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ramps_are_read),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(bad_graymaps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
