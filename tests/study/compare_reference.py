#!/usr/bin/env python3
"""Prints compare_reference.h: tails, tests and ranks as SciPy has them (Debian's python3-scipy).
Usage: python3 tests/study/compare_reference.py > tests/study/compare_reference.h
SPDX-License-Identifier: MIT"""
import itertools
import math

import numpy as np
from scipy import special, stats


def rows(name, fields, lines):
    print(f"static const struct {{\n    double {fields};\n}} {name}[] = {{")
    for line in lines:
        print("    { " + ", ".join(repr(float(v)) for v in line) + " },")
    print("};\n")


def array(name, values):
    print(f"static const double {name}[] = {{ {', '.join(repr(float(v)) for v in values)} }};")


# SciPy's own t has ten digits; its beta distribution has them all, with the smaller of x and 1 - x.
def t_beyond(t, n):
    far, near = n / (n + t * t), t * t / (n + t * t)
    return stats.beta.cdf(far, n / 2, 0.5) if far < 0.5 else stats.beta.sf(near, 0.5, n / 2)


def t_limit(p, n):
    near = stats.beta.isf(p, 0.5, n / 2)
    far = stats.beta.ppf(p, n / 2, 0.5)
    return math.sqrt(n * (near / (1 - near) if near < 0.5 else (1 - far) / far))


def exact_signed_ranks(d):
    """All signs tried one by one."""
    d = d[d != 0]
    rank = stats.rankdata(np.abs(d))
    low = min(rank[d > 0].sum(), rank[d < 0].sum())
    ways = sum(np.dot(s, rank) <= low for s in itertools.product((0, 1), repeat=len(d)))
    return min(1, 2 * ways / 2 ** len(d))


print("/* compare_reference.h - printed by compare_reference.py.\n * SPDX-License-Identifier: MIT */")
print("#ifndef MP_COMPARE_REFERENCE_H\n#define MP_COMPARE_REFERENCE_H\n")
print("/* clang-format off */")
ts = [0.1, 0.7, 1, 2.2621571627409915, 5, 12.5, 40]
rows("t_rows", "t, freedom, beyond",
     [(t, n, t_beyond(t, n)) for n in (1, 2, 3, 9, 29, 99, 999, 12.5) for t in ts])
rows("f_rows", "x, freedom1, freedom2, above",
     [(x, m, n, stats.beta.cdf(n / (n + m * x), n / 2, m / 2)) for m in (1, 2, 7, 15, 300) for n in (1, 4, 30, 180, 1000)
      for x in (0.01, 0.5, 1, 2.5, 9)])
rows("chi2_rows", "x, freedom, above",
     [(x, n, special.gammaincc(n / 2, x / 2)) for n in (1, 2, 5, 15, 60, 400) for x in (0.01, 1, 6, 25, 70, 400)])
rows("normal_rows", "z, above", [(z, stats.norm.sf(z)) for z in (-6, -1.5, 0, 0.3, 1.959963984540054, 4, 9, 20)])
rows("t_limits", "p, freedom, t",
     [(p, n, t_limit(p, n)) for p in (0.5, 0.05, 0.001, 1e-9) for n in (1, 4, 29, 99, 500)])
rows("range_limits", "p, k, q",
     [(p, k, stats.studentized_range.isf(p, k, np.inf)) for p in (0.1, 0.05, 0.01) for k in (2, 3, 5, 10, 16)])

rng = np.random.default_rng(3)
d = np.round(rng.normal(0.8, 2, 30), 5)
array("differences", d)
n, ratio = len(d), 1 / 8
error = math.sqrt((1 / n + ratio) * d.var(ddof=1))
wide = error * stats.t.ppf(0.975, n - 1)
array("paired_mean_error_t_p_low_high", [d.mean(), error, d.mean() / error, 2 * stats.t.sf(abs(d.mean() / error), n - 1),
                                         d.mean() - wide, d.mean() + wide])


def superiority(d, ratio):
    """Wilson's interval with 1 / (1/n + ratio) pairs and t in place of the normal limit."""
    n, m, q = len(d), 1 / (1 / len(d) + ratio), t_limit(0.05, len(d) - 1)
    s = (np.sum(d > 0) + np.sum(d == 0) / 2) / n
    half = q * math.sqrt(s * (1 - s) / m + q * q / (4 * m * m))
    return [s, (s + q * q / (2 * m) - half) / (1 + q * q / m), (s + q * q / (2 * m) + half) / (1 + q * q / m)]


array("superiority_share_low_high", superiority(d, ratio))
array("superiority_of_all", superiority(np.abs(d), ratio))
array("plain_t_p", stats.ttest_1samp(d, 0))
array("signed_ranks_min_p", stats.wilcoxon(d, mode="exact"))
tied = np.round(rng.normal(0.5, 1.5, 16))
array("tied", tied)
array("tied_exact_p", [exact_signed_ranks(tied)])
many = np.round(rng.normal(0.1, 1, 80), 1)
array("many", many)
array("many_min_p", stats.wilcoxon(many, mode="approx"))

table = np.round(rng.normal(70, 6, (13, 5)) + np.array([0, 1, 3, 4, 4]))
array("table", table.ravel())
rank = np.array([stats.rankdata(-r) for r in table])
array("table_middle_ranks", rank.mean(0))
array("table_better_ranks", np.array([stats.rankdata(-r, method="min") for r in table]).mean(0))
chi2, p = stats.friedmanchisquare(*table.T)
N, k = table.shape
f = (N - 1) * chi2 / (N * (k - 1) - chi2)
array("friedman_chi2_p_f_p", [chi2, p, f, stats.f.sf(f, k - 1, (k - 1) * (N - 1))])
array("nemenyi", [stats.studentized_range.isf(0.05, k, np.inf) / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * N))])
print("/* clang-format on */\n\n#endif")
