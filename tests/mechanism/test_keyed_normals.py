"""Normal numbers from keyed words: normal, independent, and the same for a step whichever steps were asked for before."""

import math

import numpy as np
import pytest
from scipy.stats import kstest, norm

from privet.errors import InternalError
from privet.mechanism import SecretSeed, WordStream
from privet.mechanism._keyed_normals import NormalDraws, StepNormals, standard_normals

DRAWS = 400_001  # odd, and several blocks


@pytest.fixture(scope="module")
def drawn():
    return standard_normals(WordStream.seeded(11), DRAWS)


def test_they_are_normal_to_the_tails(drawn) -> None:
    """False alarms: one in a billion for each; 0.97 or 1.03 times the scale fails."""
    assert len(drawn) == DRAWS
    assert kstest(drawn, norm.cdf).pvalue > 1e-9
    for scale in (0.97, 1.03):
        assert kstest(scale * drawn, norm.cdf).pvalue < 1e-9
    for beyond in (2.0, 3.0, 4.0):
        chance = 2 * norm.sf(beyond)
        spread = math.sqrt(DRAWS * chance * (1 - chance))
        assert abs((np.abs(drawn) > beyond).sum() - DRAWS * chance) < 7 * spread + 3


def test_the_two_of_a_pair_and_neighbours_are_independent(drawn) -> None:
    """Correlations of numbers and of their squares, within seven standard errors: false alarms below one in a billion."""
    for one, other in ((drawn[:-1:2], drawn[1::2]), (drawn[1:-1:2], drawn[2::2])):
        for power in (1, 2):
            found = np.corrcoef(one**power, other**power)[0, 1]
            assert abs(found) < 7 / math.sqrt(len(one))
    angles = np.arctan2(drawn[:-1:2], drawn[1::2])
    assert kstest(angles, "uniform", (-math.pi, 2 * math.pi)).pvalue > 1e-9


def words(*pairs):
    """A stream of one pair of words for each."""
    radii, angles = zip(*pairs, strict=True)
    return WordStream.of_bytes(b"".join(word.to_bytes(8, "little") for word in (*radii, *angles)))


@pytest.mark.parametrize("radius", [0, 1, 2**40, 2**63, 2**64 - 2**10, 2**64 - 1])
@pytest.mark.parametrize("angle", [0, 1, 2**51, 2**52 - 1, 2**52, 5 * 2**60 + 12345678901, 2**64 - 1])
def test_each_pair_is_that_of_box_and_muller(radius, angle) -> None:
    length = (
        math.sqrt(-2 * math.log((radius + 0.5) / 2**64))
        if radius < 2**63
        else math.sqrt(-2 * math.log1p(-(2**64 - radius - 0.5) / 2**64))
    )
    # Where the 13th bit is set, the turn is one place of the table less: all turns come out once.
    turn = 2 * math.pi * ((angle - (angle >> 51 & 1) * 2**52) % 2**64 / 2**64)
    found = standard_normals(words((radius, angle)), 2)
    # Where the radius is next to nothing, 53 bits of the uniform number decide.
    assert found == pytest.approx(
        [length * math.cos(turn), length * math.sin(turn)], abs=2e-8 if length < 1e-4 else 4e-15
    )


def test_no_word_gives_what_is_no_number() -> None:
    ends = standard_normals(words((0, 0), (2**64 - 1, 2**64 - 1)), 4)
    assert np.isfinite(ends).all()
    assert ends[0] == pytest.approx(math.sqrt(2 * 65 * math.log(2)))


def test_blocks_read_on_where_the_last_one_ended(monkeypatch) -> None:
    from privet.mechanism import _keyed_normals as module

    monkeypatch.setattr(module, "_BLOCK", 4)
    found = standard_normals(WordStream.seeded(3), 21)
    stream = WordStream.seeded(3)
    parts = [standard_normals(stream, count) for count in (8, 8, 6)]
    assert found.tolist() == np.concatenate(parts)[:21].tolist()


@pytest.mark.parametrize("count", [1, 3, 1000, 4096, 9000])
def test_a_steps_numbers_do_not_depend_on_what_was_asked_for_before(count) -> None:
    seed = SecretSeed.fresh()
    forward, backward = StepNormals(seed), StepNormals(seed)
    steps = [0, 1, 2, 3, 4, 5, 9000, 9001]
    one = {step: forward.of(step, 1, count).standard_normal(count).copy() for step in steps}
    other = {step: backward.of(step, 1, count).standard_normal(count).copy() for step in reversed(steps)}
    assert all((one[step] == other[step]).all() for step in steps)
    assert len({found.tobytes() for found in one.values()}) == len(steps)


def test_purposes_and_counts_and_steps_share_no_number() -> None:
    normals = StepNormals(SecretSeed.fresh())
    found = [
        normals.of(step, purpose, count).standard_normal(count)
        for step in (0, 1, 7)
        for purpose in (1, 2)
        for count in (5, 6, 5000)
    ]
    together = np.concatenate(found)
    assert len(np.unique(together)) == len(together)


def test_no_more_are_handed_out_than_there_are() -> None:
    draws = NormalDraws(np.arange(6.0))
    assert draws.standard_normal((2, 2)).ravel().tolist() == pytest.approx([0, 1, 2, 3])
    assert draws.standard_normal(2).tolist() == pytest.approx([4, 5])
    with pytest.raises(InternalError):
        draws.standard_normal(1)
