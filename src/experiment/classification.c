/* classification.c - the main table: every method on every data set, chosen honestly, chosen as the paper's script does, and the
 * gap between the two.
 * SPDX-License-Identifier: MIT */
#include "experiment/board.h"
#include "experiment/figures.h"
#include "experiment/make.h"
#include "report/score.h"
#include "study/compare.h"

#include <math.h>
#include <string.h>

#define BACKBONES "sag,topk,asap,gsa"
#define BASELINES "set2set,sort,diff,edge,mincut,haar,mem,gmt"
#define OTHERS    "att,hgpsl,vip,rep,ug,cgi,tap,ipool"

/* ---------------------------------------------------------------- all cells */

/* "h 5, drop 0.1 (7 of 10 seeds)": what was chosen, the most frequent first. */
static const char *chosen_text(const mp_board_cell *c, mp_arena *a)
{
    mp_buf b = { 0 };
    for (int most = c->honest.grid.seeds; c->chosen && most > 0; most--)
        for (int p = 0; p < c->honest.grid.points; p++) {
            int n = 0;
            for (int s = 0; s < c->honest.grid.seeds; s++) n += mp_choice_at(&c->honest, s, 0) == p;
            if (n == most)
                mp_buf_printf(&b, "%s%d/%g x%d", b.n ? ", " : "", c->point[p].score_dim, c->point[p].drop, n);
        }
    const char *text = b.n ? mp_arena_text(a, b.p, b.n) : "-";
    mp_buf_free(&b);
    return text;
}

static void add_cell(mp_table *t, const mp_board *b, int set, int method, const mp_board_pair *pair, mp_arena *a)
{
    const mp_board_cell *c = mp_board_at(b, set, method);
    if (isnan(c->honest.test.mean)) return;
    mp_table_add(t, "%s", b->set[set]);
    mp_table_add(t, "%s", b->method[method].name);
    mp_score_cell(t, c->metric, &c->honest.test);
    mp_score_cell(t, c->metric, c->chosen ? &c->greedy.test : NULL);
    mp_score_number(t, c->metric, c->chosen ? c->greedy.test.mean - c->honest.test.mean : (double)NAN, true);
    mp_paper_add(t, c->paper);
    mp_score_number(t, c->metric, c->paper.mean > 0 ? c->greedy.test.mean - c->paper.mean / 100 : (double)NAN, true);
    mp_score_number(t, c->metric, pair->difference, true);
    mp_table_add(t, isnan(pair->adjusted) ? "-" : "%.3f", pair->adjusted);
    mp_table_add(t, "%s", chosen_text(c, a));
    mp_table_add(t, c->parameters ? "%d" : "-", c->parameters);
    mp_table_add(t, "%d x %d", c->honest.test.seeds, c->honest.test.folds);
    mp_table_add(t, c->honest.missing ? "%d" : "-", c->honest.missing);
}

static void show_cells(mp_section *out, const mp_board *b)
{
    static const char *const header[] = { "data set", "method", "test",     "chosen on test",
                                          "gap",      "paper",  "to paper", "MID - base",
                                          "p",        "h/drop", "weights",  "seeds x folds",
                                          "missing",  NULL };
    mp_table t, shown;
    const mp_board_pair *pair = mp_board_pairs(b, out->arena);
    mp_table_init(&t, out->arena, NULL, header);
    for (int s = 0; s < b->sets; s++)
        for (int m = 0; m < b->methods; m++) add_cell(&t, b, s, m, &pair[s * b->methods + m], out->arena);
    mp_table_without_empty(&t, 3, &shown);
    shown.lead = 3;
    if (!mp_table_rows(&t)) return;
    mp_section_heading(out, "Every cell");
    mp_section_table(out, &shown);
    mp_section_note(
        out,
        "\"test\": the setting of MID is chosen on validation for each seed. \"chosen on test\": for each seed the "
        "setting with the best test score, as the paper's released script does; the gap is what that gains. "
        "\"to paper\": ours, chosen in that way, less the paper's. \"p\": of MID against base, paired over folds "
        "and seeds with Nadeau and Bengio's correction, then Holm's over all pairs of the table. \"h/drop\": "
        "chosen settings and how many seeds chose them. \"missing\": runs that lack from seeds x folds x settings. "
        "A question mark: a number of the paper that looks like a "
        "slip.");
}

/* ---------------------------------------------------------------- a row a method */

static double value_of(const mp_board_cell *c, bool greedy)
{
    return greedy ? c->greedy.test.mean : c->honest.test.mean;
}

/* Chosen on test: nothing where nothing was chosen in the whole table. */
static const double *values(const mp_board *b, bool greedy, mp_arena *a)
{
    double *v = MP_NEW(a, double, b->sets * b->methods + 1);
    bool any = !greedy;
    for (int i = 0; i < b->sets * b->methods; i++) any = any || b->cell[i].chosen;
    for (int i = 0; i < b->sets * b->methods; i++) v[i] = any ? value_of(&b->cell[i], greedy) : (double)NAN;
    return v;
}

/* Of the cells that have a number of ours: ranks are among the same. */
static const double *paper_values(const mp_board *b, mp_arena *a)
{
    double *v = MP_NEW(a, double, b->sets * b->methods + 1);
    for (int i = 0; i < b->sets * b->methods; i++)
        v[i] = b->cell[i].paper.mean > 0 && !isnan(b->cell[i].honest.test.mean) ? b->cell[i].paper.mean : (double)NAN;
    return v;
}

/* Best and second best of a set have a mark. */
static void add_marked(mp_table *t, const mp_board_cell *c, double rank)
{
    if (isnan(c->honest.test.mean))
        mp_table_add(t, "-");
    else
        mp_table_add(t, "%.1f%s", 100 * c->honest.test.mean, rank == 1 ? " **" : rank == 2 ? " *" : "");
}

static void show_wide(mp_section *out, const mp_board *b)
{
    mp_arena *a = out->arena;
    const char **header = MP_NEW(a, const char *, b->sets + 5);
    const double *honest = values(b, false, a), *greedy = values(b, true, a), *paper = paper_values(b, a);
    double *rank[3], *place = MP_NEW(a, double, b->sets * b->methods + 1);
    const double *of[] = { honest, greedy, paper };
    mp_table t, shown;
    header[0] = "method";
    for (int s = 0; s < b->sets; s++) {
        header[1 + s] = b->set[s];
        mp_rank_values(honest + s * b->methods, b->methods, false, MP_TIES_BETTER, place + s * b->methods);
    }
    header[b->sets + 1] = "average rank";
    header[b->sets + 2] = "rank, chosen on test";
    header[b->sets + 3] = "rank, paper";
    for (int i = 0; i < 3; i++) {
        rank[i] = MP_NEW(a, double, b->methods + 1);
        mp_rank_average(of[i], b->sets, b->methods, false, MP_TIES_BETTER, a, rank[i]);
    }
    mp_table_init(&t, a, NULL, header);
    for (int m = 0; m < b->methods; m++) {
        bool any = false;
        for (int s = 0; s < b->sets; s++) any = any || !isnan(honest[s * b->methods + m]);
        if (!any) continue;
        mp_table_add(&t, "%s", b->method[m].name);
        for (int s = 0; s < b->sets; s++) add_marked(&t, mp_board_at(b, s, m), place[s * b->methods + m]);
        for (int i = 0; i < 3; i++) mp_table_add(&t, isnan(rank[i][m]) ? "-" : "%.1f", rank[i][m]);
    }
    mp_table_without_empty(&t, 1, &shown);
    if (!mp_table_rows(&t)) return;
    mp_section_table(out, &shown);
    mp_section_note(
        out, "Percent (molecules: ROC-AUC), chosen on validation; ** best, * second best of a data set. Ranks are over "
             "the data sets where a method has a number, among the methods of this table; the paper's from its "
             "printed numbers.");
    mp_friedman f = mp_compare_friedman(honest, b->sets, b->methods, false, a);
    if (f.sets > 1 && isfinite(f.p_f))
        mp_section_para(
            out,
            "Friedman's test that all methods are equally good, on the %d data sets where all have a number: p = "
            "%.3g. Average ranks that differ by less than %.1f cannot be told apart at 5 %% (Nemenyi).",
            f.sets, f.p_f, f.distance);
}

/* ---------------------------------------------------------------- charts */

static double *percent(const double *v, int n, mp_arena *a)
{
    double *out = MP_NEW(a, double, n + 1);
    for (int i = 0; i < n; i++) out[i] = 100 * v[i];
    return out;
}

static mp_svg_whisker whisker(const mp_board *b, int set, int method, bool greedy, mp_arena *a)
{
    const mp_board_cell *c = mp_board_at(b, set, method);
    const mp_score *score = greedy ? &c->greedy.test : &c->honest.test;
    bool mid = b->method[method].mid, as_published = greedy || !c->chosen;
    return (mp_svg_whisker){ .group = b->set[set],
                             .label = b->method[method].name,
                             .name = greedy ? "with MID, chosen on test"
                                     : mid  ? "with MID"
                                            : "base",
                             .colour = greedy ? "#8a8f98"
                                       : mid  ? "#c2571a"
                                              : "#2f6fb2",
                             .mean = 100 * score->mean,
                             .dev = 100 * score->std_seeds,
                             .n = greedy ? 0 : c->values,
                             .x = percent(c->value, c->values, a),
                             .mark = as_published && c->paper.mean > 0 ? c->paper.mean : (double)NAN };
}

/* Base and MID of the backbones with every fold and seed, MID as the paper chose it, and the paper's numbers beside what was made in
 * the same way. */
static void show_chart(mp_section *out, const mp_board *b)
{
    mp_svg_whisker *row = MP_NEW(out->arena, mp_svg_whisker, 2 * b->sets * b->methods + 1);
    int n = 0;
    for (int s = 0; s < b->sets; s++)
        for (int m = 0; m < b->methods; m++) {
            const mp_board_cell *c = mp_board_at(b, s, m);
            bool pair = b->method[m].mid || (m + 1 < b->methods && b->method[m + 1].mid);
            if (!pair || isnan(c->honest.test.mean)) continue;
            row[n++] = whisker(b, s, m, false, out->arena);
            if (c->chosen) row[n++] = whisker(b, s, m, true, out->arena);
        }
    if (!n) return;
    mp_svg_whiskers_spec spec = { .title = "Base and MID, chosen on validation and on test",
                                  .label = "test accuracy in percent (molecules: ROC-AUC)",
                                  .mark_name = "paper",
                                  .rows = n,
                                  .row = row };
    mp_figure_whiskers(out, "Base and MID, chosen on validation and, as the paper does, on test",
                       "whiskers: standard deviation over seeds; small dots: single folds and seeds", &spec);
}

mp_err mp_make_classification(mp_lab *lab, mp_section *out)
{
    int sets, pools;
    mp_board b;
    const char *const *set = mp_lab_sets(lab, MP_TU_SETS "," MP_OGB_SETS, "MUTAG,PTC_MR", &sets);
    const char *const *pool = mp_lab_pools(lab, BACKBONES "," BASELINES "," OTHERS, "sag,topk,sort", &pools);
    MP_TRY(mp_board_make(lab, set, sets, pool, pools, &b));
    mp_section_para(
        out, "Mean over seeds of the mean over folds, \xC2\xB1 standard deviation over seeds. Each backbone has the "
             "network that gives the paper's base rows (preset paper, midpool ops).");
    show_chart(out, &b);
    show_wide(out, &b);
    show_cells(out, &b);
    return MP_OK;
}
