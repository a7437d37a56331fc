/* reference_pool.c - the three parts of each operator of the reference put together (reference.h).
 * SPDX-License-Identifier: MIT */
#include "reference.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    ref_part *score, *select, *coarsen;
} ops[] = {
    { "att", ref_score_att, ref_select_top, ref_coarsen_att },
    { "hgpsl", ref_score_hgpsl, ref_select_top, ref_coarsen_hgpsl },
    { "vip", ref_score_vip, ref_select_top, ref_coarsen_vip },
    { "rep", ref_score_rep, ref_select_far, ref_coarsen_rep },
    { "ug", ref_score_proj, ref_select_spaced, ref_coarsen_ug },
    { "cgi", ref_score_cgi, ref_select_top, ref_coarsen_induced },
    { "tap", ref_score_tap, ref_select_top, ref_coarsen_induced },
    { "ipool", ref_score_ipool, ref_select_apart, ref_coarsen_ipool },
};

/* 4.1 */
static void make_key(ref_work *k)
{
    for (int v = 0; v < k->in->g.n; v++)
        for (int j = 0; j < k->in->h; j++) k->out->key[v] += k->in->o.flip ? fabs(k->score[v][j]) : k->score[v][j];
}

bool ref_pool(const ref_case *in, ref_result *out)
{
    ref_work k = { .in = in, .out = out };
    memset(out, 0, sizeof *out);
    out->margin = HUGE_VAL;
    memcpy(k.x, in->x, sizeof k.x);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (strcmp(in->op, ops[i].name) != 0) continue;
        ops[i].score(&k);
        make_key(&k);
        ops[i].select(&k);
        out->g.graphs = in->g.graphs;
        out->g.n = out->k;
        memcpy(out->g.ptr, out->ptr, sizeof out->ptr);
        ops[i].coarsen(&k);
        return true;
    }
    return false;
}
