/* test_shards.c - a batch that is cut into shards has the losses and the gradient of the batch on one tape, for every
 * method with an auxiliary loss, whatever that is a mean over.
 *
 * Small graphs come first, so that shards, which have about the same number of nodes, differ much in that of graphs.
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

#include "world.h"

#define GRAPHS 160

typedef struct sums {
    double loss, aux;
    double *grad;
} sums;

/* The batch on one tape, which is all of it. */
static sums whole(world *w, const mp_batch *b, mp_draw d)
{
    mp_arena *a = w->rig.memory;
    mp_ctx c = { .arena = a, .k = mp_kernels_get(), .record = true, .training = true };
    mp_real *grad = MP_NEW(a, mp_real, w->params->size);
    sums s = { .grad = MP_NEW(a, double, w->params->size) };
    mp_graph g;
    mp_sparse x;
    mp_mat *aux;
    c.rng = mp_rng_stream(d.seed, MP_FOR_STEP, d.fold, d.epoch << 32 | d.step, 0);
    mp_params_bind(w->params, &c, grad);
    mp_graph_gather(a, b->all, b->x, b->which, b->n, false, &g, &x);
    mp_mat *y = mp_model_forward(w->model, &c, &g, &x, NULL, NULL, &aux);
    int *label = MP_NEW(a, int, b->n);
    for (int i = 0; i < b->n; i++) label[i] = (int)b->labels.v[b->which[i]];
    mp_mat *loss = mp_xent(&c, y, label, (mp_real)(1.0 / b->n), NULL);
    assert_non_null(aux);
    mp_grad_zeroed(&c, loss)[0] = mp_grad_zeroed(&c, aux)[0] = 1;
    mp_tape_back(&c);
    s.loss = (double)loss->v[0];
    s.aux = (double)aux->v[0];
    for (int id = 0; id < w->params->count; id++) {
        const mp_param *q = &w->params->list[id];
        for (int i = 0; c.params[id].live && i < q->rows * q->cols; i++)
            s.grad[q->offset + (size_t)i] = (double)c.params[id].g[i];
    }
    return s;
}

/* The same from an engine. Without weight decay Adam's first moment is (1 - beta1) times the gradient after one step. */
static sums in_shards(world *w, const mp_batch *b, mp_draw d)
{
    mp_engine *e = mp_engine_new(w->model, 2);
    mp_batch largest;
    sums s = { .grad = MP_NEW(w->rig.memory, double, w->params->size) };
    assert_true(mp_engine_cut(e, b, &largest) > 1);
    assert_int_equal(mp_engine_train(e, b, d, &s.loss, &s.aux), MP_OK);
    mp_real *state = malloc(mp_engine_state_size(e));
    assert_non_null(state);
    assert_int_equal(mp_engine_state_get(e, state), MP_OK);
    for (size_t i = 0; i < w->params->size; i++) s.grad[i] = (double)state[i] / (1 - w->conf.beta1);
    free(state);
    mp_engine_free(e);
    return s;
}

static void agree(const char *what, double got, double want, double size)
{
    if (!(fabs(got - want) <= 1e-10 * size)) fail_msg("%s: %.15g in shards, %.15g on one tape", what, got, want);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static bool is_conv_weight(const mp_param *q)
{
    return starts_with(q->name, "convs.") && ends_with(q->name, "weight");
}

/* VIPool compares rows in a random order, which a shard draws for itself. Convolutions without weights make all rows equal,
 * so that the order does not matter, except to the gradient of those weights; neighbourhoods still differ by degree. */
static void make_rows_equal(world *w)
{
    for (int id = 0; id < w->params->count; id++) {
        const mp_param *q = &w->params->list[id];
        if (!starts_with(q->name, "convs.")) continue;
        mp_real *v = w->params->theta + q->offset;
        for (int i = 0; i < q->rows * q->cols; i++) v[i] = is_conv_weight(q) ? 0 : (mp_real)(0.3 + 0.1 * i);
    }
}

static void small_first(world *w)
{
    const int *ptr = w->all.node_ptr;
    for (int i = 1; i < GRAPHS; i++) {
        int v = w->order[i], k = i;
        for (; k > 0 && ptr[w->order[k - 1] + 1] - ptr[w->order[k - 1]] > ptr[v + 1] - ptr[v]; k--)
            w->order[k] = w->order[k - 1];
        w->order[k] = v;
    }
}

static void cut_batch_agrees(const char *options, bool shuffled)
{
    world w;
    char all[256];
    snprintf(all, sizeof all, "%s hidden=8 layers=3 dropout=0 weight-decay=0 batch-size=256", options);
    world_init(&w, all, GRAPHS, 30, 2);
    if (shuffled) make_rows_equal(&w);
    small_first(&w);
    mp_batch b = batch_of(&w, 0, GRAPHS);
    mp_draw d = { 1, 0, 1, 0 };
    sums one = whole(&w, &b, d), many = in_shards(&w, &b, d);
    assert_true(fabs(one.aux) > 1e-3);
    agree(options, many.loss, one.loss, 1);
    agree(options, many.aux, one.aux, fabs(one.aux));
    for (int id = 0; id < w.params->count; id++) {
        const mp_param *q = &w.params->list[id];
        double most = 1e-6;
        if (shuffled && is_conv_weight(q)) continue;
        size_t end = q->offset + (size_t)q->rows * (size_t)q->cols;
        for (size_t i = q->offset; i < end; i++) most = fmax(most, fabs(one.grad[i]));
        for (size_t i = q->offset; i < end; i++) {
            char what[320];
            snprintf(what, sizeof what, "%s, gradient of %s", options, q->name);
            agree(what, many.grad[i], one.grad[i], most);
        }
    }
    world_free(&w);
}

static void poolings_weigh_shards_by_what_their_loss_is_a_mean_over(void **state)
{
    (void)state;
    static const char *const ways[] = { "score-dim=1", "score-dim=3 flip=true", "variant=authors", "ratio=0.3" };
    int graphs = 0, nodes = 0;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        if (op->loss_weight == 0) continue;
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            char options[128];
            snprintf(options, sizeof options, "pool=%s mi-weight=1 %s", op->name, ways[i]);
            cut_batch_agrees(options, strcmp(op->name, "vip") == 0);
        }
        graphs += op->loss_over == MP_OVER_GRAPHS;
        nodes += op->loss_over == MP_OVER_NODES;
    }
    assert_true(graphs > 0 && nodes > 0);
}

static void baselines_weigh_shards_by_their_graphs(void **state)
{
    (void)state;
    cut_batch_agrees("pool=diff clusters=4 link-weight=1 entropy-weight=1", false);
    cut_batch_agrees("pool=mincut clusters=4", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poolings_weigh_shards_by_what_their_loss_is_a_mean_over),
        cmocka_unit_test(baselines_weigh_shards_by_their_graphs),
    };
    return cmocka_run_group_tests_name("shards and auxiliary losses", tests, NULL, NULL);
}
