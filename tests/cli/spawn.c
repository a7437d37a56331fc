/* spawn.c - see spawn.h.
 * SPDX-License-Identifier: MIT */
#include "cli/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_WORDS 64

static char dir[64];
static size_t file_limit;

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

void mp_spawn_clean(void)
{
    if (dir[0]) nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    dir[0] = '\0';
}

const char *mp_spawn_dir(void)
{
    if (!dir[0]) {
        strcpy(dir, "/tmp/midpool_cli_XXXXXX");
        if (!mkdtemp(dir)) abort();
    }
    return dir;
}

void mp_spawn_limit_files(size_t bytes)
{
    file_limit = bytes;
}

/* Words of the line, with @ replaced by the folder. */
static void split(const char *line, mp_arena *a, char **argv)
{
    const char *bin = getenv("MIDPOOL_BIN");
    int n = 0;
    argv[n++] = mp_arena_printf(a, "%s", bin ? bin : "midpool");
    mp_span rest = mp_span_of(line), word;
    while (mp_next_field(&rest, ' ', &word)) {
        const char *at = word.n ? memchr(word.p, '@', word.n) : NULL;
        if (word.n == 0 || n == MOST_WORDS - 1) continue;
        if (at)
            argv[n++] = mp_arena_printf(a, "%.*s%s%.*s", (int)(at - word.p), word.p, mp_spawn_dir(),
                                        (int)(word.n - (size_t)(at - word.p) - 1), at + 1);
        else
            argv[n++] = mp_span_is(word, "''") ? mp_arena_text(a, "", 0) : mp_arena_text(a, word.p, word.n);
    }
    argv[n] = NULL;
}

_Noreturn static void become(char **argv, int out, int err)
{
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    if (file_limit) {
        struct rlimit limit = { file_limit, file_limit };
        setrlimit(RLIMIT_FSIZE, &limit);
        signal(SIGXFSZ, SIG_IGN); /* then writing fails with an error, as on a full disk */
    }
    execvp(argv[0], argv);
    _exit(127);
}

static pid_t start(const char *line, int out, int err)
{
    mp_arena *a = mp_arena_new(4096);
    char *argv[MOST_WORDS];
    split(line, a, argv);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) become(argv, out, err);
    mp_arena_free(a);
    return pid;
}

void mp_spawn_exec(const char *line)
{
    char *argv[MOST_WORDS];
    split(line, mp_arena_new(4096), argv);
    become(argv, open("/dev/null", O_WRONLY), STDERR_FILENO);
}

pid_t mp_spawn_start(const char *line)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    pid_t pid = start(line, null, null);
    close(null);
    return pid;
}

static void read_both(int out, int err, mp_spawned *s)
{
    struct pollfd fds[2] = { { out, POLLIN, 0 }, { err, POLLIN, 0 } };
    for (int open_ends = 2; open_ends > 0;) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR) return;
        for (int i = 0; i < 2; i++) {
            char bytes[4096];
            if (fds[i].fd < 0 || !fds[i].revents) continue;
            ssize_t got = read(fds[i].fd, bytes, sizeof bytes);
            if (got > 0) mp_buf_add(i ? &s->err : &s->out, bytes, (size_t)got);
            if (got <= 0) {
                fds[i].fd = -1;
                open_ends--;
            }
        }
    }
}

mp_spawned mp_spawn(const char *line)
{
    int out[2], err[2], status = 0;
    mp_spawned s = { 0 };
    mp_buf_puts(&s.out, "");
    mp_buf_puts(&s.err, "");
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) abort();
    pid_t pid = start(line, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    read_both(out[0], err[0], &s);
    close(out[0]);
    close(err[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    s.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return s;
}

void mp_spawn_free(mp_spawned *s)
{
    mp_buf_free(&s->out);
    mp_buf_free(&s->err);
}

void mp_spawn_pause(int ms)
{
    struct timespec t = { ms / 1000, (ms % 1000) * 1000000L };
    nanosleep(&t, NULL);
}

void mp_spawn_at_work(pid_t pid, int number)
{
    char path[32], line[128];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    for (int i = 0; i < 6000; i++) {
        unsigned long long caught = 0;
        FILE *f = fopen(path, "r");
        while (f && fgets(line, sizeof line, f))
            if (sscanf(line, "SigCgt: %llx", &caught) == 1) break;
        if (f) fclose(f);
        siginfo_t ended = { 0 };
        waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT);
        if ((caught >> (number - 1) & 1) || ended.si_pid) return;
        mp_spawn_pause(10);
    }
    fprintf(stderr, "the program does not catch signal %d\n", number);
    abort();
}
