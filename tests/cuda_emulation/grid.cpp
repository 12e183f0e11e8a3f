/* grid.cpp - kernels on the CPU: blocks one after another, each thread of a block a fiber that
 * runs until it waits for others or ends. Fibers are switched by the compiler's own longjmp, which
 * makes no system call, nor does the address sanitizer make some for it; a fiber whose thread has
 * ended takes the next one without a switch, so that kernels without barriers run as plain loops.
 */
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <numeric>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "emulator.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define ENTER_FIBER(save, bottom, size)    __sanitizer_start_switch_fiber(save, bottom, size)
#define ENTERED_FIBER(saved, bottom, size) __sanitizer_finish_switch_fiber(saved, bottom, size)
#define STACK_BYTES                        (512u << 10)
#else
#define ENTER_FIBER(save, bottom, size)            ((void)0)
#define ENTERED_FIBER(saved, bottom, size)         ((void)0)
#define ASAN_POISON_MEMORY_REGION(address, size)   ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)0)
#define STACK_BYTES                                (128u << 10)
#endif
/* Of functions that leave their stack. */
#define SWITCHES_STACKS __attribute__((noinline, no_sanitize("address")))

/* What `extern __shared__ T dynamic_shared[]` is. */
alignas(128) thread_local unsigned char dynamic_shared[cuda_emulation::max_dynamic_shared_bytes];

__thread uint3 threadIdx, blockIdx;
__thread dim3 blockDim, gridDim;

namespace cuda_emulation
{

__thread unsigned lane_now;

namespace
{

enum class state { unstarted, ready, at_block_barrier, at_warp_barrier, ended };

struct fiber;

struct thread {
    uint3 index;
    state is = state::unstarted;
    fiber *on = nullptr;
    int result = 0; /* of a block barrier */
    /* At a warp barrier: */
    const char *operation = nullptr;
    unsigned mask = 0, present = 0;
    uint64_t mine = 0, *all = nullptr;
};

using jump_buffer = void *[5];

struct fiber {
    char *stack = nullptr;
    bool started = false;
    ucontext_t start;
    jump_buffer suspended;
    void *fake_stack = nullptr; /* asan's */
    thread *runs = nullptr;
};

struct block {
    std::vector<thread> threads;
    std::vector<unsigned> order; /* in which threads start */
    size_t num_started = 0, num_live = 0, num_unsent = 0;
    int barrier_line = 0, votes = 0;
    std::deque<thread *> ready;
};

/* The engine of one grid; there is one at a time. */
struct engine {
    const std::function<void()> *kernel;
    uint64_t random; /* 0: in order */
    block now;
    std::vector<fiber *> idle;
    thread *current = nullptr;
    jump_buffer scheduler;
    void *scheduler_fake_stack = nullptr;
    bool failed = false;
    char problem[512];
};

thread_local engine *running;

/* The fibers of a host thread, kept from grid to grid, and where its own stack is. */
struct fiber_pool {
    std::vector<std::unique_ptr<fiber>> fibers;
    const void *scheduler_bottom = nullptr;
    size_t scheduler_size = 0;
    ~fiber_pool()
    {
        for (const auto &f : fibers) {
            ASAN_UNPOISON_MEMORY_REGION(f->stack, STACK_BYTES);
            munmap(f->stack, STACK_BYTES);
        }
    }
};

thread_local fiber_pool pool;

thread *take_unstarted(block *b)
{
    if (b->num_started == b->threads.size())
        return nullptr;
    return &b->threads[b->order[b->num_started++]];
}

/* ---- Fibers ---- */

size_t number_of(const thread *t)
{
    return (size_t)(t - running->now.threads.data());
}

void become(thread *t)
{
    running->current = t;
    threadIdx = t->index;
    lane_now = (unsigned)(number_of(t) % 32);
}

/* Of its own: a function that calls __builtin_setjmp must not jump itself. */
[[noreturn]] SWITCHES_STACKS void jump(void **to)
{
    __builtin_longjmp(to, 1);
}

SWITCHES_STACKS void back_to_scheduler(fiber *from)
{
    if (__builtin_setjmp(from->suspended) == 0) {
        ENTER_FIBER(&from->fake_stack, pool.scheduler_bottom, pool.scheduler_size);
        jump(running->scheduler);
    }
    ENTERED_FIBER(from->fake_stack, nullptr, nullptr);
}

void end_thread(thread *t);

void fiber_main()
{
    ENTERED_FIBER(nullptr, &pool.scheduler_bottom, &pool.scheduler_size);
    fiber *self = running->current->on;
    for (;;) {
        thread *t = self->runs;
        become(t);
        (*running->kernel)();
        end_thread(t);
        thread *next = running->now.ready.empty() ? take_unstarted(&running->now) : nullptr;
        if (next) {
            next->on = self;
            self->runs = next;
        } else {
            running->idle.push_back(self);
            back_to_scheduler(self);
        }
    }
}

char *make_stack()
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *stack = mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, page, PROT_NONE) != 0) {
        perror("cuda_emulation: no memory for a thread's stack");
        abort();
    }
    return (char *)stack;
}

fiber *take_fiber()
{
    if (running->idle.empty()) {
        pool.fibers.push_back(std::make_unique<fiber>());
        pool.fibers.back()->stack = make_stack();
        return pool.fibers.back().get();
    }
    fiber *taken = running->idle.back();
    running->idle.pop_back();
    return taken;
}

/* Run a thread until it waits or ends. */
SWITCHES_STACKS void resume(thread *t)
{
    engine *e = running;
    if (!t->on) {
        t->on = take_fiber();
        t->on->runs = t;
    }
    fiber *f = t->on;
    become(t);
    if (__builtin_setjmp(e->scheduler) == 0) {
        ENTER_FIBER(&e->scheduler_fake_stack, f->stack, STACK_BYTES);
        if (f->started)
            jump(f->suspended);
        f->started = true;
        ASAN_UNPOISON_MEMORY_REGION(f->stack, STACK_BYTES); /* a forgotten thread's frames */
        getcontext(&f->start);
        f->start.uc_stack.ss_sp = f->stack;
        f->start.uc_stack.ss_size = STACK_BYTES;
        f->start.uc_link = nullptr;
        makecontext(&f->start, fiber_main, 0);
        setcontext(&f->start);
    }
    ENTERED_FIBER(running->scheduler_fake_stack, nullptr, nullptr);
}

void make_ready(thread *t)
{
    t->is = state::ready;
    running->now.ready.push_back(t);
}

/* ---- Barriers ---- */

/* Let a block's barrier go when all that still run are there. */
void open_block_barrier()
{
    block *b = &running->now;
    if (b->num_unsent == 0 || b->num_unsent < b->num_live)
        return;
    int votes = b->votes;
    b->num_unsent = 0;
    b->votes = 0;
    for (thread &t : b->threads)
        if (t.is == state::at_block_barrier) {
            t.result = votes;
            make_ready(&t);
        }
}

thread *warp_of(const thread *t)
{
    return running->now.threads.data() + number_of(t) / 32 * 32;
}

unsigned warp_size(const thread *first)
{
    size_t left = running->now.threads.size() - number_of(first);
    return left < 32 ? (unsigned)left : 32;
}

/* Let the lanes go that wait as `t` does, when all of its mask are there or have ended. */
void open_warp_barrier(thread *t)
{
    thread *lanes = warp_of(t);
    unsigned present = 0, mask = t->mask;
    const char *operation = t->operation;
    uint64_t all[32] = {0};
    for (unsigned i = 0; i < warp_size(lanes); i++) {
        if (!(mask >> i & 1) || lanes[i].is == state::ended)
            continue;
        if (lanes[i].is != state::at_warp_barrier || lanes[i].mask != mask ||
            strcmp(lanes[i].operation, operation) != 0)
            return;
        present |= 1u << i;
        all[i] = lanes[i].mine;
    }
    for (unsigned i = 0; i < 32; i++)
        if (present >> i & 1) {
            memcpy(lanes[i].all, all, sizeof(all));
            lanes[i].present = present;
            make_ready(&lanes[i]);
        }
}

void end_thread(thread *t)
{
    t->is = state::ended;
    running->now.num_live--;
    open_block_barrier();
    thread *lanes = warp_of(t);
    for (unsigned i = 0; i < warp_size(lanes); i++)
        if (lanes[i].is == state::at_warp_barrier)
            open_warp_barrier(&lanes[i]);
}

/* ---- Blocks ---- */

void describe_deadlock(char *text, size_t size)
{
    int length = snprintf(text, size, "threads wait for each other:");
    unsigned named = 0;
    for (const thread &t : running->now.threads) {
        if (t.is == state::ended || named == 4 || length >= (int)size)
            continue;
        named++;
        if (t.is == state::at_block_barrier)
            length += snprintf(text + length, size - (size_t)length,
                               " thread %zu at the barrier of line %d;", number_of(&t),
                               running->now.barrier_line);
        else
            length +=
                snprintf(text + length, size - (size_t)length,
                         " thread %zu at %s with mask 0x%08x;", number_of(&t), t.operation, t.mask);
    }
}

thread *choose_next(engine *e)
{
    block *b = &e->now;
    bool may_start = b->num_started < b->threads.size();
    if (may_start && (b->ready.empty() || e->random == 0 || draw(&e->random, 2) == 0))
        return take_unstarted(b);
    if (b->ready.empty())
        return nullptr;
    size_t at = e->random ? draw(&e->random, (unsigned)b->ready.size()) : 0;
    std::swap(b->ready[at], b->ready.front());
    thread *chosen = b->ready.front();
    b->ready.pop_front();
    return chosen;
}

void run_block(engine *e)
{
    while (e->now.num_live > 0 && !e->failed) {
        thread *next = choose_next(e);
        if (!next) {
            e->failed = true;
            describe_deadlock(e->problem, sizeof(e->problem));
            return;
        }
        resume(next);
    }
}

/* Every number below `count` once: in order, or in steps that share no factor with it. */
struct sequence {
    uint64_t count, first = 0, step = 1;
    sequence(uint64_t count_, uint64_t *random) : count(count_)
    {
        if (*random == 0 || count < 2)
            return;
        first = draw(random, (unsigned)count);
        do
            step = 1 + draw(random, (unsigned)count - 1);
        while (std::gcd(step, count) != 1);
    }
    uint64_t at(uint64_t i) const
    {
        return (first + i * step) % count;
    }
};

uint3 unpack(uint64_t index, dim3 size)
{
    return {(unsigned)(index % size.x), (unsigned)(index / size.x % size.y),
            (unsigned)(index / size.x / size.y)};
}

void set_up_block(engine *e, const cudaLaunchConfig_t &config, uint3 index)
{
    block *b = &e->now;
    size_t count = b->threads.size();
    blockIdx = index;
    blockDim = config.blockDim;
    gridDim = config.gridDim;
    sequence order(count, &e->random);
    for (size_t i = 0; i < count; i++) {
        b->threads[i] = thread();
        b->threads[i].index = unpack(i, config.blockDim);
        b->order[i] = (unsigned)order.at(i);
    }
    b->num_started = b->num_unsent = 0;
    b->votes = 0;
    b->num_live = count;
    b->ready.clear();
    memset(dynamic_shared, 0xFF, config.dynamicSmemBytes); /* NaN, and -1 */
}

} // namespace

unsigned draw(uint64_t *state, unsigned bound)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((*state >> 33) % bound);
}

int block_barrier(bool vote, int line)
{
    block *b = &running->now;
    if (b->num_unsent > 0 && b->barrier_line != line) {
        char why[128];
        snprintf(why, sizeof(why),
                 "thread %zu is at the barrier of line %d while others wait at that of line %d",
                 number_of(running->current), line, b->barrier_line);
        trap(why);
    }
    b->barrier_line = line;
    b->num_unsent++;
    b->votes += vote;
    thread *self = running->current;
    self->is = state::at_block_barrier;
    open_block_barrier();
    back_to_scheduler(self->on);
    return self->result;
}

unsigned warp_barrier(const char *name, unsigned mask, uint64_t mine, uint64_t all[32])
{
    thread *self = running->current;
    if (!(mask >> lane_now & 1)) {
        char why[128];
        snprintf(why, sizeof(why), "thread %zu calls %s with mask 0x%08x, which lacks itself",
                 number_of(self), name, mask);
        trap(why);
    }
    self->operation = name;
    self->mask = mask;
    self->mine = mine;
    self->all = all;
    self->is = state::at_warp_barrier;
    open_warp_barrier(self);
    back_to_scheduler(self->on);
    return self->present;
}

void yield_sometimes()
{
    engine *e = running;
    if (e->random == 0 || draw(&e->random, 8) != 0)
        return;
    thread *self = e->current;
    make_ready(self);
    back_to_scheduler(self->on);
}

void trap(const char *why)
{
    engine *e = running;
    const uint3 at = blockIdx;
    snprintf(e->problem, sizeof(e->problem), "block (%u, %u, %u): %s", at.x, at.y, at.z, why);
    e->failed = true;
    back_to_scheduler(e->current->on);
    abort(); /* nobody resumes a failed grid */
}

bool run_grid(const cudaLaunchConfig_t &config, const std::function<void()> &kernel,
              uint64_t shuffle, char *problem, size_t size)
{
    dim3 blocks = config.gridDim, threads = config.blockDim;
    engine e;
    e.kernel = &kernel;
    e.random = shuffle;
    e.now.threads.resize((size_t)threads.x * threads.y * threads.z);
    e.now.order.resize(e.now.threads.size());
    uint64_t count = (uint64_t)blocks.x * blocks.y * blocks.z;
    sequence order(count, &e.random);
    for (const auto &f : pool.fibers)
        e.idle.push_back(f.get());
    running = &e;
    ASAN_POISON_MEMORY_REGION(dynamic_shared + config.dynamicSmemBytes,
                              sizeof(dynamic_shared) - config.dynamicSmemBytes);
    for (uint64_t i = 0; i < count && !e.failed; i++) {
        set_up_block(&e, config, unpack(order.at(i), blocks));
        run_block(&e);
    }
    ASAN_UNPOISON_MEMORY_REGION(dynamic_shared, sizeof(dynamic_shared));
    running = nullptr;
    if (e.failed) /* threads that wait in the middle of a kernel are forgotten */
        for (const auto &f : pool.fibers)
            f->started = false;
    if (e.failed)
        snprintf(problem, size, "%s", e.problem);
    return !e.failed;
}

} // namespace cuda_emulation
