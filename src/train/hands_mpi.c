/* hands_mpi.c - ranks of MPI as hands, seen from rank 0: the hand at place i is rank i + 1.
 *
 * Things that jobs share go down a tree of ranks, a piece at a time, so that rank 0 sends each twice and not once a rank. Once a
 * rank is lost they go to each of the others directly; a rank whose thing does not come asks for it.
 *
 * A rank is lost when its process is seen to be gone (on this machine), or has said nothing for a minute. One that is heard
 * again counts again; what it says of the job it had is too late.
 * SPDX-License-Identifier: MIT */
#include "base/bytes.h"
#include "train/ranks_own.h"

#include <stdio.h>
#include <string.h>

#define IN_FLIGHT    ((size_t)16 << 20) /* bytes on their way at most, before more pieces of things are sent */
#define LOOK_SECONDS 0.5

typedef struct post { /* a round of jobs */
    const mp_jobs *jobs;
    const mp_halt *halt;
    mp_arena *arena;
    int *sent, sents; /* for each thing of these jobs: 1 + its number among all that were sent; 0: not yet */
} post;

static mp_world *const world = &mp_the_world;
static const mp_span nothing;

static int most(void)
{
    return mp_ranks_workers();
}

static void *open_post(const mp_jobs *j, const mp_halt *halt)
{
    mp_arena *a = mp_arena_new(65536);
    post *p = MP_NEW(a, post, 1);
    *p = (post){ .jobs = j, .halt = halt, .arena = a };
    return p;
}

static void drop(void *state, int place)
{
    mp_rank *r = &world->of[place + 1];
    (void)state;
    r->busy = false;
    mp_world_send(place + 1, &(mp_wire){ .kind = MP_WIRE_DROP, .serial = ++r->serial }, nothing);
}

static void close_post(void *state)
{
    post *p = state;
    for (int i = 0; i < most(); i++) drop(p, i);
    mp_arena_free(p->arena);
}

static mp_err hire(void *state, int place)
{
    const mp_rank *r = &world->of[place + 1];
    (void)state;
    if (r->lost) return mp_fail(MP_ERR_IO, "rank %d on %s is gone", place + 1, r->who.process.host);
    return MP_OK;
}

static void stop(void *state, int place)
{
    (void)state;
    mp_world_send(place + 1, &(mp_wire){ .kind = MP_WIRE_STOP, .serial = world->of[place + 1].serial }, nothing);
}

/* ---- things ---- */

static void send_to(mp_buf bytes, int thing, const int *to, int n, bool spread)
{
    mp_parcel **last = &world->parcels, *p = MP_NEW(world->arena, mp_parcel, 1);
    *p = (mp_parcel){ .bytes = bytes, .thing = thing, .n_to = n, .spread = spread };
    p->to = MP_NEW_RAW(world->arena, int, n + 1);
    memcpy(p->to, to, sizeof *to * (size_t)n);
    while (*last) last = &(*last)->next;
    *last = p;
}

static void spread(mp_buf bytes, int thing)
{
    int n = 0, *to = MP_NEW(world->arena, int, world->ranks + 1);
    for (int i = 1; i < world->ranks; i++)
        if (!world->of[i].lost) to[n++] = i;
    bool all = n == world->ranks - 1;
    if (all) n = mp_world_below(0, to);
    send_to(bytes, thing, to, n, all);
}

static int number_of(const char *name)
{
    for (int i = 0; i < world->things; i++)
        if (strcmp(world->thing[i], name) == 0) return i;
    return -1;
}

/* A thing by its number among those of these jobs; ranks get it unless they have it. */
static mp_err deliver(post *p, int thing, int *number)
{
    if (thing >= p->sents) {
        int had = p->sents;
        p->sents = mp_room(p->sents, (int64_t)thing + 1, 8, "data sets");
        MP_MORE(p->arena, p->sent, had, p->sents);
        memset(p->sent + had, 0, sizeof *p->sent * (size_t)(p->sents - had));
    }
    if (p->sent[thing] == 0) {
        mp_buf bytes = { 0 };
        char name[MP_SEAL_DIGITS + 1];
        mp_err e = p->jobs->pack_thing(p->jobs->state, thing, &bytes);
        if (e != MP_OK) {
            mp_buf_free(&bytes);
            return e;
        }
        mp_assert(bytes.n >= MP_SEAL_DIGITS);
        snprintf(name, sizeof name, "%s", bytes.p);
        int at = number_of(name);
        if (at >= 0) {
            mp_buf_free(&bytes);
        } else {
            at = world->things++;
            if (at == world->room) {
                world->room = mp_room(world->room, (int64_t)at + 1, 16, "data sets");
                MP_MORE(world->arena, world->thing, at, world->room);
            }
            snprintf(world->thing[at], sizeof world->thing[at], "%s", name);
            spread(bytes, at);
        }
        p->sent[thing] = at + 1;
    }
    *number = p->sent[thing] - 1;
    return MP_OK;
}

/* A rank that lacks a thing gets it from here. */
static void deliver_again(const post *p, int rank, int number)
{
    for (int i = 0; i < p->sents; i++) {
        mp_buf bytes = { 0 };
        if (p->sent[i] != number + 1) continue;
        if (p->jobs->pack_thing(p->jobs->state, i, &bytes) == MP_OK)
            send_to(bytes, number, &rank, 1, false);
        else
            mp_buf_free(&bytes);
        return;
    }
}

static void push_parcels(void)
{
    while (world->parcels && world->mpi->waiting() < IN_FLIGHT) {
        mp_parcel *p = world->parcels;
        size_t left = p->bytes.n - p->at, n = left < MP_PIECE ? left : MP_PIECE;
        mp_wire w = { .kind = MP_WIRE_THING, .thing = p->thing, .spread = p->spread, .at = p->at, .total = p->bytes.n };
        for (int i = 0; i < p->n_to; i++)
            if (!world->of[p->to[i]].lost) mp_world_send(p->to[i], &w, (mp_span){ p->bytes.p + p->at, n });
        p->at += n;
        if (p->at < p->bytes.n) continue;
        world->parcels = p->next;
        mp_buf_free(&p->bytes);
    }
}

/* ---- jobs ---- */

static mp_err give(void *state, int place, int job)
{
    post *p = state;
    mp_rank *r = &world->of[place + 1];
    mp_buf order = { 0 };
    int thing = MP_JOBS_NONE, number = MP_JOBS_NONE;
    mp_err e = p->jobs->pack(p->jobs->state, job, &order, &thing);
    if (e == MP_OK && thing != MP_JOBS_NONE) e = deliver(p, thing, &number);
    if (e == MP_OK) {
        mp_wire w = { .kind = MP_WIRE_JOB, .serial = ++r->serial, .job = job, .thing = number };
        mp_world_send(place + 1, &w, (mp_span){ order.p, order.n });
        r->busy = true;
    }
    mp_buf_free(&order);
    push_parcels();
    return e;
}

/* ---- listening ---- */

static mp_err lose(int rank, const char *why, const mp_hearer *to)
{
    mp_rank *r = &world->of[rank];
    char line[256];
    snprintf(line, sizeof line, "rank %d on %s %s", rank, r->who.process.host, why);
    r->lost = true;
    if (!r->busy) return MP_OK;
    r->busy = false;
    r->serial++;
    return to->hear(to->state, &(mp_said){ .place = rank - 1, .kind = MP_SAID_GONE, .body = mp_span_of(line) });
}

static mp_err look_for_lost(const mp_hearer *to)
{
    double now = mp_seconds();
    char why[64];
    if (now - world->looked < LOOK_SECONDS) return MP_OK;
    bool late = now - world->looked > MP_BEAT_SECONDS; /* we did not listen ourselves, so nobody could be heard */
    world->looked = now;
    snprintf(why, sizeof why, "said nothing for %d s", (int)world->silence);
    for (int i = 1; i < world->ranks; i++) {
        mp_rank *r = &world->of[i];
        if (late) r->heard = now;
        if (r->lost) continue;
        if (r->here && mp_process_gone(&r->who.process)) MP_TRY(lose(i, "is gone", to));
        if (!r->lost && !r->silent && now - r->heard > world->silence) MP_TRY(lose(i, why, to));
    }
    return MP_OK;
}

static void send_beats(void)
{
    if (mp_seconds() - world->beat < MP_BEAT_SECONDS) return;
    world->beat = mp_seconds();
    for (int i = 1; i < world->ranks; i++)
        if (!world->of[i].lost) mp_world_send(i, &(mp_wire){ .kind = MP_WIRE_BEAT }, nothing);
}

static mp_err take(const post *p, int from, const mp_wire *w, mp_span body, const mp_hearer *to)
{
    mp_rank *r = &world->of[from];
    r->heard = mp_seconds();
    r->lost = r->left;
    r->silent = w->kind == MP_WIRE_BEAT && w->status;
    if (w->kind == MP_WIRE_LACK) deliver_again(p, from, w->thing);
    if (w->kind == MP_WIRE_LEFT) {
        r->left = true;
        return lose(from, "was told to end", to);
    }
    if (w->kind >= MP_WIRE_HELLO || !r->busy || w->serial != r->serial) return MP_OK;
    if (w->kind == MP_SAID_DONE || w->kind == MP_SAID_FAILED || w->kind == MP_SAID_GONE) r->busy = false;
    if (w->kind != MP_SAID_GONE) return to->hear(to->state, &(mp_said){ from - 1, w->kind, (mp_err)w->status, body });
    char line[512];
    snprintf(line, sizeof line, "rank %d on %s: %.*s", from, r->who.process.host, (int)(body.n < 300 ? body.n : 300),
             body.p);
    return to->hear(to->state, &(mp_said){ .place = from - 1, .kind = w->kind, .body = mp_span_of(line) });
}

static mp_err listen_all(void *state, double seconds, const mp_hearer *to)
{
    post *p = state;
    double until = mp_seconds() + seconds, nap = 0;
    bool heard = false;
    for (;;) {
        mp_wire w;
        mp_span body;
        for (int from; mp_world_receive(&from, &w, &body);) {
            heard = heard || w.kind < MP_WIRE_HELLO; /* a beat wakes nobody */
            MP_TRY(take(p, from, &w, body, to));
        }
        push_parcels();
        send_beats();
        MP_TRY(look_for_lost(to));
        if (heard || mp_seconds() >= until || *mp_halt_asked()) return MP_OK;
        mp_world_nap(&nap, &p->halt->mask);
    }
}

const mp_transport mp_by_mpi = { .most = most,
                                 .open = open_post,
                                 .close = close_post,
                                 .hire = hire,
                                 .give = give,
                                 .drop = drop,
                                 .stop = stop,
                                 .listen = listen_all };
