/*
 * options.h - what a subcommand is: one table that parses its options, prints its help and makes
 * its man page, so that the three cannot disagree.
 */
#ifndef NITRO_APPS_CLI_OPTIONS_H
#define NITRO_APPS_CLI_OPTIONS_H

#include "nitro/nitro_backend.h"

/** Exit codes of the program. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/** Start value of an OPTION_COUNT that has no default, where 0 is a value. */
#define OPTION_NOT_GIVEN UINT64_MAX

typedef enum option_type {
    OPTION_FLAG,   /* bool */
    OPTION_TEXT,   /* const char *, NULL unless given or defaulted; points into argv */
    OPTION_LIST,   /* nitro_string_list: "a,b,c"; given again, it appends */
    OPTION_FILES,  /* nitro_string_list: all values up to the next option */
    OPTION_COUNT,  /* uint64_t within [minimum, maximum] */
    OPTION_NUMBER, /* double within [minimum, maximum] */
} option_type;

/** One option; tables end with a NULL name. `offset` is its place in the command's settings. */
typedef struct option {
    const char *name; /* without the dashes */
    option_type type;
    size_t offset;
    const char *value; /* what help calls the value, e.g. "FILE" */
    const char *help;
    const char *const *choices; /* OPTION_TEXT: the values allowed, ended by NULL */
    double minimum, maximum;    /* of numbers; both 0: any that is not negative */
    bool required;
} option;

/* Rows that many commands have, where their struct is called `settings` and its member as the
 * option.
 */
#define OPTION_STORE                                                                               \
    {                                                                                              \
        .name = "store", .type = OPTION_TEXT, .offset = offsetof(settings, store), .value = "URL", \
        .help = "the store (default: what 'nitro config' says, else the user's own)"               \
    }
#define OPTION_JSON                                                                                \
    {                                                                                              \
        .name = "json", .type = OPTION_FLAG, .offset = offsetof(settings, json),                   \
        .help = "print JSON"                                                                       \
    }

#define OPTION_MODEL                                                                               \
    {                                                                                              \
        .name = "model", .type = OPTION_TEXT, .offset = offsetof(settings, model),                 \
        .value = "FILE", .help = "the model file", .required = true                                \
    }
#define OPTION_TARGETS                                                                             \
    {                                                                                              \
        .name = "targets", .type = OPTION_LIST, .offset = offsetof(settings, targets),             \
        .value = "A,B,...",                                                                        \
        .help = "devices to choose for, one after the other (default: all with samples)"           \
    }
#define OPTION_SOURCES                                                                             \
    {                                                                                              \
        .name = "sources", .type = OPTION_LIST, .offset = offsetof(settings, sources),             \
        .value = "A,B,...",                                                                        \
        .help = "devices to learn from; a target is never its own source (default: all)"           \
    }
#define OPTION_TRAIN_FRACTION                                                                      \
    {                                                                                              \
        .name = "train-fraction", .type = OPTION_NUMBER,                                           \
        .offset = offsetof(settings, train_fraction), .value = "X", .minimum = 0.001,              \
        .maximum = 0.999, .help = "share of the inputs to learn from"                              \
    }
#define OPTION_THREADS                                                                             \
    {                                                                                              \
        .name = "threads", .type = OPTION_COUNT, .offset = offsetof(settings, threads),            \
        .value = "N", .maximum = 4096,                                                             \
        .help = "threads to learn with (default: one a core); results do not depend on it"         \
    }

/** A positional argument; tables end with a NULL name. */
typedef struct argument {
    const char *name;
    const char *help;
    bool optional;
    bool many; /* the last one may take all that is left */
} argument;

/** One line of a list in help: a method, a built-in computation. */
typedef struct help_item {
    const char *name, *description;
    char remark[64]; /* put behind it; "": none */
} help_item;

/** The first member of every command's settings. */
typedef struct common_settings {
    bool help, quiet, verbose;
} common_settings;

struct invocation;

typedef struct command {
    const char *name;        /* "tune", "store import" */
    const char *summary;     /* one line, no full stop */
    const char *synopsis;    /* what follows the name */
    const char *description; /* paragraphs, parted by an empty line */
    const char *examples;    /* lines, or NULL */
    const argument *arguments;
    const option *options;
    const char *items_title;                             /* NULL: no list in help */
    size_t (*list_items)(help_item *items, size_t most); /* @return how many were written */
    size_t settings_size;
    void (*set_defaults)(void *settings); /* NULL: all zero */
    int (*run)(struct invocation *call);
} command;

/** Most warnings that are kept in mind, so that none is printed twice. */
#define MAX_WARNINGS 256

/** A command line, understood. */
typedef struct invocation {
    nitro_context *context;
    const command *command;
    void *settings;
    nitro_string_list arguments;
    struct progress_line *progress;          /* the one on screen now, or NULL */
    _Atomic uint64_t warnings[MAX_WARNINGS]; /* hashes of those printed; any thread may warn */
    _Atomic size_t num_warnings;
} invocation;

/** The options that every command has: --help, --quiet, --verbose. Ended by a NULL name. */
const option *options_common(void);

/**
 * Parse what follows the command's name into `call->settings` (made here) and `call->arguments`.
 * @return EXIT_DONE, or EXIT_USAGE with the reason printed. invocation_free() in either case.
 */
int options_parse(invocation *call, char **words, size_t num_words);
void invocation_free(invocation *call);

/** The default of an option as text, "" where it has none; `text` has shape [size]. */
void option_default_text(const command *owner, const option *what, char *text, size_t size);

#endif
