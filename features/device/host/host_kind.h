/* host_kind.h - shared by the files of device kind `host`. */
#ifndef NITRO_FEATURES_DEVICE_HOST_HOST_KIND_H
#define NITRO_FEATURES_DEVICE_HOST_HOST_KIND_H

#include "nitro/nitro_backend.h"

/** Source of a machine's description; all NULL: this machine. Tests replay recorded machines. */
typedef struct nitro_host_source {
    const char *root;         /* folder with proc/ and sys/ in it; NULL: "" */
    const char *topology_xml; /* file that hwloc exported; NULL: query the operating system */
} nitro_host_source;

#define NITRO_HOST_TEXT_SIZE 128

/** The first processor core, as Linux describes it. */
typedef struct nitro_host_processor {
    char model[NITRO_HOST_TEXT_SIZE];  /* the vendor's name; "" when unknown */
    char vendor[NITRO_HOST_TEXT_SIZE]; /* "Intel", "AMD", or as it is written; "" when unknown */
    long family;                       /* -1 when unknown */
    double clock_mhz;                  /* NaN when unknown */
    const char *clock_origin;          /* kind of clock; static; NULL when unknown */
    double simd_bits;                  /* width of the arithmetic units; NaN when unknown */
    double flops_per_lane;             /* a cycle; NaN when unknown */
    const char *flops_assumption;      /* static; NULL when unknown */
    bool is_virtual;                   /* virtual machine: its firmware tables are synthetic */
} nitro_host_processor;

/** All channels to the memory together; NaN when unknown. */
typedef struct nitro_host_memory_bus {
    double clock_mhz; /* two transfers a clock */
    double bits;
    size_t num_channels;
} nitro_host_memory_bus;

/** Values are missing where a file is; that is not an error. */
nitro_status nitro_host_read_processor(nitro_context *context, const char *root,
                                       nitro_host_processor *processor);

/** All memory of the machine, NaN when unknown. */
nitro_status nitro_host_read_memory(nitro_context *context, const char *root, double *memory_gb);

/** The firmware's description of the memory modules; missing values without permission to read it.
 */
nitro_status nitro_host_read_memory_bus(nitro_context *context, const char *root,
                                        nitro_host_memory_bus *bus);
/** The same from the table itself, shape [size], which is untrusted. */
nitro_status nitro_host_parse_memory_bus(nitro_context *context, const void *table, size_t size,
                                         nitro_host_memory_bus *bus);

/** The machine as a device, queries only. Loads a topology: milliseconds. */
nitro_status nitro_host_query(nitro_context *context, const nitro_host_source *source,
                              nitro_device **device);

/**
 * Write the id of a processor: "host:amd-epyc-7763-128c".
 * @param[out] id  shape [size], 64 is enough; a valid device id.
 */
void nitro_host_format_id(const char *model, size_t num_cores, char *id, size_t size);

/** Add the results of the microbenchmarks (host_measure.c): about a second. */
nitro_status nitro_host_measure(nitro_context *context, nitro_device *device);

/** All level-2 and level-3 caches together; unknown ones are 0. */
double nitro_host_cache_bytes(const nitro_device *device);

/** The benchmark with OpenMP (host_launch.c), in a child process. */
nitro_status nitro_host_measure_launch(nitro_context *context, nitro_device *device);

/** Threads for microbenchmarks; they exist only during a run. */
typedef struct nitro_host_team nitro_host_team;

/** Work of one member; index in [0, num_threads). */
typedef void (*nitro_host_work)(void *state, size_t index);

/** Loads a topology: milliseconds. */
nitro_status nitro_host_team_create(nitro_context *context, size_t num_threads,
                                    nitro_host_team **team);
void nitro_host_team_free(nitro_host_team *team);

/**
 * Run `work` on all threads at once, thread i bound to core i where the system allows that.
 * @param[out] elapsed_ms  wall time from when all are ready until all have finished.
 * @return NITRO_OK or NITRO_ERR_IO (a thread could not be started; none did any work).
 */
nitro_status nitro_host_team_run(nitro_host_team *team, nitro_host_work work, void *state,
                                 double *elapsed_ms);

/** Cache flush, free memory and clocks (host_access.c). */
extern const nitro_device_access nitro_host_access;

extern const nitro_device_kind nitro_device_kind_host;

#endif
