"""Which values fit what a signature names, and how both are called."""

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import pandas as pd
import pytest

from privet.errors._value_kinds import fits, given_words, is_one_of, kind_words

Number = int | float | str | Decimal | Fraction


class Named(Protocol):
    size: int

    @property
    def name(self) -> str: ...


class Costly:
    size = 1

    @property
    def name(self) -> str:
        raise AssertionError("looking at a kind computes nothing")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (5, int),
        (np.int64(5), int),
        (5, float),
        (np.float32(0.5), float),
        ("0.5", Number),
        (Fraction(1, 2), Number),
        (None, int | None),
        ("a.csv", str | Path),
        (Path("a.csv"), str | Path),
        (["a"], Sequence[str]),
        (("a", "b"), Sequence[str]),
        (["a"], tuple[str, ...]),
        ((0, 60), tuple[int, int]),
        (iter(["a"]), Iterable[str]),
        (np.array(["a"]), Iterable[Any]),
        ({"a": 1}, Mapping[str, float]),
        ({"a": object()}, Mapping[str, Fraction | Named]),  # judged by whoever reads it
        (len, Callable[[Any], int]),
        ("own", Literal["own", "auto"]),
        (np.bool_(True), bool),
        (Costly(), Named),
        (object(), Any),
    ],
)
def test_what_fits(value: object, kind: object) -> None:
    assert fits(value, kind)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("five", int),
        (True, int),
        (True, float),
        (1, bool),
        (0.5, int),
        (pd.NA, int),
        (np.nan, int),
        (None, str),
        ("\ud800", str),
        (b"x", str),
        ("x" * 300, str | Path),
        ("", str | Path),
        ("ward", Sequence[str]),
        (np.array(["a"]), Sequence[str]),
        ([1], Sequence[str]),
        ({1: 2}, Mapping[str, float]),
        ({"a": "b"}, Mapping[str, float]),
        ([("a", 1)], Mapping[str, float]),
        ((1, 2, 3), tuple[int, int]),
        ("splonk", Literal["own", "auto"]),
        (pd.NA, Literal["own"]),
        (5, Callable[[], int]),
        (object(), Named),
        (datetime.datetime, datetime.date),
    ],
)
def test_what_does_not_fit(value: object, kind: object) -> None:
    assert not fits(value, kind)


def test_an_iterator_is_not_used_up() -> None:
    rest = iter([1, 2])
    assert fits(rest, Iterable[int])
    assert list(rest) == [1, 2]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (int, "a whole number"),
        (Number, "a number"),
        (int | None, "a whole number"),
        (str | Path, "a path"),
        (Sequence[str], "a list of text"),
        (Mapping[str, float], "a dict from names to a number"),
        (tuple[int, int], "a pair of whole numbers"),
        (Literal["a", "b"], "one of 'a', 'b'"),
        (Callable[[], None], "a function"),
        (datetime.date, "a day"),
        (Named, "a Named"),
    ],
)
def test_kinds_in_plain_words(kind: object, words: str) -> None:
    assert kind_words(kind) == words


def test_what_was_given_is_named_by_its_kind_and_never_by_its_value() -> None:
    assert given_words("secret") == "text"
    assert given_words(None) == "None"
    assert given_words(int) == "the class int itself"
    assert "secret" not in given_words(pd.DataFrame({"a": ["secret"]}))


@pytest.mark.parametrize("value", [pd.NA, np.array(["a", "b"]), pd.DataFrame({"a": [1]}), None, 5])
def test_a_word_is_looked_for_without_comparing_what_cannot_be_compared(value: object) -> None:
    assert not is_one_of(value, ("a", "b"))
    assert is_one_of("a", ("a", "b"))
