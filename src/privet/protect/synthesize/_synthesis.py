"""Synthetic twins of private data, of whatever kind: the one function that people call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, Unpack, overload

from privet.artifact import ReleasedTwin, ReleasedTwins
from privet.errors import BadSynthesis, checked
from privet.guarantee import Promise
from privet.ledger import Ledger
from privet.protect.synthesize._linked_twins import synthesize_linked
from privet.protect.synthesize._synthesize import synthesize as synthesize_table
from privet.protect.synthesize._table_domain import KnownSchema
from privet.protect.synthesize._workload import Workload
from privet.protect.synthesize.evolution import (
    EvolutionSettings,
    Images,
    SampleEmbedder,
    SampleGenerator,
    evolve_samples,
)
from privet.source import Table


class _Booked(TypedDict, total=False):
    rows: int | None
    purpose: str | None
    analyst: str | None
    again: bool
    progress: Callable[[str], None] | None


class TableOptions(_Booked, total=False):
    """What may be said of the twin of a table; see `synthesize`."""

    method: str
    columns: Sequence[str] | None
    schema: KnownSchema | Mapping[str, KnownSchema] | None
    bins: Mapping[str, int | Sequence[float]] | None
    workload: Workload | None
    rules: Sequence[str]
    zeros: Sequence[str]
    model_cells: int


class SampleOptions(_Booked, total=False):
    """What may be said of a twin of texts or pictures; see `synthesize`."""

    embedder: SampleEmbedder | None
    text: str | None
    label: str | None
    labels: Sequence[str] | None
    shares: Mapping[str, float] | None
    evolution: EvolutionSettings | None


class EveryOption(TableOptions, SampleOptions, total=False):
    """All keywords that some twin takes."""


_OF_TABLES = frozenset(TableOptions.__annotations__) - frozenset(_Booked.__annotations__)
_OF_SAMPLES = frozenset(SampleOptions.__annotations__) - frozenset(_Booked.__annotations__)


@overload
def synthesize(
    thing: Table, promise: Promise, *, ledger: Ledger, why: str, **options: Unpack[TableOptions]
) -> ReleasedTwin: ...
@overload
def synthesize(
    thing: Table,
    promise: Promise,
    *,
    ledger: Ledger,
    why: str,
    children: Mapping[str, Table],
    **options: Unpack[TableOptions],
) -> ReleasedTwins: ...
@overload
def synthesize(
    thing: Table | Images,
    promise: Promise,
    *,
    ledger: Ledger,
    why: str,
    generator: SampleGenerator,
    **options: Unpack[SampleOptions],
) -> ReleasedTwin: ...
@checked
def synthesize(
    thing: Any,
    promise: Promise,
    *,
    ledger: Ledger,
    why: str,
    generator: SampleGenerator | None = None,
    children: Mapping[str, Table] | None = None,
    **options: Unpack[EveryOption],
) -> ReleasedTwin | ReleasedTwins:
    """Make a synthetic twin under differential privacy, of a table, of texts or of pictures: data to hand around.

    Args:
        thing: A table opened with `open_table(…, unit=…)`: the unit is what is hidden, and of a person at most `max_rows`
            rows count. Or `Images`.
        promise: `ApproxDP(epsilon, delta)` or `ZeroConcentratedDP(rho)`, for everything together.
        ledger: Where it is booked, whole and before anything is counted.
        why: The reason, for the ledger.
        generator: What makes samples, for texts and pictures (Private Evolution): `Phrases`, `Glyphs`, `Avatars`,
            `OpenAICompatible`, `LocalLanguageModel` or functions of your own. It never sees a private sample.
        children: Other tables of the same persons by name, of a table with one row for each: patients, and their
            {"stays": stays}. Each is opened with the person as its unit, and `max_rows` says how many rows of one
            person count. The twins join: keys are surrogates. `rows` is then the number of persons; columns of another
            table are called "stays.ward", and "stays" is how many rows of it a person has.
        options: `rows`, how many to make; left out, as many as noisy counts say, or as live in the evolution. `purpose`
            and `analyst`, whose budgets are charged as well; `again`, to spend for a fresh twin where this very one was
            made before; `progress`, called with what is being done.
            Of a table: `method`, "aim" (adaptive marginals), "mst" (a tree of pairs, quick), "evolve" (rows evolve by votes,
            for structure of high order) or "auto", which decides by noisy evidence; `columns`, if not all (those that
            name a person become surrogates, free text is left out); `schema`, public bounds and values
            as `privet schema` drafts them, without which what the table does not state is bought for a tenth of the
            budget; `bins`, how many a number or date gets, or its edges; `workload`, what the twin should get right;
            `rules`, what every row keeps, as in "discharged >= admitted"; `zeros`, combinations that cannot be, as in
            "sex == male and pregnant == true", where the model holds nothing;
            `model_cells`, how many numbers the model may hold.
            With a generator: `text` and `label`, the columns of texts and of their classes; `labels`, the public list of
            classes, of which others have no vote; `shares`, public shares of the classes, bought for a twentieth of the
            budget where they are left out; `embedder`, which says how alike samples are and sees private ones (by default
            `HashedWords` or `Pixels`); `evolution`, an `EvolutionSettings`.

    Guarantee:
        The rows, and everything in the record, keep `promise` for the unit, against everybody who sees them and whatever
        they know. One booking pays for the whole run: adaptive rounds draw from it under a filter that refuses what would
        pass it, and votes get noise that was fixed beforehand. Rows are made from noisy numbers alone, so making more of
        them costs nothing: the ledger keeps the numbers.
    Assumes:
        Bounds, values, labels, bins, workload and the number of rows were chosen without these data (their origin is
        stated), and the person column identifies persons. A generator and its prompts were made without these data, and
        an embedder looks at each sample by itself.
    """
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if generator is not None:
        if children is not None:
            raise BadSynthesis(
                "a generator makes texts and pictures, and children are other tables.",
                "Leave one of them out.",
            )
        if unfit := sorted(given.keys() & _OF_TABLES):
            raise BadSynthesis(
                f"a generator makes texts and pictures, and {', '.join(unfit)} is about the columns of a table.",
                "Leave it out, or leave out the generator.",
            )
        given["settings"] = given.pop("evolution", None)
        return evolve_samples(
            thing, promise, generator=generator, ledger=ledger, why=why, **given
        )  # what is neither a table nor pictures is refused there
    if not isinstance(thing, Table) or given.keys() & _OF_SAMPLES:
        raise BadSynthesis(
            "texts and pictures are made by a generator, and none was given.",
            "Add generator=pv.Phrases(…), pv.Glyphs(…), pv.OpenAICompatible(url, model) or pv.LocalLanguageModel(path).",
        )
    if children is not None:
        return synthesize_linked(thing, promise, children=children, ledger=ledger, why=why, **given)
    if isinstance(given.get("schema"), Mapping):
        raise BadSynthesis(
            "one table has one schema.", "Give it as schema=…; schemas by name go with children=."
        )
    return synthesize_table(thing, promise, ledger=ledger, why=why, **given)
