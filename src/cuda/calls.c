/* calls.c - sizes and names of calls (device.h).
 * SPDX-License-Identifier: MIT */
#include "cuda/device.h"

#define BYTES(name) sizeof(mp_call_##name),
#define NAME(name)  #name,
const size_t mp_call_bytes[MP_CUDA_KERNELS] = { MP_CUDA_ALL(BYTES) };
const char *const mp_call_name[MP_CUDA_KERNELS] = { MP_CUDA_ALL(NAME) };
