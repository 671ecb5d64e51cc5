"""What the demonstration shows: a dozen lines, each with a figure that was just measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.app._demo_policy import KEPT_APART, MAX_ROWS, MAX_WARDS, K
from privet.audits import percent

if TYPE_CHECKING:
    from privet.pipeline import RunRecord, StepRecord, Tradeoff

_SHOWN = 3  # wards, of those in the answer


@dataclass(frozen=True)
class Figures:
    """Everything the lines say, for programs. Shares are parts of 1."""

    stays: int
    patients: int
    voters: int
    alone: int  # patients whom nobody else looks like
    claimed: int  # patients who get a name from the roll
    right: int  # of those, rightly
    rows: int  # that the table was made from: people were kept apart to test it
    dropped: int  # of these, left out
    claimed_after: int
    guess: float  # the chance to point at a person's row in the table
    guess_allowed: float
    in_the_table: float | None  # AUC of telling who is in it; None where that attack could not be run
    wards: list[dict[str, Any]]
    answer_epsilon: float
    auroc: float
    newcomers: int
    model_epsilon: float
    attacks: int
    contradicted: int
    on_the_model: int  # attacks that tell who was in the training data
    membership: dict[str, float]  # what the best of them reached
    membership_allowed: float
    weighed: int  # points of the trade-off that promise something
    proposed: str | None
    alike: int  # points that the trade-off cannot tell from it
    findings: list[str]
    limits: int
    spent: dict[str, str]
    budget: dict[str, str]
    left: dict[str, str]
    entries: int
    head: str

    def lines(self) -> list[tuple[str, str]]:
        """A word in the margin, and what it says."""
        return [*self._before(), *self._made(), *self._after()]

    def _before(self) -> list[tuple[str, str]]:
        alone, named = self.alone / self.patients, self.claimed / self.patients
        return [
            (
                "data",
                f"{self.stays:,} stays of {self.patients:,} made-up patients; "
                f"a public roll of {self.voters:,} voters",
            ),
            ("audit", f"{percent(alone)} of the patients are alone with their birth date, ZIP code and sex"),
            (
                "linkage",
                f"{percent(named)} of the patients are found in the roll by joining on these; "
                f"{percent(self.right / max(self.claimed, 1))} of these names are right",
            ),
        ]

    def _made(self) -> list[tuple[str, str]]:
        wards = ", ".join(f"{one['ward']} {_pm(one['stays'], 0)}" for one in self.wards[:_SHOWN])
        largest = self.wards[0]
        return [
            (
                "anonymize",
                f"k = {K}, {percent(self.dropped / self.rows)} of the rows left out: "
                f"{percent(self.claimed_after / (self.patients * (1 - KEPT_APART)))} of the patients are found",
            ),
            (
                "",
                f"guessing whose row it is succeeds {percent(self.guess)} of the time; "
                f"the promise allows {percent(self.guess_allowed)}",
            ),
            *self._not_promised(),
            ("release", f"stays at epsilon {self.answer_epsilon:g}: {wards}, …"),
            ("", f"mean stay in {largest['ward']}: {_pm(largest['days'], 1)} days {self._caveat()}"),
            (
                "train",
                f"who comes back, at epsilon {self.model_epsilon:g}: AUROC {self.auroc:.3f} "
                f"on {self.newcomers:,} new patients (chance: 0.5)",
            ),
        ]

    def _alike(self) -> str:
        return f" ({self.alike} more may be as good)" if self.alike else ""

    def _caveat(self) -> str:
        return f"(± is noise, 95 %; of a patient, {MAX_ROWS} stays in {MAX_WARDS} wards count)"

    def _not_promised(self) -> list[tuple[str, str]]:
        if self.in_the_table is None:
            return []
        return [
            (
                "",
                f"who is in this table? AUC {self.in_the_table:.3f}; k-anonymity promises nothing about that",
            )
        ]

    def _after(self) -> list[tuple[str, str]]:
        found = self.membership
        return [
            (
                "attack",
                f"who was in the training data? best of {self.on_the_model} attacks: AUC {found['value']:.3f} "
                f"[{found['low']:.3f}, {found['high']:.3f}]; the promise allows {self.membership_allowed:.3f}",
            ),
            (
                "",
                f"{self.attacks} attacks in all; promises contradicted by them: {self.contradicted or 'none'}; "
                + ("; ".join(self.findings) or f"all {self.limits} limits kept"),
            ),
            (
                "tradeoff",
                f"{self.weighed} strengths weighed on surrogate rows; "
                f"proposed: {self.proposed or 'none of them'}{self._alike()}",
            ),
            (
                "ledger",
                f"spent epsilon {_number(self.spent)} of {_number(self.budget)}, {_number(self.left)} left; "
                f"{self.entries} entries, verified",
            ),
        ]


def figures(record: RunRecord, tested: dict[str, float], swept: Tradeoff, entries: int) -> Figures:
    """The figures of a run of the demonstration's policy, and of its model on people who were not in the data."""
    before, safe = record.step("before"), record.step("safe")
    facts, exact = before.facts, before.facts["linkage"]["attempts"][0]
    (linked,) = record.step("linked").risks
    risks = [risk for step in record.steps for risk in step.risks]
    told = [risk for risk in record.step("returns").risks if risk.measure == "AUC"]
    best = max(told, key=lambda risk: risk.success.value)
    assert record.ledger is not None
    book = next(one for one in record.ledger.balances if one["scope"] == "data set")
    return Figures(
        stays=facts["rows"],
        patients=facts["people"],
        voters=facts["linkage"]["records"],
        alone=facts["sample_uniques"],
        claimed=exact["claimed"],
        right=exact["score"]["right"],
        rows=safe.facts["before"]["rows"],
        dropped=safe.facts["found"]["suppressed_rows"],
        claimed_after=linked.details["claims"],
        guess=linked.success.value,
        guess_allowed=linked.bound or 1.0,
        in_the_table=next((r.success.value for r in safe.risks if r.attack == "membership-density"), None),
        wards=_wards(record.step("beds")),
        answer_epsilon=float(record.step("beds").options["epsilon"]),
        auroc=tested["auroc"],
        newcomers=int(tested["people"]),
        model_epsilon=float(record.step("returns").options["epsilon"]),
        attacks=len(risks),
        contradicted=sum(risk.verdict.name == "CONTRADICTS" for risk in risks),
        on_the_model=len(told),
        membership={name: getattr(best.success, name) for name in ("value", "low", "high")},
        membership_allowed=best.bound or 1.0,
        weighed=sum(point.promise is not None for point in swept.points),
        proposed=None if swept.proposed is None else f"{swept.proposed.technique}, {swept.proposed.label}",
        alike=0 if swept.knee is None else len(swept.knee.alike),
        findings=list(record.findings),
        limits=len(record.policy["limits"]),
        spent=book["spent"],
        budget=book["caps"],
        left=book["remaining"],
        entries=entries,
        head=record.ledger.head,
    )


def _wards(step: StepRecord) -> list[dict[str, Any]]:
    """The noisy answers, the largest ward first."""
    (answer,) = step.facts["answers"]
    found = [{"ward": ward} for ward in answer["keys"]["ward"]]
    for column in answer["answers"]:
        for at, ward in enumerate(found):
            ward[column["name"]] = {
                "value": column["values"][at],
                "low": column["low"][at],
                "high": column["high"][at],
            }
    return sorted(found, key=lambda one: -one["stays"]["value"])


def _pm(figure: dict[str, float | None], digits: int) -> str:
    """A noisy figure with its error; a mean over so few rows that noise could have made them all is withheld."""
    value, low, high = figure["value"], figure["low"], figure["high"]
    if value is None or low is None or high is None:
        return "withheld, too few"
    return f"{value:,.{digits}f} ± {(high - low) / 2:,.{digits}f}"


def _number(amounts: dict[str, str]) -> str:
    return f"{float(amounts['epsilon']):.4g}"
