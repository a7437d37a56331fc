/* test_columns.c - which columns of tables are learned, and which are features, is what the caller of the library says.
 * SPDX-License-Identifier: MIT */
#include <midpool.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct fixture {
    char folder[64], tables[80], lines[80];
} fixture;

static const char *const made[] = { "tables/graphs.csv", "tables/nodes.csv", "tables/edges.csv", "one.jsonl" };
static const char *const text[] = {
    "graph_id,toxic,weight\na,yes,1.5\nb,no,2.5\nc,yes,3.5\nd,no,4.5\n",
    "graph_id,node_id,kind,size\na,0,C,1\na,1,N,2\nb,0,C,3\nc,0,N,4\nc,1,N,5\nd,0,C,6\n",
    "graph_id,source,target\na,0,1\nc,0,1\n",
    "{\"nodes\":1,\"edges\":[],\"y\":1}\n",
};
enum { FILES = 4 };

static int set_up(void **state)
{
    static fixture f = { .folder = "/tmp/midpool-columns-XXXXXX" };
    *state = &f;
    if (!mkdtemp(f.folder)) return -1;
    snprintf(f.tables, sizeof f.tables, "%s/tables", f.folder);
    snprintf(f.lines, sizeof f.lines, "%s/one.jsonl", f.folder);
    if (mkdir(f.tables, 0700) != 0) return -1;
    for (int i = 0; i < FILES; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", f.folder, made[i]);
        FILE *out = fopen(path, "w");
        if (!out || fputs(text[i], out) < 0 || fclose(out) != 0) return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    const fixture *f = *state;
    for (int i = 0; i < FILES; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", f->folder, made[i]);
        remove(path);
    }
    return rmdir(f->tables) == 0 && rmdir(f->folder) == 0 ? 0 : -1;
}

static mp_data *loaded(const fixture *f, const mp_data_columns *columns, mp_data_info *info)
{
    mp_data *d = NULL;
    if (mp_data_load_columns(f->tables, NULL, columns, &d) != MP_OK) fail_msg("%s", mp_message());
    mp_data_about(d, info);
    return d;
}

static void named_columns_are_learned(void **state)
{
    mp_data_info i;
    double weight[4];
    mp_data *d = loaded(*state, &(mp_data_columns){ .label = "toxic" }, &i);
    assert_int_equal(i.targets, 1);
    assert_int_equal(i.class_names, 2);
    assert_string_equal(mp_data_class(d, 1), "yes");
    mp_data_free(d);
    d = loaded(*state, &(mp_data_columns){ .label = "weight" }, &i);
    assert_string_equal(i.task, "regress");
    assert_int_equal(mp_data_read(d, NULL, 0, &(mp_arrays_out){ .label = weight }), MP_OK);
    assert_true(weight[0] == 1.5 && weight[3] == 4.5);
    mp_data_free(d);
}

static void ignored_columns_are_no_features(void **state)
{
    mp_data_info i;
    mp_data *d = loaded(*state, &(mp_data_columns){ .ignore = "size" }, &i);
    assert_int_equal(i.node_labels, 1);
    assert_int_equal(i.node_attributes, 0);
    mp_data_free(d);
}

static void without_a_word_names_decide(void **state)
{
    const fixture *f = *state;
    mp_data_info i;
    for (int k = 0; k < 3; k++) {
        mp_data *d = NULL;
        if (k == 2)
            assert_int_equal(mp_data_load(f->tables, NULL, &d), MP_OK);
        else
            d = loaded(f, k ? NULL : &(mp_data_columns){ 0 }, &i);
        mp_data_about(d, &i);
        assert_int_equal(i.targets, 0);
        assert_int_equal(i.node_labels, 1);
        assert_int_equal(i.node_attributes, 1);
        mp_data_free(d);
    }
}

static void columns_that_are_not_there_are_refused(void **state)
{
    const fixture *f = *state;
    mp_data *d = NULL;
    assert_int_equal(mp_data_load_columns(f->tables, NULL, &(mp_data_columns){ .label = "weigth" }, &d), MP_ERR_USAGE);
    assert_non_null(strstr(mp_message(), "has no 'weigth' of graphs; it has toxic, weight"));
    assert_int_equal(mp_data_load_columns(f->lines, NULL, &(mp_data_columns){ .label = "y" }, &d), MP_ERR_USAGE);
    assert_non_null(strstr(mp_message(), "--label: is for tables and GraphML"));
    assert_null(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_columns_are_learned),
        cmocka_unit_test(ignored_columns_are_no_features),
        cmocka_unit_test(without_a_word_names_decide),
        cmocka_unit_test(columns_that_are_not_there_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
