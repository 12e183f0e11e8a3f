/* main.c - the nitro program: finds the subcommand, parses its options, runs it. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/commands.h"
#include "apps/cli/help.h"
#include "apps/cli/output.h"

/** Results that did not reach the output (a full disk, a closed pipe) are a failure. */
static int close_output(const invocation *call, int code)
{
    int failed = ferror(stdout);
    if (fflush(stdout) != 0 || failed) {
        fail_text(call, "cannot write the results to the output: %m");
        return code == EXIT_DONE ? EXIT_FAILED : code;
    }
    return code;
}

/** With --json a command that fails prints {"error": ...} in place of its results. */
static void print_failure(const invocation *call, int code)
{
    failure *told = call->failure;
    json_begin();
    if (told && code != EXIT_DONE && !told->results_printed)
        print_json(call, json_pack("{s:{s:s?, s:o, s:i}}", "error", "command",
                                   call->command ? call->command->name : NULL, "message",
                                   json_text(told->message), "exit_code", code));
}

static int run_command(invocation *call, char **words, size_t num_words)
{
    int code = options_parse(call, words, num_words);
    if (code == EXIT_DONE && ((const common_settings *)call->settings)->help) {
        help_command(call->command);
    } else if (code == EXIT_DONE) {
        bool verbose = ((const common_settings *)call->settings)->verbose;
        nitro_context_set_log(call->context, verbose ? NITRO_LOG_INFO : NITRO_LOG_WARNING, show_log,
                              call);
        code = call->command->run(call);
        store_close(call);
        if (code == EXIT_DONE && !json_is_complete())
            code = fail_text(call, "out of memory for JSON");
    }
    print_failure(call, code);
    code = close_output(call, code);
    nitro_context_set_log(call->context, NITRO_LOG_WARNING, NULL, NULL);
    invocation_free(call);
    return code;
}

static int unknown_command(const invocation *call, const char *word)
{
    const char *close = commands_closest(NULL, word);
    if (close)
        return fail_usage(call, "unknown command '%s'; did you mean '%s'?", word, close);
    return fail_usage(call, "unknown command '%s'", word);
}

/** "nitro store" or "nitro store bogus": the group's first word is no command. */
static int unknown_in_group(const invocation *call, const char *group, const char *word)
{
    if (word && strcmp(word, "--help") != 0 && strcmp(word, "-h") != 0) {
        const char *close = commands_closest(group, word);
        if (close)
            return fail_usage(call, "unknown command '%s %s'; did you mean '%s %s'?", group, word,
                              group, close);
        close = commands_closest(NULL, word);
        if (close)
            return fail_usage(call, "unknown command '%s %s'; did you mean '%s'?", group, word,
                              close);
        return fail_usage(call, "unknown command '%s %s'", group, word);
    }
    fprintf(word ? stdout : stderr, "Usage: nitro %s COMMAND [ARGUMENT...]\n\n", group);
    help_list(word ? stdout : stderr, group);
    return word ? EXIT_DONE : EXIT_USAGE;
}

/** `nitro --help` and `nitro --version`, as every program has them. */
static void spell_out(char **words)
{
    static char help[] = "help", version[] = "version";
    if (strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0)
        words[0] = help;
    else if (strcmp(words[0], "--version") == 0)
        words[0] = version;
}

static int dispatch(invocation *call, char **words, size_t num_words)
{
    if (num_words == 0) {
        help_overview();
        return close_output(call, EXIT_DONE);
    }
    spell_out(words);
    size_t used = 0;
    call->command = commands_find(words, num_words, &used);
    if (call->command)
        return run_command(call, words + used, num_words - used);
    int code = commands_is_group(words[0])
                   ? unknown_in_group(call, words[0], num_words > 1 ? words[1] : NULL)
                   : unknown_command(call, words[0]);
    print_failure(call, code);
    return close_output(call, code);
}

/**
 * Where variants are timed, OpenMP's threads shall not spin for long: on a machine that others use
 * too, a spinning thread keeps the one it waits for from running. A csr product of 18 us took 12 ms
 * that way; with this bound 90 us, and the same 18 us on a calm machine. libgomp reads its
 * environment when it is loaded, so the program starts over once.
 */
static void bound_spinning(char **argv)
{
    static const char *const timing[] = {"tune", "run", "tune-from-source", "search"};
    bool times = false;
    for (size_t i = 0; i < sizeof timing / sizeof timing[0]; i++)
        times = times || strcmp(argv[1], timing[i]) == 0;
    if (!times || getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT"))
        return;
    if (setenv("GOMP_SPINCOUNT", "1000", 1) == 0)
        execv("/proc/self/exe", argv); /* where that fails, times are rougher: no more */
}

int main(int argc, char **argv)
{
    failure told = {0};
    invocation call = {0};
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            call.failure = &told;
    if (argc > 1)
        bound_spinning(argv);
    signal(SIGXFSZ, SIG_IGN); /* a file over the user's limit is an error like a full disk */
    if (nitro_context_create(&call.context) != NITRO_OK) {
        fprintf(stderr, "nitro: out of memory\n");
        return EXIT_FAILED;
    }
    json_begin();
    int code = dispatch(&call, argv + 1, argc > 0 ? (size_t)argc - 1 : 0);
    nitro_context_free(call.context);
    free(told.message);
    return code;
}
