"""baselines.py - the networks of the eight baselines (math.md 5): from one graph and its features to outputs.
SPDX-License-Identifier: MIT
"""
import numpy as np
from layers import Graph, batch_norm, conv_of, gat, gcn, layer_norm, leaky, linear, mean_over, relu, sigmoid, softmax, symmetric


def convolved(c, w, g, x, layers=None):
    """The outputs of all convolutions in turn, each after ReLU (5.0)."""
    name, out = "gcn" if c["conv"] == "auto" else c["conv"], []
    for l in range(c["layers"]) if layers is None else layers:
        x = relu(conv_of(name, g, c)(w.under(f"convs.{l}"), g, x))
        out.append(x)
    return out


def head(w, r):
    return linear(w, relu(linear(w, relu(linear(w, r, "lin1")), "lin2")), "lin3")


def set2set(c, w, g, x):  # 5.1, 2.11
    x, lstm = convolved(c, w, g, x)[-1], w.under("pool.lstm")
    q = r = cell = np.zeros(x.shape[1])
    for _ in range(c["processing-steps"]):
        a = lstm["weight_ih_l0"] @ np.hstack([q, r]) + lstm["bias_ih_l0"] + lstm["weight_hh_l0"] @ q + lstm["bias_hh_l0"]
        i, f, new, o = np.split(a, 4)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(new)
        q = sigmoid(o) * np.tanh(cell)
        r = softmax(x @ q) @ x
    return head(w, np.hstack([q, r]))


def conv1d(w, x, stride=1):  # 2.12; x: places x channels
    width = w["weight"].shape[2]
    windows = [x[t:t + width] for t in range(0, len(x) - width + 1, stride)]
    return np.array([np.einsum("uc,ocu->o", v, w["weight"]) for v in windows]) + w["bias"]


def sort(c, w, g, x):  # 5.2
    dgcnn = c["sort-form"] == "dgcnn"
    if dgcnn:
        looped, out = g.looped(), []
        for l in range(4):
            near = looped.A @ (x @ w[f"convs.{l}.weight"].T)
            x = np.tanh((near + w[f"convs.{l}.bias"]) / looped.on.sum(1, keepdims=True))
            out.append(x)
        x = np.hstack(out)
    else:
        x = convolved(c, w, g, x)[-1]
    k = max(c["sort-k"] or 30, 10 if dgcnn else 5)
    rows = x[np.argsort(-x[:, -1].astype(np.float32), kind="stable")[:k]]
    rows = np.vstack([rows, np.zeros((k - len(rows), x.shape[1]))])
    if dgcnn:
        places = relu(conv1d(w.under("conv1d_1"), rows.reshape(-1, 1), x.shape[1]))
        half = places[: len(places) // 2 * 2].reshape(-1, 2, places.shape[1]).max(1)
        y = relu(conv1d(w.under("conv1d_2"), half))
    else:
        y = relu(conv1d(w.under("conv1d"), rows))
    return linear(w, relu(linear(w, y.T.ravel(), "lin1")), "lin2")


def contract(g, s):
    """5.4: clusters by falling score of the edges j -> i, s[i, j], ties in the order of (source, target)."""
    cluster, factor, count = np.full(g.n, -1), np.ones(g.n), 0
    target, source = np.nonzero(g.on)
    for e in np.lexsort((target, source, -s[target, source])):
        i, j = target[e], source[e]
        if cluster[i] < 0 and cluster[j] < 0:
            cluster[[i, j]], factor[[i, j]], count = count, s[i, j], count + 1
    for v in np.nonzero(cluster < 0)[0]:
        cluster[v], count = count, count + 1
    return np.eye(count)[cluster], factor


def edge(c, w, g, x):  # 5.4
    read = []
    for l in range(c["layers"]):
        if l:
            lin, C = w.under(f"pools.{l - 1}.lin"), x.shape[1]
            u = (x @ lin["weight"][0, C:])[:, None] + x @ lin["weight"][0, :C] + lin["bias"]
            s = (0.5 + softmax(u, 1, g.on)).astype(np.float32).astype(float) if g.on.any() else u
            T, factor = contract(g, s)
            g, x = Graph(T.T @ g.on @ T > 0), T.T @ (factor[:, None] * x)
        x = convolved(c, w, g, x, [l])[0]
        read.append(x.mean(0))
    return head(w, np.hstack(read))


def haar(c, w, g, x):  # 5.6
    if c["haar-levels"] > 1:
        raise SystemExit("rebuild: haar-levels above 1 needs spectral clusterings, which are not done here")
    return head(w, convolved(c, w, g, x)[-1].sum(0) / np.sqrt(g.n))


def diff(c, w, g, x):  # 5.3
    def block(name, near, x):
        both = []
        for conv in ("conv1", "conv2"):
            v = w.under(f"{name}.{conv}")
            x = relu(near @ linear(v, x, "lin_rel") + linear(v, x, "lin_root"))
            both.append(x)
        return linear(w, np.hstack(both), name + ".lin")

    near = mean_over(g)
    S, z = softmax(block("pool_block1", near, x), 1), relu(block("embed_block1", near, x))
    A = S.T @ g.A @ S
    pooled = relu(block("embed_blocks.0", A / np.maximum(A.sum(1, keepdims=True), 1), S.T @ z))
    return linear(w, relu(linear(w, np.hstack([z.mean(0), pooled.mean(0)]), "lin1")), "lin2")


def mincut(c, w, g, x):  # 5.5
    A, x = symmetric(g.open()) if c["norm-adj"] else g.A, relu(gcn(w.under("conv1"), g, x))
    for pool, conv in (("pool1", "conv2"), ("pool2", "conv3")):
        S, v = softmax(linear(w, x, pool), 1), w.under(conv)
        A, x = symmetric((S.T @ A @ S) * (1 - np.eye(S.shape[1]))), S.T @ x
        x = A @ (x @ v["lin_rel.weight"].T) + v["lin_rel.bias"] + linear(v, x, "lin_root")
        x = relu(x) if conv == "conv2" else x
    return linear(w, relu(linear(w, x.mean(0), "lin1")), "lin2")


def mem(c, w, g, x):  # 5.7
    x = linear(w, x, "lin")
    for l in range(2):
        v = w.under(f"convs.{l}")
        x = x + gat(v.under("conv"), g, leaky(batch_norm(v.under("norm"), x), 0.01))

    def memory(name, x):
        u = 1 / (1 + ((x[:, None, None] - w[name + ".k"]) ** 2).sum(3))  # nodes x heads x keys
        shares = u / u.sum(2, keepdims=True)
        S = softmax(np.einsum("vhj,h->vj", shares, w[name + ".conv.weight"].ravel()), 1)
        return linear(w, S.T @ x, name + ".lin")

    return memory("mem2", leaky(memory("mem1", x), 0.01))[0]


def gmt(c, w, g, x):  # 5.8
    heads = c["heads"] or 1

    def mab(name, queries, x, g=None):
        v = w.under(name + ".mab")
        q = linear(v, queries, "fc_q")
        k, values = (gcn(v.under(f), g, x) if g else linear(v, x, f) for f in ("fc_k", "fc_v"))
        out = []
        for qh, kh, vh in zip(*(np.split(m, heads, axis=1) for m in (q, k, values))):
            out.append(qh + softmax(qh @ kh.T / np.sqrt(q.shape[1]), 0 if c["attend"] == "queries" else 1) @ vh)
        o = layer_norm(v.under("ln0"), np.hstack(out)) if c["ln"] else np.hstack(out)
        o = o + relu(linear(v, o, "fc_o"))
        return layer_norm(v.under("ln1"), o) if c["ln"] else o

    z = mab("pool_g", w["pool_g.S"], np.hstack(convolved(c, w, g, x)), g)
    z = mab("pool_i", w["pool_i.S"], mab("self_att", z, z))
    return head(w, linear(w, z[0], "lin"))


BASELINES = {f.__name__: f for f in (set2set, sort, edge, haar, diff, mincut, mem, gmt)}
