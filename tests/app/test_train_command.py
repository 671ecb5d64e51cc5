"""`privet schema`, `privet train` and `privet predict` as a person types them."""

import json

import pyarrow as pa
import pytest
from tests.app.doors import inside, listing

from privet.examples import hospital, write
from privet.guarantee._events import Opaque
from privet.guarantee._privacy_units import Person
from privet.guarantee._promise_registry import ApproxDP
from privet.ledger import Ledger

ASK = ["--target", "readmitted", "--epsilon", "2", "--delta", "1e-6", "--unit", "patient_id", "--json"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("train")
    write(place / "patients.csv", hospital(patients=1_500, seed=7))
    write(place / "test.csv", hospital(patients=400, seed=9))
    return place


@pytest.fixture
def folder(made):
    """The files as nobody has booked them yet: each test has ledgers of its own."""
    for link in [*made.glob("*.ledger.link"), *made.glob("*.csv.ledger*")]:
        link.unlink(missing_ok=True)
    return made


def test_from_a_draft_to_predictions(folder):
    said = inside("schema", "patients.csv", "-o", "schema.yaml", cwd=folder)
    assert said.code == 0, said.err
    text = (folder / "schema.yaml").read_text(encoding="utf-8")
    assert "READ OFF THE DATA" in text
    assert "name: {kind: ignore" in text

    refused = inside("train", "patients.csv", *ASK, "--schema", "schema.yaml", "-o", "model", cwd=folder)
    assert refused.json()["error"]["code"] == "E-SOURCE-010"
    assert not (folder / "model").exists()

    answered = text.replace("confirmed: ''", "confirmed: code lists of the ministry")
    (folder / "schema.yaml").write_text(answered, encoding="utf-8")
    options = ["--schema", "schema.yaml", "--records", "1500", "--test", "test.csv", "-o", "model"]
    shown = ["--twin", "--html", "page.html"]
    said = inside("train", "patients.csv", *ASK, *options, *shown, cwd=folder)
    assert said.code == 0, said.out + said.err
    found = said.json()
    assert (found["epsilon"], found["delta"], found["unit"]) == (
        2.0,
        1e-6,
        "patient_id",
    )  # exact: read back as it was given
    assert found["metrics"]["auroc"] > 0.6
    assert found["receipt"]["unit"]["column"] == "patient_id"
    assert listing(folder / "model") == ["card.md", "model.json", "model.safetensors"]
    assert json.loads((folder / "model" / "model.json").read_text(encoding="utf-8"))["metrics"] == {}
    # What no promise covers is for the owner, and not in the folder that leaves.
    assert found["owner_only"]["twin"]["auroc"] > 0.6
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "For the owner alone" in page
    assert "non-private twin" in page
    assert f"{found['owner_only']['twin']['log_loss']:.4g}" in page

    said = inside("predict", "model", "test.csv", "-o", "out.csv", "--json", cwd=folder)
    assert said.code == 0, said.err
    lines = (folder / "out.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == said.json()["rows"] + 1

    # The ledger that was opened for the model holds that model and no more.
    again = inside("train", "patients.csv", *ASK, *options, cwd=folder)
    assert again.json()["error"]["code"].startswith("E-LEDGER")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (["--test", "patients.csv"], "training table"),
        (["--target", "nothing"], "no column"),
        (["--model", "magic"], "magic"),
        (["--out", "nowhere/model"], "does not exist"),
        (["--html", "page.txt"], "page.txt"),
        (["--twin"], "test table"),
        (["--records", "100", "--delta", "0.05"], "delta"),
        (["--schema", "wrong.yaml"], "unknown parts: recrods"),
    ],
)
def test_refusals_spend_nothing(folder, tmp_path, change, word):
    ledger = tmp_path / "book.ledger"
    (folder / "wrong.yaml").write_text(
        "recrods: 5\ncolumns:\n  days: {kind: number, lower: 0, upper: 60}\n", encoding="utf-8"
    )
    said = inside(
        "train", "patients.csv", *ASK, "-o", "other", "--ledger", str(ledger), "--budget", "3,1e-5", *change,
        cwd=folder,
    )  # fmt: skip
    assert said.code != 0
    assert word in said.json()["error"]["message"]
    assert not (folder / "other").exists()
    assert list(tmp_path.iterdir()) == [], "no ledger is left behind"


def test_a_table_without_a_column_is_refused(folder):
    assert (
        inside("predict", "nothing", "test.csv", "-o", "o.csv", "--json", cwd=folder).json()["error"]["code"]
        == "E-TRAIN-003"
    )


def test_the_page_does_not_go_into_the_folder_that_leaves(folder, tmp_path):
    (tmp_path / "model").mkdir()
    said = inside(
        "train", "patients.csv", *ASK, "-o", str(tmp_path / "model"), "--html", str(tmp_path / "model" / "p.html"),
        cwd=folder,
    )  # fmt: skip
    assert "owner alone" in said.json()["error"]["message"]
    assert list((tmp_path / "model").iterdir()) == []


def test_a_model_without_a_stated_unit_is_refused_as_a_question_is(folder, tmp_path):
    without = [word for word in ASK if word not in ("--unit", "patient_id")]
    ledger = ["--ledger", str(tmp_path / "book.ledger"), "--budget", "3,1e-5"]
    trained = inside("train", "patients.csv", *without, "-o", "other", *ledger, cwd=folder)
    asked = inside(
        "query", "patients.csv", "SELECT COUNT(*) FROM t", "--epsilon", "1", "--json", *ledger, cwd=folder
    )
    assert trained.code == asked.code == 2
    assert trained.json()["error"]["code"] == asked.json()["error"]["code"] == "E-DATASET-002"
    assert list(tmp_path.iterdir()) == []


def test_columns_are_left_out_by_name_alone():
    """A choice that values decide would tell about them: these tables differ in values only, and wildly."""
    from privet.dataset import DataSet
    from privet.source import Role
    from privet.verbs._request import Request
    from privet.verbs._train_verb import TrainOptions, TrainVerb

    found = []
    for values in (["a", "b"], ["Smith, Jane", "jane@example.org"]):
        place = pa.table({"patient_id": [1, 2], "email": values, "x7": values})
        options = TrainOptions(target="x7", epsilon=1)
        found.append(TrainVerb().bare_table(DataSet.bare(place), Request(place, options, unit="patient_id")))
    assert found[0].unit == found[1].unit
    assert found[0].unit.column == "patient_id"
    assert found[0].roles == found[1].roles == {"email": Role.DIRECT}


@pytest.fixture
def mine(tmp_path):
    """Patients that nobody has booked yet."""
    write(tmp_path / "patients.csv", hospital(patients=400, seed=7))
    return tmp_path


def test_a_ledger_that_is_there_outlives_whatever_is_refused(mine):
    """A colleague holds it open, empty as it is; a refused training takes nothing from under them."""
    ledger = mine / "book.ledger"
    with Ledger(ledger, limit=ApproxDP(2, "1e-6")) as colleague:
        said = inside(
            "train",
            "patients.csv",
            *ASK,
            "--model",
            "magic",
            "--ledger",
            str(ledger),
            "-o",
            "never",
            cwd=mine,
        )
        assert "magic" in said.json()["error"]["message"]
        assert colleague.charge(Opaque("0.1"), why="theirs", unit=Person("patient_id")).receipt.entry
    with Ledger(ledger) as found:
        assert found.verify().spends == 1


def test_a_model_is_not_written_over_a_ledger(mine):
    (mine / "model").mkdir()
    (mine / "model" / "model.json").write_text("{}", encoding="utf-8")
    book = mine / "model" / "book.ledger"
    Ledger(book, limit=ApproxDP(2, "1e-6")).close()
    said = inside("train", "patients.csv", *ASK, "--ledger", str(book), "-o", str(mine / "model"), cwd=mine)
    assert "is a ledger" in said.json()["error"]["message"]
    with Ledger(book) as found:
        assert found.balance().spends == 0


def test_rows_are_not_called_persons(mine):
    """`--unit row` hides a row, and says no more."""
    asked = [word if word != "patient_id" else "row" for word in ASK]
    options = ["--ledger", str(mine / "l"), "--records", "3000", "--columns", "days,sex", "--classes"]
    said = inside("train", "patients.csv", *asked, *options, "-o", str(mine / "model"), cwd=mine)
    assert said.code == 0, said.out + said.err
    assert "a given row is in" in said.json()["sentence"]
    card = (mine / "model" / "card.md").read_text(encoding="utf-8")
    assert "a given row is in" in card
    assert "given person" not in card + said.out
