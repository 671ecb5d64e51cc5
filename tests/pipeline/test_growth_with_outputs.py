"""What is done with a folder of outputs costs in proportion to them: calls are counted, at three sizes, and no time is taken."""

import datetime
import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from pydantic import TypeAdapter
from tests.app.doors import inside
from tests.pipeline.hospital import project

import privet
from privet.dataset import make_signing_key
from privet.pipeline import read_policy, remove_expired, run

SIZES = (8, 16, 24)
READER = "a reader of records"
OURS = str(Path(privet.__file__).parent)


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Counter[str]]]:
    """How often each function was called, in each act, at each size."""
    run(policy_of(2, tmp_path_factory.mktemp("warm")))  # what is imported or made once is not counted
    found: dict[str, list[Counter[str]]] = {}
    for size in SIZES:
        for name, act in acts(size, tmp_path_factory.mktemp(f"of{size}")):
            found.setdefault(name, []).append(counted(act))
    return found


def policy_of(size: int, folder: Path) -> Path:
    steps = "".join(
        f"  - {{do: release, purpose: planning, name: q{at}, epsilon: 0.001, "
        f"sql: 'SELECT COUNT(*) AS n FROM stays WHERE days > {at} AND days < {at + 20}'}}\n"
        for at in range(10, 10 + size)
    )
    policy = project(folder, steps)
    make_signing_key(folder)
    return policy


def acts(size: int, folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    policy = policy_of(size, folder)
    run(policy)
    out, keys, ledger = folder / "out", folder / "privet.signing/keys.json", folder / "stays.ledger"

    def command(*words: str) -> Callable[[], object]:
        def given() -> None:
            assert inside(*words).code == 0

        return given

    yield "verify", command("verify", str(out), "--key", str(keys), "--ledger", str(ledger))
    yield "run again", lambda: run(policy)
    yield "gc", command("gc", "--policy", str(policy))
    end = datetime.date(9999, 12, 31)
    yield "gc of everything", lambda: remove_expired(out, read_policy(policy)[0], end)
    assert not list((out / "public").glob("q*"))


def counted(act: Callable[[], object]) -> Counter[str]:
    """Calls of our functions, and calls that our functions make of built-in ones (searches, reads), by name."""
    found: Counter[str] = Counter()

    def seen(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event in ("call", "c_call") and code.co_filename.startswith(OURS):
            called = getattr(argument, "__qualname__", "") if event == "c_call" else ""
            found[f"{code.co_filename[len(OURS) :]}:{code.co_qualname} {called}"] += 1
        elif event == "call" and code is TypeAdapter.__init__.__code__:
            found[READER] += 1

    before = sys.getprofile()
    gc.collect()
    gc.disable()  # what earlier acts left is not cleared away within this one
    sys.setprofile(seen)
    try:
        act()
    finally:
        sys.setprofile(before)
        gc.enable()
    return found


@pytest.mark.parametrize("act", ["verify", "run again", "gc", "gc of everything"])
def test_calls_grow_no_faster_than_outputs(counts: dict[str, list[Counter[str]]], act: str) -> None:
    small, middle, large = counts[act]
    faster = {
        name: (small[name], middle[name], calls)
        for name, calls in large.items()
        if name != READER and (calls - middle[name]) - (middle[name] - small[name]) > max(5, 0.05 * calls)
    }
    assert not faster
    assert sum(large.values()) > 1_000  # something was counted


def test_a_journal_is_read_a_few_times_however_long_it_is(counts: dict[str, list[Counter[str]]]) -> None:
    readings = "/pipeline/_run_journal.py:RunJournal.__init__ "
    assert [[one[readings] for one in counts[act]] for act in ("run again", "gc", "gc of everything")] == [
        [3, 3, 3],
        [2, 2, 2],
        [2, 2, 2],
    ]


def test_what_reads_records_is_made_once(counts: dict[str, list[Counter[str]]]) -> None:
    """Building a reader of a record costs more than reading a hundred records with it."""
    # Those of functions that are called for the first time, however many outputs there are.
    assert max(one[READER] for sizes in counts.values() for one in sizes) < 16
    assert all(large[READER] <= small[READER] for small, _, large in counts.values())
