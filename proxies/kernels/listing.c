/* Reading listings of machine code, and counting in their loops. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proxies/kernels/listing.h"

#define MAX_KINDS        8
#define MAX_INSTRUCTIONS ((size_t)1 << 20) /* of a function; what comes later is left out */

/* A line, taken apart. */
typedef struct parts {
    uint64_t address;
    char mnemonic[32];    /* without what follows the first dot */
    const char *operands; /* up to the line's end */
} parts;

/* Instructions of a kind by mnemonic, ended by NULL; and the proxies whose work they are. */
typedef struct kind {
    const char *proxies[3];
    const char *mnemonics[12];
} kind;

struct nitro_listing_syntax {
    kind kinds[MAX_KINDS]; /* ended by no mnemonic */
    const char *padding;
    const char *jumps;   /* mnemonics of jumps begin so */
    const char *ends[3]; /* mnemonics after which a function is over; none: another one begins */
    bool (*is_function)(const char *line, char *name);
    bool (*is_architecture)(const char *line, char *name);
    bool (*split)(const char *line, parts *found);
};

static const char *skip_spaces(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

/* Copy up to a space or an end of the line. */
static void copy_word(const char *text, const char *ends, char *word, size_t size)
{
    size_t length = strcspn(text, ends);
    length = length < size ? length : size - 1;
    memcpy(word, text, length);
    word[length] = '\0';
}

/* A hexadecimal number of at most 16 digits; *end is behind it. */
static bool read_address(const char *text, const char **end, uint64_t *address)
{
    size_t length = strspn(text, "0123456789abcdefABCDEF");
    if (length == 0 || length > 16)
        return false;
    *address = strtoull(text, NULL, 16);
    *end = text + length;
    return true;
}

/* ---- SASS: "        /00d0/   @!P0 BRA 0x1470 ;   / 0x... /" (with stars) --------------------- */

static bool is_sass_function(const char *line, char *name)
{
    static const char mark[] = "Function : ";
    const char *at = skip_spaces(line);
    if (strncmp(at, mark, strlen(mark)) != 0)
        return false;
    copy_word(at + strlen(mark), " \t\r\n", name, NITRO_LISTING_NAME_SIZE);
    return true;
}

static bool is_sass_architecture(const char *line, char *name)
{
    static const char mark[] = "code for ";
    const char *at = skip_spaces(line);
    if (strncmp(at, mark, strlen(mark)) != 0)
        return false;
    copy_word(at + strlen(mark), " \t\r\n", name, NITRO_LISTING_NAME_SIZE);
    return true;
}

static bool split_sass(const char *line, parts *found)
{
    const char *at = skip_spaces(line);
    if (strncmp(at, "/*", 2) != 0 || !read_address(at + 2, &at, &found->address) ||
        strncmp(at, "*/", 2) != 0)
        return false;
    at = skip_spaces(at + 2);
    if (*at == '@') /* a predicate: it may not be executed, and is issued all the same */
        at = skip_spaces(at + strcspn(at, " \t"));
    copy_word(at, ". \t;\r\n", found->mnemonic, sizeof(found->mnemonic));
    found->operands = at + strcspn(at, " \t;");
    return isupper((unsigned char)found->mnemonic[0]);
}

const nitro_listing_syntax nitro_listing_sass = {
    .kinds = {{{"SP-GFLOP"}, {"FADD", "FMUL", "FFMA"}},
              {{"DP-GFLOP"}, {"DADD", "DMUL", "DFMA"}},
              {{"ATOMIC"}, {"ATOM", "ATOMG", "RED", "REDG"}},
              {{"MEM-BW"}, {"LD", "LDG", "ST", "STG"}},
              {{"SH-MEM-BW"}, {"LDS", "STS"}}},
    .padding = "NOP",
    .jumps = "BRA",
    .is_function = is_sass_function,
    .is_architecture = is_sass_architecture,
    .split = split_sass,
};

/* ---- x86-64: "    1139:<tab>lock add %eax,(%rdx)" -------------------------------------------- */

#define LOCKED "lock"
#define MOVED  "mov memory" /* a move from or to memory: loads and stores look alike */

static bool is_never(const char *line, char *name)
{
    (void)line;
    (void)name;
    return false;
}

static bool split_x86(const char *line, parts *found)
{
    const char *at = skip_spaces(line);
    if (!read_address(at, &at, &found->address) || strncmp(at, ":\t", 2) != 0)
        return false;
    at = skip_spaces(at + 2);
    copy_word(at, " \t\r\n", found->mnemonic, sizeof(found->mnemonic));
    found->operands = skip_spaces(at + strcspn(at, " \t"));
    if (strncmp(found->mnemonic, "mov", 3) == 0 && strchr(found->operands, '('))
        memcpy(found->mnemonic, MOVED, sizeof(MOVED));
    return islower((unsigned char)found->mnemonic[0]);
}

const nitro_listing_syntax nitro_listing_x86 = {
    .kinds = {{{"SP-GFLOP"},
               {"addss", "mulss", "vaddss", "vmulss", "addps", "mulps", "vaddps", "vmulps"}},
              {{"DP-GFLOP"},
               {"addsd", "mulsd", "vaddsd", "vmulsd", "addpd", "mulpd", "vaddpd", "vmulpd"}},
              {{"ATOMIC"}, {LOCKED}},
              {{"MEM-BW", "SH-MEM-BW"}, {MOVED}}},
    .padding = "nop",
    .jumps = "j",
    .ends = {"ret", "retq"},
    .is_function = is_never,
    .is_architecture = is_never,
    .split = split_x86,
};

/* ---- Both ----------------------------------------------------------------------------------- */

unsigned nitro_listing_kinds(const nitro_listing_syntax *syntax, const char *proxy)
{
    unsigned bits = 0;
    for (unsigned k = 0; k < MAX_KINDS; k++)
        for (const char *const *each = syntax->kinds[k].proxies; *each; each++)
            if (strcmp(*each, proxy) == 0)
                bits |= 1u << k;
    return bits;
}

static unsigned kinds_of(const nitro_listing_syntax *syntax, const char *mnemonic)
{
    unsigned bits = 0;
    for (unsigned k = 0; k < MAX_KINDS; k++)
        for (const char *const *each = syntax->kinds[k].mnemonics; *each; each++)
            if (strcmp(*each, mnemonic) == 0)
                bits |= 1u << k;
    return bits;
}

/* The address that a jump names: the last one, predicates and registers may come before. */
static uint64_t jump_target(const nitro_listing_syntax *syntax, const parts *found)
{
    uint64_t target = UINT64_MAX;
    const char *end = found->operands, *at = end;
    if (strncmp(found->mnemonic, syntax->jumps, strlen(syntax->jumps)) != 0)
        return UINT64_MAX;
    if (syntax == &nitro_listing_x86) {
        read_address(at, &end, &target);
        return target;
    }
    const char *stop = at + strcspn(at, ";"); /* the instruction's bits are behind it */
    for (const char *next = strstr(at, "0x"); next && next < stop; next = strstr(next + 2, "0x"))
        read_address(next + 2, &end, &target);
    return target;
}

static bool is_one_of(const char *const *words, const char *word)
{
    for (; *words; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

static nitro_status add_instruction(nitro_listing *listing, const parts *found)
{
    nitro_listed_function *function = &listing->function;
    size_t count = function->num_instructions;
    if (count >= MAX_INSTRUCTIONS ||
        (count > 0 && found->address <= function->instructions[count - 1].address))
        return NITRO_OK; /* no code looks so */
    if (count == listing->capacity) {
        size_t capacity = count > 0 ? 2 * count : 512;
        void *grown = realloc(function->instructions, capacity * sizeof(*function->instructions));
        if (!grown)
            return nitro_fail(listing->context, NITRO_ERR_NO_MEMORY,
                              "no memory for %zu instructions of %.80s", capacity, function->name);
        function->instructions = grown;
        listing->capacity = capacity;
    }
    function->instructions[function->num_instructions++] =
        (nitro_listed_instruction){.address = found->address,
                                   .target = jump_target(listing->syntax, found),
                                   .kinds = kinds_of(listing->syntax, found->mnemonic),
                                   .is_padding = strncmp(found->mnemonic, listing->syntax->padding,
                                                         strlen(listing->syntax->padding)) == 0};
    return NITRO_OK;
}

nitro_status nitro_listing_end(nitro_listing *listing)
{
    nitro_status status = NITRO_OK;
    if (listing->is_open)
        status = listing->each(listing->user, &listing->function);
    listing->is_open = false;
    listing->function.num_instructions = 0;
    return status;
}

static nitro_status begin_function(nitro_listing *listing, const char *name)
{
    nitro_status status = nitro_listing_end(listing);
    snprintf(listing->function.name, sizeof(listing->function.name), "%s", name);
    listing->is_open = status == NITRO_OK;
    return status;
}

nitro_status nitro_listing_line(nitro_listing *listing, const char *line)
{
    const nitro_listing_syntax *syntax = listing->syntax;
    char name[NITRO_LISTING_NAME_SIZE] = "";
    parts found;
    nitro_status status = NITRO_OK;
    if (syntax->is_function(line, name))
        return begin_function(listing, name);
    if (syntax->is_architecture(line, name)) {
        status = nitro_listing_end(listing);
        memcpy(listing->function.architecture, name, sizeof(name));
        return status;
    }
    if (!syntax->split(line, &found))
        return NITRO_OK;
    if (!listing->is_open && syntax->ends[0])
        status = begin_function(listing, "");
    if (status == NITRO_OK && listing->is_open)
        status = add_instruction(listing, &found);
    if (status == NITRO_OK && listing->is_open && is_one_of(syntax->ends, found.mnemonic))
        status = nitro_listing_end(listing);
    return status;
}

void nitro_listing_free(nitro_listing *listing)
{
    if (!listing)
        return;
    free(listing->function.instructions);
    listing->function.instructions = NULL;
    listing->capacity = 0;
}

/* Index of the instruction that a jump back leads to; addresses ascend. */
static bool find_target(const nitro_listed_function *function, size_t jump, size_t *index)
{
    const nitro_listed_instruction *instructions = function->instructions;
    size_t low = 0, high = jump;
    if (instructions[jump].target >= instructions[jump].address) /* itself: a trap behind the end */
        return false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (instructions[middle].address < instructions[jump].target)
            low = middle + 1;
        else
            high = middle;
    }
    *index = low;
    return instructions[low].address == instructions[jump].target;
}

bool nitro_listing_count_loop(const nitro_listed_function *function, unsigned kinds,
                              nitro_listed_counts *counts)
{
    size_t first = 0, last = 0, after_jump = 0;
    bool found = false;
    for (size_t i = 0; i < function->num_instructions; i++) {
        size_t begin;
        if (!find_target(function, i, &begin))
            continue;
        if (begin >= after_jump && (!found || i - begin > last - first)) {
            first = begin;
            last = i;
            found = true;
        }
        after_jump = i + 1; /* a loop that reaches further back has this one in it */
    }
    if (!found)
        return false;
    *counts = (nitro_listed_counts){0};
    for (size_t i = first; i <= last; i++) {
        const nitro_listed_instruction *instruction = &function->instructions[i];
        counts->padding += instruction->is_padding;
        counts->instructions += !instruction->is_padding;
        counts->of_kind += (instruction->kinds & kinds) != 0;
        counts->of_others += instruction->kinds != 0 && (instruction->kinds & kinds) == 0;
    }
    return true;
}
