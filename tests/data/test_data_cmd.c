/* test_data_cmd.c - midpool data: exit codes, and JSON that parses.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "base/json.h"
#include "cli/commands.h"

#include <fcntl.h>

/* Runs the command with stdout in a file; `words` is NULL-ended. */
static int run(mp_arena *a, mp_span *out, const char *const *words)
{
    const char *folder = new_folder(a), *path = mp_arena_printf(a, "%s/out", folder);
    char *argv[24];
    int argc = 0;
    for (; words[argc]; argc++) argv[argc] = mp_arena_text(a, words[argc], strlen(words[argc]));
    argv[argc] = NULL;
    fflush(stdout);
    int keep = dup(1), file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(keep >= 0 && file >= 0 && dup2(file, 1) == 1);
    int code = mp_commands_run(argc, argv);
    fflush(stdout);
    dup2(keep, 1);
    close(keep);
    close(file);
    WORKS(mp_slurp(path, 0, a, out));
    remove_folder(folder);
    return code;
}
#define RUN(...) run(*state, &out, (const char *const[]){ "data", __VA_ARGS__, NULL })

static void wrong_usage_exits_with_2(void **state)
{
    mp_span out;
    assert_int_equal(RUN("infos"), 2);
    assert_int_equal(RUN("info"), 2);
    assert_int_equal(RUN("info", "MUTAG", "--jason"), 2);
    assert_int_equal(RUN("generate"), 2);
    assert_int_equal(RUN("generate", "cubes"), 2);
    assert_int_equal(RUN("generate", "colors3"), 2);
    assert_int_equal(RUN("generate", "colors3", "--out", "/tmp/never", "--train", "-1"), 2);
    assert_int_equal(RUN("fetch", "../x"), 2);
    assert_int_equal(RUN("convert", "MUTAG"), 2);
    assert_int_equal(RUN("convert", "MUTAG", "m.txt"), 2);
    assert_int_equal(RUN("convert", "MUTAG", "m", "--format", "xml"), 2);
}

static void failures_exit_with_1(void **state)
{
    mp_span out;
    assert_int_equal(RUN("info", "/no/such/set"), 1);
    assert_int_equal(RUN("audit", "no-such-set", "--data", "/no/such/place"), 1);
    assert_int_equal(RUN("generate", "er", "--out", "/proc/no/such"), 1);
}

static void help_is_there_for_every_command(void **state)
{
    static const char *const commands[] = { "list", "info", "fetch", "convert", "audit" };
    mp_span out;
    assert_int_equal(RUN("--help"), 0);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(RUN(commands[i], "--help"), 0);
        assert_non_null(strstr(out.p, "--[no-]json"));
    }
    assert_int_equal(RUN("generate", "--help"), 0);
    assert_int_equal(RUN("generate", "triangles", "--help"), 0);
    assert_non_null(strstr(out.p, "--large-max-nodes"));
}

static const mp_json *parsed(mp_span out, mp_arena *a)
{
    const mp_json *v;
    WORKS(mp_json_parse(out, "stdout", a, &v));
    return v;
}

static void a_generated_set_is_listed_described_and_audited(void **state)
{
    mp_arena *a = *state;
    const char *place = new_folder(a), *home = mp_arena_printf(a, "%s/COLORS-3", place);
    mp_span out;
    assert_int_equal(RUN("generate", "colors3", "--out", home, "--train=40", "--val=20", "--test", "20", "--large",
                         "10", "--large-c", "0", "--json"),
                     0);
    const mp_json *made = parsed(out, a);
    assert_int_equal(mp_json_int(made, "graphs", 0), 90);
    assert_int_equal(RUN("info", "COLORS-3", "--data", place, "--json"), 0);
    const mp_json *read = parsed(out, a);
    assert_string_equal(mp_json_text(read, "fingerprint", ""), mp_json_text(made, "fingerprint", "-"));
    assert_int_equal(RUN("info", home), 0);
    assert_non_null(strstr(out.p, "test-large   graphs 80 to 89"));
    assert_int_equal(RUN("audit", home, "--json"), 0);
    assert_int_equal(mp_json_int(parsed(out, a), "graphs", 0), 90);
    assert_int_equal(RUN("list", "--data", place, "--json"), 0);
    const mp_json *first = mp_json_at(mp_json_get(parsed(out, a), "datasets"), 0);
    assert_string_equal(mp_json_text(first, "name", ""), "COLORS-3");
    remove_folder(place);
}

/* To lines, to files and to lines again: the same bytes, and the same data set in each. */
static void a_converted_set_is_the_same_set(void **state)
{
    mp_arena *a = *state;
    const char *place = new_folder(a), *home = mp_arena_printf(a, "%s/COLORS-3", place);
    const char *lines = mp_arena_printf(a, "%s/c.jsonl", place), *files = mp_arena_printf(a, "%s/c", place);
    const char *again = mp_arena_printf(a, "%s/d.jsonl", place);
    mp_span out, first, second;
    assert_int_equal(RUN("generate", "colors3", "--out", home, "--train=30", "--val=10", "--test=10", "--large=5",
                         "--large-c=0", "--json"),
                     0);
    const char *print = mp_json_text(parsed(out, a), "fingerprint", "-");
    assert_int_equal(RUN("convert", home, lines, "--json"), 0);
    assert_string_equal(mp_json_text(parsed(out, a), "format", ""), "jsonl");
    assert_int_equal(mp_json_int(parsed(out, a), "graphs", 0), 55);
    assert_int_equal(RUN("convert", lines, files), 0);
    assert_int_equal(RUN("convert", files, again, "--format", "jsonl", "--edge-attributes", "ignore"), 0);
    WORKS(mp_slurp(lines, 0, a, &first));
    WORKS(mp_slurp(again, 0, a, &second));
    assert_int_equal(first.n, second.n);
    assert_memory_equal(first.p, second.p, first.n);
    const char *const forms[] = { lines, files };
    for (int i = 0; i < 2; i++) {
        assert_int_equal(RUN("info", forms[i], "--json"), 0);
        assert_string_equal(mp_json_text(parsed(out, a), "fingerprint", ""), print);
        assert_int_equal(RUN("info", forms[i]), 0);
        assert_non_null(strstr(out.p, "test-large   graphs 50 to 54"));
        assert_int_equal(RUN("audit", forms[i], "--json"), 0);
    }
    assert_int_equal(RUN("convert", lines, files), 2); /* the folder is not empty */
    assert_int_equal(RUN("convert", lines, mp_arena_printf(a, "%s/c.zip", place)), 2);
    assert_int_equal(RUN("convert", lines, mp_arena_printf(a, "%s/c.jsonl.gz", place)), 2);
    assert_int_equal(RUN("convert", lines, "/no/such/folder/x.jsonl"), 1);
    remove_folder(place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(wrong_usage_exits_with_2),        CASE(failures_exit_with_1),
        CASE(help_is_there_for_every_command), CASE(a_generated_set_is_listed_described_and_audited),
        CASE(a_converted_set_is_the_same_set),
    };
    return cmocka_run_group_tests_name("data_cmd", tests, NULL, NULL);
}
