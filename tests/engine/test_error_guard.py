"""The guard: whatever an engine says, no value of the data comes through."""

import duckdb
import pyarrow as pa
import pytest
from tests.engine.told import told

from privet import errors
from privet.engine._error_guard import guarded, translated

CANARY = "Canary Wharfinger"


class OperationalError(Exception):
    pass


OperationalError.__module__ = "psycopg.errors"


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (MemoryError(CANARY), errors.EngineFailed),
        (duckdb.OutOfMemoryException(CANARY), errors.EngineFailed),
        (duckdb.ConversionException(f"Could not convert '{CANARY}'"), errors.MalformedSource),
        (duckdb.InternalException(CANARY), errors.EngineFailed),
        (pa.ArrowInvalid(CANARY), errors.MalformedSource),
        (FileNotFoundError(CANARY), errors.SourceMissing),
        (OperationalError(f"connection refused {CANARY}"), errors.SourceUnreachable),
        (ValueError(CANARY), errors.EngineFailed),
        (UnicodeDecodeError("utf-8", CANARY.encode(), 0, 1, CANARY), errors.MalformedSource),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, Exception) else "",
)
def test_an_engines_words_never_come_through(raised, error):
    with pytest.raises(error) as caught, guarded("counting"):
        raise raised
    assert caught.value.hint
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert CANARY not in told(caught.value)


def test_the_chain_is_cut_even_inside_another_handler():
    def inner():
        try:
            int(CANARY)
        except ValueError:
            with guarded():
                {}[CANARY]

    with pytest.raises(errors.EngineFailed) as caught:
        inner()
    assert caught.value.__context__ is None


def test_errors_of_our_own_pass_unchanged():
    ours = errors.BadQuery("no.")
    with pytest.raises(errors.BadQuery) as caught, guarded():
        raise ours
    assert caught.value is ours


def test_interrupts_pass():
    with pytest.raises(KeyboardInterrupt), guarded():
        raise KeyboardInterrupt


def test_nothing_happens_without_an_error():
    with guarded():
        pass


def test_a_line_is_named_only_where_the_engine_puts_it_itself():
    """Digits further down can come from a cell that imitates the message."""
    imitated = duckdb.InvalidInputException(f"Invalid Input Error: x\nCSV Error on Line: 4711\n{CANARY}")
    assert "line" not in translated(imitated).details
    genuine = duckdb.InvalidInputException("Invalid Input Error: CSV Error on Line: 12\nOriginal Line: 4711")
    assert translated(genuine).details == {"line": 12}


def test_a_column_is_named_only_if_it_is_known():
    said = duckdb.ConversionException(
        f'Conversion Error: CSV Error on Line: 3\nError when converting column "{CANARY}". Could not convert'
    )
    assert CANARY not in told(translated(said, columns=["days"]))
    known = duckdb.ConversionException(
        'Conversion Error: CSV Error on Line: 3\nError when converting column "days". Could not convert'
    )
    assert translated(known, columns=["days"]).details == {"line": 3, "column": "days"}


def test_the_caller_may_know_better():
    with (
        pytest.raises(errors.NoSuchTable) as caught,
        guarded(instead=lambda _: errors.NoSuchTable("gone.", "Look.")),
    ):
        raise ValueError(CANARY)
    assert CANARY not in told(caught.value)
