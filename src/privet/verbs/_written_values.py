"""Values of options as people write them, on a command line or in a policy: `5`, `a,b,c`, `2024-02-29`."""

from __future__ import annotations

import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema


def _one_or_several(said: Any) -> Any:
    return [said] if isinstance(said, str) else said


def _listed(said: Any) -> Any:
    """`a,b,c` where a command line has no lists."""
    return [part.strip() for part in said.split(",") if part.strip()] if isinstance(said, str) else said


def _number(said: Any) -> int | float:
    if isinstance(said, str):
        for read in (int, float):
            try:
                return read(said)
            except ValueError:
                continue
    if isinstance(said, int | float) and not isinstance(said, bool):
        return said
    raise ValueError("takes a number")


def _edge(said: Any) -> int | float | datetime.date:
    if isinstance(said, datetime.date) and not isinstance(said, datetime.datetime):
        return said
    if isinstance(said, str) and said.count("-") == 2:
        try:
            return datetime.date.fromisoformat(said)
        except ValueError:
            raise ValueError("takes a number or a day") from None
    return _number(said)


_NUMBER = {"type": "number"}
Names = Annotated[list[Annotated[str, Field(min_length=1)]], BeforeValidator(_one_or_several)]
Values = Annotated[list[str], BeforeValidator(_listed)]
Number = Annotated[Any, BeforeValidator(_number), WithJsonSchema(_NUMBER)]
Edge = Annotated[
    Any,
    BeforeValidator(_edge),
    WithJsonSchema({"anyOf": [_NUMBER, {"type": "string", "format": "date"}]}),
]
