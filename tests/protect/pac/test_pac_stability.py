"""Stability: the noise that a release would have, who pays for it, and advice that follows from what was measured."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.pac.people import means, people

import privet as pv
from privet.errors import BadFunction, BadUsage

COLUMNS = ["age", "cost"]


def measured(function=means, table=None, columns=COLUMNS, worlds=32, said=None, **more) -> pv.PacStability:
    rows = people(200) if table is None else table
    return pv.stability(rows.apply(function, columns, **(said or {})), worlds=worlds, **more)


def test_one_number_needs_the_noise_of_the_exact_bound() -> None:
    """For one number the ratio of noise to variance is 1/(e^(2/16) - 1) = 7.51: the papers' linearised 8, solved exactly."""
    found = measured(worlds=64, columns=["age"], budgets=["1/16"])
    ratio = found.noise["0.0625"][0] ** 2 / found.spread[0] ** 2
    assert ratio == pytest.approx(1 / np.expm1(2 / 16), rel=1e-6)


def test_noise_grows_as_the_budget_falls_and_shares_add_up() -> None:
    found = measured()
    assert list(found.noise) == ["0.25", "0.0625", "0.0078125"]
    each = np.array(list(found.noise.values()))
    assert (np.diff(each, axis=0) > 0).all()
    assert sum(found.shares()) == pytest.approx(1)
    assert found.labels[found.paying()[0]] in str(found).splitlines()[4]


@pytest.mark.parametrize("basis", ["diagonal", "eigen", "balanced", np.eye(2)])
def test_it_is_the_noise_that_the_mechanism_draws(basis) -> None:
    """The same outputs, sealed: the scale that the mechanism computes for them."""
    from privet.engine import world_rows
    from privet.mechanism import _pac_gaussian as drawing
    from privet.protect.pac import WorldRows, make_pac_plan, outputs_of

    applied = people(200).apply(means, COLUMNS)
    plan = make_pac_plan(applied, pv.PacPrivacy("1/16"), worlds=32, basis=basis)
    batches = world_rows(applied.table.relation, applied.columns, applied.unit, seed="stability", worlds=32)
    rows = WorldRows.of(batches, applied.columns, applied.bounds, "numpy", 32)
    exact = plan.grid.encode(outputs_of(rows, applied.function, plan.shape, 32)[0])
    secret = drawing.SecretWorld.fresh(32)
    axes = drawing._axes(exact, secret, plan.basis)
    shared = isinstance(basis, str) and basis == "balanced"
    sigma = drawing._sigma(drawing._turned(exact, axes), secret.weights(), 1 / 16, balanced=shared)
    wanted = sigma if axes is None else np.sqrt(np.square(axes) @ np.square(sigma))
    found = pv.stability(applied, worlds=32, basis=basis, budgets=["1/16"])
    assert np.array(found.noise["0.0625"]) == pytest.approx(wanted * plan.grid.steps, rel=1e-6)


def said_of(function, **more) -> str:
    return " ".join(measured(function, **more).advice)


def test_an_order_that_changes_between_halves_is_found() -> None:
    def shuffled(rows):
        made = np.stack([rows.mean(axis=0), rows.mean(axis=0) + 1_000])
        return made[::-1] if len(rows) % 2 else made

    assert 'form="sorted"' in said_of(shuffled)
    assert "form=" not in said_of(shuffled, said={"form": "sorted"})


def test_a_sign_that_changes_between_halves_is_found() -> None:
    assert 'form="signs"' in said_of(lambda rows: rows.mean(axis=0) * (-1) ** len(rows) * [1, -1])


def test_halves_that_fail_and_numbers_that_never_move_are_told() -> None:
    def broken(rows):
        return [1 / 0, 1] if len(rows) % 2 and len(rows) < 240 else [float(rows[:, 0].mean()), 7.0]

    found = said_of(broken)
    assert "failed on" in found
    assert "leave as they are" not in found
    assert "1 of 2 numbers are the same" in said_of(lambda rows: [float(rows[:, 0].mean()), 7.0])


def test_numbers_that_move_together_are_found() -> None:
    assert 'basis="eigen"' in said_of(lambda rows: [rows[:, 0].mean()] * 20, worlds=64)


def test_one_person_who_decides_is_found_and_bounds_quieten_them() -> None:
    values = np.append(np.random.default_rng(2).normal(50, 5, 199), 100_000.0)
    rows = pa.table({"who": [f"p{at}" for at in range(200)], "cost": values})

    def table(upper: float) -> pv.Table:
        return pv.open_table(rows, unit=pv.Person("who", max_rows=1), bounds={"cost": (0, upper)})

    loud = " ".join(measured(table=table(100_000), columns=["cost"], worlds=128).advice)
    assert "One person alone explains" in loud
    few = " ".join(measured(table=table(100_000), columns=["cost"], worlds=8).advice)
    assert "alone explains" not in few  # of eight halves, chance alone explains as much
    assert "alone explains" not in " ".join(measured(table=table(80), columns=["cost"], worlds=128).advice)


def test_one_number_that_pays_for_all_is_named() -> None:
    found = said_of(lambda rows: [rows[:, 1].mean(), rows[:, 0].mean() / 1e3], said={"clip": (0, 5_000)})
    assert "[0]' the noise would be" in found


def test_it_is_the_owner_s_and_spends_nothing(tmp_path) -> None:
    found = measured()
    assert "For the owner only" in str(found)
    path = found.save(tmp_path / "a.json")
    assert path.stat().st_mode & 0o077 == 0
    assert json.loads(path.read_text())["audience"] == "owner"
    assert found.save(tmp_path / "a.svg").stat().st_mode & 0o077 == 0
    with pytest.raises(BadUsage):
        found.save(tmp_path / "a.parquet")
    with pytest.raises(BadFunction):
        measured(budgets=[])


def test_halves_of_too_few_people_are_told() -> None:
    found = measured(table=people(18))
    assert "32 of 32 halves have fewer than 20 people" in " ".join(found.advice)
    assert max(found.spread) == 0  # exact: every half gives the public output


def test_a_reader_of_a_release_is_told_what_such_halves_give() -> None:
    assert (
        "fewer than 20 people"
        in str(pv.explain(people(18).apply(means, COLUMNS), pv.PacPrivacy("1/16"))).split("Note:", 1)[1]
    )
