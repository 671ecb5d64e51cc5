"""A sweep under a policy: its own rows, on the policy's terms."""

from pathlib import Path

import pytest
from tests.pipeline.hospital import HEAD, RELEASE, project

from privet.errors import BadSweep, BadUsage
from privet.pipeline._sweep_policy import asked_under
from privet.verbs import Request


def asked(**more):
    return Request("stays.csv", None, **more)


def test_the_only_purpose_that_allows_a_report_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = project(tmp_path, RELEASE)
    monkeypatch.chdir(tmp_path)
    found = asked_under(policy, asked(delimiter=";"))
    assert found.purpose == "research"
    assert found.delimiter is None, "it is said of the rows"
    said = found.data.declaration.dataset
    assert (said.source, said.delimiter) == (str(tmp_path / "stays.csv"), ";")
    assert asked_under(policy, asked(purpose="planning")).purpose == "planning"


def test_where_several_or_none_do_somebody_has_to_say_which(tmp_path: Path) -> None:
    several = HEAD.replace("outputs: [answer, model, audit]", "outputs: [answer, report]")
    with pytest.raises(BadSweep, match="several purposes") as refused:
        asked_under(project(tmp_path, RELEASE, head=several), asked())
    assert "planning, research" in refused.value.hint
    none = HEAD.replace("outputs: [table, report]", "outputs: [table]")
    with pytest.raises(BadSweep, match="no purpose of the policy"):
        asked_under(project(tmp_path, RELEASE, head=none), asked())


@pytest.mark.parametrize("said", [{"unit": "patient_id"}, {"max_rows": 3}])
def test_whose_rows_they_are_is_not_said_twice(said: dict, tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match="whose rows they are"):
        asked_under(project(tmp_path, RELEASE), asked(**said))
