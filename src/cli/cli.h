/* cli.h - a command as a table: its options, its operands, its help, and the function that does it.
 *
 * Options come from several tables of conf.h rows, laid over one struct of the command. What may be longer
 * than conf.h allows, paths above all, is an mp_cli_text row. Values are set in this order, later ones win:
 * defaults; presets that the command asks for; the file of --config; the command line. Within the file and
 * within the command line --mid comes before everything else, wherever it stands.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CLI_H
#define MP_CLI_H

#include "base/conf.h"

typedef struct mp_cli_group {
    const char *title; /* NULL ends the list */
    const mp_opt *table;
    size_t offset; /* of the table's struct in the command's struct */
} mp_cli_group;

/* An option whose value is any text: a const char * field. It goes before a row of the same name. */
typedef struct mp_cli_text {
    const char *name; /* NULL ends the list */
    size_t offset;
    const char *initial; /* may be NULL: nothing given */
    const char *what;    /* stands for the value in the help: FILE */
    const char *help;
    int mark; /* as of mp_opt; may be left out */
} mp_cli_text;

typedef struct mp_cli_setting {
    const char *name, *value, *where;
    bool on_line; /* of the command line; else of the --config file */
} mp_cli_setting;

typedef struct mp_cli_args {
    mp_arena *arena; /* lives as long as the command */
    int operands;
    const char *const *operand;
    int settings;
    const mp_cli_setting *setting;
    const char *line; /* the command as it was typed */
} mp_cli_args;

typedef struct mp_cli {
    const char *name, *operands, *summary; /* "train", "DATASET", one sentence */
    const char *examples;                  /* commands, a line each; may be NULL */
    const char *more;                      /* printed below the options; may be NULL */
    int least, most;                       /* operands */
    size_t size;                           /* of the command's struct */
    const mp_cli_group *groups;
    const mp_cli_text *texts; /* may be NULL */
    bool has_model;           /* knows --mid and --config */
    mp_err (*run)(void *conf, const mp_cli_args *args);
} mp_cli;

/* Reads the command line, runs, prints the message of a failure. Returns the exit code: 0, 1 or 2, or 128 + the
 * signal that stopped the work (halt.h). */
int mp_cli_main(const mp_cli *cli, int argc, char **argv);

/* For tests and fuzzers: the parsing alone. `conf` has cli->size bytes. */
MP_MUST mp_err mp_cli_read(const mp_cli *cli, int argc, char **argv, mp_arena *a, void *conf, mp_cli_args *out);

/* The settings again on a fresh struct, now with presets (NULL-ended; each "name=value name=value", mp_presets_for)
 * between defaults and what the user said: how the defaults of a data set and --preset get in. */
MP_MUST mp_err mp_cli_apply(const mp_cli *cli, const mp_cli_args *args, const char *const *presets, void *conf);

/* Fails when an option was given that others make useless, as its row says (mp_opt.needs): one by name, or all that were given. */
MP_MUST mp_err mp_cli_needed(const mp_cli *cli, const void *conf, const char *name, const char *where);
MP_MUST mp_err mp_cli_all_needed(const mp_cli *cli, const void *conf, const mp_cli_args *args);

/* Whether the user gave this option, in the file or on the line. */
bool mp_cli_given(const mp_cli_args *args, const char *name);

/* NULL when there is none. */
const mp_cli_text *mp_cli_text_find(const mp_cli *cli, const char *name);

/* Sets one option by name, whichever table it is in; unknown: the nearest is named. */
MP_MUST mp_err mp_cli_set(const mp_cli *cli, void *conf, const char *name, const char *value, const char *where);

/* The failure about an option that there is not: "WHERE: no such option; did you mean '--ratio'?" `dashes` is "--" when the name
 * came from the command line, else "". */
mp_err mp_cli_unknown(const mp_cli *cli, const char *name, const char *where, const char *dashes);

/* Sets the model options of a preset. */
MP_MUST mp_err mp_cli_set_preset(const mp_cli *cli, void *conf, const char *settings);

/* "midpool: message" on stderr; the exit code of a status. */
int mp_cli_fail(mp_err e);

/* A list "a,b,c" as an array of n texts. */
const char *const *mp_cli_split(const char *list, mp_arena *a, int *n);

/* A line on stderr. This and mp_cli_print are how text that comes from outside (names of files, data sets, options) gets to a
 * terminal: control characters in it become '?'. */
void mp_cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void mp_cli_vsay(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/* Writes to stdout and checks that it got there: a full disk or a closed pipe is a failure of the command. Control characters
 * become '?', but for line ends and tabs; JSON has none, it escapes them. */
MP_MUST mp_err mp_cli_print(const char *text, size_t n);

/* Bytes of a file that is passed on, as they are; a terminal gets them as mp_cli_print writes them. */
MP_MUST mp_err mp_cli_pass(const char *bytes, size_t n);

#endif
