/* test_checkpoint.c - models to bytes and back; damage is seen, never trusted.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "midpool.h"
#include "model/checkpoint.h"
#include "model/safetensors.h"
#include "train/engine.h"
#include "train/once.h"
#include "tiny.h"
#include "option.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct fixture {
    mp_arena *a;
    mp_dataset d;
    mp_folds f;
    mp_model *m;
    mp_about about;
    mp_buf bytes;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    f.a = mp_arena_new(1 << 20);
    *state = &f;
    mp_config c = tiny_config();
    c.hidden = 3;
    c.score_dim = 2;
    c.flip = 1;
    c.lr = 0.1;
    c.lr_drop = (mp_list){ 2, { 85, 95 } };
    if (tiny_make(f.a, false, &f.d, &f.f) != MP_OK ||
        mp_model_new(f.a, &c, (mp_inputs){ .features = f.d.x.cols, .outputs = 2 }, &f.m) != MP_OK)
        return -1;
    mp_params_init(mp_model_params(f.m), 1, 2);
    f.about = mp_about_of(&f.d, f.m);
    mp_checkpoint_write(f.m, &f.about, &f.bytes);
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    mp_buf_free(&f->bytes);
    mp_arena_free(f->a);
    return 0;
}

static mp_span span(const fixture *f)
{
    return (mp_span){ f->bytes.p, f->bytes.n };
}

static void what_was_written_is_read(void **state)
{
    fixture *f = *state;
    mp_model *m;
    mp_about about;
    mp_buf again = { 0 };
    assert_int_equal(mp_checkpoint_parse(span(f), "m", f->a, &m, &about), MP_OK);
    mp_checkpoint_write(m, &about, &again);
    assert_int_equal(again.n, f->bytes.n);
    assert_memory_equal(again.p, f->bytes.p, again.n);
    assert_string_equal(about.dataset, "TINY");
    assert_int_equal(about.classes, 2);
    assert_int_equal(mp_model_config(m)->score_dim, 2);
    assert_true(mp_model_config(m)->lr == 0.1);
    assert_int_equal(mp_model_config(m)->lr_drop.count, 2);
    assert_int_equal(mp_model_config(m)->lr_drop.at[1], 95);
    mp_buf_free(&again);
}

/* The model's file with its metadata or tensors changed on purpose, and sealed again. */
typedef struct change {
    const char *old, *new;  /* in the metadata  */
    const char *lose, *add; /* names of tensors */
    const char *reshape, *spoil;
} change;

static mp_err parse_changed(fixture *f, const change *c, mp_about *about)
{
    mp_safetensors s;
    mp_tensor tensor[64];
    mp_buf out = { 0 };
    mp_model *m;
    static const float extra[4];
    assert_int_equal(mp_safetensors_parse(span(f), "m", f->a, &s), MP_OK);
    const char *text = mp_safetensors_meta(&s, MP_MODEL_KEY);
    if (c->old) {
        const char *at = strstr(text, c->old);
        assert_non_null(at);
        text = mp_arena_printf(f->a, "%.*s%s%s", (int)(at - text), text, c->new, at + strlen(c->old));
    }
    int n = 0;
    for (int i = 0; i < s.tensors; i++) {
        mp_tensor t = s.tensor[i];
        if (c->lose && strcmp(t.name, c->lose) == 0) continue;
        if (c->reshape && strcmp(t.name, c->reshape) == 0) {
            t.dims = 1;
            t.shape[0] = (int64_t)t.count;
        }
        if (c->spoil && strcmp(t.name, c->spoil) == 0) {
            float *v = (float *)mp_arena_raw(f->a, t.count, sizeof *v);
            for (size_t k = 0; k < t.count; k++) v[k] = (float)NAN;
            t.data = v;
        }
        tensor[n++] = t;
    }
    if (c->add)
        tensor[n++] =
            (mp_tensor){ .name = c->add, .dtype = MP_DTYPE_F32, .dims = 1, .shape = { 4 }, .count = 4, .data = extra };
    mp_meta meta = { MP_MODEL_KEY, text };
    mp_safetensors_write(tensor, n, &meta, 1, true, &out);
    mp_err e = mp_checkpoint_parse((mp_span){ out.p, out.n }, "file", f->a, &m, about);
    mp_buf_free(&out);
    return e;
}

/* A model of yes and no that have names, its list of names written as `names`. */
static mp_err parse_named(fixture *f, const char *names, int columns, mp_about *about)
{
    static const char *const word[] = { "inert", "toxic" };
    mp_config c = tiny_config();
    mp_goal goal = { .task = &mp_task_binary, .columns = columns };
    mp_about of = f->about;
    fixture named = { .a = f->a };
    mp_model *m;
    c.hidden = 3;
    assert_int_equal(mp_model_new(f->a, &c, (mp_inputs){ .features = f->d.x.cols, .outputs = columns }, &m), MP_OK);
    mp_model_aim(m, &goal);
    mp_params_init(mp_model_params(m), 1, 2);
    of.classes = 0;
    of.class_names = 2;
    of.class_name = word;
    mp_checkpoint_write(m, &of, &named.bytes);
    mp_err e = parse_changed(&named, &(change){ "[\"inert\",\"toxic\"]", names, NULL, NULL, NULL, NULL }, about);
    mp_buf_free(&named.bytes);
    return e;
}

static void names_of_no_and_yes_are_kept(void **state)
{
    fixture *f = *state;
    mp_about about;
    assert_int_equal(parse_named(f, "[\"inert\",\"toxic\"]", 1, &about), MP_OK);
    assert_int_equal(about.classes, 0);
    assert_int_equal(about.class_names, 2);
    assert_string_equal(about.class_name[0], "inert");
    assert_string_equal(about.class_name[1], "toxic");
    assert_int_equal(parse_named(f, "[]", 1, &about), MP_OK); /* written before they had names */
    assert_int_equal(about.class_names, 0);
    assert_null(about.class_name);
    assert_int_equal(parse_named(f, "[\"a\",\"b\",\"c\"]", 1, &about), MP_ERR_INPUT);
    assert_non_null(strstr(mp_message(), "file: 'class_names' must be a text for each of 2 classes"));
    assert_int_equal(parse_named(f, "[\"a\",\"b\"]", 3, &about), MP_ERR_INPUT);
    assert_non_null(strstr(mp_message(), "file: 'class_names' with 3 label columns"));
}

static void every_flipped_byte_is_an_error_or_changes_nothing(void **state)
{
    fixture *f = *state;
    char *copy = malloc(f->bytes.n);
    assert_non_null(copy);
    int refused = 0;
    for (size_t i = 0; i < f->bytes.n; i++) {
        memcpy(copy, f->bytes.p, f->bytes.n);
        copy[i] = (char)~copy[i];
        mp_arena *a = mp_arena_new(4096);
        mp_model *m;
        mp_about about;
        if (mp_checkpoint_parse((mp_span){ copy, f->bytes.n }, "m", a, &m, &about) == MP_OK) {
            mp_buf again = { 0 };
            mp_checkpoint_write(m, &about, &again);
            assert_memory_equal(again.p, f->bytes.p, f->bytes.n);
            mp_buf_free(&again);
        } else {
            refused++;
        }
        mp_arena_free(a);
    }
    assert_int_equal(refused, f->bytes.n); /* the seal covers every byte */
    free(copy);
}

static void every_cut_is_an_error(void **state)
{
    fixture *f = *state;
    mp_model *m;
    mp_about about;
    for (size_t n = 0; n < f->bytes.n; n += 7) {
        mp_arena *a = mp_arena_new(4096);
        assert_int_not_equal(mp_checkpoint_parse((mp_span){ f->bytes.p, n }, "m", a, &m, &about), MP_OK);
        mp_arena_free(a);
    }
}

static void wrong_contents_are_refused_with_their_name(void **state)
{
    fixture *f = *state;
    const char *first = mp_model_params(f->m)->list[0].name;
    const change cases[] = {
        { .old = "\"format\":1", .new = "\"format\":2" },
        { .old = "\"hidden\":3", .new = "\"hidden\":4" },
        { .old = "\"hidden\":3", .new = "\"hidden\":-3" },
        { .old = "\"hidden\":3", .new = "\"hiden\":3" },
        { .old = "\"pool\":\"topk\"", .new = "\"pool\":\"topp\"" },
        { .old = "\"lr\":0.1", .new = "\"lr\":[0.1]" },
        { .old = "\"classes\":[0,1]", .new = "\"classes\":[0]" },
        { .old = "\"classes\":[0,1]", .new = "\"classes\":[0,1.5]" },
        { .old = "\"task\":\"classify\"", .new = "\"task\":\"regress\"" },
        { .old = "\"task\":\"classify\"", .new = "\"task\":\"dream\"" },
        { .old = "\"degree\":\"none\"", .new = "\"degree\":\"normalised\"" },
        { .old = "\"features\":", .new = "\"features\":1" },
        { .lose = first },
        { .add = "surplus" },
        { .reshape = first },
        { .spoil = first },
    };
    assert_int_equal(parse_changed(f, &(change){ 0 }, &(mp_about){ 0 }), MP_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(parse_changed(f, &cases[i], &(mp_about){ 0 }), MP_ERR_INPUT);
        assert_int_equal(strncmp(mp_message(), "file: ", 6) && strncmp(mp_message(), "file:", 5), 0);
    }
}

/* A file with the metadata of another configuration beside the tensors of this model, `tensors` of them. */
static mp_err parse_configured(fixture *f, const mp_config *conf, int tensors)
{
    mp_safetensors s;
    mp_buf config = { 0 }, out = { 0 };
    mp_model *m;
    mp_about about;
    assert_int_equal(mp_safetensors_parse(span(f), "m", f->a, &s), MP_OK);
    const char *text = mp_safetensors_meta(&s, MP_MODEL_KEY), *at = strstr(text, "\"config\":{");
    assert_non_null(at);
    at += strlen("\"config\":");
    mp_conf_json(mp_config_table, mp_config_late(), conf, &config);
    text = mp_arena_printf(f->a, "%.*s%s%s", (int)(at - text), text, config.p, strchr(at, '}') + 1);
    mp_safetensors_write(s.tensor, tensors, &(mp_meta){ MP_MODEL_KEY, text }, 1, true, &out);
    mp_arena *a = mp_arena_new(65536);
    mp_arena_peak_reset();
    size_t before = mp_arena_total();
    mp_err e = mp_checkpoint_parse((mp_span){ out.p, out.n }, "file", a, &m, &about);
    if (mp_arena_peak() - before > (1 << 20))
        fail_msg("%zu bytes of file, %zu of memory", out.n, mp_arena_peak() - before);
    mp_arena_free(a);
    mp_buf_free(&config);
    mp_buf_free(&out);
    return e;
}

static void a_small_file_does_not_make_a_large_model(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *pool;
        int hidden, score_dim, layers, clusters, heads;
        const char *sort_k;
    } cases[] = {
        { "diff", 8, 1, 3, 1000000, 0, NULL }, { "topk", 512, 256, 16, 0, 0, NULL },
        { "vip", 4096, 256, 16, 0, 0, NULL },  { "mem", 8, 1, 3, 1000000, 64, NULL },
        { "sort", 512, 1, 3, 0, 0, "100000" }, { "gmt", 4096, 1, 16, 1000000, 1, NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_config c = *mp_model_config(f->m);
        strcpy(c.pool, cases[i].pool);
        c.hidden = cases[i].hidden;
        c.score_dim = cases[i].score_dim;
        c.layers = cases[i].layers;
        c.clusters = cases[i].clusters;
        c.heads = cases[i].heads;
        if (cases[i].sort_k) option_set(&c, "sort-k", cases[i].sort_k);
        for (int tensors = 0; tensors < 2; tensors++) {
            assert_int_equal(parse_configured(f, &c, tensors), MP_ERR_INPUT);
            assert_int_equal(strncmp(mp_message(), "file: ", 6), 0);
        }
    }
}

static void files_that_are_no_models_are_refused(void **state)
{
    fixture *f = *state;
    mp_model *m;
    mp_about about;
    mp_buf out = { 0 };
    mp_safetensors_write(NULL, 0, NULL, 0, false, &out);
    assert_int_equal(mp_checkpoint_parse((mp_span){ out.p, out.n }, "x", f->a, &m, &about), MP_ERR_INPUT);
    assert_string_equal(mp_message(), "x: not a midpool model (no 'midpool' entry)");
    assert_int_equal(mp_checkpoint_load("/nonexistent/m", f->a, &m, &about), MP_ERR_IO);
    mp_buf_free(&out);
}

/* ---- the public interface on the same bytes ---- */

static float feature(const mp_sparse *x, int v, int c)
{
    if (!x->ptr) return (float)x->val[(size_t)v * (size_t)x->cols + (size_t)c];
    for (int k = x->ptr[v]; k < x->ptr[v + 1]; k++)
        if (x->col[k] == c) return x->val ? (float)x->val[k] : 1;
    return 0;
}

static void the_public_interface_gives_what_the_engine_gives(void **state)
{
    fixture *f = *state;
    const mp_graph *g = &f->d.graphs;
    mp_predictor *p = mp_predictor_from(f->bytes.p, f->bytes.n);
    assert_non_null(p);
    assert_int_equal(mp_predictor_features(p), f->d.x.cols);
    assert_int_equal(mp_predictor_classes(p), 2);
    mp_engine *e = mp_engine_new(f->m, 1);
    for (int b = 0; b < 40; b++) {
        mp_batch batch = { .all = g, .x = &f->d.x, .which = &b, .n = 1 };
        mp_real expected[2];
        assert_int_equal(mp_engine_predict(e, &batch, expected), MP_OK);
        int first = g->node_ptr[b], n = g->node_ptr[b + 1] - first, m = 0;
        int *from = calloc((size_t)g->edges + 1, sizeof *from), *to = calloc((size_t)g->edges + 1, sizeof *to);
        float *x = calloc((size_t)n * (size_t)f->d.x.cols, sizeof *x);
        for (int v = 0; v < n; v++) {
            for (int k = g->row_ptr[first + v]; k < g->row_ptr[first + v + 1]; k++) {
                if (g->col[k] - first < v && b % 2) continue; /* every second graph lists its edges once */
                from[m] = v;
                to[m++] = g->col[k] - first;
            }
            for (int k = 0; k < f->d.x.cols; k++) x[v * f->d.x.cols + k] = feature(&f->d.x, first + v, k);
        }
        mp_query q = { .nodes = n, .edges = m, .from = from, .to = to, .x = x };
        mp_answer answer;
        assert_true(mp_predict(p, &q, &answer));
        for (int c = 0; c < 2; c++) assert_true(answer.value[c] == (float)exp((double)expected[c]));
        assert_int_equal(answer.class_index, expected[1] > expected[0]);
        free(from);
        free(to);
        free(x);
    }
    mp_engine_free(e);
    mp_predictor_free(p);
}

static void the_public_interface_allocates_nothing_for_a_size_it_has_seen(void **state)
{
    fixture *f = *state;
    mp_predictor *p = mp_predictor_from(f->bytes.p, f->bytes.n);
    assert_non_null(p);
    float *x = calloc(20 * (size_t)f->d.x.cols, sizeof *x);
    int from[19], to[19];
    for (int i = 0; i < 19; i++) {
        from[i] = i;
        to[i] = i + 1;
    }
    mp_answer answer;
    mp_query q = { .nodes = 20, .edges = 19, .from = from, .to = to, .x = x };
    for (int i = 0; i < 3; i++) assert_true(mp_predict(p, &q, &answer));
    size_t held = mp_arena_total();
    for (int n = 20; n > 0; n--) {
        q.nodes = n;
        q.edges = n - 1;
        assert_true(mp_predict(p, &q, &answer));
        assert_int_equal(mp_arena_total(), held);
    }
    free(x);
    mp_predictor_free(p);
}

static void the_public_interface_refuses_wrong_graphs(void **state)
{
    fixture *f = *state;
    mp_predictor *p = mp_predictor_from(f->bytes.p, f->bytes.n);
    assert_non_null(p);
    static const int from[] = { 0, 5 }, to[] = { 1, 0 };
    float *x = calloc(2 * (size_t)f->d.x.cols, sizeof *x);
    mp_answer answer;
    mp_query q = { .nodes = 2, .edges = 2, .from = from, .to = to, .x = x };
    assert_false(mp_predict(p, &q, &answer));
    assert_string_equal(mp_predictor_error(), "edge 1 joins nodes 5 and 0, but nodes are 0 to 1");
    q.edges = 1;
    x[1] = (float)INFINITY;
    assert_false(mp_predict(p, &q, &answer));
    q.x = NULL;
    assert_false(mp_predict(p, &q, &answer));
    q.nodes = 0;
    assert_false(mp_predict(p, &q, &answer));
    assert_null(mp_predictor_from("nonsense", 8));
    assert_null(mp_predictor_load("/nonexistent/m"));
    free(x);
    mp_predictor_free(p);
}

static void the_public_interface_answers_every_bad_argument(void **state)
{
    fixture *f = *state;
    mp_predictor *p = mp_predictor_from(f->bytes.p, f->bytes.n);
    assert_non_null(p);
    float *x = calloc((size_t)f->d.x.cols, sizeof *x);
    mp_answer answer;
    static const int node[] = { 0 };
    const mp_query good = { .nodes = 1, .x = x };
    const struct {
        mp_query query;
        const char *words;
    } bad[] = {
        { { .nodes = 1, .edges = 1, .x = x }, "1 edges, but no numbers of nodes" },
        { { .nodes = 1, .edges = 1, .from = node, .x = x }, "1 edges, but no numbers of nodes" },
        { { .nodes = 1, .edges = -1, .from = node, .to = node, .x = x }, "-1 edges are not possible" },
        { { .nodes = 1, .edges = INT_MAX, .from = node, .to = node, .x = x }, "2147483647 edges are not possible" },
        { { .nodes = INT_MAX, .x = x }, "2147483647 nodes are too many" },
        { { .nodes = -1, .x = x }, "a graph needs at least one node" },
        { { .nodes = 1 }, "the model needs" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(mp_predict(p, &bad[i].query, &answer));
        if (!strstr(mp_predictor_error(), bad[i].words)) fail_msg("'%s'", mp_predictor_error());
    }
    assert_false(mp_predict(NULL, &good, &answer));
    assert_false(mp_predict(p, NULL, &answer));
    assert_false(mp_predict(p, &good, NULL));
    assert_non_null(strstr(mp_predictor_error(), "is NULL"));
    assert_true(mp_predict(p, &good, &answer));
    assert_int_equal(mp_predictor_class(p, 1), 1);
    for (int i = -1; i < 100; i += 100) assert_int_equal(mp_predictor_class(p, i), 0);
    assert_int_equal(mp_predictor_class(p, 2), 0);
    assert_string_equal(mp_predictor_error(), "there is no class 2; classes are numbered from 0 and there are 2");
    assert_int_equal(mp_predictor_class(NULL, 0), 0);
    assert_int_equal(mp_predictor_classes(NULL), 0);
    assert_int_equal(mp_predictor_features(NULL), 0);
    assert_int_equal(mp_predictor_attributes(NULL), 0);
    assert_int_equal(mp_predictor_label_columns(NULL), 0);
    assert_null(mp_predictor_load(NULL));
    assert_null(mp_predictor_from(NULL, 0));
    assert_null(mp_predictor_from(NULL, 100));
    assert_null(mp_predictor_from("", 0));
    mp_predictor_free(NULL);
    free(x);
    mp_predictor_free(p);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_written_is_read),
        TEST(names_of_no_and_yes_are_kept),
        TEST(every_flipped_byte_is_an_error_or_changes_nothing),
        TEST(every_cut_is_an_error),
        TEST(wrong_contents_are_refused_with_their_name),
        TEST(a_small_file_does_not_make_a_large_model),
        TEST(files_that_are_no_models_are_refused),
        TEST(the_public_interface_gives_what_the_engine_gives),
        TEST(the_public_interface_allocates_nothing_for_a_size_it_has_seen),
        TEST(the_public_interface_refuses_wrong_graphs),
        TEST(the_public_interface_answers_every_bad_argument),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
