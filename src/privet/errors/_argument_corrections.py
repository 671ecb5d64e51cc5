"""What to write instead of an argument that does not fit. What stands behind the `=` can be copied as it is."""

from __future__ import annotations

import os
import typing
from collections.abc import Iterable
from typing import Any

from privet.errors._near_names import did_you_mean
from privet.errors._value_kinds import TABLES, kind_words

__all__ = ["addition", "correction", "keyword_instead", "says_promise"]

# How to write what is most often missing or mistaken, by the class that the signature names.
_EXAMPLES = {
    "Promise": "pv.PureDP(0.5)",
    "Table": 'pv.open_table("patients.csv", unit=pv.Row())',
    "Ledger": "pv.Ledger.in_memory(limit=pv.ApproxDP(3, 1e-6))",
    "date": "datetime.date(2030, 12, 31)",
}
_BY_PARAMETER = {
    ("anonymize", "promise"): "pv.KAnonymity(5)",
    ("train", "promise"): "pv.ApproxDP(1, 1e-6)",
    ("release", "why"): '"weekly bed plan"',
    ("Ledger", "where"): '"patients.ledger"',
    ("train", "target"): '"readmitted"',
    ("tradeoff", "target"): '"readmitted"',
    ("where", "condition"): 'pv.col("age") >= 60',
    ("DataSet", "folder"): 'Path(".")',
}
# Parameters of a promise that are not parameters of a verb.
_PROMISED = {
    "epsilon": "pv.PureDP({})",
    "rho": "pv.ZeroConcentratedDP({})",
    "k": "pv.KAnonymity({})",
    "l": 'pv.LDiversity("…", {})',
    "t": 'pv.TCloseness("…", {})',
}


def says_promise(word: str) -> bool:
    """Whether a keyword is a parameter of a promise."""
    return word in _PROMISED


def keyword_instead(word: str, value: object, known: Iterable[str]) -> str:
    """For a keyword that there is not."""
    if says_promise(word) and "promise" in known:
        number = format(value, "g") if isinstance(value, int | float) and not isinstance(value, bool) else "…"
        return f"Say it as a promise: promise={_PROMISED[word].format(number)}."
    return did_you_mean(word, known)


def addition(name: str, word: str, kind: object) -> str:
    """For an argument that is missing."""
    return f"Add {word}={_example(name, word, kind) or '…'}."


def correction(name: str, word: str, value: object, kind: object) -> str:
    """For an argument of another kind."""
    wanted = {one.__name__ for one in _classes(kind)}
    if wanted & TABLES:
        return _opened(word, value)
    if "Person" in wanted and isinstance(value, str):
        return f"Write {word}=pv.Person({value!r})."
    if kind_words(kind).startswith("a list of") and not isinstance(value, type):
        if isinstance(value, str):
            return f"Write {word}=[{value!r}]."
        if hasattr(value, "__len__"):
            return f"Make a list of it: {word}=list(…)."
    if isinstance(value, type):
        return f"Make one: {value.__name__}(…)."
    example = _example(name, word, kind)
    return f"Write {word}={example}." if example else f"Give {word} as {kind_words(kind)}."


def _example(name: str, word: str, kind: object) -> str | None:
    known = (_EXAMPLES.get(one.__name__) for one in _classes(kind))
    return _BY_PARAMETER.get((name, word)) or next((one for one in known if one), None)


def _classes(kind: Any) -> list[type]:
    return [one for one in (typing.get_args(kind) or (kind,)) if isinstance(one, type)]


def _opened(word: str, value: object) -> str:
    """How a table is made of what was given."""
    if isinstance(value, str | os.PathLike):
        source = repr(os.fspath(value))
    elif hasattr(value, "table") and hasattr(value, "derived"):
        return "A question is not a table: give the table that it asks about."
    elif hasattr(value, "columns") or hasattr(value, "column_names"):
        source = "df"
    else:
        return f"Write {word}={_EXAMPLES['Table']}."
    return f"Open it first, and say whose rows they are: {word}=pv.open_table({source}, unit=pv.Row())."
