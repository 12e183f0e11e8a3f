/* Splits lines into words and parses numbers. Decimal numbers of up to 15 digits are exact
 * products or quotients of two doubles (Clinger's fast path) and need no library call; others use
 * strtod. */
#include "apps/matrix/token.h"

#include <string.h>
#include <strings.h>

#include "nitro/nitro_backend.h"

#define MAX_INTEGER_DIGITS 18
#define MAX_NUMBER_LENGTH  511
#define EXACT_MANTISSA     (UINT64_C(1) << 53)
#define EXACT_POWER        22
#define EXACT_LENGTH       40 /* longer numbers are rare */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\n';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool nitro_token_next(const char **at, const char *end, nitro_token *token)
{
    const char *begin = *at;
    while (begin < end && is_space(*begin))
        begin++;
    const char *stop = begin;
    while (stop < end && !is_space(*stop))
        stop++;
    *at = stop;
    *token = (nitro_token){.text = begin, .length = (size_t)(stop - begin)};
    return stop > begin;
}

bool nitro_token_is(const nitro_token *token, const char *word)
{
    return strlen(word) == token->length && strncasecmp(token->text, word, token->length) == 0;
}

const char *nitro_token_show(const nitro_token *token, char shown[NITRO_TOKEN_SHOWN])
{
    size_t room = NITRO_TOKEN_SHOWN - sizeof("...");
    size_t length = token->length < room ? token->length : room;
    for (size_t i = 0; i < length; i++)
        shown[i] = token->text[i] >= ' ' && token->text[i] <= '~' ? token->text[i] : '?';
    strcpy(shown + length, length < token->length ? "..." : "");
    return shown;
}

bool nitro_token_integer(const nitro_token *token, int64_t *value)
{
    size_t i = token->text[0] == '-' || token->text[0] == '+';
    if (token->length == i || token->length - i > MAX_INTEGER_DIGITS)
        return false;
    int64_t magnitude = 0;
    for (; i < token->length; i++) {
        if (!is_digit(token->text[i]))
            return false;
        magnitude = magnitude * 10 + (token->text[i] - '0');
    }
    *value = token->text[0] == '-' ? -magnitude : magnitude;
    return true;
}

/* A parsed number: digits * 10^power. */
typedef struct decimal {
    bool negative;
    uint64_t digits;
    int power;
} decimal;

/* Digits with an optional decimal point; false if there are none, or too many to be exact. */
static bool read_digits(const char **at, const char *end, decimal *number)
{
    bool any = false, after_point = false;
    for (; *at < end; ++*at) {
        if (**at == '.' && !after_point) {
            after_point = true;
            continue;
        }
        if (!is_digit(**at))
            break;
        any = true;
        number->digits = number->digits * 10 + (uint64_t)(**at - '0');
        number->power -= after_point;
        if (number->digits > EXACT_MANTISSA)
            return false;
    }
    return any;
}

/* Fast path; false: use strtod. */
static bool exact_number(const nitro_token *token, double *value)
{
    static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = token->text, *end = token->text + token->length;
    decimal number = {.negative = *at == '-'};
    at += *at == '-' || *at == '+';
    if (token->length > EXACT_LENGTH || !read_digits(&at, end, &number))
        return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        nitro_token exponent = {.text = at + 1, .length = (size_t)(end - at - 1)};
        int64_t power;
        if (exponent.length == 0 || exponent.length > 4 || !nitro_token_integer(&exponent, &power))
            return false;
        number.power += (int)power;
        at = end;
    }
    if (at < end || number.power > EXACT_POWER || number.power < -EXACT_POWER)
        return false;
    double magnitude = (double)number.digits;
    magnitude =
        number.power < 0 ? magnitude / powers[-number.power] : magnitude * powers[number.power];
    *value = number.negative ? -magnitude : magnitude;
    return true;
}

bool nitro_token_number(const nitro_token *token, double *value)
{
    if (exact_number(token, value))
        return true;
    char text[MAX_NUMBER_LENGTH + 1];
    if (token->length > MAX_NUMBER_LENGTH)
        return false;
    memcpy(text, token->text, token->length);
    text[token->length] = '\0';
    /* no hexadecimal numbers, names of infinity, or '\0' in the middle */
    return strspn(text, "0123456789+-.eE") == token->length && nitro_parse_number(text, value);
}
