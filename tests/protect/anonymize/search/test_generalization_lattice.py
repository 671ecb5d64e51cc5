"""The lattice: nodes and their levels, corners above and below, sums over all nodes."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.protect.anonymize.search._generalization_lattice import Lattice, down, up

heights = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


@given(heights)
def test_nodes_are_numbered_in_the_order_of_their_levels(tops):
    lattice = Lattice(tops)
    every = list(itertools.product(*(range(top + 1) for top in tops)))
    assert [lattice.levels(node) for node in range(len(lattice))] == every
    assert [lattice.node(levels) for levels in every] == list(range(len(lattice)))
    assert lattice.levels(len(lattice) - 1) == tops


@given(heights, st.data())
def test_corners_hold_what_a_node_generalizes_and_what_generalizes_it(tops, data):
    lattice = Lattice(tops)
    node = data.draw(st.integers(0, len(lattice) - 1))
    levels = lattice.levels(node)
    places = np.arange(len(lattice)).reshape(lattice.shape)
    below, above = set(places[down(levels)].ravel().tolist()), set(places[up(levels)].ravel().tolist())
    every = [(other, lattice.levels(other)) for other in range(len(lattice))]
    assert below == {at for at, one in every if all(a <= b for a, b in zip(one, levels, strict=True))}
    assert above == {at for at, one in every if all(a >= b for a, b in zip(one, levels, strict=True))}
    assert below & above == {node}
    assert lattice.below[node] == len(below)


def test_sums_and_products_over_the_lattice():
    lattice = Lattice((1, 2))
    first, second = np.array([1.0, 10.0]), np.array([1.0, 2.0, 3.0])
    assert lattice.outer([first, second]) == pytest.approx([2, 3, 4, 11, 12, 13])
    assert lattice.outer([first, second], multiply=True) == pytest.approx([1, 2, 3, 10, 20, 30])
    spread = np.broadcast_to(lattice.broadcast(1, second), lattice.shape)
    assert spread.ravel().tolist() == [1, 2, 3, 1, 2, 3]
