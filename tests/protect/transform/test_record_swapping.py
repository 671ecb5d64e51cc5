"""PRAM and swapping keep what they say they keep."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.errors import BadTransform
from privet.protect.transform import (
    _record_swapping as perturbing,
)
from privet.protect.transform import (
    pram,
    rank_swap,
    swap,
)

N = 100_000


def test_pram_keeps_as_many_as_it_says_and_the_shares() -> None:
    held = np.array(["flu"] * (N // 2) + ["cold"] * (N // 4) + ["gout"] * (N // 4))
    table = pv.open_table(pa.table({"d": held.tolist()}))
    new = np.array(pram(table, "d", keep=0.6).to_arrow()["d"].to_pylist())
    # P(new = old) = 0.6 + 0.4 * share. Tolerances are 6.5 deviations: a false alarm in 10^10 runs for each.
    for word, share in (("flu", 0.5), ("cold", 0.25), ("gout", 0.25)):
        stay = 0.6 + 0.4 * share
        size = N * share
        assert abs((new[held == word] == word).mean() - stay) < 6.5 * (stay * (1 - stay) / size) ** 0.5
        assert abs((new == word).mean() - share) < 6.5 * (0.25 / N) ** 0.5
    even = np.array(pram(table, "d", keep=0.0, towards="uniform").to_arrow()["d"].to_pylist())
    assert abs((even == "flu").mean() - 1 / 3) < 6.5 * (2 / 9 / N) ** 0.5


def test_pram_keeps_gaps_kind_and_order() -> None:
    arrow = pa.table({"d": [1, None, 2, None], "n": [1, 2, 3, 4]})
    found = pram(pv.open_table(arrow), "d", keep=0.5).to_arrow()
    assert [value is None for value in found["d"].to_pylist()] == [False, True, False, True]
    assert found["d"].type == pa.int64()
    assert found["n"].equals(arrow["n"])
    empty = pv.open_table(pa.table({"d": pa.array([None, None], pa.string())}))
    assert pram(empty, "d", keep=0.5).to_arrow()["d"].to_pylist() == [None, None]


def test_swapping_keeps_columns_and_strata() -> None:
    rng = np.random.default_rng(1)
    arrow = pa.table(
        {
            "sex": rng.choice(["F", "M"], 4000).tolist(),
            "zip": [None if at % 50 == 0 else f"{at:04d}" for at in range(4000)],
            "town": [f"t{at}" for at in range(4000)],
            "row": list(range(4000)),
        }
    )
    result = swap(pv.open_table(arrow), ["zip", "town"], share=0.3, within=["sex"])
    found = result.to_arrow()
    assert found["row"].equals(arrow["row"])
    assert found["sex"].equals(arrow["sex"])
    before = {
        town: (code, sex)
        for code, town, sex in zip(*(arrow[n].to_pylist() for n in ("zip", "town", "sex")), strict=True)
    }
    after = zip(*(found[n].to_pylist() for n in ("zip", "town", "sex")), strict=True)
    assert all(before[town] == (code, sex) for code, town, sex in after), "swapped together, inside a stratum"
    assert sorted(found["town"].to_pylist()) == sorted(arrow["town"].to_pylist())
    moved = np.array(found["town"].to_pylist()) != np.array(arrow["town"].to_pylist())
    assert moved.sum() == result.figures["records_swapped"]
    assert abs(moved.sum() - 1200) <= 4, "the share, up to one pair in each stratum"


def test_partners_are_pairs_and_the_share_is_right_on_average() -> None:
    draws = np.random.default_rng(2)
    strata = np.repeat(np.arange(3000), 3)
    order = perturbing.partners(strata, 0.4, draws)
    assert (order[order] == np.arange(len(order))).all()
    assert (strata[order] == strata).all()
    swapped = (order != np.arange(len(order))).mean()
    # 0.6 pairs in each stratum of three on average: 0.4 of the rows; 3000 draws, eight deviations.
    assert abs(swapped - 0.4) < 8 * (2 / 3) * (0.24 / 3000) ** 0.5


def test_rank_swapping_keeps_each_column_and_nearness() -> None:
    rng = np.random.default_rng(4)
    age = rng.integers(0, 50, 3000)
    income = age * 1000.0 + rng.normal(0, 3000, 3000)
    gaps = [None if at % 100 == 0 else float(value) for at, value in enumerate(income)]
    arrow = pa.table({"age": age, "income": gaps, "row": np.arange(3000)})
    result = rank_swap(pv.open_table(arrow), ["age", "income"], window=0.04)
    found = result.to_arrow()
    assert found["row"].equals(arrow["row"])
    assert sorted(found["age"].to_pylist()) == sorted(arrow["age"].to_pylist())
    assert found["income"].is_null().equals(arrow["income"].is_null())
    there = np.array([value is not None for value in gaps])
    before, after = (np.array(table["income"].to_pylist(), float)[there] for table in (arrow, found))
    assert sorted(before) == sorted(after)
    ranks = np.searchsorted(np.sort(before), [before, after])
    assert np.abs(ranks[0] - ranks[1]).max() <= int(0.04 * there.sum())
    assert (before != after).mean() > 0.95
    assert np.corrcoef(age[there], after)[0, 1] > 0.9
    assert result.figures["values_swapped"] > 0.95 * (3000 + there.sum())


def test_near_partners_are_pairs_drawn_evenly() -> None:
    draws = np.random.default_rng(6)
    for ranks, width in ((1, 1), (2, 1), (7, 3), (500, 20), (500, 499)):
        order = perturbing.near_partners(ranks, width, draws)
        assert (order[order] == np.arange(ranks)).all()
        assert np.abs(order - np.arange(ranks)).max() <= width
    first = [int(perturbing.near_partners(9, 4, draws)[0]) for _ in range(8000)]
    # 2,000 each expected with a deviation of 39; seven deviations are allowed.
    assert all(abs(first.count(rank) - 2000) < 272 for rank in range(1, 5))


@pytest.mark.parametrize(
    "attempt",
    [
        lambda table: pram(table, "d", keep=1.0),
        lambda table: pram(table, "d", keep=-0.1),
        lambda table: pram(table, "d", keep=0.5, towards="north"),
        lambda table: pram(table, "x", keep=0.5),
        lambda table: swap(table, ["d"], share=0),
        lambda table: swap(table, ["d"], share=1.1),
        lambda table: swap(table, ["d"], share=0.5, within=["d"]),
        lambda table: swap(table, ["nothing"], share=0.5),
        lambda table: rank_swap(table, ["d"], window=0.1),
        lambda table: rank_swap(table, ["x"], window=0),
        lambda table: rank_swap(table, ["x"], window=1.5),
    ],
)
def test_what_cannot_be_done_is_refused(attempt) -> None:
    with pytest.raises(BadTransform):
        attempt(pv.open_table(pa.table({"d": ["a", "b"], "x": [1.0, 2.0]})))
