/* test_options.c - command lines and YAML files into a struct: order, names, errors.
 * SPDX-License-Identifier: MIT */
#include "baseline/baseline.h"
#include "cli/cli.h"
#include "cli/yaml.h"
#include "model/model.h"
#include "train/preset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct conf {
    mp_config config;
    const char *out;
    int json;
} conf;

static const mp_opt own[] = { { "json", MP_OPT_FLAG, offsetof(conf, json), "false", 0, 1, NULL, "" },
                              { .name = NULL } };
static const mp_cli_text texts[] = { { "out", offsetof(conf, out), "here", "FILE", "" }, { .name = NULL } };
static const mp_cli_group groups[] = { { "own", own, 0 },
                                       { "model", mp_config_table, offsetof(conf, config) },
                                       { .title = NULL } };
static const mp_cli cli = { .name = "try",
                            .operands = "WORD",
                            .least = 0,
                            .most = 2,
                            .size = sizeof(conf),
                            .groups = groups,
                            .texts = texts,
                            .has_model = true };

typedef struct fixture {
    mp_arena *a;
    conf c;
    mp_cli_args args;
    char file[64];
} fixture;

static int set_up(void **state)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    f.a = mp_arena_new(4096);
    snprintf(f.file, sizeof f.file, "/tmp/midpool_options_%ld.yaml", (long)getpid());
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    unlink(f->file);
    mp_arena_free(f->a);
    return 0;
}

static mp_err read_words(fixture *f, const char *line)
{
    char *argv[32] = { (char *)(uintptr_t) "try" };
    int n = 1;
    mp_span rest = mp_span_of(line), word;
    while (*line && mp_next_field(&rest, ' ', &word)) argv[n++] = mp_arena_text(f->a, word.p, word.n);
    return mp_cli_read(&cli, n, argv, f->a, &f->c, &f->args);
}

static void write_config(fixture *f, const char *text)
{
    assert_int_equal(mp_write_file(f->file, text, strlen(text)), MP_OK);
}

static void nothing_given_is_all_defaults(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_words(f, ""), MP_OK);
    assert_string_equal(f->c.config.pool, "sag");
    assert_int_equal(f->c.config.hidden, 128);
    assert_string_equal(f->c.out, "here");
}

static void values_come_after_a_space_or_an_equals_sign(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_words(f, "one --hidden 64 --lr=0.01 --out=a/b --json two"), MP_OK);
    assert_int_equal(f->c.config.hidden, 64);
    assert_true(f->c.config.lr == 0.01);
    assert_string_equal(f->c.out, "a/b");
    assert_int_equal(f->c.json, 1);
    assert_int_equal(f->args.operands, 2);
    assert_string_equal(f->args.operand[1], "two");
}

static void words_behind_two_dashes_are_operands(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_words(f, "--json -- --hidden"), MP_OK);
    assert_int_equal(f->args.operands, 1);
    assert_string_equal(f->args.operand[0], "--hidden");
}

static void mid_sets_three_options_and_named_ones_win_on_either_side(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_words(f, "--mid"), MP_OK);
    assert_int_equal(f->c.config.score_dim, 5);
    assert_int_equal(f->c.config.flip, 1);
    assert_true(f->c.config.drop == 0.1);
    assert_int_equal(read_words(f, "--score-dim 9 --mid --no-flip"), MP_OK);
    assert_int_equal(f->c.config.score_dim, 9);
    assert_int_equal(f->c.config.flip, 0);
    assert_true(f->c.config.drop == 0.1);
}

static void flags_can_be_denied(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_words(f, "--flip --no-json"), MP_OK);
    assert_int_equal(f->c.config.flip, 1);
    assert_int_equal(f->c.json, 0);
    assert_int_equal(read_words(f, "--flip=no"), MP_OK);
    assert_int_equal(f->c.config.flip, 0);
}

static void the_line_wins_over_the_file(void **state)
{
    fixture *f = *state;
    char line[128];
    write_config(f, "# a comment\nhidden: 32\nlr: 0.1\nmid: true\nscore-dim: 7\nout: \"x y\"\n");
    snprintf(line, sizeof line, "--hidden 16 --config %s", f->file);
    assert_int_equal(read_words(f, line), MP_OK);
    assert_int_equal(f->c.config.hidden, 16);
    assert_true(f->c.config.lr == 0.1);
    assert_int_equal(f->c.config.score_dim, 7);
    assert_int_equal(f->c.config.flip, 1);
    assert_string_equal(f->c.out, "x y");
    snprintf(line, sizeof line, "--config %s --mid", f->file);
    assert_int_equal(read_words(f, line), MP_OK);
    assert_int_equal(f->c.config.score_dim, 5);
}

static void presets_lie_between_defaults_and_what_was_said(void **state)
{
    fixture *f = *state;
    const char *const colors[] = { mp_preset_find("colors")->settings, NULL };
    assert_int_equal(read_words(f, "--hidden 16"), MP_OK);
    assert_int_equal(mp_cli_apply(&cli, &f->args, colors, &f->c), MP_OK);
    assert_int_equal(f->c.config.arch, MP_ARCH_COLORS);
    assert_int_equal(f->c.config.batch_size, 32);
    assert_int_equal(f->c.config.hidden, 16);
}

static void set_each(const char *pool, const mp_method_preset *p)
{
    for (; p && p->name; p++) {
        mp_config c;
        mp_config_init(&c);
        strcpy(c.pool, pool);
        if (mp_conf_set_all(mp_config_table, &c, p->settings, pool) != MP_OK) fail_msg("%s", mp_message());
        if (mp_config_check(&c) != MP_OK) fail_msg("%s", mp_message());
    }
}

static void every_preset_can_be_set(void **state)
{
    (void)state;
    for (const mp_pool_op *o = mp_pool_ops(); o->name; o++) set_each(o->name, o->presets);
    for (const mp_baseline *b = mp_baselines(); b->name; b++) set_each(b->name, b->presets);
    for (const mp_preset *p = mp_presets; p->name; p++)
        set_each("topk", (const mp_method_preset[]){ { .name = p->name, .settings = p->settings }, { .name = NULL } });
    mp_config c;
    mp_config_init(&c);
    assert_int_equal(mp_conf_set_all(mp_config_table, &c, "ratio=0.25 hidden", "here"), MP_ERR_USAGE);
    assert_string_equal(mp_message(), "here: expected settings such as 'ratio=0.25 clip=1', got 'ratio=0.25 hidden'");
}

static void triangles_decays_twice(void **state)
{
    fixture *f = *state;
    const char *const triangles[] = { mp_preset_find("triangles")->settings, NULL };
    char line[128];
    assert_int_equal(read_words(f, ""), MP_OK);
    assert_int_equal(mp_cli_apply(&cli, &f->args, triangles, &f->c), MP_OK);
    assert_int_equal(f->c.config.lr_drop.count, 2);
    assert_int_equal(f->c.config.lr_drop.at[0], 85);
    assert_int_equal(f->c.config.lr_drop.at[1], 95);
    write_config(f, "lr-drop: 10,20,30\n");
    snprintf(line, sizeof line, "--config %s", f->file);
    assert_int_equal(read_words(f, line), MP_OK);
    assert_int_equal(f->c.config.lr_drop.count, 3);
}

static void a_wrong_line_says_what_is_wrong(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *line, *message;
    } wrong[] = {
        { "--rato 0.5", "--rato: no such option; did you mean '--ratio'?" },
        { "--no-flup", "--no-flup: no such option; did you mean '--flip'?" },
        { "--xyzzyplugh", "--xyzzyplugh: no such option (midpool try --help lists them)" },
        { "--hidden", "--hidden: needs a value" },
        { "--hidden 0", "--hidden: expected a whole number from 1 to 4096, got '0'" },
        { "--hidden 3.5", "--hidden: expected a whole number from 1 to 4096, got '3.5'" },
        { "--lr nan", "--lr: expected a number from 0 to 10, got 'nan'" },
        { "--drop-mode soft", "--drop-mode: expected one of exact|bernoulli, got 'soft'" },
        { "--lr-drop 9,8", "--lr-drop: expected up to 8 rising whole numbers from 0 to 1000000 (85,95), got '9,8'" },
        { "--flip=maybe", "--flip: expected true or false, got 'maybe'" },
        { "-q", "-q: options begin with two dashes (midpool try --help lists them)" },
        { "a b c", "'c': one word too many; expected: midpool try WORD" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(read_words(f, wrong[i].line), MP_ERR_USAGE);
        assert_string_equal(mp_message(), wrong[i].message);
    }
}

static void a_wrong_file_is_named_with_its_line(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        { "hidden: 32\nrato: 1\n", ":2: rato: no such option; did you mean 'ratio'?" },
        { "hidden: 32\n\nhidden: 3\n", ":3: 'hidden' was given before, on line 1" },
        { "hidden: [1, 2]\n", ":1: hidden: expected one value, not a list" },
        { "hidden: {a: 1}\n", ":1: hidden: expected one value, not a list or a range" },
        { "hidden: {a: [1]}\n", ":1: expected a value" },
        { "hidden: {a: 1, a: 2}\n", ":1: expected a name that was not given before" },
        { "- hidden\n", ":1: expected lines of 'name: value'" },
        { "hidden: 32\n---\nlr: 1\n", ":2: expected the end of the file" },
        { "hidden: big\n", ":1: hidden: expected a whole number from 1 to 4096, got 'big'" },
        { "lr: *x\n", ":1: expected a value or a list of values" },
        { "config: other.yaml\n", ":1: config: no such option; did you mean 'config'?" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char line[128], expected[256];
        write_config(f, wrong[i].text);
        snprintf(line, sizeof line, "--config %s", f->file);
        snprintf(expected, sizeof expected, "%s%s", f->file, wrong[i].message);
        assert_int_equal(read_words(f, line), MP_ERR_USAGE);
        assert_string_equal(mp_message(), expected);
    }
    write_config(f, "\"a: b\n");
    char line[128];
    snprintf(line, sizeof line, "--config %s", f->file);
    assert_int_equal(read_words(f, line), MP_ERR_USAGE);
}

static void empty_files_are_fine(void **state)
{
    fixture *f = *state;
    static const char *const texts_[] = { "", "# nothing\n", "---\n", "{}\n" };
    for (int i = 0; i < 4; i++) {
        mp_yaml y;
        assert_int_equal(mp_yaml_parse(mp_span_of(texts_[i]), "t.yaml", f->a, &y), MP_OK);
        assert_int_equal(y.count, 0);
    }
}

static void lists_keep_their_order(void **state)
{
    fixture *f = *state;
    mp_yaml y;
    assert_int_equal(mp_yaml_parse(mp_span_of("a: [3, x, 'y z']\nb:\n  - 1\n  - 2\nc: 5\n"), "t.yaml", f->a, &y),
                     MP_OK);
    assert_int_equal(y.count, 3);
    assert_int_equal(y.entry[0].count, 3);
    assert_string_equal(y.entry[0].value[2], "y z");
    assert_int_equal(y.entry[1].line, 2);
    assert_string_equal(y.entry[1].value[1], "2");
    assert_false(y.entry[2].list);
}

static void a_missing_file_is_not_a_usage_error(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_words(f, "--config /nonexistent/x.yaml"), MP_ERR_IO);
}

static void lists_on_the_line_split_at_commas(void **state)
{
    fixture *f = *state;
    int n;
    const char *const *list = mp_cli_split("sag, topk,,gsa", f->a, &n);
    assert_int_equal(n, 3);
    assert_string_equal(list[1], "topk");
    assert_string_equal(list[2], "gsa");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_given_is_all_defaults),
        TEST(values_come_after_a_space_or_an_equals_sign),
        TEST(words_behind_two_dashes_are_operands),
        TEST(mid_sets_three_options_and_named_ones_win_on_either_side),
        TEST(flags_can_be_denied),
        TEST(the_line_wins_over_the_file),
        TEST(presets_lie_between_defaults_and_what_was_said),
        TEST(every_preset_can_be_set),
        TEST(triangles_decays_twice),
        TEST(a_wrong_line_says_what_is_wrong),
        TEST(a_wrong_file_is_named_with_its_line),
        TEST(empty_files_are_fine),
        TEST(lists_keep_their_order),
        TEST(a_missing_file_is_not_a_usage_error),
        TEST(lists_on_the_line_split_at_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
