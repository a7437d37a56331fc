/* test_times.c - the experiments that measure time, from the command line to their tables: small versions.
 * SPDX-License-Identifier: MIT */
#include "cli/tiny.h"

#include <stdio.h>

static const char *reproduce(const char *line)
{
    mp_spawned s = expect(
        0, mp_arena_printf(arena, "reproduce %s --quick --store @/runs.db --out @/page.html --quiet", line), NULL);
    const char *out = mp_arena_text(arena, s.out.p, s.out.n);
    mp_spawn_free(&s);
    return out;
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, what)) != NULL; p++) n++;
    return n;
}

/* Times are never the same twice: where they are, they came from the store. */
static void epochs_are_timed_once_beside_the_papers(void **state)
{
    (void)state;
    const char *line = mp_arena_printf(arena, "train-time --datasets TINY --pools sag,topk --data %s", mp_spawn_dir());
    const char *out = reproduce(line);
    assert_int_equal(count(out, "SAGPool   MID-5"), 1);
    assert_int_equal(count(out, " 0.9881         1.18 "), 1); /* the paper's */
    assert_int_equal(count(out, "TINY      TopKPool"), 1);
    assert_int_equal(count(out, "nan"), 0);
    assert_string_equal(reproduce(line), out);
    assert_string_equal(reproduce(mp_arena_printf(arena, "%s --show", line)), out);
}

static void steps_are_measured_with_and_without_mid(void **state)
{
    (void)state;
    const char *out = reproduce("efficiency --pools topk,edge,att"), *row = strstr(out, "\nTopKPool + MID ");
    assert_int_equal(count(out, "\nTopKPool + MID "), 2); /* time and memory */
    assert_int_equal(count(out, "\nEdgePool "), 2);
    assert_int_equal(count(out, "EdgePool + MID"), 0);
    double took[3] = { 0 };
    int sizes = sscanf(row, " TopKPool + MID %lf %lf %lf", &took[0], &took[1], &took[2]);
    bool slow = sizes > 0 && took[sizes - 1] > 1; /* larger graphs are not tried behind such a step */
    assert_true(sizes == 3 || slow);
    for (int i = 0; i < sizes; i++) assert_true(took[i] > 0);
    assert_string_equal(reproduce("efficiency --pools topk,edge,att --show"), out);
    mp_span page;
    assert_int_equal(mp_slurp(path("page.html"), 0, arena, &page), MP_OK);
    assert_non_null(strstr(page.p, "Time of a training step, the paper"));
    assert_non_null(strstr(page.p, "Memory of a training step, the paper"));
    assert_non_null(strstr(page.p, "Time of a training step, the other operators"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(epochs_are_timed_once_beside_the_papers),
        cmocka_unit_test(steps_are_measured_with_and_without_mid),
    };
    return cmocka_run_group_tests_name("experiments that measure time", tests, make_data, clean);
}
