/*
 * bundle.h - published bundles: a folder of files for any web server (docs/bundles.md).
 * A bundle has all samples and profiles of one computation on one device, as JSON lines under zstd,
 * named by the SHA-256 of its lines; an index lists all bundles. Everything read is untrusted:
 * sizes are bounded, checksums compared, every record checked.
 */
#ifndef NITRO_STORE_BUNDLE_BUNDLE_H
#define NITRO_STORE_BUNDLE_BUNDLE_H

#include <stdio.h>

#include "nitro/nitro_backend.h"

#define NITRO_BUNDLE_VERSION    1
#define NITRO_BUNDLE_INDEX_NAME "index.json"
#define NITRO_BUNDLE_FOLDER     "bundles"
#define NITRO_BUNDLE_SUFFIX     ".jsonl.zst"

/* Limits of a reader. */
#define NITRO_BUNDLE_MAX_INDEX_BYTES   ((uint64_t)64 << 20)
#define NITRO_BUNDLE_MAX_COUNT         100000
#define NITRO_BUNDLE_MAX_BYTES         ((uint64_t)1 << 30)
#define NITRO_BUNDLE_MAX_CONTENT_BYTES ((uint64_t)4 << 30)
#define NITRO_BUNDLE_MAX_LINE_BYTES    ((size_t)4 << 20)

#define NITRO_SHA256_HEX_BYTES 65

/** One bundle in an index. */
typedef struct nitro_bundle {
    char *computation; /* NULL: a device with the profiles of proxies */
    char *device;
    uint64_t samples, profiles;
    uint64_t damaged;                    /* records that were not written; not in an index */
    uint64_t bytes, content_bytes;       /* of the file, of the lines in it */
    char sha256[NITRO_SHA256_HEX_BYTES]; /* of the file */
    char content_sha256[NITRO_SHA256_HEX_BYTES]; /* of the lines */
} nitro_bundle;

/** In byte order of computations (NULL first), then of devices. */
typedef struct nitro_bundle_index {
    nitro_bundle *bundles; /* shape [count] */
    size_t count;
} nitro_bundle_index;

/* ---- bundle_index.c ------------------------------------------------------------------------- */

/** @return NITRO_OK; NITRO_ERR_FORMAT (with `origin` and field); NITRO_ERR_NEWER. */
nitro_status nitro_bundle_index_parse(nitro_context *context, const char *origin, const char *text,
                                      size_t size, nitro_bundle_index **index);
/** @return NITRO_OK; NITRO_ERR_FORMAT: more bundles than readers take; NITRO_ERR_NO_MEMORY. */
nitro_status nitro_bundle_index_print(nitro_context *context, const nitro_bundle_index *index,
                                      char **text, size_t *size);
void nitro_bundle_index_free(nitro_bundle_index *index);
void nitro_bundle_clear(nitro_bundle *bundle);
/** The order of an index, for qsort. */
int nitro_bundle_compare(const void *one, const void *other);
/** "COMPUTATION on DEVICE", for people; free with free(). */
char *nitro_bundle_title(nitro_context *context, const nitro_bundle *bundle);
/** "bundles/SHA256.jsonl.zst" below `folder`; free with free(). */
char *nitro_bundle_path(nitro_context *context, const char *folder, const nitro_bundle *bundle);

/* ---- bundle_write.c ------------------------------------------------------------------------- */

/**
 * Write all samples and profiles of a computation on a device (`computation` NULL: the device, and
 * its profiles of proxies) to a file.
 * @param[in]  path        of the file, for errors.
 * @param[in]  descriptor  of the empty file; closed, also on error.
 * @param[out] bundle  sizes, checksums and names, without signatures; nitro_bundle_clear() it.
 */
nitro_status nitro_bundle_write(nitro_store *store, const char *computation, const char *device,
                                const char *path, int descriptor, nitro_bundle *bundle);

/* ---- bundle_read.c -------------------------------------------------------------------------- */

/** Called for each record; functions may be NULL. An error ends the reading and is returned. */
typedef struct nitro_bundle_visitor {
    nitro_status (*schema)(void *user, const nitro_schema *schema);
    nitro_status (*device)(void *user, const nitro_device *device);
    nitro_status (*sample)(void *user, const nitro_sample *sample);
    nitro_profile_function profile;
    void *user;
} nitro_bundle_visitor;

/** NITRO_ERR_FORMAT: the file's size or SHA-256 differs from the index. */
nitro_status nitro_bundle_check_file(nitro_context *context, const char *path,
                                     const nitro_bundle *bundle);
/** SHA-256 and size of a whole file. */
nitro_status nitro_bundle_hash_file(nitro_context *context, const char *path,
                                    char sha256[NITRO_SHA256_HEX_BYTES], uint64_t *bytes);
/**
 * Read a bundle. Every record is checked before it is visited, but the bundle as a whole (checksum,
 * sizes, number of records) only at the end: read it once before records are used. Errors start
 * with `where`. @return NITRO_ERR_FORMAT: it is invalid, or differs from the index.
 */
nitro_status nitro_bundle_read(nitro_context *context, FILE *file, const char *where,
                               const nitro_bundle *bundle, const nitro_bundle_visitor *visitor);
nitro_status nitro_bundle_read_file(nitro_context *context, const char *path,
                                    const nitro_bundle *bundle,
                                    const nitro_bundle_visitor *visitor);

/* ---- sign.c ---------------------------------------------------------------------------------- */

#define NITRO_SIGNATURE_SUFFIX ".minisig"

/**
 * Sign a file into `path`.minisig. The same file, key and comment give the same bytes.
 * @param[in] comment  the trusted comment, which is signed too: one line of at most 8,191 bytes.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (a longer one); NITRO_ERR_NOT_FOUND (no such file);
 *         NITRO_ERR_IO.
 */
nitro_status nitro_sign_file(nitro_context *context, const nitro_signing_key *key, const char *path,
                             const char *comment);
/**
 * Did a trusted key sign this file?
 * @param[in]  signature  text of a .minisig file.
 * @param[out] signer     the key's comment, else its id; free with free(). May be NULL.
 * @return NITRO_OK; NITRO_ERR_FORMAT (not a hashed signature of minisign); NITRO_ERR_MISMATCH
 *         (another key, which the error names, one that expired or was revoked, or another file or
 *         trusted comment than was signed); NITRO_ERR_NOT_FOUND (no such file); NITRO_ERR_IO.
 */
nitro_status nitro_signature_check(nitro_context *context, const nitro_trusted_keys *keys,
                                   const char *path, const char *signature, size_t size,
                                   char **signer);

/* ---- bundle_source.c ------------------------------------------------------------------------ */

/** What is known of a bundle of a source: nothing yet, its file and records, or its refusal. */
typedef struct nitro_bundle_state {
    nitro_context *context;
    char *path;   /* once its file was downloaded and checked */
    char *signer; /* NULL: not checked */
    nitro_schema *schema;
    nitro_device *device;
    char *problem;       /* why it was refused */
    const char *reason;  /* the end of `problem`, which other bundles may share */
    nitro_status status; /* of the refusal */
    bool logged, noted;  /* the refusal: by itself, or to be counted with one of the same reason */
} nitro_bundle_state;

/** A published folder, local or on a server. */
typedef struct nitro_bundle_source {
    nitro_context *context;
    char *url;    /* without a trailing '/' */
    char *local;  /* path of the published folder; NULL: it is on a server */
    char *folder; /* with our copies: the cache, or a private folder for a local one */
    int lock;     /* of the private folder */
    bool quiet;   /* refusals are not logged: the caller reports them */
    const nitro_trusted_keys *keys; /* NULL: signatures are not checked */
    nitro_trusted_keys *own_keys;   /* to be freed; NULL: the caller's, or none */
    nitro_bundle_index *index;
    nitro_bundle_state *states; /* shape [index->count] */
} nitro_bundle_source;

/**
 * Read its index. `url` is "https://HOST/FOLDER", "http://..." or "file:FOLDER".
 * @param[in] keys  every bundle must be signed by one of them; NULL: by one of the default ones, if
 *                  there are any. Borrowed until the source is closed.
 * @param[in] allow_unsigned  do not check signatures.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND; NITRO_ERR_IO; NITRO_ERR_FORMAT; NITRO_ERR_NEWER;
 *         NITRO_ERR_NOT_BUILT.
 */
nitro_status nitro_bundle_source_open(nitro_context *context, const char *url,
                                      const nitro_trusted_keys *keys, bool allow_unsigned,
                                      nitro_bundle_source **source);
void nitro_bundle_source_close(nitro_bundle_source *source);
/**
 * Download and check a bundle the first time. A refused or missing one stays refused.
 * @param[out] path  borrowed; NULL: refused, and the others may be used.
 * @return NITRO_OK, also where it is refused; an error of the source as a whole.
 */
nitro_status nitro_bundle_source_get(nitro_bundle_source *source, size_t bundle, const char **path);

/** Refuse an accepted bundle too, for the context's last error. */
nitro_status nitro_bundle_source_refuse(nitro_bundle_source *source, size_t bundle,
                                        nitro_status status);

/* ---- bundle_store.c ------------------------------------------------------------------------- */

/** A published folder as an open store of its valid bundles, whose refusals are not logged.
 *  @param[out] source  borrowed until the store is closed. */
nitro_status nitro_bundle_store_open(nitro_context *context, const char *url,
                                     const nitro_trusted_keys *keys, bool allow_unsigned,
                                     nitro_store **store, nitro_bundle_source **source);

#endif
