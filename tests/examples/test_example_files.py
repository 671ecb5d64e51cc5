"""Example tables as files, and the command that writes them."""

import pyarrow.csv
import pyarrow.parquet
import pytest
import typer

from privet import examples
from privet.app import _example_command as example
from privet.errors import BadExample

app = typer.Typer()
app.command()(example.command)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_same_table_gives_the_same_file(tmp_path, ending):
    files = [examples.write(tmp_path / f"{n}.{ending}", examples.hospital(50)) for n in range(2)]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_files_hold_the_whole_table(tmp_path):
    table = examples.hospital(50)
    assert pyarrow.parquet.read_table(examples.write(tmp_path / "a.parquet", table)).equals(table)
    read = pyarrow.csv.read_csv(examples.write(tmp_path / "a.csv", table))
    assert (read.column_names, read.num_rows) == (table.column_names, table.num_rows)


def test_refuses_other_formats(tmp_path):
    with pytest.raises(BadExample):
        examples.write(tmp_path / "a.xlsx", examples.hospital(5))
