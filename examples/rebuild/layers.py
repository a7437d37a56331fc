"""layers.py - one graph as dense matrices, and the layers of math.md 2.
SPDX-License-Identifier: MIT
"""
import numpy as np


class Graph:
    """on[i, j]: there is an edge j -> i. A[i, j]: its weight. origin: the first graph, and where its nodes are (3.7).
    edge[i, j]: its attributes, or None for all: edges that a pooling made have none (6.3)."""

    def __init__(self, on, weights=None, origin=None, edge=None):
        self.on, self.weighted, self.origin, self.edge = on, weights is not None, origin, edge
        self.A = np.where(on, weights, 0.0) if self.weighted else on.astype(float)
        self.n = len(on)

    def plain(self):
        return Graph(self.on)

    def looped(self):
        """With every self loop; one that is not stored has weight 1."""
        eye = np.eye(self.n, dtype=bool)
        weights = np.where(eye & ~self.on, 1.0, self.A) if self.weighted else None
        return Graph(self.on | eye, weights)

    def kept(self, keep):
        at = np.ix_(keep, keep)
        edge = None if self.edge is None else self.edge[at]
        return Graph(self.on[at], self.A[at] if self.weighted else None, edge=edge)

    def open(self):
        return self.A * (1 - np.eye(self.n))


def over(a, b):
    """a / b, 0 where b is not positive."""
    return np.divide(a, b, out=np.zeros(np.broadcast_shapes(np.shape(a), np.shape(b))), where=np.asarray(b) > 0)


def symmetric(A):
    s = over(1.0, np.sqrt(A.sum(1)))
    return s[:, None] * A * s


def closed(g):  # 2.2
    return symmetric(g.looped().A)


def mean_over(g):
    return over(g.A, g.on.sum(1, keepdims=True))


def row_over(g):
    return over(g.open(), g.open().sum(1, keepdims=True))


def relu(x):
    return np.maximum(x, 0)


def leaky(x, slope=0.2):
    return np.where(x > 0, x, slope * x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(u, axis=0, where=True):
    e = np.exp(u - np.max(u, axis=axis, keepdims=True, where=where, initial=-np.inf), where=where, out=np.zeros_like(u))
    return over(e, e.sum(axis, keepdims=True))


def linear(w, x, name):
    return x @ w[name + ".weight"].T + (w[name + ".bias"] if name + ".bias" in w else 0)


def gcn(w, g, x):
    return closed(g) @ linear(w, x, "lin") + w["bias"]


def graph_conv(w, g, x):  # 2.3; agg is A
    return g.A @ (x @ w["lin_rel.weight"].T) + w["lin_rel.bias"] + linear(w, x, "lin_root")


def sage(w, g, x):  # 2.4
    return linear(w, mean_over(g.plain()) @ x, "lin_l") + linear(w, x, "lin_r")


def le_conv(w, g, x, form):  # 2.5
    one, two, degree = linear(w, x, "lin1"), linear(w, x, "lin2"), g.A.sum(1, keepdims=True)
    near = {"paper": degree * one - g.A @ two, "pyg": g.A @ one - degree * two, "authors": degree * one + g.A @ two}
    return linear(w, x, "lin3") + near[form]


def attention(g, target, source):
    """Shares of the edges that enter a node: softmax over j of leaky(target_i + source_j)."""
    return softmax(leaky(target[:, None] + source), 1, g.on)


def gat(w, g, x):  # 2.6
    looped, z = g.plain().looped(), linear(w, x, "lin")
    return attention(looped, z @ w["att_dst"].ravel(), z @ w["att_src"].ravel()) @ z + w["bias"]


def gin(w, g, x):  # 2.7
    return linear(w, relu(linear(w, x + g.plain().A @ x, "nn.0")), "nn.2")


def cheb(w, g, x):  # 2.7
    return linear(w, x, "lins.0") - symmetric(g.open()) @ linear(w, x, "lins.1") + w["bias"]


def graph_conv_mean(w, g, x):  # 2.3
    near = over(g.A, g.on.sum(1, keepdims=True).astype(float))
    return near @ (x @ w["lin_rel.weight"].T) + w["lin_rel.bias"] + linear(w, x, "lin_root")


def gcn_noloop(w, g, x):  # 3.5; without a bias 3.9's raw fusion
    return g.A @ linear(w, x, "lin") + (w["bias"] if "bias" in w else 0)


def messages(w, g, x):  # 2.7: ReLU(x_j + q_ij) in row i, column j, 0 where there is no edge
    return relu(x[None] + g.edge @ w["edge.weight"].T) * g.on[:, :, None]


def gine(w, g, x):  # 2.7
    return linear(w, relu(linear(w, x + messages(w, g, x).sum(1), "nn.0")), "nn.2")


def ogb_gcn(w, g, x):  # 2.7
    z, degree = linear(w, x, "linear"), g.on.sum(0) + 1
    near = messages(w, g, z) / np.sqrt(degree[:, None] * degree)[:, :, None]
    return near.sum(1) + relu(z + w["root_emb.weight"]) / degree[:, None]


def ogb_gin(w, g, x):  # 2.7
    h = linear(w, (1 + w["eps"]) * x + messages(w, g, x).sum(1), "mlp.0")
    return linear(w, relu(batch_norm(w.under("mlp.1"), h)), "mlp.3")


def chebygin(w, g, x, agg="mean"):  # 2.7
    A = g.plain().open()
    degree = A.sum(1, keepdims=True)
    L = -A / np.sqrt((degree + 1e-5) * (degree.T + 1e-5))
    T = [x, L @ x]
    y, q = w["bias"], 0
    while f"lins.{q}.weight" in w:
        if q > 1:
            T.append(2 * L @ T[-1] - T[-2])
        y = y + (degree if q and agg == "sum" else 1) * (T[q] @ w[f"lins.{q}.weight"].T)
        q += 1
    return linear(w, relu(y), "nn.2") if "nn.2.weight" in w else y


def conv_of(name, g, c):
    """The convolution of that name, or GCN where it needs attributes of edges and the edges are new (6.3)."""
    if name == "chebygin":
        return lambda w, g, x: chebygin(w, g, x, c.get("cheb-agg", "mean"))
    return CONVS["gcn" if name in ("gine", "ogb-gcn", "ogb-gin") and g.edge is None else name]


CONVS = {
    "gine": gine, "ogb-gcn": ogb_gcn, "ogb-gin": ogb_gin,
    "gcn": gcn, "graphconv": graph_conv, "gin": gin, "sage": sage, "gat": gat, "cheb": cheb,
    "leconv": lambda w, g, x: le_conv(w, g, x, "paper"), "leconv-pyg": lambda w, g, x: le_conv(w, g, x, "pyg"),
    "leconv-authors": lambda w, g, x: le_conv(w, g, x, "authors"), "graphconv-mean": graph_conv_mean,
    "gcn-raw": gcn_noloop, "gcn-noloop": gcn_noloop, "chebygin": chebygin,
}


def layer_norm(w, x):  # 2.8
    centred = x - x.mean(1, keepdims=True)
    return w["weight"] * centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) + w["bias"]


def batch_norm(w, x):
    return w["weight"] * (x - w["running_mean"]) / np.sqrt(w["running_var"] + 1e-5) + w["bias"]


def sparsemax(z):  # 2.14, of a vector
    falling = np.sort(z)[::-1]
    tau = (np.cumsum(falling) - 1) / np.arange(1, len(z) + 1)
    return relu(z - tau[np.nonzero(falling > tau)[0][-1]])
