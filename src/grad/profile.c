/* profile.c - see profile.h.
 * SPDX-License-Identifier: MIT */
#include "grad/profile.h"
#include "base/clock.h"
#include "base/err.h"

#include <string.h>

static mp_profile_row *row_of(mp_profile *p, const char *name)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->row[i].name, name) == 0) return &p->row[i];
    mp_assert(p->count < MP_PROFILE_MOST);
    p->row[p->count] = (mp_profile_row){ .name = name };
    return &p->row[p->count++];
}

void mp_profile_start(mp_profile *p)
{
    p->since = mp_seconds();
}

void mp_profile_charge(mp_profile *p, const char *name, mp_way way)
{
    double t = mp_seconds();
    row_of(p, name)->seconds[way] += t - p->since;
    p->since = t;
}

void mp_profile_add(mp_profile *sum, const mp_profile *p)
{
    for (int i = 0; i < p->count; i++)
        for (int way = 0; way < MP_WAYS; way++) row_of(sum, p->row[i].name)->seconds[way] += p->row[i].seconds[way];
}
