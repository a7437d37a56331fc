/* jobs.c - the scheduler: who gets which job, what a lost worker costs, when everything ends. How workers are reached is a
 * transport's business (hands.h).
 * SPDX-License-Identifier: MIT */
#include "train/jobs.h"
#include "base/clock.h"
#include "base/halt.h"
#include "train/hands.h"

#include <stdio.h>

#define GRACE_SECONDS 20 /* for workers that were asked to stop, to finish an epoch and save */
#define TRIES         2
#define TICK          0.5
#define IDLE          (-1)

typedef struct hand {
    bool here; /* else this place is free */
    int job;
} hand;

typedef struct pool {
    const mp_jobs *jobs;
    const mp_transport *by;
    void *hands;
    mp_jobs_count *count;
    int next;             /* job not yet handed out, where the order is ours */
    bool later;           /* there is more to do, but not now */
    int *again, n_again;  /* jobs that go out once more    */
    unsigned char *tries; /* for each job                  */
    hand *hand;           /* jobs->workers of them */
    mp_halt halt;
} pool;

static int asked(void)
{
    return *mp_halt_asked();
}

static void note(const pool *p, int job, const char *line)
{
    if (p->jobs->note) p->jobs->note(p->jobs->state, job, line);
}

/* The job that goes out next, or MP_JOBS_LATER or MP_JOBS_NONE. */
static int next_job(pool *p)
{
    const mp_jobs *j = p->jobs;
    if (asked()) return MP_JOBS_NONE;
    if (p->n_again > 0) return p->again[--p->n_again];
    if (j->next) return j->next(j->state);
    return p->next < j->count ? p->next++ : MP_JOBS_NONE;
}

static int busy(const pool *p)
{
    int n = 0;
    for (int i = 0; i < p->jobs->workers; i++) n += p->hand[i].here && p->hand[i].job != IDLE;
    return n;
}

/* A failure to pack the job is the job's. */
static mp_err hand_out(pool *p, int place, int job)
{
    mp_err e = p->by->give(p->hands, place, job);
    if (e == MP_OK) {
        p->hand[place].job = job;
        return MP_OK;
    }
    char why[MP_MESSAGE];
    snprintf(why, sizeof why, "%s", mp_message());
    p->count->failed++;
    return p->jobs->failed(p->jobs->state, job, e, why);
}

/* Gives every free place and every idle worker something to do. */
static mp_err assign(pool *p)
{
    p->later = false;
    for (int i = 0; i < p->jobs->workers; i++) {
        hand *h = &p->hand[i];
        if (h->here && h->job != IDLE) continue;
        int job = next_job(p);
        p->later = job == MP_JOBS_LATER;
        if (job < 0) return MP_OK;
        if (!h->here && p->by->hire(p->hands, i) != MP_OK) {
            p->again[p->n_again++] = job;
            continue; /* fewer workers than asked for are better than none */
        }
        *h = (hand){ true, IDLE };
        MP_TRY(hand_out(p, i, job));
    }
    if (p->n_again > 0 && busy(p) == 0) return mp_fail_within(MP_ERR_IO, "jobs");
    return MP_OK;
}

/* A worker is gone. If it held a job, the job goes out again, or counts as failed. */
static mp_err lost(pool *p, int job, const char *why)
{
    char line[MP_MESSAGE];
    if (job == IDLE || asked()) return MP_OK;
    if (++p->tries[job] < TRIES) {
        snprintf(line, sizeof line, "%.900s; trying once more", why);
        note(p, job, line);
        p->count->retried++;
        p->again[p->n_again++] = job;
        return MP_OK;
    }
    snprintf(line, sizeof line, "%.900s, twice", why);
    p->count->failed++;
    return p->jobs->failed(p->jobs->state, job, MP_ERR_IO, line);
}

static mp_err hear(void *state, const mp_said *s)
{
    pool *p = state;
    const mp_jobs *j = p->jobs;
    hand *h = &p->hand[s->place];
    int job = h->job;
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)(s->body.n < 1000 ? s->body.n : 1000), s->body.n ? s->body.p : "");
    switch (s->kind) {
    case MP_SAID_NEWS:
        if (j->news) j->news(j->state, job, s->body);
        return MP_OK;
    case MP_SAID_NOTE:
        note(p, job, text);
        return MP_OK;
    case MP_SAID_GONE:
        *h = (hand){ .job = IDLE };
        return lost(p, job, text);
    case MP_SAID_DONE:
        h->job = IDLE;
        p->count->done++;
        return j->done(j->state, job, s->body);
    default:
        h->job = IDLE;
        p->count->failed++;
        return j->failed(j->state, job, s->status, text);
    }
}

static void tell_all(const pool *p, void (*what)(void *hands, int place))
{
    for (int i = 0; i < p->jobs->workers; i++)
        if (p->hand[i].here) what(p->hands, i);
}

static mp_err run_all(pool *p)
{
    const mp_hearer hearer = { hear, p };
    double told = 0;
    for (;;) {
        MP_TRY(assign(p));
        if (busy(p) == 0 && !p->later) return MP_OK;
        MP_TRY(p->by->listen(p->hands, TICK, &hearer));
        if (p->jobs->tick) p->jobs->tick(p->jobs->state);
        if (!asked()) continue;
        if (!p->count->interrupted) {
            p->count->interrupted = true;
            told = mp_seconds();
            tell_all(p, p->by->stop);
        }
        if (asked() > 1 || mp_seconds() - told > GRACE_SECONDS) return MP_OK; /* whoever is still there is dropped */
    }
}

mp_err mp_jobs_run(const mp_jobs *j, mp_jobs_count *count)
{
    const mp_transport *by = !j->threads && j->pack && mp_by_mpi.most() > 0 ? &mp_by_mpi : &mp_by_fork;
    mp_assert(j->workers >= 1 && j->workers <= by->most());
    *count = (mp_jobs_count){ 0 };
    mp_arena *a = mp_arena_new(65536);
    pool *p = MP_NEW(a, pool, 1);
    *p = (pool){ .jobs = j, .by = by, .count = count };
    p->again = MP_NEW(a, int, j->count);
    p->tries = MP_NEW(a, unsigned char, j->count);
    p->hand = MP_NEW(a, hand, j->workers);

    mp_halt_begin(&p->halt, true);
    p->hands = by->open(j, &p->halt);
    mp_err e = run_all(p);
    by->close(p->hands);
    mp_halt_end(&p->halt);
    mp_arena_free(a);
    return e;
}
