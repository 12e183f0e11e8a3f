/* tool.h - programs of the toolkits whose output is read. */
#ifndef NITRO_PROXIES_KERNELS_TOOL_H
#define NITRO_PROXIES_KERNELS_TOOL_H

#include "nitro/nitro_backend.h"

typedef nitro_status (*nitro_tool_line)(void *user, const char *line);

/**
 * Run a program, found on PATH, and hand on what it prints, line by line, with its own complaints.
 * @param[in] arguments  the program and its arguments, ended by NULL. No shell sees them.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (no such program); NITRO_ERR_IO: it failed, and the error
 *         holds the last line that begins with its name; what `each` returned.
 */
nitro_status nitro_tool_run(nitro_context *context, const char *const *arguments,
                            nitro_tool_line each, void *user);

#endif
