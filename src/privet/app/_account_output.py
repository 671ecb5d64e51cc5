"""What the privacy calculator says: the JSON record, the words for people, and the picture."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.app import _terminal as terminal
from privet.guarantee import Change, Composed, Event, Template, in_words, number_text, unparse
from privet.guarantee import exact_amounts as amounts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from privet.guarantee import PrivacyLoss

FULL_NAME = {
    "pld": "privacy-loss distribution",
    "rdp": "Rényi differential privacy",
    "zcdp": "zero-concentrated differential privacy",
    "pure": "basic composition",
}
SHORT_NAME = {"pld": "loss distribution", "rdp": "Rényi", "zcdp": "zero-concentrated", "pure": "basic"}

# A curve is drawn through this many deltas on each power of ten.
_POINTS_PER_DECADE = 3


@dataclass(frozen=True)
class CalculatorRequest:
    """What was asked for, read and checked."""

    template: Template
    delta: Fraction | None
    epsilon: Fraction | None
    accountant: str | None
    change: Change


@dataclass(frozen=True)
class CalculatorAnswer:
    """What was found: the loss, what the other accountants say, and the value of the `?` if there was one."""

    request: CalculatorRequest
    event: Event
    loss: PrivacyLoss
    others: dict[str, float | None]
    solved: Fraction | None = None

    def parts(self) -> list[Event]:
        """The events of the single texts."""
        if len(self.request.template.texts) > 1 and isinstance(self.event, Composed):
            return list(self.event.events)
        return [self.event]

    def number(self) -> int | float:
        """The one number asked for: the value solved for, or epsilon."""
        return self.loss.epsilon if self.solved is None else _plain(self.solved)


def record(answer: CalculatorAnswer) -> dict[str, Any]:
    """The answer for programs."""
    data: dict[str, Any] = {
        "epsilon": answer.loss.epsilon,
        "delta": float(answer.loss.delta),
        "accountant": answer.loss.accountant,
        "grid": answer.loss.grid,
        "change": answer.request.change.value,
        "mechanisms": [unparse(event) for event in answer.parts()],
    }
    if answer.solved is not None and answer.request.template.unknown is not None:
        unknown = answer.request.template.unknown
        data["solved"] = {"parameter": unknown.parameter, "value": _plain(answer.solved)}
    return data


def _plain(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)


def _shown(epsilon: float) -> str:
    return f"{_up(epsilon):f}" if math.isfinite(epsilon) else "none at this delta"


def _up(epsilon: float) -> Decimal:
    """Five digits, rounded up: what people read must still be true. A float is the decimal it prints as."""
    return Context(prec=5, rounding=ROUND_CEILING).create_decimal(repr(epsilon))


@dataclass(frozen=True)
class CalculatorOutput:
    """The answer for people, as rich draws it."""

    answer: CalculatorAnswer

    def __rich_console__(self, console: object, options: object) -> Iterator[RenderableType]:
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        understood = Table(box=None, show_header=False, padding=(0, 3, 0, 0))
        for event in self.answer.parts():
            understood.add_row(Text(unparse(event), "cyan"), Text(in_words(event), "dim"))
        yield understood
        yield Padding(Text.assemble(*self._result()), (1, 0, 1, 0))
        if len(self.answer.others) > 1:
            yield self._comparison()
        yield Text(self._sentence())

    def _result(self) -> list[str | tuple[str, str]]:
        loss = self.answer.loss
        said: list[str | tuple[str, str]] = []
        unknown = self.answer.request.template.unknown
        if self.answer.solved is not None and unknown is not None and self.answer.request.epsilon is not None:
            edge = "smallest" if unknown.larger_is_safer else "largest"
            target = number_text(self.answer.request.epsilon)
            said = [
                (f"{unknown.parameter} = {number_text(self.answer.solved)}", "bold green"),
                f", the {edge} that keeps epsilon at most {target}\n",
            ]
        grid = f", grid {number_text(Fraction(repr(loss.grid)))}" if loss.grid else ""
        at = f" at delta = {number_text(loss.delta)}" if loss.delta else ""
        how = f"{at} ({FULL_NAME[loss.accountant]}{grid})"
        return [*said, (f"epsilon = {_shown(loss.epsilon)}", "bold"), how]

    def _comparison(self) -> RenderableType:
        from rich.padding import Padding
        from rich.table import Table

        table = Table(box=None, header_style="dim", padding=(0, 3, 0, 0))
        table.add_column("accountant")
        table.add_column("epsilon", justify="right")
        for name, epsilon in self.answer.others.items():
            shown = "does not apply" if epsilon is None else _shown(epsilon)
            mark = "bold" if name == self.answer.loss.accountant else ""
            table.add_row(FULL_NAME[name], shown, style=mark)
        return Padding(table, (0, 0, 1, 0))

    def _sentence(self) -> str:
        from privet.guarantee import ApproxDP, PureDP

        epsilon = Fraction(_up(self.answer.loss.epsilon))
        if epsilon < amounts.LOSS_UNIT:
            return "Nothing measurable is learned about any one person."
        if self.answer.loss.delta == 0:
            return PureDP(epsilon).sentence()
        return ApproxDP(epsilon, self.answer.loss.delta).sentence()


def draw(answer: CalculatorAnswer) -> str:
    """Epsilon against delta as a picture: the accountant of the answer first, the others that apply beside it."""
    from privet.guarantee import epsilon_for
    from privet.report import LossCurve, loss_curve

    chosen = answer.loss.accountant
    names = [chosen, *(name for name in answer.others if name != chosen and answer.others[name] is not None)]
    deltas = _deltas(answer.request.delta)
    curves = []
    with terminal.progress("drawing", total=len(names) * len(deltas)) as step:
        for name in names:
            points = []
            for delta in deltas:
                loss = epsilon_for(answer.event, delta, accountant=name, change=answer.request.change)
                points.append((float(delta), loss.epsilon))
                step()
            drawable = tuple(point for point in points if math.isfinite(point[1]))
            if len(drawable) > 1:
                curves.append(LossCurve(SHORT_NAME[name], drawable))
    mark = (float(answer.loss.delta), answer.loss.epsilon) if answer.loss.delta else None
    title = "Privacy loss of " + ", ".join(unparse(event) for event in answer.parts())
    return loss_curve(curves, title=title, mark=mark)


def _deltas(asked: Fraction | None) -> list[Fraction]:
    """Three deltas on each power of ten, from 1e-12 (or a hundredth of the one asked) to one in ten, and that one."""
    low = min(-12, math.floor(math.log10(asked)) - 2) if asked is not None else -12
    steps = range(low * _POINTS_PER_DECADE, -_POINTS_PER_DECADE + 1)
    deltas = {Fraction(f"{10 ** (step / _POINTS_PER_DECADE):.3g}") for step in steps}
    return sorted(deltas | ({asked} if asked is not None else set()))
