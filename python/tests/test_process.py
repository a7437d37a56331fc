"""The interpreter's threads, forks, memory; what modules are imported."""
import gc
import os
import re
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import FEW

import midpool as mp


def test_the_version_is_the_programs():
    said = subprocess.run([mp.program(), "--version"], capture_output=True, text=True, check=True).stdout
    assert said == f"midpool {mp.__version__}\n"


def test_importing_it_imports_numpy_and_nothing_large():
    code = "import sys, midpool; print([m for m in ('pandas', 'sklearn', 'networkx', 'scipy', 'torch') if m in sys.modules])"
    env = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(mp.__file__))}
    assert subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_python_without_numpy_takes_that_of_the_build():
    env = {"PYTHONPATH": os.path.dirname(os.path.dirname(mp.__file__)), "PYTHONDONTWRITEBYTECODE": "1"}
    code = "import midpool; print(midpool.Dataset.from_arrays([0, 2], [[0], [1]]))"  # -S: no packages of this machine
    assert "1 graphs" in subprocess.run([sys.executable, "-S", "-c", code], env=env, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("package", ["midpool", "lib/python3/site-packages/midpool"])  # pip install with --target, with --prefix
def test_an_installed_package_finds_the_program_it_came_with(tmp_path, package):
    shutil.copytree(os.path.dirname(mp.__file__), tmp_path / package, ignore=shutil.ignore_patterns("_build.py", "*.p", "__pycache__"))
    (tmp_path / "bin").mkdir()
    shutil.copy(mp.program(), tmp_path / "bin")
    env = {"PYTHONPATH": os.path.dirname(tmp_path / package), "PATH": "/nowhere"}
    said = subprocess.run([sys.executable, "-c", "import midpool; print(midpool.program())"], env=env, capture_output=True, text=True, check=True)
    assert said.stdout == f"{tmp_path / 'bin' / 'midpool'}\n"


def test_threads_train_and_answer_at_once(data, clf):
    want, sha = clf.predict_proba(data), mp.GraphClassifier(**FEW).fit(data).result_["sha256"]
    wrong = []

    def work():
        for _ in range(5):
            if not (clf.predict_proba(data) == want).all():
                wrong.append("an answer")
            if mp.GraphClassifier(**FEW).fit(data).result_["sha256"] != sha:
                wrong.append("a model")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(120)
    assert not wrong and not any(t.is_alive() for t in threads)


def test_other_threads_run_while_it_computes(data):
    count, done = [0], threading.Event()

    def work():
        while not done.is_set():
            count[0] += 1
            done.wait(0.001)

    counter = threading.Thread(target=work)
    counter.start()
    try:
        mp.GraphClassifier(hidden=64, epochs=150, patience=150).fit(data)
        during = count[0]
    finally:
        done.set()
        counter.join()
    assert during > 5


def test_a_forked_child_can_train(data, clf):
    want = clf.predict_proba(data)
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            clf.predict_proba(data)

    other = threading.Thread(target=busy)  # a fork in the middle of a call of another thread
    other.start()
    try:
        for _ in range(5):
            pid = os.fork()
            if pid == 0:
                same = (clf.predict_proba(data) == want).all() and mp.GraphClassifier(**FEW).fit(data).result_["epochs"] == 8
                os._exit(0 if same else 1)
            assert os.waitpid(pid, 0)[1] == 0
    finally:
        stop.set()
        other.join()


def resident():
    """Memory that the process has and does not share with files, in KiB."""
    with open("/proc/self/smaps_rollup", encoding="ascii") as f:
        return int(re.search(r"Anonymous: +(\d+) kB", f.read())[1])


def cycles(data, n):
    for i in range(n):
        clf = mp.GraphClassifier("sag", mid=True, hidden=8, layers=2, epochs=1, threads=2).fit(data[:40], val=data[40:])
        clf.predict(data)
        clf.explain(data[i % 60])
        clf.state_dict()
        mp.Dataset.from_arrays(**data.arrays(), y=data.y).fingerprint
        for bad in (lambda: mp.GraphClassifier(ratio=3).fit(data), lambda: mp.Dataset.from_arrays([0, 2, 2], [[], []])):
            try:
                bad()
            except mp.Error:
                pass


def test_cycles_grow_no_memory(data):
    n = int(os.environ.get("MIDPOOL_CYCLES", "60"))
    cycles(data, 40)
    gc.collect()
    before = resident()
    cycles(data, n)
    gc.collect()
    assert resident() - before < 2048, f"{resident() - before} KiB after {n} cycles"


def peak():
    with open("/proc/self/status", encoding="ascii") as f:
        return int(re.search(r"VmHWM:\s+(\d+)", f.read())[1]) * 1024


def test_scipy_matrices_take_at_most_twice_their_memory():
    from scipy import sparse

    rng = np.random.default_rng(0)
    a = sparse.random(20_000, 20_000, 1e-3, "csr", random_state=rng)
    a = (a + a.T).tocsr()
    x = rng.normal(size=(80_000, 8)).astype(np.float32)
    arrays = 4 * (a.data.nbytes + a.indices.nbytes + a.indptr.nbytes) + x.nbytes
    matrices = [a] + [a.copy() for _ in range(3)]
    with open("/proc/self/clear_refs", "w", encoding="ascii") as f:
        f.write("5")  # the peak is what there is now
    before = peak()
    assert len(mp.Dataset.from_scipy(matrices, x)) == 4
    assert peak() - before < 2 * arrays


def test_arrays_are_read_where_they_lie():
    node_ptr = np.arange(0, 2_000_001, 2, dtype=np.intc)
    edges = np.stack([node_ptr[:-1], node_ptr[:-1] + 1])
    before = [a.tobytes() for a in (node_ptr, edges)]
    data = mp.Dataset.from_arrays(node_ptr, edges)
    assert len(data) == 1_000_000 and [node_ptr.tobytes(), edges.tobytes()] == before
    edges[:] = 0  # it has copies of its own
    assert data[999_999].edges.tolist() == [[0, 1]]
