/*
 * matrix_market.h - reading Matrix Market files (math.nist.gov/MatrixMarket/formats.html):
 * coordinate; real, integer or pattern; general, symmetric or skew-symmetric; square or not.
 *
 * Entries of a pattern are 1. A symmetric file holds one triangle, by the standard the lower one;
 * the upper one is accepted, a mix of both is not. Duplicate entries are summed. Comments and empty
 * lines are allowed anywhere after the header.
 *
 * The size line is checked against the file size: entries must fit into the bytes that follow, and
 * rows plus columns may be 2^20 plus 16 a byte.
 */
#ifndef NITRO_APPS_MATRIX_MATRIX_MARKET_H
#define NITRO_APPS_MATRIX_MATRIX_MARKET_H

#include "apps/matrix/matrix.h"
#include "nitro/nitro_backend.h"

/**
 * @param[out] matrix  free it with nitro_matrix_free.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND or NITRO_ERR_IO (the file); NITRO_ERR_FORMAT (the error
 *         names file, line and field); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_matrix_market_read(nitro_context *context, const char *path,
                                      nitro_matrix **matrix);

/** The same from memory; `text` need not end in '\0'. `origin` names it in errors. */
nitro_status nitro_matrix_market_parse(nitro_context *context, const char *origin, const char *text,
                                       size_t size, nitro_matrix **matrix);

#endif
