/* tu_write.c - a data set as a folder of TUDataset files, which this reader and PyTorch Geometric's read
 * back.
 * SPDX-License-Identifier: MIT */
#include "data/gather.h"
#include "data/table.h"
#include "data/tu.h"

#include <stdio.h>

static void write_edges(const mp_raw *raw, mp_buf *b)
{
    for (int v = 0; v < raw->graphs.nodes; v++) {
        for (int e = raw->graphs.row_ptr[v]; e < raw->graphs.row_ptr[v + 1]; e++) {
            mp_put_int(b, v + 1);
            mp_buf_add(b, ", ", 2);
            mp_put_line(b, (int64_t)raw->graphs.col[e] + 1);
        }
    }
}

static void write_indicator(const mp_raw *raw, mp_buf *b)
{
    for (int g = 0; g < raw->graphs.graphs; g++)
        for (int v = raw->graphs.node_ptr[g]; v < raw->graphs.node_ptr[g + 1]; v++) mp_put_line(b, (int64_t)g + 1);
}

static void write_graph_labels(const mp_raw *raw, mp_buf *b)
{
    for (int g = 0; raw->graph_label && g < raw->graphs.graphs; g++) mp_put_line(b, raw->graph_label[g]);
}

static void put_labels(mp_buf *b, const int *labels, int rows, int columns)
{
    for (int v = 0; columns && v < rows; v++) mp_put_labels(b, labels + (size_t)v * (size_t)columns, columns, ", ");
}

static void write_node_labels(const mp_raw *raw, mp_buf *b)
{
    put_labels(b, raw->labels, raw->graphs.nodes, raw->label_columns);
}

/* Lines are in the order of the graph, as those of write_edges. */
static void write_edge_labels(const mp_raw *raw, mp_buf *b)
{
    put_labels(b, raw->edge_labels, raw->graphs.edges, raw->edge_label_columns);
}

static void put_attributes(mp_buf *b, const mp_sparse *x)
{
    for (int v = 0; v < x->rows && x->cols; v++) mp_put_attributes(b, x, v, ", ");
}

static void write_attributes(const mp_raw *raw, mp_buf *b)
{
    put_attributes(b, &raw->attributes);
}

static void write_edge_attributes(const mp_raw *raw, mp_buf *b)
{
    put_attributes(b, &raw->edge_attributes);
}

static void write_targets(const mp_raw *raw, mp_buf *b)
{
    for (int g = 0; raw->target && g < raw->graphs.graphs; g++)
        mp_put_targets(b, raw->target + (size_t)g * (size_t)raw->target_columns, raw->target_columns, ", ");
}

static void put_split(mp_buf *b, const char *name, int from, int to)
{
    mp_buf_printf(b, "%s %d %d\n", name, from, to);
}

static void write_splits(const mp_raw *raw, mp_buf *b)
{
    mp_arena *scratch = mp_arena_new(4096);
    const unsigned char *part = mp_raw_parts(raw, scratch);
    for (int i = 0; part && raw->fixed_list && i < MP_PARTS;
         i++) /* the order of parts is that in which names come first */
        if (raw->fixed_name[i]) put_split(b, raw->fixed_name[i], 0, 0);
    for (int g = 0, from = 0; part && g < raw->graphs.graphs; g++) {
        if (g + 1 < raw->graphs.graphs && part[g + 1] == part[g]) continue;
        if (part[g] < MP_PARTS) put_split(b, raw->fixed_name[part[g]], from, g + 1);
        from = g + 1;
    }
    mp_arena_free(scratch);
}

mp_err mp_tu_write(const mp_raw *raw, const char *folder)
{
    typedef void write_part(const mp_raw *, mp_buf *);
    static write_part *const write[MP_TU_PARTS] = {
        [MP_TU_EDGES] = write_edges,
        [MP_TU_INDICATOR] = write_indicator,
        [MP_TU_GRAPH_LABELS] = write_graph_labels,
        [MP_TU_NODE_LABELS] = write_node_labels,
        [MP_TU_NODE_ATTRIBUTES] = write_attributes,
        [MP_TU_GRAPH_ATTRIBUTES] = write_targets,
        [MP_TU_SPLITS] = write_splits,
        [MP_TU_EDGE_LABELS] = write_edge_labels,
        [MP_TU_EDGE_ATTRIBUTES] = write_edge_attributes,
    };
    if (raw->graphs.edges == 0)
        return mp_fail(MP_ERR_INPUT, "%s: has no edges, and TUDataset files have no place for such a set", raw->name);
    MP_TRY(mp_make_folder(folder));
    mp_err e = MP_OK;
    for (int part = 0; part < MP_TU_PARTS && e == MP_OK; part++) {
        mp_buf text = MP_BUF_LOCAL;
        char path[4096];
        write[part](raw, &text);
        int n = snprintf(path, sizeof path, "%s/%s%s", folder, raw->name, mp_tu_suffix[part]);
        if (n < 0 || n >= (int)sizeof path)
            e = mp_fail(MP_ERR_IO, "%s: name too long", folder);
        else if (text.n)
            e = mp_write_file(path, text.p, text.n);
        mp_buf_free(&text);
    }
    return e;
}

static void put_list(mp_buf *b, const int *at, int n)
{
    for (int i = 0; i < n; i++) mp_put_line(b, at[i]);
}

mp_err mp_tu_write_folds(const mp_folds *folds, const char *folder)
{
    static const char *const name[] = { "train", "val", "test" };
    char inside[4096], path[4200];
    int n = snprintf(inside, sizeof inside, "%s/10fold_idx", folder);
    if (n < 0 || n >= (int)sizeof inside) return mp_fail(MP_ERR_IO, "%s: name too long", folder);
    MP_TRY(mp_make_folder(inside));
    mp_err e = MP_OK;
    for (int f = 0; f < folds->count; f++) {
        const mp_split *s = &folds->split[f];
        const int *list[] = { s->train, s->val, s->test }, count[] = { s->n_train, s->n_val, s->n_test };
        for (int k = 0; k < 3 && e == MP_OK; k++) {
            mp_buf text = MP_BUF_LOCAL;
            put_list(&text, list[k], count[k]);
            snprintf(path, sizeof path, "%s/%s_idx-%d.txt", inside, name[k], f + 1);
            e = mp_write_file(path, text.p, text.n);
            mp_buf_free(&text);
        }
    }
    return e;
}
