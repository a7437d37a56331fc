/* test_gmt_reference.c - GMT agrees with a second implementation, written out densely, one graph at a time.
 *
 * The reference computes with complex numbers. Moving a weight by i 1e-30 leaves the real part alone and puts
 * the derivative into the imaginary part, without any difference of nearby numbers: gradients come out exact
 * to rounding, and from the forward formulas alone.
 * SPDX-License-Identifier: MIT */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "rig.h"
#include "option.h"

#define FEATURES 3
#define OUTPUTS  3
#define HIDDEN   8
#define TINY     1e-30
#define MOST     64 /* rows or columns of any matrix here */

typedef double complex number;
typedef struct table { /* a dense matrix */
    int rows, cols;
    number v[MOST][MOST];
} table;

typedef struct reference {
    const mp_params *p;
    const number *theta;
    const mp_config *conf;
} reference;

/* ---- parameters by name, in the order of files */

static const mp_param *find(const reference *r, const char *name)
{
    for (int i = 0; i < r->p->count; i++)
        if (strcmp(r->p->list[i].name, name) == 0) return &r->p->list[i];
    fail_msg("no parameter %s", name);
    return NULL;
}

static const mp_param *part_of(const reference *r, const char *prefix, const char *name)
{
    char full[128];
    snprintf(full, sizeof full, "%s.%s", prefix, name);
    return find(r, full);
}

static number at(const reference *r, const mp_param *q, int row, int col)
{
    return r->theta[q->offset + (size_t)(q->flipped ? col * q->cols + row : row * q->cols + col)];
}

/* ---- layers */

static void linear(const reference *r, const char *prefix, const table *x, table *y, bool relu)
{
    const mp_param *w = part_of(r, prefix, "weight"), *b = part_of(r, prefix, "bias");
    y->rows = x->rows;
    y->cols = w->shape[0];
    for (int i = 0; i < y->rows; i++) {
        for (int o = 0; o < y->cols; o++) {
            number sum = at(r, b, 0, o);
            for (int k = 0; k < x->cols; k++) sum += at(r, w, o, k) * x->v[i][k];
            y->v[i][o] = relu && creal(sum) < 0 ? 0 : sum;
        }
    }
}

/* D^-1/2 (A + I) D^-1/2 X W^T + b, from the dense matrix. */
static void convolution(const reference *r, const char *prefix, const table *a, const table *x, table *y, bool relu)
{
    const mp_param *w = part_of(r, prefix, "lin.weight"), *b = part_of(r, prefix, "bias");
    int n = x->rows;
    double degree[MOST];
    for (int i = 0; i < n; i++) {
        degree[i] = 1;
        for (int j = 0; j < n; j++) degree[i] += creal(a->v[i][j]);
    }
    y->rows = n;
    y->cols = w->shape[0];
    for (int i = 0; i < n; i++) {
        for (int o = 0; o < y->cols; o++) {
            number sum = at(r, b, 0, o);
            for (int j = 0; j < n; j++) {
                double p = ((i == j) + creal(a->v[i][j])) / sqrt(degree[i] * degree[j]);
                for (int k = 0; p > 0 && k < x->cols; k++) sum += p * at(r, w, o, k) * x->v[j][k];
            }
            y->v[i][o] = relu && creal(sum) < 0 ? 0 : sum;
        }
    }
}

static void layer_norm(const reference *r, const char *prefix, table *x)
{
    const mp_param *gamma = part_of(r, prefix, "weight"), *beta = part_of(r, prefix, "bias");
    for (int i = 0; i < x->rows; i++) {
        number mean = 0, var = 0;
        for (int j = 0; j < x->cols; j++) mean += x->v[i][j] / x->cols;
        for (int j = 0; j < x->cols; j++) var += (x->v[i][j] - mean) * (x->v[i][j] - mean) / x->cols;
        for (int j = 0; j < x->cols; j++)
            x->v[i][j] = at(r, gamma, 0, j) * (x->v[i][j] - mean) / csqrt(var + 1e-5) + at(r, beta, 0, j);
    }
}

/* a <- softmax over the rows of each column (queries), or over the columns of each row (keys). */
static void softmax(table *a, bool over_queries)
{
    int outer = over_queries ? a->cols : a->rows, inner = over_queries ? a->rows : a->cols;
    for (int i = 0; i < outer; i++) {
        number sum = 0;
        for (int j = 0; j < inner; j++) sum += cexp(over_queries ? a->v[j][i] : a->v[i][j]);
        for (int j = 0; j < inner; j++) {
            number *at = over_queries ? &a->v[j][i] : &a->v[i][j];
            *at = cexp(*at) / sum;
        }
    }
}

static void attend(const reference *r, const table *q, const table *k, const table *v, table *o)
{
    static table a;
    int heads = r->conf->heads, width = q->cols / heads;
    *o = *q;
    for (int h = 0; h < heads; h++) {
        a.rows = q->rows;
        a.cols = k->rows;
        for (int i = 0; i < a.rows; i++) {
            for (int j = 0; j < a.cols; j++) {
                a.v[i][j] = 0;
                for (int c = h * width; c < (h + 1) * width; c++) a.v[i][j] += q->v[i][c] * k->v[j][c] / sqrt(q->cols);
            }
        }
        softmax(&a, option_is(r->conf, "attend", "queries"));
        for (int i = 0; i < a.rows; i++)
            for (int c = h * width; c < (h + 1) * width; c++)
                for (int j = 0; j < a.cols; j++) o->v[i][c] += a.v[i][j] * v->v[j][c];
    }
}

/* MAB(q, x); adj NULL: linear keys and values. */
static void block(const reference *r, const char *prefix, const table *q, const table *x, const table *adj, table *out)
{
    static table ask, k, v, o;
    char part[5][96];
    static const char *const names[] = { "fc_q", "fc_k", "fc_v", "fc_o", "ln" };
    for (int i = 0; i < 5; i++) snprintf(part[i], sizeof part[i], "%s.mab.%s", prefix, names[i]);
    linear(r, part[0], q, &ask, false);
    if (adj) {
        convolution(r, part[1], adj, x, &k, false);
        convolution(r, part[2], adj, x, &v, false);
    } else {
        linear(r, part[1], x, &k, false);
        linear(r, part[2], x, &v, false);
    }
    attend(r, &ask, &k, &v, out);
    char norm[100];
    snprintf(norm, sizeof norm, "%s0", part[4]);
    if (option_is(r->conf, "ln", "true")) layer_norm(r, norm, out);
    linear(r, part[3], out, &o, true);
    for (int i = 0; i < out->rows; i++)
        for (int j = 0; j < out->cols; j++) out->v[i][j] += o.v[i][j];
    snprintf(norm, sizeof norm, "%s1", part[4]);
    if (option_is(r->conf, "ln", "true")) layer_norm(r, norm, out);
}

static void seeds(const reference *r, const char *prefix, int rows, int cols, table *s)
{
    s->rows = rows;
    s->cols = cols;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) s->v[i][j] = at(r, part_of(r, prefix, "S"), i, j);
}

/* Outputs of one graph. */
static void network(const reference *r, const table *adj, const table *x, number *out)
{
    static table now, next, all, s, z;
    now = *x;
    all.rows = x->rows;
    all.cols = 0;
    for (int l = 0; l < r->conf->layers; l++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "convs.%d", l);
        convolution(r, prefix, adj, &now, &next, true);
        for (int i = 0; i < x->rows; i++)
            for (int j = 0; j < HIDDEN; j++) all.v[i][all.cols + j] = next.v[i][j];
        all.cols += HIDDEN;
        now = next;
    }
    seeds(r, "pool_g", r->conf->clusters, all.cols, &s);
    block(r, "pool_g", &s, &all, adj, &z);
    now = z;
    block(r, "self_att", &now, &now, NULL, &z);
    seeds(r, "pool_i", 1, HIDDEN, &s);
    now = z;
    block(r, "pool_i", &s, &now, NULL, &z);
    linear(r, "lin", &z, &now, false);
    linear(r, "lin1", &now, &next, true);
    linear(r, "lin2", &next, &now, true);
    linear(r, "lin3", &now, &z, false);
    for (int o = 0; o < OUTPUTS; o++) out[o] = z.v[0][o];
}

/* ---- the comparison */

typedef struct compared {
    mp_rig rig;
    mp_config conf;
    mp_model *model;
    mp_graph g;
    mp_mat *x;
    number *theta, *features; /* of the reference */
    double worst;
    int entries;
} compared;

static double probe(int b, int o)
{
    return 0.5 + 0.37 * b - 0.61 * o;
}

/* The probe of all outputs; `out` (may be NULL) gets them. */
static number evaluate(const compared *t, double *out)
{
    static table adj, x;
    reference r = { mp_model_params(t->model), t->theta, &t->conf };
    number sum = 0, y[OUTPUTS];
    for (int b = 0; b < t->g.graphs; b++) {
        int first = t->g.node_ptr[b], n = t->g.node_ptr[b + 1] - first;
        memset(&adj, 0, sizeof adj);
        adj.rows = adj.cols = x.rows = n;
        x.cols = FEATURES;
        for (int i = 0; i < n; i++) {
            for (int e = t->g.row_ptr[first + i]; e < t->g.row_ptr[first + i + 1]; e++)
                adj.v[i][t->g.col[e] - first] = 1;
            for (int j = 0; j < FEATURES; j++) x.v[i][j] = t->features[(first + i) * FEATURES + j];
        }
        network(&r, &adj, &x, y);
        for (int o = 0; o < OUTPUTS; o++) {
            sum += probe(b, o) * y[o];
            if (out) out[b * OUTPUTS + o] = creal(y[o]);
        }
    }
    return sum;
}

/* Some entries of a gradient against the derivative of the reference. */
static void compare(compared *t, const char *name, number *values, const mp_real *ours, int n)
{
    double largest = 1e-2, wrong = 0;
    int stride = n > 12 ? n / 12 : 1;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(ours[i]));
    for (int i = 0; i < n; i += stride, t->entries++) {
        number keep = values[i];
        ((double *)&values[i])[1] = TINY; /* the imaginary part; not every compiler has CMPLX */
        double exact = cimag(evaluate(t, NULL)) / TINY;
        values[i] = keep;
        wrong = fmax(wrong, fabs(exact - ours[i]) / largest);
    }
    if (!(wrong <= 1e-10)) fail_msg("%s: the gradient is off by %g", name, wrong);
    t->worst = fmax(t->worst, wrong);
}

static void start(compared *t, uint64_t seed, const char *const *options)
{
    static const int sizes[] = { 6, 1, 9, 2 };
    t->rig = mp_rig_new(seed);
    mp_config_init(&t->conf);
    strcpy(t->conf.pool, "gmt");
    t->conf.hidden = HIDDEN;
    t->conf.clusters = 3;
    for (; *options; options += 2) {
        mp_err e = mp_conf_set(mp_config_table, &t->conf, options[0], options[1], options[0]);
        assert_int_equal(e, MP_OK);
    }
    mp_err e =
        mp_model_new(t->rig.memory, &t->conf, (mp_inputs){ .features = FEATURES, .outputs = OUTPUTS }, &t->model);
    assert_int_equal(e, MP_OK);
    mp_rig_params(&t->rig, mp_model_params(t->model));
    t->g = mp_rig_graph(&t->rig, 4, sizes, 0.4, 0);
    t->x = mp_rig_mat(&t->rig, t->g.nodes, FEATURES);
    size_t n = mp_model_params(t->model)->size;
    t->theta = MP_NEW(t->rig.memory, number, n);
    t->features = MP_NEW(t->rig.memory, number, t->g.nodes * FEATURES);
    for (size_t i = 0; i < n; i++) t->theta[i] = mp_model_params(t->model)->theta[i];
    for (int i = 0; i < t->g.nodes * FEATURES; i++) t->features[i] = t->x->v[i];
}

static void agrees(uint64_t seed, const char *const *options)
{
    compared t = { .worst = 0 };
    start(&t, seed, options);
    const mp_params *p = mp_model_params(t.model);
    mp_ctx c = { .arena = mp_arena_new(1 << 20), .k = mp_kernels_get(), .record = true };
    mp_params_bind(p, &c, MP_NEW(t.rig.memory, mp_real, p->size));
    mp_mat *y = mp_model_forward(t.model, &c, &t.g, NULL, t.x, NULL, NULL);
    double exact[4 * OUTPUTS];
    evaluate(&t, exact);
    for (int i = 0; i < 4 * OUTPUTS; i++) assert_true(fabs(exact[i] - y->v[i]) <= 1e-12 * fmax(1, fabs(exact[i])));
    mp_real *g = mp_grad_zeroed(&c, y);
    for (int i = 0; i < 4 * OUTPUTS; i++) g[i] = probe(i / OUTPUTS, i % OUTPUTS);
    mp_tape_back(&c);
    compare(&t, "x", t.features, mp_grad_zeroed(&c, t.x), t.g.nodes * FEATURES);
    for (int id = 0; id < p->count; id++)
        compare(&t, p->list[id].name, t.theta + p->list[id].offset, mp_grad_zeroed(&c, &c.params[id]),
                p->list[id].rows * p->list[id].cols);
    print_message("             %d entries, largest error %.1e\n", t.entries, t.worst);
    mp_arena_free(c.arena);
    mp_rig_free(&t.rig);
}

static void softmax_over_queries(void **state)
{
    (void)state;
    agrees(1, (const char *[]){ "heads", "1", NULL });
    agrees(2, (const char *[]){ "heads", "4", "layers", "2", "clusters", "5", NULL });
}

static void softmax_over_keys(void **state)
{
    (void)state;
    agrees(3, (const char *[]){ "heads", "2", "attend", "keys", NULL });
    agrees(4, (const char *[]){ "heads", "8", "attend", "keys", "clusters", "1", NULL });
}

static void layer_norms(void **state)
{
    (void)state;
    agrees(5, (const char *[]){ "heads", "2", "ln", "true", NULL });
    agrees(6, (const char *[]){ "heads", "1", "ln", "true", "attend", "keys", "layers", "1", NULL });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softmax_over_queries),
        cmocka_unit_test(softmax_over_keys),
        cmocka_unit_test(layer_norms),
    };
    return cmocka_run_group_tests_name("GMT against a dense reference", tests, NULL, NULL);
}
