/* test_rebuilt.c - what networks gave back, on cases known by hand; the experiment from the command line to its page.
 * SPDX-License-Identifier: MIT */
#include "cli/tiny.h"
#include "data/signal.h"
#include "experiment/rebuilt.h"
#include "model/checkpoint.h"
#include "train/once.h"

#include <math.h>
#include <stdio.h>

/* Types: 0 carbon, 4 carbon, 1 oxygen, 2 nitrogen, 3 fluorine. */
static void molecules_are_counted_as_given_back_the_same_or_valid(void **state)
{
    (void)state;
    static const int ptr[] = { 10, 11, 13, 14 }, to[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 51, 50, 52, 51 };
    static const unsigned char order[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1 };
    mp_skeleton chain = { 3, ptr, to, order, 50 }; /* three atoms, single bonds, numbers of a collection */
    static const struct {
        int want[3], got[3];
        mp_rebuilt adds;
    } cases[] = {
        { { 0, 0, 1 }, { 0, 0, 1 }, { 3, 3, 1, 1, 1, 1 } }, /* all right */
        { { 0, 0, 1 }, { 0, 4, 1 }, { 3, 2, 1, 1, 1, 1 } }, /* another type of the same element */
        { { 0, 0, 1 }, { 1, 0, 0 }, { 3, 1, 1, 0, 1, 1 } }, /* the same molecule from its other end */
        { { 0, 0, 1 }, { 0, 1, 0 }, { 3, 1, 1, 0, 0, 1 } }, /* an ether is another molecule */
        { { 0, 0, 1 }, { 0, 3, 1 }, { 3, 2, 1, 0, 0, 0 } }, /* fluorine has no two bonds */
        { { 0, 3, 1 }, { 0, 3, 1 }, { 3, 3, 0, 0, 0, 0 } }, /* it was no molecule before */
    };
    mp_rebuilt sum = { 0 }, all = { 18, 12, 5, 2, 3, 4 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_rebuilt one = { 0 };
        mp_rebuilt_add(&one, &chain, cases[i].want, cases[i].got, arena);
        assert_memory_equal(&one, &cases[i].adds, sizeof one);
        mp_rebuilt_add(&sum, &chain, cases[i].want, cases[i].got, arena);
    }
    assert_memory_equal(&sum, &all, sizeof sum);
}

/* The error of the measurement is the loss of the run. */
static void coordinates_have_the_error_that_training_says(void **state)
{
    (void)state;
    const mp_signal *s = mp_signal_of_set("DAVID");
    static const mp_fit_options nothing;
    mp_raw raw;
    mp_dataset d;
    mp_folds f;
    mp_config c;
    mp_run_result r;
    mp_model *m;
    const double *xy;
    double mse, sum = 0;
    mp_config_init(&c);
    assert_int_equal(mp_conf_set_all(mp_config_table, &c, "arch=autoencoder pool=sag hidden=8 epochs=20 lr=0.01", "t"),
                     MP_OK);
    mp_dataset_as as = mp_config_as(&c);
    assert_int_equal(mp_signal_make(s, &s->usual, arena, &raw), MP_OK);
    assert_int_equal(mp_dataset_build(&raw, &as, arena, &d), MP_OK);
    mp_folds_single(arena, &f);
    mp_run_key key = mp_run_key_of(&d, &f, &f.split[0], &c);
    assert_int_equal(mp_run_once(&d, &f.split[0], &key, 1, &nothing, arena, &r, &m), MP_OK);
    mp_subject subject = { m, &d.graphs, &d.x, f.split[0].val, 1, 1 };
    assert_int_equal(mp_rebuilt_coordinates(&subject, arena, &xy, &mse), MP_OK);
    assert_true(fabs(mse - r.val_loss) < 1e-6 * r.val_loss);
    for (int i = 0; i < 2 * 64; i++) sum += (xy[i] - (double)d.x.val[i]) * (xy[i] - (double)d.x.val[i]);
    assert_true(fabs(sum / 128 - mse) < 1e-9);
}

static const char *page(void)
{
    mp_span text;
    assert_int_equal(mp_slurp(path("page.html"), 0, arena, &text), MP_OK);
    return text.p;
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, word)) != NULL; p++) n++;
    return n;
}

/* A set ZINC_12k of our own: ten chains of three atoms with bonds, in the benchmark's 28 labels. */
static void make_molecules(void)
{
    mp_raw raw;
    assert_int_equal(mp_generate_er(&(mp_er_options){ 0, 40, 3, 2, 0 }, arena, &raw), MP_OK);
    int *label = MP_NEW(arena, int, raw.graphs.nodes), *bond = MP_NEW(arena, int, raw.graphs.edges);
    for (int v = 0; v < raw.graphs.nodes; v++) label[v] = v % 7 == 0 ? 1 : v % 3 == 0 ? 2 : 0;
    for (int e = 0; e < raw.graphs.edges; e++) bond[e] = 1;
    raw.name = "ZINC_12k";
    raw.graph_label = NULL;
    raw.labels = label;
    raw.label_columns = 1;
    raw.edge_labels = bond;
    raw.edge_label_columns = 1;
    double *target = MP_NEW(arena, double, 40);
    raw.target = target;
    raw.target_columns = 1;
    for (int k = 0; k < 3; k++) {
        raw.fixed[k][0] = k ? 10 + 10 * k : 0;
        raw.fixed[k][1] = 20 + 10 * k;
        raw.fixed_name[k] = k == 0 ? "train" : k == 1 ? "val" : "test-origin";
    }
    assert_int_equal(mp_tu_write(&raw, path("ZINC_12k")), MP_OK);
}

static void the_experiment_has_its_tables_and_pictures(void **state)
{
    (void)state;
    make_molecules();
    const char *line = mp_arena_printf(
        arena, "reproduce reconstruction --quick --datasets ZINC_12k,DAVID --data %s --store %s --out %s --quiet",
        mp_spawn_dir(), path("runs.db"), path("page.html"));
    mp_spawned s = expect(0, line, NULL);
    const char *out = s.out.p;
    assert_int_equal(count(out, "\nSAGPool   base"), 2); /* ratios */
    assert_int_equal(count(out, "\nSAGPool   MID"), 2);
    assert_int_equal(count(out, "\nDAVID  SAGPool"), 1);
    assert_non_null(strstr(out, "stand in for the benchmark's"));
    static const char *const pictures[] = { "Atoms of the right type", "Molecules given back exactly",
                                            "Valid molecules", "DAVID, original and given back" };
    for (int i = 0; i < 4; i++) assert_non_null(strstr(page(), pictures[i]));
    assert_null(strstr(out, "nan"));
    mp_spawned again = expect(0, mp_arena_printf(arena, "%s --show", line), NULL); /* all of it is in the store */
    assert_string_equal(again.out.p, out);
    mp_spawn_free(&again);
    mp_spawn_free(&s);
}

/* What is drawn is what was measured: the error of the table is that of the points in the picture, of which each has a place. */
static void the_picture_has_the_error_of_the_table(void **state)
{
    (void)state;
    enum { MOST = 500 };
    static double xy[3][MOST][2];
    static const char *const panels[] = { "original,", "\"SAGPool, MSE ", "\"SAGPool + flipscore, MSE " };
    mp_spawned s =
        expect(0,
               mp_arena_printf(arena,
                               "reproduce reconstruction --quick --datasets DAVID --data %s --store %s --out %s "
                               "--figures %s --quiet",
                               mp_spawn_dir(), path("runs.db"), path("page.html"), path("f")),
               NULL);
    const char *row = strstr(s.out.p, "\nDAVID  SAGPool");
    double told[3] = { 0 }, sum[3] = { 0 };
    int points[3] = { 0 };
    assert_non_null(row);
    assert_int_equal(sscanf(row, " DAVID SAGPool %lf %lf", &told[1], &told[2]), 2);
    mp_span text, line;
    assert_int_equal(mp_slurp(path("f/reconstruction-1.csv"), 0, arena, &text), MP_OK);
    while (mp_next_line(&text, &line)) {
        const char *copy = mp_arena_text(arena, line.p, line.n);
        for (int p = 0; p < 3; p++) {
            double *at = xy[p][points[p]];
            if (strncmp(copy, panels[p], strlen(panels[p])) != 0) continue;
            assert_int_equal(
                sscanf(strrchr(copy, '"') ? strrchr(copy, '"') + 1 : strchr(copy, ','), ",%*d,%lf,%lf", &at[0], &at[1]),
                2);
            assert_in_range(++points[p], 1, MOST - 1);
        }
    }
    for (int p = 1; p < 3; p++) {
        assert_true(points[p] == points[0] && points[0] > 10);
        for (int i = 0; i < 2 * points[0]; i++)
            sum[p] += pow(xy[p][i / 2][i % 2] - xy[0][i / 2][i % 2], 2) / (2 * points[0]);
        assert_true(fabs(sum[p] - told[p]) < 1e-3 * told[p]);
    }
    mp_spawn_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(molecules_are_counted_as_given_back_the_same_or_valid),
        cmocka_unit_test(coordinates_have_the_error_that_training_says),
        cmocka_unit_test(the_experiment_has_its_tables_and_pictures),
        cmocka_unit_test(the_picture_has_the_error_of_the_table),
    };
    return cmocka_run_group_tests_name("rebuilt", tests, make_data, clean);
}
