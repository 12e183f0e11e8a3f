/* portfolio.c - chooses configurations for several recorded inputs and devices. */
#include "apps/cli/commands/portfolio.h"

#include <math.h>
#include <stdlib.h>

#include "apps/cli/commands/search_target.h"
#include "apps/cli/output.h"

typedef struct portfolio_cases {
    invocation *call;
    const nitro_string_list *recorded;
    nitro_space *space;
    nitro_recording **cases; /* shape [count of `recorded`] */
    nitro_portfolio *portfolio;
} portfolio_cases;

static int read_cases(portfolio_cases *self, const char *description)
{
    nitro_context *context = self->call->context;
    if (description && nitro_space_read(context, description, &self->space) != NITRO_OK)
        return fail(self->call);
    self->cases = nitro_calloc(context, self->recorded->count, sizeof(*self->cases));
    if (!self->cases)
        return fail(self->call);
    const nitro_space *space = self->space;
    for (size_t x = 0; x < self->recorded->count; x++) {
        if (nitro_recording_read(context, self->recorded->items[x], space, &self->cases[x]) !=
            NITRO_OK)
            return fail(self->call);
        space = space ? space : self->cases[0]->space;
    }
    return EXIT_DONE;
}

/* Mean and least of qualities, in percent. */
static void summarise(const double *quality, size_t count, double *mean, double *least)
{
    *mean = 0;
    *least = 100;
    for (size_t x = 0; x < count; x++) {
        *mean += 100 * quality[x] / (double)count;
        *least = fmin(*least, 100 * quality[x]);
    }
}

static int print_text(const portfolio_cases *self)
{
    const nitro_portfolio *portfolio = self->portfolio;
    double mean, least;
    text_table table;
    for (size_t m = 0; m < portfolio->num_configurations; m++) {
        char *text = nitro_configuration_text(self->call->context, self->cases[0]->space,
                                              portfolio->configurations[m]);
        if (!text)
            return fail(self->call);
        printf("%zu  %s\n", m + 1, text);
        free(text);
    }
    table_begin(&table, self->call->context, "case,>quality %,>chosen without it %");
    for (size_t x = 0; x < self->recorded->count; x++) {
        table_cell(&table, "%s", self->recorded->items[x]);
        table_number(&table, 100 * portfolio->quality[x], 1);
        table_number(&table, 100 * portfolio->quality_left_out[x], 1);
    }
    summarise(portfolio->quality, self->recorded->count, &mean, &least);
    double left_mean, left_least;
    summarise(portfolio->quality_left_out, self->recorded->count, &left_mean, &left_least);
    table_cell(&table, "mean");
    table_number(&table, mean, 1);
    table_number(&table, left_mean, 1);
    table_cell(&table, "least");
    table_number(&table, least, 1);
    table_number(&table, left_least, 1);
    return table_end(&table, stdout) == NITRO_OK ? EXIT_DONE : fail(self->call);
}

static int print_as_json(const portfolio_cases *self)
{
    const nitro_portfolio *portfolio = self->portfolio;
    json_t *configurations = json_array(), *cases = json_array();
    for (size_t m = 0; m < portfolio->num_configurations; m++)
        json_array_append_new(configurations, configuration_json(self->cases[0]->space,
                                                                 portfolio->configurations[m]));
    for (size_t x = 0; x < self->recorded->count; x++)
        json_array_append_new(cases, json_pack("{s:s, s:o, s:o}", "file", self->recorded->items[x],
                                               "quality", json_value(100 * portfolio->quality[x]),
                                               "quality_left_out",
                                               json_value(100 * portfolio->quality_left_out[x])));
    return print_json(self->call,
                      json_pack("{s:o, s:o}", "configurations", configurations, "cases", cases));
}

int portfolio_choose(invocation *call, const nitro_string_list *recorded, const char *space,
                     size_t most, bool json)
{
    portfolio_cases self = {.call = call, .recorded = recorded};
    int code = read_cases(&self, space);
    if (code == EXIT_DONE &&
        nitro_portfolio_choose(call->context, (const nitro_recording *const *)self.cases,
                               recorded->count, most, &self.portfolio) != NITRO_OK)
        code = fail(call);
    if (code == EXIT_DONE)
        code = json ? print_as_json(&self) : print_text(&self);
    for (size_t x = 0; self.cases && x < recorded->count; x++)
        nitro_recording_free(self.cases[x]);
    free(self.cases);
    nitro_space_free(self.space);
    nitro_portfolio_free(self.portfolio);
    return code;
}
