"""What one person gives away over time, by the specification alone: per report, for ever, and by a changed value."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.guarantee import readable
from privet.guarantee.exact_amounts import written
from privet.guarantee.oracles import memory_of
from privet.protect.collect._counted_nouns import numbered
from privet.protect.collect._protocols import Protocol, Single
from privet.protect.collect._questions import OneOf, Question


@dataclass(frozen=True)
class OverTime:
    """Epsilon over time.

    `report` is what one report tells by itself, `forever` what all reports about one value tell together (None: it grows with
    every report), `change` what a changed value adds, and `most` what a person can give at all (None: there is no limit). A
    device charges `charge` for each answer that it draws anew, at most `drawn` times in a `per`.
    """

    report: float
    forever: Fraction | None
    change: Fraction
    most: Fraction | None
    charge: Fraction
    per: str
    drawn: int
    keeps: bool  # the oracle has two steps of its own, or keeps its bits
    repeats: bool  # a report about a value is drawn once

    def to_json(self) -> dict[str, Any]:
        """A stable record, for reports and pages."""
        return {
            "epsilon_per_report": float(f"{self.report:.12g}"),
            "epsilon_for_ever": None if self.forever is None else written(self.forever),
            "epsilon_of_a_changed_value": written(self.change),
            "epsilon_at_most": None if self.most is None else written(self.most),
            "per": self.per,
            "answers": self.drawn,
        }

    def says(self) -> list[str]:
        """The same in sentences."""
        amount = readable(self.charge)
        limit = readable(self.charge * self.drawn)
        if self.forever is None:
            return [
                {
                    "report": f"Each report costs its person epsilon {amount}; nothing limits how many a person gives.",
                    "day": f"A person gives at most {self.drawn} a day: epsilon {limit} per person and day.",
                    "lifetime": f"A person gives at most {self.drawn} in all: epsilon {limit} per person.",
                }[self.per]
            ]
        kept = (
            f"One report by itself costs epsilon {self.report:.4g}; all reports about one value together cost epsilon {amount}, "
            f"for ever. A changed value costs epsilon {amount} more."
        )
        least = "" if self.most is None else f"No person ever gives more than epsilon {readable(self.most)}."
        bound = {
            "report": least or "Nothing limits how many values a person gives.",
            "day": f"A person gives at most {numbered(self.drawn, 'new value')} a day: epsilon {limit} per person and day. {least}".rstrip(),
            "lifetime": f"A person gives at most {numbered(self.drawn, 'value')} in all: epsilon {readable(self.most or 0)} per person.",
        }[self.per]
        return [kept, bound]


def over_time(
    epsilon: Fraction, protocol: Protocol, question: Question, *, repeats: bool, per: str, drawn: int
) -> OverTime:
    """What a specification costs one person over time."""
    memory = memory_of(protocol.oracle) if isinstance(protocol, Single) else None
    limit = drawn if per == "lifetime" else None
    if memory is None and not repeats:
        total = None if limit is None else epsilon * limit
        return OverTime(float(epsilon), None, epsilon, total, epsilon, per, drawn, keeps=False, repeats=False)
    answers = _values(question) if memory is None else memory.answers
    known = [count for count in (answers, limit) if count is not None]
    return OverTime(
        float(epsilon) if memory is None else memory.report,
        epsilon,
        epsilon,
        epsilon * min(known) if known else None,
        epsilon,
        per,
        drawn,
        keeps=memory is not None,
        repeats=repeats,
    )


def _values(question: Question) -> int | None:
    """How many values a question has, where they are listed."""
    return len(question.values) if isinstance(question, OneOf) else None
