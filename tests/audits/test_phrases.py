"""Numbers and names in sentences, at the ends where rounding would lie."""

import pytest

from privet.audits._phrases import listed, percent


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0, "0 %"), (1e-9, "under 0.1 %"), (0.00099, "under 0.1 %"), (0.001, "0.1 %"), (0.25, "25 %"), (0.125, "12.5 %"),
        (0.999, "99.9 %"), (0.9991, "over 99.9 %"), (1 - 1e-9, "over 99.9 %"), (1, "100 %"),
    ],
)  # fmt: skip
def test_a_share_is_never_rounded_to_nothing_or_to_everything(share: float, said: str) -> None:
    assert percent(share) == said


def test_names_in_a_sentence() -> None:
    assert [listed("abcdefgh"[:many], 3) for many in range(5)] == [
        "",
        "a",
        "a and b",
        "a, b and c",
        "a, b, c and 1 more",
    ]
    assert listed("abcdefg") == "a, b, c, d, e, f and 1 more"
