/* kernel_name.h - what people call a kernel. */
#ifndef NITRO_PROXIES_PROFILERS_KERNEL_NAME_H
#define NITRO_PROXIES_PROFILERS_KERNEL_NAME_H

#include <stddef.h>

/** Of a mangled C++ name the function's own name, without namespaces, template arguments and
 *  parameters; any other text as it is. `text` has shape [size]; what does not fit is cut off. */
void nitro_kernel_name(const char *symbol, char *text, size_t size);

#endif
