/* group.c - the thread that executes sheets of all lanes together (lane.h).
 *
 * It waits until every lane has submitted a sheet or waits itself; while the device has work that costs nothing, and when it has none it is
 * not done for long: a run may be busy with something else. Then it puts the calls of all queues into launches, wave after
 * wave, copies structure and calls to the device, and launches. While the device is at work it builds what comes next: two
 * stages, each with a stream of its own, the later waiting for the earlier on the device.
 * SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "base/guard.h"
#include "base/module.h"
#include "cuda/lane_own.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define STAMPS      (MP_STAMPS / 2) /* of a stream: launches beyond are not timed */
#define PATIENCE_NS 3000000         /* that a sheet waits for those of other lanes when the device has nothing to do */
#define LOOK_NS     50000           /* how often it is asked whether it has */

typedef struct job { /* a sheet that is executed */
    mp_sheet *sheet;
    int begun;  /* queues that have readers, or had */
    int active; /* readers that are not at their end */
} job;

typedef struct reader { /* of a queue */
    const mp_note *at, *end;
    int phase;
    job *of;
} reader;

typedef struct turn { /* sheets that are executed together */
    mp_group *group;
    mp_stage *stage;
    int stream;
    bool under_way, profiled;
    mp_arena *arena;
    job *jobs;
    int count;
    reader **live; /* of the queues that go on */
    int readers;
    mp_launch *launch; /* `calls` and `first` are places in the stage until it is complete */
    int launches, room;
} turn;

static void need(const char *why)
{
    if (why) mp_give_up(mp_fail(MP_ERR_IO, "%s", why));
}

/* ---- calls into launches ---- */

/* Room for so many bytes in all; what is there stays. The device does not read it at this time. */
static void stage_room(const mp_device *d, mp_stage *s, size_t bytes)
{
    if (bytes <= s->size) return;
    size_t size = bytes + bytes / 2 + ((size_t)1 << 20);
    void *host, *device;
    need(d->pin(&host, size));
    if (s->used) memcpy(host, s->host, s->used);
    if (s->host) d->unpin(s->host);
    if (s->device) d->release(s->device);
    s->host = host;
    s->device = NULL;
    need(d->alloc(&device, size));
    s->device = device;
    s->size = size;
}

static size_t up_to(size_t bytes, size_t multiple)
{
    return (bytes + multiple - 1) / multiple * multiple;
}

/* The calls of a reader that are executed together. */
static int calls_beside(const reader *r)
{
    const mp_note *next = r->at + 1;
    while (next < r->end && next->beside) next++;
    return (int)(next - r->at);
}

/* The next calls of `count` readers: where they lie, then the numbers of their first blocks. */
static void add_launch(turn *t, int kernel, reader *const *from, int count)
{
    int n = 0, before = 0, at = 0;
    for (int i = 0; i < count; i++) n += calls_beside(from[i]);
    mp_stage *s = t->stage;
    size_t calls = up_to(s->used, 256), first = calls + sizeof(void *) * (size_t)n;
    size_t end = first + sizeof(int) * ((size_t)n + 1);
    stage_room(t->group->device, s, end);
    const void **call = (const void **)(void *)(s->host + calls);
    int *blocks = (int *)(void *)(s->host + first);
    for (int i = 0; i < count; i++) {
        for (int k = calls_beside(from[i]); k > 0; k--, at++) {
            const mp_note *note = from[i]->at++;
            call[at] = note->call;
            blocks[at] = before;
            before += note->blocks;
        }
    }
    blocks[n] = before;
    if (t->launches == t->room) {
        t->room = mp_room(t->room, t->launches + 1, 256, "launches");
        MP_MORE(t->arena, t->launch, t->launches, t->room);
    }
    t->launch[t->launches++] = (mp_launch){ (mp_cuda_kernel)kernel, (void *)calls, (int *)first, n, before };
    s->used = end;
}

/* Readers for the queues of a sheet's next phase that has calls. */
static void go_on(turn *t, job *j)
{
    const mp_sheet *s = j->sheet;
    while (j->active == 0 && j->begun < s->queues) {
        for (int phase = s->queue[j->begun].phase; j->begun < s->queues && s->queue[j->begun].phase == phase;
             j->begun++) {
            if (s->queue[j->begun].n == 0) continue;
            reader *r = MP_NEW(t->arena, reader, 1);
            const mp_calls *q = &s->queue[j->begun];
            *r = (reader){ q->p, q->p + q->n, phase, j };
            t->live[t->readers++] = r;
            j->active++;
        }
    }
}

static int place_of(const reader *r)
{
    return r->phase << 16 | r->at->place;
}

/* The next call of every queue that is not ahead of others. Shards do not make the same calls, but they come by the same ops: those that have
 * fewer to do wait at the end of an op, so that all have the next one in common. `sorted`: room for all readers. */
static void add_wave(turn *t, reader **sorted)
{
    int first[MP_CUDA_KERNELS + 1] = { 0 }, next[MP_CUDA_KERNELS], behind = INT_MAX;
    for (int i = 0; i < t->readers; i++) behind = place_of(t->live[i]) < behind ? place_of(t->live[i]) : behind;
    for (int i = 0; i < t->readers; i++)
        if (place_of(t->live[i]) == behind) first[t->live[i]->at->kernel + 1]++;
    for (int k = 0; k < MP_CUDA_KERNELS; k++) {
        first[k + 1] += first[k];
        next[k] = first[k];
    }
    for (int i = 0; i < t->readers; i++)
        if (place_of(t->live[i]) == behind) sorted[next[t->live[i]->at->kernel]++] = t->live[i];
    for (int k = 0; k < MP_CUDA_KERNELS; k++)
        if (first[k] < first[k + 1]) add_launch(t, k, sorted + first[k], first[k + 1] - first[k]);
}

static void build(turn *t)
{
    int queues = 0;
    for (int i = 0; i < t->count; i++) queues += t->jobs[i].sheet->queues;
    reader **sorted = MP_NEW_RAW(t->arena, reader *, queues);
    t->live = MP_NEW_RAW(t->arena, reader *, queues);
    t->stage->used = 0;
    for (int i = 0; i < t->count; i++) go_on(t, &t->jobs[i]);
    while (t->readers > 0) {
        int left = 0;
        add_wave(t, sorted);
        for (int i = 0; i < t->readers; i++) {
            reader *r = t->live[i];
            if (r->at < r->end)
                t->live[left++] = r;
            else
                r->of->active--;
        }
        t->readers = left;
        for (int i = 0; i < t->count; i++) go_on(t, &t->jobs[i]);
    }
}

/* ---- to the device ---- */

static void send(turn *t)
{
    const mp_device *d = t->group->device;
    const mp_stage *s = t->stage;
    for (int i = 0; i < t->count; i++) {
        const mp_sheet *sheet = t->jobs[i].sheet;
        for (int k = 0; k < sheet->ups; k++)
            need(d->up(t->stream, sheet->up[k].device, sheet->up[k].host, sheet->up[k].bytes));
    }
    if (s->used) need(d->up(t->stream, s->device, s->host, s->used));
    need(d->after(t->stream, 1 - t->stream));
    for (int i = 0; i < t->launches; i++) {
        mp_launch w = t->launch[i];
        w.calls = (const void *const *)(const void *)(s->device + (size_t)(uintptr_t)w.calls);
        w.first = (const int *)(const void *)(s->device + (size_t)(uintptr_t)w.first);
        if (t->profiled && i < STAMPS) need(d->stamp(t->stream, t->stream * STAMPS + i));
        need(d->launch(t->stream, &w));
    }
    if (t->profiled && t->launches < STAMPS) need(d->stamp(t->stream, t->stream * STAMPS + t->launches));
    for (int i = 0; i < t->count; i++) {
        const mp_sheet *sheet = t->jobs[i].sheet;
        for (int k = 0; k < sheet->downs; k++)
            need(d->down(t->stream, sheet->down[k].host, sheet->down[k].device, sheet->down[k].bytes));
    }
}

/* ---- the thread ---- */

static mp_sheet *oldest_pending(mp_lane *l)
{
    for (int i = 0; i < MP_SHEETS; i++) { /* `now` is the one that was submitted longest ago */
        mp_sheet *s = &l->sheet[(l->now + i) % MP_SHEETS];
        if (s->state == MP_SHEET_PENDING) return s;
    }
    return NULL;
}

/* How many lanes have something, and whether all have that may have something soon. */
static int pending(const mp_group *g, bool *all)
{
    int n = 0;
    *all = true;
    for (mp_lane *l = g->lanes; l; l = l->next) {
        if (oldest_pending(l))
            n++;
        else if (!l->resting)
            *all = false;
    }
    return n;
}

/* Notes what the time since the last note went to. */
static void spent_on(mp_group *g, mp_group_part part)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    double now = (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
    if (g->noting) g->spent[part] += now - g->noted;
    g->noted = now;
}

typedef struct beginning {
    turn *t;
    int most; /* lanes that have something */
} beginning;

static mp_err begin_turn(void *arg)
{
    const beginning *b = arg;
    turn *t = b->t;
    mp_group *g = t->group;
    mp_arena_reset(t->arena);
    job *jobs = t->jobs = MP_NEW(t->arena, job, b->most);
    pthread_mutex_lock(&g->lock);
    t->profiled = g->noting = g->profile;
    for (mp_lane *l = g->lanes; l && t->count < b->most; l = l->next) {
        mp_sheet *s = oldest_pending(l);
        if (!s) continue;
        s->state = MP_SHEET_RUNNING;
        jobs[t->count++].sheet = s;
    }
    pthread_mutex_unlock(&g->lock);
    build(t);
    spent_on(g, MP_GROUP_BUILDS);
    send(t);
    return MP_OK;
}

/* A launch takes from its stamp to the next one. */
static void charge(const turn *t)
{
    mp_group *g = t->group;
    for (int i = 0; i < t->launches && i + 1 < STAMPS; i++) {
        int at = t->stream * STAMPS + i;
        double seconds;
        need(g->device->between(at, at + 1, &seconds));
        g->seconds[t->launch[i].kernel] += seconds;
        g->launches[t->launch[i].kernel]++;
    }
}

static mp_err landed(void *arg)
{
    const turn *t = arg;
    need(t->group->device->sync(t->stream));
    if (t->profiled) charge(t);
    return MP_OK;
}

/* All of a turn is done, or nothing more will be: its sheets, with a failure all sheets, are free. */
static void end_turn(mp_group *g, turn *t, mp_err e)
{
    pthread_mutex_lock(&g->lock);
    if (e != MP_OK && !g->failure[0]) snprintf(g->failure, sizeof g->failure, "%s", mp_message());
    for (int i = 0; i < t->count; i++) t->jobs[i].sheet->state = MP_SHEET_FREE;
    for (mp_lane *l = g->lanes; l && g->failure[0]; l = l->next)
        for (int i = 0; i < MP_SHEETS; i++)
            if (l->sheet[i].state == MP_SHEET_PENDING) l->sheet[i].state = MP_SHEET_FREE;
    pthread_cond_broadcast(&g->done);
    pthread_mutex_unlock(&g->lock);
    t->under_way = false;
}

static struct timespec in_ns(long ns)
{
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += ns;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

/* Waits until all lanes have sheets, or the turn before is done, or, without one, a moment has passed since the first: the number of
 * lanes that have one. */
static int wait_for_sheets(mp_group *g, const turn *before)
{
    bool all, late = false;
    int n;
    struct timespec until = { 0 };
    pthread_mutex_lock(&g->lock);
    while ((n = pending(g, &all)) == 0 || !all) {
        if (before->under_way) {
            if (g->device->idle(before->stream)) break;
            until = in_ns(LOOK_NS);
            pthread_cond_timedwait(&g->submitted, &g->lock, &until);
        } else if (n == 0) {
            if (g->stop) break;
            pthread_cond_wait(&g->submitted, &g->lock);
        } else {
            if (late) break;
            if (until.tv_sec == 0) until = in_ns(PATIENCE_NS);
            late = pthread_cond_timedwait(&g->submitted, &g->lock, &until) == ETIMEDOUT;
        }
    }
    pthread_mutex_unlock(&g->lock);
    return n;
}

static void land(mp_group *g, turn *t)
{
    end_turn(g, t, mp_guarded(landed, t));
    spent_on(g, MP_GROUP_DEVICE);
}

void *mp_group_main(void *arg)
{
    mp_group *g = arg;
    turn turns[2] = { { 0 } }, *now = &turns[0], *before = &turns[1];
    for (;;) {
        int n = wait_for_sheets(g, before);
        spent_on(g, MP_GROUP_RUNS);
        if (before->under_way && (n == 0 || g->device->idle(before->stream))) {
            land(g, before); /* its lanes may go on while the others are waited for */
            continue;
        }
        if (n == 0) return NULL; /* asked to stop, and nothing is left */
        int stream = (int)(now - turns);
        mp_stage *stage = &g->stage[stream];
        *now = (turn){ .group = g, .stage = stage, .stream = stream, .under_way = true, .arena = stage->arena };
        mp_err e = mp_guarded(begin_turn, &(beginning){ now, n });
        if (e != MP_OK) end_turn(g, now, e);
        spent_on(g, MP_GROUP_SENDS);
        if (before->under_way) land(g, before);
        turn *t = now;
        now = before;
        before = t;
    }
}

/* ---- opening ---- */

static void *get(void *state, size_t bytes)
{
    (void)state;
    void *p = mp_get(bytes, 64);
    if (!p) (void)mp_no_memory(bytes);
    return p;
}

static void put(void *state, void *p)
{
    (void)state;
    mp_put(p);
}

static mp_err load(const char *kind, const mp_device **out)
{
    static const mp_module modules[] = {
        { "midpool_cuda.so", MP_DEVICE_SYMBOL, MP_DEVICE_ABI, "device: the module for GPUs does not load",
          "device: no midpool_cuda.so beside the program (make cuda builds it)" },
        { "midpool_emulated.so", MP_DEVICE_SYMBOL, MP_DEVICE_ABI, "device: the emulated GPU does not load",
          "device: no midpool_emulated.so beside the program" },
    };
    const void *table;
    MP_TRY(mp_module_load(&modules[strcmp(kind, "emulated") == 0], &table));
    *out = table;
    return MP_OK;
}

static mp_err start(mp_group *g)
{
    size_t all;
    const char *why = g->device->open(g->name, sizeof g->name, &all, &g->memory);
    if (why) return mp_fail(MP_ERR_IO, "device: %s", why);
    pthread_mutex_init(&g->lock, NULL);
    pthread_mutex_init(&g->copying, NULL);
    pthread_cond_init(&g->submitted, NULL);
    pthread_cond_init(&g->done, NULL);
    if (pthread_create(&g->thread, NULL, mp_group_main, g) == 0) return MP_OK;
    g->device->close();
    return mp_fail(MP_ERR_IO, "device: the system refuses a thread");
}

mp_err mp_group_open(const char *kind, mp_group **out)
{
    const mp_device *d;
    MP_TRY(load(kind, &d));
    mp_group *g = mp_get_zero(1, sizeof *g);
    if (!g) mp_give_up(mp_no_memory(sizeof *g));
    g->device = d;
    for (int i = 0; i < 2; i++)
        g->stage[i].arena =
            mp_arena_over((mp_source){ get, put, NULL }, 1 << 16); /* not for the guards of this thread */
    mp_err e = start(g);
    if (e == MP_OK) {
        *out = g;
        return MP_OK;
    }
    for (int i = 0; i < 2; i++) mp_arena_free(g->stage[i].arena);
    mp_put(g);
    return e;
}

void mp_group_close(mp_group *g)
{
    if (!g) return;
    mp_assert(!g->lanes);
    pthread_mutex_lock(&g->lock);
    g->stop = true;
    pthread_cond_signal(&g->submitted);
    pthread_mutex_unlock(&g->lock);
    pthread_join(g->thread, NULL);
    for (int i = 0; i < 2; i++) {
        if (g->stage[i].host) g->device->unpin(g->stage[i].host);
        if (g->stage[i].device) g->device->release(g->stage[i].device);
        mp_arena_free(g->stage[i].arena);
    }
    pthread_cond_destroy(&g->submitted);
    pthread_cond_destroy(&g->done);
    pthread_mutex_destroy(&g->lock);
    pthread_mutex_destroy(&g->copying);
    g->device->close();
    mp_put(g);
}

void mp_group_profile(mp_group *g)
{
    pthread_mutex_lock(&g->lock);
    g->profile = true;
    pthread_mutex_unlock(&g->lock);
}

bool mp_group_profiled(const mp_group *g, int i, const char **name, double *seconds, long *launches)
{
    if (i >= MP_CUDA_KERNELS) return false;
    *name = mp_call_name[i];
    *seconds = g->seconds[i];
    *launches = g->launches[i];
    return true;
}

bool mp_group_spent(const mp_group *g, int i, const char **name, double *seconds)
{
    static const char *const names[MP_GROUP_PARTS] = {
        [MP_GROUP_RUNS] = "waits for runs",
        [MP_GROUP_BUILDS] = "gathers calls",
        [MP_GROUP_SENDS] = "sends and launches",
        [MP_GROUP_DEVICE] = "waits for the device",
    };
    if (i >= MP_GROUP_PARTS) return false;
    *name = names[i];
    *seconds = g->spent[i];
    return true;
}

const char *mp_group_device(const mp_group *g)
{
    return g->name;
}

size_t mp_group_memory(const mp_group *g)
{
    return g->memory;
}
