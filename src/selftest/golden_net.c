/* golden_net.c - golden cases of a whole network: log-probabilities, gradients, and a few steps of Adam.
 *
 *     out.logp      log-probabilities with the weights w.*          grad.w.*   gradients of the loss there
 *     out.losses    the loss before each step                       out.wN.*   the weights after step N
 * SPDX-License-Identifier: MIT */
#include "selftest/golden_run.h"
#include "model/model.h"
#include "nn/adam.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STEPS 1000

typedef struct net {
    mp_model *model;
    mp_params *params;
    const int *label;
    mp_real *grad, *m, *v; /* laid out like the weights */
    mp_real *loose;        /* so are the terms that golden.h says Adam needs */
    int64_t *updates;      /* per parameter */
} net;

/* Layers, as many as there are convolutions in the file. */
static int count_convs(const mp_case *k)
{
    char name[64];
    for (int n = 0;; n++) {
        snprintf(name, sizeof name, "w.convs.%d.", n);
        bool found = false;
        for (int i = 0; i < k->file.tensors && !found; i++)
            found = strncmp(k->file.tensor[i].name, name, strlen(name)) == 0;
        if (!found || n == 16) return n;
    }
}

/* "Adam lr 5e-4 weight decay 1e-4 ..., betas 0.9 0.999": the number behind a word, if it is there. */
static void number_after(const char *text, const char *word, double *out)
{
    const char *at = strstr(text, word);
    if (!at) return;
    at += strlen(word);
    double v;
    if (mp_to_real((mp_span){ at, strspn(at, "+-.eE0123456789") }, &v)) *out = v;
}

static void optimiser(const mp_case *k, mp_config *conf)
{
    const char *text = mp_json_text(k->json, "optimiser", "");
    number_after(text, "lr ", &conf->lr);
    number_after(text, "weight decay ", &conf->weight_decay);
    number_after(text, "betas ", &conf->beta1);
}

/* The first dense layer is the widest matrix of a network. When the file has it in the size the configuration
 * asks for, the network is no larger than the file allows, and memory can be taken for it. */
static mp_err check_size(mp_case *k, const mp_config *conf)
{
    int width = conf->width == MP_WIDTH_MULTIHEAD ? conf->hidden : conf->hidden * conf->score_dim;
    const mp_tensor *t;
    return mp_case_need(k, "w.lin1.weight", conf->hidden, 2 * width, &t);
}

static mp_err read_labels(mp_case *k, int classes, const int **label)
{
    const mp_tensor *t;
    MP_TRY(mp_case_need(k, "in.y", k->g.graphs, 1, &t));
    MP_TRY(mp_case_ints(k, t, label));
    for (int b = 0; b < k->g.graphs; b++)
        if ((*label)[b] < 0 || (*label)[b] >= classes)
            return mp_fail(MP_ERR_INPUT, "in.y has the label %d, of %d classes", (*label)[b], classes);
    return MP_OK;
}

static void loosen(const mp_case *k, net *n, const mp_param *q, const mp_adam *how, double lr)
{
    size_t count = (size_t)q->rows * (size_t)q->cols;
    const mp_real *g = n->grad + q->offset, *v = n->v + q->offset;
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs((double)g[i]));
    for (size_t i = 0; i < count; i++) {
        double size = sqrt((double)v[i]) * (double)how->root_corrected + (double)how->eps;
        n->loose[q->offset + i] += (mp_real)(2 * lr * fmin(most / size, 1 / k->tolerance));
    }
}

/* As PyTorch: weight decay in the gradient, and a parameter without a gradient is left alone. */
static void adam_step(mp_case *k, net *n)
{
    const mp_config *conf = mp_model_config(n->model);
    for (int id = 0; id < n->params->count; id++) {
        const mp_param *q = &n->params->list[id];
        if (!k->c.params[id].live) continue;
        mp_adam how = mp_adam_for(conf, 1, ++n->updates[id]);
        k->c.k->adam(n->params->theta + q->offset, n->m + q->offset, n->v + q->offset, n->grad + q->offset, &how,
                     (size_t)q->rows * (size_t)q->cols);
        loosen(k, n, q, &how, conf->lr);
    }
}

/* One forward pass up to the loss, on a tape of its own. */
static mp_mat *loss_of(mp_case *k, net *n, mp_mat **logp)
{
    const mp_real *lp;
    k->c.last = NULL;
    k->x->live = false;
    k->g.norm = MP_NEW(k->step, mp_norm, 1); /* a memo lives no longer than the step that made it */
    mp_params_bind(n->params, &k->c, n->grad);
    mp_mat *y = mp_model_forward(n->model, &k->c, &k->g, NULL, k->x, NULL, NULL);
    mp_mat *loss = mp_xent(&k->c, y, n->label, (mp_real)(1.0 / k->g.graphs), &lp);
    *logp = mp_mat_of(&k->c, lp, y->rows, y->cols);
    mp_grad_zeroed(&k->c, loss)[0] = 1;
    return loss;
}

static mp_err compare_weights(mp_case *k, const net *n, int step)
{
    char prefix[32];
    snprintf(prefix, sizeof prefix, "out.w%d.", step);
    for (int i = 0; i < k->file.tensors; i++)
        if (strncmp(k->file.tensor[i].name, prefix, strlen(prefix)) == 0)
            return mp_case_params(k, n->params, prefix, n->loose);
    return MP_OK;
}

static mp_err run_step(mp_case *k, net *n, int step, mp_real *loss)
{
    mp_mat *logp, *l = loss_of(k, n, &logp);
    if (k->c.diverged) return mp_fail(MP_ERR_INPUT, "a score is not a number");
    *loss = l->v[0];
    if (step == 0) {
        MP_TRY(mp_case_output(k, "logp", logp));
        MP_TRY(mp_case_back(k, n->params, n->grad));
    } else {
        mp_tape_back(&k->c);
    }
    adam_step(k, n);
    return compare_weights(k, n, step);
}

static mp_err run_steps(mp_case *k, net *n)
{
    const mp_tensor *t = mp_case_find(k, "out.losses");
    if (t && (t->dims != 1 || t->count < 1 || t->count > MOST_STEPS))
        return mp_fail(MP_ERR_INPUT, "out.losses is not a list of 1 to %d losses", MOST_STEPS);
    int steps = t ? (int)t->count : 1;
    mp_real *losses = MP_NEW(k->arena, mp_real, steps);
    for (int s = 0; s < steps; s++) {
        mp_arena_mark here = mp_arena_here(k->step);
        MP_TRY(run_step(k, n, s, &losses[s]));
        mp_arena_back(k->step, here);
    }
    return t ? mp_case_close(k, t, losses) : MP_OK;
}

mp_err mp_golden_net(mp_case *k, const mp_golden_kind *row)
{
    mp_config conf;
    const mp_pool_op *op;
    net n;
    int rows, classes;
    MP_TRY(mp_golden_setup(k, row, &op, &conf));
    if (k->skip) return MP_OK;
    MP_TRY(mp_case_inputs(k));
    MP_TRY(mp_case_shape(k, "out.logp", &rows, &classes));
    conf.layers = count_convs(k);
    if (conf.layers < 1) return mp_fail(MP_ERR_INPUT, "the file has no weights of convolutions");
    optimiser(k, &conf);
    MP_TRY(check_size(k, &conf));
    MP_TRY(mp_model_new(k->step, &conf, (mp_inputs){ .features = k->x->cols, .outputs = classes }, &n.model));
    n.params = mp_model_params(n.model);
    MP_TRY(mp_case_weights(k, n.params));
    MP_TRY(read_labels(k, classes, &n.label));
    n.grad = MP_NEW(k->step, mp_real, n.params->size);
    n.m = MP_NEW(k->step, mp_real, n.params->size);
    n.v = MP_NEW(k->step, mp_real, n.params->size);
    n.loose = MP_NEW(k->step, mp_real, n.params->size);
    n.updates = MP_NEW(k->step, int64_t, n.params->count);
    return run_steps(k, &n);
}
