"""`privet lm`: a plan of a language model on the command line, and the law it rests on."""

import json

import pytest
from tests.app.doors import inside
from tests.protect.train.language.laws import table

ASKED = ["--compute", "1e14", "--examples", "2e6", "--sequence", "64", "--epsilon", "2", "--delta", "1e-8"]


def test_a_plan_is_told_and_written(tmp_path):
    table().save(tmp_path / "losses.json")
    said = inside(
        "lm",
        "plan",
        *ASKED,
        "--law",
        "losses.json",
        "-o",
        "plan.json",
        "--html",
        "plan.html",
        "--json",
        cwd=tmp_path,
    )
    assert said.code == 0, said.err
    facts = json.loads(said.out)
    assert facts == json.loads((tmp_path / "plan.json").read_text())
    assert facts["within_two_percent"]["batch"][0] <= facts["batch"]
    page = (tmp_path / "plan.html").read_text()
    assert f"{facts['size']:,}" in page
    assert page.count("<svg") == 6
    assert "Public version" in page


def test_without_a_law_ours_is_taken_and_its_limits_are_said(tmp_path):
    said = inside("lm", "plan", *ASKED, cwd=tmp_path)
    assert said.code == 0, said.err
    assert "Run privet lm sweep on text like yours" in said.out + said.err


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["-o", "plan.csv"], 2),
        (["--html", "plan.png"], 2),
        (["--law", "nothing.json"], 1),
        (["--epsilon", "0"], 2),
        (["--examples", "2.5"], 2),
        (["-o", "losses.json", "--law", "losses.json"], 2),
    ],
)
def test_bad_input_writes_nothing(more, code, tmp_path):
    table().save(tmp_path / "losses.json")
    before = (tmp_path / "losses.json").read_bytes()
    said = inside("lm", "plan", *ASKED, *more, cwd=tmp_path)
    assert said.code == code
    assert [one.name for one in tmp_path.iterdir()] == ["losses.json"]
    assert (tmp_path / "losses.json").read_bytes() == before


def test_a_sweep_writes_a_table_that_a_plan_takes(tmp_path):
    pytest.importorskip("transformers")
    (tmp_path / "public.txt").write_text("the patient came and went again and came " * 60)
    said = inside(
        "lm", "sweep", "public.txt", "--measured-on", "a sentence", "--steps", "16", "--batch", "4", "--sequence", "16",
        "--shapes", "1x16,1x32", "-o", "own.json", "--json", cwd=tmp_path,
    )  # fmt: skip
    assert said.code == 0, said.err
    assert json.loads(said.out)["runs"] == 2 * 5 * 2
    said = inside("lm", "plan", *ASKED, "--law", "own.json", cwd=tmp_path)
    assert said.code == 0, said.err
    assert "a sentence" in said.out + said.err
