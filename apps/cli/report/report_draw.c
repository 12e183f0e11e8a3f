/* report_draw.c - draws charts as SVG: as files, which show themselves on light and dark ground,
 * and for the page. */
#include <stdlib.h>

#include "apps/cli/report/report_svg.h"
#include "nitro/backend/memory_stream.h"

/** A drawing without its frame; NULL: out of memory. */
typedef struct drawing {
    char *text;
    double width, height;
} drawing;

static drawing draw(const report_chart *chart, double width)
{
    report_chart sized = *chart;
    drawing made = {.width = width};
    size_t size = 0;
    FILE *file = nitro_memory_stream(&made.text, &size);
    if (!file)
        return made;
    sized.pixels = width;
    made.height =
        chart->kind == REPORT_CURVES ? svg_draw_curves(file, &sized) : svg_draw_rows(file, &sized);
    nitro_memory_stream_end(file, &made.text);
    return made;
}

static const char frame[] =
    "<svg xmlns=\"http://www.w3.org/2000/svg\"%s viewBox=\"-4 0 %.0f %.0f\" width=\"%.0f\" "
    "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"%d\" fill=\"#1d2329\" role=\"img\">\n"
    "<title>%s</title>\n%s%s</svg>\n";

/** `attributes`: of the element; `ground`: elements under the drawing. */
static char *frame_drawing(const report *self, const report_part *part, const drawing *drawn,
                           const char *attributes, const char *ground)
{
    return nitro_asprintf(self->context, frame, attributes, drawn->width + 8.0, drawn->height,
                          drawn->width + 8.0, drawn->height, SVG_FONT_SIZE, part->title, ground,
                          drawn->text);
}

/** A picture of its own has its own colours and ground. */
static char *make_file(const report *self, const report_part *part, const drawing *wide)
{
    char *ground = nitro_asprintf(
        self->context,
        "<style>.p{fill:#fff}\n@media(prefers-color-scheme:dark){.p{fill:#14181c}%s}</style>\n"
        "<rect class=\"p\" fill=\"#fff\" x=\"-4\" width=\"100%%\" height=\"100%%\"/>\n",
        svg_dark_style);
    char *file = ground ? frame_drawing(self, part, wide, "", ground) : NULL;
    free(ground);
    return file;
}

/** In the page: one for phones, too, where it is narrower. */
static char *make_element(const report *self, const report_part *part, const drawing *wide)
{
    double width = svg_fit_width(&part->chart, SVG_NARROW);
    if (width >= SVG_WIDTH)
        return frame_drawing(self, part, wide, "", "");
    drawing narrow = draw(&part->chart, width);
    char *first = frame_drawing(self, part, wide, " class=\"wide\"", ""), *both = NULL;
    char *second = narrow.text ? frame_drawing(self, part, &narrow, " class=\"narrow\"", "") : NULL;
    if (first && second)
        both = nitro_asprintf(self->context, "%s%s", first, second);
    free(narrow.text);
    free(first);
    free(second);
    return both;
}

void report_draw(report *self, report_part *part)
{
    char *file = NULL;
    if (part->chart.kind != REPORT_NO_CHART && !part->omitted) {
        drawing wide = draw(&part->chart, svg_fit_width(&part->chart, SVG_WIDTH));
        if (wide.text) {
            file = make_file(self, part, &wide);
            part->svg = make_element(self, part, &wide);
        }
        free(wide.text);
        if (!file || !part->svg)
            report_keep(self,
                        nitro_fail(self->context, NITRO_ERR_NO_MEMORY, "out of memory: a picture"));
    }
    report_write_file(self, part, "svg", file);
    free(file);
}
