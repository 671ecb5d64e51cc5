"""Small random tables, and what they disclose by counting row by row."""

from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from privet.disclosure import Codes

NAMES = ("a", "b", "c", "d", "e")


@st.composite
def rows(draw, smallest=1, most=14, width=None, values=4):
    columns = width or draw(st.integers(1, 4))
    line = st.tuples(*[st.integers(0, draw(st.integers(0, values - 1))) for _ in range(columns)])
    return draw(st.lists(line, min_size=smallest, max_size=most))


def coded(lines, missing=None):
    width = len(lines[0]) if lines else 1
    return Codes.from_rows(NAMES[:width], lines, missing=missing)


def made_up(many=2_000, seed=3):
    """Nine columns of skewed values, as of people: some say much, most say little."""
    draw = np.random.default_rng(seed)
    widths = (2, 40, 4, 5, 12, 20, 6, 10, 2)
    lines = np.stack(
        [np.minimum(draw.geometric(min(0.8, 2.5 / width), many), width) - 1 for width in widths], axis=1
    )
    return Codes.from_rows(tuple("abcdefghi"), lines)


def in_order(codes, per_tuple, lines):
    """Figures of distinct tuples, told for each line of the table."""
    found = {tuple(map(int, line)): value for line, value in zip(codes.codes, per_tuple, strict=True)}
    return [found[tuple(line)] for line in lines]


def class_of(lines, at):
    counts = Counter(tuple(line[j] for j in at) for line in lines)
    return [counts[tuple(line[j] for j in at)] for line in lines]


def subsets(width):
    return [at for size in range(1, width + 1) for at in combinations(range(width), size)]


def minimal_uniques(lines):
    """For each line, its minimal sample uniques as tuples of places."""
    width = len(lines[0])
    unique = {at: [size == 1 for size in class_of(lines, at)] for at in subsets(width)}
    return [
        [
            at
            for at in unique
            if unique[at][row]
            and not any(unique[less][row] for less in subsets(width) if set(less) < set(at))
        ]
        for row in range(len(lines))
    ]
