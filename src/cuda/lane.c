/* lane.c - a lane's memory and its sheets (lane.h).
 * SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "base/guard.h"
#include "cuda/lane_own.h"

#include <string.h>

#define FIRST_BYTES ((size_t)1 << 20)

/* ---- memory ---- */

/* One more entry of a list; the list is the lane's, not an arena's, since arenas report to it. */
static void *one_more(void **list, int *n, int *cap, size_t size)
{
    if (*n == *cap) {
        int room = mp_room(*cap, *n + 1, 8, "pieces of memory");
        char *more = mp_get((size_t)room * size, 16);
        if (!more) mp_give_up(mp_no_memory((size_t)room * size));
        if (*n) memcpy(more, *list, (size_t)*n * size);
        mp_put(*list);
        *list = more;
        *cap = room;
    }
    return (char *)*list + (size_t)(*n)++ * size;
}

static void *refused(const char *why, size_t bytes)
{
    (void)mp_fail(MP_ERR_LIMIT, "the GPU has not enough memory for this run: %zu more bytes were needed (%s)", bytes,
                  why);
    return NULL;
}

static void release(const mp_device *d, const mp_range *r)
{
    d->release(r->device);
    if (r->pinned) d->unpin(r->from);
}

/* Frees what was given back while sheet number `last` was filled, or before: nothing needs it when that sheet is executed. */
static void sweep(mp_lane *l, long last)
{
    int left = 0;
    for (int i = 0; i < l->garbages; i++) {
        if (l->garbage[i].given <= last)
            release(l->group->device, &l->garbage[i]);
        else
            l->garbage[left++] = l->garbage[i];
    }
    l->garbages = left;
}

static void *get(mp_lane *l, size_t bytes, bool pinned)
{
    const mp_device *d = l->group->device;
    void *device, *host = NULL;
    const char *why = d->alloc(&device, bytes);
    if (why && l->garbages && mp_lane_wait(l) == MP_OK) {
        sweep(l, l->filled - 1);
        why = d->alloc(&device, bytes);
    }
    if (why) return refused(why, bytes);
    if (pinned && (why = d->pin(&host, bytes)) != NULL) {
        d->release(device);
        return refused(why, bytes);
    }
    char *from = pinned ? host : device;
    mp_range *r = one_more((void **)&l->range, &l->ranges, &l->range_cap, sizeof *r);
    *r = (mp_range){ from, from + bytes, device, pinned, 0 };
    return from;
}

static void *get_elements(void *lane, size_t bytes)
{
    return get(lane, bytes, false);
}

static void *get_structure(void *lane, size_t bytes)
{
    return get(lane, bytes, true);
}

/* Calls that are recorded or under way may still need it. */
static void put(void *lane, void *p)
{
    mp_lane *l = lane;
    int i = 0;
    while (l->range[i].from != (char *)p) i++;
    mp_range *g = one_more((void **)&l->garbage, &l->garbages, &l->garbage_cap, sizeof *g);
    *g = l->range[i];
    g->given = l->filled;
    l->range[i] = l->range[--l->ranges];
}

/* An address that is none of the lane's would be read on the device as whatever lies there. */
void *mp_lane_translate(const mp_lane *l, const void *p)
{
    char *at = (char *)(uintptr_t)p;
    if (!at) return NULL;
    for (int i = 0; i < l->ranges; i++) {
        const mp_range *r = &l->range[i];
        if (at >= r->from && at < r->to) return r->device + (at - r->from);
    }
    mp_bug("a kernel is given memory that the device cannot reach", __FILE__, __LINE__);
}

static mp_arena *arena_of(mp_lane *l, void *(*from)(void *, size_t))
{
    return mp_arena_over((mp_source){ from, put, l }, FIRST_BYTES);
}

mp_arena *mp_lane_kept(mp_lane *l)
{
    if (!l->kept) l->kept = arena_of(l, get_elements);
    return l->kept;
}

mp_arena *mp_lane_elements(mp_lane *l, int i)
{
    while (l->arenas <= i) {
        mp_arena *a = arena_of(l, get_elements);
        *(mp_arena **)one_more((void **)&l->elements, &l->arenas, &l->arena_cap, sizeof(mp_arena *)) = a;
    }
    return l->elements[i];
}

mp_arena *mp_lane_structure(mp_lane *l)
{
    mp_sheet *s = &l->sheet[l->now];
    if (!s->structure) s->structure = arena_of(l, get_structure);
    return s->structure;
}

/* ---- a lane from its beginning to its end ---- */

mp_lane *mp_lane_new(mp_group *g)
{
    mp_lane *l = mp_get_zero(1, sizeof *l);
    if (!l) mp_give_up(mp_no_memory(sizeof *l));
    l->group = g;
    pthread_mutex_lock(&g->lock);
    l->next = g->lanes;
    g->lanes = l;
    pthread_mutex_unlock(&g->lock);
    return l;
}

static void leave(mp_lane *l)
{
    mp_group *g = l->group;
    pthread_mutex_lock(&g->lock);
    mp_lane **at = &g->lanes;
    while (*at != l) at = &(*at)->next;
    *at = l->next;
    pthread_cond_signal(&g->submitted); /* the others need not wait for this one any more */
    pthread_mutex_unlock(&g->lock);
}

/* Until nothing of the sheet is under way. */
static void rest(mp_lane *l, int sheet)
{
    mp_group *g = l->group;
    pthread_mutex_lock(&g->lock);
    while (l->sheet[sheet].state != MP_SHEET_FREE) {
        l->resting = true;
        pthread_cond_signal(&g->submitted); /* nothing more is to be expected of it */
        pthread_cond_wait(&g->done, &g->lock);
    }
    l->resting = false;
    pthread_mutex_unlock(&g->lock);
}

void mp_lane_free(mp_lane *l)
{
    if (!l) return;
    for (int i = 0; i < MP_SHEETS; i++) rest(l, i);
    leave(l);
    mp_arena_free(l->kept);
    for (int i = 0; i < l->arenas; i++) mp_arena_free(l->elements[i]);
    for (int i = 0; i < MP_SHEETS; i++) {
        mp_sheet *s = &l->sheet[i];
        mp_arena_free(s->structure);
        mp_arena_free(s->calls);
        for (int q = 0; q < s->cap; q++) mp_put(s->queue[q].p);
        mp_put(s->queue);
        mp_put(s->up);
        mp_put(s->down);
    }
    sweep(l, l->filled);
    mp_put(l->elements);
    mp_put(l->range);
    mp_put(l->garbage);
    if (mp_lane_here == l) mp_lane_here = NULL;
    mp_put(l);
}

/* ---- sheets ---- */

int mp_lane_next(const mp_lane *l)
{
    return l->now;
}

mp_err mp_lane_await(mp_lane *l, int sheet)
{
    mp_group *g = l->group;
    rest(l, sheet);
    pthread_mutex_lock(&g->lock);
    mp_err e = g->failure[0] ? mp_fail(MP_ERR_IO, "device: %s", g->failure) : MP_OK;
    pthread_mutex_unlock(&g->lock);
    return e;
}

mp_err mp_lane_wait(mp_lane *l)
{
    mp_err all = MP_OK;
    for (int i = 0; i < MP_SHEETS; i++) {
        mp_err e = mp_lane_await(l, i);
        if (e != MP_OK) all = e;
    }
    return all;
}

static int lanes_of(mp_group *g)
{
    int n = 0;
    pthread_mutex_lock(&g->lock);
    for (const mp_lane *l = g->lanes; l; l = l->next) n++;
    pthread_mutex_unlock(&g->lock);
    return n;
}

void mp_lane_begin(mp_lane *l)
{
    mp_sheet *s = &l->sheet[l->now];
    mp_assert(s->state == MP_SHEET_FREE);
    l->filled++;
    l->beside = lanes_of(l->group);
    sweep(l, l->filled - MP_SHEETS);
    mp_arena_reset(mp_lane_structure(l));
    if (!s->calls) s->calls = arena_of(l, get_structure);
    mp_arena_reset(s->calls);
    s->page_left = 0;
    s->queues = s->phases = s->ups = s->downs = 0;
    mp_lane_here = l;
}

void mp_lane_queue(mp_lane *l)
{
    mp_sheet *s = &l->sheet[l->now];
    int used = s->queues;
    if (used == s->cap) {
        void *list = s->queue;
        (void)one_more(&list, &s->queues, &s->cap, sizeof *s->queue);
        s->queue = list;
        memset(s->queue + used, 0, (size_t)(s->cap - used) * sizeof *s->queue);
    }
    s->queues = used + 1;
    s->queue[used].n = s->queue[used].ops = 0;
    s->queue[used].beside = s->queue[used].apart = false;
    s->queue[used].phase = s->phases;
    mp_lane_here = l;
}

void mp_lane_phase(mp_lane *l)
{
    l->sheet[l->now].phases++;
}

static void add_copy(mp_copy **list, int *n, int *cap, mp_copy c)
{
    void *entries = *list;
    mp_copy *at = one_more(&entries, n, cap, sizeof *at);
    *list = entries;
    *at = c;
}

void mp_lane_down(mp_lane *l, void *host, const void *device, size_t bytes)
{
    mp_sheet *s = &l->sheet[l->now];
    add_copy(&s->down, &s->downs, &s->down_cap, (mp_copy){ host, (void *)(uintptr_t)device, bytes });
}

static void add_ups(mp_lane *l, mp_sheet *s, const mp_arena *a)
{
    void *at;
    size_t used;
    for (int i = 0; mp_arena_piece(a, i, &at, &used); i++)
        if (used) add_copy(&s->up, &s->ups, &s->up_cap, (mp_copy){ at, mp_lane_translate(l, at), used });
}

/* From here on the executing thread reads the sheet; of the lane itself it knows nothing. */
void mp_lane_submit(mp_lane *l)
{
    mp_group *g = l->group;
    mp_sheet *s = &l->sheet[l->now];
    add_ups(l, s, s->structure);
    add_ups(l, s, s->calls);
    pthread_mutex_lock(&g->lock);
    s->state = g->failure[0] ? MP_SHEET_FREE : MP_SHEET_PENDING;
    l->now = (l->now + 1) % MP_SHEETS;
    pthread_cond_signal(&g->submitted);
    pthread_mutex_unlock(&g->lock);
}

/* ---- copies of a lane at rest ---- */

enum { COPY_STREAM = MP_STREAMS - 1 };

static mp_err copied(mp_lane *l, const char *(*copy)(int, void *, const void *, size_t), void *to, const void *from,
                     size_t bytes)
{
    mp_group *g = l->group;
    MP_TRY(mp_lane_wait(l));
    pthread_mutex_lock(&g->copying);
    const char *why = copy(COPY_STREAM, to, from, bytes);
    if (!why) why = g->device->sync(COPY_STREAM);
    pthread_mutex_unlock(&g->copying);
    return why ? mp_fail(MP_ERR_IO, "device: %s", why) : MP_OK;
}

mp_err mp_lane_put(mp_lane *l, void *device, const void *host, size_t bytes)
{
    return copied(l, l->group->device->up, device, host, bytes);
}

mp_err mp_lane_get(mp_lane *l, void *host, const void *device, size_t bytes)
{
    return copied(l, l->group->device->down, host, device, bytes);
}
