"""`privet collect serve` refuses before it listens; `privet collect export` writes what a store holds."""

import json

from tests.app.doors import inside

import privet as pv
from privet.engine import report_store

EMOJI = pv.Collection("emoji", pv.OneOf(["a", "b", "c"]), pv.LocalDP(2), "grr")


def test_export_writes_lines_that_can_be_estimated(tmp_path) -> None:
    store = report_store(str(tmp_path / "reports.db"))
    lines = EMOJI.lines(EMOJI.randomize(["a"] * 50))
    store.put([(f"{number:032x}", line) for number, line in enumerate(lines)], {})
    out = tmp_path / "reports.jsonl"
    said = inside("collect", "export", str(out), "--store", str(tmp_path / "reports.db"), "--json")
    assert json.loads(said.out)["reports"] == 50
    assert out.read_text().splitlines() == lines


def test_a_store_of_another_specification_and_a_password_on_the_command_line_are_refused(tmp_path) -> None:
    EMOJI.save(tmp_path / "spec.json")
    report_store(str(tmp_path / "reports.db")).begin("another")
    key = str(tmp_path / "k")
    said = inside(
        "collect", "serve", str(tmp_path / "spec.json"), "--store", str(tmp_path / "reports.db"), "--key", key
    )
    assert said.code != 0
    assert "E-COLLECT-006" in said.err
    said = inside(
        "collect", "serve", str(tmp_path / "spec.json"), "--store", "postgresql://a:b@h/d", "--key", key
    )
    assert said.code != 0
    assert "holds a password" in said.err
