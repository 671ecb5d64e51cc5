"""schema: editors get what policies look like."""

import json
from pathlib import Path

import pytest
from tests.app.doors import say


def test_editors_get_the_schema_of_policies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from privet.pipeline._policy_schema import policy_schema

    assert say(capsys, "schema", "--policy", "--json").json() == json.loads(policy_schema())
    place = tmp_path / "policy.json"
    assert say(capsys, "schema", "--policy", "-o", str(place)).code == 0
    assert place.read_text(encoding="utf-8") == policy_schema()
    assert say(capsys, "schema").code == 2
    assert say(capsys, "schema", "--policy", "-o", str(tmp_path / "policy.txt")).code == 2
