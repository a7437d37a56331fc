#!/usr/bin/env python3
"""Prints contest_reference.h: made-up runs of methods on data sets, and their comparison as SciPy has it (Debian's python3-scipy).
Usage: python3 tests/report/contest_reference.py > tests/report/contest_reference.h
SPDX-License-Identifier: MIT"""
import itertools
import math

import numpy as np
from scipy import stats

SETS, PLAYERS, SEEDS, FOLDS = 7, 4, 3, 5


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
    near, far = stats.beta.isf(p, 0.5, n / 2), stats.beta.ppf(p, n / 2, 0.5)
    return math.sqrt(n * (near / (1 - near) if near < 0.5 else (1 - far) / far))


def holm(p):
    order, out, most = np.argsort(p, kind="stable"), np.zeros(len(p)), 0
    for i, k in enumerate(order):
        most = max(most, (len(p) - i) * p[k])
        out[k] = min(1, most)
    return out


def paired(d, ratio):
    n, s = len(d), np.mean(np.where(d > 0, 1, np.where(d < 0, 0, 0.5)))
    error, q = math.sqrt((1 / n + ratio) * d.var(ddof=1)), t_limit(0.05, n - 1)
    t, m = d.mean() / error, 1 / (1 / n + ratio)
    half = q * math.sqrt(s * (1 - s) / m + q * q / (4 * m * m))
    return [d.mean(), error, t, t_beyond(t, n - 1), d.mean() - q * error, d.mean() + q * error,
            s, (s + q * q / (2 * m) - half) / (1 + q * q / m), (s + q * q / (2 * m) + half) / (1 + q * q / m)]


rng = np.random.default_rng(11)
ability = np.array([0.0, 0.004, 0.03, 0.05])
value = np.round(0.7 + 0.03 * rng.normal(size=(SETS, 1, 1, 1)) + ability[None, :, None, None]
                 + 0.02 * rng.normal(size=(SETS, PLAYERS, SEEDS, FOLDS)), 6)

print("/* contest_reference.h - printed by contest_reference.py.\n * SPDX-License-Identifier: MIT */")
print("#ifndef MP_CONTEST_REFERENCE_H\n#define MP_CONTEST_REFERENCE_H\n")
print("/* clang-format off */")
print(f"enum {{ SETS = {SETS}, PLAYERS = {PLAYERS}, SEEDS = {SEEDS}, FOLDS = {FOLDS} }};")
array("made", value.ravel())
lines = []
for s in range(SETS):
    for a, b in itertools.combinations(range(PLAYERS), 2):
        lines.append([s, a, b] + paired((value[s, a] - value[s, b]).ravel(), 1 / (FOLDS - 2)))
adjusted = holm([line[6] for line in lines])
rows("duels", "set, a, b, mean, error, t, p, low, high, share, share_low, share_high, holm",
     [line + [h] for line, h in zip(lines, adjusted)])

score = value.mean(axis=(2, 3))
rank = np.array([stats.rankdata(-r) for r in score])
array("average_ranks", rank.mean(0))
chi2, p = stats.friedmanchisquare(*score.T)
f = (SETS - 1) * chi2 / (SETS * (PLAYERS - 1) - chi2)
beta = stats.beta.cdf((PLAYERS - 1) * (SETS - 1) / ((PLAYERS - 1) * (SETS - 1) + (PLAYERS - 1) * f),
                      (PLAYERS - 1) * (SETS - 1) / 2, (PLAYERS - 1) / 2)
array("friedman", [chi2, p, f, beta])
array("critical_difference", [stats.studentized_range.isf(0.05, PLAYERS, np.inf) / math.sqrt(2)
                              * math.sqrt(PLAYERS * (PLAYERS + 1) / (6 * SETS))])
pairs = list(itertools.combinations(range(PLAYERS), 2))
wilcoxon = [stats.wilcoxon(score[:, a] - score[:, b], mode="exact") for a, b in pairs]

rows("tours", "a, b, mean, statistic, p, holm",
     [[a, b, (score[:, a] - score[:, b]).mean(), w.statistic, w.pvalue, h]
      for (a, b), w, h in zip(pairs, wilcoxon, holm([w.pvalue for w in wilcoxon]))])
print("/* clang-format on */\n\n#endif")
