"""Graph classification and regression with node-drop pooling.

>>> import midpool as mp, networkx as nx
>>> graphs = [nx.cycle_graph(n) for n in range(4, 24)] + [nx.star_graph(n) for n in range(3, 23)]
>>> data = mp.Dataset.from_networkx(graphs, ["ring"] * 20 + ["star"] * 20)
>>> clf = mp.GraphClassifier(pool="sag", mid=True, hidden=16, layers=2, epochs=30, lr=0.01).fit(data)
>>> clf.predict([nx.cycle_graph(30), nx.star_graph(30)]).tolist()
['ring', 'star']

Everything is computed by the C library; what is here gives it the graphs that you have and takes its answers to NumPy.
"""

from . import _midpool
from ._program import program  # the first: in a build folder it knows where NumPy is
from ._data import Dataset, Graph, load
from ._estimators import GraphClassifier, GraphRegressor, load_model
from ._explain import Explanation, Level
from ._lists import Table, metrics, ops, options, presets
from ._midpool import (BusyError, DivergedError, Error, FileError, InputError, LimitError, StoppedError,
                       UsageError)
from ._study import Comparison, Study, cv, sweep

__version__: str = _midpool.version()

__all__ = [
    "BusyError", "Comparison", "Dataset", "DivergedError", "Error", "Explanation", "FileError", "Graph", "GraphClassifier",
    "GraphRegressor", "InputError", "Level", "LimitError", "StoppedError", "Study", "Table", "UsageError", "cv", "load",
    "load_model", "metrics", "ops", "options", "presets", "program", "sweep",
]
