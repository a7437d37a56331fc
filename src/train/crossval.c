/* crossval.c - see crossval.h.
 * SPDX-License-Identifier: MIT */
#include "train/crossval.h"
#include "base/rng.h"
#include "train/jobs.h"
#include "train/once.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SAVE_SECONDS 10.0 /* shorter runs never touch the disk */
#define NEWS_SECONDS 0.25

/* ---- the plan ---- */

/* Runs of one family differ in seed and fold alone, so that looking a run up costs no text and no SHA-256. */
static uint64_t hash_of(const char *family, int seed, int fold)
{
    uint64_t h;
    memcpy(&h, family, sizeof h);
    return mp_rng_mix(mp_rng_mix(h + (uint64_t)seed) + (uint64_t)fold);
}

/* The slot that has this run, or the free one that it would take. */
static int *slot_of(const mp_cv_plan *p, const char *family, int seed, int fold)
{
    size_t mask = (size_t)p->slots - 1;
    for (size_t i = (size_t)hash_of(family, seed, fold) & mask;; i = (i + 1) & mask) {
        if (p->slot[i] == 0) return &p->slot[i];
        const mp_cv_run *r = &p->run[p->slot[i] - 1];
        if (r->key.config.seed == seed && r->key.fold == fold && strcmp(r->family, family) == 0) return &p->slot[i];
    }
}

/* Room for `more` runs, in a table that is at most half full. */
static void reserve(mp_cv_plan *p, int more)
{
    int need = p->count + more;
    if (need <= p->cap) return;
    int cap = need > 2 * p->cap ? need : 2 * p->cap;
    mp_cv_run *run = MP_NEW_RAW(p->arena, mp_cv_run, cap);
    if (p->count) memcpy(run, p->run, sizeof *run * (size_t)p->count);
    p->run = run;
    p->cap = cap;
    for (p->slots = 64; p->slots < 2 * cap; p->slots *= 2) {}
    p->slot = MP_NEW(p->arena, int, p->slots);
    for (int i = 0; i < p->count; i++) *slot_of(p, run[i].family, run[i].key.config.seed, run[i].key.fold) = i + 1;
}

static const char *family_of(const mp_run_key *key, mp_arena *a)
{
    mp_run_key k = *key;
    char *hex = MP_NEW(a, char, 65);
    k.fold = k.config.seed = 0;
    mp_run_identity(&k, hex);
    return hex;
}

void mp_cv_add(mp_cv_plan *p, const mp_dataset *d, const mp_folds *f, const mp_config *config, int seeds, int *place)
{
    mp_assert(f->count > 0 && seeds <= MP_CV_MOST / f->count - p->count / f->count);
    mp_assert(seeds - 1 <= INT_MAX - config->seed);
    mp_cv_run r = { .key = mp_run_key_of(d, f, &f->split[0], config), .data = d };
    r.family = family_of(&r.key, p->arena);
    reserve(p, seeds * f->count);
    for (int s = 0; s < seeds; s++) {
        for (int i = 0; i < f->count; i++) {
            r.key.config.seed = config->seed + s;
            r.key.fold = f->split[i].fold;
            r.split = &f->split[i];
            int *slot = slot_of(p, r.family, r.key.config.seed, r.key.fold);
            if (*slot == 0) {
                p->run[p->count] = r;
                *slot = ++p->count;
            }
            if (place) *place++ = *slot - 1;
        }
    }
}

/* ---- results through a pipe ---- */

void mp_run_result_pack(const mp_run_result *r, mp_buf *out)
{
    mp_buf_add(out, r, sizeof *r);
    mp_buf_add(out, r->curve, sizeof *r->curve * (size_t)r->curve_len);
}

mp_err mp_run_result_unpack(mp_span bytes, mp_arena *a, mp_run_result *out)
{
    if (bytes.n < sizeof *out) return mp_fail(MP_ERR_INPUT, "a worker sent half a result");
    memcpy(out, bytes.p, sizeof *out);
    size_t curve = sizeof *out->curve * (size_t)out->curve_len;
    if (out->curve_len < 0 || bytes.n != sizeof *out + curve)
        return mp_fail(MP_ERR_INPUT, "a worker sent half a result");
    out->curve = (const mp_epoch *)mp_arena_raw(a, (size_t)out->curve_len, sizeof *out->curve);
    memcpy((void *)(uintptr_t)out->curve, bytes.p + sizeof *out, curve);
    return MP_OK;
}

/* ---- the study ---- */

typedef struct study {
    const mp_cv_plan *plan;
    const mp_cv_options *o;
    mp_cv_count *count;
    int *todo, n_todo;  /* places in the plan */
    double run_seconds; /* of the runs finished now, added up */
    double start;
    mp_worker *worker; /* in a worker: whom to tell */
    double told;
} study;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const mp_cv_run *run_of(const study *s, int job)
{
    return &s->plan->run[s->todo[job]];
}

static const mp_cv_count *update(study *s)
{
    mp_cv_count *c = s->count;
    int finished = c->done + c->failed, ahead = s->n_todo - finished;
    c->seconds = seconds() - s->start;
    c->running = ahead < s->o->jobs ? ahead : s->o->jobs;
    c->left = c->done ? s->run_seconds / c->done * ahead / (c->running > 0 ? c->running : 1) : -1;
    return c;
}

static void tell(void *state, const mp_fit_news *n)
{
    study *s = state;
    if (seconds() - s->told < NEWS_SECONDS) return;
    s->told = seconds();
    mp_worker_tell(s->worker, n, sizeof *n);
}

static mp_err work(void *state, int job, mp_worker *w, mp_buf *answer)
{
    study *s = state;
    const mp_cv_run *r = run_of(s, job);
    char path[4096], identity[65];
    mp_run_identity(&r->key, identity);
    mp_fit_options fit = {
        .news = tell, .state = s, .identity = identity, .stop = mp_worker_stop(w), .save_every = SAVE_SECONDS
    };
    if (s->o->resume_dir) {
        snprintf(path, sizeof path, "%s/%.24s.part", s->o->resume_dir, identity);
        fit.resume = path;
    }
    s->worker = w;
    mp_arena *a = mp_arena_new(1 << 20);
    mp_run_result result;
    mp_err e = mp_run_once(r->data, r->split, &r->key, s->o->threads, &fit, a, &result, NULL);
    if (e == MP_OK) mp_run_result_pack(&result, answer);
    mp_arena_free(a);
    return e;
}

static mp_err arrived(void *state, int job, mp_span answer)
{
    study *s = state;
    const mp_cv_run *r = run_of(s, job);
    mp_arena *a = mp_arena_new(65536);
    mp_run_result result;
    mp_err e = mp_run_result_unpack(answer, a, &result);
    if (e == MP_OK) e = s->o->put(s->o->state, &r->key, &result);
    if (e == MP_OK) {
        s->count->done++;
        s->run_seconds += result.seconds;
        if (s->o->done) s->o->done(s->o->state, &r->key, &result, update(s));
    }
    mp_arena_free(a);
    return e;
}

static void noted(void *state, int job, const char *line)
{
    study *s = state;
    if (s->o->note) s->o->note(s->o->state, &run_of(s, job)->key, line);
}

static mp_err broke(void *state, int job, mp_err why, const char *message)
{
    study *s = state;
    (void)why;
    s->count->failed++;
    noted(s, job, message);
    return s->o->put_failed(s->o->state, &run_of(s, job)->key, message);
}

static void heard(void *state, int job, mp_span what)
{
    study *s = state;
    mp_fit_news n;
    if (what.n != sizeof n || !s->o->news) return;
    memcpy(&n, what.p, sizeof n);
    s->o->news(s->o->state, &run_of(s, job)->key, &n, update(s));
}

static mp_err leave_out_known(study *s)
{
    for (int i = 0; i < s->plan->count; i++) {
        bool known = false;
        MP_TRY(s->o->has(s->o->state, &s->plan->run[i].key, &known));
        if (known)
            s->count->known++;
        else
            s->todo[s->n_todo++] = i;
    }
    return MP_OK;
}

static mp_err make_dir(const char *path)
{
    if (!path || mkdir(path, 0777) == 0 || errno == EEXIST) return MP_OK;
    return mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno));
}

static mp_err go(study *s)
{
    MP_TRY(leave_out_known(s));
    if (s->n_todo == 0) return MP_OK;
    MP_TRY(make_dir(s->o->resume_dir));
    int workers = s->o->jobs < s->n_todo ? s->o->jobs : s->n_todo;
    mp_jobs jobs = { .count = s->n_todo,
                     .workers = workers,
                     .state = s,
                     .work = work,
                     .done = arrived,
                     .failed = broke,
                     .news = heard,
                     .note = noted };
    mp_jobs_count count;
    mp_err e = mp_jobs_run(&jobs, &count);
    s->count->interrupted = count.interrupted;
    s->count->retried = count.retried;
    if (s->o->resume_dir) rmdir(s->o->resume_dir); /* stays when it holds unfinished runs */
    return e;
}

mp_err mp_cv_go(const mp_cv_plan *p, const mp_cv_options *o, mp_cv_count *count)
{
    *count = (mp_cv_count){ .total = p->count, .left = -1 };
    mp_arena *a = mp_arena_new(65536);
    study s = { .plan = p, .o = o, .count = count, .start = seconds() };
    s.todo = MP_NEW(a, int, p->count + 1);
    mp_err e = go(&s);
    update(&s);
    mp_arena_free(a);
    return e;
}
