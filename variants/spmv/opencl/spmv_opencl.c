/* Spmv on OpenCL devices: its kernels, and the variants. */
#include "variants/spmv/spmv_opencl.h"

#include "variants/spmv/formats.h"

#define TEXT(number)  #number
#define STRING(macro) TEXT(macro)

extern const char nitro_spmv_csr_cl[], nitro_spmv_csr_vector_cl[], nitro_spmv_dia_cl[],
    nitro_spmv_ell_coo_cl[], nitro_spmv_sellp_cl[];

/* What all kernels have; their sources are FILE.cl. */
#define COMMON(file)                                                                               \
    .kit = &nitro_spmv_opencl_kit, .backend = "opencl", .origin = #file ".cl",                     \
    .source = nitro_spmv_##file##_cl

#define IN_LIMIT "BLOCK <= device.max_local"
#define BLOCK                                                                                      \
    {                                                                                              \
        "BLOCK", "[16, 32, 64, 128, 256]", "64"                                                    \
    }
#define EACH                                                                                       \
    {                                                                                              \
        "EACH", "[1, 4, 16, 64, 256]", "64"                                                        \
    }

/* A step in groups of BLOCK, for `items` work-items. */
#define STEP(name, items, ...)                                                                     \
    {                                                                                              \
        .entry = name, .arguments = {__VA_ARGS__}, .local = {"BLOCK"}, .global = {                 \
            "ceil_div(" items ", BLOCK) * BLOCK"                                                   \
        }                                                                                          \
    }
#define ELL_OPTIONS .options = "-DGROUP_ROWS=" STRING(NITRO_SPMV_ELL_GROUP_ROWS)
/* y = 0, by the ell of no entries. */
#define CLEAR STEP("ell", "num_rows", "num_rows", "0", "0", "0", "columns", "values", "x", "y")

static const nitro_kernel csr = {
    COMMON(csr),
    .parameters = {BLOCK},
    .where = {IN_LIMIT},
    .steps = {STEP("csr", "num_rows", "num_rows", "row_offsets", "columns", "values", "x", "y")},
};

static const nitro_kernel csr_vector = {
    COMMON(csr_vector),
    .parameters = {BLOCK, {"LANES", "[2, 4, 8, 16, 32]", "8"}},
    .where = {IN_LIMIT, "LANES <= BLOCK"},
    .steps = {STEP("csr_vector", "num_rows * LANES", "num_rows", "row_offsets", "columns", "values",
                   "x", "y")},
};

static const nitro_kernel dia = {
    COMMON(dia),
    .options = "-DGROUP_ROWS=" STRING(NITRO_SPMV_DIA_GROUP_ROWS),
    .part = &nitro_spmv_part_dia.part,
    .parameters = {BLOCK},
    .where = {IN_LIMIT},
    .steps = {STEP("dia", "num_rows", "num_rows", "num_cols", "num_diagonals", "stride",
                   "group_stride", "offsets", "values", "x", "y")},
};

static const nitro_kernel ell = {
    COMMON(ell_coo),
    ELL_OPTIONS,
    .part = &nitro_spmv_part_ell.part,
    .parameters = {BLOCK},
    .where = {IN_LIMIT},
    .steps = {STEP("ell", "num_rows", "num_rows", "width", "stride", "group_stride", "columns",
                   "values", "x", "y")},
};

static const nitro_kernel coo = {
    COMMON(ell_coo),
    ELL_OPTIONS,
    .part = &nitro_spmv_part_coo.part,
    .parameters = {BLOCK, EACH},
    .where = {IN_LIMIT},
    .steps = {CLEAR, STEP("coo", "ceil_div(num_entries, EACH)", "num_entries", "rows", "columns",
                          "values", "x", "y")},
};

static const nitro_kernel hybrid = {
    COMMON(ell_coo),
    ELL_OPTIONS,
    .part = &nitro_spmv_part_hybrid.part,
    .parameters = {BLOCK, EACH},
    .where = {IN_LIMIT},
    .steps = {STEP("ell", "num_rows", "num_rows", "ell.width", "ell.stride", "ell.group_stride",
                   "ell.columns", "ell.values", "x", "y"),
              STEP("coo", "ceil_div(coo.num_entries, EACH)", "coo.num_entries", "coo.rows",
                   "coo.columns", "coo.values", "x", "y")},
};

#define SELL(its_part)                                                                             \
    {                                                                                              \
        COMMON(sellp), .part = its_part, .options = "-DSLICE_ROWS=" STRING(NITRO_SPMV_SLICE_ROWS), \
                       .parameters = {BLOCK}, .where = {IN_LIMIT}, .steps = {                      \
                           STEP("sellp", "num_rows", "num_rows", "slice_offsets", "rows",          \
                                "columns", "values", "x", "y")                                     \
                       }                                                                           \
    }

static const nitro_kernel sellp = SELL(&nitro_spmv_part_sellp.part),
                          sell_c_sigma = SELL(&nitro_spmv_part_sell_c_sigma.part);

/* ---- Variants ---- */

/* The matrix fits, and the format, as on the host. */
static bool allows(const double *features, const void *argument, void *user)
{
    const nitro_kernel *kernel = user;
    return nitro_spmv_fits_device(features, argument, user) &&
           kernel->part->host->allows(features, NULL, NULL);
}

#define VARIANT(kernel, ...)                                                                       \
    &(const nitro_variant)NITRO_KERNEL_VARIANT(#kernel, kernel, __VA_ARGS__)
#define ALLOWED(reads) .allows = allows, .allows_reads = reads ",nnz,rows,cols"

static const nitro_variant *const variants[] = {
    VARIANT(csr, ),
    VARIANT(csr_vector, ),
    VARIANT(dia, ALLOWED("dia_fillin")),
    VARIANT(ell, ALLOWED("ell_fillin")),
    VARIANT(coo, ),
    VARIANT(hybrid, ),
    VARIANT(sellp, ALLOWED("rlsd,ell_fillin")),
    VARIANT(sell_c_sigma, ALLOWED("rlsd,ell_fillin,row_max")),
};

const nitro_kit_device nitro_spmv_opencl_device = {
    .kind = "opencl",
    .memory = &nitro_opencl_memory,
    .variants = variants,
    .num_variants = sizeof(variants) / sizeof(variants[0]),
    .allows = nitro_spmv_fits_device,
    .allows_reads = "nnz,rows,cols",
};
