/* settings.h - settings of the program: from the environment, a file, or set. Part of
 * nitro_backend.h. */
#ifndef NITRO_BACKEND_SETTINGS_H
#define NITRO_BACKEND_SETTINGS_H

#include "nitro/backend/basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A setting and its valid values. */
typedef struct nitro_setting {
    const char *name;        /* "model" */
    const char *environment; /* "NITRO_MODEL" */
    const char *value;       /* the value's placeholder in help: "PATH" */
    const char *standard;    /* the default; NULL: none */
    const char *help;
    const char *const *choices; /* the values allowed, ended by NULL; NULL: any text */
    bool is_name;               /* "" or a valid name */
    bool is_number;
    bool is_whole;           /* a number without a fraction */
    double minimum, maximum; /* of numbers */
} nitro_setting;

/** The whole table, ended by a NULL name. */
NITRO_API const nitro_setting *nitro_setting_table(void);

/** Maximum size of a setting's value, including '\0'. */
#define NITRO_SETTING_MAX_BYTES 4096

typedef enum nitro_setting_origin {
    NITRO_SETTING_DEFAULT,
    NITRO_SETTING_FILE,
    NITRO_SETTING_ENVIRONMENT,
    NITRO_SETTING_PROGRAM
} nitro_setting_origin;

/** "default", "file", "environment", "program". */
NITRO_API const char *nitro_setting_origin_name(nitro_setting_origin origin);

typedef struct nitro_setting_value {
    char text[NITRO_SETTING_MAX_BYTES]; /* "": none */
    nitro_setting_origin origin;
    char where[NITRO_SETTING_MAX_BYTES]; /* the variable, or FILE:LINE; else "" */
} nitro_setting_value;

/**
 * Look up a setting for a computation (NULL: for all).
 * @return NITRO_OK; NITRO_ERR_FORMAT (no such setting; a malformed value and its location).
 */
NITRO_API nitro_status nitro_setting_get(nitro_context *context, const char *computation,
                                         const char *setting, nitro_setting_value *value);

#ifdef __cplusplus
}
#endif

#endif
