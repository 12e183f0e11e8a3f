/* token.h - the words of a line, and the numbers they spell. */
#ifndef NITRO_APPS_SPMV_TOKEN_H
#define NITRO_APPS_SPMV_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Characters without white space, not terminated; borrowed from the text. */
typedef struct nitro_spmv_token {
    const char *text;
    size_t length;
} nitro_spmv_token;

/** Room for a token as errors show it. */
#define NITRO_SPMV_TOKEN_SHOWN 48

/** The next token from *at on; *at moves past it. False when there is none before `end`. */
bool nitro_spmv_token_next(const char **at, const char *end, nitro_spmv_token *token);

/** Equal, whatever the case of the letters? */
bool nitro_spmv_token_is(const nitro_spmv_token *token, const char *word);

/** For errors: cut to size, what cannot be printed as '?'. Returns `shown`. */
const char *nitro_spmv_token_show(const nitro_spmv_token *token,
                                  char shown[NITRO_SPMV_TOKEN_SHOWN]);

/** A decimal integer of up to 18 digits, with or without a sign. */
bool nitro_spmv_token_integer(const nitro_spmv_token *token, int64_t *value);

/** A finite decimal number, correctly rounded; up to 511 characters. */
bool nitro_spmv_token_number(const nitro_spmv_token *token, double *value);

#endif
