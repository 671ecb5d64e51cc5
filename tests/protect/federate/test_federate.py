"""A study over several tables: the pooled answer, with the noise that is promised, and each site booked once."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.federate.hospitals import frames, ledgers, study, tables

import privet.mechanism._distributed_gaussian as share_module
from privet.errors import BadStudy, BudgetExceeded, RoundFailed
from privet.guarantee import Row, ZeroConcentratedDP
from privet.ledger import Ledger
from privet.mechanism import _opendp_samplers as opendp_samplers
from privet.protect.federate import FederatedAnswer, Study, federate
from privet.source import open_table


def asked(folder: Path, books: list[Ledger] | None = None, **said: object) -> FederatedAnswer:
    own = books or ledgers(folder)
    stated = {"study": study(), "tables": tables(), "why": "a test"} | said
    return federate(stated.pop("study"), stated.pop("tables"), ledgers=own[:4], ledger=own[4], **stated)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opendp_samplers, "draw_discrete_gaussian", lambda n, sigma: np.zeros(n, np.int64))


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize(
    "lost", [{}, {1: "advertise"}, {1: "share"}, {1: "mask"}, {1: "confirm"}, {1: "reveal"}]
)
def test_without_noise_it_is_the_answer_of_the_sites_that_are_left(
    tmp_path: Path, lost: dict[int, str]
) -> None:
    out = asked(tmp_path, lost=lost)
    inside = [0, 1, 2, 3] if not lost or lost[1] in {"confirm", "reveal"} else [0, 2, 3]
    pooled = pa.concat_tables([frames()[site] for site in inside])
    wards, ages = np.array(pooled["ward"].to_pylist()), pooled["age"].to_numpy()
    assert out.survivors == tuple(inside)
    assert out.answer["ward"] == ("heart", "lung", "skin")
    assert out.answer["n"] == ((wards == "heart").sum(), (wards == "lung").sum(), 0)
    for place, ward in enumerate(("heart", "lung")):
        assert out.answer["age"][place] == pytest.approx(ages[wards == ward].mean(), abs=0.01)


def test_each_site_books_before_it_answers_and_whoever_is_lost_before_books_nothing(tmp_path: Path) -> None:
    books = ledgers(tmp_path)
    out = asked(tmp_path, books, lost={0: "share"})
    assert [receipt is None for receipt in out.receipts] == [True, False, False, False]
    assert books[1].paid(f"federated study {study().digest} round 1") is not None
    assert books[0].paid(f"federated study {study().digest} round 1") is None
    assert out.answer.receipt.why == "a test"


def test_a_round_is_entered_once_and_another_number_is_another_round(tmp_path: Path) -> None:
    books = ledgers(tmp_path)
    asked(tmp_path, books)
    with pytest.raises(RoundFailed, match=r"site 0 by E-FEDERATE-005"):
        asked(tmp_path, books)
    assert asked(tmp_path, books, number=2).survivors == (0, 1, 2, 3)


def test_below_the_threshold_nothing_is_opened_and_the_coordinator_books_nothing(tmp_path: Path) -> None:
    books = ledgers(tmp_path)
    with pytest.raises(RoundFailed, match="2 of 4 sites"):
        asked(tmp_path, books, lost={0: "mask", 3: "mask"})
    assert books[4].paid(f"sum of study {study().digest} round 1") is None
    assert books[1].paid(f"federated study {study().digest} round 1") is not None, (
        "its masked words were at risk"
    )


def test_a_site_whose_budget_is_used_up_is_lost_and_the_others_answer(tmp_path: Path) -> None:
    books = ledgers(tmp_path)
    books[2] = Ledger(tmp_path / "poor.ledger", limit=ZeroConcentratedDP("0.5"))
    out = asked(tmp_path, books)
    assert out.survivors == (0, 1, 3)
    assert out.refusals == {2: BudgetExceeded.code}


@pytest.mark.parametrize(("lost", "shares"), [({}, 4), ({1: "mask"}, 3)])
def test_the_noise_in_the_sum_is_that_of_the_survivors(
    tmp_path: Path, lost: dict[int, str], shares: int
) -> None:
    """Two-sided: with no row in any group, 3,000 counts are noise alone; 6.5 standard errors of their variance (1e-10).

    Two shares are guaranteed: with these alone the variance would be 1 / (2 rho), and every further one adds half of that.
    """
    columns = {"room": list(range(3_000))}
    question = "SELECT room, COUNT(*) AS n FROM rooms GROUP BY room"
    one = Study("rooms", question, ZeroConcentratedDP("0.02"), Row(), columns, 4, 3, 1)
    empty = [
        open_table(pa.table({"room": pa.array([], pa.int64())}), unit=Row(), version=str(n)) for n in range(4)
    ]
    out = asked(tmp_path, study=one, tables=empty, lost=lost)
    found = float(np.mean(np.square(np.array(out.answer["n"], dtype=float))))
    promised = 25 * shares / 2 + 1 / 12
    assert abs(found / promised - 1) < 6.5 * (2 / 3_000) ** 0.5


def test_no_noise_is_drawn_by_the_coordinator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    sample = opendp_samplers.draw_discrete_gaussian
    monkeypatch.setattr(
        share_module.opendp_samplers,
        "draw_discrete_gaussian",
        lambda n, sigma: drawn.append(n) or sample(n, sigma),
    )
    asked(tmp_path)
    assert len(drawn) == 4 * 2, "two vectors at each of four sites"


def test_as_many_tables_as_sites(tmp_path: Path) -> None:
    with pytest.raises(BadStudy, match="for 4 sites"):
        asked(tmp_path, tables=tables(3))


def test_it_prints_who_was_in_it_and_what_each_adversary_learns(tmp_path: Path) -> None:
    out = asked(tmp_path)
    said = str(out)
    assert "Sites in the sum: 0, 1, 2, 3." in said
    assert "the coordinator with 1 site(s): epsilon" in said
    assert "nobody saw the answer of one site" in " ".join(out.answer.notes)


@pytest.mark.parametrize(
    "said", [{"number": -1}, {"number": 2**64}, {"lost": {1: "opened"}}, {"lost": {1: "later"}}]
)
def test_rounds_and_stages_that_there_are_not_are_refused(tmp_path: Path, said: dict[str, object]) -> None:
    with pytest.raises(BadStudy):
        asked(tmp_path, **said)


@pytest.mark.usefixtures("still")
def test_a_histogram_is_a_sum_of_the_sites_histograms(tmp_path: Path) -> None:
    out = asked(tmp_path, study=study("SELECT HISTOGRAM(age, 10) FROM patients"))
    ages = np.concatenate([frame["age"].to_numpy() for frame in frames()])
    expected, _ = np.histogram(ages, 10, (0, 100))
    assert list(out.answer["histogram_age"]) == list(expected)
