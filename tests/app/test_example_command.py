"""example: made-up data as a file, and never over somebody's own."""

import json

import pyarrow.csv
import pyarrow.parquet
import pytest
import typer
from typer.testing import CliRunner

from privet.app import _example_command as example
from privet.errors import BadExample, FileProblem

app = typer.Typer()
app.command()(example.command)


@pytest.mark.parametrize("what", ["hospital", "voters", "truth"])
def test_the_command_writes_and_says_what(tmp_path, what):
    ran = CliRunner().invoke(app, [what, "--patients", "60", "-o", str(tmp_path / "a.csv"), "--json"])
    assert ran.exit_code == 0, ran.output
    said = json.loads(ran.stdout)
    assert pyarrow.csv.read_csv(tmp_path / "a.csv").num_rows == said["rows"] > 10


def test_the_command_never_overwrites_unasked(tmp_path):
    target = tmp_path / "a.csv"
    target.write_text("mine")
    ran = CliRunner().invoke(app, ["hospital", "--patients", "5", "-o", str(target)])
    assert isinstance(ran.exception, FileProblem)
    assert target.read_text() == "mine"
    assert (
        CliRunner().invoke(app, ["hospital", "--patients", "5", "-o", str(target), "--overwrite"]).exit_code
        == 0
    )


@pytest.mark.parametrize(("name", "error"), [("a.txt", BadExample), ("no/a.csv", FileProblem)])
def test_the_command_refuses_before_it_works(tmp_path, name, error):
    ran = CliRunner().invoke(app, ["hospital", "-o", str(tmp_path / name)])
    assert isinstance(ran.exception, error)
