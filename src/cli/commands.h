/* commands.h - the commands of the program as a tree.
 * SPDX-License-Identifier: MIT */
#ifndef MP_COMMANDS_H
#define MP_COMMANDS_H

#include "cli/cli.h"

typedef struct mp_command {
    const char *name;               /* NULL ends a list */
    const char *summary;            /* half a line, for the list */
    const mp_cli *cli;              /* NULL: one of `below` follows the word */
    const struct mp_command *below; /* NULL: none */
} mp_command;

extern const mp_command mp_commands[], mp_data_commands[], mp_bench_commands[];
extern const mp_cli mp_cmd_compare, mp_cmd_completion, mp_cmd_cv, mp_cmd_demo, mp_cmd_explain, mp_cmd_export,
    mp_cmd_init, mp_cmd_man, mp_cmd_merge, mp_cmd_ops, mp_cmd_predict, mp_cmd_report, mp_cmd_reproduce, mp_cmd_selftest,
    mp_cmd_status, mp_cmd_sweep, mp_cmd_train;

/* The one of a list that has this name; NULL: none. */
const mp_command *mp_command_find(const mp_command *list, const char *name);

/* Runs the command whose first word is argv[0]; returns the exit code. */
int mp_commands_run(int argc, char **argv);

/* What `midpool help WORD...` prints: the list of commands, the help of one, of an option (--ratio, ratio) or of a method (sag). */
int mp_commands_help(int argc, char **argv);

#endif
