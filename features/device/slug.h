/* slug.h - turns vendors' product names into parts of device ids. */
#ifndef NITRO_FEATURES_DEVICE_SLUG_H
#define NITRO_FEATURES_DEVICE_SLUG_H

#include <stddef.h>

/**
 * Append a word to a slug: lower case, '-' for what is neither letter nor digit, without (R), (TM).
 * @param[in,out] slug  shape [max_length], not ended; @param[in] used  of it.
 * @return how much is used now.
 */
size_t nitro_slug_append(char *slug, size_t max_length, size_t used, const char *word,
                         size_t length);

#endif
