/* A fake NVIDIA management library, of a version that cannot count cores, with one GPU without
 * MIG. */
#include <stdio.h>
#include <string.h>

#define SUCCESS       0
#define NOT_SUPPORTED 3
#define NOT_FOUND     6

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlSystemGetDriverVersion(char *text, unsigned size);
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device);
int nvmlDeviceGetClockInfo(void *device, unsigned kind, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, unsigned kind, unsigned *mhz);
int nvmlDeviceGetMigMode(void *device, unsigned *current, unsigned *pending);
int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *mw);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *bits);

int nvmlInit_v2(void)
{
    return SUCCESS;
}

int nvmlShutdown(void)
{
    return SUCCESS;
}

int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
    snprintf(text, size, "580.82.07");
    return SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device)
{
    static int only;
    if (strcmp(pci, "0000:17:00.0") != 0)
        return NOT_FOUND;
    *device = &only;
    return SUCCESS;
}

int nvmlDeviceGetClockInfo(void *device, unsigned kind, unsigned *mhz)
{
    (void)device;
    *mhz = kind == 1 ? 1755 : kind == 2 ? 1593 : 0;
    return SUCCESS;
}

int nvmlDeviceGetMaxClockInfo(void *device, unsigned kind, unsigned *mhz)
{
    (void)device;
    *mhz = kind == 1 ? 1980 : kind == 2 ? 2619 : 0;
    return SUCCESS;
}

int nvmlDeviceGetMigMode(void *device, unsigned *current, unsigned *pending)
{
    (void)device;
    (void)current;
    (void)pending;
    return NOT_SUPPORTED;
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *mw)
{
    (void)device;
    *mw = 700000;
    return SUCCESS;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *bits)
{
    (void)device;
    *bits = 0x1 | 0x4 | 0x20; /* idle is no throttling */
    return SUCCESS;
}
