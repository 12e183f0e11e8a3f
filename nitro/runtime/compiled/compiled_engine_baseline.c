/* Sums of kernels with the instructions that every processor of the target has. */
#include <stdbool.h>

static bool is_here(void)
{
    return true;
}

#define VECTOR_BYTES 16
#define ENGINE       nitro_kernel_engine_baseline
#define ENGINE_NAME  "baseline"
#include "nitro/runtime/compiled/compiled_engine.inc"
