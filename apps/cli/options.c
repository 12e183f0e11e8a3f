/* options.c - parses a command line by its command's table of options. */
#include "apps/cli/options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/output.h"

enum { MAX_OPTIONS = 48 };

const option *options_common(void)
{
    static const option common[] = {
        {.name = "quiet",
         .offset = offsetof(common_settings, quiet),
         .help = "print no progress: only results, warnings and errors"},
        {.name = "verbose",
         .offset = offsetof(common_settings, verbose),
         .help = "also print informational messages"},
        {.name = "help", .offset = offsetof(common_settings, help), .help = "print this help"},
        {0}};
    return common;
}

static const option *find_in(const option *table, const char *name, size_t length)
{
    for (; table->name; table++)
        if (strlen(table->name) == length && memcmp(table->name, name, length) == 0)
            return table;
    return NULL;
}

static int unknown_option(const invocation *call, const char *name, size_t length)
{
    const char *names[MAX_OPTIONS];
    size_t count = 0;
    const option *tables[] = {call->command->options, options_common()};
    for (size_t t = 0; t < 2; t++)
        for (const option *each = tables[t]; each->name && count < MAX_OPTIONS; each++)
            names[count++] = each->name;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), name);
    const char *close = nitro_closest_name(names, count, word);
    if (close)
        return fail_usage(call, "unknown option --%s; did you mean --%s?", word, close);
    return fail_usage(call, "unknown option --%s", word);
}

static int bad_range(const invocation *call, const option *what, const char *text)
{
    char low[32], high[32];
    nitro_format_number(what->minimum, low, sizeof low);
    nitro_format_number(what->maximum, high, sizeof high);
    const char *kind = what->type == OPTION_COUNT ? "a whole number" : "a number";
    if (what->maximum > what->minimum)
        return fail_usage(call, "--%s: '%s' is not %s from %s to %s", what->name, text, kind, low,
                          high);
    return fail_usage(call, "--%s: '%s' is not %s of at least %s", what->name, text, kind, low);
}

static bool in_range(const option *what, double value)
{
    return value >= what->minimum && (what->maximum <= what->minimum || value <= what->maximum);
}

static int set_count(const invocation *call, const option *what, const char *text, uint64_t *value)
{
    char *end = NULL;
    errno = 0;
    unsigned long long parsed = strtoull(text, &end, 10);
    bool digits = text[0] >= '0' && text[0] <= '9' && *end == '\0';
    if (digits && errno == ERANGE && what->maximum <= what->minimum)
        return fail_usage(call, "--%s: '%s' is over %llu", what->name, text, ULLONG_MAX);
    if (!digits || errno != 0 || !in_range(what, (double)parsed))
        return bad_range(call, what, text);
    *value = parsed;
    return EXIT_DONE;
}

static int set_number(const invocation *call, const option *what, const char *text, double *value)
{
    double parsed;
    if (!nitro_parse_number(text, &parsed) || !in_range(what, parsed))
        return bad_range(call, what, text);
    *value = parsed;
    return EXIT_DONE;
}

int check_choice(const invocation *call, const char *name, const char *text,
                 const char *const *choices)
{
    char all[512];
    size_t count = 0;
    for (; choices[count]; count++)
        if (strcmp(choices[count], text) == 0)
            return EXIT_DONE;
    join_names(choices, all, sizeof all);
    const char *close = nitro_closest_name(choices, count, text);
    return fail_usage(call, "--%s: '%s' is not one of %s%s%s%s", name, text, all,
                      close ? "; did you mean '" : "", close ? close : "", close ? "'?" : "");
}

/** Of a text or one of several files. */
static int check_text(const invocation *call, const option *what, const char *text)
{
    if (*text == '\0')
        return fail_usage(call, "--%s: the value is empty", what->name);
    if (strcmp(text, "-") != 0)
        return EXIT_DONE;
    if (strcmp(what->value, "DIR") == 0)
        return fail_usage(call, "--%s: '-' is no folder; for one of this name write './-'",
                          what->name);
    if (strcmp(what->value, "FILE") == 0 || strcmp(what->value, "MODEL") == 0)
        return fail_usage(call,
                          "--%s: '-' is no file here; the standard output is /dev/stdout, the "
                          "standard input /dev/stdin",
                          what->name);
    return EXIT_DONE;
}

static int set_text(const invocation *call, const option *what, const char *text,
                    const char **value)
{
    if (what->choices && check_choice(call, what->name, text, what->choices) != EXIT_DONE)
        return EXIT_USAGE;
    *value = text;
    return check_text(call, what, text);
}

static int add_file(const invocation *call, const option *what, const char *text,
                    nitro_string_list *files)
{
    int code = check_text(call, what, text);
    return code == EXIT_DONE ? exit_code(call, nitro_string_list_add(call->context, files, text))
                             : code;
}

static int set_list(const invocation *call, const option *what, const char *text,
                    nitro_string_list *list)
{
    nitro_status status = nitro_string_list_split(call->context, list, text);
    if (status == NITRO_ERR_ARGUMENT)
        return fail_usage(call, "--%s: '%s' is not a comma-separated list of names", what->name,
                          text);
    return exit_code(call, status);
}

static int set_value(const invocation *call, const option *what, const char *text)
{
    void *place = (char *)call->settings + what->offset;
    switch (what->type) {
    case OPTION_FLAG:
        *(bool *)place = true;
        return EXIT_DONE;
    case OPTION_TEXT:
        return set_text(call, what, text, place);
    case OPTION_LIST:
        return set_list(call, what, text, place);
    case OPTION_FILES:
        return add_file(call, what, text, place);
    case OPTION_COUNT:
        return set_count(call, what, text, place);
    case OPTION_NUMBER:
        return set_number(call, what, text, place);
    }
    return EXIT_USAGE;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] == '-';
}

/** Take words[0], an option, and its values; `*used` is their number. */
static int parse_option(invocation *call, char **words, size_t num_words, size_t *used)
{
    const char *name = words[0] + 2;
    const char *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const option *what = find_in(call->command->options, name, length);
    if (what)
        call->given |= UINT64_C(1) << (what - call->command->options);
    else
        what = find_in(options_common(), name, length);
    if (!what)
        return unknown_option(call, name, length);
    *used = 1;
    if (equals && what->type == OPTION_FLAG)
        return fail_usage(call, "--%s takes no value", what->name);
    if (equals || what->type == OPTION_FLAG)
        return set_value(call, what, equals ? equals + 1 : NULL);
    if (num_words < 2 || is_option(words[1]))
        return fail_usage(call, "--%s needs a value: --%s %s", what->name, what->name, what->value);
    size_t most = what->type == OPTION_FILES ? num_words - 1 : 1;
    for (; *used <= most && !is_option(words[*used]); ++*used) {
        int code = set_value(call, what, words[*used]);
        if (code != EXIT_DONE)
            return code;
    }
    return EXIT_DONE;
}

static bool is_given(const invocation *call, const option *what)
{
    return call->given >> (what - call->command->options) & 1;
}

/** The name behind the next comma; NULL: this is the last one. */
static const char *next_name(const char *names)
{
    const char *comma = strchr(names, ',');
    return comma ? comma + 1 : NULL;
}

const option *options_first_given(const invocation *call, const char *names)
{
    for (const char *at = names; at; at = next_name(at)) {
        const option *what = find_in(call->command->options, at, strcspn(at, ","));
        if (is_given(call, what))
            return what;
    }
    return NULL;
}

/** "--cases needs --portfolio K" */
static int fail_needed(const invocation *call, const option *what)
{
    char text[256];
    size_t length = 0;
    for (const char *at = what->needs; at; at = next_name(at)) {
        const option *other = find_in(call->command->options, at, strcspn(at, ","));
        length += (size_t)snprintf(text + length, sizeof text - length, "%s--%s%s%s",
                                   length > 0 ? " or " : "", other->name, other->value ? " " : "",
                                   other->value ? other->value : "");
    }
    return fail_usage(call, "--%s needs %s", what->name, text);
}

/** Looks the names up whether or not the option is given, so that any use of the command finds a
 *  wrong one. */
static int check_option(const invocation *call, const option *what)
{
    const option *excluded = options_first_given(call, what->excludes);
    const option *needed = options_first_given(call, what->needs);
    if (!is_given(call, what))
        return what->required ? fail_usage(call, "--%s %s is missing", what->name, what->value)
                              : EXIT_DONE;
    if (excluded)
        return fail_usage(call, "--%s does not go with --%s", what->name, excluded->name);
    return !what->needs || needed ? EXIT_DONE : fail_needed(call, what);
}

/* "'b' is one argument too many: FILE is 'a' already". */
static int fail_too_many(const invocation *call, size_t position)
{
    const char *word = call->arguments.items[position];
    if (position == 0)
        return fail_usage(call, "'%s': nitro %s takes options only", word, call->command->name);
    const option *files = call->command->options;
    while (files->name && (files->type != OPTION_FILES || access(word, F_OK) != 0))
        files++;
    return fail_usage(call, "unexpected argument '%s': %s is already '%s'%s%s", word,
                      call->command->arguments[position - 1].name,
                      call->arguments.items[position - 1],
                      files->name ? "; files come after --" : "", files->name ? files->name : "");
}

static int check_arguments(const invocation *call)
{
    size_t position = 0;
    const argument *each = call->command->arguments;
    bool takes_all = false;
    for (; each && each->name; each++, position++) {
        if (!each->optional && position >= call->arguments.count)
            return fail_usage(call, "%s is missing", each->name);
        takes_all = each->many;
    }
    if (!takes_all && call->arguments.count > position)
        return fail_too_many(call, position);
    if (nitro_string_list_find(&call->arguments, "") != NITRO_NONE)
        return fail_usage(call, "an argument is empty");
    int code = EXIT_DONE;
    for (const option *what = call->command->options; what->name && code == EXIT_DONE; what++)
        code = check_option(call, what);
    return code;
}

static int parse_words(invocation *call, char **words, size_t num_words)
{
    bool options_ended = false;
    for (size_t i = 0; i < num_words;) {
        size_t used = 1;
        int code = EXIT_DONE;
        if (!options_ended && strcmp(words[i], "--") == 0)
            options_ended = true;
        else if (!options_ended && is_option(words[i]))
            code = parse_option(call, words + i, num_words - i, &used);
        else if (!options_ended && strcmp(words[i], "-h") == 0)
            ((common_settings *)call->settings)->help = true;
        else if (!options_ended && words[i][0] == '-' && words[i][1] != '\0')
            code = fail_usage(call, "unknown option %s; options begin with two dashes", words[i]);
        else if (nitro_string_list_add(call->context, &call->arguments, words[i]) != NITRO_OK)
            code = fail(call);
        if (code != EXIT_DONE)
            return code;
        i += used;
    }
    return EXIT_DONE;
}

int options_parse(invocation *call, char **words, size_t num_words)
{
    const command *owner = call->command;
    call->settings = nitro_calloc(call->context, 1, owner->settings_size);
    if (!call->settings)
        return fail(call);
    if (owner->set_defaults)
        owner->set_defaults(call->settings);
    int code = parse_words(call, words, num_words);
    if (code == EXIT_DONE && !((common_settings *)call->settings)->help)
        code = check_arguments(call);
    return code;
}

void invocation_free(invocation *call)
{
    for (const option *what = call->command->options; call->settings && what->name; what++)
        if (what->type == OPTION_LIST || what->type == OPTION_FILES)
            nitro_string_list_free((void *)((char *)call->settings + what->offset));
    free(call->settings);
    nitro_string_list_free(&call->arguments);
    call->settings = NULL;
}

void store_close(invocation *call)
{
    nitro_store_close(call->store);
    call->store = NULL;
}

int store_open(invocation *call, const char *url, nitro_store_mode mode)
{
    store_close(call);
    return exit_code(call, nitro_store_open(call->context, url, mode, &call->store));
}

int store_open_existing(invocation *call, const char *url)
{
    int code = store_open(call, url, NITRO_STORE_READ);
    return code == EXIT_DONE ? store_open(call, url, NITRO_STORE_WRITE) : code;
}

const nitro_string_list *list_if_given(const nitro_string_list *list)
{
    return list->count ? list : NULL;
}

const nitro_string_list *named_sources(const nitro_string_list *given, bool *are_equal)
{
    bool is_all = given->count == 1 && strcmp(given->items[0], "all") == 0;
    bool is_auto = given->count == 1 && strcmp(given->items[0], "auto") == 0;
    *are_equal = is_all;
    return is_all || is_auto ? NULL : list_if_given(given);
}

void option_default_text(const command *owner, const option *what, char *text, size_t size)
{
    char *settings = owner->set_defaults ? calloc(1, owner->settings_size) : NULL;
    text[0] = '\0';
    if (!settings)
        return;
    owner->set_defaults(settings);
    const void *place = settings + what->offset;
    if (what->type == OPTION_TEXT && *(const char *const *)place)
        snprintf(text, size, "%s", *(const char *const *)place);
    else if (what->type == OPTION_COUNT && *(const uint64_t *)place > 0 &&
             *(const uint64_t *)place != OPTION_NOT_GIVEN)
        snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)place);
    else if (what->type == OPTION_NUMBER && *(const double *)place > 0)
        nitro_format_number(*(const double *)place, text, size);
    free(settings);
}
