/* eigen.h - eigenvalues and eigenvectors of a real symmetric matrix, with the same bits on every machine.
 *
 * Always double, and only + - * / and sqrt, which IEEE 754 rounds in one way. Householder reflections to a
 * tridiagonal matrix, then implicit QR steps with Wilkinson's shift (Golub & Van Loan, Matrix
 * Computations, 8.3).
 * SPDX-License-Identifier: MIT */
#ifndef MP_EIGEN_H
#define MP_EIGEN_H

/* A: n x n, symmetric, finite; its contents are lost. value: n, falling; vector: n x n, row i belongs to
 * value[i] and has length 1. work: 3 n numbers. */
void mp_eigen(double *A, int n, double *value, double *vector, double *work);

#endif
