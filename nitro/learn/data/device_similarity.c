/* Likeness by labels and by hardware distance. */
#include "nitro/learn/data/device_similarity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/data/device_choice.h"
#include "nitro/learn/data/device_distance.h"

#define SOFTWARE_WEIGHT 0.5
#define VERSION_WEIGHT  0.5
#define VENDOR_WEIGHT   0.5
#define HARDWARE_WEIGHT 0.2
#define MAX_GAP         3.0
#define FIRST_YEAR      1990.0 /* a version that begins with such a number is a date */

static const char *software_of(const nitro_device *device)
{
    const char *software = nitro_device_label(device, "software");
    if (!software)
        software = nitro_device_label(device, "toolkit");
    return software ? software : "";
}

/** Length of the name: up to the space before the version. */
static size_t name_length(const char *software)
{
    const char *space = strrchr(software, ' ');
    return space ? (size_t)(space - software) : strlen(software);
}

/** Has a multiprocessor several lanes, or shared memory? */
static bool is_gpu(const nitro_device *device)
{
    return nitro_device_value(device, "cuda_cores") > nitro_device_value(device, "sm_count") ||
           nitro_device_value(device, "shared_mem_per_block") > 0.0;
}

/** Is every core a multiprocessor of its own? */
static bool is_cpu(const nitro_device *device)
{
    return nitro_device_value(device, "cuda_cores") == nitro_device_value(device, "sm_count") &&
           !is_gpu(device);
}

bool nitro_device_same_vendor(const nitro_device *a, const nitro_device *b)
{
    if ((is_gpu(a) && is_cpu(b)) || (is_cpu(a) && is_gpu(b)))
        return false;
    return nitro_same_text(nitro_device_label(a, "vendor"), nitro_device_label(b, "vendor"));
}

bool nitro_device_same_branch(const nitro_device *a, const nitro_device *b)
{
    const char *of_a = software_of(a), *of_b = software_of(b);
    size_t length = name_length(of_a);
    return nitro_device_same_vendor(a, b) && length == name_length(of_b) &&
           strncmp(of_a, of_b, length) == 0;
}

bool nitro_device_same_stack(const nitro_device *a, const nitro_device *b)
{
    return nitro_device_same_vendor(a, b) && strcmp(software_of(a), software_of(b)) == 0;
}

bool nitro_device_same_architecture(const nitro_device *a, const nitro_device *b)
{
    return nitro_same_text(nitro_device_label(a, "architecture"),
                           nitro_device_label(b, "architecture"));
}

/** Have they the same known features, and at least one? */
static bool has_same_features(const nitro_device *a, const nitro_device *b)
{
    size_t num_equal = 0;
    for (size_t i = 0; i < a->num_features; i++) {
        double other = nitro_device_value(b, a->features[i].name);
        if (!nitro_device_feature_is_usable(a->features[i].name) || isnan(other))
            continue;
        if (a->features[i].value != other)
            return false;
        num_equal++;
    }
    return num_equal > 0;
}

static const char *card_of(const nitro_device *device)
{
    const char *same_as = nitro_device_label(device, NITRO_LABEL_SAME_AS);
    return same_as ? same_as : device->id;
}

static bool is_same_card(const nitro_device *a, const nitro_device *b)
{
    return strcmp(card_of(a), card_of(b)) == 0 ||
           (nitro_device_same_vendor(a, b) && has_same_features(a, b));
}

bool nitro_device_is_twin(const nitro_device *a, const nitro_device *b)
{
    return !nitro_device_same_stack(a, b) && is_same_card(a, b);
}

bool nitro_device_is_copy(const nitro_device *a, const nitro_device *b)
{
    return nitro_device_same_stack(a, b) && is_same_card(a, b);
}

nitro_kinship nitro_device_kinship(const nitro_device *target, nitro_device *const *devices,
                                   size_t num_devices, const bool *usable)
{
    nitro_kinship found = {0};
    for (size_t d = 0; d < num_devices; d++) {
        if (usable && !usable[d])
            continue;
        found.copy |= nitro_device_is_copy(devices[d], target);
        found.twin |= nitro_device_is_twin(devices[d], target);
        found.stack |= nitro_device_same_stack(devices[d], target);
        found.vendor |= nitro_device_same_vendor(devices[d], target);
        found.architecture |= nitro_device_same_architecture(devices[d], target);
    }
    return found;
}

bool nitro_kinship_allows(nitro_kinship of_target, const nitro_device *device,
                          const nitro_device *source)
{
    return (of_target.copy || !nitro_device_is_copy(device, source)) &&
           (of_target.twin || !nitro_device_is_twin(device, source)) &&
           !(of_target.hides_architecture && nitro_device_same_architecture(device, source));
}

/** The first two numbers of a version; false if there is none. */
static bool read_version(const char *software, double numbers[2])
{
    const char *at = software + name_length(software);
    size_t count = 0;
    numbers[0] = numbers[1] = 0.0;
    while (count < 2 && *at) {
        if (*at < '0' || *at > '9') {
            at++;
            continue;
        }
        char *end;
        numbers[count++] = (double)strtoul(at, &end, 10);
        at = end;
    }
    return count > 0;
}

double nitro_device_version_gap(const nitro_device *a, const nitro_device *b)
{
    double of_a[2], of_b[2];
    if (!read_version(software_of(a), of_a) || !read_version(software_of(b), of_b))
        return 0.0;
    bool are_dates = of_a[0] >= FIRST_YEAR && of_b[0] >= FIRST_YEAR;
    if (!are_dates && !nitro_device_same_branch(a, b))
        return 0.0;
    double minor = are_dates ? 12.0 : 10.0;
    return fmin(fabs(of_a[0] - of_b[0] + (of_a[1] - of_b[1]) / minor), MAX_GAP);
}

double nitro_device_dissimilarity(const nitro_device *a, const nitro_device *b,
                                  const nitro_string_list *hardware)
{
    double distance = nitro_device_distance(a, b, hardware);
    return SOFTWARE_WEIGHT * (strcmp(software_of(a), software_of(b)) != 0) +
           VERSION_WEIGHT * nitro_device_version_gap(a, b) / MAX_GAP +
           VENDOR_WEIGHT * !nitro_device_same_vendor(a, b) +
           HARDWARE_WEIGHT * (isnan(distance) ? 0.0 : distance);
}
