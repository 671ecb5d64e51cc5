"""What attacks on a shield mean together: the strongest counts, and only a limit that it stays below says anything good."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, ClassVar

from privet.artifact import RiskEstimate
from privet.attacks._attack_report import AttackReport
from privet.attacks.inversion._token_recovery import MEASURE
from privet.errors import BadAttack

_FEW = 1e-12


class ShieldLabel(enum.Enum):
    """What may be written on a shield after it was attacked. None of them says that it protects."""

    UNPROTECTED = "unprotected"
    INCONCLUSIVE = "inconclusive"
    BELOW = "below the stated limit, against the attacks named"


@dataclass(frozen=True)
class ShieldReport(AttackReport):
    """The results of all attacks on a shield. `limit` is the share of tokens that somebody stated as bearable; None if nobody did."""

    limit: float | None = None
    _drawn_as: ClassVar[str] = "attacks"

    @property
    def headline(self) -> RiskEstimate | None:
        """The strongest of those that read tokens."""
        return max(self.readers, key=lambda one: one.success.value, default=None)

    @property
    def readers(self) -> tuple[RiskEstimate, ...]:
        """The attacks that read tokens."""
        return tuple(one for one in self if one.measure == MEASURE)

    @property
    def label(self) -> ShieldLabel:
        """Unprotected where no limit was stated, or an attack got beyond it: with tokens, or with rare ones, names or numbers.

        Inconclusive where an interval reaches beyond it, no learned reader was tried, or a reader could not have worked, since it
        reads not even plain embeddings.
        """
        if self.limit is None or self.headline is None:
            return ShieldLabel.UNPROTECTED if self.headline is not None else ShieldLabel.INCONCLUSIVE
        figures = [figure for one in self.readers for figure in _figures(one)]
        if any(value > self.limit + _FEW for value, _ in figures):
            return ShieldLabel.UNPROTECTED
        learned = {"shield-inverter-mlp", "shield-inverter-transformer"} <= {
            one.attack for one in self.readers
        }
        worked = all(one.details.get("worked") for one in self.readers)
        if not learned or not worked or any(high > self.limit + _FEW for _, high in figures):
            return ShieldLabel.INCONCLUSIVE
        return ShieldLabel.BELOW

    def reasons(self) -> list[str]:
        """Why the label is what it is, the worst first."""
        top = self.headline
        if top is None:
            return ["No attack that reads tokens was run: nothing was tested."]
        said = [
            f"The strongest attack is {top.attack}: it reads {top.success.value:.1%} of tokens "
            f"[{top.success.low:.1%}, {top.success.high:.1%}], where guessing reaches {top.baseline:.1%}."
        ]
        if self.limit is None:
            return [
                *said,
                "No limit was stated, so nothing can be called bearable: limit=0.16, or --limit 0.16.",
            ]
        for kind, value, attack in self._worst_kinds():
            if value > self.limit:
                said.append(f"{attack} reads {value:.1%} of {kind}, above the limit of {self.limit:.1%}.")
        lame = [one.attack for one in self.readers if not one.details.get("worked")]
        if lame:
            said.append(
                f"Could not have worked, since they do not read plain embeddings either: {', '.join(lame)}."
            )
        wide = sorted(
            {
                one.attack
                for one in self.readers
                for value, high in _figures(one)
                if value <= self.limit < high
            }
        )
        if wide:
            said.append(f"Too few tokens to say that the limit is kept: {', '.join(wide)}.")
        return said

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version."""
        top = self.headline
        return {
            **super().to_json(),
            "limit": self.limit,
            "label": self.label.value,
            "headline": None if top is None else top.attack,
            "reasons": self.reasons(),
        }

    def _worst_kinds(self) -> list[tuple[str, float, str]]:
        found: dict[str, tuple[float, str]] = {}
        for one in self.readers:
            kinds = {"tokens": one.success.value}
            kinds |= {_SAID[name]: part["value"] for name, part in one.details["kinds"].items()}
            for kind, value in kinds.items():
                found[kind] = max(found.get(kind, (-1.0, "")), (value, one.attack))
        return [(kind, value, attack) for kind, (value, attack) in found.items()]

    def _lines(self) -> list[str]:
        header = ("attack", "tokens", "rare", "names", "numbers", "guessing", "on plain")
        rows = [header, *(_row(one) for one in self.readers)]
        widths = [max(len(row[at]) for row in rows) for at in range(len(header))]
        lines = [f"{self.attacked}: {self.label.value}", "", *self.reasons(), ""]
        lines += [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        lines += ["", *(one.sentence() for one in self if one.measure != MEASURE)]
        lines += [NO_PROOF]
        if self.confidence is not None:
            lines.append(f"intervals: all of them hold together with {self.confidence:.4g} confidence.")
        return [*lines, *(f"  skipped: {said}" for said in self.left_out)]


NO_PROOF = "No attack proves that a shield is safe: these are what was tried, on texts like these, and no epsilon follows."
_SAID = {"rare": "rare tokens", "numbers": "numbers", "names": "names"}


def shield_report(report: AttackReport, limit: Any) -> ShieldReport:
    """The report with a limit that somebody stated, if anybody did."""
    if limit is not None and (
        isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit < 1
    ):
        raise BadAttack("a limit is a share of tokens between 0 and 1.", "Give limit=0.16.")
    return ShieldReport(
        report.estimates, report.attacked, report.left_out, report.confidence, report.standing, limit
    )


def _figures(one: RiskEstimate) -> list[tuple[float, float]]:
    """The share that was read and its upper end, of all tokens and of each kind there is."""
    kinds = one.details["kinds"].values()
    return [(one.success.value, one.success.high), *((part["value"], part["high"]) for part in kinds)]


def _row(one: RiskEstimate) -> tuple[str, ...]:
    kinds = one.details["kinds"]
    cells = [f"{kinds[name]['value']:.1%}" if name in kinds else "" for name in ("rare", "names", "numbers")]
    return (
        one.attack,
        f"{one.success.value:.1%} [{one.success.low:.1%}, {one.success.high:.1%}]",
        *cells,
        f"{one.baseline:.1%}",
        f"{one.details['plain']:.1%}",
    )
