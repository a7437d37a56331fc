/* test_lanes.c - runs on a GPU, alone and in groups, give what the processor gives, can be stopped and continued elsewhere, and
 * leave a device that others can use. The emulated device ends the program when the host looks at its memory, so the first test
 * also says that nobody does. With MIDPOOL_CUDA_TEST=device a GPU takes its place.
 * SPDX-License-Identifier: MIT */
#include "cuda/lane.h"
#include "train/once.h"
#include "tiny.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define EPOCHS 3
#define N      100

typedef struct fixture {
    mp_arena *a;
    mp_dataset d;
    mp_folds f;
    mp_group *group;
} fixture;

static const char *device(void)
{
    const char *asked = getenv("MIDPOOL_CUDA_TEST");
    return asked && strcmp(asked, "device") == 0 ? "cuda" : "emulated";
}

static int set_up(void **state)
{
    static fixture f;
    f.a = mp_arena_new(1 << 20);
    if (mp_group_open(device(), &f.group) != MP_OK) {
        print_error("%s\n", mp_message());
        return -1;
    }
    *state = &f;
    return tiny_make(f.a, false, &f.d, &f.f) == MP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    if (!f) return -1; /* there was no device */
    mp_group_close(f->group);
    mp_arena_free(f->a);
    return 0;
}

static mp_config config_of(const char *options)
{
    mp_config c = tiny_config();
    char line[256], *at = line;
    snprintf(line, sizeof line, "%s", options);
    c.hidden = 9;
    c.epochs = EPOCHS;
    c.batch_size = 25;
    for (char *word; (word = strsep(&at, " ")) != NULL;) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        if (mp_conf_set(mp_config_table, &c, word, value, options) != MP_OK) fail_msg("%s", mp_message());
    }
    return c;
}

static mp_err run_on(const fixture *f, mp_group *g, const mp_config *c, mp_fit_options *o, mp_arena *a,
                     mp_run_result *r)
{
    mp_run_key key = mp_run_key_of(&f->d, &f->f, &f->f.split[0], c);
    o->group = g;
    return mp_run_once(&f->d, &f->f.split[0], &key, 1, o, a, r, NULL);
}

static mp_run_result must_run(const fixture *f, mp_group *g, const mp_config *c, mp_arena *a)
{
    mp_run_result r;
    if (run_on(f, g, c, &(mp_fit_options){ 0 }, a, &r) != MP_OK) fail_msg("%s", mp_message());
    return r;
}

static void same_run(const mp_run_result *p, const mp_run_result *q, const char *what)
{
    if (strcmp(p->model_sha256, q->model_sha256) != 0) fail_msg("%s: another model", what);
    assert_int_equal(p->curve_len, q->curve_len);
    assert_memory_equal(p->curve, q->curve, sizeof *p->curve * (size_t)p->curve_len);
    assert_true(p->test_metric == q->test_metric && p->val_loss == q->val_loss);
    for (int i = 0; i < p->measures; i++) {
        assert_string_equal(p->measure[i].name, q->measure[i].name);
        assert_true(p->measure[i].val == q->measure[i].val && p->measure[i].test == q->measure[i].test);
    }
}

#define MID " score-dim=3 flip=true drop=0.2"
/* Steps have 25 graphs: with 75 clusters op_mha has room for 23 at a time, with sort-k=528 op_conv1d for the windows of 12. */
static const char *const methods[] = { "pool=topk",
                                       "pool=sag",
                                       "pool=gsa",
                                       "pool=topk" MID,
                                       "pool=sag" MID,
                                       "pool=gsa" MID,
                                       "pool=sag conv=graphconv",
                                       "pool=topk conv=gin" MID,
                                       "pool=sag width=mlp" MID,
                                       "pool=topk width=multihead variant=pyg" MID,
                                       "pool=asap",
                                       "pool=asap" MID,
                                       "pool=asap conv=gin variant=pyg",
                                       "pool=asap conv=graphconv variant=authors",
                                       "pool=diff clusters=3",
                                       "pool=diff link-weight=1 entropy-weight=1",
                                       "pool=mincut",
                                       "pool=mincut norm-adj=true clusters=9",
                                       "pool=gmt hidden=8",
                                       "pool=gmt hidden=8 heads=2 ln=true attend=keys clusters=3",
                                       "pool=gmt hidden=8 conv=gin heads=4 clusters=7",
                                       "pool=gmt hidden=8 heads=8 clusters=75 epochs=1",
                                       "pool=mem hidden=8",
                                       "pool=mem hidden=8 kl-detach=true clusters=3 heads=2",
                                       "pool=set2set",
                                       "pool=set2set processing-steps=1 conv=gat",
                                       "pool=sort",
                                       "pool=sort sort-form=dgcnn sort-k=13",
                                       "pool=sort sort-form=dgcnn sort-k=528 hidden=2 epochs=1",
                                       "pool=sag conv=gat score-conv=gat",
                                       "pool=gsa fusion=gat" MID,
                                       "pool=sag clip=0.1",
                                       "pool=sag lr=0.5 epochs=8" };

static void a_run_on_a_gpu_has_the_bits_of_the_processor(void **state)
{
    const fixture *f = *state;
    int back = 0;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        mp_config c = config_of(methods[i]);
        mp_run_result here = must_run(f, NULL, &c, f->a), there = must_run(f, f->group, &c, f->a);
        same_run(&here, &there, methods[i]);
        back += here.best_epoch < here.epochs;
    }
    assert_true(back > 0); /* tested with weights of an earlier epoch than the last */
}

/* Two numbers a graph, or two answers, of which some are missing. */
static void make_numbers(fixture *f, const mp_task *task)
{
    mp_raw raw;
    assert_int_equal(tiny_colors(f->a, &raw), MP_OK);
    int B = raw.graphs.graphs;
    double *y = MP_NEW(f->a, double, 2 * B);
    for (int b = 0; b < B; b++) {
        double green = raw.target ? raw.target[b] : (double)raw.graph_label[b];
        y[2 * b] = task->yes_no ? green >= 4 : green;
        y[2 * b + 1] = b % 3 == 0     ? (double)NAN
                       : task->yes_no ? b % 2
                                      : raw.graphs.node_ptr[b + 1] - raw.graphs.node_ptr[b];
    }
    raw.graph_label = NULL;
    raw.target = y;
    raw.target_columns = 2;
    if (mp_dataset_build(&raw, &(mp_dataset_as){ .task = task }, f->a, &f->d) != MP_OK) fail_msg("%s", mp_message());
    mp_folds_fixed(&f->d, f->a, &f->f);
}

static void every_task_has_the_bits_of_the_processor(void **state)
{
    static const struct {
        const mp_task *task;
        const char *options;
    } rows[] = { { &mp_task_binary, "pool=sag" },
                 { &mp_task_regress, "pool=topk loss=squared" MID },
                 { &mp_task_regress, "pool=sag loss=absolute" },
                 { &mp_task_count, "pool=asap loss=huber" },
                 { &mp_task_node_numbers, "pool=sag arch=autoencoder" },
                 { &mp_task_node_numbers, "pool=topk arch=autoencoder-literal" MID } };
    fixture f = *(const fixture *)*state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make_numbers(&f, rows[i].task);
        mp_config c = config_of(rows[i].options);
        assert_int_equal(mp_run_check_gpu(&f.d, &c), MP_OK);
        mp_run_result here = must_run(&f, NULL, &c, f.a), there = must_run(&f, f.group, &c, f.a);
        same_run(&here, &there, rows[i].options);
    }
}

typedef struct member {
    const fixture *f;
    mp_config c;
    mp_arena *a;
    mp_run_result r;
    mp_err e;
} member;

static void *run_member(void *arg)
{
    member *m = arg;
    m->e = run_on(m->f, m->f->group, &m->c, &(mp_fit_options){ 0 }, m->a, &m->r);
    return NULL;
}

/* Runs of other methods, widths and lengths, so that they end one after the other. */
static void nothing_of_a_run_depends_on_the_others_of_its_group(void **state)
{
    enum { MOST = 7 };
    static const int sizes[] = { 2, MOST };
    static const char *const beside[MOST] = {
        "pool=topk", "pool=diff clusters=3", ("pool=sag" MID), "pool=mem", "pool=asap", "pool=gmt", "pool=sort"
    };
    const fixture *f = *state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        member all[MOST];
        pthread_t thread[MOST];
        for (int i = 0; i < sizes[s]; i++) {
            all[i] = (member){ .f = f, .c = config_of(beside[i]), .a = mp_arena_new(1 << 16) };
            all[i].c.seed = 50 + i;
            all[i].c.hidden = 5 + i;
            all[i].c.epochs = 1 + i % EPOCHS;
            assert_int_equal(pthread_create(&thread[i], NULL, run_member, &all[i]), 0);
        }
        for (int i = 0; i < sizes[s]; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
        for (int i = 0; i < sizes[s]; i++) {
            assert_int_equal(all[i].e, MP_OK);
            mp_run_result here = must_run(f, NULL, &all[i].c, f->a);
            same_run(&here, &all[i].r, beside[i]);
            mp_arena_free(all[i].a);
        }
    }
}

typedef struct stopper {
    volatile sig_atomic_t stop;
    int after;
} stopper;

static void stop_after(void *state, const mp_fit_news *n)
{
    stopper *s = state;
    if (n->epoch == s->after) s->stop = 1;
}

/* Both ways: what one has saved the other goes on with. */
static void a_run_that_was_stopped_goes_on_elsewhere(void **state)
{
    const fixture *f = *state;
    mp_config c = config_of("pool=sag" MID);
    mp_run_result whole = must_run(f, NULL, &c, f->a), r;
    char part[64];
    snprintf(part, sizeof part, "/tmp/midpool_lanes_%ld.part", (long)getpid());
    for (int back = 0; back < 2; back++) {
        stopper s = { .after = 2 };
        mp_fit_options first = { .news = stop_after, .state = &s, .stop = &s.stop, .resume = part, .identity = "x" };
        mp_fit_options then = { .resume = part, .identity = "x" };
        assert_int_equal(run_on(f, back ? NULL : f->group, &c, &first, f->a, &r), MP_ERR_IO);
        assert_int_equal(access(part, F_OK), 0);
        assert_int_equal(run_on(f, back ? f->group : NULL, &c, &then, f->a, &r), MP_OK);
        assert_string_equal(r.model_sha256, whole.model_sha256);
        unlink(part);
    }
}

/* A step on the training graphs from weights that are not numbers, then from good ones. */
static double steps_of(const fixture *f, mp_engine *e, mp_model *m)
{
    const mp_split *s = &f->f.split[0];
    mp_batch b = { &f->d.graphs, &f->d.x, s->train, 20, mp_seal_open(f->d.seal, f->a, s->train, s->n_train, NULL, 0) };
    mp_params *p = mp_model_params(m);
    mp_real *out = MP_NEW(f->a, mp_real, 20 * (size_t)mp_model_outputs(m));
    mp_draw draw = { 1, 0, 7, 0 };
    double loss, aux;
    for (size_t i = 0; i < p->size; i++) p->theta[i] = (mp_real)NAN;
    mp_engine_renew(e);
    mp_err err = mp_engine_train(e, &b, draw, &loss, &aux);
    if (err == MP_OK) err = mp_engine_settle(e);
    assert_int_equal(err, MP_ERR_DIVERGED);
    assert_non_null(strstr(mp_message(), "epoch 7"));
    assert_int_equal(mp_engine_predict(e, &b, out), MP_ERR_DIVERGED);
    mp_params_init(p, 3, 0);
    mp_engine_renew(e);
    char *none = MP_NEW(f->a, char, mp_engine_state_size(e));
    assert_int_equal(mp_engine_state_set(e, none), MP_OK);
    assert_int_equal(mp_engine_train(e, &b, draw, &loss, &aux), MP_OK);
    assert_int_equal(mp_engine_settle(e), MP_OK);
    assert_int_equal(mp_engine_predict(e, &b, out), MP_OK);
    return loss + (double)out[0];
}

static void what_diverges_says_so_and_others_go_on(void **state)
{
    const fixture *f = *state;
    mp_config c = config_of("pool=topk" MID);
    mp_model *m;
    mp_engine *there;
    assert_int_equal(mp_run_plan(&f->d, &c, f->a, &m), MP_OK);
    mp_params_alloc(mp_model_params(m));
    mp_engine *here = mp_engine_new(m, 1);
    assert_int_equal(mp_engine_new_on(f->group, m, &there), MP_OK);
    assert_true(steps_of(f, here, m) == steps_of(f, there, m));
    mp_engine_free(here);
    mp_engine_free(there);
}

static void what_a_gpu_lacks_is_named_before_the_work(void **state)
{
    static const struct {
        const char *options, *lacks;
    } rows[] = { { "pool=asap att-dropout=0.1", "ASAP" },
                 { "pool=hgpsl", "HGP-SL" },
                 { "pool=edge", "edge" },
                 { "pool=gmt hidden=8 conv=cheb", "cheb" },
                 { "pool=sag conv=cheb", "cheb" },
                 { "pool=sag score-conv=cheb", "SAGPool" },
                 { "pool=gsa score-conv=cheb", "GSAPool" },
                 { "pool=sag edge-loss=0.2", "SAGPool" },
                 { "pool=sag adj-power=2", "SAGPool" },
                 { "pool=topk min-score=0.1", "TopKPool" },
                 { "pool=sag score-from=input", "score-from" } };
    const fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mp_config c = config_of(rows[i].options);
        assert_int_equal(mp_run_check_gpu(&f->d, &c), MP_ERR_USAGE);
        if (!strstr(mp_message(), rows[i].lacks)) fail_msg("%s: %s", rows[i].options, mp_message());
        mp_run_result here = must_run(f, NULL, &c, f->a), there = must_run(f, f->group, &c, f->a); /* here as well */
        same_run(&here, &there, rows[i].options);
    }
}

static void a_device_that_refuses_is_an_error_with_its_reason(void **state)
{
    (void)state;
    mp_group *none = NULL;
    setenv("MIDPOOL_EMULATED_ORDER", "sideways", 1);
    assert_int_equal(mp_group_open("emulated", &none), MP_ERR_IO);
    assert_non_null(strstr(mp_message(), "device: MIDPOOL_EMULATED_ORDER: expected forwards or backwards"));
    assert_null(none);
    unsetenv("MIDPOOL_EMULATED_ORDER");
}

/* While one is executed the other is filled. */
static void sheets_of_a_lane_take_turns(void **state)
{
    const fixture *f = *state;
    mp_lane *l = mp_lane_new(f->group);
    for (int i = 0; i < 2 * MP_SHEETS; i++) {
        assert_int_equal(mp_lane_next(l), i % MP_SHEETS);
        assert_int_equal(mp_lane_await(l, mp_lane_next(l)), MP_OK);
        mp_lane_begin(l);
        mp_lane_submit(l);
    }
    mp_lane_free(l);
}

/* It may be busy with something else for hours. */
static void a_lane_that_says_nothing_holds_nobody_up(void **state)
{
    const fixture *f = *state;
    mp_lane *silent = mp_lane_new(f->group), *l = mp_lane_new(f->group);
    float *x = MP_NEW_RAW(mp_lane_kept(l), float, N), back = 0;
    alarm(20); /* instead of waiting for it */
    mp_lane_begin(l);
    mp_lane_queue(l);
    mp_lane_kernels()->fill(x, 3, N);
    mp_lane_submit(l);
    assert_int_equal(mp_lane_get(l, &back, x, sizeof back), MP_OK);
    alarm(0);
    assert_true(back == 3);
    mp_lane_free(l);
    mp_lane_free(silent);
}

static long launches_of(const mp_group *g, const char *kernel)
{
    const char *name;
    double seconds;
    long launches = -1;
    for (int i = 0; mp_group_profiled(g, i, &name, &seconds, &launches); i++)
        if (strcmp(name, kernel) == 0) break;
    return launches;
}

/* Shards that call a kernel three times in an op and once have the next op in common; calls that may be beside each other are. */
static void ops_of_shards_are_launched_together(void **state)
{
    const fixture *f = *state;
    const mp_kernels *k = mp_lane_kernels();
    mp_lane *l = mp_lane_new(f->group);
    mp_group_profile(f->group);
    float *x = MP_NEW_RAW(mp_lane_kept(l), float, 4 * N), back[2];
    long fills = launches_of(f->group, "fill"), shifts = launches_of(f->group, "shift");
    long muls = launches_of(f->group, "mul");
    mp_lane_begin(l);
    for (int shard = 0; shard < 2; shard++) {
        float *at = x + 2 * N * shard;
        mp_lane_queue(l);
        k->fill(at, 1, N);
        k->beside();
        k->fill(at + N, 2, N);
        k->op_done();
        for (int i = 0; i < 1 + 2 * shard; i++) k->shift(at, at, 1, N);
        k->op_done();
        k->mul(at, at, at + N, false, N);
    }
    mp_lane_submit(l);
    for (int shard = 0; shard < 2; shard++)
        assert_int_equal(mp_lane_get(l, &back[shard], x + 2 * N * shard, sizeof *back), MP_OK);
    assert_true(back[0] == 4 && back[1] == 8);
    assert_int_equal(launches_of(f->group, "fill") - fills, 1);
    assert_int_equal(launches_of(f->group, "shift") - shifts, 3);
    assert_int_equal(launches_of(f->group, "mul") - muls, 1);
    mp_lane_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_on_a_gpu_has_the_bits_of_the_processor),
        cmocka_unit_test(every_task_has_the_bits_of_the_processor),
        cmocka_unit_test(nothing_of_a_run_depends_on_the_others_of_its_group),
        cmocka_unit_test(a_run_that_was_stopped_goes_on_elsewhere),
        cmocka_unit_test(what_diverges_says_so_and_others_go_on),
        cmocka_unit_test(what_a_gpu_lacks_is_named_before_the_work),
        cmocka_unit_test(a_device_that_refuses_is_an_error_with_its_reason),
        cmocka_unit_test(sheets_of_a_lane_take_turns),
        cmocka_unit_test(a_lane_that_says_nothing_holds_nobody_up),
        cmocka_unit_test(ops_of_shards_are_launched_together),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
