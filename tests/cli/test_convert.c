/* test_convert.c - one data set in several formats: the same model, the same answers; classes that have names.
 * SPDX-License-Identifier: MIT */
#include "cli/tiny.h"

#include "data/gather.h"
#include "data/jsonl.h"

static void run(const char *line)
{
    mp_spawned s = expect(0, line, NULL);
    mp_spawn_free(&s);
}

static char *output(const char *line)
{
    mp_spawned s = expect(0, line, NULL);
    char *text = mp_arena_text(arena, s.out.p ? s.out.p : "", s.out.n);
    mp_spawn_free(&s);
    return text;
}

static void same_files(const char *one, const char *other)
{
    mp_span x, y;
    assert_int_equal(mp_slurp(path(one), 0, arena, &x), MP_OK);
    assert_int_equal(mp_slurp(path(other), 0, arena, &y), MP_OK);
    assert_int_equal(x.n, y.n);
    assert_memory_equal(x.p, y.p, x.n);
}

/* Three folds by number: others than the stratified ones. */
static mp_folds folds_by_number(int graphs)
{
    mp_split *split = MP_NEW(arena, mp_split, 3);
    for (int f = 0; f < 3; f++) {
        int *list[3], n[3] = { 0, 0, 0 };
        for (int k = 0; k < 3; k++) list[k] = MP_NEW(arena, int, graphs);
        for (int b = 0; b < graphs; b++) {
            int k = (b + f) % 3;
            list[k][n[k]++] = b;
        }
        split[f] = (mp_split){ f + 1, n[0], n[1], n[2], list[0], list[1], list[2] };
    }
    return (mp_folds){ .count = 3, .split = split };
}

/* Folds that lie beside the files, found by the name of the set, go into the lines. */
static void a_converted_set_trains_the_same_model(void **state)
{
    mp_raw raw;
    (void)state;
    assert_int_equal(tiny_raw(arena, 40, 15, 15, &raw), MP_OK);
    assert_int_equal(mp_tu_write(&raw, path("in/TINY")), MP_OK);
    mp_folds f = folds_by_number(raw.graphs.graphs);
    assert_int_equal(mp_tu_write_folds(&f, path("in/folds/TINY")), MP_OK);
    run("data convert @/in/TINY @/t.jsonl");
    run("data convert @/t.jsonl @/back");
    refuse(2, "data convert @/t.jsonl @/back", "back: the folder is not empty");
    run("data convert @/in/TINY @/t.graphml");
    run("data convert @/t.graphml @/tab/TINY --format tables");
    static const char *const sets[] = { "in/TINY", "t.jsonl", "back", "t.graphml", "tab/TINY" };
    static const char *const models[] = { "a.st", "b.st", "c.st", "d.st", "e.st" };
    for (int i = 0; i < 5; i++)
        run(mp_arena_printf(arena, "train @/%s --pool topk --hidden 8 --epochs 2 --fold 2 --quiet --out @/%s", sets[i],
                            models[i]));
    same_files("a.st", "b.st");
    same_files("a.st", "c.st");
    same_files("a.st", "d.st");
    same_files("a.st", "e.st");
    const char *answers = output("predict @/a.st @/in/TINY --json");
    assert_non_null(strstr(answers, "accuracy"));
    assert_string_equal(answers, output("predict @/a.st @/t.jsonl --json"));
    assert_string_equal(answers, output("predict @/a.st @/t.graphml --json"));
    assert_string_equal(answers, output("predict @/a.st @/tab/TINY --json"));
    assert_string_equal(output("explain @/a.st @/in/TINY --graph 3 --json"),
                        output("explain @/a.st @/t.jsonl --graph 3 --json"));
}

/* GINE reads labels and attributes of edges: the same model from files and from lines, and none without them. */
static void values_of_edges_reach_the_model_from_either_format(void **state)
{
    mp_raw raw;
    (void)state;
    assert_int_equal(tiny_raw(arena, 40, 15, 15, &raw), MP_OK);
    const mp_graph *g = &raw.graphs;
    int *label = MP_NEW(arena, int, g->edges), *ptr = MP_NEW(arena, int, g->edges + 1);
    mp_real *val = MP_NEW(arena, mp_real, g->edges);
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            label[e] = (v + g->col[e]) % 3 - 1;
            val[e] = (mp_real)1 / (mp_real)(3 + (v + g->col[e]) % 5);
            ptr[e + 1] = e + 1;
        }
    raw.edge_labels = label;
    raw.edge_label_columns = 1;
    raw.edge_attributes =
        (mp_sparse){ .rows = g->edges, .cols = 1, .ptr = ptr, .col = MP_NEW(arena, int, g->edges), .val = val };
    raw.name = "EDGES";
    assert_int_equal(mp_tu_write(&raw, path("EDGES")), MP_OK);
    run("data convert @/EDGES @/e.jsonl");
    run("data convert @/EDGES @/tab/EDGES --format tables");
    run("data convert @/e.jsonl @/ignored.jsonl --edge-attributes ignore");
    static const char *const sets[] = { "EDGES", "e.jsonl", "tab/EDGES" }, *const models[] = { "ea.st", "eb.st",
                                                                                               "ec.st" };
    for (int i = 0; i < 3; i++)
        run(mp_arena_printf(arena,
                            "train @/%s --pool topk --conv gine --edge-attributes use --hidden 8 --epochs 2 --quiet "
                            "--out @/%s",
                            sets[i], models[i]));
    same_files("ea.st", "eb.st");
    same_files("ea.st", "ec.st");
    assert_string_equal(output("predict @/ea.st @/EDGES --csv"), output("predict @/ea.st @/e.jsonl --csv"));
    refuse(1, "predict @/ea.st @/ignored.jsonl", "ignored.jsonl:2: the model needs 1 attributes of edges");
}

static void classes_with_names_keep_them(void **state)
{
    mp_raw raw;
    static const char *const name[] = { "few", "many \"green\"" };
    (void)state;
    assert_int_equal(tiny_raw(arena, 40, 15, 15, &raw), MP_OK);
    int64_t *label = MP_NEW(arena, int64_t, raw.graphs.graphs);
    for (int b = 0; b < raw.graphs.graphs; b++) label[b] = raw.graph_label[b] > 0;
    raw.graph_label = label;
    raw.class_name = name;
    assert_int_equal(mp_jsonl_write(&raw, NULL, path("named.jsonl")), MP_OK);
    run("train @/named.jsonl --pool topk --hidden 8 --epochs 2 --quiet --out @/n.st");
    const char *answers = output("predict @/n.st @/named.jsonl --json");
    assert_non_null(strstr(answers, "\"many \\\"green\\\"\""));
    assert_non_null(strstr(answers, "\"accuracy\":"));
    assert_non_null(strstr(output("predict @/n.st @/named.jsonl --csv"), "few"));
    refuse(1, "data info @/in/TINY/TINY_A.txt", "is in none of the formats tu, jsonl");
    assert_non_null(strstr(output("explain @/n.st @/named.jsonl --graph 0 --json"), "many"));
    assert_non_null(strstr(output("data info @/named.jsonl"), "many \"green\": "));
    run("cv @/named.jsonl --pool topk --hidden 8 --epochs 1 --folds 2 --seeds 1 --quiet --store @/n.db");
}

static void put_table(const char *name, const mp_buf *text)
{
    assert_int_equal(mp_write_file(path(name), text->p, text->n), MP_OK);
}

/* Paths of atoms whose class is that of the first one. `turned`: columns in another order; `only`: graphs of that atom alone. */
static void make_atoms(const char *folder, bool turned, char only)
{
    mp_buf nodes = { 0 }, edges = { 0 }, graphs = { 0 };
    mp_buf_puts(&nodes, turned ? "mass,more,graph,atom,node\n" : "graph,node,atom,mass\n");
    mp_buf_puts(&edges, "graph,source,target\n");
    mp_buf_puts(&graphs, "graph,y,lab\n");
    for (int b = 0; b < 30; b++) {
        char atom = "CNO"[b % 3];
        if (only && atom != only) continue;
        mp_buf_printf(&graphs, "g%d,%s,lab%d\n", b, atom == 'O' ? "oxide" : "other", b % 5);
        for (int v = 0; v < 4; v++) {
            if (turned)
                mp_buf_printf(&nodes, "%d.5,x,g%d,%c,%d\n", v, b, atom, v);
            else
                mp_buf_printf(&nodes, "g%d,%d,%c,%d.5\n", b, v, atom, v);
            if (v) mp_buf_printf(&edges, "g%d,%d,%d\n", b, v - 1, v);
        }
    }
    assert_int_equal(mp_make_folder(path(folder)), MP_OK);
    put_table(mp_arena_printf(arena, "%s/nodes.csv", folder), &nodes);
    put_table(mp_arena_printf(arena, "%s/edges.csv", folder), &edges);
    put_table(mp_arena_printf(arena, "%s/graphs.csv", folder), &graphs);
    mp_buf_free(&nodes);
    mp_buf_free(&edges);
    mp_buf_free(&graphs);
}

/* The line of answers that begins with a number. */
static const char *line_from(const char *text, int number)
{
    const char *at = strstr(text, mp_arena_printf(arena, "\n%d,", number));
    assert_non_null(at);
    at = strchr(at, ',');
    return mp_arena_text(arena, at, strcspn(at, "\n"));
}

/* A word has the number that the model gave it, whatever other words a file has; a column is found by its name. */
static void a_model_knows_its_columns_and_words_again(void **state)
{
    (void)state;
    make_atoms("atoms", false, 0);
    make_atoms("turned", true, 'O');
    run("train @/atoms --pool topk --hidden 8 --epochs 30 --lr 0.01 --quiet --out @/w.st");
    const char *all = output("predict @/w.st @/atoms --csv"), *few = output("predict @/w.st @/turned --csv");
    assert_non_null(strstr(all, "p_oxide"));
    for (int i = 0; i < 10; i++) assert_string_equal(line_from(few, i), line_from(all, 3 * i + 2));
    assert_string_not_equal(line_from(all, 0), line_from(all, 2));
    run("data convert @/turned @/turned.graphml");
    assert_string_equal(few, output("predict @/w.st @/turned.graphml --csv"));
    run("data convert @/atoms @/forgotten.jsonl");
    assert_string_equal(all, output("predict @/w.st @/forgotten.jsonl --csv"));
    mp_buf nodes = { 0 };
    mp_buf_puts(&nodes, "graph,node,atom,mass\ng2,0,Xe,1\n");
    put_table("turned/nodes.csv", &nodes);
    mp_buf_free(&nodes);
    mp_buf edges = { 0 }, graphs = { 0 };
    mp_buf_puts(&edges, "graph,source,target\n");
    mp_buf_puts(&graphs, "graph\ng2\n");
    put_table("turned/edges.csv", &edges);
    put_table("turned/graphs.csv", &graphs);
    mp_buf_free(&edges);
    mp_buf_free(&graphs);
    refuse(1, "predict @/w.st @/turned", "turned/nodes.csv:2: column 'atom': the model knows no 'Xe'");
}

/* Folds that data split writes are those that cv runs on. */
static void folds_by_group_are_run(void **state)
{
    (void)state;
    make_atoms("labs", false, 0);
    const char *said = output("data split @/labs --by group:lab --folds 5 --out @/labs.json");
    assert_non_null(strstr(said, "5 folds by group:lab, of 30 graphs of labs"));
    assert_non_null(strstr(said, "fold 5   18 train, 6 validate, 6 test"));
    mp_span text;
    assert_int_equal(mp_slurp(path("labs.json"), 0, arena, &text), MP_OK);
    assert_non_null(strstr(text.p, "\"test\":[4,9,14,19,24,29]")); /* lab4 */
    run("cv @/labs --folds-from @/labs.json --pool topk --hidden 8 --epochs 1 --seeds 1 --quiet --store @/labs.db");
    refuse(2, "data split @/labs --by group:who --out @/x.json", "nothing of its graphs is called 'who'; there is lab");
    refuse(2, "data split @/labs --by shape --out @/x.json", "--by: expected scaffold");
    refuse(2, "data split @/labs", "--out: say which file");
    refuse(2, "data split @/labs --out @/x.txt", "--out: say which file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_converted_set_trains_the_same_model),
        cmocka_unit_test(values_of_edges_reach_the_model_from_either_format),
        cmocka_unit_test(classes_with_names_keep_them),
        cmocka_unit_test(a_model_knows_its_columns_and_words_again),
        cmocka_unit_test(folds_by_group_are_run),
    };
    return cmocka_run_group_tests_name("convert", tests, make_data, clean);
}
