"""Twins of texts and pictures by Private Evolution: from what people ask for to what leaves."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet import __version__
from privet.artifact import Provenance, ReleasedTwin, TwinColumn, TwinMeasurement
from privet.errors import BadSynthesis, BudgetExceeded
from privet.guarantee import Promise, Unit, unit_to_json, zcdp_cost
from privet.ledger import SENT, Ledger, Permit
from privet.mechanism import fresh_bytes, fresh_generator
from privet.protect._admission import admitted
from privet.protect._exactly_once import Booking, Draw, released
from privet.protect.synthesize.evolution._evolution_plan import (
    EvolutionPlan,
    EvolutionSettings,
    plan_evolution,
)
from privet.protect.synthesize.evolution._evolution_run import Evolution, embedded_privately
from privet.protect.synthesize.evolution._local_embedders import HashedWords, Pixels
from privet.protect.synthesize.evolution._nearest_votes import STEP
from privet.protect.synthesize.evolution._private_samples import (
    Images,
    PrivateSamples,
    most_of,
    text_samples,
)
from privet.protect.synthesize.evolution._prompts import Prompts
from privet.protect.synthesize.evolution._round_record import Round, packed_round, unpacked_round
from privet.protect.synthesize.evolution._sample_generator import (
    Sample,
    SampleEmbedder,
    SampleGenerator,
    allowed_host,
    exactly,
    form_of,
    points_of,
)
from privet.protect.synthesize.evolution._vote_selection import apportioned
from privet.source import Table

if TYPE_CHECKING:
    import pyarrow as pa

_PROBES = 2


def evolve_samples(  # noqa: PLR0913
    thing: Table | Images,
    promise: Promise,
    *,
    generator: SampleGenerator,
    ledger: Ledger,
    why: str,
    embedder: SampleEmbedder | None = None,
    rows: int | None = None,
    text: str | None = None,
    label: str | None = None,
    labels: Sequence[str] | None = None,
    shares: Mapping[str, float] | None = None,
    settings: EvolutionSettings | None = None,
    purpose: str | None = None,
    analyst: str | None = None,
    again: bool = False,
    progress: Callable[[str], None] | None = None,
) -> ReleasedTwin:
    """Synthetic texts or pictures by Private Evolution; see `synthesize`."""
    say = progress or (lambda _: None)
    # Pictures have no terms, and are approved by a second person first all the same, where that is demanded.
    purpose = admitted([thing] if isinstance(thing, Table) else [], "twin", ledger=ledger, purpose=purpose)
    plan, chosen = planned_evolution(
        thing,
        promise,
        generator=generator,
        embedder=embedder,
        accounting=ledger.accounting,
        text=text,
        label=label,
        labels=labels,
        shares=shares,
        settings=settings,
        rows=rows,
    )
    if again:
        # Another question altogether: the rounds of the first one stay what they are.
        plan = replace(plan, about={**plan.about, "again": fresh_bytes(16).hex()})
    booking = Booking(ledger, why, purpose, analyst)
    stored = released(
        booking,
        plan.question(),
        spend={"event": plan.event, "unit": plan.unit, "promise": plan.promise, "data": plan.data},
        prepared=lambda: _drawing(thing, plan, generator, chosen, booking, (text, label), rows, say),
    )
    population, found = _population(stored, generator)
    receipt = _paid(ledger, plan)
    say("making samples")
    table = _written(plan, generator, population, np.asarray(found), rows or plan.settings.population)
    return _twin(plan, table, receipt, generator, chosen, thing)


def planned_evolution(  # noqa: PLR0913
    thing: Table | Images,
    promise: Promise,
    *,
    generator: SampleGenerator,
    embedder: SampleEmbedder | None,
    accounting: str,
    text: str | None,
    label: str | None,
    labels: Sequence[str] | None,
    shares: Mapping[str, float] | None,
    settings: EvolutionSettings | None,
    rows: int | None,
) -> tuple[EvolutionPlan, SampleEmbedder]:
    """What would be booked, with all that can be refused refused; reads no private sample."""
    if rows is not None and rows < 1:
        raise BadSynthesis("at least one sample is made.", "Write rows=2_000, for example.")
    if not isinstance(generator, SampleGenerator):
        raise BadSynthesis(
            "this is no generator: it lacks random, variation, shown, packed, unpacked or described.",
            "Use pv.Phrases, pv.Glyphs, pv.Avatars, pv.OpenAICompatible, pv.LocalLanguageModel or pv.CallableGenerator.",
        )
    unit = _refuse_columns(thing, text, label, labels)
    chosen = embedder or (Pixels() if isinstance(thing, Images) else HashedWords())
    allowed_host(chosen)
    plan = plan_evolution(
        promise,
        unit=unit,
        most=most_of(unit),
        data=thing.fingerprint,
        settings=settings or EvolutionSettings(),
        labels=labels,
        shares=shares,
        accounting=accounting,
        about={
            "text": text,
            "label": label,
            "generator": generator.described(),
            "embedder": chosen.described(),
        },
    )
    return plan, chosen


def evolution_outlook(plan: EvolutionPlan, generator: SampleGenerator, rows: int | None) -> tuple[str, ...]:
    """What is to be expected of a run, in sentences: its rounds, its noise, and what the generator is asked for."""
    new, varied = plan.samples_made(rows)
    settings = plan.settings
    of_models = getattr(generator, "outlook", None)
    return (
        f"Private samples vote in {settings.rounds} rounds, each with noise of {float(plan.sigma):.3g} votes (a standard "
        f"deviation) on every candidate; {settings.population:,} samples live.",
        f"The generator makes {new:,} new samples and {varied:,} variations.",
        *([of_models(new, varied)] if of_models is not None else []),
        *_asked(generator),
    )


def _asked(generator: SampleGenerator) -> tuple[str, ...]:
    """What a language model is asked, as it stands."""
    prompts = getattr(generator, "prompts", None)
    if not isinstance(prompts, Prompts):
        return ()
    return (f"For a new text it is asked: {prompts.random}", f"For a variation: {prompts.variation}")


def _refuse_columns(
    thing: Table | Images, text: str | None, label: str | None, labels: Sequence[str] | None
) -> Unit:
    if not isinstance(thing, Table | Images):
        raise BadSynthesis(
            f"a twin is made of a table or of Images, not of {type(thing).__name__}.",
            "Open texts with pv.open_table(…), and give pictures as pv.Images(array).",
        )
    if isinstance(thing, Images):
        if text is not None or label is not None:
            raise BadSynthesis(
                "pictures have no columns.", "Give labels to Images, and leave text and label out."
            )
        if labels is not None and not thing.labelled:
            raise BadSynthesis(
                "there are public labels, and nobody says which picture has which.",
                "Write Images(…, labels=…), one for each picture, or leave labels out.",
            )
        return thing.unit
    if text is None or text not in thing.columns:
        raise BadSynthesis("which column holds the texts is not said, or is not there.", "Write text='note'.")
    if label is not None and label not in thing.columns:
        raise BadSynthesis("the column of labels is not there.", "Name a column of the table.")
    if (label is None) != (labels is None):
        raise BadSynthesis(
            "a column of labels and the public list of labels are said together.",
            "Write label='ward', labels=['Surgery', 'Cardiology'] (--label ward --labels Surgery,Cardiology): what is not in "
            "the list does not vote.",
        )
    return thing.unit_or_refuse()


def _drawing(  # noqa: PLR0917
    thing: Table | Images,
    plan: EvolutionPlan,
    generator: SampleGenerator,
    embedder: SampleEmbedder,
    booking: Booking,
    columns: tuple[str | None, str | None],
    rows: int | None,
    say: Callable[[str], None],
) -> Draw:
    """What draws. Models are tried on synthetic samples first: what does not work costs nothing then."""
    capped = getattr(generator, "refuse_beyond_cap", None)
    if capped is not None and booking.ledger.paid(plan.question()) is None:
        capped(_PROBES + sum(plan.samples_made(rows)))
    label = plan.labels[0] if plan.labels else None
    probes = exactly(_PROBES, generator.random(_PROBES, label))
    kept = unpacked_round(packed_round(Round([probes], np.zeros(0, np.int64)), generator), generator)
    shown = [generator.shown(one) for one in probes]
    form, places = form_of([*shown, *map(generator.shown, kept.candidates[0])]), points_of(embedder, shown)
    if not np.isfinite(places).all():
        raise BadSynthesis(
            "the embedder gives numbers that are not finite for what the generator makes.",
            "Try both by themselves: embedder.embed([generator.shown(one) for one in generator.random(2, label)]).",
        )
    text, column = columns
    private: PrivateSamples
    if isinstance(thing, Images):
        if thing.shape != form and isinstance(embedder, Pixels):
            raise BadSynthesis(
                "the generator draws pictures of another shape than the private ones.",
                f"Let it draw pictures of shape {thing.shape}.",
            )
        private = thing.samples(plan.labels)
    else:
        assert text is not None
        private = text_samples(thing, text, column, plan.labels)
    _told_before_sent(plan, embedder, booking)
    say("embedding")
    points, failed = embedded_privately(embedder, private, places.shape[1])
    run = Evolution(plan, generator, embedder, private, points, failed, form, most_of(plan.unit), say)

    def draw(permit: Permit) -> bytes:
        return run.drawn(permit, booking.ledger)

    return draw


def _told_before_sent(plan: EvolutionPlan, embedder: SampleEmbedder, booking: Booking) -> None:
    """Enter in the ledger that private samples go to another machine, before one does; none goes for a run that is not booked."""
    host, question = allowed_host(embedder), plan.question()
    if host is None:
        return
    booking.ledger.refuse_unapproved()
    booking.ledger.refuse_other_unit(plan.unit)
    quote = booking.ledger.quote(plan.event, purpose=booking.purpose, analyst=booking.analyst)
    if booking.ledger.paid(question) is None and not quote.admitted:
        raise BudgetExceeded(
            f"nothing was sent to {host}, since the budget does not cover the run: {quote.reason}",
            "Promise less, or open another budget.",
        )
    booking.ledger.anchor(
        SENT, question, why=f"private samples are embedded by {host} [{booking.why}]", said={"host": host}
    )


def _population(stored: bytes, generator: SampleGenerator) -> tuple[list[list[Sample]], list[float]]:
    record = json.loads(stored)
    found = [[generator.unpacked(one) for one in part] for part in record["population"]]
    return found, record["shares"]


def _paid(ledger: Ledger, plan: EvolutionPlan) -> Any:
    kept = ledger.recall(plan.question())
    return None if kept is None else kept[0]


def _written(
    plan: EvolutionPlan,
    generator: SampleGenerator,
    population: list[list[Sample]],
    shares: Any,
    rows: int,
) -> pa.Table:
    """As many samples as were asked for: those that live, then variations of them, which cost nothing."""
    import pyarrow as pa

    draws = fresh_generator()
    labels: Sequence[str | None] = plan.labels or (None,)
    sizes = apportioned(max(rows, len(labels)), shares)
    shown: list[Any] = []
    named: list[str | None] = []
    for part, label, size in zip(population, labels, sizes, strict=True):
        made = [generator.shown(one) for one in part[: int(size)]]
        while len(made) < size:
            some = [part[int(draws.integers(len(part)))] for _ in range(int(size) - len(made))]
            varied = exactly(len(some), generator.variation(some, label, plan.settings.degrees[1]))
            made += [generator.shown(one) for one in varied]
        shown += made
        named += [label] * len(made)
    order = draws.permutation(len(shown))[:rows]
    samples = [shown[at] for at in order]
    columns: dict[str, Any] = {}
    if form_of(samples) is None:
        columns[str(plan.about.get("text") or "text")] = pa.array(samples, pa.string())
    else:
        flat = [np.asarray(one, dtype=np.float32).reshape(-1).tolist() for one in samples]
        columns["image"] = pa.array(flat, pa.list_(pa.float32()))
    if plan.labels is not None:
        columns[str(plan.about.get("label") or "label")] = pa.array([named[at] for at in order], pa.string())
    return pa.table(columns)


def _twin(  # noqa: PLR0917
    plan: EvolutionPlan,
    table: pa.Table,
    receipt: Any,
    generator: SampleGenerator,
    embedder: SampleEmbedder,
    thing: Table | Images,
) -> ReleasedTwin:
    measured = [
        TwinMeasurement(
            "class shares" if plan.buys_shares and at == 0 else "votes",
            (),
            float(zcdp_cost(event, change=plan.unit.change).rho),
            float(event.sigma) / STEP,
            1,
        )
        for at, event in enumerate(plan.draws)
    ]
    notes = [
        f"Generator: {_said(generator.described())}.",
        f"Embedder: {_said(embedder.described())}.",
    ]
    if embedder.remote is not None:
        notes.append(f"Private samples were sent to {embedder.remote} to be embedded.")
    engine = thing.relation.engine if isinstance(thing, Table) else "memory"
    return ReleasedTwin(
        promise=plan.promise,
        method="Private Evolution",
        rows=table.num_rows,
        columns=tuple(
            TwinColumn(name, "text" if name != "image" else "image", 1, "made") for name in table.column_names
        ),
        measured=tuple(measured),
        unit=unit_to_json(plan.unit),
        provenance=Provenance(
            question=f"{plan.settings.rounds} rounds of votes, sigma {float(plan.sigma):.4g}",
            data=plan.data,
            engine=engine,
            versions={"privet": __version__},
            stages=_stages(plan),
        ),
        receipt=receipt,
        notes=tuple(notes),
        held=table,
    )


def _said(what: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value!r}" if name != "kind" else value for name, value in what.items())


def _stages(plan: EvolutionPlan) -> tuple[str, ...]:
    settings = plan.settings
    first = ("Count class labels with discrete Gaussian noise",) if plan.buys_shares else ()
    return (
        *first,
        f"In each of {settings.rounds} rounds every private sample votes for its {settings.votes} nearest candidate(s); "
        f"each person's votes are scaled to length one and get noise of standard deviation {float(plan.sigma):.4g}",
        f"Candidates live by their noisy votes ({settings.selection}) and are varied by the generator",
    )
