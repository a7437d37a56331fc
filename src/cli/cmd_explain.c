/* cmd_explain.c - midpool explain: the nodes a model kept of one graph, level by level.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/molecule.h"
#include "cli/setup.h"
#include "report/trail.h"
#include "report/table.h"

#include <inttypes.h>
#include <math.h>

typedef struct explain {
    mp_column_options columns;
    const char *data, *svg;
    int graph, draw, columns_of, json;
} explain;

/* clang-format off */
static const mp_opt own[] = {
    { "graph", MP_OPT_INT, offsetof(explain, graph), "0", 0, 2147483647, NULL, "which graph of INPUT, from 0" },
    { "draw", MP_OPT_INT, offsetof(explain, draw), "0", 0, 2147483647, NULL, "show a draw of dropscore and dropout, as in training; 0 = off, as in prediction" },
    { "columns-of", MP_OPT_INT, offsetof(explain, columns_of), "0", 0, MP_LEVELS, NULL, "picture: the score columns of this pooling, a panel each; 0 = all poolings" },
    MP_COLUMN_STRICT(explain),
    { "json", MP_OPT_FLAG, offsetof(explain, json), "false", 0, 1, NULL, "everything as one JSON object" },
    { 0 }
};
static const mp_cli_text texts[] = {
    { "svg", offsetof(explain, svg), NULL, "FILE", "a picture: one panel a level, dark = high, red ring = kept" },
    { "data", offsetof(explain, data), NULL, "DIR", "folder with data sets" },
    MP_COLUMN_TEXTS(explain),
    { 0 }
};
/* clang-format on */
static const mp_cli_group groups[] = { { "options", own, 0 }, { 0 } };
static mp_err run(void *conf, const mp_cli_args *args);
const mp_cli mp_cmd_explain = {
    .name = "explain",
    .operands = "MODEL INPUT",
    .summary = "Which nodes a model kept of a graph, at every level, by which scores, in the numbers of the input.",
    .examples = "midpool explain mutag.safetensors MUTAG --graph 3 --svg kept.svg\n"
                "midpool explain mutag.safetensors MUTAG --graph 3 --json",
    .more = "Nodes are numbered from 0 within the graph; \"file_node\" in the JSON is the number in the TU "
            "files,\n"
            "which count from 1 over all graphs. Of a molecule, a graph that came with its SMILES, atoms have their\n"
            "symbols, and the picture is its structural formula, which RDKit lays out.",
    .least = 2,
    .most = 2,
    .size = sizeof(explain),
    .groups = groups,
    .texts = texts,
    .run = run
};

static void print_json(const mp_ready *m, int graph, const mp_trail_of_graph *t, const mp_words *w, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_text(b, "dataset", m->data.name);
    mp_json_add_text(b, "pool", mp_model_config(m->by.model)->pool);
    mp_json_add_int(b, "graph", graph);
    if (m->data.smiles) mp_json_add_text(b, "smiles", m->data.smiles[graph]);
    mp_json_add_int(b, "node_count", t->nodes);
    mp_json_add_text(b, "task", mp_model_goal(m->by.model)->task->name);
    if (m->by.about.classes || m->by.about.class_names) mp_words_classes_json(&m->by, b);
    mp_words_json(&m->by, w, b);
    mp_trail_json(t, b);
    mp_json_close(b, '}');
    mp_buf_puts(b, "\n");
}

static void print_level(const mp_trail_of_graph *g, int number, mp_arena *a, mp_buf *b)
{
    static const char *const of_atoms[] = { "node", "atom", "kept", "key", "scores", NULL };
    static const char *const of_nodes[] = { "node", "kept", "key", "scores", NULL };
    const mp_trail_level *l = &g->level[number - 1];
    mp_table t;
    mp_table_init(&t, a,
                  mp_arena_printf(a, "level %d: %d of %d node%s kept", number, l->keep, l->nodes, mp_plural(l->nodes)),
                  g->symbol ? of_atoms : of_nodes);
    for (int v = 0; v < l->nodes; v++) {
        const char *scores = "";
        for (int d = 0; d < l->columns; d++)
            scores = mp_arena_printf(a, "%s%s%.4f", scores, d ? " " : "",
                                     l->score[(size_t)v * (size_t)l->columns + (size_t)d]);
        mp_table_add(&t, "%d", l->node[v]);
        if (g->symbol) mp_table_add(&t, "%s", g->symbol[l->node[v]]);
        mp_table_add(&t, "%s", l->kept[v] ? "yes" : l->dropped[v] ? "dropped" : "");
        mp_table_add(&t, "%.4f", l->key[v]);
        mp_table_add(&t, "%s", scores);
    }
    mp_table_print(&t, b);
    mp_buf_puts(b, "\n");
}

static void print_text(const mp_ready *m, int graph, const mp_trail_of_graph *t, const mp_words *w, mp_arena *a,
                       mp_buf *b)
{
    mp_buf_printf(b, "graph %d of %s: ", graph, m->data.name);
    mp_words_text(&m->by, w, b);
    mp_buf_puts(b, "\n\n");
    if (t->levels == 0) mp_buf_printf(b, "%s drops no nodes.\n", mp_model_config(m->by.model)->pool);
    for (int i = 0; i < t->levels; i++) print_level(t, i + 1, a, b);
}

static mp_err write_svg(const explain *e, const mp_ready *m, const mp_trail_of_graph *t, const mp_words *w,
                        const mp_graph *g, mp_arena *a)
{
    if (!e->svg) return MP_OK;
    mp_buf b = { 0 }, label = { 0 };
    for (int i = 0; i < w->columns; i++) {
        mp_buf_puts(&label, " ");
        if (m->by.about.target_name) mp_buf_printf(&label, "%s ", m->by.about.target_name[i]);
        mp_words_label(&m->by, w, i, &label);
    }
    const char *title = mp_arena_printf(a, "%s, graph %d: %s%s", m->data.name, e->graph,
                                        mp_model_goal(m->by.model)->task->json_answer, label.p);
    mp_depict drawing;
    bool drawn = mp_molecule_drawing(&m->data, e->graph, g, a, &drawing);
    mp_trail_view how = { .title = title, .molecule = drawn ? &drawing : NULL, .columns_of = e->columns_of };
    mp_trail_svg(t, g, &how, a, &b);
    mp_err err = mp_write_file(e->svg, b.p, b.n);
    mp_buf_free(&label);
    mp_buf_free(&b);
    return err;
}

static mp_err run(void *conf, const mp_cli_args *args)
{
    const explain *e = conf;
    mp_arena *a = args->arena;
    mp_ready m;
    mp_graph g;
    mp_sparse x;
    mp_trail_of_graph t;
    MP_TRY(mp_setup_writable(e->svg));
    MP_TRY(mp_setup_ready(args->operand[0], args->operand[1], e->data, &e->columns, a, &m));
    if (e->graph >= m.data.graphs.graphs)
        return mp_fail(MP_ERR_USAGE, "--graph: %s has graphs 0 to %d", m.data.name, m.data.graphs.graphs - 1);
    mp_graph_gather(a, &m.data.graphs, &m.data.x, &e->graph, 1, false, &g, &x);
    MP_TRY(mp_trail_run(m.by.model, &g, &x, e->draw, a, &t));
    if (e->columns_of > t.levels)
        return mp_fail(MP_ERR_USAGE, "--columns-of: %s has %d poolings that drop nodes", args->operand[0], t.levels);
    if (e->json) mp_trail_place(&t, &g, a);
    t.first_file_node = m.data.graphs.node_ptr[e->graph] + 1;
    t.symbol = mp_molecule_symbols(&m.data, &x, a);
    mp_words w = mp_words_of(&m.by, t.told, a);
    MP_TRY(write_svg(e, &m, &t, &w, &g, a));
    mp_buf b = { 0 };
    if (e->json)
        print_json(&m, e->graph, &t, &w, &b);
    else
        print_text(&m, e->graph, &t, &w, a, &b);
    mp_err err = mp_cli_print(b.p, b.n);
    mp_buf_free(&b);
    return err;
}
