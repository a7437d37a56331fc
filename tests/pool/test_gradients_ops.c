/* test_gradients_ops.c - two poolings in a row, of every operator with every option of its own, agree with
 * central differences: features, weights of the coarse edges and auxiliary losses, with the kept nodes held
 * fixed. The second pooling's graph carries the weights that the first one made, and their gradient where
 * they have one.
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

#include "gradcheck.h"
#include "pool/pool.h"

#define LEVELS 2

/* A selector that keeps what another one chose before. */
typedef struct chosen {
    int *keep, *keep_ptr;
} chosen;

static void keep_chosen(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const chosen *s = state;
    (void)pool;
    (void)c;
    p->keep = s->keep;
    p->keep_ptr = s->keep_ptr;
}

static const mp_selector fixed = { .name = "fixed", .formula = "the nodes of the first run", .run = keep_chosen };

typedef struct tower { /* two pooling layers and their inputs */
    mp_config conf;
    mp_graph g;
    mp_params params;
    mp_pool *pool[LEVELS];
    mp_pooling p[LEVELS];
    mp_mat *x;
} tower;

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

static void run(mp_check *t, tower *w)
{
    t->ctx.record = true; /* losses exist only where gradients do */
    for (int l = 0; l < LEVELS; l++) {
        w->p[l] =
            (mp_pooling){ .g = l ? w->p[l - 1].out_g : mp_check_fresh(t, &w->g), .x = l ? w->p[l - 1].out_x : w->x };
        mp_pool_run(w->pool[l], &t->ctx, &w->p[l]);
    }
}

/* From now on both levels keep the nodes that they keep now. */
static void hold(mp_check *t, tower *w)
{
    mp_arena_reset(t->ctx.arena);
    t->ctx.last = NULL;
    t->ctx.rng = mp_rng_stream(7, MP_FOR_STEP, 0, 0, 0);
    run(t, w);
    for (int l = 0; l < LEVELS; l++) {
        int B = w->g.graphs, n = w->p[l].keep_ptr[B];
        chosen *s = MP_NEW(t->rig.memory, chosen, 1);
        s->keep = MP_NEW(t->rig.memory, int, n);
        s->keep_ptr = MP_NEW(t->rig.memory, int, B + 1);
        memcpy(s->keep, w->p[l].keep, (size_t)n * sizeof(int));
        memcpy(s->keep_ptr, w->p[l].keep_ptr, (size_t)(B + 1) * sizeof(int));
        w->pool[l]->selector = &fixed;
        w->pool[l]->select_state = s;
    }
}

/* The coarse weights of these are constants of the backward pass, so what they are made from is none of its
 * business (math.md 3.0). */
static bool weights_learn(const mp_pool_op *op)
{
    static const char *const constant[] = { "att", "vip", "ug", "ipool" };
    for (size_t i = 0; i < sizeof constant / sizeof *constant; i++)
        if (strcmp(op->name, constant[i]) == 0) return false;
    return true;
}

static void two_in_a_row(mp_check *t, const mp_pool_op *op, const char *options, bool weighted)
{
    static const int sizes[] = { 7, 1, 4 };
    tower w = { 0 };
    char what[320];
    mp_config_init(&w.conf);
    set(&w.conf, options);
    mp_check_reset(t);
    mp_arena_reset(t->rig.memory);
    w.g = mp_rig_graph(&t->rig, 3, sizes, 0.4, weighted ? 0.2 : 0);
    if (weighted) w.g.w = mp_rig_weights(&t->rig, &w.g);
    w.params.arena = t->rig.memory;
    for (int l = 0, width = 3; l < LEVELS; l++, width = mp_pool_width(w.pool[l - 1]))
        w.pool[l] = mp_pool_new(t->rig.memory, op, &w.conf, &w.params, l ? "1" : "0", width);
    mp_check_params(t, &w.params);
    w.x = mp_check_input(t, w.g.nodes, 3);
    if (weighted && weights_learn(op)) mp_check_watch(t, w.g.w);
    hold(t, &w);
    t->most = 24;
    snprintf(what, sizeof what, "%s %s%s", op->name, options, weighted ? " (weighted)" : "");
    const mp_mat *first = w.p[LEVELS - 1].out_g->w;
    bool edges = first && first->g;
    for (mp_check_begin(t, what); mp_check_next(t);) {
        run(t, &w);
        mp_check_value(t, w.p[1].out_x);
        if (edges) mp_check_value(t, w.p[1].out_g->w);
        for (int l = 0; l < LEVELS; l++)
            if (w.p[l].loss) mp_check_value(t, w.p[l].loss);
    }
}

static void every_operator_at_every_dimension(void **state)
{
    mp_check *t = *state;
    static const char *const dims[] = { "score-dim=1", "score-dim=3 flip=true drop=0.2",
                                        "score-dim=5 flip=true drop=0.1", "score-dim=9 flip=true ratio=0.8" };
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        for (int i = 0; i < 4; i++) {
            char options[256];
            snprintf(options, sizeof options, "detach-adj=no %s", dims[i]);
            two_in_a_row(t, op, options, false);
            two_in_a_row(t, op, options, true);
        }
    }
}

static void every_option(void **state)
{
    mp_check *t = *state;
    static const struct {
        const char *op, *options;
    } rows[] = {
        { "asap", "intra=gcn" },
        { "asap", "variant=pyg" },
        { "asap", "variant=authors detach-adj=no" },
        { "att", "attention=local" },
        { "att", "attention=local dnorm=true" },
        { "att", "assign=raw ratio=0.4" },
        { "att", "scale-n=true" },
        { "att", "gate=tanh" },
        { "hgpsl", "lap-norm=sym" },
        { "hgpsl", "sparse=false" },
        { "hgpsl", "candidates=sampled" },
        { "hgpsl", "candidates=sampled hops=1" },
        { "hgpsl", "lambda=0.3" },
        { "hgpsl", "gate=identity" },
        { "hgpsl", "gate=tanh lap-norm=sym" },
        { "hgpsl", "gate=sigmoid width=multihead" },
        { "vip", "hops=2" },
        { "vip", "hops=3 gate=tanh" },
        { "vip", "vip-adj=literal" },
        { "vip", "vip-adj=induced" },
        { "vip", "gate=identity mi-weight=0" },
        { "rep", "rep-score=original" },
        { "rep", "rep-select=peak" },
        { "rep", "lambda=0" },
        { "rep", "ratio=0.2" },
        { "rep", "gate=tanh rep-score=original" },
        { "ug", "square=after" },
        { "ug", "binary=true gate=sigmoid" },
        { "cgi", "variant=authors" },
        { "cgi", "mi-nodes=top1" },
        { "cgi", "variant=authors mi-nodes=top1" },
        { "cgi", "gate=identity mi-weight=0" },
        { "tap", "connectivity=true" },
        { "tap", "connectivity=true lambda=0.5 scale-n=true" },
        { "tap", "gate=sigmoid" },
        { "ipool", "pick=local" },
        { "ipool", "hops=3 overlap=cosine" },
        { "ipool", "gate=identity" },
        { "ipool", "gate=tanh" },
    };
    t->rig.rng = mp_rng_stream(3, MP_FOR_TEST, 0, 0, 0); /* with it no step crosses a kink */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int wide = 0; wide < 2; wide++) {
            char options[256];
            snprintf(options, sizeof options, "%s score-dim=%d flip=true", rows[i].options, wide ? 3 : 1);
            two_in_a_row(t, mp_pool_find(rows[i].op), options, false);
            two_in_a_row(t, mp_pool_find(rows[i].op), options, true);
        }
    }
}

/* Attention so sharp that a neighbourhood's sum is of the size of the 1e-10 that guards it. */
static void local_attention_far_below_the_top(void **state)
{
    mp_check *t = *state;
    static const int sizes[] = { 7, 4 };
    for (int columns = 1; columns <= 3; columns += 2) {
        mp_check_reset(t);
        mp_graph g = mp_rig_graph(&t->rig, 2, sizes, 0.3, 1);
        mp_mat *w = mp_rig_weights(&t->rig, &g), *z = mp_check_input(t, g.nodes, columns),
               *tau = mp_check_input(t, 1, 1);
        for (int i = 0; i < z->rows * z->cols; i++) z->v[i] *= 10;
        tau->v[0] = 1.2;
        for (mp_check_begin(t, "local_att"); mp_check_next(t);) {
            g.w = mp_mat_of(&t->ctx, w->v, g.edges, 1);
            mp_check_value(t, mp_local_att(&t->ctx, &g, z, tau));
        }
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, mp_check_setup, mp_check_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(every_operator_at_every_dimension),
        CASE(every_option),
        CASE(local_attention_far_below_the_top),
    };
    return cmocka_run_group_tests_name("gradients of two poolings in a row", tests, NULL, NULL);
}
