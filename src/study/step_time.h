/* step_time.h - seconds and bytes of one training step on one random graph of n nodes and 2n edges (protocol.md 9.2): features
 * from N(0, 1), the network of math.md 6.1, a random binary label.
 * SPDX-License-Identifier: MIT */
#ifndef MP_STEP_TIME_H
#define MP_STEP_TIME_H

#include "conf/config.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct mp_step_ask {
    const mp_config *config;
    int nodes, columns; /* of the graph: nodes, features of each */
    int warm, timed;    /* steps */
    int threads;
    double limit; /* GiB that count as out of memory */
    double most;  /* seconds of all steps: none is begun after that; 0: no limit. Then the last one counts at least */
} mp_step_ask;

typedef struct mp_step_time {
    int nodes;
    double seconds; /* of a step: the median */
    int steps;      /* that it is the median of */
    size_t peak;    /* bytes of all buffers, the graph included */
    bool full;      /* over the limit: nothing else is known */
} mp_step_time;

/* In a process of its own: memory starts from nothing, and running out ends that process alone. */
MP_MUST mp_err mp_time_step(const mp_step_ask *ask, mp_step_time *out);

#endif
