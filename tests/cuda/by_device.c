/* by_device.c - see by_device.h.
 * SPDX-License-Identifier: MIT */
#include "by_device.h"
#include "base/err.h"
#include "midpool.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#define SLAB   ((size_t)1 << 29)
#define QUEUES 128

static const mp_device *device;
static char *slab;
static size_t used, live;

static void good(const char *why)
{
    if (why) fail_msg("%s", why);
}

/* ---- memory: from the slab upwards; when all is back, from its beginning again */
static void *slab_get(void *state, size_t bytes, size_t align)
{
    (void)state;
    size_t at = (used + align - 1) / align * align;
    if (at + bytes > SLAB) return NULL;
    used = at + bytes;
    live++;
    return slab + at;
}

static void slab_put(void *state, void *memory)
{
    (void)state;
    (void)memory;
    if (--live == 0) used = 0;
}

#define GUARD 64
#define MARK  0x5a

void *by_device_get(size_t bytes)
{
    char *p = slab_get(NULL, bytes + 2 * GUARD, 64);
    if (!p) return NULL;
    memcpy(p, &bytes, sizeof bytes);
    memset(p + GUARD, 0, bytes);
    memset(p + GUARD + bytes, MARK, GUARD);
    return p + GUARD;
}

void by_device_put(void *p)
{
    size_t bytes;
    memcpy(&bytes, (char *)p - GUARD, sizeof bytes);
    for (size_t i = 0; i < GUARD; i++) assert_int_equal(((char *)p)[bytes + i], MARK);
    slab_put(NULL, p);
}

/* ---- calls */
typedef struct entry {
    mp_cuda_kernel kernel; /* the one that executes it, once the call is complete */
    int blocks;
    struct entry *next;
    max_align_t call[32];
} entry;
static entry *first[QUEUES], *last[QUEUES];
static int at_queue;

void by_device_queue(int queue)
{
    assert_true(queue >= 0 && queue < QUEUES);
    at_queue = queue;
}

static void *record(mp_cuda_kernel kernel)
{
    entry *e = calloc(1, sizeof *e);
    assert_non_null(e);
    assert_true(mp_call_bytes[kernel] <= sizeof e->call);
    e->kernel = kernel;
    if (last[at_queue])
        last[at_queue]->next = e;
    else
        first[at_queue] = e;
    last[at_queue] = e;
    return e->call;
}

#define COMMA                ,
#define SEMICOLON            ;
#define PARAM(type, name)    type name
#define PARAM_OF(type, name) const type *name
#define TAKEN(type, name)    call_->name = name
#define TAKEN_OF(type, name) call_->name = *name
#define RECORD(name)                                                                                                   \
    static void record_##name(MP_CALL_##name(PARAM, PARAM, PARAM, PARAM_OF, COMMA))                                    \
    {                                                                                                                  \
        mp_call_##name *call_ = record(MP_CUDA_##name);                                                                \
        MP_CALL_##name(TAKEN, TAKEN, TAKEN, TAKEN_OF, SEMICOLON);                                                      \
    }
MP_CUDA_LIST(RECORD)

#define ROW(name) .name = record_##name,
const mp_kernels by_device_kernels = { .isa = "device", MP_CUDA_LIST(ROW) };

/* One launch of the calls of a kernel that stand first in their queues. */
static bool launch(mp_cuda_kernel kernel, entry *const *wave)
{
    size_t each = mp_call_bytes[kernel];
    bool any = false;
    for (int q = 0; q < QUEUES; q++) any |= wave[q] && wave[q]->kernel == kernel;
    if (!any) return false;
    char *calls = slab_get(NULL, QUEUES * each, 64);
    const void **list = slab_get(NULL, QUEUES * sizeof *list, 64);
    int *ptr = slab_get(NULL, (QUEUES + 1) * sizeof *ptr, 64), n = 0;
    assert_true(calls && list && ptr);
    ptr[0] = 0;
    for (int q = 0; q < QUEUES; q++) {
        if (!wave[q] || wave[q]->kernel != kernel) continue;
        list[n] = memcpy(calls + (size_t)n * each, wave[q]->call, each);
        ptr[n + 1] = ptr[n] + wave[q]->blocks;
        n++;
    }
    mp_launch what = { kernel, list, ptr, n, ptr[n] };
    good(device->launch(0, &what));
    good(device->sync(0));
    slab_put(NULL, ptr);
    slab_put(NULL, list);
    slab_put(NULL, calls);
    return true;
}

int by_device_execute(void)
{
    int launches = 0;
    for (;;) {
        entry *wave[QUEUES];
        bool any = false;
        for (int q = 0; q < QUEUES; q++) {
            wave[q] = first[q];
            any |= wave[q] != NULL;
            if (!wave[q]) continue;
            first[q] = wave[q]->next;
            wave[q]->blocks = device->blocks(&wave[q]->kernel, wave[q]->call, q == 0 ? 1 : 1000); /* alone, or not */
        }
        if (!any) break;
        for (int k = 0; k < MP_CUDA_KERNELS; k++) launches += launch((mp_cuda_kernel)k, wave);
        for (int q = 0; q < QUEUES; q++) free(wave[q]);
    }
    memset(last, 0, sizeof last);
    return launches;
}

/* ---- the device */
const mp_device *by_device_open(void)
{
    const char *asked = getenv("MIDPOOL_CUDA_TEST"), *folder = getenv("MIDPOOL_PLUGINS");
    bool real = asked && strcmp(asked, "device") == 0;
    char path[4096], name[256];
    size_t memory, left;
    snprintf(path, sizeof path, "%s/midpool_%s.so", folder ? folder : ".", real ? "cuda" : "emulated");
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module) {
        print_message("%s\n", dlerror());
        return NULL;
    }
    device = dlsym(module, MP_DEVICE_SYMBOL);
    assert_non_null(device);
    assert_int_equal(device->abi, MP_DEVICE_ABI);
    good(device->open(name, sizeof name, &memory, &left));
    print_message("%s (%s): %s, %zu MiB free of %zu\n", device->kind, device->made, name, left >> 20, memory >> 20);
    void *p;
    good(device->pin(&p, SLAB));
    slab = p;
    static const mp_allocator from_slab = { slab_get, slab_put, NULL };
    assert_int_equal(mp_allocator_set(&from_slab), MP_OK);
    return device;
}
