/* ranks_own.h - what the files about ranks share: who there is, and what messages look like.
 * SPDX-License-Identifier: MIT */
#ifndef MP_RANKS_OWN_H
#define MP_RANKS_OWN_H

#include "base/clock.h"
#include "base/process.h"
#include "train/hands.h"
#include "train/mpi_module.h"
#include "train/ranks.h"

#define MP_BEAT_SECONDS 2.0

/* Kinds of messages; those of a worker (hands.h) come up as they are. */
enum {
    MP_WIRE_HELLO = 16, /* both ways: who I am (mp_hello) */
    MP_WIRE_BEAT,       /* both ways: I am there; status 1: and shall be silent for a while */
    MP_WIRE_LACK,       /* up: a job needs a thing that did not come */
    MP_WIRE_LEFT,       /* up: I was told to end, by somebody else */
    MP_WIRE_JOB,        /* down: the order */
    MP_WIRE_THING,      /* down: a piece of it, which the rank may have to pass on */
    MP_WIRE_STOP,       /* down: save and end the job */
    MP_WIRE_DROP,       /* down: end it at once */
    MP_WIRE_END,        /* down: go home; status 0: some are lost, do not wait for them */
};

typedef struct mp_wire {
    int32_t kind, status;
    int32_t serial;     /* of a job at its rank: what is said of an earlier one is too late */
    int32_t job, thing; /* thing: by the order in which they were sent; MP_JOBS_NONE: none */
    int32_t spread;     /* THING: pass it on */
    uint64_t at, total; /* THING: where the piece belongs; all bytes */
} mp_wire;

typedef struct mp_hello {
    char version[32];
    mp_process process;
    int32_t size; /* of what travels as it is in memory */
} mp_hello;

typedef struct mp_rank { /* as rank 0 sees it */
    mp_hello who;
    bool silent;                        /* and said so: it unpacks something large */
    bool known, lost, left, busy, here; /* here: on this machine, where a process that is gone can be seen */
    int serial;
    double heard;
} mp_rank;

typedef struct mp_parcel { /* a thing on its way to some ranks */
    struct mp_parcel *next;
    mp_buf bytes;
    size_t at;
    int thing, n_to, *to;
    bool spread;
} mp_parcel;

typedef struct mp_world {
    const mp_mpi_table *mpi; /* NULL: not under MPI */
    mp_arena *arena;
    int rank, ranks;
    mp_hello me;
    mp_hello boss;  /* rank 0, as others know it */
    double silence; /* seconds without a word after which somebody counts as lost */
    /* rank 0 */
    mp_rank *of;
    char (*thing)[65]; /* names of things that were sent: the seals they begin with */
    int things, room;
    mp_parcel *parcels;
    double beat, looked;
} mp_world;

extern mp_world mp_the_world; /* a process has one, as MPI has */

/* Ranks that pass on what `rank` gets: a binary tree. */
int mp_world_below(int rank, int to[2]);

void mp_world_send(int to, const mp_wire *w, mp_span body);

/* False: none, or shorter than its head, which counts as none. */
bool mp_world_receive(int *from, mp_wire *w, mp_span *body);

/* Whether the message is somebody's introduction. */
bool mp_world_hello(const mp_wire *w, mp_span body, mp_hello *who);

/* Waits a little, longer each time: *nap is in seconds, 0 at first. Signals of `mask` come in meanwhile. */
void mp_world_nap(double *nap, const sigset_t *mask);
double mp_world_next_nap(double nap);

/* On rank 0: a thing's bytes leave in pieces. */
#define MP_PIECE ((size_t)1 << 20)

#endif
