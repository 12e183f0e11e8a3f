/* generated_cases.h - checks of every module's generated inputs: deterministic in seed and index,
 * with unique names. */
#ifndef NITRO_TESTS_UNIT_COMPUTATIONS_GENERATED_CASES_H
#define NITRO_TESTS_UNIT_COMPUTATIONS_GENERATED_CASES_H

#include "unit/unit.h"

/* Of all that makes an input what it is; may fail where the input is not well formed. */
typedef uint64_t (*generated_hash)(const void *argument, const char *name);

static inline uint64_t generated_hash_of(nitro_context *context, const nitro_module *module,
                                         generated_hash hash, uint64_t seed, size_t index,
                                         char name[256])
{
    void *argument = NULL;
    assert_ok(context, module->generate(context, seed, index, name, 256, &argument));
    uint64_t made = hash(argument, name);
    module->unload(argument);
    return made;
}

/* Indices that are `num_families` apart are of one family, and differ. */
static inline void generated_check_same(const nitro_module *module, generated_hash hash,
                                        size_t num_families)
{
    nitro_context *context = unit_context();
    char name[256], again[256], only[256], other[256];
    for (size_t index = 0; index < num_families; index++) {
        uint64_t made = generated_hash_of(context, module, hash, 4, index, name);
        assert_true(made == generated_hash_of(context, module, hash, 4, index, again));
        assert_string_equal(name, again);
        assert_true(made != generated_hash_of(context, module, hash, 5, index, other));
        assert_true(made !=
                    generated_hash_of(context, module, hash, 4, index + num_families, other));
        /* the name alone, without the input */
        assert_ok(context, module->generate(context, 4, index, only, sizeof(only), NULL));
        assert_string_equal(name, only);
    }
    nitro_context_free(context);
}

/* Names of 1500 inputs; of them, so many have this in their name. */
static inline size_t generated_check_names(const nitro_module *module, const char *part)
{
    nitro_context *context = unit_context();
    nitro_string_list names = {0};
    char name[256];
    size_t count = 0;
    for (uint64_t seed = 0; seed < 3; seed++)
        for (size_t index = 0; index < 500; index++) {
            assert_ok(context, module->generate(context, seed, index, name, sizeof(name), NULL));
            assert_true(nitro_input_name_is_valid(name));
            count += strstr(name, part) != NULL;
            assert_ok(context, nitro_string_list_add(context, &names, name));
        }
    nitro_string_list_sort(&names);
    for (size_t i = 1; i < names.count; i++)
        assert_string_not_equal(names.items[i - 1], names.items[i]);
    nitro_string_list_free(&names);
    nitro_context_free(context);
    return count;
}

static inline void generated_check_room(const nitro_module *module)
{
    nitro_context *context = unit_context();
    char name[8] = "before";
    assert_fails(context, module->generate(context, 1, 0, name, sizeof(name), NULL),
                 NITRO_ERR_ARGUMENT, "there is room for 8");
    assert_string_equal(name, "before");
    nitro_context_free(context);
}

#endif
