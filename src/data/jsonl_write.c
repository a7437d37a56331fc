/* jsonl_write.c - a data set as JSON lines that mp_jsonl_read reads back: the same graphs, features, answers and splits.
 * SPDX-License-Identifier: MIT */
#include "data/jsonl.h"

#include <math.h>

static void put_index_list(mp_buf *b, const char *key, const int *list, int n)
{
    mp_json_key(b, key);
    mp_json_open(b, '[');
    for (int i = 0; i < n; i++) mp_json_put_int(b, list[i]);
    mp_json_close(b, ']');
}

static void put_range(mp_buf *b, const char *key, const int *range, int columns)
{
    if (range && columns) put_index_list(b, key, range, columns);
}

static void put_head(mp_buf *b, const mp_raw *raw, const mp_folds *folds)
{
    mp_json_open(b, '{');
    mp_json_add_text(b, "dataset", raw->name);
    if (raw->fixed_name[0]) {
        mp_json_key(b, "splits");
        mp_json_open(b, '[');
        for (int i = 0; i < MP_PARTS; i++)
            if (raw->fixed_name[i]) mp_json_put_text(b, raw->fixed_name[i]);
        mp_json_close(b, ']');
    }
    if (raw->split_kind) mp_json_add_text(b, "split_kind", raw->split_kind);
    if (raw->target && raw->target_name) {
        mp_json_key(b, "label_names");
        mp_json_open(b, '[');
        for (int k = 0; k < raw->target_columns; k++) mp_json_put_text(b, raw->target_name[k]);
        mp_json_close(b, ']');
    }
    put_range(b, "label_range", raw->label_range, raw->label_columns);
    put_range(b, "edge_label_range", raw->edge_label_range, raw->edge_label_columns);
    if (folds) {
        mp_json_key(b, "folds");
        mp_folds_json(folds, b);
    }
    mp_json_close(b, '}');
    mp_buf_puts(b, "\n");
}

/* Rows of one number stand without brackets. */
static void open_row(mp_buf *b, int columns)
{
    if (columns > 1) mp_json_open(b, '[');
}

static void close_row(mp_buf *b, int columns)
{
    if (columns > 1) mp_json_close(b, ']');
}

static void put_label_row(mp_buf *b, const int *labels, int row, int columns)
{
    open_row(b, columns);
    for (int k = 0; k < columns; k++) mp_json_put_int(b, labels[(size_t)row * (size_t)columns + (size_t)k]);
    close_row(b, columns);
}

/* A stored value is one mp_real: nine digits bring a float back. */
static void put_value(mp_buf *b, mp_real v)
{
    char text[40];
    if (v == (mp_real)(int)v) {
        mp_json_put_int(b, (int)v);
    } else if (sizeof(mp_real) != sizeof(float)) {
        mp_json_put_real(b, (double)v);
    } else {
        mp_format(text, sizeof text, "%.9g", (double)v);
        mp_json_put_raw(b, text);
    }
}

static void put_attribute_row(mp_buf *b, const mp_sparse *x, int row)
{
    int i = x->ptr[row];
    open_row(b, x->cols);
    for (int k = 0; k < x->cols; k++) {
        bool stored = i < x->ptr[row + 1] && x->col[i] == k;
        put_value(b, !stored ? 0 : x->val ? x->val[i] : 1);
        i += stored;
    }
    close_row(b, x->cols);
}

static void put_nodes(mp_buf *b, const mp_raw *raw, int from, int to)
{
    if (raw->label_columns) {
        mp_json_key(b, "labels");
        mp_json_open(b, '[');
        for (int v = from; v < to; v++) put_label_row(b, raw->labels, v, raw->label_columns);
        mp_json_close(b, ']');
    }
    if (raw->attributes.cols) {
        mp_json_key(b, "attributes");
        mp_json_open(b, '[');
        for (int v = from; v < to; v++) put_attribute_row(b, &raw->attributes, v);
        mp_json_close(b, ']');
    }
}

/* The `n` edges of a graph whose nodes begin with `from`: places in the columns of the graph (mp_raw_edges). */
static void put_edges(mp_buf *b, const mp_raw *raw, const int *place, int n, int from)
{
    const mp_graph *g = &raw->graphs;
    enum { PAIRS, LABELS, ATTRIBUTES, TABLES };
    static const char *const key[] = { "edges", "edge_labels", "edge_attributes" };
    for (int t = 0; t < TABLES; t++) {
        if ((t == LABELS && !raw->edge_label_columns) || (t == ATTRIBUTES && !raw->edge_attributes.cols)) continue;
        mp_json_key(b, key[t]);
        mp_json_open(b, '[');
        for (int i = 0; i < n; i++) {
            int e = place[i];
            if (t == LABELS) put_label_row(b, raw->edge_labels, e, raw->edge_label_columns);
            if (t == ATTRIBUTES) put_attribute_row(b, &raw->edge_attributes, e);
            if (t != PAIRS) continue;
            mp_json_open(b, '[');
            mp_json_put_int(b, g->col[e] - from);
            mp_json_put_int(b, g->col[g->rev[e]] - from);
            mp_json_close(b, ']');
        }
        mp_json_close(b, ']');
    }
}

static void put_y(mp_buf *b, const mp_raw *raw, int graph)
{
    if (raw->graph_label && raw->class_name) {
        mp_json_add_text(b, "y", raw->class_name[raw->graph_label[graph]]);
    } else if (raw->graph_label) {
        mp_json_add_int(b, "y", raw->graph_label[graph]);
    } else if (raw->target) {
        mp_json_key(b, "y");
        mp_json_open(b, '[');
        for (int k = 0; k < raw->target_columns; k++) /* NaN becomes null */
            mp_json_put_real(b, raw->target[(size_t)graph * (size_t)raw->target_columns + (size_t)k]);
        mp_json_close(b, ']');
    }
}

static void put_notes(mp_buf *b, const mp_raw *raw, int graph)
{
    mp_json_key(b, "notes");
    mp_json_open(b, '{');
    for (int k = 0; k < raw->notes; k++)
        mp_json_add_text(b, raw->note_name[k], raw->note[(size_t)graph * (size_t)raw->notes + (size_t)k]);
    mp_json_close(b, '}');
}

mp_err mp_jsonl_write(const mp_raw *raw, const mp_folds *folds, const char *path)
{
    const mp_graph *g = &raw->graphs;
    mp_arena *scratch = mp_arena_new(4096);
    const unsigned char *part = mp_raw_parts(raw, scratch);
    const int *place = mp_raw_edges(raw, scratch);
    mp_buf b = MP_BUF_LOCAL;
    put_head(&b, raw, folds);
    for (int i = 0; i < g->graphs; i++) {
        mp_json_open(&b, '{');
        mp_json_add_int(&b, "nodes", g->node_ptr[i + 1] - g->node_ptr[i]);
        int edges = mp_raw_edge_count(raw, i);
        put_edges(&b, raw, place, edges, g->node_ptr[i]);
        place += edges;
        put_nodes(&b, raw, g->node_ptr[i], g->node_ptr[i + 1]);
        put_y(&b, raw, i);
        if (raw->smiles) mp_json_add_text(&b, "smiles", raw->smiles[i]);
        if (raw->id) mp_json_add_text(&b, "id", raw->id[i]);
        if (part && part[i] < MP_PARTS) mp_json_add_text(&b, "split", raw->fixed_name[part[i]]);
        if (raw->notes) put_notes(&b, raw, i);
        mp_json_close(&b, '}');
        mp_buf_puts(&b, "\n");
    }
    mp_err e = mp_write_file(path, b.p, b.n);
    mp_buf_free(&b);
    mp_arena_free(scratch);
    return e;
}
