"""`privet collect`: from a design to an estimate on the command line."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.app.doors import inside

import privet as pv


@pytest.fixture
def spec(tmp_path):
    place = tmp_path / "spec.json"
    done = inside(
        "collect",
        "design",
        "--values",
        "a,b,c",
        "--people",
        "5000",
        "--epsilon",
        "3",
        "-o",
        str(place),
        "--json",
    )
    assert done.code == 0
    assert json.loads(done.out)["oracle"] == "grr"
    return place


def test_from_design_to_estimate(spec, tmp_path) -> None:
    reports = tmp_path / "r.jsonl"
    done = inside(
        "collect",
        "simulate",
        str(spec),
        "--people",
        "2000",
        "--seed",
        "4",
        "-o",
        str(reports),
        "--json",
    )
    assert done.code == 0
    assert any(note.startswith("NOT PRIVATE") for note in json.loads(done.out)["notes"])
    done = inside("collect", "estimate", str(spec), str(reports), "--top", "2")
    assert done.code == 0
    assert done.out.split("\t")[0] == "a"
    assert "NOT PRIVATE" in done.err
    done = inside("collect", "words", str(spec), str(reports))
    assert done.code == 2


def test_words(tmp_path) -> None:
    spec, reports = tmp_path / "w.json", tmp_path / "w.parquet"
    for words in (
        (
            "design",
            "--words",
            "3",
            "--alphabet",
            "abcd",
            "--people",
            "5000",
            "--epsilon",
            "8",
            "-o",
            str(spec),
        ),
        ("simulate", str(spec), "--people", "5000", "-o", str(reports)),
        ("words", str(spec), str(reports), "--top", "3"),
    ):
        done = inside("collect", *words)
        assert done.code == 0, done.err
    assert len(done.out.splitlines()) == 3


def test_a_design_without_a_question_is_refused() -> None:
    done = inside("collect", "design", "--people", "10", "--epsilon", "1")
    assert done.code == 2
    assert "--values" in done.err


@pytest.fixture
def bad(tmp_path, monkeypatch):
    """Specifications and reports, each with one thing wrong."""
    monkeypatch.chdir(tmp_path)
    made = pv.Collection("l", pv.OneOf(["a", "b", "c"]), pv.LocalDP(1), "grr")
    made.save("s.json")
    reports = made.randomize(["a", "b"] * 50)
    pq.write_table(reports, "r.parquet")
    pq.write_table(reports.set_column(1, "value", pa.array([9] * 100)), "outside.parquet")
    pq.write_table(pv.Collection("o", made.question, pv.LocalDP(2), "grr").randomize(["a"]), "other.parquet")
    for name, content in (("empty.json", ""), ("empty.jsonl", ""), ("empty.parquet", "")):
        (tmp_path / name).write_text(content)
    text = (tmp_path / "s.json").read_text()
    (tmp_path / "half.json").write_text(text[:80])
    (tmp_path / "newer.json").write_text(json.dumps({**json.loads(text), "schema": 99}))
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "r.parquet").read_bytes()[:300])
    (tmp_path / "cut.jsonl").write_text("\n".join(line[:30] for line in made.lines(reports)) + "\n")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("estimate s.json outside.parquet", "E-COLLECT-002"), ("estimate s.json other.parquet", "E-COLLECT-002"),
        ("estimate s.json cut.jsonl", "E-COLLECT-002"), ("estimate s.json empty.jsonl", "E-COLLECT-002"),
        ("estimate s.json empty.parquet", "E-SOURCE-003"), ("estimate s.json cut.parquet", "E-SOURCE-003"),
        ("estimate s.json none.parquet", "E-SOURCE-001"), ("estimate none.json r.parquet", "E-GENERAL-004"),
        ("estimate newer.json r.parquet", "E-COLLECT-001"), ("estimate half.json r.parquet", "E-COLLECT-001"),
        ("estimate empty.json r.parquet", "E-COLLECT-001"), ("estimate s.json r.parquet -o x.txt", "E-GENERAL-003"),
        ("estimate s.json r.parquet --confidence nan", "E-GENERAL-003"), ("estimate s.json r.parquet --delta nan", "E-GENERAL-003"),
        ("estimate s.json r.parquet --delta 1e-6", "E-COLLECT-001"), ("words s.json r.parquet", "E-GENERAL-003"),
        ("simulate none.json", "E-GENERAL-004"), ("simulate newer.json", "E-COLLECT-001"),
        ("simulate s.json --people 0", "E-GENERAL-003"), ("simulate s.json -o x.csv", "E-GENERAL-003"),
        ("design --values a --people 9 --epsilon 1", "E-COLLECT-001"), ("design --values a,b --people 9 --epsilon nan", "E-GENERAL-003"),
        ("design --number 0:nan --people 9 --epsilon 1 -o x.json", "E-COLLECT-001"),
        ("design --values-file none.txt --people 9 --epsilon 1", "E-GENERAL-004"),
        ("design --values a,b --people 9 --epsilon 1 -o x.txt", "E-COLLECT-001"),
        ("change s.json --before none.parquet --after r.parquet", "E-SOURCE-001"),
        ("trend s.json --day x=r.parquet --day 2026-01-02=r.parquet", "E-GENERAL-003"),
        ("export out.jsonl --store none.db", "E-SOURCE-001"), ("export out.jsonl --store s.json", "E-COLLECT-006"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_with_a_code_and_nothing_is_written(words, code, bad) -> None:
    before = {one.name: one.read_bytes() for one in bad.iterdir()}
    done = inside("collect", *words.split(), "--json")
    assert done.code in (1, 2)
    assert json.loads(done.out)["error"]["code"] == code
    assert {one.name: one.read_bytes() for one in bad.iterdir()} == before
