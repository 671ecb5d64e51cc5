"""`privet attack` from inside: verdicts, limits, exit codes, reports."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from tests.app.doors import inside, listing


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table of people, others like them, and two synthetic ones: a copy, and one that is unrelated."""
    place = tmp_path_factory.mktemp("attack")
    for name, seed in (("members", 1), ("control", 2), ("unrelated", 3)):
        draw = np.random.default_rng(seed)
        table = pa.table({f"c{at}": draw.normal(size=120).round(6) for at in range(4)})
        pyarrow.csv.write_csv(table, place / f"{name}.csv")
        if name == "members":
            pyarrow.csv.write_csv(table, place / "copy.csv")
    return place


def attack(folder, thing, *more):
    given = ("--members", "members.csv", "--control", "control.csv", "--attack", "exact-match")
    return inside("attack", thing, *given, *more, cwd=folder)


def test_a_copy_beats_a_limit_and_a_stranger_does_not(folder) -> None:
    beaten = attack(folder, "copy.csv", "--limit", "exact-match=0.05", "--json", "-o", "report.html")
    assert beaten.code == 6
    record = beaten.json()
    assert record["exceeded"]
    assert record["estimates"][0]["attack"] == "exact-match"
    page = (folder / "report.html").read_text()
    assert "exact-match" in page
    assert "<script" not in page
    kept = attack(folder, "unrelated.csv", "--limit", "exact-match=0.05", "-o", "report.json")
    assert kept.code == 0, kept.err
    assert kept.out.startswith("exact-match\t")
    assert json.loads((folder / "report.json").read_text())["artifact"] == "attack-report"


def test_people_read_why_it_failed(folder) -> None:
    said = attack(folder, "copy.csv", "--limit", "exact-match=0.05")
    assert said.code == 6
    assert "E-ATTACK-003" in said.err
    assert "above the limit of 0.05" in " ".join(said.err.split())


def test_all_attacks_are_listed(folder) -> None:
    said = inside("attack", "--list", "--json")
    names = {one["name"]: one for one in said.json()["attacks"]}
    assert {"membership-lira", "exact-match", "reconstruction", "falsifier", "noise-scale"} <= set(names)
    assert names["membership-loss"]["needs"] == ["members", "control"]
    assert "on a training run" in inside("attack", "--list").err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), "E-GENERAL-003"),
        (("nothing.csv",), "E-ATTACK-001"),
        (("copy.csv",), "E-ATTACK-001"),
        (("copy.csv", "--limit", "exact-match"), "E-GENERAL-003"),
        (("copy.csv", "--set", "label"), "E-GENERAL-003"),
        (("copy.csv", "-o", "report.txt"), "E-GENERAL-003"),
        (("copy.csv", "-o", "nowhere/report.html"), "E-GENERAL-003"),
        (("copy.csv", "--attack", "nonsense"), "E-ATTACK-001"),
    ],
)
def test_refusals_come_before_the_work(folder, arguments, code) -> None:
    before = listing(folder)
    said = inside("attack", *arguments, "--json", cwd=folder)
    assert said.code == 2
    assert said.json()["error"]["code"] == code
    assert listing(folder) == before
