"""files.py - a model file and a data set in the TUDataset format (math.md 11 and 1.7).
SPDX-License-Identifier: MIT
"""
import json
import pathlib

import numpy as np
from layers import Graph


class Weights:
    """Tensors below a prefix: Weights(all, "pools.0")["P"] is "pools.0.P"."""

    def __init__(self, tensors, prefix=""):
        self.tensors, self.prefix = tensors, prefix

    def __getitem__(self, name):
        return self.tensors[self.prefix + name]

    def __contains__(self, name):
        return self.prefix + name in self.tensors

    def under(self, name):
        return Weights(self.tensors, f"{self.prefix}{name}.")


def load_model(path):
    raw = pathlib.Path(path).read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    about = json.loads(header.pop("__metadata__")["midpool"])
    tensors = {}
    for name, t in header.items():
        at, end = (start + offset for offset in t["data_offsets"])
        tensors[name] = np.frombuffer(raw[at:end], "<f4").reshape(t["shape"]).astype(float)
    return about, Weights(tensors)


# ---- 1.7: from files to graphs and features


def numbers(path):
    return np.array([[float(v) for v in line.split(",")] for line in path.read_text().split("\n") if line.strip()])


def one_hot(values, columns):
    return [np.eye(column["count"])[values[:, k] - column["min"]] for k, column in enumerate(columns)]


def edge_columns(stem, recipe):
    """A row of attributes for each line of the edge file, or None (1.7)."""
    edges, columns = recipe.get("edges"), []
    if not edges:
        return None
    if edges["attributes"]:
        columns.append(numbers(pathlib.Path(stem + "_edge_attributes.txt")))
    if edges["labels"]:
        columns += one_hot(numbers(pathlib.Path(stem + "_edge_labels.txt")).astype(int), edges["labels"])
    return np.hstack(columns).astype(np.float32).astype(float)


def load_graphs(folder, recipe):
    """Yields (graph, features) in the order of the files."""
    edges_file = next(pathlib.Path(folder).glob("*_A.txt"))
    stem = str(edges_file)[: -len("_A.txt")]
    edges = numbers(edges_file).astype(int) - 1
    owner = numbers(pathlib.Path(stem + "_graph_indicator.txt")).astype(int)[:, 0] - 1
    first = np.searchsorted(owner, np.arange(owner[-1] + 2))
    columns = []
    if recipe["attributes"]:
        columns.append(numbers(pathlib.Path(stem + "_node_attributes.txt"))[:, recipe["skip_attributes"]:])
    if recipe["labels"]:
        labels = numbers(pathlib.Path(stem + "_node_labels.txt")).astype(int)
        columns += one_hot(labels, recipe["labels"])
    of_edges = edge_columns(stem, recipe)
    edges_of = [[] for _ in range(owner[-1] + 1)]
    for line, (i, j) in enumerate(edges):
        edges_of[owner[i]].append((line, i, j))
    for b, pairs in enumerate(edges_of):
        n = first[b + 1] - first[b]
        on = np.zeros((n, n), bool)
        edge = None if of_edges is None else np.zeros((n, n, of_edges.shape[1]))
        for line, i, j in pairs:
            i, j = i - first[b], j - first[b]
            on[i, j] = on[j, i] = i != j
            if edge is not None:
                edge[i, j] = edge[j, i] = of_edges[line]
        own = [c[first[b]:first[b + 1]] for c in columns]
        degree = on.sum(1)
        if recipe["degree"] == "one-hot":  # a degree the model never met is a row of zeros
            own.append((degree[:, None] == np.arange(recipe["degree_max"] + 1)).astype(float))
        elif recipe["degree"] == "normalised":
            own.append((degree[:, None] - recipe["degree_mean"]) / recipe["degree_std"])
        yield Graph(on, edge=edge), np.hstack(own).astype(np.float32).astype(float)
