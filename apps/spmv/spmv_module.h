/* spmv_module.h - the modules of spmv on the host and on CUDA devices. */
#ifndef NITRO_APPS_SPMV_SPMV_MODULE_H
#define NITRO_APPS_SPMV_SPMV_MODULE_H

#include "variants/spmv/spmv.h"

extern const nitro_module nitro_module_spmv, nitro_module_spmv_cuda;

#endif
