/* stop.c - see stop.h.
 * SPDX-License-Identifier: MIT */
#include "train/stop.h"

#include <math.h>

void mp_stop_init(mp_stop *s, int patience)
{
    *s = (mp_stop){ .patience = patience, .best = (double)INFINITY };
}

bool mp_stop_better(mp_stop *s, int epoch, double val_loss)
{
    if (s->patience > 0 && !(val_loss < s->best)) {
        s->since++;
        return false;
    }
    s->best = val_loss;
    s->best_epoch = epoch;
    s->since = 0;
    return true;
}

bool mp_stop_now(const mp_stop *s)
{
    return s->patience > 0 && s->since > s->patience;
}
