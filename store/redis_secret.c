/* Credentials from the environment or from a file of the user's own. The URL comes first, for it is
 * what the user typed; a file that others may read is refused, as ssh refuses such keys. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/redis_secret.h"

#define MAX_SECRET_BYTES 4096

static nitro_status check_file(nitro_context *context, const char *path, int descriptor)
{
    struct stat file;
    if (fstat(descriptor, &file) != 0)
        return nitro_fail(context, NITRO_ERR_IO, "%s: cannot tell whose it is: %s", path,
                          strerror(errno));
    if (!S_ISREG(file.st_mode))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: NITRO_REDIS_PASSWORD_FILE is not a plain file", path);
    if (file.st_mode & (S_IRWXG | S_IRWXO))
        return nitro_fail(
            context, NITRO_ERR_ARGUMENT,
            "%s: the password file may be read or written by others (mode %03o); run: "
            "chmod 600 %s",
            path, (unsigned)(file.st_mode & 0777), path);
    return NITRO_OK;
}

/* The first line. */
static nitro_status read_line(nitro_context *context, const char *path, int descriptor, char **line)
{
    char text[MAX_SECRET_BYTES + 1];
    ssize_t size = read(descriptor, text, MAX_SECRET_BYTES);
    if (size < 0)
        return nitro_fail(context, NITRO_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
    text[size] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    nitro_status status = NITRO_OK;
    if (text[0] == '\0')
        status = nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: the password file is empty", path);
    else if (!(*line = nitro_strdup(context, text)))
        status = NITRO_ERR_NO_MEMORY;
    explicit_bzero(text, sizeof(text));
    return status;
}

static nitro_status read_file(nitro_context *context, const char *path, char **password)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return nitro_fail(context, errno == ENOENT ? NITRO_ERR_NOT_FOUND : NITRO_ERR_IO,
                          "%s: cannot open the file that NITRO_REDIS_PASSWORD_FILE names: %s", path,
                          strerror(errno));
    nitro_status status = check_file(context, path, descriptor);
    if (status == NITRO_OK)
        status = read_line(context, path, descriptor, password);
    close(descriptor);
    return status;
}

static nitro_status copy_environment(nitro_context *context, const char *name, char **copy)
{
    const char *value = getenv(name);
    if (*copy || !value || !value[0])
        return NITRO_OK;
    *copy = nitro_strdup(context, value);
    return *copy ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

nitro_status nitro_redis_secret_complete(nitro_context *context, redis_url *url)
{
    if (url->password)
        return NITRO_OK;
    const char *path = getenv("NITRO_REDIS_PASSWORD_FILE");
    nitro_status status = copy_environment(context, "NITRO_REDIS_USER", &url->user);
    if (status == NITRO_OK)
        status = copy_environment(context, "NITRO_REDIS_PASSWORD", &url->password);
    if (status == NITRO_OK && !url->password && path && path[0])
        status = read_file(context, path, &url->password);
    if (status == NITRO_OK && url->user && !url->password)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: a user is named, but no password; set NITRO_REDIS_PASSWORD or "
                          "NITRO_REDIS_PASSWORD_FILE",
                          url->shown);
    return status;
}
