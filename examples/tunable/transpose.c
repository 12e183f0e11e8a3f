/* A function whose tuning parameters are read at run time, for `nitro search ./transpose.so`. */
#include <stdio.h>
#include <stdlib.h>

#include <nitro/nitro_backend.h>

#define SIZE 512

typedef struct matrices {
    double from[SIZE][SIZE], to[SIZE][SIZE];
} matrices;

static nitro_status load(nitro_context *context, void *user, void **argument)
{
    matrices *made = malloc(sizeof(*made));
    (void)user;
    if (!made)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: matrices");
    for (size_t i = 0; i < SIZE; i++)
        for (size_t j = 0; j < SIZE; j++)
            made->from[i][j] = (double)(SIZE * i + j);
    *argument = made;
    return NITRO_OK;
}

/* Tiles of values[0] rows and values[1] columns. */
static int transpose(void *argument, const double *values, void *user)
{
    matrices *all = argument;
    size_t height = (size_t)values[0], width = (size_t)values[1];
    (void)user;
    for (size_t row = 0; row < SIZE; row += height)
        for (size_t column = 0; column < SIZE; column += width)
            for (size_t i = row; i < row + height; i++)
                for (size_t j = column; j < column + width; j++)
                    all->to[j][i] = all->from[i][j];
    return 0;
}

static int check(void *argument, char *why, size_t size, void *user)
{
    const matrices *all = argument;
    (void)user;
    for (size_t i = 0; i < SIZE; i++)
        for (size_t j = 0; j < SIZE; j++)
            if (all->to[j][i] < all->from[i][j] || all->to[j][i] > all->from[i][j]) {
                snprintf(why, size, "element %zu, %zu is %g", j, i, all->to[j][i]);
                return 1;
            }
    return 0;
}

static const nitro_tunable tunable = {
    .name = "transpose",
    .version = "1",
    .space = "{\"ConfigurationSpace\": {\"TuningParameters\": ["
             "{\"Name\": \"height\", \"Type\": \"int\", \"Values\": \"[2**i for i in range(10)]\"},"
             "{\"Name\": \"width\", \"Type\": \"int\", \"Values\": \"[2**i for i in range(10)]\"}],"
             "\"Conditions\": [\"height * width >= 16\"]}}",
    .run = transpose,
    .check = check,
    .load = load,
    .unload = free,
};

NITRO_API const nitro_tunable *nitro_tunable_get(void);
const nitro_tunable *nitro_tunable_get(void)
{
    return &tunable;
}
