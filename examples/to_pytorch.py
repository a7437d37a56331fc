"""python3 examples/to_pytorch.py - SAGPool with MID as midpool trains it, once more in plain PyTorch, with equal answers.

Trains a classifier with the package midpool, takes its weights (state_dict) and builds the network from docs/math.md: three blocks of
graph convolution and pooling, the sum of their readouts, three linear layers. Every step is an operation that PyTorch
differentiates, so training can go on from these weights. Where PyTorch is not installed NumPy does the same.
SPDX-License-Identifier: MIT
"""
import networkx as nx
import numpy as np

import midpool as mp

try:
    import torch as T

    def tensor(a):
        return T.from_numpy(np.array(a, dtype=np.float64))
except ImportError:
    T = np

    def tensor(a):
        return np.array(a, dtype=np.float64)


def relu(x):
    return x * (x > 0)


def closed(A):
    """D^-1/2 (A + I) D^-1/2: what a graph convolution multiplies with (math.md 2.2)."""
    A = A + tensor(np.eye(len(A)))
    s = A.sum(1) ** -0.5
    return s[:, None] * A * s[None, :]


class SagMid:
    """The network of `pool=sag`, score dimension h, with flipscore (math.md 3.2, 4 and 6.1); dropscore is off in evaluation."""

    def __init__(self, state, layers, ratio, flip):
        self.w = {name: tensor(v) for name, v in state.items()}
        self.layers, self.ratio, self.flip = layers, ratio, flip

    def linear(self, name, x):
        return x @ self.w[f"{name}.weight"].T + self.w[f"{name}.bias"]

    def conv(self, name, A, x):
        return closed(A) @ (x @ self.w[f"{name}.lin.weight"].T) + self.w[f"{name}.bias"]

    def pool(self, name, A, x):
        """Scores of h columns; the ceil(ratio n) nodes with the largest sums stay, each copy of a row times tanh of its score."""
        score = self.conv(f"{name}.gcn", A, x)
        key = (abs(score) if self.flip else score).sum(1)
        order = np.argsort(-np.asarray(key, np.float32), kind="stable")  # equal keys: the lower node first
        keep = order[:int(np.ceil(self.ratio * len(order)))].tolist()
        gate = T.tanh(score[keep])
        x = x[keep]
        return A[keep][:, keep], T.hstack([x * gate[:, d:d + 1] for d in range(gate.shape[1])])

    def __call__(self, A, x):
        read = 0
        for i in range(self.layers):
            x = relu(self.conv(f"convs.{i}", A, x))
            A, x = self.pool(f"pools.{i}", A, x)
            largest = x.max(0)
            read = read + T.hstack([getattr(largest, "values", largest), x.sum(0) / len(x)])
        logits = self.linear("lin3", relu(self.linear("lin2", relu(self.linear("lin1", read)))))
        p = T.exp(logits - logits.max())
        return p / p.sum()


def main():
    rng = np.random.default_rng(0)
    graphs = [nx.cycle_graph(n) if k else nx.star_graph(n) for n in range(4, 40) for k in (0, 1)]
    for g in graphs:
        nx.set_node_attributes(g, {v: rng.normal(size=4).astype(np.float32) for v in g}, "x")
    data = mp.Dataset.from_networkx(graphs, [0, 1] * 36)
    clf = mp.GraphClassifier(pool="sag", mid=True, hidden=32, layers=3, epochs=20, lr=0.005).fit(data)

    net = SagMid(clf.state_dict(), layers=3, ratio=0.5, flip=True)
    ours = clf.predict_proba(data)
    rebuilt = np.array([np.asarray(net(tensor(nx.to_numpy_array(g.to_networkx())), tensor(g.x))) for g in data])
    error = float(abs(ours - rebuilt).max())
    print(f"{T.__name__}: {len(data)} graphs, probabilities differ by at most {error:.1e}")
    if not error <= 1e-6:
        raise SystemExit("more than 1e-6")


if __name__ == "__main__":
    main()
