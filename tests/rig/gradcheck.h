/* gradcheck.h - compares the gradients of the tape with central differences, in the build with double numbers.
 *
 * The probe is a random linear form of all outputs. Every entry of every input is moved by 1e-5 either way. The error of
 * an entry is relative to the largest gradient entry of its matrix, because an entry that nearly cancels to 0 carries
 * the rounding of the others; it must be at most 1e-7. A matrix whose gradients are all smaller than FLOOR (outputs and
 * probe are of order one) is measured against FLOOR instead, so that a gradient that is exactly 0 can be checked.
 *
 * Where a step crosses a kink of the function (a ReLU switches, a maximum changes hands), the tape agrees with the slope
 * on one side and the error is exactly half of the difference of the two slopes. No choice of inputs keeps thousands of
 * ReLUs of a network clear of that, so a check may ask to count such entries apart (kinks_expected).
 *
 * Memory that ops receive is filled with NaN first, and so is every gradient: an op that adds to a gradient that nobody
 * stored yet, or reads what it did not write, gives NaN, and NaN fails.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_GRADCHECK_H
#define MP_TEST_GRADCHECK_H

#include "grad/ops.h"
#include "nn/params.h"
#include "rig.h"

typedef struct mp_check {
    mp_ctx ctx;      /* its arena is emptied before each evaluation */
    mp_rig rig;      /* inputs, graphs: memory that stays           */
    int most;        /* entries of an input that are tried, spread evenly; 0: all */
    bool count_only; /* count failures instead of ending the test   */
    int failures;
    bool kinks_expected; /* see below; else a kink fails             */
    int kinks;
    double worst;    /* largest error met so far                    */
    int64_t entries; /* entries compared so far                     */
    struct mp_check_state *state;
} mp_check;

mp_check *mp_check_new(uint64_t seed);
void mp_check_free(mp_check *t);

/* Forgets the inputs (not their memory): the next case begins. */
void mp_check_reset(mp_check *t);

/* A random matrix (rig.h) whose gradient is checked; and one that exists already. */
mp_mat *mp_check_input(mp_check *t, int rows, int cols);
void mp_check_watch(mp_check *t, mp_mat *m);
/* All parameters, given random values; sets ctx.params. */
void mp_check_params(mp_check *t, mp_params *p);

/* A copy of a graph for one evaluation, without what an earlier evaluation remembered about it. */
const mp_graph *mp_check_fresh(mp_check *t, const mp_graph *g);

/* while (mp_check_next(t)) { compute; mp_check_value(t, output) for each output; } */
void mp_check_begin(mp_check *t, const char *what);
bool mp_check_next(mp_check *t);
void mp_check_value(mp_check *t, mp_mat *out);
/* An integer result (a kept node) that must be the same in every evaluation: differences make no sense otherwise. */
void mp_check_same(mp_check *t, int value);

/* One output; evaluated anew for every entry. */
#define MP_GRADCHECK(t, call)                                                                                          \
    for (mp_check_begin((t), #call); mp_check_next(t);) mp_check_value((t), (call))

/* cmocka fixtures: *state is an mp_check with a seed of its own. */
int mp_check_setup(void **state);
int mp_check_teardown(void **state);

#endif
