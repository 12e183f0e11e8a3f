/* evaluated.h - the configurations that a searcher asked for, and their times. Internal to search/.
 */
#ifndef NITRO_SEARCH_EVALUATED_H
#define NITRO_SEARCH_EVALUATED_H

#include "nitro/nitro_backend.h"

typedef struct search_evaluation {
    uint64_t configuration;
    double time_ms; /* INFINITY: invalid */
    bool asked, told;
    bool used; /* the method has seen it */
} search_evaluation;

/** A hash table. Zero-initialise, and release with search_evaluated_release. */
typedef struct search_evaluated {
    search_evaluation *slots; /* shape [capacity], a power of two */
    size_t count, capacity;
    size_t num_used;
} search_evaluated;

/** The entry, or NULL. */
search_evaluation *search_evaluated_find(const search_evaluated *evaluated, uint64_t configuration);
/** Make it the question, asked from now on; NITRO_NO_CONFIGURATION is passed on. Invalidates what
 * was found before. */
nitro_status search_evaluated_ask(nitro_context *context, search_evaluated *evaluated,
                                  uint64_t configuration, bool profiled,
                                  nitro_search_question *question);
/** The time of an answer: INFINITY unless a positive finite time was measured. */
double search_answer_time(const nitro_search_answer *answer);
/** Enter an answer. */
nitro_status search_evaluated_tell(nitro_context *context, search_evaluated *evaluated,
                                   const nitro_space *space, const nitro_search_answer *answer);
void search_evaluated_release(search_evaluated *evaluated);

/** Uniform among the configurations that were not asked for and not told, or that were not used;
 * NITRO_NO_CONFIGURATION where there is none. */
uint64_t search_draw_unasked(const search_evaluated *evaluated, const nitro_space *space,
                             nitro_random *random);
uint64_t search_draw_unused(const search_evaluated *evaluated, const nitro_space *space,
                            nitro_random *random);

#endif
