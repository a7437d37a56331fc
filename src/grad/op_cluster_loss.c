/* op_cluster_loss.c - losses of soft clusterings (math.md 5.3, 5.5, 5.7), 1 x 1 each.
 *
 * S N x K is a clustering, A0_b = S_b^T A_b S_b and M_b = S_b^T S_b, B blocks of K x K, come from block_gram: no loss needs
 * an n x n matrix.
 *     link     |A - S S^T|^2 = sum A^2 - 2 tr A0 + |M|^2 = r;  d sqrt(r): dA0 = -I / sqrt r, dM = M / sqrt r
 *     entropy  -sum S log(S + 1e-15);                          dS = -(log(S + eps) + S / (S + eps))
 *     cut      -tr A0 / den,  den = sum_v d_v |S_v|^2;         dA0 = -I / den,  dS_v = 2 t d_v S_v,
 *                                                              dd_v = t |S_v|^2  with t = tr A0 / den^2
 *     ortho    q = |M / f - I / sqrt K|,  f = |M|:             dM = (M tr M / f^2 - I) / (q f sqrt K)
 *              q^2 = 2 - 2 tr M / (f sqrt K)
 *     kl       U_vj = S_vj^2 / f_j,  f_j = sum_v S_vj in the graph,  P = U / r,  r_v = sum_j U_vj
 *              loss = sum P (log P - log S) / B, both logarithms of at least 1e-15
 *              dP = log P - log S + 1,   dU = (dP - sum_j dP P) / r,
 *              dS = -P/S + 2 dU S / f - (sum_v dU U) / f,  plus a number a row from dividing by its sum
 * A term whose denominator is 0 (a graph without edges, a perfect clustering) is 0 and has no gradient.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"
#include "math/fun.h"

#include <math.h>

#define TINY 1e-15

static double trace(const mp_real *a, int K)
{
    double sum = 0;
    for (int i = 0; i < K; i++) sum += (double)a[mp_at(i, K + 1)];
    return sum;
}

/* In eight chains over i mod 8: one would wait for itself. */
static double squares(const mp_real *a, size_t n)
{
    double part[8] = { 0 };
    for (size_t i = 0; i + 8 <= n; i += 8)
        for (size_t l = 0; l < 8; l++) part[l] += (double)a[i + l] * (double)a[i + l];
    for (size_t i = n / 8 * 8; i < n; i++) part[i % 8] += (double)a[i] * (double)a[i];
    return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

static mp_mat *number(mp_ctx *c, double v)
{
    mp_mat *out = mp_mat_new(c, 1, 1);
    out->v[0] = (mp_real)v;
    return out;
}

static void add_diagonal(mp_real *a, int K, mp_real v)
{
    for (int i = 0; i < K; i++) a[mp_at(i, K + 1)] += v;
}

/* ---- link */
struct link {
    mp_mat *out, *a0, *m;
    const mp_real *slope; /* B: the factor of each graph's gradient */
    int graphs;
};

static void link_back(void *p, mp_ctx *c)
{
    struct link *s = p;
    if (!s->out->live) return;
    int K = s->m->cols;
    mp_real *da = mp_grad_zeroed(s->a0), *dm = mp_grad_zeroed(s->m);
    for (int b = 0; b < s->graphs; b++) {
        mp_real f = s->out->g[0] * s->slope[b];
        size_t at = mp_at(b * K, K);
        if (da) add_diagonal(da + at, K, -f);
        if (dm) c->k->axpy(dm + at, f, s->m->v + at, true, (size_t)K * (size_t)K);
    }
}

/* |A_b - S_b S_b^T|^2; rounding may push a perfect fit below 0. */
static double residual(const mp_graph *g, const mp_mat *a0, const mp_mat *m, int b)
{
    int K = m->cols, from = g->row_ptr[g->node_ptr[b]], to = g->row_ptr[g->node_ptr[b + 1]];
    double edges = g->w ? squares(g->w->v + from, (size_t)(to - from)) : to - from;
    double r = edges - 2 * trace(a0->v + mp_at(b * K, K), K) + squares(m->v + mp_at(b * K, K), (size_t)K * (size_t)K);
    return r > 0 ? r : 0;
}

mp_mat *mp_link_loss(mp_ctx *c, const mp_graph *g, mp_mat *a0, mp_mat *m, int padded)
{
    int B = g->graphs;
    mp_assert(a0->rows == B * m->cols && m->rows == a0->rows && a0->cols == m->cols);
    mp_real *slope = MP_NEW(c->arena, mp_real, B);
    double sum = 0, loss = 0;
    for (int b = 0; b < B; b++) sum += residual(g, a0, m, b);
    for (int b = 0; b < B; b++) {
        double n = padded ? padded : g->node_ptr[b + 1] - g->node_ptr[b];
        double r = sqrt(padded ? sum : residual(g, a0, m, b)), scale = 1 / (n * n * B);
        if (!padded || b == 0) loss += r * scale; /* padded: one norm over the whole batch */
        slope[b] = r > 0 ? (mp_real)(scale / r) : 0;
    }
    mp_mat *out = number(c, loss);
    MP_RECORD(c, link_back, struct link, out, a0, m, slope, B);
    return out;
}

/* ---- entropy */
struct entropy {
    mp_mat *out, *s;
    const int *ptr;
    int graphs, padded;
};

static mp_real row_scale(const int *ptr, int b, int graphs, int padded)
{
    return 1 / ((mp_real)(padded ? padded : ptr[b + 1] - ptr[b]) * (mp_real)graphs);
}

static void entropy_back(void *p, mp_ctx *c)
{
    struct entropy *a = p;
    (void)c;
    if (!a->out->live || !a->s->g) return;
    int K = a->s->cols;
    mp_real *ds = mp_grad_zeroed(a->s);
    for (int b = 0; b < a->graphs; b++) {
        mp_real f = a->out->g[0] * row_scale(a->ptr, b, a->graphs, a->padded);
        for (size_t i = mp_at(a->ptr[b], K); i < mp_at(a->ptr[b + 1], K); i++) {
            mp_real v = a->s->v[i] + (mp_real)TINY;
            ds[i] -= f * (log1(v) + a->s->v[i] / v);
        }
    }
}

mp_mat *mp_entropy_loss(mp_ctx *c, mp_mat *s, const int *ptr, int graphs, int padded)
{
    int K = s->cols;
    double loss = 0;
    for (int b = 0; b < graphs; b++) {
        double sum = 0;
        for (size_t i = mp_at(ptr[b], K); i < mp_at(ptr[b + 1], K); i++)
            sum -= (double)(s->v[i] * log1(s->v[i] + (mp_real)TINY));
        if (ptr[b + 1] > ptr[b]) loss += sum * (double)row_scale(ptr, b, graphs, padded);
    }
    mp_mat *out = number(c, loss);
    MP_RECORD(c, entropy_back, struct entropy, out, s, ptr, graphs, padded);
    return out;
}

/* ---- cut */
struct cut {
    mp_mat *out, *s, *a0, *d;
    const int *ptr;
    const double *num, *den; /* of each graph */
    int graphs;
};

static void cut_back(void *p, mp_ctx *c)
{
    struct cut *a = p;
    if (!a->out->live) return;
    int K = a->s->cols;
    mp_real *ds = mp_grad_zeroed(a->s), *da = mp_grad_zeroed(a->a0), *dd = mp_grad_zeroed(a->d);
    double g = (double)a->out->g[0] / a->graphs;
    for (int b = 0; b < a->graphs; b++) {
        if (!(a->den[b] > 0)) continue;
        mp_real t = (mp_real)(g * a->num[b] / (a->den[b] * a->den[b]));
        if (da) add_diagonal(da + mp_at(b * K, K), K, (mp_real)(-g / a->den[b]));
        for (int v = a->ptr[b]; v < a->ptr[b + 1]; v++) {
            const mp_real *s = a->s->v + mp_at(v, K);
            if (ds) c->k->axpy(ds + mp_at(v, K), 2 * t * a->d->v[v], s, true, (size_t)K);
            if (dd) dd[v] += t * (mp_real)squares(s, (size_t)K);
        }
    }
}

mp_mat *mp_cut_loss(mp_ctx *c, mp_mat *s, mp_mat *a0, mp_mat *d, const int *ptr, int graphs)
{
    int K = s->cols;
    mp_assert(a0->rows == graphs * K && a0->cols == K && d->rows == s->rows && d->cols == 1);
    double *num = MP_NEW(c->arena, double, graphs), *den = MP_NEW(c->arena, double, graphs), loss = 0;
    for (int b = 0; b < graphs; b++) {
        num[b] = trace(a0->v + mp_at(b * K, K), K);
        for (int v = ptr[b]; v < ptr[b + 1]; v++) den[b] += (double)d->v[v] * squares(s->v + mp_at(v, K), (size_t)K);
        if (den[b] > 0) loss -= num[b] / den[b] / graphs;
    }
    mp_mat *out = number(c, loss);
    MP_RECORD(c, cut_back, struct cut, out, s, a0, d, ptr, num, den, graphs);
    return out;
}

/* ---- ortho */
struct slope { /* dLoss/dM = m M + one I for a gradient of 1 */
    mp_real m, one;
};
struct ortho {
    mp_mat *out, *m;
    const struct slope *slope; /* of each graph */
    int graphs;
};

static void ortho_back(void *p, mp_ctx *c)
{
    struct ortho *a = p;
    if (!a->out->live || !a->m->g) return;
    int K = a->m->cols;
    mp_real g = a->out->g[0], *dm = mp_grad_zeroed(a->m);
    for (int b = 0; b < a->graphs; b++) {
        size_t at = mp_at(b * K, K);
        c->k->axpy(dm + at, g * a->slope[b].m, a->m->v + at, true, (size_t)K * (size_t)K);
        add_diagonal(dm + at, K, g * a->slope[b].one);
    }
}

/* q of one block, and its slope over `graphs`. */
static double ortho_of(struct slope *slope, const mp_real *m, int K, int graphs)
{
    double f = sqrt(squares(m, (size_t)K * (size_t)K)), tr = trace(m, K), length = f * sqrt((double)K);
    double square = length > 0 ? 2 - 2 * tr / length : 0;
    if (!(square > 0)) return 0;
    double q = sqrt(square), scale = 1 / (q * length * graphs);
    *slope = (struct slope){ (mp_real)(scale * tr / (f * f)), (mp_real)-scale };
    return q;
}

mp_mat *mp_ortho_loss(mp_ctx *c, mp_mat *m, int graphs)
{
    int K = m->cols;
    mp_assert(m->rows == graphs * K);
    struct slope *slope = MP_NEW(c->arena, struct slope, graphs);
    double loss = 0;
    for (int b = 0; b < graphs; b++) loss += ortho_of(&slope[b], m->v + mp_at(b * K, K), K, graphs) / graphs;
    mp_mat *out = number(c, loss);
    MP_RECORD(c, ortho_back, struct ortho, out, m, slope, graphs);
    return out;
}

/* ---- kl */
struct kl {
    mp_mat *out, *s;
    const mp_real *slope; /* dLoss/dS for a gradient of 1 */
};

static void kl_back(void *p, mp_ctx *c)
{
    struct kl *a = p;
    if (!a->out->live || !a->s->g) return;
    c->k->axpy(a->s->g, a->out->g[0], a->slope, !mp_grad_store(a->s), mp_size(a->s));
}

static double at_least(double v)
{
    return v > TINY ? v : TINY;
}

/* log of a double from the logarithm of mp_real: P and S are often close, and what is left of their
 * difference is the loss, so the rounding of the argument must not be in it. */
static double log_of(double q)
{
    mp_real near = (mp_real)q;
    return (double)log1(near) + (q - (double)near) / (double)near;
}

/* One row: its loss; slope gets the derivative with P held fixed, du that by U, 0 when P is a constant. The
 * row is divided by its sum, which is 1 but for rounding. */
static double kl_row(mp_real *slope, double *du, const mp_real *s, const double *f, int K, bool detach)
{
    double r = 0, along = 0, loss = 0, sum = 0, all = 0;
    for (int j = 0; j < K; j++) {
        r += (double)s[j] * (double)s[j] / f[j];
        sum += (double)s[j];
    }
    double log_sum = log_of(sum);
    for (int j = 0; j < K; j++) {
        double share = (double)s[j] * (double)s[j] / f[j] / r, target = at_least(share);
        double gap = log_of(target / at_least((double)s[j])) + log_sum;
        loss += target * gap;
        all += target;
        slope[j] = (double)s[j] > TINY ? (mp_real)(-target / (double)s[j]) : 0;
        du[j] = share > TINY && !detach ? gap + 1 : 0; /* dP */
        along += du[j] * share;
    }
    for (int j = 0; j < K; j++) {
        slope[j] += (mp_real)(all / sum);
        du[j] = detach ? 0 : (du[j] - along) / r;
    }
    return loss;
}

/* All rows of a graph: slope and the loss. */
static double kl_graph(mp_ctx *c, mp_real *slope, const mp_real *s, int n, int K, bool detach)
{
    mp_arena_mark here = mp_arena_here(c->arena);
    double *f = MP_NEW(c->arena, double, K), *df = MP_NEW(c->arena, double, K), loss = 0;
    double *du = MP_NEW_RAW(c->arena, double, mp_at(n, K));
    for (int v = 0; v < n; v++)
        for (int j = 0; j < K; j++) f[j] += (double)s[mp_at(v, K) + (size_t)j];
    for (int j = 0; j < K; j++) f[j] = at_least(f[j]);
    for (int v = 0; v < n; v++) {
        size_t at = mp_at(v, K);
        loss += kl_row(slope + at, du + at, s + at, f, K, detach);
        for (int j = 0; j < K; j++) {
            double share = (double)s[at + (size_t)j] / f[j];
            df[j] -= du[at + (size_t)j] * share * share;
        }
    }
    for (int v = 0; v < n; v++) {
        for (int j = 0; j < K; j++) {
            size_t i = mp_at(v, K) + (size_t)j;
            slope[i] += (mp_real)(2 * du[i] * (double)s[i] / f[j] + df[j]);
        }
    }
    mp_arena_back(c->arena, here);
    return loss;
}

mp_mat *mp_kl_loss(mp_ctx *c, mp_mat *s, const int *ptr, int graphs, bool detach)
{
    mp_assert(ptr[graphs] == s->rows);
    int K = s->cols;
    mp_mat *out = mp_mat_new(c, 1, 1);
    mp_real *slope = MP_NEW_RAW(c->arena, mp_real, mp_size(s));
    double loss = 0;
    for (int b = 0; b < graphs; b++) {
        size_t at = mp_at(ptr[b], K);
        loss += kl_graph(c, slope + at, s->v + at, ptr[b + 1] - ptr[b], K, detach);
    }
    c->k->axpy(slope, 1 / (mp_real)graphs, slope, false, mp_size(s));
    out->v[0] = (mp_real)(loss / graphs);
    MP_RECORD(c, kl_back, struct kl, out, s, slope);
    return out;
}
