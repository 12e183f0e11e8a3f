/*
 * dynamic.c - dynamic tuning: products of small matrices whose sizes change. For each size a tuner
 * tries configurations in the program's own calls, until its budget is used up; then the best one
 * runs. Prints for each size what the tries cost, and what they gained over the usual
 * configuration.
 *
 *     example_dynamic [SIZES [CALLS]]
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "batched.h"

#define BYTES 4e6 /* of the matrices of a call */

/* What nitro_kit_allocate makes is on the host; on the device, this follows. */
typedef struct device_call {
    batched_call call;
    nitro_on_device on_device;
} device_call;

/* A kernel for matrices of one size, and its values as text. */
typedef struct sized_kernel {
    nitro_kernel kernel;
    char lists[4][24], usual[3][12];
} sized_kernel;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void make_kernel(const int *sizes, sized_kernel *made)
{
    made->kernel = *batched_kernel_opencl;
    for (int i = 0; i < 3; i++) {
        snprintf(made->lists[i], sizeof(made->lists[i]), "[%d]", sizes[i]);
        snprintf(made->usual[i], sizeof(made->usual[i]), "%d", sizes[i]);
        made->kernel.parameters[i].values = made->lists[i];
        made->kernel.parameters[i].usual = made->usual[i];
    }
    snprintf(made->lists[3], sizeof(made->lists[3]), sizes[2] % 4 ? "[0, %d]" : "[0]",
             sizes[2] % 4);
    made->kernel.parameters[3].values = made->lists[3];
}

static nitro_status make_call(nitro_context *context, const int *sizes, nitro_random *random,
                              device_call *made)
{
    const batched_call call = {
        .count = (int64_t)(BYTES / 4 / (sizes[0] * (sizes[1] + sizes[2]) + sizes[1] * sizes[2])),
        .a_cells = sizes[0] * sizes[1],
        .b_cells = sizes[0] * sizes[2],
        .c_cells = sizes[1] * sizes[2]};
    void *host = NULL;
    nitro_status status = nitro_kit_allocate(context, batched_kernel_opencl->kit, &call, &host);
    if (status != NITRO_OK)
        return status;
    *made = (device_call){.call = *(batched_call *)host};
    free(host);
    kernels_fill(random, made->call.a, call.count * call.a_cells);
    kernels_fill(random, made->call.b, call.count * call.b_cells);
    return NITRO_OK;
}

/* One call of the program. @param[out] run_ms  without compiling. */
static nitro_status run(nitro_context *context, const nitro_kernel *kernel, const double *values,
                        device_call *call, double *run_ms)
{
    nitro_status status = nitro_kernel_configure_numbers(context, kernel, values);
    if (status != NITRO_OK)
        return status;
    int failure = nitro_kernel_prepare(call, (void *)kernel);
    double start_ms = now_ms();
    if (!failure)
        failure = nitro_kernel_run(call, (void *)kernel);
    if (!failure)
        failure = nitro_opencl_memory.wait(&call->on_device);
    *run_ms = now_ms() - start_ms;
    return failure ? nitro_fail(context, NITRO_ERR_IO, "%s", call->on_device.problem) : NITRO_OK;
}

static nitro_status call_often(nitro_context *context, const nitro_kernel *kernel,
                               nitro_tuner *tuner, int num_calls, device_call *call,
                               double *tuning_ms, double *best_ms)
{
    double values[NITRO_KERNEL_MAX_PARAMETERS], run_ms, start_ms = now_ms();
    bool is_finished = false;
    nitro_status status = NITRO_OK;
    *tuning_ms = 0;
    *best_ms = (double)INFINITY;
    for (int i = 0; i < num_calls && status == NITRO_OK; i++) {
        bool was_finished = is_finished;
        if (!is_finished)
            status = nitro_tuner_ask(tuner, values, &is_finished);
        if (status == NITRO_OK && is_finished && !was_finished) {
            *tuning_ms = now_ms() - start_ms;
            status = nitro_tuner_best(tuner, values, NULL);
        }
        if (status == NITRO_OK)
            status = run(context, kernel, values, call, &run_ms);
        if (status == NITRO_OK && run_ms < *best_ms)
            *best_ms = run_ms;
        if (status == NITRO_OK && !is_finished)
            status = nitro_tuner_tell(tuner, values, run_ms);
    }
    return status;
}

/* The fastest of three runs in the usual configuration: the first has to compile. */
static nitro_status run_usual(nitro_context *context, const nitro_kernel *kernel, device_call *call,
                              double *best_ms)
{
    double values[NITRO_KERNEL_MAX_PARAMETERS], run_ms;
    nitro_status status = NITRO_OK;
    for (size_t p = 0; p < NITRO_KERNEL_MAX_PARAMETERS && kernel->parameters[p].name; p++)
        values[p] = atof(kernel->parameters[p].usual);
    *best_ms = (double)INFINITY;
    for (int i = 0; i < 3 && status == NITRO_OK; i++) {
        status = run(context, kernel, values, call, &run_ms);
        *best_ms = status == NITRO_OK ? fmin(*best_ms, run_ms) : *best_ms;
    }
    return status;
}

static nitro_status tune_size(nitro_context *context, const double *limits, const int *sizes,
                              int num_calls, nitro_random *random)
{
    sized_kernel *sized = calloc(1, sizeof(*sized));
    device_call call = {0};
    nitro_tunable tunable = {.name = "batched"};
    nitro_tuner_options options;
    nitro_tuner *tuner = NULL;
    char *space = NULL;
    double tuning_ms = 0, best_ms = 0, usual_ms = 0, start_ms = now_ms();
    if (!sized)
        return NITRO_ERR_NO_MEMORY;
    nitro_tuner_options_init(&options);
    options.budget = "20";
    make_kernel(sizes, sized);
    nitro_status status = nitro_kernel_space_text(context, &sized->kernel, limits, &space);
    tunable.space = space;
    if (status == NITRO_OK)
        status = nitro_tuner_create(context, &tunable, &options, &tuner);
    if (status == NITRO_OK)
        status = make_call(context, sizes, random, &call);
    if (status == NITRO_OK)
        status = call_often(context, &sized->kernel, tuner, num_calls, &call, &tuning_ms, &best_ms);
    double all_ms = now_ms() - start_ms;
    if (status == NITRO_OK)
        status = run_usual(context, &sized->kernel, &call, &usual_ms);
    if (status == NITRO_OK)
        printf("%2d x %2d x %2d  %8.3f %8.3f ms a call  %5.2f times as fast  tries %3.0f %% of the "
               "time\n",
               sizes[0], sizes[1], sizes[2], best_ms, usual_ms, usual_ms / best_ms,
               100 * tuning_ms / all_ms);
    if (call.call.a) {
        nitro_kit_release_device(sized->kernel.kit, &call);
        free((void *)call.call.a);
        free((void *)call.call.b);
        free(call.call.c);
    }
    nitro_kernel_configure(context, &sized->kernel, NULL); /* it is unloaded */
    nitro_tuner_free(tuner);
    free(space);
    free(sized);
    return status;
}

int main(int count, char **words)
{
    int num_sizes = count > 1 ? atoi(words[1]) : 4, num_calls = count > 2 ? atoi(words[2]) : 1000;
    nitro_context *context;
    nitro_kernel_target target;
    nitro_random random;
    if (num_sizes < 1 || num_calls < 1) {
        fprintf(stderr, "Usage: %s [SIZES [CALLS]]\n", words[0]);
        return 2;
    }
    if (nitro_context_create(&context) != NITRO_OK)
        return 1;
    nitro_random_seed(&random, 1);
    nitro_status status = nitro_kernel_ask_target(context, batched_kernel_opencl, NULL, &target);
    if (status == NITRO_OK)
        puts("matrices           tuned    usual");
    for (int s = 0; s < num_sizes && status == NITRO_OK; s++) {
        int sizes[3];
        for (int i = 0; i < 3; i++)
            sizes[i] = 2 + (int)(31 * nitro_random_uniform(&random));
        status = tune_size(context, target.limits, sizes, num_calls, &random);
    }
    char error[512];
    nitro_context_last_error(context, error, sizeof(error));
    if (status != NITRO_OK)
        fprintf(stderr, "%s\n", error);
    nitro_context_free(context);
    return status != NITRO_OK;
}
