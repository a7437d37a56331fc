/* test_json.c - every command that has --json prints one JSON object or nothing, and docs/formats.md names its members.
 * SPDX-License-Identifier: MIT */
#include "cli/tiny.h"
#include "conf/config.h"
#include "task/metric.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *words; /* what formats.md says about machine output */

static void read_words(void)
{
    mp_span text;
    const char *root = getenv("MIDPOOL_SOURCE");
    assert_non_null(root);
    assert_int_equal(mp_slurp(mp_arena_printf(arena, "%s/docs/formats.md", root), 0, arena, &text), MP_OK);
    words = strstr(text.p, "\n## Machine output\n");
    assert_non_null(words);
}

/* As `key` in a table, or "key": in an example. */
static bool named(const char *key)
{
    return strstr(words, mp_arena_printf(arena, "`%s`", key)) || strstr(words, mp_arena_printf(arena, "\"%s\":", key));
}

/* `owner`: the nearest name above. Options are members of a configuration and of what was chosen. */
static void check_names(const mp_json *v, const char *owner, const char *line)
{
    if (v->kind != MP_JSON_OBJECT && v->kind != MP_JSON_ARRAY) return;
    if (v->key) owner = v->key;
    bool options = strcmp(owner, "config") == 0 || strcmp(owner, "chosen") == 0;
    for (const mp_json *m = v->first; m; m = m->next) {
        bool option = options && m->key && mp_conf_find(mp_config_table, m->key);
        if (m->key && !option && !mp_metric_find(m->key) && !named(m->key))
            fail_msg("midpool %s: docs/formats.md does not name '%s'", line, m->key);
        check_names(m, owner, line);
    }
}

/* Python's reader is another one than ours. */
static void check_with_python(const mp_buf *out, const char *line)
{
    static int there = -1;
    if (there < 0) there = system("python3 -c 'import json' 2>/dev/null") == 0;
    if (!there) return;
    assert_int_equal(mp_write_file(path("out.json"), out->p, out->n), MP_OK);
    const char *command =
        mp_arena_printf(arena, "python3 -c 'import json,sys; json.load(open(sys.argv[1]))' %s", path("out.json"));
    if (system(command) != 0) fail_msg("midpool %s: not JSON by Python", line);
}

static const mp_json *checked(const char *line, int code)
{
    mp_spawned s = expect(code, line, NULL);
    const mp_json *v;
    if (s.out.n == 0) fail_msg("midpool %s: nothing on standard output", line);
    if (mp_json_parse((mp_span){ mp_arena_text(arena, s.out.p, s.out.n), s.out.n }, "stdout", arena, &v) != MP_OK)
        fail_msg("midpool %s: %s", line, mp_message());
    assert_int_equal(v->kind, MP_JSON_OBJECT);
    check_names(v, "", line);
    check_with_python(&s.out, line);
    mp_spawn_free(&s);
    return v;
}

#define QUICK "--hidden 8 --epochs 3 --quiet"

static const char *const lines[] = {
    "data info @/TINY --json",
    "data audit @/TINY --json",
    "data list --data @ --json",
    "data convert @/TINY @/tiny.jsonl --json",
    "data generate triangles --out @/T --train 20 --val 10 --test 10 --large 10 --json",
    "data generate ring --out @/R --json",
    "ops --json",
    "train @/TINY --pool sag --mid --out @/m.st --json " QUICK,
    "train @/T --pool topk --out @/t.st --json " QUICK,
    "predict @/m.st @/TINY --json --calibration",
    "predict @/m.st @/m.st @/TINY --json",
    "predict @/t.st @/T --json",
    "explain @/m.st @/TINY --graph 2 --json",
    "cv @/TINY --pool sag,topk --mid --grid paper --seeds 2 --folds 3 --store @/r.db --json " QUICK,
    "cv @/T --pool sag --seeds 1 --store @/r.db --json " QUICK,
    "report @/r.db --out @/r.html --json",
    "compare @/r.db --json",
    "status @/r.db --json",
    "bench gemm --json",
    "bench er --nodes 100 --steps 1 --json",
    "bench epoch @/TINY --pool sag --hidden 8 --timed 1 --json --profile",
    "bench predict @/TINY --pool sag --hidden 8 --graphs 200 --rounds 1 --json",
    "bench store --store @/b.db --runs 20 --json",
    "demo --seeds 2 --epochs 2 --store @/d.db --out @/d.html --json --quiet",
};
enum { LINES = sizeof lines / sizeof *lines };

static void every_command_prints_one_object_whose_members_are_documented(void **state)
{
    (void)state;
    read_words();
    for (int i = 0; i < LINES; i++) checked(lines[i], 0);
    const char *golden = mp_arena_printf(arena, "%s/tests/golden/vectors", getenv("MIDPOOL_SOURCE"));
    checked(mp_arena_printf(arena, "selftest --golden %s --json", golden), 0);
    assert_int_equal(mp_write_file(path("s.yaml"), "ratio: [0.5, 0.8]\nfolds: 3\nepochs: 2\n", 37), MP_OK);
    checked("sweep @/s.yaml --datasets @/TINY --hidden 8 --store @/s.db --json --quiet", 0);
}

/* Those whose help lists --json. */
static void no_command_with_json_is_left_out(void **state)
{
    (void)state;
    mp_spawned s = expect(0, "help", NULL);
    mp_span text = { s.out.p, s.out.n }, line;
    int found = 0;
    while (mp_next_line(&text, &line)) {
        if (line.n < 3 || memcmp(line.p, "  ", 2) != 0) continue;
        char name[16] = "";
        sscanf(line.p, " %15[a-z]", name);
        mp_spawned help = expect(0, mp_arena_printf(arena, "%s --help", name), NULL);
        bool tried = strcmp(name, "selftest") == 0 || strcmp(name, "sweep") == 0; /* below the list */
        for (int i = 0; i < LINES && !tried; i++) tried = strncmp(lines[i], name, strlen(name)) == 0;
        if (strstr(help.out.p, "--[no-]json") && !tried) fail_msg("midpool %s --json is not tried", name);
        found += tried;
        mp_spawn_free(&help);
    }
    assert_true(found > 10);
    mp_spawn_free(&s);
}

static void a_command_that_fails_prints_an_object_or_nothing(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "report @/none.db --json",
        "compare @/none.db --json",
        "status @/none.db --json",
        "data info @/NONE --json",
        "predict @/m.st @/NONE --json",
        "explain @/m.st @/TINY --graph 99999 --json",
        "cv @/TINY --pool sag --store @/no/such/r.db --json --quiet",
        "train @/TINY --pool none --json --quiet",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        mp_spawned s = mp_spawn(wrong[i]);
        assert_int_not_equal(s.code, 0);
        if (s.out.n) fail_msg("midpool %s: %s", wrong[i], s.out.p);
        mp_spawn_free(&s);
    }
}

/* The first lines of a set as a file that ends in the middle of a line. */
static void predict_closes_its_object_where_the_input_breaks_off(void **state)
{
    (void)state;
    mp_span all;
    assert_int_equal(mp_slurp(path("tiny.jsonl"), 0, arena, &all), MP_OK);
    assert_int_equal(mp_write_file(path("broken.jsonl"), all.p, all.n / 2), MP_OK);
    const mp_json *v = checked("predict @/m.st @/broken.jsonl --json", 1);
    assert_true(mp_json_get(v, "graphs")->count > 5);
    assert_non_null(strstr(mp_json_text(v, "error", ""), "broken.jsonl:"));
}

/* A pipe that brings some graphs and then waits; the program is stopped then. */
static void stopped_by(int sig)
{
    int in[2], out[2], status;
    char bytes[1 << 16];
    size_t n = 0;
    mp_span all, line;
    assert_int_equal(mp_slurp(path("tiny.jsonl"), 0, arena, &all), MP_OK);
    assert_true(pipe(in) == 0 && pipe(out) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[1]);
        close(out[0]);
        execl(getenv("MIDPOOL_BIN"), "midpool", "predict", path("m.st"), "-", "--json", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    for (int i = 0; i < 6 && mp_next_line(&all, &line); i++) {
        assert_int_equal(write(in[1], line.p, line.n), line.n);
        assert_int_equal(write(in[1], "\n", 1), 1);
    }
    for (ssize_t got; !memchr(bytes, '}', n); n += (size_t)got) { /* an answer is there */
        got = read(out[0], bytes + n, sizeof bytes - n);
        assert_true(got > 0);
    }
    kill(pid, sig);
    for (ssize_t got; (got = read(out[0], bytes + n, sizeof bytes - n)) > 0;) n += (size_t)got;
    close(in[1]);
    close(out[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + sig);
    const mp_json *v;
    if (mp_json_parse((mp_span){ bytes, n }, "stdout", arena, &v) != MP_OK)
        fail_msg("%s: %.*s", mp_message(), (int)n, bytes);
    assert_non_null(strstr(mp_json_text(v, "error", ""), "stopped"));
    check_names(v, "", "predict -");
}

static void predict_closes_its_object_when_a_signal_stops_it(void **state)
{
    (void)state;
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    for (int i = 0; i < 3; i++) {
        signal(signals[i], SIG_DFL); /* nohup and shells leave some ignored, and the program would keep to that */
        stopped_by(signals[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_prints_one_object_whose_members_are_documented),
        cmocka_unit_test(no_command_with_json_is_left_out),
        cmocka_unit_test(a_command_that_fails_prints_an_object_or_nothing),
        cmocka_unit_test(predict_closes_its_object_where_the_input_breaks_off),
        cmocka_unit_test(predict_closes_its_object_when_a_signal_stops_it),
    };
    return cmocka_run_group_tests(tests, make_data, clean);
}
