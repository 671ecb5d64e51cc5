"""Commands made from declarations: names, kinds and defaults of their options, and what was said to them."""

import inspect
from pathlib import Path
from typing import Annotated, Literal, get_args

import pytest
import typer
from pydantic import Field
from typer.testing import CliRunner

from privet.app._verb_command import CommandInput, command
from privet.errors import BadUsage
from privet.verbs import Options
from privet.verbs._verb_options import Flag


class Asked(Options):
    """What is asked."""

    file: Annotated[Path, Flag(argument=True, file="in"), Field(description="The file.")]
    k: Annotated[int, Field(description="How many.", ge=2)]
    how: Annotated[Literal["fast", "slow"], Field(description="How.")] = "fast"
    columns: Annotated[list[str], Field(description="Columns.", default_factory=list)]
    dry_run: Annotated[bool, Field(description="Only look.")] = False


class Noted(Options):
    """Why."""

    why: Annotated[str | None, Field(description="Why.")] = None


def made(**more):
    heard: list[CommandInput] = []
    return command(Asked, Noted, run=heard.append, **more), heard


def typed(function, *words: str):
    app = typer.Typer()
    app.command()(function)
    return CliRunner().invoke(app, list(words))


def test_each_option_is_a_parameter_with_its_kind() -> None:
    parameters = inspect.signature(made()[0]).parameters
    assert list(parameters) == ["file", "k", "how", "columns", "dry_run", "why", "as_json"]
    kinds = {name: get_args(one.annotation)[0] for name, one in parameters.items()}
    assert kinds["file"] == Path | None
    assert kinds["how"] == Literal["fast", "slow"] | None
    assert kinds["columns"] == list[str] | None
    assert kinds["dry_run"] is bool
    assert (parameters["how"].default, parameters["k"].default) == ("fast", None)


def test_what_is_typed_arrives_by_part_and_by_kind() -> None:
    function, heard = made()
    assert (
        typed(
            function,
            "a.csv",
            "--k",
            "5",
            "--columns",
            "x",
            "--columns",
            "y",
            "--dry-run",
            "--why",
            "so",
            "--json",
        ).exit_code
        == 0
    )
    (said,) = heard
    asked = said.of(Asked)
    assert (asked.k, asked.columns, asked.dry_run, asked.how) == (5, ["x", "y"], True, "fast")
    assert (said.of(Noted).why, said.as_json) == ("so", True)


@pytest.mark.parametrize("words", [("a.csv",), ("a.csv", "--k", "1"), ("a.csv", "--k", "many")])
def test_limits_and_what_is_missing_are_refused_before_it_runs(words: tuple[str, ...]) -> None:
    function, heard = made()
    assert isinstance(typed(function, *words).exception, BadUsage)
    assert heard == []


def test_choices_are_the_parser_s() -> None:
    function, heard = made()
    assert typed(function, "a.csv", "--k", "5", "--how", "medium").exit_code == 2
    assert heard == []


def test_a_flag_may_do_something_instead() -> None:
    told: list[bool] = []
    function, heard = made(instead={"dry_run": told.append})
    assert typed(function, "a.csv", "--dry-run", "--json").exit_code == 0
    assert (told, heard) == ([True], [])


def test_two_parts_may_not_share_a_name() -> None:
    with pytest.raises(TypeError, match="same name"):
        command(Noted, Noted, run=print)
