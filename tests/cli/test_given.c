/* test_given.c - options and the methods that have them, seen from outside: what nobody uses is refused, what one of
 * several uses changes nothing for the others.
 * SPDX-License-Identifier: MIT */
#include "cli/tiny.h"
#include "model/checkpoint.h"
#include "store/store.h"
#include "option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUICK " --hidden 4 --batch-size 16 --epochs 1 --seeds 1 --folds 2 "
#define ALL   "topk,sag,att,asap,hgpsl,vip,rep,ug,gsa,cgi,tap,ipool,set2set,sort,edge,haar,diff,mincut,mem,gmt"

static void put(const char *name, const char *text)
{
    assert_int_equal(mp_write_file(path(name), text, strlen(text)), MP_OK);
}

static int count(const mp_spawned *s, const char *member)
{
    return mp_json_get(json_of(s), member)->count;
}

static void an_option_that_no_method_uses_is_refused(void **state)
{
    (void)state;
    refuse(2, "train @/TINY --pool topk --alpha 0.3", "--alpha: not used by topk; gsa has it");
    refuse(2, "cv @/TINY --quiet --pool gmt --mid", "--mid: not used by gmt; node-drop operators have it");
    refuse(2, "cv @/TINY --quiet --pool gmt --preset mid", "--preset: not used by gmt; node-drop operators have it");
    refuse(2, "cv @/TINY --quiet --pool gmt,sort --no-flip",
           "--no-flip: not used by gmt, sort; node-drop operators have it");
    refuse(2, "cv @/TINY --quiet --pool gmt --grid paper", "--grid: not used by gmt; node-drop operators have it");
    refuse(2, "cv @/TINY --quiet --pool diff --layers 2",
           "--layers: not used by diff; node-drop operators, set2set, sort");
    refuse(2, "bench epoch @/TINY --pool topk --alpha 0.3", "--alpha: not used by topk; gsa has it");
    refuse(2, "bench predict @/TINY --pool topk --alpha 0.3", "--alpha: not used by topk; gsa has it");
    refuse(2, "bench er --nodes 10 --pool topk,gmt --alpha 0.3", "--alpha: not used by topk, gmt; gsa has it");
    put("c.yaml", "pool: topk\nalpha: 0.3\n");
    refuse(2, "train @/TINY --config @/c.yaml", "c.yaml:2: alpha: not used by topk; gsa has it");
    put("s.yaml", "datasets: [NONE]\npool: [topk, gmt]\nalpha: [0.3, 0.6]\n");
    refuse(2, "sweep @/s.yaml --datasets @/TINY --store @/a.db --quiet",
           "s.yaml:3: alpha: not used by topk, gmt; gsa has it");
}

static void what_an_option_needs_is_said(void **state)
{
    (void)state;
    refuse(2, "cv @/TINY --retrain 2", "--retrain: not used unless select is nested");
    refuse(2, "cv @/TINY --inner-folds 2 --select val-global", "--inner-folds: not used unless select is nested");
    put("grid.yaml", "datasets: [NONE]\nratio: [0.5, 0.8]\neta: 2\n");
    refuse(2, "sweep @/grid.yaml --store @/a.db", "grid.yaml:3: eta: not used unless search is halving");
    put("grid.yaml", "datasets: [NONE]\nratio: [0.5, 0.8]\n");
    refuse(2, "sweep @/grid.yaml --least-epochs 2", "--least-epochs: not used unless search is halving");
    refuse(2, "sweep @/grid.yaml --points 2", "--points: not used unless search is random or halving");
    refuse(2, "sweep @/grid.yaml --search-seed 2", "--search-seed: not used unless search is random or halving");
    refuse(2, "sweep @/grid.yaml --retrain 2", "--retrain: not used unless select is nested");
    refuse(2, "cv @/TINY --group 2", "--group: not used unless device is cuda, auto or emulated");
    refuse(2, "report @/none.db --drop 0.2", "--drop: not used unless select is fixed");
    refuse(2, "train @/TINY --warmup 3", "--warmup: not used by sag unless schedule is cosine");
    refuse(2, "train @/TINY --drop-mode bernoulli", "--drop-mode: not used by sag unless drop is not 0");
    refuse(2, "train @/TINY --arch colors --layers 2", "--layers: not used by sag unless arch is tu");
    refuse(2, "train @/TINY --layers 1 --adj-power 2", "--adj-power: not used by sag unless layers is not 1");
    refuse(2, "train @/TINY --pool topk --variant authors --adj-power 2", "not used by topk with this variant");
    refuse(2, "train @/TINY --pool sort --sort-share 0.9",
           "--sort-share: not used by sort unless sort-form is dgcnn and sort-k is 0");
    mp_spawned s = expect(0, "cv @/TINY --drop-mode bernoulli --grid paper --store @/a.db --quiet" QUICK, NULL);
    mp_spawn_free(&s);
}

static void with_several_methods_an_option_is_for_those_that_have_it(void **state)
{
    (void)state;
    mp_spawned s = expect(0, "cv @/TINY --pool gmt --store @/b.db --quiet" QUICK, NULL);
    mp_spawn_free(&s);
    s = expect(0, "cv @/TINY --pool sag,gmt --mid --store @/b.db" QUICK, "2 of 4 runs were in");
    assert_non_null(strstr(s.out.p, "SAGPool + MID (h 5, drop 0.1)"));
    assert_non_null(strstr(s.out.p, "TINY      GMT  "));
    mp_spawn_free(&s);
    s = expect(0, "cv @/TINY --pool att,topk --min-score 0.1 --store @/b.db --quiet" QUICK, NULL);
    mp_spawn_free(&s);
}

static void a_method_without_mid_has_one_grid_point(void **state)
{
    (void)state;
    mp_spawned s = expect(0, "cv @/TINY --pool sag,gmt --grid paper --store @/c.db --json --quiet" QUICK, NULL);
    assert_int_equal(count(&s, "runs"), 2 * (4 + 1));
    mp_spawn_free(&s);
}

static void an_axis_that_a_method_does_not_have_makes_no_equal_rows(void **state)
{
    (void)state;
    put("s.yaml", "datasets: [NONE]\npool: [topk, gsa, gmt]\nalpha: [0.3, 0.6]\nmid: [false, true]\nhidden: 4\n"
                  "epochs: 1\nseeds: 1\nfolds: 2\nrows: alpha\n");
    mp_spawned s = expect(0, "sweep @/s.yaml --datasets @/TINY --store @/d.db --json --quiet", NULL);
    assert_int_equal(count(&s, "studies"), 2 + 4 + 1);
    assert_int_equal(count(&s, "runs"), 2 * (2 + 4 + 1));
    mp_spawn_free(&s);
    s = expect(0, "sweep @/s.yaml --datasets @/TINY --store @/d.db --quiet", NULL);
    assert_non_null(strstr(s.out.p, "GSAPool, alpha 0.3"));
    assert_null(strstr(s.out.p, "TopKPool, alpha"));
    mp_spawn_free(&s);
}

static void one_list_names_all_methods(void **state)
{
    (void)state;
    mp_spawned s = expect(0, "cv @/TINY --store @/e.db --json --quiet --pool " ALL QUICK, NULL);
    assert_int_equal(count(&s, "studies"), 20);
    mp_spawn_free(&s);
    s = expect(0, "bench er --nodes 5 --steps 1 --json --hidden 4 --pool " ALL, NULL);
    assert_int_equal(count(&s, "points"), 20);
    mp_spawn_free(&s);
    refuse(2, "cv @/TINY --quiet --pool sag,sagg", "did you mean 'sag'?");
    refuse(2, "cv @/TINY --quiet --pool ,", "--pool: expected the name of an operator");
}

/* Models and stores of builds that took every option. */
static void files_that_hold_options_without_a_use_can_be_read(void **state)
{
    (void)state;
    mp_spawned s = expect(0, "train @/TINY --pool topk --hidden 4 --epochs 1 --out @/m.st --quiet", NULL);
    mp_spawn_free(&s);
    mp_model *m;
    mp_about about;
    assert_int_equal(mp_checkpoint_load(path("m.st"), arena, &m, &about), MP_OK);
    option_set((mp_config *)(uintptr_t)mp_model_config(m), "alpha", "0.3");
    assert_int_equal(mp_checkpoint_save(path("old.st"), m, &about), MP_OK);
    s = expect(0, "predict @/old.st @/TINY", NULL);
    mp_spawn_free(&s);

    mp_store *store;
    const mp_stored *run;
    int n;
    s = expect(0, "cv @/TINY --pool topk --store @/old.db --quiet" QUICK, NULL);
    mp_spawn_free(&s);
    assert_int_equal(mp_store_open(path("old.db"), MP_STORE_WRITE, &store), MP_OK);
    assert_int_equal(mp_store_load(store, NULL, arena, &run, &n), MP_OK);
    mp_run_key key = run[0].key;
    option_set(&key.config, "alpha", "0.3");
    bool added;
    assert_int_equal(mp_store_put(store, &key, &run[0].result, &added), MP_OK);
    assert_false(added); /* it is the same run: nobody looks at the option */
    mp_store_close(store);
    s = expect(0, "report @/old.db --out @/old.html", NULL);
    mp_spawn_free(&s);
    s = expect(0, "cv @/TINY --pool topk --store @/old.db" QUICK, "2 of 2 runs were in");
    mp_spawn_free(&s);
}

int main(void)
{
    if (!getenv("MIDPOOL_BIN")) {
        puts("MIDPOOL_BIN is not set: nothing to test");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_option_that_no_method_uses_is_refused),
        cmocka_unit_test(what_an_option_needs_is_said),
        cmocka_unit_test(with_several_methods_an_option_is_for_those_that_have_it),
        cmocka_unit_test(a_method_without_mid_has_one_grid_point),
        cmocka_unit_test(an_axis_that_a_method_does_not_have_makes_no_equal_rows),
        cmocka_unit_test(one_list_names_all_methods),
        cmocka_unit_test(files_that_hold_options_without_a_use_can_be_read),
    };
    return cmocka_run_group_tests(tests, make_data, clean);
}
