/* device_similarity.h - how alike two devices are, by vendor, software and hardware. Internal to
 * nitro/. */
#ifndef NITRO_LEARN_DATA_DEVICE_SIMILARITY_H
#define NITRO_LEARN_DATA_DEVICE_SIMILARITY_H

#include "nitro/nitro_backend.h"

/**
 * A software stack is a vendor and the label `software` ("ginkgo-cuda v2018-11"), or else
 * `toolkit`: a name, and a version after the last space. Without labels, all devices have one
 * stack. On one branch are the versions of one name of one vendor.
 * A vendor's CPUs and GPUs are of two vendors: one speaks for the other no more than any device.
 */
bool nitro_device_same_vendor(const nitro_device *a, const nitro_device *b);
bool nitro_device_same_branch(const nitro_device *a, const nitro_device *b);
bool nitro_device_same_stack(const nitro_device *a, const nitro_device *b);
/** By their labels; two without one are the same. */
bool nitro_device_same_architecture(const nitro_device *a, const nitro_device *b);
/** Are they one card under two stacks: the same by the label `same_as`, or of one vendor and with
 * the same known features? Descriptive features do not count. */
bool nitro_device_is_twin(const nitro_device *a, const nitro_device *b);
/** The same under one stack: one recording under two ids, or two cards of one model. */
bool nitro_device_is_copy(const nitro_device *a, const nitro_device *b);

/** What a target has among its sources. In validation, a source as the target has no closer
 * relative than the target: else it would be too easy. */
typedef struct nitro_kinship {
    bool copy, twin, stack, vendor, architecture;
    bool hides_architecture; /* false at first: a source may learn from its own architecture */
} nitro_kinship;

/** @param[in] usable  shape [num_devices]: which of the devices are sources; NULL: all. */
nitro_kinship nitro_device_kinship(const nitro_device *target, nitro_device *const *devices,
                                   size_t num_devices, const bool *usable);
/** May `device`, as the target in validation, learn from `source`? Copies and twins only if the
 * target has some, and its own architecture unless that is hidden. */
bool nitro_kinship_allows(nitro_kinship of_target, const nitro_device *device,
                          const nitro_device *source);

/**
 * Years between two versions, at most 3: of versions that begin with a year (2018-11) with the
 * months; of others one a major and a tenth a minor number; 0 if either is unknown.
 */
double nitro_device_version_gap(const nitro_device *a, const nitro_device *b);

/**
 * 0.5 for another software, up to 0.5 for its version, 0.5 for another vendor, and a fifth of the
 * distance in `hardware` (nitro_device_distance; 0 if unknown). Software and vendor count more than
 * hardware: on recorded SpMV data, the best variant depends more on them.
 */
double nitro_device_dissimilarity(const nitro_device *a, const nitro_device *b,
                                  const nitro_string_list *hardware);

#endif
