"""What is known before anything is read or spent, as notebooks show it: tables, explanations and ledgers. Never a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.guarantee import readable
from privet.report._notebook_html import (
    RELEASED,
    facts,
    folded,
    heading,
    listed,
    paragraph,
    stamp,
    table,
    view,
)

if TYPE_CHECKING:
    from privet.dataset import DataSet
    from privet.ledger import Ledger
    from privet.protect.query import Explanation
    from privet.protect.tabulate import SpineExplanation
    from privet.protect.train.gradients import TrainedModel, TrainingPlan
    from privet.source import PublicTable, Table, View


def table_view(source: Table) -> str:
    """Columns with what was said about each, and whose presence is hidden; neither a row nor how many there are."""
    rows = [
        [
            name,
            str(kind.value),
            role.value if (role := source.roles.get(name)) else "none stated",
            _known(source, name),
        ]
        for name, kind in source.columns.items()
    ]
    return view(
        heading(f"Table {source.name}"),
        paragraph(
            f"Hides {_hides(source)}. On {source.relation.engine}; no row is shown or has been read.", "soft"
        ),
        table(["column", "kind", "role", "publicly known"], rows, more="table.columns has them all."),
        listed(source.remarks),
    )


def data_set_view(source: DataSet) -> str:
    """What is declared about a data set: whose rows they are, what columns are, who may use what. Never a row."""
    if source.declaration is None:
        return view(heading("Data set"), paragraph(f"{source!r}. What needs a unit or roles asks for them."))
    purposes = {
        name: [purpose for purpose, said in source.purposes.items() if name in said.columns]
        for name in source.columns
    }
    rows = [
        [
            name,
            column.role if column.role != "unknown" else "unknown: withheld from rows",
            "special category" if column.special else "",
            ", ".join(purposes[name]),
        ]
        for name, column in source.columns.items()
    ]
    dataset = source.declaration.dataset
    return view(
        heading(f"Data set {dataset.name}"),
        paragraph("What is declared; no row is shown or has been read.", "soft"),
        facts(
            [
                ("declared in", str(source.stated_in)),
                ("hides", dataset.unit.value().sentence()),
                ("budget", dataset.budget.promise().sentence()),
                *((f"until {said.expires}", f"{name}: {said.use}") for name, said in source.purposes.items()),
            ]
        ),
        table(["column", "role", "", "for"], rows, more="data_set.columns has them all."),
    )


def _hides(source: Table | View) -> str:
    return source.unit.sentence() if source.unit else "nobody yet: no unit is stated"


def _known(source: Table | View, name: str) -> str:
    said = []
    if name in source.bounds:
        said.append(f"in {source.bounds[name]} ({source.bounds[name].origin_sentence()})")
    if name in source.spans:
        said.append(f"{source.spans[name]} ({source.spans[name].origin_sentence()})")
    if (name,) in source.keys:
        said.append(f"{len(source.keys[name,]):,} keys ({source.keys[name,].origin_sentence()})")
    return "; ".join(said)


def joined_view(source: View) -> str:
    """The same of a table that was made from others."""
    rows = [[name, str(kind.value), _known(source, name)] for name, kind in source.columns.items()]
    return view(
        heading(f"View {source.name}"),
        paragraph(f"Hides {_hides(source)}. No row is shown or has been read.", "soft"),
        table(["column", "kind", "publicly known"], rows),
    )


def public_table_view(source: PublicTable) -> str:
    """A table that anybody may read: its columns and how many rows it has."""
    rows = [[name, str(kind.value)] for name, kind in source.columns.items()]
    return view(
        heading(f"Public table {source.name}"),
        paragraph(f"{source.rows.num_rows:,} rows. {source.why}".strip()),
        table(["column", "kind"], rows),
    )


def explanation_view(explanation: Explanation | SpineExplanation) -> str:
    """Stages, expected errors, the noise and the cost."""
    quote = explanation.quote
    choice = getattr(explanation, "choice", "")
    confidence = explanation.plan.confidence
    pairs = [("noise", choice), ("cost", explanation.cost)]
    if quote is not None and not quote.admitted:
        pairs.append(("budget", f"it would be refused: {quote.reason}"))
    elif quote is not None:
        coins = sorted(quote.before, reverse=True)
        said = ", ".join(
            f"{coin} {readable(quote.before[coin])} → {readable(quote.after[coin])}" for coin in coins
        )
        pairs.append(("budget", said))
    return view(
        heading("What a release would do"),
        paragraph("Nothing was read and nothing was spent.", "soft"),
        listed(explanation.stages, numbered=True),
        paragraph(f"Expected error, {confidence:.0%} of the time within:"),
        listed(explanation.errors),
        facts([(name, text) for name, text in pairs if text]),
        folded("Notes", listed(explanation.notes)),
    )


def training_plan_view(plan: TrainingPlan) -> str:
    """A training run as it will be booked."""
    return view(
        heading("Plan of a training"), paragraph("Nothing was read or spent.", "soft"), _optimizer(plan)
    )


def trained_model_view(trained: TrainedModel) -> str:
    """What was trained and what paid for it; no weight is shown."""
    paid = ("booked as entry", f"{trained.receipt.entry} of ledger {trained.receipt.ledger[:24]}")
    return view(
        heading(f"Trained model {type(trained.model).__name__}"),
        stamp(RELEASED),
        paragraph(trained.receipt.note, "warn"),
        _optimizer(trained.plan),
        facts([paid, ("gradients by", trained.engine)]),
    )


def _optimizer(plan: TrainingPlan) -> str:
    return facts(
        [
            ("promise", plan.promise.sentence()),
            ("hides", plan.unit.sentence()),
            ("steps", f"{plan.steps:,} of {plan.batch:,} records each, {plan.sampling} sampling"),
            ("weights", f"{plan.weights:,}"),
            ("noise multiplier", f"{float(plan.noise_multiplier):.4g}"),
        ]
    )


def ledger_view(ledger: Ledger) -> str:
    """Every budget with what was spent and what is left."""
    rows = [
        [
            balance.scope,
            coin,
            "no end"
            if balance.expires is None
            else f"{balance.expires}{' (ended)' if balance.expired else ''}",
            readable(balance.spent[coin]),
            readable(balance.remaining[coin]),
            readable(cap),
        ]
        for balance in ledger.balances()
        for coin, cap in balance.caps.items()
    ]
    unit = ledger.unit
    return view(
        heading("Ledger"),
        paragraph(ledger.note, "warn"),
        facts(
            [
                ("kept in", ledger.place),
                ("limit", ledger.limit.sentence()),
                ("hides", "no unit bound yet" if unit is None else unit.sentence()),
                ("accounting", ledger.accounting),
            ]
        ),
        table(["budget", "", "until", "spent", "left", "of"], rows, numbers=3),
    )
