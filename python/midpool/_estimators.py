"""Estimators with the conventions of scikit-learn, which need not be installed."""
from __future__ import annotations

import difflib
import inspect
import os
from typing import Any, Callable, ClassVar

import numpy as np

from . import _lists, _midpool
from ._data import Dataset, as_dataset, html_table, join
from ._explain import Explanation, explain

#: Options that fit decides about itself: which graphs do what.
_NOT_TAKEN = {"folds"}


class _GraphEstimator:
    _estimator_type: ClassVar[str]
    _tasks: ClassVar[tuple[str, ...]]

    def __init__(self, pool: str = "sag", *, mid: bool = False, preset: str | None = None, seed: int | None = None,
                 epochs: int | None = None, hidden: int | None = None, layers: int | None = None, ratio: float | None = None,
                 lr: float | None = None, batch_size: int | None = None, dropout: float | None = None,
                 patience: int | None = None, threads: int | None = None, **options: Any):
        self.pool = pool
        self.mid = mid
        self.preset = preset
        self.seed = seed
        self.epochs = epochs
        self.hidden = hidden
        self.layers = layers
        self.ratio = ratio
        self.lr = lr
        self.batch_size = batch_size
        self.dropout = dropout
        self.patience = patience
        self.threads = threads
        for name, value in options.items():
            _known(name)
            setattr(self, name, value)

    # ---- parameters ----

    @classmethod
    def _named(cls) -> list[str]:
        return [n for n, p in inspect.signature(cls.__init__).parameters.items() if n != "self" and p.kind != p.VAR_KEYWORD]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters: those of the signature, and other options that were given."""
        del deep
        named = self._named()
        more = sorted(n for n in vars(self) if n in _lists.KEYWORDS and n not in named)
        return {n: getattr(self, n) for n in named + more}

    def set_params(self, **params: Any) -> "_GraphEstimator":
        """Sets parameters; any option of mp.options() is one."""
        named = self._named()
        for name, value in params.items():
            if name not in named:
                _known(name)
            setattr(self, name, value)
        return self

    def _texts(self) -> tuple[str, ...]:
        """Options as the library reads them; None leaves one to the library."""
        params = self.get_params()
        presets = [p for p in (params.pop("preset"), "mid" if params.pop("mid") else None) if p]
        texts = [f"{_lists.KEYWORDS[n]['name']}={_lists.option_text(v)}" for n, v in params.items() if v is not None]
        return tuple(texts + ([f"preset={','.join(presets)}"] if presets else []))

    # ---- training ----

    def fit(self, X: Any, y: Any = None, val: Any = None, *, watch: Callable[[dict[str, Any]], Any] | None = None) -> Any:
        """Trains on ``X``, a Dataset or a list of graphs, with the labels ``y`` or those that it has.

        ``val``: graphs that decide when training stops and which epoch counts, a Dataset or a pair (graphs, labels). Without
        them a tenth of the training graphs does, drawn from every class alike. Views of one Dataset train as the program does
        with a fold of these graphs, to the bit. ``watch`` is called after each epoch with a dict about it; when it returns
        something true, training ends there.
        """
        train = as_dataset(X, y)
        known = train.y
        if known is None:
            raise _midpool.InputError(f"{type(self).__name__} requires y to be passed, but the target y is None, and the graphs bring none")
        if known.dtype.kind == "f" and np.isnan(known).all():
            raise _midpool.InputError("y: expected labels, got NaN alone: none is known")
        held = None if val is None else as_dataset(*val) if isinstance(val, tuple) else as_dataset(val)
        core, places, val_places = _together(train, held)
        options = self._texts()
        if train.task not in self._tasks and not any(o.startswith("task=") for o in options):
            options += (f"task={self._tasks[0]}",)
        self._model, self.result_ = _midpool.train(core, options, places, val_places, None, watch)
        self._take()
        return self

    def _take(self) -> None:
        """What a model says of itself."""
        self._about = _midpool.trained_about(self._model)
        if self._about["task"] not in self._tasks:
            raise _midpool.UsageError(f"task {self._about['task']}: a {type(self).__name__} does {' and '.join(self._tasks)}")

    @property
    def _fitted(self) -> Any:
        if not hasattr(self, "_model"):
            raise _not_fitted(type(self).__name__)
        return self._model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:  # scikit-learn from 1.6 on
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags

        classifies = self._estimator_type == "classifier"
        return Tags(estimator_type=self._estimator_type, target_tags=TargetTags(required=False), no_validation=True,
                    classifier_tags=ClassifierTags() if classifies else None, regressor_tags=None if classifies else RegressorTags(),
                    input_tags=InputTags(two_d_array=False))

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before that
        return {"X_types": ["graphs"], "no_validation": True, "requires_y": False}

    # ---- answers ----

    def _ask(self, X: Any, columns: str, kind: Any) -> np.ndarray:
        model, data = self._fitted, as_dataset(X)
        out = np.empty((len(data), self._about[columns]), kind)
        if len(data):
            places = (out, None) if columns == "outputs" else (None, out)
            _midpool.predict(model, data._core, data._which, self.threads or 0, *places)
        return out

    def _values(self, X: Any) -> np.ndarray:
        """n x outputs: probabilities or numbers."""
        return self._ask(X, "outputs", np.float32)

    def _answers(self, X: Any) -> np.ndarray:
        """Places of classes, or numbers: one a graph, or a row."""
        out = self._ask(X, "targets", np.float64)
        return out[:, 0] if out.shape[1] == 1 else out

    def evaluate(self, X: Any, y: Any = None) -> dict[str, float]:
        """Every metric of the task over the known labels."""
        model, data = self._fitted, as_dataset(X, y)
        return _midpool.evaluate(model, data._core, data._which, self.threads or 0)

    def explain(self, graph: Any, *, title: str | None = None) -> Explanation:
        """Which nodes the model keeps of a graph, at every level and by which scores."""
        model = self._fitted
        data = as_dataset(graph if isinstance(graph, Dataset) else [graph])
        if len(data) != 1:
            raise _midpool.UsageError(f"explain: expected one graph, got {len(data)}")
        place = 0 if data._which is None else int(data._which[0])
        return explain(model, data._core, place, title, self._answer)

    def _answer(self, values: np.ndarray) -> Any:
        raise NotImplementedError

    # ---- files ----

    def save(self, path: str | os.PathLike[str]) -> None:
        """To a model file (safetensors), which ``mp.load_model``, the program and the C library read."""
        _midpool.trained_save(self._fitted, os.fspath(path))

    def state_dict(self) -> dict[str, np.ndarray]:
        """Weights by name, with the shapes that PyTorch has for the like (docs/math.md says what is done with them)."""
        return {n: np.frombuffer(b, np.float32).reshape(shape) for n, shape, b in _midpool.trained_weights(self._fitted)}

    def __getstate__(self) -> dict[str, Any]:
        state = dict(vars(self))
        if "_model" in state:
            state["_model"] = _midpool.trained_bytes(state["_model"])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "_model" in state:
            state["_model"] = _midpool.trained_from(state["_model"])
        vars(self).update(state)

    # ---- for people ----

    def __repr__(self) -> str:
        default = {n: p.default for n, p in inspect.signature(type(self).__init__).parameters.items()}
        given = [f"{n}={v!r}" for n, v in self.get_params().items() if n not in default or v is not default[n]]
        return f"{type(self).__name__}({', '.join(given)})"

    def _repr_html_(self) -> str:
        rows = [(n, v) for n, v in self.get_params().items() if v is not None]
        if hasattr(self, "_model"):
            about = self._about
            rows += [("trained on", about["dataset"]), ("task", about["task"]), ("weights", f"{about['weights']:,}")]
            if hasattr(self, "result_"):
                r = self.result_
                rows += [("epochs", f"{r['epochs']}, best {r['best_epoch']}"), (f"validation {r['metric']}", f"{r['val_metric']:.4f}")]
        return html_table(type(self).__name__, rows)


class GraphClassifier(_GraphEstimator):
    """Classifies graphs. Parameters are options of the library: None leaves one to its default or to a preset.

    >>> import midpool as mp, networkx as nx
    >>> graphs = [nx.cycle_graph(n) for n in range(4, 24)] + [nx.star_graph(n) for n in range(3, 23)]
    >>> clf = mp.GraphClassifier(pool="topk", hidden=16, layers=2, epochs=30, lr=0.01)
    >>> clf.fit(graphs, [0] * 20 + [1] * 20).score([nx.cycle_graph(9), nx.star_graph(8)], [0, 1])
    1.0
    >>> clf.predict_proba([nx.cycle_graph(9)]).shape
    (1, 2)

    Labels of several yes/no questions (a row of 0, 1 and NaN each) are learned as such: predict gives a row of 0 and 1,
    predict_proba the probabilities of yes.
    """

    _estimator_type = "classifier"
    _tasks = ("classify", "binary")

    def _take(self) -> None:
        super()._take()
        self.classes_ = np.array(self._about["classes"] or [0, 1])

    def predict(self, X: Any) -> np.ndarray:
        """The class of each graph, as it was called in training; a row of 0 and 1 where there are several questions."""
        answers = self._answers(X)
        return self.classes_[answers.astype(np.intp)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """n x classes: probabilities, in the order of ``classes_``; of yes where questions are answered with it."""
        return self._values(X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of right answers."""
        data, y = _labelled(X, y)
        right = np.asarray(self.predict(data) == y, float)
        return float(np.average(right.reshape(len(right), -1).mean(axis=1), weights=sample_weight))

    def _answer(self, values: np.ndarray) -> Any:
        if self._about["task"] == "classify":
            return self.classes_[int(values.argmax())]
        return self.classes_[(values > 0.5).astype(np.intp)]


class GraphRegressor(_GraphEstimator):
    """Numbers of graphs: one, or a row of several; NaN where one is not known.

    >>> import midpool as mp, networkx as nx
    >>> graphs = [nx.path_graph(n) for n in range(2, 30)]
    >>> reg = mp.GraphRegressor(pool="topk", hidden=16, layers=2, epochs=60, lr=0.01).fit(graphs, [n / 10 for n in range(2, 30)])
    >>> reg.predict(graphs[:3]).shape
    (3,)
    """

    _estimator_type = "regressor"
    _tasks = ("regress", "count")

    def predict(self, X: Any) -> np.ndarray:
        """A number of each graph, or a row of them."""
        return self._answers(X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R^2: 1 less the squared error over that of the mean; of several numbers the mean of theirs."""
        data, y = _labelled(X, y)
        want = np.asarray(y, float).reshape(len(data), -1)
        weight = np.ones(len(data)) if sample_weight is None else np.asarray(sample_weight, float)
        weights = np.where(np.isnan(want), 0, weight[:, None])
        known = np.nan_to_num(want)
        mean = (weights * known).sum(axis=0) / weights.sum(axis=0)
        wrong = (weights * (known - self.predict(data).reshape(want.shape)) ** 2).sum(axis=0)
        spread = (weights * (known - mean) ** 2).sum(axis=0)
        # Of a constant: right or wrong, as scikit-learn has it.
        r2 = np.where(spread > 0, 1 - wrong / np.where(spread > 0, spread, 1), np.where(wrong > 0, 0.0, 1.0))
        return float(r2.mean())

    def _answer(self, values: np.ndarray) -> Any:
        return float(values[0]) if self._about["targets"] == 1 else values.astype(float)


def load_model(path: str | os.PathLike[str]) -> GraphClassifier | GraphRegressor:
    """A model file as a fitted estimator, with the options it was trained with."""
    model = _midpool.trained_load(os.fspath(path))
    about = _midpool.trained_about(model)
    kind = GraphClassifier if about["task"] in GraphClassifier._tasks else GraphRegressor
    params = {}
    for keyword, entry in _lists.KEYWORDS.items():
        try:
            text = _midpool.trained_option(model, entry["name"])
        except _midpool.UsageError:  # fold, threads, preset: of a run, not of a model
            continue
        if text != entry["initial"]:
            params[keyword] = _parsed(text, entry)
    made = kind(**params)
    made._model = model
    made._take()
    return made


def _parsed(text: str, entry: dict[str, Any]) -> Any:
    """A value as one would write it in Python."""
    if text in ("true", "false"):
        return text == "true"
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() and "." not in (entry["initial"] or "") else number


def _known(name: str) -> None:
    if name in _lists.KEYWORDS and name not in _NOT_TAKEN:
        return
    near = difflib.get_close_matches(name, _lists.KEYWORDS, 1)
    raise TypeError(f"there is no option '{name}'" + (f"; did you mean '{near[0]}'?" if near else " (mp.options() lists them)"))


def _labelled(X: Any, y: Any) -> tuple[Dataset, np.ndarray]:
    """What a score is of: graphs and their labels."""
    data = as_dataset(X, y)
    y = data.y
    if y is None:
        raise _midpool.InputError("y: there are no labels to compare with")
    return data, y


def _not_fitted(name: str) -> Exception:
    text = f"This {name} is not fitted yet; call fit first."
    try:
        from sklearn.exceptions import NotFittedError

        return NotFittedError(text)
    except ImportError:
        return AttributeError(text)


def _together(train: Dataset, val: Dataset | None) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """One set, and the places of both in it."""
    def places(data: Dataset) -> np.ndarray:
        return np.arange(len(data), dtype=np.intc) if data._which is None else data._which

    if val is None:
        return train._core, places(train), None
    if val._core is train._core:
        return train._core, places(train), places(val)
    both = np.arange(len(train) + len(val), dtype=np.intc)
    return join([train, val])._core, both[:len(train)], both[len(train):]
