/* trail.c - see trail.h.
 *
 * A pooling numbers nodes within the graph that enters it. Node i of the next level is node keep[i] of this
 * one, so the numbers of the input come from following `keep` level by level.
 * SPDX-License-Identifier: MIT */
#include "base/flush.h"
#include "cli/trail.h"
#include "base/json.h"
#include "report/layout.h"
#include "report/svg.h"

#include <math.h>

#define MOST_LABELS 60 /* more numbers than that cannot be read */

static const double *widen(const mp_real *v, size_t n, mp_arena *a)
{
    double *out = MP_NEW_RAW(a, double, n);
    for (size_t i = 0; i < n; i++) out[i] = (double)v[i];
    return out;
}

static void list_edges(const mp_graph *g, const int *node, mp_arena *a, mp_trail_level *l)
{
    int *from = MP_NEW(a, int, g->edges), *to = MP_NEW(a, int, g->edges);
    for (int v = 0; v < g->nodes; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            if (g->col[e] >= v) continue; /* once, and no self loops */
            from[l->edges] = node[v];
            to[l->edges++] = node[g->col[e]];
        }
    }
    l->from = from;
    l->to = to;
}

/* Fills a level; returns the input's numbers of the nodes that go on. */
static const int *fill_level(const mp_pooling *p, const mp_kernels *k, const int *node, mp_arena *a, mp_trail_level *l)
{
    const mp_pool *layer = p->pool;
    int N = p->g->nodes, D = p->score->cols, kept = p->keep_ptr[p->g->graphs];
    size_t n = (size_t)N * (size_t)D;
    mp_real *f = MP_NEW_RAW(a, mp_real, n);
    k->act_fwd(f, p->score->v, layer->gate, n);
    for (size_t i = 0; layer->ungated && i < n; i++) f[i] = 1;
    *l = (mp_trail_level){ .nodes = N, .columns = D, .node = node, .keep = kept };
    l->score = widen(p->score->v, n, a);
    l->gate = widen(f, n, a);
    l->key = widen(p->key, (size_t)N, a);
    unsigned char *is_kept = MP_NEW(a, unsigned char, N), *dropped = MP_NEW(a, unsigned char, N);
    int *order = MP_NEW(a, int, kept);
    for (int i = 0; i < kept; i++) {
        is_kept[p->keep[i]] = 1;
        order[i] = node[p->keep[i]];
    }
    for (int v = 0; p->dropped && v < N; v++) dropped[v] = p->dropped[v] != 0;
    l->kept = is_kept;
    l->dropped = dropped;
    l->order = order;
    list_edges(p->g, node, a, l);
    return order;
}

mp_err mp_trail_run(mp_model *m, const mp_graph *g, const mp_sparse *x, int draw, mp_arena *a, mp_trail_of_graph *out)
{
    const mp_kernels *k = mp_kernels_get();
    if (!k) return mp_fail(MP_ERR_USAGE, "MIDPOOL_ISA: this machine does not have these instructions");
    MP_TRY(mp_model_accepts(m, g));
    mp_ctx c = { .arena = a, .k = k, .training = draw > 0 };
    c.rng = mp_rng_stream((uint64_t)mp_model_config(m)->seed, MP_FOR_STEP, 0, 0, (uint64_t)draw);
    mp_params_bind(mp_model_params(m), &c, NULL);
    mp_trail trail = { 0 };
    unsigned before = mp_flush_on();
    mp_mat *raw = mp_model_forward(m, &c, g, x, NULL, &trail, NULL);
    mp_flush_off(before);
    if (c.diverged) return mp_fail(MP_ERR_DIVERGED, "a score is not a number");
    *out = (mp_trail_of_graph){ .nodes = g->nodes, .levels = trail.levels, .outputs = mp_model_outputs(m) };
    int *all = MP_NEW(a, int, g->nodes);
    for (int v = 0; v < g->nodes; v++) all[v] = v;
    const int *node = all;
    for (int i = 0; i < trail.levels; i++) node = fill_level(trail.level[i], k, node, a, &out->level[i]);
    mp_real *told = MP_NEW_RAW(a, mp_real, out->outputs);
    mp_model_goal(m)->task->tell(mp_model_goal(m), k, told, raw->v, 1);
    out->told = told;
    return MP_OK;
}

/* ---- writing ---- */

static void put_row(mp_buf *b, const char *key, const double *v, int n)
{
    mp_json_key(b, key);
    mp_json_open(b, '[');
    for (int i = 0; i < n; i++) mp_json_put_real(b, v[i]);
    mp_json_close(b, ']');
}

static void put_node(const mp_trail_level *l, int v, int first, mp_buf *b)
{
    size_t row = (size_t)v * (size_t)l->columns;
    mp_json_open(b, '{');
    mp_json_add_int(b, "node", l->node[v]);
    mp_json_add_int(b, "file_node", first + l->node[v]);
    put_row(b, "scores", l->score + row, l->columns);
    put_row(b, "gates", l->gate + row, l->columns);
    mp_json_add_real(b, "key", l->key[v]);
    mp_json_add_bool(b, "dropped", l->dropped[v]);
    mp_json_add_bool(b, "kept", l->kept[v]);
    mp_json_close(b, '}');
}

void mp_trail_json(const mp_trail_of_graph *t, mp_buf *b)
{
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
        for (int v = 0; v < l->nodes; v++) put_node(l, v, t->first_file_node, b);
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

void mp_trail_svg(const mp_trail_of_graph *t, const mp_graph *g, const char *title, const char *const *label,
                  mp_arena *a, mp_buf *b)
{
    double *x = MP_NEW(a, double, g->nodes), *y = MP_NEW(a, double, g->nodes);
    mp_svg_level *level = MP_NEW(a, mp_svg_level, t->levels);
    mp_layout_spring(g, 0, x, y);
    for (int i = 0; i < t->levels; i++) {
        const mp_trail_level *l = &t->level[i];
        level[i] = (mp_svg_level){ .nodes = l->nodes,
                                   .edges = l->edges,
                                   .node = l->node,
                                   .score = l->key,
                                   .kept = l->kept,
                                   .from = l->from,
                                   .to = l->to };
        level[i].title = mp_arena_printf(a, "level %d", i + 1);
    }
    mp_svg_graph_spec spec = { .title = title,
                               .nodes = g->nodes,
                               .x = x,
                               .y = y,
                               .label = label ? label : numbers(g->nodes, a),
                               .levels = t->levels,
                               .level = level };
    mp_svg_graph(&spec, b);
}
