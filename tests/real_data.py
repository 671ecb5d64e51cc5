"""Real tables that lie beside the project on some machines: `../shared/data`, read from here alone.

A test of them says so, and names the test that runs everywhere and fails for the same faults:

    @pytest.mark.real_data(twin="test_measures_are_those_of_comparing_all_pairs")

It is skipped where the data are not. A test that reads them without the mark fails, everywhere.
"""

from pathlib import Path

import pytest

_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_marked: list[bool] = [False]


def real_data(name: str) -> Path:
    """The folder of a data set."""
    assert _marked[-1], "a test of real data names its twin: @pytest.mark.real_data(twin=…)"
    return _DATA / name


def begin(item: pytest.Item) -> None:
    """Before each test: what it may read, and whether it can run."""
    marked = item.get_closest_marker("real_data") is not None
    _marked[-1] = marked
    if marked and not _DATA.is_dir():
        pytest.skip("the real tables are not at ../shared/data")
