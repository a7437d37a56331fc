/* ogb_write.c - a data set as a folder in OGB's raw layout.
 *
 * Edges are in the order and direction of mp_raw.edge_list, so that what was read from this layout is written as it was; else each
 * from its smaller end.
 * SPDX-License-Identifier: MIT */
#include "data/archive.h"
#include "data/csv.h"
#include "data/gather.h"
#include "data/ogb.h"
#include "data/table.h"

#include <string.h>

typedef struct writing {
    const mp_raw *raw;
    const int *list;           /* mp_raw_edges */
    const unsigned char *part; /* B: of the split, or NULL */
    mp_arena *a;
} writing;

static void write_node_counts(const writing *w, mp_buf *b)
{
    const mp_graph *g = &w->raw->graphs;
    for (int i = 0; i < g->graphs; i++) mp_put_line(b, g->node_ptr[i + 1] - g->node_ptr[i]);
}

static void write_edge_counts(const writing *w, mp_buf *b)
{
    for (int i = 0; i < w->raw->graphs.graphs; i++) mp_put_line(b, mp_raw_edge_count(w->raw, i));
}

static void write_edges(const writing *w, mp_buf *b)
{
    const mp_graph *g = &w->raw->graphs;
    const int *e = w->list;
    for (int i = 0; i < g->graphs; i++)
        for (int k = mp_raw_edge_count(w->raw, i); k > 0; k--, e++) {
            const int pair[2] = { g->col[*e] - g->node_ptr[i], g->col[g->rev[*e]] - g->node_ptr[i] };
            mp_put_labels(b, pair, 2, ",");
        }
}

static void write_nodes(const writing *w, mp_buf *b)
{
    const mp_raw *raw = w->raw;
    for (int v = 0; v < raw->graphs.nodes; v++) {
        if (raw->label_columns)
            mp_put_labels(b, raw->labels + (size_t)v * (size_t)raw->label_columns, raw->label_columns, ",");
        if (raw->attributes.cols) mp_put_attributes(b, &raw->attributes, v, ",");
    }
}

static void write_edge_features(const writing *w, mp_buf *b)
{
    const mp_raw *raw = w->raw;
    for (int i = 0; i < raw->graphs.edges / 2; i++) {
        if (raw->edge_label_columns)
            mp_put_labels(b, raw->edge_labels + (size_t)w->list[i] * (size_t)raw->edge_label_columns,
                          raw->edge_label_columns, ",");
        if (raw->edge_attributes.cols) mp_put_attributes(b, &raw->edge_attributes, w->list[i], ",");
    }
}

static void write_labels(const writing *w, mp_buf *b)
{
    const mp_raw *raw = w->raw;
    for (int i = 0; i < raw->graphs.graphs; i++) {
        if (raw->graph_label)
            mp_put_line(b, raw->graph_label[i]);
        else if (raw->target)
            mp_put_targets(b, raw->target + (size_t)i * (size_t)raw->target_columns, raw->target_columns, ",");
    }
}

/* Labels are repeated here, empty where one is missing, if their columns have names. */
static void write_mapping(const writing *w, mp_buf *b)
{
    const mp_raw *raw = w->raw;
    int columns = raw->target && raw->target_name ? raw->target_columns : 0;
    for (int k = 0; raw->smiles && k < columns; k++) {
        mp_csv_put(b, mp_span_of(raw->target_name[k]));
        mp_buf_puts(b, ",");
    }
    if (raw->smiles) mp_buf_puts(b, raw->id ? "smiles,mol_id\n" : "smiles\n");
    for (int i = 0; raw->smiles && i < raw->graphs.graphs; i++) {
        for (int k = 0; k < columns; k++) {
            mp_put_target(b, raw->target[(size_t)i * (size_t)columns + (size_t)k], "");
            mp_buf_puts(b, ",");
        }
        mp_csv_put(b, mp_span_of(raw->smiles[i]));
        if (raw->id) mp_buf_puts(b, ",");
        if (raw->id) mp_csv_put(b, mp_span_of(raw->id[i]));
        mp_buf_puts(b, "\n");
    }
}

static void put_part(const writing *w, int which, mp_buf *b)
{
    for (int i = 0; w->part && i < w->raw->graphs.graphs; i++)
        if (w->part[i] == which) mp_put_line(b, i);
}

static void write_train(const writing *w, mp_buf *b)
{
    put_part(w, 0, b);
}

static void write_valid(const writing *w, mp_buf *b)
{
    put_part(w, 1, b);
}

static void write_test(const writing *w, mp_buf *b)
{
    put_part(w, 2, b);
}

/* What the layout has no place for. */
static mp_err check(const mp_raw *raw)
{
    const char *name = raw->name;
    if (raw->label_columns && raw->attributes.cols)
        return mp_fail(MP_ERR_INPUT, "%s: OGB's layout has labels or attributes of nodes, not both", name);
    if (raw->edge_label_columns && raw->edge_attributes.cols)
        return mp_fail(MP_ERR_INPUT, "%s: OGB's layout has labels or attributes of edges, not both", name);
    if (raw->class_name) return mp_fail(MP_ERR_INPUT, "%s: its classes are names, OGB's layout has numbers", name);
    if (raw->fixed_name[3])
        return mp_fail(MP_ERR_INPUT, "%s: its split has a part '%s', OGB's layout has train, valid and test", name,
                       raw->fixed_name[3]);
    return MP_OK;
}

static mp_err write_text(const char *path, mp_span text, mp_arena *a)
{
    mp_buf packed = MP_BUF_LOCAL;
    char *slash = strrchr(path, '/');
    mp_err e = mp_make_folder(mp_arena_text(a, path, (size_t)(slash - path)));
    if (e == MP_OK && mp_packs()) e = mp_pack(text, &packed);
    if (e == MP_OK && mp_packs()) text = (mp_span){ packed.p, packed.n };
    if (e == MP_OK) e = mp_write_file(path, text.p, text.n);
    mp_buf_free(&packed);
    return e;
}

static mp_err write_all(const writing *w, const char *folder)
{
    typedef void write_part(const writing *, mp_buf *);
    static const struct {
        write_part *write;
        bool always; /* also when it is empty */
    } parts[MP_OGB_PARTS] = {
        [MP_OGB_NODE_COUNTS] = { write_node_counts, true },
        [MP_OGB_EDGE_COUNTS] = { write_edge_counts, true },
        [MP_OGB_EDGES] = { write_edges, true },
        [MP_OGB_NODE_FEAT] = { write_nodes, false },
        [MP_OGB_EDGE_FEAT] = { write_edge_features, false },
        [MP_OGB_LABELS] = { write_labels, false },
        [MP_OGB_MAPPING] = { write_mapping, false },
        [MP_OGB_TRAIN] = { write_train, false },
        [MP_OGB_VALID] = { write_valid, false },
        [MP_OGB_TEST] = { write_test, false },
    };
    const char *kind = w->raw->split_kind ? w->raw->split_kind : "fixed", *end = mp_packs() ? ".gz" : "";
    mp_err e = MP_OK;
    for (int part = 0; part < MP_OGB_PARTS && e == MP_OK; part++) {
        mp_buf text = MP_BUF_LOCAL;
        const char *inside = part < MP_OGB_TRAIN ? "" : mp_arena_printf(w->a, "split/%s/", kind);
        parts[part].write(w, &text);
        if (text.n || parts[part].always)
            e = write_text(mp_arena_printf(w->a, "%s/%s%s%s", folder, inside, mp_ogb_path[part], end),
                           (mp_span){ text.n ? text.p : "", text.n }, w->a);
        mp_buf_free(&text);
    }
    return e;
}

mp_err mp_ogb_write(const mp_raw *raw, const mp_folds *folds, const char *path)
{
    MP_TRY(check(raw));
    mp_arena *a = mp_arena_new(1 << 16);
    writing w = { raw, mp_raw_edges(raw, a), mp_raw_parts(raw, a), a };
    mp_err e = write_all(&w, path);
    mp_arena_free(a);
    return e == MP_OK && folds ? mp_tu_write_folds(folds, path) : e;
}
