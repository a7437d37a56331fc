/* study_print.c - see study_print.h.
 * SPDX-License-Identifier: MIT */
#include "cli/study_print.h"
#include "base/json.h"
#include "baseline/baseline.h"
#include "cli/setup.h"
#include "pool/pool.h"
#include "report/paper.h"
#include "report/report.h"
#include "report/score.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_mid(const mp_study_row *row)
{
    return row->points.grid == MP_GRID_CODE || row->points.grid == MP_GRID_PAPER || row->config.score_dim > 1 ||
           row->config.flip || row->config.drop > 0;
}

/* What all points of a list have of MID. */
static void list_name(const mp_study_row *row, char *out, size_t n)
{
    bool flip = true, plain = true;
    for (int i = 0; i < row->points.count; i++) {
        const mp_config *c = &row->points.at[i];
        flip = flip && c->flip;
        plain = plain && !c->flip && c->score_dim == 1 && c->drop == 0;
    }
    mp_format(out, n, "%s, %d points", flip ? " + MID" : plain ? "" : " with or without MID", row->points.count);
}

void mp_study_row_name(const mp_study_row *row, char *out, size_t n)
{
    const mp_pool_op *op = mp_pool_find(row->config.pool);
    const mp_baseline *baseline = mp_baseline_find(row->config.pool);
    const char *title = op ? op->title : baseline ? baseline->title : row->config.pool;
    static const char *const grid[] = { "", ", grid of the code", ", grid of the paper" };
    char mid[64] = "";
    if (row->points.grid == MP_GRID_CODE || row->points.grid == MP_GRID_PAPER)
        snprintf(mid, sizeof mid, " + MID%s", grid[row->points.grid]);
    else if (row->points.grid == MP_GRID_LIST)
        list_name(row, mid, sizeof mid);
    else if (is_mid(row))
        mp_format(mid, sizeof mid, "%s (h %d, drop %g%s)", row->config.flip ? " + MID" : "", row->config.score_dim,
                  row->config.drop, row->config.flip ? "" : ", no flip");
    snprintf(out, n, "%s%s%s%s", title, mid, row->label ? ", " : "", row->label ? row->label : "");
}

static mp_paper_cell paper_cell(const mp_study_row *row, bool large)
{
    if (!mp_paper_measures(row->data->name, mp_study_metric(row))) return (mp_paper_cell){ 0 };
    return mp_paper_find(row->data->name, row->config.pool, is_mid(row), large);
}

static bool chosen(const mp_study_row *row)
{
    return row->points.count > 1;
}

static mp_err add_row(const mp_study *s, const mp_study_row *row, mp_select mode, bool with_metric, mp_table *t)
{
    const mp_metric *m = mp_study_metric(row);
    const char *metric = with_metric ? mp_score_unit(m, s->arena) : "-";
    mp_choice ours, greedy;
    char name[160];
    MP_TRY(mp_study_choose(s, row, mode, &ours));
    MP_TRY(mp_study_choose(s, row, MP_SELECT_PAPER, &greedy));
    mp_study_row_name(row, name, sizeof name);
    bool several = !isnan(ours.large.mean) || !isnan(ours.large_c.mean); /* which of its tests */
    mp_table_add(t, "%s%s", row->data->name, several ? " test-origin" : "");
    mp_table_add(t, "%s", name);
    mp_score_cell(t, m, &ours.test);
    mp_table_add(t, "%s", metric);
    mp_paper_add(t, paper_cell(row, false));
    mp_score_cell(t, m, chosen(row) ? &greedy.test : NULL);
    mp_score_number(t, m, chosen(row) ? greedy.test.mean - ours.test.mean : (double)NAN, true);
    mp_score_number(t, m, isnan(ours.test.mean) ? (double)NAN : ours.test.std_folds, false);
    mp_table_add(t, "%d of %d", ours.runs, ours.runs + ours.missing);
    const mp_score *further[] = { &ours.large, &ours.large_c }; /* the paper has the first */
    for (int i = 0; i < 2; i++) {
        if (isnan(further[i]->mean)) continue;
        mp_table_add(t, "%s %s", row->data->name, i ? "test-large-C" : "test-large");
        mp_table_add(t, "%s", name);
        mp_score_cell(t, m, further[i]);
        mp_table_add(t, "%s", metric);
        mp_paper_add(t, i ? (mp_paper_cell){ 0 } : paper_cell(row, true));
        for (int k = 0; k < 3; k++) mp_table_add(t, "-");
        mp_table_add(t, "%d of %d", ours.runs, ours.runs + ours.missing);
    }
    return MP_OK;
}

/* The metric of all rows; NULL: they have several. */
static const mp_metric *shared_metric(const mp_study *s)
{
    const mp_metric *m = s->rows ? mp_study_metric(&s->row[0]) : mp_metric_of("accuracy");
    for (int i = 1; i < s->rows; i++)
        if (strcmp(mp_study_metric(&s->row[i])->title, m->title) != 0) return NULL;
    return m;
}

/* Of a part only rows are shown whose runs are all there: fewer runs are no result of the study. */
static bool shown(const mp_study *s, const mp_study_row *row)
{
    return s->part.n == 0 || mp_study_whole(s, row);
}

static void print_part(const mp_study *s, mp_buf *out)
{
    int left_out = 0;
    for (int i = 0; i < s->rows; i++) left_out += !shown(s, &s->row[i]);
    mp_buf_printf(out, "Part %d/%d: %d of %d runs are its share, %d of them are in %s.\n", s->part.i, s->part.n,
                  s->share.count, s->plan.count, s->count.known + s->count.done, s->store_path);
    if (left_out)
        mp_buf_printf(
            out,
            "%d of %d rows lack runs of other parts and are not shown. When all parts are done: midpool merge "
            "ALL.db PART.db ..., then this command without --part, with --store ALL.db.\n",
            left_out, s->rows);
}

/* Who took a point: seeds, or seeds with folds. */
static int put_takers(const mp_choice *c, int point, mp_buf *out)
{
    enum { MOST = 20 };
    bool by_fold = c->mode == MP_SELECT_NESTED;
    int n = 0;
    for (int s = 0; s < c->grid.seeds; s++) {
        bool named = false;
        for (int f = 0; f < (by_fold ? c->grid.folds : 1); f++) {
            if (mp_choice_at(c, s, f) != point || n++ >= MOST) continue;
            if (!named) mp_buf_printf(out, "%s %d", n == 1 ? "seed" : by_fold ? "; seed" : ",", c->grid.seed[s]);
            if (by_fold) mp_buf_printf(out, "%s %d", named ? "," : ": fold", f + 1);
            named = true;
        }
    }
    if (n > MOST) mp_buf_printf(out, " and %d more", n - MOST);
    return n;
}

/* The points that were chosen, in their order. */
static mp_err put_chosen(const mp_study *s, const mp_study_row *row, mp_select mode, mp_buf *out)
{
    mp_choice c;
    char name[160];
    if (!chosen(row)) return MP_OK;
    MP_TRY(mp_study_choose(s, row, mode, &c));
    if (!c.chosen) return MP_OK;
    mp_study_row_name(row, name, sizeof name);
    mp_buf_printf(out, "\n%s, %s: chosen\n", row->data->name, name);
    for (int p = 0; p < row->points.count; p++) {
        mp_buf who = { 0 };
        if (put_takers(&c, p, &who)) mp_buf_printf(out, "  %s (%s)\n", mp_point_name(&row->points, p, s->arena), who.p);
        mp_buf_free(&who);
    }
    return MP_OK;
}

static mp_err put_points(const mp_study *s, const mp_study_row *row, mp_select mode, mp_table *t)
{
    const mp_metric *m = mp_study_metric(row);
    mp_point_seen *seen = MP_NEW(s->arena, mp_point_seen, row->points.count);
    mp_choice_set set = mp_study_set(s, row);
    mp_choice c;
    char name[160];
    MP_TRY(mp_study_choose(s, row, mode, &c));
    if (!c.chosen) return MP_OK;
    MP_TRY(mp_choice_seen(&set, &c, s->arena, seen));
    mp_study_row_name(row, name, sizeof name);
    for (int p = 0; p < row->points.count; p++) {
        mp_table_add(t, "%s", row->data->name);
        mp_table_add(t, "%s", name);
        mp_table_add(t, "%d", p + 1);
        mp_table_add(t, "%s", mp_point_name(&row->points, p, s->arena));
        mp_score_number(t, m, seen[p].metric, false);
        mp_table_add(t, isnan(seen[p].loss) ? "-" : "%.4f", seen[p].loss);
        mp_table_add(t, seen[p].chosen ? "%d" : "-", seen[p].chosen);
        if (seen[p].rung < row->rungs - 1 && !isnan(seen[p].loss))
            mp_table_add(t, "after %d epochs", row->rung[seen[p].rung]);
        else
            mp_table_add(t, "-");
    }
    return MP_OK;
}

mp_err mp_study_print_points(const mp_study *s, mp_select mode, mp_buf *out)
{
    static const char *const header[] = { "data set",        "model",  "point",   "settings", "validation",
                                          "validation loss", "chosen", "stopped", NULL };
    mp_table t, without;
    mp_table_init(&t, s->arena, NULL, header);
    for (int i = 0; i < s->rows; i++)
        if (chosen(&s->row[i]) && shown(s, &s->row[i])) MP_TRY(put_points(s, &s->row[i], mode, &t));
    if (mp_table_rows(&t) == 0) return MP_OK;
    mp_table_without_empty(&t, 4, &without);
    mp_buf_puts(out, "\nPoints, by what the choice sees: means over seeds and folds.\n");
    mp_table_print(&without, out);
    return MP_OK;
}

static mp_err print_rows(const mp_study *s, mp_select mode, mp_buf *out)
{
    const mp_metric *one = shared_metric(s);
    const char *test = one ? mp_arena_printf(s->arena, "test %s%s", one->title, one->percent ? " %" : "") : "test";
    const char *header[] = { "data set",     "model", test,           "metric", "paper",
                             "best on test", "gap",   "std of folds", "runs",   NULL };
    mp_table t, without;
    bool choice = false;
    mp_table_init(&t, s->arena, NULL, header);
    for (int i = 0; i < s->rows; i++) {
        if (!shown(s, &s->row[i])) continue;
        MP_TRY(add_row(s, &s->row[i], mode, !one, &t));
        choice = choice || chosen(&s->row[i]);
    }
    if (s->part.n && mp_table_rows(&t) == 0) return MP_OK;
    mp_table_without_empty(&t, 3, &without);
    mp_table_print(&without, out);
    for (int i = 0; i < s->rows; i++)
        if (shown(s, &s->row[i])) MP_TRY(put_chosen(s, &s->row[i], mode, out));
    mp_buf_printf(out, "\nTest %s: mean ± population std over %d seed%s of the mean over folds.\n",
                  one ? mp_score_unit(one, s->arena) : "metric, shares in percent", s->seeds, mp_plural(s->seeds));
    if (choice && mode == MP_SELECT_NESTED)
        mp_buf_puts(
            out, "Points were chosen by inner splits of the training part, for each seed and fold (rule 'nested').\n");
    else if (choice)
        mp_buf_printf(out,
                      "Points were chosen by the rule '%s'.\n\"best on test\" is what choosing by the test graphs "
                      "would have given, as the published script does; the gap is what that would have gained.\n",
                      mp_select_name[mode]);
    mp_buf_puts(out, "\"paper\" is the paper's table, at its own settings.\n");
    return MP_OK;
}

mp_err mp_study_print(const mp_study *s, mp_select mode, mp_buf *out)
{
    MP_TRY(print_rows(s, mode, out));
    if (s->part.n) print_part(s, out);
    return MP_OK;
}

/* ---- JSON ---- */

static mp_err put_summary(const mp_study *s, const mp_study_row *row, mp_buf *b)
{
    mp_json_key(b, "summary");
    mp_json_open(b, '{');
    for (int mode = 0; mode < MP_SELECT_MODES; mode++) {
        mp_choice c;
        if (!mp_select_fits((mp_select)mode, &row->rule)) continue;
        MP_TRY(mp_study_choose(s, row, (mp_select)mode, &c));
        mp_json_key(b, mp_select_name[mode]);
        mp_choice_json(&c, &row->points, b);
    }
    mp_json_close(b, '}');
    return MP_OK;
}

static void put_config(const mp_config *c, mp_buf *b)
{
    mp_json_key(b, "config");
    mp_config_to_full_json(c, b);
}

static mp_err put_study(const mp_study *s, const mp_study_row *row, mp_select mode, mp_buf *b)
{
    mp_paper_cell paper = paper_cell(row, false);
    char name[160];
    mp_study_row_name(row, name, sizeof name);
    mp_json_open(b, '{');
    mp_json_add_text(b, "dataset", row->data->name);
    mp_json_add_text(b, "model", name);
    mp_json_add_text(b, "pool", row->config.pool);
    mp_json_add_bool(b, "mid", is_mid(row));
    mp_json_add_text(b, "folds", row->folds->about);
    mp_json_add_text(b, "task", row->data->task->name);
    mp_json_add_text(b, "metric", mp_study_metric(row)->name);
    mp_json_add_real(b, "paper", paper.mean > 0 ? paper.mean / 100 : (double)NAN);
    mp_json_add_real(b, "paper_std", paper.mean > 0 ? paper.std / 100 : (double)NAN);
    put_config(&row->config, b);
    MP_TRY(put_summary(s, row, b));
    mp_choice c;
    mp_choice_set set = mp_study_set(s, row);
    MP_TRY(mp_study_choose(s, row, mode, &c));
    MP_TRY(mp_points_json(&set, &c, &row->points, row->rung, s->arena, b));
    mp_json_close(b, '}');
    return MP_OK;
}

static void put_runs(const mp_study *s, mp_buf *b)
{
    mp_json_key(b, "runs");
    mp_json_open(b, '[');
    for (int i = 0; i < s->plan.count; i++) {
        if (s->result[i].curve_len < 0) continue;
        mp_json_open(b, '{');
        mp_setup_result_json(&s->plan.run[i].key, &s->result[i], b);
        put_config(&s->plan.run[i].key.config, b);
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
}

static void put_swept(const mp_study *s, mp_buf *b)
{
    if (!s->swept) return;
    mp_json_key(b, "swept");
    mp_json_open(b, '[');
    for (int i = 0; s->swept[i]; i++) mp_json_put_text(b, s->swept[i]);
    mp_json_close(b, ']');
}

static void put_part(const mp_study *s, mp_buf *b)
{
    mp_json_key(b, "part");
    mp_json_open(b, '{');
    mp_json_add_int(b, "i", s->part.i);
    mp_json_add_int(b, "n", s->part.n);
    mp_json_add_int(b, "runs", s->share.count);
    mp_json_add_int(b, "there", s->count.known + s->count.done);
    mp_json_add_int(b, "of", s->plan.count);
    mp_json_close(b, '}');
}

mp_err mp_study_json(const mp_study *s, mp_select mode, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_text(b, "store", s->store_path);
    mp_json_add_text(b, "select", mp_select_name[mode]);
    put_swept(s, b);
    if (s->part.n) put_part(s, b);
    put_runs(s, b);
    mp_json_key(b, "studies");
    mp_json_open(b, '[');
    for (int i = 0; i < s->rows; i++)
        if (shown(s, &s->row[i])) MP_TRY(put_study(s, &s->row[i], mode, b));
    mp_json_close(b, ']');
    if (s->rows == 1 && shown(s, &s->row[0])) MP_TRY(put_summary(s, &s->row[0], b));
    mp_json_add_int(b, "failed", s->count.failed);
    mp_json_close(b, '}');
    mp_buf_puts(b, "\n");
    return MP_OK;
}
