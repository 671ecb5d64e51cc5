"""The journal: every line is held against what a line can say."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.app.test_policies import say
from tests.pipeline.hostile_ward import Capture, copied, edited, later, refused, spends, state

from privet.artifact import content_digest
from privet.errors import BadUsage
from privet.pipeline._run_journal import RunJournal, alone

# --- journals -----------------------------------------------------------------------------------


CHANGES: list[Callable[[dict[str, Any]], Any]] = [
    lambda line: line.update(what="burn"),
    lambda line: line.pop("at"),
    lambda line: line.update(more=1),
    lambda line: line.update(key="0" * 64) if "key" in line else None,
    lambda line: line.update(step="other") if "step" in line else None,
    lambda line: line["made"].update(expires="soon") if "made" in line else None,
    lambda line: line["made"].update(expires="2001-01-01") if "made" in line else None,
    lambda line: line["made"].update(recipient="everybody") if "made" in line else None,
    lambda line: line["made"].pop("digest") if "made" in line else None,
    lambda line: line.update(made=[]) if "made" in line else None,
    lambda line: line.update(record={}) if "record" in line else None,
    lambda line: line["plan"]["steps"][0].update(key="..") if line["what"] == "begun" else None,
    lambda line: line.update(plan="..") if line["what"] == "ended" else None,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda _: "")
def test_every_line_of_a_journal_is_held_against_what_it_can_say(
    prepared: Path,
    ward: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[dict[str, Any]], Any],
) -> None:
    policy = copied(prepared, "ran", ward)
    edited(ward, change)
    later(monkeypatch)
    before, booked = state(ward), spends(ward)
    for command in (("gc",), ("run",), ("erase", "10017")):
        refused(
            say(capsys, *command, "-p", str(policy), "--json"),
            "E-POLICY-007",
            "E-GUARANTEE-004",
            "E-POLICY-002",
        )
    assert state(ward) == before
    assert spends(ward) == booked


def test_a_digest_tells_contents_and_names(tmp_path):
    assert content_digest(tmp_path / "none") == ""
    (tmp_path / "f").write_text("x")
    assert (
        content_digest(tmp_path / "f") == "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    ), "SHA-256 of x"
    folders = []
    for at, (name, text) in enumerate([("a", "x"), ("b", "x"), ("a", "y")]):
        folder = tmp_path / str(at)
        folder.mkdir()
        (folder / name).write_text(text)
        folders.append(content_digest(folder))
    assert len(set(folders)) == 3


def test_a_line_that_was_cut_short_is_ended_before_the_next(tmp_path):
    (tmp_path / "owner").mkdir()
    journal = RunJournal(tmp_path)
    journal.write("removed", path="a.json", why="expired")
    with journal.path.open("ab") as file:
        file.write(b'{"what": "remo')
    again = RunJournal(tmp_path)
    assert len(again.lines) == 1
    again.write("removed", path="b.json", why="expired")
    assert [line["path"] for line in RunJournal(tmp_path).lines] == ["a.json", "b.json"]
    assert (again.begun(), again.standing(), again.facts(), again.purposes()) == (None, {}, {}, {})
    assert again.made("0" * 64) is None


def test_only_one_run_at_a_time(tmp_path):
    with alone(tmp_path / "out") as work:
        assert work.name == ".privet"
        with pytest.raises(BadUsage, match="another run is under way"), alone(tmp_path / "out"):
            pass
    with alone(tmp_path / "out"):
        pass
