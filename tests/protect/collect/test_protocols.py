"""Protocols: what a report holds for each question, and how its epsilon is shared."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import privet as pv
from privet.errors import PrivetError
from privet.guarantee.oracles import WORD, pool, pooled
from privet.guarantee.oracles._word_odds import exp_below
from privet.mechanism import WordStream
from privet.protect.collect._protocols import FragmentPuzzle, PrefixExtension, Sampled, protocol_for
from privet.protect.collect._questions import OneOf, Several, TextOf

SEVERAL = pv.Several({f"q{number}": pv.OneOf(["a", "b", "c"]) for number in range(6)})


@pytest.mark.parametrize(("epsilon", "answered"), [(1, 1), (5, 2), (8, 3), (16, 6)])
def test_several_questions_share_epsilon_over_those_that_are_answered(epsilon: int, answered: int) -> None:
    found = protocol_for(SEVERAL, Fraction(epsilon), "auto", {})
    assert isinstance(found, Sampled)
    assert found.answered == answered
    assert {oracle.epsilon for oracle in found.oracles.values()} == {Fraction(epsilon, answered)}


def test_which_questions_are_answered_is_uniform_and_does_not_depend_on_the_answers() -> None:
    found = protocol_for(SEVERAL, Fraction(5), "auto", {})
    for value in (0, 2):
        columns = found.reports({f"q{n}": np.full(30_000, value) for n in range(6)}, WordStream.seeded(1), 0)
        shares = [len(rows) / 30_000 for rows, _ in columns.values()]
        assert shares == pytest.approx([1 / 3] * 6, abs=0.015)


def test_prefixes_grow_to_the_whole_text() -> None:
    found = protocol_for(pv.TextOf(8), Fraction(4), "auto", {})
    assert isinstance(found, PrefixExtension)
    assert found.prefix_lengths == (3, 4, 5, 6, 7, 8)
    assert found.oracle.epsilon == 4
    assert protocol_for(pv.TextOf(9), Fraction(4), "pem", {"first": 2, "step": 3}).prefix_lengths == (
        2,
        5,
        8,
        9,
    )
    codes = pv.TextOf(8).coded(["abcdefgh", "abcxxxxx"])
    assert len(set(found.words(codes, 3, 1).tolist())) == 1
    assert len(set(found.words(codes, 4, 1).tolist())) == 2


def test_fragments_get_half_and_the_text_the_other_half() -> None:
    found = protocol_for(pv.TextOf(10), Fraction(4), "sfp", {"rows": 8, "width": 16})
    assert isinstance(found, FragmentPuzzle)
    assert found.starts == (0, 2, 4, 6, 8)
    assert found.oracle.epsilon == 2
    assert set(found.columns()) == {"group", "row", "bits", "word_row", "word_bits"}


@pytest.mark.parametrize(
    ("question", "kind", "settings"),
    [
        (pv.TextOf(8), "grr", {}), (pv.TextOf(8), "pem", {"rows": 2}), (pv.TextOf(8), "pem", {"first": 9}),
        (pv.TextOf(9), "sfp", {}), (SEVERAL, "auto", {"answered": 7}), (SEVERAL, "grr", {}), (pv.TextOf(8), "sfp", {"pool": 2}),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(question, kind, settings) -> None:
    with pytest.raises(PrivetError):
        protocol_for(question, Fraction(2), kind, settings)


EPSILONS = [Fraction(text) for text in ("1/10", "1", "4", "16")]
TEXTS = [[1, 0], [2, 0], [1, 1], [1, 2], [2, 1], [2, 2]]  # all texts of up to two letters, as codes


def _chances(width: int, place: int, flip: Fraction) -> list[Fraction]:
    """Of all vectors of bits around a place."""
    found = []
    for bits in itertools.product((0, 1), repeat=width):
        wrong = sum(bit != (at == place) for at, bit in enumerate(bits))
        found.append(flip**wrong * (1 - flip) ** (width - wrong))
    return found


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_a_whole_report_about_a_text_has_the_epsilon_of_the_person(epsilon: Fraction) -> None:
    """Prefixes and fragments by enumeration, with the very words and hash functions that devices use."""
    seed = 5
    pem = protocol_for(TextOf(2, "ab"), epsilon, "pem", {"first": 1, "pool": 2, "range": 3})
    keep = Fraction(pem.oracle.odds()[0], WORD)
    other = (1 - keep) / (pem.oracle.range - 1)
    rows = []
    for text in TEXTS:
        codes, row = np.array([text]), []
        for length in pem.prefix_lengths:
            for function in pool(seed, 2):
                own = pooled(function, pem.words(codes, length, seed), 3)[0]
                row += [(keep if value == own else other) / len(pem.prefix_lengths) / 2 for value in range(3)]
        rows.append(row)
    assert all(sum(row) == 1 for row in rows)
    assert max(max(column) / min(column) for column in zip(*rows, strict=True)) <= exp_below(epsilon)
    sfp = protocol_for(TextOf(2, "ab"), epsilon, "sfp", {"fragment": 1, "rows": 1, "width": 4})
    flip = Fraction(sfp.oracle.odds()[1], WORD)
    (function,) = pool(seed, 1)
    rows = []
    for text in TEXTS:
        codes, row = np.array([text]), []
        word = sfp.words(codes, seed)
        whole = _chances(4, int(pooled(function, word, 4)[0]), flip)
        for number, start in enumerate(sfp.starts):
            piece = sfp.pieces(sfp.checks(word), codes[:, start : start + 1], number, seed)
            part = _chances(4, int(pooled(function, piece, 4)[0]), flip)
            row += [one * two / len(sfp.starts) for one in part for two in whole]
        rows.append(row)
    assert all(sum(row) == 1 for row in rows)
    worst = max(max(column) / min(column) for column in zip(*rows, strict=True))
    assert worst <= exp_below(epsilon)
    assert abs(math.log(worst) - float(epsilon)) < 1e-9  # both halves are used


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_a_whole_report_about_several_questions_has_the_epsilon_of_the_person(epsilon: Fraction) -> None:
    """Two of three questions are answered: all answers of a person may differ, and the report tells no more than epsilon."""
    asked = Several(a=OneOf([1, 2]), b=OneOf([1, 2, 3]), c=OneOf([1, 2]))
    made = protocol_for(asked, epsilon, "auto", {"answered": 2})
    matrices = [oracle.matrix() for oracle in made.oracles.values()]
    rows = []
    for values in itertools.product(*(range(len(matrix)) for matrix in matrices)):
        row = []
        for drawn in itertools.combinations(range(3), 2):
            one, two = (matrices[at][values[at]] for at in drawn)
            row += [first * second / 3 for first in one for second in two]
        rows.append(row)
    assert all(sum(row) == 1 for row in rows)
    worst = max(max(column) / min(column) for column in zip(*rows, strict=True))
    assert worst <= exp_below(epsilon)
    assert abs(math.log(worst) - float(epsilon)) < 1e-9
