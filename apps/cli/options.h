/*
 * options.h - a subcommand and its options. One table parses them and prints help and man page, so
 * that the three agree.
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
    /* Names of other options, divided by commas: one of them must be given too; none of them may
     * be, for this one or that would do nothing. */
    const char *needs, *excludes;
} option;

/** A row of a command's table, where the command's struct is called `settings`: type, name, member,
 *  name of the value (NULL: a flag), help; then any other members of `option`. */
#define OPTION(type_, name_, member, value_, ...)                                                  \
    {                                                                                              \
        .name = (name_), .type = OPTION_##type_, .offset = offsetof(settings, member),             \
        .value = (value_), .help = __VA_ARGS__                                                     \
    }

/* Rows that many commands have; the member is called as the option. */
#define OPTION_STORE OPTION(TEXT, "store", store, "URL", "the store (default: see 'nitro config')")
#define OPTION_JSON  OPTION(FLAG, "json", common.json, NULL, "print JSON")
#define OPTION_MODEL OPTION(TEXT, "model", model, "FILE", "the model file", .required = true)
#define OPTION_TARGETS                                                                             \
    OPTION(LIST, "targets", targets, "A,B,...", "target devices (default: all with samples)")
#define OPTION_SOURCES                                                                             \
    OPTION(                                                                                        \
        LIST, "sources", sources, "auto|all|A,B,...",                                              \
        "source devices: 'auto' (the default) takes all and weights them by their similarity to "  \
        "the target, 'all' counts them equally; named ones are weighted among themselves. A "      \
        "target is never its own source")
#define OPTION_TRAIN_FRACTION                                                                      \
    OPTION(NUMBER, "train-fraction", train_fraction, "X",                                          \
           "fraction of the inputs used for training", .minimum = 0.001, .maximum = 0.999)
#define OPTION_THREADS                                                                             \
    OPTION(COUNT, "threads", threads, "N",                                                         \
           "threads for training (default: one per core); results do not depend on it",            \
           .maximum = 4096)
#define OPTION_NAME_PARTS                                                                          \
    OPTION(COUNT, "name-parts", name_parts, "N",                                                   \
           "name a file's input by the last N parts of its path, without the extension",           \
           .minimum = 1, .maximum = 100)
#define OPTION_REPETITIONS                                                                         \
    OPTION(COUNT, "repetitions", repetitions, "N", "maximum number of timed runs of a variant",    \
           .minimum = 1, .maximum = 1000000)
#define OPTION_USES                                                                                \
    OPTION(NUMBER, "uses", uses, "N",                                                              \
           "expected runs of each input: preparing a variant counts once for them (default: no "   \
           "limit, preparing does not count)",                                                     \
           .minimum = 1, .maximum = 1e15)
#define OPTION_TIMEOUT                                                                             \
    OPTION(NUMBER, "timeout", timeout_s, "SECONDS", "time limit of a single call of a variant",    \
           .minimum = 0.001, .maximum = 1e6)

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
    bool json; /* of commands with OPTION_JSON */
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

/** The members of a command whose file calls them as the struct does. */
#define COMMAND_USUAL .options = options, .settings_size = sizeof(settings), .run = run

/** Warnings remembered, so that none is printed twice. */
#define MAX_WARNINGS 256

/** For errors as JSON: what failed first, and whether the results say so already. */
typedef struct failure {
    char *message; /* NULL: nothing */
    bool results_printed;
} failure;

/** A command line, understood. */
typedef struct invocation {
    nitro_context *context;
    const command *command;
    void *settings;
    uint64_t given; /* one bit for each of the command's options */
    nitro_string_list arguments;
    nitro_store *store;                      /* of store_open() */
    failure *failure;                        /* with --json; else NULL */
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

/** Open `call->store` in place of the one before, if any. @return EXIT_DONE, or EXIT_FAILED with
 * the reason printed. */
int store_open(invocation *call, const char *url, nitro_store_mode mode);
/** The same for writing into a store that is there: a typing error in its URL must not make one. */
int store_open_existing(invocation *call, const char *url);

/** Close it, if one is open: as the command ends, or before, where what closing warns of (bundles
 *  that are refused) comes before an error. */
void store_close(invocation *call);

/** The first of some options, "A,B", that is given; NULL: none. */
const option *options_first_given(const invocation *call, const char *names);

/** The list, or NULL if it is empty: the option was not given. */
const nitro_string_list *list_if_given(const nitro_string_list *list);
/** The sources that --sources names; NULL: `auto`, the default, or `all`.
 *  @param[out] are_equal  `all`: they count the same. */
const nitro_string_list *named_sources(const nitro_string_list *given, bool *are_equal);

/** Is an option's value one of the names ended by NULL? @return EXIT_USAGE, with the names printed,
 *  where it is not. */
int check_choice(const invocation *call, const char *name, const char *text,
                 const char *const *choices);

/** The default of an option as text, "" where it has none; `text` has shape [size]. */
void option_default_text(const command *owner, const option *what, char *text, size_t size);

#endif
