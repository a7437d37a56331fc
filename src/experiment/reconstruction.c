/* reconstruction.c - how much of a graph is left in what a pooling keeps (protocol.md 13): atoms of molecules, coordinates of four
 * graphs.
 * SPDX-License-Identifier: MIT */
#include "data/load.h"
#include "data/signal.h"
#include "experiment/figures.h"
#include "experiment/make.h"
#include "experiment/rebuilt.h"
#include "experiment/survey.h"
#include "report/score.h"

#include <math.h>
#include <string.h>

#define MOLECULES "ZINC_12k"

/* ---- measurements ---- */

/* What the runs read has no bonds in it, since their network does not ask for them. */
static mp_err bond_orders(const mp_dataset *d, mp_arena *a, const unsigned char **out)
{
    mp_dataset_as as = { .edges = true };
    mp_raw raw;
    const char *from;
    MP_TRY(mp_dataset_raw(d->origin, NULL, &as, a, &raw, &from));
    if (raw.edge_label_columns != 1 || raw.graphs.edges != d->graphs.edges)
        return mp_fail(MP_ERR_INPUT, "%s: expected one label an edge, the order of the bond", from);
    unsigned char *order = MP_NEW_RAW(a, unsigned char, raw.graphs.edges + 1);
    for (int e = 0; e < raw.graphs.edges; e++) {
        if (raw.edge_labels[e] < 1 || raw.edge_labels[e] > 4)
            return mp_fail(MP_ERR_INPUT, "%s: bond order %d; expected 1 to 4", from, raw.edge_labels[e]);
        order[e] = (unsigned char)raw.edge_labels[e];
    }
    *out = order;
    return MP_OK;
}

/* {"accuracy": 0.81, "exact": 0.02, "same": 0.03, "valid": 0.4, "molecules": 871} */
static mp_err probe_atoms(const mp_probe_in *in, mp_arena *a, mp_buf *json)
{
    mp_subject s = mp_subject_tested(in);
    const unsigned char *order;
    mp_rebuilt r;
    MP_TRY(bond_orders(in->run->data, a, &order));
    MP_TRY(mp_rebuilt_find(&s, order, a, &r));
    double all = (double)r.molecules;
    mp_json_open(json, '{');
    mp_json_add_real(json, "accuracy", (double)r.right / (double)r.atoms);
    mp_json_add_real(json, "exact", (double)r.exact / all);
    mp_json_add_real(json, "same", (double)r.same / all);
    mp_json_add_real(json, "valid", (double)r.valid / all);
    mp_json_add_int(json, "molecules", r.molecules);
    mp_json_close(json, '}');
    return MP_OK;
}

/* {"mse": 0.01, "xy": [x of node 0, y of node 0, ..]} */
static mp_err probe_coordinates(const mp_probe_in *in, mp_arena *a, mp_buf *json)
{
    const mp_dataset *d = in->run->data;
    mp_subject s = { in->model, &d->graphs, &d->x, in->run->split->val, 1, in->threads };
    const double *xy;
    double mse;
    MP_TRY(mp_rebuilt_coordinates(&s, a, &xy, &mse));
    mp_json_open(json, '{');
    mp_json_add_real(json, "mse", mse);
    mp_json_key(json, "xy");
    mp_json_open(json, '[');
    for (int i = 0; i < 2 * mp_subject_nodes(&s, 0); i++) mp_json_put_real(json, xy[i]);
    mp_json_close(json, ']');
    mp_json_close(json, '}');
    return MP_OK;
}

static const mp_probe atoms = { .name = "atoms rebuilt", .run = probe_atoms };
static const mp_probe coordinates = { .name = "coordinates rebuilt", .run = probe_coordinates };

/* ---- atoms of molecules ---- */

static const struct {
    const char *path, *title, *label;
} shares[] = { { "accuracy", "Atoms of the right type", "atoms in percent" },
               { "exact", "Molecules given back exactly", "molecules in percent" },
               { "valid", "Valid molecules", "molecules in percent" } };
enum { SHARES = sizeof shares / sizeof *shares, RATIOS = 5, LINES = 16 };

static const struct {
    const char *name, *settings;
} variants[] = { { "base", "flip=false" }, { "MID", "score-dim=5 flip=true drop=0.1" } };
enum { VARIANTS = 2 };

typedef struct line { /* one operator, base or MID, over the ratios */
    const char *pool;
    int variant;
    mp_survey s[RATIOS];
} line;

static void add_rows(const line *l, int ratios, const double *ratio, mp_table *t)
{
    const mp_metric *share = mp_metric_of("accuracy");
    static const char *const paths[] = { "accuracy", "exact", "same", "valid" };
    for (int r = 0; r < ratios; r++) {
        if (!mp_survey_any(&l->s[r])) continue;
        mp_table_add(t, "%s", mp_lab_title(l->pool));
        mp_table_add(t, "%s", variants[l->variant].name);
        mp_table_add(t, "%g", 100 * ratio[r]);
        for (int k = 0; k < 4; k++) {
            mp_over_runs x = mp_survey_spread(&l->s[r], paths[k]);
            mp_spread_cell(t, share, x.mean, x.std, x.n);
        }
        mp_table_add(t, "%d", mp_survey_spread(&l->s[r], "accuracy").n);
    }
}

static void draw_share(mp_section *out, const line *l, int lines, int ratios, const double *ratio, int share)
{
    static const char *const colour[] = { "#2f6fb2", "#c8641b", "#2e8b57", "#8a4fbf" };
    mp_arena *a = out->arena;
    mp_svg_series series[LINES];
    double *x = MP_NEW(a, double, ratios);
    for (int r = 0; r < ratios; r++) x[r] = 100 * ratio[r];
    for (int i = 0; i < lines; i++) {
        double *y = MP_NEW(a, double, ratios), *lo = MP_NEW(a, double, ratios), *hi = MP_NEW(a, double, ratios);
        for (int r = 0; r < ratios; r++) {
            mp_over_runs over = mp_survey_spread(&l[i].s[r], shares[share].path);
            y[r] = 100 * over.mean;
            lo[r] = 100 * (over.mean - over.std);
            hi[r] = 100 * (over.mean + over.std);
        }
        series[i] = (mp_svg_series){ .colour = colour[i / VARIANTS % 4],
                                     .dashed = l[i].variant == 0,
                                     .dots = true,
                                     .n = ratios,
                                     .x = x,
                                     .y = y,
                                     .lo = lo,
                                     .hi = hi };
        series[i].name = mp_arena_printf(a, "%s, %s", mp_lab_title(l[i].pool), variants[l[i].variant].name);
    }
    mp_svg_chart_spec spec = { .title = shares[share].title,
                               .x_label = "kept nodes in percent",
                               .y_label = shares[share].label,
                               .series = lines,
                               .line = series };
    mp_figure_chart(out, shares[share].title, "Mean and deviation over seeds.", &spec);
}

static mp_err make_atoms(mp_lab *lab, mp_section *out)
{
    static const char *const header[] = { "operator",    "variant", "kept nodes in percent",
                                          "right atoms", "exact",   "same molecule",
                                          "valid",       "runs",    NULL };
    static const double all[RATIOS] = { 0.1, 0.2, 0.3, 0.4, 0.5 }, few[] = { 0.1, 0.5 };
    const double *ratio = mp_lab_quick(lab) ? few : all;
    mp_arena *a = out->arena;
    mp_table t;
    line *l = MP_NEW(a, line, LINES);
    int pools, lines = 0, ratios = mp_lab_quick(lab) ? 2 : RATIOS;
    const char *const *pool = mp_lab_pools(lab, "topk,sag", "sag", &pools);
    mp_table_init(&t, a, "Atoms of test molecules, in percent", header);
    for (int i = 0; i < pools * VARIANTS && lines < LINES; i++) {
        line *at = &l[lines++];
        *at = (line){ .pool = pool[i / VARIANTS], .variant = i % VARIANTS };
        for (int r = 0; r < ratios; r++) {
            mp_ask ask = { .dataset = MOLECULES, .pool = at->pool, .preset = "recon-zinc", .models = true };
            ask.settings = mp_arena_printf(a, "ratio=%g %s%s", ratio[r], variants[at->variant].settings,
                                           mp_lab_quick(lab) ? " epochs=10" : "");
            MP_TRY(mp_survey_take(lab, &ask, &atoms, NULL, a, &at->s[r]));
        }
        add_rows(at, ratios, ratio, &t);
    }
    mp_section_heading(out, "Atoms of molecules");
    mp_section_para(
        out, "Two convolutions, the pooling, the way back (rows of kept nodes, zeros elsewhere), three convolutions; "
             "the type of every atom is to come out as it went in. A molecule is given back exactly when every atom "
             "has the right element, and is the same molecule also where equal bonds let atoms change places. It is "
             "valid when no valence is exceeded. These three are shares of the test molecules that are valid without "
             "charges themselves.");
    for (int k = 0; k < SHARES; k++) draw_share(out, l, lines, ratios, ratio, k);
    t.note = "Exact, same molecule and valid are of the molecules that are valid themselves.";
    mp_section_table(out, &t);
    return MP_OK;
}

/* ---- coordinates ---- */

static const struct {
    const char *name, *settings;
} flips[] = { { "base", "flip=false" }, { "flipscore", "flip=true" } };
enum { FLIPS = 2 };

/* Coordinates that went in. */
static void original(const mp_dataset *d, double *x, double *y)
{
    for (int v = 0; v < d->graphs.nodes; v++)
        for (int i = d->x.ptr[v]; i < d->x.ptr[v + 1]; i++) (d->x.col[i] ? y : x)[v] = (double)d->x.val[i];
}

static void list_edges(const mp_graph *g, mp_arena *a, mp_svg_cloud *out)
{
    int n = 0, *from = MP_NEW(a, int, g->edges), *to = MP_NEW(a, int, g->edges);
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            if (g->col[e] < v) continue;
            from[n] = v;
            to[n++] = g->col[e];
        }
    out->edges = n;
    out->from = from;
    out->to = to;
}

/* Of the first seed. False: it is not there. */
static bool rebuilt_cloud(const mp_survey *s, int nodes, mp_arena *a, mp_svg_cloud *out)
{
    const mp_json *list = s->n && s->value[0] ? mp_json_get(s->value[0], "xy") : NULL;
    double *x = MP_NEW(a, double, nodes), *y = MP_NEW(a, double, nodes);
    int i = 0;
    if (!list || list->count != 2 * nodes) return false;
    for (const mp_json *v = list->first; v; v = v->next, i++) (i % 2 ? y : x)[i / 2] = v->number;
    out->x = x;
    out->y = y;
    return true;
}

static void draw_graph(mp_section *out, mp_lab *lab, const char *pool, const mp_survey s[FLIPS])
{
    mp_arena *a = out->arena;
    if (!s[0].n || !s[1].n) return;
    const mp_dataset *d = mp_lab_run_at(lab, s[0].row, 0).run->data;
    int nodes = d->graphs.nodes;
    double *x = MP_NEW(a, double, nodes), *y = MP_NEW(a, double, nodes), *sum = MP_NEW(a, double, nodes);
    mp_svg_cloud panel[1 + FLIPS] = { { .title = "original", .x = x, .y = y } };
    original(d, x, y);
    for (int v = 0; v < nodes; v++) sum[v] = x[v] + y[v];
    list_edges(&d->graphs, a, &panel[0]);
    for (int f = 0; f < FLIPS; f++) {
        if (!rebuilt_cloud(&s[f], nodes, a, &panel[1 + f])) return;
        panel[1 + f].title = mp_arena_printf(a, "%s%s, MSE %.3g", mp_lab_title(pool), f ? " + flipscore" : "",
                                             mp_survey_number(&s[f], 0, "mse"));
    }
    mp_svg_clouds_spec spec = { .title = d->name, .points = nodes, .value = sum, .panels = 1 + FLIPS, .panel = panel };
    mp_figure_clouds(out, mp_arena_printf(a, "%s, original and given back", d->name),
                     "First seed. The colour of a node is x + y of the original.", &spec);
}

static mp_err make_coordinates(mp_lab *lab, const char *const *set, int sets, mp_section *out)
{
    static const char *const header[] = { "graph", "operator", "base", "flipscore", "to base", "runs", NULL };
    const mp_metric *mse = mp_metric_of("mse");
    mp_arena *a = out->arena;
    mp_table t;
    int pools;
    const char *const *pool = mp_lab_pools(lab, "sag", "sag", &pools);
    mp_table_init(&t, a, "Mean squared error of coordinates", header);
    mp_section_heading(out, "Coordinates");
    mp_section_para(out, "The same network on one graph whose features are coordinates, a quarter of the nodes kept; "
                         "the error is a mean over nodes and both coordinates. One score column, no dropscore. "
                         "Training stops, and weights are chosen, by the loss of training.");
    for (int i = 0; i < sets; i++)
        for (int p = 0; p < pools && mp_signal_of_set(set[i]); p++) {
            mp_survey s[FLIPS];
            for (int f = 0; f < FLIPS; f++) {
                mp_ask ask = { .dataset = set[i], .pool = pool[p], .preset = "recon-synthetic", .models = true };
                ask.settings = mp_arena_printf(a, "%s%s", flips[f].settings, mp_lab_quick(lab) ? " epochs=1000" : "");
                MP_TRY(mp_survey_take(lab, &ask, &coordinates, NULL, a, &s[f]));
            }
            if (!mp_survey_any(&s[0]) && !mp_survey_any(&s[1])) continue;
            mp_paired d = mp_survey_paired(&s[1], &s[0], "mse");
            mp_table_add(&t, "%s", set[i]);
            mp_table_add(&t, "%s", mp_lab_title(pool[p]));
            for (int f = 0; f < FLIPS; f++) {
                mp_over_runs x = mp_survey_spread(&s[f], "mse");
                mp_spread_cell(&t, mse, x.mean, x.std, x.n);
            }
            mp_paired_cell(&t, &d, 1);
            mp_table_add(&t, "%d", mp_survey_spread(&s[0], "mse").n);
            draw_graph(out, lab, pool[p], s);
        }
    t.note = "To base: mean of the differences of paired runs, and the interval that holds it with probability 95 %.";
    mp_section_table(out, &t);
    return MP_OK;
}

mp_err mp_make_reconstruction(mp_lab *lab, mp_section *out)
{
    int sets, signals = 0;
    const char *const *set =
        mp_lab_sets(lab, MOLECULES ",RING,GRID,COMMUNITY,DAVID", MOLECULES ",RING,GRID,COMMUNITY,DAVID", &sets);
    for (int i = 0; i < sets; i++) {
        if (strcmp(set[i], MOLECULES) == 0) MP_TRY(make_atoms(lab, out));
        signals += mp_signal_of_set(set[i]) != NULL;
    }
    if (signals) MP_TRY(make_coordinates(lab, set, sets, out));
    mp_section_note(out, "The paper shows figures without numbers, and does not say the sizes of its synthetic graphs: "
                         "these are PyGSP's.");
    return MP_OK;
}
