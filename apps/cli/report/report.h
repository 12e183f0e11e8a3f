/*
 * report.h - what a report is made of: parts, each a finding with its table and chart. Computing
 * the parts and writing them are separate.
 */
#ifndef NITRO_APPS_CLI_REPORT_REPORT_H
#define NITRO_APPS_CLI_REPORT_REPORT_H

#include "apps/cli/output.h"
#include "nitro/backend/study.h"

/* ---- Tables, charts, parts (report_part.c) --------------------------------------------------- */

typedef struct report_column {
    char *title;
    const char *unit; /* NULL: none */
    int decimals;     /* in the page; files have all digits. REPORT_TEXT: not a number */
} report_column;

#define REPORT_TEXT (-1)

typedef struct report_cell {
    char *text;    /* NULL: a number... */
    double number; /* ...NaN: nothing is known */
    double spread; /* beside it, over seeds; NaN: none */
    bool strong;   /* shown as important */
} report_cell;

/** Cells row after row. */
typedef struct report_table {
    struct report *report; /* keeps the first failure */
    report_column *columns;
    size_t num_columns, columns_capacity;
    report_cell *cells;
    size_t num_cells, cells_capacity;
} report_table;

void report_table_column(report_table *table, const char *title, const char *unit, int decimals);
/** Several: "device,inputs||0,mean|%|2": a text column's title, or a title, a unit (none, "%",
 *  "points", "ms") and the number of decimals. */
void report_table_columns(report_table *table, const char *columns);
void report_table_text(report_table *table, const char *text);
/** "gpu1", or "model:k20c (modelled)". */
void report_table_device(report_table *table, const char *id);
void report_table_number(report_table *table, double number);
/** The same with its spread over seeds beside it, in the page. */
void report_table_spread(report_table *table, double number, double spread);
/** Several cells: "@%s %s %f" is a device, a text and a number. */
void report_table_cells(report_table *table, const char *kinds, ...) NITRO_PRINTF(2, 3);
/** Show the row that the last cell is in as important. */
void report_table_stress(report_table *table);
size_t report_table_rows(const report_table *table);

typedef enum report_chart_kind {
    REPORT_NO_CHART,
    REPORT_DOTS,   /* a row a category, a dot a series, with whiskers where lows and highs are */
    REPORT_STACK,  /* a bar a category, the series one after the other */
    REPORT_MATRIX, /* a coloured field a category (column) and series (row), by low and high */
    REPORT_CURVES, /* two axes of numbers: a curve a series with its band, or points */
} report_chart_kind;

typedef struct report_chart {
    report_chart_kind kind;
    nitro_string_list series;
    nitro_string_list categories;  /* names of rows or columns; of curves: of places, or none */
    nitro_string_list greys;       /* rows or series without a colour, besides references */
    const nitro_schema *schema;    /* its variants have the same colours in all charts */
    nitro_string_list notes;       /* at the right end of rows; empty: none */
    size_t width;                  /* categories, or places of a curve */
    double *values, *lows, *highs; /* shape [series x width]; NaN: nothing to draw; whiskers or the
                                      band are from low to high */
    double *places;                /* of curves: on the x axis, shape [series x width] */
    const char *x_label, *y_label; /* y is the axis of values, also where it lies */
    const char *unit, *x_unit;     /* of values, of places; "ms": times, by size; NULL: none */
    double low, high;              /* of the value axis; NaN: from the values */
    bool wide, wide_x;             /* a logarithmic axis; of dots only where values call for it */
    bool counted, counted_x;       /* whole numbers: no ticks between them */
    bool ordered;                  /* series are steps of one thing: shades of a colour */
    bool by_row;                   /* of dots: a colour a row */
    bool stepped;                  /* of curves: a value holds until the next place */
    size_t num_small;              /* of dots: the last series are small, and not in the legend */
    size_t num_points;             /* of curves: the last series are points without a line */
    double pixels;                 /* the picture's width */
} report_chart;

/** Room for all values, all NaN, once the series are there, and categories or `width` are. */
void report_chart_allocate(struct report *self, report_chart *chart);
/** Values are percentages from 0 to 100. */
void report_chart_percent(report_chart *chart, report_chart_kind kind, const char *y_label);
/** A category for a device: its name, on two lines where it is modelled. */
void report_chart_device(struct report *self, report_chart *chart, const char *id);
void report_chart_set(report_chart *chart, size_t series, size_t category, double value);
/** The same with whiskers or a band. */
void report_chart_set_range(report_chart *chart, size_t series, size_t category, double value,
                            double low, double high);
/** A point of a curve, at `x`. */
void report_chart_set_point(report_chart *chart, size_t series, size_t place, double x,
                            double value, double low, double high);

typedef struct report_part {
    const char *name;      /* of its files: "quality" */
    const char *title;     /* a heading */
    const char *reference; /* of the paper: "Figure 6"; NULL: none */
    char *finding;         /* what one sees, in sentences */
    const char *method;    /* how the numbers came to be */
    char *chart_note;      /* what the picture shows, under it */
    report_table table;    /* all numbers */
    report_table digest;   /* what the page shows instead of them; without columns: nothing */
    report_chart chart;
    char *svg;    /* the picture, once drawn */
    json_t *raw;  /* for the JSON file only; NULL: none */
    bool omitted; /* nothing to show; `finding` gives the reason */
} report_part;

enum { REPORT_MAX_PARTS = 24 };

/** A request, and the parts of one computation. The first failure is kept in `status`; what is
 * added to parts, tables, charts and lists of names after it has no effect. */
typedef struct report {
    invocation *call;
    nitro_context *context;
    nitro_status status;
    nitro_store *store;
    const char *computation;
    nitro_study_options options;           /* targets, sources, seeds...; its methods are set */
    const nitro_string_list *sub_methods;  /* for the studies with one source less */
    const nitro_string_list *excluded;     /* devices and signers that are no sources; or NULL */
    nitro_string_list sources;             /* those that are left */
    const nitro_string_list *descriptions; /* files, for rooflines; NULL: none */
    bool skip_source_less, skip_features, skip_curves; /* skip these long studies */
    const char *folder;                                /* to write to; it is there */
    progress_line *progress;
    nitro_dataset *dataset;       /* all devices that are targets or sources */
    struct report_learnt *learnt; /* results of the studies that train models (report_learnt.h) */
    size_t num_parts;
    report_part parts[REPORT_MAX_PARTS];
} report;

/** Does it have a single device? It is then tested on its own inputs, a fifth at a time. */
static inline bool report_is_alone(const report *self)
{
    return self->dataset && self->dataset->num_devices == 1;
}
/** The next part, empty. */
report_part *report_add(report *self, const char *name, const char *title, const char *reference);
/** Keep a failure, if it is the first one. */
void report_keep(report *self, nitro_status status);
/** Room for one more of `count` items; false: out of memory, or an earlier failure. */
bool report_grow(report *self, void **items, size_t item_size, size_t count, size_t *capacity);
/** Append a sentence to the part's finding, as printf does. */
void report_say(report *self, report_part *part, const char *format, ...) NITRO_PRINTF(3, 4);
/** Omit the part from charts and tables. Its finding is the reason. */
void report_omit(report *self, report_part *part, const char *format, ...) NITRO_PRINTF(3, 4);
/** "81 to 95", or "81" where both are the same. */
void report_format_range(double least, double most, char *text, size_t size);
void report_free_parts(report *self);

/** Has the variant run on any device? Pages do not list the others. */
bool report_has_run(const nitro_dataset *dataset, size_t variant);

/** "gpu1", or "model:k20c (modelled)". */
void report_device_name(const report *self, const char *id, char *name, size_t size);
/** What a device's generation is called: by its feature or label of this name, or by its label
 *  "architecture"; "" where it has none. */
void report_generation(const nitro_device *device, char *name, size_t size);
/** Is it in the list? NULL: a list of all. */
bool report_is_named(const nitro_string_list *list, const char *name);
void report_add_name(report *self, nitro_string_list *list, const char *name);
/** Add the name unless it is present. */
void report_add_new_name(report *self, nitro_string_list *list, const char *name);
/** NaN of nothing. */
double report_percent(size_t count, size_t of);

/* ---- Steps: most add parts ------------------------------------------------------------------ */

/* From the measurements: report_devices.c, report_variants.c, report_recommended.c,
 * report_twins.c, report_roofline.c, report_sensitivity.c. */
void report_add_devices(report *self);
/** And twins among them. */
void report_add_similarity(report *self);
/** @param[in] matrix  shape [devices x devices]; NULL: there is none. */
void report_add_twins(report *self, const nitro_string_list *features, const double *matrix);
void report_add_variants(report *self);
void report_add_recommended(report *self);
void report_add_roofline(report *self);
void report_add_sensitivity(report *self);

/* By training: the studies (report_learnt.c), then their parts (report_quality.c,
 * report_slowdowns.c, report_predicted.c, report_sources.c). */
void report_learn(report *self);
void report_add_quality(report *self);
/** What each source counts for each target (report_weights.c). */
void report_add_weights(report *self);
void report_add_targets(report *self);
void report_add_slowdowns(report *self);
void report_add_worst(report *self);
void report_add_predicted(report *self);
void report_add_measured_curve(report *self);
void report_add_source_curve(report *self);
void report_add_source_less(report *self);
void report_add_contribution(report *self);

/** Selected device features, and the time of the selection (report_selections.c). */
void report_add_selections(report *self);

/* ---- Writing --------------------------------------------------------------------------------- */

/** The files of the parts from `first` on: .json, .csv and .svg; of an omitted part only the JSON,
 *  with the reason (report_files.c). */
void report_write_parts(report *self, size_t first);
/** FOLDER/COMPUTATION-PART.EXTENSION; `text` NULL: that of an earlier run is removed. */
void report_write_file(report *self, const report_part *part, const char *extension,
                       const char *text);
/** The picture, as a file and into `part->svg` (report_draw.c). */
void report_draw(report *self, report_part *part);

/** What the page begins with. */
typedef struct report_preface {
    const char *heading, *introduction; /* HTML */
    const char *provenance;
} report_preface;

/** The whole page, FOLDER/index.html, from the parts of all computations, and the methods of the
 *  first one, if it has any (report_page.c). */
nitro_status report_write_page(const report *reports, size_t count, const report_preface *preface);

/* ---- Whole reports --------------------------------------------------------------------------- */

/** Of a store's computations (report_run.c). `request`: what their reports have in common. */
int report_run(const report *request, const nitro_string_list *computations);

/** Of recorded tuning spaces (report_searches.c). */
typedef struct search_report_request {
    const char *output;                 /* an existing folder */
    const nitro_string_list *recorded;  /* files */
    const nitro_string_list *searchers; /* "NAME:OPTION=VALUE..."; empty: some */
    uint64_t repeats, threads;
} search_report_request;
int report_searches(invocation *call, const search_report_request *request);

#endif
