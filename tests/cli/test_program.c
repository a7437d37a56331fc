/* test_program.c - the program from outside, on a small generated data set: outputs, exit codes, errors,
 * kills.
 * SPDX-License-Identifier: MIT */
#include "cli/tiny.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUICK "--hidden 8 --layers 2 --batch-size 16 --lr 0.01 --quiet"

static bool exists(const char *name)
{
    return access(path(name), F_OK) == 0;
}

static void put(const char *name, const char *text)
{
    assert_int_equal(mp_write_file(path(name), text, strlen(text)), MP_OK);
}

static void help_and_version_go_to_stdout(void **state)
{
    (void)state;
    static const char *const lines[] = { "--help",       "--version",      "train --help",   "cv --help",
                                         "sweep --help", "predict --help", "explain --help", "ops --help",
                                         "demo --help",  "cv -h" };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        mp_spawned s = expect(0, lines[i], NULL);
        assert_true(s.out.n > 0);
        assert_int_equal(s.err.n, 0);
        mp_spawn_free(&s);
    }
    mp_spawned s = expect(0, "train --help-all", NULL);
    assert_non_null(strstr(s.out.p, "--score-dim N"));
    assert_non_null(strstr(s.out.p, "exact|bernoulli]"));
    mp_spawn_free(&s);
}

static void wrong_usage_is_one_line_and_exit_2(void **state)
{
    (void)state;
    refuse(2, "", "expected a command");
    refuse(2, "trian MUTAG", "did you mean 'train'?");
    refuse(2, "xyzzy", "no command 'xyzzy'");
    refuse(2, "train", "expected: midpool train DATASET");
    refuse(2, "train @/TINY --rato 1", "did you mean '--ratio'?");
    refuse(2, "train @/TINY --pool sagg", "did you mean 'sag'?");
    refuse(2, "train @/TINY --ratio 2", "--ratio: expected a number");
    refuse(2, "train @/TINY --folds 5 --fold 6", "--fold: TINY has 5 folds");
    refuse(2, "predict model", "expected: midpool predict MODEL... INPUT");
    refuse(2, "cv @/TINY --select best", "--select: expected one of");
}

static void what_is_not_there_is_exit_1(void **state)
{
    (void)state;
    refuse(1, "train NOSUCHSET", "NOSUCHSET");
    refuse(1, "predict @/nothing.safetensors @/TINY", "nothing.safetensors");
    refuse(1, "train @/TINY --config @/nothing.yaml", "nothing.yaml");
    refuse(1, "sweep @/nothing.yaml", "nothing.yaml");
}

static void outputs_that_cannot_be_written_are_seen_before_the_work(void **state)
{
    (void)state;
    refuse(1, "train @/TINY --out @/no/such/m.safetensors", "the folder cannot be written");
    refuse(1, "train @/TINY --out @/TINY", "is a folder");
    refuse(1, "cv @/TINY --store @/no/such/r.db", "the folder cannot be written");
    refuse(1, "demo --out @/no/such/r.html", "the folder cannot be written");
}

static const char *contents(const char *name)
{
    mp_span text;
    assert_int_equal(mp_slurp(path(name), 0, arena, &text), MP_OK);
    return text.p;
}

static void a_model_is_trained_saved_used_and_explained(void **state)
{
    (void)state;
    mp_spawned s =
        expect(0, "train @/TINY --pool TopKPooling --mid --epochs 6 --out @/m.safetensors --json " QUICK, NULL);
    const mp_json *v = json_of(&s);
    assert_int_equal(mp_json_int(v, "epochs", -1), 6);
    assert_string_equal(mp_json_text(v, "pool", ""), "topk");
    assert_int_equal(strlen(mp_json_text(v, "model_sha256", "")), 64);
    assert_true(exists("m.safetensors"));
    assert_false(exists("m.safetensors.part"));
    mp_spawn_free(&s);

    s = expect(0, "predict @/m.safetensors @/TINY --json", NULL);
    v = json_of(&s);
    const mp_json *first = mp_json_at(mp_json_get(v, "graphs"), 0);
    double p = mp_json_at(mp_json_get(first, "probabilities"), 0)->number;
    int64_t label = mp_json_int(first, "label", 0);
    assert_int_equal(label, p > 0.5 ? -5 : 5);
    assert_int_equal(mp_json_get(v, "graphs")->count, 70);
    mp_spawn_free(&s);

    s = expect(0, "predict @/m.safetensors @/TINY --csv --threads 2", NULL);
    assert_int_equal(strncmp(s.out.p, "graph,label,p_-5,p_5\n0,", 23), 0);
    mp_spawn_free(&s);

    s = expect(0, "explain @/m.safetensors @/TINY --graph 0 --json --svg @/g.svg", NULL);
    v = json_of(&s);
    assert_int_equal(mp_json_int(v, "label", 0), label);
    assert_int_equal(mp_json_get(v, "levels")->count, 2);
    const mp_json *level = mp_json_at(mp_json_get(v, "levels"), 0);
    int nodes = (int)mp_json_int(v, "node_count", 0);
    assert_int_equal(mp_json_get(level, "kept")->count, (nodes + 1) / 2);
    assert_int_equal(mp_json_get(level, "nodes")->count, nodes);
    assert_int_equal(mp_json_get(mp_json_at(mp_json_get(level, "nodes"), 0), "scores")->count, 5);
    assert_int_equal(mp_json_get(v, "layout")->count, nodes);
    for (const mp_json *at = mp_json_get(v, "layout")->first; at; at = at->next)
        for (int i = 0; i < 2; i++) assert_true(mp_json_at(at, i)->number >= 0 && mp_json_at(at, i)->number <= 1);
    assert_true(exists("g.svg"));
    mp_spawn_free(&s);
    s = expect(0, "explain @/m.safetensors @/TINY --graph 0 --columns-of 2 --svg @/c.svg", NULL);
    mp_spawn_free(&s);
    assert_non_null(strstr(contents("c.svg"), "nodes in 5 views. column 1: "));
    assert_null(strstr(contents("c.svg"), "column 6"));
    refuse(2, "explain @/m.safetensors @/TINY --columns-of 3", "m.safetensors has 2 poolings that drop nodes");
    refuse(2, "explain @/m.safetensors @/TINY --graph 70", "--graph: TINY has graphs 0 to 69");
}

static void the_example_program_answers(void **state)
{
    (void)state;
    const char *bin = getenv("MIDPOOL_BIN"), *example = getenv("MIDPOOL_QUICKSTART");
    if (!example) skip();
    bin = mp_arena_text(arena, bin, strlen(bin));
    setenv("MIDPOOL_BIN", example, 1);
    mp_spawned s = expect(0, "@/m.safetensors", NULL);
    assert_int_equal(strncmp(s.out.p, "class ", 6), 0);
    mp_spawn_free(&s);
    s = expect(1, "@/TINY/TINY_A.txt", "TINY_A.txt");
    mp_spawn_free(&s);
    setenv("MIDPOOL_BIN", bin, 1);
}

static void damaged_models_are_refused(void **state)
{
    (void)state;
    mp_span bytes;
    assert_int_equal(mp_slurp(path("m.safetensors"), 0, arena, &bytes), MP_OK);
    assert_int_equal(mp_write_file(path("cut.safetensors"), bytes.p, bytes.n - 5), MP_OK);
    refuse(1, "predict @/cut.safetensors @/TINY", "cut.safetensors");
    refuse(1, "predict @/TINY/TINY_A.txt @/TINY", "TINY_A.txt");
}

static char *sha_of(const char *line)
{
    mp_spawned s = expect(0, line, NULL);
    const char *sha = mp_json_text(json_of(&s), "model_sha256", "");
    char *copy = mp_arena_text(arena, sha, strlen(sha));
    mp_spawn_free(&s);
    return copy;
}

static void a_run_that_is_terminated_continues_to_the_same_model(void **state)
{
    (void)state;
    static const char line[] =
        "train @/TINY --mid --epochs 3000 --patience 0 --threads 1 --json --out @/k.safetensors " QUICK;
    pid_t pid = mp_spawn_start(line);
    mp_spawn_at_work(pid, SIGTERM);
    mp_spawn_pause(400);
    kill(pid, SIGTERM);
    int status;
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGTERM);
    assert_true(exists("k.safetensors.part"));
    assert_false(exists("k.safetensors"));
    char *resumed = sha_of(line);
    assert_false(exists("k.safetensors.part"));
    char *whole = sha_of("train @/TINY --mid --epochs 3000 --patience 0 --threads 2 --json " QUICK);
    assert_string_equal(resumed, whole);
}

/* Runs of a store as text, without times. */
static char *runs_of(const char *line)
{
    mp_spawned s = expect(0, line, NULL);
    mp_buf b = { 0 };
    const mp_json *runs = mp_json_get(json_of(&s), "runs");
    for (const mp_json *r = runs->first; r; r = r->next)
        mp_buf_printf(&b, "%d %d %d %.17g %.17g %.17g %s\n", (int)mp_json_int(r, "seed", 0),
                      (int)mp_json_int(r, "fold", 0), (int)mp_json_int(r, "epochs", 0), mp_json_real(r, "val_loss", 0),
                      mp_json_real(r, "val_metric", 0), mp_json_real(r, "test_metric", 0),
                      mp_json_text(r, "model_sha256", ""));
    char *copy = mp_arena_text(arena, b.p ? b.p : "", b.n);
    mp_buf_free(&b);
    mp_spawn_free(&s);
    return copy;
}

#define CV "cv @/TINY --pool topk --epochs 8 --seeds 2 --folds 3 --json " QUICK

static void cv_gives_the_same_numbers_for_any_number_of_jobs(void **state)
{
    (void)state;
    char *one = runs_of(CV " --jobs 1 --store @/one.db");
    char *two = runs_of(CV " --jobs 2 --store @/two.db");
    assert_string_equal(one, two);
    assert_int_equal(strlen(one) > 100, 1);
    char *again = runs_of(CV " --jobs 2 --store @/two.db"); /* all of it from the store */
    assert_string_equal(one, again);
    assert_false(exists("two.db.unfinished"));
}

static void cv_has_a_summary_for_every_mode(void **state)
{
    (void)state;
    mp_spawned s = expect(0, CV " --store @/two.db", NULL);
    const mp_json *summary = mp_json_get(json_of(&s), "summary");
    static const char *const modes[] = { "val", "val-global", "paper", "paper-global", "fixed" };
    for (int i = 0; i < 5; i++) {
        const mp_json *m = mp_json_get(summary, modes[i]);
        assert_non_null(m);
        double mean = mp_json_real(m, "mean", -1);
        assert_true(mean > 0 && mean <= 1);
    }
    mp_spawn_free(&s);
}

static void a_study_that_is_interrupted_continues_to_the_same_numbers(void **state)
{
    (void)state;
    static const char line[] =
        "cv @/TINY --pool topk --epochs 1500 --patience 0 --seeds 2 --folds 3 --json --jobs 2 " QUICK;
    char *whole = runs_of(mp_arena_printf(arena, "%s --store @/w.db", line));
    int status, rounds = 0;
    do { /* stopped again and again: by Ctrl-C, by kill -9, by Ctrl-C ... */
        pid_t pid = mp_spawn_start(mp_arena_printf(arena, "%s --store @/i.db", line));
        mp_spawn_at_work(pid, SIGINT);
        mp_spawn_pause(500);
        kill(pid, rounds % 2 ? SIGKILL : SIGINT);
        waitpid(pid, &status, 0);
        if (rounds == 0) assert_true(WIFEXITED(status));
    } while (++rounds < 3 && !(WIFEXITED(status) && WEXITSTATUS(status) == 0));
    char *parts = runs_of(mp_arena_printf(arena, "%s --store @/i.db", line));
    assert_string_equal(whole, parts);
}

static const char *conv_of(const char *line)
{
    mp_spawned s = expect(0, line, NULL);
    const char *conv = mp_json_text(mp_json_get(json_of(&s), "config"), "conv", "");
    mp_spawn_free(&s);
    return conv;
}

static void preset_paper_takes_the_network_of_the_row(void **state)
{
    (void)state;
    assert_string_equal(conv_of("train @/TINY --pool topk --epochs 1 --json " QUICK), "auto");
    assert_string_equal(conv_of("train @/TINY --pool topk --preset paper --epochs 1 --json " QUICK), "graphconv");
    assert_string_equal(conv_of("train @/TINY --pool TopKPooling --preset mid,paper --epochs 1 --json " QUICK),
                        "graphconv");
    assert_string_equal(conv_of("train @/TINY --pool topk --preset paper --conv sage --epochs 1 --json " QUICK),
                        "sage");
    assert_string_equal(conv_of("train @/TINY --pool sag --preset paper --epochs 1 --json " QUICK), "auto");
    refuse(2, "train @/TINY --pool att --preset paper " QUICK, "--preset: att has no 'paper' for TINY");
    refuse(2, "cv @/TINY --preset papr --store @/p.db " QUICK, "--preset: no preset 'papr'; did you mean 'paper'?");
    put("p.yaml", "pool: [sag, topk]\npreset: paper\nseeds: 1\nfolds: 2\nepochs: 1\nhidden: 4\n");
    mp_spawned s = expect(0, "sweep @/p.yaml --datasets @/TINY --store @/p.db --json --quiet", NULL);
    const mp_json *rows = mp_json_get(json_of(&s), "studies");
    assert_string_equal(mp_json_text(mp_json_get(mp_json_at(rows, 0), "config"), "conv", ""), "auto");
    assert_string_equal(mp_json_text(mp_json_get(mp_json_at(rows, 1), "config"), "conv", ""), "graphconv");
    mp_spawn_free(&s);
}

static void sweeps_try_every_combination(void **state)
{
    (void)state;
    put("s.yaml", "datasets: [NONE]\npool: [topk, sag]\nratio: [0.5, 0.8]\nmid: [false, true]\nhidden: 8\nlayers: 2\n"
                  "epochs: 3\nseeds: 1\nfolds: 3\nrows: [ratio]\n");
    mp_spawned s = expect(0, "sweep @/s.yaml --datasets @/TINY --store @/s.db --json --quiet", NULL);
    const mp_json *v = json_of(&s);
    assert_int_equal(mp_json_get(v, "studies")->count, 8);
    assert_int_equal(mp_json_get(v, "runs")->count, 24);
    mp_spawn_free(&s);
    s = expect(0, "sweep @/s.yaml --datasets @/TINY --store @/s.db --quiet", NULL);
    assert_non_null(strstr(s.out.p, "SAGPool + MID (h 5, drop 0.1), ratio 0.8"));
    mp_spawn_free(&s);
    put("t.yaml", "datasets: [MUTAG]\nrato: [1]\n");
    refuse(2, "sweep @/t.yaml --store @/s.db", ":2: rato: no such option; did you mean 'ratio'?");
    put("t.yaml", "pool: sag\n");
    refuse(2, "sweep @/t.yaml --store @/s.db", "'datasets' is missing");
    put("t.yaml", "datasets: [MUTAG]\nseeds: [1, 2]\n");
    refuse(2, "sweep @/t.yaml --store @/s.db", ":2: seeds: expected one value, not a list");
    put("t.yaml", "datasets: [MUTAG]\npreset: [paper, authors]\n");
    refuse(2, "sweep @/t.yaml --store @/s.db", ":2: preset: expected one value, not a list");
}

static const char *demo(const char *more)
{
    char *line = mp_arena_printf(arena, "demo --seeds 2 --epochs 2 --json --out @/d.html --store @/d.db %s", more);
    mp_spawned s = expect(0, line, NULL);
    const char *out = mp_arena_text(arena, s.out.p, s.out.n);
    mp_spawn_free(&s);
    return out;
}

/* How many files a folder has; the first one is removed. */
static int count_and_remove_one(const char *folder)
{
    int n = 0;
    DIR *d = opendir(path(folder));
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.') continue;
        if (n++ == 0) unlink(path(mp_arena_printf(arena, "%s/%s", folder, e->d_name)));
    }
    closedir(d);
    return n;
}

/* Two epochs: all runs fail, and the words must say so. */
static void the_demo_shows_every_seed_and_trains_none_twice(void **state)
{
    (void)state;
    const char *first = demo("--quiet");
    mp_spawned s = { .out = { .p = (char *)(uintptr_t)first, .n = strlen(first) } };
    const mp_json *v = json_of(&s);
    assert_non_null(strstr(mp_json_text(v, "modes", ""), "2 of 2 seeds without MID, 2 of 2 with MID."));
    for (int i = 0; i < 2; i++) {
        const mp_json *m = mp_json_at(mp_json_get(v, "models"), i);
        assert_int_equal(mp_json_int(m, "failed", -1), 2);
        assert_int_equal(mp_json_get(m, "seeds")->count, 2);
    }
    mp_span page;
    assert_int_equal(mp_slurp(path("d.html"), 1 << 24, arena, &page), MP_OK);
    assert_non_null(strstr(page.p, "<title>seed 43: "));
    mp_spawned again =
        expect(0, "demo --seeds 2 --epochs 2 --json --out @/d.html --store @/d.db", "4 of 4 runs were in");
    assert_string_equal(again.out.p, first);
    mp_spawn_free(&again);
    assert_int_equal(count_and_remove_one("d.db.models"), 4);
    assert_string_equal(demo("--quiet"), first);
    assert_int_equal(count_and_remove_one("d.db.models"), 4);
}

static void a_full_disk_is_an_error_and_leaves_nothing_half_written(void **state)
{
    (void)state;
    mp_spawn_limit_files(2000);
    refuse(1, "train @/TINY --epochs 2 --out @/full.safetensors " QUICK, "full.safetensors");
    assert_false(exists("full.safetensors"));
    mp_spawned s = mp_spawn(CV " --store @/full.db");
    assert_int_equal(s.code, 1);
    assert_int_equal(strncmp(s.err.p, "midpool: ", 9), 0);
    mp_spawn_free(&s);
    mp_spawn_limit_files(0);
    char *after = runs_of(CV " --store @/full.db"), *whole = runs_of(CV " --store @/one.db");
    assert_string_equal(after, whole);
}

static void a_store_of_a_newer_version_is_refused(void **state)
{
    (void)state;
    mp_span bytes;
    assert_int_equal(mp_slurp(path("one.db"), 0, arena, &bytes), MP_OK);
    char *copy = mp_arena_text(arena, bytes.p, bytes.n);
    copy[60] = copy[61] = copy[62] = 0; /* user_version in the header of an SQLite file, big-endian */
    copy[63] = 99;
    assert_int_equal(mp_write_file(path("new.db"), copy, bytes.n), MP_OK);
    refuse(1, CV " --store @/new.db", "new.db");
    put("text.db", "this is no database, but a text that is long enough to look at, line after line after line\n");
    refuse(1, CV " --store @/text.db", "text.db");
}

static void a_closed_pipe_or_full_output_is_a_failure(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    char line[512];
    snprintf(line, sizeof line, "%s ops --json > /dev/full 2> /dev/null", getenv("MIDPOOL_BIN"));
    int status = system(line);
    assert_int_equal(WEXITSTATUS(status), 1);
}

static void operators_are_listed(void **state)
{
    (void)state;
    mp_spawned s = expect(0, "ops --json", NULL);
    const mp_json *ops = mp_json_get(json_of(&s), "operators");
    assert_true(ops->count >= 4);
    for (const mp_json *o = ops->first; o; o = o->next) assert_true(strlen(mp_json_text(o, "name", "")) > 0);
    const mp_json *preset = mp_json_at(mp_json_get(mp_json_at(ops, 0), "presets"), 0);
    assert_string_equal(mp_json_text(preset, "name", ""), "paper");
    assert_string_equal(mp_json_text(preset, "settings", ""), "conv=graphconv");
    mp_spawn_free(&s);
}

int main(void)
{
    if (!getenv("MIDPOOL_BIN")) {
        puts("MIDPOOL_BIN is not set: nothing to test");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_and_version_go_to_stdout),
        cmocka_unit_test(wrong_usage_is_one_line_and_exit_2),
        cmocka_unit_test(what_is_not_there_is_exit_1),
        cmocka_unit_test(outputs_that_cannot_be_written_are_seen_before_the_work),
        cmocka_unit_test(operators_are_listed),
        cmocka_unit_test(a_model_is_trained_saved_used_and_explained),
        cmocka_unit_test(the_example_program_answers),
        cmocka_unit_test(damaged_models_are_refused),
        cmocka_unit_test(a_run_that_is_terminated_continues_to_the_same_model),
        cmocka_unit_test(cv_gives_the_same_numbers_for_any_number_of_jobs),
        cmocka_unit_test(cv_has_a_summary_for_every_mode),
        cmocka_unit_test(a_study_that_is_interrupted_continues_to_the_same_numbers),
        cmocka_unit_test(preset_paper_takes_the_network_of_the_row),
        cmocka_unit_test(sweeps_try_every_combination),
        cmocka_unit_test(the_demo_shows_every_seed_and_trains_none_twice),
        cmocka_unit_test(a_full_disk_is_an_error_and_leaves_nothing_half_written),
        cmocka_unit_test(a_store_of_a_newer_version_is_refused),
        cmocka_unit_test(a_closed_pipe_or_full_output_is_a_failure),
    };
    return cmocka_run_group_tests(tests, make_data, clean);
}
