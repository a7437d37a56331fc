/* op_lstm.c - one step of an LSTM from its gates (math.md 2.11), and the attention that Set2Set reads a graph
 * with.
 *
 * lstm: columns of a are the gates i, f, g, o before their functions, H each
 *     c' = f c + i g,   h' = o tanh(c'),   i, f, o = sigmoid,  g = tanh
 *     dc = dc' + dh' o (1 - tanh^2 c'),   do = dh' tanh(c'),   di = dc g,   df = dc c,   dg = dc i, dc_before
 * = dc f
 *
 * set_attend: u_v = <x_v, q_b>,   a = softmax of u over graph b,   r_b = sum_v a_v x_v
 *     da_v = <dr_b, x_v>,   du = softmax backward of da,   dx_v = a_v dr_b + du_v q_b,   dq_b = sum_v du_v
 * x_v
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"

/* ---- lstm */
struct lstm {
    mp_mat *h, *cell, *a, *before;
    const mp_real *gate, *squash; /* B x 4H: i, f, g, o after their functions; B x H: tanh(c') */
};

static void lstm_back_row(const struct lstm *s, int row, const mp_real *dh, const mp_real *dcell, mp_real *da,
                          mp_real *dbefore)
{
    int H = s->h->cols;
    size_t at = (size_t)row * (size_t)H;
    const mp_real *i = s->gate + 4 * at, *f = i + H, *g = f + H, *o = g + H, *t = s->squash + at;
    for (int k = 0; k < H; k++) {
        mp_real d = dh ? dh[at + (size_t)k] : 0, dc = d * o[k] * (1 - t[k] * t[k]);
        if (dcell) dc += dcell[at + (size_t)k];
        da[k] += dc * g[k] * i[k] * (1 - i[k]);
        if (s->before) da[H + k] += dc * s->before->v[at + (size_t)k] * f[k] * (1 - f[k]);
        da[2 * H + k] += dc * i[k] * (1 - g[k] * g[k]);
        da[3 * H + k] += d * t[k] * o[k] * (1 - o[k]);
        if (dbefore) dbefore[at + (size_t)k] += dc * f[k];
    }
}

static void lstm_back(void *p, mp_ctx *c)
{
    struct lstm *s = p;
    (void)c;
    if ((!s->h->live && !s->cell->live) || !s->a->g) return;
    mp_real *da = mp_grad_zeroed(s->a), *dbefore = s->before ? mp_grad_zeroed(s->before) : NULL;
    for (int r = 0; r < s->h->rows; r++)
        lstm_back_row(s, r, s->h->live ? s->h->g : NULL, s->cell->live ? s->cell->g : NULL,
                      da + (size_t)r * (size_t)s->a->cols, dbefore);
}

mp_mat *mp_lstm(mp_ctx *c, mp_mat *a, mp_mat *before, mp_mat **cell)
{
    mp_assert(a->cols % 4 == 0 && (!before || (before->rows == a->rows && 4 * before->cols == a->cols)));
    int B = a->rows, H = a->cols / 4;
    mp_mat *h = mp_mat_new(c, B, H), *now = mp_mat_new(c, B, H);
    mp_real *gate = MP_NEW_RAW(c->arena, mp_real, (size_t)B * 4 * (size_t)H);
    mp_real *squash = MP_NEW_RAW(c->arena, mp_real, (size_t)B * (size_t)H);
    size_t n = (size_t)H;
    for (int r = 0; r < B; r++) {
        size_t at = (size_t)r * n;
        mp_real *i = gate + 4 * at, *f = i + n, *g = f + n, *o = g + n;
        const mp_real *in = a->v + 4 * at;
        c->k->act_fwd(i, in, MP_ACT_SIGMOID, 2 * n);
        c->k->act_fwd(g, in + 2 * n, MP_ACT_TANH, n);
        c->k->act_fwd(o, in + 3 * n, MP_ACT_SIGMOID, n);
        c->k->mul(now->v + at, i, g, false, n);
        if (before) c->k->mul(now->v + at, f, before->v + at, true, n);
        c->k->act_fwd(squash + at, now->v + at, MP_ACT_TANH, n);
        c->k->mul(h->v + at, o, squash + at, false, n);
    }
    MP_RECORD(c, lstm_back, struct lstm, h, now, a, before, gate, squash);
    *cell = now;
    return h;
}

/* ---- set_attend: graphs are rows that list their nodes, so all four sums are neighbour sums */
struct set_attend {
    mp_mat *out, *x, *q;
    const mp_real *alpha;
    const int *ptr, *self, *graph; /* self: 0..N-1; graph: of each node */
};

static void set_attend_back(void *p, mp_ctx *c)
{
    struct set_attend *s = p;
    if (!s->out->live) return;
    int N = s->x->rows, B = s->out->rows, C = s->x->cols;
    mp_arena_mark here = mp_arena_here(c->arena);
    mp_real *da = MP_NEW_RAW(c->arena, mp_real, N), *du = MP_NEW_RAW(c->arena, mp_real, N);
    mp_links nodes = { .row_ptr = s->ptr, .col = s->self };
    c->k->edge_dot(da, NULL, s->out->g, s->x->v, nodes, false, B, C);
    c->k->softmax_bwd(du, da, s->alpha, s->ptr, false, B);
    if (s->q->g) {
        nodes.p = du;
        bool add = !mp_grad_store(s->q);
        c->k->agg(s->q->g, s->x->v, nodes, NULL, add, false, 0, B, C);
    }
    if (s->x->g) {
        bool add = !mp_grad_store(s->x);
        c->k->agg(s->x->g, s->out->g, (mp_links){ .row_ptr = s->self, .col = s->graph, .p = s->alpha }, NULL, add,
                  false, 0, N, C);
        c->k->agg(s->x->g, s->q->v, (mp_links){ .row_ptr = s->self, .col = s->graph, .p = du }, NULL, true, false, 0, N,
                  C);
    }
    mp_arena_back(c->arena, here);
}

mp_mat *mp_set_attend(mp_ctx *c, mp_mat *x, mp_mat *q, const int *ptr, int graphs)
{
    mp_assert(q->rows == graphs && q->cols == x->cols && ptr[graphs] == x->rows);
    int N = x->rows;
    mp_mat *out = mp_mat_new(c, graphs, x->cols);
    int *self = MP_NEW_RAW(c->arena, int, N + 1), *graph = MP_NEW_RAW(c->arena, int, N);
    for (int v = 0; v <= N; v++) self[v] = v;
    for (int b = 0; b < graphs; b++)
        for (int v = ptr[b]; v < ptr[b + 1]; v++) graph[v] = b;
    mp_real *u = MP_NEW_RAW(c->arena, mp_real, N), *alpha = MP_NEW_RAW(c->arena, mp_real, N);
    c->k->edge_dot(u, NULL, q->v, x->v, (mp_links){ .row_ptr = ptr, .col = self }, false, graphs, x->cols);
    c->k->softmax(alpha, u, ptr, graphs);
    c->k->agg(out->v, x->v, (mp_links){ .row_ptr = ptr, .col = self, .p = alpha }, NULL, false, false, 0, graphs,
              x->cols);
    MP_RECORD(c, set_attend_back, struct set_attend, out, x, q, alpha, ptr, self, graph);
    return out;
}
