/* exchange.h - signing, importing, publishing and fetching: data from and for elsewhere. Part of
 * nitro_backend.h. */
#ifndef NITRO_BACKEND_EXCHANGE_H
#define NITRO_BACKEND_EXCHANGE_H

#include "nitro/backend/stores.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Keys for signing (store/bundle/sign.c) -------------------------------------------------- */

/**
 * Ed25519 keys in minisign's formats: `minisign -V -p lab.key.pub -m FILE` verifies what lab.key
 * signed. In a build without libsodium and zstd every function but _free is NITRO_ERR_NOT_BUILT.
 */
typedef struct nitro_signing_key nitro_signing_key;
typedef struct nitro_trusted_keys nitro_trusted_keys;

/**
 * Make a key pair: the secret key in `path` (mode 0600, not encrypted), the public one in
 * `path`.pub.
 * @param[in] name  the owner, shown when a signature is checked; valid as a device id.
 * @return NITRO_OK; NITRO_ERR_EXISTS (a file is there: it is never overwritten); NITRO_ERR_IO.
 */
NITRO_API nitro_status nitro_signing_key_create(nitro_context *context, const char *path,
                                                const char *name);
/** @return as nitro_file_read_private; NITRO_ERR_FORMAT (no secret key, or an encrypted one). */
NITRO_API nitro_status nitro_signing_key_read(nitro_context *context, const char *path,
                                              nitro_signing_key **key);
NITRO_API void nitro_signing_key_free(nitro_signing_key *key);

/** Read public keys to trust: .pub files, one after the other; `#` starts a comment line.
 *  NITRO_ERR_FORMAT (with file and line; also where there is no key at all). */
NITRO_API nitro_status nitro_trusted_keys_read(nitro_context *context, const char *path,
                                               nitro_trusted_keys **keys);
/** @param[in] origin  the name of the text in errors. */
NITRO_API nitro_status nitro_trusted_keys_parse(nitro_context *context, const char *origin,
                                                const char *text, size_t size,
                                                nitro_trusted_keys **keys);
NITRO_API void nitro_trusted_keys_free(nitro_trusted_keys *keys);

/* ---- Importing and exporting ---------------------------------------------------------------- */

/** Import of recorded devices: samples in CSV, one row an input, `time_ms:VARIANT` columns. */
typedef struct nitro_import_options {
    const char *computation;
    const char *device;
    const char *samples_path;
    const char *devices_path;              /* NULL: the device must be known already, or has no
                                              features */
    const nitro_string_list *features;     /* NULL: every column but input and times, or what the
                                              description names */
    const nitro_string_list *variants;     /* NULL: every time_ms: column */
    const nitro_string_list *log_features; /* scale log; NULL: none; the others stay auto */
    const char *description_path;          /* NULL: none. Its features are the columns of a
                                              computation that is new, unless `features` says */
    bool replace;
} nitro_import_options;

typedef struct nitro_import_report {
    size_t added, replaced;
    size_t missing_values; /* times that are missing */
    size_t without_times;  /* inputs that have no time at all: kept, and said */
} nitro_import_report;

/**
 * Everything is read and checked before anything is written, and names, device and samples go in as
 * one: all of it or nothing.
 * @param[out] report  may be NULL.
 * @return NITRO_OK; NITRO_ERR_IO; NITRO_ERR_FORMAT (file, line and column are named);
 *         NITRO_ERR_ARGUMENT (a name that is not clean); NITRO_ERR_NOT_FOUND (a file, or the device
 *         in the table of devices); NITRO_ERR_MISMATCH (the store has other features or variants,
 *         or the description is of another computation); NITRO_ERR_EXISTS (inputs that are there
 *         already, unless `replace`).
 */
NITRO_API nitro_status nitro_store_import_csv(nitro_store *store,
                                              const nitro_import_options *options,
                                              nitro_import_report *report);

/**
 * Import of devices alone: CSV with a column device; the other columns are device features and
 * labels. What a row says of a device takes the place of what the store had. All rows are checked
 * before the first is written.
 * @param[in]  ids     those to take; NULL: all.
 * @param[out] report  added and replaced count devices. May be NULL.
 */
NITRO_API nitro_status nitro_store_import_devices(nitro_store *store, const char *path,
                                                  const nitro_string_list *ids,
                                                  nitro_import_report *report);

/**
 * Import of a checkout of the Ginkgo project's benchmark data: JSON files at
 * DEVICE/EXECUTOR/COLLECTION/GROUP/MATRIX.json, of several generations. Each file's unit (s or ns)
 * follows from its times; files of one folder with another executor, spelling of variants or unit
 * are another campaign and become a device of their own. Names are as in "cusp_csr".
 */
typedef struct nitro_ginkgo_options {
    const char *path;                  /* the checkout, or a folder in it */
    const char *computation;           /* NULL: "spmv-ginkgo" */
    const char *campaign;              /* joined to the devices' ids with '_'; NULL: nothing */
    const char *devices_path;          /* rows by device id, else by folder; NULL: none */
    const char *description_path;      /* as in nitro_import_options, like those below */
    const nitro_string_list *folders;  /* devices to take; NULL: all */
    const nitro_string_list *features; /* NULL: the store's, else as described, else all 18 */
    const nitro_string_list *variants; /* NULL: the store's, else what all devices share */
    const nitro_string_list *log_features;
    bool replace;
} nitro_ginkgo_options;

/** One campaign of the checkout. */
typedef struct nitro_ginkgo_campaign {
    char *device; /* id in the store: the folder's name for its largest campaign */
    char *folder, *executor;
    const char *unit;                 /* "s", "ns": static */
    bool capital;                     /* variants are spelled as in "CuspCsr" */
    double fastest_low, fastest_high; /* range of the fastest variant's time, in that unit */
    size_t inputs, added, replaced, missing_values;
    char *left_out; /* why it was not imported; NULL: it was */
} nitro_ginkgo_campaign;

/** Files, or measurements in them, that were left out for one reason. */
typedef struct nitro_ginkgo_skipped {
    const char *reason; /* static */
    size_t count;
    char *example; /* the first one */
} nitro_ginkgo_skipped;

typedef struct nitro_ginkgo_report {
    size_t num_campaigns, num_skipped;
    nitro_ginkgo_campaign *campaigns; /* shape [num_campaigns], in byte order of paths */
    nitro_ginkgo_skipped *skipped;    /* shape [num_skipped] */
    nitro_string_list variants;       /* that were imported */
} nitro_ginkgo_report;

/**
 * Everything is read and checked before the first device is written; each device is written whole.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (no measurement found, or no two variants in common: the
 *         error says what to do); as nitro_store_import_csv.
 */
NITRO_API nitro_status nitro_store_import_ginkgo(nitro_store *store,
                                                 const nitro_ginkgo_options *options,
                                                 nitro_ginkgo_report **report);
NITRO_API void nitro_ginkgo_report_free(nitro_ginkgo_report *report);

/** Write the same form back; `devices_path` may be NULL.
 *  @return NITRO_OK; NITRO_ERR_NOT_FOUND (no such computation or device, or no samples there);
 *          NITRO_ERR_ARGUMENT (a feature is called as the table's own column is); NITRO_ERR_IO. */
NITRO_API nitro_status nitro_store_export_csv(nitro_store *store, const char *computation,
                                              const char *device, const char *samples_path,
                                              const char *devices_path);

/**
 * Import of profiles: CSV, one row a kernel (or a metric of a kernel), in the form that
 * nitro_store_export_profiles writes, or as profilers write it:
 *
 *     Nitro's        columns device, computation, variant, input (of a variant's run) or device,
 *                    proxy, intensity (of a proxy's), kernel, optionally origin; the others are
 *                    metrics. An empty field: not collected.
 *     Nsight Compute ncu --csv --page raw (or --page details); --print-units base keeps units apart
 *     nvprof         nvprof --csv --metrics all, summary or trace
 *
 * Lines that begin with "==" are a profiler's chatter. What a file has no column for comes from the
 * options. Profilers' columns that are no metrics are left out; a kernel that they list several
 * times is kept as "NAME", "NAME#2" and so on, and of a very long name the beginning.
 */
typedef struct nitro_profile_import_options {
    const char *path;
    /* For rows without such a column, or with an empty field there; NULL: each row has it. */
    const char *device, *computation, *variant, *input, *proxy;
    double intensity; /* likewise; NaN */
    bool replace;     /* runs that the store has already, as nitro_store_put_profiles does */
} nitro_profile_import_options;

typedef struct nitro_profile_import_report {
    size_t devices, profiles, values;
    size_t missing; /* values that were not collected */
} nitro_profile_import_report;

NITRO_API void nitro_profile_import_options_init(nitro_profile_import_options *options);
/**
 * Everything is read and checked before anything is written; each device's profiles go in whole or
 * not at all. A device that the store does not know is made, without device features.
 * @return NITRO_OK; NITRO_ERR_FORMAT: line and column are named; NITRO_ERR_EXISTS (unless
 * replaced); NITRO_ERR_NOT_FOUND (computation); NITRO_ERR_MISMATCH (variant).
 */
NITRO_API nitro_status nitro_store_import_profiles(nitro_store *store,
                                                   const nitro_profile_import_options *options,
                                                   nitro_profile_import_report *report);
/**
 * Write profiles in Nitro's form: of a computation's variants (NULL: of proxies, and of all
 * computations) on a device (NULL: all).
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND: there are none, or no such computation.
 */
NITRO_API nitro_status nitro_store_export_profiles(nitro_store *store, const char *computation,
                                                   const char *device, const char *path,
                                                   size_t *count);

/* ---- Publishing (docs/bundles.md) ----------------------------------------------------------- */

typedef struct nitro_publish_options {
    const char *folder;           /* made when missing */
    const nitro_signing_key *key; /* signs every bundle; NULL: they are not signed */
} nitro_publish_options;

typedef struct nitro_publish_report {
    size_t bundles, unchanged; /* all of them; those whose file was there already */
    size_t removed;            /* files that neither this index nor the last one names */
    uint64_t samples, profiles, bytes;
} nitro_publish_report;

/**
 * Write all devices, samples and profiles of a store as a folder of static files that any web
 * server can serve: an index, and a compressed bundle for each computation and device. The same
 * content gives the same bytes and file names. The index is replaced last and whole, and the files
 * of the last one stay, so that readers never see a part. Waits while another process publishes
 * into the folder.
 * @return NITRO_OK; NITRO_ERR_IO; NITRO_ERR_NOT_BUILT (no zstd or libsodium).
 */
NITRO_API nitro_status nitro_store_publish(nitro_store *store, const nitro_publish_options *options,
                                           nitro_publish_report *report);

typedef struct nitro_pull_options {
    const char *url;                /* https://, http://, file:, or a folder's path */
    const nitro_trusted_keys *keys; /* take only what one of them signed; NULL: take all */
} nitro_pull_options;

typedef struct nitro_pull_report {
    size_t bundles; /* that were taken, or were here already */
    size_t devices; /* new ones */
    nitro_copy_report copied;
    nitro_string_list refused; /* why, one text a bundle */
} nitro_pull_report;

/**
 * Bring published bundles into a store. What is there already stays as it is. A bundle that is not
 * what the index says, or is not signed as it must be, is refused and named, the others are taken.
 * The store is made, where it is missing, once everything is here and something of it is sound.
 * @param[in] store  its URL, as for nitro_store_open.
 * @return NITRO_OK, also where bundles were refused; NITRO_ERR_IO: the server cannot be reached,
 *         too slow, not trusted (what came is in the cache, nothing yet in the store);
 *         NITRO_ERR_MISMATCH (the store has other names for a computation); NITRO_ERR_NOT_BUILT.
 */
NITRO_API nitro_status nitro_store_pull(nitro_context *context, const char *store,
                                        const nitro_pull_options *options,
                                        nitro_pull_report *report);
NITRO_API void nitro_pull_report_free(nitro_pull_report *report);

/* ---- Inputs from elsewhere ------------------------------------------------------------------ */

#define NITRO_FETCH_SUITESPARSE "https://sparse.tamu.edu/MM"

typedef struct nitro_fetch_options {
    const char *base_url; /* BASE/GROUP/NAME.tar.gz is asked for */
    uint64_t max_bytes;   /* of the archive, and of what it unpacks to */
    /** Is this unpacked file fit for use? What it refuses is not kept. NULL: not asked. */
    nitro_status (*check)(void *user, const char *path);
    void *user;
} nitro_fetch_options;

NITRO_API void nitro_fetch_options_init(nitro_fetch_options *options);
/**
 * Bring a matrix (Matrix Market) of a collection into the user's cache, or find it there. A cut
 * download goes on where it ended.
 * @param[in]  matrix  "GROUP/NAME".
 * @param[out] path    of NAME.mtx; free with free(). @param[out] cached  it was there already.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND; NITRO_ERR_IO; NITRO_ERR_FORMAT (the archive is hostile,
 *         larger than the limit, or holds no such matrix); what `check` returned;
 *         NITRO_ERR_NOT_BUILT.
 */
NITRO_API nitro_status nitro_fetch_matrix(nitro_context *context, const char *matrix,
                                          const nitro_fetch_options *options, char **path,
                                          bool *cached);

#ifdef __cplusplus
}
#endif

#endif
