/* blocks.h - combines blocks of repetitions of one input, measured at different times.
 *
 * Other programs, and other tenants of the processor, make a machine slower for milliseconds to
 * minutes, and some variants more than others; they never make it faster. So the times of the
 * fastest block are kept, all from the same block where possible, and the input is measured again
 * until another block confirms them. */
#ifndef NITRO_MEASURE_BLOCKS_H
#define NITRO_MEASURE_BLOCKS_H

#include "nitro/nitro_backend.h"

/** Default of nitro_measure_options.max_blocks. */
#define NITRO_DEFAULT_BLOCKS 6

/** Count the times of a sample as its first block. */
void nitro_blocks_begin(nitro_sample *sample);

/**
 * Add a block to an input's sample. Common variants tell which block was faster: its times are
 * kept, and the spread becomes at least the difference to the second fastest block. A failure
 * replaces an earlier time.
 * @param[in,out] sample  of earlier blocks; with `block`'s conditions if that was faster.
 * @param[in,out] block   of one block, missing entries do not count; left with what is replaced.
 */
void nitro_blocks_add(nitro_sample *sample, nitro_sample *block);

/**
 * Which variants need another block? Each one needs two; and those within 15 % of the best need
 * more while the two fastest blocks differ by more than 3 % in one of them.
 * @return a bit for each variant; 0: the times hold, or `max_blocks` are reached.
 */
uint64_t nitro_blocks_missing(const nitro_sample *sample, unsigned max_blocks);

#endif
