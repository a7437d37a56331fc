/* prepare.h - what a method computes once for a data set, before training: with progress, kept in the user's
 * cache.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PREPARE_H
#define MP_PREPARE_H

#include "data/dataset.h"
#include "model/model.h"
#include "study/listener.h"

/* Nothing happens when the method has nothing to prepare. `l` may be NULL: nobody listens. */
MP_MUST mp_err mp_study_prepare_data(mp_dataset *d, const mp_config *config, int threads, const mp_listener *l,
                                     mp_arena *a);

#endif
