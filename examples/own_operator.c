/* own_operator.c - a thirteenth pooling operator: keep the nodes with most neighbours, gated by a learned scale.
 *
 *     R_v = a log2(1 + degree of v),   keep TOP_k,   X' = X_keep tanh(R_keep),   A' = A[keep, keep]
 *
 * Only the score is new; selector, coarsener and MID are the library's. The program trains it on COLORS-like graphs.
 * SPDX-License-Identifier: MIT */
#include "data/generate.h"
#include "data/split.h"
#include "train/once.h"

#include <stdio.h>

static void hubs_init(void *state, const mp_setup *s) /* the state is one parameter's number: a, 1 x D */
{
    *(int *)state = mp_param_vector(s->params, s->prefix, "a", s->cols, MP_INIT_UNIFORM, 1);
}

static void hubs_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)pool;
    mp_real *size = MP_NEW(c->arena, mp_real, p->g->nodes);
    for (int v = 0; v < p->g->nodes; v++)
        for (int n = 1 + p->g->row_ptr[v + 1] - p->g->row_ptr[v]; n > 1; n /= 2) size[v] += 1;
    p->score = mp_linear(c, mp_mat_of(c, size, p->g->nodes, 1), mp_use(c, *(const int *)state), NULL, false);
}

static const mp_scorer score_hubs = {
    .name = "hubs", .formula = "a log2(1 + degree)", .size = sizeof(int), .init = hubs_init, .run = hubs_run
};
static const mp_pool_op op_hubs = { .name = "hubs",
                                    .title = "HubPool",
                                    .scorer = &score_hubs,
                                    .gate = MP_ACT_TANH,
                                    .selector = &mp_select_ratio,
                                    .coarsener = &mp_coarsen_induced };

int main(void)
{
    mp_arena *a = mp_arena_new(1 << 20);
    mp_colors_options small = mp_colors_published;
    small.train = small.val = small.test = 200;
    small.large = small.large_c = 0;
    mp_raw raw;
    mp_dataset d;
    mp_folds folds;
    mp_run_result r;
    mp_config conf;
    if (mp_pool_add(&op_hubs) != MP_OK) return 1;
    mp_config_init(&conf);
    const char *const set[][2] = { { "pool", "hubs" }, { "arch", "colors" }, { "hidden", "32" }, { "epochs", "5" } };
    for (int i = 0; i < 4; i++)
        if (mp_conf_set(mp_config_table, &conf, set[i][0], set[i][1], "example") != MP_OK) return 1;
    if (mp_generate_colors(&small, a, &raw) != MP_OK || mp_dataset_build(&raw, NULL, a, &d) != MP_OK) return 1;
    mp_folds_fixed(&d, a, &folds);
    mp_run_key key = mp_run_key_of(&d, &folds, &folds.split[0], &conf);
    if (mp_run_once(&d, &folds.split[0], &key, 1, &(mp_fit_options){ 0 }, a, &r, NULL) != MP_OK) return 1;
    printf("HubPool after %d epochs: training loss %.3f, test accuracy %.1f %%\n", r.epochs, r.train_loss,
           100 * r.test_metric);
    mp_arena_free(a);
    return 0;
}
