/* alloc.c - see alloc.h. Pieces are counted, so that nothing is given back to another allocator than it came from.
 * SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "base/err.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static mp_allocator host; /* get NULL: malloc. Written before threads start */
static atomic_size_t pieces;

mp_err mp_allocator_set(const mp_allocator *a)
{
    if (a && (!a->get || !a->put)) return mp_fail(MP_ERR_USAGE, "mp_allocator_set: get or put is NULL");
    size_t held = atomic_load(&pieces);
    if (held)
        return mp_fail(MP_ERR_USAGE, "mp_allocator_set: the library holds %zu pieces of memory already; call it first",
                       held);
    host = a ? *a : (mp_allocator){ 0 };
    return MP_OK;
}

static void *counted(void *p)
{
    if (p) atomic_fetch_add(&pieces, 1);
    return p;
}

void *mp_get(size_t bytes, size_t align)
{
    void *p = NULL;
    if (host.get) return counted(host.get(host.state, bytes, align));
    if (align <= _Alignof(max_align_t)) return counted(malloc(bytes));
    return posix_memalign(&p, align, bytes) == 0 ? counted(p) : NULL;
}

void *mp_get_zero(size_t count, size_t size)
{
    if (!host.get) return counted(calloc(count, size));
    if (size && count > SIZE_MAX / size) return NULL;
    void *p = mp_get(count * size, _Alignof(max_align_t));
    return p ? memset(p, 0, count * size) : NULL;
}

void *mp_get_more(void *old, size_t used, size_t bytes)
{
    if (!old) return mp_get(bytes, _Alignof(max_align_t));
    if (!host.get) return realloc(old, bytes);
    void *p = mp_get(bytes, _Alignof(max_align_t));
    if (!p) return NULL;
    memcpy(p, old, used);
    mp_put(old);
    return p;
}

void mp_put(void *p)
{
    if (!p) return;
    atomic_fetch_sub(&pieces, 1);
    if (host.get)
        host.put(host.state, p);
    else
        free(p);
}
