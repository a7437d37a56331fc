/* tiny_raw.h - a small generated data set called TINY: two classes (few or many green nodes), no fixed splits.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CLI_TINY_RAW_H
#define MP_CLI_TINY_RAW_H

#include "data/generate.h"

#include <string.h>

static inline mp_err tiny_raw(mp_arena *a, int train, int val, int test, mp_raw *raw)
{
    mp_colors_options o = mp_colors_published;
    o.train = train;
    o.val = val;
    o.test = test;
    o.large = o.large_c = 0;
    o.hi = 10;
    MP_TRY(mp_generate_colors(&o, a, raw));
    int64_t *label = MP_NEW(a, int64_t, raw->graphs.graphs);
    for (int b = 0; b < raw->graphs.graphs; b++)
        label[b] = (raw->target ? raw->target[b] : (double)raw->graph_label[b]) >= 3 ? 5 : -5;
    raw->graph_label = label;
    raw->target = NULL;
    raw->name = "TINY";
    memset(raw->fixed, 0, sizeof raw->fixed);
    memset(raw->fixed_name, 0, sizeof raw->fixed_name);
    return MP_OK;
}

#endif
