"""The verb: a bare file, whose unit is never guessed; names of columns decide which are surrogates."""

import json
from pathlib import Path
from typing import Any

import pyarrow.csv
import pytest
from tests.protect.synthesize.people import rows, table

import privet as pv
from privet.dataset import Seen
from privet.errors import BadSynthesis, UnitNotStated
from privet.verbs import Request, SynthesizeVerb, VerbWork, carried_out
from privet.verbs._attack_verb import AttackOptions, AttackVerb
from privet.verbs._verb import Bound, Earlier


def asked(tmp_path: Path, unit: str | None = "person", **more: object) -> Request:
    place = tmp_path / "rows.csv"
    pyarrow.csv.write_csv(rows(600).drop_columns(["note"]), place)
    verb = SynthesizeVerb()
    options = verb.options.model_validate(
        {"epsilon": 3, "delta": "1e-6", "rows": 40, "method": "mst", **more}
    )
    return Request(str(place), options, unit=unit)


def test_a_bare_file_gets_a_twin(tmp_path: Path) -> None:
    out = tmp_path / "twin.parquet"
    done = carried_out(SynthesizeVerb(), asked(tmp_path), to=out)
    assert done.facts["rows"] == 40
    assert done.promise == pv.ApproxDP(3, "1e-6")
    twin = SynthesizeVerb().load(out)
    assert twin.to_arrow().num_rows == 40
    assert any("Surrogates" in note and "name" in note for note in twin.notes)


def test_schemas_targets_and_workloads_are_taken(tmp_path: Path) -> None:
    (tmp_path / "schema.yaml").write_text(
        "columns:\n  age: {kind: number, lower: 0, upper: 99}\n  back: {kind: category, values: ['false', 'true']}\n",
        encoding="utf-8",
    )
    request = asked(tmp_path, schema=str(tmp_path / "schema.yaml"), workload=["age+back"])
    done = carried_out(SynthesizeVerb(), request, to=tmp_path / "twin.csv")
    assert set(done.facts["columns"]) == {"age", "back"}


def test_what_is_wrong_is_refused_before_a_ledger_is_made(tmp_path: Path) -> None:
    with pytest.raises(UnitNotStated):
        carried_out(SynthesizeVerb(), asked(tmp_path, unit=None), to=tmp_path / "twin.csv")
    with pytest.raises(BadSynthesis):
        carried_out(SynthesizeVerb(), asked(tmp_path, target="aged"), to=tmp_path / "twin.csv")
    assert {path.name for path in tmp_path.iterdir()} == {"rows.csv"}


@pytest.mark.parametrize("name", ["twin.parquet", "twin.csv", "twin.jsonl"])
def test_a_policy_attacks_the_twin_that_a_step_made(tmp_path: Path, name: str) -> None:
    """The people kept apart are the control; the twin's promise is what the attacks are held against."""
    verb, out = SynthesizeVerb(), tmp_path / name
    request = asked(tmp_path)
    carried_out(verb, request, to=out)
    used = table(400)
    kept_apart = table(400, seed=5)
    columns = ("person", "name", "ward", "age", "back")
    step = Bound(0, "twin", verb, request.options, "use", None, name, "", columns)  # type: ignore[arg-type]
    (found,) = verb.exposed(step, out, Seen(used, kept_apart, columns, (), ""), tmp_path)
    report = pv.attack(
        found.thing,
        members=found.members,
        control=found.control,
        promise=found.promise,
        attacks=["exact-match", "membership-density"],
        repeats=1,
        **found.settings,
    )
    assert {one.attack for one in report} == {"exact-match", "membership-density"}
    assert all(one.promise == pv.ApproxDP(3, "1e-6") for one in report)
    assert not {"person", "name"} & set(found.settings.get("columns", ()))
    recipe = found.recipe()
    assert (recipe is None) == (name != "twin.parquet"), "rows without a record do not say how they were made"
    assert recipe is None or (recipe.method, recipe.unit) == ("mst", used.unit)


def test_a_step_of_a_policy_makes_the_twin_again_where_it_is_asked_to(tmp_path: Path) -> None:
    verb, out = SynthesizeVerb(), tmp_path / "twin.parquet"
    request = asked(tmp_path)
    carried_out(verb, request, to=out)
    columns = ("person", "ward", "age", "back")
    step = Bound(0, "twin", verb, request.options, "use", None, "twin.parquet", "", columns)  # type: ignore[arg-type]
    seen = Seen(table(80), table(80, seed=5), columns, (), "")

    def found(**options: object) -> dict[str, Any]:
        work = VerbWork(
            AttackOptions(of="twin", **options), None, None, tmp_path / "report.json", "", name="look",
            earlier={"twin": Earlier(lambda: verb.exposed(step, out, seen, tmp_path))},
        )  # fmt: skip
        AttackVerb().run(work)
        return json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))

    asked_for = found(attacks=["membership-shadow-twins"], settings={"shadows": 2})
    (one,) = asked_for["estimates"]
    assert one["attack"] == "membership-shadow-twins"
    assert one["details"]["shadows"] == 2
    assert one["bound"] is not None
    left_out = found(settings={"repeats": 1, "guesses": 30})["left_out"]
    assert any("membership-shadow-twins makes the twin again" in said for said in left_out)
