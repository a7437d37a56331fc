/* test_variants.c - a data set as several configurations read it: each variant is loaded once, when it is first asked for.
 * SPDX-License-Identifier: MIT */
#include "experiment/tiny_folder.h"
#include "cli/setup.h"
#include "data/split.h"
#include "study/variants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

static int make_folder(void **state)
{
    return make_tiny(state, 12, 4, 4);
}

static mp_config reads(const char *settings)
{
    mp_config c;
    mp_config_init(&c);
    assert_int_equal(mp_conf_set_all(mp_config_table, &c, settings, "settings"), MP_OK);
    return c;
}

/* Whichever comes first, the second is not the first, and what is read alike is the same. */
static void the_first_is_told_and_each_is_loaded_once(void **state)
{
    static const char *const how[] = { "pool=sag", "pool=sag arch=autoencoder" }; /* labels of graphs, of nodes */
    for (int begin = 0; begin < 2; begin++) {
        mp_variants v = { .name = "TINY", .data_dir = folder };
        mp_dataset *d[3];
        bool first[3];
        for (int i = 0; i < 3; i++) {
            mp_config c = reads(how[(begin + i) % 2]);
            assert_int_equal(mp_variant_of(&v, &c, *state, &d[i], &first[i]), MP_OK);
            assert_int_equal(d[i]->task->nodes, (begin + i) % 2);
        }
        assert_true(first[0] && !first[1] && !first[2]);
        assert_true(d[0] == d[2] && d[0] != d[1]);
    }
}

/* Values of edges that a set does not have make no other variant of it. */
static void who_reads_edges_shares_a_set_that_has_none(void **state)
{
    mp_variants v = { .name = "TINY", .data_dir = folder };
    mp_dataset *plain, *edges;
    mp_config c = reads("pool=sag"), e = reads("pool=sag conv=gine");
    assert_int_equal(mp_variant_of(&v, &c, *state, &plain, NULL), MP_OK);
    assert_int_equal(mp_variant_of(&v, &e, *state, &edges, NULL), MP_OK);
    assert_ptr_equal(plain, edges);
}

/* A label for every line of edges. */
static void give_edges_labels(void)
{
    char path[128], text[64];
    snprintf(path, sizeof path, "%s/TINY/TINY_A.txt", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    int lines = 0;
    while (fgets(text, sizeof text, f)) lines++;
    fclose(f);
    snprintf(path, sizeof path, "%s/TINY/TINY_edge_labels.txt", folder);
    f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < lines; i++) fputs("1\n", f);
    fclose(f);
}

static void a_set_with_values_of_edges_is_read_with_and_without_them(void **state)
{
    mp_arena *a = *state;
    give_edges_labels();
    mp_variants v = { .name = "TINY", .data_dir = folder };
    mp_dataset *plain, *edges, *again;
    mp_config c = reads("pool=sag"), e = reads("pool=sag conv=gine");
    assert_int_equal(mp_variant_of(&v, &c, a, &plain, NULL), MP_OK);
    assert_int_equal(mp_variant_of(&v, &e, a, &edges, NULL), MP_OK);
    assert_int_equal(mp_variant_of(&v, &e, a, &again, NULL), MP_OK);
    assert_ptr_not_equal(plain, edges);
    assert_ptr_equal(again, edges);
    assert_true(plain->unused_edge_columns == 1 && !plain->graphs.edge_x);
    assert_true(edges->unused_edge_columns == 0 && edges->graphs.edge_x);
}

/* With edges of graphs, then of nodes, then plainly: three variants, three lines, and none again. */
static void every_variant_is_described_once(void **state)
{
    static const char *const how[] = { "pool=sag conv=gine", "pool=sag arch=autoencoder", "pool=sag" };
    mp_variants v = { .name = "TINY", .data_dir = folder };
    give_edges_labels();
    for (int i = 0; i < 6; i++) {
        mp_config c = reads(how[i % 3]);
        mp_dataset *d;
        mp_folds f;
        char line[512];
        assert_int_equal(mp_setup_variant(&v, &c, *state, &d), MP_OK);
        assert_int_equal(mp_folds_load(d, NULL, 2, *state, &f), MP_OK);
        assert_int_equal(mp_setup_use(&v, &c, &f, *state, &d, line, sizeof line), MP_OK);
        assert_int_equal(line[0] != '\0', i < 3);
        if (i < 3) assert_non_null(strstr(line, "TINY: 20 graphs"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_is_told_and_each_is_loaded_once, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(who_reads_edges_shares_a_set_that_has_none, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_set_with_values_of_edges_is_read_with_and_without_them, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(every_variant_is_described_once, make_folder, remove_folder),
    };
    return cmocka_run_group_tests_name("variants", tests, NULL, NULL);
}
