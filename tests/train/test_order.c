/* test_order.c - runs as bytes: what is ordered elsewhere is what is trained here, and bytes that are no order are refused.
 * SPDX-License-Identifier: MIT */
#include "train/order.h"
#include "base/guard.h"
#include "base/rng.h"
#include "data/parcel.h"
#include "train/once.h"
#include "tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

typedef struct fixture {
    mp_arena *a;
    mp_dataset d;
    mp_folds f;
    mp_order order;
    mp_buf bytes;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){ .a = mp_arena_new(1 << 20) };
    mp_config c;
    mp_config_init(&c);
    if (tiny_make(f.a, false, &f.d, &f.f) != MP_OK) return 1;
    if (mp_conf_set_all(
            mp_config_table, &c,
            "pool=topk hidden=16 layers=2 epochs=3 lr=0.0012345678901234567 lr-drop=1,2 drop=0.1 score-dim=3 "
            "metric=accuracy seed=7 alpha=0.3",
            "test") != MP_OK)
        return 1;
    f.order = (mp_order){
        .run = { .key = mp_run_key_of(&f.d, &f.f, &f.f.split[0], &c), .data = &f.d, .split = &f.f.split[0] },
        .data = "0123",
        .threads = 2,
        .model = true,
        .resume_dir = "r.db.unfinished"
    };
    mp_order_pack(&f.order, &f.bytes);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    mp_buf_free(&f->bytes);
    mp_arena_free(f->a);
    return 0;
}

static void an_order_arrives_as_it_was_sent(void **state)
{
    fixture *f = *state;
    mp_order o;
    char here[65], there[65];
    assert_int_equal(mp_order_unpack((mp_span){ f->bytes.p, f->bytes.n }, f->a, &o), MP_OK);
    assert_true(mp_conf_equal(mp_config_table, &o.run.key.config, &f->order.run.key.config));
    mp_run_key_hash(&f->order.run.key, here);
    mp_run_key_hash(&o.run.key, there);
    assert_string_equal(here, there);
    assert_int_equal(o.threads, 2);
    assert_true(o.model);
    assert_string_equal(o.resume_dir, "r.db.unfinished");
    assert_string_equal(o.data, "0123");
    const mp_split *s = f->order.run.split, *t = o.run.split;
    assert_true(t->n_train == s->n_train && t->n_val == s->n_val && t->n_test == s->n_test);
    assert_memory_equal(t->train, s->train, sizeof *s->train * (size_t)s->n_train);
    assert_memory_equal(t->val, s->val, sizeof *s->val * (size_t)s->n_val);
    assert_memory_equal(t->test, s->test, sizeof *s->test * (size_t)s->n_test);
    assert_int_equal(mp_order_fits(&o, f->d.graphs.graphs), MP_OK);
    assert_int_equal(mp_order_fits(&o, 10), MP_ERR_INPUT);
}

/* The model of a run that knows nothing but bytes. */
static void a_run_on_copies_gives_the_same_model(void **state)
{
    fixture *f = *state;
    mp_order o;
    mp_dataset copy;
    mp_buf data = { 0 };
    mp_run_result here, there;
    mp_fit_options fit = { 0 };
    mp_dataset_pack(&f->d, &data);
    assert_int_equal(mp_dataset_unpack((mp_span){ data.p, data.n }, f->a, &copy), MP_OK);
    assert_int_equal(mp_order_unpack((mp_span){ f->bytes.p, f->bytes.n }, f->a, &o), MP_OK);
    assert_int_equal(mp_run_once(&f->d, f->order.run.split, &f->order.run.key, 1, &fit, f->a, &here, NULL), MP_OK);
    assert_int_equal(mp_run_once(&copy, o.run.split, &o.run.key, o.threads, &fit, f->a, &there, NULL), MP_OK);
    assert_string_equal(here.model_sha256, there.model_sha256);
    assert_true(here.val_loss == there.val_loss && here.test_metric == there.test_metric);
    mp_buf_free(&data);
}

static void orders_that_were_damaged_are_refused(void **state)
{
    fixture *f = *state;
    mp_order o;
    for (size_t i = 0; i < f->bytes.n; i += 7) {
        assert_int_equal(mp_order_unpack((mp_span){ f->bytes.p, i }, f->a, &o), MP_ERR_INPUT);
        f->bytes.p[i] ^= 32;
        assert_int_equal(mp_order_unpack((mp_span){ f->bytes.p, f->bytes.n }, f->a, &o), MP_ERR_INPUT);
        f->bytes.p[i] ^= 32;
    }
}

typedef struct trial {
    mp_span bytes;
    mp_arena *a;
    mp_order o;
} trial;

static mp_err unpack(void *arg)
{
    trial *t = arg;
    return mp_order_unpack(t->bytes, t->a, &t->o);
}

static void nonsense_under_a_seal_is_refused_or_is_an_order(void **state)
{
    fixture *f = *state;
    mp_rng rng = mp_rng_stream(4, MP_FOR_TEST, 0, 0, 0);
    int refused = 0;
    for (int i = 0; i < 3000; i++) {
        mp_arena *a = mp_arena_new(1 << 16);
        size_t at = MP_SEAL_DIGITS + (size_t)mp_rng_below(&rng, (int)f->bytes.n - MP_SEAL_DIGITS);
        char was = f->bytes.p[at];
        f->bytes.p[at] = (char)mp_rng_below(&rng, 256);
        mp_bytes_seal(&f->bytes, 0);
        trial t = { { f->bytes.p, f->bytes.n }, a, { .threads = 0 } };
        if (mp_guarded(unpack, &t) != MP_OK)
            refused++;
        else
            assert_true(mp_order_fits(&t.o, f->d.graphs.graphs) == MP_OK || strstr(mp_message(), "has not"));
        f->bytes.p[at] = was;
        mp_arena_free(a);
    }
    assert_true(refused > 1000);
}

static void half_an_answer_is_refused(void **state)
{
    fixture *f = *state;
    mp_buf result = { 0 }, answer = { 0 };
    mp_run_result r = { .epochs = 1, .curve_len = 0 }, got;
    mp_span model;
    mp_run_result_pack(&r, &result);
    mp_bytes_put_list(&answer, result.p, result.n, 1);
    mp_bytes_put_list(&answer, "model", 5, 1);
    assert_int_equal(mp_answer_unpack((mp_span){ answer.p, answer.n }, f->a, &got, &model), MP_OK);
    assert_true(model.n == 5 && memcmp(model.p, "model", 5) == 0 && got.epochs == 1);
    for (size_t n = 0; n < answer.n; n++)
        assert_int_equal(mp_answer_unpack((mp_span){ answer.p, n }, f->a, &got, &model), MP_ERR_INPUT);
    mp_buf_free(&result);
    mp_buf_free(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_order_arrives_as_it_was_sent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_run_on_copies_gives_the_same_model, set_up, tear_down),
        cmocka_unit_test_setup_teardown(orders_that_were_damaged_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nonsense_under_a_seal_is_refused_or_is_an_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(half_an_answer_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
