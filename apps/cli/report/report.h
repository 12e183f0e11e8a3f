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
    bool strong;   /* shown as important */
} report_cell;

/** Cells row after row. The first failure is kept in `status`; later additions have no effect. */
typedef struct report_table {
    nitro_context *context;
    nitro_status status;
    report_column *columns;
    size_t num_columns, columns_capacity;
    report_cell *cells;
    size_t num_cells, cells_capacity;
} report_table;

void report_table_column(report_table *table, const char *title, const char *unit, int decimals);
/** Several: "device,inputs||0,mean|%|2": a text column's title, or a title, a unit (none, "%",
 *  "points", "ms") and the number of decimals. */
void report_table_columns(report_table *table, const char *columns);
void report_table_text(report_table *table, const char *format, ...) NITRO_PRINTF(2, 3);
void report_table_number(report_table *table, double number);
/** Show the row that the last cell is in as important. */
void report_table_stress(report_table *table);
size_t report_table_rows(const report_table *table);

typedef enum report_chart_kind {
    REPORT_NO_CHART,
    REPORT_LINES,  /* a line a series over the categories, which have an order */
    REPORT_BARS,   /* a group of bars a category, one a series */
    REPORT_STACK,  /* a bar a category, the series on top of each other */
    REPORT_MATRIX, /* a coloured field a category (column) and series (row); values in [-1, 1] */
} report_chart_kind;

typedef struct report_chart {
    report_chart_kind kind;
    nitro_string_list categories; /* names; "\n" parts two lines */
    nitro_string_list series;
    double *values; /* shape [series x categories]; NaN: nothing to draw */
    const char *x_label, *y_label;
    double low, high; /* of the value axis; NaN: from the values */
    bool wide;    /* values may differ by orders of magnitude: a logarithmic axis where they do */
    bool counted; /* values are counts: no ticks between them */
    bool ordered; /* series are steps of one thing: shades of a colour */
    const nitro_string_list *hues; /* borrowed: a series has the colour of its place here, the same
                                      in every chart; NULL: of its place in the chart */
} report_chart;

/** Make room for the values, all NaN, once categories and series are there. */
nitro_status report_chart_allocate(nitro_context *context, report_chart *chart);
void report_chart_set(report_chart *chart, size_t series, size_t category, double value);

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

enum { REPORT_MAX_PARTS = 12 };

/** A request, and the parts of one computation. */
typedef struct report {
    invocation *call;
    nitro_context *context;
    nitro_store *store;
    const char *computation;
    nitro_study_options options;          /* targets, sources, seeds...; its methods are set */
    const nitro_string_list *sub_methods; /* for the studies with one source less */
    bool skip_source_less, skip_features; /* skip these long studies */
    progress_line *progress;
    nitro_dataset *dataset;       /* all devices that are targets or sources */
    struct report_learnt *learnt; /* results of the studies that train models (report_learnt.h) */
    size_t num_parts;
    report_part parts[REPORT_MAX_PARTS];
} report;

/** The next part, empty. */
report_part *report_add(report *self, const char *name, const char *title, const char *reference);
/** Its first failure, in tables. */
nitro_status report_part_status(const report_part *part);
/** Omit the part from charts and tables, with the reason. */
nitro_status report_omit(report *self, report_part *part, const char *format, ...)
    NITRO_PRINTF(3, 4);
/** Append to the part's finding, as printf does. */
nitro_status report_say(report *self, report_part *part, const char *format, ...)
    NITRO_PRINTF(3, 4);
void report_free_parts(report *self);

/** "gpu1", or "model:k20c (modelled)"; in charts on two lines. */
void report_device_name(const nitro_device *device, char *text, size_t size);
void report_device_category(const nitro_device *device, char *text, size_t size);
const nitro_device *report_device(const report *self, const char *id);
/** The device's name, by id. */
void report_target_name(const report *self, const char *id, char *name, size_t size);
/** What a device's generation is called: by its feature or label of this name, or by its label
 *  "architecture"; "" where it has none. */
void report_generation(const nitro_device *device, char *name, size_t size);
/** Is it in the list? NULL: a list of all. */
bool report_is_named(const nitro_string_list *list, const char *name);
/** Add the name unless it is present. */
nitro_status report_add_name(nitro_context *context, nitro_string_list *list, const char *name);
/** NaN of nothing. */
double report_percent(size_t count, size_t of);

/* ---- Steps: most add parts ------------------------------------------------------------------ */

/* From the measurements: report_devices.c, report_variants.c, report_sensitivity.c. */
nitro_status report_add_devices(report *self);
nitro_status report_add_similarity(report *self);
nitro_status report_add_variants(report *self);
nitro_status report_add_sensitivity(report *self);

/* By training: the studies (report_learnt.c), then their parts (report_quality.c,
 * report_sources.c). */
nitro_status report_learn(report *self);
nitro_status report_add_quality(report *self);
nitro_status report_add_source_less(report *self);
nitro_status report_add_contribution(report *self);

/** Selected device features, and the time of the selection (report_selections.c). */
nitro_status report_add_selections(report *self);

/* ---- Writing --------------------------------------------------------------------------------- */

/** FOLDER/COMPUTATION-PART.json and .csv; of an omitted part only the JSON, with the reason
 *  (report_files.c). */
nitro_status report_write_files(const report *self, const report_part *part, const char *folder);

/**
 * FOLDER/COMPUTATION-PART.gnuplot, .svg and .png, and the picture into `part->svg`
 * (report_draw.c). Pictures of an earlier run are removed first.
 * @return NITRO_ERR_UNSUPPORTED where gnuplot is not installed; NITRO_ERR_IO where it fails.
 */
nitro_status report_draw(const report *self, report_part *part, const char *folder);

/** The whole page, FOLDER/index.html, from the parts of all computations (report_page.c).
 *  `no_pictures`: why there are none, or not all; NULL: all are there. */
nitro_status report_write_page(const report *reports, size_t count, const char *no_pictures,
                               const char *provenance, const char *folder);

#endif
