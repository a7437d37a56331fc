/* listener.h - who hears what a study does. Nothing in this folder prints or exits: what is worth a word goes to functions of
 * the caller.
 * SPDX-License-Identifier: MIT */
#ifndef MP_LISTENER_H
#define MP_LISTENER_H

#include "train/crossval.h"

typedef struct mp_listener { /* functions may be NULL */
    void *state;             /* their first argument */
    /* A model of a row that is added, its configuration as for the task of its data. */
    void (*model)(void *state, const mp_config *c);
    /* Progress that is worth keeping. */
    void (*line)(void *state, const char *text);
    /* How it stands at the moment; tabs cut the text into parts, the most important first. */
    void (*now)(void *state, const char *text);
    /* A run has trained an epoch. */
    void (*news)(void *state, const mp_run_key *key, const mp_fit_news *n, const mp_cv_count *c);
    /* What was told by `now` and `news` is over. */
    void (*end)(void *state);
    /* A run has a result. */
    void (*done)(void *state, const mp_run_key *key, const mp_run_result *r, const mp_cv_count *c);
    /* Bad news of a run; key NULL: of the study. */
    void (*bad)(void *state, const mp_run_key *key, const char *text);
} mp_listener;

/* Tell it, if it listens. */
void mp_listener_line(const mp_listener *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mp_listener_now(const mp_listener *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mp_listener_bad(const mp_listener *l, const mp_run_key *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void mp_listener_end(const mp_listener *l);

#endif
