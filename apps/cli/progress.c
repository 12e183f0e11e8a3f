/* progress.c - how far a long command is: rate and time left, redrawn or as plain lines. */
#include <string.h>
#include <unistd.h>

#include "apps/cli/output.h"
#include "apps/cli/terminal.h"

enum {
    BRIEF_MS = 1000,      /* nothing is shown of what is over sooner */
    REDRAW_MS = 100,      /* on a terminal */
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
    if (here > 0 && seconds > 0.0) {
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

static bool is_due(const progress_line *progress, double now_ms, size_t percent, bool last)
{
    double waited_ms = now_ms - progress->last_ms;
    if (now_ms - progress->started_ms < BRIEF_MS)
        return false;
    if (last)
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
    format_line(progress, done, total, found, detail, line, sizeof line);
    if (progress->terminal)
        fprintf(stderr, "\r\033[K%.*s", (int)terminal_width(stderr) - 1, line);
    else
        fprintf(stderr, "%s\n", line);
    fflush(stderr);
    progress->shown = true;
    progress->last_ms = now_ms;
    progress->last_percent = percent;
}

void progress_clear(progress_line *progress)
{
    if (progress->terminal && progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}

void progress_end(progress_line *progress)
{
    if (progress->call->progress != progress)
        return;
    if (progress->terminal && progress->shown)
        fputc('\n', stderr);
    progress->call->progress = NULL;
}
