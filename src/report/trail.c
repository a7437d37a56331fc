/* trail.c - see trail.h.
 * SPDX-License-Identifier: MIT */
#include "report/trail.h"
#include "base/json.h"
#include "report/layout.h"

#define MOST_LABELS 60 /* more numbers than that cannot be read */

static void put_row(mp_buf *b, const char *key, const double *v, int n)
{
    mp_json_key(b, key);
    mp_json_open(b, '[');
    for (int i = 0; i < n; i++) mp_json_put_real(b, v[i]);
    mp_json_close(b, ']');
}

static void put_node(const mp_trail_of_graph *t, const mp_trail_level *l, int v, mp_buf *b)
{
    size_t row = (size_t)v * (size_t)l->columns;
    mp_json_open(b, '{');
    mp_json_add_int(b, "node", l->node[v]);
    mp_json_add_int(b, "file_node", t->first_file_node + l->node[v]);
    if (t->symbol) mp_json_add_text(b, "atom", t->symbol[l->node[v]]);
    put_row(b, "scores", l->score + row, l->columns);
    put_row(b, "gates", l->gate + row, l->columns);
    mp_json_add_real(b, "key", l->key[v]);
    mp_json_add_bool(b, "dropped", l->dropped[v]);
    mp_json_add_bool(b, "kept", l->kept[v]);
    mp_json_close(b, '}');
}

void mp_trail_place(mp_trail_of_graph *t, const mp_graph *g, mp_arena *a)
{
    double *x = MP_NEW(a, double, g->nodes), *y = MP_NEW(a, double, g->nodes);
    mp_layout_spring(g, 0, x, y);
    t->x = x;
    t->y = y;
}

static void put_layout(const mp_trail_of_graph *t, mp_buf *b)
{
    mp_json_key(b, "layout");
    mp_json_open(b, '[');
    for (int v = 0; v < t->nodes; v++) {
        char place[64];
        mp_format(place, sizeof place, "[%.4f,%.4f]", t->x[v], t->y[v]);
        mp_json_put_raw(b, place);
    }
    mp_json_close(b, ']');
}

void mp_trail_json(const mp_trail_of_graph *t, mp_buf *b)
{
    if (t->x) put_layout(t, b);
    mp_json_key(b, "levels");
    mp_json_open(b, '[');
    for (int i = 0; i < t->levels; i++) {
        const mp_trail_level *l = &t->level[i];
        mp_json_open(b, '{');
        mp_json_add_int(b, "level", i + 1);
        mp_json_key(b, "kept");
        mp_json_open(b, '[');
        for (int j = 0; j < l->keep; j++) mp_json_put_int(b, l->order[j]);
        mp_json_close(b, ']');
        mp_json_key(b, "nodes");
        mp_json_open(b, '[');
        for (int v = 0; v < l->nodes; v++) put_node(t, l, v, b);
        mp_json_close(b, ']');
        mp_json_key(b, "edges");
        mp_json_open(b, '[');
        for (int e = 0; e < l->edges; e++) {
            mp_json_open(b, '[');
            mp_json_put_int(b, l->from[e]);
            mp_json_put_int(b, l->to[e]);
            mp_json_close(b, ']');
        }
        mp_json_close(b, ']');
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
}

static const char *const *numbers(int n, mp_arena *a)
{
    const char **label = MP_NEW(a, const char *, n);
    for (int v = 0; v < n; v++) label[v] = mp_arena_printf(a, "%d", v);
    return n <= MOST_LABELS ? label : NULL;
}

/* All levels, each with its columns. */
static mp_svg_graph_spec spec_of(const mp_trail_of_graph *t, const mp_graph *g, const mp_trail_view *how, mp_arena *a)
{
    mp_trail_of_graph placed = *t;
    mp_svg_level *level = MP_NEW(a, mp_svg_level, t->levels);
    if (!how->molecule && !t->x) mp_trail_place(&placed, g, a);
    for (int i = 0; i < t->levels; i++) {
        const mp_trail_level *l = &t->level[i];
        level[i] = (mp_svg_level){ .nodes = l->nodes,
                                   .edges = l->edges,
                                   .node = l->node,
                                   .score = l->key,
                                   .kept = l->kept,
                                   .from = l->from,
                                   .to = l->to,
                                   .columns = l->columns,
                                   .column = l->score };
        level[i].title = mp_arena_printf(a, "level %d", i + 1);
    }
    return (mp_svg_graph_spec){ .title = how->title,
                                .nodes = g->nodes,
                                .x = placed.x,
                                .y = placed.y,
                                .label = how->label  ? how->label
                                         : t->symbol ? t->symbol
                                                     : numbers(g->nodes, a),
                                .molecule = how->molecule,
                                .levels = t->levels,
                                .level = level };
}

void mp_trail_svg(const mp_trail_of_graph *t, const mp_graph *g, const mp_trail_view *how, mp_arena *a, mp_buf *b)
{
    mp_svg_graph_spec spec = spec_of(t, g, how, a);
    if (how->columns_of) {
        const mp_svg_level *of = &spec.level[how->columns_of - 1];
        mp_svg_level *panel = MP_NEW(a, mp_svg_level, of->columns);
        for (int d = 0; d < of->columns; d++) panel[d] = mp_svg_column(of, d, a);
        spec.views = true;
        spec.levels = of->columns;
        spec.level = panel;
    }
    mp_svg_graph(&spec, b);
}

mp_picture mp_trail_picture(const mp_trail_of_graph *t, const mp_graph *g, const char *title, const char *note,
                            const char *const *label, mp_arena *a)
{
    mp_svg_graph_spec spec = spec_of(t, g, &(mp_trail_view){ .title = title, .label = label }, a);
    return mp_levels_picture(&spec, title, note, a);
}
