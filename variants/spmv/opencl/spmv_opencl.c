/* Spmv on OpenCL devices: its kernels, and the variants. */
#include "variants/spmv/spmv_opencl.h"

#include "variants/spmv/formats.h"

#define TEXT(number)  #number
#define STRING(macro) TEXT(macro)

#define BLOCKS   "[16, 32, 64, 128, 256]"
#define GROUPS   "ceil_div(num_rows, BLOCK) * BLOCK" /* a work-item a row */
#define IN_LIMIT "BLOCK <= device.max_local"

extern const char nitro_spmv_csr_cl[], nitro_spmv_csr_vector_cl[], nitro_spmv_dia_cl[],
    nitro_spmv_ell_cl[], nitro_spmv_sellp_cl[];

static const nitro_kernel csr = {
    .kit = &nitro_spmv_opencl_kit,
    .backend = "opencl",
    .origin = "csr.cl",
    .source = nitro_spmv_csr_cl,
    .parameters = {{"BLOCK", BLOCKS, "64"}},
    .where = {IN_LIMIT},
    .steps = {{.entry = "csr",
               .arguments = {"num_rows", "row_offsets", "columns", "values", "x", "y"},
               .local = {"BLOCK"},
               .global = {GROUPS}}},
};

static const nitro_kernel csr_vector = {
    .kit = &nitro_spmv_opencl_kit,
    .backend = "opencl",
    .origin = "csr_vector.cl",
    .source = nitro_spmv_csr_vector_cl,
    .parameters = {{"BLOCK", BLOCKS, "64"}, {"LANES", "[2, 4, 8, 16, 32]", "8"}},
    .where = {IN_LIMIT, "LANES <= BLOCK"},
    .steps = {{.entry = "csr_vector",
               .arguments = {"num_rows", "row_offsets", "columns", "values", "x", "y"},
               .local = {"BLOCK"},
               .global = {"ceil_div(num_rows * LANES, BLOCK) * BLOCK"}}},
};

static const nitro_kernel dia = {
    .kit = &nitro_spmv_opencl_kit,
    .part = &nitro_spmv_part_dia,
    .backend = "opencl",
    .origin = "dia.cl",
    .source = nitro_spmv_dia_cl,
    .parameters = {{"BLOCK", BLOCKS, "64"}},
    .where = {IN_LIMIT},
    .steps = {{.entry = "dia",
               .arguments = {"num_rows", "num_cols", "num_diagonals", "stride", "offsets", "values",
                             "x", "y"},
               .local = {"BLOCK"},
               .global = {GROUPS}}},
};

static const nitro_kernel ell = {
    .kit = &nitro_spmv_opencl_kit,
    .part = &nitro_spmv_part_ell,
    .backend = "opencl",
    .origin = "ell.cl",
    .source = nitro_spmv_ell_cl,
    .parameters = {{"BLOCK", BLOCKS, "64"}},
    .where = {IN_LIMIT},
    .steps = {{.entry = "ell",
               .arguments = {"num_rows", "width", "stride", "columns", "values", "x", "y"},
               .local = {"BLOCK"},
               .global = {GROUPS}}},
};

static const nitro_kernel sellp = {
    .kit = &nitro_spmv_opencl_kit,
    .part = &nitro_spmv_part_sellp,
    .backend = "opencl",
    .origin = "sellp.cl",
    .source = nitro_spmv_sellp_cl,
    .options = "-DSLICE_ROWS=" STRING(NITRO_SPMV_SLICE_ROWS),
    .parameters = {{"BLOCK", BLOCKS, "64"}},
    .where = {IN_LIMIT},
    .steps = {{.entry = "sellp",
               .arguments = {"num_rows", "slice_offsets", "columns", "values", "x", "y"},
               .local = {"BLOCK"},
               .global = {GROUPS}}},
};

/* ---- Variants ---- */

static bool allows_dia(const double *features, const void *argument, void *user)
{
    return nitro_spmv_fits_device(features, argument, user) &&
           nitro_spmv_variant_dia.allows(features, NULL, NULL);
}

static bool allows_ell(const double *features, const void *argument, void *user)
{
    return nitro_spmv_fits_device(features, argument, user) &&
           nitro_spmv_variant_ell.allows(features, NULL, NULL);
}

static bool allows_sellp(const double *features, const void *argument, void *user)
{
    return nitro_spmv_fits_device(features, argument, user) &&
           nitro_spmv_variant_sellp.allows(features, NULL, NULL);
}

static const nitro_variant variant_csr = NITRO_KERNEL_VARIANT("csr", csr),
                           variant_csr_vector = NITRO_KERNEL_VARIANT("csr_vector", csr_vector),
                           variant_dia =
                               NITRO_KERNEL_VARIANT("dia", dia, .allows = allows_dia,
                                                    .allows_reads = "dia_fillin,nnz,rows,cols"),
                           variant_ell =
                               NITRO_KERNEL_VARIANT("ell", ell, .allows = allows_ell,
                                                    .allows_reads = "ell_fillin,nnz,rows,cols"),
                           variant_sellp = NITRO_KERNEL_VARIANT(
                               "sellp", sellp, .allows = allows_sellp,
                               .allows_reads = "rlsd,ell_fillin,nnz,rows,cols");

static const nitro_variant *const variants[] = {&variant_csr, &variant_csr_vector, &variant_dia,
                                                &variant_ell, &variant_sellp};

const nitro_kit_device nitro_spmv_opencl_device = {
    .kind = "opencl",
    .memory = &nitro_opencl_memory,
    .variants = variants,
    .num_variants = sizeof(variants) / sizeof(variants[0]),
    .allows = nitro_spmv_fits_device,
    .allows_reads = "nnz,rows,cols",
};
