"""One person's side over time: a device keeps its secret, its answers and its own budget, and refuses what goes past it.

Everything that must come out the same again is drawn from a stream keyed by the secret and a label: what the device
chooses once, the answer it keeps for a value, the report on an occasion. So nothing of it is stored, and a crash cannot
lead to a second answer. The state is on disk before a report is returned.
"""

from __future__ import annotations

import datetime
import hmac
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from privet.errors import BadCollection, DeviceProblem, DeviceSpent, checked
from privet.guarantee import readable
from privet.mechanism import Columns, WordStream, forms, own_choice, permanent, shown
from privet.protect.collect._counted_nouns import numbered
from privet.protect.collect._device_state import (
    OCCASIONS,
    VALUES,
    DeviceState,
    read_state,
    sole_user,
    write_state,
)
from privet.protect.collect._longitudinal_cost import OverTime
from privet.protect.collect._protocols import Protocol as Answering
from privet.protect.collect._protocols import Single
from privet.protect.collect._questions import Question
from privet.protect.collect._report_tables import table_of

LONGEST_OCCASION = 200


def today() -> str:
    """The day, by the device's own clock, in Greenwich."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


class Specification(Protocol):
    """What a device needs of its collection."""

    @property
    def name(self) -> str:
        """What is collected."""

    @property
    def per(self) -> str:
        """Of what the limit is."""

    @property
    def question(self) -> Question:
        """What is asked."""

    @property
    def protocol(self) -> Answering:
        """How it is answered."""

    @property
    def fingerprint(self) -> str:
        """Which specification it is."""

    @property
    def public_seed(self) -> int:
        """That of the hash functions."""

    @property
    def over_time(self) -> OverTime:
        """What it costs."""

    def reports_from(self, values: Any, stream: WordStream) -> Any:
        """Reports drawn from a stream."""

    def lines(self, reports: Any) -> list[str]:
        """Reports as they are sent."""


@dataclass(frozen=True)
class Device:
    """One person's device for one collection. Made by `Collection.device`."""

    collection: Specification
    path: Path

    @classmethod
    def at(cls, collection: Specification, path: Path) -> Device:
        """The device in a file, or a new one."""
        if path.suffix != ".json":
            raise BadCollection("the state of a device is kept as .json.", 'Write device("phone.json").')
        found = cls(collection, path)
        with sole_user(path):
            if read_state(path) is None:
                write_state(path, DeviceState.new(collection.fingerprint))
        found._state()
        return found

    @checked
    def report(self, value: Any, *, occasion: str | None = None) -> bytes:
        """A report about a value, as bytes to send; what would go past the budget is refused before anything is drawn.

        A report on an `occasion` that was answered before is the same report again, whatever the value: so that who does
        not know whether it was sent can ask again, also after a crash.

        Guarantee:
            All reports of this device together keep to the limit of the specification.
        Assumes:
            The device's file is its own, and its clock goes forwards.
        """
        if occasion is not None and not 0 < len(occasion) <= LONGEST_OCCASION:
            raise BadCollection(
                "an occasion is a text of up to 200 characters.", 'Write occasion="2026-W40".'
            )
        label = _label(self.collection, value)
        with sole_user(self.path):
            state = self._state()
            told = None if occasion is None else self._tag(state, "occasion", occasion)
            if told is not None and (before := dict(state.occasions).get(told)) is not None:
                return before.encode()
            line, after = self._answered(state, value, label, occasion)
            if told is not None:
                kept = (*after.occasions, (told, line))[-OCCASIONS:]
                after = replace(after, occasions=kept)
            write_state(self.path, after)
        return line.encode()

    @checked
    def repeat(self) -> bytes:
        """A report about the value that was reported last. It costs nothing, where answers are kept.

        A device that falls silent when its value changes tells that it changed: past its budget, it can go on with this.
        """
        terms = self.collection.over_time
        with sole_user(self.path):
            state = self._state()
            if terms.forever is None or state.last is None:
                raise DeviceSpent(
                    "there is no kept answer to repeat.",
                    "Report a value first, in a collection that keeps answers.",
                )
            line = (
                state.last
                if isinstance(state.last, str)
                else self._shown(state, state.last, WordStream.fresh())
            )
            write_state(self.path, replace(state, reports=state.reports + 1))
        return line.encode()

    @property
    def spent(self) -> Fraction:
        """The epsilon that this device has given away so far, in its lifetime."""
        return self.collection.over_time.charge * self._state().total

    @property
    def remaining(self) -> Fraction | None:
        """The epsilon that it may still give today, or in its lifetime; None where there is no limit."""
        terms, state = self.collection.over_time, self._state()
        if terms.per == "report":
            return None
        used = state.total if terms.per == "lifetime" else state.today * (state.day >= today())
        return terms.charge * max(0, terms.drawn - used)

    def __str__(self) -> str:
        state, left = self._state(), self.remaining
        rest = "" if left is None else f"; epsilon {readable(left)} is left {_when(self.collection)}"
        return "\n".join(
            [
                f"{self.path.name}: {numbered(state.reports, 'report')} for {self.collection.name!r}, epsilon {readable(self.spent)} spent{rest}.",
                *self.collection.over_time.says(),
            ]
        )

    def _state(self) -> DeviceState:
        state = read_state(self.path)
        if state is None:
            raise DeviceProblem(f"{self.path.name} is gone.", "Begin a device of another name.")
        if state.collection != self.collection.fingerprint:
            raise DeviceProblem(
                f"{self.path.name} is a device of another specification.",
                "Keep one file for each collection.",
            )
        return state

    def _answered(
        self, state: DeviceState, value: Any, label: Any, occasion: str | None
    ) -> tuple[str, DeviceState]:
        """The report, and the state with it booked."""
        terms = self.collection.over_time
        fresh = WordStream.fresh() if occasion is None else self._stream(state, "occasion", occasion, label)
        if terms.repeats:
            after = self._kept(state, label)
            stream = self._stream(state, "permanent", label)
            line = self._line(self.collection.reports_from(_one(value), stream))
            return line, replace(after, last=line)
        if terms.keeps:
            form, own = self._form(state, value)
            after = self._kept(state, form)
            stream = self._stream(state, "permanent", form)
            kept = permanent(self._oracle, np.array([form]), own, stream, self.collection.public_seed)
            answer = tuple(kept[0].tolist())
            return self._shown(after, answer, fresh), replace(after, last=answer)
        return self._line(self.collection.reports_from(_one(value), fresh)), self._booked(state)

    def _kept(self, state: DeviceState, form: Any) -> DeviceState:
        """The state once the answer for a form is used: nothing is booked where it was used before."""
        tag = self._tag(state, "kept", form)
        if tag in state.kept:
            return replace(state, reports=state.reports + 1)
        if len(state.kept) >= VALUES:
            raise _spent("a device keeps answers for at most 10,000 values")
        return replace(self._booked(state), kept=(*state.kept, tag))

    def _booked(self, state: DeviceState) -> DeviceState:
        """The state with one answer more; refuses past the limit. A clock that went back does not begin a new day."""
        terms = self.collection.over_time
        day = max(today(), state.day)
        given = state.today if day == state.day else 0
        if terms.per == "day" and given >= terms.drawn:
            raise _spent(f"this device has given its {terms.drawn:,} of the day")
        if terms.per == "lifetime" and state.total >= terms.drawn:
            raise _spent(f"this device has given all of its {terms.drawn:,}")
        return replace(state, day=day, today=given + 1, total=state.total + 1, reports=state.reports + 1)

    @property
    def _oracle(self) -> Any:
        assert isinstance(self.collection.protocol, Single)
        return self.collection.protocol.oracle

    def _own(self, state: DeviceState) -> Any:
        return own_choice(self._oracle, 1, self._stream(state, "own"))

    def _form(self, state: DeviceState, value: Any) -> tuple[int, Any]:
        own = self._own(state)
        codes: Any = self.collection.question.coded(_one(value))
        return int(forms(self._oracle, codes, own, self.collection.public_seed)[0]), own

    def _shown(self, state: DeviceState, kept: tuple[int, ...], stream: WordStream) -> str:
        columns: Columns = shown(self._oracle, np.array([kept]), self._own(state), stream)
        shape = self.collection.protocol.columns()
        return self._line(table_of(shape, columns, 1, self.collection.fingerprint))

    def _line(self, table: Any) -> str:
        return self.collection.lines(table)[0]

    def _stream(self, state: DeviceState, *label: Any) -> WordStream:
        return WordStream.keyed(state.key, _said(self.collection, *label))

    def _tag(self, state: DeviceState, *label: Any) -> str:
        return hmac.digest(state.key, _said(self.collection, "tag", *label), "sha256").hex()[:32]


def _said(collection: Specification, *label: Any) -> bytes:
    """A label as bytes: a JSON array without spaces, in ASCII. Clients in other languages write the same."""
    return json.dumps(["privet device", collection.fingerprint, *label], separators=(",", ":")).encode()


def _label(collection: Specification, value: Any) -> Any:
    """A value as labels name it: whole numbers, and texts of the 16 hexadecimal digits of a number's share of its bounds."""
    coded = collection.question.coded(_one(value))
    if isinstance(coded, dict):
        return [_plain(codes[0]) for codes in coded.values()]
    return _plain(coded[0])


def _plain(code: Any) -> Any:
    if isinstance(code, np.ndarray):
        return code.tolist()
    return struct.pack(">d", float(code)).hex() if isinstance(code, np.floating) else int(code)


def _one(value: Any) -> Any:
    """One value as a column of one."""
    if isinstance(value, Mapping):
        return {name: [one] for name, one in value.items()}
    return [value]


def _when(collection: Specification) -> str:
    return "today" if collection.per == "day" else "for its lifetime"


def _spent(fact: str) -> DeviceSpent:
    return DeviceSpent(
        f"{fact}, and another would go past what its specification promises.",
        "Report nothing more now; where answers are kept, repeat() goes on with the last one.",
    )
