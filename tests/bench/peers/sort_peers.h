/* sort_peers.h - sorts of other libraries, the peers of bench_sort.c. */
#ifndef NITRO_TESTS_BENCH_SORT_PEERS_H
#define NITRO_TESTS_BENCH_SORT_PEERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sort keys in place, on one thread; `is_wide`: double, else float. */
typedef void sort_peer_function(void *keys, int64_t count, bool is_wide);

typedef struct sort_peer {
    const char *name;
    sort_peer_function *sort;
} sort_peer;

/** Ended by a NULL name. */
extern const sort_peer sort_peers[];

#ifdef __cplusplus
}
#endif

#endif
