/* sort_threads.c - four threads sort through one computation; the model that 'nitro tune' wrote
 * chooses each thread's variant. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "sorting.h"

enum { NUM_THREADS = 4 };

/** What one thread sorts, and what was chosen for it. */
typedef struct job {
    const nitro_computation *computation;
    size_t length;
    unsigned bound;
    bool is_sorted; /* the keys come in ascending order */
    nitro_decision decision;
    bool succeeded;
} job;

static void *sort(void *argument)
{
    job *mine = argument;
    unsigned *keys = calloc(mine->length, sizeof *keys);
    unsigned *sorted = calloc(mine->length, sizeof *sorted);
    for (size_t i = 0; keys && i < mine->length; i++) {
        unsigned long key = mine->is_sorted ? i * mine->bound / mine->length : i * 2654435761u;
        keys[i] = (unsigned)(key % mine->bound);
    }
    sort_call call = {.keys = keys, .length = mine->length, .bound = mine->bound, .sorted = sorted};
    mine->succeeded =
        keys && sorted && nitro_run(mine->computation, &call, &mine->decision) == NITRO_OK;
    for (size_t i = 1; mine->succeeded && i < mine->length; i++)
        mine->succeeded = sorted[i - 1] <= sorted[i];
    free(keys);
    free(sorted);
    return NULL;
}

static bool sort_in_threads(const nitro_computation *computation)
{
    job jobs[NUM_THREADS] = {
        {.length = 20, .bound = 1000},
        {.length = 10000, .bound = 1 << 20, .is_sorted = true},
        {.length = 100000, .bound = 256},
        {.length = 1000, .bound = 1 << 22},
    };
    pthread_t threads[NUM_THREADS];
    bool succeeded = true;
    for (size_t i = 0; i < NUM_THREADS; i++) {
        jobs[i].computation = computation;
        if (pthread_create(&threads[i], NULL, sort, &jobs[i]) != 0)
            abort();
    }
    for (size_t i = 0; i < NUM_THREADS; i++) {
        pthread_join(threads[i], NULL);
        succeeded = succeeded && jobs[i].succeeded;
        if (jobs[i].succeeded)
            printf("%6zu keys below %7u, %-8s: %-9s confidence %.2f, %s\n", jobs[i].length,
                   jobs[i].bound, jobs[i].is_sorted ? "sorted" : "unsorted",
                   jobs[i].decision.variant_name, jobs[i].decision.confidence,
                   nitro_reason_text(jobs[i].decision.reason));
    }
    return succeeded;
}

int main(void)
{
    nitro_context *context = NULL;
    nitro_computation *computation = NULL;
    char error[1024];
    if (nitro_context_create(&context) != NITRO_OK)
        return 1;
    bool succeeded = nitro_computation_declare(context, &sorting, &computation) == NITRO_OK &&
                     nitro_computation_configure(computation) == NITRO_OK &&
                     sort_in_threads(computation);
    nitro_context_last_error(context, error, sizeof error);
    if (!succeeded)
        fprintf(stderr, "sort_threads: %s\n", error);
    nitro_computation_free(computation);
    nitro_context_free(context);
    return succeeded ? 0 : 1;
}
