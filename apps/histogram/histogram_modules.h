/* histogram_modules.h - the modules of histogram, one for each kind of device. */
#ifndef NITRO_APPS_HISTOGRAM_HISTOGRAM_MODULES_H
#define NITRO_APPS_HISTOGRAM_HISTOGRAM_MODULES_H

#include "nitro/nitro_backend.h"

/** On the host; its inputs are used by all modules. */
extern const nitro_module nitro_module_histogram;
/** On CUDA devices, or a stub. */
extern const nitro_module nitro_module_histogram_cuda;

#endif
