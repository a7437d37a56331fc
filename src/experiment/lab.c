/* lab.c - rows of studies for experiments, and the rounds in which they are run. Measurements are in measure.c.
 * SPDX-License-Identifier: MIT */
#include "experiment/lab_own.h"

#include "base/crew.h"
#include "base/halt.h"
#include "data/known.h"
#include "data/load.h"
#include "model/model.h"
#include "study/estimate.h"
#include "study/rounds.h"
#include "train/once.h"
#include "train/preset.h"

#include <math.h>
#include <string.h>

#define QUICK_EPOCHS 200 /* at most, where training ends by patience; settings of an experiment may say otherwise */

const mp_experiment *mp_experiment_find(const char *name)
{
    for (const mp_experiment *x = mp_experiments; x->name; x++)
        if (strcmp(x->name, name) == 0) return x;
    return NULL;
}

mp_lab *mp_lab_new(const mp_lab_options *o, mp_arena *a)
{
    mp_lab *lab = MP_NEW(a, mp_lab, 1);
    lab->o = *o;
    lab->arena = a;
    for (int i = 0; i < 2; i++)
        lab->study[i] = (mp_study){ .arena = a,
                                    .store_path = o->store_path,
                                    .command = o->command,
                                    .jobs = o->jobs,
                                    .threads = o->threads,
                                    .group = o->group,
                                    .lanes = o->lanes,
                                    .part = o->part,
                                    .keep_models = i == 1,
                                    .listener = o->listener };
    return lab;
}

mp_arena *mp_lab_arena(const mp_lab *lab)
{
    return lab->arena;
}

bool mp_lab_quick(const mp_lab *lab)
{
    return lab->o.quick;
}

bool mp_lab_still(const mp_lab *lab)
{
    return lab->o.still && !lab->o.plan;
}

bool mp_lab_plans(const mp_lab *lab)
{
    return lab->o.plan;
}

static const char *const *split(const char *list, mp_arena *a, int *n)
{
    mp_span rest = mp_span_of(list), word;
    const char **out = MP_NEW(a, const char *, strlen(list) / 2 + 2);
    *n = 0;
    while (mp_next_field(&rest, ',', &word))
        if (word.n) out[(*n)++] = mp_arena_text(a, word.p, word.n);
    return out;
}

const char *const *mp_lab_sets(const mp_lab *lab, const char *full, const char *quick, int *n)
{
    return split(lab->o.datasets ? lab->o.datasets : lab->o.quick ? quick : full, lab->arena, n);
}

const char *const *mp_lab_pools(const mp_lab *lab, const char *full, const char *quick, int *n)
{
    return split(lab->o.pools ? lab->o.pools : lab->o.quick ? quick : full, lab->arena, n);
}

int mp_lab_seeds(const mp_lab *lab, int full, int quick)
{
    return lab->o.seeds ? lab->o.seeds : lab->o.quick ? quick : full;
}

mp_ask mp_ask_mid(const mp_lab *lab, mp_ask ask)
{
    ask.grid = lab->o.grid;
    const char *mid = mp_preset_find("mid")->settings;
    if (ask.grid == MP_GRID_NONE)
        ask.settings = ask.settings ? mp_arena_printf(lab->arena, "%s %s", ask.settings, mid) : mid;
    return ask;
}

const char *mp_lab_title(const char *pool)
{
    const mp_pool_op *op = mp_pool_find(pool);
    const mp_baseline *baseline = mp_baseline_find(pool);
    return op ? op->title : baseline ? baseline->title : pool;
}

/* ---- data sets ---- */

/* Once for each experiment: what was left out, and what is odd about the data. */
static void note(mp_lab *lab, const char *line)
{
    for (int i = 0; i < lab->notes; i++)
        if (strcmp(lab->note[i], line) == 0) return;
    if (lab->notes == lab->notes_room) {
        lab->notes_room = mp_room(lab->notes_room, (int64_t)lab->notes + 1, 16, "notes");
        MP_MORE(lab->arena, lab->note, lab->notes, lab->notes_room);
    }
    lab->note[lab->notes++] = line;
}

static void note_caveat(mp_lab *lab, const mp_dataset *d)
{
    const mp_known *k = mp_known_find(d->name);
    if (k && k->caveat) note(lab, mp_arena_printf(lab->arena, "%s: %s.", d->name, k->caveat));
    if (k && k->columns && k->columns != d->x.cols)
        note(lab, mp_arena_printf(lab->arena, "%s: %d feature columns instead of %d: %s.", d->name, d->x.cols,
                                  k->columns, k->note ? k->note : k->source));
}

static mp_err find_set(mp_lab *lab, const char *name, mp_lab_set **out)
{
    for (int i = 0; i < lab->sets; i++)
        if (strcmp(lab->set[i]->variants.name, name) == 0) {
            *out = lab->set[i];
            return MP_OK;
        }
    if (lab->sets == MP_LAB_SETS) return mp_fail(MP_ERR_LIMIT, "more than %d data sets", MP_LAB_SETS);
    mp_lab_set *s = MP_NEW(lab->arena, mp_lab_set, 1);
    s->variants = (mp_variants){ .name = name, .data_dir = lab->o.data_dir, .columns = { .labelled = true } };
    lab->set[lab->sets++] = *out = s;
    mp_config plain;
    mp_dataset *d;
    mp_config_init(&plain);
    mp_err e = mp_variant_of(&s->variants, &plain, lab->arena, &d, NULL);
    if (e == MP_OK)
        return mp_folds_load(d, NULL, lab->o.folds ? lab->o.folds : lab->o.quick ? 3 : 0, lab->arena, &s->folds);
    if (lab->o.datasets || (e != MP_ERR_IO && e != MP_ERR_INPUT && e != MP_ERR_USAGE)) return e;
    const char *why = mp_message();
    s->absent = mp_arena_text(lab->arena, why, strlen(why));
    return MP_OK;
}

/* ---- rows ---- */

static mp_err configure(const mp_lab *lab, const mp_ask *ask, const mp_dataset *d, mp_config *c)
{
    const char *const *presets, *preset = ask->preset;
    bool has = false;
    for (const mp_method_preset *p = mp_config_presets(ask->pool); preset && p && p->name; p++)
        has = has || strcmp(p->name, preset) == 0;
    if (preset && !has && !mp_preset_find(preset)) preset = NULL; /* of this method there is none: its defaults */
    MP_TRY(mp_presets_for(d, ask->pool, preset, lab->arena, &presets));
    mp_config_init(c);
    for (; *presets; presets++) MP_TRY(mp_conf_set_all(mp_config_table, c, *presets, "preset"));
    if (lab->o.quick && c->patience > 0 && c->epochs > QUICK_EPOCHS) c->epochs = QUICK_EPOCHS;
    if (ask->settings) MP_TRY(mp_conf_set_all(mp_config_table, c, ask->settings, "settings"));
    memset(c->pool, 0, sizeof c->pool);
    return mp_conf_set(mp_config_table, c, "pool", ask->pool, "--pools");
}

static bool same_ask(const mp_ask *a, const mp_ask *b)
{
    const char *const x[] = { a->dataset, a->pool, a->preset, a->settings };
    const char *const y[] = { b->dataset, b->pool, b->preset, b->settings };
    for (int i = 0; i < 4; i++)
        if (strcmp(x[i] ? x[i] : "", y[i] ? y[i] : "") != 0) return false;
    return a->grid == b->grid && a->seeds == b->seeds && a->models == b->models;
}

/* Reasons that lie in the data or in the machine leave the row out; others are mistakes of the experiment. */
static mp_err left_out(mp_lab *lab, const mp_ask *ask, mp_err e, mp_lab_row_own *row)
{
    if (e == MP_OK || (e != MP_ERR_LIMIT && e != MP_ERR_INPUT && e != MP_ERR_USAGE)) return e;
    row->why = mp_arena_printf(lab->arena, "Left out: %s on %s: %s.", ask->pool, ask->dataset, mp_message());
    return MP_OK;
}

static mp_err add_row(mp_lab *lab, mp_lab_set *set, mp_lab_row_own *row)
{
    const mp_ask *ask = &row->ask;
    mp_study *s = &lab->study[ask->models];
    mp_config c;
    mp_dataset *d;
    bool added;
    mp_config_init(&c);
    MP_TRY(mp_variant_of(&set->variants, &c, lab->arena, &d, NULL));
    MP_TRY(configure(lab, ask, d, &c));
    MP_TRY(mp_variant_of(&set->variants, &c, lab->arena, &d, NULL));
    s->seeds = ask->seeds;
    if (!lab->o.still) MP_TRY(mp_study_fits(s, d, &set->folds, &c, ask->grid));
    MP_TRY(mp_study_place(s, d, &set->folds, &c, ask->grid, &row->place, &added));
    lab->fresh[ask->models] += added;
    return MP_OK;
}

static mp_err new_row(mp_lab *lab, const mp_ask *ask, mp_lab_row_own **out)
{
    mp_lab_set *set;
    MP_TRY(find_set(lab, ask->dataset, &set));
    if (lab->rows == lab->rows_room) {
        lab->rows_room = mp_room(lab->rows_room, (int64_t)lab->rows + 1, 64, "rows");
        MP_MORE(lab->arena, lab->row, lab->rows, lab->rows_room);
    }
    mp_lab_row_own *row = *out = &lab->row[lab->rows++];
    *row = (mp_lab_row_own){ .ask = *ask, .place = -1 };
    const char **text[] = { &row->ask.dataset, &row->ask.pool, &row->ask.preset, &row->ask.settings };
    for (int i = 0; i < 4; i++)
        if (*text[i]) *text[i] = mp_arena_text(lab->arena, *text[i], strlen(*text[i]));
    if (set->absent) {
        row->why = mp_arena_printf(lab->arena, "Left out: %s: %s.", ask->dataset, set->absent);
        return MP_OK;
    }
    return left_out(lab, ask, add_row(lab, set, row), row);
}

static int finished(const mp_lab *lab, int row)
{
    int n = 0;
    for (int i = 0; i < mp_lab_runs(lab, row); i++) n += mp_lab_run_at(lab, row, i).result != NULL;
    return n;
}

mp_err mp_lab_row(mp_lab *lab, const mp_ask *given, int *row)
{
    mp_ask ask = *given;
    mp_lab_row_own *own = NULL;
    if (ask.seeds == 0) ask.seeds = mp_lab_seeds(lab, 10, 1);
    for (int i = 0; i < lab->rows && !own; i++)
        if (same_ask(&lab->row[i].ask, &ask)) own = &lab->row[i];
    if (!own) MP_TRY(new_row(lab, &ask, &own));
    if (own->why) note(lab, own->why);
    *row = own->place < 0 ? -1 : (int)(own - lab->row);
    if (finished(lab, *row)) note_caveat(lab, mp_lab_study_row(lab, *row)->data);
    return MP_OK;
}

static mp_err untrained(mp_lab *lab, mp_lab_set *set, const mp_ask *ask, mp_cv_run *out)
{
    mp_config c;
    mp_dataset *d;
    mp_config_init(&c);
    MP_TRY(mp_variant_of(&set->variants, &c, lab->arena, &d, NULL));
    MP_TRY(configure(lab, ask, d, &c));
    MP_TRY(mp_config_check(&c));
    MP_TRY(mp_variant_of(&set->variants, &c, lab->arena, &d, NULL));
    const mp_split *first = &set->folds.split[0];
    *out = (mp_cv_run){ .key = mp_run_key_of(d, &set->folds, first, &c), .data = d, .split = first };
    return MP_OK;
}

mp_err mp_lab_untrained(mp_lab *lab, const mp_ask *ask, mp_cv_run *out)
{
    mp_lab_set *set;
    mp_lab_row_own row = { .why = NULL };
    *out = (mp_cv_run){ .data = NULL };
    MP_TRY(find_set(lab, ask->dataset, &set));
    if (set->absent)
        row.why = mp_arena_printf(lab->arena, "Left out: %s: %s.", ask->dataset, set->absent);
    else
        MP_TRY(left_out(lab, ask, untrained(lab, set, ask, out), &row));
    if (row.why) note(lab, row.why);
    return MP_OK;
}

const mp_study_row *mp_lab_study_row(const mp_lab *lab, int row)
{
    mp_assert(row >= 0 && row < lab->rows);
    return &lab->study[lab->row[row].ask.models].row[lab->row[row].place];
}

mp_err mp_lab_choose(const mp_lab *lab, int row, mp_select mode, mp_choice *out)
{
    *out = (mp_choice){ .mode = mode, .test.mean = (double)NAN, .large.mean = (double)NAN };
    if (row < 0) return MP_OK;
    return mp_study_choose(&lab->study[lab->row[row].ask.models], mp_lab_study_row(lab, row), mode, out);
}

int mp_lab_runs(const mp_lab *lab, int row)
{
    return row < 0 ? 0 : mp_lab_study_row(lab, row)->runs;
}

mp_lab_run mp_lab_run_at(const mp_lab *lab, int row, int i)
{
    const mp_study *s = &lab->study[lab->row[row].ask.models];
    const mp_study_row *r = mp_lab_study_row(lab, row);
    return (mp_lab_run){ &s->plan.run[r->trial[i].place], mp_study_result(s, r, i) };
}

const double *mp_lab_values(mp_lab *lab, int row, const mp_choice *c, int *n)
{
    double *v = MP_NEW(lab->arena, double, mp_lab_runs(lab, row) + 1);
    *n = 0;
    if (row < 0 || isnan(c->test.mean)) return v;
    const mp_study_row *r = mp_lab_study_row(lab, row);
    int folds = r->folds->count, seeds = c->grid.seeds;
    for (int s = 0; s < seeds; s++)
        for (int f = 0; f < folds; f++) {
            int point = mp_choice_at(c, s, f), seed = c->grid.seed[s] - r->config.seed;
            if (point == MP_NO_POINT) continue;
            mp_lab_run run = mp_lab_run_at(lab, row, (point * r->seeds + seed) * folds + f);
            if (run.result) v[(*n)++] = run.result->test_metric;
        }
    return v;
}

/* ---- rounds ---- */

/* With the methods that the user chose: of a page made of several calls each section has a name of its own. */
static const char *title_of(const mp_lab *lab, const mp_experiment *x)
{
    int n;
    const char *title = x->title;
    if (!lab->o.pools) return title;
    const char *const *pool = mp_lab_pools(lab, NULL, NULL, &n);
    for (int i = 0; i < n; i++)
        title = mp_arena_printf(lab->arena, "%s%s%s", title, i ? ", " : ": ", mp_lab_title(pool[i]));
    return title;
}

static mp_err call_all(mp_lab *lab, const mp_experiment *const *x, int n, mp_section *out)
{
    for (int i = 0; i < n; i++) {
        out[i] = (mp_section){ .arena = lab->arena, .name = x[i]->name, .title = title_of(lab, x[i]) };
        lab->notes = 0;
        MP_TRY(x[i]->make(lab, &out[i]));
        for (int k = 0; k < lab->notes; k++) mp_section_note(&out[i], "%s", lab->note[k]);
    }
    return MP_OK;
}

static mp_err run_studies(mp_lab *lab)
{
    for (int i = 1; i >= 0; i--) { /* runs whose models are kept come first: the other study finds them */
        if (!lab->fresh[i]) continue;
        lab->fresh[i] = 0;
        if (lab->o.still) {
            MP_TRY(mp_study_read(&lab->study[i]));
            continue;
        }
        MP_TRY(mp_study_prepare(&lab->study[i]));
        mp_listener_line(&lab->o.listener, "%d runs, %d side by side, kept in %s", lab->study[i].plan.count,
                         lab->o.jobs, lab->o.store_path);
        MP_TRY(mp_study_run(&lab->study[i]));
    }
    return MP_OK;
}

mp_err mp_lab_make(mp_lab *lab, const mp_experiment *const *x, int n, mp_section *out)
{
    for (;;) {
        MP_TRY(call_all(lab, x, n, out));
        if (!lab->fresh[0] && !lab->fresh[1] && !lab->fresh_measures) return MP_OK;
        MP_TRY(run_studies(lab));
        MP_TRY(mp_lab_measure_all(lab));
    }
}

/* What is asked once all of this is there depends on the results. */
void mp_lab_tell_part(const mp_lab *lab, mp_buf *out)
{
    int share = 0, there = 0;
    for (int i = 0; i < lab->measures; i++) {
        share += mp_lab_measure_is_ours(lab, &lab->measure[i]);
        there += mp_lab_measure_is_ours(lab, &lab->measure[i]) && lab->measure[i].value;
    }
    mp_buf_printf(out, "Part %d/%d, what is known to be needed so far; in %s:\n", lab->o.part.i, lab->o.part.n,
                  lab->o.store_path);
    for (int i = 0; i < 2; i++) {
        const mp_study *s = &lab->study[i];
        if (s->plan.count)
            mp_buf_printf(out, "  %d of %d runs%s are its share, %d of them are there\n", s->share.count, s->plan.count,
                          i ? " whose models are kept" : "", s->count.known + s->count.done);
    }
    if (lab->measures)
        mp_buf_printf(out, "  %d of %d measurements are its share, %d of them are there\n", share, lab->measures,
                      there);
    mp_buf_puts(out,
                "When all parts are done: midpool merge ALL.db PART.db ..., then this command without --part, with "
                "--store ALL.db: it goes on with what depends on these results, and makes the tables.\n");
}

/* ---- the plan ---- */

static void add_estimate(const mp_lab_row_own *row, const mp_estimate *e, mp_table *t)
{
    mp_table_add(t, "%s", row->ask.dataset);
    mp_table_add(t, "%s%s", row->ask.pool, row->ask.grid != MP_GRID_NONE ? " + MID" : "");
    mp_table_add(t, "%s", row->ask.settings ? row->ask.settings : "-");
    mp_table_add(t, "%d", (int)e->runs);
    mp_table_add(t, "%d", e->there);
    mp_table_add(t, "%d", e->epochs);
    mp_table_add(t, "%.3f", e->seconds);
    mp_table_add(t, "%.1f", e->minutes);
}

/* An estimate takes epochs where no run of the row is there. */
static bool takes_epochs(const mp_study *s, const mp_study_row *row)
{
    for (int i = 0; i < row->runs; i++)
        if (mp_study_result(s, row, i)) return false;
    return mp_study_all_runs(row) > 0;
}

/* Rows that have runs, until somebody presses Ctrl-C: how many there are, and how many of them were looked at. */
static mp_err add_estimates(mp_lab *lab, mp_table *t, double *minutes, int *rows, int *done)
{
    *rows = *done = 0;
    for (int i = 0; i < lab->rows; i++) *rows += lab->row[i].place >= 0;
    for (int i = 0; i < lab->rows && !*mp_halt_asked(); i++) {
        const mp_lab_row_own *own = &lab->row[i];
        const mp_study *s = &lab->study[own->ask.models];
        mp_estimate e;
        if (own->place < 0) continue;
        const mp_study_row *row = mp_lab_study_row(lab, i);
        if (takes_epochs(s, row))
            mp_listener_now(&lab->o.listener, "timing two epochs of row %d of %d; Ctrl-C shows the rows up to this one",
                            *done + 1, *rows);
        MP_TRY(mp_study_estimate(s, row, &e));
        *minutes += e.minutes;
        add_estimate(own, &e, t);
        ++*done;
    }
    return MP_OK;
}

mp_err mp_lab_plan(mp_lab *lab, const mp_experiment *const *x, int n, mp_section *out)
{
    static const char *const header[] = { "data set", "model",      "settings",      "runs", "there",
                                          "epochs",   "s an epoch", "minutes to go", NULL };
    mp_table t;
    double all = 0;
    int rows, done;
    mp_halt halt;
    mp_section *unused = MP_NEW(lab->arena, mp_section, n);
    MP_TRY(call_all(lab, x, n, unused));
    for (int i = 0; i < 2; i++) MP_TRY(mp_study_read(&lab->study[i]));
    mp_table_init(&t, lab->arena, NULL, header);
    mp_halt_begin(&halt, false);
    mp_err e = add_estimates(lab, &t, &all, &rows, &done);
    mp_halt_end(&halt);
    MP_TRY(e);
    mp_listener_end(&lab->o.listener);
    *out = (mp_section){ .arena = lab->arena, .name = "plan", .title = "What has to be run" };
    mp_section_table(out, &t);
    if (done < rows) mp_section_para(out, "%d of %d rows were not looked at: stopped before.", rows - done, rows);
    mp_section_para(
        out,
        "About %.0f minutes with %d runs side by side, %d measurements not counted. Seconds an epoch are those of "
        "finished runs, else of two epochs of the widest setting; epochs likewise, else twice the patience and 20.",
        all, lab->o.jobs, lab->measures);
    return MP_OK;
}
