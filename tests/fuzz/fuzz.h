/* fuzz.h - what fuzz targets share: their one function, and what must hold for any input. */
#ifndef NITRO_TESTS_FUZZ_FUZZ_H
#define NITRO_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool holds)
{
    if (!holds)
        abort();
}

#endif
