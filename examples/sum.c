/* sum.c - adds vectors by one thread or by eight: which is faster depends on length and device. */
#include <nitro/nitro.h>
#include <stdio.h>

typedef struct vectors {
    double x[1000], y[1000], sum[1000], length;
} vectors;

static int add(void *argument, void *num_threads)
{
    vectors *v = argument;
#pragma omp parallel for num_threads(*(int *)num_threads)
    for (int i = 0; i < (int)v->length; i++)
        v->sum[i] = v->x[i] + v->y[i];
    return 0;
}

static const nitro_declaration declaration = {
    .name = "sum",
    .variants = {{"serial", .run = add, .user = &(int){1}},
                 {"parallel", .run = add, .user = &(int){8}}},
    .features = {{"length", .scale = NITRO_SCALE_LOG, .member = NITRO_MEMBER(vectors, length)}}};

int main(void)
{
    vectors v = {.x = {1, 2, 3}, .y = {4, 5, 6}, .length = 3};
    nitro_context *context = NULL;
    nitro_computation *sum = NULL;
    if (nitro_context_create(&context) || nitro_computation_declare(context, &declaration, &sum) ||
        nitro_computation_configure(sum) || nitro_run(sum, &v, NULL)) {
        char error[1000];
        nitro_context_last_error(context, error, sizeof(error));
        fprintf(stderr, "sum: %s\n", error);
        return 1;
    }
    printf("%g %g %g\n", v.sum[0], v.sum[1], v.sum[2]);
    nitro_computation_free(sum);
    nitro_context_free(context);
}
