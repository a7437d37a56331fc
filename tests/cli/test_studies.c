/* test_studies.c - studies from outside: what a row of cv, sweep and report counts.
 * SPDX-License-Identifier: MIT */
#include "cli/tiny.h"
#include "conf/config.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define QUICK "--hidden 8 --layers 2 --batch-size 16 --lr 0.01 --quiet"

static bool exists(const char *name)
{
    return access(path(name), F_OK) == 0;
}

static void put(const char *name, const char *text)
{
    assert_int_equal(mp_write_file(path(name), text, strlen(text)), MP_OK);
}

/* Mean test accuracy of the runs with this seed. */
static double mean_of_seed(const mp_json *runs, int seed, int *n)
{
    double sum = 0;
    *n = 0;
    for (int i = 0; i < runs->count; i++) {
        const mp_json *config = mp_json_get(mp_json_at(runs, i), "config");
        if (mp_json_int(config, "seed", -1) != seed) continue;
        sum += mp_json_real(mp_json_at(runs, i), "test_metric", -1);
        ++*n;
    }
    return sum / *n;
}

static void a_row_of_a_sweep_counts_its_own_seeds_alone(void **state)
{
    (void)state;
    put("seeds.yaml", "seed: [1, 3]\nratio: [0.5, 0.8]\nmid: [true]\nseeds: 2\nhidden: 8\nlayers: 2\n"
                      "epochs: 3\nfolds: 3\nrows: [ratio]\n");
    mp_spawned s = expect(0, "sweep @/seeds.yaml --datasets @/TINY --store @/seeds.db --json --quiet", NULL);
    const mp_json *v = json_of(&s), *studies = mp_json_get(v, "studies"), *runs = mp_json_get(v, "runs");
    assert_int_equal(studies->count, 4);
    assert_int_equal(runs->count, 24);
    for (int i = 0; i < 4; i++) { /* seeds 1 and 2 with either ratio, then 3 and 4 */
        const mp_json *val = mp_json_get(mp_json_get(mp_json_at(studies, i), "summary"), "val");
        assert_int_equal(mp_json_int(val, "runs", 0), 6);
        assert_int_equal(mp_json_int(mp_json_at(mp_json_get(val, "chosen"), 0), "seed", 0), i < 2 ? 1 : 3);
        assert_int_equal(mp_json_get(val, "chosen")->count, 2);
    }
    static const char *const swept[] = { "seed", "ratio", "score-dim", "flip", "drop" };
    assert_int_equal(mp_json_get(v, "swept")->count, 5);
    for (int i = 0; i < 5; i++) assert_string_equal(mp_json_at(mp_json_get(v, "swept"), i)->text, swept[i]);
    put("seeds.yaml", "seed: [1, 3]\nseeds: 2\nhidden: 8\nlayers: 2\nepochs: 3\nfolds: 3\n");
    mp_spawn_free(&s);
    s = expect(0, "sweep @/seeds.yaml --datasets @/TINY --store @/seeds.db --json --quiet", NULL);
    v = json_of(&s);
    for (int i = 0; i < 2; i++) {
        int n, m;
        double a = mean_of_seed(mp_json_get(v, "runs"), 2 * i + 1, &n),
               b = mean_of_seed(mp_json_get(v, "runs"), 2 * i + 2, &m);
        const mp_json *study = mp_json_at(mp_json_get(v, "studies"), i);
        double mean = mp_json_real(mp_json_get(mp_json_get(study, "summary"), "val"), "mean", -1);
        assert_true(n == 3 && m == 3 && fabs(mean - (a + b) / 2) < 1e-12);
    }
    mp_spawn_free(&s);
}

static void runs_of_cv_carry_their_configuration(void **state)
{
    (void)state;
    mp_spawned s = expect(0, "cv @/TINY --pool topk --epochs 3 --seeds 2 --folds 3 --json --store @/c.db " QUICK, NULL);
    const mp_json *runs = mp_json_get(json_of(&s), "runs");
    for (int i = 0; i < runs->count; i++) {
        const mp_json *config = mp_json_get(mp_json_at(runs, i), "config");
        assert_non_null(config);
        for (const mp_opt *o = mp_config_table; o->name; o++) assert_non_null(mp_json_get(config, o->name));
        assert_int_equal(mp_json_int(config, "seed", -1), 42 + i / 3);
        assert_int_equal(mp_json_int(config, "epochs", -1), 3);
    }
    mp_spawn_free(&s);
}

static void a_password_in_a_file_is_not_shown(void **state)
{
    (void)state;
    put("secret.yaml", "epochs: 1\nfolds: 2\nstore: postgresql://me:geheim@[x/lab\n");
    mp_spawned s = expect(2, "sweep @/secret.yaml --datasets @/TINY", "kept in postgresql://me@[x/lab");
    assert_null(strstr(s.err.p, "geheim"));
    mp_spawn_free(&s);
}

static void seeds_that_no_number_holds_are_refused(void **state)
{
    (void)state;
    refuse(2, "cv @/TINY --seed 2147483647 --seeds 2 --store @/far.db --quiet",
           "seeds: 2 from seed 2147483647 on would go past 2147483647");
    put("far.yaml", "seed: [1, 2147483640]\nseeds: 10\n");
    refuse(2, "sweep @/far.yaml --datasets @/TINY --store @/far.db --quiet", "seeds: 10 from seed 2147483640 on");
    assert_false(exists("far.db"));
    mp_spawned s =
        expect(0, "cv @/TINY --seed 2147483647 --seeds 1 --folds 3 --epochs 2 --store @/far.db " QUICK, NULL);
    mp_spawn_free(&s);
    refuse(2, "cv @/TINY --mid --grid code --seeds 100000 --folds 30 --store @/far.db --quiet",
           "27000000 runs, at most 10000000");
}

static const mp_json *row_of(const mp_json *report, const char *model)
{
    const mp_json *rows = mp_json_get(report, "studies");
    for (int i = 0; i < rows->count; i++)
        if (strcmp(mp_json_text(mp_json_at(rows, i), "model", ""), model) == 0) return mp_json_at(rows, i);
    print_message("no row '%s'\n", model);
    return NULL;
}

#define STUDY "cv @/TINY --pool topk --epochs 3 --seeds 2 --folds 3 --store @/rows.db --hidden 8 --layers 2 "

static void a_report_has_the_rows_that_studies_declared(void **state)
{
    (void)state;
    static const char *const studies[] = { "", "--mid", "--mid --drop 0", "--mid --score-dim 1", "--mid --no-flip" };
    mp_spawned s;
    for (int i = 0; i < 5; i++) {
        s = expect(0, mp_arena_printf(arena, STUDY "%s", studies[i]), NULL);
        mp_spawn_free(&s);
    }
    s = expect(0, "report @/rows.db --out @/rows.html --json", NULL);
    const mp_json *v = json_of(&s);
    static const char *const rows[] = { "topk", "topk + MID", "topk + MID, no drop", "topk + MID, h = 1",
                                        "topk + MID, no flip" };
    assert_int_equal(mp_json_get(v, "studies")->count, 5);
    for (int i = 0; i < 5; i++) {
        const mp_json *row = row_of(v, rows[i]);
        assert_non_null(row);
        assert_int_equal(mp_json_int(row, "runs", 0), 6);
        assert_string_equal(mp_json_text(row, "grid", ""), "none");
    }
    mp_spawn_free(&s);
    /* One point of the grid is there already; it now counts in its own row and in that of the grid. */
    s = expect(0, STUDY "--mid --grid paper", "6 of 24 runs were in");
    mp_spawn_free(&s);
    s = expect(0, "report @/rows.db --out @/rows.html --json", NULL);
    v = json_of(&s);
    assert_int_equal(mp_json_get(v, "studies")->count, 6);
    assert_int_equal(mp_json_int(row_of(v, "topk + MID"), "runs", 0), 6);
    assert_int_equal(mp_json_int(row_of(v, "topk + MID, grid of the paper"), "runs", 0), 24);
    mp_spawn_free(&s);
}

/* ---- parts ---- */

#define PARTS "cv @/TINY --pool topk,sag --epochs 3 --seeds 3 --folds 3 --json " QUICK

/* A run without how long it took. */
static const char *run_text(const mp_json *run)
{
    const mp_json *config = mp_json_get(run, "config");
    return mp_arena_printf(arena, "%s %s %d %d: %.17g %.17g %.17g %.17g %s", mp_json_text(run, "dataset", ""),
                           mp_json_text(config, "pool", ""), (int)mp_json_int(config, "seed", -1),
                           (int)mp_json_int(run, "fold", -1), mp_json_real(run, "train_loss", -1),
                           mp_json_real(run, "val_loss", -1), mp_json_real(run, "val_metric", -1),
                           mp_json_real(run, "test_metric", -1), mp_json_text(run, "model_sha256", "none"));
}

static bool has_run(const mp_json *runs, const char *text)
{
    for (int i = 0; i < runs->count; i++)
        if (strcmp(run_text(mp_json_at(runs, i)), text) == 0) return true;
    return false;
}

static void parts_of_a_study_are_its_runs_bit_for_bit(void **state)
{
    (void)state;
    mp_spawned s = expect(0, PARTS " --jobs 2 --store @/whole.db", NULL);
    const mp_json *whole = mp_json_get(json_of(&s), "runs");
    assert_int_equal(whole->count, 18);
    mp_spawn_free(&s);
    int found = 0;
    for (int i = 1; i <= 3; i++) {
        s = expect(0, mp_arena_printf(arena, PARTS " --part %d/3 --store @/part-%d.db", i, i), NULL);
        const mp_json *v = json_of(&s), *runs = mp_json_get(v, "runs"), *part = mp_json_get(v, "part");
        for (int k = 0; k < runs->count; k++) assert_true(has_run(whole, run_text(mp_json_at(runs, k))));
        assert_int_equal(mp_json_int(part, "i", 0), i);
        assert_int_equal(mp_json_int(part, "runs", 0), runs->count);
        assert_int_equal(mp_json_int(part, "there", 0), runs->count);
        assert_int_equal(mp_json_int(part, "of", 0), 18);
        assert_int_equal(mp_json_get(v, "studies")->count, 0); /* no row is whole */
        found += runs->count;
        mp_spawn_free(&s);
    }
    assert_int_equal(found, 18);
    s = expect(0, "merge @/joined.db @/part-1.db @/part-2.db @/part-3.db", NULL);
    mp_spawn_free(&s);
    s = expect(0,
               "cv @/TINY --pool topk,sag --epochs 3 --seeds 3 --folds 3 --json --hidden 8 --layers 2 --batch-size 16 "
               "--lr 0.01 --store @/joined.db",
               "18 of 18 runs were in");
    const mp_json *joined = mp_json_get(json_of(&s), "runs");
    assert_int_equal(joined->count, 18);
    for (int k = 0; k < 18; k++) assert_string_equal(run_text(mp_json_at(joined, k)), run_text(mp_json_at(whole, k)));
    mp_spawn_free(&s);
}

static void a_part_says_what_it_has_and_what_is_missing(void **state)
{
    (void)state;
    mp_spawned s = expect(0, STUDY "--part 1/2 --store @/said.db", "part 1/2: ");
    assert_non_null(strstr(s.out.p, "Part 1/2: "));
    assert_non_null(strstr(s.out.p, "1 of 1 rows lack runs of other parts and are not shown."));
    assert_null(strstr(s.out.p, "±")); /* half of the runs are no result */
    mp_spawn_free(&s);
    s = expect(0, STUDY "--part 2/2 --store @/said.db", NULL); /* the same store: now they are all there */
    assert_null(strstr(s.out.p, "lack runs"));
    assert_non_null(strstr(s.out.p, "6 of 6"));
    mp_spawn_free(&s);
    refuse(2, STUDY "--part 3/2", "--part: expected I/N");
    refuse(2, "reproduce ablation --part 1/2 --show", "--part is for running");
    put("part.yaml", "ratio: [0.5, 0.8]\nseeds: 1\nhidden: 8\nlayers: 2\nepochs: 2\nfolds: 3\npart: 1/2\n");
    s = expect(0, "sweep @/part.yaml --datasets @/TINY --store @/psweep.db --quiet", NULL);
    assert_non_null(strstr(s.out.p, "Part 1/2: "));
    mp_spawn_free(&s);
    s = expect(0, "sweep @/part.yaml --datasets @/TINY --store @/psweep.db --quiet --part 2/2", NULL);
    assert_non_null(strstr(s.out.p, "Part 2/2: "));
    assert_null(strstr(s.out.p, "lack runs"));
    mp_spawn_free(&s);
}

/* Counts the lines of a file of the test. */
static int lines_of(const char *name)
{
    mp_span text;
    assert_int_equal(mp_slurp(path(name), 0, arena, &text), MP_OK);
    return (int)mp_newlines(text.p, text.n);
}

static void runs_are_compared_and_exported_from_several_stores(void **state)
{
    (void)state;
    mp_spawned s =
        expect(0, "cv @/TINY --pool sag,topk --folds 3 --seeds 2 --epochs 3 " QUICK " --store @/one.db", NULL);
    mp_spawn_free(&s);
    s = expect(0, "cv @/TINY --pool sag,gsa --folds 3 --seeds 2 --epochs 3 " QUICK " --store @/two.db", NULL);
    mp_spawn_free(&s);
    s = expect(0, "compare @/one.db @/two.db --baseline sag --json", NULL);
    const mp_json *v = json_of(&s), *pairs = mp_json_get(v, "comparisons");
    assert_int_equal(pairs->count, 2);
    assert_int_equal(mp_json_int(mp_json_at(pairs, 0), "pairs", 0), 6);
    assert_int_equal(mp_json_get(v, "stores")->count, 2);
    mp_spawn_free(&s);
    s = expect(0, "compare @/one.db", NULL);
    assert_non_null(strstr(s.out.p, "On TINY "));
    mp_spawn_free(&s);
    s = expect(1, "compare @/one.db --svg @/none.svg", "--svg: there are no ranks to draw");
    mp_spawn_free(&s);
    assert_false(exists("none.svg"));
    s = expect(2, "compare @/one.db --baseline nobody", "there are 'sag', 'topk'");
    mp_spawn_free(&s);

    s = expect(0, "export @/one.db @/two.db --csv @/runs.csv --curves @/curves.csv", "18 runs exported");
    mp_spawn_free(&s);
    assert_int_equal(lines_of("runs.csv"), 1 + 18);
    assert_true(lines_of("curves.csv") > 18);
    s = expect(0, "export @/one.db --csv -", NULL);
    assert_int_equal(mp_newlines(s.out.p, s.out.n), 1 + 12);
    mp_spawn_free(&s);
    s = expect(2, "export @/one.db", "expected --csv FILE");
    mp_spawn_free(&s);
    s = expect(2, "export @/one.db --csv - --curves -", "standard output");
    mp_spawn_free(&s);
    s = expect(1, "export @/one.db --csv @/no/such/x.csv", NULL);
    mp_spawn_free(&s);
}

/* ---- choosing over what is swept ---- */

#define POINTS_YAML "pool: [topk, sag]\nhidden: [4, 8]\nlr: [0.001, 0.02]\nseeds: 2\nfolds: 3\nepochs: 4\nlayers: 2\n"

/* The mean of a field over the folds of a point and a seed, looked for in all runs. */
static double mean_at(const mp_json *runs, const char *pool, int hidden, double lr, int seed, const char *field)
{
    double sum = 0;
    int n = 0;
    for (const mp_json *r = runs->first; r; r = r->next) {
        const mp_json *c = mp_json_get(r, "config");
        if (strcmp(mp_json_text(c, "pool", ""), pool) != 0 || mp_json_int(c, "hidden", 0) != hidden ||
            fabs(mp_json_real(c, "lr", 0) - lr) > 1e-12 || mp_json_int(c, "seed", 0) != seed)
            continue;
        sum += mp_json_real(r, field, -1);
        n++;
    }
    assert_int_equal(n, 3);
    return sum / n;
}

static const int hiddens[] = { 4, 4, 8, 8 };
static const double rates[] = { 0.001, 0.02, 0.001, 0.02 };

/* The best of the four points of a seed by validation, or by test. */
static int best_of(const mp_json *runs, const char *pool, int seed, bool by_test)
{
    int best = 0;
    for (int p = 1; p < 4; p++) {
        const char *field = by_test ? "test_metric" : "val_metric";
        double x = mean_at(runs, pool, hiddens[p], rates[p], seed, field),
               y = mean_at(runs, pool, hiddens[best], rates[best], seed, field);
        double loss = mean_at(runs, pool, hiddens[p], rates[p], seed, "val_loss"),
               than = mean_at(runs, pool, hiddens[best], rates[best], seed, "val_loss");
        if (x > y + 1e-12 || (!by_test && fabs(x - y) <= 1e-12 && loss < than)) best = p;
    }
    return best;
}

static void a_sweep_is_one_row_a_method_chosen_by_validation(void **state)
{
    (void)state;
    put("points.yaml", POINTS_YAML);
    mp_spawned s = expect(0, "sweep @/points.yaml --datasets @/TINY --store @/points.db --json --quiet", NULL);
    const mp_json *v = json_of(&s), *rows = mp_json_get(v, "studies"), *runs = mp_json_get(v, "runs");
    assert_int_equal(rows->count, 2);
    assert_int_equal(runs->count, 2 * 4 * 2 * 3);
    double mean[2];
    for (int i = 0; i < 2; i++) {
        const char *pool = i ? "sag" : "topk";
        const mp_json *summary = mp_json_get(mp_json_at(rows, i), "summary");
        const mp_json *chosen = mp_json_get(mp_json_get(summary, "val"), "chosen");
        double honest = 0, greedy = 0;
        for (int seed = 42; seed < 44; seed++) {
            int p = best_of(runs, pool, seed, false), t = best_of(runs, pool, seed, true);
            honest += mean_at(runs, pool, hiddens[p], rates[p], seed, "test_metric") / 2;
            greedy += mean_at(runs, pool, hiddens[t], rates[t], seed, "test_metric") / 2;
            const mp_json *c = mp_json_at(chosen, seed - 42);
            assert_int_equal(mp_json_int(c, "point", 0), p + 1);
            assert_int_equal(mp_json_int(c, "hidden", 0), hiddens[p]);
            assert_true(fabs(mp_json_real(c, "lr", 0) - rates[p]) < 1e-12);
        }
        mean[i] = mp_json_real(mp_json_get(summary, "val"), "mean", -1);
        assert_true(fabs(mean[i] - honest) < 1e-12);
        assert_true(fabs(mp_json_real(mp_json_get(summary, "paper"), "mean", -1) - greedy) < 1e-12);
    }
    mp_spawn_free(&s);
    s = expect(0, "report @/points.db --out @/points.html --json", NULL);
    rows = mp_json_get(json_of(&s), "studies");
    assert_int_equal(rows->count, 2); /* the same two rows */
    for (int i = 0; i < 2; i++) {
        const mp_json *row = row_of(json_of(&s), i ? "sag, 4 points of hidden, lr" : "topk, 4 points of hidden, lr");
        assert_non_null(row);
        assert_true(fabs(mp_json_real(mp_json_get(mp_json_get(row, "summary"), "val"), "mean", -1) - mean[i]) < 1e-12);
    }
    mp_spawn_free(&s);
    s = expect(0, "sweep @/points.yaml --datasets @/TINY --store @/points.db --quiet --show-points", NULL);
    assert_non_null(strstr(s.out.p, "  gap  "));
    assert_non_null(strstr(s.out.p, "hidden = 4, lr = 0.001"));
    mp_spawn_free(&s);
}

static void inner_runs_and_retrainings_are_in_the_row_of_their_study_alone(void **state)
{
    (void)state;
    put("points.yaml", POINTS_YAML);
    mp_spawned s = expect(
        0, "sweep @/points.yaml --datasets @/TINY --store @/points.db --json --quiet --select nested --retrain 2",
        NULL);
    const mp_json *row = mp_json_at(mp_json_get(json_of(&s), "studies"), 0);
    const mp_json *nested = mp_json_get(mp_json_get(row, "summary"), "nested");
    double mean = mp_json_real(nested, "mean", -1);
    assert_int_equal(mp_json_get(nested, "chosen")->count, 2 * 3); /* for each seed and fold */
    assert_int_equal(mp_json_int(nested, "runs", 0), 2 * 3 * (4 + 2));
    assert_null(mp_json_get(mp_json_get(row, "summary"), "paper"));
    mp_spawn_free(&s);
    s = expect(0, "report @/points.db --out @/points.html --json", NULL);
    const mp_json *rows = mp_json_get(json_of(&s), "studies");
    assert_int_equal(rows->count, 4); /* beside the two rows from before */
    row = row_of(json_of(&s), "topk, 4 points of hidden, lr, nested");
    assert_non_null(row);
    assert_true(fabs(mp_json_real(mp_json_get(mp_json_get(row, "summary"), "nested"), "mean", -1) - mean) < 1e-12);
    row = row_of(json_of(&s), "topk, 4 points of hidden, lr");
    assert_int_equal(mp_json_int(row, "runs", 0), 24);
    mp_spawn_free(&s);
}

static void models_of_chosen_runs_are_kept_and_no_others(void **state)
{
    (void)state;
    put("points.yaml", POINTS_YAML);
    for (int i = 0; i < 2; i++) { /* chosen runs that were trained before are trained again, then found */
        mp_spawned s = expect(0, "sweep @/points.yaml --datasets @/TINY --store @/points.db --models @/chosen",
                              i ? NULL : "12 runs that were in ");
        mp_spawn_free(&s);
        s = expect(0, "predict @/chosen @/TINY --json", NULL);
        assert_int_equal(mp_json_get(json_of(&s), "models")->count, 2 * 2 * 3);
        mp_spawn_free(&s);
    }
    assert_true(exists("chosen/TINY-sag-seed43-fold3.safetensors") && !exists("chosen/unchosen"));
    mp_spawned s = expect(0, "sweep @/points.yaml --datasets @/TINY --store @/fresh.db --models @/new --quiet", NULL);
    mp_spawn_free(&s);
    assert_false(exists("new/unchosen"));
    assert_int_equal(system(mp_arena_printf(arena, "diff -r '%s' '%s'", path("chosen"), path("new"))), 0);
    s = expect(0, "sweep @/points.yaml --datasets @/TINY --store @/points.db --models-all @/all --quiet", NULL);
    mp_spawn_free(&s);
    s = expect(0, "predict @/all @/TINY --json", NULL);
    assert_int_equal(mp_json_get(json_of(&s), "models")->count, 48);
    mp_spawn_free(&s);
    refuse(2, "cv @/TINY --models @/a --models-all @/b --store @/points.db --quiet",
           "--models or --models-all, not both");
}

static void a_dry_run_counts_runs_and_trains_none(void **state)
{
    (void)state;
    put("points.yaml", POINTS_YAML);
    mp_spawned s = expect(0, "sweep @/points.yaml --datasets @/TINY --store @/none.db --quiet --dry-run", NULL);
    assert_non_null(strstr(s.out.p, "  minutes to go"));
    assert_non_null(strstr(s.out.p, "MiB"));
    assert_false(exists("none.db"));
    mp_spawn_free(&s);
    s = expect(0,
               "cv @/TINY --pool topk --hidden 4 --lr 0.02 --layers 2 --seeds 3 --folds 3 --epochs 4 "
               "--store @/points.db --quiet --dry-run",
               NULL);
    assert_non_null(strstr(s.out.p, "       1     9      6 ")); /* one point, nine runs, six of them there */
    mp_spawn_free(&s);
}

static void a_dry_run_of_a_set_with_one_split_tries_that(void **state)
{
    (void)state;
    make_split_data();
    mp_spawned s =
        expect(0, "cv @/SPLIT.jsonl --pool topk --hidden 4 --seeds 2 --store @/none.db --quiet --dry-run", NULL);
    assert_non_null(strstr(s.out.p, "minutes"));
    assert_non_null(strstr(s.out.p, "       1     2      0 "));
    mp_spawn_free(&s);
}

static void random_points_and_halving_are_told_and_wrong_searches_refused(void **state)
{
    (void)state;
    put("random.yaml",
        "pool: topk\nlr: {from: 1e-4, to: 1e-1, scale: log}\nhidden: [4, 8]\nsearch: halving\npoints: 4\n"
        "eta: 2\nleast-epochs: 1\nseeds: 1\nfolds: 2\nepochs: 4\nlayers: 2\n");
    mp_spawned s = expect(0, "sweep @/random.yaml --datasets @/TINY --store @/r.db --quiet --show-points", NULL);
    assert_non_null(strstr(s.out.p, "after 1 epochs"));
    assert_non_null(strstr(s.out.p, "14 of 14")); /* 4 + 2 + 1 points on two folds */
    mp_spawn_free(&s);
    s = expect(0, "report @/r.db --out @/r.html --json", NULL);
    assert_int_equal(mp_json_get(json_of(&s), "studies")->count, 1);
    const mp_json *row = row_of(json_of(&s), "topk, 4 points of hidden, lr, halving by 2");
    assert_non_null(row);
    int stopped[3] = { 0 };
    for (const mp_json *p = mp_json_get(row, "points")->first; p; p = p->next) {
        int64_t after = mp_json_int(p, "stopped", 0);
        assert_true(after >= 0 && after <= 2 && (after == 0) == (mp_json_int(p, "chosen", -1) == 1));
        stopped[after]++;
    }
    assert_true(stopped[0] == 1 && stopped[1] == 2 && stopped[2] == 1);
    mp_span page;
    assert_int_equal(mp_slurp(path("r.html"), 0, arena, &page), MP_OK);
    assert_non_null(strstr(mp_arena_text(arena, page.p, page.n), "stopped after 1 epochs"));
    mp_spawn_free(&s);
    put("w.yaml", "lr: {from: 1e-4, to: 1e-1}\n");
    refuse(2, "sweep @/w.yaml --datasets @/TINY --store @/w.db --quiet",
           "w.yaml:1: lr: a range needs 'search: random'");
    put("w.yaml", "pool: {from: 1, to: 2}\n");
    refuse(2, "sweep @/w.yaml --datasets @/TINY --store @/w.db --quiet", "w.yaml:1: pool: rows are given as a list");
    put("w.yaml", "ratio: [0.5, 0.8]\nrows: [rato]\n");
    refuse(2, "sweep @/w.yaml --datasets @/TINY --store @/w.db --quiet", "did you mean");
    put("w.yaml", "epochs: [2, 4]\nsearch: halving\n");
    refuse(2, "sweep @/w.yaml --datasets @/TINY --store @/w.db --quiet",
           "epochs: with halving all points have the same");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_of_a_sweep_counts_its_own_seeds_alone),
        cmocka_unit_test(runs_are_compared_and_exported_from_several_stores),
        cmocka_unit_test(runs_of_cv_carry_their_configuration),
        cmocka_unit_test(a_report_has_the_rows_that_studies_declared),
        cmocka_unit_test(a_password_in_a_file_is_not_shown),
        cmocka_unit_test(seeds_that_no_number_holds_are_refused),
        cmocka_unit_test(a_sweep_is_one_row_a_method_chosen_by_validation),
        cmocka_unit_test(inner_runs_and_retrainings_are_in_the_row_of_their_study_alone),
        cmocka_unit_test(models_of_chosen_runs_are_kept_and_no_others),
        cmocka_unit_test(a_dry_run_counts_runs_and_trains_none),
        cmocka_unit_test(a_dry_run_of_a_set_with_one_split_tries_that),
        cmocka_unit_test(random_points_and_halving_are_told_and_wrong_searches_refused),
        cmocka_unit_test(parts_of_a_study_are_its_runs_bit_for_bit),
        cmocka_unit_test(a_part_says_what_it_has_and_what_is_missing),
    };
    return cmocka_run_group_tests(tests, make_data, clean);
}
