"""Train a language model on a column of texts, under a promise for a document or a person; and let one go on with a prompt."""

from __future__ import annotations

import os
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from privet.dataset import ASK_UNIT, Declaration, Positive, Purpose
from privet.errors import BadUsage, UnitNotStated
from privet.guarantee import ApproxDP, Person, Promise, Row
from privet.verbs._verb import Bound, Done, Exposed, Spending, Verb, VerbWork, register
from privet.verbs._verb_options import Flag, Options

if TYPE_CHECKING:
    from privet.dataset import DataSet, Seen
    from privet.protect.train.gradients import Progress, StepSpeed
    from privet.protect.train.language import LanguageDesign, LanguageRecipe
    from privet.source import Table
    from privet.verbs._request import Request

MOST_TEXTS = 100  # of one person, where nobody says how many are read
RUN = "run"  # where a training keeps what it needs to be taken up


class TrainLanguageOptions(Options):
    """Which network is trained on which texts, and what that may cost. `records` is a public number of units, not a count."""

    epsilon: Annotated[Positive, Field(description="Promise epsilon for the model."), Flag(example="2")]
    delta: Annotated[
        Decimal, Field(gt=0, lt=1, description="And a failure probability of delta."), Flag(example="1e-6")
    ]
    records: Annotated[
        int,
        Field(gt=0, description="About how many units there are, as a public number; at most, with --cut."),
        Flag(example="1000"),
    ]
    text: Annotated[
        str | None,
        Field(description="The column of texts [default: the only one of text]."),
        Flag(example="note"),
    ] = None
    each: Annotated[
        Literal["document", "sequence"] | None,
        Field(description="Of rows that are texts: hide each document whole, or each sequence of one."),
    ] = None
    model: Annotated[
        str,
        Field(
            min_length=1,
            description="A shape (llama, gemma or gpt2 with -tiny, -small, -base, -medium, -large or -LAYERSxWIDTH), or the folder of a "
            "public causal model.",
        ),
        Flag(example="llama-small"),
    ] = "llama-tiny"
    tokenizer: Annotated[
        str | None,
        Field(description="The folder of a public tokenizer, or 'bytes' [default: the model's, or bytes]."),
        Flag(example="bytes"),
    ] = None
    lora: Annotated[
        int | None,
        Field(ge=1, le=1024, description="Train adapters of this rank on a public model, and nothing else."),
        Flag(example="8"),
    ] = None
    sequence: Annotated[int, Field(ge=2, le=2**20, description="Tokens of a sequence.")] = 128
    sequences: Annotated[
        int | None,
        Field(
            ge=1,
            le=10_000,
            description="Sequences of a unit that count in a step [default: 4; 1 where a row or a sequence is the unit].",
        ),
    ] = None
    steps: Annotated[
        int | None,
        Field(
            ge=1, le=10_000_000, description="How many steps to take [default: 300, or what --noise allows]."
        ),
    ] = None
    noise: Annotated[
        float | None,
        Field(
            gt=0,
            le=1e6,
            description="Instead of steps: the noise, in clipping bounds; it stops when the promise is used up.",
        ),
        Flag(example="1.0"),
    ] = None
    batch: Annotated[
        int | None,
        Field(ge=1, description="Units in a batch, on average [default: by a rule]."),
        Flag(example="256"),
    ] = None
    cut: Annotated[
        int | None,
        Field(ge=1, description="Cut batches at so many units; accounted as that."),
        Flag(example="300"),
    ] = None
    clipping: Annotated[float, Field(gt=0, le=1e6, description="The largest norm of a unit's gradient.")] = (
        1.0
    )
    rate: Annotated[
        float | None,
        Field(gt=0, lt=1e3, description="The learning rate of Adam [default: by the width]."),
        Flag(example="0.004"),
    ] = None
    physical: Annotated[
        int, Field(ge=1, le=65_536, description="Sequences in memory at once; batches are accumulated.")
    ] = 64
    held_out: Annotated[
        str | None,
        Field(description="Lines of public text: the loss on them is measured on the way, and published."),
        Flag(file="in", example="public.txt"),
    ] = None
    public: Annotated[
        str | None,
        Field(description="Lines of public text to train on first; no promise covers them."),
        Flag(file="in", example="public.txt"),
    ] = None
    public_steps: Annotated[int, Field(ge=1, le=1_000_000, description="How many steps on public text.")] = (
        200
    )
    seed: Annotated[int, Field(ge=0, lt=2**62, description="Of the first weights, which are public.")] = 0
    holdout: Annotated[
        float | None,
        Field(gt=0, lt=1, description="The share of people to hold out, as a control for attacks."),
        Flag(example="0.1"),
    ] = None


class GenerateOptions(Options):
    """Which model goes on with what."""

    model: Annotated[
        str,
        Field(
            min_length=1,
            description="The folder of a causal language model, ours or any that transformers loads.",
        ),
        Flag(argument=True, example="model"),
    ]
    prompt: Annotated[str, Field(description="The beginning of a text.")] = ""
    tokens: Annotated[int, Field(ge=1, le=100_000, description="At most so many are added.")] = 64
    temperature: Annotated[
        float,
        Field(ge=0, lt=100, description="0 for the likeliest token each time; 1 draws with its probability."),
    ] = 0.0
    copies: Annotated[int, Field(ge=1, le=1000, description="How many texts, where they are drawn.")] = 1
    seed: Annotated[int, Field(ge=0, lt=2**62, description="Of what is drawn.")] = 0


@register
class TrainLanguageVerb(Verb):
    """Reads the column of texts. All that training depends on is public, so its price is known."""

    name: ClassVar[str] = "train-language-model"
    output: ClassVar[str] = "model"
    audience: ClassVar[Literal["owner", "public"]] = "public"
    endings: ClassVar[tuple[str, ...]] = ("",)
    options: ClassVar[type[Options]] = TrainLanguageOptions
    beside: ClassVar[tuple[str, ...]] = ("held_out", "public")

    def columns(self, options: Any, declaration: Declaration, purpose: Purpose) -> tuple[str, ...]:
        """The one that is named; the texts that the purpose allows otherwise."""
        del declaration
        return (options.text,) if options.text is not None else tuple(purpose.columns)

    def gaps(self, options: Any, declaration: Declaration, purpose: Purpose) -> list[tuple[str, str]]:
        """Which column holds the texts, and how many rows of one person are read."""
        del purpose
        found = []
        if options.text is None:
            found.append(("text", "nothing says which column holds the texts: give text"))
        if declaration.dataset.unit.column != "row" and declaration.dataset.unit.max_rows is None:
            found.append(("text", "nothing says how many rows of one person count: give the unit's max_rows"))
        return found

    def promise(self, options: Any) -> ApproxDP:
        """As stated."""
        return ApproxDP(options.epsilon, options.delta)

    def spends(self, step: Bound, table: Table, accounting: str, folder: Path) -> Spending:
        """What the plan books."""
        del accounting
        options: TrainLanguageOptions = step.options
        design = self._design(table, options, folder)
        made = _recipe(options, folder).plan(
            design.network, self.promise(options), design.unit, options.records
        )
        return Spending(made.event, self.promise(options), notes=(design.terms.sentence(),))

    def bare_table(self, data: DataSet, asked: Request) -> Table:
        """Whose texts they are is never guessed."""
        if asked.unit is None:
            raise UnitNotStated("say whose presence is hidden.", ASK_UNIT)
        unit = Row() if asked.unit == "row" else Person(asked.unit, max_rows=asked.max_rows or MOST_TEXTS)
        return data.table(unit=unit, delimiter=asked.delimiter)

    def refuse(self, table: Table, options: Any, columns: tuple[str, ...] | None, folder: Path) -> None:
        """What training would refuse before it books anything."""
        del columns
        for named in (options.held_out, options.public):
            _lines(named, folder)
        self._design(table, options, folder)

    def own_limit(self, options: Any) -> Promise:
        """A ledger that is made for one model holds that model and no more."""
        return self.promise(options)

    def run(self, work: VerbWork) -> Done:
        """Train; what a killed training needs to be taken up is kept until the model stands."""
        from privet.protect.train.language import train_language_model

        options: TrainLanguageOptions = work.options

        def told(shown: Progress) -> None:
            work.say(f"step {shown.step} of {shown.steps}, epsilon so far {shown.epsilon:.3g}")

        made = train_language_model(
            work.table,
            self.promise(options),
            records=options.records,
            ledger=work.book,
            why=work.why,
            recipe=_recipe(options, work.folder),
            unit=options.each,
            text=options.text,
            speed=_speed(options),
            folder=None if work.scratch is None else work.scratch / RUN,
            held_out=_lines(options.held_out, work.folder),
            public=_lines(options.public, work.folder),
            public_steps=options.public_steps,
            progress=told,
            purpose=work.purpose,
            analyst=work.analyst,
        )
        if work.to is not None:
            made.save(work.to)
        record = made.record
        facts = {
            "architecture": record.architecture,
            "numbers": record.weights,
            "origin": record.origin,
            "tokenizer": record.tokenizer,
            "steps": record.plan["steps"],
            "batch": record.plan["batch"],
            "terms": record.terms.sentence(),
            "unit": record.unit,
            "curve": [list(one) for one in record.curve],
            "notes": list(record.notes),
        }
        return Done(made.promise, made.receipt, facts, made=made)

    def load(self, path: Path) -> Any:
        """The model."""
        from privet.protect.train.language import ReleasedLanguageModel

        return ReleasedLanguageModel.load(path)

    def exposed(self, step: Bound, path: Path, seen: Seen, folder: Path) -> tuple[Exposed, ...]:
        """The model with the texts that it was trained on; those of people kept apart are the control."""
        del folder
        settings = {} if step.options.text is None else {"text": step.options.text}
        return (Exposed(self.load(path), seen.table, seen.held, settings=settings),)

    def _design(self, table: Table, options: TrainLanguageOptions, folder: Path) -> LanguageDesign:
        from privet.protect.train.language import designed

        return designed(
            table,
            self.promise(options),
            records=options.records,
            recipe=_recipe(options, folder),
            unit=options.each,
            text=options.text,
        )


def went_on(options: GenerateOptions) -> tuple[tuple[str, ...], Any]:
    """What a model goes on with; and the model itself, where it is one of ours."""
    from privet.artifact import LANGUAGE, kind_of_model
    from privet.protect.train.language import (
        ReleasedLanguageModel,
        generated,
        given_tokenizer,
        public_network,
    )

    drawn: dict[str, Any] = {
        "tokens": options.tokens,
        "temperature": options.temperature,
        "seed": options.seed,
        "copies": options.copies,
    }
    if kind_of_model(options.model) == LANGUAGE:
        ours = ReleasedLanguageModel.load(options.model)
        return ours.generate(options.prompt, **drawn), ours
    network, text = public_network(options.model), given_tokenizer(options.model)
    return generated(network, text, options.prompt, **drawn), None


def _recipe(options: TrainLanguageOptions, folder: Path) -> LanguageRecipe:
    from privet.protect.train.language import LanguageRecipe, is_shape_name

    place = options.model if is_shape_name(options.model) else str(folder / options.model)
    tokenizer = options.tokenizer
    if tokenizer not in (None, "bytes"):
        tokenizer = str(folder / str(tokenizer))
    steps = options.steps if options.steps is not None or options.noise is not None else 300
    return LanguageRecipe(
        model=place,
        tokenizer=tokenizer,
        lora=options.lora,
        sequence=options.sequence,
        sequences=options.sequences,
        steps=steps,
        noise_multiplier=options.noise,
        batch=options.batch,
        sampling="poisson" if options.cut is None else "truncated",
        cut=options.cut,
        clipping=options.clipping,
        rate=options.rate,
        seed=options.seed,
    )


def _speed(options: TrainLanguageOptions) -> StepSpeed:
    """Physical batches; and every process that torchrun started takes part."""
    from privet.protect.train.gradients import StepSpeed

    return StepSpeed(physical=options.physical, ranks=int(os.environ.get("WORLD_SIZE", "1")) > 1)


def _lines(named: str | None, folder: Path) -> list[str]:
    """Lines of public text."""
    from privet.protect.train.language import public_texts

    if named is None:
        return []
    found = [line for text in public_texts([folder / named]) for line in text.split("\n") if line.strip()]
    if not found:
        raise BadUsage(f"{Path(named).name} holds no text.", "Give lines of public text.")
    return found
