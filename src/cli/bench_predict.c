/* bench_predict.c - midpool bench predict: graphs a second through a network with random weights, without reading and
 * printing: in blocks over all threads, as the command predict computes, and one at a time through the library's call.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "cli/bench.h"
#include "cli/given.h"
#include "cli/setup.h"
#include "midpool.h"
#include "study/epoch_time.h"
#include "train/once.h"

#include <string.h>

#define BLOCK 1024 /* graphs */

typedef struct predict_conf {
    mp_config model;
    struct {
        int threads, rounds, graphs, json;
    } how;
    const char *data;
} predict_conf;

#define HOW(field) offsetof(predict_conf, how.field) - offsetof(predict_conf, how)
/* clang-format off */
static const mp_opt how_table[] = {
    { "threads", MP_OPT_INT, HOW(threads), "0", 0, 1024, NULL, "threads; 0 = one a core" },
    { "rounds", MP_OPT_INT, HOW(rounds), "7", 1, 1000, NULL, "timed rounds, after one to warm up; the median is printed" },
    { "graphs", MP_OPT_INT, HOW(graphs), "50000", 1, 100000000, NULL, "graphs of a round: the data set over and over" },
    { "json", MP_OPT_FLAG, HOW(json), "false", 0, 1, NULL, "one JSON object on stdout" },
    { 0 }
};
/* clang-format on */

typedef struct timing { /* one way of predicting `graphs` graphs of the set, over and over */
    const mp_dataset *d;
    int graphs;
    mp_engine *engine;
    mp_real *out;
    mp_predictor *predictor;
    const mp_query *query; /* of every graph of the set */
    bool failed;
} timing;

static void predict_blocks(timing *t)
{
    int which[BLOCK];
    for (int at = 0; at < t->graphs; at += BLOCK) {
        int n = t->graphs - at < BLOCK ? t->graphs - at : BLOCK;
        for (int i = 0; i < n; i++) which[i] = (at + i) % t->d->graphs.graphs;
        mp_batch b = { .all = &t->d->graphs, .x = &t->d->x, .which = which, .n = n };
        if (mp_engine_predict(t->engine, &b, t->out) != MP_OK) t->failed = true;
    }
}

static void predict_singly(timing *t)
{
    mp_answer answer;
    for (int i = 0; i < t->graphs; i++)
        if (!mp_predict(t->predictor, &t->query[i % t->d->graphs.graphs], &answer)) t->failed = true;
}

/* Graphs a second, the median of the rounds. */
static double rate(timing *t, void (*predict)(timing *), int rounds, mp_arena *a)
{
    double *seconds = MP_NEW(a, double, rounds);
    for (int i = -1; i < rounds; i++) {
        double start = mp_seconds();
        predict(t);
        if (i >= 0) seconds[i] = mp_seconds() - start;
    }
    return t->graphs / mp_median(seconds, rounds);
}

static mp_query query_of(const mp_dataset *d, int b, mp_arena *a)
{
    const mp_graph *g = &d->graphs;
    int first = g->node_ptr[b], nodes = g->node_ptr[b + 1] - first, n = 0;
    int edges = g->row_ptr[first + nodes] - g->row_ptr[first];
    int *from = MP_NEW_RAW(a, int, edges), *to = MP_NEW_RAW(a, int, edges);
    float *x = MP_NEW(a, float, (size_t)nodes *(size_t)d->x.cols);
    for (int v = 0; v < nodes; v++) {
        for (int e = g->row_ptr[first + v]; e < g->row_ptr[first + v + 1]; e++, n++) {
            from[n] = g->col[e] - first;
            to[n] = v;
        }
        for (int z = d->x.ptr[first + v]; z < d->x.ptr[first + v + 1]; z++)
            x[(size_t)v * (size_t)d->x.cols + (size_t)d->x.col[z]] = d->x.val ? (float)d->x.val[z] : 1;
    }
    return (mp_query){ .nodes = nodes, .edges = edges, .from = from, .to = to, .x = x };
}

static mp_predictor *predictor_of(mp_model *m, const mp_dataset *d)
{
    mp_about about = mp_about_of(d, m);
    mp_buf file = { 0 };
    mp_checkpoint_write(m, &about, &file);
    mp_predictor *p = mp_predictor_from(file.p, file.n);
    mp_buf_free(&file);
    return p;
}

static mp_err print_rates(const predict_conf *b, const mp_dataset *d, int threads, double blocks, double singly)
{
    mp_buf out = { 0 };
    const char *isa = mp_kernels_get()->isa;
    double nodes = (double)d->graphs.nodes / d->graphs.graphs;
    if (b->how.json) {
        mp_json_open(&out, '{');
        mp_json_add_text(&out, "dataset", d->name);
        mp_json_add_text(&out, "pool", b->model.pool);
        mp_json_add_int(&out, "score_dim", b->model.score_dim);
        mp_json_add_int(&out, "threads", threads);
        mp_json_add_text(&out, "isa", isa);
        mp_json_add_real(&out, "nodes_per_graph", nodes);
        mp_json_add_real(&out, "graphs_per_second", blocks);
        mp_json_add_real(&out, "single_graphs_per_second", singly);
        mp_json_close(&out, '}');
        mp_buf_puts(&out, "\n");
    } else {
        mp_buf_printf(&out,
                      "%s, %s, h = %d, hidden %d, %.1f nodes a graph, kernels %s\n"
                      "  in blocks of %d, %d threads   %8.0f graphs a second, %.2f us a graph and thread\n"
                      "  one at a time, 1 thread     %8.0f graphs a second, %.2f us a graph\n",
                      d->name, b->model.pool, b->model.score_dim, b->model.hidden, nodes, isa, BLOCK, threads, blocks,
                      1e6 * threads / blocks, singly, 1e6 / singly);
    }
    mp_err e = mp_cli_print(out.p, out.n);
    mp_buf_free(&out);
    return e;
}

static mp_err measure(const predict_conf *b, const mp_dataset *d, mp_model *m, mp_arena *a)
{
    int threads = mp_setup_threads(b->how.threads), graphs = d->graphs.graphs;
    mp_query *query = MP_NEW(a, mp_query, graphs);
    for (int i = 0; i < graphs; i++) query[i] = query_of(d, i, a);
    timing t = { .d = d, .graphs = b->how.graphs, .query = query, .predictor = predictor_of(m, d) };
    if (!t.predictor) return MP_ERR_INPUT;
    t.engine = mp_engine_new(m, threads);
    t.out = MP_NEW(a, mp_real, (size_t)BLOCK * (size_t)mp_model_outputs(m));
    double blocks = rate(&t, predict_blocks, b->how.rounds, a), singly = rate(&t, predict_singly, b->how.rounds, a);
    mp_engine_free(t.engine);
    mp_predictor_free(t.predictor);
    return t.failed ? mp_fail(MP_ERR_DIVERGED, "a prediction failed: %s", mp_message())
                    : print_rates(b, d, threads, blocks, singly);
}

static mp_err bench_predict(void *conf, const mp_cli_args *args)
{
    predict_conf *b = conf;
    mp_dataset d;
    mp_model *m;
    const char *const *presets;
    MP_TRY(mp_setup_load(args->operand[0], b->data, &b->model, NULL, args->arena, &d));
    MP_TRY(mp_presets_for(&d, b->model.pool, NULL, args->arena, &presets));
    MP_TRY(mp_cli_apply(&mp_bench_predict, args, presets, b));
    MP_TRY(mp_given_settle(args, d.task, &b->model));
    MP_TRY(mp_task_of_graphs(d.task, d.name));
    mp_config_resolve(&b->model, &d.graphs);
    MP_TRY(mp_run_plan(&d, &b->model, args->arena, &m));
    mp_params_alloc(mp_model_params(m));
    mp_params_init(mp_model_params(m), (uint64_t)b->model.seed, 0);
    return measure(b, &d, m, args->arena);
}

static const mp_cli_group groups[] = {
    { "Measuring", how_table, offsetof(predict_conf, how) },
    { "Model", mp_config_table, offsetof(predict_conf, model) },
    { 0 },
};
static const mp_cli_text texts[] = {
    { "data", offsetof(predict_conf, data), NULL, "DIR", "folder with data sets, looked in first" },
    { 0 },
};
const mp_cli mp_bench_predict = { .name = "bench predict",
                                  .operands = "DATASET",
                                  .summary = "Graphs a second through a network, in blocks and one at a time.",
                                  .least = 1,
                                  .most = 1,
                                  .size = sizeof(predict_conf),
                                  .groups = groups,
                                  .texts = texts,
                                  .has_model = true,
                                  .run = bench_predict };
