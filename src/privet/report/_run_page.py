"""The report of a run as one HTML page: promise beside evidence, budgets, risks and checklists. No script, no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any

from privet.artifact import (
    OwnerOnly,
    Publishable,
    Verdict,
)
from privet.audits import percent
from privet.evidence import Signing
from privet.guarantee import readable
from privet.report._burn_figure import burn_figure
from privet.report._page import rendered, saved_page
from privet.report._page_signature import signed_page
from privet.report._regulator_checklists import ItemStanding
from privet.report._risk_figure import before_and_after_figure, drawable, evidence_figure, interval
from privet.report._run_artifacts import amounts
from privet.report._run_checklists import open_points

Report = Mapping[str, Any]
_CHIPS = {
    ItemStanding.MET.value: "met",
    ItemStanding.NOT_MET.value: "bad",
    ItemStanding.OPEN.value: "open",
    ItemStanding.NOT_APPLICABLE.value: "none",
    ItemStanding.WITHHELD.value: "none",
    ItemStanding.NOT_TESTED.value: "open",
    ItemStanding.NOT_RECOGNISED.value: "none",
}
_VERDICTS = {
    Verdict.WITHIN.value: "met",
    Verdict.EDGE.value: "open",
    Verdict.CONTRADICTS.value: "bad",
    Verdict.INCONCLUSIVE.value: "open",
    Verdict.NOT_PROMISED.value: "none",
}
_ENTRIES = 200  # of the ledger at most; the whole book is in `privet ledger export`


def run_page(report: Report) -> str:
    """The page of a report that `run_report` made, for the audience that it was made for."""
    owner = report["audience"] == "owner"
    changes = _changes(report.get("before_and_after", ()))
    shown = {
        "summary": "In short",
        "artifacts": "Promise beside evidence" if owner else "What is promised",
        "budgets": "Budget" if report["budgets"] else None,
        "risk": "Risk before and after" if changes or report.get("as_it_stands") else None,
        "tradeoff": "Trade-off" if report["tradeoff"] else None,
        "wp29": "Singling out, linkability, inference",
        "hazards": "Hazards of differential privacy",
        "dpia": "Impact assessment: a draft",
        "article-30": "Record of processing",
        "safe-harbor": "HIPAA Safe Harbor",
        "ccpa": "California",
        "purposes": "Purposes, and what was read",
        "ledger": "Ledger extract" if report["ledger"] else None,
        "versions": "Versions and digests" if owner else "Versions",
    }
    return rendered(
        "run.html",
        title=f"Privacy report: {report['data_set']}",
        audience="owner" if owner else "public",
        styles=("run.css",),
        r=report,
        owner=owner,
        contents=[(at, title) for at, title in shown.items() if title],
        chips=_CHIPS,
        tiles=_tiles(report),
        artifacts=[_artifact(one) for one in sorted(report["artifacts"], key=_for_the_owner)],
        changes=changes,
        standing_rows=[
            (one["measure"], percent(one["value"]), one["step"]) for one in report.get("as_it_stands", ())
        ],
        t=_tradeoff(report["tradeoff"]),
        steps=[
            {
                **step,
                "planned_words": amounts(step["planned"]) or "nothing",
                "spent_words": amounts(step["spent"]) or "nothing",
            }
            for step in report["steps"]
        ],
        purpose_rows=[_purpose(name, one) for name, one in report["purposes"].items()],
        **_budgets(report["budgets"]),
        **_ledger(report["ledger"]),
    )


def save_run_page(report: Report, path: str | Path, signing: Signing | None = None) -> Path:
    """Write the page, whole or not at all; signed where there is a signer."""
    page = signed_page(run_page(report), signing)
    if report["audience"] == "public":
        return saved_page(Publishable(page, "built from what may be told"), path)
    return saved_page(OwnerOnly(page), path)


def _tiles(report: Report) -> list[tuple[str, str]]:
    tiles = [(str(len(report["steps"])), "things were made")]
    whole = next((one for one in report["budgets"] if one["coin"] != "delta"), None)
    if whole:
        left, cap = Fraction(whole["left"]), Fraction(whole["cap"])
        tiles.append((readable(left), f"{whole['coin']} left of {readable(cap)} for the {whole['scope']}"))
    if report["audience"] == "owner":
        tried = sum(len(one["evidence"]) for one in report["artifacts"])
        tiles.append((str(tried), "attacks were run"))
        if report["limits"] or report["summary"]["findings"]:
            tiles.append((str(len(report["summary"]["findings"])), "limits or promises were not kept"))
    tiles.append((str(open_points(report["checklists"])), "items for human review"))
    return tiles


def _artifact(one: Report) -> dict[str, Any]:
    evidence: Sequence[Report] = one.get("evidence", ())
    drawn = [risk for risk in evidence if drawable(risk)]
    control = any(risk["control"] for risk in evidence)
    return {
        "untried": (),
        "notes": (),
        "evidence": (),
        **one,
        "facts": _facts(one),
        "figure": evidence_figure(one["step"], drawn) if drawn else "",
        "headings": [
            "attack",
            "what is measured, and for whom",
            "reached",
            "guess",
            *(["control"] if control else []),
            "allowed",
            "verdict",
        ],
        "rows": [_evidence(risk, one["step"], control=control) for risk in evidence],
    }


def _for_the_owner(one: Report) -> bool:
    """What promises something comes first."""
    return one["sentence"] is None


def _facts(one: Report) -> list[tuple[str, str]]:
    receipt = one.get("receipt")
    found = [
        ("Protected", one["unit"]),
        ("Neighbouring data", one["change"]),
        ("In other words", one["in_words"]),
        (
            "Expected error",
            f"{'; '.join(said)}; what caps and bounds leave out comes on top"
            if (said := one.get("expected_error", ()))
            else "",
        ),
        ("Cost", one["cost_words"] or ("no budget: recorded in the ledger" if receipt else "")),
        (
            "Accounting",
            f"{receipt['accounting']}, {receipt['composition']}" if receipt and one["cost"] else "",
        ),
        ("Ledger", f"entry {receipt['entry']}" if receipt else ""),
        ("Parameters", "; ".join(f"{name}: {value}" for name, value in one.get("parameters", {}).items())),
        ("For", one["recipient"]),
        ("Kept until", one["expires"]),
        ("File", one.get("path")),
        ("Digest", f"sha256 {one['digest'][:16]}…" if one.get("digest") else ""),
    ]
    return [(name, value) for name, value in found if value]


def _short(estimate: Report) -> str:
    """A figure with its interval for a narrow column; it breaks before the interval and nowhere else."""
    from markupsafe import Markup, escape

    # Markup of our own: a joiner that came with a text would be shown.
    return escape(interval(estimate)).replace(" to ", Markup("&#8288;–&#8288;"))


def _evidence(risk: Report, of: str, *, control: bool) -> tuple[Any, ...]:
    adversary = risk["adversary"]
    known = ", ".join(adversary["knows"])
    weak = risk["verdict"] == "inconclusive" and risk["detectable"] is not None
    by = "" if risk["step"] == of else f" (step {risk['step']})"
    return (
        f"{risk['attack']}{by}",
        f"{risk['measure']}, for {adversary['who']}{f', who knows {known}' if known else ''}; {adversary['access']}",
        _short(risk["success"]),
        f"{risk['baseline']:.3g}",
        *([_short(risk["control"]) if risk["control"] else "none"] if control else []),
        "" if risk["bound"] is None else f"{risk['bound']:.3g}",
        {
            "chip": _VERDICTS.get(risk["verdict"], "none"),
            "text": risk["verdict"],
            "more": f" Nothing above {risk['detectable']:.3g} could have been shown." if weak else "",
        },
    )


def _budgets(budgets: Sequence[Report]) -> dict[str, Any]:
    grouped = [(scope, list(coins)) for scope, coins in groupby(budgets, key=lambda one: one["scope"])]
    return {
        "budgets": [
            {
                "scope": scope,
                "expires": coins[0]["expires"],
                "figure": burn_figure(scope, coins, key=str(at)),
            }
            for at, (scope, coins) in enumerate(grouped)
        ],
        "budget_rows": [
            (
                one["scope"],
                one["coin"],
                *(readable(Fraction(one[name])) for name in ("cap", "before", "this_run", "planned", "left")),
            )
            for one in budgets
        ],
    }


def _changes(lines: Sequence[Report]) -> list[dict[str, Any]]:
    return [
        {
            "step": step,
            "figure": before_and_after_figure(step, rows),
            "rows": [
                (
                    one["measure"],
                    percent(one["before"]),
                    percent(one["after"]),
                    "" if one["allowed"] is None else percent(one["allowed"]),
                )
                for one in rows
            ],
        }
        for step, found in groupby(lines, key=lambda one: one["step"])
        for rows in [list(found)]
    ]


def _purpose(name: str, one: Report) -> tuple[str, ...]:
    return (
        name,
        one["use"],
        one["basis"],
        ", ".join(one["outputs"]),
        ", ".join(one["recipients"]),
        str(one["expires"]),
        str(one["review"] or "no date is set"),
    )


def _ledger(ledger: Report | None) -> dict[str, Any]:
    if ledger is None:
        return {}
    entries = ledger["entries"][-_ENTRIES:]
    reasons = any("why" in entry for entry in entries)
    return {
        "entries_note": ""
        if len(entries) == len(ledger["entries"])
        else f": the last {len(entries)} of {len(ledger['entries'])}",
        "ledger_headings": [
            "entry",
            "kind",
            "when",
            "purpose",
            "cost",
            *(["reason"] if reasons else []),
            "hash",
        ],
        "ledger_rows": [
            (
                str(entry["number"]),
                entry["kind"],
                str(entry["at"] or "").replace("T", " ")[:16],
                entry["purpose"] or "",
                amounts(entry["cost"] or {}),
                *([entry["why"] or ""] if reasons else []),
                f"{entry['hash'][:16]}…",
            )
            for entry in entries
        ],
    }


def _tradeoff(tradeoff: Report | None) -> dict[str, Any] | None:
    if not tradeoff:
        return None
    from privet.report._tradeoff_figure import tradeoff_figure

    return {
        **tradeoff,
        "figure": tradeoff_figure(dict(tradeoff)),
        "rows": [
            (
                point["label"],
                point["technique"],
                _short(point["utility"]),
                _short(point["risk"]),
                "" if point.get("baseline") is None else f"{point['baseline']:.3g}",
                "yes" if point["on_frontier"] else "no",
                point.get("words") or "",
            )
            for point in tradeoff["points"]
        ],
    }
