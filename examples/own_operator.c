/* own_operator.c - a thirteenth pooling operator: keep the nodes with most neighbours, gated by a learned scale.
 *
 *     R_v = a (degree of v)^p,   keep TOP_k,   X' = X_keep tanh(R_keep),   A' = A[keep, keep]
 *
 * Only the score is new; selector, coarsener and MID are the library's. p is an option of the operator's own, hub-power.
 *
 *     cc own_operator.c $(pkg-config --cflags --libs midpool) && ./a.out
 * SPDX-License-Identifier: MIT */
#include <midpool/operator.h>

#include <math.h>
#include <stdio.h>

/* ---- the operator ---- */

typedef struct hubs_options {
    double power;
} hubs_options;
static const mp_opt hubs_rows[] = {
    { .name = "hub-power",
      .kind = MP_OPT_REAL,
      .offset = offsetof(hubs_options, power),
      .initial = "0.5",
      .lo = 0,
      .hi = 4,
      .help = "hubs: power of the degree" },
    { .name = NULL },
};
MP_OPTION_SET(static, hubs_set, hubs_options, hubs_rows);

static void hubs_init(void *state, const mp_setup *s) /* the state is one parameter's number: a, 1 x D */
{
    *(int *)state = mp_param_vector(s->params, s->prefix, "a", s->cols, MP_INIT_ONE, 0);
}

static void hubs_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    double power = MP_OWN(pool->conf, hubs_set, hubs_options)->power;
    mp_real *size = MP_NEW(c->arena, mp_real, p->g->nodes);
    for (int v = 0; v < p->g->nodes; v++) size[v] = (mp_real)pow(p->g->row_ptr[v + 1] - p->g->row_ptr[v], power);
    p->score = mp_linear(c, mp_mat_of(c, size, p->g->nodes, 1), mp_use(c, *(const int *)state), NULL, false);
}

static const mp_scorer score_hubs = { .name = "hubs",
                                      .formula = "a degree^p",
                                      .options = "hub-power",
                                      .own = &hubs_set,
                                      .size = sizeof(int),
                                      .init = hubs_init,
                                      .run = hubs_run };
static const mp_pool_op op_hubs = { .name = "hubs",
                                    .title = "HubPool",
                                    .scorer = &score_hubs,
                                    .gate = MP_ACT_TANH,
                                    .selector = &mp_select_ratio,
                                    .coarsener = &mp_coarsen_induced };

/* ---- stars of three to nine nodes, large ones in class 1; half of them with a tail ---- */

enum { GRAPHS = 120, MOST = 10 };

static mp_err make(mp_data **out)
{
    static int node_ptr[GRAPHS + 1], from[GRAPHS * MOST], to[GRAPHS * MOST], edges;
    static double label[GRAPHS];
    for (int b = 0; b < GRAPHS; b++) {
        int first = node_ptr[b], n = 3 + b % 7, tail = b / 7 % 2;
        for (int v = 1; v < n + tail; v++, edges++) {
            from[edges] = first + (v < n ? 0 : v - 1);
            to[edges] = first + v;
        }
        node_ptr[b + 1] = first + n + tail;
        label[b] = n > 5;
    }
    mp_arrays in = {
        .graphs = GRAPHS, .edges = edges, .node_ptr = node_ptr, .from = from, .to = to, .targets = 1, .label = label
    };
    return mp_data_make(&in, out);
}

static mp_err train(const mp_data *data, const char *power)
{
    const char *options[] = { "pool=hubs", power, "hidden=16", "layers=2", "epochs=20", "lr=0.01", NULL };
    mp_trained *model;
    mp_result r;
    mp_err e = mp_train(data, options, NULL, &model, &r);
    if (e != MP_OK) return e;
    printf("HubPool, %s: training loss %.4f, test accuracy %.1f %%\n", power, r.train_loss, 100 * r.test_metric);
    mp_trained_free(model);
    return MP_OK;
}

int main(void)
{
    mp_data *data = NULL;
    mp_err e = mp_pool_add(&op_hubs);
    if (e == MP_OK) e = make(&data);
    if (e == MP_OK) e = train(data, "hub-power=0.5");
    if (e == MP_OK) e = train(data, "hub-power=2");
    if (e != MP_OK) fprintf(stderr, "own_operator: %s\n", mp_message());
    mp_data_free(data);
    return e == MP_OK ? 0 : 1;
}
