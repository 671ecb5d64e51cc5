"""The attacks on one thing as one HTML page for its owner: verdicts, ceilings, curves, and who carries the risk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privet.artifact import OwnerOnly, RiskEstimate, Verdict, figure
from privet.attacks import AttackReport, verdict_words
from privet.guarantee import most_true_positives
from privet.report._attack_figures import Curve, log_curves
from privet.report._danger import danger, danger_of_curve
from privet.report._page import rendered, saved_page

_RATES = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
_CURVES = 6


def attack_page(report: AttackReport) -> str:
    """The page as text: no script, no network."""
    curves = [(one, curve) for one in report for curve in [_curve(one)] if curve is not None]
    curves = sorted(curves, key=lambda pair: danger_of_curve(*pair[1][1:]), reverse=True)[:_CURVES]
    promised = next((one.promise for one in report if one.promise is not None), None)
    drawn = log_curves([curve for _, curve in curves], _bound(curves)) if curves else ""
    return rendered(
        "attack.html",
        title=f"Attacks on {report.attacked}",
        audience="owner",
        attacked=report.attacked,
        verdict=f"{report.verdict.value[0].upper()}{report.verdict.value[1:]}.",
        calm=report.verdict is Verdict.WITHIN,
        promise="" if promised is None else promised.sentence(),
        confidence="" if report.confidence is None else f"{report.confidence:.4g}",
        unfair=list(dict.fromkeys(one.unfair for one in report if one.unfair)),
        rows=[_row(one) for one in sorted(report, key=lambda one: danger(one.to_json()), reverse=True)],
        found=[row for one in report for row in [_found(one)] if row],
        figure=drawn,
        figure_rows=[
            (curve[0], *(f"{_reached(curve, rate):.2%}" for rate in (0.001, 0.01, 0.1)))
            for _, curve in curves
        ],
        tails=[(one.attack, tail) for one in report for tail in [_tail(one)] if tail],
        estimates=[
            {
                "attack": one.attack,
                "sentence": one.sentence(),
                "adversary": one.adversary,
                "cost": one.cost,
                "notes": one.notes,
            }
            for one in report
        ],
        left_out=report.left_out,
    )


def save_attack_page(report: AttackReport, path: str | Path) -> Path:
    """Write the page, whole or not at all."""
    return saved_page(OwnerOnly(attack_page(report)), path)


def _row(one: RiskEstimate) -> tuple[str, ...]:
    return (
        one.attack,
        one.measure,
        one.success.text(),
        f"{one.baseline:.4g}",
        "" if one.control is None else one.control.text(),
        "" if one.bound is None else f"{one.bound:.4g}",
        "" if one.detectable is None else figure(one.detectable),
        verdict_words(one),
    )


def _found(one: RiskEstimate) -> tuple[str, ...]:
    """True positives at the two low rates with their intervals, what is allowed there, and the ceiling."""
    rates = one.details.get("true positives")
    if not isinstance(rates, dict):
        return ()
    cells = [one.attack]
    for rate in rates.values():
        bound, ceiling = rate.get("bound"), rate.get("ceiling")
        cells += [
            f"{rate['value']:.4g} [{rate['low']:.4g}, {rate['high']:.4g}]",
            "" if bound is None else f"{bound:.4g}",
            "" if ceiling is None else f"{ceiling:.4g}",
        ]
    return tuple(cells)


def _curve(one: RiskEstimate) -> Curve | None:
    found = one.details.get("curve")
    if not isinstance(found, dict) or "false_positives" not in found:
        return None
    return one.attack, found["false_positives"], found["true_positives"]


def _bound(curves: list[tuple[RiskEstimate, Curve]]) -> Curve | None:
    """The most that the promise allows at each false-positive rate."""
    promise = next((one.promise for one, _ in curves if one.promise is not None), None)
    if promise is None:
        return None
    allowed = [most_true_positives(promise, rate) for rate in _RATES]
    known = [value for value in allowed if value is not None]
    return ("the promise allows", _RATES, known) if len(known) == len(_RATES) else None


def _reached(curve: Curve, rate: float) -> float:
    return max((y for x, y in zip(curve[1], curve[2], strict=True) if x <= rate + 1e-12), default=0.0)


def _tail(one: RiskEstimate) -> dict[str, Any] | None:
    found = one.details.get("vulnerability")
    if not isinstance(found, dict):
        return None
    rows = [*found.get("ranks", []), *found.get("groups", [])]
    if not rows:
        return None
    headings = list(rows[0])
    return {"headings": headings, "rows": [[row.get(name, "") for name in headings] for row in rows]}
