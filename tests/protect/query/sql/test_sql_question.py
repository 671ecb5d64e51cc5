"""What is done with noisy answers: levels, rounding, sorting and cutting, said beside the answer."""

import pytest
from tests.protect.query.sql.registers import registers

import privet as pv
from privet.engine import expressions as tree
from privet.guarantee import DiscreteLaplace
from privet.protect.query.sql._sql_question import Ordered, _noise, _rounded, _sorted


def _released(sql, ledger, tables=None):
    answer = pv.release(sql, pv.ApproxDP(60, 1e-3), tables=tables or registers(), ledger=ledger, why="test")
    columns = [*answer.keys.values(), *(one.values for one in answer.answers)]
    return [tuple(row) for row in zip(*columns, strict=True)]


def test_levels_are_one_batch_with_one_receipt(ledger, no_noise):
    before = ledger.balance().spends
    sql = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ROLLUP (ward)"
    assert _released(sql, ledger) == [
        ("ward", "A", 100), ("ward", "B", 100), ("ward", "C", 100), ("all", None, 300),
    ]  # fmt: skip
    assert ledger.balance().spends == before + 1
    sets = "SELECT ward, EXTRACT(month FROM day) AS m, COUNT(*) AS n FROM visits GROUP BY GROUPING SETS ((ward), (m), ()) HAVING COUNT(*) > 1"
    assert {(row[0], row[1], row[2]) for row in _released(sets, ledger)} == {
        ("ward", "A", None), ("ward", "B", None), ("ward", "C", None),
        ("m", None, 1), ("m", None, 2), ("m", None, 3), ("m", None, 4), ("all", None, None),
    }  # fmt: skip
    cube = pv.explain(
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY CUBE (ward, nights)",
        pv.ApproxDP(1, 1e-6),
        tables=registers(),
    )
    assert len(cube.plans) == 4


def test_the_shape_of_an_answer_costs_nothing(ledger, no_noise):
    _released("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", ledger)
    spent = ledger.balance().spends
    for tail in (" ORDER BY n DESC", " HAVING COUNT(*) > 100", " LIMIT 1"):
        _released(f"SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward{tail}", ledger)
    assert ledger.balance().spends == spent


def test_rounding_keeps_the_interval_around_the_value(ledger):
    sql = "SELECT ROUND(AVG(cost), 1) AS a, AVG(cost) AS b FROM visits"
    answer = pv.release(sql, pv.PureDP(2), tables=registers(), ledger=ledger, why="test")
    rounded, exact = answer.answers
    assert rounded.values[0] == round(exact.values[0], 1)
    assert rounded.low[0] <= exact.low[0] <= exact.high[0] <= rounded.high[0]


def test_what_was_done_is_written_beside_the_answer(ledger):
    sql = "SELECT ward, SUM(cost) / COUNT(*) AS r FROM visits GROUP BY ward HAVING COUNT(*) > 5 ORDER BY r LIMIT 2"
    answer = pv.release(sql, pv.PureDP(2), tables=registers(), ledger=ledger, why="test")
    assert any("noisy values meet" in stage for stage in answer.provenance.stages)
    assert any("chosen by their noisy values" in note for note in answer.notes)
    assert "ORDER BY" in answer.provenance.question
    again = pv.ReleasedAnswer.from_json(answer.to_json())
    assert again.answers == answer.answers


def test_a_stored_answer_in_another_order_holds_the_same_noise(ledger):
    up, down = (
        pv.release(
            f"SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n {order} LIMIT 3",
            pv.PureDP(1),
            tables=registers(),
            ledger=ledger,
            why="test",
        )
        for order in ("ASC", "DESC")
    )
    assert up["n"] == down["n"][::-1]  # wards may tie, and then stand in one order both times
    assert dict(zip(up["ward"], up["n"], strict=True)) == dict(zip(down["ward"], down["n"], strict=True))
    for ward in "ABC":
        assert (up.quantity("n", ward=ward) - down.quantity("n", ward=ward)).half_width() == pytest.approx(0)
    assert (up.quantity("n", ward="A") - down.quantity("n", ward="B")).half_width() > 0


def test_each_level_of_grouping_holds_the_noise_that_was_drawn_for_it(ledger):
    sql = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ROLLUP (ward)"
    answer = pv.release(sql, pv.PureDP(1), tables=registers(), ledger=ledger, why="test")
    events = {answer["level"][row]: answer.at("n", row).terms() for row in range(len(answer))}
    assert all(len(terms) == 1 for terms in events.values())
    for row, (low, high) in enumerate(answer.error("n")):
        assert answer.at("n", row).half_width() == pytest.approx((high - low) / 2)


@pytest.mark.parametrize(
    ("span", "digits", "wanted"),
    [
        ((2.55, 1.234, 3.871), 1, (2.5, 1.2, 3.9)),
        ((-2.55, -3.871, -1.234), 1, (-2.5, -3.9, -1.2)),
        ((7, 3, 11), 0, (7, 3, 11)),
        ((None, None, None), 1, (None, None, None)),
        ((2.55, 1.234, 3.871), None, (2.55, 1.234, 3.871)),
    ],
)
def test_intervals_are_rounded_outwards(span, digits, wanted):
    value, low, high = _rounded(span, digits)
    assert (low, high) == wanted[1:]
    assert (
        value == pytest.approx(wanted[0], abs=0.1 if digits else 0)
        if value is not None
        else wanted[0] is None
    )
    if value is not None and digits is not None:
        assert low <= span[1]
        assert high >= span[2]


@pytest.mark.parametrize(
    ("descending", "first", "wanted"),
    [(False, False, "bdac"), (True, False, "dbac"), (False, True, "acbd"), (True, True, "acdb")],
)
def test_missing_values_stand_together_at_the_end_that_was_asked_for(descending, first, wanted):
    part = Ordered(tree.Column("n"), descending, first)
    assert "".join(_sorted(list("abcd"), [None, 1, None, 2], part)) == wanted


def test_equal_values_keep_their_order():
    part = Ordered(tree.Column("n"), descending=False, missing_first=False)
    assert "".join(_sorted(list("abcd"), [2, 1, 2, 1], part)) == "bdac"


def test_noise_of_rows_is_told_draw_by_draw():
    event, other = DiscreteLaplace(2), DiscreteLaplace(3)
    rows = [{("", "1", "rows", 4): (event, 1.0)}, {("", "2", "rows", 4): (other, -2.0)}]
    first, second = _noise(rows)
    assert (first.event, first.weights, first.rows) == (event, (1.0, 0.0), (4, -1))  # exact: weights as given
    assert (second.event, second.weights, second.rows) == (
        other,
        (0.0, -2.0),
        (-1, 4),
    )  # exact: weights as given
    assert _noise([rows[0], None]) == ()
    assert _noise([]) == ()
