/* code_digest.h - the machine code of a function and of what it calls, as a number. Internal to
 * nitro/. */
#ifndef NITRO_MEASURE_CODE_DIGEST_H
#define NITRO_MEASURE_CODE_DIGEST_H

#include "nitro/nitro_backend.h"

/**
 * A digest of a function's code and of the functions in the same object that it reaches: another
 * one if the code was changed, or compiled by another compiler or with other options; the same if
 * only other code in the object changed.
 * @return false: unknown, on processors other than x86-64 and AArch64, or the object has no unwind
 *         table.
 */
bool nitro_code_digest(const void *function, uint64_t *digest);

#endif
