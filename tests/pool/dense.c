/* dense.c - see dense.h. Numbers in brackets are sections of the method's specification.
 * SPDX-License-Identifier: MIT */
#include "dense.h"

#include <math.h>
#include <string.h>

typedef double rows[DENSE_NODES][DENSE_COLS];
typedef double square[DENSE_NODES][DENSE_NODES];

/* Y = X W + b, W [in][out], b may be NULL (2.1). */
static void linear(int n, int in, int out, rows x, const double *w, const double *b, rows y)
{
    for (int i = 0; i < n; i++) {
        for (int o = 0; o < out; o++) {
            double s = b ? b[o] : 0;
            for (int k = 0; k < in; k++) s += x[i][k] * w[k * out + o];
            y[i][o] = s;
        }
    }
}

/* Adds missing self loops of weight 1. */
static dense_graph with_loops(const dense_graph *g)
{
    dense_graph a = *g;
    for (int i = 0; i < g->n; i++) {
        if (a.edge[i][i]) continue;
        a.edge[i][i] = true;
        a.w[i][i] = 1;
    }
    return a;
}

/* Y = D^-1/2 A D^-1/2 X Theta + b with self loops (2.2). */
static void gcn(const dense_graph *g, int in, int out, rows x, const double *theta, const double *b, rows y)
{
    dense_graph a = with_loops(g);
    double d[DENSE_NODES] = { 0 };
    rows z;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++) d[i] += a.w[i][j];
    linear(g->n, in, out, x, theta, NULL, z);
    for (int i = 0; i < g->n; i++) {
        for (int o = 0; o < out; o++) {
            y[i][o] = b[o];
            for (int j = 0; j < g->n; j++) y[i][o] += a.w[i][j] / sqrt(d[i] * d[j]) * z[j][o];
        }
    }
}

/* With a threshold each column of scores becomes a softmax over the graph (1.3). */
static void softmax(const dense_case *in, rows r)
{
    for (int j = 0; in->min_score > 0 && j < in->h; j++) {
        double sum = 0;
        for (int i = 0; i < in->g.n; i++) sum += exp(r[i][j]);
        for (int i = 0; i < in->g.n; i++) r[i][j] = exp(r[i][j]) / sum;
    }
}

/* How many keys are above min(threshold, largest - 1e-7). */
static int above(const dense_case *in, const double *key)
{
    double most = key[0];
    int count = 0;
    for (int i = 1; i < in->g.n; i++) most = fmax(most, key[i]);
    for (int i = 0; i < in->g.n; i++) count += key[i] > fmin(in->min_score, most - 1e-7);
    return count;
}

static void select_nodes(const dense_case *in, rows r, dense_result *out)
{
    int n = in->g.n;
    double terms = in->min_score > 0 ? in->h : 1; /* a threshold judges means over the columns */
    bool taken[DENSE_NODES] = { false };
    for (int i = 0; i < n; i++) {
        double key = in->combine == DENSE_MAX ? -1e300 : 0;
        for (int j = 0; j < in->h; j++) {
            double f = in->flip ? fabs(r[i][j]) : r[i][j];
            if (in->combine == DENSE_SUM) key += f / terms;
            if (in->combine == DENSE_MAX) key = fmax(key, f);
            if (in->combine == DENSE_L2) key += f * f / terms;
        }
        out->key[i] = in->combine == DENSE_L2 ? sqrt(key) : key;
    }
    out->k = in->min_score > 0 ? above(in, out->key) : (int)ceil(in->ratio * n - 1e-9);
    if (out->k < 1) out->k = 1;
    for (int q = 0; q < out->k; q++) {
        int best = -1;
        for (int i = 0; i < n; i++)
            if (!taken[i] && (best < 0 || out->key[i] > out->key[best])) best = i;
        taken[best] = true;
        out->keep[q] = best;
    }
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double identity(double x)
{
    return x;
}

static double leaky(double x)
{
    return x > 0 ? x : 0.2 * x;
}

/* h gated copies side by side (4.1). */
static void gate(const dense_case *in, rows x, rows r, double (*f)(double), dense_result *out)
{
    out->cols = in->c * in->h;
    for (int q = 0; q < out->k; q++)
        for (int j = 0; j < in->h; j++)
            for (int c = 0; c < in->c; c++) out->x[q][j * in->c + c] = x[out->keep[q]][c] * f(r[out->keep[q]][j]);
}

static void induced(const dense_case *in, dense_result *out)
{
    out->g.n = out->k;
    for (int p = 0; p < out->k; p++) {
        for (int q = 0; q < out->k; q++) {
            out->g.edge[p][q] = in->g.edge[out->keep[p]][out->keep[q]];
            out->g.w[p][q] = in->g.w[out->keep[p]][out->keep[q]];
        }
    }
}

static const double *weight(const dense_case *in, const char *name)
{
    return in->weight(in->from, name);
}

static void copy_x(const dense_case *in, rows x)
{
    memcpy(x, in->x, sizeof in->x);
}

/* 3.1 */
static void topk(const dense_case *in, dense_result *out)
{
    rows x, r;
    const double *p = weight(in, "P");
    copy_x(in, x);
    for (int j = 0; j < in->h; j++) {
        double norm = 0;
        for (int c = 0; c < in->c; c++) norm += p[c * in->h + j] * p[c * in->h + j];
        if (in->min_score > 0) norm = 1;
        for (int i = 0; i < in->g.n; i++) {
            r[i][j] = 0;
            for (int c = 0; c < in->c; c++) r[i][j] += x[i][c] * p[c * in->h + j] / sqrt(norm);
        }
    }
    softmax(in, r);
    select_nodes(in, r, out);
    gate(in, x, r, in->min_score > 0 ? identity : tanh, out);
    induced(in, out);
}

/* 3.2 */
static void sag(const dense_case *in, dense_result *out)
{
    rows x, r;
    copy_x(in, x);
    gcn(&in->g, in->c, in->h, x, weight(in, "gcn.lin.weight"), weight(in, "gcn.bias"), r);
    softmax(in, r);
    select_nodes(in, r, out);
    gate(in, x, r, in->min_score > 0 ? identity : tanh, out);
    induced(in, out);
}

/* 3.9 */
static void gsa(const dense_case *in, dense_result *out)
{
    rows x, structure, feature, fused;
    copy_x(in, x);
    gcn(&in->g, in->c, in->h, x, weight(in, "gcn.lin.weight"), weight(in, "gcn.bias"), structure);
    linear(in->g.n, in->c, in->h, x, weight(in, "mlp.weight"), weight(in, "mlp.bias"), feature);
    for (int i = 0; i < in->g.n; i++)
        for (int j = 0; j < in->h; j++)
            structure[i][j] = in->alpha * tanh(structure[i][j]) + (1 - in->alpha) * tanh(feature[i][j]);
    gcn(&in->g, in->c, in->c, x, weight(in, "fuse.lin.weight"), weight(in, "fuse.bias"), fused);
    select_nodes(in, structure, out);
    gate(in, fused, structure, identity, out);
    induced(in, out);
}

/* LEConv of PyG 1.7.2 on the looped graph, weights ignored (2.5). */
static void leconv(const dense_case *in, const dense_graph *a, rows x, rows y)
{
    rows one, two, three;
    linear(a->n, in->c, in->h, x, weight(in, "gnn_score.lin1.weight"), weight(in, "gnn_score.lin1.bias"), one);
    linear(a->n, in->c, in->h, x, weight(in, "gnn_score.lin2.weight"), NULL, two);
    linear(a->n, in->c, in->h, x, weight(in, "gnn_score.lin3.weight"), weight(in, "gnn_score.lin3.bias"), three);
    for (int i = 0; i < a->n; i++) {
        for (int o = 0; o < in->h; o++) {
            y[i][o] = three[i][o];
            for (int j = 0; j < a->n; j++)
                if (a->edge[i][j]) y[i][o] += one[i][o] - two[j][o];
        }
    }
}

/* alpha_ij of 3.4, steps 3 and 4. */
static void memberships(const dense_case *in, const dense_graph *a, rows x, square alpha)
{
    rows most, m;
    const double *att = weight(in, "att.weight"), *bias = weight(in, "att.bias");
    int C = in->c;
    for (int i = 0; i < a->n; i++) {
        for (int c = 0; c < C; c++) {
            most[i][c] = -1e300;
            for (int j = 0; j < a->n; j++)
                if (a->edge[i][j]) most[i][c] = fmax(most[i][c], x[j][c]);
        }
    }
    linear(a->n, C, C, most, weight(in, "lin.weight"), weight(in, "lin.bias"), m);
    for (int i = 0; i < a->n; i++) {
        double sum = 0;
        for (int j = 0; j < a->n; j++) {
            alpha[i][j] = 0;
            if (!a->edge[i][j]) continue;
            double u = bias[0];
            for (int c = 0; c < C; c++) u += att[c] * m[i][c] + att[C + c] * x[j][c];
            alpha[i][j] = exp(leaky(u));
            sum += alpha[i][j];
        }
        for (int j = 0; j < a->n; j++) alpha[i][j] /= sum;
    }
}

/* A'[p -> q] = sum over j, l of S[j,p] W[j -> l] S[l,q], without a diagonal. */
static void coarsen(const dense_graph *a, square alpha, dense_result *out)
{
    out->g.n = out->k;
    for (int p = 0; p < out->k; p++) {
        for (int q = 0; q < out->k; q++) {
            double s = 0;
            for (int j = 0; j < a->n; j++)
                for (int l = 0; l < a->n; l++) s += alpha[out->keep[p]][j] * a->w[l][j] * alpha[out->keep[q]][l];
            if (p == q) s = 0;
            out->g.w[q][p] = s;
            out->g.edge[q][p] = s > 0;
        }
    }
}

/* 3.4 */
static void asap(const dense_case *in, dense_result *out)
{
    dense_graph a = with_loops(&in->g);
    square alpha;
    rows x, cluster, r;
    copy_x(in, x);
    memberships(in, &a, x, alpha);
    for (int i = 0; i < a.n; i++) {
        for (int c = 0; c < in->c; c++) {
            cluster[i][c] = 0;
            for (int j = 0; j < a.n; j++) cluster[i][c] += alpha[i][j] * x[j][c];
        }
    }
    leconv(in, &a, cluster, r);
    select_nodes(in, r, out);
    gate(in, cluster, r, sigmoid, out);
    coarsen(&a, alpha, out);
}

bool dense_pool(const char *name, const dense_case *in, dense_result *out)
{
    static const struct {
        const char *name;
        void (*run)(const dense_case *, dense_result *);
    } ops[] = { { "topk", topk }, { "sag", sag }, { "gsa", gsa }, { "asap", asap } };
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 4; i++) {
        if (strcmp(name, ops[i].name) != 0) continue;
        ops[i].run(in, out);
        return true;
    }
    return false;
}
