/* dense_convs.c - see dense_convs.h.
 * SPDX-License-Identifier: MIT */
#include "dense_convs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64 /* nodes, channels */

typedef double matrix[MOST][MOST];

static void times(matrix out, matrix a, int rows, int mid, const double *w, int cols)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            out[i][j] = 0;
            for (int k = 0; k < mid; k++) out[i][j] += a[i][k] * w[k * cols + j];
        }
}

static void input(matrix x, const dense_graph *g)
{
    for (int v = 0; v < g->n; v++)
        for (int k = 0; k < g->in; k++) x[v][k] = g->x[v * g->in + k];
}

static void add_bias(matrix y, const dense_graph *g, const char *name)
{
    const double *b = g->weight(g->from, name);
    for (int v = 0; v < g->n; v++)
        for (int k = 0; k < g->out; k++) y[v][k] += b[k];
}

/* out = P X W of the named weight. */
static void propagate(matrix out, const dense_graph *g, matrix p, const char *weight)
{
    static matrix x, z;
    input(x, g);
    times(z, x, g->n, g->in, g->weight(g->from, weight), g->out);
    for (int i = 0; i < g->n; i++)
        for (int k = 0; k < g->out; k++) {
            out[i][k] = 0;
            for (int j = 0; j < g->n; j++) out[i][k] += p[i][j] * z[j][k];
        }
}

static void add_to(matrix y, const dense_graph *g, matrix other, double factor)
{
    for (int v = 0; v < g->n; v++)
        for (int k = 0; k < g->out; k++) y[v][k] += factor * other[v][k];
}

static void identity(matrix p, int n)
{
    memset(p, 0, sizeof(matrix));
    for (int i = 0; i < n; i++) p[i][i] = 1;
}

/* A, or its pattern; with the loops that are missing; or without any. */
enum { LOOPS_AS_THEY_ARE, LOOPS_ADDED, LOOPS_GONE };
static void adjacency(matrix p, const dense_graph *g, int weighted, int loops)
{
    memset(p, 0, sizeof(matrix));
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++) {
            int on = g->on[i * g->n + j];
            if (i == j && loops == LOOPS_GONE) continue;
            if (on) p[i][j] = weighted ? g->a[i * g->n + j] : 1;
            if (i == j && loops == LOOPS_ADDED && !on) p[i][j] = 1;
        }
}

static void symmetric(matrix p, int n)
{
    double s[MOST];
    for (int i = 0; i < n; i++) {
        double d = 0;
        for (int j = 0; j < n; j++) d += p[i][j];
        s[i] = d > 0 ? 1 / sqrt(d) : 0;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) p[i][j] *= s[i] * s[j];
}

static void over_count(matrix p, const dense_graph *g)
{
    for (int i = 0; i < g->n; i++) {
        int count = 0;
        for (int j = 0; j < g->n; j++) count += g->on[i * g->n + j];
        for (int j = 0; j < g->n && count; j++) p[i][j] /= count;
    }
}

static void gcn(const dense_graph *g, matrix y)
{
    static matrix p;
    adjacency(p, g, 1, LOOPS_ADDED);
    symmetric(p, g->n);
    propagate(y, g, p, "lin.weight");
    add_bias(y, g, "bias");
}

static void gcn_raw(const dense_graph *g, matrix y)
{
    static matrix p;
    adjacency(p, g, 1, LOOPS_AS_THEY_ARE);
    propagate(y, g, p, "lin.weight");
}

static void gcn_noloop(const dense_graph *g, matrix y)
{
    gcn_raw(g, y);
    add_bias(y, g, "bias");
}

static void near_and_root(const dense_graph *g, matrix p, const char *near, const char *bias, const char *root,
                          matrix y)
{
    static matrix own, own_y;
    propagate(y, g, p, near);
    add_bias(y, g, bias);
    identity(own, g->n);
    propagate(own_y, g, own, root);
    add_to(y, g, own_y, 1);
}

static void graphconv(const dense_graph *g, matrix y)
{
    static matrix p;
    adjacency(p, g, 1, LOOPS_AS_THEY_ARE);
    near_and_root(g, p, "lin_rel.weight", "lin_rel.bias", "lin_root.weight", y);
}

static void graphconv_mean(const dense_graph *g, matrix y)
{
    static matrix p;
    adjacency(p, g, 1, LOOPS_AS_THEY_ARE);
    over_count(p, g);
    near_and_root(g, p, "lin_rel.weight", "lin_rel.bias", "lin_root.weight", y);
}

static void sage(const dense_graph *g, matrix y)
{
    static matrix p;
    adjacency(p, g, 0, LOOPS_AS_THEY_ARE);
    over_count(p, g);
    near_and_root(g, p, "lin_l.weight", "lin_l.bias", "lin_r.weight", y);
}

static void gin(const dense_graph *g, matrix y)
{
    static matrix p, h;
    adjacency(p, g, 0, LOOPS_AS_THEY_ARE);
    for (int i = 0; i < g->n; i++) p[i][i] += 1;
    propagate(h, g, p, "nn.0.weight");
    add_bias(h, g, "nn.0.bias");
    for (int i = 0; i < g->n; i++)
        for (int k = 0; k < g->out; k++) h[i][k] = fmax(h[i][k], 0);
    times(y, h, g->n, g->out, g->weight(g->from, "nn.2.weight"), g->out);
    add_bias(y, g, "nn.2.bias");
}

static void gat(const dense_graph *g, matrix y)
{
    static matrix p, z;
    const double *src = g->weight(g->from, "att_src"), *dst = g->weight(g->from, "att_dst");
    identity(p, g->n);
    propagate(z, g, p, "lin.weight");
    adjacency(p, g, 0, LOOPS_ADDED);
    for (int i = 0; i < g->n; i++) {
        double sum = 0;
        for (int j = 0; j < g->n; j++) {
            double u = 0;
            for (int k = 0; k < g->out; k++) u += dst[k] * z[i][k] + src[k] * z[j][k];
            p[i][j] = p[i][j] > 0 ? exp(u > 0 ? u : 0.2 * u) : 0;
            sum += p[i][j];
        }
        for (int j = 0; j < g->n; j++) p[i][j] /= sum;
    }
    propagate(y, g, p, "lin.weight");
    add_bias(y, g, "bias");
}

static void cheb(const dense_graph *g, matrix y)
{
    static matrix p, far;
    identity(p, g->n);
    propagate(y, g, p, "lins.0.weight");
    adjacency(p, g, 1, LOOPS_GONE);
    symmetric(p, g->n);
    propagate(far, g, p, "lins.1.weight");
    add_to(y, g, far, -1);
    add_bias(y, g, "bias");
}

/* Knyazev's layer as it is written: polynomials of X side by side, then one or two maps. */
static void chebygin(const dense_graph *g, matrix y)
{
    static matrix p, t[3], z;
    int K = g->order ? g->order : 2;
    double degree[MOST];
    adjacency(p, g, 0, LOOPS_GONE);
    for (int i = 0; i < g->n; i++) {
        degree[i] = 0;
        for (int j = 0; j < g->n; j++) degree[i] += p[i][j];
    }
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++) p[i][j] *= -1 / sqrt((degree[i] + 1e-5) * (degree[j] + 1e-5));
    memset(y, 0, sizeof(matrix));
    for (int q = 0; q < K; q++) {
        char name[32];
        snprintf(name, sizeof name, "lins.%d.weight", q);
        if (q == 0) input(t[0], g);
        for (int i = 0; q > 0 && i < g->n; i++)
            for (int k = 0; k < g->in; k++) {
                double sum = 0;
                for (int j = 0; j < g->n; j++) sum += p[i][j] * t[(q - 1) % 3][j][k];
                t[q % 3][i][k] = q == 1 ? sum : 2 * sum - t[(q - 2) % 3][i][k];
            }
        times(z, t[q % 3], g->n, g->in, g->weight(g->from, name), g->out);
        for (int i = 0; i < g->n; i++)
            for (int k = 0; k < g->out; k++) y[i][k] += (q && g->sum ? degree[i] : 1) * z[i][k];
    }
    add_bias(y, g, "bias");
    if (g->layers < 2) return;
    for (int i = 0; i < g->n; i++)
        for (int k = 0; k < g->out; k++) z[i][k] = fmax(y[i][k], 0);
    times(y, z, g->n, g->out, g->weight(g->from, "nn.2.weight"), g->out);
    add_bias(y, g, "nn.2.bias");
}

/* x_i W_3 + b_3 + sum over edges of w (root_sign ROOT_i + near_sign NEAR_j), b_1 always with W_1. */
static void leconv(const dense_graph *g, matrix y, int first_is_root, double two_sign)
{
    static matrix own, one, two;
    identity(own, g->n);
    propagate(one, g, own, "lin1.weight");
    add_bias(one, g, "lin1.bias");
    propagate(two, g, own, "lin2.weight");
    propagate(y, g, own, "lin3.weight");
    add_bias(y, g, "lin3.bias");
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            for (int k = 0; k < g->out; k++)
                y[i][k] += g->a[i * g->n + j] *
                           (first_is_root ? one[i][k] + two_sign * two[j][k] : one[j][k] + two_sign * two[i][k]);
}

static void le_1(const dense_graph *g, matrix y)
{
    leconv(g, y, 1, -1);
}

static void le_2(const dense_graph *g, matrix y)
{
    leconv(g, y, 0, -1);
}

static void le_authors(const dense_graph *g, matrix y)
{
    leconv(g, y, 1, 1);
}

/* q_ij = e_ij W_e, `width` numbers. */
static void edge_term(const dense_graph *g, int i, int j, int width, double *q)
{
    const double *w = g->weight(g->from, "edge.weight"), *e = g->e + (i * g->n + j) * g->edge_in;
    for (int k = 0; k < width; k++) {
        q[k] = 0;
        for (int c = 0; c < g->edge_in; c++) q[k] += e[c] * w[c * width + k];
    }
}

/* h_i += sum over edges of ReLU(x_j + q_ij). */
static void add_messages(const dense_graph *g, matrix h)
{
    double q[MOST];
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++) {
            if (!g->on[i * g->n + j]) continue;
            edge_term(g, i, j, g->in, q);
            for (int k = 0; k < g->in; k++) h[i][k] += fmax(g->x[j * g->in + k] + q[k], 0);
        }
}

static void gine(const dense_graph *g, matrix y)
{
    static matrix h, first;
    input(h, g);
    add_messages(g, h);
    times(first, h, g->n, g->in, g->weight(g->from, "nn.0.weight"), g->out);
    add_bias(first, g, "nn.0.bias");
    for (int i = 0; i < g->n; i++)
        for (int k = 0; k < g->out; k++) first[i][k] = fmax(first[i][k], 0);
    times(y, first, g->n, g->out, g->weight(g->from, "nn.2.weight"), g->out);
    add_bias(y, g, "nn.2.bias");
}

static void ogb_gcn(const dense_graph *g, matrix y)
{
    static matrix own, z;
    double degree[MOST], q[MOST];
    const double *root = g->weight(g->from, "root_emb.weight");
    identity(own, g->n);
    propagate(z, g, own, "linear.weight");
    add_bias(z, g, "linear.bias");
    for (int i = 0; i < g->n; i++) {
        degree[i] = 1;
        for (int j = 0; j < g->n; j++) degree[i] += g->on[j * g->n + i];
    }
    for (int i = 0; i < g->n; i++) {
        for (int k = 0; k < g->out; k++) y[i][k] = fmax(z[i][k] + root[k], 0) / degree[i];
        for (int j = 0; j < g->n; j++) {
            if (!g->on[i * g->n + j]) continue;
            edge_term(g, i, j, g->out, q);
            for (int k = 0; k < g->out; k++) y[i][k] += fmax(z[j][k] + q[k], 0) / sqrt(degree[i] * degree[j]);
        }
    }
}

/* BatchNorm in training: over the n rows, with their own mean and variance. */
static void ogb_gin(const dense_graph *g, matrix y)
{
    static matrix h, first;
    int wide = 2 * g->out;
    const double *eps = g->weight(g->from, "eps"), *bias = g->weight(g->from, "mlp.0.bias");
    const double *gamma = g->weight(g->from, "mlp.1.weight"), *beta = g->weight(g->from, "mlp.1.bias");
    input(h, g);
    for (int i = 0; i < g->n; i++)
        for (int k = 0; k < g->in; k++) h[i][k] *= 1 + eps[0];
    add_messages(g, h);
    times(first, h, g->n, g->in, g->weight(g->from, "mlp.0.weight"), wide);
    for (int k = 0; k < wide; k++) {
        double mean = 0, var = 0;
        for (int i = 0; i < g->n; i++) mean += (first[i][k] += bias[k]) / g->n;
        for (int i = 0; i < g->n; i++) var += (first[i][k] - mean) * (first[i][k] - mean) / g->n;
        for (int i = 0; i < g->n; i++)
            first[i][k] = fmax(gamma[k] * (first[i][k] - mean) / sqrt(var + 1e-5) + beta[k], 0);
    }
    times(y, first, g->n, wide, g->weight(g->from, "mlp.3.weight"), g->out);
    add_bias(y, g, "mlp.3.bias");
}

int dense_conv(const char *name, const dense_graph *g, double *y)
{
    static const struct {
        const char *name;
        void (*run)(const dense_graph *g, matrix y);
    } rows[] = { { "gcn", gcn },
                 { "gcn-raw", gcn_raw },
                 { "gcn-noloop", gcn_noloop },
                 { "graphconv", graphconv },
                 { "graphconv-mean", graphconv_mean },
                 { "sage", sage },
                 { "gin", gin },
                 { "gat", gat },
                 { "cheb", cheb },
                 { "leconv", le_1 },
                 { "leconv-pyg", le_2 },
                 { "leconv-authors", le_authors },
                 { "gine", gine },
                 { "ogb-gcn", ogb_gcn },
                 { "ogb-gin", ogb_gin },
                 { "chebygin", chebygin } };
    static matrix out;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        rows[i].run(g, out);
        for (int v = 0; v < g->n; v++)
            for (int k = 0; k < g->out; k++) y[v * g->out + k] = out[v][k];
        return 1;
    }
    return 0;
}
