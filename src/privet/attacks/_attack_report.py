"""The results of several attacks on one thing, in the order of how bad they are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from privet.artifact import Framed, OwnerOnly, Pictured, RiskEstimate, Verdict, figure, written_whole
from privet.errors import NoSuchEntry, UnknownRecord, checked, did_you_mean

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = 1
KIND = "attack-report"

_WORST_FIRST = (
    Verdict.CONTRADICTS,
    Verdict.EDGE,
    Verdict.INCONCLUSIVE,
    Verdict.WITHIN,
    Verdict.NOT_PROMISED,
)


@dataclass(frozen=True)
class AttackReport(Pictured, Framed):
    """What attacks on one thing achieved. Reads as a sequence of `RiskEstimate`; for the owner alone.

    `left_out` names attacks that fit the thing and what each still needed; nothing was tried in their place. All
    intervals hold together with `confidence`: each has a part of the error.
    """

    estimates: tuple[RiskEstimate, ...]
    attacked: str = ""
    left_out: tuple[str, ...] = ()
    confidence: float | None = None
    standing: str = (
        ""  # of a thing that was read from a file: whether its promise is signed or merely claimed
    )
    _drawn_as: ClassVar[str] = "attacks"

    def __iter__(self) -> Iterator[RiskEstimate]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def __getitem__(self, which: int | str) -> RiskEstimate:
        """By position, or by the name of an attack."""
        if isinstance(which, int):
            return self.estimates[which]
        for estimate in self.estimates:
            if estimate.attack == which:
                return estimate
        raise NoSuchEntry(
            f"no attack {which!r} is in this report.", did_you_mean(which, [one.attack for one in self])
        )

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of those on which the promise speaks; inconclusive if nothing was tried."""
        found = {estimate.verdict for estimate in self.estimates}
        return next((verdict for verdict in _WORST_FIRST if verdict in found), Verdict.INCONCLUSIVE)

    @property
    def contradicted(self) -> tuple[RiskEstimate, ...]:
        """The attacks that show a promise to be broken."""
        return tuple(one for one in self.estimates if one.verdict is Verdict.CONTRADICTS)

    @checked
    def exceeded(self, limits: Mapping[str, float]) -> tuple[str, ...]:
        """For each limit that is not kept, why: beaten, not tested, or nothing was held against it. Names are attacks'."""
        said: list[str] = []
        for name, limit in limits.items():
            found = [one for one in self.estimates if one.attack == name]
            if not found:
                said.append(f"{name} has a limit of {limit:g} and was not run.")
            said += [why for one in found if (why := one.beyond(limit))]
        return tuple(said)

    def to_arrow(self) -> pa.Table:
        """One row for each attack, with what was reached, what guessing reaches and what the promise allows."""
        import pyarrow as pa

        words, number = pa.string(), pa.float64()
        kinds = {
            **dict.fromkeys(("attack", "measure", "verdict"), words),
            **dict.fromkeys(("success", "low", "high", "baseline", "control", "allowed", "power"), number),
            "found_something": pa.bool_(),
        }
        rows = [_figures(one) for one in self.estimates]
        return pa.table({name: pa.array([row[name] for row in rows], kind) for name, kind in kinds.items()})

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version."""
        return {
            "schema": SCHEMA,
            "artifact": KIND,
            "attacked": self.attacked,
            "verdict": self.verdict.value,
            "confidence": self.confidence,
            "estimates": [one.to_json() for one in self.estimates],
            "left_out": list(self.left_out),
            "standing": self.standing,
        }

    @classmethod
    @checked
    def from_json(cls, record: dict[str, Any]) -> AttackReport:
        """The report that a record describes; refuses versions it does not know."""
        if record.get("schema") != SCHEMA or record.get("artifact") != KIND:
            raise UnknownRecord(
                "this is not an attack report of a known version.", "Was it written by a newer version?"
            )
        try:
            estimates = tuple(RiskEstimate.from_json(one) for one in record["estimates"])
            return cls(
                estimates,
                record["attacked"],
                tuple(record["left_out"]),
                record.get("confidence"),
                str(record.get("standing", "")),
            )
        except (KeyError, TypeError):
            raise UnknownRecord("this attack report lacks a field.") from None

    @checked
    def save(self, path: str | Path) -> Path:
        """Write it as JSON, whole or not at all."""
        text = json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n"
        return written_whole(Path(path), OwnerOnly(text))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> list[str]:
        header = ("attack", "measure", "success", "guessing", "control", "allowed", "ceiling", "verdict")
        rows = [header, *(_row(one) for one in self.estimates)]
        widths = [max(len(row[at]) for row in rows) for at in range(len(header))]
        lines = [f"{self.attacked or 'attacked'}: {self.verdict.value}", ""]
        lines += [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        if self.standing:
            lines += ["", f"the promise that this is held against: {self.standing}"]
        lines += ["", *self.reading(), *dict.fromkeys(one.unfair for one in self.estimates if one.unfair)]
        if not self.estimates:
            lines = [*lines[:1], "", "No attack was run: nothing was tested."]
        if self.left_out:
            lines.append("skipped (reasons below):")
        return [*lines, *(f"  {said}" for said in self.left_out)]

    def reading(self) -> list[str]:
        """How the figures are read: what so much data can show, what tests are known to find, and how sure it all is."""
        said = ["ceiling: so much data cannot show more than this, whatever there is."]
        said += [f"{one.attack}: {one.power.sentence()}" for one in self.estimates if one.power is not None]
        if unmeasured := [one.attack for one in self.estimates if one.power is None]:
            said.append(f"test power: not measured for {', '.join(unmeasured)}.")
        if self.confidence is not None:
            said.append(f"intervals: all of them hold together with {self.confidence:.4g} confidence.")
        return said


def _figures(one: RiskEstimate) -> dict[str, Any]:
    return {
        "attack": one.attack,
        "measure": one.measure,
        "verdict": one.verdict.value,
        "success": one.success.value,
        "low": one.success.low,
        "high": one.success.high,
        "baseline": one.baseline,
        "control": None if one.control is None else one.control.value,
        "allowed": one.bound,
        "power": one.detectable,
        "found_something": one.found_something,
    }


def _row(one: RiskEstimate) -> tuple[str, ...]:
    return (
        one.attack,
        one.measure,
        one.success.text(),
        f"{one.baseline:.4g}",
        "" if one.control is None else f"{one.control.value:.4g}",
        "" if one.bound is None else f"{one.bound:.4g}",
        "" if one.detectable is None else figure(one.detectable),
        verdict_words(one),
    )


def verdict_words(one: RiskEstimate) -> str:
    """The verdict; where no promise speaks of it, whether anything was found beyond guessing and control."""
    if one.verdict is not Verdict.NOT_PROMISED:
        return str(one.verdict.value)
    said = "no promise" if one.promise is None else one.verdict.value
    if one.unfair:
        return f"{said}; members and control differ"
    if one.found_something:
        return f"{said}; found something"
    return (
        f"{said}; {'not tested: too little data' if one.too_little_data else 'nothing shown beyond chance'}"
    )
