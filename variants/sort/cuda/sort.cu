/* Sort on CUDA devices: CUB's merge sort and radix sort (cub_sorts.cu), and locality.
 *
 * locality: each block sorts a tile of keys, then runs of twice the length are merged in each pass.
 * Runs that follow each other in order are not merged, and a pass without others moves nothing:
 * fastest where order is there already. Stable. */
#include "variants/sort/cuda/sort_kernels.cuh"

#define THREADS    128
#define ITEMS      8 /* of a thread */
#define TILE       (THREADS * ITEMS)
#define MAX_PASSES 24 /* tiles of INT32_MAX keys, in powers of two */
#define ALIGNMENT  256

/* Keys and values in two places, which passes read and write in turns. */
template <typename Key, typename Value> struct sorting {
    int64_t count;
    const Key *from_keys;
    const Value *from_values; /* NULL: there are none */
    Key *keys[2];
    Value *values[2];
    int *has_moved; /* shape [MAX_PASSES] */
};

template <typename Key, typename Value> struct tile {
    Key keys[TILE];
    Value values[TILE];
};

/* In which place they are before a pass. */
static __device__ int place_before(const int *has_moved, int pass)
{
    int place = 0;
    for (int p = 0; p < pass; p++)
        place ^= has_moved[p];
    return place;
}

/* How many of the first `diagonal` merged keys are from the left. */
template <typename Key>
static __device__ int64_t split(const Key *left, int64_t num_left, const Key *right,
                                int64_t num_right, int64_t diagonal)
{
    int64_t low = diagonal > num_right ? diagonal - num_right : 0;
    int64_t high = diagonal < num_left ? diagonal : num_left;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (right[diagonal - 1 - middle] < left[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The thread's items from `begin` on of two runs in shared memory, merged. */
template <typename Key, typename Value> struct items {
    Key keys[ITEMS];
    Value values[ITEMS];

    __device__ void merge(const Key *from, const Value *from_values, int num_left, int count,
                          int begin)
    {
        int left = (int)split(from, num_left, from + num_left, count - num_left, begin);
        int right = num_left + begin - left;
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            if (begin + k < count) {
                bool takes_right = left == num_left || (right < count && from[right] < from[left]);
                int at = takes_right ? right++ : left++;
                keys[k] = from[at];
                values[k] = from_values[at];
            }
    }

    __device__ void write(Key *to, Value *to_values, int64_t count) const
    {
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            if (k < count)
                to[k] = keys[k];
            if (k < count && to_values)
                to_values[k] = values[k];
        }
    }
};

template <typename Key, typename Value>
static __device__ void insert_items(Key *keys, Value *values, int count)
{
    for (int i = 1; i < ITEMS && i < count; i++) {
        Key key = keys[i];
        Value value = values[i];
        int k = i;
        for (; k > 0 && key < keys[k - 1]; k--) {
            keys[k] = keys[k - 1];
            values[k] = values[k - 1];
        }
        keys[k] = key;
        values[k] = value;
    }
}

template <typename Key, typename Value>
static __global__ void __launch_bounds__(THREADS) sort_tiles(sorting<Key, Value> s)
{
    __shared__ tile<Key, Value> t;
    int64_t first = (int64_t)blockIdx.x * TILE;
    int count = (int)(s.count - first < TILE ? s.count - first : TILE);
    int begin = (int)threadIdx.x * ITEMS;
    items<Key, Value> own = {};
    for (int i = (int)threadIdx.x; i < count; i += THREADS) {
        t.keys[i] = s.from_keys[first + i];
        t.values[i] = s.from_values ? s.from_values[first + i] : Value();
    }
    __syncthreads();
    insert_items(t.keys + begin, t.values + begin, count - begin);
    for (int length = ITEMS; length < TILE; length *= 2) {
        int pair = begin / (2 * length) * (2 * length), rest = count - pair;
        bool merges;
        __syncthreads();
        merges =
            begin < count && rest > length && t.keys[pair + length] < t.keys[pair + length - 1];
        if (merges)
            own.merge(t.keys + pair, t.values + pair, length, rest < 2 * length ? rest : 2 * length,
                      begin - pair);
        __syncthreads();
        if (merges)
            own.write(t.keys + begin, t.values + begin, count - begin);
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < count; i += THREADS) {
        s.keys[0][first + i] = t.keys[i];
        if (s.from_values)
            s.values[0][first + i] = t.values[i];
    }
}

/* Does any run begin below the end of the one before? A thread a pair. */
template <typename Key, typename Value>
static __global__ void __launch_bounds__(THREADS) compare_runs(sorting<Key, Value> s, int pass)
{
    int64_t length = (int64_t)TILE << pass;
    int64_t middle = ((int64_t)blockIdx.x * THREADS + threadIdx.x) * 2 * length + length;
    const Key *keys = s.keys[place_before(s.has_moved, pass)];
    if (middle < s.count && keys[middle] < keys[middle - 1])
        s.has_moved[pass] = 1;
}

template <typename Key, typename Value>
static __global__ void __launch_bounds__(THREADS) merge_runs(sorting<Key, Value> s, int pass)
{
    __shared__ tile<Key, Value> t;
    if (!s.has_moved[pass])
        return;
    int place = place_before(s.has_moved, pass);
    int64_t length = (int64_t)TILE << pass, first = (int64_t)blockIdx.x * TILE;
    int64_t pair = first / (2 * length) * (2 * length), rest = s.count - pair;
    int64_t num_left = rest < length ? rest : length;
    int64_t num_right = (rest < 2 * length ? rest : 2 * length) - num_left;
    const Key *left = s.keys[place] + pair, *right = left + num_left;
    int count = (int)(s.count - first < TILE ? s.count - first : TILE);
    int64_t diagonal = first - pair;
    int64_t from_left = diagonal < num_left ? diagonal : num_left, left_end = from_left + count;
    if (num_right > 0 && right[0] < left[num_left - 1]) {
        from_left = split(left, num_left, right, num_right, diagonal);
        left_end = split(left, num_left, right, num_right, diagonal + count);
    } else {
        left_end = left_end < num_left ? left_end : num_left;
    }
    int in_left = (int)(left_end - from_left), begin = (int)threadIdx.x * ITEMS;
    for (int i = (int)threadIdx.x; i < count; i += THREADS) {
        int64_t at =
            pair + (i < in_left ? from_left + i : num_left + diagonal - from_left + (i - in_left));
        t.keys[i] = s.keys[place][at];
        t.values[i] = s.from_values ? s.values[place][at] : Value();
    }
    __syncthreads();
    if (begin >= count)
        return;
    items<Key, Value> own = {};
    own.merge(t.keys, t.values, in_left, count, begin);
    own.write(s.keys[1 - place] + first + begin,
              s.from_values ? s.values[1 - place] + first + begin : NULL, count - begin);
}

template <typename Key, typename Value>
static __global__ void __launch_bounds__(THREADS) take_result(sorting<Key, Value> s, int num_passes)
{
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= s.count || place_before(s.has_moved, num_passes) == 0)
        return;
    s.keys[0][i] = s.keys[1][i];
    if (s.from_values)
        s.values[0][i] = s.values[1][i];
}

static int64_t aligned(int64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

template <typename Key, typename Value>
static int launch(nitro_cuda *cuda, const sorting<Key, Value> &s)
{
    const char *what = "locality";
    int64_t threads = (s.count + ITEMS - 1) / ITEMS;
    int num_passes = 0;
    int failure = nitro_cuda_fill(cuda, s.has_moved, MAX_PASSES, sizeof(int), 0);
    if (!failure)
        failure = nitro_cuda_launch(cuda, what, threads, THREADS, sort_tiles<Key, Value>, s);
    for (int64_t length = TILE; length < s.count && !failure; length *= 2, num_passes++) {
        failure = nitro_cuda_launch(cuda, what, s.count / (2 * length) + 1, THREADS,
                                    compare_runs<Key, Value>, s, num_passes);
        if (!failure)
            failure = nitro_cuda_launch(cuda, what, threads, THREADS, merge_runs<Key, Value>, s,
                                        num_passes);
    }
    return failure ? failure
                   : nitro_cuda_launch(cuda, what, s.count, THREADS, take_result<Key, Value>, s,
                                       num_passes);
}

/* Without values they are never read. */
template <typename Key, typename Value> struct locality {
    typedef std::conditional_t<std::is_void_v<Value>, uint32_t, Value> value;

    static int run(nitro_sort_cuda *sort, void *room, size_t *bytes)
    {
        int64_t key_bytes = aligned(sort->host.num_keys * (int64_t)sizeof(Key));
        int64_t value_bytes = aligned(sort->host.num_keys * sort->host.value_bytes);
        size_t needed = (size_t)(key_bytes + value_bytes) + MAX_PASSES * sizeof(int);
        if (!room) {
            *bytes = needed;
            return 0;
        }
        if (*bytes < needed) /* another variant's room; CUB looks by itself */
            return nitro_cuda_fail(&sort->cuda, "locality was not prepared");
        char *other = (char *)room;
        sorting<Key, value> s = {};
        s.count = sort->host.num_keys;
        s.from_keys = (const Key *)sort->keys;
        s.from_values = sort->host.value_bytes > 0 ? (const value *)sort->values : NULL;
        s.keys[0] = (Key *)sort->sorted_keys;
        s.keys[1] = (Key *)other;
        s.values[0] = (value *)sort->sorted_values;
        s.values[1] = (value *)(other + key_bytes);
        s.has_moved = (int *)(other + key_bytes + value_bytes);
        return launch(&sort->cuda, s);
    }
};

/* ---- Variants ---- */

template <nitro_sort_cuda_method METHOD> static int prepare(void *argument, void *)
{
    nitro_sort_cuda *sort = (nitro_sort_cuda *)argument;
    size_t bytes = 0;
    if (nitro_kit_upload(&nitro_sort_kit, argument) != 0 || METHOD(sort, NULL, &bytes) != 0)
        return sort->cuda.failure;
    return nitro_kit_make_room(&nitro_sort_kit, argument, (int64_t)bytes);
}

template <nitro_sort_cuda_method METHOD> static int run(void *argument, void *)
{
    nitro_sort_cuda *sort = (nitro_sort_cuda *)argument;
    size_t bytes = (size_t)sort->cuda.room.bytes;
    if (sort->host.num_keys == 0)
        return 0;
    if (!sort->cuda.room.memory)
        return nitro_cuda_fail(&sort->cuda, "sort was not prepared");
    return METHOD(sort, sort->cuda.room.memory, &bytes);
}

static bool allows(const double *features, const void *, void *)
{
    return features[NITRO_SORT_NUM_KEYS] <= NITRO_CUDA_MAX_COUNT;
}

#define VARIANT(its_name, method)                                                                  \
    {                                                                                              \
        .name = its_name, .version = "1", .run = run<method>, .prepare = prepare<method>           \
    }
static const nitro_variant declared[] = {VARIANT("merge", nitro_sort_cuda_merge),
                                         VARIANT("locality", nitro_sort_cuda_by_type<locality>),
                                         VARIANT("radix", nitro_sort_cuda_radix)};

static const nitro_variant *const variants[] = {&declared[0], &declared[1], &declared[2]};

const nitro_kit_device nitro_sort_cuda_device =
    NITRO_CUDA_DEVICE(nitro_sort_cuda, variants, .allows = allows, .allows_reads = "num_keys");
