/* registry.c - the table of baselines, and the head they share.
 * SPDX-License-Identifier: MIT */
#include "baseline/baseline.h"

#include <strings.h>

static const mp_baseline baselines[] = {
    { .name = NULL },
};

const mp_baseline *mp_baselines(void)
{
    return baselines;
}

const mp_baseline *mp_baseline_find(const char *name)
{
    for (const mp_baseline *b = baselines; b->name; b++)
        if (strcasecmp(name, b->name) == 0 || strcasecmp(name, b->title) == 0 ||
            (b->alias && strcasecmp(name, b->alias) == 0))
            return b;
    return NULL;
}

mp_head mp_head_init(mp_params *p, const mp_config *conf, int in, int outputs)
{
    int c = conf->hidden, half = c / 2 > 0 ? c / 2 : 1;
    return (mp_head){ { mp_lin_init(p, "", "lin1", in, c, true), mp_lin_init(p, "", "lin2", c, half, true),
                        mp_lin_init(p, "", "lin3", half, outputs, true) },
                      conf->dropout };
}

mp_mat *mp_head_run(const mp_head *h, mp_ctx *c, mp_mat *x)
{
    x = mp_dropout(c, mp_lin_run(&h->lin[0], c, MP_DENSE(x), true), h->dropout);
    x = mp_dropout(c, mp_lin_run(&h->lin[1], c, MP_DENSE(x), true), h->dropout);
    return mp_lin_run(&h->lin[2], c, MP_DENSE(x), false);
}
