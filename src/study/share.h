/* share.h - a study on a store that other programs use at the same time, and that may be away for a while.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SHARE_H
#define MP_SHARE_H

#include "study/study.h"

#define MP_STORE_SECONDS                                                                                               \
    600 /* that a study waits for a store that is locked, or whose server is away, when it can do nothing else */
#define MP_STORE_SECONDS_FIRST 60 /* the same at its start: longer than a restart, and a wrong address is soon known */

/* mp_store_open that waits for a server. */
MP_MUST mp_err mp_study_open(mp_study *s, mp_store_mode mode);

/* Fills what tells the store of the work; the state of the options is an mp_study with an open store. */
void mp_study_share(mp_cv_options *o);

/* Asks until the answer is another than MP_ERR_BUSY, or so many seconds are up; the listener hears of it. `ask` may be called
 * often. */
MP_MUST mp_err mp_study_patiently(const mp_study *s, int seconds, mp_err (*ask)(void *arg), void *arg);

#endif
