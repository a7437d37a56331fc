/* op_lstm.c - one step of an LSTM from its gates (math.md 2.11).
 *     columns of a, B x 4H, are the gates i, f, g, o before their functions, H each
 *     c' = f c + i g,   h' = o tanh(c'),   i, f, o = sigmoid,  g = tanh
 *     dc = dc' + dh' o (1 - tanh^2 c'),   do = dh' tanh(c'),   di = dc g,   df = dc c,   dg = dc i,   dc_before = dc f
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

struct lstm {
    mp_mat *h, *cell, *a, *before;
    const mp_real *gate, *squash; /* B x 4H: i, f, g, o after their functions; B x H: tanh(c') */
};

static void lstm_back(void *p, mp_ctx *c)
{
    struct lstm *s = p;
    if ((!s->h->live && !s->cell->live) || !s->a->g) return;
    c->k->lstm_bwd(mp_grad_zeroed(c, s->a), s->before ? mp_grad_zeroed(c, s->before) : NULL,
                   s->h->live ? s->h->g : NULL, s->cell->live ? s->cell->g : NULL, s->gate, s->squash,
                   s->before ? s->before->v : NULL, s->h->rows, s->h->cols);
}

mp_mat *mp_lstm(mp_ctx *c, mp_mat *a, mp_mat *before, mp_mat **cell)
{
    mp_assert(a->cols % 4 == 0 && (!before || (before->rows == a->rows && 4 * before->cols == a->cols)));
    int B = a->rows, H = a->cols / 4;
    mp_mat *h = mp_mat_new(c, B, H), *now = mp_mat_new(c, B, H);
    mp_real *gate = MP_NEW_RAW(mp_elements(c), mp_real, (size_t)B * 4 * (size_t)H);
    mp_real *squash = MP_NEW_RAW(mp_elements(c), mp_real, (size_t)B * (size_t)H);
    c->k->lstm_fwd(h->v, now->v, gate, squash, a->v, before ? before->v : NULL, B, H);
    MP_RECORD(c, lstm_back, struct lstm, h, now, a, before, gate, squash);
    *cell = now;
    return h;
}
