/* c_compiler.h - runs the machine's C compiler. Internal to nitro/. */
#ifndef NITRO_KERNELS_C_COMPILER_H
#define NITRO_KERNELS_C_COMPILER_H

#include "nitro/nitro_backend.h"

/** Words before the caller's, NULL-ended ones. */
#define NITRO_C_MAX_WORDS 160

/** Limits of $CC, which may be several words: "ccache gcc". */
#define NITRO_C_COMPILER_WORDS 16
#define NITRO_C_COMPILER_BYTES 1024

/** $CC, or "cc". */
const char *nitro_c_compiler(void);

/**
 * "cc -O2 -shared -fPIC"; the words of $CC come first.
 * @param[out] text   shape [NITRO_C_COMPILER_BYTES]: holds those of $CC.
 * @param[out] words  shape [NITRO_C_MAX_WORDS].
 * @param[out] count  of words.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT: $CC is too long.
 */
nitro_status nitro_c_compiler_words(nitro_context *context, char *text, char **words,
                                    size_t *count);

/** Changes with $CC, and with an upgrade of the compiler or of what runs it ("ccache gcc").
 *  @return as nitro_c_compiler_words. */
nitro_status nitro_c_compiler_digest(nitro_context *context, uint64_t *digest);

#define NITRO_C_PATH_BYTES 4112 /* of a file in the folder */

/** nitro_private_folder_make for what is compiled and loaded.
 *  @return also NITRO_ERR_IO: no code can be loaded from there. */
nitro_status nitro_c_folder(nitro_context *context, const char *prefix, char **path, int *lock);

/**
 * Run a command of words, ended by NULL, in a child process.
 * @param[in]  messages  path of a file for what the compiler says, in the folder that its
 *                       temporary files go to.
 * @param[out] compiled  false: it failed, crashed or took too long: the code is invalid.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND: there is no such compiler.
 */
nitro_status nitro_c_compile(nitro_context *context, char **words, const char *messages,
                             bool *compiled);

/** The first messages of the compiler, made printable; "": none. */
void nitro_c_messages(nitro_context *context, const char *messages, char *text, size_t size);

#endif
