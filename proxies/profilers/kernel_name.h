/* kernel_name.h - kernels' readable names. */
#ifndef NITRO_PROXIES_PROFILERS_KERNEL_NAME_H
#define NITRO_PROXIES_PROFILERS_KERNEL_NAME_H

#include <stddef.h>

/** The function's own name in a mangled C++ name, without namespaces, template arguments and
 * parameters; other text unchanged. Truncated to `text`, shape [size]. */
void nitro_kernel_name(const char *symbol, char *text, size_t size);

#endif
