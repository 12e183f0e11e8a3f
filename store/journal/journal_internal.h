/* journal_internal.h - what the files of the journaled store share: a remote store, and the journal
 * on this machine that keeps unsent samples. */
#ifndef NITRO_STORE_JOURNAL_JOURNAL_INTERNAL_H
#define NITRO_STORE_JOURNAL_JOURNAL_INTERNAL_H

#include "nitro/nitro_backend.h"

typedef struct nitro_journal {
    nitro_context *context;
    const nitro_store_kind *remote_kind;
    char *remote_address;
    char *url;                     /* of the remote store, without password */
    nitro_store *remote;           /* NULL: not connected */
    nitro_store *local;            /* the journal: unsent samples, their schemas and devices */
    char *path;                    /* its file */
    bool noted;                    /* whose journal it is, beside it */
    nitro_string_list new_devices; /* whose description the remote was away for */
    double next_ms;       /* do not ask the remote before this time of the context's clock */
    double backoff_ms;    /* how long to leave it alone after the next failure; 0: it is well */
    nitro_status failure; /* the last one, while the remote cannot be reached */
    char message[1024];   /* of that failure */
} nitro_journal;

/** Made here, so that tests can put any kind behind it. `path` names the journal's file, which is
 *  made when there is something to put into it. */
nitro_status nitro_journal_open(nitro_context *context, const nitro_store_kind *remote_kind,
                                const char *address, const char *path, nitro_store **store);

/**
 * The remote store, connected now if it was not; NULL while it cannot be reached, or for a while
 * after a failure. A `failure` other than NITRO_ERR_IO will not pass by itself.
 */
nitro_store *nitro_journal_remote(nitro_journal *self);

/**
 * To be called with the status of each operation on the remote. On NITRO_ERR_IO the connection is
 * closed, logged, and tried again later, at growing intervals.
 * @return was the remote away?
 */
bool nitro_journal_is_away(nitro_journal *self, nitro_status status);

/**
 * Send unsent samples. At most a tenth of the time is spent on it: to a slow store, larger batches
 * go.
 * @param[in] at_once  do not mind how short ago the remote failed.
 * @return NITRO_OK also while the remote cannot be reached; another status where it refuses
 * samples, which stay in the journal.
 */
nitro_status nitro_journal_push(nitro_journal *self, bool at_once);

/** How many samples are unsent. */
nitro_status nitro_journal_count(nitro_journal *self, size_t *unsent);

/** "scheme://host/..." without user, password and what says how to get there (timeout, ca, cert,
 *  key): what a journal is for. free() it. */
char *nitro_journal_url(nitro_context *context, const nitro_store_kind *kind, const char *address);

/** The journal's file for such a URL; with `make` its folder is made. */
nitro_status nitro_journal_path(nitro_context *context, const char *url, bool make, char **path);

/** Write beside a journal which URL it is for; `nitro store sync` reads these notes. */
nitro_status nitro_journal_note(nitro_context *context, const char *path, const char *url);

/* ---- journal_write.c: as in nitro_store_kind ---- */
nitro_status nitro_journal_put_schema(void *state, const nitro_schema *schema);
nitro_status nitro_journal_put_device(void *state, const nitro_device *device);
nitro_status nitro_journal_put_samples(void *state, const char *computation, const char *device,
                                       const nitro_sample *const *samples, size_t count,
                                       bool replace);
nitro_status nitro_journal_put_recording(void *state, const nitro_schema *schema,
                                         const nitro_device *device, const char *device_id,
                                         const nitro_sample *const *samples, size_t count,
                                         bool replace);

/* ---- journal_read.c: as in nitro_store_kind ---- */
nitro_status nitro_journal_get_schema(void *state, const char *computation, nitro_schema **schema);
nitro_status nitro_journal_list_computations(void *state, nitro_string_list *computations);
nitro_status nitro_journal_get_device(void *state, const char *id, nitro_device **device);
nitro_status nitro_journal_list_devices(void *state, const char *computation,
                                        nitro_string_list *ids);
nitro_status nitro_journal_each_sample(void *state, const char *computation, const char *device,
                                       nitro_sample_function function, void *user,
                                       nitro_problem_function damaged, void *damaged_user);
nitro_status nitro_journal_get_sample(void *state, const char *computation, const char *device,
                                      const char *input, nitro_sample **sample);
nitro_status nitro_journal_list_inputs(void *state, const char *computation, const char *device,
                                       nitro_string_list *inputs);
nitro_status nitro_journal_count_samples(void *state, const char *computation, const char *device,
                                         size_t *count);

#endif
