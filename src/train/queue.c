/* queue.c - see queue.h.
 * SPDX-License-Identifier: MIT */
#include "train/queue.h"
#include "base/clock.h"
#include "base/rng.h"
#include "train/jobs.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define BEAT_SECONDS  5.0
#define ASK_SECONDS   1.0 /* between two looks at runs that others have */
#define AGAIN_SECONDS 2.0 /* after a store that could not be asked */

void mp_queue_init(mp_queue *q, mp_arena *a)
{
    int n = q->plan->count + 1;
    q->todo = MP_NEW(a, int, n);
    q->order = MP_NEW(a, int, n);
    q->held = MP_NEW(a, int, n);
    for (int i = 0; i < n; i++) q->order[i] = i;
    q->out = MP_NEW(a, int, n);
    q->news = MP_NEW(a, mp_claim_news, n);
    q->told = MP_NEW(a, mp_claim_news, n);
    q->asked = q->refused = -(double)INFINITY;
    q->since = (double)INFINITY;
    q->beat = mp_seconds();
}

static const mp_run_key *key_of(const mp_queue *q, int job)
{
    return &q->plan->run[q->todo[job]].key;
}

static int give_out(mp_queue *q, int job)
{
    q->news[job] = (mp_claim_news){ .key = key_of(q, job), .loss = (double)NAN };
    q->out[q->count->running++] = job;
    return job;
}

void mp_queue_back(mp_queue *q, int job)
{
    int n = q->count->running;
    for (int i = 0; i < n; i++) {
        if (q->out[i] != job) continue;
        q->out[i] = q->out[n - 1];
        q->count->running--;
        return;
    }
}

void mp_queue_news(mp_queue *q, int job, const mp_fit_news *n)
{
    q->news[job].epoch = n->epoch;
    q->news[job].epochs = n->epochs;
    q->news[job].loss = n->last.train_loss;
}

/* The store cannot be asked. The first time somebody is told why. */
static void refuse(mp_queue *q, int job)
{
    char line[1200];
    snprintf(line, sizeof line, "runs go out without being claimed until the store can be asked again: %s",
             mp_message());
    if (!isfinite(q->refused) && q->o->note) q->o->note(q->o->state, key_of(q, job), line);
    q->refused = mp_seconds();
    if (q->since > q->refused) q->since = q->refused;
}

/* Some run that is left takes the place of the next one: other programs that cannot ask either take others. */
static void shuffle(mp_queue *q)
{
    uint64_t draw = mp_rng_mix((uint64_t)getpid() + mp_rng_mix((uint64_t)q->next));
    int with = q->next + (int)(draw % (uint64_t)(q->n_todo - q->next)), job = q->order[with];
    q->order[with] = q->order[q->next];
    q->order[q->next] = job;
}

/* Whether the job is to be done here and now. */
static bool claim(mp_queue *q, int job, mp_claim *got)
{
    *got = MP_CLAIM_MINE;
    if (mp_seconds() - q->refused < AGAIN_SECONDS) return false;
    if (q->o->claim(q->o->state, key_of(q, job), got) == MP_OK) {
        q->since = (double)INFINITY;
        return true;
    }
    refuse(q, job);
    return false;
}

static void done_elsewhere(mp_queue *q, int job, mp_claim got)
{
    if (got == MP_CLAIM_FAILED && q->o->note)
        q->o->note(q->o->state, key_of(q, job), "failed in another program that shares the store");
    q->count->failed += got == MP_CLAIM_FAILED;
    q->count->known += got == MP_CLAIM_DONE;
    q->count->elsewhere += got == MP_CLAIM_DONE;
}

/* Whether a claimed job needs no training: whoever had it before was killed with the result in a file. */
static bool is_kept(mp_queue *q, int job)
{
    if (!q->kept || !q->kept(q->state, q->todo[job])) return false;
    q->count->known++;
    return true;
}

/* The first run that nobody else has; -1: others have all that is left. */
static int next_in_order(mp_queue *q)
{
    while (q->next < q->n_todo) {
        mp_claim got;
        if (!claim(q, q->order[q->next], &got)) shuffle(q);
        int job = q->order[q->next++];
        if (got == MP_CLAIM_MINE && !is_kept(q, job)) return job;
        if (got == MP_CLAIM_HELD) {
            q->held[q->n_held++] = job;
            q->asked = mp_seconds();
        }
        if (got == MP_CLAIM_DONE || got == MP_CLAIM_FAILED) done_elsewhere(q, job, got);
    }
    return -1;
}

/* One that became free among those that others had; -1: none. */
static int next_of_held(mp_queue *q)
{
    int job = -1, n = 0, i = 0;
    if (mp_seconds() - q->asked < ASK_SECONDS) return -1;
    for (; i < q->n_held && job < 0; i++) {
        mp_claim got;
        if (!claim(q, q->held[i], &got)) break;
        if (got == MP_CLAIM_HELD)
            q->held[n++] = q->held[i];
        else if (got != MP_CLAIM_MINE)
            done_elsewhere(q, q->held[i], got);
        else if (!is_kept(q, q->held[i]))
            job = q->held[i];
    }
    if (job < 0) q->asked = mp_seconds();
    for (; i < q->n_held; i++) q->held[n++] = q->held[i];
    q->n_held = n;
    return job;
}

int mp_queue_next(mp_queue *q)
{
    if (!q->o->claim) return q->next < q->n_todo ? give_out(q, q->next++) : MP_JOBS_NONE;
    int job = next_in_order(q);
    if (job < 0) job = next_of_held(q);
    q->count->waiting = q->n_held;
    if (job >= 0) return give_out(q, job);
    q->lost = q->count->running == 0 && mp_seconds() - q->since > q->o->wait;
    if (q->n_held == 0 || q->lost) return MP_JOBS_NONE;
    if (q->count->running == 0 && q->o->waiting) q->o->waiting(q->o->state, q->count);
    return MP_JOBS_LATER;
}

void mp_queue_tick(mp_queue *q)
{
    int n = q->count->running;
    if (!q->o->beat || mp_seconds() - q->beat < BEAT_SECONDS) return;
    for (int i = 0; i < n; i++) q->told[i] = q->news[q->out[i]];
    q->o->beat(q->o->state, q->count, q->told, n);
    q->beat = mp_seconds();
}
