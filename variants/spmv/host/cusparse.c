/* cusparse_csr1, cusparse_csr2 on the host: declared, so that samples of hosts and CUDA devices
 * have the same variants, and allowed for no input. */
#include "variants/spmv/spmv.h"

bool nitro_spmv_allows_nothing(const double *features, const void *argument, void *user)
{
    (void)features;
    (void)argument;
    (void)user;
    return false;
}

static int refuse(void *argument, void *user)
{
    (void)argument;
    (void)user;
    return 1;
}

const nitro_variant nitro_spmv_variant_cusparse_csr1 = {
    .name = "cusparse_csr1",
    .version = "1",
    .run = refuse,
    .allows = nitro_spmv_allows_nothing,
    .allows_reads = "",
    .time_source = NITRO_TIME_WALL,
};

const nitro_variant nitro_spmv_variant_cusparse_csr2 = {
    .name = "cusparse_csr2",
    .version = "1",
    .run = refuse,
    .allows = nitro_spmv_allows_nothing,
    .allows_reads = "",
    .time_source = NITRO_TIME_WALL,
};
