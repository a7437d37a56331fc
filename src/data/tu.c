/* tu.c - the files of a TUDataset, except the edges (tu_edges.c): which graph a node is in, labels,
 * attributes.
 *
 * Line counts are checked before anything is allocated by them. The number of nodes is that of the
 * indicator's lines, the number of graphs its last number; every other file must agree.
 * SPDX-License-Identifier: MIT */
#include "data/tu.h"
#include "data/edge_values.h"
#include "data/table.h"
#include "data/tu_edges.h"

#include <string.h>

const char *const mp_tu_suffix[MP_TU_PARTS] = {
    [MP_TU_EDGES] = "_A.txt",
    [MP_TU_INDICATOR] = "_graph_indicator.txt",
    [MP_TU_GRAPH_LABELS] = "_graph_labels.txt",
    [MP_TU_NODE_LABELS] = "_node_labels.txt",
    [MP_TU_NODE_ATTRIBUTES] = "_node_attributes.txt",
    [MP_TU_GRAPH_ATTRIBUTES] = "_graph_attributes.txt",
    [MP_TU_SPLITS] = "_splits.txt",
    [MP_TU_EDGE_LABELS] = "_edge_labels.txt",
    [MP_TU_EDGE_ATTRIBUTES] = "_edge_attributes.txt",
};

static mp_err open_part(const mp_tu_files *f, mp_tu_part part, mp_arena *scratch, mp_table *r)
{
    const char *file = mp_arena_printf(scratch, "%s%s", f->name, mp_tu_suffix[part]);
    if (!f->part[part].p) return mp_fail(MP_ERR_INPUT, "%s: missing", file);
    MP_TRY(mp_table_open(f->part[part], file, 0, r));
    return r->lines || f->piece ? MP_OK : mp_fail(MP_ERR_INPUT, "%s: empty", file);
}

/* Graph ids must be 1, 1, ..., 2, ...: they never fall and none is left out. */
static mp_err read_indicator(const mp_table *r, int64_t before, int *owner, int *graphs)
{
    mp_scan s = mp_scan_of(r->text, r->file);
    int last = 0;
    for (int v = 0; v < r->lines; v++) {
        int64_t id = 0;
        MP_TRY(mp_table_int(&s, &id));
        id -= before;
        if (id < 1) return mp_fail(MP_ERR_INPUT, "%s:%d: graph %lld; ids begin with 1", r->file, v + 1, (long long)id);
        if (id < last)
            return mp_fail(MP_ERR_INPUT, "%s:%d: graph %lld after graph %d; ids must not fall", r->file, v + 1,
                           (long long)id, last);
        if (id > last + 1)
            return mp_fail(MP_ERR_INPUT, "%s:%d: graph %d has no nodes; the ids go from %d to %lld", r->file, v + 1,
                           last + 1, last, (long long)id);
        last = (int)id;
        owner[v] = last - 1;
    }
    *graphs = last;
    return MP_OK;
}

static const int *node_ranges(const int *owner, int nodes, int graphs, mp_arena *a)
{
    int *ptr = MP_NEW(a, int, graphs + 1);
    for (int v = 0; v < nodes; v++) ptr[owner[v] + 1]++;
    for (int b = 0; b < graphs; b++) ptr[b + 1] += ptr[b];
    return ptr;
}

static mp_err read_structure(const mp_tu_files *f, mp_arena *scratch, mp_arena *a, mp_raw *raw)
{
    mp_table indicator, edges;
    MP_TRY(open_part(f, MP_TU_INDICATOR, scratch, &indicator));
    MP_TRY(open_part(f, MP_TU_EDGES, scratch, &edges));
    int *owner = MP_NEW_RAW(scratch, int, indicator.lines), graphs = 0;
    MP_TRY(read_indicator(&indicator, f->graphs_before, owner, &graphs));
    raw->graphs.nodes = indicator.lines;
    raw->graphs.graphs = graphs;
    raw->graphs.node_ptr = node_ranges(owner, indicator.lines, graphs, a);
    return mp_tu_edges(edges.text, edges.file, f->nodes_before, owner, scratch, a, raw);
}

static mp_err read_graph_labels(const mp_tu_files *f, mp_arena *scratch, mp_arena *a, mp_raw *raw)
{
    mp_table r;
    MP_TRY(open_part(f, MP_TU_GRAPH_LABELS, scratch, &r));
    MP_TRY(mp_table_need(&r, raw->graphs.graphs, "graphs"));
    int64_t *label = MP_NEW_RAW(a, int64_t, r.lines);
    mp_scan s = mp_scan_of(r.text, r.file);
    for (int b = 0; b < r.lines; b++) MP_TRY(mp_table_int(&s, label + b));
    raw->graph_label = label;
    return MP_OK;
}

static mp_err read_targets(const mp_tu_files *f, mp_arena *scratch, mp_arena *a, mp_raw *raw)
{
    mp_table r;
    MP_TRY(open_part(f, MP_TU_GRAPH_ATTRIBUTES, scratch, &r));
    return mp_table_targets(&r, raw->graphs.graphs, a, &raw->target, &raw->target_columns);
}

static mp_err read_node_labels(const mp_tu_files *f, mp_arena *scratch, mp_arena *a, mp_raw *raw)
{
    mp_table r;
    MP_TRY(open_part(f, MP_TU_NODE_LABELS, scratch, &r));
    MP_TRY(mp_table_need(&r, raw->graphs.nodes, "nodes"));
    return mp_table_labels(&r, NULL, a, &raw->labels, &raw->label_columns);
}

static mp_err read_node_attributes(const mp_tu_files *f, mp_arena *scratch, mp_arena *a, mp_raw *raw)
{
    mp_table r;
    MP_TRY(open_part(f, MP_TU_NODE_ATTRIBUTES, scratch, &r));
    MP_TRY(mp_table_need(&r, raw->graphs.nodes, "nodes"));
    return mp_table_attributes(&r, a, &raw->attributes);
}

/* The pairs of nodes a second time, and a line of labels and attributes for each. */
static mp_err read_edge_values(const mp_tu_files *f, mp_arena *scratch, mp_arena *a, mp_raw *raw)
{
    mp_table edges, labels = { .file = NULL }, attributes = { .file = NULL };
    MP_TRY(open_part(f, MP_TU_EDGES, scratch, &edges));
    int *from = MP_NEW_RAW(scratch, int, edges.lines), *to = MP_NEW_RAW(scratch, int, edges.lines);
    mp_edge_list list = { .n = edges.lines, .from = from, .to = to };
    mp_edge_clash clash;
    mp_tu_pairs(edges.text, f->nodes_before, from, to);
    if (f->part[MP_TU_EDGE_LABELS].p) {
        MP_TRY(open_part(f, MP_TU_EDGE_LABELS, scratch, &labels));
        MP_TRY(mp_table_need(&labels, edges.lines, "edges"));
        MP_TRY(mp_table_labels(&labels, NULL, scratch, &list.labels, &list.label_columns));
    }
    if (f->part[MP_TU_EDGE_ATTRIBUTES].p) {
        MP_TRY(open_part(f, MP_TU_EDGE_ATTRIBUTES, scratch, &attributes));
        MP_TRY(mp_table_need(&attributes, edges.lines, "edges"));
        MP_TRY(mp_table_attributes(&attributes, scratch, &list.attributes));
    }
    if (mp_edge_values(&list, scratch, a, raw, &clash)) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s:%d: the edge of nodes %d and %d has other values on line %d",
                   clash.labels ? labels.file : attributes.file, clash.here + 1, from[clash.here] + 1,
                   to[clash.here] + 1, clash.before + 1);
}

static mp_err read_edge_parts(const mp_tu_files *f, mp_arena *scratch, mp_arena *a, mp_raw *raw)
{
    static const mp_tu_part parts[] = { MP_TU_EDGE_LABELS, MP_TU_EDGE_ATTRIBUTES };
    bool any = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!f->part[parts[i]].p) continue;
        any = true;
        if (!f->edges) raw->edge_columns_unread += mp_table_columns(f->part[parts[i]]);
    }
    return any && f->edges ? read_edge_values(f, scratch, a, raw) : MP_OK;
}

static mp_err bad_split(const mp_table *r, int line)
{
    return mp_fail(MP_ERR_INPUT, "%s:%d: expected a name, the first graph and one past the last, within the graphs",
                   r->file, line);
}

/* The part with this name, perhaps a new one; MP_PARTS when there are too many. */
static int part_named(mp_span word, const char *name[MP_PARTS], mp_arena *a)
{
    int i = 0;
    while (i < MP_PARTS && name[i] && !mp_span_is(word, name[i])) i++;
    if (i < MP_PARTS && !name[i]) name[i] = mp_arena_text(a, word.p, word.n);
    return i;
}

/* Parts in the order in which their names come first; graphs ascend from line to line. */
static mp_err read_splits(const mp_tu_files *f, mp_arena *scratch, mp_arena *a, mp_raw *raw)
{
    mp_table r;
    mp_span line, word;
    const char *name[MP_PARTS] = { NULL };
    int64_t end = 0;
    MP_TRY(open_part(f, MP_TU_SPLITS, scratch, &r));
    unsigned char *part = MP_NEW_RAW(scratch, unsigned char, raw->graphs.graphs);
    memset(part, MP_PARTS, (size_t)raw->graphs.graphs);
    for (int i = 1; mp_next_line(&r.text, &line); i++) {
        int64_t bound[2];
        if (!mp_next_field(&line, ' ', &word) || word.n == 0 || word.n > 32) return bad_split(&r, i);
        int at = part_named(word, name, a);
        if (at == MP_PARTS) return mp_fail(MP_ERR_INPUT, "%s:%d: more than %d parts", r.file, i, MP_PARTS);
        for (int k = 0; k < 2; k++)
            if (!mp_next_field(&line, ' ', &word) || !mp_to_int(word, &bound[k])) return bad_split(&r, i);
        if (mp_next_field(&line, ' ', &word)) return bad_split(&r, i);
        if (bound[0] < 0 || bound[1] < bound[0] || bound[1] > raw->graphs.graphs) return bad_split(&r, i);
        if (bound[0] < end) return mp_fail(MP_ERR_INPUT, "%s:%d: overlaps the part before it", r.file, i);
        end = bound[1];
        memset(part + bound[0], at, (size_t)(bound[1] - bound[0]));
    }
    if (!name[2]) return mp_fail(MP_ERR_INPUT, "%s: expected 3 to %d parts", r.file, MP_PARTS);
    mp_raw_split(raw, part, name, a);
    return MP_OK;
}

static mp_err read_all(const mp_tu_files *f, mp_arena *scratch, mp_arena *a, mp_raw *raw)
{
    typedef mp_err read_part(const mp_tu_files *, mp_arena *, mp_arena *, mp_raw *);
    static const struct {
        mp_tu_part part;
        read_part *read;
    } optional[] = {
        { MP_TU_GRAPH_LABELS, read_graph_labels },
        { MP_TU_NODE_LABELS, read_node_labels },
        { MP_TU_NODE_ATTRIBUTES, read_node_attributes },
        { MP_TU_SPLITS, read_splits },
    };
    MP_TRY(read_structure(f, scratch, a, raw));
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        if (f->part[optional[i].part].p) MP_TRY(optional[i].read(f, scratch, a, raw));
    if (!raw->graph_label && f->part[MP_TU_GRAPH_ATTRIBUTES].p) MP_TRY(read_targets(f, scratch, a, raw));
    return read_edge_parts(f, scratch, a, raw);
}

mp_err mp_tu_parse(const mp_tu_files *files, mp_arena *a, mp_raw *out)
{
    *out = (mp_raw){ .name = mp_arena_text(a, files->name, strlen(files->name)) };
    mp_arena *scratch = mp_arena_new(1 << 16);
    mp_err e = read_all(files, scratch, a, out);
    mp_arena_free(scratch);
    return e;
}
