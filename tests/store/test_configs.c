/* test_configs.c - a text of a configuration is read once, and means the same ever after.
 * SPDX-License-Identifier: MIT */
#include "store/configs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void check(mp_configs *known, const mp_config *c)
{
    mp_buf text = { 0 };
    mp_run_key key = { .dataset = "MUTAG", .folds_from = "files", .fold = 3, .folds = 10, .config = *c };
    const mp_config *out;
    const char *part;
    char want[65], is[65];
    mp_config_to_json(c, &text);
    if (mp_configs_read(known, text.p, &out, &part) != MP_OK) fail_msg("%s", mp_message());
    assert_memory_equal(out, c, sizeof *c);
    mp_run_key_hash(&key, want);
    mp_run_key_hash_with(&key, part, is);
    assert_string_equal(is, want);
    mp_buf_free(&text);
}

/* More texts than there is room for, some of them often. */
static void configurations_and_keys_are_those_of_the_text(void **state)
{
    (void)state;
    mp_configs *known = mp_configs_new();
    mp_config c;
    mp_config_init(&c);
    for (int i = 0; i < 5000; i++) {
        c.seed = i % 7 ? i : 42;
        c.lr = i % 3 ? 0.001 : 1.0 / (3 + i);
        check(known, &c);
    }
    mp_configs_free(known);
}

static void a_text_that_cannot_be_read_is_refused_each_time(void **state)
{
    (void)state;
    mp_configs *known = mp_configs_new();
    const mp_config *out;
    const char *part;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(mp_configs_read(known, "{\"ratio\": 7}", &out, &part), MP_ERR_INPUT);
        assert_int_equal(mp_configs_read(known, "{\"pool\":", &out, &part), MP_ERR_INPUT);
        assert_int_equal(mp_configs_read(known, "{\"pool\":\"topk\"}", &out, &part), MP_OK);
        assert_string_equal(out->pool, "topk");
    }
    mp_configs_free(known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configurations_and_keys_are_those_of_the_text),
        cmocka_unit_test(a_text_that_cannot_be_read_is_refused_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
