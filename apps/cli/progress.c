/* progress.c - how far a long command is: rate and time left, redrawn or as plain lines. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "apps/cli/output.h"
#include "apps/cli/terminal.h"

enum {
    BRIEF_MS = 1000,      /* nothing is shown of what is over sooner */
    REDRAW_MS = 100,      /* on a terminal */
    WAIT_MS = 1500,       /* without an update: the time is shown after this, every second */
    PLAIN_LINE_MS = 5000, /* without one: a line after this time... */
    PLAIN_PERCENT = 10,   /* ...or after this much more is done, */
    PLAIN_LEAST_MS = 1000 /* but never more often than this */
};

void progress_begin(progress_line *progress, invocation *call, const char *task, const char *unit)
{
    const common_settings *common = call->settings;
    double now = nitro_clock_wall_ms(call->context);
    *progress = (progress_line){.call = call,
                                .task = task,
                                .unit = unit,
                                .terminal = isatty(STDERR_FILENO) != 0,
                                .started_ms = now,
                                .last_ms = now};
    call->progress = common->quiet ? NULL : progress;
}

/* ---- Steps that report nothing ---- */

/* By write(), since another thread may print. */
static void show_time(progress_line *progress, double now_ms)
{
    char line[256];
    int length = snprintf(line, sizeof line, "\r\033[K%s: %.0f s", progress->task,
                          (now_ms - progress->started_ms) / 1e3);
    if (length > 0 && (size_t)length < sizeof line)
        progress->shown = write(STDERR_FILENO, line, (size_t)length) == length;
}

static void *wait_for_end(void *state)
{
    progress_line *progress = state;
    pthread_mutex_lock(&progress->lock);
    while (!progress->ended && !progress->updated) {
        struct timespec next;
        clock_gettime(CLOCK_REALTIME, &next);
        next.tv_sec++;
        pthread_cond_timedwait(&progress->end, &progress->lock, &next);
        double now_ms = nitro_clock_wall_ms(progress->call->context);
        if (!progress->ended && !progress->updated && now_ms - progress->last_ms >= WAIT_MS)
            show_time(progress, now_ms);
    }
    pthread_mutex_unlock(&progress->lock);
    return NULL;
}

void progress_begin_waiting(progress_line *progress, invocation *call, const char *task,
                            const char *unit)
{
    progress_begin(progress, call, task, unit);
    if (!progress->terminal || !call->progress)
        return;
    pthread_mutex_init(&progress->lock, NULL);
    pthread_cond_init(&progress->end, NULL);
    progress->waits = pthread_create(&progress->thread, NULL, wait_for_end, progress) == 0;
}

static void lock(progress_line *progress)
{
    if (progress->waits)
        pthread_mutex_lock(&progress->lock);
}

static void unlock(progress_line *progress)
{
    if (progress->waits)
        pthread_mutex_unlock(&progress->lock);
}

static void end_waiting(progress_line *progress)
{
    lock(progress);
    progress->ended = true;
    pthread_cond_signal(&progress->end);
    unlock(progress);
    pthread_join(progress->thread, NULL);
    pthread_mutex_destroy(&progress->lock);
    pthread_cond_destroy(&progress->end);
    progress->waits = false;
    if (!progress->updated)
        progress_clear(progress);
}

/* ---- Steps that report what is done ---- */

static void format_left(double seconds, char *text, size_t size)
{
    unsigned long whole = (unsigned long)(seconds + 0.5);
    if (whole >= 3600)
        snprintf(text, size, "%luh%02lum", whole / 3600, whole / 60 % 60);
    else if (whole >= 60)
        snprintf(text, size, "%lum%02lus", whole / 60, whole % 60);
    else
        snprintf(text, size, "%lus", whole);
}

static void format_line(const progress_line *progress, size_t done, size_t total, size_t found,
                        const char *detail, char *line, size_t size)
{
    double seconds = (nitro_clock_wall_ms(progress->call->context) - progress->started_ms) / 1e3;
    size_t here = done > found ? done - found : 0;
    char rate[80] = "";
    if (here > 0 && seconds > 0.0 && done < total) {
        double per_second = (double)here / seconds;
        char left[32];
        format_left(progress->left_ms > 0.0 ? progress->left_ms / 1e3
                                            : (double)(total - done) / per_second,
                    left, sizeof left);
        snprintf(rate, sizeof rate, ", %.3g/s, %s left", per_second, left);
    }
    snprintf(line, size, "%s: %zu of %zu %s%s%s%s%s", progress->task, done, total, progress->unit,
             rate, detail ? " (" : "", detail ? detail : "", detail ? ")" : "");
}

/** What of a line fits, without half a word: "12 of 1" is not "12 of 150". */
static int fitting_length(const char *line, size_t width)
{
    size_t length = strlen(line);
    if (length > width)
        for (length = width; length > 0 && line[length] != ' ';)
            length--;
    return (int)length;
}

static bool is_due(const progress_line *progress, double now_ms, size_t percent, bool last)
{
    double waited_ms = now_ms - progress->last_ms;
    if (now_ms - progress->started_ms < BRIEF_MS)
        return false;
    if (last && progress->last_percent < 100)
        return true;
    if (progress->terminal)
        return !progress->shown || waited_ms >= REDRAW_MS;
    bool step = percent >= progress->last_percent + PLAIN_PERCENT && waited_ms >= PLAIN_LEAST_MS;
    return step || waited_ms >= PLAIN_LINE_MS;
}

void progress_update(progress_line *progress, size_t done, size_t total, size_t found,
                     const char *detail)
{
    if (!progress->call->progress || total == 0)
        return;
    double now_ms = nitro_clock_wall_ms(progress->call->context);
    size_t percent = done * 100 / total;
    if (!is_due(progress, now_ms, percent, done == total))
        return;
    char line[512];
    lock(progress);
    progress->updated = true;
    format_line(progress, done, total, found, detail, line, sizeof line);
    if (progress->terminal)
        fprintf(stderr, "\r\033[K%.*s", fitting_length(line, terminal_width(stderr) - 1), line);
    else
        fprintf(stderr, "%s\n", line);
    fflush(stderr);
    progress->shown = true;
    progress->last_ms = now_ms;
    progress->last_percent = percent;
    unlock(progress);
}

void progress_clear(progress_line *progress)
{
    lock(progress);
    if (progress->terminal && progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
    if (progress->waits)
        progress->last_ms = nitro_clock_wall_ms(progress->call->context);
    unlock(progress);
}

void progress_end(progress_line *progress)
{
    if (progress->call->progress != progress)
        return;
    if (progress->waits)
        end_waiting(progress);
    if (progress->terminal && progress->shown)
        fputc('\n', stderr);
    progress->call->progress = NULL;
}
