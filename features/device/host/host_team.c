/* Threads that start together and exist only during a run: the library forks workers, and a thread
 * pool (or OpenMP's) would not survive that. */
#include <hwloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "features/device/host/host_kind.h"

typedef enum gate { GATE_CLOSED, GATE_OPEN, GATE_CANCELLED } gate;

typedef struct member {
    nitro_host_team *team;
    size_t index;
    pthread_t thread;
} member;

struct nitro_host_team {
    nitro_context *context;
    hwloc_topology_t topology;
    size_t num_members;
    member *members; /* shape [num_members] */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a member arrived, or the gate changed */
    size_t num_arrived;
    gate gate;
    nitro_host_work work;
    void *state;
};

nitro_status nitro_host_team_create(nitro_context *context, size_t num_threads,
                                    nitro_host_team **team)
{
    nitro_host_team *created = nitro_calloc(context, 1, sizeof(*created));
    if (!created)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    created->context = context;
    created->num_members = num_threads;
    created->members = nitro_calloc(context, num_threads, sizeof(*created->members));
    if (!created->members)
        goto free_team;
    if (hwloc_topology_init(&created->topology) != 0 ||
        hwloc_topology_load(created->topology) != 0) {
        status = nitro_fail(context, NITRO_ERR_IO, "hwloc cannot load this machine's topology");
        goto free_topology;
    }
    pthread_mutex_init(&created->lock, NULL);
    pthread_cond_init(&created->changed, NULL);
    *team = created;
    return NITRO_OK;

free_topology:
    if (created->topology)
        hwloc_topology_destroy(created->topology);
free_team:
    free(created->members);
    free(created);
    return status;
}

void nitro_host_team_free(nitro_host_team *team)
{
    if (!team)
        return;
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->lock);
    hwloc_topology_destroy(team->topology);
    free(team->members);
    free(team);
}

/* Best effort: if binding fails, the scheduler decides. */
static void bind_to_core(hwloc_topology_t topology, size_t index)
{
    hwloc_obj_t core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, (unsigned)index);
    if (core)
        hwloc_set_cpubind(topology, core->cpuset, HWLOC_CPUBIND_THREAD);
}

static void *run_member(void *argument)
{
    member *self = argument;
    nitro_host_team *team = self->team;
    bind_to_core(team->topology, self->index);
    pthread_mutex_lock(&team->lock);
    team->num_arrived++;
    pthread_cond_broadcast(&team->changed);
    while (team->gate == GATE_CLOSED)
        pthread_cond_wait(&team->changed, &team->lock);
    gate seen = team->gate;
    pthread_mutex_unlock(&team->lock);
    if (seen == GATE_OPEN)
        team->work(team->state, self->index);
    return NULL;
}

/* Changes the gate once `num_expected` members wait at it.
 * @return the time of the change. */
static double move_gate(nitro_host_team *team, size_t num_expected, gate position)
{
    pthread_mutex_lock(&team->lock);
    while (team->num_arrived < num_expected)
        pthread_cond_wait(&team->changed, &team->lock);
    double now_ms = nitro_clock_wall_ms(team->context);
    team->gate = position;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
    return now_ms;
}

nitro_status nitro_host_team_run(nitro_host_team *team, nitro_host_work work, void *state,
                                 double *elapsed_ms)
{
    size_t num_started = 0;
    int error = 0;
    team->num_arrived = 0;
    team->gate = GATE_CLOSED;
    team->work = work;
    team->state = state;
    while (num_started < team->num_members && error == 0) {
        member *next = &team->members[num_started];
        *next = (member){.team = team, .index = num_started};
        error = pthread_create(&next->thread, NULL, run_member, next);
        num_started += error == 0;
    }
    double start_ms = move_gate(team, num_started, error ? GATE_CANCELLED : GATE_OPEN);
    for (size_t i = 0; i < num_started; i++)
        pthread_join(team->members[i].thread, NULL);
    if (error)
        return nitro_fail(team->context, NITRO_ERR_IO, "cannot start thread %zu of %zu: %s",
                          num_started + 1, team->num_members, strerror(error));
    *elapsed_ms = nitro_clock_wall_ms(team->context) - start_ms;
    return NITRO_OK;
}
