"""The public roll: a known part of the patients among strangers, and the truth apart."""

import numpy as np
import pyarrow.compute as pc
import pytest

from privet import examples
from privet.errors import BadExample


@pytest.fixture(scope="module")
def stays():
    return examples.hospital(patients=5_000, seed=5)


def adults(stays):
    frame = stays.to_pandas().drop_duplicates("patient_id")
    return frame[frame["born"].map(lambda day: day.year) <= 2006]


def test_holds_the_stated_share_of_adult_patients_and_the_stated_others(stays):
    roll, truth = (f(stays, share=0.5, others=3_000) for f in (examples.voter_roll, examples.linkage_truth))
    assert roll.column_names == ["voter_id", "name", "born", "zip", "sex"]
    assert roll.num_rows - truth.num_rows == 3_000
    assert abs(truth.num_rows / len(adults(stays)) - 0.5) < 0.02
    assert len(pc.unique(roll["voter_id"])) == roll.num_rows
    assert len(pc.unique(truth["patient_id"])) == truth.num_rows


def test_the_truth_pairs_the_same_people(stays):
    roll, truth = examples.voter_roll(stays, moved=0.1), examples.linkage_truth(stays, moved=0.1)
    pairs = (
        truth.to_pandas()
        .merge(roll.to_pandas(), on="voter_id")
        .merge(stays.to_pandas().drop_duplicates("patient_id"), on="patient_id")
    )
    assert len(pairs) == truth.num_rows
    for column in ("name", "born", "sex"):
        assert (pairs[f"{column}_x"] == pairs[f"{column}_y"]).all()
    assert 0.07 < np.mean(pairs["zip_x"] != pairs["zip_y"]) < 0.13


def test_linking_on_quasi_identifiers_finds_most_of_them(stays):
    roll, truth = examples.voter_roll(stays).to_pandas(), examples.linkage_truth(stays).to_pandas()
    patients = stays.to_pandas().drop_duplicates("patient_id")
    found = roll.merge(patients, on=["born", "zip", "sex"])[["voter_id", "patient_id"]]
    right = found.merge(truth, on=["voter_id", "patient_id"])
    assert len(right) > 0.9 * len(truth)
    assert len(right) > 0.9 * len(found)


def test_says_nothing_about_who_is_a_patient_by_its_order(stays):
    roll, truth = examples.voter_roll(stays), examples.linkage_truth(stays)
    position = pc.index_in(truth["voter_id"], roll["voter_id"]).to_numpy() / roll.num_rows
    assert abs(position.mean() - 0.5) < 5 * np.sqrt(1 / 12 / len(position))


def test_the_same_seed_gives_the_same_roll(stays):
    assert examples.voter_roll(stays, seed=2).equals(examples.voter_roll(stays, seed=2))
    assert not examples.voter_roll(stays, seed=2).equals(examples.voter_roll(stays, seed=3))


@pytest.mark.parametrize(
    ("share", "others"), [(0.0, 10), (1.0, 0)], ids=["nobody from the hospital", "nobody else"]
)
def test_extreme_rolls(stays, share, others):
    roll, truth = (
        f(stays, share=share, others=others) for f in (examples.voter_roll, examples.linkage_truth)
    )
    assert roll.num_rows == truth.num_rows + others


@pytest.mark.parametrize("wrong", [{"share": 1.2}, {"moved": -0.1}, {"others": -1}])
def test_refuses_impossible_rolls(stays, wrong):
    with pytest.raises(BadExample):
        examples.voter_roll(stays, **wrong)
