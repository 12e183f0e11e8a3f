/* Any bytes as a record of either form: what decodes must encode to a record that encodes to the
 * same bytes again. The first byte selects the sort; 'p' is a sample in two parts, the size of the
 * shared one in the second byte, whose checksum is set: else none of its structure would be
 * reached. */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "nitro/nitro_backend.h"

/* The names that samples are read by. */
static nitro_schema *make_names(nitro_context *context)
{
    nitro_schema *schema = NULL;
    require(nitro_schema_create(context, "spmv", &schema) == NITRO_OK);
    require(nitro_schema_add_feature(context, schema, "rows", "rows", NITRO_SCALE_LOG) == NITRO_OK);
    require(nitro_schema_add_feature(context, schema, "fill", "1", NITRO_SCALE_AUTO) == NITRO_OK);
    require(nitro_schema_add_variant(context, schema, "csr") == NITRO_OK);
    require(nitro_schema_add_variant(context, schema, "ell") == NITRO_OK);
    return schema;
}

/* Decode and encode in the same form; false: refused. */
static bool again(nitro_context *context, const nitro_schema *names, char sort, const char *bytes,
                  size_t size, nitro_record_bytes *copy)
{
    bool is_json = size > 0 && bytes[0] == '{';
    nitro_record_form form = is_json ? NITRO_RECORD_JSON : NITRO_RECORD_COMPACT;
    nitro_schema *schema = NULL;
    nitro_device *device = NULL;
    nitro_sample *sample = NULL;
    nitro_profile *profile = NULL;
    nitro_status status = NITRO_ERR_FORMAT;
    if (sort == 'c' &&
        nitro_record_decode_schema(context, "fuzz", "spmv", bytes, size, &schema) == NITRO_OK)
        status = nitro_record_encode_schema(context, form, schema, copy);
    if (sort == 'd' &&
        nitro_record_decode_device(context, "fuzz", "K20", bytes, size, &device) == NITRO_OK)
        status = nitro_record_encode_device(context, form, device, copy);
    if (sort == 's' &&
        nitro_record_decode_sample(context, "fuzz", names, "K20", is_json ? NULL : "input-000",
                                   bytes, size, &sample) == NITRO_OK)
        status = nitro_record_encode_sample(context, form, "spmv", "K20", sample, copy);
    if ((sort == 'v' || sort == 'x') &&
        nitro_record_decode_profile(context, "fuzz", sort == 'v' ? names : NULL, "K20", NULL, bytes,
                                    size, &profile) == NITRO_OK)
        status = nitro_record_encode_profile(context, form, "K20", profile, copy);
    nitro_profile_free(profile);
    nitro_schema_free(schema);
    nitro_device_free(device);
    nitro_sample_free(sample);
    return status == NITRO_OK;
}

/* Every sample has one encoding. */
static void check_parts(nitro_context *context, const nitro_schema *names, const uint8_t *data,
                        size_t size)
{
    const char *const key[] = {"spmv", "K20", "input-000"};
    size_t shared_size = size > 0 && data[0] < size ? data[0] : 0;
    size_t own_size = size - shared_size - (size > 0) + NITRO_SAMPLE_CHECKSUM_BYTES;
    const uint8_t *shared = data + (size > 0);
    nitro_record_bytes own = {0}, own_again = {0}, shared_again = {0};
    nitro_sample *sample = NULL;
    uint64_t hash = 0;
    for (int i = 0; i < 3; i++)
        hash = nitro_hash(key[i], strlen(key[i]) + 1, hash);
    hash = nitro_hash(shared, shared_size, hash);
    hash = nitro_hash(shared + shared_size, own_size - NITRO_SAMPLE_CHECKSUM_BYTES, hash);
    const char checksum[NITRO_SAMPLE_CHECKSUM_BYTES] = {(char)hash, (char)(hash >> 8),
                                                        (char)(hash >> 16), (char)(hash >> 24)};
    require(nitro_record_bytes_append(context, &own, checksum, sizeof(checksum)) == NITRO_OK);
    require(nitro_record_bytes_append(context, &own, shared + shared_size,
                                      own_size - sizeof(checksum)) == NITRO_OK);
    if (nitro_record_decode_sample_parts(context, "fuzz", names, "K20", "input-000", own.bytes,
                                         own.size, shared, shared_size, &sample) == NITRO_OK) {
        require(nitro_record_encode_sample_parts(context, "spmv", "K20", sample, &own_again,
                                                 &shared_again) == NITRO_OK);
        require(own.size == own_again.size && shared_size == shared_again.size);
        require(memcmp(own.bytes, own_again.bytes, own.size) == 0);
        require(memcmp(shared, shared_again.bytes, shared_size) == 0);
    }
    nitro_sample_free(sample);
    nitro_record_bytes_free(&own);
    nitro_record_bytes_free(&own_again);
    nitro_record_bytes_free(&shared_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    nitro_record_bytes once = {0}, twice = {0};
    if (size == 0)
        return 0;
    require(nitro_context_create(&context) == NITRO_OK);
    nitro_schema *names = make_names(context);
    char sort = (char)data[0];
    if (sort == 'p')
        check_parts(context, names, data + 1, size - 1);
    if (again(context, names, sort, (const char *)data + 1, size - 1, &once)) {
        require(again(context, names, sort, once.bytes, once.size, &twice));
        require(once.size == twice.size && memcmp(once.bytes, twice.bytes, once.size) == 0);
    }
    nitro_record_bytes_free(&once);
    nitro_record_bytes_free(&twice);
    nitro_schema_free(names);
    nitro_context_free(context);
    return 0;
}
