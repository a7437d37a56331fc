/* guard.h - work that cannot go on gives up: it unwinds to the guard of its thread, which returns its status.
 *
 * For what shows deep inside a computation that has no status of its own: memory that cannot be had, a graph too large for
 * an operator. All other failures are returned.
 *
 * Arenas made since the guard are freed on the way, and nothing else is. So whoever holds something else across work that
 * may give up (a file, a thread, a lock) guards that work. A thread made under a guard is not under it.
 * SPDX-License-Identifier: MIT */
#ifndef MP_GUARD_H
#define MP_GUARD_H

#include "base/api.h"
#include "base/err.h"

#include <limits.h>
#include <stdint.h>

MP_API_BEGIN

/* What work(arg) returns, or the status it gave up with. */
MP_MUST mp_err mp_guarded(mp_err (*work)(void *arg), void *arg);

/* Ends the work under the innermost guard of this thread with the status e, whose message is left already:
 * mp_give_up(mp_fail(...)). Without a guard it is a bug: calls of the library, commands of the program and threads are under
 * one. */
_Noreturn void mp_give_up(mp_err e);

/* A count of nodes, edges, pairs or rows as an int. One that a few more would not fit beside gives up, naming `what`. */
#define MP_MOST_COUNT (INT_MAX - 64)
int mp_count(int64_t n, const char *what);

/* Something that is to be released when the work under a guard gives up. Released or freed by the thread that made it, or
 * when no guard is over it any more. */
typedef struct mp_held {
    struct mp_held *next, **link; /* of the thread's list; link NULL: in none */
    int depth;                    /* guards that were over it */
    void (*release)(struct mp_held *);
} mp_held;
void mp_hold(mp_held *h, void (*release)(mp_held *));
void mp_let_go(mp_held *h);
void mp_hold_moved(mp_held *h); /* it was copied to here */

MP_API_END

#endif
