/* plain_edges.c - loops over edges: what they count in sums over neighbours, and one number an edge (plain.h). The ops say
 * what each computes: op_agg.c, op_edges.c, and local attention op_attend.c.
 * SPDX-License-Identifier: MIT */
#include "math/fun.h"
#include "math/plain.h"

#include <string.h>

MP_PLAIN_LIST(MP_PLAIN_DECLARE)

/* ---- what edges count */
void mp_plain_closed_roots(mp_real *s, const mp_csr *g, bool loopless, int from, int end)
{
    for (int v = from; v < end; v++)
        s[v] = inverse_root((mp_real)(g->row_ptr[v + 1] - g->row_ptr[v] + (loopless || loop_of(g, v) < 0)));
}

void mp_plain_class_roots(mp_real *s, const int *row_ptr, const int *col, const int *member_ptr, const int *member,
                          int classes)
{
    for (int k = 0; k < classes; k++) {
        int degree = 0;
        for (int e = row_ptr[k]; e < row_ptr[k + 1]; e++) degree += member_ptr[col[e] + 1] - member_ptr[col[e]];
        mp_real root = inverse_root((mp_real)degree);
        for (int i = member_ptr[k]; i < member_ptr[k + 1]; i++) s[member[i]] = root;
    }
}

void mp_plain_closed_weights(mp_real *s, mp_real *q, const mp_csr *g)
{
    for (int v = 0; v < g->nodes; v++) {
        int loop = loop_of(g, v);
        mp_real own = loop < 0 ? (mp_real)1 : edge_weight(g, loop), degree = own;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) degree += e == loop ? 0 : edge_weight(g, e);
        s[v] = inverse_root(degree);
        q[v] = own * s[v];
    }
}

void mp_plain_open_weights(mp_real *p, mp_real *s, const mp_csr *g)
{
    for (int v = 0; v < g->nodes; v++) {
        mp_real degree = 0;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            p[e] = g->col[e] == v ? 0 : edge_weight(g, e);
            degree += p[e];
        }
        s[v] = inverse_root(degree);
    }
}

void mp_plain_mean_weights(mp_real *p, const mp_csr *g)
{
    for (int v = 0; v < g->nodes; v++) {
        int count = g->row_ptr[v + 1] - g->row_ptr[v];
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) p[e] = edge_weight(g, e) / (mp_real)count;
    }
}

/* 1 over the sum of a row's weights without the self loop; 0 where there are none. */
static mp_real row_share(const mp_csr *g, int v)
{
    mp_real sum = 0;
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) sum += g->col[e] == v ? 0 : edge_weight(g, e);
    return sum > 0 ? 1 / sum : 0;
}

void mp_plain_share_weights(mp_real *p, const mp_csr *g)
{
    for (int v = 0; v < g->nodes; v++) {
        mp_real share = row_share(g, v);
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) p[e] = g->col[e] == v ? 0 : edge_weight(g, e) * share;
    }
}

void mp_plain_sum_weights_bwd(mp_real *dw, const mp_real *G, const mp_csr *g)
{
    for (int e = 0; e < g->row_ptr[g->nodes]; e++) dw[e] += G[e];
}

void mp_plain_mean_weights_bwd(mp_real *dw, const mp_real *G, const mp_csr *g)
{
    for (int v = 0; v < g->nodes; v++) {
        int count = g->row_ptr[v + 1] - g->row_ptr[v];
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) dw[e] += G[e] / (mp_real)count;
    }
}

/* d(w_ij / sum_k w_ik): what the edge gets itself, less the row's mean of that. */
void mp_plain_share_weights_bwd(mp_real *dw, const mp_real *G, const mp_real *p, const mp_csr *g)
{
    for (int v = 0; v < g->nodes; v++) {
        mp_real usual = 0, share = row_share(g, v);
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) usual += G[e] * p[e];
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            if (g->col[e] != v) dw[e] += (G[e] - usual) * share;
    }
}

void mp_plain_root_weights_bwd(mp_real *dw, mp_real *dd, const mp_real *G, const mp_real *G_self, const mp_real *q,
                               const mp_real *s, const mp_csr *g)
{
    const mp_real *w = g->w;
    for (int v = 0; v < g->nodes; v++) {
        mp_real both = G_self ? 2 * G_self[v] * q[v] : 0; /* the self loop is in both sums */
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            if (g->col[e] != v) both += s[g->col[e]] * (G[e] * w[e] + G[g->rev[e]] * w[g->rev[e]]);
        dd[v] = (mp_real)-0.5 * s[v] * s[v] * (s[v] * both); /* 1/d = s^2, and 0 where d = 0 */
    }
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            if (G_self || g->col[e] != v) dw[e] += G[e] * s[v] * s[g->col[e]] + dd[v];
}

void mp_plain_weight_sums(mp_real *out, bool leaving, const mp_csr *g)
{
    for (int v = 0; v < g->nodes; v++) {
        mp_real sum = 0;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) sum += edge_weight(g, leaving ? g->rev[e] : e);
        out[v] = sum;
    }
}

/* ---- one number an edge */
void mp_plain_edge_pair(mp_real *out, const mp_real *a, const mp_real *b, const mp_csr *g)
{
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) out[e] = a[v] + (b ? b[g->col[e]] : 0);
}

void mp_plain_edge_pair_bwd(mp_real *da, mp_real *db, const mp_real *dout, const mp_csr *g)
{
    for (int v = 0; v < g->nodes; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            if (da) da[v] += dout[e];
            if (db) db[v] += dout[g->rev[e]]; /* the edge that leaves v */
        }
    }
}

void mp_plain_edge_mix(mp_real *out, const mp_real *a, const mp_real *degree, mp_real sa, mp_real sb, int N, int C)
{
    for (int v = 0; v < N; v++) {
        for (int k = 0; k < C; k++) {
            size_t i = (size_t)v * (size_t)C + (size_t)k;
            out[i] = sb * out[i] + sa * degree[v] * a[i];
        }
    }
}

void mp_plain_edge_mix_bwd(mp_real *dw, const mp_real *self, const mp_real *G, mp_real sa, mp_real sb, const mp_csr *g)
{
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) dw[e] += sa * self[v] + sb * G[e];
}

void mp_plain_edge_ends(mp_real *out, const mp_real *S, const mp_real *b, const mp_csr *g)
{
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            out[e] = S[2 * (size_t)g->col[e]] + (S[2 * (size_t)v + 1] + b[0]);
}

void mp_plain_edge_ends_bwd(mp_real *dS, const mp_real *dout, const mp_csr *g)
{
    for (int v = 0; v < g->nodes; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            dS[2 * (size_t)v] += dout[g->rev[e]];
            dS[2 * (size_t)v + 1] += dout[e];
        }
    }
}

/* A cluster that almost nothing is assigned to counts as isolated: its factor would be 10^5, and what flows back through
 * two levels of such factors does not fit into a float (RepPool on PROTEINS met infinity after a dozen epochs). */
#define EMPTY ((mp_real)1e-8)

void mp_plain_edge_sym(mp_real *out, mp_real *s, const mp_csr *g)
{
    mp_plain_weight_sums(s, true, g);
    for (int v = 0; v < g->nodes; v++) s[v] = s[v] > EMPTY ? (mp_real)(1 / sqrt((double)(s[v] + (mp_real)1e-10))) : 0;
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) out[e] = s[v] * g->w[e] * s[g->col[e]];
}

void mp_plain_edge_sym_bwd(mp_real *dw, mp_real *dd, const mp_real *dout, const mp_real *out, const mp_real *s,
                           const mp_csr *g)
{
    for (int v = 0; v < g->nodes; v++) {
        mp_real sum = 0;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            sum += dout[e] * out[e] + dout[g->rev[e]] * out[g->rev[e]];
        dd[v] = sum * ((mp_real)-0.5 * s[v] * s[v]);
    }
    for (int v = 0; v < g->nodes; v++) /* edge e enters v and leaves col[e], whose sum it is part of */
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) dw[e] += dout[e] * s[v] * s[g->col[e]] + dd[g->col[e]];
}

/* ---- local attention */
static size_t at(int row, int d, int D)
{
    return (size_t)row * (size_t)D + (size_t)d;
}

void mp_plain_local_att(mp_real *out, mp_real *e, mp_real *den, int *top, const mp_real *z, const mp_real *tau,
                        const int *node_ptr, const mp_csr *g, int B, int D)
{
    mp_real size = tau[0] < 0 ? -tau[0] : tau[0];
    for (int b = 0; b < B; b++) {
        for (int d = 0; d < D; d++) {
            int most = node_ptr[b];
            for (int v = most; v < node_ptr[b + 1]; v++)
                if (z[at(v, d, D)] > z[at(most, d, D)]) most = v;
            top[at(b, d, D)] = most;
            for (int v = node_ptr[b]; v < node_ptr[b + 1]; v++)
                e[at(v, d, D)] = exp1(size * (z[at(v, d, D)] - z[at(most, d, D)]));
        }
    }
    for (int v = 0; v < g->nodes; v++) {
        for (int d = 0; d < D; d++) {
            size_t i = at(v, d, D);
            mp_real own = 0, sum = 0;
            for (int k = g->row_ptr[v]; k < g->row_ptr[v + 1]; k++) {
                sum += g->w[k] * e[at(g->col[k], d, D)];
                if (g->col[k] == v) own = g->w[k];
            }
            den[i] = sum + (mp_real)1e-10;
            out[i] = e[i] * own / den[i];
        }
    }
}

void mp_plain_local_att_bwd(mp_real *dz, mp_real *dtau, mp_real *du, const mp_real *dout, const mp_real *out,
                            const mp_real *z, const mp_real *tau, const mp_real *e, const mp_real *den, const int *top,
                            const int *node_ptr, const mp_csr *g, int B, int D)
{
    mp_real sum = 0, size = tau[0] < 0 ? -tau[0] : tau[0];
    memset(du, 0, (size_t)g->nodes * (size_t)D * sizeof *du);
    for (int v = 0; v < g->nodes; v++) {
        for (int d = 0; d < D; d++) {
            size_t i = at(v, d, D);
            mp_real flow = dout[i] * out[i];
            du[i] += flow;
            for (int k = g->row_ptr[v]; k < g->row_ptr[v + 1]; k++) {
                size_t j = at(g->col[k], d, D);
                du[j] -= flow * g->w[k] * e[j] / den[i];
            }
        }
    }
    for (int b = 0; b < B; b++) {
        for (int d = 0; d < D && node_ptr[b] < node_ptr[b + 1]; d++) {
            size_t most = at(top[at(b, d, D)], d, D);
            mp_real total = 0;
            for (int v = node_ptr[b]; v < node_ptr[b + 1]; v++) {
                size_t i = at(v, d, D);
                if (dz) dz[i] += size * du[i];
                sum += du[i] * (z[i] - z[most]);
                total += du[i];
            }
            if (dz) dz[most] -= size * total;
        }
    }
    if (dtau) dtau[0] += tau[0] < 0 ? -sum : sum;
}
