/* report_svg.c - elements of SVG. Colours are attributes, which every viewer knows, and on dark
 * ground rules of a style sheet, which override them. */
#include "apps/cli/report/report_svg.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "apps/cli/terminal.h"

/* Okabe and Ito's palette, safe for colour-blind readers, and more; as dark colours on light
 * ground here and as light ones on dark ground in the style. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#b8568f",
                                      "#8a6d00", "#2f9bd8", "#6a3d9a", "#e69f00",
                                      "#004466", "#a50026", "#5aae61", "#7b3f63"};
enum { NUM_COLOURS = sizeof colours / sizeof colours[0] };

const char svg_dark_style[] =
    "text{fill:#e3e7eb}.g{stroke:#39424c}.k{stroke:#9ba6b1}.fix text{fill:inherit}\n"
    ".c0{--c:#56b4e9}.c1{--c:#ff8c42}.c2{--c:#2dd4a7}.c3{--c:#f0a6cc}.c4{--c:#e0c040}"
    ".c5{--c:#9ad8ff}.c6{--c:#b99cf0}.c7{--c:#ffc04d}.c8{--c:#7fa8c9}.c9{--c:#ff7b8a}"
    ".c10{--c:#9be39f}.c11{--c:#d3a0bd}.ref{--c:#9aa3ab}\n"
    ":is([class^=c],.ref)[fill]:not([fill=none]){fill:var(--c)}"
    ":is([class^=c],.ref)[stroke]:not([stroke=none]){stroke:var(--c)}\n";

/* One colour from light to dark, for ordered series; both are visible on either ground. */
static const int pale[] = {189, 215, 231}, deep[] = {33, 113, 181};

void svg_escape(FILE *file, const char *text)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '&')
            fputs("&amp;", file);
        else if (byte == '<')
            fputs("&lt;", file);
        else if (byte == '>')
            fputs("&gt;", file);
        else if (byte == '"')
            fputs("&quot;", file);
        else
            fputc(byte < 0x20 || byte == 0x7f ? ' ' : byte, file);
    }
}

void svg_title(FILE *file, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs("<title>", file);
    svg_escape(file, text);
    fputs("</title>", file);
}

void svg_text(FILE *file, double x, double y, const char *anchor, const char *text)
{
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    svg_escape(file, text);
    fputs("</text>\n", file);
}

static size_t count_letters(const char *text)
{
    return text_width(text, strlen(text));
}

/** Of a font: texts are cut, or squeezed, only where they would be longer with it. */
#define LEAST_LETTER 7.0

double svg_text_width(const char *text)
{
    return (double)(SVG_LETTER * count_letters(text)) + 4.0;
}

double svg_longest(const nitro_string_list *texts)
{
    double longest = 0.0;
    for (size_t i = 0; i < texts->count; i++)
        longest = fmax(longest, svg_text_width(texts->items[i]));
    return longest;
}

/** Where a letter begins, in bytes. */
static size_t letter_at(const char *text, size_t letter)
{
    size_t bytes = 0;
    for (; text[bytes]; bytes++)
        if (((unsigned char)text[bytes] & 0xc0) != 0x80 && letter-- == 0)
            break;
    return bytes;
}

void svg_label(FILE *file, double x, double y, const char *anchor, const char *text, double width)
{
    size_t all = count_letters(text), most = (size_t)(width / SVG_LETTER);
    if (all <= (size_t)(width / LEAST_LETTER)) {
        svg_text(file, x, y, anchor, text);
        return;
    }
    size_t tail = most / 3, head = most - tail - 1;
    char begin[256];
    snprintf(begin, sizeof begin, "%.*s", (int)letter_at(text, head), text);
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    svg_title(file, "%s", text);
    svg_escape(file, begin);
    fputs("\xe2\x80\xa6", file); /* an ellipsis */
    svg_escape(file, text + letter_at(text, all - tail));
    fputs("</text>\n", file);
}

void svg_grid_line(FILE *file, double x1, double y1, double x2, double y2)
{
    fprintf(file,
            "<line class=\"g\" stroke=\"#dfe4e8\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
            "y2=\"%.1f\"/>\n",
            x1, y1, x2, y2);
}

/** The place of a method among those that have a colour, counted from auto, or among the
 * references, which have shapes; NITRO_NONE: it is no method. */
static size_t hue_of_method(const char *name, bool *reference)
{
    size_t place = 0, of_auto = 0, num_references = 0, found = NITRO_NONE;
    for (const nitro_method_info *each = nitro_method_table(); each->name; each++) {
        if (strcmp(each->name, "auto") == 0)
            of_auto = place;
        if (strcmp(each->name, name) == 0) {
            found = each->is_reference ? num_references : place;
            *reference = each->is_reference;
        }
        place += !each->is_reference;
        num_references += each->is_reference;
    }
    return found == NITRO_NONE || *reference ? found
                                             : (of_auto + NUM_COLOURS - found) % NUM_COLOURS;
}

/** Of as many variants as there are colours, each has its own; NITRO_NONE: it has none. */
static size_t place_of_variant(const nitro_schema *schema, const char *name)
{
    return schema && schema->num_variants <= NUM_COLOURS ? nitro_schema_variant(schema, name)
                                                         : NITRO_NONE;
}

void svg_colour(FILE *file, const report_chart *chart, const char *name, size_t place, size_t count,
                const char *use)
{
    bool reference = false;
    size_t method = hue_of_method(name, &reference);
    size_t variant = place_of_variant(chart->schema, name);
    size_t hue = (method != NITRO_NONE    ? method
                  : variant != NITRO_NONE ? variant
                                          : place) %
                 NUM_COLOURS;
    if (chart->ordered) {
        double share = count > 1 ? (double)place / (double)(count - 1) : 1.0;
        unsigned mixed[3];
        for (size_t i = 0; i < 3; i++)
            mixed[i] = (unsigned)(pale[i] + (int)lround(share * (deep[i] - pale[i])));
        fprintf(file, " %s=\"#%02x%02x%02x\"", use, mixed[0], mixed[1], mixed[2]);
    } else if (reference || nitro_string_list_find(&chart->greys, name) != NITRO_NONE) {
        fprintf(file, " class=\"ref\" %s=\"#808890\"", use);
    } else {
        fprintf(file, " class=\"c%zu\" %s=\"%s\"", hue, use, colours[hue]);
    }
}

void svg_mark(FILE *file, const report_chart *chart, const char *name, size_t place, size_t count,
              double x, double y, double radius)
{
    /* In a square of 2: a square, a diamond, triangles up and down, a cross. */
    static const char *const shapes[] = {"M-.9-.9h1.8v1.8h-1.8z", "M0-1.2L1.2 0 0 1.2-1.2 0z",
                                         "M0-1.1L1.1.9h-2.2z", "M0 1.1L1.1-.9h-2.2z",
                                         "M-1-.35H-.35V-1H.35V-.35H1V.35H.35V1H-.35V.35H-1z"};
    bool reference = false;
    size_t shape = hue_of_method(name, &reference);
    if (reference && shape > 0) /* the first one is a dot */
        fprintf(file, "<path transform=\"translate(%.1f %.1f) scale(%g)\" d=\"%s\"", x, y, radius,
                shapes[(shape - 1) % (sizeof shapes / sizeof shapes[0])]);
    else
        fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\"", x, y, radius);
    svg_colour(file, chart, name, place, count, "fill");
    fputs("/>", file);
}

double svg_place(const svg_axis *axis, double value)
{
    double share = axis->logarithmic ? log(value / axis->low) / log(axis->high / axis->low)
                                     : (value - axis->low) / (axis->high - axis->low);
    return axis->first + fmin(fmax(share, -0.02), 1.02) * (axis->last - axis->first);
}

/** 1, 2 or 5 times a power of ten: about a sixth of the range. */
static double find_step(const svg_axis *axis)
{
    double rough = (axis->high - axis->low) / 6.0;
    double power = pow(10.0, floor(log10(rough)));
    double digit = rough / power;
    return power * (digit <= 1.0 ? 1.0 : digit <= 2.0 ? 2.0 : digit <= 5.0 ? 5.0 : 10.0);
}

void svg_round_axis(svg_axis *axis, bool fixed)
{
    if (!(axis->high > axis->low)) { /* one value, or none */
        double middle = isfinite(axis->low) ? axis->low : 0.0;
        axis->low = axis->logarithmic ? middle / 2.0 : middle == 0.0 ? 0.0 : middle - 0.5;
        axis->high = axis->logarithmic ? middle * 2.0 : middle + 0.5;
    }
    if (fixed)
        return;
    if (axis->logarithmic) {
        axis->low /= 1.15;
        axis->high *= 1.15;
        return;
    }
    double step = find_step(axis);
    axis->low = step * floor(axis->low / step + 1e-9);
    axis->high = step * ceil(axis->high / step - 1e-9);
}

static size_t logarithmic_ticks(const svg_axis *axis, double *ticks)
{
    static const double digits[] = {1.0, 2.0, 5.0};
    size_t count = 0;
    double decades = log10(axis->high / axis->low);
    double every = fmax(1.0, ceil(decades / 8.0));
    for (double power = ceil(log10(axis->low)) - every; power <= log10(axis->high); power += every)
        for (size_t d = 0; d < (decades < 2.5 ? 3u : 1u); d++) {
            double value = digits[d] * pow(10.0, power);
            if (value >= axis->low * 0.999 && value <= axis->high * 1.001 && count < SVG_MAX_TICKS)
                ticks[count++] = value;
        }
    return count;
}

size_t svg_ticks(const svg_axis *axis, bool counted, double *ticks)
{
    if (axis->logarithmic)
        return logarithmic_ticks(axis, ticks);
    double step = find_step(axis);
    size_t count = 0;
    step = counted ? fmax(1.0, ceil(step)) : step;
    for (double i = ceil(axis->low / step - 1e-9); i * step <= axis->high + 1e-9 * step; i += 1.0)
        if (count < SVG_MAX_TICKS)
            ticks[count++] = i * step + 0.0;
    return count;
}

const char *svg_own_unit(const char *unit)
{
    return unit && strcmp(unit, "ms") == 0 ? unit : NULL;
}

void svg_value(double value, const char *unit, char *text, size_t size)
{
    if (unit && strcmp(unit, "ms") == 0)
        format_time(value, text, size);
    else
        snprintf(text, size, "%.4g%s%s", value, unit ? " " : "", unit ? unit : "");
}

void svg_axis_name(FILE *file, const report_chart *chart, double x, double y, const char *name)
{
    double half = fmin(svg_text_width(name), chart->pixels) / 2.0;
    x = fmax(half, fmin(x, chart->pixels - half));
    double width = LEAST_LETTER * (double)count_letters(name);
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\"", x, y);
    if (width > chart->pixels)
        fprintf(file, " font-size=\"%.1f\"", SVG_FONT_SIZE * chart->pixels / width);
    fputs(">", file);
    svg_escape(file, name);
    fputs("</text>\n", file);
}

void svg_tick_label(FILE *file, const report_chart *chart, double x, double y, const char *text,
                    double *end)
{
    double half = svg_text_width(text) / 2.0;
    x = fmin(x, chart->pixels + 4.0 - half); /* the picture has a margin of 4 */
    if (x - half < *end)
        return;
    svg_text(file, x, y, "middle", text);
    *end = x + half;
}

static bool has_values(const report_chart *chart, size_t series)
{
    for (size_t i = series * chart->width; i < (series + 1) * chart->width; i++)
        if (isfinite(chart->values[i]))
            return true;
    return false;
}

double svg_legend(FILE *file, const report_chart *chart, size_t count)
{
    double x = 0.0, y = 14.0;
    for (size_t s = 0; s < count; s++) {
        const char *name = chart->series.items[s];
        if (!has_values(chart, s))
            continue;
        double width = svg_text_width(name) + 30.0;
        if (x > 0.0 && x + width > chart->pixels) {
            x = 0.0;
            y += SVG_LINE;
        }
        svg_mark(file, chart, name, s, count, x + 6.0, y - 4.5, 6.0);
        svg_text(file, x + 17.0, y, "start", name);
        x += width;
    }
    return y + 10.0;
}
