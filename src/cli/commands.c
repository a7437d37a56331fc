/* commands.c - see commands.h.
 * SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/help.h"
#include "baseline/baseline.h"
#include "pool/pool.h"

#include <string.h>

#define MOST_WORDS 64 /* of a list */

/* clang-format off */
const mp_command mp_commands[] = {
    { "demo", "node-drop pooling with and without MID, offline, in about a minute", &mp_cmd_demo },
    { "data", "list, inspect, fetch, generate, convert and audit data sets", .below = mp_data_commands },
    { "ops", "the pooling operators and their options", &mp_cmd_ops },
    { "init", "writes a commented configuration to start from", &mp_cmd_init },
    { "train", "one training run on one split; saves the model", &mp_cmd_train },
    { "cv", "cross-validation over folds and seeds, the paper's protocol; resumes", &mp_cmd_cv },
    { "sweep", "grids over anything, from a YAML file; resumes", &mp_cmd_sweep },
    { "reproduce", "tables and figures of the paper, ours beside theirs; resumes", &mp_cmd_reproduce },
    { "predict", "labels and probabilities of a model for other graphs", &mp_cmd_predict },
    { "explain", "which nodes a model kept, at every level, as JSON and as a picture", &mp_cmd_explain },
    { "report", "tables and pictures of a store as one HTML file", &mp_cmd_report },
    { "compare", "which differences between methods may be claimed", &mp_cmd_compare },
    { "merge", "joins stores: of parts, of machines, files and PostgreSQL", &mp_cmd_merge },
    { "export", "runs and learning curves as CSV, for other programs", &mp_cmd_export },
    { "status", "what of a store's study is done, running, failed, and the time left", &mp_cmd_status },
    { "selftest", "golden files: outputs and gradients against the reference", &mp_cmd_selftest },
    { "bench", "seconds, and the share of the machine's limit reached", .below = mp_bench_commands },
    { "man", "the manual page of a command", &mp_cmd_man },
    { "completion", "completion of commands and options in bash, zsh and fish", &mp_cmd_completion },
    { NULL },
};
/* clang-format on */

const mp_command *mp_command_find(const mp_command *list, const char *name)
{
    for (; list && list->name; list++)
        if (strcmp(list->name, name) == 0) return list;
    return NULL;
}

static mp_err print(mp_buf *b)
{
    mp_err e = mp_cli_print(b->p, b->n);
    mp_buf_free(b);
    return e;
}

static mp_err list_commands(const mp_command *list, const char *before)
{
    mp_buf b = { 0 };
    int widest = 0;
    for (const mp_command *c = list; c->name; c++)
        widest = (int)strlen(c->name) > widest ? (int)strlen(c->name) : widest;
    mp_buf_printf(&b, "midpool %s%sCOMMAND ...%s\n\n", before, *before ? " " : "",
                  *before ? "" : "   graph classification with node-drop pooling");
    for (const mp_command *c = list; c->name; c++) mp_buf_printf(&b, "  %-*s  %s\n", widest, c->name, c->summary);
    if (*before)
        mp_buf_printf(&b, "\nmidpool %s COMMAND --help says what one does and takes.\n", before);
    else
        mp_buf_puts(
            &b, "\nmidpool COMMAND --help or midpool help COMMAND says what a command does and takes, midpool help\n"
                "--OPTION what an option means. Exit code: 0 done, 1 failed, 2 wrong usage, 128 + N stopped by\n"
                "signal N.\n");
    return print(&b);
}

/* `before`: the words that led to the list, "data generate". */
static mp_err no_command(const mp_command *list, const char *word, const char *before)
{
    const char *names[MOST_WORDS];
    int n = 0;
    mp_buf all = { 0 };
    for (const mp_command *c = list; c->name && n < MOST_WORDS - 1; c++) {
        mp_buf_printf(&all, "%s%s", n ? ", " : "", c->name);
        names[n++] = c->name;
    }
    names[n] = NULL;
    const char *near = word ? mp_nearest(word, names) : NULL, *colon = *before ? ": " : "";
    mp_err e;
    if (near)
        e = mp_fail(MP_ERR_USAGE, "%s%sno command '%s'; did you mean '%s'?", before, colon, word, near);
    else if (word)
        e = mp_fail(MP_ERR_USAGE, "%s%sno command '%s' (midpool %s%s--help lists them)", before, colon, word, before,
                    *before ? " " : "");
    else
        e = mp_fail(MP_ERR_USAGE, "%s%sexpected one of %s", before, colon, all.p);
    mp_buf_free(&all);
    return e;
}

static bool asks_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "--help-all") == 0;
}

static int dispatch(const mp_command *list, const char *before, int argc, char **argv, mp_arena *a)
{
    const char *word = argc > 0 ? argv[0] : NULL;
    if (word && asks_help(word)) return mp_cli_fail(list_commands(list, before));
    const mp_command *c = word ? mp_command_find(list, word) : NULL;
    if (!c) return mp_cli_fail(no_command(list, word, before));
    if (c->cli) return mp_cli_main(c->cli, argc, argv);
    return dispatch(c->below, mp_arena_printf(a, "%s%s%s", before, *before ? " " : "", word), argc - 1, argv + 1, a);
}

/* What scripts of shells ask; its words are those of another command line, options and all. */
static mp_err complete(int argc, char **argv)
{
    mp_buf b = { 0 };
    mp_complete(argc, argv, &b);
    return print(&b);
}

int mp_commands_run(int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], "complete") == 0) return mp_cli_fail(complete(argc - 1, argv + 1));
    mp_arena *a = mp_arena_new(1024);
    int code = dispatch(mp_commands, "", argc, argv, a);
    mp_arena_free(a);
    return code;
}

/* ---- help ---- */

typedef struct found { /* an option with one meaning */
    mp_shown option;
    const char *commands; /* that have it so: "train, cv" */
} found;

typedef struct search {
    const char *name;
    mp_arena *a;
    found at[MOST_WORDS];
    int count;
} search;

static void note(search *s, const mp_shown *o, const char *command)
{
    int i = 0;
    while (i < s->count && strcmp(s->at[i].option.help, o->help) != 0) i++;
    if (i == MOST_WORDS) return;
    found *f = &s->at[i];
    *f = (found){ *o, i < s->count ? mp_arena_printf(s->a, "%s, %s", f->commands, command) : command };
    if (i == s->count) s->count++;
}

static void look_in(search *s, const mp_command *list)
{
    for (; list && list->name; list++) {
        look_in(s, list->below);
        if (!list->cli) continue;
        mp_shown_list options = mp_shown_options(list->cli, NULL, s->a);
        for (int i = 0; i < options.count; i++)
            if (strcmp(options.at[i].name, s->name) == 0) note(s, &options.at[i], list->cli->name);
    }
}

/* "--ratio", "--no-flip" or "ratio"; false: no command has such an option. */
static bool help_option(const char *word, mp_buf *out)
{
    search s = { .name = word + (strncmp(word, "--", 2) == 0 ? 2 : 0), .a = mp_arena_new(65536) };
    if (strncmp(s.name, "no-", 3) == 0) s.name += 3;
    look_in(&s, mp_commands);
    for (int i = 0; i < s.count; i++) mp_help_option(&s.at[i].option, s.at[i].commands, s.a, out);
    mp_arena_free(s.a);
    return s.count > 0;
}

/* A word that is no command: an option, or a method. */
static mp_err help_word(const char *word)
{
    mp_buf b = { 0 };
    bool dashes = strncmp(word, "--", 2) == 0;
    if (help_option(word, &b)) return print(&b);
    if (dashes) return mp_cli_unknown(&mp_cmd_train, word + 2, word, "--");
    if (mp_pool_find(word) || mp_baseline_find(word)) return mp_help_print(&mp_cmd_train, word, false);
    return no_command(mp_commands, word, "");
}

int mp_commands_help(int argc, char **argv)
{
    static char flag[] = "--help";
    if (argc == 0 || strcmp(argv[0], "help") == 0) return mp_cli_fail(list_commands(mp_commands, ""));
    if (asks_help(argv[0])) return mp_cli_fail(list_commands(mp_commands, ""));
    if (!mp_command_find(mp_commands, argv[0])) return mp_cli_fail(help_word(argv[0]));
    argv[argc] = flag; /* in place of the NULL at the end: nobody looks past the flag */
    return mp_commands_run(argc + 1, argv);
}
