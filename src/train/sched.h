/* sched.h - the learning rate over a run, as a factor of the configured one (math.md 9.4).
 * SPDX-License-Identifier: MIT */
#ifndef MP_SCHED_H
#define MP_SCHED_H

#include "conf/config.h"

/* For step `step` (from 0) of epoch `epoch` (from 1), each of `steps` steps:
 *     constant  1
 *     step      0.1 to the number of epochs of lr-drop that are over
 *     cosine    t / W while t < W, then (1 + cos(pi (t - W) / (T - W))) / 2, with t steps done,
 *               W = warmup * steps and T = epochs * steps */
double mp_sched_factor(const mp_config *c, int epoch, int step, int steps);

#endif
