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

static inline void redis_cluster_make(redis_cluster *cluster)
{
    char command[128];
    for (int i = 0; i < REDIS_CLUSTER_NODES; i++) {
        snprintf(cluster->bus_ports[i], sizeof(cluster->bus_ports[i]), "%d",
                 redis_server_free_port());
        const char *options[] = {"--cluster-enabled",
                                 "yes",
                                 "--cluster-port",
                                 cluster->bus_ports[i],
                                 "--cluster-config-file",
                                 "nodes.conf",
                                 "--cluster-node-timeout",
                                 "5000",
                                 NULL};
        memcpy(cluster->options[i], options, sizeof(options));
        redis_server_make(&cluster->nodes[i], cluster->options[i], true);
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

static inline void redis_cluster_remove(redis_cluster *cluster)
{
    for (int i = 0; i < REDIS_CLUSTER_NODES; i++)
        redis_server_remove(&cluster->nodes[i]);
}

#endif
