"""The chart of a budget: scale, ends, and nothing that looks emptier than it is."""

from privet.app._burn_down_chart import _places, draw


def test_the_chart_keeps_first_last_and_scale():
    lines = draw([1.0, 0.5, 0.0], height=4)
    assert [line[6:] for line in lines] == ["█", "█", "██", "██"]
    assert lines[0].startswith("100% ┤")
    assert lines[-1].startswith("  0% ┤")
    many = draw([1 - i / 999 for i in range(1000)], width=60, height=4)
    assert max(map(len, many)) == 6 + 59, "the last column is empty, the others are not"
    assert draw([0.001], height=2)[-1].endswith("▁"), "a budget that is not empty looked empty"


def test_bars_by_hand() -> None:
    """Two rows of eight: full, half, a quarter, and next to nothing."""
    assert draw([1.0, 0.5, 0.25, 1e-9, 0.0], height=2) == ["100% ┤█", "  0% ┤██▄▁"]


def test_shares_beyond_the_ends_are_cut() -> None:
    assert draw([2.0, -1.0], height=1) == ["100% ┤█"]


def test_of_many_points_first_and_last_are_kept() -> None:
    assert _places(3, 60) == [0, 1, 2]
    assert _places(1000, 4) == [0, 333, 666, 999]
