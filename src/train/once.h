/* once.h - a run from its key to its result: fit on opened labels, then judge, then the hash of the model
 * file.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ONCE_H
#define MP_ONCE_H

#include "data/dataset.h"
#include "data/split.h"
#include "train/fit.h"

/* The key of a run on split `s` of `f`. Zeroed first, so that equal keys have equal bytes. */
mp_run_key mp_run_key_of(const mp_dataset *d, const mp_folds *f, const mp_split *s, const mp_config *config);

/* SHA-256 of everything in the key and of the version: what a resume file belongs to. */
void mp_run_identity(const mp_run_key *key, char hex[65]);

/* Whether a model of this configuration can be trained on the set at all; cheap. */
MP_MUST mp_err mp_run_check(const mp_dataset *d, const mp_config *config);

/* Whether a GPU can train it; else the failure says what it lacks. */
MP_MUST mp_err mp_run_check_gpu(const mp_dataset *d, const mp_config *config);
/* The same of a model that is there. */
MP_MUST mp_err mp_gpu_takes(const mp_model *m);

/* The network of a configuration for the set, with its goal, but without memory for its weights (mp_model_plan). */
MP_MUST mp_err mp_run_plan(const mp_dataset *d, const mp_config *config, mp_arena *a, mp_model **m);

/* `model` (may be NULL) receives the trained model. Everything lives in the arena. The bits of the result
 * depend on the key alone, not on `threads`; the times and peak_bytes are those of this process. */
MP_MUST mp_err mp_run_once(const mp_dataset *d, const mp_split *s, const mp_run_key *key, int threads,
                           const mp_fit_options *o, mp_arena *a, mp_run_result *r, mp_model **model);

#endif
