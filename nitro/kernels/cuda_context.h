/* cuda_context.h - the driver's context of the calling thread, and its errors. Internal to nitro/.
 */
#ifndef NITRO_KERNELS_CUDA_CONTEXT_H
#define NITRO_KERNELS_CUDA_CONTEXT_H

#include "nitro/kernels/cuda_libraries.h"

/** Makes the first device's primary context, which CUDA runtimes use too, the thread's context if
 * it has none. There is a driver. @return 0, or a CUresult. */
int nitro_cuda_enter(void);

/** Returns `text`. */
const char *nitro_cuda_error(int code, char *text, size_t size);

#endif
