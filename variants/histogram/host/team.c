/* A team of threads that count. The first table of the first thread is the result itself, so that
 * one thread merges nothing. The numbers of threads and copies are limited so that clearing and
 * merging their tables costs less than counting. */
#include <omp.h>
#include <string.h>

#include "variants/histogram/host/histogram_kernels.h"

#define NS_PER_SAMPLE 0.5   /* on one thread */
#define TILE_SAMPLES  16384 /* taken from the queue at a time: some 10 us of work */
#define LINE_WORDS    16    /* of a cache line */
#define WORD_BYTES    4

#define CACHED_WORDS 8192 /* limit of a thread's tables together: an L1 cache */

/* Clearing and merging are vectorised: this many words cost as much as counting one sample. */
#define WORDS_PER_SAMPLE 4

typedef struct counting_team {
    nitro_histogram *histogram;
    const nitro_histogram_method *method;
    nitro_histogram_schedule schedule;
    int num_threads;
    int num_copies; /* a thread */
    int64_t stride; /* words of a table */
} counting_team;

/* An odd number of cache lines: two copies of a bin 4 KiB apart would alias (store forwarding
 * compares the low 12 address bits). */
static int64_t stride_of(int64_t num_bins)
{
    int64_t lines = (num_bins + LINE_WORDS - 1) / LINE_WORDS;
    return (lines | 1) * LINE_WORDS;
}

/* The result is a table too. */
static counting_team make_team(nitro_histogram *histogram, const nitro_histogram_method *method)
{
    counting_team made = {.histogram = histogram, .method = method, .num_copies = 1};
    made.stride = stride_of(histogram->num_bins);
    made.num_threads = nitro_host_num_parts(NS_PER_SAMPLE * (double)histogram->num_samples);
    if (method->max_copies == 0)
        return made;
    int64_t most_tables = histogram->num_samples * WORDS_PER_SAMPLE / histogram->num_bins;
    if (made.num_threads > most_tables)
        made.num_threads = most_tables > 1 ? (int)most_tables : 1;
    while (made.num_copies * 2 <= method->max_copies &&
           made.num_copies * 2 * made.stride <= CACHED_WORDS &&
           made.num_copies * 2 * made.num_threads <= most_tables)
        made.num_copies *= 2;
    return made;
}

static int make_tables(const counting_team *team)
{
    int64_t num_words = team->stride * (team->num_threads * team->num_copies - 1);
    return num_words > 0 ? nitro_host_make_room(&team->histogram->room, num_words * WORD_BYTES) : 0;
}

int nitro_histogram_prepare(void *argument, void *user)
{
    counting_team team = make_team(argument, ((const nitro_histogram_plan *)user)->method);
    return make_tables(&team);
}

void nitro_histogram_release(void *argument, void *user)
{
    (void)user;
    nitro_host_free_room(&((nitro_histogram *)argument)->room);
}

static uint32_t *table_at(const counting_team *team, int table)
{
    return table == 0 ? team->histogram->counts
                      : (uint32_t *)team->histogram->room.memory + (table - 1) * team->stride;
}

static void clear(uint32_t *table, int64_t num_bins)
{
    memset(table, 0, (size_t)num_bins * sizeof(*table));
}

static nitro_histogram_place find_place(const counting_team *team, int thread)
{
    bool is_private = team->method->max_copies > 0;
    nitro_histogram_place place = {.is_contended = !is_private && team->num_threads > 1};
    for (int copy = 0; copy < NITRO_HISTOGRAM_COPIES; copy++) {
        int table = is_private ? thread * team->num_copies + copy % team->num_copies : 0;
        place.tables[copy] = table_at(team, table);
        if (is_private && copy < team->num_copies)
            clear(place.tables[copy], team->histogram->num_bins);
    }
    return place;
}

static void count_range(const counting_team *team, int64_t begin, int64_t end,
                        const nitro_histogram_place *place)
{
    const nitro_histogram *histogram = team->histogram;
    team->method->count(histogram->samples + begin, end - begin, histogram->num_bins, place);
}

static void count_share(const counting_team *team, int thread, int num_threads,
                        const nitro_histogram_place *place)
{
    int64_t num_samples = team->histogram->num_samples;
    count_range(team, nitro_host_split_evenly(num_samples, thread, num_threads),
                nitro_host_split_evenly(num_samples, thread + 1, num_threads), place);
}

/* Called by all threads of the team: OpenMP has the queue. */
static void count_tiles(const counting_team *team, const nitro_histogram_place *place)
{
    int64_t num_samples = team->histogram->num_samples;
#pragma omp for schedule(dynamic) nowait
    for (int64_t begin = 0; begin < num_samples; begin += TILE_SAMPLES) {
        int64_t end = begin + TILE_SAMPLES;
        count_range(team, begin, end < num_samples ? end : num_samples, place);
    }
}

/* Add bins [begin, end) of the other tables to the result. */
static void merge(const counting_team *team, int num_tables, int64_t begin, int64_t end)
{
    uint32_t *restrict counts = team->histogram->counts;
    for (int table = 1; table < num_tables; table++) {
        const uint32_t *restrict from = table_at(team, table);
        for (int64_t bin = begin; bin < end; bin++)
            counts[bin] += from[bin];
    }
}

/* One thread's work. The team may have fewer threads than requested. */
static void work(const counting_team *team, int thread, int num_threads)
{
    int64_t num_bins = team->histogram->num_bins;
    nitro_histogram_place place = find_place(team, thread);
    if (team->schedule == NITRO_HISTOGRAM_DYNAMIC && num_threads > 1)
        count_tiles(team, &place);
    else
        count_share(team, thread, num_threads, &place);
    if (team->method->max_copies == 0)
        return;
    if (num_threads > 1) {
#pragma omp barrier
    }
    merge(team, num_threads * team->num_copies,
          nitro_host_split_evenly(num_bins, thread, num_threads),
          nitro_host_split_evenly(num_bins, thread + 1, num_threads));
}

int nitro_histogram_run(void *argument, void *user)
{
    nitro_histogram *histogram = argument;
    const nitro_histogram_plan *plan = user;
    counting_team team = make_team(histogram, plan->method);
    team.schedule = plan->schedule;
    int failure = plan->method->max_copies > 0 ? make_tables(&team) : 0;
    if (failure)
        return failure;
    clear(histogram->counts, histogram->num_bins);
    if (team.num_threads == 1) {
        work(&team, 0, 1); /* opening a region takes longer than counting a small input */
        return 0;
    }
#pragma omp parallel num_threads(team.num_threads)
    work(&team, omp_get_thread_num(), omp_get_num_threads());
    return 0;
}
