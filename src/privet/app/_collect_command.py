"""`privet collect`: design, simulate, run and estimate collections under local differential privacy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from pydantic import Field

from privet.app import _collect_pages as pages
from privet.app import _collect_serve_command as collect_serve_command
from privet.app import _terminal as terminal
from privet.app import _verb_command as verb_command
from privet.app._command_group import GROUPS
from privet.protect.collect import numbered
from privet.verbs import (
    BookingOptions,
    DesignOptions,
    EstimateOptions,
    Flag,
    Options,
    Request,
    SimulateOptions,
    designed,
    estimated_reports,
    simulated,
)

app = typer.Typer(
    name="collect",
    help=GROUPS["collect"],
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


class ReportsAsked(Options):
    """Which reports."""

    reports: Annotated[
        list[str],
        Field(min_length=1, description="Reports: .parquet, .jsonl, .jsonl.gz, or a database's table."),
        Flag(argument=True, example="reports.parquet"),
    ]


class EstimateOutputs(Options):
    """What to write."""

    out: Annotated[
        Path | None,
        Field(description="Write the answer here (.json or .parquet)."),
        Flag(names=("-o", "--output"), file="out", example="answer.json"),
    ] = None


def _design(said: verb_command.CommandInput) -> None:
    options = said.of(DesignOptions)
    found, facts = designed(options)
    what = "a mean" if facts["unit"] == "mean" else "a rare value's share"
    lines = [
        *found.says(),
        f"With {numbered(options.people, 'person', 'people')}, {what} is known to ± {facts['error']:.4g} at {options.confidence:.0%} confidence.",
    ]
    if facts["oracles"]:
        lines += ["", f"{'oracle':<12} {'±':>10}  {'bytes':>8}"]
        lines += [
            f"{one['oracle']:<12} {one['error']:>10.4g}  {one['report_bytes']:>8.4g}"
            + ("  <- auto" if one["oracle"] == facts["oracle"] else "")
            for one in facts["oracles"]
        ]
    if options.out:
        lines += ["", f"saved {options.out}"]
    plain = "\n".join(
        f"{one['oracle']}\t{one['error']:.6g}\t{one['report_bytes']:.6g}" for one in facts["oracles"]
    )
    terminal.emit(
        {**facts, "specification": found.to_json()}, "\n".join(lines), plain=plain, as_json=said.as_json
    )


def _simulate(said: verb_command.CommandInput) -> None:
    options = said.of(SimulateOptions)
    with terminal.progress("simulating") as advance:
        answer, facts = simulated(options, advance)
    lines = [
        *answer.warnings(),
        f"{numbered(options.people, 'made-up person', 'made-up people')}; {numbered(facts['intervals'], 'estimate')} with "
        f"{'an interval' if facts['intervals'] == 1 else 'intervals'}.",
        f"{facts['covered']:.1%} of the intervals hold the truth; the root mean square error is "
        f"{facts['root_mean_square_error']:.4g}.",
    ]
    if facts["found_of_top_20"] is not None:
        lines.append(f"{facts['found_of_top_20']:.0%} of the 20 most frequent words were found.")
    if options.out:
        lines.append(f"saved {options.out}")
    data = {**facts, "people": options.people, "notes": list(answer.notes)}
    plain = "\n".join(f"{name}\t{value}" for name, value in facts.items() if value is not None)
    terminal.emit(data, "\n".join(lines), plain=plain, as_json=said.as_json)


def _told(said: verb_command.CommandInput, *, words: bool) -> None:
    reports, out = said.of(ReportsAsked).reports, said.of(EstimateOutputs).out
    page = said.of(pages.PageOutput)
    pages.check_page(page, None if out is None else str(out), reports[0])
    asked = Request.of(said.of(EstimateOptions), said.of(BookingOptions), data=reports[0])
    with terminal.progress("counting reports") as advance:
        answer = estimated_reports(asked, reports, words=words, to=out, say=advance)
    text = "\n".join([str(answer), *(note for note in answer.notes if note not in answer.warnings())])
    if out:
        text += f"\nsaved {out}"
    drawn = pages.write_page(page, asked.options.specification, answer=answer)
    text = "\n".join([text, *drawn])
    terminal.emit(answer.to_json(), text, plain=pages.plain_rows(answer), as_json=said.as_json)


_ESTIMATED = (EstimateOptions, ReportsAsked, BookingOptions, EstimateOutputs, pages.PageOutput)
app.command(
    "design",
    help="Say what error to expect, which oracle errs least, and which epsilon a wanted error needs.",
)(verb_command.command(DesignOptions, run=_design))
app.command(
    "simulate", help="Try a collection out on made-up people, and see how far its estimates are off."
)(verb_command.command(SimulateOptions, run=_simulate))
app.command("estimate", help="Estimate what people answered from their reports, with intervals.")(
    verb_command.command(*_ESTIMATED, run=lambda said: _told(said, words=False))
)
app.command("words", help="Find frequent words that nobody listed, from reports.")(
    verb_command.command(*_ESTIMATED, run=lambda said: _told(said, words=True))
)
app.command("change", help="Compare two groups or two weeks: how shares differ, with intervals.")(
    verb_command.command(pages.ChangeOptions, pages.PageOutput, run=pages.change)
)
app.command("trend", help="Follow shares over days, and how they rise, with intervals.")(
    verb_command.command(pages.TrendOptions, pages.PageOutput, run=pages.trend)
)
app.command("serve")(collect_serve_command.serve)
app.command("export")(collect_serve_command.export)
