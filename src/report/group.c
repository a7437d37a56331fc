/* group.c - see group.h. Each run gets a text that is the same for the runs of one study; sorting by it
 * brings them together.
 * SPDX-License-Identifier: MIT */
#include "report/group.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tagged {
    const char *tag;
    const mp_stored *run;
} tagged;

static mp_group_kind kind_of(const mp_config *c)
{
    if (c->flip) return MP_GROUP_MID;
    return c->score_dim == 1 && c->drop <= 0 ? MP_GROUP_BASE : MP_GROUP_NO_FLIP;
}

/* Options that vary within a study or stand in its name already. */
static bool inside_group(const mp_opt *o)
{
    static const char *const names[] = { "pool", "seed", "score-dim", "drop", "flip", NULL };
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], o->name) == 0) return true;
    return false;
}

static const char *tag_of(const mp_stored *run, mp_arena *a)
{
    const mp_run_key *k = &run->key;
    mp_buf b = { 0 };
    mp_buf_printf(&b, "%s\1%s\1%d\1%016llx\1%s\1%d", k->dataset, k->config.pool, kind_of(&k->config),
                  (unsigned long long)k->fingerprint, k->folds_from, k->folds);
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        char value[80];
        if (inside_group(o)) continue;
        mp_conf_get(o, &k->config, value, sizeof value);
        mp_buf_printf(&b, "\1%s", value);
    }
    const char *tag = mp_arena_text(a, b.p, b.n);
    mp_buf_free(&b);
    return tag;
}

/* Runs of one tag stay in the order they came in. */
static int by_tag(const void *a, const void *b)
{
    const tagged *x = a, *y = b;
    int order = strcmp(x->tag, y->tag);
    return order ? order : (x->run > y->run) - (x->run < y->run);
}

static mp_choice_run choice_run(const mp_stored *r)
{
    return (mp_choice_run){ .seed = r->key.config.seed,
                            .fold = r->key.fold,
                            .folds = r->key.folds,
                            .point = { r->key.config.score_dim, r->key.config.drop },
                            .val_loss = r->result.val_loss,
                            .val_metric = r->result.val_metric,
                            .test_metric = r->result.test_metric,
                            .large_metric = r->result.large_metric };
}

static mp_group make_group(const tagged *t, int n, mp_arena *a)
{
    mp_group s = { .kind = kind_of(&t->run->key.config), .key = t->run->key };
    const mp_stored **run = MP_NEW(a, const mp_stored *, n), **fail = MP_NEW(a, const mp_stored *, n);
    mp_choice_run *choice = MP_NEW(a, mp_choice_run, n);
    for (int i = 0; i < n; i++) {
        if (t[i].run->status != MP_RUN_DONE) {
            fail[s.failed++] = t[i].run;
            continue;
        }
        choice[s.runs] = choice_run(t[i].run);
        run[s.runs++] = t[i].run;
        s.hit_cap += t[i].run->result.hit_cap != 0;
        if (isfinite(t[i].run->result.seconds)) s.seconds += t[i].run->result.seconds;
    }
    s.run = run;
    s.fail = fail;
    s.choice = choice;
    return s;
}

static void option_text(const mp_opt *o, const mp_group *s, char value[80])
{
    mp_conf_get(o, &s->key.config, value, 80);
}

/* Whether the studies of this data set differ in the option. */
static bool varies(const mp_opt *o, const mp_group *study, int count, const char *dataset)
{
    char first[80] = "", value[80];
    for (int i = 0; i < count; i++) {
        if (strcmp(study[i].key.dataset, dataset) != 0) continue;
        option_text(o, &study[i], value);
        if (first[0] && strcmp(first, value) != 0) return true;
        strcpy(first, value);
    }
    return false;
}

static bool data_varies(const mp_group *study, int count, const mp_run_key *k)
{
    for (int i = 0; i < count; i++) {
        const mp_run_key *o = &study[i].key;
        if (strcmp(o->dataset, k->dataset) == 0 &&
            (o->fingerprint != k->fingerprint || o->folds != k->folds || strcmp(o->folds_from, k->folds_from) != 0))
            return true;
    }
    return false;
}

static void name_group(mp_group *s, const mp_group *study, int count, mp_arena *a)
{
    static const char *const suffix[] = {
        [MP_GROUP_BASE] = "", [MP_GROUP_NO_FLIP] = " (no flip)", [MP_GROUP_MID] = " + MID"
    };
    mp_buf b = { 0 };
    mp_buf_printf(&b, "%s%s", s->key.config.pool, suffix[s->kind]);
    size_t named = b.n;
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        char value[80];
        option_text(o, s, value);
        if (inside_group(o) || strcmp(value, o->initial) == 0 || !varies(o, study, count, s->key.dataset)) continue;
        mp_buf_printf(&b, ", %s %s", o->name, value);
    }
    s->plain = b.n == named;
    if (data_varies(study, count, &s->key))
        mp_buf_printf(&b, ", %d folds: %s, data %08llx", s->key.folds, s->key.folds_from,
                      (unsigned long long)(s->key.fingerprint >> 32));
    s->model = mp_arena_text(a, b.p, b.n);
    mp_buf_free(&b);
}

void mp_group_runs(const mp_stored *run, int n, mp_arena *a, const mp_group **out, int *count)
{
    tagged *t = MP_NEW(a, tagged, n + 1);
    mp_group *study = MP_NEW(a, mp_group, n + 1);
    *count = 0;
    for (int i = 0; i < n; i++) t[i] = (tagged){ tag_of(&run[i], a), &run[i] };
    qsort(t, (size_t)n, sizeof *t, by_tag);
    for (int from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && strcmp(t[to].tag, t[from].tag) == 0; to++) {}
        study[(*count)++] = make_group(t + from, to - from, a);
    }
    for (int i = 0; i < *count; i++) name_group(&study[i], study, *count, a);
    *out = study;
}

static bool has_point(const mp_group *s, const mp_choice_point *p)
{
    for (int i = 0; i < s->runs; i++)
        if (s->choice[i].point.score_dim == p->score_dim && s->choice[i].point.drop == p->drop) return true;
    return false;
}

/* A choice that leaves all seeds out. */
static void choose_nothing(mp_choice *c, mp_arena *a)
{
    int *chosen = MP_NEW(a, int, c->grid.seeds + 1);
    for (int i = 0; i < c->grid.seeds; i++) chosen[i] = MP_NO_POINT;
    c->chosen = chosen;
    c->seeds_left_out = c->grid.seeds;
    c->test = c->large = (mp_score){ .mean = (double)NAN, .std_seeds = (double)NAN, .std_folds = (double)NAN };
}

mp_err mp_group_choose(const mp_group *s, mp_select mode, const mp_choice_point *fixed, mp_arena *a, mp_choice *out)
{
    bool only_one = s->kind == MP_GROUP_BASE, lacking = mode == MP_SELECT_FIXED && !only_one && !has_point(s, fixed);
    mp_select how = lacking || (mode == MP_SELECT_FIXED && only_one) ? MP_SELECT_VAL : mode;
    mp_err e = mp_choose(s->choice, s->runs, how, fixed, a, out);
    if (e != MP_OK) return mp_fail_within(e, "%s, %s", s->key.dataset, s->model);
    out->mode = mode;
    if (lacking) choose_nothing(out, a);
    return MP_OK;
}
