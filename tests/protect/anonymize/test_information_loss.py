"""Information loss, recomputed from what became of each tuple at published optima."""

import numpy as np
import pytest
from tests.protect.anonymize.adult_tables import adult

from privet.disclosure import Codes
from privet.errors import BadSearch
from privet.protect.anonymize import _information_loss as loss
from privet.protect.anonymize.hierarchies import Hierarchy

LETTERS = Hierarchy.from_paths("letter", [(c, "ab" if c < "c" else "cd", "*") for c in "abcd"])
DIGITS = Hierarchy.from_paths("digit", [("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*")])


def toy():
    """(a, 1) and (b, 2) thrice, (c, 3) twice, (a, 3) once."""
    every = Codes.from_rows(("letter", "digit"), [(0, 0)] * 3 + [(1, 1)] * 3 + [(2, 2)] * 2 + [(0, 2)])
    codes = Codes(every.columns, every.codes, every.counts, (4, 3), (None,) * 2)
    return codes, [LETTERS.ladder("abcd"), DIGITS.ladder("123")], None


class Recoded:
    """A table at given levels with k = 5: what loss functions look at, made without the search."""

    def __init__(self, levels: str, table=adult) -> None:
        codes, ladders, _ = table()
        at = [int(level) for level in levels]
        self.values = codes.codes
        self.counts = codes.counts
        self.nodes = np.stack([lad.nodes[codes.codes[:, j], at[j]] for j, lad in enumerate(ladders)], axis=1)
        self.shares = np.stack(
            [lad.shares[codes.codes[:, j], at[j]] for j, lad in enumerate(ladders)], axis=1
        )
        self.leaves = [len(ladder.hierarchy.values) for ladder in ladders]
        self.heights = [ladder.height for ladder in ladders]
        self.levels = np.broadcast_to(np.array(at), self.nodes.shape)
        _, self.labels = np.unique(self.nodes, axis=0, return_inverse=True)
        sizes = np.bincount(self.labels, weights=self.counts)
        self.suppressed = (sizes < 5)[self.labels]
        self.rows = int(self.counts[self.suppressed].sum())
        self.sizes = loss.class_rows(self.labels, self.counts, self.suppressed)

    def losses(self, **options):
        return loss.column_losses(self.shares, self.counts, self.suppressed, self.leaves, **options)


@pytest.mark.real_data(twin="test_losses_of_a_toy_are_those_by_hand")
@pytest.mark.parametrize(
    ("levels", "rows", "classes", "mean", "geometric"),
    [
        ("041132210", 0, 24, 0.6355438466888889, 0.5731509655590044),
        ("031122110", 294, 263, 0.40200110394444444, 0.36240672301036203),
        ("030021120", 1346, 397, 0.26963466275555553, 0.2419323650662908),
        ("030021110", 2553, 602, 0.22770032318888891, 0.22041192847984292),
    ],
)
def test_loss(levels, rows, classes, mean, geometric):
    table = Recoded(levels)
    assert (table.rows, len(table.sizes)) == (rows, classes)
    assert float(loss.arithmetic(table.losses())) == pytest.approx(mean, abs=1e-9)
    assert float(loss.geometric(table.losses())) == pytest.approx(geometric, abs=1e-9)


@pytest.mark.real_data(twin="test_losses_of_a_toy_are_those_by_hand")
def test_rank():
    expected = [
        1.0,
        0.3922153703,
        0.3140732352,
        0.3133033997,
        0.3022859889,
        0.2231311188,
        *[0.0386247596] * 3,
    ]
    assert loss.rank(Recoded("030221110").losses()) == pytest.approx(expected, abs=1e-9)


@pytest.mark.real_data(twin="test_losses_of_a_toy_are_those_by_hand")
@pytest.mark.parametrize(
    ("levels", "value"),
    [
        ("041232020", 0.6666666666666667),
        ("040112120", 0.48505723414549085),
        ("040031010", 0.36562562164312706),
        ("040010010", 0.3119463538865435),
    ],
)
def test_precision(levels, value):
    table = Recoded(levels)
    found = loss.precision_loss(table.levels, table.heights, table.counts, table.suppressed)
    assert found.mean() == pytest.approx(value, abs=1e-9)


@pytest.mark.real_data(twin="test_losses_of_a_toy_are_those_by_hand")
@pytest.mark.parametrize(("levels", "value"), [("111232211", 33_627_534), ("001232211", 7_220_555)])
def test_discernibility(levels, value):
    table = Recoded(levels)
    assert loss.discernibility(table.sizes, table.rows) == value


@pytest.mark.real_data(twin="test_losses_of_a_toy_are_those_by_hand")
@pytest.mark.parametrize(
    ("levels", "value"),
    [
        ("121132211", 628.375),
        ("101212121", 68.55),
        ("101132201", 28.808022922636102),
        ("001112201", 16.321428571428573),
    ],
)
def test_average_class_size(levels, value):
    table = Recoded(levels)
    assert loss.average_class_size(table.sizes, table.rows) == pytest.approx(value, rel=1e-12)


@pytest.mark.real_data(twin="test_losses_of_a_toy_are_those_by_hand")
@pytest.mark.parametrize(
    ("levels", "value"),
    [
        ("121132211", 407289.5388925293),
        ("001132220", 307795.6763468402),
        ("001122211", 264341.93830412335),
        ("001132200", 249855.10868148197),
    ],
)
def test_entropy(levels, value):
    table = Recoded(levels)
    found = loss.entropy_losses(table.values, table.nodes, table.counts, table.suppressed)
    assert found.sum() == pytest.approx(value, rel=1e-12)


def test_losses_of_a_toy_are_those_by_hand():
    """Of (ab, low), (cd, high) and (ab, high), the first has six rows; the three rows of the others are suppressed."""
    table = Recoded("11", toy)
    assert (table.rows, table.sizes.tolist()) == (3, [6])
    # (6 * (1/2 - 1/4) + 3 * (1 - 1/4)) / (9 - 9/4), and (6 * (2/3 - 1/3) + 3 * (1 - 1/3)) / (9 - 9/3)
    assert table.losses().tolist() == pytest.approx([5 / 9, 2 / 3])
    assert float(loss.arithmetic(table.losses())) == pytest.approx(11 / 18)
    assert float(loss.geometric(table.losses())) == pytest.approx((14 / 9 * 5 / 3) ** 0.5 - 1)
    assert loss.rank(table.losses()).tolist() == pytest.approx([2 / 3, 5 / 9])
    climbed = loss.precision_loss(table.levels, table.heights, table.counts, table.suppressed)
    assert climbed.tolist() == pytest.approx([(6 / 2 + 3) / 9] * 2)
    assert loss.discernibility(table.sizes, table.rows) == 6**2 + 9 * 3
    assert loss.average_class_size(table.sizes, table.rows) == pytest.approx(9 / 2)
    letters = 4 * np.log2(7 / 4) + 3 * np.log2(7 / 3) + np.log2(3) + 2 * np.log2(3 / 2)
    found = loss.entropy_losses(table.values, table.nodes, table.counts, table.suppressed)
    assert found.tolist() == pytest.approx([letters, 6])


def test_certainty_penalty_is_nothing_for_single_values():
    shares = np.array([[0.25, 0.5], [0.5, 1.0]])
    found = loss.certainty_penalty(
        shares, np.array([[True, True], [False, False]]), np.array([3, 1]), np.array([False, False])
    )
    assert found.tolist() == pytest.approx([0.125, 0.25])
    all_gone = loss.certainty_penalty(shares, np.ones((2, 2), bool), np.array([3, 1]), np.array([True, True]))
    assert all_gone.tolist() == [1, 1]


def test_the_table_itself_loses_nothing_and_a_suppressed_one_everything():
    shares, counts = np.full((3, 2), 0.25), np.array([1, 2, 3])
    none = np.zeros(3, bool)
    assert loss.column_losses(shares, counts, none, [4, 4]).tolist() == pytest.approx([0, 0])
    assert loss.column_losses(shares, counts, ~none, [4, 4]).tolist() == pytest.approx([1, 1])
    assert loss.column_losses(np.ones((3, 1)), counts, none, [1]).tolist() == pytest.approx([0])


@pytest.mark.real_data(twin="test_generalization_and_suppression_are_weighed_in_a_toy")
def test_what_generalization_weighs_against_suppression():
    assert_suppression_weighs(Recoded("031122110"))


def test_generalization_and_suppression_are_weighed_in_a_toy():
    assert_suppression_weighs(Recoded("11", toy))


def assert_suppression_weighs(table):
    free = float(loss.arithmetic(table.losses(gs_factor=0.0)))
    alike = float(loss.arithmetic(table.losses(gs_factor=0.5)))
    assert free < alike
    assert loss.factors(0.25) == pytest.approx((1.0, 0.5))
    assert loss.factors(0.75) == pytest.approx((0.5, 1.0))
    with pytest.raises(BadSearch):
        loss.factors(1.5)


def test_weights():
    losses = np.array([0.2, 0.8])
    assert float(loss.arithmetic(losses, np.array([3.0, 1.0]))) == pytest.approx(0.35)
    assert float(loss.geometric(losses)) == pytest.approx((1.2 * 1.8) ** 0.5 - 1)
    for wrong in ([1.0], [0.0, 0.0], [-1.0, 2.0]):
        with pytest.raises(BadSearch):
            loss.arithmetic(losses, np.array(wrong))
