/* fixture.h - what the tests of src/data share: an arena, small sets from strings, the folder with real sets.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_DATA_FIXTURE_H
#define MP_TEST_DATA_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "data/tu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CASE(f) cmocka_unit_test_setup_teardown(f, arena_up, arena_down)

static inline int arena_up(void **state)
{
    *state = mp_arena_new(1 << 16);
    return 0;
}

static inline int arena_down(void **state)
{
    mp_arena_free(*state);
    return 0;
}

/* The call fails and its message holds `words`. */
#define FAILS(call, words)                                                                                             \
    do {                                                                                                               \
        assert_int_not_equal((call), MP_OK);                                                                           \
        if (!strstr(mp_message(), words)) fail_msg("message '%s' does not hold '%s'", mp_message(), words);            \
    } while (0)

#define WORKS(call)                                                                                                    \
    do {                                                                                                               \
        if ((call) != MP_OK) fail_msg("%s", mp_message());                                                             \
    } while (0)

/* Two graphs: a triangle with a tail (4 nodes), and a single edge (2 nodes); nothing but structure. */
static inline mp_tu_files two_graphs(void)
{
    mp_tu_files f = { .name = "T" };
    f.part[MP_TU_INDICATOR] = mp_span_of("1\n1\n1\n1\n2\n2\n");
    f.part[MP_TU_EDGES] = mp_span_of("1, 2\n2, 1\n2, 3\n3, 2\n1, 3\n3, 1\n3, 4\n4, 3\n5, 6\n6, 5\n");
    return f;
}

/* MIDPOOL_DATA when it is set, else ../shared/datasets seen from the folder with meson.build; NULL: not
 * there. */
static inline const char *real_data(void)
{
    static char path[4096];
    const char *set = getenv("MIDPOOL_DATA"), *root = getenv("MIDPOOL_ROOT");
    if (set && set[0])
        snprintf(path, sizeof path, "%s", set);
    else
        snprintf(path, sizeof path, "%s/../shared/datasets", root && root[0] ? root : ".");
    return access(path, R_OK) == 0 ? path : NULL;
}

/* A new empty folder under the system's temporary one. */
static inline const char *new_folder(mp_arena *a)
{
    const char *base = getenv("TMPDIR");
    char *path = mp_arena_printf(a, "%s/midpool-test-XXXXXX", base && base[0] ? base : "/tmp");
    assert_non_null(mkdtemp(path));
    return path;
}

static inline void remove_folder(const char *path)
{
    char command[4200];
    snprintf(command, sizeof command, "rm -r '%s'", path);
    assert_int_equal(system(command), 0);
}

#endif
