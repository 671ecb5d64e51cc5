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


def test_a_twin_is_made_again_where_that_is_asked_for(folder) -> None:
    """From the file alone: the method, the promise and the unit are in its record."""
    stated = ("--unit", "row", "--epsilon", "50", "--delta", "1e-6", "--rows", "100", "--method", "mst")
    made = inside("synthesize", "members.csv", *stated, "-o", "twin.parquet", cwd=folder)
    assert made.code == 0, made.err
    given = ("--members", "members.csv", "--control", "control.csv", "--json")
    said = inside(
        "attack",
        "twin.parquet",
        *given,
        "--attack",
        "membership-shadow-twins",
        "--set",
        "shadows=2",
        cwd=folder,
    )
    assert said.code == 0, said.err
    (one,) = said.json()["estimates"]
    assert (one["attack"], one["details"]["shadows"]) == ("membership-shadow-twins", 2)
    assert one["promise"] is not None
    # Rows of a CSV file do not say how they were made.
    refused = inside("attack", "copy.csv", *given, "--attack", "membership-shadow-twins", cwd=folder)
    assert refused.code == 2
    assert "recipe" in json.dumps(refused.json()["error"])


def test_a_specification_is_attacked_as_its_client(tmp_path) -> None:
    import privet as pv

    pv.Collection("asked", pv.OneOf(["a", "b", "c"]), pv.LocalDP(2), "grr").save(tmp_path / "spec.json")
    few = ("--set", "draws=600", "--set", "reports=2")
    said = inside("attack", "spec.json", *few, "--json", cwd=tmp_path)
    found = {one["attack"]: one for one in said.json()["estimates"]}
    assert set(found) == {"local-epsilon", "poisoning", "pool-inference", "report-averaging"}
    assert found["local-epsilon"]["bound"] == 4
    broken = ("--attack", "local-epsilon", "--set", "draws=4000", "--epsilon", "0.5", "-o", "page.html")
    assert inside("attack", "spec.json", *broken, "--json", cwd=tmp_path).code == 6
    assert "Content-Security-Policy" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_several_specifications_are_attacked_together(tmp_path) -> None:
    import privet as pv

    for name in ("a", "b"):
        pv.Collection(name, pv.OneOf(["x", "y"]), pv.LocalDP(1)).save(tmp_path / f"{name}.json")
    pyarrow.csv.write_csv(pa.table({"a": ["x", "y"] * 50, "b": ["x", "y"] * 50}), tmp_path / "rows.csv")
    said = inside("attack", "a.json,b.json", "--members", "rows.csv", "--json", cwd=tmp_path)
    assert [one["attack"] for one in said.json()["estimates"]] == ["attribute-correlation"]


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


ARCHITECTURE = """
from torch import nn


def ward():
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))
"""


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """The folder of a network, the rows it was trained on and others, and the module that makes the architecture."""
    pytest.importorskip("torch")
    from tests.protect.train.gradients.networks import CLASSES, trained
    from tests.protect.train.gradients.runs import data

    place, columns = tmp_path_factory.mktemp("network"), [f"x{at}" for at in range(6)]
    trained().save(place / "net", target="ward", classes=CLASSES, columns=columns)
    (place / "wards_of_this_test.py").write_text(ARCHITECTURE, encoding="utf-8")
    for name, seed in (("members", 0), ("control", 1)):
        x, y = data(seed=seed)
        table = pa.table({column: x[:, at].numpy() for at, column in enumerate(columns)})
        wards = [CLASSES[code] for code in y.tolist()]
        pyarrow.csv.write_csv(table.append_column("ward", pa.array(wards)), place / f"{name}.csv")
    return place


def test_a_network_is_attacked_in_the_architecture_that_is_named(network) -> None:
    given = ("--members", "members.csv", "--control", "control.csv", "--attack", "membership-loss", "--json")
    found = inside("attack", "net", *given, "--architecture", "wards_of_this_test:ward", cwd=network)
    assert found.code == 0, found.err
    assert found.json()["estimates"][0]["attack"] == "membership-loss"
    without = inside("attack", "net", *given, cwd=network)
    assert without.code != 0
    assert "--architecture module:name" in without.out


@pytest.mark.parametrize(
    "name", ["ward", ":ward", "wards_of_this_test:", "wards_of_this_test:other", "no_such:ward"]
)
def test_an_architecture_that_is_not_there_is_refused(network, name) -> None:
    given = ("--members", "members.csv", "--control", "control.csv", "--architecture", name)
    found = inside("attack", "net", *given, cwd=network)
    assert found.code == 2
    assert "E-GENERAL-003" in found.err
