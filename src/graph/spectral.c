/* spectral.c - see spectral.h. Sums run in index order and ties go to the lower index, so that there is one
 * result.
 * SPDX-License-Identifier: MIT */
#include "graph/spectral.h"
#include "base/err.h"
#include "base/rng.h"
#include "graph/eigen.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define STARTS      10
#define MOST_ROUNDS 100

typedef struct kmeans {
    const double *point;
    int n, dims, K;
    double *centre, *away; /* K x dims; n: squared distance to the centre a point belongs to */
    int *cluster, *size;   /* n; K */
} kmeans;

/* The squared distance, or any number above `enough` once it is clear that it will be above: most centres are
 * far away, and a few coordinates show it. */
static double squared(const double *a, const double *b, int dims, double enough)
{
    double s = 0;
    for (int k = 0; k < dims && s <= enough;) {
        int end = dims - k < 8 ? dims : k + 8;
        for (; k < end; k++) s += (a[k] - b[k]) * (a[k] - b[k]);
    }
    return s;
}

static const double *point_at(const kmeans *m, int i)
{
    return m->point + (size_t)i * (size_t)m->dims;
}

static double *centre_at(const kmeans *m, int q)
{
    return m->centre + (size_t)q * (size_t)m->dims;
}

static void set_centre(kmeans *m, int q, int from)
{
    memcpy(centre_at(m, q), point_at(m, from), (size_t)m->dims * sizeof(double));
}

/* First centres far from each other: each is a point drawn with chances by its squared distance to those
 * there are (k-means++, Arthur & Vassilvitskii 2007). */
static void seed_centres(kmeans *m, mp_rng *r)
{
    set_centre(m, 0, mp_rng_below(r, m->n));
    for (int i = 0; i < m->n; i++) m->away[i] = squared(point_at(m, i), m->centre, m->dims, DBL_MAX);
    for (int q = 1; q < m->K; q++) {
        double total = 0;
        for (int i = 0; i < m->n; i++) total += m->away[i];
        double left = mp_rng_unit(r) * total;
        int pick = 0;
        for (int i = 0; i < m->n; i++) { /* the last point with a chance, should rounding run past it */
            if (!(m->away[i] > 0)) continue;
            pick = i;
            left -= m->away[i];
            if (left < 0) break;
        }
        set_centre(m, q, pick);
        for (int i = 0; i < m->n; i++) {
            double d = squared(point_at(m, i), centre_at(m, q), m->dims, m->away[i]);
            if (d < m->away[i]) m->away[i] = d;
        }
    }
}

/* Every point to its nearest centre, of equal ones the lower. The centre it has is tried first, because it is
 * the nearest most of the time and then the others are soon known to be farther. True when a point moved. */
static bool assign(kmeans *m)
{
    bool moved = false;
    memset(m->size, 0, (size_t)m->K * sizeof(int));
    for (int i = 0; i < m->n; i++) {
        int had = m->cluster[i], best = had < 0 ? 0 : had;
        double least = squared(point_at(m, i), centre_at(m, best), m->dims, DBL_MAX);
        for (int q = 0; q < m->K; q++) {
            if (q == best) continue;
            double d = squared(point_at(m, i), centre_at(m, q), m->dims, least);
            if (d > least || (d == least && q > best)) continue;
            least = d;
            best = q;
        }
        moved |= had != best;
        m->cluster[i] = best;
        m->away[i] = least;
        m->size[best]++;
    }
    return moved;
}

/* A cluster without members gets the point that is farthest from its centre, of those that leave no cluster
 * empty. */
static bool fill_empty(kmeans *m)
{
    bool moved = false;
    for (int q = 0; q < m->K; q++) {
        if (m->size[q]) continue;
        int far = -1;
        for (int i = 0; i < m->n; i++)
            if (m->size[m->cluster[i]] > 1 && (far < 0 || m->away[i] > m->away[far])) far = i;
        m->size[m->cluster[far]]--;
        m->size[q] = 1;
        m->cluster[far] = q;
        m->away[far] = 0;
        moved = true;
    }
    return moved;
}

static void move_centres(kmeans *m)
{
    size_t dims = (size_t)m->dims;
    memset(m->centre, 0, (size_t)m->K * dims * sizeof(double));
    for (int i = 0; i < m->n; i++) {
        double *c = centre_at(m, m->cluster[i]);
        for (int k = 0; k < m->dims; k++) c[k] += point_at(m, i)[k];
    }
    for (int q = 0; q < m->K; q++)
        for (int k = 0; k < m->dims; k++) m->centre[(size_t)q * dims + (size_t)k] /= m->size[q];
}

/* One start; returns the sum of squared distances. */
static double descend(kmeans *m, mp_rng *r)
{
    seed_centres(m, r);
    for (int i = 0; i < m->n; i++) m->cluster[i] = -1;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        bool moved = assign(m), filled = fill_empty(m);
        if (!moved && !filled) break;
        move_centres(m);
    }
    double sum = 0;
    for (int i = 0; i < m->n; i++) sum += squared(point_at(m, i), centre_at(m, m->cluster[i]), m->dims, DBL_MAX);
    return sum;
}

static void number_by_lowest(int *cluster, int n, int K, int *name)
{
    int next = 0;
    for (int q = 0; q < K; q++) name[q] = -1;
    for (int i = 0; i < n; i++) {
        if (name[cluster[i]] < 0) name[cluster[i]] = next++;
        cluster[i] = name[cluster[i]];
    }
}

void mp_kmeans(mp_arena *scratch, const double *point, int n, int dims, int K, uint64_t stream, int *cluster)
{
    mp_assert(K >= 1 && K <= n && dims >= 1);
    mp_arena_mark here = mp_arena_here(scratch);
    kmeans m = { point,
                 n,
                 dims,
                 K,
                 MP_NEW(scratch, double, (size_t)K *(size_t)dims),
                 MP_NEW(scratch, double, n),
                 MP_NEW(scratch, int, n),
                 MP_NEW(scratch, int, K) };
    double least = 0;
    for (int start = 0; start < STARTS; start++) {
        mp_rng r = mp_rng_stream(0, MP_FOR_DATA, stream, (uint64_t)start, 0);
        double sum = descend(&m, &r);
        if (start && !(sum < least)) continue;
        least = sum;
        memcpy(cluster, m.cluster, (size_t)n * sizeof(int));
    }
    number_by_lowest(cluster, n, K, m.size);
    mp_arena_back(scratch, here);
}

/* 1/sqrt of the row sums; 0 for a node without edges. */
static void root_degrees(const double *W, int n, double *root)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += W[(size_t)i * (size_t)n + (size_t)j];
        root[i] = sum > 0 ? 1 / sqrt(sum) : 0;
    }
}

void mp_spectral(mp_arena *scratch, const double *W, int n, int K, uint64_t stream, int *cluster)
{
    mp_assert(K >= 1 && K <= n);
    mp_arena_mark here = mp_arena_here(scratch);
    size_t N = (size_t)n;
    double *root = MP_NEW_RAW(scratch, double, N), *A = MP_NEW_RAW(scratch, double, N *N);
    double *value = MP_NEW_RAW(scratch, double, N), *vector = MP_NEW_RAW(scratch, double, N *N);
    double *work = MP_NEW_RAW(scratch, double, 3 * N), *point = MP_NEW_RAW(scratch, double, N *(size_t)K);
    root_degrees(W, n, root);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) A[i * N + j] = root[i] * root[j] * W[i * N + j];
    mp_eigen(A, n, value, vector, work);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < (size_t)K; k++) point[i * (size_t)K + k] = root[i] * vector[k * N + i];
    mp_kmeans(scratch, point, n, K, K, stream, cluster);
    mp_arena_back(scratch, here);
}
