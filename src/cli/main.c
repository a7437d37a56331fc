/* main.c - the table of commands.
 * SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "base/guard.h"
#include "base/text.h"
#include "cli/cli.h"
#include "data/archive.h"
#include "math/kernels.h"
#include "store/store.h"
#include "study/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    { "demo", "node-drop pooling with and without MID, offline, in about a minute", mp_cmd_demo },
    { "data", "list, inspect, fetch, generate and audit data sets", mp_cmd_data },
    { "ops", "the pooling operators and their options", mp_cmd_ops },
    { "train", "one training run on one split; saves the model", mp_cmd_train },
    { "cv", "cross-validation over folds and seeds, the paper's protocol; resumes", mp_cmd_cv },
    { "sweep", "grids over anything, from a YAML file; resumes", mp_cmd_sweep },
    { "reproduce", "tables and figures of the paper, ours beside theirs; resumes", mp_cmd_reproduce },
    { "predict", "labels and probabilities of a model for other graphs", mp_cmd_predict },
    { "explain", "which nodes a model kept, at every level, as JSON and as a picture", mp_cmd_explain },
    { "report", "tables and pictures of a store as one HTML file", mp_cmd_report },
    { "compare", "which differences between methods may be claimed", mp_cmd_compare },
    { "merge", "joins stores: of parts, of machines, files and PostgreSQL", mp_cmd_merge },
    { "export", "runs and learning curves as CSV, for other programs", mp_cmd_export },
    { "status", "what of a store's study is done, running, failed, and the time left", mp_cmd_status },
    { "selftest", "golden files: outputs and gradients against the reference", mp_cmd_selftest },
    { "bench", "seconds, and the share of the machine's limit reached", mp_cmd_bench },
};
#define COMMANDS (int)(sizeof commands / sizeof commands[0])

static int usage(void)
{
    puts("midpool COMMAND ...   graph classification with node-drop pooling\n");
    for (int i = 0; i < COMMANDS; i++) printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    puts("\nmidpool COMMAND --help or midpool help COMMAND lists the options of a command. Exit code: 0 done, 1 "
         "failed, 2 wrong "
         "usage, 128 + N stopped by signal N.");
    return 0;
}

static int unknown(const char *word)
{
    const char *names[COMMANDS + 1];
    for (int i = 0; i < COMMANDS; i++) names[i] = commands[i].name;
    names[COMMANDS] = NULL;
    const char *near = mp_nearest(word, names);
    if (near)
        mp_cli_say("midpool: no command '%s'; did you mean '%s'?", word, near);
    else
        mp_cli_say("midpool: no command '%s' (midpool --help lists them)", word);
    return 2;
}

static int run_command(int argc, char **argv)
{
    if (!mp_kernels_get()) {
        mp_cli_say("midpool: MIDPOOL_ISA: this machine has no such instruction set, '%s'", getenv("MIDPOOL_ISA"));
        return 2;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[0], commands[i].name) == 0) return commands[i].run(argc, argv);
    return unknown(argv[0]);
}

/* "help data generate" is "data generate --help". */
static int help(int argc, char **argv)
{
    static char flag[] = "--help";
    if (argc == 0 || strcmp(argv[0], "help") == 0) return usage();
    argv[argc] = flag; /* in place of the NULL at the end: nobody looks past the flag */
    return run_command(argc + 1, argv);
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
    if (is(word, "--help", "-h", "help")) return help(argc - 2, argv + 2);
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
