/* report_page.c - a report as one page of HTML that needs nothing else: no scripts, fonts or
 * pictures from elsewhere. Charts are inlined as SVG; their marks show their values when pointed
 * at, by a script where it may run and else as the browser shows titles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/device_set.h"
#include "apps/cli/report/report_svg.h"
#include "nitro/backend/memory_stream.h"

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1d2329;--soft:#59636e;--line:#d8dee4;--ground:#fff;"
    "--band:#f5f7f9;--accent:#0072b2;--warn:#7a4b00;--warnground:#fff4dc}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e3e7eb;--soft:#9ba6b1;--line:#39424c;"
    "--ground:#14181c;--band:#1d2329;--accent:#56b4e9;--warn:#ffd38a;--warnground:#3a2c0d}}\n"
    "body{margin:0;background:var(--ground);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}\n"
    "main{max-width:62rem;margin:0 auto;padding:2rem 1.25rem 4rem}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:0 0 .5rem}\n"
    "h2{font-size:1.35rem;margin:3rem 0 0;padding-top:1rem;border-top:2px solid var(--ink)}\n"
    "h3{font-size:1.1rem;margin:2.6rem 0 .4rem}\n"
    "h3 small{font-weight:400;font-size:.85rem;color:var(--soft);margin-left:.5rem}\n"
    "p{margin:.5rem 0;max-width:46rem}\n"
    "a{color:var(--accent)}\n"
    ".soft{color:var(--soft);font-size:.875rem}\n"
    ".warn{background:var(--warnground);color:var(--warn);padding:.6rem .9rem;border-radius:4px}\n"
    "nav ul{columns:17rem;column-gap:2.5rem;margin:.75rem 0;padding-left:1.2rem}\n"
    "figure{margin:1rem 0}\n"
    /* Phones show the narrow pictures, whose labels are as high; large matrices scroll. */
    "figure div{overflow-x:auto}figure svg{display:block}figure .narrow{display:none}\n"
    "@media screen and (max-width:45rem){figure .wide{display:none}figure .narrow{display:block}}\n"
    ".m:hover circle{stroke:var(--ink);stroke-width:2}.m:hover rect,.m:hover path{opacity:.8}\n"
    "#tip{position:fixed;pointer-events:none;background:var(--ink);color:var(--ground);"
    "padding:.15rem .5rem;border-radius:4px;font-size:.875rem;max-width:20rem}\n"
    "figcaption{color:var(--soft);font-size:.875rem;margin-top:.3rem}\n"
    ".scroll{overflow-x:auto;margin:1rem 0}\n"
    "table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.25rem .55rem;text-align:left;vertical-align:top;"
    "border-bottom:1px solid var(--line)}\n"
    "thead th{border-bottom:1.5px solid var(--ink);font-weight:600;vertical-align:bottom}\n"
    "thead small{display:block;font-weight:400;color:var(--soft)}\n"
    "td:first-child{white-space:nowrap}\n.n{text-align:right;white-space:nowrap}thead "
    ".n{white-space:normal}\n"
    "td small{color:var(--soft)}tr.strong td{font-weight:600;background:var(--band)}\n"
    "details{margin:.5rem 0}summary{cursor:pointer;color:var(--soft);font-size:.875rem}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;font-size:.9rem}\n"
    "dt{font-weight:600}dd{margin:0}\n"
    "@media print{:root{color-scheme:light;--ink:#000;--soft:#444;--line:#bbb;--ground:#fff;"
    "--band:#eee}main{max-width:none;padding:0}nav{display:none}"
    "h3{break-after:avoid}figure,tr{break-inside:avoid}"
    "details::details-content{content-visibility:visible;height:auto}}\n";

/* The title of the mark that is pointed at or touched, beside it. */
static const char script[] =
    "(()=>{const tip=document.createElement('div');tip.id='tip';tip.hidden=true;"
    "document.body.append(tip);"
    "document.querySelectorAll('figure .m>title').forEach(t=>{t.parentNode.dataset.tip="
    "t.textContent;t.parentNode.setAttribute('aria-label',t.textContent);t.remove()});"
    "const show=e=>{const m=e.target.closest&&e.target.closest('.m');tip.hidden=!m;if(!m)return;"
    "tip.textContent=m.dataset.tip;const b=m.getBoundingClientRect(),w=tip.offsetWidth;"
    "tip.style.left=Math.max(4,Math.min(innerWidth-w-4,e.clientX-w/2))+'px';"
    "tip.style.top=Math.max(4,b.top-tip.offsetHeight-6)+'px'};"
    "addEventListener('pointerover',show);addEventListener('pointerdown',show);"
    "addEventListener('scroll',()=>{tip.hidden=true},true)})()";

static void write_element(FILE *file, const char *open, const char *text, const char *close)
{
    if (!text || !*text)
        return;
    fputs(open, file);
    svg_escape(file, text);
    fputs(close, file);
}

/** Times are shown in seconds or milliseconds, by their size. */
static bool is_time(const report_column *column)
{
    return column->unit && strcmp(column->unit, "ms") == 0;
}

static void write_cell(FILE *file, const report_column *column, const report_cell *cell)
{
    if (cell->text) {
        fputs("<td>", file);
        svg_escape(file, cell->text);
    } else if (!isfinite(cell->number)) {
        fputs("<td class=\"n\">\xe2\x80\x93", file); /* an en dash */
    } else {
        double unit = pow(10.0, column->decimals);
        double shown = nearbyint(cell->number * unit) / unit + 0.0; /* no "-0.0" */
        char time[32];
        format_time(cell->number, time, sizeof time);
        fputs("<td class=\"n\">", file);
        if (is_time(column))
            fputs(time, file);
        else
            fprintf(file, "%.*f", column->decimals, isfinite(shown) ? shown : cell->number);
        if (isfinite(cell->spread))
            fprintf(file, "<small> \xc2\xb1 %.*f</small>", column->decimals, cell->spread);
    }
    fputs("</td>", file);
}

static void write_table(FILE *file, const report_table *table)
{
    fputs("<div class=\"scroll\"><table><thead><tr>", file);
    for (size_t c = 0; c < table->num_columns; c++) {
        const report_column *column = &table->columns[c];
        fputs(column->decimals == REPORT_TEXT ? "<th scope=\"col\">"
                                              : "<th scope=\"col\" class=\"n\">",
              file);
        svg_escape(file, column->title);
        write_element(file, "<small>", is_time(column) ? NULL : column->unit, "</small>");
        fputs("</th>", file);
    }
    fputs("</tr></thead>\n<tbody>\n", file);
    for (size_t i = 0; i < table->num_cells; i++) {
        size_t c = i % table->num_columns;
        if (c == 0)
            fputs(table->cells[i].strong ? "<tr class=\"strong\">" : "<tr>", file);
        write_cell(file, &table->columns[c], &table->cells[i]);
        if (c + 1 == table->num_columns)
            fputs("</tr>\n", file);
    }
    fputs("</tbody></table></div>\n", file);
}

static void write_figure(FILE *file, const report_part *part)
{
    if (!part->svg)
        return;
    fprintf(file, "<figure><div>%s</div>", part->svg);
    write_element(file, "<figcaption>", part->chart_note, "</figcaption>");
    fputs("</figure>\n", file);
}

static void write_links(FILE *file, const report *self, const report_part *part)
{
    static const char *const extensions[] = {"csv", "json", "svg"};
    fputs("<p class=\"soft\">", file);
    write_element(file, "", part->method, " ");
    fputs("Files: ", file);
    for (size_t i = 0; i < (part->svg ? 3u : 2u); i++)
        fprintf(file, "%s<a href=\"%s-%s.%s\">%s</a>", i ? ", " : "", self->computation, part->name,
                extensions[i], extensions[i]);
    fputs(".</p>\n", file);
}

static void write_part(FILE *file, const report *self, const report_part *part)
{
    fprintf(file, "<section id=\"%s-%s\">\n<h3>", self->computation, part->name);
    svg_escape(file, part->title);
    write_element(file, "<small>", part->reference, " of the paper</small>");
    fputs("</h3>\n", file);
    write_element(file, "<p>", part->finding, "</p>\n");
    write_figure(file, part);
    if (part->digest.num_columns > 0) {
        write_table(file, &part->digest);
        fprintf(file, "<details><summary>All numbers (%zu row%s)</summary>\n",
                report_table_rows(&part->table), plural(report_table_rows(&part->table)));
        write_table(file, &part->table);
        fputs("</details>\n", file);
    } else {
        write_table(file, &part->table);
    }
    write_links(file, self, part);
    fputs("</section>\n", file);
}

/** Is the part omitted for the same reason as an earlier one? */
static bool is_repeated(const report *self, size_t part)
{
    for (size_t p = 0; p < part; p++)
        if (self->parts[p].omitted &&
            strcmp(self->parts[p].finding, self->parts[part].finding) == 0)
            return true;
    return false;
}

/** The parts that are omitted, by their reasons. */
static void write_omitted(FILE *file, const report *self)
{
    bool begun = false;
    for (size_t p = 0; p < self->num_parts; p++) {
        const char *reason = self->parts[p].finding;
        if (!self->parts[p].omitted || is_repeated(self, p))
            continue;
        fputs(begun ? "" : "<section class=\"soft\"><h3>Not in this report</h3>\n<ul>\n", file);
        begun = true;
        fputs("<li>", file);
        svg_escape(file, self->parts[p].title);
        for (size_t q = p + 1; q < self->num_parts; q++)
            if (self->parts[q].omitted && strcmp(self->parts[q].finding, reason) == 0)
                write_element(file, "; ", self->parts[q].title, "");
        write_element(file, ": ", reason, "</li>\n");
    }
    fputs(begun ? "</ul></section>\n" : "", file);
}

static bool has_modelled(const report *reports, size_t count)
{
    for (size_t r = 0; r < count; r++)
        for (size_t d = 0; reports[r].dataset && d < reports[r].dataset->num_devices; d++)
            if (device_is_modelled(reports[r].dataset->devices[d]))
                return true;
    return false;
}

static void write_contents(FILE *file, const report *reports, size_t count)
{
    fputs("<nav aria-label=\"Contents\"><ul>\n", file);
    for (size_t r = 0; r < count; r++)
        for (size_t p = 0; p < reports[r].num_parts; p++) {
            const report_part *part = &reports[r].parts[p];
            if (part->omitted)
                continue;
            fprintf(file, "<li><a href=\"#%s-%s\">", reports[r].computation, part->name);
            if (count > 1)
                fprintf(file, "%s: ", reports[r].computation);
            svg_escape(file, part->title);
            fputs("</a></li>\n", file);
        }
    fputs("</ul></nav>\n", file);
}

static void write_methods(FILE *file, const report *owner)
{
    fputs("<section id=\"methods\"><h2>Methods</h2>\n<dl>\n", file);
    for (const nitro_method_info *each = nitro_method_table(); each->name; each++) {
        if (nitro_string_list_find(owner->options.methods, each->name) == NITRO_NONE)
            continue;
        write_element(file, "<dt>", each->name, "</dt>");
        write_element(file, "<dd>", each->description, "</dd>\n");
    }
    fputs("</dl></section>\n", file);
}

static void write_head(FILE *file, const report *reports, size_t count,
                       const report_preface *preface)
{
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>Nitro: ",
          file);
    for (size_t r = 0; r < count; r++)
        fprintf(file, "%s%s", r ? ", " : "", reports[r].computation);
    fprintf(file,
            "</title>\n<style>\n%s@media(prefers-color-scheme:dark){%s}</style></head>\n"
            "<body><main>\n"
            "<h1>%s</h1>\n<p>%s</p>\n",
            style, svg_dark_style, preface->heading, preface->introduction);
    if (has_modelled(reports, count))
        fputs(
            "<p class=\"warn\"><strong>Some devices are modelled:</strong> their times come from a "
            "documented cost model. Findings about them are a demonstration, never a result.</p>\n",
            file);
    write_element(file, "<p class=\"soft\">", preface->provenance, "</p>\n");
    write_contents(file, reports, count);
}

nitro_status report_write_page(const report *reports, size_t count, const report_preface *preface)
{
    nitro_context *context = reports[0].context;
    char *text = NULL, *path = nitro_asprintf(context, "%s/index.html", reports[0].folder);
    size_t size = 0;
    FILE *file = path ? nitro_memory_stream(&text, &size) : NULL;
    if (!file) {
        free(path);
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: a report's page");
    }
    write_head(file, reports, count, preface);
    for (size_t r = 0; r < count; r++) {
        fprintf(file, "<h2>%s</h2>\n", reports[r].computation);
        for (size_t p = 0; p < reports[r].num_parts; p++)
            if (!reports[r].parts[p].omitted)
                write_part(file, &reports[r], &reports[r].parts[p]);
        write_omitted(file, &reports[r]);
    }
    if (reports[0].options.methods)
        write_methods(file, &reports[0]);
    fprintf(file, "</main><script>%s</script></body></html>\n", script);
    nitro_status status =
        nitro_memory_stream_end(file, &text)
            ? nitro_file_write(context, path, text, size)
            : nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: a report's page");
    free(text);
    free(path);
    return status;
}
