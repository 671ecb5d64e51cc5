"""What `privet anonymize` can be told: each option with its help."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer


class Search(enum.StrEnum):
    """Ways of searching."""

    OPTIMAL = "optimal"
    ANYTIME = "anytime"
    LOCAL = "local"
    MONDRIAN = "mondrian"


class Metric(enum.StrEnum):
    """What is to be lost as little as possible."""

    LOSS = "loss"
    LOSS_GEOMETRIC = "loss-geometric"
    LOSS_RANK = "loss-rank"
    PRECISION = "precision"
    DISCERNIBILITY = "discernibility"
    CLASS_SIZE = "class-size"
    ENTROPY = "entropy"


class Missing(enum.StrEnum):
    """What a missing value of a quasi-identifier means."""

    OWN_VALUE = "own-value"
    WILDCARD = "wildcard"
    IGNORED = "ignored"


class Recipe(enum.StrEnum):
    """Rules of law."""

    HIPAA_SAFE_HARBOR = "hipaa-safe-harbor"


Data = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A file (CSV, Parquet, JSON lines, DuckDB, SQLite) or a database URL."
    ),
]
Quasi = Annotated[str | None, typer.Option(help="Columns an outsider may know: a,b,c.")]
Sensitive = Annotated[
    str | None, typer.Option(help="Columns an outsider must not learn; published as they are.")
]
Keep = Annotated[
    str | None, typer.Option(help="Columns that say nothing about a person; published as they are.")
]
Roles = Annotated[Path | None, typer.Option(help="A file of roles, as `privet audit` writes it.")]
Unit = Annotated[
    str | None,
    typer.Option(help="The column that says whose row it is, or 'row'."),
]
K = Annotated[int | None, typer.Option("--k", help="k-anonymity.")]
L = Annotated[
    list[str] | None,
    typer.Option("--l", help="l-diversity: diagnosis=3, =3:entropy or =3:recursive:4. Repeatable."),
]
T = Annotated[
    list[str] | None,
    typer.Option("--t", help="t-closeness: diagnosis=0.2, =0.2:ordered or :hierarchical. Repeatable."),
]
Beta = Annotated[
    list[str] | None,
    typer.Option(help="beta-likeness: diagnosis=1 or =1:enhanced. Repeatable."),
]
Disclosure = Annotated[
    list[str] | None, typer.Option(help="delta-disclosure privacy: diagnosis=1. Repeatable.")
]
Alpha = Annotated[
    list[str] | None,
    typer.Option(help="(alpha, k)-anonymity: diagnosis=0.5, with the k of --k. Repeatable."),
]
HighestRisk = Annotated[str | None, typer.Option(help="The highest risk of any row: 0.2.")]
MeanRisk = Annotated[str | None, typer.Option(help="The highest mean risk: 0.05.")]
Map = Annotated[
    str | None,
    typer.Option(help="k-map: 5 with --population, or 5:poisson:FRACTION:SIGNIFICANCE without."),
]
Presence = Annotated[str | None, typer.Option(help="delta-presence, with --population: 0:0.2.")]
Uniqueness = Annotated[
    str | None,
    typer.Option(help="The share of rows unique in the population, and the sampling fraction: 0.01:0.1."),
]
Population = Annotated[str | None, typer.Option(help="A table of everybody, for --k-map and --presence.")]
Hierarchies = Annotated[
    Path | None,
    typer.Option(help="A folder with one file for each column, *_hierarchy_COLUMN.csv [default: made]."),
]
MissingOption = Annotated[
    Missing,
    typer.Option(help="A gap is a value of its own, matches every value, or its row is left out."),
]
MaxSuppressed = Annotated[str, typer.Option(help="The share of rows that may be left out.")]
SearchOption = Annotated[Search, typer.Option(help="How to search.")]
MetricOption = Annotated[Metric, typer.Option(help="What to lose little of.")]
Weights = Annotated[list[str] | None, typer.Option(help="How much a column matters: age=2. Repeatable.")]
Target = Annotated[
    str | None, typer.Option(help="Also measure how much a model that predicts this column loses.")
]
RecipeOption = Annotated[Recipe | None, typer.Option(help="Apply a rule of law instead of a promise.")]
AsKind = Annotated[
    list[str] | None,
    typer.Option("--as", help="What a column is to the recipe: note=remove, visit=date. Repeatable."),
]
ZipAreas = Annotated[
    Path | None, typer.Option(help="With the recipe: a newer list of small ZIP areas (JSON).")
]
Delimiter = Annotated[str | None, typer.Option(help="The CSV's delimiter, if it cannot be guessed.")]
LedgerOption = Annotated[
    str | None, typer.Option(help="The ledger that records it [default: the data set's, if it has one].")
]
PurposeOption = Annotated[
    str | None, typer.Option(help="What it is for; needed where the data set has purposes.")
]
Why = Annotated[str, typer.Option(help="The reason, for the ledger.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="The file to write: .parquet or .csv.")]
Page = Annotated[Path | None, typer.Option(help="Write a page about it: .html.")]
ShowRows = Annotated[
    bool, typer.Option("--show-rows", help="On the page, also rows before and after: for the owner only.")
]
Record = Annotated[Path | None, typer.Option(help="Write the record without the rows: .json.")]
