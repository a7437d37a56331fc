"""python3 examples/to_pytorch.py - SAGPool and TopKPool, plain and with MID, as modules of PyTorch with the weights that midpool trained.

`state_dict()` of an estimator has PyTorch's names and shapes, so `load_state_dict` takes it as it is. The network is that of docs/math.md:
blocks of graph convolution and pooling, the sum of their readouts, three linear layers. Plain PyTorch suffices; `edge_index` is that of
PyTorch Geometric. Training can go on from these weights: dropout and dropscore are there, and off in `eval()`.
SPDX-License-Identifier: MIT
"""
import math

import networkx as nx
import numpy as np
import torch
from torch import nn

import midpool as mp


class GCN(nn.Module):
    """Y = D^-1/2 (A + I) D^-1/2 X W + b (math.md 2.2)."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.lin = nn.Linear(inputs, outputs, bias=False)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x, edge_index):
        z, (source, target) = self.lin(x), edge_index
        s = (1 + torch.bincount(target, minlength=len(x))).to(x.dtype).rsqrt()[:, None]
        return s * (s * z + torch.zeros_like(z).index_add(0, target, (s * z)[source])) + self.bias


class SAGPool(nn.Module):
    """Scores by a graph convolution (math.md 3.2)."""

    def __init__(self, inputs, h):
        super().__init__()
        self.gcn = GCN(inputs, h)

    def forward(self, x, edge_index):
        return self.gcn(x, edge_index)


class TopKPool(nn.Module):
    """Scores by projection on vectors of length 1 (math.md 3.1)."""

    def __init__(self, inputs, h):
        super().__init__()
        self.P = nn.Parameter(torch.randn(inputs, h))

    def forward(self, x, edge_index):
        return x @ (self.P / self.P.norm(dim=0))


class Net(nn.Module):
    """Outputs of one graph (math.md 6.1). MID (math.md 4): scores of h columns, flip and drop."""

    def __init__(self, scorer, inputs, classes, hidden=128, layers=3, ratio=0.5, h=1, flip=False, drop=0.0, dropout=0.5):
        super().__init__()
        self.ratio, self.flip, self.drop = ratio, flip, drop
        self.convs = nn.ModuleList(GCN(inputs if i == 0 else h * hidden, hidden) for i in range(layers))
        self.pools = nn.ModuleList(scorer(hidden, h) for _ in range(layers))
        self.lin1, self.lin2 = nn.Linear(2 * h * hidden, hidden), nn.Linear(hidden, max(hidden // 2, 1))
        self.lin3 = nn.Linear(max(hidden // 2, 1), classes)
        self.dropout = nn.Dropout(dropout)

    def pool(self, score, x, edge_index):
        """Keeps the ceil(ratio n) nodes with the largest keys; a copy of their rows for each column of scores, times its tanh."""
        n = len(x)
        key = (score.abs() if self.flip else score).sum(1).detach()
        if self.training:
            key[torch.randperm(n)[:math.ceil(self.drop * n)]] = -math.inf
        # Keys of single precision, as in the library: where they are equal the lower node comes first.
        keep = torch.sort(key.float(), descending=True, stable=True)[1][:math.ceil(self.ratio * n - 1e-9)]
        place = torch.full((n,), -1).index_copy(0, keep, torch.arange(len(keep)))
        ends = place[edge_index]
        gated = x[keep][:, None, :] * score[keep].tanh()[:, :, None]  # kept nodes x h x channels
        return gated.flatten(1), ends[:, (ends >= 0).all(0)]

    def forward(self, x, edge_index):
        read = 0
        for conv, scorer in zip(self.convs, self.pools):
            x = conv(x, edge_index).relu()
            x, edge_index = self.pool(scorer(x, edge_index), x, edge_index)
            read = read + torch.cat([x.max(0)[0], x.mean(0)])
        return self.lin3(self.lin2(self.dropout(self.lin1(read).relu())).relu())


def main():
    rng = np.random.default_rng(0)
    graphs = [nx.cycle_graph(n) if k else nx.star_graph(n) for n in range(4, 40) for k in (0, 1)]
    for g in graphs:
        nx.set_node_attributes(g, {v: rng.normal(size=4).astype(np.float32) for v in g}, "x")
    data = mp.Dataset.from_networkx(graphs, [0, 1] * 36)
    for pool, scorer in ("sag", SAGPool), ("topk", TopKPool):
        for mid, more in (False, {}), (True, {"h": 5, "flip": True, "drop": 0.1}):
            clf = mp.GraphClassifier(pool=pool, mid=mid, hidden=32, epochs=20, lr=0.005).fit(data)
            net = Net(scorer, inputs=4, classes=2, hidden=32, **more)
            net.load_state_dict({name: torch.tensor(w) for name, w in clf.state_dict().items()})
            net.double().eval()
            with torch.no_grad():
                outputs = [net(torch.tensor(g.x).double(), torch.tensor(np.concatenate([g.edges, g.edges[:, ::-1]]).T).long()) for g in data]
            error = np.abs(torch.stack(outputs).softmax(1).numpy() - clf.predict_proba(data)).max()
            print(f"{clf}: {len(data)} graphs, probabilities differ by at most {error:.1e}")
            if not error <= 1e-6:
                raise SystemExit("more than 1e-6")


if __name__ == "__main__":
    main()
