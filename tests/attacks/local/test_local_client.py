"""A client as outsiders have it: what a collection says of itself, and what several of its reports are promised."""

import pytest
from tests.attacks.local.clients import TWELVE, asking

import privet as pv
from privet.attacks.local._local_client import LocalClient, asked, client_of, is_client
from privet.errors import BadAttack


def test_a_collection_is_its_client() -> None:
    made = asking("flh", settings={"pool": 64})
    client = client_of(made)
    assert is_client(made)
    assert client_of(client) is client
    assert list(client.values) == TWELVE
    assert client.oracle == made.protocol.oracle
    assert client.seed == made.public_seed
    assert client.promise == made.promise


def test_draws_are_repeated_by_their_seed() -> None:
    made = asking("grr")
    drawn = [client_of(made, seed).report(["v1"] * 50)["value"].to_pylist() for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize(
    ("made", "reports", "epsilon"),
    [
        (asking("grr", 2), 5, 10),
        (asking("grr", 2, memory="value"), 5, 2),
        (asking("l-grr", 2, settings={"once": 500}), 3, 1.5),
        (asking("l-grr", 2, settings={"once": 500}), 100, 2),
    ],
    ids=["fresh", "repeated", "few", "many"],
)
def test_several_reports_are_promised_what_is_kept_or_their_sum(made, reports, epsilon) -> None:
    assert client_of(made).together(reports, None) == pytest.approx(epsilon)


def test_another_claim_is_held_against_it() -> None:
    assert client_of(asking("grr", 2)).together(1, pv.LocalDP(1)) == pytest.approx(1)
    assert LocalClient(len, [1, 2]).together(1, None) is None


def test_questions_of_all_kinds_have_values_to_try() -> None:
    several = pv.Several(age=pv.NumberIn(0, 120), star=pv.OneOf([1, 2]))
    assert client_of(pv.Collection("n", pv.NumberIn(0, 60), pv.LocalDP(1))).values == [0, 30, 60]
    assert client_of(pv.Collection("w", pv.TextOf(3, "ab"), pv.LocalDP(1))).values == ["aaa", "bbb"]
    rows = client_of(pv.Collection("s", several, pv.LocalDP(1)))
    assert rows.values == [{"age": 0, "star": 1}, {"age": 120, "star": 2}]
    assert asked(rows.values, [0, 1, 1]) == {"age": [0, 120, 120], "star": [1, 2, 2]}
    assert rows.oracle is None


def test_what_is_no_client_is_refused() -> None:
    with pytest.raises(BadAttack, match="no client"):
        client_of("emoji.json")
    with pytest.raises(BadAttack, match="two values"):
        LocalClient(len, [1])
