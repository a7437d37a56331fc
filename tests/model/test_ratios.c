/* test_ratios.c - a ratio of its own for each pooling.
 * SPDX-License-Identifier: MIT */
#include "model/model.h"
#include "model/ratios.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static mp_config with(const char *settings)
{
    mp_config c;
    mp_config_init(&c);
    assert_int_equal(mp_conf_set_all(mp_config_table, &c, settings, "test"), MP_OK);
    return c;
}

static void each_pooling_has_its_ratio_and_those_behind_the_last_the_common_one(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        int64_t nodes[4]; /* that the poolings meet of a graph of 20 */
    } samples[] = { { "layers=4 ratio=0.5", { 20, 10, 5, 3 } },
                    { "layers=4 ratio=0.5 ratios=0.9,0.2", { 20, 18, 4, 2 } },
                    { "layers=4 ratio=0.3 ratios=1,1,1,1", { 20, 20, 20, 20 } } };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        mp_arena *a = mp_arena_new(1 << 16);
        mp_config c = with(samples[i].settings);
        mp_model *m;
        int64_t nodes[MP_LEVELS] = { 0 };
        assert_int_equal(mp_config_check(&c), MP_OK);
        assert_int_equal(mp_model_plan(a, &c, (mp_inputs){ .features = 3, .outputs = 2 }, &m), MP_OK);
        mp_model_meets(m, 20, nodes);
        for (int l = 0; l < 4; l++) assert_int_equal(nodes[l], samples[i].nodes[l]);
        mp_arena_free(a);
    }
}

static void what_is_no_list_of_ratios_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = { "ratios=x",   "ratios=0.5,,0.5", "ratios=0",
                                       "ratios=1.5", "ratios=0.5,nan",  "ratios=0.5," };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mp_config c = with(bad[i]);
        if (mp_config_check(&c) != MP_ERR_USAGE) fail_msg("'%s' was taken", bad[i]);
        assert_non_null(strstr(mp_message(), "ratios"));
    }
    mp_config many = with("ratios=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1");
    assert_int_equal(mp_config_check(&many), MP_ERR_USAGE);
    mp_config most = with("ratios=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1");
    assert_int_equal(mp_config_check(&most), MP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pooling_has_its_ratio_and_those_behind_the_last_the_common_one),
        cmocka_unit_test(what_is_no_list_of_ratios_is_refused),
    };
    return cmocka_run_group_tests_name("ratios", tests, NULL, NULL);
}
