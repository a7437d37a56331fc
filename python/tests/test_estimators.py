"""Estimators: the program's bits, scikit-learn's conventions."""
import pickle
import subprocess

import networkx as nx
import numpy as np
import pytest
from conftest import FEW

import midpool as mp


def test_a_fold_of_mutag_has_the_bits_of_the_program(mutag, tmp_path):
    out = tmp_path / "m.safetensors"
    subprocess.run([mp.program(), "train", mutag.origin, "--pool=sag", "--mid", "--epochs=5", "--seed=42", "--fold=1", f"--out={out}"],
                   check=True, capture_output=True)
    train, val, test = mutag.fold(1)
    clf = mp.GraphClassifier("sag", mid=True, epochs=5, seed=42).fit(mutag[train], val=mutag[val])
    clf.save(tmp_path / "p.safetensors")
    assert (tmp_path / "p.safetensors").read_bytes() == out.read_bytes()
    assert mp.GraphClassifier("sag", mid=True, epochs=5, seed=42, threads=1).fit(mutag[train[::-1]], val=mutag[val]).result_["sha256"] == clf.result_["sha256"]
    said = subprocess.run([mp.program(), "predict", str(out), mutag.origin, "--csv"], check=True, capture_output=True, text=True).stdout
    rows = [line.split(",") for line in said.splitlines()]
    assert rows[0][:2] == ["graph", "label"] and len(rows) == 189
    assert mp.load_model(out).predict(mutag[test]).tolist() == [int(rows[1 + i][1]) for i in test]
    np.testing.assert_allclose(clf.predict_proba(mutag)[:, 0], [float(r[2]) for r in rows[1:]], atol=1e-6)


def test_it_learns_and_answers_in_the_words_of_its_labels(data, clf):
    assert clf.classes_.tolist() == [3, 7]
    p = clf.predict_proba(data)
    assert p.shape == (60, 2) and p.dtype == np.float32
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-6)
    assert clf.predict(data).tolist() == clf.classes_[p.argmax(axis=1)].tolist()
    assert clf.score(data) == np.mean(clf.predict(data) == data.y) == clf.evaluate(data)["accuracy"]
    named = mp.GraphClassifier("sag", mid=True, **{**FEW, "epochs": 60}).fit(data, np.where(data.y == 3, "star", "ring"))
    assert sorted(set(named.predict(data))) == ["ring", "star"] and named.classes_.tolist() == ["ring", "star"]
    assert named.score(data, np.where(data.y == 3, "star", "ring")) > 0.9


def test_graphs_of_a_list_are_as_good_as_a_set(graphs, data, clf):
    assert (clf.predict_proba(graphs[0]) == clf.predict_proba(data)).all()
    assert (clf.predict_proba([data[4], data[7]]) == clf.predict_proba(data)[[4, 7]]).all()
    again = mp.GraphClassifier("sag", mid=True, **FEW).fit(graphs[0], graphs[1])
    assert (again.predict_proba(data) == clf.predict_proba(data)).all()


def test_validation_graphs_of_another_set(graphs, data):
    same = mp.GraphClassifier("topk", **FEW).fit(data[:40], val=data[40:])
    apart = mp.GraphClassifier("topk", **FEW).fit(graphs[0][:40], graphs[1][:40], val=(graphs[0][40:], graphs[1][40:]))
    assert (same.predict_proba(data) == apart.predict_proba(data)).all()
    assert same.result_["train_graphs"] == 40 and same.result_["val_graphs"] == 20


def test_regression(graphs):
    y = np.array([g.number_of_nodes() for g in graphs[0]])
    reg = mp.GraphRegressor("topk", **{**FEW, "epochs": 60}).fit(graphs[0], y)
    assert reg._about["task"] == "regress"
    from sklearn.metrics import r2_score

    assert reg.score(graphs[0], y) == pytest.approx(r2_score(y, reg.predict(graphs[0])))
    assert reg.score(graphs[0], y) > 0.5
    two = mp.GraphRegressor("topk", **FEW).fit(graphs[0], np.stack([y, np.where(y > 6, np.nan, y / 2)], axis=1))
    assert two.predict(graphs[0]).shape == (60, 2) and np.isfinite(two.score(graphs[0], np.stack([y, y / 2], axis=1)))


def test_yes_no_questions(graphs):
    y = np.stack([graphs[1] == 7, [g.number_of_nodes() > 6 for g in graphs[0]]], axis=1).astype(float)
    y[::7, 1] = np.nan
    clf = mp.GraphClassifier("topk", **FEW).fit(graphs[0], y)
    assert clf.predict(graphs[0]).shape == (60, 2) and set(clf.predict(graphs[0]).ravel()) <= {0, 1}
    assert clf.predict_proba(graphs[0]).shape == (60, 2)


def test_files_and_pickles_answer_the_same(data, clf, tmp_path):
    clf.save(tmp_path / "m.safetensors")
    loaded = mp.load_model(tmp_path / "m.safetensors")
    assert isinstance(loaded, mp.GraphClassifier) and loaded.pool == "sag" and loaded.hidden == 16 and loaded.flip is True
    for other in loaded, pickle.loads(pickle.dumps(clf)):
        assert (other.predict_proba(data) == clf.predict_proba(data)).all()
        assert other.classes_.tolist() == [3, 7]
    again = mp.GraphClassifier(**{**loaded.get_params(), "threads": 1}).fit(data)
    assert (again.predict_proba(data) == clf.predict_proba(data)).all()
    with pytest.raises(mp.FileError):
        clf.save("/nowhere/m.safetensors")
    with pytest.raises(OSError):
        mp.load_model("/nowhere/m.safetensors")


def test_weights_by_name(clf):
    weights = clf.state_dict()
    assert sum(w.size for w in weights.values()) == clf._about["weights"]
    assert all(w.dtype == np.float32 for w in weights.values())
    assert weights[min(weights)].ndim in (1, 2)


def test_explanations(data, clf):
    why = clf.explain(data[3])
    assert len(why.levels) == 2 and why.prediction == clf.predict(data)[3]
    assert (why.value == clf.predict_proba(data)[3]).all()
    first, second = why.levels
    assert first.node.tolist() == list(range(data[3].nodes)) and first.score.shape == (data[3].nodes, 5)
    assert sorted(first.kept) == first.node[first.is_kept].tolist() and set(second.node) == set(first.kept)
    assert len(why.kept[0]) == -(-data[3].nodes // 2)
    assert why._repr_html_().count("<svg") == 1 and "level 2" in why.svg and repr(why).startswith("<Explanation")
    assert clf.explain(data[[3]]).svg == why.svg == clf.explain(data[3].to_networkx()).svg
    with pytest.raises(mp.UsageError, match="expected one graph, got 60"):
        clf.explain(data)


def test_options_are_checked(data):
    with pytest.raises(TypeError, match="no option 'hiden'; did you mean 'hidden'"):
        mp.GraphClassifier(hiden=3)
    with pytest.raises(TypeError, match="no option"):
        mp.GraphClassifier().set_params(nonsense=3)
    with pytest.raises(mp.UsageError, match="alpha"):
        mp.GraphClassifier("topk", alpha=0.5).fit(data)
    with pytest.raises(ValueError, match="ratio"):
        mp.GraphClassifier(ratio=2).fit(data)
    with pytest.raises(mp.InputError, match="requires y to be passed, but the target y is None"):
        mp.GraphClassifier().fit([nx.path_graph(3)] * 4)
    with pytest.raises(mp.Error, match="1 class"):
        mp.GraphClassifier().fit([nx.path_graph(3)] * 4, [1] * 4)
    assert mp.GraphClassifier("gsa", alpha=0.5, **FEW).fit(data).get_params()["alpha"] == 0.5


def test_a_watch_sees_every_epoch_and_may_end_it(data):
    seen = []
    clf = mp.GraphClassifier(**FEW).fit(data, watch=lambda news: seen.append(news) or news["epoch"] == 3)
    assert [n["epoch"] for n in seen] == [1, 2, 3] and clf.result_["epochs"] == 3
    with pytest.raises(ZeroDivisionError):
        mp.GraphClassifier(**FEW).fit(data, watch=lambda news: 1 / 0)


def test_an_estimator_that_was_not_fitted_says_so(data):
    from sklearn.exceptions import NotFittedError

    for work in (lambda c: c.predict(data), lambda c: c.predict_proba(data), lambda c: c.save("x"), lambda c: c.explain(data[0])):
        with pytest.raises(NotFittedError):
            work(mp.GraphClassifier())


def test_a_notebook_shows_it(clf):
    assert "SHAPES" in clf._repr_html_() and "accuracy" in clf._repr_html_()
    assert repr(mp.GraphClassifier("topk", seed=3, alpha=0.5)) == "GraphClassifier(pool='topk', seed=3, alpha=0.5)"
