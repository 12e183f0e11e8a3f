/* nvml.h - NVIDIA's management library, loaded at run time: clocks, MIG, power, throttling.
 * Optional: without it these values are missing. */
#ifndef NITRO_FEATURES_DEVICE_CUDA_NVML_H
#define NITRO_FEATURES_DEVICE_CUDA_NVML_H

#include "features/device/cuda/cuda_kind.h"

typedef struct nitro_nvml nitro_nvml;

/**
 * Load the library (file name or path). NULL: not installed, not NVML, or initialisation failed.
 * Only in a process that does not fork afterwards.
 */
nitro_nvml *nitro_nvml_open(const char *library);
void nitro_nvml_close(nitro_nvml *nvml);

#define NITRO_NVML_LIBRARY "libnvidia-ml.so.1"

/** Add a device's NVML values, found by its PCI address, to the facts; `nvml` may be NULL. */
void nitro_nvml_add_facts(nitro_nvml *nvml, nitro_facts *facts);

/** Current clocks and throttling: "1980 MHz, memory 2619 MHz, throttled: power"; "": unknown.
 * `nvml` may be NULL. */
void nitro_nvml_print_state(nitro_nvml *nvml, const char *pci, char *text, size_t size);

#endif
