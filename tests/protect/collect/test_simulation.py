"""Made-up people: intervals hold what they had, words are found, and reports are kept."""

import pyarrow.parquet as pq
import pytest
from tests.protect.collect.specifications import ALL, collection

import privet as pv
from privet.errors import PrivetError
from privet.protect.collect import simulate


@pytest.mark.parametrize("kind", ALL)
def test_intervals_hold_the_truth(kind: str) -> None:
    answer, facts = simulate(collection(kind, 4), 4_000, seed=11)
    assert facts["covered"] >= 0.75
    assert facts["intervals"] >= 1
    assert facts["root_mean_square_error"] < 2_000
    assert answer.warnings()


def test_without_a_seed_it_is_private() -> None:
    answer, _ = simulate(collection("grr"), 100)
    assert not answer.warnings()


def test_words_are_found_and_intervals_stay_true_though_words_are_chosen() -> None:
    made = pv.Collection("words", pv.TextOf(4, "abcdefgh"), pv.LocalDP(8))
    _, facts = simulate(made, 60_000, seed=3)
    assert facts["found_of_top_20"] > 0.8
    assert facts["covered"] > 0.97


def test_reports_are_kept(tmp_path) -> None:
    made, said = collection("olh"), []
    answer, _ = simulate(made, 300, seed=2, out=tmp_path / "r.parquet", progress=said.append)
    assert pq.read_table(tmp_path / "r.parquet").num_rows == 300
    assert pv.estimate(tmp_path / "r.parquet", made).answers == answer.answers
    simulate(made, 300, seed=2, out=tmp_path / "r.jsonl")
    assert pv.estimate(tmp_path / "r.jsonl", made).answers == answer.answers
    assert said == ["300 of 300 people"]


def test_what_cannot_be_simulated_is_refused(tmp_path) -> None:
    for wrong in ({"people": 0}, {"people": 5, "out": tmp_path / "r.csv"}):
        with pytest.raises(PrivetError):
            simulate(collection("grr"), **wrong)
