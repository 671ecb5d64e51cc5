"""The adult data set with its hierarchies, where it is at hand."""

import csv
from functools import cache

import numpy as np
from tests.real_data import real_data

from privet.disclosure import Codes
from privet.protect.anonymize.hierarchies import Hierarchy, Ladder

NINE = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)


def _lines(name: str) -> list[list[str]]:
    with (real_data("adult") / name).open(encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=";"))


@cache
def _values() -> list[list[str]]:
    return [sorted(set(column)) for column in zip(*_lines("adult.csv")[1:], strict=True)]


def _coded(lines: list[list[str]]) -> np.ndarray:
    places = [{value: at for at, value in enumerate(column)} for column in _values()]
    return np.array([[place[cell] for place, cell in zip(places, line, strict=True)] for line in lines])


@cache
def _read() -> tuple[Codes, dict[str, Ladder]]:
    values = _values()
    rows = _coded(_lines("adult.csv")[1:])
    ladders = {
        name: Hierarchy.from_paths(name, _lines(f"adult_hierarchy_{name}.csv")).ladder(column)
        for name, column in zip(NINE, values, strict=True)
    }
    return Codes.from_rows(NINE, rows), ladders


def adult(sensitive: str | None = None) -> tuple[Codes, list[Ladder], dict[str, Ladder]]:
    """Codes, hierarchies of the quasi-identifiers, and all hierarchies."""
    real_data("adult")
    codes, ladders = _read()
    return codes, [ladders[name] for name in NINE if name != sensitive], ladders


@cache
def adult_subset() -> Codes:
    """The rows that a tenth of the people are, coded as `adult` is."""
    every = Codes.from_rows(NINE, _coded(_lines("adult_subset.csv")[1:]))
    widths = tuple(len(column) for column in _values())
    return Codes(NINE, every.codes, every.counts, widths, (None,) * len(NINE))
