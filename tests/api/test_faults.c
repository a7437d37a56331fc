/* test_faults.c - every request of the library for memory fails once, in load, train, predict, evaluate, explain, draw and save:
 * the call returns MP_ERR_LIMIT, all it had is given back, and the same call works afterwards. The requests are those that an
 * allocator of the host sees.
 * SPDX-License-Identifier: MIT */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <cmocka.h>

static atomic_int calls, failing; /* the call number `failing` fails; 0: none */
static atomic_int blocks;         /* not yet given back */

static void *get(void *state, size_t bytes, size_t align)
{
    void *p = NULL;
    (void)state;
    if (atomic_fetch_add(&calls, 1) + 1 == atomic_load(&failing)) return NULL;
    if (posix_memalign(&p, align < sizeof(void *) ? sizeof(void *) : align, bytes) != 0) return NULL;
    atomic_fetch_add(&blocks, 1);
    return p;
}

static void put(void *state, void *p)
{
    (void)state;
    atomic_fetch_sub(&blocks, 1);
    free(p);
}

typedef struct fixture {
    world w;
    mp_data *data;
    mp_trained *model;
    char folder[64], lines[80], path[80];
} fixture;

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static int set_up(void **state)
{
    static fixture f;
    static const char *const options[] = { "pool=sag", "preset=mid", FEW, NULL };
    mp_allocator a = { get, put, NULL };
    *state = &f;
    if (mp_allocator_set(&a) != MP_OK) return -1;
    make_world(&f.w);
    strcpy(f.folder, "/tmp/midpool-faults-XXXXXX");
    if (!mkdtemp(f.folder)) return -1;
    snprintf(f.lines, sizeof f.lines, "%s/w.jsonl", f.folder);
    snprintf(f.path, sizeof f.path, "%s/m.safetensors", f.folder);
    write_file(f.folder, "w.jsonl",
               "{\"nodes\":3,\"edges\":[[0,1],[1,2]],\"labels\":[1,2,1],\"y\":\"yes\",\"split\":\"train\"}\n"
               "{\"nodes\":2,\"edges\":[[0,1]],\"labels\":[1,2],\"y\":\"no\",\"split\":\"val\"}\n"
               "{\"nodes\":1,\"edges\":[],\"labels\":[1],\"y\":\"no\",\"split\":\"test\"}\n");
    write_file(f.folder, "W_A.txt", "1, 2\n2, 1\n3, 4\n");
    write_file(f.folder, "W_graph_indicator.txt", "1\n1\n2\n2\n");
    write_file(f.folder, "W_graph_labels.txt", "0\n1\n");
    write_file(f.folder, "W_edge_attributes.txt", "0.5\n0.5\n1\n");
    if (mp_data_make(&f.w.arrays, &f.data) != MP_OK) return -1;
    return mp_train(f.data, options, NULL, &f.model, NULL) == MP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    char command[128];
    mp_trained_free(f->model);
    mp_data_free(f->data);
    snprintf(command, sizeof command, "rm -r '%s'", f->folder);
    int gone = system(command);
    return gone || atomic_load(&blocks) != 0;
}

/* Calls work with every request failing in turn, until none does. There must be some: at least `least`. */
static void with_every_fault(const char *name, mp_err (*work)(const fixture *), const fixture *f, int least)
{
    int met = 0;
    if (work(f) != MP_OK) fail_msg("%s: %s", name, mp_message());
    for (int n = 1;; n++) {
        int before = atomic_load(&blocks);
        atomic_store(&calls, 0);
        atomic_store(&failing, n);
        mp_err e = work(f);
        atomic_store(&failing, 0);
        int left = atomic_load(&blocks) - before;
        if (left) fail_msg("%s: %d pieces of memory are left after request %d failed", name, left, n);
        if (e == MP_OK && atomic_load(&calls) < n) break;
        if (e == MP_OK) continue; /* it did without: joining the pieces of an arena is no must */
        met++;
        if (e != MP_ERR_LIMIT || !strstr(mp_message(), "out of memory"))
            fail_msg("%s: request %d: status %d, '%s'", name, n, (int)e, mp_message());
    }
    if (met < least) fail_msg("%s: only %d requests for memory", name, met);
    assert_int_equal(work(f), MP_OK);
}

static mp_err make(const fixture *f)
{
    mp_data *d;
    mp_err e = mp_data_make(&f->w.arrays, &d);
    if (e == MP_OK) mp_data_free(d);
    return e;
}

static mp_err load_files(const fixture *f)
{
    mp_data *d;
    mp_err e = mp_data_load(f->folder, NULL, &d);
    if (e == MP_OK) mp_data_free(d);
    return e;
}

static mp_err load_lines(const fixture *f)
{
    mp_data *d;
    mp_err e = mp_data_load(f->lines, NULL, &d);
    if (e == MP_OK) mp_data_free(d);
    return e;
}

static mp_err train_by(const fixture *f, const char *pool)
{
    const char *options[] = { "hidden=8", "layers=2", "epochs=2", "batch-size=16", "threads=2", pool, NULL };
    mp_trained *m;
    mp_err e = mp_train(f->data, options, NULL, &m, NULL);
    if (e == MP_OK) mp_trained_free(m);
    return e;
}

static mp_err train(const fixture *f)
{
    return train_by(f, "pool=sag");
}

static mp_err train_haar(const fixture *f)
{
    const char *options[] = { "hidden=8", "epochs=1", "batch-size=60", "threads=1", "pool=haar", NULL };
    mp_trained *m;
    mp_err e = mp_train(f->data, options, NULL, &m, NULL);
    if (e == MP_OK) mp_trained_free(m);
    return e;
}

static mp_err refuse_an_option(const fixture *f)
{
    const char *options[] = { "pool=topk", "alpha=0.3", NULL };
    mp_trained *m;
    mp_err e = mp_train(f->data, options, NULL, &m, NULL);
    return e == MP_ERR_USAGE ? MP_OK : e;
}

static mp_err predict_many(const fixture *f)
{
    float value[2 * GRAPHS];
    return mp_predict_data(f->model, f->data, NULL, 0, 2, value, NULL);
}

static mp_err evaluate(const fixture *f)
{
    mp_metric_value m[MP_METRICS_ROOM];
    int n;
    return mp_evaluate(f->model, f->data, NULL, 0, 1, m, &n);
}

static mp_err explain(const fixture *f)
{
    int from[32], to[32];
    mp_query q = graph_of(&f->w, 5, from, to);
    mp_predictor *p;
    mp_explanation why;
    mp_answer a;
    mp_err e = mp_predictor_new(f->model, &p);
    if (e != MP_OK) return e;
    e = mp_explain(p, &q, &why);
    if (e == MP_OK) e = mp_explain_data(p, f->data, 7, &why);
    if (e == MP_OK && !mp_predict(p, &q, &a)) e = MP_ERR_LIMIT;
    mp_predictor_free(p);
    return e;
}

static mp_err save_and_load(const fixture *f)
{
    mp_trained *m;
    mp_err e = mp_trained_save(f->model, f->path);
    if (e == MP_OK) e = mp_trained_load(f->path, &m);
    if (e == MP_OK) mp_trained_free(m);
    return e;
}

static mp_err give_back(const fixture *f)
{
    char fingerprint[17], path[96];
    mp_err e = mp_data_fingerprint(f->data, fingerprint);
    if (e == MP_OK) e = mp_data_fold(f->data, 0, 1, NULL, NULL);
    snprintf(path, sizeof path, "%s/given.jsonl", f->folder);
    return e == MP_OK ? mp_data_write(f->data, path) : e;
}

static mp_err draw(const fixture *f)
{
    mp_predictor *p;
    const char *svg;
    mp_err e = mp_predictor_new(f->model, &p);
    if (e != MP_OK) return e;
    e = mp_explain_svg(p, f->data, 7, "a title", &svg);
    mp_predictor_free(p);
    return e;
}

static mp_err train_on_parts(const fixture *f)
{
    static const int list[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
    const char *options[] = { "hidden=8", "layers=2", "epochs=1", "threads=1", "pool=topk", NULL };
    mp_trained *m;
    mp_err e = mp_train_parts(f->data, &(mp_parts){ .train = list, .n_train = 12 }, options, NULL, &m, NULL);
    if (e == MP_OK) mp_trained_free(m);
    return e;
}

#define CASE(work, least)                                                                                              \
    static void work##_returns_a_status(void **state)                                                                  \
    {                                                                                                                  \
        with_every_fault(#work, work, *state, least);                                                                  \
    }
CASE(make, 3)
CASE(load_files, 5)
CASE(load_lines, 8)
CASE(train, 25)
CASE(train_haar, 20)
CASE(refuse_an_option, 4)
CASE(predict_many, 6)
CASE(evaluate, 6)
CASE(explain, 4)
CASE(save_and_load, 6)
CASE(give_back, 6)
CASE(draw, 4)
CASE(train_on_parts, 15)

static void an_allocator_does_not_change_under_what_it_gave(void **state)
{
    (void)state;
    assert_int_equal(mp_allocator_set(NULL), MP_ERR_USAGE);
    assert_non_null(strstr(mp_message(), "holds"));
    mp_allocator half = { .get = get };
    assert_int_equal(mp_allocator_set(&half), MP_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(make_returns_a_status),
        cmocka_unit_test(load_files_returns_a_status),
        cmocka_unit_test(load_lines_returns_a_status),
        cmocka_unit_test(train_returns_a_status),
        cmocka_unit_test(train_haar_returns_a_status),
        cmocka_unit_test(refuse_an_option_returns_a_status),
        cmocka_unit_test(predict_many_returns_a_status),
        cmocka_unit_test(evaluate_returns_a_status),
        cmocka_unit_test(explain_returns_a_status),
        cmocka_unit_test(save_and_load_returns_a_status),
        cmocka_unit_test(give_back_returns_a_status),
        cmocka_unit_test(draw_returns_a_status),
        cmocka_unit_test(train_on_parts_returns_a_status),
        cmocka_unit_test(an_allocator_does_not_change_under_what_it_gave),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
