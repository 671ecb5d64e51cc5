"""CSV files as other programs write them: an index without a name is read, and words stay the words they are."""

import gzip
from pathlib import Path

import pandas as pd
import pytest

import privet as pv
from privet.app._cli import main
from privet.errors import BadColumnNames
from privet.errors._remarks import listening, remark

PAIRS = [("yes", "no"), ("Yes", "No"), ("ja", "nein"), ("oui", "non"), ("Y", "N"), ("t", "f"), ("on", "off")]


def frame(words: tuple[str, str]) -> pd.DataFrame:
    return pd.DataFrame({"smokes": list(words) * 10, "age": [30, 40] * 10})


def test_the_index_of_a_frame_is_read_and_remarked(tmp_path: Path) -> None:
    frame(("a", "b")).to_csv(tmp_path / "x.csv")
    table = pv.open_table(tmp_path / "x.csv")
    assert list(table.columns) == ["index", "smokes", "age"]
    (said,) = table.remarks
    assert "'index'" in said
    assert said in repr(table)
    rows = table.relation.table.to_pyarrow().to_pydict()
    assert rows["index"] == list(range(20))
    assert rows["smokes"][:2] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (",a,b\n1,2,3\n", ["index", "a", "b"]),
        ('"",a\n1,2\n', ["index", "a"]),
        (" ;a;b\n1;2;3\n", ["index", "a", "b"]),
        (",index,a\n1,2,3\n", ["index_0", "index", "a"]),
        (",Index,index_0\n1,2,3\n", ["index_1", "Index", "index_0"]),
    ],
)
def test_the_name_is_one_that_is_free(tmp_path: Path, text: str, names: list[str]) -> None:
    (tmp_path / "x.csv").write_text(text)
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(text.encode()))
    for file in ("x.csv", "x.csv.gz"):
        table = pv.open_table(tmp_path / file)
        assert list(table.columns) == names
        assert len(table.remarks) == 1


@pytest.mark.parametrize("text", ["a,,b\n1,2,3\n", ",,b\n1,2,3\n", ",\n1,2\n", "a,\n1,2\n"])
def test_other_columns_without_a_name_are_refused_as_before(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(BadColumnNames):
        pv.open_table(tmp_path / "x.csv")


def test_a_file_whose_columns_are_named_has_no_remark(tmp_path: Path) -> None:
    frame(("a", "b")).to_csv(tmp_path / "x.csv", index=False)
    assert pv.open_table(tmp_path / "x.csv").remarks == ()


def test_types_can_be_stated_for_the_column_that_was_named(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(",a\n007,yes\n008,no\n")
    table = pv.open_table(tmp_path / "x.csv", types={"index": "text", "a": "boolean"})
    assert table.relation.table.to_pyarrow().to_pydict() == {"index": ["007", "008"], "a": [True, False]}


def test_the_command_line_says_it_once_and_beside_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame(("a", "b")).to_csv(tmp_path / "x.csv")
    with pytest.raises(SystemExit) as ended:
        main(["audit", str(tmp_path / "x.csv"), "--json"])
    said = capsys.readouterr()
    assert ended.value.code == 0
    assert said.err.count("remark:") == 1
    assert "remark" not in said.out


def test_remarks_are_said_once_and_to_nobody_afterwards() -> None:
    heard: list[str] = []
    with listening(heard.append):
        remark("one")
        remark("one")
    remark("two")
    assert heard == ["one"]


@pytest.mark.parametrize("words", PAIRS)
def test_words_for_yes_and_no_stay_as_they_are_where_rows_are_published(
    tmp_path: Path, words: tuple[str, str]
) -> None:
    frame(words).to_csv(tmp_path / "x.csv", index=False)
    table = pv.open_table(tmp_path / "x.csv", unit=pv.Row(), roles={"age": "quasi", "smokes": "insensitive"})
    assert table.columns["smokes"].value == "text"
    released = pv.anonymize(table, pv.KAnonymity(2))
    for name in ("safe.csv", "safe.parquet"):
        released.save(tmp_path / name)
        published = pv.open_table(tmp_path / name).relation.table.to_pyarrow()
        assert set(published["smokes"].to_pylist()) == set(words)


def test_true_and_false_are_truth_values_and_written_as_these_words(tmp_path: Path) -> None:
    frame(("true", "false")).to_csv(tmp_path / "x.csv", index=False)
    table = pv.open_table(tmp_path / "x.csv", unit=pv.Row(), roles={"age": "quasi", "smokes": "insensitive"})
    assert table.columns["smokes"].value == "boolean"
    pv.anonymize(table, pv.KAnonymity(2)).save(tmp_path / "safe.csv")
    text = (tmp_path / "safe.csv").read_text()
    assert "true" in text
    assert "false" in text
