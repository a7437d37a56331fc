/* share.h - a study on a store that other programs use at the same time.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SHARE_H
#define MP_SHARE_H

#include "train/crossval.h"

/* Fills what tells the store of the work; the state of the options is an mp_study with an open store. */
void mp_study_share(mp_cv_options *o);

#endif
