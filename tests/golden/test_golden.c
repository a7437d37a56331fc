/* test_golden.c - the golden files pass, and the runner can fail: whatever is wrong with a file, it is seen
 * and said.
 *
 * Files are changed in memory, one thing at a time. Built once more with double numbers and a tighter
 * tolerance.
 * SPDX-License-Identifier: MIT */
#include "selftest/golden.h"
#include "model/safetensors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#ifdef MP_DOUBLE
#define TOLERANCE 1e-6 /* the files are float32 */
#else
#define TOLERANCE MP_GOLDEN_TOLERANCE
#endif

typedef struct file {
    mp_arena *arena;
    char *p; /* a copy that may be changed */
    size_t n;
    mp_safetensors s; /* of the copy */
} file;

static const char *folder(void)
{
    static char path[4096];
    const char *root = getenv("MIDPOOL_SOURCE");
    assert_non_null(root);
    snprintf(path, sizeof path, "%s/tests/golden/vectors", root);
    return path;
}

static file open_file(const char *name)
{
    file f = { .arena = mp_arena_new(1 << 20) };
    mp_span bytes;
    const char *path = mp_arena_printf(f.arena, "%s/%s.safetensors", folder(), name);
    assert_int_equal(mp_slurp(path, 0, f.arena, &bytes), MP_OK);
    f.p = mp_arena_text(f.arena, bytes.p, bytes.n);
    f.n = bytes.n;
    assert_int_equal(mp_safetensors_parse((mp_span){ f.p, f.n }, name, f.arena, &f.s), MP_OK);
    return f;
}

static void close_file(file *f)
{
    mp_arena_free(f->arena);
}

static mp_golden run(const file *f)
{
    mp_golden g;
    mp_golden_run((mp_span){ f->p, f->n }, "some/file", TOLERANCE, f->arena, &g);
    assert_true(g.verdict == MP_GOLDEN_PASSED ? !g.why : g.why && *g.why);
    return g;
}

static void must_fail(const file *f, const char *said)
{
    mp_golden g = run(f);
    if (g.verdict != MP_GOLDEN_FAILED) fail_msg("%s was not seen to be wrong (%s)", g.name, said);
    bool found = strstr(g.why, said) != NULL;
    for (const mp_golden_check *q = g.first; q; q = q->next) found = found || (q->wrong && strstr(q->wrong, said));
    if (!found) fail_msg("%s: '%s' does not say '%s'", g.name, g.why, said);
}

/* ---- changes ---- */

static void *numbers(file *f, const char *name, size_t *count)
{
    const mp_tensor *t = mp_safetensors_find(&f->s, name);
    if (!t) fail_msg("no tensor %s", name);
    *count = t->count;
    return f->p + ((const char *)t->data - f->p);
}

static void put_real(file *f, const char *name, size_t i, float v)
{
    size_t n;
    char *p = numbers(f, name, &n);
    assert_true(i < n);
    memcpy(p + 4 * i, &v, 4);
}

static float get_real(file *f, const char *name, size_t i)
{
    size_t n;
    float v;
    memcpy(&v, (char *)numbers(f, name, &n) + 4 * i, 4);
    return v;
}

static void put_int(file *f, const char *name, size_t i, int64_t v)
{
    size_t n;
    char *p = numbers(f, name, &n);
    assert_true(i < n);
    memcpy(p + 8 * i, &v, 8);
}

static int64_t get_int(file *f, const char *name, size_t i)
{
    size_t n;
    int64_t v;
    memcpy(&v, (char *)numbers(f, name, &n) + 8 * i, 8);
    return v;
}

static void swap_ints(file *f, const char *name, size_t i, size_t j)
{
    int64_t a = get_int(f, name, i), b = get_int(f, name, j);
    put_int(f, name, i, b);
    put_int(f, name, j, a);
}

/* Bytes of the header by others, as many. */
static void replace(file *f, const char *from, const char *to)
{
    assert_int_equal(strlen(from), strlen(to));
    char *at = memmem(f->p, f->n, from, strlen(from));
    if (!at) fail_msg("no '%s' in the header", from);
    memcpy(at, to, strlen(to));
}

/* Moves one number of a tensor by a thousandth of its largest: what the tolerance must never let pass. */
static void nudge(file *f, const mp_tensor *t)
{
    float most = 0;
    for (size_t i = 0; i < t->count; i++) most = fmaxf(most, fabsf(get_real(f, t->name, i)));
    size_t at = t->count / 2;
    put_real(f, t->name, at, get_real(f, t->name, at) + (most > 1e-10f ? 1e-3f * most : 1));
}

/* ---- the files as they are ---- */

static void every_file_passes_or_is_unknown(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(1 << 16), *b = mp_arena_new(1 << 16);
    const char *const *path;
    int n, passed = 0;
    assert_int_equal(mp_golden_list(folder(), a, &path, &n), MP_OK);
    for (int i = 0; i < n; i++) {
        mp_span bytes;
        mp_golden g;
        mp_arena_reset(b);
        assert_int_equal(mp_slurp(path[i], 0, b, &bytes), MP_OK);
        mp_golden_run(bytes, path[i], TOLERANCE, b, &g);
        if (g.verdict == MP_GOLDEN_FAILED) fail_msg("%s: %s", g.name, g.why);
        if (g.verdict == MP_GOLDEN_SKIPPED) fail_msg("%s is skipped: %s", g.name, g.why);
        passed += g.verdict == MP_GOLDEN_PASSED;
        assert_true(i == 0 || strcmp(path[i - 1], path[i]) < 0);
    }
    assert_true(passed >= 117);
    mp_arena_free(a);
    mp_arena_free(b);
}

static void folders_without_files_are_told_from_missing_ones(void **state)
{
    (void)state;
    char empty[] = "/tmp/golden_XXXXXX";
    mp_arena *a = mp_arena_new(1 << 12);
    const char *const *path;
    int n = -1;
    assert_non_null(mkdtemp(empty));
    assert_int_equal(mp_golden_list(empty, a, &path, &n), MP_OK);
    assert_int_equal(n, 0);
    rmdir(empty);
    assert_int_equal(mp_golden_list(empty, a, &path, &n), MP_ERR_IO);
    mp_arena_free(a);
}

/* ---- one number wrong ---- */

static const char *const one_of_each[] = {
    "gcn_conv_weighted", "graph_conv",          "gin_conv",         "le_conv",
    "spec_gat_conv",     "spec_le_conv",        "topk_pool_r25",    "sag_pool_r50",
    "asap_pool",         "mid_gsa_h3_drop",     "spec_topk_mid_h3", "spec_sag_mlp_h3",
    "spec_asap_two",     "spec_asap_weighted",  "spec_gsa_noedge",  "spec_vip",
    "spec_cgi_mid_h3",   "spec_hgpsl_weighted", "spec_rep_two",     "net_topk_h1",
};

static void every_output_and_gradient_is_compared(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof one_of_each / sizeof *one_of_each; c++) {
        file whole = open_file(one_of_each[c]);
        for (int i = 0; i < whole.s.tensors; i++) {
            const char *name = whole.s.tensor[i].name;
            if (strncmp(name, "out.", 4) != 0 && strncmp(name, "grad.", 5) != 0) continue;
            if (whole.s.tensor[i].count == 0) continue;
            file f = open_file(one_of_each[c]);
            if (f.s.tensor[i].dtype == MP_DTYPE_F32)
                nudge(&f, &f.s.tensor[i]);
            else
                put_int(&f, name, 0, get_int(&f, name, 0) + 1);
            must_fail(&f, name);
            close_file(&f);
        }
        close_file(&whole);
    }
}

static void a_number_that_is_none_is_a_difference(void **state)
{
    (void)state;
    static const char *const names[] = { "out.x", "out.score", "grad.x", "grad.w.P" };
    for (int i = 0; i < 4; i++) {
        file f = open_file("spec_topk");
        put_real(&f, names[i], 0, (float)NAN);
        must_fail(&f, names[i]);
        put_real(&f, names[i], 0, (float)INFINITY);
        must_fail(&f, names[i]);
        close_file(&f);
    }
}

static void the_order_of_kept_nodes_and_edges_matters(void **state)
{
    (void)state;
    file f = open_file("spec_topk");
    swap_ints(&f, "out.perm", 0, 1);
    must_fail(&f, "out.perm");
    close_file(&f);
    f = open_file("spec_topk");
    size_t n;
    numbers(&f, "out.edge_index", &n);
    swap_ints(&f, "out.edge_index", 0, 1);
    swap_ints(&f, "out.edge_index", n / 2, n / 2 + 1);
    must_fail(&f, "out.edge_index");
    close_file(&f);
}

static void weights_and_inputs_matter(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "spec_topk_mid_h3", "w.P" },
        { "spec_topk_mid_h3", "in.x" },
        { "spec_topk_mid_h3", "cot.x" },
        { "spec_asap_weighted", "cot.adj" },
        { "mid_gsa_h1", "cot.score" },
        { "spec_asap_weighted", "in.edge_weight" },
        { "gin_conv", "w.nn.2.weight" },
        { "net_topk_h1", "w.lin2.weight" },
        { "spec_asap_two", "w.1.att.weight" },
        { "sag_pool_r25", "w.gnn.lin.weight" },
        { "spec_vip", "w.Q" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        file f = open_file(cases[c][0]);
        for (size_t i = 0; i < 8; i++) put_real(&f, cases[c][1], i, get_real(&f, cases[c][1], i) + 0.25f);
        must_fail(&f, "differs");
        close_file(&f);
    }
    file f = open_file("spec_topk_mid_h3");
    for (size_t i = 0; i < 81; i++) put_int(&f, "in.drop", i, i % 2);
    must_fail(&f, "out.perm");
    close_file(&f);
    f = open_file("spec_vip");
    swap_ints(&f, "in.shuffle", 0, 1);
    must_fail(&f, "out.aux");
    put_int(&f, "in.shuffle", 0, 81);
    must_fail(&f, "in.shuffle has 81");
    close_file(&f);
    f = open_file("net_topk_h1");
    put_int(&f, "in.y", 0, (get_int(&f, "in.y", 0) + 1) % 3);
    must_fail(&f, "differs");
    close_file(&f);
    f = open_file("sag_pool_r25");
    put_real(&f, "w.select.weight", 0, -get_real(&f, "w.select.weight", 0));
    must_fail(&f, "out.perm");
    close_file(&f);
    f = open_file("asap_pool");
    put_real(&f, "w.select.weight", 0, -1);
    must_fail(&f, "not one positive number");
    close_file(&f);
}

/* ---- options and names ---- */

static void options_come_from_the_metadata(void **state)
{
    (void)state;
    static const char *const cases[][4] = {
        { "spec_topk", "ratio\\\": 0.5", "ratio\\\": 0.8", "out.perm" },
        { "spec_topk_mid_h3", "h\\\": 3,", "h\\\": 2,", "does not fit the model" },
        { "spec_topk_mid_h3", "h\\\": 3,", "h\\\": 0,", "expected a whole number from 1" },
        { "spec_sag_repeat_h3", "width\\\": \\\"repeat", "width\\\": \\\"rewind", "expected one of" },
        { "mid_gsa_h1", "alpha\\\": 0.6", "alpha\\\": 0.5", "differs" },
        { "net_topk_h1", "lr 5e-4", "lr 6e-4", "out.w5" },
        { "net_topk_h1", "decay 1e-4", "decay 1e-2", "out.w5" },
        { "net_topk_h1", "hidden\\\": 24", "hidden\\\": 23", "w.lin1.weight" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        file f = open_file(cases[c][0]);
        replace(&f, cases[c][1], cases[c][2]);
        must_fail(&f, cases[c][3]);
        close_file(&f);
    }
}

static void tensors_must_be_there_and_be_used(void **state)
{
    (void)state;
    static const char *const cases[][4] = {
        { "spec_topk", "\"w.P\"", "\"w.R\"", "w.P is missing" },
        { "spec_topk", "\"in.x\"", "\"in.z\"", "in.x is missing" },
        { "spec_topk", "\"in.ptr\"", "\"in.ptx\"", "in.ptr is missing" },
        { "spec_topk", "\"cot.x\"", "\"out.y\"", "out.y" },
        { "spec_topk", "\"cot.x\"", "\"w.two\"", "w.two" },
        { "spec_topk", "\"grad.w.P\"", "\"note.w.P\"", "grad.w.P is not in the file" },
        { "spec_asap_noedge", "\"grad.w.gnn_score.lin3.bias\"", "\"note.w.gnn_score.lin3.bias\"",
          "lin3.bias is not in the file" },
        { "net_topk_h1", "\"w.lin3.bias\"", "\"v.lin3.bias\"", "w.lin3.bias is missing" },
        { "net_topk_h1", "\"out.w5.lin3.bias\"", "\"out.v5.lin3.bias\"", "out.w5.lin3.bias is missing" },
        { "net_topk_h1", "\"in.y\"", "\"in.z\"", "in.y is missing" },
        { "spec_topk", "{\\\"case\\\":", "{\\\"cast\\\":", "does not name the case" },
        { "spec_topk", "\"case\"", "\"bass\"", "not a golden file" },
        { "spec_topk", "{\\\"case\\\":", "{\\\"case\\\";", "metadata 'case'" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        file f = open_file(cases[c][0]);
        replace(&f, cases[c][1], cases[c][2]);
        must_fail(&f, cases[c][3]);
        close_file(&f);
    }
}

static void unknown_cases_are_skipped_with_a_word(void **state)
{
    (void)state;
    file f = open_file("spec_topk");
    replace(&f, "\\\"spec_topk\\\"", "\\\"spec_none\\\"");
    mp_golden g = run(&f);
    assert_int_equal(g.verdict, MP_GOLDEN_SKIPPED);
    assert_string_equal(g.why, "unknown case");
    assert_string_equal(g.name, "spec_none");
    close_file(&f);
}

/* ---- files that make no sense ---- */

static void impossible_graphs_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *tensor;
        size_t at;
        int64_t value;
        const char *said;
    } cases[] = {
        { "in.edge_index", 0, -1, "outside" }, { "in.edge_index", 0, 80, "crosses graphs" },
        { "in.edge_index", 0, 81, "outside" }, { "in.edge_index", 0, INT64_MAX, "whole number" },
        { "in.ptr", 0, 1, "ascend" },          { "in.ptr", 1, 0, "ascend" },
        { "in.ptr", 8, 80, "ascend" },         { "in.ptr", 8, 82, "ascend" },
        { "in.ptr", 1, -5, "ascend" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        file f = open_file("spec_topk");
        put_int(&f, cases[c].tensor, cases[c].at, cases[c].value);
        must_fail(&f, cases[c].said);
        close_file(&f);
    }
    size_t n;
    file f = open_file("spec_topk");
    numbers(&f, "in.edge_index", &n);
    put_int(&f, "in.edge_index", n / 2, get_int(&f, "in.edge_index", n / 2 + 1));
    must_fail(&f, "is repeated");
    put_int(&f, "in.edge_index", n / 2, get_int(&f, "in.edge_index", 0));
    must_fail(&f, "no reverse");
    close_file(&f);
    f = open_file("net_topk_h1");
    put_int(&f, "in.y", 0, 3);
    must_fail(&f, "in.y has the label 3");
    close_file(&f);
    f = open_file("spec_topk");
    put_real(&f, "w.P", 0, (float)NAN);
    must_fail(&f, "w.P has the number");
    close_file(&f);
    f = open_file("spec_topk");
    put_real(&f, "in.x", 0, (float)NAN);
    must_fail(&f, "a score is not a number");
    close_file(&f);
}

static void shapes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][4] = {
        { "spec_topk", "\"w.P\":{\"dtype\":\"F32\",\"shape\":[16,1]", "\"w.P\":{\"dtype\":\"F32\",\"shape\":[1,16]",
          "w.P has the shape [1][16]" },
        { "spec_topk", "\"in.x\":{\"dtype\":\"F32\",\"shape\":[81,16]", "\"in.x\":{\"dtype\":\"F32\",\"shape\":[16,81]",
          "16 rows of in.x" },
        { "spec_topk", "\"shape\":[43,16]", "\"shape\":[16,43]", "has the shape [16][43], expected [43][16]" },
        { "spec_topk", "\"shape\":[2,246]", "\"shape\":[246,2]", "expected [2][edges]" },
        { "spec_topk_noedge", "\"shape\":[2,0]", "\"shape\":[0,2]", "expected [2][edges]" },
        { "gcn_conv", "\"grad.w.lin.weight\":{\"dtype\":\"F32\",\"shape\":[9,16]",
          "\"grad.w.lin.weight\":{\"dtype\":\"F32\",\"shape\":[16,9]", "does not fit the weight" },
        { "spec_topk", "\"out.x\":{\"dtype\":\"F32\"", "\"out.x\":{\"dtype\":\"I32\"", "expected F32" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        file f = open_file(cases[c][0]);
        replace(&f, cases[c][1], cases[c][2]);
        must_fail(&f, cases[c][3]);
        close_file(&f);
    }
}

/* Copies of exactly the length, so that a sanitizer sees a byte read behind the end. */
static mp_golden run_copy(const char *p, size_t n, mp_arena *a)
{
    char *copy = malloc(n ? n : 1);
    mp_golden g;
    assert_non_null(copy);
    memcpy(copy, p, n);
    mp_arena_reset(a);
    mp_golden_run((mp_span){ copy, n }, "copy", TOLERANCE, a, &g);
    free(copy);
    return g;
}

static void every_shortened_file_fails(void **state)
{
    (void)state;
    file f = open_file("spec_topk_noedge");
    mp_arena *a = mp_arena_new(1 << 16);
    for (size_t n = 0; n < f.n; n++) assert_int_equal(run_copy(f.p, n, a).verdict, MP_GOLDEN_FAILED);
    assert_int_equal(run_copy(f.p, f.n, a).verdict, MP_GOLDEN_PASSED);
    close_file(&f);
    f = open_file("spec_asap_weighted");
    for (size_t n = 0; n < f.n; n += 499) assert_int_equal(run_copy(f.p, n, a).verdict, MP_GOLDEN_FAILED);
    close_file(&f);
    mp_arena_free(a);
}

static void no_flipped_byte_is_more_than_a_verdict(void **state)
{
    (void)state;
    static const char *const names[] = { "spec_topk_noedge", "spec_asap_noedge" };
    mp_arena *a = mp_arena_new(1 << 16);
    for (int c = 0; c < 2; c++) {
        file f = open_file(names[c]);
        for (size_t i = 0; i < f.n; i++) {
            for (int bit = 0; bit < 8; bit += 3) {
                f.p[i] = (char)(f.p[i] ^ 1 << bit);
                (void)run_copy(f.p, f.n, a);
                f.p[i] = (char)(f.p[i] ^ 1 << bit);
            }
        }
        close_file(&f);
    }
    mp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_passes_or_is_unknown),
        cmocka_unit_test(folders_without_files_are_told_from_missing_ones),
        cmocka_unit_test(every_output_and_gradient_is_compared),
        cmocka_unit_test(a_number_that_is_none_is_a_difference),
        cmocka_unit_test(the_order_of_kept_nodes_and_edges_matters),
        cmocka_unit_test(weights_and_inputs_matter),
        cmocka_unit_test(options_come_from_the_metadata),
        cmocka_unit_test(tensors_must_be_there_and_be_used),
        cmocka_unit_test(unknown_cases_are_skipped_with_a_word),
        cmocka_unit_test(impossible_graphs_are_refused),
        cmocka_unit_test(shapes_that_do_not_fit_are_refused),
        cmocka_unit_test(every_shortened_file_fails),
        cmocka_unit_test(no_flipped_byte_is_more_than_a_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
