/* test_terminal.c - what a person sees: the changing line on terminals of all widths, help, words that are nearly right.
 * SPDX-License-Identifier: MIT */
#include "cli/progress.h"
#include "cli/tiny.h"
#include "cli/watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs `child` with its outputs on a terminal of that many columns; what it wrote there. */
static char *on_terminal(int columns, void (*child)(void))
{
    struct winsize size = { .ws_row = 24, .ws_col = (unsigned short)columns };
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    char *name = ptsname(master);
    int slave = open(name, O_RDWR | O_NOCTTY);
    assert_true(slave >= 0 && ioctl(slave, TIOCSWINSZ, &size) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(slave, STDERR_FILENO);
        dup2(slave, STDOUT_FILENO);
        child();
        _exit(0);
    }
    close(slave);
    mp_buf seen = { 0 };
    char piece[4096];
    for (ssize_t n; (n = read(master, piece, sizeof piece)) > 0;) mp_buf_add(&seen, piece, (size_t)n);
    close(master);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    char *text = mp_arena_text(arena, seen.n ? seen.p : "", seen.n);
    mp_buf_free(&seen);
    return text;
}

/* The first changing line: what stands between the order to clear the line and the next control character. */
static const char *first_line(const char *seen)
{
    const char *at = strstr(seen, "\033[K");
    assert_non_null(at);
    at = at ? at + 3 : "";
    return mp_arena_text(arena, at, strcspn(at, "\r\n\033"));
}

#define LINES 30
static void long_page(void)
{
    mp_buf b = { 0 };
    for (int i = 1; i <= LINES; i++) mp_buf_printf(&b, "line %02d ABCDEFGHIJ\n", i);
    if (mp_screen_show(b.p, b.n) != MP_OK) _exit(1);
    mp_buf_free(&b);
}

/* The last row stays free: a line feed there would move the page up. */
static void a_page_fills_the_screen_and_no_more(void **state)
{
    (void)state;
    const char *seen = on_terminal(12, long_page), *p = seen;
    assert_memory_equal(p, "\033[H", 3);
    p += 3;
    for (int i = 1; i < 24; i++) {
        const char *want = mp_arena_printf(arena, "line %02d ABC\033[K\r\n", i); /* eleven of twelve columns */
        assert_memory_equal(p, want, strlen(want));
        p += strlen(want);
    }
    assert_string_equal(p, "\033[J");
}

static void study_line(void)
{
    mp_progress p;
    mp_progress_init(&p, false);
    mp_progress_now(&p, 200, "%d/%d runs\t, %s\t, seed %d, fold %d\t: epoch %d", 7, 90,
                    "IMDB-BINARY sag + MID (h 5, drop 0.1)", 42, 3, 120);
}

static void the_changing_line_fits_and_loses_the_time_left_last(void **state)
{
    (void)state;
    static const struct {
        int columns;
        const char *line;
    } cases[] = {
        { 200, "7/90 runs, IMDB-BINARY sag + MID (h 5, drop 0.1), seed 42, fold 3: epoch 120, about 3 min 20 s left" },
        { 99, "7/90 runs, IMDB-BINARY sag + MID (h 5, drop 0.1), seed 42, fold 3, about 3 min 20 s left" },
        { 80, "7/90 runs, IMDB-BINARY sag + MID (h 5, drop 0.1), about 3 min 20 s left" },
        { 72, "7/90 runs, IMDB-BINARY sag + MID (h 5, drop 0.1), about 3 min 20 s left" },
        { 71, "7/90 runs, about 3 min 20 s left" },
        { 32, "about 3 min 20 s left" },
        { 10, "about 3 m" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(first_line(on_terminal(cases[i].columns, study_line)), cases[i].line);
}

static void endless_line(void)
{
    mp_progress p;
    mp_progress_init(&p, false);
    mp_progress_now(&p, 200, "7/90\t%0600d", 1);
}

static void a_line_of_any_length_has_its_beginning_and_the_time_left(void **state)
{
    (void)state;
    assert_string_equal(first_line(on_terminal(80, endless_line)), "7/90, about 3 min 20 s left");
}

static void sweep_line(void)
{
    static const char *const swept[] = { "pool", "lr", "hidden", "seed", "clusters", NULL };
    mp_watch w;
    mp_listener l = mp_watch_begin(&w, false, NULL, swept);
    mp_run_key key;
    memset(&key, 0, sizeof key);
    strcpy(key.dataset, "MUTAG");
    mp_config_init(&key.config);
    strcpy(key.config.pool, "sag"); /* which has no clusters */
    key.config.lr = 0.005;
    key.config.hidden = 64;
    key.fold = 3;
    mp_fit_news n = { .epoch = 120 };
    mp_cv_count c = { .total = 90, .done = 7, .left = 200 };
    l.news(l.state, &key, &n, &c);
    mp_run_result r = {
        .task = "classify", .metric = "accuracy", .epochs = 130, .val_metric = 0.5, .test_metric = 0.5
    };
    l.done(l.state, &key, &r, &c);
}

/* Rows that differ in what is swept alone can be told apart, and the time left stays. */
static void lines_of_a_sweep_name_what_differs_between_its_rows(void **state)
{
    (void)state;
    static const struct {
        int columns;
        const char *line;
    } cases[] = {
        { 120, "7/90 runs, MUTAG sag, lr 0.005, hidden 64, seed 42, fold 3: epoch 120, about 3 min 20 s left" },
        { 80, "7/90 runs, MUTAG sag, lr 0.005, hidden 64, about 3 min 20 s left" },
        { 60, "7/90 runs, MUTAG sag, about 3 min 20 s left" },
        { 40, "7/90 runs, about 3 min 20 s left" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *seen = on_terminal(cases[i].columns, sweep_line);
        assert_string_equal(first_line(seen), cases[i].line);
        assert_non_null(strstr(seen, "7/90 MUTAG sag, lr 0.005, hidden 64, seed 42, fold 3: 130 epochs, "));
    }
}

static void other_line(void)
{
    mp_progress p;
    mp_progress_init(&p, false);
    mp_progress_now(&p, -1, "Größe der Datei: %d\t und noch mehr", 5);
}

static void columns_are_characters_not_bytes(void **state)
{
    (void)state;
    assert_string_equal(first_line(on_terminal(19, other_line)), "Größe der Datei: 5");
    assert_string_equal(first_line(on_terminal(4, other_line)), "Grö");
}

static void page(void)
{
    static const char text[] = "a line that is longer than the screen\n\n\033[31mred\n";
    mp_err e = mp_screen_show(text, sizeof text - 1);
    if (e == MP_OK) e = mp_screen_show("short\n", 6);
    if (e != MP_OK) _exit(1);
}

/* From the corner, line over line; no line wraps, nothing of the page before is left, nothing foreign draws. */
static void a_page_is_shown_over_the_one_before(void **state)
{
    (void)state;
    assert_string_equal(on_terminal(12, page), "\033[Ha line that\033[K\r\n\033[K\r\n?[31mred\033[K\r\n\033[J"
                                               "\033[Hshort\033[K\r\n\033[J");
}

static void train(void)
{
    mp_spawn_exec("train @/TINY --epochs 20 --patience 0 --hidden 8");
}

static void training_shows_the_time_left_on_80_columns(void **state)
{
    (void)state;
    const char *line = first_line(on_terminal(80, train));
    assert_int_equal(strncmp(line, "epoch 1 of at most 20: val loss ", 32), 0);
    assert_true(strlen(line) < 80);
    assert_non_null(strstr(line, " s left"));
}

static void an_option_that_is_begun_is_the_one_that_was_meant(void **state)
{
    (void)state;
    refuse(2, "train @/TINY --batch 4", "--batch: no such option; did you mean '--batch-size'?");
    refuse(2, "train @/TINY --weight 4", "did you mean '--weight-decay'?");
    refuse(2, "train @/TINY --hiden 4", "did you mean '--hidden'?");
    refuse(2, "pred", "did you mean 'predict'?");
}

static void short_options_get_an_answer(void **state)
{
    (void)state;
    static const char *const versions[] = { "-V", "-v", "--version" };
    for (size_t i = 0; i < 3; i++) {
        mp_spawned s = expect(0, versions[i], NULL);
        assert_string_equal(s.out.p, "midpool " MP_VERSION "\n");
        mp_spawn_free(&s);
    }
    refuse(2, "-x", "-x: no such option");
    refuse(2, "--pool sag", "--pool: options of a command stand behind it");
    refuse(2, "train @/TINY -q", "-q: options begin with two dashes; did you mean '--quiet'?");
    refuse(2, "train @/TINY -hidden 4", "-hidden: options begin with two dashes; did you mean '--hidden'?");
    refuse(2, "train @/TINY -v", "-v: no such option; midpool --version says which version this is");
    refuse(2, "train @/TINY -9", "-9: options begin with two dashes (midpool train --help lists them)");
}

static void instructions_that_are_not_there_are_refused(void **state)
{
    (void)state;
    setenv("MIDPOOL_ISA", "v9", 1);
    refuse(2, "train @/TINY", "MIDPOOL_ISA: this machine has no such instruction set, 'v9'");
    refuse(2, "bench gemm", "MIDPOOL_ISA: this machine has no such instruction set, 'v9'");
    unsetenv("MIDPOOL_ISA");
}

int main(void)
{
    if (!getenv("MIDPOOL_BIN")) {
        puts("MIDPOOL_BIN is not set: nothing to test");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_fills_the_screen_and_no_more),
        cmocka_unit_test(a_line_of_any_length_has_its_beginning_and_the_time_left),
        cmocka_unit_test(the_changing_line_fits_and_loses_the_time_left_last),
        cmocka_unit_test(lines_of_a_sweep_name_what_differs_between_its_rows),
        cmocka_unit_test(columns_are_characters_not_bytes),
        cmocka_unit_test(a_page_is_shown_over_the_one_before),
        cmocka_unit_test(training_shows_the_time_left_on_80_columns),
        cmocka_unit_test(an_option_that_is_begun_is_the_one_that_was_meant),
        cmocka_unit_test(short_options_get_an_answer),
        cmocka_unit_test(instructions_that_are_not_there_are_refused),
    };
    return cmocka_run_group_tests(tests, make_data, clean);
}
