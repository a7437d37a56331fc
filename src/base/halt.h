/* halt.h - being asked to stop: by Ctrl-C (SIGINT), by kill or a batch system (SIGTERM), by a terminal that closes (SIGHUP).
 *
 * Between mp_halt_begin and mp_halt_end these signals are counted, so that work can be saved. A SIGHUP that was ignored
 * before, as under nohup, stays ignored. A pair within another adds nothing: what the outer one began goes on, so that no signal
 * is lost between two works that follow each other.
 * SPDX-License-Identifier: MIT */
#ifndef MP_HALT_H
#define MP_HALT_H

#include <signal.h>
#include <stdbool.h>

#define MP_HALT_SIGNALS 3

typedef struct mp_halt {
    struct sigaction old[MP_HALT_SIGNALS];
    sigset_t mask; /* as it was before */
} mp_halt;

/* `blocked`: signals arrive only where the caller waits with `h->mask` (ppoll), and all of them are counted. Else the
 * second one acts as if nobody had caught it. */
void mp_halt_begin(mp_halt *h, bool blocked);
void mp_halt_end(const mp_halt *h);

/* How often we were asked since mp_halt_begin: nonzero means save and stop. */
const volatile sig_atomic_t *mp_halt_asked(void);

/* The last signal that asked, also after mp_halt_end; 0: none. */
int mp_halt_signal(void);

/* In a process forked between begin and end: signals to the whole group are the parent's to judge, SIGTERM is its word. */
void mp_halt_as_worker(const mp_halt *h);

#endif
