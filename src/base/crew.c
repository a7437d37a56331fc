/* crew.c - see crew.h. Indices are handed out by an atomic counter; a generation number wakes the threads.
 * SPDX-License-Identifier: MIT */
#include "base/crew.h"
#include "base/err.h"
#include "base/flush.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct member {
    struct mp_crew *crew;
    pthread_t thread;
    int number;
} member;

struct mp_crew {
    int size;
    member *members; /* of the other threads */
    pthread_mutex_t lock;
    pthread_cond_t start, end;
    unsigned generation;
    int busy;
    bool stop;
    int count;
    atomic_int next;
    void (*work)(void *, int, int);
    void *arg;
};

static void take(mp_crew *c, int worker)
{
    unsigned before = mp_flush_on();
    for (int i; (i = atomic_fetch_add(&c->next, 1)) < c->count;) c->work(c->arg, i, worker);
    mp_flush_off(before);
}

static void *member_main(void *p)
{
    member *m = p;
    mp_crew *c = m->crew;
    unsigned seen = 0;
    for (;;) {
        pthread_mutex_lock(&c->lock);
        while (c->generation == seen && !c->stop) pthread_cond_wait(&c->start, &c->lock);
        seen = c->generation;
        bool stop = c->stop;
        pthread_mutex_unlock(&c->lock);
        if (stop) return NULL;
        take(c, m->number);
        pthread_mutex_lock(&c->lock);
        if (--c->busy == 0) pthread_cond_signal(&c->end);
        pthread_mutex_unlock(&c->lock);
    }
}

mp_crew *mp_crew_new(int threads)
{
    mp_assert(threads >= 1);
    mp_crew *c = calloc(1, sizeof *c);
    mp_assert(c != NULL);
    c->members = calloc((size_t)threads, sizeof *c->members);
    mp_assert(c->members != NULL);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->start, NULL);
    pthread_cond_init(&c->end, NULL);
    c->size = 1;
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
    pthread_mutex_lock(&c->lock);
    c->stop = true;
    pthread_cond_broadcast(&c->start);
    pthread_mutex_unlock(&c->lock);
    for (int i = 1; i < c->size; i++) pthread_join(c->members[i].thread, NULL);
    pthread_cond_destroy(&c->start);
    pthread_cond_destroy(&c->end);
    pthread_mutex_destroy(&c->lock);
    free(c->members);
    free(c);
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
    pthread_mutex_lock(&c->lock);
    c->work = work;
    c->arg = arg;
    c->count = count;
    c->busy = c->size - 1;
    atomic_store(&c->next, 0);
    c->generation++;
    pthread_cond_broadcast(&c->start);
    pthread_mutex_unlock(&c->lock);
    take(c, 0);
    pthread_mutex_lock(&c->lock);
    while (c->busy > 0) pthread_cond_wait(&c->end, &c->lock);
    pthread_mutex_unlock(&c->lock);
}
