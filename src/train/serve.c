/* serve.c - see serve.h.
 * SPDX-License-Identifier: MIT */
#include "train/serve.h"
#include "data/parcel.h"
#include "train/order.h"

#include <stdio.h>
#include <string.h>

typedef struct known {
    char name[MP_SEAL_DIGITS + 1];
    mp_dataset data;
} known;

typedef struct shelf {
    mp_arena *arena;
    known **set;
    int count, room;
} shelf;

static mp_err learn(void *state, mp_span bytes)
{
    shelf *s = state;
    known *k = MP_NEW(s->arena, known, 1);
    MP_TRY(mp_dataset_unpack(bytes, s->arena, &k->data));
    snprintf(k->name, sizeof k->name, "%.*s", MP_SEAL_DIGITS, bytes.p);
    if (s->count == s->room) {
        s->room = mp_room(s->room, (int64_t)s->count + 1, 8, "data sets");
        MP_MORE(s->arena, s->set, s->count, s->room);
    }
    s->set[s->count++] = k;
    return MP_OK;
}

static mp_err do_order(const shelf *s, mp_order *o, mp_worker *w, mp_buf *answer)
{
    const known *k = NULL;
    for (int i = 0; i < s->count && !k; i++)
        if (strcmp(s->set[i]->name, o->data) == 0) k = s->set[i];
    if (!k) return mp_fail(MP_ERR_INPUT, "an order: its data set did not arrive");
    MP_TRY(mp_order_fits(o, k->data.graphs.graphs));
    o->run.data = &k->data;
    return mp_order_work(o, w, answer);
}

static mp_err work(void *state, int job, mp_worker *w, mp_buf *answer)
{
    mp_order o;
    (void)job;
    mp_arena *a = mp_arena_new(65536);
    mp_err e = mp_order_unpack(mp_worker_order(w), a, &o);
    if (e == MP_OK) e = do_order(state, &o, w, answer);
    mp_arena_free(a);
    return e;
}

mp_server mp_cv_server(mp_arena *a)
{
    shelf *s = MP_NEW(a, shelf, 1);
    s->arena = a;
    return (mp_server){ s, learn, work };
}
