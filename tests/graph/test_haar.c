/* test_haar.c - eigenvectors, spectral clustering, Haar bases and the file that keeps them.
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "baseline/haar.h"
#include "graph/eigen.h"
#include "graph/spectral.h"
#include "model/model.h"
#include "rig.h"
#include "option.h"

/* ---- eigenvectors */

typedef double entry_of(mp_rig *r, int n, int i, int j);

static double any(mp_rig *r, int n, int i, int j)
{
    (void)n;
    (void)i;
    (void)j;
    return mp_rng_between(&r->rng, -1, 1);
}
static double unit(mp_rig *r, int n, int i, int j)
{
    (void)r;
    (void)n;
    return i == j;
}
static double zero(mp_rig *r, int n, int i, int j)
{
    (void)r;
    (void)n;
    (void)i;
    (void)j;
    return 0;
}
static double path(mp_rig *r, int n, int i, int j)
{
    (void)r;
    (void)n;
    return abs(i - j) == 1;
}
static double full(mp_rig *r, int n, int i, int j) /* one eigenvalue n, the others all 0 */
{
    (void)r;
    (void)n;
    (void)i;
    (void)j;
    return 1;
}
static double graded(mp_rig *r, int n, int i, int j) /* entries from 1 down to 1e-20 */
{
    (void)r;
    return pow(10, -20.0 * (i + j) / (2.0 * n)) * (i == j ? 1 : 0.5);
}

static void check_eigen(int n, const double *A, const double *value, const double *vector)
{
    double norm = 1e-300;
    for (int i = 0; i < n * n; i++) norm = fmax(norm, fabs(A[i]));
    for (int k = 0; k < n; k++) {
        const double *v = vector + k * n;
        if (k) assert_true(value[k] <= value[k - 1]);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++) sum += A[i * n + j] * v[j];
            assert_true(fabs(sum - value[k] * v[i]) <= 1e-14 * n * norm);
        }
        for (int l = 0; l <= k; l++) {
            double dot = 0;
            for (int i = 0; i < n; i++) dot += v[i] * vector[l * n + i];
            assert_true(fabs(dot - (k == l)) <= 1e-14 * n);
        }
    }
}

static void eigenvectors_are_orthonormal_and_right(void **state)
{
    static const int sizes[] = { 1, 2, 3, 4, 17, 64, 130 };
    static entry_of *const kinds[] = { any, unit, zero, path, full, graded };
    (void)state;
    mp_rig r = mp_rig_new(1);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            int n = sizes[s];
            double *A = MP_NEW(r.memory, double, n *n), *copy = MP_NEW(r.memory, double, n *n);
            double *value = MP_NEW(r.memory, double, n), *vector = MP_NEW(r.memory, double, n *n);
            for (int i = 0; i < n; i++)
                for (int j = 0; j <= i; j++) A[i * n + j] = A[j * n + i] = kinds[k](&r, n, i, j);
            memcpy(copy, A, sizeof *A * (size_t)(n * n));
            mp_eigen(copy, n, value, vector, MP_NEW(r.memory, double, 3 * n));
            check_eigen(n, A, value, vector);
        }
    }
    mp_rig_free(&r);
}

/* ---- clusters */

static void check_clusters(const int *cluster, int n, int K)
{
    int next = 0;
    for (int i = 0; i < n; i++) { /* numbered in the order of their lowest members */
        assert_in_range(cluster[i], 0, next);
        next += cluster[i] == next;
    }
    assert_int_equal(next, K);
}

static void kmeans_finds_clusters_that_are_apart(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(2);
    double point[60];
    int cluster[30];
    for (int i = 0; i < 30; i++) {
        point[2 * i] = 10 * (i % 3) + mp_rng_between(&r.rng, -1, 1);
        point[2 * i + 1] = mp_rng_between(&r.rng, -1, 1);
    }
    mp_kmeans(r.memory, point, 30, 2, 3, 0, cluster);
    for (int i = 0; i < 30; i++) assert_int_equal(cluster[i], i % 3);
    for (int K = 1; K <= 30; K++) {
        mp_kmeans(r.memory, point, 30, 2, K, 1, cluster);
        check_clusters(cluster, 30, K);
    }
    memset(point, 0, sizeof point); /* all points the same: still K clusters */
    for (int K = 1; K <= 30; K++) {
        mp_kmeans(r.memory, point, 30, 2, K, 1, cluster);
        check_clusters(cluster, 30, K);
    }
    mp_rig_free(&r);
}

/* More clusters than the starts find: which of them it ends in follows from the stream alone, and prepared bases with it. */
static void starts_of_kmeans_are_the_same_everywhere(void **state)
{
    (void)state;
    enum { N = 200, K = 40 };
    static const uint64_t frozen[] = { 0x362bd08ff2311b3f, 0xb6cd34d0ad9f5f55 };
    mp_rig r = mp_rig_new(5);
    double point[2 * N];
    int cluster[N];
    for (int i = 0; i < 2 * N; i++) point[i] = mp_rng_between(&r.rng, 0, 1);
    for (uint64_t stream = 0; stream < 2; stream++) {
        uint64_t sum = 0;
        mp_kmeans(r.memory, point, N, 2, K, stream, cluster);
        check_clusters(cluster, N, K);
        for (int i = 0; i < N; i++) sum = mp_rng_mix(sum + (uint64_t)cluster[i]);
        if (sum != frozen[stream]) fail_msg("stream %d: 0x%016llx", (int)stream, (unsigned long long)sum);
    }
    mp_rig_free(&r);
}

static void two_cliques_are_two_clusters(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(3);
    double W[100] = { 0 };
    int cluster[10];
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++) W[i * 10 + j] = i != j && i % 2 == j % 2;
    W[1] = W[10] = 1; /* one edge between them */
    mp_spectral(r.memory, W, 10, 2, 0, cluster);
    for (int i = 0; i < 10; i++) assert_int_equal(cluster[i], i % 2);
    memset(W, 0, sizeof W); /* no edges */
    mp_spectral(r.memory, W, 10, 6, 0, cluster);
    check_clusters(cluster, 10, 6);
    mp_rig_free(&r);
}

/* ---- bases */

static double *dense(mp_rig *r, const mp_chain *c, int l, int cols)
{
    mp_haar h;
    mp_haar_basis(r->memory, c, l, cols, &h);
    assert_int_equal(h.cols, cols);
    assert_int_equal(h.rows, c->size[l]);
    double *U = MP_NEW(r->memory, double, h.rows *cols);
    for (int k = 0; k < cols; k++)
        for (int i = h.ptr[k]; i < h.ptr[k + 1]; i++) U[h.row[i] * cols + k] += h.value[i];
    return U;
}

static void the_basis_of_four_nodes_is_that_of_the_specification(void **state)
{
    static const int size[] = { 4, 2, 1 }, low[] = { 0, 0, 1, 1 }, high[] = { 0, 0 };
    static const int *const parent[] = { low, high };
    static const double want[4][4] = { { 0.5, 0.5, 0.5, 0.5 },
                                       { 0.5, 0.5, -0.5, -0.5 },
                                       { 0.70710678118654752, -0.70710678118654752, 0, 0 },
                                       { 0, 0, 0.70710678118654752, -0.70710678118654752 } };
    (void)state;
    mp_rig r = mp_rig_new(4);
    mp_chain c = { 2, size, parent };
    const double *U = dense(&r, &c, 0, 4);
    for (int k = 0; k < 4; k++)
        for (int v = 0; v < 4; v++) assert_true(fabs(U[v * 4 + k] - want[k][v]) < 1e-15);
    mp_rig_free(&r);
}

/* math.md 5.6 written out densely, from the top: an independent way to the same numbers. */
static double *reference(mp_rig *r, const mp_chain *c, int l)
{
    int n = c->size[l];
    double *U = MP_NEW(r->memory, double, n *n);
    if (l == c->levels) {
        U[0] = 1;
        return U;
    }
    int K = c->size[l + 1], col = K, *count = MP_NEW(r->memory, int, K);
    const double *above = reference(r, c, l + 1);
    for (int v = 0; v < n; v++) count[c->parent[l][v]]++;
    for (int v = 0; v < n; v++) {
        int q = c->parent[l][v];
        for (int k = 0; k < K; k++) U[v * n + k] = above[q * K + k] / sqrt(count[q]);
    }
    for (int q = 0; q < K; q++) {
        for (int j = 1; j < count[q]; j++, col++) {
            int m = count[q], seen = 0;
            double root = sqrt((double)(m - j) / (m - j + 1));
            for (int v = 0; v < n; v++) {
                if (c->parent[l][v] != q) continue;
                if (seen == j - 1) U[v * n + col] = root;
                if (seen >= j) U[v * n + col] = -root / (m - j);
                seen++;
            }
        }
    }
    assert_int_equal(col, n);
    return U;
}

static void bases_are_orthonormal_and_equal_a_dense_reference(void **state)
{
    static const int sizes[] = { 1, 2, 3, 8, 23, 40 };
    (void)state;
    mp_rig r = mp_rig_new(5);
    mp_graph g = mp_rig_graph(&r, 6, sizes, 0.15, 0);
    for (int b = 0; b < 6; b++) {
        for (int levels = 1; levels <= 5; levels++) {
            mp_chain c;
            mp_chain_make(r.memory, r.memory, &g, b, levels, &c);
            for (int l = 0; l <= levels; l++) {
                int n = c.size[l];
                if (l < levels) check_clusters(c.parent[l], n, c.size[l + 1]);
                if (l) assert_int_equal(n, l < levels && c.size[l - 1] > 2 ? c.size[l - 1] / 2 + 1 : 1);
                const double *U = dense(&r, &c, l, n), *want = reference(&r, &c, l);
                for (int i = 0; i < n * n; i++) assert_true(fabs(U[i] - want[i]) < 1e-14);
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < n; j++) {
                        double dot = 0;
                        for (int v = 0; v < n; v++) dot += U[v * n + i] * U[v * n + j];
                        assert_true(fabs(dot - (i == j)) < 1e-14);
                    }
                }
            }
        }
    }
    mp_rig_free(&r);
}

/* ---- pooling a batch */

static void pooled_features_equal_the_dense_product(void **state)
{
    static const int sizes[] = { 9, 1, 20, 2 };
    (void)state;
    mp_rig r = mp_rig_new(6);
    mp_graph g = mp_rig_graph(&r, 4, sizes, 0.25, 0);
    mp_mat *x = mp_rig_mat(&r, g.nodes, 7);
    mp_ctx c = { .arena = r.memory, .k = mp_kernels_get() };
    mp_haar_graph made[4];
    const mp_haar_graph *basis[4];
    for (int b = 0; b < 4; b++) {
        mp_chain_make(r.memory, r.memory, &g, b, 2, &made[b].chain);
        made[b].phi = mp_haar_phis(r.memory, r.memory, &made[b].chain);
        basis[b] = &made[b];
    }
    mp_haar_pooled p = mp_haar_pool_run(&c, basis, 0, &g, x);
    assert_int_equal(mp_graph_check(p.g), MP_OK);
    for (int b = 0; b < 4; b++) {
        int n = sizes[b], K = made[b].chain.size[1], first = g.node_ptr[b], to = p.g->node_ptr[b];
        const double *U = reference(&r, &made[b].chain, 0);
        assert_int_equal(p.g->node_ptr[b + 1] - to, K);
        for (int k = 0; k < K; k++) {
            for (int j = 0; j < 7; j++) {
                double sum = 0;
                for (int v = 0; v < n; v++) sum += U[v * n + k] * (double)x->v[(first + v) * 7 + j];
                assert_true(fabs(sum - (double)p.x->v[(to + k) * 7 + j]) < 1e-5);
            }
            for (int q = 0; q < K; q++) { /* joined where members are */
                bool joined = false, found = false;
                for (int v = 0; v < n; v++)
                    for (int e = g.row_ptr[first + v]; e < g.row_ptr[first + v + 1]; e++)
                        joined |=
                            k != q && made[b].chain.parent[0][v] == k && made[b].chain.parent[0][g.col[e] - first] == q;
                for (int e = p.g->row_ptr[to + k]; e < p.g->row_ptr[to + k + 1]; e++) found |= p.g->col[e] == to + q;
                assert_int_equal(joined, found);
            }
        }
    }
    mp_rig_free(&r);
}

/* ---- bases made once */

typedef struct heard {
    int progress, notes, done, total; /* calls; what the last one said */
} heard;

static void on_progress(void *state, int done, int total)
{
    heard *h = state;
    assert_in_range(done, h->done + 1, total);
    h->progress++;
    h->done = done;
    h->total = total;
}

static void on_note(void *state, const char *line)
{
    assert_true(strlen(line) > 0);
    ((heard *)state)->notes++;
}

static const mp_haar_store *prepare(mp_rig *r, const mp_graph *g, int levels, int threads, const char *cache, heard *h)
{
    mp_config conf;
    mp_graph all = *g;
    mp_config_init(&conf);
    strcpy(conf.pool, "haar");
    char text[12];
    snprintf(text, sizeof text, "%d", levels);
    option_set(&conf, "haar-levels", text);
    *h = (heard){ 0 };
    mp_prepare how = { threads, 77, cache, on_progress, on_note, h };
    all.extra = NULL;
    assert_int_equal(mp_config_prepare(&conf, &how, r->memory, &all), MP_OK);
    return all.extra;
}

static void assert_same(const mp_graph *g, const mp_haar_store *a, const mp_haar_store *b)
{
    assert_int_equal(a->levels, b->levels);
    for (int i = 0; i < g->graphs; i++) {
        for (int l = 0; l < a->levels; l++) {
            int n = a->graph[i].chain.size[l];
            const mp_haar_phi *p = &a->graph[i].phi[l], *q = &b->graph[i].phi[l];
            assert_memory_equal(a->graph[i].chain.parent[l], b->graph[i].chain.parent[l], (size_t)n * sizeof(int));
            assert_memory_equal(p->ptr, q->ptr, (size_t)(n + 1) * sizeof(int));
            assert_memory_equal(p->value, q->value, (size_t)p->ptr[n] * sizeof(mp_real));
        }
    }
}

static mp_graph some_graphs(mp_rig *r)
{
    int sizes[40];
    for (int b = 0; b < 40; b++) sizes[b] = 1 + b;
    return mp_rig_graph(r, 40, sizes, 0.12, 0);
}

static void prepared_bases_are_those_made_on_the_way(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(7);
    heard h;
    mp_graph g = some_graphs(&r);
    const mp_haar_store *one = prepare(&r, &g, 3, 1, NULL, &h);
    assert_true(h.progress > 0);
    assert_same(&g, one, prepare(&r, &g, 3, 2, NULL, &h));
    assert_same(&g, one, prepare(&r, &g, 3, 5, NULL, &h));
    for (int b = 0; b < g.graphs; b++) {
        mp_chain c;
        mp_chain_make(r.memory, r.memory, &g, b, 3, &c);
        for (int l = 0; l < 3; l++)
            assert_memory_equal(c.parent[l], one->graph[b].chain.parent[l], (size_t)c.size[l] * sizeof(int));
    }
    assert_null(prepare(&r, &g, 1, 1, NULL, &h)); /* one cluster: nothing to prepare */
    mp_rig_free(&r);
}

/* A report for each chunk of graphs: a hundredth of them, but four a thread at least. The last one says that all are done. */
static void progress_is_told_a_hundred_times_at_most(void **state)
{
    (void)state;
    static const struct {
        int graphs, threads, reports;
    } cases[] = { { 4, 1, 1 }, { 5, 1, 2 }, { 9, 2, 2 }, { 16, 2, 2 }, { 400, 1, 80 }, { 399, 1, 100 } };
    mp_rig r = mp_rig_new(9);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int *sizes = MP_NEW(r.memory, int, cases[i].graphs);
        for (int b = 0; b < cases[i].graphs; b++) sizes[b] = 1 + b % 3;
        mp_graph g = mp_rig_graph(&r, cases[i].graphs, sizes, 0.5, 0);
        heard h;
        prepare(&r, &g, 2, cases[i].threads, NULL, &h);
        assert_int_equal(h.progress, cases[i].reports);
        assert_int_equal(h.done, cases[i].graphs);
        assert_int_equal(h.total, cases[i].graphs);
    }
    mp_rig_free(&r);
}

static const char *only_file(mp_rig *r, const char *folder)
{
    const char *found = NULL;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.') continue;
        assert_null(found);
        found = mp_arena_printf(r->memory, "%s/%s", folder, e->d_name);
    }
    closedir(d);
    assert_non_null(found);
    return found;
}

static void put_file(const char *path, const char *p, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void a_damaged_file_is_made_again(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(8);
    heard h;
    mp_span good, now;
    char folder[] = "/tmp/midpool-haar-XXXXXX";
    assert_non_null(mkdtemp(folder));
    mp_graph g = some_graphs(&r);
    const mp_haar_store *first = prepare(&r, &g, 2, 1, folder, &h);
    assert_true(h.progress > 0);
    const char *path = only_file(&r, folder);
    assert_int_equal(mp_slurp(path, 0, r.memory, &good), MP_OK);
    assert_same(&g, first, prepare(&r, &g, 2, 1, folder, &h));
    assert_int_equal(h.progress, 0); /* read, not made */
    for (int i = 0; i < 12; i++) {
        char *bad = mp_arena_text(r.memory, good.p, good.n);
        size_t n = i < 3 ? (size_t)i * good.n / 3 : good.n;
        if (i >= 3) bad[(size_t)(i - 3) * (good.n - 1) / 8] ^= 1;
        put_file(path, bad, n);
        assert_same(&g, first, prepare(&r, &g, 2, 1, folder, &h));
        assert_true(h.progress > 0);
        assert_int_equal(mp_slurp(path, 0, r.memory, &now), MP_OK);
        assert_int_equal(now.n, good.n);
        assert_memory_equal(now.p, good.p, good.n);
    }
    unlink(path);
    rmdir(folder);
    assert_same(&g, first, prepare(&r, &g, 2, 1, folder, &h)); /* no such folder: a line, and the bases */
    assert_int_equal(h.notes, 1);
    mp_rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvectors_are_orthonormal_and_right),
        cmocka_unit_test(kmeans_finds_clusters_that_are_apart),
        cmocka_unit_test(starts_of_kmeans_are_the_same_everywhere),
        cmocka_unit_test(two_cliques_are_two_clusters),
        cmocka_unit_test(the_basis_of_four_nodes_is_that_of_the_specification),
        cmocka_unit_test(bases_are_orthonormal_and_equal_a_dense_reference),
        cmocka_unit_test(pooled_features_equal_the_dense_product),
        cmocka_unit_test(prepared_bases_are_those_made_on_the_way),
        cmocka_unit_test(progress_is_told_a_hundred_times_at_most),
        cmocka_unit_test(a_damaged_file_is_made_again),
    };
    return cmocka_run_group_tests_name("haar", tests, NULL, NULL);
}
