/* table.c - the kernels of one instruction set as a table.
 * SPDX-License-Identifier: MIT */
#include "math/kernels.h"
#include "math/simd.h"

#define MP_DECLARE(name, args) void MP_FN(name) args;
MP_KERNEL_LIST(MP_DECLARE)
MP_PLAIN_LIST(MP_PLAIN_DECLARE)

#define MP_TEXT_(x)          #x
#define MP_TEXT(x)           MP_TEXT_(x)
#define MP_ENTRY(name, args) .name = MP_FN(name),
#define MP_PLAIN(name, args) .name = mp_plain_##name,

extern const mp_kernels MP_FN(kernels);
const mp_kernels MP_FN(kernels) = { .isa = MP_TEXT(MP_ISA), MP_KERNEL_LIST(MP_ENTRY) MP_PLAIN_LIST(MP_PLAIN) };
