/* watch.c - see watch.h.
 * SPDX-License-Identifier: MIT */
#include "cli/watch.h"
#include "cli/setup.h"
#include "report/score.h"

#include <stdio.h>

static void on_model(void *state, const mp_config *c)
{
    mp_watch *w = state;
    if (w->given) mp_given_ask(w->given, c);
}

static void on_line(void *state, const char *text)
{
    mp_watch *w = state;
    mp_progress_line(&w->progress, "%s", text);
}

static void on_now(void *state, const char *text)
{
    mp_watch *w = state;
    mp_progress_now(&w->progress, -1, "%s", text);
}

static void on_end(void *state)
{
    mp_watch *w = state;
    mp_progress_end(&w->progress);
}

static void name_run(const mp_run_key *key, char *out, size_t n)
{
    char model[128];
    mp_setup_model_name(&key->config, model, sizeof model);
    snprintf(out, n, "%s %s, seed %d, fold %d", key->dataset, model, key->config.seed, key->fold);
}

static void on_news(void *state, const mp_run_key *key, const mp_fit_news *n, const mp_cv_count *c)
{
    mp_watch *w = state;
    char model[128];
    mp_setup_model_name(&key->config, model, sizeof model);
    mp_progress_now(&w->progress, c->left, "%d/%d runs\t, %s %s\t, seed %d, fold %d\t: epoch %d",
                    c->known + c->done + c->failed, c->total, key->dataset, model, key->config.seed, key->fold,
                    n->epoch);
}

static void on_done(void *state, const mp_run_key *key, const mp_run_result *r, const mp_cv_count *c)
{
    mp_watch *w = state;
    char name[256], time[32], val[64], test[64];
    const mp_metric *m = mp_metric_of(r->metric);
    name_run(key, name, sizeof name);
    mp_metric_unit(m, r->val_metric, val, sizeof val);
    mp_metric_unit(m, r->test_metric, test, sizeof test);
    mp_progress_line(&w->progress, "%d/%d %s: %d epochs, val %s, test %s, %s", c->known + c->done + c->failed, c->total,
                     name, r->epochs, val, test, mp_duration(r->seconds, time));
}

static void on_bad(void *state, const mp_run_key *key, const char *text)
{
    mp_watch *w = state;
    char name[256] = "";
    if (key) name_run(key, name, sizeof name);
    mp_progress_end(&w->progress);
    mp_cli_say("midpool: %s%s%s", name, key ? ": " : "", text);
}

mp_listener mp_watch_begin(mp_watch *w, bool quiet, mp_given *given)
{
    mp_progress_init(&w->progress, quiet);
    w->given = given;
    return (mp_listener){ .state = w,
                          .model = on_model,
                          .line = on_line,
                          .now = on_now,
                          .end = on_end,
                          .news = on_news,
                          .done = on_done,
                          .bad = on_bad };
}
