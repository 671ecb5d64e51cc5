"""Booked before a row is counted, stored before a row is made, and never drawn twice for one booking."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.protect.synthesize.people import table

import privet as pv
from privet.protect._exactly_once import Booking
from privet.protect.synthesize import _marginal_synthesis as runs
from privet.protect.synthesize import planned_twin

PROMISE = pv.ApproxDP(4, 1e-6)


def plan(folder):
    return planned_twin(table(place=folder / "rows.parquet"), PROMISE, accounting="basic", method="mst")


def spends(ledger):
    return [entry for entry in ledger.history() if entry.kind == "spend"]


def test_one_booking_pays_for_a_run_and_its_repetition_is_free(ledger, tmp_path) -> None:
    first = runs.measured_under(plan(tmp_path), Booking(ledger, "a twin"))
    second = runs.measured_under(plan(tmp_path), Booking(ledger, "a twin"))
    assert first.to_bytes() == second.to_bytes()
    assert len(spends(ledger)) == 1
    again = runs.measured_under(plan(tmp_path), Booking(ledger, "a twin", again=True))
    assert again.measured[0].counts.tolist() != first.measured[0].counts.tolist()
    assert len(spends(ledger)) == 2


def test_it_is_booked_before_a_row_is_counted(ledger, tmp_path, monkeypatch) -> None:
    seen = []
    real = runs.prepare_marginals

    def watched(*arguments):
        compute = real(*arguments)

        def counting():
            seen.append(len(spends(ledger)))
            return compute()

        return counting

    monkeypatch.setattr(runs, "prepare_marginals", watched)
    runs.measured_under(plan(tmp_path), Booking(ledger, "a twin"))
    assert seen == [1]


@pytest.mark.usefixtures("no_noise")
def test_the_rows_kept_of_a_person_are_what_is_counted(ledger, tmp_path) -> None:
    found = runs.measured_under(plan(tmp_path), Booking(ledger, "a twin"))
    assert all(int(one.counts.sum()) == 2000 for one in found.measured)


def test_a_run_that_was_killed_is_taken_up_at_no_further_cost(tmp_path) -> None:
    """kill -9 between booking and storing: the next run pays nothing, and nothing of the first was ever written."""
    program = f"""
import os, signal
from pathlib import Path
import privet as pv
from privet.protect.synthesize import _marginal_synthesis as runs
from tests.protect.synthesize.test_marginal_synthesis import plan, Booking
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
runs.Transcript.to_bytes = die
with pv.Ledger({str(tmp_path / "one.ledger")!r}, limit=pv.ApproxDP(4, 1e-6)) as book:
    runs.measured_under(plan(Path({str(tmp_path)!r})), Booking(book, "a twin"))
"""
    top = Path(__file__).resolve().parents[3]
    room = {**os.environ, "PYTHONPATH": os.pathsep.join([str(top / "src"), str(top)])}
    killed = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=room, check=False)
    assert killed.returncode == -signal.SIGKILL
    with pv.Ledger(tmp_path / "one.ledger", limit=pv.ApproxDP(4, 1e-6)) as book:
        assert len(spends(book)) == 1
        found = runs.measured_under(plan(tmp_path), Booking(book, "a twin"))
        assert len(spends(book)) == 1
        assert runs.row_source(found)(10, np.random.default_rng(0)).shape == (10, 5)
    assert {path.name.split(".")[0] for path in tmp_path.iterdir()} == {"one", "rows"}


def test_a_failure_after_the_booking_is_the_owners_alone(ledger, tmp_path, monkeypatch) -> None:
    """Votes that cannot be counted are those of no rows, with noise; the log says so, and the twin comes out."""
    from privet.engine import _row_tallies as tallies

    def broken(*_):
        raise ValueError("a value of the table")

    monkeypatch.setattr(tallies, "coded_rows", broken)
    asked = planned_twin(table(place=tmp_path / "rows.parquet"), PROMISE, accounting="basic", method="evolve")
    found = runs.measured_under(asked, Booking(ledger, "a twin"))
    assert found.population is not None
    assert ledger.incidents()
    assert not any("value of" in str(one) for one in ledger.incidents())


def test_rows_of_the_target_alone_evolve_too(tmp_path) -> None:
    """What was booked is not lost where the target is the only column: stated so, or because noise left no other."""
    import pyarrow as pa

    rows = pa.table({"id": [f"p{at}" for at in range(60)], "ill": ["yes", "no", "no"] * 20})
    ill = pv.open_table(rows, unit=pv.Person("id", max_rows=1), keys={"ill": ["yes", "no"]}, version="1")
    with pv.Ledger(tmp_path / "ill.ledger", limit=pv.ZeroConcentratedDP(50)) as book:
        twin = pv.synthesize(
            ill, pv.ZeroConcentratedDP(5), method="evolve", workload="ill", rows=20, ledger=book, why="a test"
        )
    assert twin.rows == 20
