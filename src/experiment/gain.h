/* gain.h - how much of what kept nodes do not share with their neighbours a pooling keeps: lambda_SEL (protocol.md 6).
 *
 *     printed:  sum over kept v, channels c of (sum over neighbours u of v of (x_vc - x_uc))^2 / (E C)
 *     edge:     sum over kept v, channels c, neighbours u of v of (x_vc - x_uc)^2 / (E C)
 *
 * x: features that enter the pooling, N x C; neighbours and E: of the graph that enters it, each edge counted once, without self
 * loops. A graph without edges does not count.
 * SPDX-License-Identifier: MIT */
#ifndef MP_GAIN_H
#define MP_GAIN_H

#include "experiment/subject.h"

typedef struct mp_gain {
    int levels;
    int graphs[MP_LEVELS];                      /* that count */
    double printed[MP_LEVELS], edge[MP_LEVELS]; /* means over them; NAN where there are none */
} mp_gain;

/* `scaled`: each channel of x goes from 0 to 1 over all nodes of these graphs at the level, a constant one is 0. */
MP_MUST mp_err mp_gain_find(const mp_subject *s, bool scaled, mp_arena *scratch, mp_gain *out);

#endif
