/* distribution.h - how probable it is that chance alone goes so far: tails of four distributions, and the inverses that
 * intervals need. Relative errors are below 1e-12 wherever the result is not so small that double loses digits.
 *
 * Degrees of freedom are positive and need not be whole numbers. NAN in, NAN out.
 * SPDX-License-Identifier: MIT */
#ifndef MP_DISTRIBUTION_H
#define MP_DISTRIBUTION_H

/* I_x(a, b), the regularised incomplete beta function, at x with y = 1 - x: both are given, since one of them is small and
 * exact where the other is rounded. Q(a, x) = Gamma(a, x) / Gamma(a). */
double mp_beta_part(double x, double y, double a, double b);
double mp_gamma_above(double a, double x);

double mp_normal_above(double z);                              /* P(Z > z)           */
double mp_t_beyond(double t, double freedom);                  /* P(|T| > |t|)       */
double mp_chi2_above(double x, double freedom);                /* P(X > x), x >= 0   */
double mp_f_above(double x, double freedom1, double freedom2); /* P(F > x), x >= 0   */
double mp_range_above(double q, int k); /* P(largest - smallest of k normal numbers > q), q >= 0, k >= 2 */

/* The t and the q beyond which chance goes with probability p, 0 < p < 1. */
double mp_t_limit(double p, double freedom);
double mp_range_limit(double p, int k);

#endif
