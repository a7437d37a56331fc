/* watch.c - see watch.h.
 * SPDX-License-Identifier: MIT */
#include "cli/watch.h"
#include "cli/setup.h"
#include "model/options.h"
#include "report/score.h"

#include <stdio.h>
#include <string.h>

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

/* What tells this run's row of a sweep from others, ", lr 0.01, hidden 64", beyond what its name and its seed say. */
static void name_swept(const mp_watch *w, const mp_config *c, char *out, size_t n)
{
    static const char *const said[] = { "pool", "score-dim", "flip", "drop", "seed", NULL };
    size_t at = 0;
    out[0] = '\0';
    for (int i = 0; w->swept && w->swept[i]; i++) {
        const mp_opt *o = mp_conf_find(mp_config_table, w->swept[i]);
        char value[80];
        bool known = !o || mp_config_uses(c, o->name) != MP_USED;
        for (int k = 0; said[k]; k++) known = known || strcmp(said[k], w->swept[i]) == 0;
        if (known || at >= n) continue;
        mp_conf_get(o, c, value, sizeof value);
        at += (size_t)snprintf(out + at, n - at, ", %s %s", o->name, value);
    }
}

static void name_run(const mp_watch *w, const mp_run_key *key, char *out, size_t n)
{
    char model[128], swept[128];
    mp_setup_model_name(&key->config, model, sizeof model);
    name_swept(w, &key->config, swept, sizeof swept);
    snprintf(out, n, "%s %s%s, seed %d, fold %d", key->dataset, model, swept, key->config.seed, key->fold);
}

static void on_news(void *state, const mp_run_key *key, const mp_fit_news *n, const mp_cv_count *c)
{
    mp_watch *w = state;
    char model[128], swept[128];
    if (!mp_progress_due(&w->progress)) return; /* a thousand workers have news four times a second */
    mp_setup_model_name(&key->config, model, sizeof model);
    name_swept(w, &key->config, swept, sizeof swept);
    mp_progress_now(&w->progress, c->left, "%d/%d runs\t, %s %s\t%s\t, seed %d, fold %d\t: epoch %d",
                    c->known + c->done + c->failed, c->total, key->dataset, model, swept, key->config.seed, key->fold,
                    n->epoch);
}

static void on_done(void *state, const mp_run_key *key, const mp_run_result *r, const mp_cv_count *c)
{
    mp_watch *w = state;
    char name[400], time[32], val[64], test[64];
    const mp_metric *m = mp_metric_of(r->metric);
    name_run(w, key, name, sizeof name);
    mp_metric_unit(m, r->val_metric, val, sizeof val);
    mp_metric_unit(m, r->test_metric, test, sizeof test);
    mp_progress_line(&w->progress, "%d/%d %s: %d epochs, val %s, test %s, %s", c->known + c->done + c->failed, c->total,
                     name, r->epochs, val, test, mp_duration(r->seconds, time));
}

static void on_bad(void *state, const mp_run_key *key, const char *text)
{
    mp_watch *w = state;
    char name[400] = "";
    if (key) name_run(w, key, name, sizeof name);
    mp_progress_end(&w->progress);
    mp_cli_say("midpool: %s%s%s", name, key ? ": " : "", text);
}

mp_listener mp_watch_begin(mp_watch *w, bool quiet, mp_given *given, const char *const *swept)
{
    mp_progress_init(&w->progress, quiet);
    w->given = given;
    w->swept = swept;
    return (mp_listener){ .state = w,
                          .model = on_model,
                          .line = on_line,
                          .now = on_now,
                          .end = on_end,
                          .news = on_news,
                          .done = on_done,
                          .bad = on_bad };
}
