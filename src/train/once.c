/* once.c - see once.h.
 * SPDX-License-Identifier: MIT */
#include "train/once.h"
#include "base/guard.h"
#include "base/sha256.h"
#include "model/aim.h"
#include "model/checkpoint.h"
#include "train/judge.h"

#include <stdio.h>
#include <string.h>

mp_run_key mp_run_key_of(const mp_dataset *d, const mp_folds *f, const mp_split *s, const mp_config *config)
{
    mp_run_key k;
    memset(&k, 0, sizeof k);
    snprintf(k.dataset, sizeof k.dataset, "%s", d->name);
    snprintf(k.folds_from, sizeof k.folds_from, "%s", f->from);
    k.fingerprint = d->fingerprint;
    k.fold = s->fold;
    k.folds = f->count;
    k.config = *config;
    return k;
}

void mp_run_identity(const mp_run_key *key, char hex[65])
{
    mp_buf b = MP_BUF_LOCAL;
    mp_buf_puts(&b, MP_VERSION " ");
    mp_run_key_text(key, &b);
    mp_sha256_hex(b.p, b.n, hex);
    mp_buf_free(&b);
}

mp_err mp_run_plan(const mp_dataset *d, const mp_config *config, mp_arena *a, mp_model **m)
{
    mp_goal goal;
    if (!d->seal) return mp_fail(MP_ERR_INPUT, "%s has no graph labels, so nothing can be learned from it", d->name);
    if (mp_config_aims(config) && !d->graphs.aim)
        return mp_fail(MP_ERR_USAGE, "attention-loss: %s does not say how much attention nodes deserve", d->name);
    mp_config resolved = *config;
    mp_config_resolve(&resolved, &d->graphs);
    MP_TRY(mp_config_fits(config, d->task));
    MP_TRY(mp_dataset_goal(d, config, &goal));
    mp_inputs in = mp_inputs_of(&d->recipe, mp_goal_outputs(&goal));
    MP_TRY(mp_model_plan(a, &resolved, in, m));
    mp_model_aim(*m, &goal);
    return MP_OK;
}

/* Labels of numbers are learned on the scale of the training graphs. */
static void standardise(mp_model *m, const mp_fit_data *d, mp_arena *a)
{
    mp_goal goal = *mp_model_goal(m);
    if (!goal.task->standard || !goal.task->standard(mp_model_config(m))) return;
    mp_goal_standardise(&goal, &d->labels, d->train, d->n_train, a);
    mp_model_aim(m, &goal);
}

mp_err mp_run_check(const mp_dataset *d, const mp_config *config)
{
    mp_arena *a = mp_arena_new(65536);
    mp_model *m;
    mp_err e = mp_run_plan(d, config, a, &m);
    mp_arena_free(a);
    return e;
}

mp_err mp_gpu_takes(const mp_model *m)
{
    const char *why = mp_model_needs_sight(m);
    if (!why) return MP_OK;
    return mp_fail(MP_ERR_USAGE, "device: the GPU cannot do %s, as configured here; --device cpu can", why);
}

mp_err mp_run_check_gpu(const mp_dataset *d, const mp_config *config)
{
    mp_arena *a = mp_arena_new(65536);
    mp_model *m;
    mp_err e = mp_run_plan(d, config, a, &m);
    if (e == MP_OK) e = mp_gpu_takes(m);
    mp_arena_free(a);
    return e;
}

static void hash_model(mp_model *m, const mp_dataset *d, char hex[65])
{
    mp_about about = mp_about_of(d, m);
    mp_buf bytes = MP_BUF_LOCAL;
    mp_checkpoint_write(m, &about, &bytes);
    mp_sha256_hex(bytes.p, bytes.n, hex);
    mp_buf_free(&bytes);
}

typedef struct running { /* of an engine, which has threads: it is freed when this gives up */
    mp_engine *engine;
    mp_model *model;
    const mp_dataset *d;
    const mp_split *s;
    const mp_fit_data *data;
    const mp_fit_options *o;
    mp_arena *a;
    mp_run_result *r;
} running;

static mp_err fit_and_judge(void *arg)
{
    const running *n = arg;
    MP_TRY(mp_fit(n->engine, n->model, n->data, n->o, n->a, n->r));
    return mp_judge(n->engine, n->model, n->d, n->s, n->r);
}

mp_err mp_run_once(const mp_dataset *d, const mp_split *s, const mp_run_key *key, int threads, const mp_fit_options *o,
                   mp_arena *a, mp_run_result *r, mp_model **model)
{
    mp_model *m;
    if (s->n_train == 0 || s->n_val == 0)
        return mp_fail(MP_ERR_INPUT, "%s, fold %d: no graphs to %s on", d->name, s->fold,
                       s->n_train ? "validate" : "train");
    MP_TRY(mp_run_plan(d, &key->config, a, &m));
    mp_params_alloc(mp_model_params(m));
    mp_fit_data data = { &d->graphs,
                         &d->x,
                         s->train,
                         s->val,
                         s->n_train,
                         s->n_val,
                         mp_seal_open(d->seal, a, s->train, s->n_train, s->val, s->n_val),
                         s->fold };
    standardise(m, &data, a);
    mp_arena_peak_reset();
    mp_engine *e = NULL;
    if (o->group && !mp_model_needs_sight(m))
        MP_TRY(mp_engine_new_on(o->group, m, &e));
    else
        e = mp_engine_new(m, threads);
    mp_err err = mp_guarded(fit_and_judge, &(running){ e, m, d, s, &data, o, a, r });
    mp_engine_free(e);
    if (err != MP_OK) return err;
    hash_model(m, d, r->model_sha256);
    r->peak_bytes = mp_arena_peak();
    if (model) *model = m;
    return MP_OK;
}
