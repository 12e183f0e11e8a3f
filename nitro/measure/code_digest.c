/*
 * Digests of machine code. The bounds of functions are those of the object's unwind table
 * (.eh_frame_hdr), which stripped objects have too. Offsets of calls and of data change with
 * everything else in an object, so they are left out; the called functions are digested instead.
 */
#include "nitro/measure/code_digest.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)

enum { MOST_FUNCTIONS = 1024 };
#define MOST_BYTES     ((size_t)1 << 20) /* of one function */
#define LARGEST_OFFSET (64 << 20)
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

/** May the bytes at `at` be an offset: of a call, a jump, or of data? */
static bool may_be_offset(const unsigned char *code, size_t at)
{
    unsigned char before = at > 0 ? code[at - 1] : 0;
    bool is_branch = before == 0xe8 || before == 0xe9 ||
                     (at > 1 && code[at - 2] == 0x0f && (before & 0xf0) == 0x80);
    return is_branch || (before & 0xc7) == 0x05;
}

typedef struct digesting {
    object of;
    size_t todo[MOST_FUNCTIONS]; /* shape [count]: functions, in the order of their discovery */
    size_t count;
    uint64_t digest;
} digesting;

static void add_function(digesting *self, size_t index)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->todo[i] == index)
            return;
    if (self->count < MOST_FUNCTIONS)
        self->todo[self->count++] = index;
}

/** Clear offsets to other places in a copy of the code, and note the functions that they reach. */
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
        size_t reached = find_function(&self->of, code + target);
        if (reached != NITRO_NONE)
            add_function(self, reached);
        memset(copy + at, 0, sizeof offset);
        at += sizeof offset;
    }
}

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
    size_t first = self.of.header ? find_function(&self.of, function) : NITRO_NONE;
    if (first == NITRO_NONE)
        return false;
    add_function(&self, first);
    for (size_t i = 0; i < self.count; i++)
        if (!add_code(&self, self.todo[i]) && i == 0)
            return false;
    *digest = self.digest;
    return true;
}

#else

bool nitro_code_digest(const void *function, uint64_t *digest)
{
    (void)function;
    (void)digest;
    return false;
}

#endif
