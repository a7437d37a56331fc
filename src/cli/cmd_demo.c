/* cmd_demo.c - midpool demo: TopKPool with and without MID on COLORS-3, made here, compared with the paper's
 * table.
 *
 * The label of a COLORS-3 graph is its number of green nodes, so a pooling that drops green nodes must count
 * them before it does. Models train on small graphs and are tested on small and on larger ones. Every seed is
 * shown: runs end in one of two modes, and a mean hides that. Runs go through a store, as those of cv do.
 * SPDX-License-Identifier: MIT */
#include "base/crew.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/demo.h"
#include "cli/setup.h"
#include "cli/workers.h"
#include "report/trail.h"
#include "data/generate.h"
#include "report/paper.h"
#include "report/report.h"

#include <math.h>

#define NETWORK   "pool=topk conv=graphconv ratio=0.8"
#define MID       "score-dim=5 flip=true"
#define DATA_SEED 0
#define VAL       500 /* validation graphs: the last epoch counts, so they choose nothing */
#define LOOKED_AT 100 /* test graphs whose dropped nodes are counted */

/* clang-format off */
static const mp_opt own[] = {
    { "seeds", MP_OPT_INT, offsetof(mp_demo_conf, seeds), "10", 1, 1000, NULL, "number of seeds, from 42 on" },
    { "epochs", MP_OPT_INT, offsetof(mp_demo_conf, epochs), "300", 1, 100000, NULL, "training epochs of a run" },
    { "jobs", MP_OPT_INT, offsetof(mp_demo_conf, jobs), "0", 0, 256, NULL, "runs side by side; 0 = all processors" },
    MP_WORKERS_ROW(mp_demo_conf),
    { "json", MP_OPT_FLAG, offsetof(mp_demo_conf, json), "false", 0, 1, NULL, "the comparison as one JSON object on stdout" },
    { "quiet", MP_OPT_FLAG, offsetof(mp_demo_conf, quiet), "false", 0, 1, NULL, "no progress" },
    { 0 }
};
static const mp_cli_text texts[] = {
    { "out", offsetof(mp_demo_conf, out), "report.html", "FILE", "the page with tables, dots, curves and pictures" },
    { "store", offsetof(mp_demo_conf, store), "demo.db", "FILE", "where finished runs are kept, and looked up; models: FILE.models" },
    { 0 }
};
/* clang-format on */
static const mp_cli_group groups[] = { { "options", own, 0 }, { 0 } };
static mp_err run(void *conf, const mp_cli_args *args);
const mp_cli mp_cmd_demo = { .name = "demo",
                             .operands = "",
                             .summary = "What node-drop pooling is and what MID changes, in about a minute on two "
                                        "processors, without a network.\nStarted again it continues.",
                             .examples = "midpool demo\n"
                                         "midpool demo --seeds 3 --out three.html",
                             .size = sizeof(mp_demo_conf),
                             .groups = groups,
                             .texts = texts,
                             .run = run };

const mp_demo_test mp_demo_tests[MP_DEMO_TESTS] = {
    { "test-origin", "4-25 nodes", "test_origin" },
    { "test-large", "26-200 nodes", "test_large" },
    { "test-large-C", "26-200 nodes, other colours", "test_large_c" },
};

bool mp_demo_fails(const mp_demo_outcome *o)
{
    return o->on[MP_DEMO_ORIGIN] < MP_DEMO_FAILS;
}

bool mp_demo_has_colour(const mp_sparse *x, int v, int c)
{
    if (!x->ptr) return x->val[(size_t)v * (size_t)x->cols + (size_t)c] != 0;
    for (int i = x->ptr[v]; i < x->ptr[v + 1]; i++)
        if (x->col[i] == c) return true;
    return false;
}

/* ---- data and plan ---- */

static mp_err make_data(mp_demo_work *w)
{
    mp_colors_options o = mp_colors_published;
    mp_raw raw;
    o.seed = DATA_SEED;
    o.val = VAL;
    MP_TRY(mp_generate_colors(&o, w->arena, &raw));
    MP_TRY(mp_dataset_build(&raw, NULL, w->arena, &w->data));
    mp_folds_fixed(&w->data, w->arena, &w->folds);
    return MP_OK;
}

/* MID takes longer, so it goes first: the shorter runs fill the gaps at the end. */
static mp_err make_plan(mp_demo_work *w, const char *command)
{
    mp_study *s = &w->study;
    mp_config base, mid;
    mp_side side;
    MP_TRY(mp_workers_side(w->conf->workers, w->conf->jobs, 1, &side));
    mp_config_init(&base);
    MP_TRY(mp_conf_set_all(mp_config_table, &base, mp_preset_find("colors")->settings, "demo"));
    MP_TRY(mp_conf_set_all(mp_config_table, &base, NETWORK, "demo"));
    base.lr_drop.at[0] = (int)((double)base.lr_drop.at[0] * w->conf->epochs / base.epochs);
    base.epochs = w->conf->epochs;
    MP_TRY(mp_config_check(&base));
    mid = base;
    MP_TRY(mp_conf_set_all(mp_config_table, &mid, MID, "demo"));
    *s = (mp_study){ .arena = w->arena,
                     .store_path = w->conf->store,
                     .command = command,
                     .seeds = w->conf->seeds,
                     .jobs = side.jobs,
                     .threads = side.threads,
                     .listener = mp_watch_begin(&w->watch, w->conf->quiet, NULL, NULL),
                     .keep_models = true };
    MP_TRY(mp_study_add(s, &w->data, &w->folds, &mid, MP_GRID_NONE, NULL));
    return mp_study_add(s, &w->data, &w->folds, &base, MP_GRID_NONE, NULL);
}

/* ---- what came out ---- */

/* Percent of green ones among the nodes that the first test graphs lose. */
static mp_err green_dropped(const mp_demo_work *w, const mp_run_key *key, mp_arena *a, double *out)
{
    mp_model *m;
    mp_about about;
    int dropped = 0, green = 0;
    MP_TRY(mp_checkpoint_load(mp_study_model_path(&w->study, key, a), a, &m, &about));
    for (int b = w->data.fixed[2][0], n = 0; b < w->data.fixed[2][1] && n < LOOKED_AT; b++, n++) {
        mp_graph g;
        mp_sparse x;
        mp_trail_of_graph t;
        mp_arena_mark here = mp_arena_here(a);
        mp_graph_gather(a, &w->data.graphs, &w->data.x, &b, 1, false, &g, &x);
        MP_TRY(mp_trail_run(m, &g, &x, 0, a, &t));
        for (int v = 0; v < t.level[0].nodes; v++) {
            dropped += !t.level[0].kept[v];
            green += !t.level[0].kept[v] && mp_demo_has_colour(&x, v, MP_DEMO_GREEN);
        }
        mp_arena_back(a, here);
    }
    *out = dropped ? 100.0 * green / dropped : 0;
    return MP_OK;
}

static mp_err look_at(mp_demo_work *w, mp_demo_model *m)
{
    const mp_study *s = &w->study;
    m->run = MP_NEW(w->arena, mp_demo_outcome, m->row->runs);
    for (int i = 0; i < m->row->runs; i++) {
        const mp_run_result *r = &s->result[m->row->trial[i].place];
        mp_demo_outcome *o = &m->run[m->runs];
        if (r->curve_len < 0) continue; /* it failed to train at all, and was said so */
        *o = (mp_demo_outcome){ .key = &s->plan.run[m->row->trial[i].place].key,
                                .on = { 100 * r->test_metric, 100 * r->large_metric, 100 * r->large_c_metric } };
        mp_arena *a = mp_arena_new(1 << 20);
        mp_err e = green_dropped(w, o->key, a, &o->green);
        mp_arena_free(a);
        MP_TRY(e);
        m->failed += mp_demo_fails(o);
        m->runs++;
    }
    return MP_OK;
}

/* ---- the comparison ---- */

static mp_err compare(const mp_demo_work *w, mp_table *t)
{
    static const char *const header[] = { "COLORS-3", "model", "ours %", "paper %", NULL };
    mp_table_init(t, w->arena, NULL, header);
    for (int test = 0; test < MP_DEMO_TESTS; test++) {
        for (int i = 0; i < 2; i++) {
            mp_choice c;
            MP_TRY(mp_study_choose(&w->study, w->model[i].row, MP_SELECT_FIXED, &c));
            const mp_score *const ours[MP_DEMO_TESTS] = { &c.test, &c.large, &c.large_c };
            mp_paper_cell paper = mp_paper_find("COLORS-3", "topk", i == 1, test == MP_DEMO_LARGE);
            mp_table_add(t, "%s (%s)", mp_demo_tests[test].name, mp_demo_tests[test].about);
            mp_table_add(t, "%s", w->model[i].title);
            mp_table_add(t, "%.2f ± %.2f", 100 * ours[test]->mean, 100 * ours[test]->std_seeds);
            if (test == MP_DEMO_LARGE_C)
                mp_table_add(t, "-"); /* not in the paper */
            else
                mp_table_add(t, "%.2f ± %.2f", paper.mean, paper.std);
        }
    }
    return MP_OK;
}

static void list_seeds(const mp_demo_work *w, mp_table *t)
{
    static const char *const header[] = {
        "model", "seed", "test-origin %", "test-large %", "test-large-C %", "green of dropped %", NULL
    };
    mp_table_init(t, w->arena, NULL, header);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < w->model[i].runs; k++) {
            const mp_demo_outcome *o = &w->model[i].run[k];
            mp_table_add(t, "%s", w->model[i].title);
            mp_table_add(t, "%d", o->key->config.seed);
            mp_table_add(t, "%.2f%s", o->on[MP_DEMO_ORIGIN], mp_demo_fails(o) ? " *" : "");
            mp_table_add(t, "%.2f", o->on[MP_DEMO_LARGE]);
            mp_table_add(t, "%.2f", o->on[MP_DEMO_LARGE_C]);
            mp_table_add(t, "%.0f", o->green);
        }
    }
}

const char *mp_demo_compared(const mp_demo_work *w)
{
    return mp_arena_printf(
        w->arena,
        "Compared: share of graphs whose rounded output is the number of green nodes; TopKPool between two GraphConv "
        "layers, ratio 0.8, without and with MID (h 5, flipscore, no dropscore), trained on 500 graphs of 4-25 nodes "
        "for %d epochs (the last one counts), mean ± std over %d seed%s. The paper does not say its ratio or network, "
        "so its numbers need not be met.",
        w->conf->epochs, w->conf->seeds, mp_plural(w->conf->seeds));
}

/* Mean share of green nodes among the dropped over the runs that failed, or over the others; NAN: there is none. */
static double mean_green(const mp_demo_work *w, bool failed)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < w->model[i].runs; k++) {
            if (mp_demo_fails(&w->model[i].run[k]) != failed) continue;
            sum += w->model[i].run[k].green;
            n++;
        }
    }
    return n ? sum / n : (double)NAN;
}

const char *mp_demo_modes(const mp_demo_work *w)
{
    const mp_demo_model *base = &w->model[0], *mid = &w->model[1];
    double bad = mean_green(w, true), good = mean_green(w, false);
    const char *seen = "";
    if (!isnan(bad)) seen = mp_arena_printf(w->arena, " %.0f %% of the nodes these dropped were green", bad);
    if (!isnan(bad) && !isnan(good))
        seen = mp_arena_printf(w->arena, "%s, of the others %.0f %%.", seen, good);
    else if (!isnan(bad))
        seen = mp_arena_printf(w->arena, "%s.", seen);
    return mp_arena_printf(
        w->arena,
        "Failed (*), that is below %.0f %% of test-origin: %d of %d seeds without MID, %d of %d with MID.%s Why there "
        "are two modes: ranking has no gradient, so chance decides whether green nodes, the ones to count, get high "
        "or low scores, and low ones are dropped first; MID ranks by absolute scores, where either sign keeps them.",
        MP_DEMO_FAILS, base->failed, base->runs, mid->failed, mid->runs, seen);
}

/* ---- the terminal ---- */

/* One mark for each seed, a column for two percent: how many are there. */
static void print_strip(const mp_demo_work *w, int test, mp_buf *b)
{
    mp_buf_printf(b, "%-15s 0 %%                     50 %%                   100 %%\n", mp_demo_tests[test].name);
    for (int i = 0; i < 2; i++) {
        int at[51] = { 0 };
        for (int k = 0; k < w->model[i].runs; k++) {
            const mp_demo_outcome *o = &w->model[i].run[k];
            at[(int)(o->on[test] / 2 + 0.5)]++;
        }
        mp_buf_printf(b, "%-15s ", w->model[i].title);
        for (int c = 0; c < 51; c++) mp_buf_printf(b, "%c", at[c] == 0 ? '.' : at[c] > 9 ? '+' : '0' + at[c]);
        mp_buf_puts(b, "\n");
    }
}

static void print_text(const mp_demo_work *w, const mp_table *paper, const mp_table *seeds, mp_buf *b)
{
    mp_buf_puts(b, "\n");
    mp_table_print(paper, b);
    mp_buf_puts(b, "\n");
    mp_table_print(seeds, b);
    mp_buf_puts(b, "\nSeeds on a scale: digits say how many lie there.\n");
    for (int test = 0; test < MP_DEMO_TESTS; test++) print_strip(w, test, b);
    mp_buf_printf(b, "\n%s\n\n%s\nReport: %s; runs: %s; their models: %s.models\n", mp_demo_modes(w),
                  mp_demo_compared(w), w->conf->out, w->conf->store, mp_store_beside(w->conf->store, w->arena));
}

static mp_err print_json(const mp_demo_work *w, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_text(b, "report", w->conf->out);
    mp_json_add_text(b, "store", w->conf->store);
    mp_json_add_text(b, "compared", mp_demo_compared(w));
    mp_json_add_text(b, "modes", mp_demo_modes(w));
    mp_json_add_real(b, "fails_below", MP_DEMO_FAILS / 100);
    mp_json_key(b, "models");
    mp_json_open(b, '[');
    for (int i = 0; i < 2; i++) {
        const mp_demo_model *m = &w->model[i];
        mp_choice c;
        MP_TRY(mp_study_choose(&w->study, m->row, MP_SELECT_FIXED, &c));
        mp_json_open(b, '{');
        mp_json_add_text(b, "model", m->title);
        mp_json_add_int(b, "failed", m->failed);
        mp_json_key(b, "seeds");
        mp_json_open(b, '[');
        for (int k = 0; k < m->runs; k++) {
            mp_json_open(b, '{');
            mp_json_add_int(b, "seed", m->run[k].key->config.seed);
            for (int test = 0; test < MP_DEMO_TESTS; test++)
                mp_json_add_real(b, mp_demo_tests[test].key, m->run[k].on[test] / 100);
            mp_json_add_real(b, "green_of_dropped", m->run[k].green / 100);
            mp_json_close(b, '}');
        }
        mp_json_close(b, ']');
        mp_json_key(b, "result");
        mp_choice_json(&c, &m->row->points, b);
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
    mp_json_close(b, '}');
    mp_buf_puts(b, "\n");
    return MP_OK;
}

static mp_err show(mp_demo_work *w)
{
    mp_table paper, seeds;
    mp_buf b = { 0 };
    for (int i = 0; i < 2; i++) MP_TRY(look_at(w, &w->model[i]));
    MP_TRY(compare(w, &paper));
    list_seeds(w, &seeds);
    MP_TRY(mp_demo_page(w, &paper, &seeds));
    mp_err e = MP_OK;
    if (w->conf->json)
        e = print_json(w, &b);
    else
        print_text(w, &paper, &seeds, &b);
    if (e == MP_OK) e = mp_cli_print(b.p, b.n);
    mp_buf_free(&b);
    return e;
}

static mp_err run(void *conf, const mp_cli_args *args)
{
    mp_demo_work *w = MP_NEW(args->arena, mp_demo_work, 1);
    *w = (mp_demo_work){ .conf = conf, .arena = args->arena };
    MP_TRY(mp_setup_writable(w->conf->out));
    MP_TRY(mp_setup_writable(w->conf->store));
    MP_TRY(make_data(w));
    MP_TRY(make_plan(w, args->line));
    mp_study *s = &w->study;
    mp_listener_line(&s->listener, "COLORS-3: %d graphs made here; the label of a graph is its number of green nodes",
                     w->data.graphs.graphs);
    mp_listener_line(&s->listener, "%d training runs of %d epochs, %d side by side, kept in %s", s->plan.count,
                     w->conf->epochs, s->jobs, w->conf->store);
    MP_TRY(mp_study_run(s));
    w->model[0] = (mp_demo_model){ .title = "TopKPool", .colour = "#b3541e", .row = &s->row[1] };
    w->model[1] = (mp_demo_model){ .title = "TopKPool + MID", .colour = "#2f6fb2", .row = &s->row[0] };
    return show(w);
}
