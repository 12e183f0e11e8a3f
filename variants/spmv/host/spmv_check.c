/* Checks results against sums in long double, row by row, relative to the magnitudes of the row's
 * terms: a bound that holds for any order of summation. Overwrites the result after each check, so
 * that a variant that does not write all of y is detected. */
#include <math.h>
#include <stdio.h>

#include "variants/spmv/host/spmv_kernels.h"

#define TOLERANCE 1e-12

static void spoil(nitro_spmv *spmv)
{
    for (int64_t row = 0; row < spmv->num_rows; row++)
        spmv->y[row] = NAN;
}

static int compare(const nitro_spmv *spmv, char *why, size_t size)
{
    double worst = 0;
    int64_t worst_row = -1, num_wrong = 0;
    for (int64_t row = 0; row < spmv->num_rows; row++) {
        double difference = fabs(spmv->y[row] - spmv->reference[row]);
        if (difference <= TOLERANCE * spmv->magnitudes[row])
            continue;
        double relative = difference / spmv->magnitudes[row];
        num_wrong++;
        if (worst_row < 0 || relative > worst || isnan(relative)) {
            worst = relative;
            worst_row = row;
        }
        if (isnan(relative))
            break;
    }
    if (num_wrong == 0)
        return 0;
    snprintf(why, size,
             "y[%lld] is %.17g instead of %.17g: off by %.3g of the sum of the row's magnitudes, "
             "allowed is %g; %lld rows or more are wrong",
             (long long)worst_row, spmv->y[worst_row], spmv->reference[worst_row], worst, TOLERANCE,
             (long long)num_wrong);
    return 1;
}

int nitro_spmv_check_result(void *argument, char *why, size_t size, void *user)
{
    (void)user;
    nitro_spmv *spmv = argument;
    if (!spmv->reference) {
        snprintf(why, size, "there is no reference to compare with");
        return 1;
    }
    int wrong = compare(spmv, why, size);
    spoil(spmv);
    return wrong;
}

int nitro_spmv_keep_reference(void *argument, void *user)
{
    nitro_spmv *spmv = argument;
    if (!spmv->reference)
        spmv->reference = nitro_host_allocate(spmv->num_rows, sizeof(double));
    if (!spmv->magnitudes)
        spmv->magnitudes = nitro_host_allocate(spmv->num_rows, sizeof(double));
    if (!spmv->reference || !spmv->magnitudes)
        return 1;
    for (int64_t row = 0; row < spmv->num_rows; row++) {
        long double sum = 0, magnitude = 0;
        for (int64_t k = spmv->row_offsets[row]; k < spmv->row_offsets[row + 1]; k++) {
            long double product = (long double)spmv->values[k] * spmv->x[spmv->columns[k]];
            sum += product;
            magnitude += fabsl(product);
        }
        spmv->reference[row] = (double)sum;
        spmv->magnitudes[row] = (double)magnitude;
    }
    char why[256];
    return nitro_spmv_check_result(spmv, why, sizeof(why), user);
}
