/* man.c - man pages (roff) from the same tables as the help. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "apps/cli/commands.h"
#include "apps/cli/help.h"
#include "apps/cli/load_module.h"

/** Print text as roff means it: no requests at line starts, dashes that stay dashes. */
static void print_escaped(FILE *stream, const char *text, size_t length)
{
    bool line_start = true;
    for (size_t i = 0; i < length; i++) {
        if (line_start && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", stream);
        if (text[i] == '-')
            fputs("\\-", stream);
        else if (text[i] == '\\')
            fputs("\\e", stream);
        else
            fputc(text[i], stream);
        line_start = text[i] == '\n';
    }
}

static void print_text(FILE *stream, const char *text)
{
    print_escaped(stream, text, strlen(text));
}

/** Print roff, in which each %s stands for a text to escape. */
static void NITRO_PRINTF(2, 3) print_roff(FILE *stream, const char *format, ...)
{
    va_list texts;
    va_start(texts, format);
    for (const char *text; (text = strstr(format, "%s")) != NULL; format = text + 2) {
        fwrite(format, 1, (size_t)(text - format), stream);
        print_text(stream, va_arg(texts, const char *));
    }
    fputs(format, stream);
    va_end(texts);
}

static void print_literal(FILE *stream, const char *text, size_t length)
{
    fputs(".nf\n", stream);
    print_escaped(stream, text, length);
    if (length > 0 && text[length - 1] != '\n')
        fputc('\n', stream);
    fputs(".fi\n", stream);
}

static void print_paragraphs(FILE *stream, const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        fputs(".PP\n", stream);
        if (text[0] == ' ') {
            print_literal(stream, text, length);
        } else {
            print_escaped(stream, text, length);
            fputc('\n', stream);
        }
        text += length + (end ? 2 : 0);
    }
}

static void print_option(FILE *stream, const command *owner, const option *what)
{
    char value[64] = "";
    if (owner)
        option_default_text(owner, what, value, sizeof value);
    print_roff(stream, ".TP\n\\fB\\-\\-%s\\fR", what->name);
    if (what->value)
        fprintf(stream, " \\fI%s\\fR%s", what->value, what->type == OPTION_FILES ? "..." : "");
    print_roff(stream, "\n%s", what->help);
    if (value[0])
        print_roff(stream, " (default: %s)", value);
    fputs(what->required ? " (required)\n" : "\n", stream);
}

static void print_title(FILE *stream, const char *name, int section, const char *summary)
{
    print_roff(stream, ".TH \"%s\" ", name);
    fprintf(stream, "%d \"\" \"nitro %s\" \"Nitro manual\"\n.SH NAME\n", section, nitro_version());
    print_roff(stream, "%s \\- %s\n", name, summary);
}

static void print_ending(FILE *stream, const char *also)
{
    fprintf(stream,
            ".SH EXIT STATUS\n0 done, 1 failed, in part or as a whole, 2 wrong usage.\n"
            ".SH SEE ALSO\n%s\n",
            also);
}

static void print_arguments(FILE *stream, const command *about)
{
    if (!about->arguments || !about->arguments[0].name)
        return;
    fputs(".SH ARGUMENTS\n", stream);
    for (const argument *each = about->arguments; each->name; each++) {
        fprintf(stream, ".TP\n\\fI%s\\fR\n", each->name);
        print_roff(stream, "%s\n", each->help);
    }
}

static void print_items(FILE *stream, const command *about)
{
    help_item items[64];
    size_t count = about->list_items ? about->list_items(items, 64) : 0;
    if (count == 0)
        return;
    fputs(".SH ", stream);
    for (const char *each = about->items_title; *each; each++)
        fputc(toupper((unsigned char)*each), stream);
    for (size_t i = 0; i < count; i++) {
        print_roff(stream, "\n.TP\n\\fB%s\\fR\n%s", items[i].name, items[i].description);
        if (items[i].remark[0])
            print_roff(stream, "; %s", items[i].remark);
    }
    fputc('\n', stream);
}

static void print_command(FILE *stream, const command *about)
{
    char name[64];
    man_name(about, name, sizeof name);
    print_title(stream, name, 1, about->summary);
    fputs(".SH SYNOPSIS\n", stream);
    for (const char *form = about->synopsis; form; form = strchr(form, '\n')) {
        form += *form == '\n';
        fputs(form == about->synopsis ? "" : "\n.br\n", stream);
        print_roff(stream, "\\fBnitro %s\\fR ", about->name);
        print_escaped(stream, form, strcspn(form, "\n"));
    }
    fputs("\n.SH DESCRIPTION\n", stream);
    print_paragraphs(stream, about->description);
    print_arguments(stream, about);
    print_items(stream, about);
    fputs(".SH OPTIONS\n", stream);
    for (const option *each = about->options; each->name; each++)
        print_option(stream, about, each);
    for (const option *each = options_common(); each->name; each++)
        print_option(stream, NULL, each);
    if (about->examples) {
        fputs(".SH EXAMPLES\n", stream);
        print_literal(stream, about->examples, strlen(about->examples));
    }
    print_ending(stream, "\\fBnitro\\fR(1)");
}

/** The variables that are no settings: those are in nitro.conf(5). */
static void print_environment(FILE *stream)
{
    static const char *const variables[][2] = {
        {"NITRO_...", "Settings: see nitro.conf(5)."},
        {"NITRO_SIMD_BITS",
         "256 or 128: the widest vectors of host variants, in bits; unset: what the machine has."},
        {"NITRO_REDIS_USER, NITRO_REDIS_PASSWORD, NITRO_REDIS_PASSWORD_FILE",
         "User and password of Redis stores whose URLs have none; or a file with the password that "
         "only its owner can read."},
        {"XDG_DATA_HOME",
         "The default store and the journals (nitro/) and the user's models (nitro/models/) are "
         "below it; ~/.local/share if unset."},
        {"XDG_DATA_DIRS",
         "Models of the system are in nitro/models below these; /usr/local/share:/usr/share if "
         "unset."},
        {"XDG_CONFIG_HOME",
         "nitro/nitro.conf and nitro/trusted-keys are below it; ~/.config if unset."},
        {"XDG_CACHE_HOME",
         "Compiled kernels and downloads are in nitro/ below it; ~/.cache if unset."},
        {"CC", "The compiler of nitro search and of kernels in C; cc if unset."},
        {"TMPDIR",
         "Local bundles are copied, and C code is compiled and loaded, below it; /tmp if unset."},
        {"OMP_WAIT_POLICY, GOMP_SPINCOUNT",
         "If neither is set, tune, run and tune-from-source set GOMP_SPINCOUNT=1000."},
        {"CUDA_VISIBLE_DEVICES", "Which GPUs there are, in which order, as for all CUDA programs."},
        {"SOURCE_DATE_EPOCH", "The date of imported samples, in seconds since 1970; now if unset."},
        {"NO_COLOR", "Not empty: no colours."}};
    fputs(".SH ENVIRONMENT\n", stream);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        print_roff(stream, ".TP\n%s\n%s\n", variables[i][0], variables[i][1]);
}

static void print_program(FILE *stream)
{
    char name[64];
    print_title(stream, "nitro", 1, "choose the fastest variant of a computation");
    fputs(".SH SYNOPSIS\n\\fBnitro\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR...]\n"
          ".SH DESCRIPTION\n"
          "Nitro measures the code variants of a computation on the available devices, keeps the\n"
          "times in a store, and trains models that choose the fastest variant for an input, also "
          "on\n"
          "a device without measurements.\n.SH COMMANDS\n",
          stream);
    for (const command *const *each = commands_all(); *each; each++) {
        man_name(*each, name, sizeof name);
        print_roff(stream, ".TP\n\\fB%s\\fR(1)\n%s\n", name, (*each)->summary);
    }
    print_environment(stream);
    print_ending(stream, "\\fBnitro\\-tune\\fR(1), \\fBnitro\\-tune\\-from\\-source\\fR(1), "
                         "\\fBnitro.conf\\fR(5)");
}

void man_page(FILE *stream, const command *about)
{
    if (about)
        print_command(stream, about);
    else
        print_program(stream);
}

void man_settings_page(FILE *stream)
{
    print_title(stream, "nitro.conf", 5, "settings of Nitro");
    fputs(".SH DESCRIPTION\n"
          "Settings of programs that call nitro_computation_configure, and of \\fBnitro\\fR(1).\n"
          "The file is $NITRO_CONFIG, else nitro/nitro.conf in $XDG_CONFIG_HOME or ~/.config.\n"
          "A line is SETTING = VALUE; a line [COMPUTATION] limits the lines after it to one\n"
          "computation; # begins a comment. What a program sets itself goes first, then the\n"
          "environment variable, then the file. The variable holds a value for all computations,\n"
          "or COMPUTATION=VALUE,...\n.SH SETTINGS\n",
          stream);
    for (const nitro_setting *each = nitro_setting_table(); each->name; each++) {
        print_roff(stream, ".TP\n\\fB%s\\fR ", each->name);
        fprintf(stream, "(%s)\n", each->environment);
        print_roff(stream, "%s\n", each->help);
    }
    fputs(".SH EXAMPLES\n", stream);
    static const char example[] = "machine = rack7\n[spmv]\nexplain = 1\n";
    print_literal(stream, example, sizeof example - 1);
    fputs(".SH SEE ALSO\n\\fBnitro\\-config\\fR(1)\n", stream);
}

static void print_names(FILE *stream, const char *title, const nitro_computation *computation,
                        size_t count, const char *(*name)(const nitro_computation *, size_t))
{
    fprintf(stream, ".SH %s\n", title);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ",\n" : "", stream);
        print_text(stream, name(computation, i));
    }
    fputs(".\n", stream);
}

void man_computation_page(FILE *stream, const nitro_module *module,
                          const nitro_computation *computation)
{
    char text[512], kinds[128];
    snprintf(text, sizeof text, "nitro-%s", module->name);
    print_title(stream, text, 7, module->description);
    module_kinds(module->name, kinds, sizeof kinds);
    print_roff(
        stream,
        ".SH DESCRIPTION\n"
        "A computation that comes with \\fBnitro\\fR(1), for devices of kind %s.\n"
        "Every device has these variants and input features, in this order; a variant that a\n"
        "device cannot run, or not for an input, is not allowed there.\n",
        kinds);
    print_names(stream, "VARIANTS", computation, nitro_computation_num_variants(computation),
                nitro_computation_variant_name);
    print_names(stream, "INPUT FEATURES", computation, nitro_computation_num_features(computation),
                nitro_computation_feature_name);
    fputs(".SH EXAMPLES\n", stream);
    snprintf(text, sizeof text,
             "nitro tune %s --generate 100     measure, and learn a model\n"
             "nitro tune %s --inputs FILE...   with inputs of your own\n"
             "nitro features %s FILE...        their input features\n"
             "nitro run %s --input FILE        choose a variant for one, and run it\n",
             module->name, module->name, module->name, module->name);
    print_literal(stream, text, strlen(text));
    fputs(".SH SEE ALSO\n\\fBnitro\\-tune\\fR(1), \\fBnitro\\-run\\fR(1), "
          "\\fBnitro\\-features\\fR(1)\n",
          stream);
}

void man_name(const command *about, char *name, size_t size)
{
    snprintf(name, size, "nitro%s%s", about ? "-" : "", about ? about->name : "");
    for (char *each = name; *each; each++)
        if (*each == ' ')
            *each = '-';
}
