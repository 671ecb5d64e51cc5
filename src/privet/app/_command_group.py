"""The commands of verbs: what they are for is said here, and what they take is loaded when one of them is looked at."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

SUMMARIES = {
    "anonymize": "Generalize and suppress until the promise holds in the written file; say what was lost and what risk "
    "is left.",
    "attack": "Attack a model, a table or released counts as an outsider would, and hold what that achieves against the "
    "promise.",
    "audit": "Measure what a table would give away: who can be found in it, by what, and what would be learned.",
    "pac": "Release counts, means, clusters or a model of a secret half of the people, with the least noise that a promise in nats "
    "allows.",
    "query": "Ask tables a private question; the answer comes with error bars and is booked in a ledger.",
    "synthesize": "Make a synthetic twin of a table under differential privacy; it is booked before a row is counted.",
    "tabulate": "Count people by place and category at every level, privately, in tables that add up exactly.",
    "tradeoff": "Measure techniques and strengths side by side, draw the frontier, and propose the knee.\n\nSweeping is a "
    "look at the data: it runs on public or made-up rows, or is booked, or is for the owner only. The output says which.",
    "train": "Train a model that predicts a column and keeps a promise; it is booked before it is fitted.",
    "pseudonymize": "Put pseudonyms in the place of values; equal values get equal ones, in all tables of the data set.",
    "reveal": "Turn reversible pseudonyms back into values. The result is personal data again.",
    "suppress": "Leave out columns, or make rare or named values missing.",
    "mask": "Hide a part of each text, put one word in its place, or number the values.",
    "round": "Round numbers to multiples.",
    "topcode": "Code the ends of a range: every value above (or below) an edge becomes one and the same.",
    "shift-dates": "Move all dates of a person by the same secret number of days.",
    "microaggregate": "Replace numbers by the mean of a group of at least k rows that are alike.",
    "swap": "Let a share of the records exchange values with a partner at random.",
    "rank-swap": "Exchange each number or date with one of a near rank.",
    "pram": "Keep each value with a probability, else draw it anew (post-randomisation).",
}
TRANSFORMS = (
    "suppress", "mask", "round", "topcode", "shift-dates", "microaggregate", "swap", "rank-swap", "pram"
)  # fmt: skip
# Groups of commands whose declarations wait as well.
GROUPS = {
    "collect": "Statistics from people who trust nobody: each device randomises before anything leaves it.",
    "lm": "Language models under differential privacy: plan one, train it, and see what it has memorized.",
}
_MODULES = dict.fromkeys((*TRANSFORMS, "pseudonymize", "reveal"), "transforms")  # of several commands


class VerbGroup(TyperGroup):
    """Commands that are known by name and summary; declarations and their libraries wait until they are needed."""

    order: ClassVar[list[str]] = []  # of the list of all commands; others follow
    panels: ClassVar[dict[str, str]] = {}  # of the commands of verbs
    _listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """All names, in the order of the help."""
        return list(dict.fromkeys([*self.order, *super().list_commands(ctx)]))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One command; for a list of all, its summary is enough."""
        summary = SUMMARIES.get(cmd_name) or GROUPS.get(cmd_name)
        if summary is None:
            return super().get_command(ctx, cmd_name)
        if self._listing:
            return TyperCommand(cmd_name, help=summary, rich_help_panel=self.panels.get(cmd_name))
        if cmd_name in GROUPS:
            return typer.main.get_command(import_module(home_of(cmd_name)).app)
        return built(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The list of all commands."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


def home_of(name: str) -> str:
    """The module that makes the command of a verb."""
    return f"privet.app._{_MODULES.get(name, name)}_command"


def built(name: str) -> Any:
    """The command of one verb, made from its declaration."""
    alone = typer.Typer(
        add_completion=False,
        rich_markup_mode="markdown",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    home = import_module(home_of(name))
    alone.command(name, help=SUMMARIES[name])(home.COMMANDS[name] if name in _MODULES else home.command)
    return typer.main.get_command(alone)
