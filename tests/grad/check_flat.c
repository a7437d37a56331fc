/* check_flat.c - gradient tests of the ops of Set2Set, SortPool and EdgePool.
 * SPDX-License-Identifier: MIT */
#include "check_ops.h"
#include "gradcheck.h"

void check_lstm(void **state)
{
    mp_check *t = *state;
    static const int shapes[][2] = { { 3, 2 }, { 1, 1 }, { 4, 17 }, { 0, 3 } };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int how = 0; how < 4; how++) { /* with and without a cell before; h alone, the cell alone too */
            mp_check_reset(t);
            int B = shapes[i][0], H = shapes[i][1];
            mp_mat *a = mp_check_input(t, B, 4 * H), *before = how & 1 ? mp_check_input(t, B, H) : NULL;
            for (mp_check_begin(t, "lstm"); mp_check_next(t);) {
                mp_mat *cell, *h = mp_lstm(&t->ctx, a, before, &cell);
                if (how != 2) mp_check_value(t, h);
                if (how != 1) mp_check_value(t, cell);
            }
        }
    }
    /* Two steps, the cell going from one to the next, and gates used twice. */
    mp_check_reset(t);
    mp_mat *a = mp_check_input(t, 3, 8), *before = mp_check_input(t, 3, 2);
    for (mp_check_begin(t, "two steps"); mp_check_next(t);) {
        mp_mat *first, *second, *h = mp_lstm(&t->ctx, a, before, &first), *g = mp_lstm(&t->ctx, a, first, &second);
        mp_check_value(t, mp_mix(&t->ctx, 1, h, 2, g));
        mp_check_value(t, mp_mix(&t->ctx, 1, second, -1, before));
    }
}

void check_set_attend(void **state)
{
    mp_check *t = *state;
    static const int ptr[] = { 0, 4, 5, 9 };
    for (int width = 1; width <= 35; width += 17) {
        mp_check_reset(t);
        mp_mat *x = mp_check_input(t, 9, width), *q = mp_check_input(t, 3, width);
        MP_GRADCHECK(t, mp_set_attend(&t->ctx, x, q, ptr, 3));
        MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_set_attend(&t->ctx, x, q, ptr, 3), 1,
                               mp_set_attend(&t->ctx, mp_act_of(&t->ctx, x, MP_ACT_TANH), q, ptr, 3)));
        MP_GRADCHECK(t, mp_set_attend(&t->ctx, x, mp_set_attend(&t->ctx, x, q, ptr, 3), ptr, 3));
    }
    mp_check_reset(t);
    mp_mat *fixed = mp_rig_mat(&t->rig, 9, 3), *q = mp_check_input(t, 3, 3);
    MP_GRADCHECK(t, mp_set_attend(&t->ctx, mp_mat_of(&t->ctx, fixed->v, 9, 3), q, ptr, 3));
}

void check_conv1d(void **state)
{
    mp_check *t = *state;
    static const struct {
        int rows, length, channels, width, stride, out;
    } cases[] = { { 3, 7, 2, 3, 1, 4 },  { 1, 5, 3, 5, 1, 2 }, { 2, 9, 1, 3, 3, 5 }, { 2, 8, 2, 2, 3, 1 },
                  { 2, 6, 5, 2, 1, 19 }, { 3, 4, 1, 1, 1, 1 }, { 0, 6, 2, 3, 1, 2 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int relu = 0; relu < 2; relu++) {
            mp_check_reset(t);
            mp_mat *x = mp_check_input(t, cases[i].rows, cases[i].length * cases[i].channels);
            mp_mat *w = mp_check_input(t, cases[i].channels * cases[i].width, cases[i].out);
            mp_mat *b = mp_check_input(t, 1, cases[i].out);
            MP_GRADCHECK(t, mp_conv1d(&t->ctx, x, cases[i].channels, w, b, cases[i].stride, relu));
        }
    }
    mp_check_reset(t);
    mp_mat *x = mp_check_input(t, 2, 10), *w = mp_check_input(t, 6, 2), *b = mp_check_input(t, 1, 2);
    mp_mat *wide = mp_check_input(t, 2, 10);
    MP_GRADCHECK(
        t, mp_mix(&t->ctx, 1, mp_conv1d(&t->ctx, x, 2, w, b, 1, false), 2, mp_conv1d(&t->ctx, wide, 2, w, b, 1, true)));
    mp_mat *fixed = mp_rig_mat(&t->rig, 2, 10);
    MP_GRADCHECK(t, mp_conv1d(&t->ctx, mp_mat_of(&t->ctx, fixed->v, 2, 10), 2, w, b, 1, false));
}

void check_maxpool1d(void **state)
{
    mp_check *t = *state;
    for (int channels = 1; channels <= 3; channels++) {
        for (int places = 1; places <= 5; places++) {
            mp_check_reset(t);
            mp_mat *x = mp_check_input(t, 3, channels * places);
            MP_GRADCHECK(t, mp_maxpool1d(&t->ctx, x, channels));
            MP_GRADCHECK(t,
                         mp_mix(&t->ctx, 1, mp_maxpool1d(&t->ctx, x, channels), 1, mp_maxpool1d(&t->ctx, x, channels)));
        }
    }
}

void check_flip1d(void **state)
{
    mp_check *t = *state;
    mp_mat *x = mp_check_input(t, 3, 12);
    for (int channels = 1; channels <= 4; channels++) MP_GRADCHECK(t, mp_flip1d(&t->ctx, x, channels));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_flip1d(&t->ctx, x, 3), 2, x));
}

void check_sort_pad(void **state)
{
    mp_check *t = *state;
    static const int ptr[] = { 0, 4, 5, 5, 11 }; /* one graph of a single node, one without nodes */
    for (int k = 1; k <= 8; k++) {
        mp_check_reset(t);
        mp_mat *x = mp_check_input(t, 11, 3);
        MP_GRADCHECK(t, mp_sort_pad(&t->ctx, x, ptr, 4, k));
        MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_sort_pad(&t->ctx, x, ptr, 4, k), -1,
                               mp_sort_pad(&t->ctx, mp_act_of(&t->ctx, x, MP_ACT_TANH), ptr, 4, k)));
    }
}

void check_edge_score(void **state)
{
    mp_check *t = *state;
    static const int sizes[] = { 6, 1, 5 }, widths[] = { 1, 4, 33 };
    for (int i = 0; i < 6; i++) {
        mp_check_reset(t);
        mp_graph g = mp_rig_graph(&t->rig, 3, sizes, i < 3 ? 0.4 : 0, i == 1 ? 0.3 : 0); /* loops; no edges */
        mp_mat *x = mp_check_input(t, g.nodes, widths[i % 3]), *w = mp_check_input(t, 2 * widths[i % 3], 1);
        mp_mat *b = mp_check_input(t, 1, 1);
        MP_GRADCHECK(t, mp_edge_score(&t->ctx, &g, x, w, b));
        MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_edge_score(&t->ctx, &g, x, w, b), -2,
                               mp_edge_score(&t->ctx, &g, mp_act_of(&t->ctx, x, MP_ACT_TANH), w, b)));
    }
}

void check_shift(void **state)
{
    mp_check *t = *state;
    mp_mat *x = mp_check_input(t, 4, 3), *none = mp_check_input(t, 0, 1);
    MP_GRADCHECK(t, mp_shift(&t->ctx, x, 0.5));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 2, mp_shift(&t->ctx, x, 0.5), -1, mp_shift(&t->ctx, x, -3)));
    MP_GRADCHECK(t, mp_shift(&t->ctx, none, 1));
}
