/* models.c - see models.h.
 * SPDX-License-Identifier: MIT */
#include "study/models.h"
#include "base/sha256.h"
#include "data/gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_mid(const mp_config *c)
{
    return c->flip || c->score_dim > 1 || c->drop > 0;
}

/* DATASET-METHOD-seedS-foldF, with the beginning of the hash where it is not NULL. */
static const char *name_of(const char *dataset, const mp_config *c, int seed, int fold, const char *hash, mp_arena *a)
{
    char *name = mp_arena_printf(a, "%s-%s%s-seed%d-fold%d%s%.8s.safetensors", dataset, c->pool,
                                 is_mid(c) ? "-mid" : "", seed, fold, hash ? "-" : "", hash ? hash : "");
    for (char *p = name; *p; p++)
        if (*p == '/') *p = '_';
    return name;
}

static bool chooses(const mp_study *s)
{
    for (int i = 0; i < s->rows; i++)
        if (s->row[i].points.count > 1 || mp_rule_nested(&s->row[i].rule)) return true;
    return false;
}

static const char *folder_of(const mp_study *s, mp_arena *a)
{
    switch (s->keeping) {
    case MP_KEEP_ALL:
        return s->models_all;
    case MP_KEEP_UNCHOSEN:
        return mp_arena_printf(a, "%s/unchosen", s->models);
    case MP_KEEP_CHOSEN:
        return s->models;
    default:
        return mp_arena_printf(a, "%s.models", mp_store_beside(s->store_path, a));
    }
}

const char *mp_study_model_path(const mp_study *s, const mp_run_key *key, mp_arena *a)
{
    const char *folder = folder_of(s, a);
    char hash[65];
    mp_run_key_hash(key, hash);
    if (s->keeping != MP_KEEP_ALL && s->keeping != MP_KEEP_CHOSEN)
        return mp_arena_printf(a, "%s/%.24s.safetensors", folder, hash);
    bool tell = s->keeping == MP_KEEP_ALL && chooses(s);
    return mp_arena_printf(a, "%s/%s", folder,
                           name_of(key->dataset, &key->config, key->config.seed, key->fold, tell ? hash : NULL, a));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static mp_err check_unique(const char **name, int n)
{
    qsort(name, (size_t)n, sizeof *name, by_text);
    for (int i = 1; i < n; i++)
        if (strcmp(name[i - 1], name[i]) == 0)
            return mp_fail(MP_ERR_USAGE,
                           "models: two runs would be %s; keep models of one setting and one data set a name", name[i]);
    return MP_OK;
}

/* A name has room for one model: it does not say which of two sets of one name, or of two rows of a method, it is of. */
static mp_err check_names(const mp_study *s, mp_arena *a)
{
    int n = 0;
    size_t most = (size_t)s->plan.count;
    for (int i = 0; i < s->rows; i++) most += 2 * (size_t)s->row[i].seeds;
    const char **name = MP_NEW(a, const char *, most + 1);
    for (int i = 0; s->models_all && i < s->plan.count; i++) name[n++] = mp_study_model_path(s, &s->plan.run[i].key, a);
    if (n) return check_unique(name, n);
    for (int i = 0; i < s->rows; i++) {
        const mp_study_row *r = &s->row[i];
        const mp_config *kind[2] = { NULL, NULL };
        for (int p = 0; p < r->points.count; p++) kind[is_mid(&r->points.at[p])] = &r->points.at[p];
        for (int k = 0; k < 2; k++)
            for (int seed = 0; kind[k] && seed < r->seeds; seed++)
                name[n++] = name_of(r->data->name, kind[k], r->config.seed + seed, r->folds->split[0].fold, NULL, a);
    }
    return check_unique(name, n);
}

mp_err mp_models_begin(mp_study *s)
{
    mp_arena *a = mp_arena_new(65536);
    mp_err e = MP_OK;
    s->keeping = s->models_all    ? MP_KEEP_ALL
                 : s->models      ? MP_KEEP_UNCHOSEN
                 : s->keep_models ? MP_KEEP_BY_KEY
                                  : MP_KEEP_NONE;
    if (s->models && s->models_all) e = mp_fail(MP_ERR_USAGE, "expected --models or --models-all, not both");
    if (e == MP_OK && (s->models || s->models_all)) e = check_names(s, a);
    if (e == MP_OK && s->models) e = mp_make_folder(s->models);
    if (e == MP_OK && s->keeping != MP_KEEP_NONE) e = mp_make_folder(folder_of(s, a));
    mp_arena_free(a);
    return e;
}

bool mp_models_kept(const mp_study *s)
{
    return s->keeping != MP_KEEP_NONE;
}

bool mp_models_needed(const mp_study *s)
{
    return s->keeping != MP_KEEP_NONE && s->keeping != MP_KEEP_UNCHOSEN;
}

static mp_err hash_file(const char *path, mp_arena *a, char hex[65])
{
    mp_span bytes;
    hex[0] = 0;
    if (access(path, R_OK) != 0) return MP_OK;
    MP_TRY(mp_slurp(path, 0, a, &bytes));
    mp_sha256_hex(bytes.p, bytes.n, hex);
    return MP_OK;
}

/* Under a name that people read there may be the model of other settings. */
mp_err mp_models_has(mp_study *s, const mp_run_key *key, bool *there)
{
    mp_arena *a = mp_arena_new(65536);
    const char *path = mp_study_model_path(s, key, a);
    char want[65] = "", have[65] = "";
    mp_err e = MP_OK;
    *there = access(path, R_OK) == 0;
    if (*there && s->keeping != MP_KEEP_BY_KEY) {
        e = mp_store_model(s->store, key, want);
        if (e == MP_OK) e = hash_file(path, a, have);
        *there = e == MP_OK && strcmp(want, have) == 0;
    }
    mp_arena_free(a);
    return e;
}

/* An inner run is never chosen: it has no test graphs. */
mp_err mp_models_save(void *study, const mp_cv_run *run, mp_span file)
{
    const mp_study *s = study;
    if (s->keeping == MP_KEEP_UNCHOSEN && run->split->n_test == 0 && mp_rule_nested(&s->rule)) return MP_OK;
    mp_arena *a = mp_arena_new(4096);
    mp_err e = mp_write_file(mp_study_model_path(s, &run->key, a), file.p, file.n);
    mp_arena_free(a);
    return e;
}

/* Whether the model is under its name now. */
static mp_err take(mp_study *s, const mp_cv_run *run, mp_arena *a, bool *there)
{
    s->keeping = MP_KEEP_UNCHOSEN;
    const char *from = mp_study_model_path(s, &run->key, a);
    bool waiting;
    MP_TRY(mp_models_has(s, &run->key, &waiting));
    s->keeping = MP_KEEP_CHOSEN;
    MP_TRY(mp_models_has(s, &run->key, there));
    if (!*there && waiting) *there = rename(from, mp_study_model_path(s, &run->key, a)) == 0;
    return MP_OK;
}

/* Marks the runs of the plan that a row took. */
static mp_err mark_chosen(const mp_study *s, const mp_study_row *row, bool *chosen)
{
    mp_choice c;
    mp_choice_set set = mp_study_set(s, row);
    MP_TRY(mp_study_choose(s, row, s->select, &c));
    for (int i = 0, n = 0; i < row->runs; i++) {
        if (!mp_study_result(s, row, i)) continue;
        if (mp_choice_took(&c, &set, &set.run[n++])) chosen[row->trial[i].place] = true;
    }
    return MP_OK;
}

mp_err mp_models_choose(mp_study *s, mp_cv_plan *out)
{
    *out = (mp_cv_plan){ .arena = s->arena };
    if (s->keeping != MP_KEEP_UNCHOSEN) return MP_OK;
    mp_arena *a = mp_arena_new(65536);
    bool *chosen = MP_NEW(a, bool, s->plan.count + 1);
    mp_err e = MP_OK;
    out->run = MP_NEW(s->arena, mp_cv_run, s->plan.count + 1);
    for (int i = 0; i < s->rows && e == MP_OK; i++) e = mark_chosen(s, &s->row[i], chosen);
    for (int i = 0; i < s->plan.count && e == MP_OK; i++) {
        bool there = true;
        if (chosen[i]) e = take(s, &s->plan.run[i], a, &there);
        if (!there) out->run[out->count++] = s->plan.run[i];
    }
    s->keeping = MP_KEEP_CHOSEN;
    mp_arena_free(a);
    return e;
}

static mp_err count_lost(mp_study *s, const mp_cv_plan *p, int *lost)
{
    *lost = 0;
    for (int i = 0; i < p->count; i++) {
        mp_run_status status;
        bool there = true;
        MP_TRY(mp_store_has(s->store, &p->run[i].key, &status));
        if (status == MP_RUN_DONE) MP_TRY(mp_models_has(s, &p->run[i].key, &there));
        *lost += !there;
    }
    return MP_OK;
}

static void remove_unchosen(mp_study *s)
{
    mp_arena *a = mp_arena_new(65536);
    s->keeping = MP_KEEP_UNCHOSEN;
    for (int i = 0; i < s->plan.count; i++) unlink(mp_study_model_path(s, &s->plan.run[i].key, a));
    rmdir(folder_of(s, a)); /* stays when it holds files of another study */
    s->keeping = MP_KEEP_CHOSEN;
    mp_arena_free(a);
}

/* A result that an earlier start could not store is taken from its file, and its model may be in another folder. */
mp_err mp_models_end(mp_study *s)
{
    int lost = 0;
    if (s->keeping == MP_KEEP_ALL || s->keeping == MP_KEEP_CHOSEN) MP_TRY(count_lost(s, &s->share, &lost));
    if (s->keeping == MP_KEEP_CHOSEN) remove_unchosen(s);
    if (lost)
        mp_listener_bad(&s->listener, NULL, "%d models are not in %s; the same command trains them", lost,
                        s->models_all ? s->models_all : s->models);
    return MP_OK;
}
