/* check_rows.c - gradient tests of the ops on rows and entries: products, element-wise functions, gates, readouts, losses.
 * SPDX-License-Identifier: MIT */
#include "check_ops.h"
#include "gradcheck.h"

#include <math.h>

void check_linear(void **state)
{
    mp_check *t = *state;
    static const int shapes[][3] = { { 5, 3, 4 }, { 1, 1, 1 }, { 7, 13, 1 }, { 6, 67, 3 }, { 3, 2, 71 }, { 17, 9, 9 } };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int how = 0; how < 4; how++) {
            mp_check_reset(t);
            mp_mat *x = mp_check_input(t, shapes[i][0], shapes[i][1]),
                   *w = mp_check_input(t, shapes[i][1], shapes[i][2]);
            mp_mat *b = how & 1 ? mp_check_input(t, 1, shapes[i][2]) : NULL;
            MP_GRADCHECK(t, mp_linear(&t->ctx, x, w, b, how & 2));
        }
    }
    /* The same matrices used twice: the second writer adds. */
    mp_check_reset(t);
    mp_mat *x = mp_check_input(t, 5, 5), *w = mp_check_input(t, 5, 5), *b = mp_check_input(t, 1, 5);
    MP_GRADCHECK(t, mp_linear(&t->ctx, mp_linear(&t->ctx, x, w, b, false), w, b, false));
    MP_GRADCHECK(t, mp_linear(&t->ctx, x, x, b, false));
    /* A constant input gets no gradient and the rest still do. */
    mp_check_reset(t);
    mp_mat *fixed = mp_rig_mat(&t->rig, 4, 3), *v = mp_check_input(t, 3, 2);
    MP_GRADCHECK(t, mp_linear(&t->ctx, mp_mat_of(&t->ctx, fixed->v, 4, 3), v, NULL, false));
    mp_check_reset(t);
    mp_mat *none = mp_check_input(t, 0, 3), *u = mp_check_input(t, 3, 2), *bias = mp_check_input(t, 1, 2);
    MP_GRADCHECK(t, mp_linear(&t->ctx, none, u, bias, true)); /* no rows: the gradients are 0 */
}

void check_linear_sparse(void **state)
{
    mp_check *t = *state;
    static const int ptr[] = { 0, 2, 2, 5, 6 }, col[] = { 0, 3, 1, 2, 4, 3 };
    mp_real val[] = { 0.5, -1.5, 2, 0.25, -0.75, 1 };
    for (int how = 0; how < 4; how++) {
        for (int width = 1; width <= 69; width += 17) {
            mp_check_reset(t);
            mp_sparse x = { .rows = 4, .cols = 5, .ptr = ptr, .col = col, .val = how & 1 ? val : NULL };
            mp_mat *w = mp_check_input(t, 5, width), *b = how & 2 ? mp_check_input(t, 1, width) : NULL;
            MP_GRADCHECK(t, mp_linear_sparse(&t->ctx, &x, w, b));
        }
    }
    mp_check_reset(t);
    mp_sparse x = { .rows = 4, .cols = 5, .ptr = ptr, .col = col, .val = val };
    mp_mat *w = mp_check_input(t, 5, 3), *b = mp_check_input(t, 1, 3);
    MP_GRADCHECK(t, mp_mix(&t->ctx, 2, mp_linear_sparse(&t->ctx, &x, w, b), -3, mp_linear_sparse(&t->ctx, &x, w, b)));
    /* A weight whose gradient may come by rows: columns 0 and 4 of `few` are empty, and others use it before and after. */
    static const int few_ptr[] = { 0, 1, 1, 3, 4 }, few_col[] = { 3, 1, 2, 3 };
    mp_sparse few = { .rows = 4, .cols = 5, .ptr = few_ptr, .col = few_col };
    for (int order = 0; order < 8; order++) {
        mp_check_reset(t);
        mp_mat *shared = mp_check_input(t, 5, 3), *dense = mp_check_input(t, 4, 5);
        shared->wrote = MP_NEW(t->rig.memory, bool, 5);
        for (mp_check_begin(t, "by rows"); mp_check_next(t);) {
            mp_mat *sum = NULL;
            for (int i = 0; i < 3; i++) {
                mp_mat *y = order >> i & 1 ? mp_linear(&t->ctx, dense, shared, NULL, false)
                                           : mp_linear_sparse(&t->ctx, &few, shared, NULL);
                sum = sum ? mp_mix(&t->ctx, 1, sum, (mp_real)(i + 1), y) : y;
            }
            mp_check_value(t, sum);
        }
    }
}

void check_act(void **state)
{
    mp_check *t = *state;
    for (int f = MP_ACT_NONE; f <= MP_ACT_LEAKY; f++) {
        mp_check_reset(t);
        mp_mat *x = mp_check_input(t, 5, 13);
        MP_GRADCHECK(t, mp_act_of(&t->ctx, x, f));
        MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_act_of(&t->ctx, x, f), 2, mp_act_of(&t->ctx, x, MP_ACT_TANH)));
    }
}

void check_grow(void **state)
{
    mp_check *t = *state;
    for (int twice = 0; twice < 2; twice++) {
        mp_check_reset(t);
        mp_mat *x = mp_check_input(t, 5, 7), *y = mp_check_input(t, 5, 7), *e = mp_check_input(t, 1, 1);
        for (mp_check_begin(t, "grow"); mp_check_next(t);) {
            mp_mat *out = mp_grow(&t->ctx, x, e, y);
            mp_check_value(t, twice ? mp_grow(&t->ctx, x, e, out) : out);
        }
    }
}

void check_mix(void **state)
{
    mp_check *t = *state;
    mp_mat *x = mp_check_input(t, 3, 5), *y = mp_check_input(t, 3, 5);
    MP_GRADCHECK(t, mp_mix(&t->ctx, 0.7, x, -1.3, y));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 0.7, x, 1, NULL));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 0.7, x, 0.2, x));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 2, mp_mix(&t->ctx, 1, x, 1, y), -1, x));
}

void check_repeat(void **state)
{
    mp_check *t = *state;
    mp_mat *x = mp_check_input(t, 4, 7);
    MP_GRADCHECK(t, mp_repeat(&t->ctx, x, 1));
    MP_GRADCHECK(t, mp_repeat(&t->ctx, x, 5));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_repeat(&t->ctx, x, 3), 2, mp_repeat(&t->ctx, x, 3)));
}

void check_rows(void **state)
{
    mp_check *t = *state;
    mp_mat *x = mp_check_input(t, 6, 3);
    MP_GRADCHECK(t, mp_rows(&t->ctx, x, 0, 6));
    MP_GRADCHECK(t, mp_rows(&t->ctx, x, 2, 3));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_rows(&t->ctx, x, 0, 4), -2, mp_rows(&t->ctx, x, 2, 6))); /* rows shared */
    MP_GRADCHECK(t, mp_rows(&t->ctx, x, 3, 3));
}

void check_pick(void **state)
{
    mp_check *t = *state;
    static const int which[] = { 3, 0, 3, 5 }; /* 3 twice */
    for (int C = 1; C <= 69; C += 34) {
        mp_check_reset(t);
        mp_mat *x = mp_check_input(t, 6, C);
        MP_GRADCHECK(t, mp_pick(&t->ctx, x, which, 4));
        MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_pick(&t->ctx, x, which, 2), 1, mp_pick(&t->ctx, x, which + 2, 2)));
        MP_GRADCHECK(t, mp_pick(&t->ctx, x, which, 0));
    }
}

void check_place(void **state)
{
    mp_check *t = *state;
    static const int which[] = { 3, 0, 5, 1 };
    for (int C = 1; C <= 69; C += 34) {
        mp_check_reset(t);
        mp_mat *x = mp_check_input(t, 4, C);
        MP_GRADCHECK(t, mp_place(&t->ctx, x, which, 6));
        MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_place(&t->ctx, x, which, 6), 2, mp_place(&t->ctx, x, which, 6)));
    }
}

void check_row_dot(void **state)
{
    mp_check *t = *state;
    for (int D = 1; D <= 5; D += 2) {
        for (int C = 1; C <= 69; C += 34) {
            mp_check_reset(t);
            mp_mat *a = mp_check_input(t, 4, D * C), *b = mp_check_input(t, 4, C);
            MP_GRADCHECK(t, mp_row_dot(&t->ctx, a, b));
            MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_row_dot(&t->ctx, a, b), 2, mp_row_dot(&t->ctx, a, b)));
        }
    }
    mp_check_reset(t);
    mp_mat *x = mp_check_input(t, 4, 6);
    MP_GRADCHECK(t, mp_row_dot(&t->ctx, x, x)); /* squared lengths */
}

void check_pair_dot(void **state)
{
    mp_check *t = *state;
    static const int ptr[] = { 0, 2, 2, 5 }, owner[] = { 1, 3, 0, 1, 2 }, empty[4] = { 0 };
    static const mp_real scale[] = { 1, (mp_real)0.1, (mp_real)1.1, 0, -2 };
    mp_assign pairs, none;
    mp_assign_nodes(t->rig.memory, 3, 4, ptr, owner, &pairs);
    mp_assign_nodes(t->rig.memory, 3, 4, empty, owner, &none);
    for (int C = 1; C <= 69; C += 34) {
        mp_check_reset(t);
        mp_mat *a = mp_check_input(t, 3, C), *b = mp_check_input(t, 4, C);
        MP_GRADCHECK(t, mp_pair_dot(&t->ctx, &pairs, a, b, scale));
        MP_GRADCHECK(t, mp_pair_dot(&t->ctx, &none, a, b, scale));
        MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_pair_dot(&t->ctx, &pairs, a, b, scale), 1,
                               mp_pair_dot(&t->ctx, &pairs, mp_rows(&t->ctx, b, 0, 3), b, scale)));
    }
}

void check_prelu(void **state)
{
    mp_check *t = *state;
    mp_mat *x = mp_check_input(t, 5, 7), *slope = mp_check_input(t, 1, 1);
    MP_GRADCHECK(t, mp_prelu(&t->ctx, x, slope));
    MP_GRADCHECK(t, mp_prelu(&t->ctx, mp_prelu(&t->ctx, x, slope), slope));
}

void check_bce(void **state)
{
    mp_check *t = *state;
    mp_mat *x = mp_check_input(t, 5, 2);
    MP_GRADCHECK(t, mp_bce(&t->ctx, x, true));
    MP_GRADCHECK(t, mp_bce(&t->ctx, x, false));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_bce(&t->ctx, x, true), 2, mp_bce(&t->ctx, x, false)));
    for (int i = 0; i < 10; i++) x->v[i] *= 30; /* confident */
    MP_GRADCHECK(t, mp_bce(&t->ctx, x, true));
}

void check_dropout(void **state)
{
    mp_check *t = *state;
    mp_mat *x = mp_check_input(t, 7, 9);
    MP_GRADCHECK(t, mp_dropout(&t->ctx, x, 0.5));
    MP_GRADCHECK(t, mp_dropout(&t->ctx, x, 0));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_dropout(&t->ctx, x, 0.3), 1, mp_dropout(&t->ctx, x, 0.8)));
    t->ctx.training = false;
    MP_GRADCHECK(t, mp_dropout(&t->ctx, x, 0.5));
}

void check_unit_cols(void **state)
{
    mp_check *t = *state;
    mp_mat *p = mp_check_input(t, 6, 3);
    MP_GRADCHECK(t, mp_unit_cols(&t->ctx, p));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_unit_cols(&t->ctx, p), 1, p));
    mp_check_reset(t);
    mp_mat *one = mp_check_input(t, 1, 2); /* the sign: its gradient is 0 */
    MP_GRADCHECK(t, mp_unit_cols(&t->ctx, one));
    mp_check_reset(t);
    mp_mat *tall = mp_check_input(t, 70, 1);
    MP_GRADCHECK(t, mp_unit_cols(&t->ctx, tall));
}

void check_gate(void **state)
{
    mp_check *t = *state;
    static const int keep[] = { 4, 0, 5 };
    static const mp_act acts[] = { MP_ACT_TANH, MP_ACT_SIGMOID, MP_ACT_NONE };
    static const int dims[] = { 1, 3, 5, 9 };
    for (int f = 0; f < 3; f++) {
        for (int d = 0; d < 4; d++) {
            mp_check_reset(t);
            mp_mat *x = mp_check_input(t, 6, 7), *s = mp_check_input(t, 6, dims[d]);
            MP_GRADCHECK(t, mp_gate(&t->ctx, x, s, acts[f], keep, 3, 0));
            MP_GRADCHECK(t, mp_gate(&t->ctx, x, s, acts[f], keep, 3, (7 + dims[d] - 1) / dims[d])); /* split */
        }
    }
    mp_check_reset(t);
    mp_mat *wide = mp_check_input(t, 6, 67), *s = mp_check_input(t, 6, 2), *own = mp_check_input(t, 6, 3);
    MP_GRADCHECK(t, mp_gate(&t->ctx, wide, s, MP_ACT_TANH, keep, 3, 0));
    MP_GRADCHECK(t, mp_gate(&t->ctx, own, own, MP_ACT_TANH, keep, 3, 0)); /* gates itself */
    MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_gate(&t->ctx, own, s, MP_ACT_TANH, keep, 3, 0), 1,
                           mp_gate(&t->ctx, own, s, MP_ACT_SIGMOID, keep, 3, 0)));
    MP_GRADCHECK(t, mp_gate(&t->ctx, own, s, MP_ACT_TANH, keep, 0, 0));
}

void check_readout(void **state)
{
    mp_check *t = *state;
    static const int ptr[] = { 0, 4, 5, 5, 9 }; /* one graph of a single node, one without nodes */
    for (int kind = MP_READ_MAXMEAN; kind <= MP_READ_MEAN; kind++) {
        for (int width = 1; width <= 69; width += 17) {
            mp_check_reset(t);
            mp_mat *x = mp_check_input(t, 9, width);
            MP_GRADCHECK(t, mp_readout(&t->ctx, x, ptr, 4, kind));
            MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_readout(&t->ctx, x, ptr, 4, kind), -2,
                                   mp_readout(&t->ctx, mp_act_of(&t->ctx, x, MP_ACT_TANH), ptr, 4, kind)));
        }
    }
}

void check_xent(void **state)
{
    mp_check *t = *state;
    static const int label[] = { 2, 0, 1, 2 };
    mp_mat *x = mp_check_input(t, 4, 3);
    MP_GRADCHECK(t, mp_xent(&t->ctx, x, label, 0.25, NULL));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_xent(&t->ctx, x, label, 1, NULL), 3, mp_xent(&t->ctx, x, label, 0.5, NULL)));
    for (int i = 0; i < 12; i++) x->v[i] *= 20; /* confident: probabilities down to 1e-20 */
    MP_GRADCHECK(t, mp_xent(&t->ctx, x, label, 0.25, NULL));
}

void check_distance(void **state)
{
    mp_check *t = *state;
    static const mp_real want[] = { 0.5, -2, 3, (mp_real)NAN, 0, 0.1, 5, -0.3 };
    static const mp_error_kind how[] = { MP_ERROR_SQUARED, MP_ERROR_ABSOLUTE, MP_ERROR_HUBER };
    mp_mat *x = mp_check_input(t, 4, 2);
    for (int i = 0; i < 3; i++) {
        MP_GRADCHECK(t, mp_distance(&t->ctx, x, want, how[i], (mp_real)0.7, 0.25));
        MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_distance(&t->ctx, x, want, how[i], 2, 0.25), 1,
                               mp_distance(&t->ctx, x, want, MP_ERROR_SQUARED, 0, 1)));
    }
}

void check_bce_known(void **state)
{
    mp_check *t = *state;
    static const mp_real want[] = { 0, 1, 1, (mp_real)NAN, 0, (mp_real)NAN, 1, 0, 0, 1 };
    mp_mat *x = mp_check_input(t, 5, 2);
    MP_GRADCHECK(t, mp_bce_known(&t->ctx, x, want, 0.125));
    for (int i = 0; i < 10; i++) x->v[i] *= 30; /* confident */
    MP_GRADCHECK(t, mp_bce_known(&t->ctx, x, want, 1));
}
