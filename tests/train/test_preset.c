/* test_preset.c - which settings a method gets on a data set.
 * SPDX-License-Identifier: MIT */
#include "train/preset.h"
#include "tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void presets_come_in_the_order_they_were_asked_for(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(65536);
    mp_dataset d;
    mp_folds f;
    const char *const *settings;
    assert_int_equal(tiny_make(a, false, &d, &f), MP_OK);
    assert_int_equal(mp_presets_for(&d, "topk", NULL, a, &settings), MP_OK);
    assert_null(settings[0]);
    assert_int_equal(mp_presets_for(&d, "topk", "triangles,,mid", a, &settings), MP_OK);
    assert_string_equal(settings[0], mp_preset_find("triangles")->settings);
    assert_string_equal(settings[1], mp_preset_find("mid")->settings);
    assert_null(settings[2]);
    mp_arena_free(a);
}

static void generated_sets_bring_their_own(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(65536);
    mp_dataset d;
    mp_folds f;
    const char *const *settings;
    assert_int_equal(tiny_make(a, false, &d, &f), MP_OK);
    d.name = "COLORS-3";
    assert_int_equal(mp_presets_for(&d, "topk", "mid", a, &settings), MP_OK);
    assert_string_equal(settings[0], mp_preset_find("colors")->settings); /* what is asked for comes later and wins */
    assert_string_equal(settings[1], mp_preset_find("mid")->settings);
    assert_null(settings[2]);
    mp_arena_free(a);
}

/* What the data are holds for methods that have settings of their own, and those come later. */
static void molecules_bring_their_encoders_to_every_method(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(65536);
    mp_dataset d;
    mp_folds f;
    const char *const *settings;
    assert_int_equal(tiny_make(a, false, &d, &f), MP_OK);
    d.preset = "ogb";
    assert_int_equal(mp_presets_for(&d, "topk", NULL, a, &settings), MP_OK);
    assert_string_equal(settings[0], mp_preset_find("ogb")->settings);
    assert_null(settings[1]);
    assert_int_equal(mp_presets_for(&d, "gmt", NULL, a, &settings), MP_OK);
    assert_string_equal(settings[0], mp_preset_find("ogb")->settings);
    assert_non_null(strstr(settings[1], "schedule=cosine"));
    d.name = "ogbg_molhiv"; /* its row knows better */
    assert_int_equal(mp_presets_for(&d, "topk", NULL, a, &settings), MP_OK);
    assert_string_equal(settings[0], mp_preset_find("ogb-large")->settings);
    d.name = "COLORS-3";
    assert_int_equal(mp_presets_for(&d, "gmt", NULL, a, &settings), MP_OK);
    assert_null(strstr(settings[0], "arch=colors")); /* a network, which gmt is itself */
    mp_arena_free(a);
}

static void a_name_that_is_nearly_right_is_told(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(65536);
    mp_dataset d;
    mp_folds f;
    const char *const *settings;
    assert_int_equal(tiny_make(a, false, &d, &f), MP_OK);
    assert_int_equal(mp_presets_for(&d, "topk", "mid,colours", a, &settings), MP_ERR_USAGE);
    assert_non_null(strstr(mp_message(), "no preset 'colours'; did you mean 'colors'?"));
    mp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_come_in_the_order_they_were_asked_for),
        cmocka_unit_test(generated_sets_bring_their_own),
        cmocka_unit_test(molecules_bring_their_encoders_to_every_method),
        cmocka_unit_test(a_name_that_is_nearly_right_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
