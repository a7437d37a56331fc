/* test_molecule.c - what explain knows of a graph that is a molecule: symbols of its atoms, with RDKit and without, and a drawing
 * where SMILES and graph agree.
 * SPDX-License-Identifier: MIT */
#include "cli/molecule.h"
#include "chem/chem.h"
#include "report/trail.h"
#include "cli/tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* Ethanol as graph 1 of a set, behind a single carbon; two attributes, then the atomic number less one, then another label. */
static const char *smiles[] = { "C", "CCO" };
static const int node_ptr[] = { 0, 1, 4 }, row_ptr[] = { 0, 1, 3, 4 }, own_ptr[] = { 0, 3 }, col[] = { 1, 0, 2, 1 };
static const int x_ptr[] = { 0, 3, 5, 7 }, x_col[] = { 1, 7, 122, 7, 123, 9, 121 };
static const mp_graph ethanol = {
    .graphs = 1, .nodes = 3, .edges = 4, .node_ptr = own_ptr, .row_ptr = row_ptr, .col = col
};

static mp_dataset set(void)
{
    return (mp_dataset){ .name = "T",
                         .graphs = { .graphs = 2, .nodes = 4, .node_ptr = node_ptr },
                         .recipe = { .attributes = 2, .label_columns = 2, .label_count = { 119, 5 } },
                         .smiles = smiles };
}

static mp_sparse features(void)
{
    return (mp_sparse){ .rows = 3, .cols = 126, .ptr = x_ptr, .col = x_col };
}

static void symbols_come_from_the_first_label_column(void **state)
{
    (void)state;
    mp_dataset d = set();
    mp_sparse x = features();
    const char *const *symbol = mp_molecule_symbols(&d, &x, arena);
    assert_string_equal(symbol[0], "C");
    assert_string_equal(symbol[1], "C");
    assert_string_equal(symbol[2], "O");
    d.recipe.label_count[0] = 118; /* labels that mean something else */
    assert_null(mp_molecule_symbols(&d, &x, arena));
    d = set();
    d.recipe.label_columns = 0;
    assert_null(mp_molecule_symbols(&d, &x, arena));
    d = set();
    d.smiles = NULL; /* labels of other graphs are no atoms */
    assert_null(mp_molecule_symbols(&d, &x, arena));
}

static void json_names_atoms(void **state)
{
    (void)state;
    static const int node[] = { 2, 0 };
    static const double v[2] = { 0 };
    static const unsigned char no[2] = { 0 };
    static const char *const symbol[] = { "C", "C", "O" };
    mp_trail_of_graph t = { .nodes = 3, .levels = 1, .symbol = symbol, .first_file_node = 2 };
    t.level[0] = (mp_trail_level){
        .nodes = 2, .columns = 1, .node = node, .score = v, .gate = v, .key = v, .dropped = no, .kept = no
    };
    mp_buf b = { 0 };
    mp_trail_json(&t, &b);
    assert_non_null(strstr(b.p, "{\"node\":2,\"file_node\":4,\"atom\":\"O\",\"scores\""));
    assert_non_null(strstr(b.p, "{\"node\":0,\"file_node\":2,\"atom\":\"C\",\"scores\""));
    mp_buf_free(&b);
    t.symbol = NULL;
    mp_trail_json(&t, &b);
    assert_null(strstr(b.p, "atom"));
    mp_buf_free(&b);
}

/* In a process of its own, which looks for the module anew: whether there is a drawing, and what is said on stderr. */
static bool drawing(const mp_dataset *d, const mp_graph *g, bool with_rdkit, char said[512])
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        mp_depict out;
        dup2(ends[1], STDERR_FILENO);
        if (!with_rdkit) setenv("MIDPOOL_PLUGINS", "/nowhere", 1);
        bool drawn = mp_molecule_drawing(d, 1, g, arena, &out);
        _exit(drawn && out.atoms == 3 && strcmp(out.atom[2].symbol, "O") == 0 ? 1 : 0);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; n < 511 && (got = read(ends[0], said + n, 511 - n)) > 0;) n += (size_t)got;
    said[n] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 1;
}

static void without_rdkit_a_word_says_why_there_is_no_drawing(void **state)
{
    (void)state;
    char said[512];
    mp_dataset d = set();
    assert_false(drawing(&d, &ethanol, false, said));
    assert_non_null(strstr(said, "graph 1 is not drawn as a molecule: molecules need RDKit"));
    d.smiles = NULL;
    assert_false(drawing(&d, &ethanol, false, said));
    assert_string_equal(said, "");
}

static void a_smiles_of_another_graph_is_not_drawn(void **state)
{
    (void)state;
    if (mp_chem_load() != MP_OK) skip();
    char said[512];
    mp_dataset d = set();
    assert_true(drawing(&d, &ethanol, true, said));
    assert_string_equal(said, "");
    static const char *const others[] = { "CCOC", "C1CO1", "COC", "C.CO", "C(" };
    static const char *const words[] = { "it has 3 nodes and 2 edges, its SMILES CCOC 4 atoms and 3 bonds",
                                         "its SMILES C1CO1 3 atoms and 3 bonds", "",
                                         "its SMILES C.CO 3 atoms and 1 bonds",
                                         "graph 1 is not drawn as a molecule: " };
    static const int crossed[] = { 1, 2, 0, 0 }, rows[] = { 0, 2, 3, 4 }; /* joined at the first node */
    mp_graph other = ethanol;
    for (int i = 0; i < 5; i++) {
        smiles[1] = others[i];
        bool drawn = drawing(&d, &ethanol, true, said);
        smiles[1] = "CCO";
        if (i == 2) continue; /* the same structure with other atoms: the order of atoms is all that is compared */
        if (drawn || !strstr(said, words[i])) fail_msg("%s: %s", others[i], said);
        assert_int_equal(strchr(said, '\n') - said, strlen(said) - 1);
    }
    other.row_ptr = rows;
    other.col = crossed;
    assert_false(drawing(&d, &other, true, said));
    assert_non_null(strstr(said, "or others"));
}

/* ---- the command ---- */

static const char *slurped(const char *name)
{
    mp_span text;
    assert_int_equal(mp_slurp(path(name), 0, arena, &text), MP_OK);
    return text.p;
}

static void put_file(const char *name, const char *text)
{
    assert_int_equal(mp_write_file(path(name), text, strlen(text)), MP_OK);
}

/* Ethanol and acetonitrile, ten times each, under a line that says what the labels are. */
static void make_set(void)
{
    mp_buf b = { 0 };
    mp_buf_puts(&b, "{\"dataset\":\"M\",\"label_range\":[119]}\n");
    for (int i = 0; i < 10; i++)
        mp_buf_puts(&b, "{\"nodes\":3,\"edges\":[[0,1],[1,2]],\"labels\":[5,5,7],\"y\":0,\"smiles\":\"CCO\"}\n"
                        "{\"nodes\":3,\"edges\":[[0,1],[1,2]],\"labels\":[5,5,6],\"y\":1,\"smiles\":\"CC#N\"}\n");
    put_file("m.jsonl", b.p);
    mp_buf_free(&b);
    mp_spawned s = expect(0, "train @/m.jsonl --epochs 1 --hidden 8 --quiet --out @/m.st", NULL);
    mp_spawn_free(&s);
}

#define EXPLAIN "explain @/m.st @/m.jsonl --graph 1 --svg @/m.svg"

static void explain_draws_the_molecule_and_names_its_atoms(void **state)
{
    (void)state;
    if (mp_chem_load() != MP_OK) skip();
    make_set();
    mp_spawned s = expect(0, EXPLAIN, NULL);
    assert_string_equal(s.err.p, "");
    assert_non_null(strstr(s.out.p, "node  atom  kept"));
    assert_non_null(strstr(s.out.p, "   2  N  "));
    mp_spawn_free(&s);
    const char *svg = slurped("m.svg");
    assert_non_null(strstr(svg, "A molecule of 3 atoms at 3 levels of pooling."));
    assert_non_null(strstr(svg, ">N</text>"));
    assert_null(strstr(svg, ">C</text>"));
    s = expect(0, EXPLAIN " --json", NULL);
    const mp_json *v = json_of(&s), *nodes = mp_json_get(mp_json_at(mp_json_get(v, "levels"), 0), "nodes");
    assert_string_equal(mp_json_text(v, "smiles", ""), "CC#N");
    assert_string_equal(mp_json_text(mp_json_at(nodes, 2), "atom", ""), "N");
    mp_spawn_free(&s);
    assert_string_equal(slurped("m.svg"), svg); /* the same bytes again */
    refuse(2, "explain @/m.st @/m.jsonl --graph 20", "--graph: M has graphs 0 to 19");
}

static void without_rdkit_explain_draws_a_graph_with_symbols(void **state)
{
    (void)state;
    make_set();
    put_file("midpool_rdkit.so", "no module");
    const char *usual = getenv("MIDPOOL_PLUGINS") ? mp_arena_printf(arena, "%s", getenv("MIDPOOL_PLUGINS")) : NULL;
    setenv("MIDPOOL_PLUGINS", mp_spawn_dir(), 1);
    mp_spawned s = expect(0, EXPLAIN, "note: graph 1 is not drawn as a molecule: ");
    if (usual) setenv("MIDPOOL_PLUGINS", usual, 1);
    assert_non_null(strstr(s.out.p, "   2  N  "));
    mp_spawn_free(&s);
    const char *svg = slurped("m.svg");
    assert_non_null(strstr(svg, "A graph of 3 nodes at 3 levels of pooling."));
    assert_non_null(strstr(svg, ">N</text>"));
    assert_non_null(strstr(svg, ">C</text>"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_come_from_the_first_label_column),
        cmocka_unit_test(json_names_atoms),
        cmocka_unit_test(without_rdkit_a_word_says_why_there_is_no_drawing),
        cmocka_unit_test(without_rdkit_explain_draws_a_graph_with_symbols),
        cmocka_unit_test(a_smiles_of_another_graph_is_not_drawn),
        cmocka_unit_test(explain_draws_the_molecule_and_names_its_atoms),
    };
    return cmocka_run_group_tests_name("molecule", tests, make_data, clean);
}
