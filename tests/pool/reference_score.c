/* reference_score.c - the scores of the reference (reference.h): what the key is summed from, the gates, the
 * losses.
 * SPDX-License-Identifier: MIT */
#include "reference.h"

#include <math.h>
#include <string.h>

static void set_all(ref_work *k, double (*f)(double))
{
    for (int v = 0; v < k->in->g.n; v++)
        for (int j = 0; j < k->in->h; j++) k->gate[v][j] = f(k->score[v][j]);
    k->gated = true;
}

static double same(double x)
{
    return x;
}

/* Softmax over the nodes of each graph of column j. */
static void softmax_nodes(const ref_graph *g, ref_rows z, int j)
{
    for (int b = 0; b < g->graphs; b++) {
        double v[REF_NODES];
        for (int i = g->ptr[b]; i < g->ptr[b + 1]; i++) v[i - g->ptr[b]] = z[i][j];
        ref_softmax(v, g->ptr[b + 1] - g->ptr[b]);
        for (int i = g->ptr[b]; i < g->ptr[b + 1]; i++) z[i][j] = v[i - g->ptr[b]];
    }
}

/* (3.3), local: e_i Ahat_ii / sum_j Ahat_ij e_j of column j of z. */
static void attend_locally(ref_work *k, ref_square a, ref_rows z, int j)
{
    const ref_graph *g = &k->in->g;
    double tau = fabs(*ref_weight(k, "tau"));
    for (int i = 0; i < g->n; i++) {
        double most = -HUGE_VAL, sum = 0, column = 0;
        for (int u = 0; u < g->n; u++)
            if (ref_graph_of(g, u) == ref_graph_of(g, i)) most = fmax(most, z[u][j]);
        for (int u = 0; u < g->n; u++) {
            sum += a[i][u] * exp(tau * (z[u][j] - most));
            column += a[u][i];
        }
        k->score[i][j] = exp(tau * (z[i][j] - most)) * a[i][i] / (sum + 1e-10) * (k->in->o.dnorm ? column : 1);
    }
}

void ref_score_att(ref_work *k)
{
    const ref_case *in = k->in;
    ref_square a;
    ref_rows z;
    ref_hat(&in->g, a);
    ref_linear(in->g.n, in->c, in->h, k->x, ref_weight(k, "w"), NULL, z);
    for (int j = 0; j < in->h; j++) {
        if (in->o.local) {
            attend_locally(k, a, z, j);
        } else {
            softmax_nodes(&in->g, z, j);
            for (int v = 0; v < in->g.n; v++) k->score[v][j] = z[v][j];
        }
        for (int v = 0; in->o.scale_n && v < in->g.n; v++) k->score[v][j] *= ref_size(&in->g, v);
    }
    set_all(k, same);
}

/* y = X minus the mean of the neighbours by matrix m, added with a factor. */
static void subtract(const ref_case *in, ref_square m, double factor, ref_rows y)
{
    for (int i = 0; i < in->g.n; i++)
        for (int c = 0; c < in->c; c++)
            for (int j = 0; j < in->g.n; j++) y[i][c] -= factor * m[i][j] * in->x[j][c];
}

/* Rows divided by their sums, 0 where the sum is 0. */
static void divide_rows(int n, ref_square m)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += m[i][j];
        for (int j = 0; j < n; j++) m[i][j] = sum > 0 ? m[i][j] / sum : 0;
    }
}

static void divide_roots(int n, ref_square m)
{
    double d[REF_NODES] = { 0 };
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) d[i] += m[i][j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) m[i][j] = d[i] > 0 && d[j] > 0 ? m[i][j] / sqrt(d[i] * d[j]) : 0;
}

static void without_diagonal(const ref_graph *g, ref_square a)
{
    memcpy(a, g->w, sizeof g->w);
    for (int i = 0; i < g->n; i++) a[i][i] = 0;
}

/* The channel group of channel c when C channels are cut into h (4.5). */
static int group(const ref_case *in, int c)
{
    return c / ((in->c + in->h - 1) / in->h);
}

void ref_score_hgpsl(ref_work *k)
{
    const ref_case *in = k->in;
    ref_square a;
    ref_rows y;
    without_diagonal(&in->g, a);
    if (in->o.sym)
        divide_roots(in->g.n, a);
    else
        divide_rows(in->g.n, a);
    memcpy(y, in->x, sizeof y);
    subtract(in, a, 1, y);
    for (int v = 0; v < in->g.n; v++)
        for (int c = 0; c < in->c; c++) k->score[v][group(in, c)] += fabs(y[v][c]);
}

void ref_score_ipool(ref_work *k)
{
    const ref_case *in = k->in;
    int t = in->o.hops ? in->o.hops : 1;
    ref_square a, power, mean;
    ref_rows y;
    without_diagonal(&in->g, a);
    memcpy(power, a, sizeof a);
    memcpy(y, in->x, sizeof y);
    for (int q = 1; q <= t; q++) {
        memcpy(mean, power, sizeof mean);
        for (int i = 0; i < in->g.n; i++) mean[i][i] = 0;
        divide_rows(in->g.n, mean);
        subtract(in, mean, 1.0 / t, y);
        ref_product(in->g.n, power, a, power);
    }
    for (int v = 0; v < in->g.n; v++) {
        for (int c = 0; c < in->c; c++) k->score[v][group(in, c)] += y[v][c] * y[v][c];
        if (in->h == 1) k->score[v][0] = sqrt(k->score[v][0]);
    }
}

/* <m Q_j, p> + b_j (3.6). */
static double critic(const ref_work *k, const double *m, const double *p, int j)
{
    int C = k->in->c;
    const double *q = ref_weight(k, "Q") + j * C * C;
    double s = ref_weight(k, "b")[j];
    for (int a = 0; a < C; a++)
        for (int b = 0; b < C; b++) s += m[a] * q[a * C + b] * p[b];
    return s;
}

void ref_score_vip(ref_work *k)
{
    const ref_case *in = k->in;
    int C = in->c, n = in->g.n, t = in->o.hops ? in->o.hops : 1;
    ref_rows m, walked, one, near = { { 0 } };
    ref_linear(n, C, C, k->x, ref_weight(k, "mlp.weight"), ref_weight(k, "mlp.bias"), m);
    for (int v = 0; v < n; v++) {
        for (int c = 0; c < C; c++) {
            m[v][c] += ref_weight(k, "mlp.bias2")[c];
            ref_near(k, fabs(m[v][c]));
            m[v][c] *= m[v][c] < 0 ? *ref_weight(k, "mlp.slope") : 1;
        }
    }
    memcpy(walked, m, sizeof m);
    for (int q = 1; q <= t; q++) {
        char name[] = { 'W', (char)('0' + q), '\0' };
        ref_gcn(&in->g, C, C, walked, NULL, NULL, one);
        memcpy(walked, one, sizeof one);
        ref_linear(n, C, C, walked, ref_weight(k, name), NULL, one);
        for (int v = 0; v < n; v++)
            for (int c = 0; c < C; c++) near[v][c] += one[v][c] / t;
    }
    for (int v = 0; v < n; v++)
        for (int c = 0; c < C; c++) near[v][c] = ref_sigmoid(near[v][c]);
    for (int v = 0; v < n; v++) {
        double yes = 0, no = 0;
        for (int j = 0; j < in->h; j++) {
            k->score[v][j] = critic(k, m[v], near[v], j);
            yes += k->score[v][j] / in->h;
            no += critic(k, m[in->shuffle[v]], near[v], j) / in->h;
        }
        k->out->loss += (ref_log_loss(yes, 1) + ref_log_loss(no, 0)) / (2 * n);
    }
    set_all(k, ref_sigmoid);
}

/* The released code's score (3.7): neighbours' sigmoids over their row sums, a column over its largest. */
static void rep_original(ref_work *k)
{
    const ref_case *in = k->in;
    ref_square a;
    ref_rows z;
    ref_hat(&in->g, a);
    ref_linear(in->g.n, in->c, in->h, k->x, ref_weight(k, "P"), ref_weight(k, "bias"), z);
    for (int j = 0; j < in->h; j++) {
        double most[REF_GRAPHS] = { 0 }, second[REF_GRAPHS] = { 0 };
        for (int i = 0; i < in->g.n; i++) {
            double s = 0, *top = &most[ref_graph_of(&in->g, i)], *next = &second[ref_graph_of(&in->g, i)];
            for (int u = 0; u < in->g.n; u++) {
                double sum = 0;
                for (int l = 0; l < in->g.n; l++) sum += a[u][l];
                if (u != i && in->g.edge[i][u]) s += ref_sigmoid(z[u][j]) / (sum + 1e-6);
            }
            k->score[i][j] = s;
            if (s > *top) {
                *next = *top;
                *top = s;
            } else {
                *next = fmax(*next, s);
            }
        }
        for (int i = 0; i < in->g.n; i++) k->score[i][j] /= most[ref_graph_of(&in->g, i)] + 1e-6;
        for (int b = 0; b < in->g.graphs; b++)
            if (most[b] > 0) ref_near(k, most[b] - second[b]);
    }
}

void ref_score_rep(ref_work *k)
{
    const ref_case *in = k->in;
    if (in->o.original) {
        rep_original(k);
    } else {
        ref_square a;
        ref_rows r;
        without_diagonal(&in->g, a);
        divide_rows(in->g.n, a);
        ref_projection(k, r);
        for (int i = 0; i < in->g.n; i++) {
            for (int j = 0; j < in->h; j++) {
                double s = 0;
                for (int u = 0; u < in->g.n; u++) s += a[i][u] * r[u][j];
                k->score[i][j] = ref_sigmoid(s);
            }
        }
    }
    set_all(k, same);
}

void ref_score_proj(ref_work *k)
{
    ref_projection(k, k->score);
    set_all(k, tanh);
}

/* Column means of s. */
static void column_mean(const ref_case *in, ref_rows s, double *out)
{
    for (int v = 0; v < in->g.n; v++) {
        out[v] = 0;
        for (int j = 0; j < in->h; j++) out[v] += s[v][j] / in->h;
    }
}

/* Mean over the nodes of graph b (or of its best node) of x times s. */
static void read(ref_work *k, int b, const double *s, double *out)
{
    const ref_graph *g = &k->in->g;
    int best = g->ptr[b], n = g->ptr[b + 1] - g->ptr[b];
    double second = -HUGE_VAL;
    for (int v = best + 1; v < g->ptr[b + 1]; v++) {
        second = fmax(second, fmin(s[v], s[best]));
        if (s[v] > s[best]) best = v;
    }
    if (k->in->o.top1) ref_near(k, s[best] - second);
    for (int c = 0; c < k->in->c; c++) {
        out[c] = k->in->o.top1 ? k->x[best][c] * s[best] : 0;
        for (int v = g->ptr[b]; !k->in->o.top1 && v < g->ptr[b + 1]; v++) out[c] += k->x[v][c] * s[v] / n;
    }
}

/* Logit of D(u, v) (3.10). */
static double discriminate(ref_work *k, const double *u, const double *v)
{
    int C = k->in->c;
    const double *w = ref_weight(k, "disc.0.weight");
    double out = ref_weight(k, "disc.1.bias")[0];
    for (int o = 0; o < C; o++) {
        double s = ref_weight(k, "disc.0.bias")[o];
        for (int c = 0; c < C; c++) s += u[c] * w[c * C + o] + v[c] * w[(C + c) * C + o];
        out += ref_weight(k, "disc.1.weight")[o] * ref_leaky(k, s);
    }
    return out;
}

static void contrast(ref_work *k, ref_rows real, ref_rows fake)
{
    const ref_graph *g = &k->in->g;
    double r[REF_NODES], f[REF_NODES];
    column_mean(k->in, real, r);
    column_mean(k->in, fake, f);
    for (int b = 0; b < g->graphs; b++) {
        double all[REF_COLS] = { 0 }, gr[REF_COLS], gf[REF_COLS];
        for (int c = 0; c < k->in->c; c++)
            for (int v = g->ptr[b]; v < g->ptr[b + 1]; v++) all[c] += k->x[v][c] / (g->ptr[b + 1] - g->ptr[b]);
        read(k, b, r, gr);
        read(k, b, f, gf);
        k->out->loss +=
            (ref_log_loss(discriminate(k, gr, all), 1) + ref_log_loss(discriminate(k, gf, all), 0)) / (2 * g->graphs);
    }
}

static void leaky_all(ref_work *k, int cols, ref_rows x)
{
    for (int v = 0; v < k->in->g.n; v++)
        for (int c = 0; c < cols; c++) x[v][c] = ref_leaky(k, x[v][c]);
}

static void two_layers(ref_work *k, const char *first, const char *second, ref_rows s)
{
    ref_rows hidden;
    ref_graphconv(k, first, k->in->c, k->in->c, k->x, hidden);
    leaky_all(k, k->in->c, hidden);
    ref_graphconv(k, second, k->in->c, k->in->h, hidden, s);
}

void ref_score_cgi(ref_work *k)
{
    const ref_case *in = k->in;
    ref_rows s[2];
    if (in->o.authors) {
        two_layers(k, "real.0", "real.1", s[0]);
        two_layers(k, "fake.0", "fake.1", s[1]);
        ref_rows x;
        ref_graphconv(k, "transform", in->c, in->c, k->x, x);
        leaky_all(k, in->c, x);
        memcpy(k->x, x, sizeof x);
    } else {
        ref_gcn(&in->g, in->c, in->h, k->x, ref_weight(k, "gcn_r.lin.weight"), ref_weight(k, "gcn_r.bias"), s[0]);
        ref_gcn(&in->g, in->c, in->h, k->x, ref_weight(k, "gcn_f.lin.weight"), ref_weight(k, "gcn_f.bias"), s[1]);
    }
    for (int v = 0; v < in->g.n; v++) {
        for (int j = 0; j < in->h; j++) {
            double r = s[0][v][j], f = s[1][v][j];
            s[0][v][j] = tanh(r);
            s[1][v][j] = tanh(f);
            k->score[v][j] = in->o.authors ? r - f : s[0][v][j] - s[1][v][j];
        }
    }
    contrast(k, s[0], s[1]);
    set_all(k, tanh);
}

void ref_score_tap(ref_work *k)
{
    const ref_case *in = k->in;
    const ref_graph *g = &in->g;
    const double *p = ref_weight(k, "P");
    ref_rows local, global;
    ref_square a = { { 0 } };
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++) a[i][j] = i == j || g->edge[i][j];
    divide_rows(g->n, a);
    for (int i = 0; i < g->n; i++) {
        local[i][0] = 0;
        for (int h = 0; h < in->h; h++) global[i][h] = 0;
        for (int j = 0; j < g->n; j++) {
            for (int c = 0; c < in->c; c++) {
                local[i][0] += a[i][j] * in->x[i][c] * in->x[j][c] / ref_size(g, i);
                for (int h = 0; h < in->h; h++) global[i][h] += a[i][j] * in->x[j][c] * p[c * in->h + h];
            }
        }
    }
    softmax_nodes(g, local, 0);
    for (int h = 0; h < in->h; h++) {
        softmax_nodes(g, global, h);
        for (int i = 0; i < g->n; i++) {
            double degree = 0;
            for (int j = 0; j < g->n; j++) degree += g->edge[i][j];
            k->score[i][h] = local[i][0] + global[i][h];
            if (in->o.connectivity) k->score[i][h] += (in->o.lambda < 0 ? 0.1 : in->o.lambda) * degree / ref_size(g, i);
            if (in->o.scale_n) k->score[i][h] *= ref_size(g, i);
        }
    }
    set_all(k, same);
}
