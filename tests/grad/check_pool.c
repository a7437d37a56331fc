/* check_pool.c - gradient tests of the ops that turn numbers into scores: columns over their largest, norms
 * of groups.
 * SPDX-License-Identifier: MIT */
#include "check_ops.h"
#include "gradcheck.h"

void check_over_max(void **state)
{
    mp_check *t = *state;
    static const int ptr[] = { 0, 1, 1, 6, 9 };
    for (int D = 1; D <= 3; D++) {
        mp_check_reset(t);
        mp_mat *u = mp_check_input(t, 9, D);
        for (int i = 0; i < 9 * D; i++) u->v[i] += 1.5; /* positive: scores */
        MP_GRADCHECK(t, mp_over_max(&t->ctx, u, ptr, 4, 1e-3));
        MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_over_max(&t->ctx, u, ptr, 4, 1e-3), 1, u));
    }
}

void check_row_length(void **state)
{
    mp_check *t = *state;
    for (int kind = MP_LENGTH_L1; kind <= MP_LENGTH_SQUARE; kind++) {
        for (int D = 1; D <= 9; D += 2) { /* 7 columns: groups of 7, 3 3 1, 2 2 2 1, ones with empty groups */
            mp_check_reset(t);
            mp_mat *x = mp_check_input(t, 4, 7);
            MP_GRADCHECK(t, mp_row_length(&t->ctx, x, D, (mp_length_kind)kind));
            MP_GRADCHECK(t, mp_row_length(&t->ctx, mp_mix(&t->ctx, 2, x, 0, NULL), D, (mp_length_kind)kind));
        }
    }
}

void check_row_div(void **state)
{
    mp_check *t = *state;
    for (int C = 1; C <= 3; C++) {
        mp_check_reset(t);
        mp_mat *x = mp_check_input(t, 5, C), *d = mp_check_input(t, 5, 1);
        for (int i = 0; i < 5; i++) d->v[i] += 2;
        MP_GRADCHECK(t, mp_row_div(&t->ctx, x, d, 1e-3));
        if (C == 1) MP_GRADCHECK(t, mp_row_div(&t->ctx, d, d, 1e-3));
    }
}
