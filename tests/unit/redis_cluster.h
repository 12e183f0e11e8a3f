/* redis_cluster.h - a cluster of three redis-servers on 127.0.0.1, a third of the slots each.
 */
#ifndef NITRO_TESTS_UNIT_REDIS_CLUSTER_H
#define NITRO_TESTS_UNIT_REDIS_CLUSTER_H

#include "unit/redis_server.h"

#define REDIS_CLUSTER_NODES 3

typedef struct redis_cluster {
    redis_server nodes[REDIS_CLUSTER_NODES];
    char bus_ports[REDIS_CLUSTER_NODES][16];
    const char *options[REDIS_CLUSTER_NODES][9];
} redis_cluster;

static inline void redis_cluster_say_ok(redis_cluster *cluster, int node, const char *command)
{
    const char *answer = redis_server_say(&cluster->nodes[node], command);
    if (strncmp(answer, "+OK", 3) != 0)
        fail_msg("node %d: %s: %s", node, command, answer);
}

static inline bool redis_cluster_is_whole(redis_cluster *cluster)
{
    for (int i = 0; i < REDIS_CLUSTER_NODES; i++) {
        const char *info = redis_server_say(&cluster->nodes[i], "CLUSTER INFO");
        if (!strstr(info, "cluster_state:ok") || !strstr(info, "cluster_known_nodes:3"))
            return false;
    }
    return true;
}

/* A server that waits so long, in ms, before it takes another one for dead. */
static inline void redis_cluster_start_node(redis_server *node, char bus_port[16],
                                            const char *options[9], const char *timeout_ms)
{
    snprintf(bus_port, 16, "%d", redis_server_free_port());
    const char *wanted[] = {"--cluster-enabled",
                            "yes",
                            "--cluster-port",
                            bus_port,
                            "--cluster-config-file",
                            "nodes.conf",
                            "--cluster-node-timeout",
                            timeout_ms,
                            NULL};
    memcpy(options, wanted, sizeof(wanted));
    redis_server_make(node, options, true);
}

static inline void redis_cluster_make_with(redis_cluster *cluster, const char *timeout_ms)
{
    char command[128];
    for (int i = 0; i < REDIS_CLUSTER_NODES; i++) {
        redis_cluster_start_node(&cluster->nodes[i], cluster->bus_ports[i], cluster->options[i],
                                 timeout_ms);
        snprintf(command, sizeof(command), "CLUSTER ADDSLOTSRANGE %d %d", i * 16384 / 3,
                 (i + 1) * 16384 / 3 - 1);
        redis_cluster_say_ok(cluster, i, command);
    }
    for (int i = 1; i < REDIS_CLUSTER_NODES; i++) {
        snprintf(command, sizeof(command), "CLUSTER MEET 127.0.0.1 %d %s", cluster->nodes[i].port,
                 cluster->bus_ports[i]);
        redis_cluster_say_ok(cluster, 0, command);
    }
    for (int tries = 0; tries < 1000; tries++) {
        if (redis_cluster_is_whole(cluster))
            return;
        usleep(20000);
    }
    fail_msg("the cluster does not form: %s", redis_server_say(&cluster->nodes[0], "CLUSTER INFO"));
}

static inline void redis_cluster_make(redis_cluster *cluster)
{
    redis_cluster_make_with(cluster, "5000");
}

/* A server that takes over from a master that dies. */
typedef struct redis_replica {
    redis_server server;
    char bus_port[16];
    const char *options[9];
} redis_replica;

/* Has the replica every write of its master? */
static inline bool redis_replica_is_level(const redis_replica *replica, const redis_server *master)
{
    unsigned long long of_master = 0, of_replica = 1;
    const char *found = strstr(redis_server_say(master, "INFO replication"), "master_repl_offset:");
    if (found)
        of_master = strtoull(strchr(found, ':') + 1, NULL, 10);
    const char *own = redis_server_say(&replica->server, "INFO replication");
    found = strstr(own, "slave_repl_offset:");
    if (found)
        of_replica = strtoull(strchr(found, ':') + 1, NULL, 10);
    return strstr(own, "master_link_status:up") && of_replica == of_master;
}

static inline void redis_cluster_add_replica(redis_cluster *cluster, int of, const char *timeout_ms,
                                             redis_replica *replica)
{
    char command[128], id[41];
    redis_cluster_start_node(&replica->server, replica->bus_port, replica->options, timeout_ms);
    const char *answer = redis_server_say(&cluster->nodes[of], "CLUSTER MYID");
    snprintf(id, sizeof(id), "%.40s", strchr(answer, '\n') + 1);
    snprintf(command, sizeof(command), "CLUSTER MEET 127.0.0.1 %d %s", replica->server.port,
             replica->bus_port);
    redis_cluster_say_ok(cluster, of, command);
    snprintf(command, sizeof(command), "CLUSTER REPLICATE %s", id);
    bool is_replica = false;
    for (int tries = 0; tries < 1000; tries++) {
        if (!is_replica) /* an error until it knows its master */
            is_replica = redis_server_say(&replica->server, command)[0] == '+';
        else if (redis_replica_is_level(replica, &cluster->nodes[of]))
            return;
        usleep(20000);
    }
    fail_msg("no replica of node %d: %s", of,
             redis_server_say(&replica->server, "INFO replication"));
}

static inline void redis_cluster_remove(redis_cluster *cluster)
{
    for (int i = 0; i < REDIS_CLUSTER_NODES; i++)
        redis_server_remove(&cluster->nodes[i]);
}

#endif
