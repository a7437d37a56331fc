/* aim.c - see aim.h.
 *
 *     weight (1/B) sum_v t_v log(t_v / s_v),  t = aim over its sum or softmax(aim),  s = mean over columns of softmax(R)
 * SPDX-License-Identifier: MIT */
#include "model/aim.h"
#include "model/options.h"

enum { TARGET_SHARE, TARGET_SOFTMAX };
typedef struct aim_options {
    double weight;
    int target;
} aim_options;
/* clang-format off */
static const mp_opt aim_rows[] = {
    { "attention-loss", MP_OPT_REAL, offsetof(aim_options, weight), "0", 0, 1e6, NULL, "weight of the divergence of scores from the attention that the data set says nodes deserve" },
    { "attention-target", MP_OPT_CHOICE, offsetof(aim_options, target), "share", 0, 0, "share|softmax", "attention-loss: what nodes deserve over its sum, or its softmax" },
    { 0 }
};
/* clang-format on */
static size_t aim_place;
const mp_option_set mp_aim_options = { aim_rows, sizeof(aim_options), &aim_place, "training" };

bool mp_config_aims(const mp_config *c)
{
    return MP_OWN(c, mp_aim_options, aim_options)->weight > 0 && mp_config_uses(c, "attention-loss") == MP_USED;
}

mp_mat *mp_aim_loss(const mp_config *conf, mp_ctx *c, const mp_pooling *p, const mp_real *aim)
{
    const aim_options *o = MP_OWN(conf, mp_aim_options, aim_options);
    int graphs = p->g->graphs, all = c->whole ? c->whole->graphs : graphs;
    mp_real *want = MP_NEW_RAW(mp_elements(c), mp_real, p->g->nodes);
    c->k->aim_shares(want, aim, p->g->node_ptr, o->target == TARGET_SOFTMAX, graphs);
    mp_mat *s = p->pool->shares ? p->score : mp_softmax(c, p->score, p->g->node_ptr, graphs);
    return mp_share_kl(c, s, want, (mp_real)(o->weight / all));
}

const mp_real *mp_aim_left(mp_ctx *c, const mp_pooling *p, const mp_real *aim)
{
    int kept = p->keep_ptr[p->g->graphs];
    mp_real *left = MP_NEW_RAW(mp_elements(c), mp_real, kept);
    c->k->rows_take(left, aim, p->keep, 0, kept, 1);
    return left;
}
