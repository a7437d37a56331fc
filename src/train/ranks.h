/* ranks.h - this process as one of several that mpirun or srun started: rank 0 is the program, the others work for it.
 *
 * Rank 0 does what it would do alone, but for jobs that can travel as bytes (jobs.h), which go to the other ranks. These have read
 * nothing and own nothing: data sets and jobs reach them as messages. Each forks a worker that trains, so that a run that
 * crashes costs a worker and no rank, and answers for it.
 *
 * MPI is a module (mpi_module.h) that is loaded when it is needed.
 * SPDX-License-Identifier: MIT */
#ifndef MP_RANKS_H
#define MP_RANKS_H

#include "train/jobs.h"

/* How many processes were started together, by what launchers say in the environment: 1 when none did. */
int mp_ranks_started(void);

/* Joins the others. `*rank` is our number. */
MP_MUST mp_err mp_ranks_begin(int *rank);

/* On rank 0: how many ranks work for it, and how many of those on this machine. 0: not under MPI. */
int mp_ranks_workers(void);
int mp_ranks_here(void);

typedef struct mp_server { /* what other ranks do */
    void *state;
    /* In the rank: something that many jobs need, as pack_thing of jobs.h wrote it. */
    mp_err (*learn)(void *state, mp_span bytes);
    /* In a worker that is forked after that. */
    mp_err (*work)(void *state, int job, mp_worker *w, mp_buf *answer);
} mp_server;

/* On other ranks: works until rank 0 has had enough or is gone. Returns the exit code. */
int mp_ranks_serve(const mp_server *s);

/* On rank 0, last of all: sends the others home. Does not return where a rank is lost. Nothing happens when not under MPI. */
void mp_ranks_end(int exit_code);

#endif
