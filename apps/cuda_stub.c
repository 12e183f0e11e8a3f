/* In place of the computations' variants on CUDA devices, in a build without CUDA: their modules
 * say which option turns them on. */
#include "variants/bfs/bfs.h"
#include "variants/histogram/histogram_cuda.h"
#include "variants/solver/solver.h"
#include "variants/sort/sort.h"
#include "variants/spmv/spmv_cuda.h"
#include "variants/transpose/transpose.h"

const nitro_kit_device nitro_bfs_cuda_device = {.kind = NULL};
const nitro_kit_device nitro_histogram_cuda_device = {.kind = NULL};
const nitro_kit_device nitro_solver_cuda_device = {.kind = NULL};
const nitro_kit_device nitro_sort_cuda_device = {.kind = NULL};
const nitro_kit_device nitro_spmv_cuda_device = {.kind = NULL};
const nitro_kit_device nitro_transpose_cuda_device = {.kind = NULL};
const nitro_kit_device nitro_transpose_inplace_cuda_device = {.kind = NULL};
