/* crossval.c - see crossval.h.
 * SPDX-License-Identifier: MIT */
#include "train/crossval.h"
#include "base/clock.h"
#include "base/halt.h"
#include "base/rng.h"
#include "data/parcel.h"
#include "train/jobs.h"
#include "train/kept.h"
#include "train/once.h"
#include "train/order.h"
#include "train/queue.h"
#include "train/ranks.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRY_SECONDS 2.0 /* between two attempts to store what was set aside */

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
    if (more <= p->cap - p->count) return;
    p->cap = mp_room(p->cap, (int64_t)p->count + more, 0, "runs");
    MP_MORE(p->arena, p->run, p->count, p->cap);
    for (p->slots = 64; p->slots < 2 * p->cap; p->slots *= 2) {}
    p->slot = MP_NEW(p->arena, int, p->slots);
    for (int i = 0; i < p->count; i++)
        *slot_of(p, p->run[i].family, p->run[i].key.config.seed, p->run[i].key.fold) = i + 1;
}

static const char *family_of(const mp_run_key *key, mp_arena *a)
{
    mp_run_key k = *key;
    char *hex = MP_NEW(a, char, 65);
    k.fold = k.config.seed = 0;
    mp_run_identity(&k, hex);
    return hex;
}

/* On splits `from` .. `to` - 1 of the folds. */
static void add(mp_cv_plan *p, const mp_dataset *d, const mp_folds *f, int from, int to, const mp_config *config,
                int seeds, int *place)
{
    int each = to - from;
    mp_assert(each > 0 && seeds <= MP_CV_MOST / each - p->count / each);
    mp_assert(seeds - 1 <= INT_MAX - config->seed);
    mp_cv_run r = { .key = mp_run_key_of(d, f, &f->split[0], config), .data = d };
    r.family = family_of(&r.key, p->arena);
    reserve(p, seeds * each);
    for (int s = 0; s < seeds; s++) {
        for (int i = from; i < to; i++) {
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

void mp_cv_add(mp_cv_plan *p, const mp_dataset *d, const mp_folds *f, const mp_config *config, int seeds, int *place)
{
    add(p, d, f, 0, f->count, config, seeds, place);
}

int mp_cv_add_one(mp_cv_plan *p, const mp_dataset *d, const mp_folds *f, int at, const mp_config *config)
{
    int place;
    add(p, d, f, at, at + 1, config, 1, &place);
    return place;
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

typedef struct aside { /* a result that is not stored yet */
    int place;         /* in the plan */
    bool on_disk;
    mp_run_result result;
} aside;

typedef struct named { /* a data set, and what its parcel is called */
    const mp_dataset *set;
    char name[MP_SEAL_DIGITS + 1];
} named;

typedef struct study {
    mp_arena *arena;
    const mp_cv_plan *plan;
    const mp_cv_options *o;
    mp_cv_count *count;
    mp_queue queue;      /* what is to be done */
    aside *aside;        /* count->aside of them */
    int room;            /* for so many */
    bool left_before;    /* the folder of unfinished runs was there at the start */
    double start, tried; /* when all began, and the last attempt to store what was set aside */
    double run_seconds;  /* of the runs finished now, added up */
    mp_halt halt;        /* while runs are trained and stored */
    named *data;         /* data sets that were packed */
    int sets, sets_room;
} study;

static const mp_cv_run *run_of(const study *s, int job)
{
    return &s->plan->run[s->queue.todo[job]];
}

static const mp_cv_count *update(study *s)
{
    mp_cv_count *c = s->count;
    int ahead = c->total - c->known - c->done - c->failed, workers = ahead < s->o->jobs ? ahead : s->o->jobs;
    c->seconds = mp_seconds() - s->start;
    c->left = c->done ? s->run_seconds / c->done * ahead / (workers > 0 ? workers : 1) : -1;
    return c;
}

/* ---- files of a run in the folder of unfinished runs ---- */

static const char part[] = "part", done[] = "done"; /* not finished; finished but not stored */

static bool file_of(const study *s, const char *identity, const char *kind, char out[PATH_MAX])
{
    return mp_order_file(s->o->resume_dir, identity, kind, out, PATH_MAX);
}

static void remove_files(const study *s, const mp_cv_run *r)
{
    char path[PATH_MAX], identity[65];
    mp_run_identity(&r->key, identity);
    if (file_of(s, identity, part, path)) unlink(path);
    if (file_of(s, identity, done, path)) unlink(path);
}

/* ---- runs for workers ---- */

static mp_order order_of(const study *s, int job)
{
    const mp_cv_options *o = s->o;
    return (mp_order){ *run_of(s, job), .threads = o->threads, .group = o->group, .model = o->model,
                       .resume_dir = o->resume_dir };
}

static mp_err work(void *state, int job, mp_worker *w, mp_buf *answer)
{
    mp_order o = order_of(state, job);
    return mp_order_work(&o, w, answer);
}

static mp_err pack_data(void *state, int which, mp_buf *out)
{
    const study *s = state;
    mp_dataset_pack(s->data[which].set, out);
    return MP_OK;
}

/* The place of a data set among those that were asked for, with the name of its parcel. */
static int place_of(study *s, const mp_dataset *d)
{
    for (int i = 0; i < s->sets; i++)
        if (s->data[i].set == d) return i;
    if (s->sets == s->sets_room) {
        s->sets_room = mp_room(s->sets_room, (int64_t)s->sets + 1, 8, "data sets");
        MP_MORE(s->arena, s->data, s->sets, s->sets_room);
    }
    mp_buf bytes = MP_BUF_LOCAL;
    mp_dataset_pack(d, &bytes);
    named *n = &s->data[s->sets];
    n->set = d;
    snprintf(n->name, sizeof n->name, "%.*s", MP_SEAL_DIGITS, bytes.p);
    mp_buf_free(&bytes);
    return s->sets++;
}

static mp_err pack(void *state, int job, mp_buf *out, int *thing)
{
    study *s = state;
    mp_order o = order_of(s, job);
    *thing = place_of(s, o.run.data);
    snprintf(o.data, sizeof o.data, "%s", s->data[*thing].name);
    mp_order_pack(&o, out);
    return MP_OK;
}

/* ---- storing ---- */

static void note_run(const study *s, const mp_cv_run *r, const char *line)
{
    if (s->o->note) s->o->note(s->o->state, &r->key, line);
}

static mp_err store(study *s, int place, const mp_run_result *result)
{
    const mp_cv_run *r = &s->plan->run[place];
    MP_TRY(s->o->put(s->o->state, &r->key, result));
    remove_files(s, r); /* not before the result is safe */
    return MP_OK;
}

static bool keep_file(const study *s, const mp_cv_run *r, const mp_run_result *result)
{
    char path[PATH_MAX], identity[65];
    mp_run_identity(&r->key, identity);
    return file_of(s, identity, done, path) && mp_kept_save(path, identity, result) == MP_OK;
}

/* A result that is in a file may wait for anything, one that is in memory alone only for a program that is using the store. */
static mp_err set_aside(study *s, int place, const mp_run_result *result, mp_err e)
{
    const mp_cv_run *r = &s->plan->run[place];
    char why[1024], line[1200];
    snprintf(why, sizeof why, "%s", mp_message());
    bool on_disk = keep_file(s, r, result);
    if (!on_disk && e != MP_ERR_BUSY) return mp_fail(e, "%s", why);
    snprintf(line, sizeof line, "not stored yet, the result is kept and tried again: %s", why);
    if (s->count->aside == 0) note_run(s, r, line);
    if (s->count->aside == s->room) {
        s->room = mp_room(s->room, (int64_t)s->count->aside + 1, 16, "results");
        MP_MORE(s->arena, s->aside, s->count->aside, s->room);
    }
    s->aside[s->count->aside++] = (aside){ place, on_disk, *result };
    s->tried = mp_seconds();
    return MP_OK;
}

static mp_err store_aside(study *s)
{
    s->tried = mp_seconds();
    while (s->count->aside > 0) {
        const aside *next = &s->aside[s->count->aside - 1];
        MP_TRY(store(s, next->place, &next->result));
        s->count->aside--;
    }
    return MP_OK;
}

static void tick(void *state)
{
    study *s = state;
    mp_queue_tick(&s->queue);
    if (s->count->aside == 0 || mp_seconds() - s->tried < TRY_SECONDS) return;
    if (store_aside(s) != MP_OK) return; /* the reason was said when the first was set aside */
}

static void noted(void *state, int job, const char *line)
{
    study *s = state;
    note_run(s, run_of(s, job), line);
}

static mp_err broke(void *state, int job, mp_err why, const char *message)
{
    study *s = state;
    char line[1200];
    (void)why;
    mp_queue_back(&s->queue, job);
    s->count->failed++;
    noted(s, job, message);
    if (s->o->put_failed(s->o->state, &run_of(s, job)->key, message) == MP_OK) return MP_OK;
    snprintf(line, sizeof line, "that it failed is not stored, the next start tries it again: %s", mp_message());
    noted(s, job, line);
    return MP_OK;
}

static mp_err arrived(void *state, int job, mp_span answer)
{
    study *s = state;
    const mp_cv_run *r = run_of(s, job);
    mp_run_result result;
    mp_span model;
    mp_arena_mark here = mp_arena_here(s->arena);
    MP_TRY(mp_answer_unpack(answer, s->arena, &result, &model));
    if (s->o->model && s->o->model(s->o->state, r, model) != MP_OK) {
        char why[MP_MESSAGE];
        snprintf(why, sizeof why, "%s", mp_message());
        return broke(s, job, MP_ERR_IO, why);
    }
    mp_queue_back(&s->queue, job);
    mp_err e = store(s, s->queue.todo[job], &result);
    bool stored = e == MP_OK;
    if (!stored) e = set_aside(s, s->queue.todo[job], &result, e);
    if (e == MP_OK) {
        s->count->done++;
        s->run_seconds += result.seconds;
        if (s->o->done) s->o->done(s->o->state, &r->key, &result, update(s));
    }
    if (stored) mp_arena_back(s->arena, here);
    return e;
}

static void heard(void *state, int job, mp_span what)
{
    study *s = state;
    mp_fit_news n;
    if (what.n != sizeof n) return;
    memcpy(&n, what.p, sizeof n);
    mp_queue_news(&s->queue, job, &n);
    if (s->o->news) s->o->news(s->o->state, &run_of(s, job)->key, &n, update(s));
}

/* Stores what an earlier start had to leave as a file. False: there is no such file, or it is of no use. */
static bool take_kept(void *state, int place)
{
    study *s = state;
    const mp_cv_run *r = &s->plan->run[place];
    char path[PATH_MAX], line[1200], identity[65];
    mp_run_result result;
    mp_run_identity(&r->key, identity);
    if (!file_of(s, identity, done, path) || access(path, F_OK) != 0) return false;
    if (mp_kept_load(path, identity, s->arena, &result) != MP_OK) {
        snprintf(line, sizeof line, "the run is done again: %s", mp_message());
        note_run(s, r, line);
        return false;
    }
    mp_err e = store(s, place, &result);
    if (e != MP_OK) e = set_aside(s, place, &result, e);
    return e == MP_OK;
}

static mp_err leave_out_known(study *s)
{
    s->left_before = s->o->resume_dir && access(s->o->resume_dir, F_OK) == 0;
    for (int i = 0; i < s->plan->count; i++) {
        bool known = false;
        MP_TRY(s->o->has(s->o->state, &s->plan->run[i].key, &known));
        if (known && s->left_before) remove_files(s, &s->plan->run[i]); /* of a start that was killed just then */
        if (known || (s->left_before && take_kept(s, i)))
            s->count->known++;
        else
            s->queue.todo[s->queue.n_todo++] = i;
    }
    return MP_OK;
}

static mp_err make_dir(const char *path)
{
    if (!path || mkdir(path, 0777) == 0 || errno == EEXIST) return MP_OK;
    return mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno));
}

static mp_err give_up(study *s, mp_err e)
{
    int n = s->count->aside, lost = 0;
    char why[1024];
    snprintf(why, sizeof why, "%s", mp_message());
    for (const aside *a = s->aside; a < s->aside + n; a++)
        lost += !a->on_disk && !keep_file(s, &s->plan->run[a->place], &a->result);
    if (lost) return mp_fail(e, "%d finished run%s lost: %s", lost, lost == 1 ? " is" : "s are", why);
    return mp_fail(e, "%d finished run%s kept in %s, the same command stores them without training: %s", n,
                   n == 1 ? " is" : "s are", s->o->resume_dir, why);
}

/* Tries until everything is stored, the time is up or a signal comes. */
static mp_err wait_for_store(study *s)
{
    int n = s->count->aside;
    double until = mp_seconds() + s->o->wait;
    char line[160];
    mp_err e = store_aside(s);
    mp_format(line, sizeof line, "%d finished run%s to be stored; trying for %.0f s (Ctrl-C leaves them for later)", n,
              n == 1 ? " is" : "s are", s->o->wait);
    if (e == MP_ERR_BUSY) note_run(s, &s->plan->run[s->aside[0].place], line);
    while (e == MP_ERR_BUSY && mp_seconds() < until && !*mp_halt_asked()) {
        ppoll(NULL, 0, &(struct timespec){ .tv_nsec = 200000000 }, &s->halt.mask); /* where signals arrive */
        mp_queue_tick(&s->queue);
        e = store_aside(s);
    }
    s->count->interrupted = e != MP_OK && *mp_halt_asked();
    return e == MP_OK ? MP_OK : give_up(s, e);
}

static mp_err store_rest(study *s)
{
    if (s->count->aside && !s->count->interrupted) return wait_for_store(s);
    return store_aside(s) == MP_OK ? MP_OK : give_up(s, MP_ERR_IO);
}

static int next(void *state)
{
    return mp_queue_next(&((study *)state)->queue);
}

static mp_err run_todo(study *s)
{
    MP_TRY(make_dir(s->o->resume_dir)); /* where it cannot be made is seen before the work */
    int n = s->queue.n_todo, side = s->o->jobs, ranks = s->o->group ? 0 : mp_ranks_workers();
    if (ranks && ranks < side) side = ranks;
    mp_jobs jobs = { .count = n,
                     .workers = side < n ? side : n,
                     .threads = s->o->group != NULL,
                     .state = s,
                     .next = next,
                     .work = work,
                     .pack = pack,
                     .pack_thing = pack_data,
                     .done = arrived,
                     .failed = broke,
                     .news = heard,
                     .note = noted,
                     .tick = tick };
    mp_jobs_count count;
    mp_err e = mp_jobs_run(&jobs, &count);
    s->count->interrupted = count.interrupted;
    s->count->retried = count.retried;
    s->count->running = 0;
    if (e == MP_OK && s->queue.lost) return mp_fail_within(MP_ERR_IO, "%d runs are left", s->count->waiting);
    return e;
}

static mp_err run_and_store(study *s)
{
    mp_halt_begin(&s->halt, true); /* over both: a signal in between finds somebody */
    mp_err e = s->queue.n_todo ? run_todo(s) : MP_OK;
    if (e == MP_OK) e = store_rest(s);
    mp_halt_end(&s->halt);
    return e;
}

static mp_err share_todo(study *s)
{
    if (s->o->begin) MP_TRY(s->o->begin(s->o->state, s->count));
    mp_err e = run_and_store(s);
    if (s->o->end) s->o->end(s->o->state); /* not before what is set aside has been tried: until then it is claimed */
    return e;
}

static mp_err go(study *s)
{
    MP_TRY(leave_out_known(s));
    mp_err e = s->queue.n_todo ? share_todo(s) : run_and_store(s);
    if (s->o->resume_dir) rmdir(s->o->resume_dir); /* stays when it holds files, of this study or of another */
    return e;
}

mp_err mp_cv_go(const mp_cv_plan *p, const mp_cv_options *o, mp_cv_count *count)
{
    *count = (mp_cv_count){ .total = p->count, .left = -1 };
    mp_arena *a = mp_arena_new(65536);
    study s = { .arena = a, .plan = p, .o = o, .count = count, .start = mp_seconds() };
    s.queue = (mp_queue){ .plan = p, .o = o, .count = count, .kept = take_kept, .state = &s };
    mp_queue_init(&s.queue, a);
    mp_err e = go(&s);
    update(&s);
    mp_arena_free(a);
    return e;
}
