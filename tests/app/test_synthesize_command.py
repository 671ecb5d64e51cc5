"""`privet synthesize`: a twin from a file, and what it cost."""

import json
import shlex

import pyarrow.csv
import pyarrow.parquet as pq
import yaml
from tests.app.doors import inside
from tests.protect.synthesize.people import rows


def test_a_twin_is_written_and_the_price_is_said(tmp_path) -> None:
    place, out = tmp_path / "rows.csv", tmp_path / "twin.parquet"
    pyarrow.csv.write_csv(rows(600).drop_columns(["note"]), place)
    words = ["synthesize", str(place), "--unit", "person", "--epsilon", "2", "--delta", "1e-6"]
    said = inside(*words, "--rows", "30", "--method", "mst", "-o", str(out), "--json")
    assert said.code == 0, said.err
    record = json.loads(said.out)
    assert record["rows"] == 30
    assert record["promise"]["epsilon"] == "2"
    assert any(one["what"] == "counts" and one["sigma"] > 0 for one in record["measured"])
    assert pq.read_table(out).num_rows == 30
    refused = inside(*words, "-o", str(tmp_path / "twin.xlsx"))
    assert refused.code != 0


def test_the_owners_page_and_the_public_card(tmp_path) -> None:
    """The page is measured on people kept apart and for the owner; the card is built from the twin's record."""
    place, out = tmp_path / "rows.csv", tmp_path / "twin.parquet"
    page, card = tmp_path / "page.html", tmp_path / "card.html"
    pyarrow.csv.write_csv(rows(600).select(["person", "age", "back", "ward"]), place)
    words = [
        "synthesize",
        str(place),
        "--unit",
        "person",
        "--epsilon",
        "4",
        "--delta",
        "1e-6",
        "--method",
        "mst",
    ]
    words += ["--rows", "100", "--target", "back", "-o", str(out)]
    refused = inside(*words, "--html", str(page))
    assert refused.code != 0
    assert "--holdout" in refused.err
    refused = inside(*words, "--html", str(page), "--test", str(place))
    assert "the table itself" in refused.err
    assert {one.name for one in tmp_path.iterdir()} == {"rows.csv"}, "nothing was spent or written"
    said = inside(*words, "--holdout", "0.3", "--html", str(page), "--card", str(card), "--json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["owner_only"]["page"] == str(page)
    assert page.stat().st_mode & 0o077 == 0
    shown = page.read_text(encoding="utf-8")
    assert "Do not publish" in shown
    assert "Train on the twin" in shown
    public = card.read_text(encoding="utf-8")
    assert "Public version" in public
    assert "total variation" not in public.lower()


def test_what_was_paid_for_is_not_lost_with_the_page(tmp_path) -> None:
    """Ten people apart are too few to try a model on: the page says so. One that cannot be drawn says what there is."""
    place, out = tmp_path / "rows.csv", tmp_path / "twin.parquet"
    page, card, other = tmp_path / "page.html", tmp_path / "card.html", tmp_path / "other.csv"
    pyarrow.csv.write_csv(rows(100).select(["person", "age", "back"]), place)
    pyarrow.csv.write_csv(rows(100).select(["person", "ward"]), other)
    words = [
        "synthesize",
        str(place),
        "--unit",
        "person",
        "--epsilon",
        "4",
        "--delta",
        "1e-6",
        "--method",
        "mst",
    ]
    words += ["--rows", "100", "--target", "back", "-o", str(out), "--html", str(page)]
    words += ["--budget", "9,1e-3"]
    refused = inside(*words, "--holdout", "0.1", "--card", str(page))
    assert "cannot be one file" in refused.err
    assert not out.exists()
    said = inside(*words, "--holdout", "0.1", "--card", str(card))
    assert said.code == 0, said.err
    assert "No model was tried" in page.read_text(encoding="utf-8")
    assert card.exists()
    said = inside(*words, "--test", str(other))
    assert said.code != 0
    assert "is saved as" in " ".join(said.err.split())
    assert "Give rows of the table" in " ".join(said.err.split())


def test_a_ledger_that_is_opened_for_one_twin_is_said_so(tmp_path) -> None:
    """And not where one was there, or was asked for with a budget; explaining opens none."""
    place = tmp_path / "rows.csv"
    pyarrow.csv.write_csv(rows(600).select(["person", "age", "ward"]), place)
    words = [
        "synthesize",
        str(place),
        "--unit",
        "person",
        "--epsilon",
        "2",
        "--delta",
        "1e-6",
        "--method",
        "mst",
    ]
    words += ["--rows", "30", "-o", str(tmp_path / "twin.parquet"), "--json"]
    told = inside(*words, "--explain")
    assert any("people or more" in line for line in json.loads(told.out)["expected"])
    assert not list(tmp_path.glob("*.ledger")), "nothing was spent"
    first = json.loads(inside(*words).out)
    assert first["opened"]["epsilon"] == "2"
    assert json.loads(inside(*words).out)["opened"] is None
    other = ["--ledger", str(tmp_path / "other.ledger"), "--budget", "3,1e-5"]
    (tmp_path / "more").mkdir()
    second = tmp_path / "more" / "rows.csv"
    second.write_bytes(place.read_bytes() + b"\n")
    assert json.loads(inside("synthesize", str(second), *words[2:], *other).out)["opened"] is None


def test_rows_kept_apart_are_left_for_an_attack(tmp_path) -> None:
    """The command that is said runs as it stands, and asking for the files afterwards costs nothing."""
    place, out, apart = tmp_path / "rows.csv", tmp_path / "twin.parquet", tmp_path / "apart"
    pyarrow.csv.write_csv(rows(600).select(["person", "age", "back", "ward"]), place)
    words = [
        "synthesize",
        str(place),
        "--unit",
        "person",
        "--epsilon",
        "4",
        "--delta",
        "1e-6",
        "--method",
        "mst",
    ]
    words += ["--rows", "200", "-o", str(out)]
    refused = inside(*words, "--apart", str(apart))
    assert "--holdout" in refused.err
    assert {one.name for one in tmp_path.iterdir()} == {"rows.csv"}, "nothing was spent or written"
    first = inside(*words, "--holdout", "0.4")
    assert first.code == 0, first.err
    assert "--apart FOLDER" in first.err
    said = inside(*words, "--holdout", "0.4", "--apart", str(apart), "--json")
    assert said.code == 0, said.err
    command = shlex.split(json.loads(said.out)["owner_only"]["attack"])
    assert apart.stat().st_mode & 0o077 == 0
    attacked = inside(*command[1:], "--attack", "exact-match", "--json")
    assert attacked.code == 0, attacked.err


def test_a_drafted_policy_says_what_a_twin_still_needs(tmp_path, monkeypatch) -> None:
    """A draft withholds what nobody confirmed; once roles are said and named in the purpose, a twin may be made."""
    monkeypatch.chdir(tmp_path)
    pyarrow.csv.write_csv(rows(600).select(["person", "age", "ward"]), tmp_path / "rows.csv")
    drafted = inside("init", "rows.csv", "--unit", "person", "--yes")
    assert drafted.code == 0, drafted.err
    words = ["synthesize", "rows.csv", "--purpose", "first-use", "--epsilon", "1", "--delta", "1e-7"]
    words += ["--method", "mst", "--rows", "20", "-o", "twin.parquet"]
    refused = inside(*words)
    assert "allows no column whose role somebody has said" in refused.err
    assert not (tmp_path / "rows.csv.ledger").exists()
    policy = yaml.safe_load((tmp_path / "privet.yaml").read_text(encoding="utf-8"))
    for name in ("age", "ward"):
        policy["columns"][name] = {"role": "quasi"}
    policy["purposes"]["first-use"]["columns"] = ["age", "ward"]
    (tmp_path / "privet.yaml").write_text(yaml.safe_dump(policy, sort_keys=False), encoding="utf-8")
    made = inside(*words)
    assert made.code == 0, made.err
