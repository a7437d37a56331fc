/* test_predictor.c - the library's predict call: no memory is asked for after the first graph of a size, and the answers are
 * those of the engine, for every operator and baseline. The linker puts the functions below in place of malloc and its kin.
 * SPDX-License-Identifier: MIT */
#include "baseline/baseline.h"
#include "midpool.h"
#include "model/checkpoint.h"
#include "train/engine.h"
#include "tiny.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static int calls; /* for memory, by the program and the library; not those of libc itself */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t each);
void *__real_realloc(void *p, size_t n);
int __real_posix_memalign(void **p, size_t align, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t each);
void *__wrap_realloc(void *p, size_t n);
int __wrap_posix_memalign(void **p, size_t align, size_t n);

void *__wrap_malloc(size_t n)
{
    calls++;
    return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t each)
{
    calls++;
    return __real_calloc(n, each);
}

void *__wrap_realloc(void *p, size_t n)
{
    calls++;
    return __real_realloc(p, n);
}

int __wrap_posix_memalign(void **p, size_t align, size_t n)
{
    calls++;
    return __real_posix_memalign(p, align, n);
}

typedef struct fixture {
    mp_arena *a;
    mp_dataset d;
    mp_query *query; /* of every graph */
    int largest;
} fixture;

static mp_query query_of(const mp_dataset *d, int b, mp_arena *a)
{
    const mp_graph *g = &d->graphs;
    int first = g->node_ptr[b], nodes = g->node_ptr[b + 1] - first, n = 0;
    int edges = g->row_ptr[first + nodes] - g->row_ptr[first], *from = MP_NEW(a, int, edges),
        *to = MP_NEW(a, int, edges);
    float *x = MP_NEW(a, float, nodes * d->x.cols);
    for (int v = 0; v < nodes; v++) {
        for (int e = g->row_ptr[first + v]; e < g->row_ptr[first + v + 1]; e++, n++) {
            from[n] = v;
            to[n] = g->col[e] - first;
        }
        for (int z = d->x.ptr[first + v]; z < d->x.ptr[first + v + 1]; z++)
            x[v * d->x.cols + d->x.col[z]] = d->x.val ? (float)d->x.val[z] : 1;
    }
    return (mp_query){ .nodes = nodes, .edges = edges, .from = from, .to = to, .x = x };
}

static int set_up(void **state)
{
    static fixture f;
    mp_folds folds;
    f.a = mp_arena_new(1 << 20);
    *state = &f;
    if (tiny_make(f.a, false, &f.d, &folds) != MP_OK) return -1;
    f.query = MP_NEW(f.a, mp_query, f.d.graphs.graphs);
    for (int b = 0; b < f.d.graphs.graphs; b++) {
        f.query[b] = query_of(&f.d, b, f.a);
        if (f.query[b].nodes > f.query[f.largest].nodes) f.largest = b;
    }
    return 0;
}

static int tear_down(void **state)
{
    mp_arena_free(((fixture *)*state)->a);
    return 0;
}

static mp_model *model_of(const fixture *f, const char *pool, mp_predictor **p)
{
    mp_config c = tiny_config();
    mp_model *m;
    mp_buf bytes = { 0 };
    strcpy(c.pool, pool);
    c.hidden = 64; /* more than the first piece of an arena holds */
    mp_config_resolve(&c, &f->d.graphs);
    if (mp_model_new(f->a, &c, (mp_inputs){ .features = f->d.x.cols, .outputs = 2 }, &m) != MP_OK)
        fail_msg("%s: %s", pool, mp_message());
    mp_params_init(mp_model_params(m), 1, 0);
    mp_about about = mp_about_of(&f->d, m);
    mp_checkpoint_write(m, &about, &bytes);
    *p = mp_predictor_from(bytes.p, bytes.n);
    if (!*p) fail_msg("%s: %s", pool, mp_predictor_error());
    mp_buf_free(&bytes);
    return m;
}

static void answer_all(const fixture *f, const char *pool, mp_predictor *p, float *out)
{
    mp_answer answer;
    for (int b = 0; b < f->d.graphs.graphs; b++) {
        if (!mp_predict(p, &f->query[b], &answer)) fail_msg("%s: %s", pool, mp_predictor_error());
        for (int c = 0; c < 2; c++) out[2 * b + c] = answer.value[c];
    }
}

/* The largest graph first; then all of them, and nothing is allocated. */
static void check_calls(const fixture *f, const char *pool, mp_predictor *p, float *out)
{
    mp_answer answer;
    assert_true(mp_predict(p, &f->query[f->largest], &answer));
    calls = 0;
    answer_all(f, pool, p, out);
    if (calls) fail_msg("%s: %d calls for memory after the largest graph", pool, calls);
}

static void check_answers(const fixture *f, const char *pool, mp_model *m, const float *out)
{
    int n = f->d.graphs.graphs, *which = MP_NEW(f->a, int, n);
    mp_real *logs = MP_NEW(f->a, mp_real, 2 * n);
    for (int b = 0; b < n; b++) which[b] = b;
    mp_batch batch = { .all = &f->d.graphs, .x = &f->d.x, .which = which, .n = n };
    mp_engine *e = mp_engine_new(m, 2);
    assert_int_equal(mp_engine_predict(e, &batch, logs), MP_OK);
    mp_engine_free(e);
    for (int i = 0; i < 2 * n; i++)
        if (out[i] != (float)exp((double)logs[i]))
            fail_msg("%s: graph %d has %.9g alone and %.9g in a batch", pool, i / 2, (double)out[i],
                     exp((double)logs[i]));
}

static void check_method(const fixture *f, const char *pool)
{
    mp_predictor *p;
    mp_model *m = model_of(f, pool, &p);
    float *out = MP_NEW(f->a, float, 2 * f->d.graphs.graphs);
    check_calls(f, pool, p, out);
    check_answers(f, pool, m, out);
    mp_predictor_free(p);
}

static void the_wrapping_works(void **state)
{
    (void)state;
    calls = 0;
    mp_arena_free(mp_arena_new(100));
    assert_int_equal(calls, 2);
}

static void operators_answer_without_asking_for_memory(void **state)
{
    for (const mp_pool_op *o = mp_pool_ops(); o->name; o++) check_method(*state, o->name);
}

static void baselines_answer_without_asking_for_memory(void **state)
{
    for (const mp_baseline *b = mp_baselines(); b->name; b++) check_method(*state, b->name);
}

static void a_failure_leaves_the_predictor_usable(void **state)
{
    const fixture *f = *state;
    mp_predictor *p;
    mp_answer answer;
    model_of(f, "sag", &p);
    mp_query bad = f->query[0];
    bad.nodes = 0;
    assert_false(mp_predict(p, &bad, &answer));
    assert_string_equal(mp_predictor_error(), "a graph needs at least one node");
    assert_true(mp_predict(p, &f->query[0], &answer));
    mp_predictor_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wrapping_works),
        cmocka_unit_test_setup_teardown(operators_answer_without_asking_for_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(baselines_answer_without_asking_for_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failure_leaves_the_predictor_usable, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
