/* test_gradients.c - the gradient of every op agrees with central differences. The table of cases comes from the list of
 * ops; check_rows.c and check_edges.c have the cases.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check_ops.h"
#include "gradcheck.h"

/* The checker itself: wrong gradients, and gradients that are NaN, must be noticed. */
typedef struct wrong {
    mp_mat *out, *x;
    mp_real factor;
} wrong;

static void wrong_back(void *p, mp_ctx *c)
{
    wrong *a = p;
    c->k->axpy(a->x->g, a->factor, a->out->g, !mp_grad_store(c, a->x), 1);
}

static mp_mat *twice(mp_ctx *c, mp_mat *x, mp_real claimed)
{
    mp_mat *out = mp_mat_new(c, 1, 1);
    out->v[0] = 2 * x->v[0];
    MP_RECORD(c, wrong_back, wrong, out, x, claimed);
    return out;
}

static int failures(mp_real claimed)
{
    mp_check *t = mp_check_new(1);
    mp_mat *x = mp_check_input(t, 1, 1);
    t->count_only = true;
    MP_GRADCHECK(t, twice(&t->ctx, x, claimed));
    int n = t->failures;
    mp_check_free(t);
    return n;
}

static void a_wrong_gradient_is_noticed(void **state)
{
    (void)state;
    assert_int_equal(failures(2), 0);
    assert_int_equal(failures((mp_real)2.000001), 1);
    assert_int_equal(failures((mp_real)NAN), 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(check_##name, mp_check_setup, mp_check_teardown),

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_wrong_gradient_is_noticed), MP_OP_LIST(CASE) };
    return cmocka_run_group_tests_name("gradients of ops", tests, NULL, NULL);
}
