/* train.c - mp_train of midpool.h: options as texts, one run on one split, a trained model.
 *
 * Options are read twice: once for the method and the data they ask for, then over the presets that those bring.
 * SPDX-License-Identifier: MIT */
#include "api/api.h"
#include "api/own.h"
#include "base/crew.h"
#include "base/guard.h"
#include "model/options.h"
#include "train/once.h"
#include "train/preset.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
const mp_opt mp_api_own[] = {
    { "fold", MP_OPT_INT, offsetof(mp_api_asked, fold), "1", 1, 100, NULL, "which fold tests; the one before it validates" },
    { "folds", MP_OPT_INT, offsetof(mp_api_asked, folds), "0", 0, 100, NULL, "number of folds; 0 = as the fold files have, else 10" },
    { "threads", MP_OPT_INT, offsetof(mp_api_asked, threads), "0", 0, 256, NULL, "threads; 0 = all processors. The result does not depend on it" },
    { "preset", MP_OPT_TEXT, offsetof(mp_api_asked, preset), "", 0, 0, NULL, "settings under a name; several: a,b" },
    { 0 }
};
/* clang-format on */

typedef struct training {
    const mp_data *d;
    const char *const *options;
    const mp_watch *watch;
    const mp_parts *parts; /* or NULL: the option fold says which graphs do what */
    mp_api_asked asked;
    mp_arena *arena;
    mp_dataset data;
    mp_folds folds;
    const mp_split *split;
    mp_run_result result;
    mp_model *model;
    volatile sig_atomic_t enough, cancel;
    mp_trained *made;
} training;

/* ---- options ---- */

typedef struct setting {
    char name[64];
    const char *value;
} setting;

static mp_err cut(const char *text, setting *out)
{
    const char *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : 0;
    if (!equals || n == 0 || n >= sizeof out->name)
        return mp_fail(MP_ERR_USAGE, "options: expected a text such as 'ratio=0.25', got '%.80s'", text);
    memcpy(out->name, text, n);
    out->name[n] = '\0';
    out->value = equals + 1;
    return MP_OK;
}

static mp_err set_all(const char *const *options, mp_api_asked *t)
{
    setting s;
    for (int i = 0; options && options[i]; i++) {
        MP_TRY(cut(options[i], &s));
        if (mp_conf_find(mp_api_own, s.name))
            MP_TRY(mp_conf_set(mp_api_own, t, s.name, s.value, s.name));
        else
            MP_TRY(mp_conf_set(mp_config_table, &t->config, s.name, s.value, s.name));
    }
    return MP_OK;
}

static mp_err set_presets(training *t)
{
    const char *const *settings;
    const char *asked = t->asked.preset[0] ? t->asked.preset : NULL;
    MP_TRY(mp_presets_for(&t->data, t->asked.config.pool, asked, t->arena, &settings));
    mp_config_init(&t->asked.config);
    for (; *settings; settings++) MP_TRY(mp_conf_set_all(mp_config_table, &t->asked.config, *settings, "preset"));
    return set_all(t->options, &t->asked);
}

/* What presets set in vain goes back to its default; what the caller set in vain is an error. */
static mp_err settle(training *t)
{
    setting s;
    mp_config *c = &t->asked.config;
    int task = c->task;
    MP_TRY(mp_config_settle(c, t->data.task));
    for (int i = 0; t->options && t->options[i]; i++) {
        MP_TRY(cut(t->options[i], &s));
        const mp_opt *o = mp_conf_find(mp_api_own, s.name) ? NULL : mp_conf_find(mp_config_table, s.name);
        if (o && mp_config_uses(c, o->name) != MP_USED) return mp_unused(c, o->name, NULL, s.name);
    }
    c->task = task;
    return MP_OK;
}

/* ---- data ---- */

static mp_err build(training *t)
{
    mp_dataset_as as = mp_config_as(&t->asked.config);
    return mp_api_build(t->d, &as, t->arena, &t->data);
}

static mp_err fold_given(training *t)
{
    const mp_parts *p = t->parts;
    int fold = mp_dataset_is_fixed(&t->data) ? 0 : t->asked.fold; /* the number that its own split has */
    mp_split given = { fold, p->n_train, p->n_val, p->n_test, p->train, p->val, p->test };
    MP_TRY(mp_folds_given(&t->data, &given, t->arena, &t->folds));
    t->split = t->folds.split;
    return MP_OK;
}

static mp_err fold(training *t)
{
    if (t->parts) return fold_given(t);
    MP_TRY(mp_api_folds(&t->data, t->asked.folds, t->arena, &t->folds));
    if (t->asked.fold > t->folds.count)
        return mp_fail(MP_ERR_USAGE, "fold: %s has %d fold%s", t->data.name, t->folds.count, mp_plural(t->folds.count));
    t->split = &t->folds.split[t->asked.fold - 1];
    return MP_OK;
}

/* ---- the run ---- */

static void on_news(void *state, const mp_fit_news *n)
{
    training *t = state;
    mp_news news = { .epoch = n->epoch,
                     .epochs = n->epochs,
                     .best_epoch = n->best_epoch,
                     .train_loss = n->last.train_loss,
                     .val_loss = n->last.val_loss,
                     .val_metric = n->last.val_metric,
                     .metric = n->metric };
    mp_verdict v = t->watch->epoch(t->watch->state, &news);
    t->enough = v == MP_ENOUGH;
    t->cancel = v == MP_CANCEL;
}

static mp_err keep(training *t)
{
    mp_about about = mp_about_of(&t->data, t->model);
    mp_buf bytes = MP_BUF_LOCAL;
    mp_checkpoint_write(t->model, &about, &bytes);
    mp_err e = mp_api_parse((mp_span){ bytes.p, bytes.n }, "model", &t->made);
    mp_buf_free(&bytes);
    return e;
}

static mp_err train_in(training *t)
{
    const mp_kernels *unused;
    mp_config *c = &t->asked.config;
    MP_TRY(mp_api_kernels(&unused));
    mp_conf_defaults(mp_api_own, &t->asked);
    mp_config_init(c);
    MP_TRY(set_all(t->options, &t->asked));
    MP_TRY(mp_config_check(c));
    MP_TRY(build(t));
    MP_TRY(set_presets(t));
    MP_TRY(settle(t));
    MP_TRY(mp_task_of_graphs(t->data.task, t->data.name));
    MP_TRY(mp_run_check(&t->data, c));
    int threads = t->asked.threads ? t->asked.threads : mp_cpu_count();
    mp_prepare how = { .threads = threads, .fingerprint = t->data.fingerprint };
    MP_TRY(mp_config_prepare(c, &how, t->arena, &t->data.graphs));
    MP_TRY(fold(t));
    mp_run_key key = mp_run_key_of(&t->data, &t->folds, t->split, c);
    mp_fit_options o = {
        .news = t->watch && t->watch->epoch ? on_news : NULL, .state = t, .stop = &t->cancel, .enough = &t->enough
    };
    mp_err e = mp_run_once(&t->data, t->split, &key, threads, &o, t->arena, &t->result, &t->model);
    if (e != MP_OK && t->cancel) return mp_fail(MP_ERR_STOPPED, "%s: training was stopped", t->data.name);
    if (e != MP_OK) return mp_fail_within(e, "%s", t->data.name);
    return keep(t);
}

static void report(const training *t, mp_result *out)
{
    const mp_run_result *r = &t->result;
    *out = (mp_result){ .epochs = r->epochs,
                        .best_epoch = r->best_epoch,
                        .train_graphs = t->split->n_train,
                        .val_graphs = t->split->n_val,
                        .test_graphs = t->split->n_test,
                        .train_loss = r->train_loss,
                        .val_loss = r->val_loss,
                        .val_metric = r->val_metric,
                        .test_metric = r->test_metric,
                        .seconds = r->seconds };
    snprintf(out->task, sizeof out->task, "%s", r->task);
    snprintf(out->metric, sizeof out->metric, "%s", r->metric);
    snprintf(out->sha256, sizeof out->sha256, "%s", r->model_sha256);
    for (int i = 0; i < r->measures && i < MP_METRICS_ROOM; i++) {
        out->val[i].value = r->measure[i].val;
        out->test[i].value = r->measure[i].test;
        snprintf(out->val[i].name, sizeof out->val[i].name, "%s", r->measure[i].name);
        snprintf(out->test[i].name, sizeof out->test[i].name, "%s", r->measure[i].name);
        out->metrics = i + 1;
    }
}

typedef struct order {
    training *training;
    mp_result *result; /* or NULL */
} order;

static mp_err train(void *arg)
{
    const order *o = arg;
    training *t = o->training;
    t->arena = mp_arena_new(1 << 16);
    mp_err e = train_in(t);
    if (e == MP_OK && o->result) report(t, o->result);
    mp_arena_free(t->arena);
    return e;
}

static mp_err trained_on(training t, mp_trained **out, mp_result *result)
{
    MP_TRY(mp_guarded(train, &(order){ &t, result }));
    *out = t.made;
    return MP_OK;
}

mp_err mp_train(const mp_data *d, const char *const *options, const mp_watch *watch, mp_trained **out,
                mp_result *result)
{
    MP_TRY(mp_api_need(d && out, "mp_train"));
    return trained_on((training){ .d = d, .options = options, .watch = watch }, out, result);
}

mp_err mp_train_parts(const mp_data *d, const mp_parts *parts, const char *const *options, const mp_watch *watch,
                      mp_trained **out, mp_result *result)
{
    MP_TRY(mp_api_need(d && parts && out, "mp_train_parts"));
    return trained_on((training){ .d = d, .parts = parts, .options = options, .watch = watch }, out, result);
}
