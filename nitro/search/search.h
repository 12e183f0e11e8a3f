/* search.h - a search that runs: what is known, and where it is kept. Internal to nitro/. */
#ifndef NITRO_SEARCH_SEARCH_H
#define NITRO_SEARCH_SEARCH_H

#include <sys/types.h>

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

/** As nitro_configuration_text(), if asked for with the parameters of one value too. */
char *search_configuration_text(nitro_context *context, const nitro_space *space,
                                uint64_t configuration, bool with_constants);

/** Evaluations in a store: samples of the computation "NAME.search", whose features are the
 * parameters that vary, and which has one variant. */
typedef struct search_archive {
    nitro_context *context;
    const nitro_space *space;
    nitro_store *store; /* NULL: nothing is kept */
    pid_t process;      /* that opened it: a forked child must not use its connection */
    char *computation;
    const char *device, *version;
    nitro_provenance provenance;
} search_archive;

/** Prepare the store, and read what it has into the memo. */
nitro_status search_archive_open(nitro_context *context, const nitro_space *space,
                                 const nitro_search_options *options, search_archive *archive,
                                 search_memo *memo);
/** Durable when it returns; does nothing without a store.
 *  @return also NITRO_ERR_UNSUPPORTED: in a forked child. */
nitro_status search_archive_put(const search_archive *archive, const nitro_search_answer *answer);
void search_archive_close(search_archive *archive);

/** "population=26,mutation=0.02" as values in the order of the searcher's table.
 * @param[out] values  an array that the caller frees; `text` holds their text, likewise. */
nitro_status search_options_parse(nitro_context *context, const nitro_searcher *searcher,
                                  const char *given, const char ***values, char **text);

/** Evaluations that a budget allows of a space. */
uint64_t search_budget_evaluations(const nitro_search_budget *budget, const nitro_space *space);

/** A search in progress. */
typedef struct search_session {
    nitro_context *context;
    const nitro_space *space;
    const nitro_searcher *searcher;
    void *state; /* of the searcher */
    nitro_search_task task;
    nitro_search_budget budget;
    const char **option_values;
    char *option_text;
    search_archive archive;
    search_memo stored;    /* answers of earlier searches */
    search_memo memo;      /* answers of this one, in the order of evaluation */
    double *seconds;       /* shape [count of `memo`]: spent when it was known */
    uint64_t *evaluations; /* shape [count of `memo`]: their number then */
    size_t capacity;       /* of the two */
    uint64_t *awaited;     /* shape [num_awaited]: asked for, and not told yet */
    size_t num_awaited;
    uint64_t num_evaluations; /* profiled runs of known configurations included */
    uint64_t num_stored;      /* answers that came from the store */
    double spent_ms, searcher_cpu_ms;
    size_t best;       /* of `memo`; NITRO_NONE: none is valid */
    bool is_exhausted; /* the searcher has nothing to ask */
} search_session;

/** On failure there is nothing to close. */
nitro_status search_session_open(nitro_context *context, const nitro_space *space,
                                 const nitro_search_options *options,
                                 const char *const *counter_names, size_t num_counters,
                                 search_session *session);
void search_session_close(search_session *session);
/** The answer of the best valid configuration, or NULL. */
const nitro_search_answer *search_session_best(const search_session *session);
/** Is the budget used up, or the searcher at its end? */
bool search_session_is_finished(const search_session *session);
/**
 * The next configuration, or NITRO_NO_CONFIGURATION: finished, or what the budget allows is
 * awaited.
 * @param[out] is_known  the store has its answer, which counts now: there is nothing to evaluate.
 */
nitro_status search_session_ask(search_session *session, nitro_search_question *question,
                                bool *is_known);
/** An evaluation, also one that was not asked for; stored before the searcher sees it. */
nitro_status search_session_tell(search_session *session, const nitro_search_answer *answer);

/** Of a configuration that has not been evaluated. */
static inline nitro_search_answer nitro_search_unanswered(uint64_t configuration)
{
    const double unknown = __builtin_nan("");
    nitro_search_answer answer = {.configuration = configuration};
    answer.outcome = NITRO_OUTCOME_MISSING;
    answer.time_ms = answer.spread = answer.cost_ms = unknown;
    return answer;
}

#endif
