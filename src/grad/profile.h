/* profile.h - where the seconds of training go: by op, forward and backward, and by named work between ops.
 *
 * Whoever ends a piece of work charges the time since the last charge to its name, so nothing is measured twice and
 * nothing is left out. One profile a thread; a NULL profile is none, and costs a comparison.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PROFILE_H
#define MP_PROFILE_H

#include "base/api.h"

#include <stddef.h>

MP_API_BEGIN

#define MP_PROFILE_MOST 96

typedef enum mp_way { MP_FORWARD, MP_BACKWARD, MP_WAYS } mp_way;

typedef struct mp_profile_row {
    const char *name; /* of an op's backward function (linear_back), or of other work */
    double seconds[MP_WAYS];
} mp_profile_row;

typedef struct mp_profile {
    double since; /* of the last charge */
    int count;
    mp_profile_row row[MP_PROFILE_MOST];
} mp_profile;

/* The time up to now is nobody's. */
void mp_profile_start(mp_profile *p);
void mp_profile_charge(mp_profile *p, const char *name, mp_way way);

/* Adds the rows of another profile. */
void mp_profile_add(mp_profile *sum, const mp_profile *p);

/* `what` was done since the last charge and is no op. */
static inline void mp_mark(mp_profile *p, const char *what)
{
    if (p) mp_profile_charge(p, what, MP_FORWARD);
}

MP_API_END

#endif
