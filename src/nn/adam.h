/* adam.h - the numbers of one step of Adam, as PyTorch has them.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ADAM_H
#define MP_ADAM_H

#include "conf/config.h"
#include "math/kernels.h"

/* Of a parameter's update number t, from 1; `rate` times the configured learning rate. */
mp_adam mp_adam_for(const mp_config *conf, double rate, int64_t t);

#endif
