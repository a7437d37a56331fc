/* data.c - data sets of midpool.h: from files and from arrays.
 * SPDX-License-Identifier: MIT */
#include "api/api.h"
#include "base/guard.h"
#include "data/features.h"
#include "data/load.h"
#include "data/query.h"
#include "graph/twins.h"

#include <math.h>
#include <string.h>

static mp_data *new_data(void)
{
    mp_arena *a = mp_arena_new(1 << 16);
    mp_data *d = MP_NEW(a, mp_data, 1);
    d->arena = a;
    return d;
}

typedef struct making {
    const char *name, *folder;
    const mp_data_columns *columns;
    const mp_arrays *in;
    mp_data *made;
} making;

/* What fails without giving up leaves its arenas to us. */
static mp_err make(mp_err (*fill)(const making *m, mp_data *d), making *m)
{
    mp_data *d = new_data();
    mp_err e = fill(m, d);
    if (e != MP_OK) mp_arena_free(d->arena);
    m->made = d;
    return e;
}

/* ---- from files ---- */

static mp_err fill_from_files(const making *m, mp_data *d)
{
    mp_columns columns = { 0 };
    if (m->columns) columns = (mp_columns){ .labels = m->columns->label, .ignore = m->columns->ignore };
    const mp_dataset_as all = { .edges = true, .columns = &columns };
    return mp_dataset_raw(m->name, m->folder, &all, d->arena, &d->raw, &d->origin);
}

static mp_err load(void *arg)
{
    return make(fill_from_files, arg);
}

static mp_err load_with(const char *call, making m, mp_data **out)
{
    MP_TRY(mp_api_need(m.name && out, call));
    MP_TRY(mp_guarded(load, &m));
    *out = m.made;
    return MP_OK;
}

mp_err mp_data_load(const char *name_or_path, const char *folder, mp_data **out)
{
    return load_with("mp_data_load", (making){ .name = name_or_path, .folder = folder }, out);
}

mp_err mp_data_load_columns(const char *name_or_path, const char *folder, const mp_data_columns *columns, mp_data **out)
{
    return load_with("mp_data_load_columns", (making){ .name = name_or_path, .folder = folder, .columns = columns },
                     out);
}

/* ---- from arrays ---- */

static mp_err check_table(const char *what, int columns, const void *table, int rows)
{
    if (columns < 0) return mp_fail(MP_ERR_USAGE, "%s: %d columns", what, columns);
    if (columns && rows && !table) return mp_fail(MP_ERR_USAGE, "%s: %d columns, but no values", what, columns);
    return MP_OK;
}

static mp_err check_ranges(const mp_arrays *in)
{
    if (in->graphs < 1) return mp_fail(MP_ERR_INPUT, "%d graphs; a set needs at least one", in->graphs);
    if (in->graphs > MP_MOST_COUNT) return mp_fail(MP_ERR_LIMIT, "%d graphs are too many", in->graphs);
    if (!in->node_ptr) return mp_fail(MP_ERR_USAGE, "node_ptr: NULL, expected %d numbers", in->graphs + 1);
    if (in->node_ptr[0] != 0) return mp_fail(MP_ERR_INPUT, "node_ptr[0]: %d, expected 0", in->node_ptr[0]);
    for (int b = 0; b < in->graphs; b++)
        if (in->node_ptr[b + 1] <= in->node_ptr[b])
            return mp_fail(MP_ERR_INPUT, "node_ptr[%d]: %d, expected more than %d: a graph needs a node", b + 1,
                           in->node_ptr[b + 1], in->node_ptr[b]);
    return MP_OK;
}

static mp_err check_tables(const mp_arrays *in)
{
    int nodes = in->node_ptr[in->graphs];
    if (in->node_labels > MP_MAX_LABEL_COLUMNS || in->edge_labels > MP_MAX_LABEL_COLUMNS)
        return mp_fail(MP_ERR_LIMIT, "more than %d label columns", MP_MAX_LABEL_COLUMNS);
    MP_TRY(check_table("node_label", in->node_labels, in->node_label, nodes));
    MP_TRY(check_table("node_attribute", in->node_attributes, in->node_attribute, nodes));
    MP_TRY(check_table("edge_label", in->edge_labels, in->edge_label, in->edges));
    MP_TRY(check_table("edge_attribute", in->edge_attributes, in->edge_attribute, in->edges));
    MP_TRY(check_table("label", in->targets, in->label, in->graphs));
    if ((int64_t)in->graphs * in->targets > MP_MOST_COUNT)
        return mp_fail(MP_ERR_LIMIT, "%d labels of %d graphs are too many", in->targets, in->graphs);
    for (int64_t i = 0; i < (int64_t)in->graphs * in->targets; i++)
        if (isinf(in->label[i]))
            return mp_fail(MP_ERR_INPUT, "label: graph %d has an infinite one", (int)(i / in->targets));
    return MP_OK;
}

/* Edges within graphs; that they are within the nodes is known. */
static mp_err check_owners(const mp_arrays *in, mp_arena *scratch)
{
    int *owner = MP_NEW_RAW(scratch, int, in->node_ptr[in->graphs]);
    for (int b = 0; b < in->graphs; b++)
        for (int v = in->node_ptr[b]; v < in->node_ptr[b + 1]; v++) owner[v] = b;
    for (int e = 0; e < in->edges; e++)
        if (owner[in->from[e]] != owner[in->to[e]])
            return mp_fail(MP_ERR_INPUT, "edge %d joins node %d of graph %d and node %d of graph %d", e, in->from[e],
                           owner[in->from[e]], in->to[e], owner[in->to[e]]);
    return MP_OK;
}

static void *copy(const void *p, size_t bytes, mp_arena *a)
{
    return bytes ? memcpy(mp_arena_raw(a, bytes, 1), p, bytes) : mp_arena_raw(a, 1, 1);
}

/* All nodes as one graph, then the ranges of the graphs put in: an edge does not know the difference. */
static mp_err fill_structure(const mp_arrays *in, mp_arena *scratch, mp_data *d)
{
    int nodes = in->node_ptr[in->graphs];
    mp_raw *raw = &d->raw;
    mp_query whole = { .nodes = nodes,
                       .edges = in->edges,
                       .from = in->from,
                       .to = in->to,
                       .edge_attributes = in->edge_attribute,
                       .edge_labels = in->edge_label };
    MP_TRY(mp_query_check(NULL, &whole));
    MP_TRY(check_owners(in, scratch));
    mp_query_graph(&whole, d->arena, &raw->graphs);
    raw->graphs.graphs = in->graphs;
    raw->graphs.node_ptr = copy(in->node_ptr, ((size_t)in->graphs + 1) * sizeof(int), d->arena);
    for (int e = 0; e < in->edges; e++) raw->self_loops += in->from[e] == in->to[e];
    if (in->edges == 0 || !(in->edge_attributes || in->edge_labels)) return MP_OK;
    return mp_query_edge_values(&whole, in->edge_attributes, in->edge_labels, scratch, d->arena, raw);
}

static bool whole_numbers(const double *v, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(v[i]) <= 9007199254740992.0) || v[i] != rint(v[i])) return false; /* NaN is none */
    return true;
}

static mp_err check_names(const mp_arrays *in)
{
    int n = in->class_names;
    if (n == 0) return MP_OK;
    if (n < 0 || !in->class_name || in->targets != 1)
        return mp_fail(MP_ERR_USAGE, "class_name: %d names of %d labels a graph", n, in->targets);
    for (int i = 0; i < n; i++)
        if (!in->class_name[i]) return mp_fail(MP_ERR_USAGE, "class_name[%d]: NULL", i);
    for (int b = 0; b < in->graphs; b++)
        if (!(in->label[b] >= 0 && in->label[b] < n && in->label[b] == rint(in->label[b])))
            return mp_fail(MP_ERR_INPUT, "label: graph %d has %g, expected a place among %d names", b, in->label[b], n);
    return MP_OK;
}

static const char *const *copy_names(const mp_arrays *in, mp_arena *a)
{
    const char **name = MP_NEW(a, const char *, in->class_names);
    for (int i = 0; i < in->class_names; i++) name[i] = mp_arena_text(a, in->class_name[i], strlen(in->class_name[i]));
    return name;
}

static void fill_labels(const mp_arrays *in, mp_data *d)
{
    mp_raw *raw = &d->raw;
    if (in->targets == 0) return;
    raw->file = "label"; /* in messages: "label:3" is that of graph 3 */
    if (in->targets > 1 || !whole_numbers(in->label, in->graphs)) {
        raw->target_columns = in->targets;
        raw->target = copy(in->label, (size_t)in->graphs * (size_t)in->targets * sizeof(double), d->arena);
        return;
    }
    int64_t *label = MP_NEW_RAW(d->arena, int64_t, in->graphs);
    for (int b = 0; b < in->graphs; b++) label[b] = (int64_t)in->label[b];
    raw->graph_label = label;
    raw->class_names = in->class_names;
    if (in->class_names) raw->class_name = copy_names(in, d->arena);
}

/* Labels are within the ranges that are said of them. */
static mp_err fill_range(const char *what, const int *range, const int *label, int rows, int columns, mp_arena *a,
                         const int **out)
{
    if (!range || !columns) return MP_OK;
    for (size_t i = 0; i < (size_t)rows * (size_t)columns; i++)
        if (label[i] < 0 || label[i] >= range[i % (size_t)columns])
            return mp_fail(MP_ERR_INPUT, "%s: %d in column %d, whose labels are 0 to %d", what, label[i],
                           (int)(i % (size_t)columns), range[i % (size_t)columns] - 1);
    *out = copy(range, (size_t)columns * sizeof(int), a);
    return MP_OK;
}

static mp_err fill_split(const mp_arrays *in, mp_arena *scratch, mp_data *d)
{
    static const char *const name[MP_PARTS] = { "train", "val", "test", NULL, NULL };
    if (!in->part) return MP_OK;
    unsigned char *part = MP_NEW_RAW(scratch, unsigned char, in->graphs);
    for (int b = 0; b < in->graphs; b++) {
        part[b] = MP_PARTS;
        for (int i = 0; in->part[b] && i < 3; i++)
            if (strcmp(in->part[b], name[i]) == 0) part[b] = (unsigned char)i;
        if (in->part[b] && part[b] == MP_PARTS)
            return mp_fail(MP_ERR_INPUT, "part[%d]: expected train, val, test or NULL, got '%.40s'", b, in->part[b]);
    }
    mp_raw_split(&d->raw, part, name, d->arena);
    return MP_OK;
}

static mp_err fill_from_arrays(const making *m, mp_data *d)
{
    const mp_arrays *in = m->in;
    const char *name = in->name ? in->name : "arrays";
    mp_raw *raw = &d->raw;
    MP_TRY(check_ranges(in));
    MP_TRY(check_tables(in));
    MP_TRY(check_names(in));
    int nodes = in->node_ptr[in->graphs];
    raw->name = mp_arena_text(d->arena, name, strlen(name));
    mp_arena *scratch = mp_arena_new(1 << 16);
    mp_err e = fill_structure(in, scratch, d);
    if (e == MP_OK) e = fill_split(in, scratch, d);
    mp_arena_free(scratch);
    MP_TRY(e);
    raw->label_columns = in->node_labels;
    raw->labels = copy(in->node_label, (size_t)nodes * (size_t)in->node_labels * sizeof(int), d->arena);
    MP_TRY(fill_range("node_label", in->node_label_range, in->node_label, nodes, in->node_labels, d->arena,
                      &raw->label_range));
    MP_TRY(fill_range("edge_label", in->edge_label_range, in->edge_label, in->edges, in->edge_labels, d->arena,
                      &raw->edge_label_range));
    if (in->node_attributes)
        MP_TRY(mp_sparse_of(in->node_attribute, nodes, in->node_attributes, "attributes of node", d->arena,
                            &raw->attributes));
    fill_labels(in, d);
    return MP_OK;
}

static mp_err from_arrays(void *arg)
{
    return make(fill_from_arrays, arg);
}

mp_err mp_data_make(const mp_arrays *in, mp_data **out)
{
    making m = { .in = in };
    MP_TRY(mp_api_need(in && out, "mp_data_make"));
    MP_TRY(mp_guarded(from_arrays, &m));
    *out = m.made;
    return MP_OK;
}

void mp_data_about(const mp_data *d, mp_data_info *out)
{
    if (!out) return;
    *out = (mp_data_info){ .name = "", .task = "" };
    if (!d) return;
    const mp_raw *r = &d->raw;
    *out = (mp_data_info){ .name = r->name,
                           .graphs = r->graphs.graphs,
                           .nodes = r->graphs.nodes,
                           .edges = r->graphs.edges / 2,
                           .node_labels = r->label_columns,
                           .node_attributes = r->attributes.cols,
                           .edge_labels = r->edge_label_columns,
                           .edge_attributes = r->edge_attributes.cols,
                           .targets = r->graph_label ? 1
                                      : r->target    ? r->target_columns
                                                     : 0,
                           .origin = d->origin,
                           .task = mp_raw_task(r)->name,
                           .class_names = r->class_name ? r->class_names : 0,
                           .split = r->fixed_name[0] != NULL,
                           .node_label_range = r->label_range,
                           .edge_label_range = r->edge_label_range };
}

void mp_data_free(mp_data *d)
{
    if (d) mp_arena_free(d->arena); /* d itself is in it */
}

/* ---- for the others ---- */

/* Without values of edges, and with a memo of its own: others may be reading the same graphs. */
static mp_raw view(const mp_data *d, bool edges, mp_arena *a)
{
    mp_raw raw = d->raw;
    raw.graphs.norm = MP_NEW(a, mp_norm, 1);
    if (edges) return raw;
    raw.edge_columns_unread += raw.edge_label_columns + raw.edge_attributes.cols;
    raw.edge_attributes = (mp_sparse){ 0 };
    raw.edge_label_columns = 0;
    raw.edge_labels = NULL;
    return raw;
}

/* The rows that graphs have in a table of labels: those of their nodes, or of their edges, to which row_ptr leads. */
static const int *pick_labels(const mp_raw *all, bool edges, const int *which, int n, int rows, mp_arena *a)
{
    const mp_graph *g = &all->graphs;
    size_t columns = (size_t)(edges ? all->edge_label_columns : all->label_columns), at = 0;
    const int *label = edges ? all->edge_labels : all->labels;
    int *out = MP_NEW_RAW(a, int, (size_t)rows *columns + 1);
    for (int i = 0; columns && i < n; i++) {
        int from = g->node_ptr[which[i]], to = g->node_ptr[which[i] + 1];
        size_t first = (size_t)(edges ? g->row_ptr[from] : from), end = (size_t)(edges ? g->row_ptr[to] : to);
        memcpy(out + at * columns, label + first * columns, (end - first) * columns * sizeof *out);
        at += end - first;
    }
    return out;
}

/* Some graphs of a set, with what nodes and edges have, labels of graphs apart. */
static mp_raw chosen(const mp_data *d, const int *which, int n, bool edges, mp_arena *a)
{
    const mp_raw *all = &d->raw;
    mp_raw some = view(d, edges, a);
    mp_graph whole = some.graphs;
    mp_sparse attributes = { .rows = whole.nodes };
    if (all->attributes.cols) attributes = all->attributes;
    if (attributes.cols == 0) attributes.val = MP_NEW(a, mp_real, 1);
    whole.edge_x = edges && all->edge_attributes.cols ? &all->edge_attributes : NULL;
    int *own = MP_NEW_RAW(a, int, n);
    memcpy(own, which, (size_t)n * sizeof *own);
    mp_graph_gather(a, &whole, &attributes, own, n, false, &some.graphs, &some.attributes);
    some.labels = pick_labels(all, false, own, n, some.graphs.nodes, a);
    if (some.graphs.edge_x) some.edge_attributes = *some.graphs.edge_x;
    if (edges) some.edge_labels = pick_labels(all, true, own, n, some.graphs.edges, a);
    some.graphs.edge_x = NULL;
    some.graphs.which = NULL; /* a collection of its own */
    return some;
}

/* Classes by the numbers that a model has for their names. */
static mp_err take_names(const mp_dataset_as *as, mp_arena *a, mp_raw *raw)
{
    int names = mp_dataset_as_names(as), *place = MP_NEW(a, int, raw->class_names);
    if (!names || !raw->class_name || !raw->graph_label) return MP_OK;
    int64_t *label = MP_NEW_RAW(a, int64_t, raw->graphs.graphs);
    for (int c = 0; c < raw->class_names; c++)
        while (place[c] < names && strcmp(as->class_name[place[c]], raw->class_name[c]) != 0) place[c]++;
    for (int b = 0; b < raw->graphs.graphs; b++) {
        label[b] = place[raw->graph_label[b]];
        if (label[b] == names)
            return mp_fail(MP_ERR_INPUT, "%s: graph %d has the class '%.80s', which the model does not know", raw->name,
                           b, raw->class_name[raw->graph_label[b]]);
    }
    raw->graph_label = label;
    raw->class_name = as->class_name;
    raw->class_names = names;
    return MP_OK;
}

mp_err mp_api_inputs(const mp_data *d, const int *which, int n, const mp_dataset_as *as, mp_arena *a, mp_dataset *out)
{
    bool edges = mp_raw_wants_edges(&d->raw, as);
    mp_raw raw = which ? chosen(d, which, n, edges, a) : view(d, edges, a);
    raw.graph_label = NULL;
    raw.target = NULL;
    raw.class_names = 0;
    raw.class_name = NULL;
    MP_TRY(mp_dataset_piece(&raw, as, a, out));
    mp_graph_know(a, &out->graphs);
    return MP_OK;
}

mp_err mp_api_build(const mp_data *d, const mp_dataset_as *as, mp_arena *a, mp_dataset *out)
{
    mp_raw raw = view(d, mp_raw_wants_edges(&d->raw, as), a);
    if (as) MP_TRY(take_names(as, a, &raw));
    MP_TRY(mp_dataset_build(&raw, as, a, out));
    out->origin = d->origin;
    return MP_OK;
}

mp_err mp_api_pick(const mp_data *d, int graph, const mp_recipe *r, mp_arena *a, mp_graph *g, mp_sparse *x)
{
    const mp_raw *all = &d->raw;
    if (graph < 0 || graph >= all->graphs.graphs)
        return mp_fail(MP_ERR_USAGE, "there is no graph %d; %s has graphs 0 to %d", graph, all->name,
                       all->graphs.graphs - 1);
    bool edges = mp_recipe_edge_columns(r) > 0;
    int unseen;
    mp_raw one = chosen(d, &graph, 1, edges, a);
    mp_sparse *edge_x = MP_NEW(a, mp_sparse, 1);
    MP_TRY(mp_features_apply(r, &one, a, x, &unseen));
    if (edges) MP_TRY(mp_edge_features_apply(r, &one, a, edge_x));
    *g = one.graphs;
    if (edges) g->edge_x = edge_x;
    return MP_OK;
}
