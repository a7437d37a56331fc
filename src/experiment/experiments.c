/* experiments.c - the paper's tables and figures, a row each.
 * SPDX-License-Identifier: MIT */
#include "experiment/make.h"

const mp_experiment mp_experiments[] = {
    { "ablation", "Ablation",
      "MID without flipscore, dropscore or several columns, at the setting chosen for all of it", mp_make_ablation },
    { NULL, NULL, NULL, NULL },
};
