/* crew.h - threads that wait for work: one call runs a function for every index of a range on all of them.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CREW_H
#define MP_CREW_H

typedef struct mp_crew mp_crew;

int mp_cpu_count(void); /* processors this process may use */

/* `threads` in all, the caller included; 1 makes none. */
mp_crew *mp_crew_new(int threads);
void mp_crew_free(mp_crew *c);
int mp_crew_size(const mp_crew *c);

/* Calls work(arg, index, worker) once for each index in 0..count-1, in any order, worker in 0..size-1; returns when all
 * are done. Tiny numbers are flushed to 0 meanwhile (flush.h). Work that gives up (guard.h), on whatever thread, makes the
 * call give up once all threads have ended. Not to be called from within work, unless count was 1: then the other threads
 * are free. */
void mp_crew_run(mp_crew *c, int count, void (*work)(void *arg, int index, int worker), void *arg);

#endif
