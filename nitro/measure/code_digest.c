/*
 * Digests of machine code. The bounds of functions are those of the object's unwind table
 * (.eh_frame_hdr), which stripped objects have too. Offsets of calls and of data change with
 * everything else in an object, so they are left out; the called functions are digested instead.
 */
#include "nitro/measure/code_digest.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__aarch64__)

enum { MOST_FUNCTIONS = 1024 };
#define MOST_BYTES     ((size_t)1 << 20) /* of one function */
#define TABLE_ENCODING 0x3b /* relative to the header, signed 4 bytes: what linkers write */
#define HEADER_BYTES   12

/** A row of the unwind table's index. */
typedef struct place {
    int32_t function, description; /* relative to the header */
} place;

typedef struct object {
    const char *address; /* to be found */
    const unsigned char *header;
    const place *places; /* shape [count], by address */
    size_t count;
} object;

static int32_t read_offset(const unsigned char *at)
{
    int32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static int find_object(struct dl_phdr_info *info, size_t size, void *user)
{
    object *self = user;
    const unsigned char *header = NULL;
    bool is_inside = false;
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const char *begin = (const char *)(uintptr_t)(info->dlpi_addr + part->p_vaddr);
        if (part->p_type == PT_LOAD && self->address >= begin &&
            self->address < begin + part->p_memsz)
            is_inside = true;
        if (part->p_type == PT_GNU_EH_FRAME)
            header = (const unsigned char *)begin;
    }
    if (!is_inside)
        return 0;
    if (header && header[0] == 1 && header[3] == TABLE_ENCODING) {
        self->header = header;
        self->count = (size_t)read_offset(header + 8);
        self->places = (const place *)(const void *)(header + HEADER_BYTES);
    }
    return 1;
}

/** Index of the function that begins here, or NITRO_NONE. */
static size_t find_function(const object *self, const unsigned char *address)
{
    size_t first = 0, end = self->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        const unsigned char *begin = self->header + self->places[middle].function;
        if (begin == address)
            return middle;
        if (begin < address)
            first = middle + 1;
        else
            end = middle;
    }
    return NITRO_NONE;
}

/** Its size, from its description; 0: in an encoding that is not understood. */
static size_t size_of(const object *self, size_t index)
{
    const unsigned char *row = self->header + self->places[index].description;
    const unsigned char *begin = row + 8; /* after length and the common part's offset */
    if (begin + read_offset(begin) != self->header + self->places[index].function)
        return 0;
    int32_t size = read_offset(begin + 4);
    return size > 0 && (size_t)size <= MOST_BYTES ? (size_t)size : 0;
}

typedef struct digesting {
    object of;
    size_t todo[MOST_FUNCTIONS]; /* shape [count]: functions, in the order of their discovery */
    size_t count;
    uint64_t digest;
} digesting;

/** Add the function that begins at `target`, if one does. */
static void add_function(digesting *self, const unsigned char *target)
{
    size_t index = find_function(&self->of, target);
    if (index == NITRO_NONE)
        return;
    for (size_t i = 0; i < self->count; i++)
        if (self->todo[i] == index)
            return;
    if (self->count < MOST_FUNCTIONS)
        self->todo[self->count++] = index;
}

/* clear_offsets: clears offsets to other places in a copy of the code, and adds the functions that
 * they reach. */
#ifdef __x86_64__
#define LARGEST_OFFSET (64 << 20)

/** May the bytes at `at` be an offset: of a call, a jump, or of data? */
static bool may_be_offset(const unsigned char *code, size_t at)
{
    unsigned char before = at > 0 ? code[at - 1] : 0;
    bool is_branch = before == 0xe8 || before == 0xe9 ||
                     (at > 1 && code[at - 2] == 0x0f && (before & 0xf0) == 0x80);
    return is_branch || (before & 0xc7) == 0x05;
}

static void clear_offsets(digesting *self, const unsigned char *code, size_t size,
                          unsigned char *copy)
{
    for (size_t at = 1; at + 4 <= size;) {
        int32_t offset = read_offset(code + at);
        int64_t target = (int64_t)at + 4 + offset;
        bool is_inside = target >= 0 && target < (int64_t)size;
        if (!may_be_offset(code, at) || is_inside || offset > LARGEST_OFFSET ||
            offset < -LARGEST_OFFSET) {
            at++;
            continue;
        }
        add_function(self, code + target);
        memset(copy + at, 0, sizeof offset);
        at += sizeof offset;
    }
}
#else

/** Bits [first, first + count) of an instruction, as a signed number. */
static int64_t signed_bits(uint32_t instruction, int first, int count)
{
    return (int64_t)((uint64_t)instruction << (64 - first - count)) >> (64 - count);
}

/** Calls and jumps have an offset. A place of data is a page in a register, then an offset within
 *  that page in an addition, a load or a store. */
static void clear_offsets(digesting *self, const unsigned char *code, size_t size,
                          unsigned char *copy)
{
    enum { PAGE_BYTES = 4096, WITHIN_PAGE = 0xfff << 10 };
    const unsigned char *pages[32] = {NULL}; /* by register */
    for (size_t at = 0; at + 4 <= size; at += 4) {
        uint32_t instruction = (uint32_t)read_offset(code + at), to = instruction & 31;
        const unsigned char *base = pages[instruction >> 5 & 31];
        if ((instruction & 0x7c000000) == 0x14000000) { /* b, bl */
            int64_t target = (int64_t)at + 4 * signed_bits(instruction, 0, 26);
            if (target >= 0 && target < (int64_t)size)
                continue;
            add_function(self, code + target);
            instruction &= 0xfc000000;
        } else if ((instruction & 0x1f000000) == 0x10000000) { /* adr, adrp */
            bool is_page = instruction >> 31;
            int64_t offset = 4 * signed_bits(instruction, 5, 19) + (instruction >> 29 & 3);
            int64_t target = (int64_t)at + offset;
            if (is_page)
                pages[to] = code + at - (uintptr_t)(code + at) % PAGE_BYTES + offset * PAGE_BYTES;
            else if (target >= 0 && target < (int64_t)size)
                continue;
            else
                add_function(self, code + target);
            instruction &= 0x9f00001f;
        } else if ((instruction & 0xffc00000) == 0x91000000 && base) { /* add */
            add_function(self, base + (instruction >> 10 & 0xfff));
            pages[to] = NULL;
            instruction &= ~(uint32_t)WITHIN_PAGE;
        } else if ((instruction & 0x3b000000) == 0x39000000 && base) { /* ldr, str */
            instruction &= ~(uint32_t)WITHIN_PAGE;
        }
        memcpy(copy + at, &instruction, sizeof instruction);
    }
}
#endif

static bool add_code(digesting *self, size_t index)
{
    const unsigned char *code = self->of.header + self->of.places[index].function;
    size_t size = size_of(&self->of, index);
    unsigned char *copy = size > 0 ? malloc(size) : NULL;
    if (!copy)
        return false;
    memcpy(copy, code, size);
    clear_offsets(self, code, size, copy);
    self->digest = nitro_hash(copy, size, self->digest);
    free(copy);
    return true;
}

bool nitro_code_digest(const void *function, uint64_t *digest)
{
    digesting self = {.of = {.address = function}};
    dl_iterate_phdr(find_object, &self.of);
    if (self.of.header)
        add_function(&self, function);
    for (size_t i = 0; i < self.count; i++)
        if (!add_code(&self, self.todo[i]) && i == 0)
            return false;
    *digest = self.digest;
    return self.count > 0;
}

#else

bool nitro_code_digest(const void *function, uint64_t *digest)
{
    (void)function;
    (void)digest;
    return false;
}

#endif
