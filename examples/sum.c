/* sum.c - a sum by one thread or by eight: which is faster depends on the length and the device. */
#include <nitro/nitro.h>
#include <stdio.h>

typedef struct vector {
    double values[1000], length, sum;
} vector;

static int add_up(void *argument, void *num_threads)
{
    vector *v = argument;
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(*(int *)num_threads)
    for (int i = 0; i < (int)v->length; i++)
        sum += v->values[i];
    v->sum = sum;
    return 0;
}

static int evaluate(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = ((const vector *)argument)->length;
    return 0;
}

static const nitro_declaration declaration = {
    .name = "sum",
    .variants = {{"serial", .run = add_up, .user = &(int){1}},
                 {"parallel", .run = add_up, .user = &(int){8}}},
    .features = {{"length", .scale = NITRO_SCALE_LOG}},
    .evaluate = evaluate};

int main(void)
{
    vector v = {.values = {1, 2, 3, 4}, .length = 4};
    nitro_context *context = NULL;
    nitro_computation *sum = NULL;
    nitro_decision decision;
    if (nitro_context_create(&context) || nitro_computation_declare(context, &declaration, &sum) ||
        nitro_computation_configure(sum) || nitro_run(sum, &v, &decision))
        return 1;
    printf("%g by %s: %s\n", v.sum, decision.variant_name, nitro_reason_text(decision.reason));
    nitro_computation_free(sum);
    nitro_context_free(context);
}
