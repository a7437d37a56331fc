/* record.c - kernels that compute nothing: each notes its call, with the device's addresses, in the queue at hand (lane.h). The
 * functions come from the lists of calls.h.
 * SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "base/guard.h"
#include "cuda/lane_own.h"

#include <string.h>

_Thread_local mp_lane *mp_lane_here;

#define PAGE ((size_t)1 << 15) /* of calls: more than any needs */

static void *there(const void *p)
{
    return mp_lane_translate(mp_lane_here, p);
}

static mp_note *next_note(mp_calls *q)
{
    if (q->n == q->cap) {
        int cap = mp_room(q->cap, q->n + 1, 256, "calls");
        mp_note *more = mp_get((size_t)cap * sizeof *more, 16);
        if (!more) mp_give_up(mp_no_memory((size_t)cap * sizeof *more));
        if (q->n) memcpy(more, q->p, (size_t)q->n * sizeof *more);
        mp_put(q->p);
        q->p = more;
        q->cap = cap;
    }
    return &q->p[q->n++];
}

static void note(mp_cuda_kernel kernel, const void *call, size_t bytes)
{
    mp_assert(mp_lane_here != NULL);
    mp_sheet *s = &mp_lane_here->sheet[mp_lane_here->now];
    mp_assert(s->queues > 0);
    int blocks = mp_lane_here->group->device->blocks(&kernel, call, mp_lane_here->beside);
    size_t need = (bytes + 15) / 16 * 16;
    mp_calls *q = &s->queue[s->queues - 1];
    if (blocks == 0) { /* nothing to do, but the call after it is not beside those before it */
        q->apart = q->apart || !q->beside;
        q->beside = false;
        return;
    }
    if (need > s->page_left) {
        s->page = mp_arena_raw(s->calls, 1, PAGE);
        s->page_there = there(s->page);
        s->page_left = PAGE;
    }
    memcpy(s->page, call, bytes);
    bool beside =
        q->beside && !q->apart && q->n > 0 && q->p[q->n - 1].kernel == kernel && q->p[q->n - 1].place == q->ops;
    *next_note(q) = (mp_note){ s->page_there, blocks, (uint16_t)kernel & 0x7fff, beside, q->ops };
    q->beside = q->apart = false;
    s->page += need;
    s->page_there += need;
    s->page_left -= need;
}

static mp_calls *queue_here(void)
{
    mp_sheet *s = &mp_lane_here->sheet[mp_lane_here->now];
    return &s->queue[s->queues - 1];
}

static void beside(void)
{
    queue_here()->beside = true;
}

static void op_done(void)
{
    mp_calls *q = queue_here();
    if (q->ops < UINT16_MAX) q->ops++; /* beyond, calls just meet less often */
}

/* Structs of pointers, with each where the device has it. */
#define MOVE(field) s.field = there(s.field);
#define MOVED(type)                                                                                                    \
    static type moved_##type(type s)                                                                                   \
    {                                                                                                                  \
        MP_POINTERS_##type(MOVE) return s;                                                                             \
    }
MOVED(mp_operand)
MOVED(mp_blocks)
MOVED(mp_links)
MOVED(mp_csr)
MOVED(mp_adam)
MOVED(mp_affine)
MOVED(mp_addends)
MOVED(mp_classes)
MOVED(mp_members)
MOVED(mp_meeting)

#define COMMA                   ,
#define TAKES(type, name)       type name
#define TAKES_COPY(type, name)  const type *name
#define GIVES(type, name)       .name = name
#define GIVES_AT(type, name)    .name = there(name)
#define GIVES_MOVED(type, name) .name = moved_##type(name)
#define GIVES_COPY(type, name)  .name = moved_##type(*name)
#define RECORD(name)                                                                                                   \
    static void record_##name(MP_CALL_##name(TAKES, TAKES, TAKES, TAKES_COPY, COMMA))                                  \
    {                                                                                                                  \
        mp_call_##name call = { MP_CALL_##name(GIVES, GIVES_AT, GIVES_MOVED, GIVES_COPY, COMMA) };                     \
        note(MP_CUDA_##name, &call, sizeof call);                                                                      \
    }
MP_CUDA_LIST(RECORD)

static _Noreturn void refuse(const char *name)
{
    mp_give_up(
        mp_fail(MP_ERR_USAGE, "device: the GPU has no kernel '%s', which this method needs; take --device cpu", name));
}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define ABSENT(name, args)                                                                                             \
    static void absent_##name args                                                                                     \
    {                                                                                                                  \
        refuse(#name);                                                                                                 \
    }
MP_KERNEL_LIST(ABSENT)
MP_PLAIN_LIST(ABSENT)

static mp_kernels table;
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make(void)
{
#define REFUSES(name, args) .name = absent_##name,
    table = (mp_kernels){
        .isa = "recording", .op_done = op_done, .beside = beside, MP_KERNEL_LIST(REFUSES) MP_PLAIN_LIST(REFUSES)
    };
#define RECORDS(name) table.name = record_##name;
    MP_CUDA_LIST(RECORDS)
}

const mp_kernels *mp_lane_kernels(void)
{
    pthread_once(&made, make);
    return &table;
}
