"""A request is what the parts of a command say together."""

import pytest

import privet as pv
from privet.verbs._request import BookingOptions, FileAsked, LimitedRecording, Request, RowsAsked, TablesAsked


def test_parts_say_their_own_and_the_rest_stays_as_usual():
    rows, booking = (
        RowsAsked(data="a.csv", unit="id"),
        BookingOptions(ledger="x.ledger", analyst="ada", purpose="care"),
    )
    asked = Request.of("options", rows, booking, again=True)
    assert (asked.data, asked.unit, asked.ledger, asked.analyst, asked.purpose, asked.again) == (
        "a.csv",
        "id",
        "x.ledger",
        "ada",
        "care",
        True,
    )
    assert (asked.options, asked.roles, asked.types, asked.change_one) == ("options", {}, None, False)
    assert asked.why == "asked on the command line"


def test_what_is_said_outright_goes_before_the_parts():
    assert Request.of(None, FileAsked(data="a.csv"), data="b.csv").data == "b.csv"


def test_a_budget_is_read_where_there_is_one():
    assert LimitedRecording().limit is None
    assert Request.of(None, FileAsked(data="a"), LimitedRecording(budget="3,1e-7")).limit == pv.ApproxDP(
        3, "1e-7"
    )


def test_what_is_said_of_tables_is_one_statement():
    said = TablesAsked(
        data="a.csv", unit="id", max_rows=["3"], bounds=["x=0:1"], public=["w=w.csv"], delimiter=";"
    ).statement()
    assert (said.unit, said.max_rows, said.bounds, said.public, said.delimiter) == (
        "id",
        ["3"],
        ["x=0:1"],
        ["w=w.csv"],
        ";",
    )


@pytest.mark.parametrize("kind", [FileAsked, RowsAsked, TablesAsked])
def test_rows_must_be_named_and_nothing_else_is_known(kind):
    with pytest.raises(ValueError, match="data"):
        kind()
    with pytest.raises(ValueError, match="unti"):
        kind(data="a", unti="id")
