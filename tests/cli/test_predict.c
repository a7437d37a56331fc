/* test_predict.c - midpool predict from outside: one output whatever the form of the input, the threads and the order of
 * files; bad lines; memory over a long stream.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "cli/commands.h"
#include "cli/spawn.h"
#include "cli/tiny_raw.h"
#include "data/load.h"
#include "midpool.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define GRAPHS 1500 /* several pieces */

static mp_arena *arena;
static mp_raw raw;

static const char *path(const char *name)
{
    return mp_arena_printf(arena, "%s/%s", mp_spawn_dir(), name);
}

static void put(const char *name, const mp_buf *b)
{
    assert_int_equal(mp_write_file(path(name), b->p, b->n), MP_OK);
}

static double attribute(int v, int k)
{
    const mp_sparse *x = &raw.attributes;
    for (int i = x->ptr[v]; i < x->ptr[v + 1]; i++)
        if (x->col[i] == k) return x->val ? (double)x->val[i] : 1;
    return 0;
}

/* Graph b as a JSON line, with the attributes as they are in the files, or with such that overflow in the network. */
static void put_line_of(mp_buf *out, int b, bool overflow)
{
    const mp_graph *g = &raw.graphs;
    int first = g->node_ptr[b], end = g->node_ptr[b + 1];
    mp_buf_printf(out, "{\"nodes\":%d,\"edges\":[", end - first);
    const char *comma = "";
    for (int v = first; v < end; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            if (g->col[e] < v) continue; /* one direction is enough */
            mp_buf_printf(out, "%s[%d,%d]", comma, v - first, g->col[e] - first);
            comma = ",";
        }
    mp_buf_puts(out, "],\"attributes\":[");
    for (int v = first; v < end; v++) {
        mp_buf_puts(out, v > first ? ",[" : "[");
        for (int k = 0; k < raw.attributes.cols; k++)
            mp_buf_printf(out, "%s%.9g", k ? "," : "", overflow ? 3e38 : attribute(v, k));
        mp_buf_puts(out, "]");
    }
    mp_buf_puts(out, "]}\n");
}

static void put_line(mp_buf *out, int b)
{
    put_line_of(out, b, false);
}

static void put_lines(const char *name, int graphs)
{
    mp_buf b = { 0 };
    for (int i = 0; i < graphs; i++) put_line(&b, i % raw.graphs.graphs);
    put(name, &b);
    mp_buf_free(&b);
}

/* The same files in a folder TURNED, its edges from the last to the first. */
static void put_turned(void)
{
    const mp_graph *g = &raw.graphs;
    mp_raw copy = raw;
    mp_buf edges = { 0 };
    copy.name = "TURNED";
    assert_int_equal(mp_tu_write(&copy, path("TURNED")), MP_OK);
    for (int v = g->nodes - 1; v >= 0; v--)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) mp_buf_printf(&edges, "%d, %d\n", v + 1, g->col[e] + 1);
    put("TURNED/TURNED_A.txt", &edges);
    mp_buf_free(&edges);
}

static mp_spawned expect(int code, const char *line)
{
    mp_spawned s = mp_spawn(line);
    if (s.code != code) print_message("midpool %s\nexit %d\n%.2000s", line, s.code, s.err.p ? s.err.p : "");
    assert_int_equal(s.code, code);
    return s;
}

static int set_up(void **state)
{
    (void)state;
    arena = mp_arena_new(1 << 20);
    if (tiny_raw(arena, GRAPHS - 20, 10, 10, &raw) != MP_OK || mp_tu_write(&raw, path("TINY")) != MP_OK) return -1;
    put_lines("tiny.jsonl", GRAPHS);
    put_turned();
    mp_spawned s = expect(0, "train @/TINY --pool sag --epochs 1 --hidden 8 --layers 2 --quiet --out @/m.safetensors");
    mp_spawn_free(&s);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mp_arena_free(arena);
    mp_spawn_clean();
    return 0;
}

static char *output(const char *line, const char *on_stderr)
{
    mp_spawned s = expect(0, line);
    if (on_stderr) assert_non_null(strstr(s.err.p ? s.err.p : "", on_stderr));
    char *copy = mp_arena_text(arena, s.out.p, s.out.n);
    mp_spawn_free(&s);
    return copy;
}

static void every_form_of_input_gives_the_same_bytes(void **state)
{
    (void)state;
    static const char *const formats[] = { "", "--csv" };
    for (int f = 0; f < 2; f++) {
        char *one = output(mp_arena_printf(arena, "predict @/m.safetensors @/TINY --threads 1 %s", formats[f]),
                           "agree with the labels");
        for (int threads = 1; threads <= 5; threads += 2) {
            const char *more = mp_arena_printf(arena, "--threads %d %s", threads, formats[f]);
            assert_string_equal(one, output(mp_arena_printf(arena, "predict @/m.safetensors @/TINY %s", more), NULL));
            assert_string_equal(one,
                                output(mp_arena_printf(arena, "predict @/m.safetensors @/tiny.jsonl %s", more), NULL));
            assert_string_equal(one, output(mp_arena_printf(arena, "predict @/m.safetensors @/TURNED %s", more),
                                            "TURNED: read whole: the files of TURNED are not in the order"));
        }
    }
}

/* The outputs of n parts, one behind the other. */
static const char *joined(const char *line, int n)
{
    const char *all = "";
    for (int i = 1; i <= n; i++)
        all = mp_arena_printf(arena, "%s%s", all, output(mp_arena_printf(arena, "%s --part %d/%d", line, i, n), NULL));
    return all;
}

static void outputs_of_parts_behind_each_other_are_the_whole(void **state)
{
    (void)state;
    static const char *const inputs[] = { "TINY", "tiny.jsonl", "TURNED", "two.jsonl" };
    static const int parts[] = { 1, 3, 7 };
    put_lines("two.jsonl", 2); /* fewer graphs than parts: some have none */
    for (int k = 0; k < 4; k++)
        for (int p = 0; p < 3; p++) {
            const char *line = mp_arena_printf(arena, "predict @/m.safetensors @/%s --threads %d%s", inputs[k], 1 + p,
                                               p % 2 ? " --csv" : "");
            assert_string_equal(output(line, NULL), joined(line, parts[p]));
        }
}

/* Lines of other parts are counted, not parsed: what is wrong with them is said where they are answered. */
static void a_part_does_not_read_the_lines_of_others(void **state)
{
    (void)state;
    static const char *const refused[][2] = { { "@/wrong.jsonl --part 1/2", "wrong.jsonl:11: " },
                                              { "- --part 1/2", "--part: how many graphs there are" },
                                              { "@/TINY --part 1/2 --json", "--part and --json exclude each other" } };
    mp_buf b = { 0 };
    for (int i = 0; i < 3000; i++) i == 10 ? mp_buf_puts(&b, "no graph\n") : put_line(&b, i % raw.graphs.graphs);
    put("wrong.jsonl", &b);
    mp_buf_free(&b);
    for (int i = 0; i < 3; i++) {
        mp_spawned s = expect(i ? 2 : 1, mp_arena_printf(arena, "predict @/m.safetensors %s", refused[i][0]));
        assert_non_null(strstr(s.err.p, refused[i][1]));
        mp_spawn_free(&s);
    }
    char *second = output("predict @/m.safetensors @/wrong.jsonl --part 2/2", NULL);
    assert_int_equal(strncmp(second, " 1500  ", 7), 0); /* no head, the numbers of the whole */
}

static void answers_are_those_of_the_library(void **state)
{
    (void)state;
    mp_spawned s = expect(0, "predict @/m.safetensors @/TINY --json --threads 2");
    const mp_json *v, *row;
    assert_int_equal(mp_json_parse((mp_span){ s.out.p, s.out.n }, "stdout", arena, &v), MP_OK);
    assert_int_equal(mp_json_get(v, "graphs")->count, GRAPHS);
    mp_predictor *p = mp_predictor_load(path("m.safetensors"));
    assert_non_null(p);
    const mp_graph *g = &raw.graphs;
    int b = 0, cols = mp_predictor_attributes(p);
    for (row = mp_json_get(v, "graphs")->first; row; row = row->next, b++) {
        int first = g->node_ptr[b], n = g->node_ptr[b + 1] - first, edges = 0;
        int from[400], to[400];
        float attributes[400];
        for (int u = 0; u < n; u++) {
            for (int e = g->row_ptr[first + u]; e < g->row_ptr[first + u + 1]; e++, edges++) {
                from[edges] = u;
                to[edges] = g->col[e] - first;
            }
            for (int k = 0; k < cols; k++) attributes[u * cols + k] = (float)attribute(first + u, k);
        }
        mp_query q = { .nodes = n, .edges = edges, .from = from, .to = to, .attributes = attributes };
        mp_answer a;
        if (!mp_predict(p, &q, &a)) fail_msg("%s", mp_predictor_error());
        assert_int_equal(mp_json_int(row, "graph", -1), b);
        assert_int_equal(mp_json_int(row, "label", 0), a.label);
        assert_true((float)mp_json_at(mp_json_get(row, "probabilities"), 1)->number == a.value[1]);
    }
    mp_predictor_free(p);
    mp_spawn_free(&s);
}

static int lines_of(const char *text)
{
    int n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

/* 700 graphs, a line that cannot be read or one that reads well but has no answer, 300 graphs. */
static void put_with_bad_line(bool overflow)
{
    mp_buf b = { 0 };
    for (int i = 0; i < 700; i++) put_line(&b, i);
    if (overflow)
        put_line_of(&b, 3, true);
    else
        mp_buf_puts(&b, "{\"nodes\":1}\n");
    for (int i = 0; i < 300; i++) put_line(&b, i);
    put("bad.jsonl", &b);
    mp_buf_free(&b);
}

static void a_bad_line_ends_it_after_the_answers_before(void **state)
{
    (void)state;
    char *good = output("predict @/m.safetensors @/tiny.jsonl", NULL);
    for (int overflow = 0; overflow < 2; overflow++) {
        put_with_bad_line(overflow);
        for (int threads = 1; threads <= 4; threads++) {
            mp_spawned s =
                expect(1, mp_arena_printf(arena, "predict @/m.safetensors @/bad.jsonl --threads %d", threads));
            const char *why = strstr(s.err.p, "bad.jsonl:701: ");
            assert_non_null(why);
            assert_true(overflow ? strstr(why, "not finite") || strstr(why, "not a number")
                                 : strstr(why, "the model needs") != NULL);
            assert_int_equal(lines_of(s.err.p), 1);
            assert_int_equal(lines_of(s.out.p), 701); /* with the head */
            assert_int_equal(strncmp(s.out.p, good, s.out.n), 0);
            mp_spawn_free(&s);
        }
    }
}

static void json_is_closed_after_a_failure_and_has_its_message(void **state)
{
    (void)state;
    mp_spawned s = expect(1, "predict @/m.safetensors @/bad.jsonl --json");
    const mp_json *v;
    assert_int_equal(mp_json_parse((mp_span){ s.out.p, s.out.n }, "stdout", arena, &v), MP_OK);
    assert_int_equal(mp_json_get(v, "graphs")->count, 700);
    const char *error = mp_json_text(v, "error", "");
    assert_non_null(strstr(error, "bad.jsonl:701: "));
    assert_non_null(strstr(s.err.p, error));
    mp_spawn_free(&s);
    s = expect(0, "predict @/m.safetensors @/tiny.jsonl --json");
    assert_int_equal(mp_json_parse((mp_span){ s.out.p, s.out.n }, "stdout", arena, &v), MP_OK);
    assert_null(mp_json_get(v, "error"));
    mp_spawn_free(&s);
}

/* In a folder too: the attributes of graph 3 of BIG overflow in the network. */
static void a_graph_without_an_answer_is_named_in_files_as_well(void **state)
{
    (void)state;
    mp_raw copy = raw;
    const int *node_ptr = raw.graphs.node_ptr;
    int cols = raw.attributes.cols, nodes = raw.graphs.nodes;
    int *ptr = MP_NEW(arena, int, nodes + 1), *col = MP_NEW(arena, int, nodes *cols);
    mp_real *val = MP_NEW(arena, mp_real, nodes * cols);
    for (int v = 0; v < nodes; v++) {
        ptr[v + 1] = ptr[v] + cols;
        for (int k = 0; k < cols; k++) {
            col[v * cols + k] = k;
            val[v * cols + k] = v >= node_ptr[3] && v < node_ptr[4] ? (mp_real)3e38 : (mp_real)attribute(v, k);
        }
    }
    copy.name = "BIG";
    copy.attributes = (mp_sparse){ .rows = nodes, .cols = cols, .ptr = ptr, .col = col, .val = val };
    assert_int_equal(mp_tu_write(&copy, path("BIG")), MP_OK);
    mp_spawned s = expect(1, "predict @/m.safetensors @/BIG");
    assert_non_null(strstr(s.err.p, "midpool: BIG: graph 3: "));
    assert_int_equal(lines_of(s.err.p), 1);
    assert_int_equal(lines_of(s.out.p), 1 + 3);
    mp_spawn_free(&s);
}

/* A graph of 20,000,000 nodes does not fit into 300 MiB; one of 3,000 does, and many together do. */
static void running_out_of_memory_spares_the_lines_before(void **state)
{
    (void)state;
    mp_raw bare = raw;
    mp_buf b = { 0 };
    bare.name = "BARE";
    bare.attributes = (mp_sparse){ 0 };
    assert_int_equal(mp_tu_write(&bare, path("BARE")), MP_OK);
    mp_spawned s = expect(0, "train @/BARE --epochs 1 --hidden 8 --layers 2 --quiet --out @/bare.safetensors");
    mp_spawn_free(&s);
    for (int i = 0; i < 500; i++) mp_buf_puts(&b, "{\"nodes\":3000,\"edges\":[[0,1]]}\n");
    put("large.jsonl", &b);
    mp_buf_puts(&b, "{\"nodes\":20000000}\n{\"nodes\":3}\n");
    put("larger.jsonl", &b);
    mp_buf_free(&b);
    setenv("MIDPOOL_MEMORY", "300", 1);
    s = expect(0, "predict @/bare.safetensors @/large.jsonl --threads 2");
    assert_int_equal(lines_of(s.out.p), 1 + 500);
    mp_spawn_free(&s);
    s = expect(1, "predict @/bare.safetensors @/larger.jsonl --threads 2");
    unsetenv("MIDPOOL_MEMORY");
    assert_non_null(strstr(s.err.p, "larger.jsonl:501: "));
    assert_non_null(strstr(s.err.p, "more memory than is free"));
    assert_int_equal(lines_of(s.err.p), 1);
    assert_int_equal(lines_of(s.out.p), 1 + 500);
    mp_spawn_free(&s);
}

/* Two hops join all pairs of a star: 65,537 nodes make more edges than an int counts. */
static void a_graph_too_large_for_an_operator_spares_the_lines_before(void **state)
{
    (void)state;
    mp_buf b = { 0 };
    mp_spawned s =
        expect(0, "train @/BARE --pool topk --adj-power 2 --epochs 1 --hidden 8 --layers 2 --quiet --out @/two.st");
    mp_spawn_free(&s);
    mp_buf_puts(&b, "{\"nodes\":3,\"edges\":[[0,1]]}\n{\"nodes\":65537,\"edges\":[[0,1]");
    for (int v = 2; v < 65537; v++) mp_buf_printf(&b, ",[0,%d]", v);
    mp_buf_puts(&b, "]}\n");
    put("star.jsonl", &b);
    mp_buf_free(&b);
    s = expect(1, "predict @/two.st @/star.jsonl");
    assert_non_null(strstr(s.err.p, "star.jsonl:2: 65537 nodes, 65536 edges: 4294901760 or more edges between nodes"));
    assert_int_equal(lines_of(s.err.p), 1);
    assert_int_equal(lines_of(s.out.p), 1 + 1);
    mp_spawn_free(&s);
}

static void what_cannot_be_read_leaves_nothing_on_the_output(void **state)
{
    (void)state;
    static const char *const rows[][2] = { { "@/nothing.jsonl", "nothing.jsonl" }, { "@/nothing", "nothing" } };
    for (int i = 0; i < 2; i++) {
        mp_spawned s = expect(1, mp_arena_printf(arena, "predict @/m.safetensors %s", rows[i][0]));
        assert_non_null(strstr(s.err.p, rows[i][1]));
        assert_int_equal(lines_of(s.err.p), 1);
        assert_int_equal(s.out.n, 0);
        mp_spawn_free(&s);
    }
}

static void graphs_come_from_a_pipe_and_none_is_none(void **state)
{
    (void)state;
    char line[1000];
    snprintf(line, sizeof line, "cat %s | %s predict %s - > %s 2> /dev/null", path("tiny.jsonl"), getenv("MIDPOOL_BIN"),
             path("m.safetensors"), path("piped"));
    assert_int_equal(system(line), 0);
    mp_span piped;
    assert_int_equal(mp_slurp(path("piped"), 0, arena, &piped), MP_OK);
    assert_string_equal(piped.p, output("predict @/m.safetensors @/tiny.jsonl", NULL));
    snprintf(line, sizeof line, "%s predict %s - --csv < /dev/null > %s", getenv("MIDPOOL_BIN"), path("m.safetensors"),
             path("none"));
    assert_int_equal(system(line), 0);
    assert_int_equal(mp_slurp(path("none"), 0, arena, &piped), MP_OK);
    assert_string_equal(piped.p, "graph,label,p_-5,p_5\n");
}

static void a_full_output_is_a_failure(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    char line[1000];
    snprintf(line, sizeof line, "%s predict %s %s > /dev/full 2> %s", getenv("MIDPOOL_BIN"), path("m.safetensors"),
             path("TINY"), path("said"));
    int status = system(line);
    assert_int_equal(WEXITSTATUS(status), 1);
    mp_span said;
    assert_int_equal(mp_slurp(path("said"), 0, arena, &said), MP_OK);
    assert_int_equal(strncmp(said.p, "midpool: cannot write to standard output", 40), 0);
    assert_int_equal(lines_of(said.p), 1);
}

/* The command within this process, its output thrown away. */
static size_t peak_of(const char *input)
{
    char *argv[] = { "predict", mp_arena_printf(arena, "%s", path("m.safetensors")),
                     mp_arena_printf(arena, "%s", input), "--threads=2", NULL };
    fflush(stdout);
    int keep = dup(STDOUT_FILENO), keep_err = dup(STDERR_FILENO);
    assert_true(freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr));
    size_t before = mp_arena_total();
    mp_arena_peak_reset();
    int code = mp_cli_main(&mp_cmd_predict, 4, argv);
    size_t peak = mp_arena_peak() - before;
    fflush(stdout);
    fflush(stderr);
    dup2(keep, STDOUT_FILENO);
    dup2(keep_err, STDERR_FILENO);
    close(keep);
    close(keep_err);
    assert_int_equal(code, 0);
    return peak;
}

enum { A, INDICATOR, ATTRIBUTES, LABELS, FILES };

/* One graph's lines of all files; it is graph `number`, its first node `first`. */
static void put_graph(mp_buf file[FILES], int b, int number, int first)
{
    const mp_graph *g = &raw.graphs;
    int shift = first - g->node_ptr[b], cols = raw.attributes.cols;
    for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            mp_buf_printf(&file[A], "%d, %d\n", v + shift, g->col[e] + shift);
        mp_buf_printf(&file[INDICATOR], "%d\n", number);
        for (int k = 0; k < cols; k++)
            mp_buf_printf(&file[ATTRIBUTES], "%g%s", attribute(v, k), k + 1 < cols ? "," : "\n");
    }
    mp_buf_puts(&file[LABELS], "5\n");
}

static void put_folder(const char *name, int graphs)
{
    static const char *const ends[] = { "A", "graph_indicator", "node_attributes", "graph_labels" };
    mp_buf file[FILES] = { 0 };
    for (int i = 0, first = 1; i < graphs; i++) {
        int b = i % raw.graphs.graphs;
        put_graph(file, b, i + 1, first);
        first += raw.graphs.node_ptr[b + 1] - raw.graphs.node_ptr[b];
    }
    mkdir(path(name), 0777);
    for (int f = 0; f < FILES; f++) {
        put(mp_arena_printf(arena, "%s/%s_%s.txt", name, name, ends[f]), &file[f]);
        mp_buf_free(&file[f]);
    }
}

/* Ten times the graphs need the same memory, but for pieces that happen to be a little larger. */
static void memory_does_not_grow_with_the_stream(void **state)
{
    (void)state;
    put_lines("e4.jsonl", 10000);
    put_lines("e5.jsonl", 100000);
    put_folder("E4", 10000);
    put_folder("E5", 100000);
    static const char *const pairs[][2] = { { "e4.jsonl", "e5.jsonl" }, { "E4", "E5" } };
    for (int i = 0; i < 2; i++) {
        size_t small = peak_of(path(pairs[i][0])), large = peak_of(path(pairs[i][1]));
        print_message("%zu KiB for 10,000 graphs, %zu KiB for 100,000\n", small >> 10, large >> 10);
        assert_true(large < small + small / 2);
    }
}

int main(void)
{
    if (!getenv("MIDPOOL_BIN")) {
        puts("MIDPOOL_BIN is not set: nothing to test");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_input_gives_the_same_bytes),
        cmocka_unit_test(outputs_of_parts_behind_each_other_are_the_whole),
        cmocka_unit_test(a_part_does_not_read_the_lines_of_others),
        cmocka_unit_test(answers_are_those_of_the_library),
        cmocka_unit_test(a_bad_line_ends_it_after_the_answers_before),
        cmocka_unit_test(json_is_closed_after_a_failure_and_has_its_message),
        cmocka_unit_test(a_graph_without_an_answer_is_named_in_files_as_well),
        cmocka_unit_test(running_out_of_memory_spares_the_lines_before),
        cmocka_unit_test(a_graph_too_large_for_an_operator_spares_the_lines_before),
        cmocka_unit_test(what_cannot_be_read_leaves_nothing_on_the_output),
        cmocka_unit_test(graphs_come_from_a_pipe_and_none_is_none),
        cmocka_unit_test(a_full_output_is_a_failure),
        cmocka_unit_test(memory_does_not_grow_with_the_stream),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
