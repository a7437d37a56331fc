/* test_data_real.c - the real data sets, when they are there: counts, columns, folds, repeated graphs.
 *
 * The figures are those counted by hand for the copies in use (README of the data folder).
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "data/archive.h"
#include "data/audit.h"
#include "data/load.h"
#include "data/stats.h"

#include <math.h>

typedef struct expected {
    const char *name;
    int graphs, classes;
    double avg_nodes;
    int min_nodes, max_nodes;
    double avg_edges;
    int isolated, columns;
    int repeated; /* by node labels or structure, -1: not counted there */
    int train;    /* training graphs of fold 1, 0: no fold files */
} expected;

static const expected sets[] = {
    { "DD", 1178, 2, 284.32, 30, 5748, 715.66, 0, 89, 0, 944 },
    { "PROTEINS", 1113, 2, 39.06, 4, 620, 72.82, 5, 4, 44, 891 },
    { "NCI1", 4110, 2, 29.87, 3, 111, 32.30, 428, 37, 71, 3288 },
    { "NCI109", 4127, 2, 29.68, 4, 111, 32.13, 474, 38, 60, 3303 },
    { "MUTAG", 188, 2, 17.93, 10, 28, 19.79, 0, 7, 13, 152 },
    { "PTC_MR", 344, 2, 14.29, 2, 64, 14.69, 0, 18, 16, 276 },
    { "ENZYMES", 600, 6, 32.63, 2, 126, 62.14, 106, 21, 5, 480 },
    { "Mutagenicity", 4337, 2, 30.32, 4, 417, 30.77, 2401, 14, 0, 0 },
    { "FRANKENSTEIN", 4337, 2, 16.90, 2, 214, 17.88, 298, 14, 202, 0 },
    { "REDDIT-BINARY", 2000, 2, 429.63, 6, 3782, 497.75, 21, 1, 2, 1600 },
    { "IMDB-BINARY", 1000, 2, 19.77, 12, 136, 96.53, 0, 136, 463, 800 },
    { "IMDB-MULTI", 1500, 3, 13.00, 7, 89, 65.94, 0, 89, 1113, 1200 },
    { "COLLAB", 5000, 3, 74.49, 32, 492, 2457.22, 0, 492, -1, 4000 },
    { "COLORS-3", 10500, 11, 61.31, 4, 200, 91.03, 34993, 4, -1, 500 },
    { "TRIANGLES", 45000, 10, 20.85, 4, 100, 32.74, 34870, 15, -1, 30000 },
};

static void check_stats(const expected *x, const mp_dataset *d, mp_arena *a)
{
    mp_stats s;
    mp_stats_of(d, a, &s);
    assert_int_equal(s.graphs, x->graphs);
    assert_int_equal(s.classes, x->classes);
    assert_int_equal(s.min_nodes, x->min_nodes);
    assert_int_equal(s.max_nodes, x->max_nodes);
    assert_int_equal(s.isolated_nodes, x->isolated);
    assert_int_equal(s.columns, x->columns);
    assert_true(fabs(s.avg_nodes - x->avg_nodes) < 0.00501 && fabs(s.avg_edges - x->avg_edges) < 0.00501);
    assert_int_equal(s.edgeless_graphs, 0);
    mp_buf b = { 0 };
    mp_stats_text(d, &s, &b);
    assert_non_null(strstr(b.p, x->name));
    mp_buf_free(&b);
}

static void check_folds(const expected *x, const mp_dataset *d, mp_arena *a)
{
    mp_folds f;
    WORKS(mp_folds_load(d, NULL, 0, a, &f));
    bool fixed = mp_dataset_is_fixed(d);
    assert_string_equal(f.from, fixed ? "fixed" : x->train ? "files" : "stratified");
    assert_int_equal(f.count, fixed ? 1 : 10);
    if (x->train) assert_int_equal(f.split[0].n_train, x->train);
}

static void every_set_has_the_figures_counted_for_it(void **state)
{
    const char *place = real_data();
    if (!place) {
        print_message("no real data sets here: skipped\n");
        skip();
    }
    int found = 0;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        mp_arena *a = mp_arena_new(1 << 20);
        mp_dataset d;
        if (mp_dataset_load(sets[i].name, place, a, &d) != MP_OK) {
            if (!strstr(mp_message(), "no data set")) fail_msg("%s", mp_message());
            print_message("%s is not there: skipped\n", sets[i].name);
        } else {
            found++;
            WORKS(mp_graph_check(&d.graphs));
            check_stats(&sets[i], &d, a);
            check_folds(&sets[i], &d, a);
            if (sets[i].repeated >= 0) {
                mp_audit r;
                mp_audit_run(&d, NULL, a, &r);
                assert_int_equal(r.repeated_labels, sets[i].repeated);
            }
        }
        mp_arena_free(a);
    }
    (void)state;
    if (!found) skip();
}

int main(void)
{
    mp_unpack_with(&mp_libarchive);
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_set_has_the_figures_counted_for_it) };
    return cmocka_run_group_tests_name("data_real", tests, NULL, NULL);
}
