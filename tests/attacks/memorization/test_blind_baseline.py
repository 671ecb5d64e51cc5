"""A comparison without the model: fair halves pass, texts of another kind do not."""

from tests.attacks.memorization.tiny_models import notes

from privet.attacks.memorization._blind_baseline import blind_scores, differing


def test_texts_of_one_kind_are_comparable() -> None:
    assert differing(notes(150, 1), notes(150, 2)) == ""


def test_a_word_that_members_have_is_noticed() -> None:
    said = differing(notes(150, 1), [f"today {one}" for one in notes(150, 2)])
    assert "without the model" in said
    own, others = blind_scores(["a b"] * 4, ["c d"] * 6)
    assert own.min() > others.max()
