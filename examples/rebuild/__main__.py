"""python3 examples/rebuild MODEL FOLDER - the answers of a midpool model, computed with NumPy from docs/math.md alone.

Reads a model file and a data set in the TUDataset format, runs the network graph by graph with dense matrices in double
precision, and prints what `midpool predict MODEL FOLDER --csv` prints. It is meant for reading: to port a model, port what
its row of OPS (pools.py) or BASELINES (baselines.py) names. Numbers in comments are sections of docs/math.md. Evaluation
only: there is neither dropout nor dropscore.
SPDX-License-Identifier: MIT
"""
import sys

import numpy as np
from baselines import BASELINES
from files import load_graphs, load_model
from layers import conv_of, gcn, gcn_noloop, linear, relu
from lost import lose_edges, name_of
from pools import Pool

# 6.1, 6.7: convolution, blocks (None: --layers), whether the last block pools, whether every block is read, readout
ARCHS = {
    "tu": ("gcn", None, True, True, "max+mean"),
    "colors": ("gin", 2, False, False, "sum"),
    "triangles": ("gin", 3, False, False, "max"),
}
READOUTS = {  # 2.10
    "max": lambda x: x.max(0), "mean": lambda x: x.mean(0), "sum": lambda x: x.sum(0),
    "max+mean": lambda x: np.hstack([x.max(0), x.mean(0)]),
}


def network(c, w, g, x):  # 6.1
    conv, blocks, pools_last, reads_each, readout = ARCHS[c["arch"]]
    conv, blocks = conv if c["conv"] == "auto" else c["conv"], blocks or c["layers"]
    learned = c["pool"] == "hgpsl" and c["next-conv"] == "auto"  # 3.5
    readout = READOUTS[c.get("readout", "auto").replace("auto", readout)]
    seen_from = c.get("score-from", "current")  # 3.0
    r, name, first = 0, name_of(g), x
    for l in range(blocks):
        layer, previous = conv_of(conv, g, c), x
        x = relu((gcn_noloop if l and learned and layer is gcn else layer)(w.under(f"convs.{l}"), g, x))
        if l < blocks - 1 or pools_last:
            pool, seen = Pool(c, w.under(f"pools.{l}")), {"current": x, "input": first, "previous": previous}[seen_from]
            g, x = pool.run(lose_edges(c, g, name, l), x, seen)
            first = first[pool.keep] if seen_from == "input" else first
        if reads_each or l == blocks - 1:
            r = r + readout(x)
    if c["arch"] != "tu":
        return linear(w, r, "lin1")
    return linear(w, relu(linear(w, relu(linear(w, r, "lin1")), "lin2")), "lin3")


def softmax(y):
    return np.exp(y - y.max()) / np.exp(y - y.max()).sum()


# 2.15: what heads the columns of answers and of the numbers behind them; both from outputs as they are told
TASKS = {
    "classify": ("label", "p", lambda p: [np.argmax(p)], softmax),
    "binary": ("label", "probability", lambda p: p > 0.5, lambda y: 1 / (1 + np.exp(-y))),
    "regress": ("value", None, lambda y: y, lambda y: y),
    "count": ("rounded", "output", np.rint, lambda y: y),
}


def heads(word, names):
    return [f"{word}_{v}" if len(names) > 1 else word for v in names] if word else []


def main(model, folder):
    about, weights = load_model(model)
    config, task, scale = about["config"], about["task"], about.get("targets")
    if task == "regress" and not scale and config.get("standardise", True):
        task = "count"  # 11.2
    word, behind, answer, show = TASKS[task]
    names = about["classes"] or list(range(about["outputs"]))
    print(",".join(["graph"] + heads(word, [0] if task == "classify" else names) + heads(behind, names)))
    run = BASELINES.get(config["pool"], network)
    for b, (g, x) in enumerate(load_graphs(folder, about["recipe"])):
        if config.get("encoder") == "embed":
            x = x @ weights["encoder.weight"].T  # 6.3
        y = run(config, weights, g, x)
        if scale:
            y = np.array(scale["mean"]) + np.array(scale["std"]) * y
        shown = show(y)
        answers = [about["classes"][int(v)] if task == "classify" else v for v in answer(shown)]
        print(",".join(f"{float(v):.9g}" for v in [b, *answers, *(shown if behind else [])]))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python3 examples/rebuild MODEL FOLDER")
    main(sys.argv[1], sys.argv[2])
