"""The JSON schema of a policy: every part, every step and every limit."""

import json
import re

from privet.pipeline._policy_schema import policy_schema


def test_the_schema_names_every_part() -> None:
    schema = json.loads(policy_schema())
    assert set(schema["properties"]) == {
        "version",
        "dataset",
        "columns",
        "purposes",
        "steps",
        "limits",
        "tables",
        "vaults",
    }
    assert schema["additionalProperties"] is False


def test_the_schema_knows_what_each_step_takes_and_which_limits_there_are() -> None:
    schema = json.loads(policy_schema())
    steps = {one["properties"]["do"]["const"]: one for one in schema["properties"]["steps"]["items"]["oneOf"]}
    assert {"anonymize", "attack", "audit", "release", "train"} <= set(steps)
    assert {"purpose", "to", "k", "max_suppressed"} <= set(steps["anonymize"]["properties"])
    assert steps["train"]["required"] == ["do", "target", "epsilon"]
    assert "linkage-exact" in schema["properties"]["limits"]["propertyNames"]["enum"]
    parts = schema["$defs"]
    assert all(name in parts for name in re.findall(r"#/\$defs/(\w+)", policy_schema()))
