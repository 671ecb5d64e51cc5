"""Collect: statistics from people who trust nobody. What designing and trying out take, and what they do.

Nothing here reads a row of a data set: reports were randomised by their people, and a design needs formulas alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from privet.errors import BadUsage
from privet.verbs._verb_options import Flag, Options

if TYPE_CHECKING:
    from privet.artifact import ReleasedAnswer
    from privet.protect.collect import Collection

Say = Callable[[str], None]
MOST_SIMULATED = 50_000_000


class QuestionOptions(Options):
    """What people are asked: exactly one of these."""

    hint = "Say what is asked: --values yes,no, --categories 500, --number 0:60 or --words 8."
    values: Annotated[
        list[str] | None, Field(description="Categories by name: a,b,c."), Flag(commas=True, example="yes,no")
    ] = None
    listed: Annotated[
        str | None,
        Field(description="Categories from a text file, one on each line."),
        Flag(names=("--values-file",), file="in", example="emoji.txt"),
    ] = None
    categories: Annotated[
        int | None, Field(ge=2, description="Categories by number, to design with."), Flag(example="500")
    ] = None
    number: Annotated[
        str | None, Field(description="A number within bounds: low:high."), Flag(example="0:60")
    ] = None
    words: Annotated[
        int | None, Field(ge=1, description="Words of up to so many characters that nobody listed.")
    ] = None
    alphabet: Annotated[str, Field(min_length=2, description="The characters of words.")] = (
        "abcdefghijklmnopqrstuvwxyz"
    )
    deployment: Annotated[
        str | None,
        Field(description="The settings of a published deployment: apple-emoji, google-rappor, …"),
        Flag(example="apple-emoji"),
    ] = None

    @model_validator(mode="after")
    def _one_question(self) -> Self:
        asked = [self.values, self.listed, self.categories, self.number, self.words]
        given = sum(one is not None for one in asked)
        if given > 1 or (given == 0 and self.deployment is None):
            raise ValueError(
                "a collection asks one question: values, values-file, categories, number or words"
            )
        return self

    def question(self) -> Any:
        """The question; None where the deployment says it."""
        from privet.protect.collect import NumberIn, OneOf, TextOf

        if self.values is not None:
            return OneOf(self.values)
        if self.listed is not None:
            return OneOf(_lines(Path(self.listed)))
        if self.categories is not None:
            return OneOf([f"category {number + 1}" for number in range(self.categories)])
        if self.number is not None:
            return NumberIn(*_bounds(self.number))
        return None if self.words is None else TextOf(self.words, self.alphabet)


class DesignOptions(QuestionOptions):
    """What to expect of a collection before anybody is asked, and its specification."""

    people: Annotated[int, Field(ge=1, description="How many people report."), Flag(example="100000")]
    epsilon: Annotated[float | None, Field(gt=0, le=16, description="Of one report."), Flag(example="2")] = (
        None
    )
    error: Annotated[
        float | None,
        Field(gt=0, description="Instead: the wanted error of a share (or a mean); epsilon is solved for."),
        Flag(example="0.005"),
    ] = None
    oracle: Annotated[str, Field(description="auto, or one by name."), Flag(example="olh")] = "auto"
    per: Annotated[
        Literal["report", "day", "lifetime"], Field(description="What the number of reports is limited for.")
    ] = "report"
    most: Annotated[int, Field(ge=1, description="Reports of one person a day, or in a lifetime.")] = 1
    name: Annotated[str, Field(min_length=1, description="The collection's name.")] = "collection"
    confidence: Annotated[float, Field(ge=0.5, lt=1, description="Of the error.")] = 0.95
    out: Annotated[
        str | None,
        Field(description="Write the specification here (.json)."),
        Flag(names=("-o", "--output"), file="out", example="emoji.json"),
    ] = None

    @model_validator(mode="after")
    def _some_epsilon(self) -> Self:
        if sum(one is not None for one in (self.epsilon, self.error, self.deployment)) != 1:
            raise ValueError("needs one of epsilon, error and deployment")
        return self


class SpecificationOptions(Options):
    """Which collection."""

    specification: Annotated[
        str,
        Field(description="The specification, as `privet collect design -o` writes it."),
        Flag(argument=True, file="in", example="emoji.json"),
    ]


class SimulateOptions(SpecificationOptions):
    """A collection from made-up people, so that its errors can be seen before anybody is asked."""

    people: Annotated[int, Field(ge=1, le=MOST_SIMULATED, description="How many people are made up.")] = (
        100_000
    )
    seed: Annotated[
        int | None, Field(ge=0, description="Repeat exactly; all output is stamped not private.")
    ] = None
    out: Annotated[
        str | None,
        Field(description="Write the made-up reports here (.parquet or .jsonl)."),
        Flag(names=("-o", "--output"), file="out"),
    ] = None


def designed(options: DesignOptions) -> tuple[Collection, dict[str, Any]]:
    """The specification, and what to expect of it."""
    from privet.guarantee import LocalDP
    from privet.protect.collect import (
        Collection,
        NumberIn,
        OneOf,
        deployed,
        epsilon_for_error,
        expected_error,
        forecasts,
    )

    question = options.question()
    if options.deployment is not None:
        found = deployed(options.deployment, getattr(question, "values", None))
    else:
        epsilon = options.epsilon
        if epsilon is None:
            assert options.error is not None
            epsilon = epsilon_for_error(
                question, options.people, options.error, oracle=options.oracle, confidence=options.confidence
            )
        found = Collection(
            options.name, question, LocalDP(epsilon), options.oracle, per=options.per, most=options.most
        )
    asked, compared = found.question, list[dict[str, Any]]()
    if isinstance(asked, OneOf | NumberIn) and options.deployment is None:
        every = forecasts(asked, float(found.epsilon), options.people, confidence=options.confidence)
        compared = [one.to_json() for one in every]
    facts = {
        "people": options.people,
        "epsilon": float(found.epsilon),
        "oracle": found.oracle,
        "error": expected_error(found, options.people, confidence=options.confidence),
        "unit": "mean" if isinstance(asked, NumberIn) else "share",
        "fingerprint": found.fingerprint,
        "oracles": compared,
    }
    if options.out is not None:
        found.save(options.out)
    return found, facts


def simulated(options: SimulateOptions, say: Say = lambda _: None) -> tuple[ReleasedAnswer, dict[str, Any]]:
    """The estimate from made-up people, and how far it was from what they had."""
    from privet.protect.collect import Collection, simulate

    found = Collection.load(options.specification)
    return simulate(found, options.people, seed=options.seed, out=options.out, progress=say)


def _bounds(text: str) -> tuple[float, float]:
    low, mark, high = text.partition(":")
    try:
        return float(low), float(high if mark else "")
    except ValueError:
        raise BadUsage("the bounds of a number could not be read.", "Write --number 0:60.") from None


def _lines(path: Path) -> list[str]:
    from privet.errors import FileProblem
    from privet.evidence import given_text

    try:
        text = given_text(path)
    except (OSError, UnicodeDecodeError):
        raise FileProblem(f"{path.name} cannot be read as text.", "Give a text file in UTF-8.") from None
    return [line for line in text.splitlines() if line]
