"""`privet account`: the privacy calculator. What mechanisms cost together, or the parameter that a cost allows."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.app import _terminal as terminal
from privet.app._account_output import (
    CalculatorAnswer,
    CalculatorOutput,
    CalculatorRequest,
    draw,
    record,
)
from privet.artifact import Publishable
from privet.errors import BadAmount, BadNotation, BadUsage, UnsupportedEvent
from privet.guarantee import (
    BY_NAME,
    LARGEST_COUNT,
    Change,
    Event,
    leaves,
    number_text,
    parse_with_unknown,
    read_number,
    unparse,
)
from privet.guarantee import exact_amounts as amounts

if TYPE_CHECKING:
    from privet.guarantee import PrivacyLoss


class Accountant(enum.Enum):
    """The ways to add up losses."""

    PLD = "pld"
    RDP = "rdp"
    ZCDP = "zcdp"
    PURE = "pure"


EPILOG = "\n".join(
    [
        "Mechanisms, with their parameters in order and the defaults of those that may be left out:",
        *(f"  {mechanism.form()}" for mechanism in BY_NAME.values()),
    ]
)


def command(
    mechanisms: Annotated[
        list[str], typer.Argument(metavar="MECHANISM", help="What was done, one text each; they compose.")
    ],
    *,
    delta: Annotated[
        str | None, typer.Option(help="The failure probability, as 1e-6. Not needed for pure mechanisms.")
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="The target to solve '?' for.")] = None,
    accountant: Annotated[
        Accountant | None, typer.Option(help="How to add up; the tightest that applies if left out.")
    ] = None,
    change: Annotated[Change, typer.Option(help="How neighbouring data sets differ.")] = Change.ADD_OR_REMOVE,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw epsilon against delta to this file.")
    ] = None,
    as_json: terminal.JsonOption = False,
) -> None:
    """The privacy calculator: what mechanisms cost together, without touching any data.

    privet account '100 x laplace(scale=10)' 'gaussian(sigma=20)' --delta 1e-6
    privet account 'poisson(q=0.01, 1000 x gaussian(sigma=1))' --delta 1e-6
    privet account '50 x gaussian(sigma=?)' --delta 1e-6 --epsilon 1
    privet account '? x gaussian(sigma=20)' --delta 1e-6 --epsilon 1 --json

    A count inside poisson means rounds, each on a fresh sample, as in private training: the second line is the same as '1000 x poisson(q=0.01, gaussian(sigma=1))'. Sensitivities are 1 unless given. Numbers are exact: 10, 1.5, 1e-6, 1/3. One '?' is solved for with --epsilon.
    """
    request = _request(mechanisms, delta, epsilon, accountant, change)
    answer = _answer(request)
    if plot is not None:
        terminal.write_file(plot, Publishable(draw(answer), "holds nothing from the data"))
    terminal.emit(record(answer), CalculatorOutput(answer), plain=str(answer.number()), as_json=as_json)


# --- what was asked ----------------------------------------------------------------------------


def _request(
    texts: Sequence[str],
    delta: str | None,
    epsilon: str | None,
    accountant: Accountant | None,
    change: Change,
) -> CalculatorRequest:
    template = parse_with_unknown(texts)
    if template.unknown is None and epsilon is not None:
        raise BadUsage(
            "--epsilon is a target, and nothing is left to solve for.",
            "Write '?' for one parameter or count, or leave out --epsilon.",
        )
    if template.unknown is not None and epsilon is None:
        raise BadUsage(
            f"{template.unknown.parameter} is '?', and there is no target to solve it for.",
            "Add --epsilon 1, for example.",
        )
    return CalculatorRequest(
        template,
        _option(delta, "--delta", amounts.delta),
        _option(epsilon, "--epsilon", amounts.loss),
        None if accountant is None else accountant.value,
        change,
    )


def _option(text: str | None, name: str, check: Callable[[Fraction, str], Fraction]) -> Fraction | None:
    if text is None:
        return None
    try:
        return check(read_number(text), name)
    except (BadAmount, BadNotation) as error:
        fact = error.fact.partition("\n")[0]
        raise BadUsage(
            fact if name in fact else f"{name}: {fact}",
            f"Write {name} {'1e-6' if name == '--delta' else '1'}.",
        ) from None


# --- what was found ----------------------------------------------------------------------------


def _answer(request: CalculatorRequest) -> CalculatorAnswer:
    solved: Fraction | None = None
    if request.template.unknown is not None:
        _needs_delta(request, request.template.event(request.template.unknown.trial))
        solved = _solve(request)
    event = request.template.event(solved)
    _needs_delta(request, event)
    if max(leaves(event).values()) > LARGEST_COUNT:
        raise BadUsage("counts multiply to more than 1e9.", "Check them for a slip.")
    loss, others = _losses(request, event)
    return CalculatorAnswer(request, event, loss, others, solved)


def _needs_delta(request: CalculatorRequest, event: Event) -> None:
    """Without a delta only pure mechanisms have a loss; which of them are not is said."""
    from privet.guarantee import pure_cost

    if request.delta is not None:
        return
    for leaf in leaves(event):
        try:
            pure = pure_cost(leaf, change=request.change).delta == 0
        except UnsupportedEvent:
            pure = False
        if not pure:
            raise BadUsage(
                f"{unparse(leaf)} has no epsilon without a delta.",
                "Add --delta 1e-6, for example: a chance of failure well below one in the number of people.",
            )
    if request.accountant not in (None, Accountant.PURE.value):
        raise BadUsage(
            f"the accountant {request.accountant} needs a delta.",
            "Add --delta 1e-6, or use --accountant pure.",
        )


def _solve(request: CalculatorRequest) -> Fraction:
    from privet.guarantee import solve_notation

    with terminal.progress("solving") as step:
        return solve_notation(
            request.template,
            epsilon=request.epsilon or 0,
            delta=request.delta or 0,
            accountant=request.accountant,
            change=request.change,
            each_step=step,
        )


def _losses(request: CalculatorRequest, event: Event) -> tuple[PrivacyLoss, dict[str, float | None]]:
    """The loss by the accountant asked for, or by the best; beside it what each accountant says, if it applies."""
    from privet.guarantee import ACCOUNTANTS, epsilon_for

    found: dict[str, PrivacyLoss] = {}
    refused: dict[str, UnsupportedEvent] = {}
    names = ACCOUNTANTS if request.delta is not None else (Accountant.PURE.value,)
    with terminal.progress("adding up losses", total=len(names)) as step:
        for name in names:
            try:
                found[name] = epsilon_for(event, request.delta or 0, accountant=name, change=request.change)
            except UnsupportedEvent as refusal:
                refused[name] = refusal
            step()
    if request.accountant in refused:
        raise _not_covered(request.accountant, event, request, refused[request.accountant])
    if not found:
        raise next(reversed(refused.values()))
    best = min(found.values(), key=lambda loss: loss.epsilon)
    loss = best if request.accountant is None else found[request.accountant]
    if not math.isfinite(loss.epsilon):
        raise BadUsage(
            f"no finite epsilon holds at delta = {number_text(loss.delta)}.",
            "Raise --delta above what the mechanisms use up themselves, or try another accountant.",
        )
    return loss, {name: found[name].epsilon if name in found else None for name in names}


def _not_covered(
    name: str, event: Event, request: CalculatorRequest, refusal: UnsupportedEvent
) -> UnsupportedEvent:
    """The refusal, naming the first mechanism that the accountant cannot add up."""
    from privet.guarantee import epsilon_for

    for leaf in leaves(event):
        try:
            epsilon_for(leaf, request.delta or 0, accountant=name, change=request.change)
        except UnsupportedEvent as reason:
            return UnsupportedEvent(
                f"the accountant {name} does not cover {unparse(leaf)}: {reason.fact}",
                "Leave out --accountant to use the tightest that applies.",
                mechanism=unparse(leaf),
            )
    return refusal
