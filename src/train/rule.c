/* rule.c - see rule.h.
 * SPDX-License-Identifier: MIT */
#include "train/rule.h"

#include <stdint.h>

bool mp_rule_nested(const mp_rule *r)
{
    return r->retrain > 0;
}

bool mp_rule_equal(const mp_rule *a, const mp_rule *b)
{
    return a->retrain == b->retrain && a->inner == b->inner && a->eta == b->eta && a->least == b->least &&
           a->global == b->global;
}

int mp_rule_rungs(const mp_rule *r, int epochs, int out[MP_RUNGS_MOST])
{
    int n = 0;
    if (r->eta > 1)
        for (int64_t e = r->least; e < epochs && n < MP_RUNGS_MOST - 1; e *= r->eta) out[n++] = (int)e;
    out[n++] = epochs;
    return n;
}

int mp_rule_survivors(const mp_rule *r, int n)
{
    return n / r->eta > 1 ? n / r->eta : 1;
}

int mp_retrain_seed(int seed, int again)
{
    mp_assert(seed >= 0 && seed < MP_RETRAIN_STEP && again > 0 && again <= MP_RETRAIN_MOST);
    return seed + again * MP_RETRAIN_STEP;
}

int mp_retrain_of(int retrained, int *again)
{
    *again = retrained / MP_RETRAIN_STEP;
    return retrained % MP_RETRAIN_STEP;
}
