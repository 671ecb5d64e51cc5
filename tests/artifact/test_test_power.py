"""What a test is known to find: nine in ten planted leaks, or a computed chance."""

import json

import pytest

from privet.artifact._test_power import Planted, Power


def test_nine_of_ten_are_reliably_found():
    assert Planted("copies", 0.1, 9, 10).reliably
    assert not Planted("copies", 0.1, 8, 10).reliably
    assert Planted("copies", 0.1, 90, 100).reliably
    assert not Planted("copies", 0.1, 89, 100).reliably


FOUND = Power(
    "planted copies",
    "share",
    (Planted("copies", 0.2, 10, 10), Planted("copies", 0.1, 9, 10), Planted("copies", 0.05, 3, 10)),
)
MISSED = Power(
    "planted copies", "share", (Planted("near copies", 0.1, 2, 10), Planted("near copies", 0.3, 5, 10))
)


def test_the_smallest_that_was_found_or_the_largest_that_was_not():
    assert FOUND.finds_something
    assert FOUND.sentence() == (
        "Test power, measured on planted copies. copies: share 0.1 was found 9 of 10 times."
    )
    assert not MISSED.finds_something
    assert "near copies: not found up to share 0.3 (5 of 10 times)" in MISSED.sentence()


def test_kinds_are_told_in_their_order():
    both = Power("both", "share", (*MISSED.planted, *FOUND.planted))
    assert both.finds_something
    said = both.sentence()
    assert said.index("near copies") < said.index("; copies")


def test_what_is_computed_needs_no_planting():
    power = Power(computed="epsilon 1 is found with probability 0.95.")
    assert power.finds_something
    assert power.sentence() == "Test power, computed: epsilon 1 is found with probability 0.95."
    assert not Power().finds_something


@pytest.mark.parametrize("power", [FOUND, MISSED, Power(), Power(computed="always")])
def test_a_record_gives_it_back(power):
    assert Power.from_json(json.loads(json.dumps(power.to_json()))) == power
