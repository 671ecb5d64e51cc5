"""A slice of `bench.reader_fuzz`: every format, bent from a fixed seed, is read or refused and nothing else."""

from pathlib import Path

import pytest
from tests.conformance import mutated_files as made

from privet.engine import _process_isolation as isolation
from privet.engine import _reader_process as reader

RECORDS = ("plan", "journal", "run record", "answer", "model", "weights")
FILES = {"keys": 60} | dict.fromkeys((*made.TABLES, *RECORDS), 25)


@pytest.mark.parametrize("form", made.SEEDS)
def test_the_seed_is_read(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "bent", lambda form, _: made.seed_of(form))
    assert made.met(form, 0, tmp_path) == "read"


@pytest.mark.parametrize("form", made.SEEDS)
def test_what_is_bent_is_read_or_refused(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(reader.VARIABLE, "off")  # the parsers themselves, where it is fast
    became = [made.met(form, number, tmp_path) for number in range(FILES.get(form, 300))]
    assert [one for one in became if one.startswith("FAULT")] == []
    # Some are read, or refused for different reasons; weights are held against a digest before they are parsed.
    assert len(set(became)) > 1 or form == "weights"


@pytest.mark.skipif(not isolation.offered().complete, reason="this system offers no Landlock or seccomp")
@pytest.mark.parametrize("form", made.TABLES)
def test_the_process_without_rights_changes_no_outcome(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Which of several faults of a file is met first depends on the engine's threads; whether it is read does not.
    there = [made.met(form, number, tmp_path) == "read" for number in range(8)]
    monkeypatch.setenv(reader.VARIABLE, "off")
    assert there == [made.met(form, number, tmp_path) == "read" for number in range(8)]


def test_a_finding_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def told(path: Path) -> None:
        raise ValueError(path.name)

    monkeypatch.setitem(made._READ, "csv", told)
    assert made.met("csv", 0, tmp_path).startswith("FAULT ValueError")
