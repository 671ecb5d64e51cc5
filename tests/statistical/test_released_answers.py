"""Whole releases under attack: no claim can be disproved, broken ones are, and error bars cover what they say.

Each false-alarm rate is at most 1e-6: accusations are made at 1e-7, and coverage is measured over so many
values that 0.93 to 0.97 is more than six standard deviations wide on each side.
"""

import uuid

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.hospital import open_stays, stays

import privet as pv
from privet.attacks._attack_scores import lower_rate
from privet.attacks.dp_audit._falsifier import epsilon_shown, laplace_score
from privet.engine._sealed_aggregates import aggregate
from privet.guarantee._basic_composition import pure_cost
from privet.guarantee._events import Repeated, ThresholdedKeys, TruncatedKeys
from privet.mechanism import _opendp_samplers as sampling
from privet.protect.query._release_run import noised
from privet.protect.query.noise_plan import make_plan

DRAWS = 2_500


@pytest.fixture
def book(tmp_path):
    """The folder that the ledgers of a test lie in."""
    return tmp_path


def _draws(query, promise, book, times=DRAWS, selection=None):
    """The exact groups from the engine once, then the release's own noise many times over."""
    plan = make_plan(query, promise, accounting="basic", selection=selection)
    groups = aggregate(
        query.relation(),
        keys=query.keys,
        public_keys=query.public_keys(),
        measures=plan.measures,
        contribution=plan.contribution,
    )
    permits = _permits(plan.event, query.table.unit, book, times)
    return plan, groups, [noised(plan, groups, permit) for permit in permits]


def _permits(event, unit, folder, times):
    """So many permits, from as many ledgers as it takes: a large delta fills one after a few draws."""
    each = times if pure_cost(event).delta < 1e-5 else 15
    for number in range(0, times, each):
        where = folder / f"{uuid.uuid4()}.ledger"
        with pv.Ledger(where, limit=pv.ApproxDP(10**8, "0.9")) as ledger:
            yield from ledger.charge(
                Repeated(event, min(each, times - number)), why="test", unit=unit
            ).parts()


def _neighbours(**how):
    """The table, and the table without the one person who is everywhere."""
    return open_stays(**how), open_stays(stays().filter(pa.compute.not_equal(stays()["id"], 7)), **how)


def _known_keys(book):
    def query(table):
        return table.group_by("ward").agg(n=pv.count(), cost=pv.sum("cost"))

    (plan, here, ours), (_, there, theirs) = (
        _draws(query(table), pv.PureDP(1), book) for table in _neighbours()
    )
    names = list(plan.noise)
    scales = np.concatenate([np.full(len(here.answers[n]), float(plan.noise[n].scale)) for n in names])
    first, second = (
        np.array([np.concatenate([noisy[n] for n in names]) for _, noisy in draws])
        for draws in (ours, theirs)
    )
    exact = [np.concatenate([groups.answers[n]._exact for n in names]) for groups in (here, there)]
    return epsilon_shown(laplace_score(first, *exact, scales), laplace_score(second, *exact, scales))


def test_no_loss_above_the_claim_with_known_keys(book):
    assert _known_keys(book) <= 1.0


def test_half_the_noise_is_found_out_with_known_keys(book, monkeypatch):
    real = sampling.draw_discrete_laplace
    monkeypatch.setattr(sampling, "draw_discrete_laplace", lambda n, scale: real(n, scale / 2))
    assert _known_keys_tight(book) > 1.0


def _known_keys_tight(book):
    """The same attack where the person uses the whole allowance: one group, one row, at the bound."""
    table = pa.table({"id": list(range(50)), "x": [1.0] * 50})
    tables = [
        pv.open_table(part, unit=pv.Person("id", max_rows=1), name="t") for part in (table, table.slice(1))
    ]
    (plan, here, ours), (_, there, theirs) = (_draws(t.agg(n=pv.count()), pv.PureDP(1), book) for t in tables)
    first, second = (np.array([noisy["rows"] for _, noisy in draws]) for draws in (ours, theirs))
    exact = [groups.answers["rows"]._exact for groups in (here, there)]
    scales = np.full(1, float(plan.noise["rows"].scale))
    return epsilon_shown(laplace_score(first, *exact, scales), laplace_score(second, *exact, scales))


def test_the_attack_has_power_and_the_right_noise_survives_it(book):
    assert 0.6 < _known_keys_tight(book) <= 1.0


both_selections = pytest.mark.parametrize("selection", ["truncated", "thresholded"])


def _at_least(hits):
    """A lower bound on a probability, wrong once in ten million times."""
    return lower_rate(int(hits.sum()), len(hits), 1e-7)


def _lone_key_shown(book, delta, selection):
    """How often a group is shown that one person alone is in: delta is all that stands before it."""
    table = pa.table({"id": list(range(101)), "g": ["many"] * 100 + ["lone"]})
    opened = pv.open_table(table, unit=pv.Person("id", max_rows=1, max_groups=1), name="t")
    question = opened.group_by("g").agg(who=pv.persons())
    _, _, draws = _draws(question, pv.ApproxDP(1, delta), book, selection=selection)
    return np.array(["lone" in keys["g"] for keys, _ in draws])


@both_selections
def test_a_lone_key_is_shown_no_more_often_than_delta(book, selection):
    assert _at_least(_lone_key_shown(book, 0.05, selection)) <= 0.05


def test_a_threshold_that_is_too_low_is_found_out(book, monkeypatch):
    from privet.mechanism import _thresholded_keys as thresholding

    monkeypatch.setattr(thresholding, "drawn_threshold", lambda event, scale: event.threshold - 2)
    assert _at_least(_lone_key_shown(book, 0.05, "thresholded")) > 0.05


def test_noise_that_is_cut_off_too_late_is_found_out(book, monkeypatch):
    from privet.mechanism import _truncated_keys as truncating

    real = truncating.draw_truncated
    monkeypatch.setattr(truncating, "draw_truncated", lambda n, scale, bound: real(n, 2 * scale, bound + 9))
    assert _at_least(_lone_key_shown(book, 0.05, "truncated")) > 0.05


def _lone_rows_shown(book, delta, **asked):
    """The same by rows: a person alone in a group, with all the rows that may count there."""
    table = pa.table(
        {"id": list(range(100)) + [100] * 4, "g": ["many"] * 100 + ["lone"] * 4, "x": [9.0] * 104}
    )
    unit = pv.Person("id", max_rows=4, max_groups=1)
    opened = pv.open_table(table, unit=unit, bounds={"x": (0, 10)}, name="t")
    plan, _, draws = _draws(opened.group_by("g").agg(**asked), pv.ApproxDP(1, delta), book, selection="rows")
    (event,) = plan.noise.values()
    return event, np.array(["lone" in keys["g"] for keys, _ in draws])


by_rows = pytest.mark.parametrize(
    ("asked", "parts"), [({"n": pv.count()}, 1), ({"m": pv.mean("x")}, 2)], ids=["rows", "distances"]
)


@by_rows
def test_a_lone_key_of_many_rows_is_shown_no_more_often_than_delta(book, asked, parts):
    event, hits = _lone_rows_shown(book, 0.05, **asked)
    assert event.parts == parts
    assert _at_least(hits) <= 0.05


@by_rows
def test_a_threshold_that_overlooks_the_rows_of_a_person_is_found_out(book, monkeypatch, asked, parts):
    from privet.mechanism import _thresholded_keys as thresholding

    wrong = 2 * parts  # times the reach too low: as if one person added little or nothing
    monkeypatch.setattr(
        thresholding, "drawn_threshold", lambda event, scale: event.threshold - wrong * event.reach
    )
    assert _at_least(_lone_rows_shown(book, 0.05, **asked)[1]) > 0.05


def _distances_tight(book):
    """One person removed who moves both distances as far as a person can: one row, at the bound."""
    table = pa.table({"id": list(range(50)), "x": [1.0] * 50})
    tables = [
        pv.open_table(part, unit=pv.Person("id", max_rows=1), bounds={"x": (0, 1)}, name="t")
        for part in (table, table.slice(1))
    ]
    (plan, here, ours), (_, there, theirs) = (
        _draws(t.agg(m=pv.mean("x")), pv.PureDP(1), book) for t in tables
    )
    ((name, event),) = plan.noise.items()
    first, second = (np.array([noisy[name] for _, noisy in draws]) for draws in (ours, theirs))
    exact = [groups.answers[name]._exact for groups in (here, there)]
    scales = np.full(2, float(event.scale))
    return epsilon_shown(laplace_score(first, *exact, scales), laplace_score(second, *exact, scales))


def test_no_loss_above_the_claim_of_two_distances_together(book):
    assert _distances_tight(book) <= 1.0


def test_half_the_noise_on_distances_is_found_out(book, monkeypatch):
    real = sampling.draw_discrete_laplace
    monkeypatch.setattr(sampling, "draw_discrete_laplace", lambda n, scale: real(n, scale / 2))
    assert _distances_tight(book) > 1.0


@both_selections
def test_no_loss_above_the_claim_with_unknown_keys(book, selection):
    assert _unknown_keys(book, selection) <= 1.0


@both_selections
def test_half_the_noise_is_found_out_with_unknown_keys(book, monkeypatch, selection):
    real = sampling.draw_discrete_laplace
    monkeypatch.setattr(sampling, "draw_discrete_laplace", lambda n, scale: real(n, scale / 2))
    assert _unknown_keys(book, selection) > 1.0


def _unknown_keys(book, selection):
    """One person of a large group removed: her group is shown either way, and its noisy size gives her away or not."""
    table = pa.table({"id": list(range(400)), "g": ["a"] * 400})
    unit = pv.Person("id", max_rows=1, max_groups=1)
    tables = [pv.open_table(part, unit=unit, name="t") for part in (table, table.slice(1))]
    results = [
        _draws(t.group_by("g").agg(who=pv.persons()), pv.ApproxDP(1, 1e-6), book, selection=selection)
        for t in tables
    ]
    expected = ThresholdedKeys if selection == "thresholded" else TruncatedKeys
    assert isinstance(results[0][0].noise["persons"], expected)
    first, second = (np.array([noisy["persons"][:1] for _, noisy in draws]) for _, _, draws in results)
    scale = np.array([float(results[0][0].noise["persons"].scale)])
    exact = np.array([400]), np.array([399])
    return epsilon_shown(
        laplace_score(first, *exact, scale), laplace_score(second, *exact, scale), delta=1e-6
    )


@pytest.mark.parametrize("promise", [pv.PureDP(2), pv.ApproxDP(2, 1e-6)], ids=["pure", "approximate"])
@pytest.mark.parametrize("many", [False, True], ids=["laplace", "gaussian"])
def test_error_bars_cover_what_they_say(book, promise, many):
    """95% intervals hold the bounded exact answer 93% to 97% of the time, for every aggregate."""
    if many and isinstance(promise, pv.PureDP):
        pytest.skip("pure promises have no Gaussian noise")
    draw = np.random.default_rng(5)
    groups, persons = 25, 20_000
    ids = np.arange(persons)
    table = pa.table(
        {"id": ids, "g": ids % groups, "x": draw.uniform(0, 10, persons), "y": draw.uniform(20, 50, persons)}
    )
    opened = pv.open_table(
        table,
        unit=pv.Person("id", max_rows=1, max_groups=1),
        bounds={"x": (0, 10), "y": (0, 50)},
        keys={"g": range(groups)},
    )
    aggregates = {
        "n": pv.count(),
        "who": pv.persons(),
        "x": pv.mean("x"),
        "y": pv.sum("y"),
        "x2": pv.sum("x"),
        "xs": pv.count("x"),
    }
    if many:
        aggregates |= {f"z{i}": pv.sum("y", bounds=(0, 60 + i)) for i in range(18)}
    plan, _, draws = _draws(opened.group_by("g").agg(**aggregates), promise, book, times=250)
    truth = _truth(table, groups)
    for reading in plan.readings[:6]:
        inside = []
        for _, noisy in draws:
            (answer,) = reading.read(noisy, plan.noise, 0.95).answers
            inside += [
                low <= exact <= high
                for low, exact, high in zip(answer.low, truth[reading.name], answer.high, strict=True)
            ]
        assert 0.93 <= np.mean(inside) <= 0.97, (reading.name, np.mean(inside))


def _truth(table, groups):
    g, x, y = (np.asarray(table[name]) for name in "gxy")
    counts = np.bincount(g, minlength=groups)
    sums = {name: np.bincount(g, weights=values, minlength=groups) for name, values in (("x", x), ("y", y))}
    return {
        "n": counts,
        "who": counts,
        "x": sums["x"] / counts,
        "y": sums["y"],
        "x2": sums["x"],
        "xs": counts,
    }
