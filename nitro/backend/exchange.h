/* exchange.h - imports, exports, publishes and downloads data. Part of nitro_backend.h. */
#ifndef NITRO_BACKEND_EXCHANGE_H
#define NITRO_BACKEND_EXCHANGE_H

#include "nitro/backend/stores.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Keys for signing (store/bundle/) ---------------------------------------------------------
 */

/**
 * Ed25519 keys in minisign's formats: `minisign -V -p lab.key.pub -m FILE` verifies what lab.key
 * signed. In a build without libsodium and zstd every function but _free is NITRO_ERR_NOT_BUILT.
 */
typedef struct nitro_signing_key nitro_signing_key;
typedef struct nitro_trusted_keys nitro_trusted_keys;

/**
 * Make a key pair: the secret key in `path` (mode 0600, not encrypted), the public one in
 * `path`.pub.
 * @param[in] name     the owner, shown when a signature is checked; valid as a device id.
 * @param[in] expires  the last day on which readers take its signatures, "YYYY-MM-DD" in UTC; NULL:
 *                     there is none. Written into the public half, after the name.
 * @return NITRO_OK; NITRO_ERR_EXISTS (a file is there: it is never overwritten);
 * NITRO_ERR_ARGUMENT; NITRO_ERR_IO.
 */
NITRO_API nitro_status nitro_signing_key_create(nitro_context *context, const char *path,
                                                const char *name, const char *expires);
/** @return as nitro_file_read_private; NITRO_ERR_FORMAT (no secret key, or an encrypted one). */
NITRO_API nitro_status nitro_signing_key_read(nitro_context *context, const char *path,
                                              nitro_signing_key **key);
NITRO_API void nitro_signing_key_free(nitro_signing_key *key);

/**
 * Read public keys to trust: .pub files, one after the other; `#` starts a comment line. Keys in
 * the list of the setting revoked_keys, which one of the trusted ones must have signed, sign
 * nothing.
 * @return NITRO_OK; NITRO_ERR_FORMAT (with file and line; also where there is no key at all);
 *         NITRO_ERR_MISMATCH (the list's signature); NITRO_ERR_IO (also: there is no such list).
 */
NITRO_API nitro_status nitro_trusted_keys_read(nitro_context *context, const char *path,
                                               nitro_trusted_keys **keys);
/** The keys of the setting trusted_keys, or of nitro/trusted-keys in $XDG_CONFIG_HOME.
 *  @param[out] keys  NULL: neither is there. */
NITRO_API nitro_status nitro_trusted_keys_read_default(nitro_context *context,
                                                       nitro_trusted_keys **keys);
/** @param[in] origin  the name of the text in errors. */
NITRO_API nitro_status nitro_trusted_keys_parse(nitro_context *context, const char *origin,
                                                const char *text, size_t size,
                                                nitro_trusted_keys **keys);
NITRO_API void nitro_trusted_keys_free(nitro_trusted_keys *keys);

/**
 * Add public keys to a list for its readers' setting revoked_keys, and sign it (`path`.minisig).
 * The signature is written first: if writing the list fails, the same call completes it later.
 * @param[in] path  of the list; created if missing.
 * @param[in] keys  paths of .pub files.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND; NITRO_ERR_FORMAT; NITRO_ERR_IO; NITRO_ERR_MISMATCH (the
 *         list is not what its signature says, or another key signed it).
 */
NITRO_API nitro_status nitro_revoked_keys_add(nitro_context *context, const char *path,
                                              const nitro_string_list *keys,
                                              const nitro_signing_key *signer);

/* ---- Importing and exporting ---------------------------------------------------------------- */

/** Samples of a recorded device in CSV: one row an input, times in columns `time_ms:VARIANT`. Where
 *  a variant has no time, the column has the outcome (nitro_outcome_name), or nothing. Columns
 *  `prepare_ms:VARIANT` and `feature_ms:FEATURE` have costs as in nitro_sample, or nothing. */
typedef struct nitro_import_options {
    const char *computation;
    const char *device;
    const char *samples_path;
    const char *devices_path;              /* NULL: the store's device, or one without features */
    const nitro_string_list *features;     /* NULL: the description's, else all other columns */
    const nitro_string_list *variants;     /* NULL: every time_ms: column */
    const nitro_string_list *log_features; /* to scale logarithmically; NULL: none */
    const char *description_path;          /* of the schema of a new computation; NULL: none */
    bool replace;
} nitro_import_options;

typedef struct nitro_import_report {
    size_t added, replaced;
    size_t missing_values; /* missing times */
    size_t without_times;  /* inputs without any time: stored all the same */
} nitro_import_report;

/**
 * Check everything, then write schema, device and samples in one transaction.
 * @param[out] report  may be NULL.
 * @return NITRO_OK; NITRO_ERR_IO; NITRO_ERR_FORMAT (with file, line and column);
 *         NITRO_ERR_ARGUMENT (an invalid name); NITRO_ERR_NOT_FOUND (a file, or the device's row);
 *         NITRO_ERR_MISMATCH (the store has other features or variants, or the description is of
 *         another computation); NITRO_ERR_EXISTS (the store has such inputs, and not `replace`).
 */
NITRO_API nitro_status nitro_store_import_csv(nitro_store *store,
                                              const nitro_import_options *options,
                                              nitro_import_report *report);

/**
 * Import devices without samples: CSV with a column device; the other columns are device features
 * and labels. A row replaces the store's device. All rows are checked before the first is written.
 * @param[in]  ids     devices to import; NULL: all.
 * @param[out] report  added and replaced count devices. May be NULL.
 */
NITRO_API nitro_status nitro_store_import_devices(nitro_store *store, const char *path,
                                                  const nitro_string_list *ids,
                                                  nitro_import_report *report);

/**
 * Import of a checkout of the Ginkgo project's benchmark data: JSON files at
 * DEVICE/EXECUTOR/COLLECTION/GROUP/MATRIX.json, of several generations. A file's unit (s or ns)
 * follows from its times. Files of one folder that differ in executor, spelling of variants or unit
 * are separate campaigns, each a device of its own. Variants are named as in "cusp_csr".
 */
typedef struct nitro_ginkgo_options {
    const char *path;                  /* the checkout, or a folder in it */
    const char *computation;           /* NULL: "spmv-ginkgo" */
    const char *campaign;              /* appended to device ids after '_'; NULL: nothing */
    const nitro_string_list *tables;   /* CSV of devices, by id, folder or card; NULL: none */
    const nitro_string_list *renamed;  /* "FOLDER=DEVICE": ids in place of folders; NULL: none */
    const char *description_path;      /* as in nitro_import_options */
    const nitro_string_list *folders;  /* device folders to import; NULL: all */
    const nitro_string_list *features; /* NULL: the store's, the description's, or all 18 */
    const nitro_string_list
        *variants; /* NULL: the store's, or those of more than half of the devices */
    const nitro_string_list *log_features;
    bool replace;
} nitro_ginkgo_options;

/** One campaign of the checkout. */
typedef struct nitro_ginkgo_campaign {
    char *device; /* id: for a folder's largest campaign the folder's name */
    char *folder, *executor;
    const char *unit;                 /* "s", "ns": static */
    bool capital;                     /* variants are spelled as in "CuspCsr" */
    double fastest_low, fastest_high; /* range of the fastest variant's time, in that unit */
    size_t inputs, added, replaced, missing_values;
    char *card;        /* row of a table that the folder's name was matched with; NULL: its own */
    char *other_cards; /* rows that match as well, as text; NULL: none */
    char *skip_reason; /* why it was not imported; NULL: it was */
} nitro_ginkgo_campaign;

/** Files or measurements skipped for one reason. */
typedef struct nitro_ginkgo_skipped {
    const char *reason; /* static */
    size_t count;
    char *example; /* the first one */
} nitro_ginkgo_skipped;

/** Variants that the same devices, half of all at least, did not measure. */
typedef struct nitro_ginkgo_left_out {
    nitro_string_list variants, devices;
} nitro_ginkgo_left_out;

typedef struct nitro_ginkgo_report {
    size_t num_campaigns, num_skipped, num_left_out;
    nitro_ginkgo_campaign *campaigns; /* shape [num_campaigns], in byte order of paths */
    nitro_ginkgo_skipped *skipped;    /* shape [num_skipped] */
    nitro_string_list variants;       /* imported */
    nitro_ginkgo_left_out *left_out;  /* shape [num_left_out] */
} nitro_ginkgo_report;

/**
 * Check all files before the first device is written; each device is written in one transaction.
 * @return as nitro_store_import_csv; NITRO_ERR_NO_DATA (no measurement found, or fewer than two
 *         variants that most of them measured).
 */
NITRO_API nitro_status nitro_store_import_ginkgo(nitro_store *store,
                                                 const nitro_ginkgo_options *options,
                                                 nitro_ginkgo_report **report);
NITRO_API void nitro_ginkgo_report_free(nitro_ginkgo_report *report);

/** Write the form that nitro_store_import_csv reads; `devices_path` may be NULL.
 *  @return NITRO_OK; NITRO_ERR_NOT_FOUND (no such computation, device or samples);
 *          NITRO_ERR_ARGUMENT (a feature has the name 'input'); NITRO_ERR_IO. */
NITRO_API nitro_status nitro_store_export_csv(nitro_store *store, const char *computation,
                                              const char *device, const char *samples_path,
                                              const char *devices_path);

/**
 * Import of profiles: CSV, one row a kernel (or a metric of a kernel), in one of these forms:
 *
 *     Nitro's        columns device, computation, variant, input (of a variant's run) or device,
 *                    proxy, intensity (of a proxy's), kernel, optionally origin; the others are
 *                    metrics. An empty field: not collected. nitro_store_export_profiles writes it.
 *     Nsight Compute ncu --csv --page raw (or --page details); --print-units base keeps units apart
 *     nvprof         nvprof --csv --metrics all, summary or trace
 *
 * Lines that begin with "==" are skipped. The options give what has no column in the file.
 * Profilers' columns that are not metrics are skipped. A kernel's further launches are stored as
 * "NAME#2", "NAME#3"; very long names are cut.
 */
typedef struct nitro_profile_import_options {
    const char *path;
    /* For rows without such a column or with an empty field; NULL: none. */
    const char *device, *computation, *variant, *input, *proxy;
    double intensity; /* likewise; NaN */
    bool replace;     /* as in nitro_store_put_profiles */
} nitro_profile_import_options;

typedef struct nitro_profile_import_report {
    size_t devices, profiles, values;
    size_t missing; /* values not collected */
} nitro_profile_import_report;

NITRO_API void nitro_profile_import_options_init(nitro_profile_import_options *options);
/**
 * Check everything, then write each device's profiles in one transaction. A device that the store
 * does not know is created without device features.
 * @return NITRO_OK; NITRO_ERR_FORMAT (with line and column); NITRO_ERR_EXISTS (unless `replace`);
 *         NITRO_ERR_NOT_FOUND (computation); NITRO_ERR_MISMATCH (variant).
 */
NITRO_API nitro_status nitro_store_import_profiles(nitro_store *store,
                                                   const nitro_profile_import_options *options,
                                                   nitro_profile_import_report *report);
/**
 * Write profiles in Nitro's form: of a computation's variants (NULL: of proxies and of all
 * computations) on a device (NULL: all).
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (no such profiles or computation).
 */
NITRO_API nitro_status nitro_store_export_profiles(nitro_store *store, const char *computation,
                                                   const char *device, const char *path,
                                                   size_t *count);

/* ---- Publishing (docs/bundles.md) ----------------------------------------------------------- */

typedef struct nitro_publish_options {
    const char *folder;           /* created if missing */
    const nitro_signing_key *key; /* signs every bundle; NULL: existing signatures are kept */
} nitro_publish_options;

typedef struct nitro_publish_report {
    size_t bundles, unchanged; /* all; those whose file existed already */
    size_t removed;            /* in neither this nor the previous index */
    uint64_t samples, profiles, bytes;
} nitro_publish_report;

/**
 * Write all devices, samples and profiles of a store as a folder of static files for any web
 * server: an index, and a compressed bundle for each computation and device. The same content gives
 * the same bytes and file names. The index is replaced atomically at the end, and the files of the
 * previous one stay, so readers always see a complete folder. Waits while another process publishes
 * into the folder.
 * @param[out] report  written where the index was; may be NULL.
 * @return NITRO_OK; NITRO_ERR_IO; NITRO_ERR_NOT_BUILT (no zstd or libsodium); NITRO_ERR_FORMAT
 *         (damaged samples and profiles, which the log names; everything else was published).
 */
NITRO_API nitro_status nitro_store_publish(nitro_store *store, const nitro_publish_options *options,
                                           nitro_publish_report *report);

typedef struct nitro_pull_options {
    const char *url;                /* https://, http://, file:, or a folder's path */
    const nitro_trusted_keys *keys; /* pull only bundles signed by one of them; NULL: those of the
                                       setting trusted_keys */
    bool allow_unsigned;            /* do not check signatures, whatever keys there are */
    bool take_declaration;          /* as in nitro_sync_options */
} nitro_pull_options;

typedef struct nitro_pull_report {
    size_t bundles; /* accepted */
    size_t devices; /* new ones */
    nitro_copy_report copied;
    nitro_string_list refused; /* the reasons, one text a bundle */
} nitro_pull_report;

/**
 * Add published bundles to a store; existing records stay unchanged. A bundle that differs from the
 * index, or is not signed as required, is refused and reported, and the others are used. A missing
 * store is created once all downloads are complete and a bundle was accepted.
 * @param[in] store  its URL, as for nitro_store_open.
 * @return NITRO_OK, also where bundles were refused; NITRO_ERR_IO: the server cannot be reached, is
 *         too slow or not trusted (downloads stay in the cache, the store is unchanged);
 *         NITRO_ERR_MISMATCH (the store has another schema of a computation); NITRO_ERR_NOT_BUILT.
 */
NITRO_API nitro_status nitro_store_pull(nitro_context *context, const char *store,
                                        const nitro_pull_options *options,
                                        nitro_pull_report *report);
NITRO_API void nitro_pull_report_free(nitro_pull_report *report);

/* ---- Downloading inputs --------------------------------------------------------------------- */

#define NITRO_FETCH_SUITESPARSE "https://sparse.tamu.edu/MM"

typedef struct nitro_fetch_options {
    const char *base_url; /* BASE/GROUP/NAME.tar.gz is requested */
    uint64_t max_bytes;   /* of the archive, and of the unpacked file */
    /** Checks the unpacked file, which is deleted on an error; may be NULL. */
    nitro_status (*check)(void *user, const char *path);
    void *user;
} nitro_fetch_options;

NITRO_API void nitro_fetch_options_init(nitro_fetch_options *options);
/**
 * Download a matrix (Matrix Market) of a collection into the user's cache, unless it is there. An
 * interrupted download is resumed.
 * @param[in]  matrix  "GROUP/NAME".
 * @param[out] path    of NAME.mtx; free with free(). @param[out] cached  it was in the cache.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND; NITRO_ERR_IO; NITRO_ERR_FORMAT (the archive is malformed,
 *         larger than the limit, or without the matrix); the error of `check`; NITRO_ERR_NOT_BUILT.
 */
NITRO_API nitro_status nitro_fetch_matrix(nitro_context *context, const char *matrix,
                                          const nitro_fetch_options *options, char **path,
                                          bool *cached);

#ifdef __cplusplus
}
#endif

#endif
