"""Statistics of bins from question to answer, with the noise off: right values beside right keys, and honest words."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.artifact._released_answer import ReleasedAnswer
from privet.errors import PromiseUnmeetable
from privet.mechanism import _opendp_samplers as sampling

WARDS = ["b", "a", "c"]


@pytest.fixture(scope="module")
def data():
    draw = np.random.default_rng(11)
    people = 900
    return pa.table(
        {
            "id": np.arange(people),
            "ward": np.array(WARDS)[np.minimum(draw.geometric(0.5, people), 3) - 1],
            "x": draw.gamma(2, 3, people),
            "sex": draw.choice(["f", "m"], people),
            "code": draw.integers(0, 6, people) ** 2,
        }
    )


@pytest.fixture
def still(monkeypatch):
    """No noise: zeros, and the best candidate."""
    monkeypatch.setattr(sampling, "draw_discrete_laplace", lambda n, scale: np.zeros(n, np.int64))
    monkeypatch.setattr(sampling, "draw_discrete_gaussian", lambda n, sigma: np.zeros(n, np.int64))
    monkeypatch.setattr(sampling, "draw_noisy_max", lambda scores, scale, noise: int(np.argmax(scores)))


@pytest.fixture
def ledger(tmp_path):
    with pv.Ledger(tmp_path / "d.ledger", limit=pv.ApproxDP(1000, "0.1")) as book:
        yield book


def opened(data, **more):
    return pv.open_table(
        data, unit=pv.Person("id", max_rows=1, max_groups=1), bounds={"x": (0, 40)}, name="t", **more
    )


def by_ward(data, of):
    wards = np.asarray(data["ward"])
    return {ward: of(data.filter(pa.array(wards == ward))) for ward in WARDS}


@pytest.mark.parametrize("public", [True, False], ids=["stated keys", "unknown keys"])
def test_medians_stand_beside_their_keys(data, still, ledger, public):
    table = opened(data, keys={"ward": WARDS} if public else None)
    question = table.group_by("ward").agg(n=pv.count(), m=pv.median("x", bins=4000))
    answer = pv.release(question, pv.ApproxDP(20, 1e-6), ledger=ledger, why="test")
    truth = by_ward(data, lambda part: float(np.quantile(np.asarray(part["x"]), 0.5, method="inverted_cdf")))
    sizes = by_ward(data, len)
    assert sorted(answer["ward"]) == sorted(WARDS)
    for ward, n, m, (low, high) in zip(
        answer["ward"], answer["n"], answer["m"], answer.error("m"), strict=True
    ):
        assert n == sizes[ward]
        assert m == pytest.approx(truth[ward], abs=0.02)
        assert low <= truth[ward] <= high


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


def test_under_concentrated_privacy_the_exponential_mechanism_chooses(data, tmp_path):
    table = opened(data, keys={"ward": WARDS})
    question = table.group_by("ward").agg(m=pv.median("x"))
    with pv.Ledger(tmp_path / "z.ledger", limit=pv.ZeroConcentratedDP(1)) as ledger:
        answer = pv.release(question, pv.ZeroConcentratedDP("0.5"), ledger=ledger, why="test")
        assert float(ledger.balance().remaining["rho"]) == pytest.approx(0.5, abs=1e-4)
    assert all(0 <= value <= 40 for value in answer["m"])
    assert "exponential mechanism" in str(pv.explain(question, pv.ZeroConcentratedDP("0.5")))


def test_an_explanation_says_what_is_chosen_and_what_it_is_off_by(data):
    table = opened(data, keys={"ward": WARDS})
    text = str(pv.explain(table.group_by("ward").agg(m=pv.median("x")), pv.PureDP(1)))
    assert "Choose one bin in each group by permute-and-flip of epsilon 0.9" in text
    assert "if values spread evenly over the bounds" in text
    assert "Count x in 1,000 even bins between its bounds [0, 40]" in text
    assert "enclose it with at least the stated confidence" in text
    bare = str(pv.explain(table.agg(m=pv.median("x", interval=0)), pv.PureDP(1)))
    assert "the whole range" in bare


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
