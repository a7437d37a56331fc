/* test_stop.c - the rule of early stopping on scripted losses.
 * SPDX-License-Identifier: MIT */
#include "train/stop.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Runs the rule on losses (the last one repeats) and returns the number of epochs until it stops, at most
 * `cap`. */
static int epochs_until_stop(mp_stop *s, int patience, const double *loss, int n, int cap)
{
    mp_stop_init(s, patience);
    int epoch = 0;
    while (epoch < cap && !mp_stop_now(s)) {
        epoch++;
        mp_stop_better(s, epoch, loss[epoch <= n ? epoch - 1 : n - 1]);
    }
    return epoch;
}

static void stops_after_patience_plus_one_epochs_without_a_better_loss(void **state)
{
    (void)state;
    static const double loss[] = { 3, 2, 1, 1.5 };
    mp_stop s;
    assert_int_equal(epochs_until_stop(&s, 50, loss, 4, 1000), 3 + 51);
    assert_int_equal(s.best_epoch, 3);
    assert_int_equal(s.since, 51);
}

static void the_weights_of_an_epoch_are_kept_when_its_loss_is_the_best_so_far(void **state)
{
    (void)state;
    static const double loss[] = { 3, 4, 3, 2, 2.5 };
    static const bool better[] = { true, false, false, true, false };
    mp_stop s;
    mp_stop_init(&s, 9);
    for (int i = 0; i < 5; i++) assert_int_equal(mp_stop_better(&s, i + 1, loss[i]), better[i]);
    mp_stop_init(&s, 0);
    for (int i = 0; i < 5; i++) assert_true(mp_stop_better(&s, i + 1, loss[i]));
}

static void an_equal_loss_is_not_better(void **state)
{
    (void)state;
    static const double loss[] = { 1 };
    mp_stop s;
    assert_int_equal(epochs_until_stop(&s, 2, loss, 1, 1000), 1 + 3);
    assert_int_equal(s.best_epoch, 1);
}

static void the_counter_starts_again_at_a_better_loss(void **state)
{
    (void)state;
    static const double loss[] = { 5, 6, 6, 4, 6, 6, 6, 3, 9 };
    mp_stop s;
    assert_int_equal(epochs_until_stop(&s, 2, loss, 9, 1000), 4 + 3); /* the 3 at epoch 8 comes too late */
    assert_int_equal(s.best_epoch, 4);
    assert_int_equal(epochs_until_stop(&s, 3, loss, 9, 1000), 8 + 4);
    assert_int_equal(s.best_epoch, 8);
}

static void the_cap_ends_it_when_losses_keep_falling(void **state)
{
    (void)state;
    double loss[40];
    for (int i = 0; i < 40; i++) loss[i] = 40 - i;
    mp_stop s;
    assert_int_equal(epochs_until_stop(&s, 1, loss, 40, 40), 40);
    assert_int_equal(s.best_epoch, 40);
    assert_false(mp_stop_now(&s));
}

static void nan_is_never_better(void **state)
{
    (void)state;
    const double loss[] = { 2, (double)NAN };
    mp_stop s;
    assert_int_equal(epochs_until_stop(&s, 4, loss, 2, 1000), 1 + 5);
    assert_int_equal(s.best_epoch, 1);
}

static void without_patience_the_last_epoch_counts(void **state)
{
    (void)state;
    static const double loss[] = { 1, 2, 3, 4 };
    mp_stop s;
    assert_int_equal(epochs_until_stop(&s, 0, loss, 4, 70), 70);
    assert_int_equal(s.best_epoch, 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_after_patience_plus_one_epochs_without_a_better_loss),
        cmocka_unit_test(the_weights_of_an_epoch_are_kept_when_its_loss_is_the_best_so_far),
        cmocka_unit_test(an_equal_loss_is_not_better),
        cmocka_unit_test(the_counter_starts_again_at_a_better_loss),
        cmocka_unit_test(the_cap_ends_it_when_losses_keep_falling),
        cmocka_unit_test(nan_is_never_better),
        cmocka_unit_test(without_patience_the_last_epoch_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
