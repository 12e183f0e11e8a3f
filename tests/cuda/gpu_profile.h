/* gpu_profile.h - interface of test_gpu_profile.c's kernel. */
#ifndef NITRO_TESTS_CUDA_GPU_PROFILE_H
#define NITRO_TESTS_CUDA_GPU_PROFILE_H

#ifdef __cplusplus
extern "C" {
#endif

/** Launch the kernel and wait for it. @return a cudaError_t */
int move_every_counter(void *unused);

#ifdef __cplusplus
}
#endif

#endif
