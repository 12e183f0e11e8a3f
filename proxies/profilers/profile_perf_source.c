/* Counters of the Linux kernel: perf_event_open, one file descriptor an event. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proxies/profilers/profile_perf.h"

/* User mode only: allowed to all users on most systems. */
static int open_event(void *user, uint32_t type, uint64_t config)
{
    struct perf_event_attr attributes = {.type = type,
                                         .size = sizeof attributes,
                                         .config = config,
                                         .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                        PERF_FORMAT_TOTAL_TIME_RUNNING,
                                         .disabled = 1,
                                         .inherit = 1,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    (void)user;
    long handle = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return handle < 0 ? -errno : (int)handle;
}

static int start_event(void *user, int handle)
{
    (void)user;
    return ioctl(handle, PERF_EVENT_IOC_ENABLE, 0) == 0 ? 0 : -errno;
}

static int stop_event(void *user, int handle)
{
    (void)user;
    return ioctl(handle, PERF_EVENT_IOC_DISABLE, 0) == 0 ? 0 : -errno;
}

static int read_event(void *user, int handle, perf_reading *reading)
{
    (void)user;
    errno = 0;
    if (read(handle, reading, sizeof *reading) != (ssize_t)sizeof *reading)
        return errno ? -errno : -EIO;
    return 0;
}

static void close_event(void *user, int handle)
{
    (void)user;
    close(handle);
}

static int read_paranoid(void)
{
    int value = 0;
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%d", &value) != 1)
        value = 0;
    fclose(file);
    return value;
}

/* The processor's vendor id; "": unknown. */
static const char *read_vendor(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_is("intel"))
        return "GenuineIntel";
#endif
    return "";
}

void perf_source_init(perf_source *source)
{
    *source = (perf_source){.open = open_event,
                            .start = start_event,
                            .stop = stop_event,
                            .read = read_event,
                            .close = close_event,
                            .vendor = read_vendor(),
                            .paranoid = read_paranoid()};
}
