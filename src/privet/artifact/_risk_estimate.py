"""What an attack achieved: a figure with its interval, what guessing achieves, and the most the promise allows."""

from __future__ import annotations

import enum
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from privet.artifact._atomic_write import written_whole
from privet.artifact._audience import OwnerOnly
from privet.artifact._notebook_display import Displayed
from privet.artifact._test_power import Power
from privet.errors import UnknownRecord, checked
from privet.guarantee import Promise, promise_from_json

SCHEMA = 1
KIND = "risk-estimate"
NOT_MEASURED = "Test power: not measured."
UNLIMITED = 700.0  # an epsilon from here on stands for no limit: e^700 is the largest that numbers hold


class Verdict(enum.Enum):
    """What an attack says about a promise."""

    WITHIN = "within the promise"
    EDGE = "at the edge of the promise"
    CONTRADICTS = "contradicts the promise"
    INCONCLUSIVE = "inconclusive"
    NOT_PROMISED = "not covered by the promise"


def figure(value: float) -> str:
    """A figure for people, or that there is no limit."""
    return "no limit" if value >= UNLIMITED else f"{value:.4g}"


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """A figure with an interval that holds at a stated confidence."""

    value: float
    low: float
    high: float
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not self.low <= self.value <= self.high:
            raise ValueError("an interval contains its figure")

    def text(self) -> str:
        """For people: 0.53 [0.49, 0.57]."""
        return f"{self.value:.4g} [{self.low:.4g}, {figure(self.high)}]"


@dataclass(frozen=True, slots=True)
class Adversary:
    """Who attacks: what they hold and what they may ask."""

    who: str
    knows: tuple[str, ...]
    access: str  # "black box: probabilities", "white box: gradients", "the released table", …


@dataclass(frozen=True, slots=True)
class AttackCost:
    """What the attack took."""

    cpu_seconds: float
    records: int = 0
    models: int = 0
    queries: int = 0


@dataclass(frozen=True)
class RiskEstimate(Displayed):
    """The result of one attack on one artifact. For the owner: it was scored with the truth.

    Larger is worse for every measure. `bound` is the most that the promise allows in the same measure, None
    where it says nothing of it. `detectable` is a ceiling: the lower end of the test's interval after a perfect attack
    on as much data. Where it does not lie above the bound, finding nothing means nothing; where it does, a worse attack
    may still miss what is there. What the test does find is its `power`, measured on planted leaks; None where that was
    not measured. `unfair` says why members and control cannot be compared, where they cannot; then
    nothing follows about the promise.
    """

    attack: str  # the attack's registered name
    measure: str  # what the figure is: "AUC", "true positives at 0.1 % false positives", "epsilon", …
    success: IntervalEstimate
    baseline: float  # what the same adversary reaches without the artifact
    adversary: Adversary
    cost: AttackCost
    control: IntervalEstimate | None = None  # the same attack on records that were not used
    bound: float | None = None
    bound_reason: str = ""
    promise: Promise | None = None
    detectable: float | None = None
    power: Power | None = None
    unfair: str = ""
    artifact: str = ""  # what was attacked: its kind and name
    notes: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)  # curves and tables for pictures; JSON values only
    _drawn_as: ClassVar[str] = "risk"

    @property
    def verdict(self) -> Verdict:
        """What the figures say about the promise.

        A contradiction needs the whole interval above the bound. "Within" needs the whole interval below it, and
        a test that could have shown otherwise: its ceiling lies above, and if leaks were planted it found some.
        """
        if self.bound is None:
            return Verdict.NOT_PROMISED
        if self.unfair:
            return Verdict.INCONCLUSIVE
        if self.success.low > self.bound:
            return Verdict.CONTRADICTS
        blind = self.power is not None and not self.power.finds_something
        if self.detectable is None or self.detectable <= self.bound or blind:
            return Verdict.INCONCLUSIVE
        return Verdict.WITHIN if self.success.high <= self.bound else Verdict.EDGE

    @property
    def beats_baseline(self) -> bool:
        """Whether the attack is better than guessing, beyond chance."""
        return self.success.low > self.baseline

    @property
    def beats_control(self) -> bool | None:
        """Whether the attack does better on the people in the data than on others, beyond chance."""
        return None if self.control is None else self.success.low > self.control.high

    @property
    def found_something(self) -> bool:
        """Whether the attack got beyond guessing and, where there is a control, beyond that too."""
        return self.beats_baseline and self.beats_control is not False and not self.unfair

    @property
    def too_little_data(self) -> bool:
        """Whether even a perfect attack on so much data would not have got beyond guessing and control."""
        others = self.baseline if self.control is None else max(self.baseline, self.control.high)
        return self.detectable is not None and self.detectable <= others

    @checked
    def beyond(self, limit: float) -> str | None:
        """Why a limit set on this attack is not kept: what was reached lies above it, or more could not have been shown."""
        if self.success.value > limit:
            return (
                f"{self.attack} reached {self.measure} {self.success.text()}, above the limit of {limit:g}."
            )
        if self.detectable is not None and self.detectable <= limit:
            return (
                f"{self.attack}: {self.measure} above {self.detectable:.4g} could not have been shown, so the limit of "
                f"{limit:g} was not tested."
            )
        return None

    def sentence(self) -> str:
        """The result in plain sentences; beside a verdict that finds nothing wrong, what the test could have found."""
        said = f"{self.attack}: {self.measure} {self.success.text()}, guessing {self.baseline:.4g}"
        if self.control is not None:
            said += f", control {self.control.text()}"
        if self.bound is not None:
            said += f", the promise allows {self.bound:.4g}"
        said += f": {self.verdict.value}."
        if self.unfair:
            return f"{said} {self.unfair}"
        if self.bound is None or self.verdict is Verdict.CONTRADICTS:
            return said
        if self.detectable is not None and self.detectable < UNLIMITED:
            said += (
                f" So much data cannot show {self.measure} above {self.detectable:.4g}, whatever there is."
            )
        return f"{said} {self.power.sentence() if self.power is not None else NOT_MEASURED}"

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version."""
        return {
            "schema": SCHEMA,
            "artifact": KIND,
            "attack": self.attack,
            "attacked": self.artifact,
            "measure": self.measure,
            "success": asdict(self.success),
            "baseline": self.baseline,
            "control": asdict(self.control) if self.control else None,
            "bound": self.bound,
            "bound_reason": self.bound_reason,
            "promise": self.promise.to_json() if self.promise else None,
            "detectable": self.detectable,
            "power": self.power.to_json() if self.power else None,
            "unfair": self.unfair,
            "verdict": self.verdict.value,
            "too_little_data": self.too_little_data,
            "sentence": self.sentence(),
            "adversary": {**asdict(self.adversary), "knows": list(self.adversary.knows)},
            "cost": asdict(self.cost),
            "notes": list(self.notes),
            "details": self.details,
        }

    @classmethod
    @checked
    def from_json(cls, record: dict[str, Any]) -> RiskEstimate:
        """The estimate a record describes; refuses versions it does not know."""
        if record.get("schema") != SCHEMA or record.get("artifact") != KIND:
            raise UnknownRecord(
                "this is not a risk estimate of a known version.", "Was it written by a newer version?"
            )
        try:
            adversary = record["adversary"]
            return cls(
                attack=record["attack"],
                measure=record["measure"],
                success=IntervalEstimate(**record["success"]),
                baseline=record["baseline"],
                adversary=Adversary(adversary["who"], tuple(adversary["knows"]), adversary["access"]),
                cost=AttackCost(**record["cost"]),
                control=IntervalEstimate(**record["control"]) if record["control"] else None,
                bound=record["bound"],
                bound_reason=record["bound_reason"],
                promise=promise_from_json(record["promise"]) if record["promise"] else None,
                detectable=record["detectable"],
                power=Power.from_json(record["power"]) if record.get("power") else None,
                unfair=record.get("unfair", ""),
                artifact=record["attacked"],
                notes=tuple(record["notes"]),
                details=record["details"],
            )
        except (KeyError, TypeError, ValueError):
            raise UnknownRecord("this risk estimate lacks a field.") from None

    @checked
    def save(self, path: str | Path) -> Path:
        """Write it as JSON, whole or not at all."""
        text = json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n"
        return written_whole(Path(path), OwnerOnly(text))
