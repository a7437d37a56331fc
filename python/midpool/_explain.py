"""Which nodes a model kept of a graph."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _midpool


@dataclass(frozen=True)
class Level:
    """One pooling. Nodes have the numbers of the graph that was asked about."""

    node: np.ndarray  #: nodes that entered it
    score: np.ndarray  #: their raw scores, a row a node
    gate: np.ndarray  #: what scales the row of a node that is kept
    key: np.ndarray  #: what they were ranked by
    is_kept: np.ndarray  #: of each node, whether it was kept
    kept: np.ndarray  #: kept nodes by falling key
    edges: np.ndarray  #: E x 2, among the nodes that entered


@dataclass(frozen=True)
class Explanation:
    """What a model did with one graph; in a notebook it shows as a picture: a panel a level, dark = high, red ring = kept."""

    prediction: Any  #: as predict gives it
    value: np.ndarray  #: probabilities or numbers
    levels: list[Level]  #: empty where the method drops no nodes
    svg: str  #: the picture

    @property
    def kept(self) -> list[np.ndarray]:
        """Kept nodes of every level, by falling key."""
        return [level.kept for level in self.levels]

    @property
    def scores(self) -> list[np.ndarray]:
        """Raw scores of every level, a row for each node that entered it."""
        return [level.score for level in self.levels]

    def save(self, path: str) -> None:
        """The picture as a file."""
        with open(path, "w", encoding="utf-8") as out:
            out.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return f"<figure>{self.svg}</figure>"

    def __repr__(self) -> str:
        kept = " -> ".join([str(len(level.node)) for level in self.levels[:1]] + [str(len(k)) for k in self.kept])
        return f"<Explanation: {self.prediction}; nodes kept {kept or 'all'}>"


def _level(told: dict[str, Any]) -> Level:
    node = np.frombuffer(told["node"], np.intc)
    ends = np.frombuffer(told["from"], np.intc), np.frombuffer(told["to"], np.intc)
    return Level(node, np.frombuffer(told["score"]).reshape(len(node), -1), np.frombuffer(told["gate"]).reshape(len(node), -1),
                 np.frombuffer(told["key"]), np.frombuffer(told["is_kept"], np.bool_), np.frombuffer(told["kept"], np.intc),
                 np.stack(ends, axis=1))


def explain(model: Any, data: Any, graph: int, title: str | None, answer: Any) -> Explanation:
    """Of graph number ``graph`` of a data set's core; ``answer`` makes a prediction of values."""
    levels, value, svg = _midpool.explain(model, data, graph, title)
    values = np.frombuffer(value, np.float32)
    return Explanation(answer(values), values, [_level(told) for told in levels], svg)
