/* Tables of C source. */
#include <stdlib.h>
#include <string.h>

#include "nitro/models/c_export_terms.h"

#define ITEMS_PER_LINE 8

nitro_source_table nitro_source_begin(FILE *out, const char *type, const char *name, size_t index)
{
    fprintf(out, "static const %s %s_%zu[] = {", type, name, index);
    return (nitro_source_table){.out = out};
}

static void print_item(nitro_source_table *table, const char *text)
{
    const char *separator = table->count % ITEMS_PER_LINE ? ", " : ",\n    ";
    fprintf(table->out, "%s%s", table->count ? separator : "\n    ", text);
    table->count++;
}

void nitro_source_double(nitro_source_table *table, double number)
{
    char text[32];
    int precision = 15;
    do
        snprintf(text, sizeof text, "%.*g", precision, number);
    while (precision++ < 17 && strtod(text, NULL) != number);
    print_item(table, text);
}

/** A suffix, so that compilers round once, needs a point or an exponent. */
static const char *float_text(float number, char text[32])
{
    int precision = 6;
    do
        snprintf(text, 24, "%.*g", precision, (double)number);
    while (precision++ < 9 && strtof(text, NULL) != number);
    return strcat(text, strpbrk(text, ".e") ? "f" : ".f");
}

void nitro_source_float(nitro_source_table *table, float number)
{
    char text[32];
    print_item(table, float_text(number, text));
}

void nitro_source_count(nitro_source_table *table, size_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", number);
    print_item(table, text);
}

void nitro_source_node(nitro_source_table *table, float threshold, size_t left, size_t column)
{
    char text[96], number[32];
    snprintf(text, sizeof text, "{%s, %zu, %zu}", float_text(threshold, number), left, column);
    print_item(table, text);
}

void nitro_source_end(nitro_source_table *table)
{
    fputs(table->count ? "\n};\n\n" : "0};\n\n", table->out); /* C has no empty arrays */
}

void nitro_source_doubles(FILE *out, const char *name, size_t index, const double *numbers,
                          size_t count)
{
    nitro_source_table table = nitro_source_begin(out, "double", name, index);
    for (size_t i = 0; i < count; i++)
        nitro_source_double(&table, numbers[i]);
    nitro_source_end(&table);
}

void nitro_source_counts(FILE *out, const char *name, size_t index, const size_t *counts,
                         size_t count)
{
    nitro_source_table table = nitro_source_begin(out, "unsigned", name, index);
    for (size_t i = 0; i < count; i++)
        nitro_source_count(&table, counts[i]);
    nitro_source_end(&table);
}
