/* reference_math.c - layers and small functions of the reference (reference.h).
 * SPDX-License-Identifier: MIT */
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void ref_near(ref_work *k, double distance)
{
    if (!(distance >= k->out->margin)) k->out->margin = distance;
}

const double *ref_weight(const ref_work *k, const char *name)
{
    return k->in->weight(k->in->from, name);
}

double ref_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

double ref_leaky(ref_work *k, double x)
{
    ref_near(k, fabs(x));
    return x > 0 ? x : 0.2 * x;
}

double ref_log_loss(double logit, int label)
{
    double p = ref_sigmoid(logit);
    return -log(label ? p : 1 - p);
}

/* Y = X W + b, W [in][out], b may be NULL (2.1). */
void ref_linear(int n, int in, int out, ref_rows x, const double *w, const double *b, ref_rows y)
{
    ref_rows z;
    for (int i = 0; i < n; i++) {
        for (int o = 0; o < out; o++) {
            z[i][o] = b ? b[o] : 0;
            for (int k = 0; k < in; k++) z[i][o] += x[i][k] * w[k * out + o];
        }
    }
    for (int i = 0; i < n; i++) memcpy(y[i], z[i], (size_t)out * sizeof(double));
}

void ref_softmax(double *v, int n)
{
    double sum = 0, most = -HUGE_VAL;
    for (int i = 0; i < n; i++) most = fmax(most, v[i]);
    for (int i = 0; i < n; i++) sum += v[i] = exp(v[i] - most);
    for (int i = 0; i < n; i++) v[i] /= sum;
}

/* The tau for which max(z - tau, 0) sums to 1: the support is the largest set of the best elements that
 * agrees (2.14). */
void ref_sparsemax(ref_work *k, double *v, int n)
{
    double sorted[REF_NODES], tau = 0, sum = 0;
    memcpy(sorted, v, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (sorted[j] > sorted[i]) {
                double t = sorted[i];
                sorted[i] = sorted[j];
                sorted[j] = t;
            }
    for (int r = 1; r <= n; r++) {
        sum += sorted[r - 1];
        if (1 + r * sorted[r - 1] > sum) tau = (sum - 1) / r;
    }
    for (int i = 0; i < n; i++) {
        if (n > 1) ref_near(k, fabs(v[i] - tau));
        v[i] = fmax(v[i] - tau, 0);
    }
}

void ref_product(int n, ref_square a, ref_square b, ref_square out)
{
    ref_square c;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            c[i][j] = 0;
            for (int l = 0; l < n; l++) c[i][j] += a[i][l] * b[l][j];
        }
    }
    memcpy(out, c, sizeof c);
}

void ref_loops(const ref_graph *g, ref_square a)
{
    memcpy(a, g->w, sizeof g->w);
    for (int i = 0; i < g->n; i++)
        if (!g->edge[i][i]) a[i][i] = 1;
}

static void normalise(int n, ref_square a)
{
    double d[REF_NODES] = { 0 };
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) d[i] += a[i][j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i][j] = d[i] > 0 && d[j] > 0 ? a[i][j] / sqrt(d[i] * d[j]) : 0;
}

void ref_hat(const ref_graph *g, ref_square a)
{
    if (g->weighted) {
        memcpy(a, g->w, sizeof g->w);
        return;
    }
    ref_loops(g, a);
    normalise(g->n, a);
}

/* D~^-1/2 (A+I) D~^-1/2 X Theta + b (2.2); theta NULL: X itself. */
void ref_gcn(const ref_graph *g, int in, int out, ref_rows x, const double *theta, const double *b, ref_rows y)
{
    ref_square a;
    ref_rows z;
    ref_loops(g, a);
    normalise(g->n, a);
    if (theta)
        ref_linear(g->n, in, out, x, theta, NULL, z);
    else
        memcpy(z, x, sizeof z);
    for (int i = 0; i < g->n; i++) {
        for (int o = 0; o < out; o++) {
            y[i][o] = b ? b[o] : 0;
            for (int j = 0; j < g->n; j++) y[i][o] += a[i][j] * z[j][o];
        }
    }
}

/* W_rel sum of w_ij x_j + b + W_root x_i (2.3). */
void ref_graphconv(ref_work *k, const char *name, int in, int out, ref_rows x, ref_rows y)
{
    char full[64];
    const ref_graph *g = &k->in->g;
    ref_rows sum, root;
    for (int i = 0; i < g->n; i++) {
        for (int c = 0; c < in; c++) {
            sum[i][c] = 0;
            for (int j = 0; j < g->n; j++) sum[i][c] += g->w[i][j] * x[j][c];
        }
    }
    snprintf(full, sizeof full, "%s.lin_root.weight", name);
    ref_linear(g->n, in, out, x, ref_weight(k, full), NULL, root);
    snprintf(full, sizeof full, "%s.lin_rel.bias", name);
    const double *bias = ref_weight(k, full);
    snprintf(full, sizeof full, "%s.lin_rel.weight", name);
    ref_linear(g->n, in, out, sum, ref_weight(k, full), bias, y);
    for (int i = 0; i < g->n; i++)
        for (int o = 0; o < out; o++) y[i][o] += root[i][o];
}

void ref_projection(const ref_work *k, ref_rows r)
{
    int C = k->in->c, h = k->in->h;
    const double *p = ref_weight(k, "P");
    for (int j = 0; j < h; j++) {
        double norm = 0;
        for (int c = 0; c < C; c++) norm += p[c * h + j] * p[c * h + j];
        for (int i = 0; i < k->in->g.n; i++) {
            r[i][j] = 0;
            for (int c = 0; c < C; c++) r[i][j] += k->in->x[i][c] * p[c * h + j] / sqrt(norm);
        }
    }
}

int ref_graph_of(const ref_graph *g, int v)
{
    int b = 0;
    while (v >= g->ptr[b + 1]) b++;
    return b;
}

int ref_size(const ref_graph *g, int v)
{
    int b = ref_graph_of(g, v);
    return g->ptr[b + 1] - g->ptr[b];
}

/* Floyd's algorithm. */
void ref_hops(const ref_graph *g, int hops[REF_NODES][REF_NODES])
{
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++) hops[i][j] = i == j ? 0 : g->edge[i][j] ? 1 : 1000;
    for (int l = 0; l < g->n; l++)
        for (int i = 0; i < g->n; i++)
            for (int j = 0; j < g->n; j++)
                if (hops[i][l] + hops[l][j] < hops[i][j]) hops[i][j] = hops[i][l] + hops[l][j];
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            if (hops[i][j] >= 1000) hops[i][j] = -1;
}
