/* distribution.c - the incomplete beta and gamma functions, and the distributions made of them.
 *
 *     I_x(a, b) = x^a y^b / (a B(a, b)) / (1 + d1 / (1 + d2 / (1 + ...)))      d: ratios of a, b and x
 *     P(a, x)   = x^a e^-x / Gamma(a) sum over n of x^n / (a (a+1) ... (a+n))  for x < a + 1, else Q by its fraction
 *
 * What stands before the fractions and sums is a binomial or Poisson probability of "a" successes, written as Loader does
 * (2000): Stirling's formula, its error, and a deviance. Differences of logarithms of Gamma would lose their digits to
 * cancellation once a is some hundreds.
 * SPDX-License-Identifier: MIT */
#include "study/distribution.h"

#include "base/err.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define PI       3.14159265358979323846
#define MOST     100000 /* terms of a sum or fraction: far more than any that is asked for needs */
#define STIRLING 16     /* from here on eight terms of the series are exact */

/* log Gamma(a + 1) - ((a + 1/2) log a - a + log sqrt(2 pi)): the error of Stirling's formula. Small arguments walk up. */
static double stirling_error(double a)
{
    double low = 0;
    for (; a < STIRLING; a++) low += (a + 0.5) * log1p(1 / a) - 1;
    double s = 1 / (a * a);
    double series =
        1.0 / 12 -
        s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188 - s * (691.0 / 360360 - s / 156)))));
    return low + series / a;
}

/* a log(a / m) + m - a >= 0: how far a is from what is expected. */
static double deviance(double a, double m)
{
    double u = (m - a) / a;
    return a * (u - (fabs(u) < 0.5 ? log1p(u) : log(m / a)));
}

/* x^a y^b / B(a, b). */
static double beta_front(double x, double y, double a, double b)
{
    double n = a + b, fit = stirling_error(n) - stirling_error(a) - stirling_error(b);
    return sqrt(a * b / (2 * PI * n)) * exp(fit - deviance(a, n * x) - deviance(b, n * y));
}

/* x^a e^-x / Gamma(a). */
static double gamma_front(double a, double x)
{
    return sqrt(a / (2 * PI)) * exp(-stirling_error(a) - deviance(a, x));
}

/* b0 + a1 / (b1 + a2 / (b2 + ...)) from its front, one more pair (a, b) at a time, as Lentz does (1976). */
typedef struct fraction {
    double value, above, below; /* above and below: the last two approximations' ratios */
} fraction;

static double not_zero(double v)
{
    return v == 0 ? DBL_MIN : v;
}

static fraction fraction_of(double b)
{
    return (fraction){ not_zero(b), not_zero(b), 0 };
}

/* Whether it changed nothing that counts. */
static bool fraction_step(fraction *f, double a, double b)
{
    f->above = not_zero(b + a / f->above);
    f->below = 1 / not_zero(b + a * f->below);
    f->value *= f->above * f->below;
    return fabs(f->above * f->below - 1) <= DBL_EPSILON;
}

/* Converges fast for x below the mean of the distribution, about a / (a + b). */
static double beta_below(double x, double y, double a, double b)
{
    fraction f = fraction_of(1);
    bool done = fraction_step(&f, -(a + b) * x / (a + 1), 1);
    for (int m = 1; !done && m < MOST; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        fraction_step(&f, even, 1);
        done = fraction_step(&f, odd, 1);
    }
    return beta_front(x, y, a, b) / (a * f.value);
}

double mp_beta_part(double x, double y, double a, double b)
{
    if (isnan(x) || isnan(y)) return (double)NAN;
    mp_assert(a > 0 && b > 0 && x >= 0 && y >= 0);
    if (x == 0) return 0;
    if (y == 0) return 1;
    return x < (a + 1) / (a + b + 2) ? beta_below(x, y, a, b) : 1 - beta_below(y, x, b, a);
}

double mp_gamma_above(double a, double x)
{
    if (isnan(x)) return x;
    mp_assert(a > 0 && x >= 0);
    if (x == 0) return 1;
    if (isinf(x)) return 0;
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int n = 1; n < MOST && term > sum * DBL_EPSILON / 4; n++) sum += term *= x / (a + n);
        return 1 - gamma_front(a, x) * sum;
    }
    fraction f = fraction_of(x + 1 - a);
    for (int n = 1; n < MOST && !fraction_step(&f, -n * (n - a), x + 2 * n + 1 - a);) n++;
    return gamma_front(a, x) / f.value;
}

double mp_normal_above(double z)
{
    return erfc(z / sqrt(2)) / 2;
}

double mp_t_beyond(double t, double freedom)
{
    if (isinf(t)) return 0;
    double all = freedom + t * t;
    return mp_beta_part(freedom / all, t * t / all, freedom / 2, 0.5);
}

double mp_chi2_above(double x, double freedom)
{
    return mp_gamma_above(freedom / 2, x / 2);
}

double mp_f_above(double x, double freedom1, double freedom2)
{
    if (isinf(x)) return 0;
    double all = freedom2 + freedom1 * x;
    return mp_beta_part(freedom2 / all, freedom1 * x / all, freedom2 / 2, freedom1 / 2);
}

/* With the smallest at z and A = P(Z > z), t = P(Z > z + q): the other k - 1 are above z with probability A^(k-1), and
 * within q of it with (A - t)^(k-1). The sum of equally spaced values is exact to all digits for such an integrand. */
double mp_range_above(double q, int k)
{
    if (isnan(q)) return q;
    mp_assert(k >= 2 && q >= 0);
    const double step = 1.0 / 32, end = 10;
    double sum = 0;
    if (isinf(q)) return 0;
    for (double z = -end - q; z <= end; z += step) {
        double A = mp_normal_above(z), t = mp_normal_above(z + q);
        sum -= exp(-z * z / 2) * pow(A, k - 1) * expm1((k - 1) * log1p(-t / A));
    }
    return k * sum * step / sqrt(2 * PI);
}

/* Where a falling function of x >= 0 comes to p: halves an interval until double has no number between its ends. */
static double limit(double (*above)(double x, double how), double how, double p)
{
    mp_assert(p > 0 && p < 1);
    double low = 0, high = 1;
    while (above(high, how) > p) high *= 2;
    for (double middle = high / 2; middle > low && middle < high; middle = low + (high - low) / 2) {
        bool beyond = above(middle, how) <= p;
        *(beyond ? &high : &low) = middle;
    }
    return high;
}

double mp_t_limit(double p, double freedom)
{
    return limit(mp_t_beyond, freedom, p);
}

static double range_above(double q, double k)
{
    return mp_range_above(q, (int)k);
}

double mp_range_limit(double p, int k)
{
    return limit(range_above, k, p);
}
