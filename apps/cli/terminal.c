/* terminal.c - width, colours and wrapped lines. */
#include "apps/cli/terminal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_WIDTH = 20, USUAL_WIDTH = 80 };

size_t terminal_width(FILE *stream)
{
    struct winsize size;
    if (!isatty(fileno(stream)))
        return 0;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return USUAL_WIDTH;
    return size.ws_col > LEAST_WIDTH ? size.ws_col : LEAST_WIDTH;
}

const char *terminal_style(FILE *stream, text_style style)
{
    static const char *const sequences[] = {"\033[0m", "\033[1m", "\033[33m", "\033[31m"};
    const char *no_color = getenv("NO_COLOR"), *kind = getenv("TERM");
    bool colours = isatty(fileno(stream)) && !(no_color && no_color[0]) &&
                   !(kind && strcmp(kind, "dumb") == 0);
    return colours ? sequences[style] : "";
}

size_t text_width(const char *text, size_t num_bytes)
{
    size_t width = 0;
    for (size_t i = 0; i < num_bytes; i++)
        width += ((unsigned char)text[i] & 0xC0) != 0x80;
    return width;
}

void print_words(FILE *stream, const char *text, size_t column, size_t indent, size_t width)
{
    size_t blanks = 0;
    while (*text) {
        size_t bytes = strcspn(text, " \n"), word = text_width(text, bytes);
        if (width > 0 && word > 0 && column > indent && column + blanks + word > width) {
            fprintf(stream, "\n%*s", (int)indent, "");
            column = indent;
            blanks = 0;
        }
        if (word > 0) {
            fprintf(stream, "%*s%.*s", (int)blanks, "", (int)bytes, text);
            column += blanks + word;
            blanks = 0;
        }
        text += bytes;
        if (*text == '\n') {
            fputc('\n', stream);
            column = blanks = 0;
            text++;
        }
        for (; *text == ' '; text++)
            blanks++;
    }
}
