/* cuda_emulation.h - settings and state of the emulated device, for tests (C and C++).
 *
 * One device, or several equal ones; used by one host thread at a time. Settings inject failures;
 * errors in a kernel become CUDA errors for the code under test, and a message for the test. */
#ifndef NITRO_TESTS_CUDA_EMULATION_CUDA_EMULATION_H
#define NITRO_TESTS_CUDA_EMULATION_CUDA_EMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuda_emulation_settings {
    uint64_t seed;        /* order of blocks and of threads, and where atomics yield; 0: in order */
    size_t memory_bytes;  /* of each device; more fails as on a full card */
    unsigned fail_malloc; /* the so-manieth allocation from now fails; 0: none */
    unsigned fail_launch; /* the so-manieth kernel from now fails when it runs, and the context is
                             unusable from then on, as after a fault; 0: none */
    int num_devices;      /* 0: as on a machine without one */
    bool no_driver;       /* every call answers cudaErrorInsufficientDriver */
    bool lazy;            /* kernels and copies to the device run when something waits for them, so
                             that a forgotten wait is found out; on by default */
    int blocks_per_sm; /* that occupancy answers at most, as for kernels with many registers; 0: any
                        */
    bool real_clock;   /* events tell the time of the host; else of a clock of the emulation's, on
                          which every kernel takes the same */
} cuda_emulation_settings;

/** One device of 1 GiB, everything in order, lazy, nothing fails. */
cuda_emulation_settings cuda_emulation_defaults(void);

/**
 * Bring the device to its first state with these settings: memory, streams, events and the sticky
 * error are gone. @return the bytes of device memory that nobody had freed.
 */
size_t cuda_emulation_reset(const cuda_emulation_settings *settings);

/** Change the settings and nothing else. */
void cuda_emulation_configure(const cuda_emulation_settings *settings);

/** Device memory in use. */
size_t cuda_emulation_used_bytes(void);

/** Since the reset: allocations that succeeded, kernels that ran, waits for the device. */
unsigned cuda_emulation_num_mallocs(void);
unsigned cuda_emulation_num_launches(void);
unsigned cuda_emulation_num_waits(void);

/** Blocks of the largest grid that ran since the last call. */
uint64_t cuda_emulation_take_most_blocks(void);

/** Streams, events and graphs that nobody destroyed. */
size_t cuda_emulation_num_handles(void);

/** Operations that wait to be run. */
size_t cuda_emulation_num_pending(void);

/** What went wrong last, in words; "" when nothing did since the reset. */
const char *cuda_emulation_problem(void);

#ifdef __cplusplus
}
#endif

#endif
