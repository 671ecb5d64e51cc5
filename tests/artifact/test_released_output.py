"""A released output: its value in its own shape, what it promises, and its record."""

import math
from dataclasses import replace

import pytest

from privet.artifact import Provenance, ReleasedOutput
from privet.errors import UnknownRecord
from privet.guarantee import PacPrivacy, PureDP

MADE = ReleasedOutput(
    name="centres",
    numbers=(1.0, 2.5, -3.0, 4.0),
    shape=(2, 2),
    labels=("centres[0, 0]", "centres[0, 1]", "centres[1, 0]", "centres[1, 1]"),
    promise=PacPrivacy("1/16"),
    worlds=128,
    unit={"unit": "row", "change": "add-or-remove"},
    provenance=Provenance("centres(age)", "snapshot:1", "duckdb", {"privet": "0"}, ("Read age.",)),
    notes=("half of the people",),
)


def test_the_value_has_the_functions_own_shape() -> None:
    assert MADE.value.tolist() == [[1.0, 2.5], [-3.0, 4.0]]  # exact: kept as they are
    assert replace(MADE, numbers=(7.0,), shape=(), labels=("n",)).value == pytest.approx(7)


def test_it_says_what_its_promise_means() -> None:
    assert MADE.posterior(0.5) == pytest.approx(0.6749, abs=1e-4)
    assert MADE.noise_relative_to_signal == pytest.approx(math.sqrt(1 / math.expm1(1 / 32)))
    assert "67.5%" in MADE.sentence()
    assert "centres[1, 1]: 4" in str(MADE)


def test_it_comes_back_from_its_record_and_from_files(tmp_path) -> None:
    assert ReleasedOutput.from_json(MADE.to_json()) == MADE
    for name in ("one.json", "one.parquet"):
        assert ReleasedOutput.load(MADE.save(tmp_path / name)) == MADE
    assert MADE.to_arrow().to_pylist()[1] == {
        "label": "centres[0, 1]",
        "value": 2.5,
    }  # exact: kept as they are


@pytest.mark.parametrize(
    "change",
    [{"schema": 2}, {"artifact": "released-answer"}, {"numbers": ["many"]}, {"promise": PureDP(1).to_json()}],
)
def test_a_record_of_something_else_is_refused(change) -> None:
    with pytest.raises(UnknownRecord):
        ReleasedOutput.from_json(MADE.to_json() | change)


def test_long_outputs_are_told_in_part() -> None:
    long = replace(MADE, numbers=(0.0,) * 30, shape=(30,), labels=tuple(f"n{at}" for at in range(30)))
    assert "… and 10 more" in str(long)
