/* listing.h - reads disassembly as cuobjdump -sass and objdump -d print it, and counts instructions
 * of each kind in a function's largest innermost loop: code outside it runs once. */
#ifndef NITRO_TESTS_UNIT_PROFILE_LISTING_H
#define NITRO_TESTS_UNIT_PROFILE_LISTING_H

#include <ctype.h>

#include "unit/unit.h"

#define NAME_SIZE 256
#define MAX_KINDS 8

typedef struct instruction {
    uint64_t address;
    uint64_t target; /* of a jump; UINT64_MAX: not a jump */
    unsigned kinds;  /* bit k: of kind k of the syntax */
    bool is_padding;
} instruction;

typedef struct listed_function {
    char name[NAME_SIZE];         /* mangled */
    char architecture[NAME_SIZE]; /* "sm_90"; "" where the listing has none */
    size_t num_instructions, capacity;
    instruction *instructions; /* shape [num_instructions], addresses ascend */
} listed_function;

/* Mnemonics of one kind of instruction, ended by NULL, and the proxies that count it. */
typedef struct instruction_kind {
    const char *proxies[3];
    const char *mnemonics[12];
} instruction_kind;

/* A line, taken apart. */
typedef struct listed_line {
    uint64_t address;
    char mnemonic[32];    /* up to the first dot */
    const char *operands; /* up to the line's end */
} listed_line;

typedef struct listing_syntax {
    instruction_kind kinds[MAX_KINDS];
    const char *padding;
    const char *jumps; /* prefix of the mnemonics of jumps */
    const char *end;   /* mnemonic that ends a function; NULL: the next function's head does */
    bool (*split)(const char *line, listed_line *found);
} listing_syntax;

/* A listing that is being read. */
typedef struct listing {
    const listing_syntax *syntax;
    void (*each)(void *user, const listed_function *function); /* called when it is complete */
    void *user;
    listed_function function; /* the current one */
    bool is_open;             /* there is a current one */
} listing;

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " \t");
}

static void copy_word(const char *text, const char *ends, char *word, size_t size)
{
    snprintf(word, size, "%.*s", (int)strcspn(text, ends), text);
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

/* The word after a mark at the beginning of a line. */
static bool read_marked(const char *line, const char *mark, char *name)
{
    const char *at = skip_spaces(line);
    if (strncmp(at, mark, strlen(mark)) != 0)
        return false;
    copy_word(at + strlen(mark), " \t\r\n", name, NAME_SIZE);
    return true;
}

/* SASS: "        /00d0/   @!P0 BRA 0x1470 ;   / 0x... /" (with stars) */
static bool split_sass(const char *line, listed_line *found)
{
    const char *at = skip_spaces(line);
    if (strncmp(at, "/*", 2) != 0 || !read_address(at + 2, &at, &found->address) ||
        strncmp(at, "*/", 2) != 0)
        return false;
    at = skip_spaces(at + 2);
    if (*at == '@') /* predicated instructions are issued in any case */
        at = skip_spaces(at + strcspn(at, " \t"));
    copy_word(at, ". \t;\r\n", found->mnemonic, sizeof found->mnemonic);
    found->operands = at + strcspn(at, " \t;");
    return isupper((unsigned char)found->mnemonic[0]);
}

static const listing_syntax listing_sass = {
    .kinds = {{{"SP-GFLOP"}, {"FADD", "FMUL", "FFMA"}},
              {{"DP-GFLOP"}, {"DADD", "DMUL", "DFMA"}},
              {{"ATOMIC"}, {"ATOM", "ATOMG", "RED", "REDG", "ATOMS"}},
              {{"MEM-BW"}, {"LD", "LDG", "ST", "STG"}},
              {{"SH-MEM-BW"}, {"LDS", "STS"}}},
    .padding = "NOP",
    .jumps = "BRA",
    .split = split_sass,
};

#define MOVED "mov memory" /* loads and stores look alike */

/* x86-64: "    1139:<tab>lock add %eax,(%rdx)" */
static bool split_x86(const char *line, listed_line *found)
{
    const char *at = skip_spaces(line);
    if (!read_address(at, &at, &found->address) || strncmp(at, ":\t", 2) != 0)
        return false;
    at = skip_spaces(at + 2);
    copy_word(at, " \t\r\n", found->mnemonic, sizeof found->mnemonic);
    found->operands = skip_spaces(at + strcspn(at, " \t"));
    if (strncmp(found->mnemonic, "mov", 3) == 0 && strchr(found->operands, '('))
        memcpy(found->mnemonic, MOVED, sizeof(MOVED));
    return islower((unsigned char)found->mnemonic[0]);
}

static const listing_syntax listing_x86 = {
    .kinds = {{{"SP-GFLOP"},
               {"addss", "mulss", "vaddss", "vmulss", "addps", "mulps", "vaddps", "vmulps"}},
              {{"DP-GFLOP"},
               {"addsd", "mulsd", "vaddsd", "vmulsd", "addpd", "mulpd", "vaddpd", "vmulpd"}},
              {{"ATOMIC"}, {"lock"}},
              {{"MEM-BW", "SH-MEM-BW"}, {MOVED}}},
    .padding = "nop",
    .jumps = "j",
    .end = "ret",
    .split = split_x86,
};

static bool contains(const char *const *words, const char *word)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words;
}

/* Bits of the kinds that a proxy counts; 0: none. */
static unsigned kinds_of_proxy(const listing_syntax *syntax, const char *proxy)
{
    unsigned bits = 0;
    for (unsigned k = 0; k < MAX_KINDS; k++)
        bits |= (unsigned)contains(syntax->kinds[k].proxies, proxy) << k;
    return bits;
}

static unsigned kinds_of_mnemonic(const listing_syntax *syntax, const char *mnemonic)
{
    unsigned bits = 0;
    for (unsigned k = 0; k < MAX_KINDS; k++)
        bits |= (unsigned)contains(syntax->kinds[k].mnemonics, mnemonic) << k;
    return bits;
}

/* SASS names the address last: predicates and registers may come before it. */
static uint64_t jump_target(const listing_syntax *syntax, const listed_line *found)
{
    uint64_t target = UINT64_MAX;
    const char *at = found->operands, *end = at, *stop = at + strcspn(at, ";");
    if (strncmp(found->mnemonic, syntax->jumps, strlen(syntax->jumps)) != 0)
        return UINT64_MAX;
    if (syntax == &listing_x86)
        read_address(at, &end, &target);
    else
        for (at = strstr(at, "0x"); at && at < stop; at = strstr(at + 2, "0x"))
            read_address(at + 2, &end, &target);
    return target;
}

static void add_instruction(listing *self, const listed_line *found)
{
    listed_function *function = &self->function;
    const listing_syntax *syntax = self->syntax;
    size_t count = function->num_instructions;
    if (count > 0 && found->address <= function->instructions[count - 1].address)
        return; /* not code */
    if (count == function->capacity) {
        function->capacity = count > 0 ? 2 * count : 512;
        function->instructions =
            realloc(function->instructions, function->capacity * sizeof *function->instructions);
        assert_non_null(function->instructions);
    }
    function->instructions[function->num_instructions++] = (instruction){
        .address = found->address,
        .target = jump_target(syntax, found),
        .kinds = kinds_of_mnemonic(syntax, found->mnemonic),
        .is_padding = strncmp(found->mnemonic, syntax->padding, strlen(syntax->padding)) == 0};
}

static void end_function(listing *self)
{
    if (self->is_open)
        self->each(self->user, &self->function);
    self->is_open = false;
    self->function.num_instructions = 0;
}

/* Other lines than functions' heads, architectures and instructions are skipped. */
static void listing_line(listing *self, const char *line)
{
    char name[NAME_SIZE];
    listed_line found;
    if (read_marked(line, "Function : ", name)) {
        end_function(self);
        memcpy(self->function.name, name, sizeof name);
        self->is_open = true;
    } else if (read_marked(line, "code for ", name)) {
        end_function(self);
        memcpy(self->function.architecture, name, sizeof name);
    } else if (self->syntax->split(line, &found)) {
        self->is_open |= self->syntax->end != NULL;
        if (self->is_open)
            add_instruction(self, &found);
        if (self->syntax->end && strncmp(found.mnemonic, self->syntax->end, 3) == 0)
            end_function(self);
    }
}

static void listing_end(listing *self)
{
    end_function(self);
    free(self->function.instructions);
}

/* ---- Counting ------------------------------------------------------------------------------- */

typedef struct loop_counts {
    size_t instructions, padding; /* padding is not among the instructions */
    size_t of_kind, of_others;    /* of the kinds asked for; of other kinds alone */
} loop_counts;

/* Index of the instruction that a jump back leads to. */
static bool find_target(const listed_function *function, size_t jump, size_t *index)
{
    uint64_t target = function->instructions[jump].target;
    if (target >= function->instructions[jump].address) /* itself: a trap behind the end */
        return false;
    for (*index = jump; *index > 0 && function->instructions[*index].address > target;)
        --*index;
    return function->instructions[*index].address == target;
}

/* Counts from a backward jump's target up to the jump, without another such jump in between.
 * @return false: the function has no loop. */
static bool count_loop(const listed_function *function, unsigned kinds, loop_counts *counts)
{
    size_t first = 0, last = 0, after_jump = 0, begin;
    for (size_t i = 0; i < function->num_instructions; i++) {
        if (!find_target(function, i, &begin))
            continue;
        if (begin >= after_jump && i - begin > last - first) {
            first = begin;
            last = i;
        }
        after_jump = i + 1; /* a loop that begins before this jump is not an innermost one */
    }
    *counts = (loop_counts){0};
    for (size_t i = first; i <= last && last > 0; i++) {
        const instruction *each = &function->instructions[i];
        counts->padding += each->is_padding;
        counts->instructions += !each->is_padding;
        counts->of_kind += (each->kinds & kinds) != 0;
        counts->of_others += each->kinds != 0 && (each->kinds & kinds) == 0;
    }
    return last > 0;
}

#endif
