/* cmd_predict.c - midpool predict: answers of a model for the graphs of a file, in blocks as they are
 * computed.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/setup.h"
#include "data/seal.h"
#include "train/engine.h"
#include "train/judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 1024 /* graphs: enough for all threads, little enough to show results soon */

typedef struct predict {
    const char *data;
    int threads, json, csv;
} predict;

/* clang-format off */
static const mp_opt own[] = {
    { "threads", MP_OPT_INT, offsetof(predict, threads), "0", 0, 256, NULL, "threads; 0 = all processors" },
    { "json", MP_OPT_FLAG, offsetof(predict, json), "false", 0, 1, NULL, "one JSON object" },
    { "csv", MP_OPT_FLAG, offsetof(predict, csv), "false", 0, 1, NULL, "comma-separated lines with a header" },
    { NULL, 0, 0, NULL, 0, 0, NULL, NULL }
};
static const mp_cli_text texts[] = {
    { "data", offsetof(predict, data), NULL, "DIR", "folder with data sets" },
    { NULL, 0, NULL, NULL, NULL }
};
/* clang-format on */
static const mp_cli_group groups[] = { { "options", own, 0 }, { NULL, NULL, 0 } };
static mp_err run(void *conf, const mp_cli_args *args);
static const mp_cli cli = {
    .name = "predict",
    .operands = "MODEL INPUT",
    .summary = "Labels and probabilities of a model file for the graphs of INPUT.",
    .more = "INPUT is a data set's name, a TUDataset folder or a zip of one; labels in it are not needed, "
            "and where\n"
            "they are there the share of right answers is printed too. Graphs are numbered from 0.",
    .least = 2,
    .most = 2,
    .size = sizeof(predict),
    .groups = groups,
    .texts = texts,
    .run = run
};

typedef struct format { /* one way of writing: what comes before, for each graph, and after */
    void (*head)(const mp_ready *m, mp_buf *b);
    void (*row)(const mp_ready *m, int graph, int64_t answer, const mp_real *out, mp_buf *b);
    void (*tail)(double accuracy, int unseen, mp_buf *b);
} format;

static bool classifies(const mp_ready *m)
{
    return m->about.task == MP_CLASSIFY;
}

static int64_t label_of(const mp_ready *m, int64_t answer)
{
    return classifies(m) ? m->about.class_value[answer] : answer;
}

static double share(mp_real log_probability)
{
    return exp((double)log_probability);
}

static void text_head(const mp_ready *m, mp_buf *b)
{
    mp_buf_puts(b, classifies(m) ? "graph  label  probability\n" : "graph  rounded  output\n");
}

static void text_row(const mp_ready *m, int graph, int64_t answer, const mp_real *out, mp_buf *b)
{
    double value = classifies(m) ? share(out[answer]) : (double)out[0];
    mp_buf_printf(b, "%5d  %5" PRId64 "  %.4f\n", graph, label_of(m, answer), value);
}

static void text_tail(double accuracy, int unseen, mp_buf *b)
{
    (void)b;
    if (!isnan(accuracy)) fprintf(stderr, "%.2f %% agree with the labels of the input\n", 100 * accuracy);
    if (unseen) fprintf(stderr, "%d nodes have a degree the model never met\n", unseen);
}

static void csv_head(const mp_ready *m, mp_buf *b)
{
    mp_buf_puts(b, classifies(m) ? "graph,label" : "graph,rounded,output");
    for (int c = 0; c < m->about.classes; c++) mp_buf_printf(b, ",p_%" PRId64, m->about.class_value[c]);
    mp_buf_puts(b, "\n");
}

static void csv_row(const mp_ready *m, int graph, int64_t answer, const mp_real *out, mp_buf *b)
{
    mp_buf_printf(b, "%d,%" PRId64, graph, label_of(m, answer));
    if (!classifies(m)) mp_buf_printf(b, ",%.9g", (double)out[0]);
    for (int c = 0; c < m->about.classes; c++) mp_buf_printf(b, ",%.9g", share(out[c]));
    mp_buf_puts(b, "\n");
}

static void json_head(const mp_ready *m, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_text(b, "trained_on", m->about.dataset);
    mp_json_add_text(b, "pool", mp_model_config(m->model)->pool);
    mp_json_key(b, "classes");
    mp_json_open(b, '[');
    for (int c = 0; c < m->about.classes; c++) mp_json_put_int(b, m->about.class_value[c]);
    mp_json_close(b, ']');
    mp_buf_puts(b, ",\"graphs\":[");
}

static void json_row(const mp_ready *m, int graph, int64_t answer, const mp_real *out, mp_buf *b)
{
    mp_buf_puts(b, graph ? ",\n" : "\n");
    mp_buf one = { 0 };
    mp_json_open(&one, '{');
    mp_json_add_int(&one, "graph", graph);
    mp_json_add_int(&one, "label", label_of(m, answer));
    if (!classifies(m)) mp_json_add_real(&one, "output", (double)out[0]);
    if (classifies(m)) {
        mp_json_key(&one, "probabilities");
        mp_json_open(&one, '[');
        for (int c = 0; c < m->about.classes; c++) mp_json_put_real(&one, share(out[c]));
        mp_json_close(&one, ']');
    }
    mp_json_close(&one, '}');
    mp_buf_add(b, one.p, one.n);
    mp_buf_free(&one);
}

static void json_tail(double accuracy, int unseen, mp_buf *b)
{
    mp_buf_puts(b, "\n]");
    if (!isnan(accuracy)) mp_buf_printf(b, ",\"accuracy\":%.17g", accuracy);
    mp_buf_printf(b, ",\"unseen_nodes\":%d}\n", unseen);
}

static const format as_text = { text_head, text_row, text_tail }, as_csv = { csv_head, csv_row, text_tail },
                    as_json = { json_head, json_row, json_tail };

typedef struct work {
    const mp_ready *ready;
    const format *format;
    mp_engine *engine;
    mp_real *out;    /* of one block */
    int64_t *answer; /* of one block */
    int *which;      /* of one block */
    double right;    /* graphs answered as the input's labels say */
    mp_buf text;
} work;

static mp_err print_block(work *w, int from, int n)
{
    const mp_ready *m = w->ready;
    mp_batch b = { .all = &m->data.graphs, .x = &m->data.x, .which = w->which, .n = n };
    for (int i = 0; i < n; i++) w->which[i] = from + i;
    MP_TRY(mp_engine_predict(w->engine, &b, w->out));
    mp_judge_answers(m->model, w->out, n, w->answer);
    if (m->data.seal) w->right += n * mp_seal_accuracy(m->data.seal, w->which, n, w->answer);
    int outputs = mp_model_outputs(m->model);
    for (int i = 0; i < n; i++)
        w->format->row(m, from + i, w->answer[i], w->out + (size_t)i * (size_t)outputs, &w->text);
    mp_err e = mp_cli_print(w->text.p, w->text.n);
    w->text.n = 0;
    return e;
}

static mp_err print_all(work *w)
{
    const mp_ready *m = w->ready;
    int graphs = m->data.graphs.graphs;
    w->format->head(m, &w->text);
    for (int at = 0; at < graphs; at += BLOCK) MP_TRY(print_block(w, at, graphs - at < BLOCK ? graphs - at : BLOCK));
    w->format->tail(m->data.seal && graphs ? w->right / graphs : (double)NAN, m->data.unseen_nodes, &w->text);
    return mp_cli_print(w->text.p, w->text.n);
}

static mp_err run(void *conf, const mp_cli_args *args)
{
    const predict *p = conf;
    mp_arena *a = args->arena;
    mp_ready ready;
    if (p->json && p->csv) return mp_fail(MP_ERR_USAGE, "--json and --csv exclude each other");
    MP_TRY(mp_setup_ready(args->operand[0], args->operand[1], p->data, a, &ready));
    work w = { .ready = &ready, .format = p->json ? &as_json : p->csv ? &as_csv : &as_text };
    w.out = MP_NEW(a, mp_real, (size_t)BLOCK * (size_t)mp_model_outputs(ready.model));
    w.answer = MP_NEW(a, int64_t, BLOCK);
    w.which = MP_NEW(a, int, BLOCK);
    w.engine = mp_engine_new(ready.model, mp_setup_threads(p->threads));
    mp_err e = print_all(&w);
    mp_engine_free(w.engine);
    mp_buf_free(&w.text);
    return e;
}

int mp_cmd_predict(int argc, char **argv)
{
    return mp_cli_main(&cli, argc, argv);
}
