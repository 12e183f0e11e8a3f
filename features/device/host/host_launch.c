/* Measures the launch overhead of threaded variants: an empty OpenMP parallel region. In a child
 * process, whose thread pool ends with it, so that this process can still fork. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "features/device/host/host_kind.h"
#include "nitro/backend/statistics.h"

#define REPETITIONS 9
#define REGIONS     200
#define LIMIT_MS    20e3

static void open_regions(void)
{
    for (size_t i = 0; i < REGIONS; i++) {
#pragma omp parallel
        {
            __asm__ volatile("" ::: "memory"); /* an empty region would be removed */
        }
    }
}

static nitro_status time_regions(nitro_context *context, void *state, char **answer)
{
    (void)state;
    double times_us[REPETITIONS];
    open_regions(); /* the first one starts threads */
    for (size_t i = 0; i < REPETITIONS; i++) {
        double begin_ms = nitro_clock_wall_ms(context);
        open_regions();
        times_us[i] = (nitro_clock_wall_ms(context) - begin_ms) * 1e3 / REGIONS;
    }
    nitro_sort(times_us, REPETITIONS);
    *answer = nitro_asprintf(context, "%.17g %.17g", nitro_median(times_us, REPETITIONS),
                             nitro_relative_spread(times_us, REPETITIONS));
    return *answer ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

/* If the program had a thread pool before the fork, the child may wait for threads that do not
 * exist in it: then only this value is missing. */
nitro_status nitro_host_measure_launch(nitro_context *context, nitro_device *device)
{
    char *answer = NULL, reason[512];
    double median_us, spread;
    nitro_status status = nitro_child_run(context, "measuring parallel regions", LIMIT_MS,
                                          time_regions, NULL, &answer);
    if (status == NITRO_ERR_IO) {
        nitro_context_last_error(context, reason, sizeof(reason));
        nitro_log(context, NITRO_LOG_WARNING, "device %s has no launch_us: %s", device->id, reason);
        return NITRO_OK;
    }
    if (status != NITRO_OK)
        return status;
    bool is_read = sscanf(answer, "%lf %lf", &median_us, &spread) == 2 && median_us > 0;
    free(answer);
    return nitro_device_set(context, device, "launch_us", is_read ? median_us : NAN,
                            NITRO_VALUE_MEASURED, is_read ? spread : 0);
}
