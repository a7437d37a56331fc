/* test_forecast.c - how much memory a run will need: the figure, what it is made of, and that looking for it takes no more than
 * there is.
 * SPDX-License-Identifier: MIT */
#include "study/forecast.h"
#include "base/arena.h"
#include "base/guard.h"
#include "study/memory.h"
#include "tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define MIB ((size_t)1 << 20)

typedef struct job {
    mp_arena *a;
    mp_dataset d;
    mp_config c;
    mp_workload w;
} job;

/* Paths of 12 to two thousand nodes: a shard is large beside the weights, and beside what an arena begins with. */
static mp_err make_paths(mp_arena *a, mp_dataset *d)
{
    enum { GRAPHS = 30, FIRST = 12, STEP = 68, NODES = GRAPHS * FIRST + STEP * GRAPHS * (GRAPHS - 1) / 2 };
    int *node_ptr = MP_NEW(a, int, GRAPHS + 1), *from = MP_NEW(a, int, 2 * NODES), *to = MP_NEW(a, int, 2 * NODES);
    int *label = MP_NEW(a, int, NODES), edges = 0;
    int64_t *class = MP_NEW(a, int64_t, GRAPHS);
    for (int b = 0; b < GRAPHS; b++) {
        class[b] = b % 2;
        node_ptr[b + 1] = node_ptr[b] + FIRST + STEP * b;
        for (int v = node_ptr[b]; v < node_ptr[b + 1]; v++) {
            label[v] = v % 3;
            if (v == node_ptr[b]) continue;
            from[edges] = to[edges + 1] = v - 1;
            to[edges] = from[edges + 1] = v;
            edges += 2;
        }
    }
    mp_raw raw = { .name = "PATHS", .label_columns = 1, .labels = label, .graph_label = class };
    MP_TRY(mp_graph_from_edges(a, GRAPHS, node_ptr, edges, from, to, &raw.graphs, NULL));
    return mp_dataset_build(&raw, NULL, a, d);
}

static int set_up(void **state)
{
    static job j;
    j.a = mp_arena_new(1 << 20);
    if (make_paths(j.a, &j.d) != MP_OK) return -1;
    j.c = tiny_config();
    j.c.hidden = 64;
    int *all = MP_NEW(j.a, int, j.d.graphs.graphs);
    for (int i = 0; i < j.d.graphs.graphs; i++) all[i] = i;
    j.w = (mp_workload){ .data = &j.d, .config = &j.c, .which = all, .n = j.d.graphs.graphs, .threads = 1, .jobs = 1 };
    *state = &j;
    return 0;
}

static int tear_down(void **state)
{
    mp_arena_free(((job *)*state)->a);
    unsetenv("MIDPOOL_MEMORY");
    return 0;
}

typedef struct call {
    const mp_workload *w;
    mp_forecast *out;
} call;

static mp_err forecast(void *arg)
{
    const call *c = arg;
    return mp_forecast_memory(c->w, c->out);
}

static mp_err foresee(const job *j, size_t mib, mp_forecast *out)
{
    char text[32];
    *out = (mp_forecast){ 0 };
    snprintf(text, sizeof text, "%zu", mib);
    setenv("MIDPOOL_MEMORY", text, 1);
    assert_int_equal(mp_memory_guard(), MP_OK);
    assert_true(mp_memory_free() == mib * MIB);
    mp_err e = mp_guarded(forecast, &(call){ &j->w, out });
    mp_arena_limit(0);
    return e;
}

/* The first try is a 64th of the largest shard, the second a 16th. Between them memory is too little for the second: what the first
 * needed says so, and half as much again must be there. */
static void a_shard_is_tried_only_where_it_surely_fits(void **state)
{
    const job *j = *state;
    mp_forecast whole, first = { 0 }, now;
    assert_int_equal(foresee(j, 4096, &whole), MP_OK);
    size_t mib = 0, held = mp_arena_total();
    while (first.shard == 0) (void)!foresee(j, ++mib, &first);
    assert_true(first.shard > whole.shard); /* in proportion, as one try says */
    for (now = first; now.shard == first.shard;) (void)!foresee(j, ++mib, &now);
    double second = (double)first.shard / 1.25 / 16; /* arenas grow by a quarter */
    assert_true(second > 4.0 * MIB);
    assert_true((double)(mib * MIB) >= (double)held + 1.5 * second);
    assert_true((double)((mib - 2) * MIB) < 2.0 * (double)held + 1.5 * second); /* nor is more asked for than that */
}

/* Pooled graphs of ASAP have room for all pairs of clusters in a lane, those of SAGPool for the edges they came from. */
static void a_lane_has_room_for_what_nobody_counts(void **state)
{
    job j = *(const job *)*state;
    size_t shard[2], lane[2];
    for (int i = 0; i < 2; i++) {
        mp_forecast f;
        strcpy(j.c.pool, i ? "asap" : "sag");
        j.w.config = &j.c;
        j.w.lane = false;
        assert_int_equal(foresee(&j, 4096, &f), MP_OK);
        assert_true(f.lane == 0); /* nobody asked */
        j.w.lane = true;
        assert_int_equal(foresee(&j, 4096, &f), MP_OK);
        shard[i] = f.shard;
        lane[i] = f.lane;
        assert_true(f.lane > f.shard);
    }
    assert_true((double)lane[1] / (double)shard[1] > 1.1 * (double)lane[0] / (double)shard[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_shard_is_tried_only_where_it_surely_fits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_lane_has_room_for_what_nobody_counts, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("forecast", tests, NULL, NULL);
}
