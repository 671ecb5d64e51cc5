"""Scores: all tokens, rare ones, names and numbers apart, with intervals that know of texts."""

from dataclasses import replace

import numpy as np
import pytest
from tests.attacks.inversion.toy_shields import NAMES, ToyShield, corpus

from privet.artifact import Adversary
from privet.attacks._attack_registry import Case
from privet.attacks._attack_scores import rate
from privet.attacks.inversion._shielded_texts import shielded_texts
from privet.attacks.inversion._token_recovery import clustered_rate, kinds_of, recovery, top_rate

CASE = Case(auxiliary=corpus(200, 2), settings={"corpus": corpus(60, 1), "names": NAMES, "rare": 20})


def found_with(guesses):
    texts = shielded_texts(ToyShield(), CASE)
    chosen = [guesses(one) for one in texts.wanted]
    return texts, recovery(
        "it", texts, chosen, CASE, adversary=Adversary("who", (), "what"), started=0.0, plain=1.0
    )


def test_whoever_names_every_token_has_read_all_of_each_kind() -> None:
    texts, found = found_with(np.array)
    assert found.success.value == pytest.approx(1)
    assert {kind: part["value"] for kind, part in found.details["kinds"].items()} == pytest.approx(
        {"rare": 1, "numbers": 1, "names": 1}
    )
    assert found.details["counts"]["all"] == 8 * len(texts.wanted)  # the one before every text does not count


def test_a_name_is_read_where_all_of_it_is() -> None:
    """Of n50, n51 and the two words n52 n53, the last is read in half wherever it stands."""
    case = replace(
        CASE, settings={**CASE.settings, "corpus": [f"{one} n52 n53 n50" for one in corpus(30, 1, words=2)]}
    )
    texts = shielded_texts(ToyShield(), case)
    assert texts.names == [(50,), (51,), (52, 53)]
    half = [np.where(np.equal(one, 53), 1, one) for one in texts.wanted]
    more = {"adversary": Adversary("who", (), "what"), "started": 0.0, "plain": 1.0}
    names = recovery("it", texts, half, case, **more).details["kinds"]["names"]
    stand = sum(one.count(50) + one.count(51) for one in texts.wanted)
    assert names["value"] == pytest.approx(stand / (stand + len(texts.wanted)))


def test_a_guess_is_what_is_reached_without_seeing() -> None:
    texts = shielded_texts(ToyShield(), CASE)
    _, found = found_with(lambda one: np.full(len(one), texts.guess()))
    assert found.success.value == pytest.approx(found.baseline)
    assert not found.beats_baseline


def test_kinds_and_ranks() -> None:
    texts = shielded_texts(ToyShield(), CASE)
    kinds = kinds_of(texts)
    for one, numbers, rare in zip(texts.wanted, kinds["numbers"], kinds["rare"], strict=True):
        assert [40 <= token < 50 for token in one] == numbers.tolist()
        assert all(texts.counts[token] <= 20 for token, is_rare in zip(one, rare, strict=True) if is_rare)
    ranks = [np.arange(len(one)) for one in texts.wanted]
    assert top_rate(ranks, texts, 1) == pytest.approx(0)
    assert top_rate(ranks, texts, 5) == pytest.approx(0.5)


def test_texts_that_are_all_or_nothing_are_worth_one_trial_each() -> None:
    sizes = np.full(40, 10)
    clustered = clustered_rate(np.where(np.arange(40) < 20, 10, 0), sizes, 0.95)
    spread = clustered_rate(np.full(40, 5), sizes, 0.95)
    alone = rate(20, 40)
    assert clustered.high - clustered.low == pytest.approx(alone.high - alone.low, rel=0.1)
    assert spread.high - spread.low < (clustered.high - clustered.low) / 2 or spread.value == pytest.approx(
        0.5
    )


def test_nothing_read_is_not_proof_of_nought() -> None:
    found = clustered_rate(np.zeros(30), np.full(30, 5), 0.95)
    assert found.high == pytest.approx(rate(0, 30).high)
    assert clustered_rate(np.zeros(2), np.zeros(2), 0.95).high == pytest.approx(1)
