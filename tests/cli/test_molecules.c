/* test_molecules.c - a chemist's table on the command line: trained on as it is, made files of the Open Graph Benchmark, looked at;
 * options about columns where there are none.
 * SPDX-License-Identifier: MIT */
#include "../rig/rdkit.h"
#include "cli/tiny.h"

/* Sixty molecules, with a row that is none, an odd line end and a quoted comma. */
static int make_table(void **state)
{
    mp_buf b = { 0 };
    if (make_data(state)) return -1;
    mp_buf_puts(&b, "name,smiles,active,toxic\r\n\"x, y\",C1CC,1,0\n");
    for (int i = 0; i < 60; i++) {
        mp_buf_printf(&b, "m%d,", i);
        for (int k = 0; k <= i % 9; k++) mp_buf_puts(&b, "C");
        mp_buf_printf(&b, "%s,%d,%s\n", i % 3 ? "O" : "c1ccccc1", i % 2, i % 5 ? "0" : "");
    }
    mp_err e = mp_write_file(path("mols.csv"), b.p, b.n);
    mp_buf_free(&b);
    return e == MP_OK ? 0 : -1;
}

static void a_table_trains_and_its_model_explains(void **state)
{
    (void)state;
    NEED_RDKIT();
    mp_spawned s =
        expect(0,
               "train @/mols.csv --label active,toxic --split random --pool sag --hidden 8 --epochs 2 --quiet "
               "--out @/m.safetensors",
               "mols.csv:2: 'C1CC': ");
    assert_non_null(strstr(s.out.p, "test: "));
    mp_spawn_free(&s);
    s = expect(0, "explain @/m.safetensors @/mols.csv --graph 1", "mols.csv:2");
    assert_non_null(strstr(s.out.p, "active"));
    mp_spawn_free(&s);
    refuse(1, "train @/mols.csv --label active --strict --quiet", "mols.csv:2: 'C1CC': ");
}

/* Trained for yes and no, a model answers with the words of its table, and reads them. */
static void words_of_a_table_are_kept_as_no_and_yes(void **state)
{
    (void)state;
    NEED_RDKIT();
    static const char table[] =
        "smiles,fate\nC,toxic\nCC,inert\nCCC,toxic\nCCN,inert\nCCO,toxic\nCN,inert\nO,toxic\nN,inert\n"
        "CO,toxic\nCCCC,inert\nCCCN,toxic\nCCCO,inert\n";
    assert_int_equal(mp_write_file(path("fate.csv"), table, strlen(table)), MP_OK);
    mp_spawned s =
        expect(0,
               "train @/fate.csv --label fate --task binary --split random --pool sag --hidden 8 --epochs 2 --quiet "
               "--out @/fate.st",
               NULL);
    mp_spawn_free(&s);
    s = expect(0, "predict @/fate.st @/fate.csv", "agree with the labels of the input");
    assert_memory_equal(s.out.p, "smiles,fate,label_fate,p_toxic\nC,toxic,", 39);
    assert_true(strstr(s.out.p, ",inert,0.") || strstr(s.out.p, ",toxic,0."));
    mp_spawn_free(&s);
    s = expect(0, "predict @/fate.st @/fate.csv --json", NULL);
    const mp_json *classes = mp_json_get(json_of(&s), "classes");
    assert_string_equal(classes->first->text, "inert");
    mp_spawn_free(&s);
    s = expect(0, "explain @/fate.st @/fate.csv --graph 1", NULL);
    assert_non_null(strstr(s.out.p, " with probability of toxic 0."));
    mp_spawn_free(&s);
}

static void labels_must_be_named_to_be_learned(void **state)
{
    (void)state;
    refuse(2, "train @/mols.csv", "say with --label which columns are to be learned: name, smiles, active, toxic");
    refuse(2, "cv @/mols.csv --store @/r.db", "say with --label");
    refuse(2, "train @/mols.csv --label activ", "no column 'activ'; it has name, smiles, active, toxic");
}

static void help_names_the_columns_that_are_found_by_themselves(void **state)
{
    (void)state;
    static const char *const help[] = { "train --help-all", "predict --help", "explain --help", "data info --help" };
    for (size_t i = 0; i < sizeof help / sizeof *help; i++) {
        mp_spawned s = expect(0, help[i], NULL);
        static const char *const name[] = { "smiles,", "canonical_smiles", "isomeric_smiles", "structure" };
        for (size_t k = 0; k < sizeof name / sizeof *name; k++) assert_non_null(strstr(s.out.p, name[k]));
        mp_spawn_free(&s);
    }
}

static void columns_are_refused_where_there_are_none(void **state)
{
    (void)state;
    refuse(2, "train @/TINY --label active", "--label: is for tables and GraphML");
    refuse(2, "data info @/TINY --ignore active", "--ignore: is for tables and GraphML");
    refuse(2, "data info @/TINY --split random", "--split: is for tables");
    refuse(2, "data audit @/TINY --smiles x", "--smiles: is for tables");
    refuse(2, "data convert @/TINY @/x.jsonl --strict", "--strict: is for tables");
    refuse(2, "data from-smiles @/TINY --label y --out @/x", "expected a table");
}

/* The folder is the same data set: figures, split and all. */
static void the_files_made_of_a_table_are_the_table(void **state)
{
    (void)state;
    NEED_RDKIT();
    mp_spawned made =
        expect(0, "data from-smiles @/mols.csv --label active,toxic --split stratified --out @/mols", "mols.csv:2");
    mp_spawned table = expect(0, "data info @/mols.csv --label active,toxic --split stratified --json", NULL);
    mp_spawned files = expect(0, "data info @/mols --json", NULL);
    const mp_json *x = json_of(&table), *y = json_of(&files);
    assert_string_equal(mp_json_get(x, "fingerprint")->text, mp_json_get(y, "fingerprint")->text);
    mp_spawned again = expect(2, "data from-smiles @/mols.csv --label active --out @/mols", "not empty");
    mp_spawn_free(&again);
    mp_spawn_free(&made);
    mp_spawn_free(&table);
    mp_spawn_free(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_trains_and_its_model_explains),
        cmocka_unit_test(words_of_a_table_are_kept_as_no_and_yes),
        cmocka_unit_test(labels_must_be_named_to_be_learned),
        cmocka_unit_test(help_names_the_columns_that_are_found_by_themselves),
        cmocka_unit_test(columns_are_refused_where_there_are_none),
        cmocka_unit_test(the_files_made_of_a_table_are_the_table),
    };
    return cmocka_run_group_tests(tests, make_table, clean);
}
