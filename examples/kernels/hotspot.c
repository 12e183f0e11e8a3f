/* The temperature on a chip after some steps: 480 configurations. A launch makes several steps,
 * whose halos it computes again. */
#include <string.h>

#include "kernel_computation.h"

#define CAPACITY    0.1f
#define CONDUCTANCE 0.5f
#define LOSS        0.1f
#define AIR         1.0f

typedef struct hotspot_call {
    int64_t rows, cols;
    int64_t num_steps;  /* a launch makes some of them */
    const float *power; /* shape [rows, cols] */
    const float *from;  /* shape [rows, cols]: temperatures */
    float *to;          /* shape [rows, cols] */
    nitro_kept *kept;
} hotspot_call;

#define CALL hotspot_call
static const nitro_field fields[] = {
    NUMBER(rows),
    NUMBER(cols),
    NUMBER(num_steps),
    INPUT(power, "rows * cols"),
    INPUT(from, "rows * cols"),
    OUTPUT(to, "rows * cols", WITHIN(TOLERANCE, 1e-4)),
    ON_DEVICE_ALONE("other", "rows * cols"),
};

/* The last launch writes `to`; those before it write `to` and `other` by turns. */
static int launch(nitro_kernel_call *call)
{
    double left = nitro_kernel_value(call, "num_steps"), most = nitro_kernel_value(call, "STEPS");
    int failure = 0;
    if ((int)ceil(left / most) % 2 == 0)
        nitro_kernel_swap(call, "to", "other");
    for (bool is_first = true; left > 0 && !failure; is_first = false) {
        nitro_kernel_set(call, "num_steps", fmin(left, most));
        failure = nitro_kernel_launch_step(call, 0);
        nitro_kernel_swap(call, "from", "to"); /* what was written is read next */
        if (is_first)
            nitro_kernel_swap(call, "to", "other"); /* the input stays as it is */
        left -= most;
    }
    return failure;
}

KERNEL(hotspot,
       "-DCAPACITY=" STRING(CAPACITY) " -DCONDUCTANCE=" STRING(CONDUCTANCE) " -DLOSS=" STRING(
           LOSS) " -DAIR=" STRING(AIR),
       .parameters = {{"ROWS", "[8, 16, 32, 64]", "16"},
                      {"COLS", "[8, 16, 32, 64]", "16"},
                      {"STEPS", "[1, 2, 4, 8]", "2"},
                      {"WG_Y", "[4, 8, 16, 32, 64]", "8"},
                      {"LOCAL", YES_OR_NO, "0"},
                      {"UNROLL", YES_OR_NO, "0"}},
       .where = {"COLS // (2 * STEPS) > 1", "WG_Y // (2 * STEPS) > 1", "ROWS % WG_Y == 0",
                 "COLS * WG_Y <= device.max_local",
                 "4 * (2 + LOCAL) * ROWS * COLS <= device.local_bytes"},
       .steps = {{.entry = "advance",
                  .arguments = {"rows", "cols", "num_steps", "power", "from", "to"},
                  .local = {"COLS", "WG_Y"},
                  .global = {"ceil_div(cols, COLS - 2 * STEPS) * COLS",
                             "ceil_div(rows, ROWS - 2 * STEPS) * WG_Y"}}},
       .launcher = launch);

static int reference(void *argument, double *magnitudes)
{
    hotspot_call *call = argument;
    int64_t rows = call->rows, cols = call->cols, count = rows * cols;
    float *cells = nitro_host_allocate(2 * count, sizeof(*cells));
    (void)magnitudes;
    if (!cells)
        return NITRO_ERR_NO_MEMORY;
    memcpy(cells, call->from, (size_t)count * sizeof(*cells));
    for (int64_t s = 0; s < call->num_steps; s++) {
        const float *now = cells + s % 2 * count;
        float *next = cells + (s + 1) % 2 * count;
        for (int64_t i = 0; i < count; i++) {
            int64_t row = i / cols, col = i % cols;
            float up = now[row > 0 ? i - cols : i], down = now[row < rows - 1 ? i + cols : i];
            float left = now[col > 0 ? i - 1 : i], right = now[col < cols - 1 ? i + 1 : i];
            next[i] = now[i] + CAPACITY * (call->power[i] +
                                           (up + down + left + right - 4 * now[i]) * CONDUCTANCE +
                                           (AIR - now[i]) * LOSS);
        }
    }
    memcpy(call->to, cells + call->num_steps % 2 * count, (size_t)count * sizeof(*cells));
    nitro_host_free(cells);
    return 0;
}

static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    hotspot_call sizes = {.rows = 1 + (int64_t)sqrt(size * (0.5 + nitro_random_uniform(random))),
                          .num_steps = 1 + (int64_t)(nitro_random_uniform(random) * 20)};
    sizes.cols = 1 + (int64_t)(size / (double)sizes.rows);
    (void)family;
    snprintf(label, NITRO_KIT_LABEL, "%lldx%lld-%lld", (long long)sizes.rows, (long long)sizes.cols,
             (long long)sizes.num_steps);
    nitro_status status =
        data ? nitro_kit_allocate(context, &SYMBOL(hotspot_kit), &sizes, data) : NITRO_OK;
    if (data && status == NITRO_OK) {
        const hotspot_call *made = *data;
        kernels_fill(random, made->power, sizes.rows * sizes.cols);
        kernels_fill(random, made->from, sizes.rows * sizes.cols);
    }
    return status;
}

COMPUTATION(hotspot, "the temperature on a chip after some steps", .least_size = 1e3,
            .usual_size = 1e6, .base_size = 4e6, .unit_bytes = 4 * sizeof(float))
