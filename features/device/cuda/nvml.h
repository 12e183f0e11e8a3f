/* nvml.h - NVIDIA's management library, opened where it is: clocks, MIG, power, throttling. Its own
 * header is not needed. All of this is optional: what it does not say is a hole. */
#ifndef NITRO_FEATURES_DEVICE_CUDA_NVML_H
#define NITRO_FEATURES_DEVICE_CUDA_NVML_H

#include "features/device/cuda/cuda_kind.h"

typedef struct nitro_nvml nitro_nvml;

/**
 * Open the library: file name or path. NULL where it is not there, is of another kind, or refuses
 * to start. Loads a library: only in a process that does not fork afterwards.
 */
nitro_nvml *nitro_nvml_open(const char *library);
void nitro_nvml_close(nitro_nvml *nvml);

#define NITRO_NVML_LIBRARY "libnvidia-ml.so.1"

/** Add what it says of a device to the facts, found by facts->pci; `nvml` may be NULL. */
void nitro_nvml_add_facts(nitro_nvml *nvml, nitro_cuda_facts *facts);

/** Clocks now and what holds them back: "1980 MHz, memory 2619 MHz, throttled: power". "" where it
 *  does not say; `nvml` may be NULL. */
void nitro_nvml_print_state(nitro_nvml *nvml, const char *pci, char *text, size_t size);

#endif
