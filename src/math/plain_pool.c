/* plain_pool.c - what pooling parts compute besides their ops: keys, sizes, shares (plain.h). The parts say why: mid.c,
 * att.c, score_vote.c, hgpsl.c, vip.c.
 * SPDX-License-Identifier: MIT */
#include "math/fun.h"
#include "math/plain.h"

MP_PLAIN_LIST(MP_PLAIN_DECLARE)

void mp_plain_range_sizes(mp_real *out, const int *ptr, bool inverse, int ranges)
{
    for (int b = 0; b < ranges; b++) {
        mp_real n = (mp_real)(ptr[b + 1] - ptr[b]);
        for (int i = ptr[b]; i < ptr[b + 1]; i++) out[i] = inverse ? 1 / n : n;
    }
}

void mp_plain_range_counts(mp_real *out, const int *ptr, int ranges)
{
    for (int b = 0; b < ranges; b++) out[b] = (mp_real)(ptr[b + 1] - ptr[b]);
}

void mp_plain_hat_weights(mp_real *w, const mp_csr *g)
{
    const int *ptr = g->row_ptr;
    for (int v = 0; v < g->nodes; v++) {
        for (int e = ptr[v]; e < ptr[v + 1]; e++) {
            int u = g->col[e];
            w[e] = (mp_real)(1 / sqrt((double)(ptr[v + 1] - ptr[v]) * (double)(ptr[u + 1] - ptr[u])));
        }
    }
}

void mp_plain_cheb_weights(mp_real *w, mp_real *degree, const mp_csr *g)
{
    for (int v = 0; v < g->nodes; v++) {
        int n = 0;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) n += g->col[e] != v;
        degree[v] = (mp_real)n;
    }
    for (int v = 0; v < g->nodes; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            int u = g->col[e];
            double both = ((double)degree[v] + 1e-5) * ((double)degree[u] + 1e-5);
            w[e] = u == v ? 0 : (mp_real)(-1 / sqrt(both));
        }
    }
}

void mp_plain_member_shares(mp_real *alpha, const mp_real *w, const mp_members *t, mp_real eps, int nodes)
{
    for (int u = 0; u < nodes; u++) {
        mp_real sum = 0;
        for (int k = t->node_ptr[u]; k < t->node_ptr[u + 1]; k++) sum += w[t->owner_at[k]];
        for (int k = t->node_ptr[u]; k < t->node_ptr[u + 1]; k++)
            alpha[t->owner_at[k]] = w[t->owner_at[k]] / (sum + eps);
    }
}

void mp_plain_either(mp_real *out, const int *which, mp_real yes, mp_real no, int n)
{
    for (int i = 0; i < n; i++) out[i] = which[i] >= 0 ? yes : no;
}

void mp_plain_keys(mp_real *key, bool *nan, const mp_real *S, bool flip, mp_key_kind kind, bool mean, int N, int D)
{
    for (int v = 0; v < N; v++) {
        key[v] = combined(S + (size_t)v * (size_t)D, D, flip, kind);
        if (mean) key[v] = averaged(key[v], D, kind);
        if (key[v] != key[v]) *nan = true;
    }
}

void mp_plain_clear_marked(mp_real *x, const int *mark, int n)
{
    for (int i = 0; i < n; i++)
        if (mark[i]) x[i] = 0;
}

void mp_plain_full_shares(mp_real *alpha, const int *start, const mp_csr *g, const int *keep, const int *keep_ptr,
                          const int *node_ptr, int B)
{
    for (int b = 0; b < B; b++) {
        for (int q = 0; q < keep_ptr[b + 1] - keep_ptr[b]; q++) {
            int row = keep[keep_ptr[b] + q], e = g->row_ptr[row];
            mp_real sum = 0;
            for (int v = node_ptr[b]; v < node_ptr[b + 1]; v++) {
                bool there = e < g->row_ptr[row + 1] && g->col[e] == v;
                mp_real a = there ? (g->w ? g->w[e] : 1) : 0;
                e += there;
                sum += alpha[start[v] + q] = exp1(a);
            }
            for (int v = node_ptr[b]; v < node_ptr[b + 1]; v++) alpha[start[v] + q] /= sum;
        }
    }
}

void mp_plain_two_levels(mp_real *out, const int *code, mp_real first, mp_real second, int n)
{
    mp_real level[] = { 0, first, second, first + second };
    for (int i = 0; i < n; i++) out[i] = level[code[i]];
}

/* ---- paths between kept nodes */
static mp_real leaving(const mp_csr *g, int e)
{
    return g->w ? g->w[g->rev[e]] : (mp_real)1;
}

void mp_plain_paths_begin(const mp_paths *s, const mp_csr *g, int K)
{
    int n = 0;
    for (int q = 0; q < K; q++) s->at[q].row = -1;
    for (int v = 0; v < g->nodes; v++) {
        s->ptr[v] = n;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) { /* written always, kept or not: nothing to guess */
            s->hops[n] = (mp_hop){ s->place[g->col[e]], leaving(g, e) };
            n += s->hops[n].to >= 0;
        }
    }
    s->ptr[g->nodes] = n;
}

/* Kept node `to` as row `row` sees it. */
static inline mp_spot *meet(const mp_paths *s, int *count, int row, int to)
{
    mp_spot *at = &s->at[to];
    if (at->row != row) {
        *at = (mp_spot){ row, 0, 0 };
        s->found[(*count)++] = to;
    }
    return at;
}

void mp_plain_square_row(int *count, const mp_paths *s, const mp_csr *g, bool after, int q, int v)
{
    int n = 0;
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
        int l = g->col[e];
        mp_real first = leaving(g, e);
        if (s->place[l] >= 0) meet(s, &n, q, s->place[l])->sum += first;
        if (after && s->place[l] < 0) continue;
        for (const mp_hop *h = s->hops + s->ptr[l]; h < s->hops + s->ptr[l + 1]; h++)
            meet(s, &n, q, h->to)->sum += first * h->w;
    }
    *count = n;
}

void mp_plain_square_list(int *count, int *to, mp_real *weight, const mp_paths *s, int found, bool binary, int q)
{
    int n = 0;
    for (int i = 0; i < found; i++) {
        if (s->found[i] == q) continue;
        to[n] = s->found[i];
        weight[n] = binary ? 1 : s->at[to[n]].sum;
        n++;
    }
    *count = n;
}

void mp_plain_overlap_row(int *count, const mp_paths *s, const mp_csr *g, int q, int v)
{
    int n = 0;
    for (const mp_hop *h = s->hops + s->ptr[v]; h < s->hops + s->ptr[v + 1]; h++) meet(s, &n, q, h->to)->direct = h->w;
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) { /* every shared neighbour counts one */
        int l = g->col[e];
        for (const mp_hop *h = s->hops + s->ptr[l]; h < s->hops + s->ptr[l + 1]; h++) meet(s, &n, q, h->to)->sum += 1;
    }
    *count = n;
}

void mp_plain_overlap_list(int *to, mp_real *weight, const mp_paths *s, int found, const mp_csr *g, const int *keep,
                           mp_real lambda, bool cosine, int q)
{
    int v = keep[q], own = g->row_ptr[v + 1] - g->row_ptr[v];
    for (int i = 0; i < found; i++) {
        int met = s->found[i], u = keep[met], other = g->row_ptr[u + 1] - g->row_ptr[u];
        mp_real both = s->at[met].sum, all = (mp_real)(own + other) - both;
        mp_real share = cosine ? both / (mp_real)sqrt((double)own * (double)other) : both / all;
        to[i] = met;
        weight[i] = lambda * s->at[met].direct + (1 - lambda) * share;
    }
}
