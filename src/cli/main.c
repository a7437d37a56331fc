/* main.c - the program: what stands before a command, and the guards around it.
 * SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "base/guard.h"
#include "data/archive.h"
#include "math/kernels.h"
#include "store/store.h"
#include "study/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int run_command(int argc, char **argv)
{
    if (!mp_kernels_get()) {
        mp_cli_say("midpool: MIDPOOL_ISA: this machine has no such instruction set, '%s'", getenv("MIDPOOL_ISA"));
        return 2;
    }
    return mp_commands_run(argc, argv);
}

static bool is(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "midpool: expected a command (midpool --help lists them; midpool demo shows what it does)\n");
        return 2;
    }
    const char *word = argv[1];
    if (is(word, "--help", "-h", "help") || is(word, "--help-all", "-help", "-?"))
        return mp_commands_help(argc - 2, argv + 2);
    if (is(word, "--version", "-V", "-v")) {
        puts("midpool " MP_VERSION);
        return 0;
    }
    if (word[0] != '-') return run_command(argc - 1, argv + 1);
    if (argc > 2)
        mp_cli_say("midpool: %s: options of a command stand behind it (midpool --help lists the commands)", word);
    else
        mp_cli_say("midpool: %s: no such option (midpool --help lists the commands)", word);
    return 2;
}

/* A file that is opened while a standard descriptor is closed would take its number and be printed into. */
static void occupy_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd) _exit(1); /* writing to it fails */
}

typedef struct line {
    int argc, code;
    char **argv;
} line;

static mp_err run_line(void *arg)
{
    line *l = arg;
    l->code = run(l->argc, l->argv);
    return MP_OK;
}

int main(int argc, char **argv)
{
    occupy_standard();
    mp_err e = mp_memory_guard();
    if (e != MP_OK) return mp_cli_fail(e);
    mp_unpack_with(&mp_libarchive);
    for (int i = 1; i < argc; i++) mp_store_hide(argv[i]);
    line l = { argc, 1, argv };
    if (mp_guarded(run_line, &l) != MP_OK) mp_cli_say("midpool: %s", mp_message());
    int code = l.code;
    return code == 0 ? mp_cli_fail(mp_cli_print(NULL, 0)) : code;
}
