/* workers.h - where a study's runs are trained: --workers, and what --jobs and --threads are there.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CLI_WORKERS_H
#define MP_CLI_WORKERS_H

#include "base/conf.h"

enum { MP_WORKERS_AUTO, MP_WORKERS_FORK, MP_WORKERS_MPI };
#define MP_WORKERS_ROW(type)                                                                                           \
    {                                                                                                                  \
        "workers", MP_OPT_CHOICE, offsetof(type, workers), "auto", 0, 0, "auto|fork|mpi",                              \
            "who trains: processes of this machine, or ranks of MPI; auto = ranks under mpirun"                        \
    }

/* For a command that has such a row, before its line is read: under MPI joins the other ranks. True: this is one of those, which
 * has worked and may go; `*code` is its exit code. A failure to join is told in the message of `*e`. */
bool mp_workers_join(int argc, char **argv, mp_err *e, int *code);

/* When the command has ended: sends the other ranks home. */
void mp_workers_leave(int code);

typedef struct mp_side { /* side by side */
    int jobs, threads;
} mp_side;

/* What is meant by the options; 0: not given. Under MPI a rank has one run at a time. `workers` as the row has it: a file of options
 * comes too late to ask for MPI. */
MP_MUST mp_err mp_workers_side(int workers, int jobs, int threads, mp_side *out);

#endif
