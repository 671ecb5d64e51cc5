"""Private samples: hidden from sight, bounded for each person, labelled by public labels alone."""

import numpy as np
import pytest
from tests.protect.synthesize.evolution.texts import LABELS, notes

from privet.errors import BadSynthesis
from privet.guarantee import Person, Row
from privet.protect.synthesize.evolution import Images
from privet.protect.synthesize.evolution._private_samples import most_of, text_samples


def test_texts_are_bounded_for_each_person_and_shown_nowhere() -> None:
    found = text_samples(notes(10, 3), "note", "ward", LABELS)
    assert len(found.samples) == 30
    assert np.bincount(found.owners).max() == 3
    assert set(found.labels) <= {0, 1}
    assert "canary" not in repr(found)


def test_labels_that_are_not_public_count_for_nothing() -> None:
    found = text_samples(notes(10), "note", "ward", ["surgery"])
    assert set(found.labels) <= {0, -1}
    assert set(text_samples(notes(10), "note", None, None).labels) == {0}


def test_of_a_persons_pictures_the_first_count_whoever_else_is_there() -> None:
    pixels = np.arange(6 * 4).reshape(6, 2, 2)
    people = ["a", "b", "a", "a", "b", "c"]
    found = Images(pixels, persons=people, max_rows=2).samples(None)
    assert [int(one[0, 0]) // 4 for one in np.asarray(found.samples)] == [0, 1, 2, 4, 5]
    without = Images(pixels[[0, 2, 3, 5]], persons=["a", "a", "a", "c"], max_rows=2).samples(None)
    assert [int(one[0, 0]) // 4 for one in np.asarray(without.samples)] == [0, 2, 5]


def test_pictures_of_nobody_do_not_count() -> None:
    found = Images(np.zeros((5, 2, 2)), persons=["a", None, float("nan"), "b", None], max_rows=2).samples(
        None
    )
    assert found.owners.tolist() == [0, 1]
    assert len(found.samples) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"pixels": np.zeros(3)},
        {"pixels": np.array([["a"]])},
        {"pixels": np.zeros((2, 4, 4)), "labels": ["a"]},
        {"pixels": np.zeros((2, 4, 4)), "persons": ["a", "b"]},
        {"pixels": np.zeros((2, 4, 4)), "max_rows": 3},
    ],
)
def test_pictures_that_do_not_fit_are_refused(wrong) -> None:
    with pytest.raises(BadSynthesis):
        Images(**wrong)


def test_how_much_of_one_person_counts_must_be_said() -> None:
    assert most_of(Row()) == 1
    assert most_of(Person("id", max_rows=7)) == 7
    with pytest.raises(BadSynthesis, match="max_rows"):
        most_of(Person("id"))


def test_images_tell_nothing_of_themselves() -> None:
    images = Images(np.full((2, 4, 4), 7.25), version="a")
    assert "7.25" not in repr(images) + str(vars(images).get("shape"))
    assert images.fingerprint == Images(np.zeros((3, 4, 4)), version="a").fingerprint
    assert Images(np.zeros((1, 4, 4))).fingerprint != Images(np.zeros((1, 4, 4))).fingerprint


def test_pictures_too_bright_to_hold_tell_nothing() -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Images(np.full((1, 2, 2), 1e300))
