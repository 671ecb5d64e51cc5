"""Which function is which: the same one is known again, and whatever changes its output changes its name."""

import math
import sys
import types

import numpy as np
import pytest

from privet import BlackBox
from privet.protect.pac._function_identity import identity

FACTOR = 3


def scaled(rows):
    return rows * FACTOR


START = np.zeros(2)


def made(number, start=START):
    def function(rows):
        return rows * number + start[0]

    return function


def of(function, **more) -> str:
    return identity(BlackBox(function, "f", **more))


def test_the_same_function_is_known_again() -> None:
    assert of(scaled) == of(scaled)
    assert of(made(2)) == of(made(2))
    assert of(lambda rows: rows.sum()) == of(lambda rows: rows.sum())
    assert of(np.mean) == of(np.mean)


def test_constants_closures_defaults_and_globals_tell_functions_apart(monkeypatch) -> None:
    assert of(made(2)) != of(made(3))
    assert of(made(2)) != of(made(2, np.ones(2)))
    assert of(lambda rows: rows + 1) != of(lambda rows: rows + 2)
    assert of(np.mean) != of(np.median)
    before = of(scaled)
    monkeypatch.setitem(scaled.__globals__, "FACTOR", 4)
    assert of(scaled) != before


def test_the_declaration_belongs_to_it() -> None:
    changes = [
        {},
        {"clip": (0, 1)},
        {"least_people": 5},
        {"form": "sorted"},
        {"settings": {"k": 3}},
        {"rows": "arrow"},
    ]
    assert len({of(scaled, **change) for change in changes}) == len(changes)


def test_what_cannot_be_told_is_new_every_time() -> None:
    strange = object()

    def function(rows):
        return rows if strange else 0

    assert of(function) != of(function)


def helper(value):
    return value * FACTOR


own = types.ModuleType("a_module_of_the_callers")
own.LEVEL = 1.0
exec("def level(rows): return rows.mean() * LEVEL\nclass Kept:\n    pass", own.__dict__)
Kept = own.Kept


def in_a_comprehension(rows):
    return [helper(row) for row in rows]


def in_a_lambda(rows):
    return list(map(lambda row: row * FACTOR, rows))  # noqa: C417


def by_a_module(rows):
    return own.level(rows)


def by_an_attribute(rows):
    return rows * own.LEVEL


def by_an_import(rows):
    import a_module_of_the_callers as there

    return rows * there.LEVEL


def by_a_later_import(rows):
    import nobody_has_this_yet

    return nobody_has_this_yet.level(rows)


def by_a_text(rows):
    return rows * globals()["FACTOR"]


def by_a_looked_up_name(rows):
    return rows * getattr(own, "LEVEL")  # noqa: B009


def by_a_class(rows):
    return Kept() and rows


def by_a_library(rows):
    return [math.sqrt(row) for row in rows] + [np.mean(rows)]


@pytest.mark.parametrize(
    "function", [in_a_comprehension, in_a_lambda, by_a_module, by_an_attribute, by_an_import]
)
def test_what_is_named_anywhere_inside_tells_functions_apart(function, monkeypatch) -> None:
    """Else an altered function would be answered from store with what the other gave."""
    monkeypatch.setitem(sys.modules, own.__name__, own)
    before = of(function)
    assert of(function) == before
    monkeypatch.setitem(globals(), "FACTOR", 4)
    monkeypatch.setattr(own, "LEVEL", 2.0)
    assert of(function) != before


@pytest.mark.parametrize("function", [by_a_later_import, by_a_text, by_a_looked_up_name, by_a_class])
def test_what_the_code_does_not_show_makes_it_new_every_time(function) -> None:
    assert of(function) != of(function)


def test_a_library_is_told_by_its_version(monkeypatch) -> None:
    before = of(by_a_library), of(np.mean)
    assert (of(by_a_library), of(np.mean)) == before
    monkeypatch.setattr(np, "__version__", "another")
    after = of(by_a_library), of(np.mean)
    assert all(old != new for old, new in zip(before, after, strict=True))


def test_what_a_function_remembers_makes_it_another_after_it_ran() -> None:
    seen = {"times": 0}

    def counts(rows):
        seen["times"] += 1
        return rows

    before = of(counts)
    counts(1)
    assert of(counts) != before


def itself(rows):
    return rows * itself.level


def test_what_a_function_carries_tells_it_apart(monkeypatch) -> None:
    itself.level = 1
    before = of(itself)
    assert of(itself) == before
    monkeypatch.setattr(itself, "level", 2)
    assert of(itself) != before


def test_what_an_estimator_has_learned_tells_functions_apart() -> None:
    from sklearn.preprocessing import StandardScaler

    one, other = (StandardScaler().fit([[0.0], [high]]) for high in (1.0, 2.0))

    def with_scaler(scaler):
        return lambda rows: scaler.transform(rows).mean()

    assert of(with_scaler(one)) == of(with_scaler(one))
    assert of(with_scaler(one)) != of(with_scaler(other))
    assert of(one.transform) == of(one.transform)
    assert of(one.transform) != of(other.transform)


def read_by_a_library(rows):
    return rows + np.load("a file.npy")


class Loud(float):
    """A number that holds more than it shows."""


@pytest.mark.parametrize(
    "held",
    [{"a": 1}.get, np.random.default_rng(1).normal, np.frompyfunc(abs, 1, 1), Loud(1), math, [object()]],
    ids=["a builtin's method", "dice", "a made ufunc", "a subclass", "a module", "an object"],
)
def test_what_hides_behind_a_name_is_not_told_by_it(held) -> None:
    """Only a module of a library is what its name says."""

    def function(rows):
        return held

    assert (of(function) == of(function)) is (held is math)


def test_what_a_library_reads_is_not_known() -> None:
    assert of(read_by_a_library) != of(read_by_a_library)


def test_parts_of_libraries_are_told_by_name() -> None:
    from functools import partial

    import pandas as pd
    from scipy.special import expit

    for function in (np.sin, expit, np.linalg.norm, pd.DataFrame.from_dict, partial(np.quantile, q=0.5), len):
        assert of(function) == of(function)
    assert of(partial(np.quantile, q=0.5)) != of(partial(np.quantile, q=0.25))
