"""`privet demo`: the whole loop on a made-up hospital, in a folder of its own."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.app import _terminal as output
from privet.artifact import ledgers_in, remove
from privet.errors import BadUsage, FileProblem

if TYPE_CHECKING:
    from privet.app._demo_output import Figures
    from privet.pipeline import Tradeoff

DEFAULT = Path("demo-output")
EARLIER, _FAILED = "earlier-ledgers", "failed"
MARK = ".privet-demo"  # in a folder that a demonstration made, so that the next one may replace it
_OWN = {
    MARK, "patients.csv", "patients.csv.ledger.link", "voters.csv", "truth.csv", "newcomers.csv", "surrogate.csv", "privet.yaml",
    "privet.schema.json", "plan.json", "tradeoff.json", "patients.ledger", "patients.ledger-wal", "patients.ledger-shm", "out", EARLIER,
}  # fmt: skip
_SEED, _NEWCOMERS, _SURROGATES = 7, 2000, 3000


def command(
    *,
    to: Annotated[Path, typer.Option("--output", "-o", help="The folder to write everything to.")] = DEFAULT,
    patients: Annotated[int, typer.Option(min=300, max=100_000, help="Patients of the hospital.")] = 4000,
    as_json: output.JsonOption = False,
) -> None:
    """Show the whole loop on made-up patients: audit, linkage, anonymize, release, train, attack, report.

    Everything goes through the policy that it writes: look at privet.yaml and plan.json in the folder, change them, and run them again.
    """
    with _replaced(to) as folder, output.progress("making patients") as say:
        page, found = _loop(folder, patients, say)
    shown = to / page.relative_to(folder)
    record = {**asdict(found), "folder": str(to), "report": str(shown)}
    output.emit(record, _shown(found, shown), plain=str(shown), as_json=as_json)


def _loop(folder: Path, patients: int, say: Callable[..., None]) -> tuple[Path, Figures]:
    """Data, policy, plan, run, report; then the model on people who were never there, and the book checked."""
    from privet.app._demo_output import figures
    from privet.app._demo_policy import LEDGER, policy_text
    from privet.ledger import Ledger, clock
    from privet.pipeline import SCHEMA_NAME, make_plan, policy_schema, run
    from privet.report import run_report, save_report

    _make_up(folder, patients)
    policy = folder / "privet.yaml"
    output.write_file(policy, policy_text(patients, clock.now().date()))
    output.write_file(folder / SCHEMA_NAME, policy_schema())
    say("planning")
    plan = make_plan(policy)
    plan.save(folder / "plan.json")
    record = run(policy, plan, say=say)
    swept = _weighed(folder, say)
    say("writing the report")
    page, _ = save_report(run_report(record.to_json(), tradeoff=swept.to_json()), folder / "out")
    with Ledger(folder / LEDGER) as ledger:
        checked = ledger.verify([step.receipt for step in record.steps if step.receipt is not None])
    return page, figures(record, _tested(folder), swept, checked.entries)


def _make_up(folder: Path, patients: int) -> None:
    """The hospital, the roll that anybody can look up, who is who, people who come later, and rows to choose settings on."""
    from privet import examples

    stays = examples.hospital(patients, _SEED)
    examples.write(folder / "patients.csv", stays)
    examples.write(folder / "voters.csv", examples.voter_roll(stays, seed=_SEED))
    examples.write(folder / "truth.csv", examples.linkage_truth(stays, seed=_SEED))
    examples.write(folder / "newcomers.csv", examples.hospital(_NEWCOMERS, _SEED + 1))
    examples.write(folder / "surrogate.csv", examples.hospital(min(patients, _SURROGATES), _SEED + 2))


def _weighed(folder: Path, say: Callable[..., None]) -> Tradeoff:
    """A few strengths side by side, on rows in place of the patients': choosing settings on these gives nobody away."""
    from privet.pipeline import TradeoffOptions, TradeoffVerb, asked_under
    from privet.verbs import Request, carried_out

    options = TradeoffOptions(
        target="readmitted",
        k=[5],
        k_all=[5, 25],
        l=None,
        epsilon=[Decimal("0.5"), Decimal(1), Decimal(4), Decimal(20)],
        repeats=4,
        surrogate=True,
    )
    asked = Request(str(folder / "surrogate.csv"), options, purpose="aftercare")
    done = carried_out(
        TradeoffVerb(),
        asked_under(folder / "privet.yaml", asked),
        to=folder / "tradeoff.json",
        say=lambda label: say(f"trade-off: {label}"),
    )
    found: Tradeoff = done.made
    return found


def _tested(folder: Path) -> dict[str, float]:
    """How well the model does on people who were not in the data."""
    from privet.artifact import ReleasedModel
    from privet.engine import settled
    from privet.protect.train.tabular import metrics
    from privet.source import open_table

    model = ReleasedModel.load(folder / "out" / "returns")
    return {
        **metrics(model, settled(open_table(str(folder / "newcomers.csv")).relation)),
        "people": _NEWCOMERS,
    }


@contextlib.contextmanager
def _replaced(to: Path) -> Iterator[Path]:
    """A fresh folder. What an earlier one held goes once this one is done, but for its ledger, and comes back if it fails."""
    _refuse_foreign(to)
    try:
        aside = Path(tempfile.mkdtemp(prefix=f".{to.name}.", dir=to.absolute().parent))
        if to.exists():
            to.rename(aside / to.name)
        to.mkdir()
        _mark(to)
    except OSError as problem:
        raise FileProblem(
            f"{to} could not be made: {(problem.strerror or 'unknown reason').lower()}.",
            "Name a folder that may be written, with -o.",
        ) from None
    try:
        yield to
    except BaseException:
        to.rename(aside / _FAILED)
        if (aside / to.name).exists():
            (aside / to.name).rename(to)
        raise
    finally:
        _spare_ledgers(aside, to)
        with contextlib.suppress(OSError):
            remove(aside)


def _spare_ledgers(aside: Path, to: Path) -> None:
    """A demonstration's folder is replaced; its ledger is not, as no ledger ever is, and stays among the earlier ones."""
    by_folder: dict[Path, list[Path]] = {}
    for ledger in ledgers_in(aside):
        by_folder.setdefault(ledger.parent, []).append(ledger)
    for ledgers in by_folder.values():
        kept = next(place for number in count(1) if not (place := to / EARLIER / str(number)).exists())
        kept.mkdir(parents=True)
        _mark(to)
        for ledger in ledgers:
            ledger.rename(kept / ledger.name)


def _mark(to: Path) -> None:
    (to / MARK).write_text("made by privet demo\n", encoding="utf-8")


def _refuse_foreign(to: Path) -> None:
    """Nothing is replaced that a demonstration did not make."""
    if not to.absolute().parent.is_dir():
        raise BadUsage(f"the folder around {to.name} does not exist.", "Create it first.")
    if not to.exists() and not to.is_symlink():
        return
    if to.is_symlink() or not to.is_dir():
        raise BadUsage(f"{to} is there and is no folder.", "Name another with -o.")
    there = {path.name for path in to.iterdir()}
    if there and (MARK not in there or there - _OWN):
        raise BadUsage(
            f"{to} holds files that privet demo did not make.",
            "Name another folder with -o; nothing was changed.",
        )


def _shown(found: Figures, page: Path) -> Any:
    """The lines, a word in the margin of each; on a terminal, long ones go on beside the margin."""
    from rich.table import Table
    from rich.text import Text

    lines = [*found.lines(), ("report", str(page))]
    if sys.stdout.isatty():
        grid = Table.grid(padding=(0, 2))
        for word, said in lines:
            grid.add_row(Text(word, "bold cyan"), Text(said))
        return grid
    margin = max(len(word) for word, _ in lines)
    return Text("\n".join(f"{word:<{margin}}  {said}" for word, said in lines))
