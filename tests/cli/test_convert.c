/* test_convert.c - one data set in several formats: the same model, the same answers; classes that have names.
 * SPDX-License-Identifier: MIT */
#include "cli/tiny.h"

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
    static const char *const sets[] = { "in/TINY", "t.jsonl", "back" }, *const models[] = { "a.st", "b.st", "c.st" };
    for (int i = 0; i < 3; i++)
        run(mp_arena_printf(arena, "train @/%s --pool topk --hidden 8 --epochs 2 --fold 2 --quiet --out @/%s", sets[i],
                            models[i]));
    same_files("a.st", "b.st");
    same_files("a.st", "c.st");
    const char *answers = output("predict @/a.st @/in/TINY --json");
    assert_non_null(strstr(answers, "accuracy"));
    assert_string_equal(answers, output("predict @/a.st @/t.jsonl --json"));
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
    run("data convert @/e.jsonl @/ignored.jsonl --edge-attributes ignore");
    static const char *const sets[] = { "EDGES", "e.jsonl" }, *const models[] = { "ea.st", "eb.st" };
    for (int i = 0; i < 2; i++)
        run(mp_arena_printf(arena,
                            "train @/%s --pool topk --conv gine --edge-attributes use --hidden 8 --epochs 2 --quiet "
                            "--out @/%s",
                            sets[i], models[i]));
    same_files("ea.st", "eb.st");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_converted_set_trains_the_same_model),
        cmocka_unit_test(values_of_edges_reach_the_model_from_either_format),
        cmocka_unit_test(classes_with_names_keep_them),
    };
    return cmocka_run_group_tests_name("convert", tests, make_data, clean);
}
