"""`do: train`: a model of one column, under differential privacy."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from privet.dataset.declaration import Declaration, Positive, Purpose
from privet.guarantee.promises import ApproxDP
from privet.verbs.verb import Bound, Done, Options, Spending, Verb, Work, register

if TYPE_CHECKING:
    from privet.source.table import Table

SEED = "seed"
LEARNED = ("quasi", "sensitive", "insensitive")


class TrainOptions(Options):
    """What to predict from what, and what that may cost. `records` is a public number of units, not a count."""

    target: str
    epsilon: Positive
    delta: Annotated[Decimal, Field(gt=0, lt=1)]
    columns: list[str] | None = None
    records: Annotated[int, Field(gt=0)] | None = None
    model: Literal["auto", "linear", "mlp", "objective", "ebm"] = "auto"
    holdout: Annotated[float, Field(gt=0, lt=1)] | None = None


@register
class Train(Verb):
    """Reads the columns it learns from and the target. All that training depends on is public, so its price is known."""

    name: ClassVar[str] = "train"
    output: ClassVar[str] = "model"
    endings: ClassVar[tuple[str, ...]] = ("",)
    options: ClassVar[type[Options]] = TrainOptions

    def columns(self, options: Any, declaration: Declaration, purpose: Purpose) -> tuple[str, ...]:
        """Those named, or all of the purpose that neither name a person nor hold text; and the target."""
        unit = declaration.dataset.unit.column
        named = (
            [
                name
                for name in purpose.columns
                if name in declaration.columns and declaration.columns[name].role in LEARNED and name != unit
            ]
            if options.columns is None
            else options.columns
        )
        return tuple(dict.fromkeys([*named, options.target]))

    def gaps(self, options: Any, declaration: Declaration, purpose: Purpose) -> list[tuple[str, str]]:
        """Bounds or values of every column, the number of units, and how many rows of one person count."""
        lacking = [
            name
            for name in self.columns(options, declaration, purpose)
            if name in declaration.columns
            and declaration.columns[name].bounds is None
            and declaration.columns[name].values is None
        ]
        found = [
            ("target", f"nothing is stated of the values of {name!r}: give its bounds or values")
            for name in lacking
        ]
        if options.records is None:
            found.append(("target", "nothing says about how many units there are: give records"))
        if declaration.dataset.unit.column != "row" and declaration.dataset.unit.max_rows is None:
            found.append(
                ("target", "nothing says how many rows of one person count: give the unit's max_rows")
            )
        return found

    def promise(self, options: Any) -> ApproxDP:
        """As stated."""
        return ApproxDP(options.epsilon, options.delta)

    def spends(self, step: Bound, table: Table, accounting: str) -> Spending:
        """What the learner's plan books."""
        from privet.protect.train.tabular.training import event_of

        del accounting
        options = step.options
        event = event_of(
            table,
            self.promise(options),
            target=options.target,
            model=options.model,
            columns=_features(step),
            records=options.records,
        )
        return Spending(event, self.promise(options))

    def run(self, work: Work) -> Done:
        """Train, under a seed that is kept until the model stands."""
        from privet.protect.train import train

        options = work.step.options
        seeded = options.model in ("auto", "linear", "mlp")
        made = train(
            work.table,
            self.promise(options),
            target=options.target,
            ledger=work.ledger,
            why=work.why,
            model=options.model,
            columns=_features(work.step),
            records=options.records,
            purpose=work.step.purpose_name,
            seed_file=work.scratch / SEED if seeded else None,
            progress=lambda taken, steps: work.say(f"step {taken} of {steps}"),
        )
        made.save(work.to)
        facts = {
            "kind": made.fitted.kind,
            "features": list(made.features.names),
            "target": made.target.to_json(),
            "settings": dict(made.fitted.settings),
            "unit": made.unit,
            "notes": list(made.notes),
            "stages": list(made.provenance.stages),
        }
        return Done(made.promise, made.receipt, facts)

    def load(self, path: Path) -> Any:
        """The model."""
        from privet.artifact.model import ReleasedModel

        return ReleasedModel.load(path)


def _features(step: Bound) -> list[str]:
    return [name for name in step.columns if name != step.options.target]
