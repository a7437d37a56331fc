/* check_ops.h - one gradient test for every op of grad/op_list.h, by name: an op without one does not link.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_CHECK_OPS_H
#define MP_TEST_CHECK_OPS_H

#include "grad/op_list.h"

#define MP_CHECK_DECLARE(name) void check_##name(void **state);
MP_OP_LIST(MP_CHECK_DECLARE)

#endif
