/* stats.c - see stats.h.
 * SPDX-License-Identifier: MIT */
#include "data/stats.h"
#include "base/json.h"
#include "data/known.h"
#include "data/seal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void count_shapes(const mp_graph *g, mp_stats *s)
{
    s->min_nodes = g->graphs ? g->nodes : 0;
    for (int b = 0; b < g->graphs; b++) {
        int n = g->node_ptr[b + 1] - g->node_ptr[b];
        if (n < s->min_nodes) s->min_nodes = n;
        if (n > s->max_nodes) s->max_nodes = n;
        s->single_node_graphs += n == 1;
        s->edgeless_graphs += g->row_ptr[g->node_ptr[b]] == g->row_ptr[g->node_ptr[b + 1]];
    }
    for (int v = 0; v < g->nodes; v++) {
        int degree = g->row_ptr[v + 1] - g->row_ptr[v];
        s->isolated_nodes += degree == 0;
        if (degree > s->max_degree) s->max_degree = degree;
    }
}

static int by_value(const void *p, const void *q)
{
    int64_t x = *(const int64_t *)p, y = *(const int64_t *)q;
    return (x > y) - (x < y);
}

/* The label of every graph as the file has it; NULL when targets are not whole numbers. */
static int64_t *label_values(const mp_dataset *d, mp_arena *a)
{
    mp_labels labels = mp_seal_break(d->seal);
    int64_t *value = MP_NEW_RAW(a, int64_t, d->graphs.graphs);
    if (labels.columns > 1) return NULL;
    for (int b = 0; b < d->graphs.graphs; b++) {
        double y = labels.v[b];
        if (!(fabs(y) < 1e15) || y != floor(y)) return NULL;
        value[b] = d->task->classes ? d->class_value[(int)y] : (int64_t)y;
    }
    return value;
}

static void count_classes(const mp_dataset *d, mp_arena *a, mp_stats *s)
{
    int64_t *value = d->seal ? label_values(d, a) : NULL;
    if (!value) return;
    qsort(value, (size_t)d->graphs.graphs, sizeof *value, by_value);
    int *count = MP_NEW(a, int, d->graphs.graphs), n = 0;
    for (int b = 0; b < d->graphs.graphs; b++) {
        if (n == 0 || value[n - 1] != value[b]) value[n++] = value[b];
        count[n - 1]++;
    }
    s->classes = n;
    s->class_value = value;
    s->class_count = count;
}

static const char *source_of(const mp_recipe *r, mp_arena *a)
{
    if (r->degree == MP_DEGREE_ONE_HOT) return "one-hot degree";
    if (r->degree == MP_DEGREE_NORMALISED)
        return mp_arena_printf(a, "normalised degree (mean %.4f, std %.4f)", r->degree_mean, r->degree_std);
    int labels = 0;
    for (int k = 0; k < r->label_columns; k++) labels += r->label_count[k];
    if (!labels && r->skip_attributes)
        return mp_arena_printf(a, "%d attributes, the first %d left out", r->attributes, r->skip_attributes);
    if (!labels) return mp_arena_printf(a, "%d attributes", r->attributes);
    if (!r->attributes) return mp_arena_printf(a, "%d node labels", labels);
    return mp_arena_printf(a, "%d attribute%s + %d node labels", r->attributes, mp_plural(r->attributes), labels);
}

void mp_stats_of(const mp_dataset *d, mp_arena *a, mp_stats *out)
{
    const mp_graph *g = &d->graphs;
    *out = (mp_stats){ .graphs = g->graphs, .nodes = g->nodes, .edges = g->edges / 2, .columns = d->x.cols };
    out->avg_nodes = (double)g->nodes / g->graphs;
    out->avg_edges = (double)g->edges / 2 / g->graphs;
    count_shapes(g, out);
    count_classes(d, a, out);
    out->source = source_of(&d->recipe, a);
}

/* One row of the comparison. The paper prints averages with two decimals. */
typedef struct figure {
    const char *name, *key;
    double ours, paper;
    bool average;
} figure;

enum { FIGURES = 5 };

/* Of sets with several labels the paper counts these as classes. */
static int figures(const mp_dataset *d, const mp_stats *s, const mp_known *k, figure out[FIGURES])
{
    const figure all[FIGURES] = {
        { "graphs", "graphs", s->graphs, k->graphs, false },
        { "classes", "classes", d->targets > 1 ? d->targets : s->classes, k->classes, false },
        { "nodes a graph", "avg_nodes", s->avg_nodes, k->avg_nodes, true },
        { "edges a graph", "avg_edges", s->avg_edges, k->avg_edges, true },
        { "columns of x", "columns", s->columns, k->columns, false },
    };
    int n = 0;
    for (int i = 0; i < FIGURES; i++)
        if (all[i].paper > 0) out[n++] = all[i];
    return n;
}

static bool differs(const figure *f)
{
    return fabs(f->ours - f->paper) > (f->average ? 0.00501 : 0);
}

/* What a class is called, where that is a text. */
static const char *class_name(const mp_dataset *d, int64_t value)
{
    return d->class_name ? d->class_name[value] : NULL;
}

static void class_list(const mp_dataset *d, const mp_stats *s, mp_buf *out)
{
    for (int c = 0; c < s->classes && c < 20; c++) {
        const char *name = class_name(d, s->class_value[c]);
        mp_buf_puts(out, c ? ", " : "");
        if (name)
            mp_buf_puts(out, name);
        else
            mp_buf_printf(out, "%lld", (long long)s->class_value[c]);
        mp_buf_printf(out, ": %d", s->class_count[c]);
    }
    if (s->classes > 20) mp_buf_printf(out, ", ...");
}

static void paper_text(const mp_dataset *d, const mp_stats *s, mp_buf *out)
{
    const mp_known *k = mp_known_find(d->name);
    figure f[FIGURES];
    int n = k ? figures(d, s, k, f) : 0, different = 0;
    for (int i = 0; i < n; i++) {
        if (!differs(&f[i])) continue;
        different++;
        mp_buf_printf(out, "differs from the paper: %s %.*f here, %.*f there\n", f[i].name, f[i].average ? 2 : 0,
                      f[i].ours, f[i].average ? 2 : 0, f[i].paper);
    }
    if (n && !different) mp_buf_puts(out, "graphs, classes, averages and columns are those of the paper\n");
    if (different && k->note) mp_buf_printf(out, "why: %s\n", k->note);
}

static double known_share(const mp_dataset *d)
{
    mp_labels labels = mp_seal_break(d->seal);
    size_t n = (size_t)d->graphs.graphs * (size_t)labels.columns, known = 0;
    for (size_t i = 0; i < n; i++) known += !isnan(labels.v[i]);
    return n ? (double)known / (double)n : 0;
}

void mp_stats_text(const mp_dataset *d, const mp_stats *s, mp_buf *out)
{
    mp_buf_printf(out, "%s, from %s\n", d->name, d->origin);
    mp_buf_printf(out, "graphs          %d\n", s->graphs);
    mp_buf_printf(out, "task            %s\n", d->task->name);
    if (s->classes && s->classes <= 1000) {
        mp_buf_printf(out, "classes         %d (", s->classes);
        class_list(d, s, out);
        mp_buf_puts(out, ")\n");
    }
    if (d->targets > 1 && d->seal)
        mp_buf_printf(out, "label columns   %d, %.1f %% known\n", d->targets, 100 * known_share(d));
    mp_buf_printf(out, "nodes a graph   %.2f (%d to %d)\n", s->avg_nodes, s->min_nodes, s->max_nodes);
    mp_buf_printf(out, "edges a graph   %.2f, largest degree %d\n", s->avg_edges, s->max_degree);
    mp_buf_printf(out, "isolated nodes  %d\n", s->isolated_nodes);
    mp_buf_printf(out, "columns of x    %d: %s\n", s->columns, s->source);
    mp_buf_printf(out, "fingerprint     %016llx\n", (unsigned long long)d->fingerprint);
    if (d->self_loops || d->repeated_edges || d->added_reverse)
        mp_buf_printf(out, "edge lines      %d self loops and %d repeats dropped, %d reverses added\n", d->self_loops,
                      d->repeated_edges, d->added_reverse);
    for (int i = 0; i < 5; i++)
        if (d->fixed_name[i] && d->fixed_list)
            mp_buf_printf(out, "split           %-12s %d graphs\n", d->fixed_name[i], d->fixed[i][1] - d->fixed[i][0]);
        else if (d->fixed_name[i])
            mp_buf_printf(out, "split           %-12s graphs %d to %d\n", d->fixed_name[i], d->fixed[i][0],
                          d->fixed[i][1] - 1);
    paper_text(d, s, out);
}

static void paper_json(const mp_dataset *d, const mp_stats *s, mp_buf *out)
{
    const mp_known *k = mp_known_find(d->name);
    figure f[FIGURES];
    int n = k ? figures(d, s, k, f) : 0;
    mp_json_key(out, "paper");
    if (n == 0) {
        mp_json_put_null(out);
        return;
    }
    bool same = true;
    mp_json_open(out, '{');
    for (int i = 0; i < n; i++) {
        if (f[i].average)
            mp_json_add_real(out, f[i].key, f[i].paper);
        else
            mp_json_add_int(out, f[i].key, (int64_t)f[i].paper);
        same = same && !differs(&f[i]);
    }
    mp_json_add_bool(out, "agrees", same);
    if (k->note) mp_json_add_text(out, "note", k->note);
    mp_json_close(out, '}');
}

static void classes_json(const mp_dataset *d, const mp_stats *s, mp_buf *out)
{
    mp_json_key(out, "class_counts");
    mp_json_open(out, '[');
    for (int c = 0; c < s->classes && s->classes <= 1000; c++) {
        mp_json_open(out, '{');
        mp_json_add_int(out, "value", s->class_value[c]);
        if (d->class_name) mp_json_add_text(out, "name", class_name(d, s->class_value[c]));
        mp_json_add_int(out, "graphs", s->class_count[c]);
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
}

void mp_stats_json(const mp_dataset *d, const mp_stats *s, mp_buf *out)
{
    char fingerprint[17];
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)d->fingerprint);
    const struct {
        const char *key;
        int value;
    } counts[] = {
        { "graphs", s->graphs },
        { "classes", s->classes },
        { "nodes", s->nodes },
        { "edges", s->edges },
        { "min_nodes", s->min_nodes },
        { "max_nodes", s->max_nodes },
        { "max_degree", s->max_degree },
        { "isolated_nodes", s->isolated_nodes },
        { "edgeless_graphs", s->edgeless_graphs },
        { "single_node_graphs", s->single_node_graphs },
        { "columns", s->columns },
        { "self_loops", d->self_loops },
        { "repeated_edges", d->repeated_edges },
        { "added_reverse", d->added_reverse },
    };
    mp_json_open(out, '{');
    mp_json_add_text(out, "name", d->name);
    mp_json_add_text(out, "origin", d->origin);
    mp_json_add_text(out, "task", d->task->name);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) mp_json_add_int(out, counts[i].key, counts[i].value);
    mp_json_add_real(out, "avg_nodes", s->avg_nodes);
    mp_json_add_real(out, "avg_edges", s->avg_edges);
    mp_json_add_text(out, "source", s->source);
    mp_json_add_text(out, "fingerprint", fingerprint);
    classes_json(d, s, out);
    paper_json(d, s, out);
    mp_json_close(out, '}');
}
