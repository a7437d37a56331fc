/* tables_write.c - a data set as the three tables of tables.h. Nodes of a graph are called 0, 1, ...; graphs by their names, or by
 * their numbers from 0 where they have none.
 * SPDX-License-Identifier: MIT */
#include "data/csv.h"
#include "data/gather.h"
#include "data/table.h"
#include "data/tables.h"

#include <string.h>

typedef struct writer {
    const mp_raw *raw;
    const char *const *id; /* of graphs, or NULL */
    mp_arena *a;
    mp_buf b, cell;
} writer;

static void put_text(writer *w, const char *text)
{
    mp_csv_put(&w->b, mp_span_of(text));
}

static void put_id(writer *w, int graph)
{
    if (w->id)
        put_text(w, w->id[graph]);
    else
        mp_put_int(&w->b, graph);
}

static void write_graphs(writer *w)
{
    const mp_raw *raw = w->raw;
    const char *const *name;
    int columns = mp_frame_graph_columns(raw, w->a, &name);
    const unsigned char *part = mp_raw_parts(raw, w->a);
    mp_buf_puts(&w->b, "graph_id");
    for (int k = 0; k < columns; k++) {
        mp_buf_puts(&w->b, ",");
        put_text(w, name[k]);
    }
    mp_buf_puts(&w->b, "\n");
    for (int g = 0; g < raw->graphs.graphs; g++) {
        put_id(w, g);
        for (int k = 0; k < columns; k++) {
            w->cell.n = 0;
            mp_frame_graph_cell(raw, part, g, k, &w->cell);
            mp_buf_puts(&w->b, ",");
            mp_csv_put(&w->b, (mp_span){ w->cell.p, w->cell.n });
        }
        mp_buf_puts(&w->b, "\n");
    }
}

static void head_of_features(writer *w, const mp_names *names, int attributes, int labels)
{
    for (int k = 0; k < attributes; k++) {
        mp_buf_puts(&w->b, ",");
        put_text(w, mp_frame_attribute(names, attributes, k, w->a));
    }
    for (int k = 0; k < labels; k++) {
        mp_buf_puts(&w->b, ",");
        put_text(w, mp_frame_label(names, labels, k, w->a));
    }
    mp_buf_puts(&w->b, "\n");
}

/* A row, behind its ids. */
static void put_features(writer *w, const mp_names *names, const mp_sparse *x, const int *labels, int columns, int row)
{
    if (x->cols) {
        mp_buf_puts(&w->b, ",");
        mp_put_attributes(&w->b, x, row, ",");
        w->b.n--; /* its line end */
    }
    for (int k = 0; k < columns; k++) {
        int label = labels[(size_t)row * (size_t)columns + (size_t)k];
        mp_buf_puts(&w->b, ",");
        if (names && names->words[k])
            put_text(w, names->word[k][label]);
        else
            mp_put_int(&w->b, label);
    }
    mp_buf_puts(&w->b, "\n");
}

static void write_nodes(writer *w)
{
    const mp_raw *raw = w->raw;
    const mp_graph *g = &raw->graphs;
    mp_buf_puts(&w->b, "graph_id,node_id");
    head_of_features(w, raw->names, raw->attributes.cols, raw->label_columns);
    for (int b = 0; b < g->graphs; b++)
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
            put_id(w, b);
            mp_buf_puts(&w->b, ",");
            mp_put_int(&w->b, v - g->node_ptr[b]);
            put_features(w, raw->names, &raw->attributes, raw->labels, raw->label_columns, v);
        }
}

static void write_edges(writer *w)
{
    const mp_raw *raw = w->raw;
    const mp_graph *g = &raw->graphs;
    const int *place = mp_raw_edges(raw, w->a);
    mp_buf_puts(&w->b, "graph_id,source,target");
    head_of_features(w, raw->edge_names, raw->edge_attributes.cols, raw->edge_label_columns);
    for (int b = 0; b < g->graphs; b++) {
        int edges = mp_raw_edge_count(raw, b);
        for (int i = 0; i < edges; i++, place++) {
            put_id(w, b);
            mp_buf_puts(&w->b, ",");
            mp_put_int(&w->b, g->col[*place] - g->node_ptr[b]);
            mp_buf_puts(&w->b, ",");
            mp_put_int(&w->b, g->col[g->rev[*place]] - g->node_ptr[b]);
            put_features(w, raw->edge_names, &raw->edge_attributes, raw->edge_labels, raw->edge_label_columns, *place);
        }
    }
}

mp_err mp_tables_write(const mp_raw *raw, const char *folder)
{
    static void (*const write[MP_FRAME_PARTS])(writer *) = { write_graphs, write_nodes, write_edges };
    writer w = { .raw = raw, .a = mp_arena_new(1 << 14), .b = MP_BUF_LOCAL, .cell = MP_BUF_LOCAL };
    w.id = mp_frame_ids(raw, w.a);
    mp_err e = mp_frame_holds(raw, folder);
    if (e == MP_OK) e = mp_make_folder(folder);
    for (int p = 0; p < MP_FRAME_PARTS && e == MP_OK; p++) {
        w.b.n = 0;
        write[p](&w);
        e = mp_write_file(mp_arena_printf(w.a, "%s/%s", folder, mp_tables_file[p]), w.b.p, w.b.n);
    }
    mp_buf_free(&w.b);
    mp_buf_free(&w.cell);
    mp_arena_free(w.a);
    return e;
}
