"""`privet tradeoff`: standing in every output, files whole or not at all, refusals that leave nothing."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.app.doors import Said
from tests.pipeline.small_ward import rows

from privet import examples
from privet.app import _cli as cli
from privet.guarantee._promise_registry import ApproxDP
from privet.ledger import Ledger
from privet.pipeline import Sweep, TradeoffOptions
from privet.verbs import read_words, validated

FEW = ("--techniques", "train", "--epsilon", "2", "--repeats", "1")
QUICK = ("--unit", "person", "--max-rows", "3", *FEW)
SCHEMA = """\
format: privet-schema/1
confirmed: codes of the admission form
columns:
  age: {kind: number, lower: 0, upper: 120}
  back: {kind: category, values: ["false", "true"]}
"""


def say(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    """One command in this process."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        cli.main(["tradeoff", *arguments])
    said = capsys.readouterr()
    return Said(int(ended.value.code or 0), said.out, said.err)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    examples.write(tmp_path / "ward.csv", rows())
    return tmp_path


def test_record_page_and_json_agree_and_say_the_standing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = say(
        capsys,
        "ward.csv",
        "--target",
        "back",
        *QUICK,
        "--surrogate",
        "-o",
        "t.json",
        "--html",
        "t.html",
        "--json",
    )
    assert said.code == 0, said.err
    record = said.json()
    kept = json.loads((folder / "t.json").read_text())
    assert {**record, "file": None, "page": None} == {**kept, "file": None, "page": None}
    assert (record["standing"], record["unit"]) == ("surrogate", "person")
    page = (folder / "t.html").read_text()
    assert record["standing_words"] in page
    assert record["knee"]["policy_lines"].splitlines()[0] in page


@pytest.mark.parametrize(
    ("option", "standing", "words"),
    [((), "owner-only", "For the owner only"), (("--public-data",), "public", "declared public")],
)
def test_people_are_told_the_standing(
    folder: Path, capsys: pytest.CaptureFixture[str], option: tuple[str, ...], standing: str, words: str
) -> None:
    said = say(capsys, "ward.csv", "--target", "back", *QUICK, *option, "-o", "t.json")
    assert said.code == 0, said.err
    assert words in " ".join(said.err.split())
    assert json.loads((folder / "t.json").read_text())["standing"] == standing
    assert said.out.splitlines()[-1].startswith("train\tepsilon = 2\t")


def test_a_booked_sweep_is_in_the_ledger(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "ward.yaml").write_text(SCHEMA)
    with Ledger(folder / "ward.ledger", limit=ApproxDP(3, "1e-5")):
        pass
    paid = ("--ledger", "ward.ledger", "--schema", "ward.yaml", "--records", "300", "--json")
    said = say(capsys, "ward.csv", "--target", "back", *QUICK, *paid)
    assert said.code == 0, said.err + said.out
    assert said.json()["standing"] == "booked"
    with Ledger(folder / "ward.ledger") as ledger:
        spent = {name: float(value) for name, value in ledger.balance().spent.items()}
        head = ledger.verify().head
    assert spent == said.json()["spent"]
    assert 1.9 < spent["epsilon"] <= 2
    again = say(capsys, "ward.csv", "--target", "back", *QUICK, *paid, "-o", "t.json")
    assert again.code == 8, again.out  # the budget does not hold it a second time
    assert not (folder / "t.json").exists()
    with Ledger(folder / "ward.ledger") as ledger:
        assert ledger.verify().head == head


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--target", "bakc"), "Did you mean 'back'"),
        (
            ("--target", "back", "--techniques", "anonymise"),
            "--techniques should be 'anonymize', 'train', 'synthesize' or 'pac'",
        ),
        (("--target", "back", "--k", "two"), "--k should be a valid integer"),
        (("--target", "back", "--epsilon", "1,x"), "--epsilon should be a valid decimal"),
        (("--target", "back", "--epsilon", "-1"), "--epsilon should be greater than 0"),
        (("--target", "back", "--public-data", "--surrogate"), "public or made up: not both"),
        (("--target", "back", "--ledger", "none.ledger"), "no ledger"),
        (("--target", "back", "--public-data", "--ledger", "none.ledger", "--budget", "3"), "need no ledger"),
        (("--target", "back", "--models", "linaer"), "--models should be"),
        (("--target", "back", "--k", "2,2"), "--k could not be read"),
        (("--target", "back", "--html", "t.pdf"), "t.pdf cannot be written"),
        (("--target", "back", "--policy", "none.yaml"), "cannot be read"),
        (("--target", "back", "--unit", "nobody"), "nobody"),
    ],
    ids=lambda value: value[-1] if isinstance(value, tuple) else "",
)
def test_refusals_leave_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    before = sorted(file.name for file in folder.iterdir())
    outputs = () if "--html" in arguments else ("-o", "t.json", "--html", "t.html")
    whose = () if {"--unit", "--policy"} & set(arguments) else ("--unit", "person")
    refused = say(capsys, "ward.csv", *arguments, *whose, *outputs, "--json")
    assert refused.code == 2, refused.out
    assert said in refused.json()["error"]["message"]
    assert sorted(file.name for file in folder.iterdir()) == before


POLICY: dict[str, Any] = {
    "version": 1,
    "dataset": {
        "source": "ward.csv",
        "unit": {"column": "person", "max_rows": 3},
        "ledger": "ward.ledger",
        "budget": {"epsilon": 3, "delta": "1e-5"},
    },
    "columns": {
        "person": {"role": "direct"},
        "age": {"role": "quasi", "bounds": [0, 120]},
        "area": {"role": "quasi", "values": ["A", "B", "C"]},
        "dose": {"role": "insensitive"},
        "illness": {"role": "sensitive"},
        "back": {"role": "sensitive", "values": [True, False]},
    },
    "purposes": {
        "planning": {
            "use": "bed planning",
            "basis": "GDPR Art. 6(1)(e)",
            "columns": ["age", "area", "back"],
            "outputs": ["report", "model"],
            "recipients": ["internal"],
            "expires": "2090-01-01",
        }
    },
}


def test_under_a_policy_only_the_purpose_is_read_and_its_end_is_kept(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "privet.yaml").write_text(json.dumps(POLICY))
    under = ("ward.csv", "--target", "back", "--policy", "privet.yaml", *FEW, "--json")
    said = say(capsys, *under)
    assert said.code == 0, said.err + said.out
    lines = said.json()["knee"]["policy_lines"]
    assert 'purpose: "planning"' in lines
    assert 'columns: ["age", "area"]' in lines  # neither dose nor illness is the purpose's
    assert not any("read off" in note for note in said.json()["notes"])  # bounds and values are stated
    late = json.loads(json.dumps(POLICY))
    late["purposes"]["planning"]["expires"] = "2001-01-01"
    late["purposes"]["planning"]["outputs"] = ["report"]
    (folder / "privet.yaml").write_text(json.dumps(late))
    refused = say(capsys, *under)
    assert refused.json()["error"]["code"] == "E-POLICY-002"


def test_a_run_can_have_such_a_step(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = [
        {"do": "tradeoff", "purpose": "planning", "name": "weigh", "target": "back", "techniques": ["train"], "epsilon": [1],
         "repeats": 1}
    ]  # fmt: skip
    (folder / "privet.yaml").write_text(json.dumps({**POLICY, "steps": steps}))
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        cli.main(["run", "--json"])
    heard = capsys.readouterr()
    assert ended.value.code == 0, heard.out + heard.err
    record = json.loads((folder / "out" / "owner" / "weigh.json").read_text())
    assert (record["standing"], record["artifact"]) == ("owner-only", "tradeoff")
    with Ledger(folder / "ward.ledger") as ledger:
        assert not any(ledger.balance().spent.values())


def test_other_sizes_of_classes_take_the_place_of_the_usual_ones_through_every_door() -> None:
    """Also of those with all columns generalized, unless they are named too."""
    usual, named = Sweep().checked(), Sweep(k=(3,)).checked()
    assert (usual.k_all, named.k_all) == ((5, 25), ())
    assert Sweep(k=(3,), k_all=(4,)).checked().k_all == (4,)
    step = TradeoffOptions.model_validate({"target": "back", "k": [3]})
    line = validated(TradeoffOptions, read_words(TradeoffOptions, {"target": "back", "k": "3"}))
    assert step == line
    assert step.sweep().checked() == named
    assert TradeoffOptions(target="back").sweep().checked() == usual


def test_a_step_and_a_command_take_a_schema_and_a_standing_alike(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "ward.yaml").write_text(SCHEMA)
    asked = {"target": "back", "techniques": ["train"], "epsilon": [1], "models": ["linear"], "repeats": 1,
             "schema": "ward.yaml", "records": 300, "surrogate": True}  # fmt: skip
    step = {"do": "tradeoff", "purpose": "planning", "name": "weigh", **asked}
    policy = json.loads(json.dumps({**POLICY, "steps": [step]}))
    policy["purposes"]["planning"]["columns"] = ["age", "back"]
    (folder / "privet.yaml").write_text(json.dumps(policy))
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        cli.main(["run", "--json"])
    assert ended.value.code == 0, capsys.readouterr()
    by_policy = json.loads((folder / "out" / "owner" / "weigh.json").read_text())
    words = ("--techniques", "train", "--epsilon", "1", "--models", "linear", "--repeats", "1", "--schema", "ward.yaml",
             "--records", "300", "--surrogate")  # fmt: skip
    said = say(capsys, "ward.csv", "--target", "back", "--purpose", "planning", *words, "--json")
    assert said.code == 0, said.err + said.out
    by_line = said.json()
    assert by_policy["standing"] == by_line["standing"] == "surrogate"
    points = [
        [(one["technique"], one["label"]) for one in record["points"]] for record in (by_policy, by_line)
    ]
    assert points[0] == points[1]
    assert ("train", "epsilon = 1") in points[0]
    assert "read off" not in " ".join(by_policy["notes"])


def test_a_technique_that_does_not_fit_says_what_to_add_and_that_works(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Columns whose names tell an audit nothing, one of them with a comma: what hints say is typed as it stands, until it runs."""
    names = {"age": "x, years", "area": "w2", "dose": "w3", "illness": "w4", "back": "w5"}
    odd = rows().rename_columns([names.get(name, name) for name in rows().column_names])
    examples.write(folder / "odd.csv", odd)
    asked = [
        "odd.csv",
        "--target",
        "w5",
        "--unit",
        "person",
        "--max-rows",
        "3",
        "--epsilon",
        "4",
        "--repeats",
        "1",
    ]
    asked += ["--k", "2", "--techniques", "anonymize,train,synthesize", "--twin", "mst"]
    added: set[str] = set()
    for _ in range(4):
        said = say(capsys, *asked, "-o", "t.json", "--html", "t.html", "--json")
        if said.code == 0:
            break
        hint = said.json()["error"]["hint"]
        options = re.findall(r"add (--quasi|--sensitive) ('[^']*'|\S+)", hint)
        assert options, hint
        assert "--techniques train" in hint
        for name, value in options:
            assert name not in added, "a loop"
            added.add(name)
            asked += [name, *shlex.split(value)]
    assert said.code == 0, said.err
    assert added == {"--quasi", "--sensitive"}
    record = said.json()
    assert {point["technique"] for point in record["points"]} == {
        "reference",
        "anonymize",
        "train",
        "synthesize",
    }
    assert "twin, epsilon = 4" in (folder / "t.html").read_text()


def test_roles_may_be_stated_and_not_beside_a_policy(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = say(capsys, "ward.csv", "--target", "back", *QUICK, "--quasi", "back", "--sensitive", "back")
    assert said.code == 2
    assert "named twice" in said.err
    said = say(capsys, "ward.csv", "--target", "back", *QUICK, "--quasi", "agge")
    assert said.code != 0
    assert "agge" in said.err
