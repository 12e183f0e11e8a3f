/* sum.c - a sum with two variants: which one is faster depends on the length and on the device. */
#include <nitro/nitro.h>
#include <stdio.h>

typedef struct vector {
    const double *values;
    size_t length;
    double sum;
} vector;

static int add_up(void *argument, void *num_threads)
{
    vector *v = argument;
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(*(int *)num_threads)
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
    const nitro_variant serial = {.name = "serial", .run = add_up, .user = &(int){1}};
    const nitro_variant parallel = {.name = "parallel", .run = add_up, .user = &(int){8}};
    const nitro_feature length = {.name = "length", .scale = NITRO_SCALE_LOG};
    vector v = {.values = (const double[]){1, 2, 3, 4}, .length = 4};
    nitro_context *context = NULL;
    nitro_computation *sum = NULL;
    nitro_decision decision;
    char error[512];
    if (nitro_context_create(&context))
        return 1;
    bool failed = nitro_computation_create(context, "sum", &sum) ||
                  nitro_computation_add_variant(sum, &serial) ||
                  nitro_computation_add_variant(sum, &parallel) ||
                  nitro_computation_add_features(sum, &length, 1, evaluate, NULL) ||
                  (argc > 1 && nitro_computation_load_model(sum, argv[1])) ||
                  nitro_run(sum, &v, &decision);
    nitro_context_last_error(context, error, sizeof error);
    if (failed)
        fprintf(stderr, "%s\n", error);
    else
        printf("%g by %s: %s\n", v.sum, decision.variant_name, nitro_reason_text(decision.reason));
    nitro_computation_free(sum);
    nitro_context_free(context);
    return failed;
}
