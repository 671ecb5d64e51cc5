"""What the commands of collections take, and what they do with it."""

import pytest

import privet as pv
from privet.errors import PrivetError
from privet.verbs import (
    DesignOptions,
    SimulateOptions,
    designed,
    simulated,
    validated,
)


def test_a_design_says_what_to_expect_and_writes_the_specification(tmp_path) -> None:
    options = DesignOptions(values=["a", "b", "c"], people=10_000, epsilon=1, out=str(tmp_path / "s.json"))
    found, facts = designed(options)
    assert pv.Collection.load(tmp_path / "s.json") == found
    assert facts["error"] == pytest.approx(pv.expected_error(found, 10_000))
    assert facts["oracles"][0]["error"] <= facts["oracles"][-1]["error"]


def test_a_wanted_error_decides_epsilon() -> None:
    found, facts = designed(DesignOptions(number="0:60", people=10_000, error=0.5))
    assert facts["error"] <= 0.5
    assert float(found.epsilon) > 1
    assert facts["unit"] == "mean"


def test_values_come_from_a_file_too_and_deployments_by_name(tmp_path) -> None:
    (tmp_path / "v.txt").write_text("a\n\nb\nc\n")
    found, _ = designed(DesignOptions(listed=str(tmp_path / "v.txt"), people=10, deployment="apple-emoji"))
    assert found.question == pv.OneOf(["a", "b", "c"])
    assert found.oracle == "cms"


@pytest.mark.parametrize(
    "said",
    [
        {"people": 10, "epsilon": 1}, {"people": 10, "values": ["a", "b"]}, {"people": 10, "categories": 3, "number": "0:1", "epsilon": 1},
        {"people": 10, "categories": 3, "epsilon": 1, "error": 0.1}, {"people": 0, "categories": 3, "epsilon": 1},
        {"people": 10, "categories": 3, "epsilon": 17},
    ],
)  # fmt: skip
def test_a_design_needs_one_question_and_one_epsilon(said) -> None:
    with pytest.raises(PrivetError):
        validated(DesignOptions, said)


@pytest.mark.parametrize(
    "said", [{"number": "5"}, {"number": "a:b"}, {"number": "9:1"}, {"listed": "nothing.txt"}]
)
def test_questions_that_cannot_be_read_are_refused(said) -> None:
    with pytest.raises(PrivetError):
        designed(DesignOptions(people=10, epsilon=1, **said))


def test_simulated_reports_are_estimated(tmp_path) -> None:
    spec = str(tmp_path / "s.json")
    designed(DesignOptions(values=["a", "b", "c"], people=10, epsilon=4, out=spec))
    answer, _ = simulated(
        SimulateOptions(specification=spec, people=500, seed=1, out=str(tmp_path / "r.parquet"))
    )
    assert pv.estimate(tmp_path / "r.parquet", pv.Collection.load(spec)).answers == answer.answers
