/* device.h - what midpool asks of a GPU, as a table of functions: memory, copies, launches. Two implement it from the same kernel
 * sources: the module midpool_cuda.so, which is looked for when a GPU is asked for, and the emulator, where a loop stands in
 * place of the grid and the device's memory is closed to the host between calls.
 *
 * A function that can fail returns the reason, NULL when all is well; the text stays until the next call of that thread.
 * Copies, fills and launches are queued in one of MP_STREAMS streams and run in the order of it; an error of theirs may show
 * at a later call, at the latest in `sync`. Any thread may call, one at a time for each stream.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_DEVICE_H
#define MP_CUDA_DEVICE_H

#include "cuda/calls.h"

#include <stddef.h>
#include <stdint.h>

/* Of mp_device and all it reads: another number, another layout. */
#define MP_DEVICE_ABI    3
#define MP_DEVICE_SYMBOL "mp_cuda_plugin" /* the one name that the module shows: an mp_device */

enum { MP_STREAMS = 4, MP_STAMPS = 4096 };

/* Calls of one kernel that a launch executes: all of these lie in the device's memory. */
typedef struct mp_launch {
    mp_cuda_kernel kernel;
    const void *const *calls; /* n structs mp_call_KERNEL */
    const int *first;         /* n + 1: call i has the blocks first[i] .. first[i+1]-1 */
    int n;
    int blocks; /* first[n] */
} mp_launch;

typedef struct mp_device {
    int abi;          /* MP_DEVICE_ABI of the implementation */
    const char *kind; /* "cuda", "emulated" */
    const char *made; /* "CUDA 13.0, sm_90" */

    /* Takes the device: its name and memory in bytes, in all and free. */
    const char *(*open)(char *name, size_t room, size_t *memory, size_t *free);
    void (*close)(void);

    const char *(*alloc)(void **p, size_t bytes); /* memory of the device, its addresses multiples of 256 */
    void (*release)(void *p);
    const char *(*pin)(void **p, size_t bytes); /* memory of the host that copies read and write quickly */
    void (*unpin)(void *p);

    const char *(*up)(int stream, void *device, const void *host, size_t bytes); /* host: pinned, or the call waits */
    const char *(*down)(int stream, void *host, const void *device, size_t bytes);
    const char *(*fill)(int stream, void *device, int byte, size_t bytes);

    /* The blocks that a call of the kernel needs; 0: there is nothing to do, and it may be left out. Its pointers are those of
     * the device already; nothing is read through them. The kernel may become another one, made for calls of that shape, or for
     * launches of few calls; runs: how many go on side by side, so that each has a call like it. */
    int (*blocks)(mp_cuda_kernel *kernel, const void *call, int runs);
    const char *(*launch)(int stream, const mp_launch *what);

    const char *(*after)(int stream, int other); /* what comes next in `stream` waits for all that is in `other` now */
    const char *(*sync)(int stream);             /* all of the stream is done, and went well */
    bool (*idle)(int stream);                    /* whether it is done, well or not */

    /* Times: a stamp is taken when the stream gets there; seconds between two that were passed. */
    const char *(*stamp)(int stream, int stamp);
    const char *(*between)(int from, int to, double *seconds);
} mp_device;

/* The bytes of a call of each kernel, and its name. */
extern const size_t mp_call_bytes[MP_CUDA_KERNELS];
extern const char *const mp_call_name[MP_CUDA_KERNELS];

#endif
