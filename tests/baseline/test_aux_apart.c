/* test_aux_apart.c - an auxiliary loss with a step of its own: who moves when, and that the step is on the
 * sum over batches.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "nets.h"
#include "train/engine.h"
#include "option.h"

typedef struct set {
    mp_rig rig;
    mp_model *model;
    mp_params *params;
    mp_graph g;
    mp_sparse x;
    mp_real *before; /* weights at the start */
} set;

static const double label[] = { 0, 2, 1, 2, 0, 1 };
static const int order[] = { 0, 1, 2, 3, 4, 5 };

static void start(set *s, const char *pool)
{
    s->rig = mp_rig_new(5);
    mp_config conf;
    mp_config_init(&conf);
    strcpy(conf.pool, pool);
    conf.hidden = 8;
    conf.clusters = 3;
    conf.dropout = 0;
    option_set(&conf, "mem-dropout", "0");
    mp_err e =
        mp_model_new(s->rig.memory, &conf, (mp_inputs){ .features = NET_FEATURES, .outputs = NET_OUTPUTS }, &s->model);
    assert_int_equal(e, MP_OK);
    s->params = mp_model_params(s->model);
    mp_params_init(s->params, 3, 0);
    s->g = net_batch(&s->rig);
    s->x = net_features(&s->rig, s->g.nodes);
    s->before = MP_NEW(s->rig.memory, mp_real, s->params->size);
    memcpy(s->before, s->params->theta, s->params->size * sizeof *s->before);
}

static mp_batch batch(const set *s, int from, int n)
{
    return (
        mp_batch){ .all = &s->g, .x = &s->x, .which = order + from, .n = n, .labels = { .columns = 1, .v = label } };
}

static bool moved(const set *s, int id)
{
    const mp_param *p = &s->params->list[id];
    return memcmp(s->before + p->offset, s->params->theta + p->offset,
                  (size_t)p->rows * (size_t)p->cols * sizeof(mp_real)) != 0;
}

static void steps_on_the_classification_loss_leave_the_keys(void **state)
{
    set s;
    (void)state;
    start(&s, "mem");
    assert_true(mp_model_aux_apart(s.model));
    mp_engine *e = mp_engine_new(s.model, 2);
    mp_batch b = batch(&s, 0, 6);
    double loss, aux;
    for (int i = 0; i < 3; i++)
        assert_int_equal(mp_engine_train(e, &b, (mp_draw){ 1, 0, 1, (uint64_t)i }, &loss, &aux), MP_OK);
    assert_true(loss > 0 && aux > 0); /* the auxiliary loss is told all the same */
    int apart = 0;
    for (int id = 0; id < s.params->count; id++) {
        const char *name = s.params->list[id].name;
        apart += s.params->list[id].apart;
        if (moved(&s, id) == s.params->list[id].apart) fail_msg("%s", name);
    }
    assert_int_equal(apart, 2);
    mp_engine_free(e);
    mp_rig_free(&s.rig);
}

static void the_step_on_the_auxiliary_loss_moves_the_keys(void **state)
{
    set s;
    (void)state;
    start(&s, "mem");
    mp_engine *e = mp_engine_new(s.model, 1);
    mp_batch b = batch(&s, 0, 6);
    double aux;
    assert_int_equal(mp_engine_aux_add(e, &b, (mp_draw){ 1, 0, 1, 0 }, 1, &aux), MP_OK);
    for (int id = 0; id < s.params->count; id++) /* nothing but running statistics before the update */
        if (moved(&s, id) != s.params->list[id].buffer) fail_msg("%s", s.params->list[id].name);
    assert_int_equal(mp_engine_aux_update(e), MP_OK);
    for (int id = 0; id < s.params->count; id++) {
        const char *name = s.params->list[id].name;
        if (strcmp(name, "mem1.k") == 0 || strcmp(name, "lin.weight") == 0) assert_true(moved(&s, id));
    }
    mp_engine_free(e);
    mp_rig_free(&s.rig);
}

/* Four quarters of a gradient are that gradient, and the step is the same. */
static void gradients_of_batches_are_added(void **state)
{
    set s;
    (void)state;
    mp_real *after[2];
    for (int i = 0; i < 2; i++) {
        start(&s, "mem");
        mp_engine *e = mp_engine_new(s.model, 1);
        double aux;
        mp_batch all = batch(&s, 0, 6);
        assert_int_equal(mp_engine_aux_add(e, &all, (mp_draw){ 1, 0, 1, 0 }, i ? 0.25 : 1, &aux), MP_OK);
        for (int k = 0; i && k < 3; k++)
            assert_int_equal(mp_engine_aux_add(e, &all, (mp_draw){ 1, 0, 1, 0 }, 0.25, &aux), MP_OK);
        assert_int_equal(mp_engine_aux_update(e), MP_OK);
        after[i] = test_malloc(s.params->size * sizeof *after[i]);
        memcpy(after[i], s.params->theta, s.params->size * sizeof *after[i]);
        mp_engine_free(e);
        if (i == 0) mp_rig_free(&s.rig);
    }
    for (int id = 0; id < s.params->count; id++) {
        const mp_param *p = &s.params->list[id];
        if (p->buffer) continue; /* running statistics saw one batch, or four */
        for (size_t k = p->offset; k < p->offset + (size_t)p->rows * (size_t)p->cols; k++)
            assert_true(fabs((double)after[0][k] - (double)after[1][k]) <= 2e-6);
    }
    test_free(after[0]);
    test_free(after[1]);
    mp_rig_free(&s.rig);
}

static void other_models_train_both_at_once(void **state)
{
    set s;
    (void)state;
    start(&s, "mincut");
    assert_false(mp_model_aux_apart(s.model));
    mp_engine *e = mp_engine_new(s.model, 1);
    mp_batch b = batch(&s, 0, 6);
    double loss, aux, before;
    assert_int_equal(mp_engine_train(e, &b, (mp_draw){ 1, 0, 1, 0 }, &loss, &before), MP_OK);
    for (int id = 0; id < s.params->count; id++)
        if (!moved(&s, id)) fail_msg("%s", s.params->list[id].name);
    for (int i = 1; i < 200; i++)
        assert_int_equal(mp_engine_train(e, &b, (mp_draw){ 1, 0, 1, (uint64_t)i }, &loss, &aux), MP_OK);
    assert_true(aux < before); /* it is trained too */
    mp_engine_free(e);
    mp_rig_free(&s.rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_on_the_classification_loss_leave_the_keys),
        cmocka_unit_test(the_step_on_the_auxiliary_loss_moves_the_keys),
        cmocka_unit_test(gradients_of_batches_are_added),
        cmocka_unit_test(other_models_train_both_at_once),
    };
    return cmocka_run_group_tests_name("auxiliary losses apart", tests, NULL, NULL);
}
