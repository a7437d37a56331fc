/* share.c - what a study tells the store, and hears from it, of other programs at work.
 * SPDX-License-Identifier: MIT */
#include "study/share.h"
#include "base/clock.h"
#include "base/halt.h"
#include "base/sha256.h"
#include "store/work.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static int by_text(const void *p, const void *q)
{
    return memcmp(p, q, 65);
}

/* Over the sorted keys: programs that have the same runs to do say the same. */
static void hash_plan(const mp_study *s, char hex[65])
{
    mp_arena *a = mp_arena_new(65536);
    char(*key)[65] = mp_arena_zero(a, (size_t)s->share.count, sizeof *key);
    for (int i = 0; i < s->share.count; i++) mp_run_key_hash(&s->share.run[i].key, key[i]);
    qsort(key, (size_t)s->share.count, sizeof *key, by_text);
    mp_sha256_hex(key, (size_t)s->share.count * sizeof *key, hex);
    mp_arena_free(a);
}

mp_err mp_study_patiently(const mp_study *s, int seconds, mp_err (*ask)(void *arg), void *arg)
{
    double until = mp_seconds() + seconds;
    bool said = false;
    mp_err e;
    while ((e = ask(arg)) == MP_ERR_BUSY && mp_seconds() < until && !*mp_halt_asked()) {
        if (!said) mp_listener_line(&s->listener, "waiting up to %d s: %s", seconds, mp_message());
        said = true;
        mp_listener_now(&s->listener, "waiting: %s", mp_message());
        nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
    }
    return e;
}

typedef struct opening {
    mp_study *study;
    mp_store_mode mode;
} opening;

static mp_err open_store(void *arg)
{
    const opening *o = arg;
    return mp_store_open(o->study->store_path, o->mode, &o->study->store);
}

mp_err mp_study_open(mp_study *s, mp_store_mode mode)
{
    return mp_study_patiently(s, MP_STORE_SECONDS_FIRST, open_store, &(opening){ s, mode });
}

typedef struct beginning {
    mp_store *store;
    mp_work_plan plan;
} beginning;

static mp_err work_begin(void *arg)
{
    const beginning *b = arg;
    return mp_store_work_begin(b->store, &b->plan);
}

static mp_err begin(void *state, const mp_cv_count *c)
{
    mp_study *s = state;
    char hash[65];
    hash_plan(s, hash);
    return mp_study_patiently(s, MP_STORE_SECONDS, work_begin,
                              &(beginning){ s->store, { s->command, hash, c->total, c->known } });
}

/* What cannot be said now is said the next time, or was said for too long by somebody who is dead. */
static void beat(void *state, const mp_cv_count *c, const mp_claim_news *news, int n)
{
    mp_study *s = state;
    if (mp_store_beat(s->store, c->known + c->done, news, n) != MP_OK) return;
}

static void on_waiting(void *state, const mp_cv_count *c)
{
    mp_study *s = state;
    if (!s->waits)
        mp_listener_line(&s->listener, "waiting for runs that other programs are training, %d now; they are in %s",
                         c->waiting, s->store_path);
    s->waits = true;
    mp_listener_now(&s->listener, "%d/%d waiting for %d of other programs\t in %s", c->known + c->done + c->failed,
                    c->total, c->waiting, s->store_path);
}

static void end(void *state)
{
    mp_study *s = state;
    if (mp_store_work_end(s->store) != MP_OK) return; /* the process is gone in a moment, and so are its claims */
}

void mp_study_share(mp_cv_options *o)
{
    o->begin = begin;
    o->beat = beat;
    o->waiting = on_waiting;
    o->end = end;
}
