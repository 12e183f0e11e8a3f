/* spmv_modules.h - the modules of spmv, one for each kind of device. */
#ifndef NITRO_APPS_SPMV_SPMV_MODULES_H
#define NITRO_APPS_SPMV_SPMV_MODULES_H

#include "nitro/nitro_backend.h"

/** On the host; its inputs are used by all modules. */
extern const nitro_module nitro_module_spmv;
/** On CUDA devices, or a stub. */
extern const nitro_module nitro_module_spmv_cuda;

#endif
