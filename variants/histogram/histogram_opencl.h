/* histogram_opencl.h - the computation "histogram" on OpenCL devices. Names and order of the
 * variants are the host's (histogram.h); opencl/count.cl describes the kernels. */
#ifndef NITRO_VARIANTS_HISTOGRAM_HISTOGRAM_OPENCL_H
#define NITRO_VARIANTS_HISTOGRAM_HISTOGRAM_OPENCL_H

#include "nitro/kernels.h"
#include "variants/histogram/histogram.h"

extern const nitro_kit_device nitro_histogram_opencl_device;
/** nitro_histogram_kit on that device. */
extern const nitro_kit nitro_histogram_opencl_kit;

#endif
