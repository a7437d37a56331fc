/* test_measured.c - the experiments that look at trained models, from the command line to their tables: small versions on a small
 * data set.
 * SPDX-License-Identifier: MIT */
#define TINY_GRAPHS 16, 6, 6 /* 28: a fold of two tests on half of them */
#include "cli/tiny.h"
#include "experiment/correctness.h"
#include "experiment/lab.h"
#include "model/checkpoint.h"
#include "train/preset.h"

static const char *reproduce(const char *names, const char *more)
{
    const char *line = mp_arena_printf(
        arena, "reproduce %s --quick --datasets TINY --data %s --folds 2 --store %s --out %s --quiet %s", names,
        mp_spawn_dir(), path("runs.db"), path("page.html"), more);
    mp_spawned s = expect(0, line, NULL);
    const char *out = mp_arena_text(arena, s.out.p, s.out.n);
    mp_spawn_free(&s);
    return out;
}

/* Lines that begin with the data set and have the word in them. */
static int rows_with(const char *text, const char *word)
{
    int n = 0;
    mp_span rest = mp_span_of(text), line;
    while (mp_next_line(&rest, &line)) {
        const char *copy = mp_arena_text(arena, line.p, line.n);
        n += strncmp(copy, "TINY ", 5) == 0 && strstr(copy, word) && !strstr(copy, "nan");
    }
    return n;
}

static const char *page(void)
{
    mp_span text;
    assert_int_equal(mp_slurp(path("page.html"), 0, arena, &text), MP_OK);
    return text.p;
}

#define NAMES "score-correctness,information-gain,score-columns,kept-neighbours"

static void every_measurement_has_its_rows_and_pictures(void **state)
{
    (void)state;
    const char *out = reproduce(NAMES, "");
    assert_int_equal(rows_with(out, "h = 1"), 1 + 4 + 1);  /* first table, four cuts, outputs */
    assert_int_equal(rows_with(out, " median "), 3);       /* models */
    assert_int_equal(rows_with(out, "as printed"), 2 * 3); /* operators, poolings */
    assert_int_equal(rows_with(out, "edge by edge"), 2 * 3);
    assert_int_equal(rows_with(out, "without dropscore"), 3);
    assert_int_equal(rows_with(out, "training mode"), 3);
    static const char *const pictures[] = { "Score correctness of SAGPool", "Information gain, as printed",
                                            "Information gain, edge by edge", "Score columns of SAGPool, first pooling",
                                            "Edges between kept nodes, SAGPool, first pooling" };
    for (int i = 0; i < 5; i++) assert_non_null(strstr(page(), pictures[i]));
    assert_string_equal(reproduce(NAMES, "--show"), out); /* all of it is in the store */
}

/* The AUC of the models that were kept, each on the graphs that its fold tests on. */
static void numbers_are_those_of_the_kept_models_on_their_test_graphs(void **state)
{
    (void)state;
    const char *out = reproduce("score-correctness", "");
    mp_lab_options o = { .store_path = path("runs.db"),
                         .data_dir = mp_spawn_dir(),
                         .quick = true,
                         .still = true,
                         .folds = 2,
                         .jobs = 1,
                         .threads = 1 };
    mp_ask ask = { .dataset = "TINY",
                   .pool = "sag",
                   .preset = MP_PRESET_PAPER,
                   .settings = "score-dim=1 epochs=200",
                   .models = true };
    mp_study kept = { .store_path = path("runs.db"), .keep_models = true };
    mp_lab *lab = mp_lab_new(&o, arena);
    int row;
    double sum = 0;
    assert_int_equal(mp_lab_row(lab, &ask, &row), MP_OK);
    assert_int_equal(mp_lab_runs(lab, row), 2);
    for (int i = 0; i < 2; i++) {
        const mp_cv_run *run = mp_lab_run_at(lab, row, i).run;
        mp_model *m;
        mp_about about;
        mp_truths t;
        if (mp_checkpoint_load(mp_study_model_path(&kept, &run->key, arena), arena, &m, &about) != MP_OK)
            fail_msg("%s", mp_message());
        mp_subject s = { m, &run->data->graphs, &run->data->x, run->split->test, run->split->n_test, 1 };
        assert_int_equal(s.n, 14);
        assert_int_equal(mp_truths_find(&s, MP_TRUTH_TOLD, arena, &t), MP_OK);
        sum += mp_truths_auc(&t, MP_CUT_MEAN, 0.5, MP_AUC_STANDARD, arena);
    }
    char mean[32];
    mp_format(mean, sizeof mean, " 2  %.2f ", 50 * sum);
    assert_int_equal(rows_with(out, mean), 1);
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)); text++) n++;
    return n;
}

static void case_studies_draw_columns_and_draws(void **state)
{
    (void)state;
    const char *out = reproduce("case-studies", "");
    assert_int_equal(count(page(), " nodes in 3 views. column 1: "), 2);
    assert_int_equal(count(page(), " nodes in 4 views. without: "), 2);
    assert_int_equal(count(page(), "6 nodes in 3 views. evaluation: 6 nodes, 3 kept: 0 1 2. draw 1: "), 2);
    assert_non_null(strstr(out,
                           "largest difference between scores of the first pooling is 0, between the readouts behind "
                           "it 0:"));
    assert_non_null(strstr(out, "In evaluation it is off, and the tie stands."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_measurement_has_its_rows_and_pictures),
        cmocka_unit_test(numbers_are_those_of_the_kept_models_on_their_test_graphs),
        cmocka_unit_test(case_studies_draw_columns_and_draws),
    };
    return cmocka_run_group_tests_name("experiments that look at models", tests, make_data, clean);
}
