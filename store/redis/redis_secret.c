/* Credentials from the environment or from a file of the user. Those in the URL have precedence. */
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_secret.h"

#define MAX_SECRET_BYTES 4096

/* The first line. */
static nitro_status read_file(nitro_context *context, const char *path, char **password)
{
    char text[MAX_SECRET_BYTES + 1];
    nitro_status status = nitro_file_read_private(context, path, text, sizeof(text));
    if (status != NITRO_OK)
        return status;
    text[strcspn(text, "\r\n")] = '\0';
    if (text[0] == '\0')
        status = nitro_fail(context, NITRO_ERR_ARGUMENT,
                            "%s: the file that NITRO_REDIS_PASSWORD_FILE names has an empty first "
                            "line; write the password there",
                            path);
    else if (!(*password = nitro_strdup(context, text)))
        status = NITRO_ERR_NO_MEMORY;
    explicit_bzero(text, sizeof(text));
    return status;
}

static nitro_status copy_environment(nitro_context *context, const char *name, char **copy)
{
    const char *value = secure_getenv(name);
    if (*copy || !value || !value[0])
        return NITRO_OK;
    *copy = nitro_strdup(context, value);
    return *copy ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

nitro_status nitro_redis_secret_complete(nitro_context *context, redis_url *url)
{
    if (url->password)
        return NITRO_OK;
    const char *path = secure_getenv("NITRO_REDIS_PASSWORD_FILE");
    nitro_status status = copy_environment(context, "NITRO_REDIS_USER", &url->user);
    if (status == NITRO_OK)
        status = copy_environment(context, "NITRO_REDIS_PASSWORD", &url->password);
    if (status == NITRO_OK && !url->password && path && path[0])
        status = read_file(context, path, &url->password);
    if (status == NITRO_OK && url->user && !url->password)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: the URL or NITRO_REDIS_USER names a user, but there is no password; "
                          "set NITRO_REDIS_PASSWORD or "
                          "NITRO_REDIS_PASSWORD_FILE",
                          url->shown);
    return status;
}
