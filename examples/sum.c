/* sum.c - a sum with two variants: which one is faster depends on the length and on the device. */
#include <nitro/nitro.h>
#include <stdio.h>

typedef struct vector {
    const double *values;
    size_t length;
    double sum;
} vector;

static int sum_serial(void *argument, void *user)
{
    (void)user;
    vector *v = argument;
    v->sum = 0;
    for (size_t i = 0; i < v->length; i++)
        v->sum += v->values[i];
    return 0;
}

static int sum_parallel(void *argument, void *user)
{
    (void)user;
    vector *v = argument;
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (size_t i = 0; i < v->length; i++)
        sum += v->values[i];
    v->sum = sum;
    return 0;
}

static int evaluate(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = (double)((const vector *)argument)->length;
    return 0;
}

int main(int argc, char **argv)
{
    const nitro_variant serial = {.name = "serial", .run = sum_serial};
    const nitro_variant parallel = {.name = "parallel", .run = sum_parallel};
    const nitro_feature length = {.name = "length", .scale = NITRO_SCALE_LOG};
    vector v = {.values = (const double[]){1, 2, 3, 4}, .length = 4};
    nitro_context *context = NULL;
    nitro_computation *sum = NULL;
    nitro_decision decision;
    char error[512] = "out of memory";

    bool failed =
        nitro_context_create(&context) || nitro_computation_create(context, "sum", &sum) ||
        nitro_computation_add_variant(sum, &serial) ||
        nitro_computation_add_variant(sum, &parallel) ||
        nitro_computation_add_features(sum, &length, 1, evaluate, NULL) ||
        (argc > 1 && nitro_computation_load_model(sum, argv[1])) || nitro_run(sum, &v, &decision);
    if (failed && context)
        nitro_context_last_error(context, error, sizeof error);
    if (failed)
        fprintf(stderr, "%s: %s\n", argv[0], error);
    else
        printf("%g by %s: %s\n", v.sum, decision.variant_name, nitro_reason_text(decision.reason));
    nitro_computation_free(sum);
    nitro_context_free(context);
    return failed;
}
