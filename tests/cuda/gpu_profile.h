/* profile.h - between test_profile.c and its kernel. */
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
