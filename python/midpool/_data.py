"""Data sets: graphs from files, arrays, NetworkX, PyTorch Geometric, SciPy and SMILES."""
from __future__ import annotations

import html
import json
import numbers
import os
import tempfile
from typing import Any, Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _midpool, _program

INT = np.intc


def load(name: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None, *, label: str | Sequence[str] | None = None,
         ignore: str | Sequence[str] | None = None) -> "Dataset":
    """A data set by its name, looked up in ``folder``, $MIDPOOL_DATA, ./data and the user's cache, or by a path.

    Paths are files or folders of JSON lines and of GraphML, folders of graphs.csv, nodes.csv and edges.csv, TUDataset folders,
    archives of them, and OGB's layout (docs/formats.md). In tables and GraphML ``label`` names the columns of graphs that are to be
    learned, where they are not called y, label, class or target, and ``ignore`` those of nodes and edges that are no features.
    """
    return Dataset(_midpool.data_load(os.fspath(name), None if folder is None else os.fspath(folder), _listed(label), _listed(ignore)))


class Graph:
    """One graph of a data set: ``data[3]``. What it has is copied out of the set when it is asked for.

    >>> import midpool as mp
    >>> data = mp.Dataset.from_graphs([{"nodes": 3, "edges": [[0, 1], [1, 2]], "labels": [6, 7, 6], "y": 1}])
    >>> data[0].edges.tolist(), data[0].node_labels[:, 0].tolist(), data[0].y
    ([[0, 1], [1, 2]], [6, 7, 6], 1)
    """

    __slots__ = ("data", "index", "_tables")

    def __init__(self, data: "Dataset", index: int):
        self.data = data  #: the set, or a view of it
        self.index = index  #: its place there
        self._tables: dict[str, Any] | None = None

    def _get(self, name: str) -> Any:
        if self._tables is None:
            self._tables = self.data[[self.index]].arrays()
        return self._tables[name]

    @property
    def nodes(self) -> int:
        """How many nodes it has."""
        return int(self._get("node_ptr")[1])

    @property
    def edges(self) -> np.ndarray:
        """E x 2: the nodes that edges join, each edge once."""
        return self._get("edge_index").T

    @property
    def node_labels(self) -> np.ndarray | None:
        """N x columns: categories, or None."""
        return self._get("node_labels")

    @property
    def x(self) -> np.ndarray | None:
        """N x columns: numbers, or None."""
        return self._get("x")

    @property
    def edge_labels(self) -> np.ndarray | None:
        """E x columns, or None."""
        return self._get("edge_labels")

    @property
    def edge_attributes(self) -> np.ndarray | None:
        """E x columns, or None."""
        return self._get("edge_attributes")

    @property
    def y(self) -> Any:
        """Its label, or None."""
        y = self.data[[self.index]].y
        return None if y is None else y[0]

    def to_networkx(self) -> Any:
        """The same as a networkx.Graph, with the attributes that Dataset.from_networkx looks at."""
        import networkx

        g = networkx.Graph(**({} if self.y is None else {"y": self.y}))
        g.add_nodes_from(range(self.nodes))
        g.add_edges_from(self.edges.tolist())
        for key, rows in ("label", self.node_labels), ("x", self.x):
            if rows is not None:
                networkx.set_node_attributes(g, dict(enumerate(_cells(rows))), key)
        for key, rows in ("label", self.edge_labels), ("x", self.edge_attributes):
            if rows is not None:
                networkx.set_edge_attributes(g, dict(zip(map(tuple, self.edges.tolist()), _cells(rows))), key)
        return g

    def __repr__(self) -> str:
        return f"<graph {self.index} of {self.data.name}: {self.nodes} nodes, {len(self.edges)} edges>"


class Dataset:
    """Graphs with their labels. It never changes; an index makes a view, which copies nothing.

    >>> import midpool as mp, networkx as nx
    >>> data = mp.Dataset.from_networkx([nx.path_graph(3), nx.cycle_graph(4), nx.cycle_graph(5)], [0, 1, 1])
    >>> len(data), data.y.tolist(), data[1:].y.tolist(), data[data.y == 0].y.tolist()
    (3, [0, 1, 1], [1, 1], [0])
    """

    def __init__(self, core: Any, which: np.ndarray | None = None):
        self._core = core
        self._which = which
        self._about: dict[str, Any] = _midpool.data_about(core)

    # ---- making one ----

    @classmethod
    def from_arrays(cls, node_ptr: ArrayLike, edge_index: ArrayLike, *, x: ArrayLike | None = None,
                    node_labels: ArrayLike | None = None, edge_labels: ArrayLike | None = None,
                    edge_attributes: ArrayLike | None = None, y: Any = None, name: str = "arrays",
                    node_label_range: Sequence[int] | None = None,
                    edge_label_range: Sequence[int] | None = None) -> "Dataset":
        """Many graphs as a few arrays.

        Graph b has the nodes ``node_ptr[b]`` to ``node_ptr[b + 1] - 1``; nodes are numbered over all graphs.
        ``edge_index`` is 2 x E: each edge once or from both ends. Arrays of C ints, float32 and (y) float64 are read where they
        lie; others are converted. Columns of ``x`` are numbers, those of ``node_labels`` categories.
        ``y``: a class (whole numbers or names), or numbers, NaN where one is not known; one a graph, or a row.

        >>> import midpool as mp
        >>> data = mp.Dataset.from_arrays([0, 2, 5], [[0, 2, 3], [1, 3, 4]], y=["pair", "path"])
        >>> data.y.tolist(), data[1].edges.tolist()
        (['pair', 'path'], [[0, 1], [1, 2]])
        """
        start, end = _ends(edge_index)
        ptr = _ints(node_ptr, "node_ptr")
        labels, names = _labels(y, len(ptr) - 1)
        return cls(_midpool.data_make(
            name, names, ptr, start, end, _table(node_labels, INT, "node_labels"), _table(x, np.float32, "x"),
            _table(edge_labels, INT, "edge_labels"), _table(edge_attributes, np.float32, "edge_attributes"), labels,
            None if node_label_range is None else _ints(node_label_range, "node_label_range"),
            None if edge_label_range is None else _ints(edge_label_range, "edge_label_range")))

    @classmethod
    def from_graphs(cls, graphs: Iterable[Any], y: Any = None, *, name: str = "graphs") -> "Dataset":
        """Graphs of any kind that is known: NetworkX graphs, Data objects of PyTorch Geometric, graphs of another data set,
        dicts with the keys of JSON lines (nodes, edges, labels, attributes, edge_labels, edge_attributes, y), and tuples
        ``(nodes, edges)`` or ``(nodes, edges, x)``.

        >>> import midpool as mp
        >>> len(mp.Dataset.from_graphs([(3, [[0, 1], [1, 2]]), (2, [[0, 1]])]))
        2
        """
        graphs = list(graphs)
        one = _one_set(graphs)
        if one is not None:
            return one if y is None else one.with_labels(y)
        return _join([_piece(g) for g in graphs], y, name)

    @classmethod
    def from_networkx(cls, graphs: Iterable[Any], y: Any = None, *, node_label: str = "label", x: str = "x",
                      edge_label: str = "label", edge_attributes: str = "x", name: str = "networkx") -> "Dataset":
        """NetworkX graphs. The arguments name attributes: of nodes, a category (or a list of them) and numbers; the same of
        edges. An attribute that no node has is not used; one that some lack is an error. Without ``y`` the graphs' own
        ``g.graph["y"]`` is taken.

        >>> import midpool as mp, networkx as nx
        >>> g = nx.path_graph(3, create_using=nx.Graph)
        >>> nx.set_node_attributes(g, {0: 6, 1: 7, 2: 6}, "label")
        >>> mp.Dataset.from_networkx([g], [1])[0].node_labels.tolist()
        [[6], [7], [6]]
        """
        return _join([_of_networkx(g, node_label, x, edge_label, edge_attributes) for g in graphs], y, name)

    @classmethod
    def from_pyg(cls, graphs: Iterable[Any], y: Any = None, *, classes: Sequence[Any] | None = None,
                 name: str = "pyg") -> "Dataset":
        """Data objects of PyTorch Geometric, or anything with their attributes: edge_index, x, edge_attr, y, num_nodes.

        Columns of whole numbers are categories, others numbers. ``classes`` says what y = 0, 1, ... stand for: PyTorch Geometric
        counts the classes of TUDatasets from 0, whatever the files call them.
        """
        data = _join([_of_pyg(g) for g in graphs], y, name)
        if classes is None:
            return data
        return data.with_labels(np.asarray(classes)[data.y])

    @classmethod
    def from_scipy(cls, adjacencies: Iterable[Any], x: Any = None, y: Any = None, *, node_labels: Any = None,
                   name: str = "scipy") -> "Dataset":
        """Adjacency matrices of scipy.sparse (or dense ones), one a graph: what is not zero is an edge. ``x`` and
        ``node_labels`` have the rows of all nodes, in one table or a list with one a graph.

        >>> import midpool as mp, scipy.sparse as sp
        >>> a = sp.csr_matrix([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
        >>> mp.Dataset.from_scipy([a, a], x=[[[0.5], [1], [2]]] * 2, y=[0, 1])[1].edges.tolist()
        [[0, 1], [1, 2]]
        """
        ptr, edges = _of_scipy(adjacencies)
        return cls.from_arrays(ptr, edges, x=_stacked(x), node_labels=_stacked(node_labels), y=y, name=name)

    @classmethod
    def from_jsonl(cls, path: str | os.PathLike[str]) -> "Dataset":
        """A file of JSON lines, one graph a line: ``{"nodes": 3, "edges": [[0, 1], [1, 2]], "labels": [6, 7, 6], "y": 1}``."""
        return load(path)

    @classmethod
    def from_smiles(cls, table: Any, *, smiles: str = "smiles", label: str | Sequence[str] | None = None,
                    split: str | None = None) -> "Dataset":
        """Molecules of a table, with the features of OGB (needs RDKit): a DataFrame, a dict of columns, or the path of a CSV file.

        ``label`` names the columns to be learned; ``split`` (scaffold, random, stratified or time:COLUMN) is what ``fold(1)`` then
        says. A row that is no molecule is left out.
        """
        with tempfile.TemporaryDirectory(prefix="midpool-") as folder:
            path = table if isinstance(table, (str, os.PathLike)) else os.path.join(folder, "table.csv")
            if path is not table:
                _write_csv(table, path)
            out = os.path.join(folder, "molecules.jsonl")
            words = ["data", "convert", os.fspath(path), out, f"--smiles={smiles}"]
            if label is not None:
                words.append(f"--label={_listed(label)}")
            if split is not None:
                words.append(f"--split={split}")
            _program.run(words, progress=False)
            if split is None:
                _without_split(out)
            return load(out)

    # ---- what it is ----

    @property
    def name(self) -> str:
        return self._about["name"]

    @property
    def origin(self) -> str | None:
        """Where it was loaded from; None: it was made from arrays."""
        return self._about["origin"]

    @property
    def task(self) -> str:
        """What its labels are for: classify, binary, regress, ..."""
        return self._about["task"]

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)

    @property
    def y(self) -> np.ndarray | None:
        """Labels of the graphs: classes as they were given, or numbers; None where there are none."""
        targets = self._about["targets"]
        if targets == 0:
            return None
        y = np.empty((len(self), targets))
        self._read(label=y)
        if targets > 1:
            return y
        y = y[:, 0]
        names = self._about["class_names"]
        if names:
            return np.array(names)[y.astype(np.intp)]
        return y.astype(np.int64) if self.task == "classify" else y

    @property
    def fingerprint(self) -> str:
        """Sixteen digits of graphs, node features and labels: those that ``midpool data info`` prints. Of a view: of its graphs."""
        return _midpool.data_fingerprint(self._core if self._which is None else self.copy()._core)

    def arrays(self) -> dict[str, Any]:
        """Its graphs as arrays, by the names that from_arrays takes, but for y; None where there is no such table."""
        nodes, edges = _midpool.data_size(self._core, self._which)
        a = self._about

        def room(rows: int, columns: int, kind: Any) -> np.ndarray | None:
            return np.empty((rows, columns), kind) if columns else None

        out = {"node_ptr": np.empty(len(self) + 1, INT), "edge_index": np.empty((2, edges), INT),
               "node_labels": room(nodes, a["node_labels"], INT), "x": room(nodes, a["node_attributes"], np.float32),
               "edge_labels": room(edges, a["edge_labels"], INT),
               "edge_attributes": room(edges, a["edge_attributes"], np.float32)}
        self._read(out["node_ptr"], *out["edge_index"], out["node_labels"], out["x"], out["edge_labels"],
                   out["edge_attributes"])
        return out

    def _read(self, ptr: Any = None, start: Any = None, end: Any = None, node_labels: Any = None, x: Any = None,
              edge_labels: Any = None, edge_attributes: Any = None, label: Any = None) -> None:
        _midpool.data_read(self._core, self._which, ptr, start, end, node_labels, x, edge_labels, edge_attributes, label)

    def fold(self, number: int, folds: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Graphs that train, validate and test in a fold of the program, from 1: indices for ``data[...]``. Folds that came with
        the files are taken, else stratified ones are made; a fixed split is fold 1.

        >>> import midpool as mp, networkx as nx
        >>> data = mp.Dataset.from_networkx([nx.cycle_graph(3 + n % 5) for n in range(20)], [0, 1] * 10)
        >>> [len(part) for part in data.fold(1, folds=5)]
        [12, 4, 4]
        """
        whole = self if self._which is None else self.copy()
        part = np.empty(len(whole), INT)
        _midpool.data_fold(whole._core, folds, number, part)
        return tuple(np.flatnonzero(part == k) for k in range(3))  # type: ignore[return-value]

    # ---- others made from it ----

    def copy(self) -> "Dataset":
        """A set of its own with the graphs of a view: its features are made of these graphs alone."""
        return self._remade(self.y)

    def with_labels(self, y: Any) -> "Dataset":
        """The same graphs with other labels."""
        return self._remade(y)

    def _remade(self, y: Any) -> "Dataset":
        a = self._about
        return Dataset.from_arrays(**self.arrays(), y=y, name=self.name, node_label_range=a["node_label_range"],
                                   edge_label_range=a["edge_label_range"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """To JSON lines (``.jsonl``), GraphML (``.graphml``) or a folder of TUDataset files (no ending), which ``load`` and the
        program read."""
        whole = self if self._which is None else self.copy()
        _midpool.data_write(whole._core, os.fspath(path))

    # ---- as a sequence ----

    def __len__(self) -> int:
        return self._about["graphs"] if self._which is None else len(self._which)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (int, np.integer)):
            if not -len(self) <= key < len(self):
                raise IndexError(f"graph {key} of {len(self)}")
            return Graph(self, int(key) % len(self))
        places = np.arange(len(self), dtype=INT) if self._which is None else self._which
        if isinstance(key, slice):
            return Dataset(self._core, np.ascontiguousarray(places[key]))
        key = np.asarray(key)
        if key.size == 0:
            key = key.astype(np.intp)
        return Dataset(self._core, np.ascontiguousarray(places[key]))

    def __iter__(self) -> Iterator[Graph]:
        return (Graph(self, i) for i in range(len(self)))

    def __reduce__(self) -> Any:
        a = self._about
        more = {"name": self.name, "y": self.y, "node_label_range": a["node_label_range"],
                "edge_label_range": a["edge_label_range"]}
        return _rebuilt, ({**self.arrays(), **more},)

    def __repr__(self) -> str:
        return f"<Dataset {self.name}: {len(self)} graphs, task {self.task}>"

    def _repr_html_(self) -> str:
        nodes, edges = _midpool.data_size(self._core, self._which)
        n = max(len(self), 1)
        rows = [("graphs", len(self)), ("task", self.task), ("nodes a graph", f"{nodes / n:.2f}"),
                ("edges a graph", f"{edges / n:.2f}")]
        for key in "node_labels", "node_attributes", "edge_labels", "edge_attributes":
            if self._about[key]:
                rows.append((key.replace("_", " "), f"{self._about[key]} columns"))
        if self.task == "classify" and self.y is not None:
            rows.append(("classes", ", ".join(f"{c}: {k}" for c, k in zip(*np.unique(self.y, return_counts=True)))))
        return html_table(self.name, rows)


def html_table(title: str, rows: Iterable[tuple[str, Any]]) -> str:
    """Names and values for a notebook."""
    body = "".join(f"<tr><th style='text-align:left'>{html.escape(str(k))}</th>"
                   f"<td style='text-align:left'>{html.escape(str(v))}</td></tr>" for k, v in rows)
    return f"<table><caption>{html.escape(title)}</caption><tbody>{body}</tbody></table>"


def as_dataset(graphs: Any, y: Any = None) -> Dataset:
    """What an estimator was given: a data set or a list of graphs, with labels where there are any."""
    if isinstance(graphs, Graph):
        graphs = [graphs]
    if not isinstance(graphs, Dataset):
        return Dataset.from_graphs(graphs, y)
    if y is None or _same(graphs.y, y):
        return graphs
    return graphs.with_labels(y)


def join(sets: Sequence[Dataset]) -> Dataset:
    """One set with the graphs of several, one behind the other."""
    parts = [s.arrays() for s in sets]
    labels = [s.y for s in sets]
    tables = ("x", "node_labels", "edge_labels", "edge_attributes")
    for key in tables:
        if len({None if p[key] is None else p[key].shape[1] for p in parts}) > 1:
            raise _midpool.InputError(f"{key}: not all graphs have as many columns")
    nodes = np.cumsum([0] + [p["node_ptr"][-1] for p in parts])
    y = None if any(label is None for label in labels) else np.concatenate(labels)  # type: ignore[arg-type]
    return Dataset.from_arrays(
        np.concatenate([[0]] + [p["node_ptr"][1:] + n for p, n in zip(parts, nodes)]),
        np.concatenate([p["edge_index"] + n for p, n in zip(parts, nodes)], axis=1), y=y, name=sets[0].name,
        **{key: None if parts[0][key] is None else np.concatenate([p[key] for p in parts]) for key in tables})


def _rebuilt(arrays: dict[str, Any]) -> Dataset:
    return Dataset.from_arrays(**arrays)


def _same(a: Any, b: Any) -> bool:
    if a is None:
        return False
    b = _plain(b)
    if a.shape != b.shape or (a.dtype.kind in "US") != (b.dtype.kind in "OUS"):
        return False
    return bool(np.all((a == b) | ((a != a) & (b != b))))


def _one_set(graphs: list[Any]) -> Dataset | None:
    """Graphs that are all of one set are a view of it."""
    if not graphs or not all(isinstance(g, Graph) and g.data._core is graphs[0].data._core for g in graphs):
        return None
    places = [g.index if g.data._which is None else int(g.data._which[g.index]) for g in graphs]
    return Dataset(graphs[0].data._core, np.array(places, INT))


# ---- arrays ----

def _plain(a: Any) -> np.ndarray:
    """An array of anything like one; tensors are taken off their device."""
    if hasattr(a, "detach"):
        a = a.detach().cpu()
    return np.asarray(a)


def _whole(a: np.ndarray, name: str) -> np.ndarray:
    """Whole numbers, wherever they come from, as C ints."""
    if a.dtype == INT:
        return a
    if a.size and a.dtype.kind not in "iub" and not np.array_equal(a, np.rint(a)):
        raise _midpool.InputError(f"{name}: expected whole numbers")
    if a.size and (a.min() < np.iinfo(INT).min or a.max() > np.iinfo(INT).max):
        raise _midpool.LimitError(f"{name}: a number that does not fit 32 bits")
    return a.astype(INT)


def _numbers(a: Any, name: str) -> np.ndarray:
    a = _plain(a)
    if a.size and a.dtype.kind not in "iubf":
        raise _midpool.InputError(f"{name}: expected numbers, got {a.dtype}")
    return a


def _ints(a: Any, name: str) -> np.ndarray:
    return np.ascontiguousarray(_whole(_numbers(a, name), name).reshape(-1))


def _table(a: Any, kind: Any, name: str) -> np.ndarray | None:
    """Rows by columns; one number a row is one column."""
    if a is None:
        return None
    a = _numbers(a, name)
    a = _whole(a, name) if kind is INT else a.astype(kind, copy=False)
    if a.ndim > 2:
        raise _midpool.InputError(f"{name}: expected rows and columns, got {a.ndim} dimensions")
    return np.ascontiguousarray(a.reshape(len(a), -1) if a.size else a.reshape(len(a), a.shape[1] if a.ndim == 2 else 1))


def _ends(edge_index: Any) -> tuple[np.ndarray, np.ndarray]:
    a = _whole(_numbers(edge_index, "edge_index"), "edge_index")
    if a.size == 0:
        a = a.reshape(2, 0)
    if a.ndim != 2 or a.shape[0] != 2:
        raise _midpool.InputError(f"edge_index: expected 2 rows, got the shape {a.shape}")
    return np.ascontiguousarray(a[0]), np.ascontiguousarray(a[1])


def _labels(y: Any, graphs: int) -> tuple[np.ndarray | None, tuple[str, ...]]:
    """Labels as numbers, and the names of classes that are called by words."""
    if y is None:
        return None, ()
    y = _plain(y)
    names: tuple[str, ...] = ()
    if y.dtype.kind in "OUS":
        words = y.reshape(-1).tolist()
        if y.dtype.kind in "US" or all(isinstance(v, str) for v in words):
            found, y = np.unique(y.astype(str), return_inverse=True)
            names = tuple(found.tolist())
        elif all(isinstance(v, numbers.Real) for v in words):
            y = y.astype(np.float64)
        else:
            raise _midpool.InputError("y: expected numbers, or names of classes")
    if y.dtype.kind not in "iubf":
        raise _midpool.InputError(f"y: expected numbers or names, got {y.dtype}")
    if y.ndim == 0 or len(y) != graphs:
        raise _midpool.InputError(f"y: {y.shape[0] if y.ndim else 'one'} labels of {graphs} graphs")
    return np.ascontiguousarray(y.reshape(graphs, -1) if graphs else y.reshape(0, 1), dtype=np.float64), names


def _listed(names: str | Sequence[str] | None) -> str | None:
    """Names of columns as the library takes them."""
    return names if names is None or isinstance(names, str) else ",".join(names)


def _cells(rows: np.ndarray) -> list[Any]:
    """Rows of a table; of one column the numbers themselves."""
    return (rows[:, 0] if rows.shape[1] == 1 else rows).tolist()


def _stacked(tables: Any) -> Any:
    """A list with a table for each graph as one table."""
    if isinstance(tables, (list, tuple)) and tables and np.ndim(tables[0]) == 2:
        return np.concatenate([_plain(t) for t in tables])
    return tables


# ---- graphs one by one ----

Piece = dict[str, Any]  # nodes, edges (2 x E), and tables or None: node_labels, x, edge_labels, edge_attributes; y


def _piece(g: Any) -> Piece:
    if isinstance(g, Graph):
        return {"nodes": g.nodes, "edges": g.edges.T, "node_labels": g.node_labels, "x": g.x, "edge_labels": g.edge_labels,
                "edge_attributes": g.edge_attributes, "y": g.y}
    if isinstance(g, Mapping):
        return _of_dict(g)
    if isinstance(g, tuple) and len(g) in (2, 3):
        return _of_dict({"nodes": g[0], "edges": g[1], **({"attributes": g[2]} if len(g) == 3 else {})})
    if hasattr(g, "edge_index"):
        return _of_pyg(g)
    if hasattr(g, "number_of_nodes") and hasattr(g, "adjacency"):
        return _of_networkx(g, "label", "x", "label", "x")
    raise _midpool.UsageError(f"a graph that is a {type(g).__name__}; known are NetworkX graphs, Data of PyTorch Geometric, graphs "
                              "of a Dataset, dicts and tuples (nodes, edges)")


def _of_dict(g: Mapping[str, Any]) -> Piece:
    known = {"nodes", "edges", "labels", "attributes", "edge_labels", "edge_attributes", "y"}
    odd = sorted(set(g) - known)
    if odd or "nodes" not in g:
        raise _midpool.InputError(f"a graph with {odd[0]!r}; known are {', '.join(sorted(known))}" if odd
                                  else "a graph without 'nodes'")
    edges = np.asarray(g.get("edges", ()))
    if edges.size and (edges.ndim != 2 or edges.shape[1] != 2):
        raise _midpool.InputError(f"edges: expected pairs, got the shape {edges.shape}")
    return {"nodes": int(g["nodes"]), "edges": edges.reshape(-1, 2).T, "node_labels": g.get("labels"), "x": g.get("attributes"),
            "edge_labels": g.get("edge_labels"), "edge_attributes": g.get("edge_attributes"), "y": g.get("y")}


def _by_kind(table: Any, name: str) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Whole numbers are categories, others are numbers."""
    if table is None:
        return None, None
    table = _numbers(table, name)
    table = table.reshape(len(table), -1) if table.size else table.reshape(len(table), table.shape[1] if table.ndim == 2 else 1)
    return (table, None) if table.dtype.kind in "iub" else (None, table)


def _of_pyg(g: Any) -> Piece:
    labels, x = _by_kind(getattr(g, "x", None), "x")
    edge_labels, edge_attributes = _by_kind(getattr(g, "edge_attr", None), "edge_attr")
    edges, nodes, y = getattr(g, "edge_index", None), getattr(g, "num_nodes", None), getattr(g, "y", None)
    if nodes is None:
        raise _midpool.InputError("a graph without num_nodes")
    if y is not None:
        y = _plain(y).reshape(-1)
        y = y[0] if y.size == 1 else y
    return {"nodes": int(nodes), "edges": np.empty((2, 0), INT) if edges is None else _plain(edges), "node_labels": labels,
            "x": x, "edge_labels": edge_labels, "edge_attributes": edge_attributes, "y": y}


def _column(rows: list[dict[str, Any]], key: str, what: str) -> list[Any] | None:
    have = sum(key in r for r in rows)
    if have == 0:
        return None
    if have < len(rows):
        raise _midpool.InputError(f"{what} {next(i for i, r in enumerate(rows) if key not in r)}: no attribute '{key}', which others have")
    return [r[key] for r in rows]


def _of_networkx(g: Any, node_label: str, x: str, edge_label: str, edge_attributes: str) -> Piece:
    place = {v: i for i, v in enumerate(g.nodes)}
    node = [d for _, d in g.nodes(data=True)]
    listed = list(g.edges(data=True))
    edge = [d for _, _, d in listed]
    ends = [[place[u] for u, _, _ in listed], [place[v] for _, v, _ in listed]]
    return {"nodes": len(place), "edges": np.array(ends, INT).reshape(2, -1), "node_labels": _column(node, node_label, "node"),
            "x": _column(node, x, "node"), "edge_labels": _column(edge, edge_label, "edge"),
            "edge_attributes": _column(edge, edge_attributes, "edge"), "y": g.graph.get("y")}


def _of_scipy(adjacencies: Iterable[Any]) -> tuple[np.ndarray, np.ndarray]:
    from scipy import sparse

    # Dense ones become sparse; zeros that are stored are no edges.
    all_csr = []
    for i, a in enumerate(adjacencies):
        a = sparse.csr_matrix(a) if not sparse.issparse(a) or a.format != "csr" else a
        if a.shape[0] != a.shape[1]:
            raise _midpool.InputError(f"adjacency {i}: expected a square, got {a.shape[0]} x {a.shape[1]}")
        if not a.data.all():
            a = a.copy()
            a.eliminate_zeros()
        all_csr.append(a)
    nodes = np.array([a.shape[0] for a in all_csr], np.int64)
    counts = np.array([a.nnz for a in all_csr], np.int64)
    ptr, first = np.concatenate([[0], np.cumsum(nodes)]), np.concatenate([[0], np.cumsum(counts)])
    if max(ptr[-1], first[-1]) > np.iinfo(INT).max:
        raise _midpool.LimitError(f"{ptr[-1]} nodes and {first[-1]} entries are too many")
    edges = np.empty((2, first[-1]), INT)
    for i, a in enumerate(all_csr):
        to = edges[:, first[i]:first[i + 1]]
        to[0] = np.repeat(np.arange(ptr[i], ptr[i + 1], dtype=INT), np.diff(a.indptr))
        np.add(a.indices, ptr[i], out=to[1], casting="unsafe")
    return ptr.astype(INT), edges


def _join(pieces: list[Piece], y: Any, name: str) -> Dataset:
    """One set of all pieces. A table is there for all graphs or for none."""
    if not pieces:
        raise _midpool.InputError("no graphs")
    nodes = np.cumsum([0] + [p["nodes"] for p in pieces])
    edges = [_whole(_numbers(p["edges"], "edges"), "edges") for p in pieces]
    for i, e in enumerate(edges):
        if e.size and (e.min() < 0 or e.max() >= pieces[i]["nodes"]):
            raise _midpool.InputError(f"graph {i}: an edge to node {e.max() if e.min() >= 0 else e.min()}; it has nodes 0 to {pieces[i]['nodes'] - 1}")
    tables = {}
    for key, kind, rows in (("node_labels", INT, "nodes"), ("x", np.float32, "nodes"), ("edge_labels", INT, "edges"),
                            ("edge_attributes", np.float32, "edges")):
        tables[key] = _joined_table(pieces, key, kind, [p["nodes"] for p in pieces] if rows == "nodes" else [e.shape[1] for e in edges])
    if y is None:
        own = [p["y"] for p in pieces]
        y = own if all(v is not None for v in own) else None
    return Dataset.from_arrays(nodes, np.concatenate([e + n for e, n in zip(edges, nodes)], axis=1), y=y, name=name, **tables)


def _joined_table(pieces: list[Piece], key: str, kind: Any, rows: list[int]) -> np.ndarray | None:
    """Graphs without a row (a graph without edges) say nothing about a table."""
    have = [p[key] is not None for p in pieces]
    if not any(have):
        return None
    parts = []
    for i, p in enumerate(pieces):
        if rows[i] == 0:
            continue
        if p[key] is None:
            raise _midpool.InputError(f"graph {i}: no {key}, which others have")
        part = _table(p[key], kind, f"graph {i}: {key}")
        assert part is not None
        if len(part) != rows[i] or (parts and part.shape[1] != parts[0].shape[1]):
            expected = (rows[i], parts[0].shape[1] if parts else part.shape[1])
            raise _midpool.InputError(f"graph {i}: {key} has the shape {part.shape}, expected {expected}")
        parts.append(part)
    return np.concatenate(parts) if parts else None


def _without_split(path: str) -> None:
    """Takes the split out of a file of JSON lines."""
    with open(path, encoding="utf-8") as lines:
        graphs = [json.loads(line) for line in lines]
    with open(path, "w", encoding="utf-8") as out:
        for g in graphs:
            out.write(json.dumps({k: v for k, v in g.items() if k not in ("split", "splits", "split_kind")}) + "\n")


def _write_csv(table: Any, path: str) -> None:
    if hasattr(table, "to_csv"):
        table.to_csv(path, index=False)
        return
    import csv

    with open(path, "w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(table)
        rows.writerows(zip(*table.values()))
