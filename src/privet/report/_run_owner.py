"""The report of a run for the owner of the data: promise beside evidence, with what was measured on the original rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from privet.audits import listed as listed_names
from privet.audits import percent
from privet.report import _regulator_checklists as checklists
from privet.report import _run_facts as run_facts
from privet.report import _wp29_criteria as criteria
from privet.report._run_artifacts import artifacts, audited, before_and_after, linked_before_and_after
from privet.report._run_budgets import burns
from privet.report._run_checklists import listed, open_points, sections

Record = Mapping[str, Any]

# Verdicts of attacks that could have contradicted a promise.
_TESTED = ("within the promise", "at the edge of the promise", "contradicts the promise")


def owner_report(
    record: Record, *, tradeoff: Record | None = None, coming: Record | None = None
) -> dict[str, Any]:
    """The owner's report: exact figures, no row and no value of one."""
    risks = [
        {**risk, "of": step["options"].get("of") or step["name"]}
        for step in record["steps"]
        for risk in step["risks"]
    ]
    stands = [line for step in record["steps"] for line in audited(step)]
    report = {
        "audience": "owner",
        "data_set": run_facts.data_set(record),
        "started": record["started"],
        "finished": record["finished"],
        "artifacts": artifacts(record),
        "budgets": [one.to_json() for one in burns(record, coming)],
        "before_and_after": [
            *linked_before_and_after(record),
            *(line for step in record["steps"] for line in before_and_after(step)),
        ],
        "as_it_stands": stands,
        "tradeoff": dict(tradeoff) if tradeoff else None,
        "checklists": _checklists(record, risks, stands, run_facts.sweep(record, tradeoff)),
        "purposes": run_facts.purposes(record),
        "limits": dict(record["policy"].get("limits") or {}),
        "steps": [_step(step) for step in record["steps"]],
        "ledger": _ledger(record["ledger"]),
        "versions": dict(record["versions"]),
        "bound_to": {
            "policy": record["policy"].get("sha256"),
            "data": record["plan"].get("data"),
            "ledger before": record["plan"].get("ledger"),
        },
    }
    return {**report, "summary": _summary(record, report, risks)}


def _checklists(
    record: Record, risks: Sequence[Record], stands: Sequence[Record], sweep: str | None
) -> dict[str, Any]:
    told = [
        {
            "attack": f"As the data stand: {one['measure']}",
            "sentence": f"{percent(one['value'])}, by the audit {one['step']}.",
        }
        for one in stands
    ]
    away = run_facts.given_away(record)
    told += [{"attack": "What a table gives away", "sentence": f"{said}."} for said in away]
    people = run_facts.people(record)
    hazards = checklists.hazards(run_facts.hazard_facts(record, people=people, sweep=sweep))
    tables = [
        {
            "of": step["name"],
            "items": listed(
                checklists.safe_harbor(run_facts.published(record, columns), step["facts"].get("identifiers"))
            ),
        }
        for step in record["steps"]
        if isinstance(columns := step["facts"].get("columns"), list)
        and step["made"]
        and step["made"]["kind"] == "table"
    ]
    return {
        "wp29": listed(criteria.wp29(risks, away)),
        "hazards": listed(hazards),
        "dpia": sections(checklists.dpia(run_facts.dpia_facts(record, [*told, *risks]))),
        "article_30": listed(checklists.article_30(run_facts.article_30_facts(record))),
        "safe_harbor": tables,
        "ccpa": listed(checklists.deidentified_in_california()),
    }


def _step(step: Record) -> dict[str, Any]:
    return {
        "name": step["name"],
        "kind": step["kind"],
        "purpose": step["purpose"],
        "read": list(step["read"]),
        "dropped": list(step["dropped"]),
        "query": step["query"],
        "options": {name: value for name, value in step["options"].items() if value not in (None, {}, [])},
        "planned": dict(step["planned"]),
        "spent": dict(step["spent"]),
        "seconds": step["seconds"],
    }


def _ledger(book: Record | None) -> dict[str, Any] | None:
    if book is None:
        return None
    kept = ("number", "kind", "at", "purpose", "cost", "why", "hash")
    return {
        "id": book["id"],
        "head": book["head"],
        "accounting": book["accounting"],
        "limit": dict(book["limit"]),
        "entries": [{name: entry.get(name) for name in kept} for entry in book["entries"]],
    }


def _summary(record: Record, report: Record, risks: Sequence[Record]) -> dict[str, Any]:
    contradicted = [risk["sentence"] for risk in risks if risk["verdict"] == "contradicts the promise"]
    findings, beyond = [*record["findings"], *contradicted], _beyond(report)
    # The headline says one thing, and the worst there is: a promise or limit that was not kept, then a criterion.
    verdict = _verdict(record, contradicted, risks)
    first, then = (verdict, beyond) if findings or not beyond else (beyond[0], [verdict])
    return {
        "verdict": first,
        "calm": not findings and not beyond,
        "findings": findings,
        "said": [
            *then,
            *_made(record),
            *_evidence(record, risks),
            *_open(record, report),
        ],
    }


def _verdict(record: Record, contradicted: Sequence[str], risks: Sequence[Record]) -> str:
    beaten = len(record["findings"])
    if contradicted:
        return f"{_many(len(contradicted), 'attack')} contradicted what was promised."
    if beaten:
        return f"{_many(beaten, 'limit')} of the policy {'was' if beaten == 1 else 'were'} not kept."
    limits = record["policy"].get("limits")
    kept = "Every limit that the policy sets was kept" if limits else "The policy sets no limit"
    tested = any(risk["verdict"] in _TESTED for risk in risks)
    attacked = "no attack contradicted a promise" if tested else "no promise was put to the test by an attack"
    return f"{kept}, and {attacked if risks else 'nothing was attacked'}."


def _beyond(report: Record) -> list[str]:
    """Which of the three criteria an attack went beyond; limits can be kept all the same, where none is set."""
    beyond = [
        item["asks"].partition(":")[0].lower()
        for item in report["checklists"]["wp29"]
        if item["standing"] == checklists.ItemStanding.NOT_MET.value
    ]
    return [f"Not met of the three criteria below: {listed_names(beyond)}."] if beyond else []


def _made(record: Record) -> list[str]:
    read, left = run_facts.columns_read(record), run_facts.columns_left(record)
    things = [
        f"{step['name']} ({run_facts.OUTPUTS.get(step['made']['kind'], step['made']['kind'])})"
        for step in record["steps"]
        if step["made"]
    ]
    return [
        f"From {run_facts.data_set(record)}, {len(things)} things were made: {', '.join(things)}."
        if len(things) != 1
        else f"From {run_facts.data_set(record)}, one thing was made: {things[0]}.",
        f"{len(read)} of {len(read) + len(left)} declared columns were read; "
        + (f"{', '.join(left)} stayed in the source." if left else "none stayed behind."),
    ]


def _evidence(record: Record, risks: Sequence[Record]) -> list[str]:
    untried = sum(len(step["untried"]) for step in record["steps"])
    counted = Counter(risk["verdict"] for risk in risks)
    said = "; ".join(f"{verdict}: {number}" for verdict, number in sorted(counted.items()))
    tried = f"{_many(len(risks), 'attack')} {'was' if len(risks) == 1 else 'were'} run"
    return [f"{tried}{f' ({said})' if said else ''}; {untried} skipped (reasons below)."]


def _open(record: Record, report: Record) -> list[str]:
    number = open_points(report["checklists"])
    reviews = sorted({str(one["review"]) for one in run_facts.purposes(record).values() if one.get("review")})
    again = (
        f"The assessment is to be looked at again by {reviews[0]}."
        if reviews
        else "No date is set to look at this assessment again: a purpose can state one (review)."
    )
    return [
        f"{_many(number, 'item')} for human review, marked open below.",
        "Some risk is left. The figures hold for this data, on this day, against the adversaries that are named. "
        + again,
    ]


def _many(number: int, word: str) -> str:
    names = {0: "No", 1: "One"}
    return f"{names.get(number, number)} {word}{'' if number == 1 else 's'}"
