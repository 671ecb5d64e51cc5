"""Questions: checked as a whole, described without ambiguity, and nothing computed."""

import datetime

import pyarrow as pa
import pytest

import privet as pv
from privet import errors
from privet.source._column_expressions import worded

DATA = pa.table(
    {
        "patient_id": [1, 1, 2, 3],
        "ward": ["A", "B", "A", None],
        "days": [3, 4, 50, 7],
        "cost": [1.0, 2.0, 3.0, None],
        "born": pa.array([datetime.date(1950, 1, 1)] * 4),
        "again": [True, False, True, None],
        "parts": [[1], [2], [3], [4]],
    }
)


@pytest.fixture
def table():
    return pv.open_table(
        DATA, unit=pv.Person("patient_id", max_rows=2), bounds={"days": (0, 60)}, name="stays"
    )


def test_a_question_is_kept_as_asked(table):
    query = table.group_by("ward").agg(
        n=pv.count(), who=pv.persons(), days=pv.mean("days"), cost=pv.sum("cost", (0, 9))
    )
    assert query.keys == ("ward",)
    assert [name for name, _ in query.aggregates] == ["n", "who", "days", "cost"]
    assert query.aggregates[2][1].ranges(query) == (pv.Bounds(0, 60),)
    assert query.aggregates[3][1].ranges(query) == (pv.Bounds(0, 9),)
    assert query.columns_used() == ["patient_id", "ward", "days", "cost"]
    assert query.public_keys() is None


def test_only_the_columns_asked_about_are_read(table):
    query = (
        table.derive(year=pv.col("born").part("year"), unused=pv.col("cost") * 2)
        .where(pv.col("again") & (pv.col("days") > 3))
        .group_by("year", keys={"year": ["1950", 1951]})
        .agg(n=pv.count())
    )
    assert query.columns_used() == ["patient_id", "days", "born", "again"]
    assert set(query.relation().columns) == {"year", "patient_id"}
    assert query.relation().table.to_pyarrow().to_pydict() == {"year": [1950], "patient_id": [2]}
    assert query.public_keys() == pa.table({"year": pa.array([1950, 1951], pa.int64())})


def test_conditions_add_up(table):
    query = table.where(pv.col("days") > 3).where(pv.col("ward") == "B").agg(n=pv.count())
    assert query.relation().table.count().execute() == 1
    assert worded(query.where) == '(("days" > 3) and ("ward" = \'B\'))'


def test_a_table_of_rows_can_be_counted_without_any_column():
    query = pv.open_table(DATA, unit=pv.Row()).agg(n=pv.count())
    assert query.columns_used() == []
    assert query.relation().table.count().execute() == 4


def test_all_faults_of_a_question_are_raised_at_once(table):
    with pytest.raises(errors.BadQuery) as caught:
        table.group_by("ward").agg(
            ward=pv.count(),
            a=pv.mean("dais"),
            b=pv.sum("cost"),
            c=pv.mean("born", (0, 1)),
            d=pv.mean("again", (0, 1)),
            e="n",
        )
    assert len(caught.value.details["faults"]) == 6
    assert "Did you mean 'days'" in str(caught.value)
    assert 'cast("integer")' in str(caught.value)


def test_persons_need_to_be_identified():
    with pytest.raises(errors.BadQuery, match="identifies"):
        pv.open_table(DATA, unit=pv.Row()).agg(n=pv.persons())


@pytest.mark.parametrize(
    "ask",
    [
        lambda t: t.agg(),
        lambda t: t.group_by(),
        lambda t: t.group_by("ward", "ward"),
        lambda t: t.group_by("wrad"),
        lambda t: t.group_by("parts").agg(n=pv.count()),
        lambda t: t.group_by("ward", keys={"wrad": ["A"]}),
        lambda t: t.group_by("ward", keys={("ward", "days"): [("A",)]}),
        lambda t: t.where(pv.col("days") + 1),
        lambda t: t.where(pv.col("dais") > 1),
        lambda t: t.where(pv.col("ward") > 1),
        lambda t: t.where(None),
        lambda t: t.derive(days=pv.col("cost")),
        lambda t: t.derive(Patient_ID=pv.col("cost")),
        lambda t: t.agg(x=pv.mean(pv.col("days"))),
        lambda t: t.agg(x=pv.mean("days", (3, 1))),
        lambda t: pv.col(""),
        lambda t: pv.col("days").cast("number"),
        lambda t: pv.col("days") == None,  # noqa: E711
        lambda t: pv.col("days") > object(),
    ],
)
def test_impossible_questions_are_refused(table, ask):
    with pytest.raises(errors.BadInput):
        ask(table)


def test_a_persons_identity_cannot_be_rewritten(table):
    """A derived column in place of the unit's would let one person pass for many."""
    with pytest.raises(errors.BadQuery, match="already"):
        table.derive(patient_id=pv.col("days"))


def test_two_questions_read_the_same_only_if_they_are_the_same(table):
    """The description decides whether a stored answer may be given again."""
    ask = table.group_by("ward")
    col = pv.col
    different = [
        table.agg(n=pv.count()),
        table.agg(m=pv.count()),
        table.agg(n=pv.persons()),
        ask.agg(n=pv.count()),
        table.group_by("ward", "days").agg(n=pv.count()),
        table.group_by("days", "ward").agg(n=pv.count()),
        table.group_by("ward", keys={"ward": ["A"]}).agg(n=pv.count()),
        table.group_by("ward", keys={"ward": ["B"]}).agg(n=pv.count()),
        table.group_by("ward", keys={"ward": ["A", "B"]}).agg(n=pv.count()),
        table.agg(n=pv.sum("days")),
        table.agg(n=pv.mean("days")),
        table.agg(n=pv.mean("days", (0, 61))),
        table.agg(n=pv.mean("days", (0, "60.00000001"))),
        table.where(col("days") > 3).agg(n=pv.count()),
        table.where(col("days") > 3.0).agg(n=pv.count()),
        table.where(col("days") >= 3).agg(n=pv.count()),
        table.where(col("ward") == "days").agg(n=pv.count()),
        table.where(col("ward") == "A").agg(n=pv.count()),
        table.where(col("ward").one_of("A")).agg(n=pv.count()),
        table.where(~(col("ward") == "A")).agg(n=pv.count()),
        table.where(col("again") & (col("days") > 1)).agg(n=pv.count()),
        table.where(col("again") | (col("days") > 1)).agg(n=pv.count()),
        table.derive(x=col("days") + 1).group_by("x").agg(n=pv.count()),
        table.derive(x=col("days") + 2).group_by("x").agg(n=pv.count()),
        table.derive(x=col("born").part("year")).group_by("x").agg(n=pv.count()),
        table.derive(x=col("born").part("month")).group_by("x").agg(n=pv.count()),
    ]
    said = [query.describe() for query in different]
    assert len(set(said)) == len(said)
    assert table.where(col("days") > 3).agg(n=pv.count()).describe() == said[13]


def test_names_that_imitate_the_description_do_not_fool_it():
    tricky = pv.open_table(pa.table({"a": [1], 'a" > 1) and ("b': [1], "b": [2]}), unit=pv.Row())
    one = tricky.where((pv.col("a") > 1) & (pv.col("b") > 2)).agg(n=pv.count())
    two = tricky.where(pv.col('a" > 1) and ("b') > 2).agg(n=pv.count())
    assert one.describe() != two.describe()


def test_an_answer_does_not_take_the_name_of_anothers_interval():
    table = pv.open_table(pa.table({"id": [1], "x": [1.0]}), unit=pv.Person("id", max_rows=1))
    with pytest.raises(errors.BadQuery, match="n_low"):
        table.agg(n=pv.count(), n_low=pv.sum("x", bounds=(0, 1)))


def test_text_with_an_apostrophe_does_not_read_like_a_column():
    table = pv.open_table(pa.table({"s": ["a"], "it's": ["b"]}), unit=pv.Row())
    column, text = (table.where(pv.col("s") == one).agg(n=pv.count()) for one in (pv.col("it's"), "it's"))
    assert column.describe() != text.describe()


@pytest.mark.parametrize("keys", [{"i": [10**30]}, {"s": ["\ud800"]}])
def test_keys_that_no_column_could_hold_are_refused(keys):
    table = pv.open_table(pa.table({"i": [1], "s": ["a"]}), unit=pv.Row())
    with pytest.raises(errors.BadQuery, match="does not fit"):
        table.group_by(*keys, keys=keys)
