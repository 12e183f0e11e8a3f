/* blocks.h - combines blocks of repetitions of one input, measured at different times.
 *
 * Other programs, and other tenants of the processor, make a machine slower for milliseconds to
 * minutes, and some variants more than others, such as those of two threads where one of them had
 * to wait; they never make it faster. So each variant's fastest block is kept, and the input is
 * measured again until another block confirms those that may be the best. */
#ifndef NITRO_MEASURE_BLOCKS_H
#define NITRO_MEASURE_BLOCKS_H

#include "nitro/nitro_backend.h"

/** Default of nitro_measure_options.max_blocks. */
#define NITRO_DEFAULT_BLOCKS 6

/** Count the times of a sample as its first block. */
void nitro_blocks_begin(nitro_sample *sample);

/**
 * Add a block to an input's sample. Of a variant's two times the faster one is kept, and its spread
 * becomes at least the difference to the second fastest. Where a variant has one time, the spread
 * covers how much the clock changed for the others between the blocks. A failure replaces an
 * earlier time.
 * @param[in,out] sample  of earlier blocks; with `block`'s conditions if that was faster.
 * @param[in,out] block   of one block, missing entries do not count; left with what is replaced.
 */
void nitro_blocks_add(nitro_sample *sample, nitro_sample *block);

/**
 * Which variants need another block? Each one needs two. More need those that may be within 15 % of
 * the best, had they been faster by as much as their two fastest blocks differ, while these differ
 * by more than 3 % for one of them.
 * @return a bit for each variant; 0: the times hold, or `max_blocks` are reached.
 */
uint64_t nitro_blocks_missing(const nitro_sample *sample, unsigned max_blocks);

#endif
