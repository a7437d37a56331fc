/* graphml_write.c - a data set as one GraphML file. Columns have the names that tables give them (frame.h); the name of the set
 * and its folds are data of the file.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "data/graphml.h"
#include "data/table.h"
#include "data/xml.h"

#include <string.h>

typedef struct writer {
    const mp_raw *raw;
    const char *const *id; /* of graphs, or NULL */
    mp_arena *a;
    mp_buf b, cell;
} writer;

static void put_key(writer *w, const char *letter, int k, const char *place, const char *name, const char *type)
{
    mp_buf_printf(&w->b, "<key id=\"%s%d\" for=\"%s\" attr.name=\"", letter, k, place);
    mp_xml_put(&w->b, mp_span_of(name));
    mp_buf_printf(&w->b, "\" attr.type=\"%s\"/>\n", type);
}

static void put_keys(writer *w, const char *letter, const char *place, const mp_names *names, int attributes,
                     int labels)
{
    for (int k = 0; k < attributes; k++)
        put_key(w, letter, k, place, mp_frame_attribute(names, attributes, k, w->a), "double");
    for (int k = 0; k < labels; k++)
        put_key(w, letter, attributes + k, place, mp_frame_label(names, labels, k, w->a),
                names && names->words[k] ? "string" : "long");
}

static const char *type_of(const mp_raw *raw, const char *column)
{
    if (column[0] != 'y' || (column[1] && column[1] != ':')) return "string";
    return !raw->graph_label ? "double" : raw->class_name ? "string" : "long";
}

/* The text of w->cell as the value of a key. */
static void put_data(writer *w, const char *letter, int k)
{
    mp_buf_printf(&w->b, "<data key=\"%s%d\">", letter, k);
    mp_xml_put(&w->b, (mp_span){ w->cell.n ? w->cell.p : "", w->cell.n });
    mp_buf_puts(&w->b, "</data>");
    w->cell.n = 0;
}

static void put_features(writer *w, const char *letter, const mp_names *names, const mp_sparse *x, const int *labels,
                         int columns, int row)
{
    if (x->cols) {
        mp_buf line = MP_BUF_LOCAL;
        mp_put_attributes(&line, x, row, ",");
        mp_span rest = { line.p, line.n }, field;
        for (int k = 0; k < x->cols && mp_next_field(&rest, ',', &field); k++) {
            mp_buf_add(&w->cell, field.p, field.n);
            put_data(w, letter, k);
        }
        mp_buf_free(&line);
    }
    for (int k = 0; k < columns; k++) {
        int label = labels[(size_t)row * (size_t)columns + (size_t)k];
        if (names && names->words[k])
            mp_buf_puts(&w->cell, names->word[k][label]);
        else
            mp_put_int(&w->cell, label);
        put_data(w, letter, x->cols + k);
    }
}

static void put_graph(writer *w, int b, const unsigned char *part, int columns, const int *place, int edges)
{
    const mp_raw *raw = w->raw;
    const mp_graph *g = &raw->graphs;
    int first = g->node_ptr[b];
    mp_buf_puts(&w->b, "<graph id=\"");
    if (w->id)
        mp_xml_put(&w->b, mp_span_of(w->id[b]));
    else
        mp_put_int(&w->b, b);
    mp_buf_puts(&w->b, "\" edgedefault=\"undirected\">\n");
    for (int k = 0; k < columns; k++) {
        mp_frame_graph_cell(raw, part, b, k, &w->cell);
        if (w->cell.n == 0) continue; /* missing */
        put_data(w, "g", k);
        mp_buf_puts(&w->b, "\n");
    }
    for (int v = first; v < g->node_ptr[b + 1]; v++) {
        mp_buf_printf(&w->b, "<node id=\"%d\">", v - first);
        put_features(w, "n", raw->names, &raw->attributes, raw->labels, raw->label_columns, v);
        mp_buf_puts(&w->b, "</node>\n");
    }
    for (int i = 0; i < edges; i++) {
        int e = place[i];
        mp_buf_printf(&w->b, "<edge source=\"%d\" target=\"%d\">", g->col[e] - first, g->col[g->rev[e]] - first);
        put_features(w, "e", raw->edge_names, &raw->edge_attributes, raw->edge_labels, raw->edge_label_columns, e);
        mp_buf_puts(&w->b, "</edge>\n");
    }
    mp_buf_puts(&w->b, "</graph>\n");
}

static void put_all(writer *w, const mp_folds *folds)
{
    const mp_raw *raw = w->raw;
    const unsigned char *part = mp_raw_parts(raw, w->a);
    const int *place = mp_raw_edges(raw, w->a);
    const char *const *name;
    int columns = mp_frame_graph_columns(raw, w->a, &name);
    mp_buf_puts(&w->b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    put_key(w, "s", 0, "graphml", "dataset", "string");
    if (folds) put_key(w, "s", 1, "graphml", "folds", "string");
    for (int k = 0; k < columns; k++) put_key(w, "g", k, "graph", name[k], type_of(raw, name[k]));
    put_keys(w, "n", "node", raw->names, raw->attributes.cols, raw->label_columns);
    put_keys(w, "e", "edge", raw->edge_names, raw->edge_attributes.cols, raw->edge_label_columns);
    mp_buf_puts(&w->cell, raw->name);
    put_data(w, "s", 0);
    mp_buf_puts(&w->b, "\n");
    if (folds) {
        mp_json_open(&w->cell, '{');
        mp_json_key(&w->cell, "folds");
        mp_folds_json(folds, &w->cell);
        mp_json_close(&w->cell, '}');
        put_data(w, "s", 1);
        mp_buf_puts(&w->b, "\n");
    }
    for (int b = 0; b < raw->graphs.graphs; b++) {
        int edges = mp_raw_edge_count(raw, b);
        put_graph(w, b, part, columns, place, edges);
        place += edges;
    }
    mp_buf_puts(&w->b, "</graphml>\n");
}

mp_err mp_graphml_write(const mp_raw *raw, const mp_folds *folds, const char *path)
{
    writer w = { .raw = raw, .a = mp_arena_new(1 << 14), .b = MP_BUF_LOCAL, .cell = MP_BUF_LOCAL };
    mp_xml check; /* characters that XML has no place for, such as those of control, are refused */
    w.id = mp_frame_ids(raw, w.a);
    mp_err e = mp_frame_holds(raw, path);
    if (e == MP_OK) put_all(&w, folds);
    if (e == MP_OK) e = mp_xml_open(&check, (mp_span){ w.b.p, w.b.n }, path);
    if (e == MP_OK) e = mp_write_file(path, w.b.p, w.b.n);
    mp_buf_free(&w.b);
    mp_buf_free(&w.cell);
    mp_arena_free(w.a);
    return e;
}
