"""The record of a run that nobody made, with one of everything that reports show; what was measured has odd digits."""

from __future__ import annotations

from typing import Any

from privet.artifact._receipt import Receipt
from privet.artifact._risk_estimate import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.guarantee._promise_registry import ApproxDP, KAnonymity, Promise
from privet.pipeline._run_record import Book, Made, RunRecord, StepRecord

CANARY = "kanarienvogel"  # stands wherever something derived from the rows, or private, could stand as text
DATA = f"snapshot:{CANARY}"
UNIT = {"unit": "person", "column": "patient_id", "change": "add-or-remove"}
COLUMNS = ("patient_id", "born", "zip", "ward", "diagnosis", "note")


def record(**changes: Any) -> dict[str, Any]:
    """The whole record, as the JSON that reports take."""
    made = RunRecord(
        policy=policy(),
        plan={
            "schema": 1,
            "artifact": "run-plan",
            "policy": "aa" * 32,
            "data": DATA,
            "ledger": "00" * 32,
            "made": "2026-05-01T10:00:00Z",
            "steps": [
                {
                    "name": name,
                    "purpose": "care",
                    "cost": {},
                    "errors": [f"{CANARY} ± 31.7"],
                    "notes": [CANARY],
                }
                for name in ("before", "safe", "beds", "risk")
            ],
        },
        steps=(audited(), anonymized(), released(), trained()),
        ledger=book(),
        versions={"python": "3.11.7", "privet": "0.1.0", "opendp": "0.16.0"},
        findings=(f"safe: linkage-exact reached {CANARY} 0.0739, above the limit of 0.05.",),
        started="2026-05-01T10:00:00Z",
        finished="2026-05-01T10:07:31Z",
    ).to_json()
    return {**made, **changes}


def policy() -> dict[str, Any]:
    roles = ("direct", "quasi", "quasi", "insensitive", "sensitive", "free text")
    categories = (
        "user.health_and_medical.record_id", "user.demographic.date_of_birth",
        "user.contact.address.postal_code", None, "user.health_and_medical.diagnosis", "user.content.private",
    )  # fmt: skip
    return {
        "version": 1,
        "dataset": {
            "source": f"folder/{CANARY}/patients.csv",
            "name": "patients",
            "unit": {"column": "patient_id", "max_rows": 6, "max_groups": 2},
            "ledger": f"folder/{CANARY}/patients.ledger",
            "budget": {"epsilon": "4", "delta": "0.00001"},
        },
        "columns": {
            name: {"role": role, "category": category, "special": name == "diagnosis", "values": [CANARY]}
            for name, role, category in zip(COLUMNS, roles, categories, strict=True)
        },
        "purposes": {
            "care": {
                "use": "better care",
                "basis": "GDPR Art. 6(1)(e)",
                "special_basis": "GDPR Art. 9(2)(h)",
                "columns": list(COLUMNS[1:5]),
                "outputs": ["audit", "table", "answer", "model"],
                "recipients": ["internal", "university"],
                "budget": {"epsilon": "3", "delta": "0.00001"},
                "expires": "2030-12-31",
                "review": "2029-01-31",
            },
            "unused": {"use": CANARY, "basis": CANARY, "columns": [], "outputs": [], "recipients": [CANARY]},
        },
        "steps": [],
        "limits": {"linkage-exact": 0.05},
        "sha256": "aa" * 32,
    }


def step(name: str, kind: str, output: str, **more: Any) -> StepRecord:
    promise: Promise | None = more.pop("promise", None)
    return StepRecord(
        name=name,
        kind=kind,
        purpose="care",
        read=("patient_id", *COLUMNS[1:5]),
        dropped=("note",),
        query=f"SELECT '{CANARY}' FROM patients",
        made=Made(
            f"{name}-{CANARY}.json", output, more.pop("digest", CANARY), promise, "university", "2030-12-31"
        ),
        seconds=451.7,
        untried=(f"downcoding needs {CANARY}.",),
        **more,
    )


def receipt(entry: int, promise: Promise, cost: dict[str, str]) -> Receipt:
    return Receipt(
        ledger="cc" * 32,
        entry=entry,
        head="dd" * 32,
        at="2026-05-01T10:03:17Z",
        event={"kind": "laplace", "scale": "2", CANARY: CANARY},
        promise=promise.to_json(),
        unit={**UNIT, "max_rows": 6, "max_groups": 2},
        accounting="basic",
        composition="adaptive filter",
        cost=cost,
        remaining={"epsilon": "0.75", "delta": "0.000008"},
        why=f"weekly {CANARY}",
        purpose="care",
        analyst=CANARY,
        data=DATA,
    )


def risk(attack: str, value: float, *, promise: Promise, **more: Any) -> RiskEstimate:
    return RiskEstimate(
        attack=attack,
        measure=f"chance ({CANARY})",
        success=IntervalEstimate(value, value - 0.0113, value + 0.0117),
        baseline=0.0229,
        adversary=Adversary(f"somebody {CANARY}", (f"the person's {CANARY}",), f"the thing ({CANARY})"),
        cost=AttackCost(7.31, records=91827),
        promise=promise,
        notes=(CANARY,),
        details={"people": 81726, CANARY: CANARY},
        **more,
    )


def audited() -> StepRecord:
    facts = {
        "people": 81726,
        "rows": 918273,
        "sample_uniques": 71823,
        "risk": {"prosecutor": {"highest": 0.997, "mean": 0.8641}},
        "note": CANARY,
    }
    return step("before", "audit", "audit", facts=facts)


def anonymized() -> StepRecord:
    promise = KAnonymity(5)
    sensitive = {"diagnosis": {"distinct_l": 1.0, "rows_of_one_value": 27182.0}}
    facts = {
        "before": {"rows": 918273, "unique_rows": 617283, "highest_risk": 1.0, "mean_risk": 0.7391, "rows_above": {"0.2": 0.8472}, "sensitive": sensitive},
        "after": {"rows": 816273, "unique_rows": 0, "highest_risk": 0.2, "mean_risk": 0.0637, "rows_above": {"0.2": 0.0}, "sensitive": sensitive},
        "columns": [
            {"column": "patient_id", "role": "direct", "done": "removed"},
            {"column": "born", "role": "quasi", "done": f"generalized {CANARY}"},
            {"column": "zip", "role": "quasi", "done": "published as it was"},
        ],
        "notes": [f"hierarchies made of {CANARY}"],
    }  # fmt: skip
    return step(
        "safe",
        "anonymize",
        "table",
        promise=promise,
        receipt=receipt(3, promise, {}),
        facts=facts,
        options={"k": 5, "l": {}, "t": {}, "max_suppressed": "0.1", "search": "optimal", "columns": [CANARY]},
        risks=(
            risk("linkage-exact", 0.0739, promise=promise, bound=0.2, detectable=0.988),
            risk("linkage-probable", 0.1147, promise=promise, bound=0.2, detectable=0.103),
            risk("inference", 0.3391, promise=promise, control=IntervalEstimate(0.2913, 0.2811, 0.3017)),
        ),
    )


def released() -> StepRecord:
    promise = ApproxDP("0.5", "0.0000001")
    cost = {"epsilon": "0.5", "delta": "0.0000001"}
    return step(
        "beds",
        "release",
        "answer",
        promise=promise,
        digest="bb" * 32,
        planned=cost,
        spent=cost,
        receipt=receipt(4, promise, cost),
        facts={"answers": [{"values": [CANARY, 4711], "notes": [CANARY]}]},
        options={
            "sql": f"SELECT COUNT(*) FROM patients WHERE ward = '{CANARY}'",
            "epsilon": "0.5",
            "delta": "1E-7",
        },
    )


def trained() -> StepRecord:
    promise = ApproxDP("2", "0.000001")
    cost = {"epsilon": "2", "delta": "0.000001"}
    return step(
        "risk",
        "train",
        "model",
        promise=promise,
        digest="bb" * 32,
        planned=cost,
        spent=cost,
        receipt=receipt(5, promise, cost),
        facts={"kind": "linear", "settings": {"loss": [0.4417, 0.4271]}, "notes": [CANARY]},
        options={"target": "diagnosis", "epsilon": "2", "delta": "1E-6", "records": 81726, "model": "linear"},
        risks=(
            risk("membership-loss", 0.5271, promise=promise, bound=0.881, detectable=0.941),
            risk(
                "membership-confidence",
                0.5083,
                promise=promise,
                bound=0.881,
                detectable=0.941,
                control=IntervalEstimate(0.4843, 0.4591, 0.5101),
            ),
            risk("epsilon-audit", 1.7391, promise=promise, bound=2.0, detectable=3.1),
        ),
    )


def book() -> Book:
    def entry(number: int, kind: str, **more: Any) -> dict[str, Any]:
        return {
            "number": number, "kind": kind, "at": f"2026-05-01T10:0{number}:59Z", "hash": f"{number:064x}",
            "purpose": "care", "why": f"weekly {CANARY}", "data": DATA, "analyst": CANARY, "nonce": CANARY, **more,
        }  # fmt: skip

    def balance(scope: str, cap: str, expires: str | None) -> dict[str, Any]:
        return {
            "scope": scope,
            "limit": ApproxDP(cap, "0.00001").to_json(),
            "caps": {"epsilon": cap, "delta": "0.00001"},
            "spent": {"epsilon": "2.75", "delta": "0.0000021"},
            "remaining": {},
            "spends": 3,
            "expires": expires,
        }

    return Book(
        id="cc" * 32,
        place=f"folder/{CANARY}/patients.ledger",
        head="ee" * 32,
        accounting="basic",
        limit=ApproxDP("4", "0.00001").to_json(),
        unit=UNIT,
        balances=(balance("data set", "4", None), balance("purpose care", "3", "2030-12-31")),
        entries=(
            entry(1, "open"),
            entry(2, "spend", cost={"epsilon": "0.25", "delta": "0.000001"}),
            entry(3, "promise", cost={}),
            entry(4, "spend", cost={"epsilon": "0.5", "delta": "0.0000001"}),
            entry(5, "spend", cost={"epsilon": "2", "delta": "0.000001"}),
        ),
    )


def tradeoff(standing: str = "surrogate") -> dict[str, Any]:
    """A small trade-off."""

    def point(label: str, utility: float, found: float, technique: str = "anonymize") -> dict[str, Any]:
        return {
            "technique": technique,
            "strength": {"k": 5},
            "label": label,
            "utility": {"value": utility, "low": utility - 0.02, "high": utility + 0.02},
            "utility_name": "accuracy",
            "risk": {"value": found, "low": found - 0.01, "high": found + 0.01},
            "risk_name": "people found",
            "baseline": 0.01,
            "on_frontier": True,
            "words": f"{label} keeps most",
        }

    return {
        "schema": 1,
        "artifact": "tradeoff",
        "target": "diagnosis",
        "standing": standing,
        "standing_words": "Measured on other data.",
        "points": [
            point("k = 5", 0.71, 0.2),
            point("k = 20", 0.64, 0.05),
            point("epsilon = 1", 0.6, 0.03, "train"),
        ],
        "knee": {
            "index": 1,
            "reason": "Beyond it, little is gained.",
            "policy_lines": "- {do: anonymize, k: 20}",
        },
        "notes": ["Three points."],
    }
