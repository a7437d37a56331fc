"""Studies: many runs over folds and seeds, which the program makes and keeps in a store."""
from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Mapping, Sequence

from . import _lists, _midpool, _program
from ._data import Dataset, html_table

Names = str | Sequence[str]


class Comparison(_lists.Table):
    """Which differences between methods may be claimed: a row a data set and pair, with difference, interval and corrected p."""

    def __init__(self, told: dict[str, Any]):
        super().__init__({k: v for k, v in row.items() if k != "words"} for row in told["comparisons"])
        self.told = told  #: all that the program says (docs/formats.md), ranks over data sets too
        self.words: list[str] = [row["words"] for row in told["comparisons"]]  #: the same as sentences


class Study:
    """Finished runs and what is said of them: the JSON that the program prints."""

    def __init__(self, told: dict[str, Any], keep: Any = None):
        self._keep = keep  # the folder of a store that nobody asked for, which goes when the study does
        self.told = told  #: all of it
        self.runs: list[dict[str, Any]] = told.get("runs", [])  #: one dict a run

    @property
    def store(self) -> str:
        """The file that has the runs."""
        return self.told["store"]

    @property
    def summary(self) -> _lists.Table:
        """A row a data set and method: the test metric as it was chosen, mean, deviation over seeds and over folds."""
        rows = []
        for s in self.told.get("studies", []):
            chosen = s["summary"][self.told["select"]]
            rows.append({**{k: s[k] for k in ("dataset", "model", "metric")},
                         **{k: chosen.get(k) for k in ("mean", "std_seeds", "std_folds", "runs", "missing")}})
        return _lists.Table(rows)

    def to_pandas(self, config: bool = False) -> Any:
        """A DataFrame with a row a run; ``config``: with all of its options."""
        import pandas

        rows = []
        for run in self.runs:
            row = {k: v for k, v in run.items() if not isinstance(v, dict)}
            for part in "val", "test":
                row.update({f"{part}_{k}": v for k, v in run.get(part, {}).items()})
            if config:
                row.update({_lists.python_name(k): v for k, v in run["config"].items()})
            rows.append(row)
        return pandas.DataFrame(rows)

    def compare(self, baseline: str | None = None, metric: str | None = None) -> Comparison:
        """Methods of the store against one of them, or each with each: ``midpool compare``. ``baseline`` is a name of
        ``told["methods"]`` such as "sag + MID", or the beginning of one that only one has."""
        words = ["compare", self.store, "--json", *_words({"metric": metric})]
        if baseline is not None:
            names = json.loads(_program.run(words, progress=False))["methods"]
            words.append(f"--baseline={_method(baseline, names)}")
        return Comparison(json.loads(_program.run(words, progress=False)))

    def __len__(self) -> int:
        return len(self.runs)

    def __repr__(self) -> str:
        return f"<Study of {len(self)} runs>\n{self.summary!r}"

    def _repr_html_(self) -> str:
        return html_table("study", [("runs", len(self)), ("store", self.store)]) + self.summary._repr_html_()


def _method(name: str, names: Sequence[str]) -> str:
    near = [name] if name in names else [n for n in names if n.startswith(f"{name} ")]
    if len(near) == 1:
        return near[0]
    raise _midpool.UsageError(f"baseline: '{name}' is {'no method' if not near else 'not one method'} of the store; it has {', '.join(names)}")


def _words(options: Mapping[str, Any]) -> list[str]:
    """Options of the command line; None is not given, a switch that is off has its no-."""
    words = []
    for keyword, value in options.items():
        name = keyword.rstrip("_").replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{name}" if value else f"--no-{name}")
        elif value is not None:
            words.append(f"--{name}={_lists.option_text(value)}")
    return words


def _input(data: Any, folder: str) -> str:
    """What the program is told to read: a set that it can find itself, or a file with the same graphs."""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    if not isinstance(data, Dataset):
        data = Dataset.from_graphs(data)
    if data.origin is not None and data._which is None and os.path.exists(data.origin):
        return data.origin
    path = os.path.join(folder, f"{data.name.replace('/', '_')}.jsonl")
    data.save(path)
    return path


def cv(data: Any, *, pool: Names = "sag", mid: bool = False, seeds: int = 10, folds: int | None = None, jobs: int | None = None,
       store: str | os.PathLike[str] | None = None, models: str | os.PathLike[str] | None = None, progress: bool = True,
       **options: Any) -> Study:
    """Cross-validation over folds and seeds: ``midpool cv``. Rows are the program's, bit for bit.

    ``data``: a Dataset, a list of graphs, or a name or path (several with commas between). ``store`` keeps finished runs:
    with the same one a study continues where it was stopped; None: it is forgotten with the study. ``progress``: lines on sys.stderr.
    Other keywords are the command's options (mp.options() lists those of training).

    >>> import midpool as mp, networkx as nx
    >>> data = mp.Dataset.from_networkx([nx.cycle_graph(3 + n % 5) for n in range(20)] + [nx.star_graph(2 + n % 5) for n in range(20)],
    ...                                 [0] * 20 + [1] * 20)
    >>> study = mp.cv(data, pool=["sag", "topk"], seeds=1, folds=2, epochs=2, hidden=8, progress=False)
    >>> len(study), sorted({run["pool"] for run in study.runs})
    (4, ['sag', 'topk'])
    """
    with tempfile.TemporaryDirectory(prefix="midpool-") as folder:
        words = ["cv", _input(data, folder), *_words({"pool": pool, "seeds": seeds, "folds": folds, "jobs": jobs})]
        words += ["--mid"] * mid + ([f"--models={os.fspath(models)}"] if models is not None else []) + _words(options)
        return _run(words, store, progress)


def sweep(config: Any, *, jobs: int | None = None, store: str | os.PathLike[str] | None = None, progress: bool = True,
          **options: Any) -> Study:
    """Grids over anything: ``midpool sweep``. ``config`` is the path of a YAML file, or a dict of what it would say.
    """
    with tempfile.TemporaryDirectory(prefix="midpool-") as folder:
        path = config if isinstance(config, (str, os.PathLike)) else os.path.join(folder, "sweep.yaml")
        if path is not config:
            with open(path, "w", encoding="utf-8") as out:
                json.dump(config, out)
        return _run(["sweep", os.fspath(path), *_words({"jobs": jobs}), *_words(options)], store, progress)


def _run(words: list[str], store: str | os.PathLike[str] | None, progress: bool) -> Study:
    """Without a store the study has one for as long as it lives."""
    keep = tempfile.TemporaryDirectory(prefix="midpool-") if store is None else None
    path = os.path.join(keep.name, "runs.db") if keep else os.fspath(store)  # type: ignore[arg-type]
    return Study(json.loads(_program.run([*words, "--json", f"--store={path}"], progress=progress)), keep)
