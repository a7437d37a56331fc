/* own_conv.c - a convolution of one's own: what a node differs from the mean of its neighbours in.
 *
 *     Y_v = ReLU?( x_v W + s (x_v - mean over neighbours of x_u) U + b ),   s an option of its own
 *
 *     cc own_conv.c $(pkg-config --cflags --libs midpool) && ./a.out
 * SPDX-License-Identifier: MIT */
#include <midpool/operator.h>

#include <stdio.h>

typedef struct contrast_options {
    double strength;
} contrast_options;
static const mp_opt rows[] = {
    { .name = "contrast-strength",
      .kind = MP_OPT_REAL,
      .offset = offsetof(contrast_options, strength),
      .initial = "1",
      .lo = 0,
      .hi = 10,
      .help = "contrast: s" },
    { .name = NULL },
};
MP_OPTION_SET(static, set, contrast_options, rows);

typedef struct contrast {
    mp_lin self, other;
    int bias;
    mp_real strength;
} contrast;

static void init(void *state, const mp_conv_setup *s)
{
    contrast *l = state;
    l->strength = s->conf ? (mp_real)MP_OWN(s->conf, set, contrast_options)->strength : 1;
    l->self = mp_lin_glorot(s->params, s->prefix, "self", s->in, s->out);
    l->other = mp_lin_glorot(s->params, s->prefix, "other", s->in, s->out);
    l->bias = mp_param_vector(s->params, s->prefix, "bias", s->out, MP_INIT_ZERO, 0);
}

/* The mean of x U is the mean of x times U: products first, while features are sparse. */
static mp_mat *run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    const contrast *l = state;
    mp_mat *u = mp_lin_run(&l->other, c, x, false), *mean = mp_agg(c, g, MP_AGG_MEAN, u, NULL, false);
    mp_mat *apart = mp_mix(c, 1, u, -1, mean), *y = mp_mix(c, 1, mp_lin_run(&l->self, c, x, false), l->strength, apart);
    mp_mat *ones = mp_mat_full(c, 1, g->nodes, 1);
    y = mp_mix(c, 1, y, 1, mp_linear(c, ones, mp_use(c, l->bias), NULL, false)); /* a row of biases for each node */
    return relu ? mp_act_of(c, y, MP_ACT_RELU) : y;
}

static const mp_conv_kind row = {
    .name = "contrast",
    .formula = "X W + s (X - mean X) U + b",
    .options = "contrast-strength:conv=contrast",
    .own = &set,
    .size = sizeof(contrast),
    .init = init,
    .run = run,
};

/* Rings with one odd node; class 1: its neighbours are odd as well. */
enum { GRAPHS = 100, NODES = 7 };

static mp_err make(mp_data **out)
{
    static int node_ptr[GRAPHS + 1], from[GRAPHS * NODES], to[GRAPHS * NODES], colour[GRAPHS * NODES];
    static double label[GRAPHS];
    for (int b = 0; b < GRAPHS; b++) {
        int first = NODES * b, odd = b % NODES, both = b / 2 % 2;
        for (int v = 0; v < NODES; v++) {
            from[first + v] = first + v;
            to[first + v] = first + (v + 1) % NODES;
            colour[first + v] = v == odd || (both && (v == (odd + 1) % NODES || odd == (v + 1) % NODES));
        }
        node_ptr[b + 1] = first + NODES;
        label[b] = both;
    }
    mp_arrays in = { .graphs = GRAPHS,
                     .edges = GRAPHS * NODES,
                     .node_ptr = node_ptr,
                     .from = from,
                     .to = to,
                     .node_labels = 1,
                     .node_label = colour,
                     .targets = 1,
                     .label = label };
    return mp_data_make(&in, out);
}

int main(void)
{
    static const char *const options[] = { "conv=contrast", "contrast-strength=2", "pool=topk", "hidden=16",
                                           "layers=2",      "epochs=20",           "lr=0.01",   NULL };
    mp_data *data = NULL;
    mp_trained *model = NULL;
    mp_result r;
    mp_err e = mp_conv_add(&row);
    if (e == MP_OK) e = make(&data);
    if (e == MP_OK) e = mp_train(data, options, NULL, &model, &r);
    if (e != MP_OK) fprintf(stderr, "own_conv: %s\n", mp_message());
    if (e == MP_OK) printf("contrast: training loss %.4f, test accuracy %.1f %%\n", r.train_loss, 100 * r.test_metric);
    mp_trained_free(model);
    mp_data_free(data);
    return e == MP_OK ? 0 : 1;
}
