/* agent.c - what ranks other than 0 do: pass messages between rank 0 and a worker that they fork.
 *
 * The worker is a copy of this process, which has learned all things that came before. So one that was forked before the newest
 * thing is replaced. This process itself never trains: it hears rank 0 at all times, and no run can bring it down.
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "train/ranks_own.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HOME_SECONDS 10
#define LACK_SHARE                                                                                                     \
    6 /* of the time that anybody may be silent: without a piece of a thing that a job waits for, rank 0 is asked */

typedef struct thing {
    mp_buf in;
    bool whole;
    mp_failure failure; /* of learning it */
} thing;

typedef struct agent {
    const mp_server *server;
    mp_arena *arena;
    mp_halt halt;
    mp_jobs jobs;
    void *hands;               /* one, at place 0 */
    bool hired, busy;          /* the worker is there; has a job */
    bool fresh;                /* it knows all there is */
    bool over, sent_home, all; /* it is over; rank 0 said so; everybody is there to say good-bye */
    bool round;                /* rank 0 is listening, and has something for somebody */
    bool told, left;           /* the worker was asked to save and end, because we were; rank 0 knows */
    mp_wire job;               /* the last one, .serial names it */
    mp_buf order;
    bool held; /* it waits for its thing */
    thing *thing;
    int things, room;
    double heard, beat, piece, looked; /* when: a word of rank 0; our last; the last piece of a thing; for rank 0 */
} agent;

static mp_world *const world = &mp_the_world;

static void say(agent *g, int kind, mp_err status, mp_span body)
{
    mp_world_send(0, &(mp_wire){ .kind = kind, .status = (int32_t)status, .serial = g->job.serial }, body);
    g->beat = mp_seconds();
}

/* ---- things ---- */

static thing *thing_of(agent *g, int number)
{
    while (number >= g->things) {
        if (g->things == g->room) {
            g->room = mp_room(g->room, (int64_t)g->things + 1, 16, "data sets");
            MP_MORE(g->arena, g->thing, g->things, g->room);
        }
        g->thing[g->things++] = (thing){ 0 };
    }
    return &g->thing[number];
}

typedef struct lesson {
    const mp_server *server;
    mp_span bytes;
} lesson;

static mp_err learn(void *arg)
{
    const lesson *l = arg;
    return l->server->learn(l->server->state, l->bytes);
}

static void take_piece(agent *g, const mp_wire *w, mp_span body)
{
    int to[2], n = w->spread ? mp_world_below(world->rank, to) : 0;
    thing *t = w->thing >= 0 ? thing_of(g, w->thing) : NULL;
    for (int i = 0; i < n; i++) mp_world_send(to[i], w, body);
    g->piece = mp_seconds();
    if (!t || t->whole || w->at != t->in.n) return;
    mp_buf_add(&t->in, body.p, body.n);
    if (t->in.n < w->total) return;
    t->whole = true;
    mp_world_send(0, &(mp_wire){ .kind = MP_WIRE_BEAT, .status = true },
                  (mp_span){ NULL, 0 }); /* a large one takes longer than anybody may be silent */
    mp_failure_keep(&t->failure, mp_guarded(learn, &(lesson){ g->server, { t->in.p, t->in.n } }));
    mp_buf_free(&t->in);
    g->fresh = false;
}

/* ---- jobs ---- */

static void drop(agent *g)
{
    if (g->hired) mp_by_fork.drop(g->hands, 0);
    g->hired = g->busy = g->held = false;
}

static void begin_job(agent *g)
{
    const thing *t = g->job.thing >= 0 ? thing_of(g, g->job.thing) : NULL;
    g->held = t && !t->whole;
    if (g->held) return;
    if (t && t->failure.e != MP_OK) {
        say(g, MP_SAID_FAILED, t->failure.e, mp_span_of(t->failure.message));
        return;
    }
    if (g->hired && !g->fresh) drop(g);
    if (!g->hired && mp_by_fork.hire(g->hands, 0) != MP_OK) {
        say(g, MP_SAID_GONE, MP_OK, mp_span_of(mp_message()));
        return;
    }
    g->hired = g->busy = g->fresh = true;
    mp_fork_give(g->hands, 0, g->job.job, (mp_span){ g->order.p, g->order.n });
}

static void take_job(agent *g, const mp_wire *w, mp_span body)
{
    if (g->busy) drop(g); /* rank 0 took us for lost */
    g->job = *w;
    g->order.n = 0;
    mp_buf_add(&g->order, body.p, body.n);
    g->piece = mp_seconds();
    begin_job(g);
}

static void hear_rank_0(agent *g, const mp_wire *w, mp_span body)
{
    g->heard = mp_seconds();
    g->round = w->kind != MP_WIRE_HELLO && w->kind != MP_WIRE_DROP;
    switch (w->kind) {
    case MP_WIRE_HELLO:
        mp_world_hello(w, body, &world->boss);
        return;
    case MP_WIRE_THING:
        take_piece(g, w, body);
        if (g->held) begin_job(g);
        return;
    case MP_WIRE_JOB:
        take_job(g, w, body);
        return;
    case MP_WIRE_STOP:
        if (g->held) say(g, MP_SAID_GONE, MP_OK, mp_span_of("stopped"));
        g->held = false;
        if (g->busy) mp_by_fork.stop(g->hands, 0);
        return;
    case MP_WIRE_DROP:
        g->job.serial = w->serial;
        if (g->busy || g->held) drop(g);
        return;
    case MP_WIRE_END:
        g->over = g->sent_home = true;
        g->all = w->status;
        return;
    default:
        return;
    }
}

static mp_err hear_worker(void *state, const mp_said *s)
{
    agent *g = state;
    if (s->kind == MP_SAID_GONE) g->hired = false;
    if (g->busy) say(g, s->kind, s->status, s->body);
    if (s->kind != MP_SAID_NEWS && s->kind != MP_SAID_NOTE) g->busy = false;
    return MP_OK;
}

/* ---- the loop ---- */

/* Told to end by a batch system, say: the worker saves, and rank 0 hears that we are no more use. */
static void leave(agent *g)
{
    if (!g->told && g->busy) mp_by_fork.stop(g->hands, 0);
    g->told = true;
    if (g->busy || g->left) return;
    say(g, MP_WIRE_LEFT, MP_OK, (mp_span){ NULL, 0 });
    g->left = true;
}

static void stay_in_touch(agent *g)
{
    double now = mp_seconds();
    if (*mp_halt_asked()) leave(g);
    if (now - g->beat > MP_BEAT_SECONDS) say(g, MP_WIRE_BEAT, MP_OK, (mp_span){ NULL, 0 });
    if (g->held && now - g->piece > world->silence / LACK_SHARE) {
        thing_of(g, g->job.thing)->in.n = 0;
        mp_world_send(0, &(mp_wire){ .kind = MP_WIRE_LACK, .thing = g->job.thing }, (mp_span){ NULL, 0 });
        g->piece = now;
    }
    if (now - g->looked < MP_BEAT_SECONDS) return;
    g->looked = now;
    if (mp_process_gone(&world->boss.process) || (g->round && now - g->heard > 2 * world->silence)) g->over = true;
}

static mp_err serve(void *arg)
{
    agent *g = arg;
    const mp_hearer from_worker = { hear_worker, g };
    double nap = 0;
    int from;
    mp_wire w;
    mp_span body;
    while (!g->over) {
        if (mp_world_receive(&from, &w, &body)) {
            nap = 0;
            hear_rank_0(g, &w, body);
            continue;
        }
        nap = mp_world_next_nap(nap);
        MP_TRY(mp_by_fork.listen(g->hands, nap, &from_worker));
        stay_in_touch(g);
    }
    return MP_OK;
}

int mp_ranks_serve(const mp_server *s)
{
    mp_arena *a = mp_arena_new(65536);
    agent *g = MP_NEW(a, agent, 1);
    *g = (agent){ .server = s, .arena = a, .heard = mp_seconds() };
    g->jobs = (mp_jobs){ .count = 1, .workers = 1, .state = s->state, .work = s->work };
    mp_halt_begin(&g->halt, true);
    g->hands = mp_by_fork.open(&g->jobs, &g->halt);
    mp_err e = mp_guarded(serve, g);
    mp_by_fork.close(g->hands);
    mp_halt_end(&g->halt);
    mp_buf_free(&g->order);
    if (g->sent_home && !g->all) sleep(HOME_SECONDS); /* rank 0 ends everybody, with its exit code */
    world->mpi->end(e == MP_OK && g->all, 1);
    mp_arena_free(a);
    return e == MP_OK ? 0 : 1;
}
