/* A 7 x 7 filter of an image: 5,248 configurations. */
#include "kernel_computation.h"

typedef struct convolution_call {
    int64_t width, height; /* of the result */
    int64_t pitch;         /* numbers from row to row of the image, a multiple of 8 */
    const float *image;    /* shape [height + 6, pitch] */
    const float *filter;   /* shape [7, 7] */
    float *to;             /* shape [height, width] */
    nitro_kept *kept;
} convolution_call;

#define CALL convolution_call
static const nitro_field fields[] = {
    NUMBER(width),       NUMBER(height),
    NUMBER(pitch),       INPUT(image, "height * pitch + 6 * pitch"),
    INPUT(filter, "49"), OUTPUT(to, "height * width", WITHIN(RELATIVE, 1e-4)),
};

#define GROUPS      "[8, 16, 32, 64]"
#define AN_ITEM     "[1, 2, 4, 8]"
#define ITEMS(side) "(TB" side " + (LOCAL == 2) * ceil_div(6, WPT" side "))"

KERNEL(convolution, "",
       .parameters = {{"TBX", GROUPS, "16"},
                      {"TBY", GROUPS, "8"},
                      {"LOCAL", "[0, 1, 2]", "1"},
                      {"WPTX", AN_ITEM, "2"},
                      {"WPTY", AN_ITEM, "2"},
                      {"VECTOR", "[1, 2, 4]", "1"},
                      {"UNROLL", "[1, 7]", "1"},
                      {"PADDING", YES_OR_NO, "0"}},
       .where = {"WPTX % VECTOR == 0", "LOCAL != 2 or 6 % VECTOR == 0", "LOCAL or not PADDING",
                 ITEMS("X") " * " ITEMS("Y") " <= device.max_local",
                 "4 * (LOCAL > 0) * (TBX * WPTX + 6 + PADDING) * (TBY * WPTY + 6) <= "
                 "device.local_bytes"},
       .steps = {{.entry = "convolve",
                  .arguments = {"width", "height", "pitch", "image", "filter", "to"},
                  .local = {ITEMS("X"), ITEMS("Y")},
                  .global = {"ceil_div(width, TBX * WPTX) * " ITEMS("X"),
                             "ceil_div(height, TBY * WPTY) * " ITEMS("Y")}}});

static int reference(void *argument, double *magnitudes)
{
    convolution_call *call = argument;
    for (int64_t y = 0; y < call->height; y++)
        for (int64_t x = 0; x < call->width; x++) {
            double sum = 0, magnitude = 0;
            for (int64_t i = 0; i < 49; i++) {
                double product =
                    (double)call->filter[i] * call->image[(y + i / 7) * call->pitch + x + i % 7];
                sum += product;
                magnitude += fabs(product);
            }
            call->to[y * call->width + x] = (float)sum;
            magnitudes[y * call->width + x] = magnitude;
        }
    return 0;
}

static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    convolution_call sizes = {.width =
                                  1 + (int64_t)sqrt(size * (0.5 + nitro_random_uniform(random)))};
    sizes.height = 1 + (int64_t)(size / (double)sizes.width);
    sizes.pitch = (sizes.width + 16 + 7) / 8 * 8;
    (void)family;
    snprintf(label, NITRO_KIT_LABEL, "%lldx%lld", (long long)sizes.width, (long long)sizes.height);
    nitro_status status =
        data ? nitro_kit_allocate(context, &SYMBOL(convolution_kit), &sizes, data) : NITRO_OK;
    if (data && status == NITRO_OK) {
        const convolution_call *made = *data;
        kernels_fill(random, made->image, (sizes.height + 6) * sizes.pitch);
        kernels_fill(random, made->filter, 49);
    }
    return status;
}

COMPUTATION(convolution, "a 7 x 7 filter of an image", .least_size = 1e3, .usual_size = 1e6,
            .base_size = 4e6, .unit_bytes = 49) /* time bounds it, not memory */
