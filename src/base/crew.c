/* crew.c - see crew.h. Every thread has a share of the indices, handed out by an atomic counter; who is done with his
 * own helps with the next one's. So in orders of the same kind a thread meets the same indices again, and what it wrote
 * for them is still near it: two processors may be far apart. A new order wakes the threads. Threads that an order has
 * nothing for go on waiting, and nobody waits for them.
 *
 * Whoever waits looks at an atomic number for a while before it sleeps: the next batch usually comes within
 * microseconds, and waking a sleeper takes longer than that. Where threads outnumber processors nobody spins.
 * SPDX-License-Identifier: MIT */
#include "base/crew.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/flush.h"
#include "base/guard.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define SPINS 4000 /* a tenth of a millisecond or so */

typedef struct member {
    struct mp_crew *crew;
    pthread_t thread;
    int number;
} member;

typedef struct share {
    _Alignas(64) atomic_int next; /* a line of its own */
    int end;
} share;

struct mp_crew {
    int size;
    member *members; /* of the other threads */
    share *shares;   /* of all of them       */
    int spins;       /* looks before sleeping */
    pthread_mutex_t lock;
    pthread_cond_t start, end;
    atomic_ullong order; /* generation, and in the low half how many threads take part */
    atomic_int busy;
    bool stop;
    mp_failure failure; /* under `lock`: what the first thread gave up with in this order */
    void (*work)(void *, int, int);
    void *arg;
};

typedef struct turn { /* of one thread in one order */
    mp_crew *crew;
    int worker, threads;
} turn;

static mp_err take_shares(void *arg)
{
    const turn *t = arg;
    mp_crew *c = t->crew;
    unsigned before = mp_flush_on();
    for (int k = 0; k < t->threads; k++) {
        share *s = &c->shares[(t->worker + k) % t->threads];
        for (int i; (i = atomic_fetch_add(&s->next, 1)) < s->end;) c->work(c->arg, i, t->worker);
    }
    mp_flush_off(before);
    return MP_OK;
}

/* A thread that gives up leaves the rest of its share to the others. */
static void take(mp_crew *c, int worker, int threads)
{
    mp_err e = mp_guarded(take_shares, &(turn){ c, worker, threads });
    if (e == MP_OK) return;
    pthread_mutex_lock(&c->lock);
    if (c->failure.e == MP_OK) mp_failure_keep(&c->failure, e);
    pthread_mutex_unlock(&c->lock);
}

static void rest(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Until there is another order than `seen`. */
static unsigned long long await_order(mp_crew *c, unsigned long long seen)
{
    unsigned long long now = seen;
    for (int i = 0; i < c->spins; i++, rest())
        if ((now = atomic_load(&c->order)) != seen) return now;
    pthread_mutex_lock(&c->lock);
    while ((now = atomic_load(&c->order)) == seen) pthread_cond_wait(&c->start, &c->lock);
    pthread_mutex_unlock(&c->lock);
    return now;
}

/* Until all others are done. */
static void await_end(mp_crew *c)
{
    for (int i = 0; i < c->spins; i++, rest())
        if (atomic_load(&c->busy) == 0) return;
    pthread_mutex_lock(&c->lock);
    while (atomic_load(&c->busy) > 0) pthread_cond_wait(&c->end, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static void begin(mp_crew *c, int threads)
{
    unsigned long long generation = (atomic_load(&c->order) >> 32) + 1;
    pthread_mutex_lock(&c->lock);
    atomic_store(&c->order, generation << 32 | (unsigned)threads);
    pthread_cond_broadcast(&c->start);
    pthread_mutex_unlock(&c->lock);
}

static void *member_main(void *p)
{
    member *m = p;
    mp_crew *c = m->crew;
    for (unsigned long long seen = 0;;) {
        seen = await_order(c, seen);
        if ((unsigned)m->number >= (unsigned)seen) continue; /* others do it all */
        if (c->stop) return NULL;
        take(c, m->number, (int)(unsigned)seen);
        if (atomic_fetch_sub(&c->busy, 1) > 1) continue;
        pthread_mutex_lock(&c->lock); /* the last one; the lock, so that the signal cannot fall between look and wait */
        pthread_cond_signal(&c->end);
        pthread_mutex_unlock(&c->lock);
    }
}

int mp_cpu_count(void)
{
    cpu_set_t set; /* what this process may use, which a container can make less than what the machine has */
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

mp_crew *mp_crew_new(int threads)
{
    mp_assert(threads >= 1);
    mp_crew *c = mp_get_zero(1, sizeof *c);
    member *members = mp_get_zero((size_t)threads, sizeof *members);
    share *shares = mp_get((size_t)threads * sizeof *shares, _Alignof(share));
    if (!c || !members || !shares) {
        mp_put(c);
        mp_put(members);
        mp_put(shares);
        mp_give_up(mp_no_memory(sizeof *c + (size_t)threads * (sizeof *members + sizeof *shares)));
    }
    c->members = members;
    c->shares = shares;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->start, NULL);
    pthread_cond_init(&c->end, NULL);
    c->size = 1;
    c->spins = threads <= mp_cpu_count() ? SPINS : 0;
    for (int i = 1; i < threads; i++) { /* a system that refuses a thread gets the same result with fewer */
        c->members[i] = (member){ .crew = c, .number = i };
        if (pthread_create(&c->members[i].thread, NULL, member_main, &c->members[i]) != 0) break;
        c->size++;
    }
    return c;
}

void mp_crew_free(mp_crew *c)
{
    if (!c) return;
    c->stop = true;
    begin(c, c->size);
    for (int i = 1; i < c->size; i++) pthread_join(c->members[i].thread, NULL);
    pthread_cond_destroy(&c->start);
    pthread_cond_destroy(&c->end);
    pthread_mutex_destroy(&c->lock);
    mp_put(c->members);
    mp_put(c->shares);
    mp_put(c);
}

int mp_crew_size(const mp_crew *c)
{
    return c->size;
}

void mp_crew_run(mp_crew *c, int count, void (*work)(void *, int, int), void *arg)
{
    if (c->size == 1 || count <= 1) {
        unsigned before = mp_flush_on();
        for (int i = 0; i < count; i++) work(arg, i, 0);
        mp_flush_off(before);
        return;
    }
    c->work = work;
    c->arg = arg;
    int threads = count < c->size ? count : c->size;
    for (int i = 0; i < threads; i++) {
        atomic_init(&c->shares[i].next, (int)((int64_t)count * i / threads));
        c->shares[i].end = (int)((int64_t)count * (i + 1) / threads);
    }
    atomic_store(&c->busy, threads - 1);
    begin(c, threads);
    take(c, 0, threads);
    await_end(c);
    mp_err e = mp_failure_again(&c->failure);
    c->failure.e = MP_OK;
    if (e != MP_OK) mp_give_up(e);
}
