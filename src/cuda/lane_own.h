/* lane_own.h - the inside of lanes and groups: lane.c has memory and sheets, record.c calls, group.c executes.
 * SPDX-License-Identifier: MIT */
#ifndef MP_LANE_OWN_H
#define MP_LANE_OWN_H

#include "cuda/device.h"
#include "cuda/lane.h"

#include <pthread.h>
#include <stdbool.h>

typedef struct mp_note { /* a call in a queue */
    const void *call;    /* where the device has it */
    int blocks;
    uint16_t kernel : 15, beside : 1; /* beside: executed together with the one before it */
    uint16_t place; /* ops before it in its queue: the same op of other shards and runs has the same */
} mp_note;

typedef struct mp_calls {
    mp_note *p;
    int n, cap, phase;
    uint16_t ops; /* that are complete */
    bool beside;  /* the next call may be */
    bool apart;   /* but the call that it may run beside had nothing to do */
} mp_calls;

typedef struct mp_copy {
    void *host, *device;
    size_t bytes;
} mp_copy;

typedef enum mp_sheet_state { MP_SHEET_FREE, MP_SHEET_PENDING, MP_SHEET_RUNNING } mp_sheet_state;

typedef struct mp_sheet {
    mp_sheet_state state;        /* under the lock of the group */
    mp_arena *structure, *calls; /* of host and device both: what the host writes, and the structs of calls */
    char *page, *page_there;     /* where the next call goes, in pages of `calls` */
    size_t page_left;
    mp_calls *queue; /* `cap` of them have memory, the first `queues` are used */
    int queues, cap, phases;
    mp_copy *up, *down; /* before its calls and after */
    int ups, up_cap, downs, down_cap;
} mp_sheet;

typedef struct mp_range { /* memory of the lane */
    char *from, *to;
    char *device; /* what `from` is there */
    bool pinned;  /* from .. to is the host's, and has a twin on the device */
    long given;   /* the number of the sheet at which it was given back */
} mp_range;

struct mp_lane {
    mp_group *group;
    mp_lane *next;
    mp_sheet sheet[MP_SHEETS];
    int now;      /* the sheet that is filled now, or next */
    long filled;  /* sheets that were begun */
    int beside;   /* lanes of the group when the last one was */
    bool resting; /* under the lock: its thread waits for a sheet that is under way */
    mp_range *range;
    int ranges, range_cap;
    mp_range *garbage; /* ranges that calls not yet executed may still need */
    int garbages, garbage_cap;
    mp_arena *kept, **elements;
    int arenas, arena_cap;
};

/* Where calls lie and which blocks are theirs, of the sheets that are executed together: built here, copied there. */
typedef struct mp_stage {
    char *host, *device;
    size_t size, used;
    mp_arena *arena; /* for building */
} mp_stage;

/* What the executing thread does. */
typedef enum mp_group_part {
    MP_GROUP_RUNS,
    MP_GROUP_BUILDS,
    MP_GROUP_SENDS,
    MP_GROUP_DEVICE,
    MP_GROUP_PARTS
} mp_group_part;

struct mp_group {
    const mp_device *device;
    char name[128];
    size_t memory;
    pthread_mutex_t lock;    /* of all below */
    pthread_mutex_t copying; /* held by whoever copies for a lane at rest */
    pthread_cond_t submitted, done;
    pthread_t thread;
    bool stop;
    char failure[256]; /* of the device; empty: none */
    mp_lane *lanes;
    mp_stage stage[2];
    bool profile;
    double seconds[MP_CUDA_KERNELS]; /* of the executing thread alone, until it rests */
    long launches[MP_CUDA_KERNELS];
    double spent[MP_GROUP_PARTS], noted;
    bool noting;
};

/* Where the device has what an address says. */
void *mp_lane_translate(const mp_lane *l, const void *p);

/* The executing thread. */
void *mp_group_main(void *group);

/* The lane and queue of this thread. */
extern _Thread_local mp_lane *mp_lane_here;

#endif
