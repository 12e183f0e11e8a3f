/* closest.h - "; did you mean 'model:k20c'?" for errors about names. */
#ifndef NITRO_BASE_CLOSEST_H
#define NITRO_BASE_CLOSEST_H

#include "nitro/nitro_backend.h"

/** Write the question to `text`, shape [size]; "" if no name is close. @return text. */
const char *nitro_suggestion(const nitro_string_list *names, const char *word, char *text,
                             size_t size);

#endif
