/*
 * cuda_emulation.h - what tests tell the emulated device, and ask of it (C and C++).
 *
 * One device, or several of one sort; one thread of the host at a time. Failures are provoked by
 * the settings; what went wrong in a kernel is a CUDA error for the code under test, and a sentence
 * for the test.
 */
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
    bool real_clock; /* events tell the time of the host; else of a clock of the emulation's, on
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
