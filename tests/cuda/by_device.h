/* by_device.h - a table of kernels whose calls a device executes: the emulator, or with MIDPOOL_CUDA_TEST=device the GPU.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_BY_DEVICE_H
#define MP_TEST_BY_DEVICE_H

#include "cuda/device.h"

/* The device under test, taken; NULL and a word where there is none. All memory of the library comes from then on from memory
 * that host and device can reach. */
const mp_device *by_device_open(void);

/* Kernels of calls.h record calls, in the queue `queue`; the others are the base set's and compute at once. */
extern const mp_kernels by_device_kernels;
void by_device_queue(int queue);

/* Executes what is recorded: in each wave every queue gives its next call, and calls of one kernel are one launch. Returns how
 * many launches there were. */
int by_device_execute(void);

/* Arrays of runs in the memory that both can reach, with marks behind each that are checked when it is put back. */
void *by_device_get(size_t bytes);
void by_device_put(void *p);

#endif
