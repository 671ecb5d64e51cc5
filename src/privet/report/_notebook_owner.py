"""What is for the owner alone, as notebooks show it: audits, attacks, trade-offs. Each is marked so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from privet.attacks import verdict_words
from privet.audits import percent, verdict
from privet.report._notebook_html import OWNER, folded, heading, listed, paragraph, stamp, table, view

if TYPE_CHECKING:
    from privet.artifact import RiskEstimate
    from privet.attacks import AttackReport
    from privet.audits import Audit, PublicAudit
    from privet.protect.pac import PacStability

_ATTACKED = ["attack", "measure", "verdict", "success", "guessing", "control", "allowed", "power"]


def stability_view(found: PacStability) -> str:
    """How far each number moves between halves, its noise at each budget, and what would make it cheaper."""
    budgets, shares = list(found.noise), found.shares()
    rows = [
        [
            found.labels[at],
            f"{found.spread[at]:.4g}",
            *(f"{found.noise[nats][at]:.4g}" for nats in budgets),
            percent(shares[at]),
        ]
        for at in found.paying()
    ]
    return view(
        heading(f"Stability of {found.name}"),
        stamp(f"{OWNER}: measured on the rows"),
        table(
            [
                "number",
                "moves between halves",
                *(f"noise at {nats}" for nats in budgets),
                "share of the noise",
            ],
            rows,
            numbers=len(budgets) + 2,
            more="to_json() has them all.",
        ),
        paragraph("What would make it cheaper:" if found.advice else ""),
        listed(found.advice),
    )


def audit_view(audit: Audit) -> str:
    """Who could be found, what each column is, and what to do about it. No value of the data."""
    sizes, risk = audit.alike.sizes, audit.alike.prosecutor
    rows = [
        [
            name,
            found.role,
            found.category,
            "special category" if found.special else "",
            f"{found.distinct:,}",
            percent(found.missing_share),
        ]
        for name, found in audit.columns.items()
    ]
    people = [
        ["people", f"{audit.people:,}"],
        ["rows", f"{audit.rows:,}"],
        ["alone with their values", percent(audit.unique_share)],
        ["smallest class (k)", f"{sizes.k:,}"],
        ["in classes below 5", percent(sizes.rows_below(5) / max(1, audit.people))],
        ["highest risk", percent(risk.highest)],
        ["mean risk", percent(risk.mean)],
    ]
    return view(
        heading(f"Audit of {audit.table}"),
        stamp(f"{OWNER}: exact figures; publishable() is what others may be shown"),
        paragraph(verdict(audit), "warn" if sizes.uniques else "promise"),
        table([f"by {', '.join(audit.quasi)}", ""], people, numbers=1),
        table(
            ["column", "role", "category", "", "values", "missing"],
            rows,
            numbers=2,
            more="to_pandas() has them all.",
        ),
        folded("What to do", listed((step.step for step in audit.advice), numbered=True)),
    )


def public_audit_view(audit: PublicAudit) -> str:
    """What others may be shown: rounded shares and roles."""
    rows = [[name, str(found["role"]), str(found["category"])] for name, found in audit.columns.items()]
    return view(
        heading(f"Audit of {audit.table}, for others"),
        stamp("Rounded figures, no values; not differentially private"),
        paragraph(
            f"Of about {audit.people:,} people {percent(audit.unique_share)} are alone with their "
            f"{', '.join(audit.quasi)}; {percent(audit.below_five_share)} look like fewer than four others."
        ),
        table(["column", "role", "category"], rows, more="to_pandas() has them all."),
        folded("What to do", listed(audit.advice, numbered=True)),
    )


def attack_view(report: AttackReport) -> str:
    """One line for each attack, with what the promise allows and what the test could have shown."""
    unfair = dict.fromkeys(one.unfair for one in report if one.unfair)
    worst = report.verdict.value
    return view(
        heading(f"Attacks on {report.attacked or 'it'}: {worst}"),
        stamp(f"{OWNER}: scored with the truth"),
        *(paragraph(said, "warn") for said in unfair),
        table(_ATTACKED, (_attack(one) for one in report), numbers=5, more="to_pandas() has them all.")
        if len(report)
        else paragraph("No attack was run: nothing was tested."),
        *(paragraph(said, "soft") for said in report.reading()),
        paragraph(
            "Attacks show what these adversaries reached; they prove no safety against others.", "soft"
        ),
        folded("Not tried", listed(report.left_out)),
    )


def risk_view(one: RiskEstimate) -> str:
    """One attack."""
    return view(
        heading(f"{one.attack}: {verdict_words(one)}"),
        stamp(f"{OWNER}: scored with the truth"),
        table(_ATTACKED, [_attack(one)], numbers=5),
        paragraph(one.sentence()),
        folded("Notes", listed(one.notes)),
    )


def _attack(one: RiskEstimate) -> list[str]:
    return [
        one.attack,
        one.measure,
        verdict_words(one),
        one.success.text(),
        f"{one.baseline:.4g}",
        "" if one.control is None else one.control.text(),
        "" if one.bound is None else f"{one.bound:.4g}",
        "" if one.detectable is None else f"{one.detectable:.4g}",
    ]


def tradeoff_view(tradeoff: Any) -> str:
    """Every point, the one proposed, and whose data it was measured on."""
    record: Mapping[str, Any] = tradeoff.to_json()
    knee = record["knee"]
    rows = [
        [
            "proposed" if knee and knee["index"] == at else "on the frontier" if point["on_frontier"] else "",
            point["technique"],
            point["label"],
            point["attack"],
            _three(point["utility"]),
            _three(point["risk"]),
        ]
        for at, point in enumerate(record["points"])
    ]
    public = record["standing"] in ("public", "surrogate")
    return view(
        heading(f"Use against risk: predicting {record['target']}"),
        stamp("Measured on data that are public or made up" if public else OWNER),
        paragraph(record["standing_words"]),
        paragraph(knee["reason"], "promise") if knee else paragraph("Nothing to propose."),
        table(["", "technique", "strength", "worst attack", "utility", "risk"], rows, numbers=2),
        folded("Notes", listed(record["notes"])),
    )


def _three(found: Mapping[str, float]) -> str:
    return f"{found['value']:.3f} [{found['low']:.3f}, {found['high']:.3f}]"
