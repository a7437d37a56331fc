/* test_outside.c - names and files as they come from outside: escape sequences, words that are not there.
 * SPDX-License-Identifier: MIT */
#include "cli/tiny.h"

#include <stdio.h>
#include <stdlib.h>

#define QUICK   "--hidden 8 --layers 2 --epochs 2 --quiet"
#define HOSTILE "T\033[31m\xC2\x9BY" /* ESC, and U+009B, which some terminals take for ESC [ */

static bool is_safe(const mp_buf *b)
{
    for (size_t i = 0; i < b->n; i++)
        if ((b->p[i] < ' ' && b->p[i] >= 0 && b->p[i] != '\n') || b->p[i] == 0x7F || b->p[i] == '\x9B') return false;
    return true;
}

static void escape_sequences_do_not_reach_the_terminal(void **state)
{
    (void)state;
    mp_raw raw;
    assert_int_equal(tiny_raw(arena, 40, 15, 15, &raw), MP_OK);
    raw.name = HOSTILE;
    assert_int_equal(mp_tu_write(&raw, path(HOSTILE)), MP_OK);
    static const struct {
        int code;
        const char *line;
    } cases[] = {
        { 2, "\033[2J" },
        { 2, "train @/TINY --\033[2Jrato 1" },
        { 2, "train @/TINY --pool \033[2J" },
        { 1, "train \033]0;title\007" },
        { 1, "predict @/\033[2J @/TINY" },
        { 2, "data \033[2J" },
        { 0, "data info @/" HOSTILE },
        { 0, "data list --data @/" },
        { 0, "train @/" HOSTILE " --hidden 8 --layers 2 --epochs 2 --out @/hostile.safetensors" },
        { 0, "predict @/hostile.safetensors @/" HOSTILE },
        { 0, "explain @/hostile.safetensors @/" HOSTILE },
        { 0, "cv @/" HOSTILE " --seeds 1 --folds 2 --hidden 8 --layers 2 --epochs 2 --store @/" HOSTILE ".db" },
        { 0, "report @/" HOSTILE ".db --out @/r.html" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_spawned s = expect(cases[i].code, cases[i].line, NULL);
        if (!is_safe(&s.out) || !is_safe(&s.err)) fail_msg("case %zu: an escape sequence came out", i);
        mp_spawn_free(&s);
    }
}

static void json_has_the_name_as_it_is(void **state)
{
    (void)state;
    mp_spawned s = expect(0, "data info @/" HOSTILE " --json", NULL);
    assert_true(is_safe(&s.out));
    assert_string_equal(mp_json_text(json_of(&s), "name", ""), HOSTILE);
    mp_spawn_free(&s);
}

static void what_is_named_must_be_there(void **state)
{
    (void)state;
    refuse(2, "train ''", "word 1 is empty; expected: midpool train DATASET");
    refuse(2, "predict '' @/TINY", "word 1 is empty");
    refuse(1, "train MUTAG --data @/nowhere", "--data: no folder '");
    refuse(1, "train @/TINY --data @/nowhere", "--data: no folder '");
    refuse(1, "data list --data @/nowhere", "--data: no folder '");
    refuse(1, "train TINY --data @/TINY/TINY_A.txt", "is not a folder");
    refuse(1, "train . --data @/", ".: holds no data set");
    setenv("MIDPOOL_DATA", path("nowhere"), 1);
    refuse(1, "train MUTAG", "MIDPOOL_DATA: no folder '");
    mp_spawned s = expect(0, "train @/TINY " QUICK " --out @/m.safetensors", NULL); /* a path needs no such folder */
    mp_spawn_free(&s);
    unsetenv("MIDPOOL_DATA");
}

/* TINY under another name, with what `change` makes of it, as a folder. */
static void put_like_tiny(const char *name, void (*change)(mp_raw *))
{
    mp_raw raw;
    assert_int_equal(tiny_raw(arena, 40, 15, 15, &raw), MP_OK);
    raw.name = name;
    if (change) change(&raw);
    assert_int_equal(mp_tu_write(&raw, path(name)), MP_OK);
}

static void one_class(mp_raw *raw)
{
    int64_t *label = MP_NEW(arena, int64_t, raw->graphs.graphs);
    for (int b = 0; b < raw->graphs.graphs; b++) label[b] = 5;
    raw->graph_label = label;
}

static void another_class(mp_raw *raw)
{
    int64_t *label = MP_NEW(arena, int64_t, raw->graphs.graphs);
    memcpy(label, raw->graph_label, sizeof *label * (size_t)raw->graphs.graphs);
    label[66] = 2;
    raw->graph_label = label;
}

static void no_class(mp_raw *raw)
{
    raw->graph_label = NULL;
}

static void node_labels(mp_raw *raw)
{
    raw->label_columns = 1;
    raw->labels = MP_NEW(arena, int, raw->graphs.nodes);
}

/* What predict and explain say on stderr about a set, beside how many answers agree. */
static void says(const char *name, const char *note)
{
    static const char *const commands[] = { "predict", "explain" };
    for (int i = 0; i < 2; i++) {
        mp_spawned s = expect(0, mp_arena_printf(arena, "%s @/m.safetensors @/%s", commands[i], name), note);
        bool silent = !s.err.n || (strstr(s.err.p, "% agree") && strchr(s.err.p, '\n')[1] == '\0');
        assert_int_equal(silent, note == NULL);
        mp_spawn_free(&s);
    }
}

static void a_model_is_not_applied_to_other_data_without_a_word(void **state)
{
    (void)state;
    mp_spawned s = expect(0, "train @/TINY " QUICK " --out @/m.safetensors", NULL);
    mp_spawn_free(&s);
    put_like_tiny("NEW", NULL);
    put_like_tiny("PART", one_class);
    put_like_tiny("UNLABELLED", no_class);
    put_like_tiny("MUTAG", NULL);
    put_like_tiny("LABELS", node_labels);
    put_like_tiny("CLASSES", another_class);
    says("TINY", NULL);
    says("NEW", NULL);
    says("PART", NULL);
    says("UNLABELLED", NULL);
    says("MUTAG", "note: MUTAG: the model was trained on TINY\n");
    says("LABELS", "note: LABELS: the model was trained on TINY, without node labels\n");
    refuse(1, "explain @/m.safetensors @/CLASSES", "CLASSES_graph_labels.txt:67: class 2; the model knows -5, 5");
    s = expect(1, "predict @/m.safetensors @/CLASSES", "CLASSES_graph_labels.txt:67: class 2; the model knows -5, 5");
    assert_int_equal(s.out.n, 0); /* not after answers for the graphs before it */
    mp_spawn_free(&s);
}

static void a_file_of_another_kind_is_recognised(void **state)
{
    (void)state;
    refuse(2, "predict @/TINY @/m.safetensors", "the model comes first, then the input: '");
    refuse(2, "predict MUTAG @/m.safetensors", "the model comes first");
    refuse(2, "explain nothing @/m.safetensors", "the model comes first");
    refuse(1, "predict @/" HOSTILE ".db @/TINY", "not a safetensors file: it is an SQLite store");
    refuse(1, "predict @/TINY/TINY_A.txt @/TINY", "not a safetensors file: the header is not a JSON object");
    refuse(1, "predict @/TINY @/TINY", "TINY: a folder without models");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escape_sequences_do_not_reach_the_terminal),
        cmocka_unit_test(json_has_the_name_as_it_is),
        cmocka_unit_test(what_is_named_must_be_there),
        cmocka_unit_test(a_model_is_not_applied_to_other_data_without_a_word),
        cmocka_unit_test(a_file_of_another_kind_is_recognised),
    };
    return cmocka_run_group_tests_name("outside", tests, make_data, clean);
}
