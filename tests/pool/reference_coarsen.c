/* reference_coarsen.c - the coarseners of the reference (reference.h). Matrices here are [i][j] = what goes
 * from j to i.
 * SPDX-License-Identifier: MIT */
#include "reference.h"

#include <math.h>
#include <string.h>

/* h gated copies of a row side by side (4.1). */
static void copies(const ref_work *k, int v, double *out)
{
    int C = k->in->c;
    for (int j = 0; j < k->in->h; j++)
        for (int c = 0; c < C; c++) out[j * C + c] = k->x[v][c] * k->gate[v][j];
}

static void gate_kept(ref_work *k)
{
    ref_result *o = k->out;
    o->cols = k->gated ? k->in->c * k->in->h : k->in->c;
    for (int q = 0; q < o->k; q++) {
        if (k->gated)
            copies(k, o->keep[q], o->x[q]);
        else
            memcpy(o->x[q], k->x[o->keep[q]], sizeof o->x[q]);
    }
}

static void set_edges(ref_result *o, ref_square a)
{
    o->g.weighted = true;
    for (int p = 0; p < o->k; p++) {
        for (int q = 0; q < o->k; q++) {
            o->g.w[p][q] = a[p][q];
            o->g.edge[p][q] = a[p][q] != 0 || a[q][p] != 0;
        }
    }
}

void ref_coarsen_induced(ref_work *k)
{
    ref_result *o = k->out;
    o->g.weighted = k->in->g.weighted;
    for (int p = 0; p < o->k; p++) {
        for (int q = 0; q < o->k; q++) {
            o->g.w[p][q] = k->in->g.w[o->keep[p]][o->keep[q]];
            o->g.edge[p][q] = k->in->g.edge[o->keep[p]][o->keep[q]];
        }
    }
    gate_kept(k);
}

/* T A T^T for T k x n. */
static void squeeze(ref_work *k, ref_square t, ref_square a)
{
    int n = k->in->g.n, K = k->out->k;
    ref_square half, out;
    for (int p = 0; p < K; p++) {
        for (int j = 0; j < n; j++) {
            half[p][j] = 0;
            for (int i = 0; i < n; i++) half[p][j] += t[p][i] * a[i][j];
        }
    }
    for (int p = 0; p < K; p++) {
        for (int q = 0; q < K; q++) {
            out[p][q] = 0;
            for (int j = 0; j < n; j++) out[p][q] += half[p][j] * t[q][j];
        }
    }
    set_edges(k->out, out);
}

/* X' = T (X * S), copies side by side. */
static void collect(ref_work *k, ref_square t)
{
    ref_result *o = k->out;
    o->cols = k->in->c * k->in->h;
    for (int v = 0; v < k->in->g.n; v++) {
        double row[REF_COLS];
        copies(k, v, row);
        for (int q = 0; q < o->k; q++)
            for (int c = 0; c < o->cols; c++) o->x[q][c] += t[q][v] * row[c];
    }
}

void ref_coarsen_att(ref_work *k)
{
    const ref_case *in = k->in;
    const ref_result *o = k->out;
    ref_square a, t;
    ref_hat(&in->g, a);
    for (int u = 0; u < in->g.n; u++) {
        double sum = 0;
        for (int q = 0; q < o->k; q++) sum += a[o->keep[q]][u];
        for (int q = 0; q < o->k; q++) {
            double entry = a[o->keep[q]][u];
            t[q][u] = in->o.raw ? (in->g.weighted ? entry : entry > 0) : entry / (sum + 1e-10);
        }
    }
    squeeze(k, t, a);
    collect(k, t);
}

/* e_ij of 3.5 over the candidates of row i, then shares; [j][i] of the result is the message i -> j. */
void ref_coarsen_hgpsl(ref_work *k)
{
    const ref_case *in = k->in;
    ref_result *o = k->out;
    const double *a = ref_weight(k, "a");
    double lambda = in->o.lambda < 0 ? 1 : in->o.lambda;
    int hops[REF_NODES][REF_NODES], reach = in->o.hops ? in->o.hops : 3;
    ref_square out = { { 0 } };
    gate_kept(k);
    ref_hops(&in->g, hops);
    for (int b = 0; b < in->g.graphs; b++) {
        for (int i = o->ptr[b]; i < o->ptr[b + 1]; i++) {
            double e[REF_NODES];
            int which[REF_NODES], n = 0;
            for (int j = o->ptr[b]; j < o->ptr[b + 1]; j++) {
                int far = hops[o->keep[i]][o->keep[j]];
                if (in->o.sampled && (far < 0 || far > reach)) continue;
                double s = 0;
                for (int c = 0; c < o->cols; c++) s += a[c] * o->x[i][c] + a[o->cols + c] * o->x[j][c];
                e[n] = ref_leaky(k, s) + lambda * in->g.w[o->keep[j]][o->keep[i]];
                which[n++] = j;
            }
            if (in->o.soft)
                ref_softmax(e, n);
            else
                ref_sparsemax(k, e, n);
            for (int j = 0; j < n; j++) out[which[j]][i] = e[j];
        }
    }
    set_edges(o, out);
}

void ref_coarsen_vip(ref_work *k)
{
    const ref_case *in = k->in;
    ref_result *o = k->out;
    if (in->o.induced) {
        ref_coarsen_induced(k);
        return;
    }
    ref_square a, t = { { 0 } }, plain;
    ref_loops(&in->g, a);
    memcpy(plain, in->g.w, sizeof plain);
    for (int q = 0; q < o->k; q++) {
        int v = o->keep[q], b = ref_graph_of(&in->g, v), which[REF_NODES], n = 0;
        double e[REF_NODES];
        for (int u = in->g.ptr[b]; u < in->g.ptr[b + 1]; u++) {
            if (!in->o.literal && u != v && !in->g.edge[v][u]) continue;
            e[n] = a[v][u];
            which[n++] = u;
        }
        ref_softmax(e, n);
        for (int i = 0; i < n; i++) t[q][which[i]] = e[i];
    }
    squeeze(k, t, plain);
    gate_kept(k);
}

/* T of 3.7, [q][v]: what node v gives to kept node q. */
static void assign(ref_work *k, ref_square a, ref_square t)
{
    const ref_case *in = k->in;
    const ref_result *o = k->out;
    const double *w = ref_weight(k, "W_b");
    double second = in->o.lambda < 0 ? 0.1 : in->o.lambda;
    ref_square twice;
    ref_product(in->g.n, a, a, twice);
    for (int v = 0; v < in->g.n; v++) {
        int b = ref_graph_of(&in->g, v), which[REF_NODES], n = 0;
        double e[REF_NODES];
        for (int q = o->ptr[b]; q < o->ptr[b + 1]; q++) {
            int u = o->keep[q];
            double m = (a[v][u] > 0) + second * (twice[v][u] > 0), s = 0;
            if (m == 0) continue;
            for (int c = 0; c < in->c; c++)
                for (int d = 0; d < in->c; d++) s += in->x[v][c] * w[c * in->c + d] * in->x[u][d];
            e[n] = s * m;
            which[n++] = q;
        }
        if (n) ref_softmax(e, n);
        for (int i = 0; i < n; i++) t[which[i]][v] = e[i];
        for (int q = o->ptr[b]; n == 0 && q < o->ptr[b + 1]; q++) t[q][v] = 1.0 / (o->ptr[b + 1] - o->ptr[b]);
    }
}

void ref_coarsen_rep(ref_work *k)
{
    ref_result *o = k->out;
    ref_square a, t = { { 0 } }, out;
    double d[REF_NODES];
    ref_hat(&k->in->g, a);
    assign(k, a, t);
    squeeze(k, t, a);
    for (int p = 0; p < o->k; p++) { /* the sum of what leaves p */
        d[p] = 1e-10;
        for (int q = 0; q < o->k; q++) d[p] += o->g.w[q][p];
    }
    for (int p = 0; p < o->k; p++)
        for (int q = 0; q < o->k; q++) out[p][q] = o->g.w[p][q] / sqrt(d[p] * d[q]);
    set_edges(o, out);
    collect(k, t);
}

void ref_coarsen_ug(ref_work *k)
{
    const ref_case *in = k->in;
    ref_result *o = k->out;
    ref_square a, twice, out = { { 0 } };
    memcpy(a, in->g.w, sizeof a);
    for (int i = 0; in->o.after && i < in->g.n; i++) { /* only paths through kept nodes */
        bool kept = false;
        for (int q = 0; q < o->k; q++) kept |= o->keep[q] == i;
        for (int j = 0; !kept && j < in->g.n; j++) a[i][j] = a[j][i] = 0;
    }
    ref_product(in->g.n, a, a, twice);
    for (int p = 0; p < o->k; p++) {
        for (int q = 0; q < o->k; q++) {
            if (p == q) continue;
            out[p][q] = a[o->keep[p]][o->keep[q]] + twice[o->keep[p]][o->keep[q]];
            if (in->o.binary) out[p][q] = out[p][q] > 0;
        }
    }
    set_edges(o, out);
    gate_kept(k);
}

void ref_coarsen_ipool(ref_work *k)
{
    const ref_case *in = k->in;
    ref_result *o = k->out;
    double lambda = in->o.lambda < 0 ? 0.5 : in->o.lambda;
    ref_square a, out = { { 0 } };
    ref_loops(&in->g, a);
    for (int p = 0; p < o->k; p++) {
        for (int q = 0; q < o->k; q++) {
            int u = o->keep[p], v = o->keep[q];
            double both = 0, own = 0, other = 0;
            for (int i = 0; i < in->g.n; i++) {
                bool near_u = i == u || in->g.edge[u][i], near_v = i == v || in->g.edge[v][i];
                both += near_u && near_v;
                own += near_u;
                other += near_v;
            }
            double share = in->o.cosine ? both / sqrt(own * other) : both / (own + other - both);
            out[p][q] = lambda * a[u][v] + (1 - lambda) * share;
        }
    }
    set_edges(o, out);
    gate_kept(k);
}
