/* ratios.h - a ratio of its own for each pooling of a network: the option "ratios".
 * SPDX-License-Identifier: MIT */
#ifndef MP_RATIOS_H
#define MP_RATIOS_H

#include "conf/config.h"

/* Fails when the text is no list of ratios. */
MP_MUST mp_err mp_ratios_check(const mp_config *c);

/* Of a pooling, from 0. */
double mp_ratio_of(const mp_config *c, int pooling);

#endif
