/* spmv_opencl.h - the computation "spmv" on OpenCL devices. Names and order of the variants are the
 * host's (spmv.h), which convert the formats; each .cl file describes its kernel. */
#ifndef NITRO_VARIANTS_SPMV_SPMV_OPENCL_H
#define NITRO_VARIANTS_SPMV_SPMV_OPENCL_H

#include "nitro/kernels.h"
#include "variants/spmv/spmv.h"

extern const nitro_kit_device nitro_spmv_opencl_device;
/** nitro_spmv_kit on that device. */
extern const nitro_kit nitro_spmv_opencl_kit;

#endif
