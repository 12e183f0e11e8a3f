/* The worker process: opens the device, loads one input, evaluates its features, and measures its
 * variants. It runs code that may crash or hang, so every result is sent as soon as it is final,
 * and the current place is published before every call. After a variant that broke the device for
 * this process it exits: the next worker continues. */
#include "nitro/measure/worker.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nitro/base/child_process.h"
#include "nitro/base/context.h"
#include "nitro/measure/bind_threads.h"
#include "nitro/measure/process_tree.h"
#include "nitro/measure/worker_internal.h"

void nitro_worker_enter(const nitro_worker *self, nitro_phase phase)
{
    nitro_place place = {.phase = phase, .variant = NITRO_NONE};
    atomic_store_explicit(self->place, nitro_place_encode(place), memory_order_release);
}

/** @param[out] costs_ms  unchanged if variants are not timed: modelled devices have no such cost.
 */
static nitro_status load_input(nitro_worker *self, double *features, double *costs_ms)
{
    const nitro_input *input = self->job->input;
    nitro_context_clear_error(self->context); /* so that an older error is not reported */
    nitro_worker_enter(self, NITRO_PHASE_LOAD);
    nitro_status status = input->load(self->context, input->state, &self->argument);
    if (status != NITRO_OK)
        return status;
    nitro_worker_enter(self, NITRO_PHASE_FEATURES);
    return self->job->extent == NITRO_MEASURE_ALL
               ? nitro_computation_time_features(self->computation, self->argument, features,
                                                 costs_ms)
               : nitro_computation_evaluate(self->computation, self->argument, features);
}

/* An input that is too large for the device is no error: every variant's entry is out of memory. */
static nitro_status prepare_input(nitro_worker *self, bool *fits)
{
    const nitro_hooks *hooks = &self->computation->hooks;
    nitro_worker_enter(self, NITRO_PHASE_PREPARE_INPUT);
    int failure = hooks->prepare_input ? hooks->prepare_input(self->argument, hooks->user) : 0;
    *fits = failure != NITRO_ERR_NO_MEMORY;
    if (!failure || !*fits)
        return NITRO_OK;
    const char *why = nitro_computation_problem(self->computation, self->argument);
    return nitro_fail(self->context, NITRO_ERR_VARIANT_FAILED, "prepare_input returned %d%s%s",
                      failure, why[0] ? ": " : "", why);
}

/* Measures or profiles variants, if requested. */
static nitro_status run_variants(nitro_worker *self, const double *features)
{
    bool fits = true;
    if (self->job->extent == NITRO_MEASURE_FEATURES_ONLY)
        return NITRO_OK;
    nitro_status status = prepare_input(self, &fits);
    if (status != NITRO_OK)
        return status;
    if (!fits)
        nitro_worker_refuse(self);
    else if (self->job->extent == NITRO_MEASURE_PROFILES)
        nitro_worker_profile(self, features);
    else
        nitro_worker_measure(self, features);
    return NITRO_OK;
}

static void release(nitro_worker *self)
{
    nitro_worker_release(self);
    nitro_worker_enter(self, NITRO_PHASE_UNLOAD);
    if (self->job->input->unload)
        self->job->input->unload(self->argument);
    nitro_worker_device_close(&self->device);
}

static nitro_status open_device(nitro_worker *self)
{
    nitro_context_clear_error(self->context); /* so that an older error is not reported */
    nitro_worker_enter(self, NITRO_PHASE_OPEN);
    return nitro_worker_device_open(&self->device, self->context, self->job->access,
                                    self->job->device);
}

/* Forks the worker, returns in it, and stays as its guard: what a worker leaves behind, also by a
 * crash, becomes the guard's children, and is killed. Then the guard ends as the worker did. */
static void become_guarded(int channel, nitro_place_word *place)
{
    const pid_t guard = getpid();
    int code = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* see process_tree.c */
    const pid_t worker = fork();
    if (worker < 0)
        _exit(EXIT_FAILURE);
    if (worker == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != guard)
            _exit(EXIT_FAILURE);
        atomic_store(&place[1], (uint64_t)getpid());
        return;
    }
    close(channel);
    for (pid_t ended = 0; ended != worker;) {
        ended = waitpid(-1, &code, 0);
        if (ended < 0 && errno != EINTR)
            _exit(EXIT_FAILURE);
    }
    nitro_process_tree_kill(guard);
    if (WIFSIGNALED(code))
        kill(guard, WTERMSIG(code));
    _exit(WEXITSTATUS(code));
}

void nitro_worker_main(const nitro_job *job, pid_t parent, int channel, nitro_place_word *place)
{
    nitro_child_detach(parent, channel);
    become_guarded(channel, place);
    nitro_computation *computation = job->computation;
    size_t reference = computation->reference;
    nitro_worker self = {
        .job = job,
        .computation = computation,
        .context = computation->context,
        .process = getpid(),
        .channel = channel,
        .place = place,
        .reference = reference == NITRO_NONE ? computation->schema->default_variant : reference,
        .kept_reference = NITRO_NONE,
    };
    if (self.context->log)
        nitro_context_set_log(self.context, self.context->log_level, nitro_worker_send_log, &self);
    double features[NITRO_MAX_FEATURES] = {0}, costs_ms[NITRO_MAX_FEATURES];
    for (size_t f = 0; f < NITRO_MAX_FEATURES; f++)
        costs_ms[f] = NAN;
    nitro_status status = open_device(&self);
    if (status == NITRO_OK && job->profiling)
        nitro_worker_open_profiler(&self);
    if (status == NITRO_OK && strcmp(computation->device_kind, "host") == 0)
        nitro_bind_threads();
    if (status == NITRO_OK)
        status = load_input(&self, features, costs_ms);
    if (status == NITRO_OK) {
        nitro_worker_send_features(&self, features, costs_ms);
        status = run_variants(&self, features);
    }
    if (status == NITRO_OK) {
        nitro_worker_send_text(&self, NITRO_RECORD_DONE, 0, "");
        release(&self);
    } else {
        nitro_worker_send_error(&self, status);
    }
    _exit(EXIT_SUCCESS);
}
