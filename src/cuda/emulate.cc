/* emulate.cc - a GPU made of loops (device.h), as a module: the kernels' own sources as plain C++, so that what they compute is tested
 * where no GPU is.
 *
 * Addresses of the device's memory are those of a stretch that nobody can read or write; its contents lie at a fixed distance.
 * A host that follows a pointer of the device ends with a fault, and a call with a pointer that is neither in the memory of
 * the device nor in pinned memory is refused, as a GPU would.
 *
 * With MIDPOOL_EMULATED_ORDER=backwards the last thread of a phase, the last block and the last call come first: a kernel whose
 * threads or blocks depend on each other then gives something else, as it would on a GPU now and then.
 *
 * All is done when a function returns; streams have nothing to wait for.
 * SPDX-License-Identifier: MIT */
#include "cuda/all.cuh"
#include "base/flush.h"

#include <map>
#include <mutex>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

bool backwards;

namespace
{

const size_t WHOLE =
    (size_t)1 << 36; /* addresses of the device: more than any test needs, and none of them costs anything */
const size_t LINE = 256;

thread_local char said[256];
char *ground, *contents; /* where addresses begin, and the memory behind them */
std::mutex guard;
std::map<uintptr_t, size_t> taken;  /* pieces of the device's memory: address and bytes */
std::map<uintptr_t, size_t> pinned; /* of the host's */
double stamps[MP_STAMPS];

__attribute__((format(printf, 1, 2))) const char *say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(said, sizeof said, format, list);
    va_end(list);
    return said;
}

bool within(const std::map<uintptr_t, size_t> &pieces, uintptr_t at, size_t bytes)
{
    auto next = pieces.upper_bound(at);
    if (next == pieces.begin()) return false;
    --next;
    return at + bytes <= next->first + next->second;
}

/* The memory behind an address of the device, or behind one of pinned memory; NULL: neither. */
void *behind(const void *p, size_t bytes)
{
    uintptr_t at = (uintptr_t)p;
    if (within(taken, at, bytes)) return contents + (at - (uintptr_t)ground);
    return within(pinned, at, bytes) ? (void *)at : NULL;
}

const char *open_device(char *name, size_t room, size_t *memory, size_t *free)
{
    std::lock_guard<std::mutex> lock(guard);
    if (!ground) {
        const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        void *closed = mmap(NULL, WHOLE, PROT_NONE, flags, -1, 0);
        void *open = mmap(NULL, WHOLE, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (closed == MAP_FAILED || open == MAP_FAILED) return say("no addresses for the memory of an emulated GPU");
        ground = (char *)closed;
        contents = (char *)open;
    }
    const char *order = getenv("MIDPOOL_EMULATED_ORDER");
    if (order && strcmp(order, "backwards") != 0 && strcmp(order, "forwards") != 0)
        return say("MIDPOOL_EMULATED_ORDER: expected forwards or backwards");
    backwards = order && strcmp(order, "backwards") == 0;
    snprintf(name, room, "emulated GPU");
    *memory = *free = WHOLE;
    return NULL;
}

void close_device(void)
{
    std::lock_guard<std::mutex> lock(guard);
    if (ground) {
        munmap(ground, WHOLE);
        munmap(contents, WHOLE);
    }
    ground = contents = NULL;
    taken.clear();
}

/* The first gap that is large enough. */
const char *alloc_memory(void **p, size_t bytes)
{
    std::lock_guard<std::mutex> lock(guard);
    size_t at = 0, need = (bytes + LINE - 1) / LINE * LINE + LINE;
    for (auto &piece : taken) {
        size_t from = piece.first - (uintptr_t)ground;
        if (at + need <= from) break;
        at = (from + piece.second + LINE - 1) / LINE * LINE + LINE; /* a line between pieces is nobody's */
    }
    if (!ground || at + need > WHOLE) return say("an emulated GPU has no %zu bytes left", bytes);
    *p = ground + at;
    taken[(uintptr_t)*p] = bytes;
    return NULL;
}

void release_memory(void *p)
{
    std::lock_guard<std::mutex> lock(guard);
    auto piece = taken.find((uintptr_t)p);
    if (piece == taken.end()) return;
    uintptr_t from = (piece->first - (uintptr_t)ground + 4095) / 4096 * 4096,
              to = piece->first - (uintptr_t)ground + piece->second;
    if (from + 4096 <= to) madvise(contents + from, (to - from) / 4096 * 4096, MADV_DONTNEED);
    taken.erase(piece);
}

const char *pin_memory(void **p, size_t bytes)
{
    std::lock_guard<std::mutex> lock(guard);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return say("no %zu bytes of memory", bytes);
    pinned[(uintptr_t)memory] = bytes;
    *p = memory;
    return NULL;
}

void unpin_memory(void *p)
{
    std::lock_guard<std::mutex> lock(guard);
    auto piece = pinned.find((uintptr_t)p);
    if (piece == pinned.end()) return;
    munmap(p, piece->second);
    pinned.erase(piece);
}

/* The memory of a stretch of the device; else says which stretch is none. */
char *stretch(const void *device, size_t bytes)
{
    std::lock_guard<std::mutex> lock(guard);
    void *memory = within(taken, (uintptr_t)device, bytes) ? behind(device, bytes) : NULL;
    if (!memory) say("%p .. +%zu is not in the memory of the emulated GPU", device, bytes);
    return (char *)memory;
}

const char *copy_up(int stream, void *device, const void *host, size_t bytes)
{
    (void)stream;
    if (bytes == 0) return NULL;
    char *to = stretch(device, bytes);
    if (!to) return said;
    memcpy(to, host, bytes);
    return NULL;
}

const char *copy_down(int stream, void *host, const void *device, size_t bytes)
{
    (void)stream;
    if (bytes == 0) return NULL;
    char *from = stretch(device, bytes);
    if (!from) return said;
    memcpy(host, from, bytes);
    return NULL;
}

const char *fill_memory(int stream, void *device, int byte, size_t bytes)
{
    (void)stream;
    if (bytes == 0) return NULL;
    char *to = stretch(device, bytes);
    if (!to) return said;
    memset(to, byte, bytes);
    return NULL;
}

/* ---- pointers of calls: each is moved to the memory behind it */
struct mover {
    const char *kernel, *wrong; /* wrong: the first argument that points nowhere */

    template <class T> void pointer(T *&p, const char *name)
    {
        if (!p) return;
        T *to = (T *)behind((const void *)p, 0);
        if (!to && !wrong) wrong = name;
        p = to;
    }

#define MP_MOVE(field) pointer(s.field, #field);
#define MP_MOVER(type)                                                                                                 \
    void pointers(type &s)                                                                                             \
    {                                                                                                                  \
        (void)s;                                                                                                       \
        MP_POINTERS_##type(MP_MOVE)                                                                                    \
    }
    MP_MOVER(mp_operand)
    MP_MOVER(mp_blocks)
    MP_MOVER(mp_links)
    MP_MOVER(mp_csr)
    MP_MOVER(mp_affine)
    MP_MOVER(mp_adam)
    MP_MOVER(mp_addends)
    MP_MOVER(mp_classes)
    MP_MOVER(mp_members)
    MP_MOVER(mp_meeting)
#undef MP_MOVER
#undef MP_MOVE
};

#define MP_LEFT(type, name)
#define MP_POINTER(type, name) m.pointer(c.name, #name);
#define MP_INSIDE(type, name)  m.pointers(c.name);
#define MP_MOVE_CALL(kernel)                                                                                           \
    void move_call(mover &m, mp_call_##kernel &c)                                                                      \
    {                                                                                                                  \
        MP_CALL_##kernel(MP_LEFT, MP_POINTER, MP_INSIDE, MP_INSIDE, )                                                  \
    }
MP_CUDA_LIST(MP_MOVE_CALL)
#undef MP_MOVE_CALL

template <class K> const char *execute(const char *name, const void *const *calls, const int *first, int n)
{
    for (int turn = 0; turn < n; turn++) {
        int i = turn_of(turn, n);
        typename K::call c;
        mover m = { name, NULL };
        {
            std::lock_guard<std::mutex> lock(guard);
            const void *call = behind(calls[i], sizeof c);
            if (!call) return say("%s: call %d of %d is not where a GPU could read it", name, i, n);
            c = *(const typename K::call *)call;
            move_call(m, c);
        }
        if (m.wrong) return say("%s, call %d of %d: %s points to memory that a GPU cannot reach", name, i, n, m.wrong);
        int blocks = first[i + 1] - first[i];
        if (blocks < K::blocks(c)) return say("%s, call %d of %d: %d blocks, not %d", name, i, n, blocks, K::blocks(c));
        for (int b = 0; b < blocks; b++) K::run(c, turn_of(b, blocks));
    }
    return NULL;
}

const char *launch_calls(int stream, const mp_launch *what)
{
    (void)stream;
    typedef const char *(*executes)(const char *, const void *const *, const int *, int);
#define MP_EXECUTES(name) execute<kernel_##name>,
    static const executes table[MP_CUDA_KERNELS] = { MP_CUDA_ALL(MP_EXECUTES) };
#undef MP_EXECUTES
    if (what->n == 0) return NULL;
    const void *const *calls;
    const int *first;
    {
        std::lock_guard<std::mutex> lock(guard);
        calls = (const void *const *)behind(what->calls, (size_t)what->n * sizeof *calls);
        first = (const int *)behind(what->first, ((size_t)what->n + 1) * sizeof *first);
    }
    if (!calls || !first) return say("%s: its calls are not where a GPU could read them", mp_call_name[what->kernel]);
    if (first[0] != 0 || first[what->n] != what->blocks)
        return say("%s: blocks are miscounted", mp_call_name[what->kernel]);
    unsigned before = mp_flush_on();
    const char *why = table[what->kernel](mp_call_name[what->kernel], calls, first, what->n);
    mp_flush_off(before);
    return why;
}

const char *wait_for(int stream, int other)
{
    (void)stream;
    (void)other;
    return NULL;
}

const char *sync_stream(int stream)
{
    (void)stream;
    return NULL;
}

bool is_idle(int stream)
{
    (void)stream;
    return true;
}

const char *take_stamp(int stream, int stamp)
{
    (void)stream;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    stamps[stamp] = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    return NULL;
}

const char *time_between(int from, int to, double *seconds)
{
    *seconds = stamps[to] - stamps[from];
    return NULL;
}

} // namespace

void *reached(const void *p)
{
    std::lock_guard<std::mutex> lock(guard);
    return p ? behind(p, 0) : NULL;
}

extern "C" __attribute__((visibility("default")))
const mp_device mp_cuda_plugin = { MP_DEVICE_ABI, "emulated",     "plain loops", open_device,  close_device,
                                   alloc_memory,  release_memory, pin_memory,    unpin_memory, copy_up,
                                   copy_down,     fill_memory,    blocks_needed, launch_calls, wait_for,
                                   sync_stream,   is_idle,        take_stamp,    time_between };
