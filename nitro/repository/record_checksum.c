/* Checksums of records: each field in turn hashed on top of the one before, numbers as the bytes of
 * their little-endian form, so that no store's own encoding matters. */
#include <math.h>
#include <string.h>

#include "nitro/repository/store_internal.h"

/* A missing text differs from an empty one, which still has its '\0'. */
static uint64_t add_text(uint64_t hash, const char *text)
{
    return nitro_hash(text ? text : "", text ? strlen(text) + 1 : 0, hash);
}

static uint64_t add_words(uint64_t hash, const uint64_t *words, size_t count)
{
    unsigned char bytes[8 * 8];
    while (count > 0) {
        size_t part = count < 8 ? count : 8;
        for (size_t i = 0; i < 8 * part; i++)
            bytes[i] = (unsigned char)(words[i / 8] >> (8 * (i % 8)));
        hash = nitro_hash(bytes, 8 * part, hash);
        words += part;
        count -= part;
    }
    return hash;
}

/* One pattern for every NaN, and one zero: stores may not keep the others apart. */
static uint64_t number_word(double value)
{
    uint64_t word;
    if (isnan(value))
        return UINT64_MAX;
    value = value == 0 ? 0 : value;
    memcpy(&word, &value, sizeof(word));
    return word;
}

uint64_t nitro_store_schema_checksum(const nitro_schema *schema)
{
    uint64_t hash = add_text(0, schema->computation);
    for (size_t i = 0; i < schema->num_features; i++) {
        hash = add_text(hash, schema->features[i].name);
        hash = add_text(hash, schema->features[i].unit);
        hash = add_text(hash, nitro_scale_name(schema->features[i].scale));
    }
    for (size_t i = 0; i < schema->num_variants; i++)
        hash = add_text(hash, schema->variants[i]);
    for (size_t i = 0; i < schema->num_relative; i++) {
        hash = add_text(hash, schema->relative[i].name);
        hash = add_text(hash, schema->relative[i].unit);
        hash = add_text(hash, nitro_scale_name(schema->relative[i].scale));
        hash = add_text(hash, schema->relative[i].formula);
        hash = add_text(hash, schema->relative[i].replaces);
    }
    size_t chosen = schema->default_variant;
    const uint64_t counts[] = {schema->num_features, schema->num_variants, schema->num_relative,
                               chosen == NITRO_NONE ? UINT64_MAX : chosen};
    return add_words(hash, counts, 4);
}

uint64_t nitro_store_device_checksum(const nitro_device *device)
{
    uint64_t hash = add_text(add_text(0, device->id), device->kind);
    for (size_t i = 0; i < device->num_features; i++) {
        const nitro_device_feature *feature = &device->features[i];
        const uint64_t words[] = {number_word(feature->value), number_word(feature->spread)};
        hash = add_text(hash, feature->name);
        hash = add_text(hash, nitro_value_source_name(feature->source));
        hash = add_words(hash, words, 2);
    }
    for (size_t i = 0; i < device->num_labels; i++)
        hash = add_text(add_text(hash, device->labels[i].name), device->labels[i].text);
    const uint64_t counts[] = {device->num_features, device->num_labels};
    return add_words(hash, counts, 2);
}

/* Records from before there was a driver, toolkit or digest, or a state of the device, keep their
 * checksums. */
static uint64_t add_provenance(uint64_t hash, const nitro_provenance *provenance)
{
    hash = add_text(add_text(hash, provenance->origin), provenance->library);
    hash = add_text(add_text(hash, provenance->compiler), provenance->host);
    if (provenance->driver || provenance->toolkit || provenance->device_digest) {
        hash = add_text(add_text(hash, provenance->driver), provenance->toolkit);
        hash = add_text(hash, provenance->device_digest);
    }
    if (provenance->device_state || provenance->cache)
        hash = add_text(add_text(hash, provenance->device_state), provenance->cache);
    return hash;
}

uint64_t nitro_store_sample_checksum(const char *computation, const char *device,
                                     const nitro_sample *sample)
{
    uint64_t hash = add_text(add_text(add_text(0, computation), device), sample->input);
    for (size_t i = 0; i < sample->num_features; i++) {
        const uint64_t word = number_word(sample->features[i]);
        hash = add_words(hash, &word, 1);
    }
    for (size_t i = 0; i < sample->num_entries; i++) {
        const nitro_entry *entry = &sample->entries[i];
        const uint64_t words[] = {number_word(entry->median_ms), number_word(entry->spread),
                                  number_word(entry->prepare_ms), entry->count};
        hash = add_text(hash, nitro_outcome_name(entry->outcome));
        hash = add_words(hash, words, 4);
        hash = add_text(add_text(hash, entry->version), entry->detail);
    }
    hash = add_provenance(hash, &sample->provenance);
    const uint64_t counts[] = {sample->num_features, sample->num_entries,
                               (uint64_t)sample->provenance.time_s};
    return add_words(hash, counts, 3);
}

uint64_t nitro_store_profile_checksum(const char *device, const nitro_profile *profile)
{
    uint64_t hash = add_text(add_text(0, profile->computation), device);
    hash = add_text(add_text(hash, profile->name), profile->input);
    hash = add_text(hash, profile->kernel);
    for (size_t i = 0; i < profile->num_metrics; i++) {
        const uint64_t word = number_word(profile->metrics[i].value);
        hash = add_words(add_text(hash, profile->metrics[i].name), &word, 1);
    }
    hash = add_provenance(hash, &profile->provenance);
    const uint64_t counts[] = {profile->num_metrics, number_word(profile->intensity),
                               (uint64_t)profile->provenance.time_s};
    return add_words(hash, counts, 3);
}
