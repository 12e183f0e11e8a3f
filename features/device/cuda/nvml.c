/* Loads NVIDIA's management library with dlopen. Each function is optional: old versions lack
 * some. */
#include "features/device/cuda/nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define SUCCESS      0
#define CLOCK_SM     1u
#define CLOCK_MEMORY 2u

typedef struct device *device_handle;

struct nitro_nvml {
    void *library;
    int (*shutdown)(void);
    int (*driver_version)(char *text, unsigned size);
    int (*find)(const char *pci, device_handle *device);
    int (*clock)(device_handle device, unsigned kind, unsigned *mhz);
    int (*max_clock)(device_handle device, unsigned kind, unsigned *mhz);
    int (*bus_width)(device_handle device, unsigned *bits);
    int (*num_cores)(device_handle device, unsigned *count);
    int (*mig_mode)(device_handle device, unsigned *current, unsigned *pending);
    int (*power_limit)(device_handle device, unsigned *mw);
    int (*reasons)(device_handle device, unsigned long long *bits);
};

/* POSIX allows dlsym's result to be a function; ISO C has no cast for it. */
#define FIND(library, name, function) (*(void **)&(function) = dlsym((library), (name)))

static void find_functions(nitro_nvml *self)
{
    FIND(self->library, "nvmlShutdown", self->shutdown);
    FIND(self->library, "nvmlSystemGetDriverVersion", self->driver_version);
    FIND(self->library, "nvmlDeviceGetHandleByPciBusId_v2", self->find);
    FIND(self->library, "nvmlDeviceGetClockInfo", self->clock);
    FIND(self->library, "nvmlDeviceGetMaxClockInfo", self->max_clock);
    FIND(self->library, "nvmlDeviceGetMemoryBusWidth", self->bus_width);
    FIND(self->library, "nvmlDeviceGetNumGpuCores", self->num_cores);
    FIND(self->library, "nvmlDeviceGetMigMode", self->mig_mode);
    FIND(self->library, "nvmlDeviceGetEnforcedPowerLimit", self->power_limit);
    FIND(self->library, "nvmlDeviceGetCurrentClocksEventReasons", self->reasons);
    if (!self->reasons) /* its older name */
        FIND(self->library, "nvmlDeviceGetCurrentClocksThrottleReasons", self->reasons);
}

nitro_nvml *nitro_nvml_open(const char *library)
{
    int (*start)(void);
    nitro_nvml *self = calloc(1, sizeof(*self));
    if (!self)
        return NULL;
    self->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!self->library)
        goto free_self;
    FIND(self->library, "nvmlInit_v2", start);
    find_functions(self);
    if (!start || !self->shutdown || !self->find || start() != SUCCESS)
        goto close_library;
    return self;

close_library:
    dlclose(self->library);
free_self:
    free(self);
    return NULL;
}

void nitro_nvml_close(nitro_nvml *nvml)
{
    if (!nvml)
        return;
    nvml->shutdown();
    dlclose(nvml->library);
    free(nvml);
}

typedef int (*property_function)(device_handle device, unsigned *value);

static void query(device_handle device, property_function function, nitro_facts *facts,
                  nitro_cuda_fact fact)
{
    unsigned value;
    if (function && function(device, &value) == SUCCESS)
        facts->values[fact] = value;
}

static void query_max_clock(const nitro_nvml *nvml, device_handle device, unsigned kind,
                            nitro_facts *facts, nitro_cuda_fact fact)
{
    unsigned mhz;
    if (nvml->max_clock && nvml->max_clock(device, kind, &mhz) == SUCCESS)
        facts->values[fact] = mhz;
}

void nitro_nvml_add_facts(nitro_nvml *nvml, nitro_facts *facts)
{
    device_handle device;
    unsigned mig, pending;
    if (!nvml)
        return;
    if (!nvml->driver_version ||
        nvml->driver_version(facts->texts[NITRO_CUDA_DRIVER], NITRO_FACTS_TEXT_SIZE) != SUCCESS)
        facts->texts[NITRO_CUDA_DRIVER][0] = '\0';
    if (nvml->find(facts->texts[NITRO_CUDA_PCI], &device) != SUCCESS)
        return;
    query_max_clock(nvml, device, CLOCK_SM, facts, NITRO_CUDA_NVML_MAX_SM_CLOCK_MHZ);
    query_max_clock(nvml, device, CLOCK_MEMORY, facts, NITRO_CUDA_NVML_MAX_MEM_CLOCK_MHZ);
    query(device, nvml->bus_width, facts, NITRO_CUDA_NVML_MEM_BUS_WIDTH_BITS);
    query(device, nvml->num_cores, facts, NITRO_CUDA_NVML_CUDA_CORES);
    query(device, nvml->power_limit, facts, NITRO_CUDA_NVML_POWER_LIMIT_MW);
    if (nvml->mig_mode && nvml->mig_mode(device, &mig, &pending) == SUCCESS)
        facts->values[NITRO_CUDA_NVML_MIG] = mig;
}

/* Idle clocks are not reported; clocks set by a user are, though they are not throttling. */
static const struct {
    unsigned long long bit;
    const char *name;
} all_reasons[] = {
    {0x02, "set clocks"},           {0x04, "power"},           {0x08, "hardware slowdown"},
    {0x10, "sync boost"},           {0x20, "temperature"},     {0x40, "hardware temperature"},
    {0x80, "hardware power brake"}, {0x100, "display clocks"},
};

/* Appends to a text of `size`, truncating. */
static size_t append(char *text, size_t size, size_t used, const char *before, const char *what)
{
    int length = used < size ? snprintf(text + used, size - used, "%s%s", before, what) : 0;
    return used + (length > 0 ? (size_t)length : 0);
}

void nitro_nvml_print_state(nitro_nvml *nvml, const char *pci, char *text, size_t size)
{
    device_handle device;
    unsigned sm_mhz, memory_mhz;
    unsigned long long reasons = 0;
    char clocks[96];
    text[0] = '\0';
    if (!nvml || !nvml->clock || nvml->find(pci, &device) != SUCCESS ||
        nvml->clock(device, CLOCK_SM, &sm_mhz) != SUCCESS ||
        nvml->clock(device, CLOCK_MEMORY, &memory_mhz) != SUCCESS)
        return;
    snprintf(clocks, sizeof(clocks), "%u MHz, memory %u MHz", sm_mhz, memory_mhz);
    size_t used = append(text, size, 0, "", clocks);
    if (!nvml->reasons || nvml->reasons(device, &reasons) != SUCCESS)
        return;
    const char *before = ", throttled: ";
    for (size_t i = 0; i < sizeof(all_reasons) / sizeof(all_reasons[0]); i++) {
        if (reasons & all_reasons[i].bit) {
            used = append(text, size, used, before, all_reasons[i].name);
            before = ", ";
        }
    }
}
