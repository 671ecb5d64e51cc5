"""Near duplicates by unit: what repeats, who holds it, and what is kept."""

import pytest
from tests.attacks.memorization.tiny_models import notes

from privet.attacks.memorization._near_duplicates import cluster_sizes, copies_band, near_duplicates
from privet.errors import BadAttack

TEXTS = notes(30, 7, words=30)
NEAR = TEXTS[0].rsplit(" ", 1)[0] + " today."


def test_exact_and_near_repeats_are_counted_by_unit() -> None:
    texts = [*TEXTS, TEXTS[0], NEAR, TEXTS[1]]
    units = [*range(30), "a", "b", 1]
    found = near_duplicates(iter(texts), units)
    assert (found.texts, found.units, found.exact, found.near) == (33, 32, 2, 3)
    # The second text repeats within its own unit: nobody else holds it.
    assert found.shared == 3
    assert found.most == 3
    assert found.by_units == {"1": 30, "2 to 7": 3, "8 to 31": 0, "32 or more": 0}
    assert found.kept.sum() == 30
    assert found.kept[:30].all()
    assert "c times" in str(found)
    assert TEXTS[0] not in str(found) + str(found.to_json())


def test_without_units_each_text_is_one() -> None:
    found = near_duplicates([*TEXTS, *[TEXTS[3]] * 40])
    assert found.units == 70
    assert found.by_units["32 or more"] == 41
    assert "No near duplicate" in str(near_duplicates(TEXTS))
    assert near_duplicates([]).texts == 0


def test_bands_and_sizes() -> None:
    assert [copies_band(one) for one in (1, 2, 7, 8, 31, 32, 999)] == [
        "1", "2 to 7", "2 to 7", "8 to 31", "8 to 31", "32 or more", "32 or more",
    ]  # fmt: skip
    assert cluster_sizes([*TEXTS, NEAR]).tolist() == [2, *[1] * 29, 2]


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadAttack, match="likeness"):
        near_duplicates(TEXTS, likeness=0.2)
    with pytest.raises(BadAttack, match="units"):
        near_duplicates(TEXTS, [1, 2])
    with pytest.raises(BadAttack, match="missing"):
        near_duplicates(iter([*TEXTS, None]))
