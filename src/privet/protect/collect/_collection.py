"""A collection: the one public specification that devices randomise by and the server estimates by."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from privet.artifact import Publishable, written_whole
from privet.errors import BadCollection, OutsideQuestion, checked, checked_class
from privet.evidence import canonical, digest
from privet.guarantee import LocalDP, Number, ShuffledReports, readable
from privet.mechanism import WordStream
from privet.protect.collect._longitudinal_cost import OverTime, over_time
from privet.protect.collect._protocols import Protocol, protocol_for
from privet.protect.collect._questions import NumberIn, OneOf, Several, TextOf
from privet.protect.collect._repeated_reports import repeated
from privet.protect.collect._report_tables import NOT_PRIVATE, lines_of, named_lines, table_of
from privet.protect.collect._specification_record import KIND, SCHEMA, read_record, verified

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.protect.collect._device import Device

Per = Literal["report", "day", "lifetime"]
Memory = Literal["none", "value"]
MOST_REPORTS = 1_000_000
LARGEST_SHUFFLE = 10**9


@checked_class
@dataclass(frozen=True, eq=False)
class Collection:
    """What is asked, what is promised for one report, by which oracle, and how often a person reports.

    `per` and `most` limit what one person gives: at most so many reports a day, or in a lifetime; "report" states no limit.
    Devices keep to it. With memory="value" a device draws its report about a value once and repeats it; oracles that keep an
    answer (rappor, l-grr, l-sue, loloha, dbitflip) do so by themselves. What a device keeps costs nothing when it is given again.
    `shuffler` states that reports pass one, and reach the server in no order, at least so many at once. Hash functions are keyed by `seed`, which is public and made from name and question unless stated.

    Guarantee:
        Each report made by it is epsilon-locally differentially private (Kasiviswanathan et al. 2008).
    Assumes:
        The device's randomness is secret. What a person gives over time adds up over their reports.
    """

    name: str
    question: OneOf | NumberIn | TextOf | Several
    promise: LocalDP
    oracle: str = "auto"
    per: Per = "report"
    most: int = 1
    seed: str | None = None
    settings: Mapping[str, int] = field(default_factory=dict)
    memory: Memory = "none"
    shuffler: int = 0
    kind: ClassVar[str] = KIND

    def __post_init__(self) -> None:
        if not self.name or len(self.name) > 200 or not self.name.isprintable():
            raise BadCollection(
                "a collection has a name of up to 200 characters.", 'Write Collection("emoji", …).'
            )
        if isinstance(self.most, bool) or not 1 <= self.most <= MOST_REPORTS:
            raise BadCollection("a person gives at least one report.", "Write most=2 for two reports.")
        if self.per == "report" and self.most != 1:
            raise BadCollection("most counts reports of a day or a lifetime.", 'Add per="day".')
        if isinstance(self.shuffler, bool) or not 0 <= self.shuffler <= LARGEST_SHUFFLE or self.shuffler == 1:
            raise BadCollection(
                "a shuffler mixes at least two reports.", "Write shuffler=1000, or leave it out."
            )
        object.__setattr__(self, "settings", dict(self.settings))
        if self.seed is None:
            public = canonical({"name": self.name, "question": self.question.to_json()})
            object.__setattr__(self, "seed", hashlib.sha256(b"privet collection " + public).hexdigest()[:16])
        elif len(self.seed) != 16 or set(self.seed) - set("0123456789abcdef"):
            raise BadCollection(
                "a seed is 16 hexadecimal digits.", "Leave it out, or write seed='0123456789abcdef'."
            )
        object.__setattr__(self, "oracle", self.protocol.stated()["kind"])
        if self.memory == "value" and self.over_time.keeps:
            raise BadCollection("this oracle keeps its answers by itself.", "Leave memory out.")

    def __eq__(self, other: object) -> bool:
        """Two collections are one if their specifications are, however they were written."""
        return isinstance(other, Collection) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    @cached_property
    def protocol(self) -> Protocol:
        """How the question is answered."""
        return protocol_for(self.question, self.promise.epsilon, self.oracle, self.settings)

    @property
    def epsilon(self) -> Fraction:
        """Of one report."""
        return self.promise.epsilon

    @cached_property
    def over_time(self) -> OverTime:
        """What one person gives away over time: per report, for ever, and by a changed value."""
        return over_time(
            self.epsilon,
            self.protocol,
            self.question,
            repeats=self.memory == "value",
            per=self.per,
            drawn=self.most,
        )

    @checked
    def shuffled(self, delta: float) -> float:
        """The central epsilon of one report once it is shuffled with all others, at a delta; only where a shuffler is declared.

        Guarantee:
            Who sees only the shuffled reports cannot tell one person's value beyond (epsilon, delta).
        Assumes:
            The shuffler is not the server's, and mixes at least as many reports as the specification states.
        """
        return float(self.shuffled_event(delta).basic_cost().epsilon)

    @checked
    def shuffled_event(self, delta: Number) -> ShuffledReports:
        """What a ledger books for the shuffled reports at a delta; refused where no shuffler is declared."""
        if not self.shuffler:
            raise BadCollection(
                "this specification declares no shuffler, so that nothing is amplified.",
                "Write shuffler=1000.",
            )
        if self.over_time.keeps or self.over_time.repeats:
            raise BadCollection(
                "a device that keeps its answers gives reports that are not drawn anew.",
                "Amplification holds for fresh reports alone.",
            )
        return ShuffledReports(self.epsilon, self.shuffler, delta)

    @property
    def public_seed(self) -> int:
        """The seed as a number."""
        return int(self.seed or "0", 16)

    def to_json(self) -> dict[str, Any]:
        """The specification: a stable record with its schema version."""
        return {
            "schema": SCHEMA,
            "artifact": self.kind,
            "name": self.name,
            "question": self.question.to_json(),
            "promise": self.promise.to_json(),
            "protocol": self.protocol.stated(),
            "columns": {
                name: {"kind": kind, "below": str(bound)}
                for name, (kind, bound) in self.protocol.columns().items()
            },
            "per": self.per,
            "most": self.most,
            "seed": self.seed,
            # Stated where they are used, so that older specifications keep their fingerprints.
            **({"memory": self.memory} if self.memory != "none" else {}),
            **({"shuffler": self.shuffler} if self.shuffler else {}),
        }

    @cached_property
    def fingerprint(self) -> str:
        """128 bits of the digest of the specification, as 32 hexadecimal digits: every report carries it."""
        return digest(self.to_json())[:32]

    @checked
    def randomize(self, values: Any, *, seed: int | None = None) -> pa.Table:
        """One report for each value, as an Arrow table; a stated seed is for tests, and stamps every report "not private".

        Guarantee:
            Each report is epsilon-locally differentially private.
        Assumes:
            Each value is its person's own, and each person gives one report here.
        """
        stream = WordStream.fresh() if seed is None else WordStream.seeded(seed)
        return self.reports_from(values, stream)

    def reports_from(self, values: Any, stream: WordStream) -> pa.Table:
        """The same with the randomness of a stream."""
        coded = self.question.coded(values)
        count = len(next(iter(coded.values()))) if isinstance(coded, dict) else len(coded)
        if not count:
            raise OutsideQuestion("there are no values.", "Give at least one.")
        columns = self.protocol.reports(coded, stream, self.public_seed)
        stamp = self.fingerprint if stream.private else self.fingerprint + NOT_PRIVATE
        return table_of(self.protocol.columns(), columns, count, stamp)

    @checked
    def repeated_reports(self, values: Any, times: int, *, seed: int | None = None) -> list[pa.Table]:
        """What devices of so many people send when each reports `times` times about one value; for trials and attacks.

        Guarantee:
            All reports of one row together are locally differentially private with the epsilon for ever of `over_time`, or
            with `times` its epsilon per report where nothing is kept.
        Assumes:
            No device's limit is applied: that is a device's own.
        """
        if isinstance(times, bool) or not 1 <= times <= MOST_REPORTS:
            raise BadCollection("a person gives at least one report.", "Write times=100.")
        stream = WordStream.fresh() if seed is None else WordStream.seeded(seed)
        return repeated(self, values, times, stream)

    @checked
    def device(self, path: str | Path) -> Device:
        """One person's side, with its state in a file for its owner alone; made where there is none.

        Guarantee:
            All reports of the device together are locally differentially private with the epsilon of `over_time`, within the
            limit of the specification; what would go past the limit is refused before anything is drawn.
        Assumes:
            The file is not copied, put back from a backup or read by others, and the person has one device.
        """
        from privet.protect.collect._device import Device

        return Device.at(self, Path(path))

    @checked
    def lines(self, reports: Any) -> list[str]:
        """Reports as lines of JSON, without a name; `batch` makes of them what a collector takes."""
        return lines_of(reports, self.protocol.columns())

    @checked
    def batch(self, reports: Any) -> bytes:
        """Reports as the body of one `POST /reports` to `privet collect serve`: a table of them, or what devices reported.

        Each is given a random name of its own, so that the same bytes sent again are stored once: keep the batch until the
        collector has answered. It takes up to 10,000 reports at once.
        """
        if isinstance(reports, (str, bytes)):  # one device's
            return named_lines([reports])
        return named_lines(reports if isinstance(reports, (list, tuple)) else self.lines(reports))

    @checked
    def save(self, path: str | Path) -> Path:
        """Write the specification as JSON."""
        from json import dumps

        target = Path(path)
        if target.suffix != ".json":
            raise BadCollection("a specification is saved as .json.", "Give it that ending.")
        text = dumps(self.to_json(), ensure_ascii=False, indent=1) + "\n"
        return written_whole(target, Publishable(text, "holds nothing from the data"))

    @classmethod
    @checked
    def load(cls, path: str | Path) -> Collection:
        """Read a specification back; it is verified field by field, and refused where anything in it is not ours."""
        return verified(read_record(Path(path)), cls)

    @classmethod
    @checked
    def from_json(cls, record: Mapping[str, Any]) -> Collection:
        """The specification a record describes; refuses versions and fields it does not know."""
        return verified(record, cls)

    def __str__(self) -> str:
        return "\n".join(self.says())

    def says(self) -> list[str]:
        """The specification in sentences."""
        amount, given = readable(self.epsilon), self.over_time.says()
        whose = "report" if self.over_time.forever is None else "value, for ever"
        stated = ", ".join(
            f"{name} {value}" for name, value in self.protocol.stated().items() if isinstance(value, int)
        )
        return [
            f"{self.name}: oracle {self.oracle}{f' ({stated})' if stated else ''}, epsilon {amount} for each {whose}.",
            self.promise.sentence(),
            *given,
            f"Fingerprint {self.fingerprint}.",
        ]
