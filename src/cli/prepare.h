/* prepare.h - what a method computes once for a data set, before training: with progress, kept in the user's
 * cache.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PREPARE_H
#define MP_PREPARE_H

#include "cli/progress.h"
#include "data/dataset.h"
#include "model/model.h"

/* Nothing happens when the method has nothing to prepare. `p` may be NULL: no progress. */
MP_MUST mp_err mp_cli_prepare(mp_dataset *d, const mp_config *config, int threads, mp_progress *p, mp_arena *a);

#endif
