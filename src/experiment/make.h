/* make.h - the functions behind the rows of experiments.c, each in the file of its name.
 * SPDX-License-Identifier: MIT */
#ifndef MP_MAKE_H
#define MP_MAKE_H

#include "experiment/lab.h"

mp_err mp_make_ablation(mp_lab *lab, mp_section *out);

#endif
