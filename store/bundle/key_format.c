/* key_format.c - lines, base64 and ids of keys and signatures. */
#include "store/bundle/key_format.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

nitro_status nitro_key_require_library(nitro_context *context)
{
    if (sodium_init() >= 0) /* thread-safe; 1 when it was done before */
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_IO, "libsodium cannot be used: no source of randomness");
}

char *nitro_key_next_line(char **rest)
{
    char *line = *rest;
    if (*line == '\0')
        return NULL;
    size_t length = strcspn(line, "\n");
    *rest = line + length + (line[length] == '\n');
    line[length] = '\0';
    if (length > 0 && line[length - 1] == '\r')
        line[length - 1] = '\0';
    return line;
}

const char *nitro_key_comment_of(const char *line, const char *label)
{
    size_t length = strlen(label);
    return line && strncmp(line, label, length) == 0 ? line + length : NULL;
}

bool nitro_key_decode(const char *line, void *bytes, size_t size)
{
    size_t length = 0;
    const char *end = NULL;
    return line &&
           sodium_base642bin(bytes, size, line, strlen(line), NULL, &length, &end, BASE64) == 0 &&
           length == size && *end == '\0';
}

const char *nitro_key_encode(const void *bytes, size_t size, char text[BASE64_BYTES])
{
    return sodium_bin2base64(text, BASE64_BYTES, bytes, size, BASE64);
}

const char *nitro_key_print_id(const key_id *id, char text[17])
{
    for (size_t i = 0; i < sizeof(id->bytes); i++)
        snprintf(text + 2 * i, 3, "%02X", id->bytes[sizeof(id->bytes) - 1 - i]);
    return text;
}

bool nitro_key_is_date(const char *text)
{
    static const char form[] = "0000-00-00";
    size_t i = 0;
    while (form[i] && (form[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == form[i]))
        i++;
    if (form[i] != '\0' || text[i] != '\0')
        return false;
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = atoi(text), month = atoi(text + 5), day = atoi(text + 8);
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] + (month == 2 && is_leap);
}

bool nitro_key_is_past(const char *expires)
{
    char today[11];
    struct tm day;
    time_t now = time(NULL);
    return expires && gmtime_r(&now, &day) &&
           strftime(today, sizeof(today), "%Y-%m-%d", &day) > 0 && strcmp(today, expires) > 0;
}
