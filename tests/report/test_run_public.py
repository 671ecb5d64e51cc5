"""The public report: whatever was measured on the rows, or is private, changes nothing in it and stands nowhere in it."""

import json
from typing import Any

from tests.report.a_run import CANARY, policy, record, tradeoff

from privet.report._run_page import run_page
from privet.report._run_report import run_report

# Figures that were measured on the rows, as they are and as a page would round them.
MEASURED = (
    "918273", "918,273", "816273", "617283", "81726", "81,726", "71823", "27182", "91827", "4711", "451.7",
    "0.7391", "73.9", "0.0637", "6.4 %", "0.8641", "86.4", "0.997", "99.7", "0.8472", "84.7", "0.0739", "0.1147", "0.115",
    "0.3391", "0.339", "0.2913", "0.291", "0.5271", "0.527", "1.7391", "1.74", "0.4417", "0.4271", "31.7", "10:0",
)  # fmt: skip
# Where the record holds what was measured or is private, by place; "*" is any key or number.
TAINTED = (
    ("steps", "*", "facts"), ("steps", "*", "risks"), ("steps", "*", "untried"), ("steps", "*", "query"),
    ("steps", "*", "seconds"), ("steps", "*", "made", "path"), ("steps", "*", "made", "digest"), ("policy", "sha256"), ("steps", "*", "receipt", "why"),
    ("steps", "*", "receipt", "data"), ("steps", "*", "receipt", "analyst"), ("steps", "*", "receipt", "event"),
    ("steps", "*", "receipt", "at"), ("steps", "*", "options", "sql"), ("steps", "*", "options", "records"),
    ("steps", "*", "options", "columns"), ("plan", "data"), ("plan", "steps", "*", "errors"),
    ("plan", "steps", "*", "notes"), ("findings",), ("finished",), ("ledger", "place"),
    ("ledger", "entries", "*", "why"), ("ledger", "entries", "*", "data"), ("ledger", "entries", "*", "analyst"),
    ("ledger", "entries", "*", "nonce"), ("policy", "dataset", "source"), ("policy", "dataset", "ledger"),
    ("policy", "columns", "*", "values"), ("policy", "limits"), ("policy", "purposes", "unused"),
)  # fmt: skip


def public(given: dict[str, Any]) -> dict[str, Any]:
    return run_report(given, public=True)


def tainted(value: Any, places: tuple[tuple[str, ...], ...]) -> Any:
    """The same record with something else at every one of the places."""
    if any(place == () for place in places):
        return "otherwise"
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        changed = {
            key: tainted(one, tuple(place[1:] for place in places if place[0] in ("*", str(key))))
            for key, one in items
        }
        return changed if isinstance(value, dict) else list(changed.values())
    return value


def test_nothing_measured_or_private_stands_in_it() -> None:
    report = public(record())
    for text in (json.dumps(report), run_page(report)):
        assert CANARY not in text
        assert "aaaa" not in text  # the policy's digest
        assert "bbbb" not in text  # those of files
        found = [figure for figure in MEASURED if figure in text]
        assert found == []


def test_the_canaries_would_be_seen() -> None:
    owner = run_report(record())
    text = json.dumps(owner) + run_page(owner)
    assert CANARY in text
    assert sum(figure in text for figure in MEASURED) > len(MEASURED) / 2


def test_whatever_was_measured_changes_nothing() -> None:
    other = tainted(record(), TAINTED)
    assert other["steps"][1]["facts"] == other["findings"] == "otherwise"
    # What a step is, and which options it has, is still read; only their content is another.
    assert public(other) == public(record())
    assert run_report(record()) != public(record())


def test_a_field_that_nobody_thought_of_stays_inside() -> None:
    given = record()
    for step in given["steps"]:
        step["new"] = step["options"]["new"] = step["made"]["new"] = CANARY
        if step["receipt"]:
            step["receipt"]["new"] = CANARY
    for part in (given["policy"], given["policy"]["dataset"], given["ledger"], given["ledger"]["entries"][0]):
        part["new"] = CANARY
    given["policy"]["purposes"]["care"]["new"] = CANARY
    assert public(given) == public(record())


def test_parameters_are_numbers_and_words_from_a_list() -> None:
    given = record()
    options = given["steps"][1]["options"]
    options["search"], options["k"] = CANARY, "five"
    options["l"] = {"diagnosis": 3, CANARY: 3, "zip": CANARY}
    given["steps"][3]["options"]["target"] = CANARY
    found = {one["step"]: one["parameters"] for one in public(given)["artifacts"]}
    assert found["safe"] == {"l": {"diagnosis": 3}, "max_suppressed": "0.1"}
    assert found["risk"] == {"epsilon": "2", "delta": "1E-6", "model": "linear"}


def test_it_states_promises_costs_and_what_is_left() -> None:
    report = public(record())
    assert [one["step"] for one in report["artifacts"]] == ["safe", "beds", "risk"]
    assert report["artifacts"][1]["cost"] == {"epsilon": "0.5", "delta": "0.0000001"}
    page = run_page(report)
    for said in (
        "at least 4 other people",
        "epsilon 0.5",
        "1.25 left of 4",
        "Public version",
        "ee" * 32,
        "GDPR Art. 9(2)(h)",
    ):
        assert said in page
    assert "evidence" not in report["artifacts"][0]
    standings = {item["standing"] for item in report["checklists"]["wp29"]}
    assert standings == {"in the owner's report only"}


def test_a_source_without_a_name_is_not_called_by_its_place() -> None:
    rules = policy()
    rules["dataset"]["name"] = None
    assert public(record(policy=rules))["data_set"] == "the data set"


def test_only_a_trade_off_that_is_not_about_the_rows_is_shown() -> None:
    for standing, shown in (
        ("public", True),
        ("surrogate", True),
        ("booked", False),
        ("owner-only", False),
        ("?", False),
    ):
        report = run_report(record(), public=True, tradeoff=tradeoff(standing))
        assert (report["tradeoff"] is not None) is shown
