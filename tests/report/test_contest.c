/* test_contest.c - methods are compared by runs that belong together, with SciPy's numbers (contest_reference.py), and in words
 * that claim no more than these.
 * SPDX-License-Identifier: MIT */
#include "contest_reference.h"
#include "made_runs.h"
#include "base/json.h"
#include "report/contest_print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static mp_arena *arena;
static const char *const pools[] = { "asap", "gsa", "sag", "topk" }; /* as rows are sorted */

static mp_stored plain_run(const char *dataset, const char *pool, int seed, int fold, int folds, double test)
{
    mp_stored r = run_of(dataset, seed, fold, 1, 0, 0, test);
    memset(r.key.config.pool, 0, sizeof r.key.config.pool);
    strcpy(r.key.config.pool, pool);
    r.key.folds = folds;
    return r;
}

static const mp_group *groups_of(const mp_stored *run, int n, int *count)
{
    const mp_group *g;
    mp_group_runs(run, n, NULL, 0, NULL, arena, &g, count);
    return g;
}

static mp_contest contest_of(const mp_stored *run, int n, const char *baseline)
{
    mp_contest c;
    int count;
    const mp_group *g = groups_of(run, n, &count);
    if (mp_contest_make(g, count, baseline, 0, arena, &c) != MP_OK) fail_msg("%s", mp_message());
    return c;
}

static void refused(const mp_stored *run, int n, const char *baseline, const char *says)
{
    mp_contest c;
    int count;
    const mp_group *g = groups_of(run, n, &count);
    assert_int_not_equal(mp_contest_make(g, count, baseline, 0, arena, &c), MP_OK);
    if (!strstr(mp_message(), says)) fail_msg("no '%s' in '%s'", says, mp_message());
}

static void has_note(const mp_contest *c, const char *says)
{
    for (int i = 0; i < c->notes; i++)
        if (strstr(c->note[i], says)) return;
    fail_msg("no note with '%s'; %d notes, the first: %s", says, c->notes, c->notes ? c->note[0] : "");
}

static const char *printed(const mp_contest *c)
{
    mp_section s = { .arena = arena, .name = "compare" };
    mp_buf b = { 0 };
    mp_contest_section(c, &s);
    mp_section_print(&s, &b);
    const char *text = mp_arena_text(arena, b.p, b.n);
    mp_buf_free(&b);
    return text;
}

static void says(const mp_contest *c, const char *words)
{
    const char *text = printed(c);
    if (!strstr(text, words)) fail_msg("no '%s' in:\n%s", words, text);
}

/* Relative, to ten digits. */
static void near(double is, double want, const char *what, int row)
{
    if (!(fabs(is - want) <= 1e-10 * fabs(want) + 1e-15)) fail_msg("%s, row %d: %.17g, not %.17g", what, row, is, want);
}

static int reference_runs(mp_stored *run)
{
    int n = 0;
    for (int s = 0; s < SETS; s++)
        for (int m = 0; m < PLAYERS; m++)
            for (int i = 0; i < SEEDS * FOLDS; i++) {
                char name[8];
                snprintf(name, sizeof name, "SET%d", s);
                run[n] = plain_run(name, pools[m], 42 + i / FOLDS, 1 + i % FOLDS, FOLDS, made[n]);
                n++;
            }
    return n;
}

static void comparisons_on_a_data_set_are_scipys(void **state)
{
    (void)state;
    static mp_stored run[COUNT(made)];
    mp_contest c = contest_of(run, reference_runs(run), NULL);
    assert_int_equal(c.pairs, COUNT(duels));
    for (int i = 0; i < c.pairs; i++) {
        const mp_contest_pair *p = &c.pair[i];
        const mp_paired *d = &p->difference;
        assert_true(p->set == duels[i].set && p->a == duels[i].a && p->b == duels[i].b && d->n == SEEDS * FOLDS);
        const double is[] = { d->mean, d->error,        d->t,          d->p,           d->low,
                              d->high, p->better.share, p->better.low, p->better.high, p->adjusted };
        const double want[] = { duels[i].mean, duels[i].error, duels[i].t,         duels[i].p,          duels[i].low,
                                duels[i].high, duels[i].share, duels[i].share_low, duels[i].share_high, duels[i].holm };
        for (int k = 0; k < COUNT(is); k++) near(is[k], want[k], "pair", 100 * i + k);
    }
}

/* SciPy's studentized range is a quadrature of nine digits; ours leads back to its p (test_compare.c). */
static void comparisons_over_data_sets_are_scipys(void **state)
{
    (void)state;
    static mp_stored run[COUNT(made)];
    mp_contest c = contest_of(run, reference_runs(run), NULL);
    assert_true(c.ranks.methods == PLAYERS && c.ranks.sets == SETS && c.tours == COUNT(tours));
    for (int i = 0; i < PLAYERS; i++) near(c.ranks.rank[i], average_ranks[c.ranks.method[i]], "rank", i);
    for (int i = 1; i < PLAYERS; i++) assert_true(c.ranks.rank[i - 1] <= c.ranks.rank[i]);
    const mp_friedman *f = &c.ranks.friedman;
    const double is[] = { f->chi2, f->p_chi2, f->f, f->p_f };
    for (int i = 0; i < 4; i++) near(is[i], friedman[i], "Friedman", i);
    assert_true(fabs(f->distance - critical_difference[0]) < 1e-9 * critical_difference[0]);
    for (int i = 0; i < c.tours; i++) {
        const mp_contest_tour *t = &c.tour[i];
        assert_true(t->a == tours[i].a && t->b == tours[i].b && t->sets == SETS && t->ranks.exact);
        near(t->difference, tours[i].mean, "mean", i);
        near(fmin(t->ranks.plus, t->ranks.minus), tours[i].statistic, "statistic", i);
        near(t->ranks.p, tours[i].p, "Wilcoxon", i);
        near(t->adjusted, tours[i].holm, "Holm", i);
    }
    says(&c, "With 6 comparisons 7 data sets cannot separate any two methods: no p is below 0.094.");
    c = contest_of(run, COUNT(made), "topk");
    assert_true(c.tours == 3 && c.pairs == 3 * SETS && c.tour[0].b == 3 && c.tour[0].claim == MP_CLAIM_WORSE);
    near(c.tour[0].adjusted, 3 * 0.015625, "fewer comparisons", 0);
    says(&c, "Over 7 data sets asap is worse than topk: mean difference -4.65 points, p = 0.047 after Holm's "
             "correction for 3 comparisons.");
}

/* Differences 1, 2, 3 hundredths on three folds, test/train 1: error^2 = (1/3 + 1) 1e-4. */
static void a_pair_worked_out_by_hand(void **state)
{
    (void)state;
    mp_stored run[6];
    for (int i = 0; i < 3; i++) {
        run[i] = plain_run("MUTAG", "sag", 42, i + 1, 3, 0.60 + 0.01 * (i + 1));
        run[3 + i] = plain_run("MUTAG", "topk", 42, i + 1, 3, 0.60);
    }
    mp_contest c = contest_of(run, 6, NULL);
    near(c.pair->difference.mean, 0.02, "mean", 0);
    near(c.pair->difference.t, 0.02 / sqrt(4.0 / 3 * 1e-4), "t", 0);
    near(c.set->test_train, 1, "test/train", 0);
    assert_true(c.pair->claim == MP_CLAIM_NONE && c.pair->better.share == 1);
    says(&c, "On MUTAG nothing separates sag from topk: difference +2.00 points, 95 % interval -2.97 to 6.97 (3 pairs, "
             "p = 0.23). "
             "This does not show that they are alike: differences up to 6.97 stay possible.");
}

static void runs_are_paired_by_seed_and_fold_and_what_lacks_is_said(void **state)
{
    (void)state;
    mp_stored run[40];
    int n = 0;
    for (int seed = 42; seed < 46; seed++)
        for (int fold = 1; fold <= 4; fold++) {
            if (seed < 45) run[n++] = plain_run("MUTAG", "sag", seed, fold, 4, 0.7 + 0.01 * fold + 0.001 * seed);
            if (seed > 42 && (seed != 45 || fold != 2))
                run[n++] = plain_run("MUTAG", "topk", seed, fold, 4, 0.7 + 0.01 * fold);
        }
    run[n] = plain_run("MUTAG", "topk", 45, 2, 4, 0);
    run[n].status = MP_RUN_FAILED;
    run[n++].message = "x";
    mp_contest c = contest_of(run, n, NULL);
    assert_true(c.pairs == 1 && c.pair->difference.n == 8 && c.pair->only_a == 4 && c.pair->only_b == 3);
    near(c.pair->difference.mean, 0.0435, "only pairs", 0);
    has_note(&c, "MUTAG, topk: 1 run is missing, 1 failed; 11 count.");
    says(&c, "MUTAG, topk: 1 run is missing");
}

/* What is best on test (0.80) is not what validation chose (0.74, 0.76). */
static void only_what_validation_chose_is_compared(void **state)
{
    (void)state;
    mp_stored run[SAMPLE];
    int n = sample("MUTAG", run);
    mp_contest c = contest_of(run, n, "sag");
    assert_string_equal(c.method[c.pair->a], "sag + MID, grid of the paper");
    near(c.pair->difference.mean, 0.05, "chosen", 0);
    near(c.pair->difference.high + c.pair->difference.low, 0.1, "chosen", 1);
    for (int i = 0; i < n; i++) /* of what is not chosen the test scores do not matter */
        if (run[i].key.config.score_dim == 5) run[i].result.test_metric = 0.99;
    c = contest_of(run, n, "sag");
    near(c.pair->difference.mean, 0.05, "chosen", 2);
}

static void other_folds_graphs_or_metrics_are_not_compared(void **state)
{
    (void)state;
    static const struct {
        const char *why, *folds_from;
        uint64_t fingerprint;
        int folds;
        const char *metric;
    } cases[] = {
        { "nothing can be compared: MUTAG: folds differ (2 from files and 2 from stratified)", "stratified",
          0x1122334455667788, 2, "accuracy" },
        { "nothing can be compared: MUTAG: graphs differ (fingerprints 1122334455667788 and 9922334455667788)", "files",
          0x9922334455667788, 2, "accuracy" },
        { "nothing can be compared: MUTAG: folds differ (2 from files and 5 from files)", "files", 0x1122334455667788,
          5, "accuracy" },
        { "nothing can be compared: MUTAG: metrics differ (accuracy and f1_macro)", "files", 0x1122334455667788, 2,
          "f1_macro" },
    };
    for (int k = 0; k < COUNT(cases); k++) {
        mp_stored run[6];
        for (int fold = 1; fold <= 2; fold++) {
            run[fold - 1] = plain_run("MUTAG", "sag", 42, fold, 2, 0.7);
            run[fold + 1] = plain_run("MUTAG", "topk", 42, fold, cases[k].folds, 0.8);
            run[fold + 3] = plain_run("MUTAG", "asap", 42, fold, cases[k].folds, 0.8 + 0.01 * fold);
            for (int i = 0; i < 2; i++) {
                mp_stored *r = &run[fold + 1 + 2 * i];
                snprintf(r->key.folds_from, sizeof r->key.folds_from, "%s", cases[k].folds_from);
                snprintf(r->result.metric, sizeof r->result.metric, "%s", cases[k].metric);
                r->key.fingerprint = cases[k].fingerprint;
            }
        }
        refused(run, 4, NULL, cases[k].why);
        mp_contest c = contest_of(run, 6, NULL); /* two of the three belong together */
        assert_true(c.pairs == 1 && strcmp(c.method[c.pair->a], "asap") == 0 &&
                    strcmp(c.method[c.pair->b], "topk") == 0);
        has_note(&c, "so that runs cannot be paired");
        assert_int_equal(c.ranks.methods, 0);
    }
}

static void rows_that_differ_in_options_are_methods_of_their_own(void **state)
{
    (void)state;
    mp_stored run[12];
    int n = 0;
    for (int fold = 1; fold <= 2; fold++)
        for (int k = 0; k < 3; k++) {
            run[n] = plain_run("MUTAG", k == 2 ? "topk" : "sag", 42, fold, 2, 0.7 + 0.01 * k * fold);
            run[n].key.config.epochs = 7; /* of all alike: no name says it */
            if (k == 1) run[n].key.config.lr = 0.01;
            n++;
        }
    mp_contest c = contest_of(run, n, NULL);
    assert_int_equal(c.methods, 3);
    const char *const want[] = { "sag", "sag, lr 0.01", "topk" };
    for (int i = 0; i < 3; i++) {
        bool there = false;
        for (int k = 0; k < 3; k++) there = there || strcmp(c.method[k], want[i]) == 0;
        if (!there) fail_msg("no method '%s' in '%s', '%s', '%s'", want[i], c.method[0], c.method[1], c.method[2]);
    }
    c = contest_of(run, n, "sag, lr 0.01");
    assert_int_equal(c.pairs, 2);
    refused(run, n, "sga", "--baseline: no method 'sga'; there are 'sag");
    for (int i = 0; i < n; i++) run[i].key.config.lr = 0.01;
    refused(run, 1, NULL, "nothing to compare: there is one method, sag");
    run[0].status = MP_RUN_FAILED;
    refused(run, 1, NULL, "nothing to compare: no run has finished");
}

static void few_data_sets_and_few_pairs_claim_nothing(void **state)
{
    (void)state;
    mp_stored run[40];
    int n = 0;
    for (int s = 0; s < 4; s++)
        for (int fold = 1; fold <= 4; fold++)
            for (int k = 0; k < 2; k++) {
                char name[8];
                snprintf(name, sizeof name, "SET%d", s);
                run[n++] = plain_run(name, pools[2 + k], 42, fold, 4, 0.5 + 0.3 * k + 0.001 * fold * (1 + k));
            }
    mp_contest c = contest_of(run, n, NULL);
    assert_true(c.tours == 1 && c.tour->claim == MP_CLAIM_FEW && c.tour->least == 0.125);
    says(&c, "4 data sets are too few to claim anything of sag and topk over data sets: even if one of them were ahead "
             "on all, p "
             "would be 0.12.");
    for (int i = 0; i < c.pairs; i++) assert_int_equal(c.pair[i].claim, MP_CLAIM_WORSE);
    says(&c, "On SET0 sag is worse than topk: difference -30.25 points");

    c = contest_of(run, 2, NULL);
    assert_int_equal(c.pair->claim, MP_CLAIM_FEW);
    says(&c, "one seed and fold in common: one difference (-30.10) says nothing");

    for (int i = 0; i < n; i++) run[i].result.test_metric = i % 2 ? 0.75 : 0.5; /* no spread at all */
    c = contest_of(run, 8, NULL);
    assert_true(c.pair->claim == MP_CLAIM_FEW && isnan(c.pair->adjusted));
    says(&c, "On SET0 all 4 differences of sag less topk are -25.00: without any spread there is no test.");

    run[0].key.config.seed = 50;
    c = contest_of(run, 2, NULL);
    says(&c, "have no seed and fold in common: nothing can be said");
}

/* p of three comparisons: the middle one counts alone, not among three. */
static void what_would_count_alone_is_told_from_what_counts(void **state)
{
    (void)state;
    mp_stored run[60];
    int n = 0;
    static const double gain[] = { 0, 0.014, 0.001 };
    for (int i = 0; i < 20; i++)
        for (int k = 0; k < 3; k++)
            run[n++] = plain_run("MUTAG", pools[k], 42 + i / 10, 1 + i % 10, 10,
                                 0.7 + gain[k] + 0.03 * ((i * 7 + k * 5) % 11) / 11);
    mp_contest c = contest_of(run, n, NULL);
    int alone = 0;
    for (int i = 0; i < c.pairs; i++) {
        const mp_contest_pair *p = &c.pair[i];
        bool low = p->difference.p < 0.05, counts = p->adjusted < 0.05;
        assert_true((p->claim == MP_CLAIM_ALONE) == (low && !counts));
        assert_true((p->claim >= MP_CLAIM_BETTER) == counts);
        alone += p->claim == MP_CLAIM_ALONE;
    }
    if (alone != 1) fail_msg("%d of 3 would count alone", alone);
    says(&c, "would count if it were the only one (p = ");
}

static void where_smaller_is_better_the_smaller_one_is_ahead(void **state)
{
    (void)state;
    mp_stored run[80];
    int n = 0;
    for (int s = 0; s < 6; s++)
        for (int fold = 1; fold <= 5; fold++)
            for (int k = 0; k < 2; k++) {
                char name[8];
                snprintf(name, sizeof name, "SET%d", s);
                run[n] = plain_run(name, pools[2 + k], 42, fold, 5, 2.0 - k + 0.01 * fold * (k + 1));
                strcpy(run[n].result.metric, "mae");
                strcpy(run[n].result.task, "regress");
                n++;
            }
    mp_contest c = contest_of(run, n, NULL);
    assert_true(c.pair->difference.mean > 0 && c.pair->claim == MP_CLAIM_WORSE && c.pair->better.share == 0);
    assert_true(c.tour->difference > 0 && c.tour->claim == MP_CLAIM_WORSE);
    assert_string_equal(c.method[c.ranks.method[0]], "topk");
    says(&c, "On SET0 sag is worse than topk: difference +0.97, 95 % interval");
}

static void a_fixed_split_speaks_for_itself_alone(void **state)
{
    (void)state;
    mp_stored run[20];
    for (int i = 0; i < 20; i++) {
        run[i] = plain_run("COLORS-3", pools[2 + i % 2], 42 + i / 2, 0, 0, 0.5 + 0.2 * (i % 2) + 0.01 * (i / 2 % 3));
        strcpy(run[i].key.folds_from, "fixed");
        if (i == 4) run[i].result.test_metric += 0.001;
    }
    mp_contest c = contest_of(run, 20, NULL);
    assert_true(c.set->test_train == 0 && c.pair->difference.n == 10);
    says(&c, "On COLORS-3 all runs share one split: its differences are over seeds, and hold for this split alone.");
}

/* Three sets have all methods, one has two of them: the ranks are of the three. */
static void ranks_are_of_the_largest_full_table(void **state)
{
    (void)state;
    mp_stored run[64];
    int n = 0;
    for (int s = 0; s < 4; s++)
        for (int k = 0; k < (s == 3 ? 2 : 4); k++)
            for (int fold = 1; fold <= 2; fold++) {
                char name[8];
                snprintf(name, sizeof name, "SET%d", s);
                run[n++] = plain_run(name, pools[k], 42, fold, 2, 0.5 + 0.1 * ((k + s) % 4) + 0.01 * fold * k);
            }
    mp_contest c = contest_of(run, n, NULL);
    assert_true(c.ranks.sets == 3 && c.ranks.methods == 4 && c.set[0].ranked && !c.set[3].ranked);
    has_note(&c, "SET3 is not in the ranks");
    n -= 4;
    run[n - 1].status = run[n - 2].status = MP_RUN_FAILED; /* topk on SET2 */
    c = contest_of(run, n, NULL);
    assert_true(c.ranks.sets == 3 && c.ranks.methods == 3);
    has_note(&c, "topk is not ranked over data sets");
    has_note(&c, "SET2, topk: no run has finished, 2 failed.");
}

static void methods_that_are_not_told_apart_are_ranges(void **state)
{
    (void)state;
    static const double rank[] = { 1, 1.5, 2.6, 4, 4.2 };
    mp_contest_ranks r = { .methods = 5, .rank = rank, .friedman = { .distance = 1.7 } };
    int from[5], to[5];
    assert_int_equal(mp_contest_cliques(&r, from, to), 2); /* 1 to 2.6 and 2.6 to 4.2; 1.5 to 2.6 is in the first */
    assert_true(from[0] == 0 && to[0] == 2 && from[1] == 2 && to[1] == 4);
    r.friedman.distance = 0.1;
    assert_int_equal(mp_contest_cliques(&r, from, to), 0);
}

static void json_has_numbers_or_null_and_the_same_words(void **state)
{
    (void)state;
    static mp_stored run[COUNT(made)];
    mp_contest c = contest_of(run, reference_runs(run), NULL);
    mp_buf b = { 0 };
    const mp_json *root;
    mp_contest_json(&c, (const char *const[]){ "a \"b\".db" }, 1, arena, &b);
    if (mp_json_parse((mp_span){ b.p, b.n }, "json", arena, &root) != MP_OK) fail_msg("%s", mp_message());
    const mp_json *first = mp_json_at(mp_json_get(root, "comparisons"), 0);
    near(mp_json_real(first, "p_holm", 0), duels[0].holm, "p_holm", 0);
    near(mp_json_real(first, "superiority_high", 0), duels[0].share_high, "superiority", 0);
    assert_string_equal(mp_json_text(first, "words", ""), mp_contest_words(&c, c.pair, arena));
    assert_int_equal(mp_json_get(root, "over_datasets")->count, COUNT(tours));
    assert_int_equal(mp_json_get(mp_json_get(root, "ranks"), "average_ranks")->count, PLAYERS);
    mp_buf_free(&b);
    c = contest_of((mp_stored[]){ plain_run("MUTAG", "sag", 42, 1, 2, 0.5), plain_run("MUTAG", "topk", 42, 1, 2, 0.5) },
                   2, "sag");
    mp_contest_json(&c, NULL, 0, arena, &b);
    assert_int_equal(mp_json_parse((mp_span){ b.p, b.n }, "json", arena, &root), MP_OK);
    first = mp_json_at(mp_json_get(root, "comparisons"), 0);
    assert_int_equal(mp_json_get(first, "p")->kind, MP_JSON_NULL);
    assert_int_equal(mp_json_get(root, "ranks")->kind, MP_JSON_NULL);
    assert_string_equal(mp_json_text(root, "baseline", ""), "sag");
    mp_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_on_a_data_set_are_scipys),
        cmocka_unit_test(comparisons_over_data_sets_are_scipys),
        cmocka_unit_test(a_pair_worked_out_by_hand),
        cmocka_unit_test(runs_are_paired_by_seed_and_fold_and_what_lacks_is_said),
        cmocka_unit_test(only_what_validation_chose_is_compared),
        cmocka_unit_test(other_folds_graphs_or_metrics_are_not_compared),
        cmocka_unit_test(rows_that_differ_in_options_are_methods_of_their_own),
        cmocka_unit_test(few_data_sets_and_few_pairs_claim_nothing),
        cmocka_unit_test(what_would_count_alone_is_told_from_what_counts),
        cmocka_unit_test(where_smaller_is_better_the_smaller_one_is_ahead),
        cmocka_unit_test(a_fixed_split_speaks_for_itself_alone),
        cmocka_unit_test(ranks_are_of_the_largest_full_table),
        cmocka_unit_test(methods_that_are_not_told_apart_are_ranges),
        cmocka_unit_test(json_has_numbers_or_null_and_the_same_words),
    };
    arena = mp_arena_new(1 << 16);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mp_arena_free(arena);
    return failed;
}
