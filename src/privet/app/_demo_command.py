"""`privet demo`: the whole loop on a made-up hospital, in a folder of its own."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from decimal import Decimal
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.app import _terminal as terminal
from privet.artifact import (
    OwnerOnly,
    Publishable,
    content_digest,
    ledgers_in,
    move_into,
    output_place,
    own_folder,
    room_beside,
    written_whole,
)
from privet.errors import BadUsage, PrivetError
from privet.evidence import read_json, record_bytes

if TYPE_CHECKING:
    from privet.app._demo_output import Figures
    from privet.pipeline import Tradeoff

DEFAULT = Path("demo-output")
EARLIER, _FAILED = "earlier-ledgers", "failed"
MARK = ".privet-demo"  # in a folder that a demonstration made, so that the next one may replace it
_OWN = {
    MARK, "patients.csv", "patients.csv.ledger.link", "voters.csv", "truth.csv", "newcomers.csv", "surrogate.csv", "privet.yaml",
    "privet.schema.json", "privet.signing", "plan.json", "tradeoff.json", "patients.ledger", "patients.ledger-wal", "patients.ledger-shm", "out", EARLIER,
}  # fmt: skip
_SEED, _NEWCOMERS, _SURROGATES = 7, 2000, 3000
_LARGEST = 100_000  # bytes of the mark


def command(
    *,
    to: Annotated[Path, typer.Option("--output", "-o", help="The folder to write everything to.")] = DEFAULT,
    patients: Annotated[int, typer.Option(min=300, max=100_000, help="Patients of the hospital.")] = 4000,
    as_json: terminal.JsonOption = False,
) -> None:
    """Show the whole loop on made-up patients: audit, linkage, anonymize, release, train, attack, report.

    Everything goes through the policy that it writes: look at privet.yaml and plan.json in the folder, change them, and run them again.
    """
    with _replaced(to) as folder, terminal.progress("making patients") as say:
        page, found = _loop(folder, patients, say)
    shown = to / page.relative_to(folder)
    record = {**asdict(found), "folder": str(to), "report": str(shown)}
    terminal.emit(record, _shown(found, shown), plain=str(shown), as_json=as_json)


def _loop(folder: Path, patients: int, say: Callable[..., None]) -> tuple[Path, Figures]:
    """Data, policy, plan, run, report; then the model on people who were never there, and the book checked."""
    from privet.app._demo_output import figures
    from privet.app._demo_policy import LEDGER, policy_text
    from privet.dataset import make_signing_key
    from privet.ledger import Ledger, clock
    from privet.pipeline import (
        OUT,
        RECORD_NAME,
        SCHEMA_NAME,
        make_plan,
        policy_schema,
        record_standing,
        report_signing,
        run,
    )
    from privet.report import run_report, save_report

    _make_up(folder, patients)
    policy = folder / "privet.yaml"
    terminal.write_file(policy, OwnerOnly(policy_text(patients, clock.now().date())))
    terminal.write_file(folder / SCHEMA_NAME, Publishable(policy_schema(), "holds nothing from the data"))
    make_signing_key(folder)
    say("planning")
    plan = make_plan(policy)
    plan.save(folder / "plan.json")
    record = run(policy, plan, say=say)
    swept = _weighed(folder, say)
    say("writing the report")
    out = folder / OUT
    place = output_place(out, OwnerOnly(RECORD_NAME))
    report = run_report(record.to_json(), tradeoff=swept.to_json(), standing=record_standing(place, record))
    page, _ = save_report(report, out, report_signing(place))
    with Ledger(folder / LEDGER) as ledger:
        checked = ledger.verify([step.receipt for step in record.steps if step.receipt is not None])
    made = record.step("returns").made
    assert made is not None
    return page, figures(record, _tested(folder, out / made.path), swept, checked.entries)


def _make_up(folder: Path, patients: int) -> None:
    """The hospital, the roll that anybody can look up, who is who, people who come later, and rows to choose settings on."""
    from privet import examples

    stays = examples.hospital(patients, _SEED)
    tables = {
        "patients.csv": stays,
        "voters.csv": examples.voter_roll(stays, seed=_SEED),
        "truth.csv": examples.linkage_truth(stays, seed=_SEED),
        "newcomers.csv": examples.hospital(_NEWCOMERS, _SEED + 1),
        "surrogate.csv": examples.hospital(min(patients, _SURROGATES), _SEED + 2),
    }
    for name, table in tables.items():
        fill = partial(examples.write, table=table)
        written_whole(folder / name, Publishable(fill, "holds nothing from the data"))


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


def _tested(folder: Path, place: Path) -> dict[str, float]:
    """How well the model does on people who were not in the data."""
    from privet.artifact import ReleasedModel
    from privet.engine import settled
    from privet.protect.train.tabular import metrics
    from privet.source import open_table

    model = ReleasedModel.load(place)
    return {
        **metrics(model, settled(open_table(str(folder / "newcomers.csv")).relation)),
        "people": _NEWCOMERS,
    }


@contextlib.contextmanager
def _replaced(to: Path) -> Iterator[Path]:
    """A fresh folder. What an earlier one held goes once this one is done, but for its ledger, and comes back if it fails."""
    _refuse_foreign(to)
    with room_beside(to.absolute()) as aside:
        if to.exists():
            move_into(to, aside / to.name)
        own_folder(to)
        _mark(to)
        try:
            yield to
            _mark(to, _listed(to))
        except BaseException:
            move_into(to, aside / _FAILED)
            if (aside / to.name).exists():
                move_into(aside / to.name, to)
            raise
        finally:
            _spare_ledgers(aside, to)


def _spare_ledgers(aside: Path, to: Path) -> None:
    """A demonstration's folder is replaced; its ledger is not, as no ledger ever is, and stays among the earlier ones."""
    by_folder: dict[Path, list[Path]] = {}
    for ledger in ledgers_in(aside):
        by_folder.setdefault(ledger.parent, []).append(ledger)
    for ledgers in by_folder.values():
        kept = next(place for number in count(1) if not (place := to / EARLIER / str(number)).exists())
        own_folder(kept, parents=True)
        if not (to / MARK).exists():
            _mark(to)
        for ledger in ledgers:
            move_into(ledger, kept / ledger.name)


def _mark(to: Path, made: dict[str, str] | None = None) -> None:
    """Note whose folder it is, and once all is made, what was made: the next demonstration replaces that and nothing else."""
    said = {"made by": "privet demo", "folder": to.stat().st_ino, "made": {} if made is None else made}
    written_whole(to / MARK, OwnerOnly(json.dumps(said) + "\n"))


def _listed(to: Path) -> dict[str, str]:
    """Everything in the folder, each with a digest of all that is in it; ledgers are never replaced."""
    return {
        path.name: content_digest(path)
        for path in sorted(to.iterdir())
        if path.name not in (MARK, EARLIER) and not any(ledgers_in(path))
    }


def _is_as_made(to: Path) -> bool:
    """Whether all that stands there is what a demonstration made in this very folder, unchanged."""
    try:
        said = read_json(record_bytes(to / MARK, largest=_LARGEST), what=MARK)
        return bool(said["folder"] == to.stat().st_ino and said["made"] == _listed(to))
    except (OSError, ValueError, KeyError, TypeError, PrivetError):
        return False


def _refuse_foreign(to: Path) -> None:
    """Nothing is replaced that a demonstration did not make."""
    if not to.absolute().parent.is_dir():
        raise BadUsage(f"the folder around {to.name} does not exist.", "Create it first.")
    if not to.exists() and not to.is_symlink():
        return
    if to.is_symlink() or not to.is_dir():
        raise BadUsage(f"{to} is there and is no folder.", "Name another with -o.")
    there = {path.name for path in to.iterdir()}
    if there and (there - _OWN or not _is_as_made(to)):
        raise BadUsage(
            f"{to} holds files that privet demo did not make, or that were changed since.",
            "Name another folder with -o, or move this one away; nothing was changed.",
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
