/* report.c - the page: its order, what was run, results, pictures, what failed.
 * SPDX-License-Identifier: MIT */
#include "report/report_own.h"

#include "base/json.h"
#include "report/calibration.h"
#include "report/score.h"
#include "store/stores.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SECTIONS = 64, MOST_DIAGRAMS = 120 };

typedef mp_report_page page;

typedef struct totals {
    int done, failed, hit_cap, sets;
    double seconds;
    const char *last; /* when the last run finished */
} totals;

static bool first_of_set(const page *p, int i)
{
    return i == 0 || strcmp(p->study[i - 1].key.dataset, p->study[i].key.dataset) != 0;
}

/* Of runs, not of studies: a run may be in several. */
static totals add_up(const page *p)
{
    totals t = { .last = "" };
    for (int i = 0; i < p->count; i++) t.sets += first_of_set(p, i);
    for (int i = 0; i < p->n; i++) {
        const mp_stored *r = &p->run[i];
        bool done = r->status == MP_RUN_DONE;
        t.done += done;
        t.failed += !done;
        t.hit_cap += done && r->result.hit_cap;
        if (done && isfinite(r->result.seconds)) t.seconds += r->result.seconds;
        if (r->finished && strcmp(r->finished, t.last) > 0) t.last = r->finished;
    }
    return t;
}

static void duration(double seconds, char *out, size_t n)
{
    if (seconds < 120)
        mp_format(out, n, "%.0f s", seconds);
    else if (seconds < 7200)
        mp_format(out, n, "%.0f min", seconds / 60);
    else
        mp_format(out, n, "%.1f h", seconds / 3600);
}

static void card(mp_buf *b, const char *value, const char *what)
{
    mp_buf_puts(b, "<div class=\"card\"><b>");
    mp_html_text(b, value);
    mp_buf_puts(b, "</b><span>");
    mp_html_text(b, what);
    mp_buf_puts(b, "</span></div>\n");
}

static void write_cards(const page *p, const totals *t)
{
    const struct {
        int n;
        const char *what;
    } cards[] = { { t->sets, t->sets == 1 ? "data set" : "data sets" },
                  { p->count, p->count == 1 ? "study" : "studies" },
                  { t->done, "runs finished" },
                  { t->failed, "runs failed" },
                  { t->hit_cap, "stopped by the epoch cap" } };
    char text[32];
    mp_buf_puts(p->b, "<div class=\"cards\">\n");
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        snprintf(text, sizeof text, "%d", cards[i].n);
        card(p->b, text, cards[i].what);
    }
    duration(t->seconds, text, sizeof text);
    card(p->b, text, "of training");
    mp_buf_puts(p->b, "</div>\n");
}

static int by_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int median_epochs(const mp_group *s, mp_arena *a)
{
    int *epochs = MP_NEW(a, int, s->runs + 1);
    for (int i = 0; i < s->runs; i++) epochs[i] = s->run[i]->result.epochs;
    qsort(epochs, (size_t)s->runs, sizeof *epochs, by_int);
    return epochs[s->runs / 2];
}

/* "h 1 5 9, drop 0 0.1 0.2": the values that occur, each once; of many only how many there are. */
static const char *grid_text(const mp_points *list, mp_arena *a)
{
    enum { FEW = 12 };
    mp_buf b = { 0 };
    if (list->count <= 1) return "-";
    for (int k = 0; k < list->options; k++) {
        const mp_opt *o = list->option[k];
        int different = 0;
        mp_buf_printf(&b, "%s%s", k ? ", " : "", strcmp(o->name, "score-dim") == 0 ? "h" : o->name);
        size_t here = b.n;
        for (int i = 0; i < list->count; i++) {
            char value[80];
            bool seen = false;
            for (int j = 0; j < i && !seen; j++) seen = mp_conf_same(o, &list->at[j], &list->at[i]);
            mp_conf_get(o, &list->at[i], value, sizeof value);
            if (!seen && different++ < FEW) mp_buf_printf(&b, " %s", value);
        }
        if (different > FEW) b.n = here, mp_buf_printf(&b, " of %d values", different);
    }
    const char *text = mp_arena_text(a, b.p, b.n);
    mp_buf_free(&b);
    return text;
}

static mp_err write_runs(const page *p, const totals *total)
{
    static const char *const header[] = { "data set", "model",  "folds",         "grid",    "seeds", "runs",
                                          "missing",  "failed", "median epochs", "hit cap", "time",  NULL };
    mp_table t;
    mp_table_init(&t, p->arena, NULL, header);
    for (int i = 0; i < p->count; i++) {
        const mp_group *s = &p->study[i];
        mp_choice c;
        char time[32];
        MP_TRY(mp_group_choose(s, MP_SELECT_VAL, NULL, p->arena, &c));
        duration(s->seconds, time, sizeof time);
        mp_table_add(&t, "%s", s->key.dataset);
        mp_table_add(&t, "%s", s->model);
        if (s->key.folds > 1)
            mp_table_add(&t, "%s, %d", s->key.folds_from, s->key.folds);
        else
            mp_table_add(&t, "%s", s->key.folds_from);
        mp_table_add(&t, "%s", c.grid.seeds ? grid_text(&s->list, p->arena) : "");
        mp_table_add(&t, "%d", c.grid.seeds);
        mp_table_add(&t, "%d", s->runs);
        mp_table_add(&t, "%d", c.missing);
        mp_table_add(&t, "%d", s->failed);
        mp_table_add(&t, "%d", s->runs ? median_epochs(s, p->arena) : 0);
        mp_table_add(&t, "%d of %d", s->hit_cap, s->runs);
        mp_table_add(&t, "%s", time);
    }
    t.name = "What was run";
    t.keep = t.columns; /* times are there or not whatever the clock says */
    mp_html_section_begin(p->b, "runs", "What was run");
    write_cards(p, total);
    mp_html_table(p->b, &t);
    mp_html_note(p->b,
                 "A run is one seed, one fold and one grid point. Missing: lacking from seeds x folds x grid points; "
                 "a grid point counts for a seed only when all its folds are there.");
    mp_html_section_end(p->b);
    return MP_OK;
}

static const char *select_meaning(mp_select mode, const char *metric, mp_arena *a)
{
    static const char *const text[MP_SELECT_MODES] = {
        [MP_SELECT_VAL] = "\"test\": for each seed the grid point with the best validation %s; the test fold is "
                          "looked at after the choice.",
        [MP_SELECT_VAL_GLOBAL] = "\"test\": one grid point for all seeds, the best by validation %s.",
        [MP_SELECT_PAPER] = "\"test\": for each seed the grid point with the best test %s. This is not an honest "
                            "estimate.",
        [MP_SELECT_PAPER_GLOBAL] = "\"test\": one grid point for all seeds, the best by test %s. This is not an "
                                   "honest estimate.",
        [MP_SELECT_FIXED] = "\"test\": one grid point, fixed beforehand.%.0s",
        [MP_SELECT_NESTED] = "\"test\": for each seed the grid point with the best validation %s, in nested studies "
                             "for each seed and fold by inner splits of the training part.",
    };
    return mp_arena_printf(a, text[mode], metric);
}

static void explain_results(const page *p, const mp_metric *one, bool chosen)
{
    const char *metric = one ? one->title : "metric";
    mp_html_fold_begin(p->b, "What the columns mean");
    mp_html_para(p->b,
                 mp_arena_printf(p->arena,
                                 "Test %s: mean over seeds of the mean over folds, \xC2\xB1 population standard "
                                 "deviation over seeds. \"std folds\" is the standard deviation over the folds of one "
                                 "seed, averaged over seeds.",
                                 one ? mp_score_unit(one, p->arena) : "metric, shares in percent"));
    if (chosen) {
        mp_html_para(p->b, select_meaning(p->o->select, metric, p->arena));
        mp_html_para(p->b, mp_arena_printf(p->arena,
                                           "\"best on test\" takes for each seed the grid point with the best test %s, "
                                           "as the paper's released script does; the gap is what that choice gains. "
                                           "Where a study has no grid nothing is chosen, and these two have a dash.",
                                           metric));
    }
    mp_html_para(p->b,
                 "\"paper\" is the number the paper prints, \"to paper\" is ours, chosen in the same way, less the "
                 "paper's.");
    mp_html_fold_end(p->b);
}

static mp_err write_results(const page *p)
{
    bool chosen = false;
    mp_table t;
    for (int i = 0; i < p->count; i++) chosen = chosen || p->study[i].list.count > 1;
    MP_TRY(mp_report_results(p->study, p->count, NULL, p->o, p->arena, &t));
    mp_html_section_begin(p->b, "results", "Results");
    if (mp_table_rows(&t)) {
        mp_html_table(p->b, &t);
        explain_results(p, mp_report_metric(p->study, p->count), chosen);
    } else {
        mp_html_para(p->b, "No run has finished; why is said below. The same command tries failed runs again.");
    }
    mp_html_section_end(p->b);
    return MP_OK;
}

static void write_study_calibration(const page *p, const mp_group *s, const mp_group_calibration *c, mp_html_grid *grid)
{
    mp_buf svg = { 0 }, csv = { 0 };
    const char *name = mp_report_row_name(p, s);
    mp_calibration_svg(&c->all, mp_arena_printf(p->arena, "Reliability of %s", name), &svg, &csv);
    mp_picture picture = { .title = name, .svg = svg.p, .csv = csv.p };
    picture.note = mp_arena_printf(p->arena, "expected calibration error %.3f, Brier score %.3f", c->error, c->brier);
    mp_html_grid_add(grid, &picture);
    mp_buf_free(&svg);
    mp_buf_free(&csv);
}

static mp_err write_calibration(const page *p, bool *any)
{
    mp_html_grid grid = { .out = p->b };
    int drawn = 0;
    for (int i = 0; i < p->count; i++) {
        mp_choice choice;
        MP_TRY(mp_group_choose(&p->study[i], p->o->select, p->o->fixed, p->arena, &choice));
        mp_group_calibration c = mp_calibration_of(&p->study[i], &choice);
        if (isnan(c.error) || drawn++ >= MOST_DIAGRAMS) continue;
        if (drawn == 1) mp_html_section_begin(p->b, "calibration", "Calibration");
        write_study_calibration(p, &p->study[i], &c, &grid);
    }
    *any = drawn > 0;
    if (!drawn) return MP_OK;
    mp_html_grid_end(&grid);
    if (drawn > MOST_DIAGRAMS)
        mp_html_note(p->b, mp_arena_printf(p->arena, "The first %d of %d rows are drawn.", MOST_DIAGRAMS, drawn));
    mp_html_fold_begin(p->b, "What calibration means");
    mp_html_para(p->b,
                 "Whether probabilities of test graphs hold: of what is said with probability p, a share p "
                 "should be true. Points below the dashed line were said too surely. The error is the mean "
                 "distance from it, over the folds of a seed together, then the mean over seeds; it is \"ECE\" of the "
                 "results.");
    mp_html_fold_end(p->b);
    mp_html_section_end(p->b);
    return MP_OK;
}

static void write_extras(const page *p)
{
    mp_html_grid grid = { .out = p->b };
    if (p->o->tables) {
        mp_html_section_begin(p->b, "tables", "Tables");
        for (int i = 0; i < p->o->tables; i++) mp_html_table(p->b, &p->o->table[i]);
        mp_html_section_end(p->b);
    }
    if (!p->o->pictures) return;
    mp_html_section_begin(p->b, "pictures", "Pictures");
    for (int i = 0; i < p->o->pictures; i++) mp_html_grid_add(&grid, &p->o->picture[i]);
    mp_html_grid_end(&grid);
    mp_html_section_end(p->b);
}

static bool write_failures(const page *p)
{
    static const char *const header[] = { "data set", "model", "seed", "fold", "why", NULL };
    mp_table t;
    bool *told = MP_NEW(p->arena, bool, p->n + 1); /* a run of several studies is listed once */
    mp_table_init(&t, p->arena, NULL, header);
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->study[i].failed; k++) {
            const mp_stored *f = p->study[i].fail[k];
            if (told[f - p->run]) continue;
            told[f - p->run] = true;
            mp_table_add(&t, "%s", f->key.dataset);
            mp_table_add(&t, "%s", p->study[i].model);
            mp_table_add(&t, "%d", f->key.config.seed);
            mp_table_add(&t, "%d", f->key.fold);
            mp_table_add(&t, "%s", f->message);
        }
    }
    if (!mp_table_rows(&t)) return false;
    t.name = "Failed runs";
    mp_html_section_begin(p->b, "failed", "Failed runs");
    mp_html_table(p->b, &t);
    mp_html_section_end(p->b);
    return true;
}

static void write_how_to_begin(const page *p)
{
    const char *store = p->store;
    mp_html_para(p->b, mp_arena_printf(p->arena,
                                       "There are no runs in %s yet. A study puts them there as they finish, and "
                                       "the report can be made while it runs:",
                                       store));
    mp_buf_puts(p->b, "<pre>");
    mp_html_text(p->b, mp_arena_printf(p->arena,
                                       "midpool cv MUTAG --pool sag,topk --seeds 3 --store %s\n"
                                       "midpool report %s",
                                       store, store));
    mp_buf_puts(p->b, "</pre>\n");
}

/* The contents stand before what they list, and name what came to be written: the body goes into a buffer of its own. */
typedef struct contents {
    mp_html_entry entry[MOST_SECTIONS];
    int count;
} contents;

static void note_entry(contents *c, bool written, const char *id, const char *title)
{
    if (written && c->count < MOST_SECTIONS) c->entry[c->count++] = (mp_html_entry){ id, title };
}

static mp_err write_studies(const page *p, const totals *t, contents *c)
{
    bool any;
    MP_TRY(write_results(p));
    note_entry(c, true, "results", "Results");
    MP_TRY(write_calibration(p, &any));
    note_entry(c, any, "calibration", "Calibration");
    MP_TRY(write_runs(p, t));
    note_entry(c, true, "runs", "What was run");
    return MP_OK;
}

static mp_err write_body(const page *p, const totals *t, contents *c)
{
    size_t at = p->b->n;
    MP_TRY(mp_report_overview(p));
    note_entry(c, p->b->n > at, "overview", "At a glance");
    if (p->o->left_out) mp_html_para(p->b, p->o->left_out);
    at = p->b->n;
    MP_TRY(mp_report_unfinished(p));
    note_entry(c, p->b->n > at, "unfinished", "Unfinished");
    for (int i = 0; i < p->o->sections; i++) {
        const mp_section *s = &p->o->section[i];
        mp_section_html(s, p->b);
        note_entry(c, true, s->name, s->title ? s->title : s->name);
    }
    if (p->count)
        MP_TRY(write_studies(p, t, c));
    else if (!p->o->tables && !p->o->pictures && !p->o->sections)
        write_how_to_begin(p);
    write_extras(p);
    note_entry(c, p->o->tables, "tables", "Tables");
    note_entry(c, p->o->pictures, "pictures", "Pictures");
    at = p->b->n;
    MP_TRY(mp_report_curves(p));
    note_entry(c, p->b->n > at, "curves", "Learning curves");
    note_entry(c, write_failures(p), "failed", "Failed runs");
    at = p->b->n;
    MP_TRY(mp_report_settings(p));
    note_entry(c, p->b->n > at, "settings", "Settings and commands");
    return MP_OK;
}

static mp_err write_page(const page *p, mp_buf *out)
{
    totals t = add_up(p);
    contents c = { .count = 0 };
    char subtitle[512];
    snprintf(subtitle, sizeof subtitle, "midpool %s%s%s%s%s", MP_VERSION, p->source ? ", from " : "",
             p->source ? p->source : "", t.last[0] ? ", last run " : "", t.last);
    MP_TRY(write_body(p, &t, &c));
    mp_html_begin(out, p->o->title ? p->o->title : "midpool report", subtitle, c.entry, c.count);
    if (p->b->n) mp_buf_add(out, p->b->p, p->b->n);
    mp_html_end(out);
    return MP_OK;
}

/* `p` says where runs come from (source, store and join), and may have them in studies already. */
static mp_err make_page(page p, const mp_stored *run, int n, const mp_report_options *o, mp_buf *out)
{
    mp_buf body = { 0 };
    p.b = &body;
    p.arena = mp_arena_new(1 << 20);
    p.o = o;
    p.run = run;
    p.n = n;
    if (!p.study) mp_group_runs(run, n, o->declared, o->studies, o->metric, p.arena, &p.study, &p.count);
    mp_err e = write_page(&p, out);
    mp_buf_free(&body);
    mp_arena_free(p.arena);
    return e;
}

mp_err mp_report_html(const mp_stored *run, int n, const char *source, const mp_report_options *o, mp_buf *out)
{
    return make_page((page){ .source = source, .store = source ? source : "midpool.db" }, run, n, o, out);
}

static mp_err write_forms(const mp_group *study, int count, const mp_report_options *o, mp_arena *a, mp_buf *text,
                          mp_buf *json)
{
    if (text) {
        mp_table t;
        MP_TRY(mp_report_results(study, count, NULL, o, a, &t));
        mp_table_print(&t, text);
        const mp_metric *one = mp_report_metric(study, count);
        if (mp_table_rows(&t))
            mp_buf_printf(text, "\ntest: %s, mean over seeds \xC2\xB1 std over seeds",
                          one ? mp_score_unit(one, a) : "shares in percent");
    }
    return json ? mp_report_json(study, count, o, a, json) : MP_OK;
}

/* Of several stores: commands that train have to name one that has the runs of all. */
static page page_of(const mp_stores *s, const char *const *store, int stores, mp_arena *a)
{
    static const char merged[] = "merged.db";
    mp_buf join = { 0 };
    if (stores == 1) return (page){ .source = store[0], .store = store[0] };
    mp_buf_printf(&join, "midpool merge %s", merged);
    for (int i = 0; i < stores; i++) {
        mp_buf_puts(&join, " ");
        mp_report_word(&join, store[i]);
    }
    page p = { .source = mp_stores_name(s), .store = merged, .join = mp_arena_text(a, join.p, join.n) };
    mp_buf_free(&join);
    return p;
}

static mp_err write_all(mp_stores *s, page p, const char *out_path, const mp_report_options *o, mp_arena *a,
                        mp_buf *text, mp_buf *json)
{
    const mp_stored *run;
    int n;
    mp_buf html = { 0 };
    char line[1024];
    mp_report_options with = *o;
    MP_TRY(mp_stores_load(s, &(mp_store_filter){ .curves = true }, a, &run, &n));
    if (mp_stores_left_out(s, line, sizeof line)) with.left_out = line;
    if (with.left_out && o->note) o->note(line);
    MP_TRY(
        mp_stores_declared(s, a, &with.declared, &with.studies)); /* after the runs: none of them is of a later study */
    mp_group_runs(run, n, with.declared, with.studies, with.metric, a, &p.study, &p.count);
    MP_TRY(write_forms(p.study, p.count, &with, a, text, json));
    mp_err e = make_page(p, run, n, &with, &html);
    if (e == MP_OK) e = mp_write_file(out_path, html.p, html.n);
    mp_buf_free(&html);
    return e;
}

mp_err mp_report_write(const char *const *store, int stores, const char *out_path, const mp_report_options *o,
                       mp_buf *text, mp_buf *json)
{
    mp_stores *s;
    MP_TRY(mp_stores_open(store, stores, &s));
    mp_arena *a = mp_arena_new(1 << 20);
    mp_err e = write_all(s, page_of(s, store, stores, a), out_path, o, a, text, json);
    mp_arena_free(a);
    mp_stores_close(s);
    return e;
}
