"""What there is to choose from, as tables."""
from __future__ import annotations

import html
from typing import Any, Iterable

from . import _midpool


class Table(list):
    """Rows of a table, each a dict: a list that prints as text and shows as a table in a notebook."""

    def __init__(self, rows: Iterable[dict[str, Any]]):
        super().__init__(rows)

    @property
    def columns(self) -> list[str]:
        """Names of the columns, those of the first row first."""
        return list(dict.fromkeys(name for row in self for name in row))

    def to_pandas(self) -> Any:
        """The same as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(list(self), columns=self.columns)

    def __repr__(self) -> str:
        columns = self.columns
        cells = [columns] + [[_text(row.get(c)) for c in columns] for row in self]
        width = [max(len(line[i]) for line in cells) for i in range(len(columns))]
        return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, width)).rstrip() for line in cells)

    def _repr_html_(self) -> str:
        columns = self.columns
        head = "".join(f"<th>{html.escape(c)}</th>" for c in columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(_text(r.get(c)))}</td>" for c in columns) + "</tr>" for r in self)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def python_name(option: str) -> str:
    """An option as a keyword: score-dim is score_dim, lambda is lambda_."""
    name = option.replace("-", "_")
    return name + "_" if name == "lambda" else name


#: Options by the keyword that estimators and studies take.
KEYWORDS: dict[str, dict[str, Any]] = {python_name(e["name"]): e for e in _midpool.entries(_midpool.OPTIONS)}


def ops() -> Table:
    """Pooling operators and baselines: values of ``pool``.

    >>> import midpool as mp
    >>> [row["title"] for row in mp.ops() if row["name"] in ("sag", "topk")]
    ['TopKPool', 'SAGPool']
    """
    rows = []
    for kind, word in (_midpool.OPERATORS, "operator"), (_midpool.BASELINES, "baseline"):
        for e in _midpool.entries(kind):
            own = [k for k, o in KEYWORDS.items() if _midpool.method_has(e["name"], o["name"])]
            rows.append({"name": e["name"], "kind": word, "title": e["title"], "paper": e["about"], "options": own})
    shared = set.intersection(*(set(r["options"]) for r in rows))
    for row in rows:  # what every method has says nothing about this one
        row["options"] = [k for k in row["options"] if k not in shared]
    return Table(rows)


def options(pool: str | None = None) -> Table:
    """Options of training with default and range; with ``pool``, those that this method looks at.

    >>> import midpool as mp
    >>> [row["default"] for row in mp.options("gsa") if row["name"] == "alpha"]
    ['0.6']
    """
    rows = []
    for keyword, e in KEYWORDS.items():
        if pool is not None and not _midpool.method_has(pool, e["name"]):
            continue
        domain = e["choices"] or (f"{e['lo']:g} to {e['hi']:g}" if e["lo"] < e["hi"] else "")
        rows.append({"name": keyword, "default": e["initial"], "values": domain, "about": e["about"]})
    return Table(rows)


def presets() -> Table:
    """Settings under a name: values of ``preset``."""
    return Table({"name": e["name"], "about": e["about"]} for e in _midpool.entries(_midpool.PRESETS))


def metrics() -> Table:
    """Metrics: values of ``metric``.

    >>> import midpool as mp
    >>> [row["larger_is_better"] for row in mp.metrics() if row["name"] == "accuracy"]
    [True]
    """
    return Table({"name": e["name"], "title": e["title"], "larger_is_better": e["larger"]}
                 for e in _midpool.entries(_midpool.METRICS))


def option_text(value: Any) -> str:
    """A value as the library reads it."""
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(option_text(v) for v in value)
    return repr(float(value)) if isinstance(value, float) else str(value)
