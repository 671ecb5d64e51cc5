"""Pairs of bars: the largest values where there are many, and names that cannot be markup."""

from privet.report._twin_figure import shares_figure


def test_each_value_has_two_bars_and_its_figures() -> None:
    drawn = shares_figure("ward", ["a<b", "c", "nobody"], [0.25, 0.75, 0], [0.5, 0.5, 0])
    assert "0.250 / 0.500" in drawn
    assert "a&lt;b" in drawn
    assert "nobody" not in drawn
    assert drawn.count("<rect") == 2 + 4


def test_of_many_values_the_largest_are_drawn() -> None:
    shares = [at / 1000 for at in range(44)]
    drawn = shares_figure("x", [f"v{at}." for at in range(44)], shares, shares)
    assert "v43." in drawn
    assert "v2." not in drawn
    assert "The 30 largest of 43" in drawn
