/* predict_rows.c - answers as a table, as comma-separated lines and as one JSON object.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/predict.h"
#include "report/calibration.h"
#include "data/csv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_head(mp_buf *b, const mp_answerer *m, const char *word, int column)
{
    mp_buf_puts(b, "  ");
    mp_words_head(m, word, column, b);
}

static void text_head(const mp_ensemble *e, mp_buf *b)
{
    const mp_answerer *m = &e->by[0];
    const mp_goal *g = mp_model_goal(m->model);
    mp_buf_puts(b, "graph");
    for (int t = 0; t < g->columns; t++) {
        put_head(b, m, g->task->answer_word, t);
        if (g->task->shown_word) mp_buf_puts(b, "  ");
        if (g->task->shown_word) mp_words_shown_head(m, t, b);
        if (e->models > 1) put_head(b, m, "spread", t);
    }
    mp_buf_puts(b, "\n");
}

static void text_row(const mp_answerer *m, int64_t graph, const mp_words *w, mp_buf *b)
{
    const mp_task *task = mp_model_goal(m->model)->task;
    mp_buf_printf(b, "%5" PRId64, graph);
    for (int t = 0; t < w->columns; t++) {
        mp_buf label = { 0 };
        mp_words_label(m, w, t, &label);
        mp_buf_printf(b, "  %5s", label.p);
        if (task->shown_word) mp_buf_printf(b, "  %.4f", mp_words_behind(m, w, t));
        if (w->spread) mp_buf_printf(b, "  %.4f", mp_words_spread(m, w, t));
        mp_buf_free(&label);
    }
    mp_buf_puts(b, "\n");
}

/* On stderr, as all about labels of the input: stdout has answers alone. */
static void say_calibration(const mp_calibration *c)
{
    if (mp_calibration_count(c) == 0) {
        mp_cli_say("no labels in the input: whether probabilities hold cannot be said");
        return;
    }
    mp_cli_say("probability    count  mean probability  share true");
    for (int i = 0; i < MP_BINS; i++) {
        const mp_bin *b = &c->bin[i];
        char said[32] = "-", held[32] = "-";
        if (b->count) mp_format(said, sizeof said, "%.4f", mp_bin_said(b));
        if (b->count) mp_format(held, sizeof held, "%.4f", mp_bin_held(b));
        mp_cli_say("%.1f to %.1f  %7" PRId64 "  %16s  %10s", i / 10.0, (i + 1) / 10.0, b->count, said, held);
    }
    mp_cli_say("expected calibration error %.4f, Brier score %.4f, over %" PRId64 " probabilities",
               mp_calibration_error(c), mp_calibration_brier(c), mp_calibration_count(c));
}

static void text_tail(const mp_agreement *with, int64_t unseen, const char *error, mp_buf *b)
{
    char value[64];
    (void)b;
    if (error) return;
    mp_metric_unit(with->metric, with->value, value, sizeof value);
    if (!isnan(with->value) && with->metric->percent)
        mp_cli_say("%s agree with the labels of the input", value);
    else if (!isnan(with->value))
        mp_cli_say("%s from the labels of the input: %s", with->metric->title, value);
    if (with->calibration) say_calibration(with->calibration);
    if (unseen) mp_cli_say("%" PRId64 " nodes have a degree the model never met", unseen);
}

/* Names of labels and of classes may hold anything. Takes the name. */
static void put_csv_name(mp_buf *b, mp_buf *name)
{
    mp_buf_puts(b, ",");
    mp_csv_put(b, mp_span_of(name->p));
    mp_buf_free(name);
}

static void put_csv_head(mp_buf *b, const mp_answerer *m, const char *word, int column)
{
    mp_buf name = { 0 };
    mp_words_head(m, word, column, &name);
    put_csv_name(b, &name);
}

/* Yes and no are in the probabilities, unless they have names: a table of molecules gets these alone. */
static bool says_answer(const mp_answerer *m, bool table)
{
    return !table || !mp_model_goal(m->model)->task->yes_no || m->about.class_name;
}

static void put_csv_heads(const mp_ensemble *e, bool table, mp_buf *b)
{
    const mp_answerer *m = &e->by[0];
    const mp_goal *g = mp_model_goal(m->model);
    for (int t = 0; t < g->columns && says_answer(m, table); t++) put_csv_head(b, m, g->task->answer_word, t);
    for (int t = 0; t < g->columns && g->task->shown_word && !g->task->classes; t++) {
        mp_buf name = { 0 };
        mp_words_shown_head(m, t, &name);
        put_csv_name(b, &name);
    }
    for (int c = 0; c < m->about.classes; c++) {
        mp_buf name = { 0 };
        mp_words_class_head(m, c, &name);
        put_csv_name(b, &name);
    }
    for (int t = 0; t < g->columns && e->models > 1; t++) put_csv_head(b, m, "spread", t);
}

static int echo_columns(const mp_ensemble *e)
{
    const mp_goal *g = mp_model_goal(e->by[0].model);
    int answers = says_answer(&e->by[0], true) ? g->columns : 0, shown = g->task->shown_word ? mp_goal_outputs(g) : 0;
    return answers + shown + (e->models > 1 ? g->columns : 0);
}

static void put_csv_cells(const mp_answerer *m, const mp_words *w, bool table, mp_buf *b)
{
    const mp_task *task = mp_model_goal(m->model)->task;
    for (int t = 0; t < w->columns && says_answer(m, table); t++) {
        mp_buf label = { 0 };
        mp_words_label(m, w, t, &label);
        mp_buf_puts(b, ",");
        if (task->classes || m->about.class_name)
            mp_csv_put(b, mp_span_of(label.p));
        else
            mp_buf_printf(b, "%.9g", w->answer[t]);
        mp_buf_free(&label);
    }
    for (int i = 0; task->shown_word && i < w->shows; i++) mp_buf_printf(b, ",%.9g", w->shown[i]);
    for (int t = 0; w->spread && t < w->columns; t++) mp_buf_printf(b, ",%.9g", mp_words_spread(m, w, t));
}

static void csv_head(const mp_ensemble *e, mp_buf *b)
{
    mp_buf_puts(b, "graph");
    put_csv_heads(e, false, b);
    mp_buf_puts(b, "\n");
}

static void csv_row(const mp_answerer *m, int64_t graph, const mp_words *w, mp_buf *b)
{
    mp_buf_printf(b, "%" PRId64, graph);
    put_csv_cells(m, w, false, b);
    mp_buf_puts(b, "\n");
}

/* A record, cells of ours behind its last, its own line end. */
static size_t bare(mp_span raw)
{
    size_t n = raw.n;
    if (n && raw.p[n - 1] == '\n') n--;
    if (n && raw.p[n - 1] == '\r') n--;
    return n;
}

void mp_echo_head(const mp_ensemble *e, mp_span raw, mp_buf *b)
{
    size_t n = bare(raw);
    mp_buf_add(b, raw.p, n);
    put_csv_heads(e, true, b);
    mp_buf_add(b, raw.p + n, raw.n - n);
}

/* A column that is there already would be there twice. */
mp_err mp_echo_check(const mp_ensemble *e, mp_span raw, const char *path, mp_arena *a)
{
    mp_buf head = { 0 };
    mp_csv place = { .file = path };
    mp_csv_record all;
    mp_csv_head names;
    bool got;
    mp_echo_head(e, raw, &head);
    mp_span text = { mp_arena_text(a, head.p, head.n), head.n };
    mp_buf_free(&head);
    MP_TRY(mp_csv_next(&place, &text, a, &all, &got));
    return mp_csv_names(&place, &all, a, &names);
}

void mp_echo_row(const mp_ensemble *e, mp_span raw, const mp_words *w, mp_buf *b)
{
    size_t n = bare(raw);
    mp_buf_add(b, raw.p, n);
    if (w)
        put_csv_cells(&e->by[0], w, true, b);
    else
        for (int i = 0; i < echo_columns(e); i++) mp_buf_puts(b, ",");
    mp_buf_add(b, raw.p + n, raw.n - n);
}

static void put_model(const mp_answerer *m, mp_buf *b)
{
    mp_json_add_text(b, "trained_on", m->about.dataset);
    mp_json_add_text(b, "pool", mp_model_config(m->model)->pool);
}

static void put_models(const mp_ensemble *e, mp_buf *b)
{
    mp_json_key(b, "models");
    mp_json_open(b, '[');
    for (int i = 0; i < e->models; i++) {
        mp_json_open(b, '{');
        mp_json_add_text(b, "file", e->path[i]);
        put_model(&e->by[i], b);
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
}

static void json_head(const mp_ensemble *e, mp_buf *b)
{
    mp_json_open(b, '{');
    if (e->models == 1)
        put_model(&e->by[0], b);
    else
        put_models(e, b);
    mp_json_add_text(b, "task", mp_model_goal(e->by[0].model)->task->name);
    mp_words_classes_json(&e->by[0], b);
    mp_buf_puts(b, ",\"graphs\":[");
}

static void json_row(const mp_answerer *m, int64_t graph, const mp_words *w, mp_buf *b)
{
    mp_buf_puts(b, graph ? ",\n" : "\n");
    mp_json_open(b, '{');
    mp_json_add_int(b, "graph", graph);
    mp_words_json(m, w, b);
    mp_json_close(b, '}');
}

void mp_json_none(int64_t graph, const char *why, mp_buf *b)
{
    mp_buf_puts(b, graph ? ",\n" : "\n");
    mp_json_open(b, '{');
    mp_json_add_int(b, "graph", graph);
    mp_json_add_text(b, "error", why);
    mp_json_close(b, '}');
}

static void json_tail(const mp_agreement *with, int64_t unseen, const char *error, mp_buf *b)
{
    mp_buf_puts(b, "\n]");
    if (!isnan(with->value)) mp_buf_printf(b, ",\"%s\":%.17g", with->metric->name, with->value);
    if (with->calibration) {
        mp_buf_puts(b, ",\"calibration\":");
        mp_calibration_json(with->calibration, b);
    }
    mp_buf_printf(b, ",\"unseen_nodes\":%" PRId64, unseen);
    if (error) mp_json_add_text(b, "error", error);
    mp_buf_puts(b, "}\n");
}

const mp_answer_format mp_answers_text = { text_head, text_row, text_tail };
const mp_answer_format mp_answers_csv = { csv_head, csv_row, text_tail };
const mp_answer_format mp_answers_json = { json_head, json_row, json_tail };
