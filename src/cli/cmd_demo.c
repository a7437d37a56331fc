/* cmd_demo.c - midpool demo: TopKPool with and without MID on COLORS-3, made here, compared with the paper's
 * table.
 *
 * The label of a COLORS-3 graph is its number of green nodes, so a pooling that drops green nodes must count
 * them before it does. Models train on small graphs and are tested on small and on larger ones
 * (protocol.md 8).
 * SPDX-License-Identifier: MIT */
#include "base/crew.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/setup.h"
#include "cli/study.h"
#include "cli/trail.h"
#include "data/generate.h"
#include "report/paper.h"
#include "report/report.h"
#include "train/jobs.h"
#include "train/once.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RATIO     "0.8"
#define GREEN     1 /* column of x */
#define DATA_SEED 0

typedef struct demo {
    const char *out;
    int seeds, epochs, jobs, json, quiet;
} demo;

/* clang-format off */
static const mp_opt own[] = {
    { "seeds", MP_OPT_INT, offsetof(demo, seeds), "3", 1, 1000, NULL, "number of seeds, from 42 on" },
    { "epochs", MP_OPT_INT, offsetof(demo, epochs), "300", 1, 100000, NULL, "training epochs of a run" },
    { "jobs", MP_OPT_INT, offsetof(demo, jobs), "0", 0, 256, NULL, "runs side by side; 0 = all processors" },
    { "json", MP_OPT_FLAG, offsetof(demo, json), "false", 0, 1, NULL, "the comparison as one JSON object on stdout" },
    { "quiet", MP_OPT_FLAG, offsetof(demo, quiet), "false", 0, 1, NULL, "no progress" },
    { NULL, 0, 0, NULL, 0, 0, NULL, NULL }
};
static const mp_cli_text texts[] = {
    { "out", offsetof(demo, out), "report.html", "FILE", "the page with tables, curves and pictures" },
    { NULL, 0, NULL, NULL, NULL }
};
/* clang-format on */
static const mp_cli_group groups[] = { { "options", own, 0 }, { NULL, NULL, 0 } };
static mp_err run(void *conf, const mp_cli_args *args);
static const mp_cli cli = { .name = "demo",
                            .operands = "",
                            .summary =
                                "What node-drop pooling is and what MID changes, in about a minute, without a network.",
                            .size = sizeof(demo),
                            .groups = groups,
                            .texts = texts,
                            .run = run };

typedef struct work {
    const demo *conf;
    mp_arena *arena;
    mp_dataset data;
    mp_folds folds;
    mp_study study;
    mp_span model[2];  /* of the first seed: base, MID */
    double *epochs;    /* done by each run */
    mp_worker *worker; /* in a worker */
} work;

/* ---- data and plan ---- */

static mp_err make_data(work *w)
{
    mp_colors_options o = mp_colors_published;
    mp_raw raw;
    o.seed = DATA_SEED;
    o.large_c = 0;
    MP_TRY(mp_generate_colors(&o, w->arena, &raw));
    MP_TRY(mp_dataset_build(&raw, NULL, w->arena, &w->data));
    mp_folds_fixed(&w->data, w->arena, &w->folds);
    return MP_OK;
}

/* MID takes longer, so it goes first: the shorter runs fill the gaps at the end. */
static mp_err make_plan(work *w)
{
    mp_study *s = &w->study;
    mp_config base, mid;
    mp_config_init(&base);
    MP_TRY(mp_conf_set_all(mp_config_table, &base, mp_preset_find("colors")->settings, "demo"));
    MP_TRY(mp_conf_set_all(mp_config_table, &base, "pool=topk ratio=" RATIO, "demo"));
    base.lr_drop.at[0] = (int)((double)base.lr_drop.at[0] * w->conf->epochs / base.epochs);
    base.epochs = w->conf->epochs;
    MP_TRY(mp_config_check(&base));
    mid = base;
    MP_TRY(mp_conf_set_all(mp_config_table, &mid, mp_preset_find("mid")->settings, "demo"));
    *s = (mp_study){ .arena = w->arena, .seeds = w->conf->seeds };
    s->jobs = w->conf->jobs ? w->conf->jobs : mp_cpu_count();
    mp_progress_init(&s->progress, w->conf->quiet);
    MP_TRY(mp_study_add(s, &w->data, &w->folds, &mid, MP_GRID_NONE, NULL));
    MP_TRY(mp_study_add(s, &w->data, &w->folds, &base, MP_GRID_NONE, NULL));
    s->result = MP_NEW(w->arena, mp_run_result, s->plan.count);
    w->epochs = MP_NEW(w->arena, double, s->plan.count);
    for (int i = 0; i < s->plan.count; i++) s->result[i].curve_len = -1;
    return MP_OK;
}

static bool is_mid(const mp_run_key *k)
{
    return k->config.score_dim > 1;
}

static const char *model_title(const mp_run_key *k)
{
    return is_mid(k) ? "TopKPool + MID" : "TopKPool";
}

/* ---- runs in workers: the answer is a result, and the model file for the first seed ---- */

static void tell(void *state, const mp_fit_news *n)
{
    work *w = state;
    if (n->epoch % 10 == 0) mp_worker_tell(w->worker, &n->epoch, sizeof n->epoch);
}

static mp_err work_on(void *state, int job, mp_worker *worker, mp_buf *answer)
{
    work *w = state;
    const mp_cv_run *r = &w->study.plan.run[job];
    mp_fit_options o = { .news = tell, .state = w, .stop = mp_worker_stop(worker) };
    mp_arena *a = mp_arena_new(1 << 20);
    mp_run_result result;
    mp_model *model;
    mp_buf packed = { 0 };
    w->worker = worker;
    mp_err e = mp_run_once(r->data, r->split, &r->key, 1, &o, a, &result, &model);
    if (e == MP_OK) {
        mp_about about = mp_about_of(r->data);
        mp_run_result_pack(&result, &packed);
        mp_buf_add(answer, &packed.n, sizeof packed.n);
        mp_buf_add(answer, packed.p, packed.n);
        mp_checkpoint_write(model, &about, answer);
    }
    mp_buf_free(&packed);
    mp_arena_free(a);
    return e;
}

static mp_err arrived(void *state, int job, mp_span answer)
{
    work *w = state;
    const mp_run_key *k = &w->study.plan.run[job].key;
    mp_run_result *r = &w->study.result[job];
    size_t n;
    if (answer.n < sizeof n) return mp_fail(MP_ERR_INPUT, "a worker sent half a result");
    memcpy(&n, answer.p, sizeof n);
    MP_TRY(mp_run_result_unpack((mp_span){ answer.p + sizeof n, n }, w->arena, r));
    size_t head = sizeof n + n;
    if (k->config.seed == w->study.plan.run[0].key.config.seed)
        w->model[is_mid(k)] = (mp_span){ mp_arena_text(w->arena, answer.p + head, answer.n - head), answer.n - head };
    w->epochs[job] = r->epochs;
    mp_progress_line(&w->study.progress, "%-14s seed %d: %d epochs in %.1f s, test-origin %.2f %%, test-large %.2f %%",
                     model_title(k), k->config.seed, r->epochs, r->seconds, 100 * r->test_metric,
                     100 * r->large_metric);
    return MP_OK;
}

static mp_err broke(void *state, int job, mp_err why, const char *message)
{
    work *w = state;
    const mp_run_key *k = &w->study.plan.run[job].key;
    return mp_fail(why, "%s, seed %d: %s", model_title(k), k->config.seed, message);
}

static void heard(void *state, int job, mp_span what)
{
    work *w = state;
    int epoch;
    if (what.n != sizeof epoch) return;
    memcpy(&epoch, what.p, sizeof epoch);
    w->epochs[job] = epoch;
    double done = 0, all = 0;
    for (int i = 0; i < w->study.plan.count; i++) { /* an epoch with MID costs about two without */
        double weight = is_mid(&w->study.plan.run[i].key) ? 2 : 1;
        done += weight * w->epochs[i];
        all += weight * w->conf->epochs;
    }
    double spent = mp_progress_seconds(&w->study.progress);
    mp_progress_now(&w->study.progress, spent / done * (all - done), "training: %.0f %%", 100 * done / all);
}

static mp_err train_all(work *w)
{
    mp_study *s = &w->study;
    mp_jobs jobs = { .count = s->plan.count,
                     .workers = s->jobs < s->plan.count ? s->jobs : s->plan.count,
                     .state = w,
                     .work = work_on,
                     .done = arrived,
                     .failed = broke,
                     .news = heard };
    mp_jobs_count count;
    mp_err e = mp_jobs_run(&jobs, &count);
    mp_progress_end(&s->progress);
    if (e == MP_OK && count.interrupted) return mp_fail(MP_ERR_IO, "stopped");
    return e;
}

/* ---- the comparison ---- */

static void add_line(mp_table *t, const char *test, const mp_study_row *row, const mp_score *ours, bool large)
{
    mp_paper_cell paper = mp_paper_find("COLORS-3", "topk", row->config.score_dim > 1, large);
    mp_table_add(t, "%s", test);
    mp_table_add(t, "%s", row->config.score_dim > 1 ? "TopKPool + MID" : "TopKPool");
    mp_table_add(t, "%.2f ± %.2f", 100 * ours->mean, 100 * ours->std_seeds);
    mp_table_add(t, "%.2f ± %.2f", paper.mean, paper.std);
}

static mp_err compare(const work *w, mp_table *t)
{
    static const char *const header[] = { "COLORS-3", "model", "ours %", "paper %", NULL };
    const mp_study *s = &w->study;
    mp_table_init(t, s->arena, NULL, header);
    for (int large = 0; large < 2; large++) {
        for (int i = 1; i >= 0; i--) { /* base first, as the paper has it */
            mp_choice c;
            MP_TRY(mp_study_choose(s, &s->row[i], MP_SELECT_FIXED, &c));
            add_line(t, large ? "test-large (26-200 nodes)" : "test-origin (4-25 nodes)", &s->row[i],
                     large ? &c.large : &c.test, large);
        }
    }
    return MP_OK;
}

static const char *sentence(const work *w)
{
    return mp_arena_printf(
        w->arena,
        "Compared: share of graphs whose rounded output is the number of green nodes, TopKPool without and "
        "with MID (h 5, drop 0.1), ratio " RATIO ", trained on 500 graphs of 4-25 nodes for %d epochs (last "
        "epoch counts), mean ± std over %d seed%s. Seeds differ much here, so few of them decide nothing "
        "(--seeds 10 tells more); the paper does not say its ratio or network, so its numbers need not be "
        "reached.",
        w->conf->epochs, w->conf->seeds, w->conf->seeds == 1 ? "" : "s");
}

static mp_err print(const work *w, const mp_table *t, mp_buf *b)
{
    if (!w->conf->json) {
        mp_buf_puts(b, "\n");
        mp_table_print(t, b);
        mp_buf_printf(b, "\n%s\nReport: %s\n", sentence(w), w->conf->out);
        return mp_cli_print(b->p, b->n);
    }
    const mp_study *s = &w->study;
    mp_json_open(b, '{');
    mp_json_add_text(b, "report", w->conf->out);
    mp_json_add_text(b, "compared", sentence(w));
    mp_json_key(b, "models");
    mp_json_open(b, '[');
    for (int i = 1; i >= 0; i--) {
        mp_choice c;
        MP_TRY(mp_study_choose(s, &s->row[i], MP_SELECT_FIXED, &c));
        mp_json_open(b, '{');
        mp_json_add_text(b, "model", i == 0 ? "TopKPool + MID" : "TopKPool");
        mp_json_key(b, "result");
        mp_choice_json(&c, b);
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
    mp_json_close(b, '}');
    mp_buf_puts(b, "\n");
    return mp_cli_print(b->p, b->n);
}

/* ---- the page ---- */

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

static bool has_column(const mp_sparse *x, int v, int c)
{
    if (!x->ptr) return x->val[(size_t)v * (size_t)x->cols + (size_t)c] != 0;
    for (int i = x->ptr[v]; i < x->ptr[v + 1]; i++)
        if (x->col[i] == c) return true;
    return false;
}

static const char *const *colour_letters(const mp_sparse *x, mp_arena *a)
{
    static const char *const letter[] = { "r", "G", "b" };
    const char **label = MP_NEW(a, const char *, x->rows);
    for (int v = 0; v < x->rows; v++) {
        label[v] = "";
        for (int c = 0; c < 3; c++)
            if (has_column(x, v, c)) label[v] = letter[c];
    }
    return label;
}

static int count_green(const mp_sparse *x)
{
    int n = 0;
    for (int v = 0; v < x->rows; v++) n += has_column(x, v, GREEN);
    return n;
}

static mp_err picture(const work *w, int which, mp_picture *out)
{
    mp_model *m;
    mp_about about;
    mp_graph g;
    mp_sparse x;
    mp_trail_of_graph t;
    mp_buf svg = { 0 };
    mp_arena *a = w->arena;
    int b = graph_to_show(&w->data);
    const char *title = which ? "TopKPool + MID" : "TopKPool";
    MP_TRY(mp_checkpoint_parse(w->model[which], title, a, &m, &about));
    mp_graph_gather(a, &w->data.graphs, &w->data.x, &b, 1, false, &g, &x);
    MP_TRY(mp_trail_run(m, &g, &x, 0, a, &t));
    mp_trail_svg(&t, &g, title, colour_letters(&x, a), a, &svg);
    out->title = mp_arena_printf(a, "Kept nodes, %s", title);
    out->note =
        mp_arena_printf(a,
                        "A test graph with %d green nodes (G); the network says %.2f. Darker is a higher rank, a red "
                        "ring is a kept node.",
                        count_green(&x), t.output[0]);
    out->svg = mp_arena_text(a, svg.p, svg.n);
    mp_buf_free(&svg);
    return MP_OK;
}

static mp_err write_page(const work *w, const mp_table *t)
{
    const mp_study *s = &w->study;
    mp_picture pictures[2];
    mp_stored *run = MP_NEW(w->arena, mp_stored, s->plan.count);
    for (int i = 0; i < s->plan.count; i++) {
        char *hash = MP_NEW(w->arena, char, 65);
        mp_run_key_hash(&s->plan.run[i].key, hash);
        run[i] = (mp_stored){ .hash = hash,
                              .status = MP_RUN_DONE,
                              .key = s->plan.run[i].key,
                              .result = s->result[i],
                              .message = "",
                              .version = MP_VERSION,
                              .finished = "" };
    }
    for (int i = 0; i < 2; i++) MP_TRY(picture(w, i, &pictures[i]));
    mp_table table = *t;
    table.title = "The paper's generalisation table, and ours";
    table.note = sentence(w);
    mp_report_options o = { .title = "midpool demo",
                            .select = MP_SELECT_VAL,
                            .pictures = 2,
                            .picture = pictures,
                            .tables = 1,
                            .table = &table };
    mp_buf page = { 0 };
    mp_err e = mp_report_html(run, s->plan.count, "midpool demo", &o, &page);
    if (e == MP_OK) e = mp_write_file(w->conf->out, page.p, page.n);
    mp_buf_free(&page);
    return e;
}

static mp_err run(void *conf, const mp_cli_args *args)
{
    work *w = MP_NEW(args->arena, work, 1);
    mp_table t;
    *w = (work){ .conf = conf, .arena = args->arena };
    MP_TRY(mp_setup_writable(w->conf->out));
    MP_TRY(make_data(w));
    MP_TRY(make_plan(w));
    mp_progress_line(&w->study.progress,
                     "COLORS-3: %d graphs made here; the label of a graph is its number of green nodes\n"
                     "%d training runs of %d epochs, %d side by side",
                     w->data.graphs.graphs, w->study.plan.count, w->conf->epochs, w->study.jobs);
    MP_TRY(train_all(w));
    MP_TRY(compare(w, &t));
    MP_TRY(write_page(w, &t));
    mp_buf b = { 0 };
    mp_err e = print(w, &t, &b);
    mp_buf_free(&b);
    return e;
}

int mp_cmd_demo(int argc, char **argv)
{
    return mp_cli_main(&cli, argc, argv);
}
