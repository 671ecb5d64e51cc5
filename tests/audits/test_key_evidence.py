"""What speaks for a key, in sentences whose figures are those that were counted."""

from dataclasses import replace

from privet.audits._key_evidence import sentences
from privet.audits.columns import UnitName
from privet.disclosure import Measures

QUIET = Measures(3000, 1000, 900, 5, 3, 0.5, {}, {}, (), {}, {})


def said(marks: Measures = QUIET, **more) -> tuple[str, ...]:
    told = {"values": 1000, "rows": 3000, "name": None, "differs": None, "restarts_in": None, **more}
    return sentences(("id",), marks, **told)


def test_how_many_values_is_always_said_and_nothing_without_ground() -> None:
    assert said() == ("1,000 values over 3,000 rows",)


def test_constant_columns_with_the_same_figures_stand_together() -> None:
    marks = replace(QUIET, static={"sex": (890, 900), "born": (900, 900), "zip": (890, 900), "x": (880, 900)})
    assert said(marks)[1:] == (
        "'born' is constant within 900 of the 900 values with several rows",
        "'sex' and 'zip' are constant within 890 of the 900 values with several rows",
    )


def test_many_columns_are_counted() -> None:
    marks = replace(QUIET, static=dict.fromkeys("abcde", (900, 900)))
    assert said(marks)[1].startswith("'a', 'b', 'c' and 2 more are constant")


def test_a_crossing_column_is_unique_or_nearly() -> None:
    assert said(replace(QUIET, crossing={"visit": 1.0}))[1] == "(id, visit) is unique"
    assert said(replace(QUIET, crossing={"visit": 0.997}))[1] == "(id, visit) is unique in 99.7 % of rows"


def test_balanced_designs_name_the_usual_number() -> None:
    assert said(replace(QUIET, usual_share=0.6))[1] == "600 of 1,000 values have 3 rows each"
    assert len(said(replace(QUIET, usual_share=0.59))) == 1


def test_what_differs_speaks_against_it() -> None:
    marks = replace(QUIET, constant={"born": 0.2})
    assert said(marks, differs="born")[1].startswith("'born' differs within 80 % of the values")


def test_what_the_name_says_comes_last() -> None:
    for kind, words in (
        ("person", "a person"),
        ("group", "a group"),
        ("measure", "a measurement"),
        ("", "numbered"),
    ):
        assert words in said(restarts_in="centre", name=UnitName(kind, 2.0))[-1]
    assert "start anew in each value of 'centre'" in said(restarts_in="centre")[-1]
