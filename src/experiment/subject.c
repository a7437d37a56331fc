/* subject.c - see subject.h.
 * SPDX-License-Identifier: MIT */
#include "experiment/subject.h"
#include "api/trail.h"
#include "base/crew.h"
#include "base/guard.h"

typedef struct tour {
    const mp_subject *s;
    mp_err (*look)(void *arg, const mp_specimen *g);
    void *arg;
    mp_arena **step; /* one a thread */
    mp_failure *failure;
} tour;

typedef struct stop {
    tour *tour;
    int at, worker;
} stop;

static mp_err look_at(void *arg)
{
    const stop *w = arg;
    const mp_subject *s = w->tour->s;
    mp_specimen g = { .of = s, .at = w->at, .arena = w->tour->step[w->worker] };
    mp_arena_reset(g.arena);
    mp_graph_gather(g.arena, s->all, s->x, s->which + w->at, 1, false, &g.g, &g.x);
    return w->tour->look(w->tour->arg, &g);
}

static void visit(void *arg, int index, int worker)
{
    tour *t = arg;
    mp_failure_keep(&t->failure[index], mp_guarded(look_at, &(stop){ t, index, worker }));
}

static mp_err first_failure(const tour *t)
{
    for (int i = 0; i < t->s->n; i++)
        if (t->failure[i].e != MP_OK)
            return mp_fail_within(mp_failure_again(&t->failure[i]), "graph %d", t->s->which[i]);
    return MP_OK;
}

mp_err mp_subject_each(const mp_subject *s, mp_err (*look)(void *arg, const mp_specimen *g), void *arg)
{
    mp_arena *a = mp_arena_new(1 << 16);
    tour t = { s, look, arg, MP_NEW(a, mp_arena *, s->threads), MP_NEW(a, mp_failure, s->n) };
    for (int i = 0; i < s->threads; i++) t.step[i] = mp_arena_new(1 << 20);
    mp_crew *crew = mp_crew_new(s->threads); /* last: arenas are freed when this gives up, threads would not be */
    mp_crew_run(crew, s->n, visit, &t);
    mp_crew_free(crew);
    mp_err e = first_failure(&t);
    for (int i = 0; i < s->threads; i++) mp_arena_free(t.step[i]);
    mp_arena_free(a);
    return e;
}

mp_err mp_specimen_trail(const mp_specimen *g, int draw, mp_trail *out)
{
    const mp_mat *raw;
    mp_graph *own = MP_NEW(g->arena, mp_graph, 1);
    *own = g->g;
    own->norm = MP_NEW(g->arena, mp_norm, 1); /* what is remembered there goes with the memory of this pass */
    MP_TRY(mp_trail_pass(g->of->model, own, &g->x, draw, g->arena, out, &raw));
    if (out->levels) return MP_OK;
    return mp_fail(MP_ERR_USAGE, "%s drops no nodes: there is nothing to look at", mp_model_config(g->of->model)->pool);
}
