/* terminal.h - what a stream's terminal can do: its width, and colours. */
#ifndef NITRO_APPS_CLI_TERMINAL_H
#define NITRO_APPS_CLI_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

/** Columns of the terminal that the stream is; 0: it is none, and lines have no limit. */
size_t terminal_width(FILE *stream);

typedef enum text_style { STYLE_PLAIN, STYLE_TITLE, STYLE_WARNING, STYLE_ERROR } text_style;

/** The control sequence that begins a style, STYLE_PLAIN ends one; "" where the stream is no
 * terminal, or a dumb one, or NO_COLOR is set (no-color.org). */
const char *terminal_style(FILE *stream, text_style style);

/** Print words of `text` from `column` on, wrapped at `width` columns (0: not at all) and indented;
 *  lines of its own stay apart. No newline at the end. */
void print_words(FILE *stream, const char *text, size_t column, size_t indent, size_t width);

/** Characters of UTF-8 text. */
size_t text_width(const char *text, size_t num_bytes);

#endif
