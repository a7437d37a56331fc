/* test_given.c - data sets give back what they were made of, models their weights; training on a split of one's own; pictures.
 * SPDX-License-Identifier: MIT */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct fixture {
    world w;
    mp_arrays all; /* every table, and names of classes */
    double place[GRAPHS];
    mp_data *data; /* of w.arrays, with its split */
    mp_data *full; /* of `all` */
    mp_trained *model;
    mp_result result;
    char folder[64];
} fixture;

static const char *const usual[] = { "pool=sag", "preset=mid", FEW, NULL };
static const char *const names[] = { "ring", "star" };
static const int range[] = { 9 };

static void must(mp_err e)
{
    if (e != MP_OK) fail_msg("status %d: %s", (int)e, mp_message());
}

static void fails(mp_err want, const char *words, mp_err e)
{
    if (e != want) fail_msg("status %d in place of %d: %s", (int)e, (int)want, mp_message());
    if (!strstr(mp_message(), words)) fail_msg("'%s' does not hold '%s'", mp_message(), words);
}

static int set_up(void **state)
{
    static fixture f;
    *state = &f;
    make_world(&f.w);
    f.all = f.w.arrays;
    f.all.part = NULL;
    f.all.node_attributes = 2;
    f.all.node_attribute = f.w.node_attribute;
    f.all.edge_labels = f.all.edge_attributes = 1;
    f.all.edge_label = f.w.edge_label;
    f.all.edge_attribute = f.w.edge_attribute;
    f.all.class_names = 2;
    f.all.class_name = names;
    f.all.node_label_range = range;
    for (int b = 0; b < GRAPHS; b++) f.place[b] = f.w.class[b] == 7;
    f.all.label = f.place;
    strcpy(f.folder, "/tmp/midpool-given-XXXXXX");
    if (!mkdtemp(f.folder)) return -1;
    if (mp_data_make(&f.w.arrays, &f.data) != MP_OK || mp_data_make(&f.all, &f.full) != MP_OK) return -1;
    return mp_train(f.data, usual, NULL, &f.model, &f.result) == MP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    char command[128];
    mp_trained_free(f->model);
    mp_data_free(f->data);
    mp_data_free(f->full);
    snprintf(command, sizeof command, "rm -r '%s'", f->folder);
    return system(command);
}

typedef struct room {
    int node_ptr[GRAPHS + 1], from[MOST_EDGES], to[MOST_EDGES], node_label[MOST_NODES], edge_label[MOST_EDGES];
    float node_attribute[2 * MOST_NODES], edge_attribute[MOST_EDGES];
    double label[GRAPHS];
} room;

static mp_arrays_out into(room *r)
{
    return (mp_arrays_out){ .node_ptr = r->node_ptr,
                            .from = r->from,
                            .to = r->to,
                            .node_label = r->node_label,
                            .edge_label = r->edge_label,
                            .node_attribute = r->node_attribute,
                            .edge_attribute = r->edge_attribute,
                            .label = r->label };
}

static void print_of(const mp_data *d, char out[17])
{
    must(mp_data_fingerprint(d, out));
    assert_int_equal(strlen(out), 16);
}

static void arrays_come_back_and_make_the_same_set(void **state)
{
    const fixture *f = *state;
    static room r;
    mp_data_info info;
    mp_data *again;
    char one[17], other[17];
    int nodes, edges;
    mp_arrays_out out = into(&r);
    must(mp_data_size(f->full, NULL, 0, &nodes, &edges));
    assert_int_equal(nodes, f->w.node_ptr[GRAPHS]);
    assert_int_equal(edges, f->w.arrays.edges);
    must(mp_data_read(f->full, NULL, 0, &out));
    assert_memory_equal(r.node_ptr, f->w.node_ptr, sizeof r.node_ptr);
    assert_memory_equal(r.node_label, f->w.node_label, (size_t)nodes * sizeof(int));
    assert_memory_equal(r.node_attribute, f->w.node_attribute, 2 * (size_t)nodes * sizeof(float));
    assert_memory_equal(r.label, f->place, sizeof r.label);
    mp_data_about(f->full, &info);
    assert_null(info.origin);
    assert_string_equal(info.task, "classify");
    assert_int_equal(info.class_names, 2);
    assert_false(info.split);
    assert_int_equal(info.node_label_range[0], 9);
    mp_arrays in = f->all;
    in.from = r.from;
    in.to = r.to;
    in.edge_label = r.edge_label;
    in.edge_attribute = r.edge_attribute;
    must(mp_data_make(&in, &again));
    print_of(f->full, one);
    print_of(again, other);
    assert_string_equal(one, other);
    static room second;
    out = into(&second);
    must(mp_data_read(again, NULL, 0, &out));
    assert_memory_equal(&second, &r, sizeof r);
    mp_data_free(again);
}

/* Edges of two graphs, each with its values: those that the world listed. */
static void some_graphs_come_back_with_numbers_of_their_own(void **state)
{
    const fixture *f = *state;
    static room r;
    static const int which[] = { 8, 3 };
    mp_arrays_out out = into(&r);
    int nodes, edges, from[32], to[32];
    must(mp_data_size(f->full, which, 2, &nodes, &edges));
    must(mp_data_read(f->full, which, 2, &out));
    assert_int_equal(r.node_ptr[1], f->w.node_ptr[9] - f->w.node_ptr[8]);
    assert_int_equal(r.node_ptr[2], nodes);
    assert_int_equal((int)r.label[0], 0);
    assert_int_equal((int)r.label[1], 1);
    int at = 0;
    for (int k = 0; k < 2; k++) {
        mp_query q = graph_of(&f->w, which[k], from, to);
        for (int e = 0; e < q.edges; e++, at++) {
            int met = 0, first = f->w.node_ptr[which[k]];
            for (int i = 0; i < edges; i++) {
                int u = r.from[i] - r.node_ptr[k], v = r.to[i] - r.node_ptr[k];
                if (!((u == from[e] && v == to[e]) || (u == to[e] && v == from[e]))) continue;
                met++;
                assert_int_equal(r.edge_label[i], (from[e] + to[e] + 2 * first) % 3);
            }
            assert_int_equal(met, 1);
        }
    }
    assert_int_equal(at, edges);
    static const int wrong[] = { 2, GRAPHS };
    fails(MP_ERR_USAGE, "there is no graph 60", mp_data_size(f->full, wrong, 2, &nodes, &edges));
    fails(MP_ERR_USAGE, "there is no graph 60", mp_data_read(f->full, wrong, 2, &out));
}

static void names_and_ranges_of_labels_are_kept_and_checked(void **state)
{
    const fixture *f = *state;
    mp_arrays in = f->all;
    mp_data *d;
    static const int narrow[] = { 6 };
    assert_string_equal(mp_data_class(f->full, 1), "star");
    assert_null(mp_data_class(f->full, 2));
    assert_null(mp_data_class(f->data, 0));
    in.node_label_range = narrow;
    fails(MP_ERR_INPUT, "node_label: 6 in column 0, whose labels are 0 to 5", mp_data_make(&in, &d));
    in.node_label_range = NULL;
    in.label = f->w.class;
    fails(MP_ERR_INPUT, "graph 0 has 3, expected a place among 2 names", mp_data_make(&in, &d));
    in.label = f->place;
    in.class_name = NULL;
    fails(MP_ERR_USAGE, "class_name: 2 names", mp_data_make(&in, &d));
}

static void written_files_are_the_same_set(void **state)
{
    const fixture *f = *state;
    static const char *const ends[] = { "w.jsonl", "folder" };
    char path[128], one[17], other[17];
    for (int k = 0; k < 2; k++) {
        const mp_data *from = k ? f->data : f->full;
        mp_data *d;
        snprintf(path, sizeof path, "%s/%s", f->folder, ends[k]);
        must(mp_data_write(from, path));
        must(mp_data_load(path, NULL, &d));
        print_of(from, one);
        print_of(d, other);
        assert_string_equal(one, other);
        mp_data_info info;
        mp_data_about(d, &info);
        assert_string_equal(info.name, "WORLD");
        assert_string_equal(info.origin, path);
        assert_int_equal(info.split, k == 1);
        if (k == 0) assert_string_equal(mp_data_class(d, 1), "star");
        mp_data_free(d);
    }
    snprintf(path, sizeof path, "%s/w.odd", f->folder);
    fails(MP_ERR_USAGE, "names no format", mp_data_write(f->data, path));
    fails(MP_ERR_IO, "nowhere", mp_data_write(f->data, "/nowhere/w.jsonl"));
}

/* ---- labels and models ---- */

static void answers_do_not_look_at_labels_and_metrics_match_names(void **state)
{
    const fixture *f = *state;
    static float want[2 * GRAPHS], value[2 * GRAPHS];
    static const char *const turned[] = { "star", "blob", "ring" };
    double other[GRAPHS];
    mp_trained *m;
    mp_data *d;
    mp_metric_value before[MP_METRICS_ROOM], after[MP_METRICS_ROOM];
    int n;
    must(mp_train(f->full, usual, NULL, &m, NULL));
    must(mp_predict_data(m, f->full, NULL, 0, 1, want, NULL));
    must(mp_evaluate(m, f->full, NULL, 0, 1, before, &n));
    mp_arrays in = f->all; /* the same classes in another order, and one that no graph has */
    for (int b = 0; b < GRAPHS; b++) other[b] = f->place[b] ? 0 : 2;
    in.label = other;
    in.class_name = turned;
    in.class_names = 3;
    must(mp_data_make(&in, &d));
    must(mp_evaluate(m, d, NULL, 0, 1, after, &n));
    assert_memory_equal(before, after, (size_t)n * sizeof *before);
    mp_data_free(d);
    other[3] = 1;
    must(mp_data_make(&in, &d));
    must(mp_predict_data(m, d, NULL, 0, 1, value, NULL));
    assert_memory_equal(value, want, sizeof want);
    fails(MP_ERR_INPUT, "graph 3 has the class 'blob', which the model does not know",
          mp_evaluate(m, d, NULL, 0, 1, after, &n));
    mp_data_free(d);
    mp_trained_free(m);
}

/* Models that read labels, numbers and values of edges: single graphs, some of them, and one twice. */
static void answers_for_some_graphs_are_those_for_all(void **state)
{
    const fixture *f = *state;
    static const char *const reads[] = { "pool=topk", "conv=gine", FEW, NULL };
    static float all[2 * GRAPHS], some[2 * 4], one[2];
    static const int which[] = { 41, 7, 59, 7 };
    mp_trained *m[2];
    must(mp_train(f->full, usual, NULL, &m[0], NULL));
    must(mp_train(f->full, reads, NULL, &m[1], NULL));
    for (int k = 0; k < 2; k++) {
        must(mp_predict_data(m[k], f->full, NULL, 0, 2, all, NULL));
        must(mp_predict_data(m[k], f->full, which, 4, 2, some, NULL));
        for (int i = 0; i < 4; i++) {
            assert_memory_equal(some + 2 * i, all + 2 * which[i], 2 * sizeof *all);
            must(mp_predict_data(m[k], f->full, which + i, 1, 1, one, NULL));
            assert_memory_equal(one, all + 2 * which[i], sizeof one);
        }
        mp_trained_free(m[k]);
    }
}

/* Edges once, from both ends, in any order and repeated are the same graph. */
static void lists_of_edges_may_come_in_any_order(void **state)
{
    const fixture *f = *state;
    static int from[4 * MOST_EDGES], to[4 * MOST_EDGES];
    char one[17], other[17];
    int E = f->w.arrays.edges, n = 0;
    mp_arrays in = f->w.arrays;
    mp_data *d;
    print_of(f->data, one);
    for (int v = 0; v < f->w.node_ptr[GRAPHS]; v++) /* as a matrix has them */
        for (int u = 0; u < f->w.node_ptr[GRAPHS]; u++)
            for (int e = 0; e < E; e++)
                if ((f->w.from[e] == v && f->w.to[e] == u) || (f->w.from[e] == u && f->w.to[e] == v)) {
                    from[n] = v;
                    to[n++] = u;
                }
    assert_int_equal(n, 2 * E);
    in.from = from;
    in.to = to;
    for (int k = 0; k < 4; k++) {
        in.edges = k == 1 ? n - 1 : n; /* 1: one end is missing, so it is no matrix */
        if (k == 2) {                  /* self loops in their places, as a matrix with a diagonal has them */
            for (int i = n++; i > 0; i--) from[i] = from[i - 1], to[i] = to[i - 1];
            from[0] = to[0] = 0;
            in.edges = n;
        }
        if (k == 3) from[n] = from[1], to[n] = to[1], in.edges = ++n;
        must(mp_data_make(&in, &d));
        print_of(d, other);
        assert_string_equal(one, other);
        mp_data_free(d);
    }
}

/* ---- a split of one's own ---- */

static void train_on(const fixture *f, mp_parts parts, mp_result *r)
{
    mp_trained *m;
    must(mp_train_parts(f->data, &parts, usual, NULL, &m, r));
    mp_trained_free(m);
}

static void listed_graphs_train_as_the_split_of_the_set(void **state)
{
    const fixture *f = *state;
    int list[GRAPHS];
    mp_result r;
    for (int b = 0; b < GRAPHS; b++) list[b] = b;
    for (int b = 0; b < 18; b++) { /* the order says nothing */
        list[b] = 35 - b;
        list[35 - b] = b;
    }
    train_on(f, (mp_parts){ list, list + 36, list + 48, 36, 12, 12 }, &r);
    assert_string_equal(r.sha256, f->result.sha256);
    assert_memory_equal(&r.test_metric, &f->result.test_metric, sizeof r.test_metric);
    train_on(f, (mp_parts){ list, list + 36, list + 48, 30, 12, 12 }, &r);
    assert_string_not_equal(r.sha256, f->result.sha256);
}

static void without_validation_graphs_a_tenth_validates(void **state)
{
    const fixture *f = *state;
    int list[GRAPHS];
    mp_result r, again;
    for (int b = 0; b < GRAPHS; b++) list[b] = b;
    train_on(f, (mp_parts){ .train = list, .n_train = 40 }, &r);
    assert_int_equal(r.train_graphs, 36);
    assert_int_equal(r.val_graphs, 4);
    assert_int_equal(r.test_graphs, 0);
    assert_true(isnan(r.test_metric));
    train_on(f, (mp_parts){ .train = list, .n_train = 40, .test = list + 40, .n_test = 20 }, &again);
    assert_string_equal(r.sha256, again.sha256);
    assert_int_equal(again.test_graphs, 20);
}

static void a_fold_says_what_its_graphs_are_for(void **state)
{
    const fixture *f = *state;
    static const char *const folded[] = { "pool=topk", "fold=3", "folds=5", FEW, NULL };
    int part[GRAPHS], list[3][GRAPHS], n[3] = { 0 }, count;
    mp_result want, r;
    mp_trained *m;
    must(mp_data_fold(f->data, 0, 1, part, &count));
    assert_int_equal(count, 1);
    for (int b = 0; b < GRAPHS; b++) assert_int_equal(part[b], b < 36 ? 0 : b < 48 ? 1 : 2);
    must(mp_data_fold(f->full, 5, 3, part, &count));
    assert_int_equal(count, 5);
    for (int b = 0; b < GRAPHS; b++) list[part[b]][n[part[b]]++] = b;
    assert_int_equal(n[1], 12);
    assert_int_equal(n[2], 12);
    must(mp_train(f->full, folded, NULL, &m, &want));
    mp_trained_free(m);
    must(mp_train_parts(f->full, &(mp_parts){ list[0], list[1], list[2], n[0], n[1], n[2] }, folded, NULL, &m, &r));
    mp_trained_free(m);
    assert_string_equal(r.sha256, want.sha256);
    fails(MP_ERR_USAGE, "fold 2: WORLD has 1 fold", mp_data_fold(f->data, 0, 2, NULL, NULL));
    fails(MP_ERR_USAGE, "fold 0: WORLD has 10 folds", mp_data_fold(f->full, 0, 0, part, NULL));
}

static void impossible_splits_are_refused(void **state)
{
    const fixture *f = *state;
    static const int list[] = { 1, 2, 3, 2, GRAPHS };
    mp_trained *m = NULL;
    mp_parts twice = { .train = list, .n_train = 4 },
             both = { .train = list, .n_train = 3, .val = list + 3, .n_val = 1 },
             outside = { .train = list, .n_train = 3, .test = list + 4, .n_test = 1 },
             one = { .train = list, .n_train = 1 }, none = { 0 };
    fails(MP_ERR_USAGE, "train: graph 2 is there twice", mp_train_parts(f->data, &twice, usual, NULL, &m, NULL));
    fails(MP_ERR_USAGE, "graph 2 is in 'train' and in 'val'", mp_train_parts(f->data, &both, usual, NULL, &m, NULL));
    fails(MP_ERR_USAGE, "test: graph 60 is outside", mp_train_parts(f->data, &outside, usual, NULL, &m, NULL));
    fails(MP_ERR_INPUT, "takes two", mp_train_parts(f->data, &one, usual, NULL, &m, NULL));
    fails(MP_ERR_INPUT, "takes two", mp_train_parts(f->data, &none, usual, NULL, &m, NULL));
    assert_null(m);
}

/* ---- weights and pictures ---- */

typedef struct file {
    char *p;
    size_t n;
} file;

static mp_err keep(void *state, const void *bytes, size_t n)
{
    file *f = state;
    f->p = malloc(n);
    f->n = n;
    memcpy(f->p, bytes, n);
    return MP_OK;
}

static void weights_are_those_of_the_file(void **state)
{
    const fixture *f = *state;
    mp_trained_info info;
    file saved;
    mp_weight w;
    int64_t sum = 0;
    int i = 0;
    must(mp_trained_write(f->model, keep, &saved));
    for (; mp_trained_weight(f->model, i, &w); i++) {
        float *v = malloc(w.count * sizeof *v);
        must(mp_trained_values(f->model, i, v));
        if (!memmem(saved.p, saved.n, v, w.count * sizeof *v)) fail_msg("%s is not in the file", w.name);
        if (!memmem(saved.p, saved.n, w.name, strlen(w.name))) fail_msg("the name %s is not in the file", w.name);
        size_t count = 1;
        for (int k = 0; k < w.dims; k++) count *= (size_t)w.shape[k];
        assert_int_equal(count, w.count);
        sum += (int64_t)w.count;
        free(v);
    }
    mp_trained_about(f->model, &info);
    assert_true(i > 4);
    assert_int_equal(sum, info.weights);
    float v;
    fails(MP_ERR_USAGE, "there is no weight", mp_trained_values(f->model, i, &v));
    free(saved.p);
}

static void an_explanation_is_drawn(void **state)
{
    const fixture *f = *state;
    static const char *const flat[] = { "pool=set2set", "hidden=8", "epochs=1", "batch-size=60", "threads=1", NULL };
    mp_predictor *p;
    mp_explanation why;
    mp_trained *m;
    const char *svg;
    must(mp_predictor_new(f->model, &p));
    must(mp_explain_data(p, f->data, 7, &why));
    must(mp_explain_svg(p, f->data, 7, "graph <7>", &svg));
    assert_int_equal(strncmp(svg, "<svg", 4), 0);
    assert_non_null(strstr(svg, "level 2"));
    assert_non_null(strstr(svg, "graph &lt;7&gt;"));
    assert_non_null(strstr(svg, "</svg>"));
    fails(MP_ERR_USAGE, "there is no graph 60", mp_explain_svg(p, f->data, GRAPHS, NULL, &svg));
    must(mp_explain_data(p, f->data, 7, &why)); /* usable as before */
    mp_predictor_free(p);
    must(mp_train(f->data, flat, NULL, &m, NULL));
    must(mp_predictor_new(m, &p));
    must(mp_explain_svg(p, f->data, 7, NULL, &svg)); /* nothing is dropped: no panels */
    assert_non_null(strstr(svg, "</svg>"));
    mp_predictor_free(p);
    mp_trained_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_come_back_and_make_the_same_set),
        cmocka_unit_test(some_graphs_come_back_with_numbers_of_their_own),
        cmocka_unit_test(names_and_ranges_of_labels_are_kept_and_checked),
        cmocka_unit_test(written_files_are_the_same_set),
        cmocka_unit_test(answers_do_not_look_at_labels_and_metrics_match_names),
        cmocka_unit_test(answers_for_some_graphs_are_those_for_all),
        cmocka_unit_test(lists_of_edges_may_come_in_any_order),
        cmocka_unit_test(listed_graphs_train_as_the_split_of_the_set),
        cmocka_unit_test(without_validation_graphs_a_tenth_validates),
        cmocka_unit_test(a_fold_says_what_its_graphs_are_for),
        cmocka_unit_test(impossible_splits_are_refused),
        cmocka_unit_test(weights_are_those_of_the_file),
        cmocka_unit_test(an_explanation_is_drawn),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
