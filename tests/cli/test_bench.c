/* test_bench.c - bench from outside: its figures fit together, the profile is complete, the forecast of memory is
 * near what is needed, and what does not fit is refused before it starts.
 * SPDX-License-Identifier: MIT */
#include "cli/tiny.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BRIEF "--timed 2 --threads 2 --json --batch-size 16"
#define TIMED BRIEF " --layers 2"

static mp_spawned bench(const char *options, const mp_json **v)
{
    mp_spawned s = expect(0, mp_arena_printf(arena, "bench epoch @/TINY " TIMED " %s", options), NULL);
    *v = json_of(&s);
    return s;
}

static void limits_follow_from_what_is_counted_and_measured(void **state)
{
    (void)state;
    const mp_json *once, *twice;
    mp_spawned a = bench("--pool sag --hidden 32", &once), b = bench("--pool sag --hidden 32 --times 2", &twice);
    double limit = mp_json_real(once, "flops", 0) / mp_json_real(once, "fma_flops_per_second", 0);
    double sums = mp_json_real(once, "sum_bytes", 0) / mp_json_real(once, "cache_bytes_per_second", 0);
    double seconds = mp_json_real(once, "seconds_per_epoch", 0);
    assert_true(fabs(mp_json_real(once, "limit_seconds", 0) / limit - 1) < 1e-6);
    assert_true(fabs(mp_json_real(once, "limit_with_sums_seconds", 0) / (limit + sums) - 1) < 1e-6);
    assert_true(fabs(mp_json_real(once, "ratio", 0) / (seconds / limit) - 1) < 1e-6);
    assert_true(fabs(mp_json_real(once, "ratio_with_sums", 0) / (seconds / (limit + sums)) - 1) < 1e-6);
    assert_true(fabs(mp_json_real(twice, "flops", 0) / mp_json_real(once, "flops", 0) - 2) < 1e-6);
    double grown = mp_json_real(twice, "sum_bytes", 0) / mp_json_real(once, "sum_bytes", 0);
    assert_true(grown > 1.9 && grown < 2.1); /* which edges survive pooling depends on the scores */
    mp_spawn_free(&a);
    mp_spawn_free(&b);
}

/* The first convolution of one block on dense inputs is all there is to count by hand: TopKPool scores without
 * neighbours, so one epoch sums over neighbours once forward and once backward. GCN's sums may take twins together. */
static void sums_over_neighbours_are_counted_by_the_row(void **state)
{
    (void)state;
    const mp_json *v;
    mp_spawned s = expect(0, "data info @/TINY --json", NULL);
    const mp_json *info = json_of(&s);
    double nodes = mp_json_real(info, "avg_nodes", 0) * mp_json_real(info, "graphs", 0);
    double edges = mp_json_real(info, "avg_edges", 0) * mp_json_real(info, "graphs", 0);
    assert_true(nodes > 0 && edges > 0);
    mp_spawned b = bench("--pool topk --hidden 32 --layers 1 --share 1 --conv graphconv", &v);
    double rows = 2 * edges + nodes; /* edges count from both ends; a result a node */
    assert_true(fabs(mp_json_real(v, "sum_bytes", 0) / (2 * rows * 32 * 4) - 1) < 1e-3);
    mp_spawned g = bench("--pool topk --hidden 32 --layers 1 --share 1", &v);
    double share = mp_json_real(v, "sum_bytes", 0) / (2 * (rows + nodes) * 32 * 4); /* a self loop a node */
    assert_true(share > 0.5 && share < 1.001);
    mp_spawn_free(&s);
    mp_spawn_free(&b);
    mp_spawn_free(&g);
}

static const mp_json *row_named(const mp_json *profile, const char *name)
{
    for (const mp_json *r = profile->first; r; r = r->next)
        if (strcmp(mp_json_text(r, "name", ""), name) == 0) return r;
    fail_msg("the profile has no row '%s'", name);
    return NULL;
}

static void the_profile_accounts_for_every_second_of_every_thread(void **state)
{
    (void)state;
    const mp_json *v;
    mp_spawned s = bench("--pool sag --hidden 64 --profile", &v);
    const mp_json *profile = mp_json_get(v, "profile");
    assert_non_null(profile);
    double sum = 0, share = 0;
    for (const mp_json *r = profile->first; r; r = r->next) {
        sum += mp_json_real(r, "forward_seconds", -1) + mp_json_real(r, "backward_seconds", -1);
        share += mp_json_real(r, "share", -1);
        assert_true(mp_json_real(r, "forward_seconds", -1) >= 0 && mp_json_real(r, "backward_seconds", -1) >= 0);
        const mp_json *name = mp_json_get(r, "name");
        assert_true(name->kind == MP_JSON_STRING && name->text[0] != '\0');
    }
    double rest = mp_json_real(v, "profile_rest_seconds", -1);
    assert_true(sum > 0 && rest > 0); /* nothing is charged twice, or the rows would exceed the threads' time */
    assert_true(fabs(sum / (sum + rest) - share) < 1e-6);
    static const char *const ops[] = { "linear", "agg", "gate", "readout" };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        assert_true(mp_json_real(row_named(profile, ops[i]), "forward_seconds", 0) > 0);
        assert_true(mp_json_real(row_named(profile, ops[i]), "backward_seconds", 0) > 0);
    }
    static const char *const between[] = { "gather", "key", "select", "induce", "add shards", "adam" };
    for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
        assert_true(mp_json_real(row_named(profile, between[i]), "forward_seconds", 0) > 0);
        assert_true(mp_json_real(row_named(profile, between[i]), "backward_seconds", -1) == 0);
    }
    mp_spawn_free(&s);
    s = bench("--pool sag --hidden 64", &v);
    assert_null(mp_json_get(v, "profile"));
    mp_spawn_free(&s);
}

static void growing_graphs_are_measured(void **state)
{
    (void)state;
    mp_spawned s = expect(0, "bench er --pool sag,tap --nodes 300,900 --steps 1 --warm 1 --json", NULL);
    const mp_json *points = mp_json_get(json_of(&s), "points");
    int n = 0;
    assert_non_null(points);
    for (const mp_json *p = points->first; p; p = p->next, n++) {
        assert_int_equal((int)mp_json_real(p, "nodes", 0), n % 2 ? 900 : 300);
        assert_true(mp_json_real(p, "seconds_per_step", 0) > 0 && mp_json_real(p, "peak_bytes", 0) > 0);
    }
    assert_int_equal(n, 4);
    mp_spawn_free(&s);
    s = expect(0, "bench er --pool sag --nodes 300,900 --steps 1 --warm 1", NULL);
    double first[2], then[2], ratio[3];
    const char *line = strstr(s.out.p, "sag        1       300"), *next = strstr(s.out.p, "sag        1       900");
    assert_true(line && sscanf(line + 22, "%lf %lf", &first[0], &first[1]) == 2);
    assert_true(next && sscanf(next + 22, "%lf %lf x %lf time, x %lf memory for x %lf nodes", &then[0], &then[1],
                               &ratio[0], &ratio[1], &ratio[2]) == 5);
    for (int i = 0; i < 2; i++) assert_true(fabs(ratio[i] - then[i] / first[i]) < 0.06 + 0.05 * ratio[i]);
    assert_true(ratio[2] == 3);
    mp_spawn_free(&s);
}

static void products_are_measured_beside_the_machine(void **state)
{
    (void)state;
    mp_spawned s = expect(0, "bench gemm --timed 1 --json", NULL);
    const mp_json *v = json_of(&s), *cases = mp_json_get(v, "cases");
    double peak = mp_json_real(v, "peak_flops_per_second", 0);
    assert_true(peak > 0);
    assert_int_equal(cases->count, 9);
    assert_string_equal(mp_json_text(cases->first, "name", ""), "X W, h = 1");
    for (const mp_json *c = cases->first; c; c = c->next) {
        double rate = mp_json_real(c, "flops_per_second", 0);
        assert_true(rate > 0 && fabs(mp_json_real(c, "share", 0) / (rate / peak) - 1) < 1e-3);
    }
    mp_spawn_free(&s);
    s = expect(0, "bench gemm --timed 1", NULL);
    assert_int_equal(strncmp(s.out.p, "one core, kernels ", 18), 0);
    const char *line = strchr(s.out.p, '\n') + 1;
    double told = -1;
    assert_int_equal(sscanf(strchr(s.out.p, ':'), ": %lf GFLOP/s of fused", &told), 1);
    assert_true(told > 0.1 && told < 1e4); /* 10^9 a second */
    for (int i = 0; i < 9; i++, line = strchr(line, '\n') + 1) {
        double rate, share;
        int m, n, k;
        assert_int_equal(sscanf(line + 16, " %d x %d x %d %lf GFLOP/s %lf %%", &m, &n, &k, &rate, &share), 5);
        double off = 0.051 * (1 + (100 + share) / (told - 0.05)); /* all three are rounded to a decimal */
        assert_true(fabs(share - 100 * rate / told) < off);
    }
    assert_true(*line == '\0');
    mp_spawn_free(&s);
    refuse(2, "bench gemm --timed 0", "--timed: expected");
    refuse(2, "bench gemm --mid", "--mid"); /* there is no model to speak of */
}

static void near_the_peak(const char *line)
{
    mp_spawned s = expect(0, line, NULL);
    const mp_json *v = json_of(&s);
    double forecast = mp_json_real(v, "forecast_bytes", 0), peak = mp_json_real(v, "peak_bytes", 0);
    if (!(forecast < 1.5 * peak && peak < 1.5 * forecast))
        fail_msg("%s: forecast %.1f MiB, peak %.1f MiB", line, forecast / 1048576, peak / 1048576);
    mp_spawn_free(&s);
}

static const char *const pools[] = { "sag --layers 2", "asap --layers 2", "diff",
                                     "mincut",         "gmt --layers 2",  "rep --layers 2" };
#define POOLS (sizeof pools / sizeof *pools)

static void the_forecast_of_memory_is_near_the_peak(void **state)
{
    (void)state;
    for (size_t i = 0; i < POOLS; i++)
        near_the_peak(mp_arena_printf(arena, "bench epoch @/TINY " BRIEF " --hidden 128 --pool %s", pools[i]));
    near_the_peak("bench epoch @/TINY " TIMED " --hidden 64 --pool sag --score-dim 9");
}

static void so_it_is_on_real_data(void **state)
{
    (void)state;
    mp_spawned there = mp_spawn("data info PROTEINS");
    int code = there.code;
    mp_spawn_free(&there);
    if (code != 0) {
        print_message("no real data sets here: skipped\n");
        skip();
    }
    for (size_t i = 0; i < POOLS; i++)
        near_the_peak(mp_arena_printf(
            arena, "bench epoch PROTEINS --timed 1 --threads 2 --json --hidden 32 --share 0.4 --pool %s", pools[i]));
}

static void set_limit(double mib)
{
    setenv("MIDPOOL_MEMORY", mp_arena_printf(arena, "%d", (int)mib), 1);
}

static void what_does_not_fit_is_refused_before_it_starts(void **state)
{
    (void)state;
    static const char model[] = "--pool sag --hidden 256 --score-dim 9 --layers 2 --batch-size 64 --epochs 1 --quiet";
    const mp_json *v;
    mp_spawned s = bench("--pool sag --hidden 256 --score-dim 9 --batch-size 64", &v);
    double need = mp_json_real(v, "peak_bytes", 0) / 1048576;
    mp_spawn_free(&s);
    assert_true(need > 40);
    set_limit(0.75 * need);
    refuse(1, mp_arena_printf(arena, "train @/TINY --threads 2 %s --out @/m", model), "TINY, sag: needs about");
    refuse(1, mp_arena_printf(arena, "cv @/TINY --seeds 1 --folds 5 --jobs 2 --store @/full.db %s", model),
           "--jobs 1, a smaller --batch-size");
    assert_true(access(path("full.db"), F_OK) != 0 && access(path("m"), F_OK) != 0);
    refuse(1, "bench epoch @/TINY " TIMED " --pool sag --hidden 256 --score-dim 9 --batch-size 64", "MiB are free");
    refuse(1, "train @/TINY --pool diff --clusters 1000000 --epochs 1 --out @/m", "TINY, diff: its 1000");
    set_limit(3 * need);
    s = expect(0, mp_arena_printf(arena, "train @/TINY --threads 2 %s --out @/m", model), NULL);
    mp_spawn_free(&s);
    setenv("MIDPOOL_MEMORY", "much", 1);
    refuse(2, "ops", "MIDPOOL_MEMORY: expected a number of MiB");
    unsetenv("MIDPOOL_MEMORY");
}

/* The store that it leaves is one as others are. */
static void a_store_is_measured_and_stays(void **state)
{
    (void)state;
    static const char *const costs[] = { "put", "open", "count", "read", "find" };
    mp_spawned s = expect(0, "bench store --runs 60 --epochs 5 --store @/bench.db --json", NULL);
    const mp_json *v = json_of(&s);
    assert_int_equal(mp_json_int(v, "runs", -1), 60);
    assert_true(mp_json_real(v, "bytes_per_run", -1) > 100);
    for (int i = 0; i < 5; i++) {
        const mp_json *c = mp_json_get(v, costs[i]);
        assert_true(mp_json_real(c, "cpu_seconds", -1) > 0 && mp_json_real(c, "seconds", -1) > 0);
    }
    mp_spawn_free(&s);
    s = expect(0, "status @/bench.db", NULL);
    assert_non_null(strstr(s.out.p, "60 runs done, 0 failed, nobody is at work"));
    mp_spawn_free(&s);
    s = expect(0, "report @/bench.db --out @/bench.html", NULL);
    assert_non_null(strstr(s.out.p, "MADE-UP"));
    mp_spawn_free(&s);
    refuse(2, "bench store --store @/bench.db", "bench.db is there already");
}

/* "About M minutes and N MiB with J runs side by side": the most of the rows, their minutes together. */
static void a_dry_run_ends_with_what_its_rows_add_up_to(void **state)
{
    (void)state;
    mp_spawned s = expect(0,
                          "cv @/TINY --pool sag,topk,diff --hidden 96 --seeds 200 --folds 2 --epochs 90 --jobs 2 "
                          "--store @/none.db --quiet --dry-run",
                          NULL);
    mp_span rest = mp_span_of(s.out.p), line;
    double most = 0, sum = 0, mib, minutes, told_minutes = -1, told_mib = -1;
    int rows = 0, jobs = 0;
    while (mp_next_line(&rest, &line)) {
        const char *text = mp_arena_text(arena, line.p, line.n);
        sscanf(text, "About %lf minutes and %lf MiB with %d runs side by side.", &told_minutes, &told_mib, &jobs);
        if (sscanf(text, "TINY %*s %*d %*d %*d %*d %*f %lf %lf", &mib, &minutes) != 2) continue;
        rows++;
        most = mib > most ? mib : most;
        sum += minutes;
    }
    assert_true(rows == 3 && jobs == 2);
    assert_true(told_mib == most && most >= 1 && most < 10000);
    assert_true(fabs(told_minutes - sum) <= 0.5 + 0.05 * rows); /* as they are rounded */
    mp_spawn_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_follow_from_what_is_counted_and_measured),
        cmocka_unit_test(sums_over_neighbours_are_counted_by_the_row),
        cmocka_unit_test(the_profile_accounts_for_every_second_of_every_thread),
        cmocka_unit_test(growing_graphs_are_measured),
        cmocka_unit_test(products_are_measured_beside_the_machine),
        cmocka_unit_test(a_store_is_measured_and_stays),
        cmocka_unit_test(the_forecast_of_memory_is_near_the_peak),
        cmocka_unit_test(so_it_is_on_real_data),
        cmocka_unit_test(what_does_not_fit_is_refused_before_it_starts),
        cmocka_unit_test(a_dry_run_ends_with_what_its_rows_add_up_to),
    };
    return cmocka_run_group_tests(tests, make_data, clean);
}
