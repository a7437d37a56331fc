/* demo_page.c - the page of midpool demo: the report of its runs, every seed as a dot, and what a model kept.
 * SPDX-License-Identifier: MIT */
#include "cli/demo.h"
#include "report/trail.h"
#include "model/checkpoint.h"
#include "report/report.h"
#include "report/svg.h"

#include <math.h>
#include <string.h>

static mp_picture dots(const mp_demo_work *w, int test)
{
    mp_svg_strip strip[2];
    mp_buf svg = { 0 }, csv = { 0 };
    for (int i = 0; i < 2; i++) {
        const mp_demo_model *m = &w->model[i];
        double *x = MP_NEW(w->arena, double, m->runs + 1);
        const char **label = MP_NEW(w->arena, const char *, m->runs + 1);
        for (int k = 0; k < m->runs; k++) {
            x[k] = m->run[k].on[test];
            label[k] = mp_arena_printf(w->arena, "seed %d: %.2f %%", m->run[k].key->config.seed, x[k]);
        }
        strip[i] = (mp_svg_strip){ m->title, m->colour, m->runs, x, label };
    }
    const mp_demo_test *which = &mp_demo_tests[test];
    const char *title = mp_arena_printf(w->arena, "Every seed: %s (%s)", which->name, which->about);
    mp_svg_dots_spec spec = { .title = title,
                              .x_label = "graphs counted right, percent; a bar is the mean",
                              .hi = 100,
                              .mark = test == MP_DEMO_ORIGIN ? MP_DEMO_FAILS : (double)NAN,
                              .strips = 2,
                              .strip = strip };
    mp_svg_dots(&spec, &svg);
    mp_svg_dots_csv(&spec, &csv);
    mp_picture p = { .title = title,
                     .note = test == MP_DEMO_ORIGIN ? mp_demo_modes(w) : NULL,
                     .svg = mp_arena_text(w->arena, svg.p, svg.n),
                     .csv = mp_arena_text(w->arena, csv.p, csv.n) };
    mp_buf_free(&svg);
    mp_buf_free(&csv);
    return p;
}

/* The first seed that failed without MID; where none did, the first. */
static int seed_to_show(const mp_demo_work *w)
{
    const mp_demo_model *base = &w->model[0];
    for (int k = 0; k < base->runs; k++)
        if (mp_demo_fails(&base->run[k])) return base->run[k].key->config.seed;
    return base->runs ? base->run[0].key->config.seed : -1;
}

/* A test graph with enough nodes to show something and few enough to see it. */
static int graph_to_show(const mp_dataset *d)
{
    int first = d->fixed[2][0];
    for (int b = first; b < d->fixed[2][1]; b++) {
        int n = d->graphs.node_ptr[b + 1] - d->graphs.node_ptr[b];
        if (n >= 14 && n <= 18) return b;
    }
    return first;
}

static const char *const *colour_letters(const mp_sparse *x, mp_arena *a)
{
    static const char *const letter[] = { "r", "G", "b" };
    const char **label = MP_NEW(a, const char *, x->rows);
    for (int v = 0; v < x->rows; v++) {
        label[v] = "";
        for (int c = 0; c < 3; c++)
            if (mp_demo_has_colour(x, v, c)) label[v] = letter[c];
    }
    return label;
}

static int count_green(const mp_sparse *x)
{
    int n = 0;
    for (int v = 0; v < x->rows; v++) n += mp_demo_has_colour(x, v, MP_DEMO_GREEN);
    return n;
}

static mp_err kept_nodes(const mp_demo_work *w, const mp_demo_model *shown, const mp_run_key *key, mp_picture *out)
{
    mp_model *m;
    mp_about about;
    mp_graph g;
    mp_sparse x;
    mp_trail_of_graph t;
    mp_arena *a = w->arena;
    int b = graph_to_show(&w->data);
    MP_TRY(mp_checkpoint_load(mp_study_model_path(&w->study, key, a), a, &m, &about));
    mp_graph_gather(a, &w->data.graphs, &w->data.x, &b, 1, false, &g, &x);
    MP_TRY(mp_trail_run(m, &g, &x, 0, a, &t));
    const char *note =
        mp_arena_printf(a,
                        "A test graph with %d green nodes (G); the network says %.2f. Darker is a higher rank, a red "
                        "ring is a kept node.",
                        count_green(&x), (double)t.told[0]);
    const char *title = mp_arena_printf(a, "Kept nodes, %s, seed %d", shown->title, key->config.seed);
    *out = mp_trail_picture(&t, &g, title, note, colour_letters(&x, a), a);
    return MP_OK;
}

/* The runs of the plan as the store has them, with their curves. */
static mp_err stored_runs(const mp_demo_work *w, mp_stored **out, int *n)
{
    mp_store *store;
    const mp_stored *all;
    int count;
    MP_TRY(mp_store_open(w->conf->store, MP_STORE_READ, &store));
    mp_err e =
        mp_store_load(store, &(mp_store_filter){ .status = MP_RUN_DONE, .curves = true }, w->arena, &all, &count);
    mp_store_close(store);
    MP_TRY(e);
    const mp_cv_plan *plan = &w->study.plan;
    char(*hash)[65] = (char(*)[65])mp_arena_zero(w->arena, (size_t)plan->count, sizeof *hash);
    for (int k = 0; k < plan->count; k++) mp_run_key_hash(&plan->run[k].key, hash[k]);
    *out = MP_NEW(w->arena, mp_stored, count + 1);
    *n = 0;
    for (int i = 0; i < count; i++) {
        bool ours = false;
        for (int k = 0; k < plan->count && !ours; k++) ours = strcmp(all[i].hash, hash[k]) == 0;
        if (ours) (*out)[(*n)++] = all[i];
    }
    return MP_OK;
}

mp_err mp_demo_page(const mp_demo_work *w, const mp_table *paper, const mp_table *seeds)
{
    mp_picture picture[MP_DEMO_TESTS + 2];
    mp_table table[2] = { *paper, *seeds };
    mp_stored *run;
    int n, pictures = 0, seed = seed_to_show(w);
    for (; pictures < MP_DEMO_TESTS; pictures++) picture[pictures] = dots(w, pictures);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < w->model[i].runs; k++)
            if (w->model[i].run[k].key->config.seed == seed)
                MP_TRY(kept_nodes(w, &w->model[i], w->model[i].run[k].key, &picture[pictures++]));
    table[0].title = "The paper's generalisation table, and ours";
    table[0].note = mp_demo_compared(w);
    table[1].title = "Every seed";
    table[1].note = mp_demo_modes(w);
    MP_TRY(stored_runs(w, &run, &n));
    mp_report_options o = { .title = "midpool demo",
                            .select = MP_SELECT_VAL,
                            .pictures = pictures,
                            .picture = picture,
                            .tables = 2,
                            .table = table };
    mp_buf page = { 0 };
    mp_err e = mp_report_html(run, n, w->conf->store, &o, &page);
    if (e == MP_OK) e = mp_write_file(w->conf->out, page.p, page.n);
    mp_buf_free(&page);
    return e;
}
