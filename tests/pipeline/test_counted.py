"""Released counts as attackers hold them: who was asked about, and whose secret was counted."""

from pathlib import Path

import numpy as np
import pytest
from tests.pipeline.hospital import HEAD, LATER, RELEASE, patients, project

from privet import open_table
from privet.artifact._released_answer import ReleasedAnswer
from privet.attacks.statistics import Answered
from privet.guarantee._privacy_units import Row
from privet.guarantee._promise_registry import PureDP
from privet.ledger import Ledger
from privet.pipeline._run import run
from privet.protect.statistical_release import release
from privet.verbs._exposed_counts import exposed_counts


def exposed(questions: list[str], ledger: Path) -> dict[str, tuple[Answered, np.ndarray]]:
    table = open_table(
        patients(),
        name="stays",
        unit=Row(),
        roles={"diagnosis": "sensitive", "readmitted": "sensitive", "ward": "insensitive"},
        keys={"ward": ["Cardiology", "Surgery"], "readmitted": [True, False]},
        bounds={"days": (0, 60)},
    )
    with Ledger(ledger, limit=PureDP(1000)) as book:
        answers = release(questions, PureDP(900), ledger=book, why="test", table=table)
    assert isinstance(answers, tuple)
    found = exposed_counts(questions, answers, table, PureDP(900))
    return {one.about: (one.thing, one.members) for one in found}


def test_the_secret_is_what_is_sensitive_and_the_rest_says_who_was_asked(tmp_path: Path) -> None:
    rows = patients().to_pylist()
    found = exposed(
        [
            "SELECT ward AS w, COUNT(*) AS n FROM stays WHERE readmitted GROUP BY ward ORDER BY n",
            "SELECT COUNT(*) AS n FROM stays WHERE readmitted AND days > 7",
        ],
        tmp_path / "a.ledger",
    )
    ((answered, truth),) = found.values()
    assert truth.tolist() == [row["readmitted"] is True for row in rows]
    wards = ["Cardiology", "Surgery"]
    masks = {tuple(mask) for mask in answered.asked.tolist()}
    assert masks == {
        *(tuple(row["ward"] == ward for row in rows) for ward in wards),
        tuple(row["days"] is not None and row["days"] > 7 for row in rows),
    }
    # With so little noise the answers are the counts.
    assert np.abs(answered.answers - (answered.asked & truth).sum(axis=1)).max() <= 1


def test_without_a_sensitive_column_belonging_is_the_secret(tmp_path: Path) -> None:
    found = exposed(["SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward"], tmp_path / "a.ledger")
    assert set(found) == {"(\"ward\" = 'Cardiology')", "(\"ward\" = 'Surgery')"}
    assert all(answered.asked.all() for answered, _ in found.values())
    assert exposed(["SELECT COUNT(*) AS n FROM stays"], tmp_path / "b.ledger") == {}
    assert exposed(["SELECT AVG(days) AS d FROM stays WHERE readmitted"], tmp_path / "c.ledger") == {}


@pytest.mark.parametrize("epsilon", ["0.5", "3.9"])
def test_answers_of_a_run_are_attacked(tmp_path: Path, epsilon: str) -> None:
    steps = RELEASE.replace("0.5", epsilon).replace("FROM stays", "FROM stays WHERE readmitted")
    record = run(project(tmp_path, steps, head=HEAD))
    risks = {risk.attack: risk for risk in record.steps[0].risks}
    assert set(risks) == {"reconstruction"}
    # Nothing was asked twice, and no two questions differ in one person: these are called not tested.
    assert {said.split(":")[0] for said in record.steps[0].untried} >= {"averaging", "differencing"}
    assert all(risk.promise == PureDP(epsilon) for risk in risks.values())
    assert not [risk for risk in risks.values() if risk.bound is not None and risk.success.low > risk.bound]
    assert ReleasedAnswer.load(tmp_path / "out" / "public" / "beds.json")


def test_an_attack_step_may_be_on_answers(tmp_path: Path) -> None:
    head = HEAD.replace("outputs: [answer, model, audit]", "outputs: [answer, model, audit, report]")
    attack = "  - {do: attack, purpose: planning, name: tried, of: long, attacks: [reconstruction]}\n"
    record = run(project(tmp_path, LATER + attack, head=head))
    assert [risk.attack for risk in record.step("tried").risks] == ["reconstruction"]
