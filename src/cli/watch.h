/* watch.h - a study as the terminal shows it: how far it is, the runs that end, bad news.
 * SPDX-License-Identifier: MIT */
#ifndef MP_WATCH_H
#define MP_WATCH_H

#include "cli/given.h"
#include "cli/progress.h"
#include "study/listener.h"

typedef struct mp_watch {
    mp_progress progress;
    mp_given *given;          /* asks every model; may be NULL */
    const char *const *swept; /* options that tell the rows of a sweep apart, NULL-ended; may be NULL */
} mp_watch;

/* The listener of a study, good as long as `w`. Bad news comes also when quiet. `given` and `swept` may be NULL. */
mp_listener mp_watch_begin(mp_watch *w, bool quiet, mp_given *given, const char *const *swept);

#endif
