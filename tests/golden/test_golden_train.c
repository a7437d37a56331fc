/* test_golden_train.c - the engine that trains models takes the steps of the reference: six losses and the
 * weights after them. The golden runner has a plain loop of its own; this is the way real training goes, with
 * features as a sparse matrix, shards and threads.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "model/safetensors.h"
#include "train/engine.h"
#include "option.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct net {
    mp_arena *arena;
    mp_safetensors file;
    mp_config conf;
    mp_graph g;
    mp_sparse x;
    int *which;
    double *label;
    mp_model *model;
} net;

static const mp_tensor *need(const net *n, const char *name)
{
    const mp_tensor *t = mp_safetensors_find(&n->file, name);
    if (!t) fail_msg("no tensor %s", name);
    return t;
}

static int *ints(const net *n, const char *name)
{
    const mp_tensor *t = need(n, name);
    int *v = MP_NEW(n->arena, int, t->count + 1);
    assert_int_equal(mp_tensor_ints(t, v), MP_OK);
    return v;
}

static mp_sparse all_columns(const net *n)
{
    const mp_tensor *t = need(n, "in.x");
    int rows = (int)t->shape[0], cols = (int)t->shape[1];
    int *ptr = MP_NEW(n->arena, int, rows + 1), *col = MP_NEW(n->arena, int, rows *cols);
    mp_real *val = MP_NEW(n->arena, mp_real, rows * cols);
    for (int v = 0; v <= rows; v++) ptr[v] = v * cols;
    for (int i = 0; i < rows * cols; i++) col[i] = i % cols;
    assert_int_equal(mp_tensor_reals(t, val), MP_OK);
    return (mp_sparse){ .rows = rows, .cols = cols, .ptr = ptr, .col = col, .val = val };
}

static void set_options(net *n, const char *pool)
{
    const mp_json *j;
    const char *text = mp_safetensors_meta(&n->file, "case");
    assert_int_equal(mp_json_parse(mp_span_of(text), "case", n->arena, &j), MP_OK);
    mp_config_init(&n->conf);
    snprintf(n->conf.pool, sizeof n->conf.pool, "%s", pool);
    n->conf.score_dim = (int)mp_json_int(j, "h", 1);
    n->conf.flip = mp_json_flag(j, "flip", false);
    n->conf.hidden = (int)mp_json_int(j, "hidden", 0);
    n->conf.ratio = mp_json_real(j, "ratio", 0);
    option_set(&n->conf, "mix", "before");
    n->conf.dropout = 0;
}

static void load_weights(net *n)
{
    mp_params *p = mp_model_params(n->model);
    for (int id = 0; id < p->count; id++) {
        const mp_tensor *t = need(n, mp_arena_printf(n->arena, "w.%s", p->list[id].name));
        float *v = MP_NEW(n->arena, float, t->count);
        memcpy(v, t->data, t->count * sizeof *v);
        mp_param_read(p, id, v);
    }
}

static void open_net(net *n, const char *pool, int h)
{
    *n = (net){ .arena = mp_arena_new(1 << 20) };
    const char *path =
        mp_arena_printf(n->arena, "%s/tests/golden/vectors/net_%s_h%d.safetensors", getenv("MIDPOOL_SOURCE"), pool, h);
    assert_int_equal(mp_safetensors_load(path, n->arena, &n->file), MP_OK);
    set_options(n, pool);
    int graphs = (int)need(n, "in.ptr")->count - 1, edges = (int)need(n, "in.edge_index")->count / 2;
    const int *list = ints(n, "in.edge_index"), *ptr = ints(n, "in.ptr");
    assert_int_equal(mp_graph_from_edges(n->arena, graphs, ptr, edges, list, list + edges, &n->g, NULL), MP_OK);
    n->x = all_columns(n);
    n->label = MP_NEW(n->arena, double, graphs);
    mp_tensor_doubles(need(n, "in.y"), n->label);
    n->which = MP_NEW(n->arena, int, graphs);
    for (int b = 0; b < graphs; b++) n->which[b] = b;
    int classes = (int)need(n, "out.logp")->shape[1];
    assert_int_equal(
        mp_model_new(n->arena, &n->conf, (mp_inputs){ .features = n->x.cols, .outputs = classes }, &n->model), MP_OK);
    load_weights(n);
}

static void train(net *n, int threads)
{
    mp_engine *e = mp_engine_new(n->model, threads);
    mp_batch b = {
        .all = &n->g, .x = &n->x, .which = n->which, .n = n->g.graphs, .labels = { .columns = 1, .v = n->label }
    };
    const mp_tensor *losses = need(n, "out.losses");
    double *theirs = MP_NEW(n->arena, double, losses->count), ours, aux;
    mp_tensor_doubles(losses, theirs);
    for (size_t s = 0; s < losses->count; s++) {
        assert_int_equal(mp_engine_train(e, &b, (mp_draw){ 1, 0, 0, s }, &ours, &aux), MP_OK);
        if (!(fabs(ours - theirs[s]) <= 1e-5 * theirs[0])) fail_msg("loss %zu is %.9g, not %.9g", s, ours, theirs[s]);
    }
    mp_engine_free(e);
}

/* Looser than the golden runner, which knows where Adam amplifies rounding: one step moves a weight by 5e-4.
 */
static void compare_weights(net *n)
{
    const mp_params *p = mp_model_params(n->model);
    for (int id = 0; id < p->count; id++) {
        const mp_tensor *t = need(n, mp_arena_printf(n->arena, "out.w5.%s", p->list[id].name));
        float *ours = MP_NEW(n->arena, float, t->count), theirs;
        mp_param_write(p, id, ours);
        for (size_t i = 0; i < t->count; i++) {
            memcpy(&theirs, (const char *)t->data + 4 * i, 4);
            if (!(fabsf(ours[i] - theirs) <= 2e-5f))
                fail_msg("%s[%zu] is %g, not %g", t->name, i, (double)ours[i], (double)theirs);
        }
    }
}

static void the_engine_takes_the_steps_of_the_reference(void **state)
{
    (void)state;
    static const char *const pools[] = { "topk", "sag", "gsa" };
    for (int i = 0; i < 6; i++) {
        net n;
        open_net(&n, pools[i % 3], i < 3 ? 1 : 5);
        train(&n, 1 + i % 2);
        compare_weights(&n);
        mp_arena_free(n.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_engine_takes_the_steps_of_the_reference) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
