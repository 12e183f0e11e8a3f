/* Checks that names can be stored, printed and used in file names; makes any text printable. */
#include <stdint.h>
#include <string.h>

#include "nitro/nitro_backend.h"

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-"
#define MAX_NAME        63
#define MAX_METRIC_NAME 127
#define MAX_INPUT_NAME  511

static bool consists_of(const char *text, const char *characters, size_t max_length)
{
    size_t length = text ? strlen(text) : 0;
    return length >= 1 && length <= max_length && strspn(text, characters) == length;
}

bool nitro_name_is_valid(const char *name)
{
    return consists_of(name, NAME_CHARACTERS, MAX_NAME);
}

bool nitro_device_id_is_valid(const char *id)
{
    return consists_of(id, NAME_CHARACTERS ":@", MAX_NAME);
}

bool nitro_metric_name_is_valid(const char *name)
{
    return consists_of(name, NAME_CHARACTERS, MAX_METRIC_NAME);
}

/* Length of the UTF-8 sequence at `text`; 0 if malformed, overlong or a surrogate. */
static size_t utf8_length(const unsigned char *text)
{
    if (text[0] < 0x80)
        return 1;
    size_t length = text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (text[0] < 0xC2 || text[0] > 0xF4)
        return 0;
    uint32_t point = text[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        point = (point << 6) | (text[i] & 0x3Fu);
    }
    bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
    bool is_c1_control = point < 0xA0;
    if (point < smallest[length] || point > 0x10FFFF || is_surrogate || is_c1_control)
        return 0;
    return length;
}

/* The first byte from `at` on that is not valid UTF-8 or a control character, or the end. */
static const unsigned char *skip_printable(const unsigned char *at, const char *allowed_controls)
{
    while (*at) {
        if (*at >= 0x20 && *at < 0x7F) { /* fast path for ASCII */
            at++;
            continue;
        }
        bool is_control = *at < 0x20 || *at == 0x7F;
        size_t length = utf8_length(at);
        if (length == 0 || (is_control && !strchr(allowed_controls, *at)))
            break;
        at += length;
    }
    return at;
}

static bool is_utf8(const char *text, const char *allowed_controls)
{
    return *skip_printable((const unsigned char *)text, allowed_controls) == '\0';
}

void nitro_text_clean(char *text, const char *allowed_controls)
{
    unsigned char *at = (unsigned char *)text;
    for (;;) {
        at += skip_printable(at, allowed_controls) - at;
        if (*at == '\0')
            return;
        *at++ = '?';
    }
}

bool nitro_input_name_is_valid(const char *name)
{
    return name && name[0] != '\0' && strnlen(name, MAX_INPUT_NAME + 1) <= MAX_INPUT_NAME &&
           is_utf8(name, "");
}

bool nitro_text_is_valid(const char *text, size_t max_bytes)
{
    return strlen(text) <= max_bytes && is_utf8(text, "\n\t");
}
