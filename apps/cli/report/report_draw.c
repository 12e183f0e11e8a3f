/* report_draw.c - draws charts with gnuplot: one script per chart, run without a shell. The palette
 * is safe for colour-blind readers. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/cli/report/report.h"

extern char **environ;

/* Okabe and Ito's palette, darker ones for long lists, and its yellow, which is faint, last. */
static const char *const colours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#d55e00", "#8c8c8c", "#004466",
                                      "#7a5500", "#00523b", "#7b3f63", "#f0e442"};
enum { NUM_COLOURS = sizeof colours / sizeof colours[0] };

/* Letters of all categories that fit side by side. */
enum { MAX_LETTERS = 110, MAX_LETTERS_OF_MATRIX = 90 };

/* One colour from light to dark, for ordered series. */
static const int pale[] = {198, 219, 239}, deep[] = {8, 48, 107};

static void colour_of(const report_chart *chart, size_t series, char *colour, size_t size)
{
    size_t count = chart->series.count;
    if (!chart->ordered) {
        size_t place = chart->hues
                           ? nitro_string_list_find(chart->hues, chart->series.items[series])
                           : NITRO_NONE;
        snprintf(colour, size, "%s", colours[(place == NITRO_NONE ? series : place) % NUM_COLOURS]);
        return;
    }
    double share = count > 1 ? (double)series / (double)(count - 1) : 1.0;
    int mixed[3];
    for (size_t i = 0; i < 3; i++)
        mixed[i] = pale[i] + (int)lround(share * (deep[i] - pale[i]));
    snprintf(colour, size, "#%02x%02x%02x", (unsigned)mixed[0], (unsigned)mixed[1],
             (unsigned)mixed[2]);
}

/** Text between quotes of the script's language: what means something there is replaced. `newline`
 *  stands for a newline. */
static void write_lines(FILE *file, char quote, const char *newline, const char *text)
{
    fputc(quote, file);
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        bool means = byte == '"' || byte == '\'' || byte == '`' || byte == '\\';
        if (byte == '\n')
            fputs(newline, file);
        else
            fputc(byte < 0x20 || byte == 0x7f ? ' ' : means ? '.' : byte, file);
    }
    fputc(quote, file);
}

static void write_quoted(FILE *file, char quote, const char *text)
{
    write_lines(file, quote, " ", text);
}

/** Do the categories' names need more room than there is side by side? They are then turned. */
static bool is_crowded(const report_chart *chart, size_t room)
{
    size_t letters = 0;
    for (size_t c = 0; c < chart->categories.count; c++)
        letters += strcspn(chart->categories.items[c], "\n") + 2;
    return letters > room;
}

static void write_number(FILE *file, double value)
{
    char text[40] = "?";
    if (isfinite(value))
        nitro_format_number(value, text, sizeof text);
    fprintf(file, " %s", text);
}

static void write_data(FILE *file, const report_chart *chart)
{
    size_t width = chart->categories.count;
    const char *newline = is_crowded(chart, MAX_LETTERS) ? " " : "\\n";
    fputs("$data << END_OF_DATA\n", file);
    for (size_t c = 0; c < width; c++) {
        write_lines(file, '"', newline, chart->categories.items[c]);
        for (size_t s = 0; s < chart->series.count; s++)
            write_number(file, chart->values[s * width + c]);
        fputc('\n', file);
    }
    fputs("END_OF_DATA\n", file);
}

/** A linear axis shows what differs by less than this. */
#define WIDE_RATIO 20.0

static bool is_logarithmic(const report_chart *chart)
{
    double least = INFINITY, most = 0.0;
    for (size_t i = 0; i < chart->series.count * chart->categories.count; i++)
        if (isfinite(chart->values[i])) {
            least = fmin(least, chart->values[i]);
            most = fmax(most, chart->values[i]);
        }
    return chart->wide && least > 0.0 && most > WIDE_RATIO * least;
}

static void write_axes(FILE *file, const report_chart *chart)
{
    bool crowded = is_crowded(chart, MAX_LETTERS);
    fputs("set style data histogram\nset boxwidth 0.9\nset style fill solid noborder\n"
          "set grid ytics lc rgb \"#dddddd\" lt 1\nset border 1 lc rgb \"#888888\"\n"
          "set xtics nomirror scale 0 textcolor rgb \"#333333\"\n"
          "set ytics nomirror scale 0 textcolor rgb \"#333333\"\n"
          "set key outside above left horizontal Left reverse samplen 1 width 1\n"
          "set datafile missing \"?\"\n",
          file);
    fprintf(file, "set xrange [-0.7:%g]\n", (double)chart->categories.count - 0.3);
    if (!crowded && strchr(chart->categories.items[0], '\n'))
        fputs("set bmargin 4\n", file);
    if (crowded)
        fputs("set xtics rotate by -25\n", file);
    if (is_logarithmic(chart))
        fputs("set logscale y\n", file);
    else if (chart->wide)
        fputs("set yrange [0:*]\n", file);
    if (chart->counted && chart->high < 13.0)
        fputs("set ytics 1\n", file);
    if (chart->x_label)
        fprintf(file, "set xlabel '%s'\n", chart->x_label);
    if (chart->y_label)
        fprintf(file, "set ylabel '%s'\n", chart->y_label);
    if (isfinite(chart->low) && isfinite(chart->high))
        fprintf(file, "set yrange [%g:%g]\n", chart->low, chart->high);
    else
        fputs("set xzeroaxis lt 1 lc rgb \"#555555\"\n", file);
}

static void write_bars(FILE *file, const report_chart *chart)
{
    write_data(file, chart);
    write_axes(file, chart);
    if (chart->kind == REPORT_LINES)
        fputs("set style data linespoints\nset pointsize 0.7\n", file);
    else
        fputs(chart->kind == REPORT_STACK ? "set style histogram rowstacked\nset boxwidth 0.6\n"
                                          : "set style histogram clustered gap 1.5\n",
              file);
    fputs("plot", file);
    for (size_t s = 0; s < chart->series.count; s++) {
        char colour[16];
        colour_of(chart, s, colour, sizeof colour);
        fprintf(file, "%s $data using %zu%s lc rgb '%s'%s title ", s ? ", \\\n    " : "", s + 2,
                s ? "" : ":xtic(1)", colour, chart->kind == REPORT_LINES ? " lw 2 pt 7" : "");
        write_quoted(file, '\'', chart->series.items[s]);
    }
    fputc('\n', file);
}

/** Fields of a matrix, its first row on top, with their numbers. */
static void write_matrix(FILE *file, const report_chart *chart)
{
    size_t width = chart->categories.count, height = chart->series.count;
    fputs("$data << END_OF_DATA\n", file);
    for (size_t s = 0; s < height; s++)
        for (size_t c = 0; c < width; c++) {
            double value = chart->values[s * width + c];
            if (isfinite(value)) /* + 0.0: no "-0.00" */
                fprintf(file, "%zu %zu %.4f\n", c, height - 1 - s,
                        nearbyint(1e4 * value) / 1e4 + 0.0);
        }
    fputs("END_OF_DATA\nset cbrange [-1:1]\nset cbtics 0.5\nunset key\nunset border\n"
          "set palette defined (-1 \"#b35806\", 0 \"#f7f7f7\", 1 \"#2166ac\")\n"
          "set style fill solid noborder\nset tics scale 0 textcolor rgb \"#333333\"\n",
          file);
    fprintf(file, "set xrange [-0.5:%g]\nset yrange [-0.5:%g]\n", (double)width - 0.5,
            (double)height - 0.5);
    fputs("set xtics (", file);
    for (size_t c = 0; c < width; c++) {
        fputs(c ? ", " : "", file);
        write_quoted(file, '\'', chart->categories.items[c]);
        fprintf(file, " %zu", c);
    }
    fprintf(file, ")%s\nset ytics (",
            is_crowded(chart, MAX_LETTERS_OF_MATRIX) ? " rotate by -25" : "");
    for (size_t s = 0; s < height; s++) {
        fputs(s ? ", " : "", file);
        write_quoted(file, '\'', chart->series.items[s]);
        fprintf(file, " %zu", height - 1 - s);
    }
    fputs(")\nplot $data using 1:2:(0.48):(0.48):3 with boxxyerror lc palette, \\\n"
          "    '' using 1:2:(sprintf('%.2f', $3)):(abs($3) > 0.7 ? 0xffffff : 0x222222) "
          "with labels tc rgb variable\n",
          file);
}

static void write_script(FILE *file, const report_chart *chart, const char *stem)
{
    bool matrix = chart->kind == REPORT_MATRIX;
    unsigned height = matrix ? 140 + 34 * (unsigned)chart->series.count : 380;
    height = height > 900 ? 900 : height < 280 ? 280 : height;
    fprintf(file, "# Draws %s.svg and %s.png: gnuplot -d %s.gnuplot\n", stem, stem, stem);
    fprintf(file,
            "set encoding utf8\n"
            "set terminal svg size 920,%u dynamic font 'sans-serif,14' noenhanced "
            "background '#ffffff'\n",
            height);
    fprintf(file, "set output '%s.svg'\n", stem);
    if (matrix)
        write_matrix(file, chart);
    else
        write_bars(file, chart);
    fprintf(file,
            "set terminal pngcairo size 1840,%u font 'sans-serif,20' noenhanced linewidth 2\n"
            "set output '%s.png'\nreplot\n",
            2 * height, stem);
}

/** Read the child's output to its end; the first part goes into `text`. */
static void read_all(int pipe_end, char *text, size_t size)
{
    size_t used = 0;
    char rest[4096];
    for (;;) {
        char *to = used + 1 < size ? text + used : rest;
        ssize_t got = read(pipe_end, to, used + 1 < size ? size - 1 - used : sizeof rest);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        used += to == rest ? 0 : (size_t)got;
    }
    text[used] = '\0';
}

/** Start `gnuplot -d SCRIPT` in the folder, its output into the pipe. @return 0 or errno */
static int start_gnuplot(const char *folder, char *script, const int ends[2], pid_t *child)
{
    char *const words[] = {"gnuplot", "-d", script, NULL};
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code)
        return code;
    code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!code)
        code = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (!code)
        code = posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    if (!code)
        code = posix_spawn_file_actions_addclose(&actions, ends[0]);
    if (!code)
        code = posix_spawn_file_actions_addclose(&actions, ends[1]);
    if (!code)
        code = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (!code)
        code = posix_spawnp(child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

/** The last line that is not empty: gnuplot's reason. Cuts the text. */
static const char *last_line(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr("\n ", text[length - 1]))
        text[--length] = '\0';
    char *before = strrchr(text, '\n');
    return before ? before + 1 : text;
}

/** `script`: a name in the folder, after "./". */
static nitro_status run_gnuplot(nitro_context *context, const char *folder, char *script)
{
    int ends[2], state = 0;
    char said[1024];
    pid_t child;
    if (pipe(ends) != 0)
        return nitro_fail(context, NITRO_ERR_IO, "cannot run gnuplot: no pipe: %s",
                          strerror(errno));
    int code = start_gnuplot(folder, script, ends, &child);
    close(ends[1]);
    if (code == 0)
        read_all(ends[0], said, sizeof said);
    close(ends[0]);
    if (code == ENOENT || code == EACCES)
        return nitro_fail(context, NITRO_ERR_UNSUPPORTED,
                          "gnuplot is not installed, so there are no pictures: install it (on "
                          "Debian: apt-get install gnuplot-nox) and run this command again");
    if (code != 0)
        return nitro_fail(context, NITRO_ERR_IO, "cannot run gnuplot: %s", strerror(code));
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_IO, "gnuplot failed on %s/%s: %s", folder, script + 2,
                      last_line(said));
}

static nitro_status write_script_file(nitro_context *context, const report_chart *chart,
                                      const char *stem, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: a picture's script");
    write_script(file, chart, stem);
    bool failed = ferror(file) != 0;
    failed |= fclose(file) != 0;
    nitro_status status =
        failed ? nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: a picture's script")
               : nitro_file_write(context, path, text, size);
    free(text);
    return status;
}

/** What an earlier run drew is not of this one. */
static void remove_pictures(const char *folder, const char *stem)
{
    static const char *const extensions[] = {"gnuplot", "svg", "png"};
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++) {
        char path[4096];
        if (snprintf(path, sizeof path, "%s/%s.%s", folder, stem, extensions[i]) < (int)sizeof path)
            unlink(path);
    }
}

nitro_status report_draw(const report *self, report_part *part, const char *folder)
{
    nitro_context *context = self->context;
    char *stem = nitro_asprintf(context, "%s-%s", self->computation, part->name);
    char *script =
        stem ? nitro_asprintf(context, "./%s.gnuplot", stem) : NULL; /* a stem may begin with "-" */
    char *script_path = script ? nitro_asprintf(context, "%s/%s", folder, script) : NULL;
    char *svg_path = stem ? nitro_asprintf(context, "%s/%s.svg", folder, stem) : NULL;
    size_t size = 0;
    nitro_status status = script_path && svg_path ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        remove_pictures(folder, stem);
    if (status == NITRO_OK && part->chart.kind != REPORT_NO_CHART && !part->omitted) {
        status = write_script_file(context, &part->chart, stem, script_path);
        if (status == NITRO_OK)
            status = run_gnuplot(context, folder, script);
        if (status == NITRO_OK)
            status = nitro_file_read(context, svg_path, (size_t)1 << 24, &part->svg, &size);
    }
    free(stem);
    free(script);
    free(script_path);
    free(svg_path);
    return status;
}
