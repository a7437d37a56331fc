/* models.h - which models a study keeps, and where.
 *
 *   by key    all of them, as STORE.models/HASH.safetensors, for experiments
 *   all       all of them, in a folder, as DATASET-METHOD-seedS-foldF.safetensors; where rows have several points with the
 *             beginning of the hash of the run's key behind it
 *   chosen    of the runs that were chosen, in a folder by these names. While the choice is not made, models are kept in
 *             FOLDER/unchosen by the hashes of their keys; chosen ones then move, the others go. A chosen run whose model is
 *             in neither place (it was trained by an earlier command, or elsewhere) is trained again, which gives the same bits.
 * SPDX-License-Identifier: MIT */
#ifndef MP_MODELS_H
#define MP_MODELS_H

#include "study/study.h"

/* Begins with what the study is asked to keep. Refuses names that two runs would have. */
MP_MUST mp_err mp_models_begin(mp_study *s);

/* Whether models are written at all, and whether a finished run without its model is trained again. */
bool mp_models_kept(const mp_study *s);
bool mp_models_needed(const mp_study *s);

/* Whether the model of a finished run is where it belongs. */
MP_MUST mp_err mp_models_has(mp_study *s, const mp_run_key *key, bool *there);

/* The model file of a run that was trained. */
MP_MUST mp_err mp_models_save(void *study, const mp_cv_run *run, mp_span file);

/* After the last round: moves chosen models to their names. `out` gets the runs that have to be trained again for theirs, which
 * the study then keeps by name. */
MP_MUST mp_err mp_models_choose(mp_study *s, mp_cv_plan *out);

/* Removes what was not chosen, and says what is missing. */
MP_MUST mp_err mp_models_end(mp_study *s);

#endif
