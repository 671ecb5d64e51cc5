"""The adult data set as codes, where it is at hand."""

import csv
from functools import cache

import numpy as np
from tests.real_data import real_data

from privet.disclosure import Codes

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


@cache
def _read() -> tuple[Codes, dict[str, list[str]]]:
    with (real_data("adult") / "adult.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    labels = {name: sorted({row[name] for row in rows}) for name in NINE}
    places = {name: {value: at for at, value in enumerate(labels[name])} for name in NINE}
    lines = np.array([[places[name][row[name]] for name in NINE] for row in rows])
    return Codes.from_rows(NINE, lines), labels


def adult() -> Codes:
    real_data("adult")
    return _read()[0]


def labels() -> dict[str, list[str]]:
    adult()
    return _read()[1]
