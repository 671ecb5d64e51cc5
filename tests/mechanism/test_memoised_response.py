"""Randomisers with a memory: kept answers have the chances of the matrix, reports those of both rounds."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from privet.errors import InternalError
from privet.guarantee.oracles import memory_of, oracle_class
from privet.mechanism import WordStream, forms, own_choice, permanent, respond, shown

MANY, SEED = 40_000, 7


def made(kind, **settings):
    return oracle_class(kind).made(Fraction(2), 5, settings)


def test_kept_codes_and_their_reports_have_their_chances() -> None:
    """False alarms: one in a million for each."""
    oracle, stream = made("l-grr", once=1000), WordStream.seeded(1)
    own = own_choice(oracle, MANY, stream)
    kept = permanent(oracle, forms(oracle, np.full(MANY, 3), own, SEED), own, stream, SEED)
    expected = MANY * np.array([float(chance) for chance in oracle.matrix()[3]])
    assert chisquare(np.bincount(kept[:, 0], minlength=5), expected).pvalue > 1e-6
    report = shown(oracle, kept, own, stream)["value"]
    expected = MANY * np.array([float(chance) for chance in oracle.report_matrix()[3]])
    assert chisquare(np.bincount(report, minlength=5), expected).pvalue > 1e-6


def test_kept_bits_and_their_reports_have_their_chances() -> None:
    oracle, stream = made("l-sue", once=1000), WordStream.seeded(2)
    kept = permanent(oracle, np.full(MANY, 1), np.zeros((MANY, 0)), stream, SEED)
    assert abs(kept[:, 1].mean() - float(oracle.permanent()[0])) < 5 / MANY**0.5
    bits = np.unpackbits(shown(oracle, kept, kept, stream)["bits"], axis=1, count=5, bitorder="little")
    own, other = map(float, oracle.support())
    assert abs(bits[:, 1].mean() - own) < 5 / MANY**0.5
    assert abs(bits[:, [0, 2, 3, 4]].mean() - other) < 5 / (4 * MANY) ** 0.5


def test_a_hash_is_kept_and_shown_with_the_chance_of_both_rounds() -> None:
    oracle = made("loloha", once=1000, range=3, pool=8)
    found = respond(oracle, np.full(MANY, 2), WordStream.seeded(3), SEED)
    own = forms(oracle, np.full(MANY, 2), found["hash"][:, None], SEED)
    assert abs((found["value"] == own).mean() - float(oracle.support()[0])) < 5 / MANY**0.5


def test_values_at_no_place_of_the_device_share_one_form() -> None:
    oracle = made("dbitflip", chosen=2)
    own = own_choice(oracle, 1, WordStream.seeded(5)).repeat(5, axis=0)
    found = forms(oracle, np.arange(5), own, SEED)
    assert sorted(found.tolist()) == [0, 1, 2, 2, 2]
    offsets, values = respond(oracle, np.full(MANY, 4), WordStream.seeded(6), SEED)["values"]
    assert (np.diff(offsets) == 2).all()
    flip = oracle.odds()[0] / 2**64
    at = values // 2 == 4
    assert abs((values[at] % 2).mean() - (1 - flip)) < 5 / at.sum() ** 0.5
    assert abs((values[~at] % 2).mean() - flip) < 5 / (~at).sum() ** 0.5


@pytest.mark.parametrize("kind", ["l-grr", "l-sue", "loloha", "dbitflip", "rappor"])
def test_steps_from_keyed_streams_come_out_the_same_again(kind) -> None:
    oracle = made(kind)
    assert memory_of(oracle) is not None

    def kept(label: bytes):
        own = own_choice(oracle, 1, WordStream.keyed(b"s" * 32, b"own"))
        form = forms(oracle, np.array([2]), own, SEED)
        return own.tolist(), permanent(oracle, form, own, WordStream.keyed(b"s" * 32, label), SEED).tolist()

    assert kept(b"2") == kept(b"2")


def test_what_keeps_no_answer_is_refused() -> None:
    with pytest.raises(InternalError):
        permanent(made("grr"), np.zeros(1, int), np.zeros((1, 0)), WordStream.seeded(1), 0)
    with pytest.raises(InternalError):
        shown(made("grr"), np.zeros((1, 1), int), np.zeros((1, 0)), WordStream.seeded(1))
