/* bfs on CUDA devices: ec, ce and two_phase (host/frontiers.c), direction_optimizing and
 * level_sweep, all from the same kernels: a step reads one list and writes another. Fused variants
 * do all levels in one cooperative launch, with a barrier of the grid between steps; in the
 * emulation of the tests, whose blocks run one after another, in one block. Iterative ones launch a
 * kernel a step, and take the length of the list back after each. A group of `lanes` threads goes
 * through the edges of a vertex. */
#include "nitro/cuda.hpp"
#include "variants/bfs/bfs.h"

#define BLOCK 256
#define WARP  32
#define ALPHA 15 /* as on hosts: host/sweeps.c */
#define BETA  24

enum { EXPAND_CONTRACT, CONTRACT_EXPAND, EXPAND, CONTRACT, SWEEP, UP };

/* Counts at the beginning of the room. */
enum { COUNT, NEXT_COUNT, EDGES_OUT, ARRIVED, GENERATION, NUM_COUNTS };

struct method {
    int phases[2], num_phases;
    bool is_fused, goes_up;
};

struct search {
    int num_vertices, num_edges, source, lanes;
    method how;
    const int *offsets, *targets;
    int *depths;
    int *counts;
    int *lists[2];
};

/* All threads of the grid wait; memory written before is seen after. */
static __device__ void wait_for_grid(int *counts)
{
    __syncthreads();
    if (gridDim.x == 1)
        return;
    if (threadIdx.x == 0) {
        volatile int *generation = &counts[GENERATION];
        int before = *generation;
        __threadfence();
        if (atomicAdd(&counts[ARRIVED], 1) == (int)gridDim.x - 1) {
            counts[ARRIVED] = 0;
            __threadfence();
            atomicAdd(&counts[GENERATION], 1);
        } else {
            while (*generation == before)
                ;
        }
        __threadfence();
    }
    __syncthreads();
}

/* Visits a vertex; true: it had not been visited. */
static __device__ bool visit(const search &s, int vertex, int depth)
{
    return s.depths[vertex] < 0 && atomicCAS(&s.depths[vertex], -1, depth) < 0;
}

static __device__ void append(const search &s, int *to, int item)
{
    to[atomicAdd(&s.counts[NEXT_COUNT], 1)] = item;
}

/* One vertex or neighbour of the list, by a group of lanes. */
static __device__ void do_item(const search &s, int phase, int item, int depth, int lane, int *to)
{
    bool is_first = lane == 0;
    if (phase == CONTRACT) {
        if (is_first && visit(s, item, depth))
            append(s, to, item);
        return;
    }
    if (phase == CONTRACT_EXPAND && s.lanes == 1 && !visit(s, item, depth))
        return;
    for (int k = s.offsets[item] + lane; k < s.offsets[item + 1]; k += s.lanes) {
        int target = s.targets[k];
        if (phase != EXPAND_CONTRACT) {
            append(s, to, target);
        } else if (visit(s, target, depth)) {
            append(s, to, target);
            if (s.how.goes_up)
                atomicAdd(&s.counts[EDGES_OUT], s.offsets[target + 1] - s.offsets[target]);
        }
    }
}

/* level_sweep: vertices of the level before, found among all; up: unvisited ones look for it. */
static __device__ void do_vertex(const search &s, int phase, int vertex, int depth)
{
    bool is_up = phase == UP;
    if (s.depths[vertex] != (is_up ? -1 : depth - 1))
        return;
    for (int k = s.offsets[vertex]; k < s.offsets[vertex + 1]; k++) {
        int target = s.targets[k];
        if (is_up && s.depths[target] == depth - 1) {
            s.depths[vertex] = depth;
            atomicAdd(&s.counts[NEXT_COUNT], 1);
            return;
        }
        if (!is_up && visit(s, target, depth))
            atomicAdd(&s.counts[NEXT_COUNT], 1);
    }
}

static __device__ void do_step(const search &s, int phase, int count, int depth, int turn)
{
    int thread = (int)(blockIdx.x * BLOCK + threadIdx.x), threads = (int)(gridDim.x * BLOCK);
    if (phase == SWEEP || phase == UP) {
        for (int v = thread; v < s.num_vertices; v += threads)
            do_vertex(s, phase, v, depth);
        return;
    }
    int groups = threads / s.lanes;
    for (int i = thread / s.lanes; i < count; i += groups)
        do_item(s, phase, s.lists[turn][i], depth, thread % s.lanes, s.lists[1 - turn]);
}

/* After going up the level is a list again: its vertices, in any order. */
static __device__ void list_level(const search &s, int depth, int turn)
{
    int thread = (int)(blockIdx.x * BLOCK + threadIdx.x), threads = (int)(gridDim.x * BLOCK);
    for (int v = thread; v < s.num_vertices; v += threads)
        if (s.depths[v] == depth)
            append(s, s.lists[turn], v);
}

static __global__ void __launch_bounds__(BLOCK) begin_search(search s)
{
    int thread = (int)(blockIdx.x * BLOCK + threadIdx.x), threads = (int)(gridDim.x * BLOCK);
    bool is_visited = s.how.phases[0] != CONTRACT_EXPAND;
    for (int v = thread; v < s.num_vertices; v += threads)
        s.depths[v] = v == s.source && is_visited ? 0 : -1;
    if (thread == 0) {
        s.lists[0][0] = s.source;
        s.counts[COUNT] = 1;
        s.counts[NEXT_COUNT] = s.counts[ARRIVED] = s.counts[GENERATION] = 0;
        s.counts[EDGES_OUT] = s.offsets[s.source + 1] - s.offsets[s.source];
    }
}

static __global__ void __launch_bounds__(BLOCK)
    one_step(search s, int phase, int count, int depth, int turn)
{
    do_step(s, phase, count, depth, turn);
}

/* Every thread reads the counts between two barriers, and one resets them after. */
static __global__ void __launch_bounds__(BLOCK) all_steps(search s)
{
    bool is_first = blockIdx.x == 0 && threadIdx.x == 0, is_up = false;
    int count = 1, turn = 0, phase = 0, depth = s.how.phases[0] == CONTRACT_EXPAND ? 0 : 1;
    int edges_out = s.counts[EDGES_OUT], unexplored = s.num_edges;
    wait_for_grid(s.counts);
    while (count > 0) {
        bool goes_up = s.how.goes_up && (is_up || edges_out > unexplored / ALPHA);
        unexplored -= edges_out;
        if (is_first)
            s.counts[EDGES_OUT] = 0;
        wait_for_grid(s.counts);
        do_step(s, goes_up ? UP : s.how.phases[phase], count, depth, turn);
        wait_for_grid(s.counts);
        int before = count;
        count = s.counts[NEXT_COUNT];
        edges_out = s.counts[EDGES_OUT];
        wait_for_grid(s.counts);
        if (is_first)
            s.counts[NEXT_COUNT] = 0;
        wait_for_grid(s.counts);
        turn = 1 - turn;
        is_up = goes_up && (count >= before || count > s.num_vertices / BETA);
        if (goes_up && !is_up && count > 0) {
            list_level(s, depth, turn);
            wait_for_grid(s.counts);
            if (is_first)
                s.counts[NEXT_COUNT] = 0;
            wait_for_grid(s.counts);
        }
        if (++phase == s.how.num_phases) {
            phase = 0;
            depth++;
        }
    }
}

/* ---- On the host ---- */

static bool holds_edges(const method *how, int list)
{
    return how->phases[0] == CONTRACT_EXPAND || (list == 1 && how->num_phases > 1);
}

static int64_t capacity_of(const nitro_bfs_cuda *bfs, const method *how, int list)
{
    return (holds_edges(how, list) ? bfs->host.num_edges : bfs->host.num_vertices) + 1;
}

static search describe(const nitro_bfs_cuda *bfs, const method *how, int64_t i)
{
    search s = {};
    double degree = (double)bfs->host.num_edges / (double)bfs->host.num_vertices;
    s.num_vertices = (int)bfs->host.num_vertices;
    s.num_edges = (int)bfs->host.num_edges;
    s.source = bfs->host.sources[i];
    s.how = *how;
    for (s.lanes = 1; s.lanes < WARP && s.lanes < degree; s.lanes *= 2)
        ;
    if (how->phases[0] == CONTRACT_EXPAND)
        s.lanes = 1; /* whoever visits a vertex goes through its edges */
    s.offsets = bfs->offsets;
    s.targets = bfs->targets;
    s.depths = bfs->depths + i * bfs->host.num_vertices;
    s.counts = (int *)bfs->cuda.room.memory;
    s.lists[0] = s.counts + NUM_COUNTS;
    s.lists[1] = s.lists[0] + capacity_of(bfs, how, 0);
    return s;
}

static int64_t room_bytes_of(const nitro_bfs_cuda *bfs, const method *how)
{
    int64_t count = NUM_COUNTS + capacity_of(bfs, how, 0) + capacity_of(bfs, how, 1);
    return count * (int64_t)sizeof(int);
}

static int prepare(void *argument, void *user)
{
    return nitro_kit_make_room(
        &nitro_bfs_kit, argument,
        room_bytes_of((const nitro_bfs_cuda *)argument, (const method *)user));
}

/* As many blocks as run at a time. */
static int launch_fused(nitro_bfs_cuda *bfs, const search &s)
{
    cudaLaunchConfig_t config = nitro_cuda_grid(&bfs->cuda, BLOCK, BLOCK);
#ifdef __CUDACC__
    int device, processors, blocks;
    cudaLaunchAttribute cooperative = {};
    if (nitro_cuda_check(&bfs->cuda, cudaGetDevice(&device), "bfs") != 0 ||
        nitro_cuda_check(
            &bfs->cuda, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
            "bfs") != 0 ||
        nitro_cuda_check(
            &bfs->cuda, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, all_steps, BLOCK, 0),
            "bfs") != 0)
        return bfs->cuda.failure;
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    config.gridDim.x = (unsigned)(processors * blocks);
    config.attrs = &cooperative;
    config.numAttrs = 1;
#endif
    return nitro_cuda_check(&bfs->cuda, cudaLaunchKernelEx(&config, all_steps, s), "launching bfs");
}

static int run_steps(nitro_bfs_cuda *bfs, const search &s)
{
    int depth = s.how.phases[0] == CONTRACT_EXPAND ? 0 : 1, phase = 0;
    int32_t count = 1;
    for (int turn = 0; count > 0; turn = 1 - turn) {
        int now = s.how.phases[phase];
        int64_t threads = now == SWEEP ? s.num_vertices : (int64_t)count * s.lanes;
        if (nitro_cuda_launch(&bfs->cuda, "launching bfs", threads, BLOCK, one_step, s, now,
                              (int)count, depth, turn) != 0 ||
            nitro_cuda_download(&bfs->cuda, s.counts + NEXT_COUNT, 1, sizeof(count), &count) != 0 ||
            nitro_cuda_fill(&bfs->cuda, s.counts + NEXT_COUNT, 1, sizeof(count), 0) != 0)
            return bfs->cuda.failure;
        if (++phase == s.how.num_phases) {
            phase = 0;
            depth++;
        }
    }
    return 0;
}

static int run(void *argument, void *user)
{
    const method *how = (const method *)user;
    nitro_bfs_cuda *bfs = (nitro_bfs_cuda *)argument;
    if (bfs->host.num_sources > 0 && bfs->cuda.room.bytes < room_bytes_of(bfs, how))
        return nitro_cuda_fail(&bfs->cuda, "bfs was not prepared");
    for (int64_t i = 0; i < bfs->host.num_sources; i++) {
        search s = describe(bfs, how, i);
        if (nitro_cuda_launch(&bfs->cuda, "launching bfs", s.num_vertices, BLOCK, begin_search,
                              s) != 0 ||
            (how->is_fused ? launch_fused(bfs, s) : run_steps(bfs, s)) != 0)
            return bfs->cuda.failure;
    }
    return 0;
}

/* Products with lanes have 32 bits, too. Edges into vertices are not uploaded. */
static bool allows(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[NITRO_BFS_NUM_EDGES] <= (double)(NITRO_CUDA_MAX_COUNT / WARP) &&
           features[NITRO_BFS_NUM_VERTICES] <= (double)(NITRO_CUDA_MAX_COUNT / WARP);
}

static bool allows_symmetric(const double *features, const void *argument, void *user)
{
    return !((const nitro_bfs *)argument)->in_offsets && allows(features, argument, user);
}

static bool allows_sweep(const double *features, const void *argument, void *user)
{
    return features[NITRO_BFS_LEVELS] <= NITRO_BFS_SWEEP_LEVELS && allows(features, argument, user);
}

static const method ec_fused = {{EXPAND_CONTRACT}, 1, true, false};
static const method ec_iterative = {{EXPAND_CONTRACT}, 1, false, false};
static const method ce_fused = {{CONTRACT_EXPAND}, 1, true, false};
static const method ce_iterative = {{CONTRACT_EXPAND}, 1, false, false};
static const method two_phase_fused = {{EXPAND, CONTRACT}, 2, true, false};
static const method two_phase_iterative = {{EXPAND, CONTRACT}, 2, false, false};
static const method direction_optimizing = {{EXPAND_CONTRACT}, 1, true, true};
static const method level_sweep = {{SWEEP}, 1, false, false};

#define SIZES "num_vertices,num_edges"
#define VARIANT(its_name, its_allows, reads)                                                       \
    {                                                                                              \
        .name = #its_name, .version = "1", .run = run, .prepare = prepare, .allows = its_allows,   \
        .allows_reads = reads, .user = (void *)&its_name                                           \
    }
static const nitro_variant declared[] = {
    VARIANT(ec_fused, allows, SIZES),
    VARIANT(ec_iterative, allows, SIZES),
    VARIANT(ce_fused, allows, SIZES),
    VARIANT(ce_iterative, allows, SIZES),
    VARIANT(two_phase_fused, allows, SIZES),
    VARIANT(two_phase_iterative, allows, SIZES),
    VARIANT(direction_optimizing, allows_symmetric, SIZES),
    VARIANT(level_sweep, allows_sweep, SIZES ",levels"),
};

static const nitro_variant *const variants[] = {&declared[0], &declared[1], &declared[2],
                                                &declared[3], &declared[4], &declared[5],
                                                &declared[6], &declared[7]};

const nitro_kit_device nitro_bfs_cuda_device =
    NITRO_CUDA_DEVICE(nitro_bfs_cuda, variants, .allows = allows, .allows_reads = SIZES);
