/* test_gradients_models.c - gradients of layers, of every pooling operator with the kept nodes held fixed, and of whole
 * networks agree with central differences. More than 500 lines because layers, poolings and networks share the way inputs are drawn
 * whose keys lie apart.
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

#include "sanitized.h"
#include "gradcheck.h"
#include "model/model.h"
#include "option.h"

static const int sizes[] = { 6, 1, 5 };

static void layer(mp_check *t, const mp_conv_kind *kind, const mp_config *conf, bool weighted, bool relu, bool sparse)
{
    mp_check_reset(t);
    mp_graph g = mp_rig_graph(&t->rig, 3, sizes, 0.35, weighted ? 0.3 : 0);
    mp_params p = { .arena = t->rig.memory };
    mp_conv_setup how = {
        .params = &p, .prefix = "conv", .in = 4, .out = 3, .edge_in = kind->edge_x ? 3 : 0, .conf = conf
    };
    mp_conv l = mp_conv_new(kind, &how);
    if (kind->edge_x) g.edge_x = mp_rig_attributes(&t->rig, &g, 3, sparse + relu);
    mp_check_params(t, &p);
    if (weighted) mp_check_watch(t, g.w = mp_rig_weights(&t->rig, &g));
    int ptr[13], col[12];
    for (int v = 0; v < 12; v++) {
        ptr[v + 1] = v + 1;
        col[v] = v % 4;
    }
    ptr[0] = 0;
    mp_sparse one_hot = { .rows = 12, .cols = 4, .ptr = ptr, .col = col };
    mp_input in = sparse ? (mp_input){ .sparse = &one_hot } : MP_DENSE(mp_check_input(t, g.nodes, 4));
    MP_GRADCHECK(t, mp_conv_run(&l, &t->ctx, mp_check_fresh(t, &g), in, relu));
}

static void every_convolution(void **state)
{
    mp_check *t = *state;
    for (const mp_conv_kind *const *kind = mp_conv_kinds(); *kind; kind++)
        for (int how = 0; how < 8; how++) layer(t, *kind, NULL, how & 1, how & 2, how & 4);
}

static void chebygin_of_every_order(void **state)
{
    mp_check *t = *state;
    for (int how = 0; how < 48; how++) {
        char order[8];
        mp_config conf;
        mp_config_init(&conf);
        snprintf(order, sizeof order, "%d", 1 + how / 8);
        option_set(&conf, "cheb-order", order);
        option_set(&conf, "cheb-agg", how & 1 ? "sum" : "mean");
        option_set(&conf, "cheb-layers", how & 4 ? "2" : "1");
        layer(t, &mp_conv_chebygin, &conf, how & 1, how & 2, how & 4);
    }
}

static void attention_and_added_loops(void **state)
{
    mp_check *t = *state;
    mp_graph g = mp_rig_graph(&t->rig, 3, sizes, 0.35, 0.3);
    mp_check_watch(t, g.w = mp_rig_weights(&t->rig, &g));
    mp_mat *a = mp_check_input(t, g.nodes, 1), *b = mp_check_input(t, g.nodes, 1);
    for (mp_check_begin(t, "attention"); mp_check_next(t);) {
        const mp_graph *looped = mp_looped(&t->ctx, mp_check_fresh(t, &g));
        mp_check_value(t, mp_attention(&t->ctx, looped, a, b));
        mp_check_value(t, looped->w);
    }
}

/* ---- pooling */
#define SEED 2 /* one with which no step of the poolings' checks crosses a kink */

typedef struct layer_case { /* one pooling layer on one batch */
    mp_config conf;
    mp_graph g;
    mp_params params;
    mp_pool *pool;
    mp_mat *x;
} layer_case;

static void set(mp_config *c, const char *options)
{
    char text[256], *rest = text;
    snprintf(text, sizeof text, "%s", options);
    for (char *one; (one = strsep(&rest, " "));) {
        char *value = strchr(one, '=');
        if (!value) continue;
        *value++ = '\0';
        mp_err e = mp_conf_set(mp_config_table, c, one, value, one);
        assert_int_equal(e, MP_OK);
    }
}

static mp_pooling run(mp_check *t, const layer_case *l)
{
    mp_pooling p = { .g = mp_check_fresh(t, &l->g), .x = l->x };
    mp_pool_run(l->pool, &t->ctx, &p);
    return p;
}

/* Steps of 1e-5 must not change an order: keys of a graph at least 2e-4 apart. With `twins` they may also be equal to the
 * last bit and stay so: ASAP's of nodes with the same closed neighbourhood, local attention's of nodes without a loop. */
static bool keys_apart(const mp_pooling *p, bool twins)
{
    const int *ptr = p->g->node_ptr;
    for (int b = 0; b < p->g->graphs; b++) {
        for (int v = ptr[b]; v < ptr[b + 1]; v++) {
            for (int u = ptr[b]; u < v; u++) {
                bool both_dropped = p->dropped && p->dropped[u] && p->dropped[v];
                double gap = fabs(p->key[u] - p->key[v]);
                if (!(gap > 2e-4) && !(twins && gap == 0) && !both_dropped) return false;
            }
        }
    }
    return true;
}

static void start_plain(mp_check *t)
{
    mp_arena_reset(t->ctx.arena);
    t->ctx.record = true;
    t->ctx.last = NULL;
    t->ctx.rng = mp_rng_stream(7, MP_FOR_STEP, 0, 0, 0);
}

/* AttPool splits mass by constants of the backward pass (math.md 3.3): weights of its edges get no gradient. */
static bool weights_are_constants(const mp_pool_op *op)
{
    return strcmp(op->name, "att") == 0;
}

/* A case draws from a stream of its own, named by what it is: what other cases draw does not move its inputs. */
static void reseed(mp_check *t, const char *what)
{
    uint64_t name = SEED;
    for (const char *c = what; *c; c++) name = 31 * name + (unsigned char)*c;
    t->rig.rng = mp_rng_stream(name, MP_FOR_TEST, 0, 0, 0);
}

static mp_pooling draw_case(mp_check *t, const mp_pool_op *op, bool weighted, layer_case *l)
{
    for (int draws = 0;; draws++) {
        if (draws == 500) fail_msg("%s: no inputs with keys apart", op->name);
        mp_check_reset(t);
        mp_arena_reset(t->rig.memory);
        l->g = mp_rig_graph(&t->rig, 3, sizes, 0.35, weighted ? 0.2 : 0);
        l->params = (mp_params){ .arena = t->rig.memory };
        l->pool = mp_pool_new(t->rig.memory, op, &l->conf, &l->params, "pool", 4);
        mp_check_params(t, &l->params);
        if (weighted) l->g.w = mp_rig_weights(&t->rig, &l->g);
        if (weighted && !weights_are_constants(op)) mp_check_watch(t, l->g.w);
        l->x = mp_check_input(t, l->g.nodes, 4);
        start_plain(t);
        mp_pooling p = run(t, l);
        if (keys_apart(&p, option_is(&l->conf, "attention", "local"))) return p;
    }
}

static void pool_case(mp_check *t, const mp_pool_op *op, const char *options, bool weighted)
{
    layer_case l = { 0 };
    mp_config_init(&l.conf);
    set(&l.conf, options);
    char what[320];
    snprintf(what, sizeof what, "%s %s%s", op->name, options, weighted ? " (weighted)" : "");
    reseed(t, what);
    mp_pooling p = draw_case(t, op, weighted, &l);
    bool detached = strcmp(op->name, "asap") == 0 &&
                    (option_is(&l.conf, "detach-adj", "yes") ||
                     (option_is(&l.conf, "detach-adj", "auto") && l.conf.variant == MP_VARIANT_AUTHORS));
    bool edges = !detached && p.out_g->w && p.out_g->w->g, loss = p.loss; /* constants have no gradient to check */
    for (mp_check_begin(t, what); mp_check_next(t);) {
        p = run(t, &l);
        for (int i = 0; i < p.keep_ptr[l.g.graphs]; i++) mp_check_same(t, p.keep[i]);
        assert_int_equal(p.out_x->cols, mp_pool_width(l.pool));
        mp_check_value(t, p.out_x);
        if (edges) mp_check_value(t, p.out_g->w);
        if (loss) mp_check_value(t, p.loss);
    }
}

static void every_operator_at_every_dimension_width_and_variant(void **state)
{
    mp_check *t = *state;
    static const char *const dims[] = { "score-dim=1", "score-dim=3 flip=true drop=0.2", "score-dim=5 flip=true",
                                        "score-dim=9 drop=0.1" };
    static const char *const widths[] = { "multi", "multihead", "repeat", "mlp" };
    static const char *const variants[] = { "paper", "pyg", "authors" };
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        for (int i = 0; i < 48; i++) {
            char options[256];
            snprintf(options, sizeof options, "%s width=%s variant=%s", dims[i % 4], widths[i / 4 % 4],
                     variants[i / 16]);
            pool_case(t, op, options, i % 3 == 1);
            pool_case(t, op, options, i % 3 != 1);
        }
    }
}

static void every_option_of_every_operator(void **state)
{
    mp_check *t = *state;
    static const struct {
        const char *op, *options; /* op NULL: all */
    } rows[] = {
        { NULL, "gate=tanh" },
        { NULL, "gate=sigmoid" },
        { NULL, "gate=identity" },
        { NULL, "rank=activated" },
        { NULL, "combine=max" },
        { NULL, "combine=l2" },
        { NULL, "ratio=0.8" },
        { NULL, "ratio=1" },
        { NULL, "drop=0.4 dropped=zero" },
        { NULL, "drop=0.4 drop-mode=bernoulli" },
        { NULL, "edge-loss=0.4" },
        { "topk", "adj-power=2" },
        { "sag", "score-dim=3 width=mlp expand-relu=false" },
        { "topk", "min-score=0.1" },
        { "topk", "min-score=0.1 combine=max" },
        { "topk", "min-score=0.1 combine=l2 width=multihead" },
        { "topk", "min-score=0.1 drop=0.4" },
        { "topk", "min-score=0.1 variant=pyg" },
        { "topk", "min-score=0.1 variant=authors" },
        { "sag", "min-score=0.1" },
        { "sag", "min-score=0.1 variant=pyg" },
        { "sag", "score-conv=graphconv" },
        { "sag", "score-conv=sage" },
        { "sag", "score-conv=gat" },
        { "sag", "score-conv=cheb" },
        { "gsa", "mix=before" },
        { "gsa", "fusion=gat" },
        { "gsa", "fusion=none" },
        { "gsa", "fusion=raw" },
        { "gsa", "score-conv=gat alpha=0.3" },
        { "gsa", "score-conv=cheb" },
        { "gsa", "score-conv=sage" },
        { "gsa", "score-conv=graphconv" },
        { "asap", "intra=gcn" },
        { "asap", "detach-adj=yes" },
        { "asap", "att-dropout=0.3" },
        { "asap", "intra=gcn variant=pyg" },
        { "asap", "detach-adj=no variant=authors" },
        { "att", "attention=local" },
        { "att", "attention=local dnorm=true" },
        { "att", "scale-n=true" },
        { "att", "assign=raw" },
        { "hgpsl", "lap-norm=sym" },
        { "hgpsl", "sparse=false" },
        { "hgpsl", "candidates=sampled hops=1" },
        { "hgpsl", "lambda=0.3" },
        { "vip", "hops=3" },
        { "vip", "vip-adj=literal" },
        { "vip", "vip-adj=induced" },
        { "vip", "mi-weight=0" },
        { "rep", "lambda=0.5" },
        { "rep", "rep-select=peak" },
        { "ug", "square=after" },
        { "ug", "binary=true" },
        { "cgi", "mi-nodes=top1" },
        { "cgi", "mi-nodes=top1 variant=authors" },
        { "tap", "connectivity=true" },
        { "tap", "scale-n=true" },
        { "ipool", "hops=3" },
        { "ipool", "pick=local" },
        { "ipool", "overlap=cosine lambda=0.2" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
            if (rows[i].op && strcmp(rows[i].op, op->name) != 0) continue;
            if (op->ungated && strstr(rows[i].options, "gate=")) continue; /* gates by a score without a gradient */
            for (int wide = 0; wide < 2; wide++) {
                char options[256];
                snprintf(options, sizeof options, "score-dim=%d flip=true %s", wide ? 3 : 1, rows[i].options);
                pool_case(t, op, options, false);
                pool_case(t, op, options, true);
            }
        }
    }
}

static void graphs_without_edges(void **state)
{
    mp_check *t = *state;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        mp_check_reset(t);
        layer_case l = { 0 };
        mp_config_init(&l.conf);
        set(&l.conf, "score-dim=3 flip=true");
        l.g = mp_rig_graph(&t->rig, 3, sizes, 0, 0);
        l.params.arena = t->rig.memory;
        l.pool = mp_pool_new(t->rig.memory, op, &l.conf, &l.params, "pool", 4);
        mp_check_params(t, &l.params);
        l.x = mp_check_input(t, l.g.nodes, 4);
        for (mp_check_begin(t, op->name); mp_check_next(t);) mp_check_value(t, run(t, &l).out_x);
    }
}

/* ---- networks */

typedef struct net_case {
    mp_graph g;
    mp_sparse x;
    mp_model *m;
} net_case;

static void draw_network(mp_check *t, const mp_config *conf, int outputs, net_case *n)
{
    static const int node_counts[] = { 7, 9, 1, 6 };
    mp_check_reset(t);
    mp_arena_reset(t->rig.memory);
    n->g = mp_rig_graph(&t->rig, 4, node_counts, 0.3, 0);
    int *ptr = MP_NEW(t->rig.memory, int, n->g.nodes + 1), *col = MP_NEW(t->rig.memory, int, n->g.nodes);
    for (int v = 0; v < n->g.nodes; v++) {
        ptr[v + 1] = v + 1;
        col[v] = mp_rng_below(&t->rig.rng, 5);
    }
    mp_real *value = MP_NEW(t->rig.memory, mp_real, n->g.nodes);
    mp_rig_fill(&t->rig, value, (size_t)n->g.nodes); /* one-hot rows would give equal nodes equal scores */
    n->x = (mp_sparse){ .rows = n->g.nodes, .cols = 5, .ptr = ptr, .col = col, .val = value };
    if (conf->encoder) n->x.val = NULL; /* an encoder is about nodes that are equal */
    n->g.edge_x = mp_rig_attributes(&t->rig, &n->g, 3, MP_RIG_SPARSE);
    mp_real *aim = MP_NEW(t->rig.memory, mp_real, n->g.nodes);
    for (int v = 0; v < n->g.nodes; v++) aim[v] = v % 3;
    n->g.aim = aim;
    mp_inputs in = { .features = 5, .edge_features = 3, .outputs = outputs };
    mp_err e = mp_model_new(t->rig.memory, conf, in, &n->m);
    assert_int_equal(e, MP_OK);
    mp_check_params(t, mp_model_params(n->m));
}

static mp_mat *run_network(mp_check *t, const net_case *n, mp_trail *trail, mp_mat **aux)
{
    return mp_model_forward(n->m, &t->ctx, mp_check_fresh(t, &n->g), &n->x, NULL, trail, aux);
}

static void network(mp_check *t, const char *options, int outputs)
{
    static const int labels[] = { 0, 2, 1, 2 };
    static const mp_real targets[] = { 0.5, -1, 2, 0 };
    mp_config conf;
    net_case n;
    mp_trail trail;
    mp_mat *aux;
    mp_config_init(&conf);
    set(&conf, options);
    reseed(t, options);
    for (int draws = 0, good = 0; !good; draws++) {
        if (draws == 20000) fail_msg("%s: no inputs with keys apart", options);
        draw_network(t, &conf, outputs, &n);
        start_plain(t);
        run_network(t, &n, &trail, &aux);
        good = 1;
        for (int l = 0; l < trail.levels; l++) good &= keys_apart(trail.level[l], strcmp(conf.pool, "asap") == 0);
    }
    t->most = 16;
    for (mp_check_begin(t, options); mp_check_next(t);) {
        mp_mat *y = run_network(t, &n, &trail, &aux);
        for (int l = 0; l < trail.levels; l++)
            for (int i = 0; i < trail.level[l]->keep_ptr[4]; i++) mp_check_same(t, trail.level[l]->keep[i]);
        mp_check_value(t, outputs > 1 ? mp_xent(&t->ctx, y, labels, 0.25, NULL)
                                      : mp_distance(&t->ctx, y, targets, MP_ERROR_SQUARED, 0, 0.25));
        if (aux) mp_check_value(t, aux);
    }
}

/* ---- networks with an upward path */

static bool kept_alike(mp_check *t, const mp_pooling *p)
{
    for (int i = 0; i < p->keep_ptr[p->g->graphs]; i++) mp_check_same(t, p->keep[i]);
    return true;
}

static void autoencoder(mp_check *t, const char *options)
{
    static const int node_counts[] = { 7, 1, 6 };
    mp_config conf;
    mp_model *m;
    mp_trail trail;
    mp_graph g;
    mp_mat *x, *aux, *y;
    mp_config_init(&conf);
    set(&conf, options);
    reseed(t, options);
    for (int draws = 0, good = 0; !good; draws++) {
        if (draws == 5000) fail_msg("%s: no inputs with keys apart", options);
        mp_check_reset(t);
        mp_arena_reset(t->rig.memory);
        g = mp_rig_graph(&t->rig, 3, node_counts, 0.35, 0);
        g.edge_x = mp_rig_attributes(&t->rig, &g, 3, MP_RIG_SPARSE);
        mp_inputs in = { .features = 4, .edge_features = 3, .outputs = 4 };
        assert_int_equal(mp_model_new(t->rig.memory, &conf, in, &m), MP_OK);
        mp_check_params(t, mp_model_params(m));
        x = mp_check_input(t, g.nodes, 4);
        start_plain(t);
        mp_model_forward(m, &t->ctx, mp_check_fresh(t, &g), NULL, x, &trail, NULL);
        good = keys_apart(trail.level[0], strcmp(conf.pool, "asap") == 0);
    }
    t->most = 16;
    for (mp_check_begin(t, options); mp_check_next(t);) {
        y = mp_model_forward(m, &t->ctx, mp_check_fresh(t, &g), NULL, x, &trail, &aux);
        assert_true(kept_alike(t, trail.level[0]) && y->rows == g.nodes && y->cols == 4);
        mp_check_value(t, y);
        if (aux) mp_check_value(t, aux);
    }
}

static void autoencoders_around_every_operator(void **state)
{
    mp_check *t = *state;
    t->kinks_expected = true;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        char options[128];
        for (int mid = 0; mid < 2; mid++) {
            snprintf(options, sizeof options, "arch=autoencoder pool=%s hidden=8 ratio=0.5 %s", op->name,
                     mid ? "score-dim=3 flip=true drop=0.1" : "");
            autoencoder(t, options);
        }
        snprintf(options, sizeof options, "arch=autoencoder pool=%s hidden=8 ratio=0.6 conv=gine variant=authors",
                 op->name);
        autoencoder(t, options);
        snprintf(options, sizeof options, "arch=autoencoder-literal pool=%s hidden=8 ratio=0.6", op->name);
        autoencoder(t, options);
    }
}

/* With attributes of edges: through poolings that take edges along, and up to those that make new ones. */
static void networks_with_attributes_of_edges(void **state)
{
    mp_check *t = *state;
    t->kinks_expected = true;
    char options[256];
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        snprintf(options, sizeof options, "pool=%s arch=tu hidden=10 conv=gine layers=%d", op->name,
                 op->rank_activated ? 2 : 3);
        network(t, options, 3);
    }
    network(t, "pool=topk arch=tu hidden=10 conv=ogb-gcn layers=3 score-dim=3 flip=true", 3);
    network(t, "pool=sag arch=colors hidden=8 conv=ogb-gcn", 1);
    network(t, "pool=asap arch=tu hidden=10 conv=ogb-gcn layers=2", 3);
    network(t, "pool=topk arch=tu hidden=10 conv=ogb-gin layers=2", 3);
    network(t, "pool=topk arch=triangles hidden=8 conv=ogb-gin ratio=0.8", 1);
    network(t, "pool=topk arch=tu hidden=10 conv=gine layers=2 adj-power=2", 3);
    network(t, "pool=vip arch=tu hidden=10 conv=gine layers=2 vip-adj=induced", 3);
    network(t, "pool=set2set hidden=10 conv=gine layers=2", 3);
    network(t, "pool=edge hidden=10 conv=ogb-gcn layers=2", 3);
    network(t, "pool=haar hidden=10 conv=gine layers=2", 3);
    network(t, "pool=sag arch=tu hidden=10 conv=ogb-gcn layers=2 encoder=embed", 3);
    network(t, "pool=topk arch=tu hidden=10 conv=gine layers=2 encoder=embed score-dim=2 flip=true", 3);
    network(t, "pool=topk arch=tu hidden=10 layers=2 encoder=embed", 3);
    network(t, "pool=gmt hidden=10 conv=ogb-gcn layers=2 encoder=embed clusters=2", 3);
    network(t, "pool=diff hidden=10 encoder=embed clusters=2", 3);
}

static void networks_that_score_other_features_or_know_the_attention(void **state)
{
    mp_check *t = *state;
    t->kinks_expected = true;
    static const char *const nets[] = {
        "pool=topk arch=tu hidden=10 layers=2 score-from=input",
        "pool=topk arch=tu hidden=10 layers=2 score-from=previous score-dim=3 flip=true",
        "pool=sag arch=tu hidden=10 layers=2 score-from=input score-dim=3 flip=true",
        "pool=sag arch=tu hidden=10 layers=2 score-from=previous conv=gin",
        "pool=sag arch=tu hidden=10 layers=1 score-from=input encoder=embed score-dim=2",
        "pool=topk arch=triangles hidden=8 score-from=previous variant=authors dropout=0.3 ratio=0.8",
        "pool=ug arch=triangles hidden=8 score-from=input ratio=0.8",
        "pool=sag arch=tu hidden=10 layers=2 score-layers=3 score-hidden=5",
        "pool=sag arch=triangles hidden=8 conv=chebygin cheb-order=4 cheb-agg=sum cheb-layers=2 ratio=0.8",
        "pool=sag arch=triangles hidden=8 score-conv=chebygin score-layers=2 score-hidden=4 ratio=0.8",
        "pool=topk arch=colors hidden=8 conv=chebygin min-score=0.1 score-from=previous score-init=normal",
        "pool=topk arch=tu hidden=10 layers=2 readout=sum multiplier=1.5",
        "pool=gsa arch=tu hidden=10 layers=2 readout=mean multiplier=0.5 width=mlp score-dim=2",
        "pool=asap arch=colors hidden=8 readout=max+mean multiplier=2",
        "pool=topk arch=tu hidden=10 layers=2 readout=max",
        "pool=topk arch=colors hidden=8 attention-loss=3",
        "pool=sag arch=triangles hidden=8 attention-loss=100 attention-target=softmax ratio=0.8",
        "pool=topk arch=triangles hidden=8 attention-loss=10 min-score=0.05 score-dim=3 score-from=input",
    };
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) network(t, nets[i], i < 5 ? 3 : 1);
    int many = SANITIZED ? 100 : 1000; /* a seventh of the entries is tried there */
    assert_true(t->entries > many && t->kinks * many <= t->entries);
}

static void every_network(void **state)
{
    mp_check *t = *state;
    t->kinks_expected = true;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        char options[256];
        for (int mid = 0; mid < 2; mid++) {
            const char *h = mid ? "score-dim=3 flip=true drop=0.1" : "score-dim=1";
            /* Scores from neighbours or shares hardly differ in the pairs that a third level is left with. */
            snprintf(options, sizeof options, "pool=%s arch=tu hidden=10 %s layers=%d", op->name, h,
                     op->rank_activated ? 2 : 3);
            network(t, options, 3);
            snprintf(options, sizeof options, "pool=%s arch=colors hidden=8 %s", op->name, h);
            network(t, options, 1);
            snprintf(options, sizeof options, "pool=%s arch=triangles hidden=8 %s ratio=0.7", op->name, h);
            network(t, options, 1);
        }
        snprintf(options, sizeof options, "pool=%s arch=tu hidden=10 conv=graphconv layers=2 variant=pyg", op->name);
        network(t, options, 3);
        snprintf(options, sizeof options,
                 "pool=%s arch=tu hidden=10 conv=sage layers=%d ratio=0.8 width=mlp score-dim=2", op->name,
                 op->rank_activated ? 2 : 4);
        network(t, options, 3);
    }
    assert_true(t->entries > 1000 && t->kinks * 1000 <= t->entries);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, mp_check_setup, mp_check_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(every_convolution),
        CASE(chebygin_of_every_order),
        CASE(attention_and_added_loops),
        CASE(every_operator_at_every_dimension_width_and_variant),
        CASE(every_option_of_every_operator),
        CASE(graphs_without_edges),
        CASE(networks_with_attributes_of_edges),
        CASE(autoencoders_around_every_operator),
        CASE(networks_that_score_other_features_or_know_the_attention),
        CASE(every_network),
    };
    return cmocka_run_group_tests_name("gradients of layers, poolings and networks", tests, NULL, NULL);
}
