/* Finds a worker's descendants in /proc. Its guard is their subreaper: a process whose parent has
 * ended becomes the guard's child, so that none gets away. */
#include "nitro/measure/process_tree.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#define MAX_PROCESSES 1024 /* that are looked at */

typedef struct process_list {
    pid_t items[MAX_PROCESSES];
    size_t count;
} process_list;

static void add(process_list *list, pid_t process)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == process)
            return;
    if (list->count < MAX_PROCESSES)
        list->items[list->count++] = process;
}

static void add_children_of_thread(process_list *list, pid_t process, const char *thread)
{
    char path[320];
    long child;
    snprintf(path, sizeof(path), "/proc/%ld/task/%s/children", (long)process, thread);
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%ld", &child) == 1)
        add(list, (pid_t)child);
    if (file)
        fclose(file);
}

/* Each thread has children of its own. */
static void add_children(process_list *list, pid_t process)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%ld/task", (long)process);
    DIR *threads = opendir(path);
    for (const struct dirent *entry; threads && (entry = readdir(threads));)
        if (entry->d_name[0] != '.')
            add_children_of_thread(list, process, entry->d_name);
    if (threads)
        closedir(threads);
}

static void find(process_list *list, pid_t root)
{
    list->count = 0;
    add_children(list, root);
    for (size_t i = 0; i < list->count; i++)
        add_children(list, list->items[i]);
}

size_t nitro_process_memory(pid_t process)
{
    char path[64];
    unsigned long resident = 0;
    snprintf(path, sizeof(path), "/proc/%ld/statm", (long)process);
    FILE *file = process > 0 ? fopen(path, "re") : NULL;
    bool is_read = file && fscanf(file, "%*u %lu", &resident) == 1;
    if (file)
        fclose(file);
    return is_read ? resident * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

size_t nitro_process_tree_memory(pid_t root)
{
    process_list list;
    size_t sum = 0;
    find(&list, root);
    for (size_t i = 0; i < list.count; i++)
        sum += nitro_process_memory(list.items[i]);
    return sum;
}

/* Stopped first, so that none of them forks meanwhile. */
void nitro_process_tree_kill(pid_t root)
{
    process_list list;
    size_t seen;
    find(&list, root);
    do {
        seen = list.count;
        for (size_t i = 0; i < list.count; i++)
            kill(list.items[i], SIGSTOP);
        find(&list, root);
    } while (list.count > seen);
    for (size_t i = 0; i < list.count; i++)
        kill(list.items[i], SIGKILL);
}
