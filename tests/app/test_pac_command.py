"""`privet pac` and the account of nats as a person types them."""

from __future__ import annotations

import json

import pytest
from tests.app.doors import inside
from tests.conformance.doors import furnished

ASKED = (
    "pac",
    "ward.csv",
    "--unit",
    "person",
    "--mean",
    "age",
    "--count",
    "--bounds",
    "age=0:100",
    "--nats",
    "1/16",
)


@pytest.fixture(autouse=True)
def _ward(tmp_path, monkeypatch) -> None:
    furnished(tmp_path)
    monkeypatch.chdir(tmp_path)


def test_it_answers_saves_and_says_what_is_promised(tmp_path) -> None:
    said = inside(*ASKED, "-o", "answer.json", "--json").json()
    assert said["labels"] == ["n", "mean of age"]
    assert said["receipt"]["cost"] == {"nats": "0.0625"}
    assert json.loads((tmp_path / "answer.json").read_text())["numbers"] == said["numbers"]
    assert "67.5% of the time" in said["sentence"]


def test_it_explains_without_a_ledger(tmp_path) -> None:
    said = inside(*ASKED, "--explain", "--json").json()
    assert said["worlds"] == 128
    assert not (tmp_path / "ward.csv.ledger").exists()


def test_an_account_of_nats_is_opened_beside_a_budget() -> None:
    inside("ledger", "open", "one.ledger", "--epsilon", "1")
    opened = inside("ledger", "budget", "one.ledger", "--nats", "2", "--json").json()
    assert (opened["scope"], opened["caps"]) == ("mutual information", {"nats": "2"})
    first = inside(*ASKED, "--ledger", "one.ledger", "--json")
    assert first.json()["receipt"]["remaining"] == {"nats": "1.9375"}
    assert inside("ledger", "verify", "one.ledger").code == 0


def test_what_it_wrote_is_attacked_with_the_rows_it_was_asked_of() -> None:
    inside(*ASKED, "--worlds", "16", "-o", "answer.json")
    few = ("--set", "draws=30", "--set", "repeats=2", "--set", "steps=2")
    found = inside("attack", "answer.json", "--members", "ward.csv", *few, "--json").json()
    risks = {one["attack"]: one for one in found["estimates"]}
    assert set(risks) == {
        "world-adaptive",
        "world-averaging",
        "world-identification",
        "world-membership",
        "world-noise-scale",
    }
    assert risks["world-membership"]["bound"] == pytest.approx(0.6749, abs=1e-4)
    assert risks["world-noise-scale"]["bound"] is None
    alone = inside("attack", "answer.json")
    assert alone.code != 0
    assert "--members" in alone.err


FUNCTION = (
    "pac",
    "ward.csv",
    "--unit",
    "person",
    "--function",
    "kmeans",
    "--columns",
    "age,dose",
    "--clusters",
    "2",
)
BOUNDS = ("--bounds", "age=0:100", "--bounds", "dose=0:7", "--nats", "1/16", "--worlds", "16")


def test_a_ready_made_function_is_released() -> None:
    said = inside(*FUNCTION, *BOUNDS, "--json").json()
    assert said["labels"][:2] == ["centre 1: age", "centre 1: dose"]
    assert "same public start" in " ".join(said["notes"])


def test_stability_is_the_owner_s_and_spends_nothing(tmp_path) -> None:
    said = inside(*FUNCTION, *BOUNDS, "--stability", "-o", "stability.svg", "--json").json()
    assert list(said["noise"]) == ["0.0625", "0.25", "0.0078125"]
    assert (tmp_path / "stability.svg").stat().st_mode & 0o077 == 0
    assert not (tmp_path / "ward.csv.ledger").exists()
    assert "For the owner only" in inside(*ASKED[:6], *BOUNDS[:2], *BOUNDS[4:], "--stability").out
    assert "stability is measured of means" in inside(*ASKED, "--stability").err
    assert (
        "ends in .json or .svg or .html" in inside(*FUNCTION, *BOUNDS, "--stability", "-o", "a.parquet").err
    )


def test_a_hint_about_values_works_as_it_is_typed() -> None:
    """Texts without stated values are refused with the option that states them; that option is then taken."""
    asked = (
        "pac",
        "ward.csv",
        "--unit",
        "person",
        "--nats",
        "1/16",
        "--worlds",
        "16",
        "--bounds",
        "age=0:100",
    )
    learn = (*asked, "--function", "logistic-regression", "--columns", "age,area")
    refused = inside(*learn, "--target", "back")
    assert "--keys area=a,b" in refused.err
    assert inside(*learn, "--target", "back", "--keys", "area=A,B,C").code == 0
    assert "--classes no,yes" in inside(*learn, "--target", "illness", "--keys", "area=A,B,C").err
    grouped = (*asked[:-2], "--count", "--by", "area")
    assert "--keys ward=a,b" in inside(*grouped).err
    assert inside(*grouped, "--keys", "area=A,B,C", "--explain").code == 0


def test_responses_need_a_program_and_nothing_is_booked(tmp_path) -> None:
    said = inside("pac", "ward.csv", "--unit", "person", "--nats", "1/16", "--function", "responses")
    assert said.code != 0
    assert "Python object" in said.err
    assert "PacFunction.responses(" in said.err
    assert not (tmp_path / "ward.csv.ledger").exists()
