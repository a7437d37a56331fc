/* test_conf.c - options as rows: defaults, ranges, text and JSON, equality.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "conf/config.h"

static void options_have_their_defaults_and_ranges(void **state)
{
    (void)state;
    mp_config c;
    mp_config_init(&c);
    assert_string_equal(c.pool, "sag");
    assert_true(c.ratio == 0.5 && c.score_dim == 1 && !c.flip && c.drop == 0 && c.hidden == 128 && c.lr == 0.0005);
    static const struct {
        const char *name, *value;
        bool ok;
    } rows[] = { { "ratio", "0.8", true },
                 { "ratio", "0", false },
                 { "ratio", "1.1", false },
                 { "ratio", "nan", false },
                 { "score-dim", "9", true },
                 { "score-dim", "0", false },
                 { "score-dim", "2.5", false },
                 { "flip", "yes", true },
                 { "no-flip", "true", true },
                 { "flip", "maybe", false },
                 { "width", "mlp", true },
                 { "width", "ml", false },
                 { "rato", "0.5", false },
                 { "no-ratio", "1", false },
                 { "drop", "1", false },
                 { "lr-drop", "85,95", true },
                 { "lr-drop", "0,95", true },
                 { "lr-drop", "-1", false },
                 { "lr-drop", "95,85", false },
                 { "lr-drop", "85,85", false },
                 { "lr-drop", "85,", false },
                 { "lr-drop", "", false },
                 { "lr-drop", "85,1000001", false },
                 { "lr-drop", "1,2,3,4,5,6,7,8,9", false },
                 { "pool", "a-name-that-is-far-too-long-for-the-sixty-four-bytes-that-are-there", false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mp_err e = mp_conf_set(mp_config_table, &c, rows[i].name, rows[i].value, "here");
        assert_int_equal(e, rows[i].ok ? MP_OK : MP_ERR_USAGE);
        if (!rows[i].ok) assert_true(strncmp(mp_message(), "here: ", 6) == 0);
    }
    assert_true(c.ratio == 0.8 && c.score_dim == 9 && c.width == MP_WIDTH_MLP && !c.flip);
    assert_true(c.lr_drop.count == 2 && c.lr_drop.at[0] == 0 && c.lr_drop.at[1] == 95);
    char long_name[65];
    memset(long_name, 'x', 64);
    long_name[64] = '\0';
    assert_int_equal(mp_conf_set(mp_config_table, &c, "pool", long_name, "here"), MP_ERR_USAGE);
    assert_string_equal(mp_message(), "here: longer than 63 characters");
    assert_int_equal(mp_conf_set(mp_config_table, &c, "pool", long_name + 1, "here"), MP_OK);
    assert_string_equal(c.pool, long_name + 1);
    assert_int_equal(mp_conf_set(mp_config_table, &c, "rato", "1", "--rato"), MP_ERR_USAGE);
    assert_non_null(strstr(mp_message(), "ratio"));
}

static void options_survive_being_written(void **state)
{
    (void)state;
    mp_config c, d;
    mp_config_init(&c);
    c.ratio = 0.1;
    c.lr = 1.0 / 3;
    c.flip = 1;
    c.combine = MP_COMBINE_L2;
    mp_config_init(&d);
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        char text[80];
        mp_conf_get(o, &c, text, sizeof text);
        assert_int_equal(mp_conf_set(mp_config_table, &d, o->name, text, o->name), MP_OK);
    }
    assert_true(d.ratio == c.ratio && d.lr == c.lr && d.flip == c.flip && d.combine == c.combine);
    mp_buf json = { 0 };
    mp_conf_json(mp_config_table, mp_config_late(), &c, &json);
    assert_non_null(strstr(json.p, "\"ratio\":0.1,"));
    assert_non_null(strstr(json.p, "\"flip\":true"));
    assert_non_null(strstr(json.p, "\"combine\":\"l2\""));
    mp_buf_free(&json);
}

static void options_are_the_same_when_all_of_their_value_is(void **state)
{
    (void)state;
    static const char *const value[][2] = {
        { "pool", "topk" }, { "ratio", "0.25" }, { "flip", "true" }, { "combine", "l2" }, { "lr-drop", "281" },
    };
    mp_config c, d;
    mp_config_init(&c);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        const mp_opt *o = mp_conf_find(mp_config_table, value[i][0]);
        mp_config_init(&d);
        assert_true(mp_conf_same(o, &c, &d));
        assert_int_equal(mp_conf_set(mp_config_table, &d, value[i][0], value[i][1], "here"), MP_OK);
        assert_false(mp_conf_same(o, &c, &d));
    }
}

/* A row of numbers has a range with its default in it, both ends are taken and nothing beyond; a row of words has none. */
static void rows_say_what_their_kind_reads_and_no_more(void **state)
{
    (void)state;
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        mp_config c;
        char text[80];
        mp_config_init(&c);
        bool number = o->kind == MP_OPT_INT || o->kind == MP_OPT_REAL;
        if (!o->choices != (o->kind != MP_OPT_CHOICE)) fail_msg("%s: choices", o->name);
        bool word = o->kind == MP_OPT_CHOICE || o->kind == MP_OPT_TEXT;
        if (word && (o->lo != 0 || o->hi != 0)) fail_msg("%s: a range", o->name);
        if (o->kind == MP_OPT_FLAG && (o->lo != 0 || o->hi != 1)) fail_msg("%s: not 0 to 1", o->name);
        if (!number) continue;
        for (int end = 0; end < 4; end++) {
            double past = o->kind == MP_OPT_INT ? 1 : 0.01 * (1 + (end % 2 ? o->hi : 0)), v = end % 2 ? o->hi : o->lo;
            v += end < 2 ? 0 : end % 2 ? past : -past;
            snprintf(text, sizeof text, o->kind == MP_OPT_INT ? "%.0f" : "%.17g", v);
            if ((mp_conf_set(mp_config_table, &c, o->name, text, "here") == MP_OK) != (end < 2))
                fail_msg("%s %s: %g to %g", o->name, text, o->lo, o->hi);
        }
        assert_int_equal(mp_conf_set(mp_config_table, &c, o->name, o->initial, "here"), MP_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_have_their_defaults_and_ranges),
        cmocka_unit_test(rows_say_what_their_kind_reads_and_no_more),
        cmocka_unit_test(options_survive_being_written),
        cmocka_unit_test(options_are_the_same_when_all_of_their_value_is),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
