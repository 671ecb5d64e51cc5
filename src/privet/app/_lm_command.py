"""`privet lm`: plan a language model under differential privacy, measure the law that a plan rests on, train and ask one."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from privet.app import _language_training_command as language_training_command
from privet.app import _memorization_command as memorization_command
from privet.app import _terminal as terminal
from privet.app import _verb_command as verb_command
from privet.app._command_group import GROUPS
from privet.app._output_files import check_outputs
from privet.verbs import LanguagePlanOptions, LanguageSweepOptions, planned_model, swept

app = typer.Typer(
    name="lm",
    help=GROUPS["lm"],
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _plan(said: verb_command.CommandInput) -> None:
    options = said.of(LanguagePlanOptions)
    out, html = (None if one is None else Path(one) for one in (options.out, options.html))
    check_outputs(options.law or "", out, html, endings=(".json",))
    with terminal.progress("weighing sizes, batches and steps"):
        found = planned_model(options)
    lines = [str(found)]
    if out is not None:
        from privet.artifact import Publishable, written_whole

        text = json.dumps(found.to_json(), indent=1) + "\n"
        written_whole(out, Publishable(text, "holds nothing from the data"))
        lines.append(f"saved {out}")
    if html is not None:
        from privet.report import save_language_plan_page

        save_language_plan_page(found, html)
        lines.append(f"saved {html}")
    facts = found.to_json()
    plain = "\n".join(
        f"{name}\t{facts[name]}"
        for name in ("size", "batch", "steps", "rate", "sampling_rate", "noise_multiplier", "expected_loss")
    )
    terminal.emit(facts, "\n".join(lines), plain=plain, as_json=said.as_json)


def _sweep(said: verb_command.CommandInput) -> None:
    options = said.of(LanguageSweepOptions)
    for text in options.texts:
        check_outputs(text, Path(options.out), None, endings=(".json",))
    with terminal.progress("training small models") as advance:
        _, facts = swept(options, advance)
    lines = [
        f"{facts['runs']} runs of {len(facts['sizes'])} sizes, {facts['steps']:,} steps each.",
        f"How well a law fits: {facts['hold_out']}",
        f"saved {options.out}; plan with it: privet lm plan --law {options.out} …",
    ]
    terminal.emit(facts, "\n".join(lines), plain=f"runs\t{facts['runs']}", as_json=said.as_json)


app.command(
    "plan",
    help="Say which model size, batch and number of steps lose least under a promise, and what more would buy.",
)(verb_command.command(LanguagePlanOptions, run=_plan))
app.command(
    "sweep", help="Train small models on public text, and write the losses that a scaling law is fitted to."
)(verb_command.command(LanguageSweepOptions, run=_sweep))
language_training_command.add_to(app)
memorization_command.add_to(app)
