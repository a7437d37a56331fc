/* tape.c - see tape.h.
 * SPDX-License-Identifier: MIT */
#include "grad/tape.h"

#include <string.h>

/* Room for n numbers, of what others gave back or new. */
static mp_real *room(mp_ctx *c, size_t n)
{
    return mp_arena_reuse(c->arena, n, sizeof(mp_real));
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
    mp_real *v = MP_NEW_RAW(c->arena, mp_real, n);
    c->k->fill(v, value, n);
    return mp_mat_of(c, v, rows, cols);
}

void mp_mat_spent(mp_ctx *c, mp_mat *m)
{
    if (!m->g || m->g == m->v) return;
    mp_arena_give(c->arena, m->g, (size_t)m->rows * (size_t)m->cols * sizeof *m->g);
    m->g = m->v;
}

/* Zeros in the rows that nobody wrote. */
static void make_whole(mp_mat *m)
{
    size_t cols = (size_t)m->cols;
    for (int r = 0; r < m->rows; r++)
        if (!m->wrote[r]) memset(m->g + (size_t)r * cols, 0, cols * sizeof *m->g);
    m->by_rows = false;
}

bool *mp_grad_rows(mp_mat *m)
{
    if (!m->g || !m->wrote || (m->live && !m->by_rows)) return NULL;
    if (!m->live) memset(m->wrote, 0, (size_t)m->rows * sizeof *m->wrote);
    m->live = m->by_rows = true;
    return m->wrote;
}

bool mp_grad_store(mp_mat *m)
{
    if (m->by_rows) make_whole(m);
    bool store = !m->live;
    m->live = true;
    return store;
}

mp_real *mp_grad_zeroed(mp_mat *m)
{
    if (m->g && mp_grad_store(m)) memset(m->g, 0, (size_t)m->rows * (size_t)m->cols * sizeof *m->g);
    return m->g;
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
        if (c->profile) mp_profile_charge(c->profile, s->name, MP_BACKWARD);
    }
    c->last = NULL;
}
