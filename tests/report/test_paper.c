/* test_paper.c - the paper's numbers are there, as printed, and those that contradict each other have a mark.
 * SPDX-License-Identifier: MIT */
#include "baseline/baseline.h"
#include "base/sha256.h"
#include "base/text.h"
#include "data/known.h"
#include "pool/pool.h"
#include "report/paper.h"
#include "study/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MAIN "graph_classification"

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static void the_papers_numbers_are_found(void **state)
{
    (void)state;
    assert_true(mp_paper_find("MUTAG", "sag", false, false).mean == 67.67);
    assert_true(mp_paper_find("COLLAB", "gmt", false, false).mean == 80.74);
    assert_true(mp_paper_find("DD", "haar", false, false).mean == 0);
    assert_true(mp_paper_find("COLORS-3", "topk", true, false).mean == 99.96);
    assert_true(mp_paper_find("COLORS-3", "topk", true, true).mean == 82.64);
    assert_true(mp_paper_find("MUTAG", "sag", false, true).mean == 0);
    assert_true(mp_paper_find("MUTAG", "nothing", true, false).mean == 0);
    assert_true(mp_paper_find("nothing", "sag", true, false).mean == 0);
}

/* The paper's numbers do not change by accident: every cell of every table, as text, has this SHA-256. */
static void the_papers_numbers_stay_as_printed(void **state)
{
    (void)state;
    static const char *const sets[] = { "DD",          "PROTEINS",   "NCI1",         "NCI109",       "MUTAG",
                                        "PTC_MR",      "ENZYMES",    "FRANKENSTEIN", "Mutagenicity", "REDDIT-BINARY",
                                        "IMDB-BINARY", "IMDB-MULTI", "COLLAB",       "COLORS-3",     "TRIANGLES" };
    static const char *const pools[] = { "sag",  "topk", "gsa",    "asap", "set2set", "sort",
                                         "diff", "edge", "mincut", "haar", "mem",     "gmt" };
    mp_buf b = { 0 };
    char hex[65];
    int known = 0;
    for (int i = 0; i < 15 * 12 * 4; i++) {
        mp_paper_cell c = mp_paper_find(sets[i / 48], pools[i / 4 % 12], i & 1, i & 2);
        mp_buf_printf(&b, "%.2f %.2f ", c.mean, c.std);
        known += c.mean > 0;
    }
    mp_sha256_hex(b.p, b.n, hex);
    mp_buf_free(&b);
    assert_true(known > 100);
    assert_string_equal(hex, "7dca5f7170d19553ac0c7187ae7d884bdfe2b0006c526e39a48800eaf83781b6");
}

static void every_row_is_whole_and_named_as_ours(void **state)
{
    (void)state;
    int count = 0, marks = 0;
    for (const mp_paper_row *r; (r = mp_paper_at(count)); count++) {
        const char *pool = mp_paper_pool(r->method);
        bool several = strchr(r->method, '+') || *r->method == 0;
        if (!several && !(pool && (mp_pool_find(pool) || mp_baseline_find(pool))))
            fail_msg("row %d: %s", count, r->method);
        if (is(r->table, "dataset_statistics") && !mp_known_find(mp_paper_set(r->dataset)))
            fail_msg("row %d: %s", count, r->dataset);
        assert_true(isnan(r->mean) ? is(r->table, MAIN) && isnan(r->std) : r->mean > 0);
        assert_true(*r->variant == 0 || r->mid);
        marks += *r->mark != 0;
    }
    assert_int_equal(count, 430);
    assert_int_equal(marks, 17);
    assert_null(mp_paper_at(-1));
}

static double value(const char *table, const char *dataset, const char *pool, const char *variant, const char *metric,
                    bool mid)
{
    const mp_paper_row *r = mp_paper_look(&(mp_paper_key){ table, dataset, pool, variant, metric, mid });
    return r ? r->mean : (double)NAN;
}

static void every_table_answers(void **state)
{
    (void)state;
    assert_true(value("ablation", "NCI1", "sag", "w/o flipscore", NULL, true) == 74.76);
    assert_true(value("ablation", "NCI1", "sag", NULL, NULL, false) == 70.89);
    assert_true(value("train_time", NULL, "gsa", "MID-9", "ratio_to_base", true) == 1.42);
    assert_true(value("train_time", NULL, "gsa", NULL, "seconds_per_epoch", false) == 1.0542);
    assert_true(value("generalization", "TRIANGLES:test-large", "topk", NULL, NULL, true) == 23.85);
    assert_true(value("headline", NULL, "asap", NULL, NULL, true) == 0.94);
    assert_true(value("dataset_statistics", "ogbg_molhiv", NULL, NULL, "n_graphs", false) == 41127);
    assert_true(value(MAIN, "ALL", "gmt", NULL, "avg_rank", false) == 3.5);
    assert_true(isnan(value("ablation", "MUTAG", "sag", NULL, NULL, false)));
}

static bool classifies(const mp_paper_row *r)
{
    return is(r->table, MAIN) && !is(r->metric, "avg_rank") && !isnan(r->mean);
}

/* Two means with their deviations are not equal to the last digit by chance: of one method, or of one set. */
static void cells_that_repeat_have_a_mark(void **state)
{
    (void)state;
    const mp_paper_row *a, *b;
    int found = 0;
    for (int i = 0; (a = mp_paper_at(i)); i++)
        for (int j = 0; (b = mp_paper_at(j)); j++) {
            bool kin = is(a->method, b->method) ? a->mid == b->mid : is(a->dataset, b->dataset);
            if (i == j || !kin || !classifies(a) || !classifies(b) || a->mean != b->mean || a->std != b->std) continue;
            if (!*a->mark) fail_msg("%s on %s is %s on %s", a->method, a->dataset, b->method, b->dataset);
            found++;
        }
    assert_int_equal(found, 6);
    assert_string_equal(mp_paper_find("PTC_MR", "edge", false, false).mark, "same as its FRANKENSTEIN: a copying slip");
    assert_null(mp_paper_find("MUTAG", "edge", false, false).mark);
}

/* Sets x methods of the main table. */
typedef struct grid {
    const char *set[32];
    const mp_paper_row *method[32];
    int sets, methods;
    double value[32 * 32];
} grid;

static grid main_table(void)
{
    grid g = { .sets = 0 };
    const mp_paper_row *r;
    for (int i = 0; (r = mp_paper_at(i)); i++) {
        if (!is(r->table, MAIN)) continue;
        if (is(r->metric, "avg_rank")) g.method[g.methods++] = r;
        if (!is(r->metric, "avg_rank") && is(r->method, "GMT")) g.set[g.sets++] = mp_paper_set(r->dataset);
    }
    for (int i = 0; i < g.sets * g.methods; i++) {
        const mp_paper_row *m = g.method[i % g.methods];
        double v = mp_paper_find(g.set[i / g.methods], mp_paper_pool(m->method), m->mid, false).mean;
        g.value[i] = v > 0 ? v : (double)NAN;
    }
    return g;
}

static void average_ranks_are_those_of_the_means_or_have_a_mark(void **state)
{
    (void)state;
    grid g = main_table();
    mp_arena *a = mp_arena_new(1 << 12);
    double rank[32];
    assert_true(g.sets == 17 && g.methods == 16);
    mp_rank_average(g.value, g.sets, g.methods, false, MP_TIES_BETTER, a, rank);
    for (int i = 0; i < g.methods; i++) {
        bool same = fabs(rank[i] - g.method[i]->mean) <= 0.15;
        if (same == (*g.method[i]->mark != 0))
            fail_msg("%s: %.3f, not %g", g.method[i]->method, rank[i], g.method[i]->mean);
    }
    mp_arena_free(a);
}

/* Gains in percent of the base: the mean over sets, or that of the means. */
static void headline_gains_are_those_of_the_main_table_or_have_a_mark(void **state)
{
    (void)state;
    grid g = main_table();
    for (int m = 0; m < g.methods; m++) {
        const char *pool = mp_paper_pool(g.method[m]->method);
        const mp_paper_row *gain = mp_paper_look(&(mp_paper_key){ .table = "headline", .pool = pool, .mid = true });
        if (g.method[m]->mid || !gain) continue;
        double share = 0, before = 0, after = 0;
        int n = 0;
        for (int s = 0; s < g.sets; s++) {
            double base = mp_paper_find(g.set[s], pool, false, false).mean,
                   mid = mp_paper_find(g.set[s], pool, true, false).mean;
            if (!(base > 0 && mid > 0)) continue;
            share += 100 * (mid / base - 1);
            before += base;
            after += mid;
            n++;
        }
        bool same = fabs(share / n - gain->mean) < 0.02 || fabs(100 * (after / before - 1) - gain->mean) < 0.02;
        if (same == (*gain->mark != 0)) fail_msg("%s", gain->method);
    }
}

static void sizes_of_sets_are_those_that_data_checks(void **state)
{
    (void)state;
    const mp_known *k;
    int found = 0;
    for (int i = 0; (k = mp_known_at(i)); i++) {
        if (isnan(value("dataset_statistics", k->name, NULL, NULL, NULL, false))) continue;
        found++;
        assert_true(value("dataset_statistics", k->name, NULL, NULL, "n_graphs", false) == k->graphs);
        assert_true(value("dataset_statistics", k->name, NULL, NULL, "n_classes", false) == k->classes);
        assert_true(value("dataset_statistics", k->name, NULL, NULL, "avg_nodes", false) == k->avg_nodes);
        assert_true(value("dataset_statistics", k->name, NULL, NULL, "avg_edges", false) == k->avg_edges);
    }
    assert_int_equal(found, 19);
}

static void a_cell_shows_its_mark(void **state)
{
    (void)state;
    static const char *const header[] = { "a", "b", "c", NULL };
    mp_arena *a = mp_arena_new(1 << 12);
    mp_table t;
    mp_table_init(&t, a, NULL, header);
    mp_paper_add(&t, mp_paper_find("MUTAG", "sag", false, false));
    mp_paper_add(&t, mp_paper_find("COLLAB", "mincut", false, false));
    mp_paper_add(&t, mp_paper_find("DD", "haar", false, false));
    assert_string_equal(mp_table_cell(&t, 0, 0), "67.67 \xC2\xB1 3.56");
    assert_string_equal(mp_table_cell(&t, 0, 1), "78.78 \xC2\xB1 0.61 ?");
    assert_string_equal(mp_table_cell(&t, 0, 2), "-");
    mp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_numbers_are_found),
        cmocka_unit_test(the_papers_numbers_stay_as_printed),
        cmocka_unit_test(every_row_is_whole_and_named_as_ours),
        cmocka_unit_test(every_table_answers),
        cmocka_unit_test(cells_that_repeat_have_a_mark),
        cmocka_unit_test(average_ranks_are_those_of_the_means_or_have_a_mark),
        cmocka_unit_test(headline_gains_are_those_of_the_main_table_or_have_a_mark),
        cmocka_unit_test(sizes_of_sets_are_those_that_data_checks),
        cmocka_unit_test(a_cell_shows_its_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
