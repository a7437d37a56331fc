/* test_studies.c - the experiments whose numbers are test scores of studies, from the command line to their tables: small versions on
 * a small data set, held against each other and against the runs themselves.
 * SPDX-License-Identifier: MIT */
#define TINY_GRAPHS 16, 6, 6 /* hundreds of runs, and their numbers are compared, whatever they are */
#include "cli/tiny.h"
#include "experiment/board.h"
#include "sanitized.h"
#include "study/compare.h"

#include <math.h>
#include <stdlib.h>

#define FOLDS 2

static const char *reproduce(const char *names, const char *more)
{
    const char *line = mp_arena_printf(
        arena, "reproduce %s --quick --datasets TINY --pools topk --data %s --folds %d --store %s --out %s --quiet %s",
        names, mp_spawn_dir(), FOLDS, path("runs.db"), path("page.html"), more);
    mp_spawned s = expect(0, line, NULL);
    const char *out = mp_arena_text(arena, s.out.p, s.out.n);
    mp_spawn_free(&s);
    return out;
}

static mp_lab *lab_of_store(void)
{
    mp_lab_options o = { .store_path = path("runs.db"),
                         .data_dir = mp_spawn_dir(),
                         .quick = true,
                         .still = true,
                         .folds = FOLDS,
                         .grid = MP_GRID_PAPER,
                         .jobs = 1,
                         .threads = 1 };
    return mp_lab_new(&o, arena);
}

/* Of the rows that were asked for. */
static void read_store(mp_lab *lab)
{
    const mp_experiment *none[1] = { NULL };
    mp_section unused;
    assert_int_equal(mp_lab_make(lab, none, 0, &unused), MP_OK);
}

/* The number behind a word, in the first line that has all words. */
static double number_behind(const char *text, const char *line_with, const char *word)
{
    mp_span rest = mp_span_of(text), line;
    double v;
    while (mp_next_line(&rest, &line)) {
        const char *copy = mp_arena_text(arena, line.p, line.n), *at = strstr(copy, word);
        if (!strstr(copy, line_with) || !at) continue;
        at += strlen(word);
        at += strspn(at, " ");
        if (mp_to_real((mp_span){ at, strcspn(at, " ,") }, &v)) return v;
    }
    fail_msg("no line with '%s' and a number behind '%s'", line_with, word);
    return 0;
}

static double test_mean(mp_lab *lab, const char *settings)
{
    int row;
    mp_choice c;
    mp_ask ask = { .dataset = "TINY", .pool = "topk", .preset = "paper", .settings = settings };
    assert_int_equal(mp_lab_row(lab, &ask, &row), MP_OK);
    assert_true(row >= 0);
    read_store(lab);
    assert_int_equal(mp_lab_choose(lab, row, MP_SELECT_VAL, &c), MP_OK);
    return 100 * c.test.mean;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 0.0051; /* tables have two decimals */
}

static void the_main_table_has_the_scores_of_its_runs(void **state)
{
    (void)state;
    const char *out = reproduce("classification,improvement", "");
    mp_lab *lab = lab_of_store();
    static const char *const set[] = { "TINY" }, *const pool[] = { "topk" };
    mp_board b;
    assert_int_equal(mp_board_make(lab, set, 1, pool, 1, &b), MP_OK);
    read_store(lab);
    assert_int_equal(mp_board_make(lab, set, 1, pool, 1, &b), MP_OK);
    assert_int_equal(b.methods, 2);
    const mp_board_cell *base = mp_board_at(&b, 0, 0), *mid = mp_board_at(&b, 0, 1);
    assert_true(!base->chosen && mid->chosen && mid->honest.grid.points == 4);
    assert_true(base->values == FOLDS && mid->values == FOLDS);
    double sum = 0, d[FOLDS];
    for (int i = 0; i < FOLDS; i++) {
        sum += base->value[i];
        d[i] = mid->value[i] - base->value[i];
    }
    assert_true(fabs(sum / FOLDS - base->honest.test.mean) < 1e-12);
    assert_true(mid->greedy.test.mean >= mid->honest.test.mean); /* the best on test is never worse on test */
    mp_paired t = mp_compare_paired(d, FOLDS, base->test_train);
    const mp_board_pair *pair = mp_board_pairs(&b, arena);
    assert_true(fabs(pair[1].difference - t.mean) < 1e-12 && fabs(pair[1].p - t.p) < 1e-12);
    assert_true(fabs(pair[1].adjusted - t.p) < 1e-12); /* one pair: nothing to correct */
    assert_true(isnan(pair[0].difference));
    assert_true(near(number_behind(out, "TINY", "TopKPool  "), 100 * base->honest.test.mean));
    assert_true(near(number_behind(out, "TINY", "TopKPool + MID"), 100 * mid->honest.test.mean));
    /* what MID adds, in points */
    assert_true(near(number_behind(out, "other", "TopKPool"), 100 * (mid->honest.test.mean - base->honest.test.mean)));
    assert_string_equal(reproduce("classification,improvement", "--show"), out);
}

static void an_ablation_is_made_at_the_setting_chosen_for_all_of_mid(void **state)
{
    (void)state;
    const char *out = reproduce("ablation", "");
    int h = (int)number_behind(out, "TopKPool  MID", " h");
    const char *drop = strstr(strstr(out, "TopKPool  MID"), "drop ") + 5;
    mp_lab *lab = lab_of_store();
    double p = strtod(drop, NULL);
    mp_choice c;
    int row;
    mp_ask mid = mp_ask_mid(lab, (mp_ask){ .dataset = "TINY", .pool = "topk", .preset = "paper" });
    assert_int_equal(mp_lab_row(lab, &mid, &row), MP_OK);
    read_store(lab);
    assert_int_equal(mp_lab_choose(lab, row, MP_SELECT_VAL_GLOBAL, &c), MP_OK);
    const mp_config *at = &mp_lab_study_row(lab, row)->points.at[mp_choice_at(&c, 0, 0)];
    assert_true(at->score_dim == h && fabs(at->drop - p) < 1e-12);
    double whole = test_mean(lab, mp_arena_printf(arena, "score-dim=%d flip=true drop=%g", h, p));
    double no_flip = test_mean(lab, mp_arena_printf(arena, "score-dim=%d flip=false drop=%g", h, p));
    double no_multi = test_mean(lab, mp_arena_printf(arena, "score-dim=1 flip=true drop=%g", p));
    const char *width = mp_arena_printf(arena, "h %d, drop %g", h, p);
    assert_true(near(number_behind(out, "TopKPool  MID", width), whole));
    assert_true(near(number_behind(out, "without flipscore", width), no_flip));
    assert_true(
        near(number_behind(out, "without several columns", mp_arena_printf(arena, "h 1, drop %g", p)), no_multi));
}

static void an_ablation_of_a_set_with_one_split_has_one_run_a_row(void **state)
{
    (void)state;
    make_split_data();
    mp_spawned s =
        expect(0,
               mp_arena_printf(arena,
                               "reproduce ablation --quick --datasets SPLIT --pools topk --data %s --store %s "
                               "--out %s --quiet",
                               mp_spawn_dir(), path("split.db"), path("page.html")),
               NULL);
    assert_non_null(strstr(s.out.p, "without several columns"));
    mp_spawn_free(&s);
}

static void curves_have_a_row_for_every_point_and_line(void **state)
{
    (void)state;
    if (SANITIZED) skip(); /* three hundred runs of code that the other tests go through */
    const char *out = reproduce("robustness,sensitivity,dimension", "");
    mp_lab *lab = lab_of_store();
    static const struct {
        const char *line, *behind, *settings;
    } cells[] = { { "training and test  ", "0.5  base", " edge-loss=0.5 edge-loss-in=always" },
                  { "test only  ", "0.3  MID", "score-dim=5 flip=true drop=0.1 edge-loss=0.3 edge-loss-in=test" },
                  { "pooling ratio  ", "0.9  base", " ratio=0.9" },
                  { "ratio of the first pooling", "0.1  MID", "score-dim=5 flip=true drop=0.1 ratios=0.1" },
                  { "pooling layers", "5  base", " layers=5" },
                  { "128/4", "multi-head", "hidden=128 score-dim=4 width=multihead" },
                  { "128/4", "MLP-expand, no ReLU", "hidden=128 score-dim=4 width=mlp expand-relu=false" } };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        if (!near(number_behind(out, cells[i].line, cells[i].behind), test_mean(lab, cells[i].settings)))
            fail_msg("%s %s is another number", cells[i].line, cells[i].behind);
    mp_span page;
    assert_int_equal(mp_slurp(path("page.html"), 0, arena, &page), MP_OK);
    static const char *const pictures[] = { "TINY, TopKPool: share of edges removed, test only",
                                            "TINY, TopKPool: pooling layers", "TINY, TopKPool + MID",
                                            "c/h: channels and score columns" };
    for (int i = 0; i < 4; i++) assert_non_null(strstr(page.p, pictures[i]));
}

/* Two seeds of four models on a small set of the same making: means, and who failed, from the runs themselves. */
static void counting_is_shown_by_seed_and_says_who_failed(void **state)
{
    (void)state;
    static const struct {
        const char *row, *pool, *settings;
    } models[] = { { "SAGPool  ", "sag", "" },
                   { "SAGPool + MID", "sag", " score-dim=5 flip=true drop=0.1" },
                   { "TopKPool  ", "topk", "" },
                   { "TopKPool + MID", "topk", " score-dim=5 flip=true drop=0.1" } };
    const char *folder = path("counts");
    mp_spawned made = expect(
        0,
        mp_arena_printf(arena,
                        "data generate colors3 --train 40 --val 20 --test 20 --large 10 --large-c 10 --max-nodes 8 "
                        "--large-min-nodes 9 --large-max-nodes 12 --out %s/COLORS-3",
                        folder),
        NULL);
    mp_spawn_free(&made);
    mp_spawned s =
        expect(0,
               mp_arena_printf(arena, "reproduce generalisation --quick --data %s --store %s --out %s --quiet", folder,
                               path("counts.db"), path("page.html")),
               NULL);
    mp_lab_options o = {
        .store_path = path("counts.db"), .data_dir = folder, .quick = true, .still = true, .jobs = 1, .threads = 1
    };
    mp_lab *lab = mp_lab_new(&o, arena);
    double on[8], best = 0;
    int row[4];
    for (int twice = 0; twice < 2; twice++) {
        for (int i = 0; i < 4; i++) {
            mp_ask ask = { .dataset = "COLORS-3",
                           .pool = models[i].pool,
                           .preset = "paper",
                           .seeds = 2,
                           .settings = mp_arena_printf(arena, "ratio=0.8 epochs=40%s", models[i].settings) };
            assert_int_equal(mp_lab_row(lab, &ask, &row[i]), MP_OK);
            assert_int_equal(mp_lab_runs(lab, row[i]), 2);
        }
        read_store(lab);
    }
    for (int i = 0; i < 8; i++)
        best = fmax(best, on[i] = 100 * mp_lab_run_at(lab, row[i / 2], i % 2).result->test_metric);
    for (int i = 0; i < 4; i++) {
        int failed = (on[2 * i] < 0.8 * best) + (on[2 * i + 1] < 0.8 * best);
        assert_true(near(number_behind(s.out.p, "COLORS-3", models[i].row), (on[2 * i] + on[2 * i + 1]) / 2));
        const char *line = strstr(s.out.p, models[i].row);
        assert_int_equal(strncmp(strchr(line, '\n') - 6, mp_arena_printf(arena, "%d of 2", failed), 6), 0);
    }
    assert_non_null(strstr(s.out.p, "less than 80 % of the best seed"));
    mp_spawn_free(&s);
}

static void distinct_colours_have_a_row_for_every_model_and_a_figure_for_every_operator(void **state)
{
    (void)state;
    static const struct {
        const char *row, *settings;
    } models[] = { { "base, 1 column", "score-dim=1" },
                   { "2 columns", "score-dim=2 flip=true" },
                   { "5 columns", "score-dim=5 flip=true" } };
    static const char *const pools[][2] = { { "topk", "TopKPool" }, { "sag", "SAGPool" } };
    const char *folder = path("colours");
    mp_spawned made = expect(0,
                             mp_arena_printf(arena,
                                             "data generate distinct --train 24 --val 16 --test 16 --large 8 "
                                             "--min-nodes 8 --max-nodes 10 --large-min-nodes 11 --large-max-nodes 12 "
                                             "--out %s/DISTINCT",
                                             folder),
                             NULL);
    mp_spawn_free(&made);
    mp_spawned s = expect(0,
                          mp_arena_printf(arena,
                                          "reproduce distinct --quick --pools topk,sag --data %s --store %s --out %s "
                                          "--quiet",
                                          folder, path("colours.db"), path("page.html")),
                          NULL);
    mp_lab_options o = {
        .store_path = path("colours.db"), .data_dir = folder, .quick = true, .still = true, .jobs = 1, .threads = 1
    };
    mp_lab *lab = mp_lab_new(&o, arena);
    mp_span page;
    assert_int_equal(mp_slurp(path("page.html"), 0, arena, &page), MP_OK);
    for (int p = 0; p < 2; p++) {
        const char *line = mp_arena_printf(arena, "%s  ", pools[p][1]);
        for (int i = 0; i < 3; i++) {
            mp_ask ask = { .dataset = "DISTINCT",
                           .pool = pools[p][0],
                           .seeds = 2,
                           .settings = mp_arena_printf(arena, "%s readout=max epochs=40", models[i].settings) };
            mp_choice c;
            int row;
            assert_int_equal(mp_lab_row(lab, &ask, &row), MP_OK);
            read_store(lab);
            assert_int_equal(mp_lab_choose(lab, row, MP_SELECT_VAL, &c), MP_OK);
            assert_true(near(number_behind(s.out.p, line, models[i].row), 100 * c.test.mean));
        }
        assert_non_null(
            strstr(page.p, mp_arena_printf(arena, "Distinct colours, %s: every seed on test-origin", pools[p][1])));
    }
    assert_null(strstr(s.out.p, "3 columns")); /* small versions have every second row */
    mp_spawn_free(&s);
}

/* Of a document that has a place for tables the rest stays. */
static void tables_go_into_documents_and_figures_into_files(void **state)
{
    (void)state;
    static const char before[] = "Mine.\n<!-- reproduced -->\n", old[] = "OUTDATED",
                      behind[] = "<!-- end -->\nAlso mine.\n";
    const char *document = path("document"),
               *more = mp_arena_printf(arena, "--show --markdown %s --figures %s", document, path("f"));
    const char *text = mp_arena_printf(arena, "%s%s%s", before, old, behind);
    mp_span now;
    assert_int_equal(mp_write_file(document, text, strlen(text)), MP_OK);
    for (int twice = 0; twice < 2; twice++) {
        reproduce("classification,train-time", more);
        assert_int_equal(mp_slurp(document, 0, arena, &now), MP_OK);
        text = mp_arena_text(arena, now.p, now.n);
        assert_memory_equal(text, before, strlen(before));
        assert_string_equal(text + now.n - strlen(behind), behind);
        assert_null(strstr(text, old));
        assert_non_null(strstr(text, "| TINY | TopKPool + MID |"));
        assert_null(strstr(text, "Training time")); /* of which there is nothing */
    }
    assert_int_equal(mp_slurp(path("f/classification-1.svg"), 0, arena, &now), MP_OK);
    assert_memory_equal(now.p, "<svg", 4);
    assert_int_equal(mp_slurp(path("f/classification-1.csv"), 0, arena, &now), MP_OK);
    assert_non_null(strstr(now.p, "TINY,TopKPool,base,"));
}

static void a_plan_lists_runs_and_a_wrong_name_is_answered_with_the_nearest(void **state)
{
    (void)state;
    const char *line =
        mp_arena_printf(arena, "reproduce ablation --quick --datasets TINY --data %s --folds 2 --store %s --dry-run",
                        mp_spawn_dir(), path("other.db"));
    mp_spawned s = expect(0, line, NULL);
    const char *mid = strstr(s.out.p, "sag + MID");
    int runs = 0;
    assert_non_null(mid);
    assert_int_equal(sscanf(mid, "sag + MID %*s %d", &runs), 1);
    assert_int_equal(runs, 4 * FOLDS); /* the points of the grid */
    assert_non_null(strstr(s.out.p, "minutes with"));
    mp_spawn_free(&s);
    assert_int_not_equal(access(path("other.db"), F_OK), 0);
    refuse(2, "reproduce ablatoin", "did you mean 'ablation'?");
    refuse(2, "reproduce ablation --pools topc", "did you mean 'topk'?");
    refuse(2, "reproduce ablation --data /nowhere", "--data: no folder '/nowhere'");
    line = mp_arena_printf(arena, "reproduce ablation --datasets TINI --data %s --store %s --out %s", mp_spawn_dir(),
                           path("other.db"), path("p.html"));
    mp_spawn_free(&(mp_spawned[]){ expect(1, line, "no data set 'TINI'") }[0]);
    const char *twice = reproduce("ablation,ablation", "--show");
    assert_null(strstr(strstr(twice, "Ablation") + 1, "Ablation"));
    s = expect(0, "reproduce", NULL);
    for (const mp_experiment *x = mp_experiments; x->name; x++) assert_non_null(strstr(s.out.p, x->name));
    mp_spawn_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_main_table_has_the_scores_of_its_runs),
        cmocka_unit_test(an_ablation_is_made_at_the_setting_chosen_for_all_of_mid),
        cmocka_unit_test(an_ablation_of_a_set_with_one_split_has_one_run_a_row),
        cmocka_unit_test(curves_have_a_row_for_every_point_and_line),
        cmocka_unit_test(counting_is_shown_by_seed_and_says_who_failed),
        cmocka_unit_test(distinct_colours_have_a_row_for_every_model_and_a_figure_for_every_operator),
        cmocka_unit_test(tables_go_into_documents_and_figures_into_files),
        cmocka_unit_test(a_plan_lists_runs_and_a_wrong_name_is_answered_with_the_nearest),
    };
    return cmocka_run_group_tests_name("experiments of studies", tests, make_data, clean);
}
