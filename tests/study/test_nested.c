/* test_nested.c - nested selection and halving from data to number: every run trained once more by hand and chosen by plain loops;
 * labels of test graphs turned round; a study that is killed and started again.
 * SPDX-License-Identifier: MIT */
#include "data/inner.h"
#include "study/study.h"
#include "tiny.h"
#include "train/once.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { POINTS = 3, INNER = 2, AGAIN = 2, SEED = 5 };

typedef struct fixture {
    mp_arena *a;
    mp_dataset d[2]; /* the second has the labels of test graphs turned round */
    mp_folds f[2];
    char folder[64];
} fixture;

static int set_up(void **state)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    f.a = mp_arena_new(1 << 20);
    strcpy(f.folder, "/tmp/midpool_nested_XXXXXX");
    *state = &f;
    if (!mkdtemp(f.folder)) return -1;
    for (int i = 0; i < 2; i++)
        if (tiny_make(f.a, i == 1, &f.d[i], &f.f[i]) != MP_OK) return -1;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    int code = system(mp_arena_printf(f->a, "rm -r '%s'", f->folder));
    mp_arena_free(f->a);
    return code;
}

static mp_points points_of(fixture *f)
{
    mp_config c[POINTS];
    for (int i = 0; i < POINTS; i++) {
        c[i] = tiny_config();
        c[i].seed = SEED;
        c[i].epochs = 8;
        c[i].lr = i == 0 ? 0.0001 : i == 1 ? 0.02 : 0.005;
        c[i].hidden = i == 2 ? 6 : 8;
    }
    return mp_points_list(c, POINTS, f->a);
}

static mp_study study_of(fixture *f, const char *store, mp_rule rule)
{
    return (mp_study){ .arena = f->a,
                       .store_path = mp_arena_printf(f->a, "%s/%s", f->folder, store),
                       .command = "again",
                       .seeds = 1,
                       .jobs = 2,
                       .threads = 1,
                       .rule = rule };
}

static void run_study(fixture *f, int which, mp_study *s)
{
    mp_points points = points_of(f);
    if (mp_study_add_points(s, &f->d[which], &f->f[which], &points, NULL) != MP_OK || mp_study_run(s) != MP_OK)
        fail_msg("%s", mp_message());
}

static mp_run_result by_hand(fixture *f, const mp_folds *folds, int at, const mp_config *c)
{
    mp_run_key key = mp_run_key_of(&f->d[0], folds, &folds->split[at], c);
    mp_run_result r;
    assert_int_equal(mp_run_once(&f->d[0], &folds->split[at], &key, 1, &(mp_fit_options){ 0 }, f->a, &r, NULL), MP_OK);
    return r;
}

static void inner_splits_are_of_the_training_part_and_none_tests(void **state)
{
    fixture *f = *state;
    const mp_split *outer = &f->f[0].split[0];
    for (int k = 0; k < 4; k += 3) {
        mp_folds inner;
        int graphs = f->d[0].graphs.graphs, *validates = MP_NEW(f->a, int, graphs);
        assert_int_equal(mp_folds_inner(&f->d[0], &f->f[0], 0, k, f->a, &inner), MP_OK);
        assert_int_equal(inner.count, k ? k : 1);
        assert_string_equal(inner.from, "fixed, inner of fold 1");
        for (int i = 0; i < inner.count; i++) {
            const mp_split *s = &inner.split[i];
            int *seen = MP_NEW(f->a, int, graphs);
            assert_int_equal(s->n_test, 0);
            assert_int_equal(s->n_train + s->n_val, outer->n_train + outer->n_val);
            for (int b = 0; b < s->n_train; b++) seen[s->train[b]]++;
            for (int b = 0; b < s->n_val; b++) seen[s->val[b]]++, validates[s->val[b]]++;
            for (int b = 0; b < outer->n_train; b++) assert_int_equal(seen[outer->train[b]], 1);
            for (int b = 0; b < outer->n_val; b++) assert_int_equal(seen[outer->val[b]], 1);
            for (int b = 0; b < outer->n_test; b++) assert_int_equal(seen[outer->test[b]], 0);
        }
        for (int b = 0; k && b < outer->n_train; b++) assert_int_equal(validates[outer->train[b]], 1);
        if (!k) assert_int_equal(inner.split[0].n_val, (outer->n_train + outer->n_val + 9) / 10);
    }
}

/* Which they are is part of a result's bits: another draw is another result. */
static void inner_splits_are_what_they_were(void **state)
{
    fixture *f = *state;
    mp_folds inner;
    assert_int_equal(mp_folds_inner(&f->d[0], &f->f[0], 0, 0, f->a, &inner), MP_OK);
    static const int val[] = { 4, 24, 44, 54, 59, 64, 71, 80, 88 };
    assert_int_equal(inner.split[0].n_val, (int)(sizeof val / sizeof *val));
    assert_memory_equal(inner.split[0].val, val, sizeof val);
}

static void a_nested_study_is_what_runs_by_hand_give(void **state)
{
    fixture *f = *state;
    mp_study s = study_of(f, "nested.db", (mp_rule){ .retrain = AGAIN, .inner = INNER });
    mp_points points = points_of(f);
    mp_choice c;
    run_study(f, 0, &s);
    assert_int_equal(mp_study_choose(&s, &s.row[0], MP_SELECT_NESTED, &c), MP_OK);
    mp_folds inner;
    int winner = -1;
    double best = 0, best_loss = 0, test = 0;
    assert_int_equal(mp_folds_inner(&f->d[0], &f->f[0], 0, INNER, f->a, &inner), MP_OK);
    for (int p = 0; p < POINTS; p++) {
        double val = 0, loss = 0;
        for (int k = 0; k < INNER; k++) {
            mp_run_result r = by_hand(f, &inner, k, &points.at[p]);
            assert_true(isnan(r.test_metric) && isnan(r.large_metric)); /* sealed */
            val += r.val_metric / INNER;
            loss += r.val_loss / INNER;
        }
        if (winner >= 0 && !(val > best + 1e-12 || (fabs(val - best) <= 1e-12 && loss < best_loss))) continue;
        winner = p;
        best = val;
        best_loss = loss;
    }
    for (int k = 1; k <= AGAIN; k++) {
        mp_config again = points.at[winner];
        again.seed = SEED + k * 1000000;
        test += by_hand(f, &f->f[0], 0, &again).test_metric / AGAIN;
    }
    assert_int_equal(mp_choice_at(&c, 0, 0), winner);
    assert_true(fabs(c.test.mean - test) < 1e-12);
    assert_int_equal(s.plan.count, POINTS * INNER + AGAIN);
    mp_study second = study_of(f, "nested.db", s.rule);
    run_study(f, 0, &second);
    assert_true(second.count.done == 0 && second.count.known == s.plan.count);
}

static void labels_of_test_graphs_change_the_last_number_alone(void **state)
{
    fixture *f = *state;
    const mp_rule rules[] = { { .retrain = AGAIN }, { .eta = 2, .least = 2 } };
    for (int i = 0; i < 2; i++) {
        mp_study s[2];
        mp_choice c[2];
        for (int k = 0; k < 2; k++) {
            s[k] = study_of(f, mp_arena_printf(f->a, "labels%d%d.db", i, k), rules[i]);
            run_study(f, k, &s[k]);
            assert_int_equal(mp_study_choose(&s[k], &s[k].row[0], i ? MP_SELECT_VAL : MP_SELECT_NESTED, &c[k]), MP_OK);
        }
        assert_int_equal(mp_choice_at(&c[0], 0, 0), mp_choice_at(&c[1], 0, 0));
        assert_true(fabs(c[0].test.mean + c[1].test.mean - 1) < 1e-12 && c[0].test.mean != c[1].test.mean);
        assert_int_equal(s[0].row[0].runs, s[1].row[0].runs); /* the same runs were asked for */
        for (int r = 0; r < s[0].row[0].runs; r++) {
            const mp_run_result *x = mp_study_result(&s[0], &s[0].row[0], r),
                                *y = mp_study_result(&s[1], &s[1].row[0], r);
            assert_int_equal(s[0].row[0].trial[r].point, s[1].row[0].trial[r].point);
            assert_memory_equal(&x->val_loss, &y->val_loss, sizeof(double));
            assert_memory_equal(&x->train_loss, &y->train_loss, sizeof(double));
            assert_true(x->epochs == y->epochs && x->best_epoch == y->best_epoch);
            assert_string_equal(x->model_sha256, y->model_sha256);
        }
    }
}

/* ---- halving ---- */

static int runs_done;

static void stop_after_two(void *state, const mp_run_key *key, const mp_run_result *r, const mp_cv_count *c)
{
    (void)state, (void)key, (void)r, (void)c;
    if (++runs_done == 2) raise(SIGKILL);
}

static void a_killed_halving_goes_on_and_its_rungs_are_plain_runs(void **state)
{
    fixture *f = *state;
    const mp_rule rule = { .eta = 2, .least = 2 };
    mp_study killed = study_of(f, "halving.db", rule), s = study_of(f, "halving.db", rule);
    pid_t child = fork();
    if (child == 0) {
        killed.jobs = 1;
        killed.listener = (mp_listener){ .done = stop_after_two };
        run_study(f, 0, &killed);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    run_study(f, 0, &s);
    const mp_study_row *row = &s.row[0];
    mp_points points = points_of(f);
    int at[3] = { 0 };
    static const int epochs[] = { 2, 4, 8 };
    assert_true(row->rungs == 3 && row->rung[0] == 2 && row->rung[1] == 4 && row->rung[2] == 8);
    for (int i = 0; i < row->runs; i++) {
        const mp_study_trial *t = &row->trial[i];
        mp_config c = points.at[t->point];
        c.epochs = epochs[t->rung];
        mp_run_result r = by_hand(f, &f->f[0], 0, &c);
        const mp_run_result *mine = mp_study_result(&s, row, i);
        assert_memory_equal(&r.val_loss, &mine->val_loss, sizeof(double));
        assert_string_equal(r.model_sha256, mine->model_sha256);
        at[t->rung]++;
    }
    assert_true(at[0] == POINTS && at[1] == 0 && at[2] == 1); /* one in two of three: one, and it goes to the end */
    mp_study again = study_of(f, "halving.db", rule);
    run_study(f, 0, &again);
    assert_int_equal(again.count.done, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(inner_splits_are_of_the_training_part_and_none_tests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(inner_splits_are_what_they_were, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_nested_study_is_what_runs_by_hand_give, set_up, tear_down),
        cmocka_unit_test_setup_teardown(labels_of_test_graphs_change_the_last_number_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_killed_halving_goes_on_and_its_rungs_are_plain_runs, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
