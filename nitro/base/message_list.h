/* message_list.h - lists of names for messages: "a, b, ...". Internal to nitro/. */
#ifndef NITRO_BASE_MESSAGE_LIST_H
#define NITRO_BASE_MESSAGE_LIST_H

#include "nitro/nitro_backend.h"

/** Append an item to a list, which begins as "". Items for which there is no room are left out,
 * and the list then ends in "...". */
void nitro_message_list_add(char *text, size_t size, const char *format, ...) NITRO_PRINTF(3, 4);

#endif
