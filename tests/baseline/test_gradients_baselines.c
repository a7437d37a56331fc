/* test_gradients_baselines.c - gradients of every baseline's whole network agree with central differences.
 *
 * A step of 1e-5 may cross a kink of ReLU or change what is sorted, contracted or the largest; that shows as
 * a few wrong entries with some inputs. A wrong derivative shows with all of them, so one draw without errors
 * is asked for.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gradcheck.h"
#include "nets.h"

#define DRAWS 40

static int errors(net *n, uint64_t seed, double *worst)
{
    static const int sizes[] = { 7, 9, 1, 6 }, label[] = { 0, 2, 1, 2 };
    mp_check *t = mp_check_new(seed);
    mp_graph g = mp_rig_graph(&t->rig, 4, sizes, 0.35, 0);
    mp_sparse x = net_features(&t->rig, g.nodes);
    mp_check_params(t, mp_model_params(n->model));
    t->count_only = true;
    t->most = 25;
    for (mp_check_begin(t, n->what); mp_check_next(t);) {
        mp_mat *aux = NULL, *y = mp_model_forward(n->model, &t->ctx, mp_check_fresh(t, &g), &x, NULL, NULL, &aux);
        mp_check_value(t, mp_xent(&t->ctx, y, label, 0.25, NULL));
        if (aux) mp_check_value(t, aux);
    }
    int failures = t->failures;
    *worst = t->worst;
    mp_check_free(t);
    return failures;
}

static void network(mp_rig *r, net *n, void *state)
{
    (void)r;
    (void)state;
    int least = -1;
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        double worst;
        int wrong = errors(n, seed, &worst);
        if (wrong == 0) {
            print_message("%-45s largest error %.1e, draw %d\n", n->what, worst, (int)seed);
            return;
        }
        least = least < 0 || wrong < least ? wrong : least;
    }
    fail_msg("%s: at least %d entries differ in each of %d draws", n->what, least, DRAWS);
}

static void every_network(void **state)
{
    (void)state;
    net_each(network, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_network) };
    return cmocka_run_group_tests_name("gradients of baselines", tests, NULL, NULL);
}
