/* Bounds the memory of one reply, which hiredis does not: a larger reply is an error. */
#include "store/redis/redis_internal.h"

#if HIREDIS_MAJOR >= 1
typedef size_t reply_count;
#else
typedef int reply_count;
#endif

static bool charge(redis_budget *budget, size_t bytes)
{
    budget->exceeded = budget->exceeded || bytes > budget->bytes;
    budget->bytes -= budget->exceeded ? 0 : bytes;
    return !budget->exceeded;
}

static void *create_string(const redisReadTask *task, char *text, size_t size)
{
    redis_budget *budget = task->privdata;
    return charge(budget, size + sizeof(redisReply))
               ? budget->hiredis.createString(task, text, size)
               : NULL;
}

/* From version 1 on, hiredis takes replies of any depth, and frees them recursively. */
static bool is_too_deep(const redisReadTask *task)
{
    int depth = 0;
    for (; task; task = task->parent)
        depth++;
    return depth > NITRO_REDIS_MAX_DEPTH;
}

static void *create_array(const redisReadTask *task, reply_count count)
{
    redis_budget *budget = task->privdata;
    size_t elements = count > 0 ? (size_t)count : 0;
    bool affordable = elements <= NITRO_REDIS_MAX_ELEMENTS && !is_too_deep(task) &&
                      charge(budget, (elements + 1) * (sizeof(redisReply) + sizeof(void *)));
    budget->exceeded = !affordable;
    return affordable ? budget->hiredis.createArray(task, count) : NULL;
}

void nitro_redis_bound_replies(redis_node *node)
{
    redisReader *reader = node->connection->reader;
    node->budget.hiredis = *reader->fn;
    node->functions = *reader->fn;
    node->functions.createString = create_string;
    node->functions.createArray = create_array;
    reader->fn = &node->functions;
    reader->privdata = &node->budget;
}
