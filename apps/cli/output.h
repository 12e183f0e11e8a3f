/*
 * output.h - what the program prints: messages and progress on stderr, results (tables, JSON) on
 * stdout. Nothing but results ever goes to stdout.
 */
#ifndef NITRO_APPS_CLI_OUTPUT_H
#define NITRO_APPS_CLI_OUTPUT_H

#include <jansson.h>
#include <pthread.h>

#include "apps/cli/options.h"

/* ---- Messages (message.c) ------------------------------------------------------------------- */

/** Print "nitro CMD: " and the context's last error. @return EXIT_FAILED */
int fail(const invocation *call);
/** The exit code of a status; a failure is printed as by fail(). */
int exit_code(const invocation *call, nitro_status status);
/** Print a message of our own. @return EXIT_FAILED */
int fail_text(const invocation *call, const char *format, ...) NITRO_PRINTF(2, 3);
/** A wrong command line: print the message and where to read more. @return EXIT_USAGE */
int fail_usage(const invocation *call, const char *format, ...) NITRO_PRINTF(2, 3);
/** Something the user should know, e.g. where a file went. Silent with --quiet. */
void note(const invocation *call, const char *format, ...) NITRO_PRINTF(2, 3);
/** Something that needs the user's eye; --quiet does not silence it. */
void warn(const invocation *call, const char *format, ...) NITRO_PRINTF(2, 3);
/** Show the library's log as messages; `user` is the invocation. */
void show_log(void *user, nitro_log_level level, const char *message);

/** "a, b, c" from names ended by NULL, cut to `size`. */
void join_names(const char *const *names, char *text, size_t size);
void join_list(const nitro_string_list *names, char *text, size_t size);

/** "" of one, else "s". */
const char *plural(size_t count);

/* ---- Tables (table.c) ----------------------------------------------------------------------- */

/** Columns of text, aligned when printed. Cells are added one by one, row after row. */
typedef struct text_table {
    nitro_context *context;
    nitro_string_list headers;
    nitro_string_list cells;
    nitro_status status; /* the first failure; reported by table_end */
    bool has_groups; /* rows with an empty first cell belong to the one above; on a terminal that
                        is too narrow, first cells become headings */
} text_table;

/** `headers`: "target,>mean": parted by commas, '>' aligns the column to the right. */
void table_begin(text_table *table, nitro_context *context, const char *headers);
/** One more header, which may have commas: to the right, before the first cell. */
void table_header(text_table *table, const char *title);
void table_cell(text_table *table, const char *format, ...) NITRO_PRINTF(2, 3);
/** A number with `decimals` places, "-" where there is none. */
void table_number(text_table *table, double value, int decimals);
/** Print on stdout, free, and hand the first failure through. A row of empty cells is an empty
 * line. */
nitro_status table_end(text_table *table);

/** A time with three significant figures and its unit: "1.23 ms", "45.6 us", "2.10 s". */
void format_time(double time_ms, char *text, size_t size);
/** A size: "12.3 MB" (powers of 1000). */
void format_size(uint64_t bytes, char *text, size_t size);

/* ---- JSON (json_output.c) ------------------------------------------------------------------- */

/** Is --json given? */
static inline bool wants_json(const invocation *call)
{
    return ((const common_settings *)call->settings)->json;
}

/** From here on json_is_complete() knows of memory that ran out: callers need not check each value
 * that they add. */
void json_begin(void);
/** Was there memory for all JSON that was read and made, also by the library? */
bool json_is_complete(void);
/** The number, or null where it is not finite. */
json_t *json_value(double value);
/** The text (bytes that are not UTF-8 become '?'), or null for NULL. */
json_t *json_text(const char *text);
json_t *json_names(const nitro_string_list *names);
/** The text that an object has under this key; NULL: none. */
const char *text_of(const json_t *object, const char *key);
/** Print one JSON value on stdout and drop it; NULL means that memory ran out. @return exit code */
int print_json(const invocation *call, json_t *value);

/* ---- Progress (progress.c) ------------------------------------------------------------------ */

/**
 * Progress on stderr: on a terminal one line that is redrawn, else a plain line now and then.
 * Rate and time left count what was done here, not what was found done.
 */
typedef struct progress_line {
    invocation *call;
    const char *task; /* borrowed: "tune spmv on host" */
    const char *unit; /* borrowed: "inputs" */
    bool terminal, shown;
    double started_ms, last_ms;
    size_t last_percent;
    double left_ms; /* time left, where the caller knows better than by the rate; else 0 or NaN */
    bool waits, updated, ended;
    pthread_t thread; /* these only where it waits */
    pthread_mutex_t lock;
    pthread_cond_t end;
} progress_line;

void progress_begin(progress_line *progress, invocation *call, const char *task, const char *unit);
/**
 * The same for a step that reports nothing (`unit` NULL), or late: on a terminal, the time that it
 * has taken is shown every second until the first update. A thread does it: not where variants are
 * measured.
 */
void progress_begin_waiting(progress_line *progress, invocation *call, const char *task,
                            const char *unit);
/** `found`: how many of `done` were there already; `detail` may be NULL. */
void progress_update(progress_line *progress, size_t done, size_t total, size_t found,
                     const char *detail);
/** Clear the line for a message; the next update draws it again. */
void progress_clear(progress_line *progress);
void progress_end(progress_line *progress);

#endif
