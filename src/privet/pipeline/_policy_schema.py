"""The JSON schema of `privet.yaml`, by which editors complete it: the file's own parts, and what each kind of step takes."""

from __future__ import annotations

import json
from typing import Any

from privet.pipeline._attack_stage import limit_names
from privet.pipeline._policy import Policy
from privet.verbs import Verb, verbs

SCHEMA_NAME = "privet.schema.json"


def policy_schema() -> str:
    """The schema as text. Kinds of steps and attacks that have registered are in it."""
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Policy.model_json_schema(),
    }
    parts = schema["$defs"]
    step = parts.pop("PolicyStep")
    schema["properties"]["steps"]["items"] = {
        "oneOf": [_step(step, kind, parts) for kind in verbs().values()]
    }
    schema["properties"]["limits"]["propertyNames"] = {"enum": limit_names()}
    return json.dumps(schema, indent=1) + "\n"


def _step(step: dict[str, Any], kind: Verb, parts: dict[str, Any]) -> dict[str, Any]:
    """What every step takes, with what this kind takes; the word after `do` says which it is."""
    own = kind.options.model_json_schema()
    parts.update(own.pop("$defs", {}))
    return {
        "title": f"do: {kind.name}",
        "description": f"{(kind.options.__doc__ or '').strip()} {(type(kind).__doc__ or '').strip()}".strip(),
        "type": "object",
        "properties": {**step["properties"], "do": {"const": kind.name}, **own["properties"]}
        if "properties" in own
        else {**step["properties"], "do": {"const": kind.name}},
        "required": ["do", *own.get("required", [])],
        "additionalProperties": False,
    }
