"""Data sets: every way in, and the same graphs on the way out."""
import os
import pickle
import subprocess

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import midpool as mp


class Data:
    """A stand-in for torch_geometric.data.Data: the attributes that from_pyg looks at."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Tensor:
    """A stand-in for torch.Tensor on a device: NumPy gets it through detach and cpu alone."""

    def __init__(self, values):
        self._values = np.asarray(values)

    def detach(self):
        return self

    def cpu(self):
        return self._values


def test_graphs_come_back_as_they_went_in(graphs, data):
    for g, back, y in zip(graphs[0], data, graphs[1]):
        again = back.to_networkx()
        assert again.adj == g.adj and again.graph == {"y": y}
        assert dict(again.nodes(data=True)) == dict(g.nodes(data=True))
        assert back.y == y
    assert data.y.dtype == np.int64
    assert mp.Dataset.from_networkx([g.to_networkx() for g in data]).fingerprint == data.fingerprint


def test_arrays_make_the_same_set(data):
    again = mp.Dataset.from_arrays(**data.arrays(), y=data.y)
    assert again.fingerprint == data.fingerprint
    assert again.arrays()["edge_index"].tolist() == data.arrays()["edge_index"].tolist()
    assert mp.Dataset.from_arrays(**data.arrays(), y=1 - data.y).fingerprint != data.fingerprint


def test_arrays_of_any_layout_and_type_are_read(data):
    a = data.arrays()
    other = dict(node_ptr=a["node_ptr"].astype(np.int64), edge_index=np.asfortranarray(a["edge_index"].astype(np.uint16)),
                 x=a["x"].astype(np.float64)[::1].copy(order="F"), node_labels=a["node_labels"][:, 0].tolist(),
                 edge_labels=a["edge_labels"].astype(float))
    assert mp.Dataset.from_arrays(**other, y=data.y).fingerprint == data.fingerprint
    both = np.concatenate([a["edge_index"], a["edge_index"][::-1]], axis=1)
    assert mp.Dataset.from_arrays(a["node_ptr"], both, x=a["x"], node_labels=a["node_labels"], y=data.y).fingerprint == data.fingerprint


def test_views_copy_nothing_and_index_as_numpy_does(data):
    y = data.y
    some = data[[5, 2, 9]]
    assert some.y.tolist() == y[[5, 2, 9]].tolist()
    assert some[1].edges.tolist() == data[2].edges.tolist()
    assert some[::-1].y.tolist() == y[[9, 2, 5]].tolist()
    assert some[np.array([True, False, True])].y.tolist() == y[[5, 9]].tolist()
    assert data[-1].index == len(data) - 1 and data.shape == (60,) and len(data[[]]) == 0
    assert some._core is data._core
    with pytest.raises(IndexError):
        data[60]
    with pytest.raises(IndexError):
        data[[60]]


def test_pyg_has_the_fingerprint_of_the_files(mutag):
    # As PyTorch Geometric reads a TUDataset: one-hot labels of nodes for x, classes counted from 0, edges from both ends.
    pyg = []
    for g, y in zip(mutag, mutag.y):
        x = np.eye(7, dtype=np.float32)[g.node_labels[:, 0]]
        edges = np.concatenate([g.edges, g.edges[:, ::-1]]).T
        pyg.append(Data(x=Tensor(x), edge_index=Tensor(edges), edge_attr=None, y=Tensor([int(y > 0)]), num_nodes=len(x)))
    assert mp.Dataset.from_pyg(pyg, classes=[-1, 1]).fingerprint == mutag.fingerprint
    assert mp.Dataset.from_networkx([g.to_networkx() for g in mutag]).fingerprint == mutag.fingerprint
    assert mp.Dataset.from_pyg(pyg).fingerprint != mutag.fingerprint


def test_pyg_whole_numbers_are_categories():
    g = Data(x=np.array([[5], [6]]), edge_index=np.array([[0, 1], [1, 0]]), edge_attr=np.array([[0.5], [0.5]]), y=np.array([[0.5, np.nan]]), num_nodes=2)
    d = mp.Dataset.from_pyg([g, g])
    assert d[0].node_labels.tolist() == [[5], [6]] and d[0].x is None
    assert d[0].edge_attributes.tolist() == [[0.5]] and d.task == "regress"
    assert np.isnan(d.y[1, 1])


def test_scipy_matrices_of_every_format(graphs):
    adjacencies = [nx.to_scipy_sparse_array(g, format=f) for g, f in zip(graphs[0], ["csr", "coo", "csc", "lil"] * 15)]
    plain = mp.Dataset.from_graphs([(g.number_of_nodes(), list(g.edges)) for g in graphs[0]], graphs[1])
    stored_zero = adjacencies[0].tocsr().copy()
    stored_zero.data = np.concatenate([stored_zero.data, [0]])
    stored_zero.indices = np.concatenate([stored_zero.indices, [1]])
    stored_zero.indptr = np.concatenate([stored_zero.indptr[:-1], [len(stored_zero.data)]])
    for first in adjacencies[0], adjacencies[0].toarray(), stored_zero:
        assert mp.Dataset.from_scipy([first] + adjacencies[1:], y=graphs[1]).fingerprint == plain.fingerprint
    with pytest.raises(mp.InputError, match="adjacency 1: expected a square, got 2 x 3"):
        mp.Dataset.from_scipy([adjacencies[0], sp.csr_matrix(np.ones((2, 3)))])


def test_files_have_the_same_fingerprint(data, tmp_path):
    for path in tmp_path / "d.jsonl", tmp_path / "folder":
        data.save(path)
        assert mp.load(path).fingerprint == data.fingerprint
    assert mp.Dataset.from_jsonl(tmp_path / "d.jsonl").name == "SHAPES"
    named = data[:9].with_labels(["a", "b", "c"] * 3)
    named.save(tmp_path / "names.jsonl")
    assert mp.load(tmp_path / "names.jsonl").y.tolist() == ["a", "b", "c"] * 3


def test_the_program_prints_the_same_fingerprint(data, mutag, tmp_path):
    data.save(tmp_path / "d.jsonl")
    for set_, where in (data, str(tmp_path / "d.jsonl")), (mutag, mutag.origin):
        said = subprocess.run([mp.program(), "data", "info", where], capture_output=True, text=True, check=True).stdout
        assert set_.fingerprint in said


def test_a_set_survives_pickling(data):
    some = pickle.loads(pickle.dumps(data[10:20]))
    assert some.y.tolist() == data.y[10:20].tolist() and some.fingerprint == data[10:20].fingerprint
    assert pickle.loads(pickle.dumps(data)).fingerprint == data.fingerprint


def test_labels_of_every_kind():
    g = [(2, [[0, 1]])] * 4
    assert mp.Dataset.from_graphs(g).y is None
    assert mp.Dataset.from_graphs(g, [True, False, True, True]).y.tolist() == [1, 0, 1, 1]
    assert mp.Dataset.from_graphs(g, ["b", "a", "b", "c"]).y.tolist() == ["b", "a", "b", "c"]
    assert mp.Dataset.from_graphs(g, [0.5, 1, 2, 3]).task == "regress"
    assert mp.Dataset.from_graphs(g, [[0, 1], [1, np.nan], [1, 1], [0, 0]]).task == "binary"


def test_what_is_impossible_is_refused_in_words():
    g = nx.path_graph(3)
    g.nodes[1]["label"] = 4
    cases = [
        (lambda: mp.Dataset.from_networkx([g]), "node 0: no attribute 'label', which others have"),
        (lambda: mp.Dataset.from_graphs([(2, [[0, 2]])]), "graph 0: an edge to node 2"),
        (lambda: mp.Dataset.from_graphs([]), "no graphs"),
        (lambda: mp.Dataset.from_graphs([7]), "a graph that is a int"),
        (lambda: mp.Dataset.from_graphs([{"nodes": 1, "lables": [1]}]), "a graph with 'lables'"),
        (lambda: mp.Dataset.from_graphs([(2, [[0, 1]])], [1, 2]), "y: 2 labels of 1 graphs"),
        (lambda: mp.Dataset.from_graphs([(2, [[0, 1]], [[0.5]])]), "shape"),
        (lambda: mp.Dataset.from_graphs([(1, [], [[1.0]]), (1, [])]), "graph 1: no x, which others have"),
        (lambda: mp.Dataset.from_arrays([0, 2, 2], [[], []]), "node_ptr"),
        (lambda: mp.Dataset.from_arrays([0, 2], [[0], [1], [1]]), "expected 2 rows"),
        (lambda: mp.Dataset.from_arrays([0, 2], [[0], [1]], x=[[1.0]]), "table of 2 rows"),
        (lambda: mp.Dataset.from_arrays([0, 2], [[0], [1]], node_labels=[0.5, 1]), "whole numbers"),
        (lambda: mp.Dataset.from_arrays([0, 2], [[0], [1]], x=[[np.nan], [1.0]]), "not finite"),
        (lambda: mp.Dataset.from_arrays([0, 2**40], [[0], [1]]), "32 bits"),
        (lambda: mp.Dataset.from_arrays([0, 2], [[0], [1]], y=[object()]), "numbers, or names"),
        (lambda: mp.load("no such set"), "no such set"),
        (lambda: mp.load("/nowhere/at/all"), "no such folder or file"),
    ]
    for work, words in cases:
        with pytest.raises(mp.Error, match=words):
            work()


def test_errors_are_what_python_has_for_the_like():
    with pytest.raises(OSError):
        mp.load("/nowhere/at/all")
    with pytest.raises(ValueError):
        mp.Dataset.from_graphs([])
    with pytest.raises(MemoryError):
        mp.Dataset.from_arrays([0, 2**40], [[0], [1]])


def test_folds_are_the_programs(mutag):
    parts = [mutag.fold(f) for f in range(1, 11)]
    assert len(set(np.concatenate([p[2] for p in parts]).tolist())) == 180  # of 188: the published files leave eight out
    assert parts[1][1].tolist() == parts[0][2].tolist()
    with pytest.raises(mp.UsageError, match="fold 11"):
        mutag.fold(11)


def test_labels_of_any_kind_of_array():
    def labels(y):
        return mp.Dataset.from_graphs([(2, [[0, 1]])] * 3, y).y.tolist()

    assert labels(np.array([3, 1, 3], object)) == [3, 1, 3]
    assert labels(np.array([0.5, 1, 3], object)) == [0.5, 1, 3]
    assert labels(np.array(["b", "a", "b"], object)) == labels(np.array([b"b", b"a", b"b"])) == ["b", "a", "b"]
    with pytest.raises(mp.InputError, match="y: expected numbers, or names"):
        labels(np.array(["b", 1, "b"], object))


def test_labels_that_cannot_be_learned_are_named(graphs):
    for y in np.full(60, np.nan), [[np.nan, np.nan]] * 60:
        with pytest.raises(mp.InputError, match="y: .* none is known"):
            mp.GraphRegressor().fit(graphs[0], y)
    with pytest.raises(mp.InputError, match="^label: classes must be one whole number a graph"):
        mp.GraphClassifier().fit(graphs[0], np.linspace(0, 1, 60))


def test_columns_of_tables_are_what_the_caller_says(tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "graphs.csv").write_text("graph_id,toxic,weight\na,yes,1.5\nb,no,2.5\n")
    (folder / "nodes.csv").write_text("graph_id,node_id,kind,size\na,0,C,1\na,1,N,2\nb,0,C,3\n")
    (folder / "edges.csv").write_text("graph_id,source,target\na,0,1\n")
    assert mp.load(folder).y is None
    assert mp.load(folder, label="toxic").y.tolist() == ["yes", "no"]
    assert mp.load(folder, label=["weight"]).y.tolist() == [1.5, 2.5]
    assert mp.load(folder, ignore=["size", "kind"])[0].x is None
    with pytest.raises(mp.UsageError, match="has no 'colour' of graphs; it has toxic, weight"):
        mp.load(folder, label="colour")


def test_molecules_from_a_table():
    table = {"smiles": ["CCO", "CC", "c1ccccc1", "CCN"], "active": [1, 0, 1, 0]}
    try:
        d = mp.Dataset.from_smiles(table, label="active")
    except mp.Error as e:
        if "RDKit" in str(e) and "MIDPOOL_HAS_RDKIT" not in os.environ:
            pytest.skip(str(e))
        raise
    assert len(d) == 4 and d[0].nodes == 3 and d[0].node_labels.shape == (3, 9) and d.y.tolist() == [1, 0, 1, 0]
    assert d[:2].copy()._about["node_label_range"] == d._about["node_label_range"]
    pandas = pytest.importorskip("pandas")
    assert mp.Dataset.from_smiles(pandas.DataFrame(table), label=["active"]).fingerprint == d.fingerprint


def test_a_notebook_shows_it(data):
    shown = data.with_labels(["<b>"] * 30 + ["c"] * 30)._repr_html_()
    assert "60" in shown and "&lt;b&gt;: 30" in shown and "<b>" not in shown
    assert repr(data) == "<Dataset SHAPES: 60 graphs, task classify>"
