"""What was read from a record is of the types that its class declares, or is refused."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import pytest

from privet.artifact._field_types import fitting


@dataclass(frozen=True)
class One:
    name: str = "a"
    count: int = 1
    share: float = 0.5
    kind: Literal["x", "y"] = "x"
    many: tuple[float | None, ...] = ()
    pair: tuple[str, int] = ("a", 1)
    by_name: dict[str, tuple[int, ...]] | None = None
    anything: Any = None
    _known_to_the_class: ClassVar[str] = "c"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"share": 1},
        {"many": (1, 0.5, None)},
        {"by_name": {"a": (1, 2)}},
        {"anything": object()},
        {"kind": "y"},
    ],
)
def test_what_fits_is_given_back(given):
    made = One(**given)
    assert fitting(made) is made


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", 1), ("name", None), ("count", True), ("count", 1.0), ("count", "1"), ("share", "0.5"), ("share", True),
        ("share", 10**400), ("kind", "z"), ("kind", 1), ("many", [1.0]), ("many", ("1",)), ("many", None), ("pair", ("a",)),
        ("pair", ("a", 1, 2)), ("pair", (1, 1)), ("by_name", {1: ()}), ("by_name", {"a": [1]}), ("by_name", []),
    ],
)  # fmt: skip
def test_what_does_not_is_refused_by_its_name(field, value):
    with pytest.raises(TypeError, match=field):
        fitting(One(**{field: value}))
