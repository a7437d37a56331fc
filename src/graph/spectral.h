/* spectral.h - spectral clustering of a weighted graph, the same on every machine and in every run.
 *
 * Eigenvectors of D^-1/2 W D^-1/2 for the K largest eigenvalues, rows divided by sqrt(degree), then k-means
 * with ten seeded starts (math.md 5.6).
 * SPDX-License-Identifier: MIT */
#ifndef MP_SPECTRAL_H
#define MP_SPECTRAL_H

#include "base/arena.h"

#include <stdint.h>

/* W: n x n, symmetric, no negative entries. cluster: n numbers in 0 .. K-1, 1 <= K <= n; every cluster has a
 * member, and clusters are numbered in the order of their lowest members. `stream` names the random numbers.
 */
void mp_spectral(mp_arena *scratch, const double *W, int n, int K, uint64_t stream, int *cluster);

/* k-means of n points with `dims` coordinates: best of ten starts by the sum of squared distances. */
void mp_kmeans(mp_arena *scratch, const double *point, int n, int dims, int K, uint64_t stream, int *cluster);

#endif
