/* test_nulls.c - a NULL that a call of midpool.h must not be given is a status, whichever argument it is.
 * SPDX-License-Identifier: MIT */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

typedef struct fixture {
    world w;
    mp_data *data;
    mp_trained *model;
} fixture;

static const char *const few[] = { "pool=topk", FEW, NULL };

static int set_up(void **state)
{
    static fixture f;
    *state = &f;
    make_world(&f.w);
    if (mp_data_make(&f.w.arrays, &f.data) != MP_OK) return -1;
    return mp_train(f.data, few, NULL, &f.model, NULL) == MP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    mp_trained_free(f->model);
    mp_data_free(f->data);
    return 0;
}

static mp_err take(void *state, const void *p, size_t n)
{
    (void)state, (void)p, (void)n;
    return MP_OK;
}

/* Each argument of each call in turn, the others being right. */
static void a_null_that_must_not_be_is_a_status(void **state)
{
    const fixture *f = *state;
    mp_trained *m;
    mp_predictor *p;
    mp_data *d;
    mp_explanation why;
    mp_metric_value v[MP_METRICS_ROOM];
    char text[32];
    const char *svg;
    float number;
    mp_weight weight;
    int n, from[32], to[32];
    mp_query q = graph_of(&f->w, 6, from, to);
    assert_int_equal(mp_predictor_new(f->model, &p), MP_OK);
    const struct {
        const char *call;
        mp_err status;
    } calls[] = {
        { "mp_data_make", mp_data_make(&f->w.arrays, NULL) },
        { "mp_data_load", mp_data_load(NULL, NULL, &d) },
        { "mp_data_load", mp_data_load("WORLD", "/tmp", NULL) },
        { "mp_data_load_columns", mp_data_load_columns(NULL, NULL, &(mp_data_columns){ 0 }, &d) },
        { "mp_data_load_columns", mp_data_load_columns("WORLD", "/tmp", NULL, NULL) },
        { "mp_train", mp_train(f->data, few, NULL, NULL, NULL) },
        { "mp_train_parts", mp_train_parts(NULL, &(mp_parts){ 0 }, few, NULL, &m, NULL) },
        { "mp_train_parts", mp_train_parts(f->data, NULL, few, NULL, &m, NULL) },
        { "mp_train_parts", mp_train_parts(f->data, &(mp_parts){ .n_train = 3 }, few, NULL, &m, NULL) },
        { "mp_train_parts", mp_train_parts(f->data, &(mp_parts){ 0 }, few, NULL, NULL, NULL) },
        { "mp_data_fingerprint", mp_data_fingerprint(NULL, text) },
        { "mp_data_fingerprint", mp_data_fingerprint(f->data, NULL) },
        { "mp_data_size", mp_data_size(NULL, NULL, 0, &n, &n) },
        { "mp_data_read", mp_data_read(NULL, NULL, 0, &(mp_arrays_out){ 0 }) },
        { "mp_data_read", mp_data_read(f->data, NULL, 0, NULL) },
        { "mp_data_fold", mp_data_fold(NULL, 0, 1, NULL, NULL) },
        { "mp_data_write", mp_data_write(NULL, "/tmp/w.jsonl") },
        { "mp_data_write", mp_data_write(f->data, NULL) },
        { "mp_trained_values", mp_trained_values(NULL, 0, &number) },
        { "mp_trained_values", mp_trained_values(f->model, 0, NULL) },
        { "mp_explain_svg", mp_explain_svg(NULL, f->data, 0, NULL, &svg) },
        { "mp_explain_svg", mp_explain_svg(p, NULL, 0, NULL, &svg) },
        { "mp_explain_svg", mp_explain_svg(p, f->data, 0, NULL, NULL) },
        { "mp_trained_load", mp_trained_load(NULL, &m) },
        { "mp_trained_load", mp_trained_load("m", NULL) },
        { "mp_trained_from", mp_trained_from(NULL, 0, &m) },
        { "mp_trained_from", mp_trained_from("m", 1, NULL) },
        { "mp_trained_save", mp_trained_save(NULL, "m") },
        { "mp_trained_save", mp_trained_save(f->model, NULL) },
        { "mp_trained_write", mp_trained_write(NULL, take, NULL) },
        { "mp_trained_write", mp_trained_write(f->model, NULL, NULL) },
        { "mp_trained_class", mp_trained_class(NULL, 0, NULL, NULL) },
        { "mp_trained_option", mp_trained_option(NULL, "pool", text, sizeof text) },
        { "mp_trained_option", mp_trained_option(f->model, NULL, text, sizeof text) },
        { "mp_trained_option", mp_trained_option(f->model, "pool", NULL, 0) },
        { "mp_predict_data", mp_predict_data(NULL, f->data, NULL, 0, 1, NULL, NULL) },
        { "mp_predict_data", mp_predict_data(f->model, NULL, NULL, 0, 1, NULL, NULL) },
        { "mp_evaluate", mp_evaluate(NULL, f->data, NULL, 0, 1, v, &n) },
        { "mp_evaluate", mp_evaluate(f->model, NULL, NULL, 0, 1, v, &n) },
        { "mp_evaluate", mp_evaluate(f->model, f->data, NULL, 0, 1, NULL, &n) },
        { "mp_evaluate", mp_evaluate(f->model, f->data, NULL, 0, 1, v, NULL) },
        { "mp_predictor_new", mp_predictor_new(NULL, &p) },
        { "mp_predictor_new", mp_predictor_new(f->model, NULL) },
        { "mp_explain", mp_explain(NULL, &q, &why) },
        { "mp_explain", mp_explain(p, NULL, &why) },
        { "mp_explain", mp_explain(p, &q, NULL) },
        { "mp_explain_data", mp_explain_data(NULL, f->data, 0, &why) },
        { "mp_explain_data", mp_explain_data(p, NULL, 0, &why) },
        { "mp_explain_data", mp_explain_data(p, f->data, 0, NULL) },
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].status != MP_ERR_USAGE)
            fail_msg("%s, row %d: status %d", calls[i].call, (int)i, (int)calls[i].status);
    assert_null(mp_data_class(NULL, 0));
    assert_false(mp_trained_weight(NULL, 0, &weight));
    assert_false(mp_trained_weight(f->model, 0, NULL));
    mp_predictor_free(p);
}

static void null_may_be_freed(void **state)
{
    (void)state;
    mp_trained_free(NULL);
    mp_data_free(NULL);
    mp_predictor_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_null_that_must_not_be_is_a_status),
        cmocka_unit_test(null_may_be_freed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
