/* golden.h - golden files: the library's outputs and gradients against those of a reference.
 *
 * A golden file is one case: inputs (in.*), weights (w.*), outputs (out.*), cotangents (cot.*) and gradients
 * (grad.*) of a layer, a pooling or a network, in the safetensors format; metadata "case" is a JSON object
 * with its name and options. The name says what to run (golden.c has the table), the options and the tensors
 * say the rest, so sizes and seeds are free.
 *
 * Integers (kept nodes, edges and their order) must be equal. Of reals, the largest difference is divided by
 * the tensor's scale, and the result must not be above the tolerance. The scale is the largest |entry| of the
 * reference. Where that is below MP_GOLDEN_ZERO times the largest |entry| of all the case's gradients (or
 * outputs), it is what rounding left of an exact zero, and the scale is that larger number. A gradient the
 * file does not list is such a zero.
 *
 * Weights after steps of Adam have one more term in their scale. Adam divides a gradient by its own size, so
 * where that is close to 0 an error that is fine for the gradient moves the weight by a visible part of the
 * learning rate, in any float32 program. A gradient that is off by the tolerance t times G, the largest of
 * its tensor, moves the weight by at most lr 2 t G / sqrt(v) a step, and never by more than 2 lr: that,
 * summed over the steps and divided by t, is the term.
 * SPDX-License-Identifier: MIT */
#ifndef MP_GOLDEN_H
#define MP_GOLDEN_H

#include "base/text.h"

#define MP_GOLDEN_TOLERANCE 1e-5
#define MP_GOLDEN_ZERO      1e-12

typedef enum mp_golden_verdict { MP_GOLDEN_PASSED, MP_GOLDEN_FAILED, MP_GOLDEN_SKIPPED } mp_golden_verdict;

typedef struct mp_golden_check { /* one tensor of the file that was compared */
    const struct mp_golden_check *next;
    const char *tensor;
    bool exact;        /* it must be equal; there is no error then */
    double error;      /* largest difference, divided by the scale */
    const char *wrong; /* NULL: it agrees; else what differs and where */
} mp_golden_check;

typedef struct mp_golden {
    const char *name; /* of the case; of the file when that could not be read */
    mp_golden_verdict verdict;
    const char *why;              /* failed or skipped: the reason; else NULL */
    const mp_golden_check *first; /* in the order they were made */
    int checks, wrong;
} mp_golden;

/* One file. Whatever is in it, the answer is a verdict. The arena holds the answer. */
void mp_golden_run(mp_span bytes, const char *file, double tolerance, mp_arena *a, mp_golden *out);

/* The paths of the *.safetensors files of a folder, in the order of their names. */
MP_MUST mp_err mp_golden_list(const char *folder, mp_arena *a, const char *const **path, int *n);

#endif
