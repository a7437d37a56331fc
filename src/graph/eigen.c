/* eigen.c - see eigen.h. Vectors are kept as rows, so that reflections and rotations run along memory.
 * SPDX-License-Identifier: MIT */
#include "graph/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_STEPS 60 /* a value; two or three are usual */

static double dot(const double *a, const double *b, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

/* x becomes the v of H = I - beta v v^T with H x = alpha e_1. Returns beta, 0 when x is a multiple of e_1
 * already. */
static double reflector(double *x, int n, double *alpha)
{
    double rest = dot(x + 1, x + 1, n - 1);
    *alpha = x[0];
    if (rest == 0) return 0;
    double norm = sqrt(x[0] * x[0] + rest);
    *alpha = x[0] > 0 ? -norm : norm;
    x[0] -= *alpha;
    return 2 / (x[0] * x[0] + rest);
}

/* A <- H A H on the rows and columns after k, v being the reflector: A - v w^T - w v^T, w = p - (beta/2)(p.v)
 * v, p = beta A v. */
static void reflect_both(double *A, int n, int k, double beta, const double *v, double *w)
{
    int m = n - k - 1;
    for (int i = 0; i < m; i++) w[i] = beta * dot(A + (size_t)(k + 1 + i) * (size_t)n + k + 1, v, m);
    double half = beta / 2 * dot(w, v, m);
    for (int i = 0; i < m; i++) w[i] -= half * v[i];
    for (int i = 0; i < m; i++) {
        double *row = A + (size_t)(k + 1 + i) * (size_t)n + k + 1, vi = v[i], wi = w[i];
        for (int j = 0; j < m; j++) row[j] -= vi * w[j] + wi * v[j];
    }
}

/* Diagonal d, off-diagonal e; row k of A keeps the reflector behind its diagonal. */
static void tridiagonal(double *A, int n, double *d, double *e, double *beta, double *w)
{
    for (int k = 0; k < n - 1; k++) {
        double *v = A + (size_t)k * (size_t)n + k + 1;
        d[k] = A[(size_t)k * (size_t)n + k];
        beta[k] = reflector(v, n - k - 1, &e[k]);
        if (beta[k] != 0) reflect_both(A, n, k, beta[k], v, w);
    }
    if (n) d[n - 1] = A[(size_t)n * (size_t)n - 1];
}

/* Rows = columns of the product of the reflectors, built from the last to the first: only the rows after k
 * are not yet those of the unit matrix. */
static void gather(const double *A, int n, const double *beta, double *Z)
{
    memset(Z, 0, (size_t)n * (size_t)n * sizeof *Z);
    for (int i = 0; i < n; i++) Z[(size_t)i * (size_t)n + i] = 1;
    for (int k = n - 2; k >= 0; k--) {
        const double *v = A + (size_t)k * (size_t)n + k + 1;
        int m = n - k - 1;
        for (int r = k + 1; beta[k] != 0 && r < n; r++) {
            double *row = Z + (size_t)r * (size_t)n + k + 1, s = beta[k] * dot(row, v, m);
            for (int j = 0; j < m; j++) row[j] -= s * v[j];
        }
    }
}

/* One implicit QR step on lo..hi: a rotation makes a bulge, the next ones chase it out at the end. */
static void step(double *d, double *e, int lo, int hi, double *Z, int n)
{
    double t = (d[hi - 1] - d[hi]) / 2, last = e[hi - 1], root = sqrt(t * t + last * last);
    double shift = d[hi] - last * last / (t < 0 ? t - root : t + root), x = d[lo] - shift, z = e[lo];
    for (int k = lo; k < hi; k++) {
        double r = sqrt(x * x + z * z), c = r > 0 ? x / r : 1, s = r > 0 ? z / r : 0;
        double d0 = d[k], d1 = d[k + 1], e0 = e[k];
        if (k > lo) e[k - 1] = r;
        d[k] = c * c * d0 + 2 * c * s * e0 + s * s * d1;
        d[k + 1] = s * s * d0 - 2 * c * s * e0 + c * c * d1;
        e[k] = c * s * (d1 - d0) + (c * c - s * s) * e0;
        if (k < hi - 1) {
            x = e[k];
            z = s * e[k + 1];
            e[k + 1] *= c;
        }
        double *a = Z + (size_t)k * (size_t)n, *b = a + n;
        for (int j = 0; j < n; j++) {
            double p = a[j], q = b[j];
            a[j] = c * p + s * q;
            b[j] = c * q - s * p;
        }
    }
}

/* Off-diagonal entries below rounding of the whole matrix are 0: values are right to that, vectors stay
 * orthonormal. */
static void diagonal(double *d, double *e, int n, double *Z)
{
    double size = 0;
    for (int i = 0; i < n; i++) {
        double here = fabs(d[i]) + (i < n - 1 ? fabs(e[i]) : 0);
        size = here > size ? here : size;
    }
    double tiny = size * DBL_EPSILON;
    int hi = n - 1;
    for (int steps = 0; hi > 0 && steps < MOST_STEPS * n; steps++) {
        while (hi > 0 && fabs(e[hi - 1]) <= tiny) hi--;
        if (hi == 0) break;
        int lo = hi - 1;
        while (lo > 0 && fabs(e[lo - 1]) > tiny) lo--;
        step(d, e, lo, hi, Z, n);
    }
}

/* Falling values; rows go along. Selection: n swaps of rows at most. */
static void sort_values(double *value, double *Z, int n)
{
    for (int i = 0; i < n - 1; i++) {
        int best = i;
        for (int j = i + 1; j < n; j++)
            if (value[j] > value[best]) best = j;
        if (best == i) continue;
        double t = value[i], *a = Z + (size_t)i * (size_t)n, *b = Z + (size_t)best * (size_t)n;
        value[i] = value[best];
        value[best] = t;
        for (int k = 0; k < n; k++) {
            t = a[k];
            a[k] = b[k];
            b[k] = t;
        }
    }
}

void mp_eigen(double *A, int n, double *value, double *vector, double *work)
{
    double *e = work, *beta = work + n, *w = work + 2 * (size_t)n;
    tridiagonal(A, n, value, e, beta, w);
    gather(A, n, beta, vector);
    diagonal(value, e, n, vector);
    sort_values(value, vector, n);
}
