"""lost.py - edges that are missing at the entrance of a pooling (math.md 3.13), with the random numbers of 9.1.
SPDX-License-Identifier: MIT
"""
import math

import numpy as np
from layers import Graph

GOLDEN, MASK = 0x9E3779B97F4A7C15, 2**64 - 1


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def stream(seed, purpose, a, b, c):
    """Draws, one after the other."""
    key = mix(seed + GOLDEN & MASK)
    key = mix(key ^ purpose * GOLDEN & MASK)
    for i, number in enumerate((a, b, c), 1):
        key = mix(key + number * GOLDEN + i & MASK)
    count = 0
    while True:
        count += 1
        yield mix(key + count * GOLDEN & MASK)


def below(draws, n):
    while True:
        product = (next(draws) >> 32) * n
        if product % 2**32 >= 2**32 % n:
            return product >> 32


def name_of(g):
    """Of a graph, by its numbers of nodes and its rows."""
    h = mix(g.n + GOLDEN & MASK)
    for row in g.on:
        near = np.flatnonzero(row)
        h = mix(h + len(near) & MASK)
        for u in near:
            h = h * GOLDEN + int(u) & MASK
    return mix(h)


def lose_edges(c, g, name, level):
    rate = c.get("edge-loss", 0)
    edges = [(v, u) for v in range(g.n) for u in np.flatnonzero(g.on[v]) if u > v]
    draws, on = stream(c["seed"], 8, 0, name, level), g.on.copy()
    for i in range(math.floor(rate * len(edges) + 1e-9)):
        j = i + below(draws, len(edges) - i)
        v, u = edges[j]
        on[v, u] = on[u, v] = False
        edges[j] = edges[i]
    return Graph(on, g.A if g.weighted else None, g.origin, g.edge)
