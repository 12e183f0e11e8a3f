/* token.h - splits a line into words and parses numbers. */
#ifndef NITRO_APPS_MATRIX_TOKEN_H
#define NITRO_APPS_MATRIX_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Characters without white space, not terminated; borrowed from the text. */
typedef struct nitro_token {
    const char *text;
    size_t length;
} nitro_token;

/** Size of a token in errors. */
#define NITRO_TOKEN_SHOWN 48

/** The next token from *at on; advances *at past it. False: none before `end`. */
bool nitro_token_next(const char **at, const char *end, nitro_token *token);

/** Equal, ignoring case? */
bool nitro_token_is(const nitro_token *token, const char *word);

/** For errors: truncated, unprintable bytes as '?'. Returns `shown`. */
const char *nitro_token_show(const nitro_token *token, char shown[NITRO_TOKEN_SHOWN]);

/** A decimal integer of up to 18 digits, with or without a sign. */
bool nitro_token_integer(const nitro_token *token, int64_t *value);

/** A finite decimal number, correctly rounded; up to 511 characters. */
bool nitro_token_number(const nitro_token *token, double *value);

#endif
