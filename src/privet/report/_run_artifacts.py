"""Promise beside evidence for each thing that a run made, from the run's record. For the owner."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from privet.audits import percent
from privet.guarantee import promise_from_json, readable, unit_from_json, unit_in
from privet.report._not_protected import not_protected
from privet.report._pac_promise import best_success, is_pac, without_nats
from privet.report._regulator_checklists import odds
from privet.report._run_facts import OUTPUTS

Record = Mapping[str, Any]
_CHANGES = {
    "add-or-remove": "data sets that differ by one of these, there or not there",
    "replace": "data sets that differ in one of these, with other values",
}


def amounts(cost: Mapping[str, str]) -> str:
    """Amounts of a budget in one line, for people."""
    return ", ".join(
        f"{coin} {readable(Fraction(amount))}" for coin, amount in sorted(cost.items(), reverse=True)
    )


def _sentence(promise: Mapping[str, Any] | None, unit: Mapping[str, Any] | None) -> str | None:
    return promise_from_json(dict(promise)).sentence_about(unit_in(unit)) if promise else None


def promise_of(step: Record, unit: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is promised of what a step made, to whom it applies and what it cost: nothing that was measured."""
    made, receipt = step["made"], step["receipt"]
    protected = (receipt or {}).get("unit") or unit
    found = {
        "step": step["name"],
        "kind": made["kind"],
        "what": OUTPUTS.get(made["kind"], made["kind"]),
        "recipient": made["recipient"],
        "expires": made["expires"],
        "sentence": _sentence(made["promise"], protected),
        "promise": made["promise"],
        "unit": unit_from_json(dict(protected)).sentence() if protected and made["promise"] else None,
        # Only promises of differential privacy speak of two data sets.
        "change": _CHANGES.get(protected.get("change", ""))
        if protected and receipt and without_nats(receipt["cost"])
        else None,
        "cost": dict(receipt["cost"]) if receipt else {},
        "in_words": _in_words(made["promise"]),
        "cost_words": amounts(receipt["cost"]) if receipt else "",
        "not_protected": list(
            not_protected(made["kind"], promised=made["promise"] is not None, nats=is_pac(made["promise"]))
        ),
    }
    if receipt:
        found["receipt"] = {
            "ledger": receipt["ledger"],
            "entry": receipt["entry"],
            "head": receipt["head"],
            "accounting": receipt["accounting"],
            "composition": receipt["composition"],
            "remaining": dict(receipt["remaining"]),
        }
    return found


def _in_words(promise: Record | None) -> str:
    """What an epsilon, or nats, mean to somebody who guesses."""
    if promise is not None and is_pac(promise):
        return best_success(promise)
    epsilon = (promise or {}).get("epsilon")
    if epsilon is None or (promise or {}).get("promise") not in ("pure-dp", "approx-dp"):
        return ""
    return odds(float(Fraction(epsilon)))


def artifacts(record: Record) -> list[dict[str, Any]]:
    """Everything that was made; what a step of attacks found stands with the thing that it attacked."""
    unit = (record["ledger"] or {}).get("unit")
    planned = {step["name"]: step for step in record["plan"].get("steps", ())}
    found = {
        step["name"]: _artifact(step, unit, planned.get(step["name"], {}))
        for step in record["steps"]
        if step["made"]
    }
    for step in record["steps"]:
        attacked = step["options"].get("of")
        if step["kind"] == "attack" and attacked in found and step["name"] in found:
            mine = found.pop(step["name"])
            found[attacked]["evidence"] += mine["evidence"]
            found[attacked]["untried"] += mine["untried"]
    return list(found.values())


def _artifact(step: Record, unit: Mapping[str, Any] | None, planned: Record) -> dict[str, Any]:
    """The promise of what a step made, with the error that was planned and everything that attacks found of it."""
    return {
        **promise_of(step, unit),
        "expected_error": list(planned.get("errors", ())),
        "path": step["made"]["path"],
        "digest": step["made"]["digest"],
        "evidence": [_evidence(risk, step["name"]) for risk in step["risks"]],
        "untried": list(step["untried"]),
        "notes": _notes(step["facts"]),
    }


def _evidence(risk: Record, step: str) -> dict[str, Any]:
    """One attack: what it reached, against what, by whom, and what that says of the promise."""
    kept = (
        "attack", "measure", "success", "baseline", "control", "bound", "bound_reason", "detectable",
        "verdict", "sentence", "adversary", "notes",
    )  # fmt: skip
    return {"step": step, **{name: risk[name] for name in kept}}


def before_and_after(step: Record) -> list[dict[str, Any]]:
    """Risks of records before and after a step, where its own record states both in the same measure."""
    before, after = step["facts"].get("before"), step["facts"].get("after")
    if not (isinstance(before, dict) and isinstance(after, dict) and before.get("rows")):
        return []
    bounds = {risk["attack"]: risk["bound"] for risk in step["risks"]}
    rows = [
        ("highest chance to point at a record", "highest_risk", bounds.get("linkage-weakest")),
        ("mean chance to point at a record", "mean_risk", bounds.get("linkage-exact")),
    ]
    found = [_line(step, said, before.get(name), after.get(name), allowed) for said, name, allowed in rows]
    found.append(
        _line(
            step,
            "records that are alone with their values",
            _part(before, "unique_rows"),
            _part(after, "unique_rows"),
        )
    )
    found += [
        _line(
            step,
            f"records with a chance above {percent(float(level))}",
            share,
            after["rows_above"].get(level),
        )
        for level, share in before.get("rows_above", {}).items()
        if level == "0.2"
    ]
    for column, figures in before.get("sensitive", {}).items():
        later = after.get("sensitive", {}).get(column, {})
        found.append(
            _line(
                step,
                f"records whose class gives their {column} away",
                _share(figures.get("rows_of_one_value"), before),
                _share(later.get("rows_of_one_value"), after),
            )
        )
    return [one for one in found if one["before"] is not None and one["after"] is not None]


def linked_before_and_after(record: Record) -> list[dict[str, Any]]:
    """People found by linking with a table that others have: in the data by an audit, in what was made by an attack."""
    found = []
    for audit, attack in product(record["steps"], record["steps"]):
        linkage, with_ = audit["facts"].get("linkage"), attack["options"].get("auxiliary")
        if attack["kind"] != "attack" or not linkage or audit["options"].get("auxiliary") != with_:
            continue
        risks = {risk["attack"]: risk["details"].get("recall") for risk in attack["risks"]}
        for attempt in linkage["attempts"]:
            name = "linkage-exact" if attempt["method"].startswith("exact") else "linkage-probable"
            said = f"people in {linkage['auxiliary']} and here who are found ({attempt['method']})"
            before, after = (attempt["score"] or {}).get("recall"), risks.get(name)
            if before is not None and after is not None:
                found.append(_line(attack, said, before, after))
    return found


def audited(step: Record) -> list[dict[str, Any]]:
    """Risks of people in the table as it stands, as an audit states them: there is no "after" to them."""
    risk = step["facts"].get("risk")
    if step["kind"] != "audit" or not isinstance(risk, dict):
        return []
    alone, people = step["facts"].get("sample_uniques"), step["facts"].get("people")
    found = [
        ("people who are alone by what an outsider may know", alone / people if alone is not None and people else None),
        ("mean chance to point at a person", risk["prosecutor"]["mean"]),
        ("highest chance to point at a person", risk["prosecutor"]["highest"]),
    ]  # fmt: skip
    linkage = step["facts"].get("linkage")
    if linkage and linkage["attempts"]:
        most = max(linkage["attempts"], key=lambda attempt: attempt["share"])
        said = f"people whom somebody with {linkage['auxiliary']} would claim to know ({most['method']})"
        found.append((said, most["share"]))
    return [
        {"step": step["name"], "measure": said, "value": value} for said, value in found if value is not None
    ]


def _line(
    step: Record, said: str, before: float | None, after: float | None, allowed: float | None = None
) -> dict[str, Any]:
    return {"step": step["name"], "measure": said, "before": before, "after": after, "allowed": allowed}


def _part(of: Record, name: str) -> float | None:
    return _share(of.get(name), of)


def _share(count: float | None, of: Record) -> float | None:
    return None if count is None or not of.get("rows") else count / of["rows"]


def _notes(facts: Record) -> list[str]:
    """What a thing's own record says of its limits."""
    listed = [facts, *(one for one in facts.get("answers", ()) if isinstance(one, dict))]
    return list(dict.fromkeys(str(note) for one in listed for note in one.get("notes", ())))
