/* report_rows.c - pictures with a row a name: dots with whiskers, stacked bars, and fields of a
 * matrix. Rows keep names legible on a phone, where columns would turn them. */
#include <math.h>

#include "apps/cli/report/report_svg.h"

enum { AXIS_HEIGHT = 44, LEGEND_GAP = 4, FIELD = 90, LEAST_FIELD = 40, MATRIX_MARGIN = 30 };

#define TURNED_WIDTH 0.766 /* of a text that is turned by 40 degrees */

/** The room of the rows' names. */
static double most_label(const report_chart *chart)
{
    return fmin(264.0, chart->pixels / 2.0);
}

/** Where things are. */
typedef struct layout {
    const report_chart *chart;
    double left, right, top; /* of the rows */
    size_t num_legend;
    svg_axis axis;
} layout;

static double row_middle(const layout *self, size_t row)
{
    return self->top + SVG_ROW * ((double)row + 0.5);
}

/** A linear axis shows what differs by less than this. */
#define WIDE_RATIO 20.0

static void fit_axis(layout *self)
{
    const report_chart *chart = self->chart;
    double least = INFINITY, most = -INFINITY;
    size_t count = chart->series.count * chart->width;
    for (size_t i = 0; i < count; i++) {
        double all[] = {chart->values[i], chart->lows[i], chart->highs[i]};
        for (size_t k = 0; k < 3; k++)
            if (isfinite(all[k])) {
                least = fmin(least, all[k]);
                most = fmax(most, all[k]);
            }
    }
    bool fixed = isfinite(chart->low) && isfinite(chart->high);
    bool wide = chart->wide && least > 0.0 && most > WIDE_RATIO * least;
    self->axis = (svg_axis){.low = fixed  ? chart->low
                                   : wide ? least
                                          : fmin(least, 0.0),
                            .high = fixed ? chart->high : most,
                            .first = self->left,
                            .last = self->right,
                            .logarithmic = wide && !fixed,
                            .unit = chart->unit};
    svg_round_axis(&self->axis, fixed);
}

static void draw_axis(FILE *file, const layout *self)
{
    const report_chart *chart = self->chart;
    double bottom = row_middle(self, chart->width) - SVG_ROW / 2.0, ticks[SVG_MAX_TICKS];
    double labelled = -INFINITY;
    size_t count = svg_ticks(&self->axis, chart->counted, ticks);
    for (size_t i = 0; i < count; i++) {
        char text[48];
        double x = svg_place(&self->axis, ticks[i]);
        svg_value(ticks[i], svg_own_unit(chart->unit), text, sizeof text);
        svg_grid_line(file, x, self->top, x, bottom + 4.0);
        svg_tick_label(file, chart, x, bottom + 18.0, text, &labelled);
    }
    if (chart->y_label)
        svg_axis_name(file, chart, (self->left + self->right) / 2.0, bottom + 36.0, chart->y_label);
}

static void draw_names(FILE *file, const layout *self)
{
    const report_chart *chart = self->chart;
    for (size_t c = 0; c < chart->categories.count; c++)
        svg_label(file, self->left - 12.0, row_middle(self, c) + 4.5, "end",
                  chart->categories.items[c], most_label(chart));
    for (size_t c = 0; c < chart->notes.count; c++)
        svg_text(file, chart->pixels, row_middle(self, c) + 4.5, "end", chart->notes.items[c]);
}

static void title_mark(FILE *file, const report_chart *chart, size_t series, size_t row)
{
    size_t i = series * chart->width + row;
    char value[48], low[48], high[48];
    svg_value(chart->values[i], chart->unit, value, sizeof value);
    if (!isfinite(chart->lows[i])) {
        svg_title(file, "%s, %s: %s", chart->categories.items[row], chart->series.items[series],
                  value);
        return;
    }
    svg_value(chart->lows[i], svg_own_unit(chart->unit), low, sizeof low);
    svg_value(chart->highs[i], chart->unit, high, sizeof high);
    svg_title(file, "%s, %s: %s (%s to %s)", chart->categories.items[row],
              chart->series.items[series], value, low, high);
}

/** A dot and its whiskers; a small ring for the values behind a mean. */
static void draw_dot(FILE *file, const layout *self, size_t series, size_t row)
{
    const report_chart *chart = self->chart;
    size_t i = series * chart->width + row, count = chart->series.count;
    double y = row_middle(self, row), x = svg_place(&self->axis, chart->values[i]);
    bool small = series >= count - chart->num_small;
    const char *hue = chart->by_row ? chart->categories.items[row] : chart->series.items[series];
    size_t place = chart->by_row ? row : series;
    fputs("<g class=\"m\">", file);
    title_mark(file, chart, series, row);
    if (isfinite(chart->lows[i])) {
        fprintf(file, "<path d=\"M%.1f %.1fH%.1f\" stroke-width=\"3\" stroke-opacity=\".4\"",
                svg_place(&self->axis, chart->lows[i]), y, svg_place(&self->axis, chart->highs[i]));
        svg_colour(file, chart, hue, place, count, "stroke");
        fputs("/>", file);
    }
    fputs(small ? "<g fill-opacity=\".5\">" : "", file);
    svg_mark(file, chart, hue, place, count, x, y, small ? 2.6 : 5.5);
    fputs(small ? "</g></g>\n" : "</g>\n", file);
}

static void draw_dots(FILE *file, const layout *self)
{
    const report_chart *chart = self->chart;
    for (size_t c = 0; c < chart->width; c++) {
        svg_grid_line(file, self->left, row_middle(self, c), self->right, row_middle(self, c));
        for (size_t s = chart->series.count; s-- > 0;) /* the first one on top */
            if (isfinite(chart->values[s * chart->width + c]))
                draw_dot(file, self, s, c);
    }
}

static void draw_stacks(FILE *file, const layout *self)
{
    const report_chart *chart = self->chart;
    for (size_t c = 0; c < chart->width; c++) {
        double sum = 0.0;
        for (size_t s = 0; s < chart->series.count; s++) {
            double value = chart->values[s * chart->width + c];
            if (!(value > 0.0))
                continue;
            double x = svg_place(&self->axis, sum);
            sum += value;
            fputs("<g class=\"m\">", file);
            title_mark(file, chart, s, c);
            fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"", x,
                    row_middle(self, c) - SVG_ROW / 2.0 + 3.0, svg_place(&self->axis, sum) - x,
                    SVG_ROW - 6);
            svg_colour(file, chart, chart->series.items[s], s, chart->series.count, "fill");
            fputs("/></g>\n", file);
        }
    }
}

/** From `from` to `to`, `share` of the way, as a colour. */
static void mix(FILE *file, const double *from, const double *to, double share)
{
    fprintf(file, " fill=\"#%02x%02x%02x\"", (unsigned)(from[0] + share * (to[0] - from[0])),
            (unsigned)(from[1] + share * (to[1] - from[1])),
            (unsigned)(from[2] + share * (to[2] - from[2])));
}

/** A field of a matrix: orange below the middle of the range, blue above it. */
static void draw_field(FILE *file, const layout *self, size_t series, size_t column, double width)
{
    static const double ground[] = {247, 247, 247}, below[] = {179, 88, 6},
                        above[] = {33, 102, 172};
    const report_chart *chart = self->chart;
    double value = chart->values[series * chart->width + column];
    double share =
        fmin(1.0, fmax(-1.0, 2.0 * (value - chart->low) / (chart->high - chart->low) - 1.0));
    double x = self->left + width * (double)column, y = row_middle(self, series);
    char text[32];
    double unit = chart->high > 10.0 ? 1.0 : 100.0; /* rounded, and + 0: no "-0.00" */
    snprintf(text, sizeof text, "%.*f", unit > 1.0 ? 2 : 0, nearbyint(value * unit) / unit + 0.0);
    fputs("<g class=\"m\">", file);
    svg_title(file, "%s, %s: %.4g%s%s", chart->series.items[series],
              chart->categories.items[column], value, chart->unit ? " " : "",
              chart->unit ? chart->unit : "");
    fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"", x + 1.0,
            y - SVG_ROW / 2.0 + 1.0, width - 2.0, SVG_ROW - 2);
    mix(file, ground, share < 0.0 ? below : above, fabs(share));
    fprintf(file, "/><g class=\"fix\" fill=\"%s\">", fabs(share) > 0.72 ? "#fff" : "#222");
    svg_text(file, x + width / 2.0, y + 4.5, "middle", text);
    fputs("</g></g>\n", file);
}

/** Where a column's turned name ends. */
static double turned_end(const layout *self, size_t column, double width)
{
    return self->left + width * ((double)column + 0.5) + 4.0;
}

/** The fields' width. Rows begin farther right where turned names of columns would begin outside
 * the picture, and fields leave room for that. */
static double fit_fields(layout *self, double longest)
{
    const report_chart *chart = self->chart;
    double count = (double)chart->width, least = self->left, width = 0.0;
    double most = fmax(least, chart->pixels - MATRIX_MARGIN - LEAST_FIELD * count);
    for (size_t pass = 0; pass < 3; pass++) { /* each narrows the fields */
        width = fmin(FIELD, (chart->pixels - self->left - MATRIX_MARGIN) / count);
        for (size_t c = 0; longest > width && c < chart->width; c++) {
            double room = fmin(longest, svg_text_width(chart->categories.items[c])) * TURNED_WIDTH;
            self->left = fmin(most, self->left + fmax(0.0, room - turned_end(self, c, width)));
        }
    }
    return fmin(FIELD, (chart->pixels - self->left - MATRIX_MARGIN) / count);
}

static double draw_matrix(FILE *file, layout *self)
{
    const report_chart *chart = self->chart;
    double longest = fmin(most_label(chart), svg_longest(&chart->categories));
    double width = fit_fields(self, longest);
    double bottom = self->top + SVG_ROW * (double)chart->series.count;
    bool turned = longest > width;
    for (size_t s = 0; s < chart->series.count; s++) {
        svg_label(file, self->left - 12.0, row_middle(self, s) + 4.5, "end", chart->series.items[s],
                  most_label(chart));
        for (size_t c = 0; c < chart->width; c++)
            if (isfinite(chart->values[s * chart->width + c]))
                draw_field(file, self, s, c, width);
    }
    for (size_t c = 0; c < chart->width; c++) {
        double end = turned_end(self, c, width), most = most_label(chart);
        if (turned)
            fprintf(file, "<g transform=\"translate(%.1f %.1f) rotate(-40)\">", end, bottom + 12.0);
        svg_label(file, turned ? 0.0 : end - 4.0, turned ? 0.0 : bottom + 15.0,
                  turned ? "end" : "middle", chart->categories.items[c],
                  turned ? fmin(most, end / TURNED_WIDTH) : most);
        fputs(turned ? "</g>\n" : "", file);
    }
    return bottom + (turned ? 20.0 + 0.66 * longest : 24.0);
}

double svg_fit_width(const report_chart *chart, double least)
{
    report_chart sized = *chart;
    sized.pixels = least;
    double names = fmin(most_label(&sized), svg_longest(&chart->series)) + 16.0;
    bool matrix = chart->kind == REPORT_MATRIX;
    return fmax(least, matrix ? names + MATRIX_MARGIN + LEAST_FIELD * (double)chart->width : 0.0);
}

double svg_draw_rows(FILE *file, const report_chart *chart)
{
    bool matrix = chart->kind == REPORT_MATRIX;
    const nitro_string_list *names = matrix ? &chart->series : &chart->categories;
    double room = chart->notes.count ? svg_longest(&chart->notes) + 14.0 : 14.0;
    layout self = {.chart = chart,
                   .left = fmin(most_label(chart), svg_longest(names)) + 16.0,
                   .right = chart->pixels - room,
                   .num_legend = chart->series.count - chart->num_small};
    bool legend =
        !matrix && !chart->by_row &&
        self.num_legend > (chart->kind == REPORT_STACK ? 0 : 1); /* bars need their names */
    self.top = legend ? svg_legend(file, chart, self.num_legend) + LEGEND_GAP : 6.0;
    if (matrix)
        return draw_matrix(file, &self);
    fit_axis(&self);
    draw_axis(file, &self);
    draw_names(file, &self);
    if (chart->kind == REPORT_STACK)
        draw_stacks(file, &self);
    else
        draw_dots(file, &self);
    return row_middle(&self, chart->width) - SVG_ROW / 2.0 + (chart->y_label ? AXIS_HEIGHT : 26);
}
