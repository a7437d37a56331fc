/* commands.h - the commands of the program. Each gets its own name as argv[0] and returns the exit code.
 * SPDX-License-Identifier: MIT */
#ifndef MP_COMMANDS_H
#define MP_COMMANDS_H

int mp_cmd_bench(int argc, char **argv);
int mp_cmd_compare(int argc, char **argv);
int mp_cmd_cv(int argc, char **argv);
int mp_cmd_data(int argc, char **argv);
int mp_cmd_demo(int argc, char **argv);
int mp_cmd_merge(int argc, char **argv);
int mp_cmd_export(int argc, char **argv);
int mp_cmd_explain(int argc, char **argv);
int mp_cmd_ops(int argc, char **argv);
int mp_cmd_predict(int argc, char **argv);
int mp_cmd_reproduce(int argc, char **argv);
int mp_cmd_report(int argc, char **argv);
int mp_cmd_selftest(int argc, char **argv);
int mp_cmd_status(int argc, char **argv);
int mp_cmd_sweep(int argc, char **argv);
int mp_cmd_train(int argc, char **argv);

#endif
