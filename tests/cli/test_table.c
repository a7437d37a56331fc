/* test_table.c - midpool predict on tables of molecules from outside: the table comes back byte by byte with answers behind
 * every row, rows that are no molecules keep their place, and --out writes all or nothing.
 * SPDX-License-Identifier: MIT */
#include "chem/chem.h"
#include "cli/tiny.h"
#include "model/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEEDS_RDKIT()                                                                                                  \
    if (!mp_chem_made()) skip()

static const char *const smiles[] = { "CCO",      "c1ccccc1", "CC(=O)O",    "CCN",    "C1CCCCC1", "CC#N",
                                      "c1ccncc1", "OCC(O)CO", "CC(C)(C)OC", "C=CC=C", "NCC(=O)O", "Oc1ccccc1" };
enum { MOLECULES = sizeof smiles / sizeof *smiles, COPIES = 5 };

static void put_text(const char *name, const char *text)
{
    assert_int_equal(mp_write_file(path(name), text, strlen(text)), MP_OK);
}

static void put_ints(mp_buf *b, const char *key, const int *v, int rows, int columns)
{
    mp_buf_printf(b, ",\"%s\":[", key);
    for (int i = 0; i < rows; i++) {
        mp_buf_puts(b, i ? ",[" : "[");
        for (int k = 0; k < columns; k++) mp_buf_printf(b, "%s%d", k ? "," : "", v[i * columns + k]);
        mp_buf_puts(b, "]");
    }
    mp_buf_puts(b, "]");
}

/* A molecule as a line of JSON: what a table must be answered like. */
static void put_molecule(mp_buf *b, const char *text, const char *y)
{
    mp_molecule m;
    mp_arena *a = mp_arena_new(0);
    assert_int_equal(mp_molecule_read(mp_span_of(text), 0, a, &m), MP_OK);
    mp_buf_printf(b, "{\"nodes\":%d,\"edges\":[", m.atoms);
    for (int e = 0; e < m.bonds; e++) mp_buf_printf(b, "%s[%d,%d]", e ? "," : "", m.from[e], m.to[e]);
    mp_buf_puts(b, "]");
    put_ints(b, "labels", m.atom, m.atoms, MP_ATOM_COLUMNS);
    put_ints(b, "edge_labels", m.bond, m.bonds, MP_BOND_COLUMNS);
    mp_buf_printf(b, ",\"y\":%s}\n", y);
    mp_arena_free(a);
}

static void train(const char *data, const char *out, const char *const *names)
{
    mp_model *model;
    mp_about about;
    mp_spawned s = expect(
        0,
        mp_arena_printf(arena, "train @/%s --pool sag --hidden 8 --layers 2 --epochs 2 --quiet --out @/%s", data, out),
        NULL);
    mp_spawn_free(&s);
    assert_int_equal(mp_checkpoint_load(path(out), arena, &model, &about), MP_OK);
    about.target_name = names;
    assert_int_equal(mp_checkpoint_save(path(out), model, &about), MP_OK);
}

static int set_up(void **state)
{
    static const char *const names[] = { "active", "toxic" }, *const one[] = { "kind" };
    mp_buf two = { 0 }, class = { 0 };
    if (make_data(state) != 0) return -1;
    if (!mp_chem_made()) return 0;
    for (int i = 0; i < MOLECULES * COPIES; i++) {
        put_molecule(&two, smiles[i % MOLECULES], i % 2 ? "[1,0]" : i % 5 ? "[0,1]" : "[0,null]");
        put_molecule(&class, smiles[i % MOLECULES], i % 3 ? "\"inert, safe\"" : "\"toxic\"");
    }
    assert_int_equal(mp_write_file(path("two.jsonl"), two.p, two.n), MP_OK);
    assert_int_equal(mp_write_file(path("class.jsonl"), class.p, class.n), MP_OK);
    mp_buf_free(&two);
    mp_buf_free(&class);
    train("two.jsonl", "two.st", names);
    train("class.jsonl", "class.st", one);
    return 0;
}

static char *output(const char *line)
{
    mp_spawned s = expect(0, line, NULL);
    char *copy = mp_arena_text(arena, s.out.p, s.out.n);
    mp_spawn_free(&s);
    return copy;
}

static const char *line_of(const char *text, int n)
{
    while (n-- > 0) text = strchr(text, '\n') + 1;
    return mp_arena_text(arena, text, strcspn(text, "\n"));
}

/* Quotes, a line end within them, blanks, CR LF, bytes that are no UTF-8, a last row without its line end. */
static const char odd[] = "id,SMILES,\"no\"\"te\"\r\n"
                          "1,CCO,plain\r\n"
                          "2,\"c1ccccc1\",\"a, \"\"b\"\"\nand more\"\n"
                          "3, CCN ,\xFF\xFE\x07\n"
                          "4,no molecule,x\n"
                          "\"5\",CC(=O)O,";

/* Rows that are no molecules count: they belong to one part as others do. */
static void parts_of_a_table_behind_each_other_are_the_whole(void **state)
{
    (void)state;
    NEEDS_RDKIT();
    put_text("odd.csv", odd);
    char *whole = output("predict @/two.st @/odd.csv");
    for (int n = 1; n <= 5; n++) {
        mp_buf all = { 0 };
        int notes = 0;
        for (int i = 1; i <= n; i++) {
            mp_spawned s = expect(0, mp_arena_printf(arena, "predict @/two.st @/odd.csv --part %d/%d", i, n), NULL);
            mp_buf_add(&all, s.out.p, s.out.n);
            notes += s.err.p && strstr(s.err.p, "odd.csv:6: no answer: ");
            mp_spawn_free(&s);
        }
        assert_int_equal(all.n, strlen(whole));
        assert_memory_equal(all.p, whole, all.n);
        assert_int_equal(notes, 1);
        mp_buf_free(&all);
    }
}

/* Takes the added cells off every record again: what is left must be the input. */
static void assert_same_but_for_cells(const char *out, size_t n, const char *in, int cells)
{
    size_t i = 0, k = 0;
    bool quoted = false;
    for (; in[i]; i++) {
        bool end = !quoted && (in[i] == '\n' || (in[i] == '\r' && in[i + 1] == '\n'));
        if (in[i] == '"') quoted = !quoted;
        for (int c = 0; end && c < cells; c++) {
            assert_true(k < n && out[k] == ',');
            for (k++; k < n && out[k] != ',' && out[k] != '\r' && out[k] != '\n'; k++) {}
        }
        for (; end && in[i] != '\n'; i++, k++) assert_int_equal(out[k], in[i]);
        assert_true(k < n);
        assert_int_equal((unsigned char)out[k++], (unsigned char)in[i]);
    }
    for (int c = 0; c < cells; c++) { /* of a last record without a line end */
        assert_true(k < n && out[k] == ',');
        for (k++; k < n && out[k] != ','; k++) {}
    }
    assert_int_equal(k, n);
}

static void a_table_comes_back_with_every_byte_and_answers_behind(void **state)
{
    (void)state;
    NEEDS_RDKIT();
    put_text("odd.csv", odd);
    mp_spawned s = expect(0, "predict @/two.st @/odd.csv", "odd.csv:6: no answer: ");
    assert_non_null(strstr(s.err.p, "1 of 5 rows are no molecules and have no answer"));
    assert_same_but_for_cells(s.out.p, s.out.n, odd, 2);
    assert_string_equal(line_of(s.out.p, 0), "id,SMILES,\"no\"\"te\",probability_active,probability_toxic\r");
    assert_string_equal(line_of(s.out.p, 5), "4,no molecule,x,,");
    mp_spawn_free(&s);
    s = expect(0, "predict @/two.st @/two.st @/odd.csv", NULL);
    assert_same_but_for_cells(s.out.p, s.out.n, odd, 4);
    assert_non_null(strstr(s.out.p, "probability_toxic,spread_active,spread_toxic\r\n"));
    mp_spawn_free(&s);
    s = expect(0, "predict @/class.st @/odd.csv", NULL);
    assert_non_null(strstr(s.out.p, ",label_kind,\"p_inert, safe\",p_toxic\r\n"));
    assert_non_null(strstr(s.out.p, "4,no molecule,x,,,\n"));
    mp_spawn_free(&s);
}

/* 60 rows, of which every seventh is none, in several pieces. */
static void put_long(const char *name, int rows)
{
    mp_buf b = { 0 };
    mp_buf_puts(&b, "smiles,active,toxic,name\n");
    for (int i = 0; i < rows; i++)
        mp_buf_printf(&b, "%s,%d,%s,row %d\n", i % 7 == 3 ? "C(" : smiles[i % MOLECULES], i % 2, i % 4 ? "0" : "", i);
    assert_int_equal(mp_write_file(path(name), b.p, b.n), MP_OK);
    mp_buf_free(&b);
}

static void answers_are_those_of_the_same_graphs_in_order(void **state)
{
    (void)state;
    NEEDS_RDKIT();
    mp_buf lines = { 0 };
    put_long("few.csv", 60);
    for (int i = 0; i < 60; i++)
        if (i % 7 != 3) put_molecule(&lines, smiles[i % MOLECULES], "null");
    assert_int_equal(mp_write_file(path("few.jsonl"), lines.p, lines.n), MP_OK);
    mp_buf_free(&lines);
    char *table = output("predict @/two.st @/few.csv"), *graphs = output("predict @/two.st @/few.jsonl --csv");
    for (int i = 0, g = 1; i < 60; i++) {
        const char *row = line_of(table, i + 1), *tail = strstr(row, mp_arena_printf(arena, "row %d", i));
        assert_non_null(tail);
        tail = strchr(tail, ',');
        if (i % 7 == 3) {
            assert_string_equal(tail, ",,");
            continue;
        }
        const char *line = line_of(graphs, g++); /* graph, two labels, two probabilities */
        for (int k = 0; k < 3; k++) line = strchr(line + 1, ',');
        assert_string_equal(tail, line);
    }
}

static void pieces_and_threads_do_not_show(void **state)
{
    (void)state;
    NEEDS_RDKIT();
    put_long("long.csv", 4000); /* several pieces */
    mp_spawned one = expect(0, "predict @/two.st @/long.csv --threads 1 --calibration", NULL);
    for (int threads = 2; threads <= 4; threads++) {
        mp_spawned s =
            expect(0, mp_arena_printf(arena, "predict @/two.st @/long.csv --threads %d --calibration", threads), NULL);
        assert_true(s.out.n == one.out.n && memcmp(s.out.p, one.out.p, s.out.n) == 0);
        assert_string_equal(s.err.p, one.err.p);
        mp_spawn_free(&s);
    }
    assert_non_null(strstr(one.err.p, "long.csv:3995: no answer: "));
    assert_non_null(strstr(one.err.p, "571 of 4000 rows are no molecules"));
    assert_non_null(strstr(one.err.p, "agree with the labels of the input"));
    assert_non_null(strstr(one.err.p, "expected calibration error"));
    mp_spawn_free(&one);
    assert_int_equal(system(mp_arena_printf(arena, "gzip -k '%s'", path("long.csv"))), 0);
    assert_string_equal(output("predict @/two.st @/long.csv.gz"), output("predict @/two.st @/long.csv"));
}

static void json_has_every_row(void **state)
{
    (void)state;
    NEEDS_RDKIT();
    put_text("bad.csv", "smiles\nx\nCCO\n\"\"\n");
    mp_spawned s = expect(0, "predict @/two.st @/bad.csv --json", NULL);
    const mp_json *graphs = mp_json_get(json_of(&s), "graphs");
    assert_int_equal(graphs->count, 3);
    for (int i = 0; i < 3; i++) {
        const mp_json *row = mp_json_at(graphs, i);
        assert_int_equal(mp_json_int(row, "graph", -1), i);
        assert_true(i == 1 ? mp_json_get(row, "probability_toxic") != NULL : mp_json_get(row, "error") != NULL);
    }
    mp_spawn_free(&s);
}

static void strict_stops_after_the_rows_before(void **state)
{
    (void)state;
    NEEDS_RDKIT();
    mp_spawned s = expect(1, "predict @/two.st @/few.csv --strict", "few.csv:5: ");
    assert_non_null(strstr(s.out.p, "row 2,"));
    assert_null(strstr(s.out.p, "row 3"));
    mp_spawn_free(&s);
    s = expect(1, "predict @/two.st @/few.csv --strict --out @/strict.csv", "few.csv:5: ");
    assert_int_equal(s.out.n, 0);
    assert_int_not_equal(access(path("strict.csv"), F_OK), 0); /* all or nothing */
    mp_spawn_free(&s);
}

static void out_has_what_the_output_would_have(void **state)
{
    (void)state;
    NEEDS_RDKIT();
    static const char *const lines[] = { "predict @/two.st @/odd.csv", "predict @/two.st @/few.jsonl --json",
                                         "predict @/two.st @/few.jsonl" };
    for (int i = 0; i < 3; i++) {
        mp_spawned s = expect(0, lines[i], NULL),
                   t = expect(0, mp_arena_printf(arena, "%s --out @/made", lines[i]), NULL);
        mp_span made;
        assert_int_equal(mp_slurp(path("made"), 0, arena, &made), MP_OK);
        assert_true(made.n == s.out.n && memcmp(made.p, s.out.p, made.n) == 0);
        assert_int_equal(t.out.n, 0);
        mp_spawn_free(&s);
        mp_spawn_free(&t);
    }
    refuse(1, "predict @/two.st @/odd.csv --out @/none/made", "none/made");
    refuse(1, "predict @/two.st @/missing.csv --out @/made.csv", "missing.csv");
    assert_int_not_equal(access(path("made.csv"), F_OK), 0);
}

static void tables_that_cannot_be_answered_are_refused(void **state)
{
    (void)state;
    NEEDS_RDKIT();
    put_text("other.csv", "id,mol\n1,CCO\n");
    put_text("again.csv", "smiles,probability_toxic\nCCO,1\n");
    put_text("short.csv", "smiles,a\nCCO,1\nCCN\n");
    put_text("empty.csv", "");
    put_text("head.csv", "smiles,a\n");
    refuse(2, "predict @/two.st @/other.csv", "structure; say which it is with --smiles: id, mol");
    assert_non_null(strstr(output("predict @/two.st @/other.csv --smiles mol"), "1,CCO,"));
    refuse(2, "predict @/two.st @/other.csv --smiles none", "no column 'none'");
    refuse(1, "predict @/two.st @/again.csv", "two columns are called 'probability_toxic'");
    refuse(1, "predict @/two.st @/empty.csv", "empty.csv: is empty; expected a header with the names of columns");
    mp_spawned s = expect(1, "predict @/two.st @/short.csv", "short.csv:3: ");
    assert_int_equal(strncmp(s.out.p, "smiles,a,probability_active,probability_toxic\nCCO,1,0.", 54), 0);
    mp_spawn_free(&s);
    assert_string_equal(output("predict @/two.st @/head.csv"), "smiles,a,probability_active,probability_toxic\n");
    s = expect(0, "train @/TINY --epochs 1 --hidden 8 --layers 2 --quiet --out @/tiny.st", NULL);
    mp_spawn_free(&s);
    refuse(1, "predict @/tiny.st @/few.csv", "the model reads other features than molecules have");
}

static void molecules_are_found_under_the_usual_names(void **state)
{
    (void)state;
    NEEDS_RDKIT();
    static const char *const names[] = { "SMILES", "canonical_smiles", "Isomeric_SMILES", "structure" };
    put_text("usual.csv", "id,smiles\n1,CCO\n2,CCN\n");
    const char *want = strchr(output("predict @/two.st @/usual.csv"), '\n');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        put_text("named.csv", mp_arena_printf(arena, "\n\r\nid,%s\n1,CCO\n2,CCN\n", names[i])); /* empty lines */
        assert_string_equal(strchr(output("predict @/two.st @/named.csv"), '\n'), want);
    }
    put_text("both.csv", "smiles,canonical_smiles\nCCO,CCO\n");
    refuse(2, "predict @/two.st @/both.csv", "'smiles' and 'canonical_smiles' may both be SMILES");
    assert_non_null(strstr(output("predict @/two.st @/both.csv --smiles canonical_smiles"), "CCO,CCO,0."));
    refuse(2, "predict @/two.st @/few.jsonl --smiles x", "--smiles: is for tables");
    refuse(2, "predict @/two.st - --strict", "--strict: is for tables");
}

/* Share of right answers when the molecules have these labels; NaN: there is none. */
static double accuracy(const char *const *word)
{
    mp_buf b = { 0 };
    mp_buf_puts(&b, "kind,smiles\n");
    for (int i = 0; i < MOLECULES; i++) mp_buf_printf(&b, "%s,%s\n", word[i], smiles[i]);
    assert_int_equal(mp_write_file(path("words.csv"), b.p, b.n), MP_OK);
    mp_buf_free(&b);
    mp_spawned s = expect(0, "predict @/class.st @/words.csv --json", NULL);
    double share = mp_json_real(json_of(&s), "accuracy", (double)NAN);
    mp_spawn_free(&s);
    return share;
}

static void words_are_compared_with_the_classes_of_the_model(void **state)
{
    (void)state;
    NEEDS_RDKIT();
    static const char *const quoted[] = { "\"inert, safe\"", "toxic" };
    const char *word[MOLECULES];
    for (int i = 0; i < MOLECULES; i++) word[i] = "";
    assert_true(isnan(accuracy(word)));
    mp_spawned s = expect(0, "predict @/class.st @/words.csv --json", NULL);
    const mp_json *graphs = mp_json_get(json_of(&s), "graphs");
    for (int i = 0; i < MOLECULES; i++) {
        const char *said = mp_json_text(mp_json_at(graphs, i), "label_kind", "");
        word[i] = quoted[strcmp(said, "toxic") == 0];
    }
    mp_spawn_free(&s);
    assert_true(fabs(accuracy(word) - 1) < 1e-9);
    for (int i = 0; i < 3; i++) word[i] = word[i] == quoted[0] ? quoted[1] : quoted[0];
    assert_true(fabs(accuracy(word) - 0.75) < 1e-9);
    word[0] = "", word[4] = "NA", word[5] = " nan "; /* two of the other nine are wrong */
    assert_true(fabs(accuracy(word) - 7.0 / 9) < 1e-9);
    s = expect(0, "predict @/class.st @/words.csv", "agree with the labels of the input");
    mp_spawn_free(&s);
}

static void labels_that_no_model_knows_end_it_with_line_and_column(void **state)
{
    (void)state;
    NEEDS_RDKIT();
    static const struct {
        const char *model, *text, *message;
    } cases[] = {
        { "class", "smiles,kind\nCCO,toxic\nCCN,toxik\n",
          "bad.csv:3: column 'kind': the model knows no class 'toxik'" },
        { "class", "smiles,kind\nCCO,toxic\nCCN,7\n", "bad.csv:3: column 'kind': the model knows no class '7'" },
        { "two", "smiles,toxic\nCCO,1\nCCN,yes\n",
          "bad.csv:3: column 'toxic': expected a number, or nothing, got 'yes'" },
        { "two", "smiles,toxic\nCCO,1\nCCN,2\n", "bad.csv:3: column 'toxic': expected 0, 1, or nothing, got '2'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_text("bad.csv", cases[i].text);
        mp_spawned s = expect(1, mp_arena_printf(arena, "predict @/%s.st @/bad.csv", cases[i].model), cases[i].message);
        assert_non_null(strstr(s.out.p, "\nCCO,")); /* the row before has its answer */
        assert_null(strstr(s.out.p, "CCN"));
        mp_spawn_free(&s);
        refuse(1, mp_arena_printf(arena, "explain @/%s.st @/bad.csv --graph 0", cases[i].model), cases[i].message);
    }
}

/* Weights so large that no output is finite. */
static void a_molecule_without_an_answer_ends_it_after_the_rows_before(void **state)
{
    (void)state;
    NEEDS_RDKIT();
    mp_model *model;
    mp_about about;
    assert_int_equal(mp_checkpoint_load(path("two.st"), arena, &model, &about), MP_OK);
    mp_params *p = mp_model_params(model);
    for (int i = 0; i < p->count; i++) {
        float *v = calloc(p->size + 1, sizeof *v);
        for (size_t k = 0; k < p->size; k++) v[k] = 3e38f;
        mp_param_read(p, i, v);
        free(v);
    }
    assert_int_equal(mp_checkpoint_save(path("huge.st"), model, &about), MP_OK);
    put_text("late.csv", "smiles,\"a\nb\"\nx,1\ny,\"2\n2\"\nCCO,3\nCCN,4\n");
    for (int threads = 1; threads <= 2; threads++) {
        mp_spawned s =
            expect(1, mp_arena_printf(arena, "predict @/huge.st @/late.csv --threads %d", threads), "late.csv:6: ");
        assert_non_null(strstr(s.err.p, "late.csv:3: no answer: "));
        assert_string_equal(s.out.p, "smiles,\"a\nb\",probability_active,probability_toxic\nx,1,,\ny,\"2\n2\",,\n");
        mp_spawn_free(&s);
    }
}

static void without_the_module_one_line_says_so(void **state)
{
    (void)state;
    NEEDS_RDKIT();
    assert_int_equal(system(mp_arena_printf(arena, "cp \"$MIDPOOL_BIN\" '%s/alone'", mp_spawn_dir())), 0);
    const char *command =
        mp_arena_printf(arena,
                        "cd '%s' && MIDPOOL_PLUGINS= ./alone predict two.st few.csv >out 2>err; [ $? = 1 ] && "
                        "[ ! -s out ] && [ $(wc -l <err) = 1 ] && grep -q 'molecules need RDKit' err",
                        mp_spawn_dir());
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_comes_back_with_every_byte_and_answers_behind),
        cmocka_unit_test(parts_of_a_table_behind_each_other_are_the_whole),
        cmocka_unit_test(answers_are_those_of_the_same_graphs_in_order),
        cmocka_unit_test(pieces_and_threads_do_not_show),
        cmocka_unit_test(json_has_every_row),
        cmocka_unit_test(strict_stops_after_the_rows_before),
        cmocka_unit_test(out_has_what_the_output_would_have),
        cmocka_unit_test(tables_that_cannot_be_answered_are_refused),
        cmocka_unit_test(molecules_are_found_under_the_usual_names),
        cmocka_unit_test(words_are_compared_with_the_classes_of_the_model),
        cmocka_unit_test(labels_that_no_model_knows_end_it_with_line_and_column),
        cmocka_unit_test(a_molecule_without_an_answer_ends_it_after_the_rows_before),
        cmocka_unit_test(without_the_module_one_line_says_so),
    };
    return cmocka_run_group_tests(tests, set_up, clean);
}
