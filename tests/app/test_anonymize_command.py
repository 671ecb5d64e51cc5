"""`privet anonymize` as a person types it."""

import csv
import json
import shlex
from collections import Counter
from pathlib import Path

import pytest
from tests.app.doors import Said, inside

import privet as pv
from privet.app._cli import main
from privet.examples import hospital, write

KEYS = {
    "loss",
    "levels",
    "suppressed_rows",
    "classes",
    "nodes_evaluated",
    "optimal",
    "output_type",
    "promise",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("anonymize")
    stays = hospital(patients=800, seed=7)
    first = {}
    for row, person in enumerate(stays["patient_id"].to_pylist()):
        first.setdefault(person, row)
    write(place / "patients.csv", stays.take(list(first.values())))
    write(place / "stays.csv", stays)
    rows = [["F", "*"], ["M", "*"], ["X", "*"]]
    lines = "\n".join(";".join(row) for row in rows)
    (place / "h").mkdir()
    (place / "h" / "x_hierarchy_sex.csv").write_text(lines, encoding="utf-8")
    wards = sorted(set(stays["ward"].to_pylist()))
    text = "\n".join(f"{ward};{'A' if at % 2 else 'B'};*" for at, ward in enumerate(wards))
    (place / "h" / "x_hierarchy_ward.csv").write_text(text, encoding="utf-8")
    return place


UNIT = ["--unit", "row"]


def _privet(folder: Path, *arguments: str, status: int = 0) -> Said:
    unit = [] if "--unit" in arguments else UNIT
    done = inside("anonymize", *arguments, *unit, cwd=folder, env={"NO_COLOR": "1"})
    assert done.code == status, done.err + done.out
    assert "Traceback" not in done.err
    return done


def test_from_file_to_file_with_json(folder: Path) -> None:
    done = _privet(
        folder, "patients.csv", "--quasi", "sex,ward", "--sensitive", "diagnosis", "--hierarchies", "h", "--k", "5",
        "--l", "diagnosis=2", "--max-suppressed", "0.05", "--search", "optimal", "--metric", "loss", "-o", "safe.csv",
        "--page", "page.html", "--record", "record.json", "--json",
    )  # fmt: skip
    said = json.loads(done.out)
    assert set(said) >= KEYS
    assert said["optimal"] is True
    assert set(said["levels"]) == {"sex", "ward"}
    with (folder / "safe.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert set(rows[0]) == {"sex", "ward", "diagnosis"}
    assert min(Counter((row["sex"], row["ward"]) for row in rows).values()) >= 5
    assert len(rows) == 800 - said["suppressed_rows"]
    assert (
        pv.ReleasedTable.load(folder / "record.json").loss == said["loss"]
    )  # exact: written once and read twice
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "Risk before and after" in page
    assert "For the owner only" not in page


def test_the_pipe_gets_the_loss_and_people_the_words(folder: Path) -> None:
    done = _privet(
        folder,
        "patients.csv",
        "--quasi",
        "sex",
        "--keep",
        "ward",
        "--hierarchies",
        "h",
        "--k",
        "3",
        "-o",
        "a.parquet",
    )
    assert float(done.out) >= 0
    assert "classes of look-alikes" in done.err
    assert pv.ReleasedTable.load(folder / "a.parquet").to_arrow().column_names == ["sex", "ward"]


def test_rows_do_not_leave_before_somebody_has_said_what_they_are(folder: Path) -> None:
    asked = [
        "patients.csv",
        "--k",
        "5",
        "--search",
        "local",
        "--max-suppressed",
        "0.05",
        "-o",
        "found.parquet",
    ]
    whose = ["--unit", "patient_id"]
    refused = json.loads(_privet(folder, *asked, "--json", *whose, status=2).out)["error"]
    assert refused["code"] == "E-DATASET-003"
    assert not (folder / "found.parquet").exists()
    # The hint, followed literally, works; what it does not name is withheld.
    said = shlex.split(refused["hint"].split(": ", 1)[1].split(". ", 1)[0])
    done = json.loads(_privet(folder, *asked, "--json", *whose, *said).out)
    roles = {column["column"]: column["role"] for column in done["columns"]}
    assert roles["born"] == roles["zip"] == "quasi"
    assert roles["diagnosis"] == "sensitive"
    names = pv.ReleasedTable.load(folder / "found.parquet").to_arrow().column_names
    assert not {"name", "ssn", "email", "phone", "patient_id", "note"} & set(names)


def test_whose_rows_they_are_is_not_guessed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["anonymize", str(folder / "stays.csv"), "--quasi", "sex", "--k", "5", "-o", "x.csv", "--json"])
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "E-DATASET-002"


def test_safe_harbor_asks_about_free_text(folder: Path) -> None:
    words = ["calm", "tired", "awake", "better", "worse", "slept", "ate", "walked", "rested", "read"]
    lines = [" ".join(words[(row * 7 + at * row) % 10] for at in range(12)) + f" {row}" for row in range(300)]
    (folder / "text.csv").write_text("story\n" + "\n".join(lines) + "\n", encoding="utf-8")
    refused = _privet(
        folder, "text.csv", "--recipe", "hipaa-safe-harbor", "-o", "text-safe.csv", "--json", status=2
    )
    assert json.loads(refused.out)["error"]["code"] == "E-ANONYMIZE-042"
    _privet(
        folder,
        "text.csv",
        "--recipe",
        "hipaa-safe-harbor",
        "--as",
        "story=keep",
        "-o",
        "text-safe.csv",
        "--json",
    )


def test_what_a_gap_means_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["sex,ward,diagnosis", *["F,A,flu"] * 5, *["M,B,flu"] * 5, ",A,flu", "M,,gout"]
    (folder / "gaps.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = {}
    for meaning in ("own-value", "wildcard", "ignored"):
        out = folder / f"{meaning}.csv"
        words = [
            "anonymize",
            str(folder / "gaps.csv"),
            "--quasi",
            "sex,ward",
            "--sensitive",
            "diagnosis",
            "--k",
            "5",
        ]
        words += ["--unit", "row", "--missing", meaning, "--max-suppressed", "0.2", "-o", str(out), "--json"]
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert not ended.value.code
        said = json.loads(capsys.readouterr().out)
        assert said["missing"] == meaning.replace("-", " ")
        found[meaning] = (said["suppressed_rows"], sum(1 for _ in out.open(encoding="utf-8")) - 1)
    assert found == {"own-value": (2, 10), "wildcard": (0, 12), "ignored": (2, 10)}


def test_safe_harbor(folder: Path) -> None:
    asked = ["stays.csv", "--recipe", "hipaa-safe-harbor", "-o", "harbor.csv", "--json"]
    refused = json.loads(_privet(folder, *asked, status=2).out)["error"]
    assert "'ward'" in refused["message"]
    kept = [
        word
        for name in ("sex", "ward", "diagnosis", "days", "cost", "readmitted", "note")
        for word in ("--as", f"{name}=keep" if name != "note" else "note=remove")
    ]
    done = _privet(folder, *asked, *kept)
    said = json.loads(done.out)
    assert said["promise"]["promise"] == "hipaa-safe-harbor"
    with (folder / "harbor.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert not {"name", "ssn", "email", "phone", "patient_id", "note"} & set(rows[0])
    assert all(len(row["zip"]) == 3 for row in rows if row["zip"])
    assert all(row["admitted"].isdigit() and len(row["admitted"]) == 4 for row in rows)
    assert all(row["born"][:4].isdigit() and len(row["born"]) in {4, 14} for row in rows)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--quasi", "sex", "-o", "x.csv"], "E-GENERAL-003"),
        (["--quasi", "sex", "--k", "5"], "E-GENERAL-003"),
        (["--quasi", "sex", "--k", "5", "-o", "x.xls"], "E-GENERAL-003"),
        (["--quasi", "sex", "--sensitive", "sex", "--k", "5", "-o", "x.csv"], "E-GENERAL-003"),
        (["--quasi", "sex", "--k", "1", "-o", "x.csv"], "E-GENERAL-003"),
        (["--quasi", "sxe", "--k", "5", "-o", "x.csv"], "E-SOURCE-007"),
        (["--quasi", "sex", "--l", "diagnosis", "-o", "x.csv"], "E-GENERAL-003"),
        (["--quasi", "sex", "--k", "5", "--max-suppressed", "7", "-o", "x.csv"], "E-GENERAL-003"),
        (["--quasi", "sex", "--k", "900", "--hierarchies", "h", "-o", "x.csv"], "E-ANONYMIZE-025"),
        (["--recipe", "hipaa-safe-harbor", "--k", "5", "-o", "x.csv"], "E-GENERAL-003"),
        (
            ["--quasi", "sex", "--l", "diagnosis=2", "--missing", "wildcard", "-o", "x.csv"],
            "E-ANONYMIZE-027",
        ),
        (
            ["--quasi", "sex", "--mean-risk", "0.2", "--unit", "ward", "--hierarchies", "h", "-o", "x.csv"],
            "E-ANONYMIZE-043",
        ),
    ],
)
def test_refusals_leave_no_file(
    folder: Path,
    arguments: list[str],
    code: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as ended:
        main(["anonymize", "patients.csv", *arguments, *([] if "--unit" in arguments else UNIT), "--json"])
    assert ended.value.code == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code
    assert not (folder / "x.csv").exists()


@pytest.mark.parametrize("wrong", [["--quasi", "a,,b"], ["--quasi", "a,a"]])
def test_lists_of_columns_are_read_whole(folder: Path, wrong: list[str], capsys) -> None:
    with pytest.raises(SystemExit):
        main(
            [
                "anonymize",
                str(folder / "patients.csv"),
                *UNIT,
                *wrong,
                "--k",
                "5",
                "-o",
                str(folder / "x.csv"),
            ]
        )
    assert "--quasi could not be read" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--page", "--record"])
def test_a_page_that_cannot_be_written_is_refused_before_any_work(option, folder, tmp_path, capsys) -> None:
    ending = {"--page": ".html", "--record": ".json"}[option]
    (tmp_path / f"folder{ending}").mkdir()
    asked = [
        "anonymize",
        str(folder / "patients.csv"),
        *UNIT,
        "--quasi",
        "sex",
        "--k",
        "2",
        "-o",
        str(tmp_path / "x.csv"),
    ]
    with pytest.raises(SystemExit) as ended:
        main([*asked, option, str(tmp_path / f"folder{ending}")])
    assert ended.value.code == 1
    assert "could not be written" in capsys.readouterr().err
    assert not (tmp_path / "x.csv").exists()


def test_rows_of_one_patient_do_not_hide_each_other(folder: Path) -> None:
    asked = ["stays.csv", "--quasi", "sex,ward", "--keep", "days", "--k", "5", "--max-suppressed", "0.2"]
    asked += ["-o", "by_people.csv", "--json"]
    found = json.loads(_privet(folder, *asked, "--unit", "patient_id").out)
    assert any("counted in people" in note for note in found["notes"])
    by_row = json.loads(_privet(folder, *asked, "--unit", "row").out)
    assert not any("counted in people" in note for note in by_row["notes"])
