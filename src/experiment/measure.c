/* measure.c - measurements of experiments: known by what they are of, made in forked workers, kept in the store.
 * SPDX-License-Identifier: MIT */
#include "base/crew.h"
#include "base/sha256.h"
#include "experiment/lab_own.h"
#include "model/checkpoint.h"
#include "train/jobs.h"
#include "train/ranks.h"

#include <string.h>
#include <unistd.h>

static const char *what_of(const mp_probe *p, const mp_cv_run *run, const char *arg, mp_arena *a)
{
    mp_buf b = { 0 };
    mp_json_open(&b, '{');
    mp_json_add_text(&b, "measure", p->name);
    if (run) {
        char hash[65];
        mp_run_key_hash(&run->key, hash);
        mp_json_add_text(&b, "run", hash);
    }
    if (arg) {
        mp_json_key(&b, "arg");
        mp_json_put_raw(&b, arg);
    }
    mp_json_close(&b, '}');
    const char *text = mp_arena_text(a, b.p, b.n);
    mp_buf_free(&b);
    return text;
}

static mp_lab_measure_own *find(mp_lab *lab, const char *what)
{
    for (int i = 0; i < lab->measures; i++)
        if (strcmp(lab->measure[i].what, what) == 0) return &lab->measure[i];
    return NULL;
}

mp_err mp_lab_measure(mp_lab *lab, const mp_probe *p, const mp_cv_run *run, const char *arg, const mp_json **value)
{
    const char *what = what_of(p, run, arg, lab->arena);
    mp_lab_measure_own *m = find(lab, what);
    if (!m) {
        if (lab->measures == lab->measures_room) {
            lab->measures_room = mp_room(lab->measures_room, (int64_t)lab->measures + 1, 64, "measurements");
            MP_MORE(lab->arena, lab->measure, lab->measures, lab->measures_room);
        }
        m = &lab->measure[lab->measures++];
        *m = (mp_lab_measure_own){ .what = what, .probe = p, .fresh = true };
        if (arg) m->arg = mp_arena_text(lab->arena, arg, strlen(arg));
        if (run) m->run = *run;
        if (run && !p->untrained) m->model_path = mp_study_model_path(&lab->study[1], &run->key, lab->arena);
        lab->fresh_measures++;
    }
    *value = m->value;
    return MP_OK;
}

/* ---- looking up and measuring ---- */

typedef struct work {
    mp_lab *lab;
    mp_store *store;
    int *todo, count, done;
    int threads;
} work;

static mp_err take(const mp_lab *lab, mp_lab_measure_own *m, const char *text)
{
    return mp_json_parse(mp_span_of(text), m->what, lab->arena, &m->value);
}

static mp_err probe(void *state, int job, mp_worker *unused, mp_buf *answer)
{
    (void)unused;
    const work *w = state;
    const mp_lab_measure_own *m = &w->lab->measure[w->todo[job]];
    mp_arena *a = mp_arena_new(1 << 20);
    mp_probe_in in = { .threads = w->threads };
    mp_about about;
    mp_err e = MP_OK;
    if (m->run.data) in.run = &m->run;
    if (m->model_path) e = mp_checkpoint_load(m->model_path, a, &in.model, &about);
    if (e == MP_OK && m->arg) e = mp_json_parse(mp_span_of(m->arg), m->probe->name, a, &in.arg);
    if (e == MP_OK) e = m->probe->run(&in, a, answer);
    mp_arena_free(a);
    return e;
}

static mp_err keep(void *state, int job, mp_span answer)
{
    work *w = state;
    mp_lab_measure_own *m = &w->lab->measure[w->todo[job]];
    const char *text = mp_arena_text(w->lab->arena, answer.p, answer.n);
    MP_TRY(take(w->lab, m, text));
    MP_TRY(mp_store_measure_put(w->store, m->what, text));
    mp_listener_line(&w->lab->o.listener, "%d/%d %s", ++w->done, w->count, m->what);
    return MP_OK;
}

static mp_err lose(void *state, int job, mp_err why, const char *message)
{
    work *w = state;
    (void)why;
    mp_listener_bad(&w->lab->o.listener, NULL, "%s: %s", w->lab->measure[w->todo[job]].what, message);
    return MP_OK;
}

bool mp_lab_measure_is_ours(const mp_lab *lab, const mp_lab_measure_own *m)
{
    char hash[65];
    if (lab->o.part.n == 0) return true;
    if (m->model_path)
        mp_run_key_hash(&m->run.key, hash);
    else
        mp_sha256_hex(m->what, strlen(m->what), hash);
    return mp_part_has(lab->o.part, hash);
}

/* A measurement of a run whose model is not there waits for it: the run failed, or nothing is to be trained. */
static bool can_be_made(const mp_lab_measure_own *m, bool alone)
{
    return m->fresh && !m->value && m->probe->alone == alone && (!m->model_path || access(m->model_path, R_OK) == 0);
}

static mp_err measure_those(mp_lab *lab, mp_store *store, bool alone)
{
    work w = { .lab = lab, .store = store, .todo = MP_NEW(lab->arena, int, lab->measures + 1) };
    mp_jobs_count count;
    for (int i = 0; i < lab->measures; i++)
        if (can_be_made(&lab->measure[i], alone) && mp_lab_measure_is_ours(lab, &lab->measure[i]))
            w.todo[w.count++] = i;
    if (!w.count) return MP_OK;
    bool many =
        mp_ranks_workers() && lab->o.jobs > mp_cpu_count(); /* jobs are ranks, and measuring is done on this machine */
    w.threads = alone ? mp_cpu_count() : 1;
    mp_jobs jobs = { .count = w.count,
                     .workers = alone  ? 1
                                : many ? mp_cpu_count()
                                       : lab->o.jobs,
                     .state = &w,
                     .work = probe,
                     .done = keep,
                     .failed = lose };
    MP_TRY(mp_jobs_run(&jobs, &count));
    if (count.interrupted)
        return mp_fail(MP_ERR_IO, "stopped with %d of %d measurements in %s; the same command continues: %s",
                       count.done, w.count, lab->o.store_path, lab->o.command);
    return MP_OK;
}

static mp_err look_up(mp_lab *lab, mp_store *store)
{
    for (int i = 0; i < lab->measures; i++) {
        mp_lab_measure_own *m = &lab->measure[i];
        const char *text;
        if (!m->fresh) continue;
        MP_TRY(mp_store_measure_get(store, m->what, lab->arena, &text));
        if (text) MP_TRY(take(lab, m, text));
    }
    return MP_OK;
}

mp_err mp_lab_measure_all(mp_lab *lab)
{
    mp_store *store;
    mp_err e = MP_OK;
    if (!lab->fresh_measures) return MP_OK;
    bool there = mp_store_there(lab->o.store_path);
    if (there || !lab->o.still) {
        MP_TRY(mp_store_open(lab->o.store_path, lab->o.still ? MP_STORE_READ : MP_STORE_WRITE, &store));
        e = look_up(lab, store);
        if (e == MP_OK && !lab->o.still) e = measure_those(lab, store, false);
        if (e == MP_OK && !lab->o.still) e = measure_those(lab, store, true);
        mp_store_close(store);
    }
    for (int i = 0; i < lab->measures; i++) lab->measure[i].fresh = false;
    lab->fresh_measures = 0;
    return e;
}
