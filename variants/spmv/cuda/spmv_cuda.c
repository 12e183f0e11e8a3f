/* The CUDA argument of spmv: the matrix's device copy, the table of variants in the host's order,
 * and the hooks. Formats are converted by the host's variants and copied, so that there is one
 * conversion of each; the host's copy is freed at once. */
#include "variants/spmv/spmv_cuda.h"

#include <stdio.h>

#include "variants/spmv/cuda/spmv_kernels_cuda.h"

static int check_sizes(nitro_spmv_cuda *spmv)
{
    const nitro_spmv *host = &spmv->host;
    const struct {
        const char *what;
        int64_t count;
    } sizes[] = {
        {"rows", host->num_rows}, {"columns", host->num_cols}, {"non-zeros", host->num_nonzeros}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (sizes[i].count > NITRO_CUDA_MAX_COUNT)
            return nitro_cuda_fail(&spmv->cuda,
                                   "the matrix has %lld %s, and the CUDA variants' 32-bit indices "
                                   "reach %d",
                                   (long long)sizes[i].count, sizes[i].what, NITRO_CUDA_MAX_COUNT);
    return 0;
}

static void drop_matrix(nitro_spmv_cuda *spmv)
{
    if (spmv->x == spmv->own_x)
        spmv->x = NULL;
    if (spmv->y == spmv->own_y)
        spmv->y = NULL;
    nitro_cuda_free(spmv->row_offsets);
    nitro_cuda_free(spmv->columns);
    nitro_cuda_free(spmv->values);
    nitro_cuda_free(spmv->own_x);
    nitro_cuda_free(spmv->own_y);
    spmv->row_offsets = spmv->columns = NULL;
    spmv->values = spmv->own_x = spmv->own_y = NULL;
    spmv->is_uploaded = false;
}

static int upload_matrix(nitro_spmv_cuda *spmv)
{
    const nitro_spmv *host = &spmv->host;
    nitro_cuda *cuda = &spmv->cuda;
    int64_t rows = host->num_rows, cols = host->num_cols, nonzeros = host->num_nonzeros;
    if (nitro_cuda_upload_indices(cuda, host->row_offsets, rows + 1, &spmv->row_offsets) != 0 ||
        nitro_cuda_upload(cuda, host->columns, nonzeros, sizeof(*host->columns),
                          (void **)&spmv->columns) != 0 ||
        nitro_cuda_upload(cuda, host->values, nonzeros, sizeof(*host->values),
                          (void **)&spmv->values) != 0)
        return spmv->cuda.failure;
    if (!spmv->x &&
        nitro_cuda_upload(cuda, host->x, cols, sizeof(*host->x), (void **)&spmv->own_x) != 0)
        return spmv->cuda.failure;
    if (!spmv->y && nitro_cuda_allocate(cuda, rows, sizeof(*spmv->y), (void **)&spmv->own_y) != 0)
        return spmv->cuda.failure;
    return nitro_cuda_wait(cuda);
}

int nitro_spmv_cuda_upload(nitro_spmv_cuda *spmv)
{
    if (spmv->is_uploaded)
        return 0;
    const nitro_spmv *host = &spmv->host;
    uint64_t bytes = 12 * (uint64_t)host->num_nonzeros + 12 * (uint64_t)host->num_rows +
                     8 * (uint64_t)host->num_cols;
    if (check_sizes(spmv) != 0 || nitro_cuda_may_prepare(&spmv->cuda, "the matrix") != 0 ||
        nitro_cuda_need(&spmv->cuda, bytes, "the matrix") != 0)
        return spmv->cuda.failure;
    if (upload_matrix(spmv) != 0) {
        drop_matrix(spmv);
        return spmv->cuda.failure;
    }
    if (!spmv->x)
        spmv->x = spmv->own_x;
    if (!spmv->y)
        spmv->y = spmv->own_y;
    spmv->is_uploaded = true;
    return 0;
}

void nitro_spmv_cuda_release(nitro_spmv_cuda *spmv)
{
    nitro_spmv_cuda_release_cusparse(spmv, NULL);
    nitro_spmv_cuda_release_dia(spmv, NULL);
    nitro_spmv_cuda_release_ell(spmv, NULL);
    nitro_spmv_cuda_release_coo(spmv, NULL);
    nitro_spmv_cuda_release_hybrid(spmv, NULL);
    nitro_spmv_cuda_release_sellp(spmv, NULL);
    drop_matrix(spmv);
    nitro_spmv_release(&spmv->host);
}

bool nitro_spmv_cuda_allows(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[NITRO_SPMV_NNZ] <= NITRO_CUDA_MAX_COUNT &&
           features[NITRO_SPMV_ROWS] <= NITRO_CUDA_MAX_COUNT &&
           features[NITRO_SPMV_COLS] <= NITRO_CUDA_MAX_COUNT;
}

int nitro_spmv_cuda_prepare_csr(void *argument, void *user)
{
    (void)user;
    return nitro_spmv_cuda_upload(argument);
}

int nitro_spmv_cuda_need_slots(nitro_cuda *cuda, int64_t num_slots, size_t slot_bytes,
                               const char *format)
{
    char what[64];
    snprintf(what, sizeof(what), "the format %s", format);
    if (num_slots > NITRO_CUDA_MAX_COUNT)
        return nitro_cuda_fail(cuda, "%s has %lld slots, and 32-bit indices reach %d", what,
                               (long long)num_slots, NITRO_CUDA_MAX_COUNT);
    return nitro_cuda_need(cuda, (uint64_t)num_slots * slot_bytes, what);
}

int nitro_spmv_cuda_convert(nitro_spmv_cuda *spmv, const nitro_variant *host,
                            int (*upload)(nitro_spmv_cuda *spmv), void (*release)(void *, void *))
{
    char what[64];
    snprintf(what, sizeof(what), "the format %s", host->name);
    if (nitro_spmv_cuda_upload(spmv) != 0 || nitro_cuda_may_prepare(&spmv->cuda, what) != 0)
        return spmv->cuda.failure;
    if (host->prepare(&spmv->host, host->user) != 0)
        return nitro_cuda_fail(&spmv->cuda, "%s does not fit into the host's memory", what);
    int failure = upload(spmv);
    if (failure == 0 && nitro_cuda_wait(&spmv->cuda) != 0) {
        release(spmv, NULL);
        failure = spmv->cuda.failure;
    }
    host->release(&spmv->host, host->user);
    return failure;
}

/* Fills y with NaN: all bits set. */
static int take_result(nitro_spmv_cuda *spmv)
{
    return nitro_cuda_take_result(&spmv->cuda, spmv->y, spmv->host.num_rows, sizeof(*spmv->y), 0xFF,
                                  spmv->host.y);
}

static int keep_reference(void *argument, void *user)
{
    nitro_spmv_cuda *spmv = argument;
    return take_result(spmv) != 0 ? spmv->cuda.failure
                                  : nitro_spmv_keep_reference(&spmv->host, user);
}

static int check_result(void *argument, char *why, size_t size, void *user)
{
    nitro_spmv_cuda *spmv = argument;
    if (take_result(spmv) != 0) {
        snprintf(why, size, "%s", spmv->cuda.problem);
        return spmv->cuda.failure;
    }
    return nitro_spmv_check_result(&spmv->host, why, size, user);
}

static void *stream(const void *argument, void *user)
{
    (void)user;
    return ((const nitro_spmv_cuda *)argument)->cuda.stream;
}

static const char *problem(const void *argument, void *user)
{
    (void)user;
    return ((const nitro_spmv_cuda *)argument)->cuda.problem;
}

/* Without cuSPARSE, its variants are declared but allowed for no input. */
static nitro_status add_cusparse(nitro_computation *computation)
{
    const nitro_variant *const variants[NITRO_SPMV_NUM_CUSPARSE] = {
        &nitro_spmv_cuda_variant_cusparse_csr1, &nitro_spmv_cuda_variant_cusparse_csr2};
    bool is_here = nitro_spmv_cusparse_problem() == NULL;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < NITRO_SPMV_NUM_CUSPARSE && status == NITRO_OK; i++) {
        nitro_variant variant = *variants[i];
        if (!is_here) {
            variant.allows = nitro_spmv_allows_nothing;
            variant.allows_reads = "";
        }
        status = nitro_computation_add_variant(computation, &variant);
    }
    return status;
}

nitro_status nitro_spmv_cuda_add_variants(nitro_computation *computation)
{
    static const nitro_variant *const variants[] = {
        &nitro_spmv_cuda_variant_csr,   &nitro_spmv_cuda_variant_csr_vector,
        &nitro_spmv_cuda_variant_dia,   &nitro_spmv_cuda_variant_ell,
        &nitro_spmv_cuda_variant_coo,   &nitro_spmv_cuda_variant_hybrid,
        &nitro_spmv_cuda_variant_sellp,
    };
    static const nitro_hooks hooks = {
        .prepare_input = nitro_spmv_cuda_prepare_csr,
        .keep_reference = keep_reference,
        .check_result = check_result,
        .stream = stream,
    };
    nitro_status status = nitro_computation_set_device_kind(computation, "cuda");
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]) && status == NITRO_OK; i++)
        status = nitro_computation_add_variant(computation, variants[i]);
    if (status == NITRO_OK)
        status = add_cusparse(computation);
    if (status == NITRO_OK)
        status = nitro_computation_set_default(computation, nitro_spmv_cuda_variant_csr.name);
    if (status == NITRO_OK)
        status = nitro_computation_set_reference(computation, nitro_spmv_cuda_variant_csr.name);
    if (status == NITRO_OK)
        status = nitro_computation_set_problem(computation, problem, NULL);
    return status == NITRO_OK ? nitro_computation_set_hooks(computation, &hooks) : status;
}
