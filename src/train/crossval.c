/* crossval.c - see crossval.h.
 * SPDX-License-Identifier: MIT */
#include "train/crossval.h"
#include "train/jobs.h"
#include "train/once.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SAVE_SECONDS 10.0 /* shorter runs never touch the disk */
#define NEWS_SECONDS 0.25

/* ---- the plan ---- */

static bool planned(const mp_cv_plan *p, const mp_cv_run *r)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->run[i].identity, r->identity) == 0) return true;
    return false;
}

static void append(mp_cv_plan *p, const mp_cv_run *r)
{
    if (p->count == p->cap) {
        int cap = 2 * p->cap + 64;
        mp_cv_run *more = MP_NEW(p->arena, mp_cv_run, cap);
        if (p->count) memcpy(more, p->run, sizeof *more * (size_t)p->count);
        p->run = more;
        p->cap = cap;
    }
    p->run[p->count++] = *r;
}

void mp_cv_add(mp_cv_plan *p, const mp_dataset *d, const mp_folds *f, const mp_config *config, int seeds)
{
    for (int s = 0; s < seeds; s++) {
        mp_config c = *config;
        c.seed += s;
        for (int i = 0; i < f->count; i++) {
            mp_cv_run r = { .key = mp_run_key_of(d, f, &f->split[i], &c), .data = d, .split = &f->split[i] };
            mp_run_identity(&r.key, r.identity);
            if (!planned(p, &r)) append(p, &r);
        }
    }
}

int mp_grid_points(mp_grid grid, const mp_config *config, mp_config out[MP_GRID_MOST])
{
    static const struct {
        int score_dims[3], dims;
        double drops[3];
        int rates;
    } grids[] = {
        [MP_GRID_CODE] = { { 1, 5, 9 }, 3, { 0, 0.1, 0.2 }, 3 },
        [MP_GRID_PAPER] = { { 5, 9 }, 2, { 0.1, 0.2 }, 2 },
    };
    int n = 0;
    if (grid == MP_GRID_NONE) out[n++] = *config;
    for (int i = 0; grid != MP_GRID_NONE && i < grids[grid].dims; i++) {
        for (int j = 0; j < grids[grid].rates; j++) {
            out[n] = *config;
            out[n].flip = 1;
            out[n].score_dim = grids[grid].score_dims[i];
            out[n++].drop = grids[grid].drops[j];
        }
    }
    return n;
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
    char path[4096];
    mp_fit_options fit = {
        .news = tell, .state = s, .identity = r->identity, .stop = mp_worker_stop(w), .save_every = SAVE_SECONDS
    };
    if (s->o->resume_dir) {
        snprintf(path, sizeof path, "%s/%.24s.part", s->o->resume_dir, r->identity);
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
