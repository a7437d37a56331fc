/* relay.h - a stream that several threads work on without losing its order.
 *
 * Each thread repeats three steps: take the next piece (one thread at a time), work on it (all at once), give it away
 * (one at a time, in the order taken). There are a few more pieces than threads, so that a thread need not wait for its
 * turn to give. Memory is those pieces, however long the stream; what is given does not depend on the number of threads.
 * SPDX-License-Identifier: MIT */
#ifndef MP_RELAY_H
#define MP_RELAY_H

#include "base/err.h"

#include <stdbool.h>

typedef struct mp_relay {
    mp_err (*take)(void *arg, void *piece, bool *got); /* *got false: the stream has ended */
    mp_err (*work)(void *arg, void *piece, int thread);
    mp_err (*give)(void *arg, void *piece);
} mp_relay;

/* `threads` include the caller's; `count` pieces, at least as many. The first failure in the order of the stream ends it and
 * is returned with its message. A piece whose work failed is given all the same, so that what was done of it before the
 * failure is not lost; pieces behind it are not. A step that gives up (guard.h) has failed. */
MP_MUST mp_err mp_relay_run(const mp_relay *how, void *arg, void *const *piece, int count, int threads);

#endif
