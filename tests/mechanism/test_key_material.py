"""Secret bytes are as many as asked for, and new each time."""

from privet.mechanism._key_material import fresh_bytes, fresh_choice


def test_bytes_are_new_and_as_many_as_asked() -> None:
    assert [len(fresh_bytes(count)) for count in (0, 1, 16, 64)] == [0, 1, 16, 64]
    assert len({fresh_bytes(16) for _ in range(1000)}) == 1000


def test_every_bit_turns() -> None:
    """Each of 128 bits over 2000 draws: 1000 ones expected, deviation 22.4; seven deviations, a false alarm in 3e9."""
    draws = [int.from_bytes(fresh_bytes(16), "big") for _ in range(2000)]
    ones = [sum(draw >> bit & 1 for draw in draws) for bit in range(128)]
    assert all(abs(count - 1000) < 175 for count in ones)


def test_choices_are_even() -> None:
    """Chi-squared with 4 degrees of freedom over 5,000 draws; beyond 36 in less than one of 10^6 runs."""
    counts = [0] * 5
    for _ in range(5_000):
        counts[fresh_choice(5)] += 1
    assert sum((count - 1_000) ** 2 for count in counts) / 1_000 < 36
