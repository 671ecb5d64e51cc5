"""The gate: rows come from a data set on its terms, or they do not come."""

from __future__ import annotations

from pathlib import Path

import pytest

import privet as pv
from privet.dataset import DataSet
from privet.dataset._legal_basis import special_point
from privet.errors import BadUsage, NoPurpose, PolicyBreach, PolicyGap, SecondLedger, SourceMissing
from privet.guarantee._events import DiscreteLaplace

STAYS = """patient_id,ward,days,zip
p1,ICU,3,10115
p1,Surgery,4,10115
p2,ICU,1,10117
p3,Surgery,9,10119
"""
DECLARED = """version: 1
dataset:
  source: stays.csv
  unit: {column: patient_id, max_rows: 4, max_groups: 2}
  ledger: stays.ledger
  budget: {epsilon: 3, delta: 1e-6}
columns:
  patient_id: {role: direct}
  ward: {role: insensitive, values: [ICU, Surgery]}
  days: {role: sensitive, bounds: [0, 60]}
  zip: {role: unknown, proposed: quasi, because: postal codes by their values}
purposes:
  beds:
    use: planning of beds
    basis: Art. 6(1)(e)
    columns: [ward, days]
    outputs: [answer]
    recipients: [internal]
    budget: {epsilon: 2}
    expires: 2099-01-01
  care:
    use: quality of care
    basis: Art. 6(1)(e)
    columns: [patient_id, ward, days]
    outputs: [answer, model]
    recipients: [internal]
    budget: {epsilon: 1}
    expires: 2099-01-01
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "stays.csv").write_text(STAYS)
    (tmp_path / "privet.yaml").write_text(DECLARED)
    return tmp_path


def count(table: pv.Table, data: DataSet, **more: object) -> pv.ReleasedAnswer:
    with data.ledger() as book:
        return pv.release(
            table.group_by("ward").agg(n=pv.count()), pv.PureDP(1), ledger=book, why="t", **more
        )


def test_it_is_found_by_walking_up(folder: Path) -> None:
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    assert DataSet.find(inner).stated_in == folder / "privet.yaml"
    assert DataSet.of(folder / "stays.csv").stated_in == folder / "privet.yaml"
    with pytest.raises(SourceMissing):
        DataSet.find("/")


def test_another_file_beside_it_is_not_this_data_set(folder: Path) -> None:
    (folder / "other.csv").write_text(STAYS)
    assert DataSet.of(folder / "other.csv").declaration is None


def test_where_purposes_exist_none_may_be_left_out(folder: Path) -> None:
    data = DataSet.find(folder)
    with pytest.raises(NoPurpose, match="purposes"):
        data.table()
    with pytest.raises(NoPurpose, match="no purpose"):
        data.table(purpose="bed")


def test_a_purpose_gives_its_columns_and_no_others(folder: Path) -> None:
    data = DataSet.find(folder)
    beds = data.table(purpose="beds")
    assert set(beds.columns) == {"patient_id", "ward", "days"}
    with pytest.raises(PolicyBreach, match="'zip'"):
        data.table(purpose="beds", columns=["zip"])
    assert count(beds, data).keys["ward"] == ("ICU", "Surgery")


def test_the_unit_column_is_no_exception(folder: Path) -> None:
    data = DataSet.find(folder)
    for sql in (
        "SELECT COUNT(*) AS n FROM stays WHERE patient_id = 'p1'",
        "SELECT COUNT(*) AS n FROM (SELECT patient_id = 'p1' AS me FROM stays) AS s WHERE me",
        "SELECT patient_id, COUNT(*) AS n FROM stays GROUP BY patient_id",
        "SELECT COUNT(CASE WHEN patient_id = 'p1' THEN 1 END) AS n FROM stays",
        "SELECT COUNT(*) AS n FROM (SELECT patient_id, COUNT(*) AS c FROM stays WHERE patient_id = 'p1' "
        "GROUP BY patient_id) AS s",
    ):
        with data.ledger() as book:
            before = book.balance().spent
            with pytest.raises(PolicyBreach, match="'patient_id'"):
                pv.release(
                    sql, pv.ApproxDP(1, "1e-7"), ledger=book, why="t", table=data.table(purpose="beds")
                )
            assert book.balance().spent == before
    # Counting persons names nobody; and a purpose that allows the column allows conditions on it.
    with data.ledger() as book:
        persons = "SELECT COUNT(DISTINCT patient_id) AS n FROM stays"
        pv.release(persons, pv.PureDP("0.1"), ledger=book, why="t", table=data.table(purpose="beds"))
        named = "SELECT COUNT(*) AS n FROM stays WHERE patient_id = 'p1'"
        pv.release(named, pv.PureDP("0.1"), ledger=book, why="t", table=data.table(purpose="care"))


def test_what_a_purpose_does_not_make_is_refused_by_the_verb_itself(folder: Path) -> None:
    data = DataSet.find(folder)
    with pytest.raises(PolicyBreach, match="makes: table"):
        pv.anonymize(data.table(purpose="beds"), pv.KAnonymity(2))
    with data.ledger() as book, pytest.raises(PolicyBreach, match="makes: model"):
        pv.train(data.table(purpose="beds"), pv.ApproxDP(1, "1e-7"), target="ward", ledger=book, records=100)


def test_spends_are_charged_to_the_purpose_of_the_rows(folder: Path) -> None:
    data = DataSet.find(folder)
    count(data.table(purpose="beds"), data)
    with data.ledger() as book:
        assert float(book.balance(purpose="beds").remaining["epsilon"]) == pytest.approx(1)
        assert float(book.balance().remaining["epsilon"]) == pytest.approx(2)
    with pytest.raises(PolicyBreach, match="not for 'care'"):
        count(data.table(purpose="beds"), data, purpose="care")


def test_one_data_set_has_one_ledger(folder: Path) -> None:
    data = DataSet.find(folder)
    with pytest.raises(SecondLedger):
        data.ledger(str(folder / "other.ledger"))
    with pv.Ledger(folder / "other.ledger", limit=pv.PureDP(9)) as other, pytest.raises(SecondLedger):
        pv.release(data.table(purpose="beds").agg(n=pv.count()), pv.PureDP(1), ledger=other, why="t")


def test_a_bare_file_remembers_where_it_was_booked(tmp_path: Path) -> None:
    file = tmp_path / "stays.csv"
    file.write_text(STAYS)
    data = DataSet.of(file)
    with pytest.raises(BadUsage, match="no ledger"):
        data.ledger()
    assert list(tmp_path.iterdir()) == [file]
    with data.ledger(str(tmp_path / "mine.ledger"), limit=pv.PureDP(1)) as book:
        assert list(tmp_path.iterdir()) == [file]  # nothing was booked yet
        book.charge(DiscreteLaplace(10), why="a count", unit=pv.Row())
    assert DataSet.of(file).ledger_place() == str(tmp_path / "mine.ledger")
    with pytest.raises(SecondLedger):
        DataSet.of(file).ledger(str(tmp_path / "second.ledger"), limit=pv.PureDP(1))


def test_a_declared_data_set_is_not_declared_again(folder: Path) -> None:
    with pytest.raises(BadUsage, match="says this"):
        DataSet.find(folder).table(purpose="beds", unit=pv.Row())


def test_special_categories_are_given_out_on_a_point_of_article_9(folder: Path) -> None:
    special = DECLARED.replace(
        "days: {role: sensitive,", "days: {role: sensitive, category: user.health_and_medical,"
    )
    (folder / "privet.yaml").write_text(special)
    with pytest.raises(PolicyGap, match=r"purposes\.beds\.special_basis: 'days' is of a special category"):
        DataSet.find(folder).table(purpose="beds")
    basis = "    basis: Art. 6(1)(e)\n"
    (folder / "privet.yaml").write_text(special.replace(basis, f"{basis}    special_basis: Art. 9(2)(h)\n"))
    assert "days" in DataSet.find(folder).table(purpose="beds").columns


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("GDPR Art. 9(2)(j), scientific research", "j"),
        ("Art. 9 Abs. 2 lit. h DSGVO", "h"),
        ("art. 9.2.i RGPD", "i"),
        ("Art. 6(1)(e) and Art. 9 (2) (a)", "a"),
        ("Art. 9(2)(z)", None),
        ("Art. 89(2)(a)", None),
        ("Art. 6(1)(e)", None),
        ("research", None),
        (None, None),
    ],
)
def test_a_point_of_article_9_is_read_as_people_cite_it(text: str | None, point: str | None) -> None:
    found = special_point(text)
    assert (found is None) if point is None else (found or "").startswith(f"Art. 9(2)({point})")
