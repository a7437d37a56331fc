/* test_op_edges.c - what ops promise where no gradient check looks: random streams that go on, columns of zeros.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grad/ops.h"
#include "rig.h"

static mp_ctx context(mp_rig *r)
{
    return (mp_ctx){ .arena = r->memory,
                     .k = mp_kernels_get(),
                     .rng = mp_rng_stream(3, MP_FOR_STEP, 0, 0, 0),
                     .training = true,
                     .record = true };
}

/* One random number serves two elements. The next draw begins behind the last number that was used. */
static void dropout_uses_no_random_number_twice(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(1);
    for (int n = 1; n <= 9; n++) {
        mp_ctx c = context(&r);
        uint64_t before = c.rng.count;
        mp_dropout(&c, mp_rig_mat(&r, n, 1), 0.5);
        assert_int_equal(c.rng.count - before, (n + 1) / 2);
    }
    mp_rig_free(&r);
}

static void a_column_of_zeros_stays_zero_and_gets_no_gradient(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(2);
    mp_ctx c = context(&r);
    mp_mat *p = mp_rig_mat(&r, 4, 2);
    for (int i = 0; i < 4; i++) p->v[2 * i + 1] = 0;
    mp_mat *q = mp_unit_cols(&c, p);
    mp_real *dq = mp_grad_zeroed(&c, q);
    for (int i = 0; i < 8; i++) dq[i] = (mp_real)(i + 1);
    mp_tape_back(&c);
    double norm = 0;
    for (int i = 0; i < 4; i++) {
        norm += pow((double)q->v[2 * i], 2);
        assert_true(q->v[2 * i + 1] == 0 && p->g[2 * i + 1] == 0);
        assert_true(isfinite((double)p->g[2 * i]) && p->g[2 * i] != 0);
    }
    assert_true(fabs(norm - 1) < 1e-6);
    mp_rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropout_uses_no_random_number_twice),
        cmocka_unit_test(a_column_of_zeros_stays_zero_and_gets_no_gradient),
    };
    return cmocka_run_group_tests_name("ops at their edges", tests, NULL, NULL);
}
