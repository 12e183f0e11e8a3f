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
    bool noted;                    /* the note beside it, with the remote's URL */
    nitro_string_list new_devices; /* whose descriptions are unsent */
    double next_ms;       /* do not try the remote before this time of the context's clock */
    double backoff_ms;    /* the pause after the next failure; 0: the last call succeeded */
    nitro_status failure; /* the last one, while the remote is unreachable */
    char message[1024];   /* of that failure */
} nitro_journal;

/** Open any kind of store behind a journal (tests use several). `path` names the journal's file,
 * which is created by the first write to it. */
nitro_status nitro_journal_open(nitro_context *context, const nitro_store_kind *remote_kind,
                                const char *address, const char *path, nitro_store **store);

/**
 * The remote store, after connecting if necessary; NULL while it is unreachable, or for a while
 * after a failure. A `failure` other than NITRO_ERR_IO is permanent.
 */
nitro_store *nitro_journal_remote(nitro_journal *self);

/**
 * Call with the status of each operation on the remote. NITRO_ERR_IO closes the connection, logs
 * it, and schedules another try, at growing intervals. @return was the remote unreachable?
 */
bool nitro_journal_is_unreachable(nitro_journal *self, nitro_status status);

/**
 * Send unsent samples, in at most a tenth of the time: a slow store gets larger batches.
 * @param[in] at_once  even if the remote failed a moment ago.
 * @return NITRO_OK also while the remote is unreachable; another status if it refuses samples,
 * which stay in the journal.
 */
nitro_status nitro_journal_push(nitro_journal *self, bool at_once);

/** How many samples are unsent. */
nitro_status nitro_journal_count(nitro_journal *self, size_t *unsent);

/** "scheme://host/..." without user, password and options of the connection (timeout, ca, cert,
 * key): the identity of a journal. free() it. */
char *nitro_journal_url(nitro_context *context, const nitro_store_kind *kind, const char *address);

/** The journal's file for such a URL; `make` creates its folder. */
nitro_status nitro_journal_path(nitro_context *context, const char *url, bool make, char **path);

/** Write the URL of a journal into the note beside it, which `nitro store sync` reads. */
nitro_status nitro_journal_note(nitro_context *context, const char *path, const char *url);

/* ---- journal_write.c: as in nitro_store_kind ------------------------------------------------- */
nitro_status nitro_journal_put_schema(void *state, const nitro_schema *schema);
nitro_status nitro_journal_put_device(void *state, const nitro_device *device);
nitro_status nitro_journal_put_samples(void *state, const char *computation, const char *device,
                                       const nitro_sample *const *samples, size_t count,
                                       bool replace);
nitro_status nitro_journal_put_recording(void *state, const nitro_schema *schema,
                                         const nitro_device *device, const char *device_id,
                                         const nitro_sample_source *source, bool replace);

/* ---- journal_read.c: as in nitro_store_kind -------------------------------------------------- */
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
