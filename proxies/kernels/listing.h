/*
 * listing.h - disassembly as text: what cuobjdump -sass prints of CUDA code, and objdump -d of the
 * host's. Hides both forms; what is read is untrusted.
 */
#ifndef NITRO_PROXIES_KERNELS_LISTING_H
#define NITRO_PROXIES_KERNELS_LISTING_H

#include "nitro/nitro_backend.h"

/** Longest name of a function, and of an architecture, that is kept. */
#define NITRO_LISTING_NAME_SIZE 256

typedef struct nitro_listed_instruction {
    uint64_t address;
    uint64_t target; /* where it may jump to; UINT64_MAX: it is no jump */
    unsigned kinds;  /* bit k: it is of kind k of the syntax's kinds */
    bool is_padding; /* does nothing, and is there for the processor's timing */
} nitro_listed_instruction;

typedef struct nitro_listed_function {
    char name[NITRO_LISTING_NAME_SIZE];         /* as it is in the machine code: mangled */
    char architecture[NITRO_LISTING_NAME_SIZE]; /* "sm_90"; "" where the listing says none */
    size_t num_instructions;
    nitro_listed_instruction *instructions; /* shape [num_instructions] */
} nitro_listed_function;

/** A form of listing, and the kinds of instructions that the proxies' are made of. */
typedef struct nitro_listing_syntax nitro_listing_syntax;
extern const nitro_listing_syntax nitro_listing_sass;
/** The functions after each other where they return: one that starts where the listing does. */
extern const nitro_listing_syntax nitro_listing_x86;

/** Bits of the kinds that are the work of a proxy; 0: of none. */
unsigned nitro_listing_kinds(const nitro_listing_syntax *syntax, const char *proxy);

/** Called with every function; what it is given is gone when it returns. A failure ends reading. */
typedef nitro_status (*nitro_listed_function_function)(void *user,
                                                       const nitro_listed_function *function);

/** A listing that is being read. Zero-initialise, but for the first four. */
typedef struct nitro_listing {
    nitro_context *context;
    const nitro_listing_syntax *syntax;
    nitro_listed_function_function each;
    void *user;

    nitro_listed_function function; /* the one now */
    size_t capacity;
    bool is_open; /* there is one now */
} nitro_listing;

/** Read a line; those that say nothing of instructions are skipped. NITRO_ERR_NO_MEMORY, or what
 *  `each` returned. */
nitro_status nitro_listing_line(nitro_listing *listing, const char *line);
/** The last function is complete. */
nitro_status nitro_listing_end(nitro_listing *listing);
void nitro_listing_free(nitro_listing *listing);

/** What a part of a function is made of. */
typedef struct nitro_listed_counts {
    size_t instructions, padding; /* padding is not among the instructions */
    size_t of_kind, of_others;    /* of the kinds asked for; of other kinds alone */
} nitro_listed_counts;

/**
 * Count in the largest of the innermost loops: from where a jump goes back to, up to that jump,
 * without another such jump between the two.
 * @return false where the function has no loop.
 */
bool nitro_listing_count_loop(const nitro_listed_function *function, unsigned kinds,
                              nitro_listed_counts *counts);

#endif
