/* test_lists.c - the lists of midpool.h, the version, and calls with NULL in place of what they need.
 * SPDX-License-Identifier: MIT */
#include <midpool.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void fails(mp_err want, const char *words, mp_err e)
{
    if (e != want) fail_msg("status %d in place of %d: %s", (int)e, (int)want, mp_message());
    if (!strstr(mp_message(), words)) fail_msg("'%s' does not hold '%s'", mp_message(), words);
}

static bool has(mp_kind kind, const char *name, mp_entry *out)
{
    for (int i = 0; mp_entry_at(kind, i, out); i++)
        if (strcmp(out->name, name) == 0) return true;
    return false;
}

static void lists_have_what_options_take(void **state)
{
    (void)state;
    mp_entry e;
    int operators = 0;
    while (mp_entry_at(MP_OPERATORS, operators, &e)) operators++;
    assert_int_equal(operators, 12);
    assert_true(has(MP_OPERATORS, "sag", &e) && strstr(e.about, "Lee"));
    assert_true(has(MP_BASELINES, "gmt", &e));
    assert_true(has(MP_CONVOLUTIONS, "gine", &e));
    assert_true(has(MP_TASKS, "regress", &e));
    assert_true(has(MP_METRICS, "mae", &e) && !e.larger);
    assert_true(has(MP_METRICS, "roc_auc", &e) && e.larger);
    assert_true(has(MP_PRESETS, "mid", &e));
    assert_true(has(MP_OPTIONS, "fold", &e) && e.lo == 1);
    assert_true(has(MP_OPTIONS, "ratio", &e) && strcmp(e.initial, "0.5") == 0 && e.hi == 1);
    assert_true(has(MP_OPTIONS, "schedule", &e) && strcmp(e.choices, "constant|cosine|step") == 0);
    assert_false(has(MP_OPTIONS, "no-such", &e));
    assert_false(mp_entry_at((mp_kind)99, 0, &e) || mp_entry_at(MP_TASKS, -1, &e));
    assert_true(mp_method_has("gsa", "alpha") && !mp_method_has("topk", "alpha") && !mp_method_has("none", "alpha"));
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", MIDPOOL_VERSION_MAJOR, MIDPOOL_VERSION_MINOR, MIDPOOL_VERSION_PATCH);
    assert_string_equal(version, mp_version());
}

static void nothing_is_asked_of_null(void **state)
{
    (void)state;
    mp_data_info data;
    mp_trained_info model;
    mp_answer a;
    mp_data_free(NULL);
    mp_trained_free(NULL);
    mp_predictor_free(NULL);
    mp_data_about(NULL, &data);
    mp_trained_about(NULL, &model);
    assert_true(data.graphs == 0 && model.outputs == 0 && !strcmp(data.name, "") && !strcmp(model.task, ""));
    assert_false(mp_predict(NULL, NULL, &a));
    assert_null(mp_predictor_load(NULL));
    fails(MP_ERR_USAGE, "mp_explain: an argument is NULL", mp_explain(NULL, NULL, NULL));
    fails(MP_ERR_USAGE, "mp_evaluate: an argument is NULL", mp_evaluate(NULL, NULL, NULL, 0, 0, NULL, NULL));
    fails(MP_ERR_USAGE, "mp_trained_save: an argument is NULL", mp_trained_save(NULL, "x"));
    fails(MP_ERR_USAGE, "mp_trained_write: an argument is NULL", mp_trained_write(NULL, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_have_what_options_take),
        cmocka_unit_test(nothing_is_asked_of_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
