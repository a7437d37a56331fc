"""Examples in docstrings and in docs/python.md run and say what stands there."""
import doctest
import importlib
import os
import pkgutil
import runpy

import pytest

import midpool as mp

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


def test_networks_of_pytorch_have_equal_outputs(capsys):
    pytest.importorskip("torch", reason="PyTorch is not there (python3-torch)")
    runpy.run_path(os.path.join(SOURCE, "examples", "to_pytorch.py"), run_name="__main__")
    assert capsys.readouterr().out.count("72 graphs, probabilities differ by at most") == 4
