"""Studies: the program's rows, its errors, Ctrl-C."""
import json
import os
import signal
import subprocess
import sys
import time

import pytest

import midpool as mp

TIMES = {"seconds", "seconds_per_epoch", "peak_bytes"}


def told(runs):
    return [{k: v for k, v in r.items() if k not in TIMES} for r in runs]


def test_rows_are_the_programs_bit_for_bit(mutag, tmp_path):
    study = mp.cv(mutag, pool=["sag", "topk"], mid=True, seeds=1, epochs=2, jobs=2, store=tmp_path / "p.db", progress=False)
    said = subprocess.run([mp.program(), "cv", "MUTAG", "--pool=sag,topk", "--mid", "--seeds=1", "--epochs=2", "--jobs=2", "--json", "--quiet",
                           f"--store={tmp_path / 'c.db'}"], check=True, capture_output=True, text=True).stdout
    want = json.loads(said)["runs"]
    assert len(want) == 20 and told(study.runs) == told(want)
    assert study.store == str(tmp_path / "p.db")
    rows = study.to_pandas()
    assert rows.shape[0] == 20 and rows["test_accuracy"].tolist() == [r["test"]["accuracy"] for r in want]
    assert "score_dim" in study.to_pandas(config=True) and "SAGPool" in repr(study) and "<table" in study._repr_html_()


def test_graphs_in_memory_are_the_set_they_came_from(mutag, tmp_path):
    store = tmp_path / "r.db"
    options = dict(seeds=1, folds=5, epochs=1, hidden=8, store=store, progress=False)
    first = mp.cv(mp.Dataset.from_arrays(**mutag.arrays(), y=mutag.y, name="MUTAG"), **options)
    again = mp.cv([g.to_networkx() for g in mutag[:40]], **{**options, "store": None})
    assert len(first) == 5 and len(again) == 5 and first.runs[0]["folds_from"] == "stratified"
    started = time.time()
    assert told(mp.cv(mp.Dataset.from_arrays(**mutag.arrays(), y=mutag.y, name="MUTAG"), **options).runs) == told(first.runs)
    assert time.time() - started < 60


def test_methods_are_compared_as_the_program_does(data, tmp_path):
    for store in None, tmp_path / "r.db":
        study = mp.cv(data, pool=["sag", "topk"], mid=True, seeds=2, folds=3, epochs=2, hidden=8, store=store, progress=False)
        against = study.compare("sag")
        said = subprocess.run([mp.program(), "compare", study.store, "--baseline=sag + MID", "--json"], check=True, capture_output=True, text=True).stdout
        assert against.told == json.loads(said) and len(against) == len(against.words) == 1
        assert against[0]["against"] == "sag + MID" and against.to_pandas()["pairs"].tolist() == [6]
        assert [r["p_holm"] for r in study.compare()] == [against[0]["p_holm"]]
        with pytest.raises(mp.UsageError, match="'gsa' is no method of the store; it has sag . MID, topk . MID"):
            study.compare("gsa")
    kept = mp.cv(data, seeds=1, folds=2, epochs=1, hidden=8, progress=False)
    path = kept.store
    assert os.path.exists(path)
    del kept
    assert not os.path.exists(path)


def test_errors_of_the_program_are_exceptions(data):
    with pytest.raises(mp.UsageError, match="nonsense"):
        mp.cv(data, nonsense=3, progress=False)
    with pytest.raises(mp.Error, match="no data set"):
        mp.cv("NOSUCHSET", progress=False)


def test_a_sweep_from_a_dict(data, tmp_path):
    data.save(tmp_path / "shapes.jsonl")
    study = mp.sweep({"datasets": [str(tmp_path / "shapes.jsonl")], "pool": ["sag", "topk"], "seeds": 1, "folds": 2, "epochs": 1, "hidden": 8},
                     progress=False)
    assert len(study) == 4


def test_progress_goes_to_stderr(data, capsys):
    mp.cv(data, seeds=1, folds=2, epochs=1, hidden=8)
    assert capsys.readouterr().err != ""
    mp.cv(data, seeds=1, folds=2, epochs=1, hidden=8, progress=False)
    assert capsys.readouterr().err == ""


def interrupted(code, cwd):
    """Output of a Python that is interrupted once it has said so, and the seconds it took from there."""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd,
                             env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(mp.__file__))})
    assert child.stdout.readline() == "ready\n"
    started = time.time()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=120)
    return out, err, time.time() - started


SHAPES = """
import networkx as nx, midpool as mp
data = mp.Dataset.from_networkx([nx.cycle_graph(3 + n % 9) for n in range(300)] + [nx.star_graph(3 + n % 9) for n in range(300)], [0, 1] * 300)
"""


def test_ctrl_c_ends_training_between_epochs(tmp_path):
    out, err, seconds = interrupted(SHAPES + """
import threading
try:
    threading.Timer(0.5, lambda: print("ready", flush=True)).start()
    mp.GraphClassifier(epochs=100000, patience=100000).fit(data)
except KeyboardInterrupt:
    print("stopped", mp.GraphClassifier(epochs=1).fit(data).result_["epochs"])
""", tmp_path)
    assert out == "stopped 1\n", err
    assert seconds < 60


def test_ctrl_c_ends_a_study_and_keeps_its_runs(tmp_path):
    out, err, _ = interrupted(SHAPES + """
import json, subprocess, threading, time
def done():
    said = subprocess.run([mp.program(), "status", "r.db", "--json"], capture_output=True, text=True)
    return json.loads(said.stdout)["done"] if said.returncode == 0 else 0
def tell():
    while not done(): time.sleep(0.2)
    print("ready", flush=True)
threading.Thread(target=tell).start()
try:
    mp.cv(data, seeds=1000, epochs=20, hidden=8, store="r.db", progress=False)
except KeyboardInterrupt:
    print("stopped")
""", tmp_path)
    assert out == "stopped\n", err
    kept = subprocess.run([mp.program(), "status", str(tmp_path / "r.db"), "--json"], check=True, capture_output=True, text=True).stdout
    assert 0 < json.loads(kept)["done"] < 10000
