/* test_ends.c - how commands end: signals, results that cannot be written, locked stores, full outputs, limits.
 * SPDX-License-Identifier: MIT */
#include "cli/tiny.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUICK "--hidden 8 --layers 2 --batch-size 16 --lr 0.01"
#define TRAIN "train @/TINY --mid --epochs 3000 --patience 0 --threads 1 " QUICK

static bool exists(const char *name)
{
    return access(path(name), F_OK) == 0;
}

static int end_of(pid_t pid)
{
    int status;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* ---- signals ---- */

static void signals_save_and_give_the_usual_exit_code(void **state)
{
    (void)state;
    static const int signals[] = { SIGHUP, SIGTERM, SIGINT };
    for (int i = 0; i < 3; i++) {
        pid_t pid = mp_spawn_start(TRAIN " --quiet --out @/s.safetensors");
        mp_spawn_at_work(pid, SIGTERM);
        mp_spawn_pause(100);
        kill(pid, signals[i]);
        assert_int_equal(end_of(pid), 128 + signals[i]);
        assert_true(exists("s.safetensors.part"));
        assert_int_equal(unlink(path("s.safetensors.part")), 0);
        pid = mp_spawn_start("cv @/TINY --epochs 100000 --patience 0 --seeds 1 --folds 2 --store @/s.db " QUICK);
        mp_spawn_at_work(pid, SIGTERM);
        mp_spawn_pause(100);
        kill(pid, signals[i]);
        assert_int_equal(end_of(pid), 128 + signals[i]);
        assert_true(exists("s.db.unfinished"));
    }
}

static void a_hangup_that_is_ignored_stays_ignored(void **state)
{
    (void)state;
    signal(SIGHUP, SIG_IGN); /* as nohup does */
    pid_t pid = mp_spawn_start(TRAIN " --quiet --out @/h.safetensors");
    signal(SIGHUP, SIG_DFL);
    mp_spawn_at_work(pid, SIGTERM);
    kill(pid, SIGHUP);
    assert_int_equal(end_of(pid), 0);
    assert_true(exists("h.safetensors"));
}

/* A proxy that takes the request and says nothing. */
static int silent_proxy(int *port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, n), 0);
    assert_int_equal(listen(fd, 4), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    *port = ntohs(at.sin_port);
    return fd;
}

static void a_download_that_is_stopped_leaves_nothing(void **state)
{
    (void)state;
    int port, fd = silent_proxy(&port);
    char line[256];
    setenv("https_proxy", mp_arena_printf(arena, "http://127.0.0.1:%d", port), 1);
    setenv("no_proxy", "", 1);
    setenv("XDG_CACHE_HOME", path("cache"), 1);
    pid_t pid = mp_spawn_start("data fetch MUTAG");
    struct pollfd wait = { .fd = fd, .events = POLLIN };
    bool asked = false; /* stays so when the program was built without libcurl, and ends at once */
    siginfo_t end = { 0 };
    for (int i = 0; i < 600 && !asked && end.si_pid == 0; i++) {
        asked = poll(&wait, 1, 100) == 1;
        waitid(P_PID, (id_t)pid, &end, WEXITED | WNOHANG | WNOWAIT);
    }
    if (asked) kill(pid, SIGINT);
    int code = end_of(pid);
    snprintf(line, sizeof line, "find '%s' -name '*.zip' | grep -q .", path("cache"));
    int left = system(line);
    unsetenv("https_proxy");
    unsetenv("no_proxy");
    unsetenv("XDG_CACHE_HOME");
    close(fd);
    if (!asked) skip();
    assert_int_equal(code, 130);
    assert_int_not_equal(left, 0);
}

/* ---- results that cannot be written ---- */

static char *sha_in(const mp_spawned *s)
{
    const char *sha = mp_json_text(json_of(s), "model_sha256", "");
    return mp_arena_text(arena, sha, strlen(sha));
}

/* As mp_spawn_start; what it says goes to a file of the folder. */
static pid_t start_telling(const char *line, const char *file)
{
    const char *to = path(file);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (!freopen(to, "w", stderr)) _exit(127);
        mp_spawn_exec(line);
    }
    return pid;
}

static void a_trained_model_that_cannot_be_written_is_written_by_the_next_start(void **state)
{
    (void)state;
    pid_t pid = start_telling(TRAIN " --quiet --out @/w.safetensors", "w.said");
    mp_spawn_at_work(pid, SIGTERM);
    assert_int_equal(mkdir(path("w.safetensors"), 0777), 0); /* a file cannot take the place of a folder */
    assert_int_equal(end_of(pid), 1);
    assert_true(exists("w.safetensors.part"));
    mp_span said;
    assert_int_equal(mp_slurp(path("w.said"), 0, arena, &said), MP_OK);
    const char *kept = mp_arena_printf(arena, "; the trained model is kept in %s, the same command writes it again\n",
                                       path("w.safetensors.part"));
    if (!strstr(said.p, kept)) fail_msg("'%s' is not in '%s'", kept, said.p);
    assert_int_equal(rmdir(path("w.safetensors")), 0);
    mp_spawned s = expect(0, TRAIN " --json --out @/w.safetensors", "continuing after epoch 3000");
    assert_null(strstr(s.err.p, "epoch 3000:")); /* no epoch was trained */
    char *again = sha_in(&s);
    mp_spawn_free(&s);
    assert_true(exists("w.safetensors"));
    assert_false(exists("w.safetensors.part"));
    s = expect(0, TRAIN " --quiet --json", NULL);
    assert_string_equal(again, sha_in(&s));
    mp_spawn_free(&s);
}

static void names_that_are_too_long_are_seen_before_the_work(void **state)
{
    (void)state;
    char name[256];
    for (int n = 235; n < 255; n += 5) {
        memset(name, 'm', sizeof name);
        name[n] = '\0';
        mp_spawned s = mp_spawn(mp_arena_printf(arena, "train @/TINY --epochs 1 --quiet --out @/%s " QUICK, name));
        assert_true(s.code == 0 || (s.code == 1 && strstr(s.err.p, "name too long: a file is first written as")));
        if (n < 240) assert_int_equal(s.code, 0);
        if (n > 246) assert_int_equal(s.code, 1);
        assert_int_equal(exists(name), s.code == 0);
        mp_spawn_free(&s);
    }
}

static sqlite3 *lock(const char *name)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path(name), &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 10000); /* the study may be claiming a run */
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    return db;
}

static int rows_of(const char *name)
{
    sqlite3 *db;
    sqlite3_stmt *stmt;
    assert_int_equal(sqlite3_open(path(name), &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT count(*) FROM run WHERE status = 'done'", -1, &stmt, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    int n = sqlite3_column_int(stmt, 0);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return n;
}

#define LOCKED "cv @/TINY --pool topk --epochs 1000 --patience 0 --seeds 1 --folds 3 --jobs 2 --store @/lock.db " QUICK

/* The study has opened its store and trains; now the store is locked, and stays so when its runs end. */
static pid_t start_and_lock(sqlite3 **db)
{
    pid_t pid = mp_spawn_start(LOCKED " --quiet");
    mp_spawn_at_work(pid, SIGINT);
    *db = lock("lock.db");
    return pid;
}

/* Until `n` results are kept as files. */
static void wait_for_kept(int n)
{
    const char *line = mp_arena_printf(arena, "[ $(ls %s | grep -c '[.]done$') = %d ]", path("lock.db.unfinished"), n);
    for (int i = 0; i < 600; i++) {
        if (system(line) == 0) return;
        mp_spawn_pause(100);
    }
    fail_msg("no results are kept");
}

static void runs_that_end_while_the_store_is_locked_are_stored_later(void **state)
{
    (void)state;
    sqlite3 *db;
    pid_t pid = start_and_lock(&db);
    wait_for_kept(3);
    mp_spawn_pause(1500);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0); /* it waits */
    sqlite3_close(db);
    assert_int_equal(end_of(pid), 0);
    assert_int_equal(rows_of("lock.db"), 3);
    assert_false(exists("lock.db.unfinished"));
}

static void runs_given_up_while_the_store_is_locked_are_stored_by_the_next_start(void **state)
{
    (void)state;
    sqlite3 *db;
    assert_int_equal(unlink(path("lock.db")), 0);
    pid_t pid = start_and_lock(&db);
    wait_for_kept(3);
    kill(pid, SIGINT);
    assert_int_equal(end_of(pid), 130);
    assert_int_equal(rows_of("lock.db"), 0);
    sqlite3_close(db);
    mp_spawned s = expect(0, LOCKED, "3 of 3 runs were in");
    assert_null(strstr(s.err.p, "epochs, val")); /* nothing was trained */
    mp_spawn_free(&s);
    assert_int_equal(rows_of("lock.db"), 3);
    assert_false(exists("lock.db.unfinished"));
}

/* ---- outputs and limits ---- */

static int shell(const char *before, const char *line, const char *after)
{
    int status = system(mp_arena_printf(arena, "%s %s %s %s", before, getenv("MIDPOOL_BIN"), line, after));
    return WEXITSTATUS(status);
}

static void an_output_that_cannot_be_written_is_a_failure_of_every_command(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    const char *dir = mp_spawn_dir();
    const char *const lines[] = {
        "--version",
        "--help",
        "help",
        "ops",
        "ops --json",
        "train --help",
        "data --help",
        "data list",
        "data generate --help",
        mp_arena_printf(arena, "data info %s/TINY", dir),
        mp_arena_printf(arena, "predict %s/h.safetensors %s/TINY", dir, dir),
        mp_arena_printf(arena, "explain %s/h.safetensors %s/TINY --json", dir, dir),
        mp_arena_printf(arena, "report %s/lock.db --out %s/r.html", dir, dir),
        mp_arena_printf(arena, "report %s/lock.db --out %s/r.html --json", dir, dir),
        mp_arena_printf(arena, "report %s/lock.db --out /dev/stdout", dir),
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *said = mp_arena_printf(arena, "2> %s/said", dir);
        if (shell("", lines[i], mp_arena_printf(arena, "> /dev/null %s", said)) != 0) fail_msg("%s fails", lines[i]);
        if (shell("", lines[i], mp_arena_printf(arena, "> /dev/full %s", said)) != 1) fail_msg("%s", lines[i]);
        mp_span text;
        assert_int_equal(mp_slurp(path("said"), 0, arena, &text), MP_OK);
        if (!strstr(text.p, "No space left")) fail_msg("%s: %s", lines[i], text.p);
        if (shell("", lines[i], mp_arena_printf(arena, ">&- %s", said)) != 1) fail_msg("%s, closed", lines[i]);
    }
}

static void what_is_no_file_is_no_model(void **state)
{
    (void)state;
    refuse(1, "predict /dev/zero @/TINY", "/dev/zero: is a device or a pipe, expected a file");
    assert_int_equal(mkfifo(path("fifo"), 0666), 0);
    refuse(1, "predict @/fifo @/TINY", "is a device or a pipe");
    FILE *f = fopen(path("large"), "w"); /* a hole of 40 GB */
    assert_non_null(f);
    assert_int_equal(ftruncate(fileno(f), (off_t)40 << 30), 0);
    fclose(f);
    refuse(1, "predict @/large @/TINY", "not a safetensors file");
    assert_int_equal(unlink(path("large")), 0);
}

static void a_limit_on_memory_is_what_the_message_says_is_free(void **state)
{
    (void)state;
    const char *said = mp_arena_printf(arena, "2> %s/said", mp_spawn_dir());
    const char *line = mp_arena_printf(arena, "data generate er --nodes 3000000 --out %s/er", mp_spawn_dir());
    double free_mib = 0;
    mp_span text;
    int code = shell("ulimit -v 500000;", line, said);
    assert_int_equal(mp_slurp(path("said"), 0, arena, &text), MP_OK);
    const char *at = strstr(text.p, "asked for, ");
    if (code > 1 && !at) skip(); /* a sanitizer needs more than that for itself */
    assert_int_equal(code, 1);
    assert_non_null(at);
    assert_int_equal(sscanf(at, "asked for, %lf MiB were free", &free_mib), 1);
    assert_true(free_mib > 100 && free_mib < 500000 / 1024.0);
}

int main(void)
{
    if (!getenv("MIDPOOL_BIN")) {
        puts("MIDPOOL_BIN is not set: nothing to test");
        return 77;
    }
    static const int signals[] = { SIGHUP, SIGTERM, SIGINT }; /* whoever runs the tests may ignore some of them */
    for (int i = 0; i < 3; i++) signal(signals[i], SIG_DFL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_save_and_give_the_usual_exit_code),
        cmocka_unit_test(a_hangup_that_is_ignored_stays_ignored),
        cmocka_unit_test(a_download_that_is_stopped_leaves_nothing),
        cmocka_unit_test(a_trained_model_that_cannot_be_written_is_written_by_the_next_start),
        cmocka_unit_test(names_that_are_too_long_are_seen_before_the_work),
        cmocka_unit_test(runs_that_end_while_the_store_is_locked_are_stored_later),
        cmocka_unit_test(runs_given_up_while_the_store_is_locked_are_stored_by_the_next_start),
        cmocka_unit_test(an_output_that_cannot_be_written_is_a_failure_of_every_command),
        cmocka_unit_test(what_is_no_file_is_no_model),
        cmocka_unit_test(a_limit_on_memory_is_what_the_message_says_is_free),
    };
    return cmocka_run_group_tests(tests, make_data, clean);
}
