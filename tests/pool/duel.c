/* duel.c - see duel.h.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "duel.h"
#include "option.h"

#define STEP         1e-5
#define MARGIN       3e-4 /* a step may not change an order or cross a kink */
#define MOST_ENTRIES 1024

static const char *level_name(int level)
{
    return level ? "1" : "0";
}

typedef struct source {
    const mp_params *params;
    int level;
} source;

static const double *weight_of(const void *from, const char *name)
{
    const source *s = from;
    char full[80];
    snprintf(full, sizeof full, "%s.%s", level_name(s->level), name);
    for (int i = 0; i < s->params->count; i++)
        if (strcmp(s->params->list[i].name, full) == 0) return s->params->theta + s->params->list[i].offset;
    fail_msg("the operator has no weight '%s'", full);
    return NULL;
}

static ref_options options_of(const mp_config *c)
{
    return (ref_options){
        .ratio = c->ratio,
        .lambda = c->lambda,
        .hops = c->hops,
        .flip = c->flip,
        .local = option_is(c, "attention", "local"),
        .dnorm = option_is(c, "dnorm", "true"),
        .raw = option_is(c, "assign", "raw"),
        .scale_n = c->scale_n,
        .sym = option_is(c, "lap-norm", "sym"),
        .soft = option_is(c, "sparse", "false"),
        .sampled = option_is(c, "candidates", "sampled"),
        .literal = option_is(c, "vip-adj", "literal"),
        .induced = option_is(c, "vip-adj", "induced"),
        .original = option_is(c, "rep-score", "original"),
        .peak = option_is(c, "rep-select", "peak"),
        .after = option_is(c, "square", "after"),
        .binary = option_is(c, "binary", "true"),
        .authors = c->variant == MP_VARIANT_AUTHORS,
        .top1 = option_is(c, "mi-nodes", "top1"),
        .connectivity = option_is(c, "connectivity", "true"),
        .apart = option_is(c, "pick", "local"),
        .cosine = option_is(c, "overlap", "cosine"),
    };
}

static void first_case(const duel *d, ref_case *in)
{
    *in = (ref_case){ .g = { .graphs = d->g.graphs, .n = d->g.nodes, .weighted = d->weighted }, .c = d->channels };
    for (int b = 0; b <= d->g.graphs; b++) in->g.ptr[b] = d->g.node_ptr[b];
    for (int v = 0; v < d->g.nodes; v++) {
        in->drop[v] = d->drop && d->dropped[v];
        in->shuffle[v] = d->shuffle[v];
        for (int c = 0; c < d->channels; c++) in->x[v][c] = d->x->v[v * d->channels + c];
        for (int e = d->g.row_ptr[v]; e < d->g.row_ptr[v + 1]; e++) {
            in->g.edge[v][d->g.col[e]] = true;
            in->g.w[v][d->g.col[e]] = d->g.w ? d->g.w->v[e] : 1;
        }
    }
}

/* The second pooling's other rows: in reverse, so that it needs nothing from the first. */
static void next_case(const ref_result *before, ref_case *in)
{
    *in = (ref_case){ .g = before->g, .c = before->cols };
    memcpy(in->x, before->x, sizeof in->x);
    for (int v = 0; v < in->g.n; v++) in->shuffle[v] = in->g.n - 1 - v;
}

/* The reference, all levels. */
static void reference(const duel *d, ref_result *truth)
{
    ref_case in;
    for (int l = 0; l < d->levels; l++) {
        if (l)
            next_case(&truth[l - 1], &in);
        else
            first_case(d, &in);
        source from = { &d->params, l };
        in.op = d->op->name;
        in.o = options_of(&d->conf);
        in.h = d->conf.score_dim;
        in.weight = weight_of;
        in.from = &from;
        assert_true(ref_pool(&in, &truth[l]));
    }
}

/* ceil(0.2 n) nodes of each graph leave the ranking, as in the golden files; the graph of one node keeps it
 * all the same. */
static void draw_dropped(duel *d)
{
    memset(d->dropped, 0, sizeof d->dropped);
    for (int b = 0; b < d->g.graphs; b++) {
        int first = d->g.node_ptr[b], n = d->g.node_ptr[b + 1] - first;
        for (int m = (n + 4) / 5; m > 0;) {
            int v = first + mp_rng_below(&d->rig.rng, n);
            if (d->dropped[v]) continue;
            d->dropped[v] = 1;
            m--;
        }
    }
}

static void draw_once(duel *d)
{
    mp_arena_reset(d->rig.memory);
    int sizes[2] = { 1 + mp_rng_below(&d->rig.rng, d->most), 1 + mp_rng_below(&d->rig.rng, d->most) };
    d->g = mp_rig_graph(&d->rig, 2, sizes, mp_rng_between(&d->rig.rng, 0.05, 0.7), d->weighted ? 0.3 : 0);
    if (d->weighted) d->g.w = mp_rig_weights(&d->rig, &d->g);
    d->x = mp_rig_mat(&d->rig, d->g.nodes, d->channels);
    for (int v = 0; v < d->g.nodes; v++) d->shuffle[v] = v;
    mp_rng_shuffle(&d->rig.rng, d->shuffle, d->g.nodes);
    draw_dropped(d);
    d->params = (mp_params){ .arena = d->rig.memory };
    for (int l = 0, width = d->channels; l < d->levels; l++, width = mp_pool_width(d->pool[l - 1]))
        d->pool[l] = mp_pool_new(d->rig.memory, d->op, &d->conf, &d->params, level_name(l), width);
    mp_rig_params(&d->rig, &d->params);
}

static void draw(duel *d)
{
    double margin = 0;
    for (int draws = 0; !(margin > MARGIN); draws++) {
        if (draws == 20000) fail_msg("%s %s: no case without ties", d->op->name, d->options);
        draw_once(d);
        reference(d, d->truth);
        margin = d->truth[0].margin;
        if (d->levels > 1) margin = fmin(margin, d->truth[1].margin);
    }
}

static void run_library(duel *d, mp_real *grad)
{
    mp_arena_reset(d->ctx.arena);
    d->ctx.last = NULL;
    d->ctx.record = true;
    mp_params_bind(&d->params, &d->ctx, grad);
    d->x->live = false;
    if (d->g.w) d->g.w->live = false;
    d->g.norm = NULL;
    d->ctx.drop_given = d->drop ? d->dropped : NULL;
    d->ctx.shuffle_given = d->shuffle;
    for (int l = 0; l < d->levels; l++) {
        d->p[l] = (mp_pooling){ .g = l ? d->p[0].out_g : &d->g, .x = l ? d->p[0].out_x : d->x };
        mp_pool_run(d->pool[l], &d->ctx, &d->p[l]);
        int *other = MP_NEW(d->ctx.arena, int, REF_NODES), k = d->p[l].keep_ptr[2];
        for (int v = 0; v < k; v++) other[v] = k - 1 - v;
        d->ctx.shuffle_given = other;
    }
}

static void close_to(const duel *d, const char *what, double got, double want)
{
    if (!(fabs(got - want) <= 1e-10 * fmax(1, fabs(want))))
        fail_msg("%s %s: %s is %.15g, the reference has %.15g", d->op->name, d->options, what, got, want);
}

/* Edges as a full matrix; stored ones are noted. */
static void unfold(const mp_graph *g, ref_square w, bool stored[REF_NODES][REF_NODES])
{
    memset(w, 0, sizeof(ref_square));
    memset(stored, 0, sizeof(bool[REF_NODES][REF_NODES]));
    for (int v = 0; v < g->nodes; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            w[v][g->col[e]] = g->w ? g->w->v[e] : 1;
            stored[v][g->col[e]] = true;
        }
    }
}

static void compare_outputs(const duel *d, int l)
{
    const mp_pooling *p = &d->p[l];
    const ref_result *t = &d->truth[l];
    ref_square w;
    bool stored[REF_NODES][REF_NODES];
    for (int b = 0; b <= p->g->graphs; b++) assert_int_equal(p->keep_ptr[b], t->ptr[b]);
    assert_int_equal(p->out_x->cols, t->cols);
    assert_int_equal(mp_graph_check(p->out_g), MP_OK);
    unfold(p->out_g, w, stored);
    for (int i = 0; i < t->k; i++) {
        assert_int_equal(p->keep[i], t->keep[i]);
        for (int c = 0; c < t->cols; c++) close_to(d, "a feature", p->out_x->v[i * t->cols + c], t->x[i][c]);
        for (int j = 0; j < t->k; j++) {
            close_to(d, "an edge", w[i][j], t->g.w[i][j]);
            assert_int_equal(stored[i][j], t->g.edge[i][j]);
        }
    }
    if (p->loss || t->loss != 0) close_to(d, "the loss", p->loss ? p->loss->v[0] : 0, t->loss);
}

static double coefficient(int kind, int i, int j)
{
    mp_rng r = mp_rng_stream(5, MP_FOR_TEST, (uint64_t)kind, (uint64_t)i, (uint64_t)j);
    return mp_rng_between(&r, -1, 1);
}

/* The change of a random linear form of everything the last pooling gives, and of all losses. */
static double change(const duel *d, const ref_result *above, const ref_result *below)
{
    const ref_result *a = &above[d->levels - 1], *b = &below[d->levels - 1];
    double sum = 0;
    for (int l = 0; l < d->levels; l++) sum += above[l].loss - below[l].loss;
    for (int i = 0; i < a->k; i++) {
        for (int c = 0; c < a->cols; c++) sum += coefficient(0, i, c) * (a->x[i][c] - b->x[i][c]);
        for (int j = 0; j < a->k; j++) sum += coefficient(1, i, j) * (a->g.w[i][j] - b->g.w[i][j]);
    }
    return sum;
}

/* The same form's gradient, given to the outputs of the library. */
static void seed_gradients(duel *d)
{
    mp_pooling *p = &d->p[d->levels - 1];
    const mp_graph *g = p->out_g;
    mp_real *gx = mp_grad_zeroed(&d->ctx, p->out_x), *gw = g->w ? mp_grad_zeroed(&d->ctx, g->w) : NULL;
    for (int i = 0; i < g->nodes; i++) {
        for (int c = 0; c < p->out_x->cols; c++) gx[i * p->out_x->cols + c] += coefficient(0, i, c);
        for (int e = g->row_ptr[i]; gw && e < g->row_ptr[i + 1]; e++) gw[e] += coefficient(1, i, g->col[e]);
    }
    for (int l = 0; l < d->levels; l++)
        if (d->p[l].loss) mp_grad_zeroed(&d->ctx, d->p[l].loss)[0] += 1;
}

static void moved(const duel *d, mp_real *v, double by, ref_result *t)
{
    double centre = *v;
    *v += by;
    reference(d, t);
    *v = centre;
    for (int l = 0; l < d->levels; l++)
        for (int i = 0; i < t[l].k; i++) assert_int_equal(t[l].keep[i], d->truth[l].keep[i]);
}

/* Moves each entry of v by a step either way and compares the change with the tape's gradient. */
static void compare_gradient(const duel *d, const char *what, mp_real *v, const mp_real *gradient, size_t n)
{
    double numeric[MOST_ENTRIES], largest = 1e-2;
    ref_result above[2], below[2];
    assert_true(n <= MOST_ENTRIES);
    for (size_t i = 0; i < n; i++) {
        moved(d, &v[i], STEP, above);
        moved(d, &v[i], -STEP, below);
        numeric[i] = change(d, above, below) / (2 * STEP);
        largest = fmax(largest, fabs(numeric[i]));
    }
    for (size_t i = 0; i < n; i++) {
        double got = gradient ? gradient[i] : 0;
        if (!(fabs(got - numeric[i]) <= 1e-7 * largest))
            fail_msg("%s %s, gradient of %s, entry %zu: %.12g, the reference's differences say %.12g", d->op->name,
                     d->options, what, i, got, numeric[i]);
    }
}

/* Weights of the first graph are constants where the coarse weights do not carry a gradient (math.md 3.0). */
static bool weights_learn(const mp_pool_op *op)
{
    static const char *const constant[] = { "att", "vip", "ug", "ipool" };
    for (size_t i = 0; i < sizeof constant / sizeof *constant; i++)
        if (strcmp(op->name, constant[i]) == 0) return false;
    return true;
}

static void compare_gradients(duel *d, const mp_real *grad)
{
    seed_gradients(d);
    mp_tape_back(&d->ctx);
    compare_gradient(d, "x", d->x->v, d->x->live ? d->x->g : NULL, (size_t)d->x->rows * (size_t)d->channels);
    if (d->g.w && weights_learn(d->op))
        compare_gradient(d, "edge weights", d->g.w->v, d->g.w->live ? d->g.w->g : NULL, (size_t)d->g.edges);
    for (int i = 0; i < d->params.count; i++) {
        const mp_param *q = &d->params.list[i];
        compare_gradient(d, q->name, d->params.theta + q->offset, d->ctx.params[i].live ? grad + q->offset : NULL,
                         (size_t)q->rows * (size_t)q->cols);
    }
}

static void set(mp_config *c, const char *options)
{
    char text[256], *rest = text;
    snprintf(text, sizeof text, "%s", options);
    for (char *one; (one = strsep(&rest, " "));) {
        char *value = strchr(one, '=');
        if (!value) continue;
        *value++ = '\0';
        assert_int_equal(mp_conf_set(mp_config_table, c, one, value, one), MP_OK);
    }
}

void duel_fight(const char *op, const char *options, int levels, bool weighted, bool drop, int batches)
{
    duel d = { .op = mp_pool_find(op),
               .options = options,
               .levels = levels,
               .channels = levels > 1 ? 2 : 4,
               .most = REF_NODES / 2,
               .weighted = weighted,
               .drop = drop,
               .rig = mp_rig_new(17) };
    d.ctx = (mp_ctx){ .arena = mp_arena_new(1 << 18), .k = mp_kernels_get() };
    mp_config_init(&d.conf);
    set(&d.conf, options);
    for (int i = 0; i < batches; i++) {
        draw(&d);
        mp_real *grad = MP_NEW(d.rig.memory, mp_real, d.params.size);
        run_library(&d, grad);
        for (int l = 0; l < levels; l++) compare_outputs(&d, l);
        compare_gradients(&d, grad);
    }
    mp_arena_free(d.ctx.arena);
    mp_rig_free(&d.rig);
}
