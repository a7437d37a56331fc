/* op_gate.c - keep some rows of X and scale them by their scores.
 *     out[i, d*C + c] = f(S[v,d]) X[v,c],   v = keep[i],  d = 0..D-1
 *     dX[v] += sum_d f(S[v,d]) dOut[i, block d],   dS[v,d] = f'(S[v,d]) <X[v], dOut[i, block d]>
 * D is 1 for a plain operator; with MID the D gated copies lie side by side. With `split` the channels are cut into D
 * blocks of that many, each gated by its own score, and the width stays C.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"

struct gate {
    mp_mat *out, *x, *s;
    const mp_real *f_of_s; /* K x D: the gates of the kept rows */
    mp_act f;
    const int *keep;
    int split;
};

/* Zeros for the rows that are not kept; the others are about to be stored. */
static void zero_rest(mp_ctx *c, const struct gate *a, int K)
{
    bool *kept = MP_NEW_RAW(mp_elements(c), bool, a->x->rows);
    c->k->mark_rows(kept, a->keep, K, a->x->rows);
    c->k->rows_clear(a->x->g, kept, a->x->rows, a->x->cols);
}

static void gate_back(void *p, mp_ctx *c)
{
    struct gate *a = p;
    if (!a->out->live) return;
    int K = a->out->rows, C = a->x->cols, D = a->s->cols;
    size_t n = (size_t)K * (size_t)D;
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *dG = a->s->g ? MP_NEW_RAW(mp_elements(c), mp_real, n) : NULL;
    bool add = a->x->g && !mp_grad_store(c, a->x);
    if (a->x->g && !add) zero_rest(c, a, K);
    c->k->gate_bwd(a->x->g, dG, a->out->g, a->x->v, a->f_of_s, a->keep, add, K, C, D, a->split);
    if (dG) {
        c->k->act_bwd(dG, dG, a->f_of_s, a->f, false, n);
        c->k->rows_give(mp_grad_zeroed(c, a->s), dG, a->keep, K, D);
    }
    mp_arena_back(mp_elements(c), here);
}

mp_mat *mp_gate(mp_ctx *c, mp_mat *x, mp_mat *s, mp_act f, const int *keep, int kept, int split)
{
    mp_assert(x->rows == s->rows);
    int D = s->cols;
    mp_mat *out = mp_mat_new(c, kept, split ? x->cols : x->cols * D);
    mp_real *raw = MP_NEW_RAW(mp_elements(c), mp_real, (size_t)kept * (size_t)D);
    mp_real *gate = MP_NEW_RAW(mp_elements(c), mp_real, (size_t)kept * (size_t)D);
    c->k->rows_take(raw, s->v, keep, 0, kept, D);
    c->k->act_fwd(gate, raw, f, (size_t)kept * (size_t)D);
    c->k->gate_fwd(out->v, x->v, gate, keep, kept, x->cols, D, split);
    MP_RECORD(c, gate_back, struct gate, out, x, s, gate, f, keep, split);
    return out;
}
