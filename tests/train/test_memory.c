/* test_memory.c - the n-th request for memory fails, for every n: loading a model, predicting, reading data. Each call
 * returns a status whose message speaks of memory, and frees all it had. The linker puts the functions below in place of
 * malloc and its kin.
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "base/relay.h"
#include "data/gather.h"
#include "data/jsonl.h"
#include "data/stream.h"
#include "data/tu.h"
#include "midpool.h"
#include "model/checkpoint.h"
#include "train/engine.h"
#include "tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static atomic_int calls, failing; /* the call number `failing` fails; 0: none */
static atomic_int blocks;         /* not yet freed */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t each);
void *__real_realloc(void *p, size_t n);
int __real_posix_memalign(void **p, size_t align, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t each);
void *__wrap_realloc(void *p, size_t n);
int __wrap_posix_memalign(void **p, size_t align, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);
void __wrap_free(void *p);

static bool fault(void)
{
    return atomic_fetch_add(&calls, 1) + 1 == atomic_load(&failing);
}

static void *counted(void *p)
{
    if (p) atomic_fetch_add(&blocks, 1);
    return p;
}

void *__wrap_malloc(size_t n)
{
    return fault() ? NULL : counted(__real_malloc(n));
}

void *__wrap_calloc(size_t n, size_t each)
{
    return fault() ? NULL : counted(__real_calloc(n, each));
}

void *__wrap_realloc(void *p, size_t n)
{
    if (fault()) return NULL;
    return p ? __real_realloc(p, n) : counted(__real_realloc(p, n));
}

int __wrap_posix_memalign(void **p, size_t align, size_t n)
{
    if (fault()) return 12; /* ENOMEM */
    int e = __real_posix_memalign(p, align, n);
    if (e == 0) counted(*p);
    return e;
}

void *__wrap_aligned_alloc(size_t align, size_t n)
{
    return fault() ? NULL : counted(__real_aligned_alloc(align, n));
}

void __wrap_free(void *p)
{
    if (p) atomic_fetch_sub(&blocks, 1);
    __real_free(p);
}

typedef struct fixture {
    mp_arena *a;
    mp_dataset d;
    mp_model *m;
    mp_buf bytes;
    char folder[64], path[80];
} fixture;

static mp_err make(fixture *f)
{
    mp_folds folds;
    mp_colors_options o = mp_colors_published;
    mp_raw raw;
    mp_config c = tiny_config();
    c.hidden = 32;
    c.score_dim = 2;
    MP_TRY(tiny_make(f->a, false, &f->d, &folds));
    MP_TRY(mp_model_new(f->a, &c, (mp_inputs){ .features = f->d.x.cols, .outputs = 2 }, &f->m));
    mp_params_init(mp_model_params(f->m), 1, 0);
    mp_about about = mp_about_of(&f->d, f->m);
    mp_checkpoint_write(f->m, &about, &f->bytes);
    MP_TRY(mp_write_file(f->path, f->bytes.p, f->bytes.n));
    o.train = o.val = o.test = o.large = 20;
    o.large_c = 0;
    MP_TRY(mp_generate_colors(&o, f->a, &raw));
    return mp_tu_write(&raw, f->folder);
}

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){ .a = mp_arena_new(1 << 20), .folder = "/tmp/midpool-memory-XXXXXX" };
    *state = &f;
    if (!mkdtemp(f.folder)) return -1;
    snprintf(f.path, sizeof f.path, "%s/m.st", f.folder);
    return make(&f) == MP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", f->folder);
    int gone = system(command);
    mp_buf_free(&f->bytes);
    mp_arena_free(f->a);
    return gone;
}

/* Calls work with every request failing in turn, until none does; returns how many there were. */
static int with_every_fault(const char *name, bool (*work)(const fixture *), const fixture *f)
{
    assert_true(work(f)); /* libc's own, made once, are not counted against it */
    for (int n = 1;; n++) {
        int before = atomic_load(&blocks);
        mp_fail(MP_ERR_IO, "nothing was said");
        atomic_store(&calls, 0);
        atomic_store(&failing, n);
        bool done = work(f);
        atomic_store(&failing, 0);
        int left = atomic_load(&blocks) - before;
        if (left) fail_msg("%s: %d pieces of memory are left after request %d failed", name, left, n);
        if (atomic_load(&calls) < n && done) return n - 1;
        if (done) continue; /* it did without: joining the pieces of an arena is no must */
        if (!strstr(mp_message(), "out of memory")) fail_msg("%s: request %d: '%s'", name, n, mp_message());
    }
}

static bool load(const fixture *f)
{
    mp_predictor *p = mp_predictor_load(f->path);
    mp_predictor_free(p);
    return p;
}

static bool load_and_predict(const fixture *f)
{
    static const int from[] = { 0, 1, 2, 3, 4 }, to[] = { 1, 2, 3, 4, 0 };
    mp_predictor *p = mp_predictor_from(f->bytes.p, f->bytes.n);
    static float x[4000 * 5] = { 1 };
    mp_query small = { .nodes = 5, .edges = 5, .from = from, .to = to, .x = x }, large = small;
    large.nodes = 4000;
    mp_answer answer;
    if (!p) return false;
    assert_int_equal(mp_predictor_features(p), 5);
    bool done = mp_predict(p, &large, &answer);
    if (!done) { /* the predictor is as good as before */
        char why[200];
        snprintf(why, sizeof why, "%s", mp_predictor_error());
        assert_true(mp_predict(p, &small, &answer) && mp_predict(p, &large, &answer));
        mp_fail(MP_ERR_LIMIT, "%s", why);
    }
    mp_predictor_free(p);
    return done;
}

static void loading_a_model_returns_a_status(void **state)
{
    assert_true(with_every_fault("load", load, *state) > 8);
}

static void predicting_returns_a_status_and_the_predictor_stays_usable(void **state)
{
    assert_true(with_every_fault("predict", load_and_predict, *state) > 12);
}

static mp_err read_set(void *arg)
{
    const fixture *f = arg;
    mp_arena *a = mp_arena_new(4096);
    mp_gather g = { .where = f->folder, .text = mp_arena_new(4096), .keep = a };
    mp_raw raw;
    mp_dataset d;
    mp_err e = mp_gather_folder(&g, f->folder);
    if (e == MP_OK) e = mp_tu_parse(&g.files, a, &raw);
    if (e == MP_OK) e = mp_dataset_build(&raw, NULL, a, &d);
    if (e == MP_OK) assert_int_equal(d.graphs.graphs, 80);
    mp_arena_free(g.text);
    mp_arena_free(a);
    return e;
}

static bool read_folder(const fixture *f)
{
    return mp_guarded(read_set, (void *)(uintptr_t)f) == MP_OK;
}

static void reading_a_data_set_returns_a_status(void **state)
{
    assert_true(with_every_fault("data set", read_folder, *state) > 10);
}

static ptrdiff_t pour(void *state, char *to, size_t n)
{
    int *left = state;
    static const char line[] = "{\"nodes\":3,\"edges\":[[0,1]],\"x\":[[1,0,0,0,0],[0,1,0,0,0],[0,0,1,0,2]]}\n";
    if (n < sizeof line || (*left)-- <= 0) return 0;
    memcpy(to, line, sizeof line - 1);
    return sizeof line - 1;
}

static void leave(void *state)
{
    (void)state;
}

static mp_err read_lines_whole(void *arg)
{
    int left = 3000;
    mp_arena *a = mp_arena_new(4096);
    mp_raw raw;
    (void)arg;
    mp_err e = mp_jsonl_read("lines", NULL, "S", (mp_tap){ pour, leave, &left }, NULL, a, &raw);
    if (e == MP_OK) assert_int_equal(raw.graphs.graphs, 3000);
    mp_arena_free(a);
    return e;
}

static bool read_jsonl(const fixture *f)
{
    return mp_guarded(read_lines_whole, (void *)(uintptr_t)f) == MP_OK;
}

static void reading_a_data_set_of_lines_returns_a_status(void **state)
{
    assert_true(with_every_fault("lines", read_jsonl, *state) > 20);
}

static mp_err take_lines(void *arg, void *piece, bool *got)
{
    return mp_stream_cut(arg, piece, got);
}

static mp_err read_lines(void *arg, void *piece, int thread)
{
    (void)thread;
    return mp_stream_read(arg, piece);
}

static mp_err drop_lines(void *arg, void *piece)
{
    (void)arg;
    (void)piece;
    return MP_OK;
}

typedef struct lines {
    mp_dataset_as as;
    int left;
    mp_piece piece[2];
    mp_stream *stream;
} lines;

static mp_err open_lines(void *arg)
{
    lines *l = arg;
    for (int i = 0; i < 2; i++) mp_piece_init(&l->piece[i]);
    l->stream = mp_stream_jsonl("lines", NULL, (mp_tap){ pour, leave, &l->left }, &l->as);
    return MP_OK;
}

static bool read_stream(const fixture *f)
{
    static const mp_relay steps = { take_lines, read_lines, drop_lines };
    lines l = {
        .as = { .recipe = &f->d.recipe, .task = &mp_task_classify, .classes = 2, .class_value = f->d.class_value },
        .left = 1000
    };
    if (mp_guarded(open_lines, &l) != MP_OK) return false;
    mp_err e = mp_relay_run(&steps, l.stream, (void *[]){ &l.piece[0], &l.piece[1] }, 2, 1);
    mp_stream_close(l.stream);
    for (int i = 0; i < 2; i++) mp_piece_free(&l.piece[i]);
    return e == MP_OK;
}

static void reading_a_stream_returns_a_status(void **state)
{
    assert_true(with_every_fault("stream", read_stream, *state) > 10);
}

static bool read_files(const fixture *f)
{
    mp_dataset_as as = { .recipe = &f->d.recipe, .task = &mp_task_classify };
    mp_stream *s = NULL;
    mp_arena *a = f->a;
    mp_arena_mark here = mp_arena_here(a);
    mp_err e = mp_stream_folder(f->folder, &as, 1, a, &s);
    if (e == MP_OK) mp_stream_close(s);
    mp_arena_back(a, here);
    return e == MP_OK;
}

static void opening_the_files_of_a_data_set_as_a_stream_returns_a_status(void **state)
{
    assert_true(with_every_fault("files", read_files, *state) > 10);
}

/* ---- training and predicting on two threads */

typedef struct training {
    const fixture *f;
    mp_engine *engine;
} training;

static mp_err new_engine(void *arg)
{
    training *t = arg;
    t->engine = mp_engine_new(t->f->m, 2);
    return MP_OK;
}

static mp_err one_step(void *arg)
{
    training *t = arg;
    const fixture *f = t->f;
    int which[60];
    double label[200] = { 0 };
    mp_real out[2 * 60];
    double loss, aux;
    for (int i = 0; i < 60; i++) {
        which[i] = i;
        label[i] = i % 2;
    }
    mp_batch b = { .all = &f->d.graphs, .x = &f->d.x, .which = which, .n = 60, .labels = { .columns = 1, .v = label } };
    MP_TRY(mp_engine_predict(t->engine, &b, out));
    return mp_engine_train(t->engine, &b, (mp_draw){ 1, 0, 1, 0 }, &loss, &aux);
}

static bool train(const fixture *f)
{
    training t = { f, NULL };
    if (mp_guarded(new_engine, &t) != MP_OK) return false;
    mp_err e = mp_guarded(one_step, &t);
    mp_engine_free(t.engine);
    return e == MP_OK;
}

static void a_step_of_training_returns_a_status(void **state)
{
    assert_true(with_every_fault("training", train, *state) > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(loading_a_model_returns_a_status, set_up, tear_down),
        cmocka_unit_test_setup_teardown(predicting_returns_a_status_and_the_predictor_stays_usable, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reading_a_data_set_returns_a_status, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reading_a_data_set_of_lines_returns_a_status, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reading_a_stream_returns_a_status, set_up, tear_down),
        cmocka_unit_test_setup_teardown(opening_the_files_of_a_data_set_as_a_stream_returns_a_status, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_step_of_training_returns_a_status, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
