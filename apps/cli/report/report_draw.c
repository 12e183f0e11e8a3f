/* report_draw.c - draws charts as SVG: as files, which show themselves on light and dark ground,
 * and for the page. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/report/report_svg.h"

/** The drawing without its frame, and its height. */
static char *draw(const report_chart *chart, double *height)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    *height =
        chart->kind == REPORT_CURVES ? svg_draw_curves(file, chart) : svg_draw_rows(file, chart);
    bool failed = ferror(file) != 0;
    failed |= fclose(file) != 0;
    if (!failed)
        return text;
    free(text);
    return NULL;
}

static const char frame[] =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-4 0 %d %.0f\" width=\"%d\" "
    "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#1d2329\" role=\"img\">\n";

/** `part->svg`: as the page has it. A file has its own colours and ground. */
static nitro_status frame_drawing(const report *self, report_part *part, const char *drawing,
                                  double height, char **file)
{
    char *head = nitro_asprintf(self->context, frame, SVG_WIDTH + 8, height, SVG_WIDTH + 8, height);
    char *title = head ? nitro_asprintf(self->context, "<title>%s</title>\n", part->title) : NULL;
    if (title)
        part->svg = nitro_asprintf(self->context, "%s%s%s</svg>\n", head, title, drawing);
    if (part->svg)
        *file = nitro_asprintf(self->context,
                               "%s%s<style>.p{fill:#fff}\n@media(prefers-color-scheme:dark){"
                               ".p{fill:#14181c}%s}</style>\n<rect class=\"p\" fill=\"#fff\" "
                               "x=\"-4\" width=\"100%%\" height=\"100%%\"/>\n%s</svg>\n",
                               head, title, svg_dark_style, drawing);
    free(head);
    free(title);
    return part->svg && *file ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

nitro_status report_draw(const report *self, report_part *part, const char *folder)
{
    nitro_context *context = self->context;
    double height = 0.0;
    char *drawing = NULL, *file = NULL;
    char *path = nitro_asprintf(context, "%s/%s-%s.svg", folder, self->computation, part->name);
    if (!path)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = NITRO_OK;
    unlink(path); /* what an earlier run drew is not of this one */
    if (part->chart.kind != REPORT_NO_CHART && !part->omitted) {
        drawing = draw(&part->chart, &height);
        status = drawing ? frame_drawing(self, part, drawing, height, &file)
                         : nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: a picture");
    }
    if (status == NITRO_OK && file)
        status = nitro_file_write(context, path, file, strlen(file));
    free(drawing);
    free(file);
    free(path);
    return status;
}
