/* tape.c - see tape.h.
 * SPDX-License-Identifier: MIT */
#include "grad/tape.h"

#include <string.h>

/* Room for n numbers, of what others gave back or new. */
static mp_real *room(mp_ctx *c, size_t n)
{
    return mp_arena_reuse(mp_elements(c), n, sizeof(mp_real));
}

mp_mat *mp_mat_new(mp_ctx *c, int rows, int cols)
{
    mp_assert(rows >= 0 && cols >= 0);
    size_t n = (size_t)rows * (size_t)cols;
    mp_mat *m = MP_NEW_RAW(c->arena, mp_mat, 1);
    *m = (mp_mat){ .rows = rows, .cols = cols, .v = room(c, n) };
    if (c->record) m->g = room(c, n);
    return m;
}

mp_mat *mp_mat_of(mp_ctx *c, const mp_real *v, int rows, int cols)
{
    mp_mat *m = MP_NEW_RAW(c->arena, mp_mat, 1);
    *m = (mp_mat){ .rows = rows, .cols = cols, .v = (mp_real *)(uintptr_t)v };
    return m;
}

mp_mat *mp_mat_full(mp_ctx *c, mp_real value, int rows, int cols)
{
    size_t n = (size_t)rows * (size_t)cols;
    mp_real *v = MP_NEW_RAW(mp_elements(c), mp_real, n);
    c->k->fill(v, value, n);
    return mp_mat_of(c, v, rows, cols);
}

void mp_mat_spent(mp_ctx *c, mp_mat *m)
{
    if (!m->g || m->g == m->v) return;
    mp_arena_give(mp_elements(c), m->g, (size_t)m->rows * (size_t)m->cols * sizeof *m->g);
    m->g = m->v;
}

bool *mp_grad_rows(mp_ctx *c, mp_mat *m)
{
    if (!m->g || !m->wrote || (m->live && !m->by_rows)) return NULL;
    if (!m->live) c->k->mark_rows(m->wrote, NULL, 0, m->rows);
    m->live = m->by_rows = true;
    return m->wrote;
}

bool mp_grad_store(mp_ctx *c, mp_mat *m)
{
    if (m->by_rows) c->k->rows_clear(m->g, m->wrote, m->rows, m->cols); /* those that nobody wrote */
    m->by_rows = false;
    bool store = !m->live;
    m->live = true;
    return store;
}

mp_real *mp_grad_zeroed(mp_ctx *c, mp_mat *m)
{
    if (m->g && mp_grad_store(c, m)) c->k->fill(m->g, 0, (size_t)m->rows * (size_t)m->cols);
    return m->g;
}

void mp_grad_begin(mp_ctx *c, mp_mat *m, mp_real slope)
{
    mp_assert(m->rows == 1 && m->cols == 1 && m->g);
    mp_grad_store(c, m);
    c->k->fill(m->g, slope, 1);
}

void mp_tape_push(mp_ctx *c, void (*back)(void *, mp_ctx *), const char *name, void *saved)
{
    mp_step *s = MP_NEW_RAW(c->arena, mp_step, 1);
    *s = (mp_step){ c->last, back, name, saved };
    c->last = s;
    mp_mark(c->profile, name);
}

void mp_tape_back(mp_ctx *c)
{
    for (mp_step *s = c->last; s; s = s->older) {
        s->back(s->saved, c);
        mp_op_done(c);
        if (c->profile) mp_profile_charge(c->profile, s->name, MP_BACKWARD);
    }
    c->last = NULL;
}
