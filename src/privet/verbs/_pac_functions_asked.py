"""Which ready-made function a PAC release computes, and its settings: one option for each, for every door."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from privet.errors import BadFunction
from privet.verbs._anonymity_models import Word
from privet.verbs._verb_options import Flag, Options
from privet.verbs._written_values import Values

if TYPE_CHECKING:
    from privet.protect.pac import PacFunction

FunctionName = Literal[
    "means",
    "quantiles",
    "covariance",
    "histogram",
    "kmeans",
    "pca",
    "ridge",
    "logistic-regression",
    "svm",
    "decision-tree",
    "forest",
    "responses",
]
# It takes a classifier of one's own, which no text names; it is known here so that the refusal says so.
IN_PYTHON = "responses"
FILES = ("start", "points")


class FunctionOptions(Options):
    """Which function of the rows, on which columns, and its settings."""

    function: Annotated[
        FunctionName | None,
        Field(
            description="A ready-made function of the rows, in place of counts, sums and means (responses: in Python alone)."
        ),
        Flag(example="kmeans"),
    ] = None
    columns: Annotated[
        list[str],
        Field(description="The columns that the function is computed on."),
        Flag(commas=True, example="age,cost"),
    ] = Field(default_factory=list)
    target: Annotated[
        str | None, Field(min_length=1, description="The column that a model predicts."), Flag(example="ill")
    ] = None
    classes: Annotated[
        Annotated[list[Word], *Values.__metadata__] | None,
        Field(description="The public classes of the target, where nothing is declared of them."),
        Flag(commas=True, example="no,yes"),
    ] = None
    clusters: Annotated[
        int | None, Field(ge=2, le=100, description="How many clusters kmeans finds."), Flag(example="3")
    ] = None
    start: Annotated[
        str | None,
        Field(description="A public file of centres that kmeans begins at, one row for each."),
        Flag(file="in", example="centres.csv"),
    ] = None
    components: Annotated[
        int | None, Field(ge=1, le=100, description="How many components pca finds."), Flag(example="2")
    ] = None
    at: Annotated[
        list[float] | None,
        Field(description="Which quantiles [default: 0.25,0.5,0.75]."),
        Flag(commas=True, example="0.25,0.5,0.75"),
    ] = None
    bins: Annotated[
        int | None,
        Field(ge=2, le=1_000, description="How many bins of each column histogram counts [default: 10]."),
        Flag(example="10"),
    ] = None
    strength: Annotated[
        float | None,
        Field(
            gt=0,
            le=1e6,
            description="The penalty per row of a linear model: weights of a strong one move little between halves.",
        ),
        Flag(example="0.1"),
    ] = None
    depth: Annotated[
        int | None, Field(ge=1, le=30, description="How deep trees are at most."), Flag(example="2")
    ] = None
    trees: Annotated[
        int | None,
        Field(ge=2, le=10_000, description="How many trees a forest has [default: 50]."),
        Flag(example="50"),
    ] = None
    points: Annotated[
        str | None,
        Field(
            description="A public file of points that trees and forests answer for [default: 32 points between the bounds]."
        ),
        Flag(file="in", example="points.csv"),
    ] = None


# Everything that is an argument of a function, not where it is applied.
SETTINGS = tuple(name for name in FunctionOptions.model_fields if name not in ("function", "columns"))


def takes(function: str) -> dict[str, bool]:
    """The settings of a function, each with whether it must be given."""
    from privet.protect.pac import PacFunction

    made = getattr(PacFunction, function.replace("-", "_"))
    return {
        name: one.default is one.empty
        for name, one in inspect.signature(made).parameters.items()
        if name in SETTINGS
    }


def faults_of(options: FunctionOptions) -> list[str]:
    """What is said and does not belong to the function, or is not said and does."""
    given = [name for name in SETTINGS if getattr(options, name) is not None]
    if options.function is None:
        stray = [*given, *(["columns"] if options.columns else [])]
        return [f"{', '.join(stray)}: for a function alone; give function"] if stray else []
    if options.function == IN_PYTHON:
        return []  # refused by `function_of`, with what to write instead
    known = takes(options.function)
    found = [f"{options.function} has no {name}" for name in given if name not in known]
    found += [
        f"{options.function} needs {name}" for name, must in known.items() if must and name not in given
    ]
    if not options.columns:
        found.append(f"{options.function} needs columns")
    if len(set(options.columns)) < len(options.columns) or options.target in options.columns:
        found.append("a column is named twice")
    return found


def function_of(options: FunctionOptions, folder: Path) -> PacFunction:
    """The function, with public files read."""
    from privet.protect.pac import PacFunction
    from privet.source import open_public

    assert options.function is not None
    if options.function == IN_PYTHON:
        raise BadFunction(
            "responses are those of a classifier of your own, a Python object, which cannot be named here.",
            'In Python: table.apply(PacFunction.responses(GaussianNB(), "ill"), ["age", "cost"]). Here, decision-tree and forest are '
            "functions that answer for public points.",
            faults=[],
        )
    said: dict[str, Any] = {
        name: getattr(options, name) for name in SETTINGS if getattr(options, name) is not None
    }
    for name in FILES:
        if name in said:
            said[name] = open_public(str(folder / said[name]))
    made: PacFunction = getattr(PacFunction, options.function.replace("-", "_"))(**said)
    return made
