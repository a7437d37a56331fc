/* relay.c - see relay.h. Pieces are numbered as they are taken and used in turn: number n is piece n mod count. Who finishes
 * the piece that is due gives it, and those behind it that are done as well.
 * SPDX-License-Identifier: MIT */
#include "base/relay.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/guard.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct slot {
    void *piece;
    bool have, done;    /* it was taken, not only tried; its work is over */
    mp_failure failure; /* of taking, working or giving */
} slot;

typedef struct race {
    const mp_relay *how;
    void *arg;
    pthread_mutex_t in, out; /* `in` may be held when `out` is asked for, not the other way round */
    pthread_cond_t freed;    /* `given` has grown */
    slot *slots;
    int count;
    int64_t taken; /* under `in`  */
    bool closed;   /* under `in`: nothing more is taken */
    int64_t given; /* under `out` */
    slot *failed;  /* under `out`: the first in order that failed; nothing behind it is given */
} race;

typedef struct runner {
    race *race;
    pthread_t thread;
    int number;
} runner;

typedef struct step { /* one step of a piece, guarded: a lock may be held around it */
    const race *race;
    slot *slot;
    int thread;
} step;

static mp_err take_step(void *p)
{
    step *s = p;
    return s->race->how->take(s->race->arg, s->slot->piece, &s->slot->have);
}

static mp_err work_step(void *p)
{
    step *s = p;
    return s->race->how->work(s->race->arg, s->slot->piece, s->thread);
}

static mp_err give_step(void *p)
{
    step *s = p;
    return s->race->how->give(s->race->arg, s->slot->piece);
}

/* False when one failed: then there is nothing to wait for. */
static bool wait_until_free(race *r, int64_t number)
{
    pthread_mutex_lock(&r->out);
    while (!r->failed && number - r->given >= r->count) pthread_cond_wait(&r->freed, &r->out);
    bool go_on = !r->failed;
    pthread_mutex_unlock(&r->out);
    return go_on;
}

/* NULL at the end of the stream. A failure to take is a piece too: it waits for its turn like the others. */
static slot *take(race *r)
{
    slot *s = NULL;
    pthread_mutex_lock(&r->in);
    if (!r->closed && wait_until_free(r, r->taken)) {
        s = &r->slots[r->taken % r->count];
        s->have = false;
        mp_failure_keep(&s->failure, mp_guarded(take_step, &(step){ r, s, 0 }));
        if (s->failure.e != MP_OK) s->have = false;
        r->closed = !s->have;
        if (!s->have && s->failure.e == MP_OK) s = NULL;
        r->taken += s != NULL;
    }
    pthread_mutex_unlock(&r->in);
    return s;
}

static void give_one(race *r, slot *s)
{
    mp_err e = s->have ? mp_guarded(give_step, &(step){ r, s, 0 }) : MP_OK;
    if (e != MP_OK) mp_failure_keep(&s->failure, e);
    if (s->failure.e != MP_OK) r->failed = s;
}

static void give_what_is_due(race *r, slot *mine)
{
    pthread_mutex_lock(&r->out);
    mine->done = true;
    for (slot *s; s = &r->slots[r->given % r->count], s->done && !r->failed; r->given++) {
        s->done = false;
        give_one(r, s);
    }
    pthread_cond_broadcast(&r->freed);
    pthread_mutex_unlock(&r->out);
}

static void *run(void *p)
{
    runner *me = p;
    race *r = me->race;
    for (slot *s; (s = take(r)) != NULL;) {
        if (s->have) mp_failure_keep(&s->failure, mp_guarded(work_step, &(step){ r, s, me->number }));
        give_what_is_due(r, s);
    }
    return NULL;
}

static mp_err run_all(race *r, int threads)
{
    runner *all = mp_get_zero((size_t)threads, sizeof *all);
    if (!all) return mp_no_memory((size_t)threads * sizeof *all);
    for (int i = 0; i < threads; i++) all[i] = (runner){ .race = r, .number = i };
    int started = 1; /* the caller; a system that refuses a thread gets the same result with fewer */
    while (started < threads && pthread_create(&all[started].thread, NULL, run, &all[started]) == 0) started++;
    run(&all[0]);
    for (int i = 1; i < started; i++) pthread_join(all[i].thread, NULL);
    mp_put(all);
    return r->failed ? mp_failure_again(&r->failed->failure) : MP_OK;
}

mp_err mp_relay_run(const mp_relay *how, void *arg, void *const *piece, int count, int threads)
{
    mp_assert(threads >= 1 && count >= threads);
    race r = { .how = how, .arg = arg, .count = count, .slots = mp_get_zero((size_t)count, sizeof(slot)) };
    if (!r.slots) return mp_no_memory((size_t)count * sizeof(slot));
    for (int i = 0; i < count; i++) r.slots[i].piece = piece[i];
    pthread_mutex_init(&r.in, NULL);
    pthread_mutex_init(&r.out, NULL);
    pthread_cond_init(&r.freed, NULL);
    mp_err e = run_all(&r, threads);
    pthread_cond_destroy(&r.freed);
    pthread_mutex_destroy(&r.out);
    pthread_mutex_destroy(&r.in);
    mp_put(r.slots);
    return e;
}
