/* op_attend.c - ways to turn numbers into shares: sparsemax, AttPool's local attention, and weights normalised by what
 * leaves and enters a node.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "math/fun.h"

#include <stdlib.h>
#include <string.h>

/* ---- sparsemax: p = max(z - tau, 0);  dz = dp - mean of dp over the support, on the support */
struct sparsemax {
    mp_mat *out, *u;
    const int *ptr;
    int segments;
};

static int falling(const void *a, const void *b)
{
    mp_real x = *(const mp_real *)a, y = *(const mp_real *)b;
    return (x < y) - (x > y);
}

/* tau of one group z - top, in sorted scratch. */
static mp_real threshold(mp_real *sorted, int n)
{
    qsort(sorted, (size_t)n, sizeof *sorted, falling);
    mp_real sum = 0, tau = 0;
    for (int r = 1; r <= n; r++) {
        sum += sorted[r - 1];
        if (1 + (mp_real)r * sorted[r - 1] > sum) tau = (sum - 1) / (mp_real)r;
    }
    return tau;
}

static void sparsemax_back(void *p, mp_ctx *c)
{
    struct sparsemax *a = p;
    (void)c;
    if (!a->out->live || !a->u->g) return;
    mp_real *du = mp_grad_zeroed(a->u);
    for (int s = 0; s < a->segments; s++) {
        mp_real sum = 0;
        int support = 0;
        for (int i = a->ptr[s]; i < a->ptr[s + 1]; i++) {
            if (!(a->out->v[i] > 0)) continue;
            sum += a->out->g[i];
            support++;
        }
        for (int i = a->ptr[s]; i < a->ptr[s + 1]; i++)
            if (a->out->v[i] > 0) du[i] += a->out->g[i] - sum / (mp_real)support;
    }
}

mp_mat *mp_sparsemax(mp_ctx *c, mp_mat *u, const int *ptr, int segments)
{
    mp_assert(u->cols == 1 && ptr[segments] == u->rows);
    mp_mat *out = mp_mat_new(c, u->rows, 1);
    mp_arena_mark here = mp_arena_here(c->arena);
    mp_real *sorted = MP_NEW_RAW(c->arena, mp_real, u->rows);
    for (int s = 0; s < segments; s++) {
        int from = ptr[s], n = ptr[s + 1] - from;
        if (n == 0) continue;
        mp_real top = u->v[from];
        for (int i = 1; i < n; i++) top = u->v[from + i] > top ? u->v[from + i] : top;
        for (int i = 0; i < n; i++) sorted[i] = u->v[from + i] - top;
        mp_real tau = threshold(sorted, n);
        for (int i = 0; i < n; i++) {
            mp_real z = u->v[from + i] - top - tau;
            out->v[from + i] = z > 0 ? z : 0;
        }
    }
    mp_arena_back(c->arena, here);
    MP_RECORD(c, sparsemax_back, struct sparsemax, out, u, ptr, segments);
    return out;
}

/* ---- local attention:  u = |tau| (z - top),  e = exp u,  S_i = e_i A_ii / den_i,  den_i = sum_j A_ij e_j + 1e-10
 *      du_i += dS_i S_i,   du_j -= sum_i dS_i S_i A_ij e_j / den_i,   dz = |tau| du,   dtau = sign(tau) sum du (z - top)
 * The largest gets -|tau| sum du besides: 0 but for the 1e-10, which matters where a neighbourhood is far below it. */
struct local {
    mp_mat *out, *z, *tau;
    const mp_graph *g;
    const mp_real *e, *den; /* N x D */
    const int *top;         /* B x D: the node with the largest z of its graph */
};

static void local_back(void *p, mp_ctx *c)
{
    struct local *a = p;
    if (!a->out->live) return;
    const mp_graph *g = a->g;
    int D = a->z->cols;
    size_t n = (size_t)a->z->rows * (size_t)D;
    mp_arena_mark here = mp_arena_here(c->arena);
    mp_real *du = MP_NEW(c->arena, mp_real, n), tau = a->tau->v[0], sum = 0;
    for (int v = 0; v < g->nodes; v++) {
        for (int d = 0; d < D; d++) {
            size_t i = (size_t)v * (size_t)D + (size_t)d;
            mp_real flow = a->out->g[i] * a->out->v[i];
            du[i] += flow;
            for (int k = g->row_ptr[v]; k < g->row_ptr[v + 1]; k++) {
                size_t j = (size_t)g->col[k] * (size_t)D + (size_t)d;
                du[j] -= flow * g->w->v[k] * a->e[j] / a->den[i];
            }
        }
    }
    mp_real *dz = mp_grad_zeroed(a->z), *dtau = mp_grad_zeroed(a->tau), size = tau < 0 ? -tau : tau;
    for (int b = 0; b < g->graphs; b++) {
        for (int d = 0; d < D && g->node_ptr[b] < g->node_ptr[b + 1]; d++) {
            size_t top = (size_t)a->top[(size_t)b * (size_t)D + (size_t)d] * (size_t)D + (size_t)d;
            mp_real total = 0;
            for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
                size_t i = (size_t)v * (size_t)D + (size_t)d;
                if (dz) dz[i] += size * du[i];
                sum += du[i] * (a->z->v[i] - a->z->v[top]);
                total += du[i];
            }
            if (dz) dz[top] -= size * total;
        }
    }
    if (dtau) dtau[0] += tau < 0 ? -sum : sum;
    mp_arena_back(c->arena, here);
}

mp_mat *mp_local_att(mp_ctx *c, const mp_graph *g, mp_mat *z, mp_mat *tau)
{
    mp_assert(g->w != NULL && z->rows == g->nodes);
    int D = z->cols;
    size_t n = (size_t)z->rows * (size_t)D;
    mp_mat *out = mp_mat_new(c, z->rows, D);
    mp_real *e = MP_NEW_RAW(c->arena, mp_real, n), *den = MP_NEW(c->arena, mp_real, n);
    int *top = MP_NEW_RAW(c->arena, int, (size_t)g->graphs *(size_t)D);
    mp_real size = tau->v[0] < 0 ? -tau->v[0] : tau->v[0];
    for (int b = 0; b < g->graphs; b++) {
        for (int d = 0; d < D; d++) {
            int most = g->node_ptr[b];
            for (int v = most; v < g->node_ptr[b + 1]; v++)
                if (z->v[(size_t)v * (size_t)D + (size_t)d] > z->v[(size_t)most * (size_t)D + (size_t)d]) most = v;
            top[(size_t)b * (size_t)D + (size_t)d] = most;
            for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
                size_t i = (size_t)v * (size_t)D + (size_t)d;
                e[i] = exp1(size * (z->v[i] - z->v[(size_t)most * (size_t)D + (size_t)d]));
            }
        }
    }
    for (int v = 0; v < g->nodes; v++) {
        for (int d = 0; d < D; d++) {
            size_t i = (size_t)v * (size_t)D + (size_t)d;
            mp_real own = 0;
            for (int k = g->row_ptr[v]; k < g->row_ptr[v + 1]; k++) {
                den[i] += g->w->v[k] * e[(size_t)g->col[k] * (size_t)D + (size_t)d];
                if (g->col[k] == v) own = g->w->v[k];
            }
            den[i] += (mp_real)1e-10;
            out->v[i] = e[i] * own / den[i];
        }
    }
    MP_RECORD(c, local_back, struct local, out, z, tau, g, e, den, top);
    return out;
}

/* ---- edge_norm: w' = s_i w_ij s_j.  With G the gradient of w' and d = the sums:
 *      dd_i = -(1/(2 d_i)) (sum_j G_ij w'_ij + sum_m G_mi w'_mi),   dw_ij = G_ij s_i s_j + dd_i     (math.md 3.7) */
/* A cluster that almost nothing is assigned to counts as isolated: its factor would be 10^5, and what flows back through
 * two levels of such factors does not fit into a float (RepPool on PROTEINS met infinity after a dozen epochs). */
#define EMPTY ((mp_real)1e-8)

struct edge_norm {
    mp_mat *out;
    const mp_graph *g;
    const mp_real *s;
};

static void edge_norm_back(void *p, mp_ctx *c)
{
    struct edge_norm *a = p;
    const mp_graph *g = a->g;
    if (!a->out->live || !g->w->g) return;
    mp_arena_mark here = mp_arena_here(c->arena);
    mp_real *dd = MP_NEW(c->arena, mp_real, g->nodes), *dw = mp_grad_zeroed(g->w);
    const mp_real *G = a->out->g, *y = a->out->v;
    for (int v = 0; v < g->nodes; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) dd[v] += G[e] * y[e] + G[g->rev[e]] * y[g->rev[e]];
        dd[v] *= (mp_real)-0.5 * a->s[v] * a->s[v];
    }
    for (int v = 0; v < g->nodes; v++) /* edge e enters v and leaves col[e], whose sum it is part of */
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            dw[e] += G[e] * a->s[v] * a->s[g->col[e]] + dd[g->col[e]];
    mp_arena_back(c->arena, here);
}

mp_mat *mp_edge_norm(mp_ctx *c, const mp_graph *g)
{
    mp_assert(g->w != NULL);
    mp_mat *out = mp_mat_new(c, g->edges, 1);
    mp_real *s = MP_NEW(c->arena, mp_real, g->nodes);
    for (int v = 0; v < g->nodes; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) s[v] += g->w->v[g->rev[e]];
        s[v] = s[v] > EMPTY ? (mp_real)(1 / sqrt((double)(s[v] + (mp_real)1e-10))) : 0;
    }
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) out->v[e] = s[v] * g->w->v[e] * s[g->col[e]];
    MP_RECORD(c, edge_norm_back, struct edge_norm, out, g, s);
    return out;
}
