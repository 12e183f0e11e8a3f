/* report_svg.h - the elements that pictures of a report consist of: SVG text that reads well on
 * light and dark ground, as a file and inside the page. */
#ifndef NITRO_APPS_CLI_REPORT_REPORT_SVG_H
#define NITRO_APPS_CLI_REPORT_REPORT_SVG_H

#include <stdio.h>

#include "apps/cli/report/report.h"

/* Lengths are in pixels of a page that shows the picture at its natural size. */
enum {
    SVG_WIDTH = 680,
    SVG_NARROW = 312 /* on phones */,
    SVG_ROW = 24,
    SVG_LETTER = 8,
    SVG_FONT_SIZE = 13,
    SVG_LINE = 18
};

/** The colours, as rules for a style element: black, grey and the palette on dark ground. */
extern const char svg_dark_style[];

/** Text with what means something to XML replaced. */
void svg_escape(FILE *file, const char *text);

/** What the element that was just opened shows when it is pointed at: its title. */
void svg_title(FILE *file, const char *format, ...) NITRO_PRINTF(2, 3);

/** `anchor`: "start", "middle" or "end" of the text is at x. */
void svg_text(FILE *file, double x, double y, const char *anchor, const char *text);
/** The same, its middle cut to fit `width` (the whole text in its title). */
void svg_label(FILE *file, double x, double y, const char *anchor, const char *text, double width);
/** An axis' name: centred at x, or as near as the picture has room. */
void svg_axis_name(FILE *file, const report_chart *chart, double x, double y, const char *name);
void svg_grid_line(FILE *file, double x1, double y1, double x2, double y2);

/** The width of the longest text, about. */
double svg_text_width(const char *text);
double svg_longest(const nitro_string_list *texts);

/** Attributes of a colour: `class="c3" fill="#cc79a7"`; `use`: "fill" or "stroke". A method has the
 *  same colour in all pictures, references are grey; other names by their place in the chart. */
void svg_colour(FILE *file, const report_chart *chart, const char *name, size_t place, size_t count,
                const char *use);

/** The same colour as a mark around a point: a dot; references have shapes of their own. */
void svg_mark(FILE *file, const report_chart *chart, const char *name, size_t place, size_t count,
              double x, double y, double radius);

/** An axis of values: linear or logarithmic, from its first to its last pixel. */
typedef struct svg_axis {
    double low, high, first, last;
    bool logarithmic;
    const char *unit; /* "ms": ticks are times; may be NULL */
} svg_axis;

enum { SVG_MAX_TICKS = 16 };

double svg_place(const svg_axis *axis, double value);
/** A label under a tick, within the picture, unless it would touch the one before, which ends at
 *  `*end`. */
void svg_tick_label(FILE *file, const report_chart *chart, double x, double y, const char *text,
                    double *end);
/** Widen the range to what ticks at round numbers need. `fixed`: keep its ends. */
void svg_round_axis(svg_axis *axis, bool fixed);
/** Values of ticks; whole ones only, where they are counts. @return how many */
size_t svg_ticks(const svg_axis *axis, bool counted, double *ticks);
/** The unit that each number has: of times, which are shown in one that fits. Others have it once,
 * in a label or at the end of a range: NULL. */
const char *svg_own_unit(const char *unit);
/** A value as ticks and titles show it: "3.1 %", "1.2 s". */
void svg_value(double value, const char *unit, char *text, size_t size);

/** Names and colours of the series, `count` of them, in lines; @return the height that they took.
 */
double svg_legend(FILE *file, const report_chart *chart, size_t count);

/** The drawing of a chart, from its top; @return its height. */
double svg_draw_rows(FILE *file, const report_chart *chart);
/** The width of a picture: `least`, or what the fields of a matrix need. */
double svg_fit_width(const report_chart *chart, double least);
double svg_draw_curves(FILE *file, const report_chart *chart);

#endif
