"""Transforms of single columns: suppress, mask, round, top-code, shift dates, microaggregate, swap, rank-swap, PRAM."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from privet.verbs._anonymity_models import Word
from privet.verbs._key_ring_option import KeyPlace, key_ring
from privet.verbs._rewrite import Rewrite, Step, Touched
from privet.verbs._verb import VerbWork, register
from privet.verbs._verb_options import Flag, Options
from privet.verbs._written_values import Edge, Names, Number, Values

Columns = Annotated[
    list[Annotated[str, Field(min_length=1)]],
    Field(min_length=1, description="Columns, separated by commas."),
    Flag(commas=True, example="age,income"),
]
Share = Annotated[float, Field(ge=0, le=1)]
_NOTHING = PydanticCustomError("missing", "nothing to do was named")


class SuppressOptions(Options):
    """Which columns are left out, and which values become missing."""

    columns: Annotated[
        list[str], Field(description="Columns to leave out, separated by commas."), Flag(commas=True)
    ] = Field(default_factory=list)
    rare: Annotated[
        dict[str, Annotated[int, Field(ge=1)]],
        Field(description="Values in fewer rows become missing: diagnosis=5."),
        Flag(example="diagnosis=5"),
    ] = Field(default_factory=dict)
    values: Annotated[
        dict[str, Annotated[list[Word], *Values.__metadata__]],
        Field(description="These values become missing: ward=ICU,Hospice."),
        Flag(example="ward=ICU,Hospice"),
    ] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.columns or self.rare or self.values):
            raise _NOTHING
        return self


@register
class Suppress(Rewrite):
    """Leaves out columns, or makes rare or named values missing."""

    name: ClassVar[str] = "suppress"
    options: ClassVar[type[Options]] = SuppressOptions

    def touched(self, options: Any) -> Touched:
        """All that are named."""
        changed = dict.fromkeys([*options.rare, *options.values, *options.columns])
        return Touched(tuple(changed), as_text=tuple(options.values))

    def steps(self, work: VerbWork) -> tuple[list[Step], dict[str, Any]]:
        """Rare values first: a column that is left out has none."""
        from privet.protect.transform import suppress_cells, suppress_columns, suppress_rare
        from privet.source import col

        options: SuppressOptions = work.options
        steps: list[Step] = [(suppress_rare, pair, {}) for pair in options.rare.items()]
        steps += [
            (suppress_cells, (name, col(name).one_of(*values)), {}) for name, values in options.values.items()
        ]
        if options.columns:
            steps.append((suppress_columns, (options.columns,), {}))
        return steps, {}


class MaskOptions(Options):
    """Which texts are hidden, and how much of them."""

    column: Annotated[Names, Field(min_length=1, description="The column."), Flag(example="zip")]
    keep_first: Annotated[int, Field(ge=0, description="Characters to leave readable at the start.")] = 0
    keep_last: Annotated[int, Field(ge=0, description="Characters to leave readable at the end.")] = 0
    sign: Annotated[str, Field(description="The sign that hides.")] = "*"
    same_length: Annotated[bool, Field(description="As many signs as characters, not four.")] = False
    placeholder: Annotated[
        str | None, Field(description="One word for every value, such as <name>."), Flag(example="<name>")
    ] = None
    number: Annotated[
        str | None, Field(description="Number the values: User_ gives User_01."), Flag(example="User_")
    ] = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.placeholder is not None and self.number is not None:
            raise ValueError("a column is either numbered or gets a placeholder")
        return self


@register
class Mask(Rewrite):
    """Hides a part of each text, puts one word in its place, or numbers the values."""

    name: ClassVar[str] = "mask"
    options: ClassVar[type[Options]] = MaskOptions

    def touched(self, options: Any) -> Touched:
        """The columns."""
        return Touched(tuple(options.column), as_text=tuple(options.column))

    def steps(self, work: VerbWork) -> tuple[list[Step], dict[str, Any]]:
        """One for each column."""
        from privet.protect import transform as transforms

        options: MaskOptions = work.options
        if options.placeholder is not None:
            return [(transforms.placeholder, (name, options.placeholder), {}) for name in options.column], {}
        if options.number is not None:
            return [(transforms.numbered, (name, options.number), {}) for name in options.column], {}
        how = options.model_dump(include={"keep_first", "keep_last", "sign", "same_length"})
        return [(transforms.mask, (name,), how) for name in options.column], {}


class RoundOptions(Options):
    """Which numbers are rounded, and to multiples of what."""

    multiples: Annotated[
        dict[str, Number],
        Field(min_length=1, description="The column and what to round it to: age=5."),
        Flag(names=("--to",), example="age=5"),
    ]
    down: Annotated[bool, Field(description="To the multiple below, not to the nearest.")] = False


@register
class Round(Rewrite):
    """Rounds numbers to multiples."""

    name: ClassVar[str] = "round"
    options: ClassVar[type[Options]] = RoundOptions

    def touched(self, options: Any) -> Touched:
        """The columns."""
        return Touched(tuple(options.multiples), typed=tuple(options.multiples))

    def steps(self, work: VerbWork) -> tuple[list[Step], dict[str, Any]]:
        """One for each column."""
        from privet.protect.transform import round_to

        return [(round_to, pair, {"down": work.options.down}) for pair in work.options.multiples.items()], {}


_EDGES = ("above", "below", "top", "bottom")


class TopcodeOptions(Options):
    """Where the ends of a range begin, and what values beyond become."""

    above: Annotated[
        dict[str, Edge], Field(description="Values above become this one: age=89."), Flag(example="age=89")
    ] = Field(default_factory=dict)
    below: Annotated[
        dict[str, Edge], Field(description="Values below become this one: age=18."), Flag(example="age=18")
    ] = Field(default_factory=dict)
    top: Annotated[
        dict[str, Edge],
        Field(description="What values above become, if not the edge: age=90."),
        Flag(example="age=90"),
    ] = Field(default_factory=dict)
    bottom: Annotated[
        dict[str, Edge],
        Field(description="What values below become, if not the edge."),
        Flag(example="age=17"),
    ] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not any(getattr(self, edge) for edge in _EDGES):
            raise _NOTHING
        return self

    def edges(self) -> dict[str, dict[str, Any]]:
        """What is said of each column."""
        found: dict[str, dict[str, Any]] = {}
        for edge in _EDGES:
            for name, value in getattr(self, edge).items():
                found.setdefault(name, {})[edge] = value
        return found


@register
class Topcode(Rewrite):
    """Codes the ends of a range: every value above (or below) an edge becomes one and the same."""

    name: ClassVar[str] = "topcode"
    options: ClassVar[type[Options]] = TopcodeOptions

    def touched(self, options: Any) -> Touched:
        """The columns."""
        return Touched(tuple(options.edges()), typed=tuple(options.edges()))

    def steps(self, work: VerbWork) -> tuple[list[Step], dict[str, Any]]:
        """One for each column."""
        from privet.protect.transform import code_ends

        return [(code_ends, (name,), edges) for name, edges in work.options.edges().items()], {}


class ShiftDatesOptions(Options):
    """Whose dates are moved, how far at most, and with which secret."""

    columns: Columns
    person: Annotated[
        str, Field(description="The column that says whose date it is."), Flag(example="patient_id")
    ]
    max_days: Annotated[int, Field(description="The largest shift, back or forth."), Flag(example="30")]
    dataset: Annotated[
        str,
        Field(description="The project; its tables share pseudonyms, other projects have others."),
        Flag(example="hospital"),
    ]
    domain: Annotated[str | None, Field(description="What persons are called [default: the column].")] = None
    zone: Annotated[
        str | None,
        Field(description="On which clock moments with a time zone are moved: Europe/Berlin."),
        Flag(example="Europe/Berlin"),
    ] = None
    keys: KeyPlace = None


@register
class ShiftDates(Rewrite):
    """Moves all dates of a person by the same secret number of days."""

    name: ClassVar[str] = "shift-dates"
    options: ClassVar[type[Options]] = ShiftDatesOptions

    def touched(self, options: Any) -> Touched:
        """The dates; the person column is looked at."""
        dates = tuple(options.columns)
        return Touched(dates, (options.person,), typed=dates, as_text=(options.person,))

    def steps(self, work: VerbWork) -> tuple[list[Step], dict[str, Any]]:
        """One for all columns."""
        from privet.protect.transform import shift_dates

        options: ShiftDatesOptions = work.options
        ring = key_ring(work)
        how = options.model_dump(include={"person", "dataset", "domain", "max_days", "zone"})
        return [(shift_dates, (options.columns,), {**how, "keys": ring})], {"key": ring.current.id}


class MicroaggregateOptions(Options):
    """Which numbers are averaged, over how many rows at least."""

    columns: Columns
    k: Annotated[int, Field(description="Rows in a group, at least."), Flag(example="5")]


@register
class Microaggregate(Rewrite):
    """Replaces numbers by the mean of a group of at least k rows that are alike."""

    name: ClassVar[str] = "microaggregate"
    options: ClassVar[type[Options]] = MicroaggregateOptions

    def touched(self, options: Any) -> Touched:
        """The columns."""
        return Touched(tuple(options.columns), typed=tuple(options.columns))

    def steps(self, work: VerbWork) -> tuple[list[Step], dict[str, Any]]:
        """One for all columns."""
        from privet.protect.transform import microaggregate

        return [(microaggregate, (work.options.columns, work.options.k), {})], {}


class SwapOptions(Options):
    """Which values change places, how many, and between which records."""

    columns: Columns
    share: Annotated[
        float, Field(description="The share of records that exchange values: 0.1."), Flag(example="0.1")
    ]
    within: Annotated[
        list[str],
        Field(description="Only between records alike in these columns."),
        Flag(commas=True, example="ward"),
    ] = Field(default_factory=list)


@register
class Swap(Rewrite):
    """Lets a share of the records exchange values with a partner at random."""

    name: ClassVar[str] = "swap"
    options: ClassVar[type[Options]] = SwapOptions

    def touched(self, options: Any) -> Touched:
        """The columns; those that partners share are looked at."""
        return Touched(tuple(options.columns), tuple(options.within))

    def steps(self, work: VerbWork) -> tuple[list[Step], dict[str, Any]]:
        """One for all columns."""
        from privet.protect.transform import swap

        how = {"share": work.options.share, "within": work.options.within}
        return [(swap, (work.options.columns,), how)], {}


class RankSwapOptions(Options):
    """Which values change places, and how near their ranks are."""

    columns: Columns
    window: Annotated[
        float,
        Field(description="How far apart ranks may be, as a share of the rows: 0.05."),
        Flag(example="0.05"),
    ]


@register
class RankSwap(Rewrite):
    """Exchanges each number or date with one of a near rank."""

    name: ClassVar[str] = "rank-swap"
    options: ClassVar[type[Options]] = RankSwapOptions

    def touched(self, options: Any) -> Touched:
        """The columns."""
        return Touched(tuple(options.columns), typed=tuple(options.columns))

    def steps(self, work: VerbWork) -> tuple[list[Step], dict[str, Any]]:
        """One for all columns."""
        from privet.protect.transform import rank_swap

        return [(rank_swap, (work.options.columns,), {"window": work.options.window})], {}


class PramOptions(Options):
    """Which categories are drawn anew, how often, and from what."""

    column: Annotated[str, Field(min_length=1, description="The column of categories."), Flag(example="ward")]
    keep: Annotated[float, Field(description="The probability that a value stays."), Flag(example="0.8")]
    towards: Annotated[
        Literal["marginal", "uniform"],
        Field(description="Draw from the column's own shares, or from all values alike."),
    ] = "marginal"


@register
class Pram(Rewrite):
    """Keeps each value with a probability, else draws it anew (post-randomisation)."""

    name: ClassVar[str] = "pram"
    options: ClassVar[type[Options]] = PramOptions

    def touched(self, options: Any) -> Touched:
        """The column."""
        return Touched((options.column,))

    def steps(self, work: VerbWork) -> tuple[list[Step], dict[str, Any]]:
        """One."""
        from privet.protect.transform import pram

        options: PramOptions = work.options
        return [(pram, (options.column,), {"keep": options.keep, "towards": options.towards})], {}
