/* test_fit.c - one run: what the result is, what it does not depend on, stopping and continuing.
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "train/kept.h"
#include "train/once.h"
#include "train/resume.h"
#include "tiny.h"

#include <math.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct fixture {
    mp_arena *a;
    mp_dataset d;
    mp_folds f;
    mp_config c;
    char part[64]; /* resume file */
} fixture;

static int set_up(void **state)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    f.a = mp_arena_new(1 << 20);
    f.c = tiny_config();
    snprintf(f.part, sizeof f.part, "/tmp/midpool_fit_%ld.part", (long)getpid());
    unlink(f.part);
    *state = &f;
    return tiny_make(f.a, false, &f.d, &f.f) == MP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    unlink(f->part);
    mp_arena_free(f->a);
    return 0;
}

static mp_err go(fixture *f, int threads, const mp_fit_options *o, mp_run_result *r)
{
    mp_run_key key = mp_run_key_of(&f->d, &f->f, &f->f.split[0], &f->c);
    static const mp_fit_options nothing;
    return mp_run_once(&f->d, &f->f.split[0], &key, threads, o ? o : &nothing, f->a, r, NULL);
}

static void same_numbers(const mp_run_result *p, const mp_run_result *q)
{
    assert_string_equal(p->model_sha256, q->model_sha256);
    assert_int_equal(p->epochs, q->epochs);
    assert_int_equal(p->best_epoch, q->best_epoch);
    assert_int_equal(p->curve_len, q->curve_len);
    assert_memory_equal(p->curve, q->curve, sizeof *p->curve * (size_t)p->curve_len);
    assert_memory_equal(&p->val_loss, &q->val_loss, sizeof p->val_loss);
    assert_memory_equal(&p->test_metric, &q->test_metric, sizeof p->test_metric);
}

static void the_result_is_of_the_epoch_with_the_smallest_validation_loss(void **state)
{
    fixture *f = *state;
    mp_run_result r;
    assert_int_equal(go(f, 1, NULL, &r), MP_OK);
    assert_int_equal(r.curve_len, r.epochs);
    int best = 0;
    for (int i = 1; i < r.curve_len; i++)
        if (r.curve[i].val_loss < r.curve[best].val_loss) best = i;
    assert_int_equal(r.best_epoch, best + 1);
    assert_true(r.val_loss == r.curve[best].val_loss);
    assert_true(r.val_metric == r.curve[best].val_metric);
    assert_int_equal(r.hit_cap, r.epochs - r.best_epoch <= f->c.patience);
    assert_true(r.test_metric >= 0 && r.test_metric <= 1);
    assert_true(r.large_metric >= 0 && r.large_metric <= 1);
    assert_int_equal(strlen(r.model_sha256), 64);
    assert_true(r.peak_bytes > 0 && r.seconds_per_epoch > 0 && r.seconds >= r.seconds_per_epoch);
}

/* COLORS-3 with all its parts: each test is the part of its name, and a set without the part has no such test. */
static void every_test_is_of_its_own_part(void **state)
{
    (void)state;
    static const mp_fit_options nothing;
    mp_arena *a = mp_arena_new(1 << 20);
    mp_colors_options o = mp_colors_published;
    mp_raw raw;
    mp_dataset d;
    mp_folds f;
    mp_run_result r;
    mp_model *m;
    mp_config c;
    o.train = 60;
    o.val = o.test = 30;
    o.large = 20;
    o.hi = 9;
    o.large_lo = 10;
    o.large_hi = 14;
    for (int whole = 0; whole < 2; whole++) {
        o.large_c = whole ? 25 : 0;
        assert_int_equal(mp_generate_colors(&o, a, &raw), MP_OK);
        assert_int_equal(mp_dataset_build(&raw, NULL, a, &d), MP_OK);
        mp_folds_fixed(&d, a, &f);
        mp_config_init(&c);
        assert_int_equal(
            mp_conf_set_all(mp_config_table, &c, "pool=topk arch=colors hidden=16 epochs=8 lr=0.01", "test"), MP_OK);
        mp_run_key key = mp_run_key_of(&d, &f, &f.split[0], &c);
        assert_int_equal(mp_run_once(&d, &f.split[0], &key, 1, &nothing, a, &r, &m), MP_OK);
        assert_true(whole ? r.large_c_metric >= 0 : isnan(r.large_c_metric));
    }
    mp_engine *e = mp_engine_new(m, 1);
    for (int part = 2; part < 5; part++) {
        int n;
        const int *which = mp_fixed_part(&d, part, a, &n);
        mp_batch b = { .all = &d.graphs, .x = &d.x, .which = which, .n = n };
        mp_real *out = MP_NEW(a, mp_real, n);
        assert_int_equal(mp_engine_predict(e, &b, out), MP_OK);
        for (int i = 0; i < r.measures; i++) {
            const mp_measured *have = &r.measure[i];
            double want = mp_seal_measure(d.seal, mp_metric_find(have->name), mp_model_goal(m), which, n, out);
            assert_true((part == 2 ? have->test : part == 3 ? have->large : have->large_c) == want);
            if (strcmp(have->name, r.metric) == 0 && part == 4) assert_true(r.large_c_metric == want);
        }
    }
    mp_engine_free(e);
    mp_arena_free(a);
}

static void a_result_in_a_file_comes_back(void **state)
{
    fixture *f = *state;
    mp_run_result r, back;
    assert_int_equal(go(f, 1, NULL, &r), MP_OK);
    r.large_c_metric = 0.375;
    for (int i = 0; i < r.measures; i++) r.measure[i].large_c = 0.5 + i;
    assert_int_equal(mp_kept_save(f->part, "identity", &r), MP_OK);
    assert_int_equal(mp_kept_load(f->part, "other", f->a, &back), MP_ERR_INPUT);
    assert_int_equal(mp_kept_load(f->part, "identity", f->a, &back), MP_OK);
    same_numbers(&r, &back);
    assert_true(back.large_metric == r.large_metric && back.large_c_metric == 0.375);
    assert_int_equal(back.measures, r.measures);
    for (int i = 0; i < r.measures; i++) {
        assert_string_equal(back.measure[i].name, r.measure[i].name);
        assert_true(back.measure[i].large == r.measure[i].large && back.measure[i].large_c == 0.5 + i);
    }
}

/* The weights that are judged and saved are those a run has that ends with the best epoch. */
static void the_weights_are_those_of_the_best_epoch(void **state)
{
    fixture *f = *state;
    mp_run_result whole, until;
    mp_model *m, *same;
    static const mp_fit_options nothing;
    f->c.epochs = 40;
    f->c.patience = 3;
    f->c.lr = 0.05;
    mp_run_key key = mp_run_key_of(&f->d, &f->f, &f->f.split[0], &f->c);
    assert_int_equal(mp_run_once(&f->d, &f->f.split[0], &key, 1, &nothing, f->a, &whole, &m), MP_OK);
    assert_true(whole.best_epoch < whole.epochs);
    key.config.epochs = whole.best_epoch;
    key.config.patience = 0;
    assert_int_equal(mp_run_once(&f->d, &f->f.split[0], &key, 1, &nothing, f->a, &until, &same), MP_OK);
    const mp_params *p = mp_model_params(m), *q = mp_model_params(same);
    assert_memory_equal(p->theta, q->theta, p->size * sizeof *p->theta);
    assert_true(whole.test_metric == until.test_metric && whole.val_loss == until.val_loss);
}

static void without_patience_the_last_epoch_is_taken(void **state)
{
    fixture *f = *state;
    mp_run_result r;
    f->c.patience = 0;
    assert_int_equal(go(f, 1, NULL, &r), MP_OK);
    assert_int_equal(r.epochs, 12);
    assert_int_equal(r.best_epoch, 12);
    assert_true(r.hit_cap);
}

static void no_epochs_measure_the_initial_weights(void **state)
{
    fixture *f = *state;
    mp_run_result r;
    f->c.epochs = 0;
    assert_int_equal(go(f, 1, NULL, &r), MP_OK);
    assert_int_equal(r.epochs, 0);
    assert_true(r.val_loss > 0);
}

static void threads_change_no_bit(void **state)
{
    fixture *f = *state;
    mp_run_result one, many;
    f->c.score_dim = 3;
    f->c.flip = 1;
    f->c.drop = 0.2;
    assert_int_equal(go(f, 1, NULL, &one), MP_OK);
    assert_int_equal(go(f, 3, NULL, &many), MP_OK);
    same_numbers(&one, &many);
}

static void seeds_and_settings_change_the_result(void **state)
{
    fixture *f = *state;
    mp_run_result one, other;
    assert_int_equal(go(f, 1, NULL, &one), MP_OK);
    f->c.seed++;
    assert_int_equal(go(f, 1, NULL, &other), MP_OK);
    assert_string_not_equal(one.model_sha256, other.model_sha256);
}

static void test_labels_reach_neither_weights_nor_choice(void **state)
{
    fixture *f = *state;
    mp_run_result as_is, flipped;
    assert_int_equal(go(f, 1, NULL, &as_is), MP_OK);
    assert_int_equal(tiny_make(f->a, true, &f->d, &f->f), MP_OK);
    assert_int_equal(go(f, 1, NULL, &flipped), MP_OK);
    assert_string_equal(as_is.model_sha256, flipped.model_sha256);
    assert_memory_equal(as_is.curve, flipped.curve, sizeof *as_is.curve * (size_t)as_is.curve_len);
    assert_true(as_is.val_metric == flipped.val_metric);
    assert_true(fabs(as_is.test_metric + flipped.test_metric - 1) < 1e-12);
}

static void fit_gets_no_test_label(void **state)
{
    fixture *f = *state;
    const mp_split *s = &f->f.split[0];
    mp_labels o = mp_seal_open(f->d.seal, f->a, s->train, s->n_train, s->val, s->n_val);
    for (int i = 0; i < s->n_test; i++) assert_true(isnan(o.v[s->test[i]]));
    for (int i = 0; i < s->n_val; i++) assert_true(o.v[s->val[i]] == 0 || o.v[s->val[i]] == 1);
}

/* ---- stopping and continuing ---- */

static volatile sig_atomic_t stop;

static void stop_after_5(void *state, const mp_fit_news *n)
{
    (void)state;
    if (n->epoch == 5) stop = 1;
}

static void die_after_5(void *state, const mp_fit_news *n)
{
    (void)state;
    if (n->epoch == 5) raise(SIGKILL);
}

typedef struct heard {
    int first, notes;
    char line[256];
} heard;

static void listen(void *state, const mp_fit_news *n)
{
    heard *h = state;
    if (!h->first) h->first = n->epoch;
}

static void on_note(void *state, const char *line)
{
    heard *h = state;
    h->notes++;
    snprintf(h->line, sizeof h->line, "%s", line);
}

static void a_run_that_was_stopped_continues_to_the_same_bits(void **state)
{
    fixture *f = *state;
    mp_run_result whole, half, rest;
    heard h = { 0 };
    f->c.drop = 0.3;
    assert_int_equal(go(f, 1, NULL, &whole), MP_OK);
    stop = 0;
    mp_fit_options o = { .news = stop_after_5, .resume = f->part, .identity = "me", .stop = &stop };
    assert_int_equal(go(f, 2, &o, &half), MP_ERR_IO);
    assert_string_equal(mp_message(), "stopped after epoch 5; the same command continues");
    assert_int_equal(access(f->part, F_OK), 0);
    stop = 0;
    mp_fit_options again = { .news = listen, .note = on_note, .state = &h, .resume = f->part, .identity = "me" };
    assert_int_equal(go(f, 1, &again, &rest), MP_OK);
    assert_int_equal(h.first, 6);
    assert_int_equal(h.notes, 1);
    same_numbers(&whole, &rest);
    assert_int_equal(access(f->part, F_OK), 0); /* it goes when the result is safe, which is the caller's to say */
}

static void a_run_that_was_killed_continues_to_the_same_bits(void **state)
{
    fixture *f = *state;
    mp_run_result whole, rest;
    heard h = { 0 };
    assert_int_equal(go(f, 1, NULL, &whole), MP_OK);
    pid_t pid = fork();
    if (pid == 0) {
        mp_run_result r;
        mp_fit_options o = { .news = die_after_5, .resume = f->part, .identity = "me", .save_every = 1e-9 };
        _exit(go(f, 1, &o, &r) == MP_OK ? 0 : 1);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    mp_fit_options again = { .news = listen, .note = on_note, .state = &h, .resume = f->part, .identity = "me" };
    assert_int_equal(go(f, 1, &again, &rest), MP_OK);
    assert_int_equal(h.first, 5); /* it died in epoch 5, before that was saved */
    same_numbers(&whole, &rest);
}

static void a_file_of_another_run_is_left_out_with_a_warning(void **state)
{
    fixture *f = *state;
    mp_run_result whole, r;
    heard h = { 0 };
    assert_int_equal(go(f, 1, NULL, &whole), MP_OK);
    stop = 0;
    mp_fit_options o = { .news = stop_after_5, .resume = f->part, .identity = "another", .stop = &stop };
    assert_int_equal(go(f, 1, &o, &r), MP_ERR_IO);
    mp_fit_options again = { .news = listen, .warn = on_note, .state = &h, .resume = f->part, .identity = "me" };
    double start = mp_seconds();
    assert_int_equal(go(f, 1, &again, &r), MP_OK);
    assert_true(h.first == 1 && r.seconds <= mp_seconds() - start); /* from its own first epoch on */
    assert_non_null(strstr(h.line, "belongs to a run with other settings or data"));
    same_numbers(&whole, &r);
}

static void damaged_files_are_left_out(void **state)
{
    fixture *f = *state;
    mp_run_result whole, r;
    mp_span bytes;
    assert_int_equal(go(f, 1, NULL, &whole), MP_OK);
    stop = 0;
    mp_fit_options o = { .news = stop_after_5, .resume = f->part, .identity = "me", .stop = &stop };
    assert_int_equal(go(f, 1, &o, &r), MP_ERR_IO);
    assert_int_equal(mp_slurp(f->part, 0, f->a, &bytes), MP_OK);
    char *copy = malloc(bytes.n);
    assert_non_null(copy);
    for (size_t at = 3; at < bytes.n; at += bytes.n / 7) { /* one byte, in places all over the file */
        memcpy(copy, bytes.p, bytes.n);
        copy[at] ^= 0x10;
        assert_int_equal(mp_write_file(f->part, copy, bytes.n), MP_OK);
        heard h = { 0 };
        mp_fit_options again = { .news = listen, .warn = on_note, .state = &h, .resume = f->part, .identity = "me" };
        assert_int_equal(go(f, 1, &again, &r), MP_OK);
        assert_int_equal(h.first, 1);
        same_numbers(&whole, &r);
    }
    assert_int_equal(mp_write_file(f->part, bytes.p, bytes.n / 2), MP_OK); /* cut off */
    heard h = { 0 };
    mp_fit_options again = { .news = listen, .warn = on_note, .state = &h, .resume = f->part, .identity = "me" };
    assert_int_equal(go(f, 1, &again, &r), MP_OK);
    assert_int_equal(h.first, 1);
    free(copy);
}

static void the_state_at_the_end_continues_without_training(void **state)
{
    fixture *f = *state;
    mp_run_result whole, again;
    mp_resume end;
    heard h = { 0 };
    mp_fit_options o = { .identity = "me", .end = &end };
    assert_int_equal(go(f, 1, &o, &whole), MP_OK);
    assert_int_equal(mp_resume_save(f->part, "me", &end), MP_OK);
    mp_fit_options later = { .news = listen, .note = on_note, .state = &h, .resume = f->part, .identity = "me" };
    assert_int_equal(go(f, 1, &later, &again), MP_OK);
    assert_int_equal(h.first, 0); /* no epoch */
    assert_int_equal(h.notes, 1);
    same_numbers(&whole, &again);
}

/* A path below a file cannot be written, by nobody. */
static void a_save_that_fails_is_a_warning_and_not_the_end(void **state)
{
    fixture *f = *state;
    mp_run_result whole, r;
    heard h = { 0 };
    assert_int_equal(go(f, 1, NULL, &whole), MP_OK);
    mp_fit_options o = {
        .warn = on_note, .state = &h, .resume = "/dev/null/run.part", .identity = "me", .save_every = 1e-9
    };
    assert_int_equal(go(f, 1, &o, &r), MP_OK);
    same_numbers(&whole, &r);
    assert_int_equal(h.notes, 1); /* not one an epoch */
    assert_non_null(strstr(h.line, "could not be saved"));
    stop = 1;
    o.stop = &stop;
    assert_int_equal(go(f, 1, &o, &r), MP_ERR_IO);
    assert_int_equal(h.notes, 2);
    assert_non_null(strstr(mp_message(), "stopped after epoch 1, and the run could not be saved"));
}

static void take_folder(void *state, const mp_fit_news *n)
{
    heard *h = state;
    char path[128];
    if (n->epoch != 3 && n->epoch != 6) return;
    snprintf(path, sizeof path, "%.80s/run.part", h->line);
    unlink(path);
    assert_int_equal(rmdir(h->line), 0);
}

static void a_folder_that_another_study_removes_is_made_again(void **state)
{
    fixture *f = *state;
    mp_run_result r;
    heard h = { 0 };
    char path[128];
    snprintf(h.line, sizeof h.line, "%.60s.unfinished", f->part);
    snprintf(path, sizeof path, "%.80s/run.part", h.line);
    f->c.patience = 0;
    mp_fit_options o = { .news = take_folder, .state = &h, .resume = path, .identity = "me", .save_every = 1e-9 };
    assert_int_equal(go(f, 1, &o, &r), MP_OK);
    assert_int_equal(unlink(path), 0); /* the save of the last epoch */
    assert_int_equal(rmdir(h.line), 0);
}

static void a_file_is_written_into_a_folder_that_is_made_or_named(void **state)
{
    const fixture *f = *state;
    const char *folder = mp_arena_printf(f->a, "%s.folder", f->part);
    const char *path = mp_arena_printf(f->a, "%s/run", folder);
    const char *below = mp_arena_printf(f->a, "%s/run/further", folder);
    mp_span back;
    for (int twice = 0; twice < 2; twice++) {
        errno = EPERM; /* of something else */
        assert_int_equal(mp_resume_write(path, "abc", 3), MP_OK);
        assert_int_equal(mp_slurp(path, 0, f->a, &back), MP_OK);
        assert_true(back.n == 3 && memcmp(back.p, "abc", 3) == 0);
    }
    assert_int_equal(mp_resume_write(mp_arena_printf(f->a, "%s/run", below), "abc", 3), MP_ERR_IO);
    assert_non_null(strstr(mp_message(), below));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void divergence_is_a_failed_run_with_a_message(void **state)
{
    fixture *f = *state;
    mp_run_result r;
    f->c.lr = 10;
    f->c.epochs = 2000;
    f->c.patience = 2000;
    f->c.hidden = 64;
    mp_err e = go(f, 1, NULL, &r);
    if (e == MP_OK) return; /* Adam may survive even this; then there is nothing to report */
    assert_int_equal(e, MP_ERR_DIVERGED);
    assert_non_null(strstr(mp_message(), "epoch"));
}

static void identities_differ_with_any_option(void **state)
{
    fixture *f = *state;
    char one[65], other[65];
    mp_run_key key = mp_run_key_of(&f->d, &f->f, &f->f.split[0], &f->c);
    mp_run_identity(&key, one);
    key.config.lr *= 2;
    mp_run_identity(&key, other);
    assert_string_not_equal(one, other);
    key.config.lr /= 2;
    key.fold++;
    mp_run_identity(&key, other);
    assert_string_not_equal(one, other);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_result_is_of_the_epoch_with_the_smallest_validation_loss),
        TEST(every_test_is_of_its_own_part),
        TEST(a_result_in_a_file_comes_back),
        TEST(the_weights_are_those_of_the_best_epoch),
        TEST(without_patience_the_last_epoch_is_taken),
        TEST(no_epochs_measure_the_initial_weights),
        TEST(threads_change_no_bit),
        TEST(seeds_and_settings_change_the_result),
        TEST(test_labels_reach_neither_weights_nor_choice),
        TEST(fit_gets_no_test_label),
        TEST(a_run_that_was_stopped_continues_to_the_same_bits),
        TEST(a_run_that_was_killed_continues_to_the_same_bits),
        TEST(a_file_of_another_run_is_left_out_with_a_warning),
        TEST(damaged_files_are_left_out),
        TEST(the_state_at_the_end_continues_without_training),
        TEST(a_save_that_fails_is_a_warning_and_not_the_end),
        TEST(a_folder_that_another_study_removes_is_made_again),
        TEST(a_file_is_written_into_a_folder_that_is_made_or_named),
        TEST(divergence_is_a_failed_run_with_a_message),
        TEST(identities_differ_with_any_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
