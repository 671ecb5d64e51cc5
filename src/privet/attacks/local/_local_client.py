"""A client of local differential privacy as an outsider has it: its public specification, and values of one's own to try."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from privet.errors import BadAttack, checked_class
from privet.guarantee import LocalDP, Promise, promise_from_json, promised_epsilon
from privet.guarantee.oracles import Oracle, memory_of, oracle_class

COLLECTION = "collection"


@checked_class
@dataclass(frozen=True)
class LocalClient:
    """What turns a person's value into a report before it leaves them: a collection of ours, or any function.

    `report(values)` gives one report for each value, each of a person of their own: a list, an array or a table. A report
    is a number, a text, bytes, a list of numbers or a mapping of these. `again(values, times)` gives so many such lists,
    in which the same place is the same person; without it a client is one that keeps nothing. `specification` is the
    public record of a collection, which tells what a report says of each value.
    """

    report: Callable[[Any], Any]
    values: Sequence[Any]
    again: Callable[[Any, int], Sequence[Any]] | None = None
    specification: Mapping[str, Any] | None = None
    promise: Promise | None = None

    def __post_init__(self) -> None:
        if len(self.values) < 2:
            raise BadAttack(
                "a client is a function from values to reports, with two values or more to try.",
                'Write LocalClient(report, values=["yes", "no"], promise=LocalDP(1)).',
            )

    @cached_property
    def oracle(self) -> Oracle | None:
        """The oracle of a question with categories, as the specification states it; None where there is none."""
        record = self.specification
        if record is None or record["question"]["kind"] != "one-of":
            return None
        return stated_oracle(record["protocol"], self.stated.epsilon, len(record["question"]["values"]))

    @property
    def asks_for_text(self) -> bool:
        """Whether the specification asks for texts that nobody listed."""
        return self.specification is not None and self.specification["question"]["kind"] == "text-of"

    @property
    def stated(self) -> LocalDP:
        """What the specification promises for one report, or for all about one value."""
        found = promise_from_json(self.specification["promise"]) if self.specification else self.promise
        if not isinstance(found, LocalDP):
            raise BadAttack("the specification promises nothing local.", "Give that of a collection.")
        return found

    @property
    def seed(self) -> int:
        """The public seed of the hash functions."""
        return int((self.specification or {}).get("seed", "0"), 16)

    @property
    def repeats(self) -> bool:
        """Whether a device draws its report about a value once."""
        return (self.specification or {}).get("memory") == "value"

    def together(self, reports: int, promise: Promise | None) -> float | None:
        """The epsilon of so many reports of one person about one value; None where nothing is promised.

        What is promised is for each report, unless the client keeps its answers: then all reports about a value together
        have the promise's epsilon, and a single one may have less.
        """
        given = promise if promise is not None else self.promise
        epsilon = None if given is None else promised_epsilon(given, 0)
        if epsilon is None:
            return None
        if self.repeats:
            return epsilon
        memory = None if self.oracle is None else memory_of(self.oracle)
        return reports * epsilon if memory is None else min(epsilon, reports * memory.report)

    def for_values(self, values: int, promise: Promise | None) -> float | None:
        """The epsilon of one report about each of so many values: a new value costs all of it, whether answers are kept or not."""
        given = promise if promise is not None else self.promise
        epsilon = None if given is None else promised_epsilon(given, 0)
        return None if epsilon is None else values * epsilon

    def repeated(self, values: Any, times: int) -> Sequence[Any]:
        """So many reports of each person."""
        if self.again is not None:
            return self.again(values, times)
        return [self.report(values) for _ in range(times)]


def stated_oracle(protocol: Mapping[str, Any], epsilon: Any, size: int) -> Oracle:
    """The oracle that a specification states."""
    settings = {name: value for name, value in protocol.items() if name != "kind"}
    return oracle_class(protocol["kind"]).made(epsilon, size, settings)


def is_client(thing: Any) -> bool:
    """Whether it randomises values before they leave their people: a client, or a collection."""
    return isinstance(thing, LocalClient) or (
        getattr(thing, "kind", None) == COLLECTION and callable(getattr(thing, "randomize", None))
    )


def client_of(thing: Any, seed: int | str = 0) -> LocalClient:
    """A collection as its client, drawing from seeds so that a finding can be shown again; a client as it is."""
    if isinstance(thing, LocalClient):
        return thing
    if not is_client(thing):
        raise BadAttack("this is no client of local differential privacy.", "Give a Collection.")
    record = thing.to_json()
    calls = itertools.count()

    def fresh() -> int:
        said = hashlib.sha256(f"{seed} {next(calls)}".encode()).digest()
        return int.from_bytes(said[:6], "big")

    return LocalClient(
        lambda values: thing.randomize(values, seed=fresh()),
        _values(record["question"]),
        lambda values, times: thing.repeated_reports(values, times, seed=fresh()),
        record,
        thing.promise,
    )


def _values(question: Mapping[str, Any]) -> Sequence[Any]:
    """Values to try: all categories, the ends and the middle of a number's bounds, texts, or rows of several."""
    match question["kind"]:
        case "one-of":
            return list(question["values"])
        case "number-in":
            low, high = question["low"], question["high"]
            return [low, (low + high) / 2, high]
        case "text-of":
            letters = question["alphabet"][:2]
            return [letter * question["length"] for letter in letters]
    parts = {one["name"]: _values(one) for one in question["questions"]}
    return [{name: values[end] for name, values in parts.items()} for end in (0, -1)]


def asked(values: Sequence[Any], picks: Any) -> Any:
    """The picked values as a client is asked: a list, or columns where each value is a row of several."""
    found = [values[pick] for pick in np.asarray(picks).tolist()]
    if found and isinstance(found[0], Mapping):
        return {name: [row[name] for row in found] for name in found[0]}
    return found
