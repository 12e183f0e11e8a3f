/* report_curves.c - pictures with two axes of numbers: curves with bands of quantiles, and points.
 */
#include <math.h>
#include <string.h>

#include "apps/cli/report/report_svg.h"

enum { HEIGHT = 300, MOST_MARKS = 40 /* of a curve that can be pointed at */ };

typedef struct plane {
    const report_chart *chart;
    svg_axis x, y;
} plane;

static void widen(double value, double *low, double *high)
{
    if (isfinite(value)) {
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
}

static void fit_axes(plane *self)
{
    const report_chart *chart = self->chart;
    double x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, y_high = -INFINITY;
    for (size_t i = 0; i < chart->series.count * chart->width; i++) {
        if (!isfinite(chart->values[i]))
            continue;
        widen(chart->places[i], &x_low, &x_high);
        widen(chart->values[i], &y_low, &y_high);
        widen(chart->lows[i], &y_low, &y_high);
        widen(chart->highs[i], &y_low, &y_high);
    }
    bool fixed = isfinite(chart->low) && isfinite(chart->high);
    self->x.low = x_low;
    self->x.high = x_high;
    self->x.logarithmic = chart->wide_x && x_low > 0.0;
    self->y.low = fixed ? chart->low : y_low;
    self->y.high = fixed ? chart->high : y_high;
    self->y.logarithmic = chart->wide && self->y.low > 0.0;
    svg_round_axis(&self->x, !chart->wide_x && chart->num_points == 0);
    svg_round_axis(&self->y, fixed);
}

static void draw_axes(FILE *file, const plane *self)
{
    const report_chart *chart = self->chart;
    double ticks[SVG_MAX_TICKS];
    char text[48];
    size_t count = svg_ticks(&self->y, chart->counted, ticks);
    for (size_t i = 0; i < count; i++) {
        double y = svg_place(&self->y, ticks[i]);
        svg_grid_line(file, self->x.first, y, self->x.last, y);
        svg_value(ticks[i], self->y.unit, text, sizeof text);
        svg_text(file, self->x.first - 8.0, y + 4.5, "end", text);
    }
    double labelled = -INFINITY;
    count = svg_ticks(&self->x, chart->counted_x, ticks);
    for (size_t i = 0; i < count; i++) {
        double x = svg_place(&self->x, ticks[i]);
        svg_grid_line(file, x, self->y.first, x, self->y.first + 5.0);
        bool in_label = self->x.unit && strcmp(self->x.unit, "%") == 0;
        svg_value(ticks[i], in_label ? NULL : self->x.unit, text, sizeof text);
        svg_tick_label(file, chart, x, self->y.first + 20.0, text, &labelled);
    }
    if (chart->x_label)
        svg_axis_name(file, chart, (self->x.first + self->x.last) / 2.0, self->y.first + 38.0,
                      chart->x_label);
    if (chart->y_label) {
        fprintf(file, "<g transform=\"translate(12 %.1f) rotate(-90)\">",
                (self->y.first + self->y.last) / 2.0);
        svg_text(file, 0.0, 0.0, "middle", chart->y_label);
        fputs("</g>\n", file);
    }
}

/** The outline of a curve through one end of the band or through the values. A step keeps a value
 *  until the next place. */
static void trace(FILE *file, const plane *self, size_t series, const double *heights, bool back,
                  bool *begun)
{
    const report_chart *chart = self->chart;
    double before = NAN;
    for (size_t k = 0; k < chart->width; k++) {
        size_t i = series * chart->width + (back ? chart->width - 1 - k : k);
        if (!isfinite(heights[i]) || !isfinite(chart->places[i]))
            continue;
        double x = svg_place(&self->x, chart->places[i]), y = svg_place(&self->y, heights[i]);
        if (!*begun)
            fprintf(file, "M%.1f %.1f", x, y);
        else if (chart->stepped && isfinite(before))
            fprintf(file, back ? "V%.1fH%.1f" : "H%.1fV%.1f", back ? y : x, back ? x : y);
        else
            fprintf(file, "L%.1f %.1f", x, y);
        *begun = true;
        before = y;
    }
}

static void draw_band(FILE *file, const plane *self, size_t series)
{
    const report_chart *chart = self->chart;
    bool begun = false;
    fputs("<path stroke=\"none\" fill-opacity=\".16\"", file);
    svg_colour(file, chart, chart->series.items[series], series, chart->series.count, "fill");
    fputs(" d=\"", file);
    trace(file, self, series, chart->lows, false, &begun);
    trace(file, self, series, chart->highs, true, &begun);
    fputs(begun ? "Z\"/>\n" : "\"/>\n", file);
}

static void draw_line(FILE *file, const plane *self, size_t series)
{
    const report_chart *chart = self->chart;
    bool begun = false;
    fputs("<path fill=\"none\" stroke-width=\"2\"", file);
    svg_colour(file, chart, chart->series.items[series], series, chart->series.count, "stroke");
    fputs(" d=\"", file);
    trace(file, self, series, chart->values, false, &begun);
    fputs("\"/>\n", file);
}

static void draw_points(FILE *file, const plane *self, size_t series, size_t every)
{
    const report_chart *chart = self->chart;
    bool grey = nitro_string_list_find(&chart->greys, chart->series.items[series]) != NITRO_NONE;
    for (size_t k = 0; k < chart->width; k += every) {
        size_t i = series * chart->width + k;
        char x[48], y[48], low[48], high[48];
        if (!isfinite(chart->values[i]) || !isfinite(chart->places[i]))
            continue;
        svg_value(chart->places[i], self->x.unit, x, sizeof x);
        svg_value(chart->values[i], chart->unit, y, sizeof y);
        svg_value(chart->lows[i], self->y.unit, low, sizeof low);
        svg_value(chart->highs[i], chart->unit, high, sizeof high);
        fputs("<g class=\"m\">", file);
        if (k < chart->categories.count && !grey)
            svg_title(file, "%s, %s: %s at %s", chart->series.items[series],
                      chart->categories.items[k], y, x);
        else if (isfinite(chart->lows[i]))
            svg_title(file, "%s at %s: %s (%s to %s)", chart->series.items[series], x, y, low,
                      high);
        else
            svg_title(file, "%s at %s: %s", chart->series.items[series], x, y);
        svg_mark(file, chart, chart->series.items[series], series, chart->series.count,
                 svg_place(&self->x, chart->places[i]), svg_place(&self->y, chart->values[i]), 3.5);
        fputs("</g>\n", file);
    }
}

double svg_draw_curves(FILE *file, const report_chart *chart)
{
    size_t lines = chart->series.count - chart->num_points;
    plane self = {.chart = chart};
    double top =
        chart->series.count > 1 ? svg_legend(file, chart, chart->series.count) + 8.0 : 10.0;
    self.x = (svg_axis){.first = 76.0, .last = chart->pixels - 20.0, .unit = chart->x_unit};
    self.y = (svg_axis){.first = top + HEIGHT, .last = top, .unit = svg_own_unit(chart->unit)};
    fit_axes(&self);
    draw_axes(file, &self);
    for (size_t s = 0; s < lines; s++)
        draw_band(file, &self, s);
    for (size_t s = chart->series.count; s-- > 0;) {
        if (s < lines)
            draw_line(file, &self, s);
        draw_points(file, &self, s, s < lines ? 1 + (chart->width - 1) / MOST_MARKS : 1);
    }
    return top + HEIGHT + (chart->x_label ? 46.0 : 28.0);
}
