/* search.h - a search that runs: what is known, and where it is kept. Internal to nitro/. */
#ifndef NITRO_SEARCH_SEARCH_H
#define NITRO_SEARCH_SEARCH_H

#include "nitro/nitro_backend.h"

/** Answers by configuration. */
typedef struct search_memo {
    size_t count, capacity;
    nitro_search_answer *answers; /* shape [count], without counters */
    size_t num_slots;             /* a power of two */
    size_t *slots;                /* 1 + position of an answer, or 0 */
} search_memo;

/** The answer of a configuration, or NULL. */
const nitro_search_answer *search_memo_find(const search_memo *memo, uint64_t configuration);
/** Add an answer that it does not have. */
nitro_status search_memo_add(nitro_context *context, search_memo *memo,
                             const nitro_search_answer *answer);
void search_memo_free(search_memo *memo);

/** Evaluations in a store: samples of the computation "NAME.search", whose features are the
 * parameters that vary, and which has one variant. */
typedef struct search_archive {
    nitro_context *context;
    const nitro_space *space;
    nitro_store *store; /* NULL: nothing is kept */
    char *computation;
    const char *device, *version;
    nitro_provenance provenance;
} search_archive;

/** Prepare the store, and read what it has into the memo. */
nitro_status search_archive_open(nitro_context *context, const nitro_space *space,
                                 const nitro_search_options *options, search_archive *archive,
                                 search_memo *memo);
/** Durable when it returns. */
nitro_status search_archive_put(const search_archive *archive, const nitro_search_answer *answer);
void search_archive_close(search_archive *archive);

/** "population=26,mutation=0.02" as values in the order of the searcher's table.
 * @param[out] values  an array that the caller frees; `text` holds their text, likewise. */
nitro_status search_options_parse(nitro_context *context, const nitro_searcher *searcher,
                                  const char *given, const char ***values, char **text);

/** Evaluations that a budget allows of a space. */
uint64_t search_budget_evaluations(const nitro_search_budget *budget, const nitro_space *space);

#endif
