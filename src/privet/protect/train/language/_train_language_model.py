"""Training a language model on private texts: booked whole before a step is taken, and saved as transformers reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.artifact import LanguageRecord, UnitTerms
from privet.engine import OWNER, ColumnKind, did_you_mean, unit_rows
from privet.errors import BadTraining, checked
from privet.guarantee import Person, Promise, Row, Unit, unit_to_json
from privet.ledger import Ledger
from privet.protect._admission import admitted
from privet.protect.train.language._language_design import (
    GIVEN,
    Given,
    LanguageRecipe,
    stated_unit,
    table_unit,
)
from privet.protect.train.language._public_loss import public_loss, warm_start
from privet.protect.train.language._released_language_model import ReleasedLanguageModel
from privet.protect.train.language._text_sequences import TextSequences, packed, texts_by_unit
from privet.protect.train.language._text_tokenizer import TextTokenizer
from privet.source import Table

if TYPE_CHECKING:
    from privet.protect.train.gradients import Optimizer, OwnerView, Progress, StepSpeed, TrainedModel

_POINTS = 10  # of a learning curve


@checked
def train_language_model(  # noqa: PLR0913
    texts: Any,
    promise: Promise,
    *,
    records: int,
    ledger: Ledger,
    why: str,
    recipe: LanguageRecipe | None = None,
    unit: Given | Unit | None = None,
    people: Sequence[Any] | None = None,
    text: str | None = None,
    optimizer: Optimizer | None = None,
    speed: StepSpeed | None = None,
    folder: str | Path | None = None,
    held_out: Iterable[str] = (),
    public: Iterable[str] = (),
    public_steps: int = 200,
    progress: Callable[[Progress], None] | None = None,
    owner: Callable[[OwnerView], None] | None = None,
    purpose: str | None = None,
    analyst: str | None = None,
) -> ReleasedLanguageModel:
    """Train a causal language model on private texts, under a promise for a sequence, a document or a person.

    Args:
        texts: a list of texts, or a table (`open_table`) with a column of them.
        promise: `ApproxDP(epsilon, delta)`.
        records: how many units there are, as a *public* number; an estimate is fine, and for truncated batches an upper bound.
        ledger: what the run is booked in, whole and before the first step.
        why: the reason, for auditors.
        recipe: network, tokenizer, sequences, steps and batches.
        unit: of a list: "sequence", "document" (each text), or `Person(…)` with `people`. A table says it by its own unit; of one whose
            rows are texts, "document" hides all of a text and "sequence" each part of it.
        people: whose each text is, in their order.
        text: of a table, the column of texts [default: the only one of text].
        optimizer: instead of the recipe's Adam.
        speed: physical batches (batches of any size are accumulated), engine, threads, checkpoints, processes.
        folder: where to keep checkpoints; a run that was killed goes on from there, under the entry it had.
        held_out: public texts to measure the loss on, along the way: a learning curve that costs nothing private.
        public: public texts to take ordinary steps on first; no promise covers them.
        public_steps: how many of these.
        progress: called after every step with what anybody may see.
        owner: called after every step with exact figures that only the data's owner may see.
        purpose: charged as well, where it has a budget.
        analyst: charged as well, where they have a budget.

    Guarantee:
        Weights, iterates and the learning curve keep `promise` for the unit. No text of a unit but its own decides how it is cut.
    Assumes:
        Those of `train_model`; that a given network, a given tokenizer, `held_out` and `public` were not made of the private
        texts; that `records` follows from no count of them.
    """
    from privet.protect.train.gradients import TableSnapshot, train_model

    recipe = recipe or LanguageRecipe()
    design = designed(texts, promise, records=records, recipe=recipe, unit=unit, people=people, text=text)
    if isinstance(texts, Table):
        purpose = admitted([texts], "model", ledger=ledger, purpose=purpose)
    kept_apart = _public(held_out, design)
    if first := _public(public, design):
        warm_start(design.network, first, public_steps, recipe.usual_rate, seed=recipe.seed)
    rows = packed(design.units(texts, people), design.text, design.terms)
    made = recipe.plan(design.network, promise, design.unit, records)
    curve: list[tuple[int, float]] = []
    data: Any = _tensors(rows)
    trained = train_model(
        design.network,
        TableSnapshot(data, texts.fingerprint) if isinstance(texts, Table) else data,
        made,
        people=rows.owners,
        ledger=ledger,
        why=why,
        loss="language",
        optimizer=optimizer or recipe.optimizer(made.steps),
        speed=speed or _usual_speed(),
        folder=folder,
        progress=_told(progress, curve, design.network, kept_apart),
        owner=owner,
        purpose=purpose,
        analyst=analyst,
    )
    return _released(trained, design, recipe, tuple(curve), public_steps if first else 0)


@dataclass(frozen=True)
class LanguageDesign:
    """What a recipe comes to for some texts: nothing of them was read."""

    text: TextTokenizer
    network: Any
    terms: UnitTerms
    unit: Unit  # as it is booked
    column: str | None  # of a table

    def units(self, texts: Any, people: Sequence[Any] | None) -> Iterable[Sequence[str]]:
        """The texts of each unit."""
        if isinstance(texts, Table):
            assert self.column is not None
            return _table_units(texts, self.column)
        return texts_by_unit(list(texts), people)


def designed(
    texts: Any,
    promise: Promise,
    *,
    records: int,
    recipe: LanguageRecipe,
    unit: Given | Unit | None = None,
    people: Sequence[Any] | None = None,
    text: str | None = None,
) -> LanguageDesign:
    """Everything that can be said and refused before a text is read."""
    if isinstance(texts, Table):
        own, column = texts.unit_or_refuse(), _text_column(texts, text)
        if people is not None or not (unit is None or (isinstance(own, Row) and unit in GIVEN)):
            raise BadTraining(
                "the table says itself whose its texts are.",
                'Leave people out; unit="document" or "sequence" is for tables whose rows are texts.',
            )
        called = str(unit) if unit is not None else None
        terms = recipe.terms(own, called)
        booked = table_unit(own, terms.sequences) if unit is None else stated_unit(unit, terms.sequences)[0]
    else:
        if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
            raise BadTraining("texts are a list of them, or a table.", "Give [text, …].")
        if text is not None:
            raise BadTraining("text names a column of a table, and these are texts.", "Leave it out.")
        named, called = stated_unit(unit, 1)
        terms, column = recipe.terms(named, called), None
        booked, _ = stated_unit(unit, terms.sequences)
        if isinstance(unit, Person) != (people is not None):
            raise BadTraining(
                "people are given where a person is the unit, and only there.",
                'Say unit=pv.Person("patient_id") and people=[…], one for each text.',
            )
    tokenizer = recipe.text()
    network = recipe.network(tokenizer)
    recipe.plan(network, promise, booked, records)
    return LanguageDesign(tokenizer, network, terms, booked, column)


def _text_column(table: Table, named: str | None) -> str:
    """The column of texts, by name or by the types of the columns; no value is looked at."""
    own = getattr(table.unit, "column", None)
    kinds = table.columns
    found = [name for name, kind in kinds.items() if kind is ColumnKind.TEXT and name != own]
    if named is None and len(found) == 1:
        return found[0]
    if named is None:
        raise BadTraining(
            "it is not clear which column holds the texts.", 'Name it: text="note", or --text note.'
        )
    if named not in kinds:
        raise BadTraining(
            f"there is no column {named!r}. {did_you_mean(named, kinds)}", "Name another column."
        )
    if named == own:
        raise BadTraining(
            f"the column {named!r} says whose a text is, and is not learned from.", "Name another."
        )
    if kinds[named] is not ColumnKind.TEXT:
        raise BadTraining(f"the column {named!r} holds no text.", "Name the column of texts.")
    return named


def _table_units(table: Table, column: str) -> Iterable[Sequence[str]]:
    """The texts of a table, unit by unit: of a person those that may count."""
    unit = table.unit_or_refuse()
    batches = unit_rows(table.relation, [column], unit)
    if isinstance(unit, Row):
        return ([text] for batch in batches for text in batch.column(column).to_pylist() if text)
    owners: list[str] = []
    texts: list[str] = []
    for batch in batches:
        owners += map(str, batch.column(OWNER).to_pylist())
        texts += batch.column(column).to_pylist()
    return texts_by_unit(texts, owners)


def _public(texts: Iterable[str], design: LanguageDesign) -> TextSequences | None:
    """Public texts as sequences; None where there are none."""
    given = [[text] for text in texts if text]
    if not given:
        return None
    return packed(given, design.text, UnitTerms("sequence", design.terms.tokens, 1))


def _tensors(rows: TextSequences) -> tuple[dict[str, Any], Any]:
    import torch

    return {"input_ids": torch.from_numpy(rows.inputs)}, torch.from_numpy(rows.targets)


def _usual_speed() -> StepSpeed:
    from privet.protect.train.gradients import StepSpeed

    return StepSpeed(physical=64)


def _told(
    progress: Callable[[Progress], None] | None,
    curve: list[tuple[int, float]],
    network: Any,
    kept_apart: TextSequences | None,
) -> Callable[[Progress], None] | None:
    """What is called after a step: the caller's own, and at some steps the loss on public texts."""
    if kept_apart is None:
        return progress

    def told(shown: Progress) -> None:
        if shown.step % max(1, shown.steps // _POINTS) == 0 or shown.step == shown.steps:
            curve.append((shown.step, public_loss(network, kept_apart)))
        if progress is not None:
            progress(shown)

    return told


def _released(
    trained: TrainedModel,
    design: LanguageDesign,
    recipe: LanguageRecipe,
    curve: tuple[tuple[int, float], ...],
    public_steps: int,
) -> ReleasedLanguageModel:
    """The network with its record; adapters go into the weights that they change."""
    from privet.protect.train.gradients import state_digest

    network: Any = trained.model
    if recipe.lora is not None:
        network = network.merge_and_unload().eval()
    began = f", after {public_steps:,} steps on public texts" if public_steps else ""
    record = LanguageRecord(
        architecture=type(network).__name__,
        weights=sum(one.numel() for one in network.parameters()),
        origin=recipe.origin() + began,
        tokenizer=design.text.said,
        plan=trained.plan.to_json(),
        promise=trained.plan.promise,
        unit=unit_to_json(trained.plan.unit),
        terms=design.terms,
        receipt=trained.receipt,
        curve=curve,
    )
    return ReleasedLanguageModel(network, design.text, record, state_digest(network))
