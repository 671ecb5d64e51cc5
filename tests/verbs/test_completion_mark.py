"""A training that had come to its end is not paid for again, wherever in its last calls it was killed."""

import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from tests import faults

from privet.artifact import _file_calls as calls
from privet.guarantee._promise_registry import ApproxDP
from privet.ledger import Ledger
from privet.verbs import BookingOptions, Request, RowsAsked, TrainOptions, TrainVerb
from privet.verbs import _completion_mark as marks

TRIAL = replace(
    faults.TRIALS["train"],
    arguments=(
        *("train", "stays.csv", "--target", "readmitted", "--columns", "days", "--epsilon", "1", "--delta", "1e-4"),
        *("--unit", "patient_id", "--max-rows", "1", "--model", "linear", "-o", "model"),
    ),
    makes=("model",),
)  # fmt: skip
WORK, ROWS = ".model.training", "stays.csv"


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a training was killed as soon as it had noted that all stands."""
    room = tmp_path_factory.mktemp("trained")
    folder = faults.template(room / "here", TRIAL)
    faults.warmed(TRIAL, shutil.copytree(folder, room / "whole"))

    def once_marked(_: str, size: int) -> int:
        if (folder / WORK / marks.MARK).exists() and not list((folder / WORK).glob(".*")):
            os.kill(os.getpid(), signal.SIGKILL)
        return size

    def work() -> int:
        calls._fault = once_marked
        return faults._given(TRIAL, folder).code

    assert faults.forked(work) == (-signal.SIGKILL, None)
    return folder


@pytest.fixture
def folder(ended: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy = shutil.copytree(ended, tmp_path / "here")
    monkeypatch.chdir(copy)
    monkeypatch.setenv("PRIVET_READER", "off")
    return copy


def asked(**more: object) -> Request:
    options = TrainOptions(
        target="readmitted", epsilon=1, delta="1e-4", columns=["days"], model="linear", **more
    )
    rows = RowsAsked(data=ROWS, unit="patient_id")
    return Request.of(options, rows, BookingOptions(), max_rows=1)


def found(folder: Path, request: Request | None = None) -> object:
    return marks.completed(TrainVerb(), request or asked(), folder / WORK, (Path("model"),))


def test_killed_at_any_of_its_last_calls_it_is_paid_for_once_and_gives_the_same_model(
    folder: Path, tmp_path: Path
) -> None:
    before, killed = faults.answers(TRIAL, folder), 0
    for at in range(1, 40):
        place = shutil.copytree(folder, tmp_path / str(at))
        died, _ = faults.stopped(TRIAL, place, "kill", at)
        killed += died == -signal.SIGKILL
        assert faults.gone_on(TRIAL, place) == [], at
        assert faults.answers(TRIAL, place) == before
        assert not list(place.glob(f"{WORK}/seed*"))
        if died == 0:
            break
    assert killed >= 6  # seeds, rows, name, mark
    assert died == 0


def test_what_stands_is_taken_for_the_same_request_alone(folder: Path) -> None:
    done = found(folder)
    assert done is not None
    assert done.ledger == "stays.csv.ledger"
    assert done.made.receipt == done.receipt
    assert found(folder, asked(records=1_000)) is None
    assert found(folder, replace(asked(), why="another reason")) is None
    assert found(folder, replace(asked(), ledger=str(folder / "stays.csv.ledger"))) is None


def test_rows_that_changed_since_are_another_request(folder: Path) -> None:
    with (folder / ROWS).open("a", encoding="utf-8") as file:
        file.write((folder / ROWS).read_text(encoding="utf-8").splitlines()[1] + "\n")
    assert found(folder) is None


def test_a_model_that_changed_since_is_not_taken(folder: Path) -> None:
    (folder / "model" / "card.md").write_text("another\n", encoding="utf-8")
    assert found(folder) is None


def test_a_model_that_another_ledger_paid_for_is_not_taken(folder: Path) -> None:
    for file in folder.glob("stays.csv.ledger*"):
        file.unlink()
    assert found(folder) is None
    Ledger(folder / "stays.csv.ledger", limit=ApproxDP(1, "1e-4")).close()
    assert found(folder) is None


def test_a_mark_that_cannot_be_read_is_none(folder: Path) -> None:
    (folder / WORK / marks.MARK).write_text("[" * 100_000, encoding="utf-8")
    assert found(folder) is None
    assert marks.has_completed(folder / WORK)
    marks.forget_completed(folder / WORK)
    assert not marks.has_completed(folder / WORK)
