"""Which name was probably meant."""

import pytest

from privet.errors._near_names import did_you_mean


def test_the_nearest_names_are_offered_and_else_all() -> None:
    assert did_you_mean("wrad", ["ward", "days"]) == "Did you mean 'ward'?"
    assert did_you_mean("WARD", ["ward"]) == "Did you mean 'ward'?"
    assert did_you_mean("nothing like it", ["a", "b"]) == "There is 'a', 'b'."
    assert did_you_mean("x", []) == "There are none."


@pytest.mark.parametrize("odd", [None, 5, ["a"], object()])
def test_anything_may_be_asked(odd: object) -> None:
    assert did_you_mean(odd, ["a"])
