/* test_help.c - help: short where one looks first, whole where one asks for all, and true to what commands take and refuse.
 * SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/given.h"
#include "cli/help.h"
#include "cli/tiny.h"
#include "model/options.h"

#include <stdio.h>
#include <stdlib.h>

static const char *output(const char *line)
{
    mp_spawned s = expect(0, line, NULL);
    char *text = mp_arena_text(arena, s.out.p, s.out.n);
    mp_spawn_free(&s);
    return text;
}

/* Whether a page explains an option: a line begins with it. */
static bool explains(const char *page, const char *option)
{
    static const char *const before[] = { "\n  --", "\n  --[no-]" };
    for (int i = 0; i < 2; i++) {
        const char *start = mp_arena_printf(arena, "%s%s", before[i], option), *at = page;
        while ((at = strstr(at, start)) != NULL)
            if (strchr(" \n", *(at += strlen(start)))) return true;
    }
    return false;
}

/* Or names it at least, in the lines about the others. */
static bool names(const char *page, const char *option)
{
    const char *more = strstr(page, "\nmore, which"), *first = more ? strstr(more, ":\n  ") : NULL;
    if (!first) return false;
    const char *end = strstr(first, "\nmidpool ") ? strstr(first, "\nmidpool ") : first + strlen(first);
    const char *word = mp_arena_printf(arena, " --%s", option),
               *at = mp_arena_text(arena, first, (size_t)(end - first));
    while ((at = strstr(at, word)) != NULL)
        if (strchr(" \n", *(at += strlen(word)))) return true;
    return false;
}

static int count_explained(const char *page)
{
    int n = 0;
    for (const char *at = page; (at = strstr(at, "\n  --")) != NULL; at++) n++;
    return n;
}

/* ---- every command ---- */

typedef void visitor(const mp_cli *cli);

static void visit(const mp_command *list, visitor *each)
{
    for (; list && list->name; list++) {
        visit(list->below, each);
        if (list->cli) each(list->cli);
    }
}

static void all_is_explained(const mp_cli *cli)
{
    const char *few = output(mp_arena_printf(arena, "%s --help", cli->name)),
               *all = output(mp_arena_printf(arena, "%s --help-all", cli->name));
    mp_shown_list options = mp_shown_options(cli, NULL, arena);
    for (int i = 0; i < options.count; i++) {
        const mp_shown *o = &options.at[i];
        if (!explains(all, o->name)) fail_msg("midpool %s --help-all: no --%s", cli->name, o->name);
        if (explains(few, o->name) != o->common || names(few, o->name) == o->common)
            fail_msg("midpool %s --help: --%s", cli->name, o->name);
    }
    if (count_explained(few) > 30) fail_msg("midpool %s --help explains %d", cli->name, count_explained(few));
}

/* As in tests/conf/test_conf.c, for the rows of commands. */
static void flags_are_no_or_yes(const mp_cli *cli)
{
    for (const mp_cli_group *g = cli->groups; g && g->table; g++)
        for (const mp_opt *o = g->table; o->name; o++)
            if (o->kind == MP_OPT_FLAG && (o->lo != 0 || o->hi != 1)) fail_msg("midpool %s: --%s", cli->name, o->name);
}

static void rows_of_flags_have_two_values(void **state)
{
    (void)state;
    visit(mp_commands, flags_are_no_or_yes);
}

static void an_option_is_explained_or_named_and_help_all_explains_all(void **state)
{
    (void)state;
    visit(mp_commands, all_is_explained);
}

static void no_line_is_longer(const mp_cli *cli)
{
    static const char *const flag[] = { "--help", "--help-all" };
    for (int i = 0; i < 2; i++) {
        mp_span rest = mp_span_of(output(mp_arena_printf(arena, "%s %s", cli->name, flag[i]))), line;
        while (mp_next_line(&rest, &line))
            if (line.n > 100) fail_msg("midpool %s %s: %.*s", cli->name, flag[i], (int)line.n, line.p);
    }
}

static void lines_have_at_most_a_hundred_columns(void **state)
{
    (void)state;
    visit(mp_commands, no_line_is_longer);
    mp_span rest = mp_span_of(output("help")), line;
    while (mp_next_line(&rest, &line)) assert_true(line.n <= 100);
}

/* Examples are read as the program reads them: a word that there is not would be refused. */
static void examples_are_lines_of_the_command(const mp_cli *cli)
{
    mp_span rest = mp_span_of(cli->examples ? cli->examples : ""), line, word;
    while (mp_next_line(&rest, &line)) {
        char *argv[32];
        int n = 0, skip = 1;
        for (const char *p = cli->name; (p = strchr(p, ' ')) != NULL; p++) skip++;
        mp_span words = line;
        while (mp_next_field(&words, ' ', &word) && !memchr("|>", word.p[0], 2))
            argv[n++] = mp_arena_text(arena, word.p, word.n);
        assert_string_equal(argv[0], "midpool");
        void *conf = mp_arena_zero(arena, 1, cli->size + 1);
        mp_cli_args args;
        if (mp_cli_read(cli, n - skip, argv + skip, arena, conf, &args) != MP_OK)
            fail_msg("%.*s: %s", (int)line.n, line.p, mp_message());
        assert_true(line.n <= 98);
    }
}

static void examples_can_be_typed(void **state)
{
    (void)state;
    visit(mp_commands, examples_are_lines_of_the_command);
    assert_non_null(strstr(output("train --help"), "\n  midpool train MUTAG "));
}

/* ---- methods ---- */

static void help_of_a_method_explains_what_it_owns_and_leaves_out_what_it_does_not_take(void **state)
{
    (void)state;
    for (int i = 0; mp_method_at(i); i++) {
        const char *pool = mp_method_at(i), *page = output(mp_arena_printf(arena, "train --pool %s --help", pool));
        for (const mp_opt *o = mp_config_table; o->name; o++) {
            bool takes = mp_method_uses(pool, o->name);
            if (takes != (explains(page, o->name) || names(page, o->name))) fail_msg("%s: --%s", pool, o->name);
            if (mp_method_owns(pool, o->name) && !explains(page, o->name)) fail_msg("%s's --%s", pool, o->name);
        }
    }
    assert_non_null(strstr(output("train --help --pool SAGPooling"), "\nSAGPool:\n"));
    assert_non_null(strstr(output("cv --pool sag,gsa --help"), "\nSAGPool, GSAPool:\n  --variant"));
    assert_non_null(strstr(output("train --pool sag --help-all"),
                           "warmup N              cosine: epochs in which the rate "
                           "grows from 0 (where schedule is cosine)"));
    assert_non_null(strstr(output("train --pool gmt --help"), "gmt has, where nothing else is given: ratio=0.25"));
    refuse(2, "train --pool sagg --help", "no operator 'sagg'; did you mean 'sag'?");
}

/* Some value that is not the default. */
static const char *other_value(const mp_opt *o)
{
    const char *bar = o->kind == MP_OPT_CHOICE ? strchr(o->choices, '|') : NULL;
    switch (o->kind) {
    case MP_OPT_CHOICE:
        return mp_arena_text(arena, bar + 1, strcspn(bar + 1, "|"));
    case MP_OPT_FLAG:
        return strcmp(o->initial, "true") == 0 ? "false" : "true";
    case MP_OPT_TEXT:
        return "0.5,0.25"; /* of ratios; others are everybody's */
    case MP_OPT_LIST:
        return "3,4";
    default:
        return mp_arena_printf(arena, "%.10g", atof(o->initial) == o->hi ? o->lo : o->hi);
    }
}

static void an_option_of_another_method_is_an_error_with_every_method(void **state)
{
    (void)state;
    int refused = 0;
    for (int i = 0; mp_method_at(i); i++) {
        const char *pool = mp_method_at(i);
        for (const mp_opt *o = mp_config_table; o->name; o++) {
            if (mp_method_uses(pool, o->name)) continue;
            mp_cli_setting given[] = { { "pool", pool, "--pool", true }, { o->name, other_value(o), "--it", true } };
            mp_cli_args args = { .arena = arena, .settings = 2, .setting = given };
            mp_config c;
            mp_config_init(&c);
            for (int k = 0; k < 2; k++)
                assert_int_equal(mp_conf_set(mp_config_table, &c, given[k].name, given[k].value, "--it"), MP_OK);
            mp_err e = mp_given_settle(&args, &mp_task_classify, &c);
            const char *expected = mp_arena_printf(arena, "--it: not used by %s; ", pool);
            const char *by_task = "--it: not used by the task classify; ";
            if (e != MP_ERR_USAGE) fail_msg("%s takes --%s", pool, o->name);
            if (strncmp(mp_message(), expected, strlen(expected)) != 0 &&
                strncmp(mp_message(), by_task, strlen(by_task)) != 0)
                fail_msg("%s --%s: %s", pool, o->name, mp_message());
            refused++;
        }
    }
    assert_true(refused > 800);
}

/* ---- midpool help ---- */

static void help_of_an_option_says_who_takes_it(void **state)
{
    (void)state;
    const char *page = output("help --alpha");
    assert_non_null(strstr(page, "--alpha X               gsa: share of the structure score [0.6; 0 to 1]\n"));
    assert_non_null(strstr(page, "\nmethods: gsa\n"));
    assert_non_null(strstr(page, "\ncommands: train, cv, sweep, bench epoch"));
    assert_string_equal(output("help --no-flip"), output("help --flip"));
    assert_null(strstr(output("help --lr"), "methods:")); /* all take it */
    const char *two = output("help --out");               /* another meaning in another command */
    assert_non_null(strstr(two, "where the model goes"));
    assert_non_null(strstr(two, "\ncommands: train\n"));
    assert_string_equal(output("help alpha"), page);
    assert_string_equal(output("help sag"), output("train --pool sag --help"));
    refuse(2, "help --xyzzyplugh", "--xyzzyplugh: no such option");
    refuse(2, "help --rato", "--rato: no such option; did you mean '--ratio'?");
}

static void help_of_a_command_is_its_own(void **state)
{
    (void)state;
    assert_string_equal(output("help train"), output("train --help"));
    assert_string_equal(output("help train --pool sag"), output("train --pool sag --help"));
    assert_string_equal(output("help train --help-all"), output("train --help-all"));
    assert_string_equal(output("help data"), output("data --help"));
    assert_string_equal(output("help data convert"), output("data convert --help"));
    assert_string_equal(output("help data generate er"), output("data generate er --help"));
    assert_string_equal(output("help bench epoch"), output("bench epoch --help"));
    assert_string_equal(output("help bench"), output("bench -h"));
    assert_string_equal(output("help"), output("--help"));
    assert_string_equal(output("help help"), output("--help"));
    assert_string_equal(output("--help-all"), output("--help"));
    refuse(2, "help trian", "no command 'trian'; did you mean 'train'?");
    refuse(2, "help data convrt", "data: no command 'convrt'; did you mean 'convert'?");
    refuse(2, "bench", "bench: expected one of epoch, gemm, er, predict, store");
    refuse(2, "bench xyzzy", "bench: no command 'xyzzy' (midpool bench --help lists them)");
}

/* ---- lines ---- */

static void wraps(const char *text, int at, int indent, int width, const char *expected)
{
    mp_buf b = { 0 };
    mp_help_wrap(text, at, indent, width, &b);
    assert_string_equal(b.p, expected);
    mp_buf_free(&b);
}

static void text_is_broken_where_it_may_be(void **state)
{
    (void)state;
    wraps("one two three", 0, 0, 100, "one two three\n");
    wraps("one two three", 0, 2, 8, "one two\n  three\n");
    wraps("one two three", 4, 4, 11, "one two\n    three\n");
    wraps("a|bb|ccc|dddd", 0, 1, 6, "a|bb|\n ccc|\n dddd\n");
    wraps("word [0.5; 0 to 1]", 0, 0, 14, "word\n[0.5; 0 to 1]\n");
    wraps("longerthanaline x", 0, 2, 8, "longerthanaline\n  x\n");
    wraps("flows\non", 0, 0, 100, "flows on\n");
    wraps("a\n\nb\n  kept  as is\nc\nd", 0, 0, 100, "a\n\nb\n  kept  as is\nc d\n");
}

int main(void)
{
    if (!getenv("MIDPOOL_BIN")) {
        puts("MIDPOOL_BIN is not set: nothing to test");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_flags_have_two_values),
        cmocka_unit_test(an_option_is_explained_or_named_and_help_all_explains_all),
        cmocka_unit_test(lines_have_at_most_a_hundred_columns),
        cmocka_unit_test(examples_can_be_typed),
        cmocka_unit_test(help_of_a_method_explains_what_it_owns_and_leaves_out_what_it_does_not_take),
        cmocka_unit_test(an_option_of_another_method_is_an_error_with_every_method),
        cmocka_unit_test(help_of_an_option_says_who_takes_it),
        cmocka_unit_test(help_of_a_command_is_its_own),
        cmocka_unit_test(text_is_broken_where_it_may_be),
    };
    return cmocka_run_group_tests(tests, make_data, clean);
}
