/* queue.h - which run of a study goes out next, where other programs may be at work on the same runs.
 *
 * Runs go out in the order of the plan. Each is claimed first: what another program has finished meanwhile counts as known, what
 * it is training is left for the end, and asked for again until it is finished or free. When the store cannot be asked, runs go
 * out without a claim, in an order that no other program has, so that workers go on and little is done twice.
 * SPDX-License-Identifier: MIT */
#ifndef MP_QUEUE_H
#define MP_QUEUE_H

#include "train/crossval.h"

typedef struct mp_queue {
    const mp_cv_plan *plan;
    const mp_cv_options *o;
    mp_cv_count *count;
    bool (*kept)(void *state,
                 int place);     /* stores a run that an earlier start has left as a file; false: there is none */
    void *state;                 /* its first argument */
    int *todo, n_todo;           /* jobs: places in the plan; workers have a copy, so it stays as it is */
    int *order, next;            /* in which jobs go out; how many have */
    int *held, n_held;           /* jobs that others were training when they were asked for */
    int *out;                    /* count->running jobs, now in the hands of workers */
    mp_claim_news *news;         /* of each job */
    mp_claim_news *told;         /* room for those that are out */
    double asked, beat, refused; /* when held runs were asked for, the last sign of life, the last refusal */
    double since;                /* the store could not be asked; infinite: it could, the last time */
    bool lost;                   /* it could not be asked for too long, and others have all that is left */
} mp_queue;

/* Room for all runs of a plan; todo is filled by the caller. */
void mp_queue_init(mp_queue *q, mp_arena *a);

int mp_queue_next(mp_queue *q); /* a job, or what jobs.h has for none */
void mp_queue_back(mp_queue *q, int job);
void mp_queue_news(mp_queue *q, int job, const mp_fit_news *n);

/* Whenever there is time: gives signs of life. */
void mp_queue_tick(mp_queue *q);

#endif
