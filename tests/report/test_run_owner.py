"""The owner's report: the headline is the worst there is."""

import pytest
from tests.report.a_run import record

from privet.report._run_owner import _many, _verdict, owner_report


@pytest.mark.parametrize(
    ("findings", "contradicted", "limits", "verdicts", "said"),
    [
        ((), ["x"], {}, [], "One attack contradicted what was promised."),
        (("a", "b"), [], {}, [], "2 limits of the policy were not kept."),
        (("a",), [], {}, [], "One limit of the policy was not kept."),
        ((), [], {"x": 1}, ["within the promise"], "Every limit that the policy sets was kept, and no attack contradicted a promise."),
        ((), [], {}, ["no promise"], "The policy sets no limit, and no promise was put to the test by an attack."),
        ((), [], {}, [], "The policy sets no limit, and nothing was attacked."),
    ],
)  # fmt: skip
def test_the_verdict(findings, contradicted, limits, verdicts, said) -> None:
    given = {"findings": findings, "policy": {"limits": limits}}
    assert _verdict(given, contradicted, [{"verdict": one} for one in verdicts]) == said


def test_numbers_in_words() -> None:
    assert [_many(number, "attack") for number in (0, 1, 2)] == ["No attacks", "One attack", "2 attacks"]


def test_a_beaten_limit_is_the_headline_and_the_report_is_not_calm() -> None:
    summary = owner_report(record())["summary"]
    assert not summary["calm"]
    assert "not kept" in summary["verdict"] or "contradicted" in summary["verdict"]
    assert summary["findings"]


def test_steps_keep_what_was_set_and_leave_out_what_was_not() -> None:
    for step in owner_report(record())["steps"]:
        assert not [value for value in step["options"].values() if value in (None, {}, [])]
