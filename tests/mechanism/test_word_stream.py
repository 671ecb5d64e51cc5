"""Random words: exactly uniform where it is claimed, secret where it is not seeded, and readable in any language."""

import numpy as np
import pytest
from scipy.stats import chisquare

from privet.errors import InternalError, OutOfRange
from privet.mechanism import WordStream, draw_below, draw_bits, draw_chance
from privet.mechanism._word_stream import StreamFamily


def test_two_fresh_streams_differ_and_two_of_one_seed_do_not() -> None:
    one, two = WordStream.fresh(), WordStream.fresh()
    assert one.private
    assert one.words(4).tolist() != two.words(4).tolist()
    first, second = WordStream.seeded(7), WordStream.seeded(7)
    assert not first.private
    assert first.bytes(100_003).tolist() == second.bytes(100_003).tolist()
    assert first.words(3).tolist() == second.words(3).tolist()


def test_a_stream_goes_on_where_it_stopped_over_its_chunks() -> None:
    whole = WordStream.seeded(3).bytes(3 * 2**20 + 7)
    parts = WordStream.seeded(3)
    found = np.concatenate([parts.bytes(count) for count in (1, 15, 2**20, 2**21 - 9)])
    assert (found == whole[: len(found)]).all()
    assert chisquare(np.bincount(whole, minlength=256)).pvalue > 1e-6


def test_words_are_little_endian_and_bytes_run_out() -> None:
    stream = WordStream.of_bytes(bytes(range(1, 20)))
    assert stream.words32(1).tolist() == [0x04030201]
    assert stream.words(1).tolist() == [0x0C0B0A0908070605]
    assert stream.words56(1).tolist() == [0x131211100F0E0D]
    with pytest.raises(OutOfRange):
        stream.bytes(1)


def test_a_word_that_would_favour_some_is_drawn_again() -> None:
    """Of 2^32 words, 2^32 mod 3 = 1 is left over: the word 0."""
    content = (0).to_bytes(4, "little") + (2**31).to_bytes(4, "little")
    assert draw_below(WordStream.of_bytes(content), 1, 3).tolist() == [1]
    assert draw_below(WordStream.of_bytes(content), 1, 4).tolist() == [0]
    assert draw_below(WordStream.of_bytes(b""), 5, 1).tolist() == [0] * 5
    for bound in (0, 2**32):
        with pytest.raises(OutOfRange):
            draw_below(WordStream.seeded(1), 1, bound)


def test_draws_below_a_bound_are_uniform() -> None:
    """False alarms: one in a million."""
    drawn = draw_below(WordStream.seeded(5), 300_000, 3 * 2**29)
    assert chisquare(np.bincount(drawn // 2**27, minlength=12)).pvalue > 1e-6


def test_a_chance_is_compared_on_all_64_bits() -> None:
    words = 0x0123456789ABCDEF
    just_below, just_at = ((words - more).to_bytes(8, "little") for more in (1, 0))
    assert draw_chance(WordStream.of_bytes(just_below), 1, words).tolist() == [True]
    assert draw_chance(WordStream.of_bytes(just_at), 1, words).tolist() == [False]
    assert draw_chance(WordStream.of_bytes(b""), 3, 2**64).all()


def test_bits_are_settled_by_their_first_byte_or_by_all_eight() -> None:
    own, other = 0x8000000000000000, 0x0400000000000005
    first = bytes([0x03, 0x04, 0x05, 0x7F, 0x04])
    rest = (4).to_bytes(7, "little") + (5).to_bytes(7, "little")
    found = draw_bits(WordStream.of_bytes(first + rest), np.array([3]), 5, (own, other))
    assert found.astype(int).tolist() == [[1, 1, 0, 1, 0]]


def test_a_row_without_a_place_of_its_own_has_one_chance() -> None:
    found = draw_bits(WordStream.seeded(2), np.full(2_000, -1), 50, (2**62, 2**62))
    assert abs(found.mean() - 0.25) < 5 * (0.25 * 0.75 / found.size) ** 0.5


def test_tiny_chances_are_drawn() -> None:
    """At epsilon 12 a threshold of 16 bits would never set a bit: here 6e-6 of 8,000,000 are. False alarms: 1e-6."""
    chance = 6.1e-6
    found = sum(
        int(draw_bits(WordStream.seeded(seed), np.full(500, -1), 4_000, (0, int(chance * 2**64))).sum())
        for seed in range(4)
    )
    assert abs(found - 8_000_000 * chance) < 5 * (8_000_000 * chance) ** 0.5


def test_streams_of_a_family_are_read_in_any_order_and_share_no_block() -> None:
    family = StreamFamily(b"secret", b"a label")
    one, other = family.stream(0), family.stream(1)
    read = [one.bytes(20), other.bytes(32), one.bytes(7), other.bytes(16)]
    again = family.stream(0)
    assert [again.bytes(20).tolist(), again.bytes(7).tolist()] == [read[0].tolist(), read[2].tolist()]
    whole = family.stream(1).bytes(48)
    assert whole.tolist() == [*read[1].tolist(), *read[3].tolist()]
    blocks = [family.stream(number).bytes(160).reshape(10, 16) for number in (0, 1, 2**64 - 1)]
    assert len({block.tobytes() for stream in blocks for block in stream}) == 30
    assert (
        StreamFamily(b"secret", b"another").stream(0).words(2).tolist() != family.stream(0).words(2).tolist()
    )
    for number in (-1, 2**64):
        with pytest.raises(InternalError):
            family.stream(number)
