/* predict_rows.c - answers as a table, as comma-separated lines and as one JSON object.
 * SPDX-License-Identifier: MIT */
#include "cli/predict.h"
#include "base/json.h"
#include "cli/cli.h"

#include <inttypes.h>
#include <math.h>

static bool classifies(const mp_answerer *m)
{
    return m->about.task == MP_CLASSIFY;
}

static int64_t label_of(const mp_answerer *m, int64_t answer)
{
    return classifies(m) ? m->about.class_value[answer] : answer;
}

static double share(mp_real log_probability)
{
    return exp((double)log_probability);
}

static void text_head(const mp_answerer *m, mp_buf *b)
{
    mp_buf_puts(b, classifies(m) ? "graph  label  probability\n" : "graph  rounded  output\n");
}

static void text_row(const mp_answerer *m, int64_t graph, int64_t answer, const mp_real *out, mp_buf *b)
{
    double value = classifies(m) ? share(out[answer]) : (double)out[0];
    mp_buf_printf(b, "%5" PRId64 "  %5" PRId64 "  %.4f\n", graph, label_of(m, answer), value);
}

static void text_tail(double accuracy, int64_t unseen, const char *error, mp_buf *b)
{
    (void)b;
    if (error) return;
    if (!isnan(accuracy)) mp_cli_say("%.2f %% agree with the labels of the input", 100 * accuracy);
    if (unseen) mp_cli_say("%" PRId64 " nodes have a degree the model never met", unseen);
}

static void csv_head(const mp_answerer *m, mp_buf *b)
{
    mp_buf_puts(b, classifies(m) ? "graph,label" : "graph,rounded,output");
    for (int c = 0; c < m->about.classes; c++) mp_buf_printf(b, ",p_%" PRId64, m->about.class_value[c]);
    mp_buf_puts(b, "\n");
}

static void csv_row(const mp_answerer *m, int64_t graph, int64_t answer, const mp_real *out, mp_buf *b)
{
    mp_buf_printf(b, "%" PRId64 ",%" PRId64, graph, label_of(m, answer));
    if (!classifies(m)) mp_buf_printf(b, ",%.9g", (double)out[0]);
    for (int c = 0; c < m->about.classes; c++) mp_buf_printf(b, ",%.9g", share(out[c]));
    mp_buf_puts(b, "\n");
}

static void json_head(const mp_answerer *m, mp_buf *b)
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

static void json_row(const mp_answerer *m, int64_t graph, int64_t answer, const mp_real *out, mp_buf *b)
{
    mp_buf_puts(b, graph ? ",\n" : "\n");
    mp_json_open(b, '{');
    mp_json_add_int(b, "graph", graph);
    mp_json_add_int(b, "label", label_of(m, answer));
    if (!classifies(m)) mp_json_add_real(b, "output", (double)out[0]);
    if (classifies(m)) {
        mp_json_key(b, "probabilities");
        mp_json_open(b, '[');
        for (int c = 0; c < m->about.classes; c++) mp_json_put_real(b, share(out[c]));
        mp_json_close(b, ']');
    }
    mp_json_close(b, '}');
}

static void json_tail(double accuracy, int64_t unseen, const char *error, mp_buf *b)
{
    mp_buf_puts(b, "\n]");
    if (!isnan(accuracy)) mp_buf_printf(b, ",\"accuracy\":%.17g", accuracy);
    mp_buf_printf(b, ",\"unseen_nodes\":%" PRId64, unseen);
    if (error) mp_json_add_text(b, "error", error);
    mp_buf_puts(b, "}\n");
}

const mp_answer_format mp_answers_text = { text_head, text_row, text_tail };
const mp_answer_format mp_answers_csv = { csv_head, csv_row, text_tail };
const mp_answer_format mp_answers_json = { json_head, json_row, json_tail };
