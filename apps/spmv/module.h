/* module.h - what the modules of spmv share: one for each kind of device. */
#ifndef NITRO_APPS_SPMV_MODULE_H
#define NITRO_APPS_SPMV_MODULE_H

#include "nitro/nitro_backend.h"

/** On the host: its inputs are every module's. */
extern const nitro_module nitro_module_spmv;
/** On CUDA devices, or a stub. */
extern const nitro_module nitro_module_spmv_cuda;

/** Create the computation "spmv" with these variants and the features of all kinds. */
nitro_status nitro_spmv_module_create(nitro_context *context,
                                      nitro_status (*add_variants)(nitro_computation *),
                                      nitro_computation **computation);

#endif
