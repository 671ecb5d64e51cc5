"""Whatever is handed to a public function, class or method: it works, or it is refused with a code and a hint."""

import datetime
import inspect
import math
import traceback
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import privet as pv
from privet.errors import PrivetError
from privet.guarantee._events import DiscreteLaplace

# Looked up by value, as Python's own enumerations are; and the base of all errors.
NOT_CALLED = {"Change", "PrivetError"}
# What a caller's own function does is the caller's: a callable that fails there fails as itself.
OWN_CODE = {"progress", "ask", "where", "then"}
FRAME = pd.DataFrame(
    {"zip": ["1", "2"] * 4, "age": list(range(8)), "who": list(range(8)), "sick": ["a", "b"] * 4}
)


def table() -> pv.Table:
    return pv.open_table(
        FRAME,
        unit=pv.Row(),
        roles={"zip": "quasi", "sick": "sensitive"},
        bounds={"age": (0, 100)},
        keys={"zip": ["1", "2"], "sick": ["a", "b"]},
    )


TABLE = table()
QUESTION = TABLE.group_by("zip").agg(n=pv.count())
ODD: tuple[Any, ...] = (
    None, "", "text", "zip", "\ud800", "x" * 300, "nothing.csv", Path("nothing"), b"x",
    0, -1, 5, 0.5, math.nan, math.inf, 10**400, True, 1j, Decimal("NaN"),
    np.int64(5), np.float32(0.5), np.bool_(True), np.array([1, 2]), pd.NA, pd.NaT,
    [], ["zip"], [1, None], (1, 2), {}, {"zip": 1}, {1: [2]}, {"zip": ["1"]}, set(), iter([1]), object(), int,
    FRAME, FRAME["zip"], datetime.date(2026, 1, 1), datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    pv.PureDP(1), pv.KAnonymity(5), pv.KAnonymity, pv.Row(), pv.Person("who"), pv.col("age"), pv.count(),
    pv.Bounds(0, 1), TABLE, QUESTION,
)  # fmt: skip

# Arguments that are right where nothing odd is tried.
RIGHT: dict[str, Any] = {
    "table": TABLE, "visits": TABLE, "thing": FRAME, "question": QUESTION, "data": FRAME, "why": "to try", "dataset": "d",
    "column": "age", "target": "sick", "x": "age", "y": "age", "name": "age", "columns": ["age"], "on": ["age"],
    "levels": ["zip"], "cells": ["sick"], "categories": ["zip"], "regions": {}, "unit": "day", "error": {"n": 5},
    "days": [datetime.date(2026, 1, 1)], "baseline": [datetime.date(2026, 1, 1)], "values": ["a"],
    "k": 2, "l": 2, "q": 0.5, "t": 0.2, "shares": [0.5], "share": 0.1, "lower": 0, "upper": 1, "epsilon": 1, "rho": 1,
    "delta": 1e-6, "order": 2, "alpha": 0.5, "beta": 1, "minimum": 0, "maximum": 0.5, "sampling_fraction": 0.1,
    "mutual_information": 0.1, "zip_year": 2020, "first": "2026-01-01", "last": "2026-01-02", "limit": pv.PureDP(1),
    "role": "quasi", "row": 0, "along": "zip", "into": 2, "kinds": [], "kind": "integer", "low": 0, "high": 1,
    "start": 1, "length": 1, "value": 1, "given": (0, 1), "condition": pv.col("age") > 1, "record": {},
    "event": DiscreteLaplace(10), "events": [DiscreteLaplace(10)], "release": b"x", "log": pv.TrainingLog(),
}  # fmt: skip
PROMISES = {"anonymize": pv.KAnonymity(2), "train": pv.ApproxDP(1, 1e-6), "record": pv.KAnonymity(2)}
ASKED = {"release", "explain"}
# These take long where the odd value is taken: each parameter gets a third of the values, so that each is tried on some.
HEAVY = {"attack", "audit", "epsilon_for", "release", "tradeoff", "train"}


@pytest.fixture(scope="module")
def ledger() -> pv.Ledger:
    return pv.Ledger.in_memory(limit=pv.ApproxDP(1000, 1e-3), unit=pv.Row())


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PRIVET_KEYS", raising=False)


def right(name: str, parameter: inspect.Parameter, ledger: pv.Ledger) -> Any:
    if parameter.name == "promise":
        return PROMISES.get(name, pv.PureDP("0.001"))
    if parameter.name == "thing" and name in ASKED:
        return QUESTION
    if parameter.name == "ledger":
        return ledger
    if parameter.name == "keys" and name in {"pseudonymize", "reveal"}:
        return pv.KeyRing.fresh()
    return {"where": "a.ledger", "file": "a.vault", "path": "a.html"}.get(
        parameter.name, RIGHT.get(parameter.name)
    )


def calls(name: str, thing: Callable[..., Any], ledger: pv.Ledger) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Each parameter with each odd value, the others right."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except ValueError:
        return
    needed = {
        one.name: right(name, one, ledger)
        for one in parameters
        if one.default is one.empty and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    }
    for number, one in enumerate(parameters):
        if one.name in OWN_CODE or one.kind is one.VAR_KEYWORD:
            continue
        for odd in ODD[number % 3 :: 3] if name in HEAVY else ODD:
            given = (
                {**needed, one.name: odd}
                if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
                else needed
            )
            places = (odd,) if one.kind in (one.POSITIONAL_ONLY, one.VAR_POSITIONAL) else ()
            if places and any(two.kind is two.POSITIONAL_OR_KEYWORD and two is not one for two in parameters):
                continue
            yield (
                f"{one.name}={type(odd).__name__}",
                lambda places=places, given=given: thing(*places, **given),
            )


def bare(name: str, thing: Callable[..., Any], ledger: pv.Ledger) -> list[str]:
    """What left a call and was no error of ours."""
    found = []
    for said, call in calls(name, thing, ledger):
        try:
            call()
        except PrivetError:
            continue
        except Exception as error:  # noqa: BLE001  this is what is looked for
            place = traceback.extract_tb(error.__traceback__)[-1]
            found.append(f"{name}({said}): {type(error).__name__} at {place.filename}:{place.lineno}")
    return found


@pytest.mark.parametrize("name", [name for name in pv.__all__ if name not in NOT_CALLED])
def test_odd_arguments_work_or_are_refused(name: str, ledger: pv.Ledger) -> None:
    assert bare(name, getattr(pv, name), ledger) == []


THINGS: dict[str, Callable[[pv.Ledger], Any]] = {
    "table": lambda _: table(),
    "selection": lambda _: TABLE.group_by("zip"),
    "ledger": lambda ledger: ledger,
    "answer": lambda ledger: pv.release(QUESTION, pv.PureDP(1), ledger=ledger, why="to try"),
    "data set": lambda _: pv.DataSet.bare(FRAME),
    "bounds": lambda _: pv.Bounds(0, 1),
    "key set": lambda _: pv.KeySet(["a"]),
    "span": lambda _: pv.Span("2026-01-01", "2026-01-02"),
    "column": lambda _: pv.col("age"),
    "promise": lambda _: pv.PureDP(1),
}


@pytest.mark.parametrize("kind", THINGS)
def test_odd_arguments_of_methods_work_or_are_refused(kind: str, ledger: pv.Ledger) -> None:
    thing = THINGS[kind](ledger)
    methods = {
        name: getattr(thing, name) for name in dir(thing) if not name.startswith("_") and name != "close"
    }
    found = [
        said for name, method in methods.items() if callable(method) for said in bare(name, method, ledger)
    ]
    assert found == []


@pytest.mark.parametrize("name", [name for name in pv.__all__ if name.islower()])
def test_a_slip_in_a_keyword_is_named(name: str) -> None:
    """Python's own TypeError says less: neither a code nor what was meant."""
    with pytest.raises(PrivetError) as said:
        getattr(pv, name)(nonesuch=5)
    assert "has no argument 'nonesuch'" in str(said.value)
    assert said.value.hint


def test_a_name_that_is_not_there_is_ours_and_a_key_error(ledger: pv.Ledger) -> None:
    answer = pv.release(QUESTION, pv.PureDP(1), ledger=ledger, why="to try")
    with pytest.raises(KeyError) as said:
        answer["m"]
    assert isinstance(said.value, PrivetError)
    with pytest.raises(PrivetError, match="E-GENERAL-008"):
        answer.error("nobody")
