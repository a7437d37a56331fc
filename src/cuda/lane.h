/* lane.h - training runs side by side on a GPU: what a run wants computed is recorded, and executed together with others.
 *
 * A run has a lane. Its thread fills sheets: a sheet has phases one after the other, a phase has queues side by side, a queue
 * calls of kernels in their order. Whoever runs a network with the kernels of mp_lane_kernels fills the queue at hand and
 * computes nothing. Sheets of all lanes of a group go to the device together: in each wave every queue offers its next call,
 * and calls of one kernel are one launch, whatever run they belong to. So nothing that a run gets depends on the others.
 *
 * Memory. Elements lie on the device: arenas of device memory, whose addresses nobody here looks behind. Structure (graphs,
 * lists, labels) is written here, into the arena of the sheet; each piece of that arena has a twin on the device, which gets
 * its contents before the sheet is executed. Calls are recorded with the addresses of the device.
 *
 * Some sheets of a lane are under way: one is executed, one waits, the next is filled.
 * SPDX-License-Identifier: MIT */
#ifndef MP_LANE_H
#define MP_LANE_H

#include "base/arena.h"
#include "base/err.h"
#include "math/kernels.h"

typedef struct mp_group mp_group;
typedef struct mp_lane mp_lane;

#define MP_SHEETS 3

/* Takes the device of this kind: "cuda", or "emulated" for tests. Fails in one line when there is none. */
MP_MUST mp_err mp_group_open(const char *kind, mp_group **out);
void mp_group_close(mp_group *g);               /* NULL is allowed; when its lanes are freed */
const char *mp_group_device(const mp_group *g); /* its name */
size_t mp_group_memory(const mp_group *g);      /* bytes that were free when it was opened */

/* From now on notes how long kernels take on the device. Row i of what was noted: the name, seconds, launches; false: no more. */
void mp_group_profile(mp_group *g);
bool mp_group_profiled(const mp_group *g, int i, const char **name, double *seconds, long *launches);
bool mp_group_spent(const mp_group *g, int i, const char **name, double *seconds); /* of the executing thread here */

/* Records into the queue at hand of the thread's lane. A kernel that the device lacks gives up (guard.h). */
const mp_kernels *mp_lane_kernels(void);

/* Used by one thread. Memory that cannot be had gives up, as arenas do. */
mp_lane *mp_lane_new(mp_group *g);
void mp_lane_free(mp_lane *l); /* waits for what is under way; NULL is allowed */

mp_arena *mp_lane_kept(mp_lane *l);            /* elements that stay from sheet to sheet */
mp_arena *mp_lane_elements(mp_lane *l, int i); /* elements of one shard, for whoever records it to empty */
mp_arena *mp_lane_structure(mp_lane *l);       /* of the sheet that is being filled */

/* The sheet that is filled next, and waiting until what it had is executed. */
int mp_lane_next(const mp_lane *l);
MP_MUST mp_err mp_lane_await(mp_lane *l, int sheet);

/* Begins to fill the next sheet, which must be free (mp_lane_await); its structure is emptied. */
void mp_lane_begin(mp_lane *l);
void mp_lane_queue(mp_lane *l); /* a new queue of the phase at hand; calls of this thread go there from now on */
void mp_lane_phase(mp_lane *l); /* queues from here on begin when all before are done */
/* When the sheet is done, bytes of the device are at `host`, which is in its structure. */
void mp_lane_down(mp_lane *l, void *host, const void *device, size_t bytes);
void mp_lane_submit(mp_lane *l);

/* Waits until all is executed. Then copies, between memory of the host and of the device. */
MP_MUST mp_err mp_lane_wait(mp_lane *l);
MP_MUST mp_err mp_lane_put(mp_lane *l, void *device, const void *host, size_t bytes);
MP_MUST mp_err mp_lane_get(mp_lane *l, void *host, const void *device, size_t bytes);

#endif
