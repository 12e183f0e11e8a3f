/* Lists of names for messages, which say where something was left out. */
#include "nitro/nitro_backend.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MORE ", ..."

static bool ends_in_more(const char *text, size_t length)
{
    return length >= strlen(MORE) && strcmp(text + length - strlen(MORE), MORE) == 0;
}

void nitro_message_list_add(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text), begin = used > 0 ? used + 2 : 0;
    if (ends_in_more(text, used))
        return;
    va_list arguments;
    va_start(arguments, format);
    int length = begin < size ? vsnprintf(text + begin, size - begin, format, arguments) : -1;
    va_end(arguments);
    if (length >= 0 && begin + (size_t)length + strlen(MORE) < size) {
        if (used > 0)
            memcpy(text + used, ", ", 2);
        return;
    }
    strcpy(text + used, used > 0 ? MORE : "...");
}
