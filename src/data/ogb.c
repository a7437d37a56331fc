/* ogb.c - the files of a set in OGB's raw layout, except mapping/mol.csv (ogb_mapping.c).
 *
 * The two lists of counts say how many lines the others must have, which is checked before anything is allocated by them. Without
 * node-feat.csv nothing confirms the number of nodes: then it is limited.
 * SPDX-License-Identifier: MIT */
#include "data/ogb.h"
#include "base/guard.h"
#include "data/edge_rows.h"
#include "data/edge_values.h"
#include "data/ogb_mapping.h"
#include "data/query.h"
#include "data/table.h"

#include <string.h>

#define MOST_BARE 50000000 /* nodes that have no line of their own: a number alone must not eat the machine */

const char *const mp_ogb_path[MP_OGB_PARTS] = {
    [MP_OGB_NODE_COUNTS] = "raw/num-node-list.csv",
    [MP_OGB_EDGE_COUNTS] = "raw/num-edge-list.csv",
    [MP_OGB_EDGES] = "raw/edge.csv",
    [MP_OGB_NODE_FEAT] = "raw/node-feat.csv",
    [MP_OGB_EDGE_FEAT] = "raw/edge-feat.csv",
    [MP_OGB_LABELS] = "raw/graph-label.csv",
    [MP_OGB_MAPPING] = "mapping/mol.csv",
    [MP_OGB_TRAIN] = "train.csv",
    [MP_OGB_VALID] = "valid.csv",
    [MP_OGB_TEST] = "test.csv",
};

static mp_err open_part(const mp_ogb_files *f, mp_ogb_part part, mp_table *t)
{
    return mp_table_open(f->part[part], f->file[part], part < MP_OGB_MAPPING ? f->before[part] : 0, t);
}

static mp_err read_counts(const mp_table *t, int least, int most, int *count, int *sum)
{
    mp_scan s = mp_table_scan(t);
    int64_t total = 0;
    for (int b = 0; b < t->lines; b++) {
        int64_t n, line = s.line;
        MP_TRY(mp_table_int(&s, &n));
        if (n < least)
            return mp_fail(MP_ERR_INPUT, "%s:%lld: %lld; expected at least %d", t->file, (long long)line, (long long)n,
                           least);
        total += n;
        if (n > most || total > most)
            return mp_fail(MP_ERR_LIMIT, "%s:%lld: more than %d in all", t->file, (long long)line, most);
        count[b] = (int)n;
    }
    *sum = (int)total;
    return MP_OK;
}

typedef struct reading {
    const mp_ogb_files *f;
    mp_arena *scratch, *a;
    mp_raw *raw;
    int *edge_count; /* lines of edge.csv a graph has */
    int lines;       /* of edge.csv */
    int *from, *to;  /* lines: nodes of the whole */
} reading;

static mp_err read_sizes(reading *r)
{
    mp_table nodes, edges, rows;
    mp_graph *g = &r->raw->graphs;
    MP_TRY(open_part(r->f, MP_OGB_NODE_COUNTS, &nodes));
    MP_TRY(open_part(r->f, MP_OGB_EDGE_COUNTS, &edges));
    if (nodes.lines == 0) return mp_fail(MP_ERR_INPUT, "%s: empty", nodes.file);
    g->graphs = nodes.lines;
    MP_TRY(mp_table_need(&edges, g->graphs, "graphs"));
    int *ptr = MP_NEW(r->a, int, g->graphs + 1);
    r->edge_count = MP_NEW(r->scratch, int, g->graphs);
    bool bare = !r->f->part[MP_OGB_NODE_FEAT].p;
    MP_TRY(read_counts(&nodes, 1, bare ? MOST_BARE : MP_MOST_COUNT, ptr, &g->nodes));
    MP_TRY(read_counts(&edges, 0, MP_MOST_COUNT / 2, r->edge_count, &r->lines));
    mp_lengths_to_starts(ptr, g->graphs);
    g->node_ptr = ptr;
    if (!bare) MP_TRY(open_part(r->f, MP_OGB_NODE_FEAT, &rows));
    if (!bare) MP_TRY(mp_table_need(&rows, g->nodes, "nodes"));
    MP_TRY(open_part(r->f, MP_OGB_EDGES, &rows));
    return mp_table_need(&rows, r->lines, "edges");
}

static mp_err outside(const mp_scan *s, int64_t node, int nodes, int64_t graph)
{
    return mp_fail(MP_ERR_INPUT, "%s:%lld: node %lld is outside 0..%d, the nodes of graph %lld", s->file,
                   (long long)s->line, (long long)node, nodes - 1, (long long)graph);
}

static mp_err read_edge(mp_scan *s, int first, int nodes, int64_t graph, int *from, int *to)
{
    int64_t i, j;
    mp_scan at = *s;
    mp_scan_blanks(s);
    if (!mp_scan_int(s, &i)) return mp_scan_fail(s, "the number of a node");
    if (!mp_scan_comma(s)) return mp_scan_fail(s, "a comma and the number of a second node");
    if (!mp_scan_int(s, &j)) return mp_scan_fail(s, "the number of a node");
    if (!mp_scan_line_end(s)) return mp_scan_fail(s, "the end of the line");
    if (i < 0 || i >= nodes) return outside(&at, i, nodes, graph);
    if (j < 0 || j >= nodes) return outside(&at, j, nodes, graph);
    *from = first + (int)i;
    *to = first + (int)j;
    return MP_OK;
}

/* An edge of one direction and the same of the other are the same: both are listed from their smaller end. */
static mp_adjacency by_smaller_end(const reading *r)
{
    int nodes = r->raw->graphs.nodes;
    mp_adjacency out = { MP_NEW(r->scratch, int, nodes + 1), NULL };
    for (int i = 0; i < r->lines; i++)
        if (r->from[i] != r->to[i]) out.ptr[r->from[i] < r->to[i] ? r->from[i] : r->to[i]]++;
    mp_lengths_to_starts(out.ptr, nodes);
    int *next = MP_NEW_RAW(r->scratch, int, nodes + 1);
    memcpy(next, out.ptr, ((size_t)nodes + 1) * sizeof *next);
    out.col = MP_NEW_RAW(r->scratch, int, out.ptr[nodes]);
    for (int i = 0; i < r->lines; i++) {
        bool falls = r->from[i] > r->to[i];
        int low = falls ? r->to[i] : r->from[i], high = falls ? r->from[i] : r->to[i];
        if (low != high) out.col[next[low]++] = high;
    }
    return out;
}

static mp_err read_edges(reading *r)
{
    mp_table t;
    mp_raw *raw = r->raw;
    MP_TRY(open_part(r->f, MP_OGB_EDGES, &t));
    r->from = MP_NEW_RAW(r->scratch, int, r->lines);
    r->to = MP_NEW_RAW(r->scratch, int, r->lines);
    mp_scan s = mp_table_scan(&t);
    for (int b = 0, i = 0; b < raw->graphs.graphs; b++) {
        int first = raw->graphs.node_ptr[b], nodes = raw->graphs.node_ptr[b + 1] - first;
        for (int end = i + r->edge_count[b]; i < end; i++) {
            MP_TRY(read_edge(&s, first, nodes, r->f->before[MP_OGB_NODE_COUNTS] + b, &r->from[i], &r->to[i]));
            raw->self_loops += r->from[i] == r->to[i];
        }
    }
    MP_TRY(mp_edge_rows(by_smaller_end(r), t.file, r->scratch, r->a, raw));
    raw->added_reverse = 0; /* the layout has none */
    if (!mp_dataset_wants_all(r->f->as)) return MP_OK;
    int *place = MP_NEW_RAW(r->a, int, raw->graphs.edges / 2);
    mp_edge_places(&raw->graphs, r->lines, r->from, r->to, MP_NEW_RAW(r->scratch, bool, raw->graphs.edges), place);
    raw->edge_list = place;
    return MP_OK;
}

/* What a table of features is: as a model says that has one kind, else OGB's own columns are labels, else it shows. */
static bool is_labels(const mp_table *t, int model_labels, int model_attributes, bool own)
{
    if (!model_labels != !model_attributes) return model_labels > 0;
    return own || (mp_table_columns(t->text) <= MP_MAX_LABEL_COLUMNS && mp_table_is_whole(t));
}

static mp_err read_nodes(reading *r)
{
    mp_table t;
    mp_raw *raw = r->raw;
    const mp_recipe *model = r->f->as ? r->f->as->recipe : NULL;
    mp_label_range range = { MP_ATOM_COLUMNS, NULL, mp_atom_range };
    if (!r->f->part[MP_OGB_NODE_FEAT].p) return MP_OK;
    MP_TRY(open_part(r->f, MP_OGB_NODE_FEAT, &t));
    bool own = mp_table_columns(t.text) == MP_ATOM_COLUMNS;
    if (!is_labels(&t, model ? model->label_columns : 0, model ? mp_recipe_attributes(model) : 0, own))
        return mp_table_attributes(&t, r->a, &raw->attributes);
    if (own) raw->label_range = mp_atom_range;
    if (model && model->label_columns)
        range = (mp_label_range){ model->label_columns, model->label_min, model->label_count };
    return mp_table_labels(&t, &range, r->a, &raw->labels, &raw->label_columns);
}

static mp_err read_edge_features(reading *r)
{
    mp_table t;
    mp_raw *raw = r->raw;
    const mp_recipe *model = r->f->as->recipe;
    mp_edge_list list = { .n = r->lines, .from = r->from, .to = r->to };
    mp_edge_clash clash;
    mp_label_range range = { MP_BOND_COLUMNS, NULL, mp_bond_range };
    MP_TRY(open_part(r->f, MP_OGB_EDGE_FEAT, &t));
    MP_TRY(mp_table_need(&t, r->lines, "edges"));
    if (r->lines == 0) return MP_OK;
    bool own = raw->label_range && mp_table_columns(t.text) == MP_BOND_COLUMNS;
    if (!own) range.columns = 0;
    if (own) raw->edge_label_range = mp_bond_range;
    if (model && model->edge_label_columns)
        range = (mp_label_range){ model->edge_label_columns, model->edge_label_min, model->edge_label_count };
    if (is_labels(&t, model ? model->edge_label_columns : 0, model ? model->edge_attributes : 0, own))
        MP_TRY(mp_table_labels(&t, &range, r->scratch, &list.labels, &list.label_columns));
    else
        MP_TRY(mp_table_attributes(&t, r->scratch, &list.attributes));
    if (mp_edge_values(&list, r->scratch, r->a, raw, &clash)) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s:%lld: an edge that is on line %lld too has other values there", t.file,
                   (long long)(t.before + clash.here + 1), (long long)(t.before + clash.before + 1));
}

static mp_err read_labels(reading *r)
{
    mp_table t;
    mp_raw *raw = r->raw;
    MP_TRY(open_part(r->f, MP_OGB_LABELS, &t));
    MP_TRY(mp_table_targets(&t, raw->graphs.graphs, r->a, &raw->target, &raw->target_columns));
    raw->file = mp_arena_text(r->a, t.file, strlen(t.file));
    raw->first_line = (int)t.before + 1;
    return MP_OK;
}

static mp_err read_part(reading *r, int which, unsigned char *part)
{
    mp_table t;
    mp_ogb_part file = (mp_ogb_part)(MP_OGB_TRAIN + which);
    if (!r->f->part[file].p) return mp_fail(MP_ERR_INPUT, "%s: missing", r->f->file[file]);
    MP_TRY(open_part(r->f, file, &t));
    if (t.lines == 0) return mp_fail(MP_ERR_INPUT, "%s: empty", t.file);
    mp_scan s = mp_table_scan(&t);
    for (int i = 0; i < t.lines; i++) {
        int64_t b;
        MP_TRY(mp_table_int(&s, &b));
        if (b < 0 || b >= r->raw->graphs.graphs)
            return mp_fail(MP_ERR_INPUT, "%s:%d: graph %lld is outside 0..%d", t.file, i + 1, (long long)b,
                           r->raw->graphs.graphs - 1);
        if (part[b] < MP_PARTS)
            return mp_fail(MP_ERR_INPUT, "%s:%d: graph %lld is in the split twice", t.file, i + 1, (long long)b);
        part[b] = (unsigned char)which;
    }
    return MP_OK;
}

static mp_err read_split(reading *r)
{
    static const char *const name[MP_PARTS] = { "train", "val", "test" };
    unsigned char *part = MP_NEW_RAW(r->scratch, unsigned char, r->raw->graphs.graphs);
    memset(part, MP_PARTS, (size_t)r->raw->graphs.graphs);
    for (int i = 0; i < 3; i++) MP_TRY(read_part(r, i, part));
    mp_raw_split(r->raw, part, name, r->a);
    r->raw->split_kind = mp_arena_text(r->a, r->f->split, strlen(r->f->split));
    return MP_OK;
}

static mp_err read_all(reading *r)
{
    const mp_ogb_files *f = r->f;
    MP_TRY(read_sizes(r));
    MP_TRY(read_edges(r));
    MP_TRY(read_nodes(r));
    if (f->part[MP_OGB_LABELS].p) MP_TRY(read_labels(r));
    if (f->split) MP_TRY(read_split(r));
    mp_span mapping = f->part[MP_OGB_MAPPING];
    if (mapping.p) MP_TRY(mp_ogb_mapping(mapping, f->file[MP_OGB_MAPPING], r->scratch, r->a, r->raw));
    if (!f->part[MP_OGB_EDGE_FEAT].p) return MP_OK;
    if (mp_dataset_wants_bonds(f->as)) return read_edge_features(r);
    r->raw->edge_columns_unread = mp_table_columns(f->part[MP_OGB_EDGE_FEAT]);
    return MP_OK;
}

mp_err mp_ogb_parse(const mp_ogb_files *files, mp_arena *a, mp_raw *out)
{
    *out = (mp_raw){ .name = mp_arena_text(a, files->name, strlen(files->name)) };
    reading r = { .f = files, .scratch = mp_arena_new(1 << 16), .a = a, .raw = out };
    mp_err e = read_all(&r);
    mp_arena_free(r.scratch);
    return e;
}
