/* test_key.c - the keys of twenty configurations, frozen: a store of today must know its runs for ever. A key that changes
 * because an option was added, moved or got another default is a mistake; a part that computes something else under the same
 * options needs a new option or a new name.
 * SPDX-License-Identifier: MIT */
#include "train/run.h"
#include "option.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static const struct {
    const char *settings, *key;
} frozen[] = {
#include "keys.txt"
};

static mp_run_key key_of(const char *settings)
{
    mp_run_key k;
    memset(&k, 0, sizeof k);
    strcpy(k.dataset, "MUTAG");
    strcpy(k.folds_from, "files");
    k.fingerprint = 0x0123456789abcdef;
    k.fold = 3;
    k.folds = 10;
    mp_config_init(&k.config);
    if (mp_conf_set_all(mp_config_table, &k.config, settings, "settings") != MP_OK) fail_msg("%s", mp_message());
    return k;
}

static void keys_are_as_they_were(void **state)
{
    (void)state;
    int bad = 0;
    for (size_t i = 0; i < sizeof frozen / sizeof *frozen; i++) {
        char hex[65];
        mp_run_key k = key_of(frozen[i].settings);
        mp_run_key_hash(&k, hex);
        if (strcmp(hex, frozen[i].key) == 0) continue;
        print_error("    { \"%s\", \"%s\" },\n", frozen[i].settings, hex);
        bad++;
    }
    assert_int_equal(bad, 0);
    assert_true(sizeof frozen / sizeof *frozen >= 20);
}

typedef struct own_options {
    int own_number;
} own_options;
static const mp_opt own_rows[] = {
    { "aaa-own-number", MP_OPT_INT, offsetof(own_options, own_number), "7", 0, 100, NULL, "for this test" },
    { NULL, 0, 0, NULL, 0, 0, NULL, NULL },
};
MP_OPTION_SET(static, own_set, own_options, own_rows);

static void an_option_that_is_added_changes_no_key(void **state)
{
    assert_int_equal(mp_options_add(&own_set), MP_OK);
    keys_are_as_they_were(state);
    mp_run_key k = key_of("pool=sag");
    assert_int_equal(MP_OWN(&k.config, own_set, own_options)->own_number, 7);
    option_set(&k.config, "aaa-own-number", "8");
    assert_int_equal(MP_OWN(&k.config, own_set, own_options)->own_number, 8);
    assert_int_equal(mp_options_add(&own_set), MP_OK); /* again: it is there */
    static const mp_opt taken[] = { { "ratio", MP_OPT_INT, 0, "7", 0, 100, NULL, "taken" },
                                    { NULL, 0, 0, NULL, 0, 0, NULL, NULL } };
    MP_OPTION_SET(static, taken_set, own_options, taken);
    assert_int_equal(mp_options_add(&taken_set), MP_ERR_USAGE);
}

static void the_first_options_come_first_and_late_ones_are_written_where_they_differ(void **state)
{
    (void)state;
    mp_config c;
    mp_buf json = { 0 };
    mp_config_init(&c);
    mp_config_to_json(&c, &json);
    assert_non_null(strstr(json.p, "\"clusters\":0}")); /* the last one of the first model files */
    json.n = 0;
    option_set(&c, "stop-on", "metric");
    mp_config_to_json(&c, &json);
    assert_non_null(strstr(json.p, "\"clusters\":0,\"stop-on\":\"metric\"}"));
    mp_buf_free(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_options_come_first_and_late_ones_are_written_where_they_differ),
        cmocka_unit_test(keys_are_as_they_were),
        cmocka_unit_test(an_option_that_is_added_changes_no_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
