/* emulator.h - interface between grid.cpp (kernels) and device.cpp (the device). */
#ifndef NITRO_TESTS_CUDA_EMULATION_EMULATOR_H
#define NITRO_TESTS_CUDA_EMULATION_EMULATOR_H

#include "cuda_runtime.h"

namespace cuda_emulation
{

/* Run all blocks of a grid now. `shuffle` is the seed of the order; 0: in order. @return false when
 * it failed: `problem` (shape [size]) then says why. */
bool run_grid(const cudaLaunchConfig_t &config, const std::function<void()> &kernel,
              uint64_t shuffle, char *problem, size_t size);

/* A number below `bound` (> 0) from a generator that `state` is the state of. */
unsigned draw(uint64_t *state, unsigned bound);

/* Most bytes of dynamic shared memory, as an H100 allows after cudaFuncSetAttribute. */
constexpr size_t max_dynamic_shared_bytes = 227 * 1024;

} // namespace cuda_emulation

#endif
