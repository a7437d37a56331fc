"""pools.py - the twelve operators and MID (math.md 1.2, 1.3, 3 and 4): score, key, select, coarsen.

A part gets p: p.g and p.x come in, p.w are the weights, p.c is the configuration. Keys are rounded to float before they
are ranked, so that nodes which tie in midpool mostly tie here.
SPDX-License-Identifier: MIT
"""
import math

import numpy as np
from layers import (CONVS, Graph, attention, closed, gcn, graph_conv, le_conv, leaky, linear, mean_over, over, relu, row_over,
                    sigmoid, softmax, sparsemax, symmetric)

# ---- scores


def unit(P):
    return over(P, np.sqrt((P**2).sum(0)))


def score_proj(p):  # 3.1, 3.8
    P = p.w["select.weight"].T if "select.weight" in p.w else p.w["P"]
    return p.seen @ (P if p.shares else unit(P))


def score_sag(p):  # 3.2
    pyg = p.c["variant"] == "pyg"
    kind = "graphconv" if pyg else "gcn"
    conv, x = CONVS[p.auto("score-conv", kind)], p.seen
    for i in range(p.c.get("score-layers", 1) - 1):
        x = relu(conv(p.w.under(f"before.{i}"), p.g, x))
    R = conv(p.w.under("gnn" if pyg else "gcn"), p.g, x)
    if "select.weight" in p.w:
        R = R * (p.w["select.weight"] if p.shares else np.sign(p.w["select.weight"]))
    return R


def hat(g):  # 3.3
    return g if g.weighted else Graph(g.looped().on, closed(g))


def score_att(p):  # 3.3
    z, A = p.x @ p.w["w"], hat(p.g).A
    if p.c["attention"] == "global":
        R = softmax(z)
    else:
        e = np.exp(abs(p.w["tau"]) * (z - z.max(0)))
        R = e * np.diag(A)[:, None] / (A @ e + 1e-10)
        R = R * A.sum(0)[:, None] if p.c["dnorm"] else R
    return R * p.g.n if p.c["scale-n"] else R


def score_asap(p):  # 3.4
    g = p.g.looped()
    authors = "gcn" if p.c["variant"] == "authors" else "none"
    inner = gcn(p.w.under("gnn_intra_cluster"), p.g, p.x) if p.auto("intra", authors) == "gcn" else p.x
    near = np.array([inner[row].max(0) for row in g.on])
    att, c = p.w["att.weight"][0], p.x.shape[1]
    p.alpha = attention(g, linear(p.w, near, "lin") @ att[:c] + p.w["att.bias"], inner @ att[c:])
    p.x = p.alpha @ p.x
    return le_conv(p.w.under("gnn_score"), g.plain(), p.x, p.c["variant"])


def norms(y, columns, power, root=False):
    """Norms of groups of ceil(c / columns) channels; the last groups may be short or empty."""
    width = -(-y.shape[1] // columns)
    R = np.array([(abs(y[:, d * width:(d + 1) * width]) ** power).sum(1) for d in range(columns)]).T
    return np.sqrt(R) if root else R


def score_hgpsl(p):  # 3.5
    near = symmetric(p.g.open()) if p.c["lap-norm"] == "sym" else row_over(p.g)
    return norms(p.x - near @ p.x, p.h, 1)


def score_ipool(p):  # 3.12
    hops, A, near = p.c["hops"] or 1, p.g.open(), 0
    for q in range(1, hops + 1):
        walks = np.linalg.matrix_power(A, q) * (1 - np.eye(p.g.n))
        near = near + over(walks, walks.sum(1, keepdims=True)) / hops
    return norms(p.x - near @ p.x, p.h, 2, root=p.h == 1)


def score_vip(p):  # 3.6
    hops, M = p.c["hops"] or 1, linear(p.w, p.x, "mlp") + p.w["mlp.bias2"]
    M = walked = np.where(M < 0, p.w["mlp.slope"] * M, M)
    P = 0
    for q in range(1, hops + 1):
        walked = closed(p.g) @ walked
        P = P + walked @ p.w[f"W{q}"] / hops
    return np.einsum("vc,hcd,vd->vh", M, p.w["Q"], sigmoid(P)) + p.w["b"]


def score_rep(p):  # 3.7
    if p.c["rep-score"] == "table":
        return sigmoid(row_over(p.g) @ (p.x @ unit(p.w["P"])))
    share = sigmoid(p.x @ p.w["P"] + p.w["bias"]) / (hat(p.g).A.sum(1, keepdims=True) + 1e-6)
    R = Graph(p.g.on & ~np.eye(p.g.n, dtype=bool)).A @ share
    return R / (R.max(0) + 1e-6)


def score_gsa(p):  # 3.9
    authors, a = p.c["variant"] == "authors", p.c["alpha"]
    structure = CONVS[p.auto("score-conv", "gcn")](p.w.under("gcn"), p.g, p.x)
    feature = linear(p.w, p.x, "mlp")
    if p.auto("mix", "before" if authors else "after") == "after":
        structure, feature = np.tanh(structure), np.tanh(feature)
    else:
        p.gate = "tanh"
    fusion = p.auto("fusion", "gat" if authors else "gcn")
    if fusion != "none":
        p.x = CONVS["gcn-raw" if fusion == "raw" else fusion](p.w.under("fuse"), p.g, p.x)
    return a * structure + (1 - a) * feature


def score_cgi(p):  # 3.10
    if p.c["variant"] != "authors":
        return np.tanh(gcn(p.w.under("gcn_r"), p.g, p.x)) - np.tanh(gcn(p.w.under("gcn_f"), p.g, p.x))

    def two(name):
        first = leaky(graph_conv(p.w.under(name + ".0"), p.g, p.x))
        return graph_conv(p.w.under(name + ".1"), p.g, first)

    R = two("real") - two("fake")
    p.x = leaky(graph_conv(p.w.under("transform"), p.g, p.x))
    return R


def score_tap(p):  # 3.11
    near = mean_over(p.g.plain().looped()) @ p.x
    R = softmax((near * p.x).sum(1, keepdims=True) / p.g.n) + softmax(near @ p.w["P"])
    if p.c["connectivity"]:
        R = R + p.lam(0.1) * p.g.on.sum(1, keepdims=True) / p.g.n
    return R * p.g.n if p.c["scale-n"] else R


def score_linear(p):  # 3.1, variant authors
    return linear(p.w, p.seen, "proj")


# ---- from scores to keys to kept nodes


def key_of(p, R):  # 4.1
    F = GATES[p.gate](R) if p.ranks_gated else R
    F = abs(F) if p.c["flip"] else F
    if p.shares:  # 1.3
        key = {"sum": F.mean(1), "max": F.max(1), "l2": np.sqrt((F**2).mean(1))}[p.c["combine"]]
    else:
        key = {"sum": F.sum(1), "max": F.max(1), "l2": (F**2).sum(1)}[p.c["combine"]]
    return key.astype(np.float32)


def falling(key):
    return np.argsort(-key, kind="stable")  # ties: the lower index first


def kept_count(ratio, n):
    return min(max(math.ceil(ratio * n - 1e-9), 1), n)


def top_k(p, key):
    return falling(key)[: kept_count(p.c["ratio"], p.g.n)]


def above(p, key):  # 1.3
    limit = min(np.float32(p.c["min-score"]), key.max() - np.float32(1e-7))
    return falling(key)[: max((key > limit).sum(), 1)]


def top_floor(p, key):  # 3.1, variant authors
    return falling(key)[: max(2, math.floor(p.c["ratio"] * p.g.n + 1e-9))]


def spaced(p, key):  # 3.8
    q = np.arange(kept_count(p.c["ratio"], p.g.n))
    return falling(key)[np.minimum(np.floor(q / p.c["ratio"] + 1e-9).astype(int), p.g.n - 1)]


def hops_of(on):
    """Hops between all pairs; n where there is no path."""
    n = len(on)
    hops, reached = np.full((n, n), n), np.eye(n, dtype=bool)
    for d in range(n):
        hops[reached & (hops == n)] = d
        reached = reached | (reached @ on)
    return hops


def far(p, key):  # 3.7
    g, where = p.g.origin or (p.g, np.arange(p.g.n))
    dist, key = hops_of(g.on)[np.ix_(where, where)], key.astype(float)
    if p.c["rep-select"] == "peak":
        nearest = np.where(key[None] > key[:, None], dist, g.n).min(1)
        return top_k(p, (key * nearest).astype(np.float32))
    keep = [int(np.argmax(key))]
    while len(keep) < kept_count(p.c["ratio"], p.g.n):
        gain = key * dist[:, keep].min(1)
        gain[keep] = -np.inf
        keep.append(int(np.argmax(gain)))
    return np.array(keep)


def apart(p, key):  # 3.12
    if p.c["pick"] == "greedy":
        return top_k(p, key)
    keep, k, order = [], kept_count(p.c["ratio"], p.g.n), falling(key)
    while len(keep) < k:
        struck = np.zeros(p.g.n, bool)
        for v in order:
            if v not in keep and not struck[v] and len(keep) < k:
                keep.append(v)
                struck |= p.g.on[v]
    return np.array(keep)


# ---- gated rows and coarse graphs

GATES = {"tanh": np.tanh, "sigmoid": sigmoid, "identity": lambda R: R}


def gated(p, rows):
    x, G, h, width = p.x[rows], p.c.get("multiplier", 1) * GATES[p.gate](p.R[rows]), p.c["score-dim"], p.c["width"]
    if p.ungated:
        return x
    if width == "multihead":
        return x * G[:, np.arange(x.shape[1]) // -(-x.shape[1] // h)]
    copies = np.hstack([x * G[:, [j]] for j in range(G.shape[1])])
    if width == "repeat":
        return np.tile(copies, h)
    return relu(linear(p.w, copies, "expand")) if width == "mlp" else copies


def collected(T, on, g, diagonal="sum", origin=None):
    """T^T A T of memberships T, n x k, stored where `on`."""
    met = (on.T.astype(float) @ g.on @ on) > 0
    W = T.T @ g.A @ T
    if diagonal != "sum":
        np.fill_diagonal(W, 1.0)
        np.fill_diagonal(met, diagonal == "one")
    return Graph(met, W, origin)


def two_hops(g):
    """Joins what lies within two hops, without weights."""
    on = g.looped().on
    return Graph(on @ on & ~np.eye(g.n, dtype=bool))


def induced(p, keep):  # 1.4, 3.1
    return (two_hops(p.g) if p.c["adj-power"] == 2 else p.g).kept(keep), gated(p, keep)


def by_degree(p, keep):  # 3.1, variant authors
    on = two_hops(p.g).kept(keep).looped().on
    return Graph(on, np.broadcast_to(1 / on.sum(1), on.shape)), gated(p, keep)


def coarsen_att(p, keep):
    g = hat(p.g)
    T = np.where(g.on, g.A, 0)[keep].T
    if p.c["assign"] == "usual":
        T = T / (T.sum(1, keepdims=True) + 1e-10)
    elif not p.g.weighted:
        T = g.on[keep].T.astype(float)
    return collected(T, g.on[keep].T, g), T.T @ gated(p, np.arange(p.g.n))


def coarsen_asap(p, keep):
    g, diagonal = p.g.looped(), "one" if p.c["variant"] == "authors" else "none"
    return collected(p.alpha[keep].T, g.on[keep].T, g, diagonal), gated(p, keep)


def coarsen_hgpsl(p, keep):
    x, old = gated(p, keep), p.g.kept(keep)
    k, full = len(keep), {"auto": len(keep) <= 256, "full": True, "sampled": False}[p.c["candidates"]]
    hops = hops_of((p.g.A != 0) | (p.g.A != 0).T)[np.ix_(keep, keep)]
    pairs = np.ones((k, k), bool) if full else (hops <= (p.c["hops"] or 3)) & (hops < p.g.n)
    a = p.w["a"]
    e = leaky((x @ a[: len(a) // 2])[:, None] + x @ a[len(a) // 2:]) + p.lam(1) * old.A.T  # row i: messages from i
    S = softmax(e, 1, pairs) if not p.c["sparse"] else np.zeros((k, k))
    for i in range(k if p.c["sparse"] else 0):
        S[i, pairs[i]] = sparsemax(e[i, pairs[i]])
    return Graph((S.T != 0) | (S != 0), S.T), x


def coarsen_vip(p, keep):
    if p.c["vip-adj"] == "induced":
        return induced(p, keep)
    g = p.g.looped()
    on = g.on[keep].T if p.c["vip-adj"] == "table" else np.ones((g.n, len(keep)), bool)
    return collected(softmax(g.A[keep].T, 0, on), on, p.g), gated(p, keep)


def coarsen_rep(p, keep):
    g = hat(p.g)
    one = g.A > 0
    M = (one + p.lam(0.1) * (one @ one))[keep].T
    on = (M > 0) | ~(M > 0).any(1, keepdims=True)  # a node that sees no kept node is spread over all
    T = softmax(p.x @ p.w["W_b"] @ p.x[keep].T * M, 1, on)
    raw = collected(T, on, g)
    leaving = raw.A.sum(0)
    s = np.where(leaving > 1e-8, 1 / np.sqrt(leaving + 1e-10), 0)
    first, where = p.g.origin or (p.g, np.arange(p.g.n))
    return Graph(raw.on, s[:, None] * raw.A * s, (first, where[keep])), T.T @ gated(p, np.arange(p.g.n))


def square(p, keep):  # 3.8
    g, at = (p.g, np.ix_(keep, keep)) if p.c["square"] == "before" else (p.g.kept(keep), slice(None))
    on, A = (g.on | (g.on @ g.on))[at], (g.A + g.A @ g.A)[at]
    np.fill_diagonal(on, False)
    return Graph(on, on if p.c["binary"] else A), gated(p, keep)


def overlap(p, keep):  # 3.12
    g, at = p.g.looped(), np.ix_(keep, keep)
    both, size, lam = (g.on.astype(float) @ g.on)[at], g.on.sum(1)[keep].astype(float), p.lam(0.5)
    pair = np.sqrt(np.outer(size, size)) if p.c["overlap"] == "cosine" else size[:, None] + size - both
    return Graph(both > 0, lam * g.A[at] + (1 - lam) * both / pair), gated(p, keep)


# score, select, coarsen, gate; "ranked": by f(R), "ungated": no gate (3.0, 4.3)
OPS = {
    "topk": (score_proj, top_k, induced, "tanh"),
    "sag": (score_sag, top_k, induced, "tanh"),
    "att": (score_att, top_k, coarsen_att, "identity", "ranked"),
    "asap": (score_asap, top_k, coarsen_asap, "sigmoid"),
    "hgpsl": (score_hgpsl, top_k, coarsen_hgpsl, "identity", "ranked", "ungated"),
    "vip": (score_vip, top_k, coarsen_vip, "sigmoid"),
    "rep": (score_rep, far, coarsen_rep, "identity", "ranked"),
    "ug": (score_proj, spaced, square, "tanh"),
    "gsa": (score_gsa, top_k, induced, "identity"),
    "cgi": (score_cgi, top_k, induced, "tanh"),
    "tap": (score_tap, top_k, induced, "identity", "ranked"),
    "ipool": (score_ipool, apart, overlap, "identity", "ranked", "ungated"),
    "topk authors": (score_linear, top_floor, by_degree, "sigmoid"),
}


class Pool:
    """One pooling layer as configured (3.0)."""

    def __init__(self, conf, weights):
        self.c, self.w = dict(conf), weights
        row = OPS.get(f"{conf['pool']} {conf['variant']}", OPS[conf["pool"]])
        self.score, self.select, self.coarsen, self.usual = row[:4]
        asked = conf["gate"] != "auto"
        self.ungated = "ungated" in row and not asked
        self.ranks_gated = {"auto": "ranked" in row, "raw": False, "activated": True}[conf["rank"]]
        self.shares = conf["min-score"] > 0
        self.select = above if self.shares else self.select
        self.given = "identity" if self.shares else conf["gate"] if asked else None
        self.h = 1 if conf["width"] in ("repeat", "mlp") else conf["score-dim"]

    def auto(self, option, usual):
        return usual if self.c[option] == "auto" else self.c[option]

    def lam(self, usual):
        return usual if self.c["lambda"] < 0 else self.c["lambda"]

    def run(self, g, x, seen=None):
        self.g, self.x, self.gate = g, x, self.usual
        self.seen = x if seen is None else seen
        R = self.score(self)  # may replace self.x, and self.gate where nothing was asked for
        self.R = softmax(R) if self.shares else R
        self.gate = self.given or self.gate
        self.keep = self.select(self, key_of(self, self.R))
        return self.coarsen(self, self.keep)
