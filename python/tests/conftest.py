"""What several tests use: rings and stars, and MUTAG where it can be found."""
import networkx as nx
import numpy as np
import pytest

import midpool as mp

FEW = dict(hidden=16, layers=2, epochs=8, batch_size=16, lr=0.01, threads=2)


def shapes(n=30):
    """n rings and n stars, with labels of nodes, numbers of nodes and labels of edges."""
    graphs, y = [], []
    for i in range(2 * n):
        g = nx.cycle_graph(4 + i % 7) if i % 2 else nx.star_graph(3 + i % 7)
        for v in g:
            g.nodes[v]["label"] = 4 + (v + i) % 3
            g.nodes[v]["x"] = [float(v % 4), 0.5]
        for u, v in g.edges:
            g.edges[u, v]["label"] = (u + v) % 3
        graphs.append(g)
        y.append(7 if i % 2 else 3)
    return graphs, np.array(y)


@pytest.fixture(scope="session")
def graphs():
    return shapes()


@pytest.fixture(scope="session")
def data(graphs):
    return mp.Dataset.from_networkx(*graphs, name="SHAPES")


@pytest.fixture(scope="session")
def clf(data):
    return mp.GraphClassifier("sag", mid=True, **FEW).fit(data)


@pytest.fixture(scope="session")
def mutag():
    try:
        return mp.load("MUTAG")
    except mp.Error as e:
        pytest.skip(f"MUTAG: {e}")
