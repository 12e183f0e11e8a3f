/* benefit_rules.c - hand-written rules of at most three conditions. */
#include "bench/benefit_rules.h"

#include <string.h>

#include "variants/histogram/histogram.h"
#include "variants/spmv/spmv.h"

/* Converting does not pay for tiny matrices, and padding not for rows of unequal lengths. */
static const char *spmv_rule(const nitro_spmv *spmv)
{
    int64_t longest = 0;
    for (int64_t row = 0; row < spmv->num_rows; row++) {
        int64_t length = spmv->row_offsets[row + 1] - spmv->row_offsets[row];
        longest = length > longest ? length : longest;
    }
    if (spmv->num_nonzeros < 10000)
        return "csr";
    if ((double)longest * (double)spmv->num_rows < 1.1 * (double)spmv->num_nonzeros)
        return "ell";
    return (double)longest * (double)spmv->num_rows < 100 * (double)spmv->num_nonzeros ? "sellp"
                                                                                       : "csr";
}

/* Private tables pay where there are many more samples than bins. */
static const char *histogram_rule(const nitro_histogram *histogram)
{
    return histogram->num_samples > 8 * histogram->num_bins ? "shared_atomic_even_share"
                                                            : "global_atomic_even_share";
}

const char *benefit_rule(const char *computation, const void *argument)
{
    if (strcmp(computation, "spmv") == 0)
        return spmv_rule(argument);
    if (strcmp(computation, "histogram") == 0)
        return histogram_rule(argument);
    return NULL;
}
