/* svm_kernel.h - the RBF kernel of concatenated features as a product:
 * K([x, a], [x', a']) = K(x, x') K(a, a'). Internal to nitro/. */
#ifndef NITRO_LEARN_SVM_SVM_KERNEL_H
#define NITRO_LEARN_SVM_SVM_KERNEL_H

#include "nitro/nitro_backend.h"

/** Points x: their squared distances, and per gamma their kernel matrix, computed on first use. */
typedef struct nitro_svm_inputs nitro_svm_inputs;

/** @param[in] columns  shape [num_points x num_columns], scaled; not needed afterwards. */
nitro_status nitro_svm_inputs_create(nitro_context *context, const double *columns,
                                     size_t num_points, size_t num_columns,
                                     nitro_svm_inputs **inputs);
void nitro_svm_inputs_free(nitro_svm_inputs *inputs);

/** Free the kernel matrices; none may be in use. */
void nitro_svm_inputs_forget(nitro_svm_inputs *inputs);

/** Rows [x, a]: a point and a place (a device) each. */
typedef struct nitro_svm_rows {
    size_t num_rows;
    const size_t *points; /* shape [num_rows] */
    const size_t *places; /* shape [num_rows]; not read if all are of one place */
} nitro_svm_rows;

/** Squared distances between the places of two sets of rows. */
typedef struct nitro_svm_distances {
    size_t num_from, num_to;
    const double *squares; /* shape [num_from x num_to]; NULL: all rows are of one place */
} nitro_svm_distances;

/** Kernel values of rows with rows, multiplied on demand. */
typedef struct nitro_svm_kernel {
    const nitro_svm_rows *from, *to; /* borrowed */
    size_t num_points, num_places;
    const double *of_points; /* shape [num_points x num_points], owned by the inputs */
    double *of_places;       /* shape [places of `from` x num_places of `to`]; NULL: all of one */
} nitro_svm_kernel;

/**
 * @param[in]  distances  of the places of `from` from those of `to`.
 * @param[out] kernel     end it with nitro_svm_kernel_end, also after an error.
 */
nitro_status nitro_svm_kernel_begin(nitro_context *context, nitro_svm_inputs *inputs, double gamma,
                                    const nitro_svm_rows *from, const nitro_svm_rows *to,
                                    const nitro_svm_distances *distances, nitro_svm_kernel *kernel);
void nitro_svm_kernel_end(nitro_svm_kernel *kernel);

/** @param[out] values  shape [from->num_rows x to->num_rows]. */
void nitro_svm_kernel_fill(const nitro_svm_kernel *kernel, double *values);
/** Of one row of `from` with some rows of `to`.
 *  @param[out] values  shape [count]: with row rows[k] of `to`. */
void nitro_svm_kernel_gather(const nitro_svm_kernel *kernel, size_t row, const uint32_t *rows,
                             size_t count, float *values);

#endif
