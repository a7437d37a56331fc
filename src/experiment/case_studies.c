/* case_studies.c - pictures of what poolings do: scores column by column, kept nodes with and without dropscore, and a pair of
 * graphs that no scores tell apart (protocol.md 14).
 * SPDX-License-Identifier: MIT */
#include "experiment/make.h"
#include "experiment/pair.h"
#include "experiment/survey.h"
#include "report/trail.h"

#include <string.h>

enum {
    SHOWN = 2,
    DRAWS = 2,
    LARGE = 60
}; /* graphs of a data set; draws of dropscore; nodes that a picture has room for */

/* ---------------------------------------------------------------- graphs of a test fold */

/* The largest that a picture has room for, of equal ones the first: they show most. */
static int graphs_to_show(const mp_subject *s, int *out)
{
    int n = 0;
    for (int room = LARGE; room > 1 && n < SHOWN; room--)
        for (int i = 0; i < s->n && n < SHOWN; i++)
            if (mp_subject_nodes(s, i) == room) out[n++] = s->which[i];
    return n;
}

/* [{"graph": 17, "layout": .., "levels": ..}, ..]: members of explain's JSON; arg: {"draw": 0}, or a draw of dropscore */
static mp_err probe(const mp_probe_in *in, mp_arena *a, mp_buf *json)
{
    mp_subject s = mp_subject_tested(in);
    int graph[SHOWN], n = graphs_to_show(&s, graph);
    mp_json_open(json, '[');
    for (int i = 0; i < n; i++) {
        mp_graph g;
        mp_sparse x;
        mp_trail_of_graph t;
        mp_graph_gather(a, s.all, s.x, &graph[i], 1, false, &g, &x);
        MP_TRY(mp_trail_run(in->model, &g, &x, (int)mp_json_int(in->arg, "draw", 0), a, &t));
        if (t.levels == 0) return mp_fail(MP_ERR_USAGE, "%s drops no nodes", mp_model_config(in->model)->pool);
        t.first_file_node = s.all->node_ptr[graph[i]] + 1;
        mp_trail_place(&t, &g, a);
        mp_json_open(json, '{');
        mp_json_add_int(json, "graph", graph[i]);
        mp_trail_json(&t, json);
        mp_json_close(json, '}');
    }
    mp_json_close(json, ']');
    return MP_OK;
}

static const mp_probe trail = { .name = "case study", .run = probe };

/* ---------------------------------------------------------------- pictures */

typedef struct shown { /* one graph, as a measurement has it */
    int graph, nodes;
    const double *x, *y;
    int levels;          /* at least one */
    mp_svg_level *level; /* shade: the key; with columns */
} shown;

static double number_at(const mp_json *list, int i)
{
    const mp_json *v = mp_json_at(list, i);
    return v && v->kind == MP_JSON_NUMBER ? v->number : 0;
}

static void read_edges(const mp_json *list, mp_arena *a, mp_svg_level *l)
{
    int *from = MP_NEW(a, int, list->count), *to = MP_NEW(a, int, list->count);
    for (const mp_json *e = list->first; e; e = e->next, l->edges++) {
        from[l->edges] = (int)number_at(e, 0);
        to[l->edges] = (int)number_at(e, 1);
    }
    l->from = from;
    l->to = to;
}

static mp_svg_level read_level(const mp_json *from, mp_arena *a)
{
    const mp_json *nodes = mp_json_get(from, "nodes"), *scores = mp_json_get(nodes->first, "scores");
    int n = nodes->count, h = scores ? scores->count : 0, v = 0;
    double *score = MP_NEW(a, double, (size_t)n *(size_t)h), *key = MP_NEW(a, double, n);
    int *node = MP_NEW(a, int, n);
    unsigned char *kept = MP_NEW(a, unsigned char, n);
    for (const mp_json *at = nodes->first; at; at = at->next, v++) {
        node[v] = (int)mp_json_int(at, "node", 0);
        key[v] = mp_json_real(at, "key", 0);
        kept[v] = mp_json_flag(at, "kept", false);
        for (int d = 0; d < h; d++) score[v * h + d] = number_at(mp_json_get(at, "scores"), d);
    }
    mp_svg_level l = { .nodes = n, .node = node, .score = key, .kept = kept, .columns = h, .column = score };
    read_edges(mp_json_get(from, "edges"), a, &l);
    return l;
}

/* Graph i of a measurement; false: there is none. */
static bool read_graph(const mp_json *value, int i, mp_arena *a, shown *out)
{
    const mp_json *g = mp_json_at(value, i), *places = mp_json_get(g, "layout"), *levels = mp_json_get(g, "levels");
    if (!places || !levels || levels->count == 0) return false;
    int v = 0;
    double *x = MP_NEW(a, double, places->count), *y = MP_NEW(a, double, places->count);
    for (const mp_json *place = places->first; place; place = place->next, v++) {
        x[v] = number_at(place, 0);
        y[v] = number_at(place, 1);
    }
    *out = (shown){ .graph = (int)mp_json_int(g, "graph", 0), .nodes = v, .x = x, .y = y };
    out->level = MP_NEW(a, mp_svg_level, levels->count);
    for (const mp_json *l = levels->first; l; l = l->next) {
        if (!mp_json_get(l, "nodes") || !mp_json_get(l, "edges")) return false;
        out->level[out->levels++] = read_level(l, a);
    }
    return true;
}

/* node, x, y, then a score and whether it was kept for each panel. */
static void panels_csv(const shown *g, int panels, const mp_svg_level *panel, mp_buf *csv)
{
    mp_buf_puts(csv, "node,x,y");
    for (int i = 0; i < panels; i++) mp_buf_printf(csv, ",%s: score,%s: kept", panel[i].title, panel[i].title);
    mp_buf_puts(csv, "\n");
    for (int v = 0; v < g->nodes; v++) {
        mp_buf_printf(csv, "%d,%.4f,%.4f", v, g->x[v], g->y[v]);
        for (int i = 0; i < panels; i++) mp_buf_printf(csv, ",%.6g,%d", panel[i].score[v], panel[i].kept[v]);
        mp_buf_puts(csv, "\n");
    }
}

static void draw(mp_section *out, const char *title, const char *note, const shown *g, int panels,
                 const mp_svg_level *panel)
{
    mp_svg_graph_spec spec = {
        .nodes = g->nodes, .x = g->x, .y = g->y, .views = true, .levels = panels, .level = panel
    };
    mp_buf svg = { 0 }, csv = { 0 };
    mp_svg_graph(&spec, &svg);
    panels_csv(g, panels, panel, &csv);
    mp_section_picture(out, title, note, &svg, &csv);
    mp_buf_free(&svg);
    mp_buf_free(&csv);
}

static void draw_levels(mp_section *out, const char *title, const shown *g)
{
    mp_svg_graph_spec spec = { .nodes = g->nodes, .x = g->x, .y = g->y, .levels = g->levels, .level = g->level };
    mp_picture p = mp_levels_picture(&spec, title, "faint dots are nodes that earlier poolings dropped", out->arena);
    mp_section_figure(out, &p);
}

/* ---------------------------------------------------------------- scores, column by column */

/* The pictures are of the first run: fold 1 of the first seed. */
static mp_err first_value(mp_lab *lab, const char *set, const char *pool, const char *settings, int draw_number,
                          mp_arena *a, const mp_json **value)
{
    int row;
    mp_ask ask = { .dataset = set, .pool = pool, .preset = MP_PRESET_PAPER, .models = true, .seeds = 1 };
    ask.settings = mp_lab_quick(lab) ? mp_arena_printf(a, "%s epochs=200", settings) : settings;
    *value = NULL;
    MP_TRY(mp_lab_row(lab, &ask, &row));
    if (mp_lab_runs(lab, row) == 0) return MP_OK;
    return mp_lab_measure(lab, &trail, mp_lab_run_at(lab, row, 0).run, mp_arena_printf(a, "{\"draw\":%d}", draw_number),
                          value);
}

static mp_err show_columns(mp_lab *lab, mp_section *out)
{
    int sets;
    const char *const *set = mp_lab_sets(lab, "MUTAG,PROTEINS,COLLAB", "MUTAG", &sets);
    mp_arena *a = out->arena;
    mp_section_heading(out, "Three score columns");
    mp_section_para(
        out, "Test graphs under SAGPool with three score columns and flipscore: darker is a higher score, scaled "
             "within the column; a ring is a kept node, the same in every panel, since all columns together rank "
             "the nodes. A score far below zero counts as much as one far above.");
    for (int i = 0; i < sets; i++) {
        const mp_json *value;
        shown g;
        MP_TRY(first_value(lab, set[i], "sag", "score-dim=3 flip=true", 0, a, &value));
        for (int k = 0; read_graph(value, k, a, &g); k++) {
            const mp_svg_level *first = &g.level[0];
            mp_svg_level *panel = MP_NEW(a, mp_svg_level, first->columns);
            for (int d = 0; d < first->columns; d++) panel[d] = mp_svg_column(first, d, a);
            draw(out, mp_arena_printf(a, "%s, graph %d: scores by column", set[i], g.graph), NULL, &g, first->columns,
                 panel);
        }
        for (int k = 0; read_graph(value, k, a, &g); k++)
            draw_levels(out, mp_arena_printf(a, "%s, graph %d: level by level", set[i], g.graph), &g);
    }
    return MP_OK;
}

/* ---------------------------------------------------------------- with and without dropscore */

static mp_err show_dropscore(mp_lab *lab, mp_section *out)
{
    static const struct {
        const char *title, *settings;
        int draw;
    } panels[2 + DRAWS] = { { "without", "ratio=0.4 drop=0", 0 },
                            { "with", "ratio=0.4 drop=0.2", 0 },
                            { "draw 1", "ratio=0.4 drop=0.2", 1 },
                            { "draw 2", "ratio=0.4 drop=0.2", 2 } };
    int sets;
    const char *const *set = mp_lab_sets(lab, "NCI1,ENZYMES,PROTEINS,IMDB-BINARY,COLLAB", "MUTAG", &sets);
    mp_arena *a = out->arena;
    mp_section_heading(out, "Kept nodes with and without dropscore");
    mp_section_para(
        out, "SAGPool keeps two of five nodes. One model was trained without dropscore, one with a share of 0.2. "
             "Dropscore is off in evaluation: what the second panel shows of it came about by training. The last "
             "panels are draws of the second model as in training.");
    for (int i = 0; i < sets; i++) {
        const mp_json *value[2 + DRAWS];
        for (int p = 0; p < 2 + DRAWS; p++)
            MP_TRY(first_value(lab, set[i], "sag", panels[p].settings, panels[p].draw, a, &value[p]));
        for (int k = 0; k < SHOWN; k++) {
            shown g[2 + DRAWS];
            mp_svg_level level[2 + DRAWS];
            bool all = true;
            for (int p = 0; p < 2 + DRAWS && all; p++) {
                all = read_graph(value[p], k, a, &g[p]);
                if (!all) continue;
                level[p] = g[p].level[0];
                level[p].title = panels[p].title;
            }
            if (all)
                draw(out, mp_arena_printf(a, "%s, graph %d: kept nodes", set[i], g[0].graph), NULL, &g[0], 2 + DRAWS,
                     level);
        }
    }
    return MP_OK;
}

/* ---------------------------------------------------------------- a pair that scores do not tell apart */

/* The first pooling. */
static shown shown_of(const mp_trail_of_graph *t, mp_arena *a)
{
    const mp_trail_level *l = &t->level[0];
    shown g = { .nodes = t->nodes, .x = t->x, .y = t->y, .levels = 1, .level = MP_NEW(a, mp_svg_level, 1) };
    g.level[0] = (mp_svg_level){ .nodes = l->nodes,
                                 .edges = l->edges,
                                 .node = l->node,
                                 .score = l->key,
                                 .kept = l->kept,
                                 .from = l->from,
                                 .to = l->to };
    return g;
}

static mp_err show_pair(mp_section *out)
{
    static const char *const titles[1 + DRAWS] = { "evaluation", "draw 1", "draw 2" };
    static const char *const header[] = { "graph", "mode", "kept nodes", NULL };
    mp_arena *a = out->arena;
    mp_pair p;
    mp_pair_gap gap;
    mp_table t;
    MP_TRY(mp_pair_make(a, &p));
    MP_TRY(mp_pair_compare(&p, a, &gap));
    mp_table_init(&t, a, "Nodes that are kept of two graphs with equal scores", header);
    mp_section_heading(out, "Graphs that scores do not tell apart");
    mp_section_para(
        out,
        "Every node of a ring of six and of two triangles has two neighbours, and here the same features. The "
        "largest difference between scores of the first pooling is %g, between the readouts behind it %g: the choice "
        "of nodes is a tie, which goes to the lower numbers. Dropscore keeps other nodes from "
        "draw to draw, so that networks see more than one choice while they train. In evaluation it is off, "
        "and the tie stands.",
        gap.score, gap.readout);
    for (int i = 0; i < MP_PAIR; i++) {
        mp_svg_level level[1 + DRAWS];
        shown g = { 0 };
        for (int d = 0; d <= DRAWS; d++) {
            mp_trail_of_graph run;
            mp_buf kept = { 0 };
            MP_TRY(mp_trail_run(p.model, &p.g[i], &p.x, d, a, &run));
            mp_trail_place(&run, &p.g[i], a);
            g = shown_of(&run, a);
            level[d] = g.level[0];
            level[d].title = titles[d];
            for (int v = 0; v < MP_PAIR_NODES; v++)
                if (level[d].kept[v]) mp_buf_printf(&kept, "%s%d", kept.n ? " " : "", v);
            mp_table_add(&t, "%s", p.name[i]);
            mp_table_add(&t, "%s", titles[d]);
            mp_table_add(&t, "%s", kept.p);
            mp_buf_free(&kept);
        }
        draw(out, mp_arena_printf(a, "Kept nodes of %s", p.name[i]), NULL, &g, 1 + DRAWS, level);
    }
    mp_section_table(out, &t);
    return MP_OK;
}

mp_err mp_make_case_studies(mp_lab *lab, mp_section *out)
{
    MP_TRY(show_columns(lab, out));
    MP_TRY(show_dropscore(lab, out));
    return show_pair(out);
}
