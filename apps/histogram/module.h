/* module.h - what the modules of histogram share: one for each kind of device. */
#ifndef NITRO_APPS_HISTOGRAM_MODULE_H
#define NITRO_APPS_HISTOGRAM_MODULE_H

#include "nitro/nitro_backend.h"

/** On the host: its inputs are every module's. */
extern const nitro_module nitro_module_histogram;
/** On CUDA devices, or a stub. */
extern const nitro_module nitro_module_histogram_cuda;

/** Create the computation "histogram" with these variants and the features of all kinds. */
nitro_status nitro_histogram_module_create(nitro_context *context,
                                           nitro_status (*add_variants)(nitro_computation *),
                                           nitro_computation **computation);

#endif
