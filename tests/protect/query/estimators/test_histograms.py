"""Statistics of bins from question to answer, with the noise off: right values beside right keys, and honest words."""

import numpy as np
import pytest
from tests.protect.query.estimators.ward_table import WARDS, by_ward, opened

import privet as pv
from privet.artifact._released_answer import ReleasedAnswer
from privet.errors import PromiseUnmeetable
from privet.guarantee import DiscreteLaplace
from privet.protect.query.estimators._histograms import CommonReading, TableReading


def test_histograms_of_unknown_groups_stand_beside_their_keys(data, still, ledger):
    edges = [0, 2, 5, 40]
    question = opened(data).group_by("ward").agg(n=pv.histogram("x", edges))
    answer = pv.release(question, pv.ApproxDP(20, 1e-6), ledger=ledger, why="test")
    truth = by_ward(data, lambda part: np.histogram(np.asarray(part["x"]), edges)[0])
    assert answer["low"] == pytest.approx((0.0, 2.0, 5.0) * 3)
    assert answer["high"] == pytest.approx((2.0, 5.0, 40.0) * 3)
    found = np.array(answer["n"]).reshape(3, 3)
    for ward, counts in zip(answer["ward"][::3], found, strict=True):
        assert counts.tolist() == truth[ward].tolist()
    assert ReleasedAnswer.from_json(answer.to_json()) == answer
    assert [term.vector for term in answer.answers[0].noise] == ["rows by bin of x"]


def test_cross_tables_name_their_cells(data, still, ledger):
    table = opened(data, keys={"ward": WARDS, "sex": ["m", "f"]})
    answer = pv.release(table.agg(n=pv.contingency("ward", "sex")), pv.PureDP(5), ledger=ledger, why="test")
    wards, sexes = np.asarray(data["ward"]), np.asarray(data["sex"])
    for ward, sex, n in zip(answer["ward"], answer["sex"], answer["n"], strict=True):
        assert n == np.sum((wards == ward) & (sexes == sex))
    part = table.agg(n=pv.contingency("ward", categories={"ward": ["a"]}, other=True, margins=True))
    answer = pv.release(part, pv.PureDP(5), ledger=ledger, why="test")
    assert answer["ward"] == ("a", "(other)", "(all)")
    assert answer["n"][0] + answer["n"][1] == answer["n"][2] == 900


def test_the_most_common_values_in_falling_order(data, still, ledger):
    codes, counts = np.unique(np.asarray(data["code"]), return_counts=True)
    best = codes[np.argsort(-counts, kind="stable")]
    unknown = pv.release(
        opened(data).agg(who=pv.most_common("code", 3)), pv.ApproxDP(5, 1e-6), ledger=ledger, why="test"
    )
    assert unknown["who"] == tuple(sorted(counts, reverse=True)[:3])
    assert set(unknown["code"]) == set(best[:3].tolist())
    listed = opened(data).agg(who=pv.most_common("code", 2, among=[100, *codes.tolist()]))
    answer = pv.release(listed, pv.PureDP(5), ledger=ledger, why="test")
    assert answer["who"] == tuple(sorted(counts, reverse=True)[:2])
    with pytest.raises(PromiseUnmeetable, match="delta"):
        pv.release(opened(data).agg(who=pv.most_common("code", 3)), pv.PureDP(5), ledger=ledger, why="test")


def test_distinct_values_and_many_quantiles(data, still, ledger):
    table = opened(data, keys={"ward": WARDS})
    answer = pv.release(
        table.group_by("ward").agg(n=pv.distinct("code")), pv.PureDP(5), ledger=ledger, why="test"
    )
    assert answer["n"] == tuple(by_ward(data, lambda part: len(set(part["code"].to_pylist()))).values())
    shares = ["0.1", "0.5", "0.99"]
    answer = pv.release(table.agg(q=pv.quantiles("x", shares)), pv.PureDP(5), ledger=ledger, why="test")
    truth = np.quantile(np.asarray(data["x"]), [0.1, 0.5, 0.99])
    assert answer["q"] == pytest.approx(truth, abs=0.05)
    assert answer["share"] == pytest.approx((0.1, 0.5, 0.99))


@pytest.mark.parametrize("rows", [0, 1])
def test_empty_tables_answer_in_the_same_shape(data, ledger, rows):
    table = opened(data.slice(0, rows), keys={"ward": WARDS})
    for number, aggregate in enumerate(
        (pv.median("x"), pv.histogram("x", bins=4), pv.quantiles("x", ["0.5"]), pv.distinct("code"))
    ):
        answer = pv.release(
            table.group_by("ward").agg(a=aggregate), pv.PureDP(1), ledger=ledger, why=f"test {number}"
        )
        assert len(answer) == (12 if number == 1 else 3)
    hidden = (
        opened(data.slice(0, rows))
        .group_by("ward")
        .agg(
            h=pv.histogram("x", bins=4),
        )
    )
    assert len(pv.release(hidden, pv.ApproxDP(1, 1e-6), ledger=ledger, why="none")) in {0, 4}


def table(fitted):
    return TableReading(
        "n", None, "v", "number of rows", (("k", ("a", "b", "(all)")),), ((0,), (1,), (0, 1)), 2, fitted, ()
    )


def test_sums_of_bins_have_wider_intervals_and_are_no_single_draw():
    noise = {"v": DiscreteLaplace(5)}
    shown = table(fitted=False).read({"v": np.array([7, -3, 1, 2])}, noise, 0.95)
    (answer,) = shown.answers
    assert answer.values == (7, -3, 4, 1, 2, 3)
    assert shown.groups == (0, 0, 0, 1, 1, 1)
    assert shown.labels == {"k": ("a", "b", "(all)") * 2}
    assert answer.noise == ()
    width = [high - value for value, high in zip(answer.values, answer.high, strict=True)]
    assert width[0] == width[1] < width[2] < 2 * width[0]


def test_fitted_counts_are_not_negative_and_lie_in_their_intervals():
    shown = table(fitted=True).read({"v": np.array([7, -3, 1, 2])}, {"v": DiscreteLaplace(5)}, 0.95)
    fitted = shown.answers[1]
    assert fitted.name == "n_nonnegative"
    assert min(fitted.values) >= 0
    for value, low, high in zip(fitted.values, fitted.low, fitted.high, strict=True):
        assert 0 <= low <= value <= high


def test_the_most_common_stand_in_falling_order_with_intervals_for_all_at_once():
    one = CommonReading("n", None, "v", "code", 2, ("x", "y", "z"))
    shown = one.read({"v": np.array([4, 9, 9, 0, -2, 5])}, {"v": DiscreteLaplace(5)}, 0.95)
    (answer,) = shown.answers
    assert answer.values == (9, 9, 5, 0)
    assert shown.labels == {"code": ("y", "z", "z", "x")}
    assert shown.groups == (0, 0, 1, 1)
    assert answer.high[0] - 9 > one.width({"v": DiscreteLaplace(5)}, 0.95, 1), "three counts at once"
