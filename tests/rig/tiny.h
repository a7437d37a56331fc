/* tiny.h - a data set small enough for tests of training: COLORS-like graphs from the generator, as
 * regression or as classes.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TINY_H
#define MP_TINY_H

#include "data/generate.h"
#include "data/seal.h"
#include "data/split.h"
#include "model/model.h"

#include <string.h>

/* The graphs alone, with a number each. */
static inline mp_err tiny_colors(mp_arena *a, mp_raw *raw)
{
    mp_colors_options o = mp_colors_published;
    o.seed = 7;
    o.train = 60;
    o.val = 30;
    o.test = 30;
    o.large = 20;
    o.large_c = 0;
    o.hi = 12;
    o.large_lo = 13;
    o.large_hi = 20;
    MP_TRY(mp_generate_colors(&o, a, raw));
    raw->name = "TINY";
    return MP_OK;
}

/* 60 graphs to train, 30 to validate, 30 to test, 20 larger ones; two classes: fewer or more green nodes than
 * half of them have. `flip_test`: the labels of all test graphs are turned round. */
static inline mp_err tiny_make(mp_arena *a, bool flip_test, mp_dataset *d, mp_folds *f)
{
    mp_raw raw;
    MP_TRY(tiny_colors(a, &raw));
    int B = raw.graphs.graphs;
    int64_t *label = MP_NEW(a, int64_t, B);
    for (int b = 0; b < B; b++) {
        double value = raw.target ? raw.target[b] : (double)raw.graph_label[b];
        bool test = b >= raw.fixed[2][0];
        label[b] = (value >= 4) != (flip_test && test);
    }
    raw.graph_label = label;
    raw.target = NULL;
    MP_TRY(mp_dataset_build(&raw, NULL, a, d));
    mp_folds_fixed(d, a, f);
    return MP_OK;
}

static inline mp_config tiny_config(void)
{
    mp_config c;
    mp_config_init(&c);
    strcpy(c.pool, "topk");
    c.hidden = 8;
    c.layers = 2;
    c.batch_size = 16;
    c.epochs = 12;
    c.patience = 4;
    c.lr = 0.01;
    return c;
}

#endif
