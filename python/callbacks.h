/*
 * callbacks.h - the part of the Python package that is C: what the library calls of a computation
 * that Python declared. Included by the extension module's source, which make_extension.py writes.
 *
 * An argument of the library is a struct with handles of Python objects, so that features that were
 * evaluated before need no Python. A function marked PYTHON_FUNCTION is implemented in Python.
 */
#include <pthread.h>
#include <string.h>

#include "nitro/backend/explain.h"
#include "nitro/nitro.h"
#include "nitro/nitro_backend.h"

/* for cffi */
typedef struct nitro_python_argument {
    void *object;           /* handle of the Python argument */
    const double *features; /* those evaluated before, in declared order */
    size_t num_features;    /* their number; those declared since are evaluated */
} nitro_python_argument;

typedef struct nitro_python_features {
    void *object;        /* handle of the Python function */
    size_t first, count; /* places of its features */
} nitro_python_features;

struct nitro_python_hooks {
    int (*run)(void *argument, void *user);
    int (*prepare)(void *argument, void *user);
    void (*release)(void *argument, void *user);
    bool (*allows)(const double *features, const void *argument, void *user);
    nitro_features_function evaluate;
    int (*prepare_input)(void *argument, void *user);
    int (*restore_input)(void *argument, void *user);
    int (*keep_reference)(void *argument, void *user);
    int (*check_result)(void *argument, char *why, size_t size, void *user);
    void *(*stream)(const void *argument, void *user);
    const char *(*problem)(const void *argument, void *user);
    int (*run_tunable)(void *argument, const double *values, void *user);
    int (*check_tunable)(void *argument, char *why, size_t size, void *user);
    void *(*copy)(const void *argument, void *user);
};
static const struct nitro_python_hooks nitro_python;
int nitro_python_protect_forks(void);
/* end */

/* Redefined by nobody: a mark for make_extension.py. */
#define PYTHON_FUNCTION static

PYTHON_FUNCTION int nitro_python_run(void *object, void *user);
PYTHON_FUNCTION int nitro_python_prepare(void *object, void *user);
PYTHON_FUNCTION void nitro_python_release(void *object, void *user);
PYTHON_FUNCTION bool nitro_python_allows(const double *features, void *object, void *user);
PYTHON_FUNCTION int nitro_python_evaluate(void *object, double *values, void *user);
PYTHON_FUNCTION int nitro_python_prepare_input(void *object, void *user);
PYTHON_FUNCTION int nitro_python_restore_input(void *object, void *user);
PYTHON_FUNCTION int nitro_python_keep_reference(void *object, void *user);
PYTHON_FUNCTION int nitro_python_check_result(void *object, char *why, size_t size, void *user);
PYTHON_FUNCTION void *nitro_python_stream(void *object, void *user);
PYTHON_FUNCTION const char *nitro_python_problem(void *object, void *user);
PYTHON_FUNCTION void nitro_python_log(void *user, nitro_log_level level, const char *message);
PYTHON_FUNCTION nitro_status nitro_python_load(nitro_context *context, void *state,
                                               void **argument);
PYTHON_FUNCTION void nitro_python_unload(void *argument);
PYTHON_FUNCTION bool nitro_python_tuned(void *user, const nitro_tune_progress *progress);
PYTHON_FUNCTION bool nitro_python_evaluated(void *user, size_t done, size_t total,
                                            const char *target, const char *method);
PYTHON_FUNCTION int nitro_python_run_tunable(void *object, const double *values, void *user);
PYTHON_FUNCTION int nitro_python_check_tunable(void *object, char *why, size_t size, void *user);
PYTHON_FUNCTION void *nitro_python_copy(void *object, void *user);
PYTHON_FUNCTION void nitro_python_discard(void *copy, void *user);
PYTHON_FUNCTION nitro_status nitro_python_load_tunable(nitro_context *context, void *user,
                                                       void **argument);
PYTHON_FUNCTION bool nitro_python_searched(void *user, const nitro_tuner_statistics *statistics);
PYTHON_FUNCTION bool nitro_python_learnt(void *user, const nitro_learn_progress *progress);
PYTHON_FUNCTION nitro_status nitro_python_measure(void *user, const char *const *inputs,
                                                  size_t count);
PYTHON_FUNCTION nitro_status nitro_python_sample(void *user, const nitro_sample *sample);

static void *object_of(const void *argument)
{
    return argument ? ((const nitro_python_argument *)argument)->object : NULL;
}

static int call_run(void *argument, void *user)
{
    return nitro_python_run(object_of(argument), user);
}

static int call_prepare(void *argument, void *user)
{
    return nitro_python_prepare(object_of(argument), user);
}

static void call_release(void *argument, void *user)
{
    nitro_python_release(object_of(argument), user);
}

static bool call_allows(const double *features, const void *argument, void *user)
{
    return nitro_python_allows(features, object_of(argument), user);
}

static int call_evaluate(const void *argument, double *values, void *user)
{
    const nitro_python_features *group = user;
    const nitro_python_argument *given = argument;
    if (group->first + group->count > given->num_features)
        return nitro_python_evaluate(given->object, values, group->object);
    memcpy(values, given->features + group->first, group->count * sizeof *values);
    return 0;
}

static int call_prepare_input(void *argument, void *user)
{
    return nitro_python_prepare_input(object_of(argument), user);
}

static int call_restore_input(void *argument, void *user)
{
    return nitro_python_restore_input(object_of(argument), user);
}

static int call_keep_reference(void *argument, void *user)
{
    return nitro_python_keep_reference(object_of(argument), user);
}

static int call_check_result(void *argument, char *why, size_t size, void *user)
{
    return nitro_python_check_result(object_of(argument), why, size, user);
}

static void *call_stream(const void *argument, void *user)
{
    return nitro_python_stream(object_of(argument), user);
}

static const char *call_problem(const void *argument, void *user)
{
    return nitro_python_problem(object_of(argument), user);
}

static int call_run_tunable(void *argument, const double *values, void *user)
{
    return nitro_python_run_tunable(object_of(argument), values, user);
}

static int call_check_tunable(void *argument, char *why, size_t size, void *user)
{
    return nitro_python_check_tunable(object_of(argument), why, size, user);
}

static void *call_copy(const void *argument, void *user)
{
    return nitro_python_copy(object_of(argument), user);
}

static const struct nitro_python_hooks nitro_python = {
    .run = call_run,
    .prepare = call_prepare,
    .release = call_release,
    .allows = call_allows,
    .evaluate = call_evaluate,
    .prepare_input = call_prepare_input,
    .restore_input = call_restore_input,
    .keep_reference = call_keep_reference,
    .check_result = call_check_result,
    .stream = call_stream,
    .problem = call_problem,
    .run_tunable = call_run_tunable,
    .check_tunable = call_check_tunable,
    .copy = call_copy,
};

/* The library forks worker processes while other threads run Python. These do not exist in the
 * process that is forked: what they held there, such as Python's lock, would be held for ever.
 * Python makes it whole, as in os.fork(), which holds that lock already. */
static _Thread_local bool has_entered;
static _Thread_local PyGILState_STATE before;

static void before_fork(void)
{
    has_entered = false;
    if (!PyGILState_GetThisThreadState())
        return; /* no thread of Python's */
    before = PyGILState_Ensure();
    has_entered = before == PyGILState_UNLOCKED;
    if (has_entered)
        PyOS_BeforeFork();
    else
        PyGILState_Release(before);
}

static void after_fork_in_parent(void)
{
    if (!has_entered)
        return;
    PyOS_AfterFork_Parent();
    PyGILState_Release(before);
}

static void after_fork_in_child(void)
{
    if (!has_entered)
        return;
    PyOS_AfterFork_Child();
    PyGILState_Release(before);
}

int nitro_python_protect_forks(void)
{
    return pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
