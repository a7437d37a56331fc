"""Examples in docstrings and in docs/python.md run and say what stands there."""
import doctest
import importlib
import os
import pkgutil
import re
import runpy
import subprocess
import sys
import types

import numpy as np
import pytest

import midpool as mp
import midpool._program

SOURCE = os.environ.get("MIDPOOL_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = [m.name for m in pkgutil.iter_modules(mp.__path__) if m.name not in ("_midpool", "_build")]


@pytest.mark.parametrize("name", ["", *MODULES])
def test_docstrings(name):
    module = importlib.import_module(f"midpool.{name}" if name else "midpool")
    failed, tried = doctest.testmod(module, optionflags=FLAGS)
    assert failed == 0
    assert tried or name in ("_explain", "_program")


def test_the_page(mutag, tmp_path, monkeypatch):
    assert len(mutag) == 188
    page = os.path.join(SOURCE, "docs", "python.md")
    folder = os.environ.get("MIDPOOL_DATA") or os.path.abspath(os.path.dirname(mutag.origin))
    monkeypatch.setenv("MIDPOOL_DATA", folder)
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(os.path.abspath(page), module_relative=False, optionflags=FLAGS)
    assert failed == 0 and tried > 20


def stand_in_for_pyg(monkeypatch):
    """PyTorch Geometric is not in Debian: a class with the attributes of its Data, and NumPy where PyTorch is not there either."""
    class Data:
        def __init__(self, **kw):
            self.__dict__.update(kw)

        num_nodes = property(lambda self: len(self.x))

    package, module = types.ModuleType("torch_geometric"), types.ModuleType("torch_geometric.data")
    module.Data = Data
    monkeypatch.setitem(sys.modules, "torch_geometric", package)
    monkeypatch.setitem(sys.modules, "torch_geometric.data", module)
    try:
        import torch  # noqa: F401
    except ImportError:
        torch = types.ModuleType("torch")
        torch.rand, torch.tensor = lambda *n: np.random.rand(*n).astype(np.float32), np.array
        monkeypatch.setitem(sys.modules, "torch", torch)


def test_every_block_about_own_data_runs(tmp_path, monkeypatch, capfd):
    with open(os.path.join(SOURCE, "docs", "own-data.md")) as f:
        parts = re.findall(r"^## (.*?)$|^```(python|sh)\n(.*?)^```$", f.read(), re.M | re.S)
    stand_in_for_pyg(monkeypatch)
    monkeypatch.chdir(tmp_path)
    program = os.path.abspath(mp._program.program())
    monkeypatch.setenv("PATH", os.path.dirname(program) + os.pathsep + os.environ["PATH"])
    names, ran, section = {}, 0, ""
    for title, language, block in parts:
        section = title or section
        if title or ("SMILES" in section and "MIDPOOL_HAS_RDKIT" not in os.environ):
            continue
        if language == "python":
            exec(compile(block, "own-data.md", "exec"), names)
        else:
            subprocess.run(["sh", "-e", "-c", block], check=True)
        ran += 1
    assert ran >= (12 if "MIDPOOL_HAS_RDKIT" in os.environ else 10)
    said = capfd.readouterr().out
    assert "['ring' 'star']" in said and "3 folds by group:lab" in said and "toxic" in said
    assert os.path.exists("kept.svg") and os.path.exists("tox.graphml")


def test_networks_of_pytorch_have_equal_outputs(capsys):
    pytest.importorskip("torch", reason="PyTorch is not there (python3-torch)")
    runpy.run_path(os.path.join(SOURCE, "examples", "to_pytorch.py"), run_name="__main__")
    assert capsys.readouterr().out.count("72 graphs, probabilities differ by at most") == 4
